//! What becomes of the orders that are tried: how many nodes there are while a set grows, and how
//! it ends.
//!
//! Kept beside the run, so that whoever asks can see it where nothing was found, too.

use num_bigint::BigUint;
use parikh_symbolic::{DiagramFigures, Stop};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The most samples of one try; where there are more, every other is dropped.
const SAMPLES: usize = 400;

/// One order for one slice of time.
#[derive(Clone, Debug)]
pub struct Try {
    /// What the order was made by.
    pub idea: &'static str,
    /// What it scored; low is good.
    pub score: f64,
    /// When it began.
    pub start: Instant,
    /// Nodes by the time since then, ascending.
    pub nodes: Vec<(Duration, usize)>,
    /// How large the diagrams were in the end.
    pub figures: DiagramFigures,
    /// When and how it ended: with all markings, or why not.
    pub end: Option<(Duration, Result<(), Stop>)>,
    /// How many markings there are, where they were counted.
    pub markings: Option<BigUint>,
}

/// The try that led to a set.
#[derive(Clone, Copy, Debug)]
pub struct Tried<'c> {
    pub(super) course: &'c Course,
    pub(super) at: usize,
}

impl Tried<'_> {
    /// How many markings there are.
    pub fn counted(&self, markings: &BigUint) {
        self.course.lock()[self.at].markings = Some(markings.clone());
    }
}

/// All tries so far, by their beginning. Clones are the same course.
#[derive(Clone, Debug, Default)]
pub struct Course {
    tries: Arc<Mutex<Vec<Try>>>,
}

impl Course {
    /// What was tried by now.
    pub fn tries(&self) -> Vec<Try> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Try>> {
        self.tries.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// A try begins; its number.
    pub(super) fn begin(&self, idea: &'static str, score: f64) -> usize {
        let mut tries = self.lock();
        let (start, nodes, figures) = (Instant::now(), Vec::new(), DiagramFigures::default());
        tries.push(Try { idea, score, start, nodes, figures, end: None, markings: None });
        tries.len() - 1
    }

    /// How large it is now.
    pub(super) fn sample(&self, at: usize, figures: &DiagramFigures) {
        let it = &mut self.lock()[at];
        let since = it.start.elapsed();
        it.figures = *figures;
        // As far apart as would fill the list twice, or half a millisecond.
        let apart = (since / SAMPLES as u32).max(Duration::from_micros(500));
        if it.nodes.last().is_none_or(|last| since.saturating_sub(last.0) >= apart) {
            it.nodes.push((since, figures.nodes));
            if it.nodes.len() > SAMPLES {
                let mut kept = false;
                it.nodes.retain(|_| {
                    kept = !kept;
                    kept
                });
            }
        }
    }

    /// It has ended.
    pub(super) fn end(&self, at: usize, figures: &DiagramFigures, how: Result<(), Stop>) {
        let it = &mut self.lock()[at];
        let since = it.start.elapsed();
        it.nodes.push((since, figures.nodes));
        it.figures = *figures;
        it.end = Some((since, how));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_stay_few_and_in_order() {
        let course = Course::default();
        let at = course.begin("net", 1.0);
        for nodes in 0..3 * SAMPLES {
            // As if it had begun long ago, each a second later.
            course.lock()[at].start -= Duration::from_secs(1);
            course.sample(at, &DiagramFigures { nodes, ..DiagramFigures::default() });
        }
        course.end(at, &DiagramFigures { nodes: 7, ..DiagramFigures::default() }, Err(Stop::Asked));
        let tries = course.tries();
        assert!(tries[0].nodes.len() <= SAMPLES + 1);
        assert!(tries[0].nodes.len() > SAMPLES / 4);
        assert!(tries[0].nodes.is_sorted_by_key(|sample| sample.0));
        assert_eq!(tries[0].nodes.last().map(|sample| sample.1), Some(7));
        assert!(matches!(tries[0].end, Some((_, Err(Stop::Asked)))));
    }
}
