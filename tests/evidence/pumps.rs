//! Self-covering sequences in stages: written, audited from the files alone, replayed from traces,
//! and rejected when changed.

use crate::support::binary::{TestDirectory, run, stderr, stdout};
use parikh::evidence::audit::{Audit, AuditVerdict};
use parikh::evidence::reader::{pnml, queries};
use std::path::Path;

/// A net in which no single cycle makes `made` grow: `make` consumes from `store`, which cannot be
/// filled once `make` is enabled.
const SHOP: &str = "place open 1\nplace ready\nplace store\nplace made\n\
     transition fill: open -> open + store\ntransition close: open -> ready\n\
     transition make: ready + store -> ready + made";

const QUERIES: &str = r#"<?xml version="1.0"?>
<property-set xmlns="http://mcc.lip6.fr/">
<property><id>made</id><formula><place-bound><place>made</place></place-bound></formula></property>
</property-set>"#;

/// Creates the net and evidence about its unbounded place.
fn directory() -> (TestDirectory, String) {
    let directory = TestDirectory::with(SHOP);
    let queries = directory.write("UpperBounds.xml", QUERIES);
    let (model, out) = (directory.at("model.pnml"), directory.at("out"));
    let [model, queries, out] = [&model, &queries, &out].map(|path| path.to_str().unwrap());
    let arguments = ["check", model, "-e", "UB", "--queries", queries, "--evidence", out];
    let checked = run(&[&arguments[..], &["--trace", out, "--engines", "coverability"]].concat());
    let said = stdout(&checked);
    assert!(said.starts_with("made: +inf — 2 cycles fire one after the other"), "{said}");
    let evidence = directory.read("out/UpperBounds.jsonl");
    (directory, evidence)
}

fn verdict(directory: &TestDirectory, file: &Path) -> AuditVerdict {
    let net = pnml::read(&std::fs::read(directory.at("model.pnml")).unwrap()).unwrap().net;
    let asked =
        |_: &str| queries::read(&net, QUERIES.as_bytes()).map_err(|error| error.to_string());
    let mut audit = Audit::new(&net, 0, Box::new(asked));
    audit.file(file).unwrap();
    audit.finish().judged.remove(0).verdict
}

#[test]
fn complete_stages_are_confirmed_and_incomplete_ones_refused() {
    let (directory, right) = directory();
    assert!(matches!(
        verdict(&directory, &directory.at("out/UpperBounds.jsonl")),
        AuditVerdict::Confirmed(_)
    ));
    let earlier = right.find(r#""earlier":["#).unwrap();
    let end = earlier + right[earlier..].find("}],").unwrap() + 3;
    let changes = [
        // Without the previous stage, the cycle loses tokens.
        ("no stage", format!("{}{}", &right[..earlier], &right[end..])),
        ("another pump", right.replace(r#""pump":[["make",1]]"#, r#""pump":[["fill",1]]"#)),
        ("no prefix", right.replacen(r#"["close",1]"#, r#"["fill",1]"#, 1)),
        ("a bound instead", right.replace("+inf", "7")),
    ];
    for (what, changed) in changes {
        assert_ne!(changed, right, "{what}");
        let file = directory.write("changed/UpperBounds.jsonl", &changed);
        let verdict = verdict(&directory, &file);
        assert!(!matches!(verdict, AuditVerdict::Confirmed(_)), "{what}: {verdict:?}");
    }
}

#[test]
fn a_trace_in_stages_is_replayed() {
    let (directory, _) = directory();
    let (model, trace) = (directory.at("model.pnml"), directory.at("out/made.trace"));
    let [model, trace] = [&model, &trace].map(|path| path.to_str().unwrap());
    let replayed = stdout(&run(&["replay", model, trace]));
    assert!(
        replayed.starts_with("a self-covering sequence in 2 stages replayed on net"),
        "{replayed}"
    );
    assert!(replayed.contains("unbounded: made"), "{replayed}");
    let lost = directory.read("out/made.trace").replace("@then\n", "").replacen("@repeat\n", "", 1);
    let lost = directory.write("lost.trace", &lost);
    let refused = run(&["replay", model, lost.to_str().unwrap()]);
    assert!(stderr(&refused).contains("place `store` loses tokens"), "{}", stderr(&refused));
    let drawn = run(&["draw", model, "--trace", trace, "-o", "x.svg"]);
    assert_ne!(drawn.status.code(), Some(0));
}
