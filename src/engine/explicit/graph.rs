//! The reachability graph of a small net, for the two questions that are more than goals: is it
//! live, is it reversible?
//!
//! Every run that goes on for ever can end up in a *terminal* strongly connected component, one
//! that no edge leaves, and stays there; from every marking some terminal component is reached. So
//!
//! - a transition is *live* (from every reachable marking it can become enabled again) if and only
//!   if every terminal component has a marking that enables it;
//! - the net is *reversible* (from every reachable marking the initial one can be reached) if and
//!   only if the whole graph is one component.
//!
//! Both are answered with a firing sequence when the answer is no: one into a terminal component
//! without the transition, or into one without the initial marking.
//!
//! # Cost
//!
//! Besides the markings 4 bytes per edge and 20 per marking, in plain vectors.
//!
//! # Sources
//!
//! R. Tarjan, *Depth-First Search and Linear Graph Algorithms*, SIAM J. Comput. 1(2), 1972.

use super::space::{Purpose, Space};
use super::state_space::{Distinct, Incomplete, POLLING};
use super::store::{Full, NONE, reserved};
use parikh_net::{Facts, FiringSequence, Marking, Net, TransitionId};
use parikh_solvers::Budget;

/// All reachable markings of a net, the edges between them, and which of them are strongly
/// connected.
pub struct Graph<'n> {
    net: &'n Net,
    space: Space<'n>,
    budget: Budget,
    /// Row `i` of `edges` is where marking `i` leads.
    starts: Vec<u64>,
    edges: Vec<u32>,
    /// For each marking its component.
    component: Vec<u32>,
    /// For each component a marking of it, if no edge leaves it.
    terminal: Vec<Option<u32>>,
}

/// What to look for while the markings are visited.
pub struct Search<'s> {
    /// Whether a marking is of interest.
    pub wanted: &'s dyn Fn(&Marking) -> bool,
    /// A sequence to the first one that is.
    pub found: &'s mut Option<FiringSequence>,
}

impl<'n> Graph<'n> {
    /// Explores the reachable markings of `net`.
    ///
    /// # Errors
    /// When the budget does not suffice.
    pub fn explore(net: &'n Net, facts: &Facts, budget: &Budget) -> Result<Self, Incomplete> {
        Self::explore_looking(net, facts, budget, None)
    }

    /// Explores them, looking at each for a marking of interest. Such a marking is found even when
    /// the budget ends before all were visited.
    ///
    /// # Errors
    /// When the budget does not suffice.
    pub fn explore_looking(
        net: &'n Net,
        facts: &Facts,
        budget: &Budget,
        mut search: Option<Search<'_>>,
    ) -> Result<Self, Incomplete> {
        let purpose = Purpose { listed: &|_| true, sequences: true, ceiling: u64::MAX };
        let mut graph = Graph {
            net,
            space: Space::new(net, facts, purpose, budget)?,
            budget: budget.clone(),
            starts: vec![0],
            edges: Vec::new(),
            component: Vec::new(),
            terminal: Vec::new(),
        };
        graph.find_edges(search.as_mut())?;
        graph.find_components()?;
        graph.find_terminal()?;
        Ok(graph)
    }

    fn find_edges(&mut self, mut search: Option<&mut Search<'_>>) -> Result<(), Incomplete> {
        let mut distinct = Distinct::new(self.net);
        let mut enabled = Vec::new();
        let mut number = 0;
        while number < self.space.store().len() {
            self.poll(number)?;
            self.space.load(number, &mut enabled);
            if let Some(search) = &mut search
                && search.found.is_none()
                && (search.wanted)(&self.space.packing().unpack(self.space.key()))
            {
                *search.found = Some(self.space.sequence_to(number));
            }
            distinct.retain(&mut enabled);
            self.edges.try_reserve(enabled.len()).map_err(|_| Full)?;
            self.starts.try_reserve(1).map_err(|_| Full)?;
            let edges = &mut self.edges;
            if !self.space.expand_edges(number, &enabled, |to| edges.push(to))? {
                self.starts.push(self.edges.len() as u64);
                number += 1;
            }
        }
        Ok(())
    }

    fn row(&self, number: u32) -> &[u32] {
        let at = number as usize;
        &self.edges[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    fn poll(&self, number: u32) -> Result<(), Incomplete> {
        if number.is_multiple_of(POLLING)
            && let Some(spent) = self.budget.exhausted()
        {
            return Err(spent.into());
        }
        Ok(())
    }

    /// Tarjan's algorithm with a stack of its own.
    fn find_components(&mut self) -> Result<(), Incomplete> {
        let count = self.space.store().len() as usize;
        let filled = || -> Result<Vec<u32>, Full> {
            let mut vector = reserved(count)?;
            vector.resize(count, NONE);
            Ok(vector)
        };
        // When a marking was met, and the earliest one that it leads back to.
        let (mut met, mut low) = (filled()?, filled()?);
        self.component = filled()?;
        let mut open: Vec<u32> = reserved(count)?;
        // Markings being visited, with how many of their edges were followed.
        let mut path: Vec<(u32, u32)> = Vec::new();
        let mut next = 0;
        // Everything is reachable from the initial marking: one root is enough.
        met[0] = next;
        low[0] = next;
        open.push(0);
        path.push((0, 0));
        while let Some(&(at, followed)) = path.last() {
            if let Some(&to) = self.row(at).get(followed as usize) {
                let last = path.len() - 1;
                path[last].1 += 1;
                if met[to as usize] == NONE {
                    next += 1;
                    self.poll(next)?;
                    met[to as usize] = next;
                    low[to as usize] = next;
                    open.push(to);
                    path.try_reserve(1).map_err(|_| Full)?;
                    path.push((to, 0));
                } else if self.component[to as usize] == NONE {
                    low[at as usize] = low[at as usize].min(met[to as usize]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent as usize] = low[parent as usize].min(low[at as usize]);
            }
            if low[at as usize] == met[at as usize] {
                let component = self.terminal.len() as u32;
                self.terminal.try_reserve(1).map_err(|_| Full)?;
                self.terminal.push(Some(at));
                while let Some(member) = open.pop() {
                    self.component[member as usize] = component;
                    if member == at {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    fn find_terminal(&mut self) -> Result<(), Incomplete> {
        for number in 0..self.space.store().len() {
            self.poll(number)?;
            let component = self.component[number as usize];
            if self.row(number).iter().any(|&to| self.component[to as usize] != component) {
                self.terminal[component as usize] = None;
            }
        }
        Ok(())
    }

    /// How many markings are reachable.
    pub fn states(&self) -> u64 {
        self.space.store().len().into()
    }

    /// A sequence to a marking from which the initial one cannot be reached; `None` when the net
    /// is reversible.
    pub fn no_return(&mut self) -> Option<FiringSequence> {
        let home = self.component[0];
        if self.terminal[home as usize].is_some() {
            return None;
        }
        let lost = self.terminal.iter().flatten().copied().min()?;
        Some(self.space.sequence_to(lost))
    }

    /// A group of transitions and a sequence after which no transition of the group can ever be
    /// enabled again; `None` when there is none, that is when all groups are live. Transitions are
    /// in groups as the bindings of one coloured transition are; `group_of` has an entry per
    /// transition, below `groups`.
    ///
    /// # Errors
    /// When the budget does not suffice.
    pub fn never_again(
        &mut self,
        group_of: &[u32],
        groups: usize,
    ) -> Result<Option<(u32, FiringSequence)>, Incomplete> {
        // Members of terminal components, component by component.
        let is_terminal =
            |&number: &u32| self.terminal[self.component[number as usize] as usize].is_some();
        let mut members: Vec<u32> = Vec::new();
        for number in (0..self.space.store().len()).filter(is_terminal) {
            members.try_reserve(1).map_err(|_| Full)?;
            members.push(number);
        }
        members.sort_by_key(|&number| self.component[number as usize]);
        let mut enabled = Vec::new();
        let mut seen = vec![NONE; groups];
        let mut polled = 0;
        for of_component in
            members.chunk_by(|&a, &b| self.component[a as usize] == self.component[b as usize])
        {
            let component = self.component[of_component[0] as usize];
            let mut missing = groups;
            for &number in of_component {
                if missing == 0 {
                    break;
                }
                self.poll(polled)?;
                polled = polled.wrapping_add(1);
                self.space.load(number, &mut enabled);
                for &t in &enabled {
                    let group = &mut seen[group_of[t as usize] as usize];
                    missing -= usize::from(std::mem::replace(group, component) != component);
                }
            }
            if let Some(group) = seen.iter().position(|&group| group != component) {
                return Ok(Some((group as u32, self.space.sequence_to(of_component[0]))));
            }
        }
        Ok(None)
    }
}

/// A transition and a firing sequence after which it can never be enabled again, or `None` when
/// `net` is live.
///
/// # Errors
/// When the budget does not suffice.
pub fn not_live(
    net: &Net,
    facts: &Facts,
    budget: &Budget,
) -> Result<Option<(TransitionId, FiringSequence)>, Incomplete> {
    let own: Vec<u32> = net.transitions().map(|t| t.index() as u32).collect();
    let lost = Graph::explore(net, facts, budget)?.never_again(&own, own.len())?;
    Ok(lost.map(|(t, sequence)| (TransitionId::new(t as usize), sequence)))
}

/// A firing sequence after which the initial marking can never be reached again, or `None` when
/// `net` is reversible.
///
/// # Errors
/// When the budget does not suffice.
pub fn not_reversible(
    net: &Net,
    facts: &Facts,
    budget: &Budget,
) -> Result<Option<FiringSequence>, Incomplete> {
    Ok(Graph::explore(net, facts, budget)?.no_return())
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn a_cycle_with_a_way_out_is_neither_live_nor_reversible() {
        let net = text::parse(
            "place a 1\nplace b\nplace c\ntransition ab: a -> b\ntransition ba: b -> a
             transition bc: b -> c\ntransition stay: c -> c",
        )
        .unwrap();
        let facts = Facts::none(&net);
        let budget = Budget::unlimited();
        let (lost, sequence) = not_live(&net, &facts, &budget).unwrap().unwrap();
        assert_eq!((net.transition_name(lost), sequence.firings()), ("ab", 2));
        assert_eq!(not_reversible(&net, &facts, &budget).unwrap().unwrap().firings(), 2);
        // As one group, something stays enabled.
        let mut graph = Graph::explore(&net, &facts, &budget).unwrap();
        assert_eq!(graph.never_again(&[0; 4], 1).unwrap(), None);
    }

    #[test]
    fn a_net_of_nothing_is_live_and_reversible() {
        let net = text::parse("net nothing").unwrap();
        let facts = Facts::none(&net);
        let budget = Budget::unlimited();
        assert_eq!(not_live(&net, &facts, &budget), Ok(None));
        assert_eq!(not_reversible(&net, &facts, &budget), Ok(None));
    }
}
