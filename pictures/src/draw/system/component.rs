//! Drawings of single components: a frame with the name, states as rounded boxes, edges with
//! labels.
//!
//! Edges with the same source and target are one line with their labels one above the other. The
//! player addresses elements by name: the state `s2-5`, the line `e2-5-7`, labels of the class
//! `l3`.

use super::super::svg::arrow_head;
use super::{LETTER, MAX_NAME_LETTERS};
use crate::layout::{
    Direction, Layout, LayoutGraph, LayoutPoint, LayoutSize, LayoutSpacing, layout,
};
use crate::names::clipped_to;
use parikh_net::printable::EscapedXml;
use parikh_net::printable::counted;
use parikh_solvers::Budget;
use parikh_systems::{Component, LabelId, System};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

/// The height of a state in pixels.
const HEIGHT: f64 = 24.0;
/// The height of a label line in pixels.
const LINE: f64 = 12.0;
/// The height of the control points of a loop above its state, in pixels.
const LOOP: f64 = 20.0;
/// The padding inside the frame, in pixels.
const PADDING: f64 = 14.0;
/// The height of the title in pixels.
const TITLE: f64 = 22.0;
/// The length of the arrow to a start state.
const START: f64 = 16.0;

/// The shift of an edge's middle if an edge in the opposite direction exists.
const OPPOSITE_SHIFT: f64 = 14.0;

/// The largest number of letters of a state's name.
const MAX_STATE_LETTERS: usize = 24;
/// The largest number of letters of a label.
const MAX_LABEL_LETTERS: usize = 28;

/// The largest number of label lines at one edge. If the edge has more labels, the last line has
/// the number of omitted labels.
const MOST_LABELS: usize = 6;

/// The drawing of a component.
pub(super) struct ComponentDrawing {
    /// The SVG elements, relative to the upper left corner of the frame.
    pub(super) body: String,
    /// The size of the frame.
    pub(super) size: LayoutSize,
}

/// The labels of all edges between two states, by source and target.
type EdgeLabels = BTreeMap<(u32, u32), Vec<LabelId>>;

/// Groups the labels of the component's edges by source and target.
fn bundles(component: &Component) -> EdgeLabels {
    let mut bundles = EdgeLabels::new();
    for state in 0..component.states().len() as u32 {
        for &(label, to) in component.edges(state) {
            bundles.entry((state, to)).or_default().push(label);
        }
    }
    bundles
}

/// Returns the number of text lines for the labels of an edge.
fn lines(labels: &[LabelId]) -> usize {
    labels.len().min(MOST_LABELS)
}

/// Draws the frame of a component, of the given size, and the component's name.
fn frame(component: &Component, size: LayoutSize, body: &mut String) {
    let _ = writeln!(
        body,
        "<rect class=\"frame\" width=\"{:.1}\" height=\"{:.1}\" rx=\"8\"/>\n\
         <text class=\"title\" x=\"{PADDING}\" y=\"18\">{}</text>",
        size.width,
        size.height,
        EscapedXml(&clipped_to(component.name(), MAX_NAME_LETTERS))
    );
}

/// Draws a component with too many states as a box.
pub(super) fn draw_box(system: &System, component_index: usize) -> ComponentDrawing {
    let component = &system.components()[component_index];
    let sizes_text =
        [counted(component.states().len(), "state"), counted(component.edge_count(), "edge")]
            .join(", ");
    let title = LETTER * 1.2 * component.name().chars().count().min(MAX_NAME_LETTERS) as f64;
    let width = title.max(LETTER * sizes_text.chars().count() as f64) + 2.0 * PADDING;
    let size = LayoutSize { width, height: 58.0 };
    let mut body = String::new();
    frame(component, size, &mut body);
    let _ = writeln!(body, "<text class=\"figures\" x=\"{PADDING}\" y=\"40\">{sizes_text}</text>");
    ComponentDrawing { body, size }
}

/// The component to draw, and the style.
struct ComponentSheet<'a> {
    system: &'a System,
    component_index: usize,
    /// The index of the colour of each label that several components share.
    colours: &'a HashMap<LabelId, usize>,
    highlighted: &'a BTreeSet<LabelId>,
    /// The width of each state in pixels.
    widths: Vec<f64>,
}

/// Draws a component state by state.
pub(super) fn draw_states(
    system: &System,
    component_index: usize,
    colours: &HashMap<LabelId, usize>,
    highlighted: &BTreeSet<LabelId>,
    budget: &Budget,
) -> ComponentDrawing {
    let component = &system.components()[component_index];
    let bundles = bundles(component);
    let width = |state| {
        let letters = component.title(state).chars().count().min(MAX_STATE_LETTERS) as f64;
        (LETTER * letters + 16.0).max(30.0)
    };
    let widths: Vec<f64> = (0..component.states().len() as u32).map(width).collect();
    let sheet = ComponentSheet { system, component_index, colours, highlighted, widths };
    let positions = sheet.layout(&bundles, budget);
    let mut content = String::new();
    sheet.write(&bundles, &positions, &mut content);
    let title = LETTER * 1.2 * component.name().chars().count().min(MAX_NAME_LETTERS) as f64;
    let size = LayoutSize {
        width: positions.size.width.max(title) + 2.0 * PADDING,
        height: positions.size.height + TITLE + 2.0 * PADDING,
    };
    let mut body = String::new();
    frame(component, size, &mut body);
    let top = PADDING + TITLE;
    let _ = writeln!(body, "<g transform=\"translate({PADDING} {top})\">\n{content}</g>");
    ComponentDrawing { body, size }
}

impl ComponentSheet<'_> {
    fn component(&self) -> &Component {
        &self.system.components()[self.component_index]
    }

    fn label(&self, label: LabelId) -> String {
        clipped_to(self.system.label(label), MAX_LABEL_LETTERS)
    }

    /// Returns the width in pixels of the longest label at an edge, among the first [`MOST_LABELS`]
    /// labels.
    fn widest(&self, labels: &[LabelId]) -> f64 {
        let letters = labels.iter().take(MOST_LABELS).map(|&it| self.label(it).chars().count());
        LETTER * letters.max().unwrap_or(0) as f64
    }

    fn layout(&self, bundles: &EdgeLabels, budget: &Budget) -> Layout {
        let starts = self.component().starts();
        let mut sizes: Vec<LayoutSize> =
            self.widths.iter().map(|&width| LayoutSize { width, height: HEIGHT }).collect();
        // A state is drawn in the middle of its space. So the space for the arrow to a start state
        // is added on both sides.
        starts.iter().for_each(|&start| sizes[start as usize].width += 2.0 * (START + 4.0));
        let (mut between_layers_width, mut within_layers_height) = (34.0, 18.0);
        for ((from, to), labels) in bundles {
            let label_height = lines(labels) as f64 * LINE;
            if from == to {
                let size = &mut sizes[*from as usize];
                size.width = size.width.max(self.widest(labels));
                size.height = size.height.max(HEIGHT + 2.0 * (LOOP + label_height));
            } else {
                between_layers_width = f64::max(between_layers_width, self.widest(labels) + 30.0);
                within_layers_height = f64::max(within_layers_height, label_height + 12.0);
                if bundles.contains_key(&(*to, *from)) {
                    // The labels of two opposite edges are above and below the line between the
                    // states. Higher states keep these labels inside the frame.
                    for end in [from, to] {
                        let size = &mut sizes[*end as usize];
                        size.height = size.height.max(2.0 * (OPPOSITE_SHIFT + label_height));
                    }
                }
            }
        }
        let edges = bundles.keys().filter(|(from, to)| from != to);
        let edges = edges.map(|&(from, to)| (from as usize, to as usize)).collect();
        let roots = starts.iter().map(|&start| start as usize).collect();
        let spacing = LayoutSpacing {
            direction: Direction::Right,
            between_layers: between_layers_width,
            within_layers: within_layers_height,
            proportion: 1.2,
        };
        layout(&LayoutGraph { sizes, edges, roots }, &spacing, budget)
    }

    fn write(&self, bundles: &EdgeLabels, positions: &Layout, body: &mut String) {
        let mut routes = positions.routes.iter();
        for (&(from, to), labels) in bundles {
            let is_highlighted = labels.iter().any(|label| self.highlighted.contains(label));
            let _ = writeln!(
                body,
                "<g class=\"edge{}\" id=\"e{}-{from}-{to}\">",
                if is_highlighted { " bright" } else { "" },
                self.component_index
            );
            // A line has a colour only if it has a single label.
            let ink = match labels[..] {
                [label] => self.colours.get(&label).copied(),
                _ => None,
            };
            let middle = match from == to {
                true => self.write_loop(from, positions.nodes[from as usize], ink, labels, body),
                false => {
                    let route = routes.next().map_or(&[][..], Vec::as_slice);
                    let has_opposite = bundles.contains_key(&(to, from));
                    let ends = [from, to].map(|it| (it, positions.nodes[it as usize]));
                    self.write_line(ends, route, has_opposite, ink, labels, body)
                }
            };
            self.write_labels(middle, labels, body);
            body.push_str("</g>\n");
        }
        for (state, &at) in (0..).zip(&positions.nodes) {
            self.write_state(state, at, body);
        }
    }

    fn write_state(&self, state: u32, (x, y): LayoutPoint, body: &mut String) {
        let component = self.component();
        let width = self.widths[state as usize];
        let _ = writeln!(
            body,
            "<g class=\"state\" id=\"s{}-{state}\" transform=\"translate({x:.1} {y:.1})\">\n<title>{}</title>\n\
             <rect class=\"shape\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{HEIGHT}\" rx=\"11\"/>\n\
             <text class=\"name\" y=\"4\">{}</text>",
            self.component_index,
            EscapedXml(component.title(state)),
            -width / 2.0,
            -HEIGHT / 2.0,
            EscapedXml(&clipped_to(component.title(state), MAX_STATE_LETTERS))
        );
        if component.starts().contains(&state) {
            let end = -width / 2.0 - 1.0;
            let _ =
                writeln!(body, "<path class=\"start\" d=\"M{:.1} 0L{end:.1} 0\"/>", end - START);
            arrow_head((end - START, 0.0), (end, 0.0), "head", body);
        }
        body.push_str("</g>\n");
    }

    /// Draws an edge from a state to itself, above the state. Returns the position of its first
    /// label.
    fn write_loop(
        &self,
        state: u32,
        (x, y): LayoutPoint,
        ink: Option<usize>,
        labels: &[LabelId],
        body: &mut String,
    ) -> LayoutPoint {
        let top = y - HEIGHT / 2.0;
        let half_width = (self.widths[state as usize] / 4.0).min(12.0);
        let (left, right) = (x - half_width, x + half_width);
        let high = top - LOOP;
        let _ = writeln!(
            body,
            "<path class=\"line{}\" d=\"M{left:.1} {top:.1}C{:.1} {high:.1} {:.1} {high:.1} {right:.1} {:.1}\"/>",
            class('k', ink),
            left - 6.0,
            right + 6.0,
            top - 1.0
        );
        arrow_head(
            (right + 2.5, top - 10.0),
            (right, top - 1.0),
            &format!("head{}", class('f', ink)),
            body,
        );
        // The Bézier curve reaches three quarters of the height of its control points.
        (x, top - LOOP * 0.75 - 3.0 - (lines(labels) as f64 - 1.0) * LINE)
    }

    /// Draws an edge to another state. The edge is shifted if an edge in the opposite direction
    /// exists and the layout gives no bends. Returns the position of its first label.
    fn write_line(
        &self,
        [(from, from_at), (to, to_at)]: [(u32, LayoutPoint); 2],
        route: &[LayoutPoint],
        has_opposite: bool,
        ink: Option<usize>,
        labels: &[LabelId],
        body: &mut String,
    ) -> LayoutPoint {
        let mut route = route.to_vec();
        if route.is_empty() && has_opposite {
            let (dx, dy) = (to_at.0 - from_at.0, to_at.1 - from_at.1);
            let length = dx.hypot(dy).max(1.0);
            let middle = ((from_at.0 + to_at.0) / 2.0, (from_at.1 + to_at.1) / 2.0);
            route.push((
                middle.0 + dy / length * OPPOSITE_SHIFT,
                middle.1 - dx / length * OPPOSITE_SHIFT,
            ));
        }
        let start = self.border(from, from_at, route.first().copied().unwrap_or(to_at));
        let end = self.border(to, to_at, route.last().copied().unwrap_or(from_at));
        let mut points = vec![start];
        points.extend(route);
        points.push(end);
        let mut path = format!("M{:.1} {:.1}", start.0, start.1);
        for index in 1..points.len() - 1 {
            let ((x, y), next) = (points[index], points[index + 1]);
            let (u, v) = match index == points.len() - 2 {
                true => next,
                false => ((x + next.0) / 2.0, (y + next.1) / 2.0),
            };
            let _ = write!(path, "Q{x:.1} {y:.1} {u:.1} {v:.1}");
        }
        if points.len() == 2 {
            let _ = write!(path, "L{:.1} {:.1}", end.0, end.1);
        }
        let _ = writeln!(body, "<path class=\"line{}\" d=\"{path}\"/>", class('k', ink));
        arrow_head(points[points.len() - 2], end, &format!("head{}", class('f', ink)), body);
        let labels_below = has_opposite && points.len() == 3 && from_at.0 > to_at.0;
        let (x, y) = match points.len() {
            2 => ((start.0 + end.0) / 2.0, (start.1 + end.1) / 2.0),
            count => points[count / 2],
        };
        match labels_below {
            true => (x, y + 10.0),
            false => (x, y - 4.0 - (lines(labels) as f64 - 1.0) * LINE),
        }
    }

    /// Writes the labels of an edge, the first at the given point. Beyond [`MOST_LABELS`] labels,
    /// the last line has the number of omitted labels.
    fn write_labels(&self, (x, y): LayoutPoint, labels: &[LabelId], body: &mut String) {
        let shown_count = match labels.len() {
            ..=MOST_LABELS => labels.len(),
            _ => MOST_LABELS - 1,
        };
        for (index, &label) in labels[..shown_count].iter().enumerate() {
            let ink = class('f', self.colours.get(&label).copied());
            let _ = writeln!(
                body,
                "<text class=\"label l{}{ink}\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
                label.0,
                y + index as f64 * LINE,
                EscapedXml(&self.label(label))
            );
        }
        if shown_count < labels.len() {
            let more = labels.len() - shown_count;
            let y = y + shown_count as f64 * LINE;
            let names: Vec<&str> = labels.iter().map(|&it| self.system.label(it)).collect();
            let _ = writeln!(
                body,
                "<text class=\"label\" x=\"{x:.1}\" y=\"{y:.1}\"><title>{}</title>and {more} more</text>",
                EscapedXml(&names.join(", "))
            );
        }
    }

    /// Returns the point where a line to `towards` leaves a state.
    fn border(&self, state: u32, (x, y): LayoutPoint, towards: LayoutPoint) -> LayoutPoint {
        let (dx, dy) = (towards.0 - x, towards.1 - y);
        let share_in_x = (self.widths[state as usize] / 2.0 + 1.0) / dx.abs().max(0.1);
        let share = share_in_x.min((HEIGHT / 2.0 + 1.0) / dy.abs().max(0.1)).min(1.0);
        (x + dx * share, y + dy * share)
    }
}

/// Returns the class for the colour of a label, with a leading blank. `kind` is `k` for lines and
/// `f` for areas and text. The class is empty if `ink`, the colour index, is `None`.
fn class(kind: char, ink: Option<usize>) -> String {
    ink.map(|ink| format!(" {kind}{ink}")).unwrap_or_default()
}
