//! The figures of a state space, counted by the explicit engine; a pump shows that there are infinitely
//! many markings.

use super::Config;
use crate::answer::Grade;
use crate::engine::{explicit, walk};
use parikh_net::{Facts, FiringSequence, Net};
use parikh_solvers::Budget;
use std::time::Duration;

/// One figure of the state space.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The contest's name for it.
    pub key: &'static str,
    /// The figure, who found it and what it stands on, or why it is not known.
    pub value: Result<(String, &'static str, Grade), String>,
}

/// About how many firings are spent on looking for a pump before the states are counted.
const PUMP_WORK: u64 = 50_000_000;

/// Counts the reachable markings, the firings between them, and the tokens they hold at most. An
/// unbounded net, shown by a pump, has `+inf` of each.
pub fn state_space(net: &Net, config: &Config, budget: &Budget) -> Vec<Figure> {
    const KEYS: [&str; 4] =
        ["STATES", "TRANSITIONS", "MAX_TOKEN_PER_MARKING", "MAX_TOKEN_IN_PLACE"];
    let figures = |value: &dyn Fn(usize) -> Result<(String, &'static str, Grade), String>| {
        let figure = |(index, key)| Figure { key, value: value(index) };
        KEYS.into_iter().enumerate().map(figure).collect()
    };
    let counted = |budget: &Budget| {
        explicit::count(net, &Facts::claimed_by_model(net), budget).map(|space| {
            figures(&|index| {
                let values = [
                    space.states,
                    space.firings,
                    space.max_tokens_per_marking,
                    space.max_tokens_in_place,
                ];
                let markings = u64::try_from(space.states).unwrap_or(u64::MAX);
                let grade = Grade::Searched { markings, stubborn: false };
                Ok((values[index].to_string(), "EXPLICIT", grade))
            })
        })
    };
    // Most nets that can be counted at all are counted at once.
    if !config.certified_only
        && let Ok(figures) = counted(&budget.slice(Duration::from_millis(500)))
    {
        return figures;
    }
    if find_pump(net, config, budget).is_some() {
        return figures(&|_| Ok(("+inf".to_owned(), "RANDOM_WALK", Grade::Replayed)));
    }
    if config.certified_only {
        let why = "it is found by visiting all markings, and no search's word is taken";
        return figures(&|_| Err(why.to_owned()));
    }
    counted(budget).unwrap_or_else(|incomplete| figures(&|_| Err(incomplete.to_string())))
}

/// A prefix and a pump, replayed, that show that infinitely many markings are reachable; looked for
/// in a small part of the time.
pub fn find_pump(
    net: &Net,
    config: &Config,
    budget: &Budget,
) -> Option<(FiringSequence, FiringSequence)> {
    // A pump shows itself early or hardly ever: a twentieth of the time is for it.
    let (prefix, pump) = walk::find_pump(net, &budget.share(0.05), config.seed, PUMP_WORK)?;
    if crate::evidence::pump_grows(net, &prefix, &pump) {
        return Some((prefix, pump));
    }
    tracing::error!("internal error: a pump does not replay; it is dropped");
    None
}
