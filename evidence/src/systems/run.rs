//! Checks that a system has a run with given labels, and that this run violates a formula.
//!
//! Once the labels are given, the components are independent: each must follow the labels that it
//! owns. Consider the relation "the cycle may lead from this state to that one" on the states of a
//! component. The component can follow the labels forever if this relation has an infinite path
//! from some state after the prefix. If the run is finite, the possible last states of the
//! components must contain a joint state without steps.

use super::Endings;
use super::system::{Joint, System};
use super::terms::LabelLtl;
use parikh_temporal::{AtomId, Lasso, Letter, Node};
use std::collections::BTreeSet;

/// The maximum number of joint states in which a finite run may end.
const MAX_END_STATES: usize = 100_000;

/// Checks that the system has a run with these labels that does not satisfy the formula. The labels
/// repeat from index `cycle_start`. If `cycle_start` is the number of labels, the run ends after
/// the last label.
///
/// # Errors
/// A message with the first flaw of the run. Also when finite runs count and the formula has a next
/// operator, or when a finite run may end in more than 100,000 joint states.
pub fn check(
    system: &System,
    formula: &LabelLtl,
    endings: Endings,
    labels: &[String],
    cycle_start: usize,
) -> Result<(), String> {
    if cycle_start > labels.len() {
        return Err("the cycle starts after the end of the run".to_owned());
    }
    if let Some(label) = labels.iter().find(|label| system.owners(label).is_empty()) {
        return Err(format!("no component has the label `{label}`"));
    }
    let is_finite = cycle_start == labels.len();
    let mut final_states = Vec::new();
    for component in 0..system.components().len() {
        let starts = system.components()[component].starts.clone();
        let mut states = states_after(system, component, &labels[..cycle_start], starts);
        if !is_finite {
            states = states_repeating_forever(system, component, &labels[cycle_start..], states);
        }
        if states.is_empty() {
            return Err(format!("component {component} (from 0) cannot follow the run"));
        }
        final_states.push(states);
    }
    if is_finite && endings == Endings::Ignored {
        return Err("the run is finite, but only infinite runs count".to_owned());
    }
    if is_finite && !may_be_dead(system, &final_states)? {
        return Err("the system can make a step at the stated end of the run".to_owned());
    }
    let mut letters: Vec<Letter> = labels.iter().map(|label| letter(formula, label)).collect();
    let mut cycle_start = cycle_start;
    if endings == Endings::Stutter {
        if has_next(formula) {
            return Err(
                "the formula has a next operator, so it is sensitive to stuttering".to_owned()
            );
        }
        // Before the first step no label holds, and the last letter repeats if the run ends.
        letters.insert(0, Letter::default());
        cycle_start = if is_finite { letters.len() - 1 } else { cycle_start + 1 };
    }
    let word = Lasso::new(letters, cycle_start).ok_or("the cycle is empty")?;
    match word.satisfies(&formula.formulas, formula.formula) {
        true => Err("the run satisfies the formula".to_owned()),
        false => Ok(()),
    }
}

/// Returns the letter of a step with this label: the atoms of the formula that name the label.
pub(super) fn letter(formula: &LabelLtl, label: &str) -> Letter {
    let atoms = formula.labels.iter().zip(0..).filter(|(atom_label, _)| *atom_label == label);
    Letter::of(atoms.map(|(_, atom)| AtomId(atom)))
}

/// Returns true if the formula has a next operator.
pub(super) fn has_next(formula: &LabelLtl) -> bool {
    let parts = formula.formulas.subformulas(formula.formula);
    parts.into_iter().any(|part| matches!(formula.formulas.node(part), Node::Next(..)))
}

/// Returns the states that a component can reach from `states` by these labels. The component
/// follows only the labels that it owns.
fn states_after(
    system: &System,
    component: usize,
    labels: &[String],
    mut states: BTreeSet<usize>,
) -> BTreeSet<usize> {
    for label in labels.iter().filter(|label| system.owners(label).contains(&component)) {
        let targets = states.iter().flat_map(|&state| system.targets(component, state, label));
        states = targets.copied().collect();
    }
    states
}

/// Returns the states of `candidates` from which the component can repeat these labels forever.
fn states_repeating_forever(
    system: &System,
    component: usize,
    labels: &[String],
    candidates: BTreeSet<usize>,
) -> BTreeSet<usize> {
    let states = system.components()[component].states;
    let after_cycle: Vec<BTreeSet<usize>> = (0..states)
        .map(|state| states_after(system, component, labels, BTreeSet::from([state])))
        .collect();
    // Repeatedly remove each state from which one pass of the labels leads to no remaining state.
    let mut remaining: BTreeSet<usize> = (0..states).collect();
    loop {
        let kept: BTreeSet<usize> = remaining
            .iter()
            .copied()
            .filter(|&state| !after_cycle[state].is_disjoint(&remaining))
            .collect();
        if kept.len() == remaining.len() {
            break;
        }
        remaining = kept;
    }
    candidates.intersection(&remaining).copied().collect()
}

/// Returns true if some joint state whose component states are in these sets has no steps. `sets`
/// has one set per component.
///
/// # Errors
/// When the sets have more than 100,000 joint states, with and without steps.
fn may_be_dead(system: &System, sets: &[BTreeSet<usize>]) -> Result<bool, String> {
    let count = sets.iter().try_fold(1usize, |product, set| product.checked_mul(set.len()));
    if count.is_none_or(|count| count > MAX_END_STATES) {
        return Err("the run may end in too many joint states".to_owned());
    }
    let mut joints: Vec<Joint> = vec![Vec::new()];
    for set in sets {
        joints = joints
            .iter()
            .flat_map(|joint| set.iter().map(move |&state| [&joint[..], &[state]].concat()))
            .collect();
    }
    Ok(joints.iter().any(|joint| system.steps(joint).is_empty()))
}
