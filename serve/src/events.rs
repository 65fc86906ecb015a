//! The stream from which a page learns of its jobs: one JSON object per line.
//!
//! ```text
//! {"job": {…}}                  a job, whenever its state changes
//! {"of": 3, "answer": {…}}      a line of the answers of job 3, as `parikh check --format json`
//! {"of": 3, "note": "…"}        a line of its standard error
//! {"current": true}             all that was known at the beginning has been sent
//! (an empty line)               nothing new, but the server is there
//! ```
//!
//! The stream begins with everything that is known, so a page that is loaded again misses nothing.

use super::jobs::{Job, JobState};
use super::net::{Net, OpenPage};
use hyper::body::Bytes;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

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

/// Sends the events of a net until the page is closed or `ending` becomes ready.
pub(super) async fn send(
    net: Arc<Net>,
    page: OpenPage,
    lines: mpsc::Sender<Bytes>,
    ending: impl Future<Output = ()>,
) {
    let mut ending = std::pin::pin!(ending);
    let mut changes = net.changes();
    let mut sent: HashMap<u64, SentJob> = HashMap::new();
    let mut is_current = false;
    loop {
        changes.mark_unchanged();
        let mut is_complete = true;
        for job in net.jobs() {
            let known = sent.entry(job.number).or_default();
            // The state is read before the files: after the end of a job, they are complete.
            let state = job.state();
            let state_is_final = state.is_final();
            // A page has to know a job before its answers.
            let is_new = known.state.is_none();
            if (is_new || known.state.as_ref() != Some(&state) && !state.is_final())
                && send_state(&net, &job, known, state.clone(), &lines).await.is_err()
            {
                return;
            }
            match news(&job, known, state_is_final) {
                Ok((text, is_all)) => {
                    is_complete &= is_all;
                    if !text.is_empty() && lines.send(text.into()).await.is_err() {
                        return;
                    }
                    // The end of a job comes after its answers, so it is sent again.
                    if is_all
                        && state_is_final
                        && !known.has_ended
                        && send_state(&net, &job, known, state, &lines).await.is_err()
                    {
                        return;
                    }
                    known.has_ended |= is_all && state_is_final;
                }
                Err(error) => tracing::warn!(%error, "the answers of a job cannot be read"),
            }
        }
        if !is_complete {
            continue;
        }
        if !is_current {
            is_current = true;
            if lines.send(Bytes::from_static(b"{\"current\":true}\n")).await.is_err() {
                return;
            }
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

/// Sends the state of a job. Fails if the page is closed.
async fn send_state(
    net: &Net,
    job: &Job,
    known: &mut SentJob,
    state: JobState,
    lines: &mpsc::Sender<Bytes>,
) -> Result<(), mpsc::error::SendError<Bytes>> {
    known.state = Some(state);
    let event = serde_json::json!({ "job": job.in_json(&net.meta.name, &net.meta.file) });
    lines.send(format!("{event}\n").into()).await
}

/// Returns the new lines of a job as events, and true if these are all lines that there are now.
/// `is_final` is true if the job has ended; then an incomplete last line counts, too.
fn news(job: &Job, known: &mut SentJob, is_final: bool) -> io::Result<(String, bool)> {
    let mut text = String::new();
    let [answers, notes] = &mut known.positions;
    let number = job.number;
    let mut is_all = new_lines(&job.answers_file(), answers, false, &mut |line| {
        // Each line of the program is one JSON object.
        if line.starts_with('{') && line.ends_with('}') {
            text += &format!("{{\"of\":{number},\"answer\":{line}}}\n");
        }
    })?;
    is_all &= new_lines(&job.notes_file(), notes, is_final, &mut |line| {
        text += &format!("{}\n", serde_json::json!({ "of": number, "note": line }));
    })?;
    Ok((text, is_all))
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
