//! Runs a job: waits for a worker, runs the command, and records the end.

use super::{Job, JobState};
use crate::files::now;
use crate::process::{self, ProcessEnd, ProcessLimits};
use crate::queue::QueueSlot;
use std::path::Path;
use std::time::Duration;

/// The surroundings of a job.
pub(in super::super) struct JobEnvironment<'e> {
    /// The `parikh` program.
    pub(in super::super) program: &'e Path,
    /// The folder of the net.
    pub(in super::super) net_folder: &'e Path,
    /// The name of the model's file in the folder.
    pub(in super::super) model: &'e str,
    pub(in super::super) limits: ProcessLimits,
    /// The number of engines that run in parallel.
    pub(in super::super) threads: usize,
    /// Called after the state or the answers have changed.
    pub(in super::super) on_change: &'e (dyn Fn() + Send + Sync),
}

/// The exit code of `parikh` if some question is open.
const INCOMPLETE: i32 = 3;

/// Runs a job to its end. `slot` is its slot in the queue.
pub(in super::super) async fn run(job: &Job, slot: QueueSlot, environment: &JobEnvironment<'_>) {
    let unfinished = UnfinishedJob { job, on_change: environment.on_change };
    let worker = tokio::select! {
        // A job that is cancelled while it waits never starts.
        biased;
        () = job.cancellation() => None,
        worker = slot.start() => worker,
    };
    let state = match worker {
        None => JobState::Cancelled,
        Some(_worker) => {
            job.set_state(JobState::Running { since: now() });
            (environment.on_change)();
            command(job, environment).await
        }
    };
    drop(slot);
    job.set_state(state);
    drop(unfinished);
}

/// A job that is not to stay unfinished: if it has no final state when this guard is dropped,
/// because of a panic, the job has failed.
struct UnfinishedJob<'e> {
    job: &'e Job,
    on_change: &'e (dyn Fn() + Send + Sync),
}

impl Drop for UnfinishedJob<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let reason = "an internal error of the server: please report it".to_owned();
            self.job.set_state(JobState::Failed { reason });
        }
        (self.on_change)();
    }
}

/// Runs the command of a job. Returns the state of the job afterwards.
async fn command(job: &Job, environment: &JobEnvironment<'_>) -> JobState {
    let &JobEnvironment { program, net_folder, model, limits, threads, on_change } = environment;
    let options = limit_options(limits, threads);
    let arguments = job.request.arguments(model, &format!("jobs/{}", job.number), &options);
    let files = [job.answers_file(), job.notes_file()];
    let begin = std::time::Instant::now();
    let mut on_output = || on_change();
    let end = process::run(
        program,
        &arguments,
        net_folder,
        [&files[0], &files[1]],
        limits,
        &mut on_output,
        job.cancellation(),
    );
    let seconds = |begin: std::time::Instant| begin.elapsed().as_secs_f64();
    match end.await {
        Ok(ProcessEnd::Exited(0)) => JobState::Done { seconds: seconds(begin) },
        Ok(ProcessEnd::Exited(INCOMPLETE)) => JobState::Incomplete { seconds: seconds(begin) },
        Ok(ProcessEnd::Cancelled) => JobState::Cancelled,
        Ok(end) => {
            let folders = [net_folder, &job.folder];
            let has_notes = || std::fs::metadata(&files[1]).is_ok_and(|file| file.len() > 0);
            let reason = match end {
                _ if folders.iter().any(|folder| is_disk_full(folder)) => DISK_FULL.to_owned(),
                ProcessEnd::Exited(1) if has_notes() => "an input was refused".to_owned(),
                _ => failure(&end, limits),
            };
            JobState::Failed { reason }
        }
        Err(error) => {
            tracing::error!(%error, "a job cannot be run");
            let reason = match error.kind() {
                std::io::ErrorKind::StorageFull => DISK_FULL.to_owned(),
                _ => format!("the job cannot be run: {error}"),
            };
            JobState::Failed { reason }
        }
    }
}

/// The reason of a failure on a full disk.
const DISK_FULL: &str = "the disk is full: the answers could not be written";

/// Returns true if a file in the folder cannot be written because the disk is full.
fn is_disk_full(folder: &Path) -> bool {
    let probe = folder.join(".probe");
    // Even a full disk has room for the entry of an empty file.
    let written = std::fs::write(&probe, [b'x'; 1 << 14]);
    let _ = std::fs::remove_file(&probe);
    matches!(written, Err(error) if matches!(
        error.kind(),
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded
    ))
}

/// Returns the options that limit a command.
pub(in super::super) fn limit_options(limits: ProcessLimits, threads: usize) -> Vec<String> {
    let ProcessLimits { time, memory } = limits;
    let megabytes = (memory >> 20).max(1);
    vec![
        "--timeout".into(),
        format!("{}ms", time.as_millis().max(1)),
        "--memory".into(),
        format!("{megabytes}M"),
        "--threads".into(),
        threads.to_string(),
    ]
}

/// Describes the end of a command that has neither succeeded nor been cancelled.
pub(in super::super) fn failure(end: &ProcessEnd, limits: ProcessLimits) -> String {
    let seconds = Duration::as_secs_f64(&limits.time);
    match end {
        ProcessEnd::Exited(1) => {
            "an input was refused, or an output could not be written".to_owned()
        }
        ProcessEnd::Exited(2) => "the question was refused".to_owned(),
        ProcessEnd::Exited(4) => "an internal error: please report it".to_owned(),
        ProcessEnd::Exited(code) => format!("the command ended with the exit code {code}"),
        // Signals of the limits on memory and on the size of files.
        ProcessEnd::Killed(signal @ (6 | 9 | 11 | 25)) => format!(
            "the command was ended by the signal {signal}, probably at its memory limit of {} MB",
            limits.memory >> 20
        ),
        ProcessEnd::Killed(signal) => format!("the command was ended by the signal {signal}"),
        ProcessEnd::TimedOut => format!("the command did not end after its {seconds} s"),
        ProcessEnd::Cancelled => "cancelled".to_owned(),
    }
}
