//! The questions of a report and their answers.

mod nodes;
mod verdict_groups;

pub(super) use nodes::{bindings, dead, fires};
pub use verdict_groups::{NodeVerdicts, SharedReason, VerdictGroup, VerdictNode};

use super::evidence::{EvidenceStore, GoalEvidence, PlayedSequence};
use super::text::Sentence;
use super::topic::StandardQuestion;
use parikh::answer::reason::WitnessSize;
use parikh::answer::{
    AnswerWitness, Cause, GoalAnswer, Grade, Plan, ProcessCause, QuestionValue, Reason,
};
use parikh::mcc::Examination;
use parikh::run::{self, Event, OpenCause, OpenReason, RunConfig};
use parikh_engine::board::{Knowledge, ReachKnowledge, RunKnowledge};
use parikh_input::about::NetMeant;
use parikh_net::counted::with_counters;
use parikh_net::{Goal, Net};
use parikh_solvers::Budget;
use serde::{Serialize, Serializer};
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::time::{Duration, Instant};

/// The questions of a report.
pub enum ReportQuestions {
    /// Standard questions about the net.
    Topics(Vec<StandardQuestion>),
    /// An examination about each place or transition.
    EachNode(Examination),
    /// Questions given as formulas, by the user or in a query file.
    Formulas {
        /// The formulas as goals and questions.
        plan: Box<Plan>,
        /// The text of the formulas, by id. A formula that could not be parsed has no text.
        written: HashMap<String, String>,
        /// Formulas that cannot be asked: the id and the reason. Reasons are syntax errors,
        /// repeated ids and unsupported logics.
        refused: Vec<(String, String)>,
        /// True if the author of the model states the formulas. A false formula is a problem then.
        are_requirements: bool,
    },
}

/// A question and the answer.
#[derive(Clone, Debug, Default, Serialize)]
pub struct AnsweredQuestion {
    /// The id of the formula, or the identifier of the standard question.
    pub id: String,
    /// The question in words, or the formula. Empty if the text of the formula is unknown.
    pub title: String,
    /// `TRUE`, `FALSE`, a number or `+inf`. `None` if the question is open.
    #[serde(serialize_with = "as_text")]
    pub value: Option<QuestionValue>,
    /// The reason for the answer, or the reason why the question is open.
    pub reason: Sentence,
    /// The grade of the evidence. `None` if the question is open. A question that was examined node
    /// by node has the weakest grade of the answers for the nodes that decide it, even if it is
    /// open. Without such answers, its grade is `replayed`.
    #[serde(serialize_with = "as_text")]
    pub grade: Option<Grade>,
    /// The engines whose results decide the answer.
    pub techniques: Vec<&'static str>,
    /// True if the answer depends on the model's claim of safe units.
    pub assumes_units: bool,
    /// The witness as a firing sequence to play. `None` if the question is open, if the evidence
    /// has no sequence that shows the answer, or if the question was examined node by node.
    pub play: Option<PlayedSequence>,
    /// The indices of the certificates in the list of the page.
    pub certificates: Vec<usize>,
    /// The net to which the answer refers.
    pub net: NetMeant,
    /// Seconds from the start of the run to the answer. For an open question, and for a question
    /// examined node by node, the duration of the run. If the question was asked again because it
    /// was open, the seconds of both runs. 0 if the question could not be asked.
    pub seconds: f64,
    /// The attempts to answer an open question. Each entry has the time span with the name of the
    /// engine, and the statistics of the engine.
    pub tried: Vec<(String, Sentence)>,
    /// The standard question. `None` for a formula.
    #[serde(skip)]
    pub(super) topic: Option<StandardQuestion>,
    /// The reason before its translation into a sentence. `None` if the question is open, or if the
    /// answer summarises answers about single nodes.
    #[serde(skip)]
    pub(super) because: Option<Reason>,
    /// The cause why the question is open. `None` if the question is answered, or if it could not
    /// be asked at all: then `reason` says why.
    #[serde(skip)]
    pub(super) open: Option<OpenCause>,
}

impl AnsweredQuestion {
    /// Returns the truth value. `None` if the question is open or has another value.
    pub(super) fn truth(&self) -> Option<bool> {
        match self.value {
            Some(QuestionValue::Bool(value)) => Some(value),
            _ => None,
        }
    }

    /// Returns the number of firings of the witness, if the reason of the answer is a witness or a
    /// case that gets stuck. Returns `None` if the number is unknown, and for other reasons.
    pub(super) fn witness_size(&self) -> Option<&WitnessSize> {
        match &self.because.as_ref()?.cause {
            Cause::Witness { size, .. } | Cause::Process(ProcessCause::CaseStuck { size, .. }) => {
                size.as_ref()
            }
            _ => None,
        }
    }

    /// Returns true if the initial marking shows the answer without any firing, or if the net has
    /// no node of the kind that the question is about.
    pub(super) fn is_shown_initially(&self) -> bool {
        let cause = self.because.as_ref().map(|because| &because.cause);
        matches!(cause, Some(Cause::InitialMarking { holds: true } | Cause::NoSuchNode))
            || self.witness_size().is_some_and(WitnessSize::is_initial)
    }
}

/// Serializes the printed form of a value, or null for `None`.
fn as_text<T: Display, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => serializer.collect_str(value),
        None => serializer.serialize_none(),
    }
}

/// The answer whether a transition can fire.
#[derive(Clone, Debug, Serialize)]
pub struct TransitionFate {
    /// True if the transition can fire.
    pub fires: bool,
    /// The evidence.
    #[serde(flatten)]
    pub shown: GoalEvidence,
    #[serde(skip)]
    pub(super) reason: Reason,
    #[serde(skip)]
    pub(super) assumes_units: bool,
}

/// The largest number of tokens on a place.
#[derive(Clone, Debug, Serialize)]
pub struct PlaceMaximum {
    /// The number, or `+inf`.
    #[serde(serialize_with = "shown")]
    pub most: QuestionValue,
    /// The evidence.
    #[serde(flatten)]
    pub shown: GoalEvidence,
}

/// Serializes the printed form of a value.
fn shown<S: Serializer>(value: &QuestionValue, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// The results of a report.
#[derive(Default)]
pub(super) struct ReportResults {
    pub(super) questions: Vec<AnsweredQuestion>,
    /// An entry per transition, if transitions were examined one by one. Otherwise empty. An entry
    /// is `None` if it is open whether the transition can fire.
    pub(super) fates: Vec<Option<TransitionFate>>,
    /// An entry per place of the model, if places were examined one by one. Otherwise empty. An
    /// entry is `None` if the maximum is open.
    pub(super) bounds: Vec<Option<PlaceMaximum>>,
    /// The verdicts of an examination about each node. `None` if no such examination was asked.
    pub(super) node_verdicts: Option<NodeVerdicts>,
    /// A description of a marking that violates the model's claim of safe units. `None` if no such
    /// marking is known.
    pub(super) breach: Option<String>,
    /// The number of results that failed their check and were dropped.
    pub(super) faults: usize,
    /// True if the formulas are requirements of the model's author.
    pub(super) are_requirements: bool,
}

/// The largest number of transitions of a net whose transitions are examined one by one. The same
/// limit holds for places.
const MAX_NODES_ONE_BY_ONE: usize = 3_000;

/// The largest number of different pieces of evidence that are shown for one answer.
const MAX_SHOWN_GOALS: usize = 24;

/// Answers the questions within the budget. Before the run for a standard question, `tell` receives
/// the title of the question. Before the run for all formulas, it receives "the formulas".
pub(super) fn ask<'n>(
    net: &'n Net,
    asked: ReportQuestions,
    config: &RunConfig,
    budget: &Budget,
    store: &mut EvidenceStore<'n>,
    tell: &mut dyn FnMut(&str),
) -> ReportResults {
    let unclaimed = OnceCell::new();
    let mut runner = QuestionRunner { net, config, store, results: ReportResults::default() };
    let whole = budget.remaining();
    match asked {
        ReportQuestions::Topics(topics) => {
            for (at, &topic) in topics.iter().enumerate() {
                tell(topic.title());
                let budget = budget.portion(1.0 / (topics.len() - at) as f64);
                runner.answer_topic(topic, &budget);
            }
            runner.without_claim(&topics, &unclaimed, budget, tell);
            runner.repeat_open_questions(&topics, budget, tell);
            if let (Some(whole), true) = (whole, topics.len() > 1) {
                runner
                    .results
                    .questions
                    .iter_mut()
                    .for_each(|question| append_time_share(question, whole));
            }
        }
        ReportQuestions::EachNode(examination) => {
            tell(verdict_groups::title(examination));
            runner.examine_each_node(examination, budget);
        }
        ReportQuestions::Formulas { plan, written, refused, are_requirements } => {
            runner.results.are_requirements = are_requirements;
            tell("the formulas");
            runner.answer_formulas(*plan, &written, budget);
            for (id, reason) in refused {
                let title = written.get(&id).cloned().unwrap_or_default();
                let reason = Sentence::message(&reason);
                runner.results.questions.push(AnsweredQuestion {
                    id,
                    title,
                    reason,
                    ..AnsweredQuestion::default()
                });
            }
        }
    }
    runner.results
}

/// Appends to the reason of a question that ran out of time how many seconds of the whole time it
/// had. So the reader learns that a larger time limit may help. Other questions stay unchanged.
fn append_time_share(question: &mut AnsweredQuestion, whole: Duration) {
    if question.open == Some(OpenCause::OutOfTime) {
        let (share, whole) = (question.seconds, whole.as_secs_f64());
        let time_share = format!(
            " (its share was {share:.1} s of the {whole:.1} s for all questions; --timeout gives more)"
        );
        question.reason = std::mem::take(&mut question.reason).push_words(time_share);
    }
}

struct QuestionRunner<'a, 'n> {
    net: &'a Net,
    config: &'a RunConfig,
    store: &'a mut EvidenceStore<'n>,
    results: ReportResults,
}

/// An answer with its evidence and the seconds until the answer.
struct EvidencedAnswer {
    answer: GoalAnswer,
    evidence: Vec<GoalEvidence>,
    seconds: f64,
}

/// The result of running one plan, that is, one list of questions about goals.
struct PlanResult {
    /// The answers by the id of the question.
    answers: BTreeMap<String, EvidencedAnswer>,
    /// The reasons why questions are open, by the id of the question.
    open: BTreeMap<String, OpenReason>,
    /// The duration of the run in seconds.
    seconds: f64,
    /// The time slices of engines. Each entry has the time span with the name of the engine, and
    /// the statistics of the engine.
    attempts: Vec<(String, Sentence)>,
}

impl<'a> QuestionRunner<'a, '_> {
    fn run(&mut self, plan: Plan, budget: &Budget) -> PlanResult {
        self.run_on(self.net, plan, budget)
    }

    /// Runs a plan on `net`, and stores the evidence for the page. `net` is the page's net, or a
    /// net with the same transitions and additional places. In the second case, proofs of
    /// unreachability are left out, because the page does not show the additional places.
    fn run_on(&mut self, net: &Net, plan: Plan, budget: &Budget) -> PlanResult {
        let is_other = !std::ptr::eq(net, self.net);
        let start = Instant::now();
        let mut answers_by_id = BTreeMap::new();
        let mut known: HashMap<usize, (Goal, Knowledge)> = HashMap::new();
        let store = &mut *self.store;
        let report = run::run_net(net, plan, self.config, budget, |event| match event {
            Event::Settled { id, goal, knowledge } => {
                known.insert(id.index(), (goal.clone(), knowledge.clone()));
            }
            Event::Answered(answer) => {
                let mut shown_evidence: Vec<GoalEvidence> = Vec::new();
                for goal in answer.rests_on.iter() {
                    let goal_evidence = match known.get(&goal.index()) {
                        // An unbounded maximum may be reported only after the answer.
                        None => continue,
                        Some((
                            Goal::Run(property),
                            Knowledge::Run(RunKnowledge::Exists { run: Some(run), .. }),
                        )) => store.store_run(property, run),
                        Some((_, Knowledge::Reach(ReachKnowledge::Unreachable { .. })))
                            if is_other =>
                        {
                            continue;
                        }
                        Some((_, knowledge)) => store.store_goal(knowledge),
                    };
                    if !shown_evidence.contains(&goal_evidence) {
                        shown_evidence.push(goal_evidence);
                    }
                    if shown_evidence.len() == MAX_SHOWN_GOALS {
                        break;
                    }
                }
                let seconds = start.elapsed().as_secs_f64();
                let id = answer.id.clone();
                answers_by_id.insert(
                    id,
                    EvidencedAnswer { answer: answer.clone(), evidence: shown_evidence, seconds },
                );
            }
            Event::Withdrawn { id } => {
                answers_by_id.remove(id);
            }
            _ => {}
        });
        self.results.faults += report.faults;
        if let Some(breach) = report.breach {
            self.results.breach.get_or_insert(breach);
        }
        let open = report.unanswered.into_iter().map(|open| (open.id, open.reason)).collect();
        let seconds = start.elapsed().as_secs_f64();
        let tried = report.turns.iter().map(|turn| {
            let (began, ended) = (turn.start, turn.start + turn.duration);
            let when = format!("{:.2} – {:.2} s", began.as_secs_f64(), ended.as_secs_f64());
            (format!("{when}, {}", turn.engine), Sentence::message(&turn.statistics))
        });
        PlanResult { answers: answers_by_id, open, seconds, attempts: tried.collect() }
    }

    fn answer_topic(&mut self, topic: StandardQuestion, budget: &Budget) {
        let net = self.net;
        let question = match topic {
            StandardQuestion::Firings if net.transition_count() <= MAX_NODES_ONE_BY_ONE => {
                self.examine_transitions(budget)
            }
            StandardQuestion::Bounds if net.place_count() <= MAX_NODES_ONE_BY_ONE => {
                self.examine_places(budget)
            }
            StandardQuestion::Process(Examination::RelaxedSoundness) => {
                self.answer_relaxed_soundness(budget)
            }
            _ => {
                let plan = topic.plan(net);
                let mut ran = self.run(plan.unwrap_or_default(), budget);
                let id = ran.answers.keys().chain(ran.open.keys()).next().cloned();
                question_for_page(net, &id.unwrap_or_default(), &mut ran)
            }
        };
        let (id, title) = (topic.id().to_owned(), topic.title().to_owned());
        let net = topic.net_meant(net);
        self.results.questions.push(AnsweredQuestion {
            id,
            title,
            topic: Some(topic),
            net,
            ..question
        });
    }

    /// Answers relaxed soundness on the net extended by places that count firings.
    fn answer_relaxed_soundness(&mut self, budget: &Budget) -> AnsweredQuestion {
        let examination = Examination::RelaxedSoundness;
        match with_counters(self.net) {
            Ok(net_with_counters) => {
                let plan =
                    Plan::of_examination(examination, &net_with_counters).unwrap_or_default();
                let mut ran = self.run_on(&net_with_counters, plan, budget);
                question_for_page(self.net, examination.name(), &mut ran)
            }
            Err(why) => AnsweredQuestion {
                reason: Sentence::from_words(why.to_string()),
                ..AnsweredQuestion::default()
            },
        }
    }

    /// Answers the questions again whose answers depend on the model's claim of safe units. Does
    /// nothing unless a marking is known that violates the claim. From then on, all runs use the
    /// net without the claim.
    fn without_claim(
        &mut self,
        topics: &[StandardQuestion],
        unclaimed: &'a OnceCell<Net>,
        budget: &Budget,
        tell: &mut dyn FnMut(&str),
    ) {
        if self.results.breach.is_none() {
            return;
        }
        let net = self.net;
        self.net = unclaimed.get_or_init(|| net.without_unit_claim());
        let rests_on_it = |at: &usize| self.results.questions[*at].assumes_units;
        let doubtful: Vec<usize> = (0..topics.len()).filter(rests_on_it).collect();
        for (done, &at) in doubtful.iter().enumerate() {
            match topics[at] {
                StandardQuestion::Firings => self.results.fates.clear(),
                StandardQuestion::Bounds => self.results.bounds.clear(),
                _ => {}
            }
            tell(topics[at].title());
            self.answer_topic(topics[at], &budget.portion(1.0 / (doubtful.len() - done) as f64));
            // The new answer is last in the list, so the removal moves it to the place of the old
            // answer.
            self.results.questions.swap_remove(at);
        }
    }

    /// Answers the open questions again in the time that the other questions left. A question that
    /// was split into one goal per node is not repeated, because usually most of its goals are
    /// settled.
    fn repeat_open_questions(
        &mut self,
        topics: &[StandardQuestion],
        budget: &Budget,
        tell: &mut dyn FnMut(&str),
    ) {
        let one_by_one = |topic| match topic {
            StandardQuestion::Firings => !self.results.fates.is_empty(),
            StandardQuestion::Bounds => !self.results.bounds.is_empty(),
            _ => false,
        };
        let mut open: Vec<usize> = (0..topics.len()).collect();
        open.retain(|&at| self.results.questions[at].value.is_none() && !one_by_one(topics[at]));
        for (repeated_count, &at) in open.iter().enumerate() {
            if budget.exhausted().is_some() {
                break;
            }
            tell(topics[at].title());
            self.answer_topic(
                topics[at],
                &budget.portion(1.0 / (open.len() - repeated_count) as f64),
            );
            // The new answer is last in the list, so the removal moves it to the place of the old
            // answer.
            let before = self.results.questions.swap_remove(at);
            let question = &mut self.results.questions[at];
            question.seconds += before.seconds;
            if question.value.is_none() {
                question.tried.splice(0..0, before.tried);
            }
        }
    }

    fn answer_formulas(&mut self, plan: Plan, written: &HashMap<String, String>, budget: &Budget) {
        let ids: Vec<String> = plan.questions().iter().map(|asked| asked.id.clone()).collect();
        let mut ran = self.run(plan, budget);
        for id in ids {
            let title = written.get(&id).cloned().unwrap_or_default();
            let question = question_for_page(self.net, &id, &mut ran);
            let net = NetMeant::of_examination(self.net);
            self.results.questions.push(AnsweredQuestion { id, title, net, ..question });
        }
    }
}

/// Converts the result of one question into the data of the page.
fn question_for_page(net: &Net, id: &str, ran: &mut PlanResult) -> AnsweredQuestion {
    if let Some(EvidencedAnswer { answer, evidence: shown, seconds }) = ran.answers.remove(id) {
        let certificates = shown.iter().filter_map(|shown| shown.certificate);
        let mut certificates: Vec<usize> = certificates.collect();
        certificates.sort_unstable();
        certificates.dedup();
        // The answer may rest on several goals, and each may have a sequence to play. For a firing
        // sequence as witness, the sequence with the same number of firings is preferred, otherwise
        // the first. For a lasso, the first is shown. Otherwise the first sequence with a repeated
        // part is shown, if any.
        let plays = || shown.iter().filter_map(|shown| shown.play.clone());
        let play = match &answer.exhibit {
            Some(AnswerWitness::Firings(witness)) => {
                let firings = u64::try_from(witness.firings()).unwrap_or(u64::MAX);
                plays().find(|play| play.firings == firings).or_else(|| plays().next())
            }
            Some(AnswerWitness::Lasso(_)) => plays().next(),
            _ => plays().find(|play| play.pump.is_some()),
        };
        return AnsweredQuestion {
            id: answer.id,
            value: Some(answer.value),
            reason: Sentence::of(net, &answer.reason.text()),
            because: Some(answer.reason),
            grade: Some(answer.grade),
            techniques: answer.techniques,
            assumes_units: answer.assumes_units,
            play,
            certificates,
            seconds,
            ..AnsweredQuestion::default()
        };
    }
    let reason = ran.open.remove(id).unwrap_or_else(|| OpenCause::NotAsked.into());
    AnsweredQuestion {
        id: id.to_owned(),
        reason: Sentence::message(&reason.to_string()),
        open: Some(reason.cause),
        seconds: ran.seconds,
        tried: ran.attempts.clone(),
        ..AnsweredQuestion::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn questions_out_of_time_state_their_share() {
        let reason = |open: Option<OpenCause>| {
            let reason = Sentence::from_words("why");
            let mut question =
                AnsweredQuestion { open, reason, seconds: 0.71, ..AnsweredQuestion::default() };
            append_time_share(&mut question, Duration::from_secs(5));
            serde_json::to_string(&question.reason).unwrap()
        };
        let said = reason(Some(OpenCause::OutOfTime));
        assert!(said.contains("(its share was 0.7 s of the 5.0 s for all questions;"), "{said}");
        for open in [None, Some(OpenCause::NothingMoreToTry)] {
            assert_eq!(reason(open), r#"["why"]"#);
        }
    }

    #[test]
    fn open_questions_are_repeated_in_the_remaining_time() {
        let net = text::parse("place p 1\nplace q\ntransition t: p -> q").unwrap();
        let open = AnsweredQuestion {
            seconds: 5.0,
            topic: Some(StandardQuestion::Deadlock),
            ..AnsweredQuestion::default()
        };
        let known = AnsweredQuestion {
            value: Some(QuestionValue::Bool(true)),
            id: "known".into(),
            ..open.clone()
        };
        let topics = [StandardQuestion::Deadlock, StandardQuestion::OneSafe];
        let again = |budget: &Budget| {
            let (mut store, mut told) = (EvidenceStore::new(&net), Vec::new());
            let questions = vec![open.clone(), known.clone()];
            let found = ReportResults { questions, ..ReportResults::default() };
            let config = &RunConfig::default();
            let mut asking =
                QuestionRunner { net: &net, config, store: &mut store, results: found };
            asking.repeat_open_questions(&topics, budget, &mut |title: &str| {
                told.push(title.to_owned())
            });
            (asking.results.questions, told)
        };
        let (questions, told) = again(&Budget::lasting(Duration::from_secs(20)));
        assert_eq!(told, [StandardQuestion::Deadlock.title()]);
        assert_eq!(questions.len(), 2);
        assert_eq!(questions[0].truth(), Some(true));
        assert!(
            questions[0].seconds >= 5.0 && questions[0].topic == Some(StandardQuestion::Deadlock)
        );
        assert_eq!(questions[1].id, "known");
        // No question is repeated without remaining time.
        let (questions, told) = again(&Budget::lasting(Duration::ZERO));
        assert!(told.is_empty() && questions[0].value.is_none());
    }
}
