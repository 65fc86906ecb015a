//! The SMT solver that engines use: the user's command if there is one, otherwise Z3. After
//! [`set_worker_program`](crate::guest::set_worker_program), Z3 runs in a worker process.

use crate::guest::Program;
use crate::smt::{SmtError, SmtSolver};
use crate::smt_command::SmtCommand;

/// Creates a solver without assertions. It must stay on this thread.
///
/// # Errors
/// Returns the reason why no solver is available.
pub fn smt_solver(command: Option<&Program>) -> Result<Box<dyn SmtSolver>, SmtError> {
    match command {
        Some(command) => Ok(Box::new(SmtCommand::start(command.clone())?)),
        None => z3(),
    }
}

/// Starts Z3 in a worker process. Uses Z3 in this process if
/// [`set_worker_program`](crate::guest::set_worker_program) was not called, or if the worker
/// process does not work.
#[cfg(feature = "z3")]
fn z3() -> Result<Box<dyn SmtSolver>, SmtError> {
    use crate::{guest, smt_z3::Z3};
    let in_this_process = || Ok(Box::new(Z3::new()?) as Box<dyn SmtSolver>);
    let Some(guest) = guest::z3_program() else { return in_this_process() };
    match SmtCommand::start(guest) {
        Ok(solver) => Ok(Box::new(solver)),
        Err(error) => {
            tracing::warn!(
                "Z3 runs inside the main process, because a worker process does not work: {error}"
            );
            in_this_process()
        }
    }
}

#[cfg(not(feature = "z3"))]
fn z3() -> Result<Box<dyn SmtSolver>, SmtError> {
    Err(SmtError::NoneHere)
}

/// Parses a command line: words, optionally quoted with either kind of quotation mark. Returns
/// `None` if the first word is missing or empty, or a quotation mark is unmatched.
pub fn command(line: &str) -> Option<Program> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut open_quote: Option<char> = None;
    for c in line.chars() {
        match (open_quote, c) {
            (Some(mark), c) if c == mark => open_quote = None,
            (None, '"' | '\'') => {
                open_quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    let mut words = words.into_iter();
    let path = words.next().filter(|path| !path.is_empty() && open_quote.is_none())?;
    Some(Program { path: path.into(), arguments: words.map(Into::into).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_split_like_in_a_shell() {
        let read = |line: &str| command(line).map(|program| program.to_string());
        assert_eq!(read(" z3  -in ").as_deref(), Some("z3 -in"));
        let quoted = command("'/opt/my solvers/z3' \"-x=a b\"c ''").unwrap();
        assert_eq!(quoted.path.to_str(), Some("/opt/my solvers/z3"));
        assert_eq!(quoted.arguments, ["-x=a bc", ""]);
        assert!(command("").is_none() && command("'z3").is_none() && command("\"\" -in").is_none());
    }
}
