//! The ways in which the next letter and the rest of a word can satisfy a formula.
//!
//! A *term* consists of a condition on the current letter, the formulas that the rest of the word
//! must satisfy, and the postponed untils. The cover of a formula is a set of terms such that every
//! word of the formula satisfies one of them:
//!
//! ```text
//! p          { p }
//! φ ∧ ψ      each term of φ, combined with each term of ψ
//! φ ∨ ψ      the terms of φ and the terms of ψ
//! X φ        { next φ }
//! φ U ψ      the terms of ψ, and the terms of φ, each combined with "φ U ψ next, φ U ψ postponed"
//! φ R ψ      the terms of ψ, each combined with a term of φ or with "φ R ψ next"
//! ```
//!
//! A term that requires everything that another term requires is left out: a word that satisfies it
//! also satisfies the other.
//!
//! Source: Couvreur, "On-the-fly verification of linear temporal logic", FM 1999.

use super::cube::Cube;
use super::{AutomatonLimits, AutomatonTooLarge, Marks};
use crate::formula::{Formula, Ltl, Node};
use crate::paths::Linear;
use std::collections::HashMap;
use std::rc::Rc;

type CoverFormula = Formula<Linear>;

/// A term of a cover, that is, one way in which the current letter and the rest of a word can
/// satisfy a formula.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct CoverTerm {
    /// The condition on the current letter.
    pub(super) cube: Cube,
    /// The formulas that the rest of the word must satisfy: ascending, without conjunctions and
    /// without true.
    pub(super) next: Vec<CoverFormula>,
    /// The untils that this term postpones, each given by its mark.
    pub(super) postponed: Marks,
}

impl CoverTerm {
    /// Returns true if this term requires no more than the other.
    fn is_weaker(&self, other: &Self) -> bool {
        self.postponed.is_subset(other.postponed)
            && self.cube.contains(&other.cube)
            && is_subset(&self.next, &other.next)
    }

    /// Returns the term that requires what both terms require, or `None` if their cubes contradict
    /// each other.
    fn and(&self, other: &Self) -> Option<Self> {
        let cube = self.cube.and(&other.cube)?;
        let mut next = self.next.clone();
        next.extend_from_slice(&other.next);
        next.sort_unstable();
        next.dedup();
        Some(Self { cube, next, postponed: self.postponed.or(other.postponed) })
    }
}

/// Returns true if all elements of one ascending list are in another.
pub(super) fn is_subset(subset: &[CoverFormula], superset: &[CoverFormula]) -> bool {
    let mut superset = superset.iter();
    subset.iter().all(|one| superset.any(|other| other == one))
}

/// Returns the conjuncts of a formula in ascending order, without nested conjunctions and without
/// the constant true.
pub(super) fn conjuncts(formulas: &Ltl, formula: CoverFormula) -> Vec<CoverFormula> {
    let mut open = vec![formula];
    let mut found = Vec::new();
    while let Some(part) = open.pop() {
        match formulas.node(part) {
            Node::True => {}
            Node::And(parts) => open.extend_from_slice(parts),
            _ => found.push(part),
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Covers of formulas, computed at most once per formula. A cover is a set of terms such that every
/// word of the formula satisfies a term.
pub(super) struct Covers<'f> {
    formulas: &'f Ltl,
    /// The limits of the translation. Only the limit on terms is used here.
    limits: AutomatonLimits,
    /// The marks, by until formula.
    marks: HashMap<CoverFormula, u32>,
    /// The computed covers, by formula.
    covers: HashMap<CoverFormula, Rc<Vec<CoverTerm>>>,
}

impl<'f> Covers<'f> {
    /// Creates an empty cache; the untils get marks in the given order. Returns an error for more
    /// than 64 untils.
    pub(super) fn new(
        formulas: &'f Ltl,
        untils: &[CoverFormula],
        limits: AutomatonLimits,
    ) -> Result<Self, AutomatonTooLarge> {
        if untils.len() > 64 {
            return Err(AutomatonTooLarge::MARKS);
        }
        let marks = untils.iter().copied().zip(0..).collect();
        Ok(Self { formulas, limits, marks, covers: HashMap::new() })
    }

    /// Returns the cover of the conjunction of the formulas.
    pub(super) fn cover_of_all(
        &mut self,
        formulas: &[CoverFormula],
    ) -> Result<Vec<CoverTerm>, AutomatonTooLarge> {
        for &formula in formulas {
            self.compute(formula)?;
        }
        let covers = formulas.iter().map(|formula| self.covers[formula].clone()).collect();
        self.conjunction(covers)
    }

    /// Computes the cover of a formula, after the covers of the parts that refer to the same
    /// letter.
    fn compute(&mut self, formula: CoverFormula) -> Result<(), AutomatonTooLarge> {
        let mut open = vec![formula];
        let mut missing = Vec::new();
        while let Some(part) = open.pop() {
            if self.covers.contains_key(&part) || missing.contains(&part) {
                continue;
            }
            missing.push(part);
            match self.formulas.node(part) {
                Node::True | Node::False | Node::Literal(_) | Node::Next(..) => {}
                Node::And(operands) | Node::Or(operands) => open.extend_from_slice(operands),
                Node::Until(_, left, right) | Node::Release(_, left, right) => {
                    open.extend([*left, *right]);
                }
            }
        }
        // Parts have smaller numbers than the formulas that contain them, so parts come first.
        missing.sort_unstable();
        for part in missing {
            let cover = self.cover_from_parts(part)?;
            self.covers.insert(part, Rc::new(cover));
        }
        Ok(())
    }

    /// Computes the cover of a formula from the covers of its parts.
    fn cover_from_parts(&self, formula: CoverFormula) -> Result<Vec<CoverTerm>, AutomatonTooLarge> {
        let holding_next =
            |formula| CoverTerm { next: conjuncts(self.formulas, formula), ..CoverTerm::default() };
        let cover = |part: &CoverFormula| self.covers[part].clone();
        match self.formulas.node(formula) {
            Node::True => Ok(vec![CoverTerm::default()]),
            Node::False => Ok(Vec::new()),
            Node::Literal(literal) => {
                let cube = Cube::of([*literal]).expect("one literal agrees with itself");
                Ok(vec![CoverTerm { cube, ..CoverTerm::default() }])
            }
            Node::And(operands) => self.conjunction(operands.iter().map(cover).collect()),
            Node::Or(operands) => {
                let mut terms = Vec::new();
                for part in operands.iter() {
                    self.add_terms(&mut terms, cover(part).iter().cloned())?;
                }
                Ok(terms)
            }
            Node::Next(_, part) if self.formulas.is(*part, false) => Ok(Vec::new()),
            Node::Next(_, part) => Ok(vec![holding_next(*part)]),
            Node::Until(_, left, right) => {
                let mut postponing = holding_next(formula);
                postponing.postponed = Marks::NONE.with(self.marks[&formula]);
                let mut terms = cover(right).as_ref().clone();
                let postponing_terms =
                    self.conjunction(vec![cover(left), Rc::new(vec![postponing])])?;
                self.add_terms(&mut terms, postponing_terms)?;
                Ok(terms)
            }
            Node::Release(_, left, right) => {
                let mut either = cover(left).as_ref().clone();
                self.add_terms(&mut either, [holding_next(formula)])?;
                self.conjunction(vec![cover(right), Rc::new(either)])
            }
        }
    }

    /// Returns the cover of a conjunction from the covers of its operands: each term combines one
    /// term of each operand. Short covers come first, so that intermediate results stay small.
    fn conjunction(
        &self,
        mut covers: Vec<Rc<Vec<CoverTerm>>>,
    ) -> Result<Vec<CoverTerm>, AutomatonTooLarge> {
        covers.sort_by_key(|cover| cover.len());
        let mut terms = vec![CoverTerm::default()];
        for cover in covers {
            let mut both = Vec::new();
            for one in &terms {
                self.add_terms(&mut both, cover.iter().filter_map(|two| one.and(two)))?;
            }
            terms = both;
        }
        Ok(terms)
    }

    /// Adds the new terms. Removes each term that requires at least as much as another term.
    fn add_terms(
        &self,
        terms: &mut Vec<CoverTerm>,
        new_terms: impl IntoIterator<Item = CoverTerm>,
    ) -> Result<(), AutomatonTooLarge> {
        for term in new_terms {
            if !terms.iter().any(|other| other.is_weaker(&term)) {
                terms.retain(|other| !term.is_weaker(other));
                terms.push(term);
                AutomatonTooLarge::check_limit(terms.len(), self.limits.terms, "terms")?;
            }
        }
        Ok(())
    }
}
