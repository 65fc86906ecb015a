//! Translation of path formulas into properties of runs.
//!
//! A path formula is read as LTL over infinite words (`reading`). A run that reaches a dead marking
//! repeats that marking. An atom is a condition on the marking, or a condition on the next firing.
//! All runs begin in the initial marking, so the values of the atoms there are known. These values
//! and the rules of [`parikh_temporal::LINEAR_RULES`] simplify the formula.

use super::proposition::Proposition;
use super::reading::{LogicOperators, TemporalConverter};
use super::syntax::Formula;
use super::unsupported::UnsupportedFormula;
use parikh_net::coloured::Folding;
use parikh_net::property::condition;
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Goal, Net, Predicate, TransitionId};
use parikh_temporal::{
    AtomId, Formula as Ltl, LINEAR_RULES, Linear, Ltl as Formulas, Node, PartialTruth,
};

/// The largest number of rewriting steps.
const MAX_REWRITING_STEPS: usize = 20_000;

/// Converts `path`, negated if `holds` is false, to a property of the runs of `net`.
///
/// # Errors
/// When the formula has path quantifiers, a bound, products of token counts or too large numbers,
/// or grows too much when equivalences are replaced. Also when `net` is the skeleton of a coloured
/// net, that is, the net without colours. A skeleton has other runs than the coloured net.
pub fn run_property(
    path: &Formula,
    net: &Net,
    holds: bool,
) -> Result<RunProperty, UnsupportedFormula> {
    if net.folding().is_some_and(Folding::is_skeleton) {
        return Err(UnsupportedFormula::Colours);
    }
    let mut converter = TemporalConverter::new(path);
    let mut formula = converter.formula(path)?;
    let TemporalConverter { mut formulas, atoms, .. } = converter;
    if !holds {
        formula = formulas.negate(formula);
    }
    Ok(simplify(formulas, formula, &atoms, net))
}

/// Simplifies a formula with the values of its atoms in the initial marking.
fn simplify(
    mut formulas: Formulas,
    formula: Ltl<Linear>,
    atoms: &[RunAtom],
    net: &Net,
) -> RunProperty {
    let is_dead = net.is_dead(net.initial());
    let initially = RunAtom::initial_values(atoms, net);
    let initial_value = |atom: AtomId| initially[atom.0 as usize];
    if is_dead {
        // The initial marking is dead, so the only run repeats the initial marking forever.
        let value = formulas.value_at_end(formula, initial_value) == PartialTruth::True;
        return RunProperty::new(&formulas, formulas.constant(value), &[]);
    }
    let with_initial_values = formulas.simplify_here(formula, initial_value);
    let (simple, _) = formulas.rewritten(with_initial_values, LINEAR_RULES, MAX_REWRITING_STEPS);
    // Rewriting may turn subformulas about later markings into subformulas about the initial
    // marking.
    let simple = formulas.simplify_here(simple, initial_value);
    RunProperty::new(&formulas, simple, atoms)
}

/// Returns a proposition over goals: some run of `net` satisfies `path`, or ¬`path` if `holds` is
/// false. A disjunction gives a goal for each operand. For F φ, where φ is a condition on markings,
/// the goal is the reachability of φ.
///
/// # Errors
/// The errors of [`run_property`].
pub(super) fn run_proposition(
    path: &Formula,
    net: &Net,
    holds: bool,
) -> Result<Proposition<Goal>, UnsupportedFormula> {
    Ok(over_goals(&run_property(path, net, holds)?))
}

/// Returns a proposition over goals: some run of `net` satisfies a formula whose atoms are
/// conditions on markings.
pub(super) fn some_run(
    formulas: Formulas,
    formula: Ltl<Linear>,
    atoms: &[Predicate],
    net: &Net,
) -> Proposition<Goal> {
    let atoms: Vec<RunAtom> = atoms.iter().cloned().map(RunAtom::Holds).collect();
    over_goals(&simplify(formulas, formula, &atoms, net))
}

/// Returns a single goal, or a constant: some run of `net` has the property. A disjunction is not
/// split, because a proof that no run has the property has to cover the whole formula.
pub(super) fn some_run_has(property: &RunProperty, net: &Net) -> Proposition<Goal> {
    let (formulas, formula) = (property.formulas().clone(), property.formula());
    let simplified_property = simplify(formulas, formula, property.atoms(), net);
    run_or_reach_goal(&simplified_property, simplified_property.formula())
}

/// Returns a proposition over goals: some run has the property. Each part of a disjunction becomes
/// a goal of its own.
fn over_goals(property: &RunProperty) -> Proposition<Goal> {
    let (formulas, formula) = (property.formulas(), property.formula());
    let cases = match formulas.node(formula) {
        Node::Or(cases) => cases.to_vec(),
        _ => vec![formula],
    };
    Proposition::junction(
        false,
        cases.into_iter().map(|formula| run_or_reach_goal(property, formula)),
    )
}

/// Returns the goal that some run satisfies `part`, or a constant if `part` is one. If `part` is F
/// φ with a condition φ on markings, the goal is the reachability of φ.
fn run_or_reach_goal(property: &RunProperty, part: Ltl<Linear>) -> Proposition<Goal> {
    let formulas = property.formulas();
    let target = match formulas.node(part) {
        Node::True | Node::False => return Proposition::Constant(formulas.is(part, true)),
        Node::Until(_, left, right) if formulas.is(*left, true) => {
            condition(formulas, *right, property.atoms(), RunAtom::condition)
        }
        _ => None,
    };
    Proposition::Atom(match target {
        Some(predicate) => Goal::Reach(predicate),
        None => Goal::Run(Box::new(RunProperty::new(formulas, part, property.atoms()))),
    })
}

impl LogicOperators for Linear {
    fn convert_temporal(
        converter: &mut TemporalConverter<Linear>,
        formula: &Formula,
    ) -> Result<Ltl<Linear>, UnsupportedFormula> {
        if let Some(operator) = converter.operator(formula, Linear)? {
            return Ok(operator);
        }
        match formula {
            Formula::AllPaths(_) => {
                Err(UnsupportedFormula::Temporal("A below a temporal operator"))
            }
            Formula::Fires(transitions) => Ok(fires(converter, transitions)),
            _ => Err(UnsupportedFormula::Temporal("E below a temporal operator")),
        }
    }
}

/// Returns the atom that one of these transitions fires next.
#[inline(never)]
fn fires(converter: &mut TemporalConverter<Linear>, transitions: &[TransitionId]) -> Ltl<Linear> {
    let mut transitions = transitions.to_vec();
    transitions.sort_unstable();
    transitions.dedup();
    converter.atom(RunAtom::Fires(transitions))
}
