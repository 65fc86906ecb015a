//! The model's claim that its units are safe (NUPN) is named in an answer if and only if the answer
//! assumes it.

use crate::support::binary::TestDirectory;

/// Returns a net in PNML: places with tokens, transitions as lists of inputs and outputs, and units
/// as lists of places that the model claims to be safe, if there are any.
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

/// Returns a cycle of p and q in one unit.
fn cycle() -> String {
    let transitions: [(&str, &[&str], &[&str]); 2] = [("t", &["p"], &["q"]), ("u", &["q"], &["p"])];
    pnml(&[("p", 1), ("q", 0)], &transitions, &[&["p", "q"]])
}

/// Returns a net where c is safe, but no place invariant implies it, because `lose` removes its
/// token. The net is dead afterwards.
fn lossy() -> String {
    pnml(
        &[("s", 1), ("b", 0), ("c", 0)],
        &[("give", &["s"], &["b", "c"]), ("back", &["b", "c"], &["s"]), ("lose", &["c"], &[])],
        &[&["s", "b"], &["c"]],
    )
}

/// Runs `parikh` and returns the exit code, stdout and stderr.
fn parikh(net: &str, arguments: &[&str]) -> (i32, String, String) {
    let directory = TestDirectory::new();
    directory.write("net.pnml", net);
    directory.outputs(arguments)
}

/// Returns the keys of a net from `parikh properties` in JSON.
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
fn the_claim_is_not_mentioned_if_flows_prove_the_same() {
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
    // A firing sequence assumes nothing.
    assert_eq!(keys["DEADLOCK"]["value"], "true");
    assert_eq!(keys["DEADLOCK"]["assumes_units"], false);
}

#[test]
fn a_net_without_units_is_not_said_to_use_them() {
    let bare = pnml(&[("p", 1)], &[("t", &["p"], &[])], &[]);
    let bare = keys(&bare);
    let bare = techniques(&bare["NESTED_UNITS"]);
    assert!(bare.contains(&"TOPOLOGICAL") && !bare.contains(&"USE_NUPN"), "{bare:?}");
    let cycle = keys(&cycle());
    assert!(techniques(&cycle["NESTED_UNITS"]).contains(&"USE_NUPN"));
}

/// Returns a model with the claim that one unit holds all places. Transition t marks b and c
/// together; then d receives two tokens.
fn false_claim() -> String {
    pnml(
        &[("a", 1), ("b", 0), ("c", 0), ("d", 0)],
        &[
            ("t", &["a"], &["b", "c"]),
            ("u", &["b"], &["d"]),
            ("x", &["c"], &["d"]),
            ("back", &["d", "d"], &["a"]),
        ],
        &[&["a", "b", "c", "d"]],
    )
}

const FALSE: &str = "the model's NUPN claim is false: unit `u0` holds 2 tokens after ";

#[test]
fn a_false_claim_is_reported_and_no_answer_uses_it() {
    let net = false_claim();
    // The maximum needs a replayed sequence that violates the claim. The other questions are asked
    // again.
    let formulas = ["bound(b)", "AG b + c <= 1", "EF (b >= 1 && c >= 1)", "bound(d)"];
    let mut arguments = vec!["check", "net.pnml", "-t", "3s", "--format", "json"];
    formulas.iter().for_each(|formula| arguments.extend(["--formula", formula]));
    let (code, stdout, stderr) = parikh(&net, &arguments);
    assert!(code == 0 || code == 3, "{code}: {stdout}{stderr}");
    assert!(stderr.matches(FALSE).count() == 1, "{stderr}");
    assert!(!stderr.contains("internal error"), "{stderr}");
    let lines: Vec<serde_json::Value> =
        stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // The last value of each: an answer that assumes the claim may precede the violation.
    let last = |id: &str| lines.iter().rfind(|line| line["id"] == id).map(|line| &line["value"]);
    assert_eq!(last("formula-2"), Some(&serde_json::json!("FALSE")), "{stdout}");
    assert_eq!(last("formula-3"), Some(&serde_json::json!("TRUE")), "{stdout}");
    for line in lines.iter().filter(|line| line["type"] == "answer") {
        assert!(line["id"] != "formula-3" || line["assumes_units"] == false, "{stdout}");
    }
    let summary = lines.last().unwrap();
    assert_eq!(summary["internal_errors"], 0);
    let breach = summary["false_unit_claim"].as_str().unwrap();
    assert!(breach.starts_with("unit `u0` holds 2 tokens after "), "{breach}");
}

#[test]
fn keys_do_not_use_a_claim_that_the_search_has_refuted() {
    let (code, stdout, stderr) =
        parikh(&false_claim(), &["properties", "net.pnml", "-t", "10s", "--format", "json"]);
    assert_ne!(code, 4, "{stderr}");
    let lines: Vec<serde_json::Value> =
        stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().all(|line| line["assumes_units"] != true), "{stdout}");
    let says = lines.iter().filter(|line| line["type"] == "false_unit_claim").count();
    assert_eq!((says, stderr.contains(FALSE)), (1, true), "{stdout}{stderr}");
    let key = |name: &str| lines.iter().rfind(|line| line["key"] == name).unwrap()["value"].clone();
    assert_ne!(key("SAFE"), "true");
    assert_ne!(key("DEAD_TRANSITIONS"), "true");
}

#[test]
fn invariants_say_what_is_proved_of_the_units() {
    let (code, stdout, _) = parikh(&cycle(), &["invariants", "net.pnml", "--bounds"]);
    assert_eq!(code, 0);
    assert!(stdout.contains("\nunit u0 is safe, proved\n"), "{stdout}");
    assert!(stdout.contains("2 of 2 proved safe"), "{stdout}");
    let (_, stdout, _) = parikh(&lossy(), &["invariants", "net.pnml", "--bounds"]);
    let expected = "\nunit u1 is safe if, as assumed, at most one token is on c\n";
    assert!(stdout.contains(expected), "{stdout}");
    let json = ["invariants", "net.pnml", "--bounds", "--format", "json"];
    let (_, stdout, _) = parikh(&lossy(), &json);
    let unit = |name: &str| -> serde_json::Value {
        let lines = stdout.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.into_iter().find(|line: &serde_json::Value| line["unit"] == name).unwrap()
    };
    assert_eq!((&unit("u0")["proved"], &unit("u1")["proved"]), (&true.into(), &false.into()));
    assert_eq!(unit("u1")["assumed_one_safe"], serde_json::json!(["c"]));
    // Without a claim, there is no note.
    let bare = pnml(&[("p", 1)], &[("t", &["p"], &[])], &[]);
    assert!(!parikh(&bare, &["invariants", "net.pnml", "--bounds"]).1.contains("unit"));
}

/// Returns a process of one step, whose model claims that its two places form a safe unit.
fn one_step(tokens: u32) -> String {
    pnml(&[("i", tokens), ("o", 0)], &[("t", &["i"], &["o"])], &[&["i", "o"]])
}

#[test]
fn the_claim_of_a_model_is_none_about_several_cases_or_a_token_put_on_the_source() {
    // The model's claim is about its own initial marking, not about two tokens, or about one token
    // if the model has none.
    for (tokens, k, last) in
        [(1, "2", "o"), (1, "2", "i"), (1, "3", "o"), (0, "1", "o"), (0, "2", "o")]
    {
        for kind in ["EasySoundness", "Soundness", "WeakSoundness", "RelaxedSoundness"] {
            let arguments = ["check", "net.pnml", "-e", kind, "--k", k, "--final", last];
            let (code, stdout, stderr) = parikh(&one_step(tokens), &arguments);
            // If the initial marking is final, every other marking violates the property, and `t`
            // is on no run to it.
            let expected = last == "o" || kind == "EasySoundness";
            let says = if expected { ": TRUE" } else { ": FALSE" };
            assert!(code == 0 && stdout.contains(says), "{tokens} {k} {last}: {stdout}{stderr}");
            let is_assumed = stdout.contains("assumed: the initial marking is one token");
            assert_eq!(is_assumed, tokens == 0, "{stdout}");
            assert!(!stdout.contains("unit") && stderr.is_empty(), "{stdout}{stderr}");
        }
    }
}
