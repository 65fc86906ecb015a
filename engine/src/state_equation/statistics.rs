//! Statistics of the engine for one net, over all slices.

use parikh_solvers::certify::Tally;
use std::time::Duration;

/// Statistics of the engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct StateEquationStatistics {
    /// Number of goals proved unreachable.
    pub refuted: usize,
    /// Number of proved upper bounds of sums to maximise. Each improvement counts.
    pub bounds: usize,
    /// Number of goals that have a candidate at present, that is, a solution of the linear program
    /// that satisfies the goal.
    pub candidates: usize,
    /// Number of linear programs solved.
    pub programs: u64,
    /// Number of conjunctions of comparisons that the linear program solver found infeasible.
    pub infeasible: u64,
    /// Number of linear programs without a usable answer: out of time, the solver gave up, or its
    /// answer was unexpected.
    pub unanswered: u64,
    /// Counts of exact proofs made from floating-point answers of the linear program solver.
    pub certified: Tally,
    /// Number of proofs with numbers too large for a lemma.
    pub too_large: u64,
    /// Number of lemmas learnt.
    pub lemmas: usize,
    /// Number of traps with a row in the program.
    pub traps: usize,
    /// Number of lower bounds of places and weighted sums with a row in the program.
    pub lower_bounds: usize,
    /// Number of certificates that failed their check. Each failure is an internal error.
    pub faults: usize,
    /// Total time, including set-up.
    pub time: Duration,
}

impl std::fmt::Display for StateEquationStatistics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} goals refuted, {} bounds, {} candidates; {} programs ({} infeasible, {} without an \
             answer); refutations and bounds certified: {}, {} too large; {} lemmas, {} traps, {} \
             lower bounds, {:.2?}",
            self.refuted,
            self.bounds,
            self.candidates,
            self.programs,
            self.infeasible,
            self.unanswered,
            self.certified,
            self.too_large,
            self.lemmas,
            self.traps,
            self.lower_bounds,
            self.time
        )
    }
}
