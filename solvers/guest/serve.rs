//! The guest's side: takes orders until the host is gone.

use super::wire::{Allowance, Order, Outgoing, Reply, first_message, order};
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

/// How often a guest at work looks for an order to stop.
const GLANCE: Duration = Duration::from_millis(2);

/// Serves a host that is heard at one end and told at the other, and does not come back: the
/// process ends with the host.
pub fn serve(from: OwnedFd, to: OwnedFd) -> ! {
    watch::begin(&from);
    LINE.set(Some(Line { from: from.into(), to: to.into(), heard: Vec::new() }));
    let mut model = None;
    while let Some(order) = on_the_line(Line::next).flatten() {
        let reply = match order {
            Order::Solve(allowance) => Reply::Solved(solve(model.as_mut(), allowance)),
            Order::InverseRow(column) => {
                Reply::InverseRow(model.as_mut().and_then(|model| model.inverse_row(column)))
            }
            // It came after the answer had gone.
            Order::Stop => continue,
            order => match change(&mut model, order) {
                Ok(()) => continue,
                // What the host's copy took ours takes, too.
                Err(_) => break,
            },
        };
        if !matches!(on_the_line(|line| line.tell(&reply)), Some(Ok(()))) {
            break;
        }
    }
    std::process::exit(0)
}

thread_local! {
    /// That of the one thread that has one. The solver's callback has to find it.
    static LINE: RefCell<Option<Line>> = const { RefCell::new(None) };
    static AT_WORK: RefCell<Option<AtWork>> = const { RefCell::new(None) };
}

fn on_the_line<T>(act: impl FnOnce(&mut Line) -> T) -> Option<T> {
    LINE.with_borrow_mut(|line| line.as_mut().map(act))
}

/// To the host and back.
struct Line {
    from: File,
    to: File,
    /// No whole message yet.
    heard: Vec<u8>,
}

impl Line {
    /// The next order; nothing when there will be none.
    fn next(&mut self) -> Option<Order> {
        loop {
            if let Some(message) = first_message(&mut self.heard) {
                return order(&message).ok();
            }
            self.hear()?;
        }
    }

    /// Whether there is an order to stop. Nothing else is said while an answer is owed.
    fn says_stop(&mut self) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        loop {
            // It may have come together with the question.
            if let Some(message) = first_message(&mut self.heard) {
                return matches!(order(&message), Ok(Order::Stop));
            }
            if poll(&mut [PollFd::new(&self.from, PollFlags::IN)], Some(&now)) != Ok(1) {
                return false;
            }
            if self.hear().is_none() {
                return true;
            }
        }
    }

    fn hear(&mut self) -> Option<()> {
        let mut bytes = [0; 1 << 16];
        loop {
            match self.from.read(&mut bytes) {
                Ok(0) => return None,
                Ok(count) => {
                    self.heard.extend_from_slice(&bytes[..count]);
                    return Some(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Err(_) => return None,
            }
        }
    }

    fn tell(&mut self, reply: &Reply) -> io::Result<()> {
        let mut out = Outgoing::default();
        out.reply(reply);
        self.to.write_all(&out.0)
    }
}

/// A question that is being worked on.
struct AtWork {
    budget: Budget,
    /// When the host heard of us last, and when we looked for orders last.
    told: Instant,
    looked: Instant,
}

fn solve(model: Option<&mut HighsModel>, allowance: Allowance) -> LpAnswer {
    let Some(model) = model else {
        return LpAnswer::NoAnswer(NoAnswer::Failed("no program".to_owned()));
    };
    let most = resident_bytes().saturating_add(allowance.memory);
    let budget = match allowance.time {
        u64::MAX => Budget::unlimited(),
        time => Budget::lasting(Duration::from_micros(time)),
    };
    let budget = budget.with_memory_ceiling(most);
    watch::allow(most);
    let now = Instant::now();
    AT_WORK.set(Some(AtWork { budget: budget.clone(), told: now, looked: now }));
    let answer = model.solve_again(&budget);
    AT_WORK.set(None);
    watch::allow(u64::MAX);
    answer
}

/// Called by the solver as often as it can: tells the host now and then that there is still
/// somebody, and sees whether it wants us to stop.
fn pulse() {
    AT_WORK.with_borrow_mut(|at_work| {
        let Some(at_work) = at_work else { return };
        let now = Instant::now();
        if now.duration_since(at_work.looked) >= GLANCE {
            at_work.looked = now;
            if on_the_line(Line::says_stop) == Some(true) {
                at_work.budget.cancel();
            }
        }
        if now.duration_since(at_work.told) >= PULSE {
            at_work.told = now;
            let _ = on_the_line(|line| line.tell(&Reply::Pulse));
        }
    });
}

fn change(model: &mut Option<HighsModel>, order: Order) -> Result<(), ProgramError> {
    let model = match order {
        Order::Load(program) => {
            // Not both at once.
            *model = None;
            let mut loaded = HighsModel::new(program);
            loaded.pulse = Some(pulse);
            *model = Some(loaded);
            return Ok(());
        }
        _ => model.get_or_insert_with(|| HighsModel::new(LinearProgram::new(Sense::Minimise))),
    };
    match order {
        Order::Objective(sense, costs) => model.set_objective(sense, &costs),
        Order::RowBounds(row, bounds) => model.set_row_bounds(row, bounds),
        Order::ColumnBounds(column, bounds) => model.set_column_bounds(column, bounds),
        Order::AddRow(bounds, entries) => model.add_row(bounds, &entries).map(|_| ()),
        Order::Load(_) | Order::Solve(_) | Order::InverseRow(_) | Order::Stop => Ok(()),
    }
}
