//! A graph of markings as SVG, drawn without other programs.
//!
//! Markings stand in rows by how many firings they are from the initial one, which is at the top. So every
//! edge goes to the next row, stays in its own, or leads back up: edges never skip a row on the way down,
//! and no detours are needed for those. Within a row markings are ordered by where those stand that lead
//! to them, up and down a few times (the barycentre heuristic), which keeps crossings few. Edges that lead
//! back swing out to the side.
//!
//! # Sources
//! K. Sugiyama, S. Tagawa, M. Toda, *Methods for visual understanding of hierarchical system structures*,
//! IEEE Trans. Systems, Man, and Cybernetics 11(2), 1981.

use super::view::{Node, Shown, View};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

/// Sizes in pixels: of a letter, a line, and the space between boxes.
const LETTER: f64 = 6.6;
const LINE: f64 = 15.0;
const GAP: f64 = 34.0;
const ROW_GAP: f64 = 64.0;
const MARGIN: f64 = 40.0;

/// Letters of a line of a box.
const WIDE: usize = 26;

/// Passes over the rows to order them.
const PASSES: usize = 12;

/// Where a marking stands: the middle of its box, and its size.
struct Block {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// What a box says, line by line: parts joined by `+`, as many as fit.
pub(super) fn lines(parts: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let more = if at + 1 < parts.len() { " +" } else { "" };
        match lines.last_mut() {
            Some(line) if line.chars().count() + part.chars().count() + 3 <= WIDE => {
                let _ = write!(line, " {part}{more}");
            }
            _ => lines.push(format!("{part}{more}")),
        }
    }
    lines
}

/// The colours of a box, inside and at its edge.
pub(super) fn colours(view: &View<'_>, node: &Node) -> (&'static str, &'static str) {
    let inside = match (view.covers, node.dead, node.terminal) {
        _ if node.last => "#d6e4f5",
        (_, true, _) => "#f8d7d4",
        (false, _, Some(_)) => "#d7ebd3",
        _ => "#ffffff",
    };
    let edge = match (node.bright, node.dead) {
        (true, _) => "#d9730d",
        (false, true) if !node.last => "#a33a30",
        _ => "#44505c",
    };
    (inside, edge)
}

/// The picture.
pub fn svg(view: &View<'_>) -> String {
    let Shown { parts, wholes, bundles, all_fired } = Shown::of(view);
    let texts: Vec<Vec<String>> = parts.iter().map(|parts| lines(parts)).collect();
    let rows = rows(view.nodes.len(), &bundles);
    let boxes = place(&rows, &texts, &bundles);
    let mut body = String::new();
    // Edges that swing out may leave the boxes' area.
    let mut right = boxes.iter().map(|b| b.x + b.width / 2.0).fold(200.0, f64::max);
    let mut left = boxes.iter().map(|b| b.x - b.width / 2.0).fold(0.0, f64::min);
    let pairs: HashSet<(u32, u32)> = bundles.iter().map(|it| (it.0, it.1)).collect();
    for (bundle, all) in bundles.iter().zip(&all_fired) {
        begin(all.as_deref(), &mut body);
        let (least, most) = edge(&boxes, &pairs, bundle, &mut body);
        end(all.as_deref(), &mut body);
        (left, right) = (left.min(least), right.max(most));
    }
    for (at, node) in view.nodes.iter().enumerate() {
        begin(wholes[at].as_deref(), &mut body);
        draw_box(view, node, at, &boxes[at], &texts[at], &mut body);
        end(wholes[at].as_deref(), &mut body);
    }
    let bottom = boxes.iter().map(|b| b.y + b.height / 2.0).fold(0.0, f64::max);
    let caption = view.caption();
    right = right.max(left + caption.chars().count() as f64 * LETTER);
    let legend = legend(view, bottom + ROW_GAP / 2.0 + 10.0, left);
    let (width, height) = (right - left + 2.0 * MARGIN, bottom + ROW_GAP + 20.0 + MARGIN);
    let (x, y) = (left - MARGIN, -MARGIN - 40.0);
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
         <title>{}</title>\n<text x=\"{left:.1}\" y=\"{:.1}\" font-size=\"13\" \
         font-weight=\"bold\">{}</text>",
        escaped(view.net.name()),
        y + 22.0,
        escaped(&caption)
    );
    text.push_str(&body);
    text.push_str(&legend);
    text.push_str("</svg>\n");
    text
}

/// Begins what has a text of its own for whoever points at it,
fn begin(title: Option<&str>, text: &mut String) {
    if let Some(title) = title {
        let _ = writeln!(text, "<g><title>{}</title>", escaped(title));
    }
}

/// and ends it.
fn end(title: Option<&str>, text: &mut String) {
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

/// An edge of the picture: from, to, what it says, whether it is highlighted.
type Bundle = (u32, u32, String, bool);

/// Of each node the others that it has an edge with.
fn neighbours(count: usize, bundles: &[Bundle]) -> Vec<Vec<usize>> {
    let mut beside = vec![Vec::new(); count];
    for &(from, to, ..) in bundles.iter().filter(|bundle| bundle.0 != bundle.1) {
        beside[from as usize].push(to as usize);
        beside[to as usize].push(from as usize);
    }
    beside
}

/// The nodes by their distance from node 0, in an order with few crossings.
fn rows(count: usize, bundles: &[Bundle]) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(); count];
    bundles.iter().for_each(|&(from, to, ..)| out[from as usize].push(to as usize));
    let mut row_of = vec![usize::MAX; count];
    row_of[0] = 0;
    let mut rows = vec![vec![0]];
    loop {
        let mut next = Vec::new();
        for &node in rows.last().map_or(&[][..], Vec::as_slice) {
            for &to in &out[node] {
                if row_of[to] == usize::MAX {
                    row_of[to] = rows.len();
                    next.push(to);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        rows.push(next);
    }
    let neighbours = neighbours(count, bundles);
    for pass in 0..PASSES {
        let order: Vec<usize> = match pass % 2 {
            0 => (1..rows.len()).collect(),
            _ => (0..rows.len().saturating_sub(1)).rev().collect(),
        };
        for row in order {
            let beside = if pass % 2 == 0 { row - 1 } else { row + 1 };
            let at: HashMap<usize, f64> = rows[beside]
                .iter()
                .enumerate()
                .map(|(at, &node)| (node, (at as f64 + 0.5) / rows[beside].len() as f64))
                .collect();
            let mut weight: Vec<(f64, usize)> = Vec::new();
            for (own, &node) in rows[row].iter().enumerate() {
                let next: Vec<f64> =
                    neighbours[node].iter().filter_map(|it| at.get(it).copied()).collect();
                let here = (own as f64 + 0.5) / rows[row].len() as f64;
                let mean = next.iter().sum::<f64>() / next.len().max(1) as f64;
                weight.push((if next.is_empty() { here } else { mean }, node));
            }
            weight.sort_by(|a, b| a.0.total_cmp(&b.0));
            rows[row] = weight.into_iter().map(|(_, node)| node).collect();
        }
    }
    rows
}

/// Boxes side by side, each row in the middle; a row of one below what leads to it.
fn place(rows: &[Vec<usize>], texts: &[Vec<String>], bundles: &[Bundle]) -> Vec<Block> {
    let size = |text: &Vec<String>| {
        let longest = text.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        (longest as f64 * LETTER + 18.0, text.len() as f64 * LINE + 10.0)
    };
    let mut boxes: Vec<Block> = texts
        .iter()
        .map(size)
        .map(|(width, height)| Block { x: 0.0, y: 0.0, width: width.max(34.0), height })
        .collect();
    // What stands beside an edge needs room, too, and so does an edge from a box to itself.
    let mut room: Vec<f64> = boxes.iter().map(|block| block.width).collect();
    for (_, to, label, _) in bundles.iter().filter(|bundle| bundle.0 != bundle.1) {
        let room = &mut room[*to as usize];
        *room = room.max(label.chars().count() as f64 * LETTER * 0.9);
    }
    for (node, _, label, _) in bundles.iter().filter(|bundle| bundle.0 == bundle.1) {
        room[*node as usize] += 2.0 * (34.0 + label.chars().count() as f64 * LETTER) - GAP;
    }
    let (mut y, mut row_sizes) = (0.0, Vec::new());
    for row in rows {
        let tall = row.iter().map(|&node| boxes[node].height).fold(0.0, f64::max);
        let mut x = 0.0;
        for (at, &node) in row.iter().enumerate() {
            let width = room[node];
            x += if at == 0 { 0.0 } else { GAP };
            (boxes[node].x, boxes[node].y) = (x + width / 2.0, y + tall / 2.0);
            x += width;
        }
        row_sizes.push(x);
        y += tall + ROW_GAP;
    }
    let widest = row_sizes.iter().copied().fold(0.0, f64::max);
    for (row, size) in rows.iter().zip(row_sizes) {
        row.iter().for_each(|&node| boxes[node].x += (widest - size) / 2.0);
    }
    let neighbours = neighbours(texts.len(), bundles);
    // Towards what leads to it and what it leads to, as far as there is room.
    for pass in 0..8 {
        for row in 0..rows.len() {
            let row = if pass % 2 == 0 { row } else { rows.len() - 1 - row };
            pull(&rows[row], &mut boxes, &room, &neighbours);
        }
    }
    boxes
}

/// Moves the boxes of a row towards the middle of their neighbours in other rows, in order.
fn pull(row: &[usize], boxes: &mut [Block], room: &[f64], neighbours: &[Vec<usize>]) {
    let room = |node: usize| room[node] / 2.0;
    let wish: Vec<f64> = row
        .iter()
        .map(|&node| {
            let others: Vec<f64> = neighbours[node]
                .iter()
                .filter(|&&it| boxes[it].y != boxes[node].y)
                .map(|&it| boxes[it].x)
                .collect();
            match others.is_empty() {
                true => boxes[node].x,
                false => others.iter().sum::<f64>() / others.len() as f64,
            }
        })
        .collect();
    // From the left as far right as wished, then from the right where they stand too close.
    let mut x = wish;
    for at in 1..row.len() {
        let least = x[at - 1] + room(row[at - 1]) + GAP + room(row[at]);
        if x[at] < least {
            // Both give way.
            let half = (least - x[at]) / 2.0;
            x[at] += half;
            let mut limit = x[at] - room(row[at]) - GAP;
            for before in (0..at).rev() {
                let most = limit - room(row[before]);
                if x[before] <= most {
                    break;
                }
                x[before] = most;
                limit = most - room(row[before]) - GAP;
            }
        }
    }
    row.iter().zip(x).for_each(|(&node, x)| boxes[node].x = x);
}

/// Draws an edge; how far left and right it goes.
fn edge(
    boxes: &[Block],
    pairs: &HashSet<(u32, u32)>,
    bundle: &Bundle,
    text: &mut String,
) -> (f64, f64) {
    let (from, to, label, bright) = bundle;
    let (a, b) = (&boxes[*from as usize], &boxes[*to as usize]);
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
        (path, x + 30.0 + label.chars().count() as f64 * LETTER / 2.0, y)
    } else if b.y > a.y + 1.0 {
        // Down, and a little aside where another edge comes the other way.
        let aside = if pairs.contains(&(*to, *from)) { 9.0 } else { 0.0 };
        let (x1, y1, x2, y2) =
            (a.x + aside, a.y + a.height / 2.0, b.x + aside, b.y - b.height / 2.0);
        let bend = (y2 - y1) * 0.45;
        let path = format!(
            "M{x1:.1},{y1:.1} C{x1:.1},{:.1} {x2:.1},{:.1} {x2:.1},{y2:.1}",
            y1 + bend,
            y2 - bend
        );
        // Nearer to the end, where edges from one box have parted.
        let at = 0.62;
        (path, curve(x1, x1, x2, x2, at), curve(y1, y1 + bend, y2 - bend, y2, at))
    } else if (b.y - a.y).abs() <= 1.0 {
        // In a row: over the top of it.
        let (y1, y2) = (a.y - a.height / 2.0, b.y - b.height / 2.0);
        let up = y1.min(y2) - 26.0;
        let path = format!(
            "M{:.1},{y1:.1} C{:.1},{up:.1} {:.1},{up:.1} {:.1},{y2:.1}",
            a.x, a.x, b.x, b.x
        );
        (path, (a.x + b.x) / 2.0, up + 4.0)
    } else {
        // Back up: out to the side.
        let right = a.x >= b.x;
        let side = if right { 1.0 } else { -1.0 };
        let (x1, x2) = (a.x + side * a.width / 2.0, b.x + side * b.width / 2.0);
        let far = if right { x1.max(x2) } else { x1.min(x2) };
        let far = far + side * (24.0 + 0.16 * (a.y - b.y));
        let path = format!(
            "M{x1:.1},{:.1} C{far:.1},{:.1} {far:.1},{:.1} {x2:.1},{:.1}",
            a.y, a.y, b.y, b.y
        );
        (path, curve(x1, far, far, x2, 0.5), (a.y + b.y) / 2.0)
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
        escaped(label)
    );
    let half = label.chars().count() as f64 * LETTER / 2.0;
    (x - half, x + half)
}

/// A Bézier curve's coordinate.
fn curve(a: f64, b: f64, c: f64, d: f64, at: f64) -> f64 {
    let rest = 1.0 - at;
    rest.powi(3) * a + 3.0 * rest * rest * at * b + 3.0 * rest * at * at * c + at.powi(3) * d
}

fn draw_box(
    view: &View<'_>,
    node: &Node,
    number: usize,
    at: &Block,
    lines: &[String],
    text: &mut String,
) {
    let (inside, edge) = colours(view, node);
    let (x, y) = (at.x - at.width / 2.0, at.y - at.height / 2.0);
    let width = if node.bright { 2.6 } else { 1.2 };
    if number == 0 {
        let _ = writeln!(
            text,
            "<path d=\"M{:.1},{:.1} L{:.1},{y:.1}\" stroke=\"#44505c\" stroke-width=\"1.6\" \
             marker-end=\"url(#head)\"/>",
            at.x,
            y - 22.0,
            at.x
        );
    }
    let _ = writeln!(
        text,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"7\" fill=\"{inside}\" \
         stroke=\"{edge}\" stroke-width=\"{width}\"/>",
        at.width, at.height
    );
    if node.dead {
        let _ = writeln!(
            text,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"5\" fill=\"none\" \
             stroke=\"{edge}\" stroke-width=\"1\"/>",
            x + 3.0,
            y + 3.0,
            at.width - 6.0,
            at.height - 6.0
        );
    }
    for (line, words) in lines.iter().enumerate() {
        let _ = writeln!(
            text,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            at.x,
            y + 17.0 + line as f64 * LINE,
            escaped(words)
        );
    }
}

/// What the colours mean, of those that occur.
fn legend(view: &View<'_>, y: f64, left: f64) -> String {
    let mut entries = Vec::new();
    if view.nodes.iter().any(|node| node.last) {
        entries.push(("#d6e4f5", "#44505c", "final marking"));
    }
    if view.nodes.iter().any(|node| node.dead) {
        entries.push(("#f8d7d4", "#a33a30", "nothing is enabled (double edge)"));
    }
    if !view.covers && view.nodes.iter().any(|node| node.terminal.is_some() && !node.dead) {
        entries.push(("#d7ebd3", "#44505c", "terminal: never left again"));
    }
    if !view.bright.is_empty() {
        entries.push(("#ffffff", "#d9730d", "the run"));
    }
    let (mut text, mut x) = (String::new(), left);
    for (inside, edge, words) in entries {
        let _ = writeln!(
            text,
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"16\" height=\"11\" rx=\"3\" fill=\"{inside}\" \
             stroke=\"{edge}\" stroke-width=\"1.6\"/>\n<text x=\"{:.1}\" y=\"{y:.1}\" \
             font-size=\"11\">{words}</text>",
            y - 9.5,
            x + 22.0
        );
        x += 40.0 + words.len() as f64 * LETTER;
    }
    text
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::reachability::Reachability;
    use parikh_net::text;
    use parikh_solvers::Budget;

    #[test]
    fn boxes_do_not_overlap_and_every_marking_and_firing_is_there() {
        let net = text::parse(
            "place a 3\nplace b\nplace \"a <name> & more\" 2\ntransition t: a -> b\ntransition u: b -> a
             transition loop: a -> a\ntransition v: 2*b + \"a <name> & more\" -> 2*a",
        )
        .unwrap();
        let graph = Reachability::of(&net, 100, &Budget::unlimited()).unwrap();
        let view = View::of_reachability(&net, &graph);
        let Shown { parts, bundles, .. } = Shown::of(&view);
        let texts: Vec<Vec<String>> = parts.iter().map(|parts| lines(parts)).collect();
        let boxes = place(&rows(view.nodes.len(), &bundles), &texts, &bundles);
        for (at, a) in boxes.iter().enumerate() {
            for b in &boxes[at + 1..] {
                let apart = (a.x - b.x).abs() >= (a.width + b.width) / 2.0
                    || (a.y - b.y).abs() >= (a.height + b.height) / 2.0;
                assert!(apart, "({}, {}) and ({}, {})", a.x, a.y, b.x, b.y);
            }
        }
        let svg = svg(&view);
        assert_eq!(svg.matches("rx=\"7\"").count(), 12);
        assert_eq!(svg.matches("marker-end").count(), bundles.len() + 1);
        assert!(svg.contains("a &lt;name&gt; &amp; more") && !svg.contains("<name>"), "{svg}");
    }

    #[test]
    fn long_names_are_clipped_and_still_there() {
        let (place, transition) = ("p".repeat(3_000), "t".repeat(3_000));
        let net = format!("place {place} 1\ntransition {transition}: {place} ->");
        let net = text::parse(&net).unwrap();
        let graph = Reachability::of(&net, 100, &Budget::unlimited()).unwrap();
        let svg = svg(&View::of_reachability(&net, &graph));
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
