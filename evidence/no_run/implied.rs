//! Whether one property of runs follows from another: what the question says, and what an argument
//! is about.
//!
//! Whoever argues may have written the question in another way: rewritten it, with other atoms, or
//! with what is known of the initial marking or of all markings. So the argument says what it is
//! about, and here it is seen that every run with the property in question would have that
//! property, and be fair in the way that it speaks of. There may be several arguments, one for each
//! case: then every such run would have one of their properties.
//!
//! # How All are written over *common atoms*: first over predicates as they stand, then over those
//! that stand as they are in what is asked and in what is argued, and the leaves of others. Of
//! words over these, those are sought that satisfy what is asked, begin as the initial marking does
//! (where that is dead, repeat it), never satisfy a premise, and satisfy nothing that is argued. If
//! the automaton of all this accepts no word, there is no such run. Atoms are taken to be
//! independent of each other, which only makes for more words.
//!
//! That such an automaton accepts nothing is believed only once it was held against its formula
//! ([`Tableau::check_complete`]).

use super::CASES;
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Net, Predicate, TransitionId};
use parikh_temporal::{
    Atom, AutomatonLimits, AutomatonTooLarge, Formula, Linear, LinearTableau, Literal, Ltl,
    PartialTruth, TableauRefusal,
};
use std::collections::{HashMap, HashSet};

/// States, edges and terms of an automaton that is made to compare two formulas. Terms are compared
/// with each other, atom by atom.
const LIMITS: AutomatonLimits = AutomatonLimits { states: 5_000, edges: 100_000, terms: 5_000 };
/// The same of one with more than [`FEW_ATOMS`].
const LIMITS_OF_MANY: AutomatonLimits = AutomatonLimits { terms: 500, ..LIMITS };
const FEW_ATOMS: usize = 50;

/// So many atoms are compared by an automaton: conditions on thousands of firings have as many
/// leaves, and the ways to meet them all take minutes to write down.
const MOST_ATOMS: usize = 500;

/// Why it is not seen that one follows from the other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotImplied {
    /// Some word tells them apart.
    #[error("it is about another formula")]
    Other,
    /// It speaks of fewer runs.
    #[error("it is about runs that are fair in another way")]
    Fairness,
    /// The automaton is too large.
    #[error("to compare it with what is asked, {0}")]
    TooLarge(#[from] AutomatonTooLarge),
    /// The automaton is not that of the formula.
    #[error("to compare it with what is asked, the automaton: {0}")]
    Automaton(#[from] TableauRefusal),
}

/// Accepts that each run of `net` that has the property `asked` has the property `argued`, if no
/// reachable marking satisfies any of `given`.
///
/// # Errors
/// Why this is not seen.
pub fn implies(
    net: &Net,
    asked: &RunProperty,
    argued: &RunProperty,
    given: &[Predicate],
) -> Result<(), NotImplied> {
    implies_one_of(net, asked, &[argued], given)
}

/// Accepts that each run of `net` that has the property `asked` has one of the properties `argued`,
/// if no reachable marking satisfies any of `given`.
///
/// # Errors
/// Why this is not seen.
pub fn implies_one_of(
    net: &Net,
    asked: &RunProperty,
    argued: &[&RunProperty],
    given: &[Predicate],
) -> Result<(), NotImplied> {
    let fair = |it: &&&RunProperty| asked.fairness().implies(it.fairness());
    let argued: Vec<&RunProperty> = argued.iter().filter(fair).copied().collect();
    if argued.is_empty() {
        return Err(NotImplied::Fairness);
    }
    if argued.contains(&asked) {
        return Ok(());
    }
    // As they are, predicates are few, and often that is enough.
    let all = argued.iter().flat_map(|argued| predicates(argued));
    let whole = predicates(asked).chain(all).collect();
    if Common::new(&whole).compare(net, asked, &argued, given).is_ok() {
        return Ok(());
    }
    let shared = argued.iter().flat_map(|argued| shared(asked, argued)).collect();
    match Common::new(&shared).compare(net, asked, &argued, given) {
        // Predicates that are one in both may have parts that stand alone elsewhere.
        Err(NotImplied::Other) if shared.iter().any(is_junction) => {
            Common::new(&HashSet::new()).compare(net, asked, &argued, given)
        }
        told => told,
    }
}

/// Whether the initial marking alone says that a run has the property, or that none has it.
pub fn initially(net: &Net, property: &RunProperty) -> Option<bool> {
    // Some run is fair, from wherever it is.
    if let Some(value) = first_letter(net, property).known() {
        return Some(value);
    }
    let constant = |value| {
        let formulas = Ltl::default();
        let constant = RunProperty::new(&formulas, formulas.constant(value), &[]);
        constant.under(property.fairness().clone())
    };
    if implies(net, property, &constant(false), &[]).is_ok() {
        return Some(false);
    }
    implies(net, &constant(true), property, &[]).is_ok().then_some(true)
}

/// What the initial marking says of the formula, part by part; where it is dead, it repeats. This
/// takes atoms as they are, however many leaves they have.
fn first_letter(net: &Net, property: &RunProperty) -> PartialTruth {
    let initially = RunAtom::all_initially(property.atoms(), net);
    let here = |atom: Atom| initially[atom.0 as usize];
    match net.is_dead(net.initial()) {
        true => property.formulas().value_at_end(property.formula(), here),
        false => property.formulas().value_here(property.formula(), here),
    }
}

fn is_junction(predicate: &Predicate) -> bool {
    matches!(predicate, Predicate::And(_) | Predicate::Or(_))
}

/// The predicates that are atoms of both, or the negations of such, in sorted form.
fn shared(one: &RunProperty, other: &RunProperty) -> HashSet<Predicate> {
    let other: HashSet<Predicate> = predicates(other).collect();
    predicates(one).filter(|it| other.contains(it)).collect()
}

/// The predicates that are atoms, and their negations, in sorted form.
fn predicates(property: &RunProperty) -> impl Iterator<Item = Predicate> + '_ {
    let both = property.atoms().iter().filter_map(|atom| match atom {
        RunAtom::Holds(it) => Some([it.clone().sorted(), it.clone().negated().sorted()]),
        RunAtom::Fires(_) => None,
    });
    both.flatten()
}

/// Formulas over common atoms.
struct Common<'p> {
    formulas: Ltl,
    /// Predicates that are not taken apart.
    whole: &'p HashSet<Predicate>,
    holds: HashMap<Predicate, Atom>,
    fires: HashMap<Vec<TransitionId>, Atom>,
}

impl<'p> Common<'p> {
    fn new(whole: &'p HashSet<Predicate>) -> Self {
        let (holds, fires) = (HashMap::new(), HashMap::new());
        Common { formulas: Ltl::default(), whole, holds, fires }
    }

    /// Whether no word has what is asked and nothing that is argued; see the module.
    fn compare(
        mut self,
        net: &Net,
        asked: &RunProperty,
        argued: &[&RunProperty],
        given: &[Predicate],
    ) -> Result<(), NotImplied> {
        let mut all = vec![self.property(asked)];
        for argued in argued {
            let argued = self.property(argued);
            all.push(self.formulas.negate(argued));
        }
        for premise in given {
            let holds = self.predicate(premise.clone().sorted());
            let never = self.formulas.negate(holds);
            all.push(self.formulas.always(Linear, never));
        }
        let first = self.holds.iter().map(|(predicate, &atom)| {
            let positive = predicate.holds(net, net.initial());
            Literal { atom, positive }
        });
        let mut first: Vec<Literal> = first.collect();
        // From a dead marking there is one run, which repeats it, and nothing fires.
        let is_dead = net.is_dead(net.initial());
        if is_dead {
            first.extend(self.fires.values().map(|&atom| Literal { atom, positive: false }));
        }
        first.sort_unstable();
        for literal in first {
            let now = self.formulas.literal(literal);
            all.push(if is_dead { self.formulas.always(Linear, now) } else { now });
        }
        let formula = self.formulas.and(all);
        if self.formulas.is(formula, false) {
            return Ok(());
        }
        let atoms = self.holds.len() + self.fires.len();
        if atoms > MOST_ATOMS {
            return Err(AutomatonTooLarge { what: "atoms", limit: MOST_ATOMS }.into());
        }
        let limits = if atoms > FEW_ATOMS { LIMITS_OF_MANY } else { LIMITS };
        let tableau = LinearTableau::new(&self.formulas, formula, limits)?;
        if !tableau.automaton.is_empty() {
            return Err(NotImplied::Other);
        }
        // Only where it follows does that rest on the automaton.
        Ok(tableau.check_complete(&self.formulas, formula, CASES)?)
    }

    /// A property over common atoms.
    fn property(&mut self, property: &RunProperty) -> Formula<Linear> {
        let atoms: Vec<Formula<Linear>> =
            property.atoms().iter().map(|atom| self.atom(atom)).collect();
        property.translated(&mut self.formulas, &atoms)
    }

    fn atom(&mut self, atom: &RunAtom) -> Formula<Linear> {
        match atom {
            RunAtom::Holds(predicate) => self.predicate(predicate.clone().sorted()),
            RunAtom::Fires(any) => {
                let next = self.next();
                let atom = *self.fires.entry(any.clone()).or_insert(next);
                self.formulas.atom(atom)
            }
        }
    }

    /// A predicate in sorted form.
    fn predicate(&mut self, predicate: Predicate) -> Formula<Linear> {
        if let Some(literal) = self.literal(&predicate) {
            return self.formulas.literal(literal);
        }
        match predicate {
            Predicate::True => self.formulas.constant(true),
            Predicate::False => self.formulas.constant(false),
            Predicate::And(parts) if !self.whole.contains(&Predicate::And(parts.clone())) => {
                let parts: Vec<_> = parts.into_iter().map(|part| self.predicate(part)).collect();
                self.formulas.and(parts)
            }
            Predicate::Or(parts) if !self.whole.contains(&Predicate::Or(parts.clone())) => {
                let parts: Vec<_> = parts.into_iter().map(|part| self.predicate(part)).collect();
                self.formulas.or(parts)
            }
            atom => {
                let next = self.next();
                self.holds.insert(atom, next);
                self.formulas.atom(next)
            }
        }
    }

    /// The predicate as a literal of an atom that is there.
    fn literal(&self, predicate: &Predicate) -> Option<Literal> {
        let known = |predicate: &Predicate| self.holds.get(predicate).copied();
        if let Some(atom) = known(predicate) {
            return Some(Literal::positive(atom));
        }
        known(&predicate.clone().negated().sorted()).map(Literal::negative)
    }

    /// The number of the next atom.
    fn next(&self) -> Atom {
        Atom((self.holds.len() + self.fires.len()) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;
    use parikh_temporal::{AtomNames, parse_ltl};

    /// Over `a` (p ≥ 1), `b` (q ≥ 1), `both`, `some`, `t` (it fires).
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
        for (asked, expected) in
            [("G F a", true), ("F b", false), ("X X a", true), ("G F t", false), ("a U t", false)]
        {
            let property = property(&net, asked);
            assert_eq!(initially(&net, &property), Some(expected), "{asked}");
            let fair = property.under(parikh_net::Fairness::new(net.transitions(), []));
            assert_eq!(initially(&net, &fair), Some(expected), "{asked}, of fair runs");
        }
        let alive = text::parse("place p 1\nplace q\ntransition t: p -> q").unwrap();
        assert_eq!(initially(&alive, &property(&alive, "G F a")), None);
    }

    #[test]
    fn the_first_letter_says_what_it_can() {
        let net = text::parse("place p 1\nplace q\ntransition t: p -> q").unwrap();
        for (asked, expected) in [
            ("both & G F a & X t", PartialTruth::False),
            ("some | G F b", PartialTruth::True),
            ("b R !both", PartialTruth::Unknown),
            ("t | b", PartialTruth::Unknown),
            ("F b", PartialTruth::Unknown),
        ] {
            assert_eq!(first_letter(&net, &property(&net, asked)), expected, "{asked}");
        }
    }

    /// A condition of more leaves than are compared is compared as a whole.
    #[test]
    fn large_conditions_that_do_not_matter_stay_whole() {
        let places: Vec<String> = (0..2 * MOST_ATOMS).map(|at| format!("place p{at}")).collect();
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
    fn formulas_that_say_as_much_are_seen_to() {
        let net = text::parse("place p 1\nplace q\ntransition t: p -> q").unwrap();
        let b = Predicate::at_least(net.place_named("q").unwrap(), 1);
        let says = |asked: &str, argued: &str, given: &[Predicate]| {
            let (asked, argued) = (property(&net, asked), property(&net, argued));
            implies(&net, &asked, &argued, given).is_ok()
        };
        for (asked, argued) in [
            ("G F a", "F a"),
            ("F both", "F (a & b)"),
            ("F !some", "F (!a & !b)"),
            ("both U t", "F t"),
            ("G (some & both)", "G a"),
            // What holds initially is known.
            ("F G b", "X F G b"),
            ("b | X t", "X t"),
            ("b", "0"),
        ] {
            assert!(says(asked, argued, &[]), "{asked} {argued}");
        }
        for (asked, argued) in
            [("F a", "G F a"), ("G F some", "G F a"), ("F t", "F b"), ("1", "X a")]
        {
            assert!(!says(asked, argued, &[]), "{asked} {argued}");
        }
        let cases = |asked: &str, argued: &[&str]| {
            let argued: Vec<_> = argued.iter().map(|it| property(&net, it)).collect();
            let argued: Vec<_> = argued.iter().collect();
            implies_one_of(&net, &property(&net, asked), &argued, &[]).is_ok()
        };
        assert!(cases("X (b | G F t)", &["X b", "X G F t"]));
        assert!(cases("F (a | t)", &["F b", "G !a", "F t", "1 U a"]));
        assert!(!cases("G (b | t)", &["G b", "G t"]));
        assert!(!cases("X (b | G F t)", &["X G F t", "X X b"]));
        let never = [b];
        assert!(says("G F some", "G F a", &never));
        assert!(says("F both", "0", &never));
        assert!(!says("F a", "0", &never));
        assert_eq!(initially(&net, &property(&net, "a & !b")), Some(true));
        assert_eq!(initially(&net, &property(&net, "b & F a")), Some(false));
        assert_eq!(initially(&net, &property(&net, "F b")), None);
    }
}
