//! Linear programs as plain data, with exact integer coefficients.
//!
//! optimise c·x subject to lower ≤ A·x ≤ upper row by row and lower ≤ x ≤ upper column by column.
//! Every number is an `i64`, so that a certificate can be checked against the very program that was
//! meant; back-ends that work in floating point round on their side of the wall.

use std::fmt;
use std::io;

/// A column (a variable) of a program, counted from 0 in the order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Column(pub u32);

/// A row (a constraint) of a program, counted from 0 in the order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Row(pub u32);

impl Column {
    /// The position of this column in slices with one entry per column.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Row {
    /// The position of this row in slices with one entry per row.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The closed interval in which a column or the value of a row must lie; `None` is no bound.
///
/// An interval whose lower end is above its upper end is empty, and makes a program infeasible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The least value allowed.
    pub lower: Option<i64>,
    /// The greatest value allowed.
    pub upper: Option<i64>,
}

impl Interval {
    /// Every value.
    pub const FREE: Interval = Interval { lower: None, upper: None };
    /// Zero and above.
    pub const NON_NEGATIVE: Interval = Interval { lower: Some(0), upper: None };

    /// Just `value`.
    pub fn exactly(value: i64) -> Self {
        Interval { lower: Some(value), upper: Some(value) }
    }

    /// `lower` and above.
    pub fn at_least(lower: i64) -> Self {
        Interval { lower: Some(lower), upper: None }
    }

    /// `upper` and below.
    pub fn at_most(upper: i64) -> Self {
        Interval { lower: None, upper: Some(upper) }
    }

    /// From `lower` to `upper`, both included.
    pub fn between(lower: i64, upper: i64) -> Self {
        Interval { lower: Some(lower), upper: Some(upper) }
    }

    /// Whether no value is allowed.
    pub fn is_empty(self) -> bool {
        matches!((self.lower, self.upper), (Some(lower), Some(upper)) if lower > upper)
    }

    /// Whether `value` lies inside.
    pub fn contains(self, value: i128) -> bool {
        self.lower.is_none_or(|lower| i128::from(lower) <= value)
            && self.upper.is_none_or(|upper| value <= i128::from(upper))
    }
}

/// Which way to optimise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// Look for the least value of the objective.
    Minimise,
    /// Look for the greatest value of the objective.
    Maximise,
}

/// A sparse linear program. See the head of this file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinearProgram {
    sense: Sense,
    /// One cost per column.
    objective: Vec<i64>,
    columns: Vec<Interval>,
    rows: Vec<Interval>,
    /// Row `r` owns the entries from `starts[r]` up to `starts[r + 1]`; one entry more than rows.
    starts: Vec<usize>,
    /// Entries of all rows, sorted by column within a row, no zeros, no column twice.
    entries: Vec<(Column, i64)>,
}

/// Why a row or an objective was refused; the program is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// A column that the program does not have.
    #[error("column {} does not exist: the program has {count}", .column.0)]
    NoSuchColumn {
        /// The column asked for.
        column: Column,
        /// How many there are.
        count: usize,
    },
    /// A row that the program does not have.
    #[error("row {} does not exist: the program has {count}", .row.0)]
    NoSuchRow {
        /// The row asked for.
        row: Row,
        /// How many there are.
        count: usize,
    },
    /// The coefficients given for one column sum to more than 64 bits hold.
    #[error("the coefficients of column {} sum to more than 64 bits", .0.0)]
    Overflow(Column),
    /// More than 2³² columns or rows.
    #[error("more than 2^32 columns or rows")]
    TooLarge,
}

impl LinearProgram {
    /// No columns, no rows, objective 0.
    pub fn new(sense: Sense) -> Self {
        LinearProgram {
            sense,
            objective: Vec::new(),
            columns: Vec::new(),
            rows: Vec::new(),
            starts: vec![0],
            entries: Vec::new(),
        }
    }

    /// Adds a column that costs nothing yet.
    ///
    /// # Errors
    /// [`ProgramError::TooLarge`] for the 2³²th column.
    pub fn add_column(&mut self, bounds: Interval) -> Result<Column, ProgramError> {
        let column = u32::try_from(self.columns.len()).map_err(|_| ProgramError::TooLarge)?;
        self.columns.push(bounds);
        self.objective.push(0);
        Ok(Column(column))
    }

    /// Adds a row. Coefficients may come in any order; those of one column are summed.
    ///
    /// # Errors
    /// A column that does not exist, a sum beyond 64 bits, or the 2³²th row.
    pub fn add_row(
        &mut self,
        bounds: Interval,
        coefficients: impl IntoIterator<Item = (Column, i64)>,
    ) -> Result<Row, ProgramError> {
        let row = u32::try_from(self.rows.len()).map_err(|_| ProgramError::TooLarge)?;
        let merged = self.merge(coefficients)?;
        self.entries.extend(merged);
        self.starts.push(self.entries.len());
        self.rows.push(bounds);
        Ok(Row(row))
    }

    /// Replaces the objective: columns not mentioned cost nothing.
    ///
    /// # Errors
    /// A column that does not exist, or a sum beyond 64 bits.
    pub fn set_objective(
        &mut self,
        sense: Sense,
        costs: impl IntoIterator<Item = (Column, i64)>,
    ) -> Result<(), ProgramError> {
        let merged = self.merge(costs)?;
        self.sense = sense;
        self.objective.fill(0);
        for (column, cost) in merged {
            self.objective[column.index()] = cost;
        }
        Ok(())
    }

    /// Replaces the bounds of a row.
    ///
    /// # Errors
    /// A row that does not exist.
    pub fn set_row_bounds(&mut self, row: Row, bounds: Interval) -> Result<(), ProgramError> {
        let count = self.rows.len();
        *self.rows.get_mut(row.index()).ok_or(ProgramError::NoSuchRow { row, count })? = bounds;
        Ok(())
    }

    /// Replaces the bounds of a column.
    ///
    /// # Errors
    /// A column that does not exist.
    pub fn set_column_bounds(
        &mut self,
        column: Column,
        bounds: Interval,
    ) -> Result<(), ProgramError> {
        let count = self.columns.len();
        let place = self.columns.get_mut(column.index());
        *place.ok_or(ProgramError::NoSuchColumn { column, count })? = bounds;
        Ok(())
    }

    /// Sorts by column, sums duplicates, drops zeros.
    fn merge(
        &self,
        coefficients: impl IntoIterator<Item = (Column, i64)>,
    ) -> Result<Vec<(Column, i64)>, ProgramError> {
        let count = self.columns.len();
        let mut given: Vec<(Column, i64)> = coefficients.into_iter().collect();
        if let Some(&(column, _)) = given.iter().find(|(column, _)| column.index() >= count) {
            return Err(ProgramError::NoSuchColumn { column, count });
        }
        given.sort_by_key(|&(column, _)| column);
        let mut merged: Vec<(Column, i64)> = Vec::with_capacity(given.len());
        for group in given.chunk_by(|a, b| a.0 == b.0) {
            let column = group[0].0;
            // Exact: a group has fewer than 2⁶⁴ entries of fewer than 64 bits each.
            let sum: i128 = group.iter().map(|&(_, coefficient)| i128::from(coefficient)).sum();
            let sum = i64::try_from(sum).map_err(|_| ProgramError::Overflow(column))?;
            if sum != 0 {
                merged.push((column, sum));
            }
        }
        Ok(merged)
    }

    /// Which way to optimise.
    pub fn sense(&self) -> Sense {
        self.sense
    }

    /// One cost per column.
    pub fn objective(&self) -> &[i64] {
        &self.objective
    }

    /// The bounds of the columns, one entry per column.
    pub fn columns(&self) -> &[Interval] {
        &self.columns
    }

    /// The bounds of the rows, one entry per row.
    pub fn rows(&self) -> &[Interval] {
        &self.rows
    }

    /// The coefficients of a row, sorted by column, without zeros; empty for a row that does not
    /// exist.
    pub fn row(&self, row: Row) -> &[(Column, i64)] {
        match (self.starts.get(row.index()), self.starts.get(row.index() + 1)) {
            (Some(&start), Some(&end)) => &self.entries[start..end],
            _ => &[],
        }
    }

    /// Every row with its coefficients and bounds, in order.
    pub fn iter_rows(&self) -> impl Iterator<Item = (Row, &[(Column, i64)], Interval)> {
        self.rows.iter().enumerate().map(|(index, &bounds)| {
            // In range: `add_row` refuses a row whose number does not fit.
            let row = Row(index as u32);
            (row, self.row(row), bounds)
        })
    }

    /// The rows one behind the other: `starts` with one entry more than rows, and the entries.
    pub fn compressed_rows(&self) -> (&[usize], &[(Column, i64)]) {
        (&self.starts, &self.entries)
    }

    /// Whether `point` (one value per column) satisfies every row and every bound, exactly.
    pub fn admits(&self, point: &[i64]) -> bool {
        point.len() == self.columns.len()
            && point.iter().zip(&self.columns).all(|(&x, bounds)| bounds.contains(x.into()))
            && self.iter_rows().all(|(_, entries, bounds)| {
                let product = |&(column, a): &(Column, i64)| {
                    i128::from(a).checked_mul(i128::from(point[column.index()]))
                };
                let value =
                    entries.iter().try_fold(0i128, |sum, entry| sum.checked_add(product(entry)?));
                value.is_some_and(|value| bounds.contains(value))
            })
    }

    /// Writes the program in CPLEX LP format: column `i` is `x<i>`, row `i` is `r<i>`, a second
    /// line for a row with two different bounds ends in `u`.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write_lp(&self, out: &mut dyn io::Write) -> io::Result<()> {
        self.write_lp_with(|column| format!("x{}", column.0), false, out)
    }

    /// Writes the program in CPLEX LP format with columns called as `name` says: letters, digits
    /// and underscores, not starting with a digit or an `e`, each name once. With `integers`, all
    /// columns are declared to be integers.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write_lp_with(
        &self,
        name: impl Fn(Column) -> String,
        integers: bool,
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        let name: &dyn Fn(Column) -> String = &name;
        let sense = match self.sense {
            Sense::Minimise => "Minimize",
            Sense::Maximise => "Maximize",
        };
        let costs = self.objective.iter().enumerate().filter(|&(_, &cost)| cost != 0);
        let costs: Vec<_> = costs.map(|(index, &cost)| (Column(index as u32), cost)).collect();
        writeln!(out, "{sense}\n objective: {}\nSubject To", Sum(&costs, name))?;
        for (Row(index), entries, bounds) in self.iter_rows() {
            let sum = Sum(entries, name);
            match (bounds.lower, bounds.upper) {
                (Some(lower), Some(upper)) if lower == upper => {
                    writeln!(out, " r{index}: {sum} = {lower}")?;
                }
                (lower, upper) => {
                    if let Some(lower) = lower {
                        writeln!(out, " r{index}: {sum} >= {lower}")?;
                    }
                    if let Some(upper) = upper {
                        let twin = if lower.is_some() { "u" } else { "" };
                        writeln!(out, " r{index}{twin}: {sum} <= {upper}")?;
                    }
                }
            }
        }
        writeln!(out, "Bounds")?;
        for (index, bounds) in self.columns.iter().enumerate() {
            let x = name(Column(index as u32));
            match (bounds.lower, bounds.upper) {
                (None, None) => writeln!(out, " {x} free")?,
                (Some(lower), None) => writeln!(out, " {x} >= {lower}")?,
                (None, Some(upper)) => writeln!(out, " -inf <= {x} <= {upper}")?,
                (Some(lower), Some(upper)) => writeln!(out, " {lower} <= {x} <= {upper}")?,
            }
        }
        if integers {
            writeln!(out, "General")?;
            for index in 0..self.columns.len() {
                writeln!(out, " {}", name(Column(index as u32)))?;
            }
        }
        writeln!(out, "End")
    }
}

/// A sum in LP format. The empty one is written as a term with coefficient 0, which readers accept.
struct Sum<'a>(&'a [(Column, i64)], &'a dyn Fn(Column) -> String);

impl fmt::Display for Sum<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return write!(f, "0 {}", self.1(Column(0)));
        }
        for (position, &(column, a)) in self.0.iter().enumerate() {
            let sign = match (position, a < 0) {
                (0, false) => "",
                (0, true) => "- ",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            write!(f, "{sign}{} {}", a.unsigned_abs(), self.1(column))?;
            // Readers of the format limit the length of a line.
            if position % 16 == 15 {
                write!(f, "\n  ")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_of_one_column_are_summed_and_zeros_dropped() {
        let mut program = LinearProgram::new(Sense::Maximise);
        let x = program.add_column(Interval::NON_NEGATIVE).unwrap();
        let y = program.add_column(Interval::FREE).unwrap();
        let row = program.add_row(Interval::at_most(3), [(y, 1), (x, 2), (y, -1), (x, 1)]).unwrap();
        assert_eq!(program.row(row), [(x, 3)]);
        assert_eq!(
            program.add_row(Interval::FREE, [(x, i64::MAX), (x, 1)]),
            Err(ProgramError::Overflow(x))
        );
        assert_eq!(
            program.add_row(Interval::FREE, [(Column(7), 1)]),
            Err(ProgramError::NoSuchColumn { column: Column(7), count: 2 })
        );
        assert_eq!(program.rows().len(), 1);
    }

    #[test]
    fn the_written_program_reads_as_meant() {
        let mut program = LinearProgram::new(Sense::Maximise);
        let x = program.add_column(Interval::NON_NEGATIVE).unwrap();
        let y = program.add_column(Interval::FREE).unwrap();
        let z = program.add_column(Interval::between(-2, 5)).unwrap();
        program.add_row(Interval::exactly(4), [(x, 1), (y, -2)]).unwrap();
        program.add_row(Interval::between(0, 9), [(y, -1), (z, 1)]).unwrap();
        program.set_objective(Sense::Maximise, [(x, 3), (z, -1)]).unwrap();
        let mut text = Vec::new();
        program.write_lp(&mut text).unwrap();
        let expected = "Maximize\n objective: 3 x0 - 1 x2\nSubject To\n r0: 1 x0 - 2 x1 = 4\n \
                        r1: - 1 x1 + 1 x2 >= 0\n r1u: - 1 x1 + 1 x2 <= 9\nBounds\n x0 >= 0\n \
                        x1 free\n -2 <= x2 <= 5\nEnd\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }

    #[test]
    fn a_point_is_admitted_when_every_row_and_bound_holds() {
        let mut program = LinearProgram::new(Sense::Minimise);
        let x = program.add_column(Interval::between(0, 3)).unwrap();
        program.add_row(Interval::at_least(4), [(x, 2)]).unwrap();
        assert!(program.admits(&[2]) && program.admits(&[3]));
        assert!(!program.admits(&[1]) && !program.admits(&[4]) && !program.admits(&[]));
    }
}
