//! Reduced working nets: the net reduced for some open goals, with the back-translation.
//!
//! A firing sequence of the reduced net is translated to the parent's net, and replayed like every
//! witness. A proof of "unreachable" or "at most" on the reduced net holds for the parent by what
//! the reduction rules preserve. The proof refers to the log of the reduction, which the checker
//! replays.

use super::{Derivation, DerivedGoal, TranslationLimit, WorkingNet};
use parikh_evidence::reduction::{CheckedReduction, LogError, NamedLog};
use parikh_evidence::{ReplayError, Replayer, replay};
use parikh_net::{Facts, FiringSequence, Goal, GoalId, MarkingGoal, Net, Predicate, TransitionId};
use parikh_reduction::{BackError, Needs, Preserve, Reduction, needs};
use parikh_solvers::Budget;
use parikh_structure::intervals::Intervals;

/// Reduces the net of `parent` for the goals with these ids, which must be sorted. Returns the
/// working net and the token intervals of the reduced net. `learn` may add facts about the reduced
/// net, such as bounds from place invariants. The reduction uses `budget`. Later, the
/// back-translation uses `run_budget`.
///
/// Returns `None` if the net of `parent` expresses no goal of `goals`, or if the reduction need not
/// preserve anything for them. Also returns `None` if the size of the net stays the same.
pub fn reduce<'a>(
    parent: &'a WorkingNet<'a>,
    goals: &[GoalId],
    (budget, run_budget): (&Budget, &Budget),
    learn: impl FnOnce(&Net, Facts) -> Facts,
) -> Option<(WorkingNet<'a>, Intervals)> {
    let open_goals = goals.iter().filter_map(|&id| Some((id, parent.goal(id)?)));
    let open_goals: Vec<(GoalId, Goal)> = open_goals.collect();
    if open_goals.is_empty() {
        return None;
    }
    let net = parent.net();
    let needs = needs_of(net, &open_goals);
    if needs.preserve == Preserve::NOTHING {
        return None;
    }
    let config = parikh_reduction::ReductionConfig {
        without: parent.without_rules.clone(),
        linear: false,
        ..parikh_reduction::ReductionConfig::default()
    };
    let reduction = parikh_reduction::reduce(net, &needs, budget, &config);
    let statistics = &reduction.statistics;
    if statistics.size_before == statistics.size_after {
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
    let goals = open_goals.into_iter().filter_map(translate).collect();
    let facts = learn(&reduction.net, Facts::empty(&reduction.net));
    let intervals = Intervals::new(&reduction.net, &facts);
    let derivation =
        ReductionDerivation { parent: net, reduction, applications, budget: run_budget.clone() };
    let working_net = WorkingNet::derived(parent, Box::new(derivation), goals, facts, &intervals);
    Some((working_net, intervals))
}

/// Returns the properties that the reduction must preserve for these goals. For a goal about runs,
/// the reduction preserves only which tokens are reachable on the places that the property
/// mentions. It preserves nothing for a goal about runs that depends on more than the markings
/// along a run. So a run of the reduced net is a hint, which must be replayed on the original net.
fn needs_of(net: &Net, goals: &[(GoalId, Goal)]) -> Needs {
    let mut needs = needs::of_goals(net, goals.iter().map(|(_, goal)| goal));
    for (_, goal) in goals {
        let Goal::Run(property) = goal else { continue };
        if let Some(hints) = needs::of_hints(net, property) {
            needs.support.extend(hints.support);
            needs.preserve = needs.preserve | hints.preserve;
        }
    }
    needs.normalised()
}

/// A reduction as a [`Derivation`].
struct ReductionDerivation<'n> {
    parent: &'n Net,
    reduction: Reduction,
    /// The number of rule applications in the reduction.
    applications: u64,
    /// The budget of the run for back-translation, because the reduction's budget is over by then.
    budget: Budget,
}

impl ReductionDerivation<'_> {
    /// Returns firing sequences of the parent's net that may be witnesses of `goal`, the likeliest
    /// first. The first is the translation of `sequence`, continued to a dead marking if the goal
    /// mentions dead markings. The goal may be satisfied whenever a transition t is enabled. Then t
    /// may be enabled only in the middle of a composed transition (its *carrier*), which stands for
    /// several firings. So each further candidate has one more firing, of a carrier.
    fn candidates(
        &self,
        goal: &MarkingGoal,
        sequence: &FiringSequence,
    ) -> impl Iterator<Item = Result<FiringSequence, BackError>> {
        let (back, budget) = (&self.reduction.back_translation, &self.budget);
        let mut queried_transitions = Vec::new();
        let mut is_about_deadness = false;
        if let MarkingGoal::Reach(predicate) = goal {
            collect_enabled(predicate, &mut queried_transitions);
            is_about_deadness = predicate.mentions_deadness();
        }
        let translated = move || match is_about_deadness {
            true => back.deadlock(self.parent, sequence, budget),
            false => back.sequence(sequence, budget),
        };
        let carriers = queried_transitions.into_iter().flat_map(|transition| {
            self.reduction.firing(transition).map_or(&[][..], |firing| firing.carriers())
        });
        let longer = carriers.map(move |&carrier| {
            let mut longer = sequence.clone();
            longer.push(carrier, 1);
            back.sequence(&longer, budget)
        });
        std::iter::once_with(translated).chain(longer)
    }

    /// Returns the limit that prevents the translation of `sequence` to the parent's net: on its
    /// length, on the work, or on the tokens of a place. Returns `None` if there is another cause.
    /// A reduction may remove a place whose tokens would exceed the token limit. So the reduced net
    /// can fire sequences that its parent refuses.
    fn limit_of(&self, sequence: &FiringSequence) -> Option<TranslationLimit> {
        let translated = match self.reduction.back_translation.sequence(sequence, &self.budget) {
            Ok(translated) => translated,
            Err(BackError::TooLong(_)) => return Some(TranslationLimit::Length),
            Err(BackError::OutOfBudget(_)) => return Some(TranslationLimit::Budget),
            Err(BackError::NotEnabled) => return None,
        };
        match replay(self.parent, &translated) {
            Err(ReplayError::Overflow { .. }) => Some(TranslationLimit::Tokens),
            _ => None,
        }
    }

    /// Returns a number of firings of `sequence` after which the marking satisfies `predicate`. If
    /// the last marking satisfies it, the result is the total number of firings. Otherwise, it is
    /// the smallest such number: 0, or a number at the end of a step, that is, of one transition's
    /// repeated firing. Returns `None` if neither the initial marking nor a marking at the end of a
    /// step satisfies the predicate. Also returns `None` if the sequence cannot be fired or its
    /// total number of firings exceeds 64 bits.
    fn firings_until(&self, predicate: &Predicate, sequence: &FiringSequence) -> Option<u64> {
        let total = u64::try_from(sequence.firings()).ok()?;
        let mut replayer = Replayer::new(self.parent);
        let mut first_satisfying = predicate.holds(self.parent, replayer.marking()).then_some(0);
        for &step in sequence.steps() {
            replayer.fire(step).ok()?;
            if first_satisfying.is_none() && predicate.holds(self.parent, replayer.marking()) {
                first_satisfying = Some(replayer.fired());
            }
        }
        if predicate.holds(self.parent, replayer.marking()) {
            Some(total)
        } else {
            first_satisfying
        }
    }
}

/// Adds to `transitions` the transitions whose enabledness implies `predicate`: operands of
/// disjunctions, but not of conjunctions.
fn collect_enabled(predicate: &Predicate, transitions: &mut Vec<TransitionId>) {
    match predicate {
        Predicate::Enabled(t) => transitions.push(*t),
        Predicate::Or(operands) => {
            operands.iter().for_each(|operand| collect_enabled(operand, transitions))
        }
        _ => {}
    }
}

impl Derivation for ReductionDerivation<'_> {
    fn net(&self) -> &Net {
        &self.reduction.net
    }

    fn sequence(
        &self,
        goal: &MarkingGoal,
        reduced: &FiringSequence,
    ) -> Result<Option<(FiringSequence, u64)>, TranslationLimit> {
        for candidate in self.candidates(goal, reduced) {
            let sequence = match candidate {
                Ok(sequence) => sequence,
                Err(BackError::OutOfBudget(_)) => return Err(TranslationLimit::Budget),
                Err(BackError::TooLong(_) | BackError::NotEnabled) => continue,
            };
            let firings = match goal {
                MarkingGoal::Reach(predicate) => self.firings_until(predicate, &sequence),
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
    ) -> Result<Option<(FiringSequence, FiringSequence)>, TranslationLimit> {
        match self.reduction.back_translation.pump(prefix, pump, &self.budget) {
            Ok(translated) => Ok(Some(translated)),
            Err(BackError::TooLong(_)) => Err(TranslationLimit::Length),
            Err(BackError::OutOfBudget(_)) => Err(TranslationLimit::Budget),
            Err(BackError::NotEnabled) => Ok(None),
        }
    }

    fn change_count(&self) -> u64 {
        self.applications
    }

    fn check(
        &self,
        parent: &Net,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<CheckedReduction, LogError> {
        let steps = self.reduction.log.steps().map(Ok);
        CheckedReduction::of_steps(parent, self.reduction.needs(), steps, keep_going)
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
        let (facts, budget) = (Facts::empty(&net), Budget::unlimited());
        let goals = [(GoalId::new(0), goal)];
        let intervals = Intervals::new(&net, &facts);
        let ids = [GoalId::new(0)];
        let places = |without: &str| {
            let original = WorkingNet::original(&net, goals.to_vec(), facts.clone(), &intervals)
                .without_rules(&parikh_reduction::rules::searches_named(without).unwrap());
            let working_net = reduce(&original, &ids, (&budget, &budget), |_, facts| facts);
            working_net.map(|(working_net, _)| working_net.net().place_count())
        };
        assert_eq!([places("dead"), places("all")], [Some(2), None]);
    }
}
