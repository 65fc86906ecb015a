//! Runs of unbounded nets, against an evaluator on the coverability graph, as far as it decides.
//!
//! The evaluator differs from the engines. It uses the product of the whole coverability graph with
//! an automaton, in which atoms about places with ω have any value. The product admits every run,
//! so no run exists if no component has all marks. A run exists if a search of few markings finds a
//! cycle, apart from places that no atom reads and no transition takes from.

use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::answer::Plan;
use parikh::board::{Knowledge, RunKnowledge};
use parikh::engine::registry::ENGINES;
use parikh::graph::coverability::Coverability;
use parikh::graph::omega::OMEGA;
use parikh::net::run_property::{RunAtom, RunProperty};
use parikh::net::{Atom, Goal, Marking, Net, PlaceId, Predicate, TransitionId};
use parikh::run::{Event, RunConfig, run_net};
use parikh::solvers::Budget;
use parikh_generate::{RandomKind, Shape, random, random_fairness, random_ltl, random_predicate};
use parikh_temporal::{Automaton, AutomatonLimits, Ltl, Marks};
use std::collections::HashMap;
use std::time::Duration;

/// Maximal number of nodes of the graph, and of searched pairs of markings and states.
const MOST: usize = 400;

/// Returns a random net. Returns `None` if the net is bounded, or if its coverability graph is too
/// large.
fn net(seed: u64, rng: &mut Rng) -> Option<Net> {
    let shape = Shape { kind: RandomKind::Free, ..Shape::small(seed) };
    let net = random(seed, &Shape { places: rng.u32(2..6), transitions: rng.u32(2..6), ..shape });
    let graph = Coverability::of(&net, MOST, &Budget::unlimited()).ok()?;
    (!graph.unbounded(&net).is_empty()).then_some(net)
}

fn property(net: &Net, rng: &mut Rng) -> RunProperty {
    let mut atoms: Vec<RunAtom> =
        (0..2).map(|_| RunAtom::Holds(random_predicate(rng, net, 1))).collect();
    atoms.push(match rng.u8(..3) {
        0 => RunAtom::Holds(Predicate::Dead),
        1 => RunAtom::Fires(vec![TransitionId::new(rng.usize(..net.transition_count()))]),
        _ => RunAtom::Holds(Predicate::at_least(
            PlaceId::new(rng.usize(..net.place_count())),
            rng.u64(1..4),
        )),
    });
    let mut formulas = Ltl::default();
    let operators = rng.usize(1..6);
    let formula = random_ltl(&mut formulas, rng, 3, operators);
    RunProperty::new(&formulas, formula, &atoms).with_fairness(random_fairness(rng, net))
}

/// Returns the value of a predicate at a node, if it is the same for all values of ω.
fn value(net: &Net, tokens: &[u64], predicate: &Predicate) -> Option<bool> {
    let held = |place: PlaceId| tokens[place.index()];
    match predicate {
        Predicate::True => Some(true),
        Predicate::False => Some(false),
        Predicate::Enabled(t) => {
            let lacks = net.pre(*t).iter().any(|arc| held(arc.place) < arc.weight);
            let is_open = net.pre(*t).iter().any(|arc| held(arc.place) == OMEGA);
            if lacks { Some(false) } else { (!is_open).then_some(true) }
        }
        Predicate::Disabled(t) => value(net, tokens, &Predicate::Enabled(*t)).map(|it| !it),
        Predicate::NotDead => value(net, tokens, &Predicate::Dead).map(|it| !it),
        Predicate::Dead => {
            let all: Vec<_> =
                net.transitions().map(|t| value(net, tokens, &Predicate::Enabled(t))).collect();
            if all.contains(&Some(true)) {
                return Some(false);
            }
            all.iter().all(|it| *it == Some(false)).then_some(true)
        }
        Predicate::And(parts) => {
            let all: Vec<_> = parts.iter().map(|part| value(net, tokens, part)).collect();
            if all.contains(&Some(false)) {
                return Some(false);
            }
            all.iter().all(|it| *it == Some(true)).then_some(true)
        }
        Predicate::Or(parts) => {
            let none = Predicate::And(parts.iter().map(|part| part.clone().negated()).collect());
            value(net, tokens, &none).map(|it| !it)
        }
        Predicate::Atom(Atom { sum, bound }) => {
            if sum.terms().iter().any(|&(place, _)| held(place) == OMEGA) {
                return None;
            }
            Some(sum.value(&Marking::new(tokens.to_vec())) <= i128::from(*bound))
        }
    }
}

/// An edge between numbered nodes, with its marks.
type NumberedEdge = (usize, usize, Marks);

/// Returns true if a component reachable from node 0 has all marks.
fn accepts(nodes: usize, edges: &[NumberedEdge], automaton: &Automaton) -> bool {
    let mut after = vec![Vec::new(); nodes];
    edges.iter().for_each(|&(from, to, _)| after[from].push(to as u32));
    let next = |node: u32, k: u32| after[node as usize].get(k as usize).copied();
    let of = parikh::net::components::components(nodes as u32, next).component_of;
    let mut marks: HashMap<u32, Marks> = HashMap::new();
    for &(from, to, more) in edges.iter().filter(|(from, to, _)| of[*from] == of[*to]) {
        let all = marks.entry(of[from]).or_insert(Marks::NONE);
        *all = all.or(more);
        let _ = to;
    }
    marks.values().any(|&all| Marks::all(automaton.marks).is_subset(all))
}

/// Returns true if the coverability graph admits a run with the property.
fn is_admitted(
    net: &Net,
    graph: &Coverability,
    property: &RunProperty,
    automaton: &Automaton,
) -> bool {
    let mut numbers = HashMap::from([((0usize, automaton.initial), 0usize)]);
    let (mut nodes, mut edges) = (vec![(0usize, automaton.initial)], Vec::new());
    let mut at = 0;
    while at < nodes.len() {
        let (node, state) = nodes[at];
        let tokens = &graph.nodes[node];
        let fired = graph.edges.iter().filter(|edge| edge.from as usize == node);
        let mut moves: Vec<(Option<TransitionId>, usize)> =
            fired.map(|edge| (Some(edge.transition), edge.to as usize)).collect();
        if value(net, tokens, &Predicate::Dead) != Some(false) {
            moves.push((None, node));
        }
        for (mover, to) in moves {
            for edge in &automaton.states[state] {
                let reads = edge.cube.literals().iter().all(|literal| {
                    let atom = &property.atoms()[literal.atom.0 as usize];
                    let found = match atom {
                        RunAtom::Fires(any) => Some(mover.is_some_and(|t| any.contains(&t))),
                        RunAtom::Holds(it) => value(net, tokens, it),
                    };
                    found.is_none_or(|found| found == literal.positive)
                });
                if reads {
                    let key = (to, edge.target);
                    let number = *numbers.entry(key).or_insert(nodes.len());
                    if number == nodes.len() {
                        nodes.push(key);
                    }
                    edges.push((at, number, edge.marks));
                }
            }
        }
        at += 1;
    }
    accepts(nodes.len(), &edges, automaton)
}

/// Returns true if a search of few markings finds a run with the property. Fairness is part of the
/// property's formula.
fn is_met(net: &Net, property: &RunProperty, automaton: &Automaton) -> bool {
    // The tokens of a place do not matter if no atom reads the place and no transition takes from
    // it. Such places are kept empty, so that a cycle that adds tokens to them closes in this
    // graph.
    let read = property.support(net);
    let is_free = |place: PlaceId| !read.contains(&place) && net.consumers(place).is_empty();
    let first = net.initial().clone();
    let mut numbers = HashMap::from([((first.clone(), automaton.initial), 0usize)]);
    let (mut nodes, mut edges) = (vec![(first, automaton.initial)], Vec::new());
    let mut at = 0;
    while at < nodes.len() && nodes.len() < MOST {
        let (marking, state) = nodes[at].clone();
        let mut moves: Vec<(Option<TransitionId>, Marking)> = Vec::new();
        for t in net.transitions().filter(|&t| net.is_enabled(&marking, t)) {
            let mut next = marking.clone();
            net.fire(&mut next, t).unwrap();
            let kept = net.places().map(|place| if is_free(place) { 0 } else { next[place] });
            moves.push((Some(t), Marking::new(kept.collect())));
        }
        if moves.is_empty() {
            moves.push((None, marking.clone()));
        }
        for (mover, next) in moves {
            let letter = property.letter(net, &marking, mover);
            for edge in automaton.states[state].iter().filter(|edge| edge.cube.holds(&letter)) {
                let key = (next.clone(), edge.target);
                let number = *numbers.entry(key.clone()).or_insert(nodes.len());
                if number == nodes.len() {
                    nodes.push(key);
                }
                edges.push((at, number, edge.marks));
            }
        }
        at += 1;
    }
    accepts(nodes.len(), &edges, automaton)
}

/// Returns true if some run has the property. Returns `None` if it is not decided.
fn truth(net: &Net, graph: &Coverability, property: &RunProperty) -> Option<bool> {
    let property = &property.with_fairness_in_formula();
    let mut formulas = property.formulas().clone();
    let automaton =
        Automaton::of(&mut formulas, property.formula(), AutomatonLimits::default()).ok()?;
    if automaton.states.is_empty() || !is_admitted(net, graph, property, &automaton) {
        return Some(false);
    }
    is_met(net, property, &automaton).then_some(true)
}

#[test]
fn results_about_runs_agree_with_the_coverability_graph() {
    let time = Duration::from_secs(2);
    let (mut decided, mut open, mut found, mut excluded, mut beyond) = (0, 0, 0, 0, 0);
    for seed in 0..scaled(150) {
        let mut rng = Rng::with_seed(seed);
        let Some(net) = net(seed, &mut rng) else { continue };
        let graph = Coverability::of(&net, MOST, &Budget::unlimited()).unwrap();
        let property = property(&net, &mut rng);
        let truth = truth(&net, &graph, &property);
        let config = RunConfig { engines: ENGINES, threads: 1, ..RunConfig::default() };
        let budget = Budget::unlimited().slice(time);
        let mut answer = None;
        let goal = Goal::Run(Box::new(property.clone()));
        let report = run_net(&net, Plan::of_goals(vec![goal]), &config, &budget, |event| {
            if let Event::Settled { knowledge: Knowledge::Run(run), .. } = event {
                answer = Some(matches!(run, RunKnowledge::Exists { .. }));
            }
        });
        assert_eq!(report.faults, 0, "net {seed}");
        if let Some((truth, answer)) = truth.zip(answer) {
            assert_eq!(answer, truth, "net {seed}: {property:?}");
        }
        decided += usize::from(truth.is_some());
        open += usize::from(truth.is_some() && answer.is_none());
        beyond += usize::from(truth.is_none() && answer.is_some());
        found += usize::from(answer == Some(true));
        excluded += usize::from(answer == Some(false));
        if answer.is_none() {
            eprintln!("net {seed} is open, truth {truth:?}");
        }
    }
    eprintln!(
        "{decided} decided, {open} of these open, {found} found, {excluded} excluded; {beyond} more"
    );
    assert!(found > 20 && excluded > 20, "{found} {excluded}");
    assert!(open * 50 <= decided, "{open} of {decided} are open");
}
