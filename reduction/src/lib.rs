//! Structural reductions with back-translation.
//!
//! [`reduce`] shrinks a net as far as the open goals allow: [`Needs`] states what the goals
//! require, and only [rules] that preserve it are applied. The result is a [`Reduction`]: the
//! smaller net, the goals translated to it, facts found on the way, the
//! [back-translation](back_translation) of firing sequences, and a [log] in which every step can be
//! checked again.
//!
//! ```
//! use parikh_net::{Goal, Predicate, text};
//! use parikh_reduction::{ReductionConfig, needs, reduce};
//! use parikh_solvers::budget::Budget;
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
//! let reduction = reduce(&net, &needs, &Budget::unlimited(), &ReductionConfig::default());
//! assert_eq!((reduction.net.place_count(), reduction.net.transition_count()), (2, 1));
//!
//! let step = reduction.net.transitions().collect();
//! let sequence = reduction.back_translation.sequence(&step, &Budget::unlimited()).unwrap();
//! assert_eq!(sequence, net.transitions().collect());
//! ```
//!
//! # Parts
//! The conditions of the rules, the net under reduction, and the only code that changes it belong
//! to the checker ([`parikh_evidence::reduction`]). This module contains the rest: the searches for
//! candidates (one file per rule in [`rules`]), the order of the rules (`schedule`), and the
//! [back-translation](back_translation).

mod back_error;
pub mod back_translation;
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

pub use back_error::BackError;
pub use back_translation::BackTranslation;
pub use fingerprint::Fingerprint;
pub use log::{Log, LogFile, LogFileError};
pub use outcome::{Reduction, TranslatedGoal};
pub use parikh_evidence::reduction::{
    AssumedCondition, Candidate, Conditions, FiringMap, LogError, LogStep, NamedLog, Needs,
    Preserve, WorkNet,
};
pub use redo::{recheck, redo};
pub use statistics::{NetSize, ReductionStatistics, RuleStatistics};
pub use under_way::{ApplicationOutcome, OngoingReduction};

use parikh_net::Net;
use parikh_solvers::Budget;
use rules::GrowthLimits;
use schedule::Schedule;
use search::Phase;
use std::time::Instant;

/// The options of a reduction.
#[derive(Clone, Debug)]
pub struct ReductionConfig {
    /// Apply only these rules; `None` allows all.
    pub only: Option<Vec<&'static str>>,
    /// Disabled rules.
    pub without: Vec<&'static str>,
    /// Limits on the growth by a single application.
    pub limits: GrowthLimits,
    /// Number of rounds with multiplying rules that may end without a smaller net (in transitions,
    /// then places) than the best round before. Default 3.
    pub growth_rounds: u32,
    /// True to keep the log. Default true; it costs about 20 bytes per application.
    pub keep_log: bool,
    /// True to allow searches that solve linear programs. Default true. In short runs, the time is
    /// better spent on the questions themselves.
    pub linear: bool,
}

impl Default for ReductionConfig {
    fn default() -> Self {
        ReductionConfig {
            only: None,
            without: Vec::new(),
            limits: GrowthLimits::default(),
            growth_rounds: 3,
            keep_log: true,
            linear: true,
        }
    }
}

/// Reduces `net` for the given needs, until no rule applies, too many rounds do not make the net
/// smaller, or the budget ends. Returns the net as its own reduction if the reduced net cannot be
/// built.
pub fn reduce(net: &Net, needs: &Needs, budget: &Budget, config: &ReductionConfig) -> Reduction {
    let start = Instant::now();
    let needs = needs.normalised();
    let mut rules = rules::all_searches(&config.limits);
    rules.retain(|rule| {
        let conditions = rule.conditions;
        let is_selected = config.only.as_ref().is_none_or(|only| only.contains(&rule.name))
            && !config.without.contains(&rule.name);
        let is_allowed_phase = config.linear || rule.phase != Phase::Linear;
        let preserves_needs = conditions.preserves.covers(needs.preserve)
            && conditions.features.cover(net.features());
        is_selected && is_allowed_phase && preserves_needs
    });
    let mut under_way = OngoingReduction::new(net, &needs);
    if !config.keep_log {
        under_way = under_way.without_log();
    }
    let mut schedule = Schedule::new(under_way, rules, budget, config);
    schedule.run();
    let rules = schedule.take_statistics();
    let Schedule { reduction: under_way, rounds, cut_short, .. } = schedule;
    let statistics =
        ReductionStatistics { rules, rounds, cut_short, ..ReductionStatistics::default() };
    let mut reduction = match under_way.finish(net, statistics.clone()) {
        Ok(reduction) => reduction,
        // The only causes are a lack of ids or of memory for names. The reduction is then useless.
        Err(error) => {
            tracing::warn!("reduction: given up: {error}");
            Reduction::identity(net, needs, statistics)
        }
    };
    reduction.statistics.time = start.elapsed();
    tracing::info!("reduction: {}", reduction.statistics);
    reduction
}
