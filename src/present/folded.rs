//! How much of what is the same on both sides is shown beside what differs.

/// So many rows that are the same are shown one by one; more are drawn together.
pub const ALIKE: usize = 3;

/// How many rows of each run of the same are shown at either end of it, so that all fits into so many rows: of runs,
/// their lengths and whether they are the same. None where not even the differences fit.
#[must_use]
pub fn context(runs: &[(usize, bool)], room: usize) -> usize {
    let rows = |context: usize| -> usize {
        let row = |(length, same): &(usize, bool)| match same {
            true if *length > context * 2 + ALIKE => context * 2 + 1,
            _ => *length,
        };
        runs.iter().map(row).sum()
    };
    let longest = runs.iter().map(|(length, _)| *length).max().unwrap_or(0).min(room);
    (1..=longest).take_while(|context| rows(*context) <= room).last().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_of_the_same_is_shown_as_fits() {
        // Two rows that differ between 10 and 100 of the same.
        let runs = [(10, true), (2, false), (100, true)];
        for (room, wanted) in [(0, 0), (4, 0), (7, 0), (8, 1), (12, 2), (16, 3), (22, 4), (30, 8), (31, 9), (112, 100)]
        {
            assert_eq!(context(&runs, room), wanted, "{room} rows");
        }
        assert_eq!(context(&[(9, true)], 9), 9, "all of it fits");
        assert_eq!((context(&[(5, false)], 60), context(&[], 60)), (5, 0), "nothing is drawn together");
    }
}
