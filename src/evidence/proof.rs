//! Why a goal cannot be reached, or a bound cannot be exceeded.

/// The argument behind an "unreachable" or an "at most".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The predicate is false in every marking whatsoever, by its form or by the net's structure
    /// alone.
    Trivial {
        /// The reason in a sentence.
        reason: String,
    },
    /// Bounds on the tokens of each place, found by one pass over the arcs, contradict the claim.
    Intervals {
        /// Whether the model's own claim of unit-safety (NUPN) was used.
        assumes_units: bool,
        /// Whether place invariants gave some of the bounds.
        uses_flows: bool,
    },
    /// No marking can be dead: each set of places that a dead marking would leave empty contains a
    /// trap that is marked initially.
    SiphonTrap {
        /// How many traps it takes.
        traps: usize,
    },
    /// Every reachable marking was visited and none contradicts the claim.
    Exhausted {
        /// How many markings were visited.
        states: u64,
        /// Whether stubborn sets left out markings that cannot matter to this goal.
        stubborn: bool,
    },
}
