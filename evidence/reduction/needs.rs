//! What the open goals need of a reduction, and so which rules may run.

use parikh_net::{Goal, Net, PlaceId, Predicate, TransitionId};
use std::ops::BitOr;

/// Classes of questions. A rule says which classes it preserves, the needs say which must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Preserve(u8);

impl Preserve {
    /// Nothing: any net will do.
    pub const NOTHING: Preserve = Preserve(0);
    /// The set of reachable markings, projected onto the support, and which protected transitions
    /// fire in some run.
    pub const REACHABILITY: Preserve = Preserve(1);
    /// The set of reachable dead markings, projected onto the support; with an empty support that
    /// is whether there is a deadlock.
    pub const DEADLOCK: Preserve = Preserve(2);
    /// Which protected transitions are live.
    pub const LIVENESS: Preserve = Preserve(4);
    /// Stutter-insensitive temporal properties over the support. No rule claims it yet.
    pub const STUTTERING: Preserve = Preserve(8);

    /// Both.
    pub const fn and(self, other: Preserve) -> Preserve {
        Preserve(self.0 | other.0)
    }

    /// Whether all classes of `other` are among these.
    pub const fn covers(self, other: Preserve) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether `other` shares a class with these.
    pub const fn meets(self, other: Preserve) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Preserve {
    type Output = Preserve;
    fn bitor(self, other: Preserve) -> Preserve {
        self.and(other)
    }
}

/// What must survive a reduction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The places whose tokens are asked for.
    pub support: Vec<PlaceId>,
    /// The transitions whose firing is asked for: whether they can fire, or whether they are live.
    pub protected: Vec<TransitionId>,
    /// The classes of questions.
    pub preserve: Preserve,
}

impl Needs {
    /// Reachability of predicates over `support`, and maxima of sums over it.
    pub fn reachability(support: impl IntoIterator<Item = PlaceId>) -> Needs {
        Needs {
            support: support.into_iter().collect(),
            preserve: Preserve::REACHABILITY,
            ..Needs::default()
        }
    }

    /// Whether there is a deadlock.
    pub fn deadlock() -> Needs {
        Needs { preserve: Preserve::DEADLOCK, ..Needs::default() }
    }

    /// Which of these transitions ever fire.
    pub fn quasi_liveness(transitions: impl IntoIterator<Item = TransitionId>) -> Needs {
        Needs {
            protected: transitions.into_iter().collect(),
            preserve: Preserve::REACHABILITY,
            ..Needs::default()
        }
    }

    /// Which of these transitions are live.
    pub fn liveness(transitions: impl IntoIterator<Item = TransitionId>) -> Needs {
        Needs {
            protected: transitions.into_iter().collect(),
            preserve: Preserve::LIVENESS,
            ..Needs::default()
        }
    }

    /// The same, ascending and without doubles: the form that reductions work with.
    pub fn normalised(&self) -> Needs {
        let mut needs = self.clone();
        needs.support.sort_unstable();
        needs.support.dedup();
        needs.protected.sort_unstable();
        needs.protected.dedup();
        needs
    }

    /// What these goals need together. A fireability question of a single transition protects the
    /// transition rather than its input places; inside a larger predicate it protects the places.
    pub fn of_goals<'g>(net: &Net, goals: impl IntoIterator<Item = &'g Goal>) -> Needs {
        let mut needs = Needs::default();
        for goal in goals {
            match goal {
                Goal::Reach(predicate) => needs.add(net, predicate),
                Goal::Maximise(_) => {
                    needs.preserve = needs.preserve | Preserve::REACHABILITY;
                    needs.support.extend(goal.support(net));
                }
                // Liveness of a transition is all that rules speak of.
                Goal::Home(Predicate::Enabled(t)) => {
                    needs.preserve = needs.preserve | Preserve::LIVENESS;
                    needs.protected.push(*t);
                }
                Goal::Home(_) => {}
            }
        }
        needs.normalised()
    }

    fn add(&mut self, net: &Net, predicate: &Predicate) {
        match Form::of(predicate) {
            Form::Parts(parts) => parts.iter().for_each(|part| self.add(net, part)),
            Form::Fires(t) => {
                self.preserve = self.preserve | Preserve::REACHABILITY;
                self.protected.push(t);
            }
            Form::DeadAnd(rest) => {
                self.preserve = self.preserve | Preserve::DEADLOCK;
                rest.iter().for_each(|part| self.support.extend(part.support(net)));
            }
            Form::State => {
                self.preserve = self.preserve | Preserve::REACHABILITY;
                self.support.extend(predicate.support(net));
            }
        }
    }
}

/// How a predicate is asked for in a reduced net.
pub(super) enum Form<'p> {
    /// A disjunction: each part by itself.
    Parts(&'p [Predicate]),
    /// The transition fires in some run.
    Fires(TransitionId),
    /// A dead marking that satisfies the rest, which does not mention deadness.
    DeadAnd(Vec<&'p Predicate>),
    /// Anything else: over the tokens of its support.
    State,
}

impl<'p> Form<'p> {
    pub(super) fn of(predicate: &'p Predicate) -> Form<'p> {
        match predicate {
            Predicate::Or(parts) => Form::Parts(parts),
            Predicate::Enabled(t) => Form::Fires(*t),
            Predicate::Dead => Form::DeadAnd(Vec::new()),
            Predicate::And(parts) if parts.contains(&Predicate::Dead) => {
                let rest: Vec<_> = parts.iter().filter(|part| **part != Predicate::Dead).collect();
                if rest.iter().any(|part| part.mentions_deadness()) {
                    Form::State
                } else {
                    Form::DeadAnd(rest)
                }
            }
            _ => Form::State,
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
        let of = |predicate: Predicate| Needs::of_goals(&net, [&Goal::Reach(predicate)]);
        assert_eq!(of(Predicate::Enabled(t)), Needs::quasi_liveness([t]));
        assert_eq!(of(Predicate::Dead), Needs::deadlock());
        let marked = Predicate::at_least(r, 1);
        assert_eq!(of(marked.clone()), Needs::reachability([r]));
        let both = of(Predicate::and([Predicate::Enabled(t), marked.clone()]));
        assert_eq!(both, Needs::reachability([p, q, r]));
        let dead = of(Predicate::and([Predicate::Dead, marked.clone()]));
        assert_eq!((dead.preserve, dead.support), (Preserve::DEADLOCK, vec![r]));
        let alive = of(Predicate::and([Predicate::NotDead, marked]));
        assert_eq!((alive.preserve, alive.support), (Preserve::REACHABILITY, vec![p, q, r]));
    }
}
