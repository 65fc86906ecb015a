//! Systems: components that synchronise on shared labels.
//!
//! A *component* is a labelled transition system. A component owns a label if it has an edge with
//! this label. A *step* of the system has one label: every owner moves along one of its edges with
//! the label, and the other components stay. If an owner has no such edge in its current state, the
//! label is disabled.
//!
//! A component begins in one of its *start states*. RERS writes them as edges with an empty label
//! from a root; all components take these edges together in the first step.
//!
//! Source: the rules of the RERS challenge 2020, parallel problems.

use std::collections::BTreeMap;

/// A label, by its number in the system.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LabelId(pub u32);

impl LabelId {
    /// Returns the number of the label as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A labelled transition system. States are numbered from 0; the root in the file is not a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    pub(crate) name: String,
    /// The name of the root in the file, if there is one.
    pub(crate) root: Option<String>,
    pub(crate) states: Vec<String>,
    /// Display titles of states whose title differs from their name.
    pub(crate) titles: BTreeMap<u32, String>,
    /// The start states, ascending.
    pub(crate) starts: Vec<u32>,
    /// The edges of each state as label and target, ascending.
    pub(crate) edges: Vec<Vec<(LabelId, u32)>>,
}

impl Component {
    /// Returns the name of the component.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name that the file gives the source of the edges to the start states, if it has
    /// one. This root is not a state.
    pub fn root(&self) -> Option<&str> {
        self.root.as_deref()
    }

    /// Returns the names of the states.
    pub fn states(&self) -> &[String] {
        &self.states
    }

    /// Returns the display title of a state: its label in the file, or its name.
    pub fn title(&self, state: u32) -> &str {
        self.titles.get(&state).unwrap_or(&self.states[state as usize])
    }

    /// Returns the start states, at least one, ascending.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// Returns the edges of a state as label and target, ascending, without repetition.
    pub fn edges(&self, state: u32) -> &[(LabelId, u32)] {
        &self.edges[state as usize]
    }

    /// Returns the number of edges, without those from the root.
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }
}

/// A parallel system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct System {
    pub(crate) name: String,
    /// The labels, sorted by name.
    pub(crate) labels: Vec<String>,
    /// The components, indexed by component number.
    pub(crate) components: Vec<Component>,
    /// The owners, indexed by label.
    pub(crate) owners: Vec<Vec<u32>>,
}

impl System {
    /// Returns the name of the system.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the components.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// Returns the number of labels.
    pub fn label_count(&self) -> usize {
        self.labels.len()
    }

    /// Returns the labels, sorted by name.
    pub fn labels(&self) -> impl Iterator<Item = LabelId> + use<> {
        (0..self.labels.len() as u32).map(LabelId)
    }

    /// Returns the name of a label.
    pub fn label(&self, label: LabelId) -> &str {
        &self.labels[label.index()]
    }

    /// Returns the label with the given name.
    pub fn label_named(&self, name: &str) -> Option<LabelId> {
        let index = self.labels.binary_search_by(|label| label.as_str().cmp(name)).ok()?;
        Some(LabelId(index as u32))
    }

    /// Returns the components that own a label, ascending; at least one.
    pub fn owners(&self, label: LabelId) -> &[u32] {
        &self.owners[label.index()]
    }

    /// Returns the total number of states of all components, without roots.
    pub fn state_count(&self) -> usize {
        self.components.iter().map(|component| component.states.len()).sum()
    }

    /// Returns the total number of edges of all components, without those from roots.
    pub fn edge_count(&self) -> usize {
        self.components.iter().map(Component::edge_count).sum()
    }
}
