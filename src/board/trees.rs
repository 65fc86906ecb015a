//! Reports on the tree of runs: whether it has a property of CTL.
//!
//! A labelling lists markings with what is true of them, and the checker sees each claim follow
//! from others. It may rest on other goals that cannot be reached. Where it is too large to be
//! kept, there is the word of a search.

use super::{Argument, Board, Evidence, Knowledge, Proof, Shown, Technique, Tree};
use crate::evidence::tree::visit::{Visited, visit_tree};
use crate::evidence::tree::{Given, Labelling, LabellingFlaw};
use crate::evidence::{CheckedDocument, Document, Flaw};
use parikh_net::{Goal, GoalId, TreeProperty};
use parikh_solvers::Budget;
use std::cell::{Cell, OnceCell};
use std::sync::Arc;

/// The most markings that are visited again before an answer.
const AGAIN: u64 = 20_000;

/// Says what the tree of runs is like. See [`crate::board`].
#[derive(Clone, Copy)]
pub struct Trees<'b> {
    board: &'b Board<'b>,
    by: Technique,
}

impl Board<'_> {
    /// Takes reports on the tree of runs.
    pub fn trees(&self, by: Technique) -> Trees<'_> {
        Trees { board: self, by }
    }
}

impl<'b> Trees<'b> {
    /// The goal's property holds, or its negation, by this labelling; each of its premises is what
    /// one of the goals that are given shows.
    pub fn labelled(&self, goal: GoalId, labelling: Labelling, given: Vec<GoalId>) {
        let Some(property) = self.property(goal) else { return };
        let Given { never, stays } = &labelling.given;
        let assumes_units = match self.board.given(&given, (never, stays)) {
            Ok(assumes_units) => assumes_units,
            Err(why) => return self.refuse(goal, &why),
        };
        let checks = &self.board.checks;
        let budget = checks.budget(true);
        let goes_on = &mut || !budget.is_exhausted();
        match checks.count(|| labelling.check(self.board.net, goes_on)) {
            Ok(()) => {}
            Err(LabellingFlaw::Flaw(Flaw::Stopped)) => return,
            Err(flaw) => return self.refuse(goal, &flaw),
        }
        let Some(holds) = labelling.decides(self.board.net, property) else {
            return self.refuse(goal, &"it is about another formula");
        };
        let (markings, facts) = (labelling.markings(), given.len());
        let why = Argument::Labelling { markings, given: facts, assumes_units };
        let proof = Proof::new(why, None);
        let evidence = Evidence::Labelling(checks.keep.then(|| Arc::new(labelling)));
        let (given, by) = (given.into(), self.by);
        self.enter(goal, Tree::Decided { holds, proof, evidence, given, by });
    }

    /// The goal's property holds, or does not: all of so many markings that matter were visited,
    /// given that some goals cannot be reached. Where they are few, the checker visits all there
    /// are again before.
    pub fn searched(&self, goal: GoalId, holds: bool, markings: u64, given: Vec<GoalId>) {
        let Some(property) = self.property(goal) else { return };
        let assumes_units = match self.board.given(&given, (&[], &[])) {
            Ok(assumes_units) => assumes_units,
            Err(why) => return self.refuse(goal, &why),
        };
        let checks = &self.board.checks;
        let again = (markings <= AGAIN).then(|| {
            let budget = checks.budget(false);
            let most = markings.max(1).saturating_mul(4);
            let goes_on = &mut || !budget.is_exhausted();
            checks.count(|| visit_tree(self.board.net, property, most, goes_on))
        });
        match again {
            Some(Ok(Visited { holds: seen, .. })) if seen != holds => {
                return self.refuse(goal, &"visited again: it is not so");
            }
            Some(Ok(_)) => {}
            _ if !checks.take_searches => return,
            _ => {}
        }
        let evidence = Evidence::Searched { markings, stubborn: false, argued: None };
        let proof = Proof::new(Argument::TreeSearched { markings, assumes_units }, None);
        let (given, by) = (given.into(), self.by);
        self.enter(goal, Tree::Decided { holds, proof, evidence, given, by });
    }

    /// For what was found from a set of all markings, of which the document, if any, says that no
    /// firing leaves it. Nothing says how many markings there are where that is beyond 64 bits.
    pub fn described<'d>(
        self,
        document: Option<&'d Arc<Document>>,
        markings: Option<u64>,
    ) -> Described<'d>
    where
        Self: 'd,
    {
        let markings = markings.unwrap_or(u64::MAX);
        let (checked, gave_up) = (OnceCell::new(), Cell::new(false));
        Described { trees: self, document, markings, checked, gave_up }
    }

    /// The property that an open goal asks for.
    fn property(&self, goal: GoalId) -> Option<&'b TreeProperty> {
        match self.board.goal(goal) {
            Goal::Tree(property) if self.board.is_open(goal) => Some(property),
            Goal::Tree(_) => None,
            _ => {
                self.refuse(goal, &"it does not ask for the tree of runs");
                None
            }
        }
    }

    fn refuse(&self, goal: GoalId, flaw: &dyn std::fmt::Display) {
        let net = self.board.net.name();
        self.board.fault(self.by, format_args!("the tree of {goal:?} of net `{net}`: {flaw}"));
    }

    fn enter(&self, goal: GoalId, found: Tree) {
        let Tree::Decided { holds: new, proof, .. } = &found else { return };
        let new = *new;
        let mut entry = self.board.entry(goal);
        if self.board.is_void(proof) {
            return;
        }
        match &entry.knowledge {
            Knowledge::Tree(Tree::Open) => {
                entry.knowledge = Knowledge::Tree(found);
                drop(entry);
                self.board.close(goal, true);
            }
            Knowledge::Tree(Tree::Decided { holds, .. }) if *holds != new => {
                self.board.freeze(goal, self.by, entry);
            }
            _ => {}
        }
    }
}

/// Takes what follows from one set of all markings, which is checked once. See
/// [`Trees::described`].
pub struct Described<'d> {
    trees: Trees<'d>,
    document: Option<&'d Arc<Document>>,
    markings: u64,
    /// The document, once it was gone through.
    checked: OnceCell<Result<CheckedDocument<'d>, Flaw>>,
    /// Whether going through it took too long: there will not be more time for the next goal.
    gave_up: Cell<bool>,
}

impl<'d> Described<'d> {
    /// The goal's property holds, or does not: the checker evaluates it again, where it can do so
    /// within `budget`; else it is the word of a search. Where nobody keeps what the checker
    /// accepts, and a search's word is taken, it has a small share of the time.
    pub fn decided(&self, goal: GoalId, holds: bool, budget: &Budget) {
        let Described { trees, document, markings, .. } = *self;
        let Some(property) = trees.property(goal) else { return };
        let checks = &trees.board.checks;
        let checked = document.map(|it| (it, checks.count(|| self.check(it, property, budget))));
        let (evidence, nodes) = match checked {
            Some((_, Ok(seen))) if seen != holds => {
                return trees.refuse(goal, &"the checker finds the opposite in the same set");
            }
            Some((document, Ok(_))) => {
                let kept = || Shown { document: document.clone(), on: None };
                let nodes = match &**document {
                    Document::ClosedSet(set) => Some(set.nodes.len()),
                    _ => None,
                };
                (Evidence::Certified(checks.keep.then(kept)), nodes)
            }
            Some((_, Err(flaw))) if !says_nothing(&flaw) => return trees.refuse(goal, &flaw),
            _ if !checks.take_searches => return,
            _ => (Evidence::Searched { markings, stubborn: false, argued: None }, None),
        };
        let proof = Proof::new(Argument::TreeDescribed { nodes }, None);
        trees.enter(goal, Tree::Decided { holds, proof, evidence, given: [].into(), by: trees.by });
    }

    /// What the checker finds.
    fn check(
        &self,
        document: &'d Document,
        property: &TreeProperty,
        budget: &Budget,
    ) -> Result<bool, Flaw> {
        if self.gave_up.get() {
            return Err(Flaw::Stopped);
        }
        let checks = &self.trees.board.checks;
        let (needed, small) = (checks.keep || !checks.take_searches, checks.budget(false));
        let goes_on = &mut || !(budget.is_exhausted() || !needed && small.is_exhausted());
        if self.checked.get().is_none() {
            match document.check(self.trees.board.net, goes_on) {
                Err(Flaw::Stopped) => {
                    self.gave_up.set(true);
                    return Err(Flaw::Stopped);
                }
                // Nobody else has set it meanwhile: it is ours alone.
                checked => drop(self.checked.set(checked)),
            }
        }
        match self.checked.get() {
            Some(Ok(checked)) => {
                let found = checked.tree(property, goes_on);
                self.gave_up.set(!needed && found == Err(Flaw::Stopped));
                found
            }
            Some(Err(flaw)) => Err(flaw.clone()),
            None => Err(Flaw::Stopped),
        }
    }
}

/// Whether the checker could not tell, so that nothing is wrong with what it was given.
fn says_nothing(flaw: &Flaw) -> bool {
    matches!(flaw, Flaw::Stopped | Flaw::TooLarge(_) | Flaw::Overflow)
}
