//! Reads the formulas that a user is writing, and finds their errors. No question is asked.

use super::handlers::{busy, net_or_404};
use super::http::{self, HttpError, ServerResponse};
use super::jobs::{self, JobRequest};
use super::process::{self, ProcessLimits};
use super::server::Server;
use hyper::StatusCode;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The time in which `parikh` answers the formulas after it has read them: none.
const ANSWER_TIME: Duration = Duration::ZERO;

/// The largest number of bytes of the messages that are returned.
const MOST_MESSAGES: usize = 64 << 10;

/// Reads the formulas of a request. Returns the messages about them in `notes`, as `parikh check`
/// prints them: each error with the formula, and a caret under the position in the next line.
pub(super) async fn read(
    server: &Arc<Server>,
    id: &str,
    request: &[u8],
) -> Result<ServerResponse, HttpError> {
    let net = net_or_404(server, id)?;
    let request = JobRequest::parse(request)
        .map_err(|problem| HttpError::new(StatusCode::UNPROCESSABLE_ENTITY, problem.to_string()))?;
    let slot = server.uploads.enter().map_err(busy)?;
    let Some(_worker) = slot.start().await else {
        return Err(HttpError::new(StatusCode::SERVICE_UNAVAILABLE, "the server ends"));
    };
    let files = OutputFiles::new(&net.folder);
    let limits = ProcessLimits { time: ANSWER_TIME, memory: server.config.limits.memory };
    let mut arguments = vec!["check".to_owned(), net.meta.file.clone()];
    arguments.extend(request.formula_options());
    arguments.extend(jobs::limit_options(limits, 1));
    process::run(
        &server.config.program,
        &arguments,
        &net.folder,
        [&files.0[0], &files.0[1]],
        limits,
        &mut || {},
        server.ending(),
    )
    .await?;
    let mut notes = std::fs::read(&files.0[1]).unwrap_or_default();
    notes.truncate(MOST_MESSAGES);
    let notes = String::from_utf8_lossy(&notes);
    Ok(http::json(StatusCode::OK, &json!({ "notes": notes })))
}

/// The files of the output of one command, which are removed when it is dropped.
struct OutputFiles([PathBuf; 2]);

impl OutputFiles {
    /// Returns names that no other command uses. The directory has one server at a time.
    fn new(folder: &std::path::Path) -> OutputFiles {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        OutputFiles(["out", "notes"].map(|end| folder.join(format!("formulas-{number}.{end}"))))
    }
}

impl Drop for OutputFiles {
    fn drop(&mut self) {
        for file in &self.0 {
            // A file that was not made need not be removed.
            let _ = std::fs::remove_file(file);
        }
    }
}
