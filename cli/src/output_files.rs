//! Output files for evidence and traces. A file that cannot be written (a full disk, a removed
//! directory) does not stop the answers. The first such file is reported, and the exit code of the
//! process shows the failure.

use super::leaving;
use super::terminal::note;
use super::trace_file::TraceFile;
use anyhow::{Context, Result};
use parikh::answer::{AnswerWitness, GoalAnswer};
use parikh::evidence_files::EvidenceFile;
use parikh::mcc::Examination;
use parikh_input::model::ModelView;
use parikh_net::lasso::{LassoRun, RunEnd};
use parikh_net::{Marking, Net, PumpSequence, Stage, marking_text};
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// The directories for output files.
#[derive(Clone, Copy, Default)]
pub(super) struct OutputDirectories<'a> {
    /// The directory for firing sequences.
    pub(super) traces: Option<&'a Path>,
    /// The directory for evidence files.
    pub(super) files: Option<&'a Path>,
}

impl OutputDirectories<'_> {
    /// Creates the directories and removes the evidence file of an earlier run. So the old file
    /// cannot be mistaken for the evidence of this run, even if this run ends before it writes a
    /// file.
    pub(super) fn prepare(&self, name: &str) -> Result<()> {
        for directory in [self.traces, self.files].into_iter().flatten() {
            std::fs::create_dir_all(directory)
                .with_context(|| format!("cannot create {}", directory.display()))?;
        }
        let Some(directory) = self.files else { return Ok(()) };
        let file = path(directory, name);
        // Only a regular file is removed. Pipes and other special files, and symbolic links, are
        // kept and written to.
        if !file.symlink_metadata().is_ok_and(|earlier| earlier.is_file()) {
            return Ok(());
        }
        std::fs::remove_file(&file)
            .with_context(|| format!("cannot remove {}, a file of an earlier run", file.display()))
    }

    /// Creates the evidence file of an examination. Returns `None` if no evidence is requested or
    /// the file cannot be created.
    pub(super) fn file<'n>(&self, name: &str, net: &'n Net) -> Option<OpenEvidence<'n>> {
        let path = path(self.files?, name);
        let created = File::create(&path).map(BufWriter::new);
        match created.and_then(|out| EvidenceFile::new(net, name, out)) {
            Ok(file) => Some(OpenEvidence { path, file }),
            Err(error) => {
                report_unwritten(&path, &error);
                None
            }
        }
    }

    /// Writes the witness of an answer as a trace, if traces are requested and the answer has a
    /// witness. If the answer is about a node, `each_node` is its examination, which the file and
    /// its name state, because several examinations have the same ids. With `says_where`, the trace
    /// states its initial marking. Returns the file, or `None` if no file was written.
    pub(super) fn write_trace(
        &self,
        view: ModelView<'_>,
        answer: &GoalAnswer,
        each_node: Option<Examination>,
        says_where: bool,
    ) -> Option<PathBuf> {
        let directory = self.traces?;
        let mut trace = match answer.exhibit.clone()? {
            AnswerWitness::Firings(sequence) => TraceFile { sequence, ..TraceFile::default() },
            AnswerWitness::Loops(run) => TraceFile { loops: Some(run), ..TraceFile::default() },
            AnswerWitness::Pump(PumpSequence { earlier, last: Stage { prefix, pump } }) => {
                TraceFile {
                    earlier_stages: earlier,
                    sequence: prefix,
                    repeat: Some(pump),
                    ..TraceFile::default()
                }
            }
            AnswerWitness::Lasso(LassoRun { prefix, end }) => {
                let repeat = match end {
                    RunEnd::Repeats(cycle) => Some(cycle),
                    RunEnd::Dead | RunEnd::Anything => None,
                };
                TraceFile { sequence: prefix, repeat, ..TraceFile::default() }
            }
        };
        let net = view.net();
        let note = |key: &str, text: &str| (key.to_owned(), text.to_owned());
        let question = match each_node {
            None => vec![note("formula", &answer.id)],
            Some(examination) => vec![
                note("examination", examination.name()),
                note(
                    if examination.is_about_each_place() { "place" } else { "transition" },
                    &answer.id,
                ),
            ],
        };
        trace.notes = vec![note("net", net.name())];
        trace.notes.extend(question);
        trace.notes.extend([
            note("value", &answer.value.to_string()),
            note("shows", &answer.reason.to_string()),
        ]);
        if says_where {
            // The tokens of complement places follow from the tokens of the model's places.
            let model_tokens = net.initial().tokens()[..net.model_places().len()].to_vec();
            trace.notes.push(note("from", &marking_text::print(net, &Marking::new(model_tokens))));
        }
        let name = match each_node {
            None => answer.id.clone(),
            Some(examination) => format!("{examination}.{}", answer.id),
        };
        let file = directory.join(format!("{}.trace", file_name(&name)));
        match std::fs::write(&file, trace.print_named(&|t| view.transition_name(t))) {
            Ok(()) => Some(file),
            Err(error) => {
                report_unwritten(&file, &error);
                None
            }
        }
    }
}

/// Converts an id into a file name. Each byte of a special character in UTF-8 becomes `%` and its
/// code. Different ids have different names.
fn file_name(id: &str) -> String {
    let safe_text = |c: char| match c {
        c if c.is_alphanumeric() || "-_.".contains(c) => c.to_string(),
        c => {
            let mut buffer = [0; 4];
            c.encode_utf8(&mut buffer).bytes().map(|byte| format!("%{byte:02X}")).collect()
        }
    };
    id.chars().map(safe_text).collect()
}

/// Returns the path of the evidence file of an examination.
fn path(directory: &Path, name: &str) -> PathBuf {
    directory.join(format!("{name}.jsonl"))
}

/// An evidence file being written.
pub(super) struct OpenEvidence<'n> {
    path: PathBuf,
    file: EvidenceFile<'n, BufWriter<File>>,
}

/// Writes to the file, if there is one. After a write error, reports the file as incomplete and
/// sets `file` to `None`, so that nothing more is written.
pub(super) fn write<'n>(
    file: &mut Option<OpenEvidence<'n>>,
    write: impl FnOnce(&mut EvidenceFile<'n, BufWriter<File>>) -> io::Result<()>,
) {
    let Some(evidence) = file else { return };
    if let Err(error) = write(&mut evidence.file) {
        report_unwritten(&evidence.path, &error);
        *file = None;
    }
}

/// Records that a file could not be written, and reports the first such file. Later files are not
/// reported, because they usually fail for the same reason.
pub(super) fn report_unwritten(file: &Path, why: &dyn Display) {
    if leaving::note_unwritten() {
        note!(
            "parikh: cannot write {}: {why}; the evidence and traces of this run are incomplete, \
             so the exit code is 1; answers are still printed",
            file.display()
        );
    }
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn different_ids_have_different_files() {
        assert_eq!(file_name("a b/%é"), "a%20b%2F%25é");
        // The code of `€` is 20AC.
        assert_ne!(file_name("€"), file_name(" AC"));
    }
}
