//! The receiving end of an analysis: turns settled goals into answers.

use super::event::{Event, MaximumRange, RunReport};
use super::open::{KnownRange, OpenCause, OpenGoals, OpenQuestion, OpenReason, PartialKnowledge};
use crate::answer::{GoalAnswer, GoalQuestion, Plan, QuestionDecision};
use parikh_engine::board::{Board, Knowledge};
use parikh_net::{Goal, GoalId};
use parikh_solvers::ExhaustionReason;
use std::collections::HashSet;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// Largest number of open questions whose known value ranges are reported in an [`Event::Waiting`].
const MAX_REPORTED_QUESTIONS: usize = 16;

/// Interval in which bounds of open maxima are read while settled goals arrive without a pause.
const BOUND_READ_INTERVAL: Duration = Duration::from_millis(50);

/// The receiver of settled goals, which turns them into answers.
pub(super) struct QuestionTracker<'a, 'n> {
    pub(super) board: &'a Board<'n>,
    pub(super) plan: &'a mut Plan,
    pub(super) report: &'a mut RunReport,
    /// True if the board drops the witness and the certificate of a goal after the caller has seen
    /// them. Maxima keep theirs.
    pub(super) drops_evidence: bool,
    /// The goals that were received as settled and reported to the caller.
    reported_goals: HashSet<GoalId>,
    /// The reported questions whose answers rest on the model's claim of safe units.
    claim_dependent_questions: Vec<String>,
    /// The time of the last call of `decide_open_maxima`, or of the construction before the first
    /// call.
    last_bound_read: Instant,
}

impl<'a, 'n> QuestionTracker<'a, 'n> {
    pub(super) fn new(
        board: &'a Board<'n>,
        plan: &'a mut Plan,
        report: &'a mut RunReport,
        forgets: bool,
    ) -> Self {
        let (reported_goals, claim_dependent_questions) = Default::default();
        let last_bound_read = Instant::now();
        QuestionTracker {
            board,
            plan,
            report,
            drops_evidence: forgets,
            reported_goals,
            claim_dependent_questions,
            last_bound_read,
        }
    }

    /// Handles all goals settled so far.
    pub(super) fn take(
        &mut self,
        settled_goals: &Receiver<GoalId>,
        on_event: &mut impl FnMut(Event<'_>),
    ) {
        while let Ok(goal) = settled_goals.try_recv() {
            self.settled(goal, on_event);
        }
    }

    /// Handles one settled goal: reports the goal, and then the answers to the questions that it
    /// decides. A goal on which engines contradict each other is not reported.
    pub(super) fn settled(&mut self, goal: GoalId, on_event: &mut impl FnMut(Event<'_>)) {
        if let Some(knowledge) = &self.board.knowledge(goal) {
            on_event(Event::Settled { id: goal, goal: self.board.goal(goal), knowledge });
            self.reported_goals.insert(goal);
        }
        let (plan, mut announcer) = self.parts(on_event);
        plan.settle(announcer.board, goal, |decision| announcer.announce(decision));
        if self.drops_evidence {
            self.board.forget_evidence(goal);
        }
        if self.last_bound_read.elapsed() > BOUND_READ_INTERVAL {
            self.decide_open_maxima(on_event);
        }
    }

    /// Answers the questions that need no goal.
    pub(super) fn begin(&mut self, on_event: &mut impl FnMut(Event<'_>)) {
        let (plan, mut announcer) = self.parts(on_event);
        plan.begin(announcer.board, |decision| announcer.announce(decision));
    }

    /// Decides questions from the bounds of goals that are still open, and reports the decided
    /// questions.
    pub(super) fn decide_open_maxima(&mut self, on_event: &mut impl FnMut(Event<'_>)) {
        self.last_bound_read = Instant::now();
        let (plan, mut announcer) = self.parts(on_event);
        plan.decide_open_maxima(announcer.board, |decision| announcer.announce(decision));
    }

    /// Returns the plan, and what is needed to report the questions that the plan decides.
    fn parts<'t, E: FnMut(Event<'_>)>(
        &'t mut self,
        on_event: &'t mut E,
    ) -> (&'t mut Plan, Announcer<'t, 'n, E>) {
        let announcer = Announcer {
            board: self.board,
            report: self.report,
            reported_goals: &self.reported_goals,
            claim_dependent_questions: &mut self.claim_dependent_questions,
            on_event,
        };
        (self.plan, announcer)
    }

    /// Withdraws the answers that rest on the model's claim of safe units, if a replayed sequence
    /// violated this claim.
    pub(super) fn withdraw(&mut self, on_event: &mut impl FnMut(Event<'_>)) {
        if self.board.breach().is_some() {
            self.claim_dependent_questions
                .drain(..)
                .for_each(|id| on_event(Event::Withdrawn { id: &id }));
        }
    }

    /// Adds the open questions, with the reasons why they are open, to the report. `ended` is the
    /// exhausted limit of the run; `None` if the engines finished before.
    pub(super) fn give_up(&mut self, ended: Option<ExhaustionReason>) {
        let open = self.open_questions(ended);
        self.report.unanswered.extend(open);
    }

    /// Returns the open questions with their reasons. `ended` is the exhausted limit of the run;
    /// `None` if the engines finished before.
    pub(super) fn open_questions(&self, ended: Option<ExhaustionReason>) -> Vec<OpenQuestion> {
        let open = self.plan.open_questions().map(|question| {
            let reason = self.why_open(question, ended);
            OpenQuestion { id: question.id.clone(), reason }
        });
        open.collect()
    }

    /// Returns the value ranges known for open maxima, among the first `MAX_REPORTED_QUESTIONS`
    /// open questions with a single goal. Empty for a net with caps, that is, assumed bounds of
    /// places.
    pub(super) fn open_maximum_ranges(&self) -> Vec<MaximumRange> {
        // In a net with caps, the goal's value is not the question's value.
        let has_caps = self.board.net().has_caps();
        let has_reported_range =
            |question: &&GoalQuestion| question.goals().len() == 1 && !has_caps;
        let open = self.plan.open_questions().filter(has_reported_range);
        let known = open.take(MAX_REPORTED_QUESTIONS).filter_map(|question| {
            let &goal = question.goals().first()?;
            let Some(Knowledge::Maximum(maximum)) = self.board.knowledge(goal) else { return None };
            let seen = maximum.largest_seen.map(|seen| seen.value);
            let proved = maximum.proved.map(|proved| proved.bound);
            Some(MaximumRange {
                id: question.id.clone(),
                largest_seen: seen,
                smallest_bound: proved,
            })
        });
        known.collect()
    }

    /// Returns the reason why a question is open. `ended` is the exhausted limit of the run; `None`
    /// if the engines finished before.
    fn why_open(&self, question: &GoalQuestion, ended: Option<ExhaustionReason>) -> OpenReason {
        if question.goals().iter().any(|&goal| self.board.knowledge(goal).is_none()) {
            return OpenCause::EnginesDisagree.into();
        }
        let (overflowed, of) = (self.board.overflowed(), question.goals().len());
        let mut known = PartialKnowledge { overflowed, ..PartialKnowledge::default() };
        match question.goals() {
            _ if self.board.net().has_caps() => known.capped = true,
            &[goal] => {
                known.given_up = self.board.given_up(goal);
                known.maximum = self.range(goal);
            }
            goals => {
                let open = goals.iter().filter(|&&goal| self.board.is_open(goal)).count();
                known.goals = (of > 1).then_some(OpenGoals { open, of });
            }
        }
        OpenReason { cause: ended.into(), known }
    }

    /// Returns the range in which the maximum of a goal is known to lie. Returns `None` for a goal
    /// that asks for no maximum, and if engines contradict each other on the goal.
    fn range(&self, goal: GoalId) -> Option<KnownRange> {
        let (Goal::Maximise(sum), Knowledge::Maximum(maximum)) =
            (self.board.goal(goal), self.board.knowledge(goal)?)
        else {
            return None;
        };
        // The initial marking is reachable, whether or not an engine visited it.
        let initially = sum.value(self.board.net().initial());
        let least = maximum.largest_seen.map_or(initially, |seen| seen.value.max(initially));
        Some(KnownRange { least, most: maximum.proved.map(|proved| proved.bound) })
    }
}

/// Reports the goals that an answer rests on and that the caller has not seen. Such a goal was just
/// settled by another thread, or it is a maximum that was abandoned because another maximum is
/// larger. The proved bound of the abandoned maximum supports the answer. An unbounded maximum is
/// left out.
fn report_basis(
    board: &Board<'_>,
    reported_goals: &HashSet<GoalId>,
    answer: &GoalAnswer,
    on_event: &mut impl FnMut(Event<'_>),
) {
    for id in answer.rests_on.iter().copied() {
        if reported_goals.contains(&id) {
            continue;
        }
        let is_known = |knowledge: &Knowledge| match knowledge {
            Knowledge::Maximum(maximum) => maximum.unbounded.is_none(),
            settled => settled.basis().is_some(),
        };
        if let Some(knowledge) = board.knowledge(id).filter(is_known) {
            on_event(Event::Settled { id, goal: board.goal(id), knowledge: &knowledge });
        }
    }
}

/// Reports decided questions to the caller of an analysis.
struct Announcer<'t, 'n, E> {
    board: &'t Board<'n>,
    report: &'t mut RunReport,
    reported_goals: &'t HashSet<GoalId>,
    /// The reported questions whose answers rest on the model's claim of safe units.
    claim_dependent_questions: &'t mut Vec<String>,
    on_event: &'t mut E,
}

impl<E: FnMut(Event<'_>)> Announcer<'_, '_, E> {
    /// Reports a decided question. If engines contradict each other, the question gets no answer.
    fn announce(&mut self, (question, answer): QuestionDecision<'_>) {
        let Some(answer) = answer else {
            tracing::error!("engines contradict each other on {}: no answer is given", question.id);
            let reason = OpenCause::EnginesDisagree.into();
            self.report.unanswered.push(OpenQuestion { id: question.id.clone(), reason });
            return;
        };
        self.report.answered += 1;
        // An answer that rests on a violated claim is asked again.
        if answer.assumes_units && self.board.breach().is_some() {
            return;
        }
        report_basis(self.board, self.reported_goals, &answer, self.on_event);
        (self.on_event)(Event::Answered(&answer));
        if answer.assumes_units {
            self.claim_dependent_questions.push(answer.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcc::Examination;
    use parikh_net::{FiringSequence, text};
    use std::sync::mpsc;

    /// One question has two goals. The tracker receives the second goal first.
    #[test]
    fn what_an_answer_rests_on_is_told_before_it() {
        let net = text::parse("place p 1\nplace q\ntransition t: p -> q\ntransition u: q -> p");
        let net = net.unwrap();
        let mut plan = Plan::of_examination(Examination::QuasiLiveness, &net).unwrap();
        let (settled, hear) = mpsc::channel();
        let board = Board::new(&net, plan.goals().to_vec()).with_listener(settled);
        let t = net.transition_named("t").unwrap();
        board.witness_reporter("W").report_reached(GoalId::new(0), FiringSequence::new());
        board.witness_reporter("W").report_reached(GoalId::new(1), [t].into_iter().collect());
        let mut report = RunReport::default();
        let mut tracker = QuestionTracker::new(&board, &mut plan, &mut report, false);
        let mut told = Vec::new();
        let mut reported: Vec<GoalId> = hear.try_iter().collect();
        reported.reverse();
        for goal in reported {
            tracker.settled(goal, &mut |event| {
                told.push(match event {
                    Event::Settled { id, .. } => format!("goal {}", id.index()),
                    Event::Answered(answer) => format!("answer, on {}", answer.rests_on.len()),
                    _ => "other".to_owned(),
                });
            });
        }
        let answered = told.iter().position(|it| it == "answer, on 2").expect("answered");
        let before: HashSet<&str> = told[..answered].iter().map(|it| &**it).collect();
        assert_eq!(before, HashSet::from(["goal 0", "goal 1"]), "{told:?}");
    }
}
