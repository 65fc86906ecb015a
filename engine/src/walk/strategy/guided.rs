//! A strategy that follows a solution of the state equation. The solution gives the number of
//! firings per effect class, but not their order.
//!
//! Let x be a solution: the marking m₀ + C·x satisfies the goal. Firing each class x times leads to
//! this marking, if some order of the firings is possible. So a walk fires classes with remaining
//! firings, in some order. If none of these is enabled, the order was wrong, or a cycle is missing
//! that lends some tokens and returns them. The first attempts end the walk there. Later attempts
//! leave more and more such dead ends by firing any enabled class, and half of them also fire any
//! class now and then. (The idea is from ITS-Tools, Y. Thierry-Mieg, *Structural reductions
//! revisited*, PETRI NETS 2020: "Parikh-guided walks".)

use super::blind::random_enabled;
use crate::Hint;
use crate::walk::machine::{WatchedMarking, random_below};
use crate::walk::walker::{FiringStrategy, Resources};
use parikh_net::GoalId;

/// The order in which classes with remaining firings are chosen.
#[derive(Clone, Copy)]
enum HintOrder {
    Random,
    /// In the cyclic order of class indices, the first class from this index on.
    CyclicFrom(u32),
    /// A class with the largest number of remaining firings.
    MostRemaining,
}

/// A strategy that follows a hint, that is, numbers of firings per effect class that solve the
/// state equation for a goal.
pub(in crate::walk) struct HintStrategy {
    /// Number of remaining firings of each effect class, by class index.
    remaining: Vec<u64>,
    /// The indices of the effect classes that occur in the hint.
    classes: Vec<u32>,
    /// Sum of the remaining firings of all classes.
    total_remaining: u64,
    /// The order of the classes.
    order: HintOrder,
    /// True if a chosen class fires as often as it has remaining firings, false if it fires once.
    repeats_classes: bool,
    /// Chance, in 1024ths, that a step fires a random enabled class instead of a class of the hint.
    undirected_chance: usize,
    /// Number of dead ends that may still be left by firing a random enabled class. In a dead end,
    /// no class with remaining firings is enabled.
    detours_left: u32,
    /// Number of times that the chosen class should fire in a row. `None` before the first choice.
    wanted_repetitions: Option<u64>,
}

impl HintStrategy {
    /// Creates the strategy without a hint.
    pub(in crate::walk) fn new(classes: usize) -> Self {
        HintStrategy {
            remaining: vec![0; classes],
            classes: Vec::new(),
            total_remaining: 0,
            order: HintOrder::Random,
            repeats_classes: false,
            undirected_chance: 0,
            detours_left: 0,
            wanted_repetitions: None,
        }
    }

    /// Prepares attempt number `attempt` at following `hint` from the initial marking.
    pub(in crate::walk) fn begin(&mut self, hint: &Hint, attempt: u32, resources: &mut Resources) {
        self.classes.drain(..).for_each(|class| self.remaining[class as usize] = 0);
        self.total_remaining = 0;
        for &(effect, count) in &hint.firings {
            let class = effect.index() as u32;
            self.remaining[effect.index()] = count;
            self.classes.push(class);
            self.total_remaining = self.total_remaining.saturating_add(count);
        }
        resources.work += 1 + self.classes.len() as u64 / 8;
        self.order = match random_below(&mut resources.rng, 4) {
            0 => HintOrder::CyclicFrom(
                random_below(&mut resources.rng, self.remaining.len().max(1)) as u32,
            ),
            1 => HintOrder::MostRemaining,
            _ => HintOrder::Random,
        };
        // Single firings succeed more often, but take too long if the hint has very many firings.
        self.repeats_classes =
            self.total_remaining > 1 << 16 || random_below(&mut resources.rng, 3) == 0;
        self.undirected_chance =
            if random_below(&mut resources.rng, 2) == 0 { 0 } else { attempt.min(256) as usize };
        self.detours_left = attempt / 2;
    }

    /// Returns an enabled class with remaining firings, or `None` if there is none.
    fn next_class(&self, machine: &WatchedMarking<'_>, resources: &mut Resources) -> Option<u32> {
        let (enabled, hint_classes) = (machine.enabled().len(), self.classes.len());
        resources.work += enabled.min(hint_classes) as u64 / 16;
        match enabled < hint_classes {
            true => self.choose_among(machine.enabled().iter(), machine, resources),
            false => self.choose_among(self.classes.iter().copied(), machine, resources),
        }
    }

    /// Returns an enabled class with remaining firings among `candidates`, chosen according to
    /// `order`. Returns `None` if there is none.
    fn choose_among(
        &self,
        candidates: impl Iterator<Item = u32>,
        machine: &WatchedMarking<'_>,
        resources: &mut Resources,
    ) -> Option<u32> {
        let mut choices = candidates
            .filter(|&class| self.remaining[class as usize] > 0 && machine.is_enabled(class));
        match self.order {
            HintOrder::Random => {
                let mut chosen = None;
                for (count, class) in choices.enumerate() {
                    if random_below(&mut resources.rng, count + 1) == 0 {
                        chosen = Some(class);
                    }
                }
                chosen
            }
            HintOrder::CyclicFrom(first) => choices.min_by_key(|class| class.wrapping_sub(first)),
            HintOrder::MostRemaining => {
                let first = choices.next()?;
                let with_more_left = |a: u32, b| {
                    if self.remaining[b as usize] > self.remaining[a as usize] { b } else { a }
                };
                Some(choices.fold(first, with_more_left))
            }
        }
    }
}

impl FiringStrategy for HintStrategy {
    fn choose(
        &mut self,
        machine: &mut WatchedMarking<'_>,
        resources: &mut Resources,
    ) -> Option<u32> {
        self.wanted_repetitions = Some(1);
        if self.total_remaining == 0 {
            return None;
        }
        if self.undirected_chance > 0
            && random_below(&mut resources.rng, 1024) < self.undirected_chance
        {
            return Some(random_enabled(machine, resources));
        }
        let Some(class) = self.next_class(machine, resources) else {
            self.detours_left = self.detours_left.checked_sub(1)?;
            return Some(random_enabled(machine, resources));
        };
        if self.repeats_classes {
            self.wanted_repetitions = Some(self.remaining[class as usize]);
        }
        Some(class)
    }

    fn wanted_repetitions(&self) -> Option<u64> {
        self.wanted_repetitions
    }

    fn after_firing(&mut self, _: &WatchedMarking<'_>, class: u32, count: u64, _: u64) {
        let remaining = &mut self.remaining[class as usize];
        let counted = count.min(*remaining);
        *remaining -= counted;
        self.total_remaining = self.total_remaining.saturating_sub(counted);
    }
}

/// The hints of a run, used in turn.
pub(in crate::walk) struct Hints {
    /// Each hint with the ids of its goals, and the number of attempts made so far to follow it.
    hints: Vec<(Hint, Vec<GoalId>, u32)>,
    /// Index of the hint to return next, modulo the number of hints.
    next: usize,
}

impl Hints {
    /// Creates the list of hints. Leaves out hints without firings, and merges hints with equal
    /// firings.
    pub(in crate::walk) fn new(hints: &[Hint]) -> Self {
        let mut index_of: std::collections::HashMap<&[_], usize> = Default::default();
        let mut merged: Vec<(Hint, Vec<GoalId>, u32)> = Vec::new();
        for hint in hints.iter().filter(|hint| !hint.firings.is_empty()) {
            let index = *index_of.entry(&hint.firings).or_insert(merged.len());
            match merged.get_mut(index) {
                Some((_, goals, _)) => goals.push(hint.goal),
                None => merged.push((hint.clone(), vec![hint.goal], 0)),
            }
        }
        Hints { hints: merged, next: 0 }
    }

    /// Returns the next hint for a wanted goal, in cyclic order, with its number of attempts. Drops
    /// hints without a wanted goal, and returns `None` if no hint is left.
    pub(in crate::walk) fn next(
        &mut self,
        is_wanted: impl Fn(GoalId) -> bool,
    ) -> Option<(&Hint, &mut u32)> {
        self.hints.retain(|(_, goals, _)| goals.iter().any(|&goal| is_wanted(goal)));
        let index = self.next % self.hints.len().max(1);
        self.next = index + 1;
        self.hints.get_mut(index).map(|(hint, _, attempts)| (&*hint, attempts))
    }

    /// Returns true if there are no hints.
    pub(in crate::walk) fn is_empty(&self) -> bool {
        self.hints.is_empty()
    }
}
