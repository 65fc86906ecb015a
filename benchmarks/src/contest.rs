//! Runs a list of instances and examinations, several at a time, and stores the results.

use crate::answer::{ToolAnswer, same_value};
use crate::error::Error;
use crate::exam::Exam;
use crate::instance::Instance;
use crate::oracle::{self, OracleQuestion};
use crate::progress::BenchProgress;
use crate::row::ResultRow;
use crate::run::{Job, RunEnd, RunOutcome, run};
use crate::shard::Shard;
use crate::signals;
use crate::store::ResultStore;
use crate::verdict::{CONTRADICTION, judge};
use parikh_solvers::locked;
use std::collections::{HashMap, HashSet, VecDeque};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The instances to run and the limits. The command line's `--help` describes each option.
#[derive(Clone, Debug)]
pub struct Contest {
    /// Directory with the archives `NAME.tgz`.
    pub inputs: PathBuf,
    /// Directory with the known answers `NAME-XX.out`.
    pub oracle: PathBuf,
    /// The instances, in the order in which they are started.
    pub instances: Vec<String>,
    /// The examinations of each instance, in the order in which they are started.
    pub exams: Vec<Exam>,
    /// The part of the contest whose runs are made by this process.
    pub shard: Shard,
    /// The tool: a program and its arguments.
    pub command: Vec<OsString>,
    /// The value of `BK_TOOL` for the tool.
    pub tool: String,
    /// The limit on the wall time of a run, until SIGTERM.
    pub timeout: Duration,
    /// Time from SIGTERM to SIGKILL.
    pub grace: Duration,
    /// The address space of each process, in MB; unlimited when `None`.
    pub memory: Option<u64>,
    /// Number of runs at a time, at least 1.
    pub jobs: usize,
    /// The result file; an existing file is continued.
    pub result_file: PathBuf,
    /// A directory for each run's stdout and stderr. `None` if they are not kept.
    pub logs: Option<PathBuf>,
}

/// The memory limit in MB that the tool reads from its environment when the harness sets no limit.
const CONTEST_MEMORY: u64 = 16_384;

impl Contest {
    /// Makes all runs that the result file lacks. Returns the rows of all runs of this part of the
    /// contest, including the rows from earlier sessions. After an interruption, the runs not yet
    /// made have no rows.
    ///
    /// # Errors
    /// If an instance, an oracle, the tool's program, a log or the result file cannot be used. Rows
    /// written before the failure stay in the result file.
    pub fn run(&self) -> Result<Vec<ResultRow>, Error> {
        for name in &self.instances {
            let archive = self.inputs.join(format!("{name}.tgz"));
            std::fs::metadata(&archive).map_err(Error::at(&archive))?;
        }
        if let Some(logs) = &self.logs {
            std::fs::create_dir_all(logs).map_err(Error::at(logs))?;
        }
        let store = ResultStore::open(&self.result_file)?;
        // The runs of this part of the contest, each as an instance and an examination.
        let pairs = || {
            let exams_of = |name| self.exams.iter().map(move |&exam| (name, exam));
            let runs = self.instances.iter().flat_map(exams_of).enumerate();
            runs.filter(|&(index, _)| self.shard.has_run(index)).map(|(_, pair)| pair)
        };
        let requested_runs: HashSet<(&str, Exam)> =
            pairs().map(|(name, exam)| (&**name, exam)).collect();
        let open: VecDeque<(&String, Exam)> =
            pairs().filter(|&(name, exam)| !store.holds(name, exam)).collect();
        let progress = BenchProgress::new(requested_runs.len(), requested_runs.len() - open.len());
        let shared =
            Mutex::new(ContestState { store, pending_runs: open, progress, failure: None });

        std::thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                scope.spawn(|| self.work(&shared));
            }
        });
        let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        shared.progress.finish();
        if let Some(failure) = shared.failure {
            return Err(failure);
        }
        let is_requested = |row: &&ResultRow| requested_runs.contains(&(&*row.instance, row.exam));
        Ok(shared.store.rows().iter().filter(is_requested).cloned().collect())
    }

    /// Makes pending runs, one after another, until none is left, a worker failed, or the harness
    /// was interrupted.
    fn work(&self, shared: &Mutex<ContestState<'_>>) {
        loop {
            let next = {
                let mut shared = locked(shared);
                if shared.failure.is_some() || signals::interrupted() {
                    return;
                }
                shared.pending_runs.pop_front()
            };
            let Some((name, exam)) = next else { return };
            let result = self.examine(name, exam);
            let mut shared = locked(shared);
            let stored = result.and_then(|rows| match rows {
                Some(rows) => {
                    shared.progress.report_run(name, exam, &rows);
                    shared.store.append(rows)
                }
                None => Ok(()),
            });
            if let Err(failure) = stored {
                shared.failure.get_or_insert(failure);
            }
        }
    }

    /// Makes one run. Returns the rows of the run, at least one. Returns `None` if the harness was
    /// interrupted during the run.
    fn examine(&self, name: &str, exam: Exam) -> Result<Option<Vec<ResultRow>>, Error> {
        let known = oracle::read(&self.oracle, name, exam)?;
        let instance = Instance::unpack(&self.inputs, name)?;
        let questions = oracle::questions(instance.formulas(exam)?, known);
        let log_paths =
            |logs: &PathBuf| ["out", "err"].map(|kind| logs.join(format!("{name}-{exam}.{kind}")));
        let memory = self.memory.unwrap_or(CONTEST_MEMORY);
        let outcome = run(&Job {
            command: &self.command,
            directory: &instance.path(),
            variables: vec![
                ("BK_EXAMINATION", exam.long().into()),
                ("BK_INPUT", name.into()),
                ("BK_TOOL", (&*self.tool).into()),
                ("BK_TIME_CONFINEMENT", self.timeout.as_secs().max(1).to_string().into()),
                ("BK_MEMORY_CONFINEMENT", memory.to_string().into()),
            ],
            timeout: self.timeout,
            grace: self.grace,
            memory: self.memory,
            logs: self.logs.as_ref().map(log_paths),
        })?;
        if outcome.end == RunEnd::Interrupted {
            return Ok(None);
        }
        Ok(Some(score(name, exam, &questions, &outcome)))
    }
}

/// Scores the answers of a run. Returns one row per question. If the questions are unknown, returns
/// one row per answered id, or a single row without id if there is no answer either. The time of a
/// question is the time of its first answer. A later answer with another value makes the question
/// wrong. Answers to other questions are ignored, as in the contest.
pub fn score(
    name: &str,
    exam: Exam,
    questions: &[OracleQuestion],
    outcome: &RunOutcome,
) -> Vec<ResultRow> {
    // By the id of the question: the distinct values given, joined by [`CONTRADICTION`], the first
    // answer, and the seconds of the first answer.
    let mut answers_by_id: HashMap<&str, (String, &ToolAnswer, f64)> = HashMap::new();
    let mut order: Vec<&str> = Vec::new();
    for (answer, seconds) in &outcome.answers {
        let id = match questions {
            // Tools may name a global property by the examination or by a longer id of their own.
            [only] if only.id == exam.long() && answer.id.contains(exam.long()) => &*only.id,
            _ => &*answer.id,
        };
        match answers_by_id.get_mut(id) {
            None => {
                answers_by_id.insert(id, (answer.value.clone(), answer, *seconds));
                order.push(id);
            }
            Some((got, _, _)) => {
                if !got.split(CONTRADICTION).any(|value| same_value(value, &answer.value)) {
                    got.push(CONTRADICTION);
                    got.push_str(&answer.value);
                }
            }
        }
    }
    let row = |id: &str, expected: &str| {
        let answer = answers_by_id.get(id);
        let got = answer.map_or("", |(got, _, _)| &**got);
        ResultRow {
            instance: name.to_owned(),
            exam,
            id: id.to_owned(),
            expected: expected.to_owned(),
            got: got.to_owned(),
            verdict: judge(expected, got),
            seconds: answer.map(|&(_, _, seconds)| seconds),
            wall: outcome.wall,
            memory: Some(outcome.memory),
            end: outcome.end.to_string(),
            rows: None,
            techniques: answer.map_or("", |(_, answer, _)| &*answer.techniques).to_owned(),
        }
    };
    match (questions, &*order) {
        ([], []) => vec![row("", "")],
        ([], answered) => answered.iter().map(|id| row(id, "")).collect(),
        (questions, _) => {
            questions.iter().map(|question| row(&question.id, &question.expected)).collect()
        }
    }
}

/// Reads the names of instances in a list file: one per line, `#` begins a comment. Repeated names
/// count once.
///
/// # Errors
/// If the file cannot be read or names no instance.
pub fn read_list(path: &Path) -> Result<Vec<String>, Error> {
    let text = std::fs::read_to_string(path).map_err(Error::at(path))?;
    let mut seen = HashSet::new();
    let names = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let names: Vec<String> =
        names.filter(|name| !name.is_empty() && seen.insert(*name)).map(String::from).collect();
    match names.is_empty() {
        true => Err(Error::at(path)(std::io::Error::other("the list is empty"))),
        false => Ok(names),
    }
}

/// The state shared by the worker threads.
struct ContestState<'c> {
    /// The result file.
    store: ResultStore,
    /// The runs still to be made, as instances and examinations.
    pending_runs: VecDeque<(&'c String, Exam)>,
    /// The progress line on the terminal.
    progress: BenchProgress,
    /// The first failure of a worker; it ends the contest.
    failure: Option<Error>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Score;

    fn outcome(answers: &[(&str, &str, f64)]) -> RunOutcome {
        let answer = |&(id, value, seconds): &(&str, &str, f64)| {
            let techniques = "T".to_owned();
            (ToolAnswer { id: id.to_owned(), value: value.to_owned(), techniques }, seconds)
        };
        let answers = answers.iter().map(answer).collect();
        RunOutcome { answers, wall: 3.0, memory: 5, end: RunEnd::Exit(0) }
    }

    fn questions(pairs: &[(&str, &str)]) -> Vec<OracleQuestion> {
        let question = |&(id, expected): &(&str, &str)| OracleQuestion {
            id: id.to_owned(),
            expected: expected.to_owned(),
        };
        pairs.iter().map(question).collect()
    }

    #[test]
    fn every_question_gets_its_row() {
        let asked = questions(&[("f", "TRUE"), ("g", "?"), ("h", "FALSE"), ("i", "?")]);
        let ran = outcome(&[("g", "TRUE", 1.0), ("f", "TRUE", 2.0), ("stray", "TRUE", 2.5)]);
        let rows = score("A", Exam::ReachabilityCardinality, &asked, &ran);
        let verdicts: Vec<_> = rows.iter().map(|row| row.verdict).collect();
        assert_eq!(verdicts, [Score::Ok, Score::New, Score::Missing, Score::Unknown]);
        assert_eq!((rows[0].seconds, rows[2].seconds), (Some(2.0), None));
        assert_eq!(rows[0].techniques, "T");
    }

    #[test]
    fn the_first_answer_counts_and_a_contradiction_is_wrong() {
        let asked = questions(&[("f", "7"), ("g", "7")]);
        let ran = outcome(&[("f", "7", 1.0), ("f", "07", 2.0), ("g", "7", 1.0), ("g", "8", 2.0)]);
        let rows = score("A", Exam::UpperBounds, &asked, &ran);
        assert_eq!((rows[0].verdict, rows[0].seconds), (Score::Ok, Some(1.0)));
        assert_eq!((rows[1].verdict, &*rows[1].got), (Score::Wrong, "7/8"));
    }

    #[test]
    fn a_global_property_may_have_a_longer_id() {
        let asked = questions(&[("OneSafe", "FALSE")]);
        let ran = outcome(&[("A-PT-1-OneSafe-0", "FALSE", 1.0)]);
        assert_eq!(score("A", Exam::OneSafe, &asked, &ran)[0].verdict, Score::Ok);
    }

    #[test]
    fn without_questions_the_answers_stand_for_themselves() {
        let ran = outcome(&[("STATES", "3", 1.0)]);
        let rows = score("A", Exam::StateSpace, &[], &ran);
        assert_eq!((&*rows[0].id, rows[0].verdict), ("STATES", Score::New));
        let rows = score("A", Exam::StateSpace, &[], &outcome(&[]));
        assert_eq!((&*rows[0].id, rows[0].verdict), ("", Score::Unknown));
    }

    #[test]
    fn lists_have_comments_and_name_each_instance_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("list.txt");
        std::fs::write(&path, "# quick\nA-PT-1\n\n  B-PT-2  # slow\nA-PT-1\n").unwrap();
        assert_eq!(read_list(&path).unwrap(), ["A-PT-1", "B-PT-2"]);
    }
}
