//! Unit claims, true and false, on random small nets, against plain enumeration. Violations of a
//! claim are found, and all answers that do not assume the claim are correct.

use crate::support::oracle::{GoalTruth, OracleLimits, explore};
use crate::support::scale::scaled;
use parikh::answer::{Plan, QuestionValue};
use parikh::board::{Board, Knowledge, ReachKnowledge};
use parikh::engine::explicit;
use parikh::engine::{Task, intervals};
use parikh::evidence::first_breach;
use parikh::mcc::Examination;
use parikh::net::units::Unit;
use parikh::net::{
    Facts, FiringSequence, Goal, GoalId, Marking, Net, NetBuilder, PlaceId, Predicate,
    TransitionId, UnitId, Units, marking_goals,
};
use parikh::run::{self, Event, RunConfig};
use parikh::solvers::Budget;
use parikh::structure;
use parikh_generate as generate;
use std::time::Duration;

/// Adds a root unit with two nested units, which share the places of the net, all claimed to be
/// safe. Returns `None` if the initial marking violates the claim.
fn claiming(net: &Net, seed: u64) -> Option<Net> {
    let mut builder = NetBuilder::new(net.name());
    for p in net.places() {
        builder.place(net.place_name(p), net.initial()[p]).unwrap();
    }
    for t in net.transitions() {
        let t = builder.transition(net.transition_name(t)).unwrap();
        net.pre(t).iter().for_each(|arc| builder.take(t, arc.place, arc.weight).unwrap());
        net.post(t).iter().for_each(|arc| builder.put(t, arc.place, arc.weight).unwrap());
    }
    let part = |inner: bool| -> Vec<PlaceId> {
        net.places().filter(|p| (seed >> (p.index() % 8)) & 1 == u64::from(inner)).collect()
    };
    let unit = |name: &str, places, parent: Option<usize>| Unit {
        name: name.into(),
        places,
        parent: parent.map(UnitId::new),
    };
    let tree = vec![
        unit("root", Vec::new(), None),
        unit("outer", part(false), Some(0)),
        unit("inner", part(true), Some(1)),
    ];
    let units = Units::new(tree, UnitId::new(0), true, net.initial(), |_| "").ok()?;
    builder.set_units(units);
    builder.build().ok()
}

fn nets() -> impl Iterator<Item = (u64, Net)> {
    (0..scaled(4000)).filter_map(|seed| {
        let net = generate::random(seed, &generate::Shape::small(seed));
        Some((seed, claiming(&net, seed)?))
    })
}

/// Finds the first violation of the claim along a sequence, one firing at a time.
fn breaks_plainly(net: &Net, sequence: &FiringSequence) -> Option<u64> {
    let units = net.units().unwrap();
    let mut marking = net.initial().clone();
    let mut fired = 0;
    for step in sequence.steps() {
        for _ in 0..step.count {
            net.fire(&mut marking, step.transition).unwrap();
            fired += 1;
            if units.breach(&marking).is_some() {
                return Some(fired);
            }
        }
    }
    None
}

#[test]
fn the_first_violation_of_safe_units_is_found() {
    let (mut broken, mut kept) = (0, 0);
    for (seed, net) in nets() {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut marking = net.initial().clone();
        let mut sequence = FiringSequence::new();
        for _ in 0..12 {
            let enabled: Vec<TransitionId> =
                net.transitions().filter(|&t| net.is_enabled(&marking, t)).collect();
            let Some(&t) = rng.choice(&enabled) else { break };
            net.fire(&mut marking, t).unwrap();
            sequence.push(t, 1);
        }
        let plainly = breaks_plainly(&net, &sequence);
        let found = first_breach(&net, &sequence, u64::MAX);
        assert_eq!(found.is_some(), plainly.is_some(), "seed {seed}: {found:?}");
        // Repeated firings of a transition are checked together, so the violation may be found
        // slightly later.
        if let (Some(text), Some(firings)) = (found, plainly) {
            let said = text.split(' ').rev().nth(1).unwrap().parse::<u64>().unwrap();
            assert!(said >= firings, "seed {seed}: {text}, but after {firings}");
            broken += 1;
        } else {
            kept += 1;
        }
    }
    assert!(broken > 50 && kept > 50, "{broken} broken, {kept} kept");
}

#[test]
fn answers_without_the_claim_are_true_and_false_claims_are_no_internal_error() {
    let config = RunConfig { threads: 2, ..RunConfig::default() };
    let (mut breaches, mut answers) = (0, 0);
    for (seed, net) in nets() {
        let Some(space) = explore(&net, OracleLimits { states: 500, tokens: 50 }) else { continue };
        let truths = [
            (Examination::OneSafe, space.most_in_place() <= 1),
            (Examination::QuasiLiveness, net.transitions().all(|t| space.fires(t))),
            (Examination::StableMarking, space.stable_place()),
            (Examination::ReachabilityDeadlock, space.deadlock()),
            (Examination::Liveness, space.live()),
        ];
        let breaks = |marking: &Marking| net.units().unwrap().breach(marking).is_some();
        let is_false = space.markings().iter().any(breaks);
        for (examination, truth) in truths {
            let plan = Plan::of_examination(examination, &net).unwrap();
            let budget = Budget::lasting(Duration::from_secs(20));
            let report = run::run_net(&net, plan, &config, &budget, |event| {
                let Event::Answered(answer) = event else { return };
                answers += 1;
                if !answer.assumes_units || !is_false {
                    let said = (examination, &answer.value);
                    assert_eq!(said, (examination, &QuestionValue::Bool(truth)), "seed {seed}");
                }
            });
            assert_eq!(report.faults, 0, "seed {seed}, {examination}");
            assert!(report.breach.is_none() || is_false, "seed {seed}: {:?}", report.breach);
            breaches += u32::from(report.breach.is_some());
        }
    }
    assert!(breaches > 5 && answers > 500, "{breaches} breaches, {answers} answers");
}

/// Returns bounds proved by P-flows, and the model's claim that its units are safe. The claim may
/// be false.
fn facts(net: &Net) -> Facts {
    let budget = Budget::unlimited();
    let flows = structure::flows::place_flows(net, &budget).unwrap();
    let mut facts = Facts::claimed_by_model(net);
    structure::bounds::place_bounds(net, &flows, &budget).write(&mut facts);
    facts
}

#[test]
fn answers_that_use_a_false_claim_state_this_and_others_are_true() {
    let (mut claimed, mut proved, mut wrong) = (0, 0, 0);
    for (seed, net) in nets() {
        let Some(space) = explore(&net, OracleLimits { states: 500, tokens: 50 }) else { continue };
        let facts = facts(&net);
        let intervals = parikh::structure::intervals::Intervals::new(&net, &facts);
        assert!(space.markings().iter().all(|m| intervals.proved().contains(m)), "seed {seed}");
        let mut goals = generate::random_goals(seed, &net, 6);
        goals.push(Goal::Reach(Predicate::Dead));
        let board = Board::new(&net, goals.clone());
        let listed: Vec<(GoalId, Goal)> = board.ids().zip(goals).collect();
        let budget = Budget::unlimited();
        let task = Task {
            net: &net,
            goals: &marking_goals(&listed),
            facts: &facts,
            board: &board,
            budget: &budget,
            seed,
        };
        intervals::settle(
            &intervals,
            &task,
            board.witness_reporter("T"),
            board.proof_reporter("T"),
        );
        for (id, goal) in &listed {
            let (proof, is_true) = match (space.answer(goal), board.knowledge(*id)) {
                (
                    GoalTruth::Reachable(truth),
                    Some(Knowledge::Reach(ReachKnowledge::Unreachable { proof, .. })),
                ) => (proof, !truth),
                (GoalTruth::Maximum(truth), Some(Knowledge::Maximum(maximum))) => {
                    let Some(proved) = maximum.proved else { continue };
                    (proved.proof, proved.bound >= truth)
                }
                _ => continue,
            };
            assert!(is_true || proof.assumes_units(), "seed {seed}: {goal:?} {proof:?}");
            claimed += u32::from(proof.assumes_units());
            proved += u32::from(!proof.assumes_units());
            wrong += u32::from(!is_true);
        }
    }
    // A predicate that holds initially is decided by the initial marking, so its answer assumes
    // nothing.
    assert!(claimed > 50 && proved > 500 && wrong >= 5, "{claimed} {proved} {wrong}");
}

#[test]
fn a_false_claim_makes_no_search_wrong() {
    let mut broken = 0;
    for (seed, net) in nets().step_by(3) {
        let Some(space) = explore(&net, OracleLimits { states: 500, tokens: 50 }) else { continue };
        let facts = facts(&net);
        let breaks = |marking: &Marking| net.units().unwrap().breach(marking).is_some();
        broken += u32::from(space.markings().iter().any(breaks));
        let counted = explicit::count(&net, &facts, 2, &Budget::unlimited()).unwrap();
        assert_eq!(counted.states.to_string(), space.markings().len().to_string(), "seed {seed}");
        let goals = generate::random_goals(seed, &net, 4);
        let board = Board::new(&net, goals.clone());
        let listed: Vec<(GoalId, Goal)> = board.ids().zip(goals).collect();
        let budget = Budget::unlimited();
        let task = Task {
            net: &net,
            goals: &marking_goals(&listed),
            facts: &facts,
            board: &board,
            budget: &budget,
            seed,
        };
        let (under, over) = (board.witness_reporter("T"), board.proof_reporter("T"));
        explicit::run(&task, under, over, &explicit::ExplicitConfig::default());
        for (id, goal) in &listed {
            match (space.answer(goal), board.knowledge(*id).unwrap()) {
                (GoalTruth::Reachable(truth), Knowledge::Reach(reach)) => {
                    let reached = matches!(reach, ReachKnowledge::Reached { .. });
                    assert_eq!((reached, board.is_open(*id)), (truth, false), "seed {seed}");
                }
                (GoalTruth::Maximum(truth), Knowledge::Maximum(maximum)) => {
                    assert_eq!(maximum.value(), Some(truth), "seed {seed}: {goal:?}");
                }
                _ => unreachable!("a goal and its knowledge are of one kind"),
            }
        }
    }
    assert!(broken >= 10, "{broken}");
}
