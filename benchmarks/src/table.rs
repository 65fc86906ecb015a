//! Totals of a result file: one line per examination.

use crate::exam::Exam;
use crate::row::ResultRow;
use crate::verdict::{Score, judge};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The counts of an examination.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableLine {
    /// Questions, with or without a known answer.
    pub question_count: usize,
    /// Questions with a known answer.
    pub known_answers: usize,
    /// Right answers.
    pub right_answers: usize,
    /// Wrong answers, including contradictions on questions without a known answer.
    pub wrong_answers: usize,
    /// Known answers that the tool did not give.
    pub missing_answers: usize,
    /// Answers to questions without a known answer.
    pub new_answers: usize,
    /// The wall time of each run, ascending, in seconds.
    pub walls: Vec<f64>,
    /// The largest peak memory of any run, in MB. 0 if the file states no memory.
    pub memory: u64,
    /// Runs that did not exit by themselves with status 0, for example runs ended at the time
    /// limit. Runs whose end the file does not state are not counted.
    pub cut: usize,
}

impl TableLine {
    /// Counts the question of a row. The wall time and the memory of its run are counted
    /// separately.
    fn add(&mut self, row: &ResultRow) {
        self.question_count += usize::from(!row.id.is_empty());
        // An empty answer is judged as `Missing` exactly if the right answer is known.
        self.known_answers += usize::from(judge(&row.expected, "") == Score::Missing);
        match row.verdict {
            Score::Ok => self.right_answers += 1,
            Score::Wrong => self.wrong_answers += 1,
            Score::Missing => self.missing_answers += 1,
            Score::New => self.new_answers += 1,
            Score::Unknown => {}
        }
    }

    /// Returns the median wall time of the runs; 0 without runs.
    pub fn median_wall(&self) -> f64 {
        match self.walls.len() {
            0 => 0.0,
            n if n % 2 == 1 => self.walls[n / 2],
            n => (self.walls[n / 2 - 1] + self.walls[n / 2]) / 2.0,
        }
    }
}

/// Returns the counts of each examination, and the counts of all examinations together.
pub fn sum_up(rows: &[ResultRow]) -> (BTreeMap<Exam, TableLine>, TableLine) {
    let mut lines: BTreeMap<Exam, TableLine> = BTreeMap::new();
    let mut total = TableLine::default();
    let mut runs = BTreeSet::new();
    for row in rows {
        let is_new_run = runs.insert((&row.instance, row.exam));
        for line in [lines.entry(row.exam).or_default(), &mut total] {
            line.add(row);
            if is_new_run {
                line.walls.push(row.wall);
                line.memory = line.memory.max(row.memory.unwrap_or(0));
                line.cut += usize::from(!matches!(&*row.end, "" | "exit 0"));
            }
        }
    }
    for line in lines.values_mut().chain([&mut total]) {
        line.walls.sort_by(f64::total_cmp);
    }
    (lines, total)
}

/// Returns the table as text. The column `cut` counts runs that did not exit by themselves with
/// status 0.
pub fn print(rows: &[ResultRow]) -> String {
    let (lines, total) = sum_up(rows);
    let mut text = format!(
        "{:5} {:>5} {:>6} {:>6} {:>6} {:>6} {:>7} {:>6} {:>5} {:>9} {:>9} {:>8}\n",
        "exam",
        "runs",
        "asked",
        "known",
        "right",
        "wrong",
        "missing",
        "new",
        "cut",
        "median s",
        "total s",
        "peak MB",
    );
    let named = lines.iter().map(|(exam, line)| (exam.short(), line));
    for (name, line) in named.chain([("all", &total)]) {
        let TableLine {
            question_count: asked,
            known_answers: known,
            right_answers: right,
            wrong_answers: wrong,
            missing_answers: missing,
            new_answers: new,
            memory,
            cut,
            ..
        } = line;
        let (runs, median) = (line.walls.len(), line.median_wall());
        // The sum of an empty list of floats is -0, which would be printed with its sign.
        let sum = line.walls.iter().sum::<f64>() + 0.0;
        // Writing to a String does not fail.
        let _ = writeln!(
            text,
            "{name:5} {runs:>5} {asked:>6} {known:>6} {right:>6} {wrong:>6} {missing:>7} {new:>6} \
             {cut:>5} {median:>9.2} {sum:>9.1} {memory:>8}",
        );
    }
    for row in rows.iter().filter(|row| row.verdict == Score::Wrong) {
        let ResultRow { instance, exam, id, expected, got, .. } = row;
        let _ = writeln!(text, "WRONG {instance} {exam} {id}: expected {expected}, got {got}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::tests::answered;

    #[test]
    fn rows_are_counted_and_runs_are_timed_once() {
        let mut rows = vec![
            answered("A", "f", "TRUE", "TRUE", 1.0),
            answered("A", "g", "TRUE", "FALSE", 1.0),
            answered("A", "h", "TRUE", "", 0.0),
            answered("B", "f", "?", "TRUE", 1.0),
            answered("B", "g", "?", "", 0.0),
        ];
        for row in &mut rows[3..] {
            row.wall = 1.5;
            row.end = "terminated".to_owned();
        }
        let (lines, total) = sum_up(&rows);
        let line = &lines[&Exam::ReachabilityCardinality];
        assert_eq!(line, &total);
        assert_eq!(
            (line.question_count, line.known_answers, line.right_answers, line.wrong_answers),
            (5, 3, 1, 1)
        );
        assert_eq!((line.missing_answers, line.new_answers, line.cut), (1, 1, 1));
        assert_eq!((line.walls.len(), line.median_wall(), line.memory), (2, 5.5, 12));
        let text = print(&rows);
        assert!(text.contains("WRONG A RC g: expected TRUE, got FALSE"), "{text}");
    }

    #[test]
    fn nothing_sums_up_to_nothing() {
        assert_eq!(sum_up(&[]).1.median_wall(), 0.0);
        assert_eq!(print(&[]).lines().count(), 2);
    }
}
