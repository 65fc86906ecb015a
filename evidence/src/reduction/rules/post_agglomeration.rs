//! Merges consumers that take only from the place into its producers, so that they fire at once.
//!
//! ```text
//! # reachability over x, y
//! place a 1
//! place p
//! place x
//! place y
//! place z
//! transition h: a -> 2*p + x
//! transition k: x -> 4*p
//! transition f: 2*p -> z
//! transition g: z -> y
//! # becomes
//! place a 1
//! place x
//! place y
//! place z
//! transition g: z -> y
//! transition h.f: a -> x + z
//! transition k.f_2: x -> 2*z
//! ```
//!
//! # Conditions
//! The module `rules` explains the notation.
//!
//! Candidate: a place p. H are the producers of p, and F its consumers.
//! 1. p is not in S.
//! 2. Each f in F consumes from p only.
//! 3. No f in F produces tokens on p.
//! 4. All f consume the same number w, and each h produces a multiple of w on p. If some h produces
//!    more than w, there is only one f.
//! 5. m₀(p) < w, or there is only one f: then it fires ⌊m₀(p)/w⌋ times before all other firings.
//! 6. For R: no f touches S; or m₀(p) < w and each h produces w tokens on p, none elsewhere, and
//!    does not touch S.
//!
//! # Preserves
//! R, D, L. For D and L, (6) is not needed.
//!
//! # Soundness
//! Runs of the reduced net are runs of the original net, with each merged transition written out.
//! Conversely, take a run of the original net; a remainder m₀(p) mod w never matters by (4). First
//! extend the run by all consumers that p enables. For R do so only if none touches S; otherwise
//! leave out the firings of h whose tokens are not consumed, which by (6) only returns tokens, and
//! none on S. For D nothing has to be added, as a marking with w tokens on p is not dead; for L the
//! end of the run does not matter. Now move each f to right behind the h whose tokens it takes. By
//! (2) it is enabled there, by (3) and (2) it takes nothing from any other transition, and the
//! tokens that it produces come earlier. The result is a run of the reduced net to the same
//! marking. Dead markings are the same, as pre(h) decides about h and the merged transitions alike.
//! For L: from any marking, firing the consumers of p leads to a marking of the reduced net, where
//! a run to a carrier of t is a run to t and vice versa.
//!
//! # Sources
//! Berthelot, *Transformations and decompositions of nets*, APN 1986; Haddad and Pradat-Peyre, *New
//! efficient Petri nets reductions for parallel programs verification*, PPL 2006; Thierry-Mieg
//! 2020. Rule A of verifypn is |F| = 1. ITS-Tools lacks the bound k = 1 for visible f: half of a
//!       double firing would be lost.

use super::{
    Candidate, Conditions, Context, Edit, Preserve, WorkNet, agglomerate, puts_only_to,
    takes_only_from,
};
use parikh_net::{FiringStep, PlaceId, TransitionId};

/// The rule; the module documentation states the conditions.
pub const RULE: Conditions = Conditions::new("post-agglomeration", Preserve::ALL, 6, check);

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let p = candidate.as_place()?;
    let producers: Vec<_> = net.producers(p).collect();
    let consumers: Vec<_> = net.consumers(p).collect();
    let &first = consumers.first()?;
    let weight = net.pre_weight(first, p);
    let initial_firings = net.tokens(p) / weight;
    if producers.is_empty() && initial_firings == 0 {
        return None;
    }
    net.require(1, !net.in_support(p))?;
    net.require(2, consumers.iter().all(|&f| takes_only_from(net, f, p)))?;
    net.require(3, consumers.iter().all(|&f| net.post_weight(f, p) == 0))?;
    let has_one_consumer = consumers.len() == 1;
    let puts_multiple = |&h: &TransitionId| {
        let put = net.post_weight(h, p);
        put.is_multiple_of(weight) && (put == weight || has_one_consumer)
    };
    let takes_equal = consumers.iter().all(|&f| net.pre_weight(f, p) == weight);
    net.require(4, takes_equal && producers.iter().all(puts_multiple))?;
    net.require(5, initial_firings == 0 || has_one_consumer)?;
    if net.preserves(Preserve::REACHABILITY) {
        let is_silent = consumers.iter().all(|&f| !net.touches_support(f));
        let is_returnable =
            initial_firings == 0 && producers.iter().all(|&h| returnable(net, h, p, weight));
        net.require(6, is_silent || is_returnable)?;
    }
    let times = |h| (net.post_weight(h, p) / weight).max(1);
    let mut edits = agglomerate(net, &producers, &consumers, times, &[&producers, &consumers])?;
    edits.push(Edit::RemovePlace(p));
    if initial_firings > 0 {
        // These firings come before all other edits, which remove the transition.
        let step = FiringStep { transition: first, count: initial_firings };
        edits.insert(0, net.can_fire(step).then_some(Edit::Prefire(step))?);
    }
    Some(edits)
}

/// Returns true if each firing of `h` produces exactly `weight` tokens, all on `p`, and does not
/// change the places of the support S. So a firing whose tokens are never consumed can be left out
/// of a run: other places then have no fewer tokens.
fn returnable(net: &WorkNet, h: TransitionId, p: PlaceId, weight: u64) -> bool {
    puts_only_to(net, h, p) && net.post_weight(h, p) == weight && !net.touches_support(h)
}
