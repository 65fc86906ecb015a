//! Formulas of CTL: from the XML to what is asked of the tree of runs.
//!
//! ```xml
//! <all-paths><globally><disjunction>
//!   <negation><is-fireable><transition>ask</transition></is-fireable></negation>
//!   <exists-path><next><is-fireable><transition>answer</transition></is-fireable></next></exists-path>
//! </disjunction></globally></all-paths>
//! ```
//!
//! # Meaning
//! Each operator of time stands directly below a quantifier of its own, which says whether it is
//! about some or all maximal rows of firings from a marking. A row that comes to a dead marking
//! ends there: `next` of `exists-path` is false in it and that of `all-paths` true.

use super::timed::{Logic, Reading};
use super::{inside, is_path};
use crate::question::Question;
use crate::reader::{Unreadable, name};
use parikh_net::run_property::RunAtom;
use parikh_net::{Net, Predicate, TreeProperty};
use parikh_temporal::Quantifier;
use roxmltree::Node;

/// A question with path quantifiers below others, or its negation.
pub(super) fn of_tree(
    net: &Net,
    formula: Node<'_, '_>,
    negated: bool,
) -> Result<Question, Unreadable> {
    let mut reading: Reading<'_, Quantifier> = Reading::new(net, formula);
    let mut read = reading.formula(formula)?;
    if negated {
        read = reading.formulas.negate(read);
    }
    // No atom of CTL speaks of firings.
    let atoms: Vec<Predicate> = reading.atoms.iter().filter_map(RunAtom::condition).collect();
    Ok(Question::of_tree(net, &TreeProperty::new(&reading.formulas, read, &atoms)))
}

impl Logic for Quantifier {
    fn is_timed(node: Node<'_, '_>) -> bool {
        is_path(node)
    }

    fn atom(_: &Net, _: Node<'_, '_>) -> Result<Option<RunAtom>, Unreadable> {
        Ok(None)
    }

    fn operator<'a, 'input>(
        node: Node<'a, 'input>,
    ) -> Result<Option<(Quantifier, Node<'a, 'input>)>, Unreadable> {
        let paths = match name(node) {
            "all-paths" => Quantifier::All,
            "exists-path" => Quantifier::Exists,
            _ => return Ok(None),
        };
        let path = inside(node)?;
        match name(path) {
            "globally" | "finally" | "next" | "until" => Ok(Some((paths, path))),
            other => {
                let around = name(node);
                let what = format!(
                    "expected an operator of time directly inside `{around}`, found `{other}`: \
                     formulas of CTL and LTL are answered, and not what mixes them"
                );
                Err(Unreadable::at(path, what))
            }
        }
    }

    /// An operator of time without a quantifier is no condition on markings: that is seen where one
    /// is read.
    fn refuse(_: Node<'_, '_>) -> Result<(), Unreadable> {
        Ok(())
    }
}
