//! One inquiry about one model: the common part of `check`, `mcc` and `states`. Runs the inquiry
//! and prints its results.

use super::ProgramOutcome;
use super::expected::QuestionKey;
use super::explain::explanation_lines;
use super::fair::RunRestriction;
use super::joint_output;
use super::output::{AnswerContext, AnswerPrinter};
use super::output_files::{OpenEvidence, OutputDirectories, write};
use super::progress::{RunProgress, RunState};
use super::questions::{InquiryReader, RequestedQuestions, is_called};
use super::terminal::note;
use anyhow::{Result, anyhow};
use parikh::answer::GoalAnswer;
use parikh::evidence_files::EvidenceFile;
use parikh::run::{self, Event, RunReport};
use parikh_input::model::{Model, ModelView};
use parikh_net::Assumption;
use parikh_net::printable::Word;
use parikh_solvers::Budget;
use std::cell::RefCell;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// The largest number of open questions whose ids the message of an interrupted run lists.
const MAX_OPEN_IDS: usize = 50;

/// An inquiry about a model, that is, an examination or a group of formulas, with limits and
/// outputs.
pub(super) struct InquiryJob<'a> {
    pub(super) inquiry: RequestedQuestions<'a>,
    /// The runs that formulas consider: all runs, fair runs, or runs of a case.
    pub(super) restriction: RunRestriction<'a>,
    pub(super) budget: &'a Budget,
    pub(super) config: run::RunConfig,
    /// The messages to print besides the answers.
    pub(super) messages: RunMessages,
    pub(super) printer: AnswerPrinter,
    /// The directories of traces and evidence files.
    pub(super) directories: OutputDirectories<'a>,
    /// The last valid answer, set during the run.
    pub(super) last_answer: RefCell<Option<GoalAnswer>>,
    /// True if the command goes on after this job with the time that is left. Then the process does
    /// not end when an engine overruns the job's time.
    pub(super) is_followed: bool,
}

/// Messages about a run besides its answers.
#[derive(Clone, Default)]
pub(super) struct RunMessages {
    /// True if the statistics of every stage are printed when the process has to end before an
    /// engine returns. When a run ends as usual, the caller of [`InquiryJob::run`] prints them.
    pub(super) prints_statistics: bool,
    /// True if progress is printed as JSON.
    pub(super) prints_events: bool,
    /// The ids of questions whose answers are explained.
    pub(super) explain: Vec<String>,
    /// The ids of the questions to answer. If empty, all questions are answered.
    pub(super) only: Vec<String>,
}

impl InquiryJob<'_> {
    /// Answers the questions and prints each answer as soon as it is known. Ends the process if an
    /// engine does not stop in time ([`Event::Overrun`]).
    pub(super) fn run(&self, model: &Model) -> Result<RunReport> {
        let (only, explain) = (&self.messages.only, &self.messages.explain);
        let questions = InquiryReader::new(&self.inquiry, self.restriction, only, explain);
        let mut listener = RunListener {
            job: self,
            questions: &questions,
            start: Instant::now(),
            progress: None,
            file: None,
            explained_answers: HashMap::new(),
        };
        let on_event = |view, event: Event<'_>| listener.handle(view, event);
        let report = match self.inquiry.is_state_space() {
            true => run::figures(model, &self.config, self.budget, on_event)?,
            false => {
                let report = run::run(model, &questions, &self.config, self.budget, on_event);
                // Messages about refused formulas explain an error of the run, too.
                questions.print_notes();
                report?
            }
        };
        listener.end(&report);
        Ok(report)
    }

    /// Returns the key of the question with this id, or of the number of the state space with this
    /// name.
    fn key(&self, id: &str) -> QuestionKey {
        match self.inquiry.is_state_space() {
            true => QuestionKey::Figure(id.to_owned()),
            false => QuestionKey::Question(id.to_owned()),
        }
    }

    /// Prints how to continue an interrupted run with the open questions.
    fn print_how_to_continue(&self, report: &RunReport) {
        let open_ids = report.unanswered.iter().map(|question| {
            match Word(&question.id).to_string() {
                // The shell would remove an unquoted backslash.
                word if word.contains('\\') => format!("'{word}'"),
                word => word,
            }
        });
        let open_ids: Vec<String> = open_ids.collect();
        match (open_ids.as_slice(), self.inquiry.has_several()) {
            ([], _) => {}
            ([_, ..], true) if open_ids.len() > MAX_OPEN_IDS => note!(
                "parikh: interrupted; open questions: {}. To answer only some of these, add --id \
                 ID for each",
                open_ids.len()
            ),
            (open_ids, true) => note!(
                "parikh: interrupted; open questions: {}. To answer only these, add --id {}",
                open_ids.len(),
                open_ids.join(" --id ")
            ),
            (_, false) => {
                note!("parikh: interrupted; run the command again to answer the open question")
            }
        }
    }
}

/// A listener for the events of a run, which prints them.
struct RunListener<'j, 'm> {
    job: &'j InquiryJob<'j>,
    questions: &'j InquiryReader<'j>,
    start: Instant,
    /// The progress display. `None` before the questions are known, and for the examination
    /// StateSpace, which asks for the numbers of a state space.
    progress: Option<RunProgress>,
    /// The evidence file. `None` before work on a net has begun, if no evidence is requested, if
    /// the file could not be created, or after an error in writing it.
    file: Option<OpenEvidence<'m>>,
    /// The answers to explain, by the id of the question. Each answer has the time since the start
    /// of the run.
    explained_answers: HashMap<String, (Duration, GoalAnswer)>,
}

impl<'m> RunListener<'_, 'm> {
    /// Handles an event of the run.
    fn handle(&mut self, view: ModelView<'m>, event: Event<'_>) {
        match event {
            Event::NetBegun { questions } => self.begin(view, questions),
            Event::Settled { id, goal, knowledge } => {
                write(&mut self.file, |file| file.settled(id, goal, knowledge));
            }
            Event::Answered(answer) => self.answer(view, answer),
            Event::Figure(figure, counted) => {
                let _output = joint_output::begin();
                write(&mut self.file, |file| file.figure(figure, counted));
                self.job.printer.figure(figure, view, self.start.elapsed());
            }
            Event::Withdrawn { id } => {
                let _output = joint_output::begin();
                self.explained_answers.remove(id);
                self.job.last_answer.replace(None);
                write(&mut self.file, |file| file.withdrawn(id));
                self.print(|printer| printer.withdrawn(self.job.key(id)));
            }
            Event::Waiting { questions: open_questions, goals, engines, between } => {
                if let Some(progress) = &mut self.progress {
                    progress.show(&RunState {
                        open: open_questions,
                        goals,
                        engines,
                        ranges: between,
                    });
                }
            }
            Event::Declined(why) => {
                self.print(|_| note!("parikh: {:#}", anyhow!(why.clone())));
            }
            Event::Overrun { .. } if self.job.is_followed => {}
            // An engine does not stop, although it has to. The process ends without waiting for it.
            Event::Overrun { report, .. } => {
                self.end(report);
                if self.job.messages.prints_statistics {
                    print_statistics(report);
                }
                super::leaving::exit(super::code_of(ProgramOutcome::of(report)));
            }
        }
    }

    /// Handles the start of work on a net: registers the questions and opens the evidence file.
    fn begin(&mut self, view: ModelView<'m>, questions: &[String]) {
        let InquiryJob {
            inquiry,
            budget,
            messages: run_messages,
            printer,
            directories: output_directories,
            ..
        } = self.job;
        printer.set_formula_texts(self.questions.formula_texts());
        printer.expects(questions.iter().map(|id| self.job.key(id)));
        if !inquiry.is_state_space() {
            let progress =
                || RunProgress::start(questions.len(), run_messages.prints_events, budget);
            self.progress.get_or_insert_with(progress);
        }
        if self.file.is_none() {
            self.file = output_directories.file(&inquiry.name(), view.net());
        }
    }

    /// Handles an answer: writes its evidence and its trace, and prints it.
    fn answer(&mut self, view: ModelView<'m>, answer: &GoalAnswer) {
        let (job, when) = (self.job, self.start.elapsed());
        let _output = joint_output::begin();
        if let Some(progress) = &mut self.progress {
            progress.answered(answer);
        }
        if job.messages.explain.iter().any(|wanted| is_called(&answer.id, wanted)) {
            self.explained_answers.insert(answer.id.clone(), (when, answer.clone()));
        }
        write(&mut self.file, |file| file.answer(answer));
        job.last_answer.replace(Some(answer.clone()));
        // The trace states its initial marking if it may differ from that of the model. The model
        // may have no tokens at all, or one token in the source where the trace has a token per
        // case.
        let is_assumed = |it: &Assumption| matches!(it, Assumption::InitialToken(_));
        let states_marking = matches!(job.inquiry, RequestedQuestions::Process(..))
            || job.restriction.cases
            || view.net().assumptions().iter().any(is_assumed);
        let each_node = job.inquiry.each_node();
        let trace = job.directories.write_trace(view, answer, each_node, states_marking);
        let about = AnswerContext { view, named: self.questions.named(&answer.id) };
        self.print(|printer| printer.answer(answer, &about, when, trace.as_ref()));
    }

    /// Prints without interfering with the progress lines.
    fn print(&self, print: impl FnOnce(&AnswerPrinter)) {
        let print = || print(&self.job.printer);
        match &self.progress {
            Some(progress) => progress.suspend(print),
            None => print(),
        }
    }

    /// Ends the evidence file, and prints the open questions and the other final messages of a run.
    fn end(&mut self, report: &RunReport) {
        let InquiryJob { inquiry, budget, messages: run_messages, printer, .. } = self.job;
        if let Some(progress) = &self.progress {
            progress.end();
        }
        let output = joint_output::begin();
        write(&mut self.file, EvidenceFile::write_end);
        for question in &report.unanswered {
            printer.unanswered(&self.job.key(&question.id), &question.reason);
        }
        printer.summary(report);
        drop(output);
        let open = report.unanswered.iter().map(|question| &question.id);
        let ids: Vec<&String> = self.explained_answers.keys().chain(open).collect();
        for wanted in &run_messages.explain {
            let id = ids.iter().find(|id| is_called(id, wanted)).map_or(wanted, |id| *id);
            explanation_lines(id, self.explained_answers.get(id), report)
                .iter()
                .for_each(|line| note!("{line}"));
        }
        if budget.is_cancelled() && !inquiry.is_state_space() {
            self.job.print_how_to_continue(report);
        }
    }
}

/// Prints the statistics of every stage.
pub(super) fn print_statistics(report: &RunReport) {
    for (stage, text) in &report.statistics {
        note!("{stage:<12} {text}");
    }
}
