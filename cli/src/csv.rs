//! Answers as comma-separated values, for `check --format csv`: a row per question, after a header.

use parikh::answer::{GoalAnswer, QuestionValue};
use parikh::run::{KnownRange, OpenReason};

/// The names of the columns.
pub(super) const COLUMNS: &str =
    "examination,id,value,least,most,evidence,assumes,engines,seconds,reason";

/// Returns an id for a row. Backslashes are escaped, because the line breaks of an id become
/// escapes when the row is printed.
pub(super) fn id(id: &str) -> String {
    id.replace('\\', "\\\\")
}

/// Returns the row of an answer. `assumes` has the codes of the assumptions.
pub(super) fn answer(
    examination: &str,
    answer: &GoalAnswer,
    id: &str,
    assumes: &[&str],
    seconds: f64,
) -> String {
    let value = answer.value.to_string();
    let ends = match &answer.value {
        QuestionValue::Bool(_) => "",
        QuestionValue::Number(_) | QuestionValue::Count(_) | QuestionValue::Infinite => &value,
    };
    row(&[
        examination,
        id,
        &value,
        ends,
        ends,
        &answer.grade.to_string(),
        &assumes.join(" "),
        &answer.techniques.join(" "),
        &format!("{seconds:.2}"),
        &answer.reason.to_string(),
    ])
}

/// Returns the row of an open question, with the range of a maximum. The value is empty.
pub(super) fn open(examination: &str, id: &str, reason: &OpenReason) -> String {
    let end = |end: Option<i128>| end.map_or(String::new(), |end| end.to_string());
    let (least, most) = match reason.known.maximum {
        None => (String::new(), String::new()),
        Some(KnownRange { least, most }) => (end(Some(least)), end(most)),
    };
    row(&[examination, id, "", &least, &most, "", "", "", "", &reason.to_string()])
}

/// Returns the row that withdraws an earlier row about the question. The value is `withdrawn`.
pub(super) fn withdrawn(examination: &str, id: &str, reason: &str) -> String {
    row(&[examination, id, "withdrawn", "", "", "", "", "", "", reason])
}

/// Returns the fields as a row, by RFC 4180 (Y. Shafranovich, 2005). Line breaks in fields are
/// escaped when the row is printed.
fn row(fields: &[&str]) -> String {
    fields.iter().map(|field| quoted(field)).collect::<Vec<_>>().join(",")
}

/// Returns a field in quotes if it contains a comma, a quote or a line break, or begins or ends
/// with white space.
fn quoted(field: &str) -> String {
    match field.contains([',', '"', '\n', '\r']) || field.trim() != field {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh::run::{OpenCause, PartialKnowledge};

    #[test]
    fn fields_with_commas_and_quotes_are_quoted() {
        assert_eq!(row(&["a b", "", "a,b", "say \"a\"", " a"]), r#"a b,,"a,b","say ""a"""," a""#);
    }

    #[test]
    fn an_open_bound_has_its_range() {
        let maximum = Some(KnownRange { least: 1, most: None });
        let known = PartialKnowledge { maximum, ..PartialKnowledge::default() };
        let reason = OpenReason { cause: OpenCause::OutOfTime, known };
        let row = open("UpperBoundsAll", "p,1", &reason);
        let said = "UpperBoundsAll,\"p,1\",,1,,,,,,out of time; the maximum lies between 1 and ∞";
        assert_eq!(row, said);
        // The id has a comma, too.
        assert_eq!(row.matches(',').count(), COLUMNS.matches(',').count() + 1);
    }
}
