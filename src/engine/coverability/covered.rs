//! Proofs from a complete tree: what it covers is an inductive invariant.
//!
//! Every reachable marking has no more tokens than one of the kept nodes n, and no firing leads out
//! of what these cover. As clauses that is said of the markings that are *not* covered: there are
//! finitely many least ones, b, and a marking is covered if it is at least as large as none of
//! them, which is a clause for each: m(p) < b(p) for one of its places. They are found node by
//! node. What n does not cover has more than n(p) tokens on some place p, so a least marking b that
//! n covers gives way to those that have n(p) + 1 tokens on one more place, and are least.
//!
//! ```text
//! covered by  a 1, c ω  or  b 1, c ω         a(m) < 2 · b(m) < 2 · a(m) < 1 or b(m) < 1
//! ```
//!
//! # Soundness
//! None is owed: the document is checked. It stands, by unit propagation alone: if t leads from m
//! to a marking that is at least b, then m is at least max(pre(t), b − δ(t)), which is not covered
//! either, or t would lead out; so it is at least some b′, and all of its clause is false.

use super::tree::Tree;
use crate::evidence::Document;
use crate::evidence::certificate::{Bounds, Induction};
use crate::graph::omega::OMEGA;
use parikh_net::{Atom, LinearSum, Net, PlaceId, Predicate};
use std::collections::{BTreeMap, HashMap};

/// Clauses of the largest document.
const CLAUSES: usize = 400;

/// Comparisons, about, on the way to it.
const PATIENCE: usize = 4_000_000;

/// Tokens by place that a marking has at least; 0 where not listed.
pub(super) type Least = BTreeMap<PlaceId, u64>;

/// The least markings that are not covered by any kept node. Nothing where they are too many.
pub(super) fn least_uncovered(tree: &Tree<'_>) -> Option<Vec<Least>> {
    let mut least = vec![Least::new()];
    let mut work = 0;
    for node in tree.kept() {
        let (covered, mut rest): (Vec<Least>, Vec<Least>) =
            least.into_iter().partition(|it| covers(node, it));
        let finite = || (0..node.len()).filter(|&place| node[place] != OMEGA);
        for one in covered {
            for place in finite() {
                let mut more = one.clone();
                more.insert(PlaceId::new(place), node[place] + 1);
                work += rest.len() + more.len();
                if work > PATIENCE {
                    return None;
                }
                if !rest.iter().any(|it| is_within(it, &more)) {
                    rest.retain(|it| !is_within(&more, it));
                    rest.push(more);
                }
            }
        }
        if rest.len() > CLAUSES {
            return None;
        }
        least = rest;
    }
    Some(least)
}

fn covers(node: &[u64], least: &Least) -> bool {
    least.iter().all(|(place, &tokens)| tokens <= node[place.index()])
}

/// Whether all that has `other` has `one`.
fn is_within(one: &Least, other: &Least) -> bool {
    one.iter().all(|(place, tokens)| other.get(place).is_some_and(|more| tokens <= more))
}

/// Whether no marking that is covered has so many tokens.
pub(super) fn excludes(tree: &Tree<'_>, least: &Least) -> bool {
    tree.kept().all(|node| !covers(node, least))
}

/// The most that a sum comes to if each of its places has as many tokens as it ever has; nothing
/// where that is without bound, or the sum subtracts.
pub(super) fn most(tree: &Tree<'_>, sum: &LinearSum) -> Option<i128> {
    let of_term = |&(place, a): &(PlaceId, i64)| {
        let most = tree.kept().map(|node| node[place.index()]).max()?;
        (a > 0 && most != OMEGA).then(|| i128::from(a) * i128::from(most))
    };
    sum.terms().iter().map(of_term).sum()
}

/// What a marking has at least in which the predicate holds, as far as a conjunction says.
pub(super) fn least_of(net: &Net, predicate: &Predicate) -> Least {
    let mut least = Least::new();
    collect(net, predicate, &mut least);
    least
}

fn collect(net: &Net, predicate: &Predicate, least: &mut Least) {
    let mut at_least = |place: PlaceId, tokens: u64| {
        let known = least.entry(place).or_default();
        *known = tokens.max(*known);
    };
    match predicate {
        Predicate::Enabled(t) => {
            net.pre(*t).iter().for_each(|arc| at_least(arc.place, arc.weight));
        }
        // a·m(p) ≤ k with a < 0: m(p) ≥ −k / |a|, rounded up.
        Predicate::Atom(Atom { sum, bound }) => {
            if let [(place, a @ ..0)] = sum.terms() {
                let tokens = -i128::from(*bound).div_euclid(-i128::from(*a));
                if let Ok(tokens) = u64::try_from(tokens) {
                    at_least(*place, tokens);
                }
            }
        }
        Predicate::And(parts) => parts.iter().for_each(|part| collect(net, part, least)),
        _ => {}
    }
}

/// The document that says a clause for each of these markings, that nothing is as large.
pub(super) fn document(uncovered: &[Least]) -> Option<Document> {
    let (mut atoms, mut variables) = (Vec::new(), HashMap::new());
    let mut clauses = Vec::new();
    for least in uncovered {
        let mut clause = Vec::new();
        for (&place, &tokens) in least {
            let bound = i64::try_from(tokens - 1).ok()?;
            let next = i32::try_from(atoms.len() + 1).ok()?;
            let variable = *variables.entry((place, bound)).or_insert_with(|| {
                atoms.push(Atom { sum: LinearSum::place(place), bound });
                next
            });
            clause.push(variable);
        }
        clauses.push(clause);
    }
    let bounds = Bounds { assumes_units: false, steps: Vec::new() };
    let (remainders, steps, ending) = (Vec::new(), Vec::new(), Vec::new());
    Some(Document::Induction(Induction { bounds, atoms, remainders, clauses, steps, ending }))
}
