//! Graphs of markings as text: for Graphviz, in the Aldebaran format for labelled transition
//! systems (CADP, mCRL2), and as JSON.

use super::view::{GraphTexts, GraphView, MarkingNode};
use crate::draw::dot::quoted;
use parikh_net::assumption;
use parikh_structure::graph::omega::OMEGA;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Writes the Aldebaran format: `des (FIRST, EDGES, NODES)`, then one edge per line. Labels are
/// transition ids.
pub fn aut(view: &GraphView<'_>) -> String {
    let mut text = format!("des (0, {}, {})\n", view.edges.len(), view.nodes.len());
    for edge in &view.edges {
        let label = label(view.net.transition_name(edge.transition));
        let _ = writeln!(text, "({}, \"{label}\", {})", edge.from, edge.to);
    }
    text
}

/// Returns a name as the text of a quoted label, without the quotes around it. In mCRL2 a quote
/// ends the label even after a backslash, and CADP accepts only printable ASCII. Quotes and
/// characters beyond printable ASCII are therefore written as escapes such as `\u{22}`. A backslash
/// is doubled, so that different names never give the same label.
fn label(name: &str) -> String {
    let mut label = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '\\' => label.push_str("\\\\"),
            '"' => label.extend(c.escape_unicode()),
            ' '..='~' => label.push(c),
            _ => label.extend(c.escape_unicode()),
        }
    }
    label
}

/// Writes one JSON object with the properties of the graph, its nodes with their markings, and its
/// edges. Places and transitions are named by their ids.
pub fn json(view: &GraphView<'_>) -> String {
    // As in `docs/parikh.schema.json`, numbers beyond 2⁵³ are strings of digits.
    let tokens = |held: u64| match held {
        OMEGA => json!("omega"),
        0..=0x20_0000_0000_0000 => json!(held),
        _ => json!(held.to_string()),
    };
    let node = |(at, node): (usize, &MarkingNode)| {
        let marking: serde_json::Map<String, Value> = (node.tokens.iter())
            .map(|&(place, held)| (view.net.place_name(place).to_owned(), tokens(held)))
            .collect();
        let mut object = json!({
            "id": at,
            "marking": marking,
            "initial": at == 0,
            "dead": node.is_dead,
            "final": node.is_final,
            "on_path": node.is_highlighted,
        });
        if !view.is_coverability {
            object["terminal_component"] = json!(node.terminal_component);
        }
        object
    };
    let edge = |(at, edge): (usize, &parikh_structure::graph::reachability::FiringEdge)| {
        json!({
            "from": edge.from,
            "to": edge.to,
            "transition": view.net.transition_name(edge.transition),
            "on_path": view.highlighted_edges.contains(&at),
        })
    };
    let kind = if view.is_coverability { "coverability" } else { "reachability" };
    let assumptions = view.net.assumptions();
    let graph = json!({
        "version": 1,
        "type": "graph",
        "graph": kind,
        "net": view.net.name(),
        "assumes": assumption::keys(assumptions),
        "assumptions": assumptions.iter().map(|it| it.to_string()).collect::<Vec<_>>(),
        "nodes": view.nodes.iter().enumerate().map(node).collect::<Vec<_>>(),
        "edges": view.edges.iter().enumerate().map(edge).collect::<Vec<_>>(),
    });
    format!("{graph}\n")
}

/// Writes the graph for Graphviz.
pub fn dot(view: &GraphView<'_>) -> String {
    let texts = GraphTexts::of(view);
    let tooltip = |full_text: &Option<String>| {
        full_text
            .as_ref()
            .map_or(String::new(), |full_text| format!(", tooltip={}", quoted(full_text)))
    };
    let mut text =
        String::from("digraph markings {\n  node [shape=box, style=\"rounded,filled\", ");
    text.push_str("fillcolor=white, fontsize=10, fontname=\"Helvetica\"];\n");
    text.push_str("  edge [fontsize=9, fontname=\"Helvetica\", arrowsize=0.6];\n");
    let _ = writeln!(text, "  label={}; labelloc=t;", quoted(&view.caption_lines().join("\n")));
    text.push_str("  begin [shape=point];\n  begin -> m0;\n");
    for (index, node) in view.nodes.iter().enumerate() {
        let label = super::svg::lines(&texts.marking_terms[index]).join("\n");
        let colours = super::svg::colours(view, node);
        let width = if node.is_highlighted { 2.5 } else { 1.0 };
        let _ = writeln!(
            text,
            "  m{index} [label={}, fillcolor=\"{}\", color=\"{}\", penwidth={width}{}{}];",
            quoted(&label),
            colours.0,
            colours.1,
            if node.is_dead { ", peripheries=2" } else { "" },
            tooltip(&texts.full_texts[index])
        );
    }
    for ((from, to, label, bright), all) in texts.bundles.iter().zip(&texts.all_fired) {
        let bright = if *bright { ", color=\"#d9730d\", penwidth=2.5" } else { "" };
        let _ =
            writeln!(text, "  m{from} -> m{to} [label={}{bright}{}];", quoted(label), tooltip(all));
    }
    text.push_str("}\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped_and_stay_distinct() {
        let names = ["plain (x, 1)", "a\"b", "a'b", "a\\u{22}b", "two\nlines", "é"];
        let labels = names.map(label);
        assert_eq!(labels[..3], ["plain (x, 1)", "a\\u{22}b", "a'b"]);
        assert_eq!(labels[3..], ["a\\\\u{22}b", "two\\u{a}lines", "\\u{e9}"]);
    }
}
