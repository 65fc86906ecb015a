//! Translation of formulas of CTL into properties of the tree of runs.
//!
//! The formula is converted (`reading`) and simplified by the rules of
//! [`parikh_temporal::BRANCHING_RULES`]. ∧ and ∨ at the top become propositions over goals. A part
//! becomes a goal about a reachable marking, a home space or a run
//! ([`parikh_temporal::Ctl::on_all_paths`]) where possible. Parts that the initial marking decides
//! become constants.
//!
//! The remaining parts become goals about the tree of runs. Sufficient or necessary conditions on
//! single runs are added as further goals, since they may decide such a part earlier
//! ([`run_bounds`]). A part about a home space, or about a run with several temporal operators,
//! becomes two equivalent goals: other engines decide the goal about the tree of runs.

use super::proposition::Proposition;
use super::reading::{LogicOperators, TemporalConverter};
use super::runs;
use super::syntax::Formula;
use super::unsupported::UnsupportedFormula;
use parikh_evidence::tree::{MAX_LEAVES, RunBounds, run_bounds};
use parikh_net::coloured::Folding;
use parikh_net::precondition::condition_before;
use parikh_net::property::literal_of;
use parikh_net::run_property::RunAtom;
use parikh_net::{Goal, Net, Predicate, TreeProperty};
use parikh_temporal::{
    AtomId, BRANCHING_RULES, Formula as Id, Ltl, Node, PartialTruth, Paths as _, Quantifier,
};

type Ctl = Id<Quantifier>;

/// The largest number of rewriting steps.
const MAX_REWRITING_STEPS: usize = 20_000;

/// Converts a path formula to a property of the tree of runs of `net`. If `all`, all paths from the
/// initial marking satisfy `path`, and otherwise some path does. `path` is a temporal operator over
/// formulas of CTL.
///
/// # Errors
/// When the formula mixes the logics, or has atoms about firings, a bound, products of token counts
/// or too large numbers. Also when it grows too much because equivalences are replaced. Also when
/// `net` is the skeleton of a coloured net, that is, the net without colours. A skeleton has other
/// runs than the coloured net.
pub fn tree_property(
    path: &Formula,
    all: bool,
    net: &Net,
) -> Result<TreeProperty, UnsupportedFormula> {
    if net.folding().is_some_and(Folding::is_skeleton) {
        return Err(UnsupportedFormula::Colours);
    }
    let mut converter = TemporalConverter::new(path);
    let paths = if all { Quantifier::All } else { Quantifier::Exists };
    let formula = on_paths_below(&mut converter, path, paths)?;
    let TemporalConverter { mut formulas, atoms, .. } = converter;
    // Atoms of CTL are conditions on markings, never about firings.
    let atoms: Vec<Predicate> = atoms.iter().filter_map(RunAtom::condition).collect();
    let (simplified, _) = formulas.rewritten(formula, BRANCHING_RULES, MAX_REWRITING_STEPS);
    Ok(TreeProperty::new(&formulas, simplified, &atoms))
}

/// Converts a path formula as [`tree_property`] does, to a proposition over goals.
///
/// # Errors
/// The errors of [`tree_property`].
pub(super) fn tree_proposition(
    path: &Formula,
    all: bool,
    net: &Net,
) -> Result<Proposition<Goal>, UnsupportedFormula> {
    let property = tree_property(path, all, net)?;
    let (mut tasks, mut results) = (vec![TreeTask::Visit(property.formula())], Vec::new());
    while let Some(task) = tasks.pop() {
        match task {
            TreeTask::Join { all, parts } => {
                let parts = results.split_off(results.len() - parts);
                results.push(Proposition::junction(all, parts));
            }
            TreeTask::Visit(part) => {
                match (initially(&property, part, net), property.formulas().node(part)) {
                    (Some(value), _) => results.push(Proposition::Constant(value)),
                    (None, node @ (Node::And(parts) | Node::Or(parts))) => {
                        let all = matches!(node, Node::And(_));
                        tasks.push(TreeTask::Join { all, parts: parts.len() });
                        tasks.extend(parts.iter().rev().map(|&part| TreeTask::Visit(part)));
                    }
                    (None, _) => results.push(simplest_goal(&property, part, net)),
                }
            }
        }
    }
    Ok(Proposition::junction(true, results))
}

/// Adds an equivalent goal about the tree of runs to `proposition`. The proposition is EF φ, where
/// φ is `part`, or EF ¬φ if `holds` is false. Returns it unchanged if there is no such goal.
pub(super) fn or_tree_goal(
    proposition: TreeProposition,
    part: &Formula,
    holds: bool,
    net: &Net,
) -> TreeProposition {
    let part = if holds { part.clone() } else { Formula::Not(Box::new(part.clone())) };
    match tree_property(&Formula::Finally(Box::new(part)), false, net) {
        Ok(property) => proposition.equal_to(Proposition::Atom(Goal::Tree(Box::new(property)))),
        Err(_) => proposition,
    }
}

/// A pending step in the traversal of the top of a formula.
enum TreeTask {
    /// Find the goals of a part.
    Visit(Ctl),
    /// Join the last `parts` results to a conjunction if `all`, or to a disjunction.
    Join { all: bool, parts: usize },
}

/// Returns the truth value of a part of the formula in the initial marking. Returns `None` if the
/// initial marking does not decide the value.
fn initially(property: &TreeProperty, part: Ctl, net: &Net) -> Option<bool> {
    let initial_value = |atom: AtomId| {
        PartialTruth::from(property.atoms()[atom.0 as usize].holds(net, net.initial()))
    };
    let value = match net.is_dead(net.initial()) {
        true => property.formulas().value_at_end(part, initial_value),
        false => property.formulas().value_here(part, initial_value),
    };
    value.to_bool()
}

/// A proposition over goals that stands for a part of a CTL formula.
type TreeProposition = Proposition<Goal>;

/// Translates a part of the formula with a temporal operator at the top into the simplest goal: a
/// reachable marking, a home space, a run, or else the tree of runs. For a home space, an
/// equivalent goal about the tree of runs is added. The same goal is added for a run if the part
/// has several temporal operators: other engines then search for the run operator by operator.
fn simplest_goal(property: &TreeProperty, part: Ctl, net: &Net) -> TreeProposition {
    let formulas = property.formulas();
    // A condition after one firing is rewritten as a condition on the marking before it.
    let state = |part| condition_before(formulas, part, property.atoms(), net, MAX_LEAVES);
    if let Some(reached) = formulas.possible(part) {
        if let Some(target) = state(reached) {
            return Proposition::Atom(Goal::Reach(target));
        }
        if let Some(kept) = formulas.invariant(reached).and_then(state) {
            let lost = Proposition::Atom(Goal::Home(kept.negated())).negated();
            return lost.equal_to(tree_goal(property, part));
        }
    }
    if let Some(kept) = formulas.invariant(part) {
        if let Some(kept) = state(kept) {
            return Proposition::Atom(Goal::Reach(kept.negated())).negated();
        }
        if let Some(wanted) = formulas.possible(kept).and_then(state) {
            return Proposition::Atom(Goal::Home(wanted)).equal_to(tree_goal(property, part));
        }
    }
    if let Some(proposition) = run_goal(property, part, net) {
        return match has_nested_operators(formulas, part) {
            true => proposition.equal_to(tree_goal(property, part)),
            false => proposition,
        };
    }
    match run_bounds(net, formulas, part, property.atoms()) {
        Some(bounds) => with_run_bounds(tree_goal(property, part), bounds, net),
        None => tree_goal(property, part),
    }
}

/// Returns true if the part has more than one temporal operator.
fn has_nested_operators(formulas: &parikh_temporal::Ctl, part: Ctl) -> bool {
    let is_temporal = |part: &&Ctl| {
        matches!(formulas.node(**part), Node::Next(..) | Node::Until(..) | Node::Release(..))
    };
    formulas.subformulas(part).iter().filter(is_temporal).nth(1).is_some()
}

/// Returns the goal that the tree of runs satisfies a part of the formula.
fn tree_goal(full: &TreeProperty, part: Ctl) -> TreeProposition {
    let property = TreeProperty::new(full.formulas(), part, full.atoms());
    Proposition::Atom(Goal::Tree(Box::new(property)))
}

/// The largest number of necessary conditions on runs that are added to a goal about the tree of
/// runs. Each condition is a goal of its own.
const MAX_CONSEQUENCES: usize = 2;

/// Adds goals about runs to a goal about the tree of runs: consequences, and a sufficient
/// condition.
fn with_run_bounds(tree: TreeProposition, bounds: RunBounds, net: &Net) -> TreeProposition {
    // If `exists` is false, the conditions are about the negation of the tree's formula, so the
    // goals are added to the negation, and the result is negated again.
    let RunBounds { exists, sufficient: shown_by, necessary: shows } = bounds;
    let has = |property| runs::some_run_has(&property, net);
    let tree = if exists { tree } else { tree.negated() };
    let with_consequences =
        Proposition::implying(tree, shows.into_iter().take(MAX_CONSEQUENCES).map(has));
    // The sufficient condition implies the formula. So its negation is a consequence of the
    // negated formula.
    let shown_by = shown_by.map(has).map(Proposition::negated);
    let with_sufficient = Proposition::implying(with_consequences.negated(), shown_by);
    if exists { with_sufficient.negated() } else { with_sufficient }
}

/// Translates a part of the formula into a goal about runs. Returns `None` if no equivalent
/// property of runs is found.
fn run_goal(property: &TreeProperty, part: Ctl, net: &Net) -> Option<TreeProposition> {
    let mut formulas = property.formulas().clone();
    let negation = formulas.negate(part);
    let mut atoms = property.atoms().to_vec();
    let dead = literal_of(&mut atoms, Predicate::Dead);
    let some_run_violates = |all: Ctl| {
        let mut linear = Ltl::default();
        let kept = formulas.on_all_paths(all, &mut linear, dead)?;
        let violated = linear.negate(kept);
        Some(runs::some_run(linear, violated, &atoms, net))
    };
    some_run_violates(part).map(Proposition::negated).or_else(|| some_run_violates(negation))
}

impl LogicOperators for Quantifier {
    fn convert_temporal(
        converter: &mut TemporalConverter<Quantifier>,
        formula: &Formula,
    ) -> Result<Ctl, UnsupportedFormula> {
        match formula {
            Formula::AllPaths(path) => on_paths_below(converter, path, Quantifier::All),
            Formula::ExistsPath(path) => on_paths_below(converter, path, Quantifier::Exists),
            Formula::Fires(_) => Err(UnsupportedFormula::Temporal("`fires` in CTL")),
            _ => Err(UnsupportedFormula::Temporal(
                "an operator of time without a quantifier, in CTL,",
            )),
        }
    }
}

/// Converts the formula directly below a path quantifier.
fn on_paths_below(
    converter: &mut TemporalConverter<Quantifier>,
    path: &Formula,
    paths: Quantifier,
) -> Result<Ctl, UnsupportedFormula> {
    // E ¬F φ = ¬A F φ, and likewise for the other operators.
    if let Formula::Not(part) = path {
        let negation_operand = on_paths_below(converter, part, paths.dual())?;
        return Ok(converter.formulas.negate(negation_operand));
    }
    match converter.operator(path, paths)? {
        Some(operator) => Ok(operator),
        None => converter.formula(path),
    }
}
