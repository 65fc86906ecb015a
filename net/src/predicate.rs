//! State predicates in negation normal form.
//!
//! The leaves are constants, linear atoms Σ a·m(p) ≤ k, the enabledness of one transition, and
//! deadness of the whole marking. Enabledness and deadness could be written as atoms (see
//! [`Predicate::to_atoms`]), and some engines need that. They are leaves because walks and searches
//! know what is enabled anyway, and deadness written in atoms is as large as the net.

use crate::id::{PlaceId, TransitionId};
use crate::marking::Marking;
use crate::net::Net;
use crate::sum::LinearSum;

/// The linear comparison Σ a·m(p) ≤ bound.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Atom {
    /// The left side.
    pub sum: LinearSum,
    /// The right side.
    pub bound: i64,
}

impl Atom {
    /// Returns true if the atom holds in `marking`.
    pub fn holds(&self, marking: &Marking) -> bool {
        self.sum.value(marking) <= i128::from(self.bound)
    }

    /// Returns the negation: Σ a·m(p) ≥ bound + 1, that is Σ −a·m(p) ≤ −bound − 1.
    pub fn negated(&self) -> Atom {
        // −bound − 1 = !bound in two's complement, without overflow.
        Atom { sum: self.sum.negated(), bound: !self.bound }
    }
}

/// A predicate on markings. The constructors flatten and simplify: no conjunction or disjunction
/// has a constant, a part of its own kind, or fewer than two parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Predicate {
    /// True in every marking.
    True,
    /// True in no marking.
    False,
    /// A linear comparison.
    Atom(Atom),
    /// The transition is enabled.
    Enabled(TransitionId),
    /// The transition is not enabled.
    Disabled(TransitionId),
    /// No transition is enabled.
    Dead,
    /// A transition is enabled.
    NotDead,
    /// The conjunction of two or more parts.
    And(Vec<Predicate>),
    /// The disjunction of two or more parts.
    Or(Vec<Predicate>),
}

impl Predicate {
    /// Makes Σ ≤ bound. For a sum without terms, makes the constant that is the truth value of
    /// 0 ≤ bound.
    pub fn at_most(sum: LinearSum, bound: i64) -> Predicate {
        if sum.is_zero() {
            return Predicate::constant(0 <= bound);
        }
        Predicate::Atom(Atom { sum, bound })
    }

    /// Makes m(place) ≥ tokens, for up to 2⁶³ tokens. A place holds at most 2⁶³ − 1 tokens. So a
    /// predicate that is false in every marking can be made, too.
    ///
    /// # Panics
    /// If `tokens` exceeds 2⁶³.
    pub fn at_least(place: PlaceId, tokens: u64) -> Predicate {
        assert!(tokens <= 1 << 63, "more than 2^63 tokens cannot be compared with");
        if tokens == 0 {
            return Predicate::True;
        }
        // −tokens, without overflow up to 2⁶³ = −i64::MIN.
        let bound = (tokens as i64).wrapping_neg();
        Predicate::Atom(Atom { sum: LinearSum::place(place).negated(), bound })
    }

    /// Makes m(place) ≤ tokens. `tokens` must be less than 2⁶³.
    ///
    /// # Panics
    /// If `tokens` is 2⁶³ or more, except that 2⁶⁴ − 1 panics only with overflow checks.
    pub fn no_more_than(place: PlaceId, tokens: u64) -> Predicate {
        assert!(tokens < 1 << 63, "2^63 or more tokens cannot be compared with");
        Predicate::at_least(place, tokens + 1).negated()
    }

    /// Makes the predicate that holds in `marking` only.
    pub fn exactly(marking: &Marking) -> Predicate {
        let places = (0..).map(PlaceId::new).zip(marking.tokens());
        Predicate::and(places.flat_map(|(place, &tokens)| {
            [Predicate::at_least(place, tokens), Predicate::no_more_than(place, tokens)]
        }))
    }

    /// Makes a constant.
    pub fn constant(holds: bool) -> Predicate {
        if holds { Predicate::True } else { Predicate::False }
    }

    /// Makes the conjunction of `parts`.
    pub fn and(parts: impl IntoIterator<Item = Predicate>) -> Predicate {
        let mut conjuncts = Vec::new();
        for part in parts {
            match part {
                Predicate::True => {}
                Predicate::False => return Predicate::False,
                Predicate::And(inner) => conjuncts.extend(inner),
                part => conjuncts.push(part),
            }
        }
        match conjuncts.len() {
            0 => Predicate::True,
            1 => conjuncts.swap_remove(0),
            _ => Predicate::And(conjuncts),
        }
    }

    /// Makes the disjunction of `parts`.
    pub fn or(parts: impl IntoIterator<Item = Predicate>) -> Predicate {
        let mut disjuncts = Vec::new();
        for part in parts {
            match part {
                Predicate::False => {}
                Predicate::True => return Predicate::True,
                Predicate::Or(inner) => disjuncts.extend(inner),
                part => disjuncts.push(part),
            }
        }
        match disjuncts.len() {
            0 => Predicate::False,
            1 => disjuncts.swap_remove(0),
            _ => Predicate::Or(disjuncts),
        }
    }

    /// Returns the negation in negation normal form.
    pub fn negated(self) -> Predicate {
        match self {
            Predicate::True => Predicate::False,
            Predicate::False => Predicate::True,
            Predicate::Atom(atom) => Predicate::Atom(atom.negated()),
            Predicate::Enabled(t) => Predicate::Disabled(t),
            Predicate::Disabled(t) => Predicate::Enabled(t),
            Predicate::Dead => Predicate::NotDead,
            Predicate::NotDead => Predicate::Dead,
            Predicate::And(parts) => Predicate::or(parts.into_iter().map(Predicate::negated)),
            Predicate::Or(parts) => Predicate::and(parts.into_iter().map(Predicate::negated)),
        }
    }

    /// Returns true if the predicate holds in `marking`.
    pub fn holds(&self, net: &Net, marking: &Marking) -> bool {
        match self {
            Predicate::True => true,
            Predicate::False => false,
            Predicate::Atom(atom) => atom.holds(marking),
            Predicate::Enabled(t) => net.is_enabled(marking, *t),
            Predicate::Disabled(t) => !net.is_enabled(marking, *t),
            Predicate::Dead => net.is_dead(marking),
            Predicate::NotDead => !net.is_dead(marking),
            Predicate::And(parts) => parts.iter().all(|part| part.holds(net, marking)),
            Predicate::Or(parts) => parts.iter().any(|part| part.holds(net, marking)),
        }
    }

    /// Returns an equivalent predicate whose only leaves are linear atoms and constants. A test of
    /// a transition becomes one atom per input, a deadlock one per input arc of the net.
    pub fn to_atoms(&self, net: &Net) -> Predicate {
        let enabled = |t: TransitionId| {
            let inputs = net.pre(t).iter();
            Predicate::and(inputs.map(|arc| Predicate::at_least(arc.place, arc.weight)))
        };
        match self {
            Predicate::Enabled(t) => enabled(*t),
            Predicate::Disabled(t) => enabled(*t).negated(),
            Predicate::NotDead => Predicate::or(net.transitions().map(enabled)),
            Predicate::Dead => Predicate::and(net.transitions().map(|t| enabled(t).negated())),
            Predicate::And(parts) => Predicate::and(parts.iter().map(|part| part.to_atoms(net))),
            Predicate::Or(parts) => Predicate::or(parts.iter().map(|part| part.to_atoms(net))),
            leaf => leaf.clone(),
        }
    }

    /// Returns the places whose tokens the predicate reads, ascending. These are the places in the
    /// atoms, and the input places of transitions tested for enabledness. Deadness reads the input
    /// places of all transitions.
    pub fn support(&self, net: &Net) -> Vec<PlaceId> {
        let mut is_in_support = vec![false; net.place_count()];
        self.mark_support(net, &mut is_in_support);
        net.places().filter(|place| is_in_support[place.index()]).collect()
    }

    /// Sets `is_in_support` to true at the index of each place that the predicate reads.
    fn mark_support(&self, net: &Net, is_in_support: &mut [bool]) {
        match self {
            Predicate::True | Predicate::False => {}
            Predicate::Atom(atom) => {
                atom.sum.terms().iter().for_each(|&(place, _)| is_in_support[place.index()] = true);
            }
            Predicate::Enabled(t) | Predicate::Disabled(t) => {
                net.pre(*t).iter().for_each(|arc| is_in_support[arc.place.index()] = true);
            }
            Predicate::Dead | Predicate::NotDead => {
                for place in net.places().filter(|&place| !net.consumers(place).is_empty()) {
                    is_in_support[place.index()] = true;
                }
            }
            Predicate::And(parts) | Predicate::Or(parts) => {
                parts.iter().for_each(|part| part.mark_support(net, is_in_support));
            }
        }
    }

    /// Returns the predicate with the parts of every conjunction and disjunction sorted and without
    /// duplicates. So predicates become equal if they differ only in the order or repetition of
    /// parts.
    pub fn sorted(self) -> Predicate {
        // A sorted part may be a conjunction or disjunction of the same kind as the whole. The
        // constructors flatten such parts before all parts are sorted.
        let joined = match self {
            Predicate::And(parts) => Predicate::and(parts.into_iter().map(Predicate::sorted)),
            Predicate::Or(parts) => Predicate::or(parts.into_iter().map(Predicate::sorted)),
            leaf => return leaf,
        };
        let sorted_once = |mut parts: Vec<Predicate>| {
            parts.sort_unstable();
            parts.dedup();
            parts
        };
        match joined {
            Predicate::And(parts) => Predicate::and(sorted_once(parts)),
            Predicate::Or(parts) => Predicate::or(sorted_once(parts)),
            leaf => leaf,
        }
    }

    /// Returns the place, if every leaf compares the tokens of one place, the same in all leaves.
    /// Returns `None` if a leaf compares several places or is no comparison, if leaves compare
    /// different places, or if there are no leaves.
    pub fn only_place(&self) -> Option<PlaceId> {
        match self {
            Predicate::Atom(atom) => match atom.sum.terms() {
                [(place, _)] => Some(*place),
                _ => None,
            },
            Predicate::And(parts) | Predicate::Or(parts) => {
                let first = parts.first()?.only_place()?;
                parts.iter().all(|part| part.only_place() == Some(first)).then_some(first)
            }
            _ => None,
        }
    }

    /// Returns true if the predicate mentions deadness of the whole marking.
    pub fn mentions_deadness(&self) -> bool {
        match self {
            Predicate::Dead | Predicate::NotDead => true,
            Predicate::And(parts) | Predicate::Or(parts) => {
                parts.iter().any(Predicate::mentions_deadness)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(index: usize) -> PlaceId {
        PlaceId::new(index)
    }

    #[test]
    fn junctions_flatten_and_fold() {
        let [a, b, c] = [0, 1, 2].map(|i| Predicate::at_least(place(i), 1));
        let nested =
            Predicate::and([a.clone(), Predicate::True, Predicate::and([b.clone(), c.clone()])]);
        assert_eq!(nested, Predicate::And(vec![a.clone(), b.clone(), c]));
        assert_eq!(Predicate::or([a.clone(), Predicate::True]), Predicate::True);
        assert_eq!(Predicate::or([Predicate::False, b.clone()]), b);
        assert_eq!(Predicate::and([]), Predicate::True);
        assert_eq!(Predicate::or([]), Predicate::False);
    }

    #[test]
    fn sorted_predicates_ignore_order_and_repetition() {
        let [a, b, c] = [0, 1, 2].map(|i| Predicate::at_least(place(i), 1));
        let one = Predicate::and([a.clone(), Predicate::or([c.clone(), b.clone(), c.clone()])]);
        let other = Predicate::and([Predicate::or([b.clone(), c.clone()]), a.clone(), a.clone()]);
        assert_ne!(one, other);
        assert_eq!(one.sorted(), other.sorted());
        // A junction of equal parts becomes that part and is merged into the enclosing junction.
        let double = Predicate::And(vec![
            b.clone(),
            Predicate::Or(vec![
                Predicate::And(vec![c.clone(), a.clone()]),
                Predicate::And(vec![a.clone(), c.clone()]),
            ]),
        ]);
        assert_eq!(double.sorted(), Predicate::and([a, b, c]).sorted());
    }

    #[test]
    fn a_negated_atom_is_its_complement_even_at_the_ends_of_the_numbers() {
        let net = crate::text::parse("net n\nplace p 3").unwrap();
        let p = net.place_named("p").unwrap();
        for bound in [i64::MIN, -4, -3, -2, 0, 2, 3, i64::MAX] {
            for sum in [LinearSum::place(p), LinearSum::place(p).negated()] {
                let atom = Predicate::at_most(sum, bound);
                let holds = atom.holds(&net, net.initial());
                assert_ne!(holds, atom.negated().holds(&net, net.initial()), "{bound}");
            }
        }
    }

    #[test]
    fn one_token_more_than_is_counted_can_be_asked_for() {
        let net = crate::text::parse("net n\nplace p 9223372036854775807").unwrap();
        let p = net.place_named("p").unwrap();
        assert!(!Predicate::at_least(p, 1 << 63).holds(&net, net.initial()));
        assert!(Predicate::at_least(p, (1 << 63) - 1).holds(&net, net.initial()));
        assert!(Predicate::no_more_than(p, (1 << 63) - 1).holds(&net, net.initial()));
        assert!(matches!(Predicate::at_least(p, 1 << 63), Predicate::Atom(_)));
    }

    #[test]
    fn atoms_are_equivalent_to_enabledness() {
        let net = crate::text::parse(
            "net n
             place p 1
             place q 2
             transition t: p + 2*q -> p
             transition u: 3*q ->",
        )
        .unwrap();
        let t = net.transition_named("t").unwrap();
        let u = net.transition_named("u").unwrap();
        let leaves = [
            Predicate::Enabled(t),
            Predicate::Disabled(u),
            Predicate::Disabled(t),
            Predicate::Dead,
            Predicate::NotDead,
        ];
        for p in 0..3 {
            for q in 0..4 {
                let marking = Marking::new(vec![p, q]);
                for leaf in &leaves {
                    let atoms = leaf.to_atoms(&net);
                    assert_eq!(leaf.holds(&net, &marking), atoms.holds(&net, &marking));
                }
            }
        }
        assert_eq!(Predicate::Dead.support(&net).len(), 2);
    }

    #[test]
    fn a_source_transition_is_never_disabled() {
        let net = crate::text::parse("net n\nplace p\ntransition s: -> p").unwrap();
        let s = net.transition_named("s").unwrap();
        assert_eq!(Predicate::Disabled(s).to_atoms(&net), Predicate::False);
        assert_eq!(Predicate::Dead.to_atoms(&net), Predicate::False);
    }
}
