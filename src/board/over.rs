//! Reports of engines that approximate from above: "unreachable", "at most".

use super::{
    Argument, Board, Evidence, Knowledge, Maximum, Proof, Reach, Shown, Technique, about_read,
    in_tokens_of,
};
use crate::evidence::abstraction::{Abstraction, ColouredModel};
use crate::evidence::{CheckedDocument, Document, Flaw};
use crate::ground::{ClaimObstacle, Ground};
use parikh_net::{Goal, GoalId, Predicate};
use std::cell::{Cell, OnceCell};
use std::sync::Arc;

/// Takes an engine's reports of what is impossible. See [`crate::board`].
#[derive(Clone, Copy)]
pub struct Over<'b> {
    board: &'b Board<'b>,
    by: Technique,
    /// Where the engine works; nothing for the net that was read.
    ground: Option<&'b Ground<'b>>,
}

impl Board<'_> {
    /// Takes reports about the board's net of engines that approximate from above.
    pub fn over(&self, by: Technique) -> Over<'_> {
        Over { board: self, by, ground: None }
    }
}

impl<'b> Over<'b> {
    /// For an engine that works on `ground`.
    pub fn on(self, ground: &'b Ground<'b>) -> Self {
        Over { ground: Some(ground), ..self }
    }

    /// [`Board::proved`], as the goal reads on the engine's net.
    pub fn proved(&self, goal: GoalId) -> Option<i128> {
        in_tokens_of(self.ground, goal, self.board.proved(goal))
    }

    /// [`Board::seen`], as the goal reads on the engine's net.
    pub fn seen(&self, goal: GoalId) -> Option<i128> {
        in_tokens_of(self.ground, goal, self.board.seen(goal))
    }

    /// For what follows from `document`, which is about the engine's net: it is checked once, when
    /// something is first said to follow from it, and then for each goal.
    pub fn by<'d>(self, document: &'d Arc<Document>) -> By<'d>
    where
        'b: 'd,
    {
        By { over: self, document, checked: OnceCell::new(), gave_up: Cell::new(false) }
    }

    /// A proof that its own checker refuses: logged and counted, and nothing is said of the goal.
    pub fn refuse(&self, goal: GoalId, flaw: &dyn std::fmt::Display) {
        let net = self.board.net.name();
        self.board.fault(self.by, format_args!("a proof about {goal:?} of net `{net}`: {flaw}"));
    }

    /// No reachable marking satisfies the goal, as the document of the proof shows (for several
    /// goals see [`by`](Self::by)). Without one only the word of a search is taken that visited all
    /// markings that matter.
    pub fn unreachable(&self, goal: GoalId, proof: Proof) {
        if let Some(document) = proof.document.clone() {
            return self.by(&document).unreachable(goal, proof);
        }
        match self.word_of(&proof) {
            Some(evidence) => self.enter_unreachable(goal, proof, evidence),
            None => self.without_document(goal, &proof),
        }
    }

    /// No reachable marking exceeds `bound`, which is shown in the same way.
    pub fn at_most(&self, goal: GoalId, bound: i128, proof: Proof) {
        if let Some(document) = proof.document.clone() {
            return self.by(&document).at_most(goal, bound, proof);
        }
        match self.word_of(&proof) {
            Some(evidence) => self.enter_at_most(goal, self.on_board(goal, bound), proof, evidence),
            None => self.without_document(goal, &proof),
        }
    }

    /// Drops a proof without a document: silently if it is a search's word that this board does not
    /// take, else as a fault.
    fn without_document(&self, goal: GoalId, proof: &Proof) {
        match proof.argument {
            Argument::Searched { .. } => {
                tracing::debug!("{}: a search is not enough for {goal:?}", self.by);
            }
            _ => self.refuse(goal, &"there is no document"),
        }
    }

    /// The evidence of a search by itself.
    fn word_of(&self, proof: &Proof) -> Option<Evidence> {
        match proof.argument {
            Argument::Searched { markings, stubborn, .. } if self.board.checks.take_searches => {
                Some(Evidence::Searched { markings, stubborn, argued: None })
            }
            _ => None,
        }
    }

    /// A bound in the tokens of the board's net.
    fn on_board(&self, goal: GoalId, bound: i128) -> i128 {
        bound + self.ground.map_or(0, |ground| ground.constant(goal))
    }

    /// What another board, over an abstraction of this board's coloured net, has of this goal
    /// [weakened](Abstraction::weakened).
    pub fn on_abstraction(
        &self,
        abstraction: &Abstraction,
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
            Knowledge::Reach(Reach::Unreachable { proof, evidence, by }) => {
                let over = Over { by, ..*self };
                over.enter_unreachable(goal, proof.clone().of_abstraction(), evidence.clone());
            }
            Knowledge::Maximum(Maximum {
                proved: Some((bound, proof, by)),
                evidence: Some(evidence),
                ..
            }) => {
                let over = Over { by, ..*self };
                over.enter_at_most(goal, *bound, proof.clone().of_abstraction(), evidence.clone());
            }
            // What the abstraction reaches says nothing, and of other goals it is not asked.
            _ => {}
        }
    }

    fn enter_unreachable(&self, goal: GoalId, proof: Proof, evidence: Evidence) {
        let proof = about_read(self.ground, proof);
        let mut entry = self.board.entry(goal);
        // While the entry is locked: a witness is compared with the model's claim before it is
        // noted, so no breach is missed here.
        if self.board.is_void(&proof) {
            return;
        }
        match &entry.knowledge {
            Knowledge::Reach(Reach::Open) => {
                let by = self.by;
                entry.knowledge = Knowledge::Reach(Reach::Unreachable { proof, evidence, by });
                drop(entry);
                self.board.note_ground(goal, self.ground);
                self.board.close(goal, true);
            }
            Knowledge::Reach(Reach::Reached { .. }) => self.board.freeze(goal, self.by, entry),
            _ => {}
        }
    }

    fn enter_at_most(&self, goal: GoalId, bound: i128, proof: Proof, evidence: Evidence) {
        let proof = about_read(self.ground, proof);
        let mut entry = self.board.entry(goal);
        let Knowledge::Maximum(maximum) = &mut entry.knowledge else { return };
        if self.board.is_void(&proof) {
            return;
        }
        let above = maximum.seen.as_ref().is_some_and(|(seen, ..)| *seen > bound);
        if above || maximum.unbounded.is_some() {
            return self.board.freeze(goal, self.by, entry);
        }
        if maximum.proved.as_ref().is_none_or(|(proved, ..)| bound < *proved) {
            maximum.proved = Some((bound, proof, self.by));
            maximum.evidence = Some(evidence);
            self.board.note_ground(goal, self.ground);
        }
        if maximum.value().is_some() {
            drop(entry);
            self.board.close(goal, true);
        }
    }
}

/// Takes reports that follow from one document, which is checked once. See [`Over::by`].
pub struct By<'d> {
    over: Over<'d>,
    document: &'d Arc<Document>,
    /// The steps of the document, once they were gone through.
    checked: OnceCell<Result<CheckedDocument<'d>, Flaw>>,
    /// Whether a check was not made to the end: there will not be more time for the next goal.
    gave_up: Cell<bool>,
}

impl By<'_> {
    /// No reachable marking satisfies the goal.
    pub fn unreachable(&self, goal: GoalId, proof: Proof) {
        let board = self.over.board;
        let Goal::Reach(predicate) = board.goal(goal) else {
            return self.over.refuse(goal, &"it is a maximum");
        };
        if !board.is_open(goal) {
            return;
        }
        if let Some(evidence) = self.evidence(goal, predicate.clone(), &proof) {
            self.over.enter_unreachable(goal, proof, evidence);
        }
    }

    /// No reachable marking exceeds `bound`, in tokens of the engine's net.
    pub fn at_most(&self, goal: GoalId, bound: i128, proof: Proof) {
        let board = self.over.board;
        let Goal::Maximise(sum) = board.goal(goal) else {
            return self.over.refuse(goal, &"it is no maximum");
        };
        let bound = self.over.on_board(goal, bound);
        if !board.is_open(goal) || board.proved(goal).is_some_and(|proved| proved <= bound) {
            return;
        }
        // Documents speak of 64 bits; a maximum beyond stays open.
        let Ok(claimed) = i64::try_from(bound) else { return };
        let more = Predicate::at_most(sum.clone(), claimed).negated();
        if let Some(evidence) = self.evidence(goal, more, &proof) {
            self.over.enter_at_most(goal, bound, proof, evidence);
        }
    }

    /// What it stands on, after a check of the document, that no reachable marking of the net that
    /// was read satisfies `refuted`; nothing when it does not stand.
    fn evidence(&self, goal: GoalId, refuted: Predicate, proof: &Proof) -> Option<Evidence> {
        let checks = &self.over.board.checks;
        // If a search stands behind the document, its word is taken when the check runs out of
        // time.
        let word = self.over.word_of(proof);
        if self.document.assumes_units() && !proof.assumes_units() {
            self.over.refuse(goal, &"its document assumes safe units, and it does not say so");
            return None;
        }
        if self.gave_up.get() {
            return word;
        }
        let budget = checks.budget(word.is_none());
        let goes_on = &mut || !budget.is_exhausted();
        match checks.count(|| self.check(refuted, goes_on)) {
            Ok(()) => {
                let on = || self.over.ground.and_then(Ground::checked_log);
                let kept = || Shown { document: self.document.clone(), on: on() };
                Some(Evidence::Certified(checks.keep.then(kept)))
            }
            Err(CheckFailure::Stopped) => {
                self.gave_up.set(true);
                word
            }
            Err(CheckFailure::NotExpressed) => {
                tracing::debug!("{}: a claim that its net does not express", self.over.by);
                None
            }
            Err(CheckFailure::Flawed(flaw)) => {
                self.over.refuse(goal, &flaw);
                None
            }
        }
    }

    fn check(
        &self,
        refuted: Predicate,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), CheckFailure> {
        let (net, refuted) = match self.over.ground {
            None => (self.over.board.net, refuted),
            Some(ground) => ground.checked_predicate(refuted, goes_on)?,
        };
        // A model claims units of its own net; nobody speaks for those of a derived one.
        if self.document.assumes_units() {
            if self.over.ground.is_some_and(|ground| ground.parent().is_some()) {
                return Err(CheckFailure::NotExpressed);
            }
            if net.units().is_none() {
                let flaw = "it assumes units on a net without any".to_owned();
                return Err(CheckFailure::Flawed(flaw));
            }
        }
        if self.checked.get().is_none() {
            match self.document.check(net, goes_on) {
                Err(Flaw::Stopped) => return Err(CheckFailure::Stopped),
                // Nobody else has set it meanwhile: it is ours alone.
                steps => drop(self.checked.set(steps)),
            }
        }
        match self.checked.get() {
            Some(Ok(checked)) => Ok(checked.refutes(&refuted, goes_on)?),
            Some(Err(flaw)) => Err(CheckFailure::Flawed(flaw.to_string())),
            None => Err(CheckFailure::Stopped),
        }
    }
}

/// Why a document shows nothing.
enum CheckFailure {
    Stopped,
    NotExpressed,
    Flawed(String),
}

impl From<Flaw> for CheckFailure {
    fn from(flaw: Flaw) -> CheckFailure {
        match flaw {
            Flaw::Stopped => CheckFailure::Stopped,
            flaw => CheckFailure::Flawed(flaw.to_string()),
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
