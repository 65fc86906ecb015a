//! Evidence about branching-time properties: markings labelled with CTL formulas that are true of
//! them.
//!
//! A *labelling* claims that a formula is true of the initial marking. It lists markings, and for
//! each the temporal subformulas that are true of it. Formulas are in negation normal form, so all
//! claims are positive. Each claim is checked to follow from others:
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
//! Atoms, ∧ and ∨ are evaluated. A firing may lead to a marking that is not listed. A listed
//! marking then represents it, if it is reached from there by firings that the formula cannot
//! observe ([`silent`](fn@silent)).
//!
//! # Soundness
//! By induction over formulas, and for untils over ranks, which are natural numbers and so cannot
//! decrease forever. For releases, consider the set of markings that claim φ R ψ. All of them
//! satisfy ψ. Each path from one of them (or the given one) stays in the set until φ holds, too. So
//! the set is contained in the greatest fixed point. The checker computes successors by firing; a
//! successor that is not listed makes the claim fail.
//!
//! # Premises
//! A labelling may use premises: predicates that no reachable marking satisfies, and predicates
//! that *stay reachable*, that is, are reachable from every reachable marking. Listed markings may
//! be unreachable, but the claim at the initial marking never depends on these. So the following
//! subformulas hold at all relevant markings (`hold_everywhere`):
//!
//! - a subformula that is implied by a predicate ([`implying_predicates`]) whose negation no
//!   reachable marking satisfies;
//! - EF φ, if a predicate that implies φ stays reachable;
//! - E(φ U ψ), if φ holds everywhere and ψ stays reachable;
//! - EX φ, if φ holds everywhere and no reachable marking is dead;
//! - all consequences of these.
//!
//! Source: the labelling algorithm of Clarke, Emerson and Sistla, TOPLAS 1986; ranks as in
//! Namjoshi, *Certifying Model Checkers*, CAV 2001.

mod bounds;
mod implying;
mod labelling;
mod line;
mod silent;
pub mod visit;

pub use bounds::{RunBounds, run_bounds};
pub use implying::{MAX_LEAVES, implying_predicates};
pub use labelling::{LabelClaim, Labelling, LabellingFlaw, TreePremises, hold_everywhere};
pub use line::NamedLabelling;
pub use silent::silent;

#[cfg(test)]
mod tests;
