//! Formulas in conjunctive normal form as plain data, and their DIMACS text.

use std::io;
use std::ops::Not;

/// A variable or its negation. Variables are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(u32);

impl Literal {
    /// The largest variable number.
    pub const MAX_VARIABLE: u32 = (1 << 30) - 1;

    /// Returns the variable itself if `positive`, otherwise its negation.
    ///
    /// # Panics
    /// Panics above [`MAX_VARIABLE`](Self::MAX_VARIABLE): a solver with so many variables needs
    /// more than 100 GB before its first clause.
    pub fn new(variable: u32, positive: bool) -> Self {
        assert!(variable <= Self::MAX_VARIABLE, "more than 2^30 propositional variables");
        Literal(variable << 1 | u32::from(!positive))
    }

    /// Converts from the DIMACS form. Returns `None` for 0 and above
    /// [`MAX_VARIABLE`](Self::MAX_VARIABLE).
    pub fn from_dimacs(number: i32) -> Option<Self> {
        let variable = number.unsigned_abs().checked_sub(1)?;
        (variable <= Self::MAX_VARIABLE).then(|| Literal::new(variable, number > 0))
    }

    /// Returns the number of the variable.
    pub fn variable(self) -> u32 {
        self.0 >> 1
    }

    /// Returns true if the literal is not negated.
    pub fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// Returns the truth value of the literal under `values`, one per variable. Returns `None` if
    /// its variable has no value.
    pub fn evaluate(self, values: &[bool]) -> Option<bool> {
        values.get(self.variable() as usize).map(|&value| value == self.is_positive())
    }

    /// Converts to the DIMACS form: variables numbered from 1, negative for a negation.
    pub fn to_dimacs(self) -> i32 {
        // The number is at most 2³⁰.
        let number = self.variable() as i32 + 1;
        if self.is_positive() { number } else { -number }
    }
}

/// Converts a clause to the DIMACS form, which refutations use.
pub fn to_dimacs(clause: &[Literal]) -> Vec<i32> {
    clause.iter().map(|literal| literal.to_dimacs()).collect()
}

impl Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

/// A receiver of variables and clauses: a formula as plain data, or a solver.
pub trait Clauses {
    /// Returns the positive literal of a fresh variable.
    fn variable(&mut self) -> Literal;

    /// Adds a clause: at least one of the literals is true.
    fn clause(&mut self, clause: &[Literal]);
}

/// A conjunction of clauses, which are disjunctions of literals.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Cnf {
    /// Number of variables.
    variables: u32,
    /// The literals of all clauses, concatenated.
    literals: Vec<Literal>,
    /// The end of each clause in `literals`.
    clause_ends: Vec<usize>,
}

impl Cnf {
    /// Creates the formula without variables and clauses, which is true.
    pub fn new() -> Self {
        Cnf::default()
    }

    /// Creates a variable and returns its positive literal.
    pub fn new_variable(&mut self) -> Literal {
        let literal = Literal::new(self.variables, true);
        self.variables += 1;
        literal
    }

    /// Adds a clause. Variables up to the largest one in the clause exist from then on.
    pub fn add_clause(&mut self, clause: impl IntoIterator<Item = Literal>) {
        let start = self.literals.len();
        self.literals.extend(clause);
        let clause_variables =
            self.literals[start..].iter().map(|literal| literal.variable() + 1).max();
        self.variables = self.variables.max(clause_variables.unwrap_or(0));
        self.clause_ends.push(self.literals.len());
    }

    /// Returns the number of variables.
    pub fn variables(&self) -> u32 {
        self.variables
    }

    /// Iterates over the clauses in the order in which they were added.
    pub fn clauses(&self) -> impl ExactSizeIterator<Item = &[Literal]> {
        (0..self.clause_ends.len()).map(|clause| {
            let start = if clause == 0 { 0 } else { self.clause_ends[clause - 1] };
            &self.literals[start..self.clause_ends[clause]]
        })
    }

    /// Returns true if every clause is true under `values`, one per variable.
    pub fn is_satisfied_by(&self, values: &[bool]) -> bool {
        self.clauses()
            .all(|clause| clause.iter().any(|literal| literal.evaluate(values) == Some(true)))
    }

    /// Writes the formula in DIMACS format, with `assumptions` as unit clauses.
    ///
    /// # Errors
    /// Returns the errors of `out`.
    pub fn write_dimacs(&self, assumptions: &[Literal], out: &mut dyn io::Write) -> io::Result<()> {
        let assumed_variables =
            assumptions.iter().map(|literal| literal.variable() + 1).max().unwrap_or(0);
        let variables = self.variables.max(assumed_variables);
        writeln!(out, "p cnf {variables} {}", self.clause_ends.len() + assumptions.len())?;
        for clause in self.clauses().chain(assumptions.chunks(1)) {
            for literal in clause {
                write!(out, "{} ", literal.to_dimacs())?;
            }
            writeln!(out, "0")?;
        }
        Ok(())
    }
}

impl Clauses for Cnf {
    fn variable(&mut self) -> Literal {
        self.new_variable()
    }

    fn clause(&mut self, clause: &[Literal]) {
        self.add_clause(clause.iter().copied());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_is_written_and_evaluated() {
        let mut cnf = Cnf::new();
        let (a, b) = (cnf.new_variable(), cnf.new_variable());
        cnf.add_clause([a, !b]);
        cnf.add_clause([b]);
        assert!(cnf.is_satisfied_by(&[true, true]));
        assert!(!cnf.is_satisfied_by(&[false, true]) && !cnf.is_satisfied_by(&[]));
        let mut text = Vec::new();
        cnf.write_dimacs(&[!a], &mut text).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "p cnf 2 3\n1 -2 0\n2 0\n-1 0\n");
        assert_eq!(Literal::from_dimacs(-2), Some(!b));
        assert_eq!([0, i32::MIN, i32::MAX].map(Literal::from_dimacs), [None; 3]);
    }
}
