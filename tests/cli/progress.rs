//! Messages of `parikh check` during and after its work: events, explanations, hints for the next
//! step.

use crate::support::binary::{TestDirectory, stderr, stdout};
use serde_json::Value;

/// Creates a net in which three tokens move back and forth between two places.
fn directory() -> TestDirectory {
    let mut net = String::from("net n\nplace p 3\nplace q\n");
    net.push_str("transition t: p -> q\ntransition u: q -> p\n");
    TestDirectory::with(&net)
}

const ASKED: [&str; 6] =
    ["check", "model.pnml", "--formula", "a: AG p + q = 3", "--formula", "b: bound(q)"];

#[test]
fn events_are_json_objects_and_printed_on_request_only() {
    let directory = directory();
    let objects = |more: &[&str]| -> Vec<Value> {
        let output = directory.run(&[&ASKED[..], &["--format", "json"], more].concat());
        let lines = stdout(&output);
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    assert!(objects(&[]).iter().all(|object| object["type"] != "progress"));
    for event in objects(&["--events"]).iter().filter(|object| object["type"] == "progress") {
        assert_eq!(event["questions"], 2);
        assert!(event["seconds_left"].is_number() && event["engines"].is_array(), "{event}");
    }
    let text = directory.run(&[&ASKED[..], &["--events"]].concat());
    assert_eq!(text.status.code(), Some(2), "{}", stderr(&text));
}

#[test]
fn the_explanation_of_an_answer_ends_with_the_answer() {
    let directory = directory();
    let output = directory.run(&[&ASKED[..], &["--explain", "b"]].concat());
    let story = stderr(&output);
    assert!(story.starts_with("parikh: explanation of b\n"), "{story}");
    assert!(story.contains(" s  intervals, with 4 goals open: "), "{story}");
    assert!(
        story.trim_end().lines().last().is_some_and(|last| last.contains(" s  3 by ")),
        "{story}"
    );
    // Only answers are written to stdout.
    assert_eq!(stdout(&output).lines().count(), 2);
    let wrong = directory.run(&[&ASKED[..], &["--explain", "c"]].concat());
    assert_eq!(wrong.status.code(), Some(2));
    assert_eq!(stderr(&wrong), "parikh: no question has the id c; the ids are a, b\n");
}

/// Ids are printed as one word. The word selects the question, too. An id that looks like a number
/// of the state space is printed like any other id.
#[test]
fn questions_are_asked_and_explained_by_their_printed_ids() {
    let directory = directory();
    let formula = |id: &str, place: &str| {
        format!(
            "<property><id>{id}</id><description/><formula><place-bound><place>{place}</place>\
             </place-bound></formula></property>"
        )
    };
    let queries = formula("b c", "q") + &formula("STATE_SPACE STATES", "nope");
    directory.write(
        "queries.xml",
        &format!("<property-set xmlns=\"http://mcc.lip6.fr/\">{queries}</property-set>"),
    );
    let ask = ["check", "model.pnml", "--formulas", "queries.xml"];
    let (code, said, _) = directory.outputs(&ask);
    assert_eq!(code, 3);
    assert!(said.contains("b\\u{20}c: 3 "), "{said}");
    assert!(said.contains("STATE_SPACE\\u{20}STATES: unknown"), "{said}");
    for id in ["b c", "b\\u{20}c"] {
        let (code, said, story) =
            directory.outputs(&[&ask[..], &["--id", id, "--explain", id]].concat());
        assert_eq!((code, said.lines().count()), (0, 1), "{said}");
        let explained = "parikh: explanation of b\\u{20}c\n";
        assert!(story.contains(explained) && story.contains(" s  3 by "), "{story}");
    }
    let many: String = (0..30).map(|number| format!("f{number}: bound(q)\n")).collect();
    directory.write("many.txt", &many);
    let ask = ["check", "model.pnml", "--formulas", "many.txt"];
    let message = directory.fails_with(2, &[&ask[..], &["--id", "f30"]].concat());
    assert!(message.contains("; the first ids are f0, ") && !message.contains("f20"), "{message}");
}

#[test]
fn questions_are_asked_by_their_ids() {
    let directory = directory();
    let output = directory.run(&[&ASKED[..], &["--id", "a"]].concat());
    let lines = stdout(&output);
    assert!(lines.starts_with("a: TRUE") && lines.lines().count() == 1, "{lines}");
    let wrong = directory.run(&["check", "model.pnml", "-e", "SS", "--id", "a"]);
    assert_eq!(wrong.status.code(), Some(2), "{}", stderr(&wrong));
}

#[test]
fn ids_are_accepted_as_printed_and_stay_unique() {
    let directory = directory();
    let bound = |id: &str, place: &str| {
        format!(
            "<property><id>{id}</id><description>d</description><formula><place-bound>\
             <place>{place}</place></place-bound></formula></property>"
        )
    };
    let questions = bound("a b", "q") + &bound("STATE_SPACE STATES", "nope");
    let file = format!("<property-set xmlns=\"http://mcc.lip6.fr/\">{questions}");
    directory.write("UpperBounds.xml", &format!("{file}</property-set>"));
    let check = ["check", "model.pnml", "-e", "UpperBounds"];
    let (code, said, _) = directory.outputs(&check);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("STATE_SPACE\\u{20}STATES: unknown — "), "{said}");
    // The second property is cut off. The question that was asked for stands before.
    directory.write("UpperBounds.xml", &file[..file.len() - 20]);
    let (code, said, _) = directory.outputs(&check);
    assert!(code == 3 && said.contains("(the\\u{20}rest\\u{20}of"), "{said}");
    let one = ["--id", "a\\u{20}b", "--explain", "a\\u{20}b"];
    let (code, said, noted) = directory.outputs(&[&check[..], &one].concat());
    assert_eq!(code, 0, "{said}{noted}");
    assert!(said.starts_with("a\\u{20}b: 3 ") && said.lines().count() == 1, "{said}");
    assert!(noted.contains("parikh: explanation of a\\u{20}b\n"), "{noted}");
}
