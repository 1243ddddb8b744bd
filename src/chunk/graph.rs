//! Approximate search, as the systems have it that are replayed: a graph (HNSW) over the vectors.

use std::collections::{HashMap, HashSet};
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
    /// Vectors to which no way leads, with their numbers. The library shortens a full list of neighbours by the farthest;
    /// stores keep the one that stands alone, so that they find what is like nothing else.
    apart: Vec<(usize, Arc<[f32]>)>,
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
        let reached = reached(&graph);
        let apart = vectors.iter().enumerate().filter(|(number, _)| !reached.contains(number));
        let apart = apart.map(|(number, vector)| (number, vector.clone())).collect();
        Some(Graph { graph, ef, apart })
    }

    /// The numbers of the vectors that the search finds nearest, at most so many. Where it keeps as many in view as there
    /// are, these are the nearest.
    #[must_use]
    pub fn nearest(&self, to: &[f32], number: u64) -> Vec<usize> {
        let number = usize::try_from(number).unwrap_or(usize::MAX).min(self.graph.get_nb_point());
        if number == 0 {
            return Vec::new();
        }
        let found = self.graph.search(to, number, self.ef.max(number)).into_iter();
        let apart = self.apart.iter().map(|(number, vector)| (*number, Far.eval(to, vector)));
        let mut found: Vec<(usize, f32)> = found.map(|found| (found.d_id, found.distance)).chain(apart).collect();
        found.sort_by(|(one, near), (other, far)| near.total_cmp(far).then(one.cmp(other)));
        found.truncate(number);
        found.into_iter().map(|(number, _)| number).collect()
    }
}

/// The numbers of the vectors to which a way leads from where each search begins.
fn reached(graph: &Hnsw<'static, f32, Far>) -> HashSet<usize> {
    let points = graph.get_point_indexation();
    if points.get_nb_point() == 0 {
        return HashSet::new();
    }
    let neighbours: HashMap<usize, Vec<usize>> = points
        .into_iter()
        .map(|point| {
            let all = point.get_neighborhood_id().into_iter().flatten().map(|near| near.d_id);
            (point.get_origin_id(), all.collect())
        })
        .collect();
    let first = points.get_layer_iterator(usize::from(points.get_max_level_observed()));
    let mut next: Vec<usize> = first.map(|point| point.get_origin_id()).collect();
    let mut reached: HashSet<usize> = next.iter().copied().collect();
    while let Some(number) = next.pop() {
        let near = neighbours.get(&number).map(Vec::as_slice).unwrap_or_default();
        next.extend(near.iter().copied().filter(|near| reached.insert(*near)));
    }
    reached
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

    /// What is like nothing else stands far from all others, which are near each other.
    #[test]
    fn what_stands_apart_is_found() {
        let (vectors, watch) = (vectors(400), Watch::default());
        let near = |vector: &Arc<[f32]>, along: usize| -> Arc<[f32]> {
            let parts = vector.iter().enumerate();
            let near: Vec<f32> = parts.map(|(at, part)| part * 0.3 + f32::from(u8::from(at == along))).collect();
            let length = dot(&near, &near).sqrt();
            near.into_iter().map(|part| part / length).collect()
        };
        let alone = 43;
        let all: Vec<_> = vectors.iter().enumerate().map(|(at, one)| near(one, usize::from(at == alone))).collect();
        let graph = Graph::build(&all, 4, 40, &watch).unwrap();
        assert_eq!(graph.nearest(&all[alone], 3).first(), Some(&alone));
        let wide = Graph::build(&all, 4, 400, &watch).unwrap();
        for task in &vectors[..20] {
            let mut exact: Vec<usize> = (0..all.len()).collect();
            exact.sort_by(|a, b| Far.eval(&all[*a], task).total_cmp(&Far.eval(&all[*b], task)).then(a.cmp(b)));
            assert_eq!(wide.nearest(task, 10), exact[..10]);
        }
    }

    #[test]
    fn there_may_be_nothing_to_find() {
        let graph = Graph::build(&[], 16, 100, &Watch::default()).unwrap();
        assert!(graph.nearest(&[1.0], 5).is_empty());
    }
}
