//! A contest in parts: each part makes some of the runs on any machine at any time, and the result
//! files are merged afterwards.

use crate::error::Error;
use crate::exam::Exam;
use crate::row::{self, ResultRow};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// One of several parts of a contest. Part i of n has the runs i, i+n, i+2n, …, so all parts take
/// about the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// The part's number, from 1.
    part_number: usize,
    /// The number of parts.
    part_count: usize,
}

impl Shard {
    /// Returns true if the part has the run at this position, from 0.
    pub fn has_run(self, position: usize) -> bool {
        position % self.part_count == self.part_number - 1
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let message =
            || format!("found `{text}`, expected PART/PARTS as in 3/40, from 1/40 to 40/40");
        let (part, parts) = text.split_once('/').ok_or_else(message)?;
        let [part, parts] = [part, parts].map(|number| number.trim().parse::<usize>());
        match (part, parts) {
            (Ok(part), Ok(parts)) if (1..=parts).contains(&part) => {
                Ok(Shard { part_number: part, part_count: parts })
            }
            _ => Err(message()),
        }
    }
}

/// Merges result files. Returns the rows grouped by instance, in the order of first appearance, and
/// by examination within an instance. A file that is given twice is read once.
///
/// # Errors
/// If a file cannot be read, has a run that was not written completely, or a run that another file
/// has too. A run counts as complete if its rows do not state their number.
pub fn merge(files: &[PathBuf]) -> Result<Vec<ResultRow>, Error> {
    let mut file_of_run: HashMap<(String, Exam), &Path> = HashMap::new();
    let mut merged: Vec<ResultRow> = Vec::new();
    for (index, file) in files.iter().enumerate() {
        if files[..index].contains(file) {
            // Two file patterns that the shell expands may match the same file.
            continue;
        }
        let fail = |problem: String| Error::Rows { path: file.clone(), problem };
        let rows = row::read(file)?;
        let mut counts: HashMap<(&str, Exam), usize> = HashMap::new();
        rows.iter().for_each(|row| *counts.entry((&row.instance, row.exam)).or_default() += 1);
        for row in &rows {
            let (name, exam) = (&row.instance, row.exam);
            if row.rows.is_some_and(|row_count| Some(&row_count) != counts.get(&(name, exam))) {
                return Err(fail(format!(
                    "the run of {name} {exam} is incomplete: finish this part first"
                )));
            }
            let first = *file_of_run.entry((name.clone(), exam)).or_insert(file);
            if first != file.as_path() {
                return Err(fail(format!(
                    "the run of {name} {exam} is also in {}",
                    first.display()
                )));
            }
        }
        merged.extend(rows);
    }
    let mut order: HashMap<String, usize> = HashMap::new();
    for row in &merged {
        let next = order.len();
        order.entry(row.instance.clone()).or_insert(next);
    }
    // The sort is stable, so the order within a run stays.
    merged.sort_by_key(|row| (order[&row.instance], row.exam as usize));
    Ok(merged)
}

/// Returns the requested runs that no row belongs to, in the order of the request.
pub fn missing_runs<'i>(
    rows: &[ResultRow],
    instances: &'i [String],
    exams: &[Exam],
) -> Vec<(&'i str, Exam)> {
    let made_runs: HashSet<(&str, Exam)> =
        rows.iter().map(|row| (&*row.instance, row.exam)).collect();
    let requested =
        instances.iter().flat_map(|name| exams.iter().map(move |&exam| (&**name, exam)));
    requested.filter(|run| !made_runs.contains(run)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::tests::answered;

    #[test]
    fn runs_that_nobody_made_are_told() {
        let rows = [answered("A", "f", "TRUE", "TRUE", 1.0)];
        let names = ["A", "B"].map(str::to_owned);
        let exams = [Exam::ReachabilityCardinality, Exam::OneSafe];
        let (a, b) = ("A", "B");
        let left = [(a, Exam::OneSafe), (b, Exam::ReachabilityCardinality), (b, Exam::OneSafe)];
        assert_eq!(missing_runs(&rows, &names, &exams), left);
    }

    #[test]
    fn every_run_is_in_one_part() {
        for parts in 1..6 {
            let shards: Vec<Shard> =
                (1..=parts).map(|part| format!("{part}/{parts}").parse().unwrap()).collect();
            for position in 0..30 {
                assert_eq!(shards.iter().filter(|shard| shard.has_run(position)).count(), 1);
            }
        }
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for text in ["", "3", "0/4", "5/4", "a/4", "1/0", "-1/4", "1/4/4"] {
            let refused = text.parse::<Shard>().unwrap_err();
            assert!(refused.contains(&format!("found `{text}`")), "{refused}");
        }
    }
}
