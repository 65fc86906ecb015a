//! `parikh rers`: answers all problems of a directory, and writes the answers in the challenge's
//! format.

use super::answers::{FiniteRunSemantics, word};
use super::files;
use crate::limits::LimitOptions;
use crate::terminal::note;
use crate::{ProgramOutcome, signals};
use anyhow::{Context, Result, bail};
use parikh::systems::{SettleConfig, SystemGrade, SystemOutcome, settle};
use parikh_net::printable::counted;
use parikh_solvers::locked;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
#[command(
    after_help = EXAMPLES,
    mut_arg("timeout", |it| it.help("Time limit for each problem: 90s, 5m, 1h")),
    mut_arg("threads", |it| it.help(THREADS)),
)]
pub(crate) struct RersArguments {
    /// A directory of problems: NAME.dot with NAME-properties.txt or
    /// NAME-properties-with-solution.txt.
    directory: PathBuf,
    /// The output file: a line `problem,property,answer` for each known answer.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    limits: LimitOptions,
    /// The meaning of finite runs in LTL.
    #[arg(long, value_enum, default_value = "infinite")]
    semantics: FiniteRunSemantics,
    /// Write the evidence of every answer to DIR, in a file named after the property file, such as
    /// NAME-properties.jsonl, for `parikh-certify NAME.dot`.
    #[arg(long, value_name = "DIR")]
    evidence: Option<PathBuf>,
    /// The seed of the random walks.
    #[arg(long, default_value_t = 1, help_heading = crate::EXPERT)]
    seed: u64,
}

const THREADS: &str = "The number of properties settled in parallel. By default one per processor";

const EXAMPLES: &str = "\
Examples:
  parikh rers RERS2020 -o answers.csv --timeout 5m --evidence proofs";

/// A problem: its name, its system and its properties.
struct RersProblem {
    name: String,
    system: PathBuf,
    properties: PathBuf,
}

pub(crate) fn run(arguments: &RersArguments) -> Result<ProgramOutcome> {
    let problems = problems(&arguments.directory)?;
    let whole_run = arguments.limits.budget_of_problems();
    signals::cancel_on_signal(&whole_run, || {
        note!("parikh: stopped before all properties were answered")
    });
    let mut written = String::new();
    let (mut outcome, mut known, mut asked) = (ProgramOutcome::Complete, 0, 0);
    let mut finished_problems = 0;
    for problem in &problems {
        if whole_run.is_cancelled() {
            outcome = outcome.max(ProgramOutcome::Incomplete);
            break;
        }
        let start = Instant::now();
        let case = files::read_case(&problem.system, &problem.properties)?;
        let problem_budget = arguments.limits.budget_within(&whole_run);
        let defaults = SettleConfig::default();
        let config = SettleConfig {
            threads: arguments.limits.threads(),
            seed: arguments.seed,
            endings: arguments.semantics.endings(),
            ..defaults
        };
        let mut file = match &arguments.evidence {
            Some(evidence_directory) => Some(
                files::evidence_file(
                    evidence_directory,
                    &problem.properties,
                    &case,
                    config.endings,
                )?
                .1,
            ),
            None => None,
        };
        let answers_and_faults = Mutex::new((Vec::new(), 0));
        settle(&case, &config, &problem_budget, &|property_index, settled_outcome| {
            let mut answers_and_faults = locked(&answers_and_faults);
            match settled_outcome {
                SystemOutcome::Answer(answer) => {
                    answers_and_faults.0.push((property_index, answer))
                }
                SystemOutcome::Open(_) => {}
                SystemOutcome::Fault(why) => {
                    answers_and_faults.1 += 1;
                    note!("parikh: internal error, please report it: {}: {why}", problem.name);
                }
            }
        });
        let (mut answers, faults) =
            answers_and_faults.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        answers.sort_by_key(|it| it.0);
        for (property_index, answer) in &answers {
            let number = case.properties[*property_index].number;
            let value = word(answer.value).to_lowercase();
            let _ = writeln!(written, "{},{number},{value}", problem.name);
            if let Some(file) = &mut file {
                file.answer(number, answer).context("evidence")?;
            }
        }
        if let Some(file) = &mut file {
            file.write_end().context("evidence")?;
        }
        // The file is written after every problem, so that an interruption loses only the answers
        // to the current problem.
        std::fs::write(&arguments.output, &written)
            .with_context(|| arguments.output.display().to_string())?;
        known += answers.len();
        asked += case.properties.len();
        outcome = match (faults, answers.len() < case.properties.len(), outcome) {
            (1.., _, _) | (_, _, ProgramOutcome::InternalError) => ProgramOutcome::InternalError,
            (_, true, _) => ProgramOutcome::Incomplete,
            _ => outcome,
        };
        print_problem(&problem.name, &case, &answers, start.elapsed());
        finished_problems += 1;
    }
    let unread = match problems.len() - finished_problems {
        0 => String::new(),
        left => format!("; {} not read, because the run was stopped", counted(left, "problem")),
    };
    let of_problems = counted(finished_problems, "problem");
    note!("parikh: {known} of {asked} properties of {of_problems} are answered{unread}");
    Ok(outcome)
}

/// Prints a line about a problem.
fn print_problem(
    name: &str,
    case: &parikh::systems::SystemCase,
    answers: &[(usize, Box<parikh::systems::PropertyAnswer>)],
    after: Duration,
) {
    let count_with = |grade| answers.iter().filter(|it| it.1.grade == grade).count();
    let compared = answers
        .iter()
        .filter_map(|(at, answer)| Some(case.properties[*at].solution? == answer.value));
    let compared: Vec<bool> = compared.collect();
    let mut text = format!(
        "{name}: {} of {} answered ({} replayed, {} certified, {} searched) in {:.1} s",
        answers.len(),
        case.properties.len(),
        count_with(SystemGrade::Replayed),
        count_with(SystemGrade::Certified),
        count_with(SystemGrade::Searched),
        after.as_secs_f64()
    );
    if !compared.is_empty() {
        let equal_count = compared.iter().filter(|it| **it).count();
        let _ = write!(
            text,
            "; {equal_count} of {} agree with the solutions in the file",
            compared.len()
        );
    }
    note!("{text}");
}

/// Returns the problems of a directory, sorted by the length of the name and then by name.
fn problems(directory: &Path) -> Result<Vec<RersProblem>> {
    let entries = std::fs::read_dir(directory).with_context(|| directory.display().to_string())?;
    let mut problems = Vec::new();
    for entry in entries {
        let system = entry.with_context(|| directory.display().to_string())?.path();
        if system.extension().is_none_or(|it| it != "dot") {
            continue;
        }
        let name = files::stem(&system);
        let property_path =
            |ending: &str| system.with_file_name(format!("{name}-properties{ending}.txt"));
        let property_file =
            ["", "-with-solution"].map(property_path).into_iter().find(|it| it.is_file());
        let Some(properties) = property_file else {
            note!(
                "parikh: {name}.dot is skipped, because the directory has no {name}-properties.txt"
            );
            continue;
        };
        problems.push(RersProblem { name, system, properties });
    }
    if problems.is_empty() {
        bail!(
            "{}: the directory has no problem: expected NAME.dot with NAME-properties.txt",
            directory.display()
        );
    }
    problems.sort_by(|a, b| (a.name.len(), &a.name).cmp(&(b.name.len(), &b.name)));
    Ok(problems)
}
