//! The order of the rules and when they stop.
//!
//! A round begins with the rules that read the whole net, once each. Then cheap rules that never
//! grow the net run to a fixpoint, then one batch of each agglomeration that adds no transitions, in
//! turns until neither finds anything. Only a round that got so far without any change ends with one
//! batch of each rule that multiplies or is expensive. Rounds end when nothing applies.
//!
//! Only then come the rules that solve linear programs, which may take a share of the time in all; when
//! they find something, all begins again.
//!
//! Every rule has a cursor in the net's journal, so it sees each change once. Rules with caps, and
//! those that look at the nodes next to a change only, may miss what a change further away made
//! possible. So when nothing applies any more, all rules are shown the whole net again, until that
//! leads to nothing: then reducing what came out would lead to nothing, too. (But for rules that
//! do a thing once only, lest they go on for ever: token-prefiring, and those that leave alone the
//! transitions that were made. In the net that came out nothing was done yet.)
//!
//! The net between any two applications is valid, so the budget may end it anywhere.

use super::Config;
use super::back::Back;
use super::change::apply;
use super::journal::Cursor;
use super::log::Log;
use super::needs::Needs;
use super::outcome::Findings;
use super::rule::{Context, Focus, Rule, Stage, propose};
use super::statistics::RuleStatistics;
use super::work::WorkNet;
use crate::solvers::Budget;
use std::time::{Duration, Instant};

struct Running {
    rule: Box<dyn Rule>,
    cursor: Cursor,
    statistics: RuleStatistics,
}

/// A reduction under way.
pub(super) struct Schedule<'a> {
    pub(super) net: WorkNet,
    pub(super) back: Back,
    pub(super) findings: Findings,
    pub(super) log: Log,
    needs: &'a Needs,
    budget: &'a Budget,
    config: &'a Config,
    rules: Vec<Running>,
    /// What rules with linear programs may take in all.
    linear_time: Duration,
    pub(super) rounds: u32,
    pub(super) cut_short: bool,
}

/// How many changed nodes a rule is shown at a time, which bounds the memory for its foci.
const PORTION: usize = 64;

/// How many foci are handled between two looks at the budget.
const PATIENCE: usize = 64;

/// The most that rules with linear programs may take in all, and the share of the time left at the
/// beginning.
const LINEAR_TIME: (Duration, u32) = (Duration::from_secs(2), 5);

impl<'a> Schedule<'a> {
    pub(super) fn new(
        net: WorkNet,
        rules: Vec<Box<dyn Rule>>,
        needs: &'a Needs,
        budget: &'a Budget,
        config: &'a Config,
    ) -> Self {
        let running = |rule: Box<dyn Rule>| Running {
            statistics: RuleStatistics { name: rule.name(), ..RuleStatistics::default() },
            cursor: Cursor::default(),
            rule,
        };
        let back = Back::new(net.original_transitions());
        let keeps_support = needs.preserve.covers(super::Preserve::REACHABILITY);
        let (most, share) = LINEAR_TIME;
        let linear_time = budget.remaining().map_or(most, |left| most.min(left / share));
        Schedule {
            net,
            back,
            findings: Findings::new(keeps_support),
            log: Log::default(),
            needs,
            budget,
            config,
            rules: rules.into_iter().map(running).collect(),
            linear_time,
            rounds: 0,
            cut_short: false,
        }
    }

    /// Of each rule. The rules themselves, with all they remembered, are gone then.
    pub(super) fn take_statistics(&mut self) -> Vec<RuleStatistics> {
        self.rules.drain(..).map(|running| running.statistics).collect()
    }

    /// Runs to the fixpoint, or the end of the budget.
    pub(super) fn run(&mut self) {
        let mut growths = 0;
        let mut smallest = (usize::MAX, usize::MAX);
        let mut applied_before = 0;
        loop {
            self.rounds += 1;
            let mut changed = self.stage(Stage::Global);
            loop {
                changed |= self.fixpoint();
                if !self.stage(Stage::Agglomeration) {
                    break;
                }
                changed = true;
            }
            if !changed {
                changed = self.stage(Stage::Product);
                let size = (self.net.transition_count(), self.net.place_count());
                if changed && size >= smallest {
                    growths += 1;
                }
                smallest = smallest.min(size);
            }
            if !changed {
                let applied = self.rules.iter().map(|running| running.statistics.applied).sum();
                if applied > applied_before {
                    applied_before = applied;
                    self.show_all_again();
                    changed = true;
                }
            }
            if !changed {
                changed = self.stage(Stage::Linear);
            }
            if !changed || self.cut_short || growths > self.config.growth_rounds {
                // Leave nothing behind that the last round made superfluous.
                while !self.cut_short && self.stage(Stage::Global) | self.fixpoint() {}
                return;
            }
        }
    }

    fn show_all_again(&mut self) {
        for running in &mut self.rules {
            running.cursor = Cursor::default();
            running.rule.forget();
        }
    }

    fn fixpoint(&mut self) -> bool {
        let mut changed = false;
        while self.stage(Stage::Cheap) {
            changed = true;
        }
        changed
    }

    /// One batch of every rule of the stage.
    fn stage(&mut self, stage: Stage) -> bool {
        let mut changed = false;
        for at in 0..self.rules.len() {
            if self.rules[at].rule.stage() == stage && !self.cut_short {
                changed |= self.batch(at);
            }
        }
        changed
    }

    fn batch(&mut self, at: usize) -> bool {
        let start = Instant::now();
        let applied_before = self.rules[at].statistics.applied;
        let (places, transitions) = (self.net.place_count(), self.net.transition_count());
        let mut dirty = self.net.dirty_since(&mut self.rules[at].cursor);
        self.net.start_batch();
        let stage = self.rules[at].rule.stage();
        if stage == Stage::Linear {
            // Half of what is left, so that something is left for the next one.
            let slice = self.budget.slice(self.linear_time_left() / 2);
            self.rules[at].rule.allow(slice);
        }
        let whole = matches!(stage, Stage::Global | Stage::Linear);
        self.rules[at].rule.learn(&self.net, &dirty);
        while !dirty.is_empty() && !self.cut_short {
            let part = if whole { std::mem::take(&mut dirty) } else { dirty.split_off(PORTION) };
            let mut foci = Vec::new();
            self.rules[at].rule.find(&self.net, &part, &mut foci);
            self.apply_all(at, foci, usize::MAX);
        }
        let statistics = &mut self.rules[at].statistics;
        statistics.places_removed += (places - self.net.place_count()) as u64;
        statistics.transitions_removed += transitions as i64 - self.net.transition_count() as i64;
        statistics.time += start.elapsed();
        let applied = statistics.applied - applied_before;
        if applied > 0 {
            tracing::debug!("reduction: {}: {applied} applications", statistics.name);
        }
        applied > 0
    }

    fn linear_time_left(&self) -> Duration {
        let linear = self.rules.iter().filter(|running| running.rule.stage() == Stage::Linear);
        self.linear_time.saturating_sub(linear.map(|running| running.statistics.time).sum())
    }

    /// Checks each focus on the net as it is by then, and applies the first `most` that pass.
    fn apply_all(&mut self, at: usize, foci: Vec<Focus>, most: usize) {
        let running = &mut self.rules[at];
        let name = running.rule.name();
        let dropped = self.config.dropped.filter(|(rule, _)| *rule == name).map(|(_, n)| n);
        let statistics = &mut running.statistics;
        statistics.foci += foci.len() as u64;
        let mut left = most;
        for (number, focus) in foci.into_iter().enumerate() {
            if number % PATIENCE == 0 && self.budget.is_exhausted() {
                self.cut_short = true;
            }
            if self.cut_short || left == 0 {
                return;
            }
            // Found on the net as it was: earlier applications of this batch may have taken it.
            if !focus.places.iter().all(|&p| self.net.has_place(p))
                || !focus.transitions.iter().all(|&t| self.net.has_transition(t))
            {
                continue;
            }
            if running.rule.waits() && self.net.is_fresh_around(&focus.places) {
                focus.places.iter().for_each(|&p| self.net.note_place(p));
                continue;
            }
            let context = Context::new(&self.net, self.needs.preserve, dropped);
            let proposal = propose(running.rule.as_ref(), &context, &focus);
            let Some(proposal) = proposal else { continue };
            match apply(&mut self.net, &mut self.back, &mut self.findings, proposal) {
                Ok(()) => {
                    left -= 1;
                    statistics.applied += 1;
                    self.findings.lossy |= !running.rule.is_lossless();
                    if self.config.keep_log {
                        self.log.push(name, &focus);
                    }
                }
                Err(_) => statistics.refused += 1,
            }
        }
    }

    /// See [`Config::any_focus`].
    pub(super) fn run_anywhere(&mut self, seed: u64) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut order: Vec<usize> = (0..self.rules.len()).collect();
        rng.shuffle(&mut order);
        for at in order {
            self.net.start_batch();
            let mut foci = every_focus(&self.net, &mut rng);
            rng.shuffle(&mut foci);
            self.apply_all(at, foci, 3);
        }
    }
}

/// Every focus of a small net, of whatever form: up to three places, up to three transitions, one
/// place with transitions around it, any set of transitions, and some sets of both.
fn every_focus(net: &WorkNet, rng: &mut fastrand::Rng) -> Vec<Focus> {
    let places: Vec<_> = net.places().collect();
    let transitions: Vec<_> = net.transitions().collect();
    let mut foci = Vec::new();
    for &p in &places {
        foci.push(Focus::place(p));
        foci.extend(places.iter().map(|&q| Focus::places([p, q])));
        let rows: [Vec<_>; 2] = [net.producers(p).collect(), net.consumers(p).collect()];
        for row in rows.iter().filter(|row| row.len() <= 6) {
            for some in subsets(row) {
                // A node that is named twice must not pass for two.
                let doubled: Vec<_> = some.iter().copied().chain(some.last().copied()).collect();
                foci.push(Focus::around(p, doubled));
                foci.push(Focus::around(p, some));
            }
        }
    }
    for &t in &transitions {
        for &u in &transitions {
            foci.push(Focus::transitions([t, u]));
            foci.extend(transitions.iter().map(|&v| Focus::transitions([t, u, v])));
        }
    }
    if transitions.len() <= 8 && places.len() <= 8 {
        foci.extend(subsets(&transitions).map(Focus::transitions));
        for some in subsets(&places) {
            let inside =
                |t: &crate::net::TransitionId| net.arcs(*t).all(|(p, ..)| some.contains(&p));
            let moves: Vec<_> = transitions.iter().copied().filter(inside).collect();
            let fewer: Vec<_> = moves.iter().copied().filter(|_| rng.bool()).collect();
            let ones = || some.iter().map(|&p| (p, 1));
            foci.push(Focus::weighted(ones(), moves));
            foci.push(Focus::weighted(ones(), fewer));
            let any: Vec<_> = transitions.iter().copied().filter(|_| rng.bool()).collect();
            foci.push(Focus::weighted(ones(), any));
            let weights: Vec<_> = some.iter().map(|&p| (p, rng.u32(1..=3))).collect();
            let all = subsets(&transitions).filter(|some| some.len() < 3);
            foci.extend(all.map(|some| Focus::weighted(weights.iter().copied(), some)));
            foci.push(Focus::weighted(weights, []));
        }
    }
    foci
}

/// All subsets but the empty one.
fn subsets<T: Copy>(all: &[T]) -> impl Iterator<Item = Vec<T>> {
    (1u32..1 << all.len()).map(|mask| {
        all.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, &x)| x).collect()
    })
}
