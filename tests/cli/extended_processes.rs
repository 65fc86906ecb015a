//! Command-line tests of processes with reset and inhibitor arcs, and with several final markings.

use crate::support::binary::{TestDirectory, example, stdout};

/// Returns a trip: cancelling the flight resets the hotel branch. A case ends booked or cancelled.
fn trip() -> TestDirectory {
    let directory = TestDirectory::new();
    directory.write("trip.pnml", &std::fs::read_to_string(example("trip.pnml")).unwrap());
    // In this variant, `hotel_found` inhibits `cancel` instead of being reset.
    let kept = directory.read("trip.pnml").replace(
        "<arc source=\"hotel_found\" target=\"cancel\" type=\"reset\"/>",
        "<arc source=\"hotel_found\" target=\"cancel\" type=\"inhibitor\"/>",
    );
    directory.write("kept.pnml", &kept);
    directory
}

/// Returns the auditor's output on the evidence in a directory, or an empty string if the auditor
/// was not built.
fn audit(directory: &TestDirectory, model: &str, more: &[&str], evidence: &str) -> String {
    let program =
        std::path::Path::new(env!("CARGO_BIN_EXE_parikh")).with_file_name("parikh-certify");
    if !program.exists() {
        return String::new();
    }
    let mut command = std::process::Command::new(program);
    command.arg(model).args(more).arg(evidence).current_dir(directory.path());
    let output = command.output().unwrap();
    let said = stdout(&output);
    assert!(!said.contains("refused"), "{said}");
    assert!(said.lines().all(|line| !line.contains(": not confirmed")), "{said}");
    said
}

#[test]
fn a_process_with_reset_and_inhibitor_arcs_is_asked_in_all_four_notions() {
    let directory = trip();
    for (model, values) in [
        ("trip.pnml", ["TRUE", "TRUE", "TRUE", "TRUE"]),
        ("kept.pnml", ["TRUE", "TRUE", "TRUE", "TRUE"]),
    ] {
        for (name, value) in
            ["Soundness", "WeakSoundness", "RelaxedSoundness", "EasySoundness"].iter().zip(values)
        {
            let said = directory.succeeds(&["check", model, "-e", name, "--evidence", "proofs"]);
            assert!(said.starts_with(&format!("{name}: {value} — ")), "{model}: {said}");
        }
        audit(&directory, model, &[], "proofs");
    }
    let said = directory.succeeds(&["check", "trip.pnml", "-e", "Soundness"]);
    assert!(said.contains("in `booked` or `cancelled` (for example in `"), "{said}");
    // An unreachable final marking changes nothing; one that every case passes does.
    let said = directory.succeeds(&[
        "check",
        "trip.pnml",
        "-e",
        "S",
        "--final",
        "booked",
        "--final",
        "cancelled",
        "--final",
        "3*asked",
    ]);
    assert!(said.contains("TRUE"), "{said}");
    let said = directory.succeeds(&["check", "trip.pnml", "-e", "S", "--final", "booked"]);
    assert!(said.contains("FALSE — a case gets stuck after 2 firings"), "{said}");
    // A case that ends elsewhere, or goes on after a final marking, which is named.
    let ends = [
        "check",
        "kept.pnml",
        "-e",
        "S",
        "--final",
        "flight_found",
        "--final",
        "hotel",
        "--trace",
        "traces",
    ];
    let said = directory.succeeds(&ends);
    let is_named = said.contains("is done in `flight_found` after");
    assert!(is_named || said.contains("FALSE — a case gets stuck"), "{said}");
}

#[test]
fn several_cases_end_in_different_final_markings_and_their_run_replays() {
    let directory = trip();
    // A cancelling case resets the hotel of the other case.
    let asked = [
        "check",
        "trip.pnml",
        "-e",
        "S,ES",
        "--k",
        "2",
        "--trace",
        "traces",
        "--evidence",
        "proofs",
    ];
    let said = directory.succeeds(&asked);
    assert!(said.contains("2-Soundness: FALSE"), "{said}");
    assert!(said.contains("2-EasySoundness: TRUE"), "{said}");
    audit(&directory, "trip.pnml", &[], "proofs");
    for name in ["2-Soundness", "2-EasySoundness"] {
        let trace = format!("traces/{name}.trace");
        assert!(directory.read(&trace).contains("# from: 2*asked"), "{}", directory.read(&trace));
        directory.succeeds(&["replay", "trip.pnml", &trace]);
        directory.succeeds(&["graph", "trip.pnml", "--trace", &trace, "-o", "g.dot"]);
        let played = directory.succeeds(&["play", "trip.pnml", "--trace", &trace]);
        assert!(!played.contains("error"), "{played}");
    }
}

#[test]
fn constraints_are_asked_of_cases_of_such_a_process() {
    let directory = trip();
    for (formula, value) in [
        ("existence(book) || existence(cancel)", "TRUE"),
        ("not_co_existence(book, cancel)", "TRUE"),
        ("existence(find_hotel)", "FALSE"),
        ("E (existence(find_hotel) && existence(cancel))", "TRUE"),
    ] {
        let formula = format!("asked: {formula}");
        let arguments =
            ["check", "trip.pnml", "--cases", "--formula", &formula, "--evidence", "proofs"];
        let said = directory.succeeds(&arguments);
        assert!(said.starts_with(&format!("asked: {value}")), "{formula}: {said}");
        audit(&directory, "trip.pnml", &["--cases", "--formula", &formula], "proofs");
    }
}

#[test]
fn a_final_marking_above_a_known_bound_need_not_be_dead() {
    let directory = TestDirectory::new();
    // The inhibitor arc disables `turn` wherever `b` is marked, and `b` is never marked.
    let model = "<pnml><net id='n' type='http://x/ptnet'><place id='a'><initialMarking>\
         <text>1</text></initialMarking></place><place id='b'/><place id='c'/>\
         <transition id='t'/><transition id='turn'/><arc source='a' target='t'/>\
         <arc source='t' target='c'/><arc source='b' target='turn'/>\
         <arc source='turn' target='b'/><arc source='b' target='turn' type='inhibitor'/>\
         <finalmarkings><marking><place idref='b'><text>1</text></place></marking>FINAL\
         </finalmarkings></net></pnml>";
    let reached = "<marking><place idref='c'><text>1</text></place></marking>";
    for (finals, formula, value) in [
        ("", "existence(turn)", "TRUE"),
        ("", "E existence(t)", "FALSE"),
        (reached, "existence(t)", "TRUE"),
        (reached, "absence(t)", "FALSE"),
    ] {
        directory.write("n.pnml", &model.replace("FINAL", finals));
        let arguments =
            ["check", "n.pnml", "--cases", "--formula", formula, "--evidence", "proofs"];
        let said = directory.succeeds(&arguments);
        assert!(said.starts_with(&format!("formula-1: {value}")), "{formula}: {said}");
        audit(&directory, "n.pnml", &["--cases", "--formula", formula], "proofs");
    }
}

#[test]
fn without_a_bound_at_such_arcs_soundness_is_refused_with_the_place() {
    let directory = TestDirectory::new();
    directory.write(
        "model.pnml",
        "<pnml><net id='n' type='http://x/ptnet'><place id='i'><initialMarking><text>1</text>\
         </initialMarking></place><place id='heap'/><place id='o'/><transition id='fill'/>\
         <transition id='end'/><arc source='i' target='fill'/><arc source='fill' target='i'/>\
         <arc source='fill' target='heap'/><arc source='i' target='end'/>\
         <arc source='heap' target='end' type='reset'/><arc source='end' target='o'/>\
         <finalmarkings><marking><place idref='o'><text>1</text></place></marking></finalmarkings>\
         </net></pnml>",
    );
    for name in ["Soundness", "WeakSoundness"] {
        let (code, _, said) = directory.outputs(&["check", "model.pnml", "-e", name]);
        assert!(code == 3 && said.contains("no bound of `heap` is known"), "{said}");
        assert!(said.contains("undecidable in general"), "{said}");
    }
    let said = directory.succeeds(&["check", "model.pnml", "-e", "ES,RS", "--evidence", "proofs"]);
    assert_eq!(said.matches("TRUE").count(), 2, "{said}");
    audit(&directory, "model.pnml", &[], "proofs");
}
