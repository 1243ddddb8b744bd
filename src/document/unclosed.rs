//! XML that was cut off: as far as it is whole, with its elements closed.

use super::markup::{self, Event};

/// Elements of which only whole ones are kept, the first of these that there are.
const WHOLE: [&[&str]; 2] = [&["row", "table-row", "si"], &["p"]];

/// The XML up to the last row, or else paragraph, or else tag that is whole, and the ends of all that is open there. What
/// is whole stays as it is; of what has no element there is nothing.
#[must_use]
pub fn closed(mut bytes: Vec<u8>) -> Vec<u8> {
    let Some(end) = whole_until(&bytes) else { return bytes };
    bytes.truncate(end);
    for name in open(&bytes).into_iter().rev() {
        bytes.extend(format!("</{name}>").bytes());
    }
    bytes
}

/// Where that is; `None` where all is whole.
fn whole_until(bytes: &[u8]) -> Option<usize> {
    let mut events = markup::reader(bytes);
    let mut buffer = Vec::new();
    let (mut depth, mut tag, mut ends) = (0u64, 0, [None; WHOLE.len()]);
    loop {
        buffer.clear();
        let event = events.read_event_into(&mut buffer);
        let at = usize::try_from(events.buffer_position()).ok()?;
        let ended = match &event {
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
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => continue,
        };
        tag = at;
        if let Some(kind) = WHOLE.iter().position(|names| names.contains(&ended)) {
            ends[kind] = Some(at);
        }
    }
    // A lone tag that was cut is none.
    (depth > 0 || tag == 0).then(|| ends.into_iter().flatten().next().unwrap_or(tag))
}

/// The names of the elements that are open at the end.
fn open(bytes: &[u8]) -> Vec<String> {
    let mut events = markup::reader(bytes);
    let mut buffer = Vec::new();
    let mut open = Vec::new();
    loop {
        buffer.clear();
        match events.read_event_into(&mut buffer) {
            Ok(Event::Start(element)) => open.push(element.name().into_inner().to_owned()),
            Ok(Event::End(_)) => drop(open.pop()),
            Ok(Event::Eof) | Err(_) => return open,
            Ok(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_whole_of_xml_is_kept_and_closed() {
        let text = |from: &str| String::from_utf8(closed(from.as_bytes().to_vec())).unwrap();
        for (cut, whole) in [
            ("<w:d><w:p>one</w:p><w:p>tw", "<w:d><w:p>one</w:p></w:d>"),
            ("<t><x:row><c><p>1</p></c></x:row><x:row><c><p>2</p></c><c", "<t><x:row><c><p>1</p></c></x:row></t>"),
            ("<a><b/><c d='", "<a><b/></a>"),
            ("<a><b>", "<a><b></b></a>"),
            ("<a><p/>x</a>", "<a><p/>x</a>"),
            ("", ""),
            ("<?xml version='1.0'?><a b='", ""),
        ] {
            assert_eq!(text(cut), whole, "{cut}");
        }
    }
}
