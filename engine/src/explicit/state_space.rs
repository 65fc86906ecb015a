//! Figures of a state space: numbers of reachable markings and firings, and maximum token counts.
//!
//! Every reachable marking is visited once, so the figures are exact or missing. A firing is a pair
//! of a reachable marking and a transition enabled in it. Two transitions from one marking to the
//! same successor count as two firings. So all enabled transitions are counted, but only one per
//! effect is fired.

use super::grouped::{self, GroupedCounts};
use super::parallel_expansion::{ExpansionEvent, ParallelExpansion, Visitor};
use super::progress::{ExplorationError, POLLING_INTERVAL, ProgressTest, StopRule};
use super::space::ExpandedMarking;
use super::space::{Space, SpaceOptions};
use parikh_net::{Facts, Net, TransitionId};
use parikh_solvers::Budget;

/// The numbers that describe a finite state space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateSpace {
    /// Number of reachable markings.
    pub states: u128,
    /// Number of pairs of a reachable marking and a transition enabled in it.
    pub firings: u128,
    /// Maximum number of tokens on one place in a reachable marking. 0 for a net without places.
    pub max_tokens_in_place: u128,
    /// Maximum total number of tokens in a reachable marking.
    pub max_tokens_per_marking: u128,
}

/// Selects one enabled transition per effect class.
pub(super) struct EffectFilter<'n> {
    /// The net with the effect classes.
    net: &'n Net,
    /// For each effect class, the number of the last call of [`retain`](Self::retain) with a
    /// transition of the class.
    last_round_of_class: Vec<u64>,
    /// Number of calls of [`retain`](Self::retain).
    round: u64,
}

impl<'n> EffectFilter<'n> {
    pub(super) fn new(net: &'n Net) -> Self {
        EffectFilter { net, last_round_of_class: vec![0; net.effect_count()], round: 0 }
    }

    /// Keeps the first of `transitions`, given by their indices, for each effect. Removes
    /// transitions without effect.
    pub(super) fn retain(&mut self, transitions: &mut Vec<u32>) {
        self.round += 1;
        transitions.retain(|&t| {
            let class = self.net.effect_of(TransitionId::new(t as usize));
            let last_round =
                std::mem::replace(&mut self.last_round_of_class[class.index()], self.round);
            last_round != self.round && !self.net.effect(class).is_empty()
        });
    }
}

/// A visitor that counts the expanded markings and their enabled transitions, and finds the maximum
/// token counts.
struct CountVisitor<'n> {
    net: &'n Net,
}

/// The working data of one thread for counting.
struct CountScratch<'n> {
    effect_filter: EffectFilter<'n>,
    /// Number of transitions enabled in the current marking.
    enabled_count: usize,
}

impl<'n> Visitor for CountVisitor<'n> {
    type Scratch = CountScratch<'n>;
    type Notes = StateSpace;

    fn scratch(&self) -> CountScratch<'n> {
        CountScratch { effect_filter: EffectFilter::new(self.net), enabled_count: 0 }
    }

    fn select_transitions(
        &self,
        scratch: &mut CountScratch<'n>,
        _: ExpandedMarking<'_>,
        enabled: &mut Vec<u32>,
    ) {
        scratch.enabled_count = enabled.len();
        scratch.effect_filter.retain(enabled);
    }

    fn note(
        &self,
        scratch: &mut CountScratch<'n>,
        seen: ExpandedMarking<'_>,
        notes: &mut StateSpace,
    ) {
        let (mut total_tokens, mut max_tokens) = (0u128, 0u64);
        for p in self.net.places() {
            let tokens = seen.tokens(p);
            total_tokens += u128::from(tokens);
            max_tokens = max_tokens.max(tokens);
        }
        notes.add(&StateSpace {
            states: 1,
            firings: scratch.enabled_count as u128,
            max_tokens_in_place: max_tokens.into(),
            max_tokens_per_marking: total_tokens,
        });
    }
}

impl StateSpace {
    fn of_groups(counts: &GroupedCounts) -> StateSpace {
        StateSpace {
            states: counts.markings.into(),
            firings: counts.enabled_in.iter().map(|&markings| u128::from(markings)).sum(),
            max_tokens_in_place: counts.max_tokens_in_place.into(),
            max_tokens_per_marking: counts.max_tokens_per_marking,
        }
    }

    /// Adds the numbers of another, disjoint set of markings: numbers of markings and firings are
    /// added, and the larger maxima remain.
    fn add(&mut self, others: &StateSpace) {
        self.states += others.states;
        self.firings += others.firings;
        self.max_tokens_in_place = self.max_tokens_in_place.max(others.max_tokens_in_place);
        self.max_tokens_per_marking =
            self.max_tokens_per_marking.max(others.max_tokens_per_marking);
    }
}

/// Counts the reachable markings of `net` and the firings, and finds the maximum token counts. Uses
/// `threads` threads if there are very many markings.
///
/// # Errors
/// Returns an error if the budget is exhausted or memory is short. Also returns an error if the
/// markings do not fit in words and there are 2³² or more, or if a place would get 2⁶³ tokens or
/// more.
pub fn count(
    net: &Net,
    facts: &Facts,
    threads: usize,
    budget: &Budget,
) -> Result<StateSpace, ExplorationError> {
    count_with(net, facts, threads, StopRule::AtBudgetEnd, budget)
}

/// Like [`count`], but `stop_rule` may end the exploration early.
///
/// # Errors
/// Returns an error in the same cases as [`count`], and [`ExplorationError::TooSlow`].
pub fn count_with(
    net: &Net,
    facts: &Facts,
    threads: usize,
    stop_rule: StopRule,
    budget: &Budget,
) -> Result<StateSpace, ExplorationError> {
    let progress = ProgressTest::new(stop_rule);
    let options = SpaceOptions { listed: &|_| true, needs_sequences: false, max_bytes: u64::MAX };
    let mut space = Space::new(net, facts, options, budget)?;
    let (visitor, mut expansion) = (CountVisitor { net }, ParallelExpansion::new(threads, budget));
    let mut totals = StateSpace::default();
    let mut scratch = visitor.scratch();
    let mut enabled = Vec::new();
    let mut marking_number = 0;
    let mut tries_groups = true;
    while marking_number < space.store().len() {
        if tries_groups && space.store().len() >= grouped::MIN_MARKINGS {
            tries_groups = false;
            if let Some(counts) = grouped::count(net, facts, threads, &progress, budget)? {
                return Ok(StateSpace::of_groups(&counts));
            }
        }
        let expanded = expansion.expand(&mut space, marking_number, &visitor, |event| {
            if let ExpansionEvent::Expanded(notes, ..) = event {
                totals.add(&notes);
            }
        })?;
        if expanded > 0 {
            marking_number += expanded;
            budget.exhausted().map_or(Ok(()), Err)?;
            progress.check(marking_number.into(), space.store().len().into(), budget)?;
            continue;
        }
        space.load(marking_number, &mut enabled);
        // A marking with thousands of successors takes as long as many others.
        let is_wide = enabled.len() > POLLING_INTERVAL as usize;
        if is_wide || marking_number.is_multiple_of(POLLING_INTERVAL) {
            budget.exhausted().map_or(Ok(()), Err)?;
            progress.check(marking_number.into(), space.store().len().into(), budget)?;
        }
        visitor.select_transitions(
            &mut scratch,
            space.loaded_marking(marking_number),
            &mut enabled,
        );
        if !space.expand(marking_number, &enabled, |_, _, _| {})? {
            visitor.note(&mut scratch, space.loaded_marking(marking_number), &mut totals);
            marking_number += 1;
        }
    }
    Ok(totals)
}
