//! Bounded model checking and k-induction in integers, asked of an SMT solver.
//!
//! Read in this order: `unrolled` (markings in a row as terms, and who is asked about them), `bmc`,
//! `k_induction`.
//!
//! Whatever a net is like, its firings are linear arithmetic: places without bounds, weights, 10⁹
//! tokens cost no more than one-safe ones. What decides how far one gets is the solver, which is Z3
//! or any command of the user (`--smt-solver`), always in a process of its own; so these engines
//! take part where they are asked for by name, and are there for whoever compares encodings and
//! solvers. One takes part by default where [propositions](crate::engine::bmc) cannot write down
//! how many tokens there may be.
//!
//! # Whom to believe
//! Nobody. A model becomes a firing sequence, which the board replays. That a solver finds no model
//! is its word: bmc goes on with more steps then, and what k-induction hears makes it look for an
//! inductive invariant, which is a document for the checker, or nothing is answered.

mod bmc;
mod k_induction;
mod unrolled;

use super::{Assignment, Engine, Role, Session, Sides, Takes, each_slice_anew};
use crate::structure::intervals::Intervals;
use parikh_encodings::propositional::RANGE;
use parikh_net::Provenance;
use std::time::Duration;

/// In the registry, for whoever asks for it: witnesses of few steps, whatever the numbers.
pub const BMC: Engine = Engine {
    name: "bmc-smt",
    technique: TECHNIQUE,
    sides: Sides::Under,
    role: Role::Induction,
    takes: Takes::MARKINGS,
    start: |work| Ok(Box::new(bmc::session(work)?)),
};

/// In the registry: the same, where places may hold more than propositions are written down for.
pub const WIDE: Engine = Engine {
    name: "bmc-wide",
    role: Role::UnrollWide,
    start: |work| match is_wide(&work) {
        false => each_slice_anew(|_| "no place has many values".to_owned()),
        true => match bmc::session(work) {
            Ok(session) => Ok(Box::new(session) as Box<dyn Session>),
            // Nobody asked for it.
            Err(why) => each_slice_anew(move |_| why.clone()),
        },
    },
    ..BMC
};

/// Whether some place may have more values than [propositions](crate::engine::bmc) are written down
/// for.
fn is_wide(work: &Assignment<'_>) -> bool {
    let (net, facts) = (work.ground.net(), work.ground.facts());
    let intervals = Intervals::new(net, facts);
    let level = intervals.within(Provenance::PROVED);
    let few = |p, high: u64| i128::from(high) - i128::from(level.low(p)) <= RANGE;
    net.places().any(|p| !level.high(p).is_some_and(|high| few(p, high)))
}

/// In the registry, for whoever asks for it: step cases by a solver, invariants where they hold.
pub const K_INDUCTION: Engine = Engine {
    name: "k-induction-smt",
    sides: Sides::Both,
    start: |work| Ok(Box::new(k_induction::KInduction::new(work)?)),
    ..BMC
};

const TECHNIQUE: &str = "SAT_SMT";

/// The time for a question in the first round, at least and at most; it doubles from round to
/// round.
const FIRST_SLICE: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));

/// A question without answer is asked so often before the row is made longer all the same.
const ROUNDS: u32 = 2;

/// The time for a question in the first round, of so many goals.
fn first_slice(budget: &parikh_solvers::Budget, goals: usize) -> Duration {
    let (least, most) = FIRST_SLICE;
    let fair = budget.remaining().map_or(most, |left| left / goals.max(1) as u32);
    fair.clamp(least, most)
}
