//! A fact as a pattern: bounded, and matched against a text as it stands and with escapes, Unicode forms and line wraps
//! evened out.

use std::iter::successors;

use regex::{Regex, RegexBuilder};
use unicode_normalization::UnicodeNormalization;

use super::fact::{FactError, LAYERS};
use super::normal::{for_patterns, through, unescape};
use super::ways::{Told, apart, each};

/// Other matches that are looked for within one, which may go on behind it.
const WITHIN: usize = 64;
/// Bytes that a compiled pattern may take.
const PATTERN_MAX: usize = 1 << 20;
/// Texts in which a pattern that matches where there is nothing does so.
const NOTHING: &[&str] = &["", "a", "é", "0", " _ ", "\n\n", "a b"];

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// As it was given.
    given: Regex,
    /// The same over evened-out text: its blanks match a line's end too.
    even: Regex,
}

/// Where an expression matches in a text.
type Matching<'a> = dyn Fn(&Regex, &str) -> Vec<(usize, usize)> + 'a;

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// What is the matter with it.
    pub fn of(pattern: &str) -> Result<Pattern, FactError> {
        if pattern.trim().is_empty() {
            return Err(FactError::EmptyPattern);
        }
        let given = compiled(pattern)?;
        let composed: String = pattern.nfc().collect();
        let even = compiled(&wrapping(&composed)).or_else(|_| compiled(&composed))?;
        let empty = |text: &str| given.find_iter(text).any(|found| found.is_empty());
        if NOTHING.iter().any(|text| empty(text)) {
            return Err(FactError::Everywhere);
        }
        Ok(Pattern { given, even })
    }

    /// Every place of it in a text, in order, not overlapping.
    #[must_use]
    pub fn places(&self, text: &str) -> Vec<(u32, u32)> {
        apart(self.told(text, &|pattern, text| matches(pattern, text).collect()))
    }

    /// The same with those that begin in one and end behind it.
    #[must_use]
    pub fn everywhere(&self, text: &str) -> Vec<(u32, u32)> {
        each(self.told(text, &overlapping))
    }

    fn told(&self, text: &str, matches: &Matching) -> Vec<Told> {
        let (mut told, mut way) = (Vec::new(), 0);
        let mut put = |places: Vec<(u32, u32)>| {
            way += 1;
            told.extend(places.into_iter().map(|(from, to)| (from, to, way)));
        };
        let own = matches(&self.given, text).into_iter();
        put(own.filter_map(|(from, to)| Some((u32::try_from(from).ok()?, u32::try_from(to).ok()?))).collect());
        let as_is = for_patterns(text);
        put(matches(&self.even, &as_is.text).into_iter().map(|(from, to)| as_is.origin(from, to)).collect());
        // Undone again and again, each with where it came from in the text itself.
        let deeper = |(once, starts): &(String, Vec<u32>)| {
            let back = |at: u32| starts.get(at as usize).or(starts.last()).copied().unwrap_or(at);
            unescape(once).map(|(twice, from)| (twice, from.into_iter().map(back).collect()))
        };
        for (once, starts) in successors(unescape(text), deeper).take(LAYERS) {
            let even = through(for_patterns(&once), &starts);
            put(matches(&self.even, &even.text).into_iter().map(|(from, to)| even.origin(from, to)).collect());
        }
        told
    }
}

/// Matches, and those that begin within one and end behind it, as far as looking for them takes no longer than the text
/// is long, some times over.
fn overlapping(pattern: &Regex, text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut left = text.len().saturating_mul(8).saturating_add(1 << 16);
    let mut reached = 0;
    for (start, end) in matches(pattern, text) {
        found.push((start, end));
        reached = end.max(reached);
        let mut from = start;
        for _ in 0..WITHIN {
            from += text.get(from..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
            if from >= end || left == 0 {
                break;
            }
            let next = pattern.find_at(text, from);
            left = left.saturating_sub(next.map_or(text.len(), |next| next.end()) - from);
            let Some(next) = next.filter(|next| next.start() < end) else { break };
            from = next.start();
            if next.end() > reached {
                found.push((from, next.end()));
                reached = next.end();
            }
        }
    }
    found
}

fn matches<'a>(pattern: &'a Regex, text: &'a str) -> impl Iterator<Item = (usize, usize)> + 'a {
    pattern.find_iter(text).filter(|found| !found.is_empty()).map(|found| (found.start(), found.end()))
}

fn compiled(pattern: &str) -> Result<Regex, FactError> {
    let built =
        RegexBuilder::new(pattern).size_limit(PATTERN_MAX).dfa_size_limit(8 * PATTERN_MAX).nest_limit(100).build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => FactError::Large,
        other => {
            // The last line says what is wrong; those before it draw where.
            let said = other.to_string();
            FactError::Pattern(said.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned())
        }
    })
}

/// A pattern whose blanks match any single white space: evened out, a wrapped line has a line's end there. Blanks in
/// classes stay, and so does all where blanks mean nothing (`(?x)`).
fn wrapping(pattern: &str) -> String {
    let is_flag = |sign: &char| sign.is_ascii_alphabetic() || *sign == '-';
    if pattern.split("(?").skip(1).any(|group| group.chars().take_while(is_flag).any(|flag| flag == 'x')) {
        return pattern.to_owned();
    }
    let (mut out, mut deep) = (String::with_capacity(pattern.len() + 16), 0usize);
    let mut signs = pattern.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => {
                out.push(sign);
                out.extend(signs.next());
                continue;
            }
            '[' => deep += 1,
            ']' => deep = deep.saturating_sub(1),
            ' ' if deep == 0 => {
                while signs.next_if_eq(&' ').is_some() {}
                out.push_str(r"\s");
                continue;
            }
            _ => {}
        }
        out.push(sign);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places<'a>(pattern: &str, text: &'a str) -> Vec<&'a str> {
        let found = Pattern::of(pattern).unwrap().places(text);
        found.into_iter().map(|(from, to)| &text[from as usize..to as usize]).collect()
    }

    #[test]
    fn patterns_are_bounded_and_never_empty() {
        assert_eq!(places(r"QX-\d+", "QX-1 and qx-2 and QX-33"), ["QX-1", "QX-33"]);
        assert_eq!(Pattern::of("").unwrap_err(), FactError::EmptyPattern);
        for pattern in ["a*", r"\b", "^", "(?m)$", r"x?\b", r"\B|a+", "()"] {
            assert_eq!(Pattern::of(pattern).unwrap_err(), FactError::Everywhere, "{pattern}");
        }
        assert_eq!(Pattern::of(r"\w{1000}{1000}").unwrap_err(), FactError::Large);
        assert!(matches!(Pattern::of("(").unwrap_err(), FactError::Pattern(why) if why.contains("unclosed")));
    }

    #[test]
    fn escapes_unicode_forms_and_line_wraps_are_evened_out() {
        for (pattern, text, found) in [
            ("café closed", r#"{"note": "the caf\u00e9 closed"}"#, r"caf\u00e9 closed"),
            (r#"va"lue"#, r#"{"a": "va\"lue"}"#, r#"va\"lue"#),
            (r"print\(.hello", r#"{"code": "print(\"hello\")"}"#, r#"print(\"hello"#),
            ("(?i)JOSÉ", "ask Jose\u{301} now", "Jose\u{301}"),
            ("Jose\u{301}", "ask José now", "José"),
            (r"key is QN-\d+", "the key\n    is   QN-12345.", "key\n    is   QN-12345"),
            (r"key +is", "the key\n    is", "key\n    is"),
        ] {
            assert_eq!(places(pattern, text), [found], "{pattern}");
        }
    }

    #[test]
    fn case_numbers_and_lines_stay_as_they_are() {
        assert!(places("timeout.*30", "timeout\nof 30").is_empty());
        assert!(places("error", "ERROR").is_empty() && places("1000", "1,000").is_empty());
        assert_eq!(places("(?m)^b$", "a\nb\nc"), ["b"]);
        assert_eq!(places("a[ x]b", "a b a\nb"), ["a b"]);
        assert_eq!(places("(?x) a b", "ab a b"), ["ab"]);
    }
}
