//! The reason why a question is open, as data, and its text.
//!
//! Serialized, a reason is an object with the `kind` of its [`OpenCause`] and what is known so far.

use crate::answer::not_asked_with_caps;
use parikh_engine::board::{GivenUp, json_number};
use parikh_solvers::ExhaustionReason;
use serde::Serialize;
use std::fmt;

/// An open question.
#[derive(Clone, Debug)]
pub struct OpenQuestion {
    /// The formula's id, or the examination's name.
    pub id: String,
    /// The reason, with the partial knowledge.
    pub reason: OpenReason,
}

/// The reason why a question is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpenReason {
    /// The cause.
    #[serde(flatten)]
    pub cause: OpenCause,
    /// The partial knowledge about the question.
    #[serde(flatten)]
    pub known: PartialKnowledge,
}

/// The cause why a question is open. Serialized, the field `kind` has the variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum OpenCause {
    /// The time limit was reached.
    OutOfTime,
    /// The memory limit was reached.
    OutOfMemory,
    /// The run was cancelled.
    Cancelled,
    /// The process ended before the question was answered.
    Interrupted,
    /// The engines finished within the limits without an answer.
    NothingMoreToTry,
    /// Two engines contradict each other, which is an internal error.
    EnginesDisagree,
    /// The net has caps, that is, assumed bounds of places, and the question is about more than
    /// reachability.
    CapsUnsupported,
    /// Only a search without a certificate would give the answer, and certificates are required.
    SearchNotAccepted,
    /// The question was not asked.
    NotAsked,
    /// The question cannot be read or is not supported.
    Refused {
        /// The message of the reader.
        message: String,
    },
    /// A computation failed.
    Failed {
        /// The message.
        message: String,
    },
}

/// The partial knowledge about an open question. Nothing is recorded if the question was not
/// analysed, or if engines contradict each other on it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PartialKnowledge {
    /// True if the run dropped a firing sequence that would put 2⁶³ tokens or more on a place. The
    /// sequence may concern another question.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub overflowed: bool,
    /// True if caps, that is, assumed bounds of places at inhibitor or reset arcs, are a further
    /// reason why the question is open.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub capped: bool,
    /// The open goals of a question with several goals. `None` for other questions, and for every
    /// question on a net with caps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goals: Option<OpenGoals>,
    /// The engines that gave up on the question's only goal, with their reasons. Empty for a
    /// question with several goals, and on a net with caps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub given_up: Vec<GivenUp>,
    /// The known range of the maximum, if the question has one goal and this goal asks for a
    /// maximum. `None` on a net with caps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum: Option<KnownRange>,
}

/// The number of open goals of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct OpenGoals {
    /// The number of open goals.
    pub open: usize,
    /// The total number of goals.
    pub of: usize,
}

/// The known range of a maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct KnownRange {
    /// The largest value seen, at least the value in the initial marking.
    #[serde(serialize_with = "json_number")]
    pub least: i128,
    /// The smallest upper bound proved, or `None` if no upper bound is proved.
    #[serde(serialize_with = "serialize_upper_bound")]
    pub most: Option<i128>,
}

fn serialize_upper_bound<S: serde::Serializer>(
    upper_bound: &Option<i128>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match upper_bound {
        Some(upper_bound) => json_number(upper_bound, serializer),
        None => serializer.serialize_none(),
    }
}

impl From<OpenCause> for OpenReason {
    fn from(cause: OpenCause) -> OpenReason {
        OpenReason { cause, known: PartialKnowledge::default() }
    }
}

impl From<Option<ExhaustionReason>> for OpenCause {
    /// Returns the cause for an exhausted limit of the run. `None` means that the engines finished
    /// within the limits.
    fn from(ended: Option<ExhaustionReason>) -> OpenCause {
        match ended {
            Some(ExhaustionReason::Time) => OpenCause::OutOfTime,
            Some(ExhaustionReason::Memory) => OpenCause::OutOfMemory,
            Some(ExhaustionReason::Cancelled) => OpenCause::Cancelled,
            None => OpenCause::NothingMoreToTry,
        }
    }
}

impl OpenReason {
    /// Returns the reason that a question cannot be read or is not supported.
    pub fn refused(message: impl fmt::Display) -> OpenReason {
        OpenCause::Refused { message: message.to_string() }.into()
    }
}

impl fmt::Display for OpenCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OpenCause::OutOfTime => "out of time",
            OpenCause::OutOfMemory => "out of memory",
            OpenCause::Cancelled => "cancelled",
            OpenCause::Interrupted => "stopped before it was answered",
            OpenCause::NothingMoreToTry => "the engines have nothing more to try",
            OpenCause::EnginesDisagree => "engines contradict each other (internal error)",
            OpenCause::CapsUnsupported => return f.write_str(&not_asked_with_caps()),
            OpenCause::SearchNotAccepted => {
                "only a search without a certificate supports it, and --require excludes such answers"
            }
            OpenCause::NotAsked => "not among the questions",
            OpenCause::Refused { message } | OpenCause::Failed { message } => message,
        })
    }
}

impl fmt::Display for OpenReason {
    /// Writes the reason as one sentence without a full stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PartialKnowledge { overflowed, capped, goals, given_up, maximum } = &self.known;
        if *overflowed {
            f.write_str(
                "a firing sequence would put 2^63 tokens or more on a place, which Parikh does not \
                 represent; ",
            )?;
        }
        write!(f, "{}", self.cause)?;
        if *capped {
            f.write_str(
                "; the bounds of some places at inhibitor or reset arcs are unknown, and neither a \
                 witness within the assumed caps nor a proof beyond them was found",
            )?;
        }
        if let Some(OpenGoals { open, of }) = goals {
            let are = if *open == 1 { "is" } else { "are" };
            write!(f, "; {open} of {of} goals {are} open")?;
        }
        for GivenUp { engine, why } in given_up {
            write!(f, "; {engine}: {why}")?;
        }
        match maximum {
            None => Ok(()),
            Some(KnownRange { least, most: Some(most) }) => {
                write!(f, "; the maximum lies between {least} and {most}")
            }
            Some(KnownRange { least, most: None }) => {
                write!(f, "; the maximum lies between {least} and ∞")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_of_open_questions_have_a_sentence_each() {
        let message = "1:2: expected a formula".to_owned();
        let said = [
            (OpenCause::OutOfTime, "out of time"),
            (OpenCause::OutOfMemory, "out of memory"),
            (OpenCause::Cancelled, "cancelled"),
            (OpenCause::Interrupted, "stopped before it was answered"),
            (OpenCause::NothingMoreToTry, "the engines have nothing more to try"),
            (OpenCause::EnginesDisagree, "engines contradict each other (internal error)"),
            (
                OpenCause::SearchNotAccepted,
                "only a search without a certificate supports it, and --require excludes such answers",
            ),
            (OpenCause::NotAsked, "not among the questions"),
            (OpenCause::Refused { message: message.clone() }, &message),
            (OpenCause::Failed { message: message.clone() }, &message),
        ];
        for (cause, expected) in said {
            assert_eq!(OpenReason::from(cause).to_string(), expected);
        }
        assert_eq!(OpenCause::CapsUnsupported.to_string(), not_asked_with_caps());
    }

    #[test]
    fn what_is_known_follows_the_cause() {
        let open = |known| OpenReason { cause: OpenCause::OutOfTime, known };
        let nothing = PartialKnowledge::default;
        let goals = PartialKnowledge { goals: Some(OpenGoals { open: 1, of: 3 }), ..nothing() };
        assert_eq!(open(goals).to_string(), "out of time; 1 of 3 goals is open");
        let overflowed = PartialKnowledge { overflowed: true, ..nothing() };
        let said = open(overflowed).to_string();
        assert!(said.starts_with("a firing sequence would put 2^63 tokens"), "{said}");
        let capped = PartialKnowledge { capped: true, ..nothing() };
        assert!(open(capped).to_string().starts_with("out of time; the bounds of some places"));
        let gave_up = GivenUp { engine: "pdr".to_owned(), why: "too large".to_owned() };
        let maximum = |most| {
            let maximum = Some(KnownRange { least: 2, most });
            open(PartialKnowledge { given_up: vec![gave_up.clone()], maximum, ..nothing() })
        };
        let said = "out of time; pdr: too large; the maximum lies between 2 and";
        assert_eq!(maximum(Some(5)).to_string(), format!("{said} 5"));
        assert_eq!(maximum(None).to_string(), format!("{said} ∞"));
        let json = serde_json::to_value(maximum(Some(1 << 60))).unwrap();
        let expected = serde_json::json!({
            "kind": "out-of-time",
            "given_up": [{"engine": "pdr", "why": "too large"}],
            "maximum": {"least": 2, "most": "1152921504606846976"},
        });
        assert_eq!(json, expected);
    }
}
