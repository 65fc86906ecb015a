//! Merges some consumers, which take only from the place, into its producers; the other consumers
//! stay.
//!
//! ```text
//! # reachability over x
//! place a 1
//! place p
//! place x
//! place y
//! transition h: a -> p
//! transition f: p -> y
//! transition g: p + y -> x
//! # becomes
//! place a 1
//! place p
//! place x
//! place y
//! transition h: a -> p
//! transition g: p + y -> x
//! transition h.f: a -> y
//! ```
//!
//! # Conditions
//! The module `rules` explains the notation.
//!
//! Candidate: a place p and some of its consumers F. H are all producers of p.
//! 1. Each f in F consumes w tokens from p and nothing else, and produces none on p.
//! 2. Each h in H produces w tokens on p and consumes none from it.
//! 3. m₀(p) < w.
//!
//! # Preserves
//! R only, and every reachable marking. The choice among the consumers is made early, which may
//! cause a deadlock.
//!
//! # Soundness
//! Consider the last moment before a firing of f at which p held fewer than w tokens. By (3) it
//! exists, and by (2) a firing of some h ended it. From then on p holds at least w, so each other
//! consumer leaves at least w. Move f to right behind that h: the other consumers stay enabled, and
//! f is enabled there by (1). The tokens that f produces come earlier. Do so for one f after the
//! other, counting h f as a transition that does not change p. The run ends in the same marking. So
//! p may be in S, and f may touch S; but an f that touches S gains nothing by the merge.
//!
//! # Sources
//! Partial post-agglomeration in Thierry-Mieg, *Structural reductions revisited*, 2020, there for p
//! whose consumers all take from p only.

use super::{Candidate, Conditions, Context, Edit, Preserve, agglomerate, takes_only_from};
use parikh_net::TransitionId;

/// The rule; the module documentation states the conditions.
pub const RULE: Conditions =
    Conditions::new("partial-post-agglomeration", Preserve::REACHABILITY, 3, check);

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let [p] = candidate.places[..] else { return None };
    let consumers = &candidate.transitions;
    let weight = net.pre_weight(*consumers.first()?, p);
    let only_takes_weight = |&f: &TransitionId| {
        takes_only_from(net, f, p) && net.pre_weight(f, p) == weight && net.post_weight(f, p) == 0
    };
    net.require(1, consumers.iter().all(only_takes_weight))?;
    let puts_weight = |h| net.post_weight(h, p) == weight && net.pre_weight(h, p) == 0;
    net.require(2, net.producers(p).all(puts_weight))?;
    net.require(3, net.tokens(p) < weight)?;
    let producers: Vec<_> = net.producers(p).collect();
    agglomerate(net, &producers, consumers, |_| 1, &[consumers])
}
