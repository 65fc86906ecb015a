//! Diagrams of markings as evidence: those that are found are accepted, and whatever is accepted holds every
//! reachable marking.

use crate::support::oracle::{Limits, explore as enumerate};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::engine::diagrams::confirm::closed_set;
use parikh::engine::diagrams::explore;
use parikh::evidence::closed_set::ClosedSet;
use parikh::net::generate::{Shape, random};
use parikh::net::{LinearSum, Net, PlaceId, text};
use parikh::solvers::Budget;
use std::collections::HashSet;

/// All vectors of a set that the checker accepted, as markings; `None` for more than `most`.
fn members(set: &ClosedSet, most: usize) -> Option<HashSet<Vec<u64>>> {
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

/// What can be wrong with a diagram.
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

fn pick<'s>(rng: &mut Rng, set: &'s mut ClosedSet) -> &'s mut (u64, u32, u32) {
    let at = rng.usize(0..set.nodes.len());
    &mut set.nodes[at]
}

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
    let mut nets = 0;
    for seed in 0..scaled(600) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = enumerate(&net, Limits { states: 500, tokens: 40 }) else { continue };
        if net.place_count() == 0 || space.states() < 2 {
            continue;
        }
        nets += 1;
        let context = || text::print(&net);
        let set = found(&net);
        let checked =
            set.check(&net, u64::MAX).unwrap_or_else(|flaw| panic!("{flaw}: {}", context()));
        assert_eq!(checked.markings(), space.states().into(), "{}", context());
        let all = LinearSum::new(net.places().map(|p| (p, 1))).unwrap();
        assert_eq!(checked.most(&all), Some(space.most_in_marking() as i128), "{}", context());
        let reachable = members(&set, usize::MAX).unwrap();
        assert_eq!(reachable.len(), space.states());
        assert!(set.check(&net, 0).is_err(), "no work was allowed");
        for (number, (_, mutate)) in MUTATIONS.iter().enumerate() {
            let mut mutant = set.clone();
            mutate(&mut rng, &mut mutant);
            match mutant.check(&net, u64::MAX) {
                Err(_) => refused[number] += 1,
                Ok(_) => {
                    let Some(members) = members(&mutant, 100_000) else { continue };
                    assert!(members.is_superset(&reachable), "{mutant:?}: {}", context());
                }
            }
        }
        // A member less: a right diagram of a set that is not closed.
        let gone = reachable.iter().nth(rng.usize(0..reachable.len())).unwrap();
        let rest = diagram(&net, reachable.iter().filter(|marking| *marking != gone));
        assert!(rest.check(&net, u64::MAX).is_err(), "without {gone:?}: {}", context());
    }
    for ((kind, _), refused) in MUTATIONS.iter().zip(refused) {
        // Many leave out or add only what cannot be reached, or nothing at all.
        assert!(refused * 6 > nets, "{kind}: {refused} of {nets} refused");
    }
}

/// The diagram of some markings, in the order of the net's places.
fn diagram<'m>(net: &Net, markings: impl Iterator<Item = &'m Vec<u64>>) -> ClosedSet {
    let mut markings: Vec<&Vec<u64>> = markings.collect();
    markings.sort();
    let mut set =
        ClosedSet { order: net.places().collect::<Vec<PlaceId>>(), nodes: Vec::new(), root: 0 };
    set.root = chain(&mut set.nodes, &markings, 0, net.place_count());
    set
}

/// The node of sorted vectors from a level on.
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
