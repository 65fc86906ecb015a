//! Command-line tests of the examinations about each place or transition: text, CSV, JSON, totals,
//! evidence, traces and reports.

use crate::support::binary::{TestDirectory, example, objects};
use crate::support::outside::skipped;
use serde_json::json;
use std::path::Path;
use std::process::Command;

/// `p` and `q` share a token, `made` grows, `never` has no token, and `end` stops all.
const NET: &str = "net n\nplace p 1\nplace q\nplace made\nplace never\n\
                   transition t: p -> q + made\ntransition u: q -> p\ntransition v: never -> p\n\
                   transition end: p ->";

/// Returns the beginnings of the lines, up to the reasons, in alphabetical order. The last line,
/// which has the totals, stays last.
fn answers(said: &str) -> Vec<&str> {
    let mut lines: Vec<&str> =
        said.lines().map(|line| line.split(" — ").next().unwrap_or_default()).collect();
    let totals = lines.pop().expect("totals");
    lines.sort_unstable();
    lines.push(totals);
    lines
}

#[test]
fn each_node_has_an_answer_and_the_last_line_has_the_totals() {
    let directory = TestDirectory::with(NET);
    for (examination, expected) in [
        (
            "UpperBoundsAll",
            &[
                "UpperBoundsAll made: +inf",
                "UpperBoundsAll never: 0",
                "UpperBoundsAll p: 1",
                "UpperBoundsAll q: 1",
                "UpperBoundsAll: 4 of 4 bounds exact (1 infinite)",
            ],
        ),
        (
            "quasi-liveness-all",
            &[
                "QuasiLivenessAll end: TRUE",
                "QuasiLivenessAll t: TRUE",
                "QuasiLivenessAll u: TRUE",
                "QuasiLivenessAll v: FALSE",
                "QuasiLivenessAll: 4 of 4 transitions decided: 3 can fire, 1 cannot fire",
            ],
        ),
        (
            "LA",
            &[
                "LivenessAll end: FALSE",
                "LivenessAll t: FALSE",
                "LivenessAll u: FALSE",
                "LivenessAll v: FALSE",
                "LivenessAll: 4 of 4 transitions decided: 0 live, 4 not live",
            ],
        ),
        (
            "sma",
            &[
                "StableMarkingAll made: FALSE",
                "StableMarkingAll never: TRUE",
                "StableMarkingAll p: FALSE",
                "StableMarkingAll q: FALSE",
                "StableMarkingAll: 4 of 4 places decided: 1 stable, 3 not stable",
            ],
        ),
    ] {
        let said = directory.succeeds(&["check", "model.pnml", "-e", examination]);
        assert_eq!(answers(&said), expected, "{said}");
    }
}

#[test]
fn rows_and_objects_have_the_same_answers() {
    let directory = TestDirectory::with(NET);
    let all = ["check", "model.pnml", "-e", "UBA,QLA,LA,SMA"];
    let (code, rows, error) = directory.outputs(&[&all[..], &["--format", "csv"]].concat());
    assert_eq!(code, 0, "{error}");
    let mut rows: Vec<Vec<&str>> = rows.lines().map(|row| row.split(',').collect()).collect();
    let header = rows.remove(0);
    assert_eq!(header[..5], ["examination", "id", "value", "least", "most"]);
    assert_eq!(rows.len(), 16);
    assert!(rows.iter().any(|row| row[..5] == ["UpperBoundsAll", "p", "1", "1", "1"]), "{rows:?}");
    assert!(rows.iter().any(|row| row[..5] == ["LivenessAll", "t", "FALSE", "", ""]), "{rows:?}");
    assert!(error.contains("UpperBoundsAll: 4 of 4 bounds exact (1 infinite)"), "{error}");

    let said = directory.succeeds(&[&all[..], &["--format", "json"]].concat());
    let said = objects(&said);
    for row in &rows {
        let is_same = |object: &serde_json::Value| {
            let value = match &object["value"] {
                serde_json::Value::String(value) => value.clone(),
                value => value.to_string(),
            };
            [&object["examination"], &object["id"]] == [row[0], row[1]] && value == row[2]
        };
        assert!(said.iter().any(is_same), "{row:?}");
    }
    let summaries: Vec<_> = said.iter().filter(|object| object["type"] == "summary").collect();
    assert_eq!(summaries.len(), 4);
    let totals = json!({
        "nodes": 4, "decided": 4, "true": 0, "false": 0, "infinite": 1, "open": 0,
    });
    assert_eq!(summaries[0]["totals"], totals);
    assert_eq!(summaries[1]["totals"]["true"], 3);
    assert_eq!(summaries[3]["totals"]["false"], 3);
    // Other examinations have rows, and no totals.
    let rows = directory.succeeds(&["check", "model.pnml", "-e", "RD,SS", "-f", "csv"]);
    assert!(rows.contains("\nReachabilityDeadlock,ReachabilityDeadlock,TRUE,,,replayed"), "{rows}");
    assert!(rows.contains("\nStateSpace,STATE_SPACE STATES,+inf,+inf,+inf,"), "{rows}");
}

/// Without time, nothing is decided.
#[test]
fn open_bounds_have_an_interval_and_the_totals_name_them() {
    let directory = TestDirectory::with(NET);
    let late = ["check", "model.pnml", "-e", "UpperBoundsAll", "-t", "0s"];
    let (code, said, _) = directory.outputs(&late);
    assert_eq!(code, 3, "{said}");
    let answers = answers(&said);
    assert_eq!(answers[3], "UpperBoundsAll q: unknown", "{said}");
    assert!(said.contains("p: unknown — out of time; the maximum lies between 1 and ∞"), "{said}");
    let totals = "UpperBoundsAll: 0 of 4 bounds exact, 4 open: p between 1 and ∞, \
                  q between 0 and ∞, made between 0 and ∞, never between 0 and ∞";
    assert_eq!(answers[4], totals, "{said}");
    let (code, rows, _) = directory.outputs(&[&late[..], &["--format", "csv"]].concat());
    assert_eq!(code, 3);
    assert!(rows.contains("\nUpperBoundsAll,p,,1,,,,,,out of time"), "{rows}");
    let (_, said, _) = directory.outputs(&[&late[..], &["--format", "json"]].concat());
    let said = objects(&said);
    assert_eq!(said[0]["because"]["maximum"], json!({"least": 1, "most": null}));
    assert_eq!(said[4]["totals"]["open"], 4);
}

/// Token intervals give bounds, and no other engine works on maxima.
#[test]
fn a_proved_bound_that_was_not_seen_ends_the_interval() {
    let directory = TestDirectory::with(
        "place lock 1\nplace idle 2\nplace in\nplace out\ntransition enter: lock + idle -> in\n\
         transition leave: in -> lock + out\ntransition back: out -> idle\n\
         transition add: lock -> lock + idle",
    );
    let asked = ["check", "model.pnml", "-e", "UBA", "--engines", "siphon-trap"];
    let (code, said, _) = directory.outputs(&asked);
    assert_eq!(code, 3, "{said}");
    let totals = "UpperBoundsAll: 0 of 4 bounds exact, 4 open: lock between 1 and 1, \
                  idle between 2 and ∞, in between 0 and 1, out between 0 and ∞";
    assert_eq!(said.lines().last(), Some(totals), "{said}");
    let (_, rows, _) = directory.outputs(&[&asked[..], &["-f", "csv"]].concat());
    assert!(rows.contains("\nUpperBoundsAll,in,,0,1,"), "{rows}");
}

/// Two transitions have no binding, so their goals are the same. Each reason names its own node.
#[test]
fn coloured_nodes_without_colours_are_named_each_in_its_reason() {
    let directory = TestDirectory::new();
    directory.write(
        "c.txt",
        "sort N = 1..3\nvar x: N\nplace p: N = {all}\nplace q: N\nplace r: N\nplace s: N\n\
         transition t: p{x} -> q{x}\ntransition u [x < 1]: p{x} -> r{x}\n\
         transition v [x > 3]: p{x} -> s{x}",
    );
    let said = directory.succeeds(&["check", "c.txt", "-e", "QLA,LA,SMA,UBA"]);
    for beginning in [
        "QuasiLivenessAll u: FALSE — transition `u`: ",
        "QuasiLivenessAll v: FALSE — transition `v`: ",
        "LivenessAll v: FALSE — transition `v`: ",
        "StableMarkingAll r: TRUE — place `r` always holds 0 tokens",
        "StableMarkingAll s: TRUE — place `s` always holds 0 tokens",
        "UpperBoundsAll s: 0 — ",
    ] {
        assert!(said.lines().any(|line| line.starts_with(beginning)), "{beginning}\n{said}");
    }
    let said = directory.succeeds(&["check", "c.txt", "-e", "QLA", "--id", "v"]);
    assert!(said.starts_with("QuasiLivenessAll v: FALSE — transition `v`: "), "{said}");
}

#[test]
fn some_nodes_are_selected_and_traces_do_not_overwrite_each_other() {
    let directory = TestDirectory::with(NET);
    let said = directory.succeeds(&["check", "model.pnml", "-e", "UBA", "--id", "q"]);
    assert_eq!(answers(&said), ["UpperBoundsAll q: 1", "UpperBoundsAll: 1 of 1 bound exact"]);
    let refused = directory.fails_with(2, &["check", "model.pnml", "-e", "UBA", "--id", "t"]);
    assert!(
        refused.contains("no question has the id t; the ids are p, q, made, never"),
        "{refused}"
    );
    directory.succeeds(&["check", "model.pnml", "-e", "UBA,QLA,LA,SMA", "--trace", "traces"]);
    for trace in ["UpperBoundsAll.q", "QuasiLivenessAll.u", "StableMarkingAll.q"] {
        let file = format!("traces/{trace}.trace");
        let said = directory.succeeds(&["replay", "model.pnml", &file]);
        assert!(said.contains("replayed"), "{said}");
    }
    let trace = directory.read("traces/UpperBoundsAll.q.trace");
    assert!(trace.contains("# examination: UpperBoundsAll\n# place: q\n# value: 1\n"), "{trace}");
    let trace = directory.read("traces/QuasiLivenessAll.u.trace");
    assert!(trace.contains("# examination: QuasiLivenessAll\n# transition: u\n"), "{trace}");
    directory.succeeds(&["check", "model.pnml", "-e", "RD", "--trace", "traces"]);
    let trace = directory.read("traces/ReachabilityDeadlock.trace");
    assert!(trace.contains("# formula: ReachabilityDeadlock\n"), "{trace}");
}

#[test]
fn a_coloured_net_has_answers_about_its_coloured_nodes() {
    let directory = TestDirectory::new();
    std::fs::copy(example("philosophers-coloured.pnml"), directory.at("c.pnml")).expect("copied");
    let said = directory.succeeds(&["check", "c.pnml", "-e", "UBA,QLA,LA,SMA"]);
    let info = directory.succeeds(&["info", "c.pnml", "--format", "json"]);
    let info: serde_json::Value = serde_json::from_str(info.trim()).expect("JSON");
    let count = |examination: &str| {
        let start = format!("{examination} ");
        said.lines().filter(|line| line.starts_with(&start)).count()
    };
    let counts = [
        ("UpperBoundsAll", "places"),
        ("StableMarkingAll", "places"),
        ("LivenessAll", "transitions"),
    ];
    for (examination, nodes) in counts {
        assert_eq!(
            Some(count(examination) as u64),
            info["coloured"][nodes].as_u64(),
            "{said}\n{info}"
        );
    }
    // A place counts all its colours.
    assert!(said.contains("a coloured place counts all of its colours"), "{said}");
}

#[test]
fn the_auditor_confirms_each_answer() {
    let program = Path::new(env!("CARGO_BIN_EXE_parikh")).with_file_name("parikh-certify");
    if !program.exists() {
        skipped("parikh-certify was not built");
        return;
    }
    let directory = TestDirectory::with(NET);
    let all = ["check", "model.pnml", "-e", "UBA,QLA,LA,SMA", "--evidence", "proofs"];
    directory.succeeds(&all);
    let mut audit = Command::new(program);
    let audit = audit.args(["model.pnml", "proofs"]).current_dir(directory.path()).output();
    let audit = audit.expect("it starts");
    let said = String::from_utf8_lossy(&audit.stdout);
    assert_eq!(audit.status.code(), Some(0), "{said}");
    assert!(said.contains("16 of 16 answers confirmed"), "{said}");
}

/// Checks the answers about liveness on a net with an unbounded inhibitor place: every transition
/// is open, with the reason.
#[test]
fn every_transition_is_listed_if_liveness_cannot_be_asked() {
    let directory = TestDirectory::new();
    directory.write(
        "rw.net",
        "net rw\ntr come writer?-1 -> readers\ntr go readers ->\ntr lock free readers?-1 -> writer\n\
         tr unlock writer -> free\npl free (1)",
    );
    let (code, said, _) = directory.outputs(&["check", "rw.net", "-e", "LivenessAll"]);
    assert_eq!(code, 3, "{said}");
    let totals = "LivenessAll: 0 of 4 transitions decided: 0 live, 0 not live, 4 open: \
                  come, go, lock, unlock";
    assert_eq!(said.lines().last(), Some(totals), "{said}");
    let said = directory.succeeds(&["check", "rw.net", "-e", "QuasiLivenessAll"]);
    assert!(said.ends_with("4 can fire, 0 cannot fire\n"), "{said}");
}

#[test]
fn a_report_groups_the_nodes_by_verdict() {
    let directory = TestDirectory::with(NET);
    for (examination, kind, groups) in [
        ("UBA", "place", json!(["unbounded", "at most 1 token", "at most 0 tokens"])),
        ("QuasiLivenessAll", "transition", json!(["can never fire", "can fire"])),
        ("LA", "transition", json!(["not live"])),
        ("SMA", "place", json!(["stable", "not stable"])),
    ] {
        directory.succeeds(&["report", "model.pnml", "-e", examination, "-o", "r.html"]);
        let page = directory.read("r.html");
        let (_, rest) = page.split_once(r#"id="data">"#).expect("data");
        let data = rest.split_once("</script>").expect("an end").0;
        let data: serde_json::Value = serde_json::from_str(data).expect("JSON");
        let verdicts = &data["node_verdicts"];
        assert_eq!((&verdicts["kind"], &verdicts["nodes"]), (&json!(kind), &json!(4)));
        let all = verdicts["groups"].as_array().expect("groups");
        let mut said: Vec<_> = all.iter().map(|group| group["verdict"].clone()).collect();
        // Answers with different grades are in different groups.
        said.dedup();
        assert_eq!(json!(said), groups, "{verdicts}");
        assert!(all.iter().all(|group| group["grade"].is_string()), "{verdicts}");
        assert_eq!(data["findings"][0]["title"], json!([verdicts["summary"]]));
    }
    let late = ["report", "model.pnml", "-e", "UBA", "-o", "r.html", "-t", "0s"];
    let (code, _, error) = directory.outputs(&late);
    assert_eq!(code, 3, "{error}");
    assert!(error.contains("4 of 4 questions are open"), "{error}");
    assert!(directory.read("r.html").contains("open, between 0 and ∞"));
}

#[test]
fn the_format_of_the_contest_has_no_answers_about_each_node() {
    let refused = TestDirectory::with("place p\ntransition t: -> p")
        .fails_with(2, &["check", "model.pnml", "-e", "SMA", "-f", "mcc"]);
    assert!(refused.contains("--format mcc"), "{refused}");
}
