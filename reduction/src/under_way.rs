//! A reduction in progress: any caller may propose a candidate, and the rule's conditions decide.
//!
//! The net is valid between any two applications, so a reduction may end anywhere.

use super::back_translation::BackTranslation;
use super::findings::Findings;
use super::finish::finish;
use super::journal::Journals;
use super::log::Log;
use super::outcome::Reduction;
use super::statistics::{NetSize, ReductionStatistics};
use parikh_evidence::reduction::{
    AssumedCondition, Candidate, Conditions, Context, Edit, Needs, Preserve, WorkNet, apply,
    propose,
};
use parikh_net::{BuildError, Net, PlaceId, TransitionId};

/// A net under reduction, with everything recorded so far.
#[derive(Debug)]
pub struct OngoingReduction {
    net: WorkNet,
    /// The properties to preserve.
    needs: Needs,
    /// The log. `None` if the log is disabled.
    log: Option<Log>,
    /// The back-translation, the dead transitions and constant places found, and the journals of
    /// changed nodes.
    record: ReductionRecord,
}

/// The records of a reduction: the back-translation, the facts found (dead transitions and constant
/// places), and the journals of changed nodes.
#[derive(Debug)]
pub(super) struct ReductionRecord {
    pub(super) back_translation: BackTranslation,
    pub(super) findings: Findings,
    pub(super) journals: Journals,
}

/// The outcome of a proposed candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApplicationOutcome {
    /// The conditions do not hold.
    Inapplicable,
    /// The candidate was applied.
    Applied,
    /// The conditions hold, but the edit is malformed: a bug in the rule.
    Refused,
}

impl OngoingReduction {
    /// Starts a reduction of `net` that preserves `needs`.
    pub fn new(net: &Net, needs: &Needs) -> OngoingReduction {
        let needs = needs.normalised();
        let net = WorkNet::new(net, &needs);
        let record = ReductionRecord::new(&net, &needs);
        OngoingReduction { net, needs, log: Some(Log::default()), record }
    }

    /// Disables the log.
    pub(super) fn without_log(mut self) -> OngoingReduction {
        self.log = None;
        self
    }

    /// Continues from the result of a replayed log.
    pub(super) fn resume(
        net: WorkNet,
        needs: Needs,
        log: Log,
        record: ReductionRecord,
    ) -> OngoingReduction {
        OngoingReduction { net, needs, log: Some(log), record }
    }

    /// Returns the current net.
    pub fn net(&self) -> &WorkNet {
        &self.net
    }

    /// Returns the current net and the journals of changed nodes.
    pub(super) fn journals(&mut self) -> (&WorkNet, &mut Journals) {
        (&self.net, &mut self.record.journals)
    }

    /// Applies `rule` to `candidate` if its conditions hold. `granted` is a condition that is
    /// assumed without a check, for mutation tests.
    pub fn try_apply(
        &mut self,
        rule: &'static Conditions,
        candidate: &Candidate,
        granted: AssumedCondition,
    ) -> ApplicationOutcome {
        let context = Context::new(&self.net, self.needs.preserve, granted);
        let Some(proposal) = propose(rule, &context, candidate) else {
            return ApplicationOutcome::Inapplicable;
        };
        let record = &mut self.record;
        let record_edits =
            |net: &WorkNet, edits: &[Edit]| record.record(rule, candidate, net, edits);
        if apply(&mut self.net, proposal, record_edits).is_err() {
            return ApplicationOutcome::Refused;
        }
        if let Some(log) = &mut self.log {
            log.push(rule.name, candidate);
        }
        ApplicationOutcome::Applied
    }

    /// Builds the reduction; `net` is the original net.
    ///
    /// # Errors
    /// Returns an error if ids or memory for names run out.
    pub fn finish(
        self,
        net: &Net,
        mut statistics: ReductionStatistics,
    ) -> Result<Reduction, BuildError> {
        let OngoingReduction {
            net: work,
            needs,
            log,
            record: ReductionRecord { back_translation: mut back, findings, journals },
        } = self;
        drop(journals);
        let reduced = finish(net, &work, needs, &back)?;
        back.finish(&reduced);
        statistics.size_before = NetSize::of(net);
        statistics.size_after = NetSize::of(&reduced.net);
        let (dead_transitions, constant_places) = findings.into_parts(&reduced);
        let log = log.unwrap_or_default();
        Ok(Reduction {
            reduced,
            back_translation: back,
            log,
            statistics,
            dead_transitions,
            constant_places,
        })
    }
}

impl ReductionRecord {
    pub(super) fn new(net: &WorkNet, needs: &Needs) -> ReductionRecord {
        ReductionRecord {
            back_translation: BackTranslation::new(net.original_transitions()),
            findings: Findings::new(needs.preserve.covers(Preserve::REACHABILITY)),
            journals: Journals::default(),
        }
    }

    /// Records the edits that `rule` is about to make for `candidate`.
    pub(super) fn record(
        &mut self,
        rule: &'static Conditions,
        candidate: &Candidate,
        net: &WorkNet,
        edits: &[Edit],
    ) {
        let mut next_id = net.transition_ids();
        for edit in edits {
            match edit {
                Edit::RemovePlace(p) => self.note_neighbours_of_place(net, *p),
                Edit::RemoveEqual(equality) => self.note_neighbours_of_place(net, equality.place),
                Edit::RemoveConstant(p) => {
                    self.findings.record_constant(net, *p);
                    self.note_neighbours_of_place(net, *p);
                }
                Edit::RemoveTransition(t) => self.note_neighbours_of_transition(net, *t),
                Edit::RemoveDead(t) => {
                    self.findings.dead(net, *t);
                    self.note_neighbours_of_transition(net, *t);
                }
                Edit::AddTransition { pre, post, stands_for } => {
                    let arcs = pre.iter().chain(post);
                    arcs.for_each(|arc| self.journals.record_place(arc.place));
                    self.journals.record_transition(TransitionId::new(next_id));
                    self.back_translation.compose(stands_for);
                    next_id += 1;
                }
                Edit::SetArcs(p, arcs) => {
                    arcs.iter().for_each(|&(t, ..)| self.journals.record_transition(t));
                    self.journals.record_place(*p);
                }
                Edit::Divide(p, _) => {
                    self.note_neighbours_of_place(net, *p);
                    self.journals.record_place(*p);
                }
                Edit::Prefire(step) => {
                    net.changes(step.transition).for_each(|(p, _)| self.journals.record_place(p));
                    self.back_translation.prefire(*step);
                }
                Edit::Fuse(group) => {
                    group.iter().for_each(|&p| self.note_neighbours_of_place(net, p));
                    self.journals.record_place(group[0]);
                    self.back_translation.fuse(net, group, &candidate.transitions);
                }
                Edit::FireInDeadMarkings(transitions) => {
                    self.back_translation.fire_last(transitions.clone())
                }
            }
        }
        self.findings.record_application(rule);
    }

    /// Records the neighbours of a place as changed.
    fn note_neighbours_of_place(&mut self, net: &WorkNet, p: PlaceId) {
        net.neighbours(p).into_iter().for_each(|t| self.journals.record_transition(t));
    }

    /// Records the neighbours of a transition as changed.
    fn note_neighbours_of_transition(&mut self, net: &WorkNet, t: TransitionId) {
        net.arcs(t).for_each(|(p, ..)| self.journals.record_place(p));
    }
}
