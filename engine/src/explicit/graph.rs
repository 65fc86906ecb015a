//! The reachability graph of a small net, for questions about what remains reachable forever.
//!
//! From every marking, some *terminal* (bottom) strongly connected component is reachable, that is,
//! one without outgoing edges. A run that enters it stays there.
//!
//! So a predicate always remains reachable if and only if every terminal component has a marking
//! that satisfies it. The predicate is the enabledness of a transition for liveness, and the
//! initial marking for reversibility. If the answer is no, a firing sequence leads into a terminal
//! component without such a marking.
//!
//! # Cost
//!
//! In addition to the markings, 4 bytes per edge and 20 bytes per marking, in plain vectors.

use super::memory::{OutOfMemory, try_with_capacity};
use super::progress::{ExplorationError, POLLING_INTERVAL};
use super::set::NO_NUMBER;
use super::space::{Space, SpaceOptions};
use super::state_space::EffectFilter;
use parikh_net::components::components_while;
use parikh_net::{Facts, FiringSequence, Marking, Net, Predicate};
use parikh_solvers::Budget;

/// The reachability graph of a net, with its strongly connected components.
pub struct ExplicitGraph<'n> {
    net: &'n Net,
    space: Space<'n>,
    budget: Budget,
    /// Start of each marking's successors in `edges`. The last entry is the end of the last
    /// marking's successors.
    starts: Vec<u64>,
    /// Numbers of the successors of all markings, one marking after another. A marking has one edge
    /// per effect of its enabled transitions, and none for transitions without effect.
    edges: Vec<u32>,
    /// For each marking, the number of its strongly connected component.
    component_of: Vec<u32>,
    /// For each component, true if no edge leaves it.
    is_terminal: Vec<bool>,
}

/// A search for a marking that satisfies a condition, during the exploration of a graph.
pub struct GraphSearch<'s> {
    /// The condition for the marking.
    pub condition: &'s dyn Fn(&Marking) -> bool,
    /// Receives a firing sequence to the first marking that satisfies the condition. Must be `None`
    /// at the start, and stays `None` if no such marking is found.
    pub sequence: &'s mut Option<FiringSequence>,
}

impl<'n> ExplicitGraph<'n> {
    /// Explores the reachable markings of `net`.
    ///
    /// # Errors
    /// Returns an error if the budget is exhausted, memory is short, or there are too many markings
    /// for 32-bit numbers. Also returns an error if a place would get 2⁶³ tokens or more.
    pub fn explore(net: &'n Net, facts: &Facts, budget: &Budget) -> Result<Self, ExplorationError> {
        Self::explore_and_search(net, facts, budget, None)
    }

    /// Like [`explore`](Self::explore), and also searches for the first marking that satisfies the
    /// condition of `search`. The marking may be found even if the function returns an error later.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`explore`](Self::explore).
    pub fn explore_and_search(
        net: &'n Net,
        facts: &Facts,
        budget: &Budget,
        mut search: Option<GraphSearch<'_>>,
    ) -> Result<Self, ExplorationError> {
        let options =
            SpaceOptions { listed: &|_| true, needs_sequences: true, max_bytes: u64::MAX };
        let mut graph = ExplicitGraph {
            net,
            space: Space::new(net, facts, options, budget)?,
            budget: budget.clone(),
            starts: vec![0],
            edges: Vec::new(),
            component_of: Vec::new(),
            is_terminal: Vec::new(),
        };
        graph.find_edges(search.as_mut())?;
        graph.find_components()?;
        graph.find_terminal()?;
        Ok(graph)
    }

    /// Explores all markings, stores the edges, and tests the condition of `search` in each marking
    /// until one satisfies it.
    fn find_edges(
        &mut self,
        mut search: Option<&mut GraphSearch<'_>>,
    ) -> Result<(), ExplorationError> {
        let mut effect_filter = EffectFilter::new(self.net);
        let mut enabled = Vec::new();
        let mut marking = 0;
        while marking < self.space.store().len() {
            self.check_budget(marking)?;
            self.space.load(marking, &mut enabled);
            if let Some(search) = &mut search
                && search.sequence.is_none()
                && (search.condition)(&self.space.packing().unpack(self.space.key()))
            {
                *search.sequence = Some(self.space.sequence_to(marking));
            }
            effect_filter.retain(&mut enabled);
            self.edges.try_reserve(enabled.len()).map_err(|_| OutOfMemory)?;
            self.starts.try_reserve(1).map_err(|_| OutOfMemory)?;
            let edges = &mut self.edges;
            if !self.space.expand_edges(marking, &enabled, |to| edges.push(to))? {
                self.starts.push(self.edges.len() as u64);
                marking += 1;
            }
        }
        Ok(())
    }

    /// Returns the numbers of a marking's successors. A successor may occur several times.
    fn successors(&self, marking: u32) -> &[u32] {
        let at = marking as usize;
        &self.edges[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Checks the budget if the argument, the number of markings visited so far, is a multiple of
    /// [`POLLING_INTERVAL`]. Returns an error if the budget is exhausted.
    fn check_budget(&self, visited_count: u32) -> Result<(), ExplorationError> {
        if visited_count.is_multiple_of(POLLING_INTERVAL)
            && let Some(spent) = self.budget.exhausted()
        {
            return Err(spent.into());
        }
        Ok(())
    }

    /// Computes the strongly connected components.
    fn find_components(&mut self) -> Result<(), ExplorationError> {
        let next = |marking: u32, k: u32| self.successors(marking).get(k as usize).copied();
        let found =
            components_while(self.space.store().len(), next, |visited| self.check_budget(visited))?;
        self.component_of = found.component_of;
        self.is_terminal = try_with_capacity(found.count as usize)?;
        self.is_terminal.resize(found.count as usize, true);
        Ok(())
    }

    /// Finds the terminal components, that is, the components without outgoing edges.
    fn find_terminal(&mut self) -> Result<(), ExplorationError> {
        for marking in 0..self.space.store().len() {
            self.check_budget(marking)?;
            let component = self.component_of[marking as usize];
            if self
                .successors(marking)
                .iter()
                .any(|&to| self.component_of[to as usize] != component)
            {
                self.is_terminal[component as usize] = false;
            }
        }
        Ok(())
    }

    /// Returns the number of reachable markings.
    pub fn states(&self) -> u64 {
        self.space.store().len().into()
    }

    /// Returns a firing sequence from the initial marking to the marking with this number.
    pub fn sequence_to(&mut self, marking: u32) -> FiringSequence {
        self.space.sequence_to(marking)
    }

    /// Returns, for each predicate, `None` if it remains reachable from every reachable marking.
    /// Otherwise some terminal component has no marking that satisfies the predicate. Then the
    /// result is the number of a marking of this component, and the component's number of markings.
    ///
    /// # Errors
    /// Returns an error if the budget is exhausted or memory is short.
    pub fn markings_without(
        &mut self,
        predicates: &[&Predicate],
    ) -> Result<Vec<Option<(u32, u64)>>, ExplorationError> {
        // The markings of terminal components, grouped by component.
        let is_terminal =
            |&number: &u32| self.is_terminal[self.component_of[number as usize] as usize];
        let mut members: Vec<u32> = Vec::new();
        for number in (0..self.space.store().len()).filter(is_terminal) {
            members.try_reserve(1).map_err(|_| OutOfMemory)?;
            members.push(number);
        }
        members.sort_by_key(|&number| self.component_of[number as usize]);
        let (by_enabledness, other_predicates) = self.split_by_enabledness(predicates);
        let mut counterexamples = vec![None; predicates.len()];
        // For each predicate, the last visited component with a marking that satisfies the
        // predicate.
        let mut last_component = vec![NO_NUMBER; predicates.len()];
        let (mut enabled, mut visited_count) = (Vec::new(), 0);
        for component_members in members
            .chunk_by(|&a, &b| self.component_of[a as usize] == self.component_of[b as usize])
        {
            let current = self.component_of[component_members[0] as usize];
            let mut missing_count = predicates.len();
            for &number in component_members {
                if missing_count == 0 {
                    break;
                }
                self.check_budget(visited_count)?;
                visited_count = visited_count.wrapping_add(1);
                self.space.load(number, &mut enabled);
                let mut mark_reached = |index: u32| {
                    let previous = std::mem::replace(&mut last_component[index as usize], current);
                    missing_count -= usize::from(previous != current);
                };
                for &t in &enabled {
                    by_enabledness[t as usize].iter().for_each(|&index| mark_reached(index));
                }
                if !other_predicates.is_empty() {
                    let marking = self.space.packing().unpack(self.space.key());
                    let holds =
                        |index: &&u32| predicates[**index as usize].holds(self.net, &marking);
                    other_predicates.iter().filter(holds).for_each(|&index| mark_reached(index));
                }
            }
            for (counterexample, _) in counterexamples
                .iter_mut()
                .zip(&last_component)
                .filter(|(_, last_component)| **last_component != current)
            {
                counterexample
                    .get_or_insert((component_members[0], component_members.len() as u64));
            }
        }
        Ok(counterexamples)
    }

    /// Returns two results about predicates, given by their indices. The first lists, for each
    /// transition, the predicates that its enabledness implies. The second lists the predicates
    /// with a disjunct other than "t is enabled", which are evaluated on markings.
    fn split_by_enabledness(&self, predicates: &[&Predicate]) -> (Vec<Vec<u32>>, Vec<u32>) {
        let mut by_enabledness = vec![Vec::new(); self.net.transition_count()];
        let mut other_predicates = Vec::new();
        for (position, predicate) in (0..).zip(predicates) {
            let parts = match predicate {
                Predicate::Or(parts) => &parts[..],
                leaf => std::slice::from_ref(*leaf),
            };
            for part in parts {
                match part {
                    Predicate::Enabled(t) => by_enabledness[t.index()].push(position),
                    _ => other_predicates.push(position),
                }
            }
        }
        other_predicates.dedup();
        (by_enabledness, other_predicates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn only_predicates_of_terminal_components_stay_reachable() {
        let net = text::parse(
            "place a 1\nplace b\nplace c\ntransition ab: a -> b\ntransition ba: b -> a
             transition bc: b -> c\ntransition stay: c -> c",
        )
        .unwrap();
        let mut graph =
            ExplicitGraph::explore(&net, &Facts::empty(&net), &Budget::unlimited()).unwrap();
        let [ab, stay] =
            ["ab", "stay"].map(|t| Predicate::Enabled(net.transition_named(t).unwrap()));
        let either = Predicate::or([ab.clone(), stay.clone()]);
        let at_c = Predicate::at_least(net.place_named("c").unwrap(), 1);
        let lost = graph.markings_without(&[&ab, &stay, &either, &at_c]).unwrap();
        assert_eq!(lost, [Some((2, 1)), None, None, None]);
        assert_eq!(graph.sequence_to(2).firings(), 2);
    }
}
