//! Numbers with an exponent, written out.

use super::number::{Written, digits, read};

/// Digits that a number with an exponent has at most once it is written out, and how large its exponent may be.
const WRITTEN_OUT: usize = 18;

/// Where a number with an exponent ends, and how it is written out: 1e6, 2.5e+6. Names and colours have such signs, too.
pub(super) fn powered(bytes: &[u8], written: &Written) -> Option<(usize, String)> {
    let before = written.from.checked_sub(1).map(|at| bytes[at]);
    if before.is_some_and(|byte| {
        byte.is_ascii_alphanumeric() || !byte.is_ascii() || matches!(byte, b'_' | b'#' | b'-' | b'.')
    }) {
        return None;
    }
    let sign = bytes.get(written.to).filter(|byte| **byte == b'e').map(|_| written.to + 1)?;
    let small = bytes.get(sign) == Some(&b'-');
    let from = sign + usize::from(small || bytes.get(sign) == Some(&b'+'));
    let to = from + digits(bytes, from);
    let ends = bytes
        .get(to)
        .is_none_or(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'-'));
    let ends = ends && !(bytes.get(to) == Some(&b'.') && digits(bytes, to + 1) > 0);
    let power: usize = std::str::from_utf8(bytes.get(from..to)?).ok().filter(|_| ends)?.parse().ok()?;
    let (groups, fraction) = read(bytes, written);
    let is_digit = |at: &usize| bytes.get(*at).is_some_and(u8::is_ascii_digit);
    // What is no one number has signs that group nothing.
    if groups.len() + usize::from(fraction.is_some()) != written.signs.len() {
        return None;
    }
    let number =
        |range: std::ops::Range<usize>| range.filter(is_digit).map(|at| char::from(bytes[at])).collect::<String>();
    let (whole, rest) = match fraction {
        Some(point) => (number(written.from..point), number(point + 1..written.to)),
        None => (number(written.from..written.to), String::new()),
    };
    if power > WRITTEN_OUT || whole.len() + power.max(rest.len()) > WRITTEN_OUT {
        return None;
    }
    if small {
        let all = format!("{}{whole}{rest}", "0".repeat((power + 1).saturating_sub(whole.len())));
        let (whole, rest) = all.split_at_checked(all.len() - rest.len() - power)?;
        let (whole, rest) = (whole.trim_start_matches('0'), rest.trim_end_matches('0'));
        let point = if rest.is_empty() { "" } else { "." };
        return Some((to, format!("{}{point}{rest}", if whole.is_empty() { "0" } else { whole })));
    }
    let rest = rest.trim_end_matches('0');
    let mut all = format!("{whole}{rest}");
    match power.checked_sub(rest.len()) {
        Some(zeros) => all.extend(std::iter::repeat_n('0', zeros)),
        None => all.insert(whole.len() + power, '.'),
    }
    let end = all.trim_start_matches('0');
    let leads = if end.is_empty() || end.starts_with('.') { "0" } else { "" };
    Some((to, format!("{leads}{end}")))
}
