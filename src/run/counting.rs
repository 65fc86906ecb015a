//! Numbers of markings and firings through reductions that keep every marking.
//!
//! The net is reduced, the checker goes through the reduction again and takes down what it says of
//! the markings, and those of the parts of what is left are visited
//! ([`crate::evidence::counting`]), or added up on diagrams of them. Where these are few, the
//! checker visits them again by itself, and the numbers are certified.

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

/// Numbers through a reduction, or of the net as it is.
#[derive(Debug)]
pub struct CountResult {
    /// The numbers.
    pub figures: Figures,
    /// How many markings are left, u64::MAX for more. That many were visited, or are the members of
    /// diagrams.
    pub visited: u64,
    /// Whether they were added up on diagrams.
    pub on_diagrams: bool,
    /// Where they were: whether the checker found that no marking is missing there.
    pub closed: bool,
    /// The reduction, where there was one.
    pub log: Option<NamedLog>,
    /// How far it went: places and transitions before and after.
    pub sizes: [(usize, usize); 2],
    /// Whether the checker has visited them, too.
    pub certified: bool,
}

/// How the markings that are left are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountMethod {
    /// One by one, by so many threads.
    Visiting(usize),
    /// On decision diagrams, with orders tried on so many threads.
    Diagrams(usize),
}

/// A count that may go on where a budget has ended it before.
#[derive(Clone, Debug)]
pub struct Count<'n> {
    net: &'n Net,
    formula: Formula,
    log: Option<NamedLog>,
    sizes: [(usize, usize); 2],
    /// Of each part that is done the sums, and how many markings it has.
    sums: Vec<Option<(Vec<BigUint>, u64)>>,
    /// Whether some were made on diagrams, and whether the checker found these to be complete.
    on_diagrams: bool,
    closed: bool,
    course: Course,
}

/// How often the net is reduced again without removing places on which a number depends together.
const ATTEMPTS: usize = 5;

/// Rules that make numbers depend on several places together.
const COUPLING: [&str; 2] = ["proportional-places", "redundant-places"];

/// The most work of the checker for a certified number: markings times nodes.
const RECOUNTED: u64 = 50_000_000;

impl<'n> Count<'n> {
    /// Reduces the net, without some rules. Its budget cuts a reduction short, which is then as far
    /// as it goes.
    ///
    /// # Errors
    /// Why there is no formula.
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

    /// Whether it is about fewer markings than there are, as far as one can tell.
    pub fn is_smaller(&self) -> bool {
        self.log.is_some() || self.formula.parts.len() > 1
    }

    /// The same, and `course` is told how diagrams grow.
    pub fn telling(self, course: &Course) -> Self {
        Count { course: course.clone(), ..self }
    }

    /// Adds up the markings that are left.
    ///
    /// # Errors
    /// Why not all of them.
    pub fn go_on(&mut self, adding: CountMethod, budget: &Budget) -> Result<CountResult, String> {
        let Formula { parts, weights, .. } = &mut self.formula;
        // Parts that are equal in all but names have equal sums, and nets of many agents many of
        // them.
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
        // That of a twin is one that was visited, too.
        let visited = done().fold(0u64, |all, (_, markings)| all.saturating_add(*markings));
        let all: Vec<Vec<BigUint>> = done().map(|(sums, _)| sums.clone()).collect();
        let figures = self.formula.figures(&all);
        let certified = self.certified(visited, &figures, &budget.share(RECOUNTING))?;
        let (log, on_diagrams, closed) = (self.log.clone(), self.on_diagrams, self.closed);
        Ok(CountResult { figures, visited, on_diagrams, closed, log, sizes: self.sizes, certified })
    }

    /// Whether the checker finds the same, where it is asked.
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
        // What was too much to be visited at once would have the caller wait for the checker.
        let most = if self.on_diagrams { RECOUNTED / 10 } else { RECOUNTED };
        if work > most {
            return Ok(false);
        }
        match counting::count(&mut self.formula, visited, &mut || !budget.is_exhausted()) {
            Ok((again, _)) if again == *figures => Ok(true),
            Ok((again, _)) => {
                let net = self.net.name();
                tracing::error!("internal error: {net}: {figures:?} and, again, {again:?}");
                Err("internal error: two counts differ".to_owned())
            }
            Err(error) => {
                tracing::debug!("not counted again: {error}");
                Ok(false)
            }
        }
    }
}

/// Has these places stay.
fn put_back(limits: &mut Limits, places: Vec<PlaceId>) {
    limits.kept.extend(places);
    limits.kept.sort_unstable();
    limits.kept.dedup();
}
