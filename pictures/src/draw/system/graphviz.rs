//! Systems in the language of Graphviz: one cluster per component, with shared labels in colour.

use super::{INKS, colours};
use parikh_systems::{LabelId, System};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Writes the system for Graphviz.
pub fn dot(system: &System, bright: &BTreeSet<LabelId>) -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let colours = colours(system);
    let mut text = format!("digraph \"{}\" {{\n", quoted(system.name()));
    text.push_str("  node [shape=box, style=rounded];\n");
    for (at, component) in system.components().iter().enumerate() {
        let _ = writeln!(text, "  subgraph \"cluster_{at}\" {{");
        let _ = writeln!(text, "    label=\"{}\";", quoted(component.name()));
        for state in 0..component.states().len() as u32 {
            let title = quoted(component.title(state));
            let _ = writeln!(text, "    c{at}_{state} [label=\"{title}\"];");
        }
        for start in component.starts() {
            let _ = writeln!(text, "    b{at}_{start} [shape=point, label=\"\"];");
            let _ = writeln!(text, "    b{at}_{start} -> c{at}_{start};");
        }
        for state in 0..component.states().len() as u32 {
            for &(label, to) in component.edges(state) {
                let name = quoted(system.label(label));
                let ink = colours.get(&label).map_or("#44505c", |&colour| INKS[colour]);
                let wide = if bright.contains(&label) { ", penwidth=3" } else { "" };
                let _ = writeln!(
                    text,
                    "    c{at}_{state} -> c{at}_{to} [label=\"{name}\", color=\"{ink}\", \
                     fontcolor=\"{ink}\"{wide}];"
                );
            }
        }
        text.push_str("  }\n");
    }
    text.push_str("}\n");
    text
}
