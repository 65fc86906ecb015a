//! The derivation behind what intervals decide: only the bounds that the claims need.
//!
//! Intervals know a range for every place of the net; a claim needs a few of them. Each is followed
//! back to what it came from:
//!
//! ```text
//! claim ─▶ a place's upper end ─▶ nothing that could raise it can fire ─▶ upper ends of inputs …
//!                              └▶ a cap: a place invariant ─▶ ends of its other places …
//!                                        or the model's safe units
//!          a place's lower end ─▶ what lowers it leaves enough, or cannot fire ─▶ upper ends …
//!                              └▶ a place invariant ─▶ ends of its other places …
//! ```
//!
//! What is met on the way makes the steps of a [`Bounds`] certificate: first what is inductive by
//! itself, then one weighted step per use of an invariant, then units, then the rest of the
//! intervals in one inductive step, whose parts may need each other. All claims of a pass share one
//! derivation, so that goals by the thousand cost one look at each bound.

use crate::evidence::Document;
use crate::evidence::certificate::bounds::{Bound, Bounds, Inference};
use crate::structure::intervals::Level;
use parikh_net::facts::{DerivedBound, Reason};
use parikh_net::{Atom, Facts, Net, PlaceArc, PlaceId, Predicate, Provenance, TransitionId};
use parikh_solvers::Budget;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Between two looks at the budget.
const POLLING: usize = 256;

/// One document for as many of the refuted predicates as the level decides and the facts say why,
/// and by predicate whether it is for it. `None` when there is none, or the budget ends.
pub(super) fn document(
    net: &Net,
    facts: &Facts,
    level: &Level,
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

/// The derivation of these ends of intervals. `None` when the facts do not say why one holds, or
/// the budget ends.
pub(in crate::engine) fn bounds(
    net: &Net,
    facts: &Facts,
    level: &Level,
    ends: impl Iterator<Item = (PlaceId, bool)>,
    budget: &Budget,
) -> Option<Bounds> {
    let mut derivation = Derivation::new(net, facts, level);
    ends.for_each(|(place, upper)| derivation.ask(place, upper));
    Some(certificate(derivation.steps(budget)?))
}

fn certificate(steps: Vec<Inference>) -> Bounds {
    let assumes_units = steps.iter().any(|step| matches!(step, Inference::SafeUnits(_)));
    Bounds { assumes_units, steps }
}

/// What the refutations need, as far as it was followed.
struct Derivation<'a> {
    net: &'a Net,
    facts: &'a Facts,
    level: &'a Level,
    /// By place and side the positions in the list of derived bounds, ascending; once asked for.
    positions: Option<HashMap<(PlaceId, bool), Vec<usize>>>,
    /// Ends of intervals that were asked for, and those that wait for being followed.
    asked: HashSet<(PlaceId, bool)>,
    waiting: Vec<(PlaceId, bool)>,
    /// Ends that are inductive together.
    together: BTreeSet<Bound>,
    safe: BTreeSet<PlaceId>,
    /// By position whether a derived bound is needed; empty while none is.
    needed: Vec<bool>,
}

impl<'a> Derivation<'a> {
    fn new(net: &'a Net, facts: &'a Facts, level: &'a Level) -> Self {
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

    /// Asks for what refutes `predicate`, if the intervals do.
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
                    self.ask(place, factor < 0);
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

    fn ask(&mut self, place: PlaceId, upper: bool) {
        if self.asked.insert((place, upper)) {
            self.waiting.push((place, upper));
        }
    }

    /// Follows everything back, and puts it in order; `None` when a reason is not known.
    fn steps(mut self, budget: &Budget) -> Option<Vec<Inference>> {
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
            steps.push(Inference::SafeUnits(self.safe.into_iter().collect()));
        }
        if !self.together.is_empty() {
            steps.push(Inference::Inductive(self.together.into_iter().collect()));
        }
        Some(steps)
    }

    /// Why the interval of `place` ends where it does; `None` when nobody says.
    fn follow(&mut self, place: PlaceId, upper: bool) -> Option<()> {
        let (net, level) = (self.net, self.level);
        if upper {
            // Nothing is claimed of a place without an upper end.
            let Some(tokens) = level.high(place) else { return Some(()) };
            let raising = net.producers(place).iter().filter(|arc| {
                // A place that only gets back what it gave is not raised.
                arc.weight > net.pre_weight(arc.transition, place)
            });
            if raising.clone().any(|arc| level.is_possible(arc.transition)) {
                return self.cap(place, tokens);
            }
            self.together.insert(Bound { place, upper, tokens });
            raising.for_each(|arc| self.blocked(arc.transition));
        } else {
            let tokens = level.low(place);
            if tokens == 0 {
                return Some(());
            }
            // What leaves less than that after it, and lowers the place.
            let lowering = net.consumers(place).iter().filter(|arc: &&PlaceArc| {
                let after = net.post_weight(arc.transition, place);
                after < arc.weight && after < tokens
            });
            let breaks = lowering.clone().any(|arc| level.is_possible(arc.transition));
            if breaks || net.initial()[place] < tokens {
                return self.need(place, upper, tokens);
            }
            self.together.insert(Bound { place, upper, tokens });
            lowering.for_each(|arc| self.blocked(arc.transition));
        }
        Some(())
    }

    /// Asks for an upper end that keeps `t` from firing.
    fn blocked(&mut self, t: TransitionId) {
        let level = self.level;
        let short =
            |arc: &&parikh_net::Arc| level.high(arc.place).is_some_and(|high| high < arc.weight);
        let mut inputs = self.net.pre(t).iter();
        // Places asked for already cost nothing.
        let known =
            inputs.clone().filter(short).find(|arc| self.asked.contains(&(arc.place, true)));
        if let Some(arc) = known.or_else(|| inputs.find(short)) {
            self.ask(arc.place, true);
        }
    }

    /// The cap of a place that transitions could fill.
    fn cap(&mut self, place: PlaceId, tokens: u64) -> Option<()> {
        let proved = self.facts.upper_bound_within(place, Provenance::PROVED);
        if proved.is_some_and(|proved| proved <= tokens) {
            return self.need(place, true, tokens);
        }
        // More than one initially, and the claim is broken from the beginning.
        let claimed = self.level.rests_on().assumes_units() && tokens >= 1;
        claimed.then(|| {
            self.safe.insert(place);
        })
    }

    /// Needs the tightest bound that was derived, if it is as tight as this.
    fn need(&mut self, place: PlaceId, upper: bool, tokens: u64) -> Option<()> {
        let at = self.before(place, upper, usize::MAX)?;
        let found = self.facts.derived()[at].tokens;
        let enough = if upper { found <= tokens } else { found >= tokens };
        enough.then(|| self.mark(at))
    }

    /// The position of the last bound derived of an end before `using` were.
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

    /// Marks whatever the derived bounds need that are needed. Flows need what stands before them
    /// in the list, so that one sweep from its end is enough; siphons need each other.
    fn close(&mut self, budget: &Budget) -> Option<()> {
        let derived = self.facts.derived();
        let mut of_flows: HashSet<(usize, usize, bool)> = HashSet::new();
        for at in (0..self.needed.len()).rev() {
            let (true, Reason::Flow { flow, using }) = (self.needed[at], derived[at].reason) else {
                continue;
            };
            let turned = turned(self.facts, &derived[at], flow);
            // Bounds of one flow with one sign have their needs in common.
            if !of_flows.insert((flow, using, turned)) {
                continue;
            }
            if budget.is_exhausted() {
                return None;
            }
            for &(place, value) in self.facts.flows[flow].terms() {
                if let Some(position) = self.before(place, (value > 0) == turned, using) {
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

    /// Where the derivation says that the inputs of what fills `place` are empty for ever: one of
    /// each transition.
    fn siphon_inputs(&mut self, place: PlaceId) -> Vec<usize> {
        let net = self.net;
        let producers = net.producers(place).iter().map(|arc| arc.transition);
        let mut inputs = Vec::new();
        for t in producers {
            inputs.extend(net.pre(t).iter().find_map(|arc| self.empty_by_arcs(arc.place)));
        }
        inputs
    }

    /// The position of a bound by the arcs alone that says that `place` is empty for ever.
    fn empty_by_arcs(&mut self, place: PlaceId) -> Option<usize> {
        let derived = self.facts.derived();
        let by_arcs = |at: usize| derived[at].reason.provenance() == Provenance::Arcs;
        // They stand before those by flows.
        let mut at = self.before(place, true, usize::MAX);
        while let Some(position) = at {
            if derived[position].tokens == 0 && by_arcs(position) {
                return at;
            }
            at = self.before(place, true, position);
        }
        None
    }

    /// The steps of the derived bounds that are needed.
    fn derived_steps(&self) -> Vec<Inference> {
        let derived = self.facts.derived();
        let mut first = Vec::new();
        let mut weighted: Vec<Inference> = Vec::new();
        let mut of_flows: HashMap<(usize, usize, bool), usize> = HashMap::new();
        for (at, bound) in derived.iter().enumerate().filter(|(at, _)| self.needed_at(*at)) {
            let DerivedBound { place, upper, tokens, .. } = *bound;
            let stated = Bound { place, upper, tokens };
            let Reason::Flow { flow, using } = bound.reason else {
                first.push(stated);
                continue;
            };
            debug_assert!(using <= at);
            let turned = turned(self.facts, bound, flow);
            let step = *of_flows.entry((flow, using, turned)).or_insert_with(|| {
                let sign = if turned { -1 } else { 1 };
                let terms = self.facts.flows[flow].terms().iter();
                let weights = terms.map(|&(place, value)| (place, sign * i128::from(value)));
                weighted
                    .push(Inference::Weighted { weights: weights.collect(), bounds: Vec::new() });
                weighted.len() - 1
            });
            if let Some(Inference::Weighted { bounds, .. }) = weighted.get_mut(step) {
                bounds.push(stated);
            }
        }
        let inductive = (!first.is_empty()).then_some(Inference::Inductive(first));
        inductive.into_iter().chain(weighted).collect()
    }

    fn needed_at(&self, at: usize) -> bool {
        self.needed.get(at).copied().unwrap_or(false)
    }
}

/// Whether the flow's weights count the other way round for this bound: the weight of the bounded
/// place has to be positive for an upper bound, negative for a lower one.
fn turned(facts: &Facts, bound: &DerivedBound, flow: usize) -> bool {
    (facts.flows[flow].coefficient(bound.place) > 0) != bound.upper
}
