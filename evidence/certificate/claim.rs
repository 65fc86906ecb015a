//! What a document proves: a claim about all reachable markings.

use parikh_net::{Atom, Goal, LinearSum, Net, PlaceId, Predicate, TransitionId};

/// What a certificate proves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Claim {
    /// No reachable marking satisfies the predicate.
    Unreachable(Predicate),
    /// The sum never exceeds the bound.
    AtMost(LinearSum, i64),
}

impl Claim {
    /// The predicate that no reachable marking satisfies, if the claim is true.
    pub fn refuted(&self) -> Predicate {
        match self {
            Claim::Unreachable(predicate) => predicate.clone(),
            Claim::AtMost(sum, bound) => Predicate::at_most(sum.clone(), *bound).negated(),
        }
    }

    /// The goal that the claim refutes or bounds.
    pub fn goal(&self) -> Goal {
        match self {
            Claim::Unreachable(predicate) => Goal::Reach(predicate.clone()),
            Claim::AtMost(sum, _) => Goal::Maximise(sum.clone()),
        }
    }

    /// That it speaks of nodes that there are.
    ///
    /// # Errors
    /// With the first one that there is not.
    pub fn check_names(&self, net: &Net) -> Result<(), NoSuchNode> {
        match self {
            Claim::Unreachable(predicate) => check_predicate(net, predicate),
            Claim::AtMost(sum, _) => check_places(net, sum.terms().iter().map(|&(p, _)| p)),
        }
    }
}

/// A node that the net does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSuchNode {
    /// A place.
    #[error("place {} does not exist", .0.index())]
    Place(PlaceId),
    /// A transition.
    #[error("transition {} does not exist", .0.index())]
    Transition(TransitionId),
}

pub(super) fn check_places(
    net: &Net,
    mut places: impl Iterator<Item = PlaceId>,
) -> Result<(), NoSuchNode> {
    let unknown = places.find(|place| place.index() >= net.place_count());
    unknown.map_or(Ok(()), |place| Err(NoSuchNode::Place(place)))
}

fn check_predicate(net: &Net, predicate: &Predicate) -> Result<(), NoSuchNode> {
    match predicate {
        Predicate::Atom(Atom { sum, .. }) => check_places(net, sum.terms().iter().map(|&(p, _)| p)),
        Predicate::Enabled(t) | Predicate::Disabled(t) => {
            let known = t.index() < net.transition_count();
            if known { Ok(()) } else { Err(NoSuchNode::Transition(*t)) }
        }
        Predicate::And(parts) | Predicate::Or(parts) => {
            parts.iter().try_for_each(|part| check_predicate(net, part))
        }
        Predicate::True | Predicate::False | Predicate::Dead | Predicate::NotDead => Ok(()),
    }
}
