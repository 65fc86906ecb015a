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

use super::route::Router;
use super::work::WorkNet;
use crate::net::{FiringSequence, Marking, Net, PlaceId, Step, TransitionId};

pub use super::route::Routing;

/// Why a sequence has no translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackError {
    /// Written out it has more steps than the limit.
    #[error("the sequence of the original net has more than {0} steps")]
    TooLong(usize),
    /// A firing is not possible; the sequence is not one of the reduced net, or a rule is wrong.
    #[error("the sequence is not one of the reduced net")]
    NotEnabled,
    /// However often it is gone through, some fused place holds less than it did.
    #[error("the repeated part does not come back to where it began")]
    NotRepeating,
}

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

    /// How often a part that repeats is gone through until it does so in the original net.
    pub const MOST_TURNS: usize = 256;

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

    /// The next transition id stands for `sequence`.
    pub(super) fn compose(&mut self, sequence: Vec<Step>) {
        self.compositions.push(sequence.into_boxed_slice());
    }

    pub(super) fn prefire(&mut self, step: Step) {
        self.level().prefix.push(step);
    }

    pub(super) fn fire_last(&mut self, transitions: Vec<TransitionId>) {
        self.level().fire_last.push(transitions);
    }

    /// The places of `group` are about to be fused in `net`.
    pub(super) fn fuse(&mut self, net: &WorkNet, group: &[PlaceId], routing: Routing) {
        self.routers.push(Router::new(net, group, routing));
        self.levels.push(Level::default());
    }

    pub(super) fn finish(&mut self, final_ids: Vec<TransitionId>) {
        self.final_ids = final_ids;
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
    /// When it is too long, or `sequence` is not one of the reduced net.
    pub fn sequence(&self, sequence: &FiringSequence) -> Result<FiringSequence, BackError> {
        let mut walk = Walk::new(self)?;
        walk.reduced(sequence)?;
        Ok(walk.out)
    }

    /// Like [`sequence`](Self::sequence) for a sequence that goes on for ever from some point: the
    /// prefix and the part that repeats.
    ///
    /// The tokens of fused places may stand elsewhere after `pump` than before, so that it is not yet
    /// what repeats. It is gone through until each of them holds what it held after some earlier
    /// time: what came by then is part of the prefix, the rest repeats.
    ///
    /// # Errors
    /// As there; [`BackError::NotRepeating`] when the tokens do not come back within
    /// [`MOST_TURNS`](Self::MOST_TURNS) times.
    pub fn pump(
        &self,
        prefix: &FiringSequence,
        pump: &FiringSequence,
    ) -> Result<(FiringSequence, FiringSequence), BackError> {
        let mut walk = Walk::new(self)?;
        walk.reduced(prefix)?;
        let mut before = std::mem::take(&mut walk.out);
        let mut turns: Vec<FiringSequence> = Vec::new();
        let mut seen = vec![walk.routers.clone()];
        let mut steps = 0;
        while turns.len() < Self::MOST_TURNS && steps <= Self::LONGEST {
            walk.reduced(pump)?;
            steps += walk.out.steps().len();
            turns.push(std::mem::take(&mut walk.out));
            if let Some(start) = seen.iter().position(|held| holds_again(held, &walk.routers)) {
                turns[..start].iter().for_each(|turn| before.extend(turn));
                let mut repeats = FiringSequence::new();
                turns[start..].iter().for_each(|turn| repeats.extend(turn));
                return Ok((before, repeats));
            }
            seen.push(walk.routers.clone());
        }
        Err(BackError::NotRepeating)
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
    ) -> Result<FiringSequence, BackError> {
        let mut walk = Walk::new(self)?;
        walk.reduced(sequence)?;
        let mut marking = original.initial().clone();
        if !replay(original, &mut marking, walk.out.steps()) {
            return Err(BackError::NotEnabled);
        }
        for (level, postponed) in self.levels.iter().enumerate().rev() {
            for transitions in postponed.fire_last.iter().rev() {
                while let Some(t) = self.fires_at(&walk, original, &marking, level, transitions)? {
                    let done = walk.out.steps().len().saturating_sub(1);
                    let last = walk.out.steps().last().map_or(0, |step| step.count);
                    walk.fire(level, Step { transition: t, count: 1 })?;
                    // The first new firings may have joined the last step.
                    let mut new = walk.out.steps()[done..].to_vec();
                    if let Some(first) = new.first_mut() {
                        first.count -= last;
                    }
                    if !replay(original, &mut marking, &new) {
                        return Err(BackError::NotEnabled);
                    }
                }
            }
        }
        Ok(walk.out)
    }

    /// One of `transitions` that can fire at the end of `walk`.
    fn fires_at(
        &self,
        walk: &Walk<'_>,
        original: &Net,
        marking: &Marking,
        level: usize,
        transitions: &[TransitionId],
    ) -> Result<Option<TransitionId>, BackError> {
        for &t in transitions {
            let mut trial =
                Walk { back: self, routers: walk.routers.clone(), out: FiringSequence::new() };
            match trial.fire(level, Step { transition: t, count: 1 }) {
                // Most fail at their first firing: no need to copy the marking for that.
                Ok(()) if starts(original, marking, trial.out.steps()) => {
                    if replay(original, &mut marking.clone(), trial.out.steps()) {
                        return Ok(Some(t));
                    }
                }
                Ok(()) | Err(BackError::NotEnabled) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }
}

/// Whether no fused place holds less than it did.
fn holds_again(then: &[Vec<u64>], now: &[Vec<u64>]) -> bool {
    then.iter().flatten().zip(now.iter().flatten()).all(|(then, now)| now >= then)
}

/// A translation under way: what was written so far, and where the fused tokens are.
struct Walk<'b> {
    back: &'b Back,
    /// Tokens of the fused places, one entry per router.
    routers: Vec<Vec<u64>>,
    out: FiringSequence,
}

impl<'b> Walk<'b> {
    /// After the prefixes of all levels, the earliest first.
    fn new(back: &'b Back) -> Result<Self, BackError> {
        let routers = back.routers.iter().map(Router::initial).collect();
        let mut walk = Walk { back, routers, out: FiringSequence::new() };
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

    /// Writes out `step`, a transition of the working net at `level`.
    fn fire(&mut self, level: usize, step: Step) -> Result<(), BackError> {
        // One stack per level would do for the parts; a pair of level and step is one stack.
        let mut open = vec![(level, step)];
        let mut parts = Vec::new();
        while let Some((level, step)) = open.pop() {
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
                if let Some(rest) = router.route(tokens, step, &mut parts)? {
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
