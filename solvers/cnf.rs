//! Formulas in conjunctive normal form as plain data, and their DIMACS text.

use std::io;
use std::ops::Not;

/// A variable or its negation. Variables are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(u32);

impl Literal {
    /// The greatest number a variable can have.
    pub const MAX_VARIABLE: u32 = (1 << 30) - 1;

    /// The variable itself if `positive`, else its negation.
    ///
    /// # Panics
    /// Above [`MAX_VARIABLE`](Self::MAX_VARIABLE): a solver with so many variables takes more than
    /// 100 GB before its first clause.
    pub fn new(variable: u32, positive: bool) -> Self {
        assert!(variable <= Self::MAX_VARIABLE, "more than 2^30 propositional variables");
        Literal(variable << 1 | u32::from(!positive))
    }

    /// The literal that DIMACS writes so; `None` for 0 and above
    /// [`MAX_VARIABLE`](Self::MAX_VARIABLE).
    pub fn from_dimacs(number: i32) -> Option<Self> {
        let variable = number.unsigned_abs().checked_sub(1)?;
        (variable <= Self::MAX_VARIABLE).then(|| Literal::new(variable, number > 0))
    }

    /// The number of the variable.
    pub fn variable(self) -> u32 {
        self.0 >> 1
    }

    /// Whether this is the variable itself.
    pub fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// Whether the literal is true under `values`, one per variable; `None` if its variable has
    /// none.
    pub fn evaluate(self, values: &[bool]) -> Option<bool> {
        values.get(self.variable() as usize).map(|&value| value == self.is_positive())
    }

    /// The literal as DIMACS writes it: variables counted from 1, negative for a negation.
    pub fn to_dimacs(self) -> i32 {
        // At most 2³⁰.
        let number = self.variable() as i32 + 1;
        if self.is_positive() { number } else { -number }
    }
}

/// A clause as DIMACS writes it, and as refutations have it.
pub fn to_dimacs(clause: &[Literal]) -> Vec<i32> {
    clause.iter().map(|literal| literal.to_dimacs()).collect()
}

impl Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

/// What takes variables and clauses: a formula as plain data, or a solver.
pub trait Clauses {
    /// The positive literal of a variable that nothing was said of.
    fn variable(&mut self) -> Literal;

    /// One of these holds.
    fn clause(&mut self, clause: &[Literal]);
}

/// A conjunction of clauses, which are disjunctions of literals.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Cnf {
    variables: u32,
    /// All clauses one behind the other.
    literals: Vec<Literal>,
    /// Where each clause ends.
    ends: Vec<usize>,
}

impl Cnf {
    /// No variables, no clauses: true.
    pub fn new() -> Self {
        Cnf::default()
    }

    /// The positive literal of a new variable.
    pub fn new_variable(&mut self) -> Literal {
        let literal = Literal::new(self.variables, true);
        self.variables += 1;
        literal
    }

    /// Adds a clause. Variables up to the greatest in it exist from then on.
    pub fn add_clause(&mut self, clause: impl IntoIterator<Item = Literal>) {
        let start = self.literals.len();
        self.literals.extend(clause);
        let greatest = self.literals[start..].iter().map(|literal| literal.variable() + 1).max();
        self.variables = self.variables.max(greatest.unwrap_or(0));
        self.ends.push(self.literals.len());
    }

    /// How many variables there are.
    pub fn variables(&self) -> u32 {
        self.variables
    }

    /// The clauses in the order in which they were added.
    pub fn clauses(&self) -> impl ExactSizeIterator<Item = &[Literal]> {
        (0..self.ends.len()).map(|clause| {
            let start = if clause == 0 { 0 } else { self.ends[clause - 1] };
            &self.literals[start..self.ends[clause]]
        })
    }

    /// Whether every clause is true under `values`, one per variable.
    pub fn is_satisfied_by(&self, values: &[bool]) -> bool {
        self.clauses()
            .all(|clause| clause.iter().any(|literal| literal.evaluate(values) == Some(true)))
    }

    /// Writes the formula in DIMACS format, `assumptions` as clauses of one literal.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write_dimacs(&self, assumptions: &[Literal], out: &mut dyn io::Write) -> io::Result<()> {
        let assumed = assumptions.iter().map(|literal| literal.variable() + 1).max().unwrap_or(0);
        let variables = self.variables.max(assumed);
        writeln!(out, "p cnf {variables} {}", self.ends.len() + assumptions.len())?;
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
