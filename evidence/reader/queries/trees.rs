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
//! Each operator of time stands directly below a quantifier of its own, which says whether it is about
//! some or all maximal rows of firings from a marking. A row that comes to a dead marking ends there:
//! `next` of `exists-path` is false in it and that of `all-paths` true.

use super::{DEEPEST, inside, is_path, operands, predicate};
use crate::question::Question;
use crate::reader::{Unreadable, child, elements, name};
use parikh_net::{Net, Predicate, TreeProperty};
use parikh_temporal::{Atom, Ctl, Formula, Quantifier};
use roxmltree::{Node, NodeId};
use std::collections::{HashMap, HashSet};

/// A question with path quantifiers below others, or its negation.
pub(super) fn of_tree(
    net: &Net,
    formula: Node<'_, '_>,
    negated: bool,
) -> Result<Question, Unreadable> {
    let mut reading = Reading::new(net, formula);
    let mut read = reading.formula(formula)?;
    if negated {
        read = reading.formulas.negate(read);
    }
    Ok(Question::of_tree(&TreeProperty::new(&reading.formulas, read, &reading.atoms)))
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
    Globally(Quantifier),
    Finally(Quantifier),
    Next(Quantifier),
    /// The one read last comes first.
    Until(Quantifier),
    Not,
    /// Whether one is enough.
    Junction(bool),
    /// The one read last is the premise.
    Implication,
}

/// A formula that is being read.
struct Reading<'n> {
    net: &'n Net,
    formulas: Ctl,
    atoms: Vec<Predicate>,
    /// Predicates that are atoms, in sorted form.
    numbers: HashMap<Predicate, Atom>,
    /// The nodes with a path quantifier in them.
    with_paths: HashSet<NodeId>,
}

impl<'n> Reading<'n> {
    fn new(net: &'n Net, formula: Node<'_, '_>) -> Self {
        let mut with_paths = HashSet::new();
        for node in formula.descendants().filter(|&node| is_path(node)) {
            // Those around a node that was met were met, too.
            let mut around = node.ancestors();
            while around.next().is_some_and(|node| with_paths.insert(node.id())) {}
        }
        let (formulas, atoms, numbers) = (Ctl::default(), Vec::new(), HashMap::new());
        Reading { net, formulas, atoms, numbers, with_paths }
    }

    fn formula(&mut self, whole: Node<'_, '_>) -> Result<Formula<Quantifier>, Unreadable> {
        let mut tasks = vec![Task::Read(whole)];
        let mut read: Vec<Formula<Quantifier>> = Vec::new();
        let mut depth = 0;
        while let Some(task) = tasks.pop() {
            match task {
                Task::Read(node) if self.with_paths.contains(&node.id()) => {
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
        read.pop().ok_or_else(|| Unreadable::at(whole, "expected a formula"))
    }

    fn join(&mut self, operator: Operator, parts: &[Formula<Quantifier>]) -> Formula<Quantifier> {
        let formulas = &mut self.formulas;
        match (operator, parts) {
            (Operator::Globally(paths), &[part]) => formulas.always(paths, part),
            (Operator::Finally(paths), &[part]) => formulas.eventually(paths, part),
            (Operator::Next(paths), &[part]) => formulas.next(paths, part),
            (Operator::Until(paths), &[reach, before]) => formulas.until(paths, before, reach),
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
    fn atom(&mut self, predicate: Predicate) -> Formula<Quantifier> {
        match predicate {
            Predicate::True => return self.formulas.constant(true),
            Predicate::False => return self.formulas.constant(false),
            _ => {}
        }
        if let Some(&atom) = self.numbers.get(&predicate.clone().negated().sorted()) {
            let atom = self.formulas.atom(atom);
            return self.formulas.negate(atom);
        }
        let next = Atom(self.atoms.len() as u32);
        let atom = *self.numbers.entry(predicate.clone()).or_insert(next);
        if atom == next {
            self.atoms.push(predicate);
        }
        self.formulas.atom(atom)
    }
}

/// The operator at a node with a path quantifier in it, and its operands; of `until` and `implication`
/// the first one comes first.
fn parts<'a, 'input>(
    node: Node<'a, 'input>,
) -> Result<(Operator, Vec<Node<'a, 'input>>), Unreadable> {
    let paths = match name(node) {
        "all-paths" => Quantifier::All,
        "exists-path" => Quantifier::Exists,
        _ => return junction(node),
    };
    let path = inside(node)?;
    let one = |operator| Ok((operator, vec![inside(path)?]));
    match name(path) {
        "globally" => one(Operator::Globally(paths)),
        "finally" => one(Operator::Finally(paths)),
        "next" => one(Operator::Next(paths)),
        "until" => {
            let parts = vec![inside(child(path, "before")?)?, inside(child(path, "reach")?)?];
            match elements(path).count() {
                2 => Ok((Operator::Until(paths), parts)),
                other => Err(Unreadable::at(path, format!("`until` of {other} operands"))),
            }
        }
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

fn junction<'a, 'input>(
    node: Node<'a, 'input>,
) -> Result<(Operator, Vec<Node<'a, 'input>>), Unreadable> {
    if name(node) == "negation" {
        return Ok((Operator::Not, vec![inside(node)?]));
    }
    // Their number is checked there.
    let Some(_) = operands(node, false)? else {
        let what = format!("expected a formula of CTL, found `{}`", name(node));
        return Err(Unreadable::at(node, what));
    };
    let operator = match name(node) {
        "conjunction" => Operator::Junction(false),
        "disjunction" => Operator::Junction(true),
        _ => Operator::Implication,
    };
    Ok((operator, elements(node).collect()))
}
