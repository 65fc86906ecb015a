//! Reduction of a [net](crate::working_net::reduced) for the goals that are still open.

use super::{Task, intervals};
use crate::board::Board;
use crate::working_net::{WorkingNet, reduced};
use parikh_net::{Facts, GoalId, Net};
use parikh_solvers::Budget;

/// Returns the net of `parent`, [reduced](reduced::reduce) for the open goals among `goals`.
/// Returns `None` if `parent` expresses no such goal or nothing can be reduced. The first of
/// `budgets` limits the reduction. The second one limits the later translation of witnesses back to
/// the original net. The function `learn` gets the reduced net and its known facts. It returns the
/// facts with further bounds.
///
/// The token intervals of the reduced net may decide some goals, which are settled immediately.
/// Such a goal is about transitions that the reduction found dead, or places that it found
/// constant.
pub fn reduce<'a>(
    parent: &'a WorkingNet<'a>,
    goals: &[GoalId],
    board: &Board<'_>,
    budgets: (&Budget, &Budget),
    learn: impl FnOnce(&Net, Facts) -> Facts,
) -> Option<WorkingNet<'a>> {
    let open_goals: Vec<GoalId> = goals.iter().copied().filter(|&id| board.is_open(id)).collect();
    let (working_net, token_intervals) = reduced::reduce(parent, &open_goals, budgets, learn)?;
    let witness_reporter = board.witness_reporter("INITIAL_STATE").on(&working_net);
    let proof_reporter = board.proof_reporter("TOPOLOGICAL").on(&working_net);
    intervals::settle(
        &token_intervals,
        &Task::on(&working_net, board, budgets.0, 0),
        witness_reporter,
        proof_reporter,
    );
    Some(working_net)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::{Goal, Predicate, TransitionId, text};
    use parikh_structure::intervals::Intervals;

    /// Four firings are possible on the reduced net, which has no place q. On the original net the
    /// second firing exceeds the token limit.
    #[test]
    fn a_back_translation_beyond_the_token_limit_is_no_bug_and_no_verdict() {
        let net =
            text::parse("place p 4\nplace q\ntransition t: p -> 4611686018427387904*q").unwrap();
        let empty = Predicate::no_more_than(net.place_named("p").unwrap(), 0);
        let goals = vec![Goal::Reach(empty)];
        let (board, facts, budget) =
            (Board::new(&net, goals.clone()), Facts::empty(&net), Budget::unlimited());
        let goals = [(GoalId::new(0), goals[0].clone())];
        let intervals = Intervals::new(&net, &facts);
        let original = WorkingNet::original(&net, goals.to_vec(), facts, &intervals);
        let ids = [GoalId::new(0)];
        let working_net =
            reduce(&original, &ids, &board, (&budget, &budget), |_, facts| facts).unwrap();
        let reduced = working_net.net();
        assert_eq!((reduced.place_count(), reduced.transition_count()), (1, 1));
        let four = [TransitionId::new(0); 4].into_iter().collect();
        board.witness_reporter("TEST").on(&working_net).report_reached(GoalId::new(0), four);
        assert_eq!((board.faults(), board.overflowed()), (0, true));
        assert!(board.is_open(GoalId::new(0)));
        // A single firing leaves tokens on both nets, so this witness is a bug of the reporting
        // engine.
        let bogus = [TransitionId::new(0); 1].into_iter().collect();
        board.witness_reporter("TEST").on(&working_net).report_reached(GoalId::new(0), bogus);
        assert_eq!(board.faults(), 1);
    }
}
