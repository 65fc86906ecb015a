//! Cactus plots as SVG: for each time limit, the number of questions that a configuration settles.
//!
//! The x axis counts questions; the y axis is the time of the slowest of them on a logarithmic
//! scale. Lower and further to the right is better. Curves with the same name share a colour,
//! curves with the same style a dash pattern.

use parikh_pictures::plot::{self, PlotFrame};

/// The times at which one configuration (a team of engines, a tool, or an encoding with a back-end)
/// settled its questions. The times are in any order.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The name; curves with the same name share a colour.
    pub name: String,
    /// The style; curves with the same style share a dash pattern.
    pub style: String,
    /// The seconds, with an entry per question.
    pub seconds: Vec<f64>,
}

/// Returns the plot as an SVG document. `x_label` is the label of the x axis.
pub fn plot(title: &str, x_label: &str, curves: &[Curve]) -> String {
    let max_count = curves.iter().map(|curve| curve.seconds.len()).max().unwrap_or(0).max(1) as f64;
    let frame =
        PlotFrame { title, x: x_label, min_x_end: max_count, min_grid_step: 1.0, unit: " s" };
    let steps: Vec<plot::Curve> = curves.iter().map(Curve::steps).collect();
    plot::plot(&frame, &steps)
}

impl Curve {
    /// Returns one step per question, in ascending order of time.
    fn steps(&self) -> plot::Curve {
        // Times below 0.1 ms are drawn at 0.1 ms.
        let mut seconds: Vec<f64> = self.seconds.iter().map(|&s| s.max(1e-4).log10()).collect();
        seconds.sort_unstable_by(f64::total_cmp);
        let step = |(before, power)| [(before as f64, power), ((before + 1) as f64, power)];
        plot::Curve {
            name: self.name.clone(),
            style: self.style.clone(),
            note: format!("({})", self.seconds.len()),
            points: seconds.into_iter().enumerate().flat_map(step).collect(),
        }
    }
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
}
