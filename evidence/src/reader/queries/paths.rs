//! Path quantifiers in formulas: from the XML to questions about markings, runs, and the tree of
//! runs.
//!
//! A quantifier around a state formula has no effect, because all paths begin in the same marking.
//! So `all-paths` of a combination of quantified formulas and a formula without quantifiers is
//! split. The parts are the quantified formulas and a formula about runs.

use super::logic::{UnreadOperand, junctions, operands, predicate};
use super::quantifiers::{
    EarlyQuantifier, is_operator_of_time, is_path, joined, speaks_of_its_path,
};
use super::{inside, runs, trees};
use crate::question::Question;
use crate::reader::{Unreadable, name};
use parikh_net::{Net, Predicate};
use roxmltree::Node;

/// Reads a formula about the initial marking and the paths from there, negated if `negated`.
pub(super) fn of_marking(
    net: &Net,
    node: Node<'_, '_>,
    negated: bool,
) -> Result<Question, Unreadable> {
    let part = |node, negated| match is_path(node) {
        true => of_paths(net, node, negated),
        false => Ok(Question::Initially(predicate(net, node, negated)?)),
    };
    junctions(node, negated, &part, &joined)
}

/// Reads a question about cases, negated if `negated`.
pub(super) fn of_cases(
    net: &Net,
    done: &Predicate,
    node: Node<'_, '_>,
    negated: bool,
) -> Result<Question, Unreadable> {
    if EarlyQuantifier::of(node).is_some() {
        return Err(Unreadable::at(node, "this quantifier is not supported for cases"));
    }
    let all = name(node) == "all-paths";
    runs::of_runs(net, Some(done), all != negated, (inside(node)?, negated))
}

/// Reads a question with path quantifiers, negated if `negated`.
fn of_paths(net: &Net, node: Node<'_, '_>, negated: bool) -> Result<Question, Unreadable> {
    if let Some(early) = EarlyQuantifier::of(node) {
        let (always, met) =
            (early == EarlyQuantifier::Invariant, early == EarlyQuantifier::Possibility);
        let inside = inside(node)?;
        if inside.descendants().any(is_path) {
            return trees::of_tree(net, node, negated);
        }
        if speaks_of_its_path(inside) {
            // ¬EF φ = A ¬F φ.
            let is_negated = negated != (early == EarlyQuantifier::Impossibility);
            let all = (early != EarlyQuantifier::Possibility) != negated;
            return runs::of_runs(net, None, all, (node, is_negated));
        }
        let goals = vec![predicate(net, inside, always)?];
        return Ok(Question::Reach { goals, all: true, then: met != negated });
    }
    let all = name(node) == "all-paths";
    // ¬A ψ = E ¬ψ, and ¬E ψ = A ¬ψ.
    on_paths(net, all != negated, (inside(node)?, negated))
}

/// Returns the question if all paths satisfy the formula at `path`, or some path if not `all`. The
/// formula is negated if `negated`.
pub(super) fn on_paths(
    net: &Net,
    all: bool,
    (path, negated): (Node<'_, '_>, bool),
) -> Result<Question, Unreadable> {
    let (mut path, mut negated) = (path, negated);
    while matches!(name(path), "negation" | "not") {
        (path, negated) = (inside(path)?, !negated);
    }
    if path.descendants().any(is_path) {
        return on_nested_paths(net, all, (path, negated));
    }
    if !speaks_of_its_path(path) {
        return Ok(Question::Initially(predicate(net, path, negated)?));
    }
    // EF φ is reachability of φ, and AG φ = ¬EF ¬φ.
    let always = match name(path) {
        "globally" => Some(!negated),
        "finally" => Some(negated),
        _ => None,
    };
    match always {
        Some(always) if always == all && !speaks_of_its_path(inside(path)?) => {
            let goals = vec![predicate(net, inside(path)?, all != negated)?];
            Ok(Question::Reach { goals, all: true, then: !all })
        }
        _ => runs::of_runs(net, None, all, (path, negated)),
    }
}

/// Does the same as [`on_paths`] for a formula with path quantifiers inside. A (φ ∧ ψ) = A φ ∧ A ψ
/// and E (φ ∨ ψ) = E φ ∨ E ψ. The other two combinations can be split if at most one part is a path
/// formula: the other parts are about the first marking.
fn on_nested_paths(
    net: &Net,
    all: bool,
    (path, negated): (Node<'_, '_>, bool),
) -> Result<Question, Unreadable> {
    if is_operator_of_time(path) {
        return trees::on_paths(net, all, (path, negated));
    }
    if !speaks_of_its_path(path) {
        return of_marking(net, path, negated);
    }
    let (any, left) = operands(UnreadOperand::Formula(path, negated))?.unwrap_or_default();
    let speaks = |signed: &(Node<'_, '_>, bool)| speaks_of_its_path(signed.0);
    let count = |operand: &UnreadOperand<'_, '_>| match operand {
        UnreadOperand::Formula(node, _) => usize::from(speaks_of_its_path(*node)),
        UnreadOperand::Both(both) => both.iter().filter(|signed| speaks(signed)).count(),
    };
    // E (φ ∧ ψ) also has to be split in the cases of an equivalence.
    let is_apart =
        |operand| matches!(operand, UnreadOperand::Formula(..)) || all || count(&operand) <= 1;
    let spoken: usize = left.iter().map(count).sum();
    if any == all && spoken > 1 || !left.iter().copied().all(is_apart) {
        let what = "CTL and LTL formulas are supported, but not their mixture";
        return Err(Unreadable::at(path, what));
    }
    let part = |operand: UnreadOperand<'_, '_>| match operand {
        UnreadOperand::Formula(node, negated) => on_paths(net, all, (node, negated)),
        UnreadOperand::Both(both) => {
            let both = both.into_iter().map(|signed| on_paths(net, all, signed));
            Ok(joined(false, both.collect::<Result<_, _>>()?))
        }
    };
    Ok(joined(any, left.into_iter().rev().map(part).collect::<Result<_, _>>()?))
}
