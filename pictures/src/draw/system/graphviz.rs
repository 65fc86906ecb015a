//! Systems in the language of Graphviz: one cluster per component, with shared labels in colour.

use super::{INKS, colours};
use parikh_systems::{LabelId, System};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Writes the system for Graphviz.
pub fn dot(system: &System, highlighted: &BTreeSet<LabelId>) -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let colours = colours(system);
    let mut text = format!("digraph \"{}\" {{\n", quoted(system.name()));
    text.push_str("  node [shape=box, style=rounded];\n");
    for (index, component) in system.components().iter().enumerate() {
        let _ = writeln!(text, "  subgraph \"cluster_{index}\" {{");
        let _ = writeln!(text, "    label=\"{}\";", quoted(component.name()));
        for state in 0..component.states().len() as u32 {
            let title = quoted(component.title(state));
            let _ = writeln!(text, "    c{index}_{state} [label=\"{title}\"];");
        }
        for start in component.starts() {
            let _ = writeln!(text, "    b{index}_{start} [shape=point, label=\"\"];");
            let _ = writeln!(text, "    b{index}_{start} -> c{index}_{start};");
        }
        for state in 0..component.states().len() as u32 {
            for &(label, to) in component.edges(state) {
                let name = quoted(system.label(label));
                let ink = colours.get(&label).map_or("#44505c", |&colour| INKS[colour]);
                let pen_width = if highlighted.contains(&label) { ", penwidth=3" } else { "" };
                let _ = writeln!(
                    text,
                    "    c{index}_{state} -> c{index}_{to} [label=\"{name}\", color=\"{ink}\", \
                     fontcolor=\"{ink}\"{pen_width}];"
                );
            }
        }
        text.push_str("  }\n");
    }
    text.push_str("}\n");
    text
}
