//! Components and what they can do together.

use crate::reader::lts::TransitionSystem;
use std::collections::{BTreeMap, BTreeSet};

/// A labelled transition system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Component {
    /// How many states there are.
    pub states: usize,
    /// Where it may begin.
    pub starts: BTreeSet<usize>,
    /// Edges: state, label, state.
    pub edges: BTreeSet<(usize, String, usize)>,
}

/// A system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    components: Vec<Component>,
    /// For each label the components that own it.
    owners: BTreeMap<String, Vec<usize>>,
    /// Of each component and state: by label, the targets.
    targets: Vec<Vec<BTreeMap<String, Vec<usize>>>>,
}

/// The state of each of some components.
pub(super) type Joint = Vec<usize>;

impl System {
    /// The system of these components.
    ///
    /// # Errors
    /// When there are none, one begins nowhere, or an edge leads out of one.
    pub fn new(components: Vec<Component>) -> Result<Self, String> {
        if components.is_empty() {
            return Err("there are no components".to_owned());
        }
        for (at, component) in components.iter().enumerate() {
            let inside = |state: usize| state < component.states;
            let edges = component.edges.iter();
            if component.starts.is_empty()
                || !component.starts.iter().all(|&start| inside(start))
                || !edges.clone().all(|(from, _, to)| inside(*from) && inside(*to))
            {
                return Err(format!("component {at} begins nowhere, or an edge leads nowhere"));
            }
        }
        Ok(Self::assembled(components))
    }

    /// The system whose one component is a transition system.
    ///
    /// # Errors
    /// As [`System::new`].
    pub fn of_one(system: &TransitionSystem) -> Result<Self, String> {
        Self::new(vec![Component {
            states: system.states,
            starts: [system.initial].into(),
            edges: system.edges.iter().cloned().collect(),
        }])
    }

    /// The system of these components, each of which begins somewhere, with edges between its
    /// states.
    pub(super) fn assembled(components: Vec<Component>) -> Self {
        let mut owners: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut targets = Vec::new();
        for (at, component) in components.iter().enumerate() {
            let mut rows = vec![BTreeMap::<String, Vec<usize>>::new(); component.states];
            for (from, label, to) in &component.edges {
                rows[*from].entry(label.clone()).or_default().push(*to);
                let row = owners.entry(label.clone()).or_default();
                if row.last() != Some(&at) {
                    row.push(at);
                }
            }
            targets.push(rows);
        }
        Self { components, owners, targets }
    }

    /// The components.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// All labels.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.owners.keys().map(String::as_str)
    }

    /// How many labels there are.
    pub fn label_count(&self) -> usize {
        self.owners.len()
    }

    /// The components that own a label; none where there is no such label.
    pub(super) fn owners(&self, label: &str) -> &[usize] {
        self.owners.get(label).map_or(&[], Vec::as_slice)
    }

    /// Where a component may go with a label.
    pub(super) fn targets(&self, component: usize, state: usize, label: &str) -> &[usize] {
        self.targets[component][state].get(label).map_or(&[], Vec::as_slice)
    }

    /// All ways in which the components may begin.
    pub(super) fn starts(&self) -> Vec<Joint> {
        let mut all = vec![Vec::new()];
        for Component { starts, .. } in &self.components {
            all = all
                .iter()
                .flat_map(|row: &Joint| {
                    starts.iter().map(move |&start| [&row[..], &[start]].concat())
                })
                .collect();
        }
        all
    }

    /// The steps of the components together: labels, and where they lead.
    pub(super) fn steps<'s>(&'s self, state: &Joint) -> Vec<(&'s str, Joint)> {
        let mut steps = Vec::new();
        // A step moves somebody, who can move with its label here.
        let mut labels: Vec<&str> = Vec::new();
        for (targets, &at) in self.targets.iter().zip(state) {
            labels.extend(targets[at].keys().map(String::as_str));
        }
        labels.sort_unstable();
        labels.dedup();
        for label in labels {
            let mut next = vec![state.clone()];
            for &at in self.owners(label) {
                let targets = self.targets(at, state[at], label);
                let moved = |row: &Joint| {
                    let row = row.clone();
                    targets.iter().map(move |&to| {
                        let mut row = row.clone();
                        row[at] = to;
                        row
                    })
                };
                next = next.iter().flat_map(moved).collect();
            }
            steps.extend(next.into_iter().map(|row| (label, row)));
        }
        steps
    }
}
