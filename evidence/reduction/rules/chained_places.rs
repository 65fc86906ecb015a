//! A place that only another one feeds, token by token, is one place with it.
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
//! Candidate: places p ≠ q and a transition t, which goes.
//! 1. t takes one token from p and puts one to q, and does nothing else.
//! 2. No transition but t puts anything to q.
//! 3. q is empty initially.
//!
//! # Preserves
//! M: the tokens of the place that is left are those of p and q together, and every way to
//! distribute them is reachable.
//!
//! # Soundness
//! Every firing of the net before is one of the net after, or t, which changes no sum: nothing else
//! is reached. For the other way, keep all tokens in p along a run of the net after, and fire t
//! before each transition as often as it takes from q; by (2) it puts back nothing there, so by (3)
//! q is empty again. In the end any number of the tokens in p can be moved to q. (2) is meant
//! literally: a transition that reads q would leave a token there that cannot go back.
//!
//! # Sources
//! Berthomieu, Le Botlan, Dal Zilio, *Counting Petri net markings from reduction equations*, STTT
//! 22, 2020: *simple chains*.

use super::fused_cycles::move_of;
use super::{Candidate, Conditions, Context, Edit, Preserve};

/// The conditions; see the module.
pub const RULE: Conditions = Conditions::new("chained-places", Preserve::MARKINGS, 3, check);

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let (&[p, q], &[t]) = (&candidate.places[..], &candidate.transitions[..]) else { return None };
    net.require(1, move_of(net, t) == Some((p, q)))?;
    net.require(2, net.producers(q).all(|u| u == t))?;
    net.require(3, net.tokens(q) == 0)?;
    Some(vec![Edit::RemoveTransition(t), Edit::Fuse(vec![p, q])])
}
