//! Edges of one state against each other.

use crate::automaton::Edge;

/// Leaves out an edge if another to the same state reads all its letters and carries all its marks,
/// and makes one of two that differ in the sign of one literal only. Sorted after that.
///
/// Every run that takes an edge that was left out can take the other one, with as many marks; and
/// two edges that become one read the same letters as before. So the words stay the same.
pub(super) fn tidy(edges: &mut Vec<Edge>) {
    edges.sort_unstable();
    edges.dedup();
    loop {
        let mut merged = Vec::new();
        for group in edges.chunk_by(|one, two| one.target == two.target && one.marks == two.marks) {
            for (at, one) in group.iter().enumerate() {
                let both = group[..at].iter().filter_map(|two| one.cube.merged(&two.cube));
                merged.extend(both.map(|cube| Edge { cube, ..one.clone() }));
            }
        }
        // Where cubes merge, both of them are superfluous beside the new one.
        let grows = !merged.is_empty();
        edges.extend(merged);
        let all = std::mem::take(edges);
        for (at, edge) in all.iter().enumerate() {
            let mut others = all.iter().enumerate().filter(|&(other, _)| other != at);
            let is_superfluous = others.any(|(other, better)| {
                let as_good = better.target == edge.target
                    && edge.marks.within(better.marks)
                    && better.cube.contains(&edge.cube);
                // Of two equal ones the first stays.
                as_good && (other < at || better != edge)
            });
            if !is_superfluous {
                edges.push(edge.clone());
            }
        }
        edges.sort_unstable();
        if !grows {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::Marks;
    use crate::automaton::cube::cube;

    fn edge(target: usize, marks: u64, literals: &[i32]) -> Edge {
        Edge { target, marks: Marks(marks), cube: cube(literals) }
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
        tidy(&mut edges);
        assert_eq!(edges, [edge(0, 1, &[]), edge(1, 0, &[3])]);
    }
}
