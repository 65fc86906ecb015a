//! Abstracts components to some of their labels, which stay *visible*.
//!
//! The endpoints of each edge with any other label become one state. The abstraction can follow
//! every behaviour of the component, restricted to the visible labels. So a system of abstractions
//! has all runs of the whole system, and perhaps more.

use super::system::{System, SystemComponent};
use parikh_net::sets::Sets;
use std::collections::BTreeSet;

/// A component of a system, or an abstraction of a component to some of its labels.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ComponentView {
    /// The index of the component in the system.
    pub component: usize,
    /// The visible labels; `None` for the whole component.
    pub labels: Option<BTreeSet<String>>,
}

impl ComponentView {
    /// Returns the view of a whole component.
    pub fn whole(component: usize) -> Self {
        ComponentView { component, labels: None }
    }
}

/// The maximum number of states of all abstractions together. Each abstraction counts with the
/// states of its whole component. The author of the evidence chooses the abstractions, so this
/// limits the cost of the audit.
const MAX_STATES: usize = 1 << 22;

impl System {
    /// Checks that the members are components, or abstractions of components, in ascending order.
    /// Two abstractions of one component must have no common label, and a component with several
    /// initial states must be whole. So the members together have no more initial joint states, and
    /// no more edges with a label, than the components.
    ///
    /// # Errors
    /// The first flaw of the members. Also when an abstraction has no label, or when all
    /// abstractions together have too many states.
    pub(super) fn check_members(&self, members: &[ComponentView]) -> Result<(), String> {
        let mut states = 0;
        let mut seen_labels = BTreeSet::new();
        let mut previous: Option<&ComponentView> = None;
        for member in members {
            let Some(component) = self.components().get(member.component) else {
                return Err("a component index is out of range".to_owned());
            };
            let is_same = previous.is_some_and(|previous| previous.component == member.component);
            if previous.is_some_and(|previous| previous.component > member.component) {
                return Err("the component indices are not increasing".to_owned());
            }
            let Some(labels) = &member.labels else {
                if is_same {
                    return Err("a complete component is listed twice".to_owned());
                }
                previous = Some(member);
                continue;
            };
            if component.starts.len() > 1 {
                return Err("a component with several start states must be complete".to_owned());
            }
            let is_whole = is_same && previous.is_some_and(|previous| previous.labels.is_none());
            if labels.is_empty()
                || is_whole
                || !labels.iter().all(|label| seen_labels.insert((member.component, label)))
            {
                return Err("the parts of a component overlap or are empty".to_owned());
            }
            states += component.states;
            if states > MAX_STATES {
                return Err("the listed components have too many states".to_owned());
            }
            previous = Some(member);
        }
        Ok(())
    }

    /// Returns the system whose components are the given views of this system's components. The
    /// members must be valid (`check_members`).
    pub(super) fn abstracted_to(&self, members: &[ComponentView]) -> Self {
        let view_of = |member: &ComponentView| {
            let component = &self.components()[member.component];
            match &member.labels {
                None => component.clone(),
                Some(labels) => component.abstracted_to(labels),
            }
        };
        System::assembled(members.iter().map(view_of).collect())
    }
}

impl SystemComponent {
    /// Returns the abstraction to the visible labels: the endpoints of every other edge become one
    /// state.
    fn abstracted_to(&self, labels: &BTreeSet<String>) -> SystemComponent {
        let (visible_edges, hidden_edges): (Vec<_>, Vec<_>) =
            self.edges.iter().partition(|(_, label, _)| labels.contains(label));
        let mut merged_states = Sets::new(self.states);
        hidden_edges.into_iter().for_each(|&(from, _, to)| merged_states.join(from, to));
        let (class_of, class_count) = merged_states.numbered();
        let class_of = |state: usize| class_of[state] as usize;
        SystemComponent {
            states: class_count as usize,
            starts: self.starts.iter().map(|&start| class_of(start)).collect(),
            edges: visible_edges
                .into_iter()
                .map(|(from, label, to)| (class_of(*from), label.clone(), class_of(*to)))
                .collect(),
        }
    }
}
