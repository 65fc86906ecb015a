//! Symbols, heads and statuses of the files that `parikh encode` writes.

use crate::support::binary::{TestDirectory, example};
use parikh_net::printable::Quoted;
use parikh_net::{Net, NetBuilder, text};
use std::collections::BTreeSet;

/// Names that look alike, names with escapes, reserved words, commands, and names of other
/// variables.
const NAMES: [&str; 24] = [
    "a|b",
    "a_b",
    "a\\b",
    "a%7Cb",
    "a%5Cb",
    "%",
    "%25",
    "and",
    "let",
    "é",
    "e\u{301}",
    "x y",
    "m(a_b)",
    "a)",
    "left(p",
    "t!1",
    "a\"b",
    "1",
    "a) and 1 more",
    "assert",
    "exists",
    "check-sat",
    "define-fun",
    "BINARY",
];

/// A net in which a token moves from place to place. The last place keeps it, or returns it to the
/// first one. The first move has a second transition with the same effect, and one that also reads.
fn moving(names: &[String], returns: bool) -> Net {
    let mut builder = NetBuilder::new("moving");
    let place = |(index, name): (usize, &String)| builder.place(name, u64::from(index == 0));
    let places = names.iter().enumerate().map(place).collect::<Result<Vec<_>, _>>();
    let places = places.expect("places");
    let read = builder.place("read", 1).expect("a place");
    let name_of_move = |name: &String| format!("t{name}");
    let mut moves: Vec<(String, usize)> = names.iter().map(name_of_move).zip(0..).collect();
    if !returns {
        moves.pop();
    }
    moves.extend([("twin".to_owned(), 0), ("reader".to_owned(), 0)]);
    for (name, from) in moves {
        let t = builder.transition(&name).expect("a transition");
        builder.take(t, places[from], 1).expect("an arc");
        builder.put(t, places[(from + 1) % places.len()], 1).expect("an arc");
        if name == "reader" {
            builder.take(t, read, 1).expect("an arc");
            builder.put(t, read, 1).expect("an arc");
        }
    }
    builder.build().expect("a net")
}

/// Writes the net and encodes whether it has a deadlock.
fn deadlock(net: &Net, arguments: &[&str]) -> String {
    let directory = TestDirectory::new();
    directory.write("net", &text::print(net));
    directory.succeeds(&[&["encode", "net", "--goal", "deadlock"], arguments].concat())
}

/// Returns the declared symbols of a script, without bars.
fn symbols(script: &str) -> Vec<&str> {
    let declared = script.lines().filter_map(|line| line.strip_prefix("(declare-const "));
    declared
        .map(|rest| match rest.strip_prefix('|') {
            Some(quoted) => quoted.split_once('|').expect("a second bar").0,
            None => rest.split_once(' ').expect("a sort").0,
        })
        .collect()
}

/// Returns the lines of the comment at the beginning of a file.
fn head<'t>(file: &'t str, comment: &str) -> Vec<&'t str> {
    let lines = file.lines().map_while(|line| line.strip_prefix(comment));
    lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect()
}

/// Replaces escapes by the bytes that they stand for.
fn unescaped(escaped: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = escaped;
    while let Some(first) = rest.bytes().next() {
        let (byte, length) = match first {
            b'%' => (u8::from_str_radix(&rest[1..3], 16).expect("two digits"), 3),
            plain => (plain, 1),
        };
        bytes.push(byte);
        rest = &rest[length..];
    }
    String::from_utf8(bytes).expect("UTF-8")
}

/// Asserts that the head explains the kind of a variable, and the name in it. `parts` are the kind
/// of the variable, such as `m3`, and the escaped name.
fn assert_explained(net: &Net, head: &[&str], separator: char, (family, part): (&str, &str)) {
    let family = family.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_numbered = |line: &str| line.starts_with(&format!("  {family}i{separator}"));
    let is_plain = |line: &str| line.starts_with(&format!("  {family}{separator}"));
    assert!(head.iter().any(|line| is_plain(line) || is_numbered(line)), "{family} {head:#?}");
    let name = unescaped(part);
    let kind = match family {
        "x" | "fire" | "first" => "transition",
        _ => "place",
    };
    let is_known = match kind {
        "place" => net.place_named(&name).is_some(),
        _ => net.transition_named(&name).is_some(),
    };
    assert!(is_known, "{kind} {name:?}");
    let line = format!("  {part} is {kind} {}", Quoted(&name));
    assert_eq!(head.contains(&&*line), part != name, "{line} {head:#?}");
}

/// Asserts that the symbols of a script are different, and that its head explains each of them.
fn assert_legend(net: &Net, script: &str) {
    let (head, symbols) = (head(script, ";"), symbols(script));
    let different: BTreeSet<&&str> = symbols.iter().collect();
    assert_eq!(different.len(), symbols.len(), "{script}");
    assert!(!symbols.is_empty());
    for symbol in symbols {
        let (family, rest) = symbol.split_once('(').expect("a kind of variable");
        let (part, more) = rest.rsplit_once(')').expect("a closing parenthesis");
        let part = if family == "fire" { part.split_once(',').expect("a step").1 } else { part };
        assert_explained(net, &head, '(', (family, part));
        let class = format!("  x({part}){more}: all of ");
        assert!(more.is_empty() || head.iter().any(|line| line.starts_with(&class)), "{class}");
    }
}

#[cfg(feature = "z3")]
fn answer(script: &str) -> String {
    let timeout = std::time::Duration::from_secs(60);
    parikh::solvers::smt_z3::run_script(script, timeout).expect("a Z3").trim().to_owned()
}

#[test]
fn similar_names_have_distinct_symbols() {
    let names: Vec<String> = NAMES.iter().map(|name| (*name).to_owned()).collect();
    let alphabet: Vec<char> = "|\\%_(). !7Cé".chars().collect();
    let random = |rng: &mut fastrand::Rng| -> String {
        (0..rng.usize(1..6)).map(|_| alphabet[rng.usize(..alphabet.len())]).collect()
    };
    let mut rng = fastrand::Rng::with_seed(5);
    let random: BTreeSet<String> = (0..12).map(|_| random(&mut rng)).collect();
    for names in [names, random.into_iter().collect::<Vec<_>>()] {
        let plain: Vec<String> = (0..names.len()).map(|index| format!("n{index}")).collect();
        let k = names.len().to_string();
        for returns in [false, true] {
            let nets = [moving(&names, returns), moving(&plain, returns)];
            for (parts, logic, k) in [
                ("state-equation+flows+traps+read-feed+causal-order+predecessor", "LIA", "1"),
                ("state-equation+listed-traps", "LRA", "1"),
                ("state-equation+k-induction", "LIA", "2"),
                ("bmc", "BV", &k),
                ("bmc-steps", "LIA", "3"),
            ] {
                let bound = if parts.contains("bmc") || parts.contains("induction") {
                    &["-k", k][..]
                } else {
                    &[]
                };
                let arguments = [&["-e", parts, "-l", logic], bound].concat();
                let scripts = nets.each_ref().map(|net| deadlock(net, &arguments));
                scripts.iter().zip(&nets).for_each(|(script, net)| assert_legend(net, script));
                assert!(scripts[0].contains("; names, where % and two digits stand for"));
                assert!(!scripts[1].contains("; names, "), "{}", scripts[1]);
                #[cfg(feature = "z3")]
                {
                    let answers = scripts.each_ref().map(|script| answer(script));
                    assert_eq!(answers[0], answers[1], "{parts} {returns}");
                    assert!(["sat", "unsat"].contains(&&*answers[0]), "{}", answers[0]);
                }
            }
        }
    }
}

#[test]
fn names_in_linear_programs_and_clauses_stay_apart() {
    let names: Vec<String> = NAMES.iter().map(|name| (*name).to_owned()).collect();
    let net = moving(&names, false);
    let directory = TestDirectory::new();
    directory.write("net", &text::print(&net));
    let program =
        directory.succeeds(&["encode", "net", "--goal", "max read", "-l", "LIA", "-f", "lp"]);
    let legend = head(&program, "\\");
    let (_, columns) = program.split_once("General\n").expect("integers");
    let columns: Vec<&str> =
        columns.lines().take_while(|line| *line != "End").map(str::trim).collect();
    assert_eq!(columns.iter().collect::<BTreeSet<_>>().len(), columns.len());
    assert_eq!(columns.iter().filter(|name| name.starts_with("m.")).count(), names.len() + 1);
    for name in columns {
        let mut parts = name.splitn(3, '.');
        let (family, part) = (parts.next().expect("a kind"), parts.next().expect("a name"));
        assert_explained(&net, &legend, '.', (family, part));
        let class = format!("  {name}: all of ");
        assert_eq!(parts.next().is_some(), legend.iter().any(|line| line.starts_with(&class)));
    }
    for values in ["order", "log"] {
        let file = deadlock(&net, &["-e", "bmc-steps", "-k", "2", "-l", "SAT", "--values", values]);
        let lines = file.lines().filter_map(|line| line.strip_prefix("c ")?.split_once(' '));
        let named: Vec<(i32, &str)> =
            lines.filter_map(|(number, name)| Some((number.parse().ok()?, name))).collect();
        assert!(named.len() > 10, "{file}");
        assert_eq!(named.iter().map(|it| it.1).collect::<BTreeSet<_>>().len(), named.len());
        let legend = head(&file, "c");
        assert!(legend.iter().any(|line| line.starts_with("other variables are auxiliary")));
        for (_, name) in named {
            let (family, rest) = name.split_once('(').expect("a kind of variable");
            let rest = rest.rsplit_once(')').expect("a closing parenthesis").0;
            let part = match family {
                "fire" => rest.split_once(',').expect("a step").1,
                _ if family.starts_with("bit") => rest.rsplit_once(',').expect("a bit").0,
                _ => rest,
            };
            assert_explained(&net, &legend, '(', (family, part));
        }
    }
}

#[test]
fn a_file_does_not_depend_on_the_place_of_its_model() {
    let model = std::fs::read(example("philosophers.pnml")).expect("an example");
    let directory = TestDirectory::new();
    let text = String::from_utf8(model).expect("UTF-8");
    directory.write("here.pnml", &text);
    directory.write("there/instance/model.pnml", &text);
    let written = |model: &str, arguments: &[&str]| {
        directory.succeeds(&[&["encode", model, "--goal", "deadlock"], arguments].concat())
    };
    for arguments in [&["-e", "state-equation+traps"][..], &["-e", "bmc", "-l", "SAT"]] {
        let file = written("here.pnml", arguments);
        assert_eq!(file, written("there/instance", arguments));
        let hash = parikh_files::sha256(text.as_bytes());
        assert!(file.lines().any(|line| line.ends_with(&format!("model: SHA-256 {hash}"))));
        assert!(!file.contains("here.pnml") && !file.contains(directory.name()), "{file}");
    }
    let changed = directory.write("other.pnml", &text.replace("eat1", "eat9"));
    let other = written(changed.to_str().expect("UTF-8"), &[]);
    assert_ne!(other.lines().nth(1), written("here.pnml", &[]).lines().nth(1));
}

#[test]
fn headers_state_assumptions_and_the_origin_of_the_net() {
    let directory = TestDirectory::new();
    directory.write("timed.net", "net timed\ntr t [1,2] p -> q\npl p (1)\n");
    directory.write("inhibited.net", "net inhibited\ntr t p q?-1 -> q\npl p (1)\npl q\n");
    let file = directory.succeeds(&["encode", "timed.net", "--untimed", "--goal", "deadlock"]);
    assert!(file.contains("; assumed: "), "{file}");
    let plain = directory.succeeds(&["encode", "inhibited.net", "--goal", "deadlock"]);
    assert!(plain.contains("inhibitor and reset arcs translated"), "{plain}");
    let coloured = example("philosophers-coloured.pnml");
    let coloured = coloured.to_str().expect("UTF-8");
    let coloured = directory.succeeds(&["encode", coloured, "--goal", "deadlock"]);
    assert!(coloured.contains(", unfolded from a coloured net\n"), "{coloured}");
}

#[test]
fn only_certain_statuses_are_written() {
    let directory = TestDirectory::new();
    let model = example("philosophers.pnml");
    let model = model.to_str().expect("UTF-8");
    let status = |goal: &str, arguments: &[&str]| {
        let all = [&["encode", model, "--goal", goal], arguments].concat();
        let file = directory.succeeds(&all);
        let line = file.lines().find_map(|line| line.split_once("status: ")).expect("a status").1;
        let word = line.split(' ').next().expect("a word").to_owned();
        let info = format!("(set-info :status {word})");
        assert_eq!(file.contains("(set-logic "), file.contains(&info), "{file}");
        word
    };
    let asked =
        |goal: &str, arguments: &[&str]| status(goal, &[arguments, &["--status", "20s"]].concat());
    let both_eat = "EF (eat1 >= 1 && eat2 >= 1)";
    assert_eq!(status("deadlock", &[]), "unknown");
    for parts in ["state-equation+traps", "flows", "state-equation+causal-order+predecessor"] {
        assert_eq!(asked("deadlock", &["-e", parts]), "sat");
    }
    assert_eq!(asked("deadlock", &["-e", "bmc", "-k", "9"]), "sat");
    assert_eq!(asked("deadlock", &["-e", "bmc-steps", "-k", "1"]), "sat");
    assert_eq!(asked("deadlock", &["-e", "bmc-steps", "-k", "1", "-l", "SAT"]), "sat");
    // Nothing certain is known about shorter sequences.
    assert_eq!(asked("deadlock", &["-e", "bmc", "-k", "1"]), "unknown");
    for arguments in [
        &["-e", "flows"][..],
        &["-e", "flows+traps"],
        &["-e", "bmc", "-k", "3"],
        &["-e", "bmc", "-k", "3", "-l", "BV"],
        &["-e", "bmc-steps", "-k", "2", "-l", "LIA"],
        &["-e", "bmc-steps", "-k", "2", "-l", "SAT"],
    ] {
        assert_eq!(asked(both_eat, arguments), "unsat", "{arguments:?}");
    }
    // Steps over the reals may fire fractions, and bounds do not exclude the goal.
    assert_eq!(asked(both_eat, &["-e", "bmc-steps", "-k", "2"]), "unknown");
    assert_eq!(asked(both_eat, &["-e", "bounds"]), "unknown");
    assert_eq!(asked("max eat1", &["-e", "state-equation"]), "sat");
}

#[test]
fn no_status_is_written_for_clauses_that_use_a_claim_of_safe_units() {
    let directory = TestDirectory::new();
    // The claim is false: t marks q, while p stays marked.
    directory.write(
        "m.pnml",
        r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
        <place id="p"><initialMarking><text>1</text></initialMarking></place><place id="q"/>
        <place id="a"><initialMarking><text>1</text></initialMarking></place><transition id="t"/>
        <arc id="x1" source="a" target="t"/><arc id="x2" source="t" target="q"/></page>
        <toolspecific tool="nupn" version="1.1"><size places="3" transitions="1" arcs="2"/><structure units="3" root="u0" safe="true">
        <unit id="u0"><places/><subunits>u1 u2</subunits></unit><unit id="u1"><places>p q</places><subunits/></unit>
        <unit id="u2"><places>a</places><subunits/></unit></structure></toolspecific></net></pnml>"#,
    );
    for (values, may_be_unsat) in [("order", true), ("one-of-n", false), ("log", false)] {
        let file = directory.succeeds(&[
            "encode",
            "m.pnml",
            "--goal",
            "EF (p <= 0)",
            "-e",
            "bmc",
            "-k",
            "1",
            "-l",
            "SAT",
            "--values",
            values,
            "--status",
            "10s",
        ]);
        assert_eq!(file.contains("status: unsat"), may_be_unsat, "{file}");
    }
}

#[cfg(feature = "z3")]
#[test]
fn no_status_contradicts_enumeration_or_another_solver() {
    use crate::support::oracle::{OracleLimits, explore};
    use parikh_generate::{Shape, random};
    let mut known = [0, 0];
    for seed in 0..crate::support::scale::scaled(12) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, OracleLimits { states: 500, tokens: 50 }) else { continue };
        let directory = TestDirectory::new();
        directory.write("net", &text::print(&net));
        let Some(place) = net.places().nth(seed as usize % net.place_count().max(1)) else {
            continue;
        };
        let least = format!("EF \"{}\" >= {}", net.place_name(place), 1 + seed % 3);
        let some = parikh_net::Predicate::at_least(place, 1 + seed % 3);
        let goals = [("deadlock", parikh_net::Predicate::Dead), (&*least, some)];
        for (goal, predicate) in goals {
            let reachable = space.reaches(&predicate);
            for (parts, logic, k) in [
                ("state-equation+traps+listed-traps+read-feed+causal-order", "LIA", "1"),
                ("flows+bounds", "LRA", "1"),
                ("state-equation+k-induction", "BV", "1"),
                ("bmc", "BV", "3"),
                ("bmc-steps", "LIA", "2"),
                ("bmc-steps", "LRA", "1"),
            ] {
                let mut arguments = vec![
                    "encode", "net", "--goal", goal, "-e", parts, "-l", logic, "--status", "5s",
                ];
                if parts.contains("bmc") || parts.contains("induction") {
                    arguments.extend(["-k", k]);
                }
                let script = directory.succeeds(&arguments);
                let is = |status: &str| script.contains(&format!("(set-info :status {status})"));
                // Z3 reports an error if the status is wrong.
                let found = answer(&script);
                let about = format!("net {seed} {goal} {parts} {logic}\n{script}");
                assert!(
                    found == "sat" && !is("unsat") || found == "unsat" && !is("sat"),
                    "{about}"
                );
                if parts.starts_with("bmc") {
                    assert!(!is("sat") || reachable || logic == "LRA", "{about}");
                } else if !parts.contains("induction") {
                    assert!(!is("unsat") || !reachable, "{about}");
                }
                known[0] += usize::from(is("sat"));
                known[1] += usize::from(is("unsat"));
            }
        }
    }
    assert!(known.iter().all(|&count| count >= 10), "{known:?}");
}
