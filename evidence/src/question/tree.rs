//! Turns a CTL formula into a question that is as simple as possible.
//!
//! First, rewriting rules that preserve the meaning are applied ([`BRANCHING_RULES`]). Then
//! conjunctions and disjunctions at the top become formulas over questions. Parts about a reachable
//! marking, or about predicates that stay reachable, become questions of these kinds; inside them,
//! EX and AX over conditions become conditions on the marking before the firing. Parts that are
//! decided on all paths ([`Ctl::on_all_paths`]) become questions about runs. The remaining parts
//! are branching-time questions, which some runs may also decide, or proofs that no run has a
//! property ([`run_bounds`]). Questions about predicates that stay reachable may also be decided as
//! branching-time questions.

use super::Question;
use crate::tree::{MAX_LEAVES, run_bounds};
use parikh_net::precondition::condition_before;
use parikh_net::property::{condition, literal_of};
use parikh_net::run_property::RunAtom;
use parikh_net::{Net, Predicate, RunProperty, TreeProperty};
use parikh_temporal::{BRANCHING_RULES, Ctl, Formula, Ltl, Node, Quantifier};

/// The maximum number of rewriting steps.
const MAX_REWRITE_STEPS: usize = 20_000;

impl Question {
    /// Returns the question that asks if `net` has the CTL property.
    pub fn of_tree(net: &Net, property: &TreeProperty) -> Question {
        let mut formulas = property.formulas().clone();
        let (simple, _) =
            formulas.rewritten(property.formula(), BRANCHING_RULES, MAX_REWRITE_STEPS);
        question_of(net, &formulas, simple, property.atoms())
    }
}

/// An entry of the stack of `question_of`.
enum CtlTask {
    /// Turns a subformula into a question.
    Visit(Formula<Quantifier>),
    /// Joins the last questions, as many as the number says, by conjunction (`true`) or
    /// disjunction.
    Join(bool, usize),
}

/// Returns the question for a formula. It consists of single questions, joined by conjunctions and
/// disjunctions.
fn question_of(
    net: &Net,
    formulas: &Ctl,
    whole: Formula<Quantifier>,
    atoms: &[Predicate],
) -> Question {
    let (mut tasks, mut questions) = (vec![CtlTask::Visit(whole)], Vec::new());
    while let Some(task) = tasks.pop() {
        match task {
            CtlTask::Join(all, count) => {
                let parts = questions.split_off(questions.len().saturating_sub(count));
                questions.push(Question::Connective { all, parts });
            }
            CtlTask::Visit(formula) => match formulas.node(formula) {
                node @ (Node::And(parts) | Node::Or(parts))
                    if marking_condition(formulas, formula, atoms).is_none() =>
                {
                    tasks.push(CtlTask::Join(matches!(node, Node::And(_)), parts.len()));
                    tasks.extend(parts.iter().rev().map(|&part| CtlTask::Visit(part)));
                }
                _ => questions.push(single_question(net, formulas, formula, atoms)),
            },
        }
    }
    questions.pop().unwrap_or(Question::Connective { all: true, parts: Vec::new() })
}

/// Returns a single question for a subformula: about the initial marking, about reachable markings,
/// about runs, or about the CTL property itself.
fn single_question(
    net: &Net,
    formulas: &Ctl,
    formula: Formula<Quantifier>,
    atoms: &[Predicate],
) -> Question {
    if let Some(initial_condition) = marking_condition(formulas, formula, atoms) {
        return Question::Initially(initial_condition);
    }
    // Returns a subformula as a predicate in sorted form. EX and AX over conditions become
    // conditions on the marking before the firing. Returns `None` as `condition_before` does, for
    // example if the subformula has other temporal operators.
    let as_condition =
        |part| Some(condition_before(formulas, part, atoms, net, MAX_LEAVES)?.sorted());
    let reach = |goal: Predicate, then| Question::Reach { goals: vec![goal], all: true, then };
    let not = |predicate: Predicate| predicate.negated().sorted();
    if let Some(target) = formulas.possible(formula) {
        if let Some(goal) = as_condition(target) {
            return reach(goal, true);
        }
        if let Some(invariant_condition) = formulas.invariant(target).and_then(as_condition) {
            let not_staying =
                Question::Not(Box::new(Question::StaysReachable(vec![not(invariant_condition)])));
            return with_tree_alternative(not_staying, formulas, formula, atoms);
        }
    }
    if let Some(invariant_condition) = formulas.invariant(formula) {
        if let Some(invariant_condition) = as_condition(invariant_condition) {
            return reach(not(invariant_condition), false);
        }
        if let Some(wanted) = formulas.possible(invariant_condition).and_then(as_condition) {
            return with_tree_alternative(
                Question::StaysReachable(vec![wanted]),
                formulas,
                formula,
                atoms,
            );
        }
    }
    match run_question(formulas, formula, atoms) {
        Some(question) => with_tree_alternative(question, formulas, formula, atoms),
        None => bounded_tree_question(net, formulas, formula, atoms),
    }
}

/// Returns the question `main`, which is equivalent to the CTL formula, with the CTL property as
/// another way to prove either answer.
fn with_tree_alternative(
    main: Question,
    formulas: &Ctl,
    formula: Formula<Quantifier>,
    atoms: &[Predicate],
) -> Question {
    let tree = Question::Tree(Box::new(TreeProperty::new(formulas, formula, atoms)));
    Question::WithImplications {
        main: Box::new(main),
        implied_by: vec![tree.clone()],
        implied: vec![tree],
    }
}

/// Returns the branching-time question. Adds the questions about runs that imply it or follow from
/// it, as far as `run_bounds` finds any.
fn bounded_tree_question(
    net: &Net,
    formulas: &Ctl,
    formula: Formula<Quantifier>,
    atoms: &[Predicate],
) -> Question {
    let tree = Question::Tree(Box::new(TreeProperty::new(formulas, formula, atoms)));
    let Some(bounds) = run_bounds(net, formulas, formula, atoms) else { return tree };
    let no_run = |property: RunProperty| Question::NoRun(Box::new(property));
    let some_run = |property: RunProperty| Question::Not(Box::new(no_run(property)));
    let (sufficient, necessary) = (bounds.sufficient.into_iter(), bounds.necessary.into_iter());
    // Without `exists`, the bounds are about the negation of the formula. So necessary and
    // sufficient conditions change places, and "some run" becomes "no run".
    let (shown_by, shows) = match bounds.exists {
        true => (sufficient.map(some_run).collect(), necessary.map(some_run).collect()),
        false => (necessary.map(no_run).collect(), sufficient.map(no_run).collect()),
    };
    Question::WithImplications { main: Box::new(tree), implied_by: shown_by, implied: shows }
}

/// Returns an equivalent question about runs. It asks if all paths satisfy a formula of LTL that is
/// equivalent to the CTL formula or to its negation. Returns `None` if no such formula is found.
fn run_question(
    formulas: &Ctl,
    formula: Formula<Quantifier>,
    atoms: &[Predicate],
) -> Option<Question> {
    let mut formulas = formulas.clone();
    let negation = formulas.negate(formula);
    let mut atoms = atoms.to_vec();
    let dead = literal_of(&mut atoms, Predicate::Dead);
    let run_atoms: Vec<RunAtom> = atoms.into_iter().map(RunAtom::Holds).collect();
    let none_violates = |all| {
        let mut linear = Ltl::default();
        let linear_formula = formulas.on_all_paths(all, &mut linear, dead)?;
        let violated = linear.negate(linear_formula);
        Some(Question::NoRun(Box::new(RunProperty::new(&linear, violated, &run_atoms))))
    };
    none_violates(formula)
        .or_else(|| none_violates(negation).map(|question| Question::Not(Box::new(question))))
}

/// Returns a subformula as a predicate in sorted form, or `None` if it has temporal operators.
fn marking_condition(
    formulas: &Ctl,
    part: Formula<Quantifier>,
    atoms: &[Predicate],
) -> Option<Predicate> {
    Some(condition(formulas, part, atoms, |atom| Some(atom.clone()))?.sorted())
}
