//! Settles the goals decided by [token intervals](parikh_structure::intervals), each with its
//! derivation.
//!
//! An interval is a range for the token count of a place in every reachable marking. The goals
//! decided are predicates that hold nowhere or everywhere (so in the initial marking), and upper
//! bounds of maxima. Results with the same provenance, that is, the same kind of assumption, share
//! one certificate.

mod derivation;

pub(super) use derivation::bounds;

use super::Task;
use crate::board::{Argument, Proof, ProofReporter, WitnessReporter};
use parikh_net::{FiringSequence, GoalId, MarkingGoal, Predicate, Provenance};
use parikh_structure::intervals::IntervalDecision;
pub use parikh_structure::intervals::Intervals;

/// Computes the token intervals from the facts of the task, and settles the goals that they decide.
/// Returns the intervals.
pub fn run(
    task: &Task<'_>,
    witness_reporter: WitnessReporter<'_>,
    proof_reporter: ProofReporter<'_>,
) -> Intervals {
    let intervals = Intervals::new(task.net, task.facts);
    settle(&intervals, task, witness_reporter, proof_reporter);
    intervals
}

/// Like [`run`], with intervals that were already computed from the facts of the task. All results
/// with the same provenance, that is, from the same strongest kind of assumption, share one
/// certificate. If a bound that this certificate needs cannot be derived from the facts, no goal is
/// refuted or bounded with this provenance.
pub fn settle(
    intervals: &Intervals,
    task: &Task<'_>,
    witness_reporter: WitnessReporter<'_>,
    proof_reporter: ProofReporter<'_>,
) {
    // For each provenance, the refuted goals: the id, the proved upper bound (`None` for a
    // predicate), and the predicate that the certificate must refute.
    let mut refuted: [Vec<(GoalId, Option<i128>, Predicate)>; 3] = Default::default();
    for (index, (id, goal)) in task.goals.iter().enumerate() {
        if !task.board.is_open(*id) {
            continue;
        }
        if index.is_multiple_of(GOALS_PER_CHECK) && task.budget.is_exhausted() {
            return;
        }
        match goal {
            MarkingGoal::Reach(predicate) => match intervals.decide(task.net, predicate) {
                Some(IntervalDecision { always_holds: false, rests_on: provenance }) => {
                    refuted[provenance as usize].push((*id, None, predicate.clone()));
                }
                Some(IntervalDecision { always_holds: true, .. }) => {
                    witness_reporter.report_reached(*id, FiringSequence::new())
                }
                None => {}
            },
            MarkingGoal::Maximise(sum) => {
                let Some((upper_bound, provenance)) = intervals.upper_bound(sum) else { continue };
                // Bounds beyond 63 bits are not useful.
                let Ok(bound_value) = i64::try_from(upper_bound) else { continue };
                if proof_reporter.proved(*id).is_none_or(|proved| upper_bound < proved) {
                    let above_bound = Predicate::at_most(sum.clone(), bound_value).negated();
                    refuted[provenance as usize].push((*id, Some(upper_bound), above_bound));
                }
            }
        }
    }
    for (provenance, refuted_goals) in Provenance::ALL.into_iter().zip(refuted) {
        if refuted_goals.is_empty() {
            continue;
        }
        let predicates: Vec<Predicate> = refuted_goals.iter().map(|(.., it)| it.clone()).collect();
        let provenance_intervals = intervals.up_to(provenance);
        let certificate = derivation::shared_document(
            task.net,
            task.facts,
            provenance_intervals,
            &predicates,
            task.budget,
        );
        let Some((document, is_explained)) = certificate else { continue };
        let proof_reporter = proof_reporter.with_certificate(&document);
        for ((id, upper_bound, _), is_explained) in refuted_goals.into_iter().zip(is_explained) {
            if !is_explained {
                continue;
            }
            let proof = Proof::new(Argument::bounds(provenance), Some(document.clone()));
            match upper_bound {
                None => proof_reporter.report_unreachable(id, proof),
                Some(upper_bound) => proof_reporter.report_at_most(id, upper_bound, proof),
            }
        }
    }
}

/// Number of goals between two checks of the budget.
const GOALS_PER_CHECK: usize = 256;
