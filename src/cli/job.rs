//! One examination of one net: what `check` and `mcc` have in common.

use super::Misuse;
use super::beside::{self, Evidence, write};
use super::check::outcome;
use super::explain::story;
use super::formulas::Asked;
use super::output::{FIGURE, Printer};
use super::progress::{News, Progress};
use super::terminal::note;
use super::trace_file::Trace;
use crate::answer::{Answer, Plan};
use crate::evidence::abstraction::ColouredModel;
use crate::evidence_files::EvidenceFile;
use crate::input;
use crate::mcc::Examination;
use crate::run::{self, Event, Report, Told, Unanswered};
use anyhow::{Result, bail};
use parikh_net::printable::Word;
use parikh_net::{Net, Pumping, Stage, TransitionId, marking_text};
use parikh_solvers::Budget;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What is asked of a net.
pub(super) enum Subject {
    /// An examination, with its query file where it needs one.
    Examination(Examination, Option<PathBuf>),
    /// A question about a process, and of how many cases; the net has the markings that it is about.
    Process(Examination, u64),
    /// Formulas of the user's own.
    Formulas(Vec<Asked>),
}

/// One examination of one net: what `check` and `mcc` have in common.
pub(super) struct Job<'a> {
    pub(super) net: &'a Net,
    pub(super) subject: Subject,
    pub(super) budget: &'a Budget,
    pub(super) config: run::Config,
    /// What is said besides the answers, and of which.
    pub(super) watch: Watch,
    /// The coloured net that `net` is the skeleton of, when that is worked on as it is.
    pub(super) coloured: Option<&'a ColouredModel>,
    /// What an earlier job did of these questions already.
    pub(super) before: Done,
}

/// What is said of a run besides its answers.
#[derive(Clone, Default)]
pub(super) struct Watch {
    /// Whether what each stage did is said even when an engine has to be left.
    pub(super) statistics: bool,
    /// Whether progress is told in JSON.
    pub(super) events: bool,
    /// The questions whose stories are told.
    pub(super) explain: Vec<String>,
    /// The only questions to be asked of those in files; none for all.
    pub(super) only: Vec<String>,
}

impl Watch {
    /// Says how it came to the answers that are to be explained.
    pub(super) fn tell_stories(
        &self,
        stories: &HashMap<String, (Duration, Answer)>,
        report: &Report,
    ) {
        for id in &self.explain {
            story(id, stories.get(id), report).iter().for_each(|line| note!("{line}"));
        }
    }
}

/// What a job has done.
#[derive(Default)]
pub(super) struct Done {
    /// How it ended.
    pub(super) report: Report,
    /// The questions answered.
    pub(super) answered: HashSet<String>,
    /// Answers whose story is told, with when they came.
    pub(super) stories: HashMap<String, (Duration, Answer)>,
    /// How long it took.
    pub(super) lasted: Duration,
}

impl<'a> Job<'a> {
    /// One job, about a net as it is.
    pub(super) fn new(
        net: &'a Net,
        subject: Subject,
        budget: &'a Budget,
        config: run::Config,
    ) -> Self {
        let before = Done::default();
        let watch = Watch::default();
        Job { net, subject, budget, config, watch, coloured: None, before }
    }

    /// Answers the questions, each printed as soon as it is decided.
    pub(super) fn run(&self, printer: &Printer, evidence: Evidence<'_>) -> Result<Report> {
        if let Subject::Examination(Examination::StateSpace, _) = self.subject {
            return self.state_space(printer, evidence);
        }
        let Done { report, stories, .. } = self.begin(printer, evidence)?;
        Ok(self.finish(report, &stories, printer))
    }

    /// Answers what it can of the questions, each printed as soon as it is decided, and says nothing of
    /// the others.
    pub(super) fn begin(&self, printer: &Printer, evidence: Evidence<'_>) -> Result<Done> {
        let start = Instant::now();
        let (plan, refused) = match &self.subject {
            Subject::Examination(examination, queries) => {
                match Plan::of_examination(*examination, self.net) {
                    Some(plan) => (plan, Vec::new()),
                    None => self.plan_queries(*examination, queries.as_deref())?,
                }
            }
            Subject::Process(examination, _) => {
                match Plan::of_examination(*examination, self.net) {
                    Some(plan) => (plan.called(&self.name_of_all()), Vec::new()),
                    None => {
                        let reason = "the net is too large for goals that speak of all places";
                        let (id, reason) = (self.name_of_all(), reason.to_owned());
                        (Plan::default(), vec![Unanswered { id, reason }])
                    }
                }
            }
            Subject::Formulas(asked) => self.plan_asked(asked),
        };
        self.check_ids(&plan, &refused)?;
        let refused_ids = refused.iter().map(|question| question.id.clone());
        let asked = plan.questions().iter().map(|question| question.id.clone());
        printer.expects(asked.chain(refused_ids));
        tracing::info!("{} questions, {} goals", plan.questions().len(), plan.goals().len());
        let mut progress = Progress::start(plan.questions().len(), self.watch.events, self.budget);
        let mut file = evidence.file(&self.name_of_all(), self.net);
        let mut answered = HashSet::new();
        let mut stories = self.before.stories.clone();
        let tell = |event: Event<'_>| match event {
            Event::Settled { id, goal, knowledge } => {
                write(&mut file, |file| file.settled(id, goal, knowledge));
            }
            Event::Answered(answer) => {
                answered.insert(answer.id.clone());
                progress.answered(answer);
                if self.watch.explain.contains(&answer.id) {
                    let when = self.before.lasted + start.elapsed();
                    stories.insert(answer.id.clone(), (when, answer.clone()));
                }
                write(&mut file, |file| file.answer(answer));
                let written =
                    evidence.traces.and_then(|directory| self.write_trace(directory, answer));
                progress.hide(|| printer.answer(answer, start.elapsed(), written.as_ref()));
            }
            Event::Withdrawn { id } => {
                answered.remove(id);
                stories.remove(id);
                write(&mut file, |file| file.withdrawn(id));
                progress.hide(|| printer.withdrawn(id));
            }
            Event::Waiting { questions: open, goals, engines, between } => {
                progress.show(&News { open, goals, engines, between });
            }
            Event::Overrun { report, .. } => {
                progress.end();
                write(&mut file, EvidenceFile::end);
                let mut report = report.clone();
                report.unanswered.extend(refused.iter().cloned());
                let report = self.finish(report, &stories, printer);
                if self.watch.statistics {
                    print_statistics(&report);
                }
                super::signals::exit(super::code_of(outcome(&report)));
            }
        };
        let mut report = match self.coloured {
            None => run::run(self.net, plan, &self.config, self.budget, tell),
            Some(model) => run::run_coloured(model, plan, &self.config, self.budget, tell),
        };
        progress.end();
        write(&mut file, EvidenceFile::end);
        report.unanswered.extend(refused);
        Ok(Done { report, answered, stories, lasted: start.elapsed() })
    }

    /// What its questions are called together.
    fn name_of_all(&self) -> String {
        match self.subject {
            Subject::Examination(examination, _) => name_of_all(Some(examination), 1),
            Subject::Process(examination, cases) => name_of_all(Some(examination), cases),
            Subject::Formulas(_) => name_of_all(None, 1),
        }
    }

    /// What is to be said when all is over; the report of all that was done.
    fn finish(
        &self,
        mut report: Report,
        stories: &HashMap<String, (Duration, Answer)>,
        printer: &Printer,
    ) -> Report {
        report.answered += self.before.report.answered;
        report.faults += self.before.report.faults;
        report.statistics.splice(0..0, self.before.report.statistics.iter().cloned());
        report.turns.iter_mut().for_each(|turn| turn.began += self.before.lasted);
        report.turns.splice(0..0, self.before.report.turns.iter().cloned());
        finish(&report, printer);
        self.watch.tell_stories(stories, &report);
        if self.budget.is_cancelled() {
            self.say_how_to_go_on(&report);
        }
        report
    }

    /// What was interrupted can be gone on with, without what was answered.
    fn say_how_to_go_on(&self, report: &Report) {
        let open = report.unanswered.iter().map(|question| match Word(&question.id).to_string() {
            // A shell would take the backslash away.
            word if word.contains('\\') => format!("'{word}'"),
            word => word,
        });
        let open: Vec<String> = open.collect();
        let of_files = match &self.subject {
            Subject::Examination(examination, _) => examination.has_queries(),
            Subject::Process(..) => false,
            Subject::Formulas(_) => true,
        };
        match (open.as_slice(), of_files) {
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

    /// Refuses ids that no question has.
    fn check_ids(&self, plan: &Plan, refused: &[Unanswered]) -> Result<()> {
        let asked = plan.questions().iter().map(|question| &question.id);
        let ids: Vec<&String> =
            asked.chain(refused.iter().map(|it| &it.id)).chain(&self.before.answered).collect();
        let missing =
            self.watch.only.iter().find(|wanted| !ids.iter().any(|id| is_called(id, wanted)));
        let unexplained = self.watch.explain.iter().find(|wanted| !ids.contains(wanted));
        if let Some(id) = missing.or(unexplained) {
            let some: Vec<String> = ids.iter().take(20).map(|id| Word(id).to_string()).collect();
            bail!(Misuse(format!("no question is called {id}; there are {}", some.join(", "))));
        }
        Ok(())
    }

    /// Whether a question of a file is asked.
    fn is_wanted(&self, id: &str) -> bool {
        self.watch.only.is_empty() || self.watch.only.iter().any(|wanted| is_called(id, wanted))
    }

    /// The plan of a query file, and the formulas in it that are refused.
    fn plan_queries(
        &self,
        examination: Examination,
        file: Option<&Path>,
    ) -> Result<(Plan, Vec<Unanswered>)> {
        let Some(file) = file else {
            bail!("{examination} needs a query file");
        };
        let queries = input::read_queries(file, self.net)?;
        let mut plan = Plan::default();
        let mut refused = Vec::new();
        if let Some(error) = queries.cut_short {
            note!("parikh: {error}; the formulas before it are answered");
            let id = format!("(the rest of {})", file.display());
            refused.push(Unanswered { id, reason: error.to_string() });
        } else if queries.queries.is_empty() {
            bail!("{}: there is no formula in the file", file.display());
        }
        let mut ids = HashSet::new();
        for query in queries.queries {
            if !self.is_wanted(&query.id) {
                continue;
            }
            let planned = if !ids.insert(query.id.clone()) {
                Err("an earlier formula has the same id".to_owned())
            } else if self.before.answered.contains(&query.id) {
                Ok(())
            } else {
                match &query.formula {
                    Ok(formula) => plan
                        .ask_formula(&query.id, formula, self.net)
                        .map_err(|error| error.to_string()),
                    Err(error) => Err(error.to_string()),
                }
            };
            if let Err(reason) = planned {
                // On the skeleton, the unfolding's plan will say so.
                if self.coloured.is_none() {
                    note!("parikh: {}: formula {}: {reason}", file.display(), query.id);
                }
                refused.push(Unanswered { id: query.id, reason });
            }
        }
        Ok((plan, refused))
    }

    /// The plan of formulas given by the user, whose own mistakes were told already.
    fn plan_asked(&self, asked: &[Asked]) -> (Plan, Vec<Unanswered>) {
        let mut plan = Plan::default();
        let mut refused = Vec::new();
        let open =
            |asked: &&Asked| self.is_wanted(&asked.id) && !self.before.answered.contains(&asked.id);
        for Asked { id, formula } in asked.iter().filter(open) {
            let planned = match formula {
                Ok(formula) => plan
                    .ask_formula(id, formula, self.net)
                    .map_err(|error| error.to_string())
                    .inspect_err(|reason| note!("parikh: formula {id}: {reason}")),
                Err(reason) => Err(reason.clone()),
            };
            if let Err(reason) = planned {
                refused.push(Unanswered { id: id.clone(), reason });
            }
        }
        (plan, refused)
    }

    /// Names of transitions, or of steps.
    fn name(&self, t: TransitionId) -> Cow<'_, str> {
        match self.coloured {
            Some(model) => model.step_name(t).into(),
            None => self.net.transition_name(t).into(),
        }
    }

    /// Writes the answer's witness, if it has one; the file it went to, if it could.
    fn write_trace(&self, directory: &Path, answer: &Answer) -> Option<PathBuf> {
        let (earlier, sequence, repeat) = match (&answer.pump, &answer.witness) {
            (Some(Pumping { earlier, last: Stage { prefix, pump } }), _) => {
                (earlier.clone(), prefix.clone(), Some(pump.clone()))
            }
            (None, Some((_, sequence))) => (Vec::new(), sequence.clone(), None),
            (None, None) if answer.loops.is_some() => Default::default(),
            (None, None) => return None,
        };
        let file = directory.join(format!("{}.trace", file_name(&answer.id)));
        let note = |key: &str, text: &str| (key.to_owned(), text.to_owned());
        let trace = Trace {
            notes: vec![
                note("net", self.net.name()),
                note("formula", &answer.id),
                note("value", &answer.value.to_string()),
                note("shows", &answer.reason),
            ]
            .into_iter()
            .chain(match self.subject {
                // The model may say nothing of it, or begin with one case of several.
                Subject::Process(..) => {
                    Some(note("from", &marking_text::print(self.net, self.net.initial())))
                }
                _ => None,
            })
            .collect(),
            earlier,
            sequence,
            repeat,
            loops: answer.loops.clone(),
        };
        match std::fs::write(&file, trace.print_named(&|t| self.name(t))) {
            Ok(()) => Some(file),
            Err(error) => {
                beside::say(&file, &error);
                None
            }
        }
    }

    fn state_space(&self, printer: &Printer, evidence: Evidence<'_>) -> Result<Report> {
        let start = Instant::now();
        printer.expects(run::FIGURES.into_iter().map(|figure| format!("{FIGURE}{figure}")));
        let mut file = evidence.file(Examination::StateSpace.name(), self.net);
        let mut report = run::state_space(self.net, &self.config, self.budget, |told| match told {
            Told::Settled { id, goal, knowledge } => {
                write(&mut file, |file| file.settled(id, goal, knowledge));
            }
            Told::Figure(figure, counted) => {
                write(&mut file, |file| file.figure(figure, counted));
                printer.figure(figure, start.elapsed());
            }
            Told::Withdrawn(id) => {
                write(&mut file, |file| file.withdrawn(id));
                printer.withdrawn(&format!("{FIGURE}{id}"));
            }
        });
        write(&mut file, EvidenceFile::end);
        for question in &mut report.unanswered {
            question.id = format!("{FIGURE}{}", question.id);
        }
        finish(&report, printer);
        Ok(report)
    }
}

/// What the questions of an examination, or formulas, are called together; `cases` where it is about those.
pub(super) fn name_of_all(examination: Option<Examination>, cases: u64) -> String {
    match (examination, cases) {
        (None, _) => "Formulas".to_owned(),
        (Some(examination), 1) => examination.name().to_owned(),
        (Some(examination), cases) => format!("{cases}-{examination}"),
    }
}

/// Whether a question of this id is meant, by the id itself or by how it is printed.
fn is_called(id: &str, wanted: &str) -> bool {
    id == wanted || Word(id).to_string() == wanted
}

/// What is to be said when all is over.
fn finish(report: &Report, printer: &Printer) {
    report.unanswered.iter().for_each(|question| printer.unanswered(question));
    printer.summary(report);
}

/// An id as a file name: what file systems dislike is written as `%` and its code, so that two ids
/// never share a file.
fn file_name(id: &str) -> String {
    let safe = |c: char| match c {
        c if c.is_alphanumeric() || "-_.".contains(c) => c.to_string(),
        c => format!("%{:02X}", u32::from(c)),
    };
    id.chars().map(safe).collect()
}

/// Says what each stage did.
pub(super) fn print_statistics(report: &Report) {
    for (stage, text) in &report.statistics {
        note!("{stage:<12} {text}");
    }
}
