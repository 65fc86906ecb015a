//! Whether a formula of CTL is true of the initial marking, evaluated on a closed set.
//!
//! No firing leads out of the set, so a formula is true of a member there exactly where it is in
//! the net: nothing has to be known of which members can be reached.
//!
//! The members of which a part of the formula is true are found from the inside out. E(φ U ψ):
//! what firings lead from, inside φ, to ψ. E(φ R ψ): of ψ those which need no successor, because φ
//! is true, or nothing is enabled, or a firing changes nothing; what leads to these inside ψ; and
//! of the rest what is left when members without a successor in the rest are taken away, again and
//! again. The operators over all paths are the opposites of those over some path.
//!
//! All of it goes down from level to level, on a thread with room for that; whoever asked is asked
//! meanwhile whether to go on.

mod conditions;
mod firing;
mod sets;

use super::ClosedSet;
use super::members::{Shape, too_large};
use crate::certificate::Flaw;
use firing::{Firings, Lists, Touch};
use parikh_net::{Net, Predicate, TransitionId, TreeProperty};
use parikh_temporal::{Node, Quantifier};
use sets::{NONE, Sets};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// How often whoever asked is asked whether to go on.
const POLLING: Duration = Duration::from_millis(5);

/// Bytes of stack: some, and so many a level for each operation that is under way there.
const STACK: (usize, usize) = (1 << 20, 4 << 10);

/// The most levels, for which there is a stack.
const MOST_LEVELS: usize = 100_000;

/// Whether the property is true of the initial marking.
pub(super) fn holds(
    set: &ClosedSet,
    shape: &Shape,
    net: &Net,
    property: &TreeProperty,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<bool, Flaw> {
    let levels = set.order.len();
    if levels > MOST_LEVELS {
        return Err(too_large());
    }
    let stop = &AtomicBool::new(false);
    let (send, receive) = mpsc::channel();
    let evaluate = move || {
        let found = Evaluation::on(set, shape, net, stop).and_then(|mut it| it.holds(property));
        // Whoever asked waits for it.
        send.send(found).ok();
    };
    std::thread::scope(|scope| {
        let stack = STACK.0 + STACK.1 * levels;
        let thread = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, evaluate);
        if thread.is_err() {
            return Err(too_large());
        }
        loop {
            match receive.recv_timeout(POLLING) {
                Ok(found) => return found,
                Err(mpsc::RecvTimeoutError::Timeout) if goes_on() => {}
                Err(mpsc::RecvTimeoutError::Timeout) => stop.store(true, Ordering::Relaxed),
                // It has failed, and so does this scope.
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(Flaw::Stopped),
            }
        }
    })
}

/// A formula that is evaluated.
struct Evaluation<'e> {
    net: &'e Net,
    /// The level of each place.
    level_of: &'e [usize],
    sets: Sets<'e>,
    lists: Lists,
    /// The transitions that change something.
    moves: Firings,
    /// Those that change nothing.
    idle: Vec<TransitionId>,
    /// The closed set.
    all: u32,
    /// The initial marking, by level.
    initial: Vec<u64>,
}

impl<'e> Evaluation<'e> {
    fn on(
        set: &ClosedSet,
        shape: &'e Shape,
        net: &'e Net,
        stop: &'e AtomicBool,
    ) -> Result<Self, Flaw> {
        let (sets, all) = Sets::of(set, stop)?;
        let (mut moves, mut idle) = (Vec::new(), Vec::new());
        for t in net.transitions() {
            match net.delta(t).is_empty() {
                true => idle.push(t),
                false => moves.push(touches(net, t, &shape.level_of)),
            }
        }
        let mut lists = Lists::new();
        let moves = lists.firings(&moves);
        let initial = set.order.iter().map(|&place| net.initial()[place]).collect();
        Ok(Evaluation { net, level_of: &shape.level_of, sets, lists, moves, idle, all, initial })
    }

    fn holds(&mut self, property: &TreeProperty) -> Result<bool, Flaw> {
        let members = self.members(property)?;
        Ok(self.sets.contains(members, &self.initial))
    }

    /// The members of which a property is true.
    fn members(&mut self, property: &TreeProperty) -> Result<u32, Flaw> {
        let (mut found, mut last): (HashMap<_, u32>, u32) = (HashMap::new(), NONE);
        for formula in property.formulas().below(property.formula()) {
            last = match property.formulas().node(formula) {
                Node::True => self.all,
                Node::False => NONE,
                Node::Literal(literal) => {
                    let condition = &property.atoms()[literal.atom.0 as usize];
                    let members = self.satisfying(self.all, condition)?;
                    if literal.positive { members } else { self.others(members)? }
                }
                Node::And(parts) => {
                    let mut parts = parts.iter();
                    parts
                        .try_fold(self.all, |all, part| self.sets.intersection(all, found[part]))?
                }
                Node::Or(parts) => {
                    let mut parts = parts.iter();
                    parts.try_fold(NONE, |any, part| self.sets.union(any, found[part]))?
                }
                Node::Next(Quantifier::Exists, inner) => self.next(found[inner])?,
                Node::Next(Quantifier::All, inner) => {
                    let others = self.others(found[inner])?;
                    let violated = self.next(others)?;
                    self.others(violated)?
                }
                Node::Until(Quantifier::Exists, left, right) => {
                    self.until(found[left], found[right])?
                }
                Node::Until(Quantifier::All, left, right) => {
                    let [left, right] = [self.others(found[left])?, self.others(found[right])?];
                    let violated = self.release(left, right)?;
                    self.others(violated)?
                }
                Node::Release(Quantifier::Exists, left, right) => {
                    self.release(found[left], found[right])?
                }
                Node::Release(Quantifier::All, left, right) => {
                    let [left, right] = [self.others(found[left])?, self.others(found[right])?];
                    let violated = self.until(left, right)?;
                    self.others(violated)?
                }
            };
            found.insert(formula, last);
        }
        Ok(last)
    }

    fn others(&mut self, members: u32) -> Result<u32, Flaw> {
        self.sets.difference(self.all, members)
    }

    /// The members that some firing leads from to these.
    fn next(&mut self, to: u32) -> Result<u32, Flaw> {
        let itself = self.idle(to)?;
        let led = self.sets.before_any(&self.lists, &self.moves, 0, (self.all, to))?;
        self.sets.union(led, itself)
    }

    /// The members of `of` of which a firing changes nothing.
    fn idle(&mut self, of: u32) -> Result<u32, Flaw> {
        let enabled = self.idle.iter().map(|&t| Predicate::Enabled(t)).collect();
        self.satisfying(of, &Predicate::Or(enabled))
    }

    /// The members on some path from which the first are until one of the second is.
    fn until(&mut self, left: u32, right: u32) -> Result<u32, Flaw> {
        let within = self.sets.union(left, right)?;
        self.sets.leading(&self.lists, &self.moves, 0, (within, right))
    }

    /// The members on some path from which the second are, until one of the first is, too, or for
    /// ever.
    fn release(&mut self, left: u32, right: u32) -> Result<u32, Flaw> {
        let (dead, idle) = (self.satisfying(right, &Predicate::Dead)?, self.idle(right)?);
        let mut ends = self.sets.intersection(left, right)?;
        for more in [dead, idle] {
            ends = self.sets.union(ends, more)?;
        }
        let stays = self.until(right, ends)?;
        let mut rest = self.sets.difference(right, stays)?;
        loop {
            let circling = self.sets.before_any(&self.lists, &self.moves, 0, (rest, rest))?;
            if circling == rest {
                return self.sets.union(stays, rest);
            }
            rest = circling;
        }
    }
}

/// What a transition needs and changes, by ascending level.
fn touches(net: &Net, t: TransitionId, level_of: &[usize]) -> Vec<Touch> {
    let mut touches: BTreeMap<usize, (u64, i64)> = BTreeMap::new();
    for arc in net.pre(t) {
        touches.entry(level_of[arc.place.index()]).or_default().0 = arc.weight;
    }
    for change in net.delta(t) {
        touches.entry(level_of[change.place.index()]).or_default().1 = change.delta;
    }
    touches.into_iter().map(|(level, (pre, change))| (level, pre, change)).collect()
}
