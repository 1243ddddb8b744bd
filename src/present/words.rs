//! The first words of a text, for one row of a list.

use crate::content::hex4;

/// The first words of a text on one line: white space is drawn together; of JSON objects (the arguments of a call)
/// only the values show.
#[must_use]
pub fn first_words(text: &str, most: usize) -> String {
    let text = text.trim_start();
    if text.starts_with('{')
        && let Some(values) = values(text, most)
    {
        return values;
    }
    squeeze(text, most)
}

/// At most so many characters, runs of white space as one blank.
fn squeeze(text: &str, most: usize) -> String {
    let mut out = String::new();
    let (mut count, mut blank) = (0, false);
    for sign in text.chars().filter(|sign| *sign != '\u{FFFD}') {
        if sign.is_whitespace() {
            blank = !out.is_empty();
            continue;
        }
        if blank {
            out.push(' ');
            count += 1;
            blank = false;
        }
        if count >= most {
            out.push('…');
            break;
        }
        out.push(sign);
        count += 1;
    }
    out
}

/// The values of a JSON object that may break off anywhere; `None` where it does not read like one.
fn values(text: &str, most: usize) -> Option<String> {
    let (mut found, mut others): (Vec<String>, Vec<String>) = Default::default();
    let mut rest = text.strip_prefix('{')?;
    let mut size = 0;
    while size < most {
        rest = rest.trim_start_matches(|sign: char| sign.is_whitespace() || "{}[],:".contains(sign));
        let quoted = rest.strip_prefix('"');
        let value = if let Some(inner) = quoted {
            let (value, after) = string(inner);
            rest = after;
            // A string before a colon is a key.
            if rest.trim_start().starts_with(':') {
                continue;
            }
            value
        } else {
            let end = rest.find(|sign: char| sign.is_whitespace() || "{}[],:\"".contains(sign)).unwrap_or(rest.len());
            let (value, after) = rest.split_at(end);
            rest = after;
            if !value.is_empty() && !value.starts_with(|sign: char| sign.is_ascii_digit() || "-tfn".contains(sign)) {
                return None;
            }
            value.to_owned()
        };
        let value = squeeze(&value, most);
        if value.is_empty() && rest.is_empty() {
            break;
        }
        if !value.is_empty() {
            size += value.chars().count() + 3;
            if quoted.is_some() { found.push(value) } else { others.push(value) }
        }
    }
    // Numbers and switches come after what says more.
    found.append(&mut others);
    (!found.is_empty()).then(|| found.join(" · "))
}

/// The inside of a JSON string up to its closing quote, and what follows.
fn string(text: &str) -> (String, &str) {
    let mut out = String::new();
    let mut signs = text.char_indices();
    while let Some((at, sign)) = signs.next() {
        match sign {
            '"' => return (out, text.get(at + 1..).unwrap_or_default()),
            '\\' => match signs.next() {
                Some((_, 'n' | 't' | 'r')) => out.push(' '),
                Some((at, 'u')) => {
                    let code = text.as_bytes().get(at + 1..).and_then(hex4);
                    out.push(code.and_then(char::from_u32).unwrap_or('\u{FFFD}'));
                    for _ in 0..4 {
                        signs.next();
                    }
                }
                Some((_, plain)) => out.push(plain),
                None => break,
            },
            plain => out.push(plain),
        }
    }
    (out, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_on_one_line() {
        for (text, expected) in [
            ("", ""),
            ("  one\n\n two\tthree ", "one two three"),
            (r#"{"command":"cargo test","description":"Run \"all\"\ntests"}"#, "cargo test · Run \"all\" tests"),
            (r#"{"all":true,"file_path":"/a/b.rs","offset":100}"#, "/a/b.rs · true · 100"),
            (r#"{"file_path":"/a/b.rs","old_str"#, "/a/b.rs · old_str"),
            (r#"{"edits":[{"a":"x"},{"a":"y"}]}"#, "x · y"),
            ("{}", "{}"),
            ("{ not json }", "{ not json }"),
            (r#"{"a":"\u00e4\ud800"#, "ä"),
            (r#"{"a":"b\u+041c"#, "bc"),
        ] {
            assert_eq!(first_words(text, 60), expected, "{text}");
        }
        assert_eq!(first_words("abcdef", 3), "abc…");
    }
}
