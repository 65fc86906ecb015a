//! Documents as evidence for the checker in `proofs/`, which is proved in Coq.
//!
//! A document leaves the search for consequences to its checker. The proved checker searches for
//! nothing: a derivation lists every sum of comparisons and every case. This module repeats the
//! checks of a document with a [`BoundPropagator`](super::propagation::BoundPropagator), and writes
//! down the reasons that it has recorded. `docs/proved-checker.md` describes the format.
//!
//! Nothing here has to be trusted: the proved checker refuses a wrong derivation.

mod explainer;
mod fact;
mod formula;

use super::bounds::{BoundStep, BoundsCertificate, TokenBound};
use super::induction::{self, Induction};
use super::linear::LinearCertificate;
use super::lower_bound::LowerBound;
use super::propagation::{BoundLiteral, BoundPropagator};
use explainer::{ClauseOrigin, Draft, Explainer, NotWritten, TermMeaning, comparison, product};
use fact::{Conclusion, Derivation, Fact, FactNumber, Multiples, Numbering, contradiction};
pub(crate) use formula::write_predicate;
use formula::{Formula, Inequality};
use parikh_net::{Atom, Net, PlaceId, Predicate, TransitionId, UnitId};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

/// The maximum number of disjuncts of a predicate that documents may refute one by one.
const MAX_PARTS: usize = 8;

/// The maximum number of literals that are chosen for a case distinction.
const MAX_CASES: usize = 2_000;

/// Evidence that statements are unreachable, as text. Facts are numbered through the whole text.
pub(crate) struct DocumentWriter<'n> {
    net: &'n Net,
    /// The evidence so far.
    pub(crate) text: String,
    /// The number of facts so far.
    fact_count: usize,
    /// The assumptions that each unit of the model with the units around it holds at most one token,
    /// by unit. They are the first facts. Empty if nothing is assumed.
    safe_units: Vec<Inequality>,
    /// The negations of refuted disjuncts, by the number of the statement and the index of the
    /// disjunct.
    refuted_parts: HashMap<(usize, usize), Fact>,
}

/// A predicate to refute, with the number of its statement.
pub(crate) type Target<'p> = (usize, &'p Predicate);

impl<'n> DocumentWriter<'n> {
    /// Begins without evidence. The claim of the model that its units are safe is an assumption if
    /// `assumes_units`.
    pub(crate) fn new(net: &'n Net, assumes_units: bool) -> Self {
        let mut safe_units = Vec::new();
        if let Some(units) = net.safe_units().filter(|_| assumes_units) {
            for number in 0..units.len() {
                let mut sum: BTreeMap<usize, i128> = BTreeMap::new();
                let mut enclosing = Some(UnitId::new(number));
                while let Some(unit) = enclosing {
                    let unit = units.get(unit);
                    unit.places.iter().for_each(|p| *sum.entry(p.index()).or_default() += 1);
                    enclosing = unit.parent;
                }
                safe_units.push(Inequality::new(sum, 1));
            }
        }
        DocumentWriter {
            net,
            text: String::new(),
            fact_count: safe_units.len(),
            safe_units,
            refuted_parts: HashMap::new(),
        }
    }

    /// Writes the assumptions.
    pub(crate) fn write_assumptions(&self, out: &mut String) {
        let _ = writeln!(out, "assumptions {}", self.safe_units.len());
        for inequality in &self.safe_units {
            out.push_str("most ");
            inequality.write(out);
            out.push('\n');
        }
    }

    /// Returns the number of facts so far.
    pub(crate) fn fact_count(&self) -> usize {
        self.fact_count
    }

    /// Removes the evidence after a length of the text and a number of facts.
    pub(crate) fn truncate(&mut self, length: usize, fact_count: usize) {
        self.text.truncate(length);
        self.refuted_parts.retain(|_, fact| fact.is_before(fact_count));
        self.fact_count = fact_count;
    }

    /// Writes bounds, and refutes the predicates that they exclude. Returns the numbers of the
    /// refuted statements.
    ///
    /// # Errors
    /// The reason that the document is not covered.
    pub(crate) fn bounds(
        &mut self,
        bounds: &BoundsCertificate,
        targets: &[Target<'_>],
    ) -> Result<Vec<usize>, NotWritten> {
        let bare = Induction {
            bounds: bounds.clone(),
            atoms: Vec::new(),
            remainders: Vec::new(),
            clauses: Vec::new(),
            steps: Vec::new(),
            ending: Vec::new(),
        };
        self.induction(&bare, targets)
    }

    /// Writes an inductive invariant, and refutes the predicates that it excludes. Returns the
    /// numbers of the refuted statements.
    ///
    /// # Errors
    /// The reason that the document is not covered.
    pub(crate) fn induction(
        &mut self,
        induction: &Induction,
        targets: &[Target<'_>],
    ) -> Result<Vec<usize>, NotWritten> {
        if !induction.remainders.is_empty() {
            return Err("remainders of sums are not covered");
        }
        let first_bounds = self.known_bounds(&induction.bounds)?;
        let derived = induction.bounds.check(self.net, &mut || true).map_err(|_| UNCHECKED)?;
        let mut propagator = induction::terms(self.net, &derived);
        let literals: Vec<BoundLiteral> =
            induction.atoms.iter().map(|atom| propagator.literal(atom)).collect();
        let fixed = induction.fixed(self.net, &literals);
        propagator.compose(&fixed, &[], &mut || true);
        let clause_count = induction.clauses.len();
        let numbering = Numbering::global(self.fact_count + clause_count);
        let mut explainer =
            Explainer::new(propagator, self.net.place_count(), first_bounds.clone(), numbering);
        let mut clauses = Vec::with_capacity(clause_count);
        let mut own = Numbering::global(self.fact_count);
        for clause in &induction.clauses {
            let clause = resolve(clause, &literals)?;
            let formula = explainer.clause_formula(&clause);
            explainer.add(clause.clone(), ClauseOrigin::Fact(own.push(&formula)));
            explainer.fix_global();
            clauses.push((clause, formula));
        }
        for step in &induction.steps {
            let is_new = explainer.conclude_globally(resolve(step, &literals)?)?;
            is_new.ok_or("a step does not follow")?;
        }
        let mut reasons = Vec::with_capacity(clause_count);
        let effects = induction::effects(self.net);
        for (clause, formula) in &clauses {
            let falsifying =
                induction::falsifying_transitions(&explainer.propagator, clause, &effects);
            let mut of_clause = Vec::new();
            for (t, changes) in falsifying.map_err(|_| OVERFLOW)? {
                let changes = changes.into_iter().collect();
                let firing = Firing { transition: t, clause, formula, changes };
                of_clause.push(self.preservation(&mut explainer, &first_bounds, &firing)?);
            }
            reasons.push(of_clause);
        }
        self.write_inductive(&clauses, &reasons, &mut explainer);
        self.refute_targets(&mut explainer, targets, &|local, predicate| {
            let (_, added) = induction.variables(predicate);
            let mut literals = literals.clone();
            literals.extend(added.into_iter().map(|atom| local.propagator.literal(atom)));
            local.name_rows();
            refute(local, predicate, literals, &|_| true, &induction.ending)
        })
    }

    /// Writes the lemmas of a linear certificate, and refutes the predicates that they exclude.
    /// Returns the numbers of the refuted statements.
    ///
    /// # Errors
    /// The reason that the document is not covered.
    pub(crate) fn linear(
        &mut self,
        linear: &LinearCertificate,
        targets: &[Target<'_>],
    ) -> Result<Vec<usize>, NotWritten> {
        if !linear.counters.is_empty() {
            return Err("counters of firings are not covered");
        }
        if !linear.precedences.is_empty() {
            return Err("precedences are not covered");
        }
        let first_bounds = match linear.lower_bounds.is_empty() {
            true => HashMap::new(),
            false => self.known_bounds(&linear.bounds)?,
        };
        let traps: Vec<Fact> = linear.traps.iter().map(|trap| self.trap(trap)).collect();
        let mut lower_bounds = Vec::new();
        for bound in &linear.lower_bounds {
            lower_bounds.push(self.lower_bound(bound, &first_bounds)?);
        }
        let mut lemmas = Vec::with_capacity(linear.lemmas.len());
        for lemma in &linear.lemmas {
            let sum = match lemma.weights.is_empty() {
                true => None,
                false => Some(self.weighted(&lemma.weights)?),
            };
            let atom = |&(index, _): &(usize, i128)| {
                Formula::AtMost(Inequality::of(&linear.atoms[index]).negated())
            };
            let formula = Formula::any(lemma.atoms.iter().map(atom).collect());
            let mut inner = Numbering::global(self.fact_count);
            let assumed = inner.push(&formula.negated());
            let facts = match &assumed {
                Fact::All(facts) => facts.to_vec(),
                fact => vec![fact.clone()],
            };
            let mut terms: Multiples = Vec::new();
            let atoms = facts.iter().zip(lemma.atoms.iter().map(|it| it.1));
            let traps = lemma.traps.iter().map(|&(index, factor)| (&traps[index], factor));
            let bounds = lemma.lower_bounds.iter();
            let bounds = bounds.map(|&(index, factor)| (&lower_bounds[index], factor));
            for (fact, factor) in atoms.chain(traps).chain(bounds).chain(sum.iter().zip([1])) {
                let Fact::Comparison(number, _) = fact else { return Err(UNCHECKED) };
                terms.push((*number, factor));
            }
            for &(unit, factor) in &lemma.units {
                self.safe_units.get(unit.index()).ok_or(UNCHECKED)?;
                terms.push((FactNumber::Global(unit.index()), factor));
            }
            let derivation = Derivation::from(Conclusion::Sum(terms));
            lemmas.push((self.follows(&formula, &derivation), lemma));
        }
        let mut propagator = BoundPropagator::default();
        self.net.places().for_each(|_| {
            propagator.add_term(Some(0), None);
        });
        let literals: Vec<BoundLiteral> =
            linear.atoms.iter().map(|atom| propagator.literal(atom)).collect();
        let numbering = Numbering::global(self.fact_count);
        let mut explainer =
            Explainer::new(propagator, self.net.place_count(), HashMap::new(), numbering);
        for (fact, lemma) in lemmas {
            let clause = lemma.atoms.iter().map(|&(atom, _)| literals[atom].negated()).collect();
            explainer.add(clause, ClauseOrigin::Fact(fact));
            explainer.fix_global();
        }
        let checked = linear.lemmas();
        let is_covered = |atom: &Atom| checked.has_variable(atom);
        self.refute_targets(&mut explainer, targets, &|local, predicate| {
            refute(local, predicate, literals.clone(), &is_covered, &linear.steps)
        })
    }

    /// Refutes predicates, or disjuncts of a predicate of which other documents refute the others.
    /// `attempt` refutes one predicate, whose leaves are comparisons, with a copy of the explainer.
    /// Returns the numbers of the refuted statements.
    fn refute_targets(
        &mut self,
        explainer: &mut Explainer,
        targets: &[Target<'_>],
        attempt: &dyn Fn(&mut Explainer, &Predicate) -> Result<Option<Derivation>, NotWritten>,
    ) -> Result<Vec<usize>, NotWritten> {
        let mut refuted = Vec::new();
        for &(number, predicate) in targets {
            let derive = |explainer: &mut Explainer, predicate: &Predicate| {
                let mut local = explainer.clone();
                let derivation = attempt(&mut local, predicate);
                explainer.global = local.global;
                derivation
            };
            let whole = predicate.to_atoms(self.net);
            if let Some(derivation) = derive(explainer, &whole)? {
                self.write_refutation(number, &derivation, explainer);
                refuted.push(number);
                continue;
            }
            let Predicate::Or(parts) = predicate else { continue };
            if parts.len() > MAX_PARTS {
                continue;
            }
            for (index, part) in parts.iter().enumerate() {
                let part = part.to_atoms(self.net);
                if self.refuted_parts.contains_key(&(number, index)) {
                    continue;
                }
                let Some(derivation) = derive(explainer, &part)? else { continue };
                self.write_new_consequences(explainer);
                let formula = Formula::of(&part).ok_or(UNCHECKED)?;
                let fact = self.follows(&formula.negated(), &derivation);
                explainer.global.numbering = Numbering::global(self.fact_count);
                self.refuted_parts.insert((number, index), fact);
            }
            if let Some(derivation) = self.refutation_by_parts(number, &whole, parts.len()) {
                self.write_refutation(number, &derivation, explainer);
                refuted.push(number);
            }
        }
        Ok(refuted)
    }

    /// Returns the refutation of a disjunction whose disjuncts are all refuted, or `None` if one is
    /// not.
    fn refutation_by_parts(
        &self,
        number: usize,
        whole: &Predicate,
        part_count: usize,
    ) -> Option<Derivation> {
        // The disjuncts of a disjunct are disjuncts of the whole.
        let mut negations: Vec<&Fact> = Vec::new();
        for index in 0..part_count {
            match self.refuted_parts.get(&(number, index))? {
                Fact::All(facts) => negations.extend(facts.iter()),
                fact => negations.push(fact),
            }
        }
        let mut numbering = Numbering::local(0);
        let Fact::Any(root, cases) = numbering.push(&Formula::of(whole)?) else { return None };
        if cases.len() != negations.len() {
            return None;
        }
        let case = |(case, negation): (&Formula, &&Fact)| {
            let mut numbering = numbering;
            let assumed = numbering.push(case);
            Some(Derivation::from(contradiction(&assumed, Some(negation), numbering)?))
        };
        let cases = cases.iter().zip(&negations).map(case).collect::<Option<_>>()?;
        Some(Conclusion::Cases(root, cases).into())
    }

    /// Writes the derivation of bounds, and returns the tightest ones as facts.
    fn known_bounds(&mut self, bounds: &BoundsCertificate) -> Result<KnownBounds, NotWritten> {
        let mut known = KnownBounds::new();
        for step in &bounds.steps {
            match step {
                BoundStep::Inductive(bounds) => self.inductive_bounds(bounds, &mut known),
                BoundStep::Weighted { weights, bounds } => {
                    let sum = self.weighted(weights)?;
                    let before = known.clone();
                    for bound in bounds {
                        let fact = self.bound_by_weights(&sum, bound, &before)?;
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

    /// Writes bounds that are inductive together.
    fn inductive_bounds(&mut self, bounds: &[TokenBound], known: &mut KnownBounds) {
        let mut numbering = Numbering::global(self.fact_count);
        for bound in bounds {
            let fact = numbering.push(&Formula::AtMost(bound_inequality(bound)));
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
            self.write_blocked(transitions, known, base);
        }
        self.text.push_str(" 0\n");
        self.fact_count = base;
    }

    /// Writes for each transition the reason that an upper bound disables it, if there is one.
    /// `base` is the number of facts of the check of inductive clauses.
    fn write_blocked(
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
    fn weighted(&mut self, weights: &[(PlaceId, i128)]) -> Result<Fact, NotWritten> {
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

    /// Writes a comparison that every firing preserves, as the checker sees at once.
    fn preserved_at_once(&mut self, inequality: Inequality) -> Fact {
        self.text.push_str("inductive 1 most ");
        inequality.write(&mut self.text);
        self.text.push_str(" 0 0\n");
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
        let derivation = Derivation::from(Conclusion::Sum(terms));
        Ok(self.follows(&Formula::AtMost(bound_inequality(bound)), &derivation))
    }

    /// Writes that a place of a safe unit holds at most one token.
    fn bound_by_unit(&mut self, bound: &TokenBound) -> Result<Fact, NotWritten> {
        let has_place =
            |unit: &Inequality| unit.sum.iter().any(|&(place, _)| place == bound.place.index());
        let unit = self.safe_units.iter().position(has_place).ok_or(UNCHECKED)?;
        let negation = FactNumber::Global(self.fact_count);
        let terms = vec![(FactNumber::Global(unit), 1), (negation, 1)];
        let derivation = Derivation::from(Conclusion::Sum(terms));
        Ok(self.follows(&Formula::AtMost(bound_inequality(bound)), &derivation))
    }

    /// Writes that a marked trap stays marked.
    fn trap(&mut self, trap: &[PlaceId]) -> Fact {
        let places: std::collections::BTreeSet<usize> =
            trap.iter().map(|place| place.index()).collect();
        self.preserved_at_once(Inequality::new(places.into_iter().map(|place| (place, -1)), -1))
    }

    /// Writes that a weighted sum of tokens never falls below a number.
    fn lower_bound(
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
        self.write_blocked(transitions, known, base);
        self.text.push_str(" 0\n");
        self.fact_count = base;
        Ok(comparison(FactNumber::Global(base - 1), inequality))
    }

    /// Writes a formula whose negation contradicts the facts so far.
    fn follows(&mut self, formula: &Formula, derivation: &Derivation) -> Fact {
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

    /// Returns the reason that a firing preserves a clause.
    fn preservation(
        &self,
        explainer: &mut Explainer,
        known: &KnownBounds,
        firing: &Firing<'_>,
    ) -> Result<Preservation, NotWritten> {
        let t = firing.transition;
        let mut draft = Draft::new(Numbering::local(0));
        let mut assumed = Vec::new();
        let mut assume = |draft: &mut Draft, literal: BoundLiteral, inequality: Inequality| {
            let fact = draft.numbering.push(&Formula::AtMost(inequality));
            draft.assume(literal, fact);
            assumed.push(literal);
        };
        for arc in self.net.pre(t) {
            let (term, bound) = (arc.place.index(), i128::from(arc.weight));
            let literal = BoundLiteral { term, upper: false, bound };
            assume(&mut draft, literal, Inequality::new([(term, -1)], -bound));
        }
        for (position, literal) in firing.clause.iter().enumerate() {
            let change = firing.changes.get(&position).copied().unwrap_or(0);
            let literal = literal.negated().precondition(change).map_err(|_| OVERFLOW)?;
            let Formula::AtMost(part) = part_of(firing.formula, position) else {
                return Err(UNCHECKED);
            };
            assume(&mut draft, literal, self.before(t, &part.negated())?);
        }
        let mut after = Vec::new();
        for change in self.net.delta(t) {
            let key = (change.place.index(), true);
            if let Some(Fact::Comparison(FactNumber::Global(number), high)) = known.get(&key)
                && change.delta > 0
            {
                let literal = BoundLiteral { term: key.0, upper: true, bound: high.bound };
                let literal = literal.precondition(change.delta.into()).map_err(|_| OVERFLOW)?;
                assume(&mut draft, literal, self.before(t, high)?);
                after.push(*number);
            }
        }
        let derivation = explainer.refute_facts(draft, &assumed)?.ok_or("a clause is lost")?;
        Ok(Preservation { transition: t, after, derivation })
    }

    /// Returns the comparison that holds before a firing if the one given holds after it.
    fn before(&self, t: TransitionId, inequality: &Inequality) -> Result<Inequality, NotWritten> {
        let sum: HashMap<usize, i128> = inequality.sum.iter().copied().collect();
        let mut bound = inequality.bound;
        for change in self.net.delta(t) {
            let a = sum.get(&change.place.index()).copied().unwrap_or(0);
            bound = bound.checked_sub(product(a, change.delta.into())?).ok_or(OVERFLOW)?;
        }
        Ok(Inequality { sum: inequality.sum.clone(), bound })
    }

    /// Writes clauses that are inductive together, with their consequences so far.
    fn write_inductive(
        &mut self,
        clauses: &[(Vec<BoundLiteral>, Formula)],
        reasons: &[Vec<Preservation>],
        explainer: &mut Explainer,
    ) {
        self.fact_count += clauses.len();
        if clauses.is_empty() {
            return;
        }
        let base = explainer.global.numbering.count();
        let _ = write!(self.text, "inductive {}", clauses.len());
        for ((_, formula), reasons) in clauses.iter().zip(reasons) {
            self.text.push('\n');
            formula.write(&mut self.text);
            let _ = write!(self.text, " {}", reasons.len());
            for Preservation { transition, after, derivation } in reasons {
                let _ = write!(self.text, "\nafter {} {}", transition.index(), after.len());
                after.iter().for_each(|number| {
                    let _ = write!(self.text, " {number}");
                });
                self.text.push(' ');
                derivation.write(base, &mut self.text);
            }
        }
        self.text.push('\n');
        self.write_consequences(explainer);
    }

    /// Writes the number of consequences that were added since the last call, and the consequences.
    fn write_consequences(&mut self, explainer: &mut Explainer) {
        let lines = std::mem::take(&mut explainer.global.lines);
        let _ = writeln!(self.text, "{}", lines.len());
        let mut numbering = Numbering::global(self.fact_count);
        for line in &lines {
            line.write_consequence(numbering.count(), &mut self.text);
            self.text.push('\n');
            numbering.push(&line.formula());
        }
        self.fact_count = numbering.count();
    }

    /// Writes the consequences that were added since the last call, if there are any.
    fn write_new_consequences(&mut self, explainer: &mut Explainer) {
        if !explainer.global.lines.is_empty() {
            self.text.push_str("follows ");
            self.write_consequences(explainer);
        }
    }

    /// Writes the refutation of a statement, after the consequences that it needs.
    fn write_refutation(
        &mut self,
        number: usize,
        derivation: &Derivation,
        explainer: &mut Explainer,
    ) {
        self.write_new_consequences(explainer);
        let _ = write!(self.text, "refutes {number} ");
        derivation.write(self.fact_count, &mut self.text);
        self.text.push('\n');
    }
}

/// Known bounds as facts, by place and side; true for an upper bound.
type KnownBounds = HashMap<(usize, bool), Fact>;

const UNCHECKED: NotWritten = "the document has a part that its checker does not use";
const OVERFLOW: NotWritten = "the numbers are too large";

/// A firing that may make a literal of a clause false.
struct Firing<'c> {
    transition: TransitionId,
    clause: &'c [BoundLiteral],
    formula: &'c Formula,
    /// The changes of the terms of literals, by position in the clause.
    changes: BTreeMap<usize, i128>,
}

/// The reason that a firing preserves a clause.
struct Preservation {
    transition: TransitionId,
    /// The numbers of the facts that are used in the marking after the firing.
    after: Vec<usize>,
    derivation: Derivation,
}

/// Returns the part of a clause with this index.
fn part_of(clause: &Formula, index: usize) -> &Formula {
    match clause {
        Formula::Any(parts) => &parts[index],
        formula => formula,
    }
}

/// Returns the literals of a clause, whose variables are numbered from 1.
fn resolve(clause: &[i32], literals: &[BoundLiteral]) -> Result<Vec<BoundLiteral>, NotWritten> {
    let literal = |&variable: &i32| {
        let index = (variable.unsigned_abs() as usize).checked_sub(1)?;
        let literal = *literals.get(index)?;
        Some(if variable > 0 { literal } else { literal.negated() })
    };
    clause.iter().map(literal).collect::<Option<Vec<_>>>().ok_or(UNCHECKED)
}

/// Returns the comparison of a bound.
fn bound_inequality(bound: &TokenBound) -> Inequality {
    let (place, tokens) = (bound.place.index(), i128::from(bound.tokens));
    match bound.upper {
        true => Inequality::new([(place, 1)], tokens),
        false => Inequality::new([(place, -1)], -tokens),
    }
}

/// Records the fact of a bound, unless a tighter bound of the place is known.
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

/// Returns the derivation that a predicate, whose leaves are comparisons, contradicts the facts of
/// an explainer. `literals` are those of the variables of `steps`, to which the variables of
/// conjunctions and disjunctions are added. Comparisons that are not covered count as true. Returns
/// `None` if no derivation is found.
fn refute(
    explainer: &mut Explainer,
    predicate: &Predicate,
    mut literals: Vec<BoundLiteral>,
    is_covered: &dyn Fn(&Atom) -> bool,
    steps: &[Vec<i32>],
) -> Result<Option<Derivation>, NotWritten> {
    let mut draft = Draft::new(Numbering::local(0));
    let formula = Formula::of(predicate).ok_or(UNCHECKED)?;
    let fact = draft.numbering.push(&formula);
    if let (Fact::Any(number, _), Predicate::False) = (&fact, predicate) {
        return Ok(Some(Conclusion::Cases(*number, Vec::new()).into()));
    }
    let mut clauses = Vec::new();
    let root = assume(explainer, predicate, &mut literals, is_covered, &mut clauses)?;
    let Some(root) = root else { return Ok(None) };
    clauses.push((vec![root], ClauseOrigin::Fact(fact)));
    for (clause, origin) in clauses {
        if explainer.add(clause, origin) {
            return explainer.conclude(draft).map(Some);
        }
    }
    for step in steps {
        let Ok(step) = resolve(step, &literals) else { continue };
        let formula = explainer.clause_formula(&step);
        let negated: Vec<BoundLiteral> = step.iter().map(|literal| literal.negated()).collect();
        let Some(derivation) = explainer.refute(Some(&mut draft), &formula.negated(), &negated)?
        else {
            continue;
        };
        let fact = draft.cut(formula, derivation);
        if explainer.add(step, ClauseOrigin::Fact(fact)) {
            return explainer.conclude(draft).map(Some);
        }
    }
    if explainer.propagator.assume_all([]) {
        return explainer.conclude(draft).map(Some);
    }
    explainer.refute_by_cases(draft, &literals, &mut MAX_CASES.clone())
}

/// Adds the terms of a predicate, and the clauses that relate it to its parts. Returns its literal,
/// or `None` if the predicate counts as true. The order of the terms is that of
/// [`Skeleton`](super::skeleton::Skeleton).
fn assume(
    explainer: &mut Explainer,
    predicate: &Predicate,
    literals: &mut Vec<BoundLiteral>,
    is_covered: &dyn Fn(&Atom) -> bool,
    clauses: &mut Vec<(Vec<BoundLiteral>, ClauseOrigin)>,
) -> Result<Option<BoundLiteral>, NotWritten> {
    let parts = match predicate {
        Predicate::Atom(atom) if is_covered(atom) => {
            let literal = explainer.propagator.literal(atom);
            explainer.name_rows();
            return Ok(Some(literal));
        }
        Predicate::And(parts) | Predicate::Or(parts) => parts,
        _ => return Ok(None),
    };
    let term = explainer.propagator.add_term(Some(0), Some(1));
    explainer.terms.push(TermMeaning::Truth(Formula::of(predicate).ok_or(UNCHECKED)?));
    let whole = BoundLiteral { term, upper: false, bound: 1 };
    literals.push(whole);
    if matches!(predicate, Predicate::And(_)) {
        let mut is_constrained = false;
        for (index, part) in parts.iter().enumerate() {
            if let Some(part) = assume(explainer, part, literals, is_covered, clauses)? {
                clauses.push((vec![whole.negated(), part], ClauseOrigin::Part(index)));
                is_constrained = true;
            }
        }
        return Ok(is_constrained.then_some(whole));
    }
    let mut clause = vec![whole.negated()];
    for part in parts {
        match assume(explainer, part, literals, is_covered, clauses)? {
            Some(part) => clause.push(part),
            None => return Ok(None),
        }
    }
    clauses.push((clause, ClauseOrigin::Parts));
    Ok(Some(whole))
}
