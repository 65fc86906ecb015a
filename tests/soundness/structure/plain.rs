//! Random small nets, their reachable markings, and dense exact elimination, as simple references
//! for the structural algorithms.

use crate::support::scale::scaled;
use parikh::net::{Marking, Net, PlaceId, text};
use std::collections::HashSet;

/// The shape of a random net.
pub(crate) struct RandomShape {
    /// Maximal number of places and of transitions. The minimum is one.
    pub(crate) nodes: usize,
    /// The largest arc weight.
    pub(crate) weight: u64,
}

/// Returns a random net, parsed from the textual format so that a failing test can print it.
pub(crate) fn random_net(random: &mut fastrand::Rng, shape: &RandomShape) -> Net {
    let places = random.usize(1..=shape.nodes);
    let transitions = random.usize(1..=shape.nodes);
    let mut net = String::new();
    for p in 0..places {
        net += &format!("place p{p} {}\n", random.u64(0..=2));
    }
    for t in 0..transitions {
        let mut side = || {
            let arcs = random.usize(0..=places.min(3)).max(random.usize(0..=1));
            let arc = |_| {
                let weight = if random.bool() { 1 } else { random.u64(1..=shape.weight) };
                format!("{weight}*p{}", random.usize(0..places))
            };
            (0..arcs).map(arc).collect::<Vec<_>>().join(" + ")
        };
        let (input, output) = (side(), side());
        net += &format!("transition t{t}: {input} -> {output}\n");
    }
    text::parse(&net).unwrap()
}

/// Returns random nets by seed; `count` is their number at scale 1.
pub(crate) fn nets(seed: u64, count: u64, shape: RandomShape) -> impl Iterator<Item = Net> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..scaled(count)).map(move |_| random_net(&mut random, &shape))
}

/// Returns the reachable markings in the order of a breadth-first search. The flag is true if these
/// are all.
pub(crate) fn reachable(net: &Net, limit: usize) -> (Vec<Marking>, bool) {
    let mut known = HashSet::from([net.initial().clone()]);
    let mut markings = vec![net.initial().clone()];
    let mut next = 0;
    while next < markings.len() {
        for t in net.transitions() {
            let mut marking = markings[next].clone();
            if net.fire(&mut marking, t).is_ok() && known.insert(marking.clone()) {
                markings.push(marking);
            }
        }
        if markings.len() > limit {
            return (markings, false);
        }
        next += 1;
    }
    (markings, true)
}

/// Returns the incidence matrix, with places as rows and all transitions as columns.
pub(crate) fn dense_incidence(net: &Net) -> Vec<Vec<i128>> {
    let entry = |p, t| i128::from(net.post_weight(t, p)) - i128::from(net.pre_weight(t, p));
    net.places().map(|p| net.transitions().map(|t| entry(p, t)).collect()).collect()
}

/// Returns a basis of { y : y·rows = 0 }, by Gaussian elimination on (rows | I).
pub(crate) fn dense_null_space(rows: &[Vec<i128>]) -> Vec<Vec<i128>> {
    let width = rows.first().map_or(0, Vec::len);
    let unit = |at: usize| (0..rows.len()).map(move |i| i128::from(i == at));
    let mut table: Vec<Vec<i128>> = rows
        .iter()
        .enumerate()
        .map(|(at, row)| row.iter().copied().chain(unit(at)).collect())
        .collect();
    let mut done = 0;
    for column in 0..width {
        let Some(pivot) = (done..table.len()).find(|&at| table[at][column] != 0) else { continue };
        table.swap(done, pivot);
        let pivot = table[done].clone();
        for row in &mut table[done + 1..] {
            let (a, b) = (pivot[column], row[column]);
            row.iter_mut().zip(&pivot).for_each(|(x, y)| *x = *x * a - *y * b);
            let gcd = row.iter().fold(0, |gcd, &x| gcd_of(gcd, x)).max(1);
            row.iter_mut().for_each(|x| *x /= gcd);
        }
        done += 1;
    }
    table[done..].iter().map(|row| row[width..].to_vec()).collect()
}

/// Returns the rank of the matrix `rows`.
pub(crate) fn rank(rows: &[Vec<i128>]) -> usize {
    rows.len() - dense_null_space(rows).len()
}

fn gcd_of(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd_of(b, a % b) }
}

/// Returns all subsets of `0..count`, each ascending.
pub(crate) fn subsets(count: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..1_usize << count).map(move |bits| (0..count).filter(|at| bits >> at & 1 == 1).collect())
}

/// Converts indices to places.
pub(crate) fn places(set: &[usize]) -> Vec<PlaceId> {
    set.iter().copied().map(PlaceId::new).collect()
}
