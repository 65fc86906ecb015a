//! The formats of model files.
//!
//! The reader tries the formats that recognise the beginning of the file, in the order of
//! [`FORMATS`]. The first of these formats reads the file or reports an error, unless its reader
//! finds that the file is of another format. PNML files of coloured nets begin like those of
//! place/transition nets. So if the plain reader finds colours, the coloured reader tries the file
//! next.
//!
//! A new format needs a file with its constant, its `mod`, and a line in [`FORMATS`]. For answers
//! that can be audited, the auditor needs its own reader of the format (`parikh_evidence::reader`).
//!
//! Other tools' formats in XML are refused by name before any reader tries the file. Other tools'
//! formats in a language of their own are only looked for if no reader reads the file. The reason
//! is that a comment or a name in a net may look like a keyword of another language.
//!
//! No current format guarantees facts about the net. Safe units (NUPN) are the model's claim, and
//! stay a claim. A format that guarantees facts (units of a product of automata, say) has to return
//! them with the model, as proved facts.

use super::error::InputError;
use super::format::{ModelFormat, ReadFailure, SourceModel, translated};
use super::source::may_be_xml;
use super::{foreign, lola, mist, pnml, script, symmetric, systems, text, tina};
use crate::model::Model;
use encoding_rs::{Encoding, UTF_8};
use parikh_net::Assumption;
use parikh_net::printable::counted;
use parikh_net::{ExtendedNet, Net};
use std::borrow::Cow;
use std::io::{self, BufRead, Cursor, Read};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The formats, in the order in which they are tried.
pub const FORMATS: &[ModelFormat] = &[
    pnml::FORMAT,
    symmetric::FORMAT,
    text::COLOURED,
    tina::FORMAT,
    text::PLAIN,
    lola::FORMAT,
    mist::FORMAT,
    systems::DOT,
    systems::AUT,
    systems::FSM,
];

/// The treatment of times and priorities, which change the set of reachable markings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimingTreatment {
    /// A model with times or priorities is refused.
    #[default]
    Refused,
    /// Times and priorities are left out, and answers say so.
    LeftOut,
}

impl TimingTreatment {
    /// Returns the treatment for the option `--untimed`; `untimed` is true if the option is given.
    pub fn of_option(untimed: bool) -> Self {
        if untimed { TimingTreatment::LeftOut } else { TimingTreatment::Refused }
    }
}

/// The number of bytes at the beginning of a file that serve to recognise the format. The number is
/// large because comments and drawings may come first.
const BEGINNING: u64 = 256 * 1024;

/// Reads the model that a command line argument names. The argument is a file of one of the
/// [`FORMATS`], compressed or not, or the directory or the archive of a contest instance.
///
/// # Errors
/// When the file cannot be read, is of no known format, or contains an invalid net. Also when the
/// model has times or priorities, or when its inhibitor and reset arcs cannot be translated. An
/// error in the text of the file has its position.
pub fn read_model(path: &Path) -> Result<Model, InputError> {
    read(path, false, TimingTreatment::Refused)
}

/// Reads a model as [`read_model`] does, with or without its times and priorities.
///
/// # Errors
/// The errors of [`read_model`]. Times and priorities are errors only if `timing` refuses them.
pub fn read_model_as(path: &Path, timing: TimingTreatment) -> Result<Model, InputError> {
    read(path, false, timing)
}

/// Reads a model as [`read_model_as`] does. Inhibitor and reset arcs at places without a known
/// bound may be translated with caps, that is, assumed bounds
/// ([`Net::has_caps`](parikh_net::Net::has_caps)). A net with caps only answers questions of
/// reachability, so the caller must ask it no other goals.
///
/// # Errors
/// The errors of [`read_model_as`], except that a place without a known bound is no error.
pub fn read_model_within_caps(path: &Path, timing: TimingTreatment) -> Result<Model, InputError> {
    read(path, true, timing)
}

fn read(path: &Path, allows_caps: bool, timing: TimingTreatment) -> Result<Model, InputError> {
    translated_from(read_source_as(path, timing)?, path, allows_caps)
}

/// Translates a net with inhibitor or reset arcs into a place/transition net. Places without a
/// known bound get caps, that is, assumed bounds. Messages use `file` for the net's file.
///
/// # Errors
/// When no place/transition net is found that represents the net.
pub fn translated_within_caps(net: ExtendedNet, file: &str) -> Result<Net, InputError> {
    translated(net, file, true)
}

/// Translates the inhibitor and reset arcs of a model that was read from `path`. A model without
/// such arcs stays as it is.
///
/// # Errors
/// When no equivalent place/transition net is found, or when the directory `path` has no
/// `model.pnml`.
pub fn translated_model(source: SourceModel, path: &Path) -> Result<Model, InputError> {
    translated_from(source, path, false)
}

fn translated_from(
    source: SourceModel,
    path: &Path,
    allows_caps: bool,
) -> Result<Model, InputError> {
    let file = model_file(path)?.display().to_string();
    Ok(match source {
        SourceModel::Net(net) => Model::from(translated(*net, &file, allows_caps)?),
        SourceModel::Coloured(net) => Model::from(*net),
    })
}

/// Reads the net that a command line argument names, with its inhibitor and reset arcs, and without
/// its times and priorities. No times or priorities are refused here, since the caller has read the
/// file before, and has then refused or left out times and priorities.
///
/// # Errors
/// The errors of [`read_source`] for a net without times and priorities. A coloured net is also an
/// error, because the readers of coloured nets support no inhibitor and reset arcs.
pub fn read_extended(path: &Path) -> Result<ExtendedNet, InputError> {
    match read_source_as(path, TimingTreatment::LeftOut)? {
        SourceModel::Net(net) => Ok(*net),
        SourceModel::Coloured(_) => {
            let file = model_file(path)?.display().to_string().into();
            Err(InputError::Unreadable { file, cause: std::io::ErrorKind::InvalidData.into() })
        }
    }
}

/// Reads the file that an argument names without translation: inhibitor and reset arcs stay in the
/// net.
///
/// # Errors
/// The errors of [`read_model`], except those of the translation.
pub fn read_source(path: &Path) -> Result<SourceModel, InputError> {
    read_source_as(path, TimingTreatment::Refused)
}

/// Reads a model as [`read_source`] does. `timing` says whether times and priorities are refused or
/// left out.
///
/// # Errors
/// The errors of [`read_source`]. Times and priorities are errors only if `timing` refuses them.
pub fn read_source_as(path: &Path, timing: TimingTreatment) -> Result<SourceModel, InputError> {
    let start = Instant::now();
    let path = model_file(path)?;
    let OpenModel { file, beginning, mut rest } = OpenModel::open(&path)?;
    if beginning.trim_ascii().is_empty() && beginning.len() < 1024 {
        return Err(InputError::NoContent { file: file.as_str().into() });
    }
    if let Some(refusal) = foreign::xml_refusal(&file, &beginning) {
        return Err(refusal);
    }
    let mut refused = None;
    for format in FORMATS.iter().filter(|format| (format.begins)(&beginning)) {
        // An earlier format has consumed a part of the file.
        if refused.is_some() {
            rest = OpenModel::open(&path)?.rest;
        }
        match (format.read)(&mut (&*beginning).chain(&mut rest), &file) {
            Ok(source) => {
                let (sizes, duration) = (sizes(&source), start.elapsed());
                tracing::info!("read {file}: {sizes}, {duration:.2?}");
                return Ok(source);
            }
            Err(ReadFailure::Timed(timed)) if timing == TimingTreatment::LeftOut => {
                return Ok(timed.0.assuming([Assumption::Untimed]));
            }
            Err(ReadFailure::Timed(timed)) => return Err(timed.1),
            Err(ReadFailure::Broken(error)) => {
                return Err(foreign::text_refusal(&file, &beginning).unwrap_or(error));
            }
            Err(ReadFailure::AnotherFormat(error)) => refused = Some(error),
        }
    }
    if let Some(refused) = refused.or_else(|| foreign::text_refusal(&file, &beginning)) {
        return Err(refused);
    }
    let beginning = script::beginning(&beginning);
    let mut numbered = (1..).zip(beginning.lines().map(str::trim));
    let first = numbered.find(|(_, line)| !line.is_empty());
    let (line, text) = first.unwrap_or((1, Default::default()));
    let found = text.chars().take(20).collect();
    let formats = FORMATS.iter().map(|format| format.name.to_owned()).collect();
    Err(InputError::UnknownFormat { file: file.into(), line, found, formats })
}

/// A model file, opened for reading.
struct OpenModel {
    /// The name of the file in messages.
    file: String,
    /// The first [`BEGINNING`] bytes.
    beginning: Vec<u8>,
    /// The bytes after the beginning.
    rest: Box<dyn BufRead + Send>,
}

impl OpenModel {
    /// Opens a file. A text in UTF-16 that is not XML is converted to UTF-8, because only the
    /// readers of XML decode UTF-16 themselves.
    fn open(path: &Path) -> Result<Self, InputError> {
        let (mut rest, file) = super::open(path)?;
        let unreadable = |cause| InputError::Unreadable { file: file.as_str().into(), cause };
        let mut beginning = Vec::new();
        (&mut rest).take(BEGINNING).read_to_end(&mut beginning).map_err(unreadable)?;
        let has_utf16_mark =
            beginning.starts_with(b"\xff\xfe") || beginning.starts_with(b"\xfe\xff");
        if has_utf16_mark && !may_be_xml(&beginning) {
            rest.read_to_end(&mut beginning).map_err(unreadable)?;
            let mut text = from_utf16(&beginning).map_err(unreadable)?.into_bytes();
            let rest_of_text = text.split_off(text.len().min(BEGINNING as usize));
            (beginning, rest) = (text, Box::new(Cursor::new(rest_of_text)));
        }
        Ok(OpenModel { file, beginning, rest })
    }
}

/// Decodes a text in UTF-16 with a byte order mark.
fn from_utf16(bytes: &[u8]) -> io::Result<String> {
    let (encoding, length) = Encoding::for_bom(bytes).unwrap_or((UTF_8, 0));
    let text = encoding.decode_without_bom_handling_and_without_replacement(&bytes[length..]);
    let invalid = || io::Error::new(io::ErrorKind::InvalidData, "this is not valid UTF-16");
    text.map(Cow::into_owned).ok_or_else(invalid)
}

/// Describes the size of a model in words.
fn sizes(source: &SourceModel) -> String {
    let (places, transitions, kind) = match source {
        SourceModel::Net(net) => (net.core().place_count(), net.core().transition_count(), ""),
        SourceModel::Coloured(net) => (net.places().len(), net.transitions().len(), "coloured "),
    };
    let places = counted(places, &format!("{kind}place"));
    format!("{places}, {}", counted(transitions, &format!("{kind}transition")))
}

/// Returns the path of the model file: the path itself, or `model.pnml` inside a directory or an
/// archive.
///
/// # Errors
/// When a directory has no `model.pnml`.
pub fn model_file(path: &Path) -> Result<PathBuf, InputError> {
    let file = path.join("model.pnml");
    if parikh_files::is_archive(path) {
        // Opening the file reports a missing entry or a broken archive.
        return Ok(file);
    }
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    match file.is_file() {
        true => Ok(file),
        false => Err(InputError::NoModel { directory: path.display().to_string().into() }),
    }
}
