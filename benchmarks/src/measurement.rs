//! The result of one goal, in one encoding, with one back-end.

use crate::backends::Backend;
use crate::exam::Exam;
use crate::goals::ReachabilityGoal;

/// The outcome of encoding one goal and asking one back-end for a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodingOutcome {
    /// The encoding has no solution.
    Refuted,
    /// The encoding has a solution, but the solution may be spurious, so the goal stays open. Also
    /// the outcome if the base case of a k-induction fails, because the initial marking or fewer
    /// than k firings reach the goal.
    Candidate,
    /// The encoding has a solution and is exact: the goal is reached.
    Reached,
    /// The encoding has no solution, but it covers only the given number of firings or steps.
    NotWithin,
    /// The solver called a linear program infeasible, but its certificate failed the exact check.
    Uncertified,
    /// The solver gave no answer in time, gave up or failed. Also the outcome if an encoding in
    /// propositional logic has too many values.
    GaveUp,
    /// The back-end solves linear programs, but the encoding or the goal has disjunctions or
    /// numbers beyond 64 bits. Also the outcome if the goal needs more than `MAX_CUBES` linear
    /// programs, or for a k-induction with k > 1, whose base case has disjunctions.
    HasDisjunctions,
    /// Nothing was asked. The place invariants (flows) were not found within the limits, the build
    /// lacks the back-end, or the solver cannot be started. Or the encoding does not fit the goal
    /// or the back-end, or it is too long.
    NotAsked,
}

impl EncodingOutcome {
    /// Returns the name in result files.
    pub fn name(self) -> &'static str {
        match self {
            EncodingOutcome::Refuted => "refuted",
            EncodingOutcome::Candidate => "candidate",
            EncodingOutcome::Reached => "reached",
            EncodingOutcome::NotWithin => "not-within",
            EncodingOutcome::Uncertified => "uncertified",
            EncodingOutcome::GaveUp => "gave-up",
            EncodingOutcome::HasDisjunctions => "choices",
            EncodingOutcome::NotAsked => "not-asked",
        }
    }
}

/// The result of one goal, in one encoding, with one back-end.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The instance.
    pub instance: String,
    /// The examination.
    pub exam: Exam,
    /// The formula's id, or the examination's name.
    pub id: String,
    /// The encoding, or the name of the engine.
    pub encoding: String,
    /// The back-end.
    pub backend: Backend,
    /// The outcome.
    pub outcome: EncodingOutcome,
    /// True if the encoding or engine can refute goals. Bounded encodings cannot.
    pub can_refute: bool,
    /// True if the encoding or engine can show that goals are reached.
    pub can_reach: bool,
    /// True if the goal is known to be reachable, false if it is known to be unreachable. `None` if
    /// neither is known.
    pub reachable: Option<bool>,
    /// True if a goal was refuted that is known to be reachable, or reached that is known to be
    /// unreachable.
    pub is_wrong: bool,
    /// The number of constraints, or of clauses for the SAT solver. Not counted are the goal and
    /// the constraints that tokens and firing counts are not negative. 0 if nothing was encoded, or
    /// if the base case of a k-induction decided the outcome.
    pub constraints: usize,
    /// Seconds for encoding and solving.
    pub seconds: f64,
}

impl ReachabilityGoal {
    /// Returns the measurement of an encoding or engine that can refute and reach goals, and that
    /// has no constraints.
    pub(crate) fn measurement(
        &self,
        instance: &str,
        encoding: String,
        backend: Backend,
        outcome: EncodingOutcome,
        seconds: f64,
    ) -> Measurement {
        Measurement {
            instance: instance.to_owned(),
            exam: self.exam,
            id: self.id.clone(),
            encoding,
            backend,
            outcome,
            can_refute: true,
            can_reach: true,
            reachable: self.reachable,
            is_wrong: match outcome {
                EncodingOutcome::Refuted => self.reachable == Some(true),
                EncodingOutcome::Reached => self.reachable == Some(false),
                _ => false,
            },
            constraints: 0,
            seconds,
        }
    }
}
