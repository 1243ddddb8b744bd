//! Versions of packages, by themselves or behind a name: `0.3.0`, `v0.3.0`, `some_package-0.3.0`.

/// Digits of a number in a version.
const DIGITS: usize = 5;

/// Where a text has more versions, as a lock file or the log of a build has, one says nothing without its name.
const FEW: usize = 12;

/// The versions of a text, each once, with the bytes at which they begin.
#[derive(Default)]
pub(super) struct Versions<'a>(Vec<(usize, &'a str)>);

impl<'a> Versions<'a> {
    /// Takes in what begins at a byte of the text. Returns the name, where it is or ends with a version, and the byte at
    /// which that begins; it may be empty.
    pub fn take(&mut self, word: &'a str, at: usize) -> Option<(usize, &'a str)> {
        let (from, version) = of_word(word)?;
        if self.0.len() <= FEW && self.0.iter().all(|(_, known)| *known != version) {
            self.0.push((at + from, version));
        }
        let before = &word[..from];
        // What stands behind a slash ends no name.
        let name = before.strip_suffix(['v', 'V']).unwrap_or(before).strip_suffix('-').unwrap_or_default();
        let begin = name.rfind('/').map_or(0, |slash| slash + 1);
        Some((at + begin, &name[begin..]))
    }

    /// Those that say something by themselves.
    pub fn telling(self) -> impl Iterator<Item = (usize, &'a str)> {
        let few = self.0.len() <= FEW;
        self.0.into_iter().filter(move |_| few)
    }
}

/// The version that the last part of a path, or another word, is or ends with, and the byte at which it begins. A number
/// with one dot is no version: too many are equal by chance.
fn of_word(word: &str) -> Option<(usize, &str)> {
    let word = word.trim_end_matches(['.', '-', '/']);
    // Most words are none, and a long one says more than one thing.
    if word.len() > 200 || !word.ends_with(|sign: char| sign.is_ascii_digit()) {
        return None;
    }
    let begin = word.rfind(['-', '/']).map_or(0, |sign| sign + 1);
    let begin = begin + usize::from(word[begin..].starts_with(['v', 'V']));
    let version = &word[begin..];
    let is_number = |part: &str| (1..=DIGITS).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = version.split('.').try_fold(0, |numbers, part| is_number(part).then_some(numbers + 1));
    numbers.filter(|numbers| (3..=4).contains(numbers)).map(|_| (begin, version))
}

#[cfg(test)]
mod tests {
    use super::of_word;

    #[test]
    fn a_version_stands_by_itself_or_ends_a_name() {
        for (word, version) in [
            ("0.3.0", Some((0, "0.3.0"))),
            ("v1.12.3.", Some((1, "1.12.3"))),
            ("some_package-0.3.0", Some((13, "0.3.0"))),
            ("deps/some-package-v10.0.2", Some((19, "10.0.2"))),
            ("10.0.22631.4169", Some((0, "10.0.22631.4169"))),
            ("0.3", None),
            ("1.2.x", None),
            ("1..2", None),
            ("2.5.4.3.1", None),
            ("a-0.3.0/b", None),
            ("é-v", None),
            ("", None),
        ] {
            assert_eq!(of_word(word), version, "{word}");
        }
    }
}
