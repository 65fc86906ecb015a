//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

const HELP: &str = "\
Checks the evidence behind answers about a Petri net

Usage: parikh-certify [OPTIONS] MODEL EVIDENCE...

  MODEL       a PNML file (a place/transition net or a coloured one), compressed (.gz) or not, `-` for
              standard input, or a directory or an archive (.tgz) with a model.pnml; or a parallel system
              (.dot), whose properties stand beside it under the name of the evidence
  EVIDENCE    files as `parikh check MODEL --evidence DIR` writes them, one for each examination, or
              directories of such files (*.jsonl)

Model and questions are read again, by readers of this program's own. From each question and its
answer follows what has to be shown, and the evidence is held against that: traces are fired,
certificates and reductions are checked step by step. No solver and no engine of the prover is part of
this program, and nothing is believed that the evidence says of itself.

Options:
  --queries FILE    the query file, of all evidence given, which then is of one examination
                    [default: the file EXAMINATION.xml beside the model]
  --final MARKING   in Soundness and its relatives: when a case is done, for example 'p + 2*q', whatever
                    the model says; not for coloured models
  --fair KIND[:TRANSITIONS]
                    questions about runs are about fair ones: weak or strong, to all transitions or to
                    these ('strong:enter_1,enter_2'); may be given several times
  --semantics S     of systems: infinite, where only infinite runs count, or spin, where finite ones
                    repeat their last label [default: infinite]
  --cases           questions of query files are about cases: from the initial marking to the final one,
                    in which nothing is enabled (with --final, to that)
  --unfold N        make the unfolding of a coloured model again where it takes up to N colours tried
                    [default: 20000000]
  --visit N         make exhaustive searches again of up to N markings [default: 1000000]
  --timeout TIME    stop after TIME, for example 90s, 10m, 2h [default: 1h]
  --memory SIZE     stop where the program takes more than SIZE, for example 900M, 4G [default: 4G]
  --quiet           no line for an answer that is confirmed, only how many there are
  --format FORMAT   text or json (one object a line) [default: text]
  --help            this text
  --version         the version

Of each answer it says the file and line where it stands, what is asked, the answer, and one of
  confirmed               the evidence shows it
  searched                it is the word of an exhaustive search too large to be made again
  beyond                  its question is of a kind that this program does not know, or the model is
                          coloured and its unfolding too large to be made again
  not confirmed           there was not enough time or memory to look at the evidence to its end
  refused                 the evidence does not show it
and, where that is so, that it assumes what the model claims of its nested units (NUPN).

Exit codes:
  0  all answers are confirmed
  1  a file cannot be read
  2  the command line is wrong
  3  an answer is not confirmed, but none is refused; or there are no answers
  4  an answer is refused
  5  all answers are confirmed, but a file about a state space has not all four figures
  6  all answers are confirmed, but a file is not what a run that went well leaves: it is named after
     another examination, has two answers to one question, or lacks answers that were printed

Example:
  parikh check philosophers.pnml -e OneSafe --evidence proofs
  parikh-certify philosophers.pnml proofs
";

/// What to look at, and how.
pub(crate) struct Arguments {
    pub(crate) model: PathBuf,
    pub(crate) evidence: Vec<PathBuf>,
    pub(crate) queries: Option<PathBuf>,
    pub(crate) last: Option<String>,
    /// Which runs questions are about; of none, all.
    pub(crate) fair: Vec<String>,
    /// Whether the ends of runs of a system count, as in SPIN.
    pub(crate) spin: bool,
    /// Whether questions of query files are about cases.
    pub(crate) cases: bool,
    pub(crate) unfold: u64,
    pub(crate) visit: u64,
    pub(crate) timeout: Duration,
    /// In bytes.
    pub(crate) memory: u64,
    pub(crate) quiet: bool,
    pub(crate) json: bool,
}

/// What the command line asks for.
pub(crate) enum Wanted {
    Audit(Arguments),
    Text(String),
}

/// Reads the command line, without the program's name.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn read(mut given: impl Iterator<Item = OsString>) -> Result<Wanted, String> {
    let mut arguments = Arguments {
        model: PathBuf::new(),
        evidence: Vec::new(),
        queries: None,
        last: None,
        fair: Vec::new(),
        spin: false,
        cases: false,
        unfold: 20_000_000,
        visit: 1_000_000,
        timeout: Duration::from_secs(3600),
        memory: 4 << 30,
        quiet: false,
        json: false,
    };
    let mut paths = Vec::new();
    let mut only_paths = false;
    while let Some(argument) = given.next() {
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
            let value = attached.clone().or_else(|| given.next());
            value.ok_or_else(|| format!("{option} needs a value"))
        };
        match option {
            "--queries" => arguments.queries = Some(value()?.into()),
            "--final" => arguments.last = Some(value()?.to_string_lossy().into_owned()),
            "--fair" => arguments.fair.push(value()?.to_string_lossy().into_owned()),
            "--semantics" => match value()?.to_str() {
                Some("infinite") => arguments.spin = false,
                Some("spin") => arguments.spin = true,
                _ => return Err("--semantics is infinite or spin".to_owned()),
            },
            "--visit" => arguments.visit = number(option, &value()?)?,
            "--unfold" => arguments.unfold = number(option, &value()?)?,
            "--timeout" => arguments.timeout = time(&value()?)?,
            "--memory" => arguments.memory = size(&value()?)?,
            "--format" => match value()?.to_str() {
                Some("text") => arguments.json = false,
                Some("json") => arguments.json = true,
                _ => return Err("--format is text or json".to_owned()),
            },
            "--cases" if attached.is_none() => arguments.cases = true,
            "--quiet" | "-q" if attached.is_none() => arguments.quiet = true,
            "--help" | "-h" => return Ok(Wanted::Text(HELP.to_owned())),
            "--version" | "-V" => {
                let version = format!("parikh-certify {}\n", env!("CARGO_PKG_VERSION"));
                return Ok(Wanted::Text(version));
            }
            "--" if attached.is_none() => only_paths = true,
            _ => return Err(format!("there is no option {option}")),
        }
    }
    let mut paths = paths.into_iter();
    arguments.model = paths.next().ok_or("the model is missing")?;
    arguments.evidence = paths.collect();
    if arguments.evidence.is_empty() {
        return Err("the evidence is missing".to_owned());
    }
    Ok(Wanted::Audit(arguments))
}

fn number(option: &str, text: &OsString) -> Result<u64, String> {
    let parsed = text.to_str().and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| format!("{option} needs a number, not {}", text.display()))
}

/// A number with what stands behind it.
fn with_unit(text: &OsString) -> Option<(f64, &str)> {
    let text = text.to_str()?;
    let end = text.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    (number.is_finite() && number > 0.0).then_some((number, &text[end..]))
}

fn time(text: &OsString) -> Result<Duration, String> {
    let wrong = || format!("--timeout needs a time such as 90s, 10m or 2h, not {}", text.display());
    let (number, unit) = with_unit(text).ok_or_else(wrong)?;
    let seconds = match unit {
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    Duration::try_from_secs_f64(number * seconds).map_err(|_| wrong())
}

fn size(text: &OsString) -> Result<u64, String> {
    let wrong = || format!("--memory needs a size such as 900M or 4G, not {}", text.display());
    let (number, unit) = with_unit(text).ok_or_else(wrong)?;
    let bytes = match unit {
        "K" => 1u64 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        "T" => 1 << 40,
        _ => return Err(wrong()),
    };
    Ok((number * bytes as f64) as u64)
}
