//! Grounds: where engines work.
//!
//! A ground is a net, the goals that are open there as they read on that net, what is known of it,
//! and the way back to the ground it was derived from. The net that was read is a ground; a net
//! that structural reductions make of it is one, too, and can be reduced again. An engine does not
//! know which it is on: it takes the ground's goals and reports to the [board](crate::board), and
//! what it says climbs from ground to ground until it is about the net that was read. There it is
//! checked.
//!
//! ```text
//!   net as read ──derivation──▶ reduced for all goals ──derivation──▶ reduced for one of them
//!        ▲                            │    ▲                                 │
//!        └──── sequence, pump, proof ─┘    └────── sequence, pump, proof ────┘
//! ```
//!
//! Each ground has its goals twice: as the derivation translates them, for engines whose proofs are
//! about a goal as it reads; and [shrunk](shrink) by the token intervals of its net,
//! for those that visit markings.
//!
//! # How to add one
//! Implement [`Derivation`] in a file beside [`reduced`], with a function that makes a ground by
//! [`Ground::derived`].

pub mod reduced;
pub mod shrink;

use crate::evidence::reduction::{CheckedReduction, LogError, NamedLog};
use crate::structure::intervals::{self, Intervals};
use parikh_net::lasso::{LassoRun, RunEnd};
use parikh_net::{
    Facts, FiringSequence, Goal, GoalId, GoalKind, MarkingGoal, Net, Predicate, RunProperty,
    SortedGoals, TreeProperty,
};
use std::sync::{Arc, Mutex, OnceLock};

/// What keeps a true claim from being shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Limit {
    /// Its sequence takes a place of the net that was read to 2⁶³ tokens or more.
    #[error("a place would hold 2^63 tokens or more")]
    Tokens,
    /// Its sequence is too long to be written out.
    #[error("the firing sequence is too long to be written out")]
    Length,
    /// Carrying its sequence back takes more time or memory than is left.
    #[error("the firing sequence takes too long to be carried back")]
    Budget,
}

/// How a ground came from its parent: one step of the way back.
pub trait Derivation: Send + Sync {
    /// The derived net.
    fn net(&self) -> &Net;

    /// A sequence of the parent's net for one of the derived net, and how many of its firings show
    /// `goal`, which is given as it reads on the parent. `None` when there is none, which is a bug.
    ///
    /// # Errors
    /// With the limit that keeps it from being shown.
    fn sequence(
        &self,
        goal: &MarkingGoal,
        derived: &FiringSequence,
    ) -> Result<Option<(FiringSequence, u64)>, Limit>;

    /// The same for a prefix and what repeats after it.
    ///
    /// # Errors
    /// As there.
    fn pump(
        &self,
        prefix: &FiringSequence,
        pump: &FiringSequence,
    ) -> Result<Option<(FiringSequence, FiringSequence)>, Limit>;

    /// How many changes of the net it consists of, for people.
    fn changes(&self) -> u64;

    /// Goes through the derivation again, by the checker's own code, from `parent`: the parent's
    /// net as the checker has it.
    ///
    /// # Errors
    /// With what does not hold; [`LogError::Stopped`] when `goes_on` says so.
    fn check(
        &self,
        parent: &Net,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<CheckedReduction, LogError>;

    /// What was gone through, for a file.
    fn log(&self, parent: &Net) -> NamedLog;
}

/// A derivation that the checker went through, for a file of evidence.
#[derive(Debug)]
pub struct CheckedLog {
    /// What led to the net that it began with; nothing where that is the net that was read.
    pub of: Option<Arc<CheckedLog>>,
    /// The log.
    pub log: NamedLog,
    /// The derived net, whose names documents about it use.
    pub net: Net,
}

/// A derived net as the checker has it.
struct CheckerNet {
    reduction: CheckedReduction,
    /// Made when it is first asked for.
    log: OnceLock<Arc<CheckedLog>>,
}

/// A goal as it reads on a derived net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DerivedGoal {
    /// Its id on the board.
    pub id: GoalId,
    /// The goal.
    pub goal: Goal,
    /// By how much the sum of a [`Goal::Maximise`] is larger on the parent's net: the weighted
    /// tokens of removed places, whose number never changes.
    pub constant: i128,
}

/// A net to work on, with its goals. See the module.
pub struct Ground<'a> {
    net: NetOf<'a>,
    /// By their kinds, by ascending id.
    goals: SortedGoals,
    /// Those about single markings, shrunk.
    shrunk: Vec<(GoalId, MarkingGoal)>,
    /// The constants that are not 0, of maxima, by ascending id.
    constants: Vec<(GoalId, i128)>,
    facts: Facts,
    /// Rules that reductions do without, by name.
    without_rules: Vec<&'static str>,
}

enum NetOf<'a> {
    Read(&'a Net),
    Derived {
        parent: &'a Ground<'a>,
        derivation: Box<dyn Derivation + 'a>,
        /// The checker's result, once it has gone through the derivation; `None` if the derivation
        /// does not hold.
        checked: OnceLock<Option<Box<CheckerNet>>>,
        /// Locked while the checker goes through the derivation, so that no two threads do so at
        /// once.
        checking: Mutex<()>,
    },
}

impl<'a> Ground<'a> {
    /// The ground of the net that was read. `goals` by ascending id; they are shrunk by what
    /// `intervals` prove.
    pub fn original(
        net: &'a Net,
        goals: Vec<(GoalId, Goal)>,
        facts: Facts,
        intervals: &Intervals,
    ) -> Self {
        let goals: SortedGoals = goals.into_iter().collect();
        let shrunk = shrink_all(net, intervals, &goals.markings);
        let (net, constants, without_rules) = (NetOf::Read(net), Vec::new(), Vec::new());
        Ground { net, goals, shrunk, constants, facts, without_rules }
    }

    /// The same, to be reduced without these [rules](crate::reduction::rules), and what is derived
    /// from it, too.
    #[must_use]
    pub fn without_rules(mut self, rules: &[&'static str]) -> Self {
        self.without_rules = rules.to_vec();
        self
    }

    /// A ground derived from `parent`. `goals` by ascending id; all of them must be goals of the
    /// parent.
    pub fn derived(
        parent: &'a Ground<'a>,
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
        let net = NetOf::Derived {
            parent,
            derivation,
            checked: OnceLock::new(),
            checking: Mutex::default(),
        };
        let without_rules = parent.without_rules.clone();
        Ground { net, goals, shrunk, constants, facts, without_rules }
    }

    /// This ground with only some of its goals; `None` on a derived net.
    pub fn only(&self, wanted: &[GoalId]) -> Option<Ground<'a>> {
        let NetOf::Read(net) = self.net else { return None };
        let goals = self.goals.only(wanted);
        let shrunk = self.shrunk.iter().filter(|(id, _)| wanted.contains(id)).cloned().collect();
        let (net, constants, facts) = (NetOf::Read(net), Vec::new(), self.facts.clone());
        let without_rules = self.without_rules.clone();
        Some(Ground { net, goals, shrunk, constants, facts, without_rules })
    }

    /// The net to work on.
    pub fn net(&self) -> &Net {
        match &self.net {
            NetOf::Read(net) => net,
            NetOf::Derived { derivation, .. } => derivation.net(),
        }
    }

    /// The ground that this one was derived from.
    pub fn parent(&self) -> Option<&'a Ground<'a>> {
        match self.net {
            NetOf::Read(_) => None,
            NetOf::Derived { parent, .. } => Some(parent),
        }
    }

    /// The goals that ask for what stays reachable, by ascending id: for engines of their own.
    pub fn homes(&self) -> &[(GoalId, Predicate)] {
        &self.goals.homes
    }

    /// The goals that ask for runs, by ascending id: for engines of their own.
    pub fn runs(&self) -> &[(GoalId, RunProperty)] {
        &self.goals.runs
    }

    /// The goals about the tree of runs, by ascending id: for engines of their own.
    pub fn trees(&self) -> &[(GoalId, TreeProperty)] {
        &self.goals.trees
    }

    /// The goals about single markings that the net expresses, as they read there, by ascending id.
    pub fn goals(&self) -> &[(GoalId, MarkingGoal)] {
        &self.goals.markings
    }

    /// One goal as it reads here; `None` when the net does not express it.
    pub fn goal(&self, id: GoalId) -> Option<Goal> {
        self.goals.get(id)
    }

    fn marking_goal(&self, id: GoalId) -> Option<&MarkingGoal> {
        let at = self.goals.markings.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(&self.goals.markings[at].1)
    }

    /// The kinds of its goals, each with the goal.
    pub fn kinds(&self) -> impl Iterator<Item = (GoalId, GoalKind)> {
        self.goals.kinds()
    }

    /// What is known of the net.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The same, [shrunk](shrink) by the token intervals of the net, for engines that visit
    /// markings.
    pub fn shrunk(&self) -> &[(GoalId, MarkingGoal)] {
        &self.shrunk
    }

    /// A sequence of the net that was read for one of this net, and how many of its firings show
    /// the goal there.
    ///
    /// # Errors
    /// As [`Derivation::sequence`].
    pub(crate) fn climb(
        &self,
        id: GoalId,
        sequence: FiringSequence,
    ) -> Result<Option<(FiringSequence, u64)>, Limit> {
        let (mut ground, mut sequence) = (self, sequence);
        let mut firings = match u64::try_from(sequence.firings()) {
            Ok(firings) => firings,
            Err(_) => return Err(Limit::Length),
        };
        while let NetOf::Derived { parent, derivation, .. } = &ground.net {
            let Some(goal) = parent.marking_goal(id) else { return Ok(None) };
            sequence.truncate(firings);
            match derivation.sequence(goal, &sequence)? {
                Some(climbed) => (sequence, firings) = climbed,
                None => return Ok(None),
            }
            ground = parent;
        }
        Ok(Some((sequence, firings)))
    }

    /// The same for a prefix and a pump.
    ///
    /// # Errors
    /// As [`Derivation::pump`].
    pub(crate) fn climb_pump(
        &self,
        prefix: FiringSequence,
        pump: FiringSequence,
    ) -> Result<Option<(FiringSequence, FiringSequence)>, Limit> {
        let (mut ground, mut both) = (self, (prefix, pump));
        while let NetOf::Derived { parent, derivation, .. } = &ground.net {
            match derivation.pump(&both.0, &both.1)? {
                Some(climbed) => both = climbed,
                None => return Ok(None),
            }
            ground = parent;
        }
        Ok(Some(both))
    }

    /// The same for a run. It may be none where the rules that led here keep no runs, and have
    /// another end.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn climb_run(&self, run: LassoRun) -> Result<Option<LassoRun>, Limit> {
        let (mut ground, mut run) = (self, run);
        while let NetOf::Derived { parent, derivation, .. } = &ground.net {
            let last = match run.end {
                RunEnd::Repeats(cycle) => {
                    let climbed = derivation.pump(&run.prefix, &cycle)?;
                    let Some((prefix, cycle)) = climbed else { return Ok(None) };
                    run = LassoRun { prefix, end: RunEnd::Repeats(cycle) };
                    ground = parent;
                    continue;
                }
                RunEnd::Dead => Predicate::Dead,
                RunEnd::Anything => Predicate::True,
            };
            let climbed = derivation.sequence(&MarkingGoal::Reach(last), &run.prefix)?;
            let Some((mut prefix, firings)) = climbed else { return Ok(None) };
            prefix.truncate(firings);
            run.prefix = prefix;
            ground = parent;
        }
        Ok(Some(run))
    }

    /// How many changes made this net of the net that was read; `None` on the latter.
    pub(crate) fn changes(&self) -> Option<u64> {
        let NetOf::Derived { parent, derivation, .. } = &self.net else { return None };
        Some(parent.changes().unwrap_or(0) + derivation.changes())
    }

    /// A predicate that some reachable marking of this net satisfies exactly if one of the net that
    /// was read satisfies `predicate`, and this net, both by the checker's own code, which goes
    /// through the derivations when it is first asked to.
    ///
    /// # Errors
    /// Why nothing can be shown here.
    pub(crate) fn checked_predicate(
        &self,
        predicate: Predicate,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(&Net, Predicate), ClaimObstacle> {
        self.checked(predicate, CheckedReduction::translate, goes_on)
    }

    /// The same for what stays reachable: on this net if and only if it does on the net that was
    /// read.
    ///
    /// # Errors
    /// Why nothing can be shown here.
    pub(crate) fn checked_home(
        &self,
        wanted: Predicate,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(&Net, Predicate), ClaimObstacle> {
        self.checked(wanted, |reduction, _, wanted| reduction.translate_home(wanted), goes_on)
    }

    fn checked(
        &self,
        predicate: Predicate,
        translate: fn(&CheckedReduction, &Net, &Predicate) -> Option<Predicate>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(&Net, Predicate), ClaimObstacle> {
        let NetOf::Derived { parent, .. } = &self.net else { return Ok((self.net(), predicate)) };
        let (above, predicate) = parent.checked(predicate, translate, goes_on)?;
        let reduction = &self.rechecked(above, goes_on)?.reduction;
        let predicate =
            translate(reduction, above, &predicate).ok_or(ClaimObstacle::NotExpressed)?;
        Ok((reduction.net(), predicate))
    }

    /// The derived net, after its derivation from `above` was gone through.
    fn rechecked(
        &self,
        above: &Net,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<&CheckerNet, ClaimObstacle> {
        let NetOf::Derived { derivation, checked, checking, .. } = &self.net else {
            return Err(ClaimObstacle::NotExpressed);
        };
        let _one_at_a_time = checking.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if checked.get().is_none() {
            let found = match derivation.check(above, goes_on) {
                Err(LogError::Stopped) => return Err(ClaimObstacle::Stopped),
                Ok(reduction) if is_same_net(reduction.net(), derivation.net()) => {
                    Some(Box::new(CheckerNet { reduction, log: OnceLock::new() }))
                }
                Ok(_) => {
                    tracing::error!("internal error: the checker's reduced net is another one");
                    None
                }
                Err(error) => {
                    tracing::error!("internal error: a reduction does not hold: {error}");
                    None
                }
            };
            // Nobody else has set it meanwhile.
            let _ = checked.set(found);
        }
        checked.get().and_then(Option::as_deref).ok_or(ClaimObstacle::BrokenDerivation)
    }

    /// The derivations that led here, for a file; nothing on the net that was read, and where they
    /// were not gone through.
    pub(crate) fn checked_log(&self) -> Option<Arc<CheckedLog>> {
        let NetOf::Derived { parent, derivation, checked, .. } = &self.net else { return None };
        let checked = checked.get()?.as_ref()?;
        let make = || {
            let above = parent.checked_net();
            let log = derivation.log(above);
            let net = checked.reduction.net().clone();
            Arc::new(CheckedLog { of: parent.checked_log(), log, net })
        };
        Some(checked.log.get_or_init(make).clone())
    }

    /// The net as the checker has it, where it has one.
    fn checked_net(&self) -> &Net {
        match &self.net {
            NetOf::Derived { checked, .. } => match checked.get() {
                Some(Some(checked)) => checked.reduction.net(),
                _ => self.net(),
            },
            NetOf::Read(net) => net,
        }
    }

    /// What a [`Goal::Maximise`] has more on the net that was read than here.
    pub(crate) fn constant(&self, id: GoalId) -> i128 {
        let (mut ground, mut sum) = (Some(self), 0);
        while let Some(here) = ground {
            if let Ok(at) = here.constants.binary_search_by_key(&id, |&(id, _)| id) {
                sum += here.constants[at].1;
            }
            ground = here.parent();
        }
        sum
    }
}

/// Whether nodes have the same meaning on both. Composed transitions may have other names.
fn is_same_net(one: &Net, other: &Net) -> bool {
    let sizes = |net: &Net| (net.place_count(), net.transition_count());
    sizes(one) == sizes(other)
        && one.initial() == other.initial()
        && one.places().all(|p| one.place_name(p) == other.place_name(p))
        && one.transitions().all(|t| one.pre(t) == other.pre(t) && one.post(t) == other.post(t))
}

/// Why nothing can be shown of a claim on a derived net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClaimObstacle {
    /// There was no time to go through the derivation.
    #[error("not checked to the end")]
    Stopped,
    /// The derivation was not made for this claim.
    #[error("the derived net does not express it")]
    NotExpressed,
    /// The derivation does not hold: a bug.
    #[error("the derivation of the net does not hold")]
    BrokenDerivation,
}

fn shrink_all(
    net: &Net,
    intervals: &Intervals,
    goals: &[(GoalId, MarkingGoal)],
) -> Vec<(GoalId, MarkingGoal)> {
    if !intervals::TAKES.cover(net.features()) {
        return goals.to_vec();
    }
    goals.iter().map(|(id, goal)| (*id, shrink::goal(net, intervals, goal))).collect()
}
