//! Runs with loops: witnesses of more firings than can be written down one after the other.
//!
//! Counters that count by counters count far: with ten of them, each twice as long a number as the
//! one below, a net of 500 places has runs of 2¹⁰²⁴ firings, and places that nothing shorter marks.
//! A walk gets nowhere there. But such a run is short where rounds are loops, and rounds of rounds
//! are loops of loops.
//!
//! * **Rounds.** The *control* of a marking is which of the places hold a token that have never
//!   held two. Where a transition fires a second time with the same control, what was done since is
//!   a round. If it can be done again it is done again at once, as often as it can be: what it
//!   needs and how it changes places is known, so that the number of times is a division
//!   (`summary`). The trace then has one loop in its place, and later rounds have that in them. A
//!   loop that was made once is done again in one step where it can be.
//! * **Preferences.** Which of the enabled transitions fires is a matter of fixed ranks. "Go on
//!   while there are tokens, and go away when there are none" is such a preference, and with it a
//!   run is as it should be at every level.
//! * **Wrong turns.** That there are none is often only seen behind the choice, where the walk gets
//!   stuck: then it goes back a choice or two and takes what was not preferred. The last round of a
//!   loop can be left out that way, too.
//! * **Learning.** Ranks are random at first. Two that were in conflict change places, those met
//!   last first; what makes more transitions fire is kept.
//!
//! ```text
//! up_0: no_units -> units     up_1: 9*units + no_tens -> 9*no_units + tens     up_2: 9*units + 9*tens + …
//! up_0 up_0×8 = up_0×9                    (up_1 up_0×9)×9                       (up_2 up_0×9 (up_1 up_0×9)×9)×9 …
//! ```
//!
//! # Soundness
//! The engine reports runs, and the board replays them ([`crate::evidence::loops`]), all open goals
//! looked for at once.
//!
//! # Limits
//! On the net that was read only; on nets whose units are claimed to be safe not at all: what is
//! safe has no rounds that change anything. It sees the markings of first rounds, not those in
//! between.
//!
//! # Sources
//! The nets are those of R. Lipton, *The reachability problem requires exponential space*, 1976.
//! That a loop's effect is linear is the ground of acceleration: J. Leroux, G. Sutre, *Flat counter
//! automata almost everywhere!*, ATVA 2005, of flat loops. Loops of loops by folding the trace of a
//! walk, and preferences that are learnt, are our own.

mod machine;
mod summary;
mod walk;
mod watch;

use super::{Assignment, Engine, Progress, Role, Session, Sides, Takes};
use fastrand::Rng;
use machine::Machine;
use parikh_net::TransitionId;
use parikh_solvers::Budget;
use walk::{Walk, Walked};
use watch::Watch;

/// In the registry.
pub const ENGINE: Engine = Engine {
    name: "loops",
    technique: "LOOPS",
    sides: Sides::Under,
    role: Role::Loops,
    takes: Takes::MARKINGS,
    start: |work| Ok(Box::new(Search::new(work))),
};

/// Steps of the first walks; twice as many where they are too few, and when no change of
/// preferences is any good.
const FIRST_STEPS: u64 = 20_000;

/// How often steps are doubled before everything begins anew with other ranks.
const DOUBLINGS: u32 = 3;

/// Everything begins anew so often before it is given up, when nothing is reached.
const IN_VAIN: u32 = 3;

/// A net on which so many walks have not done any round again has none.
const WALKS_WITHOUT: u64 = 30;

/// Elements of blocks that are kept; then everything begins anew.
const ROOM: usize = 1 << 24;

/// Preferences, and what a walk by them came to.
struct Way {
    rank: Vec<u32>,
    walked: Walked,
}

/// At work on the goals of a ground.
struct Search<'g> {
    work: Assignment<'g>,
    rng: Rng,
    machine: Option<Machine<'g>>,
    best: Option<Way>,
    /// Preferences to walk by once more, with what is known by now, or further.
    again: Option<Vec<u32>>,
    /// Whether the next walk is one where everything is reported, since something was seen and was
    /// not.
    is_thorough: bool,
    /// Which of the choices of the best is changed next, from the last one back.
    next: usize,
    steps: u64,
    doublings: u32,
    walks: u64,
    folds: u64,
    fired: usize,
    reached: usize,
    /// How often everything began anew since anything was reached.
    in_vain: u32,
}

impl<'g> Search<'g> {
    fn new(work: Assignment<'g>) -> Self {
        let rng = Rng::with_seed(work.seed);
        Search {
            work,
            rng,
            machine: None,
            best: None,
            again: None,
            is_thorough: false,
            next: 0,
            steps: FIRST_STEPS,
            doublings: 0,
            walks: 0,
            folds: 0,
            fired: 0,
            reached: 0,
            in_vain: 0,
        }
    }

    fn random_rank(&mut self) -> Vec<u32> {
        let mut rank: Vec<u32> = (0..self.work.ground.net().transition_count() as u32).collect();
        self.rng.shuffle(&mut rank);
        rank
    }

    /// The preferences to walk by next: those of the best, with one choice changed; others where
    /// that does not help.
    fn next_rank(&mut self) -> Vec<u32> {
        if let Some(rank) = self.again.take() {
            return rank;
        }
        if let Some(best) = &self.best
            && self.next >= best.walked.choices.len()
        {
            (self.next, self.doublings, self.steps) = (0, self.doublings + 1, 2 * self.steps);
            if self.doublings > DOUBLINGS {
                self.begin_anew();
            } else {
                // Once more as it is, further.
                self.is_thorough = true;
                return best.rank.clone();
            }
        }
        let Some(best) = &self.best else { return self.random_rank() };
        let choices = &best.walked.choices;
        let (first, second) = choices[choices.len() - 1 - self.next];
        let mut rank = best.rank.clone();
        rank.swap(first as usize, second as usize);
        self.next += 1;
        rank
    }

    fn begin_anew(&mut self) {
        self.in_vain += 1;
        (self.best, self.again, self.next) = (None, None, 0);
        (self.steps, self.doublings) = (FIRST_STEPS, 0);
    }

    /// One walk, and what is learnt from it.
    fn walk(&mut self, machine: &mut Machine<'g>, watch: &mut Watch<'g>, budget: &Budget) {
        let rank = self.next_rank();
        machine.restart(rank.clone());
        watch.is_thorough = std::mem::take(&mut self.is_thorough);
        watch.has_missed = false;
        let most = self.best.as_ref().map_or(0, |best| best.walked.fired);
        let walked = Walk::new(machine, watch).go(self.steps, most, budget);
        let has_learnt = walked.has_learnt;
        self.walks += 1;
        self.folds += walked.folds;
        self.fired = self.fired.max(walked.fired);
        if self.best.is_none() || walked.fired > most {
            tracing::debug!(
                "loops: walk {} of {} steps: {} transitions fire, trace of {}",
                self.walks,
                walked.steps,
                walked.fired,
                machine.trace_length()
            );
            if walked.steps >= self.steps {
                self.steps *= 2;
                self.again = Some(rank.clone());
            }
            if walked.fired == self.work.ground.net().transition_count() && watch.has_missed {
                self.is_thorough = true;
                self.again = Some(rank.clone());
            }
            self.best = Some(Way { rank: rank.clone(), walked });
            self.next = 0;
        }
        if has_learnt {
            self.again = Some(rank);
        }
    }
}

impl Session for Search<'_> {
    fn slice(&mut self, budget: &Budget) -> Progress {
        let Assignment { ground, board, .. } = self.work;
        let net = ground.net();
        let claims = net.safe_units().is_some();
        let moves = |t: TransitionId| !net.delta(t).is_empty() && net.is_enabled(net.initial(), t);
        if ground.parent().is_some() || claims || !net.transitions().any(moves) {
            return Progress::Finished;
        }
        let under = board.under(ENGINE.technique).on(ground);
        let mut watch = Watch::new(net, board, under, ground.goals());
        let mut machine = match self.machine.take() {
            Some(machine) => machine,
            None => {
                let rank = self.random_rank();
                Machine::new(net, rank, &mut self.rng)
            }
        };
        let progress = loop {
            let is_vain = self.in_vain >= IN_VAIN || self.folds == 0 && self.walks >= WALKS_WITHOUT;
            let is_vain = is_vain && self.again.is_none();
            if !watch.is_wanted() || is_vain {
                break Progress::Finished;
            }
            if budget.is_exhausted() {
                break Progress::Unfinished;
            }
            if machine.loops.size() > ROOM {
                self.begin_anew();
                let rank = self.random_rank();
                machine = Machine::new(net, rank, &mut self.rng);
            }
            let before = watch.reached;
            self.walk(&mut machine, &mut watch, budget);
            if watch.reached > before {
                self.in_vain = 0;
            }
        };
        self.reached += watch.reached;
        self.machine = Some(machine);
        progress
    }

    fn statistics(&self) -> String {
        let all = self.work.ground.net().transition_count();
        format!(
            "{} reached, {} walks, {} rounds done again, at most {} of {all} transitions fired in a walk",
            self.reached, self.walks, self.folds, self.fired
        )
    }
}
