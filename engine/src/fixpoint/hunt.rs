//! Hunts: walks from a marking of the search towards a marking that decides a part.
//!
//! E(φ U ψ) needs one path to ψ, and A(φ R ψ) is refuted by one path to ¬ψ. If such a part is
//! demanded far from the initial marking, its target may be thousands of firings away, while the
//! search expands markings one by one. Walks towards a target reach it at once in most nets. So
//! some of the demanded markings are starts of short walks, and the search follows their firing
//! sequences. The target is a condition that implies ψ or ¬ψ. Walks ignore φ: the search evaluates
//! it along the sequence.

use super::parts::{FormulaPart, FormulaParts};
use crate::Task;
use crate::board::{Board, Knowledge, ReachKnowledge, Witness};
use crate::walk::{self, WalkConfig};
use fastrand::Rng;
use parikh_net::{Facts, FiringSequence, Goal, GoalId, Marking, MarkingGoal, Net, Predicate};
use parikh_solvers::Budget;
use parikh_temporal::Quantifier;
use std::time::{Duration, Instant};

/// Work of the first hunt for a part, in units of about one firing. It doubles after each failure,
/// up to [`MAX_WORK`].
const FIRST_WORK: u64 = 1 << 14;

/// Maximum work of a hunt.
const MAX_WORK: u64 = 1 << 21;

/// Share of the time of a search that hunts may use, in [0, 1].
const HUNTING_SHARE: f64 = 0.25;

/// Approximate time for the preparation of a hunt, for each arc of the net.
const PREPARATION_PER_ARC: Duration = Duration::from_nanos(200);

/// The targets of the parts of a formula: for each part, a condition that decides the part along a
/// path to it. `None` if the part is no existential until and no universal release, or if no
/// condition is known.
pub(super) struct HuntTargets(pub(super) Vec<Option<Predicate>>);

impl HuntTargets {
    /// `implying` returns a predicate that implies the part with this index, or its negation if
    /// the second argument is false.
    pub(super) fn of(parts: &FormulaParts, implying: &dyn Fn(usize, bool) -> Predicate) -> Self {
        let target = |part: &FormulaPart| {
            let target = match *part {
                FormulaPart::Until(Quantifier::Exists, _, right) => implying(right, true),
                FormulaPart::Release(Quantifier::All, _, right) => implying(right, false),
                _ => return None,
            };
            (!matches!(target, Predicate::True | Predicate::False)).then_some(target)
        };
        HuntTargets(parts.parts.iter().map(target).collect())
    }
}

/// The hunts of one search.
pub(super) struct Hunter<'h> {
    net: &'h Net,
    targets: &'h HuntTargets,
    budget: Budget,
    rng: Rng,
    start: Instant,
    /// Number of first hunts that need no share of the time.
    free_hunts: u32,
    /// Time of all hunts so far.
    time_spent: Duration,
    /// Number of hunts for each part.
    hunt_counts: Vec<u32>,
    /// Number of failed hunts for each part since the last success.
    failures: Vec<u32>,
}

impl<'h> Hunter<'h> {
    pub(super) fn new(
        net: &'h Net,
        targets: &'h HuntTargets,
        budget: &Budget,
        seed: u64,
    ) -> Hunter<'h> {
        let no_hunts = vec![0; targets.0.len()];
        Hunter {
            net,
            targets,
            budget: budget.clone(),
            rng: Rng::with_seed(seed),
            start: Instant::now(),
            free_hunts: 0,
            time_spent: Duration::ZERO,
            hunt_counts: no_hunts.clone(),
            failures: no_hunts,
        }
    }

    /// Lets a number of first hunts run whatever the time, so that a test does not depend on it.
    #[cfg(test)]
    pub(super) fn with_free_hunts(self, free_hunts: u32) -> Self {
        Hunter { free_hunts, ..self }
    }

    /// Returns true if there is time for another hunt.
    pub(super) fn has_time(&self) -> bool {
        let arcs = u32::try_from(self.net.arc_count()).unwrap_or(u32::MAX);
        let preparation = PREPARATION_PER_ARC.saturating_mul(arcs);
        let is_free = self.hunt_counts.iter().sum::<u32>() < self.free_hunts;
        let allowed = self.start.elapsed().mul_f64(HUNTING_SHARE);
        (is_free || self.time_spent + preparation <= allowed) && !self.budget.is_exhausted()
    }

    /// Returns true if hunts for the part are possible.
    pub(super) fn has_target(&self, part: usize) -> bool {
        self.targets.0[part].is_some()
    }

    /// Returns the number of hunts for the part so far.
    pub(super) fn hunt_count(&self, part: usize) -> u32 {
        self.hunt_counts[part]
    }

    /// Walks from a marking towards the target of a part. Returns a firing sequence to the target,
    /// or `None` if no walk reaches it.
    pub(super) fn hunt(&mut self, from: Marking, part: usize) -> Option<FiringSequence> {
        let target = self.targets.0[part].clone()?;
        let start = Instant::now();
        let net = self.net.from_marking(from);
        let goal = GoalId::new(0);
        let goals = [(goal, MarkingGoal::Reach(target.clone()))];
        let board = Board::new(&net, vec![Goal::Reach(target)]).with_budget(&self.budget);
        let facts = Facts::empty(&net);
        let (budget, seed) = (&self.budget, self.rng.u64(..));
        let task = Task { net: &net, goals: &goals, facts: &facts, board: &board, budget, seed };
        let max_work = (FIRST_WORK << self.failures[part].min(16)).min(MAX_WORK);
        let config = WalkConfig { max_work, ..WalkConfig::default() };
        walk::run(&task, board.witness_reporter("RANDOM_WALK"), &config);
        let sequence = match board.knowledge(goal) {
            Some(Knowledge::Reach(ReachKnowledge::Reached { witness, .. })) => {
                witness.as_ref().and_then(Witness::to_sequence)
            }
            _ => None,
        };
        self.time_spent += start.elapsed();
        self.hunt_counts[part] += 1;
        match sequence {
            Some(_) => self.failures[part] = 0,
            None => self.failures[part] += 1,
        }
        sequence
    }
}
