//! Files of claims for the proved checker, which scripts/proofs.sh builds and tries.

use crate::support::binary::{TestDirectory, example, stderr};
use std::path::Path;
use std::process::{Command, Output};

/// Exports the answers to examinations about a sample net, into the folder `claims`. Returns `None`
/// if the auditor was not built.
fn export(directory: &TestDirectory, net: &str, examinations: &[&str]) -> Option<Output> {
    let net = example(net);
    let net = net.to_str().expect("a path in UTF-8");
    let examinations = examinations.iter().flat_map(|examination| ["-e", examination]);
    let mut arguments = vec!["check", net];
    arguments.extend(examinations);
    arguments.extend(["--evidence", "evidence"]);
    directory.run(&arguments);
    let program = Path::new(env!("CARGO_BIN_EXE_parikh")).with_file_name("parikh-certify");
    if !program.exists() {
        eprintln!("parikh-certify was not built: nothing is exported");
        return None;
    }
    let mut command = Command::new(program);
    command.current_dir(directory.path());
    Some(command.args([net, "evidence", "--export", "claims"]).output().expect("it starts"))
}

#[test]
fn confirmed_answers_are_written_as_claims() {
    let directory = TestDirectory::new();
    let examinations = ["ReachabilityDeadlock", "OneSafe"];
    let Some(output) = export(&directory, "mutex-mended.pnml", &examinations) else { return };
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("2 of 2 confirmed answers were exported"));
    let deadlock = directory.read("claims/ReachabilityDeadlock.claim");
    for line in ["parikh-claim 1", "assumptions 0", "statements 1", "unreachable dead"] {
        assert!(deadlock.lines().any(|it| it == line), "{line}:\n{deadlock}");
    }
    assert!(deadlock.contains("\nrefutes 0 ") && deadlock.ends_with("\nend\n"), "{deadlock}");
    // Each place has a statement. The claim needs all of them.
    let safe = directory.read("claims/OneSafe.claim");
    assert!(safe.contains("\nstatements 7\n") && safe.contains("\nclaim all 7 "), "{safe}");
}

#[test]
fn answers_that_the_proved_checker_does_not_cover_are_named() {
    let directory = TestDirectory::new();
    let Some(output) = export(&directory, "trip.pnml", &["OneSafe"]) else { return };
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let reason = "`OneSafe` was not exported: inhibitor or reset arcs are translated";
    assert!(stderr(&output).contains(reason), "{}", stderr(&output));
    assert!(stderr(&output).contains("0 of 1 confirmed answers were exported"));
    let written = std::fs::read_dir(directory.at("claims")).expect("a folder").count();
    assert_eq!(written, 0);
}
