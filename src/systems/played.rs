//! A run given by its labels, with the edges that the components take.
//!
//! The labels determine which components move. If a component has several edges with a label, the
//! labels do not determine its next state. Once the labels are given, components do not depend on
//! each other. So the states of each component are chosen separately along the labels, to the end
//! or forever. A chosen state is one from which the remaining labels are possible. If the run is
//! finite, no step may be enabled at its end, so the last states of all components are chosen
//! together.

use parikh_systems::{Component, LabelId, System};
use serde::Serialize;
use std::collections::HashMap;

/// Maximal number of steps of a resolved run.
pub const MAX_STEPS: usize = 2_000;

/// Maximal number of joint last states that are tried.
const MAX_END_STATES: usize = 100_000;

/// A run with the states of its components.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ResolvedRun {
    /// The initial states of the components.
    pub starts: Vec<u32>,
    /// For each step: the index of its label, and the moving components, each as a pair of the
    /// component's index and its new state.
    pub steps: Vec<(u32, Vec<(u32, u32)>)>,
    /// The number of steps before the cycle: the state after these steps equals the state after the
    /// last step. `None` if the run is finite, or if the components return to no earlier state
    /// within [`MAX_STEPS`] steps.
    pub back: Option<usize>,
    /// True if the run is finite and ends in a state without enabled steps.
    pub ends: bool,
}

/// For each position in the list of labels, and for each state of one component: true if the
/// component can take the labels from this position on.
type FollowableStates = Vec<Vec<bool>>;

/// Resolves a run of these labels. After the last label the run continues at position
/// `cycle_start`, or ends if `cycle_start` is the number of labels. Returns `None` if there are
/// more than [`MAX_STEPS`] labels, `cycle_start` is above their number, or no such run is found.
/// For a finite run, the search for its end tries at most `MAX_END_STATES` joint states.
pub fn resolve_run(system: &System, labels: &[LabelId], cycle_start: usize) -> Option<ResolvedRun> {
    if labels.len() > MAX_STEPS || cycle_start > labels.len() {
        return None;
    }
    let ends = cycle_start == labels.len();
    let components = 0..system.components().len();
    let end_states = match ends {
        true => Some(dead_end_states(system, labels)?),
        false => None,
    };
    let followable_by_component: Vec<FollowableStates> = components
        .clone()
        .map(|at| {
            followable_states(
                system,
                at,
                labels,
                cycle_start,
                end_states.as_ref().map(|states| states[at]),
            )
        })
        .collect();
    let start = |at: usize| {
        let starts = system.components()[at].starts().iter();
        starts.copied().find(|&state| followable_by_component[at][0][state as usize])
    };
    let starts: Vec<u32> = components.map(start).collect::<Option<_>>()?;
    let mut run = ResolvedRun { starts: starts.clone(), steps: Vec::new(), back: None, ends };
    let mut current = starts;
    let mut position = 0;
    // The states at the beginning of each repetition of the labels, with the number of steps
    // before.
    let mut step_by_state: HashMap<Vec<u32>, usize> = HashMap::new();
    loop {
        if position == cycle_start && !ends {
            if let Some(&first_step) = step_by_state.get(&current) {
                run.back = Some(first_step);
                return Some(run);
            }
            step_by_state.insert(current.clone(), run.steps.len());
        }
        if position == labels.len() || run.steps.len() == MAX_STEPS {
            return Some(run);
        }
        let label = labels[position];
        position += 1;
        if position == labels.len() && !ends {
            position = cycle_start;
        }
        let mut moves = Vec::new();
        for &owner in system.owners(label) {
            let state = &mut current[owner as usize];
            let component = &system.components()[owner as usize];
            *state = targets(component, *state, label)
                .find(|&to| followable_by_component[owner as usize][position][to as usize])?;
            moves.push((owner, *state));
        }
        run.steps.push((label.0, moves));
    }
}

/// Returns the targets of edges with a label from a state.
fn targets(
    component: &Component,
    state: u32,
    label: LabelId,
) -> impl Iterator<Item = u32> + use<'_> {
    let edges = component.edges(state).iter();
    edges.filter(move |edge| edge.0 == label).map(|edge| edge.1)
}

/// Computes the states from which a component can follow the remaining labels: to its last state
/// `last_state`, if given, or forever.
fn followable_states(
    system: &System,
    component_index: usize,
    labels: &[LabelId],
    cycle_start: usize,
    last_state: Option<u32>,
) -> FollowableStates {
    let component = &system.components()[component_index];
    let states = component.states().len();
    let mut followable = vec![vec![true; states]; labels.len() + 1];
    if let Some(last_state) = last_state {
        followable[labels.len()] = (0..states as u32).map(|state| state == last_state).collect();
    }
    // States without a continuation are removed until nothing changes.
    loop {
        for (position, &label) in labels.iter().enumerate().rev() {
            let next = match position + 1 == labels.len() && last_state.is_none() {
                true => followable[cycle_start].clone(),
                false => followable[position + 1].clone(),
            };
            let is_owner = system.owners(label).contains(&(component_index as u32));
            let follows = |state: u32| match is_owner {
                true => targets(component, state, label).any(|to| next[to as usize]),
                false => next[state as usize],
            };
            for state in 0..states as u32 {
                let is_followable = &mut followable[position][state as usize];
                *is_followable = *is_followable && follows(state);
            }
        }
        // The position after the last label is the position `cycle_start`.
        if last_state.is_some() || followable[labels.len()] == followable[cycle_start] {
            return followable;
        }
        let after_last = followable[cycle_start].clone();
        followable[labels.len()] = after_last;
    }
}

/// Returns one state per component, in which a run of these labels ends so that no step is enabled.
/// Returns `None` if there is no such end among the first [`MAX_END_STATES`] combinations of
/// states, or if the number of combinations overflows.
fn dead_end_states(system: &System, labels: &[LabelId]) -> Option<Vec<u32>> {
    let reachable_at_end = |component_index: usize| {
        let component = &system.components()[component_index];
        let mut current: Vec<u32> = component.starts().to_vec();
        for &label in
            labels.iter().filter(|&&it| system.owners(it).contains(&(component_index as u32)))
        {
            current = current.iter().flat_map(|&state| targets(component, state, label)).collect();
            current.sort_unstable();
            current.dedup();
        }
        current
    };
    let state_sets: Vec<Vec<u32>> = (0..system.components().len()).map(reachable_at_end).collect();
    let count =
        state_sets.iter().try_fold(1usize, |count, states| count.checked_mul(states.len()))?;
    let is_dead = |joint: &Vec<u32>| {
        !system.labels().any(|label| {
            system.owners(label).iter().all(|&owner| {
                let component = &system.components()[owner as usize];
                targets(component, joint[owner as usize], label).next().is_some()
            })
        })
    };
    let joint = |mut number: usize| {
        let pick = |states: &Vec<u32>| {
            let state = states[number % states.len()];
            number /= states.len();
            state
        };
        state_sets.iter().map(pick).collect::<Vec<u32>>()
    };
    (0..count.min(MAX_END_STATES)).map(joint).find(is_dead)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_systems::read;

    /// Replays a resolved run: every move is an edge, and the cycle closes.
    fn replayed(system: &System, played: &ResolvedRun) {
        let mut now = played.starts.clone();
        let mut at_back = (played.back == Some(0)).then(|| now.clone());
        for (at, (label, moves)) in played.steps.iter().enumerate() {
            let movers: Vec<u32> = moves.iter().map(|it| it.0).collect();
            assert_eq!(movers, system.owners(LabelId(*label)));
            for &(owner, to) in moves {
                let component = &system.components()[owner as usize];
                let edge = (LabelId(*label), to);
                assert!(component.edges(now[owner as usize]).contains(&edge));
                now[owner as usize] = to;
            }
            if played.back == Some(at + 1) {
                at_back = Some(now.clone());
            }
        }
        assert_eq!(at_back, played.back.map(|_| now));
    }

    fn system(edges: &[&str]) -> System {
        let mut text = String::from("digraph G {\n");
        for (at, component) in edges.iter().enumerate() {
            text.push_str(&format!("subgraph c{at} {{\nr{at}->s{at}_0 [label=\"\"];\n"));
            for edge in component.split(';') {
                let words: Vec<&str> = edge.split_whitespace().collect();
                text.push_str(&format!(
                    "s{at}_{}->s{at}_{} [label=\"{}\"];\n",
                    words[0], words[2], words[1]
                ));
            }
            text.push_str("}\n");
        }
        text.push('}');
        read::dot(&text, "n").unwrap()
    }

    fn labels(system: &System, names: &str) -> Vec<LabelId> {
        names.split_whitespace().map(|name| system.label_named(name).unwrap()).collect()
    }

    #[test]
    fn an_edge_that_allows_the_rest_of_the_run_is_chosen() {
        // The first edge with `a` leads to a state from which `b` is impossible.
        let system = system(&["0 a 1;0 a 2;2 b 2", "0 b 0"]);
        let played = resolve_run(&system, &labels(&system, "a b"), 1).unwrap();
        replayed(&system, &played);
        assert_eq!((played.back, played.steps.len(), played.ends), (Some(1), 2, false));
    }

    #[test]
    fn a_loop_of_labels_is_played_until_the_states_are_the_same() {
        // Cycles of length two and three: `a` occurs six times.
        let system = system(&["0 a 1;1 a 0", "0 a 1;1 a 2;2 a 0"]);
        let played = resolve_run(&system, &labels(&system, "a"), 0).unwrap();
        replayed(&system, &played);
        assert_eq!((played.back, played.steps.len()), (Some(0), 6));
    }

    #[test]
    fn a_finite_run_ends_in_a_deadlock() {
        // After `a`, the first component is in state 1, where it continues, or in state 2.
        let system = system(&["0 a 1;0 a 2;1 b 1", "0 a 1;1 b 0"]);
        let played = resolve_run(&system, &labels(&system, "a"), 1).unwrap();
        replayed(&system, &played);
        assert!(played.ends && played.back.is_none());
        assert_eq!(played.steps[0].1[0], (0, 2));
    }

    #[test]
    fn impossible_runs_are_not_played() {
        let system = system(&["0 a 1;1 b 0", "0 b 0"]);
        assert_eq!(resolve_run(&system, &labels(&system, "b"), 0), None);
        assert_eq!(resolve_run(&system, &labels(&system, "a"), 1), None);
        assert!(resolve_run(&system, &labels(&system, "a b"), 0).is_some());
    }
}
