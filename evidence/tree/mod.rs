//! Evidence about the tree of runs: markings with the formulas of CTL that are true of them.
//!
//! A *labelling* claims that a formula is true of the initial marking, and lists what that stands
//! on: markings, and with each the temporal parts of the formula that are true of it. Formulas are
//! in negation normal form, so all claims are positive, and each is seen to follow from others:
//!
//! | claim at m | follows from |
//! |---|---|
//! | EX φ | one firing leads to a marking with φ |
//! | AX φ | every firing does |
//! | E(φ U ψ) | ψ; or φ, and one firing leads to the same claim with a smaller *rank* |
//! | A(φ U ψ) | ψ; or φ, m is not dead, and every firing leads to the same claim with a smaller rank |
//! | E(φ R ψ) | ψ, and one of: φ; m is dead; one firing leads to the same claim |
//! | A(φ R ψ) | ψ, and one of: φ; every firing leads to the same claim |
//!
//! Atoms are evaluated, ∧ and ∨ are what they are. Where a firing leads to a marking that is not
//! listed, one that is reached from there by firings that the formula does not see ([`silent`])
//! stands for it.
//!
//! # Why that is enough
//! By induction over formulas, and for untils over ranks, which are natural numbers and so cannot
//! decrease for ever. Markings that claim φ R ψ are a set from which each path, or the one that is
//! named, stays in the set up to where φ holds too, and all of the set satisfies ψ: that set is
//! below the greatest fixpoint. Successors are made by firing, here; a successor that is not listed
//! makes the claim fail.
//!
//! # Premises
//! A labelling may rest on predicates that no reachable marking satisfies, and on some that stay
//! reachable wherever the net goes. All markings that claims are checked at are reachable or
//! claimed for nothing: whoever is listed and not reachable is never asked for by the claim at the
//! initial marking. So a part of the formula holds in all of them that is implied by a predicate
//! ([`implied_by`]) whose negation is such a predicate, EF φ does where what implies φ stays
//! reachable, and with these what follows from them (`everywhere`): E(φ U ψ) where φ holds
//! everywhere and ψ stays reachable, EX φ where φ holds everywhere and no reachable marking is
//! dead.
//!
//! Source: the labelling algorithm of Clarke, Emerson and Sistla, TOPLAS 1986; ranks as in
//! Namjoshi, *Certifying Model Checkers*, CAV 2001.

mod bounds;
mod implied;
mod labelling;
mod line;
mod silent;
pub mod visit;

pub use bounds::{RunBounds, run_bounds};
pub use implied::{MOST_LEAVES, implied_by};
pub use labelling::{Claim, Given, Labelling, LabellingFlaw, everywhere};
pub use line::NamedLabelling;
pub use silent::silent;

#[cfg(test)]
mod tests;
