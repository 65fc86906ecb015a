//! Figures of state spaces in evidence files: the auditor confirms correct figures and no others.

use crate::support::binary::{run, stderr};
use parikh::evidence::audit::{Audit, AuditVerdict, AuditedAnswer};
use parikh::evidence::reader::pnml;
use parikh::net::text;
use parikh_generate as generate;

/// 200 tokens in a cycle of five places, and 20 in an independent line of three. There are
/// C(204, 4) · C(22, 2) markings, by binomial coefficients.
const ROUND: &str = "place a 200\nplace b\nplace c\nplace d\nplace e\nplace f 20\nplace g\nplace h\n\
     transition ab: a -> b\ntransition bc: b -> c\ntransition cd: c -> d\ntransition de: d -> e\n\
     transition ea: e -> a\ntransition fg: f -> g\ntransition gh: g -> h";

#[test]
fn figures_are_confirmed_and_others_refused() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().to_str().unwrap();
    let model = directory.path().join("model.pnml");
    let file = directory.path().join("StateSpace.jsonl");
    let round = text::parse(ROUND).unwrap();
    let cases = [
        (round, vec!["70058751", "\"count\"", "\"chained-places\""]),
        (generate::philosophers(4).net, vec!["\"value\":\"81\""]),
        (generate::counters(2).net, vec!["+inf", "\"pump\""]),
    ];
    for (net, expected) in cases {
        std::fs::write(&model, parikh_net::pnml::pnml(&net)).unwrap();
        let net = pnml::read(&std::fs::read(&model).unwrap()).unwrap().net;
        let checked =
            run(&["check", model.to_str().unwrap(), "-e", "StateSpace", "--evidence", path]);
        assert_eq!(checked.status.code(), Some(0), "{}", stderr(&checked));
        let right = std::fs::read_to_string(&file).unwrap();
        // The number of markings is 70,058,751 · 231.
        let expected = expected.into_iter().map(|it| it.replace("70058751", "16183571481"));
        for expected in expected {
            assert!(right.contains(&expected), "{expected}: {right}");
        }
        let audit = || -> Vec<AuditedAnswer> {
            let mut audit = Audit::new(&net, 10_000, Box::new(|_| Err("no formulas".to_owned())));
            audit.file(&file).unwrap();
            audit.finish().judged
        };
        let judged = audit();
        assert_eq!(judged.len(), 4, "{judged:?}");
        for answer in &judged {
            assert!(matches!(answer.verdict, AuditVerdict::Confirmed(_)), "{answer:?}\n{right}");
        }
        for (line, digit) in right.lines().filter_map(|line| {
            let (_, value) = line.split_once("{\"answer\":")?.1.split_once("\"value\":\"")?;
            Some((line, value.split_once('"')?.0))
        }) {
            let more = format!("\"value\":\"1{}\"", digit.trim_start_matches('+'));
            let more = if digit == "+inf" { "\"value\":\"7\"".to_owned() } else { more };
            let wrong = line.replace(&format!("\"value\":\"{digit}\""), &more);
            assert_ne!(line, wrong);
            std::fs::write(&file, right.replace(line, &wrong)).unwrap();
            let refused =
                audit().into_iter().filter(|it| matches!(it.verdict, AuditVerdict::Refused(_)));
            let others = refused.count();
            assert!(others == 1 || digit == "+inf", "{wrong}: {others}");
            assert!(
                audit().iter().any(|it| !matches!(it.verdict, AuditVerdict::Confirmed(_))),
                "{wrong}"
            );
        }
    }
}

#[test]
fn a_reduction_that_loses_markings_proves_no_count() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("StateSpace.jsonl");
    let net = text::parse("net n\nplace p 3\nplace q\ntransition t: p -> q").unwrap();
    let verdict = |preserves: &str, rule: &str, value: &str| {
        let lines = format!(
            r#"{{"evidence":{{"format":"parikh-evidence-2","net":"n","places":2,"transitions":1,"examination":"StateSpace"}}}}
{{"reduction":{{"id":"r1","log":{{"preserves":["{preserves}"],"support":[],"protected":[],"steps":[{{"rule":"{rule}","places":["p","q"],"transitions":["t"]}}]}}}}}}
{{"count":{{"id":"c2","on":"r1","markings":1}}}}
{{"answer":{{"id":"STATES","value":"{value}","shown_by":[{{"count":"c2"}}]}}}}
"#
        );
        std::fs::write(&file, lines).unwrap();
        let mut audit = Audit::new(&net, 100, Box::new(|_| Err("no formulas".to_owned())));
        audit.file(&file).unwrap();
        audit.finish().judged.remove(0).verdict
    };
    assert!(matches!(verdict("markings", "chained-places", "4"), AuditVerdict::Confirmed(_)));
    assert!(matches!(verdict("markings", "chained-places", "3"), AuditVerdict::Refused(_)));
    assert!(matches!(verdict("deadlock", "post-agglomeration", "4"), AuditVerdict::Refused(_)));
    assert!(matches!(verdict("markings", "post-agglomeration", "4"), AuditVerdict::Refused(_)));
    assert!(matches!(verdict("markings", "fused-cycles", "4"), AuditVerdict::Refused(_)));
}
