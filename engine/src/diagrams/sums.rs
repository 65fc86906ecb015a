//! Sums over the markings of a component of a reduced net, for [numbers of
//! markings](parikh_evidence::counting), as weighted counts on a diagram. These are the sums that
//! [`explicit`](crate::explicit::sums) computes by visiting all markings.

use super::confirm::confirm;
use super::{DiagramError, TryLog, explore_telling};
use num_bigint::BigUint;
use parikh_evidence::counting::{CountedComponent, Function, MarkingFactors, WeightError};
use parikh_net::PlaceId;
use parikh_solvers::Budget;
use parikh_solvers::locked;
use parikh_symbolic::{Changes, Factor, Factors};
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

/// Sums over the markings of a component.
#[derive(Clone, Debug)]
pub struct DiagramSums {
    /// The sums, indexed by product.
    pub sums: Vec<BigUint>,
    /// Number of markings.
    pub markings: BigUint,
    /// True if the checker verified that no marking is missing.
    pub closed: bool,
}

/// Computes the sum of each product of `part` over all markings.
///
/// # Errors
/// Returns an error if the budget is not sufficient.
pub fn sums(
    part: &CountedComponent,
    weights: &mut MarkingFactors,
    threads: usize,
    budget: &Budget,
    course: &TryLog,
) -> Result<DiagramSums, DiagramError> {
    let weights = Mutex::new(weights);
    explore_telling(&part.net, threads, budget, course, |reached| {
        let values = reached.diagrams.values_by_level(reached.set);
        let mut weights = locked(&weights);
        let mut table = Table {
            weights: &mut weights,
            values: &values,
            factors: Factors::default(),
            known: HashMap::new(),
        };
        let (factors, changes) = match factors(part, reached.level_of, &mut table) {
            Ok(changes) => (table.factors, changes),
            Err(error) => return Ok(Err(error.into())),
        };
        let markings = reached.diagrams.count(reached.set)?;
        reached.tried.counted(&markings);
        let sums = reached.diagrams.weigh(reached.set, &factors, &changes)?;
        let closed = confirm(&part.net, &reached, &markings);
        Ok(closed.map(|closed| DiagramSums { sums, markings, closed }).map_err(DiagramError::from))
    })?
}

/// Key of a factor: a lower bound, a function, or both.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    level: u32,
    least: u64,
    function: Option<Function>,
}

/// The factors created so far.
struct Table<'t> {
    weights: &'t mut MarkingFactors,
    /// The token counts that occur at each level.
    values: &'t [Vec<u64>],
    factors: Factors,
    known: HashMap<Key, usize>,
}

impl Table<'_> {
    fn factor(&mut self, key: Key) -> Result<usize, WeightError> {
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let factor = match key.function {
            None => Factor::AtLeast(key.least),
            Some(function) => {
                let mut numbers: HashMap<u64, BigUint> = HashMap::new();
                for &tokens in &self.values[key.level as usize] {
                    if tokens >= key.least {
                        numbers.insert(tokens, self.weights.at(function, tokens)?);
                    }
                }
                let at = move |tokens: u64| numbers.get(&tokens).cloned().unwrap_or_default();
                Factor::Weight(Box::new(at))
            }
        };
        self.factors.table.push(factor);
        let at = self.factors.table.len() - 1;
        self.known.insert(key, at);
        Ok(at)
    }
}

/// Adds the factors of the products of `part` to the table. Returns, for each product, the levels
/// where its factors differ from the default ones.
fn factors(
    part: &CountedComponent,
    level_of: &[u32],
    table: &mut Table<'_>,
) -> Result<Vec<Changes>, WeightError> {
    let level = |place: PlaceId| level_of[place.index()];
    let default_functions: BTreeMap<PlaceId, Function> = part.counts.iter().copied().collect();
    for (&place, &function) in &default_functions {
        let key = Key { level: level(place), least: 0, function: Some(function) };
        let factor = table.factor(key)?;
        table.factors.common.insert(level(place), factor);
    }
    let mut all = Vec::with_capacity(part.products.len());
    for product in &part.products {
        let mut differing: BTreeMap<u32, Key> = BTreeMap::new();
        for &(place, least) in &product.least {
            let function = default_functions.get(&place).copied();
            differing.insert(level(place), Key { level: level(place), least, function });
        }
        for &(place, function) in &product.changed {
            let level = level(place);
            let key = Key { level, least: 0, function: Some(function) };
            differing.entry(level).or_insert(key).function = Some(function);
        }
        let mut changes: Changes = Vec::with_capacity(differing.len());
        for (level, mut key) in differing {
            if key.function.is_none() {
                key.level = 0; // the same at all levels
            }
            changes.push((level, table.factor(key)?));
        }
        all.push(changes);
    }
    Ok(all)
}
