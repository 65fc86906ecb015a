//! The host's side: a program that is kept here, and solved over there.

use super::process::{Process, Waited, program};
use super::wire::{Allowance, Outgoing, Reply, first_message, reply};
use super::{ATTEMPTS, GRACE, PAUSE, patience, patience_after_stop};
use crate::answer::NoAnswer;
use crate::budget::{Budget, Exhausted};
use crate::linear_program::{Column, Interval, LinearProgram, ProgramError, Row, Sense};
use crate::lp::{IncrementalLp, LpAnswer};
use crate::lp_highs::HighsModel;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Guests cannot be had here: what comes is solved inside.
static NO_GUESTS: AtomicBool = AtomicBool::new(false);

/// Some guest has answered: they can be had.
static HAVE_ANSWERED: AtomicBool = AtomicBool::new(false);

/// Programs with more coefficients would be messages that are too long. They do not come up.
const MOST_COEFFICIENTS: usize = 100_000_000;

/// A program that HiGHS solves in a process of its own, keeping its basis between runs.
#[derive(Debug)]
pub struct GuestLp {
    /// What is meant.
    program: LinearProgram,
    guest: Option<Process>,
    /// What the guest has not been told yet.
    untold: Outgoing,
    /// So many rows it was told of.
    told_rows: usize,
    owes: Option<Debt>,
    /// That of the last question, for others that go with it.
    budget: Budget,
    /// The library in our own process, where there are no guests.
    inside: Option<Box<HighsModel>>,
}

/// An answer that has not come yet.
#[derive(Clone, Copy, Debug)]
struct Debt {
    /// When the guest was last heard of.
    since: Instant,
    /// Whether it was told to stop.
    stopped: bool,
}

impl Debt {
    fn new() -> Debt {
        Debt { since: Instant::now(), stopped: false }
    }
}

/// There is no answer.
enum Failure {
    /// The guest is of no use any more.
    Lost(&'static str),
    /// The budget is spent.
    Spent,
    /// It would take too much memory.
    TooMuch,
    /// There are no guests here.
    NoGuests,
}
use Failure::{Lost, NoGuests, Spent, TooMuch};

impl GuestLp {
    /// Takes over `program`; nothing is solved yet, and nobody started.
    pub fn new(program: LinearProgram) -> Self {
        GuestLp {
            program,
            guest: None,
            untold: Outgoing::default(),
            told_rows: 0,
            owes: None,
            budget: Budget::unlimited(),
            inside: None,
        }
    }

    fn coefficients(&self) -> usize {
        self.program.compressed_rows().1.len()
    }

    /// How long the guest may be silent.
    fn patience(&self) -> Duration {
        match self.owes {
            Some(Debt { stopped: true, .. }) => patience_after_stop(self.coefficients()),
            _ => patience(self.coefficients()),
        }
    }

    /// Has a guest, told all there is to know but nothing of what it is to do.
    fn have_guest(&mut self, budget: &Budget) -> Result<(), Failure> {
        if self.guest.is_none() {
            if NO_GUESTS.load(Ordering::Relaxed) || self.coefficients() > MOST_COEFFICIENTS {
                return Err(NoGuests);
            }
            let program = program().ok_or(NoGuests)?;
            let guest = Process::get(program).map_err(|error| {
                no_guests(&error.to_string());
                NoGuests
            })?;
            self.guest = Some(guest);
            self.owes = None;
            self.untold = Outgoing::default();
            self.untold.load(&self.program);
        }
        let patience = self.patience();
        let Some(guest) = &mut self.guest else { return Err(NoGuests) };
        match guest.say(&mut self.untold.0, patience, Some(budget)) {
            Ok(()) => {
                self.told_rows = self.program.rows().len();
                Ok(())
            }
            Err(Waited::Dead) => Err(self.death()),
            Err(Waited::Enough) if budget.is_exhausted() => Err(Spent),
            Err(Waited::Enough) => Err(Lost("it does not listen")),
        }
    }

    /// What the guest died of.
    fn death(&mut self) -> Failure {
        match self.guest.as_mut().map(Process::took_too_much) {
            Some(true) => TooMuch,
            _ => Lost("it died"),
        }
    }

    /// Sees the guest off.
    fn lose(&mut self, why: &str) {
        if let Some(guest) = self.guest.take() {
            tracing::info!(
                process = guest.id(),
                "the process of a native solver is given up: {why}"
            );
        }
        self.owes = None;
    }

    /// The next message, as long as the guest may be silent and the budget lasts.
    fn next(&mut self, budget: &Budget) -> Result<Reply, Failure> {
        loop {
            let patience = self.patience();
            let silent = self.owes.map_or(Duration::ZERO, |debt| debt.since.elapsed());
            let Some(guest) = &mut self.guest else { return Err(NoGuests) };
            match guest.hear(first_message, patience.saturating_sub(silent), Some(budget)) {
                Ok(message) => {
                    let size = (self.program.columns().len(), self.told_rows);
                    return match reply(&message, size) {
                        Ok(Reply::Pulse) => {
                            if let Some(debt) = &mut self.owes {
                                debt.since = Instant::now();
                            }
                            continue;
                        }
                        Ok(reply) => {
                            self.owes = None;
                            Ok(reply)
                        }
                        Err(_) => Err(Lost("it talks nonsense")),
                    };
                }
                Err(Waited::Dead) => return Err(self.death()),
                Err(Waited::Enough) => match budget.exhausted() {
                    // Perhaps it is who has it.
                    Some(Exhausted::Memory) => return Err(TooMuch),
                    Some(_) => return Err(Spent),
                    None if self.owes.is_some_and(|debt| debt.since.elapsed() >= patience) => {
                        return Err(Lost("it is silent"));
                    }
                    None => (),
                },
            }
        }
    }

    /// The answer to the program as it is now, by one guest.
    fn attempt(&mut self, budget: &Budget) -> Result<LpAnswer, Failure> {
        // An answer that nobody waited for any more comes first.
        while self.owes.is_some() {
            self.next(budget)?;
        }
        self.have_guest(budget)?;
        let mut order = Outgoing::default();
        order.solve(Allowance {
            time: budget
                .remaining()
                .map_or(u64::MAX, |left| u64::try_from(left.as_micros()).unwrap_or(u64::MAX)),
            memory: match budget.memory_left() {
                u64::MAX => u64::MAX,
                left => left / 2,
            },
        });
        self.tell(&mut order)?;
        self.owes = Some(Debt::new());
        match self.next(budget) {
            Ok(Reply::Solved(LpAnswer::NoAnswer(NoAnswer::Exhausted(Exhausted::Memory)))) => {
                Err(TooMuch)
            }
            Ok(Reply::Solved(answer)) => Ok(answer),
            Ok(_) => Err(Lost("it talks nonsense")),
            Err(Spent) => self.stop(budget),
            Err(failure) => Err(failure),
        }
    }

    /// Has the guest stop; an answer that comes at once is as good as one in time.
    fn stop(&mut self, budget: &Budget) -> Result<LpAnswer, Failure> {
        let mut order = Outgoing::default();
        order.stop();
        self.tell(&mut order)?;
        self.owes = Some(Debt { since: Instant::now(), stopped: true });
        match self.next(&Budget::lasting(GRACE)) {
            Ok(Reply::Solved(LpAnswer::NoAnswer(_))) | Err(Spent) => Ok(no_answer(budget)),
            Ok(Reply::Solved(answer)) => Ok(answer),
            Ok(_) => Err(Lost("it talks nonsense")),
            Err(failure) => Err(failure),
        }
    }

    /// Says a short message.
    fn tell(&mut self, order: &mut Outgoing) -> Result<(), Failure> {
        let Some(guest) = &mut self.guest else { return Err(NoGuests) };
        match guest.say(&mut order.0, GRACE, None) {
            Ok(()) => Ok(()),
            Err(Waited::Dead) => Err(self.death()),
            Err(Waited::Enough) => Err(Lost("it does not listen")),
        }
    }

    /// Notes a change for the guest, if there is one.
    fn note(&mut self, write: impl FnOnce(&mut Outgoing)) {
        if self.guest.is_some() {
            write(&mut self.untold);
        }
    }

    fn solve_inside(&mut self, budget: &Budget) -> LpAnswer {
        let program = &self.program;
        let inside = self.inside.get_or_insert_with(|| Box::new(HighsModel::new(program.clone())));
        inside.solve_again(budget)
    }
}

/// Guests cannot be had from now on.
fn no_guests(why: &str) {
    if !NO_GUESTS.swap(true, Ordering::Relaxed) {
        tracing::warn!("native solvers run in this process, for they get none of their own: {why}");
    }
}

fn no_answer(budget: &Budget) -> LpAnswer {
    LpAnswer::NoAnswer(budget.exhausted().unwrap_or(Exhausted::Time).into())
}

impl IncrementalLp for GuestLp {
    fn program(&self) -> &LinearProgram {
        &self.program
    }

    fn set_objective(&mut self, sense: Sense, costs: &[(Column, i64)]) -> Result<(), ProgramError> {
        self.program.set_objective(sense, costs.iter().copied())?;
        self.note(|out| out.objective(sense, costs));
        self.inside.as_mut().map_or(Ok(()), |inside| inside.set_objective(sense, costs))
    }

    fn set_row_bounds(&mut self, row: Row, bounds: Interval) -> Result<(), ProgramError> {
        self.program.set_row_bounds(row, bounds)?;
        self.note(|out| out.row_bounds(row, bounds));
        self.inside.as_mut().map_or(Ok(()), |inside| inside.set_row_bounds(row, bounds))
    }

    fn set_column_bounds(&mut self, column: Column, bounds: Interval) -> Result<(), ProgramError> {
        self.program.set_column_bounds(column, bounds)?;
        self.note(|out| out.column_bounds(column, bounds));
        self.inside.as_mut().map_or(Ok(()), |inside| inside.set_column_bounds(column, bounds))
    }

    fn add_row(
        &mut self,
        bounds: Interval,
        coefficients: &[(Column, i64)],
    ) -> Result<Row, ProgramError> {
        let row = self.program.add_row(bounds, coefficients.iter().copied())?;
        self.note(|out| out.add_row(bounds, coefficients));
        if let Some(inside) = &mut self.inside {
            inside.add_row(bounds, coefficients)?;
        }
        Ok(row)
    }

    fn inverse_row(&mut self, column: Column) -> Option<Vec<(Row, f64)>> {
        if let Some(inside) = &mut self.inside {
            return inside.inverse_row(column);
        }
        let budget = self.budget.clone();
        // Right after a solution, or there is nothing to show.
        let shown = self.guest.is_some() && self.owes.is_none() && self.untold.0.is_empty();
        if !shown || budget.is_exhausted() {
            return None;
        }
        let mut order = Outgoing::default();
        order.inverse_row(column);
        let told = self.tell(&mut order).and_then(|()| {
            self.owes = Some(Debt::new());
            self.next(&budget)
        });
        match told {
            Ok(Reply::InverseRow(row)) => row,
            // It comes before the next answer.
            Err(Spent) => None,
            Ok(_) => {
                self.lose("it talks nonsense");
                None
            }
            Err(_) => {
                self.lose("it is silent or dead");
                None
            }
        }
    }

    fn solve_again(&mut self, budget: &Budget) -> LpAnswer {
        if let Some(exhausted) = budget.exhausted() {
            if exhausted == Exhausted::Memory {
                self.lose("memory is short");
            }
            return LpAnswer::NoAnswer(exhausted.into());
        }
        if self.inside.is_some() {
            return self.solve_inside(budget);
        }
        self.budget = budget.clone();
        let mut why = "";
        for attempt in 0..ATTEMPTS {
            if attempt >= 2 {
                let pause = PAUSE * 4u32.pow(attempt as u32 - 2);
                std::thread::sleep(pause.min(budget.remaining().unwrap_or(pause)));
            }
            match self.attempt(budget) {
                Ok(answer) => {
                    HAVE_ANSWERED.store(true, Ordering::Relaxed);
                    return answer;
                }
                Err(Spent) => return no_answer(budget),
                Err(NoGuests) => return self.solve_inside(budget),
                Err(TooMuch) => {
                    self.lose("memory is short");
                    return LpAnswer::NoAnswer(NoAnswer::Unknown("too little memory".to_owned()));
                }
                Err(Lost(what)) => {
                    self.lose(what);
                    why = what;
                }
            }
            if let Some(exhausted) = budget.exhausted() {
                return LpAnswer::NoAnswer(exhausted.into());
            }
        }
        if !HAVE_ANSWERED.load(Ordering::Relaxed) {
            no_guests(why);
            return self.solve_inside(budget);
        }
        tracing::warn!(
            "a question to a native solver stays without answer, {ATTEMPTS} times in a row: {why}"
        );
        LpAnswer::NoAnswer(NoAnswer::Failed(format!("{ATTEMPTS} processes in a row: {why}")))
    }
}

impl Drop for GuestLp {
    fn drop(&mut self) {
        let (Some(mut guest), None) = (self.guest.take(), self.owes) else { return };
        if !self.untold.0.is_empty() {
            // Perhaps a message is half said.
            return;
        }
        let mut order = Outgoing::default();
        // So that it gives the memory back.
        order.load(&LinearProgram::new(Sense::Minimise));
        if guest.say(&mut order.0, GRACE, None).is_ok() {
            guest.leave_idle();
        }
    }
}
