//! Measures how answers are supported, and whether the auditor confirms them from the files alone.
//!
//! For each instance and examination, `parikh check --evidence` runs, and then `parikh-certify` on
//! the file that was written. The second is a separate program with readers of its own. The grades
//! of answers are those of the first program. The verdicts are those of the second program.

use crate::coverage::{self, Checkers, Coverage};
use crate::error::Error;
use crate::exam::Exam;
use crate::instance::Instance;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// The instances to measure and the programs to run.
#[derive(Clone, Debug)]
pub struct Audits {
    /// Directory with the archives `NAME.tgz`.
    pub inputs: PathBuf,
    /// The `parikh` to run; `parikh-certify` lies beside it.
    pub parikh: PathBuf,
    /// The time limit of `parikh check`.
    pub timeout: Duration,
    /// Other checkers of the confirmed answers.
    pub checkers: Checkers,
}

/// The counts, sizes and times of the evidence of one instance and examination.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AuditMeasurement {
    /// The instance.
    pub instance: String,
    /// The examination.
    pub exam: String,
    /// Three numbers of answers, in this order: those that `check` calls replayed, certified and
    /// searched.
    pub grades: [usize; 3],
    /// Four numbers of answers, in this order: those with the auditor's verdicts confirmed,
    /// searched, beyond (not supported by the auditor) and refused. Answers that the auditor had no
    /// time or memory to check are not counted.
    pub verdicts: [usize; 4],
    /// Number of answers, except refused ones, that assume the model's claim about its units.
    pub assuming_units: usize,
    /// Questions without an answer.
    pub unanswered: usize,
    /// Bytes of the evidence.
    pub bytes: u64,
    /// Wall seconds of `check`.
    pub check_seconds: f64,
    /// Wall seconds of `parikh-certify`.
    pub certify_seconds: f64,
    /// The confirmed answers by other checkers.
    pub coverage: Coverage,
    /// A description of what failed, on one line; empty if nothing failed.
    pub problem: String,
}

impl Audits {
    /// Measures one instance and examination.
    ///
    /// # Errors
    /// If the archive cannot be read or a program cannot be run.
    pub fn measure(&self, name: &str, exam: Exam) -> Result<AuditMeasurement, Error> {
        let instance = Instance::unpack(&self.inputs, name)?;
        let directory = tempfile::tempdir().map_err(Error::at(std::env::temp_dir()))?;
        let mut command = Command::new(&self.parikh);
        command.arg("check").arg(instance.path()).args(["-e", exam.long(), "--format", "json"]);
        let timeout = format!("{}ms", self.timeout.as_millis());
        command.args(["--timeout", &timeout, "--evidence"]).arg(directory.path());
        let (checked, check) = run(&self.parikh, &mut command)?;
        let mut measurement = AuditMeasurement {
            instance: name.to_owned(),
            exam: exam.short().to_owned(),
            check_seconds: check,
            ..AuditMeasurement::default()
        };
        measurement.read_check(&checked);
        let file = directory.path().join(format!("{}.jsonl", exam.long()));
        measurement.bytes = std::fs::metadata(&file).map_or(0, |metadata| metadata.len());
        let auditor = self.parikh.with_file_name("parikh-certify");
        let mut command = Command::new(&auditor);
        command.arg(instance.path()).arg(&file).args(["--format", "json"]);
        self.checkers.add_options(&mut command, directory.path());
        let (audited, certify) = run(&auditor, &mut command)?;
        measurement.certify_seconds = certify;
        measurement.read_audit(&audited, &checked);
        if self.checkers.is_any() {
            let confirmed = measurement.verdicts[0];
            measurement.coverage = self.checkers.run(directory.path(), &audited, confirmed)?;
            let problems = std::mem::take(&mut measurement.coverage.problems);
            problems.iter().for_each(|problem| measurement.add_problem(problem));
        }
        Ok(measurement)
    }
}

/// Runs a program to its end. Returns its output and its wall time in seconds.
fn run(program: &Path, command: &mut Command) -> Result<(Output, f64), Error> {
    let start = Instant::now();
    let output = command.output().map_err(Error::at(program))?;
    Ok((output, start.elapsed().as_secs_f64()))
}

/// Parses each line of the output as a JSON object. Skips lines that are not JSON.
fn objects(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Returns the ids of the answers in a program's output, without withdrawn answers.
fn answered(objects: &[Value]) -> Vec<&str> {
    let mut ids: Vec<&str> = Vec::new();
    for object in objects {
        let Some(id) = object["id"].as_str() else { continue };
        // `check` puts this word in front of the name of a figure of the state space.
        let id = id.strip_prefix("STATE_SPACE ").unwrap_or(id);
        match object["type"].as_str() {
            Some("answer") => ids.push(id),
            Some("withdrawn") => ids.retain(|other| *other != id),
            _ => {}
        }
    }
    ids
}

/// Returns the elements of `of` that `without` has less often.
fn difference<'a>(of: &[&'a str], without: &[&str]) -> Vec<&'a str> {
    let mut left = without.to_vec();
    let mut is_missing = |id: &&str| match left.iter().position(|other| other == id) {
        Some(at) => {
            left.swap_remove(at);
            false
        }
        None => true,
    };
    of.iter().copied().filter(|id| is_missing(id)).collect()
}

/// Returns the error messages of a program, or its exit status if there are none.
fn failure(output: &Output) -> String {
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    match messages.trim().is_empty() {
        true => format!("no error message, {}", output.status),
        false => messages,
    }
}

impl AuditMeasurement {
    /// Counts the answers by grade and the open questions in the output of `parikh check`. Records
    /// a problem if the exit code is neither 0 nor 3.
    fn read_check(&mut self, output: &Output) {
        for object in objects(output) {
            match (object["type"].as_str(), object["evidence"].as_str()) {
                (Some("answer"), Some(grade)) => {
                    if let Some(index) = GRADES.iter().position(|known| *known == grade) {
                        self.grades[index] += 1;
                    }
                }
                (Some("unanswered"), _) => self.unanswered += 1,
                _ => {}
            }
        }
        // Exit code 0: all questions answered; 3: some are open, which is no fault of the evidence.
        if !matches!(output.status.code(), Some(0 | 3)) {
            self.add_problem(&failure(output));
        }
    }

    /// Reads the counts of verdicts from the output of `parikh-certify`. Records a problem for each
    /// refused answer, for a missing summary, for a file that the auditor cannot read or has no
    /// time or memory for, and if `check` printed other answers.
    fn read_audit(&mut self, output: &Output, checked: &Output) {
        let (objects, checked) = (objects(output), objects(checked));
        let Some(summary) = objects.iter().find(|object| object["type"] == "summary") else {
            return self.add_problem(&failure(output));
        };
        let count = |key: &str| summary[key].as_u64().unwrap_or(0) as usize;
        self.verdicts = VERDICTS.map(count);
        self.assuming_units = count("assuming_units");
        for refused in objects.iter().filter(|object| object["verdict"] == "refused") {
            self.add_problem(&format!("{} refused: {}", refused["id"], refused["because"]));
        }
        if count("unreadable") > 0 || !summary["stopped"].is_null() {
            self.add_problem(&failure(output));
        }
        let (printed, audited) = (answered(&checked), answered(&objects));
        for (only, words) in [
            (difference(&printed, &audited), "printed, but unknown to the auditor"),
            (difference(&audited, &printed), "in the evidence, but not printed"),
        ] {
            if !only.is_empty() {
                self.add_problem(&format!("{words}: {}", only.join(" ")));
            }
        }
    }

    /// Adds a problem, shortened to 40 words, to the description of what failed.
    fn add_problem(&mut self, problem: &str) {
        let words: Vec<&str> = problem.split_whitespace().take(40).collect();
        if !self.problem.is_empty() {
            self.problem.push_str("; ");
        }
        self.problem.push_str(&words.join(" "));
    }

    /// Returns true if a problem was recorded: the auditor refused an answer, a program failed, or
    /// the numbers of answers differ.
    pub fn is_wrong(&self) -> bool {
        !self.problem.is_empty()
    }
}

/// The grades of evidence that `check` prints, in the order of [`AuditMeasurement::grades`].
const GRADES: [&str; 3] = ["replayed", "certified", "searched"];

/// The keys of the auditor's summary, in the order of [`AuditMeasurement::verdicts`].
const VERDICTS: [&str; 4] = ["confirmed", "searched", "beyond", "refused"];

/// The column names of a result file, without those of other checkers.
const COLUMNS: [&str; 14] = [
    "instance",
    "exam",
    "replayed",
    "certified",
    "searched",
    "confirmed",
    "confirmed_searched",
    "beyond",
    "refused",
    "assuming_units",
    "unanswered",
    "bytes",
    "check_s",
    "certify_s",
];

/// Returns the column names of a result file.
pub fn columns(checkers: &Checkers) -> Vec<&'static str> {
    COLUMNS.into_iter().chain(coverage::columns(checkers)).collect()
}

/// Returns the fields of one run, in the order of [`columns`].
pub fn fields(m: &AuditMeasurement, checkers: &Checkers) -> Vec<String> {
    let mut fields = vec![m.instance.clone(), m.exam.clone()];
    fields.extend(m.grades.map(|count| count.to_string()));
    fields.extend(m.verdicts.map(|count| count.to_string()));
    fields.extend([m.assuming_units, m.unanswered].map(|count| count.to_string()));
    fields.push(m.bytes.to_string());
    fields.push(format!("{:.3}", m.check_seconds));
    fields.push(format!("{:.3}", m.certify_seconds));
    fields.extend(coverage::fields(&m.coverage, checkers));
    fields
}

/// Returns a table with one line per examination and a total. Below it are the runs that failed,
/// and the runs with answers that are only searched or beyond the auditor.
pub fn print(measurements: &[AuditMeasurement], checkers: &Checkers) -> String {
    let mut text = String::from(
        "| exam | runs | answers | replayed | certified | searched | confirmed | of searches | \
         beyond | refused | assuming units | largest kB | check s | certify s |",
    );
    let added = coverage::columns(checkers);
    added.iter().for_each(|column| _ = write!(text, " {} |", column.replace('_', " ")));
    let _ = writeln!(text, "\n|{}", "---|".repeat(COLUMNS.len() + added.len()));
    let mut exams: Vec<&str> = Vec::new();
    for m in measurements {
        if !exams.contains(&m.exam.as_str()) {
            exams.push(&m.exam);
        }
    }
    let measurements_of =
        |exam: &str| measurements.iter().filter(|m| m.exam == exam).collect::<Vec<_>>();
    let groups = exams.iter().map(|exam| (*exam, measurements_of(exam)));
    for (exam, group) in groups.chain([("all", measurements.iter().collect())]) {
        let sum = |count: &dyn Fn(&AuditMeasurement) -> usize| -> usize {
            group.iter().map(|m| count(m)).sum()
        };
        let seconds =
            |of: &dyn Fn(&AuditMeasurement) -> f64| group.iter().map(|m| of(m)).sum::<f64>();
        let answers = sum(&|m| m.grades.iter().sum());
        let _ = write!(text, "| {exam} | {} | {answers} |", group.len());
        for index in 0..3 {
            let _ = write!(text, " {} |", sum(&|m| m.grades[index]));
        }
        for index in 0..4 {
            let _ = write!(text, " {} |", sum(&|m| m.verdicts[index]));
        }
        let largest = group.iter().map(|m| m.bytes).max().unwrap_or(0) / 1000;
        let (check, certify) = (seconds(&|m| m.check_seconds), seconds(&|m| m.certify_seconds));
        let assuming = sum(&|m| m.assuming_units);
        let _ = write!(text, " {assuming} | {largest} | {check:.1} | {certify:.1} |");
        let total = coverage_of(&group);
        let fields = coverage::fields(&total, checkers).into_iter();
        fields.for_each(|field| _ = write!(text, " {field} |"));
        text.push('\n');
    }
    let Coverage { rules, reasons, .. } = coverage_of(&measurements.iter().collect::<Vec<_>>());
    for (title, counts) in [("Rules of reductions", rules), ("Not proved", reasons)] {
        if !counts.is_empty() {
            let counts: Vec<String> =
                counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
            let _ = writeln!(text, "\n- {title}: {}", counts.join("; "));
        }
    }
    for m in measurements {
        // The answers that the auditor only searched, and the answers that it does not support.
        let open = m.verdicts[1] + m.verdicts[2];
        if m.is_wrong() {
            let _ = writeln!(text, "\n- {} {}: {}", m.instance, m.exam, m.problem);
        } else if open > 0 {
            let _ = writeln!(text, "\n- {} {}: {open} not confirmed", m.instance, m.exam);
        }
    }
    text
}

/// Returns the sum of the answers by other checkers.
fn coverage_of(group: &[&AuditMeasurement]) -> Coverage {
    let mut total = Coverage::default();
    group.iter().for_each(|m| total.add(&m.coverage));
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    fn output(stdout: &str) -> Output {
        let status = ExitStatus::from_raw(0);
        Output { status, stdout: stdout.as_bytes().to_vec(), stderr: Vec::new() }
    }

    #[test]
    fn counts_are_read_and_summed_and_a_refusal_is_trouble() {
        let mut m = AuditMeasurement { exam: "RC".to_owned(), ..AuditMeasurement::default() };
        let checked = output(
            "{\"type\":\"answer\",\"id\":\"x\",\"evidence\":\"replayed\"}\n\
             {\"type\":\"answer\",\"id\":\"y\",\"evidence\":\"certified\"}\n\
             {\"type\":\"unanswered\"}\n",
        );
        m.read_check(&checked);
        let summary = "{\"type\":\"summary\",\"answers\":2,\"confirmed\":2,\"searched\":0}\n";
        let answers = "{\"type\":\"answer\",\"id\":\"y\"}\n{\"type\":\"answer\",\"id\":\"x\"}\n";
        m.read_audit(&output(&format!("{answers}{summary}")), &checked);
        assert!(!m.is_wrong(), "{}", m.problem);
        let table = print(&[m.clone()], &Checkers::default());
        assert!(table.contains("| RC | 1 | 2 | 1 | 1 | 0 | 2 | 0 | 0 | 0 |"), "{table}");
        let solver = Checkers { solver: vec!["z3".into()], ..Checkers::default() };
        for checkers in [Checkers::default(), solver] {
            assert_eq!(fields(&m, &checkers).len(), columns(&checkers).len());
            let table = print(&[m.clone()], &checkers);
            let widths: Vec<usize> =
                table.lines().take(4).map(|line| line.matches('|').count()).collect();
            assert!(widths.windows(2).all(|pair| pair[0] == pair[1]), "{table}");
            assert_eq!(table.contains("ours alone"), checkers.is_any());
        }
        let refused = "{\"type\":\"answer\",\"verdict\":\"refused\",\"id\":\"x\"}\n";
        m.read_audit(&output(&format!("{refused}{summary}")), &checked);
        assert!(m.is_wrong());
    }

    #[test]
    fn answers_of_only_one_program_are_named() {
        let answer = |id: &str| format!("{{\"type\":\"answer\",\"id\":\"{id}\"}}\n");
        let withdrawn = "{\"type\":\"withdrawn\",\"id\":\"w\"}\n";
        let summary = "{\"type\":\"summary\"}\n";
        let checked = output(&[&answer("a"), &answer("b"), &answer("w"), withdrawn].concat());
        let audited = output(&[&answer("b"), &answer("c"), summary].concat());
        let mut m = AuditMeasurement::default();
        m.read_audit(&audited, &checked);
        let expected =
            "printed, but unknown to the auditor: a; in the evidence, but not printed: c";
        assert_eq!(m.problem, expected);
    }

    #[test]
    fn an_audit_out_of_memory_is_trouble() {
        let summary = "{\"type\":\"summary\",\"stopped\":\"out of memory\"}\n";
        let mut audited = output(summary);
        audited.stderr = b"error: RC.jsonl:7: not confirmed: out of memory".to_vec();
        let mut m = AuditMeasurement::default();
        m.read_audit(&audited, &output(""));
        assert!(m.problem.contains("out of memory"), "{}", m.problem);
    }

    #[test]
    fn silence_is_trouble() {
        let mut m = AuditMeasurement::default();
        m.read_audit(&output(""), &output(""));
        assert!(m.is_wrong());
    }
}
