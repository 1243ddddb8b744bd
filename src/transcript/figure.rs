//! Figures that a record reports: taken as they stand, or refused and told of.

/// No request, window or summary holds more tokens: a larger figure is its writer's mistake.
pub const MOST: u64 = 1_000_000_000_000;

/// A figure as stored. A fraction is cut off; what is no number, negative or beyond [`MOST`] is none.
#[must_use]
pub fn figure(raw: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(raw).ok()?;
    let sensible = |number: &f64| *number >= 0.0 && *number <= MOST as f64;
    let read = text.parse::<u64>().ok().or_else(|| text.parse().ok().filter(sensible).map(|number| number as u64));
    read.filter(|figure| *figure <= MOST)
}

/// Reads the figures of one record and remembers what is wrong with them.
#[derive(Debug, Default)]
pub struct Figures {
    /// What is wrong, in words.
    pub faults: Vec<String>,
}

impl Figures {
    /// A member's figure, as stored; one that is missing or null is no fault.
    pub fn read(&mut self, name: &str, raw: Option<&[u8]>) -> Option<u64> {
        let raw = raw.filter(|raw| *raw != b"null")?;
        let read = figure(raw);
        if read.is_none() {
            let shown: String = String::from_utf8_lossy(raw).chars().take(24).collect();
            self.faults.push(format!("{name} is no possible number of tokens: {shown}"));
        }
        read
    }

    /// What is made of figures that are worth something only together, as the parts of an input are: nothing where one
    /// of them is wrong.
    #[must_use]
    pub fn together<T>(&mut self, read: impl FnOnce(&mut Figures) -> T) -> Option<T> {
        let before = self.faults.len();
        let made = read(self);
        (self.faults.len() == before).then_some(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_figures_are_refused() {
        for text in ["1e300", "1e19", "18446744073709551615", "-5", "\"5\"", "[5]", "NaN", "1e999", "true"] {
            assert_eq!(figure(text.as_bytes()), None, "{text}");
        }
        assert_eq!([figure(b"0"), figure(b"12.9"), figure(b"1e3")], [Some(0), Some(12), Some(1000)]);
    }

    #[test]
    fn what_belongs_together_is_taken_whole_or_not_at_all() {
        let mut figures = Figures::default();
        assert_eq!((figures.read("a", Some(b"7")), figures.read("b", None)), (Some(7), None));
        assert_eq!(figures.read("c", Some(b"-1")), None);
        assert_eq!(figures.together(|figures| figures.read("d", Some(b"2"))), Some(Some(2)));
        assert_eq!(figures.together(|figures| figures.read("c", Some(b"-1"))), None);
        figures.faults.pop();
        assert_eq!(figures.faults, ["c is no possible number of tokens: -1"]);
    }
}
