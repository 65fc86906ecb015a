//! Evidence for home properties by return paths: the engine's evidence is accepted, and accepted
//! evidence claims nothing false.

use super::homes::copies;
use crate::support::binary::{run, stderr};
use crate::support::oracle::{OracleLimits, explore};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::board::{Board, Evidence, HomeKnowledge, Knowledge};
use parikh::engine::Assignment;
use parikh::engine::home::{return_by_weights, symbolic_components};
use parikh::evidence::audit::{Audit, AuditVerdict};
use parikh::evidence::home::HomeArgument;
use parikh::evidence::home::ways_back::{CountedFirings, ReturnProof, ReturnWay, check_returning};
use parikh::evidence::reader::pnml;
use parikh::evidence_files::structure_in_names;
use parikh::net::{Facts, Goal, GoalId, Net, PlaceId, Predicate, TransitionId};
use parikh::solvers::Budget;
use parikh::structure::intervals::Intervals;
use parikh::working_net::WorkingNet;
use parikh_generate::{Shape, random};
use std::collections::BTreeMap;
use std::time::Duration;

type Mutation = (&'static str, fn(&mut Rng, &Net, &mut ReturnProof) -> bool);

/// Mutations of the evidence. A mutation returns false if there is nothing to change.
const MUTATIONS: [Mutation; 20] = [
    ("a weight is one larger", |rng, _, it| {
        weights(it).is_some_and(|all| {
            let Some(weight) = rng.choice(all.iter_mut()) else { return false };
            weight.1 += 1;
            true
        })
    }),
    ("a weight is one smaller", |rng, _, it| {
        weights(it).is_some_and(|all| {
            let Some(weight) = rng.choice(all.iter_mut()) else { return false };
            weight.1 -= 1;
            true
        })
    }),
    ("a weight is of another place", |rng, net, it| {
        weights(it).is_some_and(|all| {
            let Some(weight) = rng.choice(all.iter_mut()) else { return false };
            let place = PlaceId::new(rng.usize(..net.place_count() + 1));
            std::mem::replace(&mut weight.0, place) != place
        })
    }),
    ("a weight is missing", |rng, _, it| {
        weights(it)
            .is_some_and(|all| !all.is_empty() && all.swap_remove(rng.usize(..all.len())).1 > 0)
    }),
    ("a weight stands twice", |rng, _, it| {
        weights(it).is_some_and(|all| {
            let again = rng.choice(all.iter()).copied();
            all.extend(again);
            again.is_some()
        })
    }),
    ("all weights are the other way round", |_, net, it| {
        weights(it).is_some_and(|all| {
            let listed: Vec<PlaceId> = all.iter().map(|it| it.0).collect();
            *all = net.places().filter(|p| !listed.contains(p)).map(|p| (p, 1)).collect();
            true
        })
    }),
    ("a step is missing", |rng, _, it| {
        steps(it).is_some_and(|all| !all.is_empty() && all.remove(rng.usize(..all.len())).1 > 0)
    }),
    ("steps are the other way round", |_, _, it| {
        steps(it).is_some_and(|all| {
            all.reverse();
            all.len() > 1
        })
    }),
    ("a step is of another transition", |rng, net, it| {
        steps(it).is_some_and(|all| {
            let Some(step) = rng.choice(all.iter_mut()) else { return false };
            let t = TransitionId::new(rng.usize(..net.transition_count() + 1));
            std::mem::replace(&mut step.0, t) != t
        })
    }),
    ("a step is of more firings", |rng, _, it| {
        steps(it).is_some_and(|all| rng.choice(all.iter_mut()).map(|step| step.1 += 1).is_some())
    }),
    ("a step is of no firing", |rng, _, it| {
        steps(it).is_some_and(|all| rng.choice(all.iter_mut()).map(|step| step.1 = 0).is_some())
    }),
    ("a step is of very many firings", |rng, _, it| {
        steps(it)
            .is_some_and(|all| rng.choice(all.iter_mut()).map(|step| step.1 = u64::MAX).is_some())
    }),
    ("there are no steps", |_, _, it| {
        steps(it).is_some_and(|all| {
            let had_some = !all.is_empty();
            all.clear();
            had_some
        })
    }),
    ("a marking is another one", |rng, _, it| match &mut it.way {
        ReturnWay::Steps { set, .. } => {
            rng.choice(set.nodes.iter_mut()).map(|node| node.0 += 1).is_some()
        }
        ReturnWay::Downhill { .. } => false,
    }),
    ("markings are missing", |rng, _, it| match &mut it.way {
        ReturnWay::Steps { set, .. } => {
            let node = rng.choice(set.nodes.iter_mut());
            node.is_some_and(|node| std::mem::replace(&mut node.2, 0) != 0)
        }
        ReturnWay::Downhill { .. } => false,
    }),
    ("the root is another node", |rng, _, it| match &mut it.way {
        ReturnWay::Steps { set, .. } => {
            let root = rng.u32(..set.nodes.len() as u32 + 3);
            std::mem::replace(&mut set.root, root) != root
        }
        ReturnWay::Downhill { .. } => false,
    }),
    ("it begins after another firing", |rng, net, it| {
        it.to.as_mut().is_some_and(|to| {
            to.push((TransitionId::new(rng.usize(..net.transition_count())), 1));
            true
        })
    }),
    ("it does not begin anywhere", |_, _, it| it.to.take().is_some()),
    ("a firing along is another one", |rng, net, it| {
        let Some(along) = rng.choice(it.along.iter_mut()) else { return false };
        let Some(firing) = rng.choice(along.iter_mut()) else { return false };
        let t = TransitionId::new(rng.usize(..net.transition_count() + 1));
        std::mem::replace(&mut firing.0, t) != t
    }),
    ("a firing along is missing", |rng, _, it| {
        let Some(along) = rng.choice(it.along.iter_mut()) else { return false };
        !along.is_empty() && along.remove(rng.usize(..along.len())).1 > 0
    }),
];

fn weights(it: &mut ReturnProof) -> Option<&mut Vec<(PlaceId, u64)>> {
    match &mut it.way {
        ReturnWay::Downhill { weights, .. } => Some(weights),
        ReturnWay::Steps { .. } => None,
    }
}

fn steps(it: &mut ReturnProof) -> Option<&mut CountedFirings<TransitionId>> {
    match &mut it.way {
        ReturnWay::Steps { steps, .. } => Some(steps),
        ReturnWay::Downhill { .. } => None,
    }
}

/// Returns predicates that are settled on the original net, not on a reduced net.
fn wanted(net: &Net) -> Vec<Predicate> {
    let mut all: Vec<Predicate> = net.places().map(|p| Predicate::at_least(p, 1)).collect();
    all.push(Predicate::exactly(net.initial()));
    all.push(Predicate::NotDead);
    let transitions: Vec<TransitionId> = net.transitions().collect();
    let both = |pair: &[TransitionId]| Predicate::or(pair.iter().map(|&t| Predicate::Enabled(t)));
    all.extend(transitions.windows(2).map(both));
    all
}

/// Returns the engines' arguments for a net, without duplicates.
fn arguments(net: &Net, wanted: &[Predicate], seed: u64) -> Vec<HomeArgument> {
    let goals: Vec<Goal> = wanted.iter().cloned().map(Goal::Home).collect();
    let listed: Vec<(GoalId, Goal)> = (0..).map(GoalId::new).zip(goals.iter().cloned()).collect();
    let facts = Facts::empty(net);
    let known = Intervals::new(net, &facts);
    let mut all: Vec<HomeArgument> = Vec::new();
    for engine in [return_by_weights::ENGINE, symbolic_components::ENGINE] {
        let board = Board::new(net, goals.clone()).with_documents();
        let working_net = WorkingNet::original(net, listed.clone(), facts.clone(), &known);
        let (working_net, board) = (&working_net, &board);
        let assignment = Assignment::new(working_net, board, seed);
        let budget = Budget::unlimited().slice(Duration::from_secs(20));
        (engine.start)(assignment).unwrap().slice(&budget);
        assert_eq!(board.faults(), 0);
        for goal in board.ids() {
            if let Some(Knowledge::Home(HomeKnowledge::StaysReachable { evidence, .. })) =
                board.knowledge(goal)
                && let Evidence::Argued(Some(argued)) = evidence
            {
                assert!(argued.derivation.is_none());
                if !all.contains(&argued.structure) {
                    all.push((*argued.structure).clone());
                }
            }
        }
    }
    all
}

#[test]
fn mutated_proofs_of_return_prove_no_false_claim() {
    let mut refused: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for seed in 0..scaled(700) {
        let net = random(seed, &Shape::small(seed));
        if net.transition_count() == 0 || net.place_count() == 0 {
            continue;
        }
        let Some(space) = explore(&net, OracleLimits { states: 200, tokens: 60 }) else { continue };
        let wanted = wanted(&net);
        let asked: Vec<&Predicate> = wanted.iter().collect();
        let mut rng = Rng::with_seed(seed);
        for structure in arguments(&net, &wanted, seed) {
            let HomeArgument::Returning(returning) = &structure else { continue };
            let kept = check_returning(&net, returning, &asked, &mut || true).unwrap();
            assert!(kept.contains(&true));
            assert!(kept.iter().zip(&asked).all(|(kept, wanted)| !kept || space.stays(wanted)));
            // The argument is written to a file and read back.
            let file = serde_json::to_string(&structure_in_names(&structure, &net)).unwrap();
            let read: parikh::evidence::home::NamedHomeArgument =
                serde_json::from_str(&file).unwrap();
            assert_eq!(read.resolve(&net).unwrap(), structure);
            for (kind, mutate) in MUTATIONS {
                let mut wrong = (**returning).clone();
                if !mutate(&mut rng, &net, &mut wrong) {
                    continue;
                }
                let told = check_returning(&net, &wrong, &asked, &mut || true);
                let counts = refused.entry(kind).or_default();
                counts.1 += 1;
                match told {
                    Err(_) => counts.0 += 1,
                    Ok(told) => {
                        let pairs = told.iter().zip(&asked);
                        for (_, wanted) in pairs.filter(|(told, _)| **told) {
                            assert!(space.stays(wanted), "{kind}: {wanted:?} {file}");
                        }
                        counts.0 += u64::from(told != kept);
                    }
                }
            }
        }
    }
    assert_eq!(refused.len(), MUTATIONS.len(), "{refused:?}");
    for (kind, (refused, made)) in refused {
        // A number of firings that is off by one may still be valid.
        assert!(refused > 0 && made >= scaled(10), "{kind}: {refused} of {made}");
    }
}

/// Liveness of nets with eight parts through the command line, each from diagrams of the whole net.
/// The auditor confirms it without exploring markings, and never confirms the opposite.
#[test]
fn liveness_from_diagrams_is_confirmed_and_its_opposite_never() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().to_str().unwrap();
    let model = directory.path().join("model.pnml");
    let file = directory.path().join("Liveness.jsonl");
    let kinds = ["\"steps\":{\"set\"", "\"downhill\"", "\"lost\"", "\"on\":\"r1\""];
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut done, mut refused) = (BTreeMap::new(), 0);
    for seed in 0.. {
        if [true, false].iter().all(|live| done.get(live) == Some(&12)) {
            break;
        }
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, OracleLimits { states: 100, tokens: 60 }) else { continue };
        if space.states() < 4 || net.transition_count() == 0 {
            continue;
        }
        let live = net.transitions().all(|t| space.stays(&Predicate::Enabled(t)));
        let so_far = done.entry(live).or_insert(0);
        if *so_far == 12 {
            continue;
        }
        *so_far += 1;
        std::fs::write(&model, parikh_net::pnml::pnml(&copies(&net, 8))).unwrap();
        let net = pnml::read(&std::fs::read(&model).unwrap()).unwrap().net;
        let model = model.to_str().unwrap();
        let checked = run(&[
            "check",
            model,
            "--evidence",
            path,
            "-j",
            "1",
            "-e",
            "Liveness",
            "--engines",
            "terminal-components",
        ]);
        // A live net may have more terminal components than the limit.
        if live && checked.status.code() == Some(3) {
            *done.entry(live).or_insert(0) -= 1;
            continue;
        }
        assert_eq!(checked.status.code(), Some(0), "{}", stderr(&checked));
        let audit = |text: &str| {
            std::fs::write(&file, text).unwrap();
            let mut audit = Audit::new(&net, 0, Box::new(|_| Err("no formulas".to_owned())));
            audit.file(&file).map(|()| audit.finish().judged.remove(0).verdict)
        };
        let right = std::fs::read_to_string(&file).unwrap();
        let (yes, no) = ("\"value\":\"TRUE\"", "\"value\":\"FALSE\"");
        assert!(right.contains(if live { yes } else { no }), "{right}");
        let verdict = audit(&right).unwrap();
        assert!(matches!(verdict, AuditVerdict::Confirmed(_)), "{verdict:?}: {right}");
        for kind in kinds.into_iter().filter(|kind| right.contains(kind)) {
            *seen.entry(kind).or_default() += 1;
        }
        let (is, opposite) = if live { (yes, no) } else { (no, yes) };
        for wrong in [
            right.replace(is, opposite),
            right.replace("\"on\":\"r1\",", ""),
            right.replace("\"along\":[[", "\"along\":[],\"less\":[["),
            right.replace("\"steps\":[[", "\"steps\":[],\"less\":[["),
            right.replace("\"weights\":[[", "\"weights\":[],\"less\":[["),
            right.replace("\"after\":[[", "\"after\":[],\"less\":[["),
        ] {
            if wrong == right {
                continue;
            }
            let verdict = audit(&wrong);
            let confirmed = matches!(verdict, Ok(AuditVerdict::Confirmed(_)));
            assert!(wrong.contains(is) || !confirmed, "{verdict:?}: {wrong}");
            refused += u64::from(!confirmed);
        }
    }
    let [steps, downhill, lost, _] = kinds.map(|kind| seen.contains_key(kind));
    assert!((steps || downhill) && lost, "{seen:?}");
    assert!(refused >= 24, "{refused}");
}
