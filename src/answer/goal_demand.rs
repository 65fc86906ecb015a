//! Counts the relevant occurrences of each goal, and abandons goals on the board that no open
//! question needs.
//!
//! An occurrence of a goal in an open question is relevant while the value of the question depends
//! on it. When the count is 0, the goal is abandoned and no engine works on it. A goal about runs
//! also has *aids*: goals that are in no question, but help to settle it. An aid counts as relevant
//! while its goal is open.

use parikh_engine::board::Board;
use parikh_evidence::tree::implying_predicates;
use parikh_net::goal::Mention;
use parikh_net::{Goal, GoalId, Net, Predicate, TreeProperty};
use parikh_temporal::Node;
use std::collections::{HashMap, HashSet};

/// The demand for each goal: the number of its occurrences on which the value of an open question
/// still depends. Also the aids of each goal, that is, further goals that help to settle the goal.
#[derive(Clone, Debug, Default)]
pub(super) struct GoalDemand {
    /// Number of relevant occurrences in open questions, indexed by `GoalId`. Each open goal that
    /// the goal helps to settle counts as one more.
    occurrences: Vec<usize>,
    /// The aids of each goal. They are kept after the goal is settled, because a plan for a second
    /// run may ask the goal again.
    aids: HashMap<GoalId, Vec<GoalId>>,
    /// The goals that no longer need their aids, because they are settled or abandoned.
    released_goals: HashSet<GoalId>,
}

impl GoalDemand {
    /// Adds the next goal of the plan, with the count 0.
    pub(super) fn add(&mut self) {
        self.occurrences.push(0);
    }

    /// Adds a relevant occurrence of the goal.
    pub(super) fn add_occurrence(&mut self, goal: GoalId) {
        self.occurrences[goal.index()] += 1;
    }

    /// Sets the aids of a goal, that is, the goals that help to settle it. Each aid gets one more
    /// relevant occurrence.
    pub(super) fn aid(&mut self, goal: GoalId, aids: Vec<GoalId>) {
        aids.iter().for_each(|&aid| self.add_occurrence(aid));
        self.aids.insert(goal, aids);
    }

    /// Returns the aids of a goal, or `None` if the goal has no aids.
    pub(super) fn aids(&self, goal: GoalId) -> Option<&[GoalId]> {
        self.aids.get(&goal).map(Vec::as_slice)
    }

    /// Removes a relevant occurrence of the goal, before a board exists. Nothing is abandoned.
    pub(super) fn remove_occurrence(&mut self, goal: GoalId) {
        self.occurrences[goal.index()] -= 1;
    }

    /// Removes a relevant occurrence of the goal. At 0, the goal is abandoned and its aids are
    /// released.
    pub(super) fn release(&mut self, board: &Board<'_>, goal: GoalId) {
        let mut left = vec![goal];
        while let Some(goal) = left.pop() {
            let count = &mut self.occurrences[goal.index()];
            *count = count.saturating_sub(1);
            if *count == 0 {
                board.abandon(goal);
                left.extend(self.done_with(goal));
            }
        }
    }

    /// Releases the aids of a settled goal: the goals that helped to settle it lose one relevant
    /// occurrence each.
    pub(super) fn settled(&mut self, board: &Board<'_>, goal: GoalId) {
        for aid in self.done_with(goal) {
            self.release(board, aid);
        }
    }

    /// Marks a goal as settled or abandoned. Returns its aids at the first call, so that the caller
    /// releases them once, and nothing at later calls.
    fn done_with(&mut self, goal: GoalId) -> Vec<GoalId> {
        match self.aids.get(&goal) {
            Some(aids) if self.released_goals.insert(goal) => aids.clone(),
            _ => Vec::new(),
        }
    }

    /// Abandons all goals without relevant occurrences, at the beginning of a run.
    pub(super) fn begin(&mut self, board: &Board<'_>) {
        for goal in (0..self.occurrences.len()).map(GoalId::new) {
            if self.occurrences[goal.index()] == 0 {
                board.abandon(goal);
                self.settled(board, goal);
            }
        }
    }
}

/// Limit on the number of leaves of a predicate that becomes an aid, that is, a goal that helps to
/// settle another goal. A predicate with a million leaves (some binding of a transition is enabled)
/// did not help as an aid. Building such goals took longer than the whole run.
const MOST_LEAVES: usize = 50_000;

/// Returns true if the predicate is small enough for an aid, that is, a goal that helps to settle
/// another goal.
fn is_aid(predicate: &Predicate) -> bool {
    predicate.leaf_count() <= MOST_LEAVES
}

/// Returns the aids of a goal about runs or the computation tree, that is, goals that help to
/// settle it. One aid asks for a dead marking. For each condition of the goal that is small enough,
/// another aid asks for a marking that gives the condition another value than initially. For a tree
/// property without large atoms, the aids of [`sought`] are added. Returns no aids for other goals.
pub(super) fn aids(goal: &Goal, net: &Net) -> Vec<Goal> {
    let change = |predicate: &Predicate| {
        let holds = predicate.holds(net, net.initial());
        let change = if holds { predicate.clone().negated() } else { predicate.clone() };
        Goal::Reach(change.sorted())
    };
    if !goal.is_about_time() {
        return Vec::new();
    }
    let changes = goal.mentions().into_iter().filter_map(|mention| match mention {
        Mention::Condition(predicate) if is_aid(predicate) => Some(change(predicate)),
        Mention::Condition(_) | Mention::Sum(_) | Mention::Firings(_) => None,
    });
    let mut aids: Vec<Goal> = changes.collect();
    aids.push(Goal::Reach(Predicate::Dead));
    if let Goal::Tree(property) = goal
        && property.atoms().iter().all(is_aid)
    {
        aids.extend(sought(property, net));
    }
    aids
}

/// Returns aids for the untils and releases of a tree property. They need predicates on a single
/// marking that imply the right side of the until or its negation ([`implying_predicates`]).
///
/// For an until, let ψ be its right side. If ψ is known to fail initially, the first aid is a
/// marking in which ψ is not known to fail. If no such marking is reachable, the until fails
/// everywhere; otherwise its firing sequence is a good start. The second aid is a marking with a
/// condition that implies ψ, unless the condition holds initially. For EF ψ, the third aid is the
/// home property of this condition, unless the condition is constant. A release of ψ is treated as
/// an until of ¬ψ.
fn sought(property: &TreeProperty, net: &Net) -> Vec<Goal> {
    let mut formulas = property.formulas().clone();
    let parts = formulas.subformulas(property.formula());
    let negations: Vec<_> = parts.iter().map(|&part| formulas.negate(part)).collect();
    let mut both: Vec<_> = negations.iter().flat_map(|&it| formulas.subformulas(it)).collect();
    both.extend(&parts);
    both.sort_unstable();
    both.dedup();
    let implying = implying_predicates(&formulas, property.atoms(), &both, net);
    let of = |part| both.binary_search(&part).map_or(Predicate::False, |at| implying[at].clone());
    let (mut reach, mut home) = (Vec::new(), Vec::new());
    for &part in &both {
        let Node::Until(_, _, met) = *formulas.node(part) else { continue };
        let fails = of(formulas.negate(met));
        if fails != Predicate::False && fails.holds(net, net.initial()) {
            reach.push(fails.negated().sorted());
        }
        let shown = of(met);
        if shown != Predicate::False && !shown.holds(net, net.initial()) && is_aid(&shown) {
            reach.push(shown.clone());
        }
        if formulas.possible(part).is_some() && !matches!(shown, Predicate::True | Predicate::False)
        {
            home.push(shown);
        }
    }
    for all in [&mut reach, &mut home] {
        all.sort_unstable();
        all.dedup();
    }
    reach.into_iter().map(Goal::Reach).chain(home.into_iter().map(Goal::Home)).collect()
}
