//! Hostile files, made to exhaust the time or memory of `parikh-certify`, or to crash it. The
//! author of the evidence determines the amount of work for the auditor, so the auditor limits it.
//! On each of these files the auditor ends soon, stays within the memory limit, and prints a
//! message with the error and its position.
//!
//! If the auditor counts the cost itself, the limits of the command line are unnecessary, and the
//! test runs it again without them ([`AuditLimits::None`]). If the work grows step by step with the
//! file's content, the deadline ends it ([`AuditLimits::Clock`]).

mod arguments;
mod colours;
mod files;
mod numbers;
mod runs;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The limits on the command line for a run of the auditor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AuditLimits {
    /// The limits of `Enough`, and then again no limits.
    None,
    /// `--timeout 30s --memory 900M`, which suffice. The longest run takes five seconds on an idle
    /// machine, and three times as long on a busy one.
    Enough,
    /// `--timeout 1s --memory 900M`, one of which may end the run.
    Clock,
}

/// A directory with the files of one test.
struct Instance {
    directory: tempfile::TempDir,
    arguments: Vec<String>,
}

/// The result of a run of the auditor.
struct AuditRun {
    /// The exit code; `None` after a signal.
    code: Option<i32>,
    /// The error output, followed by the standard output.
    text: String,
    time: Duration,
    /// The maximal resident memory, in bytes.
    memory: u64,
}

const MODEL: &str = "place p 2\nplace q\ntransition t: p -> q\ntransition u: q -> p";

impl Instance {
    /// Creates an instance with a model in the textual format, and evidence about one examination.
    fn of(model: &str, examination: &str, write: impl FnOnce(&mut dyn Write)) -> Instance {
        let net = parikh_net::text::parse(model).unwrap();
        let instance = Instance::pnml(&parikh_net::pnml::pnml(&net));
        let (places, transitions) = (net.place_count(), net.transition_count());
        instance.evidence(examination, (net.name(), places, transitions), write)
    }

    /// Creates an instance with a model in PNML.
    fn pnml(model: &str) -> Instance {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("model.pnml"), model).unwrap();
        Instance { directory, arguments: Vec::new() }
    }

    /// Adds an evidence file about an examination. Its first line names the net and its sizes, and
    /// `write` writes the other lines.
    fn evidence(
        self,
        examination: &str,
        (net, places, transitions): (&str, usize, usize),
        write: impl FnOnce(&mut dyn Write),
    ) -> Instance {
        self.file(&format!("{examination}.jsonl"), |out| {
            let head = format!(
                r#"{{"evidence": {{"format": "parikh-evidence-2", "net": "{net}", "places": {places}, "transitions": {transitions}, "examination": "{examination}"}}}}"#
            );
            writeln!(out, "{head}").unwrap();
            write(out);
        })
    }

    /// Adds a file, whose content `write` writes.
    fn file(self, name: &str, write: impl FnOnce(&mut dyn Write)) -> Instance {
        let mut out = BufWriter::new(File::create(self.path().join(name)).unwrap());
        write(&mut out);
        out.flush().unwrap();
        self
    }

    /// Adds a sparse file of `bytes` bytes, which are 0 after the beginning.
    fn sparse(self, name: &str, beginning: &str, bytes: u64) -> Instance {
        let mut file = File::create(self.path().join(name)).unwrap();
        file.write_all(beginning.as_bytes()).unwrap();
        file.set_len(bytes).unwrap();
        self
    }

    /// Adds a pipe without a writer.
    fn pipe(self, name: &str) -> Instance {
        let made = Command::new("mkfifo").arg(self.path().join(name)).status().unwrap();
        assert!(made.success());
        self
    }

    /// Adds arguments to the command line.
    fn with(mut self, arguments: &[&str]) -> Instance {
        self.arguments.extend(arguments.iter().map(|&it| it.to_owned()));
        self
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Runs the auditor with these additional arguments. Kills it after 60 seconds.
    fn run(&self, limits: &[&str]) -> AuditRun {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parikh-certify"));
        command.current_dir(self.path()).args([".", "."]).args(&self.arguments).args(limits);
        let [out, err] = ["out", "err"].map(|name| self.path().join(name));
        command.stdin(Stdio::null());
        command.stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap());
        let begun = Instant::now();
        let mut child = command.spawn().unwrap();
        let mut memory = 0;
        let status = loop {
            memory = max_resident_memory(child.id()).unwrap_or(0).max(memory);
            match child.try_wait().unwrap() {
                Some(status) => break status,
                None if begun.elapsed() > Duration::from_secs(60) => child.kill().unwrap(),
                None => std::thread::sleep(Duration::from_millis(3)),
            }
        };
        let time = begun.elapsed();
        let text = [err, out].map(|name| std::fs::read_to_string(name).unwrap()).concat();
        AuditRun { code: status.code(), text, time, memory }
    }
}

/// Returns the maximal resident memory of a process, in bytes.
fn max_resident_memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

/// The results for the kinds of hostile files in one test.
#[derive(Default)]
struct HostileKinds {
    wrong: Vec<String>,
    count: usize,
}

impl HostileKinds {
    /// Runs the auditor on files of one kind. Expects the exit code, and a line of output that
    /// contains all of `parts`. Also expects a short output, and no crash. Records deviations in
    /// `wrong`.
    fn expect(
        &mut self,
        kind: &str,
        limits: AuditLimits,
        instance: Instance,
        code: i32,
        parts: &[&str],
    ) {
        self.count += 1;
        let limit_arguments: &[&[&str]] = match limits {
            AuditLimits::None => &[&["--timeout", "30s", "--memory", "900M"], &[]],
            AuditLimits::Enough => &[&["--timeout", "30s", "--memory", "900M"]],
            AuditLimits::Clock => &[&["--timeout", "1s", "--memory", "900M"]],
        };
        for given in limit_arguments {
            let has_line =
                |text: &str| text.lines().any(|line| parts.iter().all(|part| line.contains(part)));
            let mut ended = instance.run(given);
            if limits == AuditLimits::Clock && !has_line(&ended.text) {
                // A busy machine may need more than a second for the message.
                ended = instance.run(&["--timeout", "5s", "--memory", "900M"]);
            }
            let AuditRun { code: found, text, time, memory } = ended;
            let short = text.len() < 100_000 || kind.contains("answers");
            let stopped = limits != AuditLimits::Clock && text.contains("not confirmed");
            let panicked = text.contains("panicked") || text.contains("could not be finished");
            let line = has_line(&text);
            let right = found == Some(code) && line && short && !stopped && !panicked;
            let soon = time < Duration::from_secs(40) && memory < 1 << 30;
            let (seconds, megabytes) = (time.as_secs_f64(), memory >> 20);
            let said = text.lines().find(|line| parts.iter().all(|part| line.contains(part)));
            let said: String = said.unwrap_or(&text).chars().take(300).collect();
            println!("{kind}, {given:?}: {seconds:.1} s, {megabytes} MB, {found:?}: {said}");
            if !right || !soon {
                let text: String = text.chars().take(600).collect();
                let description =
                    format!("{kind}, {given:?}: {found:?} after {seconds:.1} s, {megabytes} MB");
                self.wrong.push(format!("{description}: {text}"));
            }
        }
    }

    /// Asserts that all kinds met the expectations, and that there were at least `least` kinds.
    fn assert_all(self, least: usize) {
        assert!(self.wrong.is_empty(), "{}", self.wrong.join("\n"));
        assert!(self.count >= least, "{} kinds", self.count);
    }
}

/// Returns an answer that refers to the evidence `shown_by`.
fn answer(id: &str, value: &str, shown_by: &str) -> String {
    format!(r#"{{"answer": {{"id": "{id}", "value": "{value}", "shown_by": [{shown_by}]}}}}"#)
}

/// Writes `count` items, separated by commas. `thing` returns the item with an index from 0.
fn repeat(out: &mut dyn Write, count: usize, mut thing: impl FnMut(usize) -> String) {
    for at in 0..count {
        let comma = if at == 0 { "" } else { "," };
        write!(out, "{comma}{}", thing(at)).unwrap();
    }
}
