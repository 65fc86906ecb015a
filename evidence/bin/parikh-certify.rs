//! `parikh-certify`: the auditor's program. See [`parikh_evidence::audit`] for what it does; here is only
//! the command line, the finding of files, and the printing.

#![forbid(unsafe_code)]

use parikh_evidence::audit::{Audit, Broken, Judged, Report, Verdict};
use parikh_evidence::coloured::{self, ColouredAudit, Limits};
use parikh_evidence::reader::pnml;
use parikh_evidence::reader::queries::{self, Property};
use parikh_net::Net;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
Checks the evidence behind answers about a Petri net

Usage: parikh-certify [OPTIONS] MODEL EVIDENCE...

  MODEL       a PNML file (a place/transition net or a coloured one), or a directory with a model.pnml
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
                    the model says
  --unfold N        make the unfolding of a coloured model again where it takes up to N colours tried
                    [default: 20000000]
  --visit N         make exhaustive searches again of up to N markings [default: 1000000]
  --verbose         a line for every answer, not only for those that are not confirmed
  --format FORMAT   text or json (one object a line) [default: text]
  --help            this text
  --version         the version

Of each answer it says one of
  confirmed               the evidence shows it
  searched                it is the word of an exhaustive search too large to be made again
  beyond                  its question is of a kind that this program does not know, or the model is
                          coloured and its unfolding too large to be made again
  refused                 the evidence does not show it
and, where that is so, that it assumes what the model claims of its nested units (NUPN).

Exit codes:
  0  all answers are confirmed
  1  a file cannot be read
  2  the command line is wrong
  3  an answer is not confirmed, but none is refused; or there are no answers
  4  an answer is refused
  5  all answers are confirmed, but a file about a state space has not all four figures

Example:
  parikh check philosophers.pnml -e OneSafe --evidence proofs
  parikh-certify philosophers.pnml proofs
";

#[derive(Default)]
struct Arguments {
    model: PathBuf,
    evidence: Vec<PathBuf>,
    queries: Option<PathBuf>,
    last: Option<String>,
    unfold: Option<u64>,
    visit: Option<u64>,
    verbose: bool,
    json: bool,
}

enum Asked {
    Audit(Arguments),
    Text(String),
}

fn arguments(mut given: impl Iterator<Item = OsString>) -> Result<Asked, String> {
    let mut arguments = Arguments::default();
    let mut paths = Vec::new();
    let mut only_paths = false;
    while let Some(argument) = given.next() {
        let text = argument.to_string_lossy().into_owned();
        if only_paths || !text.starts_with('-') {
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
            "--visit" | "--unfold" => {
                let number = value()?;
                let parsed = number.to_str().and_then(|number| number.parse().ok());
                let wrong = || format!("{option} needs a number, not {}", number.display());
                let number: u64 = parsed.ok_or_else(wrong)?;
                let limits = (&mut arguments.visit, &mut arguments.unfold);
                *(if option == "--visit" { limits.0 } else { limits.1 }) = Some(number);
            }
            "--format" => match value()?.to_str() {
                Some("text") => arguments.json = false,
                Some("json") => arguments.json = true,
                _ => return Err("--format is text or json".to_owned()),
            },
            "--verbose" | "-v" if attached.is_none() => arguments.verbose = true,
            "--help" | "-h" => return Ok(Asked::Text(HELP.to_owned())),
            "--version" | "-V" => {
                return Ok(Asked::Text(format!("parikh-certify {}\n", env!("CARGO_PKG_VERSION"))));
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
    Ok(Asked::Audit(arguments))
}

fn main() -> ExitCode {
    let arguments = match arguments(std::env::args_os().skip(1)) {
        Ok(Asked::Audit(arguments)) => arguments,
        Ok(Asked::Text(text)) => {
            print(&text);
            return ExitCode::SUCCESS;
        }
        Err(wrong) => {
            eprintln!("error: {wrong}; parikh-certify --help explains the command line");
            return ExitCode::from(2);
        }
    };
    // Predicates are walked over by recursion, as deep as the readers let them be.
    let audit = move || audit(&arguments);
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(audit);
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(Ok(code))) => ExitCode::from(code),
        Ok(Ok(Err(wrong))) => {
            eprintln!("error: {wrong}");
            ExitCode::from(1)
        }
        Ok(Err(_)) | Err(_) => {
            eprintln!("error: the audit could not be finished");
            ExitCode::from(1)
        }
    }
}

fn audit(arguments: &Arguments) -> Result<u8, String> {
    let path = match arguments.model.is_dir() {
        true => arguments.model.join("model.pnml"),
        false => arguments.model.clone(),
    };
    let bytes = contents(&path)?;
    let visited = arguments.visit.unwrap_or(1_000_000);
    let files = evidence_files(&arguments.evidence)?;
    let mut broken: Vec<Broken> = Vec::new();
    let query_file = |net: &Net, examination: &str| query_file(arguments, &path, net, examination);
    let report = if coloured::is_coloured(&bytes) {
        let model = coloured::read(&bytes).map_err(|error| in_file(&path, &error))?;
        let limits = Limits { tried: arguments.unfold.unwrap_or(20_000_000), visited };
        let mut audit = ColouredAudit::new(&model, limits, Box::new(query_file));
        files.iter().for_each(|file| broken.extend(audit.file(file).err()));
        audit.finish()
    } else {
        let model = pnml::read(&bytes).map_err(|error| in_file(&path, &error))?;
        if let Some(note) = &model.note {
            eprintln!("note: {}: {note}", path.display());
        }
        let net = &model.net;
        let mut audit = Audit::new(net, visited, Box::new(move |it| query_file(net, it)));
        if let Some(last) = &arguments.last {
            let last = parikh_net::marking_text::parse(last, net);
            audit = audit.with_final_marking(last.map_err(|why| format!("--final: {why}"))?);
        }
        files.iter().for_each(|file| broken.extend(audit.file(file).err()));
        audit.finish()
    };
    let Report { judged, unanswered, incomplete, cut_short } = report;
    broken.iter().for_each(|broken| eprintln!("error: {broken}"));
    incomplete.iter().for_each(|incomplete| eprintln!("note: {incomplete}"));
    for cut in &cut_short {
        eprintln!("note: {cut}, as an interrupted run leaves it; what comes before was read");
    }
    print(&match arguments.json {
        true => json(&judged, unanswered, broken.len()),
        false => text(&judged, unanswered, arguments.verbose),
    });
    let is = |wanted: fn(&Verdict) -> bool| judged.iter().any(|answer| wanted(&answer.verdict));
    Ok(match () {
        () if is(|verdict| matches!(verdict, Verdict::Refused(_))) => 4,
        () if !broken.is_empty() => 1,
        () if judged.is_empty() || is(|verdict| !matches!(verdict, Verdict::Confirmed(_))) => 3,
        () if !incomplete.is_empty() => 5,
        () => 0,
    })
}

/// The questions about `net` in the query file of an examination.
fn query_file(
    arguments: &Arguments,
    model: &Path,
    net: &Net,
    examination: &str,
) -> Result<Vec<Property>, String> {
    // The name comes from a file of evidence and must not lead elsewhere.
    let plain = !examination.is_empty() && examination.bytes().all(|b| b.is_ascii_alphanumeric());
    let file = match &arguments.queries {
        Some(file) => file.clone(),
        None if plain => model.with_file_name(format!("{examination}.xml")),
        None => return Err(format!("`{examination}` is no examination")),
    };
    if arguments.queries.is_none() && !file.exists() {
        return Err(format!("{examination} needs formulas, and there is no {}", file.display()));
    }
    queries::read(net, &contents(&file)?).map_err(|error| in_file(&file, &error))
}

/// The files named, and those in the directories named, by name.
fn evidence_files(named: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for path in named {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let wrong = |error: std::io::Error| format!("{}: {error}", path.display());
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(path).map_err(wrong)? {
            let file = entry.map_err(wrong)?.path();
            if file.extension().is_some_and(|extension| extension == "jsonl") {
                inside.push(file);
            }
        }
        if inside.is_empty() {
            return Err(format!("{}: no evidence (*.jsonl) in it", path.display()));
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

fn contents(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn in_file(path: &Path, error: &parikh_evidence::reader::Unreadable) -> String {
    format!("{}:{}: {}", path.display(), error.line, error.what)
}

/// What was found, in one word and in a sentence.
fn verdict(verdict: &Verdict) -> (&'static str, &str) {
    match verdict {
        Verdict::Confirmed(how) => ("confirmed", how),
        Verdict::Searched(why) => ("searched", why),
        Verdict::Beyond(why) => ("beyond", why),
        Verdict::Refused(why) => ("refused", why),
    }
}

/// How many answers there are of each kind.
struct Counts {
    answers: usize,
    confirmed: usize,
    searched: usize,
    beyond: usize,
    refused: usize,
    /// Of those not refused.
    assuming: usize,
}

impl Counts {
    fn of(judged: &[Judged]) -> Self {
        let count = |word| judged.iter().filter(|it| verdict(&it.verdict).0 == word).count();
        let assuming = |it: &&Judged| it.assumes_units && verdict(&it.verdict).0 != "refused";
        Counts {
            answers: judged.len(),
            confirmed: count("confirmed"),
            searched: count("searched"),
            beyond: count("beyond"),
            refused: count("refused"),
            assuming: judged.iter().filter(assuming).count(),
        }
    }
}

fn text(judged: &[Judged], unanswered: usize, verbose: bool) -> String {
    let mut text = String::new();
    for answer in judged {
        let (word, sentence) = verdict(&answer.verdict);
        if word == "confirmed" && !verbose {
            continue;
        }
        let Judged { file, line, id, value, .. } = answer;
        let assuming = if answer.assumes_units { " (assuming safe units)" } else { "" };
        let written = format!("{id} {value}: {word}{assuming}: {sentence}");
        // Whoever wrote the file may say there what they like, but not in lines of their own.
        let _ = writeln!(text, "{file}:{line}: {}", written.replace(char::is_control, "\u{FFFD}"));
    }
    let counts = Counts::of(judged);
    let answers = if counts.answers == 1 { "answer" } else { "answers" };
    let _ = write!(text, "{} of {} {answers} confirmed", counts.confirmed, counts.answers);
    if counts.confirmed < counts.answers {
        let _ = write!(text, ", {} searched and not visited again", counts.searched);
        if counts.beyond > 0 {
            let _ = write!(text, ", {} beyond this program", counts.beyond);
        }
        let _ = write!(text, ", {} refused", counts.refused);
    }
    text.push('\n');
    if counts.assuming > 0 {
        let what = "assume that the model's units are safe, as it claims";
        let _ = writeln!(text, "{} of them {what}", counts.assuming);
    }
    match unanswered {
        0 => {}
        1 => text.push_str("1 question of these examinations has no answer\n"),
        _ => {
            let _ = writeln!(text, "{unanswered} questions of these examinations have no answer");
        }
    }
    text
}

fn json(judged: &[Judged], unanswered: usize, unreadable: usize) -> String {
    let mut text = String::new();
    for answer in judged {
        let (word, sentence) = verdict(&answer.verdict);
        let assumes: &[&str] = if answer.assumes_units { &["units"] } else { &[] };
        let object = serde_json::json!({
            "type": "answer", "file": answer.file, "line": answer.line, "id": answer.id,
            "value": answer.value, "verdict": word, "because": sentence, "assumes": assumes,
        });
        let _ = writeln!(text, "{object}");
    }
    let counts = Counts::of(judged);
    let object = serde_json::json!({
        "type": "summary", "answers": counts.answers, "confirmed": counts.confirmed,
        "searched": counts.searched, "beyond": counts.beyond, "refused": counts.refused,
        "assuming_units": counts.assuming, "unanswered": unanswered, "unreadable": unreadable,
    });
    let _ = writeln!(text, "{object}");
    text
}

/// Writes to standard output; a reader that went away is no failure of ours.
fn print(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}
