//! The text output of an infinite run: the prefix, the cycle, and the transitions that the cycle
//! treats unfairly.

use super::terminal::line;
use anyhow::Result;
use parikh_evidence::Replayer;
use parikh_net::{FiringSequence, FiringStep, Marking, Net, TransitionId, marking_text};
use std::collections::BTreeSet;

/// The largest number of lines for the prefix and for the cycle. The number of further firings is
/// printed.
const MOST_LINES: usize = 30;

/// The largest number of listed transitions that the cycle treats unfairly.
const MOST_NAMES: usize = 5;

/// The largest number of enabledness checks for unfairly treated transitions: one per transition
/// and firing of the cycle.
const MOST_LOOKS: u128 = 10_000_000;

/// Prints a lasso of `net`. The caller has checked that the run fires and the cycle returns to its
/// first marking.
pub(super) fn tell(net: &Net, prefix: &FiringSequence, cycle: &FiringSequence) -> Result<()> {
    let mut replayer = Replayer::new(net);
    line("prefix:");
    line(&format!("  from {}", marking_text::print(net, net.initial())));
    part(net, &mut replayer, prefix)?;
    line("cycle, repeated forever:");
    let begin = replayer.marking().clone();
    part(net, &mut replayer, cycle)?;
    if cycle.firings().saturating_mul(net.transition_count() as u128) <= MOST_LOOKS {
        left_out(net, begin, cycle)?;
    }
    Ok(())
}

/// Fires the steps, and prints each with the marking that it leads to.
fn part(net: &Net, replayer: &mut Replayer<'_>, steps: &FiringSequence) -> Result<()> {
    let all = steps.steps();
    for (at, step) in all.iter().enumerate() {
        replayer.fire(*step)?;
        if at < MOST_LINES {
            let name = net.transition_name(step.transition);
            let times = if step.count == 1 { String::new() } else { format!(" × {}", step.count) };
            let marking = marking_text::print(net, replayer.marking());
            line(&format!("  {name}{times}: {marking}"));
        }
    }
    if all.len() > MOST_LINES {
        line(&format!("  … and {} more lines", all.len() - MOST_LINES));
    }
    Ok(())
}

/// Prints the transitions that are enabled during the cycle and never fire in it.
fn left_out(net: &Net, begin: Marking, cycle: &FiringSequence) -> Result<()> {
    let fired: BTreeSet<TransitionId> = cycle.steps().iter().map(|step| step.transition).collect();
    let others: Vec<TransitionId> = net.transitions().filter(|t| !fired.contains(t)).collect();
    let mut enabled = vec![0u128; others.len()];
    let mut replayer = Replayer::at(net, begin);
    for step in cycle.steps() {
        for _ in 0..step.count {
            let marking = replayer.marking();
            for (times, &t) in enabled.iter_mut().zip(&others) {
                *times += u128::from(net.is_enabled(marking, t));
            }
            replayer.fire(FiringStep { count: 1, ..*step })?;
        }
    }
    let of = |is: &dyn Fn(u128) -> bool| -> Vec<TransitionId> {
        let such = others.iter().zip(&enabled).filter(|(_, times)| is(**times));
        such.map(|(&t, _)| t).collect()
    };
    say(
        net,
        "enabled throughout the cycle, but never fired:",
        &of(&|times| times == cycle.firings()),
    );
    let some = of(&|times| times > 0 && times < cycle.firings());
    say(net, "enabled at some point of the cycle, but never fired:", &some);
    Ok(())
}

fn say(net: &Net, what: &str, all: &[TransitionId]) {
    if all.is_empty() {
        return;
    }
    let mut names: Vec<String> =
        all.iter().take(MOST_NAMES).map(|&t| net.transition_name(t).to_owned()).collect();
    if all.len() > names.len() {
        names.push(format!("and {} more", all.len() - names.len()));
    }
    line(&format!("{what} {}", names.join(", ")));
}
