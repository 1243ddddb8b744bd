//! Memories as a graph: who is related to whom, worked out once for all that is asked of it.

use std::collections::HashMap;

use super::{EdgeKind, MemoryId, Store};

/// What one memory is to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tie {
    /// One denies what the other says.
    Contradicts,
    /// They are about the same in other words.
    Related,
    /// It was made from the other.
    MadeFrom,
    /// The other was made from it.
    Became,
}

impl Tie {
    /// Every tie, in the order in which they are shown.
    pub const ALL: &[Tie] = &[Tie::Contradicts, Tie::Related, Tie::MadeFrom, Tie::Became];

    /// In a word or two.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Tie::Contradicts => "contradicts",
            Tie::Related => "related",
            Tie::MadeFrom => "made from",
            Tie::Became => "became",
        }
    }
}

/// A neighbour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// What it is.
    pub tie: Tie,
    /// The other memory.
    pub to: MemoryId,
    /// Their similarity.
    pub score: f32,
}

/// The neighbours of every memory that has any.
#[derive(Clone, Debug, Default)]
pub struct Graph(HashMap<MemoryId, Vec<Link>>);

impl Graph {
    /// Of the relations of a store.
    #[must_use]
    pub fn of(store: &Store) -> Graph {
        let mut links: HashMap<MemoryId, Vec<Link>> = HashMap::new();
        for edge in store.edges() {
            let (from, to) = match edge.kind {
                EdgeKind::Contradicts => (Tie::Contradicts, Tie::Contradicts),
                EdgeKind::Bridges => (Tie::Related, Tie::Related),
                EdgeKind::Supersedes => (Tie::MadeFrom, Tie::Became),
            };
            links.entry(edge.from).or_default().push(Link { tie: from, to: edge.to, score: edge.score });
            links.entry(edge.to).or_default().push(Link { tie: to, to: edge.from, score: edge.score });
        }
        for links in links.values_mut() {
            links.sort_by(|one, other| {
                one.tie.cmp(&other.tie).then(other.score.total_cmp(&one.score)).then(one.to.cmp(&other.to))
            });
        }
        Graph(links)
    }

    /// A memory's neighbours, by tie, the most similar first.
    #[must_use]
    pub fn links(&self, id: MemoryId) -> &[Link] {
        self.0.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Whether one of its neighbours contradicts it.
    #[must_use]
    pub fn is_contradicted(&self, id: MemoryId) -> bool {
        self.links(id).first().is_some_and(|link| link.tie == Tie::Contradicts)
    }

    /// How many memories have a neighbour.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is related to anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Edge, Space};

    #[test]
    fn neighbours_stand_by_tie_and_both_ends_know_of_each_other() {
        let mut store = Store::new(Space::words());
        let edge = |from, to, kind, score| Edge { from: MemoryId(from), to: MemoryId(to), kind, score };
        store.link(edge(1, 0, EdgeKind::Bridges, 0.5));
        store.link(edge(2, 1, EdgeKind::Contradicts, 0.8));
        store.link(edge(3, 1, EdgeKind::Supersedes, 1.0));
        store.link(edge(1, 4, EdgeKind::Bridges, 0.7));
        let graph = Graph::of(&store);
        let told = |id| graph.links(MemoryId(id)).iter().map(|link| (link.tie, link.to.0)).collect::<Vec<_>>();
        assert_eq!(told(1), [(Tie::Contradicts, 2), (Tie::Related, 4), (Tie::Related, 0), (Tie::Became, 3)]);
        assert_eq!(told(3), [(Tie::MadeFrom, 1)]);
        assert!(graph.is_contradicted(MemoryId(2)) && !graph.is_contradicted(MemoryId(3)));
        assert!(told(9).is_empty() && graph.len() == 5);
    }
}
