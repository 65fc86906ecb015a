//! Merges producers into the consumers of p, if they do nothing but feed p from places of their
//! own.
//!
//! ```text
//! # deadlock over c
//! place a 1
//! place b 1
//! place p
//! place c
//! transition h: a -> p
//! transition f: p + b -> c
//! transition g: c -> b
//! # becomes
//! place a 1
//! place b 1
//! place c
//! transition g: c -> b
//! transition h.f: a + b -> c
//! ```
//!
//! # Conditions
//! The module `rules` explains the notation.
//!
//! Candidate: a place p. H are the producers of p, and F its consumers.
//! 1. Each h in H produces tokens on no place but p, and consumes some tokens, but none from p.
//! 2. Each h produces w tokens on p, and each f in F consumes w from it. No f produces tokens on p.
//! 3. m₀(p) < w.
//! 4. No h touches S; in particular, p is not in S.
//! 5. Every consumer of an input place of some h is in H. For L, the only consumer is that h.
//!
//! # Preserves
//! R, D, L.
//!
//! # Soundness
//! In a run of the original net, leave out the firings of h whose tokens no f takes. This returns
//! their inputs and, by (4), changes nothing on S; it changes nothing else by (1). Postpone each
//! other h to right before the f that takes its tokens: no other transition needs them, and the
//! inputs of h stay in place. The result is a run of the reduced net with the same tokens on S at
//! the end: R. For D let the run end in a dead marking. With tokens left on p, each f lacks some
//! input other than p; this place is no input of an h, because f is not in H (5). After leaving out
//! the spare firings of h only input places of H hold more; by (5) that can enable only transitions
//! of H, and a merged h f still lacks the input of f: the marking is dead. Conversely, from a dead
//! marking of the reduced net fire transitions of H until none is enabled, which ends by (1). If
//! any fired, each f lacks an input that no h changed, and other transitions are still disabled by
//! (5): the marking is dead. For L: tokens that spare firings of h have moved to p could only have
//! been used by the same h, by the second half of (5). So every sequence that is enabled in the
//! marking without these firings is enabled in the marking with them.
//!
//! # Sources
//! Berthelot, APN 1986; Haddad and Pradat-Peyre, PPL 2006; rule T of verifypn, whose form of (5) we
//! use for D. Its use for branching time is wrong, hence the strict form for L.

use super::{Candidate, Conditions, Context, Edit, Preserve, agglomerate, feeds_only};
use parikh_net::TransitionId;

/// The rule; the module documentation states the conditions.
pub const RULE: Conditions = Conditions::new("pre-agglomeration", Preserve::ALL, 5, check);

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let p = candidate.as_place()?;
    let producers: Vec<_> = net.producers(p).collect();
    let consumers: Vec<_> = net.consumers(p).collect();
    let &first = consumers.first()?;
    producers.first()?;
    let weight = net.pre_weight(first, p);
    let feeds = |&h: &TransitionId| feeds_only(net, h, p) && !net.pre(h).is_empty();
    net.require(1, producers.iter().all(feeds))?;
    let takes = |&f: &TransitionId| net.pre_weight(f, p) == weight && net.post_weight(f, p) == 0;
    let puts = |&h: &TransitionId| net.post_weight(h, p) == weight;
    net.require(2, producers.iter().all(puts) && consumers.iter().all(takes))?;
    net.require(3, net.tokens(p) < weight)?;
    net.require(4, producers.iter().all(|&h| !net.touches_support(h)))?;
    let needs_liveness = net.preserves(Preserve::LIVENESS);
    let has_private_inputs = |&h: &TransitionId| {
        net.pre(h).iter().all(|arc| {
            let mut users = net.consumers(arc.place);
            if needs_liveness {
                users.all(|u| u == h)
            } else {
                users.all(|u| net.post_weight(u, p) > 0)
            }
        })
    };
    net.require(5, producers.iter().all(has_private_inputs))?;
    let mut edits = agglomerate(net, &producers, &consumers, |_| 1, &[&producers, &consumers])?;
    edits.extend([Edit::RemovePlace(p), Edit::FireInDeadMarkings(producers)]);
    Some(edits)
}
