//! Invariants of one comparison: place invariants, traps, lower bounds, and bounds on places.

use super::super::bounds::{BoundStep, BoundsCertificate, TokenBound};
use super::super::lower_bound::LowerBound;
use super::explainer::{NotWritten, comparison, product};
use super::fact::{
    Conclusion, Derivation, Fact, FactNumber, KnownBounds, Multiples, Numbering, contradiction,
};
use super::formula::{Formula, Inequality};
use super::recorded::FactProof;
use super::{DocumentWriter, OVERFLOW, Target, UNCHECKED};
use parikh_net::{PlaceId, TransitionId};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

impl DocumentWriter<'_> {
    /// Writes the derivation of bounds, and returns the tightest ones as facts.
    pub(super) fn known_bounds(
        &mut self,
        bounds: &BoundsCertificate,
    ) -> Result<KnownBounds, NotWritten> {
        let mut known = KnownBounds::new();
        for step in &bounds.steps {
            match step {
                BoundStep::Inductive(bounds) => self.inductive_bounds(bounds, &mut known),
                BoundStep::Weighted { weights, bounds } => {
                    let sum = self.weighted(weights)?;
                    for bound in bounds {
                        let fact = self.bound_by_weights(&sum, bound, &known)?;
                        tighten(&mut known, bound, fact);
                    }
                }
                BoundStep::SafeUnits(places) => {
                    for &place in places {
                        let bound = TokenBound { place, upper: true, tokens: 1 };
                        let fact = self.bound_by_unit(&bound)?;
                        tighten(&mut known, &bound, fact);
                    }
                }
            }
        }
        Ok(known)
    }

    /// Refutes the predicate `false` of a statement: it is a disjunction without cases.
    pub(crate) fn refute_false(&mut self, number: usize) {
        let _ = writeln!(self.text, "refutes {number} cases {} 0", self.fact_count);
    }

    /// Refutes each target that is a comparison about one place and contradicts a known bound.
    /// Returns the numbers of the refuted statements, and the other targets.
    pub(super) fn refute_by_bounds<'p>(
        &mut self,
        targets: &[Target<'p>],
        known: &KnownBounds,
    ) -> (Vec<usize>, Vec<Target<'p>>) {
        let (mut refuted, mut others) = (Vec::new(), Vec::new());
        for &(number, predicate) in targets {
            let conclusion = Formula::of(predicate).and_then(|formula| {
                let Formula::AtMost(inequality) = &formula else { return None };
                let &[(place, a)] = &*inequality.sum else { return None };
                let bound = known.get(&(place, a < 0))?;
                let mut numbering = Numbering::local(0);
                let assumed = numbering.push(&formula);
                contradiction(bound, Some(&assumed), numbering)
            });
            let Some(conclusion) = conclusion else {
                others.push((number, predicate));
                continue;
            };
            let _ = write!(self.text, "refutes {number} ");
            Derivation::from(conclusion).write(self.fact_count, &mut self.text);
            self.text.push('\n');
            refuted.push(number);
        }
        (refuted, others)
    }

    /// Writes bounds that are inductive together.
    fn inductive_bounds(&mut self, bounds: &[TokenBound], known: &mut KnownBounds) {
        let mut numbering = Numbering::global(self.fact_count);
        for bound in bounds {
            let formula = Formula::AtMost(bound_inequality(bound));
            let fact = numbering.push(&formula);
            self.record(numbering.count() - 1, formula, FactProof::Preserved);
            tighten(known, bound, fact);
        }
        let base = numbering.count();
        let _ = write!(self.text, "inductive {}", bounds.len());
        for bound in bounds {
            self.text.push_str("\nmost ");
            bound_inequality(bound).write(&mut self.text);
            let place = bound.place;
            let adjacent = self.net.producers(place).iter().chain(self.net.consumers(place));
            let mut transitions: Vec<TransitionId> = adjacent.map(|arc| arc.transition).collect();
            transitions.retain(|&t| {
                let pre = self.net.pre_weight(t, place);
                let post = self.net.post_weight(t, place);
                if bound.upper { post > pre } else { post < pre && post < bound.tokens }
            });
            self.write_disabling_reasons(transitions, known, base);
        }
        self.text.push_str(" 0\n");
        self.fact_count = base;
    }

    /// Writes for each transition the reason that an upper bound disables it, if there is one. In
    /// the checker, the facts from number `base` on state that the input places have enough tokens,
    /// in the order of the input arcs.
    fn write_disabling_reasons(
        &mut self,
        mut transitions: Vec<TransitionId>,
        known: &KnownBounds,
        base: usize,
    ) {
        transitions.sort_unstable();
        transitions.dedup();
        let reason = |&t: &TransitionId| {
            let sum = |(position, arc): (usize, &parikh_net::Arc)| {
                let known = known.get(&(arc.place.index(), true))?;
                let Fact::Comparison(FactNumber::Global(number), bound) = known else {
                    return None;
                };
                let is_too_low = bound.bound < i128::from(arc.weight);
                is_too_low.then(|| format!("sum 2 {number} 1 {} 1", base + position))
            };
            Some((t, self.net.pre(t).iter().enumerate().find_map(sum)?))
        };
        let blocked: Vec<(TransitionId, String)> = transitions.iter().filter_map(reason).collect();
        let _ = write!(self.text, " {}", blocked.len());
        for (t, sum) in blocked {
            let _ = write!(self.text, " after {} 0 {sum}", t.index());
        }
    }

    /// Writes that a weighted sum of tokens never exceeds its initial value.
    pub(super) fn weighted(&mut self, weights: &[(PlaceId, i128)]) -> Result<Fact, NotWritten> {
        let mut sum: BTreeMap<usize, i128> = BTreeMap::new();
        let mut bound = 0i128;
        for &(place, weight) in weights {
            *sum.entry(place.index()).or_default() += weight;
            let initially = product(weight, self.net.initial()[place].into())?;
            bound = bound.checked_add(initially).ok_or(OVERFLOW)?;
        }
        sum.retain(|_, weight| *weight != 0);
        Ok(self.preserved_at_once(Inequality::new(sum, bound)))
    }

    /// Writes a comparison that every firing preserves. The checker verifies this without a
    /// derivation.
    fn preserved_at_once(&mut self, inequality: Inequality) -> Fact {
        self.text.push_str("inductive 1 most ");
        inequality.write(&mut self.text);
        self.text.push_str(" 0 0\n");
        let formula = Formula::AtMost(inequality.clone());
        self.record(self.fact_count, formula, FactProof::Preserved);
        self.fact_count += 1;
        comparison(FactNumber::Global(self.fact_count - 1), inequality)
    }

    /// Writes a bound that follows from a weighted sum and the bounds of the other places.
    fn bound_by_weights(
        &mut self,
        sum: &Fact,
        bound: &TokenBound,
        known: &KnownBounds,
    ) -> Result<Fact, NotWritten> {
        let Fact::Comparison(number, sum) = sum else { return Err(UNCHECKED) };
        let own = bound.place.index();
        let mut terms: Multiples = vec![(*number, 1)];
        for &(place, weight) in sum.sum.iter() {
            if place == own {
                terms.push((FactNumber::Global(self.fact_count), weight.abs()));
            } else if let Some(Fact::Comparison(number, _)) = known.get(&(place, weight < 0)) {
                terms.push((*number, weight.abs()));
            }
        }
        let earlier = |&(number, _): &(FactNumber, i128)| match number {
            FactNumber::Global(number) if number < self.fact_count => Some(number),
            _ => None,
        };
        let proof = FactProof::Follows(terms.iter().filter_map(earlier).collect());
        let formula = Formula::AtMost(bound_inequality(bound));
        self.record(self.fact_count, formula.clone(), proof);
        Ok(self.follows(&formula, &Conclusion::Sum(terms).into()))
    }

    /// Writes that a place of a safe unit holds at most one token.
    fn bound_by_unit(&mut self, bound: &TokenBound) -> Result<Fact, NotWritten> {
        let has_place =
            |unit: &Inequality| unit.sum.iter().any(|&(place, _)| place == bound.place.index());
        let unit = self.safe_units.iter().position(has_place).ok_or(UNCHECKED)?;
        let negation = FactNumber::Global(self.fact_count);
        let terms = vec![(FactNumber::Global(unit), 1), (negation, 1)];
        let formula = Formula::AtMost(bound_inequality(bound));
        self.record(self.fact_count, formula.clone(), FactProof::Follows(vec![unit]));
        Ok(self.follows(&formula, &Conclusion::Sum(terms).into()))
    }

    /// Writes that a marked trap stays marked.
    pub(super) fn trap(&mut self, trap: &[PlaceId]) -> Fact {
        let places: BTreeSet<usize> = trap.iter().map(|place| place.index()).collect();
        self.preserved_at_once(Inequality::new(places.into_iter().map(|place| (place, -1)), -1))
    }

    /// Writes that a weighted sum of tokens never falls below a number.
    pub(super) fn lower_bound(
        &mut self,
        bound: &LowerBound,
        known: &KnownBounds,
    ) -> Result<Fact, NotWritten> {
        let mut weights: BTreeMap<usize, i128> = BTreeMap::new();
        for &(place, weight) in &bound.weights {
            *weights.entry(place.index()).or_default() += i128::from(weight);
        }
        weights.retain(|_, weight| *weight != 0);
        let negated = weights.iter().map(|(&place, &weight)| (place, -weight));
        let inequality = Inequality::new(negated, -i128::from(bound.tokens));
        let (mut least, mut terms) = (0i128, vec![(FactNumber::Global(self.fact_count), 1)]);
        for (&place, &weight) in &weights {
            if let Some(Fact::Comparison(number, low)) = known.get(&(place, false)) {
                terms.push((*number, weight));
                let own = product(weight, -low.bound)?;
                least = least.checked_add(own).ok_or(OVERFLOW)?;
            }
        }
        if least >= i128::from(bound.tokens) {
            let derivation = Derivation::from(Conclusion::Sum(terms));
            return Ok(self.follows(&Formula::AtMost(inequality), &derivation));
        }
        let base = self.fact_count + 1;
        self.text.push_str("inductive 1 most ");
        inequality.write(&mut self.text);
        let consuming = weights.keys().flat_map(|&place| self.net.consumers(PlaceId::new(place)));
        let transitions = consuming.map(|arc| arc.transition).collect();
        self.write_disabling_reasons(transitions, known, base);
        self.text.push_str(" 0\n");
        let formula = Formula::AtMost(inequality.clone());
        self.record(base - 1, formula, FactProof::Preserved);
        self.fact_count = base;
        Ok(comparison(FactNumber::Global(base - 1), inequality))
    }

    /// Writes a formula, and the derivation that its negation contradicts the facts so far.
    pub(super) fn follows(&mut self, formula: &Formula, derivation: &Derivation) -> Fact {
        self.text.push_str("follows 1 ");
        formula.write(&mut self.text);
        self.text.push(' ');
        derivation.write(self.fact_count, &mut self.text);
        self.text.push('\n');
        let mut numbering = Numbering::global(self.fact_count);
        let fact = numbering.push(formula);
        self.fact_count = numbering.count();
        fact
    }
}

/// Returns the comparison of a bound.
fn bound_inequality(bound: &TokenBound) -> Inequality {
    let (place, tokens) = (bound.place.index(), i128::from(bound.tokens));
    match bound.upper {
        true => Inequality::new([(place, 1)], tokens),
        false => Inequality::new([(place, -1)], -tokens),
    }
}

/// Records the fact of a bound, unless a bound at least as tight is known. The lower bound 0 is
/// always known, and is not recorded.
fn tighten(known: &mut KnownBounds, bound: &TokenBound, fact: Fact) {
    let key = (bound.place.index(), bound.upper);
    let limit = bound_inequality(bound).bound;
    match known.get(&key) {
        Some(Fact::Comparison(_, tight)) if tight.bound <= limit => {}
        _ if !bound.upper && bound.tokens == 0 => {}
        _ => {
            known.insert(key, fact);
        }
    }
}

/// Returns the numbers of the facts that are upper bounds, by place.
pub(super) fn upper_bounds(known: &KnownBounds) -> HashMap<usize, usize> {
    let upper = known.iter().filter_map(|(&(place, is_upper), fact)| match fact {
        Fact::Comparison(FactNumber::Global(number), _) if is_upper => Some((place, *number)),
        _ => None,
    });
    upper.collect()
}
