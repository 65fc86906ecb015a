//! Whether all runs of a system satisfy a formula of LTL.
//!
//! What a run against the formula would do for ever may be more than components can
//! ([`crate::recurrence`]). Else, walks on the whole system look for a run that does not. In turn with them, some components are
//! searched: first those that own the labels of the formula. Where no run of theirs is against the
//! formula, none of the whole system is ([`crate::product`]). Where one is, it is held against the
//! components that were left out, one by one, and the first that cannot follow it is added. When
//! all are there, a run that is found is one of the system.
//!
//! Source: E. Clarke, O. Grumberg and others, *Counterexample-guided abstraction refinement*, CAV
//! 2000, with components in place of variables.

use crate::formula::{KindAutomaton, LabelFormula};
use crate::product::Product;
use crate::recurrence::{parts, phased};
use crate::search::{Ending, Endings, Run, Search};
use crate::system::{LabelId, System};
use crate::walk::Walker;
use parikh_temporal::TooLarge;

/// What an answer rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Grounds {
    /// False: a run that does not satisfy the formula.
    Run(Run),
    /// True: no run of these components, growing, is against the formula; of none at all, where what
    /// such a run would do for ever cannot come for ever.
    Components {
        /// Their numbers.
        members: Vec<u32>,
        /// How many joint states with states of an automaton were visited.
        visited: usize,
    },
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Undecided {
    /// Out of time or memory.
    #[error("stopped before it was decided")]
    Stopped,
    /// There is no automaton of a size that is worth it.
    #[error(transparent)]
    Automaton(#[from] TooLarge),
    /// With next, the end of finite runs is not what counts alone.
    #[error(
        "with `X`, Promela's semantics depends on how many steps SPIN takes between two labels"
    )]
    Next,
    /// More nodes than are worth it.
    #[error("no decision among {0} joint states")]
    TooMany(usize),
}

/// How many nodes the searches of one formula may have at first, and in the end.
const NODES: (usize, usize) = (1 << 14, 1 << 27);

/// Decides a formula.
///
/// # Errors
/// Why it does not.
pub fn decide(
    system: &System,
    formula: &LabelFormula,
    endings: Endings,
    seed: u64,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Grounds, Undecided> {
    if endings == Endings::Stutter && formula.has_next() {
        return Err(Undecided::Next);
    }
    let automaton = formula.negation()?;
    if automaton.is_empty() {
        return Ok(Grounds::Components { members: Vec::new(), visited: 0 });
    }
    // Where only infinite runs count, what comes for ever is limited, and known before.
    let mut phases = None;
    if endings == Endings::Ignored {
        let parts = parts(system, &automaton);
        if parts.is_empty() {
            return Ok(Grounds::Components { members: Vec::new(), visited: 0 });
        }
        phases = phased(&automaton, &parts);
    }
    let searched = phases.as_ref().unwrap_or(&automaton);
    let mut members: Vec<u32> =
        automaton.labels().iter().flat_map(|&label| system.owners(label)).copied().collect();
    members.sort_unstable();
    members.dedup();
    let mut walkers = vec![Walker::new(system, &automaton, endings, seed, false)];
    walkers.extend(phases.as_ref().map(|it| Walker::new(system, it, endings, seed, true)));
    let mut most = NODES.0;
    while most <= NODES.1 {
        for walker in &mut walkers {
            if let Some(run) = walker.look(most, goes_on) {
                return Ok(Grounds::Run(run));
            }
        }
        if let Some(grounds) = refine(system, searched, endings, &mut members, most, goes_on)? {
            return Ok(grounds);
        }
        most *= 4;
    }
    Err(Undecided::TooMany(most))
}

/// Searches these components, and more where a run of theirs is none of the whole system; `None`
/// if there are too many nodes.
fn refine(
    system: &System,
    automaton: &KindAutomaton,
    endings: Endings,
    members: &mut Vec<u32>,
    most: usize,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Option<Grounds>, Undecided> {
    loop {
        let mut product = Product::new(system, members.clone());
        let is_whole = product.is_whole();
        let outcome = Search::new(system, &mut product, automaton, endings).run(most, goes_on);
        match outcome.ending {
            Ending::Run(run) if is_whole => return Ok(Some(Grounds::Run(run))),
            Ending::Run(run) => {
                let more = refuser(system, members, &run);
                members.extend(more);
                members.sort_unstable();
            }
            Ending::Nothing => {
                let members = members.clone();
                return Ok(Some(Grounds::Components { members, visited: outcome.nodes }));
            }
            Ending::TooMany => return Ok(None),
            Ending::Stopped => return Err(Undecided::Stopped),
        }
    }
}

/// The component that is to be added because of a run of the others: of those that cannot follow
/// it the one that gives up first, else the one that shares most labels.
fn refuser(system: &System, members: &[u32], run: &Run) -> Option<u32> {
    let others: Vec<u32> = (0..system.components().len() as u32)
        .filter(|component| members.binary_search(component).is_err())
        .collect();
    // What keeps the loop from coming again and again says most.
    let is_off_loop = |other: &u32| {
        !run.labels[run.back..].iter().any(|&label| system.owners(label).contains(other))
    };
    let refusals = others.iter().filter_map(|other| {
        Some((is_off_loop(other), refusal(system, members, *other, run)?, *other))
    });
    if let Some((_, _, first)) = refusals.min() {
        return Some(first);
    }
    let shared = |other: &u32| {
        let both = system.labels().filter(|&label| {
            let owners = system.owners(label);
            owners.contains(other) && owners.iter().any(|it| members.binary_search(it).is_ok())
        });
        both.count()
    };
    others.into_iter().max_by_key(shared)
}

/// After how many labels of a run of `members` a component cannot go on with it, if it cannot
/// follow it for ever. What it does alone, or with others that are not there, it may do at any time.
fn refusal(system: &System, members: &[u32], other: u32, run: &Run) -> Option<usize> {
    let component = &system.components()[other as usize];
    let is_free =
        |label: LabelId| !system.owners(label).iter().any(|it| members.binary_search(it).is_ok());
    let close = |set: &mut Vec<bool>| {
        let mut open: Vec<u32> = (0..).zip(&*set).filter(|it| *it.1).map(|it| it.0).collect();
        while let Some(state) = open.pop() {
            for &(label, to) in component.edges(state) {
                if is_free(label) && !set[to as usize] {
                    set[to as usize] = true;
                    open.push(to);
                }
            }
        }
    };
    let mut set = vec![false; component.states().len()];
    component.starts().iter().for_each(|&start| set[start as usize] = true);
    close(&mut set);
    let follow = |set: &mut Vec<bool>, label: LabelId, repeats: bool| {
        // A label from outside stands for any of its kind; one that comes for ever is asked for.
        if !system.owners(label).contains(&other) || (is_free(label) && !repeats) {
            return true;
        }
        let mut next = vec![false; set.len()];
        for state in (0..set.len()).filter(|&state| set[state]) {
            for &(its, to) in component.edges(state as u32) {
                next[to as usize] |= its == label;
            }
        }
        close(&mut next);
        *set = next;
        set.contains(&true)
    };
    for (at, &label) in run.labels[..run.back].iter().enumerate() {
        if !follow(&mut set, label, false) {
            return Some(at);
        }
    }
    // Sets shrink or repeat: as many rounds as there are states are enough to see most refusals.
    for round in 0..=component.states().len() {
        for (at, &label) in run.labels[run.back..].iter().enumerate() {
            if !follow(&mut set, label, true) {
                return Some(run.back + round * (run.labels.len() - run.back) + at);
            }
        }
    }
    None
}
