//! Merges a place with the only place that feeds it, token by token.
//!
//! ```text
//! # markings
//! place p 2
//! place q
//! place r
//! transition t: p -> q
//! transition a: p -> r
//! transition b: 2*q + r -> p + r
//! # becomes
//! place p 2
//! place r
//! transition a: p -> r
//! transition b: 2*p + r -> p + r
//! ```
//!
//! # Conditions
//! The module `rules` explains the notation.
//!
//! Candidate: places p ≠ q and a transition t, which is removed.
//! 1. t consumes one token from p, produces one on q, and does nothing else.
//! 2. No transition but t produces tokens on q.
//! 3. q is empty initially.
//!
//! # Preserves
//! M: the tokens of the merged place are those of p and q together, and every distribution of them
//! over p and q is reachable.
//!
//! # Soundness
//! A firing of the original net is a firing of the reduced net, or it is t, which does not change
//! the sum. So no marking is reachable beyond those of the reduced net. Conversely, take a run of
//! the reduced net and keep all tokens in p. Before each transition, fire t as often as the
//! transition consumes from q. By (2) the transition produces nothing on q, so by (3) q is empty
//! again. At the end any number of the tokens of p can be moved to q. (2) includes transitions that
//! read q: they would leave a token there that cannot go back.
//!
//! # Sources
//! Berthomieu, Le Botlan, Dal Zilio, *Counting Petri net markings from reduction equations*, STTT
//! 22, 2020: *simple chains*.

use super::fused_cycles::move_of;
use super::{Candidate, Conditions, Context, Edit, Preserve};

/// The rule; the module documentation states the conditions.
pub const RULE: Conditions = Conditions::new("chained-places", Preserve::MARKINGS, 3, check);

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let (&[p, q], &[t]) = (&candidate.places[..], &candidate.transitions[..]) else { return None };
    net.require(1, move_of(net, t) == Some((p, q)))?;
    net.require(2, net.producers(q).all(|u| u == t))?;
    net.require(3, net.tokens(q) == 0)?;
    Some(vec![Edit::RemoveTransition(t), Edit::Fuse(vec![p, q])])
}
