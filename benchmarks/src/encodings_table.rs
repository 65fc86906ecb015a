//! Output of a comparison of encodings: a result file, a Markdown table and the curves of a plot.

use crate::backends::Backend;
use crate::cactus::Curve;
use crate::encodings::{EncodingOutcome, Measurement};
use crate::exam::Exam;
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
fn pairs(measurements: &[Measurement]) -> Vec<(&str, Backend)> {
    let mut seen = BTreeSet::new();
    measurements
        .iter()
        .map(|m| (m.encoding.as_str(), m.backend))
        .filter(|pair| seen.insert(*pair))
        .collect()
}

/// Returns the measurements of one pair of encoding and back-end.
fn measurements_of<'a>(
    measurements: &'a [Measurement],
    (encoding, backend): (&'a str, Backend),
) -> impl Iterator<Item = &'a Measurement> + Clone {
    measurements.iter().filter(move |m| m.encoding == encoding && m.backend == backend)
}

/// Returns true if the goal was refuted or reached.
fn is_answer(m: &Measurement) -> bool {
    matches!(m.outcome, EncodingOutcome::Refuted | EncodingOutcome::Reached)
}

/// Returns a table with one line per combination of encoding and back-end. The column *new* counts
/// the goals that the combination settles, and the first encoding with the same back-end does not.
/// To settle a goal is to refute it or to show that it is reached.
pub fn print(measurements: &[Measurement]) -> String {
    let mut text =
        "| encoding | back-end | asked | refuted | reached | new | candidate | not within | gave up | \
                    choices | uncertified | not asked | wrong | median constraints | median s | total s |\n\
                    |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
            .to_owned();
    let pairs = pairs(measurements);
    for &pair in &pairs {
        let of_pair = measurements_of(measurements, pair);
        let count = |outcome| of_pair.clone().filter(|m| m.outcome == outcome).count();
        let first = pairs.iter().find(|(_, backend)| *backend == pair.1).copied().unwrap_or(pair);
        let question = |m: &Measurement| (m.instance.clone(), m.exam, m.id.clone());
        let answered = |pair| {
            let answered = measurements_of(measurements, pair).filter(|m| is_answer(m));
            answered.map(question).collect::<BTreeSet<_>>()
        };
        let new = answered(pair).difference(&answered(first)).count();
        let mut constraints: Vec<usize> = of_pair.clone().map(|m| m.constraints).collect();
        constraints.sort_unstable();
        let mut seconds: Vec<f64> = of_pair.clone().map(|m| m.seconds).collect();
        seconds.sort_unstable_by(f64::total_cmp);
        let middle = seconds.len() / 2;
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {new} | {} | {} | {} | {} | {} | {} | {} | {} | {:.4} | {:.1} |",
            pair.0,
            pair.1,
            seconds.len(),
            count(EncodingOutcome::Refuted),
            count(EncodingOutcome::Reached),
            count(EncodingOutcome::Candidate),
            count(EncodingOutcome::NotWithin),
            count(EncodingOutcome::GaveUp),
            count(EncodingOutcome::HasDisjunctions),
            count(EncodingOutcome::Uncertified),
            count(EncodingOutcome::NotAsked),
            of_pair.clone().filter(|m| m.is_wrong).count(),
            constraints.get(middle).copied().unwrap_or(0),
            seconds.get(middle).copied().unwrap_or(0.0),
            seconds.iter().sum::<f64>(),
        );
    }
    text
}

/// Returns, for each encoding and back-end, the times of the goals that it refuted or reached. An
/// encoding and back-end without such goals has no curve.
pub fn curves(measurements: &[Measurement]) -> Vec<Curve> {
    let curve = |pair: (&str, Backend)| Curve {
        name: pair.0.to_owned(),
        style: pair.1.to_string(),
        seconds: measurements_of(measurements, pair)
            .filter(|m| is_answer(m))
            .map(|m| m.seconds)
            .collect(),
    };
    pairs(measurements).into_iter().map(curve).filter(|curve| !curve.seconds.is_empty()).collect()
}

/// Returns a scatter plot that compares the first two combinations of encoding and back-end. Each
/// point is a goal that at least one of the two refuted or reached. The coordinates are the seconds
/// of each combination, or unanswered. Without a second combination, the plot is empty.
pub fn scatter(measurements: &[Measurement]) -> String {
    let mut pairs = pairs(measurements).into_iter();
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

    #[test]
    fn refutations_beyond_the_first_encoding_are_new() {
        let measured = |id: &str, encoding: &str, outcome, seconds| Measurement {
            instance: "A".into(),
            exam: Exam::ReachabilityCardinality,
            id: id.into(),
            encoding: encoding.into(),
            backend: Backend::Highs,
            outcome,
            is_wrong: false,
            constraints: 7,
            seconds,
        };
        let all = [
            measured("f", "flows", EncodingOutcome::Refuted, 0.5),
            measured("g", "flows", EncodingOutcome::Candidate, 0.25),
            measured("f", "traps", EncodingOutcome::GaveUp, 1.0),
            measured("g", "traps", EncodingOutcome::Refuted, 2.0),
        ];
        let table = print(&all);
        assert!(table.contains("| flows | highs | 2 | 1 | 0 | 0 | 1 | 0 |"), "{table}");
        assert!(table.contains("| traps | highs | 2 | 1 | 0 | 1 | 0 | 0 | 1 |"), "{table}");
        let curves = curves(&all);
        assert_eq!((curves.len(), &curves[1].seconds[..]), (2, &[2.0][..]));
        // One point for `f`, which the first encoding refutes, and one for `g`, which the second
        // one refutes.
        let svg = scatter(&all);
        assert_eq!(svg.matches("<circle").count(), 2, "{svg}");
        assert!(svg.contains("flows, highs") && svg.contains("traps, highs"), "{svg}");
        assert_eq!(scatter(&all[..2]).matches("<circle").count(), 0);
        assert_eq!(fields(&all[0]).len(), COLUMNS.len());
    }
}
