//! `parikh states --plot`: plots the sizes of decision diagrams over time for each order of places,
//! and marks the orders that completed.

use num_bigint::BigUint;
use parikh::run::OrderTry;
use parikh_pictures::plot::{self, Curve, PlotFrame};
use std::time::Instant;

/// Returns the plot of the sizes of decision diagrams, with a curve for each order of places that
/// was tried. `start` is the beginning of the time axis.
pub(super) fn plot(name: &str, start: Instant, tries: &[OrderTry]) -> String {
    let seconds = |tried: &OrderTry, since: std::time::Duration| {
        (tried.start.saturating_duration_since(start) + since).as_secs_f64()
    };
    let mut curves: Vec<Curve> = Vec::new();
    for tried in tries {
        let markings_text = tried.markings.as_ref().map(short_number);
        let (style, outcome) = match &tried.outcome {
            Some((_, Ok(()))) => (
                "completed",
                markings_text.map_or("all markings".to_owned(), |it| it + " markings"),
            ),
            Some((_, Err(stop))) => ("given up", stop.to_string()),
            None => ("given up", "still running".to_owned()),
        };
        let point =
            |&(since, nodes): &(_, usize)| (seconds(tried, since), (nodes.max(1) as f64).log10());
        curves.push(Curve {
            name: tried.method.to_string(),
            style: style.to_owned(),
            note: format!(
                "(score {:.1}): {} nodes at most, {outcome}",
                tried.score, tried.figures.peak
            ),
            points: tried.nodes.iter().map(point).collect(),
        });
    }
    let last_second = curves
        .iter()
        .flat_map(|curve| &curve.points)
        .fold(0.0, |last_second, p| p.0.max(last_second));
    // A decision diagram contains all reachable markings only once its set is closed under firing.
    // So only completed orders show a number of markings.
    let complete = tries.iter().filter_map(|tried| match (&tried.outcome, &tried.markings) {
        (Some((since, Ok(()))), Some(markings)) => Some((tried, seconds(tried, *since), markings)),
        _ => None,
    });
    let mut successes = Vec::new();
    for (tried, at, markings) in complete {
        // The curve rises vertically at the end of the computation, and then stays at the number of
        // markings up to the right edge of the plot.
        let log_markings = logarithm(markings);
        let points = vec![(at, 0.0), (at, log_markings), (last_second.max(at), log_markings)];
        let (name, style) = (tried.method.to_string(), "markings".to_owned());
        curves.push(Curve { name, style, note: short_number(markings), points });
        successes.push(format!("{} completed after {at:.2} s", tried.method));
    }
    let summary = match (tries.is_empty(), successes.is_empty()) {
        (true, _) => "no decision diagrams were built".to_owned(),
        (false, true) => "no order of places completed".to_owned(),
        (false, false) => successes.join(", "),
    };
    let title = format!("{name}: {summary}");
    let frame = PlotFrame {
        title: &title,
        x: "seconds",
        min_x_end: last_second.max(0.01),
        min_grid_step: 0.0,
        unit: "",
    };
    plot::plot(&frame, &curves)
}

/// Returns the decimal logarithm, also of numbers beyond floating point, from the first 15 digits
/// and the number of the others. Returns 0 for 0.
fn logarithm(number: &BigUint) -> f64 {
    let digits = number.to_string();
    let (first, rest) = digits.split_at(digits.len().min(15));
    first.parse::<f64>().unwrap_or(1.0).max(1.0).log10() + rest.len() as f64
}

/// Returns the number in digits, or with three digits and an exponent, such as `1.23e15`, if it has
/// more than twelve. The remaining digits are cut off, not rounded.
fn short_number(number: &BigUint) -> String {
    let digits = number.to_string();
    match digits.len() {
        0..=12 => digits,
        length => format!("{}.{}e{}", &digits[..1], &digits[1..3], length - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_of_large_numbers_are_right() {
        for (power, expected) in [(0, 0.0), (12, 12.0), (15, 15.0), (2_000, 2_000.0)] {
            let found = logarithm(&BigUint::from(10u8).pow(power));
            assert!((found - expected).abs() < 1e-9, "{power}: {found}");
        }
        assert_eq!(logarithm(&BigUint::ZERO), 0.0);
    }
}
