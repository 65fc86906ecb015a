//! The reasons that firings preserve clauses.

use super::super::propagation::BoundLiteral;
use super::explainer::{Draft, Explainer, NotWritten, product};
use super::fact::{Derivation, Fact, FactNumber, KnownBounds, Numbering};
use super::formula::{Formula, Inequality};
use super::recorded::FactProof;
use super::simple_invariants::upper_bounds;
use super::{DocumentWriter, OVERFLOW, UNCHECKED};
use parikh_net::TransitionId;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::rc::Rc;

/// A firing that may make a literal of a clause false.
pub(super) struct Firing<'c> {
    pub(super) transition: TransitionId,
    pub(super) clause: &'c [BoundLiteral],
    pub(super) formula: &'c Formula,
    /// The changes that the firing makes to the terms of literals. The key is the position of the
    /// literal in the clause. A position without an entry means no change.
    pub(super) changes: BTreeMap<usize, i128>,
}

/// The reason that a firing preserves a clause.
pub(super) struct Preservation {
    transition: TransitionId,
    /// The numbers of the facts that are used in the marking after the firing.
    after: Vec<usize>,
    derivation: Derivation,
}

impl DocumentWriter<'_> {
    /// Returns the reason that a firing preserves a clause.
    pub(super) fn preservation(
        &self,
        explainer: &mut Explainer,
        known: &KnownBounds,
        firing: &Firing<'_>,
    ) -> Result<Preservation, NotWritten> {
        let t = firing.transition;
        let mut draft = Draft::new(Numbering::local(0));
        let mut assumed = Vec::new();
        let mut assume = |draft: &mut Draft, literal: BoundLiteral, inequality: Inequality| {
            let fact = draft.numbering.push(&Formula::AtMost(inequality));
            draft.assume(literal, fact);
            assumed.push(literal);
        };
        // First assumption: the input places have enough tokens.
        for arc in self.net.pre(t) {
            let (term, bound) = (arc.place.index(), i128::from(arc.weight));
            let literal = BoundLiteral { term, upper: false, bound };
            assume(&mut draft, literal, Inequality::new([(term, -1)], -bound));
        }
        // Second assumption: all literals of the clause are false after the firing.
        for (position, literal) in firing.clause.iter().enumerate() {
            let change = firing.changes.get(&position).copied().unwrap_or(0);
            let literal = literal.negated().precondition(change).map_err(|_| OVERFLOW)?;
            let Formula::AtMost(part) = part_of(firing.formula, position) else {
                return Err(UNCHECKED);
            };
            assume(&mut draft, literal, self.before(t, &part.negated())?);
        }
        // Third assumption: known upper bounds hold after the firing.
        let mut after = Vec::new();
        for change in self.net.delta(t) {
            let key = (change.place.index(), true);
            if let Some(Fact::Comparison(FactNumber::Global(number), high)) = known.get(&key)
                && change.delta > 0
            {
                let literal = BoundLiteral { term: key.0, upper: true, bound: high.bound };
                let literal = literal.precondition(change.delta.into()).map_err(|_| OVERFLOW)?;
                assume(&mut draft, literal, self.before(t, high)?);
                after.push(*number);
            }
        }
        let derivation = explainer.refute_facts(draft, &assumed)?.ok_or("a clause is lost")?;
        Ok(Preservation { transition: t, after, derivation })
    }

    /// Returns the comparison that holds before a firing if the one given holds after it.
    fn before(&self, t: TransitionId, inequality: &Inequality) -> Result<Inequality, NotWritten> {
        let sum: HashMap<usize, i128> = inequality.sum.iter().copied().collect();
        let mut bound = inequality.bound;
        for change in self.net.delta(t) {
            let a = sum.get(&change.place.index()).copied().unwrap_or(0);
            bound = bound.checked_sub(product(a, change.delta.into())?).ok_or(OVERFLOW)?;
        }
        Ok(Inequality { sum: inequality.sum.clone(), bound })
    }

    /// Writes clauses that are inductive together, with their consequences so far. `known` are the
    /// bounds that the reasons use.
    pub(super) fn write_inductive(
        &mut self,
        clauses: &[(Vec<BoundLiteral>, Formula)],
        reasons: &[Vec<Preservation>],
        known: &KnownBounds,
        explainer: &mut Explainer,
    ) {
        let upper = Rc::new(upper_bounds(known));
        for (number, (_, formula)) in (self.fact_count..).zip(clauses) {
            self.record(number, formula.clone(), FactProof::PreservedWithin(Rc::clone(&upper)));
        }
        self.fact_count += clauses.len();
        if clauses.is_empty() {
            return;
        }
        let base = explainer.global.numbering.count();
        let _ = write!(self.text, "inductive {}", clauses.len());
        for ((_, formula), reasons) in clauses.iter().zip(reasons) {
            self.text.push('\n');
            formula.write(&mut self.text);
            let _ = write!(self.text, " {}", reasons.len());
            for Preservation { transition, after, derivation } in reasons {
                let _ = write!(self.text, "\nafter {} {}", transition.index(), after.len());
                after.iter().for_each(|number| {
                    let _ = write!(self.text, " {number}");
                });
                self.text.push(' ');
                derivation.write(base, &mut self.text);
            }
        }
        self.text.push('\n');
        self.write_consequences(explainer);
    }
}

/// Returns the part of a clause with this index.
fn part_of(clause: &Formula, index: usize) -> &Formula {
    match clause {
        Formula::Any(parts) => &parts[index],
        formula => formula,
    }
}
