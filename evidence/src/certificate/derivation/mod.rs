//! Rewrites documents as evidence for the checker in `proofs/`, whose correctness is proved in Coq.
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
mod preservation;
mod recorded;
mod refutation;
mod simple_invariants;

use super::bounds::BoundsCertificate;
use super::induction::{self, Induction};
use super::linear::LinearCertificate;
use super::propagation::{BoundLiteral, BoundPropagator};
use explainer::{ClauseOrigin, Explainer, NotWritten};
use fact::{Conclusion, Derivation, Fact, FactNumber, Multiples, Numbering, contradiction};
pub(crate) use formula::{Formula, Inequality, write_predicate};
use parikh_net::{Atom, Net, Predicate, UnitId};
use preservation::Firing;
pub(crate) use recorded::{FactProof, RecordedFact};
use refutation::{refute, resolve};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

/// The maximum number of disjuncts of a predicate that documents may refute one by one.
const MAX_PARTS: usize = 8;

/// A writer of evidence, as text, that the predicates of numbered statements are unreachable. Facts
/// are numbered consecutively through the whole text.
pub(crate) struct DocumentWriter<'n> {
    net: &'n Net,
    /// The text of the evidence written so far.
    pub(crate) text: String,
    /// The number of facts so far.
    fact_count: usize,
    /// The assumptions that a unit and all units around it together hold at most one token. There
    /// is one assumption per unit, indexed by `UnitId`, and these are the first facts. Empty if the
    /// units are not assumed to be safe.
    safe_units: Vec<Inequality>,
    /// The assumptions, the facts that are proved by induction, and bounds that follow from them,
    /// in the order of their numbers.
    recorded: Vec<RecordedFact>,
    /// The negations of refuted disjuncts, by the number of the statement and the index of the
    /// disjunct.
    refuted_parts: HashMap<(usize, usize), Fact>,
}

/// A function that tries to refute a predicate whose leaves are comparisons. It gets its own copy
/// of an explainer. Returns `None` if it finds no refutation.
type Attempt<'a> =
    dyn Fn(&mut Explainer, &Predicate) -> Result<Option<Derivation>, NotWritten> + 'a;

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
        let assumed = |(number, inequality): (usize, &Inequality)| RecordedFact {
            number,
            formula: Formula::AtMost(inequality.clone()),
            proof: FactProof::Assumed,
        };
        DocumentWriter {
            net,
            text: String::new(),
            fact_count: safe_units.len(),
            recorded: safe_units.iter().enumerate().map(assumed).collect(),
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

    /// Returns the assumptions, the facts that are proved by induction, and bounds that follow from
    /// them, in the order of their numbers.
    pub(crate) fn recorded_facts(&self) -> &[RecordedFact] {
        &self.recorded
    }

    /// Records a fact.
    fn record(&mut self, number: usize, formula: Formula, proof: FactProof) {
        self.recorded.push(RecordedFact { number, formula, proof });
    }

    /// Returns the number of facts so far.
    pub(crate) fn fact_count(&self) -> usize {
        self.fact_count
    }

    /// Cuts the text to `length` bytes, and forgets all facts but the first `fact_count`.
    pub(crate) fn truncate(&mut self, length: usize, fact_count: usize) {
        self.text.truncate(length);
        self.refuted_parts.retain(|_, fact| fact.is_before(fact_count));
        self.recorded.retain(|fact| fact.number < fact_count);
        self.fact_count = fact_count;
    }

    /// Writes the derivation of bounds, and refutes the target predicates that the bounds exclude.
    /// Returns the numbers of the refuted statements.
    ///
    /// # Errors
    /// The reason that the document is not covered.
    pub(crate) fn bounds(
        &mut self,
        bounds: &BoundsCertificate,
        targets: &[Target<'_>],
    ) -> Result<Vec<usize>, NotWritten> {
        let bounds_only = Induction {
            bounds: bounds.clone(),
            atoms: Vec::new(),
            remainders: Vec::new(),
            clauses: Vec::new(),
            steps: Vec::new(),
            ending: Vec::new(),
        };
        self.induction(&bounds_only, targets)
    }

    /// Writes an inductive invariant, and refutes the target predicates that the invariant
    /// excludes. Returns the numbers of the refuted statements.
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
        // A question such as OneSafe has a target for each place, and the bounds refute it at once.
        let (mut refuted, targets) = self.refute_by_bounds(targets, &first_bounds);
        if targets.is_empty() && induction.clauses.is_empty() {
            return Ok(refuted);
        }
        let derived = induction.bounds.check(self.net, &mut || true).map_err(|_| UNCHECKED)?;
        let mut propagator = induction::propagator_of_places(self.net, &derived);
        let literals: Vec<BoundLiteral> =
            induction.atoms.iter().map(|atom| propagator.literal(atom)).collect();
        let fixed = induction.fixed(self.net, &literals);
        propagator.compose(&fixed, &[], &mut || true);
        let clause_count = induction.clauses.len();
        let numbering = Numbering::global(self.fact_count + clause_count);
        let mut explainer =
            Explainer::new(propagator, self.net.place_count(), first_bounds.clone(), numbering);
        let mut clauses = Vec::with_capacity(clause_count);
        // The facts of the clauses have the numbers before those of the consequences.
        let mut clause_numbering = Numbering::global(self.fact_count);
        for clause in &induction.clauses {
            let clause = resolve(clause, &literals)?;
            let formula = explainer.clause_formula(&clause);
            explainer.add(clause.clone(), ClauseOrigin::Fact(clause_numbering.push(&formula)));
            explainer.fix_global();
            clauses.push((clause, formula));
        }
        for step in &induction.steps {
            let is_new = explainer.conclude_globally(resolve(step, &literals)?)?;
            is_new.ok_or("a step does not follow")?;
        }
        // For each clause, one reason for each transition that may make the clause false.
        let mut reasons = Vec::with_capacity(clause_count);
        let effects = induction::effects(self.net);
        for (clause, formula) in &clauses {
            let falsifying =
                induction::falsifying_transitions(&explainer.propagator, clause, &effects);
            let mut clause_reasons = Vec::new();
            for (t, changes) in falsifying.map_err(|_| OVERFLOW)? {
                let changes = changes.into_iter().collect();
                let firing = Firing { transition: t, clause, formula, changes };
                clause_reasons.push(self.preservation(&mut explainer, &first_bounds, &firing)?);
            }
            reasons.push(clause_reasons);
        }
        self.write_inductive(&clauses, &reasons, &first_bounds, &mut explainer);
        refuted.extend(self.refute_targets(&mut explainer, &targets, &|local, predicate| {
            let (_, added) = induction.variables(predicate);
            let mut literals = literals.clone();
            literals.extend(added.into_iter().map(|atom| local.propagator.literal(atom)));
            local.record_new_sums();
            refute(local, predicate, literals, &|_| true, &induction.ending)
        })?);
        Ok(refuted)
    }

    /// Writes the lemmas of a linear certificate, and refutes the target predicates that the lemmas
    /// exclude. Returns the numbers of the refuted statements.
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
            // The negation of the clause is assumed. Its facts get the next numbers.
            let mut inner = Numbering::global(self.fact_count);
            let assumed = inner.push(&formula.negated());
            let facts = match &assumed {
                Fact::All(facts) => facts.to_vec(),
                fact => vec![fact.clone()],
            };
            // The multiples of all inequalities of the lemma add up to a contradiction.
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

    /// Refutes each target predicate as a whole. If that fails, refutes single disjuncts of a
    /// disjunction, because several documents together may refute all of its disjuncts. `attempt`
    /// refutes one predicate, whose leaves are comparisons, with a copy of the explainer. Returns
    /// the numbers of the refuted statements.
    fn refute_targets(
        &mut self,
        explainer: &mut Explainer,
        targets: &[Target<'_>],
        attempt: &Attempt<'_>,
    ) -> Result<Vec<usize>, NotWritten> {
        let mut refuted = Vec::new();
        for &(number, predicate) in targets {
            // An attempt works on a copy. Only the global facts that it derives are kept.
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

    /// Returns the refutation of the disjunction `whole` of statement `number` from the recorded
    /// negations of its disjuncts. Returns `None` if a negation is missing or has another form.
    fn refutation_by_parts(
        &self,
        number: usize,
        whole: &Predicate,
        part_count: usize,
    ) -> Option<Derivation> {
        // `whole` has nested disjunctions flattened, so one disjunct may have several negations.
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

const UNCHECKED: NotWritten = "the document has a part that its checker does not use";
const OVERFLOW: NotWritten = "the numbers are too large";
