//! Output of systems as RERS `.dot` files.

use crate::system::System;
use std::fmt::Write as _;

/// Writes the system in the Graphviz language in the form of the RERS challenge. States are
/// numbered consecutively; each component gets a root as its first node.
pub fn dot(system: &System) -> String {
    let mut text = String::from("digraph G {\n");
    let mut next = 0;
    for component in system.components() {
        let first = next + 1;
        next = first + component.states().len();
        let _ = writeln!(text, "  subgraph {} {{", escaped(component.name()));
        for node in first - 1..next {
            let _ = writeln!(text, "{node} [label=\"{node}\"];");
        }
        for &start in component.starts() {
            let _ = writeln!(text, "{}->{} [label=\"\"];", first - 1, first + start as usize);
        }
        for state in 0..component.states().len() {
            for &(label, to) in component.edges(state as u32) {
                let label = escaped(system.label(label));
                let _ =
                    writeln!(text, "{}->{} [label={label}];", first + state, first + to as usize);
            }
        }
        text.push_str("  }\n");
    }
    text.push_str("}\n");
    text
}

fn escaped(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}
