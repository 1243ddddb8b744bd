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

    /// The first place at this one or behind it.
    pub fn next(&self, from: u32) -> Option<u32> {
        let mut at = from as usize / 64;
        let mut bits = self.0.get(at)? & (u64::MAX << (from % 64));
        while bits == 0 {
            at += 1;
            bits = *self.0.get(at)?;
        }
        u32::try_from(at * 64 + bits.trailing_zeros() as usize).ok()
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
        let after = [0, 1, 64, 65, 700, 701, 9_000].map(|from| places.next(from));
        assert_eq!(after, [Some(0), Some(63), Some(64), Some(700), Some(700), None, None]);
    }
}
