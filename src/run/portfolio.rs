//! The portfolio: workers go through the [schedule](super::schedule), engines of the
//! [registry](crate::engine::registry) do the work, each on the ground where its step is.
//!
//! A panic in an engine costs what that engine was at, nothing else. What each worker is at is
//! written down, so that an engine that does not stop in time can be named.

use super::config::Config;
use super::event::{AtWork, Turn};
use super::groups;
use super::presolve::learn_bounds;
use super::schedule::{self, On, Part, Phase, Schedule};
use crate::board::Board;
use crate::engine::{Assignment, Engine, Hint, Progress, Role, Session, reduced};
use crate::ground::Ground;
use parikh_net::{Goal, GoalId};
use parikh_solvers::Budget;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

/// What all workers of a run share.
pub(super) struct Portfolio<'a> {
    ground: &'a Ground<'a>,
    board: &'a Board<'a>,
    budget: &'a Budget,
    config: &'a Config,
    schedule: Schedule,
    reduced: OnceLock<Option<Ground<'a>>>,
    statistics: Mutex<Vec<(String, String)>>,
    turns: Mutex<Vec<Turn>>,
    /// When the run began.
    begun: Instant,
    /// Panics of engines.
    failures: AtomicUsize,
    /// By worker, the engine it is with, and since when.
    at_work: Vec<Mutex<Option<(String, Instant)>>>,
}

impl<'a> Portfolio<'a> {
    /// A portfolio for the goals of `ground`.
    pub(super) fn new(
        ground: &'a Ground<'a>,
        board: &'a Board<'a>,
        budget: &'a Budget,
        config: &'a Config,
        begun: Instant,
    ) -> Self {
        let default = || Schedule::of_threads(config.threads);
        Portfolio {
            ground,
            board,
            budget,
            config,
            schedule: config.schedule.clone().unwrap_or_else(default),
            reduced: OnceLock::new(),
            statistics: Mutex::default(),
            turns: Mutex::default(),
            begun,
            failures: AtomicUsize::new(0),
            at_work: (0..config.threads.max(1)).map(|_| Mutex::default()).collect(),
        }
    }

    /// What one worker does, by its number.
    pub(super) fn work(&self, worker: usize) {
        let steps = self.schedule.workers.get(worker).map_or(&[][..], Vec::as_slice);
        let mut work = Worker {
            portfolio: self,
            worker,
            sessions: None,
            finished: true,
            proofs: None,
            diagrams: None,
            unrolled: None,
            looped: None,
        };
        steps.iter().for_each(|step| work.step(*step));
        work.run_all(Role::Walk, self.ground, &self.budget.child());
    }

    /// How many workers there are.
    pub(super) fn threads(&self) -> usize {
        self.at_work.len()
    }

    /// How many threads an engine may use: all of them where no worker has anything to do but one. Workers that
    /// are through with their steps walk.
    fn threads_of_an_engine(&self) -> usize {
        let walks = self.has_any(&[Role::Walk]);
        let is_nothing = |step: &Phase| match step {
            Phase::Walk(..) => true,
            Phase::Unroll(_) => !self.has_any(&[Role::Unroll]),
            Phase::Loops(_) => !self.has_any(&[Role::Loops]),
            _ => false,
        };
        let steps = self.schedule.workers.iter().filter(|steps| !steps.iter().all(is_nothing));
        if walks || steps.count() > 1 { 1 } else { self.threads() }
    }

    /// What engines did, in the order they said so.
    pub(super) fn statistics_so_far(&self) -> Vec<(String, String)> {
        whole(&self.statistics).clone()
    }

    /// The engines at work.
    pub(super) fn at_work(&self) -> Vec<AtWork> {
        let all = self.at_work.iter().filter_map(|engine| whole(engine).clone());
        all.map(|(engine, since)| AtWork { engine, since: since.elapsed() }).collect()
    }

    /// The turns that ended, in the order they did.
    pub(super) fn turns_so_far(&self) -> Vec<Turn> {
        whole(&self.turns).clone()
    }

    /// How often an engine has failed.
    pub(super) fn failures(&self) -> usize {
        self.failures.load(Ordering::Relaxed)
    }

    fn note(&self, engine: &str, (began, open): (Instant, usize), text: String) {
        tracing::info!("{engine}: {text}");
        whole(&self.turns).push(Turn {
            engine: engine.to_owned(),
            began: began.duration_since(self.begun),
            lasted: began.elapsed(),
            open,
            said: text.clone(),
        });
        whole(&self.statistics).push((engine.to_owned(), text));
    }

    /// What a turn begins with: now, and so many goals.
    fn beginning(&self) -> (Instant, usize) {
        (Instant::now(), self.board.open_count())
    }

    /// Whether no goal of the ground is open, or the time is over.
    pub(super) fn is_over(&self) -> bool {
        let goals = || self.ground.goals().iter().chain(self.ground.homes());
        self.board.open_count() == 0
            || self.budget.is_exhausted()
            || !goals().any(|(id, _)| self.board.is_open(*id))
    }

    /// A part of the time that is left.
    fn part(&self, part: Part) -> Budget {
        self.budget.share(part.share).slice(part.most)
    }

    /// The net reduced for the goals that are open when it is first asked for; whoever asks while
    /// it is being made waits.
    fn reduced(&self) -> Option<&Ground<'a>> {
        let make = || {
            let open = self.ground.goals().iter().filter(|(id, _)| self.board.is_open(*id));
            if self.is_over() || open.count() > groups::LARGEST {
                return None;
            }
            let all: Vec<GoalId> = self.ground.goals().iter().map(|(id, _)| *id).collect();
            self.reduce(&all, &self.budget.share(schedule::REDUCING))
        };
        self.reduced.get_or_init(make).as_ref()
    }

    /// The net reduced for those of these goals that are open; what that settles by itself is
    /// settled.
    fn reduce(&self, goals: &[GoalId], budget: &Budget) -> Option<Ground<'a>> {
        if self.is_over() {
            return None;
        }
        let make = || {
            reduced::reduce(self.ground, goals, self.board, (budget, self.budget), |net, facts| {
                learn_bounds(net, facts, budget)
            })
        };
        catch_unwind(AssertUnwindSafe(make)).unwrap_or_else(|_| {
            tracing::error!("internal error: the reduction failed; going on without it");
            None
        })
    }

    /// Whether an engine of one of these roles takes part.
    fn has_any(&self, roles: &[Role]) -> bool {
        self.config.engines.iter().any(|engine| roles.contains(&engine.role))
    }

    /// The groups of open goals that deserve a net of their own: reduced for them alone, it is clearly
    /// smaller than the shared one.
    fn groups(&self, shared: &Ground<'_>) -> Vec<Vec<GoalId>> {
        if !self.has_any(&[Role::Search, Role::Slices, Role::Walk]) {
            return Vec::new();
        }
        let mut open = self.ground.goals().to_vec();
        open.retain(|(id, _)| self.board.is_open(*id));
        let mut groups = groups::of(self.ground.net(), &open);
        let end = self.budget.share(schedule::GROUPING);
        let most = shared.net().transition_count() as f64 * self.config.own_reduction_below;
        let mut left = groups.len();
        groups.retain(|goals| {
            let budget = end.share(1.0 / left as f64);
            left -= 1;
            let ground = self.reduce(&ids(goals), &budget);
            ground.is_some_and(|ground| ground.net().transition_count() as f64 <= most)
        });
        tracing::info!(
            "{} groups of {} open goals have nets of their own",
            groups.len(),
            open.len()
        );
        groups.iter().map(|goals| ids(goals)).collect()
    }
}

fn ids(goals: &[(GoalId, Goal)]) -> Vec<GoalId> {
    goals.iter().map(|(id, _)| *id).collect()
}

/// What is behind a lock; a thread that panicked has not left it half written.
fn whole<T>(lock: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// An engine at work.
type Running<'p> = (&'static Engine, Box<dyn Session + 'p>);

type Sessions<'p> = Vec<Running<'p>>;

/// One worker on its way through its steps.
struct Worker<'p, 'a> {
    portfolio: &'p Portfolio<'a>,
    worker: usize,
    /// The engines in slices on the net that was read, once they have begun. One that panicked is
    /// gone.
    sessions: Option<Sessions<'p>>,
    /// Whether they had nothing left to do after their last slice.
    finished: bool,
    /// Proofs by induction, once they have begun: engines that have anything left to do.
    proofs: Option<Sessions<'p>>,
    /// The same of diagrams.
    diagrams: Option<Sessions<'p>>,
    /// The same of unrolled steps.
    unrolled: Option<Sessions<'p>>,
    /// The same of loops.
    looped: Option<Sessions<'p>>,
}

impl<'p> Worker<'p, '_> {
    fn step(&mut self, step: Phase) {
        let all = self.portfolio;
        match step {
            Phase::Walk(_, part)
            | Phase::Slice(part)
            | Phase::Follow(part)
            | Phase::Induce(part)
            | Phase::Unroll(part)
            | Phase::Loops(part)
            | Phase::DescribeSmall(part)
                if !part.is_worthwhile(all.budget.remaining()) => {}
            Phase::Walk(On::Read, part) => {
                self.run_all(Role::Walk, all.ground, &all.part(part));
            }
            Phase::Walk(On::Reduced, part) => {
                if let Some(ground) = all.reduced() {
                    self.run_all(Role::Walk, ground, &all.part(part));
                }
            }
            Phase::First(part) => self.run_all(Role::First, all.ground, &all.part(part)),
            Phase::Once => self.run_once(),
            Phase::Homes(part) => {
                let homes = self.portfolio.ground.homes();
                if homes.iter().any(|(id, _)| self.portfolio.board.is_open(*id)) {
                    self.run_all(Role::Homes, all.ground, &all.part(part));
                }
            }
            Phase::Slice(part) => self.slice(&all.part(part)),
            Phase::Deepen(part) => {
                if self.finished && self.deepen() {
                    self.slice(&all.part(part));
                }
            }
            Phase::Follow(part) => self.follow(&all.part(part)),
            Phase::Induce(part) => self.go_on_reduced(Role::Induction, part),
            Phase::Unroll(part) => self.go_on_reduced(Role::Unroll, part),
            Phase::Loops(part) => self.go_on(Role::Loops, &self.unless_alone(Role::Loops, part)),
            Phase::Describe(part) => self.go_on_reduced(Role::Diagrams, part),
            Phase::DescribeSmall(part) => {
                let places = || all.reduced().unwrap_or(all.ground).net().place_count();
                if all.has_any(&[Role::Diagrams]) && places() <= schedule::SMALL {
                    self.go_on(Role::Diagrams, &all.part(part));
                }
            }
            Phase::Search => self.search(),
            Phase::Grow => self.grow(),
            Phase::SearchRead(part) => {
                // Where nothing was gained by reducing, this net has been searched already.
                if !matches!(all.reduced.get(), Some(None)) {
                    self.run_all(Role::Search, all.ground, &all.part(part));
                }
            }
            Phase::OwnReductions(part) => {
                let groups = all.groups(all.ground);
                self.on_own_reductions(&groups, &all.part(part));
            }
        }
    }

    /// A slice of engines on the reduced net, which is made before their part of the time begins.
    fn go_on_reduced(&mut self, role: Role, part: Part) {
        let all = self.portfolio;
        if all.has_any(&[role]) {
            all.reduced();
        }
        let budget = match role {
            Role::Unroll => self.unless_alone(role, part),
            _ => all.part(part),
        };
        self.go_on(role, &budget);
    }

    /// A part of the time; where nobody walks and others prove, or there is no other engine, none is kept for others.
    fn unless_alone(&self, role: Role, part: Part) -> Budget {
        let all = self.portfolio;
        let is_only_one = all.config.engines.iter().all(|engine| engine.role == role);
        match is_only_one || (!all.has_any(&[Role::Walk]) && all.threads() > 1) {
            true => all.budget.child(),
            false => all.part(part),
        }
    }

    /// What is left of the engines that run once.
    fn run_once(&self) {
        for engine in self.portfolio.config.engines {
            if let Role::Once { share } = engine.role {
                let budget = self.portfolio.budget.share(share);
                self.run(engine, self.portfolio.ground, &budget, Vec::new());
            }
        }
    }

    /// Runs all engines of a role on a ground, one after the other, in equal shares of the time.
    fn run_all(&self, role: Role, ground: &Ground<'_>, budget: &Budget) {
        let engines = self.portfolio.config.engines.iter();
        let engines: Vec<&Engine> = engines.filter(|engine| engine.role == role).collect();
        for (at, engine) in engines.iter().enumerate() {
            let share = 1.0 / (engines.len() - at) as f64;
            let budget = if share == 1.0 { budget.child() } else { budget.share(share) };
            self.run(engine, ground, &budget, Vec::new());
        }
    }

    /// One run of one engine on one ground.
    fn run(&self, engine: &Engine, ground: &Ground<'_>, budget: &Budget, hints: Vec<Hint>) {
        if self.portfolio.is_over() {
            return;
        }
        let name = name_on(engine, ground);
        let beginning = self.portfolio.beginning();
        let ran = self.guarded(&name, || {
            let mut session = (engine.start)(self.assignment(ground, hints))?;
            while session.slice(budget) == Progress::Finished && session.deepen() {}
            Ok(session.statistics())
        });
        match ran {
            Some(Ok(text)) => self.portfolio.note(&name, beginning, text),
            Some(Err(why)) => tracing::warn!("{name}: {why}"),
            None => {}
        }
    }

    /// Runs a part of an engine; its panic is logged and costs what it was at.
    fn guarded<T>(
        &self,
        name: &str,
        part: impl FnOnce() -> Result<T, String>,
    ) -> Option<Result<T, String>> {
        let at_work = &self.portfolio.at_work[self.worker];
        *whole(at_work) = Some((name.to_owned(), Instant::now()));
        let ran = catch_unwind(AssertUnwindSafe(part));
        *whole(at_work) = None;
        if ran.is_err() {
            self.portfolio.failures.fetch_add(1, Ordering::Relaxed);
            tracing::error!("internal error: {name} failed; its goals stay open");
        }
        ran.ok()
    }

    fn assignment<'g>(&self, ground: &'g Ground<'g>, hints: Vec<Hint>) -> Assignment<'g>
    where
        'p: 'g,
    {
        let all = self.portfolio;
        Assignment {
            ground,
            board: all.board,
            seed: all.config.seed.wrapping_add(self.worker as u64),
            threads: all.threads_of_an_engine(),
            dump: all.config.dump.clone(),
            smt_solver: all.config.smt_solver.clone(),
            hints,
        }
    }

    /// A slice of the engines in slices, which share it.
    fn slice(&mut self, budget: &Budget) {
        let ground = self.portfolio.ground;
        let sessions = self.sessions.take().unwrap_or_else(|| self.begin(Role::Slices, ground));
        self.finished = true;
        let mut kept = Vec::new();
        for (running, progress) in self.share(sessions, ground, budget) {
            self.finished &= progress == Progress::Finished;
            kept.push(running);
        }
        self.sessions = Some(kept);
    }

    /// The engines of a role that go on in growing slices on the reduced net, or the one that was read where there
    /// is none; loops on the latter.
    fn growing(&mut self, role: Role) -> &mut Option<Sessions<'p>> {
        match role {
            Role::Diagrams => &mut self.diagrams,
            Role::Unroll => &mut self.unrolled,
            Role::Loops => &mut self.looped,
            _ => &mut self.proofs,
        }
    }

    /// Whether any of these has anything left to do.
    fn waits(&mut self, role: Role) -> bool {
        self.growing(role).as_ref().is_some_and(|sessions| !sessions.is_empty())
    }

    /// A slice of these, which share it.
    fn go_on(&mut self, role: Role, budget: &Budget) {
        if self.portfolio.is_over() {
            return;
        }
        let ground = match role {
            Role::Loops => self.portfolio.ground,
            _ => self.portfolio.reduced().unwrap_or(self.portfolio.ground),
        };
        let sessions = self.growing(role).take().unwrap_or_else(|| self.begin(role, ground));
        let after = self.share(sessions, ground, budget).into_iter();
        let unfinished = after.filter(|(_, progress)| *progress == Progress::Unfinished);
        *self.growing(role) = Some(unfinished.map(|(running, _)| running).collect());
    }

    /// Sets all engines of a role to work.
    fn begin(&self, role: Role, ground: &'p Ground<'p>) -> Sessions<'p> {
        let mut sessions = Vec::new();
        let engines = self.portfolio.config.engines.iter();
        for engine in engines.filter(|engine| engine.role == role) {
            let start = || (engine.start)(self.assignment(ground, Vec::new()));
            match self.guarded(engine.name, start) {
                Some(Ok(session)) => sessions.push((engine, session)),
                Some(Err(why)) => tracing::warn!("{}: {why}", engine.name),
                None => {}
            }
        }
        sessions
    }

    /// A slice of all sessions, which share it, and how each ended; those that panic are gone.
    fn share(
        &self,
        sessions: Sessions<'p>,
        ground: &Ground<'_>,
        budget: &Budget,
    ) -> Vec<(Running<'p>, Progress)> {
        let mut kept = Vec::new();
        let mut left = sessions.len();
        for (engine, mut session) in sessions {
            let budget = budget.share(1.0 / left as f64);
            left -= 1;
            let name = name_on(engine, ground);
            let beginning = self.portfolio.beginning();
            let ran = self.guarded(&name, || Ok((session.slice(&budget), session.statistics())));
            if let Some(Ok((progress, text))) = ran {
                self.portfolio.note(&name, beginning, text);
                kept.push(((engine, session), progress));
            }
        }
        kept
    }

    /// Has engines in slices try more; whether any does.
    fn deepen(&mut self) -> bool {
        let mut sessions = self.sessions.take().unwrap_or_default();
        let mut any = false;
        sessions.retain_mut(|(engine, session)| {
            let deepened = self.guarded(engine.name, || Ok(session.deepen()));
            any |= matches!(deepened, Some(Ok(true)));
            deepened.is_some()
        });
        self.sessions = Some(sessions);
        any
    }

    /// Walks along what the engines in slices could not exclude.
    fn follow(&self, budget: &Budget) {
        let mut hints = Vec::new();
        for (engine, session) in self.sessions.iter().flatten() {
            let candidates = self.guarded(engine.name, || Ok(session.candidates()));
            hints.extend(candidates.and_then(Result::ok).unwrap_or_default());
        }
        if hints.is_empty() {
            return;
        }
        let engines = self.portfolio.config.engines.iter();
        for engine in engines.filter(|engine| engine.role == Role::Guided) {
            self.run(engine, self.portfolio.ground, budget, hints.clone());
        }
    }

    /// See [`Phase::Search`].
    fn search(&mut self) {
        let diagrams_wait = self.waits(Role::Diagrams);
        let all = self.portfolio;
        let reduced = all.reduced();
        let others = [
            Role::Walk,
            Role::Guided,
            Role::Slices,
            Role::Induction,
            Role::Unroll,
            Role::Loops,
            Role::Diagrams,
        ];
        let share = schedule::searching(
            !self.finished,
            diagrams_wait,
            // Where nobody does anything but search, nobody waits for it to end.
            if all.has_any(&others) { all.config.threads } else { 2 },
            reduced.is_some(),
        );
        let groups = all.groups(reduced.unwrap_or(all.ground));
        let end = all.budget.share(share);
        self.on_own_reductions(&groups, &end.share(schedule::OWN_REDUCTIONS));
        self.run_all(Role::Search, reduced.unwrap_or(all.ground), &end);
    }

    fn on_own_reductions(&self, groups: &[Vec<GoalId>], end: &Budget) {
        for (at, goals) in groups.iter().enumerate() {
            self.on_own_reduction(goals, &end.share(1.0 / (groups.len() - at) as f64));
        }
    }

    /// Searching, proving and walking on the net reduced for these goals.
    fn on_own_reduction(&self, goals: &[GoalId], budget: &Budget) {
        let all = self.portfolio;
        let (reducing, searching, proving) = schedule::OWN_REDUCTION;
        // Made a second time, so that only one is in memory, and for what is still open.
        let Some(ground) = all.reduce(goals, &budget.share(reducing)) else { return };
        let is_settled = || goals.iter().all(|id| !all.board.is_open(*id));
        self.run_all(Role::Search, &ground, &budget.share(searching));
        if is_settled() {
            return;
        }
        let walks = all.config.threads <= 1;
        self.run_all(Role::Slices, &ground, &budget.share(if walks { proving } else { 1.0 }));
        if walks && !is_settled() {
            self.run_all(Role::Walk, &ground, budget);
        }
    }

    /// See [`Phase::Grow`].
    fn grow(&mut self) {
        let all = self.portfolio;
        let (proving, following, inducing, describing, unrolling) = schedule::GROWING;
        let turns =
            [(Role::Induction, inducing), (Role::Diagrams, describing), (Role::Unroll, unrolling)];
        let mut longest = schedule::FIRST_GROWN;
        while (!self.finished || turns.iter().any(|(role, _)| self.waits(*role))) && !all.is_over()
        {
            if !self.finished {
                self.slice(&all.budget.share(proving).slice(longest));
                self.follow(&all.part(following));
            }
            for (role, share) in turns {
                if self.waits(role) {
                    // Where nobody else has anything to do, no time is kept for them.
                    let waiting = turns.iter().filter(|(role, _)| self.waits(*role)).count();
                    let alone = self.finished && waiting == 1 && !all.has_any(&[Role::Walk]);
                    let share = if alone { 1.0 } else { share };
                    self.go_on(role, &all.budget.share(share).slice(longest));
                }
            }
            let ground = all.reduced().unwrap_or(all.ground);
            self.run_all(Role::Walk, ground, &all.budget.slice(longest / 2));
            longest = longest.saturating_mul(2);
        }
    }
}

/// An engine's name in statistics and messages.
fn name_on(engine: &Engine, ground: &Ground<'_>) -> String {
    match ground.parent() {
        None => engine.name.to_owned(),
        Some(_) => format!("{}, reduced", engine.name),
    }
}
