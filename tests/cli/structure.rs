//! Command-line tests of `parikh invariants`, `siphons` and `traps`.

use crate::support::binary::{TestDirectory, objects as read, stderr, stdout};
use serde_json::Value;
use std::process::Output;

/// Runs `parikh COMMAND model.pnml OPTIONS…` on a net.
fn run(net: &str, command: &str, options: &[&str]) -> Output {
    TestDirectory::with(net).run(&[&[command, "model.pnml"], options].concat())
}

/// Asserts the exit code and returns the lines that are no comments.
#[track_caller]
fn facts(output: &Output, code: i32) -> Vec<String> {
    assert_eq!(output.status.code(), Some(code), "{}{}", stdout(output), stderr(output));
    stdout(output).lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

fn objects(output: &Output) -> Vec<Value> {
    read(&stdout(output))
}

const POOL: &str = "place idle 5\nplace busy\nplace lock 1\nplace log 2\n\
                    transition start: 2*idle + lock -> busy + lock\n\
                    transition stop: busy -> 2*idle\ntransition end: busy -> 2*idle";

#[test]
fn place_invariants_are_sums_over_names() {
    let output = run(POOL, "invariants", &[]);
    let lines = facts(&output, 0);
    // Three invariants. A place that never changes also appears as a constant place.
    assert_eq!(lines[..3], ["idle + 2*busy = 5", "lock = 1", "log = 2"]);
    assert_eq!(lines[3..], ["lock = 1", "log = 2"]);
    let first = stdout(&output);
    assert!(first.starts_with("# 3 place invariants") && first.contains("complete"), "{first}");
}

#[test]
fn bounds_are_printed_with_their_derivation() {
    let lines = facts(&run(POOL, "invariants", &["--bounds", "--semiflows"]), 0);
    for expected in ["1 <= idle <= 5", "0 <= busy <= 2", "busy <= 2 because of invariant 1"] {
        assert!(lines.iter().any(|line| line == expected), "{expected} in {lines:?}");
    }
}

#[test]
fn invariants_modulo_a_number_are_printed() {
    // Tokens are added in threes, and one token of q equals two of p.
    let net = "place p 4\nplace q\ntransition in: -> 3*p\ntransition swap: 2*p -> q\ntransition back: q -> 2*p";
    let output = run(net, "invariants", &["--modulo"]);
    assert_eq!(facts(&output, 0), ["p - q = 1 (mod 3)"]);
    assert!(stdout(&output).contains("# 1 sum keeps its remainder"), "{}", stdout(&output));
    let json = objects(&run(net, "invariants", &["--modulo", "--format", "json"]));
    assert_eq!((&json[0]["modulus"], &json[0]["remainder"]), (&3.into(), &1.into()));
    assert_eq!(json[0]["terms"][1], serde_json::json!({"place": "q", "coefficient": -1}));
    // Invariants modulo a number that follow from place invariants are not repeated.
    assert!(!stdout(&run(POOL, "invariants", &["--modulo"])).contains("mod "));
    assert_eq!(run(POOL, "invariants", &["--modulo", "--transitions"]).status.code(), Some(2));
}

#[test]
fn transition_invariants_are_over_effects() {
    let output = run(POOL, "invariants", &["--transitions"]);
    assert_eq!(facts(&output, 0), ["start + stop changes nothing"]);
    assert!(stdout(&output).contains("# stop has the effect of end too"), "{}", stdout(&output));
    let json = objects(&run(POOL, "invariants", &["--transitions", "--format", "json"]));
    assert_eq!(json[0]["terms"][1]["transitions"], serde_json::json!(["stop", "end"]));
    assert_eq!((&json[1]["type"], &json[1]["count"]), (&"summary".into(), &1.into()));
}

#[test]
fn invariants_in_json_have_names_and_exact_numbers() {
    // Coefficients beyond 64 bits: 2 tokens of p equal w of q, which equal w² of r.
    let w = i64::MAX;
    let net =
        format!("place p 1\nplace q\nplace r\ntransition t: p -> {w}*q\ntransition u: q -> {w}*r");
    let json = objects(&run(&net, "invariants", &["--format", "json"]));
    assert_eq!(json[0]["terms"][0]["place"], "p");
    let square = (i128::from(w) * i128::from(w)).to_string();
    assert_eq!(json[0]["terms"][0]["coefficient"], square.as_str());
    assert_eq!(json[0]["constant"], square.as_str());
    assert_eq!(json.last().expect("a summary")["complete"], true);
}

#[test]
fn incomplete_results_are_marked_and_have_exit_code_3() {
    let fan = "place a 1\nplace b 1\nplace c\nplace d\ntransition t: a + b -> c + d";
    let output = run(fan, "invariants", &["--semiflows", "--limit", "3"]);
    facts(&output, 3);
    assert!(
        stdout(&output)
            .contains("incomplete: the computation needs more than 3 intermediate vectors"),
        "{}",
        stdout(&output)
    );
    let output = run(fan, "invariants", &["--timeout", "0s"]);
    assert!(facts(&output, 3).is_empty());
    assert!(stdout(&output).contains("incomplete: out of time"), "{}", stdout(&output));
    let output = run(fan, "traps", &["--minimal", "--limit", "1"]);
    assert_eq!(facts(&output, 3).len(), 1);
    let output = run(fan, "siphons", &["--minimal", "--timeout", "0s", "--format", "json"]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(objects(&output).last().expect("a summary")["complete"], false);
}

/// Places p and q only feed each other, and are empty.
const STARVED: &str = "place p\nplace q\nplace r 1\nplace s\ntransition a: p -> q\n\
                       transition b: q + r -> p + r\ntransition c: r -> s\ntransition d: s -> r";

#[test]
fn the_summary_of_siphons_lists_dead_transitions_and_empty_siphons() {
    assert_eq!(facts(&run(STARVED, "siphons", &[]), 0), ["p, q", "a, b"]);
    let none = run(POOL, "siphons", &[]);
    assert!(facts(&none, 0).is_empty());
    assert!(stdout(&none).contains("no siphon is empty initially"));
}

#[test]
fn sets_are_restricted_to_places_and_marking() {
    assert_eq!(facts(&run(STARVED, "siphons", &["--minimal"]), 0), ["p, q", "r, s"]);
    assert_eq!(facts(&run(STARVED, "siphons", &["--minimal", "--marked"]), 0), ["r, s"]);
    assert_eq!(facts(&run(STARVED, "traps", &["--minimal", "--unmarked"]), 0), ["p, q"]);
    // Every transition with an output to p has an input from r.
    assert_eq!(facts(&run(STARVED, "siphons", &["--inside", "s,p,r"]), 0), ["p, r, s"]);
    assert_eq!(facts(&run(STARVED, "traps", &["--inside", "p"]), 0), [""; 0]);
    assert_eq!(facts(&run(STARVED, "traps", &[]), 0), ["r, s", "p, q, r, s"]);
}

#[test]
fn an_empty_set_is_no_siphon_and_no_trap_to_print() {
    let ring = "place p 1\nplace q\ntransition t: p -> q\ntransition u: q -> p";
    let siphons = objects(&run(ring, "siphons", &["--format", "json"]));
    assert_eq!((siphons.len(), &siphons[0]["count"]), (1, &0.into()), "{siphons:?}");
    let line = "place p 1\ntransition t: p ->";
    let traps = objects(&run(line, "traps", &["--format", "json"]));
    assert_eq!((traps.len(), &traps[0]["count"]), (1, &0.into()), "{traps:?}");
}

#[test]
fn the_siphon_trap_property_is_printed_with_its_consequence() {
    let ring = "place p 1\nplace q\ntransition a: p -> q\ntransition b: q -> p";
    let lines = facts(&run(ring, "siphons", &["--commoner"]), 0);
    assert!(lines[0].contains("TRUE"), "{lines:?}");
    assert_eq!(lines[1], "no reachable marking is dead");
    // The siphon {r} becomes empty, but the ring stays live.
    let with_dying_part = format!("{ring}\nplace r 1\ntransition d: r ->");
    let lines = facts(&run(&with_dying_part, "siphons", &["--commoner"]), 0);
    assert!(lines[0].contains("FALSE"), "{lines:?}");
    assert_eq!((&*lines[1], &*lines[3]), ("r", "no reachable marking is dead"));
    let empty = ring.replace("p 1", "p");
    let json = objects(&run(&empty, "siphons", &["--commoner", "--format", "json"]));
    assert_eq!(json[0]["counter_example"], serde_json::json!(["p", "q"]));
    assert_eq!(json[2]["deadlock_free"], Value::Null);
}

#[test]
fn unknown_names_get_a_suggestion() {
    let output = run(POOL, "siphons", &["--inside", "idle,bussy"]);
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output);
    assert!(message.contains("name 2") && message.contains("did you mean `busy`?"), "{message}");
    assert!(stdout(&output).is_empty());
}
