//! Structural reductions with a way back.
//!
//! [`reduce`] shrinks a net as far as the open goals allow: [`Needs`] says what they ask for, and
//! only [rules] that preserve it run. What comes out is a [`Reduction`]: the smaller net,
//! goals translated to it, what was found out on the way, the way [back] for firing sequences
//! and a [log] whose every step can be checked again.
//!
//! ```
//! use parikh::net::{Goal, Predicate, text};
//! use parikh::reduction::{Config, needs, reduce};
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
//! let needs = needs::of_goals(&net, [&goal]);
//! let reduction = reduce(&net, &needs, &Budget::unlimited(), &Config::default());
//! assert_eq!((reduction.net.place_count(), reduction.net.transition_count()), (2, 1));
//!
//! let step = reduction.net.transitions().collect();
//! let sequence = reduction.back.sequence(&step, &Budget::unlimited()).unwrap();
//! assert_eq!(sequence, net.transitions().collect());
//! ```
//!
//! # The parts
//! What makes an application right, the net under reduction and the one place that changes it are
//! the checker's ([`parikh_evidence::reduction`]). Here is the rest: the searches for candidates,
//! one rule a file in [`rules`], `schedule` for the order, and the way [back].

pub mod back;
mod back_error;
mod buckets;
pub mod candidate;
mod findings;
mod fingerprint;
mod finish;
mod hashes;
pub mod journal;
mod log;
mod multipliers;
pub mod needs;
mod outcome;
mod redo;
mod route;
pub mod rules;
mod schedule;
mod search;
mod statistics;
mod under_way;

#[cfg(test)]
mod example;

pub use back::Back;
pub use back_error::BackError;
pub use fingerprint::Fingerprint;
pub use log::{Log, LogFile, LogFileError};
pub use outcome::{Reduction, TranslatedGoal};
pub use parikh_evidence::reduction::{
    Candidate, Conditions, Firing, Granted, LogError, LogStep, NamedLog, Needs, Preserve, WorkNet,
};
pub use redo::{recheck, redo};
pub use statistics::{RuleStatistics, Size, Statistics};
pub use under_way::{Tried, UnderWay};

use crate::net::Net;
use crate::solvers::Budget;
use rules::Limits;
use schedule::Schedule;
use search::Phase;
use std::time::Instant;

/// How far to go.
#[derive(Clone, Debug)]
pub struct Config {
    /// Only these rules; `None` for all.
    pub only: Option<Vec<&'static str>>,
    /// None of these rules.
    pub without: Vec<&'static str>,
    /// Caps on what a single application may add.
    pub limits: Limits,
    /// How many rounds of rules that multiply may end with no smaller a net, in transitions and
    /// then places, than the best round before. Default 3.
    pub growth_rounds: u32,
    /// Whether to keep the log. Default yes; costs about 20 bytes per application.
    pub keep_log: bool,
    /// Whether rules may look for candidates by linear programs. Default yes. In short runs the
    /// time is better spent on the questions themselves.
    pub linear: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            only: None,
            without: Vec::new(),
            limits: Limits::default(),
            growth_rounds: 3,
            keep_log: true,
            linear: true,
        }
    }
}

/// Reduces `net` for these needs, until no rule applies or the budget ends.
pub fn reduce(net: &Net, needs: &Needs, budget: &Budget, config: &Config) -> Reduction {
    let start = Instant::now();
    let needs = needs.normalised();
    let mut rules = rules::all(&config.limits);
    rules.retain(|rule| {
        let conditions = rule.conditions;
        let wanted = config.only.as_ref().is_none_or(|only| only.contains(&rule.name))
            && !config.without.contains(&rule.name);
        let in_time = config.linear || rule.phase != Phase::Linear;
        let fits =
            conditions.preserves.covers(needs.preserve) && conditions.takes.cover(net.features());
        wanted && in_time && fits
    });
    let mut under_way = UnderWay::new(net, &needs);
    if !config.keep_log {
        under_way = under_way.without_log();
    }
    let mut schedule = Schedule::new(under_way, rules, budget, config);
    schedule.run();
    let rules = schedule.take_statistics();
    let Schedule { under_way, rounds, cut_short, .. } = schedule;
    let statistics = Statistics { rules, rounds, cut_short, ..Statistics::default() };
    let mut reduction = match under_way.finish(net, statistics.clone()) {
        Ok(reduction) => reduction,
        // Only for want of ids or room for names: nothing was gained then.
        Err(error) => {
            tracing::warn!("reduction: given up: {error}");
            Reduction::nothing(net, needs, statistics)
        }
    };
    reduction.statistics.time = start.elapsed();
    tracing::info!("reduction: {}", reduction.statistics);
    reduction
}
