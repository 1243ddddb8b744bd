//! From text to the inside of a JSON string: the way back of [`super::decode_json_string`].

use std::fmt::Write;

/// Appends `text` escaped for the inside of a JSON string. What could steer a terminal is escaped too, so that JSON may
/// be printed as it is.
pub fn encode_json_string(text: &str, out: &mut String) {
    let mut clean = 0;
    for (at, sign) in text.char_indices() {
        let short = short_escape(sign);
        if short.is_none() && !steers_terminal(sign) {
            continue;
        }
        out.push_str(&text[clean..at]);
        clean = at + sign.len_utf8();
        match short {
            Some(short) => out.push_str(short),
            None => {
                for unit in sign.encode_utf16(&mut [0; 2]) {
                    // Writing into a string cannot fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push_str(&text[clean..]);
}

/// The escape of two signs that JSON has for a character, where it has to be escaped.
pub(super) fn short_escape(sign: char) -> Option<&'static str> {
    Some(match sign {
        '"' => "\\\"",
        '\\' => "\\\\",
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        '\u{8}' => "\\b",
        '\u{c}' => "\\f",
        _ => return None,
    })
}

/// Whether a character could steer a terminal (control characters), turn the direction of writing, or hide text.
#[must_use]
pub fn steers_terminal(sign: char) -> bool {
    if sign.is_ascii() {
        return sign.is_ascii_control();
    }
    matches!(sign,
        '\u{80}'..='\u{9F}' | '\u{61C}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::decode_json_string;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_escaped_reads_back(text in any::<String>()) {
            let mut escaped = String::new();
            encode_json_string(&text, &mut escaped);
            prop_assert!(!escaped.chars().any(steers_terminal));
            prop_assert_eq!(decode_json_string(escaped.as_bytes()), text.as_str());
            prop_assert_eq!(serde_json::from_str::<String>(&format!("\"{escaped}\"")).unwrap(), text);
        }
    }
}
