//! The requests of the page: nets, jobs, and files to download.

use super::archive;
use super::events;
use super::files;
use super::http::{self, HttpError, ResponseBody, ServerResponse};
use super::jobs::{self, EXAMINATIONS, Job, JobEnvironment, JobKind, JobRequest};
use super::net::{self, Net, NetMeta};
use super::process::{self, ProcessEnd, ProcessLimits};
use super::queue::QueueIsFull;
use super::server::Server;
use super::store;
use hyper::StatusCode;
use hyper::body::Incoming;
use serde_json::json;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// The time limit for reading and laying out an upload. The page shows the net afterwards.
const READING_TIME: Duration = Duration::from_secs(20);

/// The largest number of jobs of one net. Older ones have to be removed with the net.
const MOST_JOBS: usize = 500;

/// The largest file that is sent as a whole, in bytes.
const LARGEST_DOWNLOAD: u64 = 256 << 20;

pub(super) fn busy(error: QueueIsFull) -> HttpError {
    HttpError::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string())
}

/// Returns the limits of the server and the examinations.
pub(super) fn about(server: &Server) -> ServerResponse {
    let limits = &server.config.limits;
    let about = json!({
        "version": server.config.version,
        "examinations": EXAMINATIONS,
        "seconds": limits.time.as_secs_f64(),
        "upload": limits.upload,
        "memory": limits.memory,
        "parallel_jobs": limits.parallel_jobs,
    });
    http::json(StatusCode::OK, &about)
}

fn summary(net: &Net) -> serde_json::Value {
    let jobs = net.jobs();
    json!({
        "id": net.id,
        "name": net.meta.name,
        "file": net.meta.file,
        "bytes": net.meta.bytes,
        "created": net.meta.created,
        "jobs": jobs.len(),
        "unfinished": net.unfinished(),
    })
}

/// Lists the nets, the newest first.
pub(super) fn list(server: &Server) -> ServerResponse {
    let nets: Vec<_> = server.store.list().iter().map(|net| summary(net)).collect();
    http::json(StatusCode::OK, &json!({ "nets": nets }))
}

pub(super) fn net_or_404(server: &Server, id: &str) -> Result<Arc<Net>, HttpError> {
    server.store.net(id).ok_or_else(|| HttpError::not_found("this net"))
}

fn job_or_404(server: &Server, id: &str, number: &str) -> Result<(Arc<Net>, Arc<Job>), HttpError> {
    let net = net_or_404(server, id)?;
    let job = number.parse().ok().and_then(|number| net.job(number));
    Ok((net, job.ok_or_else(|| HttpError::not_found("this job"))?))
}

/// Stores an upload and reads it. The name in the query (`name=…`) is for display.
pub(super) async fn upload(
    server: &Arc<Server>,
    query: &str,
    body: Incoming,
) -> Result<ServerResponse, HttpError> {
    if server.store.is_full() {
        return Err(HttpError::new(
            StatusCode::INSUFFICIENT_STORAGE,
            format!("there are {} nets already: remove some", store::MOST_NETS),
        ));
    }
    let slot = server.uploads.enter().map_err(busy)?;
    let given = query.split('&').find_map(|pair| pair.strip_prefix("name="));
    let decoded = percent_decoded(given.unwrap_or_default());
    let name = net::display_name(&decoded);
    let file = files::stored_name(&decoded);
    let folder = server.store.new_folder()?;
    let mut stored = File::create(folder.path.join(&file))?;
    let limit = server.config.limits.upload;
    let bytes = http::read_pieces(body, limit, &mut |piece| stored.write_all(piece)).await?;
    if bytes == 0 {
        return Err(HttpError::bad_request("the upload is empty: expected a model"));
    }
    let meta = NetMeta { file, name, bytes, created: files::now() };
    let Some(_worker) = slot.start().await else {
        return Err(HttpError::new(StatusCode::SERVICE_UNAVAILABLE, "the server ends"));
    };
    let limits = ProcessLimits { time: READING_TIME, memory: server.config.limits.memory };
    let mut arguments: Vec<String> =
        ["report", &meta.file, "--page-data", "-o", "page.json"].map(str::to_owned).into();
    arguments.extend(jobs::limit_options(limits, 1));
    let notes = folder.path.join("reading.txt");
    let output = folder.path.join("output.txt");
    let end = process::run(
        &server.config.program,
        &arguments,
        &folder.path,
        [&output, &notes],
        limits,
        &mut || {},
        server.ending(),
    )
    .await?;
    let has_page = folder.path.join("page.json").is_file();
    if !has_page || !matches!(end, ProcessEnd::Exited(0 | 3)) {
        let why = match reason(&notes, &meta) {
            message if message.is_empty() || !matches!(end, ProcessEnd::Exited(_)) => {
                jobs::failure(&end, limits)
            }
            message => message,
        };
        return Err(HttpError::new(StatusCode::UNPROCESSABLE_ENTITY, why));
    }
    let net = server.store.add(folder, meta)?;
    Ok(http::json(StatusCode::CREATED, &summary(&net)))
}

/// Returns the last lines of the notes of a command, with the name of the upload in place of the
/// stored file's.
fn reason(notes: &Path, meta: &NetMeta) -> String {
    let text = std::fs::read(notes).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    let last = &lines[lines.len().saturating_sub(12)..];
    let shown: String = last.join("\n").chars().take(2000).collect();
    shown.replace("parikh: ", "").replace(&meta.file, &meta.name)
}

/// Decodes `%20` and the like.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let code = (*first == b'%')
            .then(|| after.get(..2))
            .flatten()
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns a net with the data of its drawing.
pub(super) fn show(server: &Server, id: &str) -> Result<ServerResponse, HttpError> {
    let net = net_or_404(server, id)?;
    let page = std::fs::read(net.page_file())?;
    // The data may have many megabytes, so it is passed on as it was written.
    let begin = format!("{{\"net\":{},\"page\":", summary(&net));
    Ok(http::text("application/json", [begin.as_bytes(), &page, b"}"].concat()))
}

/// Removes a net with its answers, and cancels its jobs.
pub(super) fn remove(server: &Server, id: &str) -> Result<ServerResponse, HttpError> {
    net_or_404(server, id)?;
    server.store.remove(id);
    Ok(http::json(StatusCode::OK, &json!({ "removed": id })))
}

/// Returns the uploaded file, unchanged.
pub(super) fn model(server: &Server, id: &str) -> Result<ServerResponse, HttpError> {
    let net = net_or_404(server, id)?;
    let bytes = std::fs::read(net.model_file())?;
    Ok(http::download("application/octet-stream", &net.meta.file, bytes))
}

/// Returns the id of a page that polls (`page=…`), if the query has one.
fn page_id(query: Option<&str>) -> Result<Option<&str>, HttpError> {
    match query.and_then(|query| query.split('&').find_map(|pair| pair.strip_prefix("page="))) {
        Some(page) if !files::is_id(page) => {
            Err(HttpError::bad_request("expected a page with 16 hexadecimal digits"))
        }
        page => Ok(page),
    }
}

/// Forgets a page that polled for events.
pub(super) fn close_page(
    server: &Server,
    id: &str,
    query: Option<&str>,
) -> Result<ServerResponse, HttpError> {
    let page = page_id(query)?.ok_or_else(|| HttpError::bad_request("expected page=ID"))?;
    net_or_404(server, id)?;
    server.pages.close(&[id.to_owned(), page.to_owned()]);
    Ok(http::json(StatusCode::OK, &json!({ "closed": page })))
}

/// Opens the stream of events of a net. If the query has the id of a page (`page=…`), returns the
/// events since the last request with this id.
pub(super) fn events(
    server: &Arc<Server>,
    id: &str,
    query: Option<&str>,
) -> Result<ServerResponse, HttpError> {
    let net = net_or_404(server, id)?;
    let kind = "application/x-ndjson; charset=utf-8";
    if let Some(page) = page_id(query)? {
        return Ok(http::text(kind, server.pages.poll(&net, page)));
    }
    let page = net.watch();
    let (lines, received) = mpsc::channel(8);
    let server = server.clone();
    tokio::spawn(async move { events::send(net, page, lines, server.ending()).await });
    Ok(http::response(StatusCode::OK, kind, ResponseBody::Pieces(received)))
}

/// Starts a job.
pub(super) fn ask(
    server: &Arc<Server>,
    id: &str,
    request: &[u8],
) -> Result<ServerResponse, HttpError> {
    let net = net_or_404(server, id)?;
    let refuse = |problem: jobs::RequestProblem| {
        HttpError::new(StatusCode::UNPROCESSABLE_ENTITY, problem.to_string())
    };
    let request = JobRequest::parse(request).map_err(refuse)?;
    let time = request.time(server.config.limits.time).map_err(refuse)?;
    if net.jobs().len() >= MOST_JOBS {
        return Err(HttpError::new(
            StatusCode::INSUFFICIENT_STORAGE,
            format!("this net has {MOST_JOBS} jobs already: upload it again"),
        ));
    }
    let slot = server.jobs.enter().map_err(busy)?;
    let job = Arc::new(Job::create(&net.folder, net.new_number(), request)?);
    net.add(job.clone());
    let answer = json!({ "job": job.in_json(&net.meta.name, &net.meta.file) });
    let limits = ProcessLimits { time, memory: server.config.limits.memory };
    let server = server.clone();
    tokio::spawn(async move {
        let environment = JobEnvironment {
            program: &server.config.program,
            net_folder: &net.folder,
            model: &net.meta.file,
            limits,
            threads: server.config.limits.threads,
            on_change: &|| net.touch(),
        };
        jobs::run(&job, slot, &environment).await;
    });
    Ok(http::json(StatusCode::ACCEPTED, &answer))
}

/// Cancels a job. A job that has ended stays as it is.
pub(super) fn cancel(server: &Server, id: &str, number: &str) -> Result<ServerResponse, HttpError> {
    let (net, job) = job_or_404(server, id, number)?;
    job.cancel();
    Ok(http::json(
        StatusCode::ACCEPTED,
        &json!({ "job": job.in_json(&net.meta.name, &net.meta.file) }),
    ))
}

/// Returns the state of a job.
pub(super) fn job(server: &Server, id: &str, number: &str) -> Result<ServerResponse, HttpError> {
    let (net, job) = job_or_404(server, id, number)?;
    Ok(http::json(StatusCode::OK, &json!({ "job": job.in_json(&net.meta.name, &net.meta.file) })))
}

/// Returns a file of a job.
pub(super) fn job_file(
    server: &Server,
    id: &str,
    number: &str,
    file: &str,
) -> Result<ServerResponse, HttpError> {
    let (net, job) = job_or_404(server, id, number)?;
    let missing = || match job.request.kind {
        JobKind::Check => HttpError::not_found("this file of the job"),
        JobKind::Report => HttpError::not_found("the report of the job"),
    };
    let path = match file {
        "answers.jsonl" => job.answers_file(),
        "notes.txt" => job.notes_file(),
        "report.html" => job.folder.join("report.html"),
        "evidence.tar.gz" => {
            let directory = job.folder.join("evidence");
            if !directory.is_dir() {
                return Err(missing());
            }
            let bytes = archive::archive(&directory, &[&net.model_file(), &job.property_file()])?;
            return Ok(http::download("application/gzip", file, bytes));
        }
        _ => return Err(missing()),
    };
    let size = std::fs::metadata(&path).map_err(|_| missing())?.len();
    if size > LARGEST_DOWNLOAD {
        return Err(HttpError::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the file has {size} bytes: take it from {}", path.display()),
        ));
    }
    let kind = match file {
        "answers.jsonl" => "application/x-ndjson",
        "report.html" => "text/html; charset=utf-8",
        _ => "text/plain; charset=utf-8",
    };
    Ok(http::download(kind, file, std::fs::read(&path)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_queries_are_decoded() {
        assert_eq!(percent_decoded("a%20b%2Fc"), "a b/c");
        assert_eq!(percent_decoded("%C3%A9%"), "é%");
        assert_eq!(percent_decoded("%zz%f"), "%zz%f");
    }
}
