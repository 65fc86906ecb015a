//! Proofs from a complete coverability tree: the set of covered markings is an inductive invariant.
//!
//! A kept node n of the tree covers a marking that has at most n's tokens on every place. Every
//! reachable marking is covered by a kept node, and no firing leaves the covered set. The clauses
//! describe the markings that are *not* covered. These have finitely many minimal elements b. A
//! marking is covered exactly if it is at least as large as no b. This gives one clause per b: m(p)
//! < b(p) for some place p. The minimal elements are computed node by node. A marking not covered
//! by n has more than n(p) tokens on some place p. So a minimal element b covered by n is replaced
//! by the markings that have n(p) + 1 tokens on one more place. Only the minimal ones of these are
//! kept.
//!
//! ```text
//! covered by  a 1, c ω  or  b 1, c ω         a(m) < 2 · b(m) < 2 · a(m) < 1 or b(m) < 1
//! ```
//!
//! # Soundness
//! The certificate is checked independently. Unit propagation alone confirms it. Suppose t leads
//! from m to a marking that is at least b. Then m is at least max(pre(t), b − δ(t)), which is not
//! covered either, since otherwise t would leave the covered set. So m is at least some b′, and all
//! literals of its clause are false.

use super::tree::Tree;
use parikh_evidence::Document;
use parikh_evidence::certificate::{BoundsCertificate, Induction};
use parikh_net::{Atom, LinearSum, Net, PlaceId, Predicate};
use parikh_structure::graph::omega::OMEGA;
use std::collections::{BTreeMap, HashMap};

/// Limit on the number of clauses of a certificate.
const MAX_CLAUSES: usize = 400;

/// Limit on the approximate number of comparisons for computing the uncovered markings.
const MAX_WORK: usize = 4_000_000;

/// Minimum token counts by place, which describe a smallest marking. Places without an entry have
/// minimum 0.
pub(super) type MinimumTokens = BTreeMap<PlaceId, u64>;

/// Returns the minimal markings that the kept nodes of the tree do not cover. Returns `None` if the
/// work exceeds [`MAX_WORK`], or if more than [`MAX_CLAUSES`] minimal markings remain after some
/// node.
pub(super) fn minimal_uncovered(tree: &Tree<'_>) -> Option<Vec<MinimumTokens>> {
    let mut uncovered = vec![MinimumTokens::new()];
    let mut work = 0;
    for node in tree.kept_nodes() {
        let (covered, mut minimal): (Vec<MinimumTokens>, Vec<MinimumTokens>) =
            uncovered.into_iter().partition(|element| covers(node, element));
        let finite = || (0..node.len()).filter(|&place| node[place] != OMEGA);
        for base in covered {
            for place in finite() {
                let mut raised = base.clone();
                raised.insert(PlaceId::new(place), node[place] + 1);
                work += minimal.len() + raised.len();
                if work > MAX_WORK {
                    return None;
                }
                if !minimal.iter().any(|element| is_below(element, &raised)) {
                    minimal.retain(|element| !is_below(&raised, element));
                    minimal.push(raised);
                }
            }
        }
        if minimal.len() > MAX_CLAUSES {
            return None;
        }
        uncovered = minimal;
    }
    Some(uncovered)
}

/// Returns true if the node covers the smallest marking with these token counts.
fn covers(node: &[u64], least: &MinimumTokens) -> bool {
    least.iter().all(|(place, &tokens)| tokens <= node[place.index()])
}

/// Returns true if `lower` requires no more tokens than `upper` on any place.
fn is_below(lower: &MinimumTokens, upper: &MinimumTokens) -> bool {
    lower.iter().all(|(place, tokens)| upper.get(place).is_some_and(|more| tokens <= more))
}

/// Returns true if no marking that the tree covers has at least these token counts.
pub(super) fn excludes(tree: &Tree<'_>, least: &MinimumTokens) -> bool {
    tree.kept_nodes().all(|node| !covers(node, least))
}

/// Returns an upper bound of a sum over all markings that the tree covers: the value of the sum
/// with the maximum of each place. Returns `None` if a place of the sum is unbounded, or if a
/// coefficient is not positive.
pub(super) fn upper_bound(tree: &Tree<'_>, sum: &LinearSum) -> Option<i128> {
    let max_of_term = |&(place, a): &(PlaceId, i64)| {
        let max_tokens = tree.kept_nodes().map(|node| node[place.index()]).max()?;
        (a > 0 && max_tokens != OMEGA).then(|| i128::from(a) * i128::from(max_tokens))
    };
    sum.terms().iter().map(max_of_term).sum()
}

/// Returns the minimum token counts that a predicate requires, as far as they follow from single
/// conjuncts about one place or an enabled transition.
pub(super) fn required_tokens(net: &Net, predicate: &Predicate) -> MinimumTokens {
    let mut minimum_tokens = MinimumTokens::new();
    collect_required(net, predicate, &mut minimum_tokens);
    minimum_tokens
}

fn collect_required(net: &Net, predicate: &Predicate, least: &mut MinimumTokens) {
    let mut require = |place: PlaceId, tokens: u64| {
        let minimum = least.entry(place).or_default();
        *minimum = tokens.max(*minimum);
    };
    match predicate {
        Predicate::Enabled(t) => {
            net.pre(*t).iter().for_each(|arc| require(arc.place, arc.weight));
        }
        // a·m(p) ≤ k with a < 0 means m(p) ≥ −k / |a|, rounded up.
        Predicate::Atom(Atom { sum, bound }) => {
            if let [(place, a @ ..0)] = sum.terms() {
                let tokens = -i128::from(*bound).div_euclid(-i128::from(*a));
                if let Ok(tokens) = u64::try_from(tokens) {
                    require(*place, tokens);
                }
            }
        }
        Predicate::And(conjuncts) => {
            conjuncts.iter().for_each(|conjunct| collect_required(net, conjunct, least))
        }
        _ => {}
    }
}

/// Returns the certificate that every reachable marking has fewer tokens than each given marking b
/// on some place. It has one clause per b. Returns `None` if a number does not fit the
/// certificate's number types.
pub(super) fn certificate(uncovered: &[MinimumTokens]) -> Option<Document> {
    let (mut atoms, mut variables) = (Vec::new(), HashMap::new());
    let mut clauses = Vec::new();
    for tokens_required in uncovered {
        let mut clause = Vec::new();
        for (&place, &tokens) in tokens_required {
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
    let bounds = BoundsCertificate { assumes_units: false, steps: Vec::new() };
    let (remainders, steps, ending) = (Vec::new(), Vec::new(), Vec::new());
    Some(Document::Induction(Induction { bounds, atoms, remainders, clauses, steps, ending }))
}
