//! Conversion of formulas without temporal operators to predicates on markings.

use super::linear;
use super::syntax::Formula;
use super::unsupported::UnsupportedFormula;
use parikh_net::Predicate;

/// Converts `formula`, which must not have temporal operators, to a predicate.
///
/// # Errors
/// Returns an error if the formula has a temporal operator, a path quantifier, an atom about
/// firings or a bound. Also returns an error if it multiplies token counts, has too large numbers,
/// or grows too much when equivalences are replaced.
pub fn lower_state(formula: &Formula) -> Result<Predicate, UnsupportedFormula> {
    PredicateConverter::of(formula).predicate(formula, true)
}

/// A converter of the subformulas of one formula to predicates.
pub(super) struct PredicateConverter {
    /// The remaining size budget for all predicates together, in operators, leaves and names. Each
    /// level of nested equivalences doubles the size of a predicate.
    size_budget: usize,
}

impl PredicateConverter {
    /// Returns a converter for the parts of this formula.
    pub(super) fn of(formula: &Formula) -> Self {
        let min_budget = 100_000;
        PredicateConverter { size_budget: 4 * formula.size() + min_budget }
    }

    /// Converts `formula`, negated if `holds` is false, to a predicate.
    pub(super) fn predicate(
        &mut self,
        formula: &Formula,
        holds: bool,
    ) -> Result<Predicate, UnsupportedFormula> {
        self.spend(1)?;
        match formula {
            Formula::Not(part) => self.predicate(part, !holds),
            Formula::And(parts) => self.predicates(parts, holds, holds),
            Formula::Or(parts) => self.predicates(parts, !holds, holds),
            Formula::Implies(if_, then) => {
                let mut parts = vec![self.predicate(if_, !holds)?];
                parts.push(self.predicate(then, holds)?);
                Ok(if holds { Predicate::or(parts) } else { Predicate::and(parts) })
            }
            Formula::Equivalent(a, b) => self.equivalence(a, b, holds),
            Formula::Xor(a, b) => self.equivalence(a, b, !holds),
            leaf => self.leaf(leaf, holds),
        }
    }

    /// Returns the conjunction of the formulas `parts` if `all`, or their disjunction. Each formula
    /// is negated if `holds` is false.
    #[inline(never)]
    fn predicates(
        &mut self,
        parts: &[Formula],
        all: bool,
        holds: bool,
    ) -> Result<Predicate, UnsupportedFormula> {
        let mut predicates = Vec::with_capacity(parts.len());
        for part in parts {
            predicates.push(self.predicate(part, holds)?);
        }
        Ok(if all { Predicate::and(predicates) } else { Predicate::or(predicates) })
    }

    /// Returns a ⇔ b if `same`, or a xor b.
    #[inline(never)]
    fn equivalence(
        &mut self,
        a: &Formula,
        b: &Formula,
        same: bool,
    ) -> Result<Predicate, UnsupportedFormula> {
        let mut cases = Vec::with_capacity(2);
        for holds in [true, false] {
            let mut both = vec![self.predicate(a, holds)?];
            both.push(self.predicate(b, holds == same)?);
            cases.push(Predicate::and(both));
        }
        Ok(Predicate::or(cases))
    }

    /// Converts a formula without subformulas, negated if `holds` is false.
    #[inline(never)]
    fn leaf(&mut self, formula: &Formula, holds: bool) -> Result<Predicate, UnsupportedFormula> {
        Ok(match formula {
            Formula::True => Predicate::constant(holds),
            Formula::False => Predicate::constant(!holds),
            Formula::Deadlock if holds => Predicate::Dead,
            Formula::Deadlock => Predicate::NotDead,
            Formula::Fireable(transitions) => {
                self.spend(transitions.len())?;
                let mut transitions = transitions.clone();
                transitions.sort_unstable();
                transitions.dedup();
                let transitions = transitions.into_iter();
                match holds {
                    true => Predicate::or(transitions.map(Predicate::Enabled)),
                    false => Predicate::and(transitions.map(Predicate::Disabled)),
                }
            }
            Formula::Compare { left, relation, right } => {
                self.spend(left.size() + right.size())?;
                let atoms = linear::compare(left, *relation, right)?;
                if holds { atoms } else { atoms.negated() }
            }
            Formula::AllPaths(_) => return Err(UnsupportedFormula::Temporal("A below F or G")),
            Formula::ExistsPath(_) => return Err(UnsupportedFormula::Temporal("E below F or G")),
            Formula::Globally(_) => return Err(UnsupportedFormula::Temporal("G")),
            Formula::Finally(_) => return Err(UnsupportedFormula::Temporal("F")),
            Formula::Next(_) => return Err(UnsupportedFormula::Temporal("X")),
            Formula::Until { .. } => return Err(UnsupportedFormula::Temporal("U")),
            Formula::Fires(_) => return Err(UnsupportedFormula::Temporal("`fires`")),
            Formula::PlaceBound(_) => return Err(UnsupportedFormula::BoundAsProperty),
            Formula::Not(_)
            | Formula::And(_)
            | Formula::Or(_)
            | Formula::Implies(..)
            | Formula::Equivalent(..)
            | Formula::Xor(..) => self.predicate(formula, holds)?,
        })
    }

    /// Takes `amount` from the size budget. Fails if the budget is used up.
    fn spend(&mut self, amount: usize) -> Result<(), UnsupportedFormula> {
        self.size_budget =
            self.size_budget.checked_sub(amount).ok_or(UnsupportedFormula::Explosion)?;
        Ok(())
    }
}
