//! Parallel compositions of labelled transition systems.

use crate::reader::lts::TransitionSystem;
use std::collections::{BTreeMap, BTreeSet};

/// The largest supported number of initial joint states.
const MAX_STARTS: usize = 1 << 20;

/// A labelled transition system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemComponent {
    /// The number of states.
    pub states: usize,
    /// The initial states.
    pub starts: BTreeSet<usize>,
    /// The edges: source state, label, target state.
    pub edges: BTreeSet<(usize, String, usize)>,
}

/// A parallel composition of components, which synchronise on common labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    components: Vec<SystemComponent>,
    /// For each label, the indices of the components that have an edge with the label, ascending.
    owners: BTreeMap<String, Vec<usize>>,
    /// The target states, by component, state and label. A label without an edge has no entry.
    targets: Vec<Vec<BTreeMap<String, Vec<usize>>>>,
}

/// A joint state: the state of each component, by component index.
pub(super) type Joint = Vec<usize>;

impl System {
    /// Creates a system.
    ///
    /// # Errors
    /// When there are no components, a component has no initial state, or an initial state or an
    /// end of an edge is no state. Also when there are more than 2²⁰ initial joint states.
    pub fn new(components: Vec<SystemComponent>) -> Result<Self, String> {
        if components.is_empty() {
            return Err("there are no components".to_owned());
        }
        for (index, component) in components.iter().enumerate() {
            let is_state = |state: usize| state < component.states;
            let edges = component.edges.iter();
            if component.starts.is_empty()
                || !component.starts.iter().all(|&start| is_state(start))
                || !edges.clone().all(|(from, _, to)| is_state(*from) && is_state(*to))
            {
                return Err(format!(
                    "component {index} (counted from 0) has no initial state, or an initial state \
                     or an edge names a state that does not exist"
                ));
            }
        }
        // Searches begin with a list of all initial joint states.
        let count_starts = |count: usize, component: &SystemComponent| {
            count.checked_mul(component.starts.len()).filter(|&count| count <= MAX_STARTS)
        };
        if components.iter().try_fold(1, count_starts).is_none() {
            return Err(format!("the system has more than {MAX_STARTS} initial joint states"));
        }
        Ok(Self::assembled(components))
    }

    /// Creates a system with a single component.
    ///
    /// # Errors
    /// The errors of [`System::new`].
    pub fn of_one(system: &TransitionSystem) -> Result<Self, String> {
        Self::new(vec![SystemComponent {
            states: system.states,
            starts: [system.initial].into(),
            edges: system.edges.iter().cloned().collect(),
        }])
    }

    /// Creates a system of components that are known to be valid.
    pub(super) fn assembled(components: Vec<SystemComponent>) -> Self {
        let mut owners: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut targets = Vec::new();
        for (index, component) in components.iter().enumerate() {
            let mut targets_by_state =
                vec![BTreeMap::<String, Vec<usize>>::new(); component.states];
            for (from, label, to) in &component.edges {
                targets_by_state[*from].entry(label.clone()).or_default().push(*to);
                let label_owners = owners.entry(label.clone()).or_default();
                if label_owners.last() != Some(&index) {
                    label_owners.push(index);
                }
            }
            targets.push(targets_by_state);
        }
        Self { components, owners, targets }
    }

    /// Returns the components.
    pub fn components(&self) -> &[SystemComponent] {
        &self.components
    }

    /// Iterates over the labels of all components.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.owners.keys().map(String::as_str)
    }

    /// Returns the number of labels.
    pub fn label_count(&self) -> usize {
        self.owners.len()
    }

    /// Returns the indices of the components that have an edge with this label. Returns none for an
    /// unknown label.
    pub(super) fn owners(&self, label: &str) -> &[usize] {
        self.owners.get(label).map_or(&[], Vec::as_slice)
    }

    /// Returns the states that a component can reach from `state` by an edge with this label.
    pub(super) fn targets(&self, component: usize, state: usize, label: &str) -> &[usize] {
        self.targets[component][state].get(label).map_or(&[], Vec::as_slice)
    }

    /// Returns the initial joint states.
    pub(super) fn starts(&self) -> Vec<Joint> {
        let mut joints = vec![Vec::new()];
        for SystemComponent { starts, .. } in &self.components {
            joints = joints
                .iter()
                .flat_map(|joint: &Joint| {
                    starts.iter().map(move |&start| [&joint[..], &[start]].concat())
                })
                .collect();
        }
        joints
    }

    /// Returns the steps from a joint state: the label and the target of each step. All components
    /// that have a label take part in its steps.
    pub(super) fn steps<'s>(&'s self, state: &Joint) -> Vec<(&'s str, Joint)> {
        let mut steps = Vec::new();
        // A step with a label moves all owners of the label, so some component has an edge with the
        // label in its current state.
        let mut labels: Vec<&str> = Vec::new();
        for (targets, &local_state) in self.targets.iter().zip(state) {
            labels.extend(targets[local_state].keys().map(String::as_str));
        }
        labels.sort_unstable();
        labels.dedup();
        for label in labels {
            let mut joints = vec![state.clone()];
            for &owner in self.owners(label) {
                let targets = self.targets(owner, state[owner], label);
                let moves_of = |joint: &Joint| {
                    let joint = joint.clone();
                    targets.iter().map(move |&to| {
                        let mut joint = joint.clone();
                        joint[owner] = to;
                        joint
                    })
                };
                joints = joints.iter().flat_map(moves_of).collect();
            }
            steps.extend(joints.into_iter().map(|joint| (label, joint)));
        }
        steps
    }
}
