//! Runs the commands printed in the README and the guide, as written.
//!
//! Placeholders (MODEL, QUERIES.xml, DIR, …) are files of these names in a temporary directory.

use crate::support::binary::{TestDirectory, example, repository, stderr, stdout};
use crate::support::outside::skipped;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A page with annotations for its commands.
pub(crate) struct Page<'t> {
    /// The path in the repository.
    pub(crate) path: &'t str,
    /// Prefixes of lines that are not run, with the reasons.
    pub(crate) not_run: &'t [(&'t str, &'t str)],
    /// Commands to prepare a line with this prefix, beyond the results of the lines before it.
    pub(crate) before: &'t [(&'t str, &'t str)],
}

/// The commands of a block, and the output that the following block shows.
pub(crate) struct Block {
    pub(crate) lines: Vec<String>,
    printed: Vec<String>,
}

/// Two processes that take p and q in different orders, with the names that the pages use.
const MODEL: &str = "net example\nplace i1 1\nplace i2 1\nplace p 1\nplace q 1\n\
    place p1\nplace p2\nplace c1\nplace c2\n\
    transition t: i1 + p -> p1\ntransition t2: p1 + q -> c1\ntransition t3: c1 -> i1 + p + q\n\
    transition u: i2 + q -> p2\ntransition u2: p2 + p -> c2\ntransition u3: c2 -> i2 + p + q";

const CARDINALITY: &str = "<property-set><property><id>ID</id><formula><exists-path><finally>\
    <integer-le><integer-constant>1</integer-constant><tokens-count><place>c1</place><place>c2</place>\
    </tokens-count></integer-le></finally></exists-path></formula></property></property-set>";

const FIREABILITY: &str = "<property-set><property><id>ID</id><formula><exists-path><finally>\
    <is-fireable><transition>t3</transition></is-fireable></finally></exists-path></formula></property>\
    </property-set>";

const LINEAR: &str = "<property-set><property><id>ID</id><formula><all-paths><globally><finally>\
    <is-fireable><transition>t3</transition></is-fireable></finally></globally></all-paths></formula>\
    </property></property-set>";

const BRANCHING: &str = "<property-set><property><id>ID</id><formula><all-paths><globally><exists-path>\
    <next><is-fireable><transition>t3</transition></is-fireable></next></exists-path></globally></all-paths></formula></property></property-set>";

const BOUNDS: &str = "<property-set><property><id>ID</id><formula><place-bound><place>p1</place>\
    <place>p2</place></place-bound></formula></property></property-set>";

/// Creates a directory with the files that the commands need.
fn directory() -> TestDirectory {
    let directory = TestDirectory::with(MODEL);
    let model = directory.read("model.pnml");
    directory.write("MODEL", &model);
    directory.write("ReachabilityCardinality.xml", CARDINALITY);
    directory.write("QUERIES.xml", CARDINALITY);
    for (name, text) in [
        ("model.pnml", &*model),
        ("UpperBounds.xml", BOUNDS),
        ("ReachabilityCardinality.xml", CARDINALITY),
        ("ReachabilityFireability.xml", FIREABILITY),
        ("LTLFireability.xml", LINEAR),
        ("CTLCardinality.xml", BRANCHING),
    ] {
        directory.write(&format!("INSTANCE_DIRECTORY/{name}"), text);
    }
    for file in std::fs::read_dir(repository("examples")).expect("readable") {
        let name = file.expect("readable").file_name().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(example(&name)).expect("readable");
        directory.write(&format!("examples/{name}"), &text);
    }
    // A contest with one instance.
    directory.write("LIST", "Toy-PT-1\n");
    directory.write("GOALS", "Toy-PT-1 RD ReachabilityDeadlock TRUE 10\n");
    let known =
        "Toy-PT-1 ReachabilityDeadlock\nFORMULA ReachabilityDeadlock TRUE TECHNIQUES ORACLE\n";
    directory.write("ORACLE/Toy-PT-1-RD.out", known);
    std::fs::create_dir(directory.at("INPUTS")).expect("made");
    let archive = std::fs::File::create(directory.at("INPUTS/Toy-PT-1.tgz")).expect("made");
    let zipped = flate2::write::GzEncoder::new(archive, flate2::Compression::fast());
    let mut archive = tar::Builder::new(zipped);
    archive.append_dir_all("Toy-PT-1", directory.at("INSTANCE_DIRECTORY")).expect("written");
    archive.into_inner().and_then(|zipped| zipped.finish()).expect("written");
    let head = std::fs::read(repository("benchmarks/mcc/BenchKit_head.sh")).expect("readable");
    std::fs::create_dir(directory.at("KIT")).expect("made");
    std::fs::write(directory.at("KIT/BenchKit_head.sh"), head).expect("written");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(directory.at("KIT/BenchKit_head.sh"), executable).expect("set");
    }
    directory
}

/// Returns the directory of the programs built with these tests.
fn programs() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_parikh")).parent().expect("a folder")
}

/// Runs a line in a shell whose path begins with our programs.
fn shell(directory: &TestDirectory, line: &str) -> Output {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(directory.path());
    shell.env("PATH", format!("{}:{path}", programs().display())).env("BK_BIN_PATH", programs());
    shell.env_remove("PARIKH_LOG").env_remove("BK_EXAMINATION").output().expect("a shell")
}

/// Returns the shell blocks, with continuation lines joined and comments removed.
pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    // The language of the open fence; true if the last line is continued; true if only blank lines
    // have followed the last block.
    let (mut fence, mut continued, mut behind) = (None, false, false);
    for line in text.lines() {
        if let Some(language) = line.strip_prefix("```") {
            let closed = fence;
            fence = match closed {
                Some(_) => None,
                None => Some(language),
            };
            match fence {
                Some("sh") => blocks.push(Block { lines: Vec::new(), printed: Vec::new() }),
                Some("text") if behind => {}
                Some(_) => behind = false,
                // The output of Python cells is tested in python/tests/test_guide.py.
                None => behind = closed != Some("python"),
            }
            continue;
        }
        let Some(block) = blocks.last_mut() else { continue };
        match fence {
            Some("text") if behind => block.printed.push(line.to_owned()),
            Some("sh") => {
                // A comment begins with `#` at the start of a line or after two blanks; `firings#0`
                // does not begin one.
                let line = line.split("  #").next().unwrap_or_default().trim();
                if line.is_empty() || line.starts_with('#') {
                    continue;
                }
                let (line, goes_on) =
                    line.strip_suffix('\\').map_or((line, false), |line| (line, true));
                match block.lines.last_mut().filter(|_| continued) {
                    Some(last) => last.push_str(line),
                    None => block.lines.push(line.to_owned()),
                }
                continued = goes_on;
            }
            None if !line.trim().is_empty() => behind = false,
            _ => {}
        }
    }
    blocks
}

fn begins<'t>(line: &str, table: &'t [(&str, &str)]) -> Option<&'t (&'t str, &'t str)> {
    table.iter().find(|(start, _)| line.starts_with(start))
}

/// Returns a program of another package that a line calls, if it was not built.
fn absent(line: &str) -> Option<PathBuf> {
    let names = ["parikh-certify", "parikh-bench"];
    let called = names.iter().find(|name| line.split_whitespace().any(|word| word == **name))?;
    Some(programs().join(called)).filter(|program| !program.exists())
}

/// Compares the output with the text of the page, line by line. A `…` at the end of a line stands
/// for its rest, and alone for omitted lines.
fn compared(shown: &[String], said: &str) -> Result<(), String> {
    let (mut rest, mut left_out) = (said.lines(), false);
    for line in shown {
        if line.trim() == "…" {
            left_out = true;
            continue;
        }
        loop {
            match rest.next() {
                Some(printed) if alike(line, printed) => break,
                Some(_) if left_out => {}
                found => {
                    let found = found.unwrap_or("nothing more");
                    return Err(format!(
                        "the page shows: {line}\nbut printed is: {found}\nof\n{said}"
                    ));
                }
            }
        }
        left_out = false;
    }
    match rest.next() {
        Some(more) if !left_out => {
            Err(format!("printed, and not shown by the page: {more}\nof\n{said}"))
        }
        _ => Ok(()),
    }
}

/// Compares two lines. For a line with a reason, only the part before the reason and the ending are
/// compared, because times and searches vary.
fn alike(shown: &str, printed: &str) -> bool {
    let (start, cut) = shown.strip_suffix('…').map_or((shown, false), |start| (start, true));
    match (shown.split_once(" — "), printed.split_once(" — ")) {
        (Some((shown, why)), Some((printed, because))) => {
            shown == printed && (cut || why.ends_with(']') == because.ends_with(']'))
        }
        _ if cut => printed.starts_with(start.trim_end()),
        _ => shown.trim_end() == printed.trim_end(),
    }
}

#[test]
fn omissions_in_documented_output_are_marked() {
    let said = "a: TRUE — why [replayed, 0.01 s]\nb\nlong line\nc\n";
    let fits = |shown: &str| {
        let shown: Vec<String> = shown.lines().map(str::to_owned).collect();
        compared(&shown, said).is_ok()
    };
    assert!(fits("a: TRUE — else [replayed, 7 s]\nb\nlong line\nc"));
    assert!(fits("a: TRUE — …\n…\nlong …\nc") && fits("…\nb\n…"));
    assert!(!fits("a: TRUE — why\nb\nlong line\nc"), "the end of a line");
    assert!(!fits("a: TRUE — …\nb\nc"), "a line between");
    assert!(!fits("a: TRUE — …\nb\nlong line"), "the last line");
    assert!(!fits("a: FALSE — …\n…") && !fits("…\nlong …\nb"));
}

/// Runs the lines of a page in one directory, one after the other. Returns the number of lines run.
pub(crate) fn run(page: &Page<'_>) -> usize {
    let text = std::fs::read_to_string(repository(page.path)).expect("readable");
    let blocks = blocks(&text);
    let directory = directory();
    let mut failed = Vec::new();
    let mut run = 0;
    for block in &blocks {
        let mut said = String::new();
        let mut whole = true;
        for line in &block.lines {
            if begins(line, page.not_run).is_some() {
                whole = false;
                continue;
            }
            let ours = line.starts_with("parikh") || line.starts_with("cd ");
            assert!(ours, "{}: neither run nor in `not_run`: {line}", page.path);
            if let Some(program) = absent(line) {
                skipped(&format!("{line}: no {} was built", program.display()));
                whole = false;
                continue;
            }
            if let Some((_, before)) = begins(line, page.before) {
                let output = shell(&directory, before);
                assert!(output.status.success(), "before {line}: {}", stderr(&output));
            }
            // Placeholders for several items, and commands for other programs, are skipped.
            let plain = line.replace('…', "");
            let output = shell(&directory, plain.split(" | ").next().unwrap());
            run += 1;
            said.push_str(&stdout(&output));
            let silent = ["-o ", "--out ", " > ", " man "].iter().any(|word| line.contains(word));
            if output.status.code() != Some(0) || stdout(&output).is_empty() && !silent {
                failed.push(format!("{line}\n{}{}", stdout(&output), stderr(&output)));
            }
        }
        if whole && !block.printed.is_empty() {
            failed.extend(compared(&block.printed, &said).err());
        }
    }
    assert!(
        failed.is_empty(),
        "{}: these do not work; files they need are made by `directory` in {} and by `before`:\n{}",
        page.path,
        file!(),
        failed.join("\n")
    );
    let lines = || blocks.iter().flat_map(|block| &block.lines);
    for (start, why) in page.not_run.iter().chain(page.before) {
        let occurs = lines().any(|line| line.starts_with(start));
        assert!(occurs, "`{start}` ({why}) is no longer in {}", page.path);
    }
    run
}

/// Returns the words after `parikh ` in inline code.
pub(crate) fn commands_spoken_of(text: &str) -> Vec<String> {
    let spoken = text.split('`').filter_map(|piece| piece.strip_prefix("parikh "));
    let mut names: Vec<String> =
        spoken.filter_map(|rest| rest.split_whitespace().next()).map(str::to_owned).collect();
    names.retain(|name| name.chars().all(|c| c.is_ascii_lowercase()));
    names.sort_unstable();
    names.dedup();
    names
}
