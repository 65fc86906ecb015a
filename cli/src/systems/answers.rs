//! Answers about systems, printed as they come.

use super::heading;
use crate::ProgramOutcome;
use crate::leaving;
use crate::terminal::{line, note, object};
use parikh::run::OpenCause;
use parikh::systems::{
    PropertyAnswer, SettleConfig, SystemCase, SystemEvidence, SystemGrade, SystemOutcome,
    SystemProof, settle as settle_all,
};
use parikh_solvers::Budget;
use parikh_systems::FiniteRuns;
use serde_json::json;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The meaning of finite runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum FiniteRunSemantics {
    /// LTL considers infinite traces only, as RERS on .dot and .pnml.
    Infinite,
    /// A finite run repeats its last label, as RERS on Promela and SPIN.
    Spin,
}

impl FiniteRunSemantics {
    pub(crate) fn endings(self) -> FiniteRuns {
        match self {
            FiniteRunSemantics::Infinite => FiniteRuns::Ignored,
            FiniteRunSemantics::Spin => FiniteRuns::Stutter,
        }
    }
}

/// The name of the questions, for programs.
const EXAMINATION: &str = "Properties";

/// A printer for answers, which also counts them.
pub(super) struct PropertyPrinter<'c> {
    case: &'c SystemCase,
    json: bool,
    certified_only: bool,
    counts: Mutex<AnswerCounts>,
}

/// The number of answers of each kind.
#[derive(Clone, Copy, Default)]
struct AnswerCounts {
    answered: usize,
    open: usize,
    faults: usize,
    as_solved: usize,
    otherwise: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn word(value: bool) -> &'static str {
    if value { "TRUE" } else { "FALSE" }
}

impl<'c> PropertyPrinter<'c> {
    pub(super) fn new(case: &'c SystemCase, json: bool, certified_only: bool) -> Self {
        PropertyPrinter { case, json, certified_only, counts: Mutex::default() }
    }

    /// Prints the scope of the answers.
    pub(super) fn head(&self, endings: FiniteRuns) {
        let semantics = self.case.logic.semantics(endings);
        match self.json {
            true => object(json!({"type": "semantics", "semantics": semantics})),
            false => heading(semantics),
        }
    }

    fn answer(&self, at: usize, answer: &PropertyAnswer) {
        let property = &self.case.properties[at];
        let PropertyAnswer { value, grade, reason, after, .. } = answer;
        let (number, seconds) = (property.number, after.as_secs_f64());
        let mut counts = lock(&self.counts);
        counts.answered += 1;
        if let Some(solution) = property.solution {
            match solution == *value {
                true => counts.as_solved += 1,
                false => counts.otherwise += 1,
            }
        }
        match self.json {
            true => object(json!({
                "type": "answer", "examination": EXAMINATION, "id": number.to_string(),
                "value": word(*value), "reason": reason.to_string(), "because": reason,
                "evidence": grade, "seconds": seconds,
                "witness": match &answer.shown {
                    SystemProof::Run { labels, back } => json!({"labels": labels, "back": back}),
                    _ => json!(null),
                },
            })),
            false => {
                line(&format!("{number}: {} — {reason} [{grade}, {seconds:.2} s]", word(*value)))
            }
        }
    }

    fn open(&self, at: usize, why: &OpenCause) {
        let number = self.case.properties[at].number;
        lock(&self.counts).open += 1;
        match self.json {
            true => object(json!({
                "type": "unanswered", "examination": EXAMINATION, "id": number.to_string(),
                "reason": why.to_string(), "because": why,
            })),
            false => line(&format!("{number}: unknown — {why}")),
        }
    }

    /// Prints the number of answers, and the number of agreements with the file.
    pub(super) fn tail(&self) {
        let AnswerCounts { answered, open, faults, as_solved, otherwise } = *lock(&self.counts);
        if self.json {
            object(json!({
                "type": "summary", "examination": EXAMINATION, "answered": answered,
                "unanswered": open, "internal_errors": faults,
            }));
        }
        if as_solved + otherwise > 0 {
            let all = as_solved + otherwise;
            note!("parikh: {as_solved} of {all} answers agree with the solutions in the file");
        }
    }
}

/// Settles all properties of a case, prints the answers, and writes the evidence.
pub(super) fn settle(
    case: &SystemCase,
    config: &SettleConfig,
    budget: &Budget,
    printer: &PropertyPrinter<'_>,
    file: Option<(PathBuf, SystemEvidence<'_, BufWriter<File>>)>,
) -> ProgramOutcome {
    let file = Mutex::new(file);
    let write =
        |do_it: &dyn Fn(&mut SystemEvidence<'_, BufWriter<File>>) -> std::io::Result<()>| {
            let mut file = lock(&file);
            if let Some((path, evidence)) = &mut *file
                && let Err(error) = do_it(evidence)
            {
                note!("parikh: {}: {error}; no more evidence is written", path.display());
                leaving::note_unwritten();
                *file = None;
            }
        };
    settle_all(case, config, budget, &|at, settled| match settled {
        SystemOutcome::Answer(answer)
            if printer.certified_only && answer.grade == SystemGrade::Searched =>
        {
            printer.open(at, &OpenCause::SearchNotAccepted);
        }
        SystemOutcome::Answer(answer) => {
            write(&|file| file.answer(case.properties[at].number, &answer));
            printer.answer(at, &answer);
        }
        SystemOutcome::Open(why) => printer.open(at, &why),
        SystemOutcome::Fault(why) => {
            lock(&printer.counts).faults += 1;
            let number = case.properties[at].number;
            note!("parikh: internal error, please report it: property {number}: {why}");
        }
    });
    write(&|file| file.end());
    let counts = lock(&printer.counts);
    match () {
        () if counts.faults > 0 => ProgramOutcome::InternalError,
        () if counts.open > 0 => ProgramOutcome::Incomplete,
        () => ProgramOutcome::Complete,
    }
}
