//! Enumeration of all minimal siphons or traps.
//!
//! A SAT solver finds a non-empty closed set over one variable per place. The set is reduced to a
//! minimal one, whose supersets are then excluded. "Unsatisfiable" means that the enumeration is
//! complete. There may be exponentially many sets, so there is a limit and a budget.
//!
//! # Sources
//! O. Oanea, H. Wimmel, K. Wolf, *New algorithms for deciding the siphon-trap property*, Petri Nets
//! 2010.

use super::closed::{ClosureKind, minimise_within};
use super::semiflows::IncompleteReason;
use parikh_net::{Net, PlaceId};
use parikh_solvers::cnf::Literal;
use parikh_solvers::sat::{SatAnswer, SatSolver};
use parikh_solvers::sat_batsat::BatSat;
use parikh_solvers::{Budget, ExhaustionReason};

/// Minimal siphons or traps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinimalSets {
    /// Minimal non-empty closed sets, each with ascending places; the list is sorted.
    pub sets: Vec<Vec<PlaceId>>,
    /// The reason why the list may be incomplete; `None` if it is complete.
    pub incomplete: Option<IncompleteReason>,
}

impl MinimalSets {
    /// Returns true if the list is complete.
    pub fn is_complete(&self) -> bool {
        self.incomplete.is_none()
    }
}

/// Returns the minimal siphons (or traps), at most `limit`. The list counts as incomplete if it has
/// `limit` sets or the budget ends.
pub fn minimal_sets(net: &Net, kind: ClosureKind, limit: usize, budget: &Budget) -> MinimalSets {
    let all_places: Vec<PlaceId> = net.places().collect();
    minimal_sets_where(net, kind, &all_places, |_| true, limit, budget)
}

/// Returns the minimal siphons (or traps) that consist of places of `within` (ascending) and that
/// `is_wanted` accepts, at most `limit`. The list counts as incomplete if it has `limit` sets or
/// the budget ends.
pub fn minimal_sets_where(
    net: &Net,
    kind: ClosureKind,
    within: &[PlaceId],
    is_wanted: impl Fn(&[PlaceId]) -> bool,
    limit: usize,
    budget: &Budget,
) -> MinimalSets {
    let mut solver = BatSat::new();
    closure_clauses(net, kind, &mut |clause| solver.add_clause(clause));
    for p in net.places().filter(|p| within.binary_search(p).is_err()) {
        solver.add_clause(&[!in_set(p)]);
    }
    let mut sets = Vec::new();
    let incomplete = loop {
        if sets.len() >= limit {
            // Another solver call would be needed to know whether the list is complete.
            break Some(IncompleteReason::Limit(limit));
        }
        match solver.solve(&[], budget) {
            SatAnswer::NoAnswer(reason) => break Some(IncompleteReason::Budget(reason)),
            SatAnswer::Unsatisfiable { .. } => break None,
            SatAnswer::Satisfiable(values) => {
                let set = set_under(net, &values);
                let set = minimise_within(net, kind, &set, |_| true, Some(budget));
                let Some(set) = set else {
                    let reason = budget.exhausted().unwrap_or(ExhaustionReason::Time);
                    break Some(IncompleteReason::Budget(reason));
                };
                solver.add_clause(&excludes_supersets(&set));
                // Excluding the supersets of this set loses nothing: they are not minimal.
                if is_wanted(&set) {
                    sets.push(set);
                }
            }
        }
    };
    sets.sort_unstable();
    MinimalSets { sets, incomplete }
}

/// Returns the variable "`p` is in the set" as a literal.
pub(super) fn in_set(p: PlaceId) -> Literal {
    Literal::new(p.index() as u32, true)
}

/// Returns the set described by these values, ascending.
pub(super) fn set_under(net: &Net, values: &[bool]) -> Vec<PlaceId> {
    // Places without a value occur in no clause, so they can be left out.
    net.places().filter(|&p| in_set(p).evaluate(values) == Some(true)).collect()
}

/// Returns the clause that the set does not contain all of `places`.
pub(super) fn excludes_supersets(places: &[PlaceId]) -> Vec<Literal> {
    places.iter().map(|&p| !in_set(p)).collect()
}

/// Adds clauses for a non-empty closed set.
pub(super) fn closure_clauses(
    net: &Net,
    kind: ClosureKind,
    add_clause: &mut dyn FnMut(&[Literal]),
) {
    // The set has at least one place.
    add_clause(&net.places().map(in_set).collect::<Vec<_>>());
    for t in net.transitions() {
        let needed_arcs = kind.needed(net, t);
        for cause in kind.causing(net, t) {
            // A self-loop satisfies the condition by itself.
            if needed_arcs.binary_search_by_key(&cause.place, |arc| arc.place).is_ok() {
                continue;
            }
            let mut clause = vec![!in_set(cause.place)];
            clause.extend(needed_arcs.iter().map(|arc| in_set(arc.place)));
            add_clause(&clause);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn two_rings_through_one_place_are_two_minimal_siphons() {
        let net = text::parse(
            "place c 1\nplace p\nplace q\n\
             transition a: c -> p\ntransition b: p -> c\n\
             transition d: c -> q\ntransition e: q -> c",
        )
        .unwrap();
        // c needs both p and q: the ring through both is one siphon.
        let found = minimal_sets(&net, ClosureKind::Siphon, 9, &Budget::unlimited());
        assert!(found.is_complete());
        assert_eq!(found.sets, [[0, 1, 2].map(PlaceId::new).to_vec()]);
        // Nothing within p and q, and nothing unmarked.
        let within = [1, 2].map(PlaceId::new);
        let budget = Budget::unlimited();
        let none = minimal_sets_where(&net, ClosureKind::Siphon, &within, |_| true, 9, &budget);
        assert!(none.is_complete() && none.sets.is_empty());
        let unwanted = |set: &[PlaceId]| set.is_empty();
        let all = [0, 1, 2].map(PlaceId::new);
        let none = minimal_sets_where(&net, ClosureKind::Siphon, &all, unwanted, 9, &budget);
        assert!(none.is_complete() && none.sets.is_empty());
        let none = minimal_sets(&net, ClosureKind::Trap, 0, &Budget::unlimited());
        assert_eq!(none.incomplete, Some(IncompleteReason::Limit(0)));
    }
}
