//! Systems: components that move together on the labels that they share.
//!
//! A *component* is a labelled transition system. A *step* of the system has one label: every
//! component that owns the label, that is, has an edge with it anywhere, moves along one of its
//! edges with the label, and the others stay. Where an owner has no such edge in its state, the
//! label cannot be taken.
//!
//! Components begin in one of their *start states*. RERS writes them as an edge with an empty label
//! from a root; all components take these together, before anything else.
//!
//! Source: the rules of the RERS challenge 2020, parallel problems.

use std::collections::BTreeMap;

/// A label, by its number in the system.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LabelId(pub u32);

impl LabelId {
    /// The number, to index with.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A labelled transition system. States are numbered from 0; the root of its file is none of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    pub(crate) name: String,
    pub(crate) root: Option<String>,
    pub(crate) states: Vec<String>,
    /// What people call states that have another name in the file.
    pub(crate) titles: BTreeMap<u32, String>,
    pub(crate) starts: Vec<u32>,
    pub(crate) edges: Vec<Vec<(LabelId, u32)>>,
}

impl Component {
    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What its root is called, if it has one.
    pub fn root(&self) -> Option<&str> {
        self.root.as_deref()
    }

    /// What its states are called.
    pub fn states(&self) -> &[String] {
        &self.states
    }

    /// What a state is called by people: its label in the file, if it has one, or its name.
    pub fn title(&self, state: u32) -> &str {
        self.titles.get(&state).unwrap_or(&self.states[state as usize])
    }

    /// The states in which it may begin, at least one, growing.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// The edges of a state: label and target, growing, each once.
    pub fn edges(&self, state: u32) -> &[(LabelId, u32)] {
        &self.edges[state as usize]
    }

    /// How many edges there are, those from the root left out.
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }
}

/// A parallel system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct System {
    pub(crate) name: String,
    /// Labels in the order of their names.
    pub(crate) labels: Vec<String>,
    pub(crate) components: Vec<Component>,
    /// By label.
    pub(crate) owners: Vec<Vec<u32>>,
}

impl System {
    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its components.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// How many labels there are.
    pub fn label_count(&self) -> usize {
        self.labels.len()
    }

    /// All labels, in the order of their names.
    pub fn labels(&self) -> impl Iterator<Item = LabelId> + use<> {
        (0..self.labels.len() as u32).map(LabelId)
    }

    /// The name of a label.
    pub fn label(&self, label: LabelId) -> &str {
        &self.labels[label.index()]
    }

    /// The label of this name.
    pub fn label_named(&self, name: &str) -> Option<LabelId> {
        let at = self.labels.binary_search_by(|label| label.as_str().cmp(name)).ok()?;
        Some(LabelId(at as u32))
    }

    /// The components that own a label, growing; at least one.
    pub fn owners(&self, label: LabelId) -> &[u32] {
        &self.owners[label.index()]
    }

    /// How many states all components have together, roots left out.
    pub fn state_count(&self) -> usize {
        self.components.iter().map(|component| component.states.len()).sum()
    }

    /// How many edges all components have together, those from roots left out.
    pub fn edge_count(&self) -> usize {
        self.components.iter().map(Component::edge_count).sum()
    }
}
