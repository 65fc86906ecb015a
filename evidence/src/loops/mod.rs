//! The replayer of accelerated sequences ([`LoopRun`]), which may have more than 10³⁰⁰ firings.
//!
//! A run consists of *blocks*. Each block is a list of transitions and earlier blocks, with numbers
//! of repetitions. For every block, the replayer computes once two numbers per place. The *need* is
//! the least number of tokens with which the whole block is enabled. The *change* is the difference
//! that the block makes. The sequence a then b needs max(need a, need b − change a), and the
//! changes add up. Each place changes by the same amount in each round. So a block n times in a row
//! is enabled if and only if it is enabled in its first and in its last round. So it needs
//! max(need, need − (n−1)·change). Later blocks contain earlier ones, so the cost is one sum per
//! element of the run. Numbers have unlimited size.
//!
//! Then the replayer goes through the run from the initial marking. At the first occurrence of a
//! block, it fires the elements of the first round one by one. It applies all other rounds and
//! later occurrences as one sum. So it visits the markings of first rounds only.

mod marking;

pub use marking::{LargeMarking, holds, value};

use num_bigint::{BigInt, BigUint};
use parikh_net::loops::{LoopElement, LoopPosition, LoopRun, RepeatedElement};
use parikh_net::printable::Quoted;
use parikh_net::{Net, PlaceId, TransitionId};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// The maximum number of stored 64-bit words: half a gigabyte.
const MAX_WORDS: usize = 1 << 26;

/// The reason that an accelerated sequence does not replay.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoopReplayError {
    /// A transition of the run is not a transition of the net.
    #[error("block {block}: the net has no transition {transition:?}")]
    NoSuchTransition {
        /// The index of the block in the run, from 0.
        block: usize,
        /// The id in the run.
        transition: TransitionId,
    },
    /// A place holds too few tokens for the repetitions of an element.
    #[error("block {block}, turn {turn}: place {} lacks tokens", Quoted(.place))]
    NotEnabled {
        /// The index of the block in the run, from 0.
        block: usize,
        /// The number of the element in the block, from 1.
        turn: usize,
        /// The place's name.
        place: String,
    },
    /// The numbers of the blocks need too much memory, or too much time to multiply.
    #[error("the blocks of the run need more than {MAX_WORDS} numbers of 64 bits")]
    TooLarge,
    /// `go_on` returned false before the end.
    #[error("the check did not finish in time")]
    Stopped,
}

/// The need and the change of a sequence of firings, by place. A place without an entry has the
/// value 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Effect {
    /// The least number of tokens with which the sequence is enabled.
    required_tokens: BTreeMap<PlaceId, BigInt>,
    /// The change of the tokens by the sequence.
    change: BTreeMap<PlaceId, BigInt>,
}

impl Effect {
    /// Returns the effect of one firing of `t`.
    fn of_transition(net: &Net, t: TransitionId) -> Effect {
        let mut effect = Effect::default();
        for arc in net.pre(t) {
            effect.required_tokens.insert(arc.place, arc.weight.into());
            *effect.change.entry(arc.place).or_default() -= arc.weight;
        }
        for arc in net.post(t) {
            *effect.change.entry(arc.place).or_default() += arc.weight;
        }
        effect
    }

    /// Returns the effect of `times` repetitions, at least one.
    fn repeated(mut self, times: &BigUint) -> Effect {
        let times = BigInt::from(times.clone());
        let other_rounds = &times - 1;
        for (place, need) in &mut self.required_tokens {
            if let Some(change) = self.change.get(place).filter(|change| **change < BigInt::ZERO) {
                *need -= &other_rounds * change;
            }
        }
        self.change.values_mut().for_each(|change| *change *= &times);
        self
    }

    /// Appends the effect of a sequence that follows.
    fn append(&mut self, next: &Effect) {
        for (place, need) in &next.required_tokens {
            let missing = match self.change.get(place) {
                Some(change) => need - change,
                None => need.clone(),
            };
            let need_so_far = self.required_tokens.entry(*place).or_default();
            if missing > *need_so_far {
                *need_so_far = missing;
            }
        }
        for (place, change) in &next.change {
            *self.change.entry(*place).or_default() += change;
        }
    }
}

/// The state of the replay.
struct LoopReplay<'a> {
    /// The net on which the run is replayed.
    net: &'a Net,
    /// The run.
    run: &'a LoopRun,
    /// The effect of each block, by index.
    effects: Vec<Rc<Effect>>,
    /// The effects of elements with their repetitions, cached because most elements occur
    /// repeatedly.
    element_effects: HashMap<&'a RepeatedElement, Rc<Effect>>,
    /// The number of 64-bit words of the stored effects, where a place with its number counts as
    /// two or more. Products of large numbers add to it, because they take time.
    stored_words: usize,
    /// One flag per block: true if the replay has entered it from another block.
    is_entered: Vec<bool>,
    /// The current marking.
    marking: LargeMarking,
}

/// A callback that gets a marking, the places that may have changed since the last call, and the
/// position in the run. The position is just after the element that led to the marking.
pub type MarkingInspector<'l> =
    dyn FnMut(&LargeMarking, &mut dyn Iterator<Item = PlaceId>, &LoopPosition) + 'l;

/// Fires `run` from the initial marking. Calls `inspect` with the marking after each element of the
/// run and of the first rounds of its blocks. Returns the last marking.
///
/// # Errors
/// The first element that is not enabled for all its repetitions; a transition that the net does
/// not have; [`LoopReplayError::TooLarge`]; [`LoopReplayError::Stopped`] when `go_on` returns
/// false.
pub fn replay_loops(
    net: &Net,
    run: &LoopRun,
    inspect: &mut MarkingInspector<'_>,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<LargeMarking, LoopReplayError> {
    let mut replay = LoopReplay {
        net,
        run,
        effects: Vec::with_capacity(run.blocks().len()),
        element_effects: HashMap::new(),
        stored_words: 0,
        is_entered: vec![false; run.blocks().len()],
        marking: LargeMarking::of(net.initial()),
    };
    for (block, elements) in run.blocks().iter().enumerate() {
        let mut effect = Effect::default();
        for repeated in elements {
            if !go_on() {
                return Err(LoopReplayError::Stopped);
            }
            effect.append(&*replay.element_effect(block, repeated)?);
        }
        replay.count_words(&effect)?;
        replay.effects.push(Rc::new(effect));
    }
    replay.replay_blocks(inspect, go_on)?;
    Ok(replay.marking)
}

impl<'a> LoopReplay<'a> {
    /// Returns the effect of an element of a block with its repetitions, from the cache if it is
    /// known.
    fn element_effect(
        &mut self,
        block: usize,
        repeated: &'a RepeatedElement,
    ) -> Result<Rc<Effect>, LoopReplayError> {
        if let Some(known) = self.element_effects.get(repeated) {
            return Ok(known.clone());
        }
        let effect = self.repeated_effect(block, repeated.element, &repeated.times)?;
        if repeated.times != BigUint::from(1u8) || matches!(repeated.element, LoopElement::Fire(_))
        {
            // A product takes longer than a sum, in proportion to the length of the number of
            // repetitions.
            self.stored_words +=
                self.count_words(&effect)? / 64 * (repeated.times.bits() as usize / 64);
        }
        self.element_effects.insert(repeated, effect.clone());
        Ok(effect)
    }

    /// Adds the number of 64-bit words of an effect to `stored_words`, and returns that number.
    /// Returns an error if the total exceeds [`MAX_WORDS`].
    fn count_words(&mut self, effect: &Effect) -> Result<usize, LoopReplayError> {
        let numbers = effect.required_tokens.values().chain(effect.change.values());
        let size = numbers.map(|number| 2 + number.bits() as usize / 64).sum::<usize>();
        self.stored_words += size;
        if self.stored_words > MAX_WORDS { Err(LoopReplayError::TooLarge) } else { Ok(size) }
    }

    /// Returns the effect of `times` repetitions of the transition or block `element`. `block` is
    /// the block around it, for error messages.
    fn repeated_effect(
        &self,
        block: usize,
        element: LoopElement,
        times: &BigUint,
    ) -> Result<Rc<Effect>, LoopReplayError> {
        let once = match element {
            LoopElement::Fire(transition) if transition.index() >= self.net.transition_count() => {
                return Err(LoopReplayError::NoSuchTransition { block, transition });
            }
            LoopElement::Fire(t) => Rc::new(Effect::of_transition(self.net, t)),
            LoopElement::Block(block) => self.effects[block].clone(),
        };
        Ok(match *times == BigUint::from(1u8) {
            true => once,
            false => Rc::new(Effect::clone(&once).repeated(times)),
        })
    }
}

impl LoopReplay<'_> {
    /// Goes through the last block, and enters each other block at its first occurrence.
    fn replay_blocks(
        &mut self,
        inspect: &mut MarkingInspector<'_>,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), LoopReplayError> {
        let Some(last) = self.run.blocks().len().checked_sub(1) else { return Ok(()) };
        // The entered blocks, outermost first, each with the position of its next element. The code
        // is iterative, because a file may nest millions of blocks.
        let mut stack: Vec<(usize, usize)> = vec![(last, 0)];
        while let Some(&(block, position)) = stack.last() {
            if !go_on() {
                return Err(LoopReplayError::Stopped);
            }
            let Some(repeated) = self.run.blocks()[block].get(position) else {
                // The first round of the inner block is complete. Apply its other rounds in the
                // enclosing block.
                stack.pop();
                if let Some((block, position)) = stack.last_mut() {
                    let repeated = &self.run.blocks()[*block][*position];
                    *position += 1;
                    let (block, position, other_rounds) =
                        (*block, *position, &repeated.times - 1u8);
                    if other_rounds > BigUint::ZERO {
                        let effect =
                            self.repeated_effect(block, repeated.element, &other_rounds)?;
                        self.apply(block, position, &effect, &stack, inspect)?;
                    }
                }
                continue;
            };
            match repeated.element {
                LoopElement::Block(inner)
                    if !std::mem::replace(&mut self.is_entered[inner], true) =>
                {
                    stack.push((inner, 0));
                }
                _ => {
                    if let Some((_, position)) = stack.last_mut() {
                        *position += 1;
                    }
                    let effect = self.element_effect(block, repeated)?;
                    self.apply(block, position + 1, &effect, &stack, inspect)?;
                }
            }
        }
        Ok(())
    }

    /// Adds the effect of all rounds of an element, or of its remaining rounds, to the marking.
    /// Then calls `inspect` with `position`. The element has the number `number` in its block, from
    /// 1.
    fn apply(
        &mut self,
        block: usize,
        number: usize,
        effect: &Effect,
        position: &LoopPosition,
        inspect: &mut MarkingInspector<'_>,
    ) -> Result<(), LoopReplayError> {
        if let Some((place, _)) =
            effect.required_tokens.iter().find(|(p, need)| self.marking[**p] < **need)
        {
            let place = self.net.place_name(*place).to_owned();
            return Err(LoopReplayError::NotEnabled { block, turn: number, place });
        }
        for (place, change) in &effect.change {
            self.marking.add(*place, change);
        }
        inspect(&self.marking, &mut effect.change.keys().copied(), position);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay;
    use fastrand::Rng;
    use parikh_generate as generate;
    use parikh_net::text;

    fn random_run(rng: &mut Rng, transitions: usize) -> LoopRun {
        let mut blocks: Vec<Vec<RepeatedElement>> = Vec::new();
        for block in 0..rng.usize(1..4) {
            let random_element = |_| {
                let part = match block > 0 && rng.bool() {
                    true => LoopElement::Block(rng.usize(..block)),
                    false => LoopElement::Fire(TransitionId::new(rng.usize(..transitions))),
                };
                RepeatedElement { element: part, times: rng.u32(1..4).into() }
            };
            blocks.push((0..3).map(random_element).collect());
        }
        LoopRun::new(blocks).unwrap()
    }

    /// Returns the last marking, after checking the marking of each visited prefix.
    fn replay_checked(net: &Net, run: &LoopRun) -> Result<LargeMarking, LoopReplayError> {
        let mut prefixes = Vec::new();
        let mut look =
            |marking: &LargeMarking, _: &mut dyn Iterator<Item = PlaceId>, spot: &LoopPosition| {
                prefixes.push((marking.clone(), spot.to_vec()));
            };
        let end = replay_loops(net, run, &mut look, &mut || true);
        for (marking, spot) in prefixes {
            let flat = run.prefix(&spot).to_sequence(1000).unwrap();
            assert_eq!(LargeMarking::of(&replay(net, &flat).unwrap()), marking, "{spot:?}");
        }
        end
    }

    #[test]
    fn accelerated_replay_agrees_with_single_firings() {
        let (mut good, mut bad) = (0, 0);
        for seed in 0..3000 {
            let mut rng = Rng::with_seed(seed);
            let net = generate::random(seed, &generate::Shape::small(seed));
            if net.transition_count() == 0 {
                continue;
            }
            let run = random_run(&mut rng, net.transition_count());
            let flat = run.to_sequence(1000).unwrap();
            match (replay_checked(&net, &run), replay(&net, &flat)) {
                (Ok(end), Ok(marking)) => {
                    assert_eq!(end, LargeMarking::of(&marking));
                    good += 1;
                }
                (Err(LoopReplayError::NotEnabled { .. }), Err(_)) => bad += 1,
                (looped, plain) => panic!("{seed}: {looped:?} {plain:?}"),
            }
        }
        assert!(good > 100 && bad > 1000, "{good} {bad}");
    }

    #[test]
    fn numbers_of_any_size_are_supported() {
        let net = text::parse("place p 1\nplace q\ntransition t: p -> 2*q\ntransition u: q -> p");
        let net = net.unwrap();
        // The run doubles the tokens of p a thousand times: t and u fire as often as there are
        // tokens.
        let fire = |t: usize, times: BigUint| RepeatedElement {
            element: LoopElement::Fire(TransitionId::new(t)),
            times,
        };
        let doubling_elements = |times: u32| -> Vec<RepeatedElement> {
            let turns = (0..times).flat_map(|n| {
                let one = BigUint::from(1u8);
                [fire(0, &one << n), fire(1, one << (n + 1))]
            });
            turns.collect()
        };
        let run = LoopRun::new(vec![doubling_elements(1000)]).unwrap();
        let end = replay_loops(&net, &run, &mut |_, _, _| {}, &mut || true).unwrap();
        assert_eq!(end[PlaceId::new(0)], BigInt::from(1u8) << 1000);
        let mut one_more = doubling_elements(1000);
        one_more.push(fire(0, (BigUint::from(1u8) << 1000) + 1u8));
        let run = LoopRun::new(vec![one_more]).unwrap();
        let refused = replay_loops(&net, &run, &mut |_, _, _| {}, &mut || true);
        let turn = 2001;
        assert_eq!(
            refused,
            Err(LoopReplayError::NotEnabled { block: 0, turn, place: "p".to_owned() })
        );
        let stopped = replay_loops(&net, &run, &mut |_, _, _| {}, &mut || false);
        assert_eq!(stopped, Err(LoopReplayError::Stopped));
    }
}
