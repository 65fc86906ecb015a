//! The results of an audit as text and as JSON.

use parikh_evidence::audit::{AuditReport, AuditVerdict, AuditedAnswer, ExhaustedLimit};
use parikh_net::assumption::{self, Assumption};
use parikh_net::printable::{self, Word};
use std::fmt::Write as _;

/// Returns the name of the verdict, and the reason in words.
fn verdict(verdict: &AuditVerdict) -> (&'static str, String) {
    match verdict {
        AuditVerdict::Confirmed(how) => ("confirmed", how.clone()),
        AuditVerdict::Searched(why) => ("searched", why.clone()),
        AuditVerdict::Unsupported(why) => ("beyond", why.clone()),
        AuditVerdict::Stopped(out_of) => ("not confirmed", out_of.to_string()),
        AuditVerdict::Refused(why) => ("refused", why.clone()),
    }
}

/// The number of answers in total, and with each verdict.
struct VerdictCounts {
    answers: usize,
    confirmed: usize,
    searched: usize,
    unsupported: usize,
    stopped: usize,
    refused: usize,
    /// The number of answers that assume safe units, except refused ones.
    assuming: usize,
}

impl VerdictCounts {
    fn of(judged: &[AuditedAnswer]) -> Self {
        let count = |word| judged.iter().filter(|it| verdict(&it.verdict).0 == word).count();
        let assuming =
            |it: &&AuditedAnswer| it.assumes_units && verdict(&it.verdict).0 != "refused";
        VerdictCounts {
            answers: judged.len(),
            confirmed: count("confirmed"),
            searched: count("searched"),
            unsupported: count("beyond"),
            stopped: count("not confirmed"),
            refused: count("refused"),
            assuming: judged.iter().filter(assuming).count(),
        }
    }
}

/// Returns the line for an answer: its position, the question, the value and the verdict.
fn line(answer: &AuditedAnswer) -> String {
    let (word, sentence) = verdict(&answer.verdict);
    let AuditedAnswer { file, line, examination, id, question, value, .. } = answer;
    // These texts come from the file and may contain anything. Each is printed as one word, and cut
    // so that the verdict stays visible.
    let [examination, id, value] = [examination, id, value].map(|it| short(it));
    let question_text = match (id == examination, question.is_empty()) {
        (true, _) => id,
        (false, true) => format!("{examination} {id}"),
        (false, false) => format!("{examination} {id} ({question})"),
    };
    let assuming = if answer.assumes_units { " (assuming safe units)" } else { "" };
    let assumed: String = answer.assumptions.iter().map(|it| format!("; assumed: {it}")).collect();
    format!("{file}:{line}: {question_text}: {value}: {word}{assuming}: {sentence}{assumed}")
}

/// Returns text from a file as one short word.
fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST_WORD) {
        Some((end, _)) => format!("{}…", Word(&text[..end])),
        None => Word(text).to_string(),
    }
}

/// The largest number of printed characters of an id, a value, or the name of an examination.
const LONGEST_WORD: usize = 120;

/// Returns the report as text, without confirmed answers if `quiet`. Texts from files cannot start
/// new lines.
pub(crate) fn text(report: &AuditReport, quiet: bool) -> String {
    let AuditReport { judged, unanswered, .. } = report;
    let mut text = String::new();
    for answer in judged {
        if quiet && matches!(answer.verdict, AuditVerdict::Confirmed(_)) {
            continue;
        }
        let _ = writeln!(text, "{}", super::printable(&line(answer)));
    }
    let counts = VerdictCounts::of(judged);
    let answers = if counts.answers == 1 { "answer" } else { "answers" };
    let _ = write!(text, "{} of {} {answers} confirmed", counts.confirmed, counts.answers);
    if counts.confirmed < counts.answers {
        let _ = write!(text, ", {} searched and not repeated", counts.searched);
        if counts.unsupported > 0 {
            let _ = write!(text, ", {} beyond this program", counts.unsupported);
        }
        if counts.stopped > 0 {
            let _ = write!(text, ", {} not checked in time", counts.stopped);
        }
        let _ = write!(text, ", {} refused", counts.refused);
    }
    text.push('\n');
    if counts.assuming > 0 {
        let claim = "assume that the model's units are safe, as the model claims";
        let _ = writeln!(text, "{} of them {claim}", counts.assuming);
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

/// The version of the JSON format, as in `docs/parikh.schema.json`.
const JSON_VERSION: u32 = 1;

/// Returns the report as JSON, one object per line. `unreadable` is the number of rejected files.
pub(crate) fn json(report: &AuditReport, unreadable: usize) -> String {
    let mut text = String::new();
    for answer in &report.judged {
        let (word, sentence) = verdict(&answer.verdict);
        let units = answer.assumes_units.then_some(Assumption::SafeUnits);
        let all_assumptions: Vec<Assumption> =
            units.into_iter().chain(answer.assumptions.iter().cloned()).collect();
        let assumption_keys = assumption::keys(&all_assumptions);
        let assumption_texts: Vec<String> =
            all_assumptions.iter().map(Assumption::to_string).collect();
        let object = serde_json::json!({
            "version": JSON_VERSION, "type": "answer", "file": answer.file, "line": answer.line,
            "examination": answer.examination, "id": answer.id, "question": answer.question,
            "value": answer.value, "verdict": word, "because": sentence, "assumes": assumption_keys,
            "assumptions": assumption_texts,
        });
        let _ = writeln!(text, "{object}");
    }
    let counts = VerdictCounts::of(&report.judged);
    let stopped = report.stopped.as_ref().map(|(_, limit): &(_, ExhaustedLimit)| limit.to_string());
    let object = serde_json::json!({
        "version": JSON_VERSION, "type": "summary", "answers": counts.answers,
        "confirmed": counts.confirmed, "searched": counts.searched, "beyond": counts.unsupported,
        "refused": counts.refused,
        "not_confirmed": counts.stopped, "assuming_units": counts.assuming,
        "unanswered": report.unanswered, "unreadable": unreadable,
        "irregular": report.irregular.len(), "cut_short": report.cut_short.len(),
        "stopped": stopped,
    });
    let _ = writeln!(text, "{object}");
    printable::json(text)
}
