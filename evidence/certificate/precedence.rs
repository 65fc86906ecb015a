//! Precedence: what has to happen before something else can.
//!
//! The state equation counts firings and forgets their order, so that it lets transitions feed each other
//! from nothing: one takes what only the other gives, and the other what only the first one gives. Two
//! arguments about order exclude that. Each says that of two comparisons one holds in every reachable
//! marking, of the net with [counters](super::counters):
//!
//! - [`Unfed`](Precedence::Unfed): places that are empty at first. Until a transition puts into them that
//!   takes nothing from them, they stay empty, and whoever takes from them cannot fire. So either nobody has
//!   taken from them, or somebody has fed them from outside.
//! - [`Kept`](Precedence::Kept): a trap, marked or not. Once somebody has put into it, it stays marked. So either
//!   nobody has put into it, or it has a token.
//!
//! # Conditions
//! The first comparison, Σ aᵢ·m(pᵢ) ≤ k, has k ≥ 0, and a positive aᵢ only where m(pᵢ) is 0 as long as it
//! did not happen: for a place of an unfed set, and for a counter all of whose transitions take from the set, or put
//! into the trap. The second, with k ≥ −1, has negative aᵢ only, and for each way in which it may have happened a
//! term that has a token since: a counter of each transition that feeds the set, or each place of the trap.
//!
//! # Sources
//! Y. Thierry-Mieg, *Structural reductions revisited*, PETRI NETS 2020 (who reads has to be fed); J. Esparza, S. Melzer,
//! *Verification of safety properties using integer programming: beyond the state equation*, FMSD 16, 2000
//! (traps); E. Fraca, S. Haddad, *Complexity analysis of continuous Petri nets*, Fundamenta Informaticae 137,
//! 2015 (which sets of transitions can fire at all).

use super::flaw::{Flaw, check_places};
use super::linear::LinearCertificate;
use parikh_net::{Atom, Net, PlaceArc, PlaceId, TransitionId};
use serde::{Deserialize, Serialize};

/// Of two comparisons one holds, because of what has to come first. See the file's head. Comparisons
/// are positions in [`LinearCertificate::atoms`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precedence<P = PlaceId> {
    /// Places that are empty at first.
    Unfed {
        /// The places.
        places: Vec<P>,
        /// Nobody has taken from them.
        idle: usize,
        /// Somebody has put into them who did not take from them.
        fed: usize,
    },
    /// A trap.
    Kept {
        /// Its places.
        places: Vec<P>,
        /// Nobody has put into it.
        idle: usize,
        /// It has a token.
        marked: usize,
    },
}

impl<P> Precedence<P> {
    /// Its places.
    pub fn places(&self) -> &[P] {
        let (Precedence::Unfed { places, .. } | Precedence::Kept { places, .. }) = self;
        places
    }

    /// The two comparisons.
    pub fn atoms(&self) -> [usize; 2] {
        match self {
            Precedence::Unfed { idle, fed, .. } => [*idle, *fed],
            Precedence::Kept { idle, marked, .. } => [*idle, *marked],
        }
    }

    /// The same with other places and other positions of comparisons.
    ///
    /// # Errors
    /// Whatever `place` returns for one of them.
    pub fn renamed<Q, E>(
        &self,
        place: impl Fn(&P) -> Result<Q, E>,
        mut atom: impl FnMut(usize) -> usize,
    ) -> Result<Precedence<Q>, E> {
        let places = self.places().iter().map(place).collect::<Result<_, E>>()?;
        Ok(match self {
            Precedence::Unfed { idle, fed, .. } => {
                Precedence::Unfed { places, idle: atom(*idle), fed: atom(*fed) }
            }
            Precedence::Kept { idle, marked, .. } => {
                Precedence::Kept { places, idle: atom(*idle), marked: atom(*marked) }
            }
        })
    }

    /// "One of the two", with atom i as variable i + 1.
    pub(super) fn clause(&self) -> Vec<i32> {
        self.atoms().map(|atom| atom as i32 + 1).to_vec()
    }
}

impl Precedence {
    /// Checks the conditions for number `index` of `certificate`, about the net with its counters.
    pub(super) fn check(
        &self,
        net: &Net,
        index: usize,
        certificate: &LinearCertificate,
    ) -> Result<(), Flaw> {
        check_places(net, self.places().iter().copied())?;
        let atom =
            |at: usize| certificate.atoms.get(at).ok_or(Flaw::NoSuchPart(index, "comparison", at));
        let [first, second] = self.atoms();
        let (first, second) = (atom(first)?, atom(second)?);
        let refuse = |why: &'static str| Err(Flaw::Precedence(index, why));

        let set = Set::of(net, self.places(), certificate);
        let happens_after = match self {
            Precedence::Unfed { places, .. } => {
                if places.iter().any(|&place| net.initial()[place] > 0) {
                    return refuse("a place of it is marked initially");
                }
                let mut feeders =
                    set.transitions(|p| net.producers(p)).filter(|&t| !set.is_taken_by(t));
                feeders.all(|t| set.is_counted(t, second))
            }
            Precedence::Kept { places, .. } => {
                if set.transitions(|p| net.consumers(p)).any(|t| !set.is_fed_by(t)) {
                    return refuse("somebody takes from the trap and puts nothing back");
                }
                places.iter().all(|place| second.sum.terms().iter().any(|(p, _)| p == place))
            }
        };
        let is_zero_before = |place: PlaceId| {
            let counted = set.counted(place);
            match self {
                Precedence::Unfed { .. } => {
                    set.contains(place)
                        || counted.is_some_and(|all| all.iter().all(|&t| set.is_taken_by(t)))
                }
                Precedence::Kept { .. } => {
                    counted.is_some_and(|all| all.iter().all(|&t| set.is_fed_by(t)))
                }
            }
        };
        let terms = first.sum.terms();
        if first.bound < 0 || terms.iter().any(|&(p, a)| a > 0 && !is_zero_before(p)) {
            return refuse("its first comparison may fail before anything has happened");
        }
        if second.bound < -1 || second.sum.terms().iter().any(|&(_, a)| a > 0) || !happens_after {
            return refuse("its second comparison may fail after it has happened");
        }
        Ok(())
    }
}

/// A set of places of a net with counters.
struct Set<'a> {
    net: &'a Net,
    places: &'a [PlaceId],
    inside: Vec<bool>,
    certificate: &'a LinearCertificate,
}

impl<'a> Set<'a> {
    fn of(net: &'a Net, places: &'a [PlaceId], certificate: &'a LinearCertificate) -> Self {
        let mut inside = vec![false; net.place_count()];
        places.iter().for_each(|place| inside[place.index()] = true);
        Set { net, places, inside, certificate }
    }

    fn contains(&self, place: PlaceId) -> bool {
        self.inside[place.index()]
    }

    /// The transitions at the arcs of its places.
    fn transitions(
        &self,
        arcs: impl Fn(PlaceId) -> &'a [PlaceArc],
    ) -> impl Iterator<Item = TransitionId> {
        self.places.iter().flat_map(move |&place| arcs(place)).map(|arc| arc.transition)
    }

    fn is_taken_by(&self, t: TransitionId) -> bool {
        self.net.pre(t).iter().any(|arc| self.contains(arc.place))
    }

    fn is_fed_by(&self, t: TransitionId) -> bool {
        self.net.post(t).iter().any(|arc| self.contains(arc.place))
    }

    /// The transitions whose firings a place counts.
    fn counted(&self, place: PlaceId) -> Option<&'a [TransitionId]> {
        let counters = &self.certificate.counters;
        let at = place.index().checked_sub(self.net.place_count() - counters.len())?;
        counters.get(at).map(Vec::as_slice)
    }

    /// Whether a counter in the comparison counts the firings of `t`.
    fn is_counted(&self, t: TransitionId, comparison: &Atom) -> bool {
        let counts = |&(place, _): &(PlaceId, i64)| {
            self.counted(place).is_some_and(|counted| counted.contains(&t))
        };
        comparison.sum.terms().iter().any(counts)
    }
}
