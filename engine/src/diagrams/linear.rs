//! Linear-time properties over the set of all markings.
//!
//! A run has the property if the property's automaton accepts it. For each automaton state, the set
//! of markings is computed from which an accepted run can continue in that state. The strongly
//! connected components of the states are processed one by one. A component comes after the
//! components that it leads to.
//!
//! Most components are a single state, possibly with self-loops. A run leaves such a state
//! eventually, or stays forever if the self-loops carry all acceptance marks. Both cases are
//! computed as an until and a release of [`CtlEvaluation`]. In other components, a run that stays
//! must carry each mark infinitely often. This set is computed by starting with all markings, per
//! state. For one mark after another, the markings are removed that do not lead to an edge with the
//! mark within the remaining set.
//!
//! A dead marking repeats forever, so it is its own successor here.
//!
//! Source: Emerson and Lei, *Efficient model checking in fragments of the propositional
//! mu-calculus*, LICS 1986.

use super::branching::CtlEvaluation;
use parikh_net::RunProperty;
use parikh_net::components::components_of_rows;
use parikh_net::run_property::RunAtom;
use parikh_symbolic::{Set, Stop};
use parikh_temporal::{Automaton, AutomatonEdge, AutomatonLimits, Marks};

/// One set of markings for each automaton state, or for each state of one component, in the order
/// of these states.
type SetsByState = Vec<Set>;

/// Returns true if no run from a marking has the property, and false if some run has it. `marking`
/// has token counts, indexed by level. Returns `None` if this is unknown: the automaton is too
/// large, or the property mentions firings or is restricted to fair runs.
///
/// # Errors
/// Returns an error if the limits are exceeded. Another property may still be decided.
pub(super) fn excludes(
    evaluation: &mut CtlEvaluation<'_, '_, '_>,
    property: &RunProperty,
    marking: &[u64],
) -> Result<Option<bool>, Stop> {
    let has_only_conditions = property.atoms().iter().all(|atom| atom.condition().is_some());
    if !property.fairness().is_none() || !has_only_conditions {
        return Ok(None);
    }
    let mut formulas = property.formulas().clone();
    let automaton = Automaton::of(&mut formulas, property.formula(), AutomatonLimits::default());
    let Ok(automaton) = automaton else { return Ok(None) };
    if automaton.states.is_empty() {
        return Ok(Some(true));
    }
    let check = LinearCheck { evaluation, property, automaton: &automaton };
    let result = check.accepted().map(|accepted| {
        let members = accepted[automaton.initial];
        !evaluation.contains(members, marking)
    });
    evaluation.release_kept();
    result.map(Some)
}

/// The check of one run property over the reachable set.
struct LinearCheck<'l, 'e, 'r, 'd> {
    evaluation: &'l mut CtlEvaluation<'e, 'r, 'd>,
    property: &'l RunProperty,
    automaton: &'l Automaton,
}

impl LinearCheck<'_, '_, '_, '_> {
    /// Returns, by automaton state, the markings from which an accepted run begins in this state.
    fn accepted(mut self) -> Result<SetsByState, Stop> {
        let automaton = self.automaton;
        let mut accepted = vec![Set::EMPTY; automaton.states.len()];
        for component in components_in_order(automaton) {
            // For each state of the component, the markings from which an edge leads out of the
            // component into an accepted set.
            let mut leaving = Vec::new();
            for &state in &component {
                let outgoing = automaton.states[state].iter();
                let outgoing: Vec<&AutomatonEdge> =
                    outgoing.filter(|edge| !component.contains(&edge.target)).collect();
                leaving.push(self.leading_along(&outgoing, &accepted)?);
            }
            match component[..] {
                [state] => accepted[state] = self.accepted_by_single(state, leaving[0])?,
                _ => self.accept_component(&component, leaving, &mut accepted)?,
            }
        }
        Ok(accepted)
    }

    /// Returns the markings from which an accepted run begins in `state`, which is a component of
    /// its own. `leaving` contains the markings from which an accepted run leaves the state at
    /// once.
    fn accepted_by_single(&mut self, state: usize, leaving: Set) -> Result<Set, Stop> {
        let automaton = self.automaton;
        let edges: Vec<&AutomatonEdge> =
            automaton.states[state].iter().filter(|edge| edge.target == state).collect();
        let mut staying = Set::EMPTY;
        for edge in &edges {
            let label_set = self.satisfying_label(edge)?;
            staying = self.kept_union(staying, label_set)?;
        }
        let leaves = self.evaluation.exists_until(staying, leaving)?;
        self.evaluation.keep(leaves);
        let all_marks = Marks::all(automaton.marks);
        // Every self-loop has all marks, so a run that stays forever is accepted.
        if edges.iter().all(|edge| all_marks.is_subset(edge.marks)) {
            let stays = self.evaluation.exists_release(Set::EMPTY, staying)?;
            return self.kept_union(leaves, stays);
        }
        // Some mark is on no self-loop, so a run that stays forever is not accepted.
        if !all_marks.is_subset(edges.iter().fold(Marks::NONE, |marks, edge| marks.or(edge.marks)))
        {
            return Ok(leaves);
        }
        // The marks are spread over several self-loops, and a run must use all of them forever.
        let fair = self.fair_markings(&[state])?;
        let to_fair = self.evaluation.exists_until(staying, fair[0])?;
        self.kept_union(leaves, to_fair)
    }

    /// Computes the accepted markings of a component with several states, and stores them in
    /// `accepted`. `leaving` contains, by state of the component, the markings from which an
    /// accepted run leaves the component at once.
    fn accept_component(
        &mut self,
        component: &[usize],
        leaving: SetsByState,
        accepted: &mut SetsByState,
    ) -> Result<(), Stop> {
        let fair = self.fair_markings(component)?;
        let mut ends = Vec::new();
        for (leaves, stays) in leaving.into_iter().zip(fair) {
            ends.push(self.kept_union(leaves, stays)?);
        }
        let everywhere = vec![self.evaluation.reachable(); component.len()];
        let accepted_sets = self.leading_to(component, ends, &everywhere)?;
        for (&state, accepted_set) in component.iter().zip(accepted_sets) {
            accepted[state] = accepted_set;
        }
        Ok(())
    }

    /// Returns, by state of a component, the markings from which a run stays in the component
    /// forever and carries every acceptance mark infinitely often.
    fn fair_markings(&mut self, component: &[usize]) -> Result<SetsByState, Stop> {
        let marks: Vec<Option<u32>> = match self.automaton.marks {
            0 => vec![None],
            count => (0..count).map(Some).collect(),
        };
        let mut remaining = vec![self.evaluation.reachable(); component.len()];
        let kept_before = self.evaluation.kept_set_count();
        loop {
            let previous = remaining.clone();
            for &mark in &marks {
                let mut targets = Vec::new();
                for (index, &state) in component.iter().enumerate() {
                    let carries =
                        |edge: &AutomatonEdge| mark.is_none_or(|mark| edge.marks.has(mark));
                    let leading =
                        self.leading_into_component(component, state, &remaining, carries)?;
                    let leading = self.evaluation.intersection(leading, remaining[index])?;
                    self.evaluation.keep(leading);
                    targets.push(leading);
                }
                remaining = self.leading_to(component, targets, &remaining)?;
            }
            self.evaluation.keep_only(kept_before, &remaining);
            if remaining == previous {
                return Ok(remaining);
            }
        }
    }

    /// Returns, by state of a component, the markings from which a run stays in the component until
    /// it reaches an end. An end is a marking in the set that `ends` gives for the current state.
    /// Each marking before the end is in the set that `inside` gives for its state.
    fn leading_to(
        &mut self,
        component: &[usize],
        ends: SetsByState,
        inside: &SetsByState,
    ) -> Result<SetsByState, Stop> {
        let mut found = ends;
        let kept_before = self.evaluation.kept_set_count();
        loop {
            let previous = found.clone();
            for (index, &state) in component.iter().enumerate() {
                let leading = self.leading_into_component(component, state, &found, |_| true)?;
                let leading = self.evaluation.intersection(leading, inside[index])?;
                found[index] = self.kept_union(found[index], leading)?;
            }
            self.evaluation.keep_only(kept_before, &found);
            if found == previous {
                return Ok(found);
            }
        }
    }

    /// Returns the markings from which an edge of `state` leads into the set that `targets` gives
    /// for the edge's target state. `targets` has the states of the component. Edges that leave the
    /// component, or for which `accepts` returns false, do not count.
    fn leading_into_component(
        &mut self,
        component: &[usize],
        state: usize,
        targets: &SetsByState,
        accepts: impl Fn(&AutomatonEdge) -> bool,
    ) -> Result<Set, Stop> {
        let mut by_state = vec![Set::EMPTY; self.automaton.states.len()];
        for (&state, &set) in component.iter().zip(targets) {
            by_state[state] = set;
        }
        let automaton = self.automaton;
        let edges = automaton.states[state].iter();
        let edges: Vec<&AutomatonEdge> =
            edges.filter(|edge| component.contains(&edge.target) && accepts(edge)).collect();
        self.leading_along(&edges, &by_state)
    }

    /// Returns the markings from which one of these automaton edges leads into its target set. The
    /// marking satisfies the label of the edge and has a successor in the set that `targets` gives
    /// for the edge's target state. A dead marking counts as its own successor. The result is
    /// protected from garbage collection.
    fn leading_along(
        &mut self,
        edges: &[&AutomatonEdge],
        targets: &SetsByState,
    ) -> Result<Set, Stop> {
        let mut sources = Set::EMPTY;
        for edge in edges.iter().filter(|edge| !targets[edge.target].is_empty()) {
            let next = self.evaluation.next_or_stay(targets[edge.target])?;
            self.evaluation.keep(next);
            let read = self.satisfying_label(edge)?;
            let leading = self.evaluation.intersection(next, read)?;
            sources = self.kept_union(sources, leading)?;
        }
        Ok(sources)
    }

    /// Returns the reachable markings that satisfy the label of an automaton edge. The result is
    /// protected from garbage collection.
    fn satisfying_label(&mut self, edge: &AutomatonEdge) -> Result<Set, Stop> {
        let mut label_set = self.evaluation.reachable();
        for literal in edge.cube.literals() {
            let RunAtom::Holds(condition) = &self.property.atoms()[literal.atom.0 as usize] else {
                continue; // no atom is about firings, see `excludes`
            };
            let members = self.evaluation.satisfying(condition)?;
            let members = match literal.positive {
                true => members,
                false => self.evaluation.complement(members)?,
            };
            label_set = self.evaluation.intersection(label_set, members)?;
        }
        self.evaluation.keep(label_set);
        Ok(label_set)
    }

    /// Returns the union of two sets, and protects it from garbage collection.
    fn kept_union(&mut self, left: Set, right: Set) -> Result<Set, Stop> {
        let either = self.evaluation.union(left, right)?;
        self.evaluation.keep(either);
        Ok(either)
    }
}

/// Returns the automaton states of each component. A component comes after the components that it
/// leads to.
fn components_in_order(automaton: &Automaton) -> Vec<Vec<usize>> {
    let sccs = components_of_rows(&automaton.states, |edge| edge.target as u32);
    let mut in_order = vec![Vec::new(); sccs.count as usize];
    for (state, &component) in sccs.component_of.iter().enumerate() {
        in_order[component as usize].push(state);
    }
    in_order
}

#[cfg(test)]
mod tests {
    use super::super::tests::{explore_by_seed, random_net};
    use super::*;
    use crate::lasso::RunGraph;
    use parikh_generate::{random_ltl, random_predicate};
    use parikh_net::Facts;
    use parikh_solvers::Budget;
    use parikh_temporal::Ltl;

    /// Compares the result with an explicit search for a run. Garbage is collected at every step.
    #[test]
    fn a_property_is_excluded_exactly_if_no_run_has_it() {
        let (mut excluded, mut others) = (0, 0);
        for seed in 0..600 {
            let net = random_net(seed);
            let mut rng = fastrand::Rng::with_seed(seed);
            let atoms = [(); 3].map(|()| RunAtom::Holds(random_predicate(&mut rng, &net, 2)));
            let mut formulas = Ltl::default();
            let formula = random_ltl(&mut formulas, &mut rng, 3, 5);
            let property = RunProperty::new(&formulas, formula, &atoms);
            // An unbounded net has no finite set, so the test continues with the next net.
            let budget = Budget::unlimited().slice(std::time::Duration::from_millis(50));
            let said = explore_by_seed(seed, &net, &budget, |mut reached| {
                reached.diagrams.collect_each(1);
                let initial = reached.vector(net.initial());
                let mut branching = CtlEvaluation::new(&mut reached, (&net, &budget))?;
                excludes(&mut branching, &property, &initial)
            });
            let Ok(Some(said)) = said else { continue };
            let (facts, all) = (Facts::empty(&net), std::slice::from_ref(&property));
            let lassos = RunGraph::new(&net, &facts, all, 0, &Budget::unlimited());
            let found = lassos.expect("room").find(&property).expect("a small net");
            assert_eq!(said, found.is_none(), "net {seed}");
            excluded += usize::from(said);
            others += usize::from(!said);
        }
        assert!(excluded > 100 && others > 100, "{excluded}, {others}");
    }
}
