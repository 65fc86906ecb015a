//! Command-line tests of unbounded nets: runs, rankings and lower bounds.

use crate::support::binary::TestDirectory;
use std::path::Path;
use std::process::Command;

/// Checks a formula with evidence, which the auditor confirms if it was built. Returns the output.
fn asked(net: &str, formula: &str) -> String {
    let directory = TestDirectory::with(net);
    let said = directory.succeeds(&[
        "check",
        "model.pnml",
        "--formula",
        formula,
        "--timeout",
        "20s",
        "--evidence",
        "proofs",
    ]);
    let program = Path::new(env!("CARGO_BIN_EXE_parikh")).with_file_name("parikh-certify");
    if program.exists() {
        let arguments = ["model.pnml", "proofs", "--formula", formula];
        let audit = Command::new(program).args(arguments).current_dir(directory.path()).output();
        let audit = audit.expect("it starts");
        let words = String::from_utf8_lossy(&audit.stdout);
        assert!(words.contains("confirmed"), "{said}\n{words}");
        assert_eq!(audit.status.code(), Some(0), "{said}\n{words}");
    }
    said
}

#[test]
fn a_loop_that_adds_tokens_may_begin_after_a_prefix() {
    let net = "place idle 1\nplace warm\nplace on\nplace out\nplace dust
        transition heat: idle -> warm\ntransition start: warm -> on
        transition make: on -> on + 2*out\ntransition ship: 3*out -> dust";
    for (formula, value) in [
        ("F deadlock", "FALSE"),
        ("A F (on >= 1)", "TRUE"),
        ("E F G (out >= 4)", "TRUE"),
        ("A G (dust <= 3)", "FALSE"),
        ("A F (dust >= 1)", "FALSE"),
    ] {
        let said = asked(net, formula);
        assert!(said.contains(&format!(": {value}")), "{formula}: {said}");
    }
}

/// Two transitions alternate forever while a third place grows.
#[test]
fn runs_of_live_unbounded_nets_are_excluded() {
    let net = "place left 1\nplace right\nplace count
        transition go: left -> right\ntransition return: right -> left + count";
    for (formula, value) in [("A G F (left >= 1)", "TRUE"), ("A F G (left >= 1)", "FALSE")] {
        let said = asked(net, formula);
        assert!(said.contains(&format!(": {value}")), "{formula}: {said}");
    }
}

#[test]
fn a_lower_bound_of_a_place_or_a_weighted_sum_excludes_markings() {
    // At least 1 token stays on `cash`, by the arcs of `spend`.
    let net = "place cash 1\nplace spent\nplace earned
        transition spend: 2*cash -> cash + spent\ntransition earn: cash -> 2*cash + earned";
    let said = asked(net, "AG (spent <= earned)");
    assert!(said.contains(": TRUE"), "{said}");
    // The invariant coins + 3·notes ≥ 3: `change` keeps the sum, and `lose` leaves a note.
    let net = "place coins 3\nplace notes\nplace lost\nplace found
        transition change: 3*coins -> notes\ntransition break: notes -> 3*coins
        transition lose: 2*notes -> notes + lost\ntransition find: notes -> 2*notes + found";
    let said = asked(net, "AG (lost <= found)");
    assert!(said.contains(": TRUE"), "{said}");
}
