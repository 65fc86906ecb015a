//! Conversion of a formula to a temporal formula over atoms, in LTL or CTL.
//!
//! The largest parts without temporal operators become atoms, and the operators around these parts
//! become a formula over the atoms. If several operands of one ∧ or ∨ have no temporal operators,
//! they become a single atom together. Two parts that negate each other share an atom. The trait
//! [`LogicOperators`] defines the temporal operators of a logic and their allowed operands.

use super::state::PredicateConverter;
use super::syntax::Formula;
use super::unsupported::UnsupportedFormula;
use parikh_net::Predicate;
use parikh_net::run_property::RunAtom;
// A formula of `parikh_temporal` is an index into its graph of formulas, here called `Id`.
use parikh_temporal::{AtomId, Formula as Id, Formulas, Literal, Paths};
use std::collections::HashMap;

/// The temporal operators of a logic.
pub(super) trait LogicOperators: Paths {
    /// Converts a formula whose top is a temporal operator, a path quantifier or an atom about
    /// firings.
    ///
    /// # Errors
    /// When the formula is not in the logic, or an operand cannot be converted.
    fn convert_temporal(
        converter: &mut TemporalConverter<Self>,
        formula: &Formula,
    ) -> Result<Id<Self>, UnsupportedFormula>;
}

/// A converted subformula.
enum ConvertedOperand<'f, P> {
    /// A subformula without temporal operators, to be merged into one predicate with other operands
    /// of the same conjunction or disjunction.
    State(&'f Formula),
    /// A subformula with a temporal operator, a path quantifier or an atom about firings.
    Temporal(Id<P>),
}

/// The state of the conversion of one formula.
pub(super) struct TemporalConverter<P> {
    states: PredicateConverter,
    /// The converted formulas, as a shared graph.
    pub(super) formulas: Formulas<P>,
    /// The atoms, indexed by `AtomId`. A predicate and its negation share an atom: the smaller of
    /// the two, after their operands are sorted.
    pub(super) atoms: Vec<RunAtom>,
    /// The number of each atom in `atoms`.
    numbers: HashMap<RunAtom, AtomId>,
}

impl<P: LogicOperators> TemporalConverter<P> {
    /// Starts the conversion of this formula.
    pub(super) fn new(formula: &Formula) -> Self {
        let (atoms, numbers) = (Vec::new(), HashMap::new());
        TemporalConverter {
            states: PredicateConverter::of(formula),
            formulas: Formulas::default(),
            atoms,
            numbers,
        }
    }

    // Formulas may be nested thousands of levels deep, and the recursive functions need stack for
    // each level. Code that need not be in the recursive functions is in functions of its own, to
    // keep their stack frames small.

    /// Converts a formula to a formula over atoms.
    ///
    /// # Errors
    /// When the formula is not in the logic, contains a bound, multiplies token counts, or has too
    /// large numbers. Also when it grows too much because equivalences are replaced.
    pub(super) fn formula(&mut self, formula: &Formula) -> Result<Id<P>, UnsupportedFormula> {
        let part = self.operand(formula)?;
        self.formula_of_operand(&part)
    }

    /// Converts a subformula. A subformula without temporal operators stays as it is.
    fn operand<'f>(
        &mut self,
        formula: &'f Formula,
    ) -> Result<ConvertedOperand<'f, P>, UnsupportedFormula> {
        match formula {
            Formula::Not(part) => match self.operand(part)? {
                ConvertedOperand::State(_) => Ok(ConvertedOperand::State(formula)),
                ConvertedOperand::Temporal(part) => {
                    Ok(ConvertedOperand::Temporal(self.formulas.negate(part)))
                }
            },
            Formula::And(parts) => self.convert_junction(formula, parts, true),
            Formula::Or(parts) => self.convert_junction(formula, parts, false),
            Formula::Implies(a, b) | Formula::Equivalent(a, b) | Formula::Xor(a, b) => {
                let a = self.operand(a)?;
                let b = self.operand(b)?;
                self.connective(formula, &a, &b)
            }
            Formula::Compare { .. }
            | Formula::Fireable(_)
            | Formula::Deadlock
            | Formula::True
            | Formula::False => Ok(ConvertedOperand::State(formula)),
            Formula::PlaceBound(_) => Err(UnsupportedFormula::BoundAsProperty),
            timed => P::convert_temporal(self, timed).map(ConvertedOperand::Temporal),
        }
    }

    /// Converts a conjunction if `all`, or a disjunction. Returns the formula unchanged if no
    /// operand has temporal operators.
    #[inline(never)]
    fn convert_junction<'f>(
        &mut self,
        formula: &'f Formula,
        parts: &'f [Formula],
        all: bool,
    ) -> Result<ConvertedOperand<'f, P>, UnsupportedFormula> {
        let (mut states, mut timed) = (Vec::new(), Vec::new());
        for part in parts {
            match self.operand(part)? {
                ConvertedOperand::State(part) => states.push(part),
                ConvertedOperand::Temporal(part) => timed.push(part),
            }
        }
        if timed.is_empty() {
            return Ok(ConvertedOperand::State(formula));
        }
        if !states.is_empty() {
            timed.push(self.states(&states, all)?);
        }
        Ok(ConvertedOperand::Temporal(if all {
            self.formulas.and(timed)
        } else {
            self.formulas.or(timed)
        }))
    }

    /// Converts the conjunction of formulas without temporal operators if `all`, or their
    /// disjunction, to one literal or constant.
    #[inline(never)]
    fn states(&mut self, parts: &[&Formula], all: bool) -> Result<Id<P>, UnsupportedFormula> {
        let parts = parts.iter().map(|part| self.states.predicate(part, true));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        Ok(self.literal(if all { Predicate::and(parts) } else { Predicate::or(parts) }))
    }

    /// Converts an implication, an equivalence or an exclusive or.
    #[inline(never)]
    fn connective<'f>(
        &mut self,
        formula: &'f Formula,
        a: &ConvertedOperand<'_, P>,
        b: &ConvertedOperand<'_, P>,
    ) -> Result<ConvertedOperand<'f, P>, UnsupportedFormula> {
        if matches!((a, b), (ConvertedOperand::State(_), ConvertedOperand::State(_))) {
            return Ok(ConvertedOperand::State(formula));
        }
        let (a, b) = (self.formula_of_operand(a)?, self.formula_of_operand(b)?);
        let not_a = self.formulas.negate(a);
        Ok(ConvertedOperand::Temporal(match formula {
            Formula::Implies(..) => self.formulas.or([not_a, b]),
            _ => {
                let not_b = self.formulas.negate(b);
                let same = matches!(formula, Formula::Equivalent(..));
                let (with, without) = if same { (b, not_b) } else { (not_b, b) };
                let cases = [[a, with], [not_a, without]].map(|case| self.formulas.and(case));
                self.formulas.or(cases)
            }
        }))
    }

    /// Converts `operator` if its top is G, F, X or U, for the quantifier `paths` (in CTL). Returns
    /// `None` for other formulas.
    ///
    /// # Errors
    /// When an operand cannot be converted, as in [`formula`](Self::formula).
    pub(super) fn operator(
        &mut self,
        operator: &Formula,
        paths: P,
    ) -> Result<Option<Id<P>>, UnsupportedFormula> {
        match operator {
            Formula::Globally(part) | Formula::Finally(part) | Formula::Next(part) => {
                let part = self.operand(part)?;
                self.apply_unary(operator, paths, &part).map(Some)
            }
            Formula::Until { before, reach } => {
                let before = self.operand(before)?;
                let reach = self.operand(reach)?;
                self.until(paths, &before, &reach).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Applies G, F or X, as `operator` says, to a converted operand.
    #[inline(never)]
    fn apply_unary(
        &mut self,
        operator: &Formula,
        paths: P,
        part: &ConvertedOperand<'_, P>,
    ) -> Result<Id<P>, UnsupportedFormula> {
        let part = self.formula_of_operand(part)?;
        Ok(match operator {
            Formula::Globally(_) => self.formulas.always(paths, part),
            Formula::Finally(_) => self.formulas.eventually(paths, part),
            _ => self.formulas.next(paths, part),
        })
    }

    #[inline(never)]
    fn until(
        &mut self,
        paths: P,
        before: &ConvertedOperand<'_, P>,
        reach: &ConvertedOperand<'_, P>,
    ) -> Result<Id<P>, UnsupportedFormula> {
        let (before, reach) = (self.formula_of_operand(before)?, self.formula_of_operand(reach)?);
        Ok(self.formulas.until(paths, before, reach))
    }

    /// Returns a converted operand as a formula over atoms.
    fn formula_of_operand(
        &mut self,
        part: &ConvertedOperand<'_, P>,
    ) -> Result<Id<P>, UnsupportedFormula> {
        match part {
            ConvertedOperand::State(state) => self.states(&[state], true),
            ConvertedOperand::Temporal(timed) => Ok(*timed),
        }
    }

    /// Returns the literal of a predicate: an atom, its negation, or a constant.
    fn literal(&mut self, predicate: Predicate) -> Id<P> {
        let predicate = predicate.sorted();
        if let Predicate::True | Predicate::False = predicate {
            return self.formulas.constant(predicate == Predicate::True);
        }
        let negation = predicate.clone().negated().sorted();
        let positive = predicate <= negation;
        let atom = self.atom_id(RunAtom::Holds(if positive { predicate } else { negation }));
        self.formulas.literal(Literal { atom, positive })
    }

    /// Returns the formula that is this atom.
    pub(super) fn atom(&mut self, atom: RunAtom) -> Id<P> {
        let atom = self.atom_id(atom);
        self.formulas.atom(atom)
    }

    /// Returns the number of an atom. A new atom gets the next number.
    fn atom_id(&mut self, atom: RunAtom) -> AtomId {
        let next = AtomId(self.atoms.len() as u32);
        let atoms = &mut self.atoms;
        *self.numbers.entry(atom).or_insert_with_key(|atom| {
            atoms.push(atom.clone());
            next
        })
    }
}
