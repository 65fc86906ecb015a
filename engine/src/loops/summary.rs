//! Blocks of firings and their loops, stored once each, with their demands and effects.

use num_bigint::{BigInt, BigUint, Sign};
use parikh_net::loops::{LoopElement, LoopRun, RepeatedElement};
use parikh_net::{Net, TransitionId};
use std::collections::HashMap;
use std::rc::Rc;

/// A firing, or a loop by its number in [`Loops`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Element {
    /// The firing of a transition, given by its index.
    Fire(u32),
    /// The execution of a loop, given by its number.
    Loop(u32),
}

/// The effect of a firing or a loop: the tokens that it requires, and its change of the marking.
/// Places with the value 0 are left out.
#[derive(Clone, Debug, Default)]
pub(super) struct Effect {
    /// For each place, the number of tokens that the element requires, ascending by place.
    pub(super) demand: Vec<(u32, BigInt)>,
    /// For each place that the element changes, the change, ascending by place.
    pub(super) change: Vec<(u32, BigInt)>,
}

impl Effect {
    /// Returns the change of a place if it is negative.
    pub(super) fn loss(&self, place: u32) -> Option<&BigInt> {
        let index = self.change.binary_search_by_key(&place, |(place, _)| *place).ok()?;
        Some(&self.change[index].1).filter(|change| change.sign() == Sign::Minus)
    }

    /// Returns the effect of `times` repetitions of the element, where `times` is at least 1. The
    /// demand on a place that loses tokens grows by this loss for each repetition before the last.
    fn repeated(&self, times: &BigUint) -> Effect {
        let (factor, earlier_rounds) = (BigInt::from(times.clone()), BigInt::from(times - 1u8));
        let change = self.change.iter().map(|(place, change)| (*place, change * &factor));
        let demand = self.demand.iter().map(|(place, demand)| match self.loss(*place) {
            Some(change) => (*place, demand - &earlier_rounds * change),
            None => (*place, demand.clone()),
        });
        Effect { demand: demand.collect(), change: change.collect() }
    }
}

/// A block repeated `times` times.
struct RepeatedBlock {
    /// Number of the block, which is the index of its elements in the list of blocks.
    block: u32,
    /// Number of repetitions.
    times: BigUint,
    /// The demand and the change of all repetitions together.
    effect: Rc<Effect>,
}

/// The blocks and loops created so far. A block is a sequence of elements that loops repeat.
pub(super) struct Loops {
    /// The effects of single firings, by transition index.
    firing_effects: Vec<Rc<Effect>>,
    /// The elements of each block, by block number.
    blocks: Vec<Rc<[Element]>>,
    /// The loops, by number.
    loops: Vec<RepeatedBlock>,
    /// The number of each block, by its elements.
    number_of_block: HashMap<Rc<[Element]>, u32>,
    /// The number of each loop, by its block and number of repetitions.
    number_of_loop: HashMap<(u32, BigUint), u32>,
}

/// Buffers for summing up effects by place.
pub(super) struct SummaryScratch {
    /// For each place, the tokens that the appended elements need at the beginning.
    demand: Vec<BigInt>,
    /// For each place, its change by all appended elements.
    change: Vec<BigInt>,
    /// The places with a demand or a change, without repetitions.
    touched: Vec<u32>,
    /// For each place, true if it is in `touched`.
    is_touched: Vec<bool>,
}

impl SummaryScratch {
    pub(super) fn new(places: usize) -> Self {
        SummaryScratch {
            demand: vec![BigInt::ZERO; places],
            change: vec![BigInt::ZERO; places],
            touched: Vec::new(),
            is_touched: vec![false; places],
        }
    }

    /// Adds a place to `touched`.
    fn touch(&mut self, place: u32) {
        if !std::mem::replace(&mut self.is_touched[place as usize], true) {
            self.touched.push(place);
        }
    }

    /// Appends an element with this effect to the sequence whose effect is summed up.
    fn append(&mut self, effect: &Effect) {
        for (place, demand) in &effect.demand {
            self.touch(*place);
            let index = *place as usize;
            let remaining_demand = demand - &self.change[index];
            if remaining_demand > self.demand[index] {
                self.demand[index] = remaining_demand;
            }
        }
        for (place, change) in &effect.change {
            self.touch(*place);
            self.change[*place as usize] += change;
        }
    }

    /// Returns the effect of the appended elements, and clears the buffers.
    fn take(&mut self) -> Effect {
        let mut effect = Effect::default();
        self.touched.sort_unstable();
        for place in self.touched.drain(..) {
            let index = place as usize;
            self.is_touched[index] = false;
            let numbers =
                [(&mut self.demand, &mut effect.demand), (&mut self.change, &mut effect.change)];
            for (sums, entries) in numbers {
                let number = std::mem::take(&mut sums[index]);
                if number.sign() != Sign::NoSign {
                    entries.push((place, number));
                }
            }
        }
        effect
    }
}

impl Loops {
    pub(super) fn new(net: &Net) -> Self {
        let effect = |t: TransitionId| {
            let number = |(place, n): (usize, i128)| (place as u32, BigInt::from(n));
            let need = net.pre(t).iter().map(|arc| (arc.place.index(), i128::from(arc.weight)));
            let change = net.delta(t).iter().map(|c| (c.place.index(), i128::from(c.delta)));
            Rc::new(Effect {
                demand: need.map(number).collect(),
                change: change.map(number).collect(),
            })
        };
        Loops {
            firing_effects: net.transitions().map(effect).collect(),
            blocks: Vec::new(),
            loops: Vec::new(),
            number_of_block: HashMap::new(),
            number_of_loop: HashMap::new(),
        }
    }

    /// Returns the effect of an element.
    pub(super) fn effect(&self, element: Element) -> &Rc<Effect> {
        match element {
            Element::Fire(t) => &self.firing_effects[t as usize],
            Element::Loop(number) => &self.loops[number as usize].effect,
        }
    }

    /// Returns the total number of elements in all blocks.
    pub(super) fn size(&self) -> usize {
        self.blocks.iter().map(|block| block.len()).sum()
    }

    /// Returns the effect of executing these elements one after another.
    pub(super) fn sum_effects(
        &self,
        elements: impl Iterator<Item = Element>,
        scratch: &mut SummaryScratch,
    ) -> Effect {
        elements.for_each(|element| scratch.append(self.effect(element)));
        scratch.take()
    }

    /// Returns the number of the block with these elements, which is added if it is new.
    pub(super) fn add_block(&mut self, body: Vec<Element>) -> u32 {
        let next = self.blocks.len() as u32;
        let body: Rc<[Element]> = body.into();
        let block = *self.number_of_block.entry(body.clone()).or_insert(next);
        if block == next {
            self.blocks.push(body);
        }
        block
    }

    /// Returns the loop that repeats a block with this effect `times` times, at least once. The
    /// loop is added if it is new.
    pub(super) fn add_loop(&mut self, block: u32, effect: &Effect, times: BigUint) -> Element {
        if let Some(&known) = self.number_of_loop.get(&(block, times.clone())) {
            return Element::Loop(known);
        }
        let effect = Rc::new(effect.repeated(&times));
        let number = self.loops.len() as u32;
        self.number_of_loop.insert((block, times.clone()), number);
        self.loops.push(RepeatedBlock { block, times, effect });
        Element::Loop(number)
    }

    /// Returns the first transition of an element.
    pub(super) fn first_transition(&self, element: Element) -> u32 {
        let mut element = element;
        loop {
            match element {
                Element::Fire(t) => return t,
                Element::Loop(number) => {
                    let block = self.loops[number as usize].block;
                    element = self.blocks[block as usize][0];
                }
            }
        }
    }

    /// Marks the transitions in an element as fired in `fired`. Blocks in `is_visited` are skipped,
    /// because their transitions are marked already. The other blocks of the element are added to
    /// `is_visited`.
    pub(super) fn mark_fired(
        &self,
        element: Element,
        fired: &mut [bool],
        is_visited: &mut Vec<bool>,
    ) {
        is_visited.resize(self.blocks.len(), false);
        let mut pending = vec![element];
        while let Some(element) = pending.pop() {
            match element {
                Element::Fire(t) => fired[t as usize] = true,
                Element::Loop(number) => {
                    let block = self.loops[number as usize].block as usize;
                    if !std::mem::replace(&mut is_visited[block], true) {
                        pending.extend(self.blocks[block].iter());
                    }
                }
            }
        }
    }

    /// Returns a sequence of elements as a run, with the blocks that its loops repeat.
    pub(super) fn to_run(&self, run_elements: &[Element]) -> LoopRun {
        // Blocks refer only to earlier blocks, so the order is kept.
        let mut is_needed = vec![false; self.blocks.len()];
        let mut pending: Vec<Element> = run_elements.to_vec();
        while let Some(element) = pending.pop() {
            if let Element::Loop(number) = element {
                let block = self.loops[number as usize].block as usize;
                if !std::mem::replace(&mut is_needed[block], true) {
                    pending.extend(self.blocks[block].iter());
                }
            }
        }
        let mut number_of = vec![0; self.blocks.len()];
        let mut blocks: Vec<Vec<RepeatedElement>> = Vec::new();
        let repeated_elements =
            |elements: &[Element], number_of: &[usize]| -> Vec<RepeatedElement> {
                let repeated_element = |&element: &Element| match element {
                    Element::Fire(t) => {
                        let firing = LoopElement::Fire(TransitionId::new(t as usize));
                        RepeatedElement { element: firing, times: BigUint::from(1u8) }
                    }
                    Element::Loop(number) => {
                        let RepeatedBlock { block, times, .. } = &self.loops[number as usize];
                        RepeatedElement {
                            element: LoopElement::Block(number_of[*block as usize]),
                            times: times.clone(),
                        }
                    }
                };
                elements.iter().map(repeated_element).collect()
            };
        for (block, elements) in
            self.blocks.iter().enumerate().filter(|(index, _)| is_needed[*index])
        {
            number_of[block] = blocks.len();
            blocks.push(repeated_elements(elements, &number_of));
        }
        blocks.push(repeated_elements(run_elements, &number_of));
        LoopRun::new(blocks).unwrap_or_default()
    }
}
