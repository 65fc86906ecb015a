//! Properties of runs: LTL formulas over markings and the next firing.
//!
//! A run is a maximal firing sequence. A run that reaches a dead marking stays there: the marking
//! repeats forever, and nothing fires. So every run is an infinite word. Its letter at a position
//! is the set of atoms that hold for the marking there and the firing that leaves it.
//!
//! A property may be restricted to fair runs ([`Fairness`](crate::Fairness)).

use crate::id::{PlaceId, TransitionId};
use crate::marking::Marking;
use crate::net::Net;
use crate::predicate::Predicate;
use crate::property::Property;
use parikh_temporal::{AtomId, Letter, Linear, PartialTruth};

/// The meaning of an atom at a position of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RunAtom {
    /// The predicate holds in the marking.
    Holds(Predicate),
    /// One of these transitions, listed in ascending order, fires next.
    Fires(Vec<TransitionId>),
}

impl RunAtom {
    /// Returns the predicate of an atom about the marking; `None` for an atom about the next
    /// firing.
    pub fn condition(&self) -> Option<Predicate> {
        match self {
            RunAtom::Holds(predicate) => Some(predicate.clone()),
            RunAtom::Fires(_) => None,
        }
    }

    /// Returns the value of each atom at the first position of every run, indexed by atom. Atoms
    /// about the next firing are unknown. In a dead initial marking they are false.
    pub fn initial_values(atoms: &[RunAtom], net: &Net) -> Vec<PartialTruth> {
        let is_dead = net.is_dead(net.initial());
        let value_of = |atom: &RunAtom| match atom {
            RunAtom::Fires(_) if !is_dead => PartialTruth::Unknown,
            atom => atom.is_true(net, net.initial(), None).into(),
        };
        atoms.iter().map(value_of).collect()
    }

    /// Returns true if the atom holds in `marking` when `firing` fires next. `None` means that the
    /// marking is dead, and repeats forever in the run.
    pub fn is_true(&self, net: &Net, marking: &Marking, firing: Option<TransitionId>) -> bool {
        match self {
            RunAtom::Holds(predicate) => predicate.holds(net, marking),
            RunAtom::Fires(transitions) => {
                firing.is_some_and(|t| transitions.binary_search(&t).is_ok())
            }
        }
    }
}

/// An LTL formula with the meaning of its atoms, and the fairness of the runs that it quantifies
/// over.
pub type RunProperty = Property<Linear, RunAtom>;

impl RunProperty {
    /// Returns a property without a fairness requirement that has the same runs. Its formula is the
    /// conjunction of this formula and the fairness to each transition. Each of these transitions
    /// may double the size of the formula's automaton, so this is for few transitions.
    #[must_use]
    pub fn with_fairness_in_formula(&self) -> Self {
        let fairness = self.fairness();
        let (mut formulas, mut atoms) = (self.formulas().clone(), self.atoms().to_vec());
        let mut conjuncts = vec![self.formula()];
        for (transitions, is_strong) in [(fairness.weak(), false), (fairness.strong(), true)] {
            for &t in transitions {
                let enabled_and_fires =
                    [RunAtom::Holds(Predicate::Enabled(t)), RunAtom::Fires(vec![t])];
                let [enabled, fires] = enabled_and_fires.map(|atom| {
                    atoms.push(atom);
                    formulas.atom(AtomId(atoms.len() as u32 - 1))
                });
                let disabled = formulas.negate(enabled);
                let disabled_later = formulas.eventually(Linear, disabled);
                let exemption = match is_strong {
                    true => {
                        let never = formulas.always(Linear, disabled);
                        formulas.eventually(Linear, never)
                    }
                    false => formulas.always(Linear, disabled_later),
                };
                let fires_later = formulas.eventually(Linear, fires);
                let fires_infinitely_often = formulas.always(Linear, fires_later);
                conjuncts.push(formulas.or([exemption, fires_infinitely_often]));
            }
        }
        let whole = formulas.and(conjuncts);
        RunProperty::new(&formulas, whole, &atoms)
    }

    /// Returns the letter at a position of a run, that is, the set of atoms that hold there. The
    /// run is in `marking`, and `firing` fires next; `None` means that the marking is dead.
    pub fn letter(&self, net: &Net, marking: &Marking, firing: Option<TransitionId>) -> Letter {
        let numbered = (0..).zip(self.atoms());
        let true_atoms = numbered.filter(|(_, atom)| atom.is_true(net, marking, firing));
        Letter::of(true_atoms.map(|(number, _)| AtomId(number)))
    }

    /// Returns the places whose tokens the atoms read, ascending. Atoms about firings read no
    /// places.
    pub fn support(&self, net: &Net) -> Vec<PlaceId> {
        let mut places: Vec<PlaceId> = self
            .atoms()
            .iter()
            .flat_map(|atom| match atom {
                RunAtom::Holds(predicate) => predicate.support(net),
                RunAtom::Fires(_) => Vec::new(),
            })
            .collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// Returns the places whose tokens the atoms read in a marking that is not dead, ascending.
    /// There, an atom about deadness reads no tokens, as it is known to be false. If a cycle of
    /// firings restores the tokens of these places, the letters of the cycle repeat.
    pub fn read_places(&self, net: &Net) -> Vec<PlaceId> {
        fn mark(predicate: &Predicate, net: &Net, places: &mut Vec<PlaceId>) {
            match predicate {
                Predicate::Dead | Predicate::NotDead => {}
                Predicate::And(parts) | Predicate::Or(parts) => {
                    parts.iter().for_each(|part| mark(part, net, places));
                }
                leaf => places.extend(leaf.support(net)),
            }
        }
        let mut places = Vec::new();
        for atom in self.atoms() {
            if let RunAtom::Holds(predicate) = atom {
                mark(predicate, net, &mut places);
            }
        }
        places.sort_unstable();
        places.dedup();
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;
    use parikh_temporal::Ltl;

    #[test]
    fn equal_atoms_are_merged_and_equal_properties_compare_equal() {
        let net = text::parse("place p 1\nplace q\ntransition t: p -> q").unwrap();
        let [p, q] = ["p", "q"].map(|name| net.place_named(name).unwrap());
        let holds = |place| RunAtom::Holds(Predicate::at_least(place, 1));
        let t = net.transition_named("t").unwrap();
        let atoms = [holds(p), holds(q), holds(p), RunAtom::Fires(vec![t])];
        let mut formulas = Ltl::default();
        let [a, b, c, fires] = [0, 1, 2, 3].map(|number| formulas.atom(AtomId(number)));
        let until = formulas.until(Linear, a, b);
        let other = formulas.until(Linear, c, b);
        let property = |formula| RunProperty::new(&formulas, formula, &atoms);
        assert_eq!(property(until), property(other));
        assert_ne!(property(until), property(b));
        assert_ne!(property(until).negated(), property(until));
        assert_eq!(property(until).support(&net), [p, q]);
        let letter = property(fires).letter(&net, net.initial(), Some(t));
        assert!(letter.has(AtomId(0)));
        assert!(!property(fires).letter(&net, net.initial(), None).has(AtomId(0)));
    }
}
