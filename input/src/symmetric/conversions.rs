//! Conversion of numbers and constants to the sort expected where they stand.

use super::super::colour_problem::{ColourProblem, MAX_TERMS};
use super::raw::TermNode;
use super::resolve::{Resolver, TermValue, operand_count_error};
use parikh_net::coloured::{Guard, Multiset, Relation, SortId, SortKind, Term};

impl Resolver<'_> {
    /// Builds the guard that compares two operands.
    pub(super) fn compare(
        &mut self,
        node: &TermNode,
        relation: Relation,
        operands: Vec<TermValue>,
    ) -> Result<TermValue, ColourProblem> {
        let operand_count = operands.len();
        let [left, right] = <[TermValue; 2]>::try_from(operands)
            .map_err(|_| operand_count_error(node, operand_count, "two"))?;
        let (left, right) = (self.colour(node, left)?, self.colour(node, right)?);
        // A number is written as a constant of some range, often of another range than the other
        // side. Only the number matters for the comparison.
        let (left, right) = match (self.number(&left), self.number(&right)) {
            (None, Some(number)) => match self.in_range_of(&left, number, relation) {
                Err(decided) => return Ok(TermValue::Guard(decided)),
                Ok(Some(constant)) => (left, constant),
                Ok(None) => (left, right),
            },
            (Some(number), None) => match self.in_range_of(&right, number, mirrored(relation)) {
                Err(decided) => return Ok(TermValue::Guard(decided)),
                Ok(Some(constant)) => (constant, right),
                Ok(None) => (left, right),
            },
            (Some(a), Some(b)) => {
                // The shift to unsigned positions keeps the order.
                let [a, b] = [a, b].map(|it| i128::from(it) - i128::from(i64::MIN));
                return Ok(TermValue::Guard(constant_guard(relation.holds(a as u64, b as u64))));
            }
            (None, None) => (left, right),
        };
        Ok(TermValue::Guard(Guard::Compare(relation, left, right)))
    }

    /// Returns the number that a constant of a range represents. Returns `None` for any other term.
    pub(super) fn number(&self, term: &Term) -> Option<i64> {
        let Term::Constant { sort, colour } = term else { return None };
        match self.net.sort(*sort).kind() {
            SortKind::Range { start, .. } => Some(start.wrapping_add_unsigned(*colour)),
            _ => None,
        }
    }

    /// Converts `number` to a constant of the range of the variable `term`. Returns `Ok(None)` if
    /// `term` is not a variable of a range. If the number is out of range, its comparison with the
    /// variable by `relation` has the same value for all colours. In this case, `Err` contains a
    /// guard that is always true or always false.
    fn in_range_of(
        &self,
        term: &Term,
        number: i64,
        relation: Relation,
    ) -> Result<Option<Term>, Guard> {
        let Term::Variable(variable) = term else { return Ok(None) };
        let sort = self.net.variable(*variable).sort;
        let SortKind::Range { start, end } = *self.net.sort(sort).kind() else {
            return Ok(None);
        };
        // The guard is constant, but mentions the variable. Otherwise the variable could vanish
        // from the transition, and each of its colours is a separate binding.
        let about_variable = |holds| {
            let relation = if holds { Relation::Equal } else { Relation::Unequal };
            Guard::Compare(relation, term.clone(), term.clone())
        };
        if number < start {
            return Err(about_variable(relation.holds(1, 0)));
        }
        if number > end {
            return Err(about_variable(relation.holds(0, 1)));
        }
        Ok(Some(Term::Constant { sort, colour: number.abs_diff(start) }))
    }

    /// Converts the constants in a multiset to the sort `sort`. A constant of another range becomes
    /// the constant with the same number in the expected range. An element of a partition becomes
    /// the sum of all its colours if the partitioned sort is expected, as in the contest's model
    /// VehicularWifi.
    pub(super) fn fitted(
        &self,
        multiset: Multiset,
        sort: SortId,
    ) -> Result<Multiset, ColourProblem> {
        Ok(match multiset {
            Multiset::Tokens { count, term } => {
                let terms = self.fitted_terms(term, sort)?;
                Multiset::sum(terms.into_iter().map(|term| Multiset::Tokens { count, term }))
            }
            Multiset::Sum(parts) => {
                let parts: Result<Vec<_>, _> =
                    parts.into_iter().map(|part| self.fitted(part, sort)).collect();
                Multiset::sum(parts?)
            }
            Multiset::Difference(a, b) => {
                Multiset::minus(self.fitted(*a, sort)?, self.fitted(*b, sort)?)
            }
        })
    }

    /// Returns the terms of sort `sort` whose sum `term` represents. This is one term, except for
    /// elements of a partition where the partitioned sort is expected.
    fn fitted_terms(&self, term: Term, sort: SortId) -> Result<Vec<Term>, ColourProblem> {
        match (term, self.net.sort(sort).kind()) {
            (Term::Tuple(terms), SortKind::Product(parts)) if terms.len() == parts.len() => {
                let mut tuples = vec![Vec::with_capacity(parts.len())];
                for (term, &part) in terms.into_iter().zip(parts) {
                    let terms = self.fitted_terms(term, part)?;
                    if tuples.len().saturating_mul(terms.len()) > MAX_TERMS {
                        return Err(ColourProblem::TooLarge(MAX_TERMS));
                    }
                    let extended = |tuple: &Vec<Term>, term: &Term| {
                        let mut tuple = tuple.clone();
                        tuple.push(term.clone());
                        tuple
                    };
                    tuples = tuples
                        .iter()
                        .flat_map(|tuple| terms.iter().map(move |term| extended(tuple, term)))
                        .collect();
                }
                Ok(tuples.into_iter().map(Term::Tuple).collect())
            }
            (term @ Term::Constant { sort: constant_sort, colour }, kind) => {
                if let SortKind::Partition { of, block_of, .. } =
                    self.net.sort(constant_sort).kind()
                    && *of == sort
                {
                    let members = (0..).zip(block_of).filter(|&(_, &b)| u64::from(b) == colour);
                    return Ok(members
                        .map(|(colour, _)| Term::Constant { sort, colour })
                        .collect());
                }
                let (Some(number), &SortKind::Range { start, end }) = (self.number(&term), kind)
                else {
                    return Ok(vec![term]);
                };
                if !(start..=end).contains(&number) {
                    let name = self.net.sort(sort).name().to_owned();
                    return Err(ColourProblem::OutOfRange(number, name));
                }
                Ok(vec![Term::Constant { sort, colour: number.abs_diff(start) }])
            }
            (term, _) => Ok(vec![term]),
        }
    }
}

fn constant_guard(holds: bool) -> Guard {
    if holds { Guard::TRUE } else { Guard::FALSE }
}

/// Returns the relation with its sides exchanged.
fn mirrored(relation: Relation) -> Relation {
    match relation {
        Relation::Less => Relation::Greater,
        Relation::Greater => Relation::Less,
        Relation::AtMost => Relation::AtLeast,
        Relation::AtLeast => Relation::AtMost,
        same => same,
    }
}
