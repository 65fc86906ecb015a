//! A net as a scene: places as circles with tokens inside and names beside them, transitions as
//! boxes, and arcs with weights.

use super::scene::{LineEnds, NodeForm, Scene, SceneLine, SceneNode};
use super::{DrawnPart, Highlight};
use crate::names::DisplayNames;
use parikh_net::{ExtendedNet, Net, PlaceId, TransitionId};
use std::collections::HashMap;

/// Returns the scene of the nodes of `part`, with highlighting. Nodes with arcs to nodes outside
/// `part` have `has_hidden_arcs` set.
pub fn net(net: &Net, part: &DrawnPart, highlight: &Highlight) -> Scene {
    let mut scene = Scene {
        name: net.title().to_owned(),
        caption: highlight.caption.clone(),
        ..Scene::default()
    };
    let nodes = net.place_count() + net.transition_count();
    if part.len() < nodes {
        if !scene.caption.is_empty() {
            scene.caption.push('\n');
        }
        scene.caption.push_str(&format!("{} of {nodes} nodes of {}", part.len(), net.title()));
    }
    let names = DisplayNames::for_people(net).with_shared();
    let mut positions = HashMap::new();
    for &place in &part.places {
        positions.insert(place, scene.nodes.len());
        let name = &names.places[place.index()];
        scene.nodes.push(of_place(net, part, place, name, highlight));
    }
    for &t in &part.transitions {
        let at = scene.nodes.len();
        let name = &names.transitions[t.index()];
        scene.nodes.push(of_transition(net, part, t, name, highlight));
        lines(net, t, at, &positions, &mut scene.lines);
    }
    scene
}

fn of_place(
    net: &Net,
    part: &DrawnPart,
    place: PlaceId,
    name: &str,
    highlight: &Highlight,
) -> SceneNode {
    let marking = highlight.marking.as_ref().unwrap_or(net.initial());
    let remark = highlight.places.get(&place);
    let arcs = net.producers(place).iter().chain(net.consumers(place));
    SceneNode {
        id: format!("p{}", place.index()),
        form: NodeForm::Circle,
        inner_text: tokens(marking[place]),
        outer_text: with_remark(name, remark),
        has_hidden_arcs: arcs.into_iter().any(|arc| !part.transitions.contains(&arc.transition)),
        is_highlighted: remark.is_some(),
        is_marked: net.initial()[place] > 0,
    }
}

/// Returns the texts in the boxes of the transitions, indexed by transition.
pub(super) fn box_texts(net: &Net) -> Vec<String> {
    DisplayNames::for_people(net).with_shared().transitions
}

/// Returns one dot per token for up to three tokens, and a number for more tokens.
pub(super) fn tokens(tokens: u64) -> String {
    match tokens {
        0 => String::new(),
        few @ 1..=3 => "●".repeat(few as usize),
        many => many.to_string(),
    }
}

fn of_transition(
    net: &Net,
    part: &DrawnPart,
    t: TransitionId,
    name: &str,
    highlight: &Highlight,
) -> SceneNode {
    let remark = highlight.transitions.get(&t);
    let mut arcs = net.pre(t).iter().chain(net.post(t));
    SceneNode {
        id: format!("t{}", t.index()),
        form: NodeForm::Box,
        inner_text: with_remark(name, remark),
        outer_text: String::new(),
        has_hidden_arcs: arcs.any(|arc| !part.places.contains(&arc.place)),
        is_highlighted: remark.is_some(),
        is_marked: false,
    }
}

fn with_remark(name: &str, remark: Option<&String>) -> String {
    match remark {
        Some(remark) if !remark.is_empty() => format!("{name}\n{remark}"),
        _ => name.to_owned(),
    }
}

/// Returns the scene of a net with inhibitor and reset arcs.
pub fn extended(net: &ExtendedNet, part: &DrawnPart, highlight: &Highlight) -> Scene {
    let mut scene = self::net(net.core(), part, highlight);
    let ids = scene.nodes.iter().enumerate().map(|(position, node)| (node.id.as_str(), position));
    let positions: HashMap<&str, usize> = ids.collect();
    let position = |id: String| positions.get(id.as_str()).copied();
    let mut special_lines = Vec::new();
    for &t in &part.transitions {
        let Some(to) = position(format!("t{}", t.index())) else { continue };
        let inhibitors =
            net.inhibitors(t).iter().map(|arc| (arc.place, arc.weight, LineEnds::Circle));
        let resets = net.resets(t).iter().map(|&place| (place, 1, LineEnds::TwoHeads));
        for (place, weight, ends) in inhibitors.chain(resets) {
            if let Some(from) = position(format!("p{}", place.index())) {
                special_lines.push(SceneLine { from, to, label: label(weight), ends });
            }
        }
    }
    scene.lines.extend(special_lines);
    scene
}

/// Returns the text at an arc.
fn label(weight: u64) -> String {
    if weight > 1 { weight.to_string() } else { String::new() }
}

/// Adds the arcs of a transition to `lines`. Two opposite arcs with the same weight are one line
/// with an arrow at both ends. `at` is the index of the transition in the scene, and `positions`
/// has the index of each drawn place.
fn lines(
    net: &Net,
    t: TransitionId,
    at: usize,
    positions: &HashMap<PlaceId, usize>,
    lines: &mut Vec<SceneLine>,
) {
    for arc in net.pre(t) {
        if let Some(&place) = positions.get(&arc.place) {
            let ends = match net.post_weight(t, arc.place) == arc.weight {
                true => LineEnds::ArrowsAtBothEnds,
                false => LineEnds::Arrow,
            };
            lines.push(SceneLine { from: place, to: at, label: label(arc.weight), ends });
        }
    }
    for arc in net.post(t) {
        if let Some(&place) = positions.get(&arc.place)
            && net.pre_weight(t, arc.place) != arc.weight
        {
            lines.push(SceneLine {
                from: at,
                to: place,
                label: label(arc.weight),
                ends: LineEnds::Arrow,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dot;
    use super::*;
    use parikh_net::text;

    const NET: &str = "net \"a \\\"b\\\"\"\nplace p 2\nplace q\nplace lock 7\n\
                       transition t: p + lock -> 2*q + lock\ntransition u: 2*q -> p";

    #[test]
    fn tokens_weights_and_loops_are_drawn() {
        let net = text::parse(NET).unwrap();
        let drawn = dot(&super::net(&net, &DrawnPart::whole(&net), &Highlight::default()));
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
    fn a_partial_picture_has_a_caption() {
        let net = text::parse(NET).unwrap();
        let highlight = Highlight::nodes(&net, ["u"]).unwrap();
        let drawn = dot(&super::net(&net, &DrawnPart::around(&net, &highlight), &highlight));
        assert!(drawn.contains("label=\"3 of 5 nodes of a \\\"b\\\"\"; labelloc=t;"), "{drawn}");
        assert!(drawn.contains("p0 [shape=circle, label=\"●●\", xlabel=\"p\", style=dashed]"));
        assert!(drawn.contains("style=filled, fillcolor=\"#ffcc66\""));
        assert!(!drawn.contains("p2"));
    }
}
