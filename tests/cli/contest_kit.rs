//! The contest kit: its script's output when the program fails, and the names of techniques.

#![cfg(unix)]

use crate::support::binary::{TestDirectory, example, parikh, repository, stderr, stdout};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const QUERIES: &str = "<property-set xmlns='http://mcc.lip6.fr/'>\
    <property><id>Toy-01</id><formula/></property>\n<property>\n<id> Toy-02 </id></property>\
    <property><id>Toy-03</id></property></property-set>";

/// Creates an instance with queries and the kit's script.
fn kit() -> TestDirectory {
    let directory = TestDirectory::with("place p 1\nplace q\ntransition t: p -> q\n");
    directory.write("UpperBounds.xml", QUERIES);
    let script = std::fs::read_to_string(repository("benchmarks/mcc/BenchKit_head.sh")).unwrap();
    write_program(&directory, "BenchKit_head.sh", &script);
    directory
}

fn write_program(directory: &TestDirectory, name: &str, text: &str) {
    let path = directory.write(name, text);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Returns a call of the script with the programs of this folder.
fn command(directory: &TestDirectory, programs: &Path, examination: &str) -> Command {
    let mut command = Command::new(directory.at("BenchKit_head.sh"));
    command.current_dir(directory.path()).stdin(Stdio::null());
    command.env("BK_BIN_PATH", programs).env("BK_EXAMINATION", examination);
    command.env("BK_TIME_CONFINEMENT", "20").env("BK_INPUT", "Toy-PT-1");
    command
}

/// Runs the script with a program that executes `body`.
fn call_of(body: &str) -> Output {
    let directory = kit();
    write_program(
        &directory,
        "bin/parikh",
        &format!("#!/bin/sh\n[ \"$1\" = mcc ] || exit 0\n{body}\n"),
    );
    command(&directory, &directory.at("bin"), "UpperBounds").output().unwrap()
}

#[test]
fn open_questions_of_a_killed_program_are_printed_as_not_computed() {
    for end in ["kill -KILL $$", "kill -ABRT $$", "kill -SEGV $$", "exit 101"] {
        let nothing = call_of(end);
        assert_eq!(stdout(&nothing), "CANNOT_COMPUTE\n", "{end}");
        assert!(stderr(&nothing).contains("open questions have no answer"), "{}", stderr(&nothing));
        let some = call_of(&format!("echo 'FORMULA Toy-02 1 TECHNIQUES EXPLICIT'\n{end}"));
        assert_eq!(
            stdout(&some),
            "FORMULA Toy-02 1 TECHNIQUES EXPLICIT\nFORMULA Toy-01 CANNOT_COMPUTE\n\
             FORMULA Toy-03 CANNOT_COMPUTE\n",
            "{end}"
        );
    }
    // So does a program that has answered a part when its time or memory is over.
    let some = call_of("echo 'FORMULA Toy-02 1 TECHNIQUES EXPLICIT'; exit 3");
    assert_eq!((stdout(&some).lines().count(), some.status.code()), (3, Some(3)));
    assert!(stdout(&some).ends_with("FORMULA Toy-03 CANNOT_COMPUTE\n") && stderr(&some).is_empty());
    let killed = call_of("kill -KILL $$");
    assert!(stderr(&killed).contains("code 137, which is signal 9"), "{}", stderr(&killed));
    // The program itself reports open questions, or that it does not compete.
    for (body, code) in [("echo CANNOT_COMPUTE; exit 3", 3), ("echo DO_NOT_COMPETE", 0)] {
        let output = call_of(body);
        assert_eq!(output.status.code(), Some(code));
        assert_eq!(stdout(&output).lines().count(), 1);
    }
    let refused = call_of("echo CANNOT_COMPUTE; exit 1");
    assert_eq!(stdout(&refused), "CANNOT_COMPUTE\n");
    let figures = call_of("echo 'STATE_SPACE STATES 1 TECHNIQUES EXPLICIT'; kill -KILL $$");
    assert_eq!(stdout(&figures), "STATE_SPACE STATES 1 TECHNIQUES EXPLICIT\n");
}

#[test]
fn missing_libraries_are_reported() {
    let directory = kit();
    let loader = "parikh: error while loading shared libraries: libz3.so.5.3: cannot open shared \
                  object file: No such file or directory";
    write_program(&directory, "bin/parikh", &format!("#!/bin/sh\necho '{loader}' >&2\nexit 127\n"));
    let output = command(&directory, &directory.at("bin"), "UpperBounds").output().unwrap();
    assert_eq!((stdout(&output), output.status.code()), ("CANNOT_COMPUTE\n".to_owned(), Some(1)));
    let said = stderr(&output);
    assert!(said.contains("the library libz3.so.5.3 is missing: copy it from"), "{said}");
    let nowhere = command(&directory, &directory.at("nowhere"), "UpperBounds").output().unwrap();
    let found_in_bin = stderr(&nowhere).contains("libz3.so.5.3 is missing");
    assert!(found_in_bin, "{}", stderr(&nowhere));
    std::fs::remove_dir_all(directory.at("bin")).unwrap();
    let nowhere = command(&directory, &directory.at("nowhere"), "UpperBounds").output().unwrap();
    assert_eq!(stdout(&nowhere), "CANNOT_COMPUTE\n");
    assert!(stderr(&nowhere).contains("no parikh in BK_BIN_PATH"), "{}", stderr(&nowhere));
}

#[test]
fn answers_of_the_program_pass_through_the_script() {
    let directory = kit();
    let programs = Path::new(env!("CARGO_BIN_EXE_parikh")).parent().unwrap();
    let output = command(&directory, programs, "ReachabilityDeadlock").output().unwrap();
    let said = stdout(&output);
    assert!(said.starts_with("FORMULA ReachabilityDeadlock TRUE TECHNIQUES "), "{said}");
    assert_eq!((said.lines().count(), output.status.code()), (1, Some(0)));
    // A wrong limit and a missing input are reported.
    let mut wrong = command(&directory, programs, "ReachabilityDeadlock");
    let wrong = wrong.env("BK_TIME_CONFINEMENT", "soon").output().unwrap();
    assert!(
        stderr(&wrong).contains("BK_TIME_CONFINEMENT is `soon`, expected"),
        "{}",
        stderr(&wrong)
    );
    assert!(stdout(&wrong).starts_with("FORMULA "));
    let empty = tempfile::tempdir().unwrap();
    let mut missing = command(&directory, programs, "UpperBounds");
    let missing = missing.current_dir(empty.path()).output().unwrap();
    assert_eq!(stdout(&missing), "CANNOT_COMPUTE\n");
    assert!(stderr(&missing).contains("no model.pnml"), "{}", stderr(&missing));
    let mut unnamed = command(&directory, programs, "");
    let unnamed = unnamed.env_remove("BK_EXAMINATION").output().unwrap();
    assert_eq!(stdout(&unnamed), "CANNOT_COMPUTE\n");
    assert!(stderr(&unnamed).contains("BK_EXAMINATION is not set"), "{}", stderr(&unnamed));
}

/// Returns the lines of the contest's output for a call on a model.
fn lines_of(model: &Path, question: &[&str]) -> Vec<String> {
    let mut command = parikh();
    command.arg("check").arg(model).args(question).args(["--format", "mcc", "--timeout", "20s"]);
    stdout(&command.output().unwrap()).lines().map(str::to_owned).collect()
}

#[test]
fn the_contests_names_of_techniques_are_printed() {
    let coloured = example("philosophers-coloured.pnml");
    for question in [["-e", "ReachabilityDeadlock"], ["-e", "OneSafe"], ["-e", "StateSpace"]] {
        for line in lines_of(&coloured, &question) {
            assert!(line.contains(" UNFOLDING_TO_PT"), "{line}");
        }
    }
    let plain = example("philosophers.pnml");
    for question in [["-e", "ReachabilityDeadlock"], ["-e", "OneSafe"]] {
        let lines = lines_of(&plain, &question);
        assert!(lines.len() == 1 && !lines[0].contains("UNFOLDING_TO_PT"), "{lines:?}");
        let words = lines[0].split_once("TECHNIQUES ").unwrap().1;
        let known = parikh::mcc::techniques::TECHNIQUES;
        assert!(words.split(' ').filter(|word| known.contains(word)).count() >= 2, "{words}");
    }
}

#[test]
fn verdict_files_list_the_techniques_that_are_printed() {
    let known = parikh::mcc::techniques::TECHNIQUES;
    for model in ["philosophers.pnml", "philosophers-coloured.pnml"] {
        let run = |format: &str| {
            let mut command = parikh();
            command.arg("properties").arg(example(model)).args(["-j", "1", "--format", format]);
            stdout(&command.output().unwrap())
        };
        let printed = crate::support::binary::objects(&run("json"));
        let file = run("xml");
        let verdicts: Vec<&str> = file.split("<verdict ").skip(1).collect();
        let keys: Vec<_> = printed.iter().filter(|it| it["techniques"].is_array()).collect();
        assert_eq!((verdicts.len(), keys.len()), (21, 21), "{file}");
        for key in keys {
            let name = key["key"].as_str().unwrap();
            let verdict = verdicts.iter().find(|it| it.contains(&format!("\"{name}\""))).unwrap();
            let words = key["techniques"].as_array().unwrap().iter().map(|it| it.as_str().unwrap());
            for word in words.filter(|word| known.contains(word)) {
                assert!(
                    verdict.contains(&format!("<technique>{word}</technique>")),
                    "{name} {word} {verdict}"
                );
            }
            let is_open = key["techniques"].as_array().unwrap().is_empty();
            let is_unfolded = verdict.contains("UNFOLDING_TO_PT");
            assert_eq!(is_unfolded, model.contains("coloured") && !is_open, "{name}");
        }
    }
}
