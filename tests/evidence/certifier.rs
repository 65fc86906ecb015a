//! Every goal that a run refutes gets a certificate, and the command line writes and reads it.

use crate::support::binary::{example, run, stderr, stdout};
use crate::support::oracle::{Limits, explore};
use parikh::answer::Plan;
use parikh::board::{Argument, Proof};
use parikh::certifier::{Config, Refuted, certify};
use parikh::evidence::certificate::bounds::Inference;
use parikh::evidence::{Claim, Document};
use parikh::mcc::Examination;
use parikh::net::generate::{self, Shape, random, random_goals};
use parikh::net::units::Unit;
use parikh::net::{Goal, Net, NetBuilder, PlaceId, Predicate, UnitId, Units};
use parikh::run::{self, Event};
use parikh::solvers::Budget;
use std::collections::BTreeSet;
use std::time::Duration;

/// What a run of the whole pipeline refutes.
fn refuted(net: &Net, plan: Plan) -> Vec<Refuted> {
    let config = run::Config { threads: 1, ..Default::default() };
    let budget = Budget::lasting(Duration::from_secs(2));
    let mut refuted = Vec::new();
    run::run(net, plan, &config, &budget, |event| {
        if let Event::Proved { id, claim, proof } = event {
            let (claim, proof) = (claim.clone(), proof.clone());
            refuted.push(Refuted { id: id.to_owned(), claim, proof });
        }
    });
    refuted
}

fn certificates(net: &Net, refuted: &[Refuted]) -> (Vec<Document>, Vec<usize>) {
    let mut made = Vec::new();
    let budget = Budget::unlimited();
    let summary = certify(net, refuted, &Config::default(), &budget, |_, document| {
        made.push(document.clone());
    });
    (made, summary.without)
}

#[test]
fn whatever_a_run_refutes_has_a_certificate() {
    let (mut goals, mut kinds) = (0, BTreeSet::new());
    for seed in 0..60 {
        let net = random(seed, &Shape::small(seed));
        // Small enough for every goal to be settled.
        if explore(&net, Limits { states: 2000, tokens: 100 }).is_none() {
            continue;
        }
        let mut plan = Plan::default();
        for (at, goal) in random_goals(seed, &net, 8).into_iter().enumerate() {
            match goal {
                Goal::Reach(predicate) => plan.ask_exists(&format!("{at}"), predicate),
                Goal::Maximise(sum) => plan.ask_maximum(&format!("{at}"), sum),
                Goal::Home(_) => panic!("none is made"),
            }
        }
        plan.ask_exists("dead", Predicate::Dead);
        let refuted = refuted(&net, plan);
        let (made, without) = certificates(&net, &refuted);
        for document in &made {
            document.check(&net).unwrap();
        }
        let proofs: Vec<&Proof> = without.iter().map(|&at| &refuted[at].proof).collect();
        assert!(proofs.is_empty(), "net {seed}: {proofs:?}");
        let listed: usize = made.iter().map(|document| document.claims().len()).sum();
        assert_eq!(listed, refuted.len());
        for goal in &refuted {
            assert!(made.iter().any(|document| document.claims().contains(&&goal.claim)));
            kinds.insert(goal.proof.kind());
        }
        goals += refuted.len();
    }
    assert!(goals > 100 && kinds.len() >= 3, "{goals} {kinds:?}");
}

#[test]
fn all_goals_of_an_examination_share_few_lines() {
    let net = generate::philosophers(6).net;
    let plan = Plan::of_examination(Examination::OneSafe, &net).unwrap();
    let refuted = refuted(&net, plan);
    assert_eq!(refuted.len(), net.place_count());
    let (made, without) = certificates(&net, &refuted);
    assert!(without.is_empty() && made.len() <= 2, "{}", made.len());
}

/// A place that another one fills for ever, in safe units or in units that claim nothing.
fn with_units(safe: bool) -> Net {
    let mut builder = NetBuilder::new("units");
    let [p, q] = [("p", 1), ("q", 0)].map(|(name, tokens)| builder.place(name, tokens).unwrap());
    let t = builder.transition("t").unwrap();
    builder.take(t, p, 1).unwrap();
    builder.put(t, q, 1).unwrap();
    builder.put(t, p, 1).unwrap();
    let unit = |name: &str, places, parent| Unit { name: name.into(), places, parent };
    let root = UnitId::new(0);
    let units = vec![
        unit("all", vec![], None),
        unit("a", vec![p], Some(root)),
        unit("b", vec![q], Some(root)),
    ];
    let initial = builder.initial();
    builder.set_units(
        Units::new(units, root, safe, &initial, |p| if p == PlaceId::new(0) { "p" } else { "q" })
            .unwrap(),
    );
    builder.build().unwrap()
}

#[test]
fn safe_units_are_used_only_where_claimed_and_only_said_aloud() {
    let net = with_units(true);
    let q = net.place_named("q").unwrap();
    let goal = Refuted {
        id: "q".to_owned(),
        claim: Claim::Unreachable(Predicate::at_least(q, 2)),
        proof: Proof::new(Argument::Bounds(parikh::net::Provenance::UnitsClaimed), None),
    };
    let only_bounds = Config { linear: false, markings: 0, reduced: false, ..Config::default() };
    let make = |net: &Net| {
        let mut made = Vec::new();
        let goals = std::slice::from_ref(&goal);
        certify(net, goals, &only_bounds, &Budget::unlimited(), |_, it| made.push(it.clone()));
        made
    };
    let made = make(&net);
    let [Document::Bounds(bounds)] = &made[..] else { panic!("{made:?}") };
    assert!(bounds.assumes_units && bounds.steps.contains(&Inference::SafeUnits(vec![q])));
    assert!(bounds.check(&net).is_ok());
    let mut silent = bounds.clone();
    silent.assumes_units = false;
    assert!(silent.check(&net).is_err());
    let other = with_units(false);
    assert!(bounds.check(&other).is_err());
    assert!(make(&other).is_empty());
}

#[test]
fn the_command_line_writes_reads_and_refuses() {
    let model = example("philosophers.pnml");
    let model = model.to_str().unwrap();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().to_str().unwrap();
    let checked = run(&["check", model, "-e", "OneSafe", "--certificate", path]);
    assert_eq!(checked.status.code(), Some(0), "{}", stderr(&checked));
    let said = stderr(&checked);
    let places = stdout(&run(&["certify", model, &format!("{path}/OneSafe.json")]));
    let count = places.lines().count();
    assert!(
        count > 3 && places.lines().all(|line| line.starts_with("OneSafe: proved: ")),
        "{places}"
    );
    assert!(said.contains(&format!("certificates: {count} of {count} refuted goals")), "{said}");

    // Written over several lines, as people read JSON, it is the same certificate.
    let file = directory.path().join("OneSafe.json");
    let lines = std::fs::read_to_string(&file).unwrap();
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    std::fs::write(&file, serde_json::to_string_pretty(&first).unwrap()).unwrap();
    let again = run(&["certify", model, file.to_str().unwrap()]);
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));

    let broken = lines.replace("\"at_most\",1]", "\"at_most\",0]");
    assert_ne!(broken, lines);
    for (content, words) in [
        (broken.as_str(), "proves nothing"),
        ("", "there is no certificate in it"),
        ("{\"format\":\"parikh-certificate-0\"}", "parikh-certificate-0"),
        ("[]", "OneSafe.json:1"),
    ] {
        std::fs::write(&file, content).unwrap();
        let refused = run(&["certify", model, file.to_str().unwrap()]);
        assert_eq!(refused.status.code(), Some(1), "{content}");
        assert!(stderr(&refused).contains(words), "{content}: {}", stderr(&refused));
        // What stands on the lines before may be right.
        let proved = stdout(&refused).lines().count();
        assert!(proved < content.lines().count().max(1), "{content}");
    }
}
