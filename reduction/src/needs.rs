//! The requirements of questions on a reduction.

use parikh_evidence::reduction::{Needs, PredicateForm, Preserve};
use parikh_net::run_property::RunAtom;
use parikh_net::{Goal, Net, PlaceId, Predicate, RunProperty, TransitionId};

/// Returns the needs, that is, the questions that a reduction must preserve: reachability of
/// predicates over the places of `support`, and maxima of weighted sums of their tokens.
pub fn reachability(support: impl IntoIterator<Item = PlaceId>) -> Needs {
    Needs {
        support: support.into_iter().collect(),
        preserve: Preserve::REACHABILITY,
        ..Needs::default()
    }
}

/// Returns the needs for the existence of a deadlock.
pub fn deadlock() -> Needs {
    Needs { preserve: Preserve::DEADLOCK, ..Needs::default() }
}

/// Returns the needs for quasi-liveness of these transitions: do they ever fire?
pub fn quasi_liveness(transitions: impl IntoIterator<Item = TransitionId>) -> Needs {
    Needs {
        protected: transitions.into_iter().collect(),
        preserve: Preserve::REACHABILITY,
        ..Needs::default()
    }
}

/// Returns the needs for liveness of these transitions.
pub fn liveness(transitions: impl IntoIterator<Item = TransitionId>) -> Needs {
    Needs {
        protected: transitions.into_iter().collect(),
        preserve: Preserve::LIVENESS,
        ..Needs::default()
    }
}

/// Returns the combined needs of these goals. A question whether a single transition is enabled
/// protects the transition rather than its input places, also as an operand of a disjunction.
/// Inside any other predicate, it protects the places. Goals that no rule preserves add no needs.
pub fn of_goals<'g>(net: &Net, goals: impl IntoIterator<Item = &'g Goal>) -> Needs {
    let mut needs = Needs::default();
    for goal in goals {
        match goal {
            Goal::Reach(predicate) => add_predicate(&mut needs, net, predicate),
            Goal::Maximise(_) => {
                needs.preserve = needs.preserve | Preserve::REACHABILITY;
                needs.support.extend(goal.support(net));
            }
            // Of home properties, rules can preserve only the liveness of a transition: from every
            // reachable marking, a marking is reachable that enables it.
            Goal::Home(Predicate::Enabled(t)) => {
                needs.preserve = needs.preserve | Preserve::LIVENESS;
                needs.protected.push(*t);
            }
            _ => {}
        }
    }
    needs.normalised()
}

/// Returns the needs for preserving the truth values of the property's atoms at markings. Returns
/// `None` if the property assumes fairness, or if an atom is about a firing or mentions dead
/// markings. No rule guarantees which runs are preserved. Runs of the reduced net are hints that
/// must be replayed on the original net.
pub fn of_hints(net: &Net, property: &RunProperty) -> Option<Needs> {
    depends_on_markings_only(property).then(|| reachability(property.support(net)))
}

/// Returns true if the property assumes no fairness, and every atom is a predicate that does not
/// mention dead markings. A reduction preserves no fairness and no other atoms: it removes and
/// renames transitions, and a dead marking of the reduced net may not be dead in the original net.
/// The test of whether a transition is enabled is preserved, because it is a condition on the
/// transition's input places.
pub(super) fn depends_on_markings_only(property: &RunProperty) -> bool {
    property.fairness().is_none()
        && property.atoms().iter().all(|atom| match atom {
            RunAtom::Holds(predicate) => !predicate.mentions_deadness(),
            RunAtom::Fires(_) => false,
        })
}

/// Adds the needs of a predicate.
fn add_predicate(needs: &mut Needs, net: &Net, predicate: &Predicate) {
    match PredicateForm::of(predicate) {
        PredicateForm::Disjunction(operands) => {
            operands.iter().for_each(|operand| add_predicate(needs, net, operand))
        }
        PredicateForm::Fires(t) => {
            needs.preserve = needs.preserve | Preserve::REACHABILITY;
            needs.protected.push(t);
        }
        PredicateForm::DeadAnd(others) => {
            needs.preserve = needs.preserve | Preserve::DEADLOCK;
            others.iter().for_each(|operand| needs.support.extend(operand.support(net)));
        }
        PredicateForm::Marking => {
            needs.preserve = needs.preserve | Preserve::REACHABILITY;
            needs.support.extend(predicate.support(net));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn goals_need_the_least_that_answers_them() {
        let net = text::parse("place p 1\nplace q\nplace r\ntransition t: p + q -> r").unwrap();
        let [p, q, r] = ["p", "q", "r"].map(|name| net.place_named(name).unwrap());
        let t = TransitionId::new(0);
        let of = |predicate: Predicate| of_goals(&net, [&Goal::Reach(predicate)]);
        assert_eq!(of(Predicate::Enabled(t)), quasi_liveness([t]));
        assert_eq!(of(Predicate::Dead), deadlock());
        let marked = Predicate::at_least(r, 1);
        assert_eq!(of(marked.clone()), reachability([r]));
        let both = of(Predicate::and([Predicate::Enabled(t), marked.clone()]));
        assert_eq!(both, reachability([p, q, r]));
        let dead = of(Predicate::and([Predicate::Dead, marked.clone()]));
        assert_eq!((dead.preserve, dead.support), (Preserve::DEADLOCK, vec![r]));
        let alive = of(Predicate::and([Predicate::NotDead, marked]));
        assert_eq!((alive.preserve, alive.support), (Preserve::REACHABILITY, vec![p, q, r]));
    }
}
