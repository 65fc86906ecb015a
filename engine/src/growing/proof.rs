//! The argument that no run has a property: a cover, and rankings of its components.

use crate::ranking::program::{Step, solve};
use crate::ranking::remove_excluded;
use parikh_evidence::no_run::cover::{CoverGraph, CoverNode};
use parikh_evidence::no_run::pairs::Pairs;
use parikh_evidence::no_run::{NoRun, NoRunFlaw, RankingFunction};
use parikh_net::Net;
use parikh_net::run_property::RunProperty;
use parikh_solvers::Budget;
use std::collections::BTreeSet;

/// The pairs that the argument's premises leave.
pub(super) fn pairs(
    net: &Net,
    property: &RunProperty,
    argument: &NoRun,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Pairs, NoRunFlaw> {
    let mut pairs = Pairs::new(net, property, &argument.tableau.automaton, goes_on)?;
    remove_excluded(&mut pairs, &argument.refuted);
    Ok(pairs)
}

/// The argument with this cover, if there are rankings of all components with all marks.
pub(super) fn argue(
    net: &Net,
    property: &RunProperty,
    argument: &NoRun,
    cover: Vec<CoverNode>,
    budget: &Budget,
) -> Option<NoRun> {
    let goes_on = &mut || !budget.is_exhausted();
    let pairs = pairs(net, property, argument, goes_on).ok()?;
    let automaton = &argument.tableau.automaton;
    let graph = CoverGraph::new(net, property, automaton, &pairs, &cover, goes_on);
    let mut graph = graph.inspect_err(|flaw| tracing::debug!("growing runs: {flaw}")).ok()?;
    let mut rankings = Vec::new();
    while let Some(node) = graph.accepting_node(&[]) {
        let effect = |t| Some(net.effect_of(t)).filter(|&class| !net.effect(class).is_empty());
        let inside = graph.edges_in_component_of(node);
        let steps = inside.iter().map(|edge| (edge.mover.and_then(effect), edge.from, edge.to));
        let steps: BTreeSet<Step> = steps.collect();
        let ranking = RankingFunction { state: node, ..solve(net, &steps, budget)?.ranking? };
        if graph.rank(&ranking, goes_on).ok()? == 0 {
            return None;
        }
        rankings.push(ranking);
    }
    drop(graph);
    Some(NoRun { cover, rankings, ..argument.clone() })
}
