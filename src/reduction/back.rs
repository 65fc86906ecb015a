//! The way back: firing sequences of the reduced net become firing sequences of the original.
//!
//! Most rules leave firing sequences alone: what fires in the reduced net fires, in the same order,
//! in the net before. Three things are recorded for those that do not.
//!
//! * A composed transition *stands for* a sequence of transitions that existed before it. Sequences
//!   refer to earlier ids only, so they form a shared acyclic graph: memory is linear in the number
//!   of compositions, however long the sequences are when written out.
//! * A transition fired before everything else goes to the *prefix*.
//! * Fusing places forgets on which of them a token is. A router keeps
//!   the tokens of the fused places while it goes through a sequence, and inserts the moves, or
//!   chooses the twin, that makes the next firing possible.
//!
//! Fusions cut the history into *levels*: level 0 is before the first fusion, level i after the
//! i-th. A transition at level i with an id from before the i-th fusion goes through its router to
//! level i − 1; any other is written out where it is.
//!
//! A dead marking of the reduced net may come from one in which postponed transitions are still
//! enabled (pre-agglomeration): [`Back::deadlock`] fires these last, latest rule first, as long as
//! they are enabled.
//!
//! What repeats for ever in the reduced net need not do so as it is first written out: the tokens
//! of fused places are elsewhere after it, and the moves that bring them back are written in front
//! of the next pass only. So [`Back::pump`] goes on until the fused places hold what they held
//! after an earlier pass, or more; what was written between the two is what repeats. There are two
//! such passes in every infinite run (Dickson, *Amer. J. Math.* 35, 1913). One pass at a time is
//! kept to compare with, the latest whose number is a power of two (Brent, *BIT* 20, 1980).
//!
//! All of this can be long: a step of the reduced net that fires 10⁹ times may stand for 10⁹ moves
//! to and fro. Hence the budget.

use super::back_error::BackError;
use super::route::Router;
use crate::solvers::Budget;
use parikh_evidence::reduction::{ReducedNet, WorkNet};
use parikh_net::{FiringSequence, Marking, Net, PlaceId, Step, TransitionId};

/// Prefix firings and postponed transitions of one level.
#[derive(Debug, Default)]
struct Level {
    prefix: Vec<Step>,
    /// Each entry as one rule recorded it.
    fire_last: Vec<Vec<TransitionId>>,
}

/// The record of a reduction. See the module.
#[derive(Debug)]
pub struct Back {
    original_transitions: usize,
    /// What transition `original_transitions + i` stands for.
    compositions: Vec<Box<[Step]>>,
    /// One more than there are routers.
    levels: Vec<Level>,
    routers: Vec<Router>,
    /// The id in the working net of each transition of the reduced net.
    final_ids: Vec<TransitionId>,
}

impl Back {
    /// The most steps of a translated sequence: 16 bytes each.
    pub const LONGEST: usize = 1 << 27;

    /// Nothing done yet to a net of so many transitions.
    pub(super) fn new(original_transitions: usize) -> Back {
        Back {
            original_transitions,
            compositions: Vec::new(),
            levels: vec![Level::default()],
            routers: Vec::new(),
            final_ids: Vec::new(),
        }
    }

    /// The way back from a net to itself.
    pub(super) fn of_nothing(net: &Net) -> Back {
        Back { final_ids: net.transitions().collect(), ..Back::new(net.transition_count()) }
    }

    pub(super) fn prefire(&mut self, step: Step) {
        self.level().prefix.push(step);
    }

    pub(super) fn fire_last(&mut self, transitions: Vec<TransitionId>) {
        self.level().fire_last.push(transitions);
    }

    /// A new transition stands for these.
    pub(super) fn compose(&mut self, stands_for: &[Step]) {
        self.compositions.push(stands_for.into());
    }

    /// The places of `group` are about to be fused in `net`, because of these moves between them;
    /// without any, because transitions have twins.
    pub(super) fn fuse(&mut self, net: &WorkNet, group: &[PlaceId], moves: &[TransitionId]) {
        self.routers.push(Router::new(net, group, moves));
        self.levels.push(Level::default());
    }

    /// What came out of it.
    pub(super) fn finish(&mut self, reduced: &ReducedNet) {
        self.final_ids = reduced.final_ids.clone();
    }

    fn level(&mut self) -> &mut Level {
        // `new` makes the first level and nothing removes one.
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    /// What a transition of the working net stands for; itself when it is an original one.
    pub(super) fn stands_for(&self, t: TransitionId) -> Option<&[Step]> {
        let at = t.index().checked_sub(self.original_transitions)?;
        Some(&self.compositions[at])
    }

    /// The original transitions that a transition of the reduced net stands for, in order.
    ///
    /// # Errors
    /// When there are too many.
    pub fn expand(&self, reduced: TransitionId) -> Result<FiringSequence, BackError> {
        let mut out = FiringSequence::new();
        let mut open = vec![Step { transition: self.final_ids[reduced.index()], count: 1 }];
        while let Some(step) = open.pop() {
            match self.stands_for(step.transition) {
                None => out.push(step.transition, step.count),
                Some(parts) => push_parts(&mut open, step, parts),
            }
            within(&out)?;
        }
        Ok(out)
    }

    /// The sequence of the original net that `sequence` of the reduced net stands for. They end in
    /// markings that agree on the support.
    ///
    /// # Errors
    /// When it is too long, the budget ends, or `sequence` is not one of the reduced net.
    pub fn sequence(
        &self,
        sequence: &FiringSequence,
        budget: &Budget,
    ) -> Result<FiringSequence, BackError> {
        let mut walk = Walk::new(self, budget)?;
        walk.reduced(sequence)?;
        Ok(walk.out)
    }

    /// Like [`sequence`](Self::sequence) for a sequence that goes on for ever from some point: the
    /// prefix and the part that repeats, which stands for one or more passes through `pump`.
    ///
    /// The tokens of fused places may stand elsewhere after `pump` than before, so that it is not
    /// yet what repeats. It is gone through until each of them holds at least what it held after
    /// some earlier time: what came by then is part of the prefix, the rest repeats.
    ///
    /// # Errors
    /// As there.
    pub fn pump(
        &self,
        prefix: &FiringSequence,
        pump: &FiringSequence,
        budget: &Budget,
    ) -> Result<(FiringSequence, FiringSequence), BackError> {
        let mut walk = Walk::new(self, budget)?;
        walk.reduced(prefix)?;
        let mut before = std::mem::take(&mut walk.out);
        let mut passes = 1..=1u64;
        loop {
            // The pass to compare with ends here.
            let tokens = walk.routers.clone();
            for _ in passes.clone() {
                walk.ask()?;
                walk.reduced(pump)?;
                if covers(&walk.routers, &tokens) {
                    return Ok((before, walk.out));
                }
            }
            passes = 1..=passes.end() * 2;
            before.extend(&std::mem::take(&mut walk.out));
            within(&before)?;
        }
    }

    /// Like [`sequence`](Self::sequence) for a sequence to a dead marking: ends in a dead marking
    /// of `original`, the net that was reduced.
    ///
    /// # Errors
    /// As there.
    pub fn deadlock(
        &self,
        original: &Net,
        sequence: &FiringSequence,
        budget: &Budget,
    ) -> Result<FiringSequence, BackError> {
        let mut walk = Walk::new(self, budget)?;
        walk.reduced(sequence)?;
        let mut marking = original.initial().clone();
        if !replay(original, &mut marking, walk.out.steps()) {
            return Err(BackError::NotEnabled);
        }
        for (level, postponed) in self.levels.iter().enumerate().rev() {
            for transitions in postponed.fire_last.iter().rev() {
                while walk.fire_all(level, transitions, original, &mut marking)? {}
            }
        }
        Ok(walk.out)
    }
}

/// Whether each router holds at least as many tokens at each place.
fn covers(now: &[Vec<u64>], before: &[Vec<u64>]) -> bool {
    let pairs = now.iter().flatten().zip(before.iter().flatten());
    pairs.into_iter().all(|(now, before)| now >= before)
}

/// A translation under way: what was written so far, and where the fused tokens are.
struct Walk<'b> {
    back: &'b Back,
    budget: &'b Budget,
    /// Steps taken, written or not: the budget is asked once in [`PATIENCE`] of them.
    steps: u64,
    /// Tokens of the fused places, one entry per router.
    routers: Vec<Vec<u64>>,
    out: FiringSequence,
}

/// How many steps are taken between two looks at the budget.
const PATIENCE: u64 = 1 << 12;

impl<'b> Walk<'b> {
    /// After the prefixes of all levels, the earliest first.
    fn new(back: &'b Back, budget: &'b Budget) -> Result<Self, BackError> {
        let routers = back.routers.iter().map(Router::initial).collect();
        let mut walk = Walk { back, budget, steps: 0, routers, out: FiringSequence::new() };
        for (level, part) in back.levels.iter().enumerate() {
            part.prefix.iter().try_for_each(|&step| walk.fire(level, step))?;
        }
        Ok(walk)
    }

    fn reduced(&mut self, sequence: &FiringSequence) -> Result<(), BackError> {
        let level = self.back.levels.len() - 1;
        for step in sequence.steps() {
            let known = self.back.final_ids.get(step.transition.index());
            let transition = *known.ok_or(BackError::NotEnabled)?;
            self.fire(level, Step { transition, count: step.count })?;
        }
        Ok(())
    }

    /// Fires each of `transitions` of the working net at `level` as often as it can fire in
    /// `marking`, by which it was doubled first: a step for 10⁹ firings where it is one transition.
    /// Whether any fired.
    fn fire_all(
        &mut self,
        level: usize,
        transitions: &[TransitionId],
        original: &Net,
        marking: &mut Marking,
    ) -> Result<bool, BackError> {
        let mut fired = false;
        for &transition in transitions {
            let (mut count, mut rises) = (1u64, true);
            while count > 0 {
                let fires =
                    self.try_to_fire(level, Step { transition, count }, original, marking)?;
                fired |= fires;
                rises &= fires;
                count = if rises { count.saturating_mul(2) } else { count / 2 };
            }
        }
        Ok(fired)
    }

    /// Writes out `step`, a transition of the working net at `level`, if it can fire in `marking`,
    /// which becomes the marking after it.
    fn try_to_fire(
        &mut self,
        level: usize,
        step: Step,
        original: &Net,
        marking: &mut Marking,
    ) -> Result<bool, BackError> {
        // Firing at a level asks the routers below it only.
        let routers = self.routers[..level].to_vec();
        let mut trial = Walk { routers, out: FiringSequence::new(), ..*self };
        let written = trial.fire(level, step);
        self.steps = trial.steps;
        match written {
            // Most fail at their first firing: no need to copy the marking for that.
            Ok(()) if starts(original, marking, trial.out.steps()) => {
                let mut after = marking.clone();
                if !replay(original, &mut after, trial.out.steps()) {
                    return Ok(false);
                }
                *marking = after;
                self.routers[..level].clone_from_slice(&trial.routers);
                self.out.extend(&trial.out);
                within(&self.out)?;
                Ok(true)
            }
            Ok(()) | Err(BackError::NotEnabled) => Ok(false),
            // Fewer firings may do.
            Err(BackError::TooLong(_)) if step.count > 1 => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Looks at the budget.
    fn ask(&self) -> Result<(), BackError> {
        self.budget.exhausted().map_or(Ok(()), |why| Err(BackError::OutOfBudget(why)))
    }

    /// Writes out `step`, a transition of the working net at `level`.
    fn fire(&mut self, level: usize, step: Step) -> Result<(), BackError> {
        // One stack per level would do for the parts; a pair of level and step is one stack.
        let mut open = vec![(level, step)];
        let mut parts = Vec::new();
        while let Some((level, step)) = open.pop() {
            self.steps += 1;
            if self.steps.is_multiple_of(PATIENCE) {
                self.ask()?;
            }
            let t = step.transition;
            let oldest_here = match level {
                0 => self.back.original_transitions,
                _ => self.back.routers[level - 1].watermark(),
            };
            if t.index() >= oldest_here {
                // Only composed transitions are at or above a watermark.
                let stands_for = self.back.stands_for(t).ok_or(BackError::NotEnabled)?;
                push_parts(&mut parts, step, stands_for);
                open.extend(parts.drain(..).map(|part| (level, part)));
            } else if level == 0 {
                self.out.push(t, step.count);
                within(&self.out)?;
            } else {
                let router = &self.back.routers[level - 1];
                let tokens = &mut self.routers[level - 1];
                // A stack: what comes first goes on top.
                if let Some(rest) = router.route(tokens, step, &mut parts, self.budget)? {
                    open.push((level, rest));
                }
                open.extend(parts.drain(..).rev().map(|part| (level - 1, part)));
            }
        }
        Ok(())
    }
}

/// Pushes `step` written out onto a stack, first part on top.
fn push_parts(open: &mut Vec<Step>, step: Step, parts: &[Step]) {
    if let &[Step { transition, count }] = parts
        && let Some(count) = count.checked_mul(step.count)
    {
        open.push(Step { transition, count });
        return;
    }
    if step.count > 1 {
        open.push(Step { count: step.count - 1, ..step });
    }
    open.extend(parts.iter().rev());
}

fn within(out: &FiringSequence) -> Result<(), BackError> {
    if out.steps().len() <= Back::LONGEST { Ok(()) } else { Err(BackError::TooLong(Back::LONGEST)) }
}

/// Whether the first of `steps` is enabled.
fn starts(net: &Net, marking: &Marking, steps: &[Step]) -> bool {
    steps.first().is_none_or(|step| net.is_enabled(marking, step.transition))
}

/// Fires `steps` in `marking`; false when it is not possible.
fn replay(net: &Net, marking: &mut Marking, steps: &[Step]) -> bool {
    for step in steps.iter().filter(|step| step.count > 0) {
        let t = step.transition;
        let again = i128::from(step.count) - 1;
        for arc in net.pre(t) {
            let change = i128::from(net.post_weight(t, arc.place)) - i128::from(arc.weight);
            let tokens = i128::from(marking[arc.place]);
            if tokens.min(tokens + again * change) < i128::from(arc.weight) {
                return false;
            }
        }
        for change in net.delta(t) {
            let after = i128::from(marking[change.place])
                + i128::from(step.count) * i128::from(change.delta);
            match u64::try_from(after) {
                Ok(tokens) if tokens <= Marking::MAX_TOKENS => marking[change.place] = tokens,
                _ => return false,
            }
        }
    }
    true
}
