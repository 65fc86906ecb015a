//! The command line.

use parikh_evidence::AUDITOR_HELP;
use parikh_evidence::reader::FormulaLanguage;
use parikh_evidence::reader::timing::TimeTreatment;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The arguments and options of the command line.
pub(crate) struct CertifyArguments {
    /// The model: a file, or a directory or archive that contains `model.pnml`.
    pub(crate) model: PathBuf,
    /// The evidence files, and directories of evidence files.
    pub(crate) evidence: Vec<PathBuf>,
    /// The query file. If `None`, the file `EXAMINATION.xml` beside the model, or the property file
    /// beside a parallel system.
    pub(crate) queries: Option<PathBuf>,
    /// The formulas of `--formula`, as given to `parikh check`. The file `Formulas.jsonl` has the
    /// evidence about their answers.
    pub(crate) formula: Vec<String>,
    /// The files of `--formulas`, whose formulas follow those of `--formula`.
    pub(crate) formulas: Vec<PathBuf>,
    /// The language of the files of formulas.
    pub(crate) language: FormulaLanguage,
    /// The final markings of cases; if empty, those of the model.
    pub(crate) finals: Vec<String>,
    /// The fairness assumptions; if empty, questions are about all runs.
    pub(crate) fairness: Vec<String>,
    /// True for `--semantics spin`: a finite run of a system counts as well, and repeats its last
    /// label forever.
    pub(crate) spin: bool,
    /// True if the questions of query files and the given formulas are about cases. A case is a
    /// firing sequence from the initial marking to a dead final marking.
    pub(crate) cases: bool,
    /// The treatment of times and priorities of the model.
    pub(crate) times: TimeTreatment,
    /// The maximum number of colours tried while a coloured net is unfolded.
    pub(crate) max_tried_colours: u64,
    /// The maximum number of states that the audit visits to repeat a search.
    pub(crate) max_markings: u64,
    /// The time limit of the whole audit.
    pub(crate) timeout: Duration,
    /// The memory limit in bytes.
    pub(crate) max_memory_bytes: u64,
    /// The folder for files of claims; `None` if no files are written.
    pub(crate) export: Option<PathBuf>,
    /// True if refused answers are written as files of claims, too.
    pub(crate) export_refused: bool,
    /// The folder for proof obligations in SMT-LIB; `None` if no files are written.
    pub(crate) smtlib: Option<PathBuf>,
    /// True if the text output leaves out confirmed answers.
    pub(crate) quiet: bool,
    /// True if the output is JSON, false if it is text.
    pub(crate) json: bool,
}

impl CertifyArguments {
    /// Returns true if the command line gives formulas besides query files.
    pub(crate) fn has_formulas(&self) -> bool {
        !self.formula.is_empty() || !self.formulas.is_empty()
    }
}

/// The request of the command line.
pub(crate) enum CertifyRequest {
    Audit(Box<CertifyArguments>),
    /// A text to print, for `--help` and `--version`.
    Text(String),
}

/// Reads the command line, without the program's name.
///
/// # Errors
/// A message about the wrong or missing argument.
pub(crate) fn read(
    mut raw_arguments: impl Iterator<Item = OsString>,
) -> Result<CertifyRequest, String> {
    let mut arguments = CertifyArguments {
        model: PathBuf::new(),
        evidence: Vec::new(),
        queries: None,
        formula: Vec::new(),
        formulas: Vec::new(),
        language: FormulaLanguage::Detected,
        finals: Vec::new(),
        fairness: Vec::new(),
        spin: false,
        cases: false,
        times: TimeTreatment::Refused,
        max_tried_colours: 20_000_000,
        max_markings: 1_000_000,
        timeout: Duration::from_secs(3600),
        max_memory_bytes: 4 << 30,
        export: None,
        export_refused: false,
        smtlib: None,
        quiet: false,
        json: false,
    };
    let mut paths = Vec::new();
    let mut only_paths = false;
    while let Some(argument) = raw_arguments.next() {
        let text = argument.to_string_lossy().into_owned();
        if only_paths || !text.starts_with('-') || text == parikh_files::STANDARD_INPUT {
            paths.push(PathBuf::from(argument));
            continue;
        }
        let (option, attached) = match text.split_once('=') {
            Some((option, value)) => (option, Some(OsString::from(value))),
            None => (&*text, None),
        };
        let mut value = || {
            let value = attached.clone().or_else(|| raw_arguments.next());
            value.ok_or_else(|| format!("{option} needs a value"))
        };
        match option {
            "--queries" => arguments.queries = Some(value()?.into()),
            "--formula" => arguments.formula.push(value()?.to_string_lossy().into_owned()),
            "--formulas" => arguments.formulas.push(value()?.into()),
            "--language" => {
                arguments.language = match value()?.to_str() {
                    Some("inline") => FormulaLanguage::Inline,
                    Some("xml") => FormulaLanguage::Xml,
                    Some("lola") => FormulaLanguage::Lola,
                    Some("contest") => FormulaLanguage::Contest,
                    Some("2011") => FormulaLanguage::Early,
                    _ => {
                        let message = "--language: expected inline, xml, contest, 2011 or lola";
                        return Err(message.to_owned());
                    }
                }
            }
            "--final" => arguments.finals.push(value()?.to_string_lossy().into_owned()),
            "--fair" => arguments.fairness.push(value()?.to_string_lossy().into_owned()),
            "--semantics" => match value()?.to_str() {
                Some("infinite") => arguments.spin = false,
                Some("spin") => arguments.spin = true,
                _ => return Err("--semantics: expected infinite or spin".to_owned()),
            },
            "--visit" => arguments.max_markings = number(option, &value()?)?,
            "--unfold" => arguments.max_tried_colours = number(option, &value()?)?,
            "--timeout" => arguments.timeout = time(&value()?)?,
            "--memory" => arguments.max_memory_bytes = size(&value()?)?,
            "--export" => arguments.export = Some(value()?.into()),
            "--smtlib" => arguments.smtlib = Some(value()?.into()),
            "--format" => match value()?.to_str() {
                Some("text") => arguments.json = false,
                Some("json") => arguments.json = true,
                _ => return Err("--format: expected text or json".to_owned()),
            },
            "--cases" if attached.is_none() => arguments.cases = true,
            "--untimed" if attached.is_none() => arguments.times = TimeTreatment::LeftOut,
            "--export-refused" if attached.is_none() => arguments.export_refused = true,
            "--quiet" | "-q" if attached.is_none() => arguments.quiet = true,
            "--help" | "-h" => return Ok(CertifyRequest::Text(AUDITOR_HELP.to_owned())),
            "--version" | "-V" => {
                let version = format!("parikh-certify {}\n", env!("CARGO_PKG_VERSION"));
                return Ok(CertifyRequest::Text(version));
            }
            "--" if attached.is_none() => only_paths = true,
            _ => return Err(format!("there is no option {option}")),
        }
    }
    let mut paths = paths.into_iter();
    arguments.model = paths.next().ok_or("the argument MODEL is missing")?;
    arguments.evidence = paths.collect();
    if arguments.evidence.is_empty() {
        return Err("the argument EVIDENCE is missing".to_owned());
    }
    if arguments.export_refused && arguments.export.is_none() {
        return Err("--export-refused needs --export".to_owned());
    }
    Ok(CertifyRequest::Audit(Box::new(arguments)))
}

/// Parses the value of an option as a number.
fn number(option: &str, text: &OsString) -> Result<u64, String> {
    let parsed = text.to_str().and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| format!("{option} needs a number, not {}", text.display()))
}

/// Splits a text into a positive number and the unit behind it, which may be empty. Returns `None`
/// if the text does not start with a positive number.
fn with_unit(text: &OsString) -> Option<(f64, &str)> {
    let text = text.to_str()?;
    let unit_start = text.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(text.len());
    let number: f64 = text[..unit_start].parse().ok()?;
    (number.is_finite() && number > 0.0).then_some((number, &text[unit_start..]))
}

/// Parses the value of `--timeout`.
fn time(text: &OsString) -> Result<Duration, String> {
    let message =
        || format!("--timeout needs a time such as 90s, 10m or 2h, not {}", text.display());
    let (number, unit) = with_unit(text).ok_or_else(message)?;
    let seconds = match unit {
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(message()),
    };
    Duration::try_from_secs_f64(number * seconds).map_err(|_| message())
}

/// Parses the value of `--memory`, a number with a unit, and returns it in bytes.
fn size(text: &OsString) -> Result<u64, String> {
    let message = || format!("--memory needs a size such as 900M or 4G, not {}", text.display());
    let (number, unit) = with_unit(text).ok_or_else(message)?;
    let bytes = match unit {
        "K" => 1u64 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        "T" => 1 << 40,
        _ => return Err(message()),
    };
    Ok((number * bytes as f64) as u64)
}
