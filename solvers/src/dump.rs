//! Questions as files for other solvers: `.lp`, `.smt2`, `.cnf`.
//!
//! [`Dump`] writes single questions. [`RecordingSolver`] wraps a back-end and writes each question
//! to a self-contained file before the back-end receives it. An incremental question is written
//! with everything asserted so far. A file that cannot be written is logged, and the question
//! proceeds.

use crate::locked;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::budget::Budget;
use crate::cnf::{Cnf, Literal};
use crate::linear_program::{Column, Interval, LinearProgram, ProgramError, Row, Sense};
use crate::lp::{IncrementalLp, LpAnswer, LpSolver};
use crate::lp_format::write_comment;
use crate::sat::{SatAnswer, SatSolver};
use crate::smt::{SmtAnswer, SmtError, SmtSolver};
use crate::smt_lib;
use crate::term::{Term, Terms};

/// A directory into which questions for solvers are written as numbered files. Clones share the
/// numbering, and the name and header of the next files.
#[derive(Clone, Debug)]
pub struct Dump {
    /// The directory of the files.
    directory: PathBuf,
    /// The number of the last file, counted from 1. A file that could not be written counts, too.
    written: Arc<AtomicUsize>,
    /// The name and the header of the next files.
    label: Arc<Mutex<Label>>,
}

/// The name of the next files, and the comment in their header.
#[derive(Clone, Debug)]
struct Label {
    name: String,
    /// The comment at the beginning of the files.
    header: String,
}

impl Default for Label {
    fn default() -> Self {
        Label { name: "question".into(), header: String::new() }
    }
}

impl Dump {
    /// Opens the directory, and creates it if necessary. Numbering starts at 1. Existing files with
    /// equal names are overwritten.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be created.
    pub fn create(directory: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(directory)?;
        let directory = directory.to_owned();
        Ok(Dump { directory, written: Arc::default(), label: Arc::default() })
    }

    /// Returns a dump to the same directory with the same numbering. The name and the header of its
    /// files are set independently.
    pub fn with_own_label(&self) -> Self {
        Dump { label: Arc::default(), ..self.clone() }
    }

    /// Sets the name and the header comment of the next files, for this dump and its clones.
    pub fn describe(&self, name: &str, header: &str) {
        *self.label() = Label { name: name.to_owned(), header: header.to_owned() };
    }

    fn label(&self) -> MutexGuard<'_, Label> {
        // A poisoned label is still usable.
        locked(&self.label)
    }

    fn name_and_header(&self) -> (String, String) {
        let label = self.label();
        (label.name.clone(), label.header.clone())
    }

    /// Writes a linear program under `name`, with `header` as a comment before it.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn program(
        &self,
        name: &str,
        header: &str,
        program: &LinearProgram,
    ) -> io::Result<PathBuf> {
        self.write(name, "lp", "\\ ", header, |out| program.write_lp(out))
    }

    /// Writes the question whether `assertions` are satisfiable together, in the same way as
    /// [`program`](Self::program).
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn terms(
        &self,
        name: &str,
        header: &str,
        terms: &Terms,
        assertions: &[Term],
    ) -> io::Result<PathBuf> {
        self.write(name, "smt2", "; ", header, |out| smt_lib::write_smt2(terms, assertions, out))
    }

    /// Writes a formula with assumptions as unit clauses, in the same way as
    /// [`program`](Self::program).
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn clauses(
        &self,
        name: &str,
        header: &str,
        cnf: &Cnf,
        assumptions: &[Literal],
    ) -> io::Result<PathBuf> {
        self.write(name, "cnf", "c ", header, |out| cnf.write_dimacs(assumptions, out))
    }

    /// Writes one numbered file. `comment` begins each line of the header.
    fn write(
        &self,
        name: &str,
        extension: &str,
        comment: &str,
        header: &str,
        question: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<PathBuf> {
        let number = self.written.fetch_add(1, Ordering::Relaxed) + 1;
        let safe_character =
            |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
        let name: String = name.chars().take(100).map(safe_character).collect();
        let path = self.directory.join(format!("{number:05}-{name}.{extension}"));
        let mut out = BufWriter::new(File::create(&path)?);
        for line in header.lines() {
            match extension {
                "lp" => write_comment(line, &mut out)?,
                _ => writeln!(out, "{comment}{line}")?,
            }
        }
        question(&mut out)?;
        out.flush()?;
        Ok(path)
    }
}

/// Returns the back-end, wrapped so that its questions are written to `dump` if there is one.
pub fn recorded_lp<L: IncrementalLp + Send + 'static>(
    lp: L,
    dump: Option<&Dump>,
) -> Box<dyn IncrementalLp + Send> {
    match dump {
        Some(dump) => Box::new(RecordingSolver::<L>::new(lp, dump.clone())),
        None => Box::new(lp),
    }
}

/// Returns the back-end, wrapped so that its questions are written to `dump` if there is one.
pub fn recorded_sat<S: SatSolver + Send + 'static>(
    sat: S,
    dump: Option<&Dump>,
) -> Box<dyn SatSolver + Send> {
    match dump {
        Some(dump) => Box::new(RecordingSolver::<S, Cnf>::new(sat, dump.clone())),
        None => Box::new(sat),
    }
}

/// Returns the back-end, wrapped so that its questions are written to `dump` if there is one.
pub fn recorded_smt(smt: Box<dyn SmtSolver>, dump: Option<&Dump>) -> Box<dyn SmtSolver> {
    match dump {
        Some(dump) => Box::new(RecordingSolver::<_, Vec<Term>>::new(smt, dump.clone())),
        None => smt,
    }
}

/// A back-end wrapper that writes each question to a directory before the back-end receives it.
#[derive(Debug)]
pub struct RecordingSolver<S, Q = ()> {
    solver: S,
    dump: Dump,
    /// The formula or assertions that an incremental back-end has received so far.
    received_input: Q,
}

impl<S, Q: Default> RecordingSolver<S, Q> {
    /// Wraps `solver`, which must not have received anything yet.
    pub fn new(solver: S, dump: Dump) -> Self {
        RecordingSolver { solver, dump, received_input: Q::default() }
    }
}

impl<S, Q> RecordingSolver<S, Q> {
    fn log(&self, outcome: io::Result<PathBuf>) {
        match outcome {
            Ok(path) => tracing::trace!(path = %path.display(), "question written"),
            Err(error) => tracing::warn!(%error, "a question could not be written"),
        }
    }
}

impl<S: LpSolver> LpSolver for RecordingSolver<S> {
    fn name(&self) -> String {
        self.solver.name()
    }

    fn solve(&mut self, program: &LinearProgram, budget: &Budget) -> LpAnswer {
        let (name, header) = self.dump.name_and_header();
        self.log(self.dump.program(&name, &header, program));
        self.solver.solve(program, budget)
    }
}

impl<S: IncrementalLp> IncrementalLp for RecordingSolver<S> {
    fn program(&self) -> &LinearProgram {
        self.solver.program()
    }

    fn set_objective(&mut self, sense: Sense, costs: &[(Column, i64)]) -> Result<(), ProgramError> {
        self.solver.set_objective(sense, costs)
    }

    fn set_row_bounds(&mut self, row: Row, bounds: Interval) -> Result<(), ProgramError> {
        self.solver.set_row_bounds(row, bounds)
    }

    fn set_column_bounds(&mut self, column: Column, bounds: Interval) -> Result<(), ProgramError> {
        self.solver.set_column_bounds(column, bounds)
    }

    fn add_row(
        &mut self,
        bounds: Interval,
        coefficients: &[(Column, i64)],
    ) -> Result<Row, ProgramError> {
        self.solver.add_row(bounds, coefficients)
    }

    fn inverse_row(&mut self, column: Column) -> Option<Vec<(Row, f64)>> {
        self.solver.inverse_row(column)
    }

    fn solve_again(&mut self, budget: &Budget) -> LpAnswer {
        let (name, header) = self.dump.name_and_header();
        self.log(self.dump.program(&name, &header, self.solver.program()));
        self.solver.solve_again(budget)
    }
}

impl<S: SmtSolver> SmtSolver for RecordingSolver<S, Vec<Term>> {
    fn name(&self) -> String {
        self.solver.name()
    }

    fn assert(&mut self, terms: &Terms, term: Term) -> Result<(), SmtError> {
        self.solver.assert(terms, term)?;
        self.received_input.push(term);
        Ok(())
    }

    fn check(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        budget: &Budget,
    ) -> Result<SmtAnswer, SmtError> {
        let mut assertions = self.received_input.clone();
        assertions.extend_from_slice(assumptions);
        let (name, header) = self.dump.name_and_header();
        self.log(self.dump.terms(&name, &header, terms, &assertions));
        self.solver.check(terms, assumptions, budget)
    }
}

impl<S: SatSolver> SatSolver for RecordingSolver<S, Cnf> {
    fn new_variable(&mut self) -> Literal {
        self.received_input.new_variable();
        self.solver.new_variable()
    }

    fn add_clause(&mut self, clause: &[Literal]) {
        self.received_input.add_clause(clause.iter().copied());
        self.solver.add_clause(clause);
    }

    fn solve(&mut self, assumptions: &[Literal], budget: &Budget) -> SatAnswer {
        let (name, header) = self.dump.name_and_header();
        self.log(self.dump.clauses(&name, &header, &self.received_input, assumptions));
        self.solver.solve(assumptions, budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sat_batsat::BatSat;

    #[test]
    fn a_recorded_back_end_writes_each_question_with_its_header() {
        let directory = tempfile::tempdir().unwrap();
        let dump = Dump::create(directory.path()).unwrap();
        let mut solver: RecordingSolver<BatSat, Cnf> =
            RecordingSolver::new(BatSat::new(), dump.clone());
        let a = Literal::new(0, true);
        solver.add_clause(&[a]);
        dump.describe("base case / k=3", "of goal 7\nwith two lines");
        solver.solve(&[!a], &Budget::unlimited());
        let text = std::fs::read_to_string(directory.path().join("00001-base_case___k_3.cnf"));
        assert_eq!(text.unwrap(), "c of goal 7\nc with two lines\np cnf 1 2\n1 0\n-1 0\n");
        let program = LinearProgram::new(Sense::Minimise);
        let path = dump.program("bounds", "h", &program).unwrap();
        assert!(path.ends_with("00002-bounds.lp"));
        assert!(std::fs::read_to_string(path).unwrap().starts_with("\\ h\nMinimize"));
    }
}
