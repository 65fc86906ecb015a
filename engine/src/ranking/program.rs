//! The linear program of a component of the automaton, and the weights of places and states from
//! its dual values.

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{ToPrimitive as _, Zero as _};
use parikh_evidence::no_run::RankingFunction;
use parikh_evidence::no_run::pairs::Pairs;
use parikh_net::{EffectId, Net, PlaceId};
use parikh_solvers::Budget;
use parikh_solvers::linear_program::{Interval, LinearProgram, ProgramError, Row, Sense};
use parikh_solvers::lp::{IncrementalLp, LpAnswer};
use parikh_solvers::lp_chosen::incremental_lp;
use std::collections::{BTreeMap, BTreeSet};

/// Limit on the number of columns of a linear program.
const MAX_COLUMNS: usize = 400_000;

/// A group of pairs, each of an automaton edge with a transition or with the stuttering of a dead
/// marking. The fields are the transition's effect class, and the source and target state of the
/// edge. The effect class is `None` if the marking does not change.
pub(crate) type Step = (Option<EffectId>, usize, usize);

/// A solution of the linear program of several steps.
pub(crate) struct Solution {
    /// The dual values, as weights of places and values of automaton states. `None` if all of them
    /// are 0 or a number is too large. The `state` of the ranking is the source of the first step.
    pub(crate) ranking: Option<RankingFunction>,
    /// For each step, in ascending order, the number of times that it occurs on the cycles of the
    /// solution.
    pub(crate) step_counts: Vec<f64>,
    /// True if every step occurs on some cycle of the solution, so that no ranking exists.
    pub(crate) is_full: bool,
}

/// Returns a ranking of the component of `state`, that is, a sum of weighted tokens and state
/// values that no pair increases. It decreases along as many pairs as possible. Returns `None` if
/// no pair can decrease, or if the program or a number is too large. Also returns `None` if the
/// result cannot be certified or the budget is exhausted.
pub(super) fn ranking(
    net: &Net,
    pairs: &Pairs,
    state: usize,
    budget: &Budget,
) -> Option<RankingFunction> {
    let ranking = solve(net, &component_steps(net, pairs, state), budget)?.ranking?;
    Some(RankingFunction { state, ..ranking })
}

/// Solves the linear program of these steps. Returns `None` if there are no steps or too many, or
/// if the solver finds no optimum within the budget. Also returns `None` if the result cannot be
/// certified.
pub(crate) fn solve(net: &Net, steps: &BTreeSet<Step>, budget: &Budget) -> Option<Solution> {
    if 2 * steps.len() > MAX_COLUMNS {
        return None;
    }
    let (program, places, states) = component_program(net, steps).ok()?;
    let mut solver = incremental_lp(program);
    let LpAnswer::Optimal(optimum) = solver.solve_again(budget) else { return None };
    let bound = optimum.certify(solver.program()).ok()?;
    let numerators = &bound.multipliers().numerators;
    let pairs = optimum.point.chunks_exact(2);
    let is_full = pairs.clone().all(|pair| pair[0] > 0.99);
    let counts = pairs.map(|pair| pair[0] + pair[1]).collect();
    let state = steps.first()?.1;
    let ranking = integer_weights(numerators, state, &places, &states);
    Some(Solution { ranking, step_counts: counts, is_full })
}

/// Returns the dual values, which `numerators` lists by row, as a ranking with integers without a
/// common divisor. `places` lists the places of the first rows, and `states` the states of the
/// following rows. Returns `None` if all values are 0 or one is too large.
fn integer_weights(
    numerators: &[(Row, BigInt)],
    state: usize,
    places: &[PlaceId],
    states: &[usize],
) -> Option<RankingFunction> {
    let divisor = numerators.iter().fold(BigInt::zero(), |divisor, (_, y)| divisor.gcd(y));
    if divisor.is_zero() {
        return None;
    }
    let mut ranking = RankingFunction { state, weights: Vec::new(), values: Vec::new() };
    // Rows of places have lower bounds, so their dual values are at most 0. Rows of states are
    // equations, so their dual values may have either sign.
    for (row, y) in numerators {
        let y = -(y / &divisor);
        match places.get(row.index()) {
            Some(&place) => ranking.weights.push((place, y.to_u64()?)),
            None => ranking.values.push((states[row.index() - places.len()], y.to_i64()?)),
        }
    }
    Some(ranking)
}

/// Returns the steps of the pairs inside the component of `state`: the effect class (`None` without
/// effect), the source state and the target state.
fn component_steps(net: &Net, pairs: &Pairs, state: usize) -> BTreeSet<Step> {
    let component = pairs.components();
    let is_inside = |other: usize| component[other] == component[state];
    let mut steps = BTreeSet::new();
    for ((from, _), to, movers) in pairs.remaining() {
        if is_inside(from) && is_inside(to) {
            let effect = |t| Some(net.effect_of(t)).filter(|&class| !net.effect(class).is_empty());
            steps.extend(movers.into_iter().map(|mover| (mover.and_then(effect), from, to)));
        }
    }
    steps
}

/// Creates the linear program of the module documentation [above](super). It has two columns per
/// step, a row per changing place, and a row per state that some step enters or leaves. A step from
/// a state to itself needs no row. Also returns the places of the first rows, and the states of the
/// rows after them.
fn component_program(
    net: &Net,
    steps: &BTreeSet<Step>,
) -> Result<(LinearProgram, Vec<PlaceId>, Vec<usize>), ProgramError> {
    let mut program = LinearProgram::new(Sense::Maximise);
    let mut place_rows: BTreeMap<PlaceId, Vec<_>> = BTreeMap::new();
    let mut state_rows: BTreeMap<usize, Vec<_>> = BTreeMap::new();
    let mut costs = Vec::new();
    for &(effect, from, to) in steps {
        let capped = program.add_column(Interval::between(0, 1))?;
        let excess = program.add_column(Interval::NON_NEGATIVE)?;
        costs.push((capped, 1));
        for change in effect.map_or(&[][..], |class| net.effect(class)) {
            let row = place_rows.entry(change.place).or_default();
            row.extend([(capped, change.delta), (excess, change.delta)]);
        }
        if from != to {
            state_rows.entry(from).or_default().extend([(capped, -1), (excess, -1)]);
            state_rows.entry(to).or_default().extend([(capped, 1), (excess, 1)]);
        }
    }
    let places = place_rows.keys().copied().collect();
    let states = state_rows.keys().copied().collect();
    for row in place_rows.into_values() {
        program.add_row(Interval::at_least(0), row)?;
    }
    for row in state_rows.into_values() {
        program.add_row(Interval::exactly(0), row)?;
    }
    program.set_objective(Sense::Maximise, costs)?;
    Ok((program, places, states))
}
