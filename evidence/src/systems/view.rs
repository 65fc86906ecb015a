//! Abstractions of components to some of their labels.
//!
//! The endpoints of an edge with another label become one state. The abstraction can follow every
//! behaviour of the component, restricted to the visible labels. So a system of abstractions has
//! all runs of the whole system, and perhaps more.

use super::system::{System, SystemComponent};
use parikh_net::sets::Sets;
use std::collections::BTreeSet;

/// A component, or an abstraction of one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ComponentView {
    /// The number of the component.
    pub component: usize,
    /// The visible labels; `None` for the whole component.
    pub labels: Option<BTreeSet<String>>,
}

impl ComponentView {
    /// Returns a whole component.
    pub fn whole(component: usize) -> Self {
        ComponentView { component, labels: None }
    }
}

/// The maximum number of states of all abstractions together. The author of the evidence chooses
/// the abstractions, so this limits the cost of the audit.
const MOST_STATES: usize = 1 << 22;

impl System {
    /// Checks that the members are components in ascending order. Two abstractions of one component
    /// must have no common label, and a component with several initial states must be whole. So
    /// there are no more initial states, or steps with a label, than the components have.
    ///
    /// # Errors
    /// The first flaw of the members.
    pub(super) fn can_see(&self, members: &[ComponentView]) -> Result<(), String> {
        let mut states = 0;
        let mut seen = BTreeSet::new();
        let mut last: Option<&ComponentView> = None;
        for member in members {
            let Some(component) = self.components().get(member.component) else {
                return Err("a component index is out of range".to_owned());
            };
            let is_same = last.is_some_and(|last| last.component == member.component);
            if last.is_some_and(|last| last.component > member.component) {
                return Err("the component indices are not increasing".to_owned());
            }
            let Some(labels) = &member.labels else {
                if is_same {
                    return Err("a complete component is listed twice".to_owned());
                }
                last = Some(member);
                continue;
            };
            if component.starts.len() > 1 {
                return Err("a component with several start states must be complete".to_owned());
            }
            let is_whole = is_same && last.is_some_and(|last| last.labels.is_none());
            if labels.is_empty()
                || is_whole
                || !labels.iter().all(|label| seen.insert((member.component, label)))
            {
                return Err("the parts of a component overlap or are empty".to_owned());
            }
            states += component.states;
            if states > MOST_STATES {
                return Err("the listed components have too many states".to_owned());
            }
            last = Some(member);
        }
        Ok(())
    }

    /// Returns the system of the members.
    pub(super) fn seen(&self, members: &[ComponentView]) -> Self {
        let seen = |member: &ComponentView| {
            let component = &self.components()[member.component];
            match &member.labels {
                None => component.clone(),
                Some(labels) => component.seen(labels),
            }
        };
        System::assembled(members.iter().map(seen).collect())
    }
}

impl SystemComponent {
    fn seen(&self, labels: &BTreeSet<String>) -> SystemComponent {
        let (seen, unseen): (Vec<_>, Vec<_>) =
            self.edges.iter().partition(|(_, label, _)| labels.contains(label));
        let mut states = Sets::new(self.states);
        unseen.into_iter().for_each(|&(from, _, to)| states.join(from, to));
        let (of, count) = states.numbered();
        let of = |state: usize| of[state] as usize;
        SystemComponent {
            states: count as usize,
            starts: self.starts.iter().map(|&start| of(start)).collect(),
            edges: seen
                .into_iter()
                .map(|(from, label, to)| (of(*from), label.clone(), of(*to)))
                .collect(),
        }
    }
}
