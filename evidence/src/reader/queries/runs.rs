//! Formulas of LTL below one path quantifier: from the XML to questions about runs.
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

use super::quantifiers::{EarlyQuantifier, is_operator_of_time, is_path, speaks_of_its_path};
use super::timed::{TemporalElement, TemporalElements, TemporalReader};
use super::{inside, listed};
use crate::question::Question;
use crate::reader::{Unreadable, name};
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Net, Predicate, TransitionId};
use parikh_temporal::Linear;
use roxmltree::Node;

/// Returns the question if all runs satisfy the formula at `path`, or some run if not `all`. The
/// formula is negated if `negated`. With `done`, only runs that reach a marking with `done` count.
pub(super) fn of_runs(
    net: &Net,
    done: Option<&Predicate>,
    all: bool,
    (path, negated): (Node<'_, '_>, bool),
) -> Result<Question, Unreadable> {
    let next_of_marking = name(path) == "next" && !speaks_of_its_path(inside(path)?);
    if done.is_none() && next_of_marking && net.is_dead(net.initial()) {
        let what = "`next` in a dead initial marking differs between CTL and LTL";
        return Err(Unreadable::at(path, what));
    }
    let mut reading: TemporalReader<'_, Linear> = TemporalReader::new(net, path);
    reading.ends = done.is_some();
    let read = match EarlyQuantifier::of(path) {
        // The caller has read the quantifier already.
        Some(_) => {
            reading.timed(TemporalElement { paths: Some(Linear), negated: false, node: path })?
        }
        None => reading.formula(path)?,
    };
    // All runs satisfy the formula if no run violates it.
    let mut formula = if all == negated { read } else { reading.formulas.negate(read) };
    if let Some(done) = done {
        let done = reading.holds(done.clone());
        let met = reading.formulas.eventually(Linear, done);
        formula = reading.formulas.and([met, formula]);
    }
    let property = RunProperty::new(&reading.formulas, formula, &reading.atoms);
    let none = Question::NoRun(Box::new(property));
    Ok(if all { none } else { Question::Not(Box::new(none)) })
}

impl TemporalElements for Linear {
    fn is_timed(node: Node<'_, '_>) -> bool {
        is_operator_of_time(node) || name(node) == "fires"
    }

    /// Reads the atom that one of the listed transitions fires next.
    fn atom(net: &Net, node: Node<'_, '_>) -> Result<Option<RunAtom>, Unreadable> {
        if name(node) != "fires" {
            return Ok(None);
        }
        let listed = listed(node, "transition", |id| net.transitions_named(id))?;
        let mut transitions: Vec<TransitionId> = listed.into_iter().flatten().collect();
        transitions.sort_unstable();
        transitions.dedup();
        Ok(Some(RunAtom::Fires(transitions)))
    }

    fn operator<'a, 'input>(
        node: Node<'a, 'input>,
    ) -> Result<Option<TemporalElement<'a, 'input, Linear>>, Unreadable> {
        let timed = TemporalElement { paths: Some(Linear), negated: false, node };
        Ok(Linear::is_timed(node).then_some(timed))
    }

    fn refuse(node: Node<'_, '_>) -> Result<(), Unreadable> {
        match node.descendants().find(|&it| is_path(it)) {
            None => Ok(()),
            Some(path) => {
                let what = "a path quantifier inside a formula about runs is not supported";
                Err(Unreadable::at(path, what))
            }
        }
    }
}
