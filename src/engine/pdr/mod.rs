//! Property-directed reachability: proofs by induction, clause by clause, and witnesses on the way.
//!
//! Read in this order: `terms` (bounds and cubes, and what a firing makes of them), `solver`
//! (bounds as propositional variables), `goal` (what is to be reached as cubes), `decide` (how a
//! question is asked, and how that ends), `prover` (the algorithm), `lasting` (what is proved for
//! all questions at once), `backward` (k-induction, with the same parts), `document` (an invariant
//! as the checker wants it).
//!
//! Nothing here asks for a bounded net: a variable says "at least k tokens", whatever k is, and
//! those that nobody speaks of do not exist. On a one-safe net that comes to one variable a place.
//!
//! What no inequality says, *modulo-invariants* do: where two tokens at a time are moved from one
//! part of a net to another, each part stays odd. A sum that keeps its remainder has only the
//! numbers with that remainder as values (`terms`), so that "at least 300" is "at least 301", and
//! what is left of a place invariant when two odd parts are taken away is 2 less. On
//! Murphy-PT-D4N050 that is the difference between bounds that are two tokens too high and maxima.
//!
//! # Strategy
//! A prover for each open goal, in rounds of growing slices; what they have learnt is kept. A
//! maximum is the goal to exceed the largest value seen, again and again, until that is refuted.

mod backward;
mod decide;
mod document;
mod goal;
mod lasting;
mod prover;
mod solver;
mod terms;

use super::intervals;
use super::{Assignment, Engine, Progress, Role, Session, Sides, Takes};
use crate::board::{Argument, Proof};
use crate::evidence::Document;
use crate::evidence::certificate::Bounds;
use crate::structure::intervals::Intervals;
use crate::structure::modulo::{ModuloInvariant, modulo_invariants};
use backward::Backward;
use decide::{Decide, End};
use document::ProofMaterial;
use lasting::Proved;
use parikh_net::{GoalId, LinearSum, MarkingGoal, PlaceId, Predicate, Provenance};
use parikh_solvers::Budget;
use prover::Prover;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use terms::Terms;

/// In the registry.
pub const ENGINE: Engine = Engine {
    name: "pdr",
    technique: TECHNIQUE,
    sides: Sides::Both,
    role: Role::Induction,
    takes: Takes::MARKINGS,
    start: |work| Ok(Box::new(Induction::<Prover<'_>>::new(work, "pdr"))),
};

/// In the registry, for whoever asks for it: what it proves, the other does, too.
pub const K_INDUCTION: Engine = Engine {
    name: "k-induction",
    start: |work| Ok(Box::new(Induction::<Backward<'_>>::new(work, "k-induction"))),
    ..ENGINE
};

const TECHNIQUE: &str = "SAT_SMT";

/// The slices of a goal in the first round, at least and at most; they double from round to round.
const FIRST_SLICE: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(100));

/// So many provers keep what they know from round to round.
const KEPT: usize = 64;

/// Flows over more places are no rows: there are too many ways to add them up.
const LARGEST_ROW: usize = 200;

/// Modulo-invariants are looked for no longer than this.
const MODULO: Duration = Duration::from_millis(100);

/// k-induction backwards from goals that others choose: inductive invariants, and witnesses.
pub(super) struct BackwardSearch<'g>(Induction<'g, Backward<'g>>);

impl<'g> BackwardSearch<'g> {
    /// Nothing is searched yet.
    pub(super) fn new(work: Assignment<'g>) -> Self {
        BackwardSearch(Induction::new(work, "backward search"))
    }

    /// Goes on with one goal, unless nothing more can be done for it.
    pub(super) fn work_on(&mut self, id: GoalId, goal: &MarkingGoal, budget: &Budget) {
        if !self.has_given_up(id) {
            self.0.work_on(id, goal, budget);
        }
    }

    /// Whether nothing more can be done for it.
    pub(super) fn has_given_up(&self, id: GoalId) -> bool {
        self.0.given_up.contains(&id)
    }
}

/// An engine at work on all goals of a ground.
struct Induction<'g, D> {
    name: &'static str,
    work: Assignment<'g>,
    intervals: Intervals,
    rests_on: Provenance,
    provers: Vec<(GoalId, D)>,
    proved: Proved,
    modulo: OnceCell<Vec<ModuloInvariant>>,
    /// Goals whose provers learn nothing of each other: with it, what one found could not be shown.
    alone: BTreeSet<GoalId>,
    /// Goals that nothing more can be done for here.
    given_up: Vec<GoalId>,
    /// That of the round, once there was one.
    slice: Option<Duration>,
    /// Goals that had their turn in this round, which the budget may end anywhere.
    had_turn: BTreeSet<GoalId>,
    statistics: Statistics,
}

#[derive(Default)]
struct Statistics {
    reached: u64,
    refuted: u64,
    made: u64,
    questions: u64,
}

impl<'g, D: Decide<'g>> Induction<'g, D> {
    fn new(work: Assignment<'g>, name: &'static str) -> Self {
        let intervals = Intervals::new(work.ground.net(), work.ground.facts());
        // Nobody speaks for the units of a derived net.
        let is_read = work.ground.parent().is_none();
        let claimed = is_read && work.board.breach().is_none();
        let rests_on = if claimed { Provenance::UnitsClaimed } else { Provenance::PROVED };
        Induction {
            name,
            rests_on,
            intervals,
            work,
            provers: Vec::new(),
            proved: Proved::default(),
            modulo: OnceCell::new(),
            alone: BTreeSet::new(),
            given_up: Vec::new(),
            slice: None,
            had_turn: BTreeSet::new(),
            statistics: Statistics::default(),
        }
    }

    /// What a goal asks to be reached now.
    fn predicate(&self, id: GoalId, goal: &MarkingGoal) -> Option<Predicate> {
        let predicate = match goal {
            MarkingGoal::Reach(predicate) => predicate.clone(),
            MarkingGoal::Maximise(sum) => more(sum, self.seen(id, sum))?,
        };
        Some(predicate.to_atoms(self.work.ground.net()))
    }

    fn seen(&self, id: GoalId, sum: &LinearSum) -> i128 {
        let Assignment { ground, board, .. } = self.work;
        let first = sum.value(ground.net().initial());
        board.under(TECHNIQUE).on(ground).seen(id).map_or(first, |seen| seen.max(first))
    }

    fn prover(&mut self, id: GoalId, predicate: Predicate) -> D {
        if let Some(at) = self.provers.iter().position(|(known, _)| *known == id) {
            let (_, mut prover) = self.provers.swap_remove(at);
            if *prover.predicate() == predicate || prover.turn_to(&predicate) {
                return prover;
            }
        }
        let ground = self.work.ground;
        let mut terms = Terms::new(ground.net(), self.intervals.within(self.rests_on));
        for flow in &ground.facts().flows {
            if (2..=LARGEST_ROW).contains(&flow.terms().len()) {
                terms.row(flow);
            }
        }
        for known in self.modulo() {
            terms.keep_remainder(&known.sum, known.modulus);
        }
        // What the goal compares is composed of these, too.
        goal::for_each_atom(&predicate, &mut |atom| {
            terms.bound(atom);
        });
        terms.compose();
        D::new(terms, predicate)
    }

    /// The modulo-invariants, looked for when they are asked for first.
    fn modulo(&self) -> &[ModuloInvariant] {
        self.modulo.get_or_init(|| {
            let net = self.work.ground.net();
            let budget = Budget::lasting(MODULO);
            // Also those that follow from others and place invariants: intervals do not add up.
            let mut found = match modulo_invariants(net, &[], &budget) {
                Ok(found) => found,
                Err(why) => {
                    tracing::info!("{}: no modulo-invariants: {why}", self.name);
                    return Vec::new();
                }
            };
            found.retain(|known| known.sum.terms().len() <= LARGEST_ROW);
            for known in &found {
                let terms =
                    known.sum.terms().iter().map(|&(p, a)| format!("{a}*{}", net.place_name(p)));
                let terms: Vec<String> = terms.collect();
                tracing::debug!(
                    "{}: {} keeps its remainder modulo {}",
                    self.name,
                    terms.join(" + "),
                    known.modulus
                );
            }
            tracing::info!(
                "{}: {} modulo-invariants, place invariants too",
                self.name,
                found.len()
            );
            found
        })
    }

    /// Works on one goal.
    fn work_on(&mut self, id: GoalId, goal: &MarkingGoal, budget: &Budget) {
        let Assignment { ground, board, .. } = self.work;
        let under = board.under(TECHNIQUE).on(ground);
        if matches!(goal, MarkingGoal::Maximise(_)) && under.seen(id).is_none() {
            under.reached(id, [].into_iter().collect());
        }
        while board.is_open(id) && !budget.is_exhausted() {
            let Some(predicate) = self.predicate(id, goal) else {
                return self.given_up.push(id);
            };
            if predicate.holds(ground.net(), ground.net().initial()) {
                under.reached(id, [].into_iter().collect());
                continue;
            }
            let mut prover = self.prover(id, predicate);
            if !self.alone.contains(&id) {
                prover.learn(&self.proved);
            }
            let before = prover.so_far();
            let end = prover.run(budget);
            let after = prover.so_far();
            self.statistics.made += after.0 - before.0;
            self.statistics.questions += after.1 - before.1;
            match end {
                End::Unfinished => {
                    tracing::debug!("{}: {id:?} open after {:?}", self.name, after);
                    if self.provers.len() < KEPT {
                        self.provers.push((id, prover));
                    }
                    return;
                }
                End::Reached(sequence) => {
                    self.statistics.reached += 1;
                    under.reached(id, sequence);
                    // What is not taken down is not taken down the next time either: a place would
                    // hold more tokens than are counted.
                    let is_as_before =
                        || self.predicate(id, goal).as_ref() == Some(prover.predicate());
                    if board.is_open(id) && is_as_before() {
                        return self.given_up.push(id);
                    }
                    // A maximum goes on with what is known by now.
                    if board.is_open(id) {
                        self.provers.push((id, prover));
                    }
                }
                End::Never(cubes) => {
                    let predicate = prover.predicate().clone();
                    let (mut terms, lessons) = prover.into_parts();
                    let found = ProofMaterial { cubes: &cubes, lessons: &lessons };
                    if self.refute(id, goal, &mut terms, found, &predicate).is_none()
                        || board.is_open(id)
                    {
                        // What others proved may rest on bounds that nobody speaks of here.
                        if self.alone.insert(id) {
                            continue;
                        }
                        let why = "the invariant it found could not be shown";
                        tracing::info!("{}: {id:?}: {why}", self.name);
                        board.gave_up(id, self.name, why);
                        return self.given_up.push(id);
                    }
                    self.proved.add(&cubes, &terms);
                    self.statistics.refuted += 1;
                }
            }
        }
    }

    /// Hands over that no marking satisfies the goal, outside these cubes.
    fn refute(
        &self,
        id: GoalId,
        goal: &MarkingGoal,
        terms: &mut Terms<'_>,
        found: ProofMaterial<'_>,
        predicate: &Predicate,
    ) -> Option<()> {
        let Assignment { ground, board, .. } = self.work;
        let (net, facts) = (ground.net(), ground.facts());
        let level = self.intervals.within(self.rests_on);
        // A proof in hand is worth some time.
        let budget = &Budget::lasting(Duration::from_secs(20));
        let bounds = |places: &BTreeSet<usize>| -> Option<Bounds> {
            let ends =
                places.iter().flat_map(|&p| [true, false].map(|upper| (PlaceId::new(p), upper)));
            intervals::bounds(net, facts, level, ends, budget)
        };
        let invariant = document::document(terms, found, predicate, bounds, budget)?;
        let argument = Argument::Induction {
            clauses: invariant.clauses.len(),
            assumes_units: invariant.bounds.assumes_units,
        };
        let proof = Proof::new(argument, Some(Arc::new(Document::Induction(invariant))));
        let over = board.over(TECHNIQUE).on(ground);
        match goal {
            MarkingGoal::Reach(_) => over.unreachable(id, proof),
            MarkingGoal::Maximise(sum) => over.at_most(id, self.seen(id, sum), proof),
        }
        Some(())
    }

    fn open(&self) -> Vec<(GoalId, MarkingGoal)> {
        let Assignment { ground, board, .. } = self.work;
        let wanted =
            |(id, _): &&(GoalId, MarkingGoal)| board.is_open(*id) && !self.given_up.contains(id);
        ground.goals().iter().filter(wanted).cloned().collect()
    }
}

/// "The sum is larger than this."
pub(super) fn more(sum: &LinearSum, value: i128) -> Option<Predicate> {
    Some(Predicate::at_most(sum.clone(), i64::try_from(value).ok()?).negated())
}

impl<'g, D: Decide<'g>> Session for Induction<'g, D> {
    fn slice(&mut self, budget: &Budget) -> Progress {
        loop {
            let open = self.open();
            if open.is_empty() {
                return Progress::Finished;
            }
            self.provers.retain(|(id, _)| self.work.board.is_open(*id));
            let (least, most) = FIRST_SLICE;
            let first = || {
                let fair = budget.remaining().map_or(most, |left| left / open.len() as u32);
                fair.clamp(least, most)
            };
            let slice = *self.slice.get_or_insert_with(first);
            for (id, goal) in open {
                if budget.is_exhausted() {
                    return Progress::Unfinished;
                }
                if self.had_turn.insert(id) {
                    self.work_on(id, &goal, &budget.slice(slice));
                }
            }
            self.had_turn.clear();
            self.slice = Some(slice.saturating_mul(2));
        }
    }

    fn statistics(&self) -> String {
        let Statistics { reached, refuted, made, questions } = &self.statistics;
        format!("{reached} reached, {refuted} refuted, {made} {}, {questions} questions", D::FINDS)
    }
}
