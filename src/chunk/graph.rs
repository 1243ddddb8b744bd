//! Approximate search, as the systems have it that are replayed: a graph (HNSW) over the vectors.

use std::sync::Arc;

use hnsw_rs::prelude::{Distance, Hnsw};

use crate::content::Watch;

use super::vector::dot;

/// Layers of the graph.
const LAYERS: usize = 16;

/// One less the dot product; never negative, where rounding would make it so for equal vectors.
#[derive(Clone, Copy, Default)]
struct Far;

impl Distance<f32> for Far {
    fn eval(&self, one: &[f32], other: &[f32]) -> f32 {
        (1.0 - dot(one, other)).max(0.0)
    }
}

/// A graph over vectors.
pub struct Graph {
    graph: Hnsw<'static, f32, Far>,
    ef: usize,
}

impl Graph {
    /// Builds the graph, one vector after the other, so that it is the same each time. `None` where it was stopped.
    #[must_use]
    pub fn build(vectors: &[Arc<[f32]>], m: u64, ef: u64, watch: &Watch) -> Option<Graph> {
        let within = |number: u64, most: usize| usize::try_from(number).unwrap_or(most).clamp(2, most);
        let ef = within(ef, 10_000);
        let graph = Hnsw::new(within(m, 200), vectors.len().max(1), LAYERS, ef, Far);
        for (number, vector) in vectors.iter().enumerate() {
            if watch.is_cancelled() {
                return None;
            }
            graph.insert((vector, number));
        }
        Some(Graph { graph, ef })
    }

    /// The numbers of the vectors that the search finds nearest, at most so many.
    #[must_use]
    pub fn nearest(&self, to: &[f32], number: u64) -> Vec<usize> {
        let number = usize::try_from(number).unwrap_or(usize::MAX).min(self.graph.get_nb_point());
        if number == 0 {
            return Vec::new();
        }
        self.graph.search(to, number, self.ef.max(number)).iter().map(|found| found.d_id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors(number: u32) -> Vec<Arc<[f32]>> {
        let mut state = 7u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32 - 0.5
        };
        (0..number)
            .map(|_| {
                let vector: Vec<f32> = (0..20).map(|_| random()).collect();
                let length = dot(&vector, &vector).sqrt();
                vector.into_iter().map(|part| part / length).collect()
            })
            .collect()
    }

    #[test]
    fn the_same_graph_finds_the_same_and_mostly_the_nearest() {
        let (vectors, watch) = (vectors(300), Watch::default());
        let found = |_| Graph::build(&vectors, 16, 100, &watch).unwrap().nearest(&vectors[7], 10);
        let (one, other) = (found(0), found(1));
        assert_eq!(one, other);
        assert_eq!(one.first(), Some(&7));
        let mut exact: Vec<usize> = (0..vectors.len()).collect();
        exact.sort_by(|a, b| dot(&vectors[*b], &vectors[7]).total_cmp(&dot(&vectors[*a], &vectors[7])));
        let same = exact[..10].iter().filter(|at| one.contains(at)).count();
        assert!(same >= 8, "{same} of 10");
    }

    #[test]
    fn there_may_be_nothing_to_find() {
        let graph = Graph::build(&[], 16, 100, &Watch::default()).unwrap();
        assert!(graph.nearest(&[1.0], 5).is_empty());
    }
}
