//! One page that the user names, fetched within limits of size and time, and never from a private address unless that
//! is allowed: what a page redirects to is held to the same.

use std::borrow::Cow;
use std::fmt;
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use encoding_rs::Encoding;
use ureq::Agent;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};

use crate::content::Watch;
use crate::document::by_extension;

use super::redirect::followed;

/// Bytes of a page.
pub const PAGE_BYTES_MAX: u64 = 32 << 20;
/// How long it may take in all.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often the wish to stop is looked at.
const GLANCE: Duration = Duration::from_millis(50);
/// A page that was fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its address, as it was named.
    pub url: String,
    /// A file name whose ending tells its format as far as the server does. Untrusted.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Why a page could not be had.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// It is no address of a page.
    #[error("{0} is no http or https address")]
    NoAddress(String),
    /// It sends on to what is no page.
    #[error("{url} redirects to {to}, which is no http or https address")]
    Elsewhere {
        /// The address.
        url: String,
        /// What it names.
        to: String,
    },
    /// It leads to the user's own network.
    #[error("{0} leads to a private address; allow_private_urls = true permits that")]
    Private(String),
    /// It is too large.
    #[error("{0} is larger than {1} MB")]
    Large(String, u64),
    /// The user will not wait for it.
    #[error("stopped")]
    Stopped,
    /// Something else.
    #[error("cannot fetch {url}: {why}")]
    Failed {
        /// The address.
        url: String,
        /// What is the matter.
        why: String,
    },
}

/// Fetches a page. The watch is told of its bytes, and ends it.
///
/// # Errors
/// See [`FetchError`].
pub fn fetch(url: &str, allow_private: bool, watch: &Watch) -> Result<Page, FetchError> {
    let (sender, answer) = channel();
    let (address, going) = (url.to_owned(), Arc::new(Watch::default()));
    // A thread of its own, since a read from a silent server cannot be ended from outside; it ends with its time, or with
    // the next bytes that come.
    let theirs = Arc::clone(&going);
    std::thread::spawn(move || {
        // Nobody may be waiting any more.
        let _ = sender.send(fetch_within(&address, allow_private, PAGE_BYTES_MAX, PATIENCE, &theirs));
    });
    watch.expect(0);
    loop {
        match answer.recv_timeout(GLANCE) {
            Ok(page) => return page,
            Err(RecvTimeoutError::Timeout) if watch.is_cancelled() => {
                going.cancel();
                return Err(FetchError::Stopped);
            }
            Err(RecvTimeoutError::Timeout) => {
                let (done, total) = going.progress();
                if total != watch.progress().1 {
                    watch.expect(total);
                }
                watch.reach(done);
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(FetchError::Failed { url: url.to_owned(), why: "it broke off".to_owned() });
            }
        }
    }
}

fn fetch_within(
    url: &str,
    allow_private: bool,
    most: u64,
    patience: Duration,
    watch: &Watch,
) -> Result<Page, FetchError> {
    let wrong = || FetchError::NoAddress(url.to_owned());
    let address: Uri = url.parse().map_err(|_| wrong())?;
    if !matches!(address.scheme_str(), Some("http" | "https")) || address.host().is_none() {
        return Err(wrong());
    }
    let mut config = Agent::config_builder()
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent(concat!("windowpane/", env!("CARGO_PKG_VERSION")));
    if !allow_private {
        // Behind a proxy, nobody here sees which address is asked.
        config = config.proxy(None);
    }
    let resolver = PublicOnly { inner: DefaultResolver::default(), allow_private };
    let agent = Agent::with_parts(config.build(), DefaultConnector::default(), resolver);
    let mut answer = followed(&agent, url, patience)?;
    let kind = answer.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let (name, charset) = (name_of(&address, kind), charset_of(kind));
    let mut bytes = Vec::new();
    watch.expect(answer.body().content_length().unwrap_or(0));
    let mut body = answer.body_mut().as_reader();
    loop {
        let part = (&mut body).take(64 << 10).read_to_end(&mut bytes);
        let part = part.map_err(|why| FetchError::Failed { url: url.to_owned(), why: why.to_string() })?;
        if bytes.len() as u64 > most {
            return Err(FetchError::Large(url.to_owned(), most >> 20));
        }
        watch.reach(bytes.len() as u64);
        match part {
            0 => break,
            _ if watch.is_cancelled() => return Err(FetchError::Stopped),
            _ => {}
        }
    }
    let bytes = charset.map_or_else(|| Cow::Borrowed(bytes.as_slice()), |charset| marked(&bytes, charset)).into_owned();
    Ok(Page { url: url.to_owned(), name, bytes })
}

/// The encoding that a server tells of a text.
fn charset_of(kind: &str) -> Option<&'static Encoding> {
    let (kind, parameters) = kind.split_once(';')?;
    let kind = kind.trim().to_lowercase();
    let is_text = kind.starts_with("text/") || ["html", "xml", "json"].iter().any(|known| kind.ends_with(known));
    let named = parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"'))
    });
    Encoding::for_label(named.filter(|_| is_text)?.as_bytes())
}

/// A text as UTF-8 that says so, by the encoding that its server told, which stands over what the page says of itself.
/// A mark of its own stands over both, and what is proper UTF-8 is that, whatever was told.
fn marked<'a>(bytes: &'a [u8], charset: &'static Encoding) -> Cow<'a, [u8]> {
    let is_utf8 = !bytes.is_ascii() && std::str::from_utf8(bytes).is_ok();
    if is_utf8 || Encoding::for_bom(bytes).is_some() {
        return Cow::Borrowed(bytes);
    }
    let (text, _) = charset.decode_without_bom_handling(bytes);
    Cow::Owned(["\u{FEFF}".as_bytes(), text.as_bytes()].concat())
}

/// Resolves names, and refuses private addresses. What is resolved here is what is connected to, for each redirection
/// anew.
#[derive(Debug)]
struct PublicOnly {
    inner: DefaultResolver,
    allow_private: bool,
}

/// The name resolves to a private address.
#[derive(Debug)]
pub(super) struct IsPrivate;

impl fmt::Display for IsPrivate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a private address")
    }
}

impl std::error::Error for IsPrivate {}

impl Resolver for PublicOnly {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.inner.resolve(uri, config, timeout)?;
        if !self.allow_private && found.iter().any(|address| is_private(address.ip())) {
            return Err(ureq::Error::Io(std::io::Error::other(IsPrivate)));
        }
        Ok(found)
    }
}

/// Whether a host is, by its name alone, this machine or one of the user's own network.
pub(super) fn is_private_host(host: &str) -> bool {
    let named = host == "localhost" || host.ends_with(".localhost");
    named || host.trim_matches(['[', ']']).parse().is_ok_and(is_private)
}

/// Whether an address is not one of the public network.
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => is_private_v6(address),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let shared = first == 100 && (64..128).contains(&second);
    let measuring = first == 198 && (18..20).contains(&second);
    let assigned = (first, second, third) == (192, 0, 0);
    first == 0
        || first >= 224
        || shared
        || measuring
        || assigned
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    let inner = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_private_v4(Ipv4Addr::new(a, b, c, d))
    };
    if let Some(mapped) = address.to_ipv4_mapped() {
        return is_private_v4(mapped);
    }
    match parts {
        // Addresses of version 4 in those of version 6: translated, 6to4, and compatible ones.
        [0x64, 0xff9b, ..] => inner(parts[6], parts[7]),
        [0x2002, high, low, ..] => inner(high, low),
        [0, 0, 0, 0, 0, 0, ..] => true,
        [first, second, ..] => {
            (first & 0xfe00) == 0xfc00
                || (first & 0xffc0) == 0xfe80
                || (first & 0xffc0) == 0xfec0
                || (first & 0xff00) == 0xff00
                || (first == 0x2001 && (second < 0x200 || second == 0xdb8))
        }
    }
}

/// Kinds that servers name, the ending that stands for each, and the formats that a path may tell more exactly.
const KINDS: &[(&str, &str, &[&str])] = &[
    ("text/html", "html", &[]),
    ("application/xhtml+xml", "html", &[]),
    ("application/pdf", "pdf", &[]),
    ("text/markdown", "md", &[]),
    ("text/csv", "csv", &[]),
    ("text/tab-separated-values", "tsv", &[]),
    ("application/json", "json", &["jsonl", "ipynb"]),
    ("application/x-ndjson", "jsonl", &[]),
    ("application/x-ipynb+json", "ipynb", &[]),
    ("application/yaml", "yaml", &[]),
    ("application/xml", "xml", &["html"]),
    ("text/xml", "xml", &["html"]),
    ("application/rss+xml", "xml", &[]),
    ("application/atom+xml", "xml", &[]),
    ("application/epub+zip", "epub", &[]),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx", &[]),
    ("application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx", &[]),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx", &[]),
    ("application/vnd.ms-outlook", "msg", &[]),
    ("application/rtf", "rtf", &[]),
    ("text/rtf", "rtf", &[]),
    ("image/png", "png", &[]),
    ("image/jpeg", "jpg", &[]),
    ("image/gif", "gif", &[]),
    ("image/webp", "webp", &[]),
];

/// A name for the page, with an ending by what the server says it is; the path's own ending where that is the same
/// format or the server says nothing exact.
fn name_of(address: &Uri, kind: &str) -> String {
    let last = address.path().rsplit('/').next().unwrap_or_default();
    let ending = last.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending.to_lowercase());
    let known = ending.and_then(|ending| by_extension(&ending));
    let kind = kind.split(';').next().unwrap_or_default().trim().to_lowercase();
    let said = KINDS.iter().find(|(known, ..)| *known == kind);
    let ending = match (said, known) {
        (Some((_, ending, finer)), Some(known)) => {
            let same = by_extension(ending).is_some_and(|said| said.name == known.name);
            (!same && !finer.contains(&known.name)).then_some(*ending)
        }
        (Some((_, ending, _)), None) => Some(*ending),
        (None, Some(_)) => None,
        // What stands at such an address is a page, unless the server knows better.
        (None, None) if kind.is_empty() => Some("html"),
        (None, None) if kind == "text/plain" => Some("txt"),
        // Its content tells.
        (None, None) => None,
    };
    let stem = if last.is_empty() { address.host().unwrap_or("page") } else { last };
    ending.map_or_else(|| stem.to_owned(), |ending| format!("{stem}.{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::TcpListener;

    #[test]
    fn what_the_server_says_of_a_text_stands_over_what_the_page_says() {
        let page = b"<meta charset=windows-1252><p>\x8B\xE0";
        let told = charset_of("text/html; Charset=\"windows-1251\"").unwrap();
        assert_eq!(*marked(page, told), *"\u{FEFF}<meta charset=windows-1252><p>‹а".as_bytes());
        for own in ["\u{FEFF}a", "ä"] {
            assert_eq!(*marked(own.as_bytes(), told), *own.as_bytes());
        }
        assert!(charset_of("text/html").is_none() && charset_of("application/pdf; charset=utf-8").is_none());
    }

    #[test]
    fn private_addresses_are_known() {
        let private = "127.0.0.1 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 \
            255.255.255.255 192.0.0.8 198.18.0.1 ::1 :: fe80::1 fc00::1 ff02::1 ::ffff:10.0.0.1 64:ff9b::a00:1 \
            2002:a00:1:: 2001:db8::1";
        for address in private.split_whitespace() {
            assert!(is_private(address.parse().unwrap()), "{address}");
        }
        for address in ["1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8"] {
            assert!(!is_private(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn names_tell_the_format() {
        let name = |url: &str, kind: &str| name_of(&url.parse().unwrap(), kind);
        assert_eq!(name("https://a.example/b/paper.pdf?x=1", "application/pdf"), "paper.pdf");
        assert_eq!(name("https://a.example/b/intro", "text/html; charset=utf-8"), "intro.html");
        assert_eq!(name("https://a.example/", ""), "a.example.html");
        assert_eq!(name("https://a.example/blob", "application/x-thing"), "blob");
        // What the server says exactly counts for more than the path.
        for path in ["Node.js", "README.md", "index.php", "a.txt", "data.csv", "foo.json"] {
            let found = name(&format!("https://a.example/wiki/{path}"), "text/html; charset=utf-8");
            assert_eq!(found, format!("{path}.html"));
        }
        // What it says of all text counts for less.
        assert_eq!(name("https://a.example/README.md", "text/plain"), "README.md");
        assert_eq!(name("https://a.example/a.docx", "application/octet-stream"), "a.docx");
        assert_eq!(name("https://a.example/a.ipynb", "application/json"), "a.ipynb");
        assert_eq!(name("https://a.example/a.geojson", "application/json"), "a.geojson");
    }

    /// Answers each connection with these bytes.
    fn serve(answer: String) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten().take(3) {
                let mut stream = stream;
                let _ = stream.read(&mut [0; 1024]);
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        format!("http://{address}/page")
    }

    #[test]
    fn pages_are_fetched_where_that_is_allowed_and_not_without_end() {
        let body = "<h1>One</h1>";
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n", body.len());
        let (url, watch) = (serve(head + body), Watch::default());
        assert!(matches!(fetch(&url, false, &watch), Err(FetchError::Private(_))));
        let page = fetch(&url, true, &watch).unwrap();
        assert_eq!((page.name.as_str(), page.bytes.as_slice()), ("page.html", body.as_bytes()));
        let large = fetch_within(&url, true, 5, PATIENCE, &watch);
        assert!(matches!(large, Err(FetchError::Large(..))), "{large:?}");
        for wrong in ["file:///etc/passwd", "ftp://a.example/", "not an address", "/a"] {
            assert!(matches!(fetch(wrong, true, &watch), Err(FetchError::NoAddress(_))), "{wrong}");
        }
    }

    #[test]
    fn a_page_that_redirects_without_end_is_left() {
        let url = serve("HTTP/1.1 302 Found\r\nLocation: /page\r\nContent-Length: 0\r\n\r\n".to_owned());
        let watch = Watch::default();
        assert!(matches!(fetch(&url, true, &watch), Err(FetchError::Failed { .. })));
    }

    #[test]
    fn a_page_that_redirects_to_what_is_none_is_refused() {
        let watch = Watch::default();
        for to in
            ["file:///etc/hostname", "FILE:///a", "ftp://a.example/a", "data:text/plain,a", "http:///a", "gopher:a"]
        {
            let url = serve(format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n"));
            let refused = fetch(&url, true, &watch).unwrap_err();
            assert_eq!(refused.to_string(), format!("{url} redirects to {to}, which is no http or https address"));
        }
        // One to another page is followed.
        let page = serve("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nyes".to_owned());
        let url = serve(format!("HTTP/1.1 301 Moved\r\nLocation: {page}#part\r\nContent-Length: 0\r\n\r\n"));
        assert_eq!(fetch(&url, true, &watch).unwrap().bytes, b"yes");
    }

    #[test]
    fn a_server_that_says_nothing_is_left_when_nobody_waits() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/page", listener.local_addr().unwrap());
        let watch = Watch::default();
        let (page, lasted) = std::thread::scope(|scope| {
            scope.spawn(|| {
                // It was asked, and is silent.
                let _open = listener.accept();
                watch.cancel();
                std::thread::sleep(Duration::from_secs(3));
            });
            let begun = std::time::Instant::now();
            (fetch(&url, true, &watch), begun.elapsed())
        });
        assert!(matches!(page, Err(FetchError::Stopped)) && lasted < Duration::from_secs(2), "{page:?}, {lasted:?}");
    }
}
