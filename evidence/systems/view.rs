//! Components seen through some of their labels.
//!
//! Edges with other labels are not seen, so the states that they lead from and to count as one. Whatever a
//! component does, the seen one does with what is left of it, so a system of seen components has all
//! the runs of the whole one, and more.

use super::system::{Component, System};
use parikh_net::sets::Sets;
use std::collections::BTreeSet;

/// A component, or what is seen of one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member {
    /// Its number.
    pub component: usize,
    /// The labels through which it is seen; `None`: it is whole.
    pub labels: Option<BTreeSet<String>>,
}

impl Member {
    /// A whole component.
    pub fn whole(component: usize) -> Self {
        Member { component, labels: None }
    }
}

impl System {
    /// The system of these components, as far as they are seen.
    pub(super) fn seen(&self, members: &[Member]) -> Self {
        let seen = |member: &Member| {
            let component = &self.components()[member.component];
            match &member.labels {
                None => component.clone(),
                Some(labels) => component.seen(labels),
            }
        };
        System::assembled(members.iter().map(seen).collect())
    }
}

impl Component {
    fn seen(&self, labels: &BTreeSet<String>) -> Component {
        let (seen, unseen): (Vec<_>, Vec<_>) =
            self.edges.iter().partition(|(_, label, _)| labels.contains(label));
        let mut states = Sets::new(self.states);
        unseen.into_iter().for_each(|&(from, _, to)| states.join(from, to));
        let (of, count) = states.numbered();
        let of = |state: usize| of[state] as usize;
        Component {
            states: count as usize,
            starts: self.starts.iter().map(|&start| of(start)).collect(),
            edges: seen
                .into_iter()
                .map(|(from, label, to)| (of(*from), label.clone(), of(*to)))
                .collect(),
        }
    }
}
