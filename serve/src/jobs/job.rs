//! A job with its folder and its state.

use super::request::{self, JobRequest};
use crate::files;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// A job about a net.
pub(crate) struct Job {
    /// The number, unique among the jobs of the net.
    pub(crate) number: u64,
    pub(crate) folder: PathBuf,
    pub(crate) request: JobRequest,
    state: Mutex<JobState>,
    cancelled: watch::Sender<bool>,
}

/// The state of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub(crate) enum JobState {
    Waiting,
    Running {
        /// The time of the start in seconds since 1970.
        since: f64,
    },
    /// The command answered all questions.
    Done {
        seconds: f64,
    },
    /// The command ended at its limits, with open questions.
    Incomplete {
        seconds: f64,
    },
    /// The command failed. The notes of the job tell why.
    Failed {
        reason: String,
    },
    /// The job was cancelled by its user, or because the page was closed.
    Cancelled,
    /// The server ended while the job waited or ran.
    Interrupted,
}

impl JobState {
    /// Returns true if the job has ended.
    pub(crate) fn is_final(&self) -> bool {
        !matches!(self, JobState::Waiting | JobState::Running { .. })
    }
}

impl Job {
    /// Makes the folder of a new job.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(crate) fn create(net_folder: &Path, number: u64, request: JobRequest) -> io::Result<Job> {
        let folder = net_folder.join("jobs").join(number.to_string());
        files::private_directory(&folder)?;
        files::write_json(&folder.join("request.json"), &request)?;
        if !request.properties.is_empty() {
            fs::write(folder.join(request::PROPERTY_FILE), &request.properties)?;
        }
        let job = Job::of(number, folder, request, JobState::Waiting);
        job.set_state(JobState::Waiting);
        Ok(job)
    }

    fn of(number: u64, folder: PathBuf, request: JobRequest, state: JobState) -> Self {
        let cancelled = watch::channel(false).0;
        Job { number, folder, request, state: Mutex::new(state), cancelled }
    }

    /// Reads the jobs in the folder of a net. Jobs that an earlier server did not finish are
    /// interrupted. They keep the answers that were found.
    pub(crate) fn read_all(net_folder: &Path) -> Vec<Arc<Job>> {
        let Ok(entries) = fs::read_dir(net_folder.join("jobs")) else { return Vec::new() };
        let read = |entry: io::Result<fs::DirEntry>| {
            let folder = entry.ok()?.path();
            let number = folder.file_name()?.to_str()?.parse().ok()?;
            let request = files::read_json(&folder.join("request.json"))?;
            let state = files::read_json(&folder.join("status.json"));
            let state = state.filter(JobState::is_final).unwrap_or(JobState::Interrupted);
            let job = Job::of(number, folder, request, state.clone());
            job.set_state(state);
            Some(Arc::new(job))
        };
        let mut jobs: Vec<Arc<Job>> = entries.filter_map(read).collect();
        jobs.sort_by_key(|job| job.number);
        jobs
    }

    pub(crate) fn state(&self) -> JobState {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_state(&self, state: JobState) {
        // A net may be removed while its jobs end.
        if let Err(error) = files::write_json(&self.folder.join("status.json"), &state)
            && self.folder.exists()
        {
            tracing::error!(%error, job = %self.folder.display(), "a state cannot be written");
        }
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }

    /// Cancels the job. Has no effect on a job that has ended.
    pub(crate) fn cancel(&self) {
        self.cancelled.send_replace(true);
    }

    /// Waits until the job is cancelled.
    pub(super) async fn cancellation(&self) {
        let mut receiver = self.cancelled.subscribe();
        // The sender lives as long as the job.
        let _ = receiver.wait_for(|&cancelled| cancelled).await;
    }

    /// Returns true if the job is cancelled when the last page that shows its net is closed.
    pub(crate) fn ends_with_page(&self) -> bool {
        !self.request.keep
    }

    pub(crate) fn answers_file(&self) -> PathBuf {
        self.folder.join("answers.jsonl")
    }

    pub(crate) fn notes_file(&self) -> PathBuf {
        self.folder.join("notes.txt")
    }

    /// The file of a system's properties, which exists if the job asks them.
    pub(crate) fn property_file(&self) -> PathBuf {
        self.folder.join(request::PROPERTY_FILE)
    }

    /// Returns the job as the page gets it: the request, the state, the command line that repeats
    /// the run, and the files to download. `model` is the name of the stored upload.
    pub(crate) fn in_json(&self, net_name: &str, model: &str) -> serde_json::Value {
        let evidence = fs::read_dir(self.folder.join("evidence"));
        let has_evidence = evidence.is_ok_and(|mut files| files.next().is_some());
        serde_json::json!({
            "number": self.number,
            "request": self.request,
            "status": self.state(),
            "command": self.request.command_line(net_name),
            "audit": self.request.audit_line(model),
            "has_evidence": has_evidence,
            "has_report": self.folder.join("report.html").is_file(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restart_keeps_finished_jobs_and_marks_the_others() {
        let net = tempfile::tempdir().unwrap();
        let request = || JobRequest::parse(br#"{"examinations": ["OneSafe"]}"#).unwrap();
        let done = Job::create(net.path(), 1, request()).unwrap();
        done.set_state(JobState::Done { seconds: 0.5 });
        let running = Job::create(net.path(), 2, request()).unwrap();
        running.set_state(JobState::Running { since: 1.0 });
        let read = Job::read_all(net.path());
        let states: Vec<JobState> = read.iter().map(|job| job.state()).collect();
        assert_eq!(states, [JobState::Done { seconds: 0.5 }, JobState::Interrupted]);
        assert_eq!(read[0].request.examinations, ["OneSafe"]);
    }
}
