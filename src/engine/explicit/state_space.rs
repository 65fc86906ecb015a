//! The figures of a state space: how many markings, how many firings between them, how many tokens.
//!
//! Every reachable marking is visited once, so the figures are exact or there are none. A firing
//! is a pair of a reachable marking and a transition enabled in it; two transitions that lead from
//! one marking to the same other one are two firings, so every transition is asked here, while one
//! of each effect is fired.

use super::room::Full;
use super::space::{Purpose, Space, Stuck};
use parikh_net::{Facts, Net, TransitionId};
use parikh_solvers::Budget;
use parikh_solvers::budget::Exhausted as Spent;

/// Expansions between two looks at the budget.
pub(super) const POLLING: u32 = 64;

/// The figures of a finite state space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateSpace {
    /// Reachable markings.
    pub states: u128,
    /// Pairs of a reachable marking and a transition enabled in it.
    pub firings: u128,
    /// The most tokens on one place in a reachable marking; 0 for a net without places.
    pub max_tokens_in_place: u128,
    /// The most tokens on all places together in one reachable marking.
    pub max_tokens_per_marking: u128,
}

/// Why there are no figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Incomplete {
    /// The budget is spent.
    #[error(transparent)]
    Spent(#[from] Spent),
    /// No room for another marking: the ceiling, the process's limit, or 2³² of them.
    #[error("no room for another marking")]
    Full,
    /// A place would hold 2⁶³ tokens or more.
    #[error("a place would hold 2^63 tokens or more")]
    TooManyTokens,
}

impl From<Full> for Incomplete {
    fn from(_: Full) -> Self {
        Incomplete::Full
    }
}

impl From<Stuck> for Incomplete {
    fn from(stuck: Stuck) -> Self {
        match stuck {
            Stuck::Full => Incomplete::Full,
            Stuck::Unpackable => Incomplete::TooManyTokens,
        }
    }
}

/// Picks one enabled transition of each effect.
pub(super) struct Distinct<'n> {
    net: &'n Net,
    /// For each effect class the round it was picked in last.
    picked: Vec<u64>,
    round: u64,
}

impl<'n> Distinct<'n> {
    pub(super) fn new(net: &'n Net) -> Self {
        Distinct { net, picked: vec![0; net.effect_count()], round: 0 }
    }

    /// Keeps of `transitions` the first of each effect, and none without effect.
    pub(super) fn retain(&mut self, transitions: &mut Vec<u32>) {
        self.round += 1;
        transitions.retain(|&t| {
            let class = self.net.effect_of(TransitionId::new(t as usize));
            let first = std::mem::replace(&mut self.picked[class.index()], self.round);
            first != self.round && !self.net.effect(class).is_empty()
        });
    }
}

/// Counts the reachable markings of `net`.
///
/// # Errors
/// When the budget does not suffice.
pub fn count(net: &Net, facts: &Facts, budget: &Budget) -> Result<StateSpace, Incomplete> {
    let purpose = Purpose { listed: &|_| true, sequences: false, ceiling: u64::MAX };
    let mut space = Space::new(net, facts, purpose, budget)?;
    let mut figures =
        StateSpace { states: 0, firings: 0, max_tokens_in_place: 0, max_tokens_per_marking: 0 };
    let mut enabled = Vec::new();
    let mut distinct = Distinct::new(net);
    let mut number = 0;
    while number < space.store().len() {
        space.load(number, &mut enabled);
        // A marking with thousands of successors takes as long as many others.
        let is_wide = enabled.len() > POLLING as usize;
        if (is_wide || number.is_multiple_of(POLLING))
            && let Some(spent) = budget.exhausted()
        {
            return Err(spent.into());
        }
        let firings = enabled.len() as u128;
        distinct.retain(&mut enabled);
        if space.expand(number, &enabled, |_, _, _| {})? {
            // Nothing was fired: the same marking again.
            continue;
        }
        figures.firings += firings;
        let (mut total, mut largest) = (0u128, 0u64);
        for p in net.places() {
            let tokens = space.tokens(p);
            total += u128::from(tokens);
            largest = largest.max(tokens);
        }
        figures.max_tokens_per_marking = figures.max_tokens_per_marking.max(total);
        figures.max_tokens_in_place = figures.max_tokens_in_place.max(largest.into());
        number += 1;
    }
    figures.states = u128::from(number);
    Ok(figures)
}
