//! A scene as an SVG picture: laid out by [`crate::layout`], drawn as circles, boxes and curves.

use super::scene::{LineEnds, NodeForm, Scene, SceneLine, SceneNode};
use crate::layout::{
    Direction, Layout, LayoutGraph, LayoutPoint, LayoutSize, LayoutSpacing, are_clear, layout,
    route_around_boxes,
};
use crate::names::clipped;
use parikh_net::printable::EscapedXml;
use parikh_solvers::Budget;
use std::fmt::Write as _;

/// The approximate width in pixels of a letter with a font size of 10 pixels.
const LETTER: f64 = 6.1;
/// The height of a line of text in pixels.
const LEADING: f64 = 12.0;

/// The width of a letter in captions, in pixels.
pub(super) const CAPTION_LETTER: f64 = 6.6;

/// The radius of the circle at the end of an inhibitor arc.
const RING: f64 = 3.5;

/// The radius of a place with a short text.
const RADIUS: f64 = 14.0;

/// The largest distances in pixels from a bend within which a line is rounded. A line takes the
/// first distance with which it passes no node, or else the last distance.
const ROUNDINGS: [f64; 4] = [f64::INFINITY, 24.0, 12.0, 4.0];

/// The number of straight pieces by which a rounded bend is approximated, to find the nodes that it
/// passes.
const PIECES_OF_BEND: usize = 12;

/// The margin around the picture.
const MARGIN: f64 = 14.0;

/// Draws a scene. When `budget` is spent, the layout is not improved further.
pub fn svg(scene: &Scene, budget: &Budget) -> String {
    SceneDrawing::new(scene, budget).print(|_| None)
}

/// A scene with positions.
pub(super) struct SceneDrawing {
    /// The scene with long names clipped.
    scene: Scene,
    /// The full text of each node for the tooltip; `None` if no text of the node was clipped.
    titles: Vec<Option<String>>,
    layout: Layout,
    /// The curve of every line.
    curves: Vec<Curve>,
}

/// The course of a line.
struct Curve {
    /// The ends and the bends, at least two points. The ends are on the borders of the nodes.
    points: Vec<LayoutPoint>,
    /// The pieces from the first to the last point.
    pieces: Vec<CurvePiece>,
}

/// A piece of a line. It begins where the piece before it ends.
#[derive(Clone, Copy)]
enum CurvePiece {
    /// A straight piece to a point.
    Straight(LayoutPoint),
    /// A quadratic Bézier curve with a control point, to a point.
    Bend {
        /// The control point.
        control: LayoutPoint,
        /// The last point.
        end: LayoutPoint,
    },
}

impl Curve {
    /// Returns the line along `points` that is straight except up to `rounding` pixels from each
    /// bend, and at most up to the middle between two bends.
    fn new(points: &[LayoutPoint], rounding: f64) -> Curve {
        let mut pieces = Vec::new();
        let mut at = points[0];
        let last = points.len() - 1;
        for index in 1..last {
            let control = points[index];
            // The point towards a neighbouring point at which the rounding of this bend begins or
            // ends.
            let part = |other: usize| {
                let (x, y) = points[other];
                let length = (x - control.0).hypot(y - control.1);
                let is_end = other == 0 || other == last;
                let length = if is_end { length } else { length / 2.0 };
                towards(control, points[other], length.min(rounding))
            };
            let (start, end) = (part(index - 1), part(index + 1));
            if is_apart(at, start) {
                pieces.push(CurvePiece::Straight(start));
            }
            pieces.push(CurvePiece::Bend { control, end });
            at = end;
        }
        if pieces.is_empty() || is_apart(at, points[last]) {
            pieces.push(CurvePiece::Straight(points[last]));
        }
        Curve { points: points.to_vec(), pieces }
    }

    /// Returns points along the curve, with both ends. Each bend is approximated by
    /// [`PIECES_OF_BEND`] straight pieces.
    fn sampled(&self) -> Vec<LayoutPoint> {
        let mut sampled = vec![self.points[0]];
        for &piece in &self.pieces {
            let (x, y) = sampled[sampled.len() - 1];
            match piece {
                CurvePiece::Straight(end) => sampled.push(end),
                CurvePiece::Bend { control: (cx, cy), end: (u, v) } => {
                    sampled.extend((1..=PIECES_OF_BEND).map(|step| {
                        let s = step as f64 / PIECES_OF_BEND as f64;
                        let [a, b, c] = [(1.0 - s) * (1.0 - s), 2.0 * s * (1.0 - s), s * s];
                        (a * x + b * cx + c * u, a * y + b * cy + c * v)
                    }));
                }
            }
        }
        sampled
    }
}

/// Returns true if the distance of two points is visible, that is, more than 0.05 pixels.
fn is_apart((x, y): LayoutPoint, (u, v): LayoutPoint) -> bool {
    (x - u).hypot(y - v) > 0.05
}

impl SceneDrawing {
    pub(super) fn new(scene: &Scene, budget: &Budget) -> Self {
        let (scene, titles) = scene.clipped();
        let longest_label =
            scene.lines.iter().map(|line| line.label.chars().count()).max().unwrap_or(0);
        let marked = scene.nodes.iter().enumerate().filter(|(_, node)| node.is_marked);
        let graph = LayoutGraph {
            sizes: scene.nodes.iter().map(node_space).collect(),
            edges: scene.lines.iter().map(|line| (line.from, line.to)).collect(),
            roots: marked.map(|(at, _)| at).collect(),
        };
        let spacing = LayoutSpacing {
            direction: Direction::Right,
            // Labels of lines need space between layers.
            between_layers: 34.0 + (LETTER * 0.8 * longest_label as f64).min(120.0),
            within_layers: 12.0,
            ..LayoutSpacing::default()
        };
        let mut layout = layout(&graph, &spacing, &budget.share(0.5));
        let shapes: Vec<LayoutSize> = scene.nodes.iter().map(shape).collect();
        let routes = std::mem::take(&mut layout.routes);
        layout.routes = route_around_boxes(&layout.nodes, &shapes, &graph.edges, routes, budget);
        include_routes(&mut layout);
        let curves = curves(&scene, &layout, &shapes, &graph.edges, budget);
        SceneDrawing { scene, titles, layout, curves }
    }

    /// Returns the picture. `replacement` gets the index of a node. It returns the contents to draw
    /// in the node, for example animated tokens, or `None` for the usual contents.
    pub(super) fn print(&self, replacement: impl Fn(usize) -> Option<String>) -> String {
        let caption: Vec<&str> = match self.scene.caption.is_empty() {
            true => Vec::new(),
            false => self.scene.caption.split('\n').collect(),
        };
        let caption_height =
            14.0 * caption.len() as f64 + if caption.is_empty() { 0.0 } else { 8.0 };
        let LayoutSize { width, height } = self.layout.size;
        let longest = caption.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let width = width.max(CAPTION_LETTER * longest as f64);
        let mut text = head(&self.scene.name, width, height + caption_height);
        let (top, caption_top) = match self.scene.caption_below {
            true => (0.0, height + 8.0),
            false => (caption_height, 0.0),
        };
        for (at, line) in caption.iter().enumerate() {
            let y = caption_top + 14.0 * at as f64 + 10.0;
            let line = EscapedXml(line);
            let _ = writeln!(text, "<text class=\"caption\" y=\"{y:.1}\">{line}</text>");
        }
        let _ = writeln!(text, "<g transform=\"translate(0 {top:.1})\">");
        self.body(replacement, &mut text);
        text.push_str("</g>\n");
        text.push_str(FOOT);
        text
    }

    /// Returns the size of the layout.
    pub(super) fn size(&self) -> LayoutSize {
        self.layout.size
    }

    /// Appends the lines and nodes, without head and foot. `replacement` is as for
    /// [`print`](Self::print).
    pub(super) fn body(&self, replacement: impl Fn(usize) -> Option<String>, text: &mut String) {
        for (line, curve) in self.scene.lines.iter().zip(&self.curves) {
            draw_line(line, curve, text);
        }
        for (at, node) in self.scene.nodes.iter().enumerate() {
            self.node(
                node,
                self.titles[at].as_deref(),
                self.layout.nodes[at],
                replacement(at),
                text,
            );
        }
    }

    /// Appends a node with its texts. `title` is the tooltip, and `replacement` replaces the text
    /// inside the node.
    fn node(
        &self,
        node: &SceneNode,
        title: Option<&str>,
        (x, y): LayoutPoint,
        replacement: Option<String>,
        text: &mut String,
    ) {
        let mut class = String::from("node");
        class.push_str(if node.has_hidden_arcs { " cut" } else { "" });
        class.push_str(if node.is_highlighted { " bright" } else { "" });
        let LayoutSize { width, height } = shape(node);
        let _ = writeln!(text, "<g class=\"{class}\" transform=\"translate({x:.1} {y:.1})\">");
        if let Some(title) = title {
            let _ = writeln!(text, "<title>{}</title>", EscapedXml(title));
        }
        let _ = match node.form {
            NodeForm::Circle => writeln!(text, "<circle class=\"shape\" r=\"{RADIUS}\"/>"),
            NodeForm::Ellipse => writeln!(
                text,
                "<rect class=\"shape\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" \
                 height=\"{height:.1}\" rx=\"{:.1}\"/>",
                -width / 2.0,
                -height / 2.0,
                height / 2.0
            ),
            NodeForm::Box | NodeForm::Group => writeln!(
                text,
                "<rect class=\"shape\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" \
                 height=\"{height:.1}\" rx=\"2\"/>",
                -width / 2.0,
                -height / 2.0
            ),
        };
        match replacement {
            Some(replacement) => text.push_str(&replacement),
            None => write_centred(&node.inner_text, 0.0, text),
        }
        let lines = node.outer_text.split('\n').filter(|line| !line.is_empty());
        for (at, line) in lines.enumerate() {
            let y = height / 2.0 + LEADING * (at as f64 + 0.95);
            let _ =
                writeln!(text, "<text class=\"beside\" y=\"{y:.1}\">{}</text>", EscapedXml(line));
        }
        text.push_str("</g>\n");
    }
}

/// Moves the layout so that no bend has negative coordinates, and enlarges its size to contain all
/// bends. Routes around nodes at the edge of the picture have bends outside of the layout.
fn include_routes(layout: &mut Layout) {
    let bends = || layout.routes.iter().flatten();
    let left = bends().map(|bend| bend.0).fold(0.0, f64::min);
    let top = bends().map(|bend| bend.1).fold(0.0, f64::min);
    let right = bends().map(|bend| bend.0).fold(layout.size.width, f64::max);
    let bottom = bends().map(|bend| bend.1).fold(layout.size.height, f64::max);
    layout.size = LayoutSize { width: right - left, height: bottom - top };
    for point in layout.nodes.iter_mut().chain(layout.routes.iter_mut().flatten()) {
        *point = (point.0 - left, point.1 - top);
    }
}

/// Returns the curve of every line. Bends are rounded as far as the line passes no node. When
/// `budget` is spent, lines that pass a node stay as they are. `shapes` has the size of each node,
/// and `edges` the indices of the two nodes that each line joins.
fn curves(
    scene: &Scene,
    layout: &Layout,
    shapes: &[LayoutSize],
    edges: &[(usize, usize)],
    budget: &Budget,
) -> Vec<Curve> {
    let points = edges.iter().zip(&layout.routes).map(|(&(from, to), route)| {
        let (from_at, to_at) = (layout.nodes[from], layout.nodes[to]);
        let start = border(&scene.nodes[from], from_at, route.first().copied().unwrap_or(to_at));
        let end = border(&scene.nodes[to], to_at, route.last().copied().unwrap_or(from_at));
        let mut points = vec![start];
        points.extend(route);
        points.push(end);
        points
    });
    let points: Vec<Vec<LayoutPoint>> = points.collect();
    let rounded = |rounding: f64| points.iter().map(move |points| Curve::new(points, rounding));
    let mut curves: Vec<Curve> = rounded(ROUNDINGS[0]).collect();
    for rounding in &ROUNDINGS[1..] {
        if budget.is_exhausted() {
            break;
        }
        let paths: Vec<Vec<LayoutPoint>> = curves.iter().map(Curve::sampled).collect();
        let are_clear = are_clear(&layout.nodes, shapes, edges, &paths);
        if are_clear.iter().all(|&is_clear| is_clear) {
            break;
        }
        let sharper = curves.iter_mut().zip(rounded(*rounding)).zip(are_clear);
        sharper.filter(|(_, is_clear)| !is_clear).for_each(|((curve, sharp), _)| *curve = sharp);
    }
    curves
}

/// Appends a line with its ends and its label.
fn draw_line(line: &SceneLine, curve: &Curve, text: &mut String) {
    let points = &curve.points;
    let (start, end) = (points[0], points[points.len() - 1]);
    let _ = write!(text, "<path class=\"line\" d=\"M{:.1} {:.1}", start.0, start.1);
    for piece in &curve.pieces {
        let _ = match *piece {
            CurvePiece::Straight((x, y)) => write!(text, "L{x:.1} {y:.1}"),
            CurvePiece::Bend { control: (x, y), end: (u, v) } => {
                write!(text, "Q{x:.1} {y:.1} {u:.1} {v:.1}")
            }
        };
    }
    let _ = writeln!(text, "\"/>");
    let last_bend = points[points.len() - 2];
    match line.ends {
        LineEnds::Circle => ring(last_bend, end, text),
        _ => arrow_head(last_bend, end, "head", text),
    }
    match line.ends {
        LineEnds::ArrowsAtBothEnds => arrow_head(points[1], start, "head", text),
        LineEnds::TwoHeads => arrow_head(last_bend, towards(end, last_bend, 7.0), "head", text),
        LineEnds::Arrow | LineEnds::Circle => {}
    }
    if !line.label.is_empty() {
        let (x, y) = match points.len() {
            2 => ((start.0 + end.0) / 2.0, (start.1 + end.1) / 2.0),
            count => points[count / 2],
        };
        let label = EscapedXml(&line.label);
        let _ = writeln!(
            text,
            "<text class=\"label\" x=\"{x:.1}\" y=\"{:.1}\">{label}</text>",
            y - 3.0
        );
    }
}

/// Writes lines of text centred around the height `y`.
pub(super) fn write_centred(words: &str, y: f64, text: &mut String) {
    if words.is_empty() {
        return;
    }
    let lines: Vec<&str> = words.split('\n').collect();
    let first = y - LEADING * (lines.len() - 1) as f64 / 2.0 + 3.5;
    for (at, line) in lines.iter().enumerate() {
        let y = first + LEADING * at as f64;
        let _ = writeln!(text, "<text y=\"{y:.1}\">{}</text>", EscapedXml(line));
    }
}

/// Returns a highlighted transition name. `attributes` and `content` belong to the highlighting
/// rectangle.
pub(super) fn highlighted_name(name: &str, attributes: &str, content: &str) -> String {
    // The rectangle covers the form of the node and is behind the name.
    let name = &clipped(name);
    let width = (LETTER * name.chars().count() as f64 + 12.0).max(24.0);
    format!(
        "<rect x=\"{:.1}\" y=\"-11\" width=\"{width:.1}\" height=\"22\" rx=\"2\" \
         fill=\"#5fd394\"{attributes}>{content}</rect>\n<text y=\"3.5\">{}</text>\n",
        -width / 2.0,
        EscapedXml(name)
    )
}

/// Returns the head of a picture: a page of the given size, with a margin.
pub(super) fn head(name: &str, width: f64, height: f64) -> String {
    let (wide, high) = (width + 2.0 * MARGIN, height + 2.0 * MARGIN);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide:.0}\" height=\"{high:.0}\" \
         viewBox=\"0 0 {wide:.0} {high:.0}\" font-family=\"Helvetica, Arial, sans-serif\" \
         font-size=\"10\">\n<title>{}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"page\" width=\"100%\" height=\"100%\"/>\n\
         <g transform=\"translate({MARGIN} {MARGIN})\">\n",
        EscapedXml(name)
    )
}

/// The end of a picture.
pub(super) const FOOT: &str = "</g>\n</svg>\n";

const STYLE: &str = ".page{fill:#fff}.line{fill:none;stroke:#6b7582;stroke-width:1.1}\
    .head{fill:#6b7582}.ring{fill:#fff;stroke:#6b7582;stroke-width:1.1}.shape{fill:#fff;stroke:#333c48;stroke-width:1.3}\
    text{fill:#1b2330;text-anchor:middle}.caption{text-anchor:start;font-size:12px}\
    .label{font-size:9px}.label,.beside{paint-order:stroke;stroke:#fff;stroke-width:2.5px}\
    .bright .shape{fill:#ffcc66;stroke-width:2}.cut .shape{stroke-dasharray:4 3}";

/// Returns the size of a node's form.
fn shape(node: &SceneNode) -> LayoutSize {
    let lines = node.inner_text.split('\n').count() as f64;
    let letters =
        node.inner_text.split('\n').map(|line| line.chars().count()).max().unwrap_or(0) as f64;
    match node.form {
        NodeForm::Circle => LayoutSize { width: 2.0 * RADIUS, height: 2.0 * RADIUS },
        NodeForm::Ellipse => LayoutSize {
            width: (LETTER * letters + 18.0).max(30.0),
            height: (LEADING * lines + 10.0).max(28.0),
        },
        NodeForm::Box | NodeForm::Group => LayoutSize {
            width: (LETTER * letters + 12.0).max(24.0),
            height: (LEADING * lines + 8.0).max(22.0),
        },
    }
}

/// Returns the space for a node: the form, the text below it, and the same height above it. So
/// lines end at the middle of the form.
fn node_space(node: &SceneNode) -> LayoutSize {
    let LayoutSize { width, height } = shape(node);
    let beside: Vec<usize> = node
        .outer_text
        .split('\n')
        .filter(|line| !line.is_empty())
        .map(|line| line.chars().count())
        .collect();
    let widest = beside.iter().max().copied().unwrap_or(0) as f64;
    LayoutSize {
        width: width.max(LETTER * widest),
        height: height
            + 2.0 * LEADING * beside.len() as f64
            + if beside.is_empty() { 0.0 } else { 3.0 },
    }
}

/// Returns the point where a line to `towards` leaves a node.
fn border(node: &SceneNode, (x, y): LayoutPoint, towards: LayoutPoint) -> LayoutPoint {
    let (dx, dy) = (towards.0 - x, towards.1 - y);
    let LayoutSize { width, height } = shape(node);
    let share = match node.form {
        NodeForm::Circle => (RADIUS + 1.0) / dx.hypot(dy).max(1.0),
        _ => {
            let wide = (width / 2.0 + 1.0) / dx.abs().max(0.1);
            wide.min((height / 2.0 + 1.0) / dy.abs().max(0.1))
        }
    };
    (x + dx * share.min(1.0), y + dy * share.min(1.0))
}

/// Draws an arrow head with its tip at `at`, for a line that comes from `from`. `class` is the
/// class of the SVG element.
pub(super) fn arrow_head(from: LayoutPoint, at: LayoutPoint, class: &str, text: &mut String) {
    let (dx, dy) = (at.0 - from.0, at.1 - from.1);
    let length = dx.hypot(dy).max(0.1);
    let (x, y) = (dx / length, dy / length);
    let corner = |side: f64| (at.0 - 7.0 * x - side * 3.0 * y, at.1 - 7.0 * y + side * 3.0 * x);
    let (a, b) = (corner(1.0), corner(-1.0));
    let _ = writeln!(
        text,
        "<path class=\"{class}\" d=\"M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z\"/>",
        at.0, at.1, a.0, a.1, b.0, b.1
    );
}

/// Draws the circle at the end of an inhibitor arc that comes from `from` and ends at `at`.
fn ring(from: LayoutPoint, at: LayoutPoint, text: &mut String) {
    let (x, y) = towards(at, from, RING);
    let _ = writeln!(text, "<circle class=\"ring\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{RING}\"/>");
}

/// Returns the point at `distance` from the first point towards the other point.
fn towards((x, y): LayoutPoint, other: LayoutPoint, distance: f64) -> LayoutPoint {
    let (dx, dy) = (other.0 - x, other.1 - y);
    let length = dx.hypot(dy).max(0.1);
    (x + dx / length * distance, y + dy / length * distance)
}

#[cfg(test)]
mod tests {
    use super::super::{DrawnPart, Highlight, net};
    use super::*;
    use quick_xml::events::Event;

    /// Returns the names of the elements. Panics if the SVG is not well-formed.
    fn elements(svg: &str) -> Vec<String> {
        let mut reader = quick_xml::Reader::from_str(svg);
        let mut names = Vec::new();
        loop {
            match reader.read_event().unwrap() {
                Event::Start(tag) | Event::Empty(tag) => {
                    names.push(tag.name().into_inner().to_owned());
                }
                Event::Eof => return names,
                _ => {}
            }
        }
    }

    #[test]
    fn a_net_is_drawn_with_all_it_has() {
        let text = "place p 2\nplace q\ntransition t: p -> 3*q\ntransition u: q + p -> q";
        let of = parikh_net::text::parse(text).unwrap();
        let highlight = Highlight::nodes(&of, ["q"]).unwrap();
        let drawn = svg(&net(&of, &DrawnPart::whole(&of), &highlight), &Budget::unlimited());
        let names = elements(&drawn);
        let count = |name: &str| names.iter().filter(|it| *it == name).count();
        // The page and two transitions are rectangles. Four lines have five heads, because the line
        // in both directions has two.
        assert_eq!((count("circle"), count("rect")), (2, 3));
        assert_eq!(count("path"), 4 + 5);
        assert!(
            drawn.contains("●●") && drawn.contains(">3</text>") && drawn.contains("node bright")
        );
    }

    /// Random nets with names of different lengths, so that the boxes of a layer differ in width.
    #[test]
    fn no_line_of_a_drawing_crosses_a_node_that_it_does_not_join() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..40 {
            let mut builder = parikh_net::NetBuilder::new("n");
            let size = random.usize(3..9);
            let name = |kind: &str, at: usize, random: &mut fastrand::Rng| {
                format!("{kind}{at}{}", "_wide".repeat(random.usize(0..4)))
            };
            let mut places = Vec::new();
            for at in 0..size {
                let name = name("p", at, &mut random);
                places.push(builder.place(&name, random.u64(0..2)).unwrap());
            }
            for at in 0..size {
                let t = builder.transition(&name("t", at, &mut random)).unwrap();
                for _ in 0..random.usize(1..3) {
                    builder.take(t, places[random.usize(0..size)], 1).unwrap();
                    builder.put(t, places[random.usize(0..size)], 1).unwrap();
                }
            }
            let of = builder.build().unwrap();
            let scene = net(&of, &DrawnPart::whole(&of), &Highlight::default());
            let drawing = SceneDrawing::new(&scene, &Budget::unlimited());
            let LayoutSize { width, height } = drawing.size();
            for (line, curve) in drawing.scene.lines.iter().zip(&drawing.curves) {
                for (x, y) in curve.sampled() {
                    // Lines end a pixel away from the nodes.
                    let is_inside = x >= -1.0 && y >= -1.0 && x <= width + 1.0 && y <= height + 1.0;
                    assert!(is_inside, "{scene:?}");
                    for (at, node) in drawing.scene.nodes.iter().enumerate() {
                        let (u, v) = drawing.layout.nodes[at];
                        let LayoutSize { width, height } = shape(node);
                        let is_in = (x - u).abs() < width / 2.0 && (y - v).abs() < height / 2.0;
                        assert!(!is_in || at == line.from || at == line.to, "{line:?} {scene:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn names_are_never_markup() {
        let mut builder = parikh_net::NetBuilder::new("</title><script>");
        builder.place("<b>&\u{1}", 1).unwrap();
        let of = builder.build().unwrap();
        let scene = net(&of, &DrawnPart::whole(&of), &Highlight::default());
        let drawn = svg(&scene, &Budget::unlimited());
        assert!(!elements(&drawn).iter().any(|name| name == "b" || name == "script"));
    }
}
