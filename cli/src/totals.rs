//! The totals of an examination about each node: a line at the end, with the nodes that are open.

use parikh::answer::QuestionValue;
use parikh::mcc::Examination;
use parikh::run::{KnownRange, OpenReason};
use parikh_net::printable::{Word, counted};
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::fmt;

/// The largest number of open nodes that the line of the totals names.
const MAX_NAMED: usize = 10;

/// The results of an examination about each node so far.
#[derive(Debug)]
pub(super) struct NodeTotals {
    examination: Examination,
    /// The answers that were not withdrawn, by the name of the node.
    decided: HashMap<String, QuestionValue>,
    /// The nodes that were reported as open, each with the range of its bound, if one is known. A
    /// node that has an answer, too, counts as decided. An answer may come after the report when
    /// the thread that ends the process reports open nodes while engines still run.
    reported_open: Vec<(String, Option<KnownRange>)>,
    /// The position of each node in `reported_open`.
    positions: HashMap<String, usize>,
    is_printed: bool,
}

impl NodeTotals {
    /// Returns the totals of an examination that has not begun. Returns `None` if the examination
    /// is not about each node.
    pub(super) fn of(examination: Examination) -> Option<NodeTotals> {
        let (decided, reported_open, positions, is_printed) = Default::default();
        let totals = NodeTotals { examination, decided, reported_open, positions, is_printed };
        examination.is_about_each_node().then_some(totals)
    }

    /// Returns true at the first call, so that the totals are printed once.
    pub(super) fn is_first_print(&mut self) -> bool {
        !std::mem::replace(&mut self.is_printed, true)
    }

    /// Returns true once the totals are printed. Then the process is ending.
    pub(super) fn is_printed(&self) -> bool {
        self.is_printed
    }

    /// Returns the name of the examination.
    pub(super) fn name(&self) -> &'static str {
        self.examination.name()
    }

    pub(super) fn add_answer(&mut self, node: &str, value: &QuestionValue) {
        self.decided.insert(node.to_owned(), value.clone());
    }

    /// Removes a withdrawn answer. If the node was reported as open before, it is open again.
    pub(super) fn remove_answer(&mut self, node: &str) {
        self.decided.remove(node);
    }

    /// Adds a node that was reported as open. A second report replaces the first one.
    pub(super) fn add_open(&mut self, node: &str, reason: &OpenReason) {
        let entry = (node.to_owned(), reason.known.maximum);
        let next = self.reported_open.len();
        match *self.positions.entry(node.to_owned()).or_insert(next) {
            position if position == next => self.reported_open.push(entry),
            position => self.reported_open[position] = entry,
        }
    }

    /// Returns the nodes without an answer, each with the range of its bound, if one is known.
    fn open(&self) -> Vec<&(String, Option<KnownRange>)> {
        self.reported_open.iter().filter(|(node, _)| !self.decided.contains_key(node)).collect()
    }

    /// Returns the number of open nodes.
    pub(super) fn open_count(&self) -> usize {
        self.open().len()
    }

    fn count(&self, value: &QuestionValue) -> usize {
        self.decided.values().filter(|it| *it == value).count()
    }

    /// Returns the totals without the names of nodes: `UpperBoundsAll: 204 of 210 bounds exact, 6
    /// open`, or the like of the other examinations.
    pub(super) fn counts(&self) -> String {
        let (decided, open) = (self.decided.len(), self.open_count());
        let [holds, fails] = [true, false].map(|value| self.count(&QuestionValue::Bool(value)));
        let nodes = |noun| counted(decided + open, noun);
        let verdicts = match self.examination {
            Examination::UpperBoundsAll => format!("{} exact", nodes("bound")),
            Examination::StableMarkingAll => {
                format!("{} decided: {holds} stable, {fails} not stable", nodes("place"))
            }
            Examination::QuasiLivenessAll => {
                format!("{} decided: {holds} can fire, {fails} cannot fire", nodes("transition"))
            }
            _ => format!("{} decided: {holds} live, {fails} not live", nodes("transition")),
        };
        let infinite = match self.count(&QuestionValue::Infinite) {
            0 => String::new(),
            infinite => format!(" ({infinite} infinite)"),
        };
        let open = if open > 0 { format!(", {open} open") } else { String::new() };
        format!("{}: {decided} of {verdicts}{infinite}{open}", self.examination)
    }

    /// Returns the summary of the examination as a JSON object, for the case that the process has
    /// to end before its engines. The number of internal errors is not known then.
    pub(super) fn forced_summary(&self) -> Json {
        json!({
            "type": "summary",
            "answered": self.decided.len(),
            "unanswered": self.open_count(),
            "internal_errors": null,
            "false_unit_claim": null,
            "totals": self.in_json(),
        })
    }

    /// Returns the numbers as JSON. `docs/parikh.schema.json` describes them.
    pub(super) fn in_json(&self) -> Json {
        let open = self.open_count();
        json!({
            "nodes": self.decided.len() + open,
            "decided": self.decided.len(),
            "true": self.count(&QuestionValue::Bool(true)),
            "false": self.count(&QuestionValue::Bool(false)),
            "infinite": self.count(&QuestionValue::Infinite),
            "open": open,
        })
    }
}

impl fmt::Display for NodeTotals {
    /// Writes the [counts](NodeTotals::counts) and the first open nodes: `UpperBoundsAll: 204 of 210
    /// bounds exact, 6 open: p between 1 and 4, …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.counts())?;
        let open_nodes = self.open();
        for (at, (node, range)) in open_nodes.iter().take(MAX_NAMED).enumerate() {
            write!(f, "{}{}", if at == 0 { ": " } else { ", " }, Word(node))?;
            match range {
                None => {}
                Some(KnownRange { least, most: Some(most) }) => {
                    write!(f, " between {least} and {most}")?;
                }
                Some(KnownRange { least, most: None }) => write!(f, " between {least} and ∞")?,
            }
        }
        match open_nodes.len().saturating_sub(MAX_NAMED) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh::run::{OpenCause, PartialKnowledge};

    fn out_of_time(maximum: Option<KnownRange>) -> OpenReason {
        let known = PartialKnowledge { maximum, ..PartialKnowledge::default() };
        OpenReason { cause: OpenCause::OutOfTime, known }
    }

    #[test]
    fn open_bounds_are_named_with_their_ranges() {
        let mut totals = NodeTotals::of(Examination::UpperBoundsAll).unwrap();
        totals.add_answer("p", &QuestionValue::Number(3));
        totals.add_answer("q", &QuestionValue::Infinite);
        assert_eq!(totals.to_string(), "UpperBoundsAll: 2 of 2 bounds exact (1 infinite)");
        totals.remove_answer("q");
        totals.add_open("q", &out_of_time(Some(KnownRange { least: 1, most: Some(4) })));
        totals.add_open("r s", &out_of_time(Some(KnownRange { least: 0, most: None })));
        let said = "UpperBoundsAll: 1 of 3 bounds exact, 2 open: q between 1 and 4, \
                    r\\u{20}s between 0 and ∞";
        assert_eq!(totals.to_string(), said);
        (0..9).for_each(|node| totals.add_open(&node.to_string(), &out_of_time(None)));
        assert!(totals.to_string().ends_with("5, 6, 7 and 1 more"), "{totals}");
        let summary = totals.forced_summary();
        assert_eq!(summary["totals"], totals.in_json());
        assert_eq!((&summary["answered"], &summary["unanswered"]), (&1.into(), &11.into()));
    }

    #[test]
    fn a_node_is_either_open_or_decided() {
        let mut totals = NodeTotals::of(Examination::LivenessAll).unwrap();
        let counts = |totals: &NodeTotals| {
            let totals = totals.in_json();
            ["nodes", "decided", "open"].map(|key| totals[key].as_u64().unwrap())
        };
        // The node is given up, is answered nevertheless, and the answer is withdrawn.
        totals.add_open("t", &out_of_time(None));
        totals.add_answer("t", &QuestionValue::Bool(true));
        assert_eq!(counts(&totals), [1, 1, 0]);
        let said = "LivenessAll: 1 of 1 transition decided: 1 live, 0 not live";
        assert_eq!(totals.to_string(), said);
        totals.remove_answer("t");
        assert_eq!(counts(&totals), [1, 0, 1]);
        assert!(totals.to_string().ends_with("1 open: t"), "{totals}");
        // A later view of a coloured net reports the node again.
        totals.add_open("t", &out_of_time(None));
        assert_eq!(counts(&totals), [1, 0, 1]);
        // The answer is withdrawn before the node is given up.
        totals.add_answer("u", &QuestionValue::Bool(true));
        totals.remove_answer("u");
        totals.add_open("u", &out_of_time(None));
        assert_eq!(counts(&totals), [2, 0, 2]);
    }

    #[test]
    fn truth_values_are_counted() {
        let mut totals = NodeTotals::of(Examination::LivenessAll).unwrap();
        totals.add_answer("t", &QuestionValue::Bool(true));
        totals.add_answer("u", &QuestionValue::Bool(false));
        totals.add_open("v", &out_of_time(None));
        let said = "LivenessAll: 2 of 3 transitions decided: 1 live, 1 not live, 1 open: v";
        assert_eq!(totals.to_string(), said);
        assert!(NodeTotals::of(Examination::Liveness).is_none());
    }
}
