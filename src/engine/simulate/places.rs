//! Places as bits: those of a long history that are empty are passed by sixty-four at a time.

/// A set of places.
#[derive(Clone, Debug, Default)]
pub(super) struct Places(Vec<u64>);

impl Places {
    /// Puts a place in, or takes it out.
    pub fn set(&mut self, place: u32, taken: bool) {
        let (at, bit) = (place as usize / 64, 1u64 << (place % 64));
        if at >= self.0.len() {
            self.0.resize(at + 1, 0);
        }
        if taken { self.0[at] |= bit } else { self.0[at] &= !bit }
    }

    /// The places, in order.
    pub fn places(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().filter(|(_, bits)| **bits != 0).flat_map(|(at, bits)| {
            let mut left = *bits;
            std::iter::from_fn(move || {
                let next = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(at * 64 + next)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Places;

    #[test]
    fn places_come_in_order_and_those_taken_out_do_not() {
        let mut places = Places::default();
        for place in [700, 0, 63, 64, 5, 128] {
            places.set(place, true);
        }
        for place in [5, 128, 900] {
            places.set(place, false);
        }
        assert_eq!(places.places().collect::<Vec<_>>(), [0, 63, 64, 700]);
    }
}
