//! Reports of engines that approximate from below: "reached", "at least", "unbounded".

use super::{Board, Knowledge, Reach, Sighting, Technique, Witness, in_tokens_of};
use crate::evidence::abstraction::ColouredModel;
use crate::evidence::{PumpError, ReplayError, Replayer, check_pumping};
use crate::ground::{Ground, Limit};
use parikh_net::{FiringSequence, Goal, GoalId, Marking, Net, PumpSequence, Stage, Step};
use std::sync::Arc;

/// Takes an engine's reports of what is reachable. See [`crate::board`].
#[derive(Clone, Copy)]
pub struct Under<'b> {
    board: &'b Board<'b>,
    by: Technique,
    /// Where the engine works; nothing for the net that was read.
    ground: Option<&'b Ground<'b>>,
}

impl Board<'_> {
    /// Takes reports about the board's net of engines that approximate from below.
    pub fn under(&self, by: Technique) -> Under<'_> {
        Under { board: self, by, ground: None }
    }
}

impl<'b> Under<'b> {
    pub(super) fn board(&self) -> &'b Board<'b> {
        self.board
    }

    /// Whether the engine works on another net than the board's.
    pub(super) fn is_derived(&self) -> bool {
        self.ground.is_some_and(|ground| ground.parent().is_some())
    }

    pub(super) fn fault(&self, what: std::fmt::Arguments<'_>) {
        self.board.fault(self.by, what);
    }

    /// For an engine that works on `ground`.
    pub fn on(self, ground: &'b Ground<'b>) -> Self {
        Under { ground: Some(ground), ..self }
    }

    /// [`Board::seen`], as the goal reads on the engine's net.
    pub fn seen(&self, goal: GoalId) -> Option<i128> {
        in_tokens_of(self.ground, goal, self.board.seen(goal))
    }

    /// [`Board::proved`], as the goal reads on the engine's net.
    pub fn proved(&self, goal: GoalId) -> Option<i128> {
        in_tokens_of(self.ground, goal, self.board.proved(goal))
    }

    /// The end of `sequence` satisfies the goal, or its sum is large there.
    pub fn reached(&self, goal: GoalId, sequence: FiringSequence) {
        match u64::try_from(sequence.firings()) {
            Ok(firings) => self.along(sequence, vec![Sighting { goal, firings }]),
            Err(_) => self.board.beyond(Limit::Length),
        }
    }

    /// Everything worth noting along one sequence, replayed once for all of it.
    pub fn along(&self, sequence: FiringSequence, mut sightings: Vec<Sighting>) {
        sightings.retain(|sighting| self.board.is_open(sighting.goal));
        if sightings.is_empty() {
            return;
        }
        if let Some(ground) = self.ground
            && ground.parent().is_some()
        {
            return self.along_and_back(ground, Arc::new(sequence), &sightings);
        }
        let sequence = Arc::new(sequence);
        let replayed = match self.board.coloured {
            Some(model) => self.replay_coloured(model, &sequence, sightings),
            None => self.replay(&sequence, sightings),
        };
        self.take_note(replayed, &sequence);
    }

    /// How a replay went. A sequence that fires may take a place beyond 2⁶³ − 1 tokens. Then
    /// nothing is shown, and it is no fault of the engine.
    fn take_note(&self, replayed: Result<(), ReplayError>, sequence: &FiringSequence) {
        match replayed {
            Ok(()) => {}
            Err(ReplayError::Overflow { .. }) => self.board.beyond(Limit::Tokens),
            Err(error) => self.fault_of_replay(&error, sequence),
        }
    }

    /// Replays a sequence of the board's net and notes what it shows.
    fn replay(
        &self,
        sequence: &Arc<FiringSequence>,
        mut sightings: Vec<Sighting>,
    ) -> Result<(), ReplayError> {
        sightings.sort_by_key(|sighting| sighting.firings);
        let firings = sightings.last().map_or(0, |sighting| sighting.firings);
        // First, so that no proof from a false claim seems to contradict what is seen.
        self.board.check_claim(sequence, firings);
        let mut next = 0;
        let stops = sightings.iter().map(|sighting| sighting.firings);
        visit(self.board.net, sequence, stops, |firings, marking| {
            let Sighting { goal, .. } = sightings[next];
            next += 1;
            let witness = Witness::new(sequence.clone(), firings);
            // A goal about deadness decides a question by itself, so its witness is kept on a board
            // that forgets others, too.
            let decides = matches!(self.board.goal(goal),
                Goal::Reach(predicate) if predicate.mentions_deadness());
            let witness = (self.board.keep_witnesses || decides).then_some(witness);
            let witness = witness.map(|witness| self.board.short(goal, witness, marking));
            match self.board.goal(goal) {
                Goal::Reach(predicate) if predicate.holds(self.board.net, marking) => {
                    self.note_reached(goal, witness);
                }
                Goal::Reach(_) => {
                    let end = text_of(self.board, sequence, firings);
                    self.board.fault(self.by, format_args!("{goal:?} is false after {end}"));
                }
                Goal::Maximise(sum) => self.note_value(goal, sum.value(marking), witness),
                _ => {
                    self.board.fault(self.by, format_args!("{goal:?} is no marking"));
                }
            }
        })
    }

    /// Replays a sequence of steps of the board's coloured net and notes what it shows.
    fn replay_coloured(
        &self,
        model: &ColouredModel,
        sequence: &Arc<FiringSequence>,
        mut sightings: Vec<Sighting>,
    ) -> Result<(), ReplayError> {
        sightings.sort_by_key(|sighting| sighting.firings);
        let mut next = 0;
        let stops: Vec<u64> = sightings.iter().map(|sighting| sighting.firings).collect();
        model.visit(sequence, stops, |firings, marking| {
            let Sighting { goal, .. } = sightings[next];
            next += 1;
            let witness = Witness::new(sequence.clone(), firings);
            let witness = self.board.keep_witnesses.then_some(witness);
            match self.board.goal(goal) {
                Goal::Reach(predicate) => match model.holds(predicate, marking) {
                    Ok(true) => self.note_reached(goal, witness),
                    Ok(false) => {
                        let end = text_of(self.board, sequence, firings);
                        self.board.fault(self.by, format_args!("{goal:?} is false after {end}"));
                    }
                    Err(error) => tracing::debug!("{goal:?} is not seen to hold: {error}"),
                },
                Goal::Maximise(sum) => match model.totals(marking) {
                    Some(totals) => self.note_value(goal, sum.value(&totals), witness),
                    None => self.board.beyond(Limit::Tokens),
                },
                _ => {
                    self.board.fault(self.by, format_args!("{goal:?} is no marking"));
                }
            }
        })
    }

    /// Each sighting by itself: their translations need not share a prefix. Of a goal that is seen
    /// several times, the last one counts: a maximum is larger there.
    fn along_and_back(
        &self,
        ground: &Ground<'_>,
        sequence: Arc<FiringSequence>,
        sightings: &[Sighting],
    ) {
        for (at, &Sighting { goal, firings }) in sightings.iter().enumerate() {
            let again = |later: &Sighting| later.goal == goal && later.firings >= firings;
            if !self.board.is_open(goal) || sightings[at + 1..].iter().any(again) {
                continue;
            }
            let mut engine = (*sequence).clone();
            engine.truncate(firings);
            match ground.climb(goal, engine) {
                Ok(Some((sequence, firings))) => {
                    let sequence = Arc::new(sequence);
                    self.board.note_ground(goal, Some(ground));
                    let replayed = self.replay(&sequence, vec![Sighting { goal, firings }]);
                    self.take_note(replayed, &sequence);
                }
                Err(limit) => self.board.beyond(limit),
                Ok(None) => self.board.fault(self.by, format_args!("{goal:?} has no way back")),
            }
        }
    }

    /// `pump` can repeat for ever after `prefix` and the goal's sum grows each time.
    pub fn unbounded(&self, goal: GoalId, prefix: FiringSequence, pump: FiringSequence) {
        match self.ground {
            None => self.grows(goal, PumpSequence::single(prefix, pump)),
            Some(ground) => match ground.climb_pump(prefix, pump) {
                Ok(Some((prefix, pump))) => {
                    self.board.note_ground(goal, Some(ground));
                    self.grows(goal, PumpSequence::single(prefix, pump));
                }
                Err(limit) => self.board.beyond(limit),
                Ok(None) => self.board.fault(self.by, format_args!("a pump has no way back")),
            },
        }
    }

    /// The goal's sum grows without bound, as pumps of the net that was read show, in stages if
    /// need be.
    pub fn grows(&self, goal: GoalId, pumping: PumpSequence) {
        let Goal::Maximise(sum) = self.board.goal(goal) else {
            return self.board.fault(self.by, format_args!("{goal:?} is no maximum"));
        };
        // The first stage breaks the claim where any does: what it puts down grows.
        if let Some(Stage { prefix, pump }) = pumping.stages().next() {
            let mut twice = prefix.clone();
            (0..2).for_each(|_| twice.extend(pump));
            self.board.check_claim(&twice, u64::MAX);
        }
        match check_pumping(self.board.net, &pumping) {
            Ok(growth) if growth.grows(sum) => {
                let pumping = self.board.short_pumping(goal, sum, pumping);
                let mut entry = self.board.entry(goal);
                let Knowledge::Maximum(maximum) = &mut entry.knowledge else { return };
                maximum.proved.take_if(|(_, proof, _)| self.board.is_void(proof));
                if maximum.proved.is_some() {
                    return self.board.freeze(goal, self.by, entry);
                }
                maximum.unbounded = Some((pumping, self.by));
                drop(entry);
                self.board.close(goal, true);
            }
            Ok(_) => self.board.fault(self.by, format_args!("{goal:?} does not grow in its pump")),
            // A real pump beyond the numbers we count with: nothing can be shown.
            Err(PumpError::Replay(ReplayError::Overflow { .. })) => {
                self.board.beyond(Limit::Tokens);
            }
            Err(error) => self.board.fault(self.by, format_args!("{goal:?}: {error}")),
        }
    }

    pub(super) fn note_reached(&self, goal: GoalId, witness: Option<Witness>) {
        let mut entry = self.board.entry(goal);
        match &entry.knowledge {
            Knowledge::Reach(Reach::Open) => {
                entry.knowledge = Knowledge::Reach(Reach::Reached { witness, by: self.by });
                drop(entry);
                self.board.close(goal, true);
                super::homes::reached(self.board, goal);
            }
            Knowledge::Reach(Reach::Unreachable { proof, .. }) if self.board.is_void(proof) => {
                entry.knowledge = Knowledge::Reach(Reach::Reached { witness, by: self.by });
            }
            Knowledge::Reach(Reach::Unreachable { .. }) => {
                self.board.freeze(goal, self.by, entry);
            }
            _ => {}
        }
    }

    pub(super) fn note_value(&self, goal: GoalId, value: i128, witness: Option<Witness>) {
        let mut entry = self.board.entry(goal);
        let Knowledge::Maximum(maximum) = &mut entry.knowledge else { return };
        maximum.proved.take_if(|(_, proof, _)| self.board.is_void(proof));
        if maximum.proved.as_ref().is_some_and(|(proved, ..)| value > *proved) {
            return self.board.freeze(goal, self.by, entry);
        }
        if maximum.seen.as_ref().is_none_or(|(seen, ..)| value > *seen) {
            maximum.seen = Some((value, witness, self.by));
        }
        if maximum.value().is_some() {
            drop(entry);
            self.board.close(goal, true);
        }
    }

    fn fault_of_replay(&self, error: &ReplayError, sequence: &FiringSequence) {
        let text = text_of(self.board, sequence, u64::MAX);
        self.board.fault(self.by, format_args!("a witness does not replay: {error}: {text}"));
    }
}

/// The beginning of a sequence in names, for a bug report.
fn text_of(board: &Board<'_>, sequence: &FiringSequence, firings: u64) -> String {
    let name = board.net.name();
    let mut text = format!("{} firings of net `{name}`:", sequence.firings());
    let mut left = firings;
    for step in sequence.steps().iter().take(1000) {
        if left == 0 {
            break;
        }
        let count = step.count.min(left);
        left -= count;
        text.push_str(&format!(" {}*{count}", board.step_name(step.transition)));
    }
    text
}

/// Replays the first firings of `sequence` from the initial marking and shows the marking at each
/// of `stops`, which ascend.
fn visit(
    net: &Net,
    sequence: &FiringSequence,
    stops: impl IntoIterator<Item = u64>,
    mut seen: impl FnMut(u64, &Marking),
) -> Result<(), ReplayError> {
    let mut replayer = Replayer::new(net);
    let mut steps = sequence.steps().iter().copied();
    // What is left of the run that the last stop cut in two.
    let mut rest: Option<Step> = None;
    for stop in stops {
        while replayer.fired() < stop {
            let Some(step) = rest.take().or_else(|| steps.next()) else {
                return Err(ReplayError::TooShort { firings: replayer.fired() });
            };
            let count = step.count.min(stop - replayer.fired());
            replayer.fire(Step { count, ..step })?;
            rest = (count < step.count).then_some(Step { count: step.count - count, ..step });
        }
        seen(stop, replayer.marking());
    }
    Ok(())
}
