//! The command line with the built binary: files, pipes, signals.

use crate::support::binary::{TestDirectory, example, parikh, run, stderr, stdout};
use parikh_generate as generate;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn a_deadlock_is_found_written_and_replayed() {
    let model = example("philosophers.pnml");
    let traces = tempfile::tempdir().expect("a temporary directory");
    let (model, directory) = (model.to_str().unwrap(), traces.path().to_str().unwrap());
    let check = run(&["check", model, "-e", "RD", "--trace", directory]);
    assert_eq!(check.status.code(), Some(0), "{}", stderr(&check));
    assert!(stdout(&check).starts_with("ReachabilityDeadlock: TRUE"), "{}", stdout(&check));
    let trace = traces.path().join("ReachabilityDeadlock.trace");
    let replay = run(&["replay", model, trace.to_str().unwrap()]);
    assert_eq!(replay.status.code(), Some(0), "{}", stderr(&replay));
    assert!(stdout(&replay).contains("the marking is dead"), "{}", stdout(&replay));
}

#[test]
fn witnesses_are_short_and_the_option_shortest_proves_minimality() {
    let model = example("philosophers.pnml");
    let model = model.to_str().unwrap();
    for seed in ["1", "2", "3", "4"] {
        let check = run(&["check", model, "-e", "RD", "--seed", seed]);
        let said = stdout(&check);
        assert!(said.contains("a witness of 2 firings was replayed"), "{said}");
    }
    let check = run(&["check", model, "-e", "RD", "--shortest"]);
    let said = stdout(&check);
    assert!(said.contains("a witness of 2 firings was replayed, and none is shorter"), "{said}");
    // Shortest witnesses also apply to processes and to parts of a formula.
    let directory = TestDirectory::with(
        "place i 1\nplace a\nplace b\nplace o\ntransition s: i -> a + b\ntransition e: a + b -> o\n\
         transition m: 2*a -> 2*b",
    );
    let said = directory.succeeds(&["check", "model.pnml", "-e", "S", "--k", "2", "--shortest"]);
    assert!(
        said.contains("a case gets stuck after 3 firings, and none is shorter, with "),
        "{said}"
    );
    let both = "EF a >= 1 && EF o >= 1";
    let said = directory.succeeds(&["check", "model.pnml", "--formula", both, "--shortest"]);
    assert_eq!(said.matches(", and none is shorter").count(), 2, "{said}");
    // A formula that holds initially needs no firing.
    let said = directory.succeeds(&["check", "model.pnml", "--formula", "EF i >= 1", "--shortest"]);
    assert!(!said.contains("shorter"), "{said}");
}

#[test]
fn informal_names_of_examinations_are_accepted() {
    let directory = TestDirectory::with("place p 1\nplace q\ntransition t: p -> q");
    let said =
        directory.succeeds(&["check", "model.pnml", "-e", "reachability-deadlock, os", "-e", "ss"]);
    let asked: Vec<&str> = said.lines().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(asked[..3], ["ReachabilityDeadlock", "OneSafe", "states"], "{said}");
    let refused = directory.fails_with(2, &["check", "model.pnml", "-e", "Deadlok"]);
    assert!(refused.contains("possible values: ReachabilityDeadlock, "), "{refused}");
}

#[test]
fn one_thing_is_not_several() {
    let directory = TestDirectory::with("place i 1\nplace b\ntransition s: i -> i + b");
    let said = directory.succeeds(&["check", "model.pnml", "-e", "SS"]);
    assert!(said.contains("states: +inf — after 1 firing, 1 more can repeat forever"), "{said}");
    let (_, _, told) = directory.outputs(&["check", "model.pnml", "-e", "OneSafe", "-v"]);
    for several in ["1 questions", "1 goals", "1 transitions", "1 firings", "1 place invariants"] {
        let alone = |line: &str| {
            line.split(several).next().is_some_and(|it| !it.ends_with(char::is_numeric))
        };
        let said: Vec<&str> = told.lines().filter(|it| it.contains(several) && alone(it)).collect();
        assert!(said.is_empty(), "{several}: {said:?}");
    }
    // Unknown figures have the same names as known ones.
    let (code, said, _) =
        directory.outputs(&["check", "model.pnml", "-e", "SS", "--timeout", "0s"]);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("max token in place: unknown"), "{said}");
}

#[cfg(unix)]
#[test]
fn an_invariant_explains_an_unreachable_goal() {
    let why = "`lock` + `in1` + `in2` = 1, so `in1` and `in2` are never marked together (";
    let directory = TestDirectory::with(
        "place lock 1\nplace in1\nplace in2\ntransition enter1: lock -> in1\n\
         transition leave1: in1 -> lock\ntransition enter2: lock -> in2\ntransition leave2: in2 -> lock\n\
         transition clash: in1 + in2 -> in1 + in2",
    );
    let said =
        directory.succeeds(&["check", "model.pnml", "--formula", "a: AG !(in1 >= 1 && in2 >= 1)"]);
    assert!(said.starts_with(&format!("a: TRUE — {why}")), "{said}");
    let said = directory.succeeds(&["check", "model.pnml", "-e", "QuasiLiveness"]);
    let never = format!("QuasiLiveness: FALSE — transition `clash`: {why}");
    assert!(said.starts_with(&never), "{said}");
}

#[test]
fn a_closed_output_pipe_is_no_crash() {
    let directory = TestDirectory::with("net \"n\"\nplace p 1\nplace q\ntransition t: p -> q");
    directory.write("t.trace", "t\n");
    // Where no answers were requested, a closed pipe is no failure. Lost answers are one.
    for (arguments, code) in
        [(&["info", "model.pnml"][..], 0), (&["replay", "model.pnml", "t.trace"], 3)]
    {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = directory.command(arguments);
        let output = command.stdout(writer).stderr(Stdio::piped()).output().expect("it starts");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert_eq!(stderr(&output), "", "{arguments:?}");
    }
}

#[test]
fn queries_are_answered_in_every_format_with_the_same_exit_code() {
    let (model, queries) = (example("philosophers.pnml"), example("philosophers-queries.xml"));
    let (model, queries) = (model.to_str().unwrap(), queries.to_str().unwrap());
    for (format, expected) in [
        ("text", ["somebody-eats: TRUE", "never-both-eat: TRUE", "most-who-wait: 2"]),
        (
            "json",
            [r#""id":"somebody-eats","#, r#""id":"never-both-eat","#, r#""id":"most-who-wait","#],
        ),
        (
            "mcc",
            [
                "FORMULA somebody-eats TRUE TECHNIQUES ",
                "FORMULA never-both-eat TRUE TECHNIQUES ",
                "FORMULA most-who-wait 2 TECHNIQUES ",
            ],
        ),
    ] {
        let arguments = ["check", model, "-e", "RC", "--queries", queries, "--format", format];
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        for line in expected {
            assert!(stdout(&output).contains(line), "{format}: {}", stdout(&output));
        }
    }
}

#[test]
fn the_state_space_is_counted_and_an_unbounded_one_is_infinite() {
    let philosophers = generate::philosophers(4);
    let directory = TestDirectory::with_net(&philosophers.net);
    let path = directory.name();
    let output = run(&["check", path, "-e", "SS", "--format", "mcc"]);
    assert!(stdout(&output).contains("STATE_SPACE STATES 81 "), "{}", stdout(&output));
    let directory = TestDirectory::with_net(&generate::counters(2).net);
    let path = directory.name();
    let output = run(&["check", path, "-e", "SS", "--format", "mcc"]);
    assert_eq!(stdout(&output).matches("+inf").count(), 4, "{}", stdout(&output));
}

#[test]
fn bad_input_is_one_clear_error_and_nothing_on_stdout() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.to_str().unwrap().to_owned()
    };
    let model = example("philosophers.pnml");
    let model = model.to_str().unwrap();
    let empty = file("empty.pnml", "");
    let broken = file("broken.pnml", "<pnml><net id='n'>\n<place id='p'</net></pnml>");
    let other = file(
        "other.xml",
        "<property-set><property><id>a</id><formula><exists-path><finally><is-fireable>\
         <transition>zz</transition></is-fireable></finally></exists-path></formula></property>\
         <property><id>b</id><formula><exists-path><finally><is-fireable>\
         <transition>yy</transition></is-fireable></finally></exists-path></formula></property>\
         </property-set>",
    );
    let missing = directory.path().to_str().unwrap();
    for (arguments, words) in [
        (vec!["info", empty.as_str()], "empty.pnml"),
        (vec!["info", broken.as_str()], "broken.pnml:2"),
        (vec!["info", "/no/such/file.pnml"], "/no/such/file.pnml"),
        (vec!["info", missing], "model.pnml"),
        (vec!["check", model, "-e", "RC"], "--queries"),
        (vec!["check", model, "-e", "RC", "--queries", other.as_str()], "other.xml"),
        (vec!["replay", model, model], "line"),
        (vec!["check", model, "-e", "RD", "--queries", other.as_str()], "omit --queries"),
    ] {
        let output = run(&arguments);
        // An error of the command line itself gives the exit code for wrong usage.
        let misuse = words == "omit --queries";
        let code = if misuse { 2 } else { 1 };
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", stderr(&output));
        assert_eq!(stdout(&output), "", "{arguments:?}");
        assert!(stderr(&output).contains(words), "{arguments:?}: {}", stderr(&output));
        assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
    }
    for alias in ["rd", "deadlock", "DEADLOCK", "reachabilitydeadlock"] {
        assert_eq!(run(&["check", model, "-e", alias]).status.code(), Some(0), "{alias}");
    }
    let usage = run(&["check", model, "-e", "Deadlok"]);
    assert_eq!(usage.status.code(), Some(2));
}

#[test]
fn a_wrong_formula_does_not_lose_the_others() {
    let model = example("philosophers.pnml");
    let text = std::fs::read_to_string(example("philosophers-queries.xml")).expect("readable");
    let directory = tempfile::tempdir().expect("a temporary directory");
    let queries = directory.path().join("queries.xml");
    std::fs::write(&queries, text.replace("<place>lamp</place>", "<place>lampp</place>")).unwrap();
    let output = run(&[
        "check",
        model.to_str().unwrap(),
        "-e",
        "RC",
        "--queries",
        queries.to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stdout(&output).contains("never-both-eat: TRUE"), "{}", stdout(&output));
    assert!(stdout(&output).contains("somebody-eats: unknown"), "{}", stdout(&output));
    assert!(stderr(&output).contains("lamp"), "the closest name: {}", stderr(&output));
}

#[test]
fn the_contest_protocol_is_spoken() {
    let directory = TestDirectory::with_net(&generate::philosophers(3).net);
    let call = |examination: &str| {
        let output = parikh()
            .arg("mcc")
            .current_dir(directory.path())
            .env("BK_EXAMINATION", examination)
            .env("BK_INPUT", "Philosophers-PT-3")
            .env("BK_TIME_CONFINEMENT", "20")
            .output()
            .expect("the binary starts");
        stdout(&output)
    };
    assert!(call("ReachabilityDeadlock").starts_with("FORMULA ReachabilityDeadlock TRUE TECH"));
    assert!(call("OneSafe").starts_with("FORMULA OneSafe TRUE TECHNIQUES "));
    assert_eq!(call("ReachabilityComputeBounds"), "DO_NOT_COMPETE\n");
    // This directory has no query file.
    assert_eq!(call("UpperBounds"), "CANNOT_COMPUTE\n");
}

#[test]
fn a_coloured_model_too_large_to_be_unfolded_is_left_in_the_contest() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let model = "<pnml xmlns='http://www.pnml.org/version-2009/grammar/pnml'><net id='n' \
                 type='http://www.pnml.org/version-2009/grammar/symmetricnet'>\
                 <declaration><structure><declarations><namedsort id='S' name='S'>\
                 <finiteintrange start='1' end='1000000000'/></namedsort></declarations></structure>\
                 </declaration><place id='p'><type><structure><usersort declaration='S'/></structure>\
                 </type><hlinitialMarking><structure><all><usersort declaration='S'/></all>\
                 </structure></hlinitialMarking></place></net></pnml>";
    std::fs::write(directory.path().join("model.pnml"), model).expect("written");
    let output = parikh()
        .arg("mcc")
        .current_dir(directory.path())
        .env("BK_EXAMINATION", "OneSafe")
        .output()
        .expect("the binary starts");
    assert_eq!(stdout(&output), "CANNOT_COMPUTE\n");
    assert!(stderr(&output).contains("1.0·10^9 places"), "{}", stderr(&output));
}

/// Returns the sliding puzzle of 15 tiles in 16 cells, with a query that is answered at once, and a
/// query that is too hard: two tiles are exchanged. Only the parity of the permutation excludes it.
fn endless() -> TestDirectory {
    let mut net = String::from("net puzzle\n");
    for cell in 0..16 {
        net += &format!("place free_{cell} {}\n", u8::from(cell == 15));
        for tile in 0..15 {
            net += &format!("place at_{tile}_{cell} {}\n", u8::from(cell == tile));
        }
    }
    for from in 0..16i32 {
        for to in 0..16i32 {
            let (down, right) = ((to / 4 - from / 4).abs(), (to % 4 - from % 4).abs());
            for tile in (0..15).filter(|_| down + right == 1) {
                let (taken, put) = (format!("at_{tile}_{from}"), format!("at_{tile}_{to}"));
                net += &format!(
                    "transition move_{tile}_{from}_{to}: {taken} + free_{to} -> {put} + free_{from}\n"
                );
            }
        }
    }
    let directory = TestDirectory::with(&net);
    let query = |id: &str, cell_of: &dyn Fn(usize) -> usize| {
        let marked = |tile| {
            let cell = cell_of(tile);
            format!(
                "<integer-le><integer-constant>1</integer-constant><tokens-count><place>\
                 at_{tile}_{cell}</place></tokens-count></integer-le>"
            )
        };
        let all: String = (0..15).map(marked).collect();
        format!(
            "<property><id>{id}</id><formula><exists-path><finally><conjunction>{all}\
             </conjunction></finally></exists-path></formula></property>"
        )
    };
    let exchanged = |tile| match tile {
        13 => 14,
        14 => 13,
        other => other,
    };
    let (easy, hard) = (query("easy", &|tile| tile), query("hard", &exchanged));
    let text = format!("<property-set>{easy}{hard}</property-set>");
    directory.write("ReachabilityCardinality.xml", &text);
    directory
}

#[test]
fn engines_are_chosen_by_name() {
    let net = parikh_net::text::parse(
        "place lock 1\nplace idle1 1\nplace in1\nplace idle2 1\nplace in2
         transition enter1: lock + idle1 -> in1\ntransition leave1: in1 -> lock + idle1
         transition enter2: lock + idle2 -> in2\ntransition leave2: in2 -> lock + idle2",
    );
    let directory = TestDirectory::with_net(&net.expect("a net"));
    let path = directory.name();
    let never = "never: AG !(in1 >= 1 && in2 >= 1)";
    let once = "once: EF (in2 >= 1 && idle1 >= 1)";
    for (engine, formula, because) in [
        ("pdr", never, "an inductive invariant of "),
        ("k-induction", never, "an inductive invariant of "),
        ("bmc", once, "a witness of 1 firing"),
        ("explicit", never, "never: TRUE"),
        ("diagrams", never, "a set of markings that no firing leaves (a decision diagram of "),
        ("diagrams", once, "a witness of 1 firing"),
        #[cfg(feature = "z3")]
        ("bmc-smt", once, "a witness of 1 firing"),
        #[cfg(feature = "z3")]
        ("k-induction-smt", never, "an inductive invariant of "),
    ] {
        let output = run(&["check", path, "--formula", formula, "--engines", engine]);
        assert_eq!(output.status.code(), Some(0), "{engine}: {}", stderr(&output));
        assert!(stdout(&output).contains(because), "{engine}: {}", stdout(&output));
    }
    // Bounded model checking cannot prove unreachability, and no other engine runs.
    let output = run(&["check", path, "--formula", never, "--engines", "bmc", "-t", "1s"]);
    assert!(stdout(&output).contains("never: unknown"), "{}", stdout(&output));
    let output = run(&["check", path, "--formula", never, "--engines", "pdr,magic"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("there are coverability, "), "{}", stderr(&output));
}

/// Returns a command that identifies itself as an SMT solver, and gives the same answer to all
/// questions.
#[cfg(unix)]
fn says(answer: &str) -> String {
    format!(
        "sh -c 'while read -r line; do case \"$line\" in \"(echo \"*) line=${{line#*\\\"}}; \
         echo \"${{line%\\\"*}}\" ;; \"(check-sat\"*) echo {answer} ;; esac; done'"
    )
}

#[cfg(unix)]
#[test]
fn wrong_answers_of_smt_solver_commands_are_refused() {
    let directory = TestDirectory::with("net \"n\"\nplace p 3\nplace q\ntransition t: p -> q");
    let path = directory.path().join("model.pnml");
    let path = path.to_str().unwrap();
    let formulas = ["can: EF (q >= 3)", "never: EF (q >= 1 && p >= 3)"];
    for (engine, answer) in [
        // A false witness, and false proofs.
        ("bmc-smt", "sat"),
        ("bmc-smt", "unsat"),
        ("bmc-smt", "nonsense"),
        ("k-induction-smt", "sat"),
        ("k-induction-smt", "unsat"),
        ("k-induction-smt", "nonsense"),
    ] {
        let command = says(answer);
        let mut arguments = vec!["check", path, "--engines", engine, "-t", "2s", "--stats"];
        formulas.iter().for_each(|formula| arguments.extend(["--formula", formula]));
        let output = run(&[&arguments[..], &["--smt-solver", &command]].concat());
        let said = stdout(&output);
        assert!(!said.contains("can: FALSE") && !said.contains("never: TRUE"), "{said}");
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}", stderr(&output));
        assert!(stderr(&output).contains("questions"), "it was asked: {}", stderr(&output));
    }
    for (command, why) in [
        ("/nowhere/solver", "the solver does not start"),
        ("cat", "is not SMT-LIB 2"),
        ("\"", "expected a program"),
    ] {
        let output =
            run(&["check", path, "-e", "RD", "--engines", "bmc-smt", "--smt-solver", command]);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
    let engines = ["--engines", "walk"];
    let asked = ["check", path, "-e", "RD", "--smt-solver", &says("sat")];
    let output = run(&[&asked[..], &engines].concat());
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("--engines selects none of these"), "{}", stderr(&output));
}

#[cfg(not(feature = "z3"))]
#[test]
fn engines_report_a_missing_solver() {
    let directory = TestDirectory::with("net \"n\"\nplace p 1\nplace q\ntransition t: p -> q");
    let path = directory.path().join("model.pnml");
    let output =
        run(&["check", path.to_str().unwrap(), "--formula", "EF (q >= 1)", "--engines", "bmc-smt"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("--smt-solver"), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_run_within_a_second_with_the_answers_so_far() {
    let directory = endless();
    let path = directory.name();
    let mut child = parikh()
        .args(["check", path, "-e", "RC", "--timeout", "100s"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let first = lines.next().expect("a line").expect("UTF-8");
    // Waits until all engines run.
    std::thread::sleep(Duration::from_millis(500));
    assert!(child.try_wait().expect("a status").is_none(), "the hard question is open");
    // The shell's built-in `kill` is used, because the program may be missing.
    let kill = format!("kill -s TERM {}", child.id());
    let killed = Instant::now();
    assert!(Command::new("sh").args(["-c", &kill]).status().expect("the shell runs").success());
    let rest: Vec<String> = lines.map(|line| line.expect("UTF-8")).collect();
    child.wait().expect("it ends");
    // One second, and a margin for a busy machine.
    assert!(killed.elapsed() < Duration::from_secs(10), "{:?}", killed.elapsed());
    let is_easy = |line: &String| line.contains("easy: TRUE");
    assert!(is_easy(&first) || rest.iter().any(is_easy), "{first}: {rest:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_memory_ends_in_unknown_and_not_in_an_abort() {
    let directory = endless();
    let line = format!(
        "ulimit -v 2000000; exec {} check {} -e RC --timeout 20s --threads 2",
        env!("CARGO_BIN_EXE_parikh"),
        directory.path().display()
    );
    // Printing a backtrace needs memory, too.
    let mut shell = Command::new("sh");
    let output = shell.args(["-c", &line]).env("RUST_BACKTRACE", "0").output().expect("a shell");
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stdout(&output).contains("easy: TRUE"), "{}", stdout(&output));
}

#[test]
fn token_counts_beyond_the_limit_are_no_internal_error() {
    let most = "4611686018427387904";
    let directory = TestDirectory::with(&format!(
        "net n\nplace p {most}\nplace q\nplace r 3\ntransition t: {most}*p -> {most}*q\n\
         transition v: r -> {most}*p\ntransition w: p + q ->"
    ));
    for examination in ["RD", "Liveness", "StateSpace"] {
        let (code, _, stderr) =
            directory.outputs(&["check", "model.pnml", "-e", examination, "--timeout", "4s"]);
        assert!(code == 0 || code == 3, "{examination}: {code}, {stderr}");
        assert!(!stderr.contains("internal error"), "{examination}: {stderr}");
    }
    directory
        .write("more.pnml", &directory.read("model.pnml").replace(most, "9223372036854775808"));
    let said = directory.fails_with(1, &["check", "more.pnml", "-e", "RD"]);
    assert!(said.contains("expected a whole number from 0 to 2^63 - 1"), "{said}");
}

/// A net of two processes with a false claim of safe units, on which no proof may rest.
const CLAIMED: &str = r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="a1"><initialMarking><text>1</text></initialMarking></place><place id="a2"/>
<place id="b1"><initialMarking><text>1</text></initialMarking></place><place id="b2"/>
<transition id="goa"/><transition id="backa"/><transition id="gob"/><transition id="backb"/><transition id="y"/>
<arc id="x1" source="a1" target="goa"/><arc id="x2" source="goa" target="a2"/>
<arc id="x3" source="a2" target="backa"/><arc id="x4" source="backa" target="a1"/>
<arc id="x5" source="b1" target="gob"/><arc id="x6" source="gob" target="b2"/>
<arc id="x7" source="b2" target="backb"/><arc id="x8" source="backb" target="b1"/>
<arc id="x9" source="a1" target="y"/><arc id="x10" source="a2" target="y"/><arc id="x11" source="y" target="a2"/><arc id="x12" source="y" target="b2"/>
</page>
<toolspecific tool="nupn" version="1.1"><size places="4" transitions="5" arcs="12"/><structure units="3" root="u0" safe="true">
<unit id="u0"><places/><subunits>u1 u2</subunits></unit><unit id="u1"><places>a1 a2</places><subunits/></unit><unit id="u2"><places>b1 b2</places><subunits/></unit>
</structure></toolspecific>
</net></pnml>"#;

#[test]
fn reversibility_is_proved_without_the_claim_of_safe_units() {
    let directory = TestDirectory::new();
    directory.write("m.pnml", CLAIMED);
    let formula = "AG EF (a1 >= 1 && b1 >= 1)";
    for asked in [&["--formula", formula][..], &["-e", "Liveness"]] {
        for engines in [&["--engines", "downhill"][..], &[]] {
            let line = [&["check", "m.pnml", "-j", "1", "-t", "10s"], asked, engines].concat();
            let output = directory.run(&line);
            let code = output.status.code();
            assert!(matches!(code, Some(0 | 3)), "{line:?}: {code:?} {}", stderr(&output));
            assert!(!stderr(&output).contains("internal error"), "{}", stderr(&output));
        }
    }
}
