//! Numbers of markings and firings, computed through reductions that preserve every marking.
//!
//! The net is reduced. The checker repeats the reduction and derives a formula for the numbers
//! ([`parikh_evidence::counting`]). The markings of the parts of the reduced net are then visited,
//! or added up on decision diagrams. If there are few, the checker visits them as well, and the
//! numbers are certified.

use super::shares::{RECOUNTING, REDUCTION};
use num_bigint::BigUint;
use parikh_engine::diagrams::{self, OrderThreads, TryLog};
use parikh_engine::explicit::{self, StopRule};
use parikh_evidence::counting::{self, CountError, CountingFormula, NoFormula, StateSpaceFigures};
use parikh_evidence::reduction::NamedLog;
use parikh_net::{Net, PlaceId};
use parikh_reduction::rules::GrowthLimits;
use parikh_reduction::{Reduction, rules};
use parikh_solvers::Budget;
use std::collections::HashMap;

/// Numbers of markings and firings, computed through a reduction or for the net itself.
#[derive(Debug)]
pub struct CountResult {
    /// The numbers.
    pub figures: StateSpaceFigures,
    /// The number of counted markings: the sum over the separate parts of the reduced net, at most
    /// `u64::MAX`. Each marking was visited, or is a member of a decision diagram. The markings of
    /// a part that equals a counted part up to names are added without a further count.
    pub visited: u64,
    /// True if the markings of some part were counted on a decision diagram.
    pub on_diagrams: bool,
    /// True unless the checker failed to confirm that a diagram is closed under firing.
    pub diagrams_closed: bool,
    /// The reduction, in the names of the net; `None` if the net itself was counted.
    pub log: Option<NamedLog>,
    /// Numbers of places and transitions: before the reduction, and after it.
    pub sizes: [(usize, usize); 2],
    /// True if the checker visited the markings as well, and confirms the numbers.
    pub certified: bool,
}

/// The method by which markings are added up.
#[derive(Clone, Debug)]
pub enum CountMethod {
    /// Explicit visits, with this number of threads.
    Visiting(usize, StopRule),
    /// Decision diagrams, with orders tried on these threads.
    Diagrams(OrderThreads),
}

/// A count that can continue after its budget ended.
#[derive(Clone, Debug)]
pub struct ReducedCount<'n> {
    /// The net whose markings are counted.
    net: &'n Net,
    /// The formula that gives the numbers of markings and firings from the sums over the parts of
    /// the reduced net.
    formula: CountingFormula,
    /// The reduction, in the names of the net; `None` if the net itself is counted.
    log: Option<NamedLog>,
    /// Numbers of places and transitions: before the reduction, and after it.
    sizes: [(usize, usize); 2],
    /// For each part of the formula, by its index: the sums that the formula needs over the
    /// markings of the part, and the number of these markings. `None` for a part that is not
    /// counted yet.
    sums: Vec<Option<(Vec<BigUint>, u64)>>,
    /// True if some parts were counted on diagrams.
    on_diagrams: bool,
    /// True unless the checker failed to confirm a diagram as closed under firing.
    diagrams_closed: bool,
    /// Receives messages about the growth of diagrams.
    progress: TryLog,
}

/// The number of reductions that are tried with all rules that are not switched off. An attempt
/// fails if the tokens of some removed place depend on several remaining places at once. Later
/// attempts keep these places. One more attempt follows, without the rules of [`COUPLING_RULES`].
const ATTEMPTS: usize = 5;

/// Names of the reduction rules after which the tokens of a removed place may depend on several
/// remaining places at once.
const COUPLING_RULES: [&str; 2] = ["proportional-places", "redundant-places"];

/// Largest work of the checker for a certified number. The work is the sum over all parts of the
/// net: the number of markings, times the number of places, transitions and counted products
/// together. A tenth of it is allowed if a part was counted on diagrams.
const MAX_RECOUNT_WORK: u64 = 50_000_000;

impl<'n> ReducedCount<'n> {
    /// Reduces the net without the rules in `without_rules`. The net itself is counted if no rule
    /// is applied, or if no attempt gives a formula because places remain coupled
    /// (`COUPLING_RULES`). A reduction that the budget cuts short is used as far as it goes.
    ///
    /// # Errors
    /// The reason why there is no formula for the numbers, or that the budget is used up.
    pub fn prepare(
        net: &'n Net,
        without_rules: &[&'static str],
        budget: &Budget,
    ) -> Result<Self, String> {
        let switched_off = without_rules.to_vec();
        let mut config = parikh_reduction::ReductionConfig {
            without: switched_off,
            ..parikh_reduction::ReductionConfig::default()
        };
        for attempt in 0..=ATTEMPTS {
            if attempt == ATTEMPTS {
                let uncoupled = rules::names().filter(|rule| !COUPLING_RULES.contains(rule));
                config.only = Some(uncoupled.collect());
            }
            let slice = budget.share(REDUCTION);
            let reduction =
                parikh_reduction::reduce(net, &counting::needs_of_counting(), &slice, &config);
            if reduction.log.is_empty() {
                break;
            }
            let steps = reduction.log.steps().map(Ok);
            match CountingFormula::of_steps(net, steps, &mut || !budget.is_exhausted()) {
                Ok(formula) => return Ok(ReducedCount::of_reduction(net, formula, &reduction)),
                Err(CountError::NoFormula(NoFormula::Coupled(places))) => {
                    tracing::debug!("counting: {} places are put back", places.len());
                    keep_places(&mut config.limits, places);
                }
                Err(error) => return Err(error.to_string()),
            }
        }
        let formula = CountingFormula::of_net(net).map_err(|error| error.to_string())?;
        let size = (net.place_count(), net.transition_count());
        let sums = vec![None; formula.components.len()];
        Ok(ReducedCount {
            net,
            formula,
            log: None,
            sizes: [size; 2],
            sums,
            on_diagrams: false,
            diagrams_closed: true,
            progress: TryLog::default(),
        })
    }

    /// Prepares a count on the reduced net. `formula` gives the numbers of the original net from
    /// sums over the markings of the reduced net.
    fn of_reduction(net: &'n Net, formula: CountingFormula, reduction: &Reduction) -> Self {
        let size = |net: &Net| (net.place_count(), net.transition_count());
        let sums = vec![None; formula.components.len()];
        let log = Some(reduction.log.in_names(net, reduction.needs()));
        ReducedCount {
            net,
            formula,
            log,
            sizes: [size(net), size(&reduction.net)],
            sums,
            on_diagrams: false,
            diagrams_closed: true,
            progress: TryLog::default(),
        }
    }

    /// Returns true if the count works on a reduced net, or on several separate parts of the net.
    /// Then it usually has fewer markings to count than the net.
    pub fn is_smaller(&self) -> bool {
        self.log.is_some() || self.formula.components.len() > 1
    }

    /// Returns the nets whose markings are counted. They are separate parts of the reduced net.
    pub fn counted_nets(&self) -> impl Iterator<Item = &Net> {
        self.formula.components.iter().map(|part| &part.net)
    }

    /// Reports the growth of diagrams to `progress`.
    pub fn with_progress(self, progress: &TryLog) -> Self {
        ReducedCount { progress: progress.clone(), ..self }
    }

    /// Computes the sums of the parts that are not counted yet, and the numbers from all sums. Sums
    /// that are finished stay for the next call.
    ///
    /// # Errors
    /// The reason why not all sums were computed, or that the checker counts other numbers.
    pub fn continue_count(
        &mut self,
        method: &CountMethod,
        budget: &Budget,
    ) -> Result<CountResult, String> {
        let CountingFormula { components: parts, factors: weights, .. } = &mut self.formula;
        // Parts that are equal up to names have equal sums; nets of many agents have many such
        // parts.
        let mut first_by_fingerprint: HashMap<String, usize> = HashMap::new();
        let has_several_parts = parts.len() > 1;
        for (index, part) in parts.iter().enumerate() {
            let first_equal = match has_several_parts {
                true => *first_by_fingerprint.entry(part.fingerprint()).or_insert(index),
                false => index,
            };
            if self.sums[index].is_none() {
                self.sums[index] = match method {
                    _ if first_equal != index => self.sums[first_equal].clone(),
                    &CountMethod::Visiting(threads, stop_rule) => {
                        let sums = explicit::sums::sums(part, weights, threads, stop_rule, budget);
                        Some(sums.map_err(|why| why.to_string())?)
                    }
                    CountMethod::Diagrams(threads) => {
                        let progress = &self.progress;
                        let sums = diagrams::sums::sums(part, weights, threads, budget, progress);
                        let found = sums.map_err(|why| why.to_string())?;
                        self.on_diagrams = true;
                        self.diagrams_closed &= found.is_checked;
                        Some((found.sums, u64::try_from(found.markings).unwrap_or(u64::MAX)))
                    }
                };
            }
        }
        let finished = || self.sums.iter().flatten();
        // A part that equals a counted part up to names was not visited, but its markings count as
        // visited.
        let visited = finished().fold(0u64, |all, (_, markings)| all.saturating_add(*markings));
        let all: Vec<Vec<BigUint>> = finished().map(|(sums, _)| sums.clone()).collect();
        let figures = self.formula.figures(&all);
        let certified = self.is_confirmed(visited, &figures, &budget.share(RECOUNTING))?;
        let (log, on_diagrams, closed) = (self.log.clone(), self.on_diagrams, self.diagrams_closed);
        Ok(CountResult {
            figures,
            visited,
            on_diagrams,
            diagrams_closed: closed,
            log,
            sizes: self.sizes,
            certified,
        })
    }

    /// Returns true if the checker repeated the count and confirms the numbers. Returns false if
    /// the count is too large to be repeated, or the checker did not finish.
    ///
    /// # Errors
    /// If the checker finds other numbers.
    fn is_confirmed(
        &mut self,
        visited: u64,
        figures: &StateSpaceFigures,
        budget: &Budget,
    ) -> Result<bool, String> {
        let size = |net: &Net| (net.place_count() + net.transition_count()) as u64;
        let products = |products: usize| products as u64;
        let work: u64 = self
            .formula
            .components
            .iter()
            .zip(self.sums.iter().flatten())
            .map(|(part, (_, markings))| {
                markings.saturating_mul(size(&part.net) + products(part.products.len()))
            })
            .fold(0, u64::saturating_add);
        // Without this limit the caller might wait long for the checker.
        let max_work = if self.on_diagrams { MAX_RECOUNT_WORK / 10 } else { MAX_RECOUNT_WORK };
        if work > max_work {
            return Ok(false);
        }
        match counting::count(&mut self.formula, visited, &mut || !budget.is_exhausted()) {
            Ok((recount, _)) if recount == *figures => Ok(true),
            Ok((recount, _)) => {
                let net = self.net.name();
                tracing::error!("internal error: {net}: first {figures:?}, then {recount:?}");
                Err("internal error: two counts differ".to_owned())
            }
            Err(error) => {
                tracing::debug!("second count failed: {error}");
                Ok(false)
            }
        }
    }
}

/// Excludes these places from removal.
fn keep_places(limits: &mut GrowthLimits, places: Vec<PlaceId>) {
    limits.kept_places.extend(places);
    limits.kept_places.sort_unstable();
    limits.kept_places.dedup();
}
