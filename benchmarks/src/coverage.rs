//! Counts the answers that checkers other than ours accept: the checker that is proved in Coq, and
//! an SMT solver.
//!
//! `parikh-certify` writes a file of claims for each answer that `parikh-proved` covers, and three
//! files with proof obligations for each answer that a solver can re-run. An answer without a file
//! of claims may rest on reductions, whose rules are not proved yet. The auditor names these rules.

use crate::error::Error;
use crate::run::{Job, RunEnd, run};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

/// The checkers to run on exported answers.
#[derive(Clone, Debug, Default)]
pub struct Checkers {
    /// The program `parikh-proved`; `None` if it does not run.
    pub proved: Option<PathBuf>,
    /// The SMT solver with its options; empty if no solver runs.
    pub solver: Vec<OsString>,
    /// The time limit of the solver for one file.
    pub solver_timeout: Duration,
}

/// The numbers of confirmed answers of one instance and examination, by checker.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coverage {
    /// Answers that `parikh-proved` accepts, including those with assumptions about the model.
    pub proved: usize,
    /// Answers that `parikh-proved` accepts if the units of the model are safe.
    pub proved_assuming: usize,
    /// Answers without a file of claims because they rest on reductions.
    pub reduced: usize,
    /// Answers with proof obligations for a solver.
    pub obligations: usize,
    /// Answers whose proof obligations the solver refutes, all of them.
    pub rerun: usize,
    /// Answers with a proof obligation that the solver does not settle in time.
    pub late: usize,
    /// Seconds of the solver for the slowest proof obligation that it settles.
    pub longest: f64,
    /// Other confirmed answers: neither proved nor re-run, and without reductions.
    pub alone: usize,
    /// The rules of the reductions, with the numbers of answers that rest on them.
    pub rules: BTreeMap<String, usize>,
    /// The other reasons why there is no file of claims, with the numbers of answers.
    pub reasons: BTreeMap<String, usize>,
    /// Descriptions of what failed.
    pub problems: Vec<String>,
}

/// The beginning of the reason that an answer rests on reductions. The names of the rules follow.
const REDUCTIONS: &str = "reductions are not covered: ";

impl Checkers {
    /// Selects the checkers. `solver` is a command with blanks between its words.
    pub fn new(proved: Option<PathBuf>, solver: Option<&str>, solver_timeout: Duration) -> Self {
        let words = solver.iter().flat_map(|command| command.split_whitespace());
        Checkers { proved, solver: words.map(OsString::from).collect(), solver_timeout }
    }

    /// Returns true if some checker runs.
    pub fn is_any(&self) -> bool {
        self.proved.is_some() || !self.solver.is_empty()
    }

    /// Adds the options for the exports to a command of `parikh-certify`.
    pub(crate) fn add_options(&self, command: &mut Command, folder: &Path) {
        if self.proved.is_some() {
            command.arg("--export").arg(folder.join("claims"));
        }
        if !self.solver.is_empty() {
            command.arg("--smtlib").arg(folder.join("obligations"));
        }
    }

    /// Runs the checkers on the exports of an audit with `confirmed` confirmed answers.
    ///
    /// # Errors
    /// If a checker cannot be run, or an exported file cannot be read.
    pub(crate) fn run(
        &self,
        folder: &Path,
        audited: &Output,
        confirmed: usize,
    ) -> Result<Coverage, Error> {
        let mut coverage = Coverage::default();
        let mut covered = BTreeSet::new();
        if let Some(program) = &self.proved {
            coverage.read_reasons(&String::from_utf8_lossy(&audited.stderr));
            let files = files(&folder.join("claims"))?;
            if !files.is_empty() {
                let output = Command::new(program).args(&files).output();
                let output = output.map_err(Error::at(program))?;
                covered.extend(coverage.read_verdicts(&String::from_utf8_lossy(&output.stdout)));
                if !matches!(output.status.code(), Some(0 | 4)) {
                    let message = String::from_utf8_lossy(&output.stderr).into_owned();
                    coverage.problems.push(format!("parikh-proved: {message}"));
                }
            }
        }
        if !self.solver.is_empty() {
            // The number of files of each answer that the solver refutes, and of all its files.
            let mut settled: BTreeMap<String, [usize; 2]> = BTreeMap::new();
            for file in files(&folder.join("obligations"))? {
                let is_refuted = self.refutes(&file, folder, &mut coverage)?;
                let [refuted, all] = settled.entry(answer_of(&file)).or_default();
                *refuted += usize::from(is_refuted);
                *all += 1;
            }
            coverage.obligations = settled.len();
            // An audit that was stopped may have written only some of the three files.
            let is_proved = |files: &[usize; 2]| *files == [3, 3];
            coverage.rerun = settled.values().filter(|files| is_proved(files)).count();
            let proved = settled.into_iter().filter(|(_, files)| is_proved(files));
            covered.extend(proved.map(|(answer, _)| answer));
            coverage.late = coverage.obligations - coverage.rerun;
        }
        coverage.alone = confirmed.saturating_sub(covered.len() + coverage.reduced);
        Ok(coverage)
    }

    /// Runs the solver on a proof obligation. Returns true if it says `unsat`, and false if it does
    /// not answer in time. Records a problem for every other output.
    fn refutes(&self, file: &Path, folder: &Path, coverage: &mut Coverage) -> Result<bool, Error> {
        let logs = ["solver.out", "solver.err"].map(|name| folder.join(name));
        let command: Vec<OsString> = self.solver.iter().cloned().chain([file.into()]).collect();
        let outcome = run(&Job {
            command: &command,
            directory: Path::new("."),
            variables: Vec::new(),
            timeout: self.solver_timeout,
            grace: Duration::from_secs(1),
            memory: None,
            logs: Some(logs.clone()),
        })?;
        if matches!(outcome.end, RunEnd::Terminated | RunEnd::Killed | RunEnd::Interrupted) {
            return Ok(false);
        }
        let reply = std::fs::read(&logs[0]).map_err(Error::at(&logs[0]))?;
        let reply = String::from_utf8_lossy(&reply).trim().to_owned();
        match &*reply {
            "unsat" => {
                coverage.longest = coverage.longest.max(outcome.wall);
                return Ok(true);
            }
            "unknown" => {}
            _ => coverage.problems.push(format!("{}: the solver prints {reply}", answer_of(file))),
        }
        Ok(false)
    }
}

impl Coverage {
    /// Counts the reasons why answers have no file of claims, from the messages of
    /// `parikh-certify`.
    fn read_reasons(&mut self, messages: &str) {
        for line in messages.lines() {
            let Some((_, reason)) = line.split_once(" was not exported: ") else { continue };
            let Some(rules) = reason.strip_prefix(REDUCTIONS) else {
                *self.reasons.entry(reason.to_owned()).or_default() += 1;
                continue;
            };
            self.reduced += 1;
            for rule in rules.split(", ") {
                *self.rules.entry(rule.to_owned()).or_default() += 1;
            }
        }
    }

    /// Reads the output of `parikh-proved`, and returns the accepted answers.
    fn read_verdicts(&mut self, output: &str) -> Vec<String> {
        let mut accepted = Vec::new();
        for line in output.lines() {
            let Some((file, verdict)) = line.rsplit_once(": ") else { continue };
            if !verdict.starts_with("accepted") {
                self.problems.push(format!("parikh-proved: {line}"));
                continue;
            }
            self.proved += 1;
            self.proved_assuming += usize::from(verdict != "accepted");
            accepted.push(answer_of(Path::new(file)));
        }
        accepted
    }

    /// Adds the numbers of another measurement.
    pub fn add(&mut self, other: &Coverage) {
        self.proved += other.proved;
        self.proved_assuming += other.proved_assuming;
        self.reduced += other.reduced;
        self.obligations += other.obligations;
        self.rerun += other.rerun;
        self.late += other.late;
        self.longest = self.longest.max(other.longest);
        self.alone += other.alone;
        for (counts, more) in [(&mut self.rules, &other.rules), (&mut self.reasons, &other.reasons)]
        {
            for (name, count) in more {
                *counts.entry(name.clone()).or_default() += count;
            }
        }
    }
}

/// Returns the files in a folder, sorted. The folder is missing if the audit did not take place.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    if !folder.is_dir() {
        return Ok(files);
    }
    for entry in std::fs::read_dir(folder).map_err(Error::at(folder))? {
        files.push(entry.map_err(Error::at(folder))?.path());
    }
    files.sort();
    Ok(files)
}

/// Returns the answer that a file is about: its name without the ending.
fn answer_of(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let endings = [".claim", ".initiation.smt2", ".consecution.smt2", ".safety.smt2"];
    let stem = endings.iter().find_map(|ending| name.strip_suffix(ending));
    stem.unwrap_or(&name).to_owned()
}

/// The column names of the numbers, for the checkers that run.
pub fn columns(checkers: &Checkers) -> Vec<&'static str> {
    let mut columns = Vec::new();
    if checkers.proved.is_some() {
        columns.extend(["proved", "proved_assuming_units", "but_for_reductions"]);
    }
    if !checkers.solver.is_empty() {
        columns.extend(["obligations", "rerun", "not_rerun", "longest_s"]);
    }
    if checkers.is_any() {
        columns.push("ours_alone");
    }
    columns
}

/// Returns the numbers, in the order of [`columns`].
pub fn fields(coverage: &Coverage, checkers: &Checkers) -> Vec<String> {
    let mut fields = Vec::new();
    if checkers.proved.is_some() {
        let counts = [coverage.proved, coverage.proved_assuming, coverage.reduced];
        fields.extend(counts.map(|count| count.to_string()));
    }
    if !checkers.solver.is_empty() {
        let counts = [coverage.obligations, coverage.rerun, coverage.late];
        fields.extend(counts.map(|count| count.to_string()));
        fields.push(format!("{:.1}", coverage.longest));
    }
    if checkers.is_any() {
        fields.push(coverage.alone.to_string());
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_and_reasons_are_counted() {
        let mut coverage = Coverage::default();
        coverage.read_reasons(
            "note: `a` was not exported: reductions are not covered: fused cycles, relevance\n\
             note: `b` was not exported: reductions are not covered: relevance\n\
             note: `c` was not exported: statements about runs are not covered\n\
             note: claims: 2 of 5 confirmed answers were exported\n",
        );
        let accepted = coverage.read_verdicts(
            "claims/RC.x: y.claim: accepted\n\
             claims/RC.z.claim: accepted if the assumptions hold\n",
        );
        assert_eq!(accepted, ["RC.x: y", "RC.z"]);
        assert_eq!((coverage.proved, coverage.proved_assuming, coverage.reduced), (2, 1, 2));
        assert_eq!(coverage.rules["relevance"], 2);
        assert_eq!(coverage.reasons["statements about runs are not covered"], 1);
        assert!(coverage.problems.is_empty());
        coverage.read_verdicts("claims/RC.z.claim: refused\n");
        assert_eq!(coverage.problems.len(), 1);
        let mut twice = coverage.clone();
        twice.add(&coverage);
        assert_eq!((twice.proved, twice.rules["fused cycles"]), (4, 2));
    }

    #[test]
    fn a_solver_settles_an_answer_if_it_refutes_all_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let obligations = folder.path().join("obligations");
        std::fs::create_dir(&obligations).expect("made");
        for (name, reply) in [
            ("a.initiation", "unsat"),
            ("a.consecution", "unsat"),
            ("a.safety", "unsat"),
            ("b.initiation", "unsat"),
            ("b.consecution", "unknown"),
            ("c.initiation", "unsat"),
            ("c.consecution", "unsat"),
            ("c.safety", "unsat"),
            // The audit was stopped before it had written the other files.
            ("d.initiation", "unsat"),
        ] {
            std::fs::write(obligations.join(format!("{name}.smt2")), reply).expect("written");
        }
        let checkers = Checkers {
            solver: vec!["cat".into()],
            solver_timeout: Duration::from_secs(60),
            ..Checkers::default()
        };
        let output = Command::new("true").output().expect("a program");
        let coverage = checkers.run(folder.path(), &output, 5).expect("it runs");
        assert_eq!((coverage.obligations, coverage.rerun, coverage.late), (4, 2, 2));
        assert_eq!((coverage.alone, coverage.problems.len()), (3, 0));
        assert_eq!(fields(&coverage, &checkers).len(), columns(&checkers).len());
        std::fs::write(obligations.join("c.safety.smt2"), "sat").expect("written");
        let coverage = checkers.run(folder.path(), &output, 5).expect("it runs");
        assert_eq!((coverage.rerun, coverage.problems.len()), (1, 1));
    }
}
