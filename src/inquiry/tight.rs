//! Blanks beside signs that say nothing: `MAX=7` is `MAX = 7`, and JSON is the same however it is set.

use super::normal::Normal;

/// Signs beside which a blank makes no difference.
const SIGNS: &[u8] = b"=:,;(){}[]<>|+*";

fn is_sign(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| SIGNS.contains(byte))
}

/// Whether the byte at a place is a blank beside such a sign. With it a comma parts two numbers, which else may be one.
fn is_loose(bytes: &[u8], at: usize) -> bool {
    if !matches!(bytes.get(at), Some(b' ' | b'\n')) {
        return false;
    }
    let (before, behind) = (at.checked_sub(1).and_then(|before| bytes.get(before)), bytes.get(at + 1));
    let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let parts = before == Some(&b',') && digit(behind) && digit(at.checked_sub(2).and_then(|before| bytes.get(before)));
    (is_sign(before) || is_sign(behind)) && !parts
}

/// Evened-out text without these blanks. `None` where there are none.
pub(super) fn tight(normal: &Normal) -> Option<Normal> {
    let bytes = normal.text.as_bytes();
    let mut loose = memchr::memchr2_iter(b' ', b'\n', bytes).filter(|at| is_loose(bytes, *at)).peekable();
    loose.peek()?;
    let mut out = Normal { text: String::with_capacity(bytes.len()), starts: Vec::with_capacity(bytes.len() + 1) };
    let mut kept = 0;
    for at in loose {
        out.text.push_str(normal.text.get(kept..at).unwrap_or_default());
        out.starts.extend_from_slice(normal.starts.get(kept..at).unwrap_or_default());
        kept = at + 1;
    }
    out.text.push_str(normal.text.get(kept..).unwrap_or_default());
    out.starts.extend_from_slice(normal.starts.get(kept..).unwrap_or_default());
    Some(out)
}

/// What is looked for in such text: a text without these blanks; `None` where no sign in it may have some.
pub(super) fn sought(form: &Normal) -> Option<String> {
    let bytes = form.text.as_bytes();
    let within = bytes.get(1..bytes.len().saturating_sub(1)).unwrap_or_default();
    let has_letters = bytes.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    let may_differ = has_letters && within.iter().any(|byte| is_sign(Some(byte)));
    may_differ.then(|| tight(form).map_or_else(|| form.text.clone(), |tight| tight.text))
}

#[cfg(test)]
mod tests {
    use super::super::fact::Fact;

    fn told<'a>(fact: &str, text: &'a str) -> Vec<&'a str> {
        let places = Fact::parse(fact).unwrap().everywhere(text).alone;
        places.iter().map(|(from, to)| &text[*from as usize..*to as usize]).collect()
    }

    #[test]
    fn blanks_beside_signs_make_no_difference() {
        for (fact, text, shown) in [
            ("BERTH_MAX=7", "set BERTH_MAX = 7 there", "BERTH_MAX = 7"),
            ("BERTH_MAX = 7", "set BERTH_MAX=7 there", "BERTH_MAX=7"),
            (
                r#"{"max":7,"base_ms":250}"#,
                "{\n  \"max\": 7,\n  \"base_ms\": 250\n}\n",
                "{\n  \"max\": 7,\n  \"base_ms\": 250\n}",
            ),
            (r#"{"max": 7, "ids": [1]}"#, r#"x {"max":7,"ids":[1]} y"#, r#"{"max":7,"ids":[1]}"#),
            ("f(a, b)", "call f( a,b ) here", "f( a,b )"),
            ("f(a, b)", r#"{"code": "f(a,\n  b)"}"#, "f(a,\\n  b)"),
        ] {
            assert_eq!(told(fact, text), [shown], "{fact} in {text:?}");
        }
        assert_eq!(told("a: b", "a: b and a:b and a :b").len(), 3);
    }

    #[test]
    fn what_blanks_part_stays_parted() {
        for (fact, text) in [
            ("1, 234", "1,234"),
            ("1,234", "1, 234"),
            ("max=7", "max = 75"),
            ("max = 7", "climax=7.5"),
            ("a - b", "a-b"),
            ("one two", "onetwo"),
        ] {
            assert_eq!(told(fact, text), [""; 0], "{fact} in {text:?}");
        }
    }
}
