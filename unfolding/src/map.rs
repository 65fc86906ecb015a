//! The map from a coloured net to its unfolding as JSON, for tools that read the unfolded net.

use parikh_net::Net;
use std::io::{self, Write};

/// Writes `{"net": "n", "places": {"p": ["p(red)", …], …}, "transitions": {"t": ["t(x=red)", …],
/// …}}`. For a net that is no unfolding, the name is left out and both objects are empty.
///
/// # Errors
/// If writing to `out` fails.
pub fn write_map(net: &Net, mut out: impl Write) -> io::Result<()> {
    let Some(folding) = net.folding() else {
        return writeln!(out, "{{\"places\": {{}}, \"transitions\": {{}}}}");
    };
    writeln!(out, "{{\"net\": {},", quoted(net.name()))?;
    write!(out, "\"places\": {{")?;
    for place in 0..folding.place_count() {
        let names = folding.places(place).map(|it| net.place_name(it));
        write_entry(&mut out, place, folding.place_name(place), names)?;
    }
    write!(out, "\n}},\n\"transitions\": {{")?;
    for transition in 0..folding.transition_count() {
        let names = folding.transitions(transition).map(|it| net.transition_name(it));
        write_entry(&mut out, transition, folding.transition_name(transition), names)?;
    }
    writeln!(out, "\n}}}}")
}

fn write_entry<'n>(
    out: &mut impl Write,
    at: usize,
    name: &str,
    nodes: impl Iterator<Item = &'n str>,
) -> io::Result<()> {
    write!(out, "{}\n{}: [", if at == 0 { "" } else { "," }, quoted(name))?;
    for (at, node) in nodes.enumerate() {
        write!(out, "{}{}", if at == 0 { "" } else { ", " }, quoted(node))?;
    }
    write!(out, "]")
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
