//! Reasons for open questions, from the logs of a contest. `parikh mcc` prints them on stderr as `…
//! ID: unknown — REASON`.

use crate::error::Error;
use crate::exam::Exam;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The reasons why questions stayed open, as stated in a directory of logs. A log is read when a
/// question of its run is looked up for the first time.
#[derive(Debug, Default)]
pub struct Reasons {
    /// The directory of the logs. `None` if no logs are given, so that no reason is known.
    logs: Option<PathBuf>,
    /// The reasons by id, for each run whose log was read.
    reasons_of_runs: HashMap<(String, Exam), HashMap<String, String>>,
}

impl Reasons {
    /// Makes the reader of `NAME-XX.err` files in this directory.
    pub fn of(logs: Option<&Path>) -> Reasons {
        Reasons { logs: logs.map(Path::to_owned), reasons_of_runs: HashMap::new() }
    }

    /// Returns the reason why the question was left open. Returns `None` if no logs are given, if
    /// the log does not exist, or if it has no reason for the question.
    ///
    /// # Errors
    /// If the log exists and cannot be read.
    pub fn reason_of(
        &mut self,
        instance: &str,
        exam: Exam,
        id: &str,
    ) -> Result<Option<String>, Error> {
        let Some(logs) = &self.logs else { return Ok(None) };
        let key = (instance.to_owned(), exam);
        if !self.reasons_of_runs.contains_key(&key) {
            let path = logs.join(format!("{instance}-{exam}.err"));
            let text = match std::fs::read(&path) {
                Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
                Err(source) => return Err(Error::File { path, source }),
            };
            self.reasons_of_runs.insert(key.clone(), parse(&text));
        }
        Ok(self.reasons_of_runs.get(&key).and_then(|run| run.get(id)).cloned())
    }
}

/// Parses a log. Returns the reason of each open question, by the id of the question. The id is the
/// last word before `: unknown — `, because a log level may stand before it.
fn parse(log: &str) -> HashMap<String, String> {
    let line = |line: &str| {
        let (id, reason) = line.split_once(": unknown — ")?;
        Some((id.split_whitespace().last()?.to_owned(), reason.trim().to_owned()))
    };
    log.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_found_by_instance_examination_and_id() {
        let logs = tempfile::tempdir().unwrap();
        let text = " WARN f-1: unknown — out of time: a, b\nnoise\nf-2: unknown — too large\n";
        std::fs::write(logs.path().join("A-RC.err"), text).unwrap();
        let mut reasons = Reasons::of(Some(logs.path()));
        let mut why = |exam, id| reasons.reason_of("A", exam, id).unwrap();
        assert_eq!(why(Exam::ReachabilityCardinality, "f-1").as_deref(), Some("out of time: a, b"));
        assert_eq!(why(Exam::ReachabilityCardinality, "f-2").as_deref(), Some("too large"));
        assert_eq!(why(Exam::ReachabilityCardinality, "f-3"), None);
        assert_eq!(why(Exam::UpperBounds, "f-1"), None);
        assert_eq!(Reasons::of(None).reason_of("A", Exam::OneSafe, "f-1").unwrap(), None);
    }
}
