//! Known answers: files `NAME-XX.out`, and the assignment of their lines to formulas.

use crate::answer::ToolAnswer;
use crate::error::Error;
use crate::exam::Exam;
use crate::verdict::UNKNOWN_ANSWER;
use std::collections::HashMap;
use std::path::Path;

/// One question of an examination with its known answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OracleQuestion {
    /// The id that tools print with the answer.
    pub id: String,
    /// The known answer; `?` if the contest's tools did not agree. Empty if no oracle has an answer
    /// to the question.
    pub expected: String,
}

/// Checks that a directory of known answers exists and holds some. Without known answers, no answer
/// could be wrong.
///
/// # Errors
/// If the directory cannot be read or has no file whose name ends in `.out`.
pub fn check(directory: &Path) -> Result<(), Error> {
    let entries = std::fs::read_dir(directory).map_err(Error::at(directory))?;
    let is_answer_file = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.is_ok_and(|it| it.path().extension().is_some_and(|end| end == "out"))
    };
    match entries.into_iter().any(is_answer_file) {
        true => Ok(()),
        false => {
            let why = "the directory has no known answers (NAME-XX.out), so no answer could be \
                       checked";
            Err(Error::at(directory)(std::io::Error::other(why)))
        }
    }
}

/// Checks that the oracle file of at least one of the given runs has an answer line.
///
/// # Errors
/// If no oracle file has an answer line, or if the directory or an oracle file cannot be read.
pub fn check_for<'r>(
    directory: &Path,
    runs: impl IntoIterator<Item = (&'r str, Exam)>,
) -> Result<(), Error> {
    check(directory)?;
    for (instance, exam) in runs {
        if read(directory, instance, exam)?.is_some_and(|answers| !answers.is_empty()) {
            return Ok(());
        }
    }
    let why = "the known answers cover no question of the list";
    Err(Error::at(directory)(std::io::Error::other(why)))
}

/// Pairs every instance with every examination.
pub fn instance_exam_pairs<'r>(
    instances: &'r [String],
    exams: &'r [Exam],
) -> impl Iterator<Item = (&'r str, Exam)> {
    instances.iter().flat_map(|name| exams.iter().map(move |&exam| (&**name, exam)))
}

/// Reads the answers of one oracle file, in its order. Returns `None` if the file does not exist.
///
/// # Errors
/// If the file cannot be read, or a line after the first is neither blank nor an answer.
pub fn read(
    directory: &Path,
    instance: &str,
    exam: Exam,
) -> Result<Option<Vec<OracleQuestion>>, Error> {
    let path = directory.join(format!("{instance}-{exam}.out"));
    match std::fs::read_to_string(&path) {
        Ok(text) => {
            parse(&text).map(Some).map_err(|(line, problem)| Error::Oracle { path, line, problem })
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::File { path, source }),
    }
}

/// Parses an oracle file. The first line names instance and examination; every other line is blank
/// or an answer. The figure −1 of a state space means that the figure is not known.
fn parse(text: &str) -> Result<Vec<OracleQuestion>, (usize, String)> {
    let lines = text.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty());
    let question = |(index, line): (usize, &str)| {
        let words: Vec<&str> = line.split_ascii_whitespace().take(3).collect();
        match (ToolAnswer::on_line(line), &words[..]) {
            (Some(answer), _) => Ok(OracleQuestion { id: answer.id, expected: answer.value }),
            (None, ["STATE_SPACE", id, "-1"]) => {
                Ok(OracleQuestion { id: (*id).to_owned(), expected: UNKNOWN_ANSWER.to_owned() })
            }
            _ => Err((index + 1, format!("found `{line}`, expected an answer"))),
        }
    };
    lines.map(question).collect()
}

/// Returns the questions of an examination. If the instance has a query file, these are its
/// formulas with the oracle's answers. Otherwise (global properties, state space) these are the
/// questions of the oracle.
///
/// Usually the query file and the oracle have the same ids. In some editions, the oracle's ids lack
/// the year. There, the oracle numbers each formula by the rank of its id among all ids of the
/// query file, sorted as text. So formulas and answers are matched by rank if some id of the query
/// file is not in the oracle, and both have equally many ids. In this case the numbers inside the
/// ids must not be compared.
pub fn questions(
    asked: Option<Vec<String>>,
    oracle: Option<Vec<OracleQuestion>>,
) -> Vec<OracleQuestion> {
    let (asked, oracle) = match (asked, oracle) {
        (None, oracle) => return oracle.unwrap_or_default(),
        (Some(asked), oracle) => (asked, oracle.unwrap_or_default()),
    };
    let known: HashMap<&str, &str> =
        oracle.iter().map(|question| (&*question.id, &*question.expected)).collect();
    let has_same_ids = asked.iter().all(|id| known.contains_key(&**id));
    let expected: HashMap<&str, &str> = if has_same_ids || asked.len() != oracle.len() {
        known
    } else {
        let mut by_rank: Vec<&str> = asked.iter().map(String::as_str).collect();
        by_rank.sort_unstable();
        let mut answers: Vec<&OracleQuestion> = oracle.iter().collect();
        answers.sort_unstable_by_key(|question| &question.id);
        by_rank.into_iter().zip(answers.into_iter().map(|answer| &*answer.expected)).collect()
    };
    let question = |id: &String| OracleQuestion {
        id: id.clone(),
        expected: expected.get(&**id).copied().unwrap_or_default().to_owned(),
    };
    asked.iter().map(question).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(names: &[&str]) -> Option<Vec<String>> {
        Some(names.iter().map(|&name| name.to_owned()).collect())
    }

    fn of(pairs: &[(&str, &str)]) -> Vec<OracleQuestion> {
        let question = |&(id, expected): &(&str, &str)| OracleQuestion {
            id: id.to_owned(),
            expected: expected.to_owned(),
        };
        pairs.iter().map(question).collect()
    }

    #[test]
    fn oracle_files_are_read() {
        let text = "A-PT-1 UpperBounds\n\
                    FORMULA A-PT-1-UpperBounds-00 ? TECHNIQUES ORACLE2023\n\
                    FORMULA A-PT-1-UpperBounds-01 inf TECHNIQUES ORACLE2023\n";
        let expected = [("A-PT-1-UpperBounds-00", "?"), ("A-PT-1-UpperBounds-01", "inf")];
        assert_eq!(parse(text), Ok(of(&expected)));
        let states = "A StateSpace\nSTATE_SPACE STATES +inf TECHNIQUES TEDD2023\n";
        assert_eq!(parse(states), Ok(of(&[("STATES", "+inf")])));
        let unknown = "A StateSpace\nSTATE_SPACE TRANSITIONS -1 TECHNIQUES TEDD2023\n";
        assert_eq!(parse(unknown), Ok(of(&[("TRANSITIONS", "?")])));
        assert_eq!(parse("A\n\nnonsense").unwrap_err().0, 3);
    }

    #[test]
    fn a_file_that_does_not_exist_knows_nothing() {
        let nowhere = Path::new("/nonexistent");
        assert_eq!(read(nowhere, "A", Exam::OneSafe).unwrap(), None);
        assert!(check(nowhere).is_err());
        let empty = tempfile::tempdir().unwrap();
        let error = check(empty.path()).unwrap_err().to_string();
        assert!(error.contains("no known answers"), "{error}");
        std::fs::write(empty.path().join("A-OS.out"), "A OneSafe\n").unwrap();
        check(empty.path()).unwrap();
        let a = [("A", Exam::OneSafe)];
        let error = check_for(empty.path(), a).unwrap_err().to_string();
        assert!(error.ends_with("the known answers cover no question of the list"), "{error}");
        let known = "A OneSafe\nFORMULA OneSafe TRUE TECHNIQUES O\n";
        std::fs::write(empty.path().join("B-OS.out"), known).unwrap();
        assert!(check_for(empty.path(), a).is_err());
        std::fs::write(empty.path().join("A-OS.out"), known).unwrap();
        check_for(empty.path(), a).unwrap();
        assert_eq!(questions(ids(&["f"]), None), of(&[("f", "")]));
        assert_eq!(questions(None, None), []);
    }

    #[test]
    fn equal_ids_are_taken_by_id_whatever_their_order() {
        let oracle = of(&[("f-00", "TRUE"), ("f-01", "FALSE")]);
        let asked = questions(ids(&["f-01", "f-00"]), Some(oracle.clone()));
        assert_eq!(asked, of(&[("f-01", "FALSE"), ("f-00", "TRUE")]));
        assert_eq!(questions(None, Some(oracle.clone())), oracle);
    }

    #[test]
    fn ids_with_a_year_are_matched_by_rank_not_by_number() {
        let oracle = of(&[("f-00", "TRUE"), ("f-01", "FALSE"), ("f-02", "?")]);
        let asked = questions(ids(&["f-2025-00", "f-2025-01", "f-2023-12"]), Some(oracle));
        let expected = [("f-2025-00", "FALSE"), ("f-2025-01", "?"), ("f-2023-12", "TRUE")];
        assert_eq!(asked, of(&expected));
    }

    #[test]
    fn files_of_different_lengths_are_matched_by_id_only() {
        let oracle = of(&[("f-00", "TRUE"), ("f-01", "FALSE")]);
        let asked = questions(ids(&["f-01", "f-02", "f-03"]), Some(oracle));
        assert_eq!(asked, of(&[("f-01", "FALSE"), ("f-02", ""), ("f-03", "")]));
    }
}
