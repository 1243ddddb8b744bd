//! Server-sent events out of bytes as they come in.

/// A line of a stream is no longer.
const LINE_MAX: usize = 4 << 20;

/// The stream is none, or a part of it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {event} of the stream: {why}")]
pub struct Malformed {
    /// Which event, from 1.
    pub event: usize,
    /// What is the matter.
    pub why: String,
}

/// Reads events. Fields other than `data` say nothing that the data do not.
#[derive(Debug, Default)]
pub struct Events {
    line: Vec<u8>,
    data: Vec<u8>,
    any: bool,
    /// Whether the last byte was a carriage return: a line feed after it ends no other line.
    returned: bool,
    number: usize,
}

impl Events {
    /// Takes bytes, and hands over the data of each event that they complete, with its number from 1.
    ///
    /// # Errors
    /// What `take` says, and lines without end.
    pub fn feed<E: From<Malformed>>(
        &mut self,
        bytes: &[u8],
        take: &mut impl FnMut(usize, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        for byte in bytes {
            let after_return = std::mem::replace(&mut self.returned, *byte == b'\r');
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => self.end_line(take)?,
                _ if self.line.len() + self.data.len() >= LINE_MAX => {
                    return Err(Malformed { event: self.number + 1, why: "it has no end".to_owned() }.into());
                }
                _ => self.line.push(*byte),
            }
        }
        Ok(())
    }

    fn end_line<E>(&mut self, take: &mut impl FnMut(usize, &[u8]) -> Result<(), E>) -> Result<(), E> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            if std::mem::take(&mut self.any) {
                self.number += 1;
                take(self.number, &data)?;
            }
        } else if let Some(data) = line.strip_prefix(b"data:") {
            if self.any {
                self.data.push(b'\n');
            }
            self.any = true;
            self.data.extend_from_slice(data.strip_prefix(b" ").unwrap_or(data));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(pieces: &[&str]) -> Vec<String> {
        let (mut events, mut found) = (Events::default(), Vec::new());
        for piece in pieces {
            events
                .feed(piece.as_bytes(), &mut |_, data| {
                    found.push(String::from_utf8_lossy(data).into_owned());
                    Ok::<(), Malformed>(())
                })
                .unwrap();
        }
        found
    }

    #[test]
    fn events_end_at_empty_lines_however_they_are_cut() {
        let text = ": hello\r\nevent: a\r\ndata: one\r\n\r\ndata:two\ndata: three\n\n\ndata\n\nid: 4\n\ndata: five\n\n";
        let whole = all(&[text]);
        assert_eq!(whole, ["one", "two\nthree", "five"]);
        let bytes: Vec<String> = text.chars().map(String::from).collect();
        assert_eq!(all(&bytes.iter().map(String::as_str).collect::<Vec<_>>()), whole);
        assert!(all(&["data: never ended\n"]).is_empty());
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut events = Events::default();
        let piece = vec![b'x'; 1 << 20];
        let fed = (0..6).try_for_each(|_| events.feed(&piece, &mut |_, _| Ok::<(), Malformed>(())));
        assert_eq!(fed.unwrap_err().to_string(), "event 1 of the stream: it has no end");
    }
}
