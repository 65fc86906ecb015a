//! Cactus plots as SVG: how many questions each curve settles when each question gets so much time.
//!
//! x counts questions, y is the time of the slowest of them on a logarithmic scale; lower and
//! further to the right is better. Curves of one name share a colour, of one style a dash pattern.

use crate::html::escaped;
use std::fmt::Write;

/// The times of what one contestant settled, in any order.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Shared by curves of one colour.
    pub name: String,
    /// Shared by curves of one dash pattern.
    pub style: String,
    /// One per question.
    pub seconds: Vec<f64>,
}

/// Distinguishable by those who do not see red and green apart (Okabe and Ito), then darker.
const COLOURS: [&str; 12] = [
    "#000000", "#e69f00", "#56b4e9", "#009e73", "#0072b2", "#d55e00", "#cc79a7", "#999999",
    "#7a5200", "#1d5a7a", "#005239", "#7a3600",
];
const DASHES: [&str; 4] = ["", "7 3", "2 3", "9 3 2 3"];

const WIDTH: f64 = 960.0;
/// At least; the legend may need more.
const HEIGHT: f64 = 560.0;
const LEGEND_LINE: f64 = 15.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 330.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

/// The plot as a file of its own; `counted` says what the x axis counts.
pub fn plot(title: &str, counted: &str, curves: &[Curve]) -> String {
    let most = curves.iter().map(|curve| curve.seconds.len()).max().unwrap_or(0).max(1) as f64;
    // Below a tenth of a millisecond all is the same.
    let clamped = |seconds: f64| seconds.max(1e-4);
    let times = || curves.iter().flat_map(|curve| &curve.seconds).map(|&s| clamped(s).log10());
    let low = times().fold(0.0, f64::min).floor();
    let high = times().fold(low + 1.0, f64::max).ceil();
    let height = HEIGHT.max(TOP + LEGEND_LINE * (curves.len() + 2) as f64);
    let x = |count: f64| LEFT + count / most * (WIDTH - LEFT - RIGHT);
    let y = |power: f64| TOP + (high - power) / (high - low) * (height - TOP - BOTTOM);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{}</text>\n",
        escaped(title)
    );
    let mut line = |from: (f64, f64), to: (f64, f64), text: (f64, f64, &str, String)| {
        let (at_x, at_y, anchor, label) = text;
        let _ = writeln!(
            svg,
            "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{at_x:.1}\" y=\"{at_y:.1}\" text-anchor=\"{anchor}\">{label}</text>",
            from.0, from.1, to.0, to.1
        );
    };
    let mut power = low;
    while power <= high {
        let label = format!("{} s", 10f64.powf(power));
        line((x(0.0), y(power)), (x(most), y(power)), (LEFT - 6.0, y(power) + 4.0, "end", label));
        power += 1.0;
    }
    let step = nice_step(most);
    let mut count = 0.0;
    while count <= most {
        let label = format!("{count}");
        let at = (x(count), height - BOTTOM + 18.0, "middle", label);
        line((x(count), y(low)), (x(count), y(high)), at);
        count += step;
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        x(most / 2.0),
        height - 12.0,
        escaped(counted)
    );
    let (mut names, mut styles) = (Vec::new(), Vec::new());
    for (index, curve) in curves.iter().enumerate() {
        let colour = COLOURS[position(&mut names, &curve.name) % COLOURS.len()];
        let dash = DASHES[position(&mut styles, &curve.style) % DASHES.len()];
        let mut seconds: Vec<f64> = curve.seconds.iter().map(|&s| clamped(s)).collect();
        seconds.sort_unstable_by(f64::total_cmp);
        let mut path = String::new();
        for (before, seconds) in seconds.iter().enumerate() {
            let (count, at) = (before as f64, y(seconds.log10()));
            let verb = if before == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{verb}{:.1} {at:.1}H{:.1}", x(count), x(count + 1.0));
        }
        let stroke = format!(
            "fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\" stroke-dasharray=\"{dash}\""
        );
        let _ = writeln!(svg, "<path d=\"{path}\" {stroke}/>");
        let (at_x, at_y) = (WIDTH - RIGHT + 14.0, TOP + 10.0 + LEGEND_LINE * index as f64);
        let _ = writeln!(
            svg,
            "<path d=\"M{at_x} {at_y}h26\" {stroke}/><text x=\"{}\" y=\"{}\" font-size=\"10\">{} {} \
             ({})</text>",
            at_x + 32.0,
            at_y + 4.0,
            escaped(&curve.name),
            escaped(&curve.style),
            seconds.len()
        );
    }
    svg + "</svg>\n"
}

/// Where `wanted` stands in the list, at the end if it was not there.
fn position<'a>(list: &mut Vec<&'a str>, wanted: &'a str) -> usize {
    list.iter().position(|&known| known == wanted).unwrap_or_else(|| {
        list.push(wanted);
        list.len() - 1
    })
}

/// About eight lines: 1, 2 or 5 times a power of ten.
fn nice_step(most: f64) -> f64 {
    let rough = (most / 8.0).max(1.0);
    let power = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough);
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_is_xml_with_a_line_and_a_legend_per_curve() {
        let curve = |name: &str, style: &str, seconds: &[f64]| Curve {
            name: name.into(),
            style: style.into(),
            seconds: seconds.to_vec(),
        };
        let curves = [
            curve("a<b", "x", &[0.5, 0.001, 12.0]),
            curve("c", "x", &[0.02]),
            curve("c", "y", &[]),
        ];
        let svg = plot("refuted & timed", "questions", &curves);
        let mut reader = quick_xml::Reader::from_str(&svg);
        let mut paths = 0;
        loop {
            match reader.read_event().unwrap() {
                quick_xml::events::Event::Empty(tag) if tag.name().as_ref() == "path" => paths += 1,
                quick_xml::events::Event::Eof => break,
                _ => {}
            }
        }
        // Grid: 1 ms to 100 s, 0 to 3 questions; then line and legend of each curve.
        assert_eq!(paths, 6 + 4 + 2 * 3, "{svg}");
        assert!(svg.contains("a&lt;b x (3)") && svg.contains("c y (0)"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        assert!(plot("nothing", "questions", &[]).ends_with("</svg>\n"));
    }

    #[test]
    fn steps_are_round() {
        let steps = [3.0, 8.0, 60.0, 100.0, 1234.0].map(nice_step);
        assert_eq!(steps, [1.0, 1.0, 10.0, 20.0, 200.0]);
    }
}
