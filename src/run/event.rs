//! Events that the caller of an analysis receives.

use super::counting::CountResult;
use super::open::OpenQuestion;
use crate::answer::GoalAnswer;
use parikh_engine::board::Knowledge;
use parikh_evidence::counting::family::FamilyProof;
use parikh_input::model::NotUnfolded;
use parikh_net::{Goal, GoalId};
use std::time::Duration;

/// An event of an analysis, reported to the caller: a goal is settled, a question is answered, and
/// so on.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// Work on a net begins. A coloured model may have up to three nets, one after the other: the
    /// unfolding of a quotient, the coloured net and the unfolding.
    NetBegun {
        /// The ids of the questions asked of the net.
        questions: &'a [String],
    },
    /// A goal is settled, positively or negatively. Also sent for a proved bound of an abandoned
    /// maximum, if an answer rests on this bound.
    Settled {
        /// The goal's id.
        id: GoalId,
        /// The goal.
        goal: &'a Goal,
        /// The knowledge about the goal.
        knowledge: &'a Knowledge,
    },
    /// A question is decided. The goals that it rests on were reported before, except that an
    /// unbounded maximum may be reported later.
    Answered(&'a GoalAnswer),
    /// One of the four numbers of a state space, with the evidence of a count through a reduction
    /// or from place invariants. `None` if the number was found in another way. The evidence of a
    /// maximum that was settled as a goal is reported by [`Event::Settled`].
    Figure(&'a GoalAnswer, Option<CountEvidence<'a>>),
    /// An earlier answer is withdrawn: it rests on the model's claim of safe units, which is
    /// violated. The question is asked again.
    Withdrawn {
        /// The id of the question.
        id: &'a str,
    },
    /// A coloured net has no unfolding on which the open questions could be continued.
    Declined(&'a NotUnfolded),
    /// An engine does not stop, although its budget was cancelled. Either the budget of the run is
    /// used up, or no question is open, or the model's claim of safe units is refuted. When the
    /// callback returns, the run waits for the engine. A caller that does not want to wait must
    /// write its results and exit the process in the callback.
    Overrun {
        /// The names of the engines.
        engines: &'a [String],
        /// The report so far.
        report: &'a RunReport,
    },
    /// No news; sent at intervals.
    Waiting {
        /// Number of open questions.
        questions: usize,
        /// Number of open goals.
        goals: usize,
        /// The engines at work.
        engines: &'a [EngineAtWork],
        /// The known ranges of open maxima, some of them if there are many.
        between: &'a [MaximumRange],
    },
}

/// An engine at work.
#[derive(Clone, Debug)]
pub struct EngineAtWork {
    /// The engine's name and its net.
    pub engine: String,
    /// The time since the engine started.
    pub since: Duration,
}

/// The known range of an open maximum: from the largest value seen to the smallest bound proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaximumRange {
    /// The question.
    pub id: String,
    /// The largest value seen; `None` if no value was seen.
    pub largest_seen: Option<i128>,
    /// The smallest bound proved; `None` if no bound is proved.
    pub smallest_bound: Option<i128>,
}

/// A turn of an engine.
#[derive(Clone, Debug)]
pub struct EngineTurn {
    /// The engine's name and its net.
    pub engine: String,
    /// Time from the start of the analysis to the start of the turn.
    pub start: Duration,
    /// The duration.
    pub duration: Duration,
    /// Number of open goals at the start of the turn.
    pub open_goals: usize,
    /// The engine's statistics of the turn.
    pub statistics: String,
}

/// The outcome of an analysis.
#[derive(Clone, Debug, Default)]
pub struct RunReport {
    /// Number of questions with an answer.
    pub answered: usize,
    /// The open questions.
    pub unanswered: Vec<OpenQuestion>,
    /// Number of internal errors, such as refused claims, panics of engines and failed workers; any
    /// but 0 is a bug.
    pub faults: usize,
    /// A description of how a replayed sequence violated the model's claim of safe units, if one
    /// did.
    pub breach: Option<String>,
    /// Name and statistics of each finished piece of work, such as an engine's turn, for `--stats`.
    pub statistics: Vec<(String, String)>,
    /// The turns of engines, ordered by end.
    pub turns: Vec<EngineTurn>,
}

impl RunReport {
    /// Adds the outcome of a later stage.
    pub(super) fn add(&mut self, rest: RunReport) {
        self.answered += rest.answered;
        self.unanswered.extend(rest.unanswered);
        self.faults += rest.faults;
        self.breach = self.breach.take().or(rest.breach);
        self.statistics.extend(rest.statistics);
        self.turns.extend(rest.turns);
    }
}

/// The evidence of a number of markings or firings.
#[derive(Clone, Copy, Debug)]
pub enum CountEvidence<'a> {
    /// A count through a reduction.
    Counted(&'a CountResult),
    /// A proof from place invariants.
    Family(&'a FamilyProof),
}
