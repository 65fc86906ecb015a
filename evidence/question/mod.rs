//! Questions, as the auditor understands them: what is asked of the reachable markings of a net.
//!
//! A [`Question`] comes from the name of an examination ([`examination`]), from the name of a
//! question about processes ([`cases`]), or from a query file ([`crate::reader::queries`]); never
//! from the evidence. Together with an answer it becomes an [obligation]: what has to
//! be shown.

pub mod cases;
mod examination;
pub mod obligation;
mod simpler;
mod tree;

use crate::words;
use parikh_net::run_property::RunProperty;
use parikh_net::{Fairness, LinearSum, Net, Predicate, TreeProperty};
use std::fmt;

/// What is asked of the reachable markings of a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// The answer is `then` if and only if all (or some) of the goals can be reached: EF φ is TRUE
    /// if φ can, AG φ is FALSE if ¬φ can.
    Reach {
        /// The markings in question, in sorted form.
        goals: Vec<Predicate>,
        /// Whether all of them are needed, or one will do.
        all: bool,
        /// What the answer is when they can be reached.
        then: bool,
    },
    /// The answer is TRUE if and only if each of these can be reached from every reachable marking.
    Stays(Vec<Predicate>),
    /// The answer is TRUE if and only if what is done stays reachable wherever the net goes,
    /// nothing improper is reachable, and each of the others is.
    Sound {
        /// The final marking is covered.
        done: Predicate,
        /// It is covered, and there are more tokens.
        improper: Predicate,
        /// What else is to be reached.
        others: Vec<Predicate>,
    },
    /// The answer is TRUE if and only if no run has this property: A ψ asks whether none has ¬ψ.
    NoRun(Box<RunProperty>),
    /// The answer is TRUE if and only if the tree of runs has this property of CTL.
    Tree(Box<TreeProperty>),
    /// The answer is whether this holds in the initial marking.
    Initially(Predicate),
    /// The answer is TRUE if and only if that of this question is FALSE.
    Not(Box<Question>),
    /// The answer is TRUE if and only if all (or some) of these questions have the answer TRUE.
    Junction {
        /// Whether all of them are to be TRUE, or one will do.
        all: bool,
        /// Questions to be answered TRUE or FALSE.
        parts: Vec<Question>,
    },
    /// The answer is that of the main question. It is TRUE if one of `shown_by` is TRUE, and FALSE
    /// if one of `shows` is FALSE.
    Between {
        /// What is asked.
        main: Box<Question>,
        /// Each implies it.
        shown_by: Vec<Question>,
        /// It implies each.
        shows: Vec<Question>,
    },
    /// The answer is the largest value of this sum in a reachable marking.
    Largest(LinearSum),
    /// The answer is the largest of these sums, of which none is more than all together.
    LargestOf(Vec<LinearSum>),
    /// The answer is how many markings can be reached; or how many pairs of such a marking and a
    /// transition that is enabled in it.
    HowMany {
        /// Which of the two.
        firings: bool,
    },
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// The property holds, or does not.
    Holds(bool),
    /// A largest value.
    Number(i64),
    /// There is no largest value.
    Infinite,
}

impl Question {
    /// All tokens of a marking, on the model's places.
    pub(crate) fn all_tokens(net: &Net) -> LinearSum {
        // Each place once, with the coefficient 1: nothing overflows.
        LinearSum::new(net.model_places().map(|p| (p, 1))).unwrap_or_default()
    }

    /// The same question, about fair runs only where it is about runs. What can be reached, and
    /// what the first firings decide, is not changed by fairness: see [`Fairness`].
    ///
    /// # Errors
    /// Where it is about the tree of runs.
    pub fn under(self, fairness: &Fairness) -> Result<Question, &'static str> {
        Ok(match self {
            any if fairness.is_none() => any,
            Question::NoRun(property) => {
                Question::NoRun(Box::new(property.under(fairness.clone())))
            }
            Question::Tree(_) => return Err("formulas of CTL are not asked of fair runs"),
            Question::Not(part) => Question::Not(Box::new(part.under(fairness)?)),
            Question::Junction { all, parts } => {
                let parts = parts.into_iter().map(|part| part.under(fairness));
                Question::Junction { all, parts: parts.collect::<Result<_, _>>()? }
            }
            Question::Between { main, .. } => main.under(fairness)?,
            of_markings => of_markings,
        })
    }

    /// The question for people.
    pub fn in_words(&self, net: &Net) -> String {
        let formula = |goal: &Predicate| words::formula(net, goal);
        let never = |goal: &Predicate| format!("AG {}", formula(&goal.clone().negated()));
        match self {
            Question::Reach { goals, then: true, all } => {
                joined(*all, goals, |goal| format!("EF {}", formula(goal)))
            }
            // That all can be reached is FALSE where some cannot.
            Question::Reach { goals, then: false, all } => joined(!all, goals, never),
            Question::Initially(predicate) => format!("initially {}", formula(predicate)),
            Question::Largest(sum) => format!("the most of {}", words::linear(net, sum)),
            Question::NoRun(property) => words::of_runs(net, property),
            Question::Tree(property) => words::tree_property(net, property),
            Question::Not(part) => format!("¬{}", part.in_words(net)),
            Question::Junction { all, parts } => {
                let said = joined(*all, parts, |part| part.in_words(net));
                if parts.len() == 1 { format!("({said})") } else { said }
            }
            Question::Between { main, .. } => main.in_words(net),
            Question::Stays(wanted) => {
                joined(true, wanted, |wanted| format!("AG EF {}", formula(wanted)))
            }
            Question::Sound { done, improper, others } => {
                let others = match others.len() {
                    0 => String::new(),
                    1 => format!(" ∧ EF {}", formula(&others[0])),
                    more => format!(" ∧ each of {more} markings more can be reached"),
                };
                format!("AG EF {} ∧ {}{others}", formula(done), never(improper))
            }
            Question::LargestOf(sums) => format!("the largest of {} maxima", sums.len()),
            Question::HowMany { firings: false } => "how many markings can be reached".to_owned(),
            Question::HowMany { firings: true } => {
                "how many firings there are between markings that can be reached".to_owned()
            }
        }
    }
}

/// All of these, or some: the first of them, for no more is said than is shown in a line.
fn joined<T>(all: bool, parts: &[T], said: impl FnMut(&T) -> String) -> String {
    let text: Vec<String> = parts.iter().take(20).map(said).collect();
    match &text[..] {
        [] => if all { "true" } else { "false" }.to_owned(),
        [one] => one.clone(),
        several => format!("({})", several.join(if all { " ∧ " } else { " ∨ " })),
    }
}

impl Value {
    /// The value as the contest writes it: `TRUE`, `FALSE`, a number below 2⁶³, `+inf`.
    pub fn read(text: &str) -> Option<Value> {
        match text {
            "TRUE" => Some(Value::Holds(true)),
            "FALSE" => Some(Value::Holds(false)),
            "+inf" => Some(Value::Infinite),
            digits => {
                // As numbers are written: no sign, no zeros in front.
                let number: i64 = digits.parse().ok().filter(|&number| number >= 0)?;
                (number.to_string() == digits).then_some(Value::Number(number))
            }
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Holds(true) => f.write_str("TRUE"),
            Value::Holds(false) => f.write_str("FALSE"),
            Value::Number(number) => write!(f, "{number}"),
            Value::Infinite => f.write_str("+inf"),
        }
    }
}
