//! From examinations to goals and from goals to answers.
//!
//! A [`Plan`] is the list of goals of a run, with a [`GoalQuestion`] per answer: a formula over
//! goals, or the largest of several maxima ([`Query`](parikh_formula::Query)). The [`GoalRole`] of
//! a goal says why its question contains it. The pipeline runs engines on the goals. After each
//! settled goal it asks the plan which questions are decided. A question is decided as soon as its
//! formula has a value. Goals that no open question needs any more are abandoned.
//!
//! An answer rests on the goals that decided it ([`GoalAnswer::rests_on`]): one false part of a
//! conjunction, or all parts of a true conjunction. Its techniques, grade and assumptions follow
//! from these goals.

mod basis;
mod circuit;
mod examinations;
mod goal_demand;
mod goal_question;
mod node_questions;
mod nodes;
mod plan;
mod question;
pub mod reason;
mod reasons;
mod sound;
mod within_caps;

pub use goal_question::{GoalQuestion, GoalRole, JointMeaning, RoledGoal};
pub use nodes::ReasonNodes;
pub use plan::{NodeQuestions, Plan, QuestionDecision};
pub use reason::{Cause, ProcessCause, Reason};
pub use within_caps::not_asked_with_caps;

use crate::mcc::techniques::Circumstances;
use num_bigint::BigUint;
use parikh_engine::board::{Evidence, Technique};
use parikh_net::lasso::LassoRun;
use parikh_net::{FiringSequence, GoalId, LoopRun, PumpSequence};
use std::fmt;
use std::sync::Arc;

/// The answer to a decided question.
#[derive(Clone, Debug)]
pub struct GoalAnswer {
    /// The formula's id verbatim, or the examination's name.
    pub id: String,
    /// The value of the answer.
    pub value: QuestionValue,
    /// The techniques by which engines settled the goals of `rests_on`, without duplicates. An
    /// answer without goals has the technique that found it.
    pub techniques: Vec<Technique>,
    /// The reason for the value.
    pub reason: Reason,
    /// True if the answer assumes the model's claim that its units are safe (NUPN).
    pub assumes_units: bool,
    /// The strength of the evidence.
    pub grade: Grade,
    /// The goals that decided the answer, and the goals that their proofs presuppose, without
    /// duplicates.
    pub rests_on: Arc<[GoalId]>,
    /// A run that supports the answer; `None` if there is no single such run, or if it was not
    /// kept.
    pub exhibit: Option<AnswerWitness>,
    /// The places and transitions that the reason names.
    pub nodes: ReasonNodes,
    /// True if a witness or a proof comes from a reduced net.
    pub reduced: bool,
    /// True if a proof is about an abstraction of the coloured net.
    pub abstracted: bool,
}

impl GoalAnswer {
    /// Returns the circumstances that the contest counts as techniques, as far as the answer knows
    /// them: reduction, abstraction, stubborn sets and safe units. The other fields are false.
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

/// A run that supports an answer. It proves most answers alone. A maximum also needs the proof of a
/// bound, and a lost home property may need the proof that the condition stays unreachable.
#[derive(Clone, Debug)]
pub enum AnswerWitness {
    /// A firing sequence.
    Firings(FiringSequence),
    /// An accelerated sequence with loops. In most cases it has too many firings to be listed.
    Loops(LoopRun),
    /// A self-covering sequence, for [`QuestionValue::Infinite`].
    Pump(PumpSequence),
    /// A prefix of firings, followed by a cycle that repeats forever, by a dead marking, or by any
    /// continuation.
    Lasso(LassoRun),
}

impl AnswerWitness {
    /// Returns the firing sequence, if the witness is a plain firing sequence.
    pub fn sequence(&self) -> Option<&FiringSequence> {
        match self {
            AnswerWitness::Firings(sequence) => Some(sequence),
            AnswerWitness::Loops(_) | AnswerWitness::Pump(_) | AnswerWitness::Lasso(_) => None,
        }
    }

    /// Returns the self-covering sequence, if the witness is one.
    pub fn pump(&self) -> Option<&PumpSequence> {
        match self {
            AnswerWitness::Pump(pumping) => Some(pumping),
            AnswerWitness::Firings(_) | AnswerWitness::Loops(_) | AnswerWitness::Lasso(_) => None,
        }
    }

    /// Returns the number of firings. For a lasso or a self-covering sequence with one stage, only
    /// the prefix counts. Returns `None` for a self-covering sequence with several stages.
    pub fn firings(&self) -> Option<BigUint> {
        match self {
            AnswerWitness::Firings(sequence) => Some(sequence.firings().into()),
            AnswerWitness::Loops(run) => Some(run.firings()),
            AnswerWitness::Pump(pumping) => Some(pumping.only()?.prefix.firings().into()),
            AnswerWitness::Lasso(run) => Some(run.prefix.firings().into()),
        }
    }
}

/// The strength of the evidence of an answer: the weakest grade among its goals. Grades are ordered
/// from strongest to weakest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// No goal needs more than a witness, and all witnesses were replayed on the net that was read.
    #[default]
    Replayed,
    /// The checker accepted a certificate or an argument for each goal that needs a proof. For a
    /// coloured net, this also means a run that was replayed on a net which the checker proved
    /// bisimilar.
    Certified,
    /// Some goal or figure rests on an engine's own search of all relevant markings, or on a
    /// decision diagram of all markings.
    Searched {
        /// Number of markings that were visited, or that the diagram describes.
        markings: u64,
        /// True if stubborn sets pruned some firings.
        stubborn: bool,
    },
}

impl Grade {
    /// Returns the grade of a goal that this evidence settles.
    pub fn of(evidence: &Evidence) -> Grade {
        match *evidence {
            Evidence::Searched { markings, stubborn, .. } => Grade::Searched { markings, stubborn },
            _ => Grade::Certified,
        }
    }
}

impl fmt::Display for Grade {
    /// Prints one word: `replayed`, `certified`, `searched`.
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
pub enum QuestionValue {
    /// The property holds or fails.
    Bool(bool),
    /// A maximum.
    Number(i128),
    /// A number of markings or firings, which may have hundreds of digits.
    Count(BigUint),
    /// No maximum exists: the value is unbounded.
    Infinite,
}

impl fmt::Display for QuestionValue {
    /// Prints the contest's format: `TRUE`, `FALSE`, a number in full, `+inf`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QuestionValue::Bool(true) => f.write_str("TRUE"),
            QuestionValue::Bool(false) => f.write_str("FALSE"),
            QuestionValue::Number(number) => write!(f, "{number}"),
            QuestionValue::Count(number) => write!(f, "{number}"),
            QuestionValue::Infinite => f.write_str("+inf"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_of_a_thousand_digits_is_printed_in_full() {
        let printed = QuestionValue::Count(BigUint::from(10u8).pow(1000) + 7u8).to_string();
        assert_eq!(printed, format!("1{}7", "0".repeat(999)));
    }
}
