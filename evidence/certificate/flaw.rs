//! Why a certificate is refused.

use crate::refutation::RefutationFlaw;
use parikh_net::printable::Quoted;
use parikh_net::{Net, PlaceId, Predicate, TransitionId};

/// Why a certificate is refused. Numbers in front are those of lemmas, traps or steps.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// The net has features that the argument does not hold for.
    #[error("the net has features that such an argument does not hold for")]
    Features,
    /// A name that the net does not have.
    #[error("the net has no {0} {name}", name = Quoted(.1))]
    NoSuchName(&'static str, String),
    /// A place that does not exist.
    #[error("place {} does not exist", .0.index())]
    NoSuchPlace(PlaceId),
    /// A transition that does not exist.
    #[error("transition {} does not exist", .0.index())]
    NoSuchTransition(TransitionId),
    /// A reference to a comparison, trap or unit that does not exist.
    #[error("{0} refers to {1} {2}, which does not exist")]
    NoSuchPart(usize, &'static str, usize),
    /// A multiplier below zero.
    #[error("{0} multiplies an inequality by a negative number")]
    NegativeMultiplier(usize),
    /// A firing of the transition raises the weighted number of tokens.
    #[error("{0}: a firing of {1:?} raises the weighted sum")]
    Increases(usize, TransitionId),
    /// The place has a negative coefficient in the combination.
    #[error("{0}: {1:?} has a negative coefficient in the end")]
    NegativeCoefficient(usize, PlaceId),
    /// The combination is not below zero.
    #[error("{0}: the inequalities add up to no contradiction")]
    NoContradiction(usize),
    /// Safe units are used, but not assumed, or the net claims none.
    #[error("{0} uses safe units, which the certificate does not assume or the net not claim")]
    Units(usize),
    /// A firing of the transition takes from the trap and puts nothing back.
    #[error("trap {0} is none, {1:?} empties it")]
    Empties(usize, TransitionId),
    /// The trap is empty in the initial marking.
    #[error("trap {0} is not marked initially")]
    Unmarked(usize),
    /// A weighted sum is below its lower bound in the initial marking.
    #[error("lower bound {0}: the initial marking has fewer tokens")]
    LowAtFirst(usize),
    /// A firing of the transition may lead below a lower bound.
    #[error("lower bound {0}: a firing of {1:?} may lead below it")]
    FallsBelow(usize, TransitionId),
    /// What is said to come first does not.
    #[error("precedence {0}: {1}")]
    Precedence(usize, &'static str),
    /// A bound does not hold initially.
    #[error("{0}: the initial marking breaks the bound on {1:?}")]
    Initially(usize, PlaceId),
    /// A firing may break a bound.
    #[error("{0}: a firing of {2:?} may break the bound on {1:?}")]
    Breaks(usize, PlaceId, TransitionId),
    /// The weighted sum gives a weaker bound than is said, or none.
    #[error("{0}: the weighted sum does not give the bound on {1:?}")]
    NoBound(usize, PlaceId),
    /// A remainder modulo less than 2, of a multiple of one place, or of a sum that has another.
    #[error(
        "remainder {0}: expected a number of at least 2, and a sum or a place that has none yet"
    )]
    NoRemainder(usize),
    /// A firing changes the remainder of a sum that is said to keep it.
    #[error("remainder {0}: a firing of {1:?} changes it")]
    ChangesRemainder(usize, TransitionId),
    /// A clause of an invariant does not hold initially.
    #[error("clause {0} is false of the initial marking")]
    FalseAtFirst(usize),
    /// A firing may make a clause of an invariant false.
    #[error("clause {0}: a firing of {1:?} may make it false")]
    NotInductive(usize, TransitionId),
    /// A step of an invariant that does not follow.
    #[error("step {0} does not follow by propagation")]
    Step(usize),
    /// A clause that does not follow from those before it.
    #[error(transparent)]
    Clause(RefutationFlaw),
    /// A set of markings that is none, or not closed.
    #[error(transparent)]
    ClosedSet(ClosedSetFlaw),
    /// There are more reachable markings than is said.
    #[error("more than {0} markings are reachable")]
    More(u64),
    /// There are fewer.
    #[error("{0} markings are reachable, not {1}")]
    Fewer(u64, u64),
    /// The steps hold, but what is asked does not follow.
    #[error("it does not follow")]
    DoesNotFollow,
    /// The coefficients of a comparison are too large, or the net with counters is.
    #[error("{0}")]
    TooLarge(String),
    /// A number beyond what is counted with.
    #[error("a number is too large")]
    Overflow,
    /// Told to stop.
    #[error("not checked to the end")]
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

/// Why a diagram shows nothing ([`ClosedSet`](super::closed_set::ClosedSet)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClosedSetFlaw {
    /// A place has no level, or two.
    #[error("the order is not one of all places of the net")]
    Order,
    /// A node refers to none before it, or to one of another length, or its values do not grow.
    #[error("node {0} is not in order")]
    Node(usize),
    /// The root's vectors are no markings.
    #[error("the root is no node of the top level")]
    Root,
    /// The initial marking is missing.
    #[error("the initial marking is not in the set")]
    Initial,
    /// A firing leads out of it.
    #[error("firing {0:?} leads out of the set")]
    Leaves(TransitionId),
    /// A transition leads from too many nodes to too many others.
    #[error("too many pairs of nodes to see that no firing leads out of the set")]
    Pairs,
    /// It would take too long.
    #[error("more work than was allowed")]
    Work,
}

impl From<ClosedSetFlaw> for Flaw {
    fn from(flaw: ClosedSetFlaw) -> Flaw {
        match flaw {
            ClosedSetFlaw::Work => Flaw::Stopped,
            ClosedSetFlaw::Pairs => Flaw::TooLarge(flaw.to_string()),
            flaw => Flaw::ClosedSet(flaw),
        }
    }
}

/// That places exist.
pub(super) fn check_places(
    net: &Net,
    mut places: impl Iterator<Item = PlaceId>,
) -> Result<(), Flaw> {
    let unknown = places.find(|place| place.index() >= net.place_count());
    unknown.map_or(Ok(()), |place| Err(Flaw::NoSuchPlace(place)))
}

/// That the nodes of a predicate exist.
///
/// # Errors
/// With the first that does not.
pub fn check_names(net: &Net, predicate: &Predicate) -> Result<(), Flaw> {
    match predicate {
        Predicate::Atom(atom) => check_places(net, atom.sum.terms().iter().map(|&(p, _)| p)),
        Predicate::Enabled(t) | Predicate::Disabled(t) => {
            let known = t.index() < net.transition_count();
            if known { Ok(()) } else { Err(Flaw::NoSuchTransition(*t)) }
        }
        Predicate::And(parts) | Predicate::Or(parts) => {
            parts.iter().try_for_each(|part| check_names(net, part))
        }
        Predicate::True | Predicate::False | Predicate::Dead | Predicate::NotDead => Ok(()),
    }
}
