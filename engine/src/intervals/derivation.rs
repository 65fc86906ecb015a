//! The derivation of results from token intervals: only the bounds that the results need.
//!
//! Intervals give a range of token counts for every place of the net. A claim, for example that a
//! predicate is unreachable, needs only a few of these bounds. Each of them is traced back to the
//! bounds from which it follows:
//!
//! ```text
//! claim ─▶ a place's upper bound ─▶ no producer can fire ─▶ upper bounds of its inputs …
//!                                └▶ a place invariant ─▶ bounds of its other places …
//!                                └▶ the model's claim of safe units
//!          a place's lower bound ─▶ consumers leave enough or cannot fire ─▶ upper bounds …
//!                                └▶ a place invariant ─▶ bounds of its other places …
//! ```
//!
//! The traced reasons become the steps of a [`BoundsCertificate`]. The derived bounds proved by
//! induction come first, then one weighted step per use of a place invariant, then safe units. The
//! remaining bounds come last, in one inductive step, and may depend on each other. All claims of a
//! pass share one derivation, so that thousands of goals need only one pass over each bound.

use parikh_evidence::Document;
use parikh_evidence::certificate::bounds::{BoundStep, BoundsCertificate, TokenBound};
use parikh_net::facts::{DerivedBound, Reason};
use parikh_net::{Atom, Facts, Net, PlaceArc, PlaceId, Predicate, Provenance, TransitionId};
use parikh_solvers::Budget;
use parikh_structure::intervals::ProvenanceIntervals;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Number of predicates or bounds between two checks of the budget.
const ITEMS_PER_CHECK: usize = 256;

/// Returns one certificate for all predicates of `refuted` that the intervals refute. Also returns,
/// for each predicate, true if the certificate covers the predicate. Returns `None` if no predicate
/// is covered, if the reason of any needed bound is unknown, or if the budget is exhausted.
pub(super) fn shared_document(
    net: &Net,
    facts: &Facts,
    intervals: &ProvenanceIntervals,
    refuted: &[Predicate],
    budget: &Budget,
) -> Option<(Arc<Document>, Vec<bool>)> {
    let mut derivation = Derivation::new(net, facts, intervals);
    let mut is_explained = Vec::with_capacity(refuted.len());
    for (index, predicate) in refuted.iter().enumerate() {
        if index.is_multiple_of(ITEMS_PER_CHECK) && budget.is_exhausted() {
            return None;
        }
        is_explained.push(derivation.explain(&predicate.to_atoms(net)).is_some());
    }
    if !is_explained.contains(&true) {
        return None;
    }
    Some((Arc::new(Document::Bounds(certificate(derivation.steps(budget)?))), is_explained))
}

/// Returns the derivation of the `needed` interval bounds. A pair of a place and `true` is an upper
/// bound, a pair with `false` a lower bound. Returns `None` if the facts do not explain a bound, or
/// if the budget is exhausted.
pub(crate) fn bounds(
    net: &Net,
    facts: &Facts,
    intervals: &ProvenanceIntervals,
    needed: impl Iterator<Item = (PlaceId, bool)>,
    budget: &Budget,
) -> Option<BoundsCertificate> {
    let mut derivation = Derivation::new(net, facts, intervals);
    needed.for_each(|(place, upper)| derivation.request(place, upper));
    Some(certificate(derivation.steps(budget)?))
}

/// Returns the certificate with these steps. It assumes that units are safe if one of the steps
/// does.
fn certificate(steps: Vec<BoundStep>) -> BoundsCertificate {
    let assumes_units = steps.iter().any(|step| matches!(step, BoundStep::SafeUnits(_)));
    BoundsCertificate { assumes_units, steps }
}

/// The interval bounds that a certificate needs, as far as their reasons have been traced.
struct Derivation<'a> {
    net: &'a Net,
    facts: &'a Facts,
    intervals: &'a ProvenanceIntervals,
    /// Indices in the facts' list of derived bounds, ascending, for each place and side (`true` for
    /// upper bounds). Computed when first needed.
    positions: Option<HashMap<(PlaceId, bool), Vec<usize>>>,
    /// The interval bounds requested so far: a place, and `true` for its upper bound.
    requested: HashSet<(PlaceId, bool)>,
    /// Requested bounds that are not traced yet.
    pending: Vec<(PlaceId, bool)>,
    /// Bounds that the last step of the certificate proves together by induction over firings. The
    /// proof of one bound may assume the others.
    inductive: BTreeSet<TokenBound>,
    /// Places whose upper bound follows from the model's claim of safe units.
    safe_places: BTreeSet<PlaceId>,
    /// For each derived bound of the facts, true if it is needed. Empty if no derived bound is
    /// needed.
    needed: Vec<bool>,
}

impl<'a> Derivation<'a> {
    fn new(net: &'a Net, facts: &'a Facts, intervals: &'a ProvenanceIntervals) -> Self {
        Derivation {
            net,
            facts,
            intervals,
            positions: None,
            requested: HashSet::new(),
            pending: Vec::new(),
            inductive: BTreeSet::new(),
            safe_places: BTreeSet::new(),
            needed: Vec::new(),
        }
    }

    /// Requests the bounds that show that no reachable marking satisfies `predicate`. Returns
    /// `None` if the intervals do not refute it. Also returns `None` if a refuted part of it is not
    /// a constant, a comparison, a conjunction or a disjunction.
    fn explain(&mut self, predicate: &Predicate) -> Option<()> {
        let (net, intervals) = (self.net, self.intervals);
        let is_refuted = |operand: &Predicate| intervals.decide(net, operand) == Some(false);
        match predicate {
            Predicate::False => Some(()),
            Predicate::Atom(Atom { sum, bound }) => {
                let (min_value, _) = intervals.range(sum);
                if min_value? <= i128::from(*bound) {
                    return None;
                }
                for &(place, factor) in sum.terms() {
                    self.request(place, factor < 0);
                }
                Some(())
            }
            Predicate::And(operands) => {
                let operand = operands.iter().find(|operand| is_refuted(operand))?;
                self.explain(operand)
            }
            Predicate::Or(operands) => {
                if !operands.iter().all(is_refuted) {
                    return None;
                }
                operands.iter().try_for_each(|operand| self.explain(operand))
            }
            _ => None,
        }
    }

    /// Requests the upper (or lower) interval bound of a place, unless it is requested already.
    fn request(&mut self, place: PlaceId, upper: bool) {
        if self.requested.insert((place, upper)) {
            self.pending.push((place, upper));
        }
    }

    /// Traces the reasons of all requested bounds. Returns the steps of the certificate, in the
    /// order in which the checker verifies them. Returns `None` if the reason of a bound is unknown
    /// or the budget is exhausted.
    fn steps(mut self, budget: &Budget) -> Option<Vec<BoundStep>> {
        let mut traced_count = 0usize;
        while let Some((place, upper)) = self.pending.pop() {
            traced_count += 1;
            if traced_count.is_multiple_of(ITEMS_PER_CHECK) && budget.is_exhausted() {
                return None;
            }
            self.trace(place, upper)?;
        }
        self.mark_premises(budget)?;
        let mut steps = self.derived_steps();
        if !self.safe_places.is_empty() {
            steps.push(BoundStep::SafeUnits(self.safe_places.into_iter().collect()));
        }
        if !self.inductive.is_empty() {
            steps.push(BoundStep::Inductive(self.inductive.into_iter().collect()));
        }
        Some(steps)
    }

    /// Traces the reason of the upper or lower bound of `place`: induction over firings, a derived
    /// bound, or the claim of safe units. Requests the bounds that the induction needs. Returns
    /// `None` if the reason is unknown.
    fn trace(&mut self, place: PlaceId, upper: bool) -> Option<()> {
        let (net, intervals) = (self.net, self.intervals);
        if upper {
            // A place without an upper bound needs no proof.
            let Some(tokens) = intervals.high(place) else { return Some(()) };
            let raising_arcs = net.producers(place).iter().filter(|arc| {
                // A transition that only returns the tokens it takes does not raise the place.
                arc.weight > net.pre_weight(arc.transition, place)
            });
            if raising_arcs.clone().any(|arc| intervals.is_possible(arc.transition)) {
                return self.explain_upper(place, tokens);
            }
            self.inductive.insert(TokenBound { place, upper, tokens });
            raising_arcs.for_each(|arc| self.request_disabling(arc.transition));
        } else {
            let tokens = intervals.low(place);
            if tokens == 0 {
                return Some(());
            }
            // Transitions that remove tokens from the place and may leave it with fewer than
            // `tokens` tokens.
            let lowering_arcs = net.consumers(place).iter().filter(|arc: &&PlaceArc| {
                let left_behind = net.post_weight(arc.transition, place);
                left_behind < arc.weight && left_behind < tokens
            });
            let may_be_lowered =
                lowering_arcs.clone().any(|arc| intervals.is_possible(arc.transition));
            if may_be_lowered || net.initial()[place] < tokens {
                return self.mark_tightest(place, upper, tokens);
            }
            self.inductive.insert(TokenBound { place, upper, tokens });
            lowering_arcs.for_each(|arc| self.request_disabling(arc.transition));
        }
        Some(())
    }

    /// Requests an upper bound of an input place that disables `t` forever. Does nothing if no
    /// bound does so.
    fn request_disabling(&mut self, t: TransitionId) {
        let intervals = self.intervals;
        let is_insufficient = |arc: &&parikh_net::Arc| {
            intervals.high(arc.place).is_some_and(|high| high < arc.weight)
        };
        let mut inputs = self.net.pre(t).iter();
        // Prefers an input place whose bound is already requested, because it needs no further
        // step.
        let requested = inputs
            .clone()
            .filter(is_insufficient)
            .find(|arc| self.requested.contains(&(arc.place, true)));
        if let Some(arc) = requested.or_else(|| inputs.find(is_insufficient)) {
            self.request(arc.place, true);
        }
    }

    /// Records the reason for the upper bound `tokens` of a place whose producers may fire. The
    /// reason is a derived bound, or the claim of safe units. Returns `None` if neither gives this
    /// bound.
    fn explain_upper(&mut self, place: PlaceId, tokens: u64) -> Option<()> {
        let proved = self.facts.upper_bound_within(place, Provenance::PROVED);
        if proved.is_some_and(|proved| proved <= tokens) {
            return self.mark_tightest(place, true, tokens);
        }
        // Safe units allow one token per place. Two or more initial tokens would violate the claim
        // in the initial marking already.
        let follows_from_claim = self.intervals.rests_on().assumes_units() && tokens >= 1;
        follows_from_claim.then(|| {
            self.safe_places.insert(place);
        })
    }

    /// Marks the tightest derived upper (or lower) bound of the place as needed, that is, the last
    /// one in the list. Returns `None` if there is no such bound or it is weaker than `tokens`.
    fn mark_tightest(&mut self, place: PlaceId, upper: bool, tokens: u64) -> Option<()> {
        let index = self.last_before(place, upper, usize::MAX)?;
        let derived_tokens = self.facts.derived()[index].tokens;
        let is_tight_enough =
            if upper { derived_tokens <= tokens } else { derived_tokens >= tokens };
        is_tight_enough.then(|| self.mark_needed(index))
    }

    /// Returns the index of the last derived upper (or lower) bound of the place before the given
    /// index. Returns `None` if there is no such bound.
    fn last_before(&mut self, place: PlaceId, upper: bool, end: usize) -> Option<usize> {
        let derived = self.facts.derived();
        let positions = self.positions.get_or_insert_with(|| {
            let mut positions: HashMap<_, Vec<usize>> = HashMap::new();
            for (position, bound) in derived.iter().enumerate() {
                positions.entry((bound.place, bound.is_upper)).or_default().push(position);
            }
            positions
        });
        let positions = positions.get(&(place, upper))?;
        let count = positions.partition_point(|&position| position < end);
        Some(positions[count.checked_sub(1)?])
    }

    /// Marks the derived bound with this index as needed.
    fn mark_needed(&mut self, index: usize) {
        self.needed.resize(self.facts.derived().len(), false);
        self.needed[index] = true;
    }

    /// Marks the derived bounds that needed bounds follow from. A bound from a place invariant
    /// needs only earlier bounds in the list, so one backward pass is enough. Bounds from siphons
    /// may need each other. Returns `None` if the budget is exhausted.
    fn mark_premises(&mut self, budget: &Budget) -> Option<()> {
        let derived = self.facts.derived();
        let mut treated_flows: HashSet<(usize, usize, bool)> = HashSet::new();
        for index in (0..self.needed.len()).rev() {
            let (true, Reason::Flow { flow, earlier_bounds: using }) =
                (self.needed[index], derived[index].reason)
            else {
                continue;
            };
            let is_negated = is_negated(self.facts, &derived[index], flow);
            // Bounds from one place invariant, taken with the same sign, follow from the same
            // earlier bounds.
            if !treated_flows.insert((flow, using, is_negated)) {
                continue;
            }
            if budget.is_exhausted() {
                return None;
            }
            for &(place, value) in self.facts.flows[flow].terms() {
                if let Some(position) = self.last_before(place, (value > 0) == is_negated, using) {
                    self.mark_needed(position);
                }
            }
        }
        let is_from_siphon = |index: &usize| derived[*index].reason == Reason::UnmarkedSiphon;
        let mut pending: Vec<usize> = (0..self.needed.len())
            .filter(|index| self.needed[*index] && is_from_siphon(index))
            .collect();
        while let Some(index) = pending.pop() {
            for input in self.siphon_inputs(derived[index].place) {
                if !self.needed[input] {
                    self.mark_needed(input);
                    pending.extend(is_from_siphon(&input).then_some(input));
                }
            }
        }
        Some(())
    }

    /// Returns the indices of derived bounds which show that no producer of `place` can ever fire.
    /// For each producer, one bound shows that an input place is always empty. A producer without
    /// such a bound is skipped.
    fn siphon_inputs(&mut self, place: PlaceId) -> Vec<usize> {
        let net = self.net;
        let producers = net.producers(place).iter().map(|arc| arc.transition);
        let mut inputs = Vec::new();
        for t in producers {
            inputs.extend(net.pre(t).iter().find_map(|arc| self.empty_by_arcs(arc.place)));
        }
        inputs
    }

    /// Returns the index of a derived bound from arcs alone that shows that `place` is always
    /// empty. Returns `None` if there is no such bound.
    fn empty_by_arcs(&mut self, place: PlaceId) -> Option<usize> {
        let derived = self.facts.derived();
        let by_arcs = |position: usize| derived[position].reason.provenance() == Provenance::Arcs;
        // The list has bounds from arcs before bounds from invariants, so the search goes back from
        // the last bound.
        let mut latest = self.last_before(place, true, usize::MAX);
        while let Some(position) = latest {
            if derived[position].tokens == 0 && by_arcs(position) {
                return latest;
            }
            latest = self.last_before(place, true, position);
        }
        None
    }

    /// Returns the certificate steps of the needed derived bounds: one inductive step, and one
    /// weighted step per use of a place invariant.
    fn derived_steps(&self) -> Vec<BoundStep> {
        let derived = self.facts.derived();
        let mut inductive_bounds = Vec::new();
        let mut weighted: Vec<BoundStep> = Vec::new();
        let mut step_of_flow: HashMap<(usize, usize, bool), usize> = HashMap::new();
        for (index, bound) in derived.iter().enumerate().filter(|(index, _)| self.is_needed(*index))
        {
            let DerivedBound { place, is_upper: upper, tokens, .. } = *bound;
            let stated_bound = TokenBound { place, upper, tokens };
            let Reason::Flow { flow, earlier_bounds: using } = bound.reason else {
                inductive_bounds.push(stated_bound);
                continue;
            };
            // The bound follows from the invariant and the first `using` derived bounds.
            debug_assert!(using <= index);
            let is_negated = is_negated(self.facts, bound, flow);
            let step = *step_of_flow.entry((flow, using, is_negated)).or_insert_with(|| {
                let sign = if is_negated { -1 } else { 1 };
                let terms = self.facts.flows[flow].terms().iter();
                let weights = terms.map(|&(place, value)| (place, sign * i128::from(value)));
                weighted
                    .push(BoundStep::Weighted { weights: weights.collect(), bounds: Vec::new() });
                weighted.len() - 1
            });
            if let Some(BoundStep::Weighted { bounds, .. }) = weighted.get_mut(step) {
                bounds.push(stated_bound);
            }
        }
        let inductive =
            (!inductive_bounds.is_empty()).then_some(BoundStep::Inductive(inductive_bounds));
        inductive.into_iter().chain(weighted).collect()
    }

    /// Returns true if the derived bound at this index is needed.
    fn is_needed(&self, index: usize) -> bool {
        self.needed.get(index).copied().unwrap_or(false)
    }
}

/// Returns true if the invariant's weights must be negated for this bound. The weight of the
/// bounded place must be positive for an upper bound and negative for a lower bound.
fn is_negated(facts: &Facts, bound: &DerivedBound, flow: usize) -> bool {
    (facts.flows[flow].coefficient(bound.place) > 0) != bound.is_upper
}
