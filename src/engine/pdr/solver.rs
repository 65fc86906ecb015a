//! Bounds as propositional variables: one for each "term ≥ k" that anybody speaks of.
//!
//! Of one term, k + 1 or more implies k or more; these clauses between neighbours are all there is
//! to say of places that nothing else relates. What rows say of their places is added when an
//! answer does not respect it: the least that the places of a row come to under that answer, or the
//! most, together with the bound of the row that it breaks, is a clause.

use super::terms::{Bound, Relation, Terms};
use parikh_net::Atom;
use parikh_solvers::Budget;
use parikh_solvers::cnf::Literal;
use parikh_solvers::sat::{SatAnswer, SatSolver};
use std::collections::{BTreeMap, BTreeSet};

/// A literal that may be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MaybeLiteral {
    /// It always holds, or never.
    Is(bool),
    /// It is this one.
    Open(Literal),
}

/// What is possible.
pub(super) enum Answer {
    /// Under these values of the variables.
    Possible(Values),
    /// Nothing: these of the assumptions are to blame.
    Impossible(BTreeSet<Literal>),
    /// The budget ended.
    Unknown,
}

/// The values of the variables.
pub(super) struct Values(Vec<bool>);

impl Values {
    fn holds(&self, literal: Literal) -> bool {
        literal.evaluate(&self.0).unwrap_or(false)
    }
}

/// Some of these bounds holds, as a row and its places say; the row's is the last.
pub(super) type Lesson = Vec<Bound>;

/// A part of a row under some values.
struct RowTerm {
    term: usize,
    a: i128,
    end: i128,
    always: Option<i128>,
}

/// Bounds in a SAT solver.
pub(super) struct Solver<S> {
    pub(super) sat: S,
    /// By term the literals of "at least so much".
    at_least: Vec<BTreeMap<i128, Literal>>,
    /// What rows taught so far.
    pub(super) lessons: Vec<Lesson>,
}

/// A flow with so few places and one token is said at once.
const SMALL: usize = 24;

impl<S: SatSolver> Solver<S> {
    pub(super) fn new(sat: S) -> Self {
        Solver { sat, at_least: Vec::new(), lessons: Vec::new() }
    }

    /// The literal of a bound.
    pub(super) fn literal(&mut self, terms: &Terms<'_>, bound: Bound) -> MaybeLiteral {
        if let Some(holds) = terms.decide(bound) {
            return MaybeLiteral::Is(holds);
        }
        let value = if bound.upper { bound.value + 1 } else { bound.value };
        let literal = self.at_least(bound.term, terms.from(bound.term, value));
        MaybeLiteral::Open(if bound.upper { !literal } else { literal })
    }

    fn at_least(&mut self, term: usize, value: i128) -> Literal {
        if self.at_least.len() <= term {
            self.at_least.resize_with(term + 1, BTreeMap::new);
        }
        if let Some(&literal) = self.at_least[term].get(&value) {
            return literal;
        }
        let literal = self.sat.new_variable();
        let known = &self.at_least[term];
        let below = known.range(..value).next_back().map(|(_, &below)| below);
        let above = known.range(value..).next().map(|(_, &above)| above);
        if let Some(below) = below {
            self.sat.add_clause(&[!literal, below]);
        }
        if let Some(above) = above {
            self.sat.add_clause(&[!above, literal]);
        }
        self.at_least[term].insert(value, literal);
        literal
    }

    /// All bounds that were spoken of, as "at least", with their literals.
    pub(super) fn spoken_of(&self) -> impl Iterator<Item = (usize, i128, Literal)> {
        let terms = self.at_least.iter().enumerate();
        terms.flat_map(|(term, all)| {
            all.iter().map(move |(&value, &literal)| (term, value, literal))
        })
    }

    /// "Some of these bounds holds", where `unless` does not. Nothing is added where one always
    /// does.
    pub(super) fn add(&mut self, terms: &Terms<'_>, bounds: &[Bound], unless: Option<Literal>) {
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

    /// Says of flows with one token on a few places what they say.
    pub(super) fn add_small_flows(&mut self, terms: &Terms<'_>) {
        for (term, sum) in terms.rows().filter(|&(term, _)| terms.is_flow(term)) {
            let places = sum.terms();
            let one = places.len() <= SMALL && places.iter().all(|&(_, a)| a == 1);
            if !one || terms.low(term) != Some(1) {
                continue;
            }
            let one = |at: usize| Bound { term: places[at].0.index(), upper: false, value: 1 };
            let all: Vec<Bound> = (0..places.len()).map(one).collect();
            self.add(terms, &all, None);
            for (at, first) in all.iter().enumerate() {
                for second in &all[..at] {
                    self.add(terms, &[first.negated(), second.negated()], None);
                }
            }
        }
    }

    /// Whether all assumptions can hold together with all clauses and with what rows say.
    pub(super) fn solve(
        &mut self,
        terms: &Terms<'_>,
        assumed: &[Literal],
        budget: &Budget,
    ) -> Answer {
        loop {
            match self.sat.solve(assumed, budget) {
                SatAnswer::NoAnswer(_) => return Answer::Unknown,
                SatAnswer::Unsatisfiable { core } => {
                    return Answer::Impossible(core.into_iter().collect());
                }
                SatAnswer::Satisfiable(values) => {
                    let values = Values(values);
                    let lessons = self.broken(terms, &values);
                    if lessons.is_empty() {
                        return Answer::Possible(values);
                    }
                    for lesson in lessons {
                        self.add(terms, &lesson, None);
                        self.lessons.push(lesson);
                    }
                }
            }
        }
    }

    /// The interval of a term under these values.
    pub(super) fn interval(
        &self,
        terms: &Terms<'_>,
        values: &Values,
        term: usize,
    ) -> (Option<i128>, Option<i128>) {
        let (mut low, mut high) = (terms.low(term), terms.high(term));
        if let Some(all) = self.at_least.get(term) {
            for (&value, &literal) in all {
                if values.holds(literal) {
                    low = Some(value);
                } else {
                    high = Some(terms.up_to(term, value - 1));
                    break;
                }
            }
        }
        (low, high)
    }

    /// What rows say against these values.
    fn broken(&self, terms: &Terms<'_>, values: &Values) -> Vec<Lesson> {
        let mut lessons = Vec::new();
        for relation in terms.relations() {
            let term = relation.term;
            let (mut low, mut high) = self.interval(terms, values, term);
            // Between what the parts come to at least and at most there may be no number with the
            // right remainder.
            let end = |sign| Some(sign * self.ends(terms, values, relation, sign)?.0);
            if terms.keeps_remainder(term)
                && let (Some(least), Some(most)) = (end(1), end(-1))
            {
                let (least, most) = (terms.from(term, least), terms.up_to(term, most));
                low = low.map(|low| low.max(least));
                high = high.map(|high| high.min(most));
                if least > most {
                    (low, high) = (low.or(Some(least)), high.or(Some(most)));
                }
            }
            let above = high.and_then(|high| self.lesson(terms, values, relation, 1, high));
            let below = low.and_then(|low| self.lesson(terms, values, relation, -1, -low));
            lessons.extend(above);
            lessons.extend(below);
        }
        lessons
    }

    /// What `sign` times the row comes to at least, and its parts: with coefficient, the end that
    /// counts, and that end whatever the values.
    fn ends(
        &self,
        terms: &Terms<'_>,
        values: &Values,
        relation: &Relation,
        sign: i128,
    ) -> Option<(i128, Vec<RowTerm>)> {
        let mut least = 0;
        let mut parts = Vec::with_capacity(relation.parts.len());
        for &(term, a) in &relation.parts {
            let a = a * sign;
            let (low, high) = self.interval(terms, values, term);
            let (end, always) = match a > 0 {
                true => (low?, terms.low(term)),
                false => (high?, terms.high(term)),
            };
            least += a * end;
            parts.push(RowTerm { term, a, end, always });
        }
        Some((least, parts))
    }

    /// Where `sign` times the row is at most `most`, but its parts come to more: that this is so,
    /// as a clause that is false under the values.
    fn lesson(
        &self,
        terms: &Terms<'_>,
        values: &Values,
        relation: &Relation,
        sign: i128,
        most: i128,
    ) -> Option<Lesson> {
        let (least, parts) = self.ends(terms, values, relation, sign)?;
        // How much of it is not needed.
        let mut slack = least - most - 1;
        if slack < 0 {
            return None;
        }
        let mut lesson = Vec::new();
        for RowTerm { term, a, end, always } in parts {
            if let Some(always) = always {
                let saved = a * (end - always);
                if saved <= slack {
                    slack -= saved;
                    continue;
                }
            }
            lesson.push(Bound { term, upper: a < 0, value: end }.negated());
        }
        lesson.push(Bound { term: relation.term, upper: sign > 0, value: most * sign }.negated());
        Some(lesson)
    }
}

/// The comparisons that hold under values: whether this one is among them.
pub(super) fn holds<S: SatSolver>(
    solver: &Solver<S>,
    terms: &mut Terms<'_>,
    values: &Values,
    atom: &Atom,
) -> Option<Bound> {
    let bound = terms.bound(atom)?;
    let (low, high) = solver.interval(terms, values, bound.term);
    let end = if bound.upper { high } else { low };
    end.is_some_and(|end| bound.holds(end)).then_some(bound)
}
