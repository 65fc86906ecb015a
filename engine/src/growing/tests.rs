//! Tests of runs and proofs for unbounded nets. A proof must not contradict a run, and the checker
//! must refuse a modified proof if a run exists.

use super::{GrowingOutcome, GrowingSearch};
use fastrand::Rng;
use parikh_evidence::no_run::NoRun;
use parikh_generate::{RandomKind, Shape, random, random_fairness, random_ltl, random_predicate};
use parikh_net::lasso::{LassoRun, RunEnd};
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Net, Predicate, text};
use parikh_solvers::Budget;
use parikh_temporal::{AtomNames, Ltl, parse_ltl};

/// Returns a random property with three atoms.
fn property(rng: &mut Rng, net: &Net) -> RunProperty {
    let mut atoms: Vec<RunAtom> =
        (0..2).map(|_| RunAtom::Holds(random_predicate(rng, net, 1))).collect();
    atoms.push(RunAtom::Fires(net.transitions().filter(|_| rng.bool()).collect()));
    let mut formulas = Ltl::default();
    let operators = rng.usize(0..6);
    let formula = random_ltl(&mut formulas, rng, 3, operators);
    RunProperty::new(&formulas, formula, &atoms).with_fairness(random_fairness(rng, net))
}

fn decide(net: &Net, property: &RunProperty) -> GrowingOutcome {
    let budget = Budget::unlimited();
    GrowingSearch { net, property, unreachable_predicates: &[], max_nodes: 300, budget: &budget }
        .decide()
}

/// Returns the proof with one random change.
fn mutated(mut argument: NoRun, rng: &mut Rng) -> NoRun {
    let count = argument.cover.len();
    let node = rng.usize(..count);
    let places = argument.cover[node].low.len();
    let place = rng.usize(..places);
    match rng.u8(..10) {
        0 => drop(argument.cover.remove(node)),
        1 => argument.cover[node].low[place] += 1,
        2 => argument.cover[node].low[place] = 0,
        3 => argument.cover[node].high[place] = Some(rng.u64(..3)),
        4 => argument.cover[node].high[place] = None,
        5 => argument.cover[node].state = rng.usize(..argument.tableau.automaton.states.len()),
        6 => drop(argument.rankings.pop()),
        8 => argument.cover[node].is_dead = !argument.cover[node].is_dead,
        7 => {
            let other = rng.usize(..count);
            argument.cover.swap(node, other);
        }
        _ => {
            for ranking in &mut argument.rankings {
                ranking.weights.iter_mut().for_each(|(_, weight)| *weight = rng.u64(..3));
                ranking.values.iter_mut().for_each(|(_, value)| *value = rng.i64(-2..3));
            }
        }
    }
    argument
}

#[test]
fn tampered_covers_are_refused_or_right() {
    let (mut runs, mut proved, mut open, mut refused, mut accepted) = (0, 0, 0, 0, 0);
    for seed in 0..400 {
        let mut rng = Rng::with_seed(seed);
        let net = random(seed, &Shape { kind: RandomKind::Free, ..Shape::small(seed) });
        let properties: Vec<RunProperty> = (0..3).map(|_| property(&mut rng, &net)).collect();
        let outcomes: Vec<GrowingOutcome> = properties.iter().map(|it| decide(&net, it)).collect();
        for outcome in &outcomes {
            match outcome {
                GrowingOutcome::Run(_) => runs += 1,
                GrowingOutcome::NoRun(_) => proved += 1,
                GrowingOutcome::Undecided { .. } => open += 1,
            }
        }
        let argument = outcomes.iter().find_map(|outcome| match outcome {
            GrowingOutcome::NoRun(argument) if !argument.cover.is_empty() => Some(argument),
            _ => None,
        });
        let Some(argument) = argument else { continue };
        for _ in 0..20 {
            let argument = mutated((**argument).clone(), &mut rng);
            for (property, outcome) in properties.iter().zip(&outcomes) {
                match argument.check(&net, property, &mut || true) {
                    Ok(()) => {
                        let has_run = matches!(outcome, GrowingOutcome::Run(_));
                        assert!(!has_run, "net {seed}: a run is there");
                        accepted += 1;
                    }
                    Err(_) => refused += 1,
                }
            }
        }
    }
    let counts = [runs, proved, open, refused, accepted];
    assert!(runs > 200 && proved > 200 && refused > 500 && accepted > 100, "{counts:?}");
}

/// Returns the outcome for an LTL formula on a net, both as text. `atoms` has the names in the
/// formula with their meaning: the marking is dead, or a place has at least so many tokens. The
/// place's name is the atom's name without digits at the end.
fn outcome(net: &str, formula: &str, atoms: &[(&str, AtomMeaning)]) -> GrowingOutcome {
    let net = text::parse(net).unwrap();
    let (mut formulas, mut names) = (Ltl::default(), AtomNames::default());
    for (name, _) in atoms {
        names.atom(name);
    }
    let formula = parse_ltl(formula, &mut formulas, &mut names).unwrap();
    let atom = |(name, of): &(&str, AtomMeaning)| match *of {
        AtomMeaning::Dead => RunAtom::Holds(Predicate::Dead),
        AtomMeaning::Tokens(least) => {
            let place = name.trim_end_matches(|c: char| c.is_ascii_digit());
            RunAtom::Holds(Predicate::at_least(net.place_named(place).unwrap(), least))
        }
    };
    let atoms: Vec<RunAtom> = atoms.iter().map(atom).collect();
    decide(&net, &RunProperty::new(&formulas, formula, &atoms))
}

/// The meaning of an atom of a formula: the marking is dead, or a place has at least so many
/// tokens.
#[derive(Clone, Copy)]
enum AtomMeaning {
    Dead,
    Tokens(u64),
}

/// A net in which e makes a run possible that fires t forever, and sometimes u.
const LATE_LOOP_NET: &str = "place s 1\nplace a\nplace b\nplace c
    transition e: s -> a\ntransition t: a -> a + b\ntransition u: 2*b -> c";

#[test]
fn a_loop_may_begin_after_a_prefix_and_need_tokens_that_another_one_makes() {
    use AtomMeaning::{Dead, Tokens};
    let run = |outcome: GrowingOutcome| -> LassoRun {
        match outcome {
            GrowingOutcome::Run(run) => run,
            _ => panic!("a run is there"),
        }
    };
    let found = run(outcome(LATE_LOOP_NET, "G !dead", &[("dead", Dead)]));
    assert!(matches!(found.end, RunEnd::Repeats(_)));
    // From some time on b is large, although u fires again and again.
    run(outcome(LATE_LOOP_NET, "F G b7", &[("b7", Tokens(7))]));
    run(outcome(LATE_LOOP_NET, "G F c & F G b", &[("c", Tokens(1)), ("b", Tokens(1))]));
}

#[test]
fn proofs_exist_although_every_cycle_adds_tokens() {
    use AtomMeaning::{Dead, Tokens};
    let turns = "place a 1\nplace b\nplace c\ntransition x: a -> b\ntransition y: b -> a + c";
    let none = |formula, atoms: &[(&str, AtomMeaning)]| {
        let found = outcome(turns, formula, atoms);
        assert!(matches!(found, GrowingOutcome::NoRun(_)), "{formula}");
    };
    none("F G !a", &[("a", Tokens(1))]);
    none("F dead", &[("dead", Dead)]);
}

#[test]
fn a_number_that_a_growing_place_passes_and_a_dead_marking_are_remembered() {
    use AtomMeaning::{Dead, Tokens};
    let none = |net, formula, atoms: &[(&str, AtomMeaning)]| {
        let found = outcome(net, formula, atoms);
        assert!(matches!(found, GrowingOutcome::NoRun(_)), "{formula}");
    };
    let source = "place p 1\nplace q\ntransition t: p -> p + q";
    none(source, "F G !q10", &[("q10", Tokens(10))]);
    none(source, "F (q3 & X F !q4)", &[("q3", Tokens(3)), ("q4", Tokens(4))]);
    none(LATE_LOOP_NET, "F (c2 & F !c2)", &[("c2", Tokens(2))]);
    let stops = "place p 1\nplace q 1\nplace r\ntransition t: p -> p + r\ntransition u: p -> q\n\
        transition v: q + r -> q\ntransition w: p + q -> p";
    none(stops, "F (dead & F !dead)", &[("dead", Dead)]);
    none(stops, "F (dead & q1 & F !q1)", &[("dead", Dead), ("q1", Tokens(1))]);
}
