//! Checks that an automaton accepts exactly the words of a formula, from its obligations alone.
//!
//! The checker does not know how the automaton was built. For each state, it decomposes the
//! formulas at the state and compares the result with the edges.
//!
//! **Nothing is missing** ([`LinearTableau::check_complete`]). Obligations are decomposed by the
//! tableau rules: φ U ψ is ψ now, or φ now and φ U ψ next (postponed); φ R ψ is ψ now, and φ now or
//! φ R ψ next. Each resulting case must be *covered* by an edge that requires no more than the
//! case: its literals are among the literals of the case, the obligations of its target are among
//! the next formulas, and it postpones only untils that the case postpones.
//!
//! *Sufficiency.* Take a word of the formula. At each state whose obligations the word satisfies,
//! the word is in some case that postpones no until whose right side holds. An edge covers this
//! case, and the rest of the word satisfies the obligations of its target. So there is a run.
//! Suppose the mark of φ U ψ were missing from some point on. Then all cases from there postpone
//! it, so ψ holds nowhere from there. But a case that postpones φ U ψ has it among its next
//! formulas, which the rest of the word satisfies, so ψ holds somewhere: a contradiction. Hence the
//! run is accepting. If one side of a choice is required anyway, the word is in the case of that
//! side, and the other side needs no case.
//!
//! **Nothing is too much** ([`LinearTableau::check_sound`]). For each edge, every obligation of its
//! state must follow from the literals of the edge and the obligations of its target. An until may
//! follow from "next" only if the edge lacks its mark.
//!
//! *Sufficiency.* Along an accepting run every obligation is true, by induction over formulas. An
//! until can follow from "next" only while edges lack its mark, which does not last forever, so its
//! right side becomes true. A release follows from "next" forever, or until its left side becomes
//! true.
//!
//! The claim that no run exists depends on the first check. Source of the rules: Gerth, Peled,
//! Vardi, Wolper, "Simple on-the-fly automatic verification of linear temporal logic", PSTV 1995.

use super::AutomatonEdge;
use super::translate::LinearTableau;
use crate::atom::Literal;
use crate::formula::{Formula, Ltl, Node};
use crate::paths::Linear;
use crate::subformulas::PartValues;
use std::collections::BTreeSet;
use thiserror::Error;

type LinearFormula = Formula<Linear>;

/// The reason why an automaton is rejected.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum TableauRefusal {
    /// The parts of the tableau do not fit together. The text names what is out of range: a number
    /// of entries, the initial state or the target of an edge.
    #[error("{0} is out of range")]
    Malformed(&'static str),
    /// The initial state does not represent the formula.
    #[error("the obligations of the initial state are not the formula")]
    InitialState,
    /// A case of a state is not covered: no edge requires at most what the case requires. A case is
    /// one way to satisfy the obligations of the state.
    #[error("state {state}: no edge for the case of {literals:?}, with {next} formulas next")]
    Uncovered {
        /// The number of the state with the case.
        state: usize,
        /// The literals of the case.
        literals: Vec<Literal>,
        /// Number of next formulas of the case.
        next: usize,
    },
    /// An edge does not imply an obligation of its state.
    #[error("state {state}: edge {edge} does not meet all obligations")]
    NotImplied {
        /// The number of the source state of the edge.
        state: usize,
        /// The index of the edge among the edges of the state.
        edge: usize,
    },
    /// There are more cases than the limit.
    #[error("more than {0} cases")]
    TooManyCases(usize),
}

/// A case, that is, one way to satisfy the obligations of a state, possibly not decomposed
/// completely.
#[derive(Clone, Default)]
struct TableauCase {
    /// Formulas still to be decomposed.
    open: Vec<LinearFormula>,
    /// All formulas of the case, decomposed or not; the word satisfies all of them.
    required: BTreeSet<LinearFormula>,
    /// The literals that the current letter satisfies.
    literals: BTreeSet<Literal>,
    /// The formulas that the rest of the word satisfies.
    next: BTreeSet<LinearFormula>,
    /// The untils that the case postpones: their left side is required now, and the until itself
    /// next.
    postponed: BTreeSet<LinearFormula>,
}

impl LinearTableau {
    /// Checks that every word of the formula is accepted; see the module documentation.
    ///
    /// # Errors
    ///
    /// Returns an uncovered case, an inconsistent size or an initial state with other obligations.
    /// Returns [`TableauRefusal::TooManyCases`] if there are more than `cases` cases.
    pub fn check_complete(
        &self,
        formulas: &Ltl,
        formula: LinearFormula,
        cases: usize,
    ) -> Result<(), TableauRefusal> {
        self.check_sizes()?;
        let conjuncts_of_formula = conjuncts(formulas, formula);
        let initial = &self.obligations[self.automaton.initial];
        if !initial.iter().all(|obligation| conjuncts_of_formula.contains(obligation)) {
            return Err(TableauRefusal::InitialState);
        }
        let mut cases_left = cases;
        for state in 0..self.automaton.states.len() {
            let mut whole_state = TableauCase::default();
            whole_state.require(self.obligations[state].iter().copied());
            let mut stack = vec![whole_state];
            while let Some(case) = stack.pop() {
                cases_left =
                    cases_left.checked_sub(1).ok_or(TableauRefusal::TooManyCases(cases))?;
                // An edge that covers a case covers all its refinements.
                if self.automaton.states[state].iter().any(|edge| self.covers(edge, &case)) {
                    continue;
                }
                if case.open.is_empty() {
                    let literals = case.literals.into_iter().collect();
                    return Err(TableauRefusal::Uncovered {
                        state,
                        literals,
                        next: case.next.len(),
                    });
                }
                decompose(formulas, case, &mut stack);
            }
        }
        Ok(())
    }

    /// Checks that every accepted word satisfies the formula; see the module documentation.
    ///
    /// # Errors
    ///
    /// Returns the first edge that does not imply an obligation of its state. Also returns an error
    /// if a size is inconsistent or the initial state lacks a conjunct of the formula.
    pub fn check_sound(
        &self,
        formulas: &Ltl,
        formula: LinearFormula,
    ) -> Result<(), TableauRefusal> {
        self.check_sizes()?;
        let initial = &self.obligations[self.automaton.initial];
        if !conjuncts(formulas, formula).iter().all(|demanded| initial.contains(demanded)) {
            return Err(TableauRefusal::InitialState);
        }
        for (state, edges) in self.automaton.states.iter().enumerate() {
            for (number, edge) in edges.iter().enumerate() {
                let is_implied = |&obligation: &LinearFormula| {
                    self.implies_obligation(formulas, edge, obligation)
                };
                if !self.obligations[state].iter().all(is_implied) {
                    return Err(TableauRefusal::NotImplied { state, edge: number });
                }
            }
        }
        Ok(())
    }

    /// Checks that the numbers of obligations and marks fit the automaton, and that its initial
    /// state and the targets of all edges exist.
    fn check_sizes(&self) -> Result<(), TableauRefusal> {
        let automaton = &self.automaton;
        if self.obligations.len() != automaton.states.len() {
            return Err(TableauRefusal::Malformed("the number of obligations"));
        }
        if self.untils.len() != automaton.marks as usize || self.untils.len() > 64 {
            return Err(TableauRefusal::Malformed("the number of marks"));
        }
        if automaton.initial >= automaton.states.len() {
            return Err(TableauRefusal::Malformed("the initial state"));
        }
        let has_valid_target = |edge: &AutomatonEdge| edge.target < automaton.states.len();
        if !automaton.states.iter().flatten().all(has_valid_target) {
            return Err(TableauRefusal::Malformed("a target"));
        }
        Ok(())
    }

    /// Returns true if an edge requires no more than a case.
    fn covers(&self, edge: &AutomatonEdge, case: &TableauCase) -> bool {
        let mut marks = self.untils.iter().zip(0..);
        edge.cube.literals().iter().all(|literal| case.literals.contains(literal))
            && self.obligations[edge.target].iter().all(|formula| case.next.contains(formula))
            && marks.all(|(until, mark)| edge.marks.has(mark) || case.postponed.contains(until))
    }

    /// Returns true if the rules derive a formula from the literals of an edge and the obligations
    /// of its target. An until that is an obligation of the target is used only if the edge lacks
    /// its mark.
    fn implies_obligation(
        &self,
        formulas: &Ltl,
        edge: &AutomatonEdge,
        formula: LinearFormula,
    ) -> bool {
        let target_obligations = &self.obligations[edge.target];
        let is_postponed = |until: LinearFormula| {
            let mark = self.untils.iter().position(|&other| other == until);
            target_obligations.contains(&until)
                && mark.is_some_and(|mark| !edge.marks.has(mark as u32))
        };
        formulas.fold(formula, |subformula, node, is_implied: &PartValues<_, bool>| match node {
            Node::True => true,
            Node::False => false,
            Node::Literal(literal) => edge.cube.literals().contains(literal),
            Node::And(operands) => operands.iter().all(|&inner| is_implied[inner]),
            Node::Or(operands) => operands.iter().any(|&inner| is_implied[inner]),
            Node::Next(_, inner) => conjuncts(formulas, *inner)
                .iter()
                .all(|demanded| target_obligations.contains(demanded)),
            Node::Until(_, left, right) => {
                is_implied[*right] || (is_implied[*left] && is_postponed(subformula))
            }
            Node::Release(_, left, right) => {
                is_implied[*right]
                    && (is_implied[*left] || target_obligations.contains(&subformula))
            }
        })
    }
}

impl TableauCase {
    /// Adds formulas that the word must satisfy.
    fn require(&mut self, formulas: impl IntoIterator<Item = LinearFormula>) {
        for formula in formulas {
            if self.required.insert(formula) {
                self.open.push(formula);
            }
        }
    }

    /// Returns the case with one more formula that the word must satisfy.
    fn with_formula(&self, formula: LinearFormula) -> Self {
        let mut case = self.clone();
        case.require([formula]);
        case
    }
}

/// Decomposes one formula of a case, preferably one without a choice, and pushes the resulting
/// cases. If one side of a choice is required already, the other side gets no case.
fn decompose(formulas: &Ltl, mut case: TableauCase, stack: &mut Vec<TableauCase>) {
    let is_choice =
        |node: &Node<Linear>| matches!(node, Node::Or(_) | Node::Until(..) | Node::Release(..));
    let without_choice = case.open.iter().position(|&part| !is_choice(formulas.node(part)));
    let Some(index) = without_choice.or(case.open.len().checked_sub(1)) else { return };
    let formula = case.open.swap_remove(index);
    match formulas.node(formula) {
        Node::True => stack.push(case),
        Node::False => {}
        Node::Literal(literal) => {
            if !case.literals.contains(&literal.negated()) {
                case.literals.insert(*literal);
                stack.push(case);
            }
        }
        Node::And(operands) => {
            case.require(operands.iter().copied());
            stack.push(case);
        }
        Node::Or(operands) if operands.iter().any(|part| case.required.contains(part)) => {
            stack.push(case)
        }
        Node::Or(operands) => stack.extend(operands.iter().map(|&part| case.with_formula(part))),
        Node::Next(_, part) => {
            if !formulas.is(*part, false) {
                case.next.extend(conjuncts(formulas, *part));
                stack.push(case);
            }
        }
        Node::Until(_, _, right) if case.required.contains(right) => stack.push(case),
        Node::Until(_, left, right) => {
            stack.push(case.with_formula(*right));
            case.require([*left]);
            case.next.insert(formula);
            case.postponed.insert(formula);
            stack.push(case);
        }
        Node::Release(_, left, right) => {
            case.require([*right]);
            if case.required.contains(left) {
                stack.push(case);
                return;
            }
            stack.push(case.with_formula(*left));
            case.next.insert(formula);
            stack.push(case);
        }
    }
}

/// Returns the conjuncts of a formula, without nested conjunctions and without the constant true.
fn conjuncts(formulas: &Ltl, formula: LinearFormula) -> Vec<LinearFormula> {
    match formulas.node(formula) {
        Node::True => Vec::new(),
        Node::And(operands) => {
            let mut open = operands.to_vec();
            let mut conjuncts_found = Vec::new();
            while let Some(part) = open.pop() {
                match formulas.node(part) {
                    Node::And(inner) => open.extend_from_slice(inner),
                    _ => conjuncts_found.push(part),
                }
            }
            conjuncts_found
        }
        _ => vec![formula],
    }
}
