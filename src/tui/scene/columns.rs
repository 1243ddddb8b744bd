//! Steps laid into the columns of a timeline. Worked out once per zoom, not per frame.

use super::{Marks, RunIndex};

/// How steps and columns go together: so many steps in so many columns. Wide scales give a step several columns,
/// dense ones a column several steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    steps: u32,
    columns: u32,
}

/// The most columns that a step is drawn in.
const WIDEST: u32 = 8;

impl Scale {
    /// The scale at which all steps are seen at once, over the whole width where there are enough of them.
    #[must_use]
    pub fn fit(steps: u32, width: u16) -> Scale {
        let (steps, width) = (steps.max(1), u32::from(width.max(1)));
        Scale { steps, columns: width.min(steps.saturating_mul(WIDEST)) }
    }

    /// The next wider scale: whole columns for a step, or half as many steps in a column.
    #[must_use]
    pub fn wider(self) -> Scale {
        if self.is_wide() {
            return Scale { steps: 1, columns: (self.columns / self.steps + 1).min(WIDEST) };
        }
        match self.steps.div_ceil(self.columns) {
            0..=2 => Scale { steps: 1, columns: 1 },
            share => Scale { steps: share / 2, columns: 1 },
        }
    }

    /// The next narrower scale, down to where everything is seen.
    #[must_use]
    pub fn narrower(self, steps: u32, width: u16) -> Scale {
        let fit = Scale::fit(steps, width);
        let next = match self.is_wide() {
            true if self.columns / self.steps > 1 => Scale { steps: 1, columns: self.columns.div_ceil(self.steps) - 1 },
            true => Scale { steps: 2, columns: 1 },
            false => Scale { steps: self.steps.div_ceil(self.columns).saturating_mul(2), columns: 1 },
        };
        if next.total(steps) <= fit.total(steps) { fit } else { next }
    }

    fn is_wide(self) -> bool {
        self.columns >= self.steps
    }

    /// Columns that all steps take.
    #[must_use]
    pub fn total(self, steps: u32) -> u64 {
        (u64::from(steps) * u64::from(self.columns)).div_ceil(u64::from(self.steps))
    }

    /// The first column of a step.
    #[must_use]
    pub fn column_of(self, step: u32) -> u64 {
        let at = u64::from(step.saturating_sub(1)) * u64::from(self.columns);
        match self.is_wide() {
            true => at.div_ceil(u64::from(self.steps)),
            false => at / u64::from(self.steps),
        }
    }

    /// The index of the group of steps that a column belongs to: what [`columns`] is indexed by.
    #[must_use]
    pub fn group_of(self, column: u64) -> u64 {
        match self.is_wide() {
            true => column * u64::from(self.steps) / u64::from(self.columns),
            false => column,
        }
    }

    /// The last step of a group.
    fn last_of(self, group: u64) -> u32 {
        let last = match self.is_wide() {
            true => group + 1,
            false => ((group + 1) * u64::from(self.steps)).div_ceil(u64::from(self.columns)),
        };
        u32::try_from(last).unwrap_or(u32::MAX)
    }
}

/// The steps that share a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The first of them.
    pub first: u32,
    /// The last of them.
    pub last: u32,
    /// The one with the largest window: its layers are what is drawn.
    pub peak: u32,
    /// What is marked at any of them.
    pub marks: Marks,
}

/// All columns at a scale, one for each group of steps.
#[must_use]
pub fn columns(index: &RunIndex, scale: Scale) -> Vec<Column> {
    let mut found = Vec::new();
    let mut first = 1;
    for group in 0.. {
        if first > index.steps() {
            break;
        }
        let last = scale.last_of(group).clamp(first, index.steps());
        let used = |step: &u32| index.totals(*step).map_or(0, crate::model::Totals::used);
        // The first of equal ones, so that a bar does not jump between equals.
        let peak = (first..=last).rev().max_by_key(used).unwrap_or(first);
        let marks = (first..=last).fold(Marks::default(), |all, step| all.with(index.marks(step)));
        found.push(Column { first, last, peak, marks });
        first = last.saturating_add(1);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(steps: u32, columns: u32) -> Scale {
        Scale { steps, columns }
    }

    #[test]
    fn all_steps_fit() {
        for (steps, width) in [(0, 0), (1, 1), (7, 3), (10, 100), (101, 100), (5000, 77), (u32::MAX, 1)] {
            let fit = Scale::fit(steps, width);
            assert!(fit.total(steps) <= u64::from(width.max(1)), "{steps} in {width}");
        }
        assert_eq!(Scale::fit(170, 113).total(170), 113, "the whole width");
        assert_eq!(Scale::fit(60, 113).total(60), 113);
        assert_eq!(Scale::fit(3, 113).total(3), 24, "few steps are not drawn out");
    }

    #[test]
    fn zooming_in_and_out_comes_back() {
        for steps in [20, 60, 170, 1000, 100_000] {
            let fit = Scale::fit(steps, 100);
            assert_eq!(fit.narrower(steps, 100), fit, "never narrower than everything");
            let mut now = fit;
            for _ in 0..40 {
                now = now.wider();
            }
            assert_eq!(now, scale(1, WIDEST));
            for _ in 0..60 {
                now = now.narrower(steps, 100);
            }
            assert_eq!(now, fit, "{steps}");
        }
    }

    #[test]
    fn steps_and_columns_agree() {
        for scale in [scale(1, 1), scale(1, 3), scale(60, 113), scale(7, 1), scale(170, 113), scale(1000, 999)] {
            let (mut first, mut group) = (1, 0);
            while first < 400 {
                let last = scale.last_of(group);
                for step in first..=last {
                    assert_eq!(scale.group_of(scale.column_of(step)), group, "{scale:?} {step}");
                }
                assert!(scale.column_of(first) == 0 || scale.group_of(scale.column_of(first) - 1) < group);
                (first, group) = (last + 1, group + 1);
            }
        }
    }
}
