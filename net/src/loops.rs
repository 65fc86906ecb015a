//! Firing sequences with nested loops: blocks of firings with repetition counts, which may stand in
//! other blocks.
//!
//! ```text
//! b0 = t u          b1 = b0×10⁹ v          the run: s b1×10⁹ w
//! ```
//!
//! A few thousand lines of this kind describe the run of a counter that counts to 2¹⁰²⁴ by counters
//! below it, with more firings than could ever be listed (R. Lipton, *The reachability problem
//! requires exponential space*, 1976, has such nets). Blocks refer to earlier blocks only: a
//! straight-line program.

use crate::id::TransitionId;
use crate::sequence::FiringSequence;
use num_bigint::BigUint;

/// The element that a [`RepeatedElement`] repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoopElement {
    /// The firing of a transition.
    Fire(TransitionId),
    /// An earlier block of the run, given by its number.
    Block(usize),
}

/// An element of a block with its number of repetitions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RepeatedElement {
    /// The repeated firing or block.
    pub element: LoopElement,
    /// The number of repetitions, at least 1.
    pub times: BigUint,
}

/// A firing sequence with nested loops. The last block is executed once from the initial marking.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LoopRun {
    /// The blocks. A block refers only to earlier blocks.
    blocks: Vec<Vec<RepeatedElement>>,
}

/// A position in a run with nested loops. Each entry has the number of a block and the index of an
/// element in it, from the outermost block inwards. The position is before the element of the last
/// entry, or at the end of the block if the index is the number of elements. All enclosing blocks
/// are in their first repetition.
pub type LoopPosition = [(usize, usize)];

/// The reason why blocks are not a valid run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoopError {
    /// A block refers to itself or to a later block.
    #[error("block {block} refers to block {to}, expected an earlier block")]
    NotEarlier {
        /// The referring block.
        block: usize,
        /// The block referred to.
        to: usize,
    },
    /// A repetition count is 0.
    #[error("block {block} has a repetition count of 0, expected at least 1")]
    ZeroRepetitions {
        /// The block.
        block: usize,
    },
}

impl LoopRun {
    /// Makes the run of the last block.
    ///
    /// # Errors
    /// If a block refers to itself or a later block, or a repetition count is 0.
    pub fn new(blocks: Vec<Vec<RepeatedElement>>) -> Result<Self, LoopError> {
        for (block, repeated) in
            blocks.iter().enumerate().flat_map(|(b, ts)| ts.iter().map(move |t| (b, t)))
        {
            match repeated.element {
                LoopElement::Block(to) if to >= block => {
                    return Err(LoopError::NotEarlier { block, to });
                }
                _ if repeated.times == BigUint::ZERO => {
                    return Err(LoopError::ZeroRepetitions { block });
                }
                _ => {}
            }
        }
        Ok(LoopRun { blocks })
    }

    /// Returns all blocks; the last block is the run.
    pub fn blocks(&self) -> &[Vec<RepeatedElement>] {
        &self.blocks
    }

    /// Returns the number of elements in all blocks.
    pub fn element_count(&self) -> usize {
        self.blocks.iter().map(Vec::len).sum()
    }

    /// Returns the number of firings.
    pub fn firings(&self) -> BigUint {
        let mut firings_of_block: Vec<BigUint> = Vec::with_capacity(self.blocks.len());
        for block in &self.blocks {
            let firings_of_element = |repeated: &RepeatedElement| match repeated.element {
                LoopElement::Fire(_) => repeated.times.clone(),
                LoopElement::Block(block) => &repeated.times * &firings_of_block[block],
            };
            let firings = block.iter().map(firings_of_element).sum();
            firings_of_block.push(firings);
        }
        firings_of_block.pop().unwrap_or_default()
    }

    /// Returns the run up to `position`, with only the blocks that it needs.
    pub fn prefix(&self, position: &LoopPosition) -> LoopRun {
        let copied = |elements: &[RepeatedElement]| elements.to_vec();
        let prefix_elements =
            position.iter().flat_map(|&(block, end)| copied(&self.blocks[block][..end]));
        let prefix_elements: Vec<RepeatedElement> = prefix_elements.collect();
        // Marks the needed blocks with the number 0. Then they are numbered in their old order, so
        // that blocks still refer to earlier blocks.
        let mut new_number = vec![None; self.blocks.len()];
        let mut open_blocks: Vec<usize> =
            prefix_elements.iter().filter_map(RepeatedElement::block_number).collect();
        while let Some(block) = open_blocks.pop() {
            if new_number[block].replace(0).is_none() {
                open_blocks
                    .extend(self.blocks[block].iter().filter_map(RepeatedElement::block_number));
            }
        }
        let mut next = 0;
        for new_number in new_number.iter_mut().flatten() {
            (*new_number, next) = (next, next + 1);
        }
        let renumbered = |elements: &[RepeatedElement]| -> Vec<RepeatedElement> {
            let renumbered_element = |element| match element {
                LoopElement::Block(block) => {
                    LoopElement::Block(new_number[block].unwrap_or_default())
                }
                fire => fire,
            };
            elements
                .iter()
                .map(|repeated| RepeatedElement {
                    element: renumbered_element(repeated.element),
                    times: repeated.times.clone(),
                })
                .collect()
        };
        let needed_blocks =
            self.blocks.iter().zip(&new_number).filter(|(_, new_number)| new_number.is_some());
        let mut blocks: Vec<Vec<RepeatedElement>> =
            needed_blocks.map(|(block, _)| renumbered(block)).collect();
        blocks.push(renumbered(&prefix_elements));
        LoopRun { blocks }
    }

    /// Returns the run as a plain firing sequence. Returns `None` if the run has no block, more
    /// than `max_steps` steps, or a repetition count beyond 64 bits. Also returns `None` if the
    /// expansion passes 4 · `max_steps` + 64 elements and ends of blocks.
    pub fn to_sequence(&self, max_steps: usize) -> Option<FiringSequence> {
        let last = self.blocks.len().checked_sub(1)?;
        self.prefix_to_sequence(&[(last, self.blocks[last].len())], max_steps)
    }

    /// Returns the run up to `position` as a plain firing sequence. Returns `None` if the sequence
    /// has more than `max_steps` steps, or a repetition count beyond 64 bits. Also returns `None`
    /// if the expansion passes 4 · `max_steps` + 64 elements and ends of blocks.
    pub fn prefix_to_sequence(
        &self,
        position: &LoopPosition,
        max_steps: usize,
    ) -> Option<FiringSequence> {
        let mut sequence = FiringSequence::new();
        let mut iterations = 0;
        for &(block, stop) in position {
            // Entries: block, index of the next element, index at which to stop, remaining
            // repetitions.
            let mut stack: Vec<(usize, usize, usize, u64)> = vec![(block, 0, stop, 1)];
            while let Some((block, element_index, end, repetitions_left)) = stack.pop() {
                iterations += 1;
                if sequence.steps().len() > max_steps || iterations > 4 * max_steps + 64 {
                    return None;
                }
                if element_index == end {
                    if repetitions_left > 1 {
                        stack.push((block, 0, end, repetitions_left - 1));
                    }
                    continue;
                }
                let repeated = &self.blocks[block][element_index];
                stack.push((block, element_index + 1, end, repetitions_left));
                let times = u64::try_from(&repeated.times).ok()?;
                match repeated.element {
                    LoopElement::Fire(t) => sequence.push(t, times),
                    LoopElement::Block(block) => {
                        stack.push((block, 0, self.blocks[block].len(), times))
                    }
                }
            }
        }
        Some(sequence)
    }
}

impl RepeatedElement {
    fn block_number(&self) -> Option<usize> {
        match self.element {
            LoopElement::Block(block) => Some(block),
            LoopElement::Fire(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fire(t: usize, times: u32) -> RepeatedElement {
        RepeatedElement { element: LoopElement::Fire(TransitionId::new(t)), times: times.into() }
    }

    fn repeat(block: usize, times: u32) -> RepeatedElement {
        RepeatedElement { element: LoopElement::Block(block), times: times.into() }
    }

    /// u (t u²)³ (v (t u²)²)² t
    fn run() -> LoopRun {
        LoopRun::new(vec![
            vec![fire(0, 1), fire(1, 2)],
            vec![fire(2, 1), repeat(0, 2)],
            vec![fire(1, 1), repeat(0, 3), repeat(1, 2), fire(0, 1)],
        ])
        .unwrap()
    }

    fn letters(sequence: &FiringSequence) -> String {
        let letter = |t: TransitionId| ["t", "u", "v"][t.index()];
        sequence
            .steps()
            .iter()
            .map(|step| letter(step.transition).repeat(step.count as usize))
            .collect()
    }

    #[test]
    fn a_run_expands_to_its_firings_in_order() {
        let flat = run().to_sequence(100).unwrap();
        assert_eq!(letters(&flat), "utuutuutuuvtuutuuvtuutuut");
        assert_eq!(run().firings(), BigUint::from(25u8));
        assert_eq!(run().to_sequence(3), None);
        assert_eq!(LoopRun::default().firings(), BigUint::ZERO);
    }

    #[test]
    fn a_prefix_ends_at_the_given_position() {
        let before = |position: &LoopPosition| {
            let flat = run().prefix(position).to_sequence(100).unwrap();
            assert_eq!(run().prefix_to_sequence(position, 100), Some(flat.clone()));
            letters(&flat)
        };
        assert_eq!(before(&[(2, 0)]), "");
        assert_eq!(before(&[(2, 2)]), "utuutuutuu");
        assert_eq!(before(&[(2, 1), (0, 1)]), "ut");
        assert_eq!(before(&[(2, 2), (1, 1), (0, 1)]), "utuutuutuuvt");
        assert_eq!(run().prefix(&[(2, 2)]).blocks().len(), 2);
    }

    #[test]
    fn blocks_refer_to_earlier_ones() {
        let wrong = LoopRun::new(vec![vec![repeat(0, 2)]]);
        assert_eq!(wrong, Err(LoopError::NotEarlier { block: 0, to: 0 }));
        let wrong = LoopRun::new(vec![vec![fire(0, 1)], vec![repeat(0, 0)]]);
        assert_eq!(wrong, Err(LoopError::ZeroRepetitions { block: 1 }));
    }
}
