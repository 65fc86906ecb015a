//! Recognises path quantifiers and temporal operators in XML formulas, and formulas about a path.

use crate::question::Question;
use crate::reader::{elements, name};
use roxmltree::Node;

/// Joins questions into a disjunction if `is_disjunction` is true, otherwise into a conjunction.
pub(super) fn join_questions(is_disjunction: bool, mut parts: Vec<Question>) -> Question {
    match parts.len() {
        1 => parts.remove(0),
        _ => Question::Connective { all: !is_disjunction, parts },
    }
}

/// Returns true if the element is a path quantifier, including those of the contest's early years.
pub(super) fn is_path_quantifier(node: Node<'_, '_>) -> bool {
    matches!(name(node), "exists-path" | "all-paths") || EarlyQuantifier::of(node).is_some()
}

/// Returns true if the element is a temporal operator.
pub(super) fn is_temporal_operator(node: Node<'_, '_>) -> bool {
    matches!(name(node), "globally" | "finally" | "next" | "until")
}

/// Returns true if the formula is about a path and not only about its first marking. This is so if
/// a temporal operator or `fires` occurs in the formula outside of all its path quantifiers.
pub(super) fn is_path_formula(formula: Node<'_, '_>) -> bool {
    let mut open_nodes = vec![formula];
    while let Some(node) = open_nodes.pop() {
        if is_temporal_operator(node) || name(node) == "fires" {
            return true;
        }
        if !is_path_quantifier(node) {
            open_nodes.extend(elements(node));
        }
    }
    false
}

/// A quantifier of the contest's early years, which is a path quantifier and an operator in one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EarlyQuantifier {
    /// AG φ.
    Invariant,
    /// EF φ.
    Possibility,
    /// ¬EF φ.
    Impossibility,
}

impl EarlyQuantifier {
    /// Returns the early quantifier of an element, if it is one.
    pub(super) fn of(node: Node<'_, '_>) -> Option<EarlyQuantifier> {
        match name(node) {
            "invariant" => Some(EarlyQuantifier::Invariant),
            "possibility" => Some(EarlyQuantifier::Possibility),
            "impossibility" => Some(EarlyQuantifier::Impossibility),
            _ => None,
        }
    }
}
