//! Bounded model checking and k-induction in integers, with an SMT solver.
//!
//! Reading order: `unrolled` (unrollings as terms, with their solver), `bmc`, `k_induction`.
//!
//! The firing rule of any net is linear arithmetic: unbounded places, weights and 10⁹ tokens cost
//! no more than one-safe places. The limit is the solver, which is Z3 or a command given by the
//! user (`--smt-solver`). The solver runs in its own process, except that Z3 runs in this process
//! if no worker process is available. So these engines run only if requested by name, for
//! comparisons of encodings and solvers. The engine [`WIDE`] also runs by default if the
//! [propositional encoding](crate::bmc) cannot represent the possible numbers of tokens.
//!
//! # Trust
//! The solver is not trusted. A model is converted to a firing sequence, which the board replays.
//! If the solver finds no model, bmc continues with more steps, and k-induction searches for an
//! inductive invariant that the checker verifies.

mod bmc;
mod k_induction;
mod unrolled;

use super::{Assignment, Engine, ResultKinds, Role, Session, SupportedGoals, stateless_session};
use parikh_encodings::propositional::MAX_RANGE;
use parikh_net::Provenance;
use parikh_structure::intervals::Intervals;
use std::time::Duration;

/// The engines that ask the SMT solver.
pub const ENGINES: [Engine; 3] = [BMC, WIDE, K_INDUCTION];

/// The registry entry of SMT-based bounded model checking, which runs on request. Finds witnesses
/// of few steps, also with very large numbers of tokens.
pub const BMC: Engine = Engine {
    name: "bmc-smt",
    technique: TECHNIQUE,
    result_kinds: ResultKinds::Witnesses,
    role: Role::Induction,
    supported: SupportedGoals::MARKINGS,
    start: |work| Ok(Box::new(bmc::session(BMC.name, work)?)),
};

/// The registry entry of SMT-based bounded model checking for nets with places that have more
/// values than the propositional encoding represents. It runs by default if the run has several
/// threads.
pub const WIDE: Engine = Engine {
    name: "bmc-wide",
    role: Role::UnrollWide,
    start: |work| match is_wide(&work) {
        false => stateless_session(|_| "no place has many values".to_owned()),
        true => match bmc::session(WIDE.name, work) {
            Ok(session) => Ok(Box::new(session) as Box<dyn Session>),
            // The user did not request this engine by name, so a missing SMT solver is no error.
            Err(why) => stateless_session(move |_| why.clone()),
        },
    },
    ..BMC
};

/// Returns true if some place may have more values than the [propositional
/// encoding](crate::bmc) represents.
fn is_wide(work: &Assignment<'_>) -> bool {
    let (net, facts) = (work.working_net.net(), work.working_net.facts());
    let intervals = Intervals::new(net, facts);
    let proved = intervals.up_to(Provenance::PROVED);
    let is_narrow = |p, high: u64| i128::from(high) - i128::from(proved.low(p)) <= MAX_RANGE;
    net.places().any(|p| !proved.high(p).is_some_and(|high| is_narrow(p, high)))
}

/// The registry entry of SMT-based k-induction, which runs only on request. An SMT solver checks
/// the step cases. A backward search then looks for inductive invariants.
pub const K_INDUCTION: Engine = Engine {
    name: "k-induction-smt",
    result_kinds: ResultKinds::Both,
    start: |work| Ok(Box::new(k_induction::KInduction::new(work)?)),
    ..BMC
};

/// The technique of these engines, in the names of the Model Checking Contest.
const TECHNIQUE: &str = "SAT_SMT";

/// Minimum and maximum of the time slice per query in the first round. Slices double from round to
/// round.
const FIRST_SLICE: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));

/// Number of rounds with the same k after which k grows, even if the solver has left queries
/// unanswered.
const MAX_ROUNDS: u32 = 2;

/// Returns the time slice per query in the first round for `goals` goals.
fn first_slice(budget: &parikh_solvers::Budget, goals: usize) -> Duration {
    let (shortest, longest) = FIRST_SLICE;
    let equal_share = budget.remaining().map_or(longest, |left| left / goals.max(1) as u32);
    equal_share.clamp(shortest, longest)
}
