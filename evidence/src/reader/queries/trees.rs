//! Reads formulas of CTL in XML, and returns questions about the tree of runs.
//!
//! ```xml
//! <all-paths><globally><disjunction>
//!   <negation><is-fireable><transition>ask</transition></is-fireable></negation>
//!   <exists-path><next><is-fireable><transition>answer</transition></is-fireable></next></exists-path>
//! </disjunction></globally></all-paths>
//! ```
//!
//! # Meaning
//! Each temporal operator stands directly below a path quantifier. The quantifier says if the
//! operator is about some or all maximal firing sequences from a marking. A sequence that reaches a
//! dead marking ends there. In a dead marking, `next` of `exists-path` is false, and `next` of
//! `all-paths` is true.

use super::operand;
use super::quantifiers::{
    EarlyQuantifier, is_path_formula, is_path_quantifier, is_temporal_operator,
};
use super::timed::{TemporalElement, TemporalReader, TemporalSyntax};
use crate::question::Question;
use crate::reader::{Unreadable, name};
use parikh_net::run_property::RunAtom;
use parikh_net::{Net, Predicate, TreeProperty};
use parikh_temporal::{Formula, Paths as _, Quantifier};
use roxmltree::Node;

/// Reads a formula with nested path quantifiers as a question. If `negated` is true, reads its
/// negation.
pub(super) fn nested_question(
    net: &Net,
    formula: Node<'_, '_>,
    negated: bool,
) -> Result<Question, Unreadable> {
    let mut reader: TemporalReader<'_, Quantifier> = TemporalReader::new(net, formula);
    let tree_formula = reader.formula(formula)?;
    Ok(tree_question(net, reader, tree_formula, negated))
}

/// If `is_universal` is true, returns the question whether all paths satisfy the formula at `path`.
/// Otherwise returns the question whether some path does. The formula is a temporal operator over
/// formulas of CTL. If `negated` is true, the question is about the negation of the formula.
pub(super) fn tree_path_question(
    net: &Net,
    is_universal: bool,
    (path, negated): (Node<'_, '_>, bool),
) -> Result<Question, Unreadable> {
    let mut reader: TemporalReader<'_, Quantifier> = TemporalReader::new(net, path);
    // A ¬ψ = ¬E ψ.
    let paths = if is_universal == negated { Quantifier::Exists } else { Quantifier::All };
    let tree_formula = reader.temporal_formula(TemporalElement {
        paths: Some(paths),
        is_negated: negated,
        node: path,
    })?;
    Ok(tree_question(net, reader, tree_formula, false))
}

/// Returns the question about a formula of CTL that `reader` has read. If `negated` is true,
/// returns the question about its negation.
fn tree_question(
    net: &Net,
    mut reader: TemporalReader<'_, Quantifier>,
    tree_formula: Formula<Quantifier>,
    negated: bool,
) -> Question {
    let tree_formula = if negated { reader.formulas.negate(tree_formula) } else { tree_formula };
    // Atoms of CTL are conditions on markings, never about firings.
    let atoms: Vec<Predicate> = reader.atoms.iter().filter_map(RunAtom::condition).collect();
    Question::of_tree(net, &TreeProperty::new(&reader.formulas, tree_formula, &atoms))
}

impl TemporalSyntax for Quantifier {
    fn is_temporal(node: Node<'_, '_>) -> bool {
        is_path_quantifier(node)
    }

    fn atom(_: &Net, _: Node<'_, '_>) -> Result<Option<RunAtom>, Unreadable> {
        Ok(None)
    }

    fn operator<'a, 'input>(
        node: Node<'a, 'input>,
    ) -> Result<Option<TemporalElement<'a, 'input, Quantifier>>, Unreadable> {
        let mut paths = match name(node) {
            "all-paths" => Quantifier::All,
            "exists-path" => Quantifier::Exists,
            _ => {
                let early = EarlyQuantifier::of(node).map(|early| TemporalElement {
                    paths: Some(match early {
                        EarlyQuantifier::Invariant => Quantifier::All,
                        EarlyQuantifier::Possibility | EarlyQuantifier::Impossibility => {
                            Quantifier::Exists
                        }
                    }),
                    is_negated: early == EarlyQuantifier::Impossibility,
                    node,
                });
                return Ok(early);
            }
        };
        // E ¬F φ = ¬A F φ, and likewise for the other operators.
        let (mut path, mut negated) = (operand(node)?, false);
        while matches!(name(path), "negation" | "not") {
            (path, negated, paths) = (operand(path)?, !negated, paths.dual());
        }
        let paths = match is_temporal_operator(path) {
            true => Some(paths),
            // A state formula, about the first marking of the paths.
            false if !is_path_formula(path) => None,
            false => {
                let (outer, found) = (name(node), name(path));
                let what = format!(
                    "expected a temporal operator directly inside `{outer}`, found `{found}`: CTL \
                     and LTL formulas are supported, but not their mixture"
                );
                return Err(Unreadable::at(path, what));
            }
        };
        Ok(Some(TemporalElement { paths, is_negated: negated, node: path }))
    }

    /// Accepts every element. The reader of a state formula refuses temporal operators without
    /// quantifiers.
    fn check_state_formula(_: Node<'_, '_>) -> Result<(), Unreadable> {
        Ok(())
    }
}
