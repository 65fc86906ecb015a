//! Reduced grounds: the net reduced for some of the open goals, and the way back.
//!
//! A firing sequence of the reduced net is translated to one of the parent's net, which is replayed
//! like every witness. A proof of "unreachable" or "at most" on the reduced net holds for the
//! parent by what the rules of the reduction preserve; it keeps the log of the reduction, which the
//! checker goes through again.

use super::{Derivation, DerivedGoal, Ground, Limit};
use crate::evidence::reduction::{CheckedReduction, LogError, NamedLog};
use crate::evidence::{ReplayError, Replayer, replay};
use crate::reduction::{self, BackError, Needs, Preserve, Reduction, needs};
use crate::structure::intervals::Intervals;
use parikh_net::{Facts, FiringSequence, Goal, GoalId, MarkingGoal, Net, Predicate, TransitionId};
use parikh_solvers::Budget;

/// A ground with the net of `parent` reduced for `goals` of it (ascending ids), and the token
/// intervals of the reduced net. `None` when nothing is gained or there is no goal. `learn` adds to
/// the facts of the reduced net the bounds that its place invariants give. The reduction has
/// `budget`; sequences are carried back later, in `whole`, the budget of the run.
pub fn reduce<'a>(
    parent: &'a Ground<'a>,
    goals: &[GoalId],
    (budget, whole): (&Budget, &Budget),
    learn: impl FnOnce(&Net, Facts) -> Facts,
) -> Option<(Ground<'a>, Intervals)> {
    let asked = goals.iter().filter_map(|&id| Some((id, parent.goal(id)?)));
    let asked: Vec<(GoalId, Goal)> = asked.collect();
    if asked.is_empty() {
        return None;
    }
    let net = parent.net();
    let needs = needs_of(net, &asked);
    if needs.preserve == Preserve::NOTHING {
        return None;
    }
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
    let translate = |(id, goal): (GoalId, Goal)| {
        if let Goal::Run(property) = &goal {
            let goal = Goal::Run(Box::new(reduction.translate_hint(net, property)?));
            return Some(DerivedGoal { id, goal, constant: 0 });
        }
        let translated = reduction.translate(net, &goal)?;
        Some(DerivedGoal { id, goal: translated.goal, constant: translated.constant })
    };
    let goals = asked.into_iter().filter_map(translate).collect();
    let facts = learn(&reduction.net, Facts::none(&reduction.net));
    let intervals = Intervals::new(&reduction.net, &facts);
    let derivation = Reduced { parent: net, reduction, applications, budget: whole.clone() };
    let ground = Ground::derived(parent, Box::new(derivation), goals, facts, &intervals);
    Some((ground, intervals))
}

/// What these goals need together: of runs what their markings show, which makes those of the
/// reduced net hints.
fn needs_of(net: &Net, asked: &[(GoalId, Goal)]) -> Needs {
    let mut needs = needs::of_goals(net, asked.iter().map(|(_, goal)| goal));
    for (_, goal) in asked {
        let Goal::Run(property) = goal else { continue };
        if let Some(hints) = needs::of_hints(net, property) {
            needs.support.extend(hints.support);
            needs.preserve = needs.preserve | hints.preserve;
        }
    }
    needs.normalised()
}

/// A reduction as a [`Derivation`]: it takes what is found on the reduced net back to the parent.
struct Reduced<'n> {
    parent: &'n Net,
    reduction: Reduction,
    applications: u64,
    /// The budget of the run, for carrying sequences back: that of the reduction is over by then.
    budget: Budget,
}

impl Reduced<'_> {
    /// Sequences of the parent's net that may be the witness of `goal`, the likeliest first. The
    /// first is `sequence` translated. Where the goal asks whether some transition t is enabled, t
    /// may be enabled only in the middle of a composed transition (its *carrier*), which stands for
    /// several firings. So the others have one more firing, of one carrier each.
    fn candidates(
        &self,
        goal: &MarkingGoal,
        sequence: &FiringSequence,
    ) -> impl Iterator<Item = Result<FiringSequence, BackError>> {
        let (back, budget) = (&self.reduction.back, &self.budget);
        let mut asked = Vec::new();
        let mut asks_deadness = false;
        if let MarkingGoal::Reach(predicate) = goal {
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

    /// Why `sequence` has no counterpart on the parent's net that can be written out and replayed;
    /// `None` where it is something else. A reduction may remove the place whose tokens would
    /// grow beyond what a place can hold, so the reduced net fires sequences that its parent
    /// refuses.
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

    /// After how many firings of `sequence` the marking satisfies `predicate`: after all of them
    /// where its last marking does, or else after the fewest. `None` where no marking does that
    /// stands at the end of a step, or the sequence does not fire.
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

/// Adds to `asked` the transitions each of which makes `predicate` true by being enabled: operands
/// of disjunctions, but not of conjunctions.
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
        goal: &MarkingGoal,
        reduced: &FiringSequence,
    ) -> Result<Option<(FiringSequence, u64)>, Limit> {
        for candidate in self.candidates(goal, reduced) {
            let sequence = match candidate {
                Ok(sequence) => sequence,
                Err(BackError::OutOfBudget(_)) => return Err(Limit::Budget),
                Err(BackError::TooLong(_) | BackError::NotEnabled) => continue,
            };
            let firings = match goal {
                MarkingGoal::Reach(predicate) => self.shown_after(predicate, &sequence),
                MarkingGoal::Maximise(_) => u64::try_from(sequence.firings()).ok(),
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

    fn changes(&self) -> u64 {
        self.applications
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

    #[test]
    fn a_ground_is_reduced_without_the_rules_that_are_left_out() {
        let net =
            text::parse("place p 1\nplace q\nplace r\ntransition t: p -> q\ntransition u: q -> r");
        let net = net.unwrap();
        let goal = Goal::Reach(Predicate::at_least(net.place_named("r").unwrap(), 1));
        let (facts, budget) = (Facts::none(&net), Budget::unlimited());
        let goals = [(GoalId::new(0), goal)];
        let intervals = Intervals::new(&net, &facts);
        let ids = [GoalId::new(0)];
        let places = |without: &str| {
            let original = Ground::original(&net, goals.to_vec(), facts.clone(), &intervals)
                .without_rules(&reduction::rules::called(without).unwrap());
            let ground = reduce(&original, &ids, (&budget, &budget), |_, facts| facts);
            ground.map(|(ground, _)| ground.net().place_count())
        };
        assert_eq!([places("dead"), places("all")], [Some(2), None]);
    }
}
