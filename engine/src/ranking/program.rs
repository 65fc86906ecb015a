//! The linear program of a component, and the weights from its dual values.

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{ToPrimitive as _, Zero as _};
use parikh_evidence::no_run::RankingFunction;
use parikh_evidence::no_run::pairs::Pairs;
use parikh_net::{EffectId, Net, PlaceId};
use parikh_solvers::Budget;
use parikh_solvers::linear_program::{Interval, LinearProgram, ProgramError, Row, Sense};
use parikh_solvers::lp::{IncrementalLp, LpAnswer};
use parikh_solvers::lp_chosen::keep;
use std::collections::{BTreeMap, BTreeSet};

/// Limit on the number of columns of a program.
const COLUMNS: usize = 400_000;

/// A mover's effect, `None` for no effect, with the states that it leads from and to.
pub(crate) type Step = (Option<EffectId>, usize, usize);

/// A solution of the program of some steps.
pub(crate) struct Solution {
    /// The dual values, as weights of places and values of states. `None` where they are all 0 or
    /// too large. The component's state is the first step's.
    pub(crate) ranking: Option<RankingFunction>,
    /// By step how often it is taken on the cycles found, in the order of the steps.
    pub(crate) taken: Vec<f64>,
    /// True if all steps are taken.
    pub(crate) is_full: bool,
}

/// A ranking of the component of `state` along which as many pairs fall as along any; nothing when
/// Returns `None` if there is none, or if time runs out.
pub(super) fn ranking(
    net: &Net,
    pairs: &Pairs,
    state: usize,
    budget: &Budget,
) -> Option<RankingFunction> {
    let ranking = solve(net, &steps(net, pairs, state), budget)?.ranking?;
    Some(RankingFunction { state, ..ranking })
}

/// Solves the program of these steps; `None` when there is no time, or they are too many.
pub(crate) fn solve(net: &Net, steps: &BTreeSet<Step>, budget: &Budget) -> Option<Solution> {
    if 2 * steps.len() > COLUMNS {
        return None;
    }
    let (program, places, states) = program(net, steps).ok()?;
    let mut solver = keep(program);
    let LpAnswer::Optimal(optimum) = solver.solve_again(budget) else { return None };
    let bound = optimum.certify(solver.program()).ok()?;
    let numerators = &bound.multipliers().numerators;
    let pairs = optimum.point.chunks_exact(2);
    let is_full = pairs.clone().all(|pair| pair[0] > 0.99);
    let taken = pairs.map(|pair| pair[0] + pair[1]).collect();
    let state = steps.first()?.1;
    let ranking = weights(numerators, state, &places, &states);
    Some(Solution { ranking, taken, is_full })
}

/// The dual values as whole numbers without a common divisor.
fn weights(
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
    // The rows have lower bounds, so their dual values are at most 0.
    for (row, y) in numerators {
        let y = -(y / &divisor);
        match places.get(row.index()) {
            Some(&place) => ranking.weights.push((place, y.to_u64()?)),
            None => ranking.values.push((states[row.index() - places.len()], y.to_i64()?)),
        }
    }
    Some(ranking)
}

/// Returns the steps of the pairs in the component of `state`: an effect or none, with the source
/// and target state.
fn steps(net: &Net, pairs: &Pairs, state: usize) -> BTreeSet<Step> {
    let component = pairs.components();
    let inside = |at: usize| component[at] == component[state];
    let mut steps = BTreeSet::new();
    for ((from, _), to, movers) in pairs.left() {
        if inside(from) && inside(to) {
            let effect = |t| Some(net.effect_of(t)).filter(|&class| !net.effect(class).is_empty());
            steps.extend(movers.into_iter().map(|mover| (mover.and_then(effect), from, to)));
        }
    }
    steps
}

/// Creates the linear program of the module documentation [above](super): two columns per step, a
/// row per changing place, and a row per state.
fn program(
    net: &Net,
    steps: &BTreeSet<Step>,
) -> Result<(LinearProgram, Vec<PlaceId>, Vec<usize>), ProgramError> {
    let mut program = LinearProgram::new(Sense::Maximise);
    let mut of_places: BTreeMap<PlaceId, Vec<_>> = BTreeMap::new();
    let mut of_states: BTreeMap<usize, Vec<_>> = BTreeMap::new();
    let mut costs = Vec::new();
    for &(effect, from, to) in steps {
        let once = program.add_column(Interval::between(0, 1))?;
        let more = program.add_column(Interval::NON_NEGATIVE)?;
        costs.push((once, 1));
        for change in effect.map_or(&[][..], |class| net.effect(class)) {
            let row = of_places.entry(change.place).or_default();
            row.extend([(once, change.delta), (more, change.delta)]);
        }
        if from != to {
            of_states.entry(from).or_default().extend([(once, -1), (more, -1)]);
            of_states.entry(to).or_default().extend([(once, 1), (more, 1)]);
        }
    }
    let places = of_places.keys().copied().collect();
    let states = of_states.keys().copied().collect();
    for row in of_places.into_values() {
        program.add_row(Interval::at_least(0), row)?;
    }
    for row in of_states.into_values() {
        program.add_row(Interval::exactly(0), row)?;
    }
    program.set_objective(Sense::Maximise, costs)?;
    Ok((program, places, states))
}
