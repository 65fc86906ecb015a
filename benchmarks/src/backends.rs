//! The solvers that the comparison of encodings uses: solvers of linear programs, SMT solvers and a
//! SAT solver.

use crate::error::Error;
use parikh_encodings::Numbers;
use parikh_encodings::propositional::TokenEncoding;
use parikh_solvers::lp::LpSolver;
use parikh_solvers::smt::{SmtError, SmtSolver};
use parikh_solvers::smt_chosen;
use parikh_solvers::smt_command::SmtCommand;
use std::fmt;
use std::str::FromStr;

/// A solver, together with the kind of numbers (reals, integers or bit-vectors) in the encodings
/// that it solves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Backend {
    /// Linear programs by HiGHS.
    Highs,
    /// Linear programs by microlp.
    MicroLp,
    /// Terms over the reals by Z3.
    Z3Reals,
    /// Terms over the integers by Z3.
    Z3Integers,
    /// Terms over bit-vectors, by Z3 in this process.
    Z3Bits,
    /// Terms over the integers, by Z3 in a worker process.
    Z3Guest,
    /// Propositional clauses with this encoding of tokens, by the built-in SAT solver.
    Sat(TokenEncoding),
    /// Terms by an SMT solver that runs as a separate command. The fields are the kind of numbers
    /// in the terms, the name given by the user, and the command line.
    Command(Numbers, &'static str, &'static str),
    /// An engine of Parikh, which has its own representation of goals. No name on the command line
    /// stands for this back-end.
    Engine,
}

impl Backend {
    /// The back-ends for linear programs, and the back-ends for Z3 in the process of this program.
    /// The list does not depend on the solvers that the build contains.
    pub const ALL: [Backend; 5] =
        [Backend::Highs, Backend::MicroLp, Backend::Z3Reals, Backend::Z3Integers, Backend::Z3Bits];

    /// Returns the name in result files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Highs => "highs",
            Backend::MicroLp => "microlp",
            Backend::Z3Reals => "z3-lra",
            Backend::Z3Integers => "z3-lia",
            Backend::Z3Bits => "z3-bv",
            Backend::Z3Guest => "z3-guest",
            Backend::Sat(TokenEncoding::Order) => "sat-order",
            Backend::Sat(TokenEncoding::OneOfN) => "sat-one-of-n",
            Backend::Sat(TokenEncoding::Log) => "sat-log",
            Backend::Command(_, name, _) => name,
            Backend::Engine => "parikh",
        }
    }

    /// Returns the kind of numbers that encodings use for this back-end.
    pub(crate) fn numbers(self) -> Numbers {
        match self {
            Backend::Z3Integers | Backend::Z3Guest | Backend::Engine => Numbers::Integers,
            Backend::Z3Bits | Backend::Sat(_) => Numbers::Bits,
            Backend::Command(numbers, ..) => numbers,
            Backend::Highs | Backend::MicroLp | Backend::Z3Reals => Numbers::Reals,
        }
    }
}

impl Backend {
    /// Checks that the solver can be started, if it is an external program. Other back-ends pass.
    ///
    /// # Errors
    /// [`Error::Solver`] if the solver cannot be started, or no program is known for it.
    pub fn check_start(self) -> Result<(), Error> {
        let program = match self {
            Backend::Z3Guest => z3_worker_program(),
            Backend::Command(_, _, command_line) => smt_chosen::command(command_line),
            _ => return Ok(()),
        };
        let solver = program.ok_or(SmtError::NoneHere).and_then(SmtCommand::start);
        solver.map(drop).map_err(Error::Solver)
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Backend {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let commands = [
            ("command:", Numbers::Integers),
            ("command-lra:", Numbers::Reals),
            ("command-bv:", Numbers::Bits),
        ];
        for (prefix, numbers) in commands {
            if let Some(command_line) = word.strip_prefix(prefix)
                && smt_chosen::command(command_line).is_some()
            {
                // The leaked memory is small: a command line names few back-ends, and their names
                // are needed until the program ends.
                let name: &'static str = word.to_owned().leak();
                return Ok(Backend::Command(numbers, name, &name[prefix.len()..]));
            }
        }
        let backends = Backend::ALL.into_iter().chain([Backend::Z3Guest]);
        let backends = backends.chain(TokenEncoding::ALL.map(Backend::Sat));
        backends.into_iter().find(|backend| backend.name() == word).ok_or_else(|| {
            format!(
                "`{word}` is not a back-end, expected highs, microlp, z3-lra, z3-lia, z3-bv, \
                 z3-guest, sat-order, sat-one-of-n, sat-log, or command:LINE, command-lra:LINE or \
                 command-bv:LINE, such as command:z3 -in"
            )
        })
    }
}

/// Starts a new SMT solver. Returns `None` if the back-end is no SMT solver, if the build lacks the
/// solver, or if the solver cannot be started.
pub(crate) fn smt_solver(backend: Backend) -> Option<Box<dyn SmtSolver>> {
    let program = match backend {
        Backend::Highs | Backend::MicroLp | Backend::Sat(_) | Backend::Engine => return None,
        Backend::Z3Reals | Backend::Z3Integers => return z3_in_process(None),
        // With the SMT-LIB logic `ALL`, Z3 solves bit-vectors with its tactics.
        Backend::Z3Bits => return z3_in_process(Some("ALL")),
        Backend::Z3Guest => z3_worker_program()?,
        Backend::Command(_, _, command_line) => smt_chosen::command(command_line)?,
    };
    let solver: Box<dyn SmtSolver> = Box::new(SmtCommand::start(program).ok()?);
    Some(solver)
}

/// Starts Z3 in this process, for an SMT-LIB logic if one is given. Returns `None` if the build
/// lacks Z3 or Z3 cannot be started.
#[cfg(feature = "z3")]
fn z3_in_process(logic: Option<&str>) -> Option<Box<dyn SmtSolver>> {
    use parikh_solvers::smt_z3::Z3;
    Some(Box::new(logic.map_or_else(Z3::new, Z3::for_logic).ok()?))
}

/// Returns the program that runs Z3 in a process of its own. Returns `None` if no worker program
/// was set before, or if the build lacks Z3.
#[cfg(feature = "z3")]
fn z3_worker_program() -> Option<parikh_solvers::guest::Program> {
    parikh_solvers::guest::z3_program()
}

#[cfg(not(feature = "z3"))]
fn z3_in_process(_logic: Option<&str>) -> Option<Box<dyn SmtSolver>> {
    None
}

#[cfg(not(feature = "z3"))]
fn z3_worker_program() -> Option<parikh_solvers::guest::Program> {
    None
}

/// Returns the solver HiGHS, if the build has it.
#[cfg(feature = "highs")]
pub(crate) fn highs() -> Option<Box<dyn LpSolver>> {
    Some(Box::new(parikh_solvers::lp_highs::Highs))
}

#[cfg(not(feature = "highs"))]
pub(crate) fn highs() -> Option<Box<dyn LpSolver>> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn back_ends_are_read_as_they_are_called() {
        for name in
            ["z3-guest", "sat-log", "highs", "command:z3 -in", "command-lra:'my solver' --smt2"]
        {
            assert_eq!(name.parse::<Backend>().unwrap().to_string(), name);
        }
        assert!("command:".parse::<Backend>().is_err() && "z4".parse::<Backend>().is_err());
    }
}
