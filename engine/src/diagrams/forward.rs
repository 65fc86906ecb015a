//! Forward evaluation of CTL formulas: asks if some marking of a set satisfies a formula.
//!
//! A formula that begins with an existential operator needs no set of its own. From a set of
//! markings, the operator leads to another set, and its operand is asked of that set:
//!
//! | asked: does some member of `from` satisfy | asked next |
//! |---|---|
//! | φ ∨ ψ | φ of `from`, or ψ of `from` |
//! | φ ∧ ψ | ψ of the members of `from` with φ |
//! | EX φ | φ of the successors of `from` |
//! | EF φ | φ of the markings reachable from `from` |
//! | E(φ U ψ) | ψ of `from`, and of the markings reachable from `from` through markings with φ |
//!
//! From the initial marking, EF φ asks φ of all reachable markings, whose set is known: nothing is
//! computed for the operator. A single marking satisfies a formula that begins with a universal
//! operator exactly if it does not satisfy the negation. All other formulas are evaluated
//! as sets of markings ([`CtlEvaluation::members_of`]). The order of places was chosen for the set
//! of all reachable markings. Sets computed forwards resemble this set and usually are small. Sets
//! computed backwards often are not.
//!
//! Source: H. Iwashita, T. Nakata, F. Hirose, *CTL model checking based on forward state
//! traversal*, ICCAD 1996.

use super::branching::{CtlEvaluation, EvaluatedProperty};
use parikh_net::TreeProperty;
use parikh_symbolic::{Set, Stop};
use parikh_temporal::{Formula, Node, Quantifier};

/// Share of the time for a formula that forward evaluation may use, in [0, 1]. After this time, the
/// set of the markings that satisfy the formula is computed.
const FORWARD_SHARE: f64 = 0.5;

/// The markings of which a formula is asked.
#[derive(Clone, Copy)]
enum StartMarkings {
    /// The initial marking alone, as a set.
    Initial(Set),
    /// Any set of reachable markings.
    Several(Set),
}

impl StartMarkings {
    fn set(self) -> Set {
        match self {
            StartMarkings::Initial(set) | StartMarkings::Several(set) => set,
        }
    }
}

impl CtlEvaluation<'_, '_, '_> {
    /// Returns true if a property holds at the initial marking, given by its token counts, indexed
    /// by level. A formula that begins with a universal operator is negated first.
    ///
    /// # Errors
    /// Returns an error if the limits are exceeded. Another property may still be decided.
    pub(super) fn holds(&mut self, property: &TreeProperty, initial: &[u64]) -> Result<bool, Stop> {
        let mut evaluated = EvaluatedProperty::of(property);
        let formula = property.formula();
        let is_universal = begins_universally(&evaluated, formula);
        let formula = if is_universal { evaluated.formulas.negate(formula) } else { formula };
        let result = self.holds_initially(&mut evaluated, formula, initial);
        self.release_kept();
        result.map(|holds| holds != is_universal)
    }

    /// Returns true if a formula holds at the initial marking. Tries forward evaluation first, for
    /// a share of the time until the deadline, if the formula has an operator that leads forward.
    fn holds_initially(
        &mut self,
        evaluated: &mut EvaluatedProperty<'_>,
        formula: Formula<Quantifier>,
        initial: &[u64],
    ) -> Result<bool, Stop> {
        if has_forward_start(evaluated, formula) {
            let previous_deadline = self.reached.deadline.shorten(FORWARD_SHARE);
            let forward = self.single(initial).and_then(|from| {
                self.some_satisfies(evaluated, StartMarkings::Initial(from), formula)
            });
            self.reached.deadline.restore(previous_deadline);
            if forward.is_ok() {
                return forward;
            }
            // Of all sets kept so far, only those of parts are needed again.
            let sets: Vec<Set> = evaluated.sets.values().copied().collect();
            self.keep_only(0, &sets);
        }
        let members = self.members_of(evaluated, formula)?;
        Ok(self.contains(members, initial))
    }

    /// Returns true if some marking of `from` satisfies the formula. The sets that it computes are
    /// protected from garbage collection until [`release_kept`](Self::release_kept).
    ///
    /// # Errors
    /// Returns an error if the limits are exceeded.
    fn some_satisfies(
        &mut self,
        property: &mut EvaluatedProperty<'_>,
        from: StartMarkings,
        formula: Formula<Quantifier>,
    ) -> Result<bool, Stop> {
        if from.set().is_empty() {
            return Ok(false);
        }
        let node = property.formulas.node(formula).clone();
        match (node, from) {
            (Node::True, _) => Ok(true),
            (Node::False, _) => Ok(false),
            (Node::Or(operands), _) => {
                for operand in in_order_of_size(property, &operands) {
                    if self.some_satisfies(property, from, operand)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            (Node::And(operands), StartMarkings::Initial(_)) => {
                for operand in in_order_of_size(property, &operands) {
                    if !self.some_satisfies(property, from, operand)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Node::And(operands), StartMarkings::Several(mut members)) => {
                let mut operands = in_order_of_size(property, &operands);
                let last = operands.iter().rposition(|&it| leads_forward(property, it));
                let last = operands.remove(last.unwrap_or(operands.len() - 1));
                for operand in operands {
                    let satisfying = self.members_of(property, operand)?;
                    members = self.intersection(members, satisfying)?;
                    self.keep(members);
                    if members.is_empty() {
                        return Ok(false);
                    }
                }
                self.some_satisfies(property, StartMarkings::Several(members), last)
            }
            (Node::Next(Quantifier::Exists, inner), _) => {
                let successors = self.successors(from.set())?;
                self.some_satisfies(property, StartMarkings::Several(successors), inner)
            }
            (Node::Until(Quantifier::Exists, left, right), _) => {
                if is_condition(property, right) && self.some_satisfies(property, from, right)? {
                    return Ok(true);
                }
                let reached = match from {
                    StartMarkings::Initial(_) if property.formulas.is(left, true) => {
                        self.reachable()
                    }
                    _ => {
                        let holding = self.members_of(property, left)?;
                        self.reached_while(from.set(), holding)?
                    }
                };
                self.some_satisfies(property, StartMarkings::Several(reached), right)
            }
            (
                Node::Next(Quantifier::All, _)
                | Node::Until(Quantifier::All, ..)
                | Node::Release(Quantifier::All, ..),
                StartMarkings::Initial(_),
            ) => {
                let negation = property.formulas.negate(formula);
                Ok(!self.some_satisfies(property, from, negation)?)
            }
            (Node::Literal(_) | Node::Next(..) | Node::Until(..) | Node::Release(..), _) => {
                let satisfying = self.members_of(property, formula)?;
                Ok(!self.intersection(from.set(), satisfying)?.is_empty())
            }
        }
    }

    /// Returns the markings of `from`, and all markings after a path from `from` whose markings,
    /// except the last, are in `holding`. Protects the result.
    fn reached_while(&mut self, from: Set, holding: Set) -> Result<Set, Stop> {
        self.keep(from);
        let relation = self.reached.relation;
        let before_last = self.reached.diagrams.reachable_within(relation, from, holding)?;
        self.keep(before_last);
        let successors = self.successors(before_last)?;
        let all = self.union(from, successors)?;
        self.keep(all);
        Ok(all)
    }
}

/// Returns true if the formula begins with a universal operator.
fn begins_universally(property: &EvaluatedProperty<'_>, formula: Formula<Quantifier>) -> bool {
    matches!(
        property.formulas.node(formula),
        Node::Next(Quantifier::All, _)
            | Node::Until(Quantifier::All, ..)
            | Node::Release(Quantifier::All, ..)
    )
}

/// Returns true if evaluation at the initial marking uses an operator that leads forward. A
/// universal operator counts if its negation leads forward.
fn has_forward_start(property: &EvaluatedProperty<'_>, formula: Formula<Quantifier>) -> bool {
    match property.formulas.node(formula) {
        Node::And(operands) | Node::Or(operands) => {
            operands.iter().any(|&operand| has_forward_start(property, operand))
        }
        Node::Next(..)
        | Node::Until(Quantifier::Exists, ..)
        | Node::Release(Quantifier::All, ..) => true,
        _ => false,
    }
}

/// Returns true if the formula begins with an existential next or until.
fn leads_forward(property: &EvaluatedProperty<'_>, formula: Formula<Quantifier>) -> bool {
    matches!(
        property.formulas.node(formula),
        Node::Next(Quantifier::Exists, _) | Node::Until(Quantifier::Exists, ..)
    )
}

/// Returns true if the formula has no temporal operator.
fn is_condition(property: &EvaluatedProperty<'_>, formula: Formula<Quantifier>) -> bool {
    let is_temporal = |&part: &Formula<Quantifier>| {
        matches!(property.formulas.node(part), Node::Next(..) | Node::Until(..) | Node::Release(..))
    };
    !property.formulas.subformulas(formula).iter().any(is_temporal)
}

/// Returns the formulas by ascending number of their parts.
fn in_order_of_size(
    property: &EvaluatedProperty<'_>,
    operands: &[Formula<Quantifier>],
) -> Vec<Formula<Quantifier>> {
    let mut operands = operands.to_vec();
    operands.sort_by_cached_key(|&it| property.formulas.subformulas(it).len());
    operands
}

#[cfg(test)]
mod tests {
    use super::super::tests::{explore_by_seed, random_net};
    use super::*;
    use parikh_evidence::tree::visit::visit_tree;
    use parikh_generate::{random_ctl, random_predicate};
    use parikh_solvers::Budget;
    use parikh_temporal::Ctl;

    /// Compares forward evaluation with a visit of all markings, and with the set of all markings
    /// that satisfy the formula.
    #[test]
    fn forward_evaluation_agrees_with_a_visit_and_with_sets() {
        let mut seen = [0; 2];
        for seed in 0..600 {
            let net = random_net(seed);
            let mut rng = fastrand::Rng::with_seed(seed);
            let atoms = [(); 3].map(|()| random_predicate(&mut rng, &net, 2));
            let mut formulas = Ctl::default();
            let formula = random_ctl(&mut formulas, &mut rng, 3, 7);
            let property = TreeProperty::new(&formulas, formula, &atoms);
            // Unbounded nets, and nets with many markings, are left out.
            let Ok(truth) = visit_tree(&net, &property, 2_000, &mut || true) else { continue };
            let budget = Budget::unlimited();
            let (forward, by_sets) = explore_by_seed(seed, &net, &budget, |mut reached| {
                // Collecting garbage at every step detects sets that are not kept.
                reached.diagrams.collect_each(1);
                let initial = reached.vector(net.initial());
                let mut evaluation = CtlEvaluation::new(&mut reached, (&net, &budget))?;
                let forward = evaluation.holds(&property, &initial)?;
                let mut evaluated = EvaluatedProperty::of(&property);
                let members = evaluation.members_of(&mut evaluated, property.formula())?;
                Ok((forward, evaluation.contains(members, &initial)))
            })
            .unwrap();
            assert_eq!((forward, by_sets), (truth.holds, truth.holds), "net {seed}");
            seen[usize::from(forward)] += 1;
        }
        assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
    }
}
