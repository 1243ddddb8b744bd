//! The beginning of a sound in an MPEG-4 file (M4A): its first samples, and tables that tell of those alone. Tags and
//! pictures are left out, and other tracks.

use super::cut::Beginning;

/// Samples that are looked at.
const SAMPLES_MAX: u32 = 10_000_000;
/// Boxes in one another that are looked through.
const CHILDREN_MAX: usize = 1_000;
/// Bytes of boxes that are taken along.
const BOX_MAX: usize = 64 << 10;

/// A box: its name and what it holds.
type Atom<'a> = (&'a [u8], &'a [u8]);

/// The first samples of the only sound of a file, at most so many bytes and seconds. `None` where there is none or several,
/// or where it stands in fragments or is encrypted.
pub fn beginning(whole: &[u8], room: usize, seconds: f64) -> Option<Beginning> {
    let moov = child(whole, b"moov")?;
    let mut sounds = children(moov).filter(|(name, body)| *name == b"trak" && is_sound(body));
    let (Some((_, track)), None) = (sounds.next(), sounds.next()) else { return None };
    let media = child(track, b"mdia")?;
    let (info, header) = (child(media, b"minf")?, child(media, b"mdhd")?);
    let table = child(info, b"stbl")?;
    let described = child(table, b"stsd").filter(|kind| kind.get(12..16) != Some(b"enca") && kind.len() <= BOX_MAX)?;
    let (unit, film) = (units(header)?, units(child(moov, b"mvhd")?)?);
    // Samples that are heard in another order than they stand in are none of a sound that is known.
    if child(table, b"ctts").is_some() {
        return None;
    }

    // What is told of the sound stands beside it: kept short, it is counted by what it is without samples.
    let parts = Parts { moov, track, media, info, described, brand: child(whole, b"ftyp")? };
    let empty = parts.file(&Run::default(), (unit, film), &[])?.len();
    let mut run = Run::default();
    let mut data = Vec::new();
    let mut samples = Samples::of(table)?;
    while let Some((at, size, lasts)) = samples.next() {
        let (at, size) = (usize::try_from(at).ok()?, usize::try_from(size).ok()?);
        // Each sample takes four bytes of a table, and each change of their length eight.
        let table = 4 * (run.sizes.len() + 1) + 8 * (run.lengths.len() + 1);
        let is_within = (run.lasts + u64::from(lasts)) as f64 / f64::from(unit.max(1)) <= seconds;
        let Some(sample) = whole.get(at..at.checked_add(size)?) else { break };
        if !is_within || empty + data.len() + size + table > room {
            break;
        }
        data.extend(sample);
        run.add(u32::try_from(size).ok()?, lasts);
    }
    let lasts = run.lasts as f64 / f64::from(unit.max(1));
    (run.lasts > 0).then_some((parts.file(&run, (unit, film), &data)?, lasts))
}

/// What is taken along.
struct Parts<'a> {
    brand: &'a [u8],
    moov: &'a [u8],
    track: &'a [u8],
    media: &'a [u8],
    info: &'a [u8],
    described: &'a [u8],
}

/// The samples that were taken: their sizes, how many last how long, and all of them together.
#[derive(Default)]
struct Run {
    sizes: Vec<u32>,
    lengths: Vec<(u32, u32)>,
    lasts: u64,
}

impl Run {
    fn add(&mut self, size: u32, lasts: u32) {
        self.sizes.push(size);
        self.lasts += u64::from(lasts);
        match self.lengths.last_mut() {
            Some((count, known)) if *known == lasts => *count += 1,
            _ => self.lengths.push((1, lasts)),
        }
    }
}

impl Parts<'_> {
    /// The file of some samples, by the units of its sound and of the whole.
    fn file(&self, run: &Run, (unit, film): (u32, u32), data: &[u8]) -> Option<Vec<u8>> {
        let lasts = u128::from(film) * u128::from(run.lasts) / u128::from(unit.max(1));
        let (edits, filmed) = self.edits(u64::try_from(lasts).unwrap_or(u64::MAX), film, unit);
        let ours = |name: &[u8; 4]| child(self.info, name).filter(|body| body.len() <= BOX_MAX);
        let brand = written(b"ftyp", &[self.brand.get(..self.brand.len().min(BOX_MAX))?]);
        let moov = |place: u32| -> Option<Vec<u8>> {
            let words = |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_be_bytes()).collect::<Vec<u8>>();
            let counted = |count: usize| u32::try_from(count).ok();
            let lengths: Vec<u32> = run.lengths.iter().flat_map(|(count, lasts)| [*count, *lasts]).collect();
            let count = counted(run.sizes.len())?;
            let table = written(
                b"stbl",
                &[
                    &written(b"stsd", &[self.described]),
                    &written(b"stts", &[&words(&[0, counted(run.lengths.len())?]), &words(&lengths)]),
                    &written(b"stsc", &[&words(&[0, 1, 1, count.max(1), 1])]),
                    &written(b"stsz", &[&words(&[0, 0, count]), &words(&run.sizes)]),
                    &written(b"stco", &[&words(&[0, 1, place])]),
                ],
            );
            let mut info = Vec::new();
            for name in [b"smhd", b"dinf"] {
                info.extend(written(name, &[ours(name)?]));
            }
            let header = timed(child(self.media, b"mdhd")?, run.lasts, 16, 24)?;
            let handler = child(self.media, b"hdlr").filter(|body| body.len() <= BOX_MAX)?;
            let media =
                [written(b"mdhd", &[&header]), written(b"hdlr", &[handler]), written(b"minf", &[&info, &table])]
                    .concat();
            let track = timed(child(self.track, b"tkhd")?, filmed, 20, 28)?;
            let track = [written(b"tkhd", &[&track]), edits.clone(), written(b"mdia", &[&media])].concat();
            let head = timed(child(self.moov, b"mvhd")?, filmed, 16, 24)?;
            Some(written(b"moov", &[&written(b"mvhd", &[&head]), &written(b"trak", &[&track])]))
        };
        let begins = brand.len() + moov(0)?.len() + 8;
        Some([brand, moov(u32::try_from(begins).ok()?)?, written(b"mdat", &[data])].concat())
    }

    /// What is passed over at the beginning, where the track tells that in one entry; and what is left of its length.
    fn edits(&self, lasts: u64, film: u32, unit: u32) -> (Vec<u8>, u64) {
        let list = child(self.track, b"edts").and_then(|edits| child(edits, b"elst"));
        let start = list.filter(|list| number(list, 4, 4) == Some(1)).and_then(|list| match list.first()? {
            0 => number(list, 12, 4),
            _ => number(list, 16, 8),
        });
        let Some(start) = start.and_then(|start| i32::try_from(start).ok()) else { return (Vec::new(), lasts) };
        let lasts = lasts.saturating_sub(u64::from(start.unsigned_abs()) * u64::from(film) / u64::from(unit.max(1)));
        let told = u32::try_from(lasts).unwrap_or(u32::MAX);
        let entry = [0u32.to_be_bytes(), 1u32.to_be_bytes(), told.to_be_bytes(), start.to_be_bytes()].concat();
        (written(b"edts", &[&written(b"elst", &[&entry, &[0, 1, 0, 0]])]), lasts)
    }
}

/// A header whose duration is another, by where that stands in each of its two versions.
fn timed(header: &[u8], lasts: u64, short: usize, long: usize) -> Option<Vec<u8>> {
    let mut header = header.get(..header.len().min(BOX_MAX))?.to_vec();
    let (at, value) = match header.first()? {
        0 => (short, u32::try_from(lasts).ok()?.to_be_bytes().to_vec()),
        _ => (long, lasts.to_be_bytes().to_vec()),
    };
    header.get_mut(at..at + value.len())?.copy_from_slice(&value);
    Some(header)
}

/// The units of a second, as the header of a film or of its media tells them.
fn units(header: &[u8]) -> Option<u32> {
    let at = if *header.first()? == 0 { 12 } else { 20 };
    u32::try_from(number(header, at, 4)?).ok().filter(|units| *units > 0)
}

/// Where the samples of a track stand, how long they are and how long they last, in order.
struct Samples<'a> {
    /// One size for all, or 0 and the table of them.
    size: u64,
    sizes: &'a [u8],
    count: u32,
    lengths: &'a [u8],
    chunks: &'a [u8],
    /// Where chunks begin, in words of so many bytes.
    places: &'a [u8],
    wide: usize,
    /// The next sample, its chunk from 0, how many of that chunk are left, where it stands.
    at: u32,
    chunk: u64,
    left: u64,
    place: u64,
    /// The row of the table of chunks, and of that of lengths, with how many are left of it.
    row: usize,
    length: usize,
    lasting: u64,
}

impl<'a> Samples<'a> {
    fn of(table: &'a [u8]) -> Option<Samples<'a>> {
        let sizes = child(table, b"stsz")?;
        let (places, wide) = match child(table, b"stco") {
            Some(places) => (places, 4),
            None => (child(table, b"co64")?, 8),
        };
        Some(Samples {
            size: number(sizes, 4, 4)?,
            count: u32::try_from(number(sizes, 8, 4)?).ok()?.min(SAMPLES_MAX),
            sizes: sizes.get(12..)?,
            lengths: child(table, b"stts")?.get(8..)?,
            chunks: child(table, b"stsc")?.get(8..)?,
            places: places.get(8..)?,
            wide,
            at: 0,
            chunk: 0,
            left: 0,
            place: 0,
            row: 0,
            length: 0,
            lasting: 0,
        })
    }

    /// Goes on to the next chunk; `None` behind the last, and where its samples are described in another way.
    fn next_chunk(&mut self) -> Option<()> {
        let first = |row: usize| number(self.chunks, row * 12, 4);
        while first(self.row + 1).is_some_and(|next| next <= self.chunk + 1) {
            self.row += 1;
        }
        let described = number(self.chunks, self.row * 12 + 8, 4)?;
        let place = usize::try_from(self.chunk).ok()?.checked_mul(self.wide)?;
        self.left = number(self.chunks, self.row * 12 + 4, 4)?;
        self.place = number(self.places, place, self.wide)?;
        self.chunk += 1;
        (described == 1).then_some(())
    }

    fn next(&mut self) -> Option<(u64, u64, u32)> {
        if self.at >= self.count {
            return None;
        }
        while self.left == 0 {
            self.next_chunk()?;
        }
        while self.lasting == 0 {
            self.lasting = number(self.lengths, self.length * 8, 4)?;
            self.length += 1;
        }
        let lasts = u32::try_from(number(self.lengths, (self.length - 1) * 8 + 4, 4)?).ok()?;
        let size = if self.size > 0 { self.size } else { number(self.sizes, self.at as usize * 4, 4)? };
        let place = self.place;
        (self.at, self.left, self.lasting) = (self.at + 1, self.left - 1, self.lasting - 1);
        self.place = place.checked_add(size)?;
        Some((place, size, lasts))
    }
}

fn is_sound(track: &[u8]) -> bool {
    let handler = child(track, b"mdia").and_then(|media| child(media, b"hdlr"));
    handler.and_then(|handler| handler.get(8..12)) == Some(b"soun")
}

/// A box of some parts.
fn written(name: &[u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    let size = 8 + parts.iter().map(|part| part.len()).sum::<usize>();
    let mut atom = u32::try_from(size).unwrap_or(u32::MAX).to_be_bytes().to_vec();
    atom.extend(name);
    parts.iter().for_each(|part| atom.extend(*part));
    atom
}

fn child<'a>(bytes: &'a [u8], name: &[u8; 4]) -> Option<&'a [u8]> {
    children(bytes).find(|(known, _)| *known == name).map(|(_, body)| body)
}

/// The boxes within one. What goes on beyond its end is none.
fn children(bytes: &[u8]) -> impl Iterator<Item = Atom<'_>> {
    let mut at = 0usize;
    let next = move || {
        let name = bytes.get(at.checked_add(4)?..at + 8)?;
        let (size, head) = match number(bytes, at, 4)? {
            0 => ((bytes.len() - at) as u64, 8),
            1 => (number(bytes, at + 8, 8)?, 16),
            size => (size, 8),
        };
        let end = at.checked_add(usize::try_from(size).ok()?)?;
        let body = bytes.get(at + head..end)?;
        at = end;
        Some((name, body))
    };
    std::iter::from_fn(next).take(CHILDREN_MAX)
}

/// A number of so many bytes, the highest first.
fn number(bytes: &[u8], at: usize, size: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(size)?)?;
    Some(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

#[cfg(test)]
#[path = "mpeg4_tests.rs"]
mod tests;
