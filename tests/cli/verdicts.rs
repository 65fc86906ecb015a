//! Command-line tests of `parikh verdicts` and `parikh properties`.

use crate::support::binary::{TestDirectory, repository, stderr, stdout};
use crate::support::outside::skipped;
use std::process::Command;

/// A cycle of p and q: safe, live, reversible.
const CYCLE: &str = "<pnml><net id='net'>
  <place id='p'><initialMarking><text>1</text></initialMarking></place><place id='q'/>
  <transition id='t'/><transition id='u'/>
  <arc id='1' source='p' target='t'/><arc id='2' source='t' target='q'/>
  <arc id='3' source='q' target='u'/><arc id='4' source='u' target='p'/>
</net></pnml>";

/// A transition that fires twice; then the net is dead.
const LINE: &str = "<pnml><net id='line'>
  <place id='p'><initialMarking><text>2</text></initialMarking></place><place id='q'/>
  <transition id='t'/>
  <arc id='1' source='p' target='t'/><arc id='2' source='t' target='q'/>
</net></pnml>";

fn folder() -> TestDirectory {
    let folder = TestDirectory::new();
    folder.write("Cycle-PT-1/model.pnml", CYCLE);
    folder.write("Line-PT-1/model.pnml", LINE);
    folder
}

/// Runs `parikh` and returns the exit code, stdout and stderr.
fn parikh(folder: &TestDirectory, arguments: &[&str]) -> (i32, String, String) {
    let output = folder.command(arguments).env("SOURCE_DATE_EPOCH", "0").output().unwrap();
    (output.status.code().unwrap(), stdout(&output), stderr(&output))
}

fn verdicts(model: &str, keys: &[(&str, &str)]) -> String {
    let mut text = format!(
        "<toolspecific tool='propertiesverdict' version='2.0'><modelreference modelname='{model}'/>"
    );
    for (key, value) in keys {
        text.push_str(&format!("<verdict category='GENERIC' reference='{key}' value='{value}'/>"));
    }
    text + "</toolspecific>"
}

#[test]
fn all_21_keys_are_found_with_reasons() {
    let folder = folder();
    let (code, stdout, stderr) = parikh(&folder, &["properties", "Line-PT-1"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    // The reasons of SAFE and DEADLOCK contain the length of a random walk.
    let values: Vec<&str> = stdout.lines().map(|line| line.split(" — ").next().unwrap()).collect();
    assert_eq!(
        values,
        [
            "ORDINARY: true",
            "SIMPLE_FREE_CHOICE: true",
            "EXTENDED_FREE_CHOICE: true",
            "STATE_MACHINE: true",
            "MARKED_GRAPH: false",
            "CONNECTED: true",
            "STRONGLY_CONNECTED: false",
            "SOURCE_PLACE: true",
            "SINK_PLACE: true",
            "SOURCE_TRANSITION: false",
            "SINK_TRANSITION: false",
            "LOOP_FREE: true",
            "CONSERVATIVE: true",
            "SUBCONSERVATIVE: true",
            "NESTED_UNITS: false",
            "SAFE: false",
            "DEAD_PLACES: false",
            "DEAD_TRANSITIONS: false",
            "DEADLOCK: true",
            "REVERSIBLE: false",
            "LIVE: false",
        ]
    );
    let (_, json, _) = parikh(&folder, &["properties", "Cycle-PT-1", "--format", "json"]);
    let lines: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 21);
    assert_eq!(lines[20]["key"], "LIVE");
    assert_eq!(lines[20]["value"], "true");
    assert_eq!(lines[20]["explanation"], "all 2 reachable markings were visited");
}

#[test]
fn a_file_of_our_own_is_valid_and_agrees_with_its_model() {
    let folder = folder();
    for name in ["Cycle-PT-1", "Line-PT-1"] {
        let (code, xml, _) = parikh(&folder, &["properties", name, "--format", "xml"]);
        assert_eq!(code, 0);
        let path = folder.path().join("own.xml");
        std::fs::write(&path, &xml).unwrap();
        let grammar = repository("tests/data/verdict.rng");
        let validated = Command::new("xmllint")
            .arg("--noout")
            .arg("--relaxng")
            .arg(grammar)
            .arg(&path)
            .output();
        match validated {
            Ok(output) => assert!(output.status.success(), "{xml}"),
            Err(_) => skipped("xmllint is not installed: nothing was validated"),
        }
        let model = name.split('-').next().unwrap();
        let (code, stdout, _) = parikh(&folder, &["verdicts", "check", "own.xml"]);
        assert_eq!(code, 0);
        assert!(
            stdout.starts_with(&format!(
                "own.xml: valid, version 2.0, model {model}: 21 verdicts, 21 of them on keys ("
            )),
            "{stdout}"
        );
        let (code, stdout, _) = parikh(&folder, &["verdicts", "compare", "own.xml", name]);
        assert_eq!(code, 0, "{stdout}");
        assert!(stdout.ends_with(
            "21 agree, 0 in conflict, 0 not computed, 0 computed but unknown in the file\n"
        ));
    }
    let xml = std::fs::read_to_string(folder.path().join("own.xml")).unwrap();
    assert!(xml.contains("<fire transition=\"t\" times=\"2\"/>"), "{xml}");
    assert!(xml.contains("date=\"1970-01-01T00:00:00Z\""));
}

#[test]
fn conflicts_and_unknown_keys_of_the_file_are_shown() {
    let folder = folder();
    let keys = [("STATE_MACHINE", "false"), ("LIVE", "unknown"), ("SAFE", "true")];
    folder.write("v.xml", &verdicts("Cycle", &keys));
    let (code, stdout, stderr) = parikh(&folder, &["verdicts", "compare", "v.xml", "Cycle-PT-1"]);
    assert_eq!(
        stdout,
        "STATE_MACHINE: CONFLICT, the file says false, but it is true — every transition has one \
         input place and one output place\n\
         LIVE: the file says unknown, it is true — all 2 reachable markings were visited\n\
         SAFE: agree on true — no place can hold two tokens\n\
         1 agree, 1 in conflict, 0 not computed, 1 computed but unknown in the file\n"
    );
    assert_eq!((code, stderr.as_str()), (1, "parikh: 1 verdict in v.xml contradicts the model\n"));
    let json = ["verdicts", "compare", "v.xml", "Cycle-PT-1", "--format", "json"];
    let (code, stdout, _) = parikh(&folder, &json);
    assert_eq!(code, 1);
    let summary: serde_json::Value = serde_json::from_str(stdout.lines().last().unwrap()).unwrap();
    assert_eq!((&summary["agree"], &summary["conflicts"]), (&1.into(), &1.into()));
}

#[test]
fn a_file_about_another_model_is_refused_by_name() {
    let folder = folder();
    folder.write("v.xml", &verdicts("Line", &[("SAFE", "true")]));
    let (code, stdout, stderr) =
        parikh(&folder, &["verdicts", "compare", "v.xml", "Cycle-PT-1/model.pnml"]);
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert_eq!(
        stderr,
        "parikh: v.xml: the verdicts are about the model `Line`, but the given net is `Cycle-PT-1` \
         or `net`; --force compares them anyway\n"
    );
    let forced = ["verdicts", "compare", "v.xml", "Cycle-PT-1", "--force"];
    assert_eq!(parikh(&folder, &forced).0, 0);
}

/// Otherwise nothing would be compared, and the exit code would not show it.
#[test]
fn a_file_about_another_instance_is_refused_by_name() {
    let folder = folder();
    folder.write("Cycle-PT-2/model.pnml", LINE);
    folder.write("v.xml", &parikh(&folder, &["properties", "Cycle-PT-1", "--format", "xml"]).1);
    let compare = ["verdicts", "compare", "v.xml", "Cycle-PT-2"];
    let (code, stdout, stderr) = parikh(&folder, &compare);
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert_eq!(
        stderr,
        "parikh: v.xml: the verdicts are about the instance `Cycle-PT-1`, but the given net is \
         `Cycle-PT-2` or `line`; --force compares them anyway\n"
    );
    // The files of `properties` name their instance in every verdict, and --force still compares.
    for other in ["Cycle-PT-2", "Line-PT-1"] {
        let forced = ["verdicts", "compare", "v.xml", other, "--force"];
        let (code, stdout, stderr) = parikh(&folder, &forced);
        assert!(stdout.contains("LIVE: CONFLICT, the file says true"), "{stdout}");
        assert!(!stdout.contains("not compared"), "{stdout}");
        assert_eq!(code, 1, "{stderr}");
    }
    let formula = "<toolspecific tool='propertiesverdict' version='2.0'><modelreference \
                   modelname='Cycle'/><verdict category='ReachabilityDeadlock' reference='RD' \
                   value='TRUE'/></toolspecific>";
    folder.write("v.xml", formula);
    let compare = ["verdicts", "compare", "v.xml", "Cycle-PT-1", "--force"];
    let (code, stdout, stderr) = parikh(&folder, &compare);
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert!(stderr.contains("no verdict is about one of the 21 keys"), "{stderr}");
}

#[test]
fn invalid_files_are_explained() {
    let folder = folder();
    folder.write("good.xml", &verdicts("m", &[("SAFE", "true")]));
    folder.write("bad.xml", &verdicts("m", &[("SAFE", "0")]));
    let (code, stdout, stderr) =
        parikh(&folder, &["verdicts", "check", "good.xml", "bad.xml", "none.xml"]);
    assert_eq!(code, 1);
    assert!(stdout.starts_with("good.xml: valid"), "{stdout}");
    assert!(
        stderr.starts_with(
            "bad.xml:1:85: found value `0`, expected `true`, `false` or `unknown`\n\
             none.xml: cannot be read: "
        ),
        "{stderr}"
    );
    assert!(stderr.ends_with("parikh: 2 of 3 files are not valid\n"), "{stderr}");
}

#[test]
fn keys_have_short_witnesses_and_name_the_unbounded_places() {
    let folder = folder();
    // After one firing of `go`, the initial marking is unreachable; `spin` and `back` keep it
    // reachable.
    folder.write(
        "model.net",
        "net n\nplace a 1\nplace b\nplace c\nplace d\nplace e\ntransition spin: a -> b\n\
         transition back: b -> a\ntransition go: b -> c\ntransition on: c -> d + e\n\
         transition off: d -> c\ntransition drop: e ->",
    );
    let (code, json, _) = parikh(&folder, &["properties", "model.net", "--format", "json"]);
    assert_eq!(code, 0);
    let keys: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let key = |name: &str| keys.iter().find(|key| key["key"] == name).unwrap();
    assert_eq!(key("REVERSIBLE")["trace_firings"], 2, "{json}");
    let safe = key("SAFE");
    assert_eq!(safe["unbounded_places"], serde_json::json!(["e"]));
    assert!(safe["explanation"].as_str().unwrap().ends_with("; unbounded: `e`"), "{safe}");
    assert!(keys.iter().all(|key| key["net"] == "model"), "{json}");
}
