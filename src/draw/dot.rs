//! A net as Graphviz draws it: places as circles with their tokens in them and their names beside
//! them, transitions as boxes, weights on arcs.

use super::{Highlight, Part, quoted};
use parikh_net::{Marking, Net, PlaceId, TransitionId};
use std::fmt::Write as _;

/// The colour of what is highlighted.
const BRIGHT: &str = "#ffcc66";

/// Draws the nodes of `part` with what is highlighted among them. Nodes at the edge of a part,
/// with arcs that are left out, are dashed.
pub fn dot(net: &Net, part: &Part, highlight: &Highlight) -> String {
    let marking = highlight.marking.as_ref().unwrap_or(net.initial());
    let mut text = format!("digraph {} {{\n", quoted(net.name()));
    text.push_str("  rankdir=LR;\n  node [fontsize=10, fontname=\"Helvetica\"];\n");
    text.push_str("  edge [fontsize=9, arrowsize=0.6];\n");
    let mut caption = highlight.caption.clone();
    if part.len() < net.place_count() + net.transition_count() {
        if !caption.is_empty() {
            caption.push('\n');
        }
        let _ = write!(
            caption,
            "{} of {} nodes of {}",
            part.len(),
            net.place_count() + net.transition_count(),
            net.name()
        );
    }
    if !caption.is_empty() {
        let _ = writeln!(text, "  label={}; labelloc=t;", quoted(&caption));
    }
    for &place in &part.places {
        draw_place(net, part, place, marking, highlight.places.get(&place), &mut text);
    }
    for &transition in &part.transitions {
        let remark = highlight.transitions.get(&transition);
        draw_transition(net, part, transition, remark, &mut text);
    }
    for &transition in &part.transitions {
        draw_arcs(net, part, transition, &mut text);
    }
    text.push_str("}\n");
    text
}

fn draw_place(
    net: &Net,
    part: &Part,
    place: PlaceId,
    marking: &Marking,
    remark: Option<&String>,
    text: &mut String,
) {
    let tokens = match marking[place] {
        0 => String::new(),
        few @ 1..=3 => "●".repeat(few as usize),
        many => many.to_string(),
    };
    let name = with_remark(net.place_name(place), remark);
    let arcs = net.producers(place).iter().chain(net.consumers(place));
    let cut = arcs.into_iter().any(|arc| !part.transitions.contains(&arc.transition));
    let _ = writeln!(
        text,
        "  p{} [shape=circle, label={}, xlabel={}{}];",
        place.index(),
        quoted(&tokens),
        quoted(&name),
        style(cut, remark.is_some())
    );
}

fn draw_transition(
    net: &Net,
    part: &Part,
    transition: TransitionId,
    remark: Option<&String>,
    text: &mut String,
) {
    let name = with_remark(net.transition_name(transition), remark);
    let mut arcs = net.pre(transition).iter().chain(net.post(transition));
    let cut = arcs.any(|arc| !part.places.contains(&arc.place));
    let _ = writeln!(
        text,
        "  t{} [shape=box, height=0.3, label={}{}];",
        transition.index(),
        quoted(&name),
        style(cut, remark.is_some())
    );
}

fn with_remark(name: &str, remark: Option<&String>) -> String {
    match remark {
        Some(remark) if !remark.is_empty() => format!("{name}\n{remark}"),
        _ => name.to_owned(),
    }
}

pub(super) fn style(cut: bool, bright: bool) -> String {
    match (cut, bright) {
        (false, false) => String::new(),
        (true, false) => ", style=dashed".to_owned(),
        (false, true) => format!(", style=filled, fillcolor=\"{BRIGHT}\", penwidth=2"),
        (true, true) => format!(", style=\"filled,dashed\", fillcolor=\"{BRIGHT}\", penwidth=2"),
    }
}

/// The arcs of a transition; what is taken and put back alike is one arc with two heads.
fn draw_arcs(net: &Net, part: &Part, transition: TransitionId, text: &mut String) {
    let t = transition.index();
    let mut draw = |line: String, weight: u64, both: bool| {
        let mut attributes = Vec::new();
        if weight > 1 {
            attributes.push(format!("label=\"{weight}\""));
        }
        if both {
            attributes.push("dir=both".to_owned());
        }
        let attributes = match attributes.is_empty() {
            true => String::new(),
            false => format!(" [{}]", attributes.join(", ")),
        };
        let _ = writeln!(text, "  {line}{attributes};");
    };
    let inside = |place: &PlaceId| part.places.contains(place);
    for arc in net.pre(transition).iter().filter(|arc| inside(&arc.place)) {
        let both = net.post_weight(transition, arc.place) == arc.weight;
        draw(format!("p{} -> t{t}", arc.place.index()), arc.weight, both);
    }
    for arc in net.post(transition).iter().filter(|arc| inside(&arc.place)) {
        if net.pre_weight(transition, arc.place) != arc.weight {
            draw(format!("t{t} -> p{}", arc.place.index()), arc.weight, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    const NET: &str = "net \"a \\\"b\\\"\"\nplace p 2\nplace q\nplace lock 7\n\
                       transition t: p + lock -> 2*q + lock\ntransition u: 2*q -> p";

    #[test]
    fn tokens_weights_and_loops_are_drawn() {
        let net = text::parse(NET).unwrap();
        let drawn = dot(&net, &Part::whole(&net), &Highlight::default());
        let expected = "digraph \"a \\\"b\\\"\" {\n  rankdir=LR;\n  \
            node [fontsize=10, fontname=\"Helvetica\"];\n  edge [fontsize=9, arrowsize=0.6];\n  \
            p0 [shape=circle, label=\"●●\", xlabel=\"p\"];\n  \
            p1 [shape=circle, label=\"\", xlabel=\"q\"];\n  \
            p2 [shape=circle, label=\"7\", xlabel=\"lock\"];\n  \
            t0 [shape=box, height=0.3, label=\"t\"];\n  \
            t1 [shape=box, height=0.3, label=\"u\"];\n  p0 -> t0;\n  p2 -> t0 [dir=both];\n  \
            t0 -> p1 [label=\"2\"];\n  p1 -> t1 [label=\"2\"];\n  t1 -> p0;\n}\n";
        assert_eq!(drawn, expected);
    }

    #[test]
    fn the_part_around_a_node_says_that_it_is_a_part() {
        let net = text::parse(NET).unwrap();
        let highlight = Highlight::nodes(&net, ["u"]).unwrap();
        let drawn = dot(&net, &Part::around(&net, &highlight), &highlight);
        assert!(drawn.contains("label=\"3 of 5 nodes of a \\\"b\\\"\"; labelloc=t;"), "{drawn}");
        assert!(drawn.contains("p0 [shape=circle, label=\"●●\", xlabel=\"p\", style=dashed]"));
        assert!(drawn.contains("style=filled, fillcolor=\"#ffcc66\""));
        assert!(!drawn.contains("p2"));
    }
}
