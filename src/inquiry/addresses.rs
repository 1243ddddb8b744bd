//! Addresses, dates and hashes in a text: terms that no word or number by itself is.

use std::sync::LazyLock;

use regex::Regex;

/// Bytes of one at most.
const LONGEST: usize = 200;
/// Hosts and senders that any session has.
const USUAL: &[&str] =
    &["127.0.0.1", "0.0.0.0", "255.255.255", "localhost", "example.com", "example.org", "noreply", "git@"];

/// The addresses of pages, machines and people, the dates and the hashes of a line.
pub(super) fn addresses(line: &str) -> impl Iterator<Item = &str> {
    static ADDRESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r#"(https?://[^\s"'`<>()\[\]{}|\\]+)|([A-Za-z0-9][A-Za-z0-9._+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)|"#,
            r"((?:[0-9]{1,3}\.){3}[0-9]{1,3})|((?:19|20)[0-9]{2}-[01][0-9]-[0-3][0-9])|([0-9a-f]{7,64})",
        ))
        .ok()
    });
    let all = ADDRESS.as_ref().into_iter().flat_map(|address| address.captures_iter(line));
    all.filter_map(|found| {
        let (kind, whole) = (1..=5).find_map(|kind| Some((kind, found.get(kind)?)))?;
        let text = whole.as_str().trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_', '-']);
        let (before, behind) = (line.get(..whole.start())?, line.get(whole.start() + text.len()..)?);
        let joins = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '-' | '/' | '@' | '.');
        let mut next = behind.chars();
        let goes_on = match next.next() {
            Some('.') => next.next().is_some_and(char::is_alphanumeric),
            sign => sign.is_some_and(joins),
        };
        let is_alone = kind == 1 || !goes_on && !before.ends_with(joins);
        let is_one = match kind {
            // A host alone is anybody's.
            1 => text.split_once("://").is_some_and(|(_, rest)| rest.trim_end_matches('/').contains('/')),
            3 => text.split('.').all(|part| part.parse::<u8>().is_ok()),
            // The time of a line in a log is none.
            4 => !behind.trim_start().starts_with(|sign: char| sign.is_ascii_digit()),
            5 => is_hash(text),
            _ => true,
        };
        (is_alone && is_one && text.len() <= LONGEST && !USUAL.iter().any(|usual| text.contains(usual))).then_some(text)
    })
}

/// Whether hexadecimal digits are those of a hash, and no number or word: both kinds stand among them, mixed.
fn is_hash(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let turns = text.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count();
    digits >= 2 && text.len() - digits >= 2 && turns >= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_dates_and_hashes_are_told_and_parts_of_others_are_not() {
        let found = |line: &'static str| addresses(line).collect::<Vec<_>>();
        assert_eq!(
            found(
                "see https://wiki.acme.io/runbook/42, or bob@acme.io at 10.20.30.40:443; build 7f3a9c2e of 2025-11-03."
            ),
            ["https://wiki.acme.io/runbook/42", "bob@acme.io", "10.20.30.40", "7f3a9c2e", "2025-11-03"]
        );
        for other in [
            "https://acme.io and http://localhost:80/a",
            "version 1.2.3.4.5, 300.1.1.1 on 127.0.0.1",
            "2025-11-03T10:00:00 and 2025-11-03 10:00 began",
            "defaced 1234567 12345678ab feedbee1 a_7f3a9c2e",
            "noreply@acme.io git@github.com",
        ] {
            assert_eq!(found(other), Vec::<&str>::new(), "{other}");
        }
    }
}
