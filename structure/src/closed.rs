//! Siphons and traps as one notion: sets of places closed under the effect of transitions.
//!
//! In a *siphon* S every transition that produces tokens in S also consumes tokens from S, so an
//! empty siphon stays empty. In a *trap* Q every transition that consumes tokens from Q also
//! produces tokens in Q, so a marked trap stays marked. Each is the other with all arcs reversed;
//! [`ClosureKind`] gives the direction. Arc weights are irrelevant: one token is enough for the
//! argument.
//!
//! Unions of siphons are siphons, and unions of traps are traps. So any set contains a *largest*
//! siphon and a largest trap, possibly empty. Each is computed by removing places that violate the
//! rule until no place does, with one visit per arc.
//!
//! # Sources
//! M. Hack, *Analysis of production schemata by Petri nets*, MIT, 1972. J. Desel, J. Esparza, *Free
//! Choice Petri Nets*, 1995, chapter 4.

use parikh_net::{Arc, Net, PlaceArc, PlaceId, TransitionId};
use parikh_solvers::Budget;

/// The direction of closure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosureKind {
    /// Every transition that produces tokens in the set consumes tokens from the set.
    Siphon,
    /// Every transition that consumes tokens from the set produces tokens in the set.
    Trap,
}

impl ClosureKind {
    /// Returns the input arcs (siphon) or output arcs (trap) of `t`. One of these arcs must be at
    /// the set if an arc of `causing` is.
    pub(crate) fn needed(self, net: &Net, t: TransitionId) -> &[Arc] {
        match self {
            ClosureKind::Siphon => net.pre(t),
            ClosureKind::Trap => net.post(t),
        }
    }

    /// Returns the output arcs (siphon) or input arcs (trap) of `t`. In a closed set, a transition
    /// with such an arc at the set also has an arc of [`needed`](Self::needed) at the set.
    pub(crate) fn causing(self, net: &Net, t: TransitionId) -> &[Arc] {
        match self {
            ClosureKind::Siphon => net.post(t),
            ClosureKind::Trap => net.pre(t),
        }
    }

    /// Returns the transitions with `p` among their needed arcs.
    pub(crate) fn transitions_needing(self, net: &Net, p: PlaceId) -> &[PlaceArc] {
        match self {
            ClosureKind::Siphon => net.consumers(p),
            ClosureKind::Trap => net.producers(p),
        }
    }

    /// Returns the transitions with `p` among their causing arcs.
    pub(crate) fn transitions_caused_by(self, net: &Net, p: PlaceId) -> &[PlaceArc] {
        match self {
            ClosureKind::Siphon => net.producers(p),
            ClosureKind::Trap => net.consumers(p),
        }
    }
}

/// Returns the largest closed subset of `within`, ascending; possibly empty. Takes time linear in
/// the net.
pub fn largest(net: &Net, kind: ClosureKind, within: &[PlaceId]) -> Vec<PlaceId> {
    let mut in_set = vec![false; net.place_count()];
    within.iter().for_each(|p| in_set[p.index()] = true);
    // For each transition, the number of its needed arcs whose place is in the set.
    let mut support: Vec<usize> = net
        .transitions()
        .map(|t| kind.needed(net, t).iter().filter(|arc| in_set[arc.place.index()]).count())
        .collect();
    let mut violating: Vec<TransitionId> =
        net.transitions().filter(|t| support[t.index()] == 0).collect();
    while let Some(t) = violating.pop() {
        for arc in kind.causing(net, t) {
            if std::mem::replace(&mut in_set[arc.place.index()], false) {
                for dependent in kind.transitions_needing(net, arc.place) {
                    let support = &mut support[dependent.transition.index()];
                    *support -= 1;
                    if *support == 0 {
                        violating.push(dependent.transition);
                    }
                }
            }
        }
    }
    net.places().filter(|p| in_set[p.index()]).collect()
}

/// Returns true if `set` is closed. This check goes place by place and shares no code with
/// [`largest`], so it can confirm the results of [`largest`].
pub fn is_closed(net: &Net, kind: ClosureKind, set: &[PlaceId]) -> bool {
    let mut in_set = vec![false; net.place_count()];
    set.iter().for_each(|p| in_set[p.index()] = true);
    set.iter().all(|&p| keeps_closed(net, kind, p, &in_set))
}

/// Returns a closed subset of the closed set `set` with an essential place, that is, a place for
/// which `essential` is true. No smaller closed subset of the result contains an essential place.
/// If all places are essential, the result is a minimal closed set. `set` must be ascending and
/// contain an essential place.
///
/// Places are tried in order. The removal of a place also removes the places that depend on it. It
/// is undone if no essential place would remain. Only the neighbourhood of removed places is
/// visited, so the cost of a place is the size of what is removed with it.
pub fn minimise(
    net: &Net,
    kind: ClosureKind,
    set: &[PlaceId],
    essential: impl Fn(PlaceId) -> bool,
) -> Vec<PlaceId> {
    // Without a budget, the result is never `None`.
    minimise_within(net, kind, set, essential, None).unwrap_or_default()
}

/// Like [`minimise`], but returns `None` when the budget is spent. On a net whose places depend on
/// each other in a long chain, the cost is the square of the number of places.
pub fn minimise_within(
    net: &Net,
    kind: ClosureKind,
    set: &[PlaceId],
    essential: impl Fn(PlaceId) -> bool,
    budget: Option<&Budget>,
) -> Option<Vec<PlaceId>> {
    let mut in_set = vec![false; net.place_count()];
    set.iter().for_each(|p| in_set[p.index()] = true);
    let mut essential_left = set.iter().filter(|p| essential(**p)).count();
    for &p in set {
        if !in_set[p.index()] {
            continue;
        }
        if budget.is_some_and(Budget::is_exhausted) {
            return None;
        }
        let essential_before = essential_left;
        let mut removed = Vec::new();
        let mut suspects = vec![p];
        while essential_left > 0
            && let Some(q) = suspects.pop()
        {
            if !in_set[q.index()] || (q != p && keeps_closed(net, kind, q, &in_set)) {
                continue;
            }
            in_set[q.index()] = false;
            removed.push(q);
            essential_left -= usize::from(essential(q));
            // The places that depended on q: the places at the causing arcs of each transition with
            // a needed arc at q.
            for arc in kind.transitions_needing(net, q) {
                let dependent = kind.causing(net, arc.transition).iter().map(|arc| arc.place);
                suspects.extend(dependent.filter(|place| in_set[place.index()]));
            }
        }
        if essential_left == 0 {
            essential_left = essential_before;
            removed.into_iter().for_each(|q| in_set[q.index()] = true);
        }
    }
    Some(set.iter().copied().filter(|p| in_set[p.index()]).collect())
}

/// Returns true if every transition with a causing arc at `p` has a needed arc at the set. `inside`
/// has one flag per place: true if the place is in the set.
fn keeps_closed(net: &Net, kind: ClosureKind, p: PlaceId, inside: &[bool]) -> bool {
    let at_set = |arc: &Arc| inside[arc.place.index()];
    let mut obliged_transitions =
        kind.transitions_caused_by(net, p).iter().map(|arc| arc.transition);
    obliged_transitions.all(|t| kind.needed(net, t).iter().any(at_set))
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn without_time_no_set_is_minimised() {
        let net = text::parse("place p 1\ntransition t: p -> p").unwrap();
        let all: Vec<PlaceId> = net.places().collect();
        let within = |budget: &Budget| {
            minimise_within(&net, ClosureKind::Siphon, &all, |_| true, Some(budget))
        };
        assert_eq!(within(&Budget::unlimited()), Some(all.clone()));
        assert_eq!(within(&Budget::lasting(std::time::Duration::ZERO)), None);
    }

    #[test]
    fn places_that_depend_on_a_removed_place_are_removed() {
        // A ring p → q → r → p, and s fed from the ring.
        let net = text::parse(
            "place p 1\nplace q\nplace r\nplace s\n\
             transition a: p -> q\ntransition b: q -> r + s\ntransition c: r -> p",
        )
        .unwrap();
        let all: Vec<PlaceId> = net.places().collect();
        let [p, q, r, s] = [0, 1, 2, 3].map(PlaceId::new);
        assert_eq!(largest(&net, ClosureKind::Siphon, &all), all);
        assert_eq!(largest(&net, ClosureKind::Siphon, &[p, q, s]), []);
        assert_eq!(largest(&net, ClosureKind::Siphon, &[p, q, r]), [p, q, r]);
        assert_eq!(largest(&net, ClosureKind::Trap, &[p, q, s]), [p, q, s]);
        assert_eq!(largest(&net, ClosureKind::Trap, &[p, s]), [s]);
        assert!(
            is_closed(&net, ClosureKind::Trap, &[s]) && !is_closed(&net, ClosureKind::Trap, &[p])
        );
        assert_eq!(minimise(&net, ClosureKind::Siphon, &all, |_| true), [p, q, r]);
        assert_eq!(minimise(&net, ClosureKind::Trap, &all, |_| true), [s]);
    }
}
