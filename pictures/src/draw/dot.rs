//! Scenes in the language of Graphviz.

use super::scene::{LineEnds, NodeForm, Scene, SceneNode};
use parikh_net::printable::Printable;
use std::fmt::Write as _;

/// The colour of highlighted nodes.
const BRIGHT: &str = "#ffcc66";

/// Writes a scene for Graphviz.
pub fn dot(scene: &Scene) -> String {
    let (scene, titles) = scene.clipped();
    let mut text = format!("digraph {} {{\n", quoted(&scene.name));
    text.push_str("  rankdir=LR;\n  node [fontsize=10, fontname=\"Helvetica\"];\n");
    text.push_str("  edge [fontsize=9, arrowsize=0.6];\n");
    if !scene.caption.is_empty() {
        let place = if scene.caption_below { "b" } else { "t" };
        let _ = writeln!(text, "  label={}; labelloc={place};", quoted(&scene.caption));
    }
    for (node, title) in scene.nodes.iter().zip(&titles) {
        let form = match node.form {
            NodeForm::Circle => "circle",
            NodeForm::Ellipse => "ellipse",
            NodeForm::Box => "box, height=0.3",
            NodeForm::Group => "box",
        };
        let beside = match node.outer_text.is_empty() {
            true => String::new(),
            false => format!(", xlabel={}", quoted(&node.outer_text)),
        };
        let inside = quoted(&node.inner_text);
        let style = style(node);
        let whole = title.as_ref().map(|title| format!(", tooltip={}", quoted(title)));
        let whole = whole.unwrap_or_default();
        let _ =
            writeln!(text, "  {} [shape={form}, label={inside}{beside}{style}{whole}];", node.id);
    }
    for line in &scene.lines {
        let mut attributes = Vec::new();
        if !line.label.is_empty() {
            attributes.push(format!("label={}", quoted(&line.label)));
        }
        attributes.extend(match line.ends {
            LineEnds::Arrow => None,
            LineEnds::ArrowsAtBothEnds => Some("dir=both".to_owned()),
            LineEnds::Circle => Some("arrowhead=odot".to_owned()),
            LineEnds::TwoHeads => Some("arrowhead=normalnormal".to_owned()),
        });
        let attributes = match attributes.is_empty() {
            true => String::new(),
            false => format!(" [{}]", attributes.join(", ")),
        };
        let (from, to) = (&scene.nodes[line.from].id, &scene.nodes[line.to].id);
        let _ = writeln!(text, "  {from} -> {to}{attributes};");
    }
    text.push_str("}\n");
    text
}

fn style(node: &SceneNode) -> String {
    match (node.has_hidden_arcs, node.is_highlighted) {
        (false, false) => String::new(),
        (true, false) => ", style=dashed".to_owned(),
        (false, true) => format!(", style=filled, fillcolor=\"{BRIGHT}\", penwidth=2"),
        (true, true) => format!(", style=\"filled,dashed\", fillcolor=\"{BRIGHT}\", penwidth=2"),
    }
}

/// Returns a quoted string for Graphviz. Backslashes are escaped, because they begin escape
/// sequences.
pub(crate) fn quoted(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| Printable(line).to_string()).collect();
    format!(
        "\"{}\"",
        lines.join("\n").replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
    )
}
