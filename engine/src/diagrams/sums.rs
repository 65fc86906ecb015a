//! Sums over the markings of a component of a reduced net, computed as weighted counts on a
//! diagram. They give the [number of markings](parikh_evidence::counting) of the original net. The
//! module [`explicit`](crate::explicit::sums) computes the same sums by visiting all markings.

use super::confirm::confirm;
use super::{DiagramError, OrderThreads, TryLog, explore_logged};
use num_bigint::BigUint;
use parikh_evidence::counting::{CountedComponent, FunctionId, MarkingFactors, WeightError};
use parikh_net::PlaceId;
use parikh_solvers::Budget;
use parikh_solvers::locked;
use parikh_symbolic::{Changes, Factor, Factors};
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

/// The sums of the products of a [`CountedComponent`] over the component's markings. A product has
/// one factor per place. The first product is the number of original markings that a marking of the
/// reduced net stands for.
#[derive(Clone, Debug)]
pub struct DiagramSums {
    /// The sum of each product, in the order of [`CountedComponent::products`].
    pub sums: Vec<BigUint>,
    /// Number of markings.
    pub markings: BigUint,
    /// True if the checker verified that no marking is missing. False if the check was left out or
    /// not completed.
    pub is_checked: bool,
}

/// Computes the sum of each product of `component` over all markings, see [`DiagramSums`].
///
/// # Errors
/// Returns an error if the net has too many places or the budget is not sufficient. Also returns an
/// error if a function of the tokens cannot be computed, or if the checker refuses the set.
pub fn sums(
    component: &CountedComponent,
    weights: &mut MarkingFactors,
    threads: &OrderThreads,
    budget: &Budget,
    log: &TryLog,
) -> Result<DiagramSums, DiagramError> {
    let weights = Mutex::new(weights);
    explore_logged(&component.net, threads, budget, log, |reached| {
        let values = reached.diagrams.values_by_level(reached.set);
        let mut weights = locked(&weights);
        let mut table = FactorTable {
            weights: &mut weights,
            values: &values,
            factors: Factors::default(),
            index_by_key: HashMap::new(),
        };
        let (factors, changes) = match factors(component, reached.level_of, &mut table) {
            Ok(changes) => (table.factors, changes),
            Err(error) => return Ok(Err(error.into())),
        };
        let markings = reached.diagrams.count(reached.set)?;
        reached.log_entry.record_markings(&markings);
        let sums = reached.diagrams.weigh(reached.set, &factors, &changes)?;
        let closed = confirm(&component.net, &reached, &markings);
        Ok(closed.map(|closed| DiagramSums { sums, markings, is_checked: closed }))
    })?
}

/// Identifies a factor of a product. For token counts below a lower bound the factor is 0.
/// Otherwise it is a function of the token count, or 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct FactorKey {
    /// The level of the place. 0 if there is no function, since such a factor is the same at all
    /// levels.
    level: u32,
    /// Lower bound of the token count, below which the factor is 0. 0 for no lower bound.
    min_tokens: u64,
    /// The function of the tokens, or `None` for the constant 1.
    function: Option<FunctionId>,
}

/// The factors created so far.
struct FactorTable<'t> {
    /// The values of functions of token counts.
    weights: &'t mut MarkingFactors,
    /// The token counts that occur at each level.
    values: &'t [Vec<u64>],
    /// The factors created so far, by index.
    factors: Factors,
    /// The index of each factor in the table of `factors`, by key.
    index_by_key: HashMap<FactorKey, usize>,
}

impl FactorTable<'_> {
    /// Returns the index of the factor with this key, which is created if it is new.
    fn factor(&mut self, key: FactorKey) -> Result<usize, WeightError> {
        if let Some(&known_index) = self.index_by_key.get(&key) {
            return Ok(known_index);
        }
        let factor = match key.function {
            None => Factor::AtLeast(key.min_tokens),
            Some(function) => {
                let mut numbers: HashMap<u64, BigUint> = HashMap::new();
                for &tokens in &self.values[key.level as usize] {
                    if tokens >= key.min_tokens {
                        numbers.insert(tokens, self.weights.value(function, tokens)?);
                    }
                }
                let weight_of_tokens =
                    move |tokens: u64| numbers.get(&tokens).cloned().unwrap_or_default();
                Factor::Weight(Box::new(weight_of_tokens))
            }
        };
        self.factors.table.push(factor);
        let index = self.factors.table.len() - 1;
        self.index_by_key.insert(key, index);
        Ok(index)
    }
}

/// Adds the factors of the products of `component` to the table. A level has a common factor, which
/// most products share. Returns the deviations of each product: the levels where its factor differs
/// from the common factor, each with the index of the product's factor.
fn factors(
    component: &CountedComponent,
    level_of: &[u32],
    table: &mut FactorTable<'_>,
) -> Result<Vec<Changes>, WeightError> {
    let level = |place: PlaceId| level_of[place.index()];
    let default_functions: BTreeMap<PlaceId, FunctionId> =
        component.factors.iter().copied().collect();
    for (&place, &function) in &default_functions {
        let key = FactorKey { level: level(place), min_tokens: 0, function: Some(function) };
        let factor = table.factor(key)?;
        table.factors.common.insert(level(place), factor);
    }
    let mut changes_by_product = Vec::with_capacity(component.products.len());
    for product in &component.products {
        let mut differing: BTreeMap<u32, FactorKey> = BTreeMap::new();
        for &(place, min_tokens) in &product.lower_bounds {
            let function = default_functions.get(&place).copied();
            differing.insert(level(place), FactorKey { level: level(place), min_tokens, function });
        }
        for &(place, function) in &product.changed {
            let level = level(place);
            let key = FactorKey { level, min_tokens: 0, function: Some(function) };
            // A lower bound of the same place stays in the key. Only the function of the key
            // changes.
            differing.entry(level).or_insert(key).function = Some(function);
        }
        let mut changes: Changes = Vec::with_capacity(differing.len());
        for (level, mut key) in differing {
            if key.function.is_none() {
                key.level = 0; // the same at all levels
            }
            changes.push((level, table.factor(key)?));
        }
        changes_by_product.push(changes);
    }
    Ok(changes_by_product)
}
