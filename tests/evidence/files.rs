//! Evidence files record the number of printed answers and the withdrawn answers. If writing fails,
//! no answer is lost, and the exit code shows the failure.

use crate::support::binary::{TestDirectory, objects, stdout};
use parikh_net::pnml::pnml;
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Returns the lines of an evidence file in `evidence/`.
fn lines(directory: &TestDirectory, name: &str) -> Vec<Value> {
    let text = directory.read(&format!("evidence/{name}.jsonl"));
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Returns the number of answers that are not withdrawn.
fn standing(lines: &[Value]) -> usize {
    let mut ids = std::collections::BTreeSet::new();
    for line in lines {
        if let Some(id) = line["answer"]["id"].as_str() {
            assert!(ids.insert(id), "a second answer to {id}");
        }
        if let Some(id) = line["withdrawn"]["id"].as_str() {
            assert!(ids.remove(id), "no answer to {id} before");
        }
    }
    ids.len()
}

#[track_caller]
fn ends_with(lines: &[Value], answers: usize) {
    assert_eq!(lines.last(), Some(&json!({"end": {"answers": answers}})), "{lines:#?}");
    assert_eq!(standing(lines), answers);
    assert_eq!(lines.iter().filter(|line| line.get("end").is_some()).count(), 1);
}

/// A token in a cycle of two places.
const ROUND: &str = "net round\nplace p 1\nplace q\ntransition t: p -> q\ntransition u: q -> p";

/// A question that is refused: a CTL formula beyond the supported fragment.
const REFUSED: &str = "x: A F X (EF q >= 1)";

#[test]
fn the_last_line_has_the_number_of_printed_answers() {
    let directory = TestDirectory::with(ROUND);
    for (examination, answers) in [("ReachabilityDeadlock", 1), ("Liveness", 1), ("StateSpace", 4)]
    {
        let said = directory.succeeds(&[
            "check",
            "model.pnml",
            "-e",
            examination,
            "--evidence",
            "evidence",
        ]);
        assert_eq!(said.lines().count(), answers);
        ends_with(&lines(&directory, examination), answers);
    }
    let (code, said, _) = directory.outputs(&[
        "check",
        "model.pnml",
        "--evidence",
        "evidence",
        "--formula",
        "a: EF q >= 1",
        "--formula",
        REFUSED,
        "--formula",
        "b: bound(p + q)",
    ]);
    assert_eq!((code, said.lines().count()), (3, 3), "{said}");
    ends_with(&lines(&directory, "Formulas"), 2);
}

/// Mutual exclusion of two processes, which walks cannot prove.
const MUTEX: &str = "place lock 1\nplace idle1 1\nplace in1\nplace idle2 1\nplace in2
    transition enter1: lock + idle1 -> in1\ntransition leave1: in1 -> lock + idle1
    transition enter2: lock + idle2 -> in2\ntransition leave2: in2 -> lock + idle2";

/// Returns the arguments for a run with walks only, limited to `time`.
fn walks<'a>(time: &'a str, formulas: &[&'a str]) -> Vec<&'a str> {
    let mut words =
        vec!["check", "model.pnml", "--engines", "walk", "--evidence", "evidence", "-t", time];
    formulas.iter().for_each(|formula| words.extend(["--formula", formula]));
    words
}

const NEVER: &str = "never: AG !(in1 >= 1 && in2 >= 1)";

#[test]
fn a_run_without_an_answer_ends_with_none() {
    let directory = TestDirectory::with(MUTEX);
    let (code, said, _) = directory.outputs(&walks("1s", &[NEVER]));
    assert_eq!(code, 3, "{said}");
    ends_with(&lines(&directory, "Formulas"), 0);
}

#[test]
fn a_run_that_is_interrupted_ends_its_file() {
    let directory = TestDirectory::with(MUTEX);
    let child = directory
        .command(&walks("100s", &[NEVER, "easy: EF in1 >= 1"]))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let begun = Instant::now();
    let is_answered = || {
        let file = std::fs::read_to_string(directory.at("evidence/Formulas.jsonl"));
        file.is_ok_and(|text| text.contains("{\"answer\""))
    };
    while !is_answered() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let kill = format!("kill -s TERM {}", child.id());
    let status = std::process::Command::new("sh").args(["-c", &kill]).status();
    assert!(status.expect("the shell runs").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(3));
    assert!(stdout(&output).contains("easy: TRUE"), "{}", stdout(&output));
    ends_with(&lines(&directory, "Formulas"), 1);
}

/// Returns a model that claims that all its places form a safe unit. A sequence of 31 firings
/// violates the claim, and short walks do not find it.
fn false_claim() -> String {
    let steps = 30;
    let mut net = "place a0 1\nplace b\nplace c\nplace d\n".to_owned();
    for at in 1..=steps {
        net += &format!(
            "place a{at}\ntransition on{at}: a{} -> a{at}\ntransition off{at}: a{at} -> a0\n",
            at - 1
        );
    }
    net += &format!(
        "transition split: a{steps} -> b + c\ntransition u: b -> d\ntransition x: c -> d\n"
    );
    let net = parikh_net::text::parse(&net).expect("a net");
    let places: Vec<&str> = net.places().map(|p| net.place_name(p)).collect();
    let claim = format!(
        "<toolspecific tool='nupn' version='1.1'><size places='{}' transitions='{}' arcs='{}'/><structure \
         units='2' root='root' safe='true'><unit id='root'><places/><subunits>all</subunits></unit><unit \
         id='all'><places>{}</places><subunits/></unit></structure></toolspecific></page>",
        net.place_count(),
        net.transition_count(),
        net.arc_count(),
        places.join(" ")
    );
    pnml(&net).replace("</page>", &claim)
}

#[test]
fn a_retracted_answer_is_withdrawn_before_its_replacement() {
    let directory = TestDirectory::new();
    directory.write("model.pnml", &false_claim());
    let said = directory.succeeds(&[
        "check",
        "model.pnml",
        "--evidence",
        "evidence",
        "--format",
        "json",
        "--formula",
        "safe: AG d <= 1",
        "--formula",
        "both: EF (b >= 1 && c >= 1)",
        "--engines",
        "explicit",
    ]);
    let said = objects(&said);
    let of_safe: Vec<(&str, &Value)> = said
        .iter()
        .filter(|line| line["id"] == "safe")
        .map(|line| (line["type"].as_str().expect("a type"), &line["value"]))
        .collect();
    let expected =
        [("answer", &json!("TRUE")), ("withdrawn", &Value::Null), ("answer", &json!("FALSE"))];
    assert_eq!(of_safe, expected, "{said:#?}");
    let written = lines(&directory, "Formulas");
    ends_with(&written, 2);
    let at =
        |what: &str| written.iter().position(|line| line[what]["id"] == "safe").expect("written");
    assert!(at("answer") < at("withdrawn"), "{written:#?}");
    let last = written.iter().rfind(|line| line["answer"]["id"] == "safe").expect("written");
    assert_eq!(last["answer"]["value"], "FALSE");
    // The text output is unambiguous, too.
    let words = ["check", "model.pnml", "--engines", "explicit", "--formula", "safe: AG d <= 1"];
    let text =
        directory.succeeds(&[&words[..], &["--formula", "both: EF (b >= 1 && c >= 1)"]].concat());
    assert!(text.contains("\nsafe: withdrawn — "), "{text}");
}

/// Returns arguments with 60 questions, and another one that is refused.
fn many() -> Vec<String> {
    let mut arguments = vec!["check".to_owned(), "model.pnml".to_owned()];
    for at in 0..60 {
        arguments.extend(["--formula".to_owned(), format!("f{at}: EF q >= {}", at % 2)]);
    }
    arguments.extend(["--formula".to_owned(), REFUSED.to_owned()]);
    arguments
}

#[track_caller]
fn all_are_printed_and_one_thing_is_said(output: &std::process::Output, file: &str) {
    let (said, told) = (stdout(output), String::from_utf8_lossy(&output.stderr).into_owned());
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert_eq!(said.lines().filter(|line| line.contains(": TRUE — ")).count(), 60, "{said}");
    assert!(said.contains("x: unknown — "), "{said}");
    assert_eq!(told.matches("cannot write").count(), 1, "{told}");
    assert!(
        told.contains(&format!("cannot write {file}")) && told.contains("incomplete"),
        "{told}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_no_answer() {
    let directory = TestDirectory::with(ROUND);
    std::fs::create_dir(directory.at("evidence")).expect("made");
    std::os::unix::fs::symlink("/dev/full", directory.at("evidence/Formulas.jsonl"))
        .expect("linked");
    let output = directory
        .command(&[])
        .args(many())
        .args(["--evidence", "evidence"])
        .output()
        .expect("starts");
    all_are_printed_and_one_thing_is_said(&output, "evidence/Formulas.jsonl: No space left");
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_leaves_a_file_without_an_end() {
    let directory = TestDirectory::with(ROUND);
    // Limits files to 4096 bytes, and ignores the signal for larger writes.
    let arguments = many().iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
    let line = format!(
        "trap '' XFSZ; ulimit -f 8; exec {} {arguments} --evidence evidence",
        env!("CARGO_BIN_EXE_parikh")
    );
    let output = std::process::Command::new("sh")
        .args(["-c", &line])
        .current_dir(directory.path())
        .output()
        .expect("a shell");
    all_are_printed_and_one_thing_is_said(&output, "evidence/Formulas.jsonl: File too large");
    let written = directory.read("evidence/Formulas.jsonl");
    let answers = written.matches("{\"answer\"").count();
    assert!((1..60).contains(&answers) && !written.contains("{\"end\""), "{answers}: {written}");
}

#[test]
fn an_unwritable_evidence_file_loses_no_answer() {
    let directory = TestDirectory::with(ROUND);
    std::fs::create_dir_all(directory.at("evidence/Formulas.jsonl")).expect("made");
    let output = directory
        .command(&[])
        .args(many())
        .args(["--evidence", "evidence"])
        .output()
        .expect("starts");
    all_are_printed_and_one_thing_is_said(&output, "evidence/Formulas.jsonl: Is a directory");
    // For traces, the first failure is named.
    for at in 0..60 {
        std::fs::create_dir_all(directory.at(&format!("traces/f{at}.trace"))).expect("made");
    }
    let output =
        directory.command(&[]).args(many()).args(["--trace", "traces"]).output().expect("starts");
    all_are_printed_and_one_thing_is_said(&output, "traces/f");
}

#[test]
fn the_file_of_an_earlier_run_is_replaced_or_removed() {
    let directory = TestDirectory::with(ROUND);
    let stale = "{\"evidence\": {}}\n".repeat(1000);
    directory.write("evidence/OneSafe.jsonl", &stale);
    directory.write("evidence/Liveness.jsonl", &stale);
    directory.succeeds(&["check", "model.pnml", "-e", "OneSafe", "--evidence", "evidence"]);
    ends_with(&lines(&directory, "OneSafe"), 1);
    assert_eq!(directory.read("evidence/Liveness.jsonl"), stale, "another examination's");
    // A run that fails before it writes leaves no older file that could be mistaken for its own.
    directory.write("broken.pnml", "no model");
    let told = directory
        .fails_with(1, &["check", "broken.pnml", "-e", "OneSafe", "--evidence", "evidence"]);
    assert!(told.contains("broken.pnml"), "{told}");
    assert!(!directory.at("evidence/OneSafe.jsonl").exists());
}
