//! The common interface of the decision procedures of this module, and their possible results.

use super::lasting::SharedCubes;
use super::solver::TheoryLemma;
use super::terms::{BoundTerms, Cube};
use parikh_net::{FiringSequence, Predicate, TransitionId};
use parikh_solvers::Budget;

/// Result of one call of a decision procedure.
pub(super) enum DecisionOutcome {
    /// The goal is reached by this firing sequence.
    Reached(FiringSequence),
    /// The goal is unreachable: these cubes contain all goal markings that the known facts allow,
    /// but not the initial marking. No firing enters the cubes from outside.
    Unreachable(Vec<Cube>),
    /// A solver query had no usable answer, usually because the budget ended.
    Unfinished,
}

/// A decision procedure for one reachability goal.
pub(super) trait Decide<'n> {
    /// Plural name of the objects whose number [`counters`](Self::counters) returns, such as
    /// "cubes" or "clauses".
    const COUNTED_OBJECTS: &'static str;

    /// Creates the procedure for a predicate that the initial marking violates. The leaves of the
    /// predicate must be comparisons or truth constants.
    fn new(terms: BoundTerms<'n>, predicate: Predicate) -> Self;

    /// Imports cubes that no firing enters, found while other goals were proved. Does nothing if
    /// the procedure cannot use them. Each call imports the cubes added to `SharedCubes` since the
    /// last call.
    fn import_cubes(&mut self, _proved: &SharedCubes) {}

    /// Switches to another predicate and keeps the learnt cubes and lemmas that do not depend on
    /// the old one. Returns false, and changes nothing, if the procedure cannot switch.
    fn switch_goal(&mut self, _predicate: &Predicate) -> bool {
        false
    }

    /// Continues the search until a result is found or a solver query has no usable answer, usually
    /// because the budget is exhausted.
    fn run(&mut self, budget: &Budget) -> DecisionOutcome;

    /// Returns the goal predicate.
    fn predicate(&self) -> &Predicate;

    /// Returns the terms and the theory lemmas of the search.
    fn into_parts(self) -> (BoundTerms<'n>, Vec<TheoryLemma>);

    /// Returns the number of cubes or clauses made and the number of solver queries. The constant
    /// of this trait names the objects.
    fn counters(&self) -> (u64, u64);
}

/// A cube of markings from each of which a firing sequence leads to the goal.
pub(super) struct Obligation {
    /// The cube, which must be shown unreachable or be reached.
    pub(super) cube: Cube,
    /// Index of the obligation whose cube is entered by one firing from this cube, and the
    /// transition that fires. `None` for a cube of goal markings.
    pub(super) next: Option<(usize, TransitionId)>,
}

/// Returns the firing sequence from the last obligation to the goal.
pub(super) fn firing_sequence(obligations: &[Obligation]) -> FiringSequence {
    let mut firings = Vec::new();
    let mut index = obligations.len() - 1;
    while let Some((next, t)) = obligations[index].next {
        firings.push(t);
        index = next;
    }
    firings.into_iter().collect()
}
