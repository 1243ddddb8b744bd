//! Where that stands which comes in between others: a place is kept free for it from the beginning, so that nothing else
//! has to move.

use std::collections::BTreeMap;

/// The places of a history, in the order of its windows: each that was taken at the end, and the rooms before it.
#[derive(Default)]
pub(super) struct Rooms {
    /// How many places were taken at the end so far.
    ends: u32,
    /// Per item: the end that it stands at or before, and its room where it has one.
    at: Vec<(u32, Option<u32>)>,
    /// The rooms before an end, in order.
    before: BTreeMap<u32, Vec<u32>>,
    rooms: u32,
}

impl Rooms {
    /// An item comes in at the end.
    pub fn take_end(&mut self, item: u32) {
        self.set(item, (self.ends, None));
        self.ends += 1;
    }

    /// An item comes in right before another one that stands; returns its room.
    pub fn take_before(&mut self, item: u32, next: u32) -> u32 {
        let room = self.rooms;
        self.rooms += 1;
        let (end, own) = self.at.get(next as usize).copied().unwrap_or_default();
        let rooms = self.before.entry(end).or_default();
        let at = own.and_then(|own| rooms.iter().rposition(|room| *room == own)).unwrap_or(rooms.len());
        rooms.insert(at, room);
        self.set(item, (end, Some(room)));
        room
    }

    fn set(&mut self, item: u32, at: (u32, Option<u32>)) {
        if item as usize >= self.at.len() {
            self.at.resize(item as usize + 1, (0, None));
        }
        if let Some(place) = self.at.get_mut(item as usize) {
            *place = at;
        }
    }

    /// All rooms in order, each behind the number of the end that it is before.
    pub fn finish(self) -> Vec<(u32, u32)> {
        self.before.into_iter().flat_map(|(end, rooms)| rooms.into_iter().map(move |room| (end, room))).collect()
    }
}

/// Which of some numbers, no two of them the same, make up the longest list that ascends.
pub(super) fn ascending(numbers: &[usize]) -> Vec<bool> {
    // Where the best list of each length ends, and what stands before each number in its best list.
    let (mut ends, mut before) = (Vec::<usize>::new(), vec![usize::MAX; numbers.len()]);
    for (at, number) in numbers.iter().enumerate() {
        let place = ends.partition_point(|end| numbers[*end] < *number);
        if let Some(last) = place.checked_sub(1).and_then(|last| ends.get(last)) {
            before[at] = *last;
        }
        match ends.get_mut(place) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut among = vec![false; numbers.len()];
    let mut next = ends.last().copied();
    while let Some(at) = next {
        among[at] = true;
        next = Some(before[at]).filter(|at| *at != usize::MAX);
    }
    among
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_stand_in_the_order_of_the_window() {
        let mut rooms = Rooms::default();
        (0..3).for_each(|item| rooms.take_end(item));
        let last = rooms.take_before(3, 2);
        let first = rooms.take_before(4, 0);
        let between = rooms.take_before(5, 3);
        let again = rooms.take_before(6, 2);
        assert_eq!(rooms.finish(), [(0, first), (2, between), (2, last), (2, again)]);
    }

    #[test]
    fn the_longest_list_that_ascends_is_found() {
        let of = |numbers: &[usize]| -> Vec<usize> {
            numbers.iter().zip(ascending(numbers)).filter(|(_, among)| *among).map(|(number, _)| *number).collect()
        };
        assert_eq!(of(&[]), [0usize; 0]);
        assert_eq!(of(&[1, 2, 5, 9]), [1, 2, 5, 9]);
        assert_eq!(of(&[9, 1, 2, 3]), [1, 2, 3]);
        assert_eq!(of(&[2, 8, 3, 4, 1, 5]), [2, 3, 4, 5]);
    }
}
