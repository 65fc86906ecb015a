//! Removes everything but a transition that is always enabled, because then there is no deadlock.
//!
//! ```text
//! # deadlock
//! place p 1
//! place q
//! transition a: -> p
//! transition b: p -> q
//! # becomes
//! transition a: ->
//! ```
//!
//! # Conditions
//! The module `rules` explains the notation.
//!
//! Candidate: a transition t.
//! 1. t consumes nothing.
//!
//! # Preserves
//! D only.
//!
//! # Soundness
//! By (1) t is enabled in every marking: neither net has a dead marking, whatever else is removed.
//!
//! # Sources
//! Thierry-Mieg, *Structural reductions revisited*, Petri Nets 2020. There it must precede the
//! prefix of interest, which would otherwise produce a net with a deadlock.

use super::{Candidate, Conditions, Context, Edit, Preserve};

/// The rule; the module documentation states the conditions.
pub const RULE: Conditions = Conditions::new("source-transitions", Preserve::DEADLOCK, 1, check);

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let [t] = candidate.transitions[..] else { return None };
    net.require(1, net.pre(t).is_empty())?;
    let others = net.transitions().filter(|&other| other != t).map(Edit::RemoveTransition);
    let arcs = net.arcs(t).map(|(p, ..)| Edit::SetArcs(p, vec![(t, 0, 0)]));
    let places = net.places().filter(|&p| !net.in_support(p)).map(Edit::RemovePlace);
    Some(others.chain(arcs).chain(places).collect())
}
