//! Why a goal cannot be reached, or a bound cannot be exceeded.

use super::Certificate;
use std::sync::Arc;

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
    /// Linear arithmetic: the state equation, traps and safe units exclude it. A certificate was
    /// checked before this was said.
    StateEquation {
        /// How many lemmas the certificate has.
        lemmas: usize,
        /// How many traps it uses.
        traps: usize,
        /// Whether the model's own claim of unit-safety (NUPN) was used.
        assumes_units: bool,
        /// The certificate itself, unless a plan of very many goals forgets them.
        certificate: Option<Arc<Certificate>>,
    },
    /// The claim was proved of a net that structural reductions made of the original, and that they
    /// preserve.
    Reduced {
        /// How often a rule was applied.
        applications: u64,
        /// The proof about the reduced net.
        proof: Box<Proof>,
    },
}

impl Proof {
    /// The kind in a few words.
    pub fn kind(&self) -> &'static str {
        match self {
            Proof::Trivial { .. } => "trivial",
            Proof::Intervals { .. } => "intervals",
            Proof::SiphonTrap { .. } => "siphons and traps",
            Proof::Exhausted { stubborn: false, .. } => "exhaustive search",
            Proof::Exhausted { stubborn: true, .. } => "exhaustive search with stubborn sets",
            Proof::StateEquation { .. } => "state equation",
            Proof::Reduced { proof, .. } => match **proof {
                Proof::Intervals { .. } => "intervals, reduced",
                Proof::Exhausted { stubborn: false, .. } => "exhaustive search, reduced",
                Proof::Exhausted { stubborn: true, .. } => {
                    "exhaustive search with stubborn sets, reduced"
                }
                _ => "reduced",
            },
        }
    }

    /// Whether it rests on the model's own claim that its units are safe (NUPN).
    pub fn assumes_units(&self) -> bool {
        match self {
            Proof::Intervals { assumes_units, .. } | Proof::StateEquation { assumes_units, .. } => {
                *assumes_units
            }
            Proof::Reduced { proof, .. } => proof.assumes_units(),
            Proof::Trivial { .. } | Proof::SiphonTrap { .. } | Proof::Exhausted { .. } => false,
        }
    }
}
