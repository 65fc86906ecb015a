//! Properties of runs that imply a CTL property or follow from it ([`Ctl::linear_bounds`]).
//!
//! The CTL property begins with E or A. For E, a run with the sufficient property proves the CTL
//! property. The CTL property is false if no run has one of the necessary properties. A property
//! with A is the negation of one with E. For EX and AX, conditions on single markings
//! ([`implying_predicates`]) are used, too.

use super::implying::implying_predicates;
use parikh_net::property::literal_of;
use parikh_net::run_property::RunAtom;
use parikh_net::{Net, Predicate, RunProperty};
use parikh_temporal::{Ctl, Formula, LinearBounds, Literal, Ltl, Node, Quantifier};
use std::collections::HashMap;

/// Conditions on runs that are sufficient or necessary for a subformula of a CTL formula. The
/// subformula begins with a path quantifier.
#[derive(Clone, Debug)]
pub struct RunBounds {
    /// True if the subformula begins with E. Otherwise its negation does, and the other fields are
    /// about the negation.
    pub exists: bool,
    /// A run with this property proves the subformula (or its negation). `None` if the property is
    /// the constant false, which no run satisfies.
    pub sufficient: Option<RunProperty>,
    /// If no run has one of these properties, the subformula (or its negation) is false. The
    /// constant true, which every run satisfies, is left out.
    pub necessary: Vec<RunProperty>,
}

/// Returns conditions on runs that are sufficient or necessary for the subformula `part` of a CTL
/// formula over `atoms`. Returns `None` if `part` does not begin with a path quantifier.
pub fn run_bounds(
    net: &Net,
    formulas: &Ctl,
    part: Formula<Quantifier>,
    atoms: &[Predicate],
) -> Option<RunBounds> {
    let exists = match formulas.node(part) {
        Node::Next(paths, _) | Node::Until(paths, ..) | Node::Release(paths, ..) => {
            *paths == Quantifier::Exists
        }
        _ => return None,
    };
    let mut formulas = formulas.clone();
    let existential = if exists { part } else { formulas.negate(part) };
    let mut atoms = atoms.to_vec();
    let next_literals = next_conditions(net, &mut formulas, existential, &mut atoms);
    let dead = literal_of(&mut atoms, Predicate::Dead);
    let mut linear = Ltl::default();
    let next = |part: Formula<Quantifier>| next_literals.get(&part).copied();
    let LinearBounds { sufficient: sufficient_formula, necessary: necessary_formulas } =
        formulas.linear_bounds(existential, &mut linear, dead, &next);
    let atoms: Vec<RunAtom> = atoms.into_iter().map(RunAtom::Holds).collect();
    let property = |formula| RunProperty::new(&linear, formula, &atoms);
    Some(RunBounds {
        exists,
        sufficient: (!linear.is(sufficient_formula, false)).then(|| property(sufficient_formula)),
        necessary: necessary_formulas
            .into_iter()
            .filter(|&it| !linear.is(it, true))
            .map(property)
            .collect(),
    })
}

/// Returns a literal for each subformula of `formula` of the form EX φ or AX φ, if a condition on
/// the current marking is found. For AX φ, the condition implies AX φ and the literal is the
/// condition. For EX φ, the condition implies AX ¬φ and the literal is its negation, which EX φ
/// implies. Adds a condition to `atoms` unless the condition or its negation is an atom already.
fn next_conditions(
    net: &Net,
    formulas: &mut Ctl,
    formula: Formula<Quantifier>,
    atoms: &mut Vec<Predicate>,
) -> HashMap<Formula<Quantifier>, Literal> {
    let parts = formulas.subformulas(formula);
    // For each EX or AX subformula: the subformula, the AX formula, and true if the subformula is
    // that AX formula. For EX φ, the AX formula is the negation AX ¬φ.
    let mut next_formulas = Vec::new();
    for &part in &parts {
        if let Node::Next(paths, _) = *formulas.node(part) {
            let is_some = paths == Quantifier::Exists;
            let universal = if is_some { formulas.negate(part) } else { part };
            next_formulas.push((part, universal, !is_some));
        }
    }
    let mut subformulas: Vec<_> =
        next_formulas.iter().flat_map(|&(_, it, _)| formulas.subformulas(it)).collect();
    subformulas.sort_unstable();
    subformulas.dedup();
    let implying = implying_predicates(formulas, atoms, &subformulas, net);
    let mut literals = HashMap::new();
    for (part, universal, positive) in next_formulas {
        let Ok(index) = subformulas.binary_search(&universal) else { continue };
        if implying[index] != Predicate::False {
            let condition = literal_of(atoms, implying[index].clone());
            literals.insert(part, if positive { condition } else { condition.negated() });
        }
    }
    literals
}
