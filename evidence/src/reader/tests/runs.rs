//! Tests that formulas of LTL are read as the right questions about runs.

use super::*;
use crate::no_run::implied::{NotImplied, implies};
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_temporal::{AtomId, AtomNames, Formula, Linear, Ltl, parse_ltl};

/// Returns the question without the other questions that imply its answer.
fn without_implications(question: Question) -> Question {
    match question {
        Question::WithImplications { main, .. } => without_implications(*main),
        Question::Not(inner) => Question::Not(Box::new(without_implications(*inner))),
        Question::Connective { all, parts } => {
            let parts = parts.into_iter().map(without_implications).collect();
            Question::Connective { all, parts }
        }
        other => other,
    }
}

/// Reads formulas over `q` (q ≥ 1), `t` (t is enabled), `dead` and `go` (t fires). The expected
/// questions are in Spot's syntax.
#[test]
fn formulas_with_operators_of_time_ask_of_runs() {
    let net = read(NODES).unwrap().net;
    let q = Predicate::at_least(net.place_named("q").unwrap(), 1);
    let t = Predicate::Enabled(net.transition_named("t").unwrap());
    let atoms = [q, t, Predicate::Dead].map(RunAtom::Holds);
    let firing = RunAtom::Fires(vec![net.transition_named("t").unwrap()]);
    let atoms = [&atoms[..], &[firing]].concat();
    let no_run = |text: &str| {
        let (mut formulas, mut names) = (Ltl::default(), AtomNames::default());
        for name in ["q", "t", "dead", "go"] {
            names.atom(name);
        }
        let formula = parse_ltl(text, &mut formulas, &mut names).unwrap();
        Question::NoRun(Box::new(RunProperty::new(&formulas, formula, &atoms)))
    };
    let some_run = |text| Question::Not(Box::new(no_run(text)));
    let within = |around: &str, inside: &str| format!("<{around}>{inside}</{around}>");
    let fires = "<is-fireable><transition>t</transition></is-fireable>";
    let go = "<fires><transition>t</transition></fires>";
    let finally = |inside: &str| within("finally", inside);
    let globally = |inside: &str| within("globally", inside);
    let until = |before: &str, reach: &str| {
        let before = within("before", before);
        within("until", &format!("{before}{}", within("reach", reach)))
    };
    let a = |inside: &str| within("all-paths", inside);
    let e = |inside: &str| within("exists-path", inside);
    let not = |inside: &str| within("negation", inside);
    let or = |inside: &[&str]| within("disjunction", &inside.concat());
    let and = |inside: &[&str]| within("conjunction", &inside.concat());
    let implies = |one: &str, other: &str| within("implication", &format!("{one}{other}"));
    for (formula, question) in [
        (a(&finally(MARKED)), no_run("G !q")),
        (e(&globally(MARKED)), some_run("G q")),
        (a(&globally(&finally(MARKED))), no_run("F G !q")),
        (not(&a(&globally(&finally(MARKED)))), some_run("F G !q")),
        (a(&within("next", &or(&[MARKED, fires]))), no_run("X !(q | t)")),
        (a(&globally(&implies(MARKED, &finally(fires)))), no_run("F (q & G !t)")),
        (a(&until(MARKED, fires)), no_run("!(q U t)")),
        (e(&finally(go)), some_run("F go")),
        (a(&until(&or(&[MARKED, go]), &not(go))), no_run("!((q | go) U !go)")),
        (a(&until(&finally(MARKED), "<deadlock/>")), no_run("!(F q U dead)")),
        (a(&and(&[&finally(MARKED), &globally(fires)])), no_run("G !q | F !t")),
        (e(&or(&[&finally(MARKED), &globally(fires)])), some_run("F q | G t")),
        // A formula without a quantifier is about all runs.
        (globally(&finally(MARKED)), no_run("F G !q")),
        (go.to_owned(), no_run("!go")),
        // A quantifier around a state formula has no effect.
        (a(&finally(&e(MARKED))), no_run("G !q")),
        (
            or(&[&a(&finally(MARKED)), &not(&a(&globally(&finally(fires))))]),
            Question::Connective { all: false, parts: vec![no_run("G !q"), some_run("F G !t")] },
        ),
    ] {
        let read = question_of(&net, &formula).unwrap_or_else(|error| panic!("{formula}: {error}"));
        let read = without_implications(read);
        assert!(is_equivalent(&net, &read, &question), "{formula}: {read:?}\n{question:?}");
    }
    for beyond in [
        a(&globally(&finally(&e(&finally(MARKED))))),
        a(&within("until", MARKED)),
        a(&within("weak-until", MARKED)),
        a(&globally("")),
        a(&globally("<fires/>")),
        a(&finally(&and(&[&globally(MARKED), "<place-bound><place>p</place></place-bound>"]))),
    ] {
        assert!(question_of(&net, &beyond).is_err(), "{beyond}");
    }
    let deep = |depth: usize| a(&("<next>".repeat(depth) + MARKED + &"</next>".repeat(depth)));
    assert!(question_of(&net, &deep(1_900)).is_ok());
    assert!(question_of(&net, &deep(2_100)).is_err());
}

/// Returns true if two questions are equal up to the order of parts and equivalence of formulas.
fn is_equivalent(net: &Net, one: &Question, other: &Question) -> bool {
    match (one, other) {
        (
            Question::Connective { all, parts },
            Question::Connective { all: as_all, parts: others },
        ) => {
            let is_there = |part| others.iter().any(|other| is_equivalent(net, part, other));
            all == as_all && parts.len() == others.len() && parts.iter().all(is_there)
        }
        (Question::Not(one), Question::Not(other)) => is_equivalent(net, one, other),
        (Question::NoRun(one), Question::NoRun(other)) => {
            implies(net, one, other, &[]).is_ok() && implies(net, other, one, &[]).is_ok()
        }
        (one, other) => one == other,
    }
}

/// Returns a random formula with at most this number of operators, in XML and in the store
/// `formulas`.
fn random_formula(
    rng: &mut fastrand::Rng,
    formulas: &mut Ltl,
    operators: usize,
) -> (String, Formula<Linear>) {
    let within = |around: &str, inside: &str| format!("<{around}>{inside}</{around}>");
    if operators == 0 {
        let leaves = ["<deadlock/>", "<is-fireable><transition>t</transition></is-fireable>"];
        return match rng.u32(..3) {
            0 => (MARKED.to_owned(), formulas.atom(AtomId(0))),
            at => (leaves[2 - at as usize].to_owned(), formulas.atom(AtomId(at))),
        };
    }
    let first = rng.usize(..operators);
    let (one, a) = random_formula(rng, formulas, operators - 1 - first);
    match rng.u8(..8) {
        0 => (within("negation", &one), formulas.negate(a)),
        1 => (within("next", &one), formulas.next(Linear, a)),
        2 => (within("finally", &one), formulas.eventually(Linear, a)),
        3 => (within("globally", &one), formulas.always(Linear, a)),
        other => {
            let (two, b) = random_formula(rng, formulas, first);
            match other {
                4 => (within("conjunction", &format!("{one}{two}")), formulas.and([a, b])),
                5 => (within("disjunction", &format!("{one}{two}")), formulas.or([a, b])),
                6 => {
                    let not = formulas.negate(a);
                    (within("implication", &format!("{one}{two}")), formulas.or([not, b]))
                }
                _ => {
                    let [one, two] = [within("before", &one), within("reach", &two)];
                    (within("until", &format!("{one}{two}")), formulas.until(Linear, a, b))
                }
            }
        }
    }
}

/// Returns the property that no run has according to the question. For a conjunction of questions,
/// it is the disjunction of their properties.
fn excluded_property(question: &Question) -> Option<RunProperty> {
    let parts = match question {
        Question::Connective { all: true, parts } => parts.clone(),
        part => vec![part.clone()],
    };
    let (mut formulas, mut any, mut atoms) = (Ltl::default(), Vec::new(), Vec::new());
    for part in parts {
        let property = match part {
            Question::NoRun(property) => *property,
            Question::Reach { goals, then: false, .. } => eventually(&goals[0]),
            Question::Initially(predicate) => violated(&predicate),
            _ => return None,
        };
        let part_atoms: Vec<_> = (atoms.len()..)
            .take(property.atoms().len())
            .map(|number| formulas.atom(AtomId(number as u32)))
            .collect();
        atoms.extend_from_slice(property.atoms());
        any.push(property.translated(&mut formulas, &part_atoms));
    }
    let any = formulas.or(any);
    Some(RunProperty::new(&formulas, any, &atoms))
}

/// Returns the property that the initial marking violates a predicate.
fn violated(predicate: &Predicate) -> RunProperty {
    let mut formulas = Ltl::default();
    let atom = formulas.atom(AtomId(0));
    let formula = formulas.negate(atom);
    RunProperty::new(&formulas, formula, &[RunAtom::Holds(predicate.clone())])
}

fn eventually(predicate: &Predicate) -> RunProperty {
    let mut formulas = Ltl::default();
    let atom = formulas.atom(AtomId(0));
    let formula = formulas.eventually(Linear, atom);
    RunProperty::new(&formulas, formula, &[RunAtom::Holds(predicate.clone())])
}

#[test]
fn formulas_about_runs_have_the_meaning_of_their_operators() {
    let net = read(NODES).unwrap().net;
    let q = Predicate::at_least(net.place_named("q").unwrap(), 1);
    let t = Predicate::Enabled(net.transition_named("t").unwrap());
    let atoms = [q, t, Predicate::Dead].map(RunAtom::Holds);
    let mut rng = fastrand::Rng::with_seed(7);
    let mut compared = 0;
    for _ in 0..2_000 {
        let mut formulas = Ltl::default();
        let operators = rng.usize(1..9);
        let (file, formula) = random_formula(&mut rng, &mut formulas, operators);
        let exists = rng.bool();
        let path = if exists { "exists-path" } else { "all-paths" };
        let question = question_of(&net, &format!("<{path}>{file}</{path}>")).unwrap();
        let (question, wanted) = match (exists, question) {
            (false, question) => (question, formulas.negate(formula)),
            (true, Question::Not(part)) => (*part, formula),
            (true, Question::Reach { goals, all, then: true }) => {
                (Question::Reach { goals, all, then: false }, formula)
            }
            (true, Question::Initially(predicate)) => {
                (Question::Initially(predicate.negated()), formula)
            }
            (_, other) => panic!("{other:?}"),
        };
        let wanted = RunProperty::new(&formulas, wanted, &atoms);
        let read = excluded_property(&question).unwrap();
        // Two formulas may be too large for the comparison.
        let results = [implies(&net, &read, &wanted, &[]), implies(&net, &wanted, &read, &[])];
        assert!(!results.contains(&Err(NotImplied::DifferentFormula)), "{file}\n{question:?}");
        compared += usize::from(results.iter().all(Result::is_ok));
    }
    assert!(compared > 1_900, "{compared}");
}
