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
