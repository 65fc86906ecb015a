//! The derivation behind what intervals decide: only the bounds that the claims need.
//!
//! The interval engine knows a range for every place of the net; a claim needs a few of them. Each
//! is followed back to what it came from:
//!
//! ```text
//! claim ─▶ a place's upper end ─▶ nothing that could raise it can fire ─▶ upper ends of inputs …
//!                              └▶ a cap: a place invariant ─▶ ends of its other places …
//!                                        or the model's safe units
//!          a place's lower end ─▶ what lowers it leaves enough, or cannot fire ─▶ upper ends …
//! ```
//!
//! What is met on the way makes the steps of a [`Bounds`] certificate: first what is inductive by
//! itself, then one weighted step per use of an invariant, then units, then the rest of the
//! intervals in one inductive step, whose parts may need each other.

use crate::engine::intervals::{Intervals, Level};
use crate::evidence::certificate::Claim;
use crate::evidence::certificate::bounds::{Bound, Bounds, Step};
use crate::structure::bounds::{self as place_bounds, PlaceBounds, Reason};
use crate::structure::flows::{PlaceFlow, place_flows};
use crate::structure::integer::Integer;
use parikh_net::{Atom, Facts, Net, PlaceArc, PlaceId, Predicate, Provenance, TransitionId};
use parikh_solvers::Budget;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Derives bounds of one net.
pub(super) struct Deriver<'n> {
    net: &'n Net,
    flows: Vec<PlaceFlow>,
    found: PlaceBounds,
    /// By place and side the positions in the derivation of `found`.
    positions: HashMap<(PlaceId, bool), Vec<usize>>,
    intervals: Intervals,
}

impl<'n> Deriver<'n> {
    /// Works out the place invariants, as far as the budget goes.
    pub(super) fn new(net: &'n Net, budget: &Budget) -> Deriver<'n> {
        let flows = place_flows(net, budget).unwrap_or_default();
        let found = place_bounds::place_bounds(net, &flows, budget);
        let mut positions: HashMap<_, Vec<usize>> = HashMap::new();
        for (position, step) in found.steps().iter().enumerate() {
            positions.entry((step.place, step.upper)).or_default().push(position);
        }
        let mut facts = Facts::none(net);
        found.write(&mut facts);
        facts.claim_units(net);
        let intervals = Intervals::new(net, &facts);
        Deriver { net, flows, found, positions, intervals }
    }

    /// Certificates for as many of the claims as follow from what rests on no more than `within`,
    /// with their positions.
    pub(super) fn certificate(
        &self,
        claims: &[&Claim],
        within: Provenance,
    ) -> (Bounds, Vec<usize>) {
        let mut cone = Cone::new(self, self.intervals.within(within), within.assumes_units());
        let mut certified = Vec::new();
        for (index, claim) in claims.iter().enumerate() {
            if cone.explain(&claim.refuted().to_atoms(self.net)).is_some() {
                certified.push(index);
            }
        }
        let proved = certified.iter().map(|&index| claims[index].clone()).collect();
        match cone.steps() {
            Some(steps) => {
                let assumes_units = steps.iter().any(|step| matches!(step, Step::SafeUnits(_)));
                (Bounds { claims: proved, assumes_units, steps }, certified)
            }
            // Coefficients beyond 64 bits.
            None => (Bounds::default(), Vec::new()),
        }
    }
}

/// What the claims need, as far as it was followed.
struct Cone<'a> {
    deriver: &'a Deriver<'a>,
    intervals: &'a Level,
    units: bool,
    /// Ends of intervals that were asked for, and those that wait for being followed.
    asked: HashSet<(PlaceId, bool)>,
    waiting: Vec<(PlaceId, bool)>,
    /// Ends that are inductive together.
    together: BTreeSet<Bound>,
    safe: BTreeSet<PlaceId>,
    /// Positions in the derivation of caps.
    derived: BTreeSet<usize>,
}

impl<'a> Cone<'a> {
    fn new(deriver: &'a Deriver<'a>, intervals: &'a Level, units: bool) -> Self {
        Cone {
            deriver,
            intervals,
            units,
            asked: HashSet::new(),
            waiting: Vec::new(),
            together: BTreeSet::new(),
            safe: BTreeSet::new(),
            derived: BTreeSet::new(),
        }
    }

    /// Asks for what refutes `predicate`, if the intervals do.
    fn explain(&mut self, predicate: &Predicate) -> Option<()> {
        match predicate {
            Predicate::False => Some(()),
            Predicate::Atom(Atom { sum, bound }) => {
                let (least, _) = self.intervals.range(sum);
                if least? <= i128::from(*bound) {
                    return None;
                }
                for &(place, factor) in sum.terms() {
                    self.ask(place, factor < 0);
                }
                Some(())
            }
            Predicate::And(parts) => {
                let false_part = |part: &&Predicate| {
                    self.intervals.decide(self.deriver.net, part) == Some(false)
                };
                let part = parts.iter().find(false_part)?;
                self.explain(part)
            }
            Predicate::Or(parts) => {
                let net = self.deriver.net;
                let all = |part: &Predicate| self.intervals.decide(net, part) == Some(false);
                if !parts.iter().all(all) {
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

    /// Follows everything back, and puts it in order; `None` when a number is too large.
    fn steps(mut self) -> Option<Vec<Step>> {
        while let Some((place, upper)) = self.waiting.pop() {
            self.follow(place, upper);
        }
        let found = self.deriver.found.steps();
        // Whatever a derived bound needs stands before it.
        let mut first = BTreeSet::new();
        let mut waiting: Vec<usize> = self.derived.iter().copied().collect();
        let mut needs: HashMap<usize, Vec<usize>> = HashMap::new();
        while let Some(position) = waiting.pop() {
            if needs.contains_key(&position) {
                continue;
            }
            let below = match found[position].reason {
                Reason::OneWay => {
                    first.insert(bound(&found[position]));
                    Vec::new()
                }
                Reason::UnmarkedSiphon => {
                    first.insert(bound(&found[position]));
                    self.siphon_inputs(found[position].place)
                }
                Reason::Flow(flow) => self.ends_used(position, flow),
            };
            waiting.extend(&below);
            needs.insert(position, below);
        }
        let mut steps = Vec::new();
        if !first.is_empty() {
            steps.push(Step::Inductive(first.into_iter().collect()));
        }
        let mut order: Vec<usize> = needs.keys().copied().collect();
        order.sort_unstable();
        // The bounds of one flow with one sign that do not use each other share a step.
        let mut open: Option<(usize, bool, usize)> = None;
        for position in order {
            let Reason::Flow(flow) = found[position].reason else { continue };
            let turned = self.turned(position, flow);
            let joins = open.is_some_and(|(last, sign, start)| {
                last == flow && sign == turned && needs[&position].iter().all(|&need| need < start)
            });
            match steps.last_mut() {
                Some(Step::Weighted { bounds, .. }) if joins => {
                    bounds.push(bound(&found[position]))
                }
                _ => {
                    open = Some((flow, turned, position));
                    let weight = |(place, value): &(PlaceId, Integer)| {
                        let value = i128::from(value.to_i64()?);
                        Some((*place, if turned { -value } else { value }))
                    };
                    let terms = self.deriver.flows[flow].terms().iter();
                    steps.push(Step::Weighted {
                        weights: terms.map(weight).collect::<Option<_>>()?,
                        bounds: vec![bound(&found[position])],
                    });
                }
            }
        }
        if !self.safe.is_empty() {
            steps.push(Step::SafeUnits(self.safe.into_iter().collect()));
        }
        if !self.together.is_empty() {
            steps.push(Step::Inductive(self.together.into_iter().collect()));
        }
        Some(steps)
    }

    /// Why the interval of `place` ends where it does.
    fn follow(&mut self, place: PlaceId, upper: bool) {
        let net = self.deriver.net;
        let raises = |t: TransitionId| net.post_weight(t, place) > net.pre_weight(t, place);
        if upper {
            let Some(tokens) = self.intervals.high(place) else { return };
            let producers = || net.producers(place).iter().map(|arc| arc.transition);
            if producers().any(|t| raises(t) && self.intervals.is_possible(t)) {
                return self.cap(place);
            }
            self.together.insert(Bound { place, upper, tokens });
            producers().filter(|&t| raises(t)).for_each(|t| self.blocked(t));
        } else {
            let tokens = self.intervals.low(place);
            if tokens == 0 {
                return;
            }
            let leaves_less = |arc: &&PlaceArc| {
                let after = net.post_weight(arc.transition, place);
                after < arc.weight && after < tokens && self.intervals.is_possible(arc.transition)
            };
            if net.initial()[place] < tokens || net.consumers(place).iter().any(|a| leaves_less(&a))
            {
                self.derived.extend(self.last_derivation(place, upper));
                return;
            }
            self.together.insert(Bound { place, upper, tokens });
            for t in net.consumers(place).iter().map(|arc| arc.transition) {
                let after = net.post_weight(t, place);
                if after < net.pre_weight(t, place) && after < tokens {
                    self.blocked(t);
                }
            }
        }
    }

    /// Asks for an upper end that keeps `t` from firing.
    fn blocked(&mut self, t: TransitionId) {
        let short = |arc: &&parikh_net::Arc| {
            self.intervals.high(arc.place).is_some_and(|high| high < arc.weight)
        };
        let mut inputs = self.deriver.net.pre(t).iter();
        // Places asked for already cost nothing.
        let known =
            inputs.clone().filter(short).find(|arc| self.asked.contains(&(arc.place, true)));
        if let Some(arc) = known.or_else(|| inputs.find(short)) {
            self.ask(arc.place, true);
        }
    }

    /// The cap of a place that transitions could fill.
    fn cap(&mut self, place: PlaceId) {
        if self.units && self.deriver.found.upper(place).is_none_or(|tokens| tokens > 1) {
            self.safe.insert(place);
        } else {
            self.derived.extend(self.last_derivation(place, true));
        }
    }

    /// The position of the tightest bound that was derived.
    fn last_derivation(&self, place: PlaceId, upper: bool) -> Option<usize> {
        self.deriver.positions.get(&(place, upper))?.last().copied()
    }

    /// Where the derivation says that the inputs of what fills `place` are empty for ever: one of
    /// each transition.
    fn siphon_inputs(&self, place: PlaceId) -> Vec<usize> {
        let (net, found) = (self.deriver.net, self.deriver.found.steps());
        let empty = |place: PlaceId| {
            let positions = self.deriver.positions.get(&(place, true))?;
            let mut positions = positions.iter().copied();
            positions
                .find(|&at| found[at].tokens == 0 && !matches!(found[at].reason, Reason::Flow(_)))
        };
        let producers = net.producers(place).iter().map(|arc| arc.transition);
        producers.filter_map(|t| net.pre(t).iter().find_map(|arc| empty(arc.place))).collect()
    }

    /// Whether the flow's weights count the other way round for this bound: the weight of the
    /// bounded place has to be positive for an upper bound, negative for a lower one.
    fn turned(&self, position: usize, flow: usize) -> bool {
        let step = &self.deriver.found.steps()[position];
        let weight = self.deriver.flows[flow].coefficient(step.place);
        weight.is_positive() != step.upper
    }

    /// The positions of the bounds on the flow's other places that this bound rests on.
    fn ends_used(&self, position: usize, flow: usize) -> Vec<usize> {
        let step = &self.deriver.found.steps()[position];
        let turned = self.turned(position, flow);
        let terms = self.deriver.flows[flow].terms().iter();
        let others = terms.filter(|(place, _)| *place != step.place);
        let before = |(place, value): &(PlaceId, Integer)| {
            let upper = value.is_positive() == turned;
            let positions = self.deriver.positions.get(&(*place, upper))?;
            let at = positions.partition_point(|&other| other < position);
            at.checked_sub(1).map(|at| positions[at])
        };
        others.filter_map(before).collect()
    }
}

fn bound(step: &place_bounds::Derivation) -> Bound {
    Bound { place: step.place, upper: step.upper, tokens: step.tokens }
}
