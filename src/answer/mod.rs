//! From examinations to goals and from goals to answers.
//!
//! A [`Plan`] is the list of goals that an examination comes down to, with a [`Question`] per
//! answer that says how the goals' outcomes combine. The pipeline runs engines on the goals and
//! asks the plan, after each settlement, which questions are decided now; a question that is
//! decided early lets go of its remaining goals.

mod plan;
mod question;

pub use plan::Plan;
pub use question::{Combination, Question, Standing};

use crate::board::Technique;
use parikh_net::{FiringSequence, GoalId};
use std::fmt;

/// A decided question.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The formula's id verbatim, or the examination's name.
    pub id: String,
    /// What was found.
    pub value: Value,
    /// The engines that settled the goals it rests on, each once.
    pub techniques: Vec<Technique>,
    /// What it rests on, in a sentence.
    pub reason: String,
    /// Whether it rests on the model's own claim that its units are safe (NUPN).
    pub assumes_units: bool,
    /// A firing sequence that shows it, where one does.
    pub witness: Option<(GoalId, FiringSequence)>,
    /// What can repeat for ever after the witness, behind a [`Value::Infinite`].
    pub pump: Option<FiringSequence>,
}

/// The value of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A property holds or not.
    Bool(bool),
    /// A maximum.
    Number(i128),
    /// There is no maximum.
    Infinite,
}

impl fmt::Display for Value {
    /// As the contest prints it: `TRUE`, `FALSE`, a number, `+inf`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(true) => f.write_str("TRUE"),
            Value::Bool(false) => f.write_str("FALSE"),
            Value::Number(number) => write!(f, "{number}"),
            Value::Infinite => f.write_str("+inf"),
        }
    }
}
