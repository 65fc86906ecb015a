//! Compares proofs with an exhaustive search, and tests manipulated proofs.

use super::argue;
use crate::lasso::RunGraph;
use fastrand::Rng;
use parikh_evidence::certificate::markings::visit;
use parikh_evidence::no_run::{ExcludedPairs, Movers, NoRun, Reason};
use parikh_generate::{RandomKind, Shape, random, random_ltl, random_predicate};
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Facts, Net, Predicate, text};
use parikh_solvers::Budget;
use parikh_temporal::{AtomNames, Ltl, parse_ltl};

fn property(rng: &mut Rng, net: &Net) -> RunProperty {
    let mut atoms: Vec<RunAtom> =
        (0..2).map(|_| RunAtom::Holds(random_predicate(rng, net, 1))).collect();
    atoms.push(RunAtom::Fires(net.transitions().filter(|_| rng.bool()).collect()));
    let mut formulas = Ltl::default();
    let operators = rng.usize(0..6);
    let formula = random_ltl(&mut formulas, rng, 3, operators);
    RunProperty::new(&formulas, formula, &atoms)
}

/// Returns the proof with one random change.
fn mutated(mut argument: NoRun, rng: &mut Rng) -> NoRun {
    let states = &mut argument.tableau.automaton.states;
    let state = rng.usize(..states.len());
    match rng.u8(..9) {
        0 if !states[state].is_empty() => {
            let edge = rng.usize(..states[state].len());
            states[state].remove(edge);
        }
        1 if !states[state].is_empty() => {
            let (edge, marks) = (rng.usize(..states[state].len()), rng.u64(..4));
            states[state][edge].marks.0 = marks;
        }
        2 if !states[state].is_empty() => {
            let (edge, target) = (rng.usize(..states[state].len()), rng.usize(..states.len()));
            states[state][edge].target = target;
        }
        3 => argument.opening_steps = rng.usize(..4),
        4 => {
            let count = argument.rankings.len();
            if count > 0 {
                let ranking = &mut argument.rankings[rng.usize(..count)];
                ranking.weights.iter_mut().for_each(|(_, weight)| *weight = rng.u64(..3));
                ranking.values.iter_mut().for_each(|(_, value)| *value = rng.i64(-2..3));
            }
        }
        5 => drop(argument.rankings.pop()),
        6 if !argument.refuted.is_empty() => {
            let count = argument.refuted.len();
            let refuted = &mut argument.refuted[rng.usize(..count)];
            refuted.edge = (state, rng.usize(..3));
            refuted.movers = [Movers::All, Movers::Nothing][rng.usize(..2)].clone();
        }
        7 => {
            let by = [Reason::Given, Reason::Document][rng.usize(..2)](rng.usize(..2));
            argument.refuted.push(ExcludedPairs {
                edge: (state, 0),
                movers: Movers::All,
                reason: by,
            });
        }
        _ if !argument.premises.is_empty() => {
            let count = argument.premises.len();
            let premise = &mut argument.premises[rng.usize(..count)];
            *premise = std::mem::replace(premise, Predicate::False).negated();
        }
        _ => {}
    }
    argument
}

fn is_unreachable(net: &Net, predicate: &Predicate) -> bool {
    visit(net, 10_000, |marking| !predicate.holds(net, marking)).is_ok()
}

/// Returns the predicates "the atom holds" and "the atom does not hold", for atoms on markings,
/// that no reachable marking satisfies.
fn never(net: &Net, property: &RunProperty) -> Vec<Predicate> {
    let both = property.atoms().iter().filter_map(|atom| match atom {
        RunAtom::Holds(it) => Some([it.clone(), it.clone().negated()]),
        RunAtom::Fires(_) => None,
    });
    both.flatten().filter(|it| is_unreachable(net, it)).collect()
}

#[test]
fn proofs_are_right_and_tampered_proofs_are_refused_or_right() {
    let (mut argued, mut runs, mut open, mut accepted) = (0, 0, 0, 0);
    let (mut plain, mut given) = (0, 0);
    for seed in 0..1500 {
        let mut rng = Rng::with_seed(seed);
        let kind = [RandomKind::Bounded, RandomKind::OneSafe][rng.usize(..2)];
        let net = random(seed, &Shape { kind, ..Shape::small(seed) });
        let (facts, budget) = (Facts::empty(&net), Budget::unlimited());
        let properties: Vec<RunProperty> = (0..2).map(|_| property(&mut rng, &net)).collect();
        let mut lassos = RunGraph::new(&net, &facts, &properties, 0, &budget).unwrap();
        let mut arguments: Vec<NoRun> = Vec::new();
        let mut has_run = Vec::new();
        for property in &properties {
            let run = lassos.find(property).unwrap();
            let never = never(&net, property);
            if never.is_empty() {
                plain += 1;
            }
            match (&run, argue(&net, property, &never, &budget)) {
                (Some(run), Ok(_)) => panic!("seed {seed}: {run:?} is said not to be there"),
                (None, Ok(argument)) => {
                    argued += 1;
                    arguments.push(argument);
                }
                (Some(_), Err(_)) => runs += 1,
                (None, Err(_)) => open += 1,
            }
            has_run.push(run.is_some());
        }
        for _ in 0..20 {
            let Some(argument) = arguments.first() else { break };
            let argument = mutated(argument.clone(), &mut rng);
            for (property, &has_run) in properties.iter().zip(&has_run) {
                if argument.check(&net, property, &mut || true).is_ok() {
                    let is_so =
                        argument.premises.iter().all(|premise| is_unreachable(&net, premise));
                    assert!(!has_run || !is_so, "seed {seed}: a run is there");
                    accepted += usize::from(is_so);
                    given += usize::from(is_so && !argument.premises.is_empty());
                }
            }
        }
    }
    assert!(argued > 400 && runs > 400 && accepted > 100, "{argued} {open} {runs} {accepted}");
    assert!(plain > 100 && given > 100, "{plain} {given}");
}

/// Returns true if a proof is found that no run of the net has the property. `atoms` maps each name
/// in the formula to a place, which must have a token, or to a transition, which must fire.
fn holds(net: &str, property: &str, atoms: &[(&str, &str)]) -> bool {
    let net = text::parse(net).unwrap();
    let (mut formulas, mut names) = (Ltl::default(), AtomNames::default());
    for (name, _) in atoms {
        names.atom(name);
    }
    let formula = parse_ltl(property, &mut formulas, &mut names).unwrap();
    let atoms: Vec<RunAtom> = atoms
        .iter()
        .map(|(_, node)| match (net.place_named(node), net.transition_named(node)) {
            (Some(place), _) => RunAtom::Holds(Predicate::at_least(place, 1)),
            (_, t) => RunAtom::Fires(vec![t.unwrap()]),
        })
        .collect();
    argue(&net, &RunProperty::new(&formulas, formula, &atoms), &[], &Budget::unlimited()).is_ok()
}

#[test]
fn used_unreachable_predicates_become_premises() {
    let net = text::parse("place p 1\nplace q\nplace r\ntransition t: p -> p").unwrap();
    let at_least = |name| Predicate::at_least(net.place_named(name).unwrap(), 1);
    let [q, r] = ["q", "r"].map(at_least);
    let atoms = [q.clone(), r.clone()].map(RunAtom::Holds);
    let (mut formulas, mut names) = (Ltl::default(), AtomNames::default());
    let formula = parse_ltl("F (a & X b)", &mut formulas, &mut names).unwrap();
    let property = RunProperty::new(&formulas, formula, &atoms);
    assert!(argue(&net, &property, &[], &Budget::unlimited()).is_err());
    let argument = argue(&net, &property, &[q.clone(), at_least("p")], &Budget::unlimited());
    let mut argument = argument.unwrap();
    assert_eq!(argument.premises, [q]);
    argument.premises = vec![r];
    assert!(argument.check(&net, &property, &mut || true).is_err());
}

#[test]
fn properties_are_proved_on_nets_too_large_to_visit() {
    // 10^18 tokens flow in one direction, so eventually all have moved.
    let sand = "place top 1000000000000000000\nplace bottom\ntransition fall: top -> bottom";
    let atoms = [("top", "top"), ("falls", "fall")];
    assert!(holds(sand, "G top", &atoms));
    assert!(holds(sand, "G F falls", &atoms));
    assert!(!holds(sand, "F !top", &atoms));
    // All waiting tokens are served eventually, because no firing sequence can repeat forever.
    let queue = "place waits 5\nplace served\nplace busy
         transition begin: waits -> busy\ntransition end: busy -> served";
    let atoms = [("waits", "waits"), ("busy", "busy")];
    assert!(holds(queue, "G waits", &atoms));
    assert!(holds(queue, "G F busy", &atoms));
}
