//! Which goals are still wanted, and what is let go on the board.
//!
//! A goal is wanted in so many places of open questions; when there is none left, nobody works on it
//! any more. A goal about runs has *aids* besides: goals that nobody asked for, and that help to settle
//! it once they are. They are wanted as long as it is open.

use crate::board::Board;
use parikh_net::goal::Mention;
use parikh_net::property::condition;
use parikh_net::{Goal, GoalId, Net, Predicate, TreeProperty};
use std::collections::{HashMap, HashSet};

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    /// Per goal, in how many places of open questions it matters.
    places: Vec<usize>,
    /// By goal its aids. They stay known when the goal is settled: it may be asked again.
    aids: HashMap<GoalId, Vec<GoalId>>,
    /// The goals whose aids are not wanted for them any more.
    done: HashSet<GoalId>,
}

impl Wanted {
    /// A goal, which comes next in the list of all, and is not wanted yet.
    pub(super) fn add(&mut self) {
        self.places.push(0);
    }

    /// The goal matters in one place more.
    pub(super) fn want(&mut self, goal: GoalId) {
        self.places[goal.index()] += 1;
    }

    /// The goal has these aids.
    pub(super) fn aid(&mut self, goal: GoalId, aids: Vec<GoalId>) {
        aids.iter().for_each(|&aid| self.want(aid));
        self.aids.insert(goal, aids);
    }

    /// The aids of a goal.
    pub(super) fn aids(&self, goal: GoalId) -> Option<&[GoalId]> {
        self.aids.get(&goal).map(Vec::as_slice)
    }

    /// The goal matters in one place fewer, before there is a board.
    pub(super) fn leave(&mut self, goal: GoalId) {
        self.places[goal.index()] -= 1;
    }

    /// The goal matters in one place fewer.
    pub(super) fn release(&mut self, board: &Board<'_>, goal: GoalId) {
        let mut left = vec![goal];
        while let Some(goal) = left.pop() {
            let places = &mut self.places[goal.index()];
            *places = places.saturating_sub(1);
            if *places == 0 {
                board.abandon(goal);
                left.extend(self.done_with(goal));
            }
        }
    }

    /// The goal is settled: its aids are not wanted for it any more.
    pub(super) fn settled(&mut self, board: &Board<'_>, goal: GoalId) {
        for aid in self.done_with(goal) {
            self.release(board, aid);
        }
    }

    /// The aids of a goal, the first time that they are not wanted for it any more.
    fn done_with(&mut self, goal: GoalId) -> Vec<GoalId> {
        match self.aids.get(&goal) {
            Some(aids) if self.done.insert(goal) => aids.clone(),
            _ => Vec::new(),
        }
    }

    /// Lets go of what is wanted nowhere.
    pub(super) fn begin(&mut self, board: &Board<'_>) {
        for goal in (0..self.places.len()).map(GoalId::new) {
            if self.places[goal.index()] == 0 {
                board.abandon(goal);
                self.settled(board, goal);
            }
        }
    }
}

/// What helps to settle a goal about runs or their tree: whether the conditions that it speaks of ever become
/// anything else than what they are initially, and for a tree, whether anything is dead, and whether that
/// stays reachable which some part wants to be.
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
        Mention::Condition(predicate) => Some(change(predicate)),
        Mention::Sum(_) | Mention::Firings(_) => None,
    });
    let mut aids: Vec<Goal> = changes.collect();
    if let Goal::Tree(property) = goal {
        aids.push(Goal::Reach(Predicate::Dead));
        aids.extend(kept(property).into_iter().map(Goal::Home));
    }
    aids
}

/// The φ of parts EF φ and AG ¬φ, where φ speaks of single markings: what such a part is worth is known of all
/// markings where φ stays reachable.
fn kept(property: &TreeProperty) -> Vec<Predicate> {
    let formulas = property.formulas();
    let mut all = Vec::new();
    for part in formulas.below(property.formula()) {
        let state = |part| condition(formulas, part, property.atoms(), |atom| Some(atom.clone()));
        let met = formulas.possible(part).and_then(state);
        let kept = formulas.invariant(part).and_then(state).map(Predicate::negated);
        all.extend(met.or(kept).map(Predicate::sorted));
    }
    all.sort_unstable();
    all.dedup();
    all
}
