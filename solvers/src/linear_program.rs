//! Linear programs as plain data with exact integer coefficients.
//!
//! The program is: optimise c·x subject to lower ≤ A·x ≤ upper for each row and lower ≤ x ≤ upper
//! for each column. All numbers are `i64`, so certificates are checked against the exact program.
//! Back-ends that use floating point do their own rounding.

/// A column (a variable) of a program, counted from 0 in the order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Column(pub u32);

/// A row (a constraint) of a program, counted from 0 in the order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Row(pub u32);

impl Column {
    /// Returns the position of this column in slices with one entry per column.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Row {
    /// Returns the position of this row in slices with one entry per row.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The closed interval of allowed values of a column or row; `None` means no bound.
///
/// An interval with its lower end above its upper end is empty, and makes a program infeasible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The smallest allowed value.
    pub lower: Option<i64>,
    /// The largest allowed value.
    pub upper: Option<i64>,
}

impl Interval {
    /// The unbounded interval.
    pub const FREE: Interval = Interval { lower: None, upper: None };
    /// The interval from 0 to infinity.
    pub const NON_NEGATIVE: Interval = Interval { lower: Some(0), upper: None };

    /// Returns the interval that contains only `value`.
    pub fn exactly(value: i64) -> Self {
        Interval { lower: Some(value), upper: Some(value) }
    }

    /// Returns the interval of all values from `lower`.
    pub fn at_least(lower: i64) -> Self {
        Interval { lower: Some(lower), upper: None }
    }

    /// Returns the interval of all values up to `upper`.
    pub fn at_most(upper: i64) -> Self {
        Interval { lower: None, upper: Some(upper) }
    }

    /// Returns the interval from `lower` to `upper`, both included.
    pub fn between(lower: i64, upper: i64) -> Self {
        Interval { lower: Some(lower), upper: Some(upper) }
    }

    /// Returns true if no value is allowed.
    pub fn is_empty(self) -> bool {
        matches!((self.lower, self.upper), (Some(lower), Some(upper)) if lower > upper)
    }

    /// Returns true if `value` is allowed.
    pub fn contains(self, value: i128) -> bool {
        self.lower.is_none_or(|lower| i128::from(lower) <= value)
            && self.upper.is_none_or(|upper| value <= i128::from(upper))
    }
}

/// The direction of optimisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// Find the smallest value of the objective.
    Minimise,
    /// Find the largest value of the objective.
    Maximise,
}

/// A sparse linear program. See the module documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinearProgram {
    sense: Sense,
    /// Costs, indexed by column.
    objective: Vec<i64>,
    columns: Vec<Interval>,
    rows: Vec<Interval>,
    /// The entries of row `r` are `entries[starts[r]..starts[r + 1]]`. There is one start more than
    /// rows.
    starts: Vec<usize>,
    /// The entries of all rows, sorted by column within a row, without zeros and duplicates.
    entries: Vec<(Column, i64)>,
}

/// The reason why a change was refused. The program is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// The column does not exist.
    #[error("column {} does not exist: the program has {count}", .column.0)]
    NoSuchColumn {
        /// The requested column.
        column: Column,
        /// Number of columns.
        count: usize,
    },
    /// The row does not exist.
    #[error("row {} does not exist: the program has {count}", .row.0)]
    NoSuchRow {
        /// The requested row.
        row: Row,
        /// Number of rows.
        count: usize,
    },
    /// The coefficients given for this column sum to more than 64 bits.
    #[error("the coefficients of column {} sum to more than 64 bits", .0.0)]
    Overflow(Column),
    /// There are 2³² columns or rows already.
    #[error("more than 2^32 columns or rows")]
    TooLarge,
}

impl LinearProgram {
    /// Creates a program without columns and rows, with objective 0.
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

    /// Adds a column with cost 0.
    ///
    /// # Errors
    /// Returns [`ProgramError::TooLarge`] if there are 2³² columns already.
    pub fn add_column(&mut self, bounds: Interval) -> Result<Column, ProgramError> {
        let column = u32::try_from(self.columns.len()).map_err(|_| ProgramError::TooLarge)?;
        self.columns.push(bounds);
        self.objective.push(0);
        Ok(Column(column))
    }

    /// Adds a row. Coefficients may come in any order; coefficients of the same column are summed.
    ///
    /// # Errors
    /// Returns an error for a column that does not exist, a sum beyond 64 bits, or if there are 2³²
    /// rows already.
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

    /// Replaces the objective. Columns without an entry get cost 0.
    ///
    /// # Errors
    /// Returns an error for a column that does not exist, or a sum beyond 64 bits.
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
    /// Returns an error if the row does not exist.
    pub fn set_row_bounds(&mut self, row: Row, bounds: Interval) -> Result<(), ProgramError> {
        let count = self.rows.len();
        *self.rows.get_mut(row.index()).ok_or(ProgramError::NoSuchRow { row, count })? = bounds;
        Ok(())
    }

    /// Replaces the bounds of a column.
    ///
    /// # Errors
    /// Returns an error if the column does not exist.
    pub fn set_column_bounds(
        &mut self,
        column: Column,
        bounds: Interval,
    ) -> Result<(), ProgramError> {
        let count = self.columns.len();
        let old_bounds = self.columns.get_mut(column.index());
        *old_bounds.ok_or(ProgramError::NoSuchColumn { column, count })? = bounds;
        Ok(())
    }

    /// Sorts coefficients by column, sums duplicates and drops zeros.
    fn merge(
        &self,
        coefficients: impl IntoIterator<Item = (Column, i64)>,
    ) -> Result<Vec<(Column, i64)>, ProgramError> {
        let count = self.columns.len();
        let mut sorted: Vec<(Column, i64)> = coefficients.into_iter().collect();
        if let Some(&(column, _)) = sorted.iter().find(|(column, _)| column.index() >= count) {
            return Err(ProgramError::NoSuchColumn { column, count });
        }
        sorted.sort_by_key(|&(column, _)| column);
        let mut merged: Vec<(Column, i64)> = Vec::with_capacity(sorted.len());
        for group in sorted.chunk_by(|a, b| a.0 == b.0) {
            let column = group[0].0;
            // The sum is exact: a group has fewer than 2⁶⁴ entries of at most 64 bits each.
            let sum: i128 = group.iter().map(|&(_, coefficient)| i128::from(coefficient)).sum();
            let sum = i64::try_from(sum).map_err(|_| ProgramError::Overflow(column))?;
            if sum != 0 {
                merged.push((column, sum));
            }
        }
        Ok(merged)
    }

    /// Returns the direction of optimisation.
    pub fn sense(&self) -> Sense {
        self.sense
    }

    /// Returns the costs, indexed by column.
    pub fn objective(&self) -> &[i64] {
        &self.objective
    }

    /// Returns the bounds of the columns, one entry per column.
    pub fn columns(&self) -> &[Interval] {
        &self.columns
    }

    /// Returns the bounds of the rows, one entry per row.
    pub fn rows(&self) -> &[Interval] {
        &self.rows
    }

    /// Returns the coefficients of a row, sorted by column and without zeros. Returns an empty
    /// slice for a row that does not exist.
    pub fn row(&self, row: Row) -> &[(Column, i64)] {
        match (self.starts.get(row.index()), self.starts.get(row.index() + 1)) {
            (Some(&start), Some(&end)) => &self.entries[start..end],
            _ => &[],
        }
    }

    /// Iterates over all rows with their coefficients and bounds, in order.
    pub fn iter_rows(&self) -> impl Iterator<Item = (Row, &[(Column, i64)], Interval)> {
        self.rows.iter().enumerate().map(|(index, &bounds)| {
            // The cast is lossless: `add_row` refuses a row whose number does not fit.
            let row = Row(index as u32);
            (row, self.row(row), bounds)
        })
    }

    /// Returns the rows in compressed form. The first slice has the start of each row in the second
    /// slice, and then the number of all entries. The second slice has the entries of all rows.
    pub fn compressed_rows(&self) -> (&[usize], &[(Column, i64)]) {
        (&self.starts, &self.entries)
    }

    /// Returns true if `point` (one value per column) satisfies every row and every bound exactly.
    /// Returns false if the value of a row overflows 128 bits.
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
    fn a_point_is_admitted_when_every_row_and_bound_holds() {
        let mut program = LinearProgram::new(Sense::Minimise);
        let x = program.add_column(Interval::between(0, 3)).unwrap();
        program.add_row(Interval::at_least(4), [(x, 2)]).unwrap();
        assert!(program.admits(&[2]) && program.admits(&[3]));
        assert!(!program.admits(&[1]) && !program.admits(&[4]) && !program.admits(&[]));
    }
}
