//! What a picture shows, before anybody decides how it is written: nodes, lines, a caption.
//!
//! Nets, coloured nets and groups of nodes are all described as a [`Scene`]; [`dot`](super::dot())
//! writes it for Graphviz, [`svg`](super::svg()) lays it out and draws it.

use crate::names::{clipped, clipped_to};

/// Letters of a line of a caption.
const CAPTION: usize = 200;

/// A picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// Of what.
    pub name: String,
    /// What it shows, in lines; or nothing.
    pub caption: String,
    /// Whether the caption stands below.
    pub caption_below: bool,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The lines between them.
    pub lines: Vec<Line>,
}

/// The form of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A place.
    Circle,
    /// A place with much written in it, or a group of places.
    Ellipse,
    /// A transition, its name in it.
    Box,
    /// A group of transitions.
    Group,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Short, and its own.
    pub id: String,
    /// How it looks.
    pub form: Form,
    /// What is written in it.
    pub inside: String,
    /// What is written beside it; or nothing.
    pub beside: String,
    /// Whether some of its arcs are left out.
    pub cut: bool,
    /// Whether it stands out.
    pub bright: bool,
    /// Whether it is marked, or has a part that is: the picture begins there.
    pub marked: bool,
}

/// A line from node to node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The position of the node it leaves.
    pub from: usize,
    /// That of the node it leads to.
    pub to: usize,
    /// What is written at it; or nothing.
    pub label: String,
    /// How it ends.
    pub ends: Ends,
}

/// How the ends of a line look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// It leads one way.
    Arrow,
    /// It leads both ways.
    Both,
    /// A circle at its end: an inhibitor arc.
    Circle,
    /// Two heads at its end: a reset arc.
    TwoHeads,
}

impl Scene {
    /// The same with long names clipped, and by node in full what was clipped there.
    pub(super) fn clipped(&self) -> (Scene, Vec<Option<String>>) {
        let lines = |text: &str| text.split('\n').map(clipped).collect::<Vec<_>>().join("\n");
        let mut scene = self.clone();
        let caption = self.caption.split('\n').map(|line| clipped_to(line, CAPTION));
        scene.caption = caption.collect::<Vec<_>>().join("\n");
        scene.lines.iter_mut().for_each(|line| line.label = clipped(&line.label));
        let mut titles = Vec::with_capacity(scene.nodes.len());
        for node in &mut scene.nodes {
            let (inside, beside) = (lines(&node.inside), lines(&node.beside));
            let both = [(&node.beside, &beside), (&node.inside, &inside)];
            let whole: Vec<&str> = (both.iter().filter(|(whole, clipped)| whole != clipped))
                .map(|(whole, _)| whole.as_str())
                .collect();
            titles.push((!whole.is_empty()).then(|| whole.join("\n")));
            (node.inside, node.beside) = (inside, beside);
        }
        (scene, titles)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Highlight, Part, dot, net, svg};
    use parikh_net::NetBuilder;
    use parikh_solvers::Budget;

    #[test]
    fn long_names_are_clipped_and_still_there() {
        let (place, transition) = ("p".repeat(3_000), format!("t{}<", "u".repeat(3_000)));
        let mut builder = NetBuilder::new("n");
        let p = builder.place(&place, 1).unwrap();
        let t = builder.transition(&transition).unwrap();
        builder.take(t, p, 1).unwrap();
        let of = builder.build().unwrap();
        let scene = net(&of, &Part::whole(&of), &Highlight::nodes(&of, [place.as_str()]).unwrap());
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
