//! The derivation of interval results: only the bounds that the claims need.
//!
//! Intervals give a range for every place of the net, but a claim needs only a few of them. Each is
//! traced back to its reasons:
//!
//! ```text
//! claim ─▶ a place's upper end ─▶ nothing that could raise it can fire ─▶ upper ends of inputs …
//!                              └▶ a cap: a place invariant ─▶ ends of its other places …
//!                                        or the model's safe units
//!          a place's lower end ─▶ what lowers it leaves enough, or cannot fire ─▶ upper ends …
//!                              └▶ a place invariant ─▶ ends of its other places …
//! ```
//!
//! The traced reasons become the steps of a [`BoundsCertificate`] certificate. The inductive bounds
//! come first, then one weighted step per use of a place invariant, then units, then the remaining
//! intervals in one inductive step, whose parts may depend on each other. All claims of a pass
//! share one derivation, so that thousands of goals need only one pass over each bound.

use parikh_evidence::Document;
use parikh_evidence::certificate::bounds::{BoundStep, BoundsCertificate, TokenBound};
use parikh_net::facts::{DerivedBound, Reason};
use parikh_net::{Atom, Facts, Net, PlaceArc, PlaceId, Predicate, Provenance, TransitionId};
use parikh_solvers::Budget;
use parikh_structure::intervals::ProvenanceIntervals;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Number of iterations between two checks of the budget.
const POLLING: usize = 256;

/// Returns one certificate for the refuted predicates that the intervals of this level decide and
/// the facts explain, and a flag per predicate that says if it is covered. Returns `None` if there
/// is none or the budget ends.
pub(super) fn document(
    net: &Net,
    facts: &Facts,
    level: &ProvenanceIntervals,
    refuted: &[Predicate],
    budget: &Budget,
) -> Option<(Arc<Document>, Vec<bool>)> {
    let mut derivation = Derivation::new(net, facts, level);
    let mut explained = Vec::with_capacity(refuted.len());
    for (index, predicate) in refuted.iter().enumerate() {
        if index.is_multiple_of(POLLING) && budget.is_exhausted() {
            return None;
        }
        explained.push(derivation.explain(&predicate.to_atoms(net)).is_some());
    }
    if !explained.contains(&true) {
        return None;
    }
    Some((Arc::new(Document::Bounds(certificate(derivation.steps(budget)?))), explained))
}

/// Returns the derivation of these interval bounds. Returns `None` if the facts do not explain one
/// of them, or if the budget ends.
pub(crate) fn bounds(
    net: &Net,
    facts: &Facts,
    level: &ProvenanceIntervals,
    ends: impl Iterator<Item = (PlaceId, bool)>,
    budget: &Budget,
) -> Option<BoundsCertificate> {
    let mut derivation = Derivation::new(net, facts, level);
    ends.for_each(|(place, upper)| derivation.request(place, upper));
    Some(certificate(derivation.steps(budget)?))
}

fn certificate(steps: Vec<BoundStep>) -> BoundsCertificate {
    let assumes_units = steps.iter().any(|step| matches!(step, BoundStep::SafeUnits(_)));
    BoundsCertificate { assumes_units, steps }
}

/// The bounds needed for the refutations, as far as they have been traced.
struct Derivation<'a> {
    net: &'a Net,
    facts: &'a Facts,
    level: &'a ProvenanceIntervals,
    /// For each place and side, the positions in the list of derived bounds, ascending. Computed
    /// when first needed.
    positions: Option<HashMap<(PlaceId, bool), Vec<usize>>>,
    /// Requested interval bounds.
    asked: HashSet<(PlaceId, bool)>,
    waiting: Vec<(PlaceId, bool)>,
    /// Jointly inductive bounds.
    together: BTreeSet<TokenBound>,
    safe: BTreeSet<PlaceId>,
    /// For each position, true if a derived bound is needed. Empty if none is.
    needed: Vec<bool>,
}

impl<'a> Derivation<'a> {
    fn new(net: &'a Net, facts: &'a Facts, level: &'a ProvenanceIntervals) -> Self {
        Derivation {
            net,
            facts,
            level,
            positions: None,
            asked: HashSet::new(),
            waiting: Vec::new(),
            together: BTreeSet::new(),
            safe: BTreeSet::new(),
            needed: Vec::new(),
        }
    }

    /// Requests the bounds that refute `predicate`, if the intervals do.
    fn explain(&mut self, predicate: &Predicate) -> Option<()> {
        let (net, level) = (self.net, self.level);
        let refuted = |part: &Predicate| level.decide(net, part) == Some(false);
        match predicate {
            Predicate::False => Some(()),
            Predicate::Atom(Atom { sum, bound }) => {
                let (least, _) = level.range(sum);
                if least? <= i128::from(*bound) {
                    return None;
                }
                for &(place, factor) in sum.terms() {
                    self.request(place, factor < 0);
                }
                Some(())
            }
            Predicate::And(parts) => {
                let part = parts.iter().find(|part| refuted(part))?;
                self.explain(part)
            }
            Predicate::Or(parts) => {
                if !parts.iter().all(refuted) {
                    return None;
                }
                parts.iter().try_for_each(|part| self.explain(part))
            }
            _ => None,
        }
    }

    fn request(&mut self, place: PlaceId, upper: bool) {
        if self.asked.insert((place, upper)) {
            self.waiting.push((place, upper));
        }
    }

    /// Traces all requests and returns the steps in order. Returns `None` if a reason is unknown.
    fn steps(mut self, budget: &Budget) -> Option<Vec<BoundStep>> {
        let mut followed = 0usize;
        while let Some((place, upper)) = self.waiting.pop() {
            followed += 1;
            if followed.is_multiple_of(POLLING) && budget.is_exhausted() {
                return None;
            }
            self.follow(place, upper)?;
        }
        self.close(budget)?;
        let mut steps = self.derived_steps();
        if !self.safe.is_empty() {
            steps.push(BoundStep::SafeUnits(self.safe.into_iter().collect()));
        }
        if !self.together.is_empty() {
            steps.push(BoundStep::Inductive(self.together.into_iter().collect()));
        }
        Some(steps)
    }

    /// Traces one bound of `place`. Returns `None` if its reason is unknown.
    fn follow(&mut self, place: PlaceId, upper: bool) -> Option<()> {
        let (net, level) = (self.net, self.level);
        if upper {
            // A place without an upper bound needs no proof.
            let Some(tokens) = level.high(place) else { return Some(()) };
            let raising = net.producers(place).iter().filter(|arc| {
                // A transition that only returns the tokens it takes does not raise the place.
                arc.weight > net.pre_weight(arc.transition, place)
            });
            if raising.clone().any(|arc| level.is_possible(arc.transition)) {
                return self.explain_upper(place, tokens);
            }
            self.together.insert(TokenBound { place, upper, tokens });
            raising.for_each(|arc| self.blocked(arc.transition));
        } else {
            let tokens = level.low(place);
            if tokens == 0 {
                return Some(());
            }
            // The transitions that lower the place and leave less than `tokens`.
            let lowering = net.consumers(place).iter().filter(|arc: &&PlaceArc| {
                let after = net.post_weight(arc.transition, place);
                after < arc.weight && after < tokens
            });
            let breaks = lowering.clone().any(|arc| level.is_possible(arc.transition));
            if breaks || net.initial()[place] < tokens {
                return self.mark_tightest(place, upper, tokens);
            }
            self.together.insert(TokenBound { place, upper, tokens });
            lowering.for_each(|arc| self.blocked(arc.transition));
        }
        Some(())
    }

    /// Requests an upper bound that disables `t` forever.
    fn blocked(&mut self, t: TransitionId) {
        let level = self.level;
        let short =
            |arc: &&parikh_net::Arc| level.high(arc.place).is_some_and(|high| high < arc.weight);
        let mut inputs = self.net.pre(t).iter();
        // Places that are already requested cost nothing.
        let known =
            inputs.clone().filter(short).find(|arc| self.asked.contains(&(arc.place, true)));
        if let Some(arc) = known.or_else(|| inputs.find(short)) {
            self.request(arc.place, true);
        }
    }

    /// Explains the upper bound of a place that transitions could fill.
    fn explain_upper(&mut self, place: PlaceId, tokens: u64) -> Option<()> {
        let proved = self.facts.upper_bound_within(place, Provenance::PROVED);
        if proved.is_some_and(|proved| proved <= tokens) {
            return self.mark_tightest(place, true, tokens);
        }
        // With more than one token initially, the claim of safe units is broken from the start.
        let claimed = self.level.rests_on().assumes_units() && tokens >= 1;
        claimed.then(|| {
            self.safe.insert(place);
        })
    }

    /// Marks the tightest derived bound as needed, if it is tight enough.
    fn mark_tightest(&mut self, place: PlaceId, upper: bool, tokens: u64) -> Option<()> {
        let at = self.before(place, upper, usize::MAX)?;
        let found = self.facts.derived()[at].tokens;
        let enough = if upper { found <= tokens } else { found >= tokens };
        enough.then(|| self.mark(at))
    }

    /// Returns the position of the last bound of this side of the place that was derived before
    /// position `using`.
    fn before(&mut self, place: PlaceId, upper: bool, using: usize) -> Option<usize> {
        let derived = self.facts.derived();
        let positions = self.positions.get_or_insert_with(|| {
            let mut positions: HashMap<_, Vec<usize>> = HashMap::new();
            for (position, bound) in derived.iter().enumerate() {
                positions.entry((bound.place, bound.upper)).or_default().push(position);
            }
            positions
        });
        let positions = positions.get(&(place, upper))?;
        let at = positions.partition_point(|&position| position < using);
        Some(positions[at.checked_sub(1)?])
    }

    fn mark(&mut self, at: usize) {
        self.needed.resize(self.facts.derived().len(), false);
        self.needed[at] = true;
    }

    /// Marks the bounds needed by needed derived bounds. Bounds from place invariants need only
    /// earlier bounds in the list, so one backward pass is enough. Bounds from siphons may need
    /// each other.
    fn close(&mut self, budget: &Budget) -> Option<()> {
        let derived = self.facts.derived();
        let mut of_flows: HashSet<(usize, usize, bool)> = HashSet::new();
        for at in (0..self.needed.len()).rev() {
            let (true, Reason::Flow { flow, using }) = (self.needed[at], derived[at].reason) else {
                continue;
            };
            let is_negated = is_negated(self.facts, &derived[at], flow);
            // Bounds from one invariant with the same sign have the same premises.
            if !of_flows.insert((flow, using, is_negated)) {
                continue;
            }
            if budget.is_exhausted() {
                return None;
            }
            for &(place, value) in self.facts.flows[flow].terms() {
                if let Some(position) = self.before(place, (value > 0) == is_negated, using) {
                    self.mark(position);
                }
            }
        }
        let siphon = |at: &usize| derived[*at].reason == Reason::UnmarkedSiphon;
        let mut waiting: Vec<usize> =
            (0..self.needed.len()).filter(|at| self.needed[*at] && siphon(at)).collect();
        while let Some(at) = waiting.pop() {
            for input in self.siphon_inputs(derived[at].place) {
                if !self.needed[input] {
                    self.mark(input);
                    waiting.extend(siphon(&input).then_some(input));
                }
            }
        }
        Some(())
    }

    /// Returns the bounds which show that the producers of `place` are dead: for each producer one
    /// input place that stays empty.
    fn siphon_inputs(&mut self, place: PlaceId) -> Vec<usize> {
        let net = self.net;
        let producers = net.producers(place).iter().map(|arc| arc.transition);
        let mut inputs = Vec::new();
        for t in producers {
            inputs.extend(net.pre(t).iter().find_map(|arc| self.empty_by_arcs(arc.place)));
        }
        inputs
    }

    /// Returns the position of a bound, derived from arcs alone, that says that `place` is always
    /// empty.
    fn empty_by_arcs(&mut self, place: PlaceId) -> Option<usize> {
        let derived = self.facts.derived();
        let by_arcs = |at: usize| derived[at].reason.provenance() == Provenance::Arcs;
        // Bounds from arcs come before bounds from invariants.
        let mut at = self.before(place, true, usize::MAX);
        while let Some(position) = at {
            if derived[position].tokens == 0 && by_arcs(position) {
                return at;
            }
            at = self.before(place, true, position);
        }
        None
    }

    /// Returns the steps for the needed derived bounds.
    fn derived_steps(&self) -> Vec<BoundStep> {
        let derived = self.facts.derived();
        let mut first = Vec::new();
        let mut weighted: Vec<BoundStep> = Vec::new();
        let mut of_flows: HashMap<(usize, usize, bool), usize> = HashMap::new();
        for (at, bound) in derived.iter().enumerate().filter(|(at, _)| self.needed_at(*at)) {
            let DerivedBound { place, upper, tokens, .. } = *bound;
            let stated = TokenBound { place, upper, tokens };
            let Reason::Flow { flow, using } = bound.reason else {
                first.push(stated);
                continue;
            };
            debug_assert!(using <= at);
            let is_negated = is_negated(self.facts, bound, flow);
            let step = *of_flows.entry((flow, using, is_negated)).or_insert_with(|| {
                let sign = if is_negated { -1 } else { 1 };
                let terms = self.facts.flows[flow].terms().iter();
                let weights = terms.map(|&(place, value)| (place, sign * i128::from(value)));
                weighted
                    .push(BoundStep::Weighted { weights: weights.collect(), bounds: Vec::new() });
                weighted.len() - 1
            });
            if let Some(BoundStep::Weighted { bounds, .. }) = weighted.get_mut(step) {
                bounds.push(stated);
            }
        }
        let inductive = (!first.is_empty()).then_some(BoundStep::Inductive(first));
        inductive.into_iter().chain(weighted).collect()
    }

    fn needed_at(&self, at: usize) -> bool {
        self.needed.get(at).copied().unwrap_or(false)
    }
}

/// Returns true if the invariant's weights must be negated for this bound. The weight of the
/// bounded place must be positive for an upper bound and negative for a lower bound.
fn is_negated(facts: &Facts, bound: &DerivedBound, flow: usize) -> bool {
    (facts.flows[flow].coefficient(bound.place) > 0) != bound.upper
}
