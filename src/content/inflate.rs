//! Deflated bytes, unpacked up to where they are damaged: what came before a fault is given, and then the fault.

use std::io::{self, BufRead, Read};

use flate2::{Crc, Decompress, FlushDecompress, Status};

/// Unpacks one stream.
pub struct Inflate {
    data: Decompress,
    crc: Crc,
    ended: bool,
    fault: Option<&'static str>,
}

impl Default for Inflate {
    fn default() -> Inflate {
        Inflate { data: Decompress::new(false), crc: Crc::new(), ended: false, fault: None }
    }
}

impl Inflate {
    /// More of what `from` unpacks to; nothing at the stream's own end.
    ///
    /// # Errors
    /// Where it is damaged or cut off: after all that unpacks before, and whenever it is asked again.
    pub fn read_from(&mut self, from: &mut impl BufRead, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.ended && !buffer.is_empty() {
            if let Some(fault) = self.fault {
                return Err(io::Error::new(io::ErrorKind::InvalidData, fault));
            }
            let input = from.fill_buf()?;
            let is_end = input.is_empty();
            let (taken, given) = (self.data.total_in(), self.data.total_out());
            let flush = if is_end { FlushDecompress::Finish } else { FlushDecompress::None };
            let done = self.data.decompress(input, buffer, flush);
            from.consume((self.data.total_in() - taken) as usize);
            let size = (self.data.total_out() - given) as usize;
            match done {
                Ok(Status::StreamEnd) => self.ended = true,
                Ok(_) if size == 0 && is_end => self.fault = Some("it is cut off"),
                Ok(_) => {}
                Err(_) => self.fault = Some("what is packed is damaged"),
            }
            if size > 0 {
                self.crc.update(buffer.get(..size).unwrap_or_default());
                return Ok(size);
            }
        }
        Ok(0)
    }

    /// The checksum of what was given, and its size.
    #[must_use]
    pub fn sum(&self) -> (u32, u64) {
        (self.crc.sum(), self.data.total_out())
    }
}

/// Whether a stream's first bytes are those of gzip.
#[must_use]
pub fn is_gzip(head: &[u8]) -> bool {
    matches!(head, [0x1F, 0x8B, ..])
}

/// What a header says to follow it.
const HAS_CHECKSUM: u8 = 2;
const HAS_EXTRA: u8 = 4;
const HAS_NAME: u8 = 8;
const HAS_COMMENT: u8 = 16;

/// Reads all members of a `.gz`, one after the other. Zeros behind the last are padding.
pub struct GzipReader<R> {
    from: R,
    /// The member that is open.
    member: Option<Inflate>,
    /// Whether one has ended.
    any: bool,
    fault: Option<&'static str>,
}

impl<R: BufRead> GzipReader<R> {
    /// From the beginning of a member. Nothing is read yet.
    pub fn new(from: R) -> GzipReader<R> {
        GzipReader { from, member: None, any: false, fault: None }
    }

    /// Goes to the next member; `false` at the end of the file.
    fn next_member(&mut self) -> io::Result<bool> {
        let mut head = [0; 10];
        loop {
            let near = self.from.fill_buf()?;
            match near.first() {
                None => return Ok(false),
                Some(0) if self.any => {
                    let zeros = near.iter().take_while(|byte| **byte == 0).count();
                    self.from.consume(zeros);
                }
                Some(_) => break,
            }
        }
        let whole = self.from.read_exact(&mut head);
        if self.any && !(is_gzip(&head) && whole.is_ok()) {
            self.fault = Some("what follows its end is not packed, and is left out");
            return Ok(true);
        }
        whole?;
        let flags = head[3];
        if !is_gzip(&head) || head[2] != 8 {
            self.fault = Some("its head is damaged");
            return Ok(true);
        }
        let mut two = [0; 2];
        if flags & HAS_EXTRA != 0 {
            self.from.read_exact(&mut two)?;
            let extra = u64::from(u16::from_le_bytes(two));
            io::copy(&mut self.from.by_ref().take(extra), &mut io::sink())?;
        }
        for _ in [HAS_NAME, HAS_COMMENT].iter().filter(|flag| flags & **flag != 0) {
            self.from.skip_until(0)?;
        }
        if flags & HAS_CHECKSUM != 0 {
            self.from.read_exact(&mut two)?;
        }
        self.member = Some(Inflate::default());
        Ok(true)
    }

    /// Reads what follows a member: its checksum and its size.
    fn check(&mut self, member: &Inflate) {
        let mut tail = [0; 8];
        let whole = self.from.read_exact(&mut tail).is_ok();
        let (crc, size) = member.sum();
        let told = [crc.to_le_bytes(), (size as u32).to_le_bytes()].concat();
        if !whole {
            self.fault = Some("its checksum is cut off");
        } else if tail.as_slice() != told {
            self.fault = Some("its checksum does not match: some of what stands here may be wrong");
        }
    }
}

impl<R: BufRead> Read for GzipReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(fault) = self.fault {
                return Err(io::Error::new(io::ErrorKind::InvalidData, fault));
            }
            let Some(mut member) = self.member.take() else {
                match self.next_member() {
                    Ok(true) => continue,
                    Ok(false) => return Ok(0),
                    Err(why) if why.kind() == io::ErrorKind::UnexpectedEof => self.fault = Some("it is cut off"),
                    Err(why) => return Err(why),
                }
                continue;
            };
            let size = member.read_from(&mut self.from, buffer);
            if matches!(size, Ok(0)) && !buffer.is_empty() {
                self.any = true;
                self.check(&member);
                continue;
            }
            self.member = Some(member);
            return size;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut packer = flate2::GzBuilder::new().filename("a name").comment("words").extra(vec![1, 2, 3]);
        packer = packer.mtime(7);
        let mut packer = packer.write(Vec::new(), flate2::Compression::default());
        packer.write_all(text).unwrap();
        packer.finish().unwrap()
    }

    fn lines() -> Vec<u8> {
        (0..2_000).flat_map(|at| format!("Line {at} of {}.\n", at * 7919).into_bytes()).collect()
    }

    fn read(stream: &[u8]) -> (Vec<u8>, Option<String>) {
        // A reader that gives little at a time meets every boundary.
        let mut reader = GzipReader::new(io::BufReader::with_capacity(7, stream));
        let mut text = Vec::new();
        let fault = reader.read_to_end(&mut text).err().map(|why| why.to_string());
        (text, fault)
    }

    #[test]
    fn members_follow_each_other_and_zeros_behind_them_are_padding() {
        let two = [packed(&lines()), packed(b"more")].concat();
        assert_eq!(read(&two), ([lines(), b"more".to_vec()].concat(), None));
        assert_eq!(read(&[packed(b"one"), vec![0; 512]].concat()), (b"one".to_vec(), None));
        let (text, fault) = read(&[packed(b"one"), b"junk".to_vec()].concat());
        assert_eq!(text, b"one");
        assert!(fault.unwrap().contains("follows its end"));
        assert_eq!(read(b""), (Vec::new(), None));
    }

    #[test]
    fn what_unpacks_before_a_fault_is_read() {
        let whole = packed(&lines());
        for end in (30..whole.len()).step_by(97) {
            let (text, fault) = read(&whole[..end]);
            assert!(fault.is_some() && lines().starts_with(&text), "cut at {end}: {fault:?}");
            // Little is lost but what was never packed.
            let share = lines().len() * end.saturating_sub(600) / whole.len();
            assert!(text.len() + 3_000 >= share, "cut at {end}: {} of {share}", text.len());
        }
        let short = packed(b"a few words, and no more");
        for behind in 1..=8 {
            let (text, fault) = read(&short[..short.len() - behind]);
            assert_eq!(text, b"a few words, and no more");
            assert!(fault.unwrap().contains("checksum is cut off"));
        }
        let mut wrong = short.clone();
        *wrong.iter_mut().nth_back(6).unwrap() ^= 1;
        let (text, fault) = read(&wrong);
        assert_eq!(text, b"a few words, and no more");
        assert!(fault.unwrap().contains("does not match"));
    }

    #[test]
    fn a_fault_within_a_block_leaves_what_stands_before_it() {
        let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::none());
        packer.write_all(&lines()).unwrap();
        let mut whole = packer.finish().unwrap();
        // Behind the first stored block, one of a kind that there is not.
        let at = 5 + usize::from(u16::from_le_bytes([whole[1], whole[2]]));
        whole.truncate(at);
        whole.extend([7; 100]);
        let (mut from, mut text, mut buffer) = (whole.as_slice(), Vec::new(), vec![0; 1 << 20]);
        let mut inflate = Inflate::default();
        while let Ok(size @ 1..) = inflate.read_from(&mut from, &mut buffer) {
            text.extend_from_slice(&buffer[..size]);
        }
        assert!(text.len() == at - 5 && lines().starts_with(&text));
        assert!(inflate.read_from(&mut from, &mut buffer).is_err());
    }
}
