//! How much of what Parikh refutes it can hand over a certificate for, and whether the checker
//! accepts it.
//!
//! For each pair of an instance and an examination, `parikh check --certificate` is run, and then
//! `parikh certify`, a process of its own, on every file that was written. What counts is a claim
//! that the second has printed as proved.

use crate::error::Error;
use crate::exam::Exam;
use crate::instance::Instance;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// What to measure.
#[derive(Clone, Debug)]
pub struct Certificates {
    /// Directory with the archives `NAME.tgz`.
    pub inputs: PathBuf,
    /// The `parikh` to run.
    pub parikh: PathBuf,
    /// The timeout that `parikh check` is given.
    pub timeout: Duration,
}

/// The figures of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurement {
    /// Its instance.
    pub instance: String,
    /// Its examination.
    pub exam: String,
    /// Goals shown to be unreachable, and maxima proved.
    pub refuted: usize,
    /// How many of them have a certificate, by its kind.
    pub certified: BTreeMap<String, usize>,
    /// How many have none, by the kind of proof.
    pub without: BTreeMap<String, usize>,
    /// Claims that `parikh certify` accepts.
    pub accepted: usize,
    /// Bytes of all certificates.
    pub bytes: u64,
    /// Wall seconds of `check`, certificates included.
    pub check: f64,
    /// Wall seconds of `certify`.
    pub certify: f64,
    /// What went wrong, on one line; empty if nothing did.
    pub trouble: String,
}

impl Certificates {
    /// Makes one run.
    ///
    /// # Errors
    /// When the archive cannot be read or the program cannot be run.
    pub fn measure(&self, name: &str, exam: Exam) -> Result<Measurement, Error> {
        let instance = Instance::unpack(&self.inputs, name, None)?;
        let directory = tempfile::tempdir().map_err(Error::at(std::env::temp_dir()))?;
        let mut command = Command::new(&self.parikh);
        command.arg("check").arg(instance.path()).args(["-e", exam.long(), "--format", "json"]);
        let timeout = format!("{}ms", self.timeout.as_millis());
        command.args(["--timeout", &timeout, "--certificate"]).arg(directory.path());
        let (checked, check) = self.run(&mut command)?;
        let mut measurement = Measurement {
            instance: name.to_owned(),
            exam: exam.short().to_owned(),
            check,
            ..Measurement::default()
        };
        measurement.read(&checked);
        let files = files(directory.path())?;
        if files.is_empty() {
            return Ok(measurement);
        }
        for file in &files {
            measurement.bytes += std::fs::metadata(file).map_err(Error::at(file))?.len();
            let mut command = Command::new(&self.parikh);
            command.arg("certify").arg(instance.path()).arg(file);
            let (certified, seconds) = self.run(&mut command)?;
            measurement.certify += seconds;
            let proved = String::from_utf8_lossy(&certified.stdout);
            measurement.accepted += proved.lines().filter(|line| line.contains("proved: ")).count();
            if !certified.status.success() {
                measurement.complain(&certified.stderr);
            }
        }
        Ok(measurement)
    }

    fn run(&self, command: &mut Command) -> Result<(Output, f64), Error> {
        let start = Instant::now();
        let output = command.output().map_err(Error::at(&self.parikh))?;
        Ok((output, start.elapsed().as_secs_f64()))
    }
}

/// The certificates in a directory, by name.
fn files(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = std::fs::read_dir(directory).map_err(Error::at(directory))?;
    let entries: Result<Vec<_>, _> = entries.map(|entry| entry.map(|it| it.path())).collect();
    let mut files = entries.map_err(Error::at(directory))?;
    files.sort();
    Ok(files)
}

impl Measurement {
    /// Reads what `check` says of certificates on its standard output.
    fn read(&mut self, output: &Output) {
        let text = String::from_utf8_lossy(&output.stdout);
        let objects = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let Some(said) = objects.into_iter().find(|it| it["type"] == "certificates") else {
            // An examination cut off before it came to certificates says so by its silence.
            return self.complain(b"check said nothing of certificates");
        };
        let counts = |value: &Value| -> BTreeMap<String, usize> {
            let entries = value.as_object().into_iter().flatten();
            entries.map(|(kind, n)| (kind.clone(), n.as_u64().unwrap_or(0) as usize)).collect()
        };
        self.refuted = said["refuted"].as_u64().unwrap_or(0) as usize;
        self.certified = counts(&said["certified"]);
        self.without = counts(&said["without"]);
        // 0: all answered; 3: something is left, which is no trouble of certificates.
        if !matches!(output.status.code(), Some(0 | 3)) {
            self.complain(&output.stderr);
        }
    }

    fn complain(&mut self, what: &[u8]) {
        let text = String::from_utf8_lossy(what);
        let words: Vec<&str> = text.split_whitespace().take(40).collect();
        if !self.trouble.is_empty() {
            self.trouble.push_str("; ");
        }
        self.trouble.push_str(&words.join(" "));
    }

    /// Whether the checker refused something, or a program failed.
    pub fn is_wrong(&self) -> bool {
        !self.trouble.is_empty() || self.accepted != self.certified.values().sum::<usize>()
    }
}

/// The kinds of certificates, in the order of the columns.
const KINDS: [&str; 4] = ["bounds", "linear", "markings", "reduced"];

/// The first line of a result file.
pub const COLUMNS: [&str; 13] = [
    "instance",
    "exam",
    "refuted",
    "accepted",
    "bounds",
    "linear",
    "markings",
    "reduced",
    "without",
    "bytes",
    "check_s",
    "certify_s",
    "trouble",
];

/// The line of a run.
pub fn fields(m: &Measurement) -> Vec<String> {
    let mut fields =
        vec![m.instance.clone(), m.exam.clone(), m.refuted.to_string(), m.accepted.to_string()];
    let count = |kind: &str| m.certified.get(kind).copied().unwrap_or(0).to_string();
    fields.extend(KINDS.map(count));
    fields.push(list(&m.without));
    fields.push(m.bytes.to_string());
    fields.push(format!("{:.3}", m.check));
    fields.push(format!("{:.3}", m.certify));
    fields.push(m.trouble.clone());
    fields
}

fn list(kinds: &BTreeMap<String, usize>) -> String {
    let list: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    list.join(", ")
}

/// A table with a line per examination, and the runs with goals left without.
pub fn print(all: &[Measurement]) -> String {
    let mut text = String::from(
        "| exam | runs | refuted | accepted | share | bounds | linear | markings | reduced | \
         largest kB | check s | certify s |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let mut exams: Vec<&str> = Vec::new();
    for m in all {
        if !exams.contains(&m.exam.as_str()) {
            exams.push(&m.exam);
        }
    }
    let groups =
        exams.iter().map(|exam| (*exam, all.iter().filter(|m| m.exam == **exam).collect()));
    let groups: Vec<(&str, Vec<&Measurement>)> =
        groups.chain([("all", all.iter().collect())]).collect();
    for (exam, group) in groups {
        let sum = |of: &dyn Fn(&Measurement) -> usize| group.iter().map(|m| of(m)).sum::<usize>();
        let seconds = |of: &dyn Fn(&Measurement) -> f64| group.iter().map(|m| of(m)).sum::<f64>();
        let (refuted, accepted) = (sum(&|m| m.refuted), sum(&|m| m.accepted));
        let share = match refuted {
            0 => "—".to_owned(),
            _ => format!("{:.1} %", 100.0 * accepted as f64 / refuted as f64),
        };
        let _ = write!(text, "| {exam} | {} | {refuted} | {accepted} | {share} |", group.len());
        for kind in KINDS {
            let _ = write!(text, " {} |", sum(&|m| m.certified.get(kind).copied().unwrap_or(0)));
        }
        let largest = group.iter().map(|m| m.bytes).max().unwrap_or(0) / 1000;
        let (check, certify) = (seconds(&|m| m.check), seconds(&|m| m.certify));
        let _ = writeln!(text, " {largest} | {check:.1} | {certify:.1} |");
    }
    let mut lacking = all.iter().filter(|m| !m.without.is_empty()).peekable();
    if lacking.peek().is_some() {
        text.push_str("\nWithout a certificate:\n\n");
    }
    for m in lacking {
        let _ = writeln!(text, "- {} {}: {}", m.instance, m.exam, list(&m.without));
    }
    text
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
    fn counts_are_read_and_summed() {
        let mut m = Measurement { exam: "RC".to_owned(), ..Measurement::default() };
        m.read(&output(
            "{\"type\":\"answer\",\"id\":\"x\"}\n{\"type\":\"certificates\",\"refuted\":4,\
             \"certified\":{\"bounds\":2,\"linear\":1},\"without\":{\"exhaustive search\":1}}\n",
        ));
        m.accepted = 3;
        assert!(!m.is_wrong());
        let table = print(&[m.clone()]);
        assert!(table.contains("| RC | 1 | 4 | 3 | 75.0 % | 2 | 1 | 0 | 0 |"), "{table}");
        assert!(table.contains(" RC: 1 exhaustive search"), "{table}");
        assert_eq!(fields(&m).len(), COLUMNS.len());
        m.accepted = 2;
        assert!(m.is_wrong());
    }

    #[test]
    fn silence_is_trouble() {
        let mut m = Measurement::default();
        m.read(&output("{\"type\":\"answer\"}\n"));
        assert!(m.is_wrong());
    }
}
