//! The reasons that a certificate is rejected.

use crate::refutation::RefutationFlaw;
use parikh_net::printable::Quoted;
use parikh_net::{Net, PlaceId, Predicate, TransitionId};

/// The reason that a certificate is rejected. A `usize` in first position is the index of the
/// lemma, trap, step or other part of the certificate that has the flaw.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// The argument is not sound for a feature of the net.
    #[error("the argument does not apply to nets with these features")]
    Features,
    /// The net has no place, transition or unit of this name. The fields are the kind and the name.
    #[error("the net has no {0} {name}", name = Quoted(.1))]
    NoSuchName(&'static str, String),
    /// A place outside of the net.
    #[error("place {} does not exist", .0.index())]
    NoSuchPlace(PlaceId),
    /// A transition outside of the net.
    #[error("transition {} does not exist", .0.index())]
    NoSuchTransition(TransitionId),
    /// A reference to a comparison, trap, lower bound or unit that does not exist. The fields are
    /// the index of the referring part, the kind of the missing part, and the index of the missing
    /// part.
    #[error("{0} refers to {1} {2}, which does not exist")]
    NoSuchPart(usize, &'static str, usize),
    /// A multiplier is negative.
    #[error("{0} multiplies an inequality by a negative number")]
    NegativeMultiplier(usize),
    /// A firing of the transition increases the weighted sum of tokens of the lemma or step.
    #[error("{0}: a firing of {1:?} increases the weighted sum")]
    Increases(usize, TransitionId),
    /// The place has a negative coefficient in the sum of the inequalities of a lemma.
    #[error("{0}: {1:?} has a negative coefficient in the result")]
    NegativeCoefficient(usize, PlaceId),
    /// The constant in the sum of the inequalities of a lemma is not negative.
    #[error("{0}: the inequalities add up to no contradiction")]
    NoContradiction(usize),
    /// A lemma or step uses safe units, but the certificate does not assume them or the net does
    /// not claim them. In a step, a place may also be in no unit. The index is 0 if only the bounds
    /// in a certificate assume safe units, and the certificate itself does not.
    #[error("{0} uses safe units, which the certificate does not assume or the net does not claim")]
    UnitsNotAssumed(usize),
    /// A firing of the transition consumes from the trap and produces nothing into it.
    #[error("trap {0} is not a trap: {1:?} can empty it")]
    CanEmptyTrap(usize, TransitionId),
    /// The trap has no token in the initial marking.
    #[error("trap {0} is not marked initially")]
    Unmarked(usize),
    /// A weighted sum is below its lower bound in the initial marking.
    #[error("lower bound {0}: the initial marking has fewer tokens")]
    LowAtFirst(usize),
    /// A firing of the transition may lead below a lower bound.
    #[error("lower bound {0}: a firing of {1:?} may lead below it")]
    FallsBelow(usize, TransitionId),
    /// A condition of a precedence is violated. A precedence states that at least one of two
    /// comparisons holds, by the order of firings. The fields are the index of the precedence, and
    /// the condition in words.
    #[error("precedence {0}: {1}")]
    Precedence(usize, &'static str),
    /// The initial marking violates a bound.
    #[error("{0}: the initial marking violates the bound on {1:?}")]
    BoundFalseInitially(usize, PlaceId),
    /// A firing of the transition may violate a bound.
    #[error("{0}: a firing of {2:?} may violate the bound on {1:?}")]
    MayViolateBound(usize, PlaceId, TransitionId),
    /// The weighted sum gives a weaker bound than stated, or none.
    #[error("{0}: the weighted sum does not give the bound on {1:?}")]
    NoBound(usize, PlaceId),
    /// The modulus is less than 2, the sum is zero or a proper multiple of one place, or the sum
    /// already has a remainder.
    #[error(
        "remainder {0}: expected a modulus of at least 2, and a sum or place without an earlier \
         remainder"
    )]
    NoRemainder(usize),
    /// A firing of the transition changes the remainder of a sum.
    #[error("remainder {0}: a firing of {1:?} changes it")]
    ChangesRemainder(usize, TransitionId),
    /// The initial marking violates a clause of an invariant.
    #[error("clause {0} is false in the initial marking")]
    FalseAtFirst(usize),
    /// A firing of the transition may make a clause of an invariant false.
    #[error("clause {0}: a firing of {1:?} may make it false")]
    NotInductive(usize, TransitionId),
    /// A step of an invariant, or of the refutation of a predicate by it, does not follow by
    /// propagation.
    #[error("step {0} does not follow by propagation")]
    StepDoesNotFollow(usize),
    /// A step of a propositional refutation does not follow from the clauses before it, or has a
    /// variable that does not exist.
    #[error(transparent)]
    Clause(RefutationFlaw),
    /// The diagram represents no set of markings, the set misses the initial marking, or it is not
    /// closed under firing.
    #[error(transparent)]
    ClosedSet(ClosedSetFlaw),
    /// There are more reachable markings than the limit, or they need too much memory. The field is
    /// the limit, or the number of markings that filled the memory.
    #[error("more than {0} markings are reachable")]
    More(u64),
    /// There are fewer reachable markings than stated. The fields are the actual and the stated
    /// number.
    #[error("{0} markings are reachable, not {1}")]
    TooFewMarkings(u64, u64),
    /// The steps are correct, but the claim does not follow from them. For a branching-time
    /// property, the document is not a closed set.
    #[error("the claim does not follow")]
    DoesNotFollow,
    /// A limit is exceeded, as the text says. It may be a limit on the coefficients of a
    /// comparison, the net with counters, or the edges of a reachability graph. It may also be a
    /// limit on the levels, nodes or pairs of nodes of a diagram.
    #[error("{0}")]
    TooLarge(String),
    /// A number computed in the check exceeds the integer type.
    #[error("a number is too large")]
    Overflow,
    /// `goes_on`, or the callback that inspects markings, returned false before the end.
    #[error("the check did not finish in time")]
    Stopped,
}

impl From<RefutationFlaw> for Flaw {
    fn from(flaw: RefutationFlaw) -> Flaw {
        match flaw {
            RefutationFlaw::NoContradiction => Flaw::DoesNotFollow,
            RefutationFlaw::Stopped => Flaw::Stopped,
            flaw => Flaw::Clause(flaw),
        }
    }
}

/// The reason that a decision diagram is rejected ([`ClosedSet`](super::closed_set::ClosedSet)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClosedSetFlaw {
    /// The order is not a permutation of the places.
    #[error("the order is not a permutation of the places of the net")]
    Order,
    /// The node with this number, from 2, is not in order. Its child `down` is 0 or no earlier
    /// node; or its neighbour `right` is 1, no earlier node, of another height or without a larger
    /// value.
    #[error("node {0} is not in order")]
    Node(usize),
    /// The root is node 0 or does not exist, or its vectors do not have one value per place.
    #[error("the root is not a node of the top level")]
    Root,
    /// The initial marking is not in the set.
    #[error("the initial marking is not in the set")]
    Initial,
    /// A firing of the transition leads out of the set.
    #[error("a firing of {0:?} leaves the set")]
    Leaves(TransitionId),
    /// The check of a transition needs too many pairs of nodes. A pair has a node for a member, and
    /// a node for the result of its firing.
    #[error("too many pairs of nodes to check that no firing leaves the set")]
    TooManyPairs,
    /// `goes_on` returned false before the end.
    #[error("the check exceeds its work limit")]
    Work,
}

impl From<ClosedSetFlaw> for Flaw {
    fn from(flaw: ClosedSetFlaw) -> Flaw {
        match flaw {
            ClosedSetFlaw::Work => Flaw::Stopped,
            ClosedSetFlaw::TooManyPairs => Flaw::TooLarge(flaw.to_string()),
            flaw => Flaw::ClosedSet(flaw),
        }
    }
}

/// Checks that the net has every place of an iterator.
pub(super) fn check_places(
    net: &Net,
    mut places: impl Iterator<Item = PlaceId>,
) -> Result<(), Flaw> {
    let unknown = places.find(|place| place.index() >= net.place_count());
    unknown.map_or(Ok(()), |place| Err(Flaw::NoSuchPlace(place)))
}

/// Checks that all places and transitions of a predicate exist.
///
/// # Errors
/// The first place or transition that does not exist.
pub fn check_names(net: &Net, predicate: &Predicate) -> Result<(), Flaw> {
    match predicate {
        Predicate::Atom(atom) => check_places(net, atom.sum.terms().iter().map(|&(p, _)| p)),
        Predicate::Enabled(t) | Predicate::Disabled(t) => {
            let exists = t.index() < net.transition_count();
            if exists { Ok(()) } else { Err(Flaw::NoSuchTransition(*t)) }
        }
        Predicate::And(parts) | Predicate::Or(parts) => {
            parts.iter().try_for_each(|part| check_names(net, part))
        }
        Predicate::True | Predicate::False | Predicate::Dead | Predicate::NotDead => Ok(()),
    }
}
