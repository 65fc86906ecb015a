//! Reports of engines that over-approximate: "unreachable" and "at most".

use super::{
    Argument, Board, Evidence, KeptDocument, Knowledge, Maximum, Proof, ProvedBound,
    ReachKnowledge, Technique, is_limit, is_limit_of_visit, to_working_net_value,
    with_reduction_count,
};
use crate::working_net::{ClaimObstacle, WorkingNet};
use parikh_evidence::abstraction::{ColouredModel, SimulatingNet};
use parikh_evidence::{CheckedDocument, Document, Flaw};
use parikh_net::{Goal, GoalId, Predicate};
use std::cell::{Cell, OnceCell};
use std::sync::Arc;

/// The reporter for refutations and upper bounds. See [`crate::board`].
#[derive(Clone, Copy)]
pub struct ProofReporter<'b> {
    board: &'b Board<'b>,
    technique: Technique,
    /// The engine's net; `None` for the net that was read.
    working_net: Option<&'b WorkingNet<'b>>,
}

impl Board<'_> {
    /// Returns the reporter for engines that over-approximate.
    pub fn proof_reporter(&self, by: Technique) -> ProofReporter<'_> {
        ProofReporter { board: self, technique: by, working_net: None }
    }
}

impl<'b> ProofReporter<'b> {
    /// Returns the reporter for an engine that works on `working_net`.
    pub fn on(self, working_net: &'b WorkingNet<'b>) -> Self {
        ProofReporter { working_net: Some(working_net), ..self }
    }

    /// Returns [`Board::proved`], converted to the engine's net.
    pub fn proved(&self, goal: GoalId) -> Option<i128> {
        to_working_net_value(self.working_net, goal, self.board.proved(goal))
    }

    /// Returns [`Board::largest_seen`], converted to the engine's net.
    pub fn largest_seen(&self, goal: GoalId) -> Option<i128> {
        to_working_net_value(self.working_net, goal, self.board.largest_seen(goal))
    }

    /// Returns a reporter for the consequences of `document`, a certificate about the engine's net.
    /// The certificate itself is checked once, when a report on an open goal first needs it. Each
    /// report then checks that its claim follows from the certificate. After a check that reaches a
    /// limit, later reports are not checked.
    pub fn with_certificate<'d>(self, document: &'d Arc<Document>) -> CertificateReporter<'d>
    where
        'b: 'd,
    {
        CertificateReporter {
            proof_reporter: self,
            document,
            checked: OnceCell::new(),
            gave_up: Cell::new(false),
        }
    }

    /// Logs a proof that the checker refuses, and counts a fault. The goal stays open.
    pub fn refuse(&self, goal: GoalId, flaw: &dyn std::fmt::Display) {
        let net = self.board.net.name();
        self.board
            .fault(self.technique, format_args!("a proof about {goal:?} of net `{net}`: {flaw}"));
    }

    /// Reports that no reachable marking satisfies the goal, with a proof (for several goals see
    /// [`with_certificate`](Self::with_certificate)). A proof without a certificate is accepted
    /// only from a search that visited all relevant markings, and only if this board accepts
    /// unchecked searches.
    pub fn report_unreachable(&self, goal: GoalId, proof: Proof) {
        if let Some(document) = proof.document.clone() {
            return self.with_certificate(&document).report_unreachable(goal, proof);
        }
        match self.search_evidence(&proof) {
            Some(evidence) => self.enter_unreachable(goal, proof, evidence),
            None => self.drop_without_certificate(goal, &proof),
        }
    }

    /// Reports that the goal's sum is at most `bound` in every reachable marking of the engine's
    /// net. Proofs are accepted as for an unreachable predicate.
    pub fn report_at_most(&self, goal: GoalId, bound: i128, proof: Proof) {
        if let Some(document) = proof.document.clone() {
            return self.with_certificate(&document).report_at_most(goal, bound, proof);
        }
        match self.search_evidence(&proof) {
            Some(evidence) => {
                self.enter_at_most(goal, self.bound_on_board(goal, bound), proof, evidence)
            }
            None => self.drop_without_certificate(goal, &proof),
        }
    }

    /// Drops a proof without a certificate: silently if it is an unchecked search that this board
    /// rejects, otherwise as a fault.
    fn drop_without_certificate(&self, goal: GoalId, proof: &Proof) {
        match proof.argument {
            Argument::Searched { .. } | Argument::SearchedWithoutCounters { .. } => {
                tracing::debug!("{}: a search is not enough for {goal:?}", self.technique);
            }
            _ => self.refuse(goal, &"there is no document"),
        }
    }

    /// Returns the evidence of an unchecked search. Returns `None` for another argument, or if this
    /// board rejects unchecked searches.
    fn search_evidence(&self, proof: &Proof) -> Option<Evidence> {
        let (markings, stubborn) = match proof.argument {
            Argument::Searched { markings, stubborn, .. } => (markings, stubborn),
            Argument::SearchedWithoutCounters { markings } => (markings, false),
            _ => return None,
        };
        let accepts_searches = self.board.checks.accepts_searches;
        accepts_searches.then_some(Evidence::Searched { markings, stubborn, argued: None })
    }

    /// Converts a bound on the goal's sum in the engine's net to a bound in the board's net.
    fn bound_on_board(&self, goal: GoalId, bound: i128) -> i128 {
        bound + self.working_net.map_or(0, |working_net| working_net.constant(goal))
    }

    /// Records a result of another board, which belongs to an abstraction of this board's coloured
    /// net. `weakened` is the goal of the other board. It must be the
    /// [weakened](SimulatingNet::weakened) version of this board's goal for the abstraction.
    /// Otherwise the call is a fault. Only unreachability and upper bounds carry over.
    pub fn on_abstraction(
        &self,
        abstraction: &SimulatingNet,
        goal: GoalId,
        weakened: &Goal,
        known: &Knowledge,
    ) {
        let Some(skeleton) = self.board.coloured.map(ColouredModel::skeleton) else { return };
        let ours = abstraction.weakened(skeleton, self.board.goal(goal));
        if ours.as_ref() != Some(weakened) {
            return self.refuse(goal, &"another goal was asked of the abstraction");
        }
        match known {
            Knowledge::Reach(ReachKnowledge::Unreachable { proof, evidence, technique: by }) => {
                let proof_reporter = ProofReporter { technique: by, ..*self };
                proof_reporter.enter_unreachable(
                    goal,
                    proof.clone().of_abstraction(),
                    evidence.clone(),
                );
            }
            Knowledge::Maximum(Maximum {
                proved: Some(ProvedBound { bound, proof, evidence, technique: by }),
                ..
            }) => {
                let proof_reporter = ProofReporter { technique: by, ..*self };
                proof_reporter.enter_at_most(
                    goal,
                    *bound,
                    proof.clone().of_abstraction(),
                    evidence.clone(),
                );
            }
            // Reachability in the abstraction shows nothing about the coloured net. The board of
            // the abstraction has no other kinds of goals.
            _ => {}
        }
    }

    /// Records a goal as unreachable. Does nothing if the proof rests on a violated claim of safe
    /// units. If the goal was reached, it is frozen: it gets no verdict.
    fn enter_unreachable(&self, goal: GoalId, proof: Proof, evidence: Evidence) {
        let proof = with_reduction_count(self.working_net, proof);
        let mut entry = self.board.entry(goal);
        // Checked while the entry is locked. A proof is void if it assumes the model's claim of
        // safe units and a marking violates the claim. Witnesses are compared with the claim before
        // they are recorded, so no violation is missed here.
        if self.board.rests_on_violated_claim(&proof) {
            return;
        }
        match &entry.knowledge {
            Knowledge::Reach(ReachKnowledge::Open) => {
                let by = self.technique;
                entry.knowledge = Knowledge::Reach(ReachKnowledge::Unreachable {
                    proof,
                    evidence,
                    technique: by,
                });
                drop(entry);
                self.board.note_if_reduced(goal, self.working_net);
                self.board.close(goal, true);
            }
            Knowledge::Reach(ReachKnowledge::Reached { .. }) => {
                self.board.freeze(goal, self.technique, entry)
            }
            _ => {}
        }
    }

    /// Records an upper bound of the goal's sum in the board's net, if it is smaller than the bound
    /// recorded before. Does nothing if the proof rests on a violated claim of safe units. If a
    /// larger value was seen or the sum is unbounded, the goal is frozen: it gets no verdict.
    fn enter_at_most(&self, goal: GoalId, bound: i128, proof: Proof, evidence: Evidence) {
        let proof = with_reduction_count(self.working_net, proof);
        let mut entry = self.board.entry(goal);
        let Knowledge::Maximum(maximum) = &mut entry.knowledge else { return };
        if self.board.rests_on_violated_claim(&proof) {
            return;
        }
        let above = maximum.largest_seen.as_ref().is_some_and(|seen| seen.value > bound);
        if above || maximum.unbounded.is_some() {
            return self.board.freeze(goal, self.technique, entry);
        }
        if maximum.proved.as_ref().is_none_or(|proved| bound < proved.bound) {
            maximum.proved =
                Some(ProvedBound { bound, proof, evidence, technique: self.technique });
            self.board.note_if_reduced(goal, self.working_net);
        }
        if maximum.value().is_some() {
            drop(entry);
            self.board.close(goal, true);
        }
    }
}

/// The reporter for consequences of one certificate, which is checked once. See
/// [`ProofReporter::with_certificate`].
pub struct CertificateReporter<'d> {
    proof_reporter: ProofReporter<'d>,
    document: &'d Arc<Document>,
    /// The result of checking the certificate itself. Empty before the first completed check.
    checked: OnceCell<Result<CheckedDocument<'d>, Flaw>>,
    /// True if a check reached a limit. Later reports are then not checked.
    gave_up: Cell<bool>,
}

impl CertificateReporter<'_> {
    /// Reports that no reachable marking satisfies the goal, because of the certificate.
    pub fn report_unreachable(&self, goal: GoalId, proof: Proof) {
        let board = self.proof_reporter.board;
        let Goal::Reach(predicate) = board.goal(goal) else {
            return self
                .proof_reporter
                .refuse(goal, &"the goal does not ask for a reachable marking");
        };
        if !board.is_open(goal) {
            return;
        }
        if let Some(evidence) = self.evidence(goal, predicate.clone(), &proof) {
            self.proof_reporter.enter_unreachable(goal, proof, evidence);
        }
    }

    /// Reports that the goal's sum is at most `bound` in every reachable marking of the engine's
    /// net, because of the certificate.
    pub fn report_at_most(&self, goal: GoalId, bound: i128, proof: Proof) {
        let board = self.proof_reporter.board;
        let Goal::Maximise(sum) = board.goal(goal) else {
            return self.proof_reporter.refuse(goal, &"it is no maximum");
        };
        let bound = self.proof_reporter.bound_on_board(goal, bound);
        if !board.is_open(goal) || board.proved(goal).is_some_and(|proved| proved <= bound) {
            return;
        }
        // Certificates have 64-bit numbers. A maximum with a larger bound stays open.
        let Ok(claimed) = i64::try_from(bound) else { return };
        let exceeds_bound = Predicate::at_most(sum.clone(), claimed).negated();
        if let Some(evidence) = self.evidence(goal, exceeds_bound, &proof) {
            self.proof_reporter.enter_at_most(goal, bound, proof, evidence);
        }
    }

    /// Checks that the certificate shows a claim: no reachable marking of the net that was read
    /// satisfies `refuted`. Returns the evidence, or `None` if the claim is not shown. If this
    /// check or an earlier check of the certificate reaches a limit, the evidence is the engine's
    /// own exhaustive search. This requires that `proof` rests on such a search and that the board
    /// accepts unchecked searches.
    fn evidence(&self, goal: GoalId, refuted: Predicate, proof: &Proof) -> Option<Evidence> {
        let checks = &self.proof_reporter.board.checks;
        // If the engine also visited all markings, its search is accepted when the check reaches a
        // limit.
        let fallback = self.proof_reporter.search_evidence(proof);
        if self.document.assumes_units() && !proof.assumes_units() {
            self.proof_reporter.refuse(
                goal,
                &"its certificate assumes safe units, but the report does not state this",
            );
            return None;
        }
        if self.gave_up.get() {
            return fallback;
        }
        let budget = checks.budget(fallback.is_none());
        let keep_going = &mut || !budget.is_exhausted();
        match checks.run_timed(|| self.check(refuted, keep_going)) {
            Ok(()) => {
                let derivation =
                    || self.proof_reporter.working_net.and_then(WorkingNet::checked_log);
                let kept =
                    || KeptDocument { document: self.document.clone(), derivation: derivation() };
                Some(Evidence::Certified(checks.keeps_certificates.then(kept)))
            }
            Err(CheckFailure::Stopped) => {
                // The claims of other goals may be within the limits, if the document itself is.
                self.gave_up.set(self.checked.get().is_none() || budget.is_exhausted());
                fallback
            }
            Err(CheckFailure::NotExpressed) => {
                tracing::debug!(
                    "{}: a claim that its net does not express",
                    self.proof_reporter.technique
                );
                None
            }
            Err(CheckFailure::Flawed(flaw)) => {
                self.proof_reporter.refuse(goal, &flaw);
                None
            }
        }
    }

    /// Checks that the certificate is correct and implies that no reachable marking satisfies
    /// `refuted`, a predicate on the net that was read.
    fn check(
        &self,
        refuted: Predicate,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<(), CheckFailure> {
        let (net, refuted) = match self.proof_reporter.working_net {
            None => (self.proof_reporter.board.net, refuted),
            Some(working_net) => working_net.checked_predicate(refuted, keep_going)?,
        };
        // A model claims safety for the units of its own net, not for those of a derived net.
        if self.document.assumes_units() {
            if self
                .proof_reporter
                .working_net
                .is_some_and(|working_net| working_net.parent().is_some())
            {
                return Err(CheckFailure::NotExpressed);
            }
            if net.units().is_none() {
                let flaw = "it assumes safe units, but the net has no units".to_owned();
                return Err(CheckFailure::Flawed(flaw));
            }
        }
        if self.checked.get().is_none() {
            let stated_markings = match **self.document {
                Document::Markings(count) => count,
                _ => 0,
            };
            match self.document.check(net, keep_going) {
                Err(flaw) if is_limit_of_visit(&flaw, stated_markings) => {
                    return Err(CheckFailure::Stopped);
                }
                // The cell is still empty: only this thread sets it.
                result => drop(self.checked.set(result)),
            }
        }
        match self.checked.get() {
            Some(Ok(checked)) => Ok(checked.refutes(&refuted, keep_going)?),
            Some(Err(flaw)) => Err(flaw.clone().into()),
            None => Err(CheckFailure::Stopped),
        }
    }
}

/// The reason why a certificate does not prove a claim.
enum CheckFailure {
    /// The check reached a limit on time, memory or numbers.
    Stopped,
    /// The engine's net cannot express the claim, or the certificate assumes safe units of a
    /// derived net.
    NotExpressed,
    /// The certificate or the derivation of the net is wrong, for this reason.
    Flawed(String),
}

impl From<Flaw> for CheckFailure {
    fn from(flaw: Flaw) -> CheckFailure {
        match is_limit(&flaw) {
            true => CheckFailure::Stopped,
            false => CheckFailure::Flawed(flaw.to_string()),
        }
    }
}

impl From<ClaimObstacle> for CheckFailure {
    fn from(why: ClaimObstacle) -> CheckFailure {
        match why {
            ClaimObstacle::Stopped => CheckFailure::Stopped,
            ClaimObstacle::NotExpressed => CheckFailure::NotExpressed,
            ClaimObstacle::BrokenDerivation => CheckFailure::Flawed(why.to_string()),
        }
    }
}
