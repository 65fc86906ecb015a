//! Command-line tests of `parikh` on coloured models.

use crate::audit::audit;
use crate::reader::{SORTS, arc, place, pnml};
use crate::support::binary::TestDirectory;
use parikh::evidence::audit::AuditVerdict;

/// Creates a model in which tokens move round a ring of three nodes. Two tokens that meet on `a`
/// are removed, and each is counted on a black place.
fn directory() -> TestDirectory {
    let x = "<variable refvariable=\"vx\"/>";
    let a = "<useroperator declaration=\"ra\"/>";
    let next = format!("<successor><subterm>{x}</subterm></successor>");
    let two = |term: &str| {
        format!(
            "<numberof><subterm><numberconstant value=\"2\"><positive/></numberconstant></subterm><subterm>{term}</subterm></numberof>"
        )
    };
    let page = place(
        "at",
        "ring",
        &format!(
            "<add><subterm>{a}</subterm><subterm><useroperator declaration=\"rb\"/></subterm></add>"
        ),
    ) + &place("off", "dot", "")
        + &place("never", "level", "")
        + "<transition id=\"step\"/><transition id=\"fall\"/><transition id=\"idle\"/>"
        + &arc("at", "step", x)
        + &arc("step", "at", &next)
        + &arc("at", "fall", &two(a))
        + &arc("fall", "off", &two("<dotconstant/>"))
        + &arc("never", "idle", "<variable refvariable=\"vl\"/>");
    let directory = TestDirectory::new();
    directory.write("model.pnml", &pnml(SORTS, &page));
    directory
}

fn answer(directory: &TestDirectory, examination: &str) -> String {
    let text = directory.succeeds(&["check", "model.pnml", "-e", examination]);
    text.split(" — ").next().unwrap().trim().to_owned()
}

#[test]
fn the_answer_states_that_tokens_are_counted_per_colour() {
    let text = directory().succeeds(&["check", "model.pnml", "-e", "StateSpace"]);
    let per_colour = "; in each place, the tokens of each colour are counted separately";
    for line in text.lines() {
        let is_about_places = line.starts_with("max token in place: ");
        assert_eq!(line.contains(per_colour), is_about_places, "{line}");
    }
    // Both tokens may have the same colour on `at`, and no colour can have more.
    assert!(text.contains("max token in place: 2 — "), "{text}");
}

#[test]
fn examinations_are_about_coloured_nodes() {
    let directory = directory();
    // The place `at` holds two tokens of different colours, and `idle` has no enabled binding.
    assert_eq!(answer(&directory, "OneSafe"), "OneSafe: FALSE");
    assert_eq!(answer(&directory, "QuasiLiveness"), "QuasiLiveness: FALSE");
    assert_eq!(answer(&directory, "StableMarking"), "StableMarking: TRUE");
    assert_eq!(answer(&directory, "ReachabilityDeadlock"), "ReachabilityDeadlock: TRUE");
    // Two different colours, two equal colours, and both tokens removed: 3 + 3 + 1 markings.
    let space = directory.succeeds(&["check", "model.pnml", "-e", "StateSpace"]);
    assert!(space.contains("states: 7 "), "{space}");
}

#[test]
fn formulas_name_coloured_places_and_their_colours() {
    let directory = directory();
    let ask = |formula: &str| {
        let text = directory.succeeds(&["check", "model.pnml", "--formula", formula]);
        text.split(" — ").next().unwrap().trim().replace("formula-1: ", "")
    };
    assert_eq!(ask("AG at + off = 2"), "TRUE");
    assert_eq!(ask("EF fireable(idle)"), "FALSE");
    assert_eq!(ask("EF fireable(fall)"), "TRUE");
    assert_eq!(ask("EF never >= 1"), "FALSE");
    assert_eq!(ask("bound(at)"), "2");
    assert_eq!(ask("bound(never)"), "0");
    assert_eq!(ask("bound(\"at(a)\" + off)"), "2");
    assert_eq!(ask("EF \"at(b)\" >= 3"), "FALSE");
    let (code, _, stderr) =
        directory.outputs(&["check", "model.pnml", "--formula", "EF nowhere >= 1"]);
    assert_eq!(code, 1, "{stderr}");
}

#[test]
fn witnesses_name_bindings_and_replay_by_the_coloured_firing_rule() {
    let directory = directory();
    directory.succeeds(&["check", "model.pnml", "-e", "RD", "--trace", "traces"]);
    let trace = directory.read("traces/ReachabilityDeadlock.trace");
    assert!(trace.contains("\nstep(x="), "{trace}");
    let replayed =
        directory.succeeds(&["replay", "model.pnml", "traces/ReachabilityDeadlock.trace"]);
    assert!(replayed.contains("marking: off{2'.}"), "{replayed}");
    // A trace with handwritten spacing.
    directory.write("own.trace", "step(x = b)\n\"step( x=c )\"\nfall\n");
    let replayed = directory.succeeds(&["replay", "model.pnml", "own.trace"]);
    assert!(replayed.starts_with("3 firings replayed on coloured net n\n"), "{replayed}");
    for (trace, problem) in [
        (
            "fall\n",
            "line 1: after 0 firings, `fall`: place `at` holds 1 of a, but the transition takes 2",
        ),
        ("step\n", "line 1: `x` has no colour"),
        ("step(x=d)\n", "line 1: `d` is not a colour of `Ring`"),
        ("step(x=a,x=b)\n", "line 1: `x` has two colours"),
        ("leap(x=a)\n", "line 1: `leap(x=a)` is not a transition"),
    ] {
        directory.write("wrong.trace", trace);
        let stderr = directory.fails_with(1, &["replay", "model.pnml", "wrong.trace"]);
        assert!(stderr.contains(problem), "{stderr}");
    }
}

#[test]
fn a_lasso_replays_by_the_coloured_firing_rule() {
    let directory = directory();
    let formula = "E (G F fires(step))";
    directory.succeeds(&["check", "model.pnml", "--formula", formula, "--trace", "traces"]);
    let replayed = directory.succeeds(&["replay", "model.pnml", "traces/formula-1.trace"]);
    assert!(replayed.contains("back to the same marking and can repeat forever"), "{replayed}");
    for (trace, problem) in [
        ("step(x=a)\n@repeat\n", "no transitions follow @repeat"),
        ("@repeat\nstep(x=a)\n", "the transitions after @repeat take"),
        ("# from: at(a)\nstep(x=a)\n", "line 1: a trace with `# from:` can be replayed on"),
    ] {
        directory.write("wrong.trace", trace);
        let stderr = directory.fails_with(1, &["replay", "model.pnml", "wrong.trace"]);
        assert!(stderr.contains(problem), "{stderr}");
    }
}

#[test]
fn models_too_large_to_unfold_are_answered_without_unfolding() {
    let directory = TestDirectory::new();
    let sorts = r#"
        <namedsort id="dot" name="dot"><dot/></namedsort>
        <namedsort id="big" name="Big"><finiteintrange start="1" end="3000"/></namedsort>
        <variabledecl id="vx" name="x"><usersort declaration="big"/></variabledecl>
        <variabledecl id="vy" name="y"><usersort declaration="big"/></variabledecl>"#;
    let all = "<all><usersort declaration=\"big\"/></all>";
    let [x, y] = ["vx", "vy"].map(|name| format!("<variable refvariable=\"{name}\"/>"));
    let page = place("p", "big", all)
        + &place("q", "big", all)
        + &place("met", "dot", "")
        + "<transition id=\"meet\"/>"
        + &arc("p", "meet", &x)
        + &arc("q", "meet", &y)
        + &arc("meet", "met", "<dotconstant/>");
    directory.write("model.pnml", &pnml(sorts, &page));
    assert!(
        directory.fails_with(3, &["unfold", "model.pnml"]).contains("at least 4000001 bindings")
    );
    let info = directory.succeeds(&["info", "model.pnml", "--format", "json"]);
    assert!(info.contains("\"not_unfolded\":\"the coloured net"), "{info}");
    assert_eq!(answer(&directory, "OneSafe"), "OneSafe: FALSE");
    assert_eq!(answer(&directory, "QuasiLiveness"), "QuasiLiveness: TRUE");
    assert_eq!(answer(&directory, "StableMarking"), "StableMarking: FALSE");
    let formulas = ["--formula", "bound(met)", "--formula", "EF met >= 1 & p + q = 5999"];
    let text = directory.succeeds(&[&["check", "model.pnml"], &formulas[..]].concat());
    assert!(text.contains("formula-1: 3000"), "{text}");
    assert!(text.contains("even with colours merged"), "{text}");
    assert!(text.contains("formula-2: FALSE"), "{text}");

    // Two tokens of different colours: the transition would be enabled if colours were erased.
    let page = page
        + "<transition id=\"pair\"/>"
        + &arc(
            "p",
            "pair",
            &format!(
                "<numberof><subterm><numberconstant value=\"2\"><positive/></numberconstant></subterm>\
             <subterm>{x}</subterm></numberof>"
            ),
        );
    directory.write("pair.pnml", &pnml(sorts, &page));
    let formulas = ["--formula", "fireable(pair)", "--formula", "p >= 3000 && EF met >= 1"];
    let (code, text, _) = directory.outputs(&[&["check", "pair.pnml"], &formulas[..]].concat());
    let unknown =
        "formula-1: unknown — a formula about runs, or about the transitions enabled initially";
    assert!(code == 3 && text.contains(unknown), "{text}");
    assert!(text.contains("formula-2: TRUE"), "{text}");

    let arguments = ["check", "model.pnml", "-e", "RD", "--trace", "traces", "--format", "json"];
    let text = directory.succeeds(&arguments);
    assert!(text.contains("\"value\":\"TRUE\""), "{text}");
    assert_eq!(text.matches("\"type\":\"summary\"").count(), 1, "{text}");
    let replayed =
        directory.succeeds(&["replay", "model.pnml", "traces/ReachabilityDeadlock.trace"]);
    assert!(replayed.contains("3000 firings replayed on coloured net n"), "{replayed}");
    assert!(replayed.contains("marking: met{3000'.}"), "{replayed}");

    // Evidence files are about the unfolding, or about a quotient with equivalent colours merged.
    // If neither exists, no file is written.
    let text = directory.succeeds(&["check", "model.pnml", "-e", "RD", "--evidence", "proofs"]);
    assert!(text.contains("equivalent colours merged [certified"), "{text}");
    let model = parikh::evidence::coloured::read(directory.read("model.pnml").as_bytes()).unwrap();
    let (report, broken) = audit(&directory, &model, "ReachabilityDeadlock", 100_000);
    let [judged] = &report.judged[..] else { panic!("{broken}") };
    assert!(matches!(judged.verdict, AuditVerdict::Confirmed(_)), "{judged:?}");
    directory.fails_with(3, &["check", "pair.pnml", "-e", "RD", "--evidence", "proofs"]);
}

#[test]
fn the_unfolding_and_its_map_are_for_other_tools() {
    let directory = directory();
    let (code, _, stderr) =
        directory.outputs(&["unfold", "model.pnml", "-o", "flat.pnml", "--map", "map.json"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stderr.contains("3 coloured places and 3 coloured transitions unfold to 4 places and 4 "),
        "{stderr}"
    );
    let map = directory.json("map.json");
    assert_eq!(map["places"]["at"], serde_json::json!(["at(a)", "at(b)", "at(c)"]));
    assert_eq!(map["places"]["never"], serde_json::json!([]));
    let bindings = serde_json::json!(["step(x=a)", "step(x=b)", "step(x=c)"]);
    assert_eq!(map["transitions"]["step"], bindings);
    // On the unfolded net the question is different: it is about each place separately.
    let flat = directory.succeeds(&["check", "flat.pnml", "--formula", "bound(\"at(a)\")"]);
    assert!(flat.contains(": 2"), "{flat}");
    let stderr = directory.fails_with(1, &["unfold", "flat.pnml"]);
    assert!(stderr.contains("expected a coloured net, and this net has no colours"), "{stderr}");
    let stderr = directory.fails_with(3, &["unfold", "model.pnml", "--limit", "2"]);
    assert!(stderr.contains("at least 3 bindings may fire"), "{stderr}");
}

#[test]
fn every_command_takes_a_coloured_model() {
    let directory = directory();
    let info = directory.succeeds(&["info", "model.pnml"]);
    assert!(info.contains("coloured"), "{info}");
    assert!(directory.succeeds(&["invariants", "model.pnml"]).contains("off"));
    directory.outputs(&["reduce", "model.pnml", "--preserve", "deadlock", "-o", "small.pnml"]);
    assert!(directory.read("small.pnml").contains("ptnet"));
    let encoded =
        directory.succeeds(&["encode", "model.pnml", "--goal", "deadlock", "-e", "state-equation"]);
    assert!(encoded.contains("at(a)"), "{encoded}");
    assert!(directory.outputs(&["properties", "model.pnml"]).1.contains("DEADLOCK"));
}

#[test]
fn colours_follow_their_place_in_formulas() {
    let directory = directory();
    let ask = |formula: &str| {
        let text = directory.succeeds(&["check", "model.pnml", "--formula", formula]);
        text.split(" — ").next().unwrap().trim().replace("formula-1: ", "")
    };
    assert_eq!(ask("EF at(b) >= 2"), "TRUE");
    assert_eq!(ask("EF at(b) >= 3"), "FALSE");
    assert_eq!(ask("EF at( a ) = 2 && off = 0"), "TRUE");
    assert_eq!(ask("bound(at(a) + off)"), "2");
    // A colour that never occurs has no place in the unfolding, and no tokens.
    assert_eq!(ask("AG never(2) = 0"), "TRUE");
    assert_eq!(ask("EF tokens(never(3), at(c)) >= 2"), "TRUE");
    for (formula, problem) in [
        ("EF at(d) >= 1", "`d` is not a colour of place `at`, whose tokens have the sort `Ring`"),
        (
            "EF never(a) >= 1",
            "`a` is not a colour of place `never`, whose tokens have the sort `Level`",
        ),
        ("EF at(a,b) >= 1", "`a,b` is not a colour of place `at`"),
        ("EF step(a) >= 1", "`step(`"),
    ] {
        let stderr = directory.fails_with(1, &["check", "model.pnml", "--formula", formula]);
        assert!(stderr.contains(problem), "{stderr}");
    }
}

#[test]
fn multisets_of_the_2011_grammar_have_colours() {
    let directory = directory();
    let ask = |formula: &str| {
        directory.write("f.txt", &format!("f = {formula}\n"));
        let (code, stdout, stderr) = directory.outputs(&[
            "check",
            "model.pnml",
            "--formulas",
            "f.txt",
            "--language",
            "2011",
        ]);
        match code {
            0 => stdout.split(" — ").next().unwrap().trim().replace("f: ", ""),
            _ => stderr,
        }
    };
    assert_eq!(ask("reachable (at contains {2*[b]})"), "TRUE");
    assert_eq!(ask("reachable (at contains {2*[b], 1*[a]})"), "FALSE");
    assert_eq!(ask("reachable (at equals {1*[b], 1*[c]})"), "TRUE");
    // The place never holds a single token: tokens are removed in pairs.
    assert_eq!(ask("reachable (at equals {1*[b]})"), "FALSE");
    assert_eq!(ask("reachable (at equals {}) and (off equals {2*[.]})"), "TRUE");
    assert_eq!(ask("invariant (never equals {})"), "TRUE");
    assert_eq!(ask("reachable (never contains {1*[2]})"), "FALSE");
    assert_eq!(ask("invariant (never contains {})"), "TRUE");
    assert_eq!(ask("reachable (at equals {1*[b], 1*[b]})"), "TRUE");
    for (formula, problem) in [
        ("reachable (at contains {1*[d]})", "`d` is not a colour of place `at`"),
        ("reachable (at contains {1*[.]})", "`.` is not a colour of place `at`"),
        ("reachable (off contains {1*[a]})", "`a` is not a colour of place `off`"),
        ("reachable (at contains {1*[a, b]})", "`a,b` is not a colour of place `at`"),
    ] {
        let said = ask(formula);
        assert!(said.contains(problem), "{said}");
    }
}

#[test]
fn a_coloured_transition_without_bindings_is_named_as_dead() {
    let directory = directory();
    let said =
        directory.succeeds(&["check", "model.pnml", "-e", "QuasiLiveness", "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(said.lines().next().unwrap()).unwrap();
    assert_eq!(answer["because"]["subject"]["transition"], "idle", "{answer}");
    assert!(answer["reason"].as_str().unwrap().starts_with("transition `idle`: "), "{answer}");
}

#[test]
fn answers_about_coloured_nets_state_how_colours_are_counted() {
    let directory = TestDirectory::new();
    let model =
        std::fs::read_to_string(crate::support::binary::example("philosophers-coloured.pnml"));
    directory.write("model.pnml", &model.unwrap());
    for formula in ["EF (think >= 3)", "bound(think)"] {
        let said = directory.succeeds(&["check", "model.pnml", "--formula", formula]);
        assert!(said.contains("; a coloured place counts all of its colours"), "{said}");
    }
    let said = directory.succeeds(&["check", "model.pnml", "--formula", "bound(think(anna))"]);
    assert!(!said.contains("colours") && said.contains("seen in the initial marking"), "{said}");
    let said = directory.succeeds(&["check", "model.pnml", "-e", "StateSpace", "--format", "json"]);
    let answers = said.lines().map(|line| serde_json::from_str(line).unwrap());
    let figures: Vec<serde_json::Value> =
        answers.filter(|it: &serde_json::Value| it["type"] == "answer").collect();
    assert!(!figures.is_empty() && figures.iter().all(|it| it["net"] == "unfolding"), "{said}");
    let said = directory.succeeds(&["states", "model.pnml", "--format", "json"]);
    assert!(said.lines().any(|line| line.contains("\"net\":\"unfolding\"")), "{said}");
}

#[test]
fn keys_are_about_the_whole_net_that_the_coloured_net_stands_for() {
    let directory = directory();
    let found = directory.outputs(&["properties", "model.pnml"]).1;
    let key = |name: &str| {
        let line = found.lines().find(|line| line.starts_with(&format!("{name}:")));
        line.unwrap_or_else(|| panic!("{name}\n{found}")).to_owned()
    };
    assert!(found.starts_with("# the keys are about the unfolding of the coloured net"), "{found}");
    // The keys are about places of single colours: two tokens meet on one. The places of `never`
    // and `idle` are three each.
    assert!(key("SAFE").starts_with("SAFE: false"), "{found}");
    assert!(key("DEAD_PLACES").starts_with("DEAD_PLACES: true"), "{found}");
    assert!(key("DEAD_TRANSITIONS").starts_with("DEAD_TRANSITIONS: true"), "{found}");
    assert!(key("SOURCE_PLACE").contains("place never(1)"), "{found}");
    assert!(key("SINK_TRANSITION").contains("transition idle(l=1)"), "{found}");
    assert!(key("NESTED_UNITS").starts_with("NESTED_UNITS: unknown"), "{found}");
    let (code, _, stderr) =
        directory.outputs(&["unfold", "model.pnml", "--everything", "-o", "whole.pnml"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("unfold to 7 places and 7 transitions"), "{stderr}");
    let flat = directory.outputs(&["properties", "whole.pnml"]).1;
    let of = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with(['#', 'N']));
        // The length of a witness depends on the engine that is first.
        lines.map(|line| line.split(": a witness of").next().unwrap_or(line).to_owned()).collect()
    };
    assert_eq!(of(&flat), of(&found));
    // A comparison of files has the same keys.
    let file = directory.outputs(&["properties", "model.pnml", "--format", "xml"]).1;
    directory.write("verdicts.xml", &file);
    let compared =
        directory.outputs(&["verdicts", "compare", "verdicts.xml", "model.pnml", "--force"]).1;
    assert!(
        compared.starts_with("# the keys are about the unfolding of the coloured net"),
        "{compared}"
    );
}

#[test]
fn a_coloured_net_is_drawn_with_its_sorts_and_its_unfolding_on_request() {
    let directory = directory();
    let drawn = directory.succeeds(&["draw", "model.pnml"]);
    assert!(drawn.contains("xlabel=\"at : Ring\"") && drawn.contains("[label=\"x++\"]"), "{drawn}");
    let bright = directory.succeeds(&["draw", "model.pnml", "--highlight", "at,fall"]);
    assert_eq!(bright.matches("fillcolor").count(), 2, "{bright}");
    for arguments in [
        &["draw", "model.pnml", "--unfold"][..],
        &["draw", "model.pnml", "--highlight", "at(a)"],
        &["draw", "model.pnml", "--invariant", "1"],
    ] {
        let drawn = directory.succeeds(arguments);
        assert!(drawn.contains("xlabel=\"at(a)"), "{drawn}");
    }
}

/// Returns the data of a report about the model.
fn report(directory: &TestDirectory) -> serde_json::Value {
    directory.succeeds(&["report", "model.pnml", "-o", "r.html"]);
    let page = directory.read("r.html");
    let (_, data) = page.split_once("id=\"data\">").expect("data");
    let (data, _) = data.split_once("</script>").expect("an end");
    serde_json::from_str(data).expect("JSON")
}

#[test]
fn reports_and_check_agree_about_coloured_transitions() {
    let quasi_live = |data: &serde_json::Value| {
        let mut all = data["questions"].as_array().expect("questions").iter();
        all.find(|it| it["id"] == "QuasiLiveness").expect("asked")["value"].clone()
    };
    let finding = |data: &serde_json::Value, begins: &str| {
        let mut all = data["findings"].as_array().expect("findings").iter();
        let found = all.find(|it| it["title"].to_string().contains(begins));
        found.unwrap_or_else(|| panic!("{begins}: {}", data["findings"])).clone()
    };
    // The transition `idle` has no binding.
    let data = report(&directory());
    assert_eq!(quasi_live(&data), "FALSE");
    let dead = finding(&data, "Transition “idle” can never fire");
    assert_eq!(dead["level"], "problem");
    assert!(dead["details"].to_string().contains("No binding is left of it"), "{dead}");
    // Tokens of a and b meet, in either order of the variables, but no token meets itself, as
    // intended.
    let [a, b] = ["a", "b"].map(|it| format!("<useroperator declaration=\"r{it}\"/>"));
    let [x, y] = ["x", "y"].map(|it| format!("<variable refvariable=\"v{it}\"/>"));
    let two = |one: &str, other: &str| {
        format!("<add><subterm>{one}</subterm><subterm>{other}</subterm></add>")
    };
    let page = place("at", "ring", &two(&a, &b))
        + "<transition id=\"meet\"/>"
        + &arc("at", "meet", &two(&x, &y));
    let directory = TestDirectory::new();
    directory.write("model.pnml", &pnml(SORTS, &page));
    assert_eq!(answer(&directory, "QuasiLiveness"), "QuasiLiveness: TRUE");
    let data = report(&directory);
    assert_eq!(quasi_live(&data), "TRUE");
    let some = finding(&data, "Some bindings of a transition can never fire");
    assert_eq!(some["level"], "note");
    assert!(some["details"].to_string().contains("2 of the 3 bindings of “meet”"), "{some}");
}
