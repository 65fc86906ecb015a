//! Reports of accelerated sequences, that is, firing sequences with nested loops. A sequence is
//! replayed once, and all open goals are tested along it.

use super::{Board, Observation, Witness, WitnessReporter};
use parikh_evidence::depending::GoalIndex;
use parikh_evidence::loops::{LoopReplayError, holds, replay_loops, value};
use parikh_net::loops::{LoopPosition, LoopRun};
use parikh_net::{FiringSequence, Goal, GoalId};
use parikh_solvers::Budget;
use std::sync::Arc;

/// The largest number of steps of a plain firing sequence that is stored instead of an accelerated
/// sequence, that is, a firing sequence with nested loops.
const MAX_FLAT_STEPS: usize = 2_000;

/// An observation about a goal along an accelerated sequence, that is, a firing sequence with
/// nested loops.
struct LoopObservation {
    id: GoalId,
    /// For a maximum, the value of its sum at this position. `None` for a predicate: the marking at
    /// this position satisfies it.
    value: Option<i128>,
    /// The position of the observation in the sequence.
    position: Arc<LoopPosition>,
}

impl WitnessReporter<'_> {
    /// Replays an accelerated sequence of the board's net. Tests the open goals after each element
    /// of the sequence. Inside a block, which is the body of a loop, they are tested in the first
    /// iteration only. Records the goals that hold and the largest values of sums. Returns the
    /// number of goals reached. If the budget ends during the replay, nothing is recorded and the
    /// result is 0.
    ///
    /// A call for a coloured or reduced net is a fault. So is a call for a net whose units are
    /// claimed to be safe: the claim is compared with plain sequences only. A sequence that does
    /// not replay is a fault as well.
    pub fn report_along_loops(&self, run: LoopRun, budget: &Budget) -> usize {
        let board = self.board();
        let has_units_claim = board.net().safe_units().is_some();
        if has_units_claim || board.coloured.is_some() || self.is_derived() {
            self.fault(format_args!(
                "a run with loops is reported for a net that does not support them"
            ));
            return 0;
        }
        let run = Arc::new(run);
        match observe(board, &run, budget) {
            Ok(observations) => self.record_observations(&run, &observations, budget),
            // No fault of the sequence: the budget ended, or the run exceeds a size limit of the
            // checker. No goal is reached.
            Err(LoopReplayError::Stopped | LoopReplayError::TooLarge) => 0,
            Err(error) => {
                self.fault(format_args!("a run with loops does not replay: {error}"));
                0
            }
        }
    }

    /// Records observations along an accelerated sequence. Returns the number of goals reached.
    fn record_observations(
        &self,
        run: &Arc<LoopRun>,
        observations: &[LoopObservation],
        budget: &Budget,
    ) -> usize {
        // An observation after at most `MAX_FLAT_STEPS` firings gets a plain firing sequence as its
        // witness. All these observations share the longest such sequence.
        let mut along: Vec<Observation> = Vec::new();
        let mut longest = FiringSequence::new();
        for &LoopObservation { id, ref position, .. } in observations {
            if budget.is_exhausted() {
                break;
            }
            if let Some(sequence) = run.prefix_to_sequence(position, MAX_FLAT_STEPS)
                && let Ok(firings) = u64::try_from(sequence.firings())
            {
                along.push(Observation { goal: id, firings });
                if sequence.firings() > longest.firings() {
                    longest = sequence;
                }
            }
        }
        self.report_reached_along(longest, along);
        // The remaining observations have no plain sequence: it would be too long, its replay does
        // not support their numbers of tokens, or the budget ended first. Their witnesses keep the
        // loops.
        for &LoopObservation { id, value, ref position } in observations {
            let is_open = self.board().is_open(id);
            let witness = || {
                let keeps = self.board().keeps_witnesses;
                keeps.then(|| Witness::Loops(run.clone(), position.clone()))
            };
            match value {
                Some(value) if is_open && self.board().largest_seen(id) < Some(value) => {
                    self.note_value(id, value, witness());
                }
                None if is_open => self.note_reached(id, witness()),
                _ => {}
            }
        }
        let is_reached =
            |sight: &&LoopObservation| sight.value.is_none() && !self.board().is_open(sight.id);
        observations.iter().filter(is_reached).count()
    }
}

/// Replays `run` and returns at most one observation for each open goal. For a predicate, it is the
/// first marking that satisfies it. For a sum, it is the largest value, if it exceeds the value
/// seen before.
fn observe(
    board: &Board<'_>,
    run: &LoopRun,
    budget: &Budget,
) -> Result<Vec<LoopObservation>, LoopReplayError> {
    let net = board.net();
    let open: Vec<GoalId> = board.open_goals();
    let mut goal_index = GoalIndex::new(net.place_count());
    let mut best: Vec<Option<i128>> = Vec::with_capacity(open.len());
    for (at, &id) in open.iter().enumerate() {
        match board.goal(id) {
            Goal::Reach(predicate) => goal_index.add(at, predicate.support(net)),
            Goal::Maximise(sum) => goal_index.add(at, sum.terms().iter().map(|&(place, _)| place)),
            _ => {}
        }
        best.push(board.largest_seen(id));
    }
    let mut observations: Vec<Option<LoopObservation>> = open.iter().map(|_| None).collect();
    let mut test_goals =
        |marking: &_, places: &mut dyn Iterator<Item = _>, position: &LoopPosition| {
            let wanted =
                |at: usize| observations[at].as_ref().is_none_or(|sight| sight.value.is_some());
            places.for_each(|place| goal_index.note_change(place, wanted));
            goal_index.evaluate_changed(|at| {
                let id = open[at];
                let seen = match board.goal(id) {
                    Goal::Reach(predicate) => holds(net, predicate, marking).then_some(None),
                    // Values beyond 128 bits are not recorded.
                    Goal::Maximise(sum) => i128::try_from(value(sum, marking)).ok().map(Some),
                    _ => None,
                };
                let Some(value) = seen else { return };
                if value.is_some() && value <= best[at] {
                    return;
                }
                best[at] = value;
                observations[at] = Some(LoopObservation { id, value, position: position.into() });
            });
        };
    replay_loops(net, run, &mut test_goals, &mut || !budget.is_exhausted())?;
    Ok(observations.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Knowledge, ReachKnowledge};
    use parikh_evidence::description;
    use parikh_net::loops::{LoopElement, RepeatedElement};
    use parikh_net::{LinearSum, Predicate, TransitionId, text};

    #[test]
    fn observations_are_recorded_and_unreplayable_runs_are_faults() {
        let net = "place p 1\nplace q\ntransition t: p -> 2*q\ntransition u: q -> p";
        let net = text::parse(net).unwrap();
        let [p, q] = ["p", "q"].map(|name| net.place_named(name).unwrap());
        let goals = vec![
            Goal::Reach(Predicate::at_least(p, 1 << 40)),
            Goal::Reach(Predicate::at_least(q, 2)),
            Goal::Maximise(LinearSum::place(q)),
            Goal::Reach(Predicate::at_least(p, 1 << 63)),
        ];
        let board = Board::new(&net, goals);
        let turns = (0..100).flat_map(|n| {
            let turn = |t, times| RepeatedElement {
                element: LoopElement::Fire(TransitionId::new(t)),
                times,
            };
            let one = num_bigint::BigUint::from(1u8);
            [turn(0, &one << n), turn(1, one << (n + 1))]
        });
        let mut turns: Vec<RepeatedElement> = turns.collect();
        let run = LoopRun::new(vec![turns.clone()]).unwrap();
        let reached = board.witness_reporter("TEST").report_along_loops(run, &Budget::unlimited());
        assert_eq!((reached, board.faults()), (3, 0));
        let ids: Vec<GoalId> = board.ids().collect();
        assert_eq!(board.largest_seen(ids[2]), Some(1 << 100));
        let Some(Knowledge::Reach(ReachKnowledge::Reached { witness: Some(witness), .. })) =
            board.knowledge(ids[3])
        else {
            panic!("not reached")
        };
        let Witness::Loops(run, spot) = witness else { panic!("{witness:?}") };
        assert_eq!(description::firings(&run.prefix(&spot).firings()), "at least 10^19 firings");
        turns.swap(0, 1);
        let run = LoopRun::new(vec![turns]).unwrap();
        assert_eq!(board.witness_reporter("TEST").report_along_loops(run, &Budget::unlimited()), 0);
        assert_eq!(board.faults(), 1);
    }
}
