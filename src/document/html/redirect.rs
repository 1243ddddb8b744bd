//! Links that lead through a search engine's counter, led to where they end.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};

use crate::content::hex_byte;

/// Hosts, paths and parameters of such links: `www.` and countries' endings may stand around the host.
const REDIRECTS: &[(&str, &str, &[&str])] =
    &[("bing.", "/ck/a", &["u"]), ("google.", "/url", &["q", "url"]), ("duckduckgo.", "/l/", &["uddg"])];

/// Base64 for addresses, with or without padding.
const ENCODED: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Where a link ends.
pub fn resolved(target: &str) -> Cow<'_, str> {
    end_of(target).map_or(Cow::Borrowed(target), Cow::Owned)
}

fn end_of(target: &str) -> Option<String> {
    let (scheme, rest) = target.split_once("//").filter(|(scheme, _)| matches!(*scheme, "" | "http:" | "https:"))?;
    let (site, rest) = rest.split_once('/')?;
    let host = site.strip_prefix("www.").unwrap_or(site);
    let (path, query) = rest.split_once('?')?;
    let path = format!("/{path}");
    let (_, _, names) = REDIRECTS.iter().find(|(known, at, _)| host.starts_with(known) && path == *at)?;
    let named =
        |part: &str| part.split_once('=').filter(|(name, _)| names.contains(name)).map(|(_, value)| value.to_owned());
    let value = percent_decoded(&query.split('&').find_map(named)?);
    // Bing writes a kind of two characters, then the address in base64.
    let encoded = || String::from_utf8(ENCODED.decode(value.get(2..)?).ok()?).ok();
    // One on the same site begins with its path.
    let ended = |text: String| match text.strip_prefix("//") {
        _ if text.starts_with("http://") || text.starts_with("https://") => Some(text),
        Some(elsewhere) => Some(format!("{scheme}//{elsewhere}")),
        None if text.starts_with('/') => Some(format!("{scheme}//{site}{text}")),
        None => None,
    };
    ended(value.clone()).or_else(|| ended(encoded()?))
}

/// `%20` and the like undone.
#[must_use]
pub fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        match hex_byte(after) {
            Some(code) if byte == b'%' => {
                bytes.push(code);
                rest = &after[2..];
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percent_sign_without_two_digits_stays() {
        assert_eq!(percent_decoded("a%20b%2fc%+5 %-1 %4 %"), "a b/c%+5 %-1 %4 %");
    }

    #[test]
    fn counters_of_search_engines_are_passed_by() {
        let bing = "https://www.bing.com/ck/a?!&&p=abc&u=a1aHR0cHM6Ly9lbi53aWtpcGVkaWEub3JnL3dpa2kvTWljcm9zb2Z0&ntb=1";
        assert_eq!(resolved(bing), "https://en.wikipedia.org/wiki/Microsoft");
        assert_eq!(
            resolved("https://www.google.com/url?sa=t&url=https%3A%2F%2Fa.example%2Fb&x=1"),
            "https://a.example/b"
        );
        let within = |path: &str| format!("https://www.bing.com/ck/a?!&&p=x&u=a1{path}&ntb=1");
        assert_eq!(
            resolved(&within("L3NlYXJjaD9xPUJpbGwlMjBHYXRlcyZmb3JtPVdJS0lSRQ")),
            "https://www.bing.com/search?q=Bill%20Gates&form=WIKIRE"
        );
        assert_eq!(resolved(&within("Ly9hLmV4YW1wbGUvYg")), "https://a.example/b");
        assert_eq!(resolved("//www.google.com/url?q=/maps"), "//www.google.com/maps");
        assert_eq!(resolved("//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F"), "https://a.example/");
        for other in
            ["https://www.bing.com/ck/a?u=a1%%%", "https://a.example/ck/a?u=a1aHR0cHM6Ly8", "/url?q=x", "", "//"]
        {
            assert_eq!(resolved(other), other);
        }
    }
}
