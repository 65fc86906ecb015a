//! What the open goals need of a reduction, and so which rules may run.

use parikh_net::{PlaceId, Predicate, TransitionId};
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
    /// Every reachable marking, up to linear equations: those of the net before are the solutions
    /// of the equations that the rules write down ([`crate::counting`]) for those of the reduced
    /// net, each of one of them only. Support and protected transitions mean nothing here.
    pub const MARKINGS: Preserve = Preserve(8);
    /// The classes that witnesses and refutations go through.
    pub const ALL: Preserve =
        Preserve::REACHABILITY.and(Preserve::DEADLOCK).and(Preserve::LIVENESS);

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
    /// The same, ascending and without doubles: the form that reductions work with.
    pub fn normalised(&self) -> Needs {
        let mut needs = self.clone();
        needs.support.sort_unstable();
        needs.support.dedup();
        needs.protected.sort_unstable();
        needs.protected.dedup();
        needs
    }
}

/// How a predicate is asked for in a reduced net.
pub enum Form<'p> {
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
    /// How this one is.
    pub fn of(predicate: &'p Predicate) -> Form<'p> {
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
