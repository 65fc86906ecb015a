//! Command-line tests of soundness of processes and of reachability graphs.

use crate::support::binary::{TestDirectory, example, objects, stdout};
use parikh::evidence::audit::{Audit, AuditVerdict};
use parikh::evidence::question::cases::with_one_case;
use parikh::evidence::reader::marking::marking;
use parikh::evidence::reader::pnml;
use parikh::evidence::reader::queries::{self, typed};

/// Creates a directory with `orders.pnml`: rejecting an order ends the case while its goods are
/// being picked.
fn directory() -> TestDirectory {
    let directory = TestDirectory::new();
    directory.write("orders.pnml", &std::fs::read_to_string(example("orders.pnml")).unwrap());
    directory
}

/// Writes the variant `sound.pnml`, in which rejection leads to n4 (credit checked) instead of the
/// end n6, so that picking is completed first.
fn sound(directory: &TestDirectory) {
    let text = directory
        .read("orders.pnml")
        .replace("source=\"t3\" target=\"n6\"", "source=\"t3\" target=\"n4\"");
    directory.write("sound.pnml", &text);
}

#[test]
fn an_unsound_process_is_blamed_on_its_places_and_the_run_replays() {
    let directory = directory();
    let said =
        directory.succeeds(&["check", "orders.pnml", "-e", "Soundness", "--trace", "traces"]);
    assert!(said.starts_with("Soundness: FALSE — a case is done after "), "{said}");
    let left = said.contains("on `n3` (goods to pick)") || said.contains("on `n5` (goods picked)");
    assert!(left, "{said}");
    let replayed = directory.succeeds(&["replay", "orders.pnml", "traces/Soundness.trace"]);
    assert!(replayed.contains("n6"), "{replayed}");
    // Three cases start with three tokens, and the trace records this initial marking.
    let said =
        directory.succeeds(&["check", "orders.pnml", "-e", "S", "--k", "3", "--trace", "traces"]);
    assert!(said.starts_with("3-Soundness: FALSE — "), "{said}");
    let replayed = directory.succeeds(&["replay", "orders.pnml", "traces/3-Soundness.trace"]);
    assert!(replayed.starts_with("starting from 3*n1, not from the initial marking"), "{replayed}");
    let relaxed = directory.succeeds(&["check", "orders.pnml", "-e", "RelaxedSoundness"]);
    assert!(relaxed.contains("FALSE — transition `t3` (Reject) is on no run"), "{relaxed}");
    let easy = directory.succeeds(&["check", "orders.pnml", "-e", "ES", "--format", "json"]);
    assert_eq!(objects(&easy)[0]["value"], "TRUE");
}

#[test]
fn every_answer_about_a_process_is_confirmed_by_the_auditor() {
    let directory = directory();
    sound(&directory);
    let mut confirmed = 0;
    for model in ["orders.pnml", "sound.pnml"] {
        let net = pnml::read(directory.read(model).as_bytes()).unwrap().net;
        for (name, cases) in [
            ("Soundness", "1"),
            ("WeakSoundness", "1"),
            ("RelaxedSoundness", "1"),
            ("EasySoundness", "1"),
            ("Soundness", "2"),
        ] {
            let arguments = ["check", model, "-e", name, "--k", cases, "--evidence", "proofs"];
            let said = directory.succeeds(&arguments);
            let file = if cases == "1" { name.to_owned() } else { format!("{cases}-{name}") };
            let file = directory.at(&format!("proofs/{file}.jsonl"));
            let audit = || {
                let mut audit = Audit::new(&net, 1000, Box::new(|_| Err("no formulas".to_owned())));
                audit.file(&file).unwrap();
                audit.finish().judged.remove(0).verdict
            };
            let verdict = audit();
            assert!(matches!(verdict, AuditVerdict::Confirmed(_)), "{said}{verdict:?}");
            confirmed += 1;
            // The same evidence does not confirm the opposite answer.
            let text = std::fs::read_to_string(&file).unwrap();
            let (yes, no) = ("\"value\":\"TRUE\"", "\"value\":\"FALSE\"");
            let turned =
                if text.contains(yes) { text.replace(yes, no) } else { text.replace(no, yes) };
            assert_ne!(turned, text);
            std::fs::write(&file, turned).unwrap();
            let verdict = audit();
            assert!(matches!(verdict, AuditVerdict::Refused(_)), "{model} {name}: {verdict:?}");
        }
    }
    assert_eq!(confirmed, 10);
}

#[test]
fn the_violated_conditions_of_workflow_nets_are_reported_with_advice() {
    let directory = TestDirectory::with(
        "place i 1\nplace j\nplace o\nplace q\ntransition t: i -> o\ntransition u: j -> q",
    );
    let said = directory.fails_with(1, &["check", "model.pnml", "-e", "Soundness"]);
    assert!(said.contains("2 source places (`i`, `j`); 2 sink places (`o`, `q`)"), "{said}");
    assert!(said.contains("--final 'o'"), "{said}");
    let said = directory.succeeds(&["check", "model.pnml", "-e", "WeakSoundness", "--final", "o"]);
    assert!(said.starts_with("WeakSoundness: TRUE — every case can always be completed"), "{said}");
    let said = directory.succeeds(&["check", "model.pnml", "-e", "Soundness", "--final", "o"]);
    assert!(said.contains("FALSE — transition `u` can never fire"), "{said}");
    for (arguments, wrong) in
        [(["--final", "0"], "expected a marking with at least one token"), (["--k", "0"], "--k")]
    {
        let said = directory
            .fails_with(2, &[&["check", "model.pnml", "-e", "S"], &arguments[..]].concat());
        assert!(said.contains(wrong), "{said}");
    }
    let said = directory.fails_with(1, &["check", "model.pnml", "-e", "S", "--final", "x"]);
    assert!(said.contains("--final: the net has no place `x`"), "{said}");
    let said = directory.fails_with(2, &["check", "model.pnml", "-e", "OneSafe", "--k", "2"]);
    assert!(said.contains("apply to soundness, not to OneSafe"), "{said}");
    let info = directory.succeeds(&["info", "model.pnml"]);
    assert!(info.contains("not a workflow net: 2 source places"), "{info}");
    let info = self::directory().succeeds(&["info", "orders.pnml"]);
    assert!(info.contains("a workflow net, from `n1` (start) to `n6` (end)"), "{info}");
    assert!(info.lines().any(|line| line == "final        n6"), "{info}");
}

#[test]
fn several_initial_tokens_and_unreachable_ends_get_a_hint() {
    let directory = TestDirectory::with("place i 2\nplace o\ntransition t: i -> o");
    let (code, said, hint) = directory.outputs(&["check", "model.pnml", "-e", "Soundness"]);
    assert!(code == 0 && said.contains("Soundness: FALSE"), "{said}");
    assert!(
        hint.contains("put one token in the source and add --k 2, or add --final '2*o'"),
        "{hint}"
    );
    let (_, said, hint) = directory.outputs(&["check", "model.pnml", "-e", "S", "--final", "2*o"]);
    assert!(said.contains("TRUE") && !hint.contains("--k 2"), "{said}{hint}");
    // The final marking is unreachable, and the reason names where a case ends.
    let directory = TestDirectory::with(
        "place i 1\nplace p\nplace q\nplace o\ntransition t: i -> p + q\ntransition u: p -> p
         transition v: 2*q -> o",
    );
    let said = directory.succeeds(&["check", "model.pnml", "-e", "EasySoundness", "--final", "o"]);
    let gets =
        "unreachable (for example, a case goes on after 10000 firings, with tokens on `p`, `q`)";
    assert!(said.contains(gets), "{said}");
    let directory = TestDirectory::with(
        "place i 1\nplace q\nplace o\ntransition t: i -> q\ntransition v: 2*q -> o",
    );
    let said = directory.succeeds(&["check", "model.pnml", "-e", "EasySoundness", "--final", "o"]);
    assert!(
        said.contains("(for example, a case is stuck after 1 firing, with tokens on `q`)"),
        "{said}"
    );
}

#[test]
fn final_markings_of_other_tools_are_read_and_errors_located() {
    let directory = directory();
    let text = directory.read("orders.pnml");
    let one = "<place idref=\"n6\"><text>1</text></place>";
    let asked = |to: &str| {
        directory.write("other.pnml", &text.replace(one, to));
        directory.outputs(&["check", "other.pnml", "-e", "EasySoundness"])
    };
    // All places are listed, including those with 0 tokens, as ProM does.
    let (code, said, _) = asked(
        "<place idref=\"n1\"><text>0</text></place><place idref=\"n6\"><text> 1 </text></place>",
    );
    assert!(code == 0 && said.contains("TRUE"), "{said}");
    // A final marking without tokens is accepted.
    let (code, said, _) = asked("");
    assert!(code == 0 && said.contains("FALSE"), "{said}");
    assert!(said.contains("assumed: a case is done when no token is left"), "{said}");
    let (code, _, said) = asked("<place idref=\"n7\"><text>1</text></place>");
    assert!(code == 1 && said.contains("other.pnml:") && said.contains("`n7`"), "{said}");
    let (code, _, said) = asked("<place idref=\"n6\"><text>one</text></place>");
    assert!(code == 1 && said.contains("final marking of place `n6`: found `one`"), "{said}");
    let (code, _, said) = asked("<place><text>1</text></place>");
    assert!(code == 1 && said.contains("no attribute `idref`"), "{said}");
    let two = format!("{one}</marking><marking><place idref=\"n5\"><text>1</text></place>");
    let (code, said, _) = asked(&two);
    assert!(code == 0 && said.contains("to the final marking `n"), "{said}");
    let other = text.replace(
        "<arctype><text>normal</text></arctype>",
        "<arctype><text>inhibitor</text></arctype>",
    );
    directory.write("other.pnml", &other);
    let said = directory.fails_with(1, &["check", "other.pnml", "-e", "S"]);
    assert!(said.contains("`inhibitor`"), "{said}");
    // The auditor reads final markings, too, and reports the same errors.
    for (from, to, wrong) in [
        ("idref=\"n6\"", "idref=\"n7\"", "no place `n7`"),
        (
            "<text>1</text></place>\n      </marking>",
            "<text>x</text></place>\n      </marking>",
            "found `x`",
        ),
        (">normal<", ">reset<", "expected a net of plain arcs"),
        (">normal<", ">transport<", "`transport`"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        let error = pnml::read(changed.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(wrong), "{error}");
    }
    let read = pnml::read(text.as_bytes()).unwrap().net;
    assert_eq!(read.final_markings().len(), 1);
}

#[test]
fn a_final_marking_may_stand_in_the_places() {
    let directory = directory();
    let text = directory.read("orders.pnml");
    let (before, rest) = text.split_once("<finalmarkings>").unwrap();
    let (_, after) = rest.split_once("</finalmarkings>").unwrap();
    let final_in = |text: &str, id: &str, tokens: &str| {
        let place = format!("<place id=\"{id}\">");
        let inside = format!("{place}<finalMarking><text>{tokens}</text></finalMarking>");
        assert!(text.contains(&place));
        text.replace(&place, &inside)
    };
    let none = format!("{before}{after}");
    let mut ends = final_in(&none, "n6", "1");
    for place in ["n1", "n2"] {
        ends = final_in(&ends, place, "0");
    }
    directory.write("ends.pnml", &ends);
    let info = directory.succeeds(&["info", "ends.pnml"]);
    assert!(info.lines().any(|line| line == "final        n6"), "{info}");
    // Besides another final marking, it is one of two.
    directory.write("both.pnml", &final_in(&text, "n3", "1"));
    let info = directory.succeeds(&["info", "both.pnml"]);
    assert_eq!(info.lines().filter(|line| line.starts_with("final  ")).count(), 2, "{info}");
    // Labels without any token make no final marking.
    directory.write("none.pnml", &final_in(&none, "n6", "0"));
    directory.write("one.pnml", &final_in(&text, "n3", "0"));
    for (model, count) in [("none.pnml", 0), ("one.pnml", 1)] {
        let info = directory.succeeds(&["info", model]);
        assert_eq!(
            info.lines().filter(|line| line.starts_with("final  ")).count(),
            count,
            "{info}"
        );
    }
    for model in ["ends.pnml", "both.pnml", "none.pnml", "one.pnml"] {
        let read = pnml::read(directory.read(model).as_bytes()).unwrap().net;
        let prover = parikh::input::read_net(&directory.at(model)).unwrap();
        assert_eq!(read.final_markings(), prover.final_markings());
    }
    for (tokens, wrong) in [("x", "found `x`"), ("-1", "found `-1`")] {
        directory.write("wrong.pnml", &final_in(&none, "n6", tokens));
        let said = directory.fails_with(1, &["info", "wrong.pnml"]);
        assert!(said.contains(&format!("final marking of place `n6`: {wrong}")), "{said}");
        assert!(pnml::read(directory.read("wrong.pnml").as_bytes()).is_err());
    }
    let twice = ends.replace("<finalMarking>", "<finalMarking/><finalMarking>");
    directory.write("wrong.pnml", &twice);
    assert!(directory.fails_with(1, &["info", "wrong.pnml"]).contains("finalMarking"));
    assert!(pnml::read(twice.as_bytes()).is_err());
}

#[test]
fn a_graph_is_written_for_people_and_for_tools() {
    let directory = directory();
    directory.succeeds(&["check", "orders.pnml", "-e", "Soundness", "--trace", "traces"]);
    directory.succeeds(&[
        "graph",
        "orders.pnml",
        "-o",
        "g.svg",
        "--trace",
        "traces/Soundness.trace",
    ]);
    let svg = directory.read("g.svg");
    assert!(svg.starts_with("<svg ") && svg.contains("goods picked + end"), "{svg}");
    assert!(svg.contains("8 markings, 9 firings, 2 dead, 2 terminal components"), "{svg}");
    assert!(svg.contains("dead marking") && svg.contains("the firing sequence"), "{svg}");
    directory.succeeds(&["graph", "orders.pnml", "-o", "g.aut"]);
    let aut = directory.read("g.aut");
    assert!(aut.starts_with("des (0, 9, 8)\n(0, \"t1\", 1)\n"), "{aut}");
    assert_eq!(aut.lines().count(), 10);
    let way = "EF (n6 >= 1 && n3 >= 1)";
    directory.succeeds(&["graph", "orders.pnml", "-o", "g.json", "--formula", way]);
    let json = directory.json("g.json");
    assert_eq!(json["graph"], "reachability");
    assert_eq!(json["nodes"].as_array().unwrap().len(), 8);
    let on_path = |node: &&serde_json::Value| node["on_path"] == true;
    assert_eq!(json["nodes"].as_array().unwrap().iter().filter(on_path).count(), 3);
    assert_eq!(json["edges"].as_array().unwrap().iter().filter(on_path).count(), 2);
    let dot = directory.succeeds(&["graph", "orders.pnml"]);
    assert!(dot.starts_with("digraph markings {") && dot.contains("peripheries=2"), "{dot}");
    // The graph has too many markings.
    let said = directory.fails_with(3, &["graph", "orders.pnml", "--most", "3"]);
    assert!(said.contains("more than 3 markings are reachable"), "{said}");
    directory.succeeds(&["graph", "orders.pnml", "-o", "g.png"]);
    assert!(std::fs::read(directory.path().join("g.png")).unwrap().starts_with(b"\x89PNG"));
    let said = directory.fails_with(2, &["graph", "orders.pnml", "-o", "g.svg", "--width", "900"]);
    assert!(said.contains("--scale and --width require an output file FILE.png"), "{said}");
    let said = directory.fails_with(2, &["graph", "orders.pnml", "-o", "g.gif"]);
    assert!(said.contains("expected a name that ends in .svg"), "{said}");
    let said = directory.fails_with(1, &["graph", "missing.pnml"]);
    assert!(said.contains("missing.pnml"), "{said}");
}

#[test]
fn the_graph_of_an_unbounded_net_is_its_coverability_graph() {
    let directory = TestDirectory::with(
        "place i 1\nplace p\nplace o\ntransition t: i -> i + p\ntransition u: 2*p -> o",
    );
    let (code, dot, said) = directory.outputs(&["graph", "model.pnml"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("coverability graph (not the reachable markings)"), "{said}");
    assert!(dot.contains("ω·p") && dot.contains("coverability graph"), "{dot}");
    directory.succeeds(&["graph", "model.pnml", "-o", "g.json"]);
    assert_eq!(directory.json("g.json")["graph"], "coverability");
    assert!(directory.read("g.json").contains("\"omega\""));
    let said = directory.fails_with(3, &["graph", "model.pnml", "-o", "g.aut"]);
    assert!(said.contains("not the transition system of the net"), "{said}");
}

#[test]
fn the_figures_of_a_state_space_have_their_techniques() {
    let directory = directory();
    let said = directory.succeeds(&["states", "orders.pnml"]);
    let figures: Vec<Vec<&str>> =
        said.lines().map(|line| line.split("  ").filter(|it| !it.is_empty()).collect()).collect();
    let value = |key: &str| {
        let row = figures.iter().find(|row| row[0] == key).unwrap_or_else(|| panic!("{said}"));
        row[1].trim().to_owned()
    };
    let keys = ["markings", "firings", "most tokens in a marking", "most tokens in a place"];
    assert_eq!(keys.map(value), ["8", "9", "2", "1"]);
    let assumed = "; assumed: the information of the tool `ProM` is ignored [searched, ";
    assert!(said.contains(&format!("markings were visited{assumed}")), "{said}");
    let json = objects(&directory.succeeds(&["states", "orders.pnml", "--format", "json"]));
    let markings = json.iter().find(|it| it["figure"] == "markings").unwrap();
    assert_eq!((&markings["value"], &markings["type"]), (&8.into(), &"figure".into()));
    let unbounded = TestDirectory::with("place p 1\nplace q\ntransition t: p -> p + q");
    let said = unbounded.succeeds(&["states", "model.pnml"]);
    assert_eq!(said.matches("+inf").count(), 4, "{said}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_state_space_prints_the_known_figures() {
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;
    // The net has too many markings to explore. The most tokens are known from invariants or from a
    // diagram.
    let mut net = String::from("place toll 30\nplace paid\n");
    for at in 0..64 {
        net.push_str(&format!("place a{at} 1\nplace b{at}\n"));
        net.push_str(&format!("transition on{at}: a{at} + toll -> b{at} + paid\n"));
        net.push_str(&format!("transition off{at}: b{at} + paid -> a{at} + toll\n"));
    }
    for at in 0..63 {
        net.push_str(&format!("transition move{at}: b{at} + a{} -> a{at} + b{}\n", at + 1, at + 1));
    }
    let directory = TestDirectory::with(&net);
    let mut child = directory
        .command(&["states", "model.pnml", "--timeout", "30s"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = lines.next().expect("a figure").unwrap();
    // The shell's built-in `kill` is used, because the program may be missing.
    let kill = format!("kill -s TERM {}", child.id());
    assert!(std::process::Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    let code = child.wait().unwrap().code();
    assert!(!first.contains("unknown"), "{first}");
    // All figures may be known before the signal arrives.
    let all = rest.len() == 3 && !rest.iter().any(|line| line.contains("unknown"));
    assert_eq!(code, Some(if all { 0 } else { 3 }), "{first} {rest:?}");
    assert!(rest.len() <= 3, "{rest:?}");
}

#[test]
fn the_help_explains_soundness() {
    let help = stdout(&crate::support::binary::run(&["check", "--help"]));
    assert!(help.contains("RelaxedSoundness  every transition fires on some run"), "{help}");
}

#[test]
fn constraints_are_asked_of_every_case() {
    let directory = directory();
    directory.write("invoices.pnml", &std::fs::read_to_string(example("invoices.pnml")).unwrap());
    let ask = |model: &str, formula: &str| {
        let asked = ["check", model, "--cases", "--formula", formula, "--trace", "traces"];
        directory.succeeds(&asked)
    };
    let said = ask("invoices.pnml", "paid: precedence(Approve, Pay)");
    // One engine stops at the dead marking, another one where no continuation matters.
    assert!(said.starts_with("paid: FALSE — a run: after 4 firings, "), "{said}");
    let replayed = directory.succeeds(&["replay", "invoices.pnml", "traces/paid.trace"]);
    assert!(replayed.contains("marking: end"), "{replayed}");
    for (formula, holds) in [
        ("precedence(Receive, Pay)", true),
        ("not_co_existence(Reject, Pay)", true),
        ("chain_response(Receive, Approve)", false),
        ("E chain_response(Receive, Reject)", true),
        ("F (end = 1)", true),
    ] {
        let value = if holds { ": TRUE" } else { ": FALSE" };
        assert!(ask("invoices.pnml", formula).contains(value), "{formula}");
    }
    // In cases that end properly, a rejected order is not shipped.
    assert!(ask("orders.pnml", "not_co_existence(Reject, Ship)").contains(": TRUE"));
    let refused = |arguments: &[&str]| directory.fails_with(2, arguments);
    let formula = "precedence(Approve, Pay)";
    let stderr = refused(&["check", "invoices.pnml", "--formula", formula, "--final", "end"]);
    assert!(stderr.contains("--cases"), "{stderr}");
    let unanswered = ["check", "invoices.pnml", "--cases", "--final", "paid", "--formula", formula];
    let (code, _, stderr) = directory.outputs(&unanswered);
    assert!(code == 3 && stderr.contains("enabled in a final marking"), "{stderr}");
}

/// Two transitions are named "ship", and one of them also has this id. A case that ships without
/// packing fires `ship`.
const TWO_OF_A_NAME: &str = "<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/ptnet'>
  <place id='i'><initialMarking><text>1</text></initialMarking></place><place id='m'/><place id='o'/>
  <transition id='ship'><name><text>ship</text></name></transition>
  <transition id='pack'><name><text>pack</text></name></transition>
  <transition id='n7'><name><text>ship</text></name></transition>
  <arc id='a' source='i' target='ship'/><arc id='b' source='ship' target='o'/>
  <arc id='c' source='i' target='pack'/><arc id='d' source='pack' target='m'/>
  <arc id='e' source='m' target='n7'/><arc id='f' source='n7' target='o'/>
  <finalmarkings><marking><place idref='o'><text>1</text></place></marking></finalmarkings>
</net></pnml>";

#[test]
fn a_constraint_over_a_name_means_also_the_transition_whose_id_is_the_name() {
    let directory = TestDirectory::new();
    for id in ["ship", "n6"] {
        let text = TWO_OF_A_NAME
            .replace("id='ship'", &format!("id='{id}'"))
            .replace("'ship'", &format!("'{id}'"));
        directory.write("n.pnml", &text);
        for (formula, value) in [
            ("precedence(pack, ship)", "FALSE"),
            ("existence(pack)", "FALSE"),
            ("existence(ship)", "TRUE"),
            ("absence2(\"ship\")", "TRUE"),
            ("F fires(\"ship\")", "TRUE"),
            ("F fires(n7)", "FALSE"),
        ] {
            let arguments =
                ["check", "n.pnml", "--cases", "--formula", formula, "--evidence", "ev"];
            let said = directory.succeeds(&arguments);
            assert!(said.starts_with(&format!("formula-1: {value} — ")), "{id} {formula}: {said}");
            let means = format!("\"ship\" means transitions `{id}`, `n7`");
            assert_eq!(said.contains(&means), formula.contains("ship"), "{formula}: {said}");
            let json = directory.succeeds(&[&arguments[..], &["--format", "json"]].concat());
            let named = &objects(&json)[0]["named"];
            let expected = serde_json::json!({"name": "ship", "kind": "transition", "ids": [id, "n7"], "by": "name"});
            let is_said = named.as_array().unwrap().contains(&expected);
            assert_eq!(is_said, formula.contains("ship"), "{json}");
            let plain = pnml::read(text.as_bytes()).unwrap().net;
            let net = with_one_case(&plain, &[]).unwrap();
            let asked = |_: &str| {
                let mut asked = vec![typed::read_one(&net, formula, &queries::read_of_cases)];
                typed::name_unnamed(&mut asked);
                Ok(asked)
            };
            let mut audit = Audit::new(&net, 1000, Box::new(asked));
            audit.file(&directory.at("ev/Formulas.jsonl")).unwrap();
            let verdict = audit.finish().judged.remove(0).verdict;
            assert!(matches!(verdict, AuditVerdict::Confirmed(_)), "{formula}: {verdict:?}");
        }
    }
}

#[test]
fn final_markings_name_places_as_formulas_do() {
    let place =
        |id: &str, name: &str| format!("<place id='{id}'><name><text>{name}</text></name></place>");
    let text = TWO_OF_A_NAME
        .replace("<place id='o'/>", &(place("o", "the end") + &place("x", "o") + &place("y", "o")))
        .replace("idref='o'", "idref='x'");
    let directory = TestDirectory::new();
    directory.write("n.pnml", &text);
    let model = pnml::read(text.as_bytes()).unwrap().net;
    let audited = |text: &str| marking(&model, text);
    for name in ["o", "\"the end\"", "id \"o\""] {
        let said = directory.succeeds(&["check", "n.pnml", "-e", "ES", "--final", name]);
        assert!(said.contains("EasySoundness: TRUE"), "{name}: {said}");
        assert_eq!(audited(name), audited("o"), "{name}");
    }
    for name in ["\"o\"", "\"o\" + o"] {
        let stderr = directory.fails_with(1, &["check", "n.pnml", "-e", "ES", "--final", name]);
        assert!(stderr.contains("`o` is the label of 2 places: `x`, `y`"), "{stderr}");
        assert!(audited(name).is_err(), "{name}");
    }
}

#[test]
fn answers_distinguish_an_id_from_an_equal_name() {
    let directory = TestDirectory::new();
    directory.write("n.pnml", &TWO_OF_A_NAME.replace("<text>pack</text>", "<text>n7</text>"));
    let formula = "EF (fireable(\"n7\") && !fireable(n7))";
    let said = directory.succeeds(&["check", "n.pnml", "--formula", formula]);
    assert!(said.contains("; \"n7\" means transition `pack`; n7 means transition `n7`"), "{said}");
    let json = directory.succeeds(&["check", "n.pnml", "--formula", formula, "--format", "json"]);
    let named = objects(&json)[0]["named"].clone();
    let expected = serde_json::json!([
        {"name": "n7", "kind": "transition", "ids": ["pack"], "by": "name"},
        {"name": "n7", "kind": "transition", "ids": ["n7"], "by": "id"},
    ]);
    assert_eq!(named, expected);
}

#[test]
fn the_file_of_an_unfolding_keeps_the_names_of_coloured_nodes() {
    let directory = TestDirectory::new();
    let coloured = std::fs::read_to_string(example("philosophers-coloured.pnml")).unwrap();
    let coloured = coloured
        .replace("<name><text>take_left</text></name>", "<name><text>pick up</text></name>")
        .replace("<name><text>eat</text></name>", "<name><text>at dinner</text></name>");
    directory.write("c.pnml", &coloured);
    directory.succeeds(&["unfold", "c.pnml", "-o", "flat.pnml"]);
    for (formula, value) in [
        ("EF \"at dinner\" >= 1", "TRUE"),
        ("EF \"at dinner\" >= 2", "FALSE"),
        ("A F fires(\"pick up\")", "TRUE"),
    ] {
        let said = directory.succeeds(&["check", "flat.pnml", "--formula", formula]);
        assert!(said.starts_with(&format!("formula-1: {value} — ")), "{formula}: {said}");
    }
    let refused =
        directory.fails_with(2, &["check", "c.pnml", "--cases", "--formula", "init(take_left)"]);
    assert!(refused.contains("questions about cases of coloured nets"), "{refused}");
}

#[test]
fn a_word_that_several_nodes_have_as_their_name_is_refused_with_the_candidates() {
    let directory = TestDirectory::new();
    let text = TWO_OF_A_NAME.replace("id='ship'", "id='n6'").replace("'ship'", "'n6'");
    directory.write("n.pnml", &text);
    let refused = |arguments: &[&str]| {
        let (code, said, stderr) = directory.outputs(arguments);
        assert_ne!(code, 0, "{said}");
        assert!(stderr.contains("`ship` is the label of 2 transitions: `n6`, `n7`"), "{stderr}");
    };
    refused(&["check", "n.pnml", "--formula", "EF fireable(ship)"]);
    refused(&["check", "n.pnml", "--fair", "weak:ship", "--formula", "F fires(pack)"]);
    refused(&["draw", "n.pnml", "--highlight", "ship", "-o", "n.svg"]);
    let fair = ["check", "n.pnml", "--fair", "weak:\"ship\"", "--formula", "F fires(pack)"];
    let said = directory.succeeds(&fair);
    assert!(said.contains("FALSE — ") && said.contains("\"ship\" means "), "{said}");
    directory.succeeds(&["draw", "n.pnml", "--highlight", "\"ship\",pack", "-o", "n.svg"]);
}
