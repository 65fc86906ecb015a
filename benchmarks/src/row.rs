//! The rows of result files. The first eight columns are those of other tools' result files; the
//! others are optional when read.

use crate::error::Error;
use crate::exam::Exam;
use crate::verdict::Score;
use std::path::Path;

/// One line of a result file: the outcome of a question, with data about its run.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultRow {
    /// The instance's name.
    pub instance: String,
    /// The examination.
    pub exam: Exam,
    /// The formula's id, the name of an examination with a single question, or the key of a
    /// state-space figure. Empty in the only row of a run without questions and answers.
    pub id: String,
    /// The known answer, `?` or empty when there is none.
    pub expected: String,
    /// The tool's answer, empty if there is none. Contradicting answers are separated by slashes.
    pub got: String,
    /// The comparison of `got` with `expected`.
    pub verdict: Score,
    /// Seconds from the start of the run to the answer. `None` without an answer.
    pub seconds: Option<f64>,
    /// Seconds from the start to the end of the run.
    pub wall: f64,
    /// The peak memory of the run in MB. This is the largest resident set of a process, or, for a
    /// run by BenchExec, the peak of all processes together. `None` if the file does not state it.
    pub memory: Option<u64>,
    /// The end of the run, as [`crate::run::RunEnd`] prints it. Empty if the file does not state
    /// it.
    pub end: String,
    /// Number of rows of the run: a run with fewer rows was not written completely. `None` if the
    /// file does not state the number.
    pub rows: Option<usize>,
    /// The techniques the tool claims for the answer.
    pub techniques: String,
}

/// The columns in writing order.
pub const COLUMNS: [&str; 12] = [
    "instance",
    "exam",
    "id",
    "expected",
    "got",
    "verdict",
    "seconds",
    "wall",
    "memory",
    "end",
    "rows",
    "techniques",
];

impl ResultRow {
    /// Returns the fields in the order of [`COLUMNS`].
    fn fields(&self) -> [String; 12] {
        let number = |number: Option<u64>| number.map_or_else(String::new, |n| n.to_string());
        [
            self.instance.clone(),
            self.exam.to_string(),
            self.id.clone(),
            self.expected.clone(),
            self.got.clone(),
            self.verdict.to_string(),
            self.seconds.map_or_else(String::new, |seconds| format!("{seconds:.3}")),
            format!("{:.3}", self.wall),
            number(self.memory),
            self.end.clone(),
            number(self.rows.map(|rows| rows as u64)),
            self.techniques.clone(),
        ]
    }
}

/// Writes rows as lines of CSV. If `header` is true, the first line has the column names.
pub fn print(rows: &[ResultRow], header: bool) -> Vec<u8> {
    const PROOF: &str = "a Vec takes every write, and every row has as many fields";
    let mut writer = csv::Writer::from_writer(Vec::new());
    if header {
        writer.write_record(COLUMNS).expect(PROOF);
    }
    rows.iter().for_each(|row| writer.write_record(row.fields()).expect(PROOF));
    writer.into_inner().expect(PROOF)
}

/// Reads a result file of this harness or of another tool.
///
/// # Errors
/// If the file cannot be read, lacks one of the first eight columns of [`COLUMNS`], or has a field
/// of the wrong type.
pub fn read(path: &Path) -> Result<Vec<ResultRow>, Error> {
    let text = std::fs::read(path).map_err(Error::at(path))?;
    parse(&text).map_err(|problem| Error::Rows { path: path.to_owned(), problem })
}

/// Parses rows from CSV text.
///
/// # Errors
/// A message if the text is not CSV, lacks one of the first eight columns of [`COLUMNS`], or has a
/// field of the wrong type.
pub fn parse(text: &[u8]) -> Result<Vec<ResultRow>, String> {
    let mut reader = csv::Reader::from_reader(text);
    let header = reader.headers().map_err(|error| error.to_string())?.clone();
    let column = |name: &str| header.iter().position(|column| column == name);
    let mut positions = [None; 12];
    for (index, name) in COLUMNS.into_iter().enumerate() {
        positions[index] = column(name);
        if index < 8 && positions[index].is_none() {
            return Err(format!("there is no column `{name}`"));
        }
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let line = record.position().map_or(0, csv::Position::line);
        let row =
            row(|column| positions[column].and_then(|index| record.get(index)).unwrap_or_default());
        rows.push(row.map_err(|problem| format!("line {line}: {problem}"))?);
    }
    Ok(rows)
}

/// Makes a row of text fields, given by their index in [`COLUMNS`].
fn row<'r>(field: impl Fn(usize) -> &'r str) -> Result<ResultRow, String> {
    fn number<N: std::str::FromStr>(name: &str, text: &str) -> Result<Option<N>, String> {
        match text {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| format!("{name} `{text}` is not a number")),
        }
    }
    Ok(ResultRow {
        instance: field(0).to_owned(),
        exam: field(1).parse().map_err(|error| format!("{error}"))?,
        id: field(2).to_owned(),
        expected: field(3).to_owned(),
        got: field(4).to_owned(),
        verdict: field(5).parse().map_err(|error| format!("{error}"))?,
        seconds: number("seconds", field(6))?,
        wall: number("wall", field(7))?.unwrap_or(0.0),
        memory: number("memory", field(8))?,
        end: field(9).to_owned(),
        rows: number("rows", field(10))?,
        techniques: field(11).to_owned(),
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A row for tests: the id of formula `f`, judged.
    pub(crate) fn answered(
        instance: &str,
        f: &str,
        expected: &str,
        got: &str,
        at: f64,
    ) -> ResultRow {
        ResultRow {
            instance: instance.to_owned(),
            exam: Exam::ReachabilityCardinality,
            id: f.to_owned(),
            expected: expected.to_owned(),
            got: got.to_owned(),
            verdict: crate::verdict::judge(expected, got),
            seconds: (!got.is_empty()).then_some(at),
            wall: 9.5,
            memory: Some(12),
            end: "exit 0".to_owned(),
            rows: Some(1),
            techniques: "A B".to_owned(),
        }
    }

    #[test]
    fn rows_are_read_back() {
        let rows =
            [answered("A", "f,\"1\"", "TRUE", "TRUE", 1.25), answered("A", "g", "?", "", 0.)];
        assert_eq!(parse(&print(&rows, true)).unwrap(), rows);
    }

    #[test]
    fn the_files_of_peers_are_read() {
        let text = "instance,exam,id,expected,got,verdict,seconds,wall\n\
                    A,UB,f,1,,miss,,29.59\nA,UB,g,2,2,ok,13.31,29.59\n";
        let rows = parse(text.as_bytes()).unwrap();
        assert_eq!((rows[0].verdict, rows[0].seconds), (Score::Missing, None));
        assert_eq!((rows[1].seconds, rows[1].memory, rows[1].rows), (Some(13.31), None, None));
    }

    #[test]
    fn what_is_wrong_in_a_file_is_said() {
        assert_eq!(parse(b"instance,exam\n").unwrap_err(), "there is no column `id`");
        let text = "instance,exam,id,expected,got,verdict,seconds,wall\nA,UB,f,1,1,ok,x,2\n";
        assert_eq!(parse(text.as_bytes()).unwrap_err(), "line 2: seconds `x` is not a number");
    }
}
