//! Structural reductions with a way back.
//!
//! [`reduce`] shrinks a net as far as the open goals allow: [`Needs`] says what they ask for, and
//! only [rules] that preserve it run. What comes out is a [`Reduction`]: the smaller net,
//! goals translated to it, what was found out on the way, the way [back] for firing sequences
//! and a [log] whose every step can be checked again.
//!
//! ```
//! use parikh::net::{Goal, Predicate, text};
//! use parikh::reduction::{Config, Needs, reduce};
//! use parikh::solvers::budget::Budget;
//!
//! let net = text::parse("
//!     place p 1
//!     place q
//!     place r
//!     transition a: p -> q
//!     transition b: q -> r
//! ").unwrap();
//! let r = net.place_named("r").unwrap();
//! let goal = Goal::Reach(Predicate::at_least(r, 1));
//! let needs = Needs::of_goals(&net, [&goal]);
//! let reduction = reduce(&net, &needs, &Budget::unlimited(), &Config::default());
//! assert_eq!((reduction.net.place_count(), reduction.net.transition_count()), (2, 1));
//!
//! let step = reduction.net.transitions().collect();
//! let sequence = reduction.back.sequence(&step, &Budget::unlimited()).unwrap();
//! assert_eq!(sequence, net.transitions().collect());
//! ```
//!
//! # The parts
//! [`work`] is the net under reduction, [`rule`] what a rule is, [`change`] the one place that
//! changes the net, `schedule` the order. A rule is one file in [`rules`], one line in its registry
//! and one line in `tests/soundness/reductions.rs`.

pub mod back;
mod buckets;
pub mod change;
mod compose;
mod fingerprint;
mod finish;
pub mod journal;
pub mod log;
mod multipliers;
pub mod needs;
mod outcome;
mod redo;
mod route;
pub mod rule;
pub mod rules;
mod schedule;
mod statistics;
pub mod work;

#[cfg(test)]
mod example;

pub use back::{Back, BackError};
pub use fingerprint::Fingerprint;
pub use log::{Log, LogError, LogFile};
pub use needs::{Needs, Preserve};
pub use outcome::{Firing, Reduction, TranslatedGoal};
pub use redo::{recheck, redo};
pub use statistics::{RuleStatistics, Size, Statistics};

use crate::net::{BuildError, Net, TransitionId};
use crate::solvers::Budget;
use outcome::Findings;
use rules::Limits;
use schedule::Schedule;
use std::time::Instant;
use work::WorkNet;

/// How far to go.
#[derive(Clone, Debug)]
pub struct Config {
    /// Only these rules; `None` for all.
    pub only: Option<Vec<&'static str>>,
    /// Caps on what a single application may add.
    pub limits: Limits,
    /// How many rounds of rules that multiply may end with no smaller a net, in transitions and then
    /// places, than the best round before. Default 3.
    pub growth_rounds: u32,
    /// Whether to keep the log. Default yes; costs about 20 bytes per application.
    pub keep_log: bool,
    /// Whether rules may look for foci by linear programs. Default yes. In short runs the time is
    /// better spent on the questions themselves.
    pub linear: bool,
    /// Takes one condition of one rule for granted, which makes reductions wrong: tests see whether
    /// they notice.
    #[doc(hidden)]
    pub dropped: Option<(&'static str, u8)>,
    /// Instead of what rules find, three random foci of all there are at which a rule's check
    /// passes, drawn with this seed: tests see whether soundness is really in the checks. Small
    /// nets only.
    #[doc(hidden)]
    pub any_focus: Option<u64>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            only: None,
            limits: Limits::default(),
            growth_rounds: 3,
            keep_log: true,
            linear: true,
            dropped: None,
            any_focus: None,
        }
    }
}

/// Reduces `net` for these needs, until no rule applies or the budget ends.
pub fn reduce(net: &Net, needs: &Needs, budget: &Budget, config: &Config) -> Reduction {
    let start = Instant::now();
    let needs = needs.normalised();
    let mut rules = rules::all(&config.limits);
    rules.retain(|rule| {
        let wanted = config.only.as_ref().is_none_or(|only| only.contains(&rule.name()));
        let in_time = config.linear || rule.stage() != rule::Stage::Linear;
        wanted && in_time && rule.preserves().covers(needs.preserve)
    });
    let mut schedule = Schedule::new(WorkNet::new(net, &needs), rules, &needs, budget, config);
    match config.any_focus {
        None => schedule.run(),
        Some(seed) => schedule.run_anywhere(seed),
    }
    let rules = schedule.take_statistics();
    let Schedule { net: work, back, findings, log, rounds, cut_short, .. } = schedule;
    let statistics =
        Statistics { before: size_of(net), rules, rounds, cut_short, ..Statistics::default() };
    let mut reduction =
        match conclude(net, work, back, findings, needs.clone(), log, statistics.clone()) {
            Ok(reduction) => reduction,
            // Only for want of ids or room for names: nothing was gained then.
            Err(error) => {
                tracing::warn!("reduction: given up: {error}");
                unreduced(net, needs.clone(), Statistics { after: size_of(net), ..statistics })
            }
        };
    reduction.statistics.time = start.elapsed();
    tracing::info!("reduction: {}", reduction.statistics);
    reduction
}

fn size_of(net: &Net) -> Size {
    Size { places: net.place_count(), transitions: net.transition_count(), arcs: net.arc_count() }
}

/// The reduction that ends with this working net.
fn conclude(
    net: &Net,
    mut work: WorkNet,
    mut back: Back,
    findings: Findings,
    needs: Needs,
    log: Log,
    mut statistics: Statistics,
) -> Result<Reduction, BuildError> {
    let finished = finish::finish(net, &mut work, &back, &needs, &findings)?;
    back.finish(finished.final_ids);
    statistics.after = size_of(&finished.net);
    let (mut dead_transitions, constant_places, fixed) = findings.into_parts();
    if needs.preserve.covers(Preserve::REACHABILITY) {
        let firings = needs.protected.iter().zip(&finished.firings);
        let never = firings.filter(|(_, firing)| **firing == Firing::By(Vec::new()));
        dead_transitions.extend(never.map(|(&t, _)| t));
        dead_transitions.sort_unstable();
        dead_transitions.dedup();
    }
    Ok(Reduction {
        net: finished.net,
        back,
        log,
        statistics,
        dead_transitions,
        constant_places,
        places: finished.places,
        transitions: finished.transitions,
        fixed,
        firings: finished.firings,
        needs,
    })
}

/// The net as its own reduction.
fn unreduced(net: &Net, needs: Needs, statistics: Statistics) -> Reduction {
    let mut back = Back::new(net.transition_count());
    back.finish(net.transitions().collect());
    let by = |&t: &TransitionId| Firing::By(vec![t]);
    Reduction {
        net: net.clone(),
        back,
        log: Log::default(),
        statistics,
        dead_transitions: Vec::new(),
        constant_places: Vec::new(),
        places: net.places().map(Some).collect(),
        transitions: net.transitions().map(Some).collect(),
        fixed: Default::default(),
        firings: needs.protected.iter().map(by).collect(),
        needs,
    }
}
