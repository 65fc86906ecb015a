//! The client side of a worker process: the client keeps the linear program, and the worker process
//! solves a copy.

use super::process::{Process, WaitError, program};
use super::wire::{Allowance, OutgoingMessage, Reply, decode_reply, first_message};
use super::{ATTEMPTS, GRACE, PAUSE, patience, patience_after_stop};
use crate::answer::NoAnswer;
use crate::budget::{Budget, ExhaustionReason};
use crate::linear_program::{Column, Interval, LinearProgram, ProgramError, Row, Sense};
use crate::lp::{IncrementalLp, LpAnswer};
use crate::lp_highs::HighsModel;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Set when worker processes cannot be used. Programs without a running worker process are then
/// solved in this process.
static WORKERS_DISABLED: AtomicBool = AtomicBool::new(false);

/// Set once a worker process has answered, or a question to it ended with its budget. From then on,
/// worker processes count as working.
static WORKERS_HAVE_ANSWERED: AtomicBool = AtomicBool::new(false);

/// Limit on the number of coefficients: larger programs would need messages that are too long. They
/// do not occur in practice.
const MAX_COEFFICIENTS: usize = 100_000_000;

/// A program that HiGHS solves in a worker process, keeping its basis between runs.
#[derive(Debug)]
pub struct GuestLp {
    /// The exact program. The worker process holds a copy.
    program: LinearProgram,
    /// The running worker process, if any.
    worker: Option<Process>,
    /// Changes that the worker process has not received yet.
    unsent: OutgoingMessage,
    /// Number of rows that the worker process knows.
    sent_rows: usize,
    /// The reply that has not arrived yet, if any.
    awaited: Option<AwaitedReply>,
    /// The budget of the last question to a worker process, also used for `inverse_row`.
    budget: Budget,
    /// The HiGHS model in this process, used if no worker process can be used. `None` before its
    /// first use.
    in_process_model: Option<Box<HighsModel>>,
}

/// The wait for a reply from the worker process.
#[derive(Clone, Copy, Debug)]
struct AwaitedReply {
    /// Time of the last message from the worker process, or of the last request to the process if
    /// that is later.
    since: Instant,
    /// True if the worker process was asked to stop.
    is_asked_to_stop: bool,
}

impl AwaitedReply {
    fn new() -> AwaitedReply {
        AwaitedReply { since: Instant::now(), is_asked_to_stop: false }
    }
}

/// The reason why a worker process gives no answer.
enum WorkerFailure {
    /// The worker process can no longer be used.
    Lost(&'static str),
    /// The budget is exhausted.
    BudgetExhausted,
    /// The memory limit of the worker process or of the budget is reached.
    TooMuchMemory,
    /// No worker process can be used for this program.
    NoWorkers,
}
use WorkerFailure::{BudgetExhausted, Lost, NoWorkers, TooMuchMemory};

impl GuestLp {
    /// Takes over `program`, without starting a process or solving anything.
    pub fn new(program: LinearProgram) -> Self {
        GuestLp {
            program,
            worker: None,
            unsent: OutgoingMessage::default(),
            sent_rows: 0,
            awaited: None,
            budget: Budget::unlimited(),
            in_process_model: None,
        }
    }

    fn coefficients(&self) -> usize {
        self.program.compressed_rows().1.len()
    }

    /// Returns the time that the worker process may be silent.
    fn patience(&self) -> Duration {
        match self.awaited {
            Some(AwaitedReply { is_asked_to_stop: true, .. }) => {
                patience_after_stop(self.coefficients())
            }
            _ => patience(self.coefficients()),
        }
    }

    /// Ensures that a worker process exists and has received the program with all changes.
    fn ensure_worker(&mut self, budget: &Budget) -> Result<(), WorkerFailure> {
        if self.worker.is_none() {
            if WORKERS_DISABLED.load(Ordering::Relaxed) || self.coefficients() > MAX_COEFFICIENTS {
                return Err(NoWorkers);
            }
            let program = program().ok_or(NoWorkers)?;
            let process = Process::get(program).map_err(|error| {
                disable_workers(&error.to_string());
                NoWorkers
            })?;
            self.worker = Some(process);
            self.awaited = None;
            self.unsent = OutgoingMessage::default();
            self.unsent.load(&self.program);
        }
        let patience = self.patience();
        let Some(guest) = &mut self.worker else { return Err(NoWorkers) };
        match guest.send(&mut self.unsent.0, patience, Some(budget)) {
            Ok(()) => {
                self.sent_rows = self.program.rows().len();
                Ok(())
            }
            Err(WaitError::Dead) => Err(self.failure_of_dead_worker()),
            Err(WaitError::TimeOver) if budget.is_exhausted() => Err(BudgetExhausted),
            Err(WaitError::TimeOver) => Err(Lost("the process does not read its input")),
        }
    }

    /// Returns the reason why the worker process died.
    fn failure_of_dead_worker(&mut self) -> WorkerFailure {
        match self.worker.as_mut().map(Process::exceeded_memory) {
            Some(true) => TooMuchMemory,
            _ => Lost("the process ended unexpectedly"),
        }
    }

    /// Ends the worker process.
    fn give_up_worker(&mut self, why: &str) {
        if let Some(guest) = self.worker.take() {
            tracing::info!(
                process = guest.id(),
                "replacing the worker process of a native solver: {why}"
            );
        }
        self.awaited = None;
    }

    /// Waits for the next message that is not a sign of life. The wait ends with the allowed
    /// silence of the worker process or with the budget.
    fn next_reply(&mut self, budget: &Budget) -> Result<Reply, WorkerFailure> {
        loop {
            let patience = self.patience();
            let silence =
                self.awaited.map_or(Duration::ZERO, |awaited_reply| awaited_reply.since.elapsed());
            let Some(guest) = &mut self.worker else { return Err(NoWorkers) };
            match guest.receive(first_message, patience.saturating_sub(silence), Some(budget)) {
                Ok(message) => {
                    let size = (self.program.columns().len(), self.sent_rows);
                    return match decode_reply(&message, size) {
                        Ok(Reply::Pulse) => {
                            if let Some(awaited_reply) = &mut self.awaited {
                                awaited_reply.since = Instant::now();
                            }
                            continue;
                        }
                        Ok(reply) => {
                            self.awaited = None;
                            Ok(reply)
                        }
                        Err(_) => Err(Lost("the process sent an invalid message")),
                    };
                }
                Err(WaitError::Dead) => return Err(self.failure_of_dead_worker()),
                Err(WaitError::TimeOver) => match budget.exhausted() {
                    // The memory limit covers this process and the worker process. The worker
                    // process may be the one that uses the memory.
                    Some(ExhaustionReason::Memory) => return Err(TooMuchMemory),
                    Some(_) => return Err(BudgetExhausted),
                    None if self
                        .awaited
                        .is_some_and(|awaited_reply| awaited_reply.since.elapsed() >= patience) =>
                    {
                        return Err(Lost("the process does not respond"));
                    }
                    None => (),
                },
            }
        }
    }

    /// Solves the current program in one worker process.
    fn attempt(&mut self, budget: &Budget) -> Result<LpAnswer, WorkerFailure> {
        // Read the overdue reply to an earlier question first.
        while self.awaited.is_some() {
            self.next_reply(budget)?;
        }
        self.ensure_worker(budget)?;
        let mut request = OutgoingMessage::default();
        request.solve(Allowance {
            time: budget
                .remaining()
                .map_or(u64::MAX, |left| u64::try_from(left.as_micros()).unwrap_or(u64::MAX)),
            memory: match budget.memory_left() {
                u64::MAX => u64::MAX,
                left => left / 2,
            },
        });
        self.send(&mut request)?;
        self.awaited = Some(AwaitedReply::new());
        match self.next_reply(budget) {
            Ok(Reply::Solved(LpAnswer::NoAnswer(NoAnswer::Exhausted(
                ExhaustionReason::Memory,
            )))) => Err(TooMuchMemory),
            Ok(Reply::Solved(answer)) => Ok(answer),
            Ok(_) => Err(Lost("the process sent an invalid message")),
            Err(BudgetExhausted) => self.stop(budget),
            Err(failure) => Err(failure),
        }
    }

    /// Tells the worker process to stop. An answer that arrives within [`GRACE`] still counts.
    fn stop(&mut self, budget: &Budget) -> Result<LpAnswer, WorkerFailure> {
        let mut request = OutgoingMessage::default();
        request.stop();
        self.send(&mut request)?;
        self.awaited = Some(AwaitedReply { since: Instant::now(), is_asked_to_stop: true });
        match self.next_reply(&Budget::lasting(GRACE)) {
            Ok(Reply::Solved(LpAnswer::NoAnswer(_))) | Err(BudgetExhausted) => {
                Ok(no_answer(budget))
            }
            Ok(Reply::Solved(answer)) => Ok(answer),
            Ok(_) => Err(Lost("the process sent an invalid message")),
            Err(failure) => Err(failure),
        }
    }

    /// Sends a message that is short enough to be written within [`GRACE`].
    fn send(&mut self, request: &mut OutgoingMessage) -> Result<(), WorkerFailure> {
        let Some(guest) = &mut self.worker else { return Err(NoWorkers) };
        match guest.send(&mut request.0, GRACE, None) {
            Ok(()) => Ok(()),
            Err(WaitError::Dead) => Err(self.failure_of_dead_worker()),
            Err(WaitError::TimeOver) => Err(Lost("the process does not read its input")),
        }
    }

    /// Records a change for the worker process, if there is one.
    fn record_change(&mut self, write: impl FnOnce(&mut OutgoingMessage)) {
        if self.worker.is_some() {
            write(&mut self.unsent);
        }
    }

    fn solve_in_process(&mut self, budget: &Budget) -> LpAnswer {
        let program = &self.program;
        let inside =
            self.in_process_model.get_or_insert_with(|| Box::new(HighsModel::new(program.clone())));
        inside.solve_again(budget)
    }
}

/// Disables worker processes from now on.
fn disable_workers(why: &str) {
    if !WORKERS_DISABLED.swap(true, Ordering::Relaxed) {
        tracing::warn!(
            "native solvers run inside the main process, because worker processes do not work: \
             {why}"
        );
    }
}

fn no_answer(budget: &Budget) -> LpAnswer {
    LpAnswer::NoAnswer(budget.exhausted().unwrap_or(ExhaustionReason::Time).into())
}

impl IncrementalLp for GuestLp {
    fn program(&self) -> &LinearProgram {
        &self.program
    }

    fn set_objective(&mut self, sense: Sense, costs: &[(Column, i64)]) -> Result<(), ProgramError> {
        self.program.set_objective(sense, costs.iter().copied())?;
        self.record_change(|out| out.objective(sense, costs));
        self.in_process_model.as_mut().map_or(Ok(()), |inside| inside.set_objective(sense, costs))
    }

    fn set_row_bounds(&mut self, row: Row, bounds: Interval) -> Result<(), ProgramError> {
        self.program.set_row_bounds(row, bounds)?;
        self.record_change(|out| out.row_bounds(row, bounds));
        self.in_process_model.as_mut().map_or(Ok(()), |inside| inside.set_row_bounds(row, bounds))
    }

    fn set_column_bounds(&mut self, column: Column, bounds: Interval) -> Result<(), ProgramError> {
        self.program.set_column_bounds(column, bounds)?;
        self.record_change(|out| out.column_bounds(column, bounds));
        self.in_process_model
            .as_mut()
            .map_or(Ok(()), |inside| inside.set_column_bounds(column, bounds))
    }

    fn add_row(
        &mut self,
        bounds: Interval,
        coefficients: &[(Column, i64)],
    ) -> Result<Row, ProgramError> {
        let row = self.program.add_row(bounds, coefficients.iter().copied())?;
        self.record_change(|out| out.add_row(bounds, coefficients));
        if let Some(inside) = &mut self.in_process_model {
            inside.add_row(bounds, coefficients)?;
        }
        Ok(row)
    }

    fn inverse_row(&mut self, column: Column) -> Option<Vec<(Row, f64)>> {
        if let Some(inside) = &mut self.in_process_model {
            return inside.inverse_row(column);
        }
        let budget = self.budget.clone();
        // The basis is available only right after a solve.
        let has_basis = self.worker.is_some() && self.awaited.is_none() && self.unsent.0.is_empty();
        if !has_basis || budget.is_exhausted() {
            return None;
        }
        let mut request = OutgoingMessage::default();
        request.inverse_row(column);
        let reply = self.send(&mut request).and_then(|()| {
            self.awaited = Some(AwaitedReply::new());
            self.next_reply(&budget)
        });
        match reply {
            Ok(Reply::InverseRow(row)) => row,
            // The late reply remains outstanding; the next question reads it first.
            Err(BudgetExhausted) => None,
            Ok(_) => {
                self.give_up_worker("the process sent an invalid message");
                None
            }
            Err(_) => {
                self.give_up_worker("the process does not respond");
                None
            }
        }
    }

    fn solve_again(&mut self, budget: &Budget) -> LpAnswer {
        if let Some(exhausted) = budget.exhausted() {
            if exhausted == ExhaustionReason::Memory {
                self.give_up_worker("the memory is almost exhausted");
            }
            return LpAnswer::NoAnswer(exhausted.into());
        }
        if self.in_process_model.is_some() {
            return self.solve_in_process(budget);
        }
        self.budget = budget.clone();
        let mut last_failure = "";
        for attempt in 0..ATTEMPTS {
            if attempt >= 2 {
                let pause = PAUSE * 4u32.pow(attempt as u32 - 2);
                std::thread::sleep(pause.min(budget.remaining().unwrap_or(pause)));
            }
            match self.attempt(budget) {
                Ok(answer) => {
                    WORKERS_HAVE_ANSWERED.store(true, Ordering::Relaxed);
                    return answer;
                }
                Err(BudgetExhausted) => return no_answer(budget),
                Err(NoWorkers) => return self.solve_in_process(budget),
                Err(TooMuchMemory) => {
                    self.give_up_worker("the memory is almost exhausted");
                    return LpAnswer::NoAnswer(NoAnswer::Unknown("too little memory".to_owned()));
                }
                Err(Lost(what)) => {
                    self.give_up_worker(what);
                    last_failure = what;
                }
            }
            if let Some(exhausted) = budget.exhausted() {
                return LpAnswer::NoAnswer(exhausted.into());
            }
        }
        if !WORKERS_HAVE_ANSWERED.load(Ordering::Relaxed) {
            disable_workers(last_failure);
            return self.solve_in_process(budget);
        }
        tracing::warn!("no answer from a native solver after {ATTEMPTS} attempts: {last_failure}");
        LpAnswer::NoAnswer(NoAnswer::Failed(format!("{ATTEMPTS} attempts failed: {last_failure}")))
    }
}

impl Drop for GuestLp {
    fn drop(&mut self) {
        let (Some(mut guest), None) = (self.worker.take(), self.awaited) else { return };
        if !self.unsent.0.is_empty() {
            // The last message may be sent only in part, so the process cannot serve another
            // program.
            return;
        }
        let mut request = OutgoingMessage::default();
        // An empty program makes the idle process free its memory.
        request.load(&LinearProgram::new(Sense::Minimise));
        if guest.send(&mut request.0, GRACE, None).is_ok() {
            guest.leave_idle();
        }
    }
}
