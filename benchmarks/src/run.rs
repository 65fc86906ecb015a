//! One run of a tool: its own process group, a wall time limit, optionally a memory limit, and
//! every answer stamped with the time it came.

use crate::answer::ToolAnswer;
use crate::error::Error;
use crate::signals;
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// The command to run and its limits.
#[derive(Clone, Debug)]
pub struct Job<'j> {
    /// The program and its arguments; not empty.
    pub command: &'j [OsString],
    /// The working directory.
    pub directory: &'j Path,
    /// Variables set in addition to this process's environment.
    pub variables: Vec<(&'static str, OsString)>,
    /// Time until SIGTERM. Later answers do not count.
    pub timeout: Duration,
    /// Time from SIGTERM to SIGKILL.
    pub grace: Duration,
    /// The address space of each process (`RLIMIT_AS`), in MB; unlimited when `None`.
    pub memory: Option<u64>,
    /// Files for the run's stdout and stderr; discarded when `None`.
    pub logs: Option<[PathBuf; 2]>,
}

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// The tool exited with this exit status.
    Exit(i32),
    /// A signal that the harness did not send ended the tool.
    Signal(i32),
    /// The harness sent SIGTERM at the time limit, and the tool ended in the grace period. For a
    /// run by BenchExec: the run reached a time limit, or the exit status is not known.
    Terminated,
    /// The harness sent SIGKILL after the grace period.
    Killed,
    /// The harness was interrupted.
    Interrupted,
}

impl fmt::Display for RunEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunEnd::Exit(status) => write!(f, "exit {status}"),
            RunEnd::Signal(signal) => write!(f, "signal {signal}"),
            RunEnd::Terminated => f.write_str("terminated"),
            RunEnd::Killed => f.write_str("killed"),
            RunEnd::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct RunOutcome {
    /// The answers in order, each with the seconds since the start.
    pub answers: Vec<(ToolAnswer, f64)>,
    /// Seconds from the start to the end of the tool's first process.
    pub wall: f64,
    /// The peak memory in MB: the largest resident set of the first process and of descendants that
    /// were waited for. For a run by BenchExec, the peak of all processes together.
    pub memory: u64,
    /// The end of the run.
    pub end: RunEnd,
}

/// An event that a thread of the run reports.
enum Event {
    /// An answer line, with the seconds from the start of the run until the end of the line was
    /// read.
    Answer(ToolAnswer, f64),
    /// The end of stdout: no process has it open any more, or it cannot be read.
    Closed,
    /// The first process ended and is not yet reaped.
    Exited,
}

/// Runs a job to its end.
///
/// # Errors
/// If the process cannot be started or reaped, or a log file cannot be created.
pub fn run(job: &Job<'_>) -> Result<RunOutcome, Error> {
    let mut command = std::process::Command::new(&job.command[0]);
    command.args(&job.command[1..]).current_dir(job.directory).envs(job.variables.iter().cloned());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    let mut stdout_log = None;
    if let Some([out, err]) = &job.logs {
        stdout_log = Some(File::create(out).map_err(Error::at(out))?);
        command.stderr(File::create(err).map_err(Error::at(err))?);
    }
    if let Some(megabytes) = job.memory {
        limit_memory(&mut command, megabytes);
    }
    let words: Vec<_> = job.command.iter().map(|word| word.to_string_lossy()).collect();
    let failed = |source| Error::Process { command: words.join(" "), source };

    let start = Instant::now();
    let mut child = command.spawn().map_err(failed)?;
    let process = child.id() as libc::pid_t;
    let (events, inbox) = channel();
    if let Some(stdout) = child.stdout.take() {
        let events = events.clone();
        std::thread::spawn(move || read_answers(stdout, stdout_log, start, &events));
    }
    std::thread::spawn(move || {
        wait_for_end(process);
        // The receiver waits for this event, so sending fails only if the receiving thread
        // panicked.
        let _ = events.send(Event::Exited);
    });

    let mut answers = Vec::new();
    let (wall, harness_end) = wait_for_exit(job, process, start, &inbox, &mut answers);
    // Processes that the tool left behind are killed too. The first process is not reaped yet, so
    // no other process can have the number of its group.
    signal_group(process, libc::SIGKILL);
    read_remaining_answers(&inbox, &mut answers);
    let (status, memory) = reap(process).map_err(failed)?;
    let end = harness_end.unwrap_or(if libc::WIFEXITED(status) {
        RunEnd::Exit(libc::WEXITSTATUS(status))
    } else {
        RunEnd::Signal(libc::WTERMSIG(status))
    });
    answers.retain(|&(_, seconds)| seconds <= job.timeout.as_secs_f64());
    Ok(RunOutcome { answers, wall, memory, end })
}

/// Collects answers until the first process ends. Sends SIGTERM to its process group at the time
/// limit, and SIGKILL after the grace period or after an interruption. Returns the wall time, and
/// the end that the last signal of the harness stands for. The end is `None` if the harness sent no
/// signal.
fn wait_for_exit(
    job: &Job<'_>,
    process: libc::pid_t,
    start: Instant,
    inbox: &Receiver<Event>,
    answers: &mut Vec<(ToolAnswer, f64)>,
) -> (f64, Option<RunEnd>) {
    /// Interval in which the harness checks for an interruption.
    const INTERRUPTION_INTERVAL: Duration = Duration::from_millis(100);
    let mut harness_end = None;
    let mut next_signal = job.timeout;
    loop {
        let remaining = next_signal.saturating_sub(start.elapsed());
        match inbox.recv_timeout(remaining.min(INTERRUPTION_INTERVAL)) {
            Ok(Event::Answer(answer, seconds)) => answers.push((answer, seconds)),
            Ok(Event::Closed) | Err(RecvTimeoutError::Timeout) => {}
            Ok(Event::Exited) | Err(RecvTimeoutError::Disconnected) => {
                return (start.elapsed().as_secs_f64(), harness_end);
            }
        }
        if signals::interrupted() && harness_end != Some(RunEnd::Interrupted) {
            signal_group(process, libc::SIGKILL);
            harness_end = Some(RunEnd::Interrupted);
        }
        if start.elapsed() < next_signal {
            continue;
        }
        match harness_end {
            None => {
                signal_group(process, libc::SIGTERM);
                harness_end = Some(RunEnd::Terminated);
                next_signal = job.timeout + job.grace;
            }
            Some(RunEnd::Terminated) => {
                signal_group(process, libc::SIGKILL);
                harness_end = Some(RunEnd::Killed);
            }
            // The group has already received SIGKILL, so no further signal is sent.
            _ => next_signal = start.elapsed() + INTERRUPTION_INTERVAL,
        }
    }
}

/// Reads the answers that are still in the pipe. A process that left the process group may hold the
/// pipe open forever. So the function returns after one second without an event.
fn read_remaining_answers(inbox: &Receiver<Event>, answers: &mut Vec<(ToolAnswer, f64)>) {
    while let Ok(event) = inbox.recv_timeout(Duration::from_secs(1)) {
        match event {
            Event::Answer(answer, seconds) => answers.push((answer, seconds)),
            Event::Closed => return,
            Event::Exited => {}
        }
    }
}

/// Reports each answer line of a tool, and writes all lines to the log if there is one. After an
/// error in writing the log, only reports.
fn read_answers(stdout: impl Read, log: Option<File>, start: Instant, events: &Sender<Event>) {
    let mut stdout = BufReader::new(stdout);
    let mut log = log;
    let mut line = Vec::new();
    loop {
        line.clear();
        if !matches!(stdout.read_until(b'\n', &mut line), Ok(length) if length > 0) {
            break;
        }
        let seconds = start.elapsed().as_secs_f64();
        if log.as_mut().is_some_and(|log| log.write_all(&line).is_err()) {
            // A full disk must not lose answers.
            log = None;
        }
        if let Some(answer) = ToolAnswer::on_line(&String::from_utf8_lossy(&line))
            && events.send(Event::Answer(answer, seconds)).is_err()
        {
            return;
        }
    }
    let _ = events.send(Event::Closed);
}

/// Limits the address space of the command's processes.
fn limit_memory(command: &mut std::process::Command, megabytes: u64) {
    let bytes = megabytes.saturating_mul(1 << 20);
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    let set_limit = move || {
        // SAFETY: setrlimit reads one rlimit, which lives as long as this closure.
        match unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) } {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        }
    };
    // SAFETY: between fork and exec the closure makes one system call and allocates nothing.
    unsafe { command.pre_exec(set_limit) };
}

/// Sends a signal to all processes of a group. An empty group is no error.
fn signal_group(process: libc::pid_t, signal: libc::c_int) {
    // SAFETY: kill takes numbers only. The child that leads the group is not reaped yet, so no
    // other group can have its number.
    unsafe { libc::kill(-process, signal) };
}

/// Blocks until the child has ended, without reaping it.
fn wait_for_end(process: libc::pid_t) {
    loop {
        // SAFETY: siginfo_t is plain numbers, for which zeros are valid; waitid writes one.
        let result = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let flags = libc::WEXITED | libc::WNOWAIT;
            libc::waitid(libc::P_PID, process as libc::id_t, &mut info, flags)
        };
        let is_interrupted = result != 0
            && std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted;
        if !is_interrupted {
            return;
        }
    }
}

/// Reaps an ended child. Returns its status and the largest resident set in MB, including
/// descendants that were waited for.
fn reap(process: libc::pid_t) -> std::io::Result<(libc::c_int, u64)> {
    loop {
        let mut status = 0;
        // SAFETY: rusage is plain numbers, for which zeros are valid; wait4 writes one and an int.
        let (result, usage) = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            (libc::wait4(process, &mut status, 0, &mut usage), usage)
        };
        if result == process {
            // Linux counts in kB.
            return Ok((status, u64::try_from(usage.ru_maxrss).unwrap_or(0).div_ceil(1024)));
        }
        let error = std::io::Error::last_os_error();
        if error.kind() != std::io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, timeout: f64, memory: Option<u64>) -> RunOutcome {
        let directory = tempfile::tempdir().unwrap();
        let command = ["sh", "-c", script].map(OsString::from);
        let job = Job {
            command: &command,
            directory: directory.path(),
            variables: vec![("BK_EXAMINATION", "OneSafe".into())],
            timeout: Duration::from_secs_f64(timeout),
            grace: Duration::from_secs_f64(0.3),
            memory,
            logs: None,
        };
        run(&job).unwrap()
    }

    #[test]
    fn answers_are_taken_in_their_order_with_rising_times() {
        let outcome = shell(
            "echo FORMULA a TRUE TECHNIQUES X; echo noise; echo STATE_SPACE STATES 3; exit 7",
            60.0,
            None,
        );
        let ids: Vec<_> = outcome.answers.iter().map(|(answer, _)| &*answer.id).collect();
        assert_eq!(ids, ["a", "STATES"]);
        assert!(outcome.answers[1].1 >= outcome.answers[0].1);
        assert_eq!(outcome.end, RunEnd::Exit(7));
        assert!(outcome.memory > 0);
    }

    #[test]
    fn variables_are_handed_over() {
        let outcome = shell("echo FORMULA $BK_EXAMINATION TRUE", 60.0, None);
        assert_eq!(outcome.answers[0].0.id, "OneSafe");
    }

    #[test]
    fn at_the_limit_the_whole_group_is_ended_and_earlier_answers_stay() {
        let outcome = shell("echo FORMULA a TRUE; sleep 1000 & sleep 1000", 2.0, None);
        assert_eq!(outcome.end, RunEnd::Terminated);
        assert_eq!(outcome.answers.len(), 1);
        assert!(outcome.wall < 100.0);
    }

    #[test]
    fn who_ignores_the_polite_signal_is_killed_and_late_answers_do_not_count() {
        let script = "trap 'echo FORMULA late TRUE' TERM; while :; do sleep 0.05; done";
        let outcome = shell(script, 2.0, None);
        assert_eq!(outcome.end, RunEnd::Killed);
        assert_eq!(outcome.answers, []);
    }

    #[test]
    fn a_process_left_behind_does_not_hold_the_run() {
        let outcome = shell("sleep 1000 & echo FORMULA a TRUE", 500.0, None);
        assert_eq!(outcome.end, RunEnd::Exit(0));
        assert!(outcome.wall < 100.0);
    }

    #[test]
    fn a_crash_and_a_missing_program_are_told_apart() {
        assert_eq!(shell("kill -SEGV $$", 60.0, None).end, RunEnd::Signal(libc::SIGSEGV));
        let job = Job {
            command: &["/nonexistent/tool".into()],
            directory: Path::new("/"),
            variables: vec![],
            timeout: Duration::from_secs(1),
            grace: Duration::from_secs(1),
            memory: None,
            logs: None,
        };
        assert!(matches!(run(&job), Err(Error::Process { .. })));
    }

    #[test]
    fn the_memory_limit_holds() {
        let outcome = shell("echo FORMULA limit $(ulimit -v)", 60.0, Some(512));
        assert_eq!(outcome.answers[0].0.value, (512 * 1024).to_string());
    }
}
