//! Output of a comparison of encodings: a result file, a Markdown table and the curves of a plot.

use crate::backends::Backend;
use crate::cactus::{self, Curve};
use crate::exam::Exam;
use crate::measurement::{EncodingOutcome, Measurement};
use crate::scatter::{self, ScatterPoint};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The columns of a result file.
pub const COLUMNS: [&str; 9] =
    ["instance", "exam", "id", "encoding", "backend", "outcome", "wrong", "constraints", "seconds"];

/// Returns the fields of one measurement, in the order of [`COLUMNS`].
pub fn fields(m: &Measurement) -> [String; 9] {
    [
        m.instance.clone(),
        m.exam.to_string(),
        m.id.clone(),
        m.encoding.clone(),
        m.backend.to_string(),
        m.outcome.name().to_owned(),
        m.is_wrong.to_string(),
        m.constraints.to_string(),
        format!("{:.4}", m.seconds),
    ]
}

/// Returns the distinct combinations of encoding and back-end, in the order of the measurements.
fn pairs<'a>(measurements: impl Iterator<Item = &'a Measurement>) -> Vec<(&'a str, Backend)> {
    let mut seen = BTreeSet::new();
    measurements
        .map(|m| (m.encoding.as_str(), m.backend))
        .filter(|pair| seen.insert(*pair))
        .collect()
}

/// Returns the measurements of one pair of encoding and back-end.
fn of_pair<'a>(
    measurements: &[&'a Measurement],
    (encoding, backend): (&str, Backend),
) -> impl Iterator<Item = &'a Measurement> {
    measurements.iter().copied().filter(move |m| m.encoding == encoding && m.backend == backend)
}

/// Returns true if the goal was refuted or reached.
fn is_answer(m: &Measurement) -> bool {
    matches!(m.outcome, EncodingOutcome::Refuted | EncodingOutcome::Reached)
}

/// The two ways to settle a goal. They have separate tables and plots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// The goal is refuted: it is unreachable.
    Refuted,
    /// The goal is reached.
    Reached,
}

impl Settlement {
    /// Returns the outcome that settles a goal in this way.
    fn outcome(self) -> EncodingOutcome {
        match self {
            Settlement::Refuted => EncodingOutcome::Refuted,
            Settlement::Reached => EncodingOutcome::Reached,
        }
    }

    /// Returns true if a measurement belongs to the table: its encoding or engine can settle goals
    /// in this way, and the goal is not known to be otherwise.
    fn applies_to(self, m: &Measurement) -> bool {
        match self {
            Settlement::Refuted => m.can_refute && m.reachable != Some(true),
            Settlement::Reached => m.can_reach && m.reachable != Some(false),
        }
    }

    /// Returns the columns with numbers of outcomes.
    fn columns(self) -> &'static [(&'static str, EncodingOutcome)] {
        match self {
            Settlement::Refuted => &[
                ("candidate", EncodingOutcome::Candidate),
                ("gave up", EncodingOutcome::GaveUp),
                ("choices", EncodingOutcome::HasDisjunctions),
                ("uncertified", EncodingOutcome::Uncertified),
                ("not asked", EncodingOutcome::NotAsked),
            ],
            Settlement::Reached => &[
                ("candidate", EncodingOutcome::Candidate),
                ("not within", EncodingOutcome::NotWithin),
                ("gave up", EncodingOutcome::GaveUp),
                ("choices", EncodingOutcome::HasDisjunctions),
                ("not asked", EncodingOutcome::NotAsked),
            ],
        }
    }

    /// Returns the measurements of the table.
    fn select(self, measurements: &[Measurement]) -> Vec<&Measurement> {
        let selected: Vec<&Measurement> =
            measurements.iter().filter(|m| self.applies_to(m)).collect();
        let is_asked = |m: &Measurement| {
            !matches!(m.outcome, EncodingOutcome::NotAsked | EncodingOutcome::HasDisjunctions)
        };
        let asked: BTreeSet<(&str, Backend)> = selected
            .iter()
            .filter(|m| is_asked(m))
            .map(|m| (m.encoding.as_str(), m.backend))
            .collect();
        // A back-end that cannot solve an encoding has no row.
        selected.into_iter().filter(|m| asked.contains(&(&*m.encoding, m.backend))).collect()
    }
}

/// Returns the tables of goals refuted and of goals reached. A table without goals is left out.
pub fn print(measurements: &[Measurement]) -> String {
    let mut text = String::new();
    for (title, settlement) in
        [("Goals refuted", Settlement::Refuted), ("Goals reached", Settlement::Reached)]
    {
        let selected = settlement.select(measurements);
        if !selected.is_empty() {
            let separator = if text.is_empty() { "" } else { "\n" };
            let _ = write!(text, "{separator}{title}\n\n{}", table(&selected, settlement));
        }
    }
    text
}

/// Returns a table with one line per combination of encoding and back-end, and per engine. The
/// column *new* counts the goals that the combination settles, and the first encoding with the same
/// back-end does not. An engine is compared with the first combination of all. Outcomes of no goal
/// have no column.
fn table(measurements: &[&Measurement], settlement: Settlement) -> String {
    let settled = settlement.outcome().name();
    let occurs = |outcome| measurements.iter().any(|m| m.outcome == outcome);
    let columns: Vec<(&str, EncodingOutcome)> =
        settlement.columns().iter().copied().filter(|&(_, outcome)| occurs(outcome)).collect();
    let titles: String = columns.iter().map(|(title, _)| format!(" {title} |")).collect();
    let rule = "---|".repeat(columns.len() + 9);
    let mut text = format!(
        "| encoding | back-end | asked | {settled} | new |{titles} wrong | median constraints | \
         median s | total s |\n|{rule}\n"
    );
    let pairs = pairs(measurements.iter().copied());
    for &pair in &pairs {
        let of_pair: Vec<&Measurement> = of_pair(measurements, pair).collect();
        let count = |outcome| of_pair.iter().filter(|m| m.outcome == outcome).count();
        let is_first =
            |(_, backend): &&(&str, Backend)| *backend == pair.1 || pair.1 == Backend::Engine;
        let first = pairs.iter().find(is_first).copied().unwrap_or(pair);
        let question = |m: &Measurement| (m.instance.clone(), m.exam, m.id.clone());
        let answered = |pair| {
            let all = self::of_pair(measurements, pair);
            let answered = all.filter(|m| m.outcome == settlement.outcome());
            answered.map(question).collect::<BTreeSet<_>>()
        };
        let new = answered(pair).difference(&answered(first)).count();
        let mut constraints: Vec<usize> = of_pair.iter().map(|m| m.constraints).collect();
        constraints.sort_unstable();
        // An engine has its own representation of a goal.
        let constraints = match pair.1 {
            Backend::Engine => "–".to_owned(),
            _ => constraints.get(constraints.len() / 2).copied().unwrap_or(0).to_string(),
        };
        let mut seconds: Vec<f64> = of_pair.iter().map(|m| m.seconds).collect();
        seconds.sort_unstable_by(f64::total_cmp);
        let middle = seconds.len() / 2;
        let counts: String =
            columns.iter().map(|&(_, outcome)| format!(" {} |", count(outcome))).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {new} |{counts} {} | {constraints} | {:.4} | {:.1} |",
            pair.0,
            pair.1,
            seconds.len(),
            count(settlement.outcome()),
            of_pair.iter().filter(|m| m.is_wrong).count(),
            seconds.get(middle).copied().unwrap_or(0.0),
            seconds.iter().sum::<f64>(),
        );
    }
    text
}

/// Returns the plot of the goals that were settled in one way, as an SVG document.
pub fn plot(measurements: &[Measurement], settlement: Settlement) -> String {
    let settled = settlement.outcome().name();
    cactus::plot(
        &format!("Goals {settled}, by encoding and back-end"),
        &format!("goals {settled}, each within"),
        &curves(measurements, settlement),
    )
}

/// Returns, for each encoding and back-end, the times of the goals that it settled in one way. An
/// encoding and back-end without such goals has no curve.
fn curves(measurements: &[Measurement], settlement: Settlement) -> Vec<Curve> {
    let selected = settlement.select(measurements);
    let curve = |pair: (&str, Backend)| Curve {
        name: pair.0.to_owned(),
        style: pair.1.to_string(),
        seconds: of_pair(&selected, pair)
            .filter(|m| m.outcome == settlement.outcome())
            .map(|m| m.seconds)
            .collect(),
    };
    let curves = pairs(selected.iter().copied()).into_iter().map(curve);
    curves.filter(|curve| !curve.seconds.is_empty()).collect()
}

/// Returns a scatter plot that compares the first two combinations of encoding and back-end. Each
/// point is a goal that at least one of the two refuted or reached. The coordinates are the seconds
/// of each combination, or unanswered. Without a second combination, the plot is empty.
pub fn scatter(measurements: &[Measurement]) -> String {
    let mut pairs = pairs(measurements.iter()).into_iter();
    let (Some(x), Some(y)) = (pairs.next(), pairs.next()) else {
        return scatter::plot("", "", &[]);
    };
    let mut points: BTreeMap<(&str, Exam, &str), ScatterPoint> = BTreeMap::new();
    for m in measurements.iter().filter(|m| is_answer(m)) {
        let pair = (m.encoding.as_str(), m.backend);
        let question = (m.instance.as_str(), m.exam, m.id.as_str());
        let point = || ScatterPoint { x: None, y: None };
        if pair == x {
            points.entry(question).or_insert_with(point).x = Some(m.seconds);
        } else if pair == y {
            points.entry(question).or_insert_with(point).y = Some(m.seconds);
        }
    }
    let name = |(encoding, backend): (&str, Backend)| format!("{encoding}, {backend}");
    let points: Vec<ScatterPoint> = points.into_values().collect();
    scatter::plot(&name(x), &name(y), &points)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(id: &str, encoding: &str, outcome: EncodingOutcome, seconds: f64) -> Measurement {
        Measurement {
            instance: "A".into(),
            exam: Exam::ReachabilityCardinality,
            id: id.into(),
            encoding: encoding.into(),
            backend: Backend::Highs,
            outcome,
            can_refute: true,
            can_reach: false,
            reachable: None,
            is_wrong: false,
            constraints: 7,
            seconds,
        }
    }

    #[test]
    fn refutations_beyond_the_first_encoding_are_new() {
        let all = [
            measured("f", "flows", EncodingOutcome::Refuted, 0.5),
            measured("g", "flows", EncodingOutcome::Candidate, 0.25),
            measured("f", "traps", EncodingOutcome::GaveUp, 1.0),
            measured("g", "traps", EncodingOutcome::Refuted, 2.0),
        ];
        let table = print(&all);
        assert!(table.contains("| flows | highs | 2 | 1 | 0 | 1 | 0 |"), "{table}");
        assert!(table.contains("| traps | highs | 2 | 1 | 1 | 0 | 1 |"), "{table}");
        assert!(!table.contains("Goals reached"), "{table}");
        let curves = curves(&all, Settlement::Refuted);
        assert_eq!((curves.len(), &curves[1].seconds[..]), (2, &[2.0][..]));
        // One point for `f`, which the first encoding refutes, and one for `g`, which the second
        // one refutes.
        let svg = scatter(&all);
        assert_eq!(svg.matches("<circle").count(), 2, "{svg}");
        assert!(svg.contains("flows, highs") && svg.contains("traps, highs"), "{svg}");
        assert_eq!(scatter(&all[..2]).matches("<circle").count(), 0);
        assert_eq!(fields(&all[0]).len(), COLUMNS.len());
    }

    #[test]
    fn goals_refuted_and_goals_reached_are_counted_apart() {
        let bounded = |m| Measurement { can_refute: false, can_reach: true, ..m };
        let engine =
            |m| Measurement { can_reach: true, backend: Backend::Engine, constraints: 0, ..m };
        let mut all = vec![
            measured("f", "flows", EncodingOutcome::Refuted, 0.5),
            measured("g", "flows", EncodingOutcome::Candidate, 0.5),
            bounded(measured("f", "bmc k=1", EncodingOutcome::NotWithin, 0.5)),
            bounded(measured("g", "bmc k=1", EncodingOutcome::Reached, 0.5)),
            engine(measured("f", "pdr", EncodingOutcome::Refuted, 0.5)),
            engine(measured("g", "pdr", EncodingOutcome::Reached, 0.5)),
            bounded(measured("f", "bmc-steps k=1", EncodingOutcome::NotAsked, 0.0)),
        ];
        let parts = |all: &[Measurement]| {
            let text = print(all);
            let (refuted, reached) = text.split_once("Goals reached").expect("two tables");
            (refuted.to_owned(), reached.to_owned())
        };
        let (refuted, reached) = parts(&all);
        assert!(refuted.contains("| flows | highs | 2 | 1 |"), "{refuted}");
        assert!(refuted.contains("| pdr | parikh | 2 | 1 | 0 |"), "{refuted}");
        assert!(!refuted.contains("bmc") && !reached.contains("flows"), "{refuted}{reached}");
        assert!(reached.contains("| bmc k=1 | highs | 2 | 1 | 0 | 1 |"), "{reached}");
        assert!(reached.contains("| pdr | parikh | 2 | 1 | 0 |"), "{reached}");
        assert!(reached.contains("| – | 0.5000 | 1.0 |"), "{reached}");
        assert!(reached.contains("not within") && !reached.contains("choices"), "{reached}");
        // No back-end was asked about this encoding.
        assert!(!reached.contains("bmc-steps"), "{reached}");
        let names = |settlement| -> Vec<String> {
            curves(&all, settlement).into_iter().map(|curve| curve.name).collect()
        };
        assert_eq!(names(Settlement::Refuted), ["flows", "pdr"]);
        assert_eq!(names(Settlement::Reached), ["bmc k=1", "pdr"]);
        // A goal that is known to be reachable cannot be refuted.
        all.iter_mut().filter(|m| m.id == "g").for_each(|m| m.reachable = Some(true));
        let (refuted, reached) = parts(&all);
        assert!(refuted.contains("| pdr | parikh | 1 | 1 | 0 |"), "{refuted}");
        assert!(reached.contains("| pdr | parikh | 2 | 1 | 0 |"), "{reached}");
    }
}
