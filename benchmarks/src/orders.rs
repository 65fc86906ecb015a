//! Comparison of orders of places for decision diagrams.
//!
//! A portfolio of orders does not need the orders that complete most nets. It needs orders that
//! complete nets on which its other orders fail. [`ranked`] therefore lists the orders by the
//! number of nets that each adds.

use crate::error::Error;
use parikh::engine::diagrams::try_each_order;
use parikh::run::ReducedCount;
use parikh_net::Net;
use parikh_solvers::Budget;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

/// The columns of the result file.
const COLUMNS: [&str; 5] = ["instance", "method", "seconds", "nodes", "outcome"];

/// The outcome of an order that completed.
const COMPLETE: &str = "complete";

/// Time for the reduction of a net.
const REDUCTION_TIME: Duration = Duration::from_secs(10);

/// The result of one order on one net.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderRow {
    /// The instance's name.
    pub instance: String,
    /// The method that made the order.
    pub method: String,
    /// Time until the diagram was complete, or the try ended, in seconds.
    pub seconds: f64,
    /// Largest number of nodes of the diagrams.
    pub nodes: usize,
    /// True if the reachable set was completed.
    pub is_complete: bool,
}

/// Tries each order of the largest part of the net that is counted, for at most `timeout` each.
/// Returns no rows if nothing is left to count, or the reduction failed.
pub fn measure(net: &Net, timeout: Duration) -> Vec<OrderRow> {
    let budget = Budget::unlimited();
    let Ok(count) = ReducedCount::prepare(net, &[], &budget.slice(REDUCTION_TIME)) else {
        return Vec::new();
    };
    let largest_part = count.counted_nets().max_by_key(|net| net.place_count());
    let tries = largest_part.map(|part| try_each_order(part, timeout, &budget));
    let row = |tried: &parikh::run::OrderTry| {
        let (time, result) = tried.outcome.unwrap_or((timeout, Ok(())));
        OrderRow {
            instance: String::new(),
            method: tried.method.to_string(),
            seconds: time.as_secs_f64(),
            nodes: tried.figures.peak,
            is_complete: tried.outcome.is_some() && result.is_ok(),
        }
    };
    tries.iter().flatten().map(row).collect()
}

/// A result file that grows instance by instance.
#[derive(Debug)]
pub struct OrderFile {
    /// The rows of the file.
    pub rows: Vec<OrderRow>,
    file: csv::Writer<std::fs::File>,
    path: std::path::PathBuf,
}

impl OrderFile {
    /// Opens the file, or creates it.
    ///
    /// # Errors
    /// If the file cannot be read or written, or has a malformed row.
    pub fn open(path: &Path) -> Result<OrderFile, Error> {
        let mut options = std::fs::OpenOptions::new();
        let file =
            options.create(true).read(true).append(true).open(path).map_err(Error::at(path))?;
        let reading = file.try_clone().map_err(Error::at(path))?;
        let mut rows = Vec::new();
        for record in csv::Reader::from_reader(reading).records() {
            let record = record.map_err(|error| Error::at(path)(error.into()))?;
            let row = parse(&record).ok_or_else(|| Error::Rows {
                path: path.to_owned(),
                problem: format!("`{record:?}` is not a row of a comparison of orders"),
            })?;
            rows.push(row);
        }
        let is_new = file.metadata().map_err(Error::at(path))?.len() == 0;
        let mut file = csv::Writer::from_writer(file);
        if is_new {
            file.write_record(COLUMNS).map_err(|error| Error::at(path)(error.into()))?;
        }
        Ok(OrderFile { rows, file, path: path.to_owned() })
    }

    /// Returns true if the file has rows of this instance.
    pub fn has(&self, instance: &str) -> bool {
        self.rows.iter().any(|row| row.instance == instance)
    }

    /// Adds the rows of an instance. An instance without rows gets a row without a method.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, instance: &str, rows: Vec<OrderRow>) -> Result<(), Error> {
        let none = OrderRow {
            instance: String::new(),
            method: "none".to_owned(),
            seconds: 0.0,
            nodes: 0,
            is_complete: false,
        };
        let rows = if rows.is_empty() { vec![none] } else { rows };
        for row in rows {
            let row = OrderRow { instance: instance.to_owned(), ..row };
            let outcome = if row.is_complete { COMPLETE } else { "open" };
            let (seconds, nodes) = (format!("{:.3}", row.seconds), row.nodes.to_string());
            let fields = [&row.instance, &row.method, &seconds, &nodes, outcome];
            self.file.write_record(fields).map_err(|error| Error::at(&self.path)(error.into()))?;
            self.rows.push(row);
        }
        self.file.flush().map_err(Error::at(&self.path))
    }
}

/// Reads a row of the result file.
fn parse(record: &csv::StringRecord) -> Option<OrderRow> {
    let [instance, method, seconds, nodes, outcome] = record.iter().collect::<Vec<_>>()[..] else {
        return None;
    };
    Some(OrderRow {
        instance: instance.to_owned(),
        method: method.to_owned(),
        seconds: seconds.parse().ok()?,
        nodes: nodes.parse().ok()?,
        is_complete: outcome == COMPLETE,
    })
}

/// A method, compared with the methods before it in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodGain {
    /// The method.
    pub method: String,
    /// Number of nets that the method completes and no method before it completes.
    pub gain: usize,
    /// Number of nets that the method completes.
    pub complete: usize,
    /// Number of nets that only this method completes.
    pub alone: usize,
    /// Seconds that the method saves on nets that a method before it completes.
    pub saved: f64,
}

/// Lists the methods. Each time the method follows that completes most nets that no method above
/// completes. Among equal ones the method follows that saves most time on the other nets. Methods
/// that add neither a net nor a tenth of a second are left out.
pub fn ranked(rows: &[OrderRow]) -> Vec<MethodGain> {
    let mut times: BTreeMap<&str, BTreeMap<&str, f64>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.is_complete) {
        times.entry(&row.method).or_default().insert(&row.instance, row.seconds);
    }
    let mut best: BTreeMap<&str, f64> = BTreeMap::new();
    let mut ranked = Vec::new();
    while !times.is_empty() {
        let gain = |completed: &BTreeMap<&str, f64>| {
            let new = completed.keys().filter(|net| !best.contains_key(*net)).count();
            let saved = completed.iter().filter_map(|(net, time)| Some(best.get(net)? - time));
            (new, saved.fold(0.0, |sum, seconds| sum + f64::max(seconds, 0.0)))
        };
        let by_gain = |a: &&str, b: &&str| {
            let (a, b) = (gain(&times[*a]), gain(&times[*b]));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        };
        // The first of equally good methods in the alphabet.
        let Some(method) = times.keys().copied().rev().max_by(by_gain) else { break };
        let (new, saved) = gain(&times[method]);
        let Some(completed) = times.remove(method) else { break };
        if new == 0 && saved < 0.1 {
            break;
        }
        let others: BTreeSet<&str> = rows
            .iter()
            .filter(|row| row.is_complete && row.method != method)
            .map(|row| &*row.instance)
            .collect();
        ranked.push(MethodGain {
            method: method.to_owned(),
            gain: new,
            complete: completed.len(),
            alone: completed.keys().filter(|net| !others.contains(*net)).count(),
            saved,
        });
        for (net, time) in completed {
            let fastest = best.entry(net).or_insert(time);
            *fastest = fastest.min(time);
        }
    }
    ranked
}

/// Returns the table of all methods that add something.
pub fn table(rows: &[OrderRow]) -> String {
    let nets: BTreeSet<&str> = rows.iter().map(|row| &*row.instance).collect();
    let mut text = format!("{} nets\n\n", nets.len());
    text.push_str("| method | adds | completes | only it completes | saves (s) |\n");
    text.push_str("|---|---|---|---|---|\n");
    for MethodGain { method, gain, complete, alone, saved } in ranked(rows) {
        let _ = writeln!(text, "| {method} | {gain} | {complete} | {alone} | {saved:.1} |");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(method: &str, instance: &str, seconds: f64) -> OrderRow {
        OrderRow {
            instance: instance.to_owned(),
            method: method.to_owned(),
            seconds,
            nodes: 10,
            is_complete: seconds < 5.0,
        }
    }

    #[test]
    fn the_method_that_adds_most_follows() {
        let rows = [
            row("a", "1", 1.0),
            row("a", "2", 1.0),
            row("b", "1", 0.1),
            row("b", "2", 5.0),
            row("b", "3", 1.0),
            row("c", "1", 1.0),
            row("c", "2", 1.0),
            row("d", "1", 1.0),
            row("e", "2", 0.5),
        ];
        let methods: Vec<_> = ranked(&rows)
            .into_iter()
            .map(|it| (it.method, it.gain, it.complete, it.alone))
            .collect();
        let expected = [("a", 2, 2, 0), ("b", 1, 2, 1), ("e", 0, 1, 0)]
            .map(|it| (it.0.to_owned(), it.1, it.2, it.3));
        assert_eq!(methods, expected);
    }

    #[test]
    fn a_file_is_continued() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("orders.csv");
        let mut file = OrderFile::open(&path).unwrap();
        file.add("N-PT-1", vec![row("net", "", 1.0), row("FORCE reversed", "", 5.0)]).unwrap();
        drop(file);
        let mut file = OrderFile::open(&path).unwrap();
        assert!(file.has("N-PT-1") && !file.has("N-PT-2"));
        file.add("N-PT-3", Vec::new()).unwrap();
        file.add("N-PT-2", vec![row("net", "", 2.0)]).unwrap();
        drop(file);
        let file = OrderFile::open(&path).unwrap();
        assert_eq!(file.rows[1], row("FORCE reversed", "N-PT-1", 5.0));
        assert!(file.has("N-PT-3"));
        assert_eq!(file.rows[3], row("net", "N-PT-2", 2.0));
        assert_eq!(ranked(&file.rows).len(), 1);
    }
}
