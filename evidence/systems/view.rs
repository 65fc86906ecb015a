//! Components seen through some of their labels.
//!
//! Edges with other labels are not seen, so the states that they lead from and to count as one.
//! Whatever a component does, the seen one does with what is left of it, so a system of seen
//! components has all the runs of the whole one, and more.

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

/// The most states that components have together as they are seen. Whoever writes the evidence says
/// how many are seen, so this is a limit to what it may cost.
const MOST_STATES: usize = 1 << 22;

impl System {
    /// Accepts components that grow. What is seen of one shares no label with what else is seen of
    /// it, and one with several start states is whole: so there are no more ways to begin, or to
    /// take a label, than the components have.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(super) fn can_see(&self, members: &[Member]) -> Result<(), String> {
        let mut states = 0;
        let mut seen = BTreeSet::new();
        let mut last: Option<&Member> = None;
        for member in members {
            let Some(component) = self.components().get(member.component) else {
                return Err("the components are not numbers below their number".to_owned());
            };
            let is_same = last.is_some_and(|last| last.component == member.component);
            if last.is_some_and(|last| last.component > member.component) {
                return Err("the components are not numbers that grow".to_owned());
            }
            let Some(labels) = &member.labels else {
                if is_same {
                    return Err("a whole component is there twice".to_owned());
                }
                last = Some(member);
                continue;
            };
            if component.starts.len() > 1 {
                return Err("a component with several start states is not whole".to_owned());
            }
            let is_whole = is_same && last.is_some_and(|last| last.labels.is_none());
            if labels.is_empty()
                || is_whole
                || !labels.iter().all(|label| seen.insert((member.component, label)))
            {
                return Err("something of a component is seen twice, or nothing".to_owned());
            }
            states += component.states;
            if states > MOST_STATES {
                return Err("too much is seen of the components".to_owned());
            }
            last = Some(member);
        }
        Ok(())
    }

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
