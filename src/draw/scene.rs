//! What a picture shows, before anybody decides how it is written: nodes, lines, a caption.
//!
//! Nets, coloured nets and groups of nodes are all described as a [`Scene`]; [`dot`](super::dot()) writes it
//! for Graphviz, [`svg`](super::svg()) lays it out and draws it.

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
    /// Whether it leads both ways.
    pub both: bool,
}
