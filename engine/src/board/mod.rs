//! The board: the goals of an analysis, what is known of each, and the only way to report results.
//!
//! Engines report on one of two sides. [`WitnessReporter`] reports "reached", "at least" and
//! "unbounded", each with a firing sequence. [`ProofReporter`] reports "unreachable" and "at most",
//! each with a proof. An engine that under-approximates gets a witness reporter only, so it cannot
//! refute. An engine that over-approximates gets a proof reporter only, so it cannot report a goal
//! as reached. A report on the wrong side does not compile.
//!
//! A report that a predicate does not stay reachable usually needs both: a witness, and a proof
//! that starts from the end of the witness. Such reports go through [`HomeReporter`]. The existence
//! and absence of runs are reported through [`RunReporter`], properties of the tree of runs through
//! [`TreeReporter`].
//!
//! The board replays every witness on the net before it records the result. For every proof, the
//! checker verifies a certificate or another argument, or repeats the search. Otherwise the board
//! records the result as an unchecked search, if it accepts such results. A report that a check
//! refutes is an internal error: it is logged with everything needed to reproduce it, counted, and
//! never becomes a verdict. A report is dropped without an error if its check lacks time or meets a
//! numeric limit. If two engines contradict each other, the goal is frozen, and nothing is printed
//! for it.
//!
//! The board of a [coloured net](Board::of_coloured) takes firing sequences of the coloured net and
//! replays them by the coloured firing rule. It also takes results that another board has for an
//! [abstraction](parikh_evidence::abstraction::SimulatingNet) of the coloured net. The goals of the
//! other board must be weakened versions of this board's goals.
//!
//! Proofs may rest on the model's claim that its units are safe (NUPN). Every replayed sequence is
//! compared with that claim. Once a sequence violates it, the board accepts no proof that rests on
//! the claim, and the caller repeats the affected questions without it.

mod evidence;
mod home_reporter;
mod knowledge;
mod lemma;
mod loops;
mod premises;
mod proof;
mod proof_reporter;
mod run_reporter;
mod shorten;
mod tree_reporter;
mod witness;
mod witness_reporter;

pub use evidence::{Evidence, KeptDocument, KeptStructure};
pub use home_reporter::{HomeFinding, HomeReporter, SearchExtent};
pub use knowledge::{
    Basis, HomeKnowledge, Knowledge, Maximum, ProvedBound, ReachKnowledge, RunKnowledge, SeenValue,
    TreeKnowledge,
};
pub use lemma::{LemmaExplanation, LemmaSum, why_never};
pub use proof::{Argument, Proof, ProofSummary, json_number};
pub use proof_reporter::{CertificateReporter, ProofReporter};
pub use run_reporter::RunReporter;
pub use shorten::MIN_SHORTENING_TIME;
pub use tree_reporter::TreeReporter;
pub use witness::Witness;
pub use witness_reporter::WitnessReporter;

use crate::working_net::{TranslationLimit, WorkingNet};
use evidence::Checks;
use parikh_evidence::abstraction::ColouredModel;
use parikh_evidence::home::HomeArgument;
use parikh_evidence::{Flaw, first_breach};
use parikh_net::{FiringSequence, Goal, GoalId, Net, Predicate, TransitionId};
use parikh_solvers::Budget;
use parikh_structure::excluded::InvariantSums;
use serde::Serialize;
use shorten::ShorteningState;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// The name of a technique in the contest's terms: `RANDOM_WALK`, `EXPLICIT`, ….
pub type Technique = &'static str;

/// Time limit for computing the place invariants that explain results to the user.
const MAX_SUMS_TIME: Duration = Duration::from_millis(100);
/// The largest number of places of a net for which place invariants for explanations are computed.
const MAX_SUMS_PLACES: usize = 5_000;

/// The reason why an engine gave a goal up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct GivenUp {
    /// The name of the engine.
    pub engine: String,
    /// The reason in words, as a part of a sentence.
    pub why: String,
}

/// The state of one goal.
struct GoalEntry {
    knowledge: Knowledge,
    /// True if two engines contradict each other: then no verdict is given.
    is_frozen: bool,
}

/// The goals of an analysis with the knowledge about them, shared by all engines.
pub struct Board<'n> {
    net: &'n Net,
    /// The coloured net, if `net` is its skeleton and goals are written over the skeleton's nodes.
    /// `None` otherwise.
    coloured: Option<&'n ColouredModel>,
    goals: Vec<Goal>,
    entries: Vec<Mutex<GoalEntry>>,
    open: Vec<AtomicBool>,
    open_count: AtomicUsize,
    /// Number of goals closed so far. Engines read it to notice new results.
    version: AtomicU64,
    /// Number of refused claims and of contradictions between engines.
    faults: AtomicUsize,
    /// True if a claim was dropped because a place would exceed the largest token count.
    overflowed: AtomicBool,
    /// Description of the first replayed sequence that violates the model's claim of safe units.
    /// Empty while there is no such sequence.
    breach: OnceLock<String>,
    /// For each goal, the reasons of the engines that gave the goal up.
    given_up: Mutex<BTreeMap<GoalId, BTreeSet<GivenUp>>>,
    /// True if witnesses of reached goals, witnesses of seen values, and runs are stored after the
    /// replay. Witnesses of home-space goals and self-covering sequences are always stored, as are
    /// witnesses for deadness goals of a net without colours.
    keeps_witnesses: bool,
    /// The channel to which each settled goal is sent. `None` without a listener.
    settled: Option<Sender<GoalId>>,
    checks: Checks,
    /// The id of each home-space goal, by its predicate. A home-space goal asks if the predicate
    /// stays reachable from every reachable marking. For several goals with the same predicate,
    /// only the last id is listed.
    homes: HashMap<Predicate, GoalId>,
    /// The settings and statistics of shortening witnesses, and the goals whose witnesses are known
    /// to be shortest.
    shortening: ShorteningState,
    /// The place invariants that explain results, computed at first use. `None` unless
    /// [`with_reasons_by_sums`](Self::with_reasons_by_sums) was called.
    sums: Option<OnceLock<InvariantSums>>,
    /// Hints for searches: firing sequences of the original net that may be prefixes of runs with
    /// an open property. Each was translated from a run of a reduced net. The translation of the
    /// whole run failed, or was not accepted as a run with the property.
    run_hints: Mutex<Vec<FiringSequence>>,
    /// The goals for which an engine on a reduced net recorded a proof or reported a witness.
    reduced: Mutex<BTreeSet<GoalId>>,
    /// The accepted argument that every firing can be undone, with the technique behind it. Empty
    /// while no such argument is known.
    reversible: OnceLock<(Technique, Arc<HomeArgument>)>,
}

impl<'n> Board<'n> {
    /// Makes a board with open goals over `net`.
    pub fn new(net: &'n Net, goals: Vec<Goal>) -> Self {
        let entry = |goal| {
            let knowledge = Knowledge::open(goal);
            Mutex::new(GoalEntry { knowledge, is_frozen: false })
        };
        let homes = goals.iter().enumerate().filter_map(|(at, goal)| match goal {
            Goal::Home(wanted) => Some((wanted.clone(), GoalId::new(at))),
            _ => None,
        });
        Board {
            homes: homes.collect(),
            reversible: OnceLock::new(),
            run_hints: Mutex::default(),
            reduced: Mutex::default(),
            net,
            coloured: None,
            entries: goals.iter().map(entry).collect(),
            open: goals.iter().map(|_| AtomicBool::new(true)).collect(),
            open_count: AtomicUsize::new(goals.len()),
            goals,
            version: AtomicU64::new(0),
            faults: AtomicUsize::new(0),
            overflowed: AtomicBool::new(false),
            breach: OnceLock::new(),
            given_up: Mutex::default(),
            keeps_witnesses: true,
            settled: None,
            checks: Checks::new(Budget::unlimited()),
            shortening: ShorteningState::default(),
            sums: None,
        }
    }

    /// Makes a board over a coloured net, with goals written over the nodes of its skeleton.
    /// Witnesses are sequences of coloured steps, replayed by the coloured firing rule.
    pub fn of_coloured(model: &'n ColouredModel, goals: Vec<Goal>) -> Self {
        Board { coloured: Some(model), ..Board::new(model.skeleton().net(), goals) }
    }

    /// Returns true if the goals are about a coloured net, unfolded or as it is.
    pub fn is_of_coloured(&self) -> bool {
        self.coloured.is_some() || self.net.folding().is_some()
    }

    /// Drops witnesses of reached goals, witnesses of seen values, and runs after the replay.
    /// Witnesses of home-space goals, self-covering sequences, and witnesses for deadness goals of
    /// a net without colours are still kept. Examinations of the contest with one goal per place or
    /// transition use this.
    pub fn without_witnesses(mut self) -> Self {
        self.keeps_witnesses = false;
        self
    }

    /// Shortens witnesses before they are kept. The total time for this is a small share of the
    /// elapsed time or `free`, whichever is longer. With `proving`, each witness of a
    /// [`Goal::Reach`] may take half of the remaining time instead, to prove that no shorter
    /// witness exists. Without a time limit it may take a minute. Witnesses of a coloured net are
    /// not shortened.
    pub fn with_short_witnesses(mut self, proving: bool, free: Duration) -> Self {
        self.shortening = ShorteningState::new(proving, free);
        self
    }

    /// Enables explanations by place invariants, see [`sums`](Self::sums).
    pub fn with_reasons_by_sums(mut self) -> Self {
        self.sums = Some(OnceLock::new());
        self
    }

    /// Returns the place invariants that explain results, computed at the first call. Returns
    /// `None` if they are not enabled or the net has too many places. Also returns `None` for a
    /// coloured net, and for a translated net, whose places users do not know.
    pub fn sums(&self) -> Option<&InvariantSums> {
        let sums = self.sums.as_ref()?;
        let is_known = self.coloured.is_none() && self.net.translation().is_none();
        let is_small = self.net.place_count() <= MAX_SUMS_PLACES;
        let find = || InvariantSums::of(self.net, &[], &Budget::lasting(MAX_SUMS_TIME));
        (is_known && is_small).then(|| sums.get_or_init(find))
    }

    /// Returns a text with statistics: for how many witnesses shortening was tried, their firings
    /// before and after, and the time. Returns `None` if shortening was tried for no witness.
    pub fn shortening_summary(&self) -> Option<String> {
        self.shortening.summary()
    }

    /// Returns true if the goal's witness is known to be shortest, and false if this is unknown.
    /// Returns `None` if the board does not try to prove this.
    pub fn is_shortest(&self, goal: GoalId) -> Option<bool> {
        self.shortening.is_shortest(goal)
    }

    /// Sets the budget that limits the checks of all reports. Without a call it is unlimited.
    pub fn with_budget(mut self, budget: &Budget) -> Self {
        self.checks = Checks::new(budget.clone());
        self
    }

    /// Keeps accepted certificates for an evidence file.
    pub fn with_documents(mut self) -> Self {
        self.checks.keeps_certificates = true;
        self
    }

    /// Rejects unchecked searches: every refutation needs a certificate or another argument that
    /// the checker accepts, or a search that the checker repeats.
    pub fn certified_only(mut self) -> Self {
        self.checks.accepts_searches = false;
        self
    }

    /// Sends each goal once to `settled`, at the moment when it is settled. Goals that were
    /// abandoned or frozen before are not sent.
    pub fn with_listener(mut self, settled: Sender<GoalId>) -> Self {
        self.settled = Some(settled);
        self
    }

    /// Returns the net that the goals are about. Witnesses are replayed on it. For a coloured net
    /// it is the skeleton, and witnesses are replayed on the coloured net instead.
    pub fn net(&self) -> &'n Net {
        self.net
    }

    /// Returns the goals, settled or not.
    pub fn goals(&self) -> &[Goal] {
        &self.goals
    }

    /// Returns a goal.
    pub fn goal(&self, id: GoalId) -> &Goal {
        &self.goals[id.index()]
    }

    /// Returns the ids of all goals.
    pub fn ids(&self) -> impl Iterator<Item = GoalId> + use<> {
        (0..self.goals.len()).map(GoalId::new)
    }

    /// Returns the ids of the open goals.
    pub fn open_goals(&self) -> Vec<GoalId> {
        self.ids().filter(|&id| self.is_open(id)).collect()
    }

    /// Returns true if the goal is open, that is, neither settled nor abandoned nor frozen.
    pub fn is_open(&self, id: GoalId) -> bool {
        self.open[id.index()].load(Ordering::Relaxed)
    }

    /// Returns the number of open goals.
    pub fn open_count(&self) -> usize {
        self.open_count.load(Ordering::Relaxed)
    }

    /// Returns a counter that changes whenever a goal is closed, that is, settled, abandoned or
    /// frozen.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    /// Returns the number of refused claims and of contradictions between engines. Any number but 0
    /// shows a bug.
    pub fn faults(&self) -> usize {
        self.faults.load(Ordering::Relaxed)
    }

    /// Returns true if an engine's claim was dropped because a place would get 2⁶³ tokens or more.
    /// Some goals may then be reachable although the board records no witness. See
    /// [`Marking::MAX_TOKENS`](parikh_net::Marking::MAX_TOKENS).
    pub fn overflowed(&self) -> bool {
        self.overflowed.load(Ordering::Relaxed)
    }

    /// Records why an engine gave a goal up. The goal stays open, since other engines may still
    /// settle it.
    pub fn record_given_up(&self, goal: GoalId, engine: &str, why: &str) {
        let mut given_up = self.given_up.lock().unwrap_or_else(PoisonError::into_inner);
        let (engine, why) = (engine.to_owned(), why.to_owned());
        given_up.entry(goal).or_default().insert(GivenUp { engine, why });
    }

    /// Returns the recorded reasons of all engines that gave the goal up, without duplicates.
    pub fn given_up(&self, goal: GoalId) -> Vec<GivenUp> {
        let given_up = self.given_up.lock().unwrap_or_else(PoisonError::into_inner);
        given_up.get(&goal).into_iter().flatten().cloned().collect()
    }

    /// Returns a description of how a replayed sequence violated the model's claim of safe units,
    /// if one did.
    pub fn breach(&self) -> Option<&str> {
        self.breach.get().map(String::as_str)
    }

    /// Returns the name of a transition, or of a step of the coloured net. Returns `?` for an
    /// unknown transition.
    fn step_name(&self, t: TransitionId) -> String {
        match self.coloured {
            Some(model) => model.step_name(t),
            None if t.index() < self.net.transition_count() => {
                self.net.transition_name(t).to_owned()
            }
            None => "?".to_owned(),
        }
    }

    /// Compares the first `firings` firings of a sequence of the board's net with the model's claim
    /// of safe units. Records the first violation.
    pub fn check_units_claim(&self, sequence: &FiringSequence, firings: u64) {
        let unbroken = || self.net.safe_units().is_some() && self.breach().is_none();
        if unbroken()
            && let Some(breach) = first_breach(self.net, sequence, firings)
            && self.breach.set(breach.clone()).is_ok()
        {
            tracing::warn!(
                "the model's NUPN claim is false: {breach}; nothing is assumed of its units any more"
            );
        }
    }

    /// Returns true if a proof is void: it rests on the model's claim of safe units, and a replayed
    /// sequence violates this claim.
    fn rests_on_violated_claim(&self, proof: &Proof) -> bool {
        proof.assumes_units() && self.breach().is_some()
    }

    /// Returns the knowledge about a goal; `None` if two engines contradict each other.
    pub fn knowledge(&self, id: GoalId) -> Option<Knowledge> {
        let entry = self.entry(id);
        (!entry.is_frozen).then(|| entry.knowledge.clone())
    }

    /// Returns the largest value of a [`Goal::Maximise`] that a replayed witness has shown. Returns
    /// `None` for another goal, or if no value was shown.
    pub fn largest_seen(&self, id: GoalId) -> Option<i128> {
        match &self.entry(id).knowledge {
            Knowledge::Maximum(maximum) => maximum.largest_seen.as_ref().map(|seen| seen.value),
            _ => None,
        }
    }

    /// Returns the smallest proved bound of a [`Goal::Maximise`]. Returns `None` for another goal,
    /// or if no bound is proved.
    pub fn proved(&self, id: GoalId) -> Option<i128> {
        match &self.entry(id).knowledge {
            Knowledge::Maximum(maximum) => maximum.proved.as_ref().map(|proved| proved.bound),
            _ => None,
        }
    }

    /// Drops the witness or run, the certificate, and any other kept evidence of a settled goal,
    /// but keeps the result. Does nothing for a maximum.
    pub fn forget_evidence(&self, id: GoalId) {
        self.entry(id).knowledge.forget();
    }

    /// Closes an open goal that no question needs any more.
    pub fn abandon(&self, id: GoalId) {
        self.close(id, false);
    }

    /// Locks the state of a goal.
    fn entry(&self, id: GoalId) -> MutexGuard<'_, GoalEntry> {
        // A poisoned entry is still valid: every write is a single assignment.
        self.entries[id.index()].lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Closes a goal. If it was open and `notify` is true, sends it to the listener.
    fn close(&self, id: GoalId, notify: bool) {
        if self.open[id.index()].swap(false, Ordering::Relaxed) {
            self.open_count.fetch_sub(1, Ordering::Relaxed);
            self.version.fetch_add(1, Ordering::Relaxed);
            if let (true, Some(settled)) = (notify, &self.settled) {
                // The receiver may be gone; the analysis continues.
                let _ = settled.send(id);
            }
        }
    }

    /// Returns true if a recorded proof of the goal, or a witness that was translated for it, comes
    /// from a reduced net. A witness is noted before its replay, so the result is also true if the
    /// replay fails.
    pub fn is_by_reduction(&self, goal: GoalId) -> bool {
        self.reduced.lock().unwrap_or_else(PoisonError::into_inner).contains(&goal)
    }

    /// Records that the goal has a result from a reduced net. Does nothing if `working_net` is
    /// `None` or the original net.
    fn note_if_reduced(&self, goal: GoalId, working_net: Option<&WorkingNet<'_>>) {
        if working_net.is_some_and(|working_net| working_net.parent().is_some()) {
            self.reduced.lock().unwrap_or_else(PoisonError::into_inner).insert(goal);
        }
    }

    /// Counts and logs an internal error.
    fn fault(&self, by: Technique, what: std::fmt::Arguments<'_>) {
        self.faults.fetch_add(1, Ordering::Relaxed);
        tracing::error!("internal error in {by}: {what}; the claim is dropped, please report this");
    }

    /// Handles a claim that a limit on tokens, length, time or memory keeps from being shown. The
    /// claim is dropped. This is neither a bug nor a verdict.
    fn record_exceeded_limit(&self, limit: TranslationLimit) {
        tracing::debug!("a claim is dropped: {limit}");
        if limit == TranslationLimit::Tokens {
            self.overflowed.store(true, Ordering::Relaxed);
        }
    }

    /// Freezes a goal about which two engines disagree: closes the goal without a verdict, and
    /// counts a fault. `by` is the technique that reported the second result.
    fn freeze(&self, id: GoalId, by: Technique, mut entry: MutexGuard<'_, GoalEntry>) {
        entry.is_frozen = true;
        drop(entry);
        self.fault(by, format_args!("a report on {id:?} contradicts an earlier one"));
        self.close(id, false);
    }
}

/// An observation along a firing sequence. After the first `firings` firings the predicate of the
/// goal holds, or the sum of the goal has a value worth recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The goal.
    pub goal: GoalId,
    /// The number of firings before the observation, counted from the start of the sequence.
    pub firings: u64,
}

/// Converts a value of the goal's sum from the net that was read to the engine's net. The two
/// values differ by a constant per goal. Returns `None` if `value` is `None`.
fn to_working_net_value(
    working_net: Option<&WorkingNet<'_>>,
    goal: GoalId,
    value: Option<i128>,
) -> Option<i128> {
    Some(value? - working_net.map_or(0, |working_net| working_net.constant(goal)))
}

/// Adds to a proof the number of reduction rules that were applied between the net that was read
/// and the engine's net. Returns the proof unchanged if these two nets are the same.
fn with_reduction_count(working_net: Option<&WorkingNet<'_>>, proof: Proof) -> Proof {
    match working_net.and_then(WorkingNet::changes) {
        Some(changes) => proof.with_reductions(changes),
        None => proof,
    }
}

/// Returns true if the flaw only means that the checker reached a limit. Then neither the
/// certificate nor the result is shown to be wrong.
fn is_limit(flaw: &Flaw) -> bool {
    matches!(flaw, Flaw::Stopped | Flaw::TooLarge(_) | Flaw::Overflow)
}

/// Like [`is_limit`], for a visit of a stated number of markings. The checker's memory may be full
/// before it has visited so many. An overflow is no limit: the engine's limit on tokens is smaller
/// than the checker's, so the engine has missed a firing.
fn is_limit_of_visit(flaw: &Flaw, stated_markings: u64) -> bool {
    match *flaw {
        Flaw::Overflow => false,
        Flaw::More(visited) => visited < stated_markings,
        _ => is_limit(flaw),
    }
}

#[cfg(test)]
mod tests;
