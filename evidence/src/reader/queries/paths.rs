//! Reads path quantifiers in XML formulas, and returns questions about markings, runs, and the tree
//! of runs.
//!
//! A quantifier around a state formula has no effect, because all paths begin in the same marking.
//! So `all-paths` of a combination of quantified formulas and a formula without quantifiers is
//! split. The parts are the quantified formulas and a formula about runs.

use super::logic::{UnreadOperand, fold_junctions, operands, read_predicate};
use super::quantifiers::{
    EarlyQuantifier, is_path_formula, is_path_quantifier, is_temporal_operator, join_questions,
};
use super::{ltl, operand, trees};
use crate::question::Question;
use crate::reader::{Unreadable, name};
use parikh_net::{Net, Predicate};
use roxmltree::Node;

/// Reads a formula about the initial marking and the paths that begin in it. If `negated` is true,
/// reads its negation.
pub(super) fn marking_question(
    net: &Net,
    node: Node<'_, '_>,
    negated: bool,
) -> Result<Question, Unreadable> {
    let path_or_predicate = |node, negated| match is_path_quantifier(node) {
        true => quantified_question(net, node, negated),
        false => Ok(Question::Initially(read_predicate(net, node, negated)?)),
    };
    fold_junctions(node, negated, &path_or_predicate, &join_questions)
}

/// Reads a question about cases at a path quantifier. If `negated` is true, reads its negation. A
/// case is a run that reaches a marking that satisfies `case_end`.
pub(super) fn case_question(
    net: &Net,
    case_end: &Predicate,
    node: Node<'_, '_>,
    negated: bool,
) -> Result<Question, Unreadable> {
    if EarlyQuantifier::of(node).is_some() {
        return Err(Unreadable::at(node, "this quantifier is not supported for cases"));
    }
    let is_universal = name(node) == "all-paths";
    ltl::run_question(net, Some(case_end), is_universal != negated, (operand(node)?, negated))
}

/// Reads the formula of the path quantifier at `node` as a question. If `negated` is true, reads
/// its negation.
fn quantified_question(
    net: &Net,
    node: Node<'_, '_>,
    negated: bool,
) -> Result<Question, Unreadable> {
    if let Some(early) = EarlyQuantifier::of(node) {
        let (is_invariant, is_possibility) =
            (early == EarlyQuantifier::Invariant, early == EarlyQuantifier::Possibility);
        let inner = operand(node)?;
        if inner.descendants().any(is_path_quantifier) {
            return trees::nested_question(net, node, negated);
        }
        if is_path_formula(inner) {
            // ¬EF φ = A ¬F φ.
            let is_negated = negated != (early == EarlyQuantifier::Impossibility);
            let is_universal = (early != EarlyQuantifier::Possibility) != negated;
            return ltl::run_question(net, None, is_universal, (node, is_negated));
        }
        let goals = vec![read_predicate(net, inner, is_invariant)?];
        return Ok(Question::Reach { goals, all: true, then: is_possibility != negated });
    }
    let is_universal = name(node) == "all-paths";
    // ¬A ψ = E ¬ψ, and ¬E ψ = A ¬ψ.
    path_question(net, is_universal != negated, (operand(node)?, negated))
}

/// If `is_universal` is true, returns the question whether all paths satisfy the formula at `path`.
/// Otherwise returns the question whether some path does. If `negated` is true, the question is
/// about the negation of the formula.
pub(super) fn path_question(
    net: &Net,
    is_universal: bool,
    (path, negated): (Node<'_, '_>, bool),
) -> Result<Question, Unreadable> {
    let (mut path, mut negated) = (path, negated);
    while matches!(name(path), "negation" | "not") {
        (path, negated) = (operand(path)?, !negated);
    }
    if path.descendants().any(is_path_quantifier) {
        return nested_path_question(net, is_universal, (path, negated));
    }
    if !is_path_formula(path) {
        return Ok(Question::Initially(read_predicate(net, path, negated)?));
    }
    // EF φ is reachability of φ, and AG φ = ¬EF ¬φ.
    let is_always = match name(path) {
        "globally" => Some(!negated),
        "finally" => Some(negated),
        _ => None,
    };
    match is_always {
        Some(is_always) if is_always == is_universal && !is_path_formula(operand(path)?) => {
            let goals = vec![read_predicate(net, operand(path)?, is_universal != negated)?];
            Ok(Question::Reach { goals, all: true, then: !is_universal })
        }
        _ => ltl::run_question(net, None, is_universal, (path, negated)),
    }
}

/// Returns the question of [`path_question`] for a formula with path quantifiers inside. The
/// formula is split by A (φ ∧ ψ) = A φ ∧ A ψ and E (φ ∨ ψ) = E φ ∨ E ψ. A disjunction below A, or a
/// conjunction below E, can be split if at most one part is a path formula. The other parts are
/// then about the first marking. Returns an error for a formula that cannot be split, unless it is
/// a temporal operator over formulas of CTL.
fn nested_path_question(
    net: &Net,
    is_universal: bool,
    (path, negated): (Node<'_, '_>, bool),
) -> Result<Question, Unreadable> {
    if is_temporal_operator(path) {
        return trees::tree_path_question(net, is_universal, (path, negated));
    }
    if !is_path_formula(path) {
        return marking_question(net, path, negated);
    }
    let (is_disjunction, reversed_operands) =
        operands(UnreadOperand::Formula(path, negated))?.unwrap_or_default();
    let is_signed_path_formula = |signed: &(Node<'_, '_>, bool)| is_path_formula(signed.0);
    let count_path_formulas = |operand: &UnreadOperand<'_, '_>| match operand {
        UnreadOperand::Formula(node, _) => usize::from(is_path_formula(*node)),
        UnreadOperand::Conjunction(both) => {
            both.iter().filter(|signed| is_signed_path_formula(signed)).count()
        }
    };
    // A case of an equivalence is a conjunction. Below E, it can be split only if at most one part
    // is a path formula.
    let is_splittable = |operand| {
        matches!(operand, UnreadOperand::Formula(..))
            || is_universal
            || count_path_formulas(&operand) <= 1
    };
    let path_formula_count: usize = reversed_operands.iter().map(count_path_formulas).sum();
    if is_disjunction == is_universal && path_formula_count > 1
        || !reversed_operands.iter().copied().all(is_splittable)
    {
        let what = "CTL and LTL formulas are supported, but not their mixture";
        return Err(Unreadable::at(path, what));
    }
    let operand_question = |operand: UnreadOperand<'_, '_>| match operand {
        UnreadOperand::Formula(node, negated) => path_question(net, is_universal, (node, negated)),
        UnreadOperand::Conjunction(both) => {
            let both = both.into_iter().map(|signed| path_question(net, is_universal, signed));
            Ok(join_questions(false, both.collect::<Result<_, _>>()?))
        }
    };
    Ok(join_questions(
        is_disjunction,
        reversed_operands.into_iter().rev().map(operand_question).collect::<Result<_, _>>()?,
    ))
}
