//! A graph of markings as SVG, drawn without other programs.
//!
//! Markings are laid out in layers with the initial marking at the top. Most firings lead down.
//! Edges that lead back up pass around the nodes in between ([`layout`](mod@crate::layout)).

use super::view::{GraphTexts, GraphView, MarkingNode};
use crate::layout::{Direction, LayoutGraph, LayoutPoint, LayoutSize, LayoutSpacing, layout};
use parikh_net::printable::EscapedXml;
use parikh_solvers::Budget;
use std::collections::HashSet;
use std::fmt::Write as _;

/// The width of a letter in pixels.
const LETTER: f64 = 6.6;
/// The height of a line of text in pixels.
const LINE: f64 = 15.0;
/// The gap between neighbouring boxes in pixels.
const GAP: f64 = 34.0;
/// The gap between rows in pixels.
const ROW_GAP: f64 = 64.0;
/// The margin of the picture in pixels.
const MARGIN: f64 = 40.0;

/// The largest number of letters in a line of a box, unless a single term of the marking is longer.
const MAX_LINE_LETTERS: usize = 26;

/// The box of a marking: its centre and its size.
struct MarkingBox {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// Returns the lines of text in a box. `parts` are the terms of a marking, which are joined by `+`,
/// with as many terms per line as fit.
pub(super) fn lines(parts: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let separator = if index + 1 < parts.len() { " +" } else { "" };
        match lines.last_mut() {
            Some(line) if line.chars().count() + part.chars().count() + 3 <= MAX_LINE_LETTERS => {
                let _ = write!(line, " {part}{separator}");
            }
            _ => lines.push(format!("{part}{separator}")),
        }
    }
    lines
}

/// Returns the fill colour and the border colour of a box.
pub(super) fn colours(view: &GraphView<'_>, node: &MarkingNode) -> (&'static str, &'static str) {
    let fill = match (view.is_coverability, node.is_dead, node.terminal_component) {
        _ if node.is_final => "#d6e4f5",
        (_, true, _) => "#f8d7d4",
        (false, _, Some(_)) => "#d7ebd3",
        _ => "#ffffff",
    };
    let border = match (node.is_highlighted, node.is_dead) {
        (true, _) => "#d9730d",
        (false, true) if !node.is_final => "#a33a30",
        _ => "#44505c",
    };
    (fill, border)
}

/// Draws the graph. When the budget is spent, the layout is not improved further.
pub fn svg(view: &GraphView<'_>, budget: &Budget) -> String {
    let GraphTexts { marking_terms: parts, full_texts: wholes, bundles, all_fired } =
        GraphTexts::of(view);
    let texts: Vec<Vec<String>> = parts.iter().map(|parts| lines(parts)).collect();
    let (boxes, routes) = place_boxes(&texts, &bundles, budget);
    let mut body = String::new();
    // Curved edges may leave the area of the boxes.
    let mut right = boxes.iter().map(|b| b.x + b.width / 2.0).fold(200.0, f64::max);
    let mut left = boxes.iter().map(|b| b.x - b.width / 2.0).fold(0.0, f64::min);
    let pairs: HashSet<(u32, u32)> = bundles.iter().map(|it| (it.0, it.1)).collect();
    for ((bundle, route), all) in bundles.iter().zip(&routes).zip(&all_fired) {
        open_group(all.as_deref(), &mut body);
        let (min_x, max_x) = draw_edge(&boxes, &pairs, bundle, route, &mut body);
        close_group(all.as_deref(), &mut body);
        (left, right) = (left.min(min_x), right.max(max_x));
    }
    for (index, node) in view.nodes.iter().enumerate() {
        open_group(wholes[index].as_deref(), &mut body);
        draw_box(view, node, index, &boxes[index], &texts[index], &mut body);
        close_group(wholes[index].as_deref(), &mut body);
    }
    let bottom = boxes.iter().map(|b| b.y + b.height / 2.0).fold(0.0, f64::max);
    let caption = view.caption_lines();
    for line in &caption {
        right = right.max(left + line.chars().count() as f64 * LETTER);
    }
    let legend = legend(view, bottom + ROW_GAP / 2.0 + 10.0, left);
    let (width, height) = (right - left + 2.0 * MARGIN, bottom + ROW_GAP + 20.0 + MARGIN);
    let added_lines = (caption.len() - 1) as f64 * LINE;
    let (x, y) = (left - MARGIN, -MARGIN - 40.0 - added_lines);
    let height = height - y;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{x:.0} {y:.0} {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" font-family=\"Helvetica, Arial, sans-serif\" \
         font-size=\"12\">\n"
    );
    text.push_str(MARKERS);
    let _ = writeln!(
        text,
        "<rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" fill=\"white\"/>\n\
         <title>{}</title>",
        EscapedXml(view.net.name())
    );
    for (index, line) in caption.iter().enumerate() {
        let weight = if index == 0 { "bold" } else { "normal" };
        let _ = writeln!(
            text,
            "<text x=\"{left:.1}\" y=\"{:.1}\" font-size=\"13\" font-weight=\"{weight}\">{}</text>",
            y + 22.0 + index as f64 * LINE,
            EscapedXml(line)
        );
    }
    text.push_str(&body);
    text.push_str(&legend);
    text.push_str("</svg>\n");
    text
}

/// Opens a group with a tooltip, if there is a title.
fn open_group(title: Option<&str>, text: &mut String) {
    if let Some(title) = title {
        let _ = writeln!(text, "<g><title>{}</title>", EscapedXml(title));
    }
}

/// Closes the group, if there is a title.
fn close_group(title: Option<&str>, text: &mut String) {
    if title.is_some() {
        text.push_str("</g>\n");
    }
}

const MARKERS: &str = "<defs>\n<marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" \
    markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
    <path d=\"M0,0.8 L8,4 L0,7.2 z\" fill=\"#44505c\"/></marker>\n\
    <marker id=\"bright\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" markerWidth=\"10\" \
    markerHeight=\"10\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
    <path d=\"M0,0.8 L8,4 L0,7.2 z\" fill=\"#d9730d\"/></marker>\n</defs>\n";

/// An edge of the picture: source, target, label, and whether it is highlighted.
type DrawnEdge = (u32, u32, String, bool);

/// Returns the boxes, and for each edge its bend points. An edge from a box to itself has no bend
/// points.
fn place_boxes(
    texts: &[Vec<String>],
    bundles: &[DrawnEdge],
    budget: &Budget,
) -> (Vec<MarkingBox>, Vec<Vec<LayoutPoint>>) {
    let size = |text: &Vec<String>| {
        let longest = text.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let width = (longest as f64 * LETTER + 18.0).max(34.0);
        LayoutSize { width, height: text.len() as f64 * LINE + 10.0 }
    };
    let sizes: Vec<LayoutSize> = texts.iter().map(size).collect();
    // Labels beside edges need space, and so does an edge from a box to itself.
    let mut spaces = sizes.clone();
    for (from, to, label, _) in bundles {
        let width = &mut spaces[*to as usize].width;
        let label = label.chars().count() as f64 * LETTER;
        match from == to {
            true => *width += 2.0 * (34.0 + label) - GAP,
            false => *width = width.max(label * 0.9),
        }
    }
    let joins_two_boxes = |bundle: &&DrawnEdge| bundle.0 != bundle.1;
    let edges =
        bundles.iter().filter(joins_two_boxes).map(|it| (it.0 as usize, it.1 as usize)).collect();
    // The page is about as high as wide, since most edges lead down.
    let spacing = LayoutSpacing {
        direction: Direction::Down,
        between_layers: ROW_GAP,
        within_layers: GAP,
        proportion: 1.0,
    };
    let positions = layout(&LayoutGraph { sizes: spaces, edges, roots: vec![0] }, &spacing, budget);
    let marking_box = |(size, &(x, y)): (&LayoutSize, &LayoutPoint)| MarkingBox {
        x,
        y,
        width: size.width,
        height: size.height,
    };
    let mut routes = positions.routes.into_iter();
    let route = |bundle| {
        if joins_two_boxes(&bundle) { routes.next().unwrap_or_default() } else { Vec::new() }
    };
    (
        sizes.iter().zip(&positions.nodes).map(marking_box).collect(),
        bundles.iter().map(route).collect(),
    )
}

/// Draws an edge with its label. `pairs` has the source and target of every edge, to find edges in
/// the opposite direction. Returns the smallest and the largest x coordinate of the label and of
/// the bends in `route`.
fn draw_edge(
    boxes: &[MarkingBox],
    pairs: &HashSet<(u32, u32)>,
    bundle: &DrawnEdge,
    route: &[LayoutPoint],
    text: &mut String,
) -> (f64, f64) {
    let (from, to, label, bright) = bundle;
    let (a, b) = (&boxes[*from as usize], &boxes[*to as usize]);
    let half_label = label.chars().count() as f64 * LETTER / 2.0;
    let (path, x, y) = if from == to {
        let (x, y) = (a.x + a.width / 2.0, a.y);
        let path = format!(
            "M{x:.1},{:.1} C{:.1},{:.1} {:.1},{:.1} {x:.1},{:.1}",
            y - 7.0,
            x + 34.0,
            y - 22.0,
            x + 34.0,
            y + 22.0,
            y + 7.0
        );
        (path, x + 30.0 + half_label, y)
    } else {
        // The edge runs from border to border, and is shifted if an edge in the opposite direction
        // exists.
        let direction = if b.y > a.y { 1.0 } else { -1.0 };
        let shift = if pairs.contains(&(*to, *from)) { 9.0 * direction } else { 0.0 };
        let mut points = vec![(a.x + shift, a.y + direction * a.height / 2.0)];
        points.extend(route);
        points.push((b.x + shift, b.y - direction * b.height / 2.0));
        let (mut path, mut middle) =
            (format!("M{:.1},{:.1}", points[0].0, points[0].1), (0.0, 0.0));
        for (piece, ends) in points.windows(2).enumerate() {
            let [(x1, y1), (x2, y2)] = [ends[0], ends[1]];
            let bend = (y2 - y1) * 0.45;
            let (y3, y4) = (y1 + bend, y2 - bend);
            let _ = write!(path, " C{x1:.1},{y3:.1} {x2:.1},{y4:.1} {x2:.1},{y2:.1}");
            // The label is nearer to the target, since edges from one box are close together near
            // the source.
            if piece == route.len() / 2 {
                middle = (curve(x1, x1, x2, x2, 0.62), curve(y1, y3, y4, y2, 0.62));
            }
        }
        (path, middle.0, middle.1)
    };
    let (colour, width, head) = match bright {
        true => ("#d9730d", "2.6", "bright"),
        false => ("#44505c", "1.1", "head"),
    };
    let _ = writeln!(
        text,
        "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" \
         marker-end=\"url(#{head})\"/>\n<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" \
         font-size=\"11\" fill=\"{}\" stroke=\"white\" stroke-width=\"3\" \
         paint-order=\"stroke\">{}</text>",
        y + 4.0,
        if *bright { "#a4560a" } else { "#1f2a33" },
        EscapedXml(label)
    );
    let bends = route.iter().map(|&(x, _)| x);
    (bends.clone().fold(x - half_label, f64::min), bends.fold(x + half_label, f64::max))
}

/// Returns a coordinate of a cubic Bézier curve at `parameter`, in [0, 1].
fn curve(a: f64, b: f64, c: f64, d: f64, parameter: f64) -> f64 {
    let rest = 1.0 - parameter;
    rest.powi(3) * a
        + 3.0 * rest * rest * parameter * b
        + 3.0 * rest * parameter * parameter * c
        + parameter.powi(3) * d
}

/// Draws the box of the marking with this number. An arrow leads to the box of the initial marking,
/// which has number 0.
fn draw_box(
    view: &GraphView<'_>,
    node: &MarkingNode,
    number: usize,
    marking_box: &MarkingBox,
    lines: &[String],
    text: &mut String,
) {
    let (fill, border) = colours(view, node);
    let (x, y) =
        (marking_box.x - marking_box.width / 2.0, marking_box.y - marking_box.height / 2.0);
    let width = if node.is_highlighted { 2.6 } else { 1.2 };
    if number == 0 {
        let _ = writeln!(
            text,
            "<path d=\"M{:.1},{:.1} L{:.1},{y:.1}\" stroke=\"#44505c\" stroke-width=\"1.6\" \
             marker-end=\"url(#head)\"/>",
            marking_box.x,
            y - 22.0,
            marking_box.x
        );
    }
    let _ = writeln!(
        text,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"7\" fill=\"{fill}\" \
         stroke=\"{border}\" stroke-width=\"{width}\"/>",
        marking_box.width, marking_box.height
    );
    if node.is_dead {
        let _ = writeln!(
            text,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"5\" fill=\"none\" \
             stroke=\"{border}\" stroke-width=\"1\"/>",
            x + 3.0,
            y + 3.0,
            marking_box.width - 6.0,
            marking_box.height - 6.0
        );
    }
    for (line, words) in lines.iter().enumerate() {
        let _ = writeln!(
            text,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            marking_box.x,
            y + 17.0 + line as f64 * LINE,
            EscapedXml(words)
        );
    }
}

/// Returns the legend for the colours in the picture.
fn legend(view: &GraphView<'_>, y: f64, left: f64) -> String {
    let mut entries = Vec::new();
    if view.nodes.iter().any(|node| node.is_final) {
        entries.push(("#d6e4f5", "#44505c", "final marking"));
    }
    if view.nodes.iter().any(|node| node.is_dead) {
        entries.push(("#f8d7d4", "#a33a30", "dead marking (double edge)"));
    }
    if !view.is_coverability
        && view.nodes.iter().any(|node| node.terminal_component.is_some() && !node.is_dead)
    {
        entries.push(("#d7ebd3", "#44505c", "terminal component, never left again"));
    }
    if !view.highlighted_edges.is_empty() {
        entries.push(("#ffffff", "#d9730d", "the firing sequence"));
    }
    let (mut text, mut x) = (String::new(), left);
    for (fill, border, words) in entries {
        let _ = writeln!(
            text,
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"16\" height=\"11\" rx=\"3\" fill=\"{fill}\" \
             stroke=\"{border}\" stroke-width=\"1.6\"/>\n<text x=\"{:.1}\" y=\"{y:.1}\" \
             font-size=\"11\">{words}</text>",
            y - 9.5,
            x + 22.0
        );
        x += 40.0 + words.len() as f64 * LETTER;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;
    use parikh_structure::graph::reachability::Reachability;

    #[test]
    fn boxes_do_not_overlap_and_every_marking_and_firing_is_drawn() {
        let net = text::parse(
            "place a 3\nplace b\nplace \"a <name> & more\" 2\ntransition t: a -> b\ntransition u: b -> a
             transition loop: a -> a\ntransition v: 2*b + \"a <name> & more\" -> 2*a",
        )
        .unwrap();
        let graph = Reachability::of(&net, 100, &Budget::unlimited()).unwrap();
        let view = GraphView::of_reachability(&net, &graph);
        let GraphTexts { marking_terms: parts, bundles, .. } = GraphTexts::of(&view);
        let texts: Vec<Vec<String>> = parts.iter().map(|parts| lines(parts)).collect();
        let (boxes, _) = place_boxes(&texts, &bundles, &Budget::unlimited());
        for (at, a) in boxes.iter().enumerate() {
            for b in &boxes[at + 1..] {
                let apart = (a.x - b.x).abs() >= (a.width + b.width) / 2.0
                    || (a.y - b.y).abs() >= (a.height + b.height) / 2.0;
                assert!(apart, "({}, {}) and ({}, {})", a.x, a.y, b.x, b.y);
            }
        }
        let svg = svg(&view, &Budget::unlimited());
        assert_eq!(svg.matches("rx=\"7\"").count(), 12);
        assert_eq!(svg.matches("marker-end").count(), bundles.len() + 1);
        assert!(svg.contains("a &lt;name&gt; &amp; more") && !svg.contains("<name>"), "{svg}");
    }

    #[test]
    fn long_names_are_clipped_and_kept_in_tooltips() {
        let (place, transition) = ("p".repeat(3_000), "t".repeat(3_000));
        let net = format!("place {place} 1\ntransition {transition}: {place} ->");
        let net = text::parse(&net).unwrap();
        let graph = Reachability::of(&net, 100, &Budget::unlimited()).unwrap();
        let svg = svg(&GraphView::of_reachability(&net, &graph), &Budget::unlimited());
        for name in [place, transition] {
            assert!(svg.contains(&format!("<g><title>{name}</title>")), "{svg}");
            assert!(!svg.contains(&format!(">{name}</text>")));
        }
        assert_eq!(svg.matches("<g>").count(), svg.matches("</g>").count());
    }

    #[test]
    fn lines_break_between_parts() {
        let parts = ["abc", "defghijklmnopqrstuvw", "x"].map(str::to_owned);
        assert_eq!(lines(&parts), ["abc +", "defghijklmnopqrstuvw + x"]);
    }
}
