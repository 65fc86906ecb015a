//! From examinations to goals and from goals to answers.
//!
//! A [`Plan`] is the list of goals of a run, with a [`Question`] per answer: a formula over goals,
//! or the largest of several maxima ([`Query`](crate::formula::Query)). What a goal is to its
//! question says its [`Role`]. The pipeline runs engines on the goals and asks the plan, after each
//! settlement, which questions are decided now. A question is decided as soon as its formula is;
//! then, and when a part of it is, the goals that no open question needs any more are let go.
//!
//! An answer rests on the goals that decided it ([`Answer::rests_on`]): one false part of a
//! conjunction, or all parts of a true one. Who found it, how firmly it stands and what it assumes
//! follow from these.

mod aim;
mod basis;
mod circuit;
mod examinations;
mod nodes;
mod plan;
mod question;
mod reasons;
mod sound;
mod wanted;
mod within_caps;

pub use aim::{Aim, Question, Role, Whole};
pub use nodes::Nodes;
pub use plan::{Decision, Plan};
pub use within_caps::not_asked_with_caps;

use crate::board::{Evidence, Technique};
use crate::mcc::techniques::Circumstances;
use num_bigint::BigUint;
use parikh_net::lasso::LassoRun;
use parikh_net::{FiringSequence, GoalId, LoopRun, PumpSequence};
use std::fmt;
use std::sync::Arc;

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
    /// How firmly it stands.
    pub grade: Grade,
    /// The goals that it rests on: those that decided it, each once.
    pub rests_on: Arc<[GoalId]>,
    /// What shows it by itself, where one thing does.
    pub exhibit: Option<Exhibit>,
    /// The nodes that its reason speaks of.
    pub nodes: Nodes,
    /// A witness or a proof that it rests on comes from a reduced net.
    pub reduced: bool,
    /// A proof that it rests on is about an abstraction of the coloured net.
    pub abstracted: bool,
}

impl Answer {
    /// Returns the techniques that apply to it besides its engines, as the contest names them.
    pub fn circumstances(&self) -> Circumstances {
        Circumstances {
            reduced: self.reduced,
            abstracted: self.abstracted,
            stubborn: matches!(self.grade, Grade::Searched { stubborn: true, .. }),
            units: self.assumes_units,
            ..Circumstances::default()
        }
    }
}

/// What shows an answer by itself.
#[derive(Clone, Debug)]
pub enum Exhibit {
    /// A firing sequence.
    Firings(FiringSequence),
    /// A run with loops: its firings are too many to be a sequence.
    Loops(LoopRun),
    /// What can repeat for ever, behind a [`Value::Infinite`].
    Pump(PumpSequence),
    /// A run that goes on for ever.
    Lasso(LassoRun),
}

impl Exhibit {
    /// The firing sequence, where it is one.
    pub fn sequence(&self) -> Option<&FiringSequence> {
        match self {
            Exhibit::Firings(sequence) => Some(sequence),
            Exhibit::Loops(_) | Exhibit::Pump(_) | Exhibit::Lasso(_) => None,
        }
    }

    /// What repeats for ever, where something does.
    pub fn pump(&self) -> Option<&PumpSequence> {
        match self {
            Exhibit::Pump(pumping) => Some(pumping),
            Exhibit::Firings(_) | Exhibit::Loops(_) | Exhibit::Lasso(_) => None,
        }
    }

    /// How many firings it has; for a pump, those before what repeats, where that is one stage, and
    /// for a run that goes on for ever, too.
    pub fn firings(&self) -> Option<BigUint> {
        match self {
            Exhibit::Firings(sequence) => Some(sequence.firings().into()),
            Exhibit::Loops(run) => Some(run.firings()),
            Exhibit::Pump(pumping) => Some(pumping.only()?.prefix.firings().into()),
            Exhibit::Lasso(run) => Some(run.prefix.firings().into()),
        }
    }
}

/// How firmly an answer stands; of the goals that it rests on, the weakest counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Firing sequences were replayed on the net that was read.
    #[default]
    Replayed,
    /// The checker accepted a document for each refuted goal. Of a coloured net also: a run was
    /// replayed on a net that the checker finds bisimilar.
    Certified,
    /// For some refuted goal there is the word of a search that visited all markings that matter,
    /// which were not visited again.
    Searched {
        /// How many it visited.
        markings: u64,
        /// Whether stubborn sets left out some.
        stubborn: bool,
    },
}

impl Grade {
    /// The grade of a refuted goal.
    pub fn of(evidence: &Evidence) -> Grade {
        match *evidence {
            Evidence::Searched { markings, stubborn, .. } => Grade::Searched { markings, stubborn },
            _ => Grade::Certified,
        }
    }
}

impl fmt::Display for Grade {
    /// One word: `replayed`, `certified`, `searched`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Grade::Replayed => "replayed",
            Grade::Certified => "certified",
            Grade::Searched { .. } => "searched",
        })
    }
}

/// The value of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A property holds or not.
    Bool(bool),
    /// A maximum.
    Number(i128),
    /// How many there are of something: numbers of markings have hundreds of digits.
    Count(BigUint),
    /// There is no maximum.
    Infinite,
}

impl fmt::Display for Value {
    /// As the contest prints it: `TRUE`, `FALSE`, a number in full, `+inf`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(true) => f.write_str("TRUE"),
            Value::Bool(false) => f.write_str("FALSE"),
            Value::Number(number) => write!(f, "{number}"),
            Value::Count(number) => write!(f, "{number}"),
            Value::Infinite => f.write_str("+inf"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_of_a_thousand_digits_is_printed_in_full() {
        let printed = Value::Count(BigUint::from(10u8).pow(1000) + 7u8).to_string();
        assert_eq!(printed, format!("1{}7", "0".repeat(999)));
    }
}
