//! Reads formulas of LTL below one path quantifier in XML, and returns questions about runs.
//!
//! ```xml
//! <all-paths><globally><disjunction>
//!   <negation><is-fireable><transition>ask</transition></is-fireable></negation>
//!   <finally><is-fireable><transition>answer</transition></is-fireable></finally>
//! </disjunction></globally></all-paths>
//! ```
//!
//! # Meaning
//! A run is a maximal firing sequence. A run that reaches a dead marking stays there, and repeats
//! that marking forever. `next` refers to the marking after one step. `until` of `before` φ and
//! `reach` ψ means that ψ holds now or later, and φ holds until then. `fires`, which is not the
//! contest's, lists transitions and means that one of them fires next. It is false where a dead
//! marking repeats. A formula without temporal operators is about the current marking. All runs
//! have ψ (`all-paths`) if no run has ¬ψ. Some run has ψ (`exists-path`) if not all runs have ¬ψ.
//!
//! # Where two logics differ
//! `all-paths` of `next` of a state formula φ is a formula of CTL, too. In CTL, no marking follows
//! a dead marking, while in LTL the dead marking repeats. So such a formula is refused if the
//! initial marking is dead.

use super::quantifiers::{
    EarlyQuantifier, is_path_formula, is_path_quantifier, is_temporal_operator,
};
use super::timed::{TemporalElement, TemporalReader, TemporalSyntax};
use super::{listed_nodes, operand};
use crate::question::Question;
use crate::reader::{Unreadable, name};
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Net, Predicate, TransitionId};
use parikh_temporal::Linear;
use roxmltree::Node;

/// If `is_universal` is true, returns the question whether all runs satisfy the formula at `path`.
/// Otherwise returns the question whether some run does. If `negated` is true, the question is
/// about the negation of the formula. If `case_end` is given, the question is only about runs that
/// reach a marking that satisfies this predicate.
pub(super) fn run_question(
    net: &Net,
    case_end: Option<&Predicate>,
    is_universal: bool,
    (path, negated): (Node<'_, '_>, bool),
) -> Result<Question, Unreadable> {
    let is_next_of_state_formula = name(path) == "next" && !is_path_formula(operand(path)?);
    if case_end.is_none() && is_next_of_state_formula && net.is_dead(net.initial()) {
        let what = "`next` in a dead initial marking differs between CTL and LTL";
        return Err(Unreadable::at(path, what));
    }
    let mut reader: TemporalReader<'_, Linear> = TemporalReader::new(net, path);
    reader.ends_in_dead_markings = case_end.is_some();
    let path_formula = match EarlyQuantifier::of(path) {
        // The element stands for a path quantifier and an operator. The caller has read the
        // quantifier, and the operator (`globally` or `finally`) is read here.
        Some(_) => reader.temporal_formula(TemporalElement {
            paths: Some(Linear),
            is_negated: false,
            node: path,
        })?,
        None => reader.formula(path)?,
    };
    // All runs satisfy the formula if no run violates it.
    let mut formula =
        if is_universal == negated { path_formula } else { reader.formulas.negate(path_formula) };
    if let Some(case_end) = case_end {
        let case_end = reader.predicate_formula(case_end.clone());
        let reaches_end = reader.formulas.eventually(Linear, case_end);
        formula = reader.formulas.and([reaches_end, formula]);
    }
    let property = RunProperty::new(&reader.formulas, formula, &reader.atoms);
    let no_run = Question::NoRun(Box::new(property));
    Ok(if is_universal { no_run } else { Question::Not(Box::new(no_run)) })
}

impl TemporalSyntax for Linear {
    fn is_temporal(node: Node<'_, '_>) -> bool {
        is_temporal_operator(node) || name(node) == "fires"
    }

    /// Reads the atom that one of the listed transitions fires next.
    fn atom(net: &Net, node: Node<'_, '_>) -> Result<Option<RunAtom>, Unreadable> {
        if name(node) != "fires" {
            return Ok(None);
        }
        let listed = listed_nodes(node, "transition", |id| net.transitions_named(id))?;
        let mut transitions: Vec<TransitionId> = listed.into_iter().flatten().collect();
        transitions.sort_unstable();
        transitions.dedup();
        Ok(Some(RunAtom::Fires(transitions)))
    }

    fn operator<'a, 'input>(
        node: Node<'a, 'input>,
    ) -> Result<Option<TemporalElement<'a, 'input, Linear>>, Unreadable> {
        let element = TemporalElement { paths: Some(Linear), is_negated: false, node };
        Ok(Linear::is_temporal(node).then_some(element))
    }

    fn check_state_formula(node: Node<'_, '_>) -> Result<(), Unreadable> {
        match node.descendants().find(|&it| is_path_quantifier(it)) {
            None => Ok(()),
            Some(path) => {
                let what = "a path quantifier inside a formula about runs is not supported";
                Err(Unreadable::at(path, what))
            }
        }
    }
}
