//! Formulas with operators of time, of either logic: from the XML to a formula over atoms.
//!
//! A formula is read with a list of what is still to be done, so that no depth of the file costs
//! stack. What speaks of no more than a marking becomes an atom; which elements speak of more, and
//! what they are, is for the [`Logic`] to say.

use super::{DEEPEST, inside, operands, predicate};
use crate::reader::{Unreadable, child, elements, name};
use parikh_net::run_property::RunAtom;
use parikh_net::{Net, Predicate};
use parikh_temporal::{Atom, Formula, Formulas, Paths};
use roxmltree::{Node, NodeId};
use std::collections::{HashMap, HashSet};

/// What a logic makes of the elements that speak of more than a marking.
pub(super) trait Logic: Paths {
    /// Whether an element does.
    fn is_timed(node: Node<'_, '_>) -> bool;

    /// An element that is an atom by itself, with what it is.
    fn atom(net: &Net, node: Node<'_, '_>) -> Result<Option<RunAtom>, Unreadable>;

    /// The paths that an element with an operator of time speaks of, and the element that names the
    /// operator; nothing where it has none.
    fn operator<'a, 'input>(
        node: Node<'a, 'input>,
    ) -> Result<Option<(Self, Node<'a, 'input>)>, Unreadable>;

    /// Refuses an element in which nothing was found that speaks of more than a marking.
    fn refuse(node: Node<'_, '_>) -> Result<(), Unreadable>;
}

/// What is still to be done.
enum Task<'a, 'input, P> {
    /// Read a formula.
    Read(Node<'a, 'input>),
    /// Put together the last formulas that were read: so many.
    Join(Operator<P>, usize),
}

#[derive(Clone, Copy)]
enum Operator<P> {
    Globally(P),
    Finally(P),
    Next(P),
    /// The one read last comes first.
    Until(P),
    Not,
    /// Whether one is enough.
    Junction(bool),
    /// The one read last is the premise.
    Implication,
}

/// A formula that is being read.
pub(super) struct Reading<'n, P> {
    net: &'n Net,
    pub(super) formulas: Formulas<P>,
    pub(super) atoms: Vec<RunAtom>,
    /// The atoms by number; predicates are in sorted form.
    numbers: HashMap<RunAtom, Atom>,
    /// The elements with one in them, or around, that speaks of more than a marking.
    timed: HashSet<NodeId>,
    /// Whether nothing comes next where nothing is enabled: `next` of anything does not hold there.
    pub(super) ends: bool,
}

impl<'n, P: Logic> Reading<'n, P> {
    pub(super) fn new(net: &'n Net, whole: Node<'_, '_>) -> Self {
        let mut timed = HashSet::new();
        for node in whole.descendants().filter(|&node| P::is_timed(node)) {
            // Those around an element that was met were met, too.
            let mut around = node.ancestors();
            while around.next().is_some_and(|node| timed.insert(node.id())) {}
        }
        let (formulas, atoms, numbers) = (Formulas::default(), Vec::new(), HashMap::new());
        Reading { net, formulas, atoms, numbers, timed, ends: false }
    }

    pub(super) fn formula(&mut self, whole: Node<'_, '_>) -> Result<Formula<P>, Unreadable> {
        let mut tasks = vec![Task::Read(whole)];
        let mut read: Vec<Formula<P>> = Vec::new();
        let mut depth = 0;
        while let Some(task) = tasks.pop() {
            match task {
                Task::Read(node) if self.timed.contains(&node.id()) => {
                    if let Some(atom) = P::atom(self.net, node)? {
                        let atom = self.number(atom);
                        read.push(self.formulas.atom(atom));
                        continue;
                    }
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
                    P::refuse(node)?;
                    let predicate = predicate(self.net, node, false)?;
                    read.push(self.holds(predicate));
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

    fn join(&mut self, operator: Operator<P>, parts: &[Formula<P>]) -> Formula<P> {
        let formulas = &mut self.formulas;
        match (operator, parts) {
            (Operator::Globally(paths), &[part]) => formulas.always(paths, part),
            (Operator::Finally(paths), &[part]) => formulas.eventually(paths, part),
            (Operator::Next(paths), &[part]) => {
                let next = formulas.next(paths, part);
                if !self.ends {
                    return next;
                }
                let dead = self.holds(Predicate::Dead);
                let goes_on = self.formulas.negate(dead);
                self.formulas.and([goes_on, next])
            }
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
    pub(super) fn holds(&mut self, predicate: Predicate) -> Formula<P> {
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
}

/// The operator at an element that speaks of more than a marking, and its operands; of `until` and
/// `implication` the first one comes first.
fn parts<'a, 'input, P: Logic>(
    node: Node<'a, 'input>,
) -> Result<(Operator<P>, Vec<Node<'a, 'input>>), Unreadable> {
    if let Some((paths, named)) = P::operator(node)? {
        let one = |operator| Ok((operator, vec![inside(named)?]));
        return match name(named) {
            "globally" => one(Operator::Globally(paths)),
            "finally" => one(Operator::Finally(paths)),
            "next" => one(Operator::Next(paths)),
            _ => {
                let parts = vec![inside(child(named, "before")?)?, inside(child(named, "reach")?)?];
                match elements(named).count() {
                    2 => Ok((Operator::Until(paths), parts)),
                    other => Err(Unreadable::at(named, format!("`until` of {other} operands"))),
                }
            }
        };
    }
    if name(node) == "negation" {
        return Ok((Operator::Not, vec![inside(node)?]));
    }
    // Their number is checked there.
    let Some(_) = operands(node, false)? else {
        let what = format!("expected a formula with operators of time, found `{}`", name(node));
        return Err(Unreadable::at(node, what));
    };
    let operator = match name(node) {
        "conjunction" => Operator::Junction(false),
        "disjunction" => Operator::Junction(true),
        _ => Operator::Implication,
    };
    Ok((operator, elements(node).collect()))
}
