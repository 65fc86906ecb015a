//! Goals answered from the set of all markings.
//!
//! When the set is closed, every open goal has its answer in it. What no member satisfies is
//! refuted, and no sum is larger than in the largest member: the set itself is the certificate, one
//! for all goals. What some member satisfies is reachable: firings to it are looked for backwards,
//! inside the set, and reported as any witness.
//!
//! # Strategy
//! Orders are tried as in [`explore`](super::explore), in slices that grow; a try that was cut
//! short begins again when it has more time than before. Where places are not known to be bounded,
//! markings may be infinitely many, and after the first short tries only one order is gone on with.

use super::confirm::closed_set;
use super::{Course, MOST_LEVELS, Reached, order, saturate, tries};
use crate::board::{Argument, Board, Proof};
use crate::engine::{Assignment, Engine, Progress, Role, Session, Sides, Takes, Task};
use crate::evidence::Document;
use crate::ground::Ground;
use parikh_net::{GoalId, MarkingGoal};
use parikh_solvers::Budget;
use parikh_symbolic::order::Order;
use parikh_symbolic::{Linear, Set, Stop};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// In the registry.
pub const ENGINE: Engine = Engine {
    name: "diagrams",
    technique: TECHNIQUE,
    sides: Sides::Both,
    role: Role::Diagrams,
    takes: Takes::MARKINGS,
    start: |work| Ok(Box::new(Goals::new(work))),
};

const TECHNIQUE: &str = "DECISION_DIAGRAMS";

/// The most nodes of a certificate.
const MOST_NODES: usize = 2_000_000;

/// The part of the memory that is left which diagrams may take: others search beside.
const MEMORY: f64 = 0.5;

/// The share of the first slice, in [0, 1], for finding orders.
const ORDERING: f64 = 0.2;

/// The longest try of any order but the first where markings may be infinitely many.
const LONGEST_UNBOUNDED: Duration = Duration::from_secs(2);

/// So many slices without enough time for another try, and there will not be any with more.
const TOO_SHORT: u32 = 3;

/// The engine at work on a ground.
struct Goals<'g> {
    ground: &'g Ground<'g>,
    board: &'g Board<'g>,
    /// Once they were looked for, the most promising first.
    orders: Vec<Order>,
    /// What is still to be tried: an order, and for how long.
    tries: Vec<(usize, Option<Duration>)>,
    /// How long the next one was tried, if it was cut short.
    cut: Duration,
    /// How many slices had no more time than that.
    too_short: u32,
    statistics: Statistics,
}

#[derive(Clone, Debug, Default)]
struct Statistics {
    tried: u64,
    /// The nodes of the set, when there was one.
    nodes: usize,
    refuted: u64,
    reached: u64,
}

impl<'g> Goals<'g> {
    fn new(work: Assignment<'g>) -> Self {
        let Assignment { ground, board, .. } = work;
        let statistics = Statistics::default();
        Goals {
            ground,
            board,
            orders: Vec::new(),
            tries: Vec::new(),
            cut: Duration::ZERO,
            too_short: 0,
            statistics,
        }
    }

    fn is_done(&self) -> bool {
        !self.ground.goals().iter().any(|(id, _)| self.board.is_open(*id))
    }

    /// Finds orders, once.
    fn prepare(&mut self, budget: &Budget) {
        let net = self.ground.net();
        if !self.orders.is_empty() || net.place_count() > MOST_LEVELS {
            return;
        }
        self.orders = order::candidates(net, &budget.share(ORDERING));
        self.tries = tries(self.orders.len());
        let facts = self.ground.facts();
        if !net.places().all(|p| facts.upper_bound(p).is_some()) {
            let is_short = |time: Option<Duration>| time.is_some_and(|it| it <= LONGEST_UNBOUNDED);
            self.tries.retain(|&(order, time)| order == 0 || is_short(time));
        }
        self.tries.reverse();
    }
}

impl Session for Goals<'_> {
    fn slice(&mut self, budget: &Budget) -> Progress {
        if self.is_done() {
            return Progress::Finished;
        }
        self.prepare(budget);
        while let Some(&(order, time)) = self.tries.last() {
            if self.is_done() {
                return Progress::Finished;
            }
            if budget.is_exhausted() {
                return Progress::Unfinished;
            }
            if budget.remaining().is_some_and(|left| left <= self.cut) {
                self.too_short += 1;
                return match self.too_short < TOO_SHORT {
                    true => Progress::Unfinished,
                    false => Progress::Finished,
                };
            }
            let slice = time.map_or_else(|| budget.child(), |time| budget.slice(time));
            let bytes = (budget.memory_left() as f64 * MEMORY) as usize;
            let (began, (ground, board)) = (Instant::now(), (self.ground, self.board));
            self.statistics.tried += 1;
            let settle = |reached: Reached<'_, '_>| settle(ground, board, reached, budget);
            let limits = (bytes, &slice, budget);
            match saturate(ground.net(), &self.orders[order], limits, &Course::default(), &settle) {
                Ok(settled) => {
                    self.statistics.nodes = settled.nodes;
                    self.statistics.refuted += settled.refuted;
                    self.statistics.reached += settled.reached;
                    if settled.in_time {
                        self.tries.clear();
                        break;
                    }
                    // This order leads to the end: the same again, with more time.
                    (self.tries, self.cut) = (vec![(order, None)], began.elapsed());
                    return Progress::Unfinished;
                }
                Err(Stop::Asked) if budget.is_exhausted() => {
                    self.cut = began.elapsed();
                    return Progress::Unfinished;
                }
                Err(_) => {
                    self.cut = Duration::ZERO;
                    self.tries.pop();
                }
            }
        }
        Progress::Finished
    }

    fn statistics(&self) -> String {
        let Statistics { tried, nodes, refuted, reached } = self.statistics;
        match nodes {
            0 => format!("{tried} tries, none to the end"),
            _ => format!("{tried} tries, {nodes} nodes, {refuted} refuted, {reached} reached"),
        }
    }
}

/// What was done with a set.
struct Settled {
    nodes: usize,
    refuted: u64,
    reached: u64,
    /// Whether there was time for all goals.
    in_time: bool,
}

/// Settles the open goals of a ground, as long as there is time.
fn settle(
    ground: &Ground<'_>,
    board: &Board<'_>,
    mut reached: Reached<'_, '_>,
    budget: &Budget,
) -> Result<Settled, Stop> {
    let nodes = reached.diagrams.nodes_of(reached.set);
    let mut settled = Settled { nodes, refuted: 0, reached: 0, in_time: true };
    let document = match nodes <= MOST_NODES {
        true => Some(Arc::new(Document::ClosedSet(closed_set(&reached)))),
        false => {
            tracing::info!("diagrams: {nodes} nodes are too many for a certificate");
            None
        }
    };
    let (under, over) = (board.under(TECHNIQUE).on(ground), board.over(TECHNIQUE).on(ground));
    let by = document.as_ref().map(|document| over.by(document));
    let proof = || Proof::new(Argument::ClosedSet { nodes }, document.clone());
    // What is to be seen, and in which members.
    let mut wanted: Vec<(GoalId, Set)> = Vec::new();
    let task = Task::shrunk(ground, board, budget, 0);
    for (id, goal) in task.goals.iter().filter(|(id, _)| board.is_open(*id)) {
        let target = match goal {
            MarkingGoal::Reach(predicate) => reached.some_satisfying(reached.set, predicate),
            MarkingGoal::Maximise(sum) => {
                let terms = reached.over_levels(sum.terms());
                reached.diagrams.range(reached.set, &terms).and_then(|range| {
                    let most = range.map_or(0, |range| range.1);
                    if let Some(by) = &by
                        && under.proved(*id).is_none_or(|proved| proved > most)
                    {
                        by.at_most(*id, most, proof());
                        settled.refuted += 1;
                    }
                    if under.seen(*id).is_some_and(|seen| seen >= most) || !board.is_open(*id) {
                        return Ok(Set::EMPTY);
                    }
                    let linear = Linear { terms, least: most, most: i128::MAX };
                    reached.diagrams.restrict(reached.set, &linear)
                })
            }
        };
        match (target, goal) {
            (Ok(target), MarkingGoal::Reach(_)) if target.is_empty() => {
                if let Some(by) = &by {
                    by.unreachable(*id, proof());
                    settled.refuted += 1;
                }
            }
            (Ok(target), _) if target.is_empty() => {}
            (Ok(target), _) => {
                reached.diagrams.keep(target);
                wanted.push((*id, target));
            }
            (Err(stop), _) => settled.in_time &= stop != Stop::Asked,
        }
        if budget.is_exhausted() {
            settled.in_time = false;
            return Ok(settled);
        }
    }
    for (id, target) in wanted {
        if board.is_open(id) {
            match reached.firings_to(ground.net(), target) {
                Ok(Some(sequence)) => {
                    under.reached(id, sequence);
                    settled.reached += 1;
                }
                Ok(None) => tracing::error!(
                    "internal error: {id:?}: a member of a diagram has no way to it"
                ),
                Err(stop) => settled.in_time &= stop != Stop::Asked,
            }
        }
        reached.diagrams.release(target);
    }
    Ok(settled)
}
