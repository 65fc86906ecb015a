//! Construction of systems from named states and edges.

use crate::system::{Component, LabelId, System};
use std::collections::{BTreeMap, HashMap};

/// The error for components that do not form a system. The field of a variant, if it has one, is
/// the component's name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BuildError {
    /// The component has no states.
    #[error("component `{0}` has no states")]
    Empty(String),
    /// The component has no start state.
    #[error("component `{0}` has no start state")]
    NoStart(String),
    /// The component has 2^32 states or more.
    #[error("component `{0}` has more than 2^32 states")]
    TooLarge(String),
    /// There are no components.
    #[error("the system has no components")]
    NoComponents,
}

/// A component under construction.
#[derive(Clone, Debug, Default)]
pub struct ComponentBuilder {
    pub(crate) name: String,
    /// The name of the root, that is, the node of the file whose edges with an empty label lead to
    /// the start states. `None` if the component has no root.
    pub(crate) root: Option<String>,
    pub(crate) states: Vec<String>,
    /// The display titles that differ from the names, by state.
    pub(crate) titles: BTreeMap<u32, String>,
    /// The start states, in the order of declaration.
    pub(crate) starts: Vec<u32>,
    /// The edges: source state, label, target state.
    pub(crate) edges: Vec<(u32, String, u32)>,
    /// The number of each state, by name.
    numbers: HashMap<String, u32>,
}

impl ComponentBuilder {
    /// Creates a component with this name, without states.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Returns the state with this name, and creates it if necessary.
    pub fn state(&mut self, name: &str) -> u32 {
        if let Some(&state) = self.numbers.get(name) {
            return state;
        }
        let state = self.states.len() as u32;
        self.states.push(name.to_owned());
        self.numbers.insert(name.to_owned(), state);
        state
    }

    /// Sets the display title of a state.
    pub fn set_title(&mut self, state: u32, title: &str) {
        if self.states[state as usize] != title {
            self.titles.insert(state, title.to_owned());
        }
    }

    /// Sets the name of the root, which is not a state.
    pub fn set_root(&mut self, name: &str) {
        self.root = Some(name.to_owned());
    }

    /// Declares a start state.
    pub fn start(&mut self, state: u32) {
        self.starts.push(state);
    }

    /// Adds an edge between two states.
    pub fn edge(&mut self, from: u32, label: &str, to: u32) {
        self.edges.push((from, label.to_owned(), to));
    }
}

/// Builds the system of these components.
///
/// # Errors
/// Returns an error if there are no components, or a component has no states, no start state, or
/// 2^32 states or more.
pub fn system(name: &str, components: Vec<ComponentBuilder>) -> Result<System, BuildError> {
    if components.is_empty() {
        return Err(BuildError::NoComponents);
    }
    for component in &components {
        let name = || component.name.clone();
        match (component.states.len(), component.starts.len()) {
            (0, _) => return Err(BuildError::Empty(name())),
            (_, 0) => return Err(BuildError::NoStart(name())),
            (states, _) if u32::try_from(states).is_err() => {
                return Err(BuildError::TooLarge(name()));
            }
            _ => {}
        }
    }
    Ok(assemble_system(name.to_owned(), components))
}

/// Builds the system of these components, each with states and start states.
fn assemble_system(name: String, drafts: Vec<ComponentBuilder>) -> System {
    let mut labels: Vec<String> =
        drafts.iter().flat_map(|draft| draft.edges.iter().map(|edge| edge.1.clone())).collect();
    labels.sort_unstable();
    labels.dedup();
    let numbers: HashMap<&str, u32> = labels.iter().map(String::as_str).zip(0..).collect();
    let mut owners = vec![Vec::new(); labels.len()];
    let mut components = Vec::with_capacity(drafts.len());
    for (component_number, draft) in (0..).zip(drafts) {
        let mut edges = vec![Vec::new(); draft.states.len()];
        for (from, label, to) in &draft.edges {
            let number = numbers[label.as_str()];
            edges[*from as usize].push((LabelId(number), *to));
            let owners: &mut Vec<u32> = &mut owners[number as usize];
            if owners.last() != Some(&component_number) {
                owners.push(component_number);
            }
        }
        for row in &mut edges {
            row.sort_unstable();
            row.dedup();
        }
        let mut starts = draft.starts;
        starts.sort_unstable();
        starts.dedup();
        let ComponentBuilder { name, root, states, titles, .. } = draft;
        components.push(Component { name, root, states, titles, starts, edges });
    }
    System { name, labels, components, owners }
}
