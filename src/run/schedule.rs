//! The schedule: what each worker does, step by step.
//!
//! ```text
//! first worker     walk a little ─▶ look at the tree of runs, and for runs with a property, where that is
//!                  asked ─▶ walk a little on
//!                  the reduced net ─▶ runs with loops ─▶ walk ─▶ unroll steps ─▶ more loops ─▶ walk on the
//!                  reduced net ─▶ unroll more steps, in integers where places may hold much
//!                  ─▶ walk on
//! second worker    coverability for a moment, engines that run once (siphons and traps) ─▶ engines in slices (the state
//!                  equation) for some seconds, a few walks along their candidates, diagrams of
//!                  small nets, a little induction ─▶ engines in slices, walks along their
//!                  candidates ─▶ a little more induction, a few orders for diagrams
//!                  ─▶ goals on nets of their own, search of the reduced net ─▶ engines in slices,
//!                  induction and diagrams on in growing slices, walks between
//! other workers    walk, each with a seed of its own
//! one thread       the second worker, with a short walk after the first moment and a longer one after the
//!                  search: small nets do not have to wait for the search
//! ```
//!
//! The net that was read comes first, because what is settled there has the simplest evidence. Then
//! it is reduced for the goals that are open by then together, once: engines that see all goals at
//! once are cheap. When the search is about to begin, fewer may be open, and some of them about a
//! small part of the net: those whose net, reduced for them alone, is clearly smaller are worked on
//! there, in a third of the time of the search.
//!
//! Proofs of engines in slices come fast or not at all, so these go before the search; what they
//! have not finished by then they go on with in slices that grow, between the others. Induction has
//! a little time before they have much: a dead marking that hundreds of place invariants exclude
//! together is one question of a second there, and more programs than 12 s suffice for here. In a
//! run of a few seconds it waits. Of a small net a diagram of all markings is often there in
//! milliseconds and answers everything, so tries of a second at most come before even that, and so
//! do a few walks along the first candidates. The first worker sees the reduced net early, for a
//! moment: what is hard to reach on the net that was read is sometimes there at once. What walks do
//! not reach because several processes have to go the right way together is often a question of a
//! second when steps are unrolled; that needs room for clauses, so it waits until walks have had a
//! turn. In integers, where clauses have no room for what places may hold, that is a matter of
//! seconds and not for short runs. Runs with loops are there in a second or two where counters
//! count by counters, and are given up in milliseconds where nothing goes round.
//!
//! Where LTL is asked, the first worker looks for runs all the time after its first walk, which
//! tells which conditions change; for some of the time on nets reduced for one property each, where
//! fewer firings change nothing that it sees. The second proves what conditions never do, as for
//! any goal, and in between argues from that that there is no run ([`Role::RunProofs`]): such an
//! argument takes milliseconds, so it is tried whenever more may be known.
//!
//! Where CTL is asked, both evaluate formulas marking by marking ([`Role::Trees`]), each beginning
//! at another one; the first worker from the beginning, the second when it has seen which
//! conditions never change. A formula needs few markings or very many, so looks at all of them in
//! turn are short at first. What walks find on the way to other goals is followed there, so these
//! go on finding markings where conditions change. Parts of formulas that are questions about runs
//! have their share of the first worker's time by their number. Between its looks, the second
//! evaluates formulas on a diagram of all markings ([`Role::TreeDiagrams`]): a simple one is there
//! in milliseconds and answers everything.
//!
//! Which engine has which [role](Role) is in the [registry](crate::engine::registry); a new role is
//! a line of [`GROWTHS`], where it goes on from slice to slice, and its steps. All shares of the
//! time that workers have are here, but for that of an engine that runs once, which its
//! [role](crate::engine::Role) says. Engines of one role divide the time of a step in equal parts
//! (`worker`), and how an engine divides its slice is its own affair. What a run gives away outside
//! of the schedule is in `shares`, which also says what time neither of the two gives away.

use crate::engine::Role;
use std::time::Duration;

/// Of the time left: making the net reduced for all open goals.
pub(super) const REDUCING: f64 = 0.15;

/// Of the time left: finding out which goals deserve a net of their own.
pub(super) const GROUPING: f64 = 0.1;

/// Of the time of a [`Phase::Search`]: nets of the goals' own, if there are any. Either a small net
/// is done soon, or it is no better than the shared one.
pub(super) const OWN_REDUCTIONS: f64 = 0.33;

/// On a net of their own, each of what the one before has left: reducing again, searching, and,
/// when nobody else walks, proving before walks.
pub(super) const OWN_REDUCTION: (f64, f64, f64) = (0.4, 0.6, 0.5);

/// Of the time of a property whose runs are looked for on the net reduced for it: reducing.
pub(super) const OWN_RUNS: f64 = 0.4;

/// The most of the time left that finding out what stays reachable takes where formulas of CTL are
/// open: their parts ask for it more often than a question does, and most of them are decided
/// without.
pub(super) const HOMES_BESIDE_TREES: f64 = 0.15;

/// The most of the time left for a diagram of all markings where LTL is open, and no CTL: runs that
/// there are, which most formulas ask for, are found without.
pub(super) const DIAGRAMS_FOR_RUNS: f64 = 0.1;

/// The longest slice when a [`Phase::Grow`] begins; it doubles each time.
pub(super) const FIRST_GROWN: Duration = Duration::from_secs(30);

/// The share of the time left for a [`Phase::Search`]: more when engines in slices do not wait to
/// go on, a little less when diagrams do, and all of it when nothing does, others walk and there is
/// no other net to search.
pub(super) fn searching(
    slices_wait: bool,
    diagrams_wait: bool,
    threads: usize,
    reduced: bool,
) -> f64 {
    let share = match (slices_wait, threads, reduced) {
        (true, ..) => return 0.3,
        (false, 0..=1, _) => 0.6,
        (false, _, true) => 0.8,
        (false, _, false) => 1.0,
    };
    if diagrams_wait { 0.75 * share } else { share }
}

/// Places of a net whose orders for diagrams are found in some milliseconds.
pub(super) const SMALL: usize = 1000;

/// How much of the time that is left a step may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// In [0, 1].
    pub share: f64,
    /// At most so long.
    pub most: Duration,
    /// Left out where it would be shorter.
    pub least: Duration,
}

impl Part {
    const fn of(share: f64) -> Part {
        Part { share, most: Duration::MAX, least: Duration::ZERO }
    }

    const fn at_most(self, seconds: u64) -> Part {
        Part { most: Duration::from_secs(seconds), ..self }
    }

    const fn at_least(self, seconds: f64) -> Part {
        Part { least: Duration::from_millis((1000.0 * seconds) as u64), ..self }
    }

    /// Whether it is not left out, of so much time; `None` is for ever.
    pub(super) fn is_worthwhile(self, left: Option<Duration>) -> bool {
        left.is_none_or(|left| left.mul_f64(self.share) >= self.least)
    }
}

/// Which net a step is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// The net that was read.
    Read,
    /// The net reduced for all goals that are open when it is first asked for; the step is left out
    /// when there is none.
    Reduced,
    /// The reduced net, or the net that was read where there is no reduced one.
    Smallest,
    /// The net that was read, for goals that the reduced net does not express; the step is left out
    /// where nothing was gained by reducing, as this net has had the same step already.
    ReadToo,
}

/// How engines of a role go on from slice to slice, and keep what they have learned in between.
pub(super) struct Growth {
    /// The role that goes on.
    pub(super) role: Role,
    /// The net on which its engines work.
    pub(super) on: On,
    /// Whether no time is kept for others where nobody walks and others prove, or there is no other
    /// role.
    pub(super) alone: bool,
    /// Whether engines that have nothing more to try are kept for later slices: they can be
    /// deepened, have candidates, or find more once others have settled goals.
    pub(super) kept: bool,
    /// The most of the time left that a turn of a [`Phase::Grow`] takes; nothing where there is no
    /// turn.
    pub(super) turn: Option<f64>,
}

/// All roles that go on, in the order of their turns in a [`Phase::Grow`].
pub(super) const GROWTHS: &[Growth] = &[
    Growth { role: Role::Slices, on: On::Read, alone: false, kept: true, turn: Some(0.5) },
    Growth { role: Role::Induction, on: On::Smallest, alone: false, kept: false, turn: Some(0.5) },
    Growth { role: Role::Diagrams, on: On::Smallest, alone: false, kept: false, turn: Some(0.6) },
    Growth { role: Role::Unroll, on: On::Smallest, alone: true, kept: false, turn: Some(0.3) },
    Growth { role: Role::UnrollWide, on: On::Smallest, alone: true, kept: false, turn: Some(0.3) },
    Growth { role: Role::Loops, on: On::Read, alone: true, kept: false, turn: None },
    Growth { role: Role::Trees, on: On::Read, alone: true, kept: false, turn: Some(0.5) },
    Growth { role: Role::RunProofs, on: On::Read, alone: false, kept: true, turn: None },
    Growth { role: Role::TreeDiagrams, on: On::Read, alone: true, kept: false, turn: Some(0.5) },
];

/// Walks along the candidates of engines in slices, after each of their turns in a [`Phase::Grow`].
pub(super) const FOLLOWING: Part = Part::of(0.1).at_most(30);

/// Roles that use the time which a search leaves them.
pub(super) const BESIDE_SEARCH: &[Role] = &[
    Role::Walk,
    Role::Guided,
    Role::Slices,
    Role::Induction,
    Role::Unroll,
    Role::UnrollWide,
    Role::Loops,
    Role::Diagrams,
];

/// One step of a worker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase {
    /// The engines of a role, one after the other in equal shares, each until it has nothing more
    /// to try.
    Run(Role, On, Part),
    /// Engines that run once, each in its own share.
    Once,
    /// A slice of the engines of a role, begun if they were not, on a net that goes with the role.
    GoOn(Role, Part),
    /// The same, where that net has at most [`SMALL`] places.
    GoOnSmall(Role, Part),
    /// Where engines in slices have nothing more to try: a slice with more tried.
    Deepen(Part),
    /// Walks along what engines in slices could not exclude.
    Follow(Part),
    /// Groups of goals on nets reduced for them alone, then the search of the reduced net, or of
    /// the net that was read where there is none, together in a share of the time that depends on
    /// whether engines in slices are waiting to go on.
    Search,
    /// Turns of all roles that have one, in slices that grow, walks between, as long as there is
    /// anything left.
    Grow,
    /// Groups of goals on nets reduced for them alone, and nothing else.
    OwnReductions(Part),
    /// Runs with each open property on the net reduced for it alone.
    OwnRuns(Part),
}

impl Phase {
    /// The part of the time that it names.
    pub(super) fn part(self) -> Option<Part> {
        match self {
            Phase::Run(.., part)
            | Phase::GoOn(_, part)
            | Phase::GoOnSmall(_, part)
            | Phase::Deepen(part)
            | Phase::Follow(part)
            | Phase::OwnReductions(part)
            | Phase::OwnRuns(part) => Some(part),
            Phase::Once | Phase::Search | Phase::Grow => None,
        }
    }
}

/// What the workers do. A worker that is through with its steps walks until the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// By worker; workers beyond the last walk.
    pub workers: Vec<Vec<Phase>>,
}

impl Schedule {
    /// The schedule for so many threads.
    pub fn of_threads(threads: usize) -> Schedule {
        use Phase::{Deepen, Follow, GoOn, GoOnSmall, Grow, Once, Run, Search};
        let first = Run(Role::First, On::Read, Part::of(0.05).at_most(1));
        // Of a small net all runs are searched at once; nobody should wait for its walks.
        let small = Run(Role::Runs, On::Read, Part::of(0.03).at_most(1));
        let prove = [
            Once,
            Run(Role::Homes, On::Read, Part::of(0.6)),
            GoOn(Role::RunProofs, Part::of(0.1).at_most(5)),
            GoOn(Role::Slices, Part::of(0.1).at_least(0.5).at_most(3)),
            Follow(Part::of(0.02).at_least(0.1).at_most(1)),
            GoOnSmall(Role::Diagrams, Part::of(0.02).at_least(0.1).at_most(1)),
            GoOn(Role::TreeDiagrams, Part::of(0.4)),
            GoOn(Role::Induction, Part::of(0.08).at_least(0.5).at_most(5)),
            GoOn(Role::RunProofs, Part::of(0.2).at_most(10)),
            GoOn(Role::Trees, Part::of(0.3)),
            GoOn(Role::TreeDiagrams, Part::of(0.3)),
            GoOn(Role::Slices, Part::of(0.4).at_most(20)),
            GoOn(Role::RunProofs, Part::of(0.2).at_most(10)),
            Follow(Part::of(0.1).at_most(30)),
            Deepen(Part::of(0.3).at_most(20)),
            GoOn(Role::Induction, Part::of(0.1).at_most(10)),
            GoOn(Role::Diagrams, Part::of(0.1).at_most(10)),
            GoOn(Role::TreeDiagrams, Part::of(0.3)),
            GoOn(Role::Trees, Part::of(0.5)),
            Search,
            GoOn(Role::RunProofs, Part::of(0.3)),
            Grow,
            Run(Role::Search, On::ReadToo, Part::of(0.5)),
            Run(Role::Homes, On::Read, Part::of(1.0)),
        ];
        if threads <= 1 {
            let mut all = vec![first, Run(Role::Walk, On::Read, Part::of(0.1).at_most(2)), small];
            all.push(GoOn(Role::Trees, Part::of(0.2)));
            all.push(Run(Role::Runs, On::Read, Part::of(0.4)));
            all.extend(prove);
            all.push(Phase::OwnRuns(Part::of(0.4)));
            all.push(Run(Role::Runs, On::Read, Part::of(0.99)));
            all.push(GoOn(Role::Trees, Part::of(1.0)));
            all.push(Run(Role::Runs, On::Read, Part::of(1.0)));
            let describe = all.iter().position(|phase| matches!(phase, GoOn(Role::Diagrams, _)));
            all.insert(
                describe.unwrap_or(all.len()),
                GoOn(Role::Unroll, Part::of(0.1).at_most(10)),
            );
            all.insert(describe.unwrap_or(all.len()), GoOn(Role::Loops, Part::of(0.1).at_most(10)));
            let grow = all.iter().position(|&phase| phase == Grow).unwrap_or(all.len());
            all.insert(grow, Run(Role::Walk, On::Read, Part::of(0.1)));
            all.insert(grow, GoOn(Role::Loops, Part::of(0.2)));
            return Schedule { workers: vec![all] };
        }
        let walk = vec![
            Run(Role::Walk, On::Read, Part::of(0.05).at_least(0.5).at_most(5)),
            small,
            GoOn(Role::Trees, Part::of(0.4)),
            Run(Role::Runs, On::Read, Part::of(0.3)),
            Phase::OwnRuns(Part::of(0.5)),
            Run(Role::Runs, On::Read, Part::of(0.99)),
            GoOn(Role::Trees, Part::of(1.0)),
            Run(Role::Runs, On::Read, Part::of(1.0)),
            Run(Role::Walk, On::Reduced, Part::of(0.05).at_least(0.5).at_most(5)),
            GoOn(Role::Loops, Part::of(0.1).at_least(0.1).at_most(10)),
            Run(Role::Walk, On::Read, Part::of(0.15)),
            GoOn(Role::Unroll, Part::of(0.1).at_least(0.1).at_most(10)),
            GoOn(Role::Loops, Part::of(0.3)),
            Run(Role::Walk, On::Reduced, Part::of(0.5)),
            GoOn(Role::UnrollWide, Part::of(0.3).at_least(1.0).at_most(30)),
            GoOn(Role::Unroll, Part::of(0.5)),
        ];
        let prove = [first].into_iter().chain(prove).collect();
        Schedule { workers: vec![walk, prove] }
    }

    /// Nothing but runs with each property on the net reduced for it alone.
    pub fn own_runs_only() -> Schedule {
        Schedule { workers: vec![vec![Phase::OwnRuns(Part::of(1.0))]] }
    }

    /// Nothing but work on nets reduced for some goals alone, and the search of the net that was
    /// read for what that leaves open.
    pub fn own_reductions_only() -> Schedule {
        let steps = vec![
            Phase::OwnReductions(Part::of(1.0)),
            Phase::Run(Role::Search, On::ReadToo, Part::of(1.0)),
        ];
        Schedule { workers: vec![steps] }
    }
}
