//! The text output of an infinite run: the prefix, the cycle, and the transitions that the cycle
//! treats unfairly.

use super::terminal::line;
use anyhow::Result;
use parikh_evidence::Replayer;
use parikh_net::{FiringSequence, FiringStep, Marking, Net, TransitionId, marking_text};
use std::collections::BTreeSet;

/// The largest number of steps printed of the prefix, and of the cycle. One more line says how many
/// steps are left out.
const MAX_LINES: usize = 30;

/// The largest number of names in one list of transitions. The lists have the transitions that are
/// enabled in the cycle and never fire in it.
const MAX_NAMES: usize = 5;

/// The largest number of enabledness checks for the lists of transitions that are enabled in the
/// cycle and never fire in it. A check is made for each transition and each firing of the cycle. If
/// the cycle needs more checks, the lists are not printed.
const MAX_ENABLEDNESS_CHECKS: u128 = 10_000_000;

/// Prints a lasso of `net`. The caller has checked that the run fires and the cycle returns to its
/// first marking.
pub(super) fn print_lasso(
    net: &Net,
    prefix: &FiringSequence,
    cycle: &FiringSequence,
) -> Result<()> {
    let mut replayer = Replayer::new(net);
    line("prefix:");
    line(&format!("  from {}", marking_text::print(net, net.initial())));
    print_steps(net, &mut replayer, prefix)?;
    line("cycle, repeated forever:");
    let cycle_start = replayer.marking().clone();
    print_steps(net, &mut replayer, cycle)?;
    if cycle.firings().saturating_mul(net.transition_count() as u128) <= MAX_ENABLEDNESS_CHECKS {
        print_unfair_transitions(net, cycle_start, cycle)?;
    }
    Ok(())
}

/// Fires the steps, and prints the first [`MAX_LINES`] steps, each with the marking that it leads
/// to.
fn print_steps(net: &Net, replayer: &mut Replayer<'_>, steps: &FiringSequence) -> Result<()> {
    let all_steps = steps.steps();
    for (index, step) in all_steps.iter().enumerate() {
        replayer.fire(*step)?;
        if index < MAX_LINES {
            let name = net.transition_name(step.transition);
            let times = if step.count == 1 { String::new() } else { format!(" × {}", step.count) };
            let marking = marking_text::print(net, replayer.marking());
            line(&format!("  {name}{times}: {marking}"));
        }
    }
    if all_steps.len() > MAX_LINES {
        line(&format!("  … and {} more lines", all_steps.len() - MAX_LINES));
    }
    Ok(())
}

/// Prints the transitions that are enabled during the cycle and never fire in it.
fn print_unfair_transitions(net: &Net, cycle_start: Marking, cycle: &FiringSequence) -> Result<()> {
    let fired: BTreeSet<TransitionId> = cycle.steps().iter().map(|step| step.transition).collect();
    let unfired: Vec<TransitionId> = net.transitions().filter(|t| !fired.contains(t)).collect();
    // For each transition that never fires: the number of firings of the cycle before which it is
    // enabled.
    let mut enabled = vec![0u128; unfired.len()];
    let mut replayer = Replayer::from_marking(net, cycle_start);
    for step in cycle.steps() {
        for _ in 0..step.count {
            let marking = replayer.marking();
            for (times, &t) in enabled.iter_mut().zip(&unfired) {
                *times += u128::from(net.is_enabled(marking, t));
            }
            replayer.fire(FiringStep { count: 1, ..*step })?;
        }
    }
    let unfired_where = |is_wanted: &dyn Fn(u128) -> bool| -> Vec<TransitionId> {
        let selected = unfired.iter().zip(&enabled).filter(|(_, times)| is_wanted(**times));
        selected.map(|(&t, _)| t).collect()
    };
    print_transitions(
        net,
        "enabled throughout the cycle, but never fired:",
        &unfired_where(&|times| times == cycle.firings()),
    );
    // These transitions are enabled before some firings of the cycle, but not before all.
    let sometimes_enabled = unfired_where(&|times| times > 0 && times < cycle.firings());
    print_transitions(
        net,
        "enabled at some point of the cycle, but never fired:",
        &sometimes_enabled,
    );
    Ok(())
}

/// Prints a list of transitions with a heading, if the list is not empty.
fn print_transitions(net: &Net, heading: &str, transitions: &[TransitionId]) {
    if transitions.is_empty() {
        return;
    }
    let mut names: Vec<String> =
        transitions.iter().take(MAX_NAMES).map(|&t| net.transition_name(t).to_owned()).collect();
    if transitions.len() > names.len() {
        names.push(format!("and {} more", transitions.len() - names.len()));
    }
    line(&format!("{heading} {}", names.join(", ")));
}
