//! Selects the goals to test in a new marking: only those that the last firing may have made true.
//!
//! An atom is a comparison "sum of token counts ≤ bound". A firing can make a goal true only if it
//! makes an atom of the goal true, that is, if it lowers the atom's sum. No atom makes a goal true
//! by becoming false, since predicates are in negation normal form. A maximum can rise only by a
//! firing that raises its sum. Transitions with the same effect form an effect class. Each class
//! has a list of the goals that it can help. Only these goals are tested in a marking first reached
//! by that class. With one goal per place or transition of the net, the lists are as short as the
//! effects. Then thousands of goals cost as much as a few.
//!
//! Goals that mention deadness are tested when the marking is expanded, because the enabled
//! transitions are known then. If many goals ask for the enabledness of one transition each, they
//! are handled in the same way. This costs nothing, but is a little later.

use super::packed_tests::{PackedSum, Test, enabledness_as_atoms, sums_of};
use super::packing::Packing;
use crate::board::Board;
use parikh_net::{EffectId, GoalId, LinearSum, MarkingGoal, Net, PlaceId, Predicate, TransitionId};
use std::collections::HashMap;

/// An effect class can help a goal if its firing may make the goal true. A goal is tested in every
/// new marking if more than 64 classes can help it, and more than 1 / `BROAD_DIVISOR` of all
/// classes.
const BROAD_DIVISOR: usize = 2;

/// Minimum number of goals of the form "t is enabled" for which these goals are tested at
/// expansion.
const MANY_ENABLEDNESS_GOALS: usize = 16;

/// A goal, compiled for packed markings.
pub(crate) enum PackedGoal {
    /// Reach a marking that satisfies the predicate, in which enabledness is rewritten as atoms,
    /// with its compiled test. A goal read from the list of enabled transitions keeps its predicate
    /// `Enabled` and has a test that never holds.
    Reach(Predicate, Test),
    /// Maximise the sum, which is also given in compiled form. The pair is the largest value seen
    /// and the number of its marking. `None` before the first marking is tested.
    Maximise(LinearSum, PackedSum, Option<(i128, u32)>),
}

/// A goal of the search, with its state.
pub(crate) struct SearchGoal {
    /// The goal's id on the board.
    pub(crate) id: GoalId,
    /// The compiled goal.
    pub(crate) packed: PackedGoal,
    /// True if the goal is still open as far as this search knows.
    pub(crate) is_open: bool,
    /// True if a marking that satisfies the goal's predicate was found. Its firing sequence is
    /// reported at most once. Even if the board refuses the report, the goal is not reported as
    /// unreachable.
    pub(crate) is_reported: bool,
}

/// The goals of one search, with the selection of goals to test in each new marking. A goal is
/// identified by its index in [`goals`](Self::goals).
pub(crate) struct SearchWatch {
    /// The goals, in the order of their indices.
    pub(crate) goals: Vec<SearchGoal>,
    /// For each effect class, the indices of the goals to test in a new marking that a firing of
    /// the class reaches. The goals in `broad_goals` are tested in addition.
    by_effect: Vec<Vec<u32>>,
    /// Indices of the goals that many effect classes can help. They are tested in every new marking
    /// while they are open.
    broad_goals: Vec<u32>,
    /// The goals tested when a marking is expanded.
    pub(crate) at_expansion: ExpansionTests,
}

/// The goals that are tested when a marking is expanded, since its enabled transitions are known
/// then.
#[derive(Default)]
pub(crate) struct ExpansionTests {
    /// Indices of the goals whose predicate depends on whether the whole marking is dead, with
    /// their tests.
    deadness: Vec<(u32, Test)>,
    /// For each transition, the index plus 1 of the goal that asks for its enabledness. 0 if there
    /// is no such goal, or if the goal has a test of its own. The entry is also set to 0 some time
    /// after the goal was reached or closed. The list is empty if there are few goals of this form.
    enabled_goal: Vec<u32>,
}

impl SearchWatch {
    /// Creates the tests of the given goals, in this order. The first goal always has a test of its
    /// own, even if other goals of its form are tested at expansion. Best-first search and stubborn
    /// sets need more than the truth value of the first goal.
    pub(crate) fn new(
        net: &Net,
        packing: &Packing,
        goals: &[&(GoalId, MarkingGoal)],
    ) -> SearchWatch {
        let mut watch = SearchWatch {
            goals: Vec::new(),
            by_effect: vec![Vec::new(); net.effect_count()],
            broad_goals: Vec::new(),
            at_expansion: ExpansionTests::default(),
        };
        if enabledness_goals(goals).take(MANY_ENABLEDNESS_GOALS).count() == MANY_ENABLEDNESS_GOALS {
            watch.at_expansion.enabled_goal = vec![0; net.transition_count()];
        }
        let mut lowering_cache = LoweringCache::new(net);
        for (id, goal) in goals {
            let index = watch.goals.len() as u32;
            let mut helpful_classes: Vec<EffectId> = Vec::new();
            let mut needs_deadness = false;
            let packed = match goal {
                MarkingGoal::Reach(Predicate::Enabled(t))
                    if index > 0 && watch.register_enabledness(*t, index) =>
                {
                    // Never tested: read from the list of enabled transitions.
                    PackedGoal::Reach(Predicate::Enabled(*t), Test::Constant(false))
                }
                MarkingGoal::Reach(predicate) => {
                    let atoms = enabledness_as_atoms(predicate, net);
                    needs_deadness = atoms.mentions_deadness();
                    sums_of(&atoms)
                        .iter()
                        .for_each(|sum| lowering_cache.classes_lowering(sum, &mut helpful_classes));
                    let test = Test::new(&atoms, packing);
                    PackedGoal::Reach(atoms, test)
                }
                MarkingGoal::Maximise(sum) => {
                    lowering_cache.classes_lowering(&sum.negated(), &mut helpful_classes);
                    PackedGoal::Maximise(sum.clone(), PackedSum::new(sum, packing), None)
                }
            };
            watch.goals.push(SearchGoal { id: *id, packed, is_open: true, is_reported: false });
            helpful_classes.sort_unstable();
            helpful_classes.dedup();
            if needs_deadness {
                watch.at_expansion.deadness.push((index, Test::Constant(false)));
            } else if helpful_classes.len() > 64
                && helpful_classes.len() > net.effect_count() / BROAD_DIVISOR
            {
                watch.broad_goals.push(index);
            } else {
                helpful_classes.iter().for_each(|class| watch.by_effect[class.index()].push(index));
            }
        }
        watch.at_expansion.recompile(&watch.goals, packing);
        watch
    }

    /// Registers the goal with this index as "t is enabled". Returns false if such goals are not
    /// tested at expansion, or if another goal is registered for `t`.
    fn register_enabledness(&mut self, t: TransitionId, index: u32) -> bool {
        let slot = self.at_expansion.enabled_goal.get_mut(t.index());
        slot.is_some_and(|slot| {
            let is_free = *slot == 0;
            if is_free {
                *slot = index + 1;
            }
            is_free
        })
    }

    /// Compiles the tests again after a change of the layout of packed markings.
    pub(crate) fn recompile(&mut self, packing: &Packing) {
        for goal in &mut self.goals {
            match &mut goal.packed {
                PackedGoal::Reach(Predicate::Enabled(_), _) => {}
                PackedGoal::Reach(atoms, test) => *test = Test::new(atoms, packing),
                PackedGoal::Maximise(sum, packed_sum, _) => {
                    *packed_sum = PackedSum::new(sum, packing)
                }
            }
        }
        self.at_expansion.recompile(&self.goals, packing);
    }

    /// Returns the number of open goals.
    pub(crate) fn count_open(&self) -> usize {
        self.goals.iter().filter(|goal| goal.is_open).count()
    }

    /// Closes the goals that other engines have settled.
    pub(crate) fn drop_settled(&mut self, board: &Board<'_>) {
        for goal in &mut self.goals {
            goal.is_open &= board.is_open(goal.id);
        }
    }

    /// Returns true if some goal may need [`test_at_expansion`](Self::test_at_expansion).
    pub(crate) fn has_tests_at_expansion(&self) -> bool {
        !self.at_expansion.deadness.is_empty() || !self.at_expansion.enabled_goal.is_empty()
    }

    /// Tests all goals in the initial marking, except those tested at expansion. Appends the
    /// indices of the goals reached to `hits`.
    pub(crate) fn test_initial(&mut self, key: &[u64], hits: &mut Vec<u32>) {
        for index in 0..self.goals.len() as u32 {
            if self.at_expansion.deadness.iter().all(|(other, _)| *other != index) {
                self.goals[index as usize].test(index, key, 0, hits);
            }
        }
    }

    /// Tests the new marking `number`, reached by firing a transition of this effect class. Appends
    /// the indices of the goals reached to `hits`.
    pub(crate) fn test_new_marking(
        &mut self,
        class: EffectId,
        key: &[u64],
        number: u32,
        hits: &mut Vec<u32>,
    ) {
        for list in [&mut self.by_effect[class.index()], &mut self.broad_goals] {
            let mut position = 0;
            while let Some(&index) = list.get(position) {
                let goal = &mut self.goals[index as usize];
                if goal.is_open {
                    goal.test(index, key, number, hits);
                    position += 1;
                } else {
                    // A closed goal is never opened again.
                    list.swap_remove(position);
                }
            }
        }
    }

    /// Tests the goals tested at expansion in a marking whose enabled transitions are known.
    /// Appends the indices of the goals reached to `hits`.
    pub(crate) fn test_at_expansion(&mut self, key: &[u64], enabled: &[u32], hits: &mut Vec<u32>) {
        let ExpansionTests { deadness, enabled_goal } = &mut self.at_expansion;
        if !enabled_goal.is_empty() {
            for &t in enabled {
                let index = std::mem::take(&mut enabled_goal[t as usize]);
                if index > 0 {
                    hits.push(index - 1);
                }
            }
        }
        let goals = &self.goals;
        let holds = |(index, test): &(u32, Test)| {
            goals[*index as usize].is_open && test.holds(key, enabled.is_empty())
        };
        let reached = deadness.iter().filter(|goal_and_test| holds(goal_and_test));
        hits.extend(reached.map(|(index, _)| index));
    }

    /// Drops closed goals from the tests at expansion.
    pub(crate) fn forget_closed(&mut self) {
        let ExpansionTests { deadness, enabled_goal } = &mut self.at_expansion;
        let goals = &self.goals;
        let is_open = |index: u32| goals[index as usize].is_open;
        deadness.retain(|(index, _)| is_open(*index));
        let mut closed = enabled_goal.iter_mut().filter(|index| **index > 0);
        closed.by_ref().filter(|index| !is_open(**index - 1)).for_each(|index| *index = 0);
    }
}

impl ExpansionTests {
    /// Like [`SearchWatch::test_at_expansion`], but changes nothing, so that several threads can
    /// call it. Reports goals reached by their index, even if they are closed or were reached
    /// before.
    pub(crate) fn test_all(&self, key: &[u64], enabled: &[u32], mut report_hit: impl FnMut(u32)) {
        if !self.enabled_goal.is_empty() {
            let goals = enabled.iter().map(|&t| self.enabled_goal[t as usize]);
            goals.filter(|&index| index > 0).for_each(|index| report_hit(index - 1));
        }
        let holds = |test: &Test| test.holds(key, enabled.is_empty());
        let reached = self.deadness.iter().filter(|(_, test)| holds(test));
        reached.for_each(|(index, _)| report_hit(*index));
    }

    /// Compiles the tests again for another layout of packed markings.
    fn recompile(&mut self, goals: &[SearchGoal], packing: &Packing) {
        for (index, test) in &mut self.deadness {
            if let PackedGoal::Reach(atoms, _) = &goals[*index as usize].packed {
                *test = Test::new(atoms, packing);
            }
        }
    }
}

/// Returns the transitions whose enabledness is a goal, if there are so many of these goals that
/// they are tested at expansion. The search must list all of them.
pub(crate) fn transitions_tested_at_expansion(
    goals: &[&(GoalId, MarkingGoal)],
) -> Vec<TransitionId> {
    let transitions: Vec<TransitionId> = enabledness_goals(goals).collect();
    if transitions.len() >= MANY_ENABLEDNESS_GOALS { transitions } else { Vec::new() }
}

/// Returns the transitions t with a goal "t is enabled", in the order of the goals.
fn enabledness_goals(goals: &[&(GoalId, MarkingGoal)]) -> impl Iterator<Item = TransitionId> {
    goals.iter().filter_map(|(_, goal)| match goal {
        MarkingGoal::Reach(Predicate::Enabled(t)) => Some(*t),
        _ => None,
    })
}

impl SearchGoal {
    /// Tests the goal in marking `number`. Appends `index` to `hits` if the goal is reached, or
    /// updates the maximum.
    fn test(&mut self, index: u32, key: &[u64], number: u32, hits: &mut Vec<u32>) {
        match &mut self.packed {
            // The test never depends on deadness here.
            PackedGoal::Reach(_, test) if test.holds(key, false) => hits.push(index),
            PackedGoal::Reach(..) => {}
            PackedGoal::Maximise(_, sum, best) => {
                let value = sum.value(key);
                if best.is_none_or(|(best, _)| value > best) {
                    *best = Some((value, number));
                }
            }
        }
    }
}

/// A cache of [`lowering`] for sums of one place. Otherwise thousands of transitions around one
/// place would be read again for each goal about the place.
struct LoweringCache<'n> {
    net: &'n Net,
    /// The effect classes that lower a sum of one term, for the place of the term and true if its
    /// coefficient is positive.
    classes_by_sign: HashMap<(PlaceId, bool), Vec<EffectId>>,
}

impl<'n> LoweringCache<'n> {
    fn new(net: &'n Net) -> Self {
        LoweringCache { net, classes_by_sign: HashMap::new() }
    }

    /// Appends the effect classes whose firing lowers `sum` to `out`.
    fn classes_lowering(&mut self, sum: &LinearSum, out: &mut Vec<EffectId>) {
        match sum.terms() {
            &[(place, coefficient)] => {
                let entry = self.classes_by_sign.entry((place, coefficient > 0));
                out.extend_from_slice(entry.or_insert_with(|| lowering(self.net, sum)));
            }
            _ => out.extend(lowering(self.net, sum)),
        }
    }
}

/// Returns the effect classes whose firing lowers the sum, ascending.
pub(crate) fn lowering(net: &Net, sum: &LinearSum) -> Vec<EffectId> {
    let mut classes: Vec<EffectId> = Vec::new();
    for &(place, _) in sum.terms() {
        let arcs = net.consumers(place).iter().chain(net.producers(place));
        classes.extend(arcs.map(|arc| net.effect_of(arc.transition)));
    }
    classes.sort_unstable();
    classes.dedup();
    classes.retain(|&class| {
        let terms = net.effect(class).iter();
        let change: i128 = terms
            .map(|change| i128::from(sum.coefficient(change.place)) * i128::from(change.delta))
            .sum();
        change < 0
    });
    classes
}
