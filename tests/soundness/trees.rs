//! Properties of the computation tree, against naive fixpoints: each engine alone, and whole runs
//! of the program.

use crate::support::oracle::{GoalTruth, OracleLimits, explore};
use crate::support::scale::scaled;
use crate::support::shrinking::shrinking;
use crate::support::{runs, trees};
use fastrand::Rng;
use parikh::answer::Plan;
use parikh::board::{Evidence, Knowledge, TreeKnowledge};
use parikh::engine::Engine;
use parikh::engine::registry::ENGINES;
use parikh::evidence::tree::{run_bounds, silent};
use parikh::net::property::literal_of;
use parikh::net::run_property::RunAtom;
use parikh::net::{Goal, GoalKind, Net, Predicate, RunProperty, TreeProperty};
use parikh::run::{Event, RunConfig, run_net};
use parikh::solvers::Budget;
use parikh_generate::{Shape, random, random_ctl, random_predicate};
use parikh_temporal::{Ctl, Ltl};
use std::time::Duration;

const LONG: Duration = Duration::from_secs(2);

/// Returns random properties of a net's computation tree, each with its negation.
fn properties(seed: u64, net: &Net, count: usize) -> Vec<TreeProperty> {
    let mut rng = Rng::with_seed(seed);
    let atoms: Vec<_> = (0..3).map(|_| random_predicate(&mut rng, net, 2).sorted()).collect();
    let mut formulas = Ctl::default();
    let property = |_| {
        let operators = rng.usize(1..8);
        let formula = random_ctl(&mut formulas, &mut rng, 3, operators);
        TreeProperty::new(&formulas, formula, &atoms)
    };
    let all: Vec<TreeProperty> = (0..count).map(property).collect();
    all.iter().flat_map(|it| [it.clone(), it.negated()]).collect()
}

/// Runs these engines on properties of random nets and compares the results with the truth. Returns
/// the numbers of true results, of false results, and of results without checkable evidence. With
/// `aided`, the board also has helpful goals: changes of atoms, and home properties.
fn tried(engines: &'static [Engine], count: u64, aided: bool) -> [usize; 3] {
    let [mut held, mut failed, mut searched] = [0; 3];
    for seed in 0..scaled(count) {
        let net = random(seed, &Shape::small(seed));
        shrinking(&net, |net| {
            let Some(space) = explore(net, OracleLimits { states: 200, tokens: 60 }) else {
                return;
            };
            let all = properties(seed, net, 4);
            let mut goals: Vec<Goal> =
                all.iter().map(|it| Goal::Tree(Box::new(it.clone()))).collect();
            if aided {
                let both = |atom: &Predicate| [atom.clone(), atom.clone().negated()];
                let atoms: Vec<Predicate> =
                    all.iter().flat_map(|it| it.atoms()).flat_map(both).collect();
                let dead = Goal::Reach(Predicate::Dead);
                goals.extend(atoms.iter().map(|it| Goal::Reach(it.clone().sorted())).chain([dead]));
                goals.extend(atoms.into_iter().map(|it| Goal::Home(it.sorted())));
            }
            let truth: Vec<bool> =
                goals.iter().map(|goal| space.answer(goal) == GoalTruth::Exists(true)).collect();
            let config = RunConfig { engines, threads: 1, ..RunConfig::default() };
            let budget = Budget::unlimited().slice(LONG);
            let report = run_net(net, Plan::of_goals(goals), &config, &budget, |event| {
                let Event::Settled { id, knowledge: Knowledge::Tree(tree), .. } = event else {
                    return;
                };
                let TreeKnowledge::Decided { holds, evidence, .. } = tree else { return };
                assert_eq!(*holds, truth[id.index()], "net {seed}, {id:?}: {tree:?}");
                held += usize::from(*holds);
                failed += usize::from(!holds);
                searched += usize::from(matches!(evidence, Evidence::Searched { .. }));
            });
            assert_eq!(report.faults, 0, "net {seed}");
        });
    }
    [held, failed, searched]
}

#[test]
fn every_engine_alone_is_right_about_trees() {
    for engine in ENGINES.iter().filter(|it| it.supported.kinds.contains(&GoalKind::Tree)) {
        let engines: &'static [Engine] = Vec::leak(vec![*engine]);
        let [held, failed, searched] = tried(engines, 250, false);
        assert!(held > 500 && failed == held, "{engine:?}: {held}, {failed}");
        assert_eq!(searched, 0, "small graphs are labelled");
    }
}

#[test]
fn answers_of_complete_runs_about_trees_are_right() {
    for aided in [false, true] {
        let [held, failed, _] = tried(ENGINES, 100, aided);
        assert!(held > 200 && failed == held, "{held}, {failed}");
    }
}

/// The markings before and after a firing that a formula does not observe satisfy the same
/// formulas.
#[test]
fn unobserved_firings_preserve_the_truth_of_formulas() {
    let (mut seen, mut held) = (0, 0);
    for seed in 0..scaled(600) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, OracleLimits { states: 200, tokens: 60 }) else { continue };
        for property in properties(seed, &net, 6) {
            let silent = silent(&net, &property);
            if silent.is_empty() {
                continue;
            }
            let values = trees::values(&space, &property);
            for at in 0..values.len() {
                for (to, t) in
                    space.fired_from(at).filter(|(_, t)| t.is_some_and(|t| silent.contains(&t)))
                {
                    assert_eq!(values[at], values[to], "net {seed}, {t:?}: {property:?}");
                    seen += 1;
                    held += usize::from(values[at]);
                }
            }
        }
    }
    assert!(seen > 500 && held > 100 && held < seen, "{held} of {seen}");
}

/// CTL formulas reported as equivalent to an LTL formula on all paths.
#[test]
fn ctl_formulas_agree_with_their_ltl_equivalents() {
    let (mut seen, mut held) = (0, 0);
    for seed in 0..scaled(400) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, OracleLimits { states: 100, tokens: 60 }) else { continue };
        for property in properties(seed, &net, 4) {
            let mut linear = Ltl::default();
            let mut atoms = property.atoms().to_vec();
            let dead = literal_of(&mut atoms, Predicate::Dead);
            let atoms: Vec<RunAtom> = atoms.into_iter().map(RunAtom::Holds).collect();
            let (formulas, formula) = (property.formulas(), property.formula());
            let Some(all) = formulas.on_all_paths(formula, &mut linear, dead) else { continue };
            let violated = linear.negate(all);
            let violated = RunProperty::new(&linear, violated, &atoms);
            let holds = trees::holds(&space, &property);
            assert_eq!(!runs::exists(&space, &violated), holds, "net {seed}: {property:?}");
            seen += 1;
            held += usize::from(holds);
        }
    }
    assert!(seen > 100 && held > 20 && held < seen, "{held} of {seen}");
}

/// Properties of runs that imply, or follow from, CTL formulas.
#[test]
fn properties_of_runs_and_of_the_tree_imply_each_other() {
    let (mut seen, mut shown, mut excluded) = (0, 0, 0);
    for seed in 0..scaled(400) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, OracleLimits { states: 100, tokens: 60 }) else { continue };
        for property in properties(seed, &net, 5) {
            let (formulas, formula) = (property.formulas(), property.formula());
            let Some(bounds) = run_bounds(&net, formulas, formula, property.atoms()) else {
                continue;
            };
            let holds = trees::holds(&space, &property) == bounds.exists;
            let what = || format!("net {seed}: {property:?}");
            if let Some(run) = bounds.sufficient {
                let has = runs::exists(&space, &run);
                assert!(holds || !has, "{}", what());
                shown += usize::from(has);
            }
            let has = bounds.necessary.iter().all(|run| runs::exists(&space, run));
            assert!(has || !holds, "{}", what());
            excluded += usize::from(!has);
            seen += 1;
        }
    }
    assert!(shown > seen / 10 && excluded > seen / 10, "{shown}, {excluded} of {seen}");
}
