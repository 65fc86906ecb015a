//! Reports of engines that under-approximate: "reached", "at least" and "unbounded".

use super::{
    Board, Knowledge, Observation, ReachKnowledge, SeenValue, Technique, Witness,
    to_working_net_value,
};
use crate::working_net::{TranslationLimit, WorkingNet};
use parikh_evidence::abstraction::ColouredModel;
use parikh_evidence::{PumpError, ReplayError, Replayer, check_pumping};
use parikh_net::{FiringSequence, FiringStep, Goal, GoalId, Marking, Net, PumpSequence, Stage};
use std::sync::Arc;

/// The reporter for witnesses and lower bounds. See [`crate::board`].
#[derive(Clone, Copy)]
pub struct WitnessReporter<'b> {
    board: &'b Board<'b>,
    technique: Technique,
    /// The engine's net; `None` for the net that was read.
    working_net: Option<&'b WorkingNet<'b>>,
}

impl Board<'_> {
    /// Returns the reporter for engines that under-approximate.
    pub fn witness_reporter(&self, by: Technique) -> WitnessReporter<'_> {
        WitnessReporter { board: self, technique: by, working_net: None }
    }
}

impl<'b> WitnessReporter<'b> {
    pub(super) fn board(&self) -> &'b Board<'b> {
        self.board
    }

    /// Returns true if the engine works on a derived net, such as a reduced net, instead of the
    /// board's net.
    pub(super) fn is_derived(&self) -> bool {
        self.working_net.is_some_and(|working_net| working_net.parent().is_some())
    }

    pub(super) fn fault(&self, what: std::fmt::Arguments<'_>) {
        self.board.fault(self.technique, what);
    }

    /// Returns the reporter for an engine that works on `working_net`.
    pub fn on(self, working_net: &'b WorkingNet<'b>) -> Self {
        WitnessReporter { working_net: Some(working_net), ..self }
    }

    /// Returns [`Board::largest_seen`], converted to the engine's net.
    pub fn largest_seen(&self, goal: GoalId) -> Option<i128> {
        to_working_net_value(self.working_net, goal, self.board.largest_seen(goal))
    }

    /// Returns [`Board::proved`], converted to the engine's net.
    pub fn proved(&self, goal: GoalId) -> Option<i128> {
        to_working_net_value(self.working_net, goal, self.board.proved(goal))
    }

    /// Reports that the end of `sequence` satisfies the goal. For a maximum, reports the value of
    /// the sum at the end.
    pub fn report_reached(&self, goal: GoalId, sequence: FiringSequence) {
        match u64::try_from(sequence.firings()) {
            Ok(firings) => self.report_reached_along(sequence, vec![Observation { goal, firings }]),
            Err(_) => self.board.record_exceeded_limit(TranslationLimit::Length),
        }
    }

    /// Reports all observations along a sequence. Observations of closed goals are ignored. A
    /// sequence of the board's net is replayed once. A sequence of a derived net is translated and
    /// replayed for each goal separately.
    pub fn report_reached_along(
        &self,
        sequence: FiringSequence,
        mut observations: Vec<Observation>,
    ) {
        observations.retain(|sighting| self.board.is_open(sighting.goal));
        if observations.is_empty() {
            return;
        }
        if let Some(working_net) = self.working_net
            && working_net.parent().is_some()
        {
            return self.translate_and_replay(working_net, Arc::new(sequence), &observations);
        }
        let sequence = Arc::new(sequence);
        let replayed = match self.board.coloured {
            Some(model) => self.replay_coloured(model, &sequence, observations),
            None => self.replay(&sequence, observations),
        };
        self.handle_replay(replayed, &sequence);
    }

    /// Handles the outcome of a replay of `sequence`. If a place would get more than 2⁶³ − 1
    /// tokens, the sequence shows nothing, but the engine is not at fault. Any other error is a
    /// fault.
    fn handle_replay(&self, replayed: Result<(), ReplayError>, sequence: &FiringSequence) {
        match replayed {
            Ok(()) => {}
            Err(ReplayError::Overflow { .. }) => {
                self.board.record_exceeded_limit(TranslationLimit::Tokens)
            }
            Err(error) => self.fault_of_replay(&error, sequence),
        }
    }

    /// Replays a sequence of the board's net and records the observations.
    fn replay(
        &self,
        sequence: &Arc<FiringSequence>,
        mut observations: Vec<Observation>,
    ) -> Result<(), ReplayError> {
        observations.sort_by_key(|sighting| sighting.firings);
        let firings = observations.last().map_or(0, |sighting| sighting.firings);
        // The claim of safe units is checked first. Otherwise a proof that rests on a violated
        // claim might seem to contradict the observations.
        self.board.check_units_claim(sequence, firings);
        let mut next = 0;
        let stops = observations.iter().map(|sighting| sighting.firings);
        visit_stops(self.board.net, sequence, stops, |firings, marking| {
            let Observation { goal, .. } = observations[next];
            next += 1;
            // If the initial marking already satisfies the predicate or has the same value, the
            // witness needs no firing.
            let initial = self.board.net.initial();
            let needs_no_firing = match self.board.goal(goal) {
                Goal::Reach(predicate) => {
                    [initial, marking].iter().all(|it| predicate.holds(self.board.net, it))
                }
                Goal::Maximise(sum) => sum.value(initial) == sum.value(marking),
                _ => false,
            };
            let firings = if needs_no_firing { 0 } else { firings };
            let marking = if needs_no_firing { initial } else { marking };
            let witness = Witness::new(sequence.clone(), firings);
            // A goal about deadness decides a question by itself, so its witness is kept even if
            // the board drops others.
            let mentions_deadness = matches!(self.board.goal(goal),
                Goal::Reach(predicate) if predicate.mentions_deadness());
            let witness = (self.board.keeps_witnesses || mentions_deadness).then_some(witness);
            let witness = witness.map(|witness| self.board.shortened(goal, witness, marking));
            match self.board.goal(goal) {
                Goal::Reach(predicate) if predicate.holds(self.board.net, marking) => {
                    self.note_reached(goal, witness);
                }
                Goal::Reach(_) => {
                    let end = text_of(self.board, sequence, firings);
                    self.board.fault(self.technique, format_args!("{goal:?} is false after {end}"));
                }
                Goal::Maximise(sum) => self.note_value(goal, sum.value(marking), witness),
                _ => {
                    self.board
                        .fault(self.technique, format_args!("{goal:?} does not ask for a marking"));
                }
            }
        })
    }

    /// Replays a sequence of steps of the board's coloured net and records the observations.
    fn replay_coloured(
        &self,
        model: &ColouredModel,
        sequence: &Arc<FiringSequence>,
        mut observations: Vec<Observation>,
    ) -> Result<(), ReplayError> {
        observations.sort_by_key(|sighting| sighting.firings);
        let mut next = 0;
        let stops: Vec<u64> = observations.iter().map(|sighting| sighting.firings).collect();
        model.visit(sequence, stops, |firings, marking| {
            let Observation { goal, .. } = observations[next];
            next += 1;
            let witness = Witness::new(sequence.clone(), firings);
            let witness = self.board.keeps_witnesses.then_some(witness);
            match self.board.goal(goal) {
                Goal::Reach(predicate) => match model.holds(predicate, marking) {
                    Ok(true) => self.note_reached(goal, witness),
                    Ok(false) => {
                        let end = text_of(self.board, sequence, firings);
                        self.board
                            .fault(self.technique, format_args!("{goal:?} is false after {end}"));
                    }
                    Err(error) => tracing::debug!("{goal:?} is not seen to hold: {error}"),
                },
                Goal::Maximise(sum) => match model.totals(marking) {
                    Some(totals) => self.note_value(goal, sum.value(&totals), witness),
                    None => self.board.record_exceeded_limit(TranslationLimit::Tokens),
                },
                _ => {
                    self.board
                        .fault(self.technique, format_args!("{goal:?} does not ask for a marking"));
                }
            }
        })
    }

    /// Translates and replays each observation separately, since their translations need not share
    /// a prefix. Of several observations of one goal, only the one with the most firings is used. A
    /// maximum has its largest value there.
    fn translate_and_replay(
        &self,
        working_net: &WorkingNet<'_>,
        sequence: Arc<FiringSequence>,
        observations: &[Observation],
    ) {
        for (at, &Observation { goal, firings }) in observations.iter().enumerate() {
            let is_superseded =
                |later: &Observation| later.goal == goal && later.firings >= firings;
            if !self.board.is_open(goal) || observations[at + 1..].iter().any(is_superseded) {
                continue;
            }
            let mut prefix = (*sequence).clone();
            prefix.truncate(firings);
            match working_net.to_original(goal, prefix) {
                Ok(Some((sequence, firings))) => {
                    let sequence = Arc::new(sequence);
                    self.board.note_if_reduced(goal, Some(working_net));
                    let replayed = self.replay(&sequence, vec![Observation { goal, firings }]);
                    self.handle_replay(replayed, &sequence);
                }
                Err(limit) => self.board.record_exceeded_limit(limit),
                Ok(None) => self.board.fault(
                    self.technique,
                    format_args!("a sequence to {goal:?} has no translation"),
                ),
            }
        }
    }

    /// Reports that `pump` can be repeated forever after `prefix`, and that each repetition
    /// increases the goal's sum. Both are sequences of the engine's net.
    pub fn report_unbounded(&self, goal: GoalId, prefix: FiringSequence, pump: FiringSequence) {
        match self.working_net {
            None => self.report_unbounded_on_original(goal, PumpSequence::single(prefix, pump)),
            Some(working_net) => match working_net.pump_to_original(prefix, pump) {
                Ok(Some((prefix, pump))) => {
                    self.board.note_if_reduced(goal, Some(working_net));
                    self.report_unbounded_on_original(goal, PumpSequence::single(prefix, pump));
                }
                Err(limit) => self.board.record_exceeded_limit(limit),
                Ok(None) => {
                    self.board.fault(self.technique, format_args!("a pump has no translation"))
                }
            },
        }
    }

    /// Reports that the goal's sum is unbounded. `pumping` is a self-covering sequence of the net
    /// that was read, in one or several stages.
    pub fn report_unbounded_on_original(&self, goal: GoalId, pumping: PumpSequence) {
        let Goal::Maximise(sum) = self.board.goal(goal) else {
            return self.board.fault(self.technique, format_args!("{goal:?} is no maximum"));
        };
        // If any stage violates the claim of safe units, the first stage does: a place that gains
        // tokens in each repetition soon has two.
        if let Some(Stage { prefix, pump }) = pumping.stages().next() {
            let mut twice = prefix.clone();
            (0..2).for_each(|_| twice.extend(pump));
            self.board.check_units_claim(&twice, u64::MAX);
        }
        match check_pumping(self.board.net, &pumping) {
            Ok(growth) if growth.grows(sum) => {
                let pumping = self.board.shortened_pump(goal, sum, pumping);
                let mut entry = self.board.entry(goal);
                let Knowledge::Maximum(maximum) = &mut entry.knowledge else { return };
                maximum.proved.take_if(|proved| self.board.rests_on_violated_claim(&proved.proof));
                if maximum.proved.is_some() {
                    return self.board.freeze(goal, self.technique, entry);
                }
                maximum.unbounded = Some((pumping, self.technique));
                drop(entry);
                self.board.close(goal, true);
            }
            Ok(_) => {
                self.board.fault(self.technique, format_args!("{goal:?} does not grow in its pump"))
            }
            // A place would exceed the token limit when the pump is replayed. So nothing can be
            // shown, but this is no fault of the engine.
            Err(PumpError::Replay(ReplayError::Overflow { .. })) => {
                self.board.record_exceeded_limit(TranslationLimit::Tokens);
            }
            Err(error) => self.board.fault(self.technique, format_args!("{goal:?}: {error}")),
        }
    }

    /// Records a goal as reached. If the goal is proved unreachable, it is frozen and gets no
    /// verdict. Exception: if that proof rests on a violated claim of safe units, the witness
    /// replaces the proof.
    pub(super) fn note_reached(&self, goal: GoalId, witness: Option<Witness>) {
        let mut entry = self.board.entry(goal);
        match &entry.knowledge {
            Knowledge::Reach(ReachKnowledge::Open) => {
                entry.knowledge = Knowledge::Reach(ReachKnowledge::Reached {
                    witness,
                    technique: self.technique,
                });
                drop(entry);
                self.board.close(goal, true);
                super::home_reporter::settle_home_of_reached(self.board, goal);
            }
            Knowledge::Reach(ReachKnowledge::Unreachable { proof, .. })
                if self.board.rests_on_violated_claim(proof) =>
            {
                entry.knowledge = Knowledge::Reach(ReachKnowledge::Reached {
                    witness,
                    technique: self.technique,
                });
            }
            Knowledge::Reach(ReachKnowledge::Unreachable { .. }) => {
                self.board.freeze(goal, self.technique, entry);
            }
            _ => {}
        }
    }

    /// Records a value of a maximum if it is the largest seen. First drops a proved bound that
    /// rests on a violated claim of safe units. If the value then exceeds the proved bound, the
    /// goal is frozen: it gets no verdict.
    pub(super) fn note_value(&self, goal: GoalId, value: i128, witness: Option<Witness>) {
        let mut entry = self.board.entry(goal);
        let Knowledge::Maximum(maximum) = &mut entry.knowledge else { return };
        maximum.proved.take_if(|proved| self.board.rests_on_violated_claim(&proved.proof));
        if maximum.proved.as_ref().is_some_and(|proved| value > proved.bound) {
            return self.board.freeze(goal, self.technique, entry);
        }
        if maximum.largest_seen.as_ref().is_none_or(|seen| value > seen.value) {
            maximum.largest_seen = Some(SeenValue { value, witness, technique: self.technique });
        }
        if maximum.value().is_some() {
            drop(entry);
            self.board.close(goal, true);
        }
    }

    fn fault_of_replay(&self, error: &ReplayError, sequence: &FiringSequence) {
        let text = text_of(self.board, sequence, u64::MAX);
        self.board
            .fault(self.technique, format_args!("a witness does not replay: {error}: {text}"));
    }
}

/// Returns the first `firings` firings of a sequence by name, at most 1000 steps, for a bug report.
fn text_of(board: &Board<'_>, sequence: &FiringSequence, firings: u64) -> String {
    let name = board.net.name();
    let shown = u128::from(firings).min(sequence.firings());
    let mut text = format!("{shown} firings of net `{name}`:");
    let mut remaining = firings;
    for step in sequence.steps().iter().take(1000) {
        if remaining == 0 {
            break;
        }
        let count = step.count.min(remaining);
        remaining -= count;
        text.push_str(&format!(" {}*{count}", board.step_name(step.transition)));
    }
    text
}

/// Replays `sequence` from the initial marking up to the last of `stops`. The stops are numbers of
/// firings in ascending order. Calls `at_stop` with each stop and the marking at this point.
fn visit_stops(
    net: &Net,
    sequence: &FiringSequence,
    stops: impl IntoIterator<Item = u64>,
    mut at_stop: impl FnMut(u64, &Marking),
) -> Result<(), ReplayError> {
    let mut replayer = Replayer::new(net);
    let mut steps = sequence.steps().iter().copied();
    // The remaining firings of a step that the last stop cut in two.
    let mut cut_step: Option<FiringStep> = None;
    for stop in stops {
        while replayer.fired() < stop {
            let Some(step) = cut_step.take().or_else(|| steps.next()) else {
                return Err(ReplayError::TooShort { firings: replayer.fired() });
            };
            let count = step.count.min(stop - replayer.fired());
            replayer.fire(FiringStep { count, ..step })?;
            cut_step =
                (count < step.count).then_some(FiringStep { count: step.count - count, ..step });
        }
        at_stop(stop, replayer.marking());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::working_net::reduced;
    use parikh_net::{Facts, Predicate, text};
    use parikh_solvers::Budget;
    use parikh_structure::intervals::Intervals;

    #[test]
    fn a_goal_that_the_initial_marking_shows_has_a_witness_without_firings() {
        let net = text::parse("place p 2\nplace q 1\ntransition t: q -> q").unwrap();
        let p = net.place_named("p").unwrap();
        let goals = vec![
            Goal::Reach(Predicate::at_least(p, 2)),
            Goal::Maximise(parikh_net::LinearSum::place(p)),
        ];
        let board = Board::new(&net, goals);
        let fired: FiringSequence = [net.transition_named("t").unwrap()].into_iter().collect();
        for goal in [0, 1].map(GoalId::new) {
            board.witness_reporter("TEST").report_reached(goal, fired.clone());
            let witness = match board.knowledge(goal) {
                Some(Knowledge::Reach(ReachKnowledge::Reached { witness, .. })) => witness,
                Some(Knowledge::Maximum(maximum)) => {
                    maximum.largest_seen.and_then(|seen| seen.witness)
                }
                other => panic!("{other:?}"),
            };
            assert!(witness.is_some_and(|witness| witness.is_initial()));
        }
    }

    #[test]
    fn a_witness_from_a_reduced_net_is_recorded_as_such() {
        let net =
            text::parse("place p 1\nplace q\nplace r\ntransition t: p -> q\ntransition u: q -> r");
        let net = net.unwrap();
        let (id, budget) = (GoalId::new(0), Budget::unlimited());
        let goal = Goal::Reach(Predicate::at_least(net.place_named("r").unwrap(), 1));
        let facts = Facts::empty(&net);
        let intervals = Intervals::new(&net, &facts);
        let original = WorkingNet::original(&net, vec![(id, goal.clone())], facts, &intervals)
            .without_rules(&["dead-transitions", "unmarkable-presets"]);
        let derived = reduced::reduce(&original, &[id], (&budget, &budget), |_, facts| facts);
        let (derived, _) = derived.unwrap();
        for (working_net, expected) in [(&original, false), (&derived, true)] {
            let board = Board::new(&net, vec![goal.clone()]);
            let mut all = FiringSequence::new();
            working_net.net().transitions().for_each(|t| all.push(t, 1));
            board.witness_reporter("TEST").on(working_net).report_reached(id, all);
            assert!(!board.is_open(id));
            assert_eq!(board.is_by_reduction(id), expected);
        }
    }
}
