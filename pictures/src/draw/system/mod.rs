//! Pictures of parallel systems: the components side by side, each with its own layout.
//!
//! Components fill rows in the order of the file, like words on a page. A label shared by several
//! components has the same colour in all of them, and the legend names the components that share
//! it. A component with too many states is a box with its sizes.

mod component;
mod graphviz;

pub use graphviz::dot;

use super::svg::{FOOT, head};
use super::{MAX_READABLE_NODES, MAX_WHOLE_NODES};
use crate::layout::LayoutSize;
use crate::names::clipped_to;
use component::ComponentDrawing;
use parikh_net::printable::EscapedXml;
use parikh_solvers::Budget;
use parikh_systems::{LabelId, System};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

/// The number of distinguishable colours. Further labels reuse the colours from the first.
pub const COLOURS: usize = 8;

/// The largest number of shared labels in the legend.
const MAX_LEGEND_LABELS: usize = 48;

/// The largest number of letters of a name in the legend and in titles.
const MAX_NAME_LETTERS: usize = 40;

/// The width of a letter in pixels.
const LETTER: f64 = 6.4;
/// The height of a legend line in pixels.
const LEADING: f64 = 18.0;
/// The gap between components in pixels.
const GAP: f64 = 22.0;

/// The minimum width in pixels of a page, if the components fill it.
const PAGE: f64 = 760.0;

/// The width of a page divided by its height.
const PROPORTION: f64 = 1.5;

/// The picture of a system.
#[derive(Clone, Debug)]
pub struct SystemPicture {
    /// The contents of the picture, without page and style.
    pub body: String,
    /// The width in pixels.
    pub width: f64,
    /// The height in pixels.
    pub height: f64,
    /// The number of components drawn as boxes because they have too many states.
    pub boxes: usize,
}

/// Returns the colours of the labels that several components share, as indices below [`COLOURS`].
pub fn colours(system: &System) -> HashMap<LabelId, usize> {
    let shared = system.labels().filter(|&label| system.owners(label).len() > 1);
    shared.enumerate().map(|(at, label)| (label, at % COLOURS)).collect()
}

/// Returns for each component whether all of its states are drawn. With `draws_all`, this is true
/// for all components. Otherwise a component is drawn if it has at most [`MAX_READABLE_NODES`]
/// states. In addition, the component and all components before it, by size and then by index, must
/// have at most [`MAX_WHOLE_NODES`] states together.
fn drawn_components(system: &System, draws_all: bool) -> Vec<bool> {
    let sizes: Vec<usize> = system.components().iter().map(|it| it.states().len()).collect();
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&index| sizes[index]);
    let mut is_drawn = vec![draws_all; sizes.len()];
    let mut states = 0;
    for index in order {
        states += sizes[index];
        is_drawn[index] |= sizes[index] <= MAX_READABLE_NODES && states <= MAX_WHOLE_NODES;
    }
    is_drawn
}

/// Draws a system with the labels `highlighted` standing out. With `draws_all`, every state is
/// drawn. When `budget` is spent, layouts are not improved further.
pub fn picture(
    system: &System,
    highlighted: &BTreeSet<LabelId>,
    draws_all: bool,
    budget: &Budget,
) -> SystemPicture {
    let colours = colours(system);
    let is_drawn = drawn_components(system, draws_all);
    let drawings: Vec<ComponentDrawing> = (0..system.components().len())
        .map(|index| match is_drawn[index] {
            true => {
                let share = 1.0 / (system.components().len() - index) as f64;
                component::draw_states(system, index, &colours, highlighted, &budget.share(share))
            }
            false => component::draw_box(system, index),
        })
        .collect();
    let (corners, size) = place_in_rows(&drawings.iter().map(|it| it.size).collect::<Vec<_>>());
    let mut body = String::new();
    for (index, (component, (x, y))) in drawings.iter().zip(corners).enumerate() {
        let _ = writeln!(
            body,
            "<g class=\"component\" id=\"c{index}\" transform=\"translate({x:.1} {y:.1})\">\n{}</g>",
            component.body
        );
    }
    let width = size.width.max(PAGE.min(longest_entry(system)));
    let height = size.height + legend(system, &colours, (width, size.height + GAP), &mut body);
    let boxes = is_drawn.iter().filter(|it| !**it).count();
    SystemPicture { body, width, height, boxes }
}

/// Returns the picture as an SVG file.
pub fn svg(picture: &SystemPicture, name: &str) -> String {
    let mut text = head(name, picture.width, picture.height);
    let _ = write!(text, "<style>{STYLE}");
    for (at, colour) in INKS.iter().enumerate() {
        let _ = write!(text, ".k{at}{{stroke:{colour}}}.f{at}{{fill:{colour}}}");
    }
    let _ = writeln!(text, "</style>\n{}{FOOT}", picture.body);
    text
}

/// The colours of shared labels on white paper.
const INKS: [&str; COLOURS] =
    ["#1f4fbf", "#a8201a", "#156b40", "#7a5000", "#6a3fa0", "#00697a", "#a0226b", "#56610a"];

const STYLE: &str = ".frame{fill:none;stroke:#c3c9d1}.title{text-anchor:start;font-size:12px;\
    font-weight:bold}.figures,.key{text-anchor:start;font-size:11px}.label{font-size:10px}\
    .start{fill:none;stroke:#333c48;stroke-width:1.3}.bright .label{font-weight:bold}\
    .bright .line{stroke-width:3}";

/// Places rectangles of these sizes in rows. Returns the upper left corner of each rectangle, and
/// the total size.
fn place_in_rows(sizes: &[LayoutSize]) -> (Vec<(f64, f64)>, LayoutSize) {
    let area: f64 = sizes.iter().map(|it| (it.width + GAP) * (it.height + GAP)).sum();
    let widest = sizes.iter().map(|it| it.width).fold(0.0, f64::max);
    let page = (area * PROPORTION).sqrt().max(widest).max(PAGE);
    let mut page_size = LayoutSize::default();
    let (mut x, mut y, mut row_height) = (0.0, 0.0, 0.0);
    let mut corners = Vec::with_capacity(sizes.len());
    for size in sizes {
        if x > 0.0 && x + size.width > page {
            (x, y, row_height) = (0.0, y + row_height + GAP, 0.0);
        }
        corners.push((x, y));
        page_size.width = page_size.width.max(x + size.width);
        page_size.height = page_size.height.max(y + size.height);
        row_height = f64::max(row_height, size.height);
        x += size.width + GAP;
    }
    (corners, page_size)
}

/// Returns the legend entry of a shared label.
fn legend_entry(system: &System, label: LabelId) -> String {
    let owners = system.owners(label).iter();
    let names = owners.map(|&at| system.components()[at as usize].name());
    let names = clipped_to(&names.collect::<Vec<_>>().join(", "), MAX_NAME_LETTERS);
    format!("{}: {names}", clipped_to(system.label(label), MAX_NAME_LETTERS))
}

/// Returns the width in pixels of a legend entry with its gap.
fn entry_width(text: &str) -> f64 {
    16.0 + LETTER * text.chars().count() as f64 + 24.0
}

/// Returns the width in pixels of the longest legend entry, but at least the width of 48 letters,
/// for the heading.
fn longest_entry(system: &System) -> f64 {
    let shared = system.labels().filter(|&label| system.owners(label).len() > 1);
    let widths =
        shared.take(MAX_LEGEND_LABELS).map(|label| entry_width(&legend_entry(system, label)));
    widths.fold(LETTER * 48.0, f64::max)
}

/// Writes the legend on a page of the given width, from the height `top` on. Returns the height
/// that the legend adds, with the gap above it.
fn legend(
    system: &System,
    colours: &HashMap<LabelId, usize>,
    (width, top): (f64, f64),
    body: &mut String,
) -> f64 {
    let shared: Vec<LabelId> =
        system.labels().filter(|&label| system.owners(label).len() > 1).collect();
    let heading = match shared.len() {
        0 => "No label is shared: the components are independent".to_owned(),
        1..=MAX_LEGEND_LABELS => "Shared labels, on which components synchronise:".to_owned(),
        many => {
            let more = many - MAX_LEGEND_LABELS;
            format!("Shared labels, except {more} that are only coloured:")
        }
    };
    let mut y = top + 11.0;
    let _ = writeln!(body, "<text class=\"key\" x=\"0\" y=\"{y:.1}\">{heading}</text>");
    let mut x = f64::INFINITY;
    for &label in shared.iter().take(MAX_LEGEND_LABELS) {
        let text = legend_entry(system, label);
        let entry_size = entry_width(&text);
        if x + entry_size > width {
            (x, y) = (0.0, y + LEADING);
        }
        let _ = writeln!(
            body,
            "<g class=\"entry l{number}\"><rect class=\"f{colour}\" x=\"{x:.1}\" y=\"{:.1}\" width=\"10\" \
             height=\"10\" rx=\"2\"/><text class=\"key\" x=\"{:.1}\" y=\"{y:.1}\">{}</text></g>",
            y - 9.0,
            x + 16.0,
            EscapedXml(&text),
            number = label.0,
            colour = colours[&label]
        );
        x += entry_size;
    }
    y + 8.0 - (top - GAP)
}
