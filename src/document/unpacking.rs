//! Files that are packed by themselves: unpacked up to where they are damaged. A reader takes what there is as all there
//! is; the damage is kept, to be told once.

use std::cell::RefCell;
use std::io::{self, BufRead, Read};

use bzip2::{Decompress, Status};
use lzma_rust2::{Action, Status as XzStatus, XzStream};

use crate::content::{GzipReader, Watch, ZstdReader};

use super::input::Packing;
use super::out::Out;

/// Bytes of `.xz` that are unpacked at a time: those of the piece in which the damage is are lost.
const XZ_PIECE: usize = 128;

/// Of a packed file without its end.
const CUT_OFF: &str = "it is cut off";

/// What is the matter with a packed file.
#[derive(Debug, Default)]
pub struct Damage(RefCell<Option<String>>);

impl Damage {
    /// Tells it, and forgets it.
    pub fn say(&self, out: &mut Out<'_>) {
        match self.0.take() {
            Some(why) if out.is_empty() => out.note_on_all(format!("nothing of it can be unpacked: {why}")),
            Some(why) => {
                out.note_on_all(format!("it cannot be unpacked to its end: {why}; what stands before is shown"));
            }
            None => {}
        }
    }
}

/// Unpacks what is stored; it ends where the damage begins.
pub fn unpack<'a>(stored: impl BufRead + 'a, packing: Packing) -> Box<dyn Read + 'a> {
    match packing {
        Packing::None => Box::new(stored),
        Packing::Gzip => Box::new(GzipReader::new(stored)),
        Packing::Bzip2 => Box::new(Unbzip::new(stored)),
        Packing::Xz => Box::new(Unxz { from: stored, data: XzStream::new(true), is_done: false }),
        Packing::Zstd => Box::new(ZstdReader::new(stored)),
    }
}

/// Ends where its source fails, and keeps why.
pub struct Salvage<'a, R> {
    /// What may fail.
    pub from: R,
    /// Where that is kept.
    pub damage: &'a Damage,
    /// Who no longer wishes anything is not told of damage.
    pub watch: &'a Watch,
}

impl<R: Read> Read for Salvage<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.from.read(buffer) {
            Err(why) if why.kind() != io::ErrorKind::Interrupted && !self.watch.is_cancelled() => {
                *self.damage.0.borrow_mut() = Some(why.to_string());
                Ok(0)
            }
            other => other,
        }
    }
}

/// Reads all streams of an `.xz`. Its reader is given what there is and no more: one that waits for more bytes takes
/// those that are missing for zeros, and unpacks what nobody packed.
struct Unxz<R> {
    from: R,
    data: XzStream,
    is_done: bool,
}

impl<R: BufRead> Read for Unxz<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // What was unpacked by a call that fails is not told.
        let most = buffer.len().min(XZ_PIECE);
        let Some(room) = buffer.get_mut(..most).filter(|room| !room.is_empty()) else { return Ok(0) };
        while !self.is_done {
            let input = self.from.fill_buf()?;
            let is_end = input.is_empty();
            let done = self.data.process(input, room, if is_end { Action::Finish } else { Action::Run });
            let done = done.map_err(|why| damaged(&why))?;
            self.from.consume(done.bytes_consumed);
            self.is_done = done.status == XzStatus::StreamEnd;
            if done.bytes_produced > 0 {
                return Ok(done.bytes_produced);
            }
            if is_end && !self.is_done {
                return Err(io::Error::new(io::ErrorKind::InvalidData, CUT_OFF));
            }
        }
        Ok(0)
    }
}

/// What ends the unpacking of an `.xz`.
fn damaged(why: &io::Error) -> io::Error {
    let told = match why.kind() {
        io::ErrorKind::UnexpectedEof => CUT_OFF.to_owned(),
        _ => format!("it is damaged: {why}"),
    };
    io::Error::new(io::ErrorKind::InvalidData, told)
}

/// Reads all streams of a `.bz2`, one after the other.
struct Unbzip<R> {
    from: R,
    data: Decompress,
    /// Whether the open stream has begun, and whether one has ended.
    begun: bool,
    any: bool,
    fault: Option<&'static str>,
}

impl<R: BufRead> Unbzip<R> {
    fn new(from: R) -> Unbzip<R> {
        Unbzip { from, data: Decompress::new(false), begun: false, any: false, fault: None }
    }
}

impl<R: BufRead> Read for Unbzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !buffer.is_empty() {
            if let Some(fault) = self.fault {
                return Err(io::Error::new(io::ErrorKind::InvalidData, fault));
            }
            let input = self.from.fill_buf()?;
            if input.is_empty() && !self.begun {
                return Ok(0);
            }
            self.begun = true;
            let is_end = input.is_empty();
            let (taken, given) = (self.data.total_in(), self.data.total_out());
            let done = self.data.decompress(input, buffer);
            self.from.consume((self.data.total_in() - taken) as usize);
            let size = (self.data.total_out() - given) as usize;
            match done {
                Ok(Status::StreamEnd) => (self.data, self.begun, self.any) = (Decompress::new(false), false, true),
                Ok(_) if is_end && size == 0 => self.fault = Some(CUT_OFF),
                Ok(_) => {}
                Err(_) if self.any && self.data.total_out() == 0 => {
                    self.fault = Some("what follows its end is not packed, and is left out");
                }
                // A block is unpacked before its checksum can be looked at.
                Err(_) => self.fault = Some("a block is damaged, and up to 900 kB of what stands last may be wrong"),
            }
            if size > 0 {
                return Ok(size);
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
#[path = "unpacking_tests.rs"]
mod tests;
