//! Questions about a net, as the auditor understands them.
//!
//! A [`Question`] comes from the name of an examination ([`examination`]), from the name of a
//! soundness question ([`cases`]), or from a query file ([`crate::reader::queries`]), never from
//! the evidence. Together with an answer it determines an [obligation]: the statements that the
//! evidence has to prove.

pub mod cases;
mod examination;
pub mod obligation;
mod simpler;
mod tree;

use crate::description;
use parikh_net::run_property::RunProperty;
use parikh_net::{Fairness, LinearSum, Net, Predicate, TreeProperty};
use std::fmt;

/// A question about the behaviour of a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// If `all` is true, the answer is `then` if all goals are reachable. If `all` is false, it is
    /// `then` if at least one goal is reachable. Otherwise the answer is the opposite of `then`. EF
    /// φ is TRUE if φ is reachable; AG φ is FALSE if ¬φ is reachable.
    Reach {
        /// The goals, in sorted form.
        goals: Vec<Predicate>,
        /// True if all goals must be reachable, false if one suffices.
        all: bool,
        /// The answer if the goals are reachable, all or one of them as `all` requires. Otherwise
        /// the answer is the opposite truth value.
        then: bool,
    },
    /// The answer is TRUE if and only if each predicate is reachable from every reachable marking.
    StaysReachable(Vec<Predicate>),
    /// The answer is TRUE if and only if `done` is reachable from every reachable marking,
    /// `improper` is unreachable, and each of `others` is reachable.
    Sound {
        /// The marking covers a final marking.
        done: Predicate,
        /// The marking covers a final marking and has more tokens in total, and it is not another
        /// final marking.
        improper: Predicate,
        /// Further predicates that must be reachable.
        others: Vec<Predicate>,
    },
    /// The answer is TRUE if and only if no run has the property. A ψ is the question that no run
    /// has ¬ψ.
    NoRun(Box<RunProperty>),
    /// The answer is TRUE if and only if the net has the CTL property.
    Tree(Box<TreeProperty>),
    /// The answer is the value of the predicate in the initial marking.
    Initially(Predicate),
    /// The answer is the negation of the answer to the inner question.
    Not(Box<Question>),
    /// The answer is TRUE if and only if all (or some) of the questions have the answer TRUE.
    Connective {
        /// True for a conjunction, false for a disjunction.
        all: bool,
        /// The inner questions, each with an answer TRUE or FALSE.
        parts: Vec<Question>,
    },
    /// The answer is the answer to the main question. It is TRUE if a question of `implied_by` has
    /// the answer TRUE, and FALSE if a question of `implied` has the answer FALSE.
    WithImplications {
        /// The question itself.
        main: Box<Question>,
        /// Other questions whose answer TRUE implies that the main question's answer is TRUE.
        implied_by: Vec<Question>,
        /// Other questions that are TRUE if the main question is.
        implied: Vec<Question>,
    },
    /// The answer is the maximum of the sum over the reachable markings.
    Maximum(LinearSum),
    /// The answer is the largest of the maxima of the sums, or 0 if there are no sums. Each sum is
    /// at most the total number of tokens.
    MaximumOf(Vec<LinearSum>),
    /// The answer is the number of reachable markings, or the number of edges of the reachability
    /// graph: pairs of a reachable marking and a transition enabled in it.
    Count {
        /// True if edges are counted, false if markings are counted.
        firings: bool,
    },
}

/// An answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerValue {
    /// The property holds, or does not.
    Holds(bool),
    /// A number: a maximum, or a count.
    Number(i64),
    /// The maximum or the count is infinite.
    Infinite,
}

impl Question {
    /// Returns the sum of all tokens on the model's places.
    pub(crate) fn all_tokens(net: &Net) -> LinearSum {
        // Each place occurs once with the coefficient 1, so nothing overflows.
        LinearSum::new(net.model_places().map(|p| (p, 1))).unwrap_or_default()
    }

    /// Restricts a question about runs to fair runs. Every finite firing sequence continues to a
    /// fair run, so questions about reachability stay unchanged. See [`Fairness`]. A question with
    /// implications keeps only its main question. Without any fairness assumption, the question is
    /// returned unchanged.
    ///
    /// # Errors
    /// When there is a fairness assumption, and the question or an inner question is about a
    /// branching-time property.
    pub fn with_fairness(self, fairness: &Fairness) -> Result<Question, &'static str> {
        Ok(match self {
            any if fairness.is_none() => any,
            Question::NoRun(property) => {
                Question::NoRun(Box::new(property.with_fairness(fairness.clone())))
            }
            Question::Tree(_) => return Err("fairness applies to LTL formulas only"),
            Question::Not(part) => Question::Not(Box::new(part.with_fairness(fairness)?)),
            Question::Connective { all, parts } => {
                let parts = parts.into_iter().map(|part| part.with_fairness(fairness));
                Question::Connective { all, parts: parts.collect::<Result<_, _>>()? }
            }
            Question::WithImplications { main, .. } => main.with_fairness(fairness)?,
            of_markings => of_markings,
        })
    }

    /// Returns the question as a short formula or text for messages. Long lists are shortened, and
    /// implications are left out.
    pub fn in_words(&self, net: &Net) -> String {
        let formula = |goal: &Predicate| description::predicate(net, goal);
        let never = |goal: &Predicate| format!("AG {}", formula(&goal.clone().negated()));
        match self {
            Question::Reach { goals, then: true, all } => {
                join_texts(*all, goals, |goal| format!("EF {}", formula(goal)))
            }
            // The answer is TRUE if some goal is unreachable (`all`), or if every goal is
            // unreachable (not `all`).
            Question::Reach { goals, then: false, all } => join_texts(!all, goals, never),
            Question::Initially(predicate) => format!("initially {}", formula(predicate)),
            Question::Maximum(sum) => {
                format!("the maximum of {}", description::linear_sum(net, sum))
            }
            Question::NoRun(property) => description::of_runs(net, property),
            Question::Tree(property) => description::tree_property(net, property),
            Question::Not(part) => format!("¬{}", part.in_words(net)),
            Question::Connective { all, parts } => {
                let text = join_texts(*all, parts, |part| part.in_words(net));
                if parts.len() == 1 { format!("({text})") } else { text }
            }
            Question::WithImplications { main, .. } => main.in_words(net),
            Question::StaysReachable(wanted) => {
                join_texts(true, wanted, |wanted| format!("AG EF {}", formula(wanted)))
            }
            Question::Sound { done, improper, others } => {
                let others = match others.len() {
                    0 => String::new(),
                    1 => format!(" ∧ EF {}", formula(&others[0])),
                    more => format!(" ∧ each of {more} more markings is reachable"),
                };
                format!("AG EF {} ∧ {}{others}", formula(done), never(improper))
            }
            Question::MaximumOf(sums) => match &sums[..] {
                [] => "the largest of no maxima".to_owned(),
                [sum] => format!("the maximum of {}", description::linear_sum(net, sum)),
                [..] => format!("the largest of {} maxima", sums.len()),
            },
            Question::Count { firings: false } => "the number of reachable markings".to_owned(),
            Question::Count { firings: true } => {
                "the number of edges of the reachability graph".to_owned()
            }
        }
    }
}

/// Joins the texts of the parts by ∧ if `all` is true, and by ∨ otherwise. Only the first 20 parts
/// are shown, to keep the text short. Without parts, the text is `true` or `false`.
fn join_texts<T>(all: bool, parts: &[T], text_of: impl FnMut(&T) -> String) -> String {
    let text: Vec<String> = parts.iter().take(20).map(text_of).collect();
    match &text[..] {
        [] => if all { "true" } else { "false" }.to_owned(),
        [one] => one.clone(),
        several => format!("({})", several.join(if all { " ∧ " } else { " ∨ " })),
    }
}

impl AnswerValue {
    /// Parses an answer in the contest's format: `TRUE`, `FALSE`, `+inf`, or a number below 2⁶³
    /// without a sign and without leading zeros. Returns `None` for any other text.
    pub fn read(text: &str) -> Option<AnswerValue> {
        match text {
            "TRUE" => Some(AnswerValue::Holds(true)),
            "FALSE" => Some(AnswerValue::Holds(false)),
            "+inf" => Some(AnswerValue::Infinite),
            digits => {
                // Numbers have no sign and no leading zeros.
                let number: i64 = digits.parse().ok().filter(|&number| number >= 0)?;
                (number.to_string() == digits).then_some(AnswerValue::Number(number))
            }
        }
    }
}

impl fmt::Display for AnswerValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnswerValue::Holds(true) => f.write_str("TRUE"),
            AnswerValue::Holds(false) => f.write_str("FALSE"),
            AnswerValue::Number(number) => write!(f, "{number}"),
            AnswerValue::Infinite => f.write_str("+inf"),
        }
    }
}
