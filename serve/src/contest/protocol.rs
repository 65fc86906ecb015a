//! The requests of MCC-server: lists of tools and examinations, and questions about a model.

use super::properties::{self, Logic};
use crate::http::{self, HttpError, ResponseBody, ServerResponse};
use crate::jobs::{failure, limit_options};
use crate::multipart;
use crate::process::{self, ProcessEnd, ProcessLimits};
use crate::queue::QueueSlot;
use crate::server::Server;
use crate::store::NewFolder;
use hyper::StatusCode;
use hyper::body::Bytes;
use serde_json::json;
use std::collections::HashSet;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// The names of the tool. PetriVizu appends `xred` if reductions are to be applied first, which
/// Parikh does anyway.
const TOOLS: [&str; 2] = ["parikh", "parikhxred"];

/// The examinations without a query file.
const GLOBAL: [&str; 6] =
    ["ReachabilityDeadlock", "OneSafe", "QuasiLiveness", "Liveness", "StableMarking", "StateSpace"];

/// The examinations with properties, each with the logic of the properties that it asks.
const WITH_PROPERTIES: [(&str, Logic); 7] = [
    ("UpperBounds", Logic::Bounds),
    ("ReachabilityCardinality", Logic::Reachability),
    ("ReachabilityFireability", Logic::Reachability),
    ("CTLCardinality", Logic::Ctl),
    ("CTLFireability", Logic::Ctl),
    ("LTLCardinality", Logic::Ltl),
    ("LTLFireability", Logic::Ltl),
];

/// The largest file of properties in bytes.
const MOST_LOGIC: usize = 1 << 20;

/// Returns the examinations of a tool, as `GET /tools/TOOL/examinations` does.
fn examinations() -> serde_json::Value {
    let with_properties = WITH_PROPERTIES.iter().map(|(name, _)| *name);
    let all: Vec<&str> = GLOBAL.into_iter().chain(with_properties).collect();
    json!({ "PTexaminations": all, "COLexaminations": all })
}

/// Returns the tools with their examinations.
pub(crate) fn descriptions() -> ServerResponse {
    let mut tools = Vec::new();
    // The second name is offered by the page of PetriVizu itself.
    for tool in &TOOLS[..1] {
        let mut description = examinations();
        description["tool"] = json!(tool);
        tools.push(description);
    }
    http::json(StatusCode::OK, &json!({ "tools_info": tools }))
}

/// Returns the names of the tools.
pub(crate) fn tools() -> ServerResponse {
    http::json(StatusCode::OK, &json!({ "tools": [TOOLS[0]] }))
}

/// Returns the examinations of a tool.
pub(crate) fn examinations_of(tool: &str) -> Result<ServerResponse, HttpError> {
    known_tool(tool)?;
    Ok(http::json(StatusCode::OK, &examinations()))
}

fn known_tool(tool: &str) -> Result<(), HttpError> {
    match TOOLS.contains(&tool) {
        true => Ok(()),
        false => Err(HttpError::not_found("this tool: expected `parikh`, and the tool")),
    }
}

/// Asks an examination about a model, and streams the lines of the answer. The form is the `body`.
pub(crate) fn ask(
    server: &Arc<Server>,
    [kind, examination, tool]: &[String; 3],
    content_type: &str,
    body: &[u8],
    slot: QueueSlot,
) -> Result<ServerResponse, HttpError> {
    known_tool(tool)?;
    if !matches!(kind.as_str(), "PT" | "COL") {
        return Err(HttpError::not_found("this kind of net: expected PT or COL, and the kind"));
    }
    let fields = multipart::fields(content_type, body)
        .map_err(|error| HttpError::bad_request(error.to_string()))?;
    let field =
        |name: &str| fields.iter().find(|field| field.name == name).map(|field| field.content);
    let model = field("model.pnml")
        .ok_or_else(|| HttpError::bad_request("the form has no file model.pnml"))?;
    let time = time(field("timeout"), server.config.limits.time)?;
    let questions = questions(examination, field("model.logic"))?;
    let folder = server.store.new_folder()?;
    std::fs::write(folder.path.join("model.pnml"), model)?;
    let limits = ProcessLimits { time, memory: server.config.limits.memory };
    let mut arguments = vec!["check".to_owned(), "model.pnml".to_owned()];
    arguments.extend(questions);
    arguments.extend(["--format".to_owned(), "mcc".to_owned()]);
    arguments.extend(limit_options(limits, server.config.limits.threads));
    let (lines, received) = mpsc::channel(16);
    let run = ContestRun { server: server.clone(), folder, slot, limits, lines };
    tokio::spawn(run.run(arguments));
    let kind = "text/event-stream; charset=utf-8";
    Ok(http::response(StatusCode::OK, kind, ResponseBody::Pieces(received)))
}

/// Returns the time limit of a form, at most the limit of the server.
fn time(field: Option<&[u8]>, most: Duration) -> Result<Duration, HttpError> {
    let Some(text) = field else { return Ok(most.min(Duration::from_secs(100))) };
    let seconds = std::str::from_utf8(text).ok().and_then(|text| text.trim().parse::<f64>().ok());
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| !time.is_zero())
        .map(|time| time.min(most))
        .ok_or_else(|| HttpError::bad_request("expected a timeout in seconds, above 0"))
}

/// Returns the options that ask the questions of an examination.
fn questions(examination: &str, logic: Option<&[u8]>) -> Result<Vec<String>, HttpError> {
    if GLOBAL.contains(&examination) {
        return Ok(vec![format!("--examination={examination}")]);
    }
    let known = WITH_PROPERTIES.iter().find(|(name, _)| *name == examination);
    let &(_, wanted) = known.ok_or_else(|| HttpError::not_found("this examination"))?;
    let text = logic.ok_or_else(|| {
        HttpError::bad_request(format!("{examination} needs properties in the file model.logic"))
    })?;
    if text.len() > MOST_LOGIC {
        return Err(HttpError::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("model.logic is larger than {MOST_LOGIC} bytes"),
        ));
    }
    let text = std::str::from_utf8(text)
        .map_err(|error| HttpError::bad_request(format!("model.logic is no UTF-8: {error}")))?;
    let all = properties::parse(text).map_err(|error| HttpError::bad_request(error.to_string()))?;
    let of_logic = all.iter().filter(|property| property.logic == wanted);
    let mut names = HashSet::new();
    let mut options = Vec::new();
    for property in of_logic {
        // A name is one word in the lines of the contest.
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let name: String =
            property.name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
        options.push(format!("--formula={name}: {}", property.formula));
        if let Some(name) = names.replace(name) {
            return Err(HttpError::bad_request(format!(
                "two properties have the name {name}, with `_` for characters other than letters, \
                 digits, `-` and `_`: rename one"
            )));
        }
    }
    match options.is_empty() {
        true => Err(HttpError::bad_request(format!(
            "model.logic has no property for {examination}: expected the logic {}",
            match wanted {
                Logic::Reachability => "[reach]",
                Logic::Bounds => "[bounds]",
                Logic::Ctl => "[ctl]",
                Logic::Ltl => "[ltl]",
            }
        ))),
        false => Ok(options),
    }
}

/// The run of one request. Its folder is removed at the end.
struct ContestRun {
    server: Arc<Server>,
    folder: NewFolder,
    slot: QueueSlot,
    limits: ProcessLimits,
    lines: mpsc::Sender<Bytes>,
}

impl ContestRun {
    /// Waits for a worker, runs the command, and sends its lines. Ends early if the client leaves.
    async fn run(self, arguments: Vec<String>) {
        let worker = tokio::select! {
            biased;
            () = self.lines.closed() => None,
            worker = self.slot.start() => worker,
        };
        if worker.is_none() {
            return;
        }
        let output = self.folder.path.join("output.txt");
        let notes = self.folder.path.join("notes.txt");
        let (grown, mut growth) = mpsc::unbounded_channel();
        let command = async {
            let end = process::run(
                &self.server.config.program,
                &arguments,
                &self.folder.path,
                [&output, &notes],
                self.limits,
                // An error means that the reader has ended, because the client left.
                &mut || {
                    let _ = grown.send(());
                },
                async {
                    tokio::select! {
                        () = self.lines.closed() => {}
                        () = self.server.ending() => {}
                    }
                },
            )
            .await;
            drop(grown);
            end
        };
        let reader = async {
            let mut position = 0;
            while growth.recv().await.is_some() {
                self.send_lines(&output, &mut position, false).await;
            }
            position
        };
        // The sender of `grown` lives in `command`, so the reader ends after the command.
        let (end, mut position) = tokio::join!(command, reader);
        self.send_lines(&output, &mut position, true).await;
        let end_line = match &end {
            Ok(ProcessEnd::Exited(code)) => {
                self.send_lines(&notes, &mut 0, true).await;
                if position == 0 && matches!(code, 1 | 3) {
                    self.send("CANNOT_COMPUTE").await;
                }
                format!("Process finished with exit code {code}")
            }
            Ok(end) => format!("Process ended: {}", failure(end, self.limits)),
            Err(error) => format!("Process cannot be run: {error}"),
        };
        self.send(&end_line).await;
    }

    /// Sends the lines of a file from a position on. The last line is sent without a line end only
    /// if the file is complete.
    async fn send_lines(&self, file: &Path, position: &mut u64, is_complete: bool) {
        let mut text = Vec::new();
        let read = std::fs::File::open(file).and_then(|mut file| {
            file.seek(SeekFrom::Start(*position))?;
            file.read_to_end(&mut text)
        });
        if read.is_err() {
            return;
        }
        let end = match is_complete {
            true => text.len(),
            false => text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1),
        };
        *position += end as u64;
        for line in String::from_utf8_lossy(&text[..end]).lines() {
            self.send(line).await;
        }
    }

    /// Sends one line as a server-sent event.
    async fn send(&self, line: &str) {
        // An error means that the client has left. The command ends by itself then.
        let _ = self.lines.send(Bytes::from(format!("data:{line}\n\n"))).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examinations_become_options() {
        let options = |name: &str, logic: Option<&str>| {
            questions(name, logic.map(str::as_bytes)).map_err(|error| error.message)
        };
        assert_eq!(options("OneSafe", None), Ok(vec!["--examination=OneSafe".to_owned()]));
        let logic = "property \"a b\" [bounds] : p; property c [reach] : EF p >= 1;";
        let expected = vec!["--formula=a_b: bound(id \"p\")".to_owned()];
        assert_eq!(options("UpperBounds", Some(logic)), Ok(expected));
        assert!(options("CTLCardinality", Some(logic)).unwrap_err().contains("[ctl]"));
        assert!(options("UpperBounds", None).unwrap_err().contains("model.logic"));
        assert!(options("--help", None).is_err());
    }

    #[test]
    fn timeouts_are_limited() {
        let most = Duration::from_secs(60);
        assert_eq!(time(None, most).unwrap(), most);
        assert_eq!(time(Some(b"5"), most).unwrap(), Duration::from_secs(5));
        assert_eq!(time(Some(b"1e9"), most).unwrap(), most);
        for wrong in ["", "x", "-1", "0", "NaN", "inf"] {
            assert!(time(Some(wrong.as_bytes()), most).is_err(), "{wrong}");
        }
    }
}
