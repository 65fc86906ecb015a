//! Numbers of markings and firings, computed through reductions that preserve every marking.
//!
//! The net is reduced. The checker repeats the reduction and derives a formula for the numbers
//! ([`crate::evidence::counting`]). The markings of the parts of the reduced net are then visited,
//! or added up on decision diagrams. If there are few, the checker visits them as well, and the
//! numbers are certified.

use super::shares::{RECOUNTING, REDUCTION};
use crate::engine::diagrams::{self, Course};
use crate::engine::explicit;
use crate::evidence::counting::{self, CountError, Figures, Formula, NoFormula};
use crate::evidence::reduction::NamedLog;
use crate::reduction::rules::Limits;
use crate::reduction::{self, Reduction, rules};
use num_bigint::BigUint;
use parikh_net::{Net, PlaceId};
use parikh_solvers::Budget;
use std::collections::HashMap;

/// Numbers computed through a reduction, or for the net itself.
#[derive(Debug)]
pub struct CountResult {
    /// The numbers.
    pub figures: Figures,
    /// The number of markings of the reduced net, u64::MAX for more; they were visited or are the
    /// members of diagrams.
    pub visited: u64,
    /// True if they were added up on diagrams.
    pub on_diagrams: bool,
    /// True if the checker confirmed that the diagrams are closed under firing.
    pub closed: bool,
    /// The reduction, if there was one.
    pub log: Option<NamedLog>,
    /// Numbers of places and transitions before and after the reduction.
    pub sizes: [(usize, usize); 2],
    /// True if the checker visited the markings as well.
    pub certified: bool,
}

/// The method by which markings are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountMethod {
    /// Explicit visits, with this number of threads.
    Visiting(usize),
    /// Decision diagrams, with orders tried on this number of threads.
    Diagrams(usize),
}

/// A count that can continue after its budget ended.
#[derive(Clone, Debug)]
pub struct Count<'n> {
    net: &'n Net,
    formula: Formula,
    log: Option<NamedLog>,
    sizes: [(usize, usize); 2],
    /// For each finished part, its sums and its number of markings.
    sums: Vec<Option<(Vec<BigUint>, u64)>>,
    /// True if some parts were counted on diagrams.
    on_diagrams: bool,
    closed: bool,
    course: Course,
}

/// The number of times the net is reduced again without removing places that a number depends on
/// jointly.
const ATTEMPTS: usize = 5;

/// Rules that make numbers depend on several places jointly.
const COUPLING: [&str; 2] = ["proportional-places", "redundant-places"];

/// Largest work of the checker for a certified number: markings times nodes.
const RECOUNTED: u64 = 50_000_000;

impl<'n> Count<'n> {
    /// Reduces the net, without some rules. The budget may cut the reduction short, which is then
    /// used as far as it goes.
    ///
    /// # Errors
    /// The reason why there is no formula.
    pub fn prepare(
        net: &'n Net,
        without_rules: &[&'static str],
        budget: &Budget,
    ) -> Result<Self, String> {
        let without = without_rules.to_vec();
        let mut config = reduction::Config { without, ..reduction::Config::default() };
        for attempt in 0..=ATTEMPTS {
            if attempt == ATTEMPTS {
                let others = rules::names().filter(|rule| !COUPLING.contains(rule));
                config.only = Some(others.collect());
            }
            let slice = budget.share(REDUCTION);
            let reduction = reduction::reduce(net, &counting::needs(), &slice, &config);
            if reduction.log.is_empty() {
                break;
            }
            let steps = reduction.log.steps().map(Ok);
            match Formula::of_steps(net, steps, &mut || !budget.is_exhausted()) {
                Ok(formula) => return Ok(Count::through(net, formula, &reduction)),
                Err(CountError::NoFormula(NoFormula::Coupled(places))) => {
                    tracing::debug!("counting: {} places are put back", places.len());
                    put_back(&mut config.limits, places);
                }
                Err(error) => return Err(error.to_string()),
            }
        }
        let formula = Formula::of_net(net).map_err(|error| error.to_string())?;
        let size = (net.place_count(), net.transition_count());
        let sums = vec![None; formula.parts.len()];
        Ok(Count {
            net,
            formula,
            log: None,
            sizes: [size; 2],
            sums,
            on_diagrams: false,
            closed: true,
            course: Course::default(),
        })
    }

    fn through(net: &'n Net, formula: Formula, reduction: &Reduction) -> Self {
        let size = |net: &Net| (net.place_count(), net.transition_count());
        let sums = vec![None; formula.parts.len()];
        let log = Some(reduction.log.in_names(net, reduction.needs()));
        Count {
            net,
            formula,
            log,
            sizes: [size(net), size(&reduction.net)],
            sums,
            on_diagrams: false,
            closed: true,
            course: Course::default(),
        }
    }

    /// Returns true if the reduced net seems to have fewer markings than the net.
    pub fn is_smaller(&self) -> bool {
        self.log.is_some() || self.formula.parts.len() > 1
    }

    /// Reports the growth of diagrams to `course`.
    pub fn telling(self, course: &Course) -> Self {
        Count { course: course.clone(), ..self }
    }

    /// Adds up the remaining markings.
    ///
    /// # Errors
    /// The reason why not all of them were added up.
    pub fn go_on(&mut self, adding: CountMethod, budget: &Budget) -> Result<CountResult, String> {
        let Formula { parts, weights, .. } = &mut self.formula;
        // Parts that are equal up to names have equal sums; nets of many agents have many such
        // parts.
        let mut alike: HashMap<String, usize> = HashMap::new();
        let several = parts.len() > 1;
        for (at, part) in parts.iter().enumerate() {
            let twin = match several {
                true => *alike.entry(part.fingerprint()).or_insert(at),
                false => at,
            };
            if self.sums[at].is_none() {
                self.sums[at] = match adding {
                    _ if twin != at => self.sums[twin].clone(),
                    CountMethod::Visiting(threads) => {
                        let sums = explicit::sums::sums(part, weights, threads, budget);
                        Some(sums.map_err(|why| why.to_string())?)
                    }
                    CountMethod::Diagrams(threads) => {
                        let course = &self.course;
                        let sums = diagrams::sums::sums(part, weights, threads, budget, course);
                        let found = sums.map_err(|why| why.to_string())?;
                        self.on_diagrams = true;
                        self.closed &= found.closed;
                        Some((found.sums, u64::try_from(found.markings).unwrap_or(u64::MAX)))
                    }
                };
            }
        }
        let done = || self.sums.iter().flatten();
        // The markings of an equal part count as visited, too.
        let visited = done().fold(0u64, |all, (_, markings)| all.saturating_add(*markings));
        let all: Vec<Vec<BigUint>> = done().map(|(sums, _)| sums.clone()).collect();
        let figures = self.formula.figures(&all);
        let certified = self.certified(visited, &figures, &budget.share(RECOUNTING))?;
        let (log, on_diagrams, closed) = (self.log.clone(), self.on_diagrams, self.closed);
        Ok(CountResult { figures, visited, on_diagrams, closed, log, sizes: self.sizes, certified })
    }

    /// Returns true if the checker was asked and confirms the numbers.
    fn certified(
        &mut self,
        visited: u64,
        figures: &Figures,
        budget: &Budget,
    ) -> Result<bool, String> {
        let size = |net: &Net| (net.place_count() + net.transition_count()) as u64;
        let products = |products: usize| products as u64;
        let work: u64 = self
            .formula
            .parts
            .iter()
            .zip(self.sums.iter().flatten())
            .map(|(part, (_, markings))| {
                markings.saturating_mul(size(&part.net) + products(part.products.len()))
            })
            .fold(0, u64::saturating_add);
        // Without this limit the caller might wait long for the checker.
        let most = if self.on_diagrams { RECOUNTED / 10 } else { RECOUNTED };
        if work > most {
            return Ok(false);
        }
        match counting::count(&mut self.formula, visited, &mut || !budget.is_exhausted()) {
            Ok((again, _)) if again == *figures => Ok(true),
            Ok((again, _)) => {
                let net = self.net.name();
                tracing::error!("internal error: {net}: first {figures:?}, then {again:?}");
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
fn put_back(limits: &mut Limits, places: Vec<PlaceId>) {
    limits.kept.extend(places);
    limits.kept.sort_unstable();
    limits.kept.dedup();
}
