//! Causes of answers about processes.

use super::{NamedNode, PlaceTokens, ReasonText, WitnessSize, shortest_in_words};
use parikh_engine::board::ProofSummary;
use parikh_net::printable::counted;
use serde::Serialize;

/// The cause of an answer about a process. Serialized, the field `kind` has the variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ProcessCause {
    /// A case, that is, a run of the process from its initial marking, reaches a dead marking that
    /// covers no final marking.
    CaseStuck {
        /// The length of the firing sequence; `None` if it was not kept.
        size: Option<WitnessSize>,
        /// True if the witness is proved to be shortest, false if this is unknown. `None` if this
        /// was not asked, or if the witness was not kept or has no firings.
        shortest: Option<bool>,
        /// The marked places; `None` if the witness is not known step by step.
        tokens: Option<Vec<PlaceTokens>>,
    },
    /// A case completes and leaves further tokens behind.
    TokensLeftBehind {
        /// The length of the firing sequence; `None` if it was not kept.
        size: Option<WitnessSize>,
        /// True if the witness is proved to be shortest, false if this is unknown. `None` if this
        /// was not asked, or if the witness was not kept or has no firings.
        shortest: Option<bool>,
        /// The tokens beyond the final marking; `None` if the witness is not known step by step.
        tokens: Option<Vec<PlaceTokens>>,
        /// The covered final marking. `None` if the net has only one final marking, or if the
        /// witness is not known step by step.
        final_marking: Option<String>,
    },
    /// No final marking is reachable.
    NeverCompleted {
        /// The number of final markings.
        final_markings: usize,
        /// The end of an example run.
        example: ExampleEnd,
        /// The proof.
        proof: ProofSummary,
    },
    /// From some reachable marking, no final marking is reachable.
    CompletionLost {
        /// The length of the firing sequence to such a marking. `None` if the proof is not about a
        /// particular marking, or if no such sequence of the analysed net was kept.
        size: Option<WitnessSize>,
        /// The places marked after this firing sequence; `None` if the witness is not known step by
        /// step.
        tokens: Option<Vec<PlaceTokens>>,
        /// The proof.
        proof: ProofSummary,
    },
    /// Transitions are dead.
    DeadTransitions {
        /// The transitions that are known to be dead.
        transitions: Vec<NamedNode>,
        /// The proof for the first of the transitions.
        proof: ProofSummary,
    },
    /// A final marking is reachable.
    Completes {
        /// The length of the firing sequence; `None` if it was not kept.
        size: Option<WitnessSize>,
        /// True if the witness is proved to be shortest, false if this is unknown. `None` if this
        /// was not asked, or if the witness was not kept or has no firings.
        shortest: Option<bool>,
        /// The reached final marking. `None` if the net has only one final marking, or if the
        /// witness is not known step by step.
        final_marking: Option<String>,
    },
    /// A transition fires on a run to a final marking.
    OnRun {
        /// The transition.
        transition: NamedNode,
        /// The length of the firing sequence; `None` if it was not kept.
        size: Option<WitnessSize>,
        /// True if the witness is proved to be shortest, false if this is unknown. `None` if this
        /// was not asked, or if the witness was not kept or has no firings.
        shortest: Option<bool>,
        /// The reached final marking. `None` if the net has only one final marking, or if the
        /// witness is not known step by step.
        final_marking: Option<String>,
    },
    /// A transition fires on no run to a final marking.
    OnNoRun {
        /// The transition.
        transition: NamedNode,
        /// The number of final markings.
        final_markings: usize,
        /// The proof.
        proof: ProofSummary,
    },
    /// The process is sound or weakly sound.
    Sound {
        /// The first final markings, at most three. Empty if the net has only one final marking.
        final_markings: Vec<String>,
        /// The number of further final markings.
        more: usize,
        /// A final marking that a witness reached. `None` if the net has only one final marking, or
        /// if no witness is known step by step.
        example: Option<ReachedEnd>,
        /// The number of transitions, all of which were seen to be enabled in some reachable
        /// marking. 0 for weak soundness, which does not ask this.
        transitions: usize,
        /// The proof that every case can always be completed, if it is known.
        proof: Option<ProofSummary>,
    },
}

/// The end of an example run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExampleEnd {
    /// The number of firings.
    pub firings: usize,
    /// True if the last marking is dead. False if the run was ended at a limit or by a firing that
    /// failed.
    pub is_dead: bool,
    /// The marked places.
    pub tokens: Vec<PlaceTokens>,
}

/// A final marking that was reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReachedEnd {
    /// The final marking.
    pub final_marking: String,
    /// The length of the firing sequence.
    pub size: WitnessSize,
}

impl ProcessCause {
    pub(super) fn write(&self, text: &mut ReasonText) {
        match self {
            ProcessCause::CaseStuck { size, shortest, tokens } => {
                text.push_words("a case gets stuck");
                write_after(size, *shortest, text);
                if let Some(tokens) = tokens {
                    text.push_words(", with tokens on ");
                    write_tokens(tokens, text);
                }
                text.push_words(": no transition is enabled, and the case is not done");
            }
            ProcessCause::TokensLeftBehind { size, shortest, tokens, final_marking } => {
                text.push_words("a case is done");
                if let Some(last) = final_marking {
                    text.push_words(" in ").quote(last);
                }
                write_after(size, *shortest, text);
                text.push_words(" and leaves tokens behind");
                if let Some(tokens) = tokens {
                    text.push_words(" on ");
                    write_tokens(tokens, text);
                }
            }
            ProcessCause::NeverCompleted { final_markings, example, proof } => {
                text.push_words(match final_markings {
                    0 | 1 => "the final marking is unreachable (",
                    _ => "all final markings are unreachable (",
                });
                text.push_words(match (example.is_dead, example.firings) {
                    (true, 0) => "no transition is enabled initially".to_owned(),
                    (true, n) => {
                        format!("for example, a case is stuck after {}", counted(n, "firing"))
                    }
                    (false, n) => {
                        format!("for example, a case goes on after {}", counted(n, "firing"))
                    }
                });
                text.push_words(", with tokens on ");
                write_tokens(&example.tokens, text);
                text.push_words(format!("): {proof}"));
            }
            ProcessCause::CompletionLost { size: None, proof, .. } => {
                text.push_words(format!("a case cannot always be completed: {proof}"));
            }
            ProcessCause::CompletionLost { size, tokens, proof } => {
                text.push_words("a case can no longer be completed");
                write_after(size, None, text);
                if let Some(tokens) = tokens {
                    text.push_words(", with tokens on ");
                    write_tokens(tokens, text);
                    text.push_words(",");
                }
                text.push_words(format!(" and goes on: {proof}"));
            }
            ProcessCause::DeadTransitions { transitions, proof } => {
                text.push_words(if transitions.len() == 1 {
                    "transition "
                } else {
                    "transitions "
                });
                text.list_abridged(transitions, |text, t| {
                    text.node(t);
                });
                text.push_words(format!(" can never fire: {proof}"));
            }
            ProcessCause::Completes { size, shortest, final_marking } => {
                text.push_words(format!("{} to the final marking", run_of(size)));
                write_final(final_marking, text);
                text.push_words(" was replayed").push_words(shortest_in_words(*shortest));
            }
            ProcessCause::OnRun { transition, size, shortest, final_marking } => {
                text.push_words("transition ").node(transition);
                text.push_words(format!(" fires on {} to the final marking", run_of(size)));
                write_final(final_marking, text);
                text.push_words(shortest_in_words(*shortest));
            }
            ProcessCause::OnNoRun { transition, final_markings, proof } => {
                text.push_words("transition ").node(transition);
                text.push_words(match final_markings {
                    0 | 1 => " is on no run to the final marking: ",
                    _ => " is on no run to any of the final markings: ",
                });
                text.push_words(proof.to_string());
            }
            ProcessCause::Sound { final_markings, more, example, transitions, proof } => {
                text.push_words("every case can always be completed");
                if !final_markings.is_empty() {
                    text.push_words(" in ").list(final_markings, " or ", |text, last| {
                        text.quote(last);
                    });
                    text.push_words(if *more > 0 {
                        format!(" or {more} more")
                    } else {
                        String::new()
                    });
                }
                if let Some(ReachedEnd { final_marking, size }) = example {
                    text.push_words(" (for example in ").quote(final_marking);
                    text.push_words(format!(" after {size})"));
                }
                text.push_words(", nothing is left behind").push_words(match transitions {
                    0 => String::new(),
                    1 => ", and the one transition can fire".to_owned(),
                    n => format!(", and each of the {n} transitions can fire"),
                });
                text.push_words(proof.as_ref().map_or(String::new(), |proof| format!(": {proof}")));
            }
        }
    }
}

/// Writes after how many firings a witness reaches its marking, and whether the witness is
/// shortest. Writes nothing about the firings of a witness that was not kept.
fn write_after(size: &Option<WitnessSize>, shortest: Option<bool>, text: &mut ReasonText) {
    text.push_words(match size {
        None => String::new(),
        Some(size) if size.is_initial() => " initially".to_owned(),
        Some(size) => format!(" after {size}"),
    });
    text.push_words(shortest_in_words(shortest));
}

/// Names a run with its length, which is unknown for a run that was not kept.
fn run_of(size: &Option<WitnessSize>) -> String {
    size.as_ref().map_or_else(|| "a run".to_owned(), |size| format!("a run of {size}"))
}

/// Writes the first five marked places, each with its number of tokens if it is not 1, and the
/// number of further marked places. Writes `no place` for an empty list.
fn write_tokens(tokens: &[PlaceTokens], text: &mut ReasonText) {
    if tokens.is_empty() {
        text.push_words("no place");
    }
    text.list_abridged(tokens, |text, PlaceTokens { place, tokens }| {
        text.node(place);
        text.push_words(if *tokens == 1 { String::new() } else { format!(" ({tokens} tokens)") });
    });
}

fn write_final(final_marking: &Option<String>, text: &mut ReasonText) {
    if let Some(last) = final_marking {
        text.push_words(" ").quote(last);
    }
}
