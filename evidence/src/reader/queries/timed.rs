//! Reads formulas of LTL or CTL in XML, and returns formulas over atoms.
//!
//! A list of pending tasks replaces recursion, so nested formulas do not overflow the call stack.
//! Formulas nested deeper than `MAX_DEPTH` are refused. State formulas become atoms. A
//! [`TemporalSyntax`] defines the elements of temporal formulas and their meaning.

use super::logic::{Connective, read_predicate};
use super::{MAX_DEPTH, operand};
use crate::reader::{Unreadable, child, elements, name};
use parikh_net::run_property::RunAtom;
use parikh_net::{Net, Predicate};
use parikh_temporal::{AtomId, Formula, Formulas, Paths};
use roxmltree::{Node, NodeId};
use std::collections::{HashMap, HashSet};

/// A logic (LTL or CTL), which defines the elements of temporal formulas and their meaning.
pub(super) trait TemporalSyntax: Paths {
    /// Returns true if the element is temporal, so that a formula that contains it is not a state
    /// formula.
    fn is_temporal(node: Node<'_, '_>) -> bool;

    /// Reads an element that is an atom by itself; returns `None` for other elements.
    fn atom(net: &Net, node: Node<'_, '_>) -> Result<Option<RunAtom>, Unreadable>;

    /// Reads the temporal operator or the path quantifier at an element; returns `None` if the
    /// element has neither.
    fn operator<'a, 'input>(
        node: Node<'a, 'input>,
    ) -> Result<Option<TemporalElement<'a, 'input, Self>>, Unreadable>;

    /// Returns an error if the element cannot be a state formula. The element has no temporal
    /// elements inside.
    fn check_state_formula(node: Node<'_, '_>) -> Result<(), Unreadable>;
}

/// A temporal operator to read, or a formula below a path quantifier.
pub(super) struct TemporalElement<'a, 'input, P> {
    /// The paths that the temporal operator at `node` ranges over. `None` if the formula of `node`
    /// itself is read, without an operator on paths.
    pub(super) paths: Option<P>,
    /// True if the formula read at `node` is negated.
    pub(super) is_negated: bool,
    /// The element of the operator, or of the formula if `paths` is `None`.
    pub(super) node: Node<'a, 'input>,
}

/// A pending step of the reader.
enum ReadingTask<'a, 'input, P> {
    /// Read a formula.
    Read(Node<'a, 'input>),
    /// Read a temporal operator.
    ReadTemporal(TemporalElement<'a, 'input, P>),
    /// Negate the last formula that was read.
    Negate,
    /// Apply an operator to the last formulas that were read; the number counts them.
    Join(TemporalOperator<P>, usize),
}

/// An operator of a formula with temporal operators. A temporal operator has the paths that it
/// ranges over: in LTL the current run, in CTL a path quantifier.
#[derive(Clone, Copy)]
enum TemporalOperator<P> {
    Globally(P),
    Finally(P),
    Next(P),
    /// The formula read last is the first operand (`before`). The formula read before it is the
    /// second (`reach`).
    Until(P),
    Not,
    /// A disjunction if true, a conjunction if false.
    AndOr(bool),
    /// The formula read last is the premise.
    Implication,
    /// An equivalence if true, an exclusive or if false.
    Equivalence(bool),
}

/// A reader of a formula, with the formulas and atoms that it has built.
pub(super) struct TemporalReader<'n, P> {
    net: &'n Net,
    pub(super) formulas: Formulas<P>,
    pub(super) atoms: Vec<RunAtom>,
    /// The number of each atom, which is its index in `atoms`. Predicates in atoms are in sorted
    /// form.
    atom_numbers: HashMap<RunAtom, AtomId>,
    /// The temporal elements, and all elements that contain a temporal element.
    temporal_nodes: HashSet<NodeId>,
    /// True if paths end in dead markings, so that `next` of any formula is false there.
    pub(super) ends_in_dead_markings: bool,
}

impl<'n, P: TemporalSyntax> TemporalReader<'n, P> {
    /// Creates a reader for the formula at the element `whole`, or for a part of it.
    pub(super) fn new(net: &'n Net, whole: Node<'_, '_>) -> Self {
        let mut temporal_node_ids = HashSet::new();
        for node in whole.descendants().filter(|&node| P::is_temporal(node)) {
            // If an element was inserted before, so were all elements around it.
            let mut enclosing = node.ancestors();
            while enclosing.next().is_some_and(|node| temporal_node_ids.insert(node.id())) {}
        }
        let (formulas, atoms, atom_numbers) = (Formulas::default(), Vec::new(), HashMap::new());
        TemporalReader {
            net,
            formulas,
            atoms,
            atom_numbers,
            temporal_nodes: temporal_node_ids,
            ends_in_dead_markings: false,
        }
    }

    /// Reads the formula at the element `whole`.
    pub(super) fn formula(&mut self, whole: Node<'_, '_>) -> Result<Formula<P>, Unreadable> {
        self.read(ReadingTask::Read(whole), whole)
    }

    /// Reads a temporal operator with its operands, or the formula below a path quantifier.
    pub(super) fn temporal_formula(
        &mut self,
        element: TemporalElement<'_, '_, P>,
    ) -> Result<Formula<P>, Unreadable> {
        let whole = element.node;
        self.read(ReadingTask::ReadTemporal(element), whole)
    }

    /// Performs the task `first` and all tasks that follow from it. `whole` is the formula for
    /// error messages.
    fn read<'a, 'input>(
        &mut self,
        first: ReadingTask<'a, 'input, P>,
        whole: Node<'a, 'input>,
    ) -> Result<Formula<P>, Unreadable> {
        let mut tasks = vec![first];
        let mut results: Vec<Formula<P>> = Vec::new();
        let mut depth = 0;
        while let Some(task) = tasks.pop() {
            if depth > MAX_DEPTH {
                let what = format!("formulas nested deeper than {MAX_DEPTH} are not supported");
                return Err(Unreadable::at(whole, what));
            }
            match task {
                ReadingTask::ReadTemporal(TemporalElement { is_negated: true, paths, node }) => {
                    tasks.push(ReadingTask::Negate);
                    tasks.push(ReadingTask::ReadTemporal(TemporalElement {
                        is_negated: false,
                        paths,
                        node,
                    }));
                }
                ReadingTask::ReadTemporal(TemporalElement { paths: None, node, .. }) => {
                    tasks.push(ReadingTask::Read(node))
                }
                ReadingTask::ReadTemporal(TemporalElement { paths: Some(paths), node, .. }) => {
                    let (operator, parts) = temporal_operator(node, paths)?;
                    tasks.push(ReadingTask::Join(operator, parts.len()));
                    tasks.extend(parts.into_iter().map(ReadingTask::Read));
                    depth += 1;
                }
                ReadingTask::Read(node) if self.temporal_nodes.contains(&node.id()) => {
                    if let Some(atom) = P::atom(self.net, node)? {
                        let atom = self.atom_id(atom);
                        results.push(self.formulas.atom(atom));
                        continue;
                    }
                    if let Some(timed) = P::operator(node)? {
                        tasks.push(ReadingTask::ReadTemporal(timed));
                        continue;
                    }
                    let operator = connective(node)?;
                    tasks.push(ReadingTask::Join(operator, elements(node).count()));
                    tasks.extend(elements(node).map(ReadingTask::Read));
                    depth += 1;
                }
                ReadingTask::Read(node) => {
                    P::check_state_formula(node)?;
                    let predicate = read_predicate(self.net, node, false)?;
                    results.push(self.predicate_formula(predicate));
                }
                ReadingTask::Negate => {
                    let negated = results.pop().map(|last| self.formulas.negate(last));
                    results.extend(negated);
                }
                ReadingTask::Join(operator, count) => {
                    depth -= 1;
                    let parts = results.split_off(results.len().saturating_sub(count));
                    results.push(self.join(operator, &parts));
                }
            }
        }
        results.pop().ok_or_else(|| Unreadable::at(whole, "expected a formula"))
    }

    /// Applies an operator to the formulas `parts`. They are in the order of reading, so the last
    /// operand comes first.
    fn join(&mut self, operator: TemporalOperator<P>, parts: &[Formula<P>]) -> Formula<P> {
        let formulas = &mut self.formulas;
        match (operator, parts) {
            (TemporalOperator::Globally(paths), &[part]) => formulas.always(paths, part),
            (TemporalOperator::Finally(paths), &[part]) => formulas.eventually(paths, part),
            (TemporalOperator::Next(paths), &[part]) => {
                let next = formulas.next(paths, part);
                if !self.ends_in_dead_markings {
                    return next;
                }
                let dead = self.predicate_formula(Predicate::Dead);
                let is_not_dead = self.formulas.negate(dead);
                self.formulas.and([is_not_dead, next])
            }
            (TemporalOperator::Until(paths), &[reach, before]) => {
                formulas.until(paths, before, reach)
            }
            (TemporalOperator::Not, &[part]) => formulas.negate(part),
            (TemporalOperator::Implication, &[conclusion, premise]) => {
                let not = formulas.negate(premise);
                formulas.or([not, conclusion])
            }
            (TemporalOperator::Equivalence(is_equivalence), &[b, a]) => {
                let [not_a, not_b] = [a, b].map(|it| formulas.negate(it));
                let (b_if_a, b_if_not_a) = if is_equivalence { (b, not_b) } else { (not_b, b) };
                let cases = [[a, b_if_a], [not_a, b_if_not_a]].map(|case| formulas.and(case));
                formulas.or(cases)
            }
            (TemporalOperator::AndOr(true), parts) => formulas.or(parts.iter().copied()),
            (_, parts) => formulas.and(parts.iter().copied()),
        }
    }

    /// Returns the formula of a sorted predicate: an atom, its negation, or a constant.
    pub(super) fn predicate_formula(&mut self, predicate: Predicate) -> Formula<P> {
        match predicate {
            Predicate::True => return self.formulas.constant(true),
            Predicate::False => return self.formulas.constant(false),
            _ => {}
        }
        let negation = RunAtom::Holds(predicate.clone().negated().sorted());
        if let Some(&atom) = self.atom_numbers.get(&negation) {
            let atom = self.formulas.atom(atom);
            return self.formulas.negate(atom);
        }
        let atom = self.atom_id(RunAtom::Holds(predicate));
        self.formulas.atom(atom)
    }

    /// Returns the number of an atom, and adds the atom if necessary.
    fn atom_id(&mut self, atom: RunAtom) -> AtomId {
        let next = AtomId(self.atoms.len() as u32);
        let number = *self.atom_numbers.entry(atom.clone()).or_insert(next);
        if number == next {
            self.atoms.push(atom);
        }
        number
    }
}

/// Returns the temporal operator of an element on the given paths, and the elements of its
/// operands. The operands of `until` are the contents of `before` and of `reach`, in this order.
fn temporal_operator<'a, 'input, P: TemporalSyntax>(
    node: Node<'a, 'input>,
    paths: P,
) -> Result<(TemporalOperator<P>, Vec<Node<'a, 'input>>), Unreadable> {
    let with_operand = |operator| Ok((operator, vec![operand(node)?]));
    match name(node) {
        "globally" | "invariant" => with_operand(TemporalOperator::Globally(paths)),
        "finally" | "possibility" | "impossibility" => {
            with_operand(TemporalOperator::Finally(paths))
        }
        "next" => with_operand(TemporalOperator::Next(paths)),
        _ => {
            let parts = vec![operand(child(node, "before")?)?, operand(child(node, "reach")?)?];
            match elements(node).count() {
                2 => Ok((TemporalOperator::Until(paths), parts)),
                other => Err(Unreadable::at(node, format!("`until` of {other} operands"))),
            }
        }
    }
}

/// Returns the logical operator of an element with temporal elements inside.
fn connective<P>(node: Node<'_, '_>) -> Result<TemporalOperator<P>, Unreadable> {
    Ok(match Connective::of(node)? {
        Some(Connective::And) => TemporalOperator::AndOr(false),
        Some(Connective::Or) => TemporalOperator::AndOr(true),
        Some(Connective::Not) => TemporalOperator::Not,
        Some(Connective::Implies) => TemporalOperator::Implication,
        Some(Connective::Equivalence(is_equivalence)) => {
            TemporalOperator::Equivalence(is_equivalence)
        }
        None => {
            let found = name(node);
            let what = format!("expected a formula with operators of time, found `{found}`");
            return Err(Unreadable::at(node, what));
        }
    })
}
