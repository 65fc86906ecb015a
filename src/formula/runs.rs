//! From a path formula to a property of runs.
//!
//! A path formula is read as LTL (`reading`): over infinite words, for which a run that comes to a
//! dead marking repeats it. What fires next is an atom of its own. What the atoms are in the
//! initial marking is known, and every run begins there: that, and the rules of
//! [`parikh_temporal::LINEAR_RULES`], make the formula simpler.

use super::proposition::Proposition;
use super::reading::{Logic, Reading};
use super::syntax::Formula;
use super::unsupported::Unsupported;
use parikh_net::coloured::Folding;
use parikh_net::property::condition;
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Goal, Net, Predicate, TransitionId};
use parikh_temporal::{
    Atom, Formula as Ltl, LINEAR_RULES, Linear, Ltl as Formulas, Node, PartialTruth,
};

/// The most steps of rewriting.
const STEPS: usize = 20_000;

/// The runs of `net` that satisfy `path`, a path formula without path quantifiers, or its negation
/// where `holds` is false.
///
/// # Errors
/// When it has path quantifiers, its numbers are too large, or `net` is the skeleton of a coloured
/// net, whose runs are others.
pub fn run_property(path: &Formula, net: &Net, holds: bool) -> Result<RunProperty, Unsupported> {
    if net.folding().is_some_and(Folding::is_skeleton) {
        return Err(Unsupported::Colours);
    }
    let mut reading = Reading::new(path);
    let mut formula = reading.formula(path)?;
    let Reading { mut formulas, atoms, .. } = reading;
    if !holds {
        formula = formulas.negate(formula);
    }
    Ok(simplified(formulas, formula, &atoms, net))
}

/// The runs of `net` that satisfy the formula, with what the initial marking says of it.
fn simplified(
    mut formulas: Formulas,
    formula: Ltl<Linear>,
    atoms: &[RunAtom],
    net: &Net,
) -> RunProperty {
    let is_dead = net.is_dead(net.initial());
    let initially = RunAtom::all_initially(atoms, net);
    let here = |atom: Atom| initially[atom.0 as usize];
    if is_dead {
        // There is one run, which repeats one letter.
        let value = formulas.value_at_end(formula, here) == PartialTruth::True;
        return RunProperty::new(&formulas, formulas.constant(value), &[]);
    }
    let given = formulas.given_here(formula, here);
    let (simple, _) = formulas.rewritten(given, LINEAR_RULES, STEPS);
    // Rewriting may bring to the first letter what was said of a later one.
    let simple = formulas.given_here(simple, here);
    RunProperty::new(&formulas, simple, atoms)
}

/// That some run of `net` satisfies `path`, or its negation where `holds` is false, over goals: of
/// ψ ∨ χ one of the two, and of F φ over a condition on markings that φ can be reached.
///
/// # Errors
/// As [`run_property`].
pub(super) fn asked(
    path: &Formula,
    net: &Net,
    holds: bool,
) -> Result<Proposition<Goal>, Unsupported> {
    Ok(over_goals(&run_property(path, net, holds)?))
}

/// That some run of `net` satisfies a formula over atoms of markings, over goals.
pub(super) fn some_run(
    formulas: Formulas,
    formula: Ltl<Linear>,
    atoms: &[Predicate],
    net: &Net,
) -> Proposition<Goal> {
    let atoms: Vec<RunAtom> = atoms.iter().cloned().map(RunAtom::Holds).collect();
    over_goals(&simplified(formulas, formula, &atoms, net))
}

/// That some run of `net` has a property, as one goal: an argument that none has it is about the
/// whole of it.
pub(super) fn some_run_has(property: &RunProperty, net: &Net) -> Proposition<Goal> {
    let (formulas, formula) = (property.formulas().clone(), property.formula());
    let whole = simplified(formulas, formula, property.atoms(), net);
    case(&whole, whole.formula())
}

fn over_goals(whole: &RunProperty) -> Proposition<Goal> {
    let (formulas, formula) = (whole.formulas(), whole.formula());
    let cases = match formulas.node(formula) {
        Node::Or(cases) => cases.to_vec(),
        _ => vec![formula],
    };
    Proposition::junction(false, cases.into_iter().map(|formula| case(whole, formula)))
}

/// That some run has the property of a part, as one goal: a reachable marking where that is enough.
fn case(whole: &RunProperty, part: Ltl<Linear>) -> Proposition<Goal> {
    let formulas = whole.formulas();
    let sought = match formulas.node(part) {
        Node::True | Node::False => return Proposition::Constant(formulas.is(part, true)),
        Node::Until(_, left, right) if formulas.is(*left, true) => {
            condition(formulas, *right, whole.atoms(), RunAtom::condition)
        }
        _ => None,
    };
    Proposition::Atom(match sought {
        Some(predicate) => Goal::Reach(predicate),
        None => Goal::Run(Box::new(RunProperty::new(formulas, part, whole.atoms()))),
    })
}

impl Logic for Linear {
    fn timed(reading: &mut Reading<Linear>, formula: &Formula) -> Result<Ltl<Linear>, Unsupported> {
        if let Some(operator) = reading.operator(formula, Linear)? {
            return Ok(operator);
        }
        match formula {
            Formula::AllPaths(_) => Err(Unsupported::Temporal("A below a temporal operator")),
            Formula::Fires(transitions) => Ok(fires(reading, transitions)),
            _ => Err(Unsupported::Temporal("E below a temporal operator")),
        }
    }
}

/// That one of these fires next.
#[inline(never)]
fn fires(reading: &mut Reading<Linear>, transitions: &[TransitionId]) -> Ltl<Linear> {
    let mut transitions = transitions.to_vec();
    transitions.sort_unstable();
    transitions.dedup();
    reading.atom(RunAtom::Fires(transitions))
}
