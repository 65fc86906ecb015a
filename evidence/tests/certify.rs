//! Tests the command line of `parikh-certify`: files, messages and exit codes. Also tests the
//! dependencies of its crate.

#[path = "../../tests/support/schema.rs"]
#[allow(dead_code, reason = "another test uses the rest")]
mod schema;

use std::path::Path;
use std::process::{Command, Output};

const MODEL: &str = "<?xml version='1.0'?>
<pnml xmlns='http://www.pnml.org/version-2009/grammar/pnml'>
<net id='small' type='http://www.pnml.org/version-2009/grammar/ptnet'><page id='page'>
<place id='p'><initialMarking><text>2</text></initialMarking></place><place id='q'/>
<transition id='t'/><arc id='a' source='p' target='t'/><arc id='b' source='t' target='q'/>
</page></net></pnml>";

const BOUNDS: &str = "<property-set xmlns='http://mcc.lip6.fr/'>
<property><id>Small-UpperBounds-00</id><formula><place-bound><place>q</place></place-bound></formula>
</property><property><id>Small-UpperBounds-01</id><formula><place-bound><place>p</place></place-bound>
</formula></property></property-set>";

/// Returns the first line of an evidence file about an examination.
fn head(examination: &str) -> String {
    format!(
        r#"{{"evidence": {{"format": "parikh-evidence-2", "net": "small", "places": 2, "transitions": 1, "examination": "{examination}"}}}}"#
    )
}

const TRACE: &str = r#"{"trace": {"id": "w1", "steps": [["t", 2]]}}"#;
const DOCUMENT: &str = r#"{"document": {"id": "d1", "document": {"markings": 3}}}"#;
const ANSWER: &str = r#"{"answer": {"id": "Small-UpperBounds-00", "value": "2", "evidence": "certified", "shown_by": [{"trace": "w1", "after": 2}, {"document": "d1"}]}}"#;
const DEAD: &str = r#"{"answer": {"id": "ReachabilityDeadlock", "value": "TRUE", "evidence": "replayed", "shown_by": [{"trace": "w1", "after": 2}]}}"#;

/// Returns the last line of an evidence file.
fn end(answers: usize) -> String {
    format!(r#"{{"end": {{"answers": {answers}}}}}"#)
}

/// Creates a directory with a model, queries for UpperBounds, and evidence files with these names
/// and contents.
fn instance(evidence: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("model.pnml"), MODEL).unwrap();
    std::fs::write(directory.path().join("UpperBounds.xml"), BOUNDS).unwrap();
    std::fs::create_dir(directory.path().join("proofs")).unwrap();
    for (name, content) in evidence {
        std::fs::write(directory.path().join("proofs").join(name), content).unwrap();
    }
    directory
}

/// Runs `parikh-certify` in a directory. Returns the exit code, the output, and the error output.
fn certify(directory: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parikh-certify"));
    let Output { status, stdout, stderr } =
        command.current_dir(directory).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().expect("not killed"), text(stdout), text(stderr))
}

#[test]
fn a_directory_of_right_evidence_is_confirmed() {
    let bounds = [&head("UpperBounds"), TRACE, DOCUMENT, ANSWER, &end(1)].join("\n");
    let dead = [&head("ReachabilityDeadlock"), TRACE, DEAD, &end(1)].join("\n");
    let files =
        [("UpperBounds.jsonl", &*bounds), ("ReachabilityDeadlock.jsonl", &*dead), ("x.txt", "?")];
    let instance = instance(&files);
    let (code, out, err) = certify(instance.path(), &[".", "proofs"]);
    assert_eq!((code, &*err), (0, ""));
    let confirmed = "\
proofs/ReachabilityDeadlock.jsonl:3: ReachabilityDeadlock: TRUE: confirmed: 1 marking shown
proofs/UpperBounds.jsonl:4: UpperBounds Small-UpperBounds-00 (the maximum of `q`): 2: confirmed: \
1 marking shown, 1 claim proved
";
    let counted = "2 of 2 answers confirmed\n1 question of these examinations has no answer\n";
    assert_eq!(out, format!("{confirmed}{counted}"));
    let (code, out, _) = certify(instance.path(), &[".", "proofs", "--quiet"]);
    assert_eq!((code, &*out), (0, counted));
    // The same by file names, with the queries in another place.
    std::fs::rename(instance.path().join("UpperBounds.xml"), instance.path().join("q")).unwrap();
    let named = ["model.pnml", "proofs/UpperBounds.jsonl", "--queries=q"];
    let (code, out, _) = certify(instance.path(), &named);
    assert_eq!(code, 0);
    assert!(out.starts_with("proofs/UpperBounds.jsonl:4: UpperBounds "), "{out}");
    let (code, _, err) = certify(instance.path(), &[".", "proofs"]);
    assert!(code == 1 && err.contains("UpperBounds needs formulas"), "{err}");
}

#[test]
fn formulas_of_a_command_line_stop_no_other_file() {
    let dead = [&head("ReachabilityDeadlock"), TRACE, DEAD, &end(1)].join("\n");
    let formulas = [&head("Formulas"), TRACE, DOCUMENT, ANSWER, &end(1)].join("\n");
    let files = [("Formulas.jsonl", &*formulas), ("ReachabilityDeadlock.jsonl", &dead)];
    let directory = instance(&files);
    let (code, said, noted) = certify(directory.path(), &["model.pnml", "proofs"]);
    assert_eq!((code, said.lines().last()), (3, Some("1 of 1 answer confirmed")), "{said}{noted}");
    assert!(noted.contains("its formulas were given on"), "{noted}");
    // The formula itself is an argument, or a file of typed formulas.
    let bound = format!("{}: bound(q)", "Small-UpperBounds-00");
    std::fs::write(directory.path().join("asked.txt"), format!("# one\n{bound}\n")).unwrap();
    for asked in [["--formula", &*bound], ["--formulas", "asked.txt"], ["--queries", "asked.txt"]] {
        let formulas = [&["model.pnml", "proofs/Formulas.jsonl"][..], &asked].concat();
        let (code, said, noted) = certify(directory.path(), &formulas);
        assert_eq!((code, &*noted), (0, ""), "{said}");
        assert!(said.contains("(the maximum of `q`): 2: confirmed"), "{said}");
    }
    let other = ["model.pnml", "proofs/Formulas.jsonl", "--formula", "bound(q)"];
    let (code, said, _) = certify(directory.path(), &other);
    assert!(code == 4 && said.contains("there is no such question"), "{said}");
    // A file that contains the ids of the questions is used.
    std::fs::copy(directory.path().join("UpperBounds.xml"), directory.path().join("Formulas.xml"))
        .unwrap();
    let (code, said, noted) = certify(directory.path(), &["model.pnml", "proofs"]);
    assert_eq!(code, 0, "{said}{noted}");
    assert!(said.contains("2 of 2 answers confirmed"), "{said}");
}

#[test]
fn a_state_space_with_figures_missing_has_an_exit_code_of_its_own() {
    let whole = r#"{"count": {"id": "c1", "markings": 3}}
{"answer": {"id": "STATES", "value": "3", "evidence": "certified", "shown_by": [{"count": "c1"}]}}
{"answer": {"id": "TRANSITIONS", "value": "2", "evidence": "certified", "shown_by": [{"count": "c1"}]}}
{"answer": {"id": "MAX_TOKEN_PER_MARKING", "value": "2", "evidence": "searched", "searched": {"markings": 3, "stubborn": false}}}
{"answer": {"id": "MAX_TOKEN_IN_PLACE", "value": "2", "evidence": "searched", "searched": {"markings": 3, "stubborn": false}}}"#;
    let audit = |lines: &str| {
        let text = [&head("StateSpace"), lines, &end(lines.matches("answer").count())].join("\n");
        certify(instance(&[("StateSpace.jsonl", &text)]).path(), &[".", "proofs", "--quiet"])
    };
    let (code, out, err) = audit(whole);
    assert_eq!((code, &*err, &*out), (0, "", "4 of 4 answers confirmed\n"));
    let lines: Vec<&str> = whole.lines().collect();
    let (code, out, err) = audit(&lines[..3].join("\n"));
    assert_eq!(code, 5);
    let missing = "MAX_TOKEN_IN_PLACE, MAX_TOKEN_PER_MARKING";
    let note = format!("the evidence about the state space lacks {missing}\n");
    assert!(err.ends_with(&note), "{err}");
    assert_eq!(out, "2 of 2 answers confirmed\n2 questions of these examinations have no answer\n");
    // The worst verdict determines the exit code.
    assert_eq!(audit(&lines[..3].join("\n").replace("\"3\"", "\"4\"")).0, 4);
}

#[test]
fn unproved_answers_are_reported_with_their_exit_code() {
    let wrong = ANSWER.replace("\"2\"", "\"1\"");
    let refused = [&head("UpperBounds"), TRACE, DOCUMENT, &wrong, &end(1)].join("\n");
    let at = instance(&[("UpperBounds.jsonl", &refused)]);
    let (code, out, _) = certify(at.path(), &[".", "proofs"]);
    assert_eq!(code, 4);
    assert!(
        out.contains(
            "(the maximum of `q`): 1: refused: not shown: a proof that no reachable marking has \
             `q` ≥ 2"
        ),
        "{out}"
    );
    assert!(out.contains("0 of 1 answer confirmed, 0 searched and not repeated, 1 refused"));
    let (code, out, _) = certify(at.path(), &[".", "proofs", "--format", "json"]);
    assert_eq!(code, 4);
    let objects: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects[0]["verdict"], "refused");
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let schema = schema::Schema::of_the_guide(&docs);
    assert_eq!(schema.kinds(&objects[0]), ["audit_answer"]);
    assert_eq!(schema.kinds(&objects[1]), ["audit_summary"]);
    assert_eq!((&objects[1]["answers"], &objects[1]["refused"]), (&1.into(), &1.into()));

    let searched = r#"{"answer": {"id": "OneSafe", "value": "FALSE", "evidence": "searched", "searched": {"markings": 3, "stubborn": false}}}
{"withdrawn": {"id": "OneSafe"}}
{"answer": {"id": "OneSafe", "value": "FALSE", "evidence": "replayed"}}"#;
    let again = [&head("OneSafe"), searched, &end(1)].join("\n");
    let at = instance(&[("OneSafe.jsonl", &again)]);
    assert_eq!(
        certify(at.path(), &[".", "proofs"]).0,
        0,
        "two tokens are there from the beginning"
    );
    let dead = r#"{"answer": {"id": "StableMarking", "value": "TRUE", "evidence": "searched", "searched": {"markings": 3, "stubborn": false}}}"#;
    let dead = [&head("StableMarking"), dead, &end(1)].join("\n");
    let at = instance(&[("StableMarking.jsonl", &dead)]);
    assert_eq!(certify(at.path(), &[".", "proofs"]).0, 4, "both places change");
    let (code, out, _) = certify(at.path(), &[".", "proofs", "--visit", "2"]);
    assert_eq!(code, 3);
    assert!(out.contains("0 of 1 answer confirmed, 1 searched and not repeated, 0 refused"));
}

#[test]
fn unreadable_files_and_command_lines_have_their_codes() {
    let cut = [&head("UpperBounds"), TRACE, DOCUMENT, ANSWER, &ANSWER[..30]].join("\n");
    let at = instance(&[("UpperBounds.jsonl", &cut)]);
    let (code, out, err) = certify(at.path(), &[".", "proofs"]);
    assert_eq!(code, 6);
    assert!(err.contains("proofs/UpperBounds.jsonl:5: the file ends inside this line"), "{err}");
    assert!(out.contains("1 of 1 answer confirmed"), "{out}");
    let at = instance(&[("UpperBounds.jsonl", &(cut + "\n"))]);
    let (code, out, err) = certify(at.path(), &[".", "proofs"]);
    assert_eq!(code, 1);
    assert!(err.contains("proofs/UpperBounds.jsonl:5: the line is incomplete"), "{err}");
    assert!(out.contains("1 of 1 answer confirmed"), "{out}");
    for (arguments, code, part) in [
        (&["no.pnml", "proofs"][..], 1, "no.pnml"),
        (&[".", "none.jsonl"], 1, "none.jsonl:0"),
        (
            &["proofs/UpperBounds.jsonl", "proofs"],
            1,
            "jsonl:1: the file begins with `{\"evidence\"",
        ),
        (&["."], 2, "the argument EVIDENCE is missing"),
        (&[], 2, "the argument MODEL is missing"),
        (&[".", "proofs", "--fast"], 2, "no option --fast"),
        (&[".", "proofs", "--visit", "-3"], 2, "--visit"),
        (&[".", "proofs", "--timeout", "soon"], 2, "such as 90s, 10m or 2h"),
        (&[".", "proofs", "--memory", "4"], 2, "such as 900M or 4G"),
        (&[".", "proofs", "--format=xml"], 2, "text or json"),
        (&[".", "proofs", "--queries"], 2, "needs a value"),
        (&[".", "proofs", "--export-refused"], 2, "needs --export"),
    ] {
        let (found, _, err) = certify(at.path(), arguments);
        assert!(found == code && err.contains(part), "{arguments:?}: {found} {err}");
    }
    for (name, system) in [("a.aut", "des (0, 1, 2)\n(0, 1)\n"), ("a.fsm", "---\n---\n")] {
        std::fs::write(at.path().join(name), system).unwrap();
        let (code, _, err) = certify(at.path(), &[name, "proofs"]);
        assert!(code == 1 && err.contains(&format!("{name}:")), "{code} {err}");
    }
    let (code, out, _) = certify(at.path(), &["--help"]);
    assert!(code == 0 && out.contains("Exit codes") && out.contains("Usage"));
    let foreign = head("../../etc/passwd");
    let at = instance(&[("x.jsonl", &foreign)]);
    let (code, _, err) = certify(at.path(), &[".", "proofs"]);
    assert!(code == 1 && err.contains("is not an examination"), "{err}");
}

#[test]
fn evidence_about_a_labelled_transition_system_is_audited() {
    let head = r#"{"evidence":{"examination":"ReachabilityDeadlock","format":"parikh-evidence-2","net":"a","places":2,"transitions":1}}"#;
    let trace = r#"{"trace":{"id":"w1","steps":[["t1_go",1]]}}"#;
    let answer = r#"{"answer":{"id":"ReachabilityDeadlock","value":"TRUE","shown_by":[{"trace":"w1","after":1}],"evidence":"replayed","because":"x"}}"#;
    let of_net = [head, trace, answer, &end(1)].join("\n");
    let head = r#"{"evidence":{"components":1,"format":"parikh-system-evidence-1","labels":1,"semantics":"infinite traces"}}"#;
    let answer = r#"{"answer":{"because":"x","evidence":"certified","id":"1","no_run":{"components":[],"recurrence":true},"value":"TRUE"}}"#;
    let of_labels = [head, answer, &end(1)].join("\n");
    let at = instance(&[("ReachabilityDeadlock.jsonl", &of_net), ("p.jsonl", &of_labels)]);
    std::fs::write(at.path().join("p.txt"), "#1:\n( F go )\n").unwrap();
    for (name, system) in [
        ("a.fsm", "---\n---\n1 2 \"go\"\n"),
        ("a.fsm", "b(2) Bool \"F\" \"T\"\n---\n0\n1\n---\n1 2 \"go\"\n"),
        ("a.aut", "des (0, 1, 2)\n(0, go, 1)\n"),
        ("a", "---\n---\n1 2 go\n---\n1\n"),
    ] {
        std::fs::write(at.path().join(name), system).unwrap();
        let (code, out, err) = certify(at.path(), &[name, "proofs"]);
        assert!(code == 0 && out.matches("confirmed").count() >= 2, "{name}: {code} {out} {err}");
    }
    // The evidence about labels has any name. Only formulas about nets may come from the command
    // line of the prover.
    let system = "digraph G {\nsubgraph a {\n0->1 [label=\"\"];\n1->1 [label=\"go\"];\n}\n}\n";
    std::fs::write(at.path().join("a.dot"), system).unwrap();
    std::fs::rename(at.path().join("proofs/p.jsonl"), at.path().join("Formulas.jsonl")).unwrap();
    std::fs::rename(at.path().join("p.txt"), at.path().join("Formulas.txt")).unwrap();
    for name in ["a.dot", "a.aut"] {
        let (code, out, err) = certify(at.path(), &[name, "Formulas.jsonl"]);
        assert!(code == 0 && out.ends_with("1 of 1 answer confirmed\n"), "{name}: {out} {err}");
        assert_eq!(err, "", "{name}");
        let (_, _, err) = certify(at.path(), &[name, "Formulas.jsonl", "--export", "claims"]);
        assert!(err.contains("no confirmed answers about nets to export"), "{name}: {err}");
    }
    // With the edge reversed, the initial state is dead, and the trace is not enabled.
    std::fs::write(at.path().join("a"), "des (0, 1, 2)\n(1, go, 0)\n").unwrap();
    let (code, out, _) = certify(at.path(), &["a", "proofs"]);
    assert!(code != 0 && out.contains("refused"), "{code} {out}");
}

#[test]
fn incomplete_or_foreign_files_have_their_own_exit_code() {
    let head = head("UpperBounds");
    let audit = |name: &str, lines: &[&str]| {
        let text = [&[&*head], lines].concat().join("\n");
        certify(instance(&[(name, &text)]).path(), &[".", "proofs"])
    };
    let (one, own) = (end(1), "UpperBounds.jsonl");
    assert_eq!(audit(own, &[TRACE, DOCUMENT, ANSWER, &one]).0, 0);
    let other = ANSWER.replace("\"2\"", "\"3\"");
    for (name, lines, part) in [
        (
            "Liveness.jsonl",
            &[TRACE, DOCUMENT, ANSWER, &*one][..],
            "jsonl:1: the file has evidence about UpperBounds",
        ),
        (own, &[TRACE, DOCUMENT, ANSWER], "the file has no `end` line"),
        (own, &[TRACE, DOCUMENT, ANSWER, &end(60)], "60 answers were printed, but the file has 1"),
        (
            own,
            &[TRACE, DOCUMENT, ANSWER, ANSWER, &one],
            "jsonl:5: Small-UpperBounds-00 is answered again (2)",
        ),
        (
            own,
            &[TRACE, DOCUMENT, ANSWER, &other, &one],
            "(3): the answer in line 4 (2) was not withdrawn",
        ),
    ] {
        let (code, out, err) = audit(name, lines);
        assert!(code == 6 && err.contains(part), "{code} {err}");
        assert!(out.contains("1 of 1 answer confirmed"), "{out}");
    }
    // A withdrawn answer is not counted, and one withdrawal suffices.
    let gone = r#"{"withdrawn": {"id": "Small-UpperBounds-00"}}"#;
    assert_eq!(audit(own, &[TRACE, DOCUMENT, &other, gone, ANSWER, &one]).0, 0);
    assert_eq!(audit(own, &[TRACE, DOCUMENT, ANSWER, gone, &end(0)]).0, 3);
    let (code, _, err) = audit(own, &[TRACE, DOCUMENT, ANSWER, gone, ANSWER, gone, ANSWER, &one]);
    assert!(code == 1 && err.contains("withdrawn a second time"), "{err}");
    let (code, _, err) = audit(own, &[gone, &one]);
    assert!(code == 1 && err.contains("no answer to `Small-UpperBounds-00`"), "{err}");
    let (code, _, err) = audit(own, &[TRACE, DOCUMENT, &one, ANSWER]);
    assert!(code == 1 && err.contains("a line after the end"), "{err}");
}

#[test]
fn examination_names_that_resemble_verdicts_are_refused() {
    let forged = head("Liveness: TRUE: confirmed: siphons; UpperBounds");
    let text = [&forged, TRACE, DOCUMENT, ANSWER, &end(1)].join("\n");
    let at = instance(&[("x.jsonl", &text)]);
    let queries = at.path().join("UpperBounds.xml");
    let named = [".", "proofs", "--queries", queries.to_str().unwrap()];
    let (code, out, err) = certify(at.path(), &named);
    assert!(
        code == 1 && !out.contains("Liveness") && err.contains("is not an examination"),
        "{out}{err}"
    );
}

#[test]
fn ids_that_resemble_verdicts_do_not_hide_the_verdict() {
    // An id that resembles a verdict, and is long enough to hide the real verdict.
    let id = format!("OneSafe: TRUE: confirmed: 2 claims proved{}", "\u{a0}".repeat(3000));
    let forged = format!(r#"{{"answer": {{"id": "{id}", "value": "TRUE", "shown_by": []}}}}"#);
    let text = [&head("OneSafe"), &*forged, &end(1)].join("\n");
    let (code, out, _) = certify(instance(&[("OneSafe.jsonl", &text)]).path(), &[".", "proofs"]);
    assert_eq!(code, 4);
    let line = out.lines().next().unwrap();
    assert!(line.contains(": TRUE: refused: there is no such question"), "{line}");
    assert!(!line.contains("TRUE: confirmed"), "{line}");
    // An empty file, and a file that ends inside its first line, are reported as cut short.
    let bounds = [&head("UpperBounds"), TRACE, DOCUMENT, ANSWER, &end(1)].join("\n");
    for cut in ["", "{\"evidence\": {\"form"] {
        let files = [("UpperBounds.jsonl", &*bounds), ("Liveness.jsonl", cut)];
        let at = instance(&files);
        let (code, out, _) = certify(at.path(), &[".", "proofs", "--format", "json"]);
        assert!(code == 6 && out.contains("\"cut_short\":1"), "{code} {out}");
    }
}

#[test]
fn names_in_questions_and_reasons_cannot_be_taken_for_a_verdict() {
    let forged = "q ≥ 2): 1: confirmed: 1 claim proved` TRUE: confirmed";
    let name = |text: &str| {
        text.replace(">q<", &format!(">{forged}<")).replace("'q'", &format!("'{forged}'"))
    };
    let step = format!(r#"{{"trace": {{"id": "w1", "steps": [["t`: {forged}", 2]]}}}}"#);
    let wrong = ANSWER.replace("\"2\"", "\"1\"");
    let no_trace = ANSWER.replace("w1", &format!("w1: {forged}"));
    for (line, answer) in [(TRACE, &*wrong), (TRACE, &*no_trace), (&*step, ANSWER)] {
        let text = [&head("UpperBounds"), line, DOCUMENT, answer, &end(1)].join("\n");
        let at = instance(&[("UpperBounds.jsonl", &text)]);
        std::fs::write(at.path().join("model.pnml"), name(MODEL)).unwrap();
        std::fs::write(at.path().join("UpperBounds.xml"), name(BOUNDS)).unwrap();
        let (code, out, err) = certify(at.path(), &[".", "proofs"]);
        assert_eq!(code, 4, "{out}{err}");
        // Text between backquotes comes from the input files.
        let ours: String = out.lines().next().unwrap().split('`').step_by(2).collect();
        assert!(ours.contains(": refused: ") && !ours.contains("confirmed"), "{out}");
    }
    // A question that is truncated inside of a name closes the name.
    let [p, q] = ["p", "q"].map(|id| format!("{}{id}", "≥".repeat(150)));
    let long = |text: &str, [from, to]: [&str; 2]| {
        let text = text.replace(&format!("{from}p{to}"), &format!("{from}{p}{to}"));
        text.replace(&format!("{from}q{to}"), &format!("{from}{q}{to}"))
    };
    let text = [&head("UpperBounds"), TRACE, DOCUMENT, ANSWER, &end(1)].join(
        "
",
    );
    let at = instance(&[("UpperBounds.jsonl", &text)]);
    std::fs::write(at.path().join("model.pnml"), long(MODEL, ["'", "'"])).unwrap();
    let both = BOUNDS.replace("<place>q</place>", "<place>q</place><place>p</place>");
    std::fs::write(at.path().join("UpperBounds.xml"), long(&both, [">", "<"])).unwrap();
    let (_, out, err) = certify(at.path(), &[".", "proofs"]);
    let line = out.lines().next().unwrap();
    assert!(line.contains("` …): ") && line.matches('`').count() == 4, "{out}{err}");
}

/// The dependencies that a user of the auditor must trust: nets, temporal formulas with their
/// automata, and file readers.
const ALLOWED: [&str; 9] = [
    "encoding_rs",
    "parikh-files",
    "parikh-net",
    "parikh-temporal",
    "serde",
    "serde_json",
    "roxmltree",
    "thiserror",
    "num-bigint",
];

#[test]
fn the_crate_depends_on_nets_formulas_and_file_formats_only() {
    let manifest = include_str!("../Cargo.toml");
    let mut section = "";
    let mut dependencies = Vec::new();
    for line in manifest.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        match line.strip_prefix('[') {
            Some(name) => section = name.trim_end_matches(']'),
            None => {
                if let Some((name, _)) = line.split_once([' ', '=', '.']) {
                    dependencies.extend((section == "dependencies").then_some(name));
                }
            }
        }
        let other = section.contains("dependencies")
            && !["dependencies", "dev-dependencies"].contains(&section);
        assert!(!other, "a section of dependencies that this test does not know: {section}");
    }
    let foreign: Vec<&&str> = dependencies.iter().filter(|name| !ALLOWED.contains(name)).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
    assert!(dependencies.contains(&"parikh-net"), "the test reads the manifest: {dependencies:?}");
    for source in [include_str!("../src/lib.rs"), include_str!("../src/bin/parikh-certify/main.rs")]
    {
        assert!(source.contains("#![forbid(unsafe_code)]"));
    }
}

#[test]
fn the_auditor_chooses_the_fairness_and_not_the_evidence() {
    let model =
        MODEL.replace("<transition id='t'/>", "<transition id='t'/><transition id='u'/>").replace(
            "target='q'/>",
            "target='p'/><arc id='c' source='p' target='u'/><arc id='d' source='u' target='p'/>",
        );
    let queries = "<property-set xmlns='http://mcc.lip6.fr/'><property><id>again</id><formula><all-paths>
        <globally><finally><fires><transition>t</transition></fires></finally></globally></all-paths>
        </formula></property></property-set>";
    let head = head("LTLFireability").replace("\"transitions\": 1", "\"transitions\": 2");
    let run = r#"{"lasso": {"id": "o1", "prefix": [], "repeats": [["u", 1]]}}"#;
    let visited = r#"{"visited": {"id": "v1", "markings": 1}}"#;
    let answer = |value: &str, shown: &str| {
        format!(
            r#"{{"answer": {{"id": "again", "value": "{value}", "evidence": "certified", "shown_by": [{shown}]}}}}"#
        )
    };
    let fails = [&head, run, &answer("FALSE", r#"{"lasso": "o1"}"#), &end(1)].join("\n");
    let holds = [&head, visited, &answer("TRUE", r#"{"visited": "v1"}"#), &end(1)].join("\n");
    let certify_fair = |evidence: &str, fair: &[&str]| {
        let instance = instance(&[("LTLFireability.jsonl", evidence)]);
        std::fs::write(instance.path().join("model.pnml"), &model).unwrap();
        std::fs::write(instance.path().join("LTLFireability.xml"), queries).unwrap();
        let (code, out, err) = certify(instance.path(), &[&[".", "proofs"], fair].concat());
        (code, out + &err)
    };
    let is = |(code, said): (i32, String), wanted: i32, words: &str| {
        assert!(code == wanted && said.contains(words), "{code}: {said}");
    };
    is(certify_fair(&fails, &[]), 0, "(A GF\"`t` fires\"): FALSE: confirmed");
    is(certify_fair(&fails, &["--fair", "weak"]), 4, "not weakly fair to transition `t`");
    is(certify_fair(&fails, &["--fair=strong:t"]), 4, "not strongly fair to transition `t`");
    is(
        certify_fair(&fails, &["--fair=strong:u"]),
        0,
        "runs strongly fair to `u`): FALSE: confirmed",
    );
    is(certify_fair(&holds, &["--fair=weak:t"]), 0, "runs weakly fair to `t`): TRUE: confirmed");
    is(certify_fair(&holds, &[]), 4, "");
    is(certify_fair(&holds, &["--fair=weak:u"]), 4, "");
    is(certify_fair(&holds, &["--fair=weak:x"]), 1, "--fair: the net has no transition `x`");
    is(certify_fair(&holds, &["--fair=fair"]), 1, "expected weak or strong");
}

#[test]
fn cases_have_no_position_after_their_end() {
    let steps = |number: usize| {
        let nexts = ["<next>".repeat(number), "</next>".repeat(number)];
        format!(
            "<property-set xmlns='http://mcc.lip6.fr/'><property><id>long</id><formula><all-paths>{}<true/>{}\
             </all-paths></formula></property></property-set>",
            nexts[0], nexts[1]
        )
    };
    let head = head("LTLFireability");
    let run = r#"{"lasso": {"id": "o1", "prefix": [["t", 2]], "dead": true}}"#;
    let visited = r#"{"visited": {"id": "v1", "markings": 3}}"#;
    let answer = |value: &str, shown: &str| {
        format!(
            r#"{{"answer": {{"id": "long", "value": "{value}", "evidence": "certified", "shown_by": [{shown}]}}}}"#
        )
    };
    let fails = [&head, run, &answer("FALSE", r#"{"lasso": "o1"}"#), &end(1)].join("\n");
    let holds = [&head, visited, &answer("TRUE", r#"{"visited": "v1"}"#), &end(1)].join("\n");
    let certify_cases = |evidence: &str, number: usize, cases: &[&str]| {
        let instance = instance(&[("LTLFireability.jsonl", evidence)]);
        std::fs::write(instance.path().join("LTLFireability.xml"), steps(number)).unwrap();
        let (code, out, err) = certify(instance.path(), &[&[".", "proofs"], cases].concat());
        (code, out + &err)
    };
    let cases = ["--cases", "--final=2*q"];
    for (evidence, number, cases, code) in [
        (&fails, 3, &cases[..], 0),
        (&holds, 3, &cases[..], 4),
        (&holds, 2, &cases[..], 0),
        (&fails, 2, &cases[..], 4),
        (&fails, 3, &[], 4),
        (&holds, 3, &[], 0),
        // The final marking p + q is no end of a case, because it enables t.
        (&fails, 3, &["--cases", "--final=p + q"], 1),
        // The run is no case, because its last marking is not final.
        (&fails, 3, &["--cases", "--final=3*q"], 4),
    ] {
        let (found, said) = certify_cases(evidence, number, cases);
        assert_eq!(found, code, "{number} {cases:?}: {said}");
    }
}

#[test]
fn truth_values_in_the_initial_marking_simplify_questions() {
    let file = |formula: &str| {
        format!(
            "<property-set xmlns='http://mcc.lip6.fr/'><property><id>f</id><formula>{formula}</formula>\
             </property></property-set>"
        )
    };
    let answer = |value: &str, shown: &str| {
        format!(r#"{{"answer": {{"id": "f", "value": "{value}", "evidence": "replayed"{shown}}}}}"#)
    };
    let exit_code = |model: &str, name: &str, formula: &str, lines: &[&str]| {
        let evidence = [&[&*head(name)], lines, &[&*end(1)]].concat().join("\n");
        let instance = instance(&[(&format!("{name}.jsonl"), &evidence)]);
        std::fs::write(instance.path().join("model.pnml"), model).unwrap();
        std::fs::write(instance.path().join(format!("{name}.xml")), file(formula)).unwrap();
        certify(instance.path(), &[".", "proofs"]).0
    };
    // With two tokens on p initially, the property is that the place is never marked.
    let none = |place: &str| {
        format!(
            "<integer-le><tokens-count><place>{place}</place></tokens-count>\
             <integer-constant>0</integer-constant></integer-le>"
        )
    };
    let formula = format!(
        "<all-paths><disjunction>{}<globally>{}</globally></disjunction></all-paths>",
        none("p"),
        none("q")
    );
    let trace = r#"{"trace": {"id": "w", "steps": [["t", 1]]}}"#;
    let after = |firings: u8| {
        answer("FALSE", &format!(r#", "shown_by": [{{"trace": "w", "after": {firings}}}]"#))
    };
    let name = "LTLCardinality";
    assert_eq!(exit_code(MODEL, name, &formula, &[trace, &after(1)]), 0);
    assert_eq!(exit_code(MODEL, name, &formula, &[trace, &after(0)]), 4);
    // If the initial marking is dead, no other marking is reachable.
    let dead = MODEL.replace("<text>2</text>", "<text>0</text>");
    let fireable = "<is-fireable><transition>t</transition></is-fireable>";
    let comes = format!(
        "<exists-path><finally><all-paths><finally>{fireable}</finally></all-paths></finally></exists-path>"
    );
    let stays = format!(
        "<all-paths><globally><exists-path><finally><negation>{fireable}</negation></finally>\
         </exists-path></globally></all-paths>"
    );
    let name = "CTLFireability";
    assert_eq!(exit_code(&dead, name, &comes, &[&answer("FALSE", "")]), 0);
    assert_eq!(exit_code(&dead, name, &comes, &[&answer("TRUE", "")]), 4);
    assert_eq!(exit_code(&dead, name, &stays, &[&answer("TRUE", "")]), 0);
    assert_eq!(exit_code(&dead, name, &stays, &[&answer("FALSE", "")]), 4);
    assert_eq!(exit_code(MODEL, name, &comes, &[&answer("FALSE", "")]), 4);
    assert_eq!(exit_code(MODEL, name, &stays, &[&answer("TRUE", "")]), 4);
}
