//! Automata over infinite words as pictures and for Graphviz.
//!
//! States are circles with their numbers. States of rejecting components are grey, and states of
//! components that accept every continuation are green. Labels of edges show the letters read and
//! the acceptance marks. A word is accepted if some run on it visits every mark infinitely often.

use crate::layout::{Direction, LayoutGraph, LayoutPoint, LayoutSize, LayoutSpacing, layout};
use parikh_net::printable::EscapedXml;
use parikh_solvers::Budget;
use parikh_temporal::{AtomNames, Automaton, AutomatonEdge, Strength};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The assumed width of a character in pixels.
const LETTER: f64 = 6.4;
/// The height of a line of text in pixels.
const LINE: f64 = 14.0;
/// The radius of the circle of a state in pixels.
const RADIUS: f64 = 17.0;
/// The width of the empty margin around the picture in pixels.
const MARGIN: f64 = 30.0;

/// The largest number of label lines for all edges from one state to another. If there are more
/// labels, the last line has the number of omitted labels.
const MOST_LINES: usize = 6;

/// Returns the label of an edge: the literals of its condition, and the numbers of its acceptance
/// marks in braces, as in `a & !b {0}`.
fn label(edge: &AutomatonEdge, names: &AtomNames) -> String {
    let literals = edge.cube.literals().iter().map(|literal| {
        let number = literal.atom.0;
        let name = names.name(literal.atom).map_or_else(|| format!("p{number}"), str::to_owned);
        format!("{}{name}", if literal.positive { "" } else { "!" })
    });
    let mut text = literals.collect::<Vec<_>>().join(" & ");
    if text.is_empty() {
        text.push_str("true");
    }
    let marks: Vec<String> = edge.marks.numbers().map(|mark| mark.to_string()).collect();
    if !marks.is_empty() {
        let _ = write!(text, " {{{}}}", marks.join(" "));
    }
    text
}

/// Returns the label lines for each pair of states, by source and target. Each edge has a line.
/// Beyond [`MOST_LINES`] lines, the last line has the number of omitted edges.
fn label_lines(automaton: &Automaton, names: &AtomNames) -> BTreeMap<(usize, usize), Vec<String>> {
    let mut label_lines: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
    for (from, edges) in automaton.states.iter().enumerate() {
        for edge in edges {
            label_lines.entry((from, edge.target)).or_default().push(label(edge, names));
        }
    }
    for lines in label_lines.values_mut().filter(|lines| lines.len() > MOST_LINES) {
        let more = lines.len() - MOST_LINES + 1;
        lines.truncate(MOST_LINES - 1);
        lines.push(format!("and {more} more"));
    }
    label_lines
}

/// Returns the fill colour of a state for the strength of its strongly connected component: grey if
/// it is rejecting, green if it accepts every word, white otherwise.
fn colour(strength: Strength) -> &'static str {
    match strength {
        Strength::Rejecting => "#e8ebee",
        Strength::Terminal => "#d7ebd3",
        Strength::Weak | Strength::Strong => "#ffffff",
    }
}

/// Writes the automaton for Graphviz.
pub fn dot(automaton: &Automaton, names: &AtomNames, title: &str) -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let mut text = format!(
        "digraph automaton {{\n  label=\"{}\";\n  rankdir=LR;\n  node [shape=circle, style=filled];\n  \
         begin [shape=point];\n  begin -> {};\n",
        quoted(title),
        automaton.initial
    );
    for (state, strength) in automaton.strengths().into_iter().enumerate() {
        let _ = writeln!(text, "  {state} [fillcolor=\"{}\"];", colour(strength));
    }
    for ((from, to), lines) in label_lines(automaton, names) {
        let lines: Vec<String> = lines.iter().map(|line| quoted(line)).collect();
        let _ = writeln!(text, "  {from} -> {to} [label=\"{}\"];", lines.join("\\n"));
    }
    text.push_str("}\n");
    text
}

/// Draws the automaton as SVG. When the budget is spent, the layout is not improved further.
pub fn svg(automaton: &Automaton, names: &AtomNames, title: &str, budget: &Budget) -> String {
    let bundles = label_lines(automaton, names);
    let label_width = |lines: &Vec<String>| {
        let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        longest as f64 * LETTER
    };
    // Labels need space between layers, and the label of a loop needs space beside the state.
    let max_label_width: f64 = bundles
        .iter()
        .filter(|((from, to), _)| from != to)
        .map(|(_, it)| label_width(it))
        .fold(40.0, f64::max);
    let mut sizes =
        vec![LayoutSize { width: 2.0 * RADIUS, height: 2.0 * RADIUS }; automaton.states.len()];
    for ((from, to), lines) in &bundles {
        if from == to {
            let size = &mut sizes[*from];
            size.width = size.width.max(label_width(lines));
            size.height += 2.0 * (30.0 + lines.len() as f64 * LINE);
        }
    }
    let edges: Vec<(usize, usize)> =
        bundles.keys().copied().filter(|(from, to)| from != to).collect();
    let spacing = LayoutSpacing {
        direction: Direction::Right,
        between_layers: max_label_width + 30.0,
        within_layers: 46.0,
        proportion: 1.5,
    };
    let positions = layout(
        &LayoutGraph { sizes, edges: edges.clone(), roots: vec![automaton.initial] },
        &spacing,
        budget,
    );
    let mut body = String::new();
    let mut routes = positions.routes.into_iter();
    for (&(from, to), lines) in &bundles {
        let at = positions.nodes[from];
        match from == to {
            true => draw_loop(at, lines, &mut body),
            false => {
                let route = routes.next().unwrap_or_default();
                let has_opposite = bundles.contains_key(&(to, from));
                draw_edge(at, positions.nodes[to], &route, has_opposite, lines, &mut body);
            }
        }
    }
    for (state, strength) in automaton.strengths().into_iter().enumerate() {
        draw_state(state, positions.nodes[state], colour(strength), &mut body);
    }
    let (x, y) = positions.nodes.get(automaton.initial).copied().unwrap_or_default();
    let (a, b) = (x - RADIUS - 24.0, x - RADIUS);
    let _ = writeln!(body, "<path d=\"M{a:.1},{y:.1} L{b:.1},{y:.1}\" {ARROW}/>");
    let width =
        positions.size.width.max(title.chars().count() as f64 * LETTER) + 2.0 * MARGIN + 30.0;
    let height = positions.size.height + 2.0 * MARGIN + 50.0;
    let (left, top) = (-MARGIN - 30.0, -MARGIN - 40.0);
    let (style, title) =
        ("font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\"", EscapedXml(title));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{left:.0} {top:.0} {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" {style}>\n{MARKER}<rect x=\"{left:.0}\" y=\"{top:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" fill=\"white\"/>\n<title>{title}</title>\n<text \
         x=\"{:.0}\" y=\"{:.0}\" font-size=\"13\" font-weight=\"bold\">{title}</text>\n{body}</svg>\n",
        left + 10.0,
        top + 22.0
    )
}

const MARKER: &str = "<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" \
    markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
    <path d=\"M0,0.8 L8,4 L0,7.2 z\" fill=\"#44505c\"/></marker></defs>\n";
const ARROW: &str =
    "fill=\"none\" stroke=\"#44505c\" stroke-width=\"1.1\" marker-end=\"url(#head)\"";

fn draw_state(state: usize, (x, y): LayoutPoint, colour: &str, body: &mut String) {
    let _ = writeln!(
        body,
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{RADIUS:.1}\" fill=\"{colour}\" stroke=\"#44505c\" \
         stroke-width=\"1.2\"/>\n<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{state}</text>",
        y + 4.0
    );
}

/// Draws an edge from a state to itself, above the state.
fn draw_loop((x, y): LayoutPoint, lines: &[String], body: &mut String) {
    let top = y - RADIUS;
    let (left, right) = (x - 9.0, x + 9.0);
    let _ = writeln!(
        body,
        "<path d=\"M{left:.1},{:.1} C{:.1},{:.1} {:.1},{:.1} {right:.1},{:.1}\" {ARROW}/>",
        top + 3.0,
        left - 14.0,
        top - 30.0,
        right + 14.0,
        top - 30.0,
        top + 3.0
    );
    write_lines((x, top - 26.0 - (lines.len() as f64 - 1.0) * LINE), lines, body);
}

/// Draws an edge to another state. With `has_opposite`, the edge is shifted, because an edge in the
/// opposite direction exists.
fn draw_edge(
    from: LayoutPoint,
    to: LayoutPoint,
    route: &[LayoutPoint],
    has_opposite: bool,
    lines: &[String],
    body: &mut String,
) {
    let first = route.first().copied().unwrap_or(to);
    let last = route.last().copied().unwrap_or(from);
    let shift = if has_opposite { 8.0 } else { 0.0 };
    let mut points = vec![on_rim(from, first, shift)];
    points.extend(route);
    points.push(on_rim(to, last, -shift));
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let _ = writeln!(body, "<path d=\"M{}\" {ARROW}/>", path.join(" L"));
    let middle = points.len() / 2;
    let ((x1, y1), (x2, y2)) = (points[middle - 1], points[middle]);
    let label_offset =
        if has_opposite && x1 > x2 { -6.0 } else { (lines.len() as f64 - 1.0) * LINE + 6.0 };
    let y = (y1 + y2) / 2.0 - label_offset;
    write_lines(((x1 + x2) / 2.0, if label_offset < 0.0 { y + 8.0 } else { y }), lines, body);
}

/// Returns the point where the line to another state leaves the circle of a state, shifted to the
/// left by `shift`.
fn on_rim((x, y): LayoutPoint, (to_x, to_y): LayoutPoint, shift: f64) -> LayoutPoint {
    let (dx, dy) = (to_x - x, to_y - y);
    let length = dx.hypot(dy).max(1.0);
    let to_rim = (RADIUS * RADIUS - shift * shift).max(0.0).sqrt();
    let (ux, uy) = (dx / length, dy / length);
    (x + ux * to_rim + uy * shift, y + uy * to_rim - ux * shift)
}

/// Writes lines of text, the first at the given point.
fn write_lines((x, y): LayoutPoint, lines: &[String], body: &mut String) {
    for (index, line) in lines.iter().enumerate() {
        let _ = writeln!(
            body,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"11\" fill=\"#1f2a33\" \
             stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\">{}</text>",
            y + index as f64 * LINE,
            EscapedXml(line)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_temporal::{AutomatonLimits, Ltl, parse_ltl};

    #[test]
    fn every_state_and_edge_is_drawn() {
        let (mut formulas, mut names) = (Ltl::default(), AtomNames::default());
        let formula = parse_ltl("G (\"a<b\" -> F c)", &mut formulas, &mut names).unwrap();
        let automaton = Automaton::of(&mut formulas, formula, AutomatonLimits::default()).unwrap();
        let picture = svg(&automaton, &names, "G (a<b -> F c)", &Budget::unlimited());
        assert_eq!(picture.matches("<circle").count(), automaton.states.len());
        let bundles = label_lines(&automaton, &names).len();
        assert_eq!(picture.matches("url(#head)").count(), bundles + 1);
        assert!(picture.contains("!a&lt;b") && !picture.contains("a<b"), "{picture}");
        let graph = dot(&automaton, &names, "G (a -> F c)");
        assert_eq!(graph.matches("->").count(), bundles + 2, "{graph}");
    }
}
