//! Removes transitions that cannot affect S, all at once.
//!
//! ```text
//! # reachability over q
//! place p 1
//! place q
//! place r 1
//! place s
//! transition a: p -> q
//! transition b: r -> p
//! transition c: q + s -> q + r
//! transition d: p -> s + p
//! transition e: r -> r + r
//! transition f: p + r ->
//! # becomes
//! place p 1
//! place q
//! place r 1
//! place s
//! transition a: p -> q
//! transition b: r -> p
//! transition c: q + s -> q + r
//! transition d: p -> p + s
//! transition e: r -> 2*r
//! ```
//!
//! # Conditions
//! The module `rules` explains the notation.
//!
//! Candidate: a set D of transitions; all are removed. (With D = {t} for a t that increases no
//! place, these are the *sink transitions* of other tools.)
//! 1. No transition of D touches S.
//! 2. No transition of D increases the tokens of an input place of a transition outside D.
//!
//! # Preserves
//! R only. For D all transitions that take tokens from other transitions would have to stay.
//!
//! # Soundness
//! Leave the firings of D out of a run. By (2) the input places of the other transitions then hold
//! no fewer tokens at any time, so these transitions still fire; by (1) S holds the same. Only
//! places from which a transition outside D takes matter, so nothing is assumed about other places.
//! The largest D is found by growing its complement from the transitions that touch S.
//!
//! # Sources
//! Rules I, a cone of influence, and G of verifypn. The *prefix of interest* of ITS-Tools
//! (Thierry-Mieg, *Structural reductions revisited*, 2020) keeps transitions that lost inputs,
//! which breaks the back-translation of runs, and its implementation is unsound for deadlocks.

use super::{Candidate, Conditions, Context, Edit, Preserve};
use parikh_net::TransitionId;

/// The rule; the module documentation states the conditions.
pub const RULE: Conditions = Conditions::new("relevance", Preserve::REACHABILITY, 2, check);

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let mut is_removed = vec![false; net.transition_ids()];
    candidate.transitions.iter().for_each(|t| is_removed[t.index()] = true);
    let mut is_needed: Vec<Option<bool>> = vec![None; net.place_ids()];
    for &t in &candidate.transitions {
        net.require(1, !net.touches_support(t))?;
        for (p, _) in net.changes(t).filter(|&(_, change)| change > 0) {
            let is_kept = |u: TransitionId| !is_removed[u.index()];
            let is_needed =
                is_needed[p.index()].get_or_insert_with(|| net.consumers(p).any(is_kept));
            net.require(2, !*is_needed)?;
        }
    }
    Some(candidate.transitions.iter().map(|&t| Edit::RemoveTransition(t)).collect())
}
