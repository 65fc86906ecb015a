//! Reduced grounds: the net reduced for some of the open goals, and the way back.
//!
//! A firing sequence of the reduced net becomes one of its parent's net and is replayed like every
//! witness; "unreachable" and "at most" carry over by what the reduction preserves, and say so.

use super::{Derivation, DerivedGoal, Ground, Limit};
use crate::board::{Board, Proof};
use crate::engine::intervals::{self, Intervals};
use crate::evidence::reduction::{CheckedReduction, LogError, NamedLog};
use crate::evidence::{ReplayError, Replayer, replay};
use crate::reduction::{self, BackError, Reduction, needs};
use parikh_net::{Facts, FiringSequence, Goal, GoalId, Net, Predicate, TransitionId};
use parikh_solvers::Budget;

/// The net of `parent` reduced for those of these goals that are open; they must be goals of the
/// parent, by ascending id. `None` when nothing is gained or nothing is open. What the reduction finds
/// out by itself is settled in passing. `learn` finds out bounds of the reduced net, from its place
/// invariants; `whole` is the budget of the run, in which sequences are carried back.
pub fn reduce<'a>(
    parent: &'a Ground<'a>,
    goals: &[GoalId],
    board: &Board<'_>,
    (budget, whole): (&Budget, &Budget),
    learn: impl FnOnce(&Net, Facts) -> Facts,
) -> Option<Ground<'a>> {
    let open = goals.iter().filter(|id| board.is_open(**id));
    let open: Vec<(GoalId, &Goal)> = open.filter_map(|&id| Some((id, parent.goal(id)?))).collect();
    if open.is_empty() {
        return None;
    }
    let net = parent.net();
    let needs = needs::of_goals(net, open.iter().map(|(_, goal)| *goal));
    let config = reduction::Config {
        without: parent.without_rules.clone(),
        linear: false,
        ..reduction::Config::default()
    };
    let reduction = reduction::reduce(net, &needs, budget, &config);
    let statistics = &reduction.statistics;
    if statistics.before == statistics.after {
        return None;
    }
    let applications = statistics.rules.iter().map(|rule| rule.applied).sum();
    let translate = |(id, goal): (GoalId, &Goal)| {
        let translated = reduction.translate(net, goal)?;
        Some(DerivedGoal { id, goal: translated.goal, constant: translated.constant })
    };
    let goals = open.into_iter().filter_map(translate).collect();
    let facts = learn(&reduction.net, Facts::none(&reduction.net));
    let intervals = Intervals::new(&reduction.net, &facts);
    let derivation = Reduced { parent: net, reduction, applications, budget: whole.clone() };
    let ground = Ground::derived(parent, Box::new(derivation), goals, facts, &intervals);
    settle(&ground, &intervals, board, budget);
    Some(ground)
}

/// Settles the goals that token intervals of the reduced net decide. A goal about a transition that the
/// reduction found dead, or a place that it found constant, is false there.
fn settle(ground: &Ground<'_>, intervals: &Intervals, board: &Board<'_>, budget: &Budget) {
    let (under, over) = (ground.under(board, "INITIAL_STATE"), ground.over(board, "TOPOLOGICAL"));
    let task = ground.task(board, budget, 0);
    intervals::settle(intervals, &task, under, over);
}

/// A reduction as a step of the way back.
struct Reduced<'n> {
    parent: &'n Net,
    reduction: Reduction,
    applications: u64,
    /// For the way back: that of the whole run.
    budget: Budget,
}

impl Reduced<'_> {
    /// What may be the witness of a goal, best first: the translated sequence, and, where enabledness
    /// is asked, the sequence with one more firing of what carries a transition asked for: a composed
    /// transition fires it in its middle.
    fn candidates(
        &self,
        goal: &Goal,
        sequence: &FiringSequence,
    ) -> impl Iterator<Item = Result<FiringSequence, BackError>> {
        let (back, budget) = (&self.reduction.back, &self.budget);
        let mut asked = Vec::new();
        let mut asks_deadness = false;
        if let Goal::Reach(predicate) = goal {
            mark_enabled(predicate, &mut asked);
            asks_deadness = predicate.mentions_deadness();
        }
        let first = move || match asks_deadness {
            true => back.deadlock(self.parent, sequence, budget),
            false => back.sequence(sequence, budget),
        };
        let carriers = asked.into_iter().flat_map(|transition| {
            self.reduction.firing(transition).map_or(&[][..], |firing| firing.carriers())
        });
        let longer = carriers.map(move |&carrier| {
            let mut longer = sequence.clone();
            longer.push(carrier, 1);
            back.sequence(&longer, budget)
        });
        std::iter::once_with(first).chain(longer)
    }

    /// What keeps `sequence` from having a counterpart on the original net. A reduced net need not
    /// have the places that bound what can fire by what they can hold.
    fn limit_of(&self, sequence: &FiringSequence) -> Option<Limit> {
        let translated = match self.reduction.back.sequence(sequence, &self.budget) {
            Ok(translated) => translated,
            Err(BackError::TooLong(_)) => return Some(Limit::Length),
            Err(BackError::OutOfBudget(_)) => return Some(Limit::Budget),
            Err(BackError::NotEnabled) => return None,
        };
        match replay(self.parent, &translated) {
            Err(ReplayError::Overflow { .. }) => Some(Limit::Tokens),
            _ => None,
        }
    }

    /// How many firings of `sequence` lead to a marking that satisfies `predicate`; looked for at
    /// its end first, then from its beginning.
    fn shown_after(&self, predicate: &Predicate, sequence: &FiringSequence) -> Option<u64> {
        let total = u64::try_from(sequence.firings()).ok()?;
        let mut replayer = Replayer::new(self.parent);
        let mut first = predicate.holds(self.parent, replayer.marking()).then_some(0);
        for &step in sequence.steps() {
            replayer.fire(step).ok()?;
            if first.is_none() && predicate.holds(self.parent, replayer.marking()) {
                first = Some(replayer.fired());
            }
        }
        if predicate.holds(self.parent, replayer.marking()) { Some(total) } else { first }
    }
}

/// The transitions whose enabledness `predicate` asks for outside of conjunctions.
fn mark_enabled(predicate: &Predicate, asked: &mut Vec<TransitionId>) {
    match predicate {
        Predicate::Enabled(t) => asked.push(*t),
        Predicate::Or(parts) => parts.iter().for_each(|part| mark_enabled(part, asked)),
        _ => {}
    }
}

impl Derivation for Reduced<'_> {
    fn net(&self) -> &Net {
        &self.reduction.net
    }

    fn sequence(
        &self,
        goal: &Goal,
        reduced: &FiringSequence,
    ) -> Result<Option<(FiringSequence, u64)>, Limit> {
        for candidate in self.candidates(goal, reduced) {
            let sequence = match candidate {
                Ok(sequence) => sequence,
                Err(BackError::OutOfBudget(_)) => return Err(Limit::Budget),
                Err(BackError::TooLong(_) | BackError::NotEnabled) => continue,
            };
            let firings = match goal {
                Goal::Reach(predicate) => self.shown_after(predicate, &sequence),
                Goal::Maximise(_) | Goal::Home(_) => u64::try_from(sequence.firings()).ok(),
            };
            if let Some(firings) = firings {
                return Ok(Some((sequence, firings)));
            }
        }
        self.limit_of(reduced).map_or(Ok(None), Err)
    }

    fn pump(
        &self,
        prefix: &FiringSequence,
        pump: &FiringSequence,
    ) -> Result<Option<(FiringSequence, FiringSequence)>, Limit> {
        match self.reduction.back.pump(prefix, pump, &self.budget) {
            Ok(translated) => Ok(Some(translated)),
            Err(BackError::TooLong(_)) => Err(Limit::Length),
            Err(BackError::OutOfBudget(_)) => Err(Limit::Budget),
            Err(BackError::NotEnabled) => Ok(None),
        }
    }

    fn proof(&self, proof: Proof) -> Proof {
        proof.of_reduced(self.applications)
    }

    fn check(
        &self,
        parent: &Net,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<CheckedReduction, LogError> {
        let steps = self.reduction.log.steps().map(Ok);
        CheckedReduction::of_steps(parent, self.reduction.needs(), steps, goes_on)
    }

    fn log(&self, parent: &Net) -> NamedLog {
        self.reduction.log.in_names(parent, self.reduction.needs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    /// Four firings are fine on the reduced net, which has no q; on the original the second one is
    /// beyond what is counted.
    #[test]
    fn a_way_back_beyond_the_token_limit_is_no_bug_and_no_verdict() {
        let net =
            text::parse("place p 4\nplace q\ntransition t: p -> 4611686018427387904*q").unwrap();
        let empty = Predicate::no_more_than(net.place_named("p").unwrap(), 0);
        let goals = vec![Goal::Reach(empty)];
        let (board, facts, budget) =
            (Board::new(&net, goals.clone()), Facts::none(&net), Budget::unlimited());
        let goals = [(GoalId::new(0), goals[0].clone())];
        let intervals = Intervals::new(&net, &facts);
        let original = Ground::original(&net, goals.to_vec(), facts, &intervals);
        let ids = [GoalId::new(0)];
        let ground = reduce(&original, &ids, &board, (&budget, &budget), |_, facts| facts).unwrap();
        let reduced = ground.net();
        assert_eq!((reduced.place_count(), reduced.transition_count()), (1, 1));
        let four = [TransitionId::new(0); 4].into_iter().collect();
        ground.under(&board, "TEST").reached(GoalId::new(0), four);
        assert_eq!((board.faults(), board.overflowed()), (0, true));
        assert!(board.is_open(GoalId::new(0)));
        // One firing leaves tokens on either net: that is a bug of whoever said so.
        let bogus = [TransitionId::new(0); 1].into_iter().collect();
        ground.under(&board, "TEST").reached(GoalId::new(0), bogus);
        assert_eq!(board.faults(), 1);
    }

    #[test]
    fn a_ground_is_reduced_without_the_rules_that_are_left_out() {
        let net =
            text::parse("place p 1\nplace q\nplace r\ntransition t: p -> q\ntransition u: q -> r");
        let net = net.unwrap();
        let goals = vec![Goal::Reach(Predicate::at_least(net.place_named("r").unwrap(), 1))];
        let (board, facts, budget) =
            (Board::new(&net, goals.clone()), Facts::none(&net), Budget::unlimited());
        let goals = [(GoalId::new(0), goals[0].clone())];
        let intervals = Intervals::new(&net, &facts);
        let ids = [GoalId::new(0)];
        let places = |without: &str| {
            let original = Ground::original(&net, goals.to_vec(), facts.clone(), &intervals)
                .without_rules(&reduction::rules::called(without).unwrap());
            let ground = reduce(&original, &ids, &board, (&budget, &budget), |_, facts| facts);
            ground.map(|ground| ground.net().place_count())
        };
        assert_eq!([places("dead"), places("all")], [Some(2), None]);
    }
}
