//! Sums by place that can be asked, changed and extended in logarithmic time (a Fenwick tree).

/// Tokens by place.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Sums(Vec<u64>);

impl Sums {
    /// None yet, with room for so many.
    pub fn of(places: usize) -> Self {
        Sums(Vec::with_capacity(places))
    }

    /// Adds a place at the end.
    pub fn push(&mut self, tokens: u64) {
        let at = self.0.len() + 1;
        let reach = at & at.wrapping_neg();
        let (mut sum, mut step) = (tokens, 1);
        while step < reach {
            sum = sum.wrapping_add(self.0[at - step - 1]);
            step <<= 1;
        }
        self.0.push(sum);
    }

    /// Adds to a place that may lie behind all that were added; between them stands nothing. What is taken away is added
    /// as what [`i64::cast_unsigned`] makes of it.
    pub fn add(&mut self, place: u32, number: u64) {
        while self.0.len() <= place as usize {
            self.push(0);
        }
        self.change(place, 0, number);
    }

    /// Puts another number at a place.
    pub fn change(&mut self, place: u32, from: u64, to: u64) {
        let mut at = place as usize + 1;
        while let Some(sum) = self.0.get_mut(at - 1) {
            *sum = sum.wrapping_add(to).wrapping_sub(from);
            at += at & at.wrapping_neg();
        }
    }

    /// The sum over all places before this one.
    pub fn before(&self, place: u32) -> u64 {
        let mut at = (place as usize).min(self.0.len());
        let mut sum = 0u64;
        while at > 0 {
            sum = sum.wrapping_add(self.0[at - 1]);
            at &= at - 1;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::Sums;

    #[test]
    fn what_is_taken_away_or_lies_behind_all_places_is_summed_too() {
        let mut sums = Sums::default();
        for (place, number) in [(5, 7i64), (2, -9), (70, 4), (5, -1)] {
            sums.add(place, number.cast_unsigned());
        }
        let before = [2, 3, 6, 70, 71, 1_000].map(|place| sums.before(place).cast_signed());
        assert_eq!(before, [0, -9, -3, -3, 1, 1]);
    }

    #[test]
    fn sums_are_those_of_a_plain_list() {
        let (mut sums, mut list) = (Sums::default(), Vec::new());
        for number in 0..200u64 {
            sums.push(number * 7 % 31);
            list.push(number * 7 % 31);
            let place = (number as usize * 13) % list.len();
            sums.change(place as u32, list[place], number);
            list[place] = number;
            for place in [0, list.len() / 2, list.len()] {
                assert_eq!(sums.before(place as u32), list[..place].iter().sum::<u64>());
            }
        }
    }
}
