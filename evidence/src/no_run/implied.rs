//! Checks that one property of runs implies another. The first is the property that a question asks
//! about. The second is the property that a proof (an *argument*) is about.
//!
//! The author of an argument may have rewritten the question, with other atoms or with facts about
//! the initial marking or about all markings. Therefore the argument states its own property. This
//! module checks that every run with the property of the question has the property of the argument,
//! and satisfies its fairness constraint. If there are several arguments, one per case, every such
//! run must have one of their properties.
//!
//! # How
//! All properties are written over *common atoms*. In a first attempt, these are whole predicates.
//! In a second attempt, they are the predicates that occur unchanged in both the question and the
//! argument, and the leaves of all others. If such a predicate is a conjunction or disjunction, a
//! third attempt decomposes all predicates into their leaves.
//!
//! Each attempt looks for a word over these atoms that has the property of the question and no
//! property of an argument. The word begins with the letter of the initial marking, that is, the
//! set of atoms that are true there. It repeats this letter if that marking is dead. It never
//! satisfies a premise. If the automaton of these conditions accepts no word, there is no such run.
//! Atoms count as independent of each other, which only admits more words.
//!
//! An empty automaton counts only after a check against its formula
//! ([`LinearTableau::check_complete`]).

use super::MAX_CASES;
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Net, Predicate, TransitionId};
use parikh_temporal::{
    AtomId, AutomatonLimits, AutomatonTooLarge, Formula, Linear, LinearTableau, Literal, Ltl,
    PartialTruth, TableauRefusal,
};
use std::collections::{HashMap, HashSet};

/// Limits of the automaton that compares the property of the question with those of the arguments.
/// Building it compares terms pairwise, atom by atom.
const LIMITS: AutomatonLimits = AutomatonLimits { states: 5_000, edges: 100_000, terms: 5_000 };
/// Limits of an automaton with more than [`FEW_ATOMS`] atoms.
const LIMITS_OF_MANY_ATOMS: AutomatonLimits = AutomatonLimits { terms: 500, ..LIMITS };
/// The number of atoms above which an automaton has the smaller limits.
const FEW_ATOMS: usize = 50;

/// The maximum number of atoms of an automaton. Conditions on thousands of firings have as many
/// leaves, and building their automaton takes minutes.
const MAX_ATOMS: usize = 500;

/// The reason that the implication is not established.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotImplied {
    /// Some word over the common atoms has the property of the question, but no property of an
    /// argument. Only arguments count whose fairness constraints the question implies.
    #[error("the argument is about another formula")]
    DifferentFormula,
    /// The fairness constraints of the question do not imply those of any argument.
    #[error("the argument is about runs with another fairness")]
    Fairness,
    /// The automaton of the conditions exceeds its limits.
    #[error("comparison with the question: {0}")]
    TooLarge(#[from] AutomatonTooLarge),
    /// The check of the automaton against the formula failed.
    #[error("comparison with the question: the automaton: {0}")]
    Automaton(#[from] TableauRefusal),
}

/// Checks that each run of `net` with the property `question` has the property `argued`, if no
/// reachable marking satisfies a predicate of `premises`.
///
/// # Errors
/// The reason that the implication is not established.
pub fn implies(
    net: &Net,
    question: &RunProperty,
    argued: &RunProperty,
    premises: &[Predicate],
) -> Result<(), NotImplied> {
    implies_one_of(net, question, &[argued], premises)
}

/// Checks that each run of `net` with the property `question` has one of the properties `argued`,
/// if no reachable marking satisfies a predicate of `premises`.
///
/// # Errors
/// The reason that the implication is not established.
pub fn implies_one_of(
    net: &Net,
    question: &RunProperty,
    argued: &[&RunProperty],
    premises: &[Predicate],
) -> Result<(), NotImplied> {
    let has_implied_fairness = |it: &&&RunProperty| question.fairness().implies(it.fairness());
    let argued: Vec<&RunProperty> = argued.iter().filter(has_implied_fairness).copied().collect();
    if argued.is_empty() {
        return Err(NotImplied::Fairness);
    }
    if argued.contains(&question) {
        return Ok(());
    }
    // First, each predicate is one atom and is not decomposed. The automaton then has few atoms,
    // and the comparison often succeeds.
    let argued_predicates = argued.iter().flat_map(|argued| predicates(argued));
    let whole_predicates = predicates(question).chain(argued_predicates).collect();
    if CommonAtoms::new(&whole_predicates).compare(net, question, &argued, premises).is_ok() {
        return Ok(());
    }
    let shared = argued.iter().flat_map(|argued| shared_predicates(question, argued)).collect();
    match CommonAtoms::new(&shared).compare(net, question, &argued, premises) {
        // An operand of a shared predicate may also occur outside this predicate. So the last
        // attempt decomposes all predicates.
        Err(NotImplied::DifferentFormula) if shared.iter().any(is_junction) => {
            CommonAtoms::new(&HashSet::new()).compare(net, question, &argued, premises)
        }
        result => result,
    }
}

/// Decides from the initial marking alone whether some run has the property. Returns true if some
/// run has it, and false if no run has it. Returns `None` if neither can be established, for
/// example because an automaton is too large.
pub fn initial_value(net: &Net, property: &RunProperty) -> Option<bool> {
    // A formula that every run satisfies is satisfied by some fair run, because every marking has a
    // fair run.
    if let Some(value) = truth_at_first_position(net, property).to_bool() {
        return Some(value);
    }
    let constant = |value| {
        let formulas = Ltl::default();
        let constant = RunProperty::new(&formulas, formulas.constant(value), &[]);
        constant.with_fairness(property.fairness().clone())
    };
    if implies(net, property, &constant(false), &[]).is_ok() {
        return Some(false);
    }
    implies(net, &constant(true), property, &[]).is_ok().then_some(true)
}

/// Evaluates the formula as far as the first position of a run determines it. If the initial
/// marking is dead, every position has this marking. An atom is not decomposed, however large its
/// predicate is.
fn truth_at_first_position(net: &Net, property: &RunProperty) -> PartialTruth {
    let initial_values = RunAtom::initial_values(property.atoms(), net);
    let initial_value = |atom: AtomId| initial_values[atom.0 as usize];
    match net.is_dead(net.initial()) {
        true => property.formulas().value_at_end(property.formula(), initial_value),
        false => property.formulas().value_here(property.formula(), initial_value),
    }
}

fn is_junction(predicate: &Predicate) -> bool {
    matches!(predicate, Predicate::And(_) | Predicate::Or(_))
}

/// Returns the predicates that are atoms, or negations of atoms, of both properties, in sorted
/// form.
fn shared_predicates(first: &RunProperty, second: &RunProperty) -> HashSet<Predicate> {
    let second: HashSet<Predicate> = predicates(second).collect();
    predicates(first).filter(|it| second.contains(it)).collect()
}

/// Iterates over the predicates of the property's atoms, and their negations, in sorted form. Atoms
/// about firings are left out.
fn predicates(property: &RunProperty) -> impl Iterator<Item = Predicate> + '_ {
    let pairs = property.atoms().iter().filter_map(|atom| match atom {
        RunAtom::Holds(it) => Some([it.clone().sorted(), it.clone().negated().sorted()]),
        RunAtom::Fires(_) => None,
    });
    pairs.flatten()
}

/// The store of formulas over common atoms, to which the properties are translated.
struct CommonAtoms<'p> {
    formulas: Ltl,
    /// Conjunctions and disjunctions that become one atom, and are not decomposed into their
    /// operands.
    undivided: &'p HashSet<Predicate>,
    /// The atom of each predicate, in sorted form.
    predicate_atoms: HashMap<Predicate, AtomId>,
    /// For each set of transitions, the atom that says that one of them fires next.
    firing_atoms: HashMap<Vec<TransitionId>, AtomId>,
}

impl<'p> CommonAtoms<'p> {
    fn new(undivided: &'p HashSet<Predicate>) -> Self {
        let (predicate_atoms, firing_atoms) = (HashMap::new(), HashMap::new());
        CommonAtoms { formulas: Ltl::default(), undivided, predicate_atoms, firing_atoms }
    }

    /// Checks that no word over the common atoms has the property `question` and none of `argued`.
    /// Only words count that agree with the initial marking and never satisfy a predicate of
    /// `premises`, as the module documentation describes.
    fn compare(
        mut self,
        net: &Net,
        question: &RunProperty,
        argued: &[&RunProperty],
        premises: &[Predicate],
    ) -> Result<(), NotImplied> {
        let mut conjuncts = vec![self.property(question)];
        for argued in argued {
            let argued = self.property(argued);
            conjuncts.push(self.formulas.negate(argued));
        }
        for premise in premises {
            let holds = self.predicate(premise.clone().sorted());
            let never = self.formulas.negate(holds);
            conjuncts.push(self.formulas.always(Linear, never));
        }
        let initial_literals = self.predicate_atoms.iter().map(|(predicate, &atom)| {
            let positive = predicate.holds(net, net.initial());
            Literal { atom, positive }
        });
        let mut initial_literals: Vec<Literal> = initial_literals.collect();
        // A dead marking has one run, which repeats the marking without firings.
        let is_dead = net.is_dead(net.initial());
        if is_dead {
            initial_literals
                .extend(self.firing_atoms.values().map(|&atom| Literal { atom, positive: false }));
        }
        initial_literals.sort_unstable();
        for literal in initial_literals {
            let literal_formula = self.formulas.literal(literal);
            conjuncts.push(if is_dead {
                self.formulas.always(Linear, literal_formula)
            } else {
                literal_formula
            });
        }
        let formula = self.formulas.and(conjuncts);
        if self.formulas.is(formula, false) {
            return Ok(());
        }
        let atom_count = self.predicate_atoms.len() + self.firing_atoms.len();
        if atom_count > MAX_ATOMS {
            return Err(AutomatonTooLarge { what: "atoms", limit: MAX_ATOMS }.into());
        }
        let limits = if atom_count > FEW_ATOMS { LIMITS_OF_MANY_ATOMS } else { LIMITS };
        let tableau = LinearTableau::new(&self.formulas, formula, limits)?;
        if !tableau.automaton.is_empty() {
            return Err(NotImplied::DifferentFormula);
        }
        // Only this result depends on the completeness of the automaton: an empty automaton proves
        // the implication if it accepts every word with the formula.
        Ok(tableau.check_complete(&self.formulas, formula, MAX_CASES)?)
    }

    /// Returns the formula of a property over common atoms.
    fn property(&mut self, property: &RunProperty) -> Formula<Linear> {
        let atoms: Vec<Formula<Linear>> =
            property.atoms().iter().map(|atom| self.atom(atom)).collect();
        property.translated(&mut self.formulas, &atoms)
    }

    /// Returns an atom of a property as a formula over common atoms.
    fn atom(&mut self, atom: &RunAtom) -> Formula<Linear> {
        match atom {
            RunAtom::Holds(predicate) => self.predicate(predicate.clone().sorted()),
            RunAtom::Fires(any) => {
                let new_atom = self.unused_atom();
                let atom = *self.firing_atoms.entry(any.clone()).or_insert(new_atom);
                self.formulas.atom(atom)
            }
        }
    }

    /// Returns a predicate in sorted form as a formula over common atoms.
    fn predicate(&mut self, predicate: Predicate) -> Formula<Linear> {
        if let Some(literal) = self.literal(&predicate) {
            return self.formulas.literal(literal);
        }
        match predicate {
            Predicate::True => self.formulas.constant(true),
            Predicate::False => self.formulas.constant(false),
            Predicate::And(parts) if !self.undivided.contains(&Predicate::And(parts.clone())) => {
                let parts: Vec<_> = parts.into_iter().map(|part| self.predicate(part)).collect();
                self.formulas.and(parts)
            }
            Predicate::Or(parts) if !self.undivided.contains(&Predicate::Or(parts.clone())) => {
                let parts: Vec<_> = parts.into_iter().map(|part| self.predicate(part)).collect();
                self.formulas.or(parts)
            }
            atom => {
                let new_atom = self.unused_atom();
                self.predicate_atoms.insert(atom, new_atom);
                self.formulas.atom(new_atom)
            }
        }
    }

    /// Returns the predicate as a literal of a known atom, if there is one.
    fn literal(&self, predicate: &Predicate) -> Option<Literal> {
        let atom_of = |predicate: &Predicate| self.predicate_atoms.get(predicate).copied();
        if let Some(atom) = atom_of(predicate) {
            return Some(Literal::positive(atom));
        }
        atom_of(&predicate.clone().negated().sorted()).map(Literal::negative)
    }

    /// Returns the next unused atom.
    fn unused_atom(&self) -> AtomId {
        AtomId((self.predicate_atoms.len() + self.firing_atoms.len()) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;
    use parikh_temporal::{AtomNames, parse_ltl};

    /// Parses a property over `a` (p ≥ 1), `b` (q ≥ 1), `both`, `some` and `t` (t fires).
    fn property(net: &Net, text: &str) -> RunProperty {
        let [a, b] = ["p", "q"].map(|it| Predicate::at_least(net.place_named(it).unwrap(), 1));
        let both = Predicate::and([a.clone(), b.clone()]);
        let some = Predicate::or([b.clone(), a.clone()]);
        let t = vec![net.transition_named("t").unwrap()];
        let atoms = [a, b, both, some].map(RunAtom::Holds);
        let atoms = [&atoms[..], &[RunAtom::Fires(t)]].concat();
        let (mut formulas, mut names) = (Ltl::default(), AtomNames::default());
        for name in ["a", "b", "both", "some", "t"] {
            names.atom(name);
        }
        let formula = parse_ltl(text, &mut formulas, &mut names).unwrap();
        RunProperty::new(&formulas, formula, &atoms)
    }

    #[test]
    fn a_dead_initial_marking_decides_everything() {
        let net = text::parse("place p 1\nplace q\ntransition t: q -> p").unwrap();
        for (question, expected) in
            [("G F a", true), ("F b", false), ("X X a", true), ("G F t", false), ("a U t", false)]
        {
            let property = property(&net, question);
            assert_eq!(initial_value(&net, &property), Some(expected), "{question}");
            let fair = property.with_fairness(parikh_net::Fairness::new(net.transitions(), []));
            assert_eq!(initial_value(&net, &fair), Some(expected), "{question}, of fair runs");
        }
        let alive = text::parse("place p 1\nplace q\ntransition t: p -> q").unwrap();
        assert_eq!(initial_value(&alive, &property(&alive, "G F a")), None);
    }

    #[test]
    fn the_first_letter_may_decide_a_property() {
        let net = text::parse("place p 1\nplace q\ntransition t: p -> q").unwrap();
        for (question, expected) in [
            ("both & G F a & X t", PartialTruth::False),
            ("some | G F b", PartialTruth::True),
            ("b R !both", PartialTruth::Unknown),
            ("t | b", PartialTruth::Unknown),
            ("F b", PartialTruth::Unknown),
        ] {
            assert_eq!(
                truth_at_first_position(&net, &property(&net, question)),
                expected,
                "{question}"
            );
        }
    }

    /// A condition with more leaves than the limit is compared as a whole.
    #[test]
    fn large_irrelevant_conditions_are_not_decomposed() {
        let places: Vec<String> = (0..2 * MAX_ATOMS).map(|at| format!("place p{at}")).collect();
        let net = text::parse(&(places.join("\n") + "\ntransition t: -> p0")).unwrap();
        let all = net.places().map(|place| Predicate::at_least(place, 1));
        let (some, large) = (Predicate::at_least(parikh_net::PlaceId::new(0), 2), all.collect());
        let of = |text: &str| {
            let (mut formulas, mut names) = (Ltl::default(), AtomNames::default());
            for name in ["a", "large"] {
                names.atom(name);
            }
            let formula = parse_ltl(text, &mut formulas, &mut names).unwrap();
            let atoms = [some.clone(), Predicate::And(Vec::clone(&large))].map(RunAtom::Holds);
            RunProperty::new(&formulas, formula, &atoms)
        };
        assert!(implies(&net, &of("F a"), &of("F (a & (a | large))"), &[]).is_ok());
        assert!(implies(&net, &of("F a"), &of("F (a & large)"), &[]).is_err());
    }

    #[test]
    fn implications_between_formulas_are_found() {
        let net = text::parse("place p 1\nplace q\ntransition t: p -> q").unwrap();
        let b = Predicate::at_least(net.place_named("q").unwrap(), 1);
        let is_implied = |asked: &str, argued: &str, given: &[Predicate]| {
            let (asked, argued) = (property(&net, asked), property(&net, argued));
            implies(&net, &asked, &argued, given).is_ok()
        };
        for (asked, argued) in [
            ("G F a", "F a"),
            ("F both", "F (a & b)"),
            ("F !some", "F (!a & !b)"),
            ("both U t", "F t"),
            ("G (some & both)", "G a"),
            // The values of atoms in the initial marking are known.
            ("F G b", "X F G b"),
            ("b | X t", "X t"),
            ("b", "0"),
        ] {
            assert!(is_implied(asked, argued, &[]), "{asked} {argued}");
        }
        for (asked, argued) in
            [("F a", "G F a"), ("G F some", "G F a"), ("F t", "F b"), ("1", "X a")]
        {
            assert!(!is_implied(asked, argued, &[]), "{asked} {argued}");
        }
        let is_one_implied = |asked: &str, argued: &[&str]| {
            let argued: Vec<_> = argued.iter().map(|it| property(&net, it)).collect();
            let argued: Vec<_> = argued.iter().collect();
            implies_one_of(&net, &property(&net, asked), &argued, &[]).is_ok()
        };
        assert!(is_one_implied("X (b | G F t)", &["X b", "X G F t"]));
        assert!(is_one_implied("F (a | t)", &["F b", "G !a", "F t", "1 U a"]));
        assert!(!is_one_implied("G (b | t)", &["G b", "G t"]));
        assert!(!is_one_implied("X (b | G F t)", &["X G F t", "X X b"]));
        let never = [b];
        assert!(is_implied("G F some", "G F a", &never));
        assert!(is_implied("F both", "0", &never));
        assert!(!is_implied("F a", "0", &never));
        assert_eq!(initial_value(&net, &property(&net, "a & !b")), Some(true));
        assert_eq!(initial_value(&net, &property(&net, "b & F a")), Some(false));
        assert_eq!(initial_value(&net, &property(&net, "F b")), None);
    }
}
