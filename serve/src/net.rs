//! A net of the directory, with its jobs and the pages that show it.

use super::files::is_invisible;
use super::jobs::Job;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// A net of the directory.
pub(super) struct Net {
    pub(super) id: String,
    pub(super) folder: PathBuf,
    pub(super) meta: NetMeta,
    jobs: Mutex<Vec<Arc<Job>>>,
    /// The number of open pages that show the net.
    watchers: AtomicUsize,
    /// Counts changes of the jobs, so that pages learn of them.
    changes: watch::Sender<u64>,
    next_number: AtomicU64,
    is_removed: AtomicBool,
}

/// The description of an upload.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct NetMeta {
    /// The name that the user gave, for display only.
    pub(super) name: String,
    /// The name of the stored file in the folder of the net.
    pub(super) file: String,
    /// The size of the upload in bytes.
    pub(super) bytes: usize,
    /// The time of the upload in seconds since 1970.
    pub(super) created: f64,
}

/// The time between the moment when the last page closes and the end of its jobs. A page that is
/// loaded again opens its stream within this time.
const RELOAD_TIME: Duration = Duration::from_secs(4);

impl Net {
    pub(super) fn new(id: String, folder: PathBuf, meta: NetMeta, jobs: Vec<Arc<Job>>) -> Self {
        let next = jobs.iter().map(|job| job.number + 1).max().unwrap_or(1);
        Net {
            id,
            folder,
            meta,
            jobs: Mutex::new(jobs),
            watchers: AtomicUsize::new(0),
            changes: watch::channel(0).0,
            next_number: AtomicU64::new(next),
            is_removed: AtomicBool::new(false),
        }
    }

    fn locked_jobs(&self) -> MutexGuard<'_, Vec<Arc<Job>>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the jobs in the order in which they were requested.
    pub(super) fn jobs(&self) -> Vec<Arc<Job>> {
        self.locked_jobs().clone()
    }

    /// Returns the job with a number.
    pub(super) fn job(&self, number: u64) -> Option<Arc<Job>> {
        self.locked_jobs().iter().find(|job| job.number == number).cloned()
    }

    /// Returns a number that no job of this net has or had.
    pub(super) fn new_number(&self) -> u64 {
        self.next_number.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn add(&self, job: Arc<Job>) {
        self.locked_jobs().push(job);
        self.touch();
    }

    /// Tells the open pages that a job changed.
    pub(super) fn touch(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Cancels all jobs of the net that have not ended.
    pub(super) fn cancel_all(&self) {
        self.jobs().iter().for_each(|job| job.cancel());
    }

    /// Cancels all jobs and ends the streams of events, because the net was removed.
    pub(super) fn end(&self) {
        self.is_removed.store(true, Ordering::SeqCst);
        self.cancel_all();
        self.touch();
    }

    pub(super) fn is_removed(&self) -> bool {
        self.is_removed.load(Ordering::SeqCst)
    }

    /// Registers an open page. The page is closed when the result is dropped.
    pub(super) fn watch(self: &Arc<Self>) -> PageGuard {
        self.watchers.fetch_add(1, Ordering::SeqCst);
        PageGuard(self.clone())
    }

    /// Returns the number of jobs that wait or run.
    pub(super) fn unfinished(&self) -> usize {
        self.jobs().iter().filter(|job| !job.state().is_final()).count()
    }

    /// The file of the drawing's data.
    pub(super) fn page_file(&self) -> PathBuf {
        self.folder.join("page.json")
    }

    /// The uploaded file.
    pub(super) fn model_file(&self) -> PathBuf {
        self.folder.join(&self.meta.file)
    }
}

/// An open page that shows a net.
pub(super) struct PageGuard(Arc<Net>);

impl Drop for PageGuard {
    fn drop(&mut self) {
        if self.0.watchers.fetch_sub(1, Ordering::SeqCst) > 1 {
            return;
        }
        // While the server ends, there is no runtime, and all jobs are cancelled anyway.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let net = self.0.clone();
        runtime.spawn(async move {
            tokio::time::sleep(RELOAD_TIME).await;
            if net.watchers.load(Ordering::SeqCst) == 0 {
                net.jobs().iter().filter(|job| job.ends_with_page()).for_each(|job| job.cancel());
            }
        });
    }
}

/// Returns a name for display: without control characters and directories, and at most 100
/// characters long.
pub(super) fn display_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let shown: String = last.chars().filter(|&c| !is_invisible(c)).take(100).collect();
    match shown.trim() {
        "" | "." | ".." => "net".to_owned(),
        trimmed => trimmed.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_without_directories_and_controls() {
        assert_eq!(display_name("../../etc/passwd"), "passwd");
        assert_eq!(display_name("C:\\nets\\a.pnml"), "a.pnml");
        assert_eq!(display_name("a\u{202e}\n.pnml"), "a.pnml");
        assert_eq!(display_name(".."), "net");
        assert_eq!(display_name(&"x".repeat(500)).len(), 100);
    }
}
