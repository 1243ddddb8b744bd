//! How many sentences have support: one judgement for whoever tells of it.

use super::measure::Support;

/// The sentences of a summary, or of a fact, by what supports them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Supports {
    /// What it stands for says them.
    pub stands: usize,
    /// It neither says nor denies them.
    pub open: usize,
    /// Nothing supports them.
    pub none: usize,
}

impl FromIterator<Support> for Supports {
    fn from_iter<I: IntoIterator<Item = Support>>(each: I) -> Self {
        each.into_iter().fold(Supports::default(), |mut all, one| {
            *match one {
                Support::Stands => &mut all.stands,
                Support::Open => &mut all.open,
                Support::None => &mut all.none,
            } += 1;
            all
        })
    }
}

impl Supports {
    /// How many sentences there are.
    #[must_use]
    pub fn all(&self) -> usize {
        self.stands + self.open + self.none
    }

    /// Whether each has support.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.stands == self.all()
    }

    /// What is to be said of a summary: a clause.
    #[must_use]
    pub fn clause(&self) -> String {
        let all = self.all();
        let has = |number: usize| if number == 1 { "has" } else { "have" };
        let is = |number: usize| if number == 1 { "is" } else { "are" };
        let of_all = |number: usize| {
            if all == 1 { "its one sentence".to_owned() } else { format!("{number} of its {all} sentences") }
        };
        match *self {
            Supports { open: 0, none: 0, .. } => match all {
                0 => "no sentence of it claims anything".to_owned(),
                1 => "its one sentence has support".to_owned(),
                _ => format!("all its {all} sentences have support"),
            },
            Supports { open: 0, none, .. } => format!("{} {} no support", of_all(none), has(none)),
            Supports { open, none: 0, .. } => {
                format!("{} {} neither said nor denied by what it stands for", of_all(open), is(open))
            }
            Supports { open, none, .. } => format!(
                "{} {} no support, {open} {} neither said nor denied by what it stands for",
                of_all(none),
                has(none),
                is(open)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_says_support_only_of_what_stands() {
        let of = |each: &[Support]| each.iter().copied().collect::<Supports>().clause();
        let (stands, open, none) = (Support::Stands, Support::Open, Support::None);
        assert_eq!(of(&[stands]), "its one sentence has support");
        assert_eq!(of(&[stands; 3]), "all its 3 sentences have support");
        assert_eq!(of(&[open]), "its one sentence is neither said nor denied by what it stands for");
        assert_eq!(of(&[none]), "its one sentence has no support");
        assert_eq!(of(&[none, stands, none]), "2 of its 3 sentences have no support");
        assert_eq!(of(&[open, stands]), "1 of its 2 sentences is neither said nor denied by what it stands for");
        let both = "1 of its 3 sentences has no support, 2 are neither said nor denied by what it stands for";
        assert_eq!(of(&[open, none, open]), both);
        assert_eq!(of(&[]), "no sentence of it claims anything");
        assert!(!of(&[open, none]).contains("have support"));
    }
}
