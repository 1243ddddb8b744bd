//! Where a page is that another address leads to: each address on the way is one of a page.

use std::time::{Duration, Instant};

use ureq::http::{Response, Uri};
use ureq::{Agent, Body};

use super::page::{FetchError, IsPrivate};
use crate::content::steers_terminal;

/// Redirections that are followed.
const REDIRECTS: u32 = 5;

/// The answer that an address leads to, over as many redirections as are followed, each to a page, within this time.
pub(super) fn followed(agent: &Agent, url: &str, patience: Duration) -> Result<Response<Body>, FetchError> {
    let begun = Instant::now();
    let failed = |why: ureq::Error| match why {
        ureq::Error::Io(why) if why.get_ref().is_some_and(|inner| inner.is::<IsPrivate>()) => {
            FetchError::Private(url.to_owned())
        }
        why => FetchError::Failed { url: url.to_owned(), why: why.to_string() },
    };
    let mut at = url.to_owned();
    for _ in 0..=REDIRECTS {
        let left = patience.saturating_sub(begun.elapsed());
        let answer = agent.get(&at).config().timeout_global(Some(left)).build().call().map_err(failed)?;
        let to = answer.headers().get("location").filter(|_| answer.status().is_redirection());
        let Some(to) = to.map(|to| String::from_utf8_lossy(to.as_bytes()).into_owned()) else { return Ok(answer) };
        at = joined(&at, &to).ok_or_else(|| FetchError::Elsewhere { url: url.to_owned(), to: printable(&to) })?;
    }
    Err(failed(ureq::Error::TooManyRedirects))
}

/// The address that a page names, which may be told by what differs from its own; `None` where it is of no page.
fn joined(base: &str, to: &str) -> Option<String> {
    let to = to.trim().split('#').next().unwrap_or_default();
    let base: Uri = base.parse().ok()?;
    let (scheme, host) = (base.scheme_str()?, base.authority()?);
    // Signs before a colon name a scheme, where none of a path stand among them.
    let named = to.split_once(':').filter(|(name, _)| !name.is_empty() && !name.contains(['/', '?']));
    if let Some((name, _)) = named {
        let is_page = ["http", "https"].iter().any(|known| name.eq_ignore_ascii_case(known));
        return to.parse::<Uri>().ok().filter(|to| is_page && has_host(to)).map(|_| to.to_owned());
    }
    let folder = base.path().rsplit_once('/').map_or("", |(folder, _)| folder);
    let address = match to {
        "" => base.to_string(),
        _ if to.starts_with("//") => format!("{scheme}:{to}"),
        _ if to.starts_with('/') => format!("{scheme}://{host}{to}"),
        _ if to.starts_with('?') => format!("{scheme}://{host}{}{to}", base.path()),
        _ => {
            let (path, query) = to.find('?').map_or((to, ""), |at| to.split_at(at));
            let mut parts: Vec<&str> = Vec::new();
            let last = path.rsplit('/').next().unwrap_or_default();
            for part in folder.split('/').chain(path.split('/')) {
                match part {
                    "." | "" => {}
                    ".." => drop(parts.pop()),
                    part => parts.push(part),
                }
            }
            let end = if ["", ".", ".."].contains(&last) && !parts.is_empty() { "/" } else { "" };
            format!("{scheme}://{host}/{}{end}{query}", parts.join("/"))
        }
    };
    address.parse::<Uri>().ok().filter(has_host).map(|_| address)
}

/// What a server said, without what a terminal would take for itself.
fn printable(text: &str) -> String {
    text.chars().take(200).map(|sign| if steers_terminal(sign) { '\u{FFFD}' } else { sign }).collect()
}

fn has_host(address: &Uri) -> bool {
    address.host().is_some_and(|host| !host.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_be_told_by_what_differs() {
        let base = "https://a.example:81/b/c/d?e=f";
        for (to, joined_to) in [
            ("http://g.example/h", "http://g.example/h"),
            ("//g.example/h", "https://g.example/h"),
            ("/h?i=http://j", "https://a.example:81/h?i=http://j"),
            ("h", "https://a.example:81/b/c/h"),
            ("../h/", "https://a.example:81/b/h/"),
            ("./../../../h?i", "https://a.example:81/h?i"),
            ("?i=j", "https://a.example:81/b/c/d?i=j"),
            ("..", "https://a.example:81/b/"),
            ("#part", base),
        ] {
            assert_eq!(joined(base, to).as_deref(), Some(joined_to), "{to}");
        }
        assert_eq!(joined("http://a.example", "h").as_deref(), Some("http://a.example/h"));
        for to in ["mailto:a@b.example", "javascript:1", "file:///a", "https://", "//"] {
            assert_eq!(joined(base, to), None, "{to}");
        }
        assert_eq!(printable("a:\u{1B}[2J\u{202E}b"), "a:\u{FFFD}[2J\u{FFFD}b");
    }
}
