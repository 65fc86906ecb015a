//! Plots of shares as SVG: for each examination, the share of the known answers that a run gives
//! within each time limit, above the shares of other tools.
//!
//! The plot is narrow, so that its text is readable on a phone. Colours follow the theme of the
//! reader.

use parikh_net::printable::EscapedXml;
use std::fmt::Write;

/// The shares of one examination, each from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct ShareRow {
    /// The name of the examination.
    pub name: String,
    /// The share of the run within each time limit, in the order of the limits. Empty if the
    /// examination was not run.
    pub run: Vec<f64>,
    /// The shares of the single tools.
    pub tools: Vec<f64>,
    /// The share of all tools together. `None` if the tools' answers are not known.
    pub all_tools: Option<f64>,
    /// The text at the right of the run.
    pub run_label: String,
    /// The text at the right of the tools.
    pub tool_label: String,
}

/// The width of the picture in pixels.
const WIDTH: f64 = 520.0;
/// The left end of the axis, in pixels.
const LEFT: f64 = 62.0;
/// The right end of the axis, in pixels.
const RIGHT: f64 = 400.0;
/// The left end of the texts beside a row, in pixels.
const LABELS: f64 = 412.0;
/// The space above the rows, for the legend, in pixels.
const TOP: f64 = 84.0;
/// The height of the row of an examination, in pixels.
const ROW: f64 = 38.0;
/// The space below the rows, for the axis, in pixels.
const BOTTOM: f64 = 30.0;

/// The style of light and dark themes.
const STYLE: &str = "\
:root { --paper: #fff; --ink: #222; --grid: #ddd; --tool: #777; --run: #0060a0; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16181c; --ink: #e6e6e6; --grid: #3a3d42; --tool: #a0a0a0; --run: #64b5f6; }
}
.paper { fill: var(--paper); } text { fill: var(--ink); } .small { font-size: 12px; }
.grid { stroke: var(--grid); } .tool { fill: none; stroke: var(--tool); stroke-width: 1.3; }
.all { stroke: var(--ink); stroke-width: 2.5; } .run { fill: var(--run); stroke: var(--paper); }
.between { stroke: var(--run); stroke-width: 1.5; }
";

/// Returns the plot. `limits` are the names of the time limits.
pub fn plot(title: &str, limits: &[String], rows: &[ShareRow]) -> String {
    let height = TOP + ROW * rows.len() as f64 + BOTTOM;
    let x = |share: f64| LEFT + share.clamp(0.0, 1.0) * (RIGHT - LEFT);
    // Writing to a String does not fail.
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" font-family=\"sans-serif\" \
         font-size=\"14\">\n<title>{0}</title>\n<style>\n{STYLE}</style>\n\
         <rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\"/>\n\
         <text x=\"10\" y=\"22\" font-size=\"15\">{0}</text>\n",
        EscapedXml(title)
    );
    let mut at = 18.0;
    for (index, limit) in limits.iter().enumerate() {
        let text = if index == 0 { format!("Parikh within {limit}") } else { limit.clone() };
        let _ = writeln!(
            svg,
            "{}<text class=\"small\" x=\"{}\" y=\"47\">{}</text>",
            run_mark(index, at, 43.0),
            at + 10.0,
            EscapedXml(&text)
        );
        at += 28.0 + 6.6 * text.chars().count() as f64;
    }
    let _ = writeln!(
        svg,
        "{}<text class=\"small\" x=\"28\" y=\"69\">a tool of the contest</text>\
         {}<text class=\"small\" x=\"176\" y=\"69\">all tools together</text>",
        tool_mark(18.0, 65.0),
        all_tools_mark(168.0, 65.0)
    );
    for percent in [0, 20, 40, 60, 80, 100] {
        let x = x(f64::from(percent) / 100.0);
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{x:.1} {TOP}V{:.1}\"/>\
             <text class=\"small\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{percent} %</text>",
            height - BOTTOM,
            height - 10.0
        );
    }
    for (index, row) in rows.iter().enumerate() {
        let top = TOP + ROW * index as f64;
        let (run_y, tool_y) = (top + 12.0, top + 27.0);
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M10 {top:.1}H{}\"/>\
             <text x=\"10\" y=\"{:.1}\">{}</text>\
             <text class=\"small\" x=\"{LABELS}\" y=\"{:.1}\">{}</text>\
             <text class=\"small\" x=\"{LABELS}\" y=\"{:.1}\">{}</text>",
            WIDTH - 10.0,
            top + 24.0,
            EscapedXml(&row.name),
            run_y + 4.0,
            EscapedXml(&row.run_label),
            tool_y + 4.0,
            EscapedXml(&row.tool_label),
        );
        if let (Some(first), Some(last)) = (row.run.first(), row.run.last()) {
            let (from, to) = (x(*first), x(*last));
            let _ = writeln!(svg, "<path class=\"between\" d=\"M{from:.1} {run_y:.1}H{to:.1}\"/>");
        }
        // Later limits are drawn first, so that an earlier one is not covered.
        for (index, &share) in row.run.iter().enumerate().rev() {
            svg.push_str(&run_mark(index, x(share), run_y));
        }
        row.tools.iter().for_each(|&share| svg.push_str(&tool_mark(x(share), tool_y)));
        if let Some(share) = row.all_tools {
            svg.push_str(&all_tools_mark(x(share), tool_y));
        }
        svg.push('\n');
    }
    svg + "</svg>\n"
}

/// Returns the mark of the run at the time limit of this index. There are four shapes.
fn run_mark(limit: usize, x: f64, y: f64) -> String {
    let path = match limit % 4 {
        0 => "m0 -5.5l5 9h-10z",
        1 => "m-4 -4h8v8h-8z",
        2 => "m-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0",
        _ => "m0 -6l6 6l-6 6l-6 -6z",
    };
    format!("<path class=\"run\" d=\"M{x:.1} {y:.1}{path}\"/>")
}

/// Returns the mark of a tool.
fn tool_mark(x: f64, y: f64) -> String {
    format!("<circle class=\"tool\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>")
}

/// Returns the mark of all tools together.
fn all_tools_mark(x: f64, y: f64) -> String {
    format!("<path class=\"all\" d=\"M{x:.1} {:.1}v14\"/>", y - 7.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_a_mark_for_each_limit_and_tool() {
        let row = |name: &str, run: &[f64], tools: &[f64], all_tools| ShareRow {
            name: name.to_owned(),
            run: run.to_vec(),
            tools: tools.to_vec(),
            all_tools,
            run_label: "90 % & more".to_owned(),
            tool_label: String::new(),
        };
        let rows =
            [row("RD", &[0.5, 0.75, 1.0], &[0.25, 0.9], Some(1.0)), row("RC", &[], &[], None)];
        let limits = ["1 s", "5 s", "60 s"].map(str::to_owned);
        let svg = plot("a < b", &limits, &rows);
        // The legend has each mark once.
        assert_eq!(svg.matches("class=\"run\"").count(), 3 + 3);
        assert_eq!(svg.matches("class=\"tool\"").count(), 1 + 2);
        assert_eq!(svg.matches("class=\"all\"").count(), 1 + 1);
        assert_eq!(svg.matches("class=\"between\"").count(), 1);
        assert!(svg.contains("a &lt; b") && svg.contains("90 % &amp; more"), "{svg}");
        let mut reader = quick_xml::Reader::from_str(&svg);
        while !matches!(reader.read_event().unwrap(), quick_xml::events::Event::Eof) {}
        assert!(plot("nothing", &[], &[]).ends_with("</svg>\n"));
    }

    #[test]
    fn shares_are_drawn_from_left_to_right() {
        let row = ShareRow {
            name: "RD".to_owned(),
            run: vec![0.0, 1.0],
            tools: Vec::new(),
            all_tools: None,
            run_label: String::new(),
            tool_label: String::new(),
        };
        let svg = plot("shares", &[], &[row]);
        let between = format!("M{LEFT:.1} {:.1}H{RIGHT:.1}", TOP + 12.0);
        assert!(svg.contains(&between), "{svg}");
    }
}
