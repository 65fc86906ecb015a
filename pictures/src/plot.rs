//! Line plots as SVG with a logarithmic y axis. Curves with the same name share a colour, and
//! curves with the same style share a dash pattern.

use parikh_net::printable::EscapedXml;
use std::fmt::Write;

/// A curve through points.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The name of the curve. Curves with the same name have the same colour.
    pub name: String,
    /// The style of the curve. Curves with the same style have the same dash pattern.
    pub style: String,
    /// The text in the legend after name and style.
    pub note: String,
    /// Pairs of x and the decimal logarithm of y, so that counts beyond 10³⁰⁸ can be plotted.
    pub points: Vec<(f64, f64)>,
}

/// The texts and axes around the curves.
#[derive(Clone, Copy, Debug)]
pub struct PlotFrame<'a> {
    /// The title above the plot.
    pub title: &'a str,
    /// The text below the x axis.
    pub x: &'a str,
    /// The smallest value at which the x axis may end.
    pub min_x_end: f64,
    /// The smallest allowed distance between grid lines on the x axis: 1 if x is a whole number.
    pub min_grid_step: f64,
    /// The unit after each number at the y axis.
    pub unit: &'a str,
}

/// Colours that people with red-green blindness can distinguish (Okabe and Ito), then darker ones.
const COLOURS: [&str; 12] = [
    "#000000", "#e69f00", "#56b4e9", "#009e73", "#0072b2", "#d55e00", "#cc79a7", "#999999",
    "#7a5200", "#1d5a7a", "#005239", "#7a3600",
];
/// The dash patterns of styles, as values of the SVG attribute. The first is a solid line.
const DASHES: [&str; 4] = ["", "7 3", "2 3", "9 3 2 3"];

/// The width of the picture in pixels.
const WIDTH: f64 = 960.0;
/// The minimum height in pixels. A long legend increases the height.
const HEIGHT: f64 = 560.0;
/// The height of a line of the legend in pixels.
const LEGEND_LINE: f64 = 15.0;
/// The space to the left of the axes, in pixels.
const LEFT: f64 = 70.0;
/// The space for the legend to the right of the axes, in pixels.
const RIGHT: f64 = 330.0;
/// The space above the axes, in pixels.
const TOP: f64 = 40.0;
/// The space below the axes, in pixels.
const BOTTOM: f64 = 50.0;

/// Returns the plot as an SVG file.
pub fn plot(frame: &PlotFrame<'_>, curves: &[Curve]) -> String {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let max_x = points().map(|point| point.0).fold(frame.min_x_end, f64::max);
    let min_power = points().map(|point| point.1).fold(0.0, f64::min).floor();
    let max_power = points().map(|point| point.1).fold(min_power + 1.0, f64::max).ceil();
    let height = HEIGHT.max(TOP + LEGEND_LINE * (curves.len() + 2) as f64);
    let x = |at: f64| LEFT + at / max_x * (WIDTH - LEFT - RIGHT);
    let y =
        |power: f64| TOP + (max_power - power) / (max_power - min_power) * (height - TOP - BOTTOM);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{}</text>\n",
        EscapedXml(frame.title)
    );
    // Draws a grid line and its label. `text` has the label's x, y, anchor and words.
    let mut line = |from: (f64, f64), to: (f64, f64), text: (f64, f64, &str, String)| {
        let (at_x, at_y, anchor, label) = text;
        let _ = writeln!(
            svg,
            "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{at_x:.1}\" y=\"{at_y:.1}\" text-anchor=\"{anchor}\">{label}</text>",
            from.0, from.1, to.0, to.1
        );
    };
    let step = nice_step(max_power - min_power).max(1.0);
    let mut power = min_power;
    while power <= max_power {
        // Numbers from 10⁻⁶ to 10⁶ are written in full, others as powers of ten.
        let label = match power.abs() <= 6.0 {
            true => format!("{}{}", 10f64.powf(power), frame.unit),
            false => format!("1e{power}{}", frame.unit),
        };
        line((x(0.0), y(power)), (x(max_x), y(power)), (LEFT - 6.0, y(power) + 4.0, "end", label));
        power += step;
    }
    let step = nice_step(max_x).max(frame.min_grid_step);
    // Multiples are computed from integers, because sums of small steps would show rounding errors
    // in labels.
    for at in 0..=(max_x / step + 1e-9) as u32 {
        let digits = (-step.log10().floor()).max(0.0) as usize;
        let count = f64::from(at) * step;
        let at = (x(count), height - BOTTOM + 18.0, "middle", format!("{count:.digits$}"));
        line((x(count), y(min_power)), (x(count), y(max_power)), at);
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        x(max_x / 2.0),
        height - 12.0,
        EscapedXml(frame.x)
    );
    let (mut names, mut styles) = (Vec::new(), Vec::new());
    for (index, curve) in curves.iter().enumerate() {
        let colour = COLOURS[position(&mut names, &curve.name) % COLOURS.len()];
        let dash = DASHES[position(&mut styles, &curve.style) % DASHES.len()];
        let mut path = String::new();
        for (at, &(x_value, y_power)) in curve.points.iter().enumerate() {
            let verb = if at == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{verb}{:.1} {:.1}", x(x_value), y(y_power));
        }
        let stroke = format!(
            "fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\" stroke-dasharray=\"{dash}\""
        );
        let _ = writeln!(svg, "<path d=\"{path}\" {stroke}/>");
        let (at_x, at_y) = (WIDTH - RIGHT + 14.0, TOP + 10.0 + LEGEND_LINE * index as f64);
        let _ = writeln!(
            svg,
            "<path d=\"M{at_x} {at_y}h26\" {stroke}/><text x=\"{}\" y=\"{}\" font-size=\"10\">{} {} \
             {}</text>",
            at_x + 32.0,
            at_y + 4.0,
            EscapedXml(&curve.name),
            EscapedXml(&curve.style),
            EscapedXml(&curve.note)
        );
    }
    svg + "</svg>\n"
}

/// Returns the index of `wanted` in the list. A missing text is appended to the list.
fn position<'a>(list: &mut Vec<&'a str>, wanted: &'a str) -> usize {
    list.iter().position(|&entry| entry == wanted).unwrap_or_else(|| {
        list.push(wanted);
        list.len() - 1
    })
}

/// Returns a step for about eight grid lines: 1, 2 or 5 times a power of ten.
fn nice_step(range: f64) -> f64 {
    let rough = range.max(1e-9) / 8.0;
    let power = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough);
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_beyond_floating_point_have_their_place() {
        let curve = |style: &str, points: &[(f64, f64)]| Curve {
            name: "a<b".into(),
            style: style.into(),
            note: "(2)".into(),
            points: points.to_vec(),
        };
        let frame = PlotFrame {
            title: "nodes & markings",
            x: "seconds",
            min_x_end: 0.25,
            min_grid_step: 0.0,
            unit: "",
        };
        let svg = plot(&frame, &[curve("x", &[(0.0, 0.0), (0.25, 1999.5)]), curve("y", &[])]);
        assert!(svg.contains("a&lt;b x (2)") && svg.contains("nodes &amp; markings"));
        assert!(svg.contains(">1e1500<") && svg.contains(">0.25<"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        assert!(plot(&frame, &[]).ends_with("</svg>\n"));
    }

    #[test]
    fn steps_are_round() {
        let steps = [0.4, 8.0, 60.0, 100.0, 1234.0].map(nice_step);
        assert_eq!(steps, [0.05, 1.0, 10.0, 20.0, 200.0]);
    }
}
