//! Figures of a state space, computed from the diagram of all markings of the original net.

use super::confirm::confirm;
use super::{DiagramError, OrderThreads, TryLog, explore_logged};
use num_bigint::BigUint;
use parikh_net::Net;
use parikh_solvers::Budget;
use parikh_symbolic::{LevelInterval, weighted_tokens};

/// The numbers that describe a net's finite state space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateSpace {
    /// Number of reachable markings.
    pub states: BigUint,
    /// Number of pairs of a reachable marking and a transition enabled in it.
    pub firings: BigUint,
    /// Maximum number of tokens on one place in a reachable marking. 0 for a net without places.
    pub max_tokens_in_place: u64,
    /// Maximum total number of tokens in a reachable marking.
    pub max_tokens_per_marking: i128,
    /// True if the checker verified that no marking is missing. False if the check was left out or
    /// not completed.
    pub is_checked: bool,
}

/// Computes the numbers that describe the net's state space, from a decision diagram of all
/// markings.
///
/// # Errors
/// Returns an error if the net has too many places or the checker refuses the set. Also returns an
/// error if the time, the memory or a number of tokens exceeds a limit.
pub fn figures(
    net: &Net,
    threads: usize,
    budget: &Budget,
    log: &TryLog,
) -> Result<StateSpace, DiagramError> {
    explore_logged(net, &OrderThreads::new(threads), budget, log, |reached| {
        let conditions: Vec<Vec<LevelInterval>> =
            net.transitions().filter_map(|t| reached.conditions(t)).collect();
        let tokens = weighted_tokens(reached.level_of.iter().map(|&level| (level, 1)));
        let markings = reached.diagrams.count(reached.set)?;
        reached.log_entry.record_markings(&markings);
        let closed = match confirm(net, &reached, &markings) {
            Ok(closed) => closed,
            Err(error) => return Ok(Err(error)),
        };
        let (diagrams, set) = (reached.diagrams, reached.set);
        Ok(Ok(StateSpace {
            firings: diagrams.count_enabled(set, &conditions)?,
            max_tokens_in_place: diagrams.max_tokens_by_level(set).into_iter().max().unwrap_or(0),
            max_tokens_per_marking: diagrams.range(set, &tokens)?.map_or(0, |range| range.1),
            states: markings,
            is_checked: closed,
        }))
    })?
}
