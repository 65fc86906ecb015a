//! Whether an automaton accepts what a formula says, from its obligations alone.
//!
//! The checker knows nothing of how an automaton came about. It looks at one state at a time, takes
//! the formulas that stand at the state apart, and compares what it finds with the edges.
//!
//! **Nothing is missing** ([`Tableau::check_complete`]). What a word has to meet is taken apart by
//! the rules of tableaux: φ U ψ is ψ now, or φ now and φ U ψ next, put off; φ R ψ is ψ now, and φ
//! now or φ R ψ next. Each of the cases has to be *covered* by an edge that demands no more than
//! the case: its literals are among those of the case, the obligations of its target are among what
//! is next, and it puts off only what the case puts off.
//!
//! *Why that is enough.* Take a word of the formula. In each state whose obligations it meets, it
//! is in some case that puts no until off whose right side holds. An edge covers this case, and the
//! rest of the word meets the obligations of its target: so there is a run. Were the mark of φ U ψ
//! missing from some point of it on, all cases from there would put it off. So ψ would hold nowhere
//! from there; but a case that puts φ U ψ off has it next, and it is true of the rest of the word:
//! ψ holds somewhere. Hence the run is accepting. Where one side of a choice is demanded anyway,
//! the word is in the case of that side, and the other side is no case.
//!
//! **Nothing is too much** ([`Tableau::check_sound`]). At each edge, every obligation of its state
//! has to follow from its literals and from the obligations of its target, where an until may
//! follow from "next" only if the edge lacks its mark.
//!
//! *Why that is enough.* Along an accepting run, every obligation is true, by induction over
//! formulas. An until can rest on "next" only as long as edges lack its mark, which is not for
//! ever; so its right side comes. A release rests on "next" for ever, or until its left side comes.
//!
//! Answers that no run exists rest on the first of the two. Source of the rules: Gerth, Peled,
//! Vardi, Wolper, "Simple on-the-fly automatic verification of linear temporal logic", PSTV 1995.

use super::Edge;
use super::translate::Tableau;
use crate::atom::Literal;
use crate::formula::{Formula, Ltl, Node};
use crate::parts::Values;
use crate::paths::Linear;
use std::collections::BTreeSet;
use thiserror::Error;

type Id = Formula<Linear>;

/// Why an automaton is not believed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Refusal {
    /// Numbers do not fit together: a target, a mark, or a row is missing.
    #[error("{0} is out of range")]
    Malformed(&'static str),
    /// Runs begin in a state that does not stand for the formula.
    #[error("the obligations of the initial state are not the formula")]
    Initial,
    /// No edge is there for one of the cases of a state.
    #[error("state {state}: no edge for the case of {literals:?}, with {next} formulas next")]
    Uncovered {
        /// The state.
        state: usize,
        /// What the case reads.
        literals: Vec<Literal>,
        /// How many formulas are next.
        next: usize,
    },
    /// An edge does not imply an obligation of its state.
    #[error("state {state}: edge {edge} does not meet all obligations")]
    Unmet {
        /// The state.
        state: usize,
        /// Which of its edges.
        edge: usize,
    },
    /// More cases than may be looked at.
    #[error("more than {0} cases")]
    TooMany(usize),
}

/// A case on the way.
#[derive(Clone, Default)]
struct Case {
    /// What is still to be taken apart.
    open: Vec<Id>,
    /// What has been taken apart, or is to be: the word of the case meets all of it.
    known: BTreeSet<Id>,
    literals: BTreeSet<Literal>,
    next: BTreeSet<Id>,
    postponed: BTreeSet<Id>,
}

impl Tableau {
    /// Whether every word of the formula is accepted; see the head of the module.
    ///
    /// # Errors
    ///
    /// Says what is missing, or that it would look at more than `cases` cases.
    pub fn check_complete(&self, formulas: &Ltl, formula: Id, cases: usize) -> Result<(), Refusal> {
        self.check_numbers()?;
        let demanded = conjuncts(formulas, formula);
        let initial = &self.obligations[self.automaton.initial];
        if !initial.iter().all(|obligation| demanded.contains(obligation)) {
            return Err(Refusal::Initial);
        }
        let mut left = cases;
        for state in 0..self.automaton.states.len() {
            let mut first = Case::default();
            first.demand(self.obligations[state].iter().copied());
            let mut stack = vec![first];
            while let Some(case) = stack.pop() {
                left = left.checked_sub(1).ok_or(Refusal::TooMany(cases))?;
                // What covers a case covers all that it comes to.
                if self.automaton.states[state].iter().any(|edge| self.covers(edge, &case)) {
                    continue;
                }
                if case.open.is_empty() {
                    let literals = case.literals.into_iter().collect();
                    return Err(Refusal::Uncovered { state, literals, next: case.next.len() });
                }
                take_apart(formulas, case, &mut stack);
            }
        }
        Ok(())
    }

    /// Whether every word that is accepted is one of the formula; see the head of the module.
    ///
    /// # Errors
    ///
    /// Says which edge does not do what its state stands for.
    pub fn check_sound(&self, formulas: &Ltl, formula: Id) -> Result<(), Refusal> {
        self.check_numbers()?;
        let initial = &self.obligations[self.automaton.initial];
        if !conjuncts(formulas, formula).iter().all(|demanded| initial.contains(demanded)) {
            return Err(Refusal::Initial);
        }
        for (state, edges) in self.automaton.states.iter().enumerate() {
            for (number, edge) in edges.iter().enumerate() {
                let is_met = |&obligation: &Id| self.meets(formulas, edge, obligation);
                if !self.obligations[state].iter().all(is_met) {
                    return Err(Refusal::Unmet { state, edge: number });
                }
            }
        }
        Ok(())
    }

    fn check_numbers(&self) -> Result<(), Refusal> {
        let automaton = &self.automaton;
        if self.obligations.len() != automaton.states.len() {
            return Err(Refusal::Malformed("the number of obligations"));
        }
        if self.untils.len() != automaton.marks as usize || self.untils.len() > 64 {
            return Err(Refusal::Malformed("the number of marks"));
        }
        if automaton.initial >= automaton.states.len() {
            return Err(Refusal::Malformed("the initial state"));
        }
        let in_range = |edge: &Edge| edge.target < automaton.states.len();
        if !automaton.states.iter().flatten().all(in_range) {
            return Err(Refusal::Malformed("a target"));
        }
        Ok(())
    }

    /// Whether an edge demands no more than a case.
    fn covers(&self, edge: &Edge, case: &Case) -> bool {
        let mut marks = self.untils.iter().zip(0..);
        edge.cube.literals().iter().all(|literal| case.literals.contains(literal))
            && self.obligations[edge.target].iter().all(|formula| case.next.contains(formula))
            && marks.all(|(until, mark)| edge.marks.has(mark) || case.postponed.contains(until))
    }

    /// Whether a formula follows from what an edge reads and leads to.
    fn meets(&self, formulas: &Ltl, edge: &Edge, formula: Id) -> bool {
        let next = &self.obligations[edge.target];
        let postpones = |until: Id| {
            let mark = self.untils.iter().position(|&other| other == until);
            next.contains(&until) && mark.is_some_and(|mark| !edge.marks.has(mark as u32))
        };
        formulas.fold(formula, |part, node, met: &Values<_, bool>| match node {
            Node::True => true,
            Node::False => false,
            Node::Literal(literal) => edge.cube.literals().contains(literal),
            Node::And(all) => all.iter().all(|&inner| met[inner]),
            Node::Or(all) => all.iter().any(|&inner| met[inner]),
            Node::Next(_, inner) => {
                conjuncts(formulas, *inner).iter().all(|demanded| next.contains(demanded))
            }
            Node::Until(_, left, right) => met[*right] || (met[*left] && postpones(part)),
            Node::Release(_, left, right) => met[*right] && (met[*left] || next.contains(&part)),
        })
    }
}

impl Case {
    /// Adds what the word has to meet, too.
    fn demand(&mut self, formulas: impl IntoIterator<Item = Id>) {
        for formula in formulas {
            if self.known.insert(formula) {
                self.open.push(formula);
            }
        }
    }

    /// The case, and that the word has to meet this, too.
    fn with(&self, formula: Id) -> Self {
        let mut case = self.clone();
        case.demand([formula]);
        case
    }
}

/// Takes one formula of a case apart, if possible one that comes to one case only; the cases that
/// it comes to are pushed. Where one side of a choice is known, the other is no case of its own.
fn take_apart(formulas: &Ltl, mut case: Case, stack: &mut Vec<Case>) {
    let is_choice =
        |node: &Node<Linear>| matches!(node, Node::Or(_) | Node::Until(..) | Node::Release(..));
    let plain = case.open.iter().position(|&part| !is_choice(formulas.node(part)));
    let Some(at) = plain.or(case.open.len().checked_sub(1)) else { return };
    let formula = case.open.swap_remove(at);
    match formulas.node(formula) {
        Node::True => stack.push(case),
        Node::False => {}
        Node::Literal(literal) => {
            if !case.literals.contains(&literal.negated()) {
                case.literals.insert(*literal);
                stack.push(case);
            }
        }
        Node::And(all) => {
            case.demand(all.iter().copied());
            stack.push(case);
        }
        Node::Or(all) if all.iter().any(|part| case.known.contains(part)) => stack.push(case),
        Node::Or(all) => stack.extend(all.iter().map(|&part| case.with(part))),
        Node::Next(_, part) => {
            if !formulas.is(*part, false) {
                case.next.extend(conjuncts(formulas, *part));
                stack.push(case);
            }
        }
        Node::Until(_, _, right) if case.known.contains(right) => stack.push(case),
        Node::Until(_, left, right) => {
            stack.push(case.with(*right));
            case.demand([*left]);
            case.next.insert(formula);
            case.postponed.insert(formula);
            stack.push(case);
        }
        Node::Release(_, left, right) => {
            case.demand([*right]);
            if case.known.contains(left) {
                stack.push(case);
                return;
            }
            stack.push(case.with(*left));
            case.next.insert(formula);
            stack.push(case);
        }
    }
}

/// The conjuncts of a formula: no conjunction among them, and not true.
fn conjuncts(formulas: &Ltl, formula: Id) -> Vec<Id> {
    match formulas.node(formula) {
        Node::True => Vec::new(),
        Node::And(all) => {
            let mut open = all.to_vec();
            let mut found = Vec::new();
            while let Some(part) = open.pop() {
                match formulas.node(part) {
                    Node::And(inner) => open.extend_from_slice(inner),
                    _ => found.push(part),
                }
            }
            found
        }
        _ => vec![formula],
    }
}
