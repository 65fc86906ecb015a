//! Summary of a net with too many nodes to draw: the nodes in groups, with one node per group.

use super::grouping::{NodeGroup, NodeGroups};
use super::scene::{LineEnds, NodeForm, Scene, SceneLine, SceneNode};
use super::{Highlight, MAX_READABLE_NODES};
use parikh_net::Net;
use parikh_net::printable::counted;
use std::fmt::Write as _;

/// The groups of a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The scene of the groups. `None` if there are too many groups to draw.
    pub scene: Option<Scene>,
    /// A description in words, one sentence per line.
    pub lines: Vec<String>,
}

/// The largest number of groups of places, and of groups of transitions, listed in the text.
const MAX_LISTED: usize = 10;

/// Returns the summary of a net, with the number of highlighted nodes in each group.
pub fn summary(net: &Net, highlight: &Highlight) -> Summary {
    let grouping = NodeGroups::of(net);
    let mut lines = vec![format!(
        "net {}: {}, {}, {}",
        net.title(),
        counted(net.place_count(), "place"),
        counted(net.transition_count(), "transition"),
        counted(net.arc_count(), "arc")
    )];
    let mut list = |what: &str, groups: &[NodeGroup]| {
        let mut text =
            format!("{} of {what} by {}", counted(groups.len(), "group"), grouping.criterion);
        let mut largest: Vec<&NodeGroup> = groups.iter().collect();
        // A stable sort: groups of equal size stay in the order of the model.
        largest.sort_by_key(|group| std::cmp::Reverse(group.nodes));
        for (index, group) in largest.iter().take(MAX_LISTED).enumerate() {
            let _ = write!(
                text,
                "{} {} ({})",
                if index == 0 { ":" } else { "," },
                group.name,
                group.nodes
            );
        }
        if groups.len() > MAX_LISTED {
            text.push_str(", …");
        }
        lines.push(text);
    };
    list("places", &grouping.places);
    list("transitions", &grouping.transitions);
    let drawn = (grouping.len() <= MAX_READABLE_NODES).then(|| scene(&grouping, net, highlight));
    Summary { scene: drawn, lines }
}

/// Returns the scene with one node per group. All arcs from one group to another are drawn as one
/// line with their number.
fn scene(grouping: &NodeGroups, net: &Net, highlight: &Highlight) -> Scene {
    let caption = format!(
        "{}: {} and {}, grouped by {}; the number at an arc counts the arcs of the net",
        net.title(),
        counted(net.place_count(), "place"),
        counted(net.transition_count(), "transition"),
        grouping.criterion
    );
    let caption = match highlight.caption.is_empty() {
        true => caption,
        false => format!("{}\n{caption}", highlight.caption),
    };
    let count = |groups: &[NodeGroup], groups_of_highlighted: &mut dyn Iterator<Item = usize>| {
        let mut counts = vec![0usize; groups.len()];
        groups_of_highlighted.for_each(|group| counts[group] += 1);
        counts
    };
    let mut places = highlight.places.keys().map(|p| grouping.place_group[p.index()]);
    let bright_places = count(&grouping.places, &mut places);
    let mut transitions =
        highlight.transitions.keys().map(|t| grouping.transition_group[t.index()]);
    let bright_transitions = count(&grouping.transitions, &mut transitions);
    let remark = |highlighted: usize| match highlighted {
        0 => String::new(),
        highlighted => format!("\n{highlighted} highlighted"),
    };
    let node = |id, form, group: &NodeGroup, node_kind: &str, highlighted: usize| {
        let tokens = match group.tokens {
            0 => String::new(),
            tokens => format!(", {}", counted(tokens, "token")),
        };
        SceneNode {
            id,
            form,
            inner_text: format!(
                "{}\n{}{tokens}{}",
                group.name,
                counted(group.nodes, node_kind),
                remark(highlighted)
            ),
            outer_text: String::new(),
            has_hidden_arcs: false,
            is_highlighted: highlighted > 0,
            is_marked: group.tokens > 0,
        }
    };
    let mut nodes = Vec::new();
    for (at, group) in grouping.places.iter().enumerate() {
        nodes.push(node(format!("p{at}"), NodeForm::Ellipse, group, "place", bright_places[at]));
    }
    for (at, group) in grouping.transitions.iter().enumerate() {
        let highlighted = bright_transitions[at];
        nodes.push(node(format!("t{at}"), NodeForm::Group, group, "transition", highlighted));
    }
    let place_groups = grouping.places.len();
    let line = |((is_output, t, p), count): ((bool, usize, usize), usize)| {
        let (from, to) = if is_output { (place_groups + t, p) } else { (p, place_groups + t) };
        SceneLine { from, to, label: count.to_string(), ends: LineEnds::Arrow }
    };
    Scene {
        name: net.title().to_owned(),
        caption,
        caption_below: false,
        nodes,
        lines: grouping.arcs(net).into_iter().map(line).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::dot;
    use super::*;

    #[test]
    fn many_philosophers_are_a_few_groups() {
        let (mut net, n) = (String::from("net table\n"), 100);
        for i in 0..n {
            net.push_str(&format!("place fork_{i} 1\nplace eats_{i}\n"));
        }
        for i in 0..n {
            let next = (i + 1) % n;
            net.push_str(&format!("transition take_{i}: fork_{i} + fork_{next} -> eats_{i}\n"));
            net.push_str(&format!("transition leave_{i}: eats_{i} -> fork_{i} + fork_{next}\n"));
        }
        let summary = summary(&parikh_net::text::parse(&net).unwrap(), &Highlight::default());
        assert_eq!(
            summary.lines,
            [
                "net table: 200 places, 200 transitions, 600 arcs",
                "2 groups of places by names without digits: fork_# (100), eats_# (100)",
                "2 groups of transitions by names without digits: take_# (100), leave_# (100)",
            ]
        );
        let dot = dot(&summary.scene.unwrap());
        assert!(dot.contains("p0 [shape=ellipse, label=\"fork_#\\n100 places, 100 tokens\"]"));
        assert!(dot.contains("p0 -> t0 [label=\"200\"]"), "{dot}");
    }
}
