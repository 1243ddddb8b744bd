//! Servers that speak an API nearly: what they say that they do not know of a request is said another way, each thing
//! once.

use serde_json::{Map, Value};

use super::protocol::Request;

/// The two names of the limit of an answer.
const LIMITS: [&str; 2] = ["max_tokens", "max_completion_tokens"];
/// What asks for the tokens at the end of a stream.
const USAGE: &str = "stream_options";
/// Words of a server that does not know a field.
const UNKNOWN: &[&str] =
    &["nsupported", "not supported", "nrecognized", "nknown", "instead", "not permitted", "nexpected"];
/// Words of a server to which a figure is too large.
const TOO_LARGE: &[&str] = &["large", "maximum", "at most", "range", "less than or equal", "exceed", "must be"];
/// The smallest limit that is taken for one.
const LEAST: u64 = 16;

/// What is said another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// The limit, by its other name.
    Name,
    /// No tokens are asked for.
    NoUsage,
    /// The limit that the server names.
    Limit,
}

/// Changes a body where that may help; `None` where it would not.
type Make = fn(&mut Map<String, Value>, &str) -> Option<()>;

impl Request {
    /// The same as a server may understand it that says `why` it does not; `made`: what was changed before.
    pub(super) fn adapted(&self, why: &str, made: &mut Vec<Change>) -> Option<Request> {
        let body: Map<String, Value> = serde_json::from_str(&self.body).ok()?;
        let changes: [(Change, Make); 3] =
            [(Change::NoUsage, without_usage), (Change::Name, with_other_name), (Change::Limit, with_named_limit)];
        for (change, make) in changes {
            let mut other = body.clone();
            if !made.contains(&change) && make(&mut other, why).is_some() {
                made.push(change);
                return Some(Request { body: Value::Object(other).to_string(), ..self.clone() });
            }
        }
        None
    }
}

fn without_usage(body: &mut Map<String, Value>, why: &str) -> Option<()> {
    why.contains(USAGE).then(|| body.remove(USAGE))?.map(drop)
}

fn with_other_name(body: &mut Map<String, Value>, why: &str) -> Option<()> {
    let at = LIMITS.iter().position(|name| body.contains_key(*name))?;
    let (own, other) = (LIMITS[at], LIMITS[1 - at]);
    if !why.contains(own) || !UNKNOWN.iter().any(|word| why.contains(word)) {
        return None;
    }
    let limit = body.remove(own)?;
    body.insert(other.to_owned(), limit);
    Some(())
}

/// The largest figure that a server names and that is smaller than what it was asked for.
fn with_named_limit(body: &mut Map<String, Value>, why: &str) -> Option<()> {
    let own = LIMITS.into_iter().find(|name| body.contains_key(*name))?;
    let asked = body.get(own)?.as_u64()?;
    let speaks_of_it = LIMITS.iter().any(|name| why.contains(name));
    if !speaks_of_it || !(why.contains('>') || TOO_LARGE.iter().any(|word| why.contains(word))) {
        return None;
    }
    let figures = figures(why);
    // "44200 > 8192 - 5000": a window, of which the question has its part.
    let left = |pair: &[(u64, &str)]| match pair {
        [(window, " - "), (given, _)] => window.checked_sub(*given),
        _ => None,
    };
    let fits = |limit: &u64| (LEAST..asked).contains(limit);
    let beside = figures.windows(2).filter_map(left).find(fits);
    let limit = beside.or_else(|| figures.iter().map(|(figure, _)| *figure).filter(fits).max())?;
    body.insert(own.to_owned(), limit.into());
    Some(())
}

/// The whole numbers of a text, each with what stands between it and the next.
fn figures(text: &str) -> Vec<(u64, &str)> {
    let is_grouped = |at: usize| {
        let bytes = text.as_bytes();
        bytes[at] == b','
            && at > 0
            && bytes[at - 1].is_ascii_digit()
            && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
    };
    let belongs = |at: usize| text.as_bytes().get(at).is_some_and(|byte| byte.is_ascii_digit() || is_grouped(at));
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for at in (0..text.len()).filter(|at| belongs(*at)) {
        match ranges.last_mut() {
            Some((_, end)) if *end == at => *end = at + 1,
            _ => ranges.push((at, at + 1)),
        }
    }
    let next = ranges.iter().skip(1).map(|(from, _)| *from).chain([text.len()]);
    let figure = |((from, to), next): (&(usize, usize), usize)| {
        let digits: String = text.get(*from..*to)?.chars().filter(char::is_ascii_digit).collect();
        Some((digits.parse().ok()?, text.get(*to..next)?))
    };
    ranges.iter().zip(next).filter_map(figure).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapted(body: Value, why: &str) -> Option<Value> {
        let request = Request { url: String::new(), body: body.to_string(), most: 44_200 };
        let adapted = request.adapted(why, &mut Vec::new())?;
        serde_json::from_str(&adapted.body).ok()
    }

    #[test]
    fn the_largest_limit_that_a_server_names_is_taken() {
        for (why, limit) in [
            (
                "max_tokens is too large: 44200. This model supports at most 16384 completion tokens, you gave 44200",
                16_384,
            ),
            (
                "max_tokens: 44200 > 8192, which is the maximum allowed number of output tokens for claude-3-5-sonnet-20240620",
                8_192,
            ),
            ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 8_192),
            ("max_tokens is too large: 44200. gpt-4o-2024-08-06 supports at most 16384", 16_384),
            ("`max_tokens` must be less than or equal to `32,768`", 32_768),
            (
                "max_tokens is too large: 44200. The maximum context length is 8192 tokens and your request has 5000 (44200 > 8192 - 5000).",
                3_192,
            ),
        ] {
            assert_eq!(
                adapted(serde_json::json!({"max_tokens": 44_200}), why),
                Some(serde_json::json!({"max_tokens": limit}))
            );
        }
        for why in [
            "max_tokens is too large: 44200",
            "the text has 9000 tokens, at most 8192 are allowed",
            "max_tokens: wrong type 17",
        ] {
            assert_eq!(adapted(serde_json::json!({"max_tokens": 44_200}), why), None, "{why}");
        }
    }

    #[test]
    fn each_thing_is_changed_once() {
        let body = serde_json::json!({"max_tokens": 100, "stream_options": {"include_usage": true}});
        let request = Request { url: String::new(), body: body.to_string(), most: 100 };
        let mut made = Vec::new();
        let without = request.adapted("Unknown parameter: stream_options", &mut made).unwrap();
        assert_eq!(without.body, "{\"max_tokens\":100}");
        let smaller = without.adapted("max_tokens must be at most 50", &mut made).unwrap();
        assert_eq!(smaller.body, "{\"max_tokens\":50}");
        assert_eq!(smaller.adapted("max_tokens must be at most 20", &mut made), None);
        assert_eq!(made, [Change::NoUsage, Change::Limit]);
    }
}
