//! Folders for files about confirmed answers.

use parikh_net::printable::Printable;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The exports of an audit. Clones share the results.
#[derive(Clone, Debug, Default)]
pub struct Exports {
    /// The folder for files of claims, for the checker that is proved in Coq.
    pub claims: Option<ExportFolder>,
    /// True if refused answers are written as files of claims as well, with the evidence as it is.
    pub refused_claims: bool,
    /// The folder for proof obligations in SMT-LIB.
    pub smtlib: Option<ExportFolder>,
    /// The description of the model in these files: its file and its hash.
    pub model: String,
}

/// A folder for files about answers, with the results so far. Clones share them.
#[derive(Clone, Debug)]
pub struct ExportFolder {
    folder: PathBuf,
    results: Arc<Mutex<ExportResults>>,
}

/// The results of an export.
#[derive(Clone, Debug, Default)]
pub struct ExportResults {
    /// The answers with files, by the beginnings of the names of their files.
    pub stems: BTreeSet<String>,
    /// The confirmed answers without files: the id of the question, and the reason.
    pub left_out: Vec<(String, String)>,
    /// The message about a file that could not be written.
    pub failure: Option<String>,
}

/// The files about one answer: for each file the end of its name, and its text.
pub(super) type AnswerFiles = Vec<(&'static str, String)>;

impl ExportFolder {
    /// Exports to a folder, which is created if it does not exist.
    ///
    /// # Errors
    /// When the folder cannot be created.
    pub fn to(folder: PathBuf) -> std::io::Result<ExportFolder> {
        std::fs::create_dir_all(&folder)?;
        Ok(ExportFolder { folder, results: Arc::default() })
    }

    /// Returns the results so far.
    pub fn results(&self) -> ExportResults {
        self.results.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes the files about an answer, or records the reason why there are none. `files` gets the
    /// beginning of the names of the files.
    pub(super) fn add(
        &self,
        examination: &str,
        id: &str,
        files: impl FnOnce(&str) -> Result<AnswerFiles, String>,
    ) {
        let stem = self.results().unused_stem(examination, id);
        let files = files(&stem);
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let files = match files {
            Ok(files) => files,
            Err(reason) => return results.left_out.push((id.to_owned(), reason)),
        };
        for (ending, text) in files {
            let name = format!("{stem}.{ending}");
            if let Err(error) = std::fs::write(self.folder.join(&name), text) {
                results.failure = Some(format!("{}: {error}", Printable(&name)));
                return;
            }
        }
        results.stems.insert(stem);
    }
}

impl ExportResults {
    /// Returns a beginning of names of files that no written file has.
    fn unused_stem(&self, examination: &str, id: &str) -> String {
        let whole = if examination == id { id.to_owned() } else { format!("{examination}.{id}") };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let stem: String = whole.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
        if !self.stems.contains(&stem) {
            return stem;
        }
        let mut numbered = (2..).map(|number: u64| format!("{stem}.{number}"));
        numbered.find(|stem| !self.stems.contains(stem)).unwrap_or(stem)
    }
}
