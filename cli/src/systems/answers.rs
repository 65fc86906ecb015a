//! Answers about systems, printed as they come.

use super::heading;
use crate::ProgramOutcome;
use crate::joint_output;
use crate::leaving;
use crate::terminal::{line, note, object};
use parikh::run::OpenCause;
use parikh::systems::{
    PropertyAnswer, SettleConfig, SystemCase, SystemEvidence, SystemGrade, SystemOutcome,
    SystemProof, settle as settle_all,
};
use parikh_solvers::Budget;
use parikh_solvers::locked;
use parikh_systems::FiniteRuns;
use serde_json::json;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::Mutex;

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

/// The name under which JSON objects list the questions about properties.
const EXAMINATION: &str = "Properties";

/// A printer for answers, which also counts them.
pub(super) struct PropertyPrinter<'c> {
    case: &'c SystemCase,
    json: bool,
    /// True if answers that rest on a search without a certificate are printed as open.
    certified_only: bool,
    counts: Mutex<AnswerCounts>,
}

/// The numbers of answered and open properties and of internal errors.
#[derive(Clone, Copy, Default)]
struct AnswerCounts {
    answered: usize,
    open: usize,
    faults: usize,
    /// The number of answers that agree with the solution that the property file states.
    as_solved: usize,
    /// The number of answers that differ from the solution that the property file states.
    otherwise: usize,
}

pub(super) fn word(value: bool) -> &'static str {
    if value { "TRUE" } else { "FALSE" }
}

impl<'c> PropertyPrinter<'c> {
    pub(super) fn new(case: &'c SystemCase, json: bool, certified_only: bool) -> Self {
        PropertyPrinter { case, json, certified_only, counts: Mutex::default() }
    }

    /// Prints a line about the runs or paths that the answers consider.
    pub(super) fn print_semantics(&self, endings: FiniteRuns) {
        let semantics = self.case.logic.semantics(endings);
        match self.json {
            true => object(json!({"type": "semantics", "semantics": semantics})),
            false => heading(semantics),
        }
    }

    fn print_answer(&self, property_index: usize, answer: &PropertyAnswer) {
        let property = &self.case.properties[property_index];
        let PropertyAnswer { value, grade, reason, elapsed_time: after, .. } = answer;
        let (number, seconds) = (property.number, after.as_secs_f64());
        let mut counts = locked(&self.counts);
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
                "witness": match &answer.proof {
                    SystemProof::Run { labels, back } => json!({"labels": labels, "back": back}),
                    _ => json!(null),
                },
            })),
            false => {
                line(&format!("{number}: {} — {reason} [{grade}, {seconds:.2} s]", word(*value)))
            }
        }
    }

    fn print_open(&self, property_index: usize, why: &OpenCause) {
        let number = self.case.properties[property_index].number;
        locked(&self.counts).open += 1;
        let _output = joint_output::begin();
        match self.json {
            true => object(json!({
                "type": "unanswered", "examination": EXAMINATION, "id": number.to_string(),
                "reason": why.to_string(), "because": why,
            })),
            false => line(&format!("{number}: unknown — {why}")),
        }
    }

    /// Prints the final counts. In JSON, prints a summary. If the property file states solutions,
    /// prints on stderr the number of answers that agree with a solution.
    pub(super) fn print_summary(&self) {
        let AnswerCounts { answered, open, faults, as_solved, otherwise } = *locked(&self.counts);
        if self.json {
            object(json!({
                "type": "summary", "examination": EXAMINATION, "answered": answered,
                "unanswered": open, "internal_errors": faults,
            }));
        }
        if as_solved + otherwise > 0 {
            let compared = as_solved + otherwise;
            note!("parikh: {as_solved} of {compared} answers agree with the solutions in the file");
        }
    }
}

/// Settles all properties of a case, prints the answers, and writes the evidence. `file` is the
/// evidence file with its path, or `None` if no evidence is requested.
pub(super) fn settle(
    case: &SystemCase,
    config: &SettleConfig,
    budget: &Budget,
    printer: &PropertyPrinter<'_>,
    file: Option<(PathBuf, SystemEvidence<'_, BufWriter<File>>)>,
) -> ProgramOutcome {
    let file = Mutex::new(file);
    let write =
        |action: &dyn Fn(&mut SystemEvidence<'_, BufWriter<File>>) -> std::io::Result<()>| {
            let mut file = locked(&file);
            if let Some((path, evidence)) = &mut *file
                && let Err(error) = action(evidence)
            {
                note!("parikh: {}: {error}; no more evidence is written", path.display());
                leaving::note_unwritten();
                *file = None;
            }
        };
    settle_all(case, config, budget, &|property_index, outcome| match outcome {
        SystemOutcome::Answer(answer)
            if printer.certified_only && answer.grade == SystemGrade::Searched =>
        {
            printer.print_open(property_index, &OpenCause::SearchNotAccepted);
        }
        SystemOutcome::Answer(answer) => {
            let _output = joint_output::begin();
            write(&|file| file.answer(case.properties[property_index].number, &answer));
            printer.print_answer(property_index, &answer);
        }
        SystemOutcome::Open(why) => printer.print_open(property_index, &why),
        SystemOutcome::Fault(why) => {
            locked(&printer.counts).faults += 1;
            let number = case.properties[property_index].number;
            note!("parikh: internal error, please report it: property {number}: {why}");
        }
    });
    let output = joint_output::begin();
    write(&|file| file.write_end());
    drop(output);
    let counts = locked(&printer.counts);
    match () {
        () if counts.faults > 0 => ProgramOutcome::InternalError,
        () if counts.open > 0 => ProgramOutcome::Incomplete,
        () => ProgramOutcome::Complete,
    }
}
