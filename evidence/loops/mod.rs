//! The replayer of runs with loops ([`LoopRun`]): what firing sequences of more than 10³⁰⁰ firings
//! are judged by.
//!
//! Of every block it is worked out once what it *needs* of each place, so that all of it can be
//! fired, and by how much it *changes* it. One after the other, a then b: needs max(need a, need b
//! − change a), changes by both. A block n times in a row is enabled if and only if it is in its
//! first and in its last round, because each place changes by the same amount every time: needs
//! max(need, need − (n−1)·change). Blocks stand in later ones, so this takes as many sums as the
//! run has turns. Numbers are as large as they have to be.
//!
//! Then the run is gone through from the initial marking: a block is entered the first time that it
//! is met, and its other rounds are one sum, so that the markings of first rounds are seen on the
//! way.

mod marking;

pub use marking::{LargeMarking, holds, value};

use num_bigint::{BigInt, BigUint};
use parikh_net::loops::{LoopElement, LoopRun, Spot, Turn};
use parikh_net::printable::Quoted;
use parikh_net::{Net, PlaceId, TransitionId};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// So many numbers of 64 bits are kept: half a gigabyte.
const ROOM: usize = 1 << 26;

/// Why a run with loops does not replay.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoopReplayError {
    /// A transition of the run is not one of the net.
    #[error("block {block}: the net has no transition {transition:?}")]
    NoSuchTransition {
        /// The block's number.
        block: usize,
        /// The transition asked for.
        transition: TransitionId,
    },
    /// A place holds too few tokens for a turn, fired as often as it says.
    #[error("block {block}, turn {turn}: place {} lacks tokens", Quoted(.place))]
    NotEnabled {
        /// The block's number.
        block: usize,
        /// Number of the turn in the block, from 1.
        turn: usize,
        /// The place's name.
        place: String,
    },
    /// The numbers of its blocks take more room than anybody has.
    #[error("the blocks of the run take more than {ROOM} numbers of 64 bits")]
    TooLarge,
    /// Whoever asked has no more time.
    #[error("stopped before the end of the run")]
    Stopped,
}

/// What firings need of places and by how much they change them. Places that are not listed: 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Effect {
    need: BTreeMap<PlaceId, BigInt>,
    change: BTreeMap<PlaceId, BigInt>,
}

impl Effect {
    fn of_transition(net: &Net, t: TransitionId) -> Effect {
        let mut effect = Effect::default();
        for arc in net.pre(t) {
            effect.need.insert(arc.place, arc.weight.into());
            *effect.change.entry(arc.place).or_default() -= arc.weight;
        }
        for arc in net.post(t) {
            *effect.change.entry(arc.place).or_default() += arc.weight;
        }
        effect
    }

    /// The same `times` times in a row, at least once.
    fn repeated(mut self, times: &BigUint) -> Effect {
        let times = BigInt::from(times.clone());
        let again = &times - 1;
        for (place, need) in &mut self.need {
            if let Some(change) = self.change.get(place).filter(|change| **change < BigInt::ZERO) {
                *need -= &again * change;
            }
        }
        self.change.values_mut().for_each(|change| *change *= &times);
        self
    }

    /// This, and `then` after it.
    fn then(&mut self, then: &Effect) {
        for (place, need) in &then.need {
            let left = match self.change.get(place) {
                Some(change) => need - change,
                None => need.clone(),
            };
            let known = self.need.entry(*place).or_default();
            if left > *known {
                *known = left;
            }
        }
        for (place, change) in &then.change {
            *self.change.entry(*place).or_default() += change;
        }
    }
}

/// A run on its way.
struct Replay<'a> {
    net: &'a Net,
    run: &'a LoopRun,
    /// Of each block, once.
    effects: Vec<Rc<Effect>>,
    /// Of turns that were met: most are met again.
    of_turns: HashMap<&'a Turn, Rc<Effect>>,
    /// How many numbers these have, a place with its number as two.
    kept: usize,
    entered: Vec<bool>,
    marking: LargeMarking,
}

/// What is known of the marking after the turn before `spot`: shown to whoever looks, with the
/// places that may have changed since the last look.
pub type Look<'l> = dyn FnMut(&LargeMarking, &mut dyn Iterator<Item = PlaceId>, &Spot) + 'l;

/// Fires `run` from the initial marking, and shows the markings after each turn of it and of the
/// first rounds of its blocks. The marking at the end.
///
/// # Errors
/// With the first turn that is not enabled as often as it says, and when `go_on` says that there is
/// no more time.
pub fn replay_loops(
    net: &Net,
    run: &LoopRun,
    look: &mut Look<'_>,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<LargeMarking, LoopReplayError> {
    let mut replay = Replay {
        net,
        run,
        effects: Vec::with_capacity(run.blocks().len()),
        of_turns: HashMap::new(),
        kept: 0,
        entered: vec![false; run.blocks().len()],
        marking: LargeMarking::of(net.initial()),
    };
    for (block, turns) in run.blocks().iter().enumerate() {
        let mut effect = Effect::default();
        for turn in turns {
            if !go_on() {
                return Err(LoopReplayError::Stopped);
            }
            effect.then(&*replay.of_turn(block, turn)?);
        }
        replay.keep(&effect)?;
        replay.effects.push(Rc::new(effect));
    }
    replay.go_through(look, go_on)?;
    Ok(replay.marking)
}

impl<'a> Replay<'a> {
    /// What a turn of a block needs and changes.
    fn of_turn(&mut self, block: usize, turn: &'a Turn) -> Result<Rc<Effect>, LoopReplayError> {
        if let Some(known) = self.of_turns.get(turn) {
            return Ok(known.clone());
        }
        let effect = self.of_part(block, turn.part, &turn.times)?;
        if turn.times != BigUint::from(1u8) || matches!(turn.part, LoopElement::Fire(_)) {
            // A product takes longer than a sum, by how long the number of times is.
            self.kept += self.keep(&effect)? / 64 * (turn.times.bits() as usize / 64);
        }
        self.of_turns.insert(turn, effect.clone());
        Ok(effect)
    }

    /// Counts what an effect takes, and how much that is.
    fn keep(&mut self, effect: &Effect) -> Result<usize, LoopReplayError> {
        let numbers = effect.need.values().chain(effect.change.values());
        let own = numbers.map(|number| 2 + number.bits() as usize / 64).sum::<usize>();
        self.kept += own;
        if self.kept > ROOM { Err(LoopReplayError::TooLarge) } else { Ok(own) }
    }

    /// What a part needs and changes, so many times in a row.
    fn of_part(
        &self,
        block: usize,
        part: LoopElement,
        times: &BigUint,
    ) -> Result<Rc<Effect>, LoopReplayError> {
        let once = match part {
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

impl Replay<'_> {
    /// Goes through the last block, and into others where they are met first.
    fn go_through(
        &mut self,
        look: &mut Look<'_>,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), LoopReplayError> {
        let Some(last) = self.run.blocks().len().checked_sub(1) else { return Ok(()) };
        // Not by recursion: a file may have blocks within blocks by the million.
        let mut way: Vec<(usize, usize)> = vec![(last, 0)];
        while let Some(&(block, at)) = way.last() {
            if !go_on() {
                return Err(LoopReplayError::Stopped);
            }
            let Some(turn) = self.run.blocks()[block].get(at) else {
                // The first round of a block is over; its others, in the one that it stands in.
                way.pop();
                if let Some((block, at)) = way.last_mut() {
                    let turn = &self.run.blocks()[*block][*at];
                    *at += 1;
                    let (block, at, rest) = (*block, *at, &turn.times - 1u8);
                    if rest > BigUint::ZERO {
                        let effect = self.of_part(block, turn.part, &rest)?;
                        self.take(block, at, &effect, &way, look)?;
                    }
                }
                continue;
            };
            match turn.part {
                LoopElement::Block(inner) if !std::mem::replace(&mut self.entered[inner], true) => {
                    way.push((inner, 0));
                }
                _ => {
                    if let Some((_, at)) = way.last_mut() {
                        *at += 1;
                    }
                    let effect = self.of_turn(block, turn)?;
                    self.take(block, at + 1, &effect, &way, look)?;
                }
            }
        }
        Ok(())
    }

    /// Fires the `number`-th turn of a block, or what is left of it, in one sum.
    fn take(
        &mut self,
        block: usize,
        number: usize,
        effect: &Effect,
        spot: &Spot,
        look: &mut Look<'_>,
    ) -> Result<(), LoopReplayError> {
        if let Some((place, _)) = effect.need.iter().find(|(p, need)| self.marking[**p] < **need) {
            let place = self.net.place_name(*place).to_owned();
            return Err(LoopReplayError::NotEnabled { block, turn: number, place });
        }
        for (place, change) in &effect.change {
            self.marking.add(*place, change);
        }
        look(&self.marking, &mut effect.change.keys().copied(), spot);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay;
    use fastrand::Rng;
    use parikh_net::{generate, text};

    fn random_run(rng: &mut Rng, transitions: usize) -> LoopRun {
        let mut blocks: Vec<Vec<Turn>> = Vec::new();
        for block in 0..rng.usize(1..4) {
            let turn = |_| {
                let part = match block > 0 && rng.bool() {
                    true => LoopElement::Block(rng.usize(..block)),
                    false => LoopElement::Fire(TransitionId::new(rng.usize(..transitions))),
                };
                Turn { part, times: rng.u32(1..4).into() }
            };
            blocks.push((0..3).map(turn).collect());
        }
        LoopRun::new(blocks).unwrap()
    }

    /// The marking at the end, and the ends of all prefixes that were shown.
    fn looked(net: &Net, run: &LoopRun) -> Result<LargeMarking, LoopReplayError> {
        let mut prefixes = Vec::new();
        let mut look =
            |marking: &LargeMarking, _: &mut dyn Iterator<Item = PlaceId>, spot: &Spot| {
                prefixes.push((marking.clone(), spot.to_vec()));
            };
        let end = replay_loops(net, run, &mut look, &mut || true);
        for (marking, spot) in prefixes {
            let flat = run.prefix(&spot).flat(1000).unwrap();
            assert_eq!(LargeMarking::of(&replay(net, &flat).unwrap()), marking, "{spot:?}");
        }
        end
    }

    #[test]
    fn loops_are_what_their_firings_are_one_by_one() {
        let (mut good, mut bad) = (0, 0);
        for seed in 0..3000 {
            let mut rng = Rng::with_seed(seed);
            let net = generate::random(seed, &generate::Shape::small(seed));
            if net.transition_count() == 0 {
                continue;
            }
            let run = random_run(&mut rng, net.transition_count());
            let flat = run.flat(1000).unwrap();
            match (looked(&net, &run), replay(&net, &flat)) {
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
    fn numbers_are_as_large_as_they_have_to_be() {
        let net = text::parse("place p 1\nplace q\ntransition t: p -> 2*q\ntransition u: q -> p");
        let net = net.unwrap();
        // Doubles the tokens of p a thousand times: t and u as often as there are tokens.
        let fire = |t: usize, times: BigUint| Turn {
            part: LoopElement::Fire(TransitionId::new(t)),
            times,
        };
        let turns = |times: u32| -> Vec<Turn> {
            let turns = (0..times).flat_map(|n| {
                let one = BigUint::from(1u8);
                [fire(0, &one << n), fire(1, one << (n + 1))]
            });
            turns.collect()
        };
        let run = LoopRun::new(vec![turns(1000)]).unwrap();
        let end = replay_loops(&net, &run, &mut |_, _, _| {}, &mut || true).unwrap();
        assert_eq!(end[PlaceId::new(0)], BigInt::from(1u8) << 1000);
        let mut one_more = turns(1000);
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
