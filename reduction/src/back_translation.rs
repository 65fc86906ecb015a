//! Back-translation of firing sequences from the reduced net to the original net.
//!
//! Most rules keep firing sequences unchanged: a firing sequence of the net after the rule is one
//! of the net before. Three kinds of rules need a record.
//!
//! * A composed transition *stands for* a sequence of earlier transitions. Sequences refer only to
//!   earlier ids, so they form a shared acyclic graph. Memory is linear in the number of
//!   compositions, however long the expanded sequences are.
//! * A transition fired before everything else is added to the *prefix*.
//! * Fusing places loses the information which of them holds a token. A router tracks the tokens of
//!   the fused places through a sequence. To enable the next firing, it inserts transitions that
//!   move tokens between these places, or chooses an equivalent transition (see `route`).
//!
//! Fusions divide the history into *levels*: level 0 is before the first fusion, level i after the
//! i-th. A transition at level i with an id from before the i-th fusion passes through its router
//! to level i − 1. Any other transition is expanded at its level.
//!
//! A dead marking of the reduced net may correspond to a marking in which postponed transitions are
//! still enabled (pre-agglomeration). [`BackTranslation::deadlock`] fires these transitions last,
//! those of the latest rule first, as long as they are enabled.
//!
//! The repeated part of a lasso in the reduced net may expand to a sequence that does not repeat,
//! because the tokens of fused places end elsewhere. The moves that bring them back appear only in
//! front of the next pass. So [`BackTranslation::pump`] continues until the fused places hold at
//! least what they held after an earlier pass. The part between the two passes repeats. Such passes
//! exist in every infinite run (Dickson, *Amer. J. Math.* 35, 1913). Only the tokens before one
//! pass are stored for comparison: the latest pass whose number is a power of two (Brent, *BIT* 20,
//! 1980).
//!
//! The result can be long: a step of the reduced net with 10⁹ firings may expand to 10⁹ moves back
//! and forth. Hence the budget.

use super::back_error::BackError;
use super::route::Router;
use parikh_evidence::reduction::{ReducedNet, WorkNet};
use parikh_net::{FiringSequence, FiringStep, Marking, Net, PlaceId, TransitionId};
use parikh_solvers::Budget;

/// The firings that one level adds to a sequence: the first firings of the level, and the last
/// firings of a sequence to a dead marking. The levels are the parts into which the fusions of
/// places divide a reduction.
#[derive(Debug, Default)]
struct FusionLevel {
    /// Firings before all other firings of the level, in the order of rule applications.
    prefix: Vec<FiringStep>,
    /// Groups of postponed transitions, in the order of rule applications. In a sequence to a dead
    /// marking, they are fired at the end, as often as possible.
    postponed: Vec<Vec<TransitionId>>,
}

/// The record of a reduction; see the module documentation.
#[derive(Debug)]
pub struct BackTranslation {
    /// Number of transitions of the original net.
    original_transitions: usize,
    /// The composed transitions: entry i has the steps that the transition with the id
    /// `original_transitions + i` stands for.
    compositions: Vec<Box<[FiringStep]>>,
    /// The levels, that is, the parts into which fusions of places divide the reduction. Level 0 is
    /// before the first fusion, and level i begins after fusion i.
    levels: Vec<FusionLevel>,
    /// The routers of the fusions, in the order of rule applications. A router tracks which of the
    /// fused places hold the tokens.
    routers: Vec<Router>,
    /// The id in the working net of each transition of the reduced net.
    final_ids: Vec<TransitionId>,
}

impl BackTranslation {
    /// Limit on the number of steps of a translated sequence. A step takes 16 bytes.
    pub const MAX_STEPS: usize = 1 << 27;

    /// Creates the record of an unchanged net with this many transitions.
    pub(super) fn new(original_transitions: usize) -> BackTranslation {
        BackTranslation {
            original_transitions,
            compositions: Vec::new(),
            levels: vec![FusionLevel::default()],
            routers: Vec::new(),
            final_ids: Vec::new(),
        }
    }

    /// Returns the back-translation of a net to itself.
    pub(super) fn identity(net: &Net) -> BackTranslation {
        BackTranslation {
            final_ids: net.transitions().collect(),
            ..BackTranslation::new(net.transition_count())
        }
    }

    /// Records a firing of the current level. The firing comes after the firings recorded before,
    /// and before all other firings of the level.
    pub(super) fn prefire(&mut self, step: FiringStep) {
        self.current_level().prefix.push(step);
    }

    /// Records transitions that a rule has postponed. In a sequence to a dead marking, they are
    /// fired at the end, as often as possible.
    pub(super) fn fire_last(&mut self, transitions: Vec<TransitionId>) {
        self.current_level().postponed.push(transitions);
    }

    /// Records that a new transition stands for these steps.
    pub(super) fn compose(&mut self, stands_for: &[FiringStep]) {
        self.compositions.push(stands_for.into());
    }

    /// Records that the places of `group` are about to be fused in `net`. The fusion is justified
    /// by `moves`, transitions that move a token between places of the group. If `moves` is empty
    /// and the group has two places p and q, the fusion is justified by twins. Twins are a
    /// transition that consumes one token from p and a transition that consumes one token from q.
    /// Their arcs at other places are equal, and both produce equally many tokens on p and q
    /// together.
    pub(super) fn fuse(&mut self, net: &WorkNet, group: &[PlaceId], moves: &[TransitionId]) {
        self.routers.push(Router::new(net, group, moves));
        self.levels.push(FusionLevel::default());
    }

    /// Records the transition ids of the reduced net.
    pub(super) fn finish(&mut self, reduced: &ReducedNet) {
        self.final_ids = reduced.working_ids.clone();
    }

    fn current_level(&mut self) -> &mut FusionLevel {
        // `new` creates the first level, and no level is ever removed.
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    /// Returns the sequence that a composed transition stands for, or `None` for an original
    /// transition.
    pub(super) fn expansion(&self, t: TransitionId) -> Option<&[FiringStep]> {
        let composition_index = t.index().checked_sub(self.original_transitions)?;
        Some(&self.compositions[composition_index])
    }

    /// Translates a firing sequence of the reduced net to the original net. The final markings of
    /// both sequences agree on the support, that is, on the places whose tokens matter to the
    /// questions.
    ///
    /// # Errors
    /// Returns an error if the result is too long or the budget ends. Also returns an error if
    /// `sequence` names an unknown transition, or takes tokens that a group of fused places does
    /// not have. Whether `sequence` can be fired in the reduced net is not checked otherwise.
    pub fn sequence(
        &self,
        sequence: &FiringSequence,
        budget: &Budget,
    ) -> Result<FiringSequence, BackError> {
        let mut walk = BackTranslator::new(self, budget)?;
        walk.translate(sequence)?;
        Ok(walk.output)
    }

    /// Translates a lasso, as [`sequence`](Self::sequence) translates a finite sequence. Returns
    /// the prefix and the repeated part, which covers one or more passes through `pump`.
    ///
    /// After one pass, the tokens of fused places may be on other places of their group, so that
    /// the pass cannot simply be repeated. Passes are added until each fused place holds at least
    /// as many tokens as at an earlier point: after `prefix` or after an earlier pass. The firings
    /// up to this point belong to the returned prefix. The firings after it are the repeated part.
    ///
    /// # Errors
    /// The errors of [`sequence`](Self::sequence).
    pub fn pump(
        &self,
        prefix: &FiringSequence,
        pump: &FiringSequence,
        budget: &Budget,
    ) -> Result<(FiringSequence, FiringSequence), BackError> {
        let mut walk = BackTranslator::new(self, budget)?;
        walk.translate(prefix)?;
        let mut translated_prefix = std::mem::take(&mut walk.output);
        let mut passes = 1..=1u64;
        loop {
            // The following passes are compared with the tokens at this point.
            let tokens = walk.router_tokens.clone();
            for _ in passes.clone() {
                walk.check_budget()?;
                walk.translate(pump)?;
                if covers(&walk.router_tokens, &tokens) {
                    return Ok((translated_prefix, walk.output));
                }
            }
            passes = 1..=passes.end() * 2;
            translated_prefix.extend(&std::mem::take(&mut walk.output));
            check_length(&translated_prefix)?;
        }
    }

    /// Translates a firing sequence to a dead marking. The result ends in a dead marking of
    /// `original`, the net before the reduction, if `sequence` ends in a dead marking of the
    /// reduced net.
    ///
    /// # Errors
    /// The errors of [`sequence`](Self::sequence). Also returns an error if the translated
    /// sequence cannot be fired in `original`.
    pub fn deadlock(
        &self,
        original: &Net,
        sequence: &FiringSequence,
        budget: &Budget,
    ) -> Result<FiringSequence, BackError> {
        let mut walk = BackTranslator::new(self, budget)?;
        walk.translate(sequence)?;
        let mut marking = original.initial().clone();
        if !replay(original, &mut marking, walk.output.steps()) {
            return Err(BackError::NotEnabled);
        }
        for (level, level_record) in self.levels.iter().enumerate().rev() {
            for transitions in level_record.postponed.iter().rev() {
                while walk.fire_all(level, transitions, original, &mut marking)? {}
            }
        }
        Ok(walk.output)
    }
}

/// Returns true if each fused place holds at least as many tokens in `current` as in `earlier`.
/// Both lists are indexed by router, then by position in the fused group.
fn covers(current: &[Vec<u64>], earlier: &[Vec<u64>]) -> bool {
    let pairs = current.iter().flatten().zip(earlier.iter().flatten());
    pairs.into_iter().all(|(current, earlier)| current >= earlier)
}

/// A translation in progress: the output so far, and the tokens of fused places.
struct BackTranslator<'b> {
    translation: &'b BackTranslation,
    budget: &'b Budget,
    /// The number of steps expanded so far, including steps of failed attempts. The budget is
    /// checked every [`STEPS_PER_CHECK`] steps.
    steps: u64,
    /// The tokens of the fused places, indexed by router, that is, by fusion, then by position in
    /// the fused group.
    router_tokens: Vec<Vec<u64>>,
    /// The firings of the original net so far.
    output: FiringSequence,
}

/// Number of steps between two checks of the budget.
const STEPS_PER_CHECK: u64 = 1 << 12;

impl<'b> BackTranslator<'b> {
    /// Starts a translation with the expanded prefix firings of all levels, in the order of levels.
    fn new(back: &'b BackTranslation, budget: &'b Budget) -> Result<Self, BackError> {
        let routers = back.routers.iter().map(Router::initial).collect();
        let mut walk = BackTranslator {
            translation: back,
            budget,
            steps: 0,
            router_tokens: routers,
            output: FiringSequence::new(),
        };
        for (level, level_record) in back.levels.iter().enumerate() {
            level_record.prefix.iter().try_for_each(|&step| walk.expand(level, step))?;
        }
        Ok(walk)
    }

    /// Appends the translation of a sequence of the reduced net.
    fn translate(&mut self, sequence: &FiringSequence) -> Result<(), BackError> {
        let level = self.translation.levels.len() - 1;
        for step in sequence.steps() {
            let working_id = self.translation.final_ids.get(step.transition.index());
            let transition = *working_id.ok_or(BackError::NotEnabled)?;
            self.expand(level, FiringStep { transition, count: step.count })?;
        }
        Ok(())
    }

    /// Fires each of `transitions` of the working net at `level` as often as possible in `marking`.
    /// The count is doubled while firing succeeds and halved afterwards, so 10⁹ firings of one
    /// transition take few attempts. Returns true if any transition fired.
    fn fire_all(
        &mut self,
        level: usize,
        transitions: &[TransitionId],
        original: &Net,
        marking: &mut Marking,
    ) -> Result<bool, BackError> {
        let mut any_fired = false;
        for &transition in transitions {
            let (mut count, mut is_doubling) = (1u64, true);
            while count > 0 {
                let is_fired =
                    self.try_to_fire(level, FiringStep { transition, count }, original, marking)?;
                any_fired |= is_fired;
                is_doubling &= is_fired;
                count = if is_doubling { count.saturating_mul(2) } else { count / 2 };
            }
        }
        Ok(any_fired)
    }

    /// Appends the expansion of `step`, a transition of the working net at `level`, if it can fire
    /// in `marking`, and updates `marking`. Returns true if it fired. Returns false if it cannot
    /// fire, or if the expansion of several firings is too long.
    fn try_to_fire(
        &mut self,
        level: usize,
        step: FiringStep,
        original: &Net,
        marking: &mut Marking,
    ) -> Result<bool, BackError> {
        // Transitions at a level pass only through the routers of fusions up to this level.
        let routers = self.router_tokens[..level].to_vec();
        let mut trial =
            BackTranslator { router_tokens: routers, output: FiringSequence::new(), ..*self };
        let expansion = trial.expand(level, step);
        self.steps = trial.steps;
        match expansion {
            // Most attempts fail at their first firing, so this test avoids copying the marking.
            Ok(()) if is_first_enabled(original, marking, trial.output.steps()) => {
                let mut next_marking = marking.clone();
                if !replay(original, &mut next_marking, trial.output.steps()) {
                    return Ok(false);
                }
                *marking = next_marking;
                self.router_tokens[..level].clone_from_slice(&trial.router_tokens);
                self.output.extend(&trial.output);
                check_length(&self.output)?;
                Ok(true)
            }
            Ok(()) | Err(BackError::NotEnabled) => Ok(false),
            // The expansion of fewer firings may be short enough, so the caller tries a smaller
            // count.
            Err(BackError::TooLong(_)) if step.count > 1 => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns an error if the budget is exhausted.
    fn check_budget(&self) -> Result<(), BackError> {
        self.budget.exhausted().map_or(Ok(()), |reason| Err(BackError::OutOfBudget(reason)))
    }

    /// Appends the expansion of `step`, a transition of the working net at `level`.
    fn expand(&mut self, level: usize, step: FiringStep) -> Result<(), BackError> {
        // Each entry has the level at which its step is still to be expanded. So one stack serves
        // all levels.
        let mut stack = vec![(level, step)];
        let mut expanded = Vec::new();
        while let Some((level, step)) = stack.pop() {
            self.steps += 1;
            if self.steps.is_multiple_of(STEPS_PER_CHECK) {
                self.check_budget()?;
            }
            let t = step.transition;
            let first_new_id = match level {
                0 => self.translation.original_transitions,
                _ => self.translation.routers[level - 1].watermark(),
            };
            if t.index() >= first_new_id {
                // The watermark of a router is the first transition id created after its fusion.
                // Only composed transitions are created during a reduction.
                let stands_for = self.translation.expansion(t).ok_or(BackError::NotEnabled)?;
                push_parts(&mut expanded, step, stands_for);
                stack.extend(expanded.drain(..).map(|expanded_step| (level, expanded_step)));
            } else if level == 0 {
                self.output.push(t, step.count);
                check_length(&self.output)?;
            } else {
                let router = &self.translation.routers[level - 1];
                let tokens = &mut self.router_tokens[level - 1];
                // The steps are pushed in reverse order, so the first step is on top of the stack.
                if let Some(remaining_step) =
                    router.route(tokens, step, &mut expanded, self.budget)?
                {
                    stack.push((level, remaining_step));
                }
                stack.extend(
                    expanded.drain(..).rev().map(|expanded_step| (level - 1, expanded_step)),
                );
            }
        }
        Ok(())
    }
}

/// Pushes the expansion of `step` onto a stack, with the first step on top. If the expansion has
/// several steps, it is pushed once. Below it, `step` is pushed with a count reduced by 1, to be
/// expanded later.
fn push_parts(stack: &mut Vec<FiringStep>, step: FiringStep, expansion: &[FiringStep]) {
    if let &[FiringStep { transition, count }] = expansion
        && let Some(count) = count.checked_mul(step.count)
    {
        stack.push(FiringStep { transition, count });
        return;
    }
    if step.count > 1 {
        stack.push(FiringStep { count: step.count - 1, ..step });
    }
    stack.extend(expansion.iter().rev());
}

/// Returns an error if the sequence has too many steps.
fn check_length(sequence: &FiringSequence) -> Result<(), BackError> {
    if sequence.steps().len() <= BackTranslation::MAX_STEPS {
        Ok(())
    } else {
        Err(BackError::TooLong(BackTranslation::MAX_STEPS))
    }
}

/// Returns true if the first of `steps` is enabled once, or if there are no steps.
fn is_first_enabled(net: &Net, marking: &Marking, steps: &[FiringStep]) -> bool {
    steps.first().is_none_or(|step| net.is_enabled(marking, step.transition))
}

/// Fires `steps` in `marking`. Returns false if a step is not enabled or a place would hold too
/// many tokens. `marking` then has no meaning, since a part of `steps` has changed it.
fn replay(net: &Net, marking: &mut Marking, steps: &[FiringStep]) -> bool {
    for step in steps.iter().filter(|step| step.count > 0) {
        let t = step.transition;
        let repetitions = i128::from(step.count) - 1;
        for arc in net.pre(t) {
            let change = i128::from(net.post_weight(t, arc.place)) - i128::from(arc.weight);
            let tokens = i128::from(marking[arc.place]);
            if tokens.min(tokens + repetitions * change) < i128::from(arc.weight) {
                return false;
            }
        }
        for change in net.delta(t) {
            let next_tokens = i128::from(marking[change.place])
                + i128::from(step.count) * i128::from(change.delta);
            match u64::try_from(next_tokens) {
                Ok(tokens) if tokens <= Marking::MAX_TOKENS => marking[change.place] = tokens,
                _ => return false,
            }
        }
    }
    true
}
