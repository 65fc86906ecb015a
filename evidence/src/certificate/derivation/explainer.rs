//! Turns the contradictions that a [`BoundPropagator`] finds into derivations.
//!
//! The propagator records the reason for every change of a bound. From a contradiction, the
//! explainer follows the reasons backwards, and writes one line for each change that was needed, in
//! the order of the changes.

use super::super::propagation::{BoundLiteral, BoundPropagator, ChangeReason};
use super::fact::{
    Conclusion, Derivation, Fact, FactNumber, Line, Multiples, Numbering, contradiction,
};
use super::formula::{Formula, Inequality};
use std::collections::{BTreeSet, HashMap};

/// The reason why a derivation cannot be written.
pub(super) type NotWritten = &'static str;

const INTERNAL: NotWritten = "a step of the checker has no derivation";
const OVERFLOW: NotWritten = "the numbers are too large";

/// The origin of a clause.
#[derive(Clone, Debug)]
pub(super) enum ClauseOrigin {
    /// A known fact. The literals are the parts of a disjunction, in order, or one comparison.
    Fact(Fact),
    /// A conjunction implies its part with this index. The literals are the negation of the
    /// conjunction, and the part.
    Part(usize),
    /// A disjunction implies that one of its parts is true. The literals are the negation of the
    /// disjunction, and then the parts.
    Parts,
}

/// A clause of the propagator, with its origin.
#[derive(Clone, Debug)]
pub(super) struct ExplainedClause {
    pub(super) literals: Vec<BoundLiteral>,
    pub(super) origin: ClauseOrigin,
}

/// The meaning of a term of the propagator, that is, of one of its integer variables.
#[derive(Clone, Debug)]
pub(super) enum TermMeaning {
    /// A weighted sum of tokens: indices of places with their coefficients.
    Sum(Vec<(usize, i128)>),
    /// The truth value of a formula: 1 if the formula is true, and 0 otherwise.
    Truth(Formula),
}

/// A derivation under construction: its lines so far, and the facts that it may use.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    /// The lines of the derivation so far.
    pub(super) lines: Vec<Line>,
    pub(super) numbering: Numbering,
    /// The facts that state changed bounds, by the index of the change in the propagator's trail.
    facts: HashMap<usize, Fact>,
    /// The assumed literals, each with the fact that states it.
    assumed: Vec<(BoundLiteral, Fact)>,
}

impl Draft {
    pub(super) fn new(numbering: Numbering) -> Self {
        Draft { lines: Vec::new(), numbering, facts: HashMap::new(), assumed: Vec::new() }
    }

    /// Records that `literal` is assumed, and that `fact` states it.
    pub(super) fn assume(&mut self, literal: BoundLiteral, fact: Fact) {
        self.assumed.push((literal, fact));
    }

    /// Returns a draft without lines, for a nested derivation that may use the facts of this draft.
    pub(super) fn branch(&self) -> Draft {
        Draft { lines: Vec::new(), ..self.clone() }
    }

    /// Adds a line that proves `formula` by a refutation of its negation. Returns the new fact.
    pub(super) fn prove(&mut self, formula: Formula, refutation: Derivation) -> Fact {
        let fact = self.numbering.push(&formula);
        self.lines.push(Line::Cut { formula, refutation });
        fact
    }
}

/// A propagator with the meaning of its terms and clauses.
#[derive(Clone)]
pub(super) struct Explainer {
    pub(super) propagator: BoundPropagator,
    /// The meaning of each term of the propagator.
    pub(super) terms: Vec<TermMeaning>,
    /// The clauses of the propagator, in the order in which they were added.
    clauses: Vec<ExplainedClause>,
    /// The facts that state the initial bounds of terms. The key is the index of a term, and true
    /// for an upper bound. The bound "at least 0 tokens" has no entry.
    first_bounds: HashMap<(usize, bool), Fact>,
    /// The number of changes at the beginning of the trail that hold in every reachable marking.
    pub(super) global_length: usize,
    /// The facts that hold in every reachable marking, and the lines that prove the latest of them.
    pub(super) global: Draft,
}

impl Explainer {
    /// Makes an explainer of a propagator whose terms are places so far.
    pub(super) fn new(
        propagator: BoundPropagator,
        place_count: usize,
        first_bounds: HashMap<(usize, bool), Fact>,
        numbering: Numbering,
    ) -> Self {
        let terms = (0..place_count).map(|place| TermMeaning::Sum(vec![(place, 1)])).collect();
        let global_length = propagator.trail().len();
        let mut explainer = Explainer {
            propagator,
            terms,
            clauses: Vec::new(),
            first_bounds,
            global_length,
            global: Draft::new(numbering),
        };
        explainer.record_new_sums();
        explainer
    }

    /// Records the meaning of the terms that the propagator has added for sums of places.
    pub(super) fn record_new_sums(&mut self) {
        for term in self.terms.len()..self.propagator.term_count() {
            self.terms.push(TermMeaning::Sum(self.propagator.summands(term)));
        }
    }

    /// Adds a clause permanently and propagates. Returns true on a contradiction.
    pub(super) fn add(&mut self, literals: Vec<BoundLiteral>, origin: ClauseOrigin) -> bool {
        let contradiction = self.propagator.add(&literals);
        self.clauses.push(ExplainedClause { literals, origin });
        contradiction
    }

    /// Declares that all changes so far hold in every reachable marking.
    pub(super) fn fix_global(&mut self) {
        self.global_length = self.propagator.trail().len();
    }

    /// Adds a clause that follows from the global facts by propagation. Returns `None` if it does
    /// not follow.
    pub(super) fn conclude_globally(
        &mut self,
        clause: Vec<BoundLiteral>,
    ) -> Result<Option<()>, NotWritten> {
        let formula = self.clause_formula(&clause);
        let negated: Vec<BoundLiteral> = clause.iter().map(|literal| literal.negated()).collect();
        let refutation = self.refute(None, &formula.negated(), &negated)?;
        let Some(refutation) = refutation else { return Ok(None) };
        let fact = self.global.prove(formula, refutation);
        self.add(clause, ClauseOrigin::Fact(fact));
        self.fix_global();
        Ok(Some(()))
    }

    /// Returns the refutation of `literals`, which the draft records as assumed. Returns `None` if
    /// propagation finds no contradiction.
    pub(super) fn refute_facts(
        &mut self,
        draft: Draft,
        literals: &[BoundLiteral],
    ) -> Result<Option<Derivation>, NotWritten> {
        let length = self.propagator.trail().len();
        let derivation = match self.propagator.assume_all(literals.iter().copied()) {
            true => Some(self.conclude(draft)?),
            false => None,
        };
        self.propagator.backtrack(length);
        Ok(derivation)
    }

    /// Returns the disjunction of literals.
    pub(super) fn clause_formula(&self, clause: &[BoundLiteral]) -> Formula {
        Formula::any(clause.iter().map(|&literal| self.formula(literal)).collect())
    }

    /// Returns the formula of a literal.
    pub(super) fn formula(&self, literal: BoundLiteral) -> Formula {
        match &self.terms[literal.term] {
            TermMeaning::Sum(_) => Formula::AtMost(self.inequality(literal)),
            TermMeaning::Truth(formula) if literal.upper => formula.negated(),
            TermMeaning::Truth(formula) => formula.clone(),
        }
    }

    /// Returns the comparison of a literal, whose term is a sum.
    fn inequality(&self, literal: BoundLiteral) -> Inequality {
        let sum = match &self.terms[literal.term] {
            TermMeaning::Sum(sum) => &sum[..],
            TermMeaning::Truth(_) => &[],
        };
        let sign = if literal.upper { 1 } else { -1 };
        Inequality::new(sum.iter().map(|&(place, a)| (place, sign * a)), sign * literal.bound)
    }

    /// Returns the derivation of the contradiction that the propagator has found.
    pub(super) fn conclude(&mut self, mut draft: Draft) -> Result<Derivation, NotWritten> {
        let (literal, reason) = self.propagator.conflict().ok_or(INTERNAL)?;
        let end = self.propagator.trail().len();
        let needed = self.needed_for_conflict()?;
        self.derive_all(needed, &mut draft)?;
        let fact = self.derive(literal, reason, end, &mut draft)?;
        let opposite = self.bound_fact(literal.term, !literal.upper, end, &draft);
        let conclusion = contradiction(&fact, opposite.as_ref(), draft.numbering);
        Ok(Derivation { lines: draft.lines, conclusion: conclusion.ok_or(INTERNAL)? })
    }

    /// Derives a fact for each change in `needed`, and for all changes that these depend on.
    /// `needed` has indices of the trail. Changes that hold in every reachable marking become
    /// global facts, and all others become facts of the draft.
    fn derive_all(&mut self, needed: Vec<usize>, draft: &mut Draft) -> Result<(), NotWritten> {
        for index in self.underived(needed, draft) {
            let change = self.propagator.trail()[index];
            let literal =
                BoundLiteral { term: change.term, upper: change.upper, bound: change.bound };
            if index < self.global_length {
                let mut global = std::mem::replace(&mut self.global, Draft::new(draft.numbering));
                let fact = self.derive(literal, change.reason, index, &mut global);
                self.global = global;
                self.global.facts.insert(index, fact?);
            } else {
                let fact = self.derive(literal, change.reason, index, draft)?;
                draft.facts.insert(index, fact);
            }
        }
        Ok(())
    }

    /// Returns the changes that have no fact yet, as indices of the trail, in order. The result
    /// covers the changes in `needed`, and all changes that these depend on.
    fn underived(&self, needed: Vec<usize>, draft: &Draft) -> BTreeSet<usize> {
        let mut open = needed;
        let mut changes: BTreeSet<usize> = BTreeSet::new();
        while let Some(index) = open.pop() {
            let is_known =
                self.global.facts.contains_key(&index) || draft.facts.contains_key(&index);
            if is_known || !changes.insert(index) {
                continue;
            }
            let change = self.propagator.trail()[index];
            let literal =
                BoundLiteral { term: change.term, upper: change.upper, bound: change.bound };
            open.extend(self.antecedents(literal, change.reason, index));
        }
        changes
    }

    /// Returns the changes that the contradiction found depends on directly, as indices of the
    /// trail.
    fn needed_for_conflict(&self) -> Result<Vec<usize>, NotWritten> {
        let (literal, reason) = self.propagator.conflict().ok_or(INTERNAL)?;
        let end = self.propagator.trail().len();
        let mut needed = self.antecedents(literal, reason, end);
        needed.extend(self.propagator.last_change(literal.term, !literal.upper, end));
        Ok(needed)
    }

    /// Returns the refutation of assumed literals, whose formula is `formula`: one literal, or the
    /// conjunction of several. Returns `None` if propagation finds no contradiction.
    ///
    /// Facts that do not depend on the literals are added outside of the refutation. Such a fact is
    /// global if it holds in every reachable marking, and otherwise becomes a fact of the draft.
    /// Without a draft, all of these facts must be global.
    pub(super) fn refute(
        &mut self,
        draft: Option<&mut Draft>,
        formula: &Formula,
        literals: &[BoundLiteral],
    ) -> Result<Option<Derivation>, NotWritten> {
        let length = self.propagator.trail().len();
        let contradiction = self.propagator.assume_all(literals.iter().copied());
        let derivation = match contradiction {
            true => Some(self.refutation(draft, formula, literals, length)?),
            false => None,
        };
        self.propagator.backtrack(length);
        Ok(derivation)
    }

    /// Returns the refutation of assumed literals that the propagator has found. `length` is the
    /// length of the trail before the literals.
    fn refutation(
        &mut self,
        draft: Option<&mut Draft>,
        formula: &Formula,
        literals: &[BoundLiteral],
        length: usize,
    ) -> Result<Derivation, NotWritten> {
        let needed = self.needed_for_conflict()?;
        let mut unused = Draft::new(Numbering::local(0));
        let is_global = draft.is_none();
        let draft = draft.unwrap_or(&mut unused);
        let changes = self.underived(needed, draft);
        self.derive_all(changes.into_iter().filter(|&index| index < length).collect(), draft)?;
        let mut branch = if is_global { self.global.branch() } else { draft.branch() };
        let fact = branch.numbering.push(formula);
        match (&fact, literals) {
            (_, &[literal]) => branch.assume(literal, fact),
            (Fact::All(facts), literals) if facts.len() == literals.len() => {
                literals
                    .iter()
                    .zip(&**facts)
                    .for_each(|(it, fact)| branch.assume(*it, fact.clone()));
            }
            _ => return Err(INTERNAL),
        }
        self.conclude(branch)
    }

    /// Returns the changes from which a literal follows for the reason given, as indices of the
    /// trail. All of them come before index `end`.
    fn antecedents(&self, literal: BoundLiteral, reason: ChangeReason, end: usize) -> Vec<usize> {
        let last = |term: usize, upper: bool| self.propagator.last_change(term, upper, end);
        match reason {
            ChangeReason::Assumed | ChangeReason::Remainder => Vec::new(),
            ChangeReason::Clause(number) => {
                let others = self.clauses[number as usize].literals.iter();
                let others = others.filter(|other| !implies(**other, literal));
                others.filter_map(|other| last(other.term, !other.upper)).collect()
            }
            ChangeReason::Row(row, sign) => {
                let row_terms = self.row_bounds(literal, row, sign);
                row_terms.iter().filter_map(|&(term, upper, _)| last(term, upper)).collect()
            }
        }
    }

    /// Returns the bounds that a row uses to derive a literal: the term, true for its upper bound,
    /// and the multiplier.
    fn row_bounds(&self, literal: BoundLiteral, row: u32, sign: bool) -> Vec<(usize, bool, i128)> {
        let row = self.propagator.row(row);
        let sign = if sign { 1 } else { -1 };
        let parts = row.terms.iter().filter(|(part, _)| *part != literal.term);
        // Each part contributes its bound on the side where sign · a · part is least.
        let mut bounds: Vec<(usize, bool, i128)> =
            parts.map(|&(part, a)| (part, a * sign < 0, a.abs())).collect();
        if literal.term != row.term {
            bounds.push((row.term, sign > 0, 1));
        }
        bounds
    }

    /// Returns the fact that states the last bound of a term before the change `end`. Returns
    /// `None` if there is no such bound, or only the bound "at least 0 tokens".
    fn bound_fact(&self, term: usize, upper: bool, end: usize, draft: &Draft) -> Option<Fact> {
        match self.propagator.last_change(term, upper, end) {
            Some(index) => draft.facts.get(&index).or_else(|| self.global.facts.get(&index)),
            None => self.first_bounds.get(&(term, upper)),
        }
        .cloned()
    }

    /// Adds the lines that derive a literal, and returns the fact that states it. The facts from
    /// which the literal follows must be known. `end` is the index of the change in the trail.
    fn derive(
        &self,
        literal: BoundLiteral,
        reason: ChangeReason,
        end: usize,
        draft: &mut Draft,
    ) -> Result<Fact, NotWritten> {
        match reason {
            ChangeReason::Assumed => {
                let is_same = |(assumed, _): &&(BoundLiteral, Fact)| *assumed == literal;
                let (_, fact) = draft.assumed.iter().rev().find(is_same).ok_or(INTERNAL)?;
                let fact = fact.clone();
                self.in_form_of(fact, literal, draft)
            }
            ChangeReason::Remainder => Err("remainders of sums are not covered"),
            ChangeReason::Row(row, sign) => {
                let inequality = self.inequality(literal);
                let mut terms: Multiples = Vec::new();
                for (term, upper, multiplier) in self.row_bounds(literal, row, sign) {
                    match self.bound_fact(term, upper, end, draft) {
                        Some(Fact::Comparison(number, _)) => terms.push((number, multiplier)),
                        Some(_) => return Err(INTERNAL),
                        // No place holds fewer than 0 tokens.
                        None if !upper => {}
                        None => return Err(INTERNAL),
                    }
                }
                let row = self.propagator.row(row);
                let own = row.terms.iter().find(|(part, _)| *part == literal.term);
                let divisor = own.filter(|_| literal.term != row.term).map_or(1, |(_, a)| a.abs());
                let fact = draft.numbering.push(&Formula::AtMost(inequality.clone()));
                draft.lines.push(Line::Bound { inequality, divisor, terms });
                Ok(fact)
            }
            ChangeReason::Clause(number) => self.derive_by_clause(literal, number, end, draft),
        }
    }

    /// Adds the lines that derive a literal by a clause whose other literals are false.
    fn derive_by_clause(
        &self,
        literal: BoundLiteral,
        number: u32,
        end: usize,
        draft: &mut Draft,
    ) -> Result<Fact, NotWritten> {
        let ExplainedClause { literals, origin } = &self.clauses[number as usize];
        // In the clauses of a formula, the first literal is the negation of the whole formula.
        let is_first = implies(literals[0], literal);
        let fact = match origin {
            ClauseOrigin::Fact(fact) if literals.len() == 1 => {
                return self.in_form_of(fact.clone(), literal, draft);
            }
            ClauseOrigin::Fact(fact) => Some(fact.clone()),
            ClauseOrigin::Part(index) if !is_first => {
                let whole = self.bound_fact(literals[0].term, !literals[0].upper, end, draft);
                let Some(Fact::All(parts)) = whole else { return Err(INTERNAL) };
                return self.in_form_of(parts[*index].clone(), literal, draft);
            }
            ClauseOrigin::Parts if !is_first => {
                self.bound_fact(literals[0].term, !literals[0].upper, end, draft)
            }
            ClauseOrigin::Part(_) | ClauseOrigin::Parts => None,
        };
        let formula = self.formula(literal);
        let mut inner = draft.numbering;
        let negation = inner.push(&formula.negated());
        let opposite = |part: BoundLiteral| match implies(part, literal) {
            true => Some(negation.clone()),
            false => self.bound_fact(part.term, !part.upper, end, draft),
        };
        let conclusion = match (&fact, origin) {
            // The derived literal is the negation of a conjunction. So its own negation is the
            // conjunction, and one part of that is false.
            (None, ClauseOrigin::Part(index)) => {
                let Fact::All(parts) = &negation else { return Err(INTERNAL) };
                contradiction(&parts[*index], opposite(literals[1]).as_ref(), inner)
            }
            (fact, _) => {
                let parts = match origin {
                    ClauseOrigin::Fact(_) => &literals[..],
                    _ => &literals[1..],
                };
                let Fact::Any(number, cases) = fact.as_ref().unwrap_or(&negation) else {
                    return Err(INTERNAL);
                };
                if cases.len() != parts.len() {
                    return Err(INTERNAL);
                }
                let case = |(part, case): (&BoundLiteral, &Formula)| {
                    let mut new = inner;
                    let assumed = new.push(case);
                    let opposite = opposite(*part);
                    Some(Derivation::from(contradiction(&assumed, opposite.as_ref(), new)?))
                };
                let cases = parts.iter().zip(&**cases).map(case).collect::<Option<_>>();
                cases.map(|cases| Conclusion::Cases(*number, cases))
            }
        };
        Ok(draft.prove(formula, conclusion.ok_or(INTERNAL)?.into()))
    }

    /// Returns a fact in exactly the form of a literal. If the known comparison has a larger
    /// coefficient of its only place, or a tighter bound, adds a line that divides or weakens it.
    fn in_form_of(
        &self,
        fact: Fact,
        literal: BoundLiteral,
        draft: &mut Draft,
    ) -> Result<Fact, NotWritten> {
        let Fact::Comparison(number, known) = &fact else { return Ok(fact) };
        let wanted = self.inequality(literal);
        if *known == wanted {
            return Ok(fact);
        }
        let divisor = match (&*known.sum, &*wanted.sum) {
            (&[(p, a)], &[(q, b)]) if p == q && a % b == 0 => a / b,
            (a, b) if a == b => 1,
            _ => return Err(INTERNAL),
        };
        if divisor <= 0 || known.bound.div_euclid(divisor) > wanted.bound {
            return Err(INTERNAL);
        }
        let terms: Multiples = vec![(*number, 1)];
        let fact = draft.numbering.push(&Formula::AtMost(wanted.clone()));
        draft.lines.push(Line::Bound { inequality: wanted, divisor, terms });
        Ok(fact)
    }

    /// Returns the derivation of a contradiction of the draft's facts by case distinction, after
    /// propagation alone has found none. `cases` is the number of literals that may still be
    /// chosen, and decreases with each choice. Returns `None` if this does not suffice.
    pub(super) fn refute_by_cases(
        &mut self,
        mut draft: Draft,
        splits: &[BoundLiteral],
        cases: &mut usize,
    ) -> Result<Option<Derivation>, NotWritten> {
        let Some(decision) = self.propagator.undecided(splits).filter(|_| *cases > 0) else {
            return Ok(None);
        };
        *cases -= 1;
        // The first case is refuted, which adds the negation of the decision.
        let length = self.propagator.trail().len();
        let mut branch = draft.branch();
        let formula = self.formula(decision);
        let fact = branch.numbering.push(&formula);
        branch.assume(decision, fact);
        let refutation = match self.propagator.assume_all([decision]) {
            true => Some(self.conclude(branch)?),
            false => self.refute_by_cases(branch, splits, cases)?,
        };
        self.propagator.backtrack(length);
        let Some(refutation) = refutation else { return Ok(None) };
        draft.facts.retain(|&index, _| index < length);
        let negation = decision.negated();
        let fact = draft.prove(formula.negated(), refutation);
        draft.assume(negation, fact);
        let derivation = match self.propagator.assume_all([negation]) {
            true => Some(self.conclude(draft)?),
            false => self.refute_by_cases(draft, splits, cases)?,
        };
        self.propagator.backtrack(length);
        Ok(derivation)
    }
}

/// Returns true if the first literal implies the second.
fn implies(one: BoundLiteral, other: BoundLiteral) -> bool {
    one.term == other.term
        && one.upper == other.upper
        && if one.upper { one.bound <= other.bound } else { one.bound >= other.bound }
}

/// Returns the fact with this number that states a comparison.
pub(super) fn comparison(number: FactNumber, inequality: Inequality) -> Fact {
    Fact::Comparison(number, inequality)
}

/// Returns the product, or the reason that it is too large.
pub(super) fn product(a: i128, b: i128) -> Result<i128, NotWritten> {
    a.checked_mul(b).ok_or(OVERFLOW)
}
