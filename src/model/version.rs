//! Versions of agents, compared as numbers.

/// The numbers of a version: `2.1.20-beta` is 2, 1, 20; a part that begins with no digit counts as 0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(Vec<u32>);

impl Version {
    /// The numbers of a version as an agent writes it. Untrusted text may come in.
    #[must_use]
    pub fn of(text: &str) -> Version {
        let number = |part: &str| {
            let digits = part.find(|sign: char| !sign.is_ascii_digit()).map_or(part, |end| &part[..end]);
            digits.parse().unwrap_or(0)
        };
        Version(text.split('.').map(number).collect())
    }

    /// Whether it is older than the one of these numbers.
    #[must_use]
    pub fn is_before(&self, numbers: [u32; 3]) -> bool {
        self.0.as_slice() < numbers.as_slice()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_as_numbers() {
        assert!(Version::of("2.1.9") < Version::of("2.1.10") && Version::of("2.1.9").is_before([2, 1, 10]));
        assert!(!Version::of("2.1.10").is_before([2, 1, 10]) && !Version::of("2.1.10.1").is_before([2, 1, 10]));
        assert_eq!(Version::of("2.1.20-beta"), Version::of("2.1.20"));
        assert_eq!(Version::of("99999999999999.é.x"), Version::of("0.0.0"));
    }
}
