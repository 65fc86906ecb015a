//! Command-line tests of `parikh encode` and `check --dump`: files, headers, errors.

use crate::support::binary::{TestDirectory, example, parikh};
use parikh::solvers::Budget;
use parikh::solvers::cnf::Literal;
use parikh::solvers::sat::{SatAnswer, SatSolver};
use parikh::solvers::sat_batsat::BatSat;
use parikh_net::printable::QuotedInFull;
use parikh_net::{NetBuilder, text as net_text};
use std::path::PathBuf;
use std::process::Output;

fn model() -> PathBuf {
    example("philosophers.pnml")
}

fn queries() -> String {
    model().with_file_name("philosophers-queries.xml").display().to_string()
}

fn encode(arguments: &[&str]) -> Output {
    parikh().arg("encode").arg(model()).args(arguments).output().expect("the binary starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Runs `parikh encode` and returns its output.
fn written(arguments: &[&str]) -> String {
    let output = encode(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

#[cfg(feature = "z3")]
fn answer(script: &str) -> String {
    let timeout = std::time::Duration::from_secs(60);
    parikh::solvers::smt_z3::run_script(script, timeout).unwrap()
}

#[cfg(feature = "z3")]
#[test]
fn scripts_have_a_header_and_external_solvers_answer_them() {
    let dead = |encoding, k| written(&["--goal", "deadlock", "-e", encoding, "-k", k]);
    let unbounded = |encoding| written(&["--goal", "deadlock", "-e", encoding]);
    for parts in [
        "state-equation",
        "flows+bounds+traps",
        "state-equation+listed-traps+read-feed+causal-order+predecessor+units",
    ] {
        let script = unbounded(parts);
        for logic in ["LRA", "LIA", "BV"] {
            let script = written(&["--goal", "EF (deadlock)", "-e", parts, "-l", logic]);
            assert!(script.contains(&format!(", {logic}")), "{script}");
            // The philosophers can reach a deadlock.
            assert_eq!(answer(&script).trim(), "sat", "{script}");
        }
        assert!(script.starts_with("; net: "), "{script}");
        assert!(script.contains("; unsat (infeasible): no reachable marking"), "{script}");
    }
    assert_eq!(answer(&dead("bmc", "1")).trim(), "unsat");
    assert_eq!(answer(&dead("bmc", "12")).trim(), "sat");
    let bits = |k| written(&["--goal", "deadlock", "-e", "bmc", "-k", k, "-l", "BV"]);
    assert!(bits("1").contains("(set-logic QF_BV)"), "{}", bits("1"));
    assert_eq!(
        [bits("1"), bits("12")].map(|script| answer(&script).trim().to_owned()),
        ["unsat", "sat"]
    );
    let queries = queries();
    let never = ["--queries", &queries, "--id", "never-both-eat", "-e", "flows"];
    let script = written(&never);
    assert!(script.contains("; goal: never-both-eat: violated by EF"), "{script}");
    assert_eq!(answer(&script).trim(), "unsat", "{script}");
    let most = written(&["--queries", &queries, "--id", "most-who-wait"]);
    assert!(most.contains("(maximize "), "{most}");
    assert!(answer(&most).contains(" 2"), "{most}");
    let most = written(&["--queries", &queries, "--id", "most-who-wait", "-l", "BV"]);
    assert!(answer(&most).contains(" 2") && most.contains("bv2nat"), "{most}");
    assert!(!answer(&most).contains("error"), "{}", answer(&most));
    // The bit-vector encoding works without bounds that are not found in time.
    let late = written(&["--goal", "deadlock", "-e", "bmc", "-k", "12", "-l", "BV", "-t", "0s"]);
    assert_eq!(answer(&late).trim(), "sat", "{late}");
    let first = written(&["--goal", "deadlock", "-e", "k-induction", "-k", "1"]);
    assert!(first.contains("the initial marking is not a goal marking"), "{first}");
}

#[test]
fn linear_programs_are_written_only_without_disjunctions() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("bound.lp");
    let name = file.to_str().unwrap();
    let queries = queries();
    let arguments = ["--queries", &queries, "--id", "most-who-wait", "-o", name];
    written(&[&arguments[..], &["-e", "state-equation+listed-traps", "-l", "LIA"]].concat());
    let program = std::fs::read_to_string(&file).unwrap();
    assert!(program.starts_with("\\ net: ") && program.contains("Maximize"), "{program}");
    assert!(program.contains("General") && program.ends_with("End\n"), "{program}");
    let refused = encode(&["--goal", "deadlock", "-o", name]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("--format smt2"), "{}", text(&refused.stderr));
    let refused = encode(&[&arguments[..], &["-l", "BV"]].concat());
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("no bit-vectors"), "{}", text(&refused.stderr));
    assert_eq!(std::fs::read_dir(directory.path()).expect("made").count(), 1);
    // The file has no constant, so its head says how to get the value of the goal.
    let goal = ["--goal", "max fork1 + 3", "-e", "state-equation", "-l", "LIA"];
    let program = written(&goal);
    let line = "goal: the maximum of `fork1` (the results below are about this sum; add 3)";
    assert!(program.contains(line), "{program}");
}

#[test]
fn options_without_effect_are_refused() {
    let refused = |arguments: &[&str]| {
        let output = encode(&[&["--goal", "deadlock"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        text(&output.stderr)
    };
    let k = refused(&["-e", "state-equation+traps", "-k", "3"]);
    assert!(k.contains("-k has no effect on state-equation+traps: it bounds bmc, "), "{k}");
    let traps = refused(&["-e", "bmc", "--traps", "3"]);
    let said = "--traps has no effect on bmc: it limits the part listed-traps";
    assert!(traps.contains(said), "{traps}");
    let traps = refused(&["-e", "traps", "--traps", "3"]);
    assert!(traps.contains("; the part traps is about all traps"), "{traps}");
    written(&["--goal", "deadlock", "-e", "listed-traps", "--traps", "3"]);
    let values = encode(&["--goal", "deadlock", "-e", "bmc", "--values", "log"]);
    assert!(text(&values.stderr).contains("--values requires --logic SAT"));
}

/// Long names and long sums: no line of an LP file is longer than readers accept, and the legend
/// keeps each name in full.
#[test]
fn long_lines_are_wrapped_without_loss() {
    let mut builder = NetBuilder::new("long");
    let places: Vec<_> = (0..60)
        .map(|index| builder.place(&format!("{}{index}", "p".repeat(150)), 1).expect("a place"))
        .collect();
    let transitions: Vec<String> = (0..300)
        .map(|index| format!("{}{index}", "t".repeat(if index < 2 { 200 } else { 20 })))
        .collect();
    for name in &transitions {
        let t = builder.transition(name).expect("a transition");
        places.iter().for_each(|&place| builder.take(t, place, 1).expect("an arc"));
    }
    let net = builder.build().expect("a net");
    let directory = TestDirectory::new();
    directory.write("net", &net_text::print(&net));
    let sum: Vec<&str> = net.places().map(|place| net.place_name(place)).collect();
    let goal = format!("max {}", sum.join(" + "));
    let program = directory.succeeds(&["encode", "net", "--goal", &goal, "-f", "lp"]);
    let longest = program.lines().map(str::len).max();
    assert!(longest.is_some_and(|length| length <= 510), "{longest:?}");
    let script = directory.succeeds(&["encode", "net", "--goal", "deadlock"]);
    for file in [&program, &script] {
        for name in &transitions {
            // A comment of an LP file may be broken inside a long name.
            let joined = file.replace("\n\\    ", "");
            assert!(joined.contains(&QuotedInFull(name).to_string()), "{name}");
        }
    }
    let class = script.lines().skip_while(|line| !line.contains(" and 299 more: all of `"));
    let class: Vec<&str> = class.take_while(|line| line.starts_with(';')).collect();
    assert!(class[0].ends_with("`,") && class[1].starts_with(";     `"), "{class:?}");
    assert!(class.iter().skip(2).all(|line| line.len() <= 110), "{class:?}");
    // The objective has a term for each place, although it takes many lines.
    let objective = program.split_once("objective:").expect("an objective").1;
    let objective = objective.split_once("Subject To").expect("constraints").0;
    assert_eq!(objective.matches("m.ppp").count(), 60);
}

/// Returns true if a DIMACS formula is satisfiable, and the number of named variables.
fn solve(dimacs: &str) -> (bool, usize) {
    let mut sat = BatSat::new();
    let mut named = 0;
    let mut clauses = 0;
    let mut promised = None;
    for line in dimacs.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["c", number, ..] => named += usize::from(number.parse::<i32>().is_ok()),
            ["p", "cnf", _, count] => promised = count.parse().ok(),
            _ => {
                let literals = words.iter().map(|word| word.parse().expect("a number"));
                let clause: Vec<Literal> = literals.map_while(Literal::from_dimacs).collect();
                assert_eq!(clause.len() + 1, words.len(), "{line}");
                sat.add_clause(&clause);
                clauses += 1;
            }
        }
    }
    assert_eq!(promised, Some(clauses));
    let answer = sat.solve(&[], &Budget::unlimited());
    (matches!(answer, SatAnswer::Satisfiable(_)), named)
}

#[test]
fn propositions_are_written_for_sat_solvers() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("dead.cnf");
    for values in ["order", "one-of-n", "log"] {
        for (encoding, within) in [("bmc", 2), ("bmc-steps", 1)] {
            let of = |k: u32| {
                let k = k.to_string();
                let dead = ["--goal", "deadlock", "-e", encoding, "-k", &k, "-l", "sat"];
                written(&[&dead[..], &["--values", values]].concat())
            };
            let text = of(within);
            assert!(text.contains(&format!("SAT, {values}, k = {within}, ")), "{text}");
            assert!(text.contains("c unsatisfiable: no goal marking is reachable in"), "{text}");
            let (reached, named) = solve(&text);
            assert!(reached && named > 5, "{encoding} {values} {named}");
            // Each philosopher takes a fork: one step with two firings.
            assert_eq!(solve(&of(1)).0, encoding == "bmc-steps", "{values}");
        }
    }
    let name = file.to_str().unwrap();
    written(&["--goal", "deadlock", "-e", "bmc-steps", "-k", "1", "-l", "SAT", "-o", name]);
    assert!(solve(&std::fs::read_to_string(&file).unwrap()).0);
}

#[test]
fn impossible_encodings_are_refused_with_an_alternative() {
    let queries = queries();
    let cases: [(&[&str], &str); 10] = [
        (&["--goal", "deadlock", "-e", "traps", "-l", "SAT"], "supports bmc and bmc-steps only"),
        (
            &["--queries", &queries, "--id", "most-who-wait", "-e", "bmc", "-l", "SAT"],
            "EF (e >= k)",
        ),
        (&["--goal", "deadlock", "-e", "bmc", "--values", "log"], "--logic SAT"),
        (&["--goal", "deadlock", "-e", "bmc", "-f", "cnf"], "--logic SAT"),
        (&["--goal", "deadlock", "-e", "trap"], "expected some of state-equation"),
        (&["--goal", "deadlock", "-e", "read-feed"], "add state-equation"),
        (&["--goal", "AF deadlock"], "expected a CTL formula, or an LTL formula"),
        (&["--goal", "max nobody"], "nobody"),
        (&["--queries", &queries, "--id", "no-such"], "somebody-eats"),
        (&["--queries", &queries], "--id"),
    ];
    for (arguments, expected) in cases {
        let output = encode(arguments);
        let said = text(&output.stderr);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{arguments:?}");
        assert!(said.contains(expected), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn every_question_of_the_state_equation_is_written_with_its_goal() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let dump = directory.path().join("questions");
    let output = parikh()
        .arg("check")
        .arg(model())
        // Intervals do not decide the formula, so several comparisons are tried together.
        .args(["--formula", "AG !((fork1 >= 1 && eat1 >= 1) || (fork2 >= 1 && eat2 >= 1))"])
        .args(["--threads", "1", "--timeout", "10s"])
        // A search of so few markings would be faster.
        .args(["--engines", "state-equation"])
        .arg("--dump")
        .arg(&dump)
        .output()
        .expect("the binary starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let files = std::fs::read_dir(&dump).expect("made").map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> = files.collect();
    for extension in ["lp", "cnf"] {
        let of = |file: &&PathBuf| file.extension().is_some_and(|found| found == extension);
        let file = files.iter().find(of).expect("one of each kind");
        let written = std::fs::read_to_string(file).unwrap();
        for part in ["net: ", "goal ", "encoding: state equation"] {
            assert!(written.lines().take(6).any(|line| line.contains(part)), "{written}");
        }
    }
}
