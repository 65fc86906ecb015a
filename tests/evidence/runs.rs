//! Every goal that a run of the program refutes has a certificate, and the auditor confirms the
//! written file.

use crate::support::binary::{example, run, stderr};
use crate::support::documents::{ProofKind, ProvedRefutation, TestProof, proofs, refutes};
use crate::support::oracle::{OracleLimits, explore};
use parikh::answer::Plan;
use parikh::board::{Evidence, KeptDocument, Knowledge, Maximum, ProvedBound, ReachKnowledge};
use parikh::evidence::audit::{Audit, AuditVerdict, AuditedAnswer};
use parikh::evidence::certificate::bounds::BoundStep;
use parikh::evidence::reader::pnml;
use parikh::evidence::{Document, Flaw};
use parikh::mcc::Examination;
use parikh::net::text;
use parikh::net::units::Unit;
use parikh::net::{Goal, Net, NetBuilder, PlaceId, Predicate, UnitId, Units};
use parikh::run::{self, Event};
use parikh::solvers::Budget;
use parikh_generate::{self as generate, Shape, random, random_goals};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Returns the goals that a run of the whole pipeline refutes, each with its certificate and the
/// kind of its proof.
fn refuted(net: &Net, plan: Plan) -> Vec<(Option<KeptDocument>, &'static str)> {
    let config = run::RunConfig { threads: 1, keep_certificates: true, ..Default::default() };
    let budget = Budget::lasting(Duration::from_secs(2));
    let mut refuted = Vec::new();
    run::run_net(net, plan, &config, &budget, |event| {
        let Event::Settled { knowledge, .. } = event else { return };
        let (evidence, proof) = match knowledge {
            Knowledge::Reach(ReachKnowledge::Unreachable { evidence, proof, .. }) => {
                (evidence, proof)
            }
            Knowledge::Maximum(Maximum {
                proved: Some(ProvedBound { evidence, proof, .. }),
                ..
            }) => (evidence, proof),
            _ => return,
        };
        let shown = match evidence {
            Evidence::Certified(shown) => shown.clone(),
            // A search has no certificate.
            _ => None,
        };
        refuted.push((shown, proof.kind()));
    });
    refuted
}

#[test]
fn every_refutation_has_a_certificate() {
    let (mut goals, mut kinds) = (0, BTreeSet::new());
    for seed in 0..60 {
        let net = random(seed, &Shape::small(seed));
        // Nets small enough to settle every goal.
        if explore(&net, OracleLimits { states: 2000, tokens: 100 }).is_none() {
            continue;
        }
        let mut plan = Plan::default();
        for (at, goal) in random_goals(seed, &net, 8).into_iter().enumerate() {
            match goal {
                Goal::Reach(predicate) => plan.ask_exists(&format!("{at}"), predicate),
                Goal::Maximise(sum) => plan.ask_maximum(&format!("{at}"), sum),
                Goal::Home(predicate) => plan.ask_home(&format!("{at}"), predicate),
                _ => unreachable!("none is made"),
            }
        }
        plan.ask_exists("dead", Predicate::Dead);
        for (shown, kind) in refuted(&net, plan) {
            assert!(shown.is_some(), "net {seed}: {kind}");
            kinds.insert(kind);
            goals += 1;
        }
    }
    assert!(goals > 100 && kinds.len() >= 3, "{goals} {kinds:?}");
}

#[test]
fn all_goals_of_an_examination_share_few_documents() {
    let net = generate::philosophers(6).net;
    let plan = Plan::of_examination(Examination::OneSafe, &net).unwrap();
    let refuted = refuted(&net, plan);
    assert_eq!(refuted.len(), net.place_count());
    let documents: BTreeSet<*const Document> = refuted
        .iter()
        .map(|(shown, _)| Arc::as_ptr(&shown.as_ref().expect("certified").document))
        .collect();
    assert!(documents.len() <= 2, "{}", documents.len());
}

/// Returns a net with a place that another place fills forever, in safe units or in units without a
/// claim.
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
fn safe_units_are_used_only_if_claimed_and_always_stated() {
    let net = with_units(true);
    let q = net.place_named("q").unwrap();
    let two = Predicate::at_least(q, 2);
    let made = proofs(&net, std::slice::from_ref(&two), ProofKind::Bounds);
    let [ProvedRefutation { proof: TestProof::Plain(document), .. }] = &made[..] else {
        panic!("{made:?}")
    };
    let Document::Bounds(bounds) = document else { panic!("{document:?}") };
    assert!(bounds.assumes_units && bounds.steps.contains(&BoundStep::SafeUnits(vec![q])));
    let mut silent = bounds.clone();
    silent.assumes_units = false;
    assert_eq!(refutes(&Document::Bounds(silent), &net, &two), Err(Flaw::UnitsNotAssumed(0)));
    let other = with_units(false);
    assert_eq!(refutes(document, &other, &two), Err(Flaw::UnitsNotAssumed(0)));
    assert!(proofs(&other, &[two], ProofKind::Bounds).is_empty());
}

#[test]
fn evidence_files_are_confirmed_unless_they_are_modified() {
    let model = example("philosophers.pnml");
    let net = pnml::read(&std::fs::read(&model).unwrap()).unwrap().net;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().to_str().unwrap();
    let audit = |examination: &str| -> Vec<AuditedAnswer> {
        let mut audit = Audit::new(&net, 0, Box::new(|_| Err("no formulas".to_owned())));
        audit.file(&directory.path().join(format!("{examination}.jsonl"))).unwrap();
        audit.finish().judged
    };
    for examination in ["OneSafe", "ReachabilityDeadlock", "QuasiLiveness", "StableMarking"] {
        let checked =
            run(&["check", model.to_str().unwrap(), "-e", examination, "--evidence", path]);
        assert_eq!(checked.status.code(), Some(0), "{}", stderr(&checked));
        let judged = audit(examination);
        assert!(
            matches!(&judged[..], [AuditedAnswer { verdict: AuditVerdict::Confirmed(_), .. }]),
            "{judged:?}"
        );
    }
    let file = directory.path().join("OneSafe.jsonl");
    let right = std::fs::read_to_string(&file).unwrap();
    for (from, to) in
        [("\"tokens\":1", "\"tokens\":0"), ("\"value\":\"TRUE\"", "\"value\":\"FALSE\"")]
    {
        let wrong = right.replace(from, to);
        assert_ne!(wrong, right, "{from}");
        std::fs::write(&file, wrong).unwrap();
        assert!(matches!(audit("OneSafe")[0].verdict, AuditVerdict::Refused(_)), "{from}");
    }
}

/// Liveness of nets of all kinds through the command line. The auditor never rejects the evidence,
/// confirms all of it if it may explore markings, and never confirms the opposite.
#[test]
fn liveness_in_files_is_confirmed_and_its_opposite_never() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().to_str().unwrap();
    let model = directory.path().join("model.pnml");
    let file = directory.path().join("Liveness.jsonl");
    let (mut confirmed, mut searched, mut lines) = (0, 0, BTreeSet::new());
    // Each net with the engines that prove it, if the default engines would use another argument.
    let classics = [
        ("commoner", "place p 1\nplace q\ntransition t: p -> p + q\ntransition u: q ->"),
        ("undone,walk", "place p 1\nplace q\ntransition t: p -> q\ntransition u: q -> p"),
        (
            "undone,walk",
            "place a 1\nplace b\nplace c 1\nplace d\ntransition t: a -> b\ntransition u: b -> a
             transition v: c -> d\ntransition w: d -> c",
        ),
        (
            "downhill",
            "place idle 3\nplace waiting\nplace inside\nplace lock 1\ntransition ask: idle -> waiting
             transition enter: waiting + lock -> inside\ntransition leave: inside -> idle + lock",
        ),
        ("finite-firings", "place p 1\nplace q 9\ntransition t: p + q -> p\ntransition u: p -> p"),
        (
            "",
            "place a 1\nplace b\nplace c\ntransition t: a -> b\ntransition u: a -> c
             transition v: b -> b\ntransition w: c -> c",
        ),
    ];
    let classics = classics.map(|(engines, net)| (engines, text::parse(net).unwrap())).into_iter();
    let random = (0..25).map(|seed| ("", random(seed, &Shape::small(seed))));
    for (engines, net) in classics.chain(random) {
        if explore(&net, OracleLimits { states: 300, tokens: 60 }).is_none()
            && net.place_count() > 2
        {
            continue;
        }
        std::fs::write(&model, parikh_net::pnml::pnml(&net)).unwrap();
        let net = pnml::read(&std::fs::read(&model).unwrap()).unwrap().net;
        let model = model.to_str().unwrap();
        let mut arguments =
            vec!["check", model, "-e", "Liveness", "--evidence", path, "-t", "20", "-j", "1"];
        if !engines.is_empty() {
            arguments.extend(["--engines", engines]);
        }
        let checked = run(&arguments);
        assert_eq!(checked.status.code(), Some(0), "{}", stderr(&checked));
        let audit = |most: u64| {
            let mut audit = Audit::new(&net, most, Box::new(|_| Err("no formulas".to_owned())));
            audit.file(&file).unwrap();
            audit.finish().judged.remove(0).verdict
        };
        let right = std::fs::read_to_string(&file).unwrap();
        lines.extend(
            ["\"finitely\"", "\"commoner\"", "\"undone\"", "\"downhill\"", "\"after\":\"w"]
                .into_iter()
                .filter(|kind| right.contains(kind)),
        );
        match audit(0) {
            AuditVerdict::Confirmed(_) => confirmed += 1,
            AuditVerdict::Searched(_) => searched += 1,
            other => panic!("{other:?}:\n{right}\n{}", text::print(&net)),
        }
        let again = audit(10_000);
        assert!(
            matches!(again, AuditVerdict::Confirmed(_)),
            "{again:?}:\n{right}\n{}",
            text::print(&net)
        );
        let (yes, no) = ("\"value\":\"TRUE\"", "\"value\":\"FALSE\"");
        let wrong = match right.contains(yes) {
            true => right.replace(yes, no),
            false => right.replace(no, yes),
        };
        assert_ne!(wrong, right);
        std::fs::write(&file, wrong).unwrap();
        for most in [0, 10_000] {
            let verdict = audit(most);
            assert!(
                !matches!(verdict, AuditVerdict::Confirmed(_)),
                "{verdict:?}: {}",
                text::print(&net)
            );
        }
    }
    assert!(confirmed >= 10 && confirmed + searched >= 15, "{confirmed} {searched}");
    assert_eq!(lines.len(), 5, "{lines:?}");
}
