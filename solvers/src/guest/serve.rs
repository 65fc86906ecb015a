//! The server side of a worker process: executes orders until the client is gone.

use super::wire::{
    Allowance, OutgoingMessage, Reply, WorkerRequest, decode_request, first_message,
};
use super::{PULSE, watch};
use crate::answer::NoAnswer;
use crate::budget::{Budget, resident_bytes};
use crate::linear_program::{LinearProgram, ProgramError, Sense};
use crate::lp::{IncrementalLp as _, LpAnswer};
use crate::lp_highs::HighsModel;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

/// Interval between two checks for an order to stop.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(2);

/// Serves a client that writes to `from` and reads from `to`. Does not return: the process ends
/// with the client, or after an invalid message.
pub fn serve(from: OwnedFd, to: OwnedFd) -> ! {
    watch::start_watchdog(&from);
    CONNECTION.set(Some(WorkerConnection {
        input: from.into(),
        output: to.into(),
        received: Vec::new(),
    }));
    let mut model = None;
    while let Some(request) = with_connection(WorkerConnection::next).flatten() {
        let reply = match request {
            WorkerRequest::Solve(allowance) => Reply::Solved(solve(model.as_mut(), allowance)),
            WorkerRequest::InverseRow(column) => {
                Reply::InverseRow(model.as_mut().and_then(|model| model.inverse_row(column)))
            }
            // The order came after the answer had been sent.
            WorkerRequest::Stop => continue,
            request => match apply_change(&mut model, request) {
                Ok(()) => continue,
                // The client's copy accepted this change, so an error means that the copies differ.
                Err(_) => break,
            },
        };
        if !matches!(with_connection(|line| line.send(&reply)), Some(Ok(()))) {
            break;
        }
    }
    std::process::exit(0)
}

thread_local! {
    /// The connection of the serving thread, where the solver's callback finds it.
    static CONNECTION: RefCell<Option<WorkerConnection>> = const { RefCell::new(None) };
    /// The question in progress, where the solver's callback finds it; `None` between questions.
    static CURRENT_QUESTION: RefCell<Option<QuestionInProgress>> = const { RefCell::new(None) };
}

fn with_connection<T>(act: impl FnOnce(&mut WorkerConnection) -> T) -> Option<T> {
    CONNECTION.with_borrow_mut(|connection| connection.as_mut().map(act))
}

/// The connection to the client.
struct WorkerConnection {
    /// The input from the client.
    input: File,
    /// The output to the client.
    output: File,
    /// Received bytes that are not a complete message yet.
    received: Vec<u8>,
}

impl WorkerConnection {
    /// Returns the next request, or `None` if the client is gone or sent an invalid message.
    fn next(&mut self) -> Option<WorkerRequest> {
        loop {
            if let Some(message) = first_message(&mut self.received) {
                return decode_request(&message).ok();
            }
            self.receive()?;
        }
    }

    /// Returns true if there is an order to stop or the client is gone. The client sends nothing
    /// else while it waits for an answer.
    fn has_stop_request(&mut self) -> bool {
        let no_wait = Timespec { tv_sec: 0, tv_nsec: 0 };
        loop {
            // The order may have arrived together with the question.
            if let Some(message) = first_message(&mut self.received) {
                return matches!(decode_request(&message), Ok(WorkerRequest::Stop));
            }
            if poll(&mut [PollFd::new(&self.input, PollFlags::IN)], Some(&no_wait)) != Ok(1) {
                return false;
            }
            if self.receive().is_none() {
                return true;
            }
        }
    }

    /// Waits for bytes from the client. Returns `None` if the client is gone or cannot be read.
    fn receive(&mut self) -> Option<()> {
        let mut bytes = [0; 1 << 16];
        loop {
            match self.input.read(&mut bytes) {
                Ok(0) => return None,
                Ok(count) => {
                    self.received.extend_from_slice(&bytes[..count]);
                    return Some(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Err(_) => return None,
            }
        }
    }

    fn send(&mut self, reply: &Reply) -> io::Result<()> {
        let mut out = OutgoingMessage::default();
        out.encode_reply(reply);
        self.output.write_all(&out.0)
    }
}

/// The question in progress.
struct QuestionInProgress {
    /// The budget of the question.
    budget: Budget,
    /// The time of the last message to the client, or the start of the question before the first
    /// message.
    last_message: Instant,
    /// The time of the last check for a request to stop, or the start of the question before the
    /// first check.
    last_check: Instant,
}

/// Solves the current program within the client's limits.
fn solve(model: Option<&mut HighsModel>, allowance: Allowance) -> LpAnswer {
    let Some(model) = model else {
        return LpAnswer::NoAnswer(NoAnswer::Failed("the message contains no program".to_owned()));
    };
    let max_memory = resident_bytes().saturating_add(allowance.memory);
    let budget = match allowance.time {
        u64::MAX => Budget::unlimited(),
        time => Budget::lasting(Duration::from_micros(time)),
    };
    let budget = budget.with_memory_ceiling(max_memory);
    watch::set_memory_limit(max_memory);
    let now = Instant::now();
    CURRENT_QUESTION.set(Some(QuestionInProgress {
        budget: budget.clone(),
        last_message: now,
        last_check: now,
    }));
    let answer = model.solve_again(&budget);
    CURRENT_QUESTION.set(None);
    watch::set_memory_limit(u64::MAX);
    answer
}

/// Sends a sign of life at intervals, and checks for a request to stop. The solver calls this
/// function as often as it can.
fn pulse() {
    CURRENT_QUESTION.with_borrow_mut(|at_work| {
        let Some(at_work) = at_work else { return };
        let now = Instant::now();
        if now.duration_since(at_work.last_check) >= STOP_CHECK_INTERVAL {
            at_work.last_check = now;
            if with_connection(WorkerConnection::has_stop_request) == Some(true) {
                at_work.budget.cancel();
            }
        }
        if now.duration_since(at_work.last_message) >= PULSE {
            at_work.last_message = now;
            let _ = with_connection(|line| line.send(&Reply::Pulse));
        }
    });
}

/// Applies a change to the program. Before the first program arrives, the change applies to an
/// empty program.
fn apply_change(
    model: &mut Option<HighsModel>,
    request: WorkerRequest,
) -> Result<(), ProgramError> {
    let model = match request {
        WorkerRequest::Load(program) => {
            // Free the old model first, so that only one is in memory.
            *model = None;
            let mut loaded = HighsModel::new(program);
            loaded.pulse = Some(pulse);
            *model = Some(loaded);
            return Ok(());
        }
        _ => model.get_or_insert_with(|| HighsModel::new(LinearProgram::new(Sense::Minimise))),
    };
    match request {
        WorkerRequest::Objective(sense, costs) => model.set_objective(sense, &costs),
        WorkerRequest::RowBounds(row, bounds) => model.set_row_bounds(row, bounds),
        WorkerRequest::ColumnBounds(column, bounds) => model.set_column_bounds(column, bounds),
        WorkerRequest::AddRow(bounds, entries) => model.add_row(bounds, &entries).map(|_| ()),
        WorkerRequest::Load(_)
        | WorkerRequest::Solve(_)
        | WorkerRequest::InverseRow(_)
        | WorkerRequest::Stop => Ok(()),
    }
}
