//! What the engine did, in numbers.

use parikh_solvers::certify::Tally;
use std::time::Duration;

/// What the engine did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Statistics {
    /// Goals shown to be unreachable.
    pub refuted: usize,
    /// Bounds proved, improvements included.
    pub bounds: usize,
    /// Goals that a solution was found for which nothing here excludes.
    pub candidates: usize,
    /// Linear programs solved.
    pub programs: u64,
    /// Those that had no solution.
    pub infeasible: u64,
    /// Those without an answer: out of time, or the solver gave up.
    pub unanswered: u64,
    /// How answers in floating point that refute something were proved exactly.
    pub certified: Tally,
    /// Proofs with numbers too large for a lemma.
    pub too_large: u64,
    /// Lemmas learned.
    pub lemmas: usize,
    /// Traps found.
    pub traps: usize,
    /// Lower bounds of places and weighted sums.
    pub lower_bounds: usize,
    /// Certificates that failed their check: bugs of ours.
    pub faults: usize,
    /// Time spent, set-up included.
    pub time: Duration,
}

impl std::fmt::Display for Statistics {
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
