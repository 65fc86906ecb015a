//! Properties of runs: formulas of LTL over what holds in a marking, and what fires next.
//!
//! A run is a maximal row of firings. A run that comes to a dead marking stays there: that marking
//! repeats for ever, and nothing fires. So every run is an infinite word; its letter at a position
//! says which atoms are true of the marking there and of the firing that leaves it.
//!
//! A property may be one of fair runs only ([`Fairness`](crate::Fairness)).

use crate::id::{PlaceId, TransitionId};
use crate::marking::Marking;
use crate::net::Net;
use crate::predicate::Predicate;
use crate::property::Property;
use parikh_temporal::{Atom, Letter, Linear, Value};

/// What an atom of a property says of a position of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RunAtom {
    /// This holds in the marking.
    Holds(Predicate),
    /// One of these fires next; ascending.
    Fires(Vec<TransitionId>),
}

impl RunAtom {
    /// What it says of the marking, where it says no more.
    pub fn condition(&self) -> Option<Predicate> {
        match self {
            RunAtom::Holds(predicate) => Some(predicate.clone()),
            RunAtom::Fires(_) => None,
        }
    }

    /// By atom, what the initial marking says of the first position of every run: what fires there
    /// is open, where anything can.
    pub fn all_initially(atoms: &[RunAtom], net: &Net) -> Vec<Value> {
        let is_dead = net.is_dead(net.initial());
        let of_atom = |atom: &RunAtom| match atom {
            RunAtom::Fires(_) if !is_dead => Value::Unknown,
            atom => atom.is_true(net, net.initial(), None).into(),
        };
        atoms.iter().map(of_atom).collect()
    }

    /// Whether it is true in a marking that this firing leaves, or none where a dead marking
    /// repeats.
    pub fn is_true(&self, net: &Net, marking: &Marking, firing: Option<TransitionId>) -> bool {
        match self {
            RunAtom::Holds(predicate) => predicate.holds(net, marking),
            RunAtom::Fires(any) => firing.is_some_and(|t| any.binary_search(&t).is_ok()),
        }
    }
}

/// A formula of LTL over what its atoms stand for, and which runs are meant: those that are fair.
pub type RunProperty = Property<Linear, RunAtom>;

impl RunProperty {
    /// The same with what fairness means as a part of the formula, and all runs meant. Its
    /// automaton doubles with each transition, so this is for few of them.
    #[must_use]
    pub fn written_out(&self) -> Self {
        let fairness = self.fairness();
        let (mut formulas, mut atoms) = (self.formulas().clone(), self.atoms().to_vec());
        let mut all = vec![self.formula()];
        for (transitions, strong) in [(fairness.weak(), false), (fairness.strong(), true)] {
            for &t in transitions {
                let about = [RunAtom::Holds(Predicate::Enabled(t)), RunAtom::Fires(vec![t])];
                let [enabled, fires] = about.map(|atom| {
                    atoms.push(atom);
                    formulas.atom(Atom(atoms.len() as u32 - 1))
                });
                let disabled = formulas.negate(enabled);
                let again = formulas.eventually(Linear, disabled);
                let waits = match strong {
                    true => {
                        let never = formulas.always(Linear, disabled);
                        formulas.eventually(Linear, never)
                    }
                    false => formulas.always(Linear, again),
                };
                let again = formulas.eventually(Linear, fires);
                let again = formulas.always(Linear, again);
                all.push(formulas.or([waits, again]));
            }
        }
        let whole = formulas.and(all);
        RunProperty::new(&formulas, whole, &atoms)
    }

    /// The letter of a marking that this firing leaves.
    pub fn letter(&self, net: &Net, marking: &Marking, firing: Option<TransitionId>) -> Letter {
        let numbered = (0..).zip(self.atoms());
        let true_ones = numbered.filter(|(_, atom)| atom.is_true(net, marking, firing));
        Letter::of(true_ones.map(|(number, _)| Atom(number)))
    }

    /// The places whose tokens matter to its atoms, ascending.
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

    /// The places whose tokens matter to its atoms in markings that are not dead, ascending: what a
    /// loop has to bring back for its letters to repeat.
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
    fn atoms_that_mean_the_same_are_one_and_properties_written_alike_are_equal() {
        let net = text::parse("place p 1\nplace q\ntransition t: p -> q").unwrap();
        let [p, q] = ["p", "q"].map(|name| net.place_named(name).unwrap());
        let holds = |place| RunAtom::Holds(Predicate::at_least(place, 1));
        let t = net.transition_named("t").unwrap();
        let atoms = [holds(p), holds(q), holds(p), RunAtom::Fires(vec![t])];
        let mut formulas = Ltl::default();
        let [a, b, c, fires] = [0, 1, 2, 3].map(|number| formulas.atom(Atom(number)));
        let until = formulas.until(Linear, a, b);
        let other = formulas.until(Linear, c, b);
        let property = |formula| RunProperty::new(&formulas, formula, &atoms);
        assert_eq!(property(until), property(other));
        assert_ne!(property(until), property(b));
        assert_ne!(property(until).negated(), property(until));
        assert_eq!(property(until).support(&net), [p, q]);
        let letter = property(fires).letter(&net, net.initial(), Some(t));
        assert!(letter.has(Atom(0)));
        assert!(!property(fires).letter(&net, net.initial(), None).has(Atom(0)));
    }
}
