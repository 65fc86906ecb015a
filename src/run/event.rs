//! What the caller of a run is told.

use super::counting::CountResult;
use crate::answer::Answer;
use crate::board::Knowledge;
use crate::model::NotUnfolded;
use parikh_net::{Goal, GoalId};
use std::time::Duration;

/// What the caller is told while a plan is worked on.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// Work on a net begins; of a coloured model there may be two, one after the other.
    Begun {
        /// What the questions are called that are put to it.
        questions: &'a [String],
    },
    /// A goal is settled, whichever way.
    Settled {
        /// Which one.
        id: GoalId,
        /// The goal.
        goal: &'a Goal,
        /// What is known of it now.
        knowledge: &'a Knowledge,
    },
    /// A question is decided; the goals that it rests on were settled before.
    Answered(&'a Answer),
    /// A figure of a state space, and how it was counted where that was through a reduction. What
    /// it rests on was told before.
    Figure(&'a Answer, Option<&'a CountResult>),
    /// An answer or figure that was told before does not stand: it rests on the model's claim of
    /// safe units, which has turned out to be false. The question is asked again.
    Withdrawn {
        /// Of which question or figure.
        id: &'a str,
    },
    /// A coloured net has no unfolding on which what is open could be gone on with.
    Declined(&'a NotUnfolded),
    /// The budget is spent and some engine does not stop. What is to be written must be written
    /// now: whoever wants to leave without the engine leaves from here; otherwise it is waited for.
    Overrun {
        /// The engines.
        engines: &'a [String],
        /// How the run ended, as far as they have not.
        report: &'a Report,
    },
    /// Nothing new, but time has passed.
    Waiting {
        /// Questions without an answer.
        questions: usize,
        /// Goals that engines still work on.
        goals: usize,
        /// Who works, on the threads that are known.
        engines: &'a [AtWork],
        /// The best known of open questions for a maximum, some of them when there are many.
        between: &'a [MaximumRange],
    },
}

/// An engine at work.
#[derive(Clone, Debug)]
pub struct AtWork {
    /// Its name, and on which net.
    pub engine: String,
    /// For how long.
    pub since: Duration,
}

/// What is known of a maximum that is not settled: it is in [seen, proved].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaximumRange {
    /// The question.
    pub id: String,
    /// The largest value seen.
    pub seen: Option<i128>,
    /// The smallest bound proved.
    pub proved: Option<i128>,
}

/// One turn of one engine.
#[derive(Clone, Debug)]
pub struct Turn {
    /// Its name, and on which net.
    pub engine: String,
    /// Since the run began.
    pub began: Duration,
    /// How long.
    pub lasted: Duration,
    /// Goals that were open when it began.
    pub open: usize,
    /// What it has to say of it, in figures.
    pub said: String,
}

/// A question that was not decided.
#[derive(Clone, Debug)]
pub struct Unanswered {
    /// The formula's id, or the examination's name.
    pub id: String,
    /// Why not, and what is known all the same.
    pub reason: String,
}

/// How a run ended.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The questions decided.
    pub answered: usize,
    /// The questions not decided.
    pub unanswered: Vec<Unanswered>,
    /// Claims that were refused, and engines and workers that failed: bugs of ours.
    pub faults: usize,
    /// How a replayed sequence broke the model's claim that its units are safe, if one did.
    pub breach: Option<String>,
    /// What each stage has to say of itself, for `--stats`.
    pub statistics: Vec<(String, String)>,
    /// Who had a turn when, in the order in which turns ended.
    pub turns: Vec<Turn>,
}

impl Report {
    /// Adds how the work after it ended.
    pub(super) fn add(&mut self, rest: Report) {
        self.answered += rest.answered;
        self.unanswered.extend(rest.unanswered);
        self.faults += rest.faults;
        self.breach = self.breach.take().or(rest.breach);
        self.statistics.extend(rest.statistics);
        self.turns.extend(rest.turns);
    }
}
