//! A SAT solver over bounds: one propositional variable for each bound "term ≥ k" in use.
//!
//! For one term, "≥ k + 1" implies "≥ k". A *row* is a weighted sum of several places. The clauses
//! between neighbouring values are sufficient for places in no row. Constraints of rows are added
//! lazily: if a model violates the equation of a row, the solver adds a clause. The model's bounds
//! on the summands then make the row too small or too large for the model's bound on the row. The
//! clause says that at least one of these bounds is false.

use super::terms::{BoundTerms, SumBound, SumEquation};
use parikh_net::Atom;
use parikh_solvers::Budget;
use parikh_solvers::cnf::Literal;
use parikh_solvers::sat::{SatAnswer, SatSolver};
use std::collections::{BTreeMap, BTreeSet};

/// A literal, or a constant truth value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MaybeLiteral {
    /// A constant truth value.
    Is(bool),
    /// A literal, whose truth value the solver determines.
    Open(Literal),
}

/// Result of a solver query.
pub(super) enum SolverAnswer {
    /// Satisfiable, with these values of the variables.
    Satisfiable(LiteralValues),
    /// Unsatisfiable, with this subset of the assumptions as core.
    Unsatisfiable(BTreeSet<Literal>),
    /// The SAT solver gave no answer, usually because the budget ended.
    Unknown,
}

/// Truth values of the solver's variables in a model.
pub(super) struct LiteralValues(Vec<bool>);

impl LiteralValues {
    /// Returns true if the literal is true in the model, and false if its variable has no value.
    fn is_true(&self, literal: Literal) -> bool {
        literal.evaluate(&self.0).unwrap_or(false)
    }
}

/// A clause over bounds. One equation of a row, that is, of a weighted sum of places, implies it
/// together with the known bounds and remainders of the terms. The last literal bounds the row
/// itself. The other literals bound the terms that the row sums.
pub(super) type TheoryLemma = Vec<SumBound>;

/// A summand of a row, with its bound under a model.
struct RowTerm {
    /// Index of the term that the row sums.
    term: usize,
    /// The coefficient, times the `sign` of [`Solver::lower_bound`].
    coefficient: i128,
    /// The lower or upper bound of the term in the model: the side that makes the product of
    /// coefficient and bound smaller.
    bound: i128,
    /// The bound of the term in all reachable markings, on the same side as `bound`. `None` if the
    /// term is unbounded on this side.
    global_bound: Option<i128>,
}

/// A SAT solver whose literals mean bounds on terms. Constraints between a row and its summands are
/// added as clauses when a model violates them.
pub(super) struct Solver<S> {
    /// The SAT solver.
    pub(super) sat: S,
    /// For each term, the literals of "at least k", keyed by k.
    at_least: Vec<BTreeMap<i128, Literal>>,
    /// Theory lemmas added so far.
    pub(super) lemmas: Vec<TheoryLemma>,
}

/// Limit on the number of places of a place invariant with one token that is encoded in advance.
/// The clauses say that exactly one place has the token.
const MAX_SMALL_FLOW: usize = 24;

impl<S: SatSolver> Solver<S> {
    pub(super) fn new(sat: S) -> Self {
        Solver { sat, at_least: Vec::new(), lemmas: Vec::new() }
    }

    /// Returns the literal of a bound, with a new variable if needed. Returns a constant if the
    /// intervals decide the bound.
    pub(super) fn literal(&mut self, terms: &BoundTerms<'_>, bound: SumBound) -> MaybeLiteral {
        if let Some(holds) = terms.decide(bound) {
            return MaybeLiteral::Is(holds);
        }
        let value = if bound.is_upper { bound.value + 1 } else { bound.value };
        let literal = self.at_least(bound.term, terms.round_up(bound.term, value));
        MaybeLiteral::Open(if bound.is_upper { !literal } else { literal })
    }

    /// Returns the literal of "term ≥ value", which is linked to the literals of the neighbouring
    /// values.
    fn at_least(&mut self, term: usize, value: i128) -> Literal {
        if self.at_least.len() <= term {
            self.at_least.resize_with(term + 1, BTreeMap::new);
        }
        if let Some(&literal) = self.at_least[term].get(&value) {
            return literal;
        }
        let literal = self.sat.new_variable();
        let literals = &self.at_least[term];
        let weaker = literals.range(..value).next_back().map(|(_, &weaker)| weaker);
        let stronger = literals.range(value..).next().map(|(_, &stronger)| stronger);
        if let Some(weaker) = weaker {
            self.sat.add_clause(&[!literal, weaker]);
        }
        if let Some(stronger) = stronger {
            self.sat.add_clause(&[!stronger, literal]);
        }
        self.at_least[term].insert(value, literal);
        literal
    }

    /// Returns all bounds that have a variable, as (term, k, literal of "term ≥ k").
    pub(super) fn bound_literals(&self) -> impl Iterator<Item = (usize, i128, Literal)> {
        let terms = self.at_least.iter().enumerate();
        terms.flat_map(|(term, literals)| {
            literals.iter().map(move |(&value, &literal)| (term, value, literal))
        })
    }

    /// Adds the clause that some bound of `bounds` holds, or `unless` holds. Adds nothing if a
    /// bound is always true.
    pub(super) fn add_clause(
        &mut self,
        terms: &BoundTerms<'_>,
        bounds: &[SumBound],
        unless: Option<Literal>,
    ) {
        let mut clause: Vec<Literal> = unless.into_iter().collect();
        for &bound in bounds {
            match self.literal(terms, bound) {
                MaybeLiteral::Is(true) => return,
                MaybeLiteral::Is(false) => {}
                MaybeLiteral::Open(literal) => clause.push(literal),
            }
        }
        self.sat.add_clause(&clause);
    }

    /// Encodes place invariants with one token on few places as exactly-one constraints.
    pub(super) fn add_small_flows(&mut self, terms: &BoundTerms<'_>) {
        for (term, sum) in terms.rows().filter(|&(term, _)| terms.is_constant_row(term)) {
            let places = sum.terms();
            let is_small_flow =
                places.len() <= MAX_SMALL_FLOW && places.iter().all(|&(_, a)| a == 1);
            if !is_small_flow || terms.low(term) != Some(1) {
                continue;
            }
            let at_least_one = |index: usize| SumBound {
                term: places[index].0.index(),
                is_upper: false,
                value: 1,
            };
            let bounds: Vec<SumBound> = (0..places.len()).map(at_least_one).collect();
            self.add_clause(terms, &bounds, None);
            for (index, first) in bounds.iter().enumerate() {
                for second in &bounds[..index] {
                    self.add_clause(terms, &[first.negated(), second.negated()], None);
                }
            }
        }
    }

    /// Checks if the assumptions are satisfiable together with all clauses and row constraints.
    pub(super) fn solve(
        &mut self,
        terms: &BoundTerms<'_>,
        assumptions: &[Literal],
        budget: &Budget,
    ) -> SolverAnswer {
        loop {
            match self.sat.solve(assumptions, budget) {
                SatAnswer::NoAnswer(_) => return SolverAnswer::Unknown,
                SatAnswer::Unsatisfiable { core } => {
                    return SolverAnswer::Unsatisfiable(core.into_iter().collect());
                }
                SatAnswer::Satisfiable(values) => {
                    let values = LiteralValues(values);
                    let lemmas = self.violated_rows(terms, &values);
                    if lemmas.is_empty() {
                        return SolverAnswer::Satisfiable(values);
                    }
                    for lemma in lemmas {
                        self.add_clause(terms, &lemma, None);
                        self.lemmas.push(lemma);
                    }
                }
            }
        }
    }

    /// Returns the lower and the upper bound of a term that follow from the model's literals and
    /// the intervals. `None` means unbounded.
    pub(super) fn interval(
        &self,
        terms: &BoundTerms<'_>,
        values: &LiteralValues,
        term: usize,
    ) -> (Option<i128>, Option<i128>) {
        let (mut low, mut high) = (terms.low(term), terms.high(term));
        if let Some(literals) = self.at_least.get(term) {
            for (&value, &literal) in literals {
                if values.is_true(literal) {
                    low = Some(value);
                } else {
                    high = Some(terms.round_down(term, value - 1));
                    break;
                }
            }
        }
        (low, high)
    }

    /// Returns lemmas for the equations of rows that the model violates. The list is empty if the
    /// model satisfies all of them.
    fn violated_rows(&self, terms: &BoundTerms<'_>, values: &LiteralValues) -> Vec<TheoryLemma> {
        let mut lemmas = Vec::new();
        for relation in terms.equations() {
            let term = relation.term;
            let (mut low, mut high) = self.interval(terms, values, term);
            // If the row has a fixed remainder, the interval given by the summands may contain no
            // value with this remainder.
            let summand_bound =
                |sign| Some(sign * self.lower_bound(terms, values, relation, sign)?.0);
            if terms.has_fixed_remainder(term)
                && let (Some(min_value), Some(max_value)) = (summand_bound(1), summand_bound(-1))
            {
                let (min_value, max_value) =
                    (terms.round_up(term, min_value), terms.round_down(term, max_value));
                low = low.map(|low| low.max(min_value));
                high = high.map(|high| high.min(max_value));
                if min_value > max_value {
                    (low, high) = (low.or(Some(min_value)), high.or(Some(max_value)));
                }
            }
            let upper_lemma =
                high.and_then(|high| self.row_lemma(terms, values, relation, 1, high));
            let lower_lemma = low.and_then(|low| self.row_lemma(terms, values, relation, -1, -low));
            lemmas.extend(upper_lemma);
            lemmas.extend(lower_lemma);
        }
        lemmas
    }

    /// Returns a lower bound of `sign` times the row in the model, with one entry per summand.
    /// Returns `None` if the model does not bound a summand on the side that matters.
    fn lower_bound(
        &self,
        terms: &BoundTerms<'_>,
        values: &LiteralValues,
        relation: &SumEquation,
        sign: i128,
    ) -> Option<(i128, Vec<RowTerm>)> {
        let mut total = 0;
        let mut contributions = Vec::with_capacity(relation.summands.len());
        for &(term, a) in &relation.summands {
            let a = a * sign;
            let (low, high) = self.interval(terms, values, term);
            let (bound, global_bound) = match a > 0 {
                true => (low?, terms.low(term)),
                false => (high?, terms.high(term)),
            };
            total += a * bound;
            contributions.push(RowTerm { term, coefficient: a, bound, global_bound });
        }
        Some((total, contributions))
    }

    /// Returns a lemma if `sign` times the row must be at most `max_value`, although the summands
    /// in the model give a larger lower bound. Returns `None` if there is no such conflict, or if
    /// the model does not bound a summand on the side that matters.
    fn row_lemma(
        &self,
        terms: &BoundTerms<'_>,
        values: &LiteralValues,
        relation: &SumEquation,
        sign: i128,
        max_value: i128,
    ) -> Option<TheoryLemma> {
        let (min_value, contributions) = self.lower_bound(terms, values, relation, sign)?;
        // A summand may use its global bound instead of its bound in the model if the conflict
        // remains. All such changes together may cost at most `slack`. These summands are left out
        // of the lemma.
        let mut slack = min_value - max_value - 1;
        if slack < 0 {
            return None;
        }
        let mut lemma = Vec::new();
        for RowTerm { term, coefficient: a, bound, global_bound } in contributions {
            if let Some(global_bound) = global_bound {
                let saved = a * (bound - global_bound);
                if saved <= slack {
                    slack -= saved;
                    continue;
                }
            }
            lemma.push(SumBound { term, is_upper: a < 0, value: bound }.negated());
        }
        lemma.push(
            SumBound { term: relation.term, is_upper: sign > 0, value: max_value * sign }.negated(),
        );
        Some(lemma)
    }
}

/// Returns a comparison as a bound on a term if the bound holds for every value of the term that
/// the model allows. Returns `None` otherwise, and for a comparison without places.
pub(super) fn satisfied_bound<S: SatSolver>(
    solver: &Solver<S>,
    terms: &mut BoundTerms<'_>,
    values: &LiteralValues,
    atom: &Atom,
) -> Option<SumBound> {
    let bound = terms.bound(atom)?;
    let (low, high) = solver.interval(terms, values, bound.term);
    let attained_bound = if bound.is_upper { high } else { low };
    attained_bound.is_some_and(|attained_bound| bound.holds(attained_bound)).then_some(bound)
}
