//! Structural reductions of the net for several questions: the sizes before and after, and the
//! applications of each rule.

use super::text::Sentence;
use parikh_net::Net;
use parikh_reduction::{Needs, NetSize, Reduction, ReductionConfig, needs, reduce};
use parikh_solvers::Budget;
use serde::Serialize;

/// The result of a reduction.
#[derive(Clone, Debug, Serialize)]
pub struct ReductionSummary {
    /// The question whose answer the reduction preserves.
    pub keeps: &'static str,
    /// Numbers of places, transitions and arcs before the reduction.
    pub before: [usize; 3],
    /// Numbers of places, transitions and arcs after the reduction.
    pub after: [usize; 3],
    /// The rules with their numbers of applications.
    pub rules: Vec<(&'static str, u64)>,
    /// The first applications of rules, in order.
    pub steps: Vec<Sentence>,
    /// The total number of applications.
    pub applications: usize,
    /// Indices of the places of the original net that remain.
    pub places: Vec<usize>,
    /// Indices of the transitions of the original net that remain.
    pub transitions: Vec<usize>,
    /// True if the budget ended the reduction, that is, the time limit or an interruption.
    pub cut_short: bool,
}

/// The largest number of applications listed.
const LISTED: usize = 60;

/// Reduces the net for three questions: dead markings, quasi-liveness and liveness of all
/// transitions.
pub(super) fn reductions(net: &Net, budget: &Budget) -> Vec<ReductionSummary> {
    let questions: [(&'static str, Needs); 3] = [
        ("deadlock", needs::deadlock()),
        ("quasi-liveness", needs::quasi_liveness(net.transitions())),
        ("liveness", needs::liveness(net.transitions())),
    ];
    let config = ReductionConfig { linear: false, ..ReductionConfig::default() };
    let mut summaries = Vec::new();
    for (index, (keeps, needs)) in questions.into_iter().enumerate() {
        let budget = budget.portion(1.0 / (3 - index) as f64);
        summaries.push(summarise(net, keeps, &reduce(net, &needs, &budget, &config)));
    }
    summaries
}

/// Summarises a reduction of `net`. `keeps` names the question whose answer it preserves.
fn summarise(net: &Net, keeps: &'static str, reduction: &Reduction) -> ReductionSummary {
    let size = |size: NetSize| [size.places, size.transitions, size.arcs];
    let statistics = &reduction.statistics;
    let rules = statistics.rules.iter().filter(|rule| rule.applied > 0);
    let log = reduction.log.in_names(net, reduction.needs());
    let step = |step: &parikh_reduction::LogStep| {
        let text = Sentence::from_words(format!("{}: ", step.rule));
        let nodes: Vec<(bool, &String)> = step
            .places
            .iter()
            .map(|name| (true, name))
            .chain(step.transitions.iter().map(|name| (false, name)))
            .collect();
        text.list(&nodes, ", ", |text, &(is_place, name)| match is_place {
            true => net
                .place_named(name)
                .map_or_else(|| text.clone().push_words(name), |p| text.clone().place(p)),
            false => net
                .transition_named(name)
                .map_or_else(|| text.clone().push_words(name), |t| text.clone().transition(t)),
        })
    };
    let is_left = |t: &parikh_net::TransitionId| reduction.map_transition(*t).is_some();
    ReductionSummary {
        keeps,
        before: size(statistics.size_before),
        after: size(statistics.size_after),
        rules: rules.map(|rule| (rule.name, rule.applied)).collect(),
        steps: log.steps.iter().take(LISTED).map(step).collect(),
        applications: log.steps.len(),
        places: net
            .places()
            .filter(|&p| reduction.map_place(p).is_some())
            .map(|p| p.index())
            .collect(),
        transitions: net.transitions().filter(is_left).map(|t| t.index()).collect(),
        cut_short: statistics.cut_short,
    }
}
