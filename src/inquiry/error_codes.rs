//! Codes of errors: of compilers, systems and databases, statuses of HTTP, and of programs that end badly.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::candidates::FactKind;
use super::number::in_one_form;

/// Codes of one text that are looked at.
const CODES: usize = 1_000;
/// Bytes before a code in which it is told to be one.
const BEFORE: usize = 24;

/// Names of errors of a system, sorted.
const SYSTEM: &[&str] = &[
    "EACCES",
    "EADDRINUSE",
    "EADDRNOTAVAIL",
    "EAGAIN",
    "EAI_AGAIN",
    "EBADF",
    "EBUSY",
    "ECONNABORTED",
    "ECONNREFUSED",
    "ECONNRESET",
    "EDEADLK",
    "EDQUOT",
    "EEXIST",
    "EFAULT",
    "EFBIG",
    "EHOSTDOWN",
    "EHOSTUNREACH",
    "EILSEQ",
    "EINTR",
    "EINVAL",
    "EISCONN",
    "EISDIR",
    "ELOOP",
    "EMFILE",
    "EMLINK",
    "EMSGSIZE",
    "ENAMETOOLONG",
    "ENETDOWN",
    "ENETUNREACH",
    "ENFILE",
    "ENOBUFS",
    "ENODEV",
    "ENOENT",
    "ENOEXEC",
    "ENOLCK",
    "ENOMEM",
    "ENOSPC",
    "ENOSYS",
    "ENOTCONN",
    "ENOTDIR",
    "ENOTEMPTY",
    "ENOTFOUND",
    "ENOTSOCK",
    "ENOTSUP",
    "ENXIO",
    "EOVERFLOW",
    "EPERM",
    "EPIPE",
    "EPROTO",
    "ERANGE",
    "ERESOLVE",
    "EROFS",
    "ESRCH",
    "ESTALE",
    "ETIMEDOUT",
    "ETXTBSY",
    "EXDEV",
];
/// Words behind which a code is one.
const TELLING: &[&str] =
    &["err", "errno", "error", "errors", "exception", "failed", "fatal", "hresult", "sqlstate", "sqlcode"];
/// Statuses of HTTP that tell of an error, with their words in small letters.
const STATUSES: &[(&str, &str)] = &[
    ("400", "bad request"),
    ("401", "unauthorized"),
    ("402", "payment required"),
    ("403", "forbidden"),
    ("404", "not found"),
    ("405", "method not allowed"),
    ("406", "not acceptable"),
    ("408", "request timeout"),
    ("409", "conflict"),
    ("410", "gone"),
    ("412", "precondition failed"),
    ("413", "payload too large"),
    ("413", "content too large"),
    ("415", "unsupported media type"),
    ("422", "unprocessable entity"),
    ("422", "unprocessable content"),
    ("429", "too many requests"),
    ("500", "internal server error"),
    ("501", "not implemented"),
    ("502", "bad gateway"),
    ("503", "service unavailable"),
    ("504", "gateway timeout"),
];

/// Messages of systems, databases and networks that are known by their words.
const MESSAGES: &str = concat!(
    "access denied|address already in use|authentication failed|broken pipe|certificate has expired|connection refused|",
    "connection reset(?: by peer)?|connection timed out|deadlock detected|disk quota exceeded|host is unreachable|",
    "name or service not known|network is unreachable|no route to host|no space left on device|out of memory|",
    "read-only file system|segmentation fault|stack overflow|too many open files",
);

/// The codes of errors in a text, as they stand, and whether the text tells of each that it is one: `error[E0597]`. A
/// name like it, `E0597`, may be any other.
pub(super) fn codes(text: &str) -> Vec<(bool, &str)> {
    static CODE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let name = r"0x[0-9A-Fa-f]{8}|[A-Z]{1,6}-?[0-9]{3,6}|[0-9][0-9A-Z]{3}[0-9]|E[A-Z]+(?:_[A-Z]+)?";
        let status = r"[45][0-9]{2}:? [A-Za-z]{3,13}(?: [A-Za-z]{2,13}){0,2}";
        let ended = concat!(
            r"[Ee]xit(?:ed|s)?(?: with)?(?: (?:a )?non-zero)?(?: exit)? (?:code|status)(?: of|:)? [0-9]{1,3}|",
            r"[Rr]eturn(?:ed)? code(?: of|:)? [0-9]{1,3}|",
            // As programs write it.
            r#"(?:[Ee]xit_?(?:[Cc]ode|[Ss]tatus)|[Rr]eturn_?[Cc]ode|rc)"? ?[:=] ?[0-9]{1,3}"#,
        );
        // Without the words of the status.
        let bare = concat!(
            r"(?:HTTP(?:/[0-9.]{1,3})?(?: (?:status|error|code)){0,2}|[Ss]tatus(?: code)?|[Ee]rror):? [45][0-9]{2}|",
            r#"[Ss]tatus(?:_?[Cc]ode)?"? ?[:=] ?[45][0-9]{2}"#,
        );
        Regex::new(&format!(r"\b(?:({name})|({status})|({ended})|({bare})|((?i:{MESSAGES})))\b")).ok()
    });
    let all =
        CODE.as_ref().into_iter().flat_map(|code| code.captures_iter(text)).filter_map(|found| code_of(text, &found));
    all.take(CODES).collect()
}

/// What a code is in whatever words it is told: that a program ended with it, or the status of an answer; `None` of what
/// has one wording.
pub(super) fn in_one_wording(code: &str) -> Option<String> {
    let digits = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let mut numbers = code.split([' ', ':', '=']).filter(|word| !word.is_empty() && digits(word));
    let number = numbers.next().filter(|_| numbers.next().is_none())?;
    let lower = code.to_lowercase();
    let is_status = STATUSES.iter().any(|(status, _)| *status == number);
    match lower.split([' ', ':', '/', '=', '_', '"']).next()? {
        "exit" | "exited" | "exits" | "exitcode" | "exitstatus" | "rc" | "return" | "returned" | "returncode" => {
            Some(format!("exit code {number}"))
        }
        "http" | "status" | "statuscode" | "error" if is_status => Some(format!("http {number}")),
        first if is_status && first == number => Some(format!("http {number}")),
        _ => None,
    }
}

/// By what a term is known: a number is one however it is written, an error in whatever words and letters it is told.
pub(super) fn key_of(kind: FactKind, term: &str) -> Cow<'_, str> {
    let one = match kind {
        FactKind::Number => in_one_form(term),
        FactKind::Error if term.contains(' ') => Some(in_one_wording(term).unwrap_or_else(|| term.to_lowercase())),
        _ => None,
    };
    one.map_or(Cow::Borrowed(term), Cow::Owned)
}

/// A pattern that finds a code in each of some wordings.
pub(super) fn pattern_of<'w>(wordings: impl Iterator<Item = &'w str>) -> String {
    let all: Vec<String> = wordings.map(regex::escape).collect();
    format!(r"re:(?i)\b(?:{})\b", all.join("|"))
}

fn code_of<'t>(text: &'t str, found: &Captures<'t>) -> Option<(bool, &'t str)> {
    if let Some(bare) = found.get(4) {
        let number = bare.as_str().get(bare.len() - 3..)?;
        STATUSES.iter().find(|(status, _)| *status == number)?;
        let all = text.get(bare.end() - 3..)?;
        let says = |words: &str| all.get(4..4 + words.len()).is_some_and(|own| own.eq_ignore_ascii_case(words));
        let whole = STATUSES.iter().find(|(status, words)| *status == number && says(words));
        return Some((true, whole.map_or(bare.as_str(), |(_, words)| &all[..4 + words.len()])));
    }
    if let Some(message) = found.get(5) {
        // In brackets it only says what the code before it means.
        let is_meaning = text.get(..message.start())?.ends_with('(');
        return (!is_meaning).then_some((true, message.as_str()));
    }
    if let Some(status) = found.get(2) {
        let (number, words) = status.as_str().split_once(' ')?;
        let (number, words) = (number.trim_end_matches(':'), words.to_lowercase());
        // So somebody speaks of one that was told of elsewhere; or counts errors.
        let errors = words.split(' ').next().filter(|word| matches!(*word, "error" | "errors"));
        if let Some(errors) = errors.filter(|_| STATUSES.iter().any(|(status, _)| *status == number)) {
            return Some((false, status.as_str().get(..status.as_str().len() - words.len() + errors.len())?));
        }
        let known = STATUSES.iter().find(|(status, says)| {
            let rest = words.strip_prefix(says);
            number == *status && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        })?;
        let size = status.as_str().len() - words.len() + known.1.len();
        return Some((true, status.as_str().get(..size)?));
    }
    if let Some(ended) = found.get(3) {
        // What ends with 1 says no more than that it failed.
        let number: u16 = ended.as_str().rsplit([' ', ':', '=']).next()?.parse().ok()?;
        return ((2..=255).contains(&number)).then_some((true, ended.as_str()));
    }
    let name = found.get(1)?;
    let (before, behind) = (text.get(..name.start())?, text.get(name.end()..)?);
    let joins = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '-' | '/' | '.' | '\\' | '#' | '$' | '%');
    let goes_on =
        behind.starts_with(['_', '-', '/']) || behind.starts_with('.') && !behind.starts_with(". ") && behind.len() > 1;
    if before.ends_with(joins) || goes_on {
        return None;
    }
    let word = name.as_str();
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    if digits == 0 {
        let is_system = SYSTEM.binary_search(&word).is_ok();
        return is_system.then(|| (is_told(before) || behind.starts_with(':') || before.ends_with("connect "), word));
    }
    // Plain digits are numbers.
    (digits < word.len()).then(|| (is_told(before), word))
}

/// Whether what stands before a code says that it is one: `error[`, `"code": "`, `SQLSTATE `.
fn is_told(before: &str) -> bool {
    let near = before.get(before.ceil_char_boundary(before.len().saturating_sub(BEFORE))..).unwrap_or_default();
    let bare = near.trim_end_matches([' ', '[', '(', ':', '=', '#', '"', '\'', '`', '\\']);
    let signs = near.get(bare.len()..).unwrap_or_default();
    // What is compared is asked for: `code === 'ENOENT'`.
    if signs.is_empty() || signs.contains("==") || signs.len() > 5 {
        return false;
    }
    let word = |text: &str| {
        let size = text.bytes().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
        text.get(text.len() - size..).unwrap_or_default().to_ascii_lowercase()
    };
    let last = word(bare);
    // "error code E1234", `"code": "ECONNREFUSED"`
    // "npm ERR! code ERESOLVE"
    let told = || word(bare[..bare.len() - 4].trim_end().trim_end_matches('!'));
    let coded = last == "code" && (signs.contains(['"', '\'']) || TELLING.contains(&told().as_str()));
    coded || TELLING.contains(&last.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_errors_are_found_where_a_text_tells_of_them() {
        for (text, found) in [
            ("error[E0597]: `x` does not live long enough", "E0597"),
            ("src/a.ts(3,5): error TS2345: Argument of type", "TS2345"),
            ("connect ECONNREFUSED 127.0.0.1:5432", "ECONNREFUSED"),
            ("ENOENT: no such file or directory", "ENOENT"),
            (r#"{"code":"ETIMEDOUT"}"#, "ETIMEDOUT"),
            ("ERROR: relation does not exist (SQLSTATE 42P01)", "42P01"),
            ("SQLSTATE[42S02]: Base table not found", "42S02"),
            ("error code: CS0103", "CS0103"),
            ("fatal error C1083: Cannot open include file", "C1083"),
            ("it says 404 Not Found here", "404 Not Found"),
            ("HTTP/1.1 503 Service Unavailable", "503 Service Unavailable"),
            ("429: Too Many Requests for it", "429: Too Many Requests"),
            ("npm ERR! code ERESOLVE", "ERESOLVE"),
            ("The operation failed: 0x80070005 (access denied)", "0x80070005"),
            ("the proxy said HTTP 503 at night", "HTTP 503"),
            ("HTTP 503 Service Unavailable", "503 Service Unavailable"),
            ("the job ended with exit code 137 at night", "exit code 137"),
            ("exited with code 139", "exited with code 139"),
            ("the request ended with status 503", "status 503"),
            ("Status code: 404 for it", "Status code: 404"),
            ("HTTP/1.1 502", "HTTP/1.1 502"),
            ("job done, exit_code=139", "exit_code=139"),
            (r#"{"exitCode": 137, "x": 2}"#, r#"exitCode": 137"#),
            ("make: rc=139", "rc=139"),
            ("return code 134 of it", "return code 134"),
            ("{ statusCode=503 }", "statusCode=503"),
            (r#"{"status":502}"#, r#"status":502"#),
            ("error 503 at night", "error 503"),
            ("upstream: connect: Connection refused", "Connection refused"),
            ("Access denied for user root", "Access denied"),
        ] {
            assert_eq!(codes(text), [(true, found)], "{text}");
        }
        assert_eq!(codes("503 errors again"), [(false, "503 errors")]);
        assert_eq!(codes("I mended E0597 and then ENOENT."), [(false, "E0597"), (false, "ENOENT")]);
    }

    #[test]
    fn a_code_is_one_in_whatever_words_it_is_told() {
        for (all, one) in [
            (
                &["exited with code 139", "exit code 139", "Exit status 139", "exits with exit code: 139"][..],
                "exit code 139",
            ),
            (
                &["HTTP 503", "503 Service Unavailable", "status 503", "HTTP/1.1 503", "503: Service Unavailable"],
                "http 503",
            ),
            (&["503 errors", "HTTP status code 503", "statusCode=503", "status_code: 503", "error 503"], "http 503"),
            (&["exit_code=139", "exitCode\": 139", "rc=139", "return code 139", "returncode: 139"], "exit code 139"),
        ] {
            for code in all {
                assert_eq!(in_one_wording(code).as_deref(), Some(one), "{code}");
            }
        }
        for other in ["E0597", "ENOENT", "0x80070005", "42P01"] {
            assert_eq!(in_one_wording(other), None, "{other}");
        }
        let pattern = pattern_of(["exit code 139", "exited with code 139"].into_iter());
        assert_eq!(pattern, r"re:(?i)\b(?:exit code 139|exited with code 139)\b");
    }

    #[test]
    fn what_only_looks_like_a_code_is_none() {
        for text in [
            "exit code 1",
            "exit status 0",
            "the ERROR and EXAMPLE of EVERY user",
            "404 files not found",
            "500 internal links",
            "error-E1234-x and a/E0597 and E0597.rs",
            "error: 12345",
            "HTTP 599 and HTTPS 443",
            "status 451 of the ticket",
            "exit status 404",
            "450 errors",
            "colour #E0597A",
            "rc=0 and src=139 and error 12345",
            "error 599",
        ] {
            assert_eq!(codes(text), [], "{text}");
        }
        for text in ["if (err.code === 'ENOENT')", "RTX3090 card", "A4 paper E2024", "code E1234 of the room"] {
            assert!(codes(text).iter().all(|(told, _)| !told), "{text}");
        }
        assert!(SYSTEM.is_sorted());
    }
}
