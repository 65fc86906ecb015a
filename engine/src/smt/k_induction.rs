//! k-induction with integer variables, for k = 1, 2, 4, 8, …. The query is: do the known facts
//! allow a path of k + 1 markings whose last marking is its first goal marking?
//!
//! If the solver answers no, the *step case* holds for k: a reachable goal is reached by fewer than
//! k firings. But this answer is not certified: there is no certificate format for k firings at
//! once. So a [backward search](crate::pdr) from the goal then looks for an inductive invariant.
//! Backward search uses the same place invariants and bounds. If the step case holds because of
//! them, the search ends after k rounds with a certificate or a witness. Only the results of the
//! backward search are answers. A step case alone is only mentioned in the log.
//!
//! # Source
//! M. Sheeran, S. Singh, G. Stålmarck, *Checking safety properties using induction and a
//! SAT-solver*, FMCAD 2000.

use super::unrolled::{SmtExtensionResult, SmtQueryResult, SmtUnrolling};
use super::{MAX_ROUNDS, TECHNIQUE, first_slice};
use crate::pdr::{BackwardSearch, exceeds};
use crate::{Assignment, Session, SliceProgress};
use parikh_encodings::unrolling::StepKind;
use parikh_net::{FiringSequence, GoalId, MarkingGoal, Predicate};
use parikh_solvers::Budget;
use parikh_solvers::term::Term;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The engine, with the state of its work on one net.
pub(super) struct KInduction<'g> {
    /// The search for inductive invariants and witnesses.
    backward: BackwardSearch<'g>,
    assignment: Assignment<'g>,
    unrolling: SmtUnrolling<'g>,
    /// The current k, that is, the number of firings in a step case.
    steps: usize,
    /// Goals that need no further query for the current k. The solver has found k firings that lead
    /// from markings without the goal to the goal, or has given up. A goal without a predicate to
    /// prove also counts.
    answered: BTreeSet<GoalId>,
    /// Goals treated in the current round. The budget may interrupt a round at any goal.
    treated_in_round: BTreeSet<GoalId>,
    /// Goals whose step case holds according to the solver. The value has the k of the step case
    /// and the goal's predicate at that time.
    step_case_holds: BTreeMap<GoalId, (usize, Predicate)>,
    /// Number of rounds with the current k.
    rounds: u32,
    /// Time slice per query in the current round. `None` before the first round.
    slice: Option<Duration>,
    /// Number of step cases that hold according to the solver.
    step_cases: u64,
    /// Number of goals settled by an invariant or a witness.
    settled: u64,
}

impl<'g> KInduction<'g> {
    pub(super) fn new(work: Assignment<'g>) -> Result<Self, String> {
        let unrolled = SmtUnrolling::from_any_marking(&work, "k-induction-smt", StepKind::Firing)?;
        Ok(KInduction {
            backward: BackwardSearch::new(work.clone()),
            assignment: work,
            unrolling: unrolled,
            steps: 1,
            answered: BTreeSet::new(),
            treated_in_round: BTreeSet::new(),
            step_case_holds: BTreeMap::new(),
            rounds: 0,
            slice: None,
            step_cases: 0,
            settled: 0,
        })
    }

    /// Returns the open goals of the working net.
    fn open_goals(&self) -> Vec<(GoalId, MarkingGoal)> {
        let Assignment { working_net, board, .. } = self.assignment;
        working_net.goals().iter().filter(|(id, _)| board.is_open(*id)).cloned().collect()
    }

    /// Returns the predicate to prove unreachable. For a maximum, this is "the sum exceeds the
    /// largest value seen". Reports the initial marking if it satisfies the goal, or if no value of
    /// the maximum is known. Returns `None` if the goal holds initially, or if the largest value
    /// seen of a maximum exceeds 64 bits or is unknown.
    fn predicate(&self, id: GoalId, goal: &MarkingGoal) -> Option<Predicate> {
        let Assignment { working_net, board, .. } = self.assignment;
        let witness_reporter = board.witness_reporter(TECHNIQUE).on(working_net);
        match goal {
            MarkingGoal::Reach(predicate) => {
                let is_initial = predicate.holds(working_net.net(), working_net.net().initial());
                if is_initial {
                    witness_reporter.report_reached(id, FiringSequence::new());
                }
                (!is_initial).then(|| predicate.clone())
            }
            MarkingGoal::Maximise(sum) => {
                if witness_reporter.largest_seen(id).is_none() {
                    witness_reporter.report_reached(id, FiringSequence::new());
                }
                exceeds(sum, witness_reporter.largest_seen(id)?)
            }
        }
    }

    /// Asks the solver for the step case of one goal, and records the answer.
    fn check_step_case(&mut self, id: GoalId, predicate: Predicate, budget: &Budget) {
        let negation = predicate.clone().negated();
        let mut assumptions: Vec<Term> =
            (0..self.steps).map(|step| self.unrolling.holds(&negation, step)).collect();
        assumptions.push(self.unrolling.holds(&predicate, self.steps));
        match self.unrolling.ask(&format!("goal {}", id.index()), &assumptions, budget) {
            SmtQueryResult::Unsatisfiable => {
                self.step_cases += 1;
                self.step_case_holds.insert(id, (self.steps, predicate));
            }
            SmtQueryResult::Satisfiable(_) => {
                self.answered.insert(id);
            }
            SmtQueryResult::Unfinished => {}
            SmtQueryResult::Unknown(why) => {
                tracing::info!("k-induction-smt: {id:?} for k = {}: {why}", self.steps);
                self.answered.insert(id);
            }
        }
    }

    /// Searches for an inductive invariant that excludes the goal, whose step case holds, or for a
    /// witness.
    fn certify(&mut self, id: GoalId, goal: &MarkingGoal, budget: &Budget) {
        self.backward.work_on(id, goal, budget);
        if !self.assignment.board.is_open(id) {
            self.settled += 1;
            self.step_case_holds.remove(&id);
        }
    }
}

impl Session for KInduction<'_> {
    fn slice(&mut self, budget: &Budget) -> SliceProgress {
        loop {
            let open_goals = self.open_goals();
            if open_goals.is_empty() {
                return SliceProgress::Finished;
            }
            match self.unrolling.extend_to(self.steps, budget) {
                SmtExtensionResult::Complete => {}
                SmtExtensionResult::Partial => return SliceProgress::Unfinished,
                SmtExtensionResult::TooLong => {
                    let reason = format!("{} firings need too many variables", self.steps);
                    let Assignment { board, .. } = self.assignment;
                    open_goals
                        .iter()
                        .for_each(|(id, _)| board.record_given_up(*id, "k-induction-smt", &reason));
                    return SliceProgress::Finished;
                }
            }
            let slice = *self.slice.get_or_insert_with(|| first_slice(budget, open_goals.len()));
            let mut has_unanswered = false;
            for (id, goal) in &open_goals {
                if budget.is_exhausted() {
                    return SliceProgress::Unfinished;
                }
                let Some(predicate) = self.predicate(*id, goal) else {
                    self.answered.insert(*id);
                    continue;
                };
                // The predicate of a maximum changes when a larger value is seen. The step case of
                // the old predicate is then forgotten.
                if self
                    .step_case_holds
                    .get(id)
                    .is_some_and(|(_, proved_predicate)| *proved_predicate != predicate)
                {
                    self.step_case_holds.remove(id);
                }
                if self.treated_in_round.insert(*id) {
                    if !self.step_case_holds.contains_key(id) && !self.answered.contains(id) {
                        self.check_step_case(*id, predicate, &budget.slice(slice));
                    }
                    if self.step_case_holds.contains_key(id) {
                        self.certify(*id, goal, &budget.slice(slice));
                    }
                }
                has_unanswered |=
                    !self.answered.contains(id) && !self.step_case_holds.contains_key(id);
            }
            self.treated_in_round.clear();
            self.rounds += 1;
            self.slice = Some(slice.saturating_mul(2));
            if self.rounds >= MAX_ROUNDS || !has_unanswered {
                self.rounds = 0;
                let open_goals = self.open_goals();
                if open_goals.iter().all(|(id, _)| self.backward.has_given_up(*id)) {
                    return SliceProgress::Finished;
                }
                // If the step cases of all open goals hold, k stays unchanged, and only the search
                // for invariants continues.
                if !open_goals.iter().all(|(id, _)| self.step_case_holds.contains_key(id)) {
                    self.steps *= 2;
                    self.answered.clear();
                }
            }
        }
    }

    fn statistics(&self) -> String {
        let (k, questions) = (self.unrolling.steps(), self.unrolling.statistics());
        let KInduction { step_cases, settled, .. } = self;
        let mut text = format!(
            "{step_cases} step cases hold, {settled} goals settled by them, k up to {k}, {questions}"
        );
        let mut goals_by_k: BTreeMap<usize, usize> = BTreeMap::new();
        // Other engines may have settled some of these goals meanwhile.
        let open =
            self.step_case_holds.iter().filter(|(id, _)| self.assignment.board.is_open(**id));
        open.for_each(|(_, (k, _))| *goals_by_k.entry(*k).or_default() += 1);
        for (k, goals) in goals_by_k {
            text += &format!(
                "; {goals} of them, for k = {k}, only according to the solver: no certificate, not answered"
            );
        }
        text
    }
}
