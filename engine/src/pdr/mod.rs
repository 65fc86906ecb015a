//! Property-directed reachability (PDR, IC3): proves invariants clause by clause, and finds
//! witnesses on the way.
//!
//! Reading order: `terms` (bounds, cubes, and predecessors of cubes), `solver` (bounds as
//! propositional variables), `goal` (the goal predicate as clauses and cubes), `decide` (the common
//! interface of the decision procedures), `prover` (the PDR algorithm), `lasting` (cubes shared
//! between goals), `backward` (k-induction on the same data structures), `document` (an invariant
//! as a certificate for the checker).
//!
//! The net need not be bounded. A propositional variable means "at least k tokens", for any k, and
//! is created only when some bound uses it. On a one-safe net this gives one variable per place.
//!
//! *Modulo-invariants* express facts that no inequality expresses. If every transition changes a
//! sum by a multiple of two, an odd sum stays odd. For a sum with a fixed remainder `terms` rounds
//! all bounds: "at least 300" becomes "at least 301". If two odd sums are subtracted from a place
//! invariant, the bound of the rest becomes 2 smaller. On Murphy-PT-D4N050 this turns bounds that
//! are two tokens too high into exact maxima.
//!
//! # Strategy
//! Each open goal has its own prover. The provers run in rounds with growing time slices and keep
//! what they have learnt. A maximum is computed by a sequence of reachability goals: "exceed the
//! largest value seen", until that is refuted.

mod backward;
mod decide;
mod document;
mod goal;
mod lasting;
mod prover;
mod solver;
mod terms;

use super::intervals;
use super::{Assignment, Engine, ResultKinds, Role, Session, SliceProgress, SupportedGoals};
use crate::board::{Argument, Proof};
use backward::BackwardSearcher;
use decide::{Decide, DecisionOutcome};
use document::ProofMaterial;
use lasting::SharedCubes;
use parikh_evidence::Document;
use parikh_evidence::certificate::BoundsCertificate;
use parikh_net::{GoalId, LinearSum, MarkingGoal, PlaceId, Predicate, Provenance};
use parikh_solvers::Budget;
use parikh_structure::intervals::Intervals;
use parikh_structure::modulo::{ModuloInvariant, modulo_invariants};
use prover::Prover;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use terms::BoundTerms;

/// The engine's entry in the registry.
pub const ENGINE: Engine = Engine {
    name: "pdr",
    technique: TECHNIQUE,
    result_kinds: ResultKinds::Both,
    role: Role::Induction,
    supported: SupportedGoals::MARKINGS,
    start: |work| Ok(Box::new(Induction::<Prover<'_>>::new(work, "pdr"))),
};

/// The registry entry of k-induction. It runs only on request, since PDR proves everything that
/// k-induction proves.
pub const K_INDUCTION: Engine = Engine {
    name: "k-induction",
    start: |work| Ok(Box::new(Induction::<BackwardSearcher<'_>>::new(work, "k-induction"))),
    ..ENGINE
};

/// The technique of these engines, in the names of the Model Checking Contest.
const TECHNIQUE: &str = "SAT_SMT";

/// Minimum and maximum of the time slice per goal in the first round. Slices double from round to
/// round.
const FIRST_SLICE: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(100));

/// Limit on the number of kept provers, at which an interrupted prover is discarded. The goal of a
/// discarded prover starts again in the next round.
const MAX_PROVERS: usize = 64;

/// Limit on the number of places of a place invariant or modulo-invariant whose weighted sum
/// becomes a row, that is, a term of its own. Larger invariants give too many lemmas.
const MAX_ROW_PLACES: usize = 200;

/// Time limit for the computation of modulo-invariants.
const MODULO_TIME_LIMIT: Duration = Duration::from_millis(100);

/// Backward search from goals that the caller chooses one by one. Finds inductive invariants and
/// witnesses.
pub(super) struct BackwardSearch<'g>(Induction<'g, BackwardSearcher<'g>>);

impl<'g> BackwardSearch<'g> {
    /// Creates the search. No solver query is made yet.
    pub(super) fn new(work: Assignment<'g>) -> Self {
        BackwardSearch(Induction::new(work, "backward search"))
    }

    /// Continues the search for one goal within the budget, unless the search has given up on the
    /// goal.
    pub(super) fn work_on(&mut self, id: GoalId, goal: &MarkingGoal, budget: &Budget) {
        if !self.has_given_up(id) {
            self.0.work_on(id, goal, budget);
        }
    }

    /// Returns true if the search has given up on the goal.
    pub(super) fn has_given_up(&self, id: GoalId) -> bool {
        self.0.given_up.contains(&id)
    }
}

/// The engine loop: runs one decision procedure of type `D` per open goal of the assignment.
struct Induction<'g, D> {
    /// The engine's name, for messages.
    name: &'static str,
    assignment: Assignment<'g>,
    intervals: Intervals,
    /// Provenance of the place bounds in use: proved bounds only, or also bounds from the model's
    /// claim that its units are safe.
    provenance: Provenance,
    /// The unfinished decision procedures, with the ids of their goals.
    provers: Vec<(GoalId, D)>,
    /// Cubes that no firing enters, found while some goal was proved. The provers of other goals
    /// import these cubes.
    shared_cubes: SharedCubes,
    /// The modulo-invariants of the net, computed at first use.
    modulo_invariants: OnceCell<Vec<ModuloInvariant>>,
    /// Goals whose provers use no cubes proved for other goals, because a proof with such cubes
    /// could not be certified.
    without_shared_cubes: BTreeSet<GoalId>,
    /// Goals on which this engine has given up.
    given_up: Vec<GoalId>,
    /// Time slice per goal in the current round. `None` before the first round.
    slice: Option<Duration>,
    /// Goals treated in the current round. The budget may interrupt a round at any goal.
    treated_in_round: BTreeSet<GoalId>,
    statistics: PdrStatistics,
}

/// Statistics of the engine.
#[derive(Default)]
struct PdrStatistics {
    /// Number of witnesses found.
    reached: u64,
    /// Number of goals refuted.
    refuted: u64,
    /// Number of cubes or clauses made. [`Decide::COUNTED_OBJECTS`] says which of them.
    objects: u64,
    /// Number of solver queries.
    queries: u64,
}

impl<'g, D: Decide<'g>> Induction<'g, D> {
    fn new(work: Assignment<'g>, name: &'static str) -> Self {
        let intervals = Intervals::new(work.working_net.net(), work.working_net.facts());
        // Only on the original net may the certificate assume the model's claim of safe units. A
        // derived net has no units.
        let is_original_net = work.working_net.parent().is_none();
        let assumes_units = is_original_net && work.board.breach().is_none();
        let provenance = if assumes_units { Provenance::UnitsClaimed } else { Provenance::PROVED };
        Induction {
            name,
            provenance,
            intervals,
            assignment: work,
            provers: Vec::new(),
            shared_cubes: SharedCubes::default(),
            modulo_invariants: OnceCell::new(),
            without_shared_cubes: BTreeSet::new(),
            given_up: Vec::new(),
            slice: None,
            treated_in_round: BTreeSet::new(),
            statistics: PdrStatistics::default(),
        }
    }

    /// Returns the predicate to reach for a goal, expressed by comparisons of token counts. For a
    /// maximum this is "the sum exceeds the largest value seen". Returns `None` if that value
    /// exceeds 64 bits.
    fn predicate(&self, id: GoalId, goal: &MarkingGoal) -> Option<Predicate> {
        let predicate = match goal {
            MarkingGoal::Reach(predicate) => predicate.clone(),
            MarkingGoal::Maximise(sum) => exceeds(sum, self.largest_seen(id, sum))?,
        };
        Some(predicate.to_atoms(self.assignment.working_net.net()))
    }

    /// Returns the largest value of `sum` that the board or the initial marking shows to be
    /// reachable.
    fn largest_seen(&self, id: GoalId, sum: &LinearSum) -> i128 {
        let Assignment { working_net, board, .. } = self.assignment;
        let initial_value = sum.value(working_net.net().initial());
        board
            .witness_reporter(TECHNIQUE)
            .on(working_net)
            .largest_seen(id)
            .map_or(initial_value, |seen| seen.max(initial_value))
    }

    /// Returns the prover for a goal: the unfinished one if it can continue with this predicate,
    /// otherwise a new one.
    fn prover(&mut self, id: GoalId, predicate: Predicate) -> D {
        if let Some(index) = self.provers.iter().position(|(prover_goal, _)| *prover_goal == id) {
            let (_, mut prover) = self.provers.swap_remove(index);
            if *prover.predicate() == predicate || prover.switch_goal(&predicate) {
                return prover;
            }
        }
        let working_net = self.assignment.working_net;
        let mut terms = BoundTerms::new(working_net.net(), self.intervals.up_to(self.provenance));
        for flow in &working_net.facts().flows {
            if (2..=MAX_ROW_PLACES).contains(&flow.terms().len()) {
                terms.row(flow);
            }
        }
        for invariant in self.cached_modulo_invariants() {
            terms.record_remainder(&invariant.sum, invariant.modulus);
        }
        // Adds the rows for sums in the goal before `compose` is called, so that `compose`
        // decomposes these rows too.
        goal::for_each_atom(&predicate, &mut |atom| {
            terms.bound(atom);
        });
        terms.compose();
        D::new(terms, predicate)
    }

    /// Returns the modulo-invariants, computed at the first call. Leaves out sums of more than
    /// [`MAX_ROW_PLACES`] places. The list is empty if the computation fails or exceeds its time
    /// limit.
    fn cached_modulo_invariants(&self) -> &[ModuloInvariant] {
        self.modulo_invariants.get_or_init(|| {
            let net = self.assignment.working_net.net();
            let budget = Budget::lasting(MODULO_TIME_LIMIT);
            // Known place invariants are not passed, so the result also contains sums of
            // modulo-invariants and place invariants. They are useful: their bounds, rounded to the
            // fixed remainder, are tighter than the interval bounds of the sum.
            let mut invariants = match modulo_invariants(net, &[], &budget) {
                Ok(invariants) => invariants,
                Err(reason) => {
                    tracing::info!("{}: no modulo-invariants: {reason}", self.name);
                    return Vec::new();
                }
            };
            invariants.retain(|invariant| invariant.sum.terms().len() <= MAX_ROW_PLACES);
            for invariant in &invariants {
                let terms = invariant
                    .sum
                    .terms()
                    .iter()
                    .map(|&(p, a)| format!("{a}*{}", net.place_name(p)));
                let terms: Vec<String> = terms.collect();
                tracing::debug!(
                    "{}: {} keeps its remainder modulo {}",
                    self.name,
                    terms.join(" + "),
                    invariant.modulus
                );
            }
            tracing::info!(
                "{}: {} modulo-invariants, place invariants too",
                self.name,
                invariants.len()
            );
            invariants
        })
    }

    /// Works on one goal until it is settled, the budget ends, the solver gives no answer, or the
    /// engine gives up.
    fn work_on(&mut self, id: GoalId, goal: &MarkingGoal, budget: &Budget) {
        let Assignment { working_net, board, .. } = self.assignment;
        let witness_reporter = board.witness_reporter(TECHNIQUE).on(working_net);
        if matches!(goal, MarkingGoal::Maximise(_)) && witness_reporter.largest_seen(id).is_none() {
            witness_reporter.report_reached(id, [].into_iter().collect());
        }
        while board.is_open(id) && !budget.is_exhausted() {
            let Some(predicate) = self.predicate(id, goal) else {
                return self.give_up(id, "no value was seen, or the next value exceeds 64 bits");
            };
            if predicate.holds(working_net.net(), working_net.net().initial()) {
                witness_reporter.report_reached(id, [].into_iter().collect());
                continue;
            }
            let mut prover = self.prover(id, predicate);
            if !self.without_shared_cubes.contains(&id) {
                prover.import_cubes(&self.shared_cubes);
            }
            let counts_before = prover.counters();
            let outcome = prover.run(budget);
            let counts_after = prover.counters();
            self.statistics.objects += counts_after.0 - counts_before.0;
            self.statistics.queries += counts_after.1 - counts_before.1;
            match outcome {
                DecisionOutcome::Unfinished => {
                    tracing::debug!("{}: {id:?} open after {:?}", self.name, counts_after);
                    if self.provers.len() < MAX_PROVERS {
                        self.provers.push((id, prover));
                    }
                    return;
                }
                DecisionOutcome::Reached(sequence) => {
                    self.statistics.reached += 1;
                    witness_reporter.report_reached(id, sequence);
                    // The board did not accept the sequence if the goal is open and its predicate
                    // is as before. The usual reason is an exceeded limit, such as the largest
                    // token count of a place. The board would not accept the sequence the next time
                    // either.
                    let is_as_before =
                        || self.predicate(id, goal).as_ref() == Some(prover.predicate());
                    if board.is_open(id) && is_as_before() {
                        let why = "the witness was not confirmed, for example because a place \
                                   would exceed the token limit";
                        return self.give_up(id, why);
                    }
                    // If the goal is a maximum, the prover continues with the predicate for the
                    // next larger value, and with the clauses learnt so far.
                    if board.is_open(id) {
                        self.provers.push((id, prover));
                    }
                }
                DecisionOutcome::Unreachable(cubes) => {
                    let predicate = prover.predicate().clone();
                    let (mut terms, lemmas) = prover.into_parts();
                    let material = ProofMaterial { cubes: &cubes, lemmas: &lemmas };
                    if self.refute(id, goal, &mut terms, material, &predicate).is_none()
                        || board.is_open(id)
                    {
                        // Cubes shared by other goals may depend on bounds that this certificate
                        // does not derive. The goal is proved again without shared cubes.
                        if self.without_shared_cubes.insert(id) {
                            continue;
                        }
                        return self.give_up(id, "the invariant found could not be certified");
                    }
                    self.shared_cubes.add(&cubes, &terms);
                    self.statistics.refuted += 1;
                }
            }
        }
    }

    /// Records that the engine has given up on a goal, for this reason.
    fn give_up(&mut self, id: GoalId, reason: &str) {
        tracing::info!("{}: {id:?}: {reason}", self.name);
        self.assignment.board.record_given_up(id, self.name, reason);
        self.given_up.push(id);
    }

    /// Reports a certificate that no reachable marking satisfies `predicate`. The invariant is the
    /// complement of those cubes in `material` that the proof needs. Returns `None` if no
    /// certificate can be made.
    fn refute(
        &self,
        id: GoalId,
        goal: &MarkingGoal,
        terms: &mut BoundTerms<'_>,
        material: ProofMaterial<'_>,
        predicate: &Predicate,
    ) -> Option<()> {
        let Assignment { working_net, board, .. } = self.assignment;
        let (net, facts) = (working_net.net(), working_net.facts());
        let proved_intervals = self.intervals.up_to(self.provenance);
        // A finished proof is worth extra time beyond the slice.
        let budget = &Budget::lasting(Duration::from_secs(20));
        let bounds = |places: &BTreeSet<usize>| -> Option<BoundsCertificate> {
            let needed_bounds =
                places.iter().flat_map(|&p| [true, false].map(|upper| (PlaceId::new(p), upper)));
            intervals::bounds(net, facts, proved_intervals, needed_bounds, budget)
        };
        let invariant = document::build_certificate(terms, material, predicate, bounds, budget)?;
        let argument = Argument::Induction {
            clauses: invariant.clauses.len(),
            assumes_units: invariant.bounds.assumes_units,
        };
        let proof = Proof::new(argument, Some(Arc::new(Document::Induction(invariant))));
        let proof_reporter = board.proof_reporter(TECHNIQUE).on(working_net);
        match goal {
            MarkingGoal::Reach(_) => proof_reporter.report_unreachable(id, proof),
            MarkingGoal::Maximise(sum) => {
                proof_reporter.report_at_most(id, self.largest_seen(id, sum), proof)
            }
        }
        Some(())
    }

    /// Returns the open goals on which the engine has not given up.
    fn open_goals(&self) -> Vec<(GoalId, MarkingGoal)> {
        let Assignment { working_net, board, .. } = self.assignment;
        let is_treatable =
            |(id, _): &&(GoalId, MarkingGoal)| board.is_open(*id) && !self.given_up.contains(id);
        working_net.goals().iter().filter(is_treatable).cloned().collect()
    }
}

/// Returns the predicate "the sum is larger than `value`", or `None` if `value` exceeds 64 bits.
pub(super) fn exceeds(sum: &LinearSum, value: i128) -> Option<Predicate> {
    Some(Predicate::at_most(sum.clone(), i64::try_from(value).ok()?).negated())
}

impl<'g, D: Decide<'g>> Session for Induction<'g, D> {
    fn slice(&mut self, budget: &Budget) -> SliceProgress {
        loop {
            let open_goals = self.open_goals();
            if open_goals.is_empty() {
                return SliceProgress::Finished;
            }
            self.provers.retain(|(id, _)| self.assignment.board.is_open(*id));
            let (shortest, longest) = FIRST_SLICE;
            let first_slice = || {
                let equal_share =
                    budget.remaining().map_or(longest, |left| left / open_goals.len() as u32);
                equal_share.clamp(shortest, longest)
            };
            let slice = *self.slice.get_or_insert_with(first_slice);
            for (id, goal) in open_goals {
                if budget.is_exhausted() {
                    return SliceProgress::Unfinished;
                }
                if self.treated_in_round.insert(id) {
                    self.work_on(id, &goal, &budget.slice(slice));
                }
            }
            self.treated_in_round.clear();
            self.slice = Some(slice.saturating_mul(2));
        }
    }

    fn statistics(&self) -> String {
        let PdrStatistics { reached, refuted, objects: object_count, queries: query_count } =
            &self.statistics;
        format!(
            "{reached} reached, {refuted} refuted, {object_count} {}, {query_count} questions",
            D::COUNTED_OBJECTS
        )
    }
}
