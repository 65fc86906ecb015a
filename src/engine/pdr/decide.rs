//! What the ways of deciding a question have in common: how they are asked, and how they end.

use super::lasting::Proved;
use super::solver::Lesson;
use super::terms::{Cube, Terms};
use parikh_net::{FiringSequence, Predicate, TransitionId};
use parikh_solvers::Budget;

/// How a run ended.
pub(super) enum End {
    /// There: this leads to such a marking.
    Reached(FiringSequence),
    /// Never: no marking outside all of these cubes satisfies the property, and no firing enters
    /// one.
    Never(Vec<Cube>),
    /// The budget ended.
    Unfinished,
}

/// Decides one question, as far as it gets.
pub(super) trait Decide<'n> {
    /// What it makes, for statistics.
    const FINDS: &'static str;

    /// For a predicate that does not hold initially and has comparisons as its only leaves.
    fn new(terms: Terms<'n>, predicate: Predicate) -> Self;

    /// Takes in what was proved of the net for other questions; the list only ever grows.
    fn learn(&mut self, _proved: &Proved) {}

    /// Asks for another predicate from now on, if what is known stays of use. Whether it does.
    fn turn_to(&mut self, _predicate: &Predicate) -> bool {
        false
    }

    /// Goes on.
    fn run(&mut self, budget: &Budget) -> End;

    /// What is asked.
    fn predicate(&self) -> &Predicate;

    /// What it has worked with, and what rows have taught it.
    fn into_parts(self) -> (Terms<'n>, Vec<Lesson>);

    /// How much was made, and questions to the solver.
    fn so_far(&self) -> (u64, u64);
}

/// A cube from which the goal is reached.
pub(super) struct Obligation {
    pub(super) cube: Cube,
    /// What it leads to: another obligation, by this transition; nothing for a part of the goal.
    pub(super) next: Option<(usize, TransitionId)>,
}

/// From the last of these obligations to the goal.
pub(super) fn sequence(all: &[Obligation]) -> FiringSequence {
    let mut fired = Vec::new();
    let mut at = all.len() - 1;
    while let Some((next, t)) = all[at].next {
        fired.push(t);
        at = next;
    }
    fired.into_iter().collect()
}
