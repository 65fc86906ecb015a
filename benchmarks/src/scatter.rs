//! Scatter plots as SVG: one point for each question of two runs, at the seconds that each took.
//! Below the diagonal the run on the y axis was faster. Both axes are logarithmic. A question that
//! one run did not answer lies on a dashed line beyond the largest time of that axis. A question
//! that neither run answered has no point.

use parikh_net::printable::EscapedXml;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The seconds of one question in both runs; `None` if unanswered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScatterPoint {
    /// Seconds of the run on the x axis.
    pub x: Option<f64>,
    /// Seconds of the run on the y axis.
    pub y: Option<f64>,
}

/// Width and height of the area of points, in pixels.
const SIZE: f64 = 380.0;
/// Space to the left of the plot area in pixels, for labels.
const LEFT: f64 = 64.0;
/// Space above the plot area in pixels.
const TOP: f64 = 12.0;
/// Space below the plot area in pixels, for labels.
const BOTTOM: f64 = 44.0;
/// Distance in pixels between the largest time on an axis and the dashed line of the questions that
/// the run did not answer.
const UNANSWERED_GAP: f64 = 18.0;
/// The smallest time on both axes, in seconds. Shorter times are drawn at this time.
const MIN_SECONDS: f64 = 0.01;

/// Returns the plot, with the names of the two runs at its axes.
pub fn plot(x_name: &str, y_name: &str, points: &[ScatterPoint]) -> String {
    let times = || points.iter().flat_map(|point| [point.x, point.y]).flatten();
    let low = MIN_SECONDS.log10();
    let high = times().fold(1.0, f64::max).log10().ceil().max(low + 1.0);
    let offset = |seconds: Option<f64>| match seconds {
        Some(seconds) => {
            (seconds.max(MIN_SECONDS).log10() - low) / (high - low) * (SIZE - UNANSWERED_GAP)
        }
        None => SIZE,
    };
    let x = |seconds| LEFT + offset(seconds);
    let y = |seconds| TOP + SIZE - offset(seconds);
    let (width, height) = (LEFT + SIZE + 12.0, TOP + SIZE + BOTTOM);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         font-family=\"sans-serif\" font-size=\"11\">\n\
         <title>{} against {}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n",
        EscapedXml(y_name),
        EscapedXml(x_name)
    );
    // Writing to a String does not fail.
    let mut power = low;
    while power <= high {
        let (seconds, label) = (Some(10f64.powf(power)), format!("{} s", 10f64.powf(power)));
        let _ = writeln!(
            svg,
            "<path d=\"M{0:.1} {TOP}V{1:.1}M{LEFT} {2:.1}H{3:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{0:.1}\" y=\"{4:.1}\" text-anchor=\"middle\">{label}</text>\
             <text x=\"{5:.1}\" y=\"{6:.1}\" text-anchor=\"end\">{label}</text>",
            x(seconds),
            TOP + SIZE,
            y(seconds),
            LEFT + SIZE,
            TOP + SIZE + 15.0,
            LEFT - 5.0,
            y(seconds) + 4.0
        );
        power += 1.0;
    }
    let (first, last) = (Some(MIN_SECONDS), Some(10f64.powf(high)));
    let _ = writeln!(
        svg,
        "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"#888\"/>\
         <path d=\"M{:.1} {TOP}V{:.1}M{LEFT} {:.1}H{:.1}\" stroke=\"#d55e00\" stroke-dasharray=\"3 3\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
         <text x=\"12\" y=\"{:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 12 {:.1})\">{}</text>",
        x(first),
        y(first),
        x(last),
        y(last),
        x(None),
        TOP + SIZE,
        y(None),
        LEFT + SIZE,
        LEFT + SIZE / 2.0,
        height - 10.0,
        EscapedXml(x_name),
        TOP + SIZE / 2.0,
        TOP + SIZE / 2.0,
        EscapedXml(y_name)
    );
    // Points at the same position are drawn once: there may be thousands.
    let positions: BTreeSet<(String, String)> = points
        .iter()
        .filter(|point| point.x.is_some() || point.y.is_some())
        .map(|point| (format!("{:.1}", x(point.x)), format!("{:.1}", y(point.y))))
        .collect();
    svg.push_str("<g fill=\"#0072b2\" fill-opacity=\"0.45\">\n");
    for (x, y) in positions {
        let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"2.6\"/>");
    }
    svg + "</g>\n</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_for_each_question_that_anybody_answered() {
        let points = [
            ScatterPoint { x: Some(0.5), y: Some(3.0) },
            ScatterPoint { x: None, y: Some(3.0) },
            ScatterPoint { x: Some(0.0001), y: None },
            ScatterPoint { x: None, y: None },
            ScatterPoint { x: Some(0.5), y: Some(3.0) },
        ];
        let svg = plot("a<b", "c&d", &points);
        assert_eq!(svg.matches("<circle").count(), 3, "{svg}");
        assert!(svg.contains("a&lt;b") && svg.contains("c&amp;d"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        let mut reader = quick_xml::Reader::from_str(&svg);
        while !matches!(reader.read_event().unwrap(), quick_xml::events::Event::Eof) {}
        assert!(plot("a", "b", &[]).ends_with("</svg>\n"));
    }
}
