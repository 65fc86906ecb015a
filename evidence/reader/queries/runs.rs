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
//! A run is a maximal row of firings; one that comes to a dead marking stays there, and that marking
//! repeats for ever. `next` is after one step, `until` of `before` φ and `reach` ψ means that ψ
//! comes and φ holds until then. `fires`, which is not the contest's, lists transitions of which one
//! fires next: none does where a dead marking repeats. A formula without operators of time is about the marking. All runs have
//! ψ (`all-paths`) if no run has ¬ψ; some run has ψ (`exists-path`) if it is not so that none has.
//!
//! No run has ψ or χ if none has ψ and none has χ: these become two questions.
//!
//! # Where two logics differ
//! `all-paths` of `next` of φ, where φ speaks of no time, is a formula of CTL, too. That is about
//! firings: what comes next in a dead marking is nothing, not the same again. Where the initial marking is
//! dead, such a formula is refused.

use super::{DEEPEST, inside, is_path, listed, operands, predicate};
use crate::question::Question;
use crate::reader::{Unreadable, child, elements, name};
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Net, Predicate, TransitionId};
use parikh_temporal::{Atom, Formula, Linear, Ltl, Node as Part};
use roxmltree::{Node, NodeId};
use std::collections::{HashMap, HashSet};

/// Whether this says something of more than a marking.
fn is_of_time(node: Node<'_, '_>) -> bool {
    matches!(name(node), "globally" | "finally" | "next" | "until" | "fires")
}

/// Whether something in it says something of more than a marking.
pub(super) fn speaks_of_time(node: Node<'_, '_>) -> bool {
    node.descendants().any(is_of_time)
}

/// A question with one path quantifier, and operators of time below it; or its negation.
pub(super) fn of_runs(
    net: &Net,
    quantifier: Node<'_, '_>,
    negated: bool,
) -> Result<Question, Unreadable> {
    let path = inside(quantifier)?;
    let next_of_marking = name(path) == "next" && !speaks_of_time(inside(path)?);
    if next_of_marking && net.is_dead(net.initial()) {
        let what = "`next` in a dead initial marking means one thing in CTL and another in LTL";
        return Err(Unreadable::at(path, what));
    }
    let mut reading = Reading::new(net, path);
    let wanted = reading.formula(path)?;
    let exists = name(quantifier) == "exists-path";
    let formula = if exists { wanted } else { reading.formulas.negate(wanted) };
    let none = reading.none_has(formula);
    Ok(if exists == negated { none } else { Question::Not(Box::new(none)) })
}

/// What is still to be done.
enum Task<'a, 'input> {
    /// Read a formula.
    Read(Node<'a, 'input>),
    /// Put together the last formulas that were read: so many.
    Join(Operator, usize),
}

#[derive(Clone, Copy)]
enum Operator {
    Globally,
    Finally,
    Next,
    /// The one read last comes first.
    Until,
    Not,
    /// Whether one is enough.
    Junction(bool),
    /// The one read last is the premise.
    Implication,
}

/// A formula that is being read.
struct Reading<'n> {
    net: &'n Net,
    formulas: Ltl,
    atoms: Vec<RunAtom>,
    /// The atoms by number; predicates are in sorted form.
    numbers: HashMap<RunAtom, Atom>,
    /// The nodes with an operator of time in them.
    of_time: HashSet<NodeId>,
}

impl<'n> Reading<'n> {
    fn new(net: &'n Net, path: Node<'_, '_>) -> Self {
        let mut of_time = HashSet::new();
        for node in path.descendants().filter(|&node| is_of_time(node)) {
            // Those around a node that was met were met, too.
            let mut around = node.ancestors();
            while around.next().is_some_and(|node| of_time.insert(node.id())) {}
        }
        let (formulas, atoms, numbers) = (Ltl::default(), Vec::new(), HashMap::new());
        Reading { net, formulas, atoms, numbers, of_time }
    }

    /// That one of the transitions listed in `node` fires next.
    fn fires(&mut self, node: Node<'_, '_>) -> Result<Formula<Linear>, Unreadable> {
        let listed = listed(node, "transition", |id| self.net.transitions_named(id))?;
        let mut transitions: Vec<TransitionId> = listed.into_iter().flatten().collect();
        transitions.sort_unstable();
        transitions.dedup();
        let atom = self.number(RunAtom::Fires(transitions));
        Ok(self.formulas.atom(atom))
    }

    fn formula(&mut self, path: Node<'_, '_>) -> Result<Formula<Linear>, Unreadable> {
        let mut tasks = vec![Task::Read(path)];
        let mut read: Vec<Formula<Linear>> = Vec::new();
        let mut depth = 0;
        while let Some(task) = tasks.pop() {
            match task {
                Task::Read(node) if name(node) == "fires" => read.push(self.fires(node)?),
                Task::Read(node) if self.of_time.contains(&node.id()) => {
                    let (operator, parts) = parts(node)?;
                    tasks.push(Task::Join(operator, parts.len()));
                    tasks.extend(parts.into_iter().map(Task::Read));
                    depth += 1;
                    if depth > DEEPEST {
                        let what = format!("formulas nested deeper than {DEEPEST} are not read");
                        return Err(Unreadable::at(node, what));
                    }
                }
                Task::Read(node) => {
                    if let Some(path) = node.descendants().find(|&it| is_path(it)) {
                        let what = "a path quantifier inside a formula about runs is beyond this";
                        return Err(Unreadable::at(path, what));
                    }
                    let predicate = predicate(self.net, node, false)?;
                    read.push(self.atom(predicate));
                }
                Task::Join(operator, count) => {
                    depth -= 1;
                    let parts = read.split_off(read.len().saturating_sub(count));
                    read.push(self.join(operator, &parts));
                }
            }
        }
        read.pop().ok_or_else(|| Unreadable::at(path, "expected a formula"))
    }

    fn join(&mut self, operator: Operator, parts: &[Formula<Linear>]) -> Formula<Linear> {
        let formulas = &mut self.formulas;
        match (operator, parts) {
            (Operator::Globally, &[part]) => formulas.always(Linear, part),
            (Operator::Finally, &[part]) => formulas.eventually(Linear, part),
            (Operator::Next, &[part]) => formulas.next(Linear, part),
            (Operator::Until, &[reach, before]) => formulas.until(Linear, before, reach),
            (Operator::Not, &[part]) => formulas.negate(part),
            (Operator::Implication, &[then, premise]) => {
                let not = formulas.negate(premise);
                formulas.or([not, then])
            }
            (Operator::Junction(true), parts) => formulas.or(parts.iter().copied()),
            (_, parts) => formulas.and(parts.iter().copied()),
        }
    }

    /// A predicate in sorted form as an atom, or the negation of one.
    fn atom(&mut self, predicate: Predicate) -> Formula<Linear> {
        match predicate {
            Predicate::True => return self.formulas.constant(true),
            Predicate::False => return self.formulas.constant(false),
            _ => {}
        }
        let negation = RunAtom::Holds(predicate.clone().negated().sorted());
        if let Some(&atom) = self.numbers.get(&negation) {
            let atom = self.formulas.atom(atom);
            return self.formulas.negate(atom);
        }
        let atom = self.number(RunAtom::Holds(predicate));
        self.formulas.atom(atom)
    }

    /// The number of an atom, a new one if it is not there.
    fn number(&mut self, atom: RunAtom) -> Atom {
        let next = Atom(self.atoms.len() as u32);
        let number = *self.numbers.entry(atom.clone()).or_insert(next);
        if number == next {
            self.atoms.push(atom);
        }
        number
    }

    /// That no run has it.
    fn none_has(&self, formula: Formula<Linear>) -> Question {
        let none = |part| {
            let property = RunProperty::new(&self.formulas, part, &self.atoms);
            Question::NoRun(Box::new(property))
        };
        match self.formulas.node(formula) {
            Part::Or(parts) => {
                Question::Junction { all: true, parts: parts.iter().map(|&it| none(it)).collect() }
            }
            _ => none(formula),
        }
    }
}

/// The operator at a node with an operator of time in it, and its operands; of `until` and
/// `implication` the first one comes first.
fn parts<'a, 'input>(
    node: Node<'a, 'input>,
) -> Result<(Operator, Vec<Node<'a, 'input>>), Unreadable> {
    let one = |operator| Ok((operator, vec![inside(node)?]));
    match name(node) {
        "globally" => return one(Operator::Globally),
        "finally" => return one(Operator::Finally),
        "next" => return one(Operator::Next),
        "negation" => return one(Operator::Not),
        "until" => {
            let parts = vec![inside(child(node, "before")?)?, inside(child(node, "reach")?)?];
            return match elements(node).count() {
                2 => Ok((Operator::Until, parts)),
                other => Err(Unreadable::at(node, format!("`until` of {other} operands"))),
            };
        }
        _ => {}
    }
    // Their number is checked there.
    let Some(_) = operands(node, false)? else {
        let what = format!("expected a formula about runs, found `{}`", name(node));
        return Err(Unreadable::at(node, what));
    };
    let operator = match name(node) {
        "conjunction" => Operator::Junction(false),
        "disjunction" => Operator::Junction(true),
        _ => Operator::Implication,
    };
    Ok((operator, elements(node).collect()))
}
