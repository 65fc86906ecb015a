//! One inquiry about one model: what `check`, `mcc` and `states` have in common. Runs it, and says
//! what is told.

use super::Outcome;
use super::beside::{Beside, OpenFile, write};
use super::explain::story;
use super::fair::Meant;
use super::output::{About, FIGURE, Printer};
use super::progress::{News, Progress};
use super::questions::{Inquiry, Reading};
use super::terminal::note;
use crate::answer::Answer;
use crate::evidence_files::EvidenceFile;
use crate::model::{Model, View};
use crate::run::{self, Event, Report};
use anyhow::{Result, anyhow};
use parikh_net::Assumption;
use parikh_net::printable::Word;
use parikh_solvers::Budget;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// One inquiry about one model.
pub(super) struct Job<'a> {
    pub(super) inquiry: Inquiry<'a>,
    /// Which runs are meant where formulas speak of runs.
    pub(super) meant: Meant<'a>,
    pub(super) budget: &'a Budget,
    pub(super) config: run::Config,
    /// What is said besides the answers, and of which.
    pub(super) watch: Watch,
    pub(super) printer: Printer,
    /// Which files are written.
    pub(super) beside: Beside<'a>,
}

/// What is said of a run besides its answers.
#[derive(Clone, Default)]
pub(super) struct Watch {
    /// Whether what each stage did is said, even when an engine has to be left.
    pub(super) statistics: bool,
    /// Whether progress is told in JSON.
    pub(super) events: bool,
    /// The questions whose stories are told.
    pub(super) explain: Vec<String>,
    /// The only questions to be asked of those in files; none for all.
    pub(super) only: Vec<String>,
}

impl Job<'_> {
    /// Answers the questions, each printed as soon as it is decided.
    pub(super) fn run(&self, model: &Model) -> Result<Report> {
        let (only, explain) = (&self.watch.only, &self.watch.explain);
        let questions = Reading::new(&self.inquiry, self.meant, only, explain);
        let mut listener = Listener {
            job: self,
            questions: &questions,
            start: Instant::now(),
            progress: None,
            file: None,
            stories: HashMap::new(),
        };
        let hear = |view, event: Event<'_>| listener.hear(view, event);
        let report = match self.inquiry.is_figures() {
            true => {
                let mut report = run::figures(model, &self.config, self.budget, hear)?;
                for question in &mut report.unanswered {
                    question.id = format!("{FIGURE}{}", question.id);
                }
                report
            }
            false => {
                let report = run::run(model, &questions, &self.config, self.budget, hear);
                questions.say_notes();
                report?
            }
        };
        listener.end(&report);
        Ok(report)
    }

    /// What was interrupted can be gone on with, without what was answered.
    fn say_how_to_go_on(&self, report: &Report) {
        let open = report.unanswered.iter().map(|question| {
            match Word(&question.id).to_string() {
                // A shell would take the backslash away.
                word if word.contains('\\') => format!("'{word}'"),
                word => word,
            }
        });
        let open: Vec<String> = open.collect();
        match (open.as_slice(), self.inquiry.has_several()) {
            ([], _) => {}
            (open, true) => note!(
                "parikh: interrupted with {} open; to go on with what is open alone, add --id {}",
                open.len(),
                open.join(" --id ")
            ),
            (_, false) => {
                note!("parikh: interrupted; it takes another run to answer what is open")
            }
        }
    }
}

/// Who hears what is told of a model, and says it.
struct Listener<'j, 'm> {
    job: &'j Job<'j>,
    questions: &'j Reading<'j>,
    start: Instant,
    progress: Option<Progress>,
    file: Option<OpenFile<'m>>,
    /// Answers whose story is told, with when they came.
    stories: HashMap<String, (Duration, Answer)>,
}

impl<'m> Listener<'_, 'm> {
    fn hear(&mut self, view: View<'m>, event: Event<'_>) {
        match event {
            Event::Begun { questions } => self.begin(view, questions),
            Event::Settled { id, goal, knowledge } => {
                write(&mut self.file, |file| file.settled(id, goal, knowledge));
            }
            Event::Answered(answer) => self.answer(view, answer),
            Event::Figure(figure, counted) => {
                write(&mut self.file, |file| file.figure(figure, counted));
                self.job.printer.figure(figure, view, self.start.elapsed());
            }
            Event::Withdrawn { id } => {
                self.stories.remove(id);
                write(&mut self.file, |file| file.withdrawn(id));
                let id = format!("{}{id}", if self.job.inquiry.is_figures() { FIGURE } else { "" });
                self.print(|printer| printer.withdrawn(&id));
            }
            Event::Waiting { questions: open, goals, engines, between } => {
                if let Some(progress) = &mut self.progress {
                    progress.show(&News { open, goals, engines, between });
                }
            }
            Event::Declined(why) => {
                self.print(|_| note!("parikh: {:#}", anyhow!(why.clone())));
            }
            Event::Overrun { report, .. } => {
                self.end(report);
                if self.job.watch.statistics {
                    print_statistics(report);
                }
                super::leaving::exit(super::code_of(Outcome::of(report)));
            }
        }
    }

    fn begin(&mut self, view: View<'m>, questions: &[String]) {
        let Job { inquiry, budget, watch, printer, beside, .. } = self.job;
        match inquiry.is_figures() {
            true => printer.expects(questions.iter().map(|figure| format!("{FIGURE}{figure}"))),
            false => {
                printer.expects(questions.iter().cloned());
                let progress = || Progress::start(questions.len(), watch.events, budget);
                self.progress.get_or_insert_with(progress);
            }
        }
        if self.file.is_none() {
            self.file = beside.file(&inquiry.name(), view.net());
        }
    }

    fn answer(&mut self, view: View<'m>, answer: &Answer) {
        let (job, when) = (self.job, self.start.elapsed());
        if let Some(progress) = &mut self.progress {
            progress.answered(answer);
        }
        if job.watch.explain.contains(&answer.id) {
            self.stories.insert(answer.id.clone(), (when, answer.clone()));
        }
        write(&mut self.file, |file| file.answer(answer));
        // The model may say nothing of where a case begins, or begin with one case of several.
        let is_assumed = |it: &Assumption| matches!(it, Assumption::InitialToken(_));
        let says_where = matches!(job.inquiry, Inquiry::Process(..))
            || job.meant.cases
            || view.net().assumptions().iter().any(is_assumed);
        let trace = job.beside.write_trace(view, answer, says_where);
        let about = About { view, named: self.questions.named(&answer.id) };
        self.print(|printer| printer.answer(answer, &about, when, trace.as_ref()));
    }

    /// Prints without the lines of progress in the way.
    fn print(&self, print: impl FnOnce(&Printer)) {
        let print = || print(&self.job.printer);
        match &self.progress {
            Some(progress) => progress.hide(print),
            None => print(),
        }
    }

    /// What is to be said when all is over.
    fn end(&mut self, report: &Report) {
        let Job { inquiry, budget, watch, printer, .. } = self.job;
        if let Some(progress) = &self.progress {
            progress.end();
        }
        write(&mut self.file, EvidenceFile::end);
        report.unanswered.iter().for_each(|question| printer.unanswered(question));
        printer.summary(report);
        for id in &watch.explain {
            story(id, self.stories.get(id), report).iter().for_each(|line| note!("{line}"));
        }
        if budget.is_cancelled() && !inquiry.is_figures() {
            self.job.say_how_to_go_on(report);
        }
    }
}

/// Says what each stage did.
pub(super) fn print_statistics(report: &Report) {
    for (stage, text) in &report.statistics {
        note!("{stage:<12} {text}");
    }
}
