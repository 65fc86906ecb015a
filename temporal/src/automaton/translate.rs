//! Translation of an LTL formula to an automaton that accepts exactly its words.
//!
//! A state is a set of formulas, its *obligations*, which the rest of the word must satisfy. Each
//! term of their cover (see `cover`) is an edge: it reads the cube, and the formulas left for later
//! are the obligations of its target. Each until has one mark, on the edges that do not postpone
//! that until, so an accepting run postpones no until forever.
//!
//! The obligations stay with the automaton, so that [`check`](super::check) can compare each state
//! with its formulas independently.

use super::cover::{Covers, conjuncts};
use super::{Automaton, AutomatonEdge, AutomatonLimits, AutomatonTooLarge, Marks};
use crate::formula::{Formula, Ltl, Node};
use crate::paths::Linear;
use std::collections::HashMap;

/// An automaton with the obligations of each state and the until formula of each acceptance mark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinearTableau {
    /// The automaton.
    pub automaton: Automaton,
    /// The obligations, indexed by state: the formulas that every word accepted from the state
    /// satisfies. Each list is ascending, without conjunctions and without the constant true.
    pub obligations: Vec<Vec<Formula<Linear>>>,
    /// The until formula of each mark, indexed by mark. An edge without the mark postpones the
    /// formula.
    pub untils: Vec<Formula<Linear>>,
}

impl LinearTableau {
    /// Builds the automaton of a formula. The result is deterministic for a given store and
    /// formula.
    ///
    /// # Errors
    ///
    /// Returns an error if the formula has more than 64 untils, or a limit is exceeded.
    pub fn new(
        formulas: &Ltl,
        formula: Formula<Linear>,
        limits: AutomatonLimits,
    ) -> Result<Self, AutomatonTooLarge> {
        let mut untils = formulas.subformulas(formula);
        untils.retain(|&part| matches!(formulas.node(part), Node::Until(..)));
        let mut covers = Covers::new(formulas, &untils, limits)?;
        let first = conjuncts(formulas, formula);
        let mut numbers = HashMap::from([(first.clone(), 0)]);
        let mut obligations = vec![first];
        let mut states = Vec::new();
        let mut edges = 0;
        while states.len() < obligations.len() {
            let mut out_edges = Vec::new();
            for term in covers.cover_of_all(&obligations[states.len()])? {
                let target = *numbers.entry(term.next).or_insert_with_key(|next| {
                    obligations.push(next.clone());
                    obligations.len() - 1
                });
                let marks = Marks(!term.postponed.0);
                out_edges.push(AutomatonEdge { target, marks, cube: term.cube });
            }
            // Edges that differ in one literal are not merged here, because each single edge must
            // show that its state is satisfied.
            out_edges.sort_unstable();
            edges += out_edges.len();
            states.push(out_edges);
            AutomatonTooLarge::check_limit(obligations.len(), limits.states, "states")?;
            AutomatonTooLarge::check_limit(edges, limits.edges, "edges")?;
        }
        let mut tableau = Self {
            automaton: Automaton { states, initial: 0, marks: 0 },
            obligations,
            untils: Vec::new(),
        };
        tableau.remove_unused_marks(&untils);
        Ok(tableau)
    }

    /// Removes the marks of untils that no edge postpones.
    fn remove_unused_marks(&mut self, untils: &[Formula<Linear>]) {
        // A mark on all edges never prevents acceptance.
        let edges = || self.automaton.states.iter().flatten();
        let on_all_edges = edges().fold(u64::MAX, |marks_so_far, edge| marks_so_far & edge.marks.0);
        let kept_marks: Vec<u32> =
            (0..untils.len() as u32).filter(|&mark| !Marks(on_all_edges).has(mark)).collect();
        for edge in self.automaton.states.iter_mut().flatten() {
            let marks = kept_marks.iter().zip(0..).filter(|(mark, _)| edge.marks.has(**mark));
            edge.marks =
                marks.fold(Marks::NONE, |marks_so_far, (_, new_mark)| marks_so_far.with(new_mark));
        }
        self.automaton.marks = kept_marks.len() as u32;
        self.untils = kept_marks.iter().map(|&mark| untils[mark as usize]).collect();
    }
}
