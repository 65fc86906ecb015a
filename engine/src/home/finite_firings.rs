//! Finds transitions that fire only finitely often, by place weights.
//!
//! Let w ≥ 0 be weights such that no firing increases w·m, and firing t decreases it. Then t fires
//! at most w·m₀ times, and is not live. By duality, such weights exist for t exactly if no x ≥ 0
//! has C·x ≥ 0 and x(t) > 0. Such an x would be the firing counts of a sequence that could repeat
//! forever. One linear program finds all such t at once. It maximises Σ s subject to C·(s + r) ≥ 0,
//! 0 ≤ s ≤ 1, 0 ≤ r. The dual values of its rows are the weights. They are made rational, and
//! checked in integers.
//!
//! # Conditions
//! 1. w ≥ 0, w·C ≤ 0, and w·C(t) < 0 for all transitions t whose enabledness satisfies the goal.
//!
//! # Sources
//! G. Memmi, G. Roucairol, *Linear algebra in net theory*, 1980 (repetitive and finite nets); J.
//! Farkas, *Theorie der einfachen Ungleichungen*, 1902.

use super::{enabled_transitions, open_goals};
use crate::board::HomeReporter;
use crate::{Assignment, Engine, ResultKinds, Role, SupportedGoals, stateless_session};
use num_integer::Integer as _;
use num_traits::{Signed as _, ToPrimitive as _, Zero as _};
use parikh_evidence::home::HomeArgument;
use parikh_net::printable::counted;
use parikh_net::{EffectId, Net, PlaceId, TransitionId};
use parikh_solvers::Budget;
use parikh_solvers::linear_program::{Interval, LinearProgram, ProgramError, Sense};
use parikh_solvers::lp::{IncrementalLp, LpAnswer};
use parikh_solvers::lp_chosen::incremental_lp;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The registry entry of the engine.
pub const ENGINE: Engine = Engine {
    name: "finite firings",
    technique: "STATE_EQUATION",
    result_kinds: ResultKinds::Proofs,
    role: Role::Homes,
    supported: SupportedGoals::HOMES,
    start: |work| stateless_session(move |budget| run(&work, budget)),
};

/// Runs the engine and returns a one-line summary.
fn run(assignment: &Assignment<'_>, budget: &Budget) -> String {
    let net = assignment.working_net.net();
    let home_reporter = assignment.board.home_reporter("STATE_EQUATION");
    // Weight 1 for every place that never gains tokens needs no linear program: no firing increases
    // the sum of the tokens on these places.
    let can_gain = |place| {
        let is_gaining_arc =
            |arc: &parikh_net::PlaceArc| net.pre_weight(arc.transition, place) < arc.weight;
        net.producers(place).iter().any(is_gaining_arc)
    };
    let weights_of_never_gaining: Vec<(PlaceId, u64)> =
        net.places().filter(|&place| !can_gain(place)).map(|place| (place, 1)).collect();
    let refuted = report(assignment, home_reporter, &weights_of_never_gaining);
    let mut summary = match refuted {
        0 => String::new(),
        _ => format!("{} refuted by places that never gain tokens; ", counted(refuted, "goal")),
    };
    if open_goals(assignment.working_net, assignment.board).next().is_none() {
        return summary + "no goal left";
    }
    let Some(weights) = weights(net, net.effect_classes(), budget) else {
        return summary + "no weights";
    };
    let refuted = report(assignment, home_reporter, &weights);
    let (goals, places) = (counted(refuted, "goal"), counted(weights.len(), "place"));
    summary += &format!("{goals} refuted by a weighted sum of {places}");
    summary
}

/// Reports that the weights refute goals: each transition whose enabledness satisfies the goal can
/// fire only finitely often. Reports at most [`MAX_GOALS`] goals. Returns the number of refuted
/// goals.
fn report(
    assignment: &Assignment<'_>,
    home_reporter: HomeReporter<'_>,
    weights: &[(PlaceId, u64)],
) -> usize {
    let net = assignment.working_net.net();
    let mut weight = vec![0u64; net.place_count()];
    weights.iter().for_each(|&(place, w)| weight[place.index()] = w);
    let is_decreasing = |t| {
        let term = |change: &parikh_net::Change| {
            i128::from(weight[change.place.index()]) * i128::from(change.delta)
        };
        net.delta(t).iter().map(term).sum::<i128>() < 0
    };
    let structure = Arc::new(HomeArgument::Finitely(weights.to_vec()));
    let (mut reported, mut refuted) = (0, 0);
    for (id, predicate) in open_goals(assignment.working_net, assignment.board) {
        if enabled_transitions(predicate)
            .is_some_and(|transitions| transitions.into_iter().all(is_decreasing))
        {
            home_reporter.report_lost_finitely(id, &structure);
            reported += 1;
            refuted += usize::from(!assignment.board.is_open(id));
            // Each report is checked separately, and a single one decides liveness of the net.
            if reported == MAX_GOALS {
                break;
            }
        }
    }
    refuted
}

/// Limit on the number of goals refuted by the same weights. For a question about all transitions,
/// one refuted goal is sufficient.
const MAX_GOALS: usize = 64;

/// Returns place weights such that every firing of these transitions decreases the weighted sum of
/// tokens. Returns `None` if such weights do not exist, or if none are found and certified in time.
/// Also returns `None` if a number is too large.
pub(super) fn decreasing_weights(
    net: &Net,
    transitions: &[TransitionId],
    budget: &Budget,
) -> Option<Vec<(PlaceId, u64)>> {
    let classes: BTreeSet<EffectId> = transitions.iter().map(|&t| net.effect_of(t)).collect();
    let weights = weights(net, classes.into_iter(), budget)?;
    let decreasing =
        parikh_evidence::home::ways_back::decreasing_transitions(net, &weights).ok()?;
    transitions.iter().all(|t| decreasing.binary_search(t).is_ok()).then_some(weights)
}

/// Returns place weights such that no transition of these effect classes increases the weighted sum
/// of tokens, and as many classes as possible decrease it. Returns `None` if the weights are all 0,
/// if a number is too large, or if the solver gives no certified optimum in time.
fn weights(
    net: &Net,
    classes: impl Iterator<Item = EffectId>,
    budget: &Budget,
) -> Option<Vec<(PlaceId, u64)>> {
    let program = linear_program(net, classes).ok()?;
    let mut solver = incremental_lp(program);
    let LpAnswer::Optimal(optimum) = solver.solve_again(budget) else { return None };
    let bound = optimum.certify(solver.program()).ok()?;
    let multipliers = bound.multipliers();
    let divisor = multipliers
        .numerators
        .iter()
        .fold(num_bigint::BigInt::zero(), |divisor, (_, multiplier)| divisor.gcd(multiplier));
    if divisor.is_zero() {
        return None;
    }
    let mut weights: Vec<(PlaceId, u64)> = Vec::new();
    for (row, multiplier) in &multipliers.numerators {
        let weight = (multiplier.abs() / &divisor).to_u64()?;
        if weight > 0 {
            weights.push((PlaceId::new(row.index()), weight));
        }
    }
    Some(weights)
}

/// Creates the linear program of the module documentation, with one row per place. Each effect
/// class that changes the marking has a column for s and one for r.
fn linear_program(
    net: &Net,
    classes: impl Iterator<Item = EffectId>,
) -> Result<LinearProgram, ProgramError> {
    let mut program = LinearProgram::new(Sense::Maximise);
    let mut rows = vec![Vec::new(); net.place_count()];
    let mut costs = Vec::new();
    for class in classes.filter(|&class| !net.effect(class).is_empty()) {
        let bounded_column = program.add_column(Interval::between(0, 1))?;
        let unbounded_column = program.add_column(Interval::NON_NEGATIVE)?;
        costs.push((bounded_column, 1));
        for change in net.effect(class) {
            rows[change.place.index()]
                .extend([(bounded_column, change.delta), (unbounded_column, change.delta)]);
        }
    }
    for row in rows {
        program.add_row(Interval::at_least(0), row)?;
    }
    program.set_objective(Sense::Maximise, costs)?;
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn weights_are_found_if_a_transition_fires_finitely_often() {
        let net = text::parse(
            "place a 3\nplace b\nplace c\ntransition t: a -> 2*b\ntransition u: 2*b -> c
             transition v: c -> b",
        )
        .unwrap();
        let weights = weights(&net, net.effect_classes(), &Budget::unlimited()).unwrap();
        let t = parikh_net::Predicate::Enabled(net.transition_named("t").unwrap());
        assert!(
            parikh_evidence::home::finite_firings::check_finite_firings(&net, &weights, &t).is_ok()
        );
        let live = text::parse("place a 1\nplace b\ntransition t: a -> b\ntransition u: b -> a");
        let live = live.unwrap();
        assert_eq!(super::weights(&live, live.effect_classes(), &Budget::unlimited()), None);
        let t = live.transition_named("t").unwrap();
        let alone = decreasing_weights(&live, &[t], &Budget::unlimited()).unwrap();
        assert_eq!(alone, [(live.place_named("a").unwrap(), 1)]);
    }
}
