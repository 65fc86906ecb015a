//! Precedence: what has to happen before something else can.
//!
//! The state equation counts firings and forgets their order, so that it lets transitions feed each
//! other from nothing: one takes what only the other gives, and the other what only the first one
//! gives. Two arguments about order exclude that. Each says that of two comparisons one holds in
//! every reachable marking, of the net with [counters](super::counters):
//!
//! - [`Unfed`](Precedence::Unfed): places that are empty at first. Until a transition puts into
//!   them that takes nothing from them, they stay empty, and whoever takes from them cannot fire.
//!   So either nobody has taken from them, or somebody has fed them from outside.
//! - [`Kept`](Precedence::Kept): a trap, marked or not. Once somebody has put into it, it stays
//!   marked. So either nobody has put into it, or it has a token.
//!
//! # Conditions
//! The first comparison is Σ aᵢ·m(pᵢ) ≤ k, the second Σ bᵢ·m(qᵢ) ≤ l. The checker demands
//!
//! 1. of an unfed set that none of its places is marked initially; of a trap that whoever takes
//!    from it puts into it;
//! 2. k ≥ 0, and aᵢ > 0 only for places of an unfed set, and for counters all of whose transitions
//!    take from the set, or put into the trap;
//! 3. l ≥ −1, and bᵢ < 0 everywhere;
//! 4. of an unfed set that each transition that puts into it without taking from it is counted by
//!    some qᵢ; of a trap that each of its places is some qᵢ.
//!
//! # Soundness
//! Call it the event when for the first time a transition puts into an unfed set without taking
//! from it, or any puts into the trap. Before it, by (1), an unfed set has no token, so that nobody
//! can take from it; and nobody has put into the trap. So what (2) lets count is 0, and the first
//! sum is at most 0 ≤ k. After it, by (4), some qᵢ has a token: the counter of that transition,
//! which nobody takes from, or a place of the trap, which (1) keeps marked. By (3) the second sum
//! is then at most −1 ≤ l.
//!
//! # Sources
//! Y. Thierry-Mieg, *Structural reductions revisited*, PETRI NETS 2020 (who reads has to be fed);
//! J. Esparza, S. Melzer, *Verification of safety properties using integer programming: beyond the
//! state equation*, FMSD 16, 2000 (traps); E. Fraca, S. Haddad, *Complexity analysis of continuous
//! Petri nets*, Fundamenta Informaticae 137, 2015 (which sets of transitions can fire at all).

use super::flaw::{Flaw, check_places};
use super::traps::emptying;
use parikh_net::{Atom, Net, PlaceId, TransitionId};
use serde::{Deserialize, Serialize};

/// Of two comparisons one holds, because of what has to come first. See the file's head.
/// Comparisons are positions in the certificate's atoms.
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
    /// Checks the conditions for the precedence of this number in a certificate with these
    /// comparisons and counted sets; `net` is the one with its counters.
    pub(super) fn check(
        &self,
        net: &Net,
        index: usize,
        atoms: &[Atom],
        counters: &[Vec<TransitionId>],
    ) -> Result<(), Flaw> {
        check_places(net, self.places().iter().copied())?;
        let atom = |at: usize| atoms.get(at).ok_or(Flaw::NoSuchPart(index, "comparison", at));
        let [first, second] = self.atoms();
        let (first, second) = (atom(first)?, atom(second)?);
        let refuse = |why: &'static str| Err(Flaw::Precedence(index, why));

        let set = Set::of(net, self.places());
        let own = net.place_count() - counters.len();
        let counted = |place: PlaceId| {
            let at = place.index().checked_sub(own)?;
            counters.get(at).map(Vec::as_slice)
        };
        let happens_after = match self {
            Precedence::Unfed { places, .. } => {
                if places.iter().any(|&place| net.initial()[place] > 0) {
                    return refuse("a place of it is marked initially"); // 1
                }
                let mut is_counted = vec![false; net.transition_count()];
                let counters = second.sum.terms().iter().filter_map(|&(place, _)| counted(place));
                counters.flatten().for_each(|t| is_counted[t.index()] = true);
                net.transitions().all(|t| !set.puts(t) || set.takes(t) || is_counted[t.index()])
            }
            Precedence::Kept { places, .. } => {
                if emptying(net, places).is_some() {
                    return refuse("somebody takes from the trap and puts nothing back"); // 1
                }
                let mut has = vec![false; net.place_count()];
                second.sum.terms().iter().for_each(|(place, _)| has[place.index()] = true);
                places.iter().all(|place| has[place.index()])
            }
        };
        let is_zero_before = |place: PlaceId| match self {
            Precedence::Unfed { .. } => {
                set.contains(place)
                    || counted(place).is_some_and(|all| all.iter().all(|&t| set.takes(t)))
            }
            Precedence::Kept { .. } => {
                counted(place).is_some_and(|all| all.iter().all(|&t| set.puts(t)))
            }
        };
        let terms = first.sum.terms();
        if first.bound < 0 || terms.iter().any(|&(p, a)| a > 0 && !is_zero_before(p)) {
            return refuse("its first comparison may fail before anything has happened"); // 2
        }
        if second.bound < -1 || second.sum.terms().iter().any(|&(_, a)| a > 0) || !happens_after {
            return refuse("its second comparison may fail after it has happened"); // 3, 4
        }
        Ok(())
    }
}

/// A set of places, and the transitions around it.
struct Set {
    inside: Vec<bool>,
    takes: Vec<bool>,
    puts: Vec<bool>,
}

impl Set {
    fn of(net: &Net, places: &[PlaceId]) -> Self {
        let mut set = Set {
            inside: vec![false; net.place_count()],
            takes: vec![false; net.transition_count()],
            puts: vec![false; net.transition_count()],
        };
        for &place in places {
            set.inside[place.index()] = true;
            net.consumers(place).iter().for_each(|arc| set.takes[arc.transition.index()] = true);
            net.producers(place).iter().for_each(|arc| set.puts[arc.transition.index()] = true);
        }
        set
    }

    fn contains(&self, place: PlaceId) -> bool {
        self.inside[place.index()]
    }

    /// Whether `t` takes from it.
    fn takes(&self, t: TransitionId) -> bool {
        self.takes[t.index()]
    }

    /// Whether `t` puts into it.
    fn puts(&self, t: TransitionId) -> bool {
        self.puts[t.index()]
    }
}
