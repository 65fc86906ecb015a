//! Results at a glance: the answers of a run within several time limits beside the answers of the
//! contest's tools, by examination, for place/transition nets and for coloured nets.
//!
//! Each answer of a run has its time, so one run gives the answers within every shorter limit. A
//! run may cover a part of the instances. Therefore shares are compared, not numbers: the share of
//! the run is of the known answers of its instances, the share of a tool of the known answers of
//! all instances. [`crate::glance_page`] writes the page.

use crate::compare::truncated_at;
use crate::error::Error;
use crate::exam::Exam;
use crate::instance::NetKind;
use crate::oracle;
use crate::peers::{ALL_TOOLS, PeerTotals};
use crate::row::ResultRow;
use crate::table::sum_up;
use crate::verdict::{Score, judge};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The counts that a page needs.
#[derive(Clone, Debug)]
pub struct Glance {
    /// The time limits in seconds, ascending, at least one.
    pub limits: Vec<f64>,
    /// The number of all instances of each kind.
    pub instance_counts: BTreeMap<NetKind, usize>,
    /// The number of known answers of all instances.
    pub known_answers: BTreeMap<(NetKind, Exam), usize>,
    /// The counts of the examinations that were run.
    pub runs: BTreeMap<(NetKind, Exam), RunCounts>,
    /// The answers of the contest's tools.
    pub peers: PeerTotals,
}

/// The counts of an examination over the instances of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunCounts {
    /// The number of instances that were run.
    pub instance_count: usize,
    /// Known answers of these instances.
    pub known_answers: usize,
    /// Right answers within each time limit.
    pub right_answers: Vec<usize>,
    /// Answers within the longest limit to questions without a known answer.
    pub new_answers: usize,
    /// Answers within the longest limit that differ from the known answer.
    pub wrong_answers: usize,
    /// The wall time in seconds of the longest run that left a question with a known answer open.
    /// `None` if there is no such run.
    pub longest_open_run: Option<f64>,
}

impl Glance {
    /// Counts the answers in `rows`.
    pub fn new(
        limits: Vec<f64>,
        instances: &[String],
        known_answers: BTreeMap<(NetKind, Exam), usize>,
        rows: &[ResultRow],
        peers: PeerTotals,
    ) -> Glance {
        let mut instance_counts = BTreeMap::new();
        for kind in instances.iter().filter_map(|name| NetKind::of(name)) {
            *instance_counts.entry(kind).or_default() += 1;
        }
        let mut rows_of: BTreeMap<(NetKind, Exam), Vec<ResultRow>> = BTreeMap::new();
        for row in rows {
            if let Some(kind) = NetKind::of(&row.instance) {
                rows_of.entry((kind, row.exam)).or_default().push(row.clone());
            }
        }
        let runs = rows_of.iter().map(|(key, rows)| (*key, RunCounts::new(rows, &limits)));
        let runs = runs.collect();
        Glance { limits, instance_counts, known_answers, runs, peers }
    }

    /// Returns the number that is the whole of the tools' shares: the known answers of all
    /// instances, or the answers of all tools together if these are more. They are more for
    /// StateSpace, as the known answers cover only some of the nets.
    pub fn whole_of_tools(&self, kind: NetKind, exam: Exam) -> usize {
        let all_tools = self.peers.of(kind, exam, ALL_TOOLS).map_or(0, |count| count.answers);
        all_tools.max(self.known_answers.get(&(kind, exam)).copied().unwrap_or(0))
    }

    /// Returns the share of a tool's answers. `None` if the tool took no part, or its answers are
    /// not known.
    pub fn share_of_tool(&self, kind: NetKind, exam: Exam, tool: &str) -> Option<Share> {
        let answers = self.peers.of(kind, exam, tool)?.answers;
        Some(Share { part: answers, whole: self.whole_of_tools(kind, exam) })
    }

    /// Returns the share of the right answers within each time limit. Empty if the examination was
    /// not run.
    pub fn shares_of_run(&self, kind: NetKind, exam: Exam) -> Vec<Share> {
        let Some(counts) = self.runs.get(&(kind, exam)) else { return Vec::new() };
        let whole = counts.known_answers;
        counts.right_answers.iter().map(|&part| Share { part, whole }).collect()
    }
}

impl RunCounts {
    /// Counts the rows of one kind and examination.
    fn new(rows: &[ResultRow], limits: &[f64]) -> RunCounts {
        let within = |limit: &f64| sum_up(&truncated_at(rows, *limit)).1;
        let last = limits.last().map(within).unwrap_or_default();
        let instances: BTreeSet<&str> = rows.iter().map(|row| &*row.instance).collect();
        let open = rows.iter().filter(|row| row.verdict == Score::Missing);
        RunCounts {
            instance_count: instances.len(),
            known_answers: last.known_answers,
            right_answers: limits.iter().map(|limit| within(limit).right_answers).collect(),
            new_answers: last.new_answers,
            wrong_answers: last.wrong_answers,
            longest_open_run: open.map(|row| row.wall).max_by(f64::total_cmp),
        }
    }
}

/// A part of a number of questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The answers.
    pub part: usize,
    /// The questions.
    pub whole: usize,
}

impl Share {
    /// Returns the share as a fraction, and 0 if there are no questions.
    pub fn fraction(self) -> f64 {
        if self.whole == 0 { 0.0 } else { self.part as f64 / self.whole as f64 }
    }

    /// Returns the share in per cent with one decimal, rounded down: only a share of all questions
    /// is 100. Returns a dash if there are no questions.
    pub fn percent(self) -> String {
        match (self.part * 1000).checked_div(self.whole) {
            None => "–".to_owned(),
            Some(1000) => "100".to_owned(),
            Some(permille) => format!("{}.{}", permille / 10, permille % 10),
        }
    }
}

/// Counts the known answers of instances in the files of a directory, by kind of net and
/// examination.
///
/// # Errors
/// If a file cannot be read or has a line that is no answer.
pub fn known_answers(
    directory: &Path,
    instances: &[String],
) -> Result<BTreeMap<(NetKind, Exam), usize>, Error> {
    oracle::check(directory)?;
    let mut counts = BTreeMap::new();
    for (name, exam) in oracle::instance_exam_pairs(instances, Exam::ALL) {
        let Some(kind) = NetKind::of(name) else { continue };
        let answers = oracle::read(directory, name, exam)?.unwrap_or_default();
        // An empty answer is judged as `Missing` exactly if the right answer is known.
        let is_known =
            |answer: &&oracle::OracleQuestion| judge(&answer.expected, "") == Score::Missing;
        *counts.entry((kind, exam)).or_default() += answers.iter().filter(is_known).count();
    }
    Ok(counts)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::peers::tests::totals;
    use crate::row::tests::answered;

    /// Two P/T nets of three, with one answer of each kind, and a coloured net without runs.
    pub(crate) fn glance() -> Glance {
        let mut rows = vec![
            answered("A-PT-1", "f", "TRUE", "TRUE", 0.5),
            answered("A-PT-1", "g", "TRUE", "TRUE", 3.0),
            answered("A-PT-1", "h", "TRUE", "FALSE", 3.0),
            answered("A-PT-1", "i", "?", "TRUE", 4.0),
            answered("B-PT-1", "f", "FALSE", "FALSE", 70.0),
            answered("B-PT-1", "g", "FALSE", "", 0.0),
            answered("B-PT-1", "h", "?", "TRUE", 70.0),
        ];
        rows[4..].iter_mut().for_each(|row| row.wall = 75.0);
        let instances = ["A-PT-1", "B-PT-1", "C-PT-1", "A-COL-1"].map(str::to_owned);
        let rc = Exam::ReachabilityCardinality;
        let known = [
            ((NetKind::PlaceTransition, rc), 8),
            ((NetKind::PlaceTransition, Exam::StateSpace), 4),
            ((NetKind::Coloured, rc), 3),
        ];
        let peers =
            totals("PT,RC,BVT,8,0\nPT,RC,one,7,0\nPT,RC,two,2,1\nPT,SS,BVT,5,0\nPT,SS,one,4,0\n");
        let known = BTreeMap::from(known);
        Glance::new(vec![1.0, 5.0, 60.0], &instances, known, &rows, peers)
    }

    #[test]
    fn answers_count_within_each_limit_over_the_instances_of_the_run() {
        let glance = glance();
        let rc = Exam::ReachabilityCardinality;
        let counts = &glance.runs[&(NetKind::PlaceTransition, rc)];
        let expected = RunCounts {
            instance_count: 2,
            known_answers: 5,
            right_answers: vec![1, 2, 2],
            new_answers: 1,
            wrong_answers: 1,
            longest_open_run: Some(75.0),
        };
        assert_eq!(counts, &expected);
        let shares = glance.shares_of_run(NetKind::PlaceTransition, rc);
        assert_eq!(
            shares.iter().map(|it| it.percent()).collect::<Vec<_>>(),
            ["20.0", "40.0", "40.0"]
        );
        assert_eq!(glance.shares_of_run(NetKind::Coloured, rc), []);
        assert_eq!(glance.instance_counts[&NetKind::PlaceTransition], 3);
    }

    #[test]
    fn the_share_of_a_tool_is_of_all_instances() {
        let glance = glance();
        let (kind, rc) = (NetKind::PlaceTransition, Exam::ReachabilityCardinality);
        assert_eq!(glance.share_of_tool(kind, rc, "one"), Some(Share { part: 7, whole: 8 }));
        assert_eq!(glance.share_of_tool(kind, rc, "three"), None);
        assert_eq!(glance.share_of_tool(NetKind::Coloured, rc, "one"), None);
        // All tools together gave more figures than are known.
        let figures = glance.share_of_tool(kind, Exam::StateSpace, "one");
        assert_eq!(figures, Some(Share { part: 4, whole: 5 }));
    }

    #[test]
    fn only_all_answers_are_a_hundred_per_cent() {
        let percent = |part, whole| Share { part, whole }.percent();
        assert_eq!(percent(1999, 2000), "99.9");
        assert_eq!(percent(2000, 2000), "100");
        assert_eq!(percent(1, 3), "33.3");
        assert_eq!(percent(0, 0), "–");
        assert_eq!(Share { part: 0, whole: 0 }.fraction(), 0.0);
    }

    #[test]
    fn known_answers_are_counted_by_kind() {
        let directory = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
        write("A-PT-1-UB.out", "A\nFORMULA a 3 TECHNIQUES O\nFORMULA b ? TECHNIQUES O\n");
        write("A-COL-1-UB.out", "A\nFORMULA a +inf TECHNIQUES O\nFORMULA b 0 TECHNIQUES O\n");
        write("Z-PT-1-UB.out", "Z\nFORMULA a 3 TECHNIQUES O\n");
        let instances = ["A-PT-1", "A-COL-1", "A"].map(str::to_owned);
        let counts = known_answers(directory.path(), &instances).unwrap();
        assert_eq!(counts[&(NetKind::PlaceTransition, Exam::UpperBounds)], 1);
        assert_eq!(counts[&(NetKind::Coloured, Exam::UpperBounds)], 2);
        assert_eq!(counts[&(NetKind::Coloured, Exam::OneSafe)], 0);
    }
}
