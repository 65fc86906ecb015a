//! The host's side: a program that is kept here, and solved over there.

use super::process::{Process, Waited};
use super::wire::{Outgoing, Reply, reply};
use super::{ATTEMPTS, GRACE, PAUSE, patience};
use crate::answer::NoAnswer;
use crate::budget::{Budget, Exhausted};
use crate::linear_program::{Column, Interval, LinearProgram, ProgramError, Row, Sense};
use crate::lp::{IncrementalLp, LpAnswer};
use std::time::{Duration, Instant};

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
    /// Since when it owes an answer that nobody waits for any more.
    owes: Option<Instant>,
    /// That of the last question, for others that go with it.
    budget: Budget,
}

/// The guest is of no use any more.
struct Lost(&'static str);

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
        }
    }

    fn patience(&self) -> Duration {
        patience(self.program.compressed_rows().1.len())
    }

    /// Has a guest, told all there is to know but nothing of what it is to do.
    fn have_guest(&mut self) -> Result<(), Lost> {
        if self.guest.is_none() {
            let guest = Process::get().map_err(|error| {
                tracing::warn!(%error, "the process of a native solver cannot be started");
                Lost("it cannot be started")
            })?;
            self.guest = Some(guest);
            self.owes = None;
            self.untold = Outgoing::default();
            self.untold.load(&self.program);
        }
        let (untold, patience) = (std::mem::take(&mut self.untold), self.patience());
        self.told_rows = self.program.rows().len();
        self.tell(&untold, patience)
    }

    /// Sees the guest off.
    fn lose(&mut self, Lost(why): &Lost) {
        if let Some(guest) = self.guest.take() {
            tracing::info!(
                process = guest.id(),
                "the process of a native solver is given up: {why}"
            );
        }
        self.owes = None;
    }

    /// Waits for an answer that is overdue, as long as the budget lasts. Whether it has come.
    fn settle_debts(&mut self, budget: &Budget) -> Result<bool, Lost> {
        while let Some(since) = self.owes {
            let left = self.patience().saturating_sub(since.elapsed());
            match self.next(left, Some(budget))? {
                Some(Reply::Pulse) => self.owes = Some(Instant::now()),
                Some(_) => self.owes = None,
                None if budget.is_exhausted() => return Ok(false),
                None => return Err(Lost("it is silent")),
            }
        }
        Ok(true)
    }

    /// The next message, if one comes in time.
    fn next(&mut self, wait: Duration, budget: Option<&Budget>) -> Result<Option<Reply>, Lost> {
        let Some(guest) = &mut self.guest else { return Err(Lost("there is none")) };
        match guest.hear(wait, budget) {
            Ok(message) => {
                let size = (self.program.columns().len(), self.told_rows);
                reply(&message, size).map(Some).map_err(|_| Lost("it talks nonsense"))
            }
            Err(Waited::Enough) => Ok(None),
            Err(Waited::Dead) => Err(Lost("it died")),
        }
    }

    fn attempt(&mut self, budget: &Budget) -> Result<LpAnswer, Lost> {
        if !self.settle_debts(budget)? {
            return Ok(no_answer(budget));
        }
        let time = budget.remaining().map_or(u64::MAX, |left| left.as_micros() as u64);
        self.have_guest()?;
        let patience = self.patience();
        let mut order = Outgoing::default();
        order.solve(time);
        self.tell(&order, patience)?;
        self.owes = Some(Instant::now());
        loop {
            match self.next(patience, Some(budget))? {
                Some(Reply::Pulse) => self.owes = Some(Instant::now()),
                Some(Reply::Solved(answer)) => {
                    self.owes = None;
                    return Ok(answer);
                }
                Some(Reply::InverseRow(_)) => return Err(Lost("it talks nonsense")),
                None if budget.exhausted() == Some(Exhausted::Memory) => {
                    // Perhaps it is who has it.
                    self.lose(&Lost("memory is short"));
                    return Ok(LpAnswer::NoAnswer(Exhausted::Memory.into()));
                }
                None if budget.is_exhausted() => return self.stop(budget),
                None => return Err(Lost("it is silent")),
            }
        }
    }

    /// Has the guest stop; an answer that comes at once is as good as one in time.
    fn stop(&mut self, budget: &Budget) -> Result<LpAnswer, Lost> {
        let mut order = Outgoing::default();
        order.stop();
        self.tell(&order, GRACE)?;
        let since = Instant::now();
        loop {
            match self.next(GRACE.saturating_sub(since.elapsed()), None)? {
                Some(Reply::Solved(answer)) => {
                    self.owes = None;
                    return Ok(answer);
                }
                Some(_) => (),
                None => return Ok(no_answer(budget)),
            }
        }
    }

    fn tell(&mut self, order: &Outgoing, patience: Duration) -> Result<(), Lost> {
        let Some(guest) = &mut self.guest else { return Err(Lost("there is none")) };
        guest.say(order, patience).map_err(|why| match why {
            Waited::Dead => Lost("it died"),
            Waited::Enough => Lost("it does not listen"),
        })
    }

    /// Notes a change for the guest, if there is one.
    fn note(&mut self, write: impl FnOnce(&mut Outgoing)) {
        if self.guest.is_some() {
            write(&mut self.untold);
        }
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
        Ok(())
    }

    fn set_row_bounds(&mut self, row: Row, bounds: Interval) -> Result<(), ProgramError> {
        self.program.set_row_bounds(row, bounds)?;
        self.note(|out| out.row_bounds(row, bounds));
        Ok(())
    }

    fn set_column_bounds(&mut self, column: Column, bounds: Interval) -> Result<(), ProgramError> {
        self.program.set_column_bounds(column, bounds)?;
        self.note(|out| out.column_bounds(column, bounds));
        Ok(())
    }

    fn add_row(
        &mut self,
        bounds: Interval,
        coefficients: &[(Column, i64)],
    ) -> Result<Row, ProgramError> {
        let row = self.program.add_row(bounds, coefficients.iter().copied())?;
        self.note(|out| out.add_row(bounds, coefficients));
        Ok(row)
    }

    fn inverse_row(&mut self, column: Column) -> Option<Vec<(Row, f64)>> {
        // Right after a solution, or there is nothing to show.
        if self.guest.is_none() || self.owes.is_some() || !self.untold.0.is_empty() {
            return None;
        }
        let patience = self.patience();
        let mut order = Outgoing::default();
        order.inverse_row(column);
        let budget = self.budget.clone();
        let told = self.tell(&order, patience).and_then(|()| self.next(patience, Some(&budget)));
        match told {
            Ok(Some(Reply::InverseRow(row))) => row,
            Ok(_) => {
                self.lose(&Lost("it is silent"));
                None
            }
            Err(lost) => {
                self.lose(&lost);
                None
            }
        }
    }

    fn solve_again(&mut self, budget: &Budget) -> LpAnswer {
        if let Some(exhausted) = budget.exhausted() {
            return LpAnswer::NoAnswer(exhausted.into());
        }
        self.budget = budget.clone();
        let mut why = "";
        for attempt in 0..ATTEMPTS {
            if attempt >= 2 {
                let pause = PAUSE * 4u32.pow(attempt as u32 - 2);
                std::thread::sleep(pause.min(budget.remaining().unwrap_or(pause)));
            }
            match self.attempt(budget) {
                Ok(answer) => return answer,
                Err(lost) => {
                    self.lose(&lost);
                    why = lost.0;
                }
            }
            if let Some(exhausted) = budget.exhausted() {
                return LpAnswer::NoAnswer(exhausted.into());
            }
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
        let mut order = Outgoing::default();
        // So that it gives the memory back.
        order.load(&LinearProgram::new(Sense::Minimise));
        if guest.say(&order, GRACE).is_ok() {
            guest.leave_idle();
        }
    }
}
