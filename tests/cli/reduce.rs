//! Command-line tests of `parikh reduce` and `parikh replay --log`: a net is reduced, another tool
//! works on it, and its traces are translated back to the original net.

use crate::support::binary::{TestDirectory, example, objects, stderr};
use parikh_net::pnml::pnml;
use parikh_net::text;
use serde_json::Value;

fn sizes(of: &Value) -> [u64; 2] {
    ["places", "transitions"].map(|key| of[key].as_u64().expect("a number"))
}

/// Returns a net of three jobs with two stages each. They take two locks in different orders and
/// may reach a deadlock.
fn workshop() -> String {
    let mut net = "place lock1 1\nplace lock2 1\n".to_owned();
    for (job, first, second) in [("a", 1, 2), ("b", 2, 1), ("c", 1, 2)] {
        net.push_str(&format!(
            "place {job}0 1\nplace {job}1\nplace {job}2\nplace {job}3\nplace {job}4\n\
             transition {job}prepare: {job}0 -> {job}1\n\
             transition {job}first: {job}1 + lock{first} -> {job}2\n\
             transition {job}second: {job}2 + lock{second} -> {job}3\n\
             transition {job}release: {job}3 -> {job}4 + lock1 + lock2\n\
             transition {job}again: {job}4 -> {job}0\n"
        ));
    }
    net
}

#[test]
fn a_deadlock_of_the_reduced_net_is_translated_back() {
    let directory = TestDirectory::with(&workshop());
    let output = directory.succeeds(&[
        "reduce",
        "model.pnml",
        "--preserve",
        "deadlock",
        "-o",
        "small.pnml",
        "--log",
        "log.json",
    ]);
    assert!(output.starts_with(": places 17 → "), "{output}");
    let log = directory.json("log.json");
    assert_eq!(sizes(&log["net"]), [17, 15]);
    assert!(sizes(&log["reduced"])[1] < 10, "{log}");
    let checked = directory.succeeds(&[
        "reduce",
        "model.pnml",
        "--check",
        "log.json",
        "--reduced",
        "small.pnml",
    ]);
    let steps = log["steps"].as_array().unwrap().len();
    assert!(checked.starts_with(&format!("{steps} steps hold")), "{checked}");

    directory.succeeds(&["check", "small.pnml", "-e", "RD", "--trace", "traces"]);
    let trace = "traces/ReachabilityDeadlock.trace";
    let replay = ["replay", "model.pnml", trace, "--log", "log.json", "-o", "back.trace"];
    let carried = directory.succeeds(&replay);
    assert!(carried.contains("the marking is dead"), "{carried}");
    // The translated trace replays without a log.
    assert_eq!(directory.succeeds(&["replay", "model.pnml", "back.trace"]), carried);
    let longer =
        directory.read("back.trace").lines().count() > directory.read(trace).lines().count();
    assert!(longer, "{}", directory.read("back.trace"));
}

#[test]
fn printed_translations_of_formulas_hold_in_the_reduced_net() {
    let directory = TestDirectory::with(&workshop());
    for (formula, answer) in [
        ("EF (a3 >= 1 && b3 >= 1)", "FALSE"),
        ("AG (a3 + b3 + c3 <= 1)", "TRUE"),
        ("EF (a2 >= 1 && b2 >= 1)", "TRUE"),
        ("EF fireable(csecond)", "TRUE"),
        ("EF (fireable(asecond) && fireable(bsecond))", "FALSE"),
        ("EF deadlock", "TRUE"),
        ("bound(a4 + b4)", "2"),
        ("bound(lock1 + lock2)", "2"),
        ("a0 = 1", "TRUE"),
    ] {
        let asked = format!("f: {formula}");
        let output = directory.succeeds(&[
            "reduce",
            "model.pnml",
            "--formula",
            &asked,
            "-o",
            "small.pnml",
            "--format",
            "json",
        ]);
        let objects = objects(&output);
        let smaller = sizes(&objects.last().unwrap()["after"]);
        assert!(smaller < [17, 15], "{formula}: {output}");
        let translated = objects.iter().find(|object| object["type"] == "formula").unwrap();
        let translated = translated["formula"].as_str().unwrap();
        let answers = directory.succeeds(&["check", "small.pnml", "--formula", translated]);
        let expected = format!("formula-1: {answer} ");
        assert!(answers.starts_with(&expected), "{formula} as {translated}: {answers}");
    }
}

#[test]
fn composed_transitions_have_names_that_other_tools_read() {
    // Two firings of f for one of h: the name has a power.
    let directory = TestDirectory::with(
        "place a 1\nplace p\nplace q\nplace z\ntransition h: a -> 2*p\n\
         transition f: p -> q\ntransition g: 2*q -> z + a",
    );
    directory.succeeds(&[
        "reduce",
        "model.pnml",
        "--preserve",
        "reachability",
        "--support",
        "z,q",
        "-o",
        "small.pnml",
        "--log",
        "log.json",
    ]);
    let small = parikh::input::read_net(&directory.at("small.pnml")).expect("PNML");
    let names: Vec<&str> = small.transitions().map(|t| small.transition_name(t)).collect();
    assert!(names.iter().any(|name| name.contains('.')), "{names:?}");
    for name in names {
        let plain = |c: char| c.is_alphanumeric() || "._-".contains(c);
        assert!(name.chars().all(plain) && name.starts_with(char::is_alphabetic), "{name}");
    }
    // The name of a remaining place is still its id.
    assert!(small.place_named("z").is_some() && small.place_named("q").is_some());
}

/// Asks for deadlocks and the tokens of p in them. In every dead marking, `h` has fired five times,
/// so p holds 5 tokens. `reduce` states this number, because the reduced net has no place p.
#[test]
fn constant_tokens_of_removed_places_are_reported() {
    let directory = TestDirectory::with(
        "place a 5\nplace p\nplace b 1\nplace c\ntransition h: a -> p\ntransition g: b -> c",
    );
    let reduce = ["reduce", "model.pnml", "--preserve", "deadlock", "--support", "p"];
    let output = directory.succeeds(&[&reduce[..], &["--log", "log.json"]].concat());
    // Before h fires, p is empty. So the line must not be about every marking.
    assert!(output.contains("p = 5 in every reachable dead marking;"), "{output}");
    let output = directory.succeeds(&[&reduce[..], &["--format", "json"]].concat());
    let told = objects(&output).into_iter().find(|object| object["type"] == "dead_constant");
    let told = told.expect("a constant");
    assert_eq!((&told["place"], &told["tokens"]), (&"p".into(), &5.into()));
    let checked = directory.succeeds(&["reduce", "model.pnml", "--check", "log.json"]);
    assert!(checked.contains("p = 5 in every reachable dead marking;"), "{checked}");
    assert!(checked.contains("preserved: deadlock over p\n"), "{checked}");
    // A place that never changes is named.
    directory.write("model.pnml", &pnml(&text::parse(LOCKED).unwrap()));
    let output = directory.succeeds(&["reduce", "model.pnml", "--preserve", "deadlock"]);
    assert!(output.contains("1 place never changes: lock = 3\n"), "{output}");
}

/// Only the initial marking, which is not preserved, has p empty.
#[test]
fn a_constant_of_dead_markings_only_is_not_stated_for_all() {
    let directory = TestDirectory::new();
    std::fs::copy(example("mutex.pnml"), directory.at("model.pnml")).expect("copied");
    for classes in ["deadlock", "liveness,deadlock"] {
        let support = if classes == "deadlock" { "wants_1" } else { "wants_1,enter_1" };
        let reduce = ["reduce", "model.pnml", "--preserve", classes, "--support", support];
        let output = directory.succeeds(&reduce);
        assert!(!output.contains("in every reachable marking"), "{output}");
    }
    directory.write("model.pnml", &pnml(&text::parse(LOCKED).unwrap()));
    let reduce = ["reduce", "model.pnml", "--preserve", "reachability,deadlock"];
    let output = directory.succeeds(&[&reduce[..], &["--support", "lock"]].concat());
    assert!(output.contains("lock = 3 in every reachable marking;"), "{output}");
}

#[test]
fn home_properties_that_no_rule_preserves_are_refused() {
    let directory = TestDirectory::with(&workshop());
    let reduce = ["reduce", "model.pnml", "--formula"];
    for formula in ["AG EF a1 >= 1", "AG EF fireable(afirst, asecond)", "!(AG EF deadlock)"] {
        let message = directory.fails_with(2, &[&reduce[..], &[formula]].concat());
        assert!(message.contains("AG EF only in front of fireable(t)"), "{formula}: {message}");
        // Also beside a formula that is preserved.
        let both = [formula, "--formula", "EF a1 >= 1"];
        directory.fails_with(2, &[&reduce[..], &both].concat());
    }
    let output = directory.succeeds(&[&reduce[..], &["AG EF fireable(afirst)"]].concat());
    assert!(output.contains("formula-1: AG EF "), "{output}");
}

const LOCKED: &str = "place p 2\nplace q\nplace lock 3\ntransition t: p + lock -> q + lock";

#[test]
fn bounds_include_the_tokens_of_removed_places() {
    let directory = TestDirectory::with(LOCKED);
    for (formula, answer) in [("bound(q + lock)", 5), ("bound(q)", 2), ("bound(lock)", 3)] {
        let reduce = ["reduce", "model.pnml", "--formula", formula, "-o", "small.pnml"];
        let output = directory.succeeds(&[&reduce[..], &["--format", "json"]].concat());
        let objects = objects(&output);
        let asked = objects.iter().find(|object| object["type"] == "formula").unwrap();
        let constant = asked["constant"].as_i64().expect("a number");
        let rest = asked["formula"].as_str().map_or(0, |formula| {
            let answers = directory.succeeds(&["check", "small.pnml", "--formula", formula]);
            let number =
                answers.strip_prefix("formula-1: ").and_then(|rest| rest.split(' ').next());
            number.and_then(|number| number.parse().ok()).expect("a bound")
        });
        assert_eq!(rest + constant, answer, "{formula}: {output}");
        assert_eq!(asked["formula"].is_null(), formula == "bound(lock)", "{output}");
    }
}

#[test]
fn a_log_without_preserved_questions_proves_nothing() {
    let directory = TestDirectory::with(&workshop());
    let reduce = ["reduce", "model.pnml", "--log", "log.json"];
    let over = ["--preserve", "reachability,liveness", "--support", "lock1,arelease"];
    directory.succeeds(&[&reduce[..], &over].concat());
    let checked = directory.succeeds(&["reduce", "model.pnml", "--check", "log.json"]);
    assert!(checked.contains("reachability over lock1, a3"), "{checked}");
    assert!(checked.contains("liveness of arelease"), "{checked}");
    let good = directory.json("log.json");
    for (key, class) in [("support", "reachability"), ("protected", "liveness")] {
        let mut log = good.clone();
        log["preserves"] = serde_json::json!([class]);
        log[key] = serde_json::json!([]);
        if class == "reachability" {
            log["protected"] = serde_json::json!([]);
        }
        directory.write("bad.json", &log.to_string());
        let message = directory.fails_with(1, &["reduce", "model.pnml", "--check", "bad.json"]);
        assert!(
            message.contains(class) && message.contains("every net would satisfy it"),
            "{message}"
        );
    }
    let message = directory.fails_with(2, &[&reduce[..], &["--formula", "lock1 = 1"]].concat());
    assert!(message.contains("would prove nothing"), "{message}");
}

/// Units are claims that answers rest on. A net with other units is not the net that the log leads
/// to.
#[test]
fn units_that_the_model_never_had_are_refused() {
    let directory = TestDirectory::with(
        "place p 1\nplace q\nplace x\ntransition t: p -> q + x\n\
                           transition u: q -> p",
    );
    let reduce = ["reduce", "model.pnml", "--preserve", "reachability", "--support", "x"];
    directory.succeeds(&[&reduce[..], &["-o", "small.pnml", "--log", "log.json"]].concat());
    let check = ["reduce", "model.pnml", "--check", "log.json", "--reduced", "small.pnml"];
    directory.succeeds(&check);
    let plain = directory.read("small.pnml");
    let small = parikh::input::read_net(&directory.at("small.pnml")).expect("PNML");
    let names: Vec<&str> = small.places().map(|p| small.place_name(p)).collect();
    let units = format!(
        "<toolspecific tool=\"nupn\" version=\"1.1\"><size places=\"{}\" transitions=\"{}\" \
         arcs=\"{}\"/><structure units=\"1\" root=\"u0\" safe=\"true\"><unit id=\"u0\"><places>{}\
         </places><subunits/></unit></structure></toolspecific>",
        small.place_count(),
        small.transition_count(),
        small.arc_count(),
        names.join(" "),
    );
    let page = plain.find("<page").expect("a page");
    let inside = page + plain[page..].find('>').expect("its end") + 1;
    directory.write("small.pnml", &format!("{}{units}{}", &plain[..inside], &plain[inside..]));
    let claims =
        parikh::input::read_net(&directory.at("small.pnml")).expect("PNML").units().is_some();
    assert!(claims, "{}", directory.read("small.pnml"));
    let message = directory.fails_with(1, &check);
    assert!(message.contains("units"), "{message}");
}

/// The reduction fuses p and q, between which `ab` and `ba` move the token. The trace fires `f`
/// 10¹² times, and most firings need a `ba` before them. `replay` must stop at its limits.
#[test]
fn back_translation_ends_with_the_time_limit() {
    let directory = TestDirectory::with(
        "place p 1\nplace q\nplace x\ntransition ab: p -> q\ntransition ba: q -> p\n\
         transition f: p -> q + x",
    );
    let reduce = ["reduce", "model.pnml", "--preserve", "reachability", "--support", "x"];
    directory.succeeds(&[&reduce[..], &["--log", "log.json"]].concat());
    directory.write("trace", "f\t1000000000000\n");
    let replay = ["replay", "model.pnml", "trace", "--log", "log.json"];
    let message = directory.fails_with(3, &[&replay[..], &["-t", "50ms"]].concat());
    assert!(message.contains("out of time"), "{message}");
    let message = directory.fails_with(3, &[&replay[..], &["-m", "1K"]].concat());
    assert!(message.contains("out of memory"), "{message}");
    // A self-covering sequence that ends on another fused place.
    directory.write("trace", "@repeat\nf\n");
    let carried = directory.succeeds(&replay);
    assert!(carried.contains("grows by 1: x"), "{carried}");
}

/// The back-translation starts in the initial marking.
#[test]
fn a_trace_from_another_marking_is_not_translated_back() {
    let directory = TestDirectory::with("place p 1\nplace q\ntransition t: p -> q");
    let reduce = ["reduce", "model.pnml", "--preserve", "reachability", "--support", "p,q"];
    directory.succeeds(&[&reduce[..], &["--log", "log.json"]].concat());
    let replay = ["replay", "model.pnml", "trace", "--log", "log.json", "-o", "back"];
    directory.write("trace", "# from: q\n");
    let message = directory.fails_with(1, &replay);
    assert!(message.contains("starts in another marking than the reduced net"), "{message}");
    directory.write("trace", "# from: p\nt\n");
    let carried = directory.succeeds(&replay);
    assert!(carried.contains("marking: q\n"), "{carried}");
    assert!(!directory.read("back").contains("from"), "{}", directory.read("back"));
}

/// A counter after a chain: the net is unbounded, and the chain can be agglomerated.
const PUMP: &str = "place run 1\nplace p\nplace q\nplace count\n\
                    transition start: run -> p\ntransition work: p -> q\n\
                    transition stop: q -> run + count";

#[test]
fn self_covering_sequences_are_translated_back() {
    let directory = TestDirectory::with(PUMP);
    let reduce = [
        "reduce",
        "model.pnml",
        "--preserve",
        "reachability",
        "--support",
        "count",
        "-o",
        "small.pnml",
        "--log",
        "log.json",
    ];
    directory.succeeds(&reduce);
    let answer = directory.succeeds(&[
        "check",
        "small.pnml",
        "--formula",
        "n: bound(count)",
        "--trace",
        "traces",
    ]);
    assert!(answer.starts_with("n: +inf"), "{answer}");
    let replay = ["replay", "model.pnml", "traces/n.trace", "--log", "log.json", "-o", "back"];
    let carried = directory.succeeds(&replay);
    assert!(carried.contains("grows by 1: count"), "{carried}");
    assert_eq!(directory.succeeds(&["replay", "model.pnml", "back"]), carried);
    let back = directory.read("back");
    let mut repeated: Vec<&str> = back.split_once("@repeat").expect("a pump").1.lines().collect();
    repeated.sort_unstable();
    assert_eq!(repeated, ["", "start", "stop", "work"], "{back}");
}

#[test]
fn a_cycle_without_growth_returns_to_its_marking() {
    let directory =
        TestDirectory::with("place p 1\nplace q\ntransition a: p -> q\ntransition b: q -> p");
    directory.write("trace", "@repeat\na\nb\n");
    let said = directory.succeeds(&["replay", "model.pnml", "trace"]);
    assert!(said.contains("2 that lead back to the same marking"), "{said}");
    directory.write("trace", "a\n@repeat\n");
    let message = directory.fails_with(1, &["replay", "model.pnml", "trace"]);
    assert!(message.contains("expected the transitions that repeat"), "{message}");
    directory.write("trace", "a\nb\n");
    directory.succeeds(&["replay", "model.pnml", "trace"]);
}

#[test]
fn liveness_is_translated_to_the_transitions_of_the_reduced_net() {
    let directory = TestDirectory::with(&workshop());
    let output = directory.succeeds(&[
        "reduce",
        "model.pnml",
        "--preserve",
        "liveness",
        "--support",
        "arelease",
        "--format",
        "json",
    ]);
    let objects = objects(&output);
    let fires = objects.iter().find(|object| object["type"] == "fires").unwrap();
    assert_eq!((&fires["transition"], &fires["at_once"]), (&"arelease".into(), &false.into()));
    assert_eq!(fires["with"].as_array().unwrap().len(), 1, "{fires}");
    let message = directory
        .fails_with(2, &["reduce", "model.pnml", "--preserve", "liveness", "--support", "a0"]);
    assert!(message.contains("`a0` is a place"), "{message}");
}

#[test]
fn rules_are_chosen_by_name() {
    let directory = TestDirectory::with(&workshop());
    let reduce = ["reduce", "model.pnml", "--formula", "EF lock1 = 0", "--format", "json"];
    let rules = |more: &[&str]| -> Vec<String> {
        let output = directory.succeeds(&[&reduce[..], more].concat());
        let of = |object: Value| object["rule"].as_str().map(str::to_owned);
        objects(&output).into_iter().filter_map(of).collect()
    };
    let all = rules(&[]);
    assert!(all.len() > 1, "{all:?}");
    assert_eq!(rules(&["--rules", &all[0]]), [all[0].clone()]);
    let others = rules(&["--without", &all.join(",")]);
    assert!(others.iter().all(|rule| !all.contains(rule)), "{others:?} of {all:?}");
    let message = directory.fails_with(2, &[&reduce[..], &["--rules", "gcd-scalling"]].concat());
    assert!(message.contains("gcd-scaling"), "{message}");
}

#[test]
fn a_time_limit_gives_a_valid_partial_reduction() {
    let directory = TestDirectory::with(&workshop());
    let output = directory.run(&[
        "reduce",
        "model.pnml",
        "--preserve",
        "deadlock",
        "--timeout",
        "0s",
        "-o",
        "small.pnml",
        "--log",
        "log.json",
    ]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("incomplete: out of time"));
    directory.succeeds(&["reduce", "model.pnml", "--check", "log.json", "--reduced", "small.pnml"]);
}

#[test]
fn logs_that_do_not_hold_are_refused_at_their_step() {
    let directory = TestDirectory::with(&workshop());
    directory.succeeds(&["reduce", "model.pnml", "--preserve", "deadlock", "--log", "log.json"]);
    let good = directory.json("log.json");
    let check = |change: &dyn Fn(&mut Value)| {
        let mut log = good.clone();
        change(&mut log);
        directory.write("bad.json", &log.to_string());
        directory.fails_with(1, &["reduce", "model.pnml", "--check", "bad.json"])
    };
    type Change = fn(&mut Value);
    let cases: [(Change, &str); 11] = [
        (|log| drop(log["steps"].as_array_mut().unwrap().pop()), "lead to"),
        (|log| log["steps"][0]["rule"] = "gcd-scaling".into(), "step 1: the conditions of rule"),
        (
            |log| log["steps"][0]["rule"] = "implicit-place".into(),
            "did you mean `implicit-places`?",
        ),
        (|log| log["steps"][0]["rule"] = "free-agglomeration".into(), "does not preserve"),
        (|log| log["preserves"] = serde_json::json!([]), "the log preserves no property"),
        (|log| log["preserves"] = serde_json::json!(["deadlok"]), "did you mean `deadlock`?"),
        (|log| log["support"] = serde_json::json!(["lock"]), "did you mean `lock1`?"),
        (|log| log["format"] = "9".into(), "format `9`"),
        (|log| log["net"]["digest"] = "0".into(), "belongs to another net"),
        (|log| *log = serde_json::json!({"steps": []}), "expected the log of a reduction"),
        (|log| log["steps"][0]["transitions"] = serde_json::json!(["#4294967295"]), "step 1: "),
    ];
    for (change, words) in cases {
        let message = check(&change);
        assert!(message.contains("bad.json") && message.contains(words), "{words}: {message}");
    }
    // A support that the steps do not preserve.
    let message = check(&|log| {
        let all: Vec<&str> = ["a0", "a1", "a2", "a3", "a4", "b0", "b1", "b2", "b3", "b4", "c1"]
            .into_iter()
            .chain(["c2", "c3", "c4", "c0", "lock1", "lock2"])
            .collect();
        log["support"] = serde_json::json!(all);
    });
    assert!(message.contains("step 1: the conditions of rule"), "{message}");
}

#[test]
fn a_log_is_refused_for_other_nets() {
    let directory = TestDirectory::with(&workshop());
    directory.succeeds(&[
        "reduce",
        "model.pnml",
        "--preserve",
        "deadlock",
        "-o",
        "small.pnml",
        "--log",
        "log.json",
    ]);
    let other = text::parse(&workshop().replace("place lock1 1", "place lock1 2")).unwrap();
    directory.write("other.pnml", &pnml(&other));
    directory.write("trace", "aprepare\n");
    for arguments in [
        &["reduce", "other.pnml", "--check", "log.json"][..],
        &["replay", "other.pnml", "trace", "--log", "log.json"],
        // The log does not begin with the reduced net.
        &["replay", "small.pnml", "trace", "--log", "log.json"],
    ] {
        let message = directory.fails_with(1, arguments);
        assert!(message.contains("belongs to another net"), "{message}");
    }
    let message = directory
        .fails_with(1, &["reduce", "model.pnml", "--check", "log.json", "--reduced", "other.pnml"]);
    assert!(message.contains("lead to another net"), "{message}");
    // With `--log`, the trace must be one of the reduced net. This one is of the original net.
    let message = directory.fails_with(1, &["replay", "model.pnml", "trace", "--log", "log.json"]);
    assert!(
        message.contains("trace of the reduced net") && message.contains("line 1"),
        "{message}"
    );
}

#[test]
fn wrong_names_and_packed_models_are_explained() {
    let directory = TestDirectory::with(&workshop());
    let reduce = ["reduce", "model.pnml", "--preserve", "reachability"];
    let message = directory.fails_with(2, &reduce);
    assert!(message.contains("requires --support"), "{message}");
    let message = directory.fails_with(1, &[&reduce[..], &["--support", "lock1,locke2"]].concat());
    assert!(message.contains("name 2") && message.contains("did you mean `lock2`?"), "{message}");
    let message = directory.fails_with(2, &["reduce", "model.pnml", "--formula", "AF lock1 >= 1"]);
    assert!(message.contains("a reduction cannot preserve it"), "{message}");
    let message = directory.fails_with(2, &["reduce", "model.pnml"]);
    for way in ["--preserve", "--formula", "--formulas", "--check"] {
        assert!(message.contains(way), "{message}");
    }
    let deadlock = ["reduce", "model.pnml", "--preserve", "deadlock"];
    let none = ["--rules", "gcd-scaling", "--without", "gcd-scaling"];
    let message = directory.fails_with(2, &[&deadlock[..], &none].concat());
    assert!(message.contains("exclude every rule"), "{message}");
    for files in [["-o", "x", "--log", "./x"], ["-o", "model.pnml", "--log", "x"]] {
        let message = directory.fails_with(2, &[&deadlock[..], &files].concat());
        assert!(message.contains("would overwrite"), "{message}");
        assert!(!directory.at("x").exists());
    }
    std::fs::write(directory.at("model.tgz"), b"\x1f\x8b\x08\0\0\0").unwrap();
    let message = directory.fails_with(1, &["info", "model.tgz"]);
    assert!(message.contains("model.tgz/model.pnml: cannot be read"), "{message}");
    let nowhere = "no/such/directory/small.pnml";
    let output = directory.run(&["reduce", "model.pnml", "--preserve", "deadlock", "-o", nowhere]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("cannot write no/such"), "{}", stderr(&output));
}
