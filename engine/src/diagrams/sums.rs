//! Sums over the markings of a component of a reduced net, computed as weighted counts on a
//! diagram. They give the [number of markings](parikh_evidence::counting) of the original net. The
//! module [`explicit`](crate::explicit::sums) computes the same sums by visiting all markings.

use super::confirm::confirm;
use super::level_groups::{LevelGroup, LevelGroups, ValueInterval, intersect};
use super::{DiagramError, OrderThreads, TryLog, explore_groups};
use num_bigint::BigUint;
use parikh_evidence::counting::{CountedComponent, FunctionId, MarkingFactors, WeightError};
use parikh_solvers::Budget;
use parikh_solvers::locked;
use parikh_symbolic::{Changes, Factor, Factors};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
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
    explore_groups(&component.net, threads, budget, log, |reached| {
        let values = reached.diagrams.values_by_level(reached.set);
        let mut weights = locked(&weights);
        let mut table = FactorTable {
            weights: &mut weights,
            values: &values,
            factors: Factors::default(),
            index_by_key: HashMap::new(),
        };
        let (factors, changes) =
            match factors(component, (reached.groups, reached.level_of), &mut table) {
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

/// Identifies a factor of a product: a function of the value of a level. It is 0 outside of an
/// interval of values. Inside, it is a product of functions of the tokens of places.
#[derive(Clone, PartialEq, Eq, Hash)]
struct FactorKey {
    /// The level. 0 if there are no functions, since such a factor is the same at all levels.
    level: u32,
    /// The values for which the factor is not 0.
    values: ValueInterval,
    /// For some places of the level's group, by index in the group: the function of their tokens.
    functions: Rc<BTreeMap<usize, FunctionId>>,
}

/// The factors created so far.
struct FactorTable<'t> {
    /// The values of functions of token counts.
    weights: &'t mut MarkingFactors,
    /// The values that occur at each level.
    values: &'t [Vec<u64>],
    /// The factors created so far, by index.
    factors: Factors,
    /// The index of each factor in the table of `factors`, by key.
    index_by_key: HashMap<FactorKey, usize>,
}

impl FactorTable<'_> {
    /// Returns the index of the factor with this key at the level of `group`. The factor is created
    /// if it is new.
    fn factor(&mut self, key: FactorKey, group: &LevelGroup) -> Result<usize, WeightError> {
        if let Some(&known_index) = self.index_by_key.get(&key) {
            return Ok(known_index);
        }
        let (least, most) = key.values;
        let factor = if key.functions.is_empty() {
            Factor::Between(least, most)
        } else {
            let mut numbers: HashMap<u64, BigUint> = HashMap::new();
            for &value in &self.values[key.level as usize] {
                if (least..=most).contains(&value) {
                    let mut product = BigUint::from(1u8);
                    for (&index, &function) in key.functions.as_ref() {
                        product *= self.weights.value(function, group.tokens(index, value))?;
                    }
                    numbers.insert(value, product);
                }
            }
            let weight_of_value = move |value| numbers.get(&value).cloned().unwrap_or_default();
            Factor::Weight(Box::new(weight_of_value))
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
    (groups, level_of): (&LevelGroups, &[u32]),
    table: &mut FactorTable<'_>,
) -> Result<Vec<Changes>, WeightError> {
    // The common factor of each group with functions.
    let mut common: HashMap<u32, FactorKey> = HashMap::new();
    let constant_one = |group: u32| FactorKey {
        level: level_of[group as usize],
        values: (0, u64::MAX),
        functions: Rc::default(),
    };
    for &(place, function) in &component.factors {
        let (group, index) = groups.location(place);
        let key = common.entry(group).or_insert_with(|| constant_one(group));
        Rc::make_mut(&mut key.functions).insert(index, function);
    }
    for (&group, key) in &common {
        let factor = table.factor(key.clone(), &groups.groups[group as usize])?;
        table.factors.common.insert(level_of[group as usize], factor);
    }
    let default_key =
        |group: u32| common.get(&group).cloned().unwrap_or_else(|| constant_one(group));
    let mut changes_by_product = Vec::with_capacity(component.products.len());
    for product in &component.products {
        let mut differing: HashMap<u32, FactorKey> = HashMap::new();
        for &(place, min_tokens) in &product.lower_bounds {
            let (group, index) = groups.location(place);
            let key = differing.entry(group).or_insert_with(|| default_key(group));
            let needed = groups.groups[group as usize].values_with(index, min_tokens);
            key.values = intersect(key.values, needed);
        }
        for &(place, function) in &product.changed {
            let (group, index) = groups.location(place);
            let key = differing.entry(group).or_insert_with(|| default_key(group));
            Rc::make_mut(&mut key.functions).insert(index, function);
        }
        let mut changes: Changes = Vec::with_capacity(differing.len());
        for (group, mut key) in differing {
            if key.functions.is_empty() {
                key.level = 0; // the same at all levels
            }
            let factor = table.factor(key, &groups.groups[group as usize])?;
            changes.push((level_of[group as usize], factor));
        }
        changes.sort_unstable();
        changes_by_product.push(changes);
    }
    Ok(changes_by_product)
}
