//! Sums over the markings of a component of a reduced net, for [numbers of
//! markings](parikh_evidence::counting).
//!
//! Every marking is visited once. The products that are not 0 in a marking are found like enabled
//! transitions. Each lower bound of a product is the preset of a transition: an existing one, or an
//! additional one without effect. The count of a marking is computed once, in 128 bits if possible.
//! A product with different factors is computed by dividing by the factors that it replaces.

use super::crew::{Done, ParallelExpansion, Visitor};
use super::space::ExpandedMarking;
use super::space::{Purpose, Space};
use super::state_space::{EffectFilter, ExplorationError, POLLING};
use num_bigint::BigUint;
use parikh_evidence::counting::{
    CountedComponent, FactorProduct, Function, MarkingFactors, WeightError,
};
use parikh_net::{Facts, Net, NetBuilder, PlaceId};
use parikh_solvers::Budget;
use parikh_solvers::locked;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

/// The reason why the sums could not be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSums {
    /// The exploration was incomplete.
    #[error(transparent)]
    Incomplete(#[from] ExplorationError),
    /// The count of a marking is unknown.
    #[error(transparent)]
    Weight(#[from] WeightError),
}

/// Returns for each product of `part` its sum over all markings, and the number of markings. Uses
/// `threads` threads if there are very many markings.
///
/// # Errors
/// Returns an error if the budget is not sufficient.
pub fn sums(
    part: &CountedComponent,
    weights: &mut MarkingFactors,
    threads: usize,
    budget: &Budget,
) -> Result<(Vec<BigUint>, u64), NoSums> {
    let (net, products_of) = with_probes(part);
    let purpose = Purpose { listed: &|_| true, sequences: false, ceiling: u64::MAX };
    let mut space =
        Space::new(&net, &Facts::none(&net), purpose, budget).map_err(ExplorationError::from)?;
    let adding = SumVisitor { part, net: &net, products_of, weights: Mutex::new(weights) };
    let (mut crew, mut scratch) = (ParallelExpansion::new(threads, budget), adding.scratch());
    let mut all = FactorSums::default();
    let (mut enabled, mut number) = (Vec::new(), 0);
    while number < space.store().len() {
        let together = crew.expand(&mut space, number, &adding, |done| {
            if let Done::Expanded(sums, _) = done {
                all.merge(sums);
            }
        });
        let together = together.map_err(ExplorationError::from)?;
        let is_wide = if together == 0 {
            space.load(number, &mut enabled);
            enabled.len() > POLLING as usize
        } else {
            true
        };
        if (is_wide || number.is_multiple_of(POLLING))
            && let Some(spent) = budget.exhausted()
        {
            return Err(ExplorationError::from(spent).into());
        }
        if together > 0 {
            number += together;
        } else {
            adding.choose(&mut scratch, space.seen(number), &mut enabled);
            if !space.expand(number, &enabled, |_, _, _| {}).map_err(ExplorationError::from)? {
                adding.note(&mut scratch, space.seen(number), &mut all);
                number += 1;
            }
        }
        all.error.map_or(Ok(()), Err)?;
    }
    all.sums.resize(part.products.len(), FactorSum::default());
    Ok((all.sums.into_iter().map(FactorSum::total).collect(), number.into()))
}

/// Adds the counts of markings.
struct SumVisitor<'p> {
    part: &'p CountedComponent,
    net: &'p Net,
    products_of: Vec<Vec<u32>>,
    /// Shared weight functions, for values that a thread has not cached yet.
    weights: Mutex<&'p mut MarkingFactors>,
}

/// Sums over some markings, and the first error.
#[derive(Default)]
struct FactorSums {
    sums: Vec<FactorSum>,
    error: Option<WeightError>,
}

impl FactorSums {
    fn merge(&mut self, other: FactorSums) {
        self.error = self.error.or(other.error);
        self.sums.resize(self.sums.len().max(other.sums.len()), FactorSum::default());
        self.sums.iter_mut().zip(other.sums).for_each(|(sum, other)| {
            sum.add(other.small);
            sum.large += other.large;
        });
    }
}

impl<'p> Visitor for SumVisitor<'p> {
    type Scratch = Scratch<'p>;
    type Notes = FactorSums;

    fn scratch(&self) -> Scratch<'p> {
        let distinct = EffectFilter::new(self.net);
        Scratch { distinct, here: Vec::new(), known: HashMap::new(), small: Vec::new() }
    }

    fn choose(&self, scratch: &mut Scratch<'p>, _: ExpandedMarking<'_>, enabled: &mut Vec<u32>) {
        scratch.here.clear();
        let here = enabled.iter().flat_map(|&t| &self.products_of[t as usize]);
        scratch.here.extend(here);
        scratch.distinct.retain(enabled);
    }

    fn note(&self, scratch: &mut Scratch<'p>, seen: ExpandedMarking<'_>, notes: &mut FactorSums) {
        let FactorSums { sums, error } = notes;
        sums.resize(self.part.products.len(), FactorSum::default());
        if self.part.counts.is_empty() {
            sums[0].small += 1;
            scratch.here.iter().for_each(|&product| sums[product as usize].small += 1);
            return;
        }
        let tokens = |place| seen.tokens(place);
        let added = self.add_small(scratch, &tokens, sums).and_then(|added| match added {
            Some(()) => Ok(()),
            None => self.add_large(&scratch.here, &tokens, sums),
        });
        *error = error.or(added.err());
    }
}

/// Returns the net of a component with an additional transition for each lower bound that is no
/// preset, and by transition the products that are not 0 if it is enabled. The product without
/// lower bounds is assigned to no transition.
fn with_probes(part: &CountedComponent) -> (Net, Vec<Vec<u32>>) {
    let net = &part.net;
    let mut builder = NetBuilder::new(net.name());
    let mut transition_of: HashMap<Vec<(PlaceId, u64)>, usize> = HashMap::new();
    // A copy of a valid net with new, distinct names is valid. The names are never shown.
    let fresh = "a net without names of its own";
    let places: Vec<PlaceId> = net
        .places()
        .map(|p| builder.place(&format!("p{}", p.index()), net.initial()[p]).expect(fresh))
        .collect();
    let mut products_of: Vec<Vec<u32>> = Vec::new();
    for t in net.transitions() {
        let new = builder.transition(&format!("t{}", t.index())).expect(fresh);
        for arc in net.pre(t) {
            builder.take(new, places[arc.place.index()], arc.weight).expect(fresh);
        }
        for arc in net.post(t) {
            builder.put(new, places[arc.place.index()], arc.weight).expect(fresh);
        }
        let preset = net.pre(t).iter().map(|arc| (arc.place, arc.weight)).collect();
        transition_of.entry(preset).or_insert(products_of.len());
        products_of.push(Vec::new());
    }
    for (number, FactorProduct { least, .. }) in (0..).zip(&part.products).skip(1) {
        let at = *transition_of.entry(least.clone()).or_insert_with(|| {
            let probe = builder.transition(&format!("t{}", products_of.len())).expect(fresh);
            for &(place, weight) in least {
                builder.take(probe, places[place.index()], weight).expect(fresh);
                builder.put(probe, places[place.index()], weight).expect(fresh);
            }
            products_of.push(Vec::new());
            products_of.len() - 1
        });
        products_of[at].push(number);
    }
    (builder.build().expect(fresh), products_of)
}

/// A sum with mostly small summands.
#[derive(Clone, Debug, Default)]
struct FactorSum {
    small: u128,
    large: BigUint,
}

impl FactorSum {
    fn add(&mut self, number: u128) {
        match self.small.checked_add(number) {
            Some(sum) => self.small = sum,
            None => self.large += std::mem::replace(&mut self.small, number),
        }
    }

    fn total(self) -> BigUint {
        self.large + self.small
    }
}

/// A thread's own data.
struct Scratch<'n> {
    distinct: EffectFilter<'n>,
    /// The products that are not 0 in the current marking.
    here: Vec<u32>,
    /// Cache of function values. `None` for values beyond 128 bits.
    known: HashMap<(Function, u64), Option<u128>>,
    /// The value of each product in the current marking.
    small: Vec<u128>,
}

/// Returns the factor of a place in products that do not change it.
fn default_factor(part: &CountedComponent, place: PlaceId) -> Result<Function, WeightError> {
    let at = part.counts.binary_search_by_key(&place, |it| it.0);
    at.map(|at| part.counts[at].1).map_err(|_| WeightError::NotWhole)
}

impl<'p> SumVisitor<'p> {
    fn weights(&self) -> MutexGuard<'_, &'p mut MarkingFactors> {
        // A panic of another thread ends the whole count anyway.
        locked(&self.weights)
    }

    fn at(
        &self,
        known: &mut HashMap<(Function, u64), Option<u128>>,
        function: Function,
        tokens: u64,
    ) -> Result<Option<u128>, WeightError> {
        if let Some(&known) = known.get(&(function, tokens)) {
            return Ok(known);
        }
        let number = u128::try_from(self.weights().at(function, tokens)?).ok();
        known.insert((function, tokens), number);
        Ok(number)
    }

    /// Adds the counts of a marking. Returns `None` and adds nothing if a number does not fit in
    /// 128 bits.
    fn add_small(
        &self,
        Scratch { here, known, small, .. }: &mut Scratch<'_>,
        tokens: &dyn Fn(PlaceId) -> u64,
        sums: &mut [FactorSum],
    ) -> Result<Option<()>, WeightError> {
        let mut all = 1u128;
        for &(place, function) in &self.part.counts {
            let Some(product) =
                self.at(known, function, tokens(place))?.and_then(|weight| all.checked_mul(weight))
            else {
                return Ok(None);
            };
            all = product;
        }
        small.clear();
        for &number in &*here {
            let mut counts = all;
            for &(place, other) in &self.part.products[number as usize].changed {
                let tokens = tokens(place);
                let before = self.at(known, default_factor(self.part, place)?, tokens)?;
                let after = self.at(known, other, tokens)?;
                // `before` divides `counts`, and the new factor is not larger.
                let share = before.and_then(|before| counts.checked_div(before));
                match share.zip(after).and_then(|(share, after)| share.checked_mul(after)) {
                    Some(changed) => counts = changed,
                    None => return Ok(None),
                }
            }
            small.push(counts);
        }
        sums[0].add(all);
        for (&number, &counts) in here.iter().zip(&*small) {
            sums[number as usize].add(counts);
        }
        Ok(Some(()))
    }

    fn add_large(
        &self,
        products: &[u32],
        tokens: &dyn Fn(PlaceId) -> u64,
        sums: &mut [FactorSum],
    ) -> Result<(), WeightError> {
        let (part, mut weights) = (self.part, self.weights());
        let mut all = BigUint::from(1u8);
        for &(place, function) in &part.counts {
            all *= weights.at(function, tokens(place))?;
        }
        for &number in products {
            let mut counts = all.clone();
            for &(place, other) in &part.products[number as usize].changed {
                let tokens = tokens(place);
                counts /= weights.at(default_factor(part, place)?, tokens)?;
                counts *= weights.at(other, tokens)?;
            }
            sums[number as usize].large += counts;
        }
        sums[0].large += all;
        Ok(())
    }
}
