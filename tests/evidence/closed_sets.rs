//! Decision diagrams of markings as evidence: correct diagrams are accepted, and every accepted set
//! contains all reachable markings.

use crate::support::oracle::{OracleLimits, explore as enumerate};
use crate::support::scale::scaled;
use crate::support::trees;
use fastrand::Rng;
use num_bigint::BigUint;
use parikh::engine::diagrams::confirm::closed_set;
use parikh::engine::diagrams::explore;
use parikh::evidence::Flaw;
use parikh::evidence::certificate::closed_set::{ClosedSet, ClosedSetFlaw};
use parikh::net::{Goal, LinearSum, Net, PlaceId, Predicate, TransitionId, TreeProperty, text};
use parikh::solvers::Budget;
use parikh_generate::{Shape, random, random_ctl, random_goals, random_predicate};
use parikh_temporal::Ctl;
use std::collections::HashSet;

/// Returns all members of an accepted set, as markings. Returns `None` if there are more than
/// `most`.
fn members(set: &ClosedSet, most: usize) -> Option<HashSet<Vec<u64>>> {
    // Index 0 is the empty set and index 1 the set of the empty vector. Listed nodes follow.
    let mut of_node: Vec<Vec<Vec<u64>>> = vec![vec![], vec![vec![]]];
    for &(value, down, right) in &set.nodes {
        let longer = of_node[down as usize].iter().map(|end| [&[value], &end[..]].concat());
        let all: Vec<Vec<u64>> = longer.chain(of_node[right as usize].iter().cloned()).collect();
        if all.len() > most {
            return None;
        }
        of_node.push(all);
    }
    let as_marking = |vector: &Vec<u64>| {
        let mut marking = vec![0; vector.len()];
        set.order.iter().zip(vector).for_each(|(p, &tokens)| marking[p.index()] = tokens);
        marking
    };
    Some(of_node[set.root as usize].iter().map(as_marking).collect())
}

/// A named mutation of a diagram.
type Mutation = (&'static str, fn(&mut Rng, &mut ClosedSet));

const MUTATIONS: [Mutation; 20] = [
    ("a value is one larger", |rng, set| pick(rng, set).0 += 1),
    ("a value is one smaller", |rng, set| {
        let node = pick(rng, set);
        node.0 = node.0.saturating_sub(1);
    }),
    ("a value is very large", |rng, set| pick(rng, set).0 = u64::MAX),
    ("nothing is to the right", |rng, set| pick(rng, set).2 = 0),
    ("the empty vector is to the right", |rng, set| pick(rng, set).2 = 1),
    ("nothing is below", |rng, set| pick(rng, set).1 = 0),
    ("the empty vector is below", |rng, set| pick(rng, set).1 = 1),
    ("another node is below", |rng, set| {
        let other = any(rng, set);
        pick(rng, set).1 = other;
    }),
    ("another node is to the right", |rng, set| {
        let other = any(rng, set);
        pick(rng, set).2 = other;
    }),
    ("below and right are exchanged", |rng, set| {
        let node = pick(rng, set);
        (node.1, node.2) = (node.2, node.1);
    }),
    ("a node is its own right", |rng, set| {
        let at = rng.usize(0..set.nodes.len());
        set.nodes[at].2 = at as u32 + 2;
    }),
    ("a node is below itself", |rng, set| {
        let at = rng.usize(0..set.nodes.len());
        set.nodes[at].1 = at as u32 + 2;
    }),
    ("a node refers beyond the last", |rng, set| pick(rng, set).1 = u32::MAX),
    ("two nodes are exchanged", |rng, set| {
        let (a, b) = (rng.usize(0..set.nodes.len()), rng.usize(0..set.nodes.len()));
        set.nodes.swap(a, b);
    }),
    ("the last node is missing", |_, set| {
        set.nodes.pop();
    }),
    ("the root is another node", |rng, set| set.root = any(rng, set)),
    ("the root is the empty set", |_, set| set.root = 0),
    ("two places are exchanged", |rng, set| {
        let (a, b) = (rng.usize(0..set.order.len()), rng.usize(0..set.order.len()));
        set.order.swap(a, b);
    }),
    ("a place has two levels", |rng, set| {
        let at = rng.usize(0..set.order.len());
        set.order[at] = set.order[(at + 1) % set.order.len()];
    }),
    ("a place has no level", |_, set| {
        set.order.pop();
    }),
];

/// A named way to make a wrong set of markings for a net. The function receives the reachable
/// markings and returns the members of the wrong set, whose diagram is then correct.
type SetMutation = (&'static str, fn(&mut Rng, &Net, &HashSet<Vec<u64>>) -> HashSet<Vec<u64>>);

const SLIPS: [SetMutation; 6] = [
    ("a member is missing", |rng, _, all| {
        let gone = all.iter().nth(rng.usize(0..all.len())).unwrap();
        all.iter().filter(|marking| *marking != gone).cloned().collect()
    }),
    ("the initial marking is missing", |_, net, all| {
        let initial = tokens(net);
        all.iter().filter(|marking| **marking != initial).cloned().collect()
    }),
    ("one transition was forgotten", |rng, net, all| {
        let forgotten = rng.usize(0..net.transition_count().max(1));
        let rest = net.transitions().filter(|t| t.index() != forgotten);
        closed(net, &rest.collect::<Vec<_>>(), tokens(net), all.len())
    }),
    ("a bound is one lower", |rng, net, all| {
        let place = rng.usize(0..net.place_count());
        let most = all.iter().map(|marking| marking[place]).max().unwrap();
        all.iter().filter(|marking| marking[place] < most).cloned().collect()
    }),
    ("it is that of another initial marking", |rng, net, all| {
        let from = all.iter().nth(rng.usize(0..all.len())).unwrap();
        closed(net, &net.transitions().collect::<Vec<_>>(), from.clone(), all.len())
    }),
    ("all members have one token more", |rng, net, all| {
        let place = rng.usize(0..net.place_count());
        let more = |marking: &Vec<u64>| {
            let mut marking = marking.clone();
            marking[place] += 1;
            marking
        };
        all.iter().map(more).collect()
    }),
];

fn tokens(net: &Net) -> Vec<u64> {
    net.places().map(|p| net.initial()[p]).collect()
}

/// Returns the markings reachable from a marking by some transitions. Asserts that there are at
/// most `most`.
fn closed(
    net: &Net,
    transitions: &[TransitionId],
    from: Vec<u64>,
    most: usize,
) -> HashSet<Vec<u64>> {
    let mut all = HashSet::from([from.clone()]);
    let mut open = vec![from];
    while let Some(marking) = open.pop() {
        for &t in transitions {
            if net.pre(t).iter().any(|arc| marking[arc.place.index()] < arc.weight) {
                continue;
            }
            let mut after = marking.clone();
            for change in net.delta(t) {
                let tokens = &mut after[change.place.index()];
                *tokens = tokens.checked_add_signed(change.delta).unwrap();
            }
            if all.insert(after.clone()) {
                open.push(after);
            }
        }
        assert!(all.len() <= most);
    }
    all
}

fn pick<'s>(rng: &mut Rng, set: &'s mut ClosedSet) -> &'s mut (u64, u32, u32) {
    let at = rng.usize(0..set.nodes.len());
    &mut set.nodes[at]
}

/// Returns the index of a random node. Indices 0 and 1 are no nodes of the list.
fn any(rng: &mut Rng, set: &ClosedSet) -> u32 {
    rng.u32(2..set.nodes.len() as u32 + 2)
}

fn found(net: &Net) -> ClosedSet {
    explore(net, 1, &Budget::unlimited(), |reached| Ok(closed_set(&reached))).unwrap()
}

#[test]
fn mutated_diagrams_are_refused_or_hold_every_reachable_marking() {
    let mut rng = Rng::with_seed(12);
    let mut refused = [0u32; MUTATIONS.len()];
    let (mut nets, mut some, mut slipped) = (0, [0u32; 2], [0u32; SLIPS.len()]);
    for seed in 0..scaled(1_000) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = enumerate(&net, OracleLimits { states: 500, tokens: 40 }) else {
            continue;
        };
        if net.place_count() == 0 || space.states() < 2 {
            continue;
        }
        nets += 1;
        let context = || text::print(&net);
        let set = found(&net);
        let goes_on = &mut || true;
        let checked =
            set.check(&net, goes_on).unwrap_or_else(|flaw| panic!("{flaw}: {}", context()));
        let asked = asked(&net, &mut rng);
        for predicate in &asked {
            let refuted = checked.refutes(&net, predicate, goes_on).is_ok();
            assert_eq!(refuted, !space.reaches(predicate), "{predicate:?}: {}", context());
            some[usize::from(refuted)] += 1;
        }
        assert_eq!(checked.markings(), space.states().into(), "{}", context());
        let all = LinearSum::new(net.places().map(|p| (p, 1))).unwrap();
        assert_eq!(checked.maximum(&all), Some(space.most_in_marking() as i128), "{}", context());
        let reachable = members(&set, usize::MAX).unwrap();
        assert_eq!(reachable.len(), space.states());
        for (number, (_, mutate)) in MUTATIONS.iter().enumerate() {
            let mut mutant = set.clone();
            mutate(&mut rng, &mut mutant);
            match mutant.check(&net, goes_on) {
                Err(_) => refused[number] += 1,
                Ok(checked) => {
                    for predicate in &asked {
                        let refuted = checked.refutes(&net, predicate, &mut || true).is_ok();
                        assert!(!refuted || !space.reaches(predicate), "{mutant:?}: {}", context());
                    }
                    let Some(members) = members(&mutant, 100_000) else { continue };
                    assert!(members.is_superset(&reachable), "{mutant:?}: {}", context());
                }
            }
        }
        // A correct diagram of a set that is not closed, or lacks the initial marking.
        for (number, (slip, wrong)) in SLIPS.iter().enumerate() {
            let members = wrong(&mut rng, &net, &reachable);
            if members.is_superset(&reachable) {
                continue; // it made no difference here
            }
            slipped[number] += 1;
            let rest = diagram(&net, members.iter());
            assert!(rest.check(&net, goes_on).is_err(), "{slip}: {members:?}: {}", context());
        }
    }
    assert!(nets * MUTATIONS.len() as u32 >= 10_000, "{nets} nets");
    for ((slip, _), slipped) in SLIPS.iter().zip(slipped) {
        assert!(slipped * 4 > nets, "{slip}: {slipped} of {nets}");
    }
    for ((kind, _), refused) in MUTATIONS.iter().zip(refused) {
        // Many mutations add or remove only unreachable markings, or nothing.
        assert!(refused * 6 > nets, "{kind}: {refused} of {nets} refused");
    }
    assert!(some[0] > 5 * nets && some[1] > 5 * nets, "asked on {nets} nets: {some:?}");
}

/// Returns predicates to evaluate on a set: random goals, and simple predicates of each kind with
/// their negations.
fn asked(net: &Net, rng: &mut Rng) -> Vec<Predicate> {
    let mut asked = vec![Predicate::Dead, Predicate::NotDead, Predicate::True, Predicate::False];
    for goal in random_goals(rng.u64(..), net, 10) {
        match goal {
            Goal::Reach(predicate) => {
                asked.extend([predicate.clone().negated(), predicate]);
            }
            Goal::Maximise(sum) => {
                let bounds = (-2..6).map(|bound| Predicate::at_most(sum.clone(), bound).negated());
                asked.extend(bounds);
            }
            _ => {}
        }
    }
    for t in net.transitions() {
        asked.extend([Predicate::Enabled(t), Predicate::Disabled(t)]);
    }
    let pair = |rng: &mut Rng| asked[rng.usize(..asked.len())].clone();
    let pairs: Vec<Predicate> = (0..10)
        .flat_map(|_| {
            let [a, b, c] = [pair(rng), pair(rng), pair(rng)];
            [
                Predicate::and([a.clone(), Predicate::or([b.clone(), c.clone()])]),
                Predicate::or([a, Predicate::and([b, c])]),
            ]
        })
        .collect();
    asked.extend(pairs);
    asked
}

/// Returns random properties of the computation tree.
fn properties(rng: &mut Rng, net: &Net, count: usize) -> Vec<TreeProperty> {
    let atoms: Vec<_> = (0..3).map(|_| random_predicate(rng, net, 2).sorted()).collect();
    let mut formulas = Ctl::default();
    let property = |_| {
        let operators = rng.usize(1..8);
        let formula = random_ctl(&mut formulas, rng, 3, operators);
        TreeProperty::new(&formulas, formula, &atoms)
    };
    (0..count).map(property).collect()
}

/// Returns the markings reachable from either start, or `None` if there are more than `most`.
fn closed_together(net: &Net, starts: [Vec<u64>; 2], most: usize) -> Option<HashSet<Vec<u64>>> {
    let mut all = HashSet::from(starts);
    let mut open: Vec<Vec<u64>> = all.iter().cloned().collect();
    while let Some(marking) = open.pop() {
        for t in net.transitions() {
            if net.pre(t).iter().any(|arc| marking[arc.place.index()] < arc.weight) {
                continue;
            }
            let mut after = marking.clone();
            for change in net.delta(t) {
                let tokens = &mut after[change.place.index()];
                *tokens = tokens.checked_add_signed(change.delta)?;
            }
            if all.insert(after.clone()) {
                open.push(after);
            }
        }
        if all.len() > most {
            return None;
        }
    }
    Some(all)
}

/// On a closed set, a formula has the same value in the initial marking as on the net, even with
/// unreachable members. The same holds for a mutated set that is still accepted.
#[test]
fn formulas_of_ctl_are_the_same_on_every_closed_set() {
    let (mut values, mut larger, mut mutants) = ([0, 0], 0, 0);
    for seed in 0..scaled(400) {
        let mut rng = Rng::with_seed(seed);
        let net = random(seed, &Shape::small(seed));
        let Some(space) = enumerate(&net, OracleLimits { states: 200, tokens: 40 }) else {
            continue;
        };
        if net.place_count() == 0 {
            continue;
        }
        let elsewhere: Vec<u64> = net.places().map(|_| rng.u64(0..3)).collect();
        let superset = closed_together(&net, [tokens(&net), elsewhere], 1_000);
        let superset = superset.map(|all| {
            larger += usize::from(all.len() > space.states());
            diagram(&net, all.iter())
        });
        let exact = found(&net);
        let mutated = (0..8).map(|_| {
            let mut mutant = exact.clone();
            MUTATIONS[rng.usize(..MUTATIONS.len())].1(
                &mut Rng::with_seed(rng.u64(..)),
                &mut mutant,
            );
            mutant
        });
        let mutated: Vec<ClosedSet> = mutated.collect();
        let properties = properties(&mut rng, &net, 4);
        let right = [exact].into_iter().chain(superset).map(|set| (set, true));
        for (set, is_right) in right.chain(mutated.into_iter().map(|set| (set, false))) {
            let Ok(checked) = set.check(&net, &mut || true) else {
                assert!(!is_right, "seed {seed}: {}", text::print(&net));
                continue;
            };
            mutants += usize::from(!is_right);
            for property in &properties {
                let holds = trees::holds(&space, property);
                let found = checked.decide_tree(&net, property, &mut || true);
                assert_eq!(found, Ok(holds), "seed {seed}: {property:?}: {}", text::print(&net));
                values[usize::from(holds)] += 1;
            }
        }
    }
    assert!(values[0] > 500 && values[1] > 500 && larger > 50 && mutants > 50, "{values:?}");
}

#[test]
fn a_stopped_check_returns_neither_set_nor_flaw() {
    // In each of twelve pairs of places, 999 tokens move from q to p. The diagram has enough nodes
    // for the check to ask whether it may go on.
    let places: String = (0..12).map(|p| format!("place p{p}\nplace q{p} 999\n")).collect();
    let moves: String = (0..12).map(|p| format!("transition t{p}: q{p} -> p{p}\n")).collect();
    let net = text::parse(&format!("{places}{moves}")).unwrap();
    let set = found(&net);
    assert_eq!(set.check(&net, &mut || false).unwrap_err(), ClosedSetFlaw::Work);
    let checked = set.check(&net, &mut || true).unwrap();
    assert_eq!(checked.markings(), BigUint::from(1000u32).pow(12));
    let all = LinearSum::new(net.places().map(|p| (p, 1))).unwrap();
    // There are always 12 · 999 = 11 988 tokens.
    let odd = Predicate::at_most(all, 11_987);
    assert_eq!(checked.refutes(&net, &odd, &mut || true), Ok(()));
    let p = |at: usize| net.place_named(&format!("p{at}")).unwrap();
    // A reachable condition: all tokens have moved to p0 and none to p5.
    let sum = LinearSum::new([(p(0), 1), (p(5), -1)]).unwrap();
    let even = Predicate::at_most(sum, 998).negated();
    assert_eq!(checked.refutes(&net, &even, &mut || true), Err(Flaw::DoesNotFollow));
    assert_eq!(checked.refutes(&net, &even, &mut || false), Err(Flaw::Stopped));
}

/// Returns the diagram of some markings, in the order of the net's places.
fn diagram<'m>(net: &Net, markings: impl Iterator<Item = &'m Vec<u64>>) -> ClosedSet {
    let mut markings: Vec<&Vec<u64>> = markings.collect();
    markings.sort();
    let mut set =
        ClosedSet { order: net.places().collect::<Vec<PlaceId>>(), nodes: Vec::new(), root: 0 };
    set.root = chain(&mut set.nodes, &markings, 0, net.place_count());
    set
}

/// Adds the nodes for a set of sorted vectors, which are equal above `level`. Returns the index of
/// the first node, or 1 below the last level.
fn chain(
    nodes: &mut Vec<(u64, u32, u32)>,
    sorted: &[&Vec<u64>],
    level: usize,
    levels: usize,
) -> u32 {
    if level == levels {
        return 1;
    }
    let mut right = 0;
    for group in sorted.chunk_by(|a, b| a[level] == b[level]).rev() {
        let down = chain(nodes, group, level + 1, levels);
        nodes.push((group[0][level], down, right));
        right = nodes.len() as u32 + 1;
    }
    right
}
