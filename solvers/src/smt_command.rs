//! SMT solvers that run as commands: SMT-LIB 2 over pipes, with a process that may die, hang or
//! return garbage.
//!
//! ```text
//!   SmtCommand ──── (declare-const …) (assert …) (check-sat-assuming (a!7)) (echo "parikh 3") ───▶
//!   (keeps the assertions)                                       z3 -in, cvc5, yices-smt2, or ourselves
//!              ◀─────────────────────────── sat   "parikh 3"     with Z3 (see guest::serve_smt)
//!              ──── (get-value (x y …)) (echo "parikh 4") ──────▶
//! ```
//!
//! Every message ends with an `echo`, which marks the end of its answer whatever else the solver
//! prints. An assertion is sent once, when a question first needs it. When a process is given up, a
//! new process receives all assertions again. See [`guest`](crate::guest) for the cost and the
//! number of attempts.
//!
//! # Requirements on a solver
//! The core of the standard: `set-logic`, `declare-const`, `define-fun`, `check-sat`,
//! `check-sat-assuming` with literals, `get-value`, `echo`. Cores
//! (`get-unsat-assumptions`) are used if the solver supports them; otherwise all assumptions form
//! the core. The logic is the narrowest possible one. If later terms need a wider logic, a new
//! process starts with it.
//!
//! # Trust
//! A model is accepted if the exactly evaluated terms are true under it; any other `sat` is a
//! failure. The answer `unsat` is trusted.
//!
//! # Time
//! SMT-LIB has no command to stop. Z3 and cvc5 receive the remaining time as an option. A late
//! reply is awaited before the next question, until [`patience`] ends, however short the questions
//! are. Any other process is given up when its time is over.

mod guest;

use crate::answer::NoAnswer;
use crate::budget::{Budget, ExhaustionReason};
use crate::guest::process::Program;
use crate::guest::{ATTEMPTS, GRACE, PAUSE, patience};
use crate::smt::{SmtAnswer, SmtError, SmtSolver};
use crate::smt_lib::reader::Expression;
use crate::term::{Term, Terms};
use guest::SolverProcessFailure;
use guest::{BudgetExhausted, DIED, Lost, NO_REPLY, Refused, SolverProcess, TooMuchMemory};
use std::time::Duration;

/// An SMT solver in a worker process.
#[derive(Debug)]
pub struct SmtCommand {
    program: Program,
    /// Name and version as reported by the solver, or the command line if the solver reports no
    /// name.
    name: String,
    /// The identity of the arena of the first term; `None` before the first term.
    arena: Option<u64>,
    /// The assertions, in order.
    assertions: Vec<Term>,
    /// The running process, if any.
    guest: Option<SolverProcess>,
}

impl SmtCommand {
    /// Starts `program` and reads its name and version.
    ///
    /// # Errors
    /// Returns [`SmtError::Command`] if the command does not work.
    pub fn start(program: Program) -> Result<Self, SmtError> {
        Self::start_within(program, &Budget::unlimited())
    }

    /// Starts `program` as [`start`](Self::start) does, within a budget.
    ///
    /// # Errors
    /// Returns [`SmtError::Command`] if the command does not work.
    pub fn start_within(program: Program, budget: &Budget) -> Result<Self, SmtError> {
        let mut attempt = 0;
        let (guest, name) = loop {
            attempt += 1;
            let why = match SolverProcess::start(&program, budget) {
                Ok(started) => break started,
                // The system or a user may have killed the process, so the start is repeated. A
                // command that always fails exhausts the attempts.
                Err(Lost(why)) if why == DIED && attempt < ATTEMPTS => {
                    std::thread::sleep(pause_before(attempt));
                    continue;
                }
                Err(Lost(why) | Refused(why)) => why,
                Err(BudgetExhausted) => NO_REPLY.to_owned(),
                Err(TooMuchMemory) => "the memory is almost exhausted".to_owned(),
            };
            return Err(SmtError::Command { command: program.to_string(), why });
        };
        tracing::debug!("{program}: {name}");
        let assertions = Vec::new();
        Ok(SmtCommand { program, name, arena: None, assertions, guest: Some(guest) })
    }

    /// Records the arena of the first term. Returns an error for a later term of another arena.
    fn take_arena(&mut self, terms: &Terms) -> Result<(), SmtError> {
        match *self.arena.get_or_insert(terms.identity()) == terms.identity() {
            true => Ok(()),
            false => Err(SmtError::OtherArena),
        }
    }

    /// Asks the question once, in the running process or in a new one. First waits for an overdue
    /// reply to an earlier question.
    fn attempt(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        budget: &Budget,
    ) -> Result<SmtAnswer, SolverProcessFailure> {
        if let Some(guest) = &mut self.guest
            && let Some(since) = guest.awaited_since
        {
            // Read the overdue reply to an earlier question first. A process whose reply never
            // comes is given up, however short the questions are. Ten bytes of text count as one
            // coefficient.
            let patience = patience(guest.bytes_sent / 10);
            let patience_left = patience.saturating_sub(since.elapsed());
            guest.answer(patience_left, Some(budget)).map_err(|failure| match failure {
                BudgetExhausted if since.elapsed() >= patience => {
                    Lost("the solver does not respond".to_owned())
                }
                other => other,
            })?;
        }
        let mut guest = match self.guest.take() {
            Some(guest) => guest,
            None => SolverProcess::start(&self.program, budget)?.0,
        };
        guest.set_memory_limit(budget);
        let literals = match guest.prepare_assertions(terms, &self.assertions, assumptions) {
            Some(literals) => literals,
            None => {
                // The logic of the process is too narrow, and a process cannot change its logic. So
                // another process is started.
                let wider_logic = guest.writer.logic();
                guest = SolverProcess::start(&self.program, budget)?.0;
                guest.set_memory_limit(budget);
                guest.set_logic(wider_logic);
                guest
                    .prepare_assertions(terms, &self.assertions, assumptions)
                    .ok_or_else(|| Lost("its logic does not cover the query".to_owned()))?
            }
        };
        let guest = self.guest.insert(guest);
        let answer = guest.check_sat(&literals, budget)?;
        let words: Vec<&str> = answer.iter().filter_map(Expression::word).collect();
        match words.iter().rfind(|word| ["sat", "unsat", "unknown"].contains(word)) {
            Some(&"sat") => {
                let mut asserted: Vec<Term> = self.assertions.clone();
                asserted.extend_from_slice(assumptions);
                let model = guest.model(terms, budget)?;
                Ok(
                    match model.and_then(|model| {
                        let is_model = model.evaluate_all(terms, &asserted) == Some(true);
                        is_model.then_some(model)
                    }) {
                        Some(model) => SmtAnswer::Satisfiable(model),
                        None => {
                            let text = format!("{} answers sat, but its model is wrong", self.name);
                            SmtAnswer::NoAnswer(NoAnswer::Failed(text))
                        }
                    },
                )
            }
            Some(&"unsat") => {
                let core = guest.core(&literals, budget)?;
                let core = assumptions.iter().zip(core).filter(|&(_, contained)| contained);
                Ok(SmtAnswer::Unsatisfiable { core: core.map(|(&term, _)| term).collect() })
            }
            Some(_) => {
                let reason = guest.reason(budget)?;
                let why = NoAnswer::Unknown(reason);
                Ok(SmtAnswer::NoAnswer(budget.exhausted().map_or(why, NoAnswer::from)))
            }
            None => Err(Lost("the answer is neither sat nor unsat nor unknown".to_owned())),
        }
    }

    /// Ends the process.
    fn give_up_process(&mut self, why: &str) {
        if let Some(guest) = self.guest.take() {
            tracing::info!(process = guest.process.id(), "restarting {}: {why}", self.name);
        }
    }
}

/// Returns the pause before an attempt, counted from 0: none for the first two, then growing.
fn pause_before(attempt: usize) -> Duration {
    match attempt {
        0 | 1 => Duration::ZERO,
        _ => PAUSE * 4u32.pow(attempt as u32 - 2),
    }
}

impl SmtSolver for SmtCommand {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn assert(&mut self, terms: &Terms, term: Term) -> Result<(), SmtError> {
        self.take_arena(terms)?;
        self.assertions.push(term);
        Ok(())
    }

    fn check(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        budget: &Budget,
    ) -> Result<SmtAnswer, SmtError> {
        self.take_arena(terms)?;
        let mut last_failure = String::new();
        for attempt in 0..ATTEMPTS {
            if let Some(exhausted) = budget.exhausted() {
                return Ok(SmtAnswer::NoAnswer(exhausted.into()));
            }
            let pause = pause_before(attempt);
            std::thread::sleep(pause.min(budget.remaining().unwrap_or(pause)));
            match self.attempt(terms, assumptions, budget) {
                Ok(answer) => return Ok(answer),
                Err(BudgetExhausted) => {
                    if self.guest.as_ref().is_some_and(|guest| guest.time_limit.is_none()) {
                        self.give_up_process("the time limit was reached");
                    }
                    let why = budget.exhausted().unwrap_or(ExhaustionReason::Time);
                    return Ok(SmtAnswer::NoAnswer(why.into()));
                }
                Err(TooMuchMemory) => {
                    self.give_up_process("the memory is almost exhausted");
                    let why = NoAnswer::Unknown("too little memory".to_owned());
                    return Ok(SmtAnswer::NoAnswer(why));
                }
                Err(Refused(error)) => {
                    self.give_up_process("the solver refuses the query");
                    let text = format!("{}: {error}", self.name);
                    return Ok(SmtAnswer::NoAnswer(NoAnswer::Failed(text)));
                }
                Err(Lost(why)) => {
                    self.give_up_process(&why);
                    last_failure = why;
                }
            }
        }
        let text = format!("no answer after {ATTEMPTS} attempts, the last error: {last_failure}");
        Ok(SmtAnswer::NoAnswer(NoAnswer::Failed(text)))
    }
}

impl Drop for SmtCommand {
    /// Keeps a process of our own program for later solvers, if it owes no reply and has received
    /// all messages.
    fn drop(&mut self) {
        let Some(mut guest) = self.guest.take() else { return };
        let is_own_program =
            crate::guest::program().is_some_and(|own| own.path == self.program.path);
        if is_own_program && guest.awaited_since.is_none() && guest.unsent.is_empty() {
            guest.unsent.extend(b"(reset)\n");
            if guest.send(GRACE, None).is_ok() {
                guest.process.leave_idle();
            }
        }
    }
}
