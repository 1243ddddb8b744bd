//! What of a key or an address is secret, in the forms in which a server may send it back.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

use crate::document::percent_decoded;

/// Characters of a secret in an address that is looked for in answers.
pub(super) const SECRET: usize = 6;

/// The forms of a key in which it may come back, where they are long enough to be told from words.
pub(super) fn forms_of_key(key: &str) -> Vec<String> {
    forms(key).into_iter().filter(|form| form.len() >= SECRET).collect()
}

/// A secret as it was written, as it is meant, and as it is sent: in an address, or as the header of a user and
/// password.
pub(super) fn forms(secret: &str) -> Vec<String> {
    let meant = percent_decoded(secret);
    let mut forms = vec![secret.to_owned(), meant.clone()];
    let encoded = |upper: bool| {
        let sign = |byte: u8| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
            byte if upper => format!("%{byte:02X}"),
            byte => format!("%{byte:02x}"),
        };
        meant.bytes().map(sign).collect::<String>()
    };
    forms.extend([encoded(true), encoded(false)]);
    for said in [secret, &meant, &format!("{meant}:")] {
        for engine in [&STANDARD, &URL_SAFE] {
            forms.push(engine.encode(said).trim_end_matches('=').to_owned());
        }
    }
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// The byte ranges of an address that may be secret: what stands before its host, and the values of its query.
pub(super) fn secrets(url: &str) -> Vec<(usize, usize)> {
    let start = url.find("://").map_or(0, |at| at + 3);
    let (address, query) = url.split_at(url.find(['?', '#']).unwrap_or(url.len()));
    let end = address.get(start..).and_then(|rest| rest.find('/')).map_or(address.len(), |at| start + at);
    let mut found: Vec<(usize, usize)> =
        address.get(start..end).and_then(|host| host.rfind('@')).map(|at| (start, start + at)).into_iter().collect();
    let mut at = address.len();
    for part in query.split_inclusive(['?', '&', '#']) {
        let value = part.trim_end_matches(['?', '&', '#']);
        let from = value.find('=').map_or(0, |equals| equals + 1);
        if from < value.len() {
            found.push((at + from, at + value.len()));
        }
        at += part.len();
    }
    found
}

/// An address as it may be shown: without user and password, and without the values of its query.
#[must_use]
pub fn shown_address(url: &str) -> String {
    let (mut shown, mut from) = (String::new(), 0);
    for (start, end) in secrets(url) {
        shown.push_str(url.get(from..start).unwrap_or_default());
        shown.push('\u{2026}');
        from = end;
    }
    shown.push_str(url.get(from..).unwrap_or_default());
    shown
}
