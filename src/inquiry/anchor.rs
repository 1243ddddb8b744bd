//! What stored bytes must hold for a literal text to be in them.

/// The longest run of ASCII letters and digits of a text.
pub(super) fn run(text: &str) -> Option<&str> {
    let runs = text.split(|sign: char| !sign.is_ascii_alphanumeric());
    let weight = |run: &&str| run.len() + run.bytes().filter(u8::is_ascii_alphabetic).count();
    runs.max_by_key(weight).filter(|run| run.len() >= 2)
}

/// That run as a pattern over stored bytes.
pub(super) fn anchor(text: &str) -> Option<regex::bytes::Regex> {
    let run = run(text)?;
    // A run beside a sign that is not ASCII may be written with marks of its own: they stand outside of it.
    let mut pattern = String::from("(?i-u)");
    let mut digit = false;
    for sign in run.chars() {
        if digit && sign.is_ascii_digit() {
            pattern.push_str(r"(?:[,._' ]|\\'|\xC2\xA0|\xE2\x80[\x80-\x8A\x99\xAF]|\\+u(?:00a0|200[0-9a]|2019|202f))?");
        }
        digit = sign.is_ascii_digit();
        pattern.push(sign);
    }
    // With an exponent a round number has other digits.
    if run.len() > 3 && run.ends_with("00") && run.bytes().all(|byte| byte.is_ascii_digit()) {
        pattern = format!("{pattern}|[0-9]e\\+?[0-9]");
    }
    // So has a small one.
    if run.bytes().all(|byte| byte.is_ascii_digit()) && text.contains(&format!("0.{run}")) {
        pattern.push_str("|[0-9]e-[0-9]");
    }
    regex::bytes::Regex::new(&pattern).ok()
}

/// One of some names in ASCII, as a pattern over stored bytes; `None` where one of them is in nearly every text.
pub(super) fn any_of(names: &[&str]) -> Option<regex::bytes::Regex> {
    let telling = names.iter().all(|name| name.len() >= 2 && name.is_ascii());
    telling.then(|| regex::bytes::Regex::new(&format!("(?i-u)(?:{})", names.join("|"))).ok()).flatten()
}
