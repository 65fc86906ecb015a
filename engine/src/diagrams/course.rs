//! Log of the tries to compute a reachable set with different orders of places. It has the number
//! of diagram nodes while the set grows, and the result.
//!
//! The log is kept outside the computation, so that it is available even if no set was found.

use num_bigint::BigUint;
use parikh_solvers::locked;
use parikh_symbolic::order::OrderMethod;
use parikh_symbolic::{DiagramFigures, Stop};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Limit on the number of samples of one try. Beyond the limit, every second sample is dropped.
const MAX_SAMPLES: usize = 400;

/// One try to compute a reachable set with an order of places, within a time slice.
#[derive(Clone, Debug)]
pub struct OrderTry {
    /// The method that made the order.
    pub method: OrderMethod,
    /// Score of the order. Lower is better.
    pub score: f64,
    /// Start time.
    pub start: Instant,
    /// Samples of the number of nodes, each with the time since the start, in order of time.
    pub nodes: Vec<(Duration, usize)>,
    /// Size of the diagrams when the try last reported it.
    pub figures: DiagramFigures,
    /// Time and result of the construction of the set: complete, or the reason why it stopped.
    /// `None` while it runs, and if the try failed before the construction began.
    pub outcome: Option<(Duration, Result<(), Stop>)>,
    /// Number of markings, if they were counted.
    pub markings: Option<BigUint>,
}

/// A reference to the log entry of the try that led to a set.
#[derive(Clone, Copy, Debug)]
pub struct TryEntry<'c> {
    /// The log with the entry.
    pub(super) log: &'c TryLog,
    /// Index of the entry in the log.
    pub(super) index: usize,
}

impl TryEntry<'_> {
    /// Records the number of markings.
    pub fn record_markings(&self, markings: &BigUint) {
        self.log.lock()[self.index].markings = Some(markings.clone());
    }
}

/// The log of the tries so far, by start time. Clones share the log.
#[derive(Clone, Debug, Default)]
pub struct TryLog {
    tries: Arc<Mutex<Vec<OrderTry>>>,
}

impl TryLog {
    /// Returns the tries so far.
    pub fn tries(&self) -> Vec<OrderTry> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<OrderTry>> {
        locked(&self.tries)
    }

    /// Adds an entry for a new try and returns its index.
    pub(super) fn begin(&self, method: OrderMethod, score: f64) -> usize {
        let mut tries = self.lock();
        let (start, nodes, figures) = (Instant::now(), Vec::new(), DiagramFigures::default());
        tries.push(OrderTry {
            method,
            score,
            start,
            nodes,
            figures,
            outcome: None,
            markings: None,
        });
        tries.len() - 1
    }

    /// Records the current size of the diagrams of the try with this index.
    pub(super) fn sample(&self, index: usize, figures: &DiagramFigures) {
        let entry = &mut self.lock()[index];
        let age = entry.start.elapsed();
        entry.figures = *figures;
        // Minimum time between samples: the age of the try divided by the maximal number of
        // samples, but at least half a millisecond.
        let min_distance = (age / MAX_SAMPLES as u32).max(Duration::from_micros(500));
        if entry.nodes.last().is_none_or(|last| age.saturating_sub(last.0) >= min_distance) {
            entry.nodes.push((age, figures.nodes));
            if entry.nodes.len() > MAX_SAMPLES {
                let mut keeps = false;
                entry.nodes.retain(|_| {
                    keeps = !keeps;
                    keeps
                });
            }
        }
    }

    /// Records the end of the construction of the set in the try with this index, with its result.
    /// Adds the final sample.
    pub(super) fn finish_try(
        &self,
        index: usize,
        figures: &DiagramFigures,
        result: Result<(), Stop>,
    ) {
        let entry = &mut self.lock()[index];
        let age = entry.start.elapsed();
        entry.nodes.push((age, figures.nodes));
        entry.figures = *figures;
        entry.outcome = Some((age, result));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_stay_few_and_in_order() {
        let course = TryLog::default();
        let at = course.begin(OrderMethod { name: "net", is_reversed: false }, 1.0);
        for nodes in 0..3 * MAX_SAMPLES {
            // Simulates a try that began long ago, with one second between the samples.
            course.lock()[at].start -= Duration::from_secs(1);
            course.sample(at, &DiagramFigures { nodes, ..DiagramFigures::default() });
        }
        course.finish_try(
            at,
            &DiagramFigures { nodes: 7, ..DiagramFigures::default() },
            Err(Stop::Requested),
        );
        let tries = course.tries();
        assert!(tries[0].nodes.len() <= MAX_SAMPLES + 1);
        assert!(tries[0].nodes.len() > MAX_SAMPLES / 4);
        assert!(tries[0].nodes.is_sorted_by_key(|sample| sample.0));
        assert_eq!(tries[0].nodes.last().map(|sample| sample.1), Some(7));
        assert!(matches!(tries[0].outcome, Some((_, Err(Stop::Requested)))));
    }
}
