//! Compares the search with a naive product of the whole graph and the automaton.

use super::RunGraph;
use fastrand::Rng;
use parikh_evidence::lasso::check_lasso;
use parikh_generate::{RandomKind, Shape, random, random_fairness, random_ltl, random_predicate};
use parikh_net::lasso::RunEnd;
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Facts, Marking, Net, Predicate};
use parikh_solvers::Budget;
use parikh_temporal::{
    AtomId, Automaton, AutomatonEdge, AutomatonLimits, Cube, Linear, Literal, Ltl, Marks,
};
use std::collections::HashMap;

/// Returns the reachability graph of a net as an automaton that accepts exactly the words of the
/// net's runs. Returns `None` if the graph has more than `most` markings, or if a firing would
/// overflow.
pub(crate) fn system(net: &Net, property: &RunProperty, most: usize) -> Option<Automaton> {
    let mut numbers = HashMap::from([(net.initial().clone(), 0)]);
    let mut markings: Vec<Marking> = vec![net.initial().clone()];
    let mut states = Vec::new();
    while states.len() < markings.len() {
        let marking = markings[states.len()].clone();
        let edge = |target, firing| {
            let letter = property.letter(net, &marking, firing);
            let literal = |number| {
                let atom = AtomId(number as u32);
                Literal { atom, positive: letter.has(atom) }
            };
            let cube = Cube::of((0..property.atoms().len()).map(literal)).unwrap();
            AutomatonEdge { target, marks: Marks::NONE, cube }
        };
        let mut edges = Vec::new();
        for t in net.transitions().filter(|&t| net.is_enabled(&marking, t)) {
            let mut next = marking.clone();
            net.fire(&mut next, t).ok()?;
            let target = *numbers.entry(next.clone()).or_insert_with(|| {
                markings.push(next);
                markings.len() - 1
            });
            edges.push(edge(target, Some(t)));
        }
        if edges.is_empty() {
            edges.push(edge(states.len(), None));
        }
        states.push(edges);
        if markings.len() > most {
            return None;
        }
    }
    Some(Automaton { states, initial: 0, marks: 0 })
}

/// Returns a random property with up to five operators over up to three atoms on markings and one
/// on firings, and with random fairness assumptions.
pub(crate) fn property(rng: &mut Rng, net: &Net) -> RunProperty {
    let count = rng.u32(1..=3);
    let mut atoms: Vec<RunAtom> =
        (0..count).map(|_| RunAtom::Holds(random_predicate(rng, net, 2))).collect();
    let some = net.transitions().filter(|_| rng.bool()).collect();
    atoms.push(RunAtom::Fires(some));
    let mut formulas = Ltl::default();
    let operators = rng.usize(0..6);
    let speaks_of_firings = rng.u32(..2);
    let formula = random_ltl(&mut formulas, rng, count + speaks_of_firings, operators);
    RunProperty::new(&formulas, formula, &atoms).with_fairness(random_fairness(rng, net))
}

#[test]
fn exactly_the_existing_runs_are_found() {
    let (mut found, mut none, mut open_ended, mut fair) = (0, 0, 0, 0);
    for seed in 0..2000 {
        let mut rng = Rng::with_seed(seed);
        let kind = [RandomKind::Bounded, RandomKind::OneSafe][rng.usize(..2)];
        let net = random(seed, &Shape { kind, ..Shape::small(seed) });
        let properties: Vec<RunProperty> = (0..4).map(|_| property(&mut rng, &net)).collect();
        let (facts, budget) = (Facts::empty(&net), Budget::unlimited());
        let mut lassos = RunGraph::new(&net, &facts, &properties, rng.u64(..3), &budget).unwrap();
        for property in &properties {
            let meant = property.with_fairness_in_formula();
            let Some(system) = system(&net, &meant, 300) else { continue };
            let mut formulas = meant.formulas().clone();
            let automaton =
                Automaton::of(&mut formulas, meant.formula(), AutomatonLimits::default()).unwrap();
            let nothing = system.and(&automaton, AutomatonLimits::default()).unwrap().is_empty();
            let Some(run) = lassos.find(property).unwrap() else {
                assert!(nothing, "seed {seed}: a run is missed");
                none += 1;
                continue;
            };
            assert!(!nothing, "seed {seed}: no run has the property");
            match (&run.end, check_lasso(&net, property, &run, &mut || true)) {
                (RunEnd::Anything, Ok(())) => open_ended += 1,
                (_, Ok(())) => {
                    found += 1;
                    fair += usize::from(!property.fairness().is_none());
                }
                (_, Err(flaw)) => panic!("seed {seed}: {run:?}: {flaw}"),
            }
        }
    }
    assert!(found > 300 && none > 300 && open_ended > 300, "{found} {none} {open_ended}");
    assert!(fair > 100, "{fair}");
}

/// The value of an atom must not depend on the current width of the packed token counts. With one
/// bit for `p`, the atom `p >= 2` is compiled to false, and its test does not depend on deadness.
#[test]
fn conditions_with_deadness_survive_the_widening_of_fields() {
    let net = parikh_net::text::parse("net n\nplace p\ntransition t: -> p").unwrap();
    let p = net.place_named("p").unwrap();
    for positive in [true, false] {
        let many = Predicate::and([Predicate::at_least(p, 2), Predicate::NotDead]);
        let atom = if positive { many } else { many.negated() };
        let mut formulas = Ltl::default();
        let literal = formulas.literal(Literal { atom: AtomId(0), positive });
        let later = (0..2).fold(literal, |after, _| formulas.next(Linear, after));
        let property = RunProperty::new(&formulas, later, &[RunAtom::Holds(atom)]);
        let (facts, budget) = (Facts::empty(&net), Budget::unlimited());
        let asked = std::slice::from_ref(&property);
        let mut lassos = RunGraph::new(&net, &facts, asked, 0, &budget).unwrap();
        assert!(lassos.find(&property).unwrap().is_some(), "{positive}");
    }
}
