//! Precedence: arguments about the order of firings.
//!
//! The state equation counts firings and ignores their order. So it admits transitions that feed
//! each other from nothing: each one consumes what only the other one produces. Two arguments about
//! order exclude such solutions. Each says that of two comparisons one holds in every reachable
//! marking of the net with [counters](super::counters):
//!
//! - [`Unfed`](Precedence::Unfed): a set of places that is initially empty. The places stay empty
//!   until a transition fires that produces into the set without consuming from it. Until then no
//!   transition that consumes from the set can fire. So either no transition has consumed from the
//!   set, or one has fed it from outside.
//! - [`Kept`](Precedence::Kept): a trap, marked or not. Once a transition has produced into it, it
//!   stays marked. So either no transition has produced into it, or it has a token.
//!
//! # Conditions
//! The first comparison is Σ aᵢ·m(pᵢ) ≤ k, the second Σ bᵢ·m(qᵢ) ≤ l. The checker requires
//!
//! 1. for an unfed set, that none of its places is marked initially; for a trap, that each
//!    transition that consumes from it produces into it;
//! 2. k ≥ 0, and aᵢ > 0 only for places of an unfed set, and for counters all of whose transitions
//!    consume from the set, or produce into the trap;
//! 3. l ≥ −1, and bᵢ < 0 everywhere;
//! 4. for an unfed set, that each transition that produces into it without consuming from it is
//!    counted by some qᵢ; for a trap, that each of its places is some qᵢ.
//!
//! # Soundness
//! The *event* is the first firing of a transition that produces into an unfed set without
//! consuming from it, or that produces into the trap. Before the event, by (1), an unfed set has no
//! token, so no transition can consume from it; and no transition has produced into the trap. So
//! the terms with aᵢ > 0 in (2) are 0, and the first sum is at most 0 ≤ k. After the event, by (4),
//! some qᵢ has a token: the counter of that transition, from which no transition consumes, or a
//! place of the trap, which stays marked by (1). By (3) the second sum is then at most −1 ≤ l.
//!
//! # Sources
//! Y. Thierry-Mieg, *Structural reductions revisited*, PETRI NETS 2020 (read places must be fed);
//! J. Esparza, S. Melzer, *Verification of safety properties using integer programming: beyond the
//! state equation*, FMSD 16, 2000 (traps); E. Fraca, S. Haddad, *Complexity analysis of continuous
//! Petri nets*, Fundamenta Informaticae 137, 2015 (which sets of transitions can fire at all).

use super::flaw::{Flaw, check_places};
use super::traps::emptying;
use parikh_net::{Atom, Net, PlaceId, TransitionId};
use serde::{Deserialize, Serialize};

/// Two comparisons of which at least one holds in every reachable marking, by the order of firings.
/// The module documentation has the argument. Comparisons are indices into the certificate's atoms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precedence<P = PlaceId> {
    /// A set of places without tokens in the initial marking.
    Unfed {
        /// The places of the unfed set.
        places: Vec<P>,
        /// The comparison that holds while no transition has consumed from the set.
        idle: usize,
        /// The comparison that holds after a transition has produced into the set without consuming
        /// from it.
        fed: usize,
    },
    /// A trap, that is, a set of places such that each transition that consumes from the set also
    /// produces into the set. The trap need not be marked initially.
    Kept {
        /// The places of the trap.
        places: Vec<P>,
        /// The comparison that holds while no transition has produced into the trap.
        idle: usize,
        /// The comparison that holds while the trap has a token.
        marked: usize,
    },
}

impl<P> Precedence<P> {
    /// Returns the places of the set or trap.
    pub fn places(&self) -> &[P] {
        let (Precedence::Unfed { places, .. } | Precedence::Kept { places, .. }) = self;
        places
    }

    /// Returns the indices of the two comparisons.
    pub fn atoms(&self) -> [usize; 2] {
        match self {
            Precedence::Unfed { idle, fed, .. } => [*idle, *fed],
            Precedence::Kept { idle, marked, .. } => [*idle, *marked],
        }
    }

    /// Replaces the places and the indices of comparisons.
    ///
    /// # Errors
    /// The first error that `place` returns.
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

    /// Returns the clause "one of the two comparisons holds", with comparison i as variable i + 1.
    pub(super) fn clause(&self) -> Vec<i32> {
        self.atoms().map(|atom| atom as i32 + 1).to_vec()
    }
}

impl Precedence {
    /// Checks the four conditions of the module documentation. `index` is the number of the
    /// precedence, for messages. `atoms` and `counters` belong to the certificate, and `net` is the
    /// net with the counters.
    pub(super) fn check(
        &self,
        net: &Net,
        index: usize,
        atoms: &[Atom],
        counters: &[Vec<TransitionId>],
    ) -> Result<(), Flaw> {
        check_places(net, self.places().iter().copied())?;
        let atom = |atom_index: usize| {
            atoms.get(atom_index).ok_or(Flaw::NoSuchPart(index, "comparison", atom_index))
        };
        let [first, second] = self.atoms();
        let (first, second) = (atom(first)?, atom(second)?);
        let refuse = |why: &'static str| Err(Flaw::Precedence(index, why));

        let set = PlaceSet::of(net, self.places());
        let own_places = net.place_count() - counters.len();
        let transitions_counted_by = |place: PlaceId| {
            let counter_index = place.index().checked_sub(own_places)?;
            counters.get(counter_index).map(Vec::as_slice)
        };
        let event_marks_second = match self {
            Precedence::Unfed { places, .. } => {
                if places.iter().any(|&place| net.initial()[place] > 0) {
                    return refuse("a place of it is marked initially"); // condition 1
                }
                let mut is_counted = vec![false; net.transition_count()];
                let counters = second
                    .sum
                    .terms()
                    .iter()
                    .filter_map(|&(place, _)| transitions_counted_by(place));
                counters.flatten().for_each(|t| is_counted[t.index()] = true);
                net.transitions().all(|t| !set.puts(t) || set.takes(t) || is_counted[t.index()])
            }
            Precedence::Kept { places, .. } => {
                if emptying(net, places).is_some() {
                    return refuse(
                        "a transition consumes from the trap and produces nothing in it",
                    ); // condition 1
                }
                let mut is_in_second = vec![false; net.place_count()];
                second.sum.terms().iter().for_each(|(place, _)| is_in_second[place.index()] = true);
                places.iter().all(|place| is_in_second[place.index()])
            }
        };
        let is_zero_before_event = |place: PlaceId| match self {
            Precedence::Unfed { .. } => {
                set.contains(place)
                    || transitions_counted_by(place)
                        .is_some_and(|all| all.iter().all(|&t| set.takes(t)))
            }
            Precedence::Kept { .. } => {
                transitions_counted_by(place).is_some_and(|all| all.iter().all(|&t| set.puts(t)))
            }
        };
        let terms = first.sum.terms();
        if first.bound < 0 || terms.iter().any(|&(p, a)| a > 0 && !is_zero_before_event(p)) {
            return refuse("its first comparison may be false initially"); // condition 2
        }
        if second.bound < -1
            || second.sum.terms().iter().any(|&(_, a)| a > 0)
            || !event_marks_second
        {
            return refuse("its second comparison may be false after the event"); // conditions 3 and 4
        }
        Ok(())
    }
}

/// A set of places, and its input and output transitions.
struct PlaceSet {
    /// One flag per place: true if it is in the set.
    is_member: Vec<bool>,
    /// One flag per transition: true if it consumes from the set.
    takes: Vec<bool>,
    /// One flag per transition: true if it produces into the set.
    puts: Vec<bool>,
}

impl PlaceSet {
    fn of(net: &Net, places: &[PlaceId]) -> Self {
        let mut set = PlaceSet {
            is_member: vec![false; net.place_count()],
            takes: vec![false; net.transition_count()],
            puts: vec![false; net.transition_count()],
        };
        for &place in places {
            set.is_member[place.index()] = true;
            net.consumers(place).iter().for_each(|arc| set.takes[arc.transition.index()] = true);
            net.producers(place).iter().for_each(|arc| set.puts[arc.transition.index()] = true);
        }
        set
    }

    /// Returns true if the place is in the set.
    fn contains(&self, place: PlaceId) -> bool {
        self.is_member[place.index()]
    }

    /// Returns true if `t` consumes from the set.
    fn takes(&self, t: TransitionId) -> bool {
        self.takes[t.index()]
    }

    /// Returns true if `t` produces into the set.
    fn puts(&self, t: TransitionId) -> bool {
        self.puts[t.index()]
    }
}
