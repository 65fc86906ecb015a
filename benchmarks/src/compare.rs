//! Comparison of two result files at any time limit below the one they were measured with. Every
//! answer has its time, so the shorter run need not be repeated.

use crate::answer::same_value;
use crate::exam::Exam;
use crate::row::ResultRow;
use crate::verdict::{CONTRADICTION, Score, judge};
use parikh_net::printable::counted;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

/// Returns the rows as if the runs had ended after `seconds`. Later answers are removed, and their
/// questions count as unanswered. A row has only the time of its first answer, so a later
/// contradicting answer is kept with the first.
pub fn truncated_at(rows: &[ResultRow], seconds: f64) -> Vec<ResultRow> {
    let truncated = |row: &ResultRow| {
        let mut row = row.clone();
        if row.seconds.is_some_and(|answered| answered > seconds) {
            row.got.clear();
            row.techniques.clear();
            row.seconds = None;
            row.verdict = judge(&row.expected, "");
        }
        if row.wall > seconds {
            row.wall = seconds;
            row.end = "terminated".to_owned();
        }
        row
    };
    rows.iter().map(truncated).collect()
}

/// The kind of difference between two files on one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// Both files answer, with different values, or one of the answers lists several contradicting
    /// values.
    Contradicting,
    /// Only the first file answers.
    OnlyA,
    /// Only the second file answers.
    OnlyB,
}

/// The counts of one examination, over the questions that both files have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ComparisonLine {
    /// Questions in both files.
    pub question_count: usize,
    /// Questions with a known answer.
    pub known_answers: usize,
    /// Right answers of A and B.
    pub right_answers: [usize; 2],
    /// Wrong answers of A and B.
    pub wrong_answers: [usize; 2],
    /// Answers of A and B to questions without a known answer.
    pub new_answers: [usize; 2],
    /// Questions that only A, or only B, answers.
    pub only: [usize; 2],
    /// Questions that A and B answer differently, or with contradicting values in one answer.
    pub contradicting: usize,
}

/// The comparison of two result files, called A and B.
#[derive(Clone, Debug, Default)]
pub struct FileComparison<'r> {
    /// The counts of each examination.
    pub lines: BTreeMap<Exam, ComparisonLine>,
    /// All differences, each with the row of A and the row of B. The list is sorted by kind:
    /// contradictions, questions that only A answers, questions that only B answers. Within a kind,
    /// the order is that of A's rows.
    pub differences: Vec<(Difference, &'r ResultRow, &'r ResultRow)>,
    /// The numbers of questions that are only in A, and only in B.
    pub unpaired: [usize; 2],
}

/// Compares two files question by question. The known answer in A's row decides for both files.
/// Only if A's row has no known answer, the known answer in B's row decides.
pub fn compare<'r>(a: &'r [ResultRow], b: &'r [ResultRow]) -> FileComparison<'r> {
    /// Returns the identity of a row's question.
    fn key(row: &ResultRow) -> (&str, Exam, &str) {
        (&row.instance, row.exam, &row.id)
    }
    let rows_of_b: HashMap<_, &ResultRow> = b.iter().map(|row| (key(row), row)).collect();
    let mut paired = BTreeSet::new();
    let mut comparison = FileComparison::default();
    for row_a in a.iter().filter(|row| !row.id.is_empty()) {
        let Some(&row_b) = rows_of_b.get(&key(row_a)) else {
            comparison.unpaired[0] += 1;
            continue;
        };
        paired.insert(key(row_a));
        let line = comparison.lines.entry(row_a.exam).or_default();
        line.question_count += 1;
        let is_unknown = |row: &ResultRow| matches!(judge(&row.expected, ""), Score::Unknown);
        let expected = if is_unknown(row_a) { &row_b.expected } else { &row_a.expected };
        // An empty answer is judged as `Missing` exactly if the right answer is known.
        line.known_answers += usize::from(judge(expected, "") == Score::Missing);
        for (side, row) in [row_a, row_b].into_iter().enumerate() {
            match judge(expected, &row.got) {
                Score::Ok => line.right_answers[side] += 1,
                Score::Wrong => line.wrong_answers[side] += 1,
                Score::New => line.new_answers[side] += 1,
                Score::Missing | Score::Unknown => {}
            }
        }
        let difference = match (row_a.got.is_empty(), row_b.got.is_empty()) {
            (false, true) => {
                line.only[0] += 1;
                Difference::OnlyA
            }
            (true, false) => {
                line.only[1] += 1;
                Difference::OnlyB
            }
            (false, false) if is_contradiction(&row_a.got, &row_b.got) => {
                line.contradicting += 1;
                Difference::Contradicting
            }
            _ => continue,
        };
        comparison.differences.push((difference, row_a, row_b));
    }
    let is_unpaired = |row: &&ResultRow| !row.id.is_empty() && !paired.contains(&key(row));
    comparison.unpaired[1] = b.iter().filter(is_unpaired).count();
    comparison.differences.sort_by_key(|&(difference, ..)| difference);
    comparison
}

/// Returns true if two answers differ, or if one of them lists several contradicting values.
fn is_contradiction(a: &str, b: &str) -> bool {
    a.contains(CONTRADICTION) || b.contains(CONTRADICTION) || !same_value(a, b)
}

impl FileComparison<'_> {
    /// Returns true if some question has different answers in the two files, or contradicting
    /// values in one answer.
    pub fn contradicts(&self) -> bool {
        self.lines.values().any(|line| line.contradicting > 0)
    }

    /// Returns the table as text.
    pub fn print_table(&self) -> String {
        let mut total = ComparisonLine::default();
        let mut text = format!(
            "{:5} {:>6} {:>6} | {:>6} {:>6} | {:>5} {:>5} | {:>5} {:>5} | {:>6} {:>6} {:>6}\n",
            "exam",
            "asked",
            "known",
            "A ok",
            "B ok",
            "A bad",
            "B bad",
            "A new",
            "B new",
            "only A",
            "only B",
            "differ",
        );
        let mut print = |name: &str, line: &ComparisonLine| {
            let ComparisonLine {
                question_count: asked,
                known_answers: known,
                contradicting: differ,
                ..
            } = line;
            let ([a, b], [bad_a, bad_b]) = (line.right_answers, line.wrong_answers);
            let ([new_a, new_b], [only_a, only_b]) = (line.new_answers, line.only);
            // Writing to a String does not fail.
            let _ = writeln!(
                text,
                "{name:5} {asked:>6} {known:>6} | {a:>6} {b:>6} | {bad_a:>5} {bad_b:>5} | \
                 {new_a:>5} {new_b:>5} | {only_a:>6} {only_b:>6} {differ:>6}",
            );
        };
        for (exam, line) in &self.lines {
            print(exam.short(), line);
            total.question_count += line.question_count;
            total.known_answers += line.known_answers;
            total.contradicting += line.contradicting;
            for side in 0..2 {
                total.right_answers[side] += line.right_answers[side];
                total.wrong_answers[side] += line.wrong_answers[side];
                total.new_answers[side] += line.new_answers[side];
                total.only[side] += line.only[side];
            }
        }
        print("all", &total);
        if self.unpaired != [0, 0] {
            let [a, b] = self.unpaired;
            let _ =
                writeln!(text, "not compared: {} only in A, {b} only in B", counted(a, "question"));
        }
        text
    }

    /// Returns the differences as text, one per line.
    pub fn print_differences(&self) -> String {
        let mut text = String::new();
        for (difference, a, b) in &self.differences {
            let time_text =
                |row: &ResultRow| row.seconds.map_or(String::new(), |s| format!(" at {s:.2} s"));
            let known = format!("expected {}", a.expected);
            let (instance, exam, id) = (&a.instance, a.exam, &a.id);
            let description = match difference {
                Difference::Contradicting => {
                    format!(
                        "differ  A {}{}, B {}{}, {known}",
                        a.got,
                        time_text(a),
                        b.got,
                        time_text(b)
                    )
                }
                Difference::OnlyA => format!("only A  {}{}, {known}", a.got, time_text(a)),
                Difference::OnlyB => format!("only B  {}{}, {known}", b.got, time_text(b)),
            };
            // Writing to a String does not fail.
            let _ = writeln!(text, "{description}  {instance} {exam} {id}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::tests::answered;

    fn files() -> [Vec<ResultRow>; 2] {
        let a = vec![
            answered("A", "f", "TRUE", "TRUE", 1.0),
            answered("A", "g", "TRUE", "TRUE", 8.0),
            answered("A", "h", "?", "7", 1.0),
            answered("A", "i", "FALSE", "", 0.0),
            answered("Z", "f", "TRUE", "TRUE", 1.0),
        ];
        let b = vec![
            answered("A", "f", "TRUE", "FALSE", 1.0),
            answered("A", "g", "TRUE", "TRUE", 2.0),
            answered("A", "h", "?", "07", 1.0),
            answered("A", "i", "FALSE", "FALSE", 4.0),
        ];
        [a, b]
    }

    #[test]
    fn both_sides_are_counted_and_differences_listed() {
        let [a, b] = files();
        let comparison = compare(&a, &b);
        let line = comparison.lines[&Exam::ReachabilityCardinality];
        let expected = ComparisonLine {
            question_count: 4,
            known_answers: 3,
            right_answers: [2, 2],
            wrong_answers: [0, 1],
            new_answers: [1, 1],
            only: [0, 1],
            contradicting: 1,
        };
        assert_eq!(line, expected);
        assert_eq!(comparison.unpaired, [1, 0]);
        assert!(comparison.contradicts());
        let listed = comparison.print_differences();
        let lines: Vec<_> = listed.lines().collect();
        assert_eq!(
            lines,
            [
                "differ  A TRUE at 1.00 s, B FALSE at 1.00 s, expected TRUE  A RC f",
                "only B  FALSE at 4.00 s, expected FALSE  A RC i",
            ]
        );
    }

    #[test]
    fn a_shorter_limit_takes_later_answers_away() {
        let [a, b] = files().map(|rows| truncated_at(&rows, 3.0));
        let line = compare(&a, &b).lines[&Exam::ReachabilityCardinality];
        assert_eq!((line.right_answers, line.only), ([1, 1], [0, 1]));
        assert_eq!(a[1].verdict, Score::Missing);
        assert_eq!(a[1].wall, 3.0);
    }
}
