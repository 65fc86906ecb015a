//! Formulas of LTL below one path quantifier: from the XML to what is asked of runs.
//!
//! ```xml
//! <all-paths><globally><disjunction>
//!   <negation><is-fireable><transition>ask</transition></is-fireable></negation>
//!   <finally><is-fireable><transition>answer</transition></is-fireable></finally>
//! </disjunction></globally></all-paths>
//! ```
//!
//! # Meaning
//! A run is a maximal row of firings; one that comes to a dead marking stays there, and that
//! marking repeats for ever. `next` is after one step, `until` of `before` φ and `reach` ψ means
//! that ψ comes and φ holds until then. `fires`, which is not the contest's, lists transitions of
//! which one fires next: none does where a dead marking repeats. A formula without operators of
//! time is about the marking. All runs have ψ (`all-paths`) if no run has ¬ψ; some run has ψ
//! (`exists-path`) if it is not so that none has.
//!
//! # Where two logics differ
//! `all-paths` of `next` of φ, where φ speaks of no time, is a formula of CTL, too. That is about
//! firings: what comes next in a dead marking is nothing, not the same again. Where the initial
//! marking is dead, such a formula is refused.

use super::quantifiers::{Early, is_operator_of_time, is_path, speaks_of_its_path};
use super::timed::{Logic, Reading, Timed};
use super::{inside, listed};
use crate::question::Question;
use crate::reader::{Unreadable, name};
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Net, Predicate, TransitionId};
use parikh_temporal::Linear;
use roxmltree::Node;

/// Returns the question whether `all` runs satisfy the formula at `path`, or some run does; or its
/// negation where `negated`. With `done`, only runs count that meet a marking with it.
pub(super) fn of_runs(
    net: &Net,
    done: Option<&Predicate>,
    all: bool,
    (path, negated): (Node<'_, '_>, bool),
) -> Result<Question, Unreadable> {
    let next_of_marking = name(path) == "next" && !speaks_of_its_path(inside(path)?);
    if done.is_none() && next_of_marking && net.is_dead(net.initial()) {
        let what = "`next` in a dead initial marking means one thing in CTL and another in LTL";
        return Err(Unreadable::at(path, what));
    }
    let mut reading: Reading<'_, Linear> = Reading::new(net, path);
    reading.ends = done.is_some();
    let read = match Early::of(path) {
        // The quantifier is said already.
        Some(_) => reading.timed(Timed { paths: Some(Linear), negated: false, node: path })?,
        None => reading.formula(path)?,
    };
    // All runs satisfy it if none violates it.
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

impl Logic for Linear {
    fn is_timed(node: Node<'_, '_>) -> bool {
        is_operator_of_time(node) || name(node) == "fires"
    }

    /// That one of the transitions listed fires next.
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
    ) -> Result<Option<Timed<'a, 'input, Linear>>, Unreadable> {
        let timed = Timed { paths: Some(Linear), negated: false, node };
        Ok(Linear::is_timed(node).then_some(timed))
    }

    fn refuse(node: Node<'_, '_>) -> Result<(), Unreadable> {
        match node.descendants().find(|&it| is_path(it)) {
            None => Ok(()),
            Some(path) => {
                let what = "a path quantifier inside a formula about runs is beyond this";
                Err(Unreadable::at(path, what))
            }
        }
    }
}
