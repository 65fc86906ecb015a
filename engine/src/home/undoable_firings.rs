//! Reversibility by local arguments: each firing of a transition t can be undone wherever it
//! happens. The undoing sequence needs only the products of t and restores exactly the tokens that
//! t took.
//!
//! ```text
//! left ──t──▶ right      t is undone by u, u by t; whatever else goes on
//! left ◀──u── right
//! ```
//!
//! If the products of t are not sufficient, the sequence may use tokens that must exist somewhere
//! because of a semiflow. For example, a catalyst is either free or bound. If it is bound, it is
//! freed before and bound again after.
//!
//! Then the last firing of any sequence can be undone, then the one before, and so on back to the
//! initial marking. Every reachable marking is reachable from there. For each t a short search goes
//! from its products to its inputs, first with no other tokens. Then it tries one additional token
//! on each place of some semiflow, then two, and so on.
//!
//! # Conditions
//! The conditions of [`parikh_evidence::home::undoable_firings`].

use crate::{Assignment, Engine, ResultKinds, Role, SupportedGoals, stateless_session};
use parikh_evidence::home::HomeArgument;
use parikh_evidence::home::undoable_firings::UndoProof;
use parikh_net::{Arc, Net, PlaceId, TransitionId};
use parikh_solvers::Budget;
use parikh_structure::semiflows::place_semiflows;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// The registry entry of the engine.
pub const ENGINE: Engine = Engine {
    name: "undone",
    technique: "TOPOLOGICAL",
    result_kinds: ResultKinds::Proofs,
    role: Role::Homes,
    supported: SupportedGoals::HOMES,
    start: |work| stateless_session(move |budget| run(&work, budget)),
};

/// Number of markings found in one search beyond which no further marking is expanded.
const MAX_MARKINGS: usize = 2000;

/// Maximum number of searches per transition.
const MAX_SEARCHES: usize = 1000;

/// Maximum number of additional tokens, that is, tokens besides those produced by the transition,
/// that an undoing sequence may use.
const MAX_EXTRA_TOKENS: usize = 5;

/// Maximum number of semiflows tried per failed search.
const MAX_SEMIFLOWS: usize = 6;

/// Limit on the number of rays in the computation of semiflows.
const MAX_RAYS: usize = 2000;

/// Runs the engine and returns a one-line summary.
fn run(assignment: &Assignment<'_>, budget: &Budget) -> String {
    let net = assignment.working_net.net();
    let mut search = UndoingSearch {
        net,
        semiflows: None,
        budget,
        searches_left: 0,
        failed_markings: HashMap::new(),
    };
    let mut proofs = Vec::with_capacity(net.transition_count());
    for t in net.transitions() {
        match search.prove_undoable(t) {
            Some(undoing) => proofs.push(undoing),
            None if budget.is_exhausted() => return "out of time".to_owned(),
            None => return format!("no way found to undo `{}`", net.transition_name(t)),
        }
    }
    assignment
        .board
        .home_reporter("TOPOLOGICAL")
        .report_all_undone(&std::sync::Arc::new(HomeArgument::Undone(proofs)));
    "every firing can be undone".to_owned()
}

/// A marking with few tokens: the token counts of the marked places, by place index.
type SparseMarking = BTreeMap<usize, u64>;

/// A semiflow (place weights with a constant weighted sum of tokens) with the initial value of the
/// sum.
struct ValuedSemiflow {
    /// The places with their positive weights.
    weights: Vec<(PlaceId, u64)>,
    /// The weighted sum in the initial marking.
    initial_value: i128,
}

/// A search for proofs that every firing of a transition can be undone by a firing sequence.
struct UndoingSearch<'a> {
    net: &'a Net,
    /// Semiflows, small ones first. Computed when first needed.
    semiflows: Option<Vec<ValuedSemiflow>>,
    budget: &'a Budget,
    /// Number of remaining searches for the current transition.
    searches_left: usize,
    /// Start markings without a proof for the current transition, with the largest
    /// `max_extra_tokens` for which [`prove_from`](Self::prove_from) failed.
    failed_markings: HashMap<SparseMarking, usize>,
}

impl UndoingSearch<'_> {
    /// Finds a proof that every firing of `t` can be undone. Returns `None` if none is found within
    /// the limits.
    fn prove_undoable(&mut self, t: TransitionId) -> Option<UndoProof> {
        self.searches_left = MAX_SEARCHES;
        self.failed_markings.clear();
        let sparse_marking = |arcs: &[Arc]| -> SparseMarking {
            arcs.iter().map(|arc| (arc.place.index(), arc.weight)).collect()
        };
        let (start, end) = (sparse_marking(self.net.post(t)), sparse_marking(self.net.pre(t)));
        (0..=MAX_EXTRA_TOKENS)
            .find_map(|max_extra_tokens| self.prove_from(&start, &end, max_extra_tokens))
    }

    /// Finds a proof that the tokens of `start` can be turned into exactly the tokens of `target`.
    /// The proof is a firing sequence, or a case distinction over a semiflow. Some place of the
    /// semiflow has a token besides those of `start`. Each case adds one token on one of these
    /// places, to both `start` and `target`, and has its own proof. At most `max_extra_tokens`
    /// tokens are added by nested case distinctions. Returns `None` if no proof is found within the
    /// limits.
    fn prove_from(
        &mut self,
        start: &SparseMarking,
        target: &SparseMarking,
        max_extra_tokens: usize,
    ) -> Option<UndoProof> {
        if self.failed_markings.get(start).is_some_and(|&failed| failed >= max_extra_tokens) {
            return None;
        }
        self.searches_left = self.searches_left.checked_sub(1)?;
        let missing_places = match shortest_sequence(self.net, start, target, self.budget) {
            Ok(steps) => return Some(UndoProof::By(steps)),
            Err(missing_places) => missing_places,
        };
        let semiflow_indices = if max_extra_tokens > 0 {
            self.helpful_semiflows(start, &missing_places)
        } else {
            Vec::new()
        };
        for semiflow in semiflow_indices {
            let weights = self.semiflows.as_ref()?[semiflow].weights.clone();
            let with_token = |marking: &SparseMarking, p: PlaceId| {
                let mut larger = marking.clone();
                *larger.entry(p.index()).or_insert(0) += 1;
                larger
            };
            let case = |&(p, _): &(PlaceId, u64)| {
                self.prove_from(&with_token(start, p), &with_token(target, p), max_extra_tokens - 1)
            };
            if let Some(cases) = weights.iter().map(case).collect() {
                return Some(UndoProof::Cases { sum: weights, cases });
            }
            if self.searches_left == 0 || self.budget.is_exhausted() {
                return None;
            }
        }
        self.failed_markings.insert(start.clone(), max_extra_tokens);
        None
    }

    /// Returns the indices of at most [`MAX_SEMIFLOWS`] semiflows that guarantee a token outside of
    /// `marking`: their initial value exceeds their value in `marking`. Only semiflows with a place
    /// of `missing_places` count. Semiflows whose place is missing most often come first, then
    /// semiflows with few places.
    fn helpful_semiflows(
        &mut self,
        marking: &SparseMarking,
        missing_places: &BTreeMap<PlaceId, usize>,
    ) -> Vec<usize> {
        let (net, budget) = (self.net, self.budget);
        let known_semiflows = self.semiflows.get_or_insert_with(|| semiflows(net, budget));
        let tokens = |p: PlaceId| i128::from(marking.get(&p.index()).copied().unwrap_or(0));
        let mut helpful: Vec<(usize, usize, usize)> = Vec::new();
        for (position, semiflow) in known_semiflows.iter().enumerate() {
            let missing_count = semiflow
                .weights
                .iter()
                .filter_map(|(p, _)| missing_places.get(p))
                .max()
                .copied()
                .unwrap_or(0);
            let weighted =
                semiflow.weights.iter().map(|&(p, weight)| i128::from(weight) * tokens(p));
            if missing_count > 0 && weighted.sum::<i128>() < semiflow.initial_value {
                helpful.push((usize::MAX - missing_count, semiflow.weights.len(), position));
            }
        }
        helpful.sort_unstable();
        helpful.into_iter().take(MAX_SEMIFLOWS).map(|(_, _, position)| position).collect()
    }
}

/// Computes semiflows with their initial values, small ones first, within a limit on time and on
/// the number of rays ([`MAX_RAYS`]). Leaves out semiflows with numbers that are too large.
fn semiflows(net: &Net, budget: &Budget) -> Vec<ValuedSemiflow> {
    let flows = place_semiflows(net, MAX_RAYS, &budget.share(0.3)).flows;
    let sum = |flow: &parikh_structure::flows::PlaceFlow| {
        let weights = flow.terms().iter().map(|(p, weight)| Some((*p, weight.to_u64()?)));
        let weights: Vec<(PlaceId, u64)> = weights.collect::<Option<_>>()?;
        let term =
            |&(p, weight): &(PlaceId, u64)| i128::from(weight).checked_mul(net.initial()[p].into());
        let initial_sum =
            weights.iter().try_fold(0i128, |total, it| total.checked_add(term(it)?))?;
        Some(ValuedSemiflow { weights, initial_value: initial_sum })
    };
    let mut valued_semiflows: Vec<ValuedSemiflow> = flows.iter().filter_map(sum).collect();
    valued_semiflows.sort_by_key(|sum| sum.weights.len());
    valued_semiflows
}

/// Returns a shortest firing sequence from `start` to `end`, by breadth-first search. The search
/// ends when it has found more than [`MAX_MARKINGS`] markings, or when the budget is exhausted. On
/// failure returns the places that alone kept some transition disabled, each with the number of
/// markings and transitions where this happened.
fn shortest_sequence(
    net: &Net,
    start: &SparseMarking,
    end: &SparseMarking,
    budget: &Budget,
) -> Result<Vec<(TransitionId, u64)>, BTreeMap<PlaceId, usize>> {
    let mut predecessors: HashMap<SparseMarking, Option<(SparseMarking, TransitionId)>> =
        HashMap::from([(start.clone(), None)]);
    let mut queue = VecDeque::from([start.clone()]);
    let sources: Vec<TransitionId> = net.transitions().filter(|&t| net.pre(t).is_empty()).collect();
    let mut missing_places: BTreeMap<PlaceId, usize> = BTreeMap::new();
    while let Some(marking) = queue.pop_front() {
        if marking == *end {
            return Ok(sequence_to(&predecessors, marking));
        }
        if predecessors.len() > MAX_MARKINGS || budget.is_exhausted() {
            return Err(missing_places);
        }
        let consumers = marking.keys().flat_map(|&p| net.consumers(PlaceId::new(p)));
        let candidates: BTreeSet<TransitionId> =
            consumers.map(|arc| arc.transition).chain(sources.iter().copied()).collect();
        for candidate in candidates {
            let tokens = |arc: &&Arc| marking.get(&arc.place.index()).copied().unwrap_or(0);
            let mut lacking = net.pre(candidate).iter().filter(|arc| tokens(arc) < arc.weight);
            match (lacking.next(), lacking.next()) {
                (Some(arc), None) => *missing_places.entry(arc.place).or_insert(0) += 1,
                (Some(_), Some(_)) => {}
                (None, _) => {
                    if let Some(next) = fire(net, &marking, candidate)
                        && !predecessors.contains_key(&next)
                    {
                        predecessors.insert(next.clone(), Some((marking.clone(), candidate)));
                        queue.push_back(next);
                    }
                }
            }
        }
    }
    Err(missing_places)
}

/// Returns the marking after firing `t` in `from`. Returns `None` if `t` is disabled or a number
/// overflows.
fn fire(net: &Net, from: &SparseMarking, t: TransitionId) -> Option<SparseMarking> {
    let mut tokens = from.clone();
    for arc in net.pre(t) {
        let count = tokens.get_mut(&arc.place.index())?;
        *count = count.checked_sub(arc.weight)?;
    }
    for arc in net.post(t) {
        let count = tokens.entry(arc.place.index()).or_insert(0);
        *count = count.checked_add(arc.weight)?;
    }
    tokens.retain(|_, count| *count > 0);
    Some(tokens)
}

/// Returns the firings on the path from the start of the search to a marking found by it.
fn sequence_to(
    predecessors: &HashMap<SparseMarking, Option<(SparseMarking, TransitionId)>>,
    mut marking: SparseMarking,
) -> Vec<(TransitionId, u64)> {
    let mut steps = Vec::new();
    while let Some(Some((from, t))) = predecessors.get(&marking) {
        steps.push((*t, 1));
        marking = from.clone();
    }
    steps.reverse();
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_evidence::home::undoable_firings::check_undone;
    use parikh_net::text;

    /// Returns for each transition a proof that its firings can be undone, if one is found.
    fn undone(net: &Net) -> Vec<Option<UndoProof>> {
        let budget = Budget::unlimited();
        let failed = HashMap::new();
        let mut search = UndoingSearch {
            net,
            semiflows: None,
            budget: &budget,
            searches_left: 0,
            failed_markings: failed,
        };
        net.transitions().map(|t| search.prove_undoable(t)).collect()
    }

    #[test]
    fn a_transition_without_inputs_undoes_a_firing_that_removes_tokens() {
        let net = text::parse("place p\ntransition in: -> p\ntransition out: p ->").unwrap();
        let proofs: Vec<UndoProof> = undone(&net).into_iter().map(Option::unwrap).collect();
        check_undone(&net, &proofs, &mut || true).unwrap();
    }

    #[test]
    fn a_firing_is_undone_with_its_output_tokens_alone() {
        let net = text::parse(
            "place a 2\nplace b\nplace c\nplace d 1\ntransition t: 2*a -> b + c
             transition u: b -> a\ntransition v: c -> a\ntransition w: c + d -> a + d",
        )
        .unwrap();
        let undone = undone(&net);
        assert!(matches!(&undone[0], Some(UndoProof::By(steps)) if steps.len() == 2));
        // Needs another token of a, which no semiflow provides.
        assert_eq!(undone[1], None);
    }

    #[test]
    fn an_occupied_catalyst_is_freed_and_occupied_again() {
        let net = text::parse(
            "place a 9\nplace b\nplace k 3\nplace x\nplace e 5\nplace y\n\
             transition bind: a + k -> x\ntransition free: x -> a + k\ntransition make: x -> b + k\n\
             transition bind2: b + e -> y\ntransition free2: y -> b + e\n\
             transition make2: y -> a + e",
        )
        .unwrap();
        let all: Option<Vec<UndoProof>> = undone(&net).into_iter().collect();
        let all = all.expect("reversible");
        assert!(all.iter().any(|undoing| matches!(undoing, UndoProof::Cases { .. })));
        check_undone(&net, &all, &mut || true).unwrap();
    }
}
