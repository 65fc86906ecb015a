//! Counts where each goal is still needed, and abandons goals on the board that are needed nowhere.
//!
//! For each goal the places in open questions are counted where it matters; at 0 it is abandoned,
//! and no engine works on it any more. A goal about runs has *aids* besides: goals that nobody
//! asked for, and that help to settle it once they are. Aids are wanted as long as the goal that
//! they help is open.

use crate::board::Board;
use crate::evidence::tree::implied_by;
use parikh_net::goal::Mention;
use parikh_net::{Goal, GoalId, Net, Predicate, TreeProperty};
use parikh_temporal::Node;
use std::collections::{HashMap, HashSet};

/// How often each goal is wanted, and by which goals as an aid.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    /// Per goal, in how many places of open questions it matters.
    places: Vec<usize>,
    /// By goal its aids. They are remembered after the goal is settled, because `Plan::again` may
    /// ask the goal again.
    aids: HashMap<GoalId, Vec<GoalId>>,
    /// The goals that have released their aids.
    done: HashSet<GoalId>,
}

impl Wanted {
    /// Adds the next goal of the plan, which is wanted nowhere yet.
    pub(super) fn add(&mut self) {
        self.places.push(0);
    }

    /// The goal matters in one place more.
    pub(super) fn want(&mut self, goal: GoalId) {
        self.places[goal.index()] += 1;
    }

    /// Sets the aids of a goal; each of them is wanted in one place more.
    pub(super) fn aid(&mut self, goal: GoalId, aids: Vec<GoalId>) {
        aids.iter().for_each(|&aid| self.want(aid));
        self.aids.insert(goal, aids);
    }

    /// The aids of a goal.
    pub(super) fn aids(&self, goal: GoalId) -> Option<&[GoalId]> {
        self.aids.get(&goal).map(Vec::as_slice)
    }

    /// The goal matters in one place fewer. To be called before there is a board: at 0 nothing is
    /// abandoned.
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

    /// The aids that a goal releases: all of them at the first call, none at later ones.
    fn done_with(&mut self, goal: GoalId) -> Vec<GoalId> {
        match self.aids.get(&goal) {
            Some(aids) if self.done.insert(goal) => aids.clone(),
            _ => Vec::new(),
        }
    }

    /// Abandons all goals that are wanted nowhere at the beginning of a run.
    pub(super) fn begin(&mut self, board: &Board<'_>) {
        for goal in (0..self.places.len()).map(GoalId::new) {
            if self.places[goal.index()] == 0 {
                board.abandon(goal);
                self.settled(board, goal);
            }
        }
    }
}

/// The most leaves of a condition that is asked about to help. Whether some binding of a transition
/// with a million can fire is not settled sooner by itself than within its formula, and to write
/// down such goals took longer than the whole run.
const MOST_LEAVES: usize = 50_000;

/// Whether a condition is small enough to be asked about.
fn is_aid(predicate: &Predicate) -> bool {
    predicate.leaves() <= MOST_LEAVES
}

/// Returns the goals that help to settle a goal about runs or their tree: a dead marking, and for
/// each condition a marking that gives it another value than initially. For a tree there is also
/// what its untils ask for.
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
    if let Goal::Tree(property) = goal {
        if property.atoms().iter().all(is_aid) {
            aids.extend(sought(property, net));
        }
    }
    aids
}

/// What untils and releases ask for, as far as single markings show it ([`implied_by`]). Of an
/// until of ψ: a marking in which ψ is not known to fail, as the until fails everywhere where there
/// is none, and the way there is worth following where there is one; and, where some path will do,
/// whether that stays reachable which implies ψ. A release of ψ is the same of ¬ψ.
fn sought(property: &TreeProperty, net: &Net) -> Vec<Goal> {
    let mut formulas = property.formulas().clone();
    let parts = formulas.below(property.formula());
    let negations: Vec<_> = parts.iter().map(|&part| formulas.negate(part)).collect();
    let mut both: Vec<_> = negations.iter().flat_map(|&it| formulas.below(it)).collect();
    both.extend(&parts);
    both.sort_unstable();
    both.dedup();
    let implied = implied_by(&formulas, property.atoms(), &both, net);
    let of = |part| both.binary_search(&part).map_or(Predicate::False, |at| implied[at].clone());
    let (mut reach, mut home) = (Vec::new(), Vec::new());
    for &part in &both {
        let Node::Until(_, _, met) = *formulas.node(part) else { continue };
        let fails = of(formulas.negate(met));
        if fails != Predicate::False && fails.holds(net, net.initial()) {
            reach.push(fails.negated().sorted());
        }
        let shown = of(met);
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
