//! What is asked again and again of what two sentences say: of all that speaks of the same, and either way round.

/// Whether there are any, and each of them is so.
pub(super) fn each_is<T>(mut all: impl Iterator<Item = T>, is: impl Fn(&T) -> bool) -> bool {
    all.next().is_some_and(|first| is(&first) && all.all(|one| is(&one)))
}

/// Whether it holds of the one against the other, or of the other against the one.
pub(super) fn either_way<T>(one: &T, other: &T, holds: impl Fn(&T, &T) -> bool) -> bool {
    holds(one, other) || holds(other, one)
}
