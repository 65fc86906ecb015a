//! The requirements of questions on a reduction, which determine the applicable rules.

use parikh_net::{PlaceId, Predicate, TransitionId};
use std::ops::BitOr;

/// A set of classes of questions: the classes that a rule preserves, or that must be preserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Preserve(u8);

impl Preserve {
    /// No class: every change is permitted.
    pub const NOTHING: Preserve = Preserve(0);
    /// The set of reachable markings, projected onto the support, and the set of protected
    /// transitions that fire in some run.
    pub const REACHABILITY: Preserve = Preserve(1);
    /// The set of reachable dead markings, projected onto the support. With an empty support, this
    /// is the existence of a deadlock.
    pub const DEADLOCK: Preserve = Preserve(2);
    /// The set of live protected transitions.
    pub const LIVENESS: Preserve = Preserve(4);
    /// Every reachable marking, up to linear equations. Each marking of the original net is a
    /// solution of the equations that the rules record ([`crate::counting`]) for exactly one
    /// marking of the reduced net. Support and protected transitions have no meaning for this
    /// class.
    pub const MARKINGS: Preserve = Preserve(8);
    /// The classes of questions about reachability, deadlocks and liveness: all but
    /// [`MARKINGS`](Self::MARKINGS).
    pub const ALL: Preserve =
        Preserve::REACHABILITY.and(Preserve::DEADLOCK).and(Preserve::LIVENESS);

    /// Returns the union of two sets of classes.
    pub const fn and(self, other: Preserve) -> Preserve {
        Preserve(self.0 | other.0)
    }

    /// Returns true if all classes of `other` are in this set.
    pub const fn covers(self, other: Preserve) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns true if the sets have a class in common.
    pub const fn intersects(self, other: Preserve) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Preserve {
    type Output = Preserve;
    fn bitor(self, other: Preserve) -> Preserve {
        self.and(other)
    }
}

/// The properties of a net that a reduction must preserve.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The places whose tokens matter to the questions.
    pub support: Vec<PlaceId>,
    /// The transitions whose firing or liveness matters to the questions.
    pub protected: Vec<TransitionId>,
    /// The classes of questions that must be preserved.
    pub preserve: Preserve,
}

impl Needs {
    /// Returns the needs with sorted lists and without duplicates. Reductions require this form.
    pub fn normalised(&self) -> Needs {
        let mut needs = self.clone();
        needs.support.sort_unstable();
        needs.support.dedup();
        needs.protected.sort_unstable();
        needs.protected.dedup();
        needs
    }
}

/// The way in which a reduced net expresses a predicate.
pub enum PredicateForm<'p> {
    /// A disjunction, whose parts are expressed separately.
    Disjunction(&'p [Predicate]),
    /// The enabledness of the transition. It is reachable if and only if the transition fires in
    /// some run.
    Fires(TransitionId),
    /// The conjunction of deadness with the listed predicates, which do not mention deadness.
    DeadAnd(Vec<&'p Predicate>),
    /// Any other predicate, expressed over the tokens of its support.
    Marking,
}

impl<'p> PredicateForm<'p> {
    /// Returns the form of a predicate.
    pub fn of(predicate: &'p Predicate) -> PredicateForm<'p> {
        match predicate {
            Predicate::Or(parts) => PredicateForm::Disjunction(parts),
            Predicate::Enabled(t) => PredicateForm::Fires(*t),
            Predicate::Dead => PredicateForm::DeadAnd(Vec::new()),
            Predicate::And(parts) if parts.contains(&Predicate::Dead) => {
                let rest: Vec<_> = parts.iter().filter(|part| **part != Predicate::Dead).collect();
                if rest.iter().any(|part| part.mentions_deadness()) {
                    PredicateForm::Marking
                } else {
                    PredicateForm::DeadAnd(rest)
                }
            }
            _ => PredicateForm::Marking,
        }
    }
}
