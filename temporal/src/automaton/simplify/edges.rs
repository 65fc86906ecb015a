//! Comparison of the edges of one state.

use crate::automaton::AutomatonEdge;

/// Removes an edge if another edge to the same state reads all its letters and carries all its
/// marks. Merges two edges that differ only in the sign of one literal. Sorts the edges.
///
/// Every run that takes a removed edge can take the other edge, with at least the same marks.
/// Merged edges read the same letters as before. So the language stays the same.
pub(super) fn simplify_edges(edges: &mut Vec<AutomatonEdge>) {
    edges.sort_unstable();
    edges.dedup();
    loop {
        let mut merged = Vec::new();
        for group in edges.chunk_by(|one, two| one.target == two.target && one.marks == two.marks) {
            for (index, one) in group.iter().enumerate() {
                let merged_cubes =
                    group[..index].iter().filter_map(|two| one.cube.merged(&two.cube));
                merged.extend(merged_cubes.map(|cube| AutomatonEdge { cube, ..one.clone() }));
            }
        }
        // After a merge, both original edges are superfluous.
        let has_merged = !merged.is_empty();
        edges.extend(merged);
        let candidates = std::mem::take(edges);
        for (index, edge) in candidates.iter().enumerate() {
            let mut others =
                candidates.iter().enumerate().filter(|&(other_index, _)| other_index != index);
            let is_superfluous = others.any(|(other_index, better)| {
                let is_as_good = better.target == edge.target
                    && edge.marks.is_subset(better.marks)
                    && better.cube.contains(&edge.cube);
                // The first of two equal edges stays.
                is_as_good && (other_index < index || better != edge)
            });
            if !is_superfluous {
                edges.push(edge.clone());
            }
        }
        edges.sort_unstable();
        if !has_merged {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::Marks;
    use crate::automaton::cube::cube;

    fn edge(target: usize, marks: u64, literals: &[i32]) -> AutomatonEdge {
        AutomatonEdge { target, marks: Marks(marks), cube: cube(literals) }
    }

    #[test]
    fn four_quarters_are_one_edge() {
        let mut edges = vec![
            edge(0, 1, &[1, 2]),
            edge(0, 1, &[-1, 2]),
            edge(0, 1, &[1, -2]),
            edge(0, 1, &[-1, -2]),
            edge(0, 0, &[3]),
            edge(1, 0, &[3]),
        ];
        simplify_edges(&mut edges);
        assert_eq!(edges, [edge(0, 1, &[]), edge(1, 0, &[3])]);
    }
}
