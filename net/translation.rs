//! The way back from a place/transition net to the net with inhibitor or reset arcs that it stands
//! for.
//!
//! ```text
//! m(p) < w                         complement place co(p), which holds B - m(p), is read: >= B - w + 1
//! t empties p                      a copy of t for each k tokens that p may hold: it takes k from p and
//!                                  B - k from co(p), and puts B there
//! ```
//!
//! B is a bound on p in *the net with these arcs*. With it the two nets are one: each marking m of
//! one is the marking m with B - m(p) on each co(p) of the other, and in it the same transitions
//! are enabled, each by one of its copies. So whatever is asked of the one can be asked of the
//! other, in terms of the model's places and transitions.
//!
//! The bounds are what is to be believed: each has its [`Because`].
//!
//! # Source
//! Complement places are folklore (T. Murata, *Petri nets: properties, analysis and applications*,
//! Proc. IEEE, 1989, section V); reset arcs of bounded places by copies, C. Dufourd, A. Finkel, Ph.
//! Schnoebelen, *Reset nets between decidability and undecidability*, ICALP 1998, say what is lost
//! where places have no bound.

use crate::id::{PlaceId, TransitionId};
use crate::names::Names;
use std::ops::Range;

/// A bound on a place in every marking that a net with inhibitor or reset arcs reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The place.
    pub place: PlaceId,
    /// What it holds at most.
    pub most: u64,
    /// Why.
    pub because: Because,
}

/// Why a place holds no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// The net has this many markings, or fewer: they were visited.
    Visited(u64),
    /// Who adds to the place is inhibited by it: [`capacity`](crate::extended::capacity).
    Capacity,
    /// No transition raises this sum of tokens, by its plain arcs; each place with its factor, at
    /// least 1.
    Weights(Vec<(PlaceId, u64)>),
}

/// Names of more than 4 GiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("names of more than 4 GiB")]
pub struct TooLarge;

/// What a net was translated from, as far as nodes have to be told apart: of the place/transition
/// net, the first places are the model's.
#[derive(Clone, Debug)]
pub struct Translation {
    /// How many places the model has.
    places: usize,
    /// The model's transitions.
    transitions: Names,
    bounds: Vec<Bound>,
    /// The places with a complement, in the order of their complements, which come after all other
    /// places.
    complemented: Vec<PlaceId>,
    /// Where the copies of each transition end.
    ends: Vec<usize>,
}

impl Translation {
    /// The translation of a model of so many places, and of transitions of these names with so many
    /// copies each; by these bounds, with complements of these places.
    ///
    /// # Errors
    /// When the names take more than 4 GiB.
    pub fn new<'n>(
        places: usize,
        transitions: impl IntoIterator<Item = (&'n str, usize)>,
        bounds: Vec<Bound>,
        complemented: Vec<PlaceId>,
    ) -> Result<Self, TooLarge> {
        let (mut names, mut ends, mut end) = (Names::default(), Vec::new(), 0);
        for (name, copies) in transitions {
            names.push(name).map_err(|_| TooLarge)?;
            end += copies;
            ends.push(end);
        }
        Ok(Translation { places, transitions: names, bounds, complemented, ends })
    }

    /// How many places the model has.
    pub fn place_count(&self) -> usize {
        self.places
    }

    /// How many transitions the model has.
    pub fn transition_count(&self) -> usize {
        self.ends.len()
    }

    /// The name of a transition of the model.
    pub fn transition_name(&self, t: TransitionId) -> &str {
        self.transitions.get(t.index())
    }

    /// The model's transition of this name.
    pub fn transition_named(&self, name: &str) -> Option<TransitionId> {
        self.transitions.find(name).map(TransitionId::new)
    }

    /// The bounds that it rests on, by ascending place.
    pub fn bounds(&self) -> &[Bound] {
        &self.bounds
    }

    /// The places with a complement: the k-th of them has the k-th of the places after the model's.
    pub fn complemented(&self) -> &[PlaceId] {
        &self.complemented
    }

    /// The indices of the transitions that stand for `t`.
    pub fn copies(&self, t: TransitionId) -> Range<usize> {
        let start = t.index().checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[t.index()]
    }

    /// Whether `copy` is one of several that stand for the same transition of the model. What is
    /// said of each of them is then not what is said of that transition: a run that is fair to it
    /// need not be fair to each copy.
    pub fn is_shared(&self, copy: TransitionId) -> bool {
        self.copies(self.origin(copy)).len() > 1
    }

    /// The transition of the model that a transition stands for.
    pub fn origin(&self, copy: TransitionId) -> TransitionId {
        TransitionId::new(self.ends.partition_point(|&end| end <= copy.index()))
    }
}

/// What a complement place is called: `co(p)`, with as many primes as it takes to be nobody else's
/// name.
pub fn complement_name(place: &str, is_taken: impl Fn(&str) -> bool) -> String {
    unused(format!("co({place})"), is_taken)
}

/// What a copy of a transition is called: `t[p=2,q=0]`, with primes likewise.
pub fn copy_name(
    transition: &str,
    held: &[(&str, u64)],
    is_taken: impl Fn(&str) -> bool,
) -> String {
    let held: Vec<String> =
        held.iter().map(|(place, tokens)| format!("{place}={tokens}")).collect();
    unused(format!("{transition}[{}]", held.join(",")), is_taken)
}

fn unused(mut name: String, is_taken: impl Fn(&str) -> bool) -> String {
    while is_taken(&name) {
        name.push('\'');
    }
    name
}
