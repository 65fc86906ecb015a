//! Sums of products over the markings of a component of a reduced net, for [numbers of
//! markings](parikh_evidence::counting).
//!
//! A product has one factor per place, a function of the tokens on the place. Product 0 is the
//! number of original markings that a marking of the reduced net stands for. The other products
//! count only original markings with enough tokens for certain transitions. Such a product is 0 if
//! a place has fewer tokens than the product's lower bound.
//!
//! Every marking is visited once. The products that are not 0 in a marking are found like enabled
//! transitions. The lower bounds of a product are the input weights of a transition: an existing
//! one, or an additional one without effect. Product 0 is computed once per marking, in 128 bits if
//! possible. Another product replaces some of its factors: product 0 is divided by the old factors
//! and multiplied by the new factors.

use super::grouped::{self, GroupedCounts};
use super::parallel_expansion::{ExpansionEvent, ParallelExpansion, Visitor};
use super::progress::{ExplorationError, POLLING_INTERVAL, ProgressTest, StopRule};
use super::space::ExpandedMarking;
use super::space::{Space, SpaceOptions};
use super::state_space::EffectFilter;
use num_bigint::BigUint;
use parikh_evidence::counting::{
    CountedComponent, FactorProduct, FunctionId, MarkingFactors, WeightError,
};
use parikh_net::{Facts, Net, NetBuilder, PlaceId};
use parikh_solvers::Budget;
use parikh_solvers::locked;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

/// The reason why the sums could not be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SumError {
    /// The exploration ended before all reachable markings were visited.
    #[error(transparent)]
    Incomplete(#[from] ExplorationError),
    /// A factor in the number of original markings of a marking cannot be computed.
    #[error(transparent)]
    Weight(#[from] WeightError),
}

/// Returns for each product of `component` its sum over all reachable markings of the component's
/// net. Also returns the number of these markings. Uses `threads` threads if there are very many
/// markings.
///
/// # Errors
/// Returns an error if the exploration is incomplete (see [`ExplorationError`]), or if a factor
/// cannot be computed. `stop_rule` may end the exploration early.
pub fn sums(
    component: &CountedComponent,
    weights: &mut MarkingFactors,
    threads: usize,
    stop_rule: StopRule,
    budget: &Budget,
) -> Result<(Vec<BigUint>, u64), SumError> {
    let progress = ProgressTest::new(stop_rule);
    let (net, products_of) = with_probes(component);
    let options = SpaceOptions { listed: &|_| true, needs_sequences: false, max_bytes: u64::MAX };
    let mut space =
        Space::new(&net, &Facts::empty(&net), options, budget).map_err(ExplorationError::from)?;
    let visitor = SumVisitor { component, net: &net, products_of, weights: Mutex::new(weights) };
    let (mut expansion, mut scratch) = (ParallelExpansion::new(threads, budget), visitor.scratch());
    let mut totals = FactorSums::default();
    let (mut enabled, mut marking_number) = (Vec::new(), 0);
    let mut tries_groups = component.factors.is_empty();
    while marking_number < space.store().len() {
        if tries_groups && space.store().len() >= grouped::MIN_MARKINGS {
            tries_groups = false;
            let facts = Facts::empty(&net);
            if let Some(counts) = grouped::count(&net, &facts, threads, &progress, budget)? {
                return Ok((visitor.sums_of_counts(&counts), counts.markings));
            }
        }
        let expanded = expansion.expand(&mut space, marking_number, &visitor, |event| {
            if let ExpansionEvent::Expanded(sums, _) = event {
                totals.merge(sums);
            }
        });
        let expanded = expanded.map_err(ExplorationError::from)?;
        let is_wide = if expanded == 0 {
            space.load(marking_number, &mut enabled);
            enabled.len() > POLLING_INTERVAL as usize
        } else {
            true
        };
        if is_wide || marking_number.is_multiple_of(POLLING_INTERVAL) {
            if let Some(spent) = budget.exhausted() {
                return Err(ExplorationError::from(spent).into());
            }
            progress.check(marking_number.into(), space.store().len().into(), budget)?;
        }
        if expanded > 0 {
            marking_number += expanded;
        } else {
            visitor.select_transitions(
                &mut scratch,
                space.loaded_marking(marking_number),
                &mut enabled,
            );
            if !space
                .expand(marking_number, &enabled, |_, _, _| {})
                .map_err(ExplorationError::from)?
            {
                visitor.note(&mut scratch, space.loaded_marking(marking_number), &mut totals);
                marking_number += 1;
            }
        }
        totals.error.map_or(Ok(()), Err)?;
    }
    totals.sums.resize(component.products.len(), FactorSum::default());
    Ok((totals.sums.into_iter().map(FactorSum::total).collect(), marking_number.into()))
}

/// A visitor that adds up the products of a component over the visited markings. A product has one
/// factor per place. The first product is the number of original markings that a marking of the
/// reduced net stands for.
struct SumVisitor<'p> {
    component: &'p CountedComponent,
    /// The component's net, with the transitions that [`with_probes`] adds to test the lower bounds
    /// of products.
    net: &'p Net,
    /// For each transition, the indices of the products assigned to it. The lower bounds of these
    /// products are the input weights of the transition, so they hold exactly if it is enabled.
    products_of: Vec<Vec<u32>>,
    /// The functions from token counts to factors, shared by the threads. Used for values that a
    /// thread has not cached yet.
    weights: Mutex<&'p mut MarkingFactors>,
}

/// The sum of each product over some of the markings, and the first error.
#[derive(Default)]
struct FactorSums {
    /// The sum of each product. Empty before the first marking.
    sums: Vec<FactorSum>,
    /// The first error in computing a factor.
    error: Option<WeightError>,
}

impl FactorSums {
    fn merge(&mut self, added: FactorSums) {
        self.error = self.error.or(added.error);
        self.sums.resize(self.sums.len().max(added.sums.len()), FactorSum::default());
        self.sums.iter_mut().zip(added.sums).for_each(|(sum, added)| {
            sum.add(added.small);
            sum.large += added.large;
        });
    }
}

impl<'p> Visitor for SumVisitor<'p> {
    type Scratch = SumScratch<'p>;
    type Notes = FactorSums;

    fn scratch(&self) -> SumScratch<'p> {
        let distinct = EffectFilter::new(self.net);
        SumScratch {
            effect_filter: distinct,
            nonzero_products: Vec::new(),
            function_values: HashMap::new(),
            product_values: Vec::new(),
        }
    }

    fn select_transitions(
        &self,
        scratch: &mut SumScratch<'p>,
        _: ExpandedMarking<'_>,
        enabled: &mut Vec<u32>,
    ) {
        scratch.nonzero_products.clear();
        let products = enabled.iter().flat_map(|&t| &self.products_of[t as usize]);
        scratch.nonzero_products.extend(products);
        scratch.effect_filter.retain(enabled);
    }

    fn note(
        &self,
        scratch: &mut SumScratch<'p>,
        seen: ExpandedMarking<'_>,
        notes: &mut FactorSums,
    ) {
        let FactorSums { sums, error } = notes;
        sums.resize(self.component.products.len(), FactorSum::default());
        if self.component.factors.is_empty() {
            sums[0].small += 1;
            scratch.nonzero_products.iter().for_each(|&product| sums[product as usize].small += 1);
            return;
        }
        let tokens_of = |place| seen.tokens(place);
        let result = self.add_small(scratch, &tokens_of, sums).and_then(|result| match result {
            Some(()) => Ok(()),
            None => self.add_large(&scratch.nonzero_products, &tokens_of, sums),
        });
        *error = error.or(result.err());
    }
}

/// Returns the net of a component with additional transitions without effect. For each product,
/// some transition has the product's lower bounds as its input weights. Also returns, for each
/// transition, the indices of the products assigned to it. The first product has no lower bounds
/// and is assigned to no transition.
fn with_probes(component: &CountedComponent) -> (Net, Vec<Vec<u32>>) {
    let net = &component.net;
    let mut builder = NetBuilder::new(net.name());
    let mut transition_of: HashMap<Vec<(PlaceId, u64)>, usize> = HashMap::new();
    // A copy of a valid net with new, distinct names is valid. The names are never shown.
    let names_are_new = "a net without names of its own";
    let places: Vec<PlaceId> = net
        .places()
        .map(|p| builder.place(&format!("p{}", p.index()), net.initial()[p]).expect(names_are_new))
        .collect();
    let mut products_of: Vec<Vec<u32>> = Vec::new();
    for t in net.transitions() {
        let new = builder.transition(&format!("t{}", t.index())).expect(names_are_new);
        for arc in net.pre(t) {
            builder.take(new, places[arc.place.index()], arc.weight).expect(names_are_new);
        }
        for arc in net.post(t) {
            builder.put(new, places[arc.place.index()], arc.weight).expect(names_are_new);
        }
        let preset = net.pre(t).iter().map(|arc| (arc.place, arc.weight)).collect();
        transition_of.entry(preset).or_insert(products_of.len());
        products_of.push(Vec::new());
    }
    for (product_index, FactorProduct { lower_bounds: product_bounds, .. }) in
        (0..).zip(&component.products).skip(1)
    {
        let owner = *transition_of.entry(product_bounds.clone()).or_insert_with(|| {
            let probe =
                builder.transition(&format!("t{}", products_of.len())).expect(names_are_new);
            for &(place, weight) in product_bounds {
                builder.take(probe, places[place.index()], weight).expect(names_are_new);
                builder.put(probe, places[place.index()], weight).expect(names_are_new);
            }
            products_of.push(Vec::new());
            products_of.len() - 1
        });
        products_of[owner].push(product_index);
    }
    (builder.build().expect(names_are_new), products_of)
}

/// A sum of natural numbers, most of which fit in 128 bits.
#[derive(Clone, Debug, Default)]
struct FactorSum {
    /// Sum of the summands since the last overflow of 128 bits.
    small: u128,
    /// Sum of all earlier or larger summands.
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

/// The working data of one thread for the sums.
struct SumScratch<'n> {
    effect_filter: EffectFilter<'n>,
    /// Indices of the products, except the first, whose lower bounds hold in the current marking.
    /// The other products are 0 there.
    nonzero_products: Vec<u32>,
    /// Cache of the values of factor functions, by function and token count. `None` for values
    /// beyond 128 bits.
    function_values: HashMap<(FunctionId, u64), Option<u128>>,
    /// The values of the products in `nonzero_products` in the current marking, in the same order,
    /// if they were computed in 128 bits.
    product_values: Vec<u128>,
}

/// Returns the function that gives the factor of a place in product 0, and in products that do not
/// replace it. Returns an error if the component has no factor for the place.
fn default_factor(component: &CountedComponent, place: PlaceId) -> Result<FunctionId, WeightError> {
    let index = component.factors.binary_search_by_key(&place, |it| it.0);
    index.map(|index| component.factors[index].1).map_err(|_| WeightError::NotWhole)
}

impl<'p> SumVisitor<'p> {
    /// Returns the sum of each product of a component without factors. Then a product is 1 in the
    /// markings that satisfy its lower bounds, and 0 in the others.
    fn sums_of_counts(&self, counts: &GroupedCounts) -> Vec<BigUint> {
        let mut sums = vec![BigUint::default(); self.component.products.len()];
        sums[0] = counts.markings.into();
        for (products, &markings) in self.products_of.iter().zip(&counts.enabled_in) {
            products.iter().for_each(|&product| sums[product as usize] = markings.into());
        }
        sums
    }

    fn weights(&self) -> MutexGuard<'_, &'p mut MarkingFactors> {
        // The lock of a thread that panicked is taken too: the panic ends the whole count anyway.
        locked(&self.weights)
    }

    /// Returns the value of a factor function at a token count, from `cache` if possible. Returns
    /// `None` if the value exceeds 128 bits, and an error if it cannot be computed.
    fn function_value(
        &self,
        cache: &mut HashMap<(FunctionId, u64), Option<u128>>,
        function: FunctionId,
        tokens: u64,
    ) -> Result<Option<u128>, WeightError> {
        if let Some(&cached) = cache.get(&(function, tokens)) {
            return Ok(cached);
        }
        let number = u128::try_from(self.weights().value(function, tokens)?).ok();
        cache.insert((function, tokens), number);
        Ok(number)
    }

    /// Adds the values of all products in a marking to `sums`. `tokens` returns the token count of
    /// a place. Returns `None` and adds nothing if a number does not fit in 128 bits.
    fn add_small(
        &self,
        SumScratch {
            nonzero_products,
            function_values: cache,
            product_values: values,
            ..
        }: &mut SumScratch<'_>,
        tokens: &dyn Fn(PlaceId) -> u64,
        sums: &mut [FactorSum],
    ) -> Result<Option<()>, WeightError> {
        let mut marking_count = 1u128;
        for &(place, function) in &self.component.factors {
            let Some(product) = self
                .function_value(cache, function, tokens(place))?
                .and_then(|weight| marking_count.checked_mul(weight))
            else {
                return Ok(None);
            };
            marking_count = product;
        }
        values.clear();
        for &product_index in &*nonzero_products {
            let mut product_value = marking_count;
            for &(place, new_factor) in &self.component.products[product_index as usize].changed {
                let tokens = tokens(place);
                let old_value =
                    self.function_value(cache, default_factor(self.component, place)?, tokens)?;
                let new_value = self.function_value(cache, new_factor, tokens)?;
                // `old_value` divides `product_value`, and the new factor is not larger.
                let quotient = old_value.and_then(|old_value| product_value.checked_div(old_value));
                match quotient
                    .zip(new_value)
                    .and_then(|(quotient, new_value)| quotient.checked_mul(new_value))
                {
                    Some(changed) => product_value = changed,
                    None => return Ok(None),
                }
            }
            values.push(product_value);
        }
        sums[0].add(marking_count);
        for (&number, &product_value) in nonzero_products.iter().zip(&*values) {
            sums[number as usize].add(product_value);
        }
        Ok(Some(()))
    }

    /// Like [`add_small`](Self::add_small), with numbers of any size.
    fn add_large(
        &self,
        products: &[u32],
        tokens: &dyn Fn(PlaceId) -> u64,
        sums: &mut [FactorSum],
    ) -> Result<(), WeightError> {
        let (component, mut weights) = (self.component, self.weights());
        let mut marking_count = BigUint::from(1u8);
        for &(place, function) in &component.factors {
            marking_count *= weights.value(function, tokens(place))?;
        }
        for &product_index in products {
            let mut counts = marking_count.clone();
            for &(place, new_factor) in &component.products[product_index as usize].changed {
                let tokens = tokens(place);
                // Not 0: without lower bounds, there is a way to distribute any number of tokens.
                counts /= weights.value(default_factor(component, place)?, tokens)?;
                counts *= weights.value(new_factor, tokens)?;
            }
            sums[product_index as usize].large += counts;
        }
        sums[0].large += marking_count;
        Ok(())
    }
}
