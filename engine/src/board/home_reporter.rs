//! Reports on home spaces: whether a goal stays reachable from every reachable marking ("kept") or
//! not ("lost").
//!
//! A witness or a proof alone usually cannot decide this. "Lost" needs a firing sequence, and a
//! proof that the goal is unreachable from its end. An argument that the goal's transition fires
//! only finitely often also suffices. "Kept" needs a proof about all reachable markings. The board
//! checks the sequence and the proof on the net that was read, or on the checker's own copy of the
//! engine's reduced net. The checker repeats an exhaustive search if it is small. Otherwise the
//! search is trusted and marked as unchecked.

use super::{
    Argument, Board, Evidence, HomeKnowledge, KeptStructure, Knowledge, Proof, ReachKnowledge,
    Technique, Witness, is_limit, is_limit_of_visit, with_reduction_count,
};
use crate::working_net::{ClaimObstacle, TranslationLimit, WorkingNet};
use parikh_evidence::home::commoner::{check_closed, check_commoner};
use parikh_evidence::home::finite_firings::check_finite_firings;
use parikh_evidence::home::liveness::asks_for_liveness;
use parikh_evidence::home::undoable_firings::check_undone;
use parikh_evidence::home::unreachable_after::check_lost;
use parikh_evidence::home::visited_markings::find_staying;
use parikh_evidence::home::ways_back::{ReturnProof, check_returning, sequence};
use parikh_evidence::home::{HomeArgument, HomeFlaw};
use parikh_evidence::{Document, ReplayError};
use parikh_net::{FiringSequence, Goal, GoalId, Net, Predicate};
use std::sync::Arc;
use std::time::Instant;

/// The reporter for home-space goals. See [`crate::board`].
#[derive(Clone, Copy)]
pub struct HomeReporter<'b> {
    board: &'b Board<'b>,
    technique: Technique,
    /// The engine's net; `None` for the net that was read. Reports of exhaustive searches, of
    /// proofs that all markings lead back, and of predicates lost on the engine's net are about
    /// this net. The other reports are about the net that was read.
    working_net: Option<&'b WorkingNet<'b>>,
}

/// The finding of an exhaustive search about a goal.
#[derive(Clone, Debug)]
pub struct HomeFinding {
    /// The goal.
    pub goal: GoalId,
    /// True if the goal stays reachable.
    pub stays_reachable: bool,
    /// A sequence of the net that was read to a marking from which the goal is unreachable. `None`
    /// if the goal stays reachable, or if no sequence is known.
    pub sequence: Option<FiringSequence>,
}

/// The extent of an exhaustive search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchExtent {
    /// The number of markings visited, summed over the parts of the net that the goals concern.
    pub markings: u64,
    /// The number of independent parts of the net. Parts that no goal concerns are counted, but not
    /// visited. 1 for the net as a whole, 0 if nothing had to be visited.
    pub part_count: usize,
}

/// The largest number of markings for which the checker repeats an exhaustive search.
const MAX_REVISITED_MARKINGS: u64 = 100_000;

impl Board<'_> {
    /// Returns the reporter for home-space goals.
    pub fn home_reporter(&self, by: Technique) -> HomeReporter<'_> {
        HomeReporter { board: self, technique: by, working_net: None }
    }
}

impl<'b> HomeReporter<'b> {
    /// Returns the reporter for an engine that works on `working_net`.
    pub fn on(self, working_net: &'b WorkingNet<'b>) -> Self {
        HomeReporter { working_net: Some(working_net), ..self }
    }

    /// Reports that the goal is unreachable from the end of `sequence`, a sequence of the net that
    /// was read. The certificate of the proof is about this net with the end marking as its initial
    /// marking. Without a certificate, the end marking must be dead and violate the goal. Does
    /// nothing if the sequence has 2⁶⁴ firings or more.
    pub fn report_lost_after(&self, goal: GoalId, sequence: FiringSequence, proof: Proof) {
        let Some(wanted) = self.open_predicate(goal) else { return };
        let Ok(firings) = u64::try_from(sequence.firings()) else { return };
        self.board.check_units_claim(&sequence, u64::MAX);
        let document = proof.document.as_deref();
        if document.is_some_and(|document| document.assumes_units()) && !proof.assumes_units() {
            return self.refuse(goal, &"its document assumes safe units, and it does not say so");
        }
        let check = |keep_going: &mut dyn FnMut() -> bool| {
            check_lost(self.board.net, &sequence, wanted, document, keep_going)
        };
        if self.is_accepted(goal, check) {
            let (sequence, firings) = match self.shorter_prefix(&sequence, wanted, document) {
                Some(sooner) => sooner,
                None => (sequence, firings),
            };
            let end = parikh_evidence::replay(self.board.net, &sequence);
            let witness = Witness::new(Arc::new(sequence), firings);
            let witness = match end {
                Ok(end) => self.board.shortened(goal, witness, &end),
                Err(_) => witness,
            };
            let (witness, evidence, by) =
                (Some(witness), Evidence::Certified(None), self.technique);
            self.enter(
                goal,
                HomeKnowledge::BecomesUnreachable { witness, proof, evidence, technique: by },
            );
        }
    }

    /// Returns a shorter prefix of the sequence, and its number of firings. The same certificate
    /// must prove that the goal is unreachable from the end of the prefix. Tries the prefixes with
    /// 0, 1, 2, 4, 8, … firings and returns the first suitable one. Returns `None` if none is found
    /// in time, if witnesses are not shortened, or if the sequence has 2⁶⁴ firings or more.
    fn shorter_prefix(
        &self,
        sequence: &FiringSequence,
        wanted: &Predicate,
        document: Option<&Document>,
    ) -> Option<(FiringSequence, u64)> {
        let (start, time) = (Instant::now(), self.board.time_to_shorten()?);
        let total_firings = u64::try_from(sequence.firings()).ok()?;
        let mut firings = 0;
        let mut shorter = None;
        while firings < total_firings && shorter.is_none() && start.elapsed() < time {
            let mut prefix = sequence.clone();
            prefix.truncate(firings);
            let keep_going = &mut || start.elapsed() < time;
            if check_lost(self.board.net, &prefix, wanted, document, keep_going).is_ok() {
                shorter = Some((prefix, firings));
            }
            firings = (2 * firings).max(1);
        }
        self.board.shortening.spend(start);
        shorter
    }

    /// Reports that the goal becomes unreachable, because its transition fires finitely often. Each
    /// firing of the transition lowers a weighted sum of tokens that no firing increases.
    /// `structure` has the weights.
    pub fn report_lost_finitely(&self, goal: GoalId, structure: &Arc<HomeArgument>) {
        let Some(wanted) = self.open_predicate(goal) else { return };
        let HomeArgument::Finitely(weights) = &**structure else { return };
        if self.is_accepted(goal, |_| check_finite_firings(self.board.net, weights, wanted)) {
            let proof = Proof::new(Argument::FinitelyManyFirings, None);
            let (evidence, by) = (self.structure_evidence(structure), self.technique);
            self.enter(
                goal,
                HomeKnowledge::BecomesUnreachable { witness: None, proof, evidence, technique: by },
            );
        }
    }

    /// Reports the findings of an exhaustive search of the engine's net. Findings about closed
    /// goals are ignored.
    pub fn report_searched(&self, findings: Vec<HomeFinding>, visited: SearchExtent) {
        let open = findings
            .into_iter()
            .filter_map(|found| Some((self.open_predicate(found.goal)?, found)));
        let (wanted, found): (Vec<&Predicate>, Vec<HomeFinding>) = open.unzip();
        if found.is_empty() {
            return;
        }
        let markings = visited.markings;
        let proof =
            with_reduction_count(self.working_net, Proof::of_parts(markings, visited.part_count));
        let (argued, checker_results) = self.repeat_search(&wanted, markings);
        for (HomeFinding { goal, stays_reachable: stays, sequence }, checker_result) in
            found.into_iter().zip(checker_results)
        {
            let evidence = match checker_result {
                Some(again) if again == stays => Evidence::Argued(argued.clone()),
                Some(_) => {
                    self.refuse(goal, &"visited again: the value is the opposite");
                    continue;
                }
                None if self.board.checks.accepts_searches => {
                    Evidence::Searched { markings, stubborn: false, argued: argued.clone() }
                }
                None => continue,
            };
            let witness = sequence.and_then(|sequence| self.witness(goal, sequence));
            let (proof, by) = (proof.clone(), self.technique);
            self.enter(
                goal,
                match stays {
                    true => HomeKnowledge::StaysReachable { proof, evidence, technique: by },
                    false => HomeKnowledge::BecomesUnreachable {
                        witness,
                        proof,
                        evidence,
                        technique: by,
                    },
                },
            );
        }
    }

    /// Repeats an exhaustive search in the checker, if it visited few markings. Returns the
    /// structure to keep for an evidence file. Also returns, for each predicate, true if it stays
    /// reachable, or `None` if the checker did not decide this. The structure is `None` if no
    /// evidence is kept, or if the search cannot be repeated on the engine's net.
    fn repeat_search(
        &self,
        wanted: &[&Predicate],
        markings: u64,
    ) -> (Option<KeptStructure>, Vec<Option<bool>>) {
        let unknown = || vec![None; wanted.len()];
        let checks = &self.board.checks;
        // If evidence files are written, the checker must visit the markings even if the result
        // does not need it: the file refers to the markings that the checker visits.
        let budget = checks.budget(checks.keeps_certificates);
        let keep_going = &mut || !budget.is_exhausted();
        let decisions = checks.run_timed(|| {
            let (net, wanted) = self.translated(wanted, keep_going)?;
            if markings > MAX_REVISITED_MARKINGS {
                return Ok(unknown());
            }
            match find_staying(net, markings.max(1), &wanted, keep_going) {
                Err(flaw) if is_limit_of_visit(&flaw, markings) => Ok(unknown()),
                decided => decided.map_err(|flaw| flaw.to_string()),
            }
        });
        match decisions {
            Ok(stays_reachable) => {
                let derivation = self.working_net.and_then(WorkingNet::checked_log);
                let structure = Arc::new(HomeArgument::Visited(markings));
                (
                    checks.keeps_certificates.then_some(KeptStructure { structure, derivation }),
                    stays_reachable,
                )
            }
            Err(why) => {
                if !why.is_empty() {
                    let net = self.board.net.name();
                    self.board
                        .fault(self.technique, format_args!("a search on net `{net}`: {why}"));
                }
                (None, unknown())
            }
        }
    }

    /// Returns the checker's own copy of the engine's net, and the predicates translated to this
    /// net. If the engine works on the net that was read, returns this net and the predicates
    /// unchanged. The error is the reason for a failure, or an empty text if the time was over.
    fn translated(
        &self,
        wanted: &[&Predicate],
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<(&'b Net, Vec<Predicate>), String> {
        let (mut net, mut translated_predicates) =
            (self.board.net, Vec::with_capacity(wanted.len()));
        for &wanted in wanted {
            let wanted = wanted.clone();
            let translated = match self.working_net {
                None => Ok((net, wanted)),
                Some(working_net) => working_net.checked_home(wanted, keep_going),
            };
            let (translated_net, wanted) = translated.map_err(|why| match why {
                ClaimObstacle::Stopped => String::new(),
                why => why.to_string(),
            })?;
            net = translated_net;
            translated_predicates.push(wanted);
        }
        Ok((net, translated_predicates))
    }

    /// Returns the witness for the marking after a sequence of the net that was read, shortened if
    /// possible. Returns `None` if the sequence does not replay or has 2⁶⁴ firings or more.
    fn witness(&self, goal: GoalId, sequence: FiringSequence) -> Option<Witness> {
        let end = parikh_evidence::replay(self.board.net, &sequence).ok()?;
        self.board.check_units_claim(&sequence, u64::MAX);
        let firings = u64::try_from(sequence.firings()).ok()?;
        let witness = Witness::new(Arc::new(sequence), firings);
        Some(self.board.shortened(goal, witness, &end))
    }

    /// Reports that all transitions are live, because the net is an asymmetric-choice net in which
    /// every siphon contains an initially marked trap. Settles the goals in `goals` that ask for
    /// liveness, and ignores the others. `structure` has the traps.
    pub fn report_all_live(&self, goals: &[GoalId], structure: &Arc<HomeArgument>) {
        let HomeArgument::Commoner { traps, refutation } = &**structure else { return };
        let open = || goals.iter().filter(|&&goal| self.open_predicate(goal).is_some());
        let Some(&first) = open().next() else { return };
        let check = |keep_going: &mut dyn FnMut() -> bool| {
            check_commoner(self.board.net, traps, refutation, keep_going)
        };
        if self.is_accepted(first, check) {
            for &goal in open() {
                if self.open_predicate(goal).is_some_and(asks_for_liveness) {
                    self.enter_stays_reachable(
                        goal,
                        Argument::Commoner { traps: traps.len() },
                        structure,
                    );
                }
            }
        }
    }

    /// Reports that the goal's target marking stays coverable. The argument adds a transition to
    /// the net that consumes the target marking and produces the initial marking (the closed net).
    /// The closed net is live: it is an asymmetric-choice net in which every siphon contains an
    /// initially marked trap. `structure` contains these traps.
    pub fn report_kept_closed(&self, goal: GoalId, structure: &Arc<HomeArgument>) {
        let Some(wanted) = self.open_predicate(goal) else { return };
        let HomeArgument::Closed { traps, refutation } = &**structure else { return };
        let check = |keep_going: &mut dyn FnMut() -> bool| {
            check_closed(self.board.net, wanted, traps, refutation, keep_going)
        };
        if self.is_accepted(goal, check) {
            self.enter_stays_reachable(
                goal,
                Argument::CommonerOfClosedNet { traps: traps.len() },
                structure,
            );
        }
    }

    /// Reports that every firing can be undone, so that every marking that was reached stays
    /// reachable. Settles the home-space goals whose predicate holds initially, and those whose
    /// predicate has been reached. Predicates reached later settle their home-space goals, too.
    pub fn report_all_undone(&self, structure: &Arc<HomeArgument>) {
        let board = self.board;
        let HomeArgument::Undone(sequences) = &**structure else { return };
        let Some(&first) = board.homes.values().next() else { return };
        if self.is_accepted(first, |keep_going| check_undone(board.net, sequences, keep_going))
            && board.reversible.set((self.technique, structure.clone())).is_ok()
        {
            for (wanted, &goal) in &board.homes {
                if wanted.holds(board.net, board.net.initial()) {
                    self.enter_stays_reachable(goal, Argument::ReversibleFirings, structure);
                }
            }
            board.ids().for_each(|goal| settle_home_of_reached(board, goal));
        }
    }

    /// Reports that from every reachable marking of the engine's net, firings lead back. They lead
    /// to markings that cover a fixed marking, or to markings that satisfy the goals (see
    /// [`ReturnProof::to`]). Returns how many of the goals in `goals` this shows to stay reachable.
    pub fn report_returning(&self, goals: &[GoalId], returning: ReturnProof) -> usize {
        let open = goals.iter().filter_map(|&goal| Some((goal, self.open_predicate(goal)?)));
        let (open, wanted): (Vec<GoalId>, Vec<&Predicate>) = open.unzip();
        let Some(&first) = open.first() else { return 0 };
        let structure = Arc::new(HomeArgument::Returning(Box::new(returning)));
        let HomeArgument::Returning(returning) = &*structure else { return 0 };
        let mut stays_reachable = Vec::new();
        let mut obstacle = None;
        let check = |keep_going: &mut dyn FnMut() -> bool| {
            match self.translated(&wanted, keep_going) {
                Ok((net, wanted)) => {
                    let wanted: Vec<&Predicate> = wanted.iter().collect();
                    stays_reachable = check_returning(net, returning, &wanted, keep_going)?;
                }
                Err(why) => obstacle = Some(why),
            }
            Ok(())
        };
        let holds = self.is_accepted(first, check);
        if let Some(why) = obstacle.filter(|why| !why.is_empty()) {
            self.refuse(first, &why);
        }
        if !holds {
            return 0;
        }
        if self.working_net.is_none_or(|working_net| working_net.parent().is_none())
            && let Some(to) = &returning.to
        {
            self.board.check_units_claim(&sequence(to), u64::MAX);
        }
        let mut reported_count = 0;
        for (goal, _) in open.into_iter().zip(stays_reachable).filter(|(_, kept)| *kept) {
            let (proof, evidence) =
                self.proof_and_evidence_on_engine_net(Argument::FiringsLeadBack, &structure);
            self.enter(
                goal,
                HomeKnowledge::StaysReachable { proof, evidence, technique: self.technique },
            );
            reported_count += 1;
        }
        reported_count
    }

    /// Reports that the goal is unreachable after the sequence `after` of the engine's net. The
    /// certificate is about the engine's net with the end of this sequence as its initial marking.
    pub fn report_lost_after_on_engine_net(
        &self,
        goal: GoalId,
        after: FiringSequence,
        argument: Argument,
        document: Document,
    ) {
        if self.working_net.is_none_or(|working_net| working_net.parent().is_none()) {
            return self.report_lost_after(
                goal,
                after,
                Proof::new(argument, Some(Arc::new(document))),
            );
        }
        let Some(wanted) = self.open_predicate(goal) else { return };
        let mut obstacle = None;
        let check = |keep_going: &mut dyn FnMut() -> bool| {
            match self.translated(&[wanted], keep_going) {
                Ok((net, wanted)) => {
                    check_lost(net, &after, &wanted[0], Some(&document), keep_going)?;
                }
                Err(why) => obstacle = Some(why),
            }
            Ok(())
        };
        let holds = self.is_accepted(goal, check) && obstacle.is_none();
        if let Some(why) = obstacle.filter(|why| !why.is_empty()) {
            self.refuse(goal, &why);
        }
        if holds {
            let after = after.steps().iter().map(|step| (step.transition, step.count)).collect();
            let structure = Arc::new(HomeArgument::Lost { after, document });
            let (proof, evidence) = self.proof_and_evidence_on_engine_net(argument, &structure);
            self.enter(
                goal,
                HomeKnowledge::BecomesUnreachable {
                    witness: None,
                    proof,
                    evidence,
                    technique: self.technique,
                },
            );
        }
    }

    /// Returns the proof and the evidence for an accepted argument about the engine's net.
    fn proof_and_evidence_on_engine_net(
        &self,
        argument: Argument,
        structure: &Arc<HomeArgument>,
    ) -> (Proof, Evidence) {
        let proof = Proof::new(argument, None);
        let Some(working_net) = self.working_net else {
            return (proof, self.structure_evidence(structure));
        };
        let argued = || KeptStructure {
            structure: structure.clone(),
            derivation: working_net.checked_log(),
        };
        let evidence = Evidence::Argued(self.board.checks.keeps_certificates.then(argued));
        (with_reduction_count(self.working_net, proof), evidence)
    }

    /// Returns the evidence for an accepted argument about the net that was read.
    fn structure_evidence(&self, structure: &Arc<HomeArgument>) -> Evidence {
        let argued = || KeptStructure { structure: structure.clone(), derivation: None };
        Evidence::Argued(self.board.checks.keeps_certificates.then(argued))
    }

    fn enter_stays_reachable(
        &self,
        goal: GoalId,
        argument: Argument,
        structure: &Arc<HomeArgument>,
    ) {
        let (proof, evidence) = (Proof::new(argument, None), self.structure_evidence(structure));
        self.enter(
            goal,
            HomeKnowledge::StaysReachable { proof, evidence, technique: self.technique },
        );
    }

    /// Returns the predicate of an open goal. Returns `None` for a closed goal, and for a goal of
    /// another kind, which counts as a fault.
    fn open_predicate(&self, goal: GoalId) -> Option<&'b Predicate> {
        match self.board.goal(goal) {
            Goal::Home(wanted) if self.board.is_open(goal) => Some(wanted),
            Goal::Home(_) => None,
            _ => {
                self.refuse(goal, &"the goal is not a home property");
                None
            }
        }
    }

    /// Returns true if the checker accepts the argument. Returns false if the checker refuses it,
    /// which counts as a fault. Also returns false if the time ends, the argument is too large to
    /// check, or a place would get too many tokens.
    fn is_accepted(
        &self,
        goal: GoalId,
        check: impl FnOnce(&mut dyn FnMut() -> bool) -> Result<(), HomeFlaw>,
    ) -> bool {
        let checks = &self.board.checks;
        let budget = checks.budget(true);
        match checks.run_timed(|| check(&mut || !budget.is_exhausted())) {
            Ok(()) => true,
            Err(HomeFlaw::Document(flaw)) if is_limit(&flaw) => {
                tracing::debug!("{}: beyond the checker's limits: {flaw}", self.technique);
                false
            }
            Err(HomeFlaw::Sequence(ReplayError::Overflow { .. })) => {
                self.board.record_exceeded_limit(TranslationLimit::Tokens);
                false
            }
            Err(flaw) => {
                self.refuse(goal, &flaw);
                false
            }
        }
    }

    fn refuse(&self, goal: GoalId, flaw: &dyn std::fmt::Display) {
        let net = self.board.net.name();
        self.board
            .fault(self.technique, format_args!("a proof about {goal:?} of net `{net}`: {flaw}"));
    }

    /// Records a result. Does nothing if its proof rests on a violated claim of safe units. If the
    /// opposite result is recorded already, the goal is frozen: it gets no verdict.
    fn enter(&self, goal: GoalId, found: HomeKnowledge) {
        let mut entry = self.board.entry(goal);
        let rests_on = |home: &HomeKnowledge| match home {
            HomeKnowledge::StaysReachable { proof, .. }
            | HomeKnowledge::BecomesUnreachable { proof, .. } => {
                self.board.rests_on_violated_claim(proof)
            }
            HomeKnowledge::Open => false,
        };
        if rests_on(&found) {
            return;
        }
        match &entry.knowledge {
            Knowledge::Home(HomeKnowledge::Open) => {
                entry.knowledge = Knowledge::Home(found);
                drop(entry);
                self.board.note_if_reduced(goal, self.working_net);
                self.board.close(goal, true);
            }
            Knowledge::Home(known)
                if matches!(known, HomeKnowledge::StaysReachable { .. })
                    != matches!(found, HomeKnowledge::StaysReachable { .. }) =>
            {
                self.board.freeze(goal, self.technique, entry);
            }
            _ => {}
        }
    }
}

/// Settles a home-space goal after a goal with the same predicate was reached. The home-space goal
/// is recorded as staying reachable if every firing is known to be undoable. Otherwise nothing
/// happens.
pub(super) fn settle_home_of_reached(board: &Board<'_>, goal: GoalId) {
    let Some((by, structure)) = board.reversible.get() else { return };
    let Goal::Reach(predicate) = board.goal(goal) else { return };
    let is_reached =
        || matches!(board.entry(goal).knowledge, Knowledge::Reach(ReachKnowledge::Reached { .. }));
    if let Some(&home) = board.homes.get(predicate)
        && board.is_open(home)
        && is_reached()
    {
        board.home_reporter(by).enter_stays_reachable(home, Argument::ReversibleFirings, structure);
    }
}
