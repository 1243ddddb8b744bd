//! Steps whose reports what came in cannot explain: the recorded window was replaced by a shorter one before them, or
//! went back to what it was before it was replaced.

/// What replaced the recorded window.
enum Replacement {
    /// A compaction: the number of its snapshot.
    Compaction(usize),
    /// A clearing, or shorter texts: how many items there were.
    Clearing(u32),
}

/// What replaced the recorded window on the way to where it stands, and the steps that this makes hard to explain.
#[derive(Default)]
pub(super) struct Replaced {
    in_force: Vec<Replacement>,
    /// The steps, in order.
    pub(super) steps: Vec<u32>,
}

impl Replaced {
    /// Before a step the window was compacted.
    pub(super) fn compacted(&mut self, step: u32, snapshot: usize) {
        self.in_force.push(Replacement::Compaction(snapshot));
        self.steps.push(step);
    }

    /// Before a step something of the window was cleared, or cut.
    pub(super) fn cleared(&mut self, step: u32, items: u32) {
        self.in_force.push(Replacement::Clearing(items));
        self.steps.push(step);
    }

    /// Whether nothing of the recorded window stands replaced.
    pub(super) fn is_none(&self) -> bool {
        self.in_force.is_empty()
    }

    /// Before a step the window went back: to one with what the compaction `from` made, if with any, and to items below
    /// `end`. What came in since a clearing and stays shows that the clearing stays, too.
    pub(super) fn went_back(&mut self, step: u32, from: Option<usize>, end: u32) {
        let before = self.in_force.len();
        while self.in_force.pop_if(|last| is_undone(last, from, end)).is_some() {}
        if self.in_force.len() < before {
            self.steps.push(step);
        }
    }
}

fn is_undone(replacement: &Replacement, from: Option<usize>, end: u32) -> bool {
    match replacement {
        Replacement::Compaction(snapshot) => from < Some(*snapshot),
        Replacement::Clearing(items) => end <= *items,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rewind_undoes_what_stands_behind_its_end() {
        let mut replaced = Replaced::default();
        replaced.cleared(3, 10);
        replaced.compacted(5, 0);
        replaced.compacted(9, 1);
        replaced.went_back(10, Some(1), 30);
        assert_eq!(replaced.steps, [3, 5, 9]);
        replaced.went_back(12, Some(0), 25);
        replaced.went_back(13, Some(0), 24);
        assert_eq!(replaced.steps, [3, 5, 9, 12], "the second compaction is undone once");
        replaced.went_back(15, None, 11);
        replaced.went_back(17, None, 10);
        assert_eq!(replaced.steps, [3, 5, 9, 12, 15, 17], "the first one, then the clearing");
        replaced.went_back(18, None, 0);
        assert_eq!(replaced.steps.len(), 6);
    }
}
