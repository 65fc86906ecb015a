//! Checks that a system has a run with given labels that violates a formula.
//!
//! Once the labels are given, the components are independent: each must follow the labels that it
//! owns. A component can follow the labels forever if, from some state after the prefix, the
//! relation "the cycle may lead from this state to that one" has an infinite path. If the run is
//! finite, the possible last states of the components must contain a joint state without steps.

use super::Endings;
use super::system::{Joint, System};
use super::terms::LabelLtl;
use parikh_temporal::{AtomId, Lasso, Letter, Node};
use std::collections::BTreeSet;

/// The maximum number of joint states at the end of a run.
const MOST_ENDS: usize = 100_000;

/// Checks that the system has a run with these labels that does not satisfy the formula. The labels
/// repeat from index `back`. If `back` is the number of labels, the run ends after the last label.
///
/// # Errors
/// The first flaw of the run.
pub fn check(
    system: &System,
    formula: &LabelLtl,
    endings: Endings,
    labels: &[String],
    back: usize,
) -> Result<(), String> {
    if back > labels.len() {
        return Err("the cycle starts after the end of the run".to_owned());
    }
    if let Some(label) = labels.iter().find(|label| system.owners(label).is_empty()) {
        return Err(format!("no component has the label `{label}`"));
    }
    let ends = back == labels.len();
    let mut last = Vec::new();
    for component in 0..system.components().len() {
        let starts = system.components()[component].starts.clone();
        let mut set = along(system, component, &labels[..back], starts);
        if !ends {
            set = set_for_ever(system, component, &labels[back..], set);
        }
        if set.is_empty() {
            return Err(format!("component {component} (from 0) cannot follow the run"));
        }
        last.push(set);
    }
    if ends && endings == Endings::Ignored {
        return Err("the run is finite, and only infinite ones count".to_owned());
    }
    if ends && !may_be_dead(system, &last)? {
        return Err("the system can make a step at the stated end of the run".to_owned());
    }
    let mut letters: Vec<Letter> = labels.iter().map(|label| letter(formula, label)).collect();
    let mut back = back;
    if endings == Endings::Stutter {
        if has_next(formula) {
            return Err(
                "the formula has a next operator, so it is sensitive to stuttering".to_owned()
            );
        }
        // Before the first step no label holds, and the last letter repeats if the run ends.
        letters.insert(0, Letter::default());
        back = if ends { letters.len() - 1 } else { back + 1 };
    }
    let word = Lasso::new(letters, back).ok_or("the cycle is empty")?;
    match word.satisfies(&formula.formulas, formula.formula) {
        true => Err("the run satisfies the formula".to_owned()),
        false => Ok(()),
    }
}

/// Returns the letter of a step with this label.
pub(super) fn letter(formula: &LabelLtl, label: &str) -> Letter {
    let named = formula.labels.iter().zip(0..).filter(|(its, _)| *its == label);
    Letter::of(named.map(|(_, at)| AtomId(at)))
}

/// Returns true if the formula has a next operator.
pub(super) fn has_next(formula: &LabelLtl) -> bool {
    let parts = formula.formulas.below(formula.formula);
    parts.into_iter().any(|part| matches!(formula.formulas.node(part), Node::Next(..)))
}

/// Returns the possible states of a component after these labels, of which it takes those that it
/// owns.
fn along(
    system: &System,
    component: usize,
    labels: &[String],
    mut set: BTreeSet<usize>,
) -> BTreeSet<usize> {
    for label in labels.iter().filter(|label| system.owners(label).contains(&component)) {
        let targets = set.iter().flat_map(|&state| system.targets(component, state, label));
        set = targets.copied().collect();
    }
    set
}

/// Returns those of the states from which a component can repeat these labels forever.
fn set_for_ever(
    system: &System,
    component: usize,
    labels: &[String],
    set: BTreeSet<usize>,
) -> BTreeSet<usize> {
    let states = system.components()[component].states;
    let after: Vec<BTreeSet<usize>> = (0..states)
        .map(|state| along(system, component, labels, BTreeSet::from([state])))
        .collect();
    // Repeatedly remove states without successors.
    let mut left: BTreeSet<usize> = (0..states).collect();
    loop {
        let still: BTreeSet<usize> =
            left.iter().copied().filter(|&state| !after[state].is_disjoint(&left)).collect();
        if still.len() == left.len() {
            break;
        }
        left = still;
    }
    set.intersection(&left).copied().collect()
}

/// Returns true if some joint state of these sets has no steps.
fn may_be_dead(system: &System, sets: &[BTreeSet<usize>]) -> Result<bool, String> {
    let count = sets.iter().try_fold(1usize, |all, set| all.checked_mul(set.len()));
    if count.is_none_or(|count| count > MOST_ENDS) {
        return Err("the run may end in too many joint states".to_owned());
    }
    let mut rows: Vec<Joint> = vec![Vec::new()];
    for set in sets {
        rows = rows
            .iter()
            .flat_map(|row| set.iter().map(move |&state| [&row[..], &[state]].concat()))
            .collect();
    }
    Ok(rows.iter().any(|row| system.steps(row).is_empty()))
}
