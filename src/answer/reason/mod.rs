//! The reason of an answer as data, and its text.
//!
//! Serialized, a reason is an object with the `kind` of its [`Cause`] and the data of the cause.
//! Its text is a [`ReasonText`]; [`Display`](std::fmt::Display) prints it as one sentence.

mod exclusion;
mod process;
mod size;
mod text;

pub use exclusion::{ExcludingSum, PlaceTokens, SumTerm, TokenExclusion};
pub use process::{ExampleEnd, ProcessCause, ReachedEnd};
pub use size::{NetSize, RunSize, StageSize, WitnessSize};
pub use text::{NamedNode, ReasonText, TextPiece};

use num_bigint::BigUint;
use parikh_engine::board::{Argument, ProofSummary, json_number};
use parikh_evidence::description::OF_QUOTIENT;
use parikh_net::printable::counted;
use serde::Serialize;
use std::fmt;

/// The reason of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The cause.
    #[serde(flatten)]
    pub cause: Cause,
    /// Remarks about the meaning of the question on a coloured net.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<ReasonNote>,
}

/// A remark about the meaning of a question on a coloured net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReasonNote {
    /// The tokens of a coloured place are counted together, whatever their colours.
    ColouredPlaces,
    /// A coloured transition is enabled when one of its bindings is.
    ColouredTransitions,
    /// In each place, the tokens of each colour are counted separately.
    TokensPerColour,
    /// The answer is about a quotient of the coloured net, in which equivalent colours are merged.
    MergedColours,
}

/// The cause of an answer. Serialized, the field `kind` has the variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Cause {
    /// The net has no node of the kind that the question is about.
    NoSuchNode,
    /// The formula has its value by the initial marking alone.
    InitialMarking {
        /// The value.
        holds: bool,
    },
    /// A marking is reachable.
    Witness {
        /// The node, or dead markings, that the goal is about. `None` if the goal is not about a
        /// single node, or if the surrounding text names the goal.
        subject: Option<Subject>,
        /// The length of the witness; `None` if the witness was not kept.
        size: Option<WitnessSize>,
        /// True if the witness is proved to be shortest, false if this is unknown. `None` if
        /// shortest witnesses are not determined, or if the witness was not kept or has no firings.
        shortest: Option<bool>,
    },
    /// No marking that the goal asks for is reachable.
    Unreachable {
        /// The node, or dead markings, that the goal is about. `None` if the goal is not about a
        /// single node, or if the surrounding text names the goal.
        subject: Option<Subject>,
        /// True if the question asks whether the condition stays reachable.
        stays: bool,
        /// Numbers of tokens that places never hold at the same time, and which the goal needs.
        /// Empty if no such explanation is known.
        exclusions: Vec<TokenExclusion>,
        /// The proof.
        proof: ProofSummary,
    },
    /// A place always holds the same number of tokens.
    Constant {
        /// The place.
        place: NamedNode,
        /// The number of tokens.
        #[serde(serialize_with = "json_number")]
        tokens: u128,
        /// Combinations of token numbers that no reachable marking has. A marking with another
        /// number of tokens on the place would need one of these combinations. Empty if no such
        /// explanation is known.
        exclusions: Vec<TokenExclusion>,
        /// The proof.
        proof: ProofSummary,
    },
    /// A transition without input places is always enabled.
    AlwaysEnabled {
        /// The transition.
        transition: NamedNode,
    },
    /// Conditions stay reachable from every reachable marking.
    StaysReachable {
        /// The proofs, without duplicates.
        proofs: Vec<ProofSummary>,
    },
    /// A condition becomes unreachable.
    Lost {
        /// The node, or dead markings, that the goal is about. `None` if the goal is not about a
        /// single node, or if the surrounding text names the goal.
        subject: Option<Subject>,
        /// The length of the firing sequence after which the condition is unreachable. `None` if
        /// the proof is not about a particular marking, or if no such sequence of the analysed net
        /// was kept.
        size: Option<WitnessSize>,
        /// The proof.
        proof: ProofSummary,
    },
    /// A run exists.
    Run {
        /// A description of the fair runs; `None` if all runs are considered, or if the text names
        /// the fair runs already.
        fairness: Option<String>,
        /// The run; `None` if it was not kept.
        run: Option<RunSize>,
    },
    /// No run exists.
    NoRun {
        /// A description of the fair runs; `None` if all runs are considered, or if the text names
        /// the fair runs already.
        fairness: Option<String>,
        /// The proof.
        proof: ProofSummary,
    },
    /// A property of the computation tree is decided.
    Tree {
        /// The proof.
        proof: ProofSummary,
    },
    /// All goals of a question together decide it.
    AllGoals {
        /// The common result of the goals.
        result: CommonResult,
        /// The number of goals.
        goals: usize,
        /// The number of goals whose proofs assume that the units of the model are safe.
        assuming_units: usize,
    },
    /// Several parts of a formula decide it.
    Parts {
        /// The decisive parts that come first in the formula, at most three.
        parts: Vec<PartReason>,
        /// The number of decisive parts that the reason leaves out.
        more: usize,
    },
    /// A maximum: the value was seen, and a proof excludes larger values.
    Maximum {
        /// The length of the witness; `None` if the witness was not kept.
        size: Option<WitnessSize>,
        /// The proof.
        proof: ProofSummary,
    },
    /// The largest of several maxima.
    Largest {
        /// The place, possibly of a coloured net, whose maximum is the largest. `None` if the
        /// maximum is that of a sum over several places of the model, or if the surrounding text
        /// names the place.
        subject: Option<Subject>,
        /// The number of maxima.
        maxima: usize,
    },
    /// No maximum exists.
    Unbounded {
        /// The stages of the self-covering sequence.
        stages: Vec<StageSize>,
    },
    /// All reachable markings were visited and counted.
    Visited {
        /// The number of markings.
        #[serde(serialize_with = "json_number")]
        markings: u64,
    },
    /// A decision diagram describes all reachable markings.
    Diagram {
        /// The number of markings.
        #[serde(serialize_with = "json_number")]
        markings: BigUint,
        /// True if the checker confirmed that no marking is missing.
        closed: bool,
    },
    /// The markings of the net or of a reduced net were counted.
    Counted {
        /// The number of counted markings. 2⁶⁴ − 1 means that there are at least as many.
        #[serde(serialize_with = "json_number")]
        markings: u64,
        /// True if markings were counted on decision diagrams, false if all were visited.
        on_diagrams: bool,
        /// True if the checker repeated the count.
        repeated: bool,
        /// True unless the checker failed to confirm that the diagrams miss no marking.
        closed: bool,
        /// The sizes of the net before and after the reduction; `None` without a reduction.
        reduced: Option<[NetSize; 2]>,
    },
    /// The reachable markings are the solutions of place invariants, and these were counted.
    PlaceInvariants {
        /// The number of place invariants.
        invariants: usize,
        /// The values that determine a polynomial; `None` if the solutions were counted directly.
        interpolated: Option<InterpolatedValues>,
    },
    /// A cause for a question about a process.
    #[serde(untagged)]
    Process(ProcessCause),
}

/// The values of n, a number of tokens, for which the solutions of the place invariants were
/// counted: `first`, `first + period`, and so on. For these values and all later values of the
/// sequence, the number of solutions is a polynomial in n.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct InterpolatedValues {
    /// The smallest value of n.
    pub first: u64,
    /// The distance between consecutive values of n.
    pub period: u64,
    /// The number of counted values of n.
    pub values: usize,
    /// The largest possible degree of the polynomial.
    pub degree: usize,
}

/// The subject of a goal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// A place.
    Place(NamedNode),
    /// A transition.
    Transition(NamedNode),
    /// Dead markings.
    DeadMarking,
}

/// The common result of all goals of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommonResult {
    /// Every goal is reachable.
    AllReachable,
    /// No goal is reachable.
    NoneReachable,
    /// Every place can change its number of tokens.
    AllPlacesChange,
    /// Each transition fires on a run to the only final marking.
    AllOnRuns,
    /// Each transition fires on a run to one of several final markings.
    AllOnRunsToSome,
}

/// A part of a formula with its value and cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PartReason {
    /// The part or its negation, whichever is true.
    pub claim: String,
    /// The cause.
    pub because: Cause,
}

impl From<Cause> for Reason {
    fn from(cause: Cause) -> Reason {
        Reason { cause, notes: Vec::new() }
    }
}

impl Reason {
    /// Returns the reason as a sentence in pieces, without a full stop.
    pub fn text(&self) -> ReasonText {
        let mut text = self.cause.text();
        for note in &self.notes {
            text.push_words(match note {
                ReasonNote::ColouredPlaces => "; a coloured place counts all of its colours".into(),
                ReasonNote::ColouredTransitions => {
                    "; a coloured transition is enabled when one of its bindings is".into()
                }
                ReasonNote::TokensPerColour => {
                    "; in each place, the tokens of each colour are counted separately".into()
                }
                ReasonNote::MergedColours => format!(", {OF_QUOTIENT}"),
            });
        }
        text
    }

    /// Returns the reason without its subject, for a sentence that names the subject already.
    #[must_use]
    pub fn without_subject(mut self) -> Reason {
        if let Cause::Witness { subject, .. }
        | Cause::Unreachable { subject, .. }
        | Cause::Lost { subject, .. }
        | Cause::Largest { subject, .. } = &mut self.cause
        {
            *subject = None;
        }
        self
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl Cause {
    /// Returns true if the sentence always mentions the assumption of safe units when the answer
    /// uses it. Returns false for sentences that may omit a proof, and with it the assumption.
    pub fn mentions_safe_units(&self) -> bool {
        !matches!(self, Cause::Parts { more: 1.., .. } | Cause::Largest { .. } | Cause::Process(_))
    }

    /// Returns the cause as a sentence in pieces, without a full stop.
    pub fn text(&self) -> ReasonText {
        let mut text = ReasonText::default();
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut ReasonText) {
        match self {
            Cause::NoSuchNode => {
                text.push_words("the net has no node to which the question applies");
            }
            Cause::InitialMarking { holds: true } => {
                text.push_words(INITIALLY);
            }
            Cause::InitialMarking { holds: false } => {
                text.push_words("the initial marking decides it");
            }
            Cause::Witness { subject, size, shortest } => {
                about(subject, text);
                match size {
                    None => text.push_words("a witness was replayed"),
                    Some(size) if size.is_initial() => text.push_words(INITIALLY),
                    Some(size) => text.push_words(format!("a witness of {size} was replayed")),
                };
                text.push_words(shortest_in_words(*shortest));
            }
            Cause::Unreachable { subject, stays, exclusions, proof } => {
                about(subject, text);
                text.push_words(if *stays { "unreachable: " } else { "" });
                exclusion::write(exclusions, proof, text);
            }
            Cause::Constant { place, tokens, exclusions, proof } => {
                let tokens = counted(tokens, "token");
                text.push_words("place ").node(place);
                text.push_words(format!(
                    " always holds {tokens}; any other number is unreachable: "
                ));
                exclusion::write(exclusions, proof, text);
            }
            Cause::AlwaysEnabled { transition } => {
                text.push_words("transition ").node(transition);
                text.push_words(" has no input places and is always enabled");
            }
            Cause::StaysReachable { proofs } => {
                text.list(proofs, "; ", |text, proof| {
                    text.push_words(proof.to_string());
                });
            }
            Cause::Lost { subject, size, proof } => {
                about(subject, text);
                text.push_words(match size {
                    None => format!("not always reachable: {proof}"),
                    Some(size) if size.is_initial() => {
                        format!("unreachable from the initial marking on: {proof}")
                    }
                    Some(size) => format!("unreachable after {size}: {proof}"),
                });
            }
            Cause::Run { fairness, run } => {
                of_runs(fairness, text).push_words(match run {
                    Some(run) => format!("a run: {run}"),
                    None => "a run was replayed".to_owned(),
                });
            }
            Cause::NoRun { fairness, proof } => {
                of_runs(fairness, text).push_words(proof.to_string());
            }
            Cause::Tree { proof } => {
                text.push_words(proof.to_string());
            }
            Cause::AllGoals { result, goals, assuming_units } => {
                text.push_words(match result {
                    CommonResult::AllReachable => format!("all {goals} goals are reachable"),
                    CommonResult::NoneReachable => {
                        format!("none of the {goals} goals is reachable")
                    }
                    CommonResult::AllPlacesChange => {
                        format!("every place can change ({})", counted(goals, "goal"))
                    }
                    CommonResult::AllOnRuns => {
                        let goals = counted(goals, "goal");
                        format!("each transition fires on a run to the final marking ({goals})")
                    }
                    CommonResult::AllOnRunsToSome => format!(
                        "each transition fires on a run to one of the final markings ({})",
                        counted(goals, "goal")
                    ),
                });
                if *assuming_units > 0 {
                    let some = assuming_units;
                    text.push_words(format!(
                        ", {some} of them given the model's safe units (NUPN)"
                    ));
                }
            }
            Cause::Parts { parts, more } => {
                text.list(parts, "; ", |text, part| {
                    text.formula(&part.claim).push_words(": ");
                    part.because.write(text);
                });
                if *more > 0 {
                    text.push_words(format!("; and {more} more"));
                }
            }
            Cause::Maximum { size, proof } => {
                text.push_words(match size {
                    None => "seen".to_owned(),
                    Some(size) if size.is_initial() => "seen in the initial marking".to_owned(),
                    Some(size) => format!("seen after {size}"),
                });
                text.push_words(format!("; no more because {proof}"));
            }
            Cause::Largest { subject, maxima } => {
                about(subject, text);
                text.push_words(format!("seen, and none of the {maxima} maxima exceeds it"));
            }
            Cause::Unbounded { stages } => {
                text.push_words(size::pump_in_words(stages));
            }
            Cause::Visited { markings } => {
                let all = Argument::Searched { markings: *markings, stubborn: false, parts: 1 };
                text.push_words(all.to_string());
            }
            Cause::Diagram { markings, closed } => {
                let markings = counted(markings, "reachable marking");
                text.push_words(format!("a decision diagram of the {markings}"));
                text.push_words(if *closed { CLOSED } else { "" });
            }
            Cause::Counted { .. } => {
                text.push_words(self.count_in_words());
            }
            Cause::PlaceInvariants { invariants, interpolated } => {
                let invariants = counted(*invariants, "place invariant");
                text.push_words(format!(
                    "the reachable markings are the solutions of {invariants}"
                ));
                if let Some(InterpolatedValues { values, degree, .. }) = interpolated {
                    text.push_words(format!(
                        ", and {values} smaller initial markings determine a polynomial of degree \
                         at most {degree} in the number of tokens"
                    ));
                }
            }
            Cause::Process(cause) => cause.write(text),
        }
    }

    fn count_in_words(&self) -> String {
        let Cause::Counted { markings, on_diagrams, repeated, closed, reduced } = self else {
            return String::new();
        };
        let net = match reduced {
            None => "the net".to_owned(),
            Some([before, after]) => {
                let (places, transitions) =
                    (counted(before.places, "place"), counted(before.transitions, "transition"));
                let NetSize { places: p, transitions: t } = after;
                format!("a net reduced from {places} and {transitions} to {p} and {t}")
            }
        };
        let checked = match () {
            () if *markings == 0 && !on_diagrams => "",
            () if *repeated => ", and the checker repeated the count",
            () if *on_diagrams && *closed => CLOSED,
            () => "",
        };
        match (*markings, *on_diagrams) {
            (u64::MAX, _) => {
                format!("at least 2^64 - 1 markings of {net} on decision diagrams{checked}")
            }
            (_, true) => {
                let markings = counted(markings, "marking");
                format!("{markings} of {net} on decision diagrams{checked}")
            }
            (0, false) => format!("no marking has to be visited of {net}"),
            (1, false) => format!("1 marking of {net} was counted{checked}"),
            (_, false) => format!("{markings} markings of {net} were counted{checked}"),
        }
    }
}

const INITIALLY: &str = "the initial marking shows it";

/// The remark that the checker confirmed a decision diagram as complete.
const CLOSED: &str = " (the checker confirmed that no marking is missing)";

/// Writes the subject and a colon; nothing without a subject.
fn about(subject: &Option<Subject>, text: &mut ReasonText) {
    match subject {
        None => text,
        Some(Subject::Place(place)) => text.push_words("place ").node(place).push_words(": "),
        Some(Subject::Transition(t)) => text.push_words("transition ").node(t).push_words(": "),
        Some(Subject::DeadMarking) => text.push_words("a dead marking: "),
    };
}

/// Writes the description of the fair runs and a colon; nothing without a description.
fn of_runs<'t>(fairness: &Option<String>, text: &'t mut ReasonText) -> &'t mut ReasonText {
    match fairness {
        Some(fair) => text.push_words("of ").formula(fair).push_words(": "),
        None => text,
    }
}

/// Returns the remark on whether a witness is shortest. Empty for `None`.
fn shortest_in_words(shortest: Option<bool>) -> &'static str {
    match shortest {
        None => "",
        Some(true) => ", and none is shorter",
        Some(false) => ", and whether one is shorter is unknown",
    }
}

#[cfg(test)]
mod tests;
