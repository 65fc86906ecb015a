//! The reader of an evidence file: one pass, line by line.
//!
//! The header, the first line that is not blank, says what the file is about. The header and the
//! other lines are read by the same reader, because two readers might find different headers.

use super::{AuditWatch, EvidenceFileError};
use crate::file::{EvidenceLine, FileHeader, NamedTranslation, Unfolding};
use serde::Deserialize;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

/// The position of a line: the offset of its first byte, its length in bytes, and its number from
/// 1.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LinePosition {
    /// The offset of the first byte of the line in the file.
    pub(crate) start: u64,
    /// The length of the line in bytes, with its line end.
    pub(crate) length: usize,
    /// The number of the line, from 1.
    pub(crate) line: u64,
}

/// An evidence file whose header was read.
pub(crate) struct EvidenceReader {
    /// The path of the file, for messages.
    name: String,
    /// The stem of the file name, which should be the examination.
    stem: String,
    /// The open file, for reading lines again.
    file: Arc<File>,
    /// The buffered reader of the file.
    reader: BufReader<File>,
    /// The bytes of the line read last.
    bytes: Vec<u8>,
    /// The position of the line read last.
    line_position: LinePosition,
    /// The header of the file.
    header: FileHeader,
    /// The watch that records the current line.
    watch: AuditWatch,
}

/// The result of opening a readable file.
pub(crate) enum OpenResult {
    Evidence(Box<EvidenceReader>),
    /// The file is empty or ends inside its header, as after an interrupted run.
    CutShort(EvidenceFileError),
}

/// The next item of a file.
pub(crate) enum NextLine {
    Line(EvidenceLine),
    End,
    /// The file ends in the middle of a line.
    CutShort(EvidenceFileError),
}

/// The greatest length of a line in bytes.
const MAX_LINE_BYTES: usize = 1 << 30;

impl EvidenceReader {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// When the file cannot be read, is not a regular file, or begins with something other than a
    /// header.
    pub(crate) fn open(path: &Path, watch: &AuditWatch) -> Result<OpenResult, EvidenceFileError> {
        let name = path.display().to_string();
        let broken = |line, what| EvidenceFileError { file: name.clone(), line, what };
        let unreadable = |error: std::io::Error| broken(0, error.to_string());
        // A pipe or a device may never end, and cannot be read twice.
        if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
            return Err(broken(0, "this is not a regular file".to_owned()));
        }
        let file = File::open(path).map_err(unreadable)?;
        let reader = BufReader::with_capacity(1 << 16, file.try_clone().map_err(unreadable)?);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let empty_header = FileHeader::default();
        let (file, bytes, position) = (Arc::new(file), Vec::new(), LinePosition::default());
        let watch = watch.clone();
        let mut source = EvidenceReader {
            name,
            stem,
            file,
            reader,
            bytes,
            line_position: position,
            header: empty_header,
            watch,
        };
        match source.next_line()? {
            NextLine::Line(EvidenceLine::Header(header)) => source.header = header,
            NextLine::Line(_) => return Err(source.broken("expected {\"evidence\": …} first")),
            NextLine::End => {
                return Ok(OpenResult::CutShort(source.broken("the file is empty")));
            }
            NextLine::CutShort(broken) => return Ok(OpenResult::CutShort(broken)),
        }
        Ok(OpenResult::Evidence(Box::new(source)))
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn stem(&self) -> &str {
        &self.stem
    }

    pub(crate) fn header(&self) -> &FileHeader {
        &self.header
    }

    /// Returns the file, for reading lines again.
    pub(crate) fn file(&self) -> Arc<File> {
        Arc::clone(&self.file)
    }

    /// Returns the position of the line read last.
    pub(crate) fn line_position(&self) -> LinePosition {
        self.line_position
    }

    /// Returns an error in the line read last.
    pub(crate) fn broken(&self, what: impl Into<String>) -> EvidenceFileError {
        EvidenceFileError {
            file: self.name.clone(),
            line: self.line_position.line,
            what: what.into(),
        }
    }

    /// Reads the next line that is not blank.
    ///
    /// # Errors
    /// When the line is not evidence, is too long, or cannot be read.
    pub(crate) fn next_line(&mut self) -> Result<NextLine, EvidenceFileError> {
        match self.read_content_line()? {
            false => Ok(NextLine::End),
            true => {
                self.parse_line().map(|line| line.map_or_else(NextLine::CutShort, NextLine::Line))
            }
        }
    }

    /// Reads the line after the header of a file about a coloured model. The line lists the nodes
    /// of the unfolding.
    ///
    /// # Errors
    /// When the line is something else, is missing, is too long, or cannot be read.
    pub(crate) fn unfolding(&mut self) -> Result<Unfolding, EvidenceFileError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum Second {
            Unfolding(Unfolding),
        }
        let expected = "expected {\"unfolding\": …}, as the model is coloured";
        if !self.read_content_line()? {
            return Err(self.broken(format!("{expected}: the file ends before")));
        }
        match serde_json::from_slice(self.bytes.trim_ascii_end()) {
            Ok(Second::Unfolding(unfolding)) => Ok(unfolding),
            Err(error) => Err(self.broken(format!("{expected}: {}", json_error_in_words(&error)))),
        }
    }

    /// Reads the line after the header of a file about a net with inhibitor or reset arcs. The line
    /// lists the bounds used for the translation.
    ///
    /// # Errors
    /// When the line is something else, is missing, is too long, or cannot be read.
    pub(crate) fn translation(&mut self) -> Result<NamedTranslation, EvidenceFileError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum Second {
            Translation(NamedTranslation),
        }
        let expected = "expected {\"translation\": …}, as the model has inhibitor or reset arcs";
        if !self.read_content_line()? {
            return Err(self.broken(format!("{expected}: the file ends before")));
        }
        match serde_json::from_slice(self.bytes.trim_ascii_end()) {
            Ok(Second::Translation(translation)) => Ok(translation),
            Err(error) => Err(self.broken(format!("{expected}: {}", json_error_in_words(&error)))),
        }
    }

    /// Reads the next line that is not blank. Returns false at the end of the file.
    fn read_content_line(&mut self) -> Result<bool, EvidenceFileError> {
        loop {
            self.bytes.clear();
            self.line_position.start += self.line_position.length as u64;
            self.watch.set_position(&self.name, self.line_position.line + 1);
            self.line_position.length = self.read_line()?;
            if self.line_position.length == 0 {
                return Ok(false);
            }
            self.line_position.line += 1;
            if !self.bytes.iter().all(u8::is_ascii_whitespace) {
                return Ok(true);
            }
        }
    }

    /// Reads up to the next line end, and returns the number of bytes, which is 0 at the end of the
    /// file.
    fn read_line(&mut self) -> Result<usize, EvidenceFileError> {
        let mut limited = std::io::Read::take(&mut self.reader, MAX_LINE_BYTES as u64 + 1);
        match limited.read_until(b'\n', &mut self.bytes) {
            Ok(length) if length > MAX_LINE_BYTES => {
                self.line_position.line += 1;
                Err(self.broken(format!("a line of more than {MAX_LINE_BYTES} bytes")))
            }
            Ok(length) => Ok(length),
            Err(error) => Err(self.broken(error.to_string())),
        }
    }

    /// Parses the line read last. The inner error means that the file is cut off in this line.
    fn parse_line(&self) -> Result<Result<EvidenceLine, EvidenceFileError>, EvidenceFileError> {
        match serde_json::from_slice(self.bytes.trim_ascii_end()) {
            Ok(line) => Ok(Ok(line)),
            Err(error) if error.is_eof() && self.bytes.last() != Some(&b'\n') => {
                Ok(Err(self.broken("the file ends inside this line")))
            }
            Err(error) => Err(self.broken(json_error_in_words(&error))),
        }
    }
}

/// Describes an error in a line of JSON. The parser's line number is always 1, so it is left out.
fn json_error_in_words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(&*text, |(what, _)| what);
    match error.is_eof() {
        true => format!("the line is incomplete: {what}"),
        false => format!("{what}, column {}", error.column()),
    }
}
