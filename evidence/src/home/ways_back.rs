//! Ways back: from every reachable marking, firings lead to a marking that covers a fixed marking
//! h, the home marking. So upward closed predicates that hold along firings from h stay reachable,
//! that is, are reachable from every reachable marking.
//!
//! ```text
//! m₀ ──to──▶ h ──along──▶ t fires, u fires, v fires …      from every reachable marking back to one that covers h
//! ```
//!
//! A sequence that is enabled at h is also enabled at every marking that covers h, and leads to a
//! marking that covers its end from h. So an upward closed φ (one that more tokens cannot make
//! false, such as "t is enabled") that holds somewhere along firings from h stays reachable. If the
//! ways lead to h itself ([`exactly`]), or without h directly to markings with φ, then φ need not
//! be upward closed.
//!
//! There are two kinds of ways:
//!
//! - *Downhill*: weights w ≥ 0 of places. Each firing of a transition that decreases w·m decreases
//!   it by at least 1, and w·m ≥ 0. So if only such transitions fire, as long as one is enabled,
//!   they stop eventually. A document proves that every reachable marking in which none of them is
//!   enabled is a target of the way.
//! - *Steps* inside a set D of markings that is closed under firing ([`ClosedSet`]). A backward
//!   search begins with the members that are targets of the way. Each step (t, n) adds the members
//!   from which n firings of t lead into the set found so far. In the end this is all of D.
//!
//! # Sources
//! R. W. Floyd, *Assigning meanings to programs*, 1967 (a value that decreases); E. Best, J.
//! Esparza, *Existence of home states in Petri nets is decidable*, 2016 (home spaces).

use super::HomeFlaw;
use crate::certificate::closed_set::{CheckedClosedSet, ClosedSet};
use crate::certificate::{CheckedDocument, Document, Flaw};
use crate::replay::{Replayer, replay};
use parikh_net::{
    Arc, FiringSequence, FiringStep, LinearSum, Marking, Net, PlaceId, Predicate, TransitionId,
};
use serde::{Deserialize, Serialize};

/// Transitions, each with the number of firings in a row.
pub type CountedFirings<T> = Vec<(T, u64)>;

/// Ways back from every reachable marking; the module documentation explains the kinds. In memory,
/// places and transitions are ids; in a file they are names.
///
/// ```json
/// {"to": [], "way": {"downhill": {"weights": [["q", 1]], "document": {"markings": 2}}}, "along": [[["t", 1]]]}
/// {"to": null, "way": {"steps": {"set": {"order": ["p"], "nodes": [[0, 1, 0]], "root": 2}, "steps": []}}, "along": []}
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReturnProof<P = PlaceId, T = TransitionId, D = Document> {
    /// Firings from m₀ to the home marking h. `None` if there is no home marking: the firings then
    /// lead directly to markings that satisfy the predicate in question.
    pub to: Option<CountedFirings<T>>,
    /// The way from every reachable marking to a marking that covers the home marking h. If `to` is
    /// `None`, the way leads to a marking that satisfies the predicate.
    pub way: ReturnWay<P, T, D>,
    /// Firing sequences from the home marking h. A predicate that holds at a marking along one of
    /// these sequences stays reachable if it is upward closed, or if the ways lead to h itself.
    pub along: Vec<CountedFirings<T>>,
}

/// A proof that firings lead back from every reachable marking, of one of two kinds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReturnWay<P = PlaceId, T = TransitionId, D = Document> {
    /// Downhill: transitions that decrease a weighted sum fire as long as one of them is enabled.
    Downhill {
        /// The weights w; the weight of other places is 0.
        weights: Vec<(P, u64)>,
        /// The proof that each marking in which no transition that decreases the sum is enabled is
        /// a target of the way.
        document: D,
    },
    /// A backward search in a closed set: each step adds the members from which some firings lead
    /// into the set found so far.
    Steps {
        /// The closed set D.
        set: ClosedSet<P>,
        /// Transitions, each with the number of firings.
        steps: CountedFirings<T>,
    },
}

impl<P, T, D> ReturnProof<P, T, D> {
    /// Translates places, transitions and documents by the given functions.
    ///
    /// # Errors
    /// The first error that one of the functions returns.
    pub fn renamed<Q, U, E>(
        &self,
        place: &dyn Fn(&P) -> Result<Q, Flaw>,
        transition: &dyn Fn(&T) -> Result<U, Flaw>,
        document: &dyn Fn(&D) -> Result<E, Flaw>,
    ) -> Result<ReturnProof<Q, U, E>, Flaw> {
        let firings = |firings: &CountedFirings<T>| -> Result<CountedFirings<U>, Flaw> {
            firings.iter().map(|(t, count)| Ok((transition(t)?, *count))).collect()
        };
        let way = match &self.way {
            ReturnWay::Downhill { weights, document: it } => {
                let weights = weights.iter().map(|(p, weight)| Ok((place(p)?, *weight)));
                let weights = weights.collect::<Result<_, Flaw>>()?;
                ReturnWay::Downhill { weights, document: document(it)? }
            }
            ReturnWay::Steps { set: ClosedSet { order, nodes, root }, steps } => {
                let order = order.iter().map(place).collect::<Result<_, Flaw>>()?;
                let set = ClosedSet { order, nodes: nodes.clone(), root: *root };
                ReturnWay::Steps { set, steps: firings(steps)? }
            }
        };
        let along = self.along.iter().map(firings).collect::<Result<_, Flaw>>()?;
        Ok(ReturnProof { to: self.to.as_ref().map(firings).transpose()?, way, along })
    }
}

/// Checks the ways back. Returns one flag per predicate of `wanted`. The flag is true if the ways
/// prove that the predicate is reachable from every reachable marking. False means only that there
/// is no proof.
///
/// # Errors
/// The first flaw of the argument, or a stop by `goes_on`.
pub fn check_returning(
    net: &Net,
    returning: &ReturnProof,
    wanted: &[&Predicate],
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Vec<bool>, HomeFlaw> {
    let Some(to_home) = &returning.to else {
        if !returning.along.is_empty() {
            return Err(HomeFlaw::Returning("firings from an unnamed marking"));
        }
        let checked_way = CheckedWay::of(net, &returning.way, goes_on)?;
        let mut stays_reachable = Vec::with_capacity(wanted.len());
        for &wanted in wanted {
            match checked_way.leads_to(net, wanted, goes_on) {
                Ok(()) => stays_reachable.push(true),
                Err(Flaw::DoesNotFollow) => stays_reachable.push(false),
                Err(flaw) => return Err(flaw.into()),
            }
        }
        return Ok(stays_reachable);
    };
    let home = replay(net, &sequence(to_home))?;
    let checked_way = CheckedWay::of(net, &returning.way, goes_on)?;
    let leads_exactly = match exactly(net, &home) {
        Some(target) if !wanted.iter().all(|&it| is_upward_closed(it)) => {
            match checked_way.leads_to(net, &target, goes_on) {
                Err(Flaw::Stopped) => return Err(Flaw::Stopped.into()),
                result => result.is_ok(),
            }
        }
        _ => false,
    };
    if !leads_exactly {
        checked_way.leads_to(net, &covering(net, &home), goes_on)?;
    }
    let mut stays_reachable = vec![false; wanted.len()];
    let is_shown_along = |&index: &usize| leads_exactly || is_upward_closed(wanted[index]);
    let mut open_predicates: Vec<usize> = (0..wanted.len()).filter(is_shown_along).collect();
    let home_net = net.from_marking(home);
    let mut evaluate = |marking: &Marking| {
        open_predicates.retain(|&index| {
            stays_reachable[index] |= wanted[index].holds(net, marking);
            !stays_reachable[index]
        });
    };
    evaluate(home_net.initial());
    for firings in &returning.along {
        let mut replayer = Replayer::new(&home_net);
        for &(transition, count) in firings {
            if !goes_on() {
                return Err(HomeFlaw::Document(Flaw::Stopped));
            }
            replayer.fire(FiringStep { transition, count })?;
            evaluate(replayer.marking());
        }
    }
    Ok(stays_reachable)
}

/// A way after all checks that do not depend on its target.
enum CheckedWay<'w> {
    /// For each transition that decreases the sum, the predicate that it is disabled; and the
    /// checked document.
    Downhill(Vec<Predicate>, CheckedDocument<'w>),
    /// The checked closed set, and the steps: transitions, each with the number of firings.
    Steps(CheckedClosedSet<'w>, &'w [(TransitionId, u64)]),
}

impl<'w> CheckedWay<'w> {
    /// Checks the document or the closed set of the way, without a target. Returns an error if it
    /// has a flaw or assumes units, if the weights are not valid, or if `goes_on` stops the check.
    fn of(
        net: &'w Net,
        way: &'w ReturnWay,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Self, HomeFlaw> {
        Ok(match way {
            ReturnWay::Downhill { document, .. } if document.assumes_units() => {
                return Err(HomeFlaw::Returning("the document assumes safe units"));
            }
            ReturnWay::Downhill { weights, document } => {
                let all_disabled =
                    decreasing_transitions(net, weights)?.into_iter().map(Predicate::Disabled);
                CheckedWay::Downhill(all_disabled.collect(), document.check(net, goes_on)?)
            }
            ReturnWay::Steps { set, steps } => {
                CheckedWay::Steps(set.check(net, goes_on).map_err(Flaw::from)?, steps)
            }
        })
    }

    /// Checks that the way leads from every reachable marking to one that satisfies `target`.
    ///
    /// # Errors
    /// [`Flaw::DoesNotFollow`] if the way does not prove it, another flaw of the proof, or a stop
    /// by `goes_on`.
    fn leads_to(
        &self,
        net: &Net,
        target: &Predicate,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), Flaw> {
        match self {
            CheckedWay::Downhill(all_disabled, checked) => {
                let counterexample =
                    [target.clone().negated()].into_iter().chain(all_disabled.iter().cloned());
                checked.refutes(&Predicate::and(counterexample), goes_on)
            }
            CheckedWay::Steps(set, steps) => set.leads_to(net, target, steps, goes_on),
        }
    }
}

/// Returns the transitions that decrease the weighted sum of the tokens. The weight of places
/// without an entry is 0.
///
/// # Errors
/// When a place does not exist or occurs twice, or a sum exceeds 127 bits.
pub fn decreasing_transitions(
    net: &Net,
    weights: &[(PlaceId, u64)],
) -> Result<Vec<TransitionId>, HomeFlaw> {
    let mut weight = vec![None; net.place_count()];
    for &(place, w) in weights {
        match weight.get_mut(place.index()) {
            Some(entry @ None) => *entry = Some(w),
            _ => return Err(HomeFlaw::Weights),
        }
    }
    let sum = |arcs: &[Arc]| {
        let term = |arc: &Arc| {
            let weight = weight[arc.place.index()].unwrap_or(0);
            i128::from(weight).checked_mul(i128::from(arc.weight))
        };
        arcs.iter().try_fold(0i128, |sum, arc| sum.checked_add(term(arc)?)).ok_or(HomeFlaw::Weights)
    };
    let mut decreasing = Vec::new();
    for t in net.transitions() {
        if sum(net.post(t))? < sum(net.pre(t))? {
            decreasing.push(t);
        }
    }
    Ok(decreasing)
}

/// Returns the predicate "the marking covers `home`".
pub fn covering(net: &Net, home: &Marking) -> Predicate {
    let marked = net.places().filter(|&p| home[p] > 0);
    Predicate::and(marked.map(|p| Predicate::at_least(p, home[p])))
}

/// Returns a predicate that holds in the marking `home` only: the marking covers `home` and has no
/// more tokens in total. Returns `None` if the total does not fit 63 bits.
pub fn exactly(net: &Net, home: &Marking) -> Option<Predicate> {
    let total = net.places().try_fold(0u64, |total, place| total.checked_add(home[place]))?;
    let all = LinearSum::new(net.places().map(|place| (place, 1))).ok()?;
    let no_more = Predicate::at_most(all, i64::try_from(total).ok()?);
    Some(Predicate::and([covering(net, home), no_more]))
}

/// Returns true if the form of the predicate shows that it stays true when tokens are added.
pub fn is_upward_closed(wanted: &Predicate) -> bool {
    match wanted {
        Predicate::True | Predicate::False | Predicate::Enabled(_) | Predicate::NotDead => true,
        Predicate::Disabled(_) | Predicate::Dead => false,
        // The inequality Σ ≤ b.
        Predicate::Atom(atom) => atom.sum.terms().iter().all(|(_, weight)| *weight <= 0),
        Predicate::And(parts) | Predicate::Or(parts) => parts.iter().all(is_upward_closed),
    }
}

/// Converts a list of firings to a sequence.
pub fn sequence(firings: &[(TransitionId, u64)]) -> FiringSequence {
    let mut sequence = FiringSequence::new();
    firings.iter().for_each(|&(t, count)| sequence.push(t, count));
    sequence
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    fn net() -> Net {
        text::parse(
            "place idle 2\nplace waiting\nplace inside\nplace lock 1\n\
             transition ask: idle -> waiting\ntransition enter: waiting + lock -> inside\n\
             transition leave: inside -> idle + lock",
        )
        .unwrap()
    }

    fn downhill(net: &Net, weights: &[(&str, u64)]) -> ReturnProof {
        let weight = |&(name, weight): &(&str, u64)| (net.place_named(name).unwrap(), weight);
        let weights = weights.iter().map(weight).collect();
        // The reachable markings: both idle, one or both waiting, and those with one process
        // inside.
        let way = ReturnWay::Downhill { weights, document: Document::Markings(5) };
        let along = vec![[0, 1, 2].map(|t| (TransitionId::new(t), 1)).to_vec()];
        ReturnProof { to: Some(Vec::new()), way, along }
    }

    fn check(net: &Net, returning: &ReturnProof, wanted: &[Predicate]) -> Option<Vec<bool>> {
        let wanted: Vec<&Predicate> = wanted.iter().collect();
        check_returning(net, returning, &wanted, &mut || true).ok()
    }

    #[test]
    fn decreasing_firings_end_in_the_home_marking() {
        let net = net();
        let mut wanted: Vec<Predicate> = net.transitions().map(Predicate::Enabled).collect();
        wanted.push(Predicate::exactly(net.initial()));
        let right = downhill(&net, &[("waiting", 2), ("inside", 1)]);
        // An exact marking is not upward closed, but the ways lead to the home marking itself.
        assert_eq!(check(&net, &right, &wanted), Some(vec![true; 4]));
        // With these weights, entering does not decrease the sum, so a marking with a waiting
        // process is an end.
        assert_eq!(check(&net, &downhill(&net, &[("waiting", 1), ("inside", 1)]), &wanted), None);
        assert_eq!(check(&net, &downhill(&net, &[]), &wanted), None);
        assert_eq!(check(&net, &downhill(&net, &[("inside", 1), ("inside", 1)]), &wanted), None);
        let mut not_seen = right.clone();
        not_seen.along[0].truncate(1);
        assert_eq!(check(&net, &not_seen, &wanted), Some(vec![true, true, false, true]));
        let mut not_enabled = right.clone();
        not_enabled.along[0].remove(0);
        assert_eq!(check(&net, &not_enabled, &wanted), None);
        let mut elsewhere = right.clone();
        elsewhere.to = Some(vec![(TransitionId::new(0), 1)]);
        assert_eq!(check(&net, &elsewhere, &wanted), None);
        let mut direct = right;
        (direct.to, direct.along) = (None, Vec::new());
        assert_eq!(check(&net, &direct, &wanted), Some(vec![true, false, false, true]));
    }

    #[test]
    fn without_the_home_marking_itself_only_upward_closed_predicates_stay_reachable() {
        let net = text::parse(
            "place idle 1\nplace chance 1\nplace extra\n\
             transition waste: chance ->\ntransition take: chance -> extra",
        )
        .unwrap();
        let place = |name| net.place_named(name).unwrap();
        // From both ends, {idle} and {idle, extra}, the marking covers {idle}.
        let way = ReturnWay::Downhill {
            weights: vec![(place("chance"), 1)],
            document: Document::Markings(3),
        };
        let to = Some(vec![(TransitionId::new(0), 1)]);
        let returning = ReturnProof { to, way, along: Vec::new() };
        let wanted =
            [Predicate::at_least(place("idle"), 1), Predicate::no_more_than(place("extra"), 0)];
        assert_eq!(check(&net, &returning, &wanted), Some(vec![true, false]));
    }

    #[test]
    fn upward_closed_predicates_are_recognised() {
        let p = PlaceId::new(0);
        let upward = Predicate::or([
            Predicate::at_least(p, 3),
            Predicate::and([Predicate::Enabled(TransitionId::new(0)), Predicate::NotDead]),
        ]);
        assert!(is_upward_closed(&upward));
        assert!(!is_upward_closed(&upward.clone().negated()));
        assert!(!is_upward_closed(&Predicate::and([upward, Predicate::no_more_than(p, 4)])));
    }
}
