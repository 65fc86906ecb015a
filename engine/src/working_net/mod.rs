//! Working nets: the nets that engines work on.
//!
//! A working net consists of a net, the open goals as the net expresses them, the known facts, and
//! the back-translation to its parent. The original net is a working net. A structurally reduced
//! net is a working net too, and can be reduced again. An engine does not know which kind it works
//! on. It takes the working net's goals and reports to the [board](crate::board). Its results are
//! translated from working net to working net, until they are about the original net. There they
//! are checked.
//!
//! ```text
//!   original net ──derivation──▶ reduced for all goals ──derivation──▶ reduced for one goal
//!        ▲                            │    ▲                                 │
//!        └──── sequence, pump, proof ─┘    └────── sequence, pump, proof ────┘
//! ```
//!
//! Each working net has its goals in two forms. Engines whose proofs are about the goal itself use
//! the translated goals. Engines that visit markings use the goals [shrunk](shrink) by the token
//! intervals of the net.
//!
//! # How to add one
//! Implement [`Derivation`] in a file beside [`reduced`], with a function that makes a working net
//! by [`WorkingNet::derived`].

pub mod reduced;
pub mod shrink;

use parikh_evidence::reduction::{CheckedReduction, LogError, NamedLog};
use parikh_net::lasso::{LassoRun, RunEnd};
use parikh_net::{
    Facts, FiringSequence, Goal, GoalId, GoalKind, MarkingGoal, Net, Predicate, RunProperty,
    SortedGoals, TreeProperty,
};
use parikh_solvers::locked;
use parikh_structure::intervals::{self, Intervals};
use std::sync::{Arc, Mutex, OnceLock};

/// Limits that may prevent the translation of a firing sequence to the original net, although the
/// sequence exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TranslationLimit {
    /// The translated firing sequence takes a place to 2⁶³ tokens or more.
    #[error("a place would hold 2^63 tokens or more")]
    Tokens,
    /// The firing sequence is too long to write out.
    #[error("the firing sequence is too long to be written out")]
    Length,
    /// Translating the firing sequence back exceeds the remaining time or memory.
    #[error("the back-translation of the firing sequence exceeds the time limit")]
    Budget,
}

/// The derivation of a working net from its parent, which can translate firing sequences of the
/// derived net back to the parent's net.
pub trait Derivation: Send + Sync {
    /// Returns the derived net.
    fn net(&self) -> &Net;

    /// Translates a firing sequence of the derived net to the parent's net. Returns the translated
    /// sequence, and the number of its firings after which `goal`, the goal on the parent's net, is
    /// satisfied. For a maximum, this number is the length of the sequence. Returns `None` if the
    /// sequence cannot be translated, or if no translation tried satisfies `goal`. This is a bug,
    /// unless the sequence belongs to a run and the derivation does not preserve runs.
    ///
    /// # Errors
    /// Returns an error if the tokens, the length, or the time and memory of the translation exceed
    /// a limit.
    fn sequence(
        &self,
        goal: &MarkingGoal,
        derived: &FiringSequence,
    ) -> Result<Option<(FiringSequence, u64)>, TranslationLimit>;

    /// Translates the prefix and the cycle of a self-covering sequence, and returns both. Returns
    /// `None` if the translation is impossible. This is a bug, unless the sequences belong to a run
    /// and the derivation does not preserve runs.
    ///
    /// # Errors Returns an error if the tokens, the length, or the time and memory of the
    /// translation exceed a limit.
    fn pump(
        &self,
        prefix: &FiringSequence,
        pump: &FiringSequence,
    ) -> Result<Option<(FiringSequence, FiringSequence)>, TranslationLimit>;

    /// Returns the number of changes to the net, for messages.
    fn change_count(&self) -> u64;

    /// Replays the derivation with the checker's own code. `parent` is the parent's net as computed
    /// by the checker.
    ///
    /// # Errors
    /// Returns an error if a step is invalid or the derived net cannot be built. Returns
    /// [`LogError::Stopped`] if `keep_going` returns false.
    fn check(
        &self,
        parent: &Net,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<CheckedReduction, LogError>;

    /// Returns the log of the derivation for an evidence file.
    fn log(&self, parent: &Net) -> NamedLog;
}

/// A derivation that the checker has replayed, for an evidence file.
#[derive(Debug)]
pub struct CheckedLog {
    /// The derivation of the parent's net. `None` if the parent's net is the original net.
    pub parent: Option<Arc<CheckedLog>>,
    /// The log of the derivation.
    pub log: NamedLog,
    /// The derived net. Certificates about the derived net use the names of its places and
    /// transitions.
    pub net: Net,
}

/// The result of replaying a derivation with the checker's own code.
struct CheckerNet {
    /// The replayed derivation, with the derived net.
    reduction: CheckedReduction,
    /// The log, created at its first use.
    log: OnceLock<Arc<CheckedLog>>,
}

/// A goal as a derived net expresses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DerivedGoal {
    /// The goal's id on the board.
    pub id: GoalId,
    /// The translated goal.
    pub goal: Goal,
    /// The sum of a [`Goal::Maximise`] on the parent's net minus its sum on the derived net. This
    /// difference is constant, since it is the weighted sum of removed places with constant tokens.
    /// 0 for other goals.
    pub constant: i128,
}

/// A net with its open goals. The module's documentation explains working nets.
pub struct WorkingNet<'a> {
    /// The original net, or a derived net with its derivation.
    net: WorkingNetOrigin<'a>,
    /// The goals by kind, sorted by id.
    goals: SortedGoals,
    /// The goals about single markings, simplified by the token intervals.
    shrunk: Vec<(GoalId, MarkingGoal)>,
    /// The nonzero constants of maxima, sorted by goal id. See [`DerivedGoal::constant`].
    constants: Vec<(GoalId, i128)>,
    /// Facts about the net.
    facts: Facts,
    /// The names of rules that reductions of this working net do not apply.
    without_rules: Vec<&'static str>,
}

/// The net of a working net, with its derivation.
enum WorkingNetOrigin<'a> {
    Original(&'a Net),
    Derived {
        parent: &'a WorkingNet<'a>,
        derivation: Box<dyn Derivation + 'a>,
        /// The result of the checker, empty until it has replayed the derivation. `None` inside if
        /// the derivation is invalid, or if the replay yields a different net.
        checked: OnceLock<Option<Box<CheckerNet>>>,
        /// Held while the checker replays the derivation, so that only one thread does.
        checking: Mutex<()>,
    },
}

impl<'a> WorkingNet<'a> {
    /// Creates the working net of the original net. `goals` must be sorted by id. The working net
    /// also stores the goals about single markings, simplified by the proved intervals.
    pub fn original(
        net: &'a Net,
        goals: Vec<(GoalId, Goal)>,
        facts: Facts,
        intervals: &Intervals,
    ) -> Self {
        let goals: SortedGoals = goals.into_iter().collect();
        let shrunk = shrink_all(net, intervals, &goals.markings);
        let (net, constants, without_rules) =
            (WorkingNetOrigin::Original(net), Vec::new(), Vec::new());
        WorkingNet { net, goals, shrunk, constants, facts, without_rules }
    }

    /// Excludes these [rules](parikh_reduction::rules) from reductions of this working net and of
    /// all working nets that are later derived from it. Replaces the rules that were excluded
    /// before.
    #[must_use]
    pub fn without_rules(mut self, rules: &[&'static str]) -> Self {
        self.without_rules = rules.to_vec();
        self
    }

    /// Creates a working net derived from `parent`. `goals` must be sorted by id, and all of them
    /// must be goals of the parent. `facts` and `intervals` are those of the derived net.
    pub fn derived(
        parent: &'a WorkingNet<'a>,
        derivation: Box<dyn Derivation + 'a>,
        goals: Vec<DerivedGoal>,
        facts: Facts,
        intervals: &Intervals,
    ) -> Self {
        let constants = goals.iter().map(|goal| (goal.id, goal.constant));
        let constants = constants.filter(|(_, constant)| *constant != 0).collect();
        let goals = goals.into_iter().map(|goal| (goal.id, goal.goal));
        let goals: SortedGoals = goals.collect();
        let shrunk = shrink_all(derivation.net(), intervals, &goals.markings);
        let net = WorkingNetOrigin::Derived {
            parent,
            derivation,
            checked: OnceLock::new(),
            checking: Mutex::default(),
        };
        let without_rules = parent.without_rules.clone();
        WorkingNet { net, goals, shrunk, constants, facts, without_rules }
    }

    /// Returns this working net restricted to the goals with these ids. Returns `None` for a
    /// derived net.
    pub fn restricted_to(&self, ids: &[GoalId]) -> Option<WorkingNet<'a>> {
        let WorkingNetOrigin::Original(net) = self.net else { return None };
        let goals = self.goals.with_ids(ids);
        let shrunk = self.shrunk.iter().filter(|(id, _)| ids.contains(id)).cloned().collect();
        let (net, constants, facts) =
            (WorkingNetOrigin::Original(net), Vec::new(), self.facts.clone());
        let without_rules = self.without_rules.clone();
        Some(WorkingNet { net, goals, shrunk, constants, facts, without_rules })
    }

    /// Returns the net of the working net.
    pub fn net(&self) -> &Net {
        match &self.net {
            WorkingNetOrigin::Original(net) => net,
            WorkingNetOrigin::Derived { derivation, .. } => derivation.net(),
        }
    }

    /// Returns the working net that this working net was derived from. `None` for the original net.
    pub fn parent(&self) -> Option<&'a WorkingNet<'a>> {
        match self.net {
            WorkingNetOrigin::Original(_) => None,
            WorkingNetOrigin::Derived { parent, .. } => Some(parent),
        }
    }

    /// Returns the home goals, sorted by id. Only dedicated engines handle them.
    pub fn home_goals(&self) -> &[(GoalId, Predicate)] {
        &self.goals.homes
    }

    /// Returns the goals about runs, sorted by id. Only dedicated engines handle them.
    pub fn run_goals(&self) -> &[(GoalId, RunProperty)] {
        &self.goals.runs
    }

    /// Returns the goals about the computation tree, sorted by id. Only dedicated engines handle
    /// them.
    pub fn tree_goals(&self) -> &[(GoalId, TreeProperty)] {
        &self.goals.trees
    }

    /// Returns the goals about single markings that the net expresses, sorted by id.
    pub fn goals(&self) -> &[(GoalId, MarkingGoal)] {
        &self.goals.markings
    }

    /// Returns a goal as this net expresses it. `None` if the goal is not among the goals of this
    /// working net, for example because the net does not express it.
    pub fn goal(&self, id: GoalId) -> Option<Goal> {
        self.goals.get(id)
    }

    /// Returns a goal about single markings as this net expresses it. `None` if no such goal of
    /// this working net has this id, for example because the net does not express it.
    fn marking_goal(&self, id: GoalId) -> Option<&MarkingGoal> {
        let index = self.goals.markings.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(&self.goals.markings[index].1)
    }

    /// Returns the ids and kinds of all goals.
    pub fn kinds(&self) -> impl Iterator<Item = (GoalId, GoalKind)> {
        self.goals.kinds()
    }

    /// Returns the facts known about the net.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Returns the goals about single markings, [shrunk](shrink) by the token intervals of the net,
    /// for engines that visit markings.
    pub fn shrunk(&self) -> &[(GoalId, MarkingGoal)] {
        &self.shrunk
    }

    /// Translates a firing sequence of this net to the original net. Also returns the number of
    /// firings after which the goal is satisfied. Returns `None` if a translation fails, or if a
    /// net on the way does not express the goal.
    ///
    /// # Errors
    /// Returns an error as [`Derivation::sequence`] does, and if the number of firings exceeds 64
    /// bits.
    pub(crate) fn to_original(
        &self,
        id: GoalId,
        sequence: FiringSequence,
    ) -> Result<Option<(FiringSequence, u64)>, TranslationLimit> {
        let (mut working_net, mut sequence) = (self, sequence);
        let mut firings = match u64::try_from(sequence.firings()) {
            Ok(firings) => firings,
            Err(_) => return Err(TranslationLimit::Length),
        };
        while let WorkingNetOrigin::Derived { parent, derivation, .. } = &working_net.net {
            let Some(goal) = parent.marking_goal(id) else { return Ok(None) };
            sequence.truncate(firings);
            match derivation.sequence(goal, &sequence)? {
                Some(translated) => (sequence, firings) = translated,
                None => return Ok(None),
            }
            working_net = parent;
        }
        Ok(Some((sequence, firings)))
    }

    /// Translates a self-covering sequence (prefix and cycle) to the original net. Returns `None`
    /// if a translation fails.
    ///
    /// # Errors
    /// The errors of [`Derivation::pump`].
    pub(crate) fn pump_to_original(
        &self,
        prefix: FiringSequence,
        pump: FiringSequence,
    ) -> Result<Option<(FiringSequence, FiringSequence)>, TranslationLimit> {
        let (mut working_net, mut pair) = (self, (prefix, pump));
        while let WorkingNetOrigin::Derived { parent, derivation, .. } = &working_net.net {
            match derivation.pump(&pair.0, &pair.1)? {
                Some(translated) => pair = translated,
                None => return Ok(None),
            }
            working_net = parent;
        }
        Ok(Some(pair))
    }

    /// Translates a run to the original net. If an applied reduction rule does not preserve runs,
    /// the result may be no run of the original net, and may end differently. So the board must
    /// check it. Returns `None` if a translation fails.
    ///
    /// # Errors
    /// The errors of [`Derivation::sequence`].
    pub(crate) fn run_to_original(
        &self,
        run: LassoRun,
    ) -> Result<Option<LassoRun>, TranslationLimit> {
        let (mut working_net, mut run) = (self, run);
        while let WorkingNetOrigin::Derived { parent, derivation, .. } = &working_net.net {
            let final_condition = match run.end {
                RunEnd::Repeats(cycle) => {
                    let translated = derivation.pump(&run.prefix, &cycle)?;
                    let Some((prefix, cycle)) = translated else { return Ok(None) };
                    run = LassoRun { prefix, end: RunEnd::Repeats(cycle) };
                    working_net = parent;
                    continue;
                }
                RunEnd::Dead => Predicate::Dead,
                RunEnd::Anything => Predicate::True,
            };
            let translated =
                derivation.sequence(&MarkingGoal::Reach(final_condition), &run.prefix)?;
            let Some((mut prefix, firings)) = translated else { return Ok(None) };
            prefix.truncate(firings);
            run.prefix = prefix;
            working_net = parent;
        }
        Ok(Some(run))
    }

    /// Returns the number of changes that all derivations from the original net to this net made.
    /// `None` for the original net.
    pub(crate) fn changes(&self) -> Option<u64> {
        let WorkingNetOrigin::Derived { parent, derivation, .. } = &self.net else { return None };
        Some(parent.changes().unwrap_or(0) + derivation.change_count())
    }

    /// Translates `predicate` from the original net to this net: it is reachable on one net exactly
    /// if it is reachable on the other. Also returns this net. Both are computed by the checker's
    /// own code, which replays the derivations at the first call.
    ///
    /// # Errors
    /// Returns an error if the claim cannot be checked on this net.
    pub(crate) fn checked_predicate(
        &self,
        predicate: Predicate,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<(&Net, Predicate), ClaimObstacle> {
        self.translate_checked(predicate, CheckedReduction::translate, keep_going)
    }

    /// Translates the predicate of a home property from the original net to this net. It always
    /// remains reachable on one net exactly if it does on the other. Also returns this net, like
    /// [`checked_predicate`](Self::checked_predicate).
    ///
    /// # Errors
    /// Returns an error if the claim cannot be checked on this net.
    pub(crate) fn checked_home(
        &self,
        home: Predicate,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<(&Net, Predicate), ClaimObstacle> {
        self.translate_checked(
            home,
            |reduction, _, home| reduction.translate_home(home),
            keep_going,
        )
    }

    /// Translates a predicate from the original net to this net by `translate`, with the checker's
    /// own code.
    fn translate_checked(
        &self,
        predicate: Predicate,
        translate: fn(&CheckedReduction, &Net, &Predicate) -> Option<Predicate>,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<(&Net, Predicate), ClaimObstacle> {
        let WorkingNetOrigin::Derived { parent, .. } = &self.net else {
            return Ok((self.net(), predicate));
        };
        let (parent_net, predicate) = parent.translate_checked(predicate, translate, keep_going)?;
        let reduction = &self.checker_net(parent_net, keep_going)?.reduction;
        let predicate =
            translate(reduction, parent_net, &predicate).ok_or(ClaimObstacle::NotExpressed)?;
        Ok((reduction.net(), predicate))
    }

    /// Returns the checker's replay of the derivation of this net from `parent_net`. A replay that
    /// is not stopped is made once, and later calls return its result.
    ///
    /// # Errors
    /// Returns an error for the original net, or if `keep_going` returns false. Also if the
    /// derivation is invalid or its replay yields a different net.
    fn checker_net(
        &self,
        parent_net: &Net,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<&CheckerNet, ClaimObstacle> {
        let WorkingNetOrigin::Derived { derivation, checked, checking, .. } = &self.net else {
            return Err(ClaimObstacle::NotExpressed);
        };
        let _one_at_a_time = locked(checking);
        if checked.get().is_none() {
            let result = match derivation.check(parent_net, keep_going) {
                Err(LogError::Stopped) => return Err(ClaimObstacle::Stopped),
                Ok(reduction) if is_same_net(reduction.net(), derivation.net()) => {
                    Some(Box::new(CheckerNet { reduction, log: OnceLock::new() }))
                }
                Ok(_) => {
                    tracing::error!("internal error: the checker obtained a different reduced net");
                    None
                }
                Err(error) => {
                    tracing::error!("internal error: a reduction step failed its check: {error}");
                    None
                }
            };
            // The lock is held, so no other thread has set the result.
            let _ = checked.set(result);
        }
        checked.get().and_then(Option::as_deref).ok_or(ClaimObstacle::BrokenDerivation)
    }

    /// Returns the derivations from the original net to this net, for an evidence file. `None` for
    /// the original net, and if the checker has not replayed the derivation of this net or has
    /// rejected it.
    pub(crate) fn checked_log(&self) -> Option<Arc<CheckedLog>> {
        let WorkingNetOrigin::Derived { parent, derivation, checked, .. } = &self.net else {
            return None;
        };
        let checked = checked.get()?.as_ref()?;
        let make_log = || {
            let parent_net = parent.checked_net();
            let log = derivation.log(parent_net);
            let net = checked.reduction.net().clone();
            Arc::new(CheckedLog { parent: parent.checked_log(), log, net })
        };
        Some(checked.log.get_or_init(make_log).clone())
    }

    /// Returns the net as the checker has replayed it, or the net itself if there is no valid
    /// replay of its derivation.
    fn checked_net(&self) -> &Net {
        match &self.net {
            WorkingNetOrigin::Derived { checked, .. } => match checked.get() {
                Some(Some(checked)) => checked.reduction.net(),
                _ => self.net(),
            },
            WorkingNetOrigin::Original(net) => net,
        }
    }

    /// Returns the number to add to the maximum of a [`Goal::Maximise`] on this net to get its
    /// maximum on the original net. Returns 0 for other goals.
    pub(crate) fn constant(&self, id: GoalId) -> i128 {
        let (mut working_net, mut sum) = (Some(self), 0);
        while let Some(current) = working_net {
            if let Ok(index) = current.constants.binary_search_by_key(&id, |&(id, _)| id) {
                sum += current.constants[index].1;
            }
            working_net = current.parent();
        }
        sum
    }
}

/// Returns true if both nets have the same places, initial marking and arcs, in the same order. The
/// names of transitions may differ.
fn is_same_net(left: &Net, right: &Net) -> bool {
    let sizes = |net: &Net| (net.place_count(), net.transition_count());
    sizes(left) == sizes(right)
        && left.initial() == right.initial()
        && left.places().all(|p| left.place_name(p) == right.place_name(p))
        && left.transitions().all(|t| left.pre(t) == right.pre(t) && left.post(t) == right.post(t))
}

/// Reasons why a claim cannot be checked on a derived net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClaimObstacle {
    /// `keep_going` returned false before the end of the replay of the derivation.
    #[error("the check did not finish in time")]
    Stopped,
    /// The derived net does not express the claim.
    #[error("the derived net cannot express it")]
    NotExpressed,
    /// The derivation is invalid, or its replay yields a different net. Both are bugs.
    #[error("the derivation of the net failed its check")]
    BrokenDerivation,
}

/// Returns the goals, each with its predicate simplified by the proved token intervals. The goals
/// are unchanged if the net has a feature outside [`intervals::SUPPORTED_FEATURES`].
fn shrink_all(
    net: &Net,
    intervals: &Intervals,
    goals: &[(GoalId, MarkingGoal)],
) -> Vec<(GoalId, MarkingGoal)> {
    if !intervals::SUPPORTED_FEATURES.cover(net.features()) {
        return goals.to_vec();
    }
    goals.iter().map(|(id, goal)| (*id, shrink::goal(net, intervals, goal))).collect()
}
