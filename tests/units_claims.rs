//! The model's claim that its units are safe (NUPN): named where an answer rests on it, and only
//! there.

use std::path::Path;
use std::process::Command;

/// A net in PNML: places with tokens, transitions as lists of inputs and outputs, and, when there
/// are any, units as lists of places that the model claims to be safe.
fn pnml(
    places: &[(&str, u32)],
    transitions: &[(&str, &[&str], &[&str])],
    units: &[&[&str]],
) -> String {
    let mut text = "<pnml><net id='net'><page id='page'>".to_owned();
    for (id, tokens) in places {
        text += &format!(
            "<place id='{id}'><initialMarking><text>{tokens}</text></initialMarking></place>"
        );
    }
    let mut arcs = 0;
    for (id, from, to) in transitions {
        text += &format!("<transition id='{id}'/>");
        let pairs = from.iter().map(|p| (*p, *id)).chain(to.iter().map(|p| (*id, *p)));
        for (source, target) in pairs {
            text += &format!("<arc id='a{arcs}' source='{source}' target='{target}'/>");
            arcs += 1;
        }
    }
    text += "</page>";
    if !units.is_empty() {
        let names: Vec<String> = (0..units.len()).map(|at| format!("u{at}")).collect();
        text += &format!(
            "<toolspecific tool='nupn' version='1.1'><size places='{}' transitions='{}' \
             arcs='{arcs}'/><structure units='{}' root='root' safe='true'><unit id='root'><places/>\
             <subunits>{}</subunits></unit>",
            places.len(),
            transitions.len(),
            units.len() + 1,
            names.join(" ")
        );
        for (name, places) in names.iter().zip(units) {
            text += &format!(
                "<unit id='{name}'><places>{}</places><subunits/></unit>",
                places.join(" ")
            );
        }
        text += "</structure></toolspecific>";
    }
    text + "</net></pnml>"
}

/// p and q in turns, in one unit.
fn cycle() -> String {
    let transitions: [(&str, &[&str], &[&str]); 2] = [("t", &["p"], &["q"]), ("u", &["q"], &["p"])];
    pnml(&[("p", 1), ("q", 0)], &transitions, &[&["p", "q"]])
}

/// c is safe, but no place invariant says so: `lose` takes its token away; dead afterwards.
fn lossy() -> String {
    pnml(
        &[("s", 1), ("b", 0), ("c", 0)],
        &[("give", &["s"], &["b", "c"]), ("back", &["b", "c"], &["s"]), ("lose", &["c"], &[])],
        &[&["s", "b"], &["c"]],
    )
}

/// Exit code, stdout, stderr.
fn parikh(net: &str, arguments: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), net, arguments)
}

fn run_in(folder: &Path, net: &str, arguments: &[&str]) -> (i32, String, String) {
    std::fs::write(folder.join("net.pnml"), net).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_parikh"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    (
        output.status.code().unwrap(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

/// The keys of a net as `parikh properties` prints them in JSON.
fn keys(net: &str) -> std::collections::HashMap<String, serde_json::Value> {
    let (_, stdout, stderr) = parikh(net, &["properties", "net.pnml", "--format", "json"]);
    let parse = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        (value["key"].as_str().unwrap().to_owned(), value)
    };
    let keys: std::collections::HashMap<_, _> = stdout.lines().map(parse).collect();
    assert_eq!(keys.len(), 21, "{stdout}{stderr}");
    keys
}

fn techniques(key: &serde_json::Value) -> Vec<&str> {
    key["techniques"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

#[test]
fn the_claim_is_not_named_where_flows_prove_as_much() {
    let keys = keys(&cycle());
    let safe = &keys["SAFE"];
    assert_eq!(safe["value"], "true");
    assert_eq!(safe["assumes_units"], false);
    assert_eq!(safe["explanation"], "no place can hold two tokens");
    assert!(!techniques(safe).contains(&"USE_NUPN"), "{safe}");
}

#[test]
fn the_claim_is_named_where_it_is_used() {
    let keys = keys(&lossy());
    let safe = &keys["SAFE"];
    assert_eq!(safe["value"], "true");
    assert_eq!(safe["assumes_units"], true);
    assert!(safe["explanation"].as_str().unwrap().contains("units are safe (NUPN)"), "{safe}");
    assert!(techniques(safe).contains(&"USE_NUPN"), "{safe}");
    // A firing sequence rests on nothing else.
    assert_eq!(keys["DEADLOCK"]["value"], "true");
    assert_eq!(keys["DEADLOCK"]["assumes_units"], false);
}

#[test]
fn a_net_without_units_is_not_said_to_use_them() {
    let bare = pnml(&[("p", 1)], &[("t", &["p"], &[])], &[]);
    assert_eq!(techniques(&keys(&bare)["NESTED_UNITS"]), ["TOPOLOGICAL"]);
    assert_eq!(techniques(&keys(&cycle())["NESTED_UNITS"]), ["USE_NUPN"]);
}
