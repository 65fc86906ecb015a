//! Command-line tests of parallel systems: properties, a directory of problems, and error messages.

use crate::support::binary::{TestDirectory, example, objects, stderr, stdout};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const SYSTEM: &str = "digraph G {
  subgraph sender {
0->1 [label=\"\"];
1->2 [label=\"send\"];
2->1 [label=\"ack\"];
  }
  subgraph receiver {
3->4 [label=\"\"];
4->5 [label=\"send\"];
5->4 [label=\"ack\"];
4->4 [label=\"idle\"];
  }
}
";

const PROPERTIES: &str = "#1: true\n( !ack W send )\n\n#2: false\n( G(F(ack)) )\n\n\
                          #3: true\n( G(send => F(ack)) )\n";

fn directory() -> TestDirectory {
    let directory = TestDirectory::new();
    directory.write("one.dot", SYSTEM);
    directory.write("one-properties.txt", PROPERTIES);
    directory
}

/// Runs the auditor, if it was built.
fn certify(directory: &TestDirectory, arguments: &[&str]) -> Option<Output> {
    let program = Path::new(env!("CARGO_BIN_EXE_parikh")).with_file_name("parikh-certify");
    program.exists().then(|| {
        let mut command = Command::new(program);
        command.current_dir(directory.path()).args(arguments).output().expect("it starts")
    })
}

#[test]
fn properties_are_answered_and_their_evidence_is_confirmed() {
    let directory = directory();
    let said = directory.succeeds(&[
        "check",
        "one.dot",
        "--properties",
        "one-properties.txt",
        "--evidence",
        "proofs",
    ]);
    assert!(said.contains("1: TRUE") && said.contains("2: FALSE") && said.contains("3: TRUE"));
    assert!(said.starts_with("# LTL over infinite traces"), "{said}");
    assert!(directory.read("proofs/one-properties.jsonl").lines().count() == 5);
    if let Some(audit) = certify(&directory, &["one.dot", "proofs"]) {
        assert_eq!(audit.status.code(), Some(0), "{}{}", stdout(&audit), stderr(&audit));
        // The other semantics of runs is another question.
        let spin = certify(&directory, &["one.dot", "proofs", "--semantics", "spin"]).unwrap();
        assert_ne!(spin.status.code(), Some(0), "{}", stdout(&spin));
        let text = directory.read("proofs/one-properties.jsonl").replace("FALSE", "TRUE");
        directory.write("proofs/one-properties.jsonl", &text);
        let audit = certify(&directory, &["one.dot", "proofs"]).unwrap();
        assert_ne!(audit.status.code(), Some(0), "{}", stdout(&audit));
    }
}

#[test]
fn a_transition_system_without_state_lines_has_the_states_of_its_transitions() {
    let directory = TestDirectory::new();
    directory.write("a.fsm", "---\n---\n1 2 \"go\"\n");
    directory.write("p.txt", "#1:\n( F go )\n#2:\n( G(go => X(F go)) )\n");
    let said = directory.succeeds(&["check", "a.fsm", "-e", "RD,SS", "--evidence", "proofs"]);
    assert!(said.contains("ReachabilityDeadlock: TRUE") && said.contains("states: 2 "), "{said}");
    directory.succeeds(&["check", "a.fsm", "--properties", "p.txt", "--evidence", "proofs"]);
    if let Some(audit) = certify(&directory, &["a.fsm", "proofs"]) {
        assert_eq!(audit.status.code(), Some(0), "{}{}", stdout(&audit), stderr(&audit));
    }
}

#[test]
fn the_list_of_formats_has_a_line_each() {
    let directory = TestDirectory::new();
    directory.write("unknown.txt", "\nhello world\n");
    let refused = directory.run(&["info", "unknown.txt"]);
    let said = stderr(&refused);
    let lines: Vec<&str> = said.lines().collect();
    let head = "parikh: unknown.txt:2: unknown format: the file begins with `hello world`; expected one of:";
    assert_eq!(lines[0], head);
    assert!(lines.len() == 11 && lines[1..].iter().all(|it| it.starts_with("  ")), "{said}");
    assert!(!said.contains("\\n"), "{said}");
}

#[test]
fn the_run_is_printed_as_json() {
    let directory = directory();
    let arguments = ["check", "one.dot", "--properties", "one-properties.txt", "--format", "json"];
    let all = objects(&directory.succeeds(&arguments));
    let second = all.iter().find(|it| it["type"] == "answer" && it["id"] == "2").unwrap();
    let labels = second["witness"]["labels"].as_array().unwrap();
    let back = second["witness"]["back"].as_u64().unwrap() as usize;
    // The cycle has no acknowledgement.
    assert!(labels[back..].iter().all(|it| it == "idle") && back < labels.len(), "{second}");
    let first = all.iter().find(|it| it["type"] == "answer" && it["id"] == "1").unwrap();
    assert!(first["witness"].is_null());
}

#[test]
fn a_directory_of_problems_gives_a_file_of_answers() {
    let directory = directory();
    directory.write("all/b2.dot", SYSTEM);
    directory.write("all/b2-properties.txt", "#7:\n( G(!idle) )\n");
    directory.write("all/a10.dot", SYSTEM);
    directory.write("all/a10-properties-with-solution.txt", PROPERTIES);
    directory.write("all/alone.dot", SYSTEM);
    let (code, out, said) =
        directory.outputs(&["rers", "all", "-o", "f.csv", "--evidence", "proofs"]);
    assert_eq!((code, out.as_str()), (0, ""), "{said}");
    assert_eq!(directory.read("f.csv"), "b2,7,false\na10,1,true\na10,2,false\na10,3,true\n");
    assert!(
        said.contains("alone.dot is skipped, because the directory has no alone-properties.txt"),
        "{said}"
    );
    assert!(said.contains("3 of 3 agree with the solutions in the file"), "{said}");
    assert!(said.contains("4 of 4 properties of 2 problems are answered"), "{said}");
    let listed = "all/a10-properties-with-solution.txt";
    let file = "proofs/a10-properties-with-solution.jsonl";
    if let Some(audit) = certify(&directory, &["all/a10.dot", file, "--queries", listed]) {
        assert_eq!(audit.status.code(), Some(0), "{}{}", stdout(&audit), stderr(&audit));
    }
    let said = directory.fails_with(1, &["rers", "proofs", "-o", "f.csv"]);
    assert!(
        said.contains("the directory has no problem: expected NAME.dot with NAME-properties.txt"),
        "{said}"
    );
}

/// The first system is a pipe, so that the signal comes before the problem is read.
#[cfg(unix)]
#[test]
fn an_interrupted_run_over_problems_is_incomplete() {
    let directory = TestDirectory::new();
    for name in ["a", "b", "c"] {
        directory.write(&format!("all/{name}.dot"), SYSTEM);
        directory.write(&format!("all/{name}-properties.txt"), PROPERTIES);
    }
    std::fs::remove_file(directory.at("all/a.dot")).expect("removed");
    let made = Command::new("mkfifo").arg(directory.at("all/a.dot")).status().expect("it starts");
    assert!(made.success());
    let mut command = directory.command(&["rers", "all", "-o", "f.csv"]);
    let child = command.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    // Opening the pipe waits until the program opens it, after it listens to signals.
    let mut pipe =
        std::fs::File::options().write(true).open(directory.at("all/a.dot")).expect("open");
    let kill = format!("kill -s TERM {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().expect("it starts").success());
    std::thread::sleep(std::time::Duration::from_millis(100));
    pipe.write_all(SYSTEM.as_bytes()).expect("written");
    drop(pipe);
    let output = child.wait_with_output().expect("it ends");
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("properties of 1 problem are answered; 2 problems not read"), "{said}");
}

#[test]
fn systems_are_read_from_compressed_files_and_standard_input() {
    let directory = directory();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(SYSTEM.as_bytes()).expect("written");
    std::fs::write(directory.at("one.dot.gz"), packed.finish().expect("packed")).expect("written");
    // A component may have the label at several states.
    let repeated =
        SYSTEM.replace("2->1 [label=\"ack\"];", "2->1 [label=\"ack\"];\n1->1 [label=\"ack\"];");
    directory.write("repeated.dot", &repeated);
    let said = directory.succeeds(&["info", "repeated.dot"]);
    let choices = "choices      no state has two edges with one label, and each component has one";
    assert!(said.contains(choices), "{said}");
    let plain = directory.succeeds(&["info", "one.dot"]);
    assert!(plain.starts_with("system       one\n"), "{plain}");
    assert_eq!(directory.succeeds(&["info", "one.dot.gz"]), plain);
    let arguments = ["--properties", "one-properties.txt", "--evidence", "proofs"];
    let said = directory.succeeds(&[&["check", "one.dot.gz"][..], &arguments].concat());
    assert!(said.contains("1: TRUE") && said.contains("2: FALSE"), "{said}");
    if let Some(audit) = certify(&directory, &["one.dot.gz", "proofs"]) {
        assert_eq!(audit.status.code(), Some(0), "{}{}", stdout(&audit), stderr(&audit));
    }
    let mut command = directory.command(&[&["check", "-"][..], &arguments].concat());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    child.stdin.take().expect("a pipe").write_all(SYSTEM.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("3: TRUE"), "{}", stdout(&output));
}

#[test]
fn open_properties_are_reported_as_unknown() {
    let directory = directory();
    directory.write("p.txt", "#1:\n( X(ack) )\n#2:\n( G(!send) )\n");
    let spin = ["check", "one.dot", "--properties", "p.txt", "--semantics", "spin"];
    let (code, out, _) = directory.outputs(&spin);
    assert_eq!(code, 3, "{out}");
    assert!(out.contains("1: unknown — with `X`") && out.contains("2: FALSE"), "{out}");
}

/// Returns a system in which acknowledgements stop and the sender waits forever.
fn stopping() -> String {
    SYSTEM
        .replace("5->4 [label=\"ack\"]", "5->6 [label=\"ack\"]")
        .replace("2->1 [label=\"ack\"]", "2->9 [label=\"never\"];\n9->1 [label=\"ack\"]")
        .replace("4->4 [label=\"idle\"];", "6->6 [label=\"never\"];")
}

#[test]
fn deadlocks_and_dead_labels_are_questions_about_the_net() {
    let directory = directory();
    let said = directory.succeeds(&["check", "one.dot", "-e", "ReachabilityDeadlock"]);
    assert!(said.starts_with("ReachabilityDeadlock: FALSE"), "{said}");
    let said = directory.succeeds(&["check", "one.dot", "-e", "QuasiLiveness"]);
    assert!(said.starts_with("QuasiLiveness: TRUE"), "{said}");
    directory.write("two.dot", &stopping());
    let said = directory.succeeds(&["check", "two.dot", "-e", "ReachabilityDeadlock"]);
    assert!(said.starts_with("ReachabilityDeadlock: TRUE"), "{said}");
    let said = directory.succeeds(&["check", "two.dot", "-e", "QuasiLiveness"]);
    assert!(said.starts_with("QuasiLiveness: FALSE"), "{said}");
}

#[test]
fn errors_have_their_file_and_line() {
    let directory = directory();
    directory.write("broken.dot", "digraph G {\n  subgraph a {\n0->1 [label=];\n  }\n}\n");
    directory.write("broken.txt", "#1:\n( ack &\n");
    for (arguments, expected) in [
        (&["check", "broken.dot", "--properties", "one-properties.txt"][..], "broken.dot:3:"),
        (&["check", "one.dot", "--properties", "broken.txt"], "broken.txt:"),
        (&["check", "one.dot", "--properties", "nowhere.txt"], "nowhere.txt"),
        (&["check", "nowhere.dot", "--properties", "one-properties.txt"], "nowhere.dot"),
        (&["check", "broken.txt", "--properties", "broken.txt"], "expected a parallel system"),
        (
            &["check", "one.dot", "--properties", "one-properties.txt", "--format", "mcc"],
            "--format text or json",
        ),
    ] {
        let code = if arguments.contains(&"mcc") { 2 } else { 1 };
        let said = directory.fails_with(code, arguments);
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
    directory.write("p.txt", "#1:\n( G(!nobody) )\n");
    let (code, out, said) = directory.outputs(&["check", "one.dot", "--properties", "p.txt"]);
    assert!(code == 0 && out.contains("1: TRUE"), "{out}");
    assert!(said.contains("no component has the label"), "{said}");
}

#[test]
fn the_example_of_the_guide_is_answered() {
    let (system, listed) = (example("post.dot"), example("post-properties.txt"));
    let arguments = ["check", system.to_str().unwrap(), "--properties", listed.to_str().unwrap()];
    let said = TestDirectory::new().succeeds(&arguments);
    assert_eq!(
        said.lines().filter(|it| it.contains(": TRUE") || it.contains(": FALSE")).count(),
        6
    );
}

#[test]
fn components_are_drawn_side_by_side_with_their_shared_labels() {
    let directory = directory();
    assert_eq!(directory.succeeds(&["draw", "one.dot", "-o", "one.svg"]), "");
    let picture = directory.read("one.svg");
    // Each component has two states. Labels send and ack are shared, and idle belongs to the
    // receiver.
    assert_eq!(picture.matches("class=\"state\"").count(), 4);
    assert_eq!(picture.matches("class=\"component\"").count(), 2);
    assert_eq!(picture.matches("class=\"start\"").count(), 2);
    assert_eq!(picture.matches("class=\"edge\"").count(), 5);
    for said in [">sender<", ">receiver<", ">send: sender, receiver<", ">ack: sender, receiver<"] {
        assert!(picture.contains(said), "{said}: {picture}");
    }
    assert!(picture.contains(">idle<") && !picture.contains(">idle: "), "{picture}");
    directory.succeeds(&["draw", "one.dot", "-o", "one.png", "--width", "500"]);
    directory.succeeds(&["draw", "one.dot", "-o", "lit.svg", "--highlight", "send"]);
    assert_eq!(directory.read("lit.svg").matches("class=\"edge bright\"").count(), 2);
    let said =
        directory.fails_with(1, &["draw", "one.dot", "-o", "lit.svg", "--highlight", "sent"]);
    assert!(said.contains("no component has the label") && said.contains("sent"), "{said}");
    // The drawing for Graphviz, and of the system's net.
    let graph = directory.succeeds(&["draw", "one.dot"]);
    assert_eq!((graph.matches("subgraph").count(), graph.matches("->").count()), (2, 7));
    assert!(directory.succeeds(&["draw", "one.dot", "--unfold"]).contains("t0"));
}

#[test]
fn states_are_named_by_their_labels() {
    let directory = TestDirectory::new();
    let system = example("post.dot");
    let system = system.to_str().unwrap();
    directory.succeeds(&["draw", system, "-o", "post.svg"]);
    let picture = directory.read("post.svg");
    assert!(picture.contains(">waiting</text>") && !picture.contains(">root</text>"), "{picture}");
    // The same highlighting in the net.
    directory.succeeds(&["draw", system, "--unfold", "-o", "net.svg"]);
    assert!(directory.read("net.svg").contains(">waiting</text>"));
}

#[test]
fn large_components_are_drawn_as_boxes() {
    let directory = TestDirectory::new();
    let mut system = String::from("digraph G {\nsubgraph long {\nr->0 [label=\"\"];\n");
    (0..400).for_each(|at| system.push_str(&format!("{at}->{} [label=\"a\"];\n", at + 1)));
    system.push_str("}\nsubgraph small {\nq->x [label=\"\"];\nx->x [label=\"a\"];\n}\n}\n");
    directory.write("long.dot", &system);
    let (code, _, said) = directory.outputs(&["draw", "long.dot", "-o", "long.svg"]);
    assert!(code == 0 && said.contains("1 of 2 components"), "{said}");
    let picture = directory.read("long.svg");
    assert!(picture.contains(">401 states, 400 edges<"), "{picture}");
    assert_eq!(picture.matches("class=\"state\"").count(), 1);
    let (code, _, said) = directory.outputs(&["draw", "long.dot", "-o", "long.svg", "--all"]);
    assert!(code == 0 && said.contains("more than fit on a screen"), "{said}");
    assert_eq!(directory.read("long.svg").matches("class=\"state\"").count(), 402);
}

#[test]
fn a_large_system_is_drawn_partly() {
    let directory = TestDirectory::new();
    let mut system = String::from("digraph G {\n");
    for at in 0..20 {
        system.push_str(&format!("subgraph ring{at} {{\nr{at}->s{at}_0 [label=\"\"];\n"));
        for state in 0..100 {
            let next = (state + 1) % 100;
            system.push_str(&format!("s{at}_{state}->s{at}_{next} [label=\"l{at}_{state}\"];\n"));
        }
        system.push_str("}\n");
    }
    system.push_str("}\n");
    directory.write("rings.dot", &system);
    let (code, _, said) = directory.outputs(&["draw", "rings.dot", "-o", "rings.svg"]);
    assert!(code == 0 && said.contains("10 of 20 components"), "{said}");
    let picture = directory.read("rings.svg");
    assert_eq!(picture.matches("class=\"state\"").count(), 1_000);
    assert_eq!(picture.matches(">100 states, 100 edges<").count(), 10);
    // The complete drawing, with its size.
    let (code, _, said) = directory.outputs(&["draw", "rings.dot", "-o", "rings.svg", "--all"]);
    assert!(code == 0 && said.contains(" pixels, more than fit on a screen"), "{said}");
    assert_eq!(directory.read("rings.svg").matches("class=\"state\"").count(), 2_000);
}

#[test]
fn a_report_plays_the_run_against_a_property() {
    let directory = directory();
    let arguments = ["report", "one.dot", "--properties", "one-properties.txt", "-o", "r.html"];
    assert_eq!(directory.succeeds(&arguments), "");
    let page = directory.read("r.html");
    let data = page_data(&page);
    let values: Vec<_> =
        (0..3).map(|at| data["properties"][at]["value"].as_bool().unwrap()).collect();
    assert_eq!(values, [true, false, true]);
    // The formula G F ack is violated by a run that finally idles forever.
    let row = &data["properties"][1];
    assert_eq!(row["evidence"], "replayed");
    let run = &data["runs"][row["run"].as_u64().unwrap() as usize];
    assert!(data["properties"][0]["run"].is_null() && run["ends"] == false);
    let (back, steps) = (run["back"].as_u64().unwrap() as usize, run["steps"].as_array().unwrap());
    assert!(back < steps.len());
    let label = |step: &serde_json::Value| {
        data["labels"][step[0].as_u64().unwrap() as usize].as_str().unwrap().to_owned()
    };
    assert!(steps[back..].iter().all(|step| label(step) != "ack"), "{run}");
    // All highlighted elements exist, and the page requests nothing from a network.
    for step in steps {
        for moved in step[1].as_array().unwrap() {
            assert!(page.contains(&format!("id=\"s{}-{}\"", moved[0], moved[1])));
        }
    }
    assert!(page.contains("default-src 'none'") && !page.contains("https://"));
    // A time limit that is too short leaves properties open, on the page and by the exit code.
    let (code, _, said) = directory.outputs(&[&arguments[..], &["--timeout", "0s"]].concat());
    assert!(code == 3 && said.contains("3 of 3 properties are open"), "{said}");
    let said = directory.fails_with(2, &[&arguments[..], &["-e", "OneSafe"]].concat());
    assert!(said.contains("cannot be used with"), "{said}");
}

#[test]
fn a_default_report_answers_deadlock_and_occurring_labels() {
    let directory = directory();
    directory.write("two.dot", &stopping());
    assert_eq!(directory.succeeds(&["report", "two.dot", "-o", "two.html"]), "");
    let page = directory.read("two.html");
    let data = page_data(&page);
    let [stops, labels] = data["properties"].as_array().unwrap().as_slice() else {
        panic!("{data}");
    };
    assert_eq!(
        (&stops["value"], &stops["good"], &stops["evidence"]),
        (&true.into(), &false.into(), &"replayed".into())
    );
    // After one step, the sender waits for a label that the receiver never offers.
    let run = &data["runs"][stops["run"].as_u64().unwrap() as usize];
    assert_eq!((&run["ends"], run["steps"].as_array().unwrap().len()), (&true.into(), 1));
    let moved = run["steps"][0][1].as_array().unwrap();
    assert_eq!(moved.len(), 2, "both components: {run}");
    for pair in moved {
        assert!(page.contains(&format!("id=\"s{}-{}\"", pair[0], pair[1])));
    }
    let waits = "sender is in 2: “never” waits for receiver";
    assert!(stops["blocked"].as_array().unwrap().iter().any(|line| line == waits), "{stops}");
    assert_eq!(labels["value"], false);
    let reason = labels["reason"].as_str().unwrap();
    assert!(reason.contains("2 of 3 labels never occur: “ack”, “never”"), "{reason}");
    for one in data["coming"].as_array().unwrap() {
        let name = &data["labels"][one["label"].as_u64().unwrap() as usize];
        match name == "send" {
            true => {
                let run = &data["runs"][one["run"].as_u64().unwrap() as usize];
                assert_eq!(run["steps"].as_array().unwrap().last().unwrap()[0], one["label"]);
            }
            false => {
                assert_eq!((&one["comes"], &one["evidence"]), (&false.into(), &"certified".into()));
            }
        }
    }
    let figure = |what: &str| {
        let all = data["figures"].as_array().unwrap();
        all.iter().find(|it| it[0] == what).map(|it| it[1].as_str().unwrap().to_owned())
    };
    assert!(figure("states of the product").unwrap().starts_with("2 ["), "{data}");
    // An infinite run in which all labels occur.
    directory.succeeds(&["report", "one.dot", "-o", "one.html"]);
    let data = page_data(&directory.read("one.html"));
    let values: Vec<_> = (0..2).map(|at| data["properties"][at]["good"].as_bool()).collect();
    assert_eq!(values, [Some(true), Some(true)], "{data}");
    assert_eq!(data["properties"][0]["evidence"], "certified");
    assert!(!data["properties"][0]["lines"].as_array().unwrap().is_empty(), "{data}");
    // A question about the net has the page of the net.
    directory.succeeds(&["report", "one.dot", "-e", "OneSafe", "-o", "net.html"]);
    assert!(directory.read("net.html").contains("OneSafe"));
    let (code, _, said) =
        directory.outputs(&["report", "one.dot", "-o", "open.html", "--timeout", "0s"]);
    assert!(code == 3 && said.contains("2 of 2 questions are open"), "{said}");
}

#[test]
fn names_in_a_report_are_never_markup() {
    let directory = TestDirectory::new();
    let name = "</script><b>&";
    directory.write("n.dot", &SYSTEM.replace("idle", name).replace("sender", "\"<i>\""));
    directory.write("p.txt", "#1:\n( G(F(ack)) )\n");
    let page = directory.succeeds(&["report", "n.dot", "--properties", "p.txt", "-o", "-"]);
    assert!(!page.contains("<b>&") && !page.contains("<i>"), "{page}");
    assert_eq!(page.matches("</script>").count(), 2);
    let labels = &page_data(&page)["labels"];
    assert!(labels.as_array().unwrap().iter().any(|label| label == name), "{labels}");
}

/// Returns the data of a page.
fn page_data(page: &str) -> serde_json::Value {
    let (_, rest) = page.split_once("id=\"data\">").expect("data");
    serde_json::from_str(rest.split_once("</script>").expect("an end").0).expect("JSON")
}
