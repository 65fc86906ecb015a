//! Errors in a formula. An error in one formula of a file does not affect the others.

use super::MAX_DEPTH;
use parikh_net::closest;
use parikh_net::printable::Printable;
use parikh_net::{Net, NodeKind};
use std::borrow::Cow;

/// An error in a formula, with its line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct FormulaError {
    /// The line of the error, counted from 1.
    pub line: u64,
    /// The problem.
    pub problem: FormulaProblem,
}

/// A problem with a formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormulaProblem {
    /// An unknown place.
    #[error("the net has no place `{}`{hint}", shortened(name))]
    UnknownPlace {
        /// The name in the formula.
        name: String,
        /// A suggestion, as the end of a sentence; empty without a suggestion.
        hint: String,
    },
    /// An unknown transition.
    #[error("the net has no transition `{}`{hint}", shortened(name))]
    UnknownTransition {
        /// The name in the formula.
        name: String,
        /// A suggestion, as the end of a sentence; empty without a suggestion.
        hint: String,
    },
    /// A word that is the name of several nodes and the id of none. Also a name in quotes that
    /// several nodes have, where exactly one node is expected.
    #[error(
        "`{}` is the label of {} {}s: {}; write the id of one of them{}",
        shortened(name),
        candidates.len(),
        kind.word(),
        listed(candidates),
        if *has_quotes { ", or the label in quotes for all of them" } else { "" }
    )]
    AmbiguousName {
        /// The word in the formula.
        name: String,
        /// The kind of nodes.
        kind: NodeKind,
        /// The ids of the nodes with this name.
        candidates: Vec<String>,
        /// True if the language has quotes, in which a label means all its nodes.
        has_quotes: bool,
    },
    /// An unknown or unsupported operator.
    #[error("the operator `{}` is not supported", shortened(.0))]
    UnknownOperator(String),
    /// An operator or a name in a place where the grammar does not allow it.
    #[error("found `{found}` inside `{inside}`, expected {expected}")]
    Misplaced {
        /// The misplaced construct.
        found: &'static str,
        /// The enclosing operator.
        inside: &'static str,
        /// The constructs allowed there.
        expected: &'static str,
    },
    /// Too many operands, or too few.
    #[error("`{operator}` has {found} operands, expected {expected}")]
    WrongArity {
        /// The operator.
        operator: &'static str,
        /// The number of operands found.
        found: usize,
        /// The expected number of operands, in words.
        expected: &'static str,
    },
    /// A text that is not a whole number from −2⁶³ to 2⁶³ − 1.
    #[error("found `{}`, expected a whole number from -2^63 to 2^63 - 1", shortened(.0))]
    BadNumber(String),
    /// A formula nested deeper than [`MAX_DEPTH`].
    #[error("the formula is nested more than {MAX_DEPTH} levels deep, which is not supported")]
    TooDeep,
    /// Too many parentheses and operators open at the same time.
    #[error("more than {0} parentheses and operators are nested here, which is not supported")]
    TooManyOpen(usize),
    /// A property without a formula.
    #[error("the property has no formula")]
    NoFormula,
    /// A property with two formulas.
    #[error("the property has a second formula")]
    SecondFormula,
    /// A property without an id, so that its answer has no name.
    #[error("the property has no id")]
    NoId,
    /// A token that the grammar does not allow here.
    #[error("found {found}, expected {expected}")]
    Syntax {
        /// The token found, quoted if it is text.
        found: String,
        /// The tokens expected.
        expected: Cow<'static, str>,
    },
    /// A number where a property is expected.
    #[error("this is a number, expected a property; compare it, as in `p >= 1`")]
    NoProperty,
    /// A property where a number is expected.
    #[error("this is a property, expected a number of tokens")]
    NoNumber,
    /// A chained comparison: `a <= b <= c`.
    #[error("comparisons do not chain; write `a <= b && b <= c`")]
    ChainedComparison,
    /// The query for a bound, `bound(…)`, inside a formula. The query has a number as its answer,
    /// so it must stand alone.
    #[error("`bound` asks for a number, so it cannot be part of a formula")]
    BoundInside,
    /// A colour for a place whose tokens have no colours.
    #[error("the tokens of place `{}` have no colours, expected `[.]`", shortened(place))]
    ColourOnBlackPlace {
        /// The place.
        place: String,
    },
    /// A colour for a place whose colours are not distinguished in this net.
    #[error(
        "the colours of place `{}` are distinguished only in the unfolding, which is too large",
        shortened(place)
    )]
    ErasedColours {
        /// The place.
        place: String,
    },
    /// A colour that is not in the place's sort.
    #[error(
        "`{}` is not a colour of place `{}`, whose tokens have the sort `{}`",
        shortened(colour),
        shortened(place),
        shortened(sort)
    )]
    UnknownColour {
        /// The place.
        place: String,
        /// The colour.
        colour: String,
        /// The sort of the place's tokens.
        sort: String,
    },
    /// An atom about firings in a formula of CTL.
    #[error(
        "`fires` applies to runs, so an LTL formula is expected: no path quantifier inside another \
         path quantifier or a temporal operator"
    )]
    FiringInBranching,
    /// Fairness to a transition that the translation of reset arcs replaces by several transitions.
    #[error(
        "transition `{}` has a reset arc, so its translation has several transitions, and fairness \
         to each of these is a different condition; use other transitions",
        shortened(.0)
    )]
    FairToCopies(String),
    /// A remark: the formula goes beyond the grammar of 2011.
    #[error("not in the grammar of 2011: {0}")]
    Not2011(&'static str),
    /// A remark: a word was read as a place and the operator behind it as an operator. Together
    /// with the text directly behind it, the word is also the id or name of a place: `p-1`.
    #[error("`{}` is also a place; to ask about it, write it in quotes", shortened(.0))]
    PartOfName(String),
    /// A remark: in a formula like `EF a && b`, the operator `EF` applies to `a` only.
    #[error(
        "the temporal operator has a higher precedence, so the rest is about the initial marking \
         only; add parentheses to make the meaning clear"
    )]
    NarrowScope,
}

impl FormulaProblem {
    /// Returns the problem that `net` has no place `name`. If `guess` is true, searches the whole
    /// net for a suggestion. The hint that a transition has this id is given in any case.
    pub fn unknown_place(name: &str, net: &Net, guess: bool) -> Self {
        let hint = match net.transition_named(name) {
            Some(_) => "; it is a transition".to_owned(),
            None if !guess => String::new(),
            None => {
                let labelled = net.places().find(|&p| net.place_label(p) == Some(name));
                let ids = net.places().map(|p| net.place_name(p));
                hint(labelled.map(|p| net.place_name(p)), closest(name, ids))
            }
        };
        FormulaProblem::UnknownPlace { name: name.to_owned(), hint }
    }

    /// Returns the problem that `net` has no transition `name`. If `guess` is true, searches the
    /// whole net for a suggestion. The hint that a place has this id is given in any case.
    pub fn unknown_transition(name: &str, net: &Net, guess: bool) -> Self {
        let hint = match net.place_named(name) {
            Some(_) => "; it is a place".to_owned(),
            None if !guess => String::new(),
            None => {
                let labelled = net.transitions().find(|&t| net.transition_label(t) == Some(name));
                let ids = net.transitions().map(|t| net.transition_name(t));
                hint(labelled.map(|t| net.transition_name(t)), closest(name, ids))
            }
        };
        FormulaProblem::UnknownTransition { name: name.to_owned(), hint }
    }
}

/// The maximum number of characters of a name that a message shows.
const MAX_SHOWN_CHARACTERS: usize = 80;

/// Prepares a name or number from a file for a message: a very long text is cut, and control
/// characters are replaced.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", Printable(&text[..end])),
        None => Printable(text).to_string(),
    }
}

/// The most ids that a message lists.
const MAX_LISTED_IDS: usize = 8;

/// Returns a text with the first [`MAX_LISTED_IDS`] ids, and with the number of further ids.
pub(super) fn listed(ids: &[String]) -> String {
    let first_ids: Vec<String> =
        ids.iter().take(MAX_LISTED_IDS).map(|id| format!("`{}`", shortened(id))).collect();
    match ids.len() - first_ids.len() {
        0 => first_ids.join(", "),
        more => format!("{} and {more} more", first_ids.join(", ")),
    }
}

/// Returns the end of the sentence "the net has no place …" (or "no transition …"). `labelled` is
/// the id of the node whose label is the unknown name, and `closest` the id with the most similar
/// spelling. The label comes first as a suggestion: people see the labels of nodes, but not every
/// language of formulas reads them. Returns an empty text if both are `None`.
fn hint(labelled: Option<&str>, closest: Option<&str>) -> String {
    match (labelled, closest) {
        (Some(id), _) => {
            format!("; this is the label of `{}`, and an id is expected here", Printable(id))
        }
        (None, Some(id)) => format!("; did you mean `{}`?", Printable(id)),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_shorten_and_escape_names() {
        let name = format!("\u{1b}[31m{}", "x".repeat(1_000_000));
        let problem = FormulaProblem::UnknownPlace { name, hint: String::new() };
        let text = problem.to_string();
        assert_eq!(text, format!("the net has no place `\\u{{1b}}[31m{}…`", "x".repeat(75)));
    }

    #[test]
    fn an_unknown_name_gets_the_most_similar_suggestion() {
        let mut builder = parikh_net::NetBuilder::new("n");
        let p = builder.place("waiting_1", 0).unwrap();
        builder.label_place(p, "Waiting room");
        builder.transition("enter").unwrap();
        let net = builder.build().unwrap();
        let place = |name: &str| FormulaProblem::unknown_place(name, &net, true).to_string();
        assert_eq!(place("wating_1"), "the net has no place `wating_1`; did you mean `waiting_1`?");
        assert_eq!(
            place("Waiting room"),
            "the net has no place `Waiting room`; this is the label of `waiting_1`, and an id \
             is expected here"
        );
        assert_eq!(place("enter"), "the net has no place `enter`; it is a transition");
        assert_eq!(place("x"), "the net has no place `x`");
        assert_eq!(
            FormulaProblem::unknown_transition("entre", &net, true).to_string(),
            "the net has no transition `entre`; did you mean `enter`?"
        );
    }
}
