//! Totals of the contest's tools: how many questions each tool answered, by kind of net and
//! examination.

use crate::error::Error;
use crate::exam::Exam;
use crate::instance::NetKind;
use std::collections::BTreeMap;
use std::path::Path;

/// The name of the union of all tools ("best virtual tool").
pub const ALL_TOOLS: &str = "BVT";

/// The totals of the tools, by kind of net, examination and name of the tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeerTotals(BTreeMap<(NetKind, Exam), BTreeMap<String, PeerCount>>);

/// The answers of one tool to the questions of one examination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerCount {
    /// Answers.
    pub answers: usize,
    /// Answers that differ from those of most tools.
    pub errors: usize,
}

impl PeerTotals {
    /// Returns the answers of one tool. `None` if the tool took no part, or its answers are not
    /// known.
    pub fn of(&self, kind: NetKind, exam: Exam, tool: &str) -> Option<PeerCount> {
        self.0.get(&(kind, exam))?.get(tool).copied()
    }

    /// Returns the names of the single tools in alphabetical order, without [`ALL_TOOLS`].
    pub fn tools(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.0.values().flat_map(BTreeMap::keys).map(|it| &**it).collect();
        names.retain(|name| *name != ALL_TOOLS);
        names.sort_unstable_by_key(|name| (name.to_lowercase(), *name));
        names.dedup();
        names
    }

    /// Returns the single tools of one examination with their answers, without [`ALL_TOOLS`].
    pub fn of_exam(&self, kind: NetKind, exam: Exam) -> Vec<(&str, PeerCount)> {
        let tools = self.0.get(&(kind, exam)).into_iter().flatten();
        let single = tools.filter(|(name, _)| *name != ALL_TOOLS);
        single.map(|(name, count)| (&**name, *count)).collect()
    }
}

/// Reads a file with the columns kind (`PT` or `COL`), examination, tool, answers and errors.
///
/// # Errors
/// If the file cannot be read, a line lacks a column or has a value of the wrong type, or a tool
/// has two lines for one examination.
pub fn read(path: &Path) -> Result<PeerTotals, Error> {
    let text = std::fs::read(path).map_err(Error::at(path))?;
    parse(&text).map_err(|problem| Error::Rows { path: path.to_owned(), problem })
}

/// Parses the text of such a file.
fn parse(text: &[u8]) -> Result<PeerTotals, String> {
    let mut reader = csv::Reader::from_reader(text);
    let header = reader.headers().map_err(|error| error.to_string())?.clone();
    let column = |name: &str| {
        let position = header.iter().position(|column| column == name);
        position.ok_or_else(|| format!("there is no column `{name}`"))
    };
    let columns = [
        column("kind")?,
        column("examination")?,
        column("tool")?,
        column("answers")?,
        column("errors")?,
    ];
    let mut totals = PeerTotals::default();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let line = record.position().map_or(0, csv::Position::line);
        let [kind, exam, tool, answers, errors] =
            columns.map(|index| record.get(index).unwrap_or_default());
        let number = |text: &str| {
            let wrong = |_| format!("line {line}: `{text}` is not a number");
            text.parse::<usize>().map_err(wrong)
        };
        let kind = NetKind::ALL.into_iter().find(|it| it.short() == kind);
        let kind = kind.ok_or_else(|| format!("line {line}: the kind is neither PT nor COL"))?;
        let exam: Exam = exam.parse().map_err(|error| format!("line {line}: {error}"))?;
        let count = PeerCount { answers: number(answers)?, errors: number(errors)? };
        let tools = totals.0.entry((kind, exam)).or_default();
        if tools.insert(tool.to_owned(), count).is_some() {
            return Err(format!("line {line}: a second line of `{tool}` for {exam}"));
        }
    }
    Ok(totals)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Totals for tests, of lines `kind,examination,tool,answers,errors`.
    pub(crate) fn totals(lines: &str) -> PeerTotals {
        parse(format!("kind,examination,tool,answers,errors\n{lines}").as_bytes()).unwrap()
    }

    #[test]
    fn each_tool_has_its_answers_and_the_union_is_no_tool() {
        let read = totals("PT,OneSafe,b,5,1\nPT,OneSafe,BVT,7,0\nCOL,StateSpace,A,8,0\n");
        let count = PeerCount { answers: 5, errors: 1 };
        assert_eq!(read.of(NetKind::PlaceTransition, Exam::OneSafe, "b"), Some(count));
        assert_eq!(read.of(NetKind::Coloured, Exam::OneSafe, "b"), None);
        assert_eq!(read.of_exam(NetKind::PlaceTransition, Exam::OneSafe), [("b", count)]);
        assert_eq!(read.tools(), ["A", "b"]);
    }

    #[test]
    fn what_is_wrong_in_a_file_is_said() {
        let head = "kind,examination,tool,answers,errors\n";
        for (lines, problem) in [
            ("XX,OneSafe,a,1,0\n", "line 2: the kind is neither PT nor COL"),
            ("PT,OneSafe,a,x,0\n", "line 2: `x` is not a number"),
            ("PT,OneSafe,a,1,0\nPT,OS,a,1,0\n", "line 3: a second line of `a` for OS"),
        ] {
            assert_eq!(parse(format!("{head}{lines}").as_bytes()).unwrap_err(), problem);
        }
        assert_eq!(parse(b"kind,tool\n").unwrap_err(), "there is no column `examination`");
    }
}
