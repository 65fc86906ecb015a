//! The proof that no run has a property. It consists of a cover, that is, nodes that no run leaves,
//! and of ranking functions for the components of the cover's graph.

use crate::ranking::program::{Step, solve};
use crate::ranking::remove_excluded;
use parikh_evidence::no_run::cover::{CoverGraph, CoverNode};
use parikh_evidence::no_run::pairs::Pairs;
use parikh_evidence::no_run::{NoRun, NoRunFlaw, RankingFunction};
use parikh_net::Net;
use parikh_net::run_property::RunProperty;
use parikh_solvers::Budget;
use std::collections::BTreeSet;

/// Returns the possible pairs of an edge of the property's automaton and a transition. Pairs that
/// the premises of `argument` exclude are left out.
///
/// # Errors
/// Returns an error if the pairs cannot be computed, for example because `may_continue` returns
/// false.
pub(super) fn remaining_pairs(
    net: &Net,
    property: &RunProperty,
    argument: &NoRun,
    may_continue: &mut dyn FnMut() -> bool,
) -> Result<Pairs, NoRunFlaw> {
    let mut pairs = Pairs::new(net, property, &argument.tableau.automaton, may_continue)?;
    remove_excluded(&mut pairs, &argument.refuted);
    Ok(pairs)
}

/// Returns a proof that no run has the property. `cover` has the nodes that together represent all
/// reachable markings with their automaton states. The proof adds ranking functions, each of which
/// excludes edges, until no component of the cover has all acceptance marks. Edges that fairness
/// excludes do not count. Returns `None` if no suitable ranking function is found, the cover is
/// refused, or the budget is exhausted.
pub(super) fn prove(
    net: &Net,
    property: &RunProperty,
    argument: &NoRun,
    cover: Vec<CoverNode>,
    budget: &Budget,
) -> Option<NoRun> {
    let may_continue = &mut || !budget.is_exhausted();
    let pairs = remaining_pairs(net, property, argument, may_continue).ok()?;
    let automaton = &argument.tableau.automaton;
    let graph = CoverGraph::new(net, property, automaton, &pairs, &cover, may_continue);
    let mut graph = graph.inspect_err(|flaw| tracing::debug!("growing runs: {flaw}")).ok()?;
    let mut rankings = Vec::new();
    while let Some(node) = graph.accepting_node(&[]) {
        let effect = |t| Some(net.effect_of(t)).filter(|&class| !net.effect(class).is_empty());
        let component_edges = graph.edges_in_component_of(node);
        let steps =
            component_edges.iter().map(|edge| (edge.mover.and_then(effect), edge.from, edge.to));
        let steps: BTreeSet<Step> = steps.collect();
        let ranking = RankingFunction { state: node, ..solve(net, &steps, budget)?.ranking? };
        if graph.rank(&ranking, may_continue).ok()? == 0 {
            return None;
        }
        rankings.push(ranking);
    }
    // The graph borrows `cover`, which becomes a part of the proof.
    drop(graph);
    Some(NoRun { cover, rankings, ..argument.clone() })
}
