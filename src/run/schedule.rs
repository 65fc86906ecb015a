//! The schedule: the phases of each worker, in order.
//!
//! ```text
//! first worker   short walk ─▶ computation tree and runs, if CTL or LTL is open
//!                ─▶ short walk on the reduced net ─▶ nested loops ─▶ walk ─▶ unrolling
//!                ─▶ more loops ─▶ walk on the reduced net ─▶ unrolling in integers
//!                ─▶ more unrolling ─▶ walk until the end
//! second worker  brief coverability ─▶ engines that run once (siphons and traps)
//!                ─▶ sliced engines (the state equation) for some seconds
//!                ─▶ a few walks along their candidates ─▶ diagrams of small nets
//!                ─▶ a little induction ─▶ sliced engines, walks along their candidates
//!                ─▶ a little more induction, a few orders for diagrams
//!                ─▶ goals on their own reduced nets, search of the reduced net
//!                ─▶ sliced engines, induction and diagrams in growing slices, walks between
//! other workers  walk, each with its own seed
//! one thread     the second worker's phases. At the beginning come brief coverability, a very
//!                short walk, short phases of engines that prove, and a short walk. After the
//!                search comes a longer walk. So a small net is settled before the long phases
//! ```
//!
//! A run with a long time limit repeats the schedule in *rounds*: the first lasts a second, each
//! later one several times as long, and the last one until the end of the run. All shares are
//! shares of the round. So an answer that comes within a second under a limit of a second comes
//! about as early under a limit of a minute. Engines that continue from slice to slice continue
//! from round to round. Other engines start again, which costs at most a third of the time. A run
//! in which all engines have the same role has one round.
//!
//! The original net comes first, because answers there have the simplest evidence. Then the net is
//! reduced once for all open goals together: one engine for all goals costs less than one engine
//! per goal. When the search begins, some open goals may concern a small part of the net. If the
//! net reduced for such goals alone is clearly smaller, it is searched first, in a third of the
//! search time.
//!
//! Sliced engines find proofs quickly or not at all, so they run before the search. Unfinished work
//! continues in growing slices. Induction gets a little time early. For example, hundreds of place
//! invariants together may exclude dead markings. Induction proves this with one query of a second,
//! and other engines need more than 12 s. In runs of a few seconds, induction waits.
//!
//! For a small net, a decision diagram of all markings often takes milliseconds and settles all
//! goals. So attempts of at most a second come even earlier, and so do a few walks along the first
//! candidates. The first worker visits the reduced net early and briefly: markings that are hard to
//! reach on the original net are sometimes reached there at once. Unrolling steps often finds
//! markings in a second for which several processes must proceed together. It needs memory for
//! clauses, so it starts after some walks. In integers, for places with many tokens, unrolling
//! takes seconds and is skipped in short runs. The engine for nested loops needs a second or two if
//! counters control counters, and gives up within milliseconds if there are no cycles.
//!
//! If LTL formulas are open, the first worker searches for runs after its first walk, which shows
//! which conditions change. Part of this time is spent on nets reduced for a single property. The
//! second worker proves as usual which conditions never hold. In between it tries to prove from
//! these facts that no run exists ([`Role::RunProofs`]). An attempt takes milliseconds, so it is
//! repeated whenever more facts may be known.
//!
//! If CTL formulas are open, both workers evaluate formulas on single markings ([`Role::Trees`]),
//! each beginning with another formula. The first worker does so from the beginning, the second
//! after it knows which conditions never change. A formula needs few markings or very many, so the
//! first slices are short. Walks supply further markings at which conditions change. Subformulas
//! about runs share the first worker's time by their number. In between, the second worker
//! evaluates formulas on a diagram of all markings ([`Role::TreeDiagrams`]), which takes
//! milliseconds for a simple net and settles all formulas. Home properties are asked by formulas,
//! and their proofs may take seconds. In a long round they get a second turn before the diagrams.
//!
//! The [registry](parikh_engine::registry) assigns a [role](Role) to each engine. A new role needs
//! an entry in [`GROWTHS`], if it continues from slice to slice, and its phases. All shares of the
//! workers' time are in this file, except the share of an engine that runs once: its
//! [role](parikh_engine::Role) has it. Engines of a role divide a phase equally (`worker`), and an
//! engine divides its own slice. The file `shares` has the shares outside of the schedule, and
//! lists the time that neither file assigns.

use parikh_engine::Role;
use std::time::Duration;

/// Share of the remaining time for reducing the net for all open goals.
pub(super) const REDUCING: f64 = 0.15;

/// Share of the remaining time for finding the goals that deserve their own reduced net.
pub(super) const GROUPING: f64 = 0.1;

/// Share of a [`SchedulePhase::Search`] for the goals' own reduced nets, if there are any. A small
/// net is finished soon, or is no better than the shared net.
pub(super) const OWN_REDUCTIONS: f64 = 0.33;

/// Shares for a goal group on its own reduced net: first for reducing, second for searching, third
/// for proving. Each is a share of the time that is left when the step begins. The third applies to
/// one thread only; with several threads, proving has all the time that is left.
pub(super) const OWN_REDUCTION: (f64, f64, f64) = (0.4, 0.6, 0.5);

/// Share of a property's time for reducing the net for this property, in the search for runs.
pub(super) const OWN_RUNS: f64 = 0.4;

/// Largest share of the remaining time for home properties while CTL formulas are open, except in a
/// phase with all remaining time and in [`SchedulePhase::HomesForTrees`]. Subformulas ask for home
/// properties more often than questions do, and most formulas are decided without home properties.
pub(super) const HOMES_BESIDE_TREES: f64 = 0.15;

/// Largest share of the remaining time for a diagram of all markings while LTL formulas are open,
/// and no CTL formulas. Most LTL formulas are violated by a run, which is found without a diagram.
pub(super) const DIAGRAMS_FOR_RUNS: f64 = 0.1;

/// The longest slice of the first round of a [`SchedulePhase::Grow`]. It doubles with every round.
pub(super) const FIRST_GROW_SLICE: Duration = Duration::from_secs(30);

/// Returns the share of the remaining time for a [`SchedulePhase::Search`]. If sliced engines wait
/// for more time, the share is 0.3, whether or not diagrams wait. Otherwise it depends on the
/// number of threads and on the existence of a reduced net. It is a quarter smaller if diagrams
/// wait. The search gets all time if neither sliced engines nor diagrams wait, `threads` exceeds 1,
/// and no reduced net exists.
pub(super) fn search_share(
    slices_wait: bool,
    diagrams_wait: bool,
    threads: usize,
    has_reduced_net: bool,
) -> f64 {
    let share = match (slices_wait, threads, has_reduced_net) {
        (true, ..) => return 0.3,
        (false, 0..=1, _) => 0.6,
        (false, _, true) => 0.8,
        (false, _, false) => 1.0,
    };
    if diagrams_wait { 0.75 * share } else { share }
}

/// Ends of the rounds of a schedule, counted from the start of an analysis, in milliseconds. The
/// last round ends with the run. The first round leaves a tenth of a second for reading the model,
/// so that its answers come within a second.
const ROUND_ENDS: [u64; 5] = [900, 5_000, 25_000, 125_000, 625_000];

/// Smallest ratio of the remaining time of a run to the end of a round. A round that would end
/// later is a part of the last round.
const MIN_LIMIT_RATIO: u32 = 3;

/// Returns the ends of all rounds but the last, for a run with this remaining time. `None` means no
/// time limit.
pub(super) fn round_ends(remaining: Option<Duration>) -> Vec<Duration> {
    let ends = ROUND_ENDS.map(Duration::from_millis).into_iter();
    ends.filter(|&end| remaining.is_none_or(|it| it >= end * MIN_LIMIT_RATIO)).collect()
}

/// Largest number of places of a net for the early phases with diagrams
/// ([`SchedulePhase::ContinueOnSmallNet`]): its variable orders take milliseconds.
pub(super) const MAX_PLACES_FOR_EARLY_DIAGRAMS: usize = 1000;

/// The part of the remaining time that a phase may use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimePart {
    /// The share of the remaining time, in [0, 1].
    pub share: f64,
    /// Upper limit on the time of the phase.
    pub max_time: Duration,
    /// Smallest useful time: the phase is skipped if its share of the remaining time is shorter.
    pub min_time: Duration,
}

impl TimePart {
    const fn of(share: f64) -> TimePart {
        TimePart { share, max_time: Duration::MAX, min_time: Duration::ZERO }
    }

    const fn at_most(self, seconds: u64) -> TimePart {
        TimePart { max_time: Duration::from_secs(seconds), ..self }
    }

    const fn at_least(self, seconds: f64) -> TimePart {
        TimePart { min_time: Duration::from_millis((1000.0 * seconds) as u64), ..self }
    }

    /// Returns false if the phase is skipped, given the remaining time of the round. `None` means
    /// no time limit.
    pub(super) fn is_worthwhile(self, remaining: Option<Duration>) -> bool {
        remaining.is_none_or(|remaining| remaining.mul_f64(self.share) >= self.min_time)
    }
}

/// The net that a phase works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhaseNet {
    /// The original net.
    Original,
    /// The net reduced for the goals that are open at its first use. The phase is skipped if there
    /// is no reduced net, for example because too many goals are open. While CTL formulas are open,
    /// predicates on most of the places are left out of the reduction.
    Reduced,
    /// The reduced net, or the original net if there is no reduced net.
    Smallest,
    /// The original net, for goals that the reduced net cannot express. The phase is skipped if the
    /// reduction was tried and gave no reduced net: then earlier phases used the original net in
    /// its place.
    OriginalAgain,
}

/// A role whose engines continue from slice to slice and keep their state in between.
pub(super) struct RoleGrowth {
    /// The role.
    pub(super) role: Role,
    /// The net that the engines work on.
    pub(super) net: PhaseNet,
    /// True if the role may use all remaining time in a [`SchedulePhase::Continue`] in one of two
    /// cases. All engines of the run have this role, or the run has several threads and no engine
    /// that walks.
    pub(super) may_use_all_time: bool,
    /// True if finished engines are kept for later slices. They can be deepened, have candidates,
    /// or find more after other engines have settled goals.
    pub(super) keeps_finished_engines: bool,
    /// True if finished engines are kept for later rounds. They may have finished because their
    /// slices were too short.
    pub(super) keeps_for_rounds: bool,
    /// Largest share of the remaining time for a turn in a [`SchedulePhase::Grow`]. `None` if the
    /// role has no turn. A role may exceed its share if it drops finished engines, no other role
    /// has unfinished engines, and no engine walks.
    pub(super) turn_share: Option<f64>,
}

/// All roles that continue, in the order of their turns in a [`SchedulePhase::Grow`].
pub(super) const GROWTHS: &[RoleGrowth] = &[
    RoleGrowth {
        role: Role::Slices,
        net: PhaseNet::Original,
        may_use_all_time: false,
        keeps_finished_engines: true,
        keeps_for_rounds: false,
        turn_share: Some(0.5),
    },
    RoleGrowth {
        role: Role::Induction,
        net: PhaseNet::Smallest,
        may_use_all_time: false,
        keeps_finished_engines: false,
        keeps_for_rounds: false,
        turn_share: Some(0.5),
    },
    RoleGrowth {
        role: Role::Diagrams,
        net: PhaseNet::Smallest,
        may_use_all_time: false,
        keeps_finished_engines: false,
        keeps_for_rounds: true,
        turn_share: Some(0.6),
    },
    RoleGrowth {
        role: Role::Unroll,
        net: PhaseNet::Smallest,
        may_use_all_time: true,
        keeps_finished_engines: false,
        keeps_for_rounds: false,
        turn_share: Some(0.3),
    },
    RoleGrowth {
        role: Role::UnrollWide,
        net: PhaseNet::Smallest,
        may_use_all_time: true,
        keeps_finished_engines: false,
        keeps_for_rounds: false,
        turn_share: Some(0.3),
    },
    RoleGrowth {
        role: Role::Loops,
        net: PhaseNet::Original,
        may_use_all_time: true,
        keeps_finished_engines: false,
        keeps_for_rounds: false,
        turn_share: None,
    },
    RoleGrowth {
        role: Role::Trees,
        net: PhaseNet::Original,
        may_use_all_time: true,
        keeps_finished_engines: false,
        keeps_for_rounds: false,
        turn_share: Some(0.5),
    },
    RoleGrowth {
        role: Role::RunProofs,
        net: PhaseNet::Original,
        may_use_all_time: false,
        keeps_finished_engines: true,
        keeps_for_rounds: false,
        turn_share: None,
    },
    RoleGrowth {
        role: Role::TreeDiagrams,
        net: PhaseNet::Original,
        may_use_all_time: true,
        keeps_finished_engines: false,
        keeps_for_rounds: true,
        turn_share: Some(0.5),
    },
];

/// Time for walks along the candidates of sliced engines, after each of their turns in a
/// [`SchedulePhase::Grow`].
pub(super) const FOLLOW_TIME: TimePart = TimePart::of(0.1).at_most(30);

/// Roles that use the time which a [`SchedulePhase::Search`] leaves.
pub(super) const ROLES_BESIDE_SEARCH: &[Role] = &[
    Role::Walk,
    Role::Guided,
    Role::Slices,
    Role::Induction,
    Role::Unroll,
    Role::UnrollWide,
    Role::Loops,
    Role::Diagrams,
];

/// A step of a worker's schedule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SchedulePhase {
    /// Runs the engines of a role one after the other in equal shares. Each runs until it has
    /// nothing more to try or its share is over.
    Run(Role, PhaseNet, TimePart),
    /// Runs the engines for home properties if CTL formulas are open. Their largest share of the
    /// time is the share of home properties among the open home properties and CTL formulas.
    HomesForTrees(TimePart),
    /// Runs the engines that run once, each in its own share.
    RunOnceEngines,
    /// Gives the engines of a role a slice on the role's net. Starts the engines if necessary. Does
    /// nothing for a role without an entry in `GROWTHS`.
    Continue(Role, TimePart),
    /// Like [`SchedulePhase::Continue`], on nets with at most [`MAX_PLACES_FOR_EARLY_DIAGRAMS`]
    /// places.
    ContinueOnSmallNet(Role, TimePart),
    /// If no sliced engine has unfinished work, raises the limits of the sliced engines. Gives them
    /// a slice if some engine can try more with its new limits.
    Deepen(TimePart),
    /// Walks along the candidates that sliced engines could not exclude.
    WalkAlongCandidates(TimePart),
    /// Searches the own reduced nets of goal groups, then the reduced net (or the original net).
    /// The share of the time depends on the engines that wait ([`search_share`]).
    Search,
    /// Gives turns to the roles that have a turn, in growing slices with walks between. Ends when
    /// no started engine of these roles has unfinished work, or when the round is over. Decision
    /// diagrams for runs have turns only while CTL formulas are open.
    Grow,
    /// Works on the own reduced nets of goal groups only.
    OwnReductions(TimePart),
    /// Searches for runs with each open property on the net reduced for this property.
    OwnRuns(TimePart),
}

impl SchedulePhase {
    /// Returns the part of the time that the phase names, or `None` for a phase that determines its
    /// time itself.
    pub(super) fn time_part(self) -> Option<TimePart> {
        match self {
            SchedulePhase::Run(.., part)
            | SchedulePhase::HomesForTrees(part)
            | SchedulePhase::Continue(_, part)
            | SchedulePhase::ContinueOnSmallNet(_, part)
            | SchedulePhase::Deepen(part)
            | SchedulePhase::WalkAlongCandidates(part)
            | SchedulePhase::OwnReductions(part)
            | SchedulePhase::OwnRuns(part) => Some(part),
            SchedulePhase::RunOnceEngines | SchedulePhase::Search | SchedulePhase::Grow => None,
        }
    }
}

/// The phases of all workers. A worker that has finished its phases walks until the end of the
/// round.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// The phases of each worker, in order. Workers without an entry only walk.
    pub workers: Vec<Vec<SchedulePhase>>,
    /// True if the schedule is repeated in rounds, each several times as long as the one before. A
    /// share of the time is then a share of the round. So the answers of the first second do not
    /// depend on the time limit.
    pub is_repeated: bool,
}

impl Schedule {
    /// Returns the schedule for this number of threads.
    pub fn of_threads(threads: usize) -> Schedule {
        use SchedulePhase::{
            Continue, ContinueOnSmallNet, Deepen, Grow, HomesForTrees, Run, RunOnceEngines, Search,
            WalkAlongCandidates,
        };
        let brief_coverability =
            Run(Role::First, PhaseNet::Original, TimePart::of(0.05).at_most(1));
        // On a small net the search for runs is complete quickly, so it gets a short time after the
        // first walk, before the long phases.
        let brief_runs = Run(Role::Runs, PhaseNet::Original, TimePart::of(0.03).at_most(1));
        let prover_phases = [
            RunOnceEngines,
            Run(Role::Homes, PhaseNet::Original, TimePart::of(0.6)),
            Continue(Role::RunProofs, TimePart::of(0.1).at_most(5)),
            Continue(Role::Slices, TimePart::of(0.1).at_least(0.5).at_most(3)),
            WalkAlongCandidates(TimePart::of(0.02).at_least(0.1).at_most(1)),
            ContinueOnSmallNet(Role::Diagrams, TimePart::of(0.02).at_least(0.1).at_most(1)),
            HomesForTrees(TimePart::of(0.4).at_least(4.0)),
            Continue(Role::TreeDiagrams, TimePart::of(0.4)),
            Continue(Role::Induction, TimePart::of(0.08).at_least(0.5).at_most(5)),
            Continue(Role::RunProofs, TimePart::of(0.2).at_most(10)),
            Continue(Role::Trees, TimePart::of(0.3)),
            Continue(Role::TreeDiagrams, TimePart::of(0.3)),
            Continue(Role::Slices, TimePart::of(0.4).at_most(20)),
            Continue(Role::RunProofs, TimePart::of(0.2).at_most(10)),
            WalkAlongCandidates(TimePart::of(0.1).at_most(30)),
            Deepen(TimePart::of(0.3).at_most(20)),
            Continue(Role::Induction, TimePart::of(0.1).at_most(10)),
            Continue(Role::Diagrams, TimePart::of(0.1).at_most(10)),
            Continue(Role::TreeDiagrams, TimePart::of(0.3)),
            Continue(Role::Trees, TimePart::of(0.5)),
            Search,
            Continue(Role::RunProofs, TimePart::of(0.3)),
            Grow,
            Run(Role::Search, PhaseNet::OriginalAgain, TimePart::of(0.5)),
            Run(Role::Homes, PhaseNet::Original, TimePart::of(1.0)),
        ];
        if threads <= 1 {
            // Short phases of all kinds come first, so that a small net does not wait for the walk.
            let mut phases = vec![
                brief_coverability,
                Run(Role::Walk, PhaseNet::Original, TimePart::of(0.01).at_most(1)),
                brief_runs,
                RunOnceEngines,
                Run(Role::Homes, PhaseNet::Original, TimePart::of(0.02).at_most(1)),
                Continue(Role::Slices, TimePart::of(0.02).at_most(1)),
                Run(Role::Walk, PhaseNet::Original, TimePart::of(0.1).at_most(2)),
            ];
            phases.push(Continue(Role::Trees, TimePart::of(0.2)));
            phases.push(Run(Role::Runs, PhaseNet::Original, TimePart::of(0.4)));
            phases.extend(prover_phases.into_iter().filter(|&phase| phase != RunOnceEngines));
            phases.push(SchedulePhase::OwnRuns(TimePart::of(0.4)));
            phases.push(Run(Role::Runs, PhaseNet::Original, TimePart::of(0.99)));
            phases.push(Continue(Role::Trees, TimePart::of(1.0)));
            phases.push(Run(Role::Runs, PhaseNet::Original, TimePart::of(1.0)));
            let diagrams_at =
                phases.iter().position(|phase| matches!(phase, Continue(Role::Diagrams, _)));
            phases.insert(
                diagrams_at.unwrap_or(phases.len()),
                Continue(Role::Unroll, TimePart::of(0.1).at_most(10)),
            );
            phases.insert(
                diagrams_at.unwrap_or(phases.len()),
                Continue(Role::Loops, TimePart::of(0.1).at_most(10)),
            );
            let grow_at = phases.iter().position(|&phase| phase == Grow).unwrap_or(phases.len());
            phases.insert(grow_at, Run(Role::Walk, PhaseNet::Original, TimePart::of(0.1)));
            phases.insert(grow_at, Continue(Role::Loops, TimePart::of(0.2)));
            return Schedule { workers: vec![phases], is_repeated: true };
        }
        let walker_phases = vec![
            Run(Role::Walk, PhaseNet::Original, TimePart::of(0.05).at_least(0.15).at_most(5)),
            brief_runs,
            Continue(Role::Trees, TimePart::of(0.4)),
            Run(Role::Runs, PhaseNet::Original, TimePart::of(0.3)),
            SchedulePhase::OwnRuns(TimePart::of(0.5)),
            Run(Role::Runs, PhaseNet::Original, TimePart::of(0.99)),
            Continue(Role::Trees, TimePart::of(1.0)),
            Run(Role::Runs, PhaseNet::Original, TimePart::of(1.0)),
            Run(Role::Walk, PhaseNet::Reduced, TimePart::of(0.05).at_least(0.5).at_most(5)),
            Continue(Role::Loops, TimePart::of(0.1).at_least(0.1).at_most(10)),
            Run(Role::Walk, PhaseNet::Original, TimePart::of(0.15)),
            Continue(Role::Unroll, TimePart::of(0.1).at_least(0.1).at_most(10)),
            Continue(Role::Loops, TimePart::of(0.3)),
            Run(Role::Walk, PhaseNet::Reduced, TimePart::of(0.5)),
            Continue(Role::UnrollWide, TimePart::of(0.3).at_least(1.0).at_most(30)),
            Continue(Role::Unroll, TimePart::of(0.5)),
        ];
        let prover_phases = [brief_coverability].into_iter().chain(prover_phases).collect();
        Schedule { workers: vec![walker_phases, prover_phases], is_repeated: true }
    }

    /// Returns a schedule of one phase: the search for runs on nets reduced for a single property.
    pub fn own_runs_only() -> Schedule {
        Schedule {
            workers: vec![vec![SchedulePhase::OwnRuns(TimePart::of(1.0))]],
            is_repeated: false,
        }
    }

    /// Returns a schedule that works on nets reduced for some goals, and then searches the original
    /// net for the remaining goals.
    pub fn own_reductions_only() -> Schedule {
        let phases = vec![
            SchedulePhase::OwnReductions(TimePart::of(1.0)),
            SchedulePhase::Run(Role::Search, PhaseNet::OriginalAgain, TimePart::of(1.0)),
        ];
        Schedule { workers: vec![phases], is_repeated: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_schedule_runs_the_engines_that_run_once_exactly_once() {
        for threads in 1..=3 {
            let schedule = Schedule::of_threads(threads);
            let phases = schedule.workers.iter().flatten();
            let count = phases.filter(|&&phase| phase == SchedulePhase::RunOnceEngines).count();
            assert_eq!(count, 1, "{threads} threads");
        }
    }

    #[test]
    fn each_round_is_several_times_as_long_as_the_round_before() {
        let ends = |seconds| round_ends(Some(Duration::from_secs(seconds)));
        assert_eq!(ends(1), []);
        assert_eq!(ends(5), [Duration::from_millis(900)]);
        assert_eq!(ends(60), [Duration::from_millis(900), Duration::from_secs(5)]);
        assert_eq!(round_ends(None).len(), ROUND_ENDS.len());
        assert!(ROUND_ENDS.windows(2).all(|ends| ends[1] >= 5 * ends[0]));
    }

    #[test]
    fn on_one_thread_provers_come_before_the_longer_walk() {
        let schedule = Schedule::of_threads(1);
        let phases = &schedule.workers[0];
        let is_long_walk = |phase: &SchedulePhase| match phase {
            SchedulePhase::Run(Role::Walk, _, part) => part.share >= 0.1,
            _ => false,
        };
        let walk = phases.iter().position(is_long_walk).expect("a walk");
        let provers = &phases[..walk];
        assert!(provers.contains(&SchedulePhase::RunOnceEngines));
        for role in [Role::Homes, Role::Slices] {
            let is_of_role = |phase: &SchedulePhase| match *phase {
                SchedulePhase::Run(of, ..) | SchedulePhase::Continue(of, _) => of == role,
                _ => false,
            };
            assert!(provers.iter().any(is_of_role), "{role:?}");
        }
    }
}
