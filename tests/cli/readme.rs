//! Every command line of README.md that can be run here is run, as it stands there.
//!
//! Its placeholders (MODEL, QUERIES.xml, DIR, …) are files of these names in a directory of their own.

use crate::support::binary::{Desk, example, repository, stderr, stdout};
use std::process::{Command, Output};

/// Beginnings of lines that are not run, and why.
const NOT_RUN: &[(&str, &str)] = &[
    ("scripts/run.sh", "installs and builds"),
    ("scripts/test.sh", "installs, and would run this test"),
    ("cargo build", "builds"),
    ("cargo run", "builds; evidence/tests call parikh-certify"),
    ("target/release/parikh-bench", "another program, for hours; benchmarks/tests calls it"),
    ("parikh check MODEL --formula 'EF p(red", "of a coloured net: tests/coloured/cli.rs asks so"),
    ("parikh unfold MODEL", "of a coloured net: tests/coloured/cli.rs does it"),
    ("parikh draw MODEL -o net.svg", "takes Graphviz; draw.rs does it where that is installed"),
];

/// What has to be there before a line that begins so, beyond what the lines above it left.
const BEFORE: &[(&str, &str)] = &[
    ("parikh check MODEL --formulas", "echo 'EF (p1 >= 1)' > FILE"),
    ("parikh verdicts", "parikh properties MODEL --format xml > FILE"),
    ("parikh reduce MODEL --check", REDUCED),
    ("parikh replay MODEL small.trace", REDUCED),
];

const REDUCED: &str = "parikh reduce MODEL --preserve deadlock -o small.pnml --log small.json && \
                       parikh check small.pnml -e RD --trace . && \
                       mv ReachabilityDeadlock.trace small.trace";

/// Two who take p and q in different orders, with the names that the README uses.
const MODEL: &str = "net example\nplace i1 1\nplace i2 1\nplace p 1\nplace q 1\n\
    place p1\nplace p2\nplace c1\nplace c2\n\
    transition t: i1 + p -> p1\ntransition t2: p1 + q -> c1\ntransition t3: c1 -> i1 + p + q\n\
    transition u: i2 + q -> p2\ntransition u2: p2 + p -> c2\ntransition u3: c2 -> i2 + p + q";

const CARDINALITY: &str = "<property-set><property><id>ID</id><formula><exists-path><finally>\
    <integer-le><integer-constant>1</integer-constant><tokens-count><place>c1</place><place>c2</place>\
    </tokens-count></integer-le></finally></exists-path></formula></property></property-set>";

const BOUNDS: &str = "<property-set><property><id>ID</id><formula><place-bound><place>p1</place>\
    <place>p2</place></place-bound></formula></property></property-set>";

/// A directory in which the README's lines mean something.
fn desk() -> Desk {
    let desk = Desk::with(MODEL);
    let model = desk.read("model.pnml");
    desk.write("MODEL", &model);
    desk.write("ReachabilityCardinality.xml", CARDINALITY);
    desk.write("QUERIES.xml", CARDINALITY);
    desk.write("INSTANCE_DIRECTORY/model.pnml", &model);
    desk.write("INSTANCE_DIRECTORY/UpperBounds.xml", BOUNDS);
    desk.write("INSTANCE_DIRECTORY/ReachabilityCardinality.xml", CARDINALITY);
    for name in ["philosophers.pnml", "orders.pnml"] {
        let text = std::fs::read_to_string(example(name)).expect("readable");
        desk.write(&format!("examples/{name}"), &text);
    }
    desk
}

/// A line of a shell that finds our `parikh` first.
fn shell(desk: &Desk, line: &str) -> Output {
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_parikh")).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(desk.path());
    shell.env("PATH", format!("{}:{path}", folder.display()));
    shell.env_remove("PARIKH_LOG").env_remove("BK_EXAMINATION").output().expect("a shell")
}

/// The lines of the README's shell blocks, continued ones put together, without what is remarked.
fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let (mut inside, mut continued) = (false, false);
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```sh";
            continue;
        }
        // `#` begins a remark at the start of a line or after two blanks; `firings#0` does not.
        let line = line.split("  #").next().unwrap_or_default().trim();
        if !inside || line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (line, goes_on) = line.strip_suffix('\\').map_or((line, false), |line| (line, true));
        match lines.last_mut().filter(|_| continued) {
            Some(last) => last.push_str(line),
            None => lines.push(line.to_owned()),
        }
        continued = goes_on;
    }
    lines
}

fn begins<'t>(line: &str, table: &'t [(&str, &str)]) -> Option<&'t (&'t str, &'t str)> {
    table.iter().find(|(start, _)| line.starts_with(start))
}

#[cfg(unix)]
#[test]
fn every_command_line_of_the_readme_runs() {
    let readme = std::fs::read_to_string(repository("README.md")).expect("readable");
    let desk = desk();
    let lines = lines(&readme);
    let mut failed = Vec::new();
    let mut run = 0;
    for line in &lines {
        if begins(line, NOT_RUN).is_some() {
            continue;
        }
        assert!(line.starts_with("parikh "), "neither run nor in NOT_RUN: {line}");
        if let Some((_, before)) = begins(line, BEFORE) {
            let output = shell(&desk, before);
            assert!(output.status.success(), "before {line}: {}", stderr(&output));
        }
        // What stands for several, and what other programs are told, is left out.
        let said = line.replace('…', "");
        let output = shell(&desk, said.split(" | ").next().unwrap());
        run += 1;
        if output.status.code() != Some(0) || stdout(&output).is_empty() && !line.contains(" -o ") {
            failed.push(format!("{line}\n{}{}", stdout(&output), stderr(&output)));
        }
    }
    assert!(
        failed.is_empty(),
        "these do not work; files they need are made by `desk` and BEFORE in {}:\n{}",
        file!(),
        failed.join("\n")
    );
    for (start, why) in NOT_RUN.iter().chain(BEFORE) {
        let occurs = lines.iter().any(|line| line.starts_with(start));
        assert!(occurs, "`{start}` ({why}) is no longer in the README");
    }
    assert!(run > 25, "only {run} lines were run");
}

#[test]
fn every_command_that_the_readme_speaks_of_exists() {
    let readme = std::fs::read_to_string(repository("README.md")).expect("readable");
    let spoken = readme.split('`').filter_map(|piece| piece.strip_prefix("parikh "));
    let mut names: Vec<&str> = spoken.filter_map(|rest| rest.split_whitespace().next()).collect();
    names.retain(|name| name.chars().all(|c| c.is_ascii_lowercase()));
    names.sort_unstable();
    names.dedup();
    assert!(names.len() > 3, "{names:?}");
    for name in names {
        assert!(Desk::new().fine(&[name, "--help"]).contains("Usage: parikh"), "{name}");
    }
}
