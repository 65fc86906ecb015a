//! Evidence with nested loops: written, audited from the files alone, and rejected when changed.

use crate::support::binary::{TestDirectory, run, stdout};
use parikh::evidence::audit::{Audit, AuditVerdict, AuditedAnswer};
use parikh::evidence::reader::pnml;
use parikh::net::Net;
use parikh_generate as generate;
use std::path::Path;

/// Creates a net whose only dead marking needs 10¹² − 1 firings.
fn directory() -> (TestDirectory, Net) {
    directory_of(12, 10)
}

fn directory_of(digits: u32, base: u32) -> (TestDirectory, Net) {
    let directory = TestDirectory::with_net(&generate::odometer_net(digits, base));
    let net = pnml::read(&std::fs::read(directory.at("model.pnml")).unwrap()).unwrap().net;
    (directory, net)
}

fn judged(net: &Net, file: &Path) -> Result<Vec<AuditedAnswer>, String> {
    let mut audit = Audit::new(net, 0, Box::new(|_| Err("no formulas".to_owned())));
    audit.file(file).map_err(|error| error.to_string())?;
    Ok(audit.finish().judged)
}

fn is_confirmed(net: &Net, file: &Path) -> bool {
    let judged = judged(net, file).unwrap_or_default();
    matches!(&judged[..], [AuditedAnswer { verdict: AuditVerdict::Confirmed(_), .. }])
}

fn checked(directory: &TestDirectory, examination: &str) -> String {
    let (model, at) = (directory.at("model.pnml"), directory.at("out"));
    let [model, at] = [&model, &at].map(|path| path.to_str().unwrap());
    stdout(&run(&[
        "check",
        model,
        "-e",
        examination,
        "--engines",
        "loops",
        "--without-rules",
        "all",
        "-t",
        "60s",
        "--evidence",
        at,
        "--trace",
        at,
    ]))
}

#[test]
fn a_run_of_loops_is_confirmed_from_the_files_and_replayed_from_its_trace() {
    let (directory, net) = directory();
    let said = checked(&directory, "ReachabilityDeadlock");
    assert!(
        said.contains("TRUE — a dead marking: a witness of 999999999999 firings, in loops"),
        "{said}"
    );
    assert!(is_confirmed(&net, &directory.at("out/ReachabilityDeadlock.jsonl")));
    let trace = directory.at("out/ReachabilityDeadlock.trace");
    let (model, trace) = (directory.at("model.pnml"), trace.to_str().unwrap().to_owned());
    let replayed = stdout(&run(&["replay", model.to_str().unwrap(), &trace]));
    assert!(
        replayed
            .starts_with("999999999999 firings replayed on net odometer-12-10, in nested loops")
    );
    assert!(
        replayed.contains("9*digit_11") && replayed.contains("the marking is dead"),
        "{replayed}"
    );
    let once_more = directory.read("out/ReachabilityDeadlock.trace") + "up_0\n";
    let longer = directory.write("longer.trace", &once_more);
    let refused = run(&["replay", model.to_str().unwrap(), longer.to_str().unwrap()]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("place `no_digit_0` lacks tokens"), "{said}");
    let drawn = run(&["draw", model.to_str().unwrap(), "--trace", &trace, "-o", "x.svg"]);
    assert_ne!(drawn.status.code(), Some(0));
}

#[test]
fn firings_inside_loops_are_observed() {
    for (digits, base) in [(12, 10), (14, 10), (40, 1000)] {
        let (directory, net) = directory_of(digits, base);
        for (examination, value) in [("QuasiLiveness", "TRUE"), ("StableMarking", "FALSE")] {
            let said = checked(&directory, examination);
            assert!(
                said.starts_with(&format!("{examination}: {value}")),
                "{digits} digits: {said}"
            );
            let file = directory.at(&format!("out/{examination}.jsonl"));
            assert!(is_confirmed(&net, &file), "{digits} digits: {examination}");
        }
    }
}

#[test]
fn touched_loops_are_refused() {
    let (directory, net) = directory();
    checked(&directory, "ReachabilityDeadlock");
    let file = directory.at("out/ReachabilityDeadlock.jsonl");
    let right = std::fs::read_to_string(&file).unwrap();
    assert!(right.contains("{\"loops\":"), "{right}");
    let mut tried = 0;
    for (from, to) in [
        (",9]", ",8]"),
        (",9]", ",10]"),
        (",9]", ",0]"),
        (",9]", ",\"nine\"]"),
        (",1]", ",2]"),
        ("[0,", "[1,"),
        ("[0,", "[99999,"),
        ("\"up_0\"", "\"up_1\""),
        ("\"up_3\"", "\"up_2\""),
        ("\"up_0\"", "\"down\""),
    ] {
        for (at, _) in right.match_indices(from) {
            let touched = format!("{}{to}{}", &right[..at], &right[at + from.len()..]);
            std::fs::write(&file, touched).unwrap();
            assert!(!is_confirmed(&net, &file), "{from} → {to} at {at}");
            tried += 1;
        }
    }
    assert!(tried > 30, "{tried}");
    std::fs::write(&file, &right).unwrap();
    assert!(is_confirmed(&net, &file));
}
