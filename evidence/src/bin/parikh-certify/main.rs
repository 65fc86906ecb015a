//! `parikh-certify`: the auditor's program. The audit itself is in [`parikh_evidence::audit`]. This
//! program handles the command line, the files, the limits, and the output.

#![forbid(unsafe_code)]

mod arguments;
mod exports;
mod guard;
mod printed;
mod systems;

use arguments::{CertifyArguments, CertifyRequest};
use guard::AuditEnd;
use parikh_evidence::audit::{
    Audit, AuditProgress, AuditReport, AuditVerdict, AuditWatch, AuditedAnswer, EvidenceFileError,
    ExhaustedLimit,
};
use parikh_evidence::coloured::{self, ColouredAudit, RepeatLimits};
use parikh_evidence::extended::ExtendedAudit;
use parikh_evidence::question::Question;
use parikh_evidence::question::cases::with_one_case;
use parikh_evidence::reader::fair::fairness;
use parikh_evidence::reader::lts;
use parikh_evidence::reader::pnml::ExtendedModel;
use parikh_evidence::reader::queries::typed::{self, XmlQueryReader};
use parikh_evidence::reader::queries::{self, AuditedProperty};
use parikh_evidence::reader::{self, Unreadable};
use parikh_net::printable::{Printable, Quoted};
use parikh_net::{Marking, Net};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, mpsc};

fn main() -> ExitCode {
    let arguments = match arguments::read(std::env::args_os().skip(1)) {
        Ok(CertifyRequest::Audit(arguments)) => Arc::new(*arguments),
        Ok(CertifyRequest::Text(text)) => {
            print(&text);
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            print_message(
                "error",
                &format!("{message}; parikh-certify --help explains the command line"),
            );
            return ExitCode::from(2);
        }
    };
    let watch = AuditWatch::default();
    let (sender, receiver) = mpsc::channel();
    let shared = (Arc::clone(&arguments), watch.clone());
    let audit = move || {
        let (arguments, watch) = shared;
        let _ = sender.send(audit(&arguments, &watch));
    };
    // The thread has a large stack, because functions recurse over predicates as deep as the
    // readers allow.
    if let Err(error) = std::thread::Builder::new().stack_size(256 << 20).spawn(audit) {
        print_message("error", &format!("the audit could not start: {error}"));
        return ExitCode::from(1);
    }
    match guard::wait(&receiver, &watch, arguments.timeout, arguments.max_memory_bytes) {
        AuditEnd::Finished(Ok(audited)) => ExitCode::from(print_outcome(&arguments, audited)),
        AuditEnd::Finished(Err(Refusal { code, reason: why })) => {
            print_message("error", &why);
            ExitCode::from(code)
        }
        AuditEnd::Failed => {
            print_message("error", "the audit could not be finished");
            ExitCode::from(1)
        }
        AuditEnd::Abandoned(limit) => {
            let code = print_outcome(&arguments, partial_outcome(watch.progress(), limit));
            // The audit is still running in its thread.
            std::process::exit(code.into());
        }
    }
}

/// The reason why the audit did not take place or gives no result, with the exit code.
struct Refusal {
    code: u8,
    reason: String,
}

impl From<String> for Refusal {
    fn from(why: String) -> Self {
        Refusal { code: 1, reason: why }
    }
}

/// The result of an audit.
#[derive(Default)]
struct AuditOutcome {
    /// The verdicts on the answers in all readable evidence files.
    report: AuditReport,
    /// The evidence files that were rejected or could not be read to the end, each with the reason.
    rejected_files: Vec<EvidenceFileError>,
    /// The evidence files whose questions are in no file, so that they were not checked.
    unasked: Vec<PathBuf>,
}

/// Reads the model and audits the evidence files about it whose questions are available.
fn audit(arguments: &CertifyArguments, watch: &AuditWatch) -> Result<AuditOutcome, Refusal> {
    let path = match arguments.model.is_dir() || parikh_files::is_archive(&arguments.model) {
        true => arguments.model.join("model.pnml"),
        false => arguments.model.clone(),
    };
    watch.set_position(&path.display().to_string(), 0);
    let bytes = contents(&path, arguments.max_memory_bytes)?;
    let files = evidence_files(&arguments.evidence)?;
    if systems::is_system(&bytes) {
        return systems::audit(arguments, &path, &bytes, &files, watch);
    }
    if matches!(reader::transition_system(&bytes), Ok(Some(_))) {
        let (about_labels, about_net) = systems::split(files);
        let (about_net, unasked) = split_by_available_questions(arguments, &path, about_net);
        let mut outcome = AuditOutcome::default();
        if !about_labels.is_empty() {
            outcome = systems::audit(arguments, &path, &bytes, &about_labels, watch)?;
        }
        if !about_net.is_empty() {
            let of_net = audit_net(arguments, (&path, &bytes), &about_net, watch)?;
            outcome.report.extend(of_net.report);
            outcome.rejected_files.extend(of_net.rejected_files);
        }
        outcome.unasked = unasked;
        return Ok(outcome);
    }
    let (files, unasked) = split_by_available_questions(arguments, &path, files);
    let outcome = audit_net(arguments, (&path, &bytes), &files, watch)?;
    Ok(AuditOutcome { unasked, ..outcome })
}

/// Audits evidence about the net in `path`, whose content is `bytes`.
fn audit_net(
    arguments: &CertifyArguments,
    (path, bytes): (&Path, &[u8]),
    files: &[PathBuf],
    watch: &AuditWatch,
) -> Result<AuditOutcome, Refusal> {
    let mut rejected_files: Vec<EvidenceFileError> = Vec::new();
    let exports = exports::open(arguments, path, bytes)?;
    let questions =
        |net: &Net, examination: &str| examination_questions(arguments, path, net, examination);
    let report = if coloured::is_coloured(bytes) {
        if !arguments.finals.is_empty() || arguments.cases {
            let why = "--final and --cases are not supported for coloured models";
            return Err(Refusal { code: 2, reason: why.to_owned() });
        }
        let model =
            coloured::read_as(bytes, arguments.times).map_err(|error| in_file(path, &error))?;
        let limits = RepeatLimits {
            max_tried_colours: arguments.max_tried_colours,
            max_markings: arguments.max_markings,
        };
        let audit = ColouredAudit::new(&model, limits, Box::new(questions));
        let mut audit = audit.with_watch(watch.clone()).with_exports(exports.clone());
        files.iter().for_each(|file| rejected_files.extend(audit.file(file).err()));
        audit.finish()
    } else {
        let model = read_net(arguments, path, bytes).map_err(|error| in_file(path, &error))?;
        if let Some(note) = &model.note {
            print_message("note", &format!("{}: {note}", path.display()));
        }
        let finals = finals(arguments, model.net.core())?;
        let plain = match model.net.into_plain() {
            Ok(net) => net,
            Err(extended) => {
                let audit =
                    ExtendedAudit::new(&extended, arguments.max_markings, Box::new(questions));
                let audit = audit.with_watch(watch.clone()).with_final_markings(finals);
                let audit = audit.with_exports(exports.clone());
                let mut audit = if arguments.cases { audit.of_cases() } else { audit };
                files.iter().for_each(|file| rejected_files.extend(audit.file(file).err()));
                let report = audit.finish();
                return Ok(AuditOutcome { report, rejected_files, unasked: Vec::new() });
            }
        };
        let net = &match arguments.cases {
            true => with_one_case(&plain, &finals).map_err(|why| format!("--cases: {why}"))?,
            false => plain,
        };
        let audit = Audit::new(
            net,
            arguments.max_markings,
            Box::new(move |examination| questions(net, examination)),
        );
        let audit = audit.with_watch(watch.clone()).with_final_markings(finals);
        let mut audit = audit.with_exports(exports.clone());
        files.iter().for_each(|file| rejected_files.extend(audit.file(file).err()));
        audit.finish()
    };
    Ok(AuditOutcome { report, rejected_files, unasked: Vec::new() })
}

/// Reads a model without colours. The net of a transition system is named after its file.
fn read_net(
    arguments: &CertifyArguments,
    path: &Path,
    bytes: &[u8],
) -> Result<ExtendedModel, Unreadable> {
    let Some(system) = reader::transition_system(bytes)? else {
        return reader::read_model_with_times(bytes, arguments.times);
    };
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(ExtendedModel { net: lts::net(&system, &name)?.into(), note: None })
}

/// Parses the markings of `--final`, without duplicates.
fn finals(arguments: &CertifyArguments, net: &Net) -> Result<Vec<Marking>, String> {
    let mut finals: Vec<Marking> = Vec::new();
    for text in &arguments.finals {
        let marking =
            reader::marking::marking(net, text).map_err(|why| format!("--final: {why}"))?;
        if !finals.contains(&marking) {
            finals.push(marking);
        }
    }
    Ok(finals)
}

/// Splits evidence files about nets into those whose questions are available, and the others. The
/// others are about formulas from a command line, which are in no file.
fn split_by_available_questions(
    arguments: &CertifyArguments,
    model: &Path,
    files: Vec<PathBuf>,
) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let queries = model.with_file_name("Formulas.xml");
    let has_questions = |file: &PathBuf| {
        file.file_stem().is_none_or(|stem| stem != "Formulas")
            || arguments.queries.is_some()
            || arguments.has_formulas()
            || queries.exists()
            || parikh_files::is_file(&queries)
    };
    files.into_iter().partition(has_questions)
}

/// Returns the results so far of an audit that did not stop in time. Answers that assume safe units
/// are not confirmed, since unread evidence may violate the claim.
fn partial_outcome(progress: AuditProgress, limit: ExhaustedLimit) -> AuditOutcome {
    let AuditProgress { judged, position } = progress;
    let mut judged: Vec<AuditedAnswer> = judged.into_iter().flatten().collect();
    let is_confirmed = |verdict: &AuditVerdict| matches!(verdict, AuditVerdict::Confirmed(_));
    for answer in judged.iter_mut().filter(|it| it.assumes_units && is_confirmed(&it.verdict)) {
        answer.verdict = AuditVerdict::Stopped(limit);
    }
    let (file, line) = position.unwrap_or_else(|| ("the model".to_owned(), 0));
    let what = format!("not confirmed: {limit}");
    let stopped = Some((EvidenceFileError { file, line, what }, limit));
    AuditOutcome {
        report: AuditReport { judged, stopped, ..AuditReport::default() },
        ..AuditOutcome::default()
    }
}

/// Prints the results, and returns the exit code.
fn print_outcome(
    arguments: &CertifyArguments,
    AuditOutcome { report, rejected_files, unasked }: AuditOutcome,
) -> u8 {
    for file in &unasked {
        let hint = "the file was not checked, because its formulas were given on the command line \
                    of `parikh check`; repeat the same --formula and --formulas here";
        print_message("note", &format!("{}: {hint}", file.display()));
    }
    rejected_files.iter().for_each(|error| print_message("error", &error.to_string()));
    report.incomplete.iter().for_each(|incomplete| print_message("note", &incomplete.to_string()));
    for truncated in &report.cut_short {
        let message = "as after an interrupted run; the lines before were read";
        print_message("note", &format!("{truncated}, {message}"));
    }
    report.irregular.iter().for_each(|irregular| print_message("note", &irregular.to_string()));
    if let Some((position, exhausted)) = &report.stopped {
        let limit = match exhausted {
            ExhaustedLimit::Time => format!("--timeout {}s", arguments.timeout.as_secs_f64()),
            ExhaustedLimit::Memory => format!("--memory {}M", arguments.max_memory_bytes >> 20),
        };
        print_message("error", &format!("{position} ({limit}); the rest was not checked"));
    }
    print(&match arguments.json {
        true => printed::json(&report, rejected_files.len()),
        false => printed::text(&report, arguments.quiet),
    });
    let is_exported = exports::print(arguments);
    let judged = &report.judged;
    let has_verdict =
        |wanted: fn(&AuditVerdict) -> bool| judged.iter().any(|answer| wanted(&answer.verdict));
    match () {
        () if has_verdict(|verdict| matches!(verdict, AuditVerdict::Refused(_))) => 4,
        () if !rejected_files.is_empty() || !is_exported => 1,
        () if report.stopped.is_some() || judged.is_empty() || !unasked.is_empty() => 3,
        () if has_verdict(|verdict| !matches!(verdict, AuditVerdict::Confirmed(_))) => 3,
        () if !report.irregular.is_empty() || !report.cut_short.is_empty() => 6,
        () if !report.incomplete.is_empty() => 5,
        () => 0,
    }
}

/// Returns the questions about `net` of an examination, from its query file or from the formulas
/// given.
fn examination_questions(
    arguments: &CertifyArguments,
    model: &Path,
    net: &Net,
    examination: &str,
) -> Result<Vec<AuditedProperty>, String> {
    let properties = match examination == "Formulas" && arguments.has_formulas() {
        true => formulas(arguments, net)?,
        false => query_file(arguments, model, net, examination)?,
    };
    let fairness = fairness(net, &arguments.fairness).map_err(|why| format!("--fair: {why}"))?;
    let refuse = |what: &str| Unreadable { line: 0, what: what.to_owned() };
    let with_fairness = |AuditedProperty { id, question }: AuditedProperty| {
        let assume_fairness =
            |question: Question| question.with_fairness(&fairness).map_err(refuse);
        AuditedProperty { id, question: question.and_then(assume_fairness) }
    };
    Ok(properties.into_iter().map(with_fairness).collect())
}

/// Reads the formulas given, in the order in which the prover names them.
fn formulas(arguments: &CertifyArguments, net: &Net) -> Result<Vec<AuditedProperty>, String> {
    let as_xml: XmlQueryReader<'_> = match arguments.cases {
        true => &queries::read_of_cases,
        false => &queries::read,
    };
    let typed = arguments.formula.iter().map(|text| typed::read_one(net, text, as_xml));
    let mut properties: Vec<AuditedProperty> = typed.collect();
    for file in &arguments.formulas {
        properties.extend(questions_in(file, arguments, net)?);
    }
    typed::name_unnamed(&mut properties);
    Ok(properties)
}

/// Reads the questions in a file.
fn questions_in(
    file: &Path,
    arguments: &CertifyArguments,
    net: &Net,
) -> Result<Vec<AuditedProperty>, String> {
    let bytes = contents(file, arguments.max_memory_bytes)?;
    let properties = reader::read_questions(net, &bytes, arguments.language, arguments.cases);
    properties.map_err(|error| in_file(file, &error))
}

/// Reads the questions about `net` in the query file of an examination.
fn query_file(
    arguments: &CertifyArguments,
    model: &Path,
    net: &Net,
    examination: &str,
) -> Result<Vec<AuditedProperty>, String> {
    // The name comes from an evidence file, and must not lead to another directory.
    let is_plain_name =
        !examination.is_empty() && examination.bytes().all(|b| b.is_ascii_alphanumeric());
    // A query file that the user names is read for every examination.
    let file = match &arguments.queries {
        _ if !is_plain_name => {
            return Err(format!("{} is not an examination", Quoted(examination)));
        }
        Some(file) => file.clone(),
        None => model.with_file_name(format!("{examination}.xml")),
    };
    if arguments.queries.is_none() && !file.exists() && !parikh_files::is_file(&file) {
        return Err(format!("{examination} needs formulas, but there is no {}", file.display()));
    }
    let mut properties = questions_in(&file, arguments, net)?;
    typed::name_unnamed(&mut properties);
    Ok(properties)
}

/// Returns the files named, in the given order. A directory is replaced by its evidence files,
/// sorted by name.
fn evidence_files(given_paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for path in given_paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let io_message = |error: std::io::Error| format!("{}: {error}", path.display());
        let mut directory_files = Vec::new();
        for entry in std::fs::read_dir(path).map_err(io_message)? {
            let file = entry.map_err(io_message)?.path();
            if file.extension().is_some_and(|extension| extension == "jsonl") {
                directory_files.push(file);
            }
        }
        if directory_files.is_empty() {
            return Err(format!("{}: the directory has no evidence (*.jsonl)", path.display()));
        }
        directory_files.sort();
        files.extend(directory_files);
    }
    Ok(files)
}

/// Reads a file, decompressed if necessary, up to a size in bytes. Refuses pipes and devices, which
/// may never end.
fn contents(path: &Path, memory: u64) -> Result<Vec<u8>, String> {
    let io_message = |error: std::io::Error| format!("{}: {error}", path.display());
    let too_large = |size: &str| {
        let megabytes = memory >> 20;
        let message = format!("the file has {size}, more than the memory limit");
        Err(format!("{}: {message} (--memory {megabytes}M)", path.display()))
    };
    // Files in an archive and standard input have no metadata.
    let metadata = std::fs::metadata(path).ok();
    if metadata.as_ref().is_some_and(|it| !it.is_file()) {
        return Err(format!("{}: this is not a regular file", path.display()));
    }
    let length = metadata.map_or(0, |it| it.len());
    if length > memory {
        return too_large(&format!("{} MB", length >> 20));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    let reader = parikh_files::open(path).map_err(io_message)?;
    reader.take(memory.saturating_add(1)).read_to_end(&mut bytes).map_err(io_message)?;
    if bytes.len() as u64 > memory {
        return too_large(&format!("{} MB or more when decompressed", memory >> 20));
    }
    Ok(bytes)
}

/// Returns a message with the file and line of an error.
fn in_file(path: &Path, error: &parikh_evidence::reader::Unreadable) -> String {
    format!("{}:{}: {}", path.display(), error.line, error.what)
}

/// Prints a message line to standard error.
fn print_message(label: &str, text: &str) {
    let _ = writeln!(std::io::stderr(), "{label}: {}", printable(text));
}

/// The largest number of characters in a message. Names may be as long as a file.
const MAX_MESSAGE_CHARACTERS: usize = 2000;

/// Makes text from a file safe for a line of output.
fn printable(text: &str) -> String {
    match text.char_indices().nth(MAX_MESSAGE_CHARACTERS) {
        Some((end, _)) => format!("{} …", Printable(&text[..end])),
        None => Printable(text).to_string(),
    }
}

/// Writes to standard output. Write errors, such as a closed pipe, are ignored.
fn print(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}
