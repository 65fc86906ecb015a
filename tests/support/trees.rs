//! Evaluation of properties of the computation tree, by naive fixpoints over all markings.

use super::oracle::StateSpace;
use parikh::net::TreeProperty;
use parikh_generate::EdgeGraph;

/// Returns true if the computation tree from the initial marking has the property.
pub(crate) fn holds(space: &StateSpace<'_>, property: &TreeProperty) -> bool {
    values(space, property)[0]
}

/// For each marking, computes if the computation tree from there has the property.
pub(crate) fn values(space: &StateSpace<'_>, property: &TreeProperty) -> Vec<bool> {
    let markings = space.markings();
    let letters = markings.iter().map(|it| property.letter(space.net(), it)).collect();
    let successors = (0..markings.len()).map(|at| space.fired_from(at).map(|(to, _)| to).collect());
    let graph = EdgeGraph::new(letters, successors.collect()).expect("successors are markings");
    graph.values(property.formulas(), property.formula())
}
