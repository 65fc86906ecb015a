//! Malicious names: no output moves a terminal's cursor, reverses text, or can be mistaken for
//! another line of output.

use crate::support::binary::{TestDirectory, example, objects, stderr, stdout};
use parikh_net::printable::is_harmful;
use std::ffi::OsString;
use std::process::Output;

/// The end of every name in the models: control characters (C0 and C1), bidirectional marks, line
/// breaks of three kinds, and a line of the contest's output.
const BREAKOUT: &str =
    "\u{9b}31m\u{85}\u{202e}\u{2066}\u{2028}\u{7f}\nFORMULA forged TRUE TECHNIQUES x\n\tend";

/// Returns the same text in XML 1.0, which cannot contain ESC.
fn xml() -> String {
    BREAKOUT
        .chars()
        .map(|c| if c.is_control() { format!("&#{};", u32::from(c)) } else { c.to_string() })
        .collect()
}

const TYPES: &str = "http://www.pnml.org/version-2009/grammar";

/// Returns a net in which a token moves from p to q.
fn model() -> String {
    let out = xml();
    format!(
        "<pnml xmlns='{TYPES}/pnml'><net id='net{out}' type='{TYPES}/ptnet'><name><text>net{out}</text></name>\
         <page id='g'><place id='p{out}'><name><text>P{out}</text></name><initialMarking><text>1</text>\
         </initialMarking></place><place id='q{out}'><name><text>Q{out}</text></name></place>\
         <transition id='t{out}'><name><text>T{out}</text></name></transition>\
         <arc id='a{out}' source='p{out}' target='t{out}'/><arc id='b{out}' source='t{out}' target='q{out}'/>\
         </page></net></pnml>"
    )
}

/// Returns the same net with a false claim of nested units.
fn claiming() -> String {
    let out = xml();
    let claim = format!(
        "<toolspecific tool='nupn' version='1.1'><size places='2' transitions='1' arcs='2'/><structure \
         units='1' root='u{out}' safe='true'><unit id='u{out}'><places>p{out}</places><subunits/></unit>\
         </structure></toolspecific></net>"
    );
    model().replace("</net>", &claim)
}

/// Returns a query file that asks for four bounds: with a harmful id, with an id that forges an
/// answer, of a missing place, and with a harmless id.
fn queries() -> String {
    let out = xml();
    let bound = |id: &str, place: &str| {
        format!(
            "<property><id>{id}</id><formula><place-bound><place>{place}</place></place-bound></formula></property>"
        )
    };
    let (p, nowhere) = (format!("p{out}"), format!("nowhere{out}"));
    format!(
        "<property-set>{}{}{}{}</property-set>",
        bound(&format!("id{out}"), &p),
        bound("FORMULA forged TRUE TECHNIQUES x", &p),
        bound(&format!("wrong{out}"), &nowhere),
        bound("plain", &p)
    )
}

/// Asserts that the text has no control characters except line ends, and no line of the contest's
/// output.
#[track_caller]
fn is_harmless(what: &str, text: &str) {
    for line in text.lines() {
        let harmful: Vec<char> = line.chars().filter(|&c| is_harmful(c)).collect();
        assert!(harmful.is_empty(), "{what}: {harmful:?} in {line:?}");
        assert!(!line.trim_start().starts_with("FORMULA forged"), "{what}: {line:?}");
    }
}

#[track_caller]
fn all_harmless(what: &str, output: &Output) -> (String, String) {
    let (said, told) = (stdout(output), stderr(output));
    is_harmless(&format!("stdout of {what}"), &said);
    is_harmless(&format!("stderr of {what}"), &told);
    (said, told)
}

fn directory() -> TestDirectory {
    let directory = TestDirectory::new();
    directory.write("model.pnml", &model());
    directory.write("UpperBounds.xml", &queries());
    directory.write(
        "formulas.txt",
        &format!("\"a name\": EF \"p{}\" >= 1\nEF \u{9b}[31m\u{202e} >= 1\n", "\u{9b}"),
    );
    directory.write("bad.trace", "t\u{9b}\u{202e}\u{1b}[31m\n");
    directory.write("bad.json", "{\"\u{9b}\u{202e}\": 1}");
    directory.write("bad.xml", "<\u{9b}\u{202e}>");
    let verdicts = format!("<verdicts><model>m{}</model></verdicts>", xml());
    directory.write("verdicts.xml", &verdicts);
    directory
}

#[test]
fn every_command_prints_names_harmlessly() {
    let directory = directory();
    let printed = [
        "info model.pnml",
        "-vv check . -e UB --stats --explain plain --trace traces --evidence files",
        "-vvv check . -e RD --stats --explain ReachabilityDeadlock --trace traces -j 1",
        "check . -e L --stats --evidence files",
        "check . -e QL --evidence files",
        "check . -e SM",
        "check . -e SS",
        "check . -e Soundness --stats --trace traces",
        "check model.pnml --formulas formulas.txt",
        "check . -e UB --id nobody",
        "check . -e UB --format mcc",
        "invariants model.pnml --bounds --modulo",
        "invariants model.pnml --semiflows",
        "invariants model.pnml --transitions",
        "siphons model.pnml",
        "siphons model.pnml --minimal",
        "siphons model.pnml --commoner",
        "siphons model.pnml --inside nowhere",
        "traps model.pnml",
        "traps model.pnml --minimal",
        "states model.pnml",
        "properties model.pnml",
        "properties model.pnml --format xml",
        "reduce model.pnml --preserve deadlock -o small.pnml --log small.json",
        "reduce model.pnml --formulas UpperBounds.xml -o smaller.pnml",
        "draw model.pnml",
        "draw model.pnml --highlight nowhere",
        "graph model.pnml",
        "report model.pnml -o -",
        "replay model.pnml traces/ReachabilityDeadlock.trace",
        "replay model.pnml bad.trace",
        "replay model.pnml traces/ReachabilityDeadlock.trace --log bad.json",
        "encode model.pnml --queries UpperBounds.xml --id nobody -o x.lp",
        "verdicts check verdicts.xml",
        "verdicts check bad.xml",
        "verdicts compare verdicts.xml model.pnml",
        "unfold model.pnml",
        "info bad.xml",
    ];
    for words in printed {
        let arguments: Vec<&str> = words.split(' ').collect();
        let (said, told) = all_harmless(words, &directory.run(&arguments));
        assert!(!(said.is_empty() && told.is_empty()), "{words} says nothing");
        assert!(!told.contains("usage:") && !told.contains("Usage:"), "{words}: {told}");
    }
    for words in [
        "info model.pnml --format json",
        "check . -e UB -f json",
        "siphons model.pnml -f json",
        "invariants model.pnml --bounds -f json",
        "states model.pnml -f json",
        "properties model.pnml -f json",
    ] {
        let arguments: Vec<&str> = words.split(' ').collect();
        let (said, _) = all_harmless(words, &directory.run(&arguments));
        let name = format!("p{BREAKOUT}");
        let objects = objects(&said);
        assert!(!objects.is_empty(), "{words}");
        if words.starts_with("invariants") {
            assert!(objects.iter().any(|object| object["place"] == *name), "{said}");
        }
    }
}

#[test]
fn output_about_coloured_nets_has_no_control_characters() {
    let mut net = std::fs::read_to_string(example("philosophers-coloured.pnml")).expect("readable");
    let names = "think fork wait eat take_left take_right leave anna ben carla seat Seat x philosophers-coloured";
    for name in names.split(' ') {
        net = net.replace(&format!("\"{name}\""), &format!("\"{name}{}\"", xml()));
    }
    let directory = TestDirectory::new();
    directory.write("model.pnml", &net);
    for words in [
        "info model.pnml",
        "-vv check model.pnml -e RD --stats --explain ReachabilityDeadlock --trace traces --evidence evidence",
        "check model.pnml -e SM",
        "check model.pnml --formulas formulas.txt",
        "replay model.pnml traces/ReachabilityDeadlock.trace",
        "replay model.pnml bad.trace",
        "unfold model.pnml --quotient -o flat.pnml",
        "draw model.pnml",
        "properties model.pnml",
    ] {
        directory.write("formulas.txt", "EF think >= 1");
        directory.write("bad.trace", "take_left(x\u{9b}=\u{202e}nobody)");
        let arguments: Vec<&str> = words.split(' ').collect();
        let (said, told) = all_harmless(words, &directory.run(&arguments));
        assert!(!(said.is_empty() && told.is_empty()), "{words} says nothing");
    }
    let again = directory.succeeds(&["replay", "model.pnml", "traces/ReachabilityDeadlock.trace"]);
    assert!(again.contains("firings replayed on coloured net"), "{again}");
}

#[test]
fn a_trace_with_harmful_names_is_read_back() {
    let directory = directory();
    directory.succeeds(&["check", "model.pnml", "-e", "RD", "--trace", "traces"]);
    let said = directory.succeeds(&["replay", "model.pnml", "traces/ReachabilityDeadlock.trace"]);
    assert!(said.starts_with("1 firing replayed on net "), "{said}");
    // Comments and steps occupy one line each, whatever the names contain.
    let trace = directory.read("traces/ReachabilityDeadlock.trace");
    let stray = trace.lines().find(|line| !line.starts_with("# ") && !line.starts_with("\"t"));
    assert_eq!(stray, None, "{trace}");
}

#[test]
fn an_id_is_one_word_of_an_answer() {
    let directory = directory();
    let mcc = directory.run(&["check", ".", "-e", "UB", "--format", "mcc", "-j", "1"]);
    let mut lines: Vec<String> = stdout(&mcc).lines().map(str::to_owned).collect();
    lines.sort();
    let id = r"\u{9b}31m\u{85}\u{202e}\u{2066}\u{2028}\u{7f}\nFORMULA\u{20}forged\u{20}TRUE\u{20}TECHNIQUES\u{20}x\n\tend";
    let expected = [
        r"FORMULA FORMULA\u{20}forged\u{20}TRUE\u{20}TECHNIQUES\u{20}x 1 TECHNIQUES ".to_owned(),
        format!("FORMULA id{id} 1 TECHNIQUES "),
        "FORMULA plain 1 TECHNIQUES ".to_owned(),
    ];
    assert_eq!(lines.len(), 3, "{lines:?}");
    for (line, expected) in lines.iter().zip(&expected) {
        assert!(line.starts_with(expected), "{line:?} is not {expected:?}");
    }
    // The contest's XML file has precedence over the text file of the same formulas.
    let text = stdout(&directory.run(&["check", ".", "-e", "UB"]));
    assert!(text.lines().any(|line| line.starts_with(&format!("id{id}: 1 — "))), "{text}");
    assert!(text.lines().any(|line| line.starts_with(r"FORMULA\u{20}forged")), "{text}");
}

#[test]
fn names_of_files_are_harmless() {
    let directory = directory();
    let name = format!("gone{BREAKOUT}\u{1b}[31m.pnml");
    for words in [
        "info",
        "check -e RD",
        "states",
        "draw",
        "graph",
        "replay -",
        "verdicts check",
        "reduce --preserve deadlock -o x",
    ] {
        let mut arguments: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        arguments.push(name.clone().into());
        let output = directory.command(&[]).args(&arguments).output().expect("the binary starts");
        let (_, told) = all_harmless(words, &output);
        assert!(told.contains(r"gone\u{9b}31m"), "{words}: {told}");
    }
    // The file is found, and is not a model.
    directory.write(&name.replace('/', ""), "no model");
    all_harmless("a file that is no model", &directory.run(&["info", &name]));
    let traces =
        directory.run(&["check", "model.pnml", "-e", "RD", "--trace", &format!("dir{BREAKOUT}")]);
    let (said, _) = all_harmless("a directory of traces", &traces);
    assert!(said.contains(r"→ dir\u{9b}31m"), "{said}");
}

#[test]
fn errors_in_command_lines_have_no_control_characters() {
    let directory = directory();
    let bad = format!("x\u{1b}[31m{BREAKOUT}");
    for arguments in [
        vec![&*bad],
        vec!["check", "model.pnml", "-e", &*bad],
        vec!["check", "model.pnml", "-e", "RD", "--engines", &*bad],
        vec!["check", "model.pnml", "-e", "RD", "--without-rules", &*bad],
        vec!["info", "model.pnml", &*bad],
    ] {
        let output = directory.run(&arguments);
        let (_, told) = all_harmless("a wrong command line", &output);
        assert_eq!(output.status.code(), Some(2), "{told}");
    }
    let output = directory.run(&["check", "model.pnml", "--formula", &format!("EF {bad} >= 1")]);
    all_harmless("a wrong formula", &output);
    let output =
        directory.run(&["encode", "model.pnml", "--goal", &format!("EF {bad} >= 1"), "-o", "x.lp"]);
    all_harmless("a wrong goal", &output);
}

#[test]
fn errors_in_models_print_no_control_characters() {
    let out = xml();
    let broken = [
        (
            "an arc to nowhere",
            model().replace(&format!("target='q{out}'"), &format!("target='r{out}'")),
        ),
        (
            "a second place",
            model().replace(&format!("place id='q{out}'"), &format!("place id='p{out}'")),
        ),
        (
            "no number of tokens",
            model().replace("<text>1</text>", &format!("<text>one{out}</text>")),
        ),
        ("an unknown type", model().replace("/ptnet", &out)),
        ("a wrong end", model().replace("</page>", "</p\u{9b}\u{202e}age>")),
        ("a claim on units", claiming()),
    ];
    for (what, model) in broken {
        let directory = TestDirectory::new();
        directory.write("model.pnml", &model);
        let (said, told) = all_harmless(what, &directory.run(&["-v", "info", "model.pnml"]));
        assert!(!(said.is_empty() && told.is_empty()), "{what}");
        all_harmless(what, &directory.run(&["-v", "check", "model.pnml", "-e", "RD"]));
    }
}

#[test]
fn the_tool_of_the_contest_prints_no_forged_line() {
    let directory = directory();
    let mut command = directory.command(&["mcc"]);
    let forged = format!("Toy{BREAKOUT}");
    command
        .env("BK_EXAMINATION", "UpperBounds")
        .env("BK_INPUT", forged)
        .env("BK_TIME_CONFINEMENT", "20");
    // An environment variable cannot contain NUL. The variable only affects messages.
    let output = command.env("PARIKH_LOG", "info").output().expect("the binary starts");
    let (said, told) = all_harmless("mcc", &output);
    assert_eq!(said.lines().filter(|line| line.starts_with("FORMULA ")).count(), 3, "{said}{told}");
    assert_eq!(said.lines().count(), 3, "{said}");
}
