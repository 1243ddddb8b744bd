//! XML that was cut off: as far as it is whole, with its elements closed.

use super::markup::{self, Event};
use super::out::Stop;

/// Elements of which only whole ones are kept, the first of these that there are.
const WHOLE: [&[&str]; 2] = [&["row", "table-row", "si"], &["p"]];
/// Elements in one another; XML that goes deeper is taken to be cut off there.
const DEPTH_MAX: usize = 1_000;

/// The XML up to the last row, or else paragraph, or else tag that is whole, and the ends of all that is open there. What
/// is whole stays as it is; of what has no element there is nothing. `beat` is told of the bytes that were read.
///
/// # Errors
/// What `beat` says.
pub fn closed(mut bytes: Vec<u8>, mut beat: impl FnMut(u64) -> Result<(), Stop>) -> Result<Vec<u8>, Stop> {
    let Some(end) = whole_until(&bytes, &mut beat)? else { return Ok(bytes) };
    bytes.truncate(end);
    for name in open(&bytes, &mut beat)?.into_iter().rev() {
        bytes.extend(format!("</{name}>").bytes());
    }
    Ok(bytes)
}

/// Where that is; `None` where all is whole.
fn whole_until(bytes: &[u8], beat: &mut impl FnMut(u64) -> Result<(), Stop>) -> Result<Option<usize>, Stop> {
    let mut events = markup::reader(bytes);
    let mut buffer = Vec::new();
    let (mut depth, mut read, mut tag, mut ends) = (0usize, 0, 0, [None; WHOLE.len()]);
    let is_broken = loop {
        buffer.clear();
        let event = events.read_event_into(&mut buffer);
        let at = usize::try_from(events.buffer_position()).unwrap_or(bytes.len());
        beat((at - read) as u64)?;
        read = at;
        let ended = match &event {
            Ok(Event::Start(_)) if depth >= DEPTH_MAX => break true,
            Ok(Event::Start(_)) => {
                depth += 1;
                tag = at;
                continue;
            }
            Ok(Event::End(element)) => {
                depth = depth.saturating_sub(1);
                element.local_name().into_inner()
            }
            Ok(Event::Empty(element)) => element.local_name().into_inner(),
            Ok(Event::Eof) => break false,
            Err(_) => break true,
            Ok(_) => continue,
        };
        tag = at;
        if let Some(kind) = WHOLE.iter().position(|names| names.contains(&ended)) {
            ends[kind] = Some(at);
        }
    };
    // A lone tag that was cut is none.
    let cut = is_broken || depth > 0 || tag == 0;
    Ok(cut.then(|| ends.into_iter().flatten().next().unwrap_or(tag)))
}

/// The names of the elements that are open at the end.
fn open(bytes: &[u8], beat: &mut impl FnMut(u64) -> Result<(), Stop>) -> Result<Vec<String>, Stop> {
    let mut events = markup::reader(bytes);
    let mut buffer = Vec::new();
    let (mut open, mut read) = (Vec::new(), 0);
    loop {
        buffer.clear();
        let event = events.read_event_into(&mut buffer);
        beat(events.buffer_position() - read)?;
        read = events.buffer_position();
        match event {
            Ok(Event::Start(element)) => open.push(element.name().into_inner().to_owned()),
            Ok(Event::End(_)) => drop(open.pop()),
            Ok(Event::Eof) | Err(_) => return Ok(open),
            Ok(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_whole_of_xml_is_kept_and_closed() {
        let text = |from: &str| String::from_utf8(closed(from.as_bytes().to_vec(), |_| Ok(())).unwrap()).unwrap();
        for (cut, whole) in [
            ("<w:d><w:p>one</w:p><w:p>tw", "<w:d><w:p>one</w:p></w:d>"),
            ("<t><x:row><c><p>1</p></c></x:row><x:row><c><p>2</p></c><c", "<t><x:row><c><p>1</p></c></x:row></t>"),
            ("<a><b/><c d='", "<a><b/></a>"),
            ("<a><b>", "<a><b></b></a>"),
            ("<a><p/>x</a>", "<a><p/>x</a>"),
            ("<a><p/>x</a></b></c><d e='", "<a><p/></a>"),
            ("", ""),
            ("<?xml version='1.0'?><a b='", ""),
        ] {
            assert_eq!(text(cut), whole, "{cut}");
        }
    }

    #[test]
    fn what_is_nested_too_deep_is_cut_off_there_and_work_is_told() {
        let deep = format!("<d><p>one</p>{}", "<x>".repeat(100_000));
        let mut told = 0;
        let mut beat = |bytes| {
            told += bytes;
            Ok(())
        };
        assert_eq!(closed(deep.into_bytes(), &mut beat).unwrap(), b"<d><p>one</p></d>");
        assert!((1_000..10_000).contains(&told), "{told}");
        let kept = closed("<x>".repeat(100_000).into_bytes(), |_| Ok(())).unwrap();
        assert_eq!(kept.len(), DEPTH_MAX * "<x></x>".len());
        assert!(closed(b"<a><b/>".to_vec(), |_| Err(Stop::Cancelled)).is_err());
    }
}
