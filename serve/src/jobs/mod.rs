//! Jobs: questions about a net, answered by a command of the `parikh` program.
//!
//! The folder of a job has the files
//!
//! ```text
//! request.json   the request
//! status.json    the state
//! properties.txt the properties of a system, if there are any
//! answers.jsonl  the standard output of the command: an answer per line, as soon as it is known
//! notes.txt      its standard error
//! evidence/      the evidence of the answers
//! report.html    the report, for a job that writes one
//! ```

mod job;
mod request;
mod run;

pub(super) use job::{Job, JobState};
pub(super) use request::{EXAMINATIONS, JobKind, JobRequest, RequestProblem};
pub(super) use run::{JobEnvironment, failure, limit_options, run};
