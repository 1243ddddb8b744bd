//! What an agent left of a text that it cut before it sent it: its beginning, its end, or both.

/// The ends that were kept.
pub(super) struct Kept {
    /// Where what was kept of the beginning ends, and where what was kept of the end begins.
    head: usize,
    tail: usize,
}

impl Kept {
    /// Of what was sent, and the whole; `None` where nothing is missing between them.
    pub fn of(sent: &str, whole: &str) -> Option<Kept> {
        let (sent, whole) = (sent.as_bytes(), whole.as_bytes());
        let head = sent.iter().zip(whole).take_while(|(one, other)| one == other).count();
        let behind = (sent.iter().skip(head).rev()).zip(whole.iter().skip(head).rev());
        let tail = whole.len() - behind.take_while(|(one, other)| one == other).count();
        (head < tail).then_some(Kept { head, tail })
    }

    /// Whether a cut goes through a range of the whole.
    pub fn parts(&self, (from, to): (u32, u32)) -> bool {
        let (from, to) = (from as usize, to as usize);
        from < to && [self.head, self.tail].into_iter().any(|cut| from < cut && cut < to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_parts_what_it_goes_through() {
        let whole = "one two three four five";
        let kept = Kept::of("one tw [cut] r five", whole).unwrap();
        for (range, parts) in [((0, 3), false), ((4, 7), true), ((8, 13), false), ((14, 18), true), ((19, 23), false)] {
            assert_eq!(kept.parts(range), parts, "{range:?}");
        }
        // All of it is in what is missing.
        assert!(!Kept::of("[cut]", whole).unwrap().parts((0, 23)));
        assert!(Kept::of(whole, whole).is_none() && Kept::of("one two three four five!", whole).is_none());
    }
}
