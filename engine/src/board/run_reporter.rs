//! Reports on runs: a run with the property exists, or no run has it.
//!
//! The board replays a run on the net that was read, and evaluates the property along it. The
//! absence of runs needs an argument that the checker accepts. The argument may assume that other
//! goals are unreachable. Without such an argument, the result rests on an exhaustive search.

use super::{Argument, Board, Evidence, Knowledge, Proof, RunKnowledge, Technique, is_limit};
use crate::working_net::{TranslationLimit, WorkingNet};
use parikh_evidence::ReplayError;
use parikh_evidence::lasso::{LassoFlaw, check_lasso};
use parikh_evidence::no_run::visit::{RunSearch, visit_runs};
use parikh_evidence::no_run::{NoRun, NoRunFlaw};
use parikh_net::lasso::{LassoRun, RunEnd};
use parikh_net::{FiringSequence, Goal, GoalId, RunProperty};
use std::sync::Arc;

/// The largest number of stored prefixes of runs.
const MAX_RUN_HINTS: usize = 64;

/// The largest number of markings for which the checker repeats an exhaustive search.
const MAX_REVISITED_MARKINGS: u64 = 100_000;

/// The reporter for properties of runs. See [`crate::board`].
#[derive(Clone, Copy)]
pub struct RunReporter<'b> {
    board: &'b Board<'b>,
    technique: Technique,
    /// The engine's net; `None` for the net that was read.
    working_net: Option<&'b WorkingNet<'b>>,
}

impl Board<'_> {
    /// Stores a sequence that may be the prefix of a run with an open property. Does nothing if the
    /// sequence is stored already, or if [`MAX_RUN_HINTS`] sequences are stored.
    fn store_run_hint(&self, prefix: FiringSequence) {
        let mut hints = self.run_hints.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if hints.len() < MAX_RUN_HINTS && !hints.contains(&prefix) {
            hints.push(prefix);
        }
    }

    /// Returns sequences that may be prefixes of runs with open properties, as hints for searches.
    pub fn run_hints(&self) -> Vec<FiringSequence> {
        self.run_hints.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    /// Returns the reporter for properties of runs.
    pub fn run_reporter(&self, by: Technique) -> RunReporter<'_> {
        RunReporter { board: self, technique: by, working_net: None }
    }
}

impl<'b> RunReporter<'b> {
    /// Returns the reporter for an engine that works on `working_net`.
    pub fn on(self, working_net: &'b WorkingNet<'b>) -> Self {
        RunReporter { working_net: Some(working_net), ..self }
    }

    /// Returns the engine's net if it is a derived net. Returns `None` if it is the board's net.
    fn derived(&self) -> Option<&'b WorkingNet<'b>> {
        self.working_net.filter(|working_net| working_net.parent().is_some())
    }

    /// Reports a run with the property. Reductions need not preserve runs: the translation of a
    /// reduced net's run may fail or lack the property. Then a translated prefix of the run is
    /// stored as a [hint](Board::run_hints), if there is one.
    pub fn report_run(&self, goal: GoalId, run: LassoRun) {
        let Some(property) = self.property(goal) else { return };
        let run = match self.derived() {
            None => run,
            Some(working_net) => match working_net.run_to_original(run.clone()) {
                Ok(Some(run)) => run,
                Ok(None) | Err(_) => return self.store_translated_hint(working_net, run.prefix),
            },
        };
        let checks = &self.board.checks;
        let budget = checks.budget(true);
        let keep_going = &mut || !budget.is_exhausted();
        match checks.run_timed(|| check_lasso(self.board.net, property, &run, keep_going)) {
            Ok(()) => {}
            Err(LassoFlaw::Stopped) => return,
            Err(LassoFlaw::Replay(ReplayError::Overflow { .. })) => {
                return self.board.record_exceeded_limit(TranslationLimit::Tokens);
            }
            Err(flaw) if self.derived().is_some() => {
                tracing::debug!("{}: a run of the reduced net: {flaw}", self.technique);
                // A sequence that cannot fire is no hint.
                if !matches!(flaw, LassoFlaw::Replay(..)) {
                    self.board.store_run_hint(run.rounds(1));
                }
                return;
            }
            Err(LassoFlaw::TooLong) => {
                return self.board.record_exceeded_limit(TranslationLimit::Length);
            }
            Err(flaw) => return self.refuse(goal, &flaw),
        }
        // Two rounds of the cycle suffice to find a violation of safe units. A place that gains
        // tokens in each round has at least two tokens after two rounds.
        self.board.check_units_claim(&run.rounds(2), u64::MAX);
        let run = self.board.keeps_witnesses.then(|| Arc::new(run));
        self.enter(goal, RunKnowledge::Exists { run, technique: self.technique });
    }

    /// Translates the prefix of a run of a derived net to the original net. Stores the translation
    /// as a hint for searches. Does nothing if the translation fails.
    fn store_translated_hint(&self, working_net: &WorkingNet<'_>, prefix: FiringSequence) {
        let prefix_run = LassoRun { prefix, end: RunEnd::Anything };
        if let Ok(Some(way)) = working_net.run_to_original(prefix_run) {
            self.board.store_run_hint(way.prefix);
        }
    }

    /// Reports that no run has the property, with an argument. The premises of the argument are
    /// predicates that are never reached. For each premise, `given` contains a goal that is settled
    /// as unreachable. Does nothing for an engine on a reduced net, because reductions need not
    /// preserve runs.
    pub fn report_no_run(&self, goal: GoalId, argument: NoRun, given: Vec<GoalId>) {
        if self.derived().is_some() {
            return;
        }
        let Some(property) = self.property(goal) else { return };
        let assumes_units = match self.board.check_premises(&given, (&argument.premises, &[])) {
            Ok(assumes_units) => assumes_units || argument.assumes_units(),
            Err(why) => return self.refuse(goal, &why),
        };
        let checks = &self.board.checks;
        let budget = checks.budget(true);
        let keep_going = &mut || !budget.is_exhausted();
        match checks.run_timed(|| argument.check(self.board.net, property, keep_going)) {
            Ok(()) => {}
            Err(NoRunFlaw::Document(flaw)) if is_limit(&flaw) => return,
            Err(flaw) => return self.refuse(goal, &flaw),
        }
        let (rankings, facts) = (argument.rankings.len(), given.len());
        let why = Argument::NoRun { rankings, given: facts, assumes_units };
        let proof = Proof::new(why, None);
        let evidence = Evidence::NoRun(checks.keeps_certificates.then(|| Arc::new(argument)));
        let (given, by) = (given.into(), self.technique);
        self.enter(
            goal,
            RunKnowledge::Excluded { proof, evidence, premise_goals: given, technique: by },
        );
    }

    /// Reports that no run has the property after an exhaustive search of `markings` markings. The
    /// checker repeats a small search first. If it does not complete its search, the result is
    /// recorded only if the board accepts unchecked searches. Does nothing for an engine on a
    /// reduced net.
    pub fn report_searched(&self, goal: GoalId, markings: u64) {
        self.enter_excluded(goal, markings, |markings| Argument::RunsSearched { markings });
    }

    /// Reports that no run has the property, after an evaluation on a decision diagram of all
    /// markings. The checker searches again if there are few markings. If it does not complete its
    /// search, the result is recorded only if the board accepts unchecked searches. Does nothing
    /// for an engine on a reduced net.
    pub fn report_described(&self, goal: GoalId, markings: u64) {
        self.enter_excluded(goal, markings, |_| Argument::RunsDescribed);
    }

    /// Records that no run has the property after a search or evaluation over `markings` markings.
    /// The checker searches again if this number is small. `argument` gets the number of markings
    /// of the search that counts: the checker's, or else the engine's.
    fn enter_excluded(&self, goal: GoalId, markings: u64, argument: impl FnOnce(u64) -> Argument) {
        if self.derived().is_some() {
            return;
        }
        let Some(property) = self.property(goal) else { return };
        let repeated_search = match markings <= MAX_REVISITED_MARKINGS {
            true => self.repeat_search(property, markings.max(1)),
            false => Ok(None),
        };
        let (markings, evidence) = match repeated_search {
            Ok(Some(markings)) => (markings, Evidence::Visited(markings)),
            Ok(None) if !self.board.checks.accepts_searches => return,
            Ok(None) => (markings, Evidence::Searched { markings, stubborn: false, argued: None }),
            Err(flaw) => return self.refuse(goal, &flaw),
        };
        let proof = Proof::new(argument(markings), None);
        let (given, by) = (Arc::default(), self.technique);
        self.enter(
            goal,
            RunKnowledge::Excluded { proof, evidence, premise_goals: given, technique: by },
        );
    }

    /// Searches for a run with the property in the checker. Returns the number of markings visited
    /// if there is no such run. Returns `None` if the checker did not complete the search, because
    /// of the time or another limit, such as 4 · `markings` markings.
    ///
    /// # Errors
    /// Returns an error if the checker finds a run with the property.
    fn repeat_search(
        &self,
        property: &RunProperty,
        markings: u64,
    ) -> Result<Option<u64>, &'static str> {
        let checks = &self.board.checks;
        // If evidence files are written, the checker must search even if the result does not need
        // it: the file states how many markings the checker visited.
        let budget = checks.budget(checks.keeps_certificates);
        let keep_going = &mut || !budget.is_exhausted();
        // The engine's automaton may be smaller than the checker's and exclude more markings. So
        // the checker may visit more markings than the engine.
        let max_markings = markings.saturating_mul(4);
        match checks.run_timed(|| visit_runs(self.board.net, property, max_markings, keep_going)) {
            Ok(RunSearch { has_run: true, .. }) => Err("visited again: a run has the property"),
            Ok(RunSearch { markings, .. }) => Ok(Some(markings)),
            Err(_) => Ok(None),
        }
    }

    /// Returns the property of an open goal. Returns `None` for a closed goal, and for a goal of
    /// another kind, which counts as a fault.
    fn property(&self, goal: GoalId) -> Option<&RunProperty> {
        match self.board.goal(goal) {
            Goal::Run(property) if self.board.is_open(goal) => Some(property),
            Goal::Run(_) => None,
            _ => {
                self.refuse(goal, &"the goal does not ask for runs");
                None
            }
        }
    }

    fn refuse(&self, goal: GoalId, flaw: &dyn std::fmt::Display) {
        let net = self.board.net.name();
        self.board.fault(self.technique, format_args!("runs of {goal:?} of net `{net}`: {flaw}"));
    }

    /// Records a result, unless its proof rests on a violated claim of safe units. Freezes the goal
    /// if the opposite result is recorded already.
    fn enter(&self, goal: GoalId, found: RunKnowledge) {
        let mut entry = self.board.entry(goal);
        if let RunKnowledge::Excluded { proof, .. } = &found
            && self.board.rests_on_violated_claim(proof)
        {
            return;
        }
        match &entry.knowledge {
            Knowledge::Run(RunKnowledge::Open) => {
                entry.knowledge = Knowledge::Run(found);
                drop(entry);
                self.board.note_if_reduced(goal, self.working_net);
                self.board.close(goal, true);
            }
            Knowledge::Run(known)
                if matches!(known, RunKnowledge::Exists { .. })
                    != matches!(found, RunKnowledge::Exists { .. }) =>
            {
                self.board.freeze(goal, self.technique, entry);
            }
            _ => {}
        }
    }
}
