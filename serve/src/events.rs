//! The stream from which a page learns of its jobs: one JSON object per line.
//!
//! ```text
//! {"job": {…}}                  a job, whenever its state changes
//! {"of": 3, "answer": {…}}      a line of the answers of job 3, as `parikh check --format json`
//! {"of": 3, "note": "…"}        a line of its standard error
//! {"begin": true}               the page is new: everything that is known follows
//! {"current": true}             all that was known at the beginning has been sent
//! (an empty line)               nothing new, but the server is there
//! ```
//!
//! The stream begins with everything that is known, so a page that is loaded again misses nothing.
//!
//! The page in the browser does not hold a stream open, because browsers open at most six
//! connections to a server for all its pages. It polls instead: each request takes the events since
//! the one before ([`PollingPages`]).

use super::jobs::{Job, JobState};
use super::net::{Net, PageGuard};
use hyper::body::Bytes;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// The time after which an empty line is sent. A page that has gone is noticed at the latest then.
const HEARTBEAT: Duration = Duration::from_secs(3);

/// The number of bytes of a file that are read at once.
const PIECE: u64 = 1 << 20;

/// The part of a job that a page has got so far.
#[derive(Default)]
struct SentJob {
    state: Option<JobState>,
    /// True if all answers and the end of the job were sent.
    has_ended: bool,
    /// The numbers of bytes that were sent of the answers and of the notes.
    positions: [u64; 2],
}

/// The events that a page has got so far.
#[derive(Default)]
pub(super) struct SentEvents {
    jobs: HashMap<u64, SentJob>,
    /// True if all that was known at the beginning has been sent.
    is_current: bool,
}

impl SentEvents {
    /// Returns the new events of a net, and true if there are no more for now.
    fn next(&mut self, net: &Net) -> (String, bool) {
        let mut text = String::new();
        let mut is_complete = true;
        for job in net.jobs() {
            let sent = self.jobs.entry(job.number).or_default();
            if sent.has_ended {
                continue;
            }
            match job_events(net, &job, sent, &mut text) {
                Ok(is_at_end) => is_complete &= is_at_end,
                Err(error) => tracing::warn!(%error, "the answers of a job cannot be read"),
            }
        }
        if is_complete && !self.is_current {
            self.is_current = true;
            text += "{\"current\":true}\n";
        }
        (text, is_complete)
    }
}

/// Appends the new events of a job. Returns true if there are no more for now.
fn job_events(net: &Net, job: &Job, sent: &mut SentJob, text: &mut String) -> io::Result<bool> {
    // The state is read before the files: after the end of a job, they are complete.
    let state = job.state();
    let write_state = |text: &mut String| {
        let event = serde_json::json!({ "job": job.in_json(&net.meta.name, &net.meta.file) });
        *text += &format!("{event}\n");
    };
    // A page has to know a job before its answers. The end of a job comes after its answers.
    if sent.state.is_none() || sent.state.as_ref() != Some(&state) && !state.is_final() {
        write_state(text);
        sent.state = Some(state.clone());
    }
    let (new_events, is_at_end) = new_events(job, sent, state.is_final())?;
    *text += &new_events;
    if is_at_end && state.is_final() {
        write_state(text);
        sent.state = Some(state);
        sent.has_ended = true;
    }
    Ok(is_at_end)
}

/// The time after which a page that does not poll counts as closed, for example because its browser
/// was killed.
const POLL_TIME: Duration = Duration::from_secs(6);

/// The open pages in browsers, each with the events that it has received.
#[derive(Default)]
pub(super) struct PollingPages {
    /// The pages by the id of their net and their own id.
    pages: Mutex<HashMap<[String; 2], PollingPage>>,
}

/// An open page in a browser, which asks for new events every moment.
struct PollingPage {
    sent: SentEvents,
    /// The time of the page's last request.
    last: Instant,
    _guard: PageGuard,
}

impl PollingPages {
    fn locked(&self) -> MutexGuard<'_, HashMap<[String; 2], PollingPage>> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the new events for a page, at most about 1 MiB per job. Registers the page if it is
    /// new. It counts as closed if it does not poll again within [`POLL_TIME`].
    pub(super) fn poll(self: &Arc<Self>, net: &Arc<Net>, page: &str) -> String {
        let key = [net.id.clone(), page.to_owned()];
        let mut pages = self.locked();
        let mut text = String::new();
        let known = pages.entry(key.clone()).or_insert_with(|| {
            text += "{\"begin\":true}\n";
            tokio::spawn(self.clone().close_when_silent(key));
            PollingPage { sent: SentEvents::default(), last: Instant::now(), _guard: net.watch() }
        });
        known.last = Instant::now();
        text += &known.sent.next(net).0;
        text
    }

    /// Forgets a page.
    pub(super) fn close(&self, key: &[String; 2]) {
        let closed = self.locked().remove(key);
        // The guard of the page is dropped after the lock.
        drop(closed);
    }

    /// Forgets a page when it does not poll any more.
    async fn close_when_silent(self: Arc<Self>, key: [String; 2]) {
        loop {
            let Some(last) = self.locked().get(&key).map(|page| page.last) else { return };
            let deadline = last + POLL_TIME;
            if deadline <= Instant::now() {
                self.close(&key);
                return;
            }
            tokio::time::sleep_until(deadline).await;
        }
    }
}

/// Sends the events of a net until the page is closed, the net is removed, or `ending` becomes
/// ready.
pub(super) async fn send(
    net: Arc<Net>,
    page: PageGuard,
    lines: mpsc::Sender<Bytes>,
    ending: impl Future<Output = ()>,
) {
    let mut ending = std::pin::pin!(ending);
    let mut changes = net.changes();
    let mut sent = SentEvents::default();
    loop {
        changes.mark_unchanged();
        let (text, is_complete) = sent.next(&net);
        if !text.is_empty() && lines.send(text.into()).await.is_err() {
            break;
        }
        if net.is_removed() {
            break;
        }
        if !is_complete {
            continue;
        }
        tokio::select! {
            changed = changes.changed() => {
                if changed.is_err() {
                    break;
                }
            }
            () = lines.closed() => break,
            () = &mut ending => break,
            () = tokio::time::sleep(HEARTBEAT) => {
                if lines.send(Bytes::from_static(b"\n")).await.is_err() {
                    break;
                }
            }
        }
    }
    drop(page);
}

/// Returns the new lines of a job as events, and true if these are all lines that there are now.
/// `is_final` is true if the job has ended; then an incomplete last line counts, too.
fn new_events(job: &Job, sent: &mut SentJob, is_final: bool) -> io::Result<(String, bool)> {
    let mut text = String::new();
    let [answers, notes] = &mut sent.positions;
    let number = job.number;
    let mut is_at_end = new_lines(&job.answers_file(), answers, false, &mut |line| {
        // Each line of the program is one JSON object.
        if line.starts_with('{') && line.ends_with('}') {
            text += &format!("{{\"of\":{number},\"answer\":{line}}}\n");
        }
    })?;
    is_at_end &= new_lines(&job.notes_file(), notes, is_final, &mut |line| {
        text += &format!("{}\n", serde_json::json!({ "of": number, "note": line }));
    })?;
    Ok((text, is_at_end))
}

/// Reads the complete lines of a file from a position on, and moves the position. Returns true if
/// the file has no more complete lines. A file that does not exist has no lines.
fn new_lines(
    path: &Path,
    position: &mut u64,
    takes_last: bool,
    on_line: &mut dyn FnMut(&str),
) -> io::Result<bool> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
    };
    file.seek(SeekFrom::Start(*position))?;
    let mut bytes = Vec::new();
    let mut is_at_end = false;
    let mut last_line_end = None;
    // A line may be longer than a piece.
    while last_line_end.is_none() && !is_at_end {
        let count = (&mut file).take(PIECE).read_to_end(&mut bytes)?;
        is_at_end = (count as u64) < PIECE;
        last_line_end = bytes.iter().rposition(|&byte| byte == b'\n');
    }
    let end = match last_line_end {
        _ if is_at_end && takes_last => bytes.len(),
        Some(at) => at + 1,
        None => 0,
    };
    *position += end as u64;
    String::from_utf8_lossy(&bytes[..end]).lines().for_each(on_line);
    Ok(is_at_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_once_and_only_whole() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let long = "x".repeat(3 << 20);
        std::fs::write(file.path(), format!("a\n{long}\nb\nhal")).unwrap();
        let (mut position, mut lines) = (0, Vec::new());
        let mut read = |position: &mut u64, last| {
            new_lines(file.path(), position, last, &mut |line| lines.push(line.to_owned())).unwrap()
        };
        while !read(&mut position, false) {}
        assert!(read(&mut position, false));
        assert!(read(&mut position, true));
        assert!(read(&mut position, true));
        assert_eq!(lines, ["a", &long, "b", "hal"]);
        let mut none = 0;
        assert!(new_lines(Path::new("/nowhere"), &mut none, true, &mut |_| panic!()).unwrap());
    }
}
