//! Reports on the tree of runs: whether it has a CTL property.
//!
//! A labelling lists markings with the subformulas that hold there. The checker verifies that each
//! label follows from others. A labelling may assume that other goals are unreachable or stay
//! reachable. If it is too large to keep, the result rests on a search.

use super::{
    Argument, Board, Evidence, KeptDocument, Knowledge, Proof, Technique, TreeKnowledge, is_limit,
};
use parikh_evidence::tree::visit::{TreeSearch, visit_tree};
use parikh_evidence::tree::{Labelling, LabellingFlaw, TreePremises};
use parikh_evidence::{CheckedDocument, Document, Flaw};
use parikh_net::{Goal, GoalId, TreeProperty};
use parikh_solvers::Budget;
use std::cell::{Cell, OnceCell};
use std::sync::Arc;

/// The largest number of markings for which the checker repeats an exhaustive search.
const MAX_REVISITED_MARKINGS: u64 = 20_000;

/// The reporter for properties of the tree of runs. See [`crate::board`].
#[derive(Clone, Copy)]
pub struct TreeReporter<'b> {
    board: &'b Board<'b>,
    technique: Technique,
}

impl Board<'_> {
    /// Returns the reporter for properties of the tree of runs.
    pub fn tree_reporter(&self, by: Technique) -> TreeReporter<'_> {
        TreeReporter { board: self, technique: by }
    }
}

impl<'b> TreeReporter<'b> {
    /// Reports the truth value of the property that follows from `labelling`. The labelling may use
    /// premises about other goals. The goals in `given` must be settled and show every premise.
    pub fn report_labelled(&self, goal: GoalId, labelling: Labelling, given: Vec<GoalId>) {
        let Some(property) = self.property(goal) else { return };
        let TreePremises { unreachable_predicates: never, home_predicates: stays } =
            &labelling.premises;
        let assumes_units = match self.board.check_premises(&given, (never, stays)) {
            Ok(assumes_units) => assumes_units,
            Err(why) => return self.refuse(goal, &why),
        };
        let checks = &self.board.checks;
        let budget = checks.budget(true);
        let keep_going = &mut || !budget.is_exhausted();
        match checks.run_timed(|| labelling.check(self.board.net, keep_going)) {
            Ok(()) => {}
            Err(LabellingFlaw::Flaw(flaw)) if is_limit(&flaw) => return,
            Err(flaw) => return self.refuse(goal, &flaw),
        }
        let Some(holds) = labelling.decides(self.board.net, property) else {
            return self.refuse(goal, &"it is about another formula");
        };
        let (markings, facts) = (labelling.markings(), given.len());
        let why = Argument::Labelling { markings, given: facts, assumes_units };
        let proof = Proof::new(why, None);
        let evidence = Evidence::Labelling(checks.keeps_certificates.then(|| Arc::new(labelling)));
        let (given, by) = (given.into(), self.technique);
        self.enter(
            goal,
            TreeKnowledge::Decided { holds, proof, evidence, premise_goals: given, technique: by },
        );
    }

    /// Reports the truth value `holds` after a search of all relevant markings. The search assumes
    /// the results of the goals in `given`, which must be settled as for a labelling. The checker
    /// repeats a small search first. If the checker does not complete a search, the result is
    /// recorded only if the board accepts unchecked searches.
    pub fn report_searched(&self, goal: GoalId, holds: bool, markings: u64, given: Vec<GoalId>) {
        let Some(property) = self.property(goal) else { return };
        let assumes_units = match self.board.check_premises(&given, (&[], &[])) {
            Ok(assumes_units) => assumes_units,
            Err(why) => return self.refuse(goal, &why),
        };
        let checks = &self.board.checks;
        let repeated_search = (markings <= MAX_REVISITED_MARKINGS).then(|| {
            let budget = checks.budget(false);
            let max_markings = markings.max(1).saturating_mul(4);
            let keep_going = &mut || !budget.is_exhausted();
            checks.run_timed(|| visit_tree(self.board.net, property, max_markings, keep_going))
        });
        match repeated_search {
            Some(Ok(TreeSearch { holds: seen, .. })) if seen != holds => {
                return self.refuse(goal, &"visited again: the value is the opposite");
            }
            Some(Ok(_)) => {}
            _ if !checks.accepts_searches => return,
            _ => {}
        }
        let evidence = Evidence::Searched { markings, stubborn: false, argued: None };
        let proof = Proof::new(Argument::TreeSearched { markings, assumes_units }, None);
        let (given, by) = (given.into(), self.technique);
        self.enter(
            goal,
            TreeKnowledge::Decided { holds, proof, evidence, premise_goals: given, technique: by },
        );
    }

    /// Returns a reporter for results from a decision diagram of all markings. `document` is the
    /// certificate that the set of markings is closed under firing, or `None` if no certificate was
    /// made. `markings` is the number of markings, or `None` beyond 64 bits.
    pub fn for_diagram<'d>(
        self,
        document: Option<&'d Arc<Document>>,
        markings: Option<u64>,
    ) -> DiagramTreeReporter<'d>
    where
        Self: 'd,
    {
        let markings = markings.unwrap_or(u64::MAX);
        let (checked, gave_up) = (OnceCell::new(), Cell::new(false));
        DiagramTreeReporter { tree_reporter: self, document, markings, checked, gave_up }
    }

    /// Returns the property of an open goal. Returns `None` for a closed goal, and for a goal of
    /// another kind, which counts as a fault.
    fn property(&self, goal: GoalId) -> Option<&'b TreeProperty> {
        match self.board.goal(goal) {
            Goal::Tree(property) if self.board.is_open(goal) => Some(property),
            Goal::Tree(_) => None,
            _ => {
                self.refuse(goal, &"the goal does not ask for the tree of runs");
                None
            }
        }
    }

    fn refuse(&self, goal: GoalId, flaw: &dyn std::fmt::Display) {
        let net = self.board.net.name();
        self.board
            .fault(self.technique, format_args!("the tree of {goal:?} of net `{net}`: {flaw}"));
    }

    /// Records a truth value, unless its proof rests on a violated claim of safe units. Freezes the
    /// goal if the opposite value is recorded already.
    fn enter(&self, goal: GoalId, found: TreeKnowledge) {
        let TreeKnowledge::Decided { holds: holds_now, proof, .. } = &found else { return };
        let new = *holds_now;
        let mut entry = self.board.entry(goal);
        if self.board.rests_on_violated_claim(proof) {
            return;
        }
        match &entry.knowledge {
            Knowledge::Tree(TreeKnowledge::Open) => {
                entry.knowledge = Knowledge::Tree(found);
                drop(entry);
                self.board.close(goal, true);
            }
            Knowledge::Tree(TreeKnowledge::Decided { holds, .. }) if *holds != new => {
                self.board.freeze(goal, self.technique, entry);
            }
            _ => {}
        }
    }
}

/// The reporter for CTL results from a decision diagram of all markings. The certificate of the
/// diagram, if there is one, is checked once. A [`TreeReporter`] creates this reporter.
pub struct DiagramTreeReporter<'d> {
    tree_reporter: TreeReporter<'d>,
    document: Option<&'d Arc<Document>>,
    markings: u64,
    /// The certificate after its check, or the flaw that the check found. Empty before the first
    /// completed check.
    checked: OnceCell<Result<CheckedDocument<'d>, Flaw>>,
    /// True if a check ran out of time: the check of the certificate itself, or an evaluation that
    /// got only a small share of the time. Later results are then not checked.
    gave_up: Cell<bool>,
}

impl<'d> DiagramTreeReporter<'d> {
    /// Reports the truth value `holds`. If there is a certificate, the checker evaluates the
    /// formula again within `budget`. If the checker does not finish, the result rests on the
    /// engine's evaluation, provided that the board accepts unchecked searches. If the board
    /// accepts such searches and keeps no evidence, the check gets a small share of the time.
    pub fn report_decided(&self, goal: GoalId, holds: bool, budget: &Budget) {
        let DiagramTreeReporter { tree_reporter: trees, document, markings, .. } = *self;
        let Some(property) = trees.property(goal) else { return };
        let checks = &trees.board.checks;
        let checked =
            document.map(|it| (it, checks.run_timed(|| self.check(it, property, budget))));
        let (evidence, nodes) = match checked {
            Some((_, Ok(seen))) if seen != holds => {
                return trees.refuse(goal, &"the checker finds the opposite in the same set");
            }
            Some((document, Ok(_))) => {
                let kept = || KeptDocument { document: document.clone(), derivation: None };
                let nodes = match &**document {
                    Document::ClosedSet(set) => Some(set.nodes.len()),
                    _ => None,
                };
                (Evidence::Certified(checks.keeps_certificates.then(kept)), nodes)
            }
            Some((_, Err(flaw))) if !is_limit(&flaw) => return trees.refuse(goal, &flaw),
            _ if !checks.accepts_searches => return,
            _ => (Evidence::Searched { markings, stubborn: false, argued: None }, None),
        };
        let proof = Proof::new(Argument::TreeDescribed { nodes }, None);
        trees.enter(
            goal,
            TreeKnowledge::Decided {
                holds,
                proof,
                evidence,
                premise_goals: [].into(),
                technique: trees.technique,
            },
        );
    }

    /// Evaluates the formula in the checker and returns its truth value. The first call also checks
    /// the certificate.
    fn check(
        &self,
        document: &'d Document,
        property: &TreeProperty,
        budget: &Budget,
    ) -> Result<bool, Flaw> {
        if self.gave_up.get() {
            return Err(Flaw::Stopped);
        }
        let checks = &self.tree_reporter.board.checks;
        let (is_needed, small) =
            (checks.keeps_certificates || !checks.accepts_searches, checks.budget(false));
        let keep_going = &mut || !(budget.is_exhausted() || !is_needed && small.is_exhausted());
        if self.checked.get().is_none() {
            match document.check(self.tree_reporter.board.net, keep_going) {
                Err(Flaw::Stopped) => {
                    self.gave_up.set(true);
                    return Err(Flaw::Stopped);
                }
                // The cell is still empty: only this thread sets it.
                checked => drop(self.checked.set(checked)),
            }
        }
        match self.checked.get() {
            Some(Ok(checked)) => {
                let found = checked.decide_tree(property, keep_going);
                self.gave_up.set(!is_needed && found == Err(Flaw::Stopped));
                found
            }
            Some(Err(flaw)) => Err(flaw.clone()),
            None => Err(Flaw::Stopped),
        }
    }
}
