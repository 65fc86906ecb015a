//! A worker of the [portfolio](super::portfolio), which executes the phases of its schedule.

use super::portfolio::Portfolio;
use super::schedule::{self, GROWTHS, PhaseNet, RoleGrowth, SchedulePhase, TimePart};
use parikh_engine::working_net::WorkingNet;
use parikh_engine::{Assignment, Engine, Hint, Role, Session, SliceProgress};
use parikh_net::GoalId;
use parikh_solvers::Budget;
use parikh_solvers::locked;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Runs the worker with this number: in each round its scheduled phases, then walks until the end
/// of the round.
pub(super) fn work(portfolio: &Portfolio<'_>, number: usize) {
    let steps = portfolio.schedule.workers.get(number).map_or(&[][..], Vec::as_slice);
    let mut worker = Worker {
        portfolio,
        number,
        round: portfolio.budget.child(),
        round_index: 0,
        sessions: Vec::new(),
        finished_once_engines: Vec::new(),
    };
    let mut rounds = portfolio.round_ends();
    rounds.push(Duration::MAX);
    for (index, end) in (0..).zip(rounds) {
        let time = end.saturating_sub(portfolio.start.elapsed());
        if time < end / 4 {
            continue; // reading the model, or an earlier stage, used most of this round
        }
        worker.round = portfolio.budget.slice(time);
        worker.round_index = index;
        for step in steps {
            if worker.is_round_over() {
                break;
            }
            worker.step(*step);
        }
        worker.run_all(Role::Walk, portfolio.working_net, &worker.round);
    }
}

/// A started engine, with the result of its last slice.
struct RunningEngine<'p> {
    engine: &'static Engine,
    /// The name for statistics, which tells the net that the engine was started on.
    name: String,
    session: Box<dyn Session + 'p>,
    progress: SliceProgress,
}

/// A worker of a portfolio, with the engines that it has started.
struct Worker<'p, 'a> {
    portfolio: &'p Portfolio<'a>,
    number: usize,
    /// The time of the current round. All shares of the schedule are shares of its remaining time.
    round: Budget,
    /// The number of the current round, from 0. A walk that starts again makes other choices.
    round_index: u64,
    /// The started engines of each role that may continue. An engine is dropped if it panics during
    /// a slice or while its limits are raised.
    sessions: Vec<(Role, Vec<RunningEngine<'p>>)>,
    /// The names of the engines of the role [`Role::Once`] that had nothing more to try before
    /// their time was over. Later rounds do not run them again.
    finished_once_engines: Vec<&'static str>,
}

impl<'p, 'a> Worker<'p, 'a> {
    /// Returns true if the current round or the run is over, or too little time is left for any
    /// engine.
    fn is_round_over(&self) -> bool {
        let is_short = |left: Duration| left < Duration::from_millis(1);
        self.round.remaining().is_some_and(is_short)
            || self.round.is_exhausted()
            || self.portfolio.is_over()
    }

    /// Returns a budget with the share of the round's remaining time that `part` names, limited by
    /// the largest time of `part`.
    fn time_part(&self, part: TimePart) -> Budget {
        self.round.share(part.share).slice(part.max_time)
    }

    /// Executes a phase, unless its part of the remaining time is too short.
    fn step(&mut self, step: SchedulePhase) {
        let team = self.portfolio;
        if step.time_part().is_some_and(|part| !part.is_worthwhile(self.round.remaining())) {
            return;
        }
        match step {
            SchedulePhase::Run(role, on, part) => {
                let part = team.share_beside_trees(role, part);
                if let Some(working_net) = team.phase_net(on) {
                    self.run_all(role, working_net, &self.time_part(part));
                }
            }
            SchedulePhase::HomesForTrees(part) => {
                let is_worthwhile = |part: &TimePart| part.is_worthwhile(self.round.remaining());
                if let Some(part) = team.homes_for_trees(part).filter(is_worthwhile) {
                    self.run_all(Role::Homes, team.working_net, &self.time_part(part));
                }
            }
            SchedulePhase::RunOnceEngines => self.run_once(),
            SchedulePhase::Continue(role, part) => {
                self.continue_role(role, team.share_beside_trees(role, part), usize::MAX);
            }
            SchedulePhase::ContinueOnSmallNet(role, part) => {
                self.continue_role(role, part, schedule::MAX_PLACES_FOR_EARLY_DIAGRAMS)
            }
            SchedulePhase::Deepen(part) => {
                if !self.is_unfinished(Role::Slices) && self.deepen() {
                    self.continue_role(Role::Slices, part, usize::MAX);
                }
            }
            SchedulePhase::WalkAlongCandidates(part) => self.follow(part),
            SchedulePhase::Search => self.search(),
            SchedulePhase::Grow => self.grow(),
            SchedulePhase::OwnReductions(part) => {
                let groups = team.groups(team.working_net, &self.round);
                self.work_on_own_reductions(&groups, &self.time_part(part));
            }
            SchedulePhase::OwnRuns(part) => {
                self.search_own_runs(&self.time_part(team.share_beside_trees(Role::Runs, part)));
            }
        }
    }

    /// Runs all engines of the role [`Role::Once`], each in its own share of the time. An engine
    /// that had nothing more to try in an earlier round does not run again.
    fn run_once(&mut self) {
        for engine in self.portfolio.config.engines {
            let Role::Once { share } = engine.role else { continue };
            if self.finished_once_engines.contains(&engine.name) {
                continue;
            }
            let budget = self.round.share(share);
            self.run(engine, self.portfolio.working_net, &budget, Vec::new());
            if !budget.is_exhausted() {
                self.finished_once_engines.push(engine.name);
            }
        }
    }

    /// Runs all engines of a role on a working net, in equal shares of the time.
    fn run_all(&self, role: Role, working_net: &WorkingNet<'_>, budget: &Budget) {
        let engines: Vec<&Engine> = self.portfolio.engines(role).collect();
        for (index, engine) in engines.iter().enumerate() {
            let share = 1.0 / (engines.len() - index) as f64;
            let budget = if share == 1.0 { budget.child() } else { budget.share(share) };
            self.run(engine, working_net, &budget, Vec::new());
        }
    }

    /// Starts an engine on a working net and gives it slices until it has nothing more to try, or
    /// the budget is spent. After each finished slice, the limits of the engine are raised. Does
    /// nothing if the run is over or the engine refuses the net.
    fn run(
        &self,
        engine: &Engine,
        working_net: &WorkingNet<'_>,
        budget: &Budget,
        hints: Vec<Hint>,
    ) {
        let name = name_on(engine, working_net);
        if self.portfolio.is_over() || self.is_refused(engine, working_net) {
            return;
        }
        let beginning = self.portfolio.turn_start();
        let result = self.guarded(&name, || {
            let mut session = (engine.start)(self.assignment(working_net, hints))?;
            while session.slice(budget) == SliceProgress::Finished && session.deepen() {}
            Ok(session.statistics())
        });
        match result {
            Some(Ok(text)) => self.portfolio.record_turn(&name, beginning, text),
            Some(Err::<_, String>(why)) => tracing::warn!("{name}: {why}"),
            None => {}
        }
    }

    /// Returns true if the engine refuses the working net.
    fn is_refused(&self, engine: &Engine, working_net: &WorkingNet<'_>) -> bool {
        let refused = engine.refusal(working_net, self.portfolio.board);
        refused.inspect(|why| tracing::debug!("{}: not started: {why}", engine.name)).is_some()
    }

    /// Calls `work`, a piece of an engine's work. Returns `None` if `work` panics: the panic is
    /// logged and counted, and only this piece is lost.
    fn guarded<T>(&self, name: &str, work: impl FnOnce() -> T) -> Option<T> {
        let at_work = &self.portfolio.at_work[self.number];
        *locked(at_work) = Some((name.to_owned(), Instant::now()));
        let result = catch_unwind(AssertUnwindSafe(work));
        *locked(at_work) = None;
        if result.is_err() {
            self.portfolio.failures.fetch_add(1, Ordering::Relaxed);
            tracing::error!("internal error: {name} failed; its goals stay open");
        }
        result.ok()
    }

    /// Makes the task of an engine on a working net, with the settings of the run.
    fn assignment<'g>(&self, working_net: &'g WorkingNet<'g>, hints: Vec<Hint>) -> Assignment<'g>
    where
        'p: 'g,
    {
        let team = self.portfolio;
        Assignment {
            working_net,
            board: team.board,
            seed: team.config.seed.wrapping_add(self.number as u64 + (self.round_index << 32)),
            threads: team.threads_of_an_engine(),
            dump: team.config.dump.clone(),
            smt_solver: team.config.smt_solver.clone(),
            hints,
        }
    }

    /// Returns the started engines of a role.
    fn running(&self, role: Role) -> impl Iterator<Item = &RunningEngine<'p>> {
        self.sessions
            .iter()
            .filter(move |(started_role, _)| *started_role == role)
            .flat_map(|(_, running)| running)
    }

    /// Returns true if some started engine of the role is unfinished.
    fn is_unfinished(&self, role: Role) -> bool {
        self.running(role).any(|running| running.progress == SliceProgress::Unfinished)
    }

    /// Gives the engines of a role a slice, if the net of the role has at most `max_places` places.
    /// The slice lasts for `part` of the remaining time. It may last for all remaining time if the
    /// role allows it ([`RoleGrowth::may_use_all_time`]).
    fn continue_role(&mut self, role: Role, part: TimePart, max_places: usize) {
        let team = self.portfolio;
        let Some(growth) = GROWTHS.iter().find(|growth| growth.role == role) else { return };
        if team.is_over() || !team.has_any(&[role]) {
            return;
        }
        // The net is requested before the slice starts, so that a pending reduction is not charged
        // to the slice.
        let working_net = team
            .phase_net(growth.net)
            .filter(|working_net| working_net.net().place_count() <= max_places);
        if working_net.is_some() {
            let is_only_one = || team.config.engines.iter().all(|engine| engine.role == role);
            let is_alone = || is_only_one() || (!team.has_any(&[Role::Walk]) && team.threads() > 1);
            let budget = if growth.may_use_all_time && is_alone() {
                self.round.child()
            } else {
                self.time_part(part)
            };
            self.run_slice(growth, &budget);
        }
    }

    /// Gives each engine of a role an equal share of a slice. Starts the engines at the first call
    /// for this role.
    fn run_slice(&mut self, growth: &RoleGrowth, budget: &Budget) {
        let team = self.portfolio;
        let Some(working_net) = team.phase_net(growth.net).filter(|_| !team.is_over()) else {
            return;
        };
        let started_at = self.sessions.iter().position(|(role, _)| *role == growth.role);
        let running = match started_at {
            Some(at) => self.sessions.swap_remove(at).1,
            None => self.start_engines(growth.role, working_net),
        };
        let mut engines_left = running.len();
        let mut kept = Vec::new();
        for mut running in running {
            let budget = budget.share(1.0 / engines_left as f64);
            engines_left -= 1;
            let beginning = team.turn_start();
            let RunningEngine { session, name, .. } = &mut running;
            let result = self.guarded(name, || (session.slice(&budget), session.statistics()));
            if let Some((progress, text)) = result {
                team.record_turn(name, beginning, text);
                running.progress = progress;
                let is_kept = growth.keeps_finished_engines || growth.keeps_for_rounds;
                if is_kept || progress == SliceProgress::Unfinished {
                    kept.push(running);
                }
            }
        }
        self.sessions.push((growth.role, kept));
    }

    /// Starts the engines of a role. Leaves out engines that refuse the net or fail to start.
    fn start_engines(&self, role: Role, working_net: &'p WorkingNet<'p>) -> Vec<RunningEngine<'p>> {
        let mut running = Vec::new();
        let engines = self.portfolio.engines(role);
        for engine in engines.filter(|engine| !self.is_refused(engine, working_net)) {
            let start = || (engine.start)(self.assignment(working_net, Vec::new()));
            match self.guarded(engine.name, start) {
                Some(Ok(session)) => {
                    running.push(RunningEngine {
                        engine,
                        name: name_on(engine, working_net),
                        session,
                        progress: SliceProgress::Unfinished,
                    });
                }
                Some(Err(why)) => tracing::warn!("{}: {why}", engine.name),
                None => {}
            }
        }
        running
    }

    /// Raises the limits of the engines of the role [`Role::Slices`], and drops engines that panic.
    /// Returns true if some engine can try more with its new limits.
    fn deepen(&mut self) -> bool {
        let slices = self.sessions.iter().position(|(role, _)| *role == Role::Slices);
        let Some((role, mut slices)) = slices.map(|at| self.sessions.swap_remove(at)) else {
            return false;
        };
        let mut any_deepened = false;
        slices.retain_mut(|RunningEngine { engine, session, .. }| {
            let deepened = self.guarded(engine.name, || session.deepen());
            any_deepened |= deepened == Some(true);
            deepened.is_some()
        });
        self.sessions.push((role, slices));
        any_deepened
    }

    /// Runs the engines of the role [`Role::Guided`], which walk along candidates. A candidate is a
    /// vector of firing counts that an engine of the role [`Role::Slices`] could not exclude. Does
    /// nothing without candidates.
    fn follow(&self, part: TimePart) {
        let budget = self.time_part(part);
        let mut hints = Vec::new();
        for RunningEngine { engine, session, .. } in self.running(Role::Slices) {
            let candidates = self.guarded(engine.name, || session.candidates());
            hints.extend(candidates.unwrap_or_default());
        }
        if hints.is_empty() {
            return;
        }
        for engine in self.portfolio.engines(Role::Guided) {
            self.run(engine, self.portfolio.working_net, &budget, hints.clone());
        }
    }

    /// See [`SchedulePhase::Search`].
    fn search(&self) {
        let team = self.portfolio;
        let share = schedule::search_share(
            self.is_unfinished(Role::Slices),
            self.is_unfinished(Role::Diagrams),
            // With one thread, the search leaves time for the engines of `ROLES_BESIDE_SEARCH`. If
            // there are none, the number 2 gives the search the larger share of several threads.
            if team.has_any(schedule::ROLES_BESIDE_SEARCH) { team.config.threads } else { 2 },
            team.phase_net(PhaseNet::Reduced).is_some(),
        );
        let groups = team.groups(team.smallest(), &self.round);
        let search_budget = self.round.share(share);
        self.work_on_own_reductions(&groups, &search_budget.share(schedule::OWN_REDUCTIONS));
        self.run_all(Role::Search, team.smallest(), &search_budget);
    }

    /// Works on the own reduced net of each goal group, in equal shares of the budget.
    fn work_on_own_reductions(&self, groups: &[Vec<GoalId>], budget: &Budget) {
        for (index, goals) in groups.iter().enumerate() {
            self.work_on_own_reduction(goals, &budget.share(1.0 / (groups.len() - index) as f64));
        }
    }

    /// Searches for the goals on the net reduced for them. For goals still open, the sliced engines
    /// follow. With one thread, walks follow, too.
    fn work_on_own_reduction(&self, goals: &[GoalId], budget: &Budget) {
        let team = self.portfolio;
        let (reducing, searching, proving) = schedule::OWN_REDUCTION;
        // The function `groups` made this net before and dropped it, so that only one such net is
        // in memory. It is made again for the goals still open.
        let Some(working_net) = team.reduce(goals, &budget.share(reducing)) else { return };
        let is_settled = || goals.iter().all(|id| !team.board.is_open(*id));
        self.run_all(Role::Search, &working_net, &budget.share(searching));
        if is_settled() {
            return;
        }
        let is_only_worker = team.config.threads <= 1;
        self.run_all(
            Role::Slices,
            &working_net,
            &budget.share(if is_only_worker { proving } else { 1.0 }),
        );
        if is_only_worker && !is_settled() {
            self.run_all(Role::Walk, &working_net, budget);
        }
    }

    /// See [`SchedulePhase::OwnRuns`].
    fn search_own_runs(&self, run_budget: &Budget) {
        let team = self.portfolio;
        if !team.has_any(&[Role::Runs]) {
            return;
        }
        let is_open = |id: &GoalId| team.board.is_open(*id);
        let open: Vec<GoalId> =
            team.working_net.run_goals().iter().map(|&(id, _)| id).filter(is_open).collect();
        for (index, id) in open.iter().enumerate().filter(|(_, id)| is_open(id)) {
            let budget = run_budget.share(1.0 / (open.len() - index) as f64);
            if let Some(working_net) = team.reduce(&[*id], &budget.share(schedule::OWN_RUNS)) {
                self.run_all(Role::Runs, &working_net, &budget);
            }
        }
    }

    /// See [`SchedulePhase::Grow`].
    fn grow(&mut self) {
        let team = self.portfolio;
        let turns = || {
            let growths = GROWTHS.iter().filter(|growth| team.may_grow(growth.role));
            growths.filter_map(|growth| Some((growth, growth.turn_share?)))
        };
        let mut max_slice = schedule::FIRST_GROW_SLICE;
        while turns().any(|(growth, _)| self.is_unfinished(growth.role)) && !self.is_round_over() {
            for (growth, turn_share) in turns() {
                if !self.is_unfinished(growth.role) {
                    continue;
                }
                // The slice is limited by `max_slice` alone under three conditions. No other role
                // has unfinished engines, no engine walks, and the role does not keep finished
                // engines.
                let waiting = turns().filter(|(growth, _)| self.is_unfinished(growth.role)).count();
                let uses_all_time =
                    !growth.keeps_finished_engines && waiting == 1 && !team.has_any(&[Role::Walk]);
                let share = if uses_all_time { 1.0 } else { turn_share };
                self.run_slice(growth, &self.round.share(share).slice(max_slice));
                if growth.role == Role::Slices {
                    self.follow(schedule::FOLLOW_TIME);
                }
            }
            self.run_all(Role::Walk, team.smallest(), &self.round.slice(max_slice / 2));
            max_slice = max_slice.saturating_mul(2);
        }
    }
}

/// Returns the engine's name for statistics and messages. On a reduced net, `, reduced` follows.
fn name_on(engine: &Engine, working_net: &WorkingNet<'_>) -> String {
    match working_net.parent() {
        None => engine.name.to_owned(),
        Some(_) => format!("{}, reduced", engine.name),
    }
}
