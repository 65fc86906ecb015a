//! Translation of markings and conditions from a model with inhibitor or reset arcs to the net that
//! represents it. Conditions change only if that net has caps, see [`of_model`].

use crate::id::{PlaceId, TransitionId};
use crate::marking::Marking;
use crate::net::Net;
use crate::predicate::{Atom, Predicate};
use crate::sum::LinearSum;
use crate::translation::{Caps, EnablingRange, Translation};

impl Net {
    /// Returns the marking of this net that represents `marking` of the model. Each complement
    /// place gets the bound of its place minus the place's tokens. Returns `None` if a place
    /// exceeds its known bound, or its cap, that is, its assumed bound. The model does not reach a
    /// marking that exceeds a known bound. The translation has no arcs for such a marking: it drops
    /// inhibitor arcs whose weights exceed the bound.
    pub fn marking_of_model(&self, marking: &Marking) -> Option<Marking> {
        let mut completed = marking.padded(self.place_count());
        let Some(translation) = self.translation() else { return Some(completed) };
        if translation.known_bounds().iter().any(|(&p, &bound)| completed[p] > bound) {
            return None;
        }
        for (index, &place) in translation.complemented().iter().enumerate() {
            let complement = PlaceId::new(translation.place_count() + index);
            let bound = self.initial()[place].checked_add(self.initial()[complement])?;
            completed[complement] = bound.checked_sub(completed[place])?;
        }
        if let Some(within) = translation.within_caps() {
            completed[within] = 1;
        }
        Some(completed)
    }

    /// Returns true if `marking` agrees with one of the final markings on all places of
    /// [`model_places`](Net::model_places). Places that a translation added are not compared.
    pub fn is_final(&self, marking: &[u64]) -> bool {
        let places = self.model_places().len();
        let is_same = |final_marking: &Marking| {
            final_marking.tokens().iter().zip(marking).take(places).all(|(a, b)| a == b)
        };
        self.final_markings().iter().any(is_same)
    }
}

/// Translates a condition on the model's markings to a condition on the markings of `net`, if `net`
/// has caps, that is, assumed bounds. Otherwise returns the condition unchanged. A test of one copy
/// of a transition becomes a test of the model's transition. So callers pass all copies of a
/// transition, or none. Returns `None` if numbers overflow.
pub fn of_model(net: &Net, predicate: Predicate) -> Option<Predicate> {
    match net.translation().and_then(|translation| Some((translation, translation.caps()?))) {
        Some((translation, caps)) => {
            translate_to_capped_net(translation, caps, predicate).map(Predicate::sorted)
        }
        None => Some(predicate),
    }
}

/// Translates a sum of the model's tokens to a sum over `net`. Returns `None` if numbers overflow.
pub fn sum_of_model(net: &Net, sum: &LinearSum) -> Option<LinearSum> {
    match net.translation().and_then(Translation::caps) {
        Some(caps) => with_tokens_beyond_caps(caps, sum),
        None => Some(sum.clone()),
    }
}

/// Replaces m(p) in a sum by the tokens on p plus those on the overflow place of p, for each place
/// p with a cap. The overflow place has the tokens of p beyond the cap. Returns `None` if numbers
/// overflow.
fn with_tokens_beyond_caps(caps: &Caps, sum: &LinearSum) -> Option<LinearSum> {
    let overflow_terms =
        sum.terms().iter().filter_map(|&(place, a)| Some((caps.overflow.get(&place)?.1, a)));
    LinearSum::new(sum.terms().iter().copied().chain(overflow_terms)).ok()
}

/// Translates a predicate on the model's markings to a net with caps, that is, assumed bounds.
/// Returns `None` if numbers overflow.
fn translate_to_capped_net(
    translation: &Translation,
    caps: &Caps,
    predicate: Predicate,
) -> Option<Predicate> {
    // The translation's transitions `leave` and `drain` are not transitions of the model, and never
    // count as enabled.
    let enabling_windows = |t: TransitionId| match caps.enabled.get(t.index()) {
        Some(windows) => Predicate::and(windows.iter().map(window_predicate)),
        None => Predicate::False,
    };
    let some_model_transition_enabled = || {
        let all = (0..translation.transition_count()).map(TransitionId::new);
        Predicate::or(all.map(enabling_windows))
    };
    let translated_parts = |parts: Vec<Predicate>| -> Option<Vec<Predicate>> {
        parts.into_iter().map(|part| translate_to_capped_net(translation, caps, part)).collect()
    };
    Some(match predicate {
        Predicate::Enabled(copy) => enabling_windows(translation.model_transition(copy)),
        Predicate::Disabled(copy) => enabling_windows(translation.model_transition(copy)).negated(),
        Predicate::NotDead => some_model_transition_enabled(),
        Predicate::Dead => some_model_transition_enabled().negated(),
        Predicate::And(conjuncts) => Predicate::and(translated_parts(conjuncts)?),
        Predicate::Or(disjuncts) => Predicate::or(translated_parts(disjuncts)?),
        Predicate::Atom(atom) if is_decided_by_cap(caps, &atom) => Predicate::Atom(atom),
        Predicate::Atom(atom) => {
            Predicate::at_most(with_tokens_beyond_caps(caps, &atom.sum)?, atom.bound)
        }
        constant => constant,
    })
}

/// Returns true if the atom is about one place p without a cap, or tokens beyond the cap c of p do
/// not matter. They do not matter if the atom has the same truth value for all m(p) ≥ c. Then the
/// atom holds for m(p) exactly if it holds for min(m(p), c).
fn is_decided_by_cap(caps: &Caps, atom: &Atom) -> bool {
    let [(place, a)] = *atom.sum.terms() else { return false };
    let Some(&(cap, _)) = caps.overflow.get(&place) else { return true };
    let (a, bound, cap) = (i128::from(a), i128::from(atom.bound), i128::from(cap));
    match a > 0 {
        // With a > 0, the atom a·m(p) ≤ b must be false for all m(p) ≥ cap.
        true => a * cap > bound,
        // With a < 0, the atom a·m(p) ≤ b must be true for all m(p) ≥ cap.
        false => a * cap <= bound,
    }
}

fn window_predicate(window: &EnablingRange) -> Predicate {
    let at_least_min = Predicate::at_least(window.place, window.min_tokens);
    match window.first_excluded {
        None => at_least_min,
        Some(first_excluded) => Predicate::and([
            at_least_min,
            Predicate::no_more_than(window.place, first_excluded.saturating_sub(1)),
        ]),
    }
}
