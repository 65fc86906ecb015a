//! Scenes: the nodes, lines and caption of a picture, independent of the output format.
//!
//! Nets, coloured nets and groups of nodes are described as a [`Scene`]. [`dot`](super::dot())
//! writes a scene for Graphviz, and [`svg`](super::svg()) lays out and draws a scene.

use crate::names::{clipped, clipped_to};

/// The largest number of letters in a line of a caption.
const MAX_CAPTION_LETTERS: usize = 200;

/// The contents of a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// The name of the net.
    pub name: String,
    /// The caption in lines. May be empty.
    pub caption: String,
    /// True if the caption is below the picture.
    pub caption_below: bool,
    /// The nodes.
    pub nodes: Vec<SceneNode>,
    /// The lines between nodes.
    pub lines: Vec<SceneLine>,
}

/// The form of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeForm {
    /// A place.
    Circle,
    /// A place with a long text in it, or a group of places.
    Ellipse,
    /// A transition, with the name inside.
    Box,
    /// A group of transitions.
    Group,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneNode {
    /// A short identifier, unique among the nodes of the picture.
    pub id: String,
    /// The form of the node.
    pub form: NodeForm,
    /// The text inside the node.
    pub inner_text: String,
    /// The text beside the node. May be empty.
    pub outer_text: String,
    /// True if some arcs of the node are left out. Inhibitor and reset arcs are not considered.
    pub has_hidden_arcs: bool,
    /// True if the node is highlighted.
    pub is_highlighted: bool,
    /// True if the node, or a member of the group, is initially marked. The layout begins at marked
    /// nodes, besides nodes without incoming edges.
    pub is_marked: bool,
}

/// A line between two nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneLine {
    /// The index of the source node.
    pub from: usize,
    /// The index of the target node.
    pub to: usize,
    /// The text at the line. May be empty.
    pub label: String,
    /// The form of the line's ends.
    pub ends: LineEnds,
}

/// The form of a line's ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnds {
    /// An arrow at the target.
    Arrow,
    /// Arrows at both ends.
    ArrowsAtBothEnds,
    /// A circle at the target: an inhibitor arc.
    Circle,
    /// Two arrow heads at the target: a reset arc.
    TwoHeads,
}

impl Scene {
    /// Returns the scene with long texts clipped. For each node, also returns the full texts that
    /// were clipped, or `None` if no text of the node was clipped.
    pub(super) fn clipped(&self) -> (Scene, Vec<Option<String>>) {
        let lines = |text: &str| text.split('\n').map(clipped).collect::<Vec<_>>().join("\n");
        let mut scene = self.clone();
        let caption = self.caption.split('\n').map(|line| clipped_to(line, MAX_CAPTION_LETTERS));
        scene.caption = caption.collect::<Vec<_>>().join("\n");
        scene.lines.iter_mut().for_each(|line| line.label = clipped(&line.label));
        let mut titles = Vec::with_capacity(scene.nodes.len());
        for node in &mut scene.nodes {
            let (inside, beside) = (lines(&node.inner_text), lines(&node.outer_text));
            let both = [(&node.outer_text, &beside), (&node.inner_text, &inside)];
            let whole: Vec<&str> = (both.iter().filter(|(whole, clipped)| whole != clipped))
                .map(|(whole, _)| whole.as_str())
                .collect();
            titles.push((!whole.is_empty()).then(|| whole.join("\n")));
            (node.inner_text, node.outer_text) = (inside, beside);
        }
        (scene, titles)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DrawnPart, Highlight, dot, net, svg};
    use parikh_net::NetBuilder;
    use parikh_solvers::Budget;

    #[test]
    fn long_names_are_clipped_and_kept_in_tooltips() {
        let (place, transition) = ("p".repeat(3_000), format!("t{}<", "u".repeat(3_000)));
        let mut builder = NetBuilder::new("n");
        let p = builder.place(&place, 1).unwrap();
        let t = builder.transition(&transition).unwrap();
        builder.take(t, p, 1).unwrap();
        let of = builder.build().unwrap();
        let scene =
            net(&of, &DrawnPart::whole(&of), &Highlight::nodes(&of, [place.as_str()]).unwrap());
        let drawn = svg(&scene, &Budget::unlimited());
        let width = drawn.split_once(" width=\"").unwrap().1.split_once('"').unwrap().0;
        assert!(width.parse::<f64>().unwrap() < 1_500.0, "{width}");
        assert!(drawn.contains(&format!("<title>{place}</title>")));
        assert!(drawn.contains(&format!("<title>t{}&lt;</title>", "u".repeat(3_000))));
        assert!(!drawn.contains(&format!(">{place}</text>")));
        let drawn = dot(&scene);
        assert!(drawn.contains(&format!("tooltip=\"{place}\"")));
        assert!(!drawn.contains(&format!("xlabel=\"{place}\"")));
    }
}
