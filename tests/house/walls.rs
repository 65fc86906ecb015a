//! Which part of the program may use which: "Walls" of ARCHITECTURE.md, as far as Cargo's
//! dependencies between crates do not keep them.
//!
//! When a part moves or a new one comes, change [`MAY_USE`] (and say in the commit why a wall moved).

use super::{files, read, repository};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A part of `src/` (a file or folder, the longest that fits counts), and the others it may use.
///
/// A name stands for all below it. What is in no row may use nothing.
const MAY_USE: &[(&str, &[&str])] = &[
    // What is read. No engine, no examination.
    ("formula", &[]),
    ("input", &["formula", "model"]),
    ("mcc", &[]),
    // Models of all kinds, and the nets that stand for them.
    ("model", &["unfold"]),
    // Coloured nets as plain ones. Reads nothing, knows no goal.
    ("unfold", &[]),
    // What is known of a net. No goal, no board.
    ("structure", &[]),
    ("reduction", &[]),
    // What nodes are called for people.
    ("names", &[]),
    // Graphs of markings.
    ("graph", &["names"]),
    ("board", &["ground"]),
    // Engines never see an examination, a formula id or a query file. Walks on coloured nets share the
    // terms compiled for unfolding.
    ("engine", &["board", "graph", "ground", "structure", "unfold"]),
    ("ground", &["board", "engine", "reduction"]),
    ("answer", &["board", "formula", "mcc"]),
    // The run: whatever works, on whatever is asked; neither files nor the command line.
    ("run", &["answer", "board", "engine", "ground", "model", "reduction", "structure", "unfold"]),
    ("check", &["answer", "model", "run"]),
    // Evidence as files, for whoever checks it elsewhere: of what a run tells, what an answer rests on.
    ("evidence_files", &["answer", "board", "ground", "run"]),
    // What is made of it. Layouts know no net.
    ("layout", &[]),
    ("png", &[]),
    ("plot", &["draw"]),
    ("draw", &["formula", "layout", "names", "structure"]),
    (
        "report",
        &[
            "answer",
            "board",
            "draw",
            "layout",
            "mcc",
            "names",
            "reduction",
            "run",
            "structure",
            "verdicts",
        ],
    ),
    ("verdicts", &["answer", "input", "mcc", "run", "structure"]),
    (
        "cli",
        &[
            "answer",
            "draw",
            "evidence_files",
            "formula",
            "graph",
            "input",
            "mcc",
            "model",
            "plot",
            "png",
            "reduction",
            "report",
            "run",
            "structure",
            "unfold",
            "verdicts",
        ],
    ),
    ("main", &[]),
];

/// Words that no source may hold outside the places named: why, the words, the places.
const WORDS: &[(&str, &[&str], &[&str])] = &[
    (
        "only programs write to stdout",
        &["stdout()"],
        &[
            "src/cli/terminal.rs",
            "src/cli/encode",
            "src/cli/guest.rs",
            "benchmarks",
            "evidence/bin",
        ],
    ),
    (
        "`parikh` writes by `terminal::line`: the macros panic when nobody reads on",
        &["println!", "print!"],
        &["benchmarks", "evidence/bin", "symbolic/benches", "temporal/examples"],
    ),
    (
        "only programs write to stderr; libraries log. `parikh` writes by `note!`, which escapes",
        &["eprintln!", "eprint!", "stderr()", "std::io::stderr"],
        &["src/cli/terminal.rs", "benchmarks", "evidence/bin", "temporal/examples"],
    ),
    (
        "answers do not rest on what is said of the model elsewhere",
        &["GenericPropertiesVerdict"],
        &["benchmarks"],
    ),
    (
        "these know no files, processes and environments",
        &["std::fs", "std::env", "std::process", "std::net"],
        &[
            "src",
            "solvers",
            "benchmarks",
            "evidence/audit",
            "evidence/coloured/audit.rs",
            "evidence/bin",
            "symbolic/benches",
            "temporal/examples",
        ],
    ),
];

/// The crates, and which of the others each may depend on: in this order, none on a later one.
const CRATES: &[(&str, &[&str])] = &[
    ("net", &[]),
    ("solvers", &[]),
    ("symbolic", &[]),
    ("temporal", &[]),
    ("encodings", &["parikh-net", "parikh-solvers"]),
    ("evidence", &["parikh-net"]),
    (
        ".",
        &["parikh-encodings", "parikh-evidence", "parikh-net", "parikh-solvers", "parikh-symbolic"],
    ),
];

/// The lines of a file that are code and no tests, with their numbers.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    // Tests stand last (conventions), and are free to use what they like.
    text.lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line))
        .take_while(|(_, line)| line.trim() != "#[cfg(test)]")
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// The module that a file of `src/` is: `src/engine/walk/mod.rs` is `engine::walk`.
fn module(path: &Path) -> Vec<String> {
    let path = path.strip_prefix("src").expect("in src").with_extension("");
    let mut module: Vec<String> =
        path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    module.pop_if(|last| last == "mod" || last == "lib");
    module
}

/// Whether `path` is `part` or below it.
fn is_below(path: &str, part: &str) -> bool {
    path.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// The part of `src/` that a path begins with.
fn first(path: &str) -> &str {
    path.split("::").next().expect("one piece at least")
}

/// The paths behind `prefix` (`crate::`) in a piece of code: `a::b`, and both of `{a::b, c}`.
fn paths<'t>(code: &'t str, prefix: &str) -> Vec<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let name = |text: &'t str| -> String {
        let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
        text[..end].trim_end_matches(':').to_owned()
    };
    let mut found = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        if code[..at].ends_with(is_name) {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        let Some(list) = rest.strip_prefix('{') else {
            found.push(name(rest));
            continue;
        };
        // The names of the outermost braces.
        let mut depth = 0;
        let mut start = true;
        for (at, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => start = true,
                c if start && depth == 0 && is_name(c) => {
                    found.push(name(&list[at..]));
                    start = false;
                }
                _ => {}
            }
        }
    }
    found
}

/// What a file uses of the crate, from its root, with the line: all `crate::…`, and every
/// `super::super::…` that leaves its folder.
fn uses(path: &Path, text: &str) -> Vec<(usize, String)> {
    // A `use` may go over several lines, so lines are put together again.
    let mut whole = String::new();
    let mut starts = Vec::new();
    for (number, line) in code(text) {
        starts.push((whole.len(), number));
        whole.push_str(line);
        whole.push('\n');
    }
    let mut found = Vec::new();
    let depth = module(path).len();
    let prefixes = [("crate::".to_owned()), "super::".repeat(depth.max(1))];
    for prefix in prefixes {
        for used in paths(&whole, &prefix) {
            if used.is_empty() || used.starts_with("super") {
                continue;
            }
            let at = whole.find(&format!("{prefix}{used}")).or_else(|| whole.find(&prefix));
            let line = starts.iter().rfind(|(start, _)| Some(*start) <= at).map_or(0, |it| it.1);
            found.push((line, used));
        }
    }
    found
}

/// The row for a module.
fn row(module: &str) -> Option<&'static (&'static str, &'static [&'static str])> {
    let rows = MAY_USE.iter().filter(|(part, _)| is_below(module, part));
    rows.max_by_key(|(part, _)| part.len())
}

#[test]
fn every_part_uses_only_what_it_may() {
    let mut modules = Vec::new();
    let mut used_by = BTreeSet::new();
    let mut homeless: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut broken = Vec::new();
    for path in files("src", "rs") {
        let module = module(&path).join("::");
        if module.is_empty() {
            continue;
        }
        modules.push(module.clone());
        let Some((part, may)) = row(&module) else {
            let uses =
                uses(&path, &read(&path)).into_iter().map(|(_, used)| first(&used).to_owned());
            let top = first(&module).to_owned();
            homeless.entry(top).or_default().extend(uses);
            continue;
        };
        for (line, used) in uses(&path, &read(&path)) {
            // The crates under their short names are the compiler's to keep.
            if ["net", "solvers", "encodings", "evidence", "symbolic"]
                .iter()
                .any(|of| is_below(&used, of))
            {
                continue;
            }
            // What is said at the root of the crate is said to everybody.
            let named = MAY_USE.iter().any(|(part, _)| is_below(&used, first(part)));
            let through = may.iter().find(|may| is_below(&used, may));
            used_by.extend(through.map(|may| (*part, *may)));
            if !named || is_below(&used, part) || through.is_some() {
                continue;
            }
            broken.push(format!(
                "{}:{line}: uses crate::{used}, but `{part}` may use only {may:?}",
                path.display()
            ));
        }
    }
    for (part, uses) in homeless {
        broken.push(format!("MAY_USE has no row for `{part}`, which uses {uses:?}"));
    }
    // A permission that nobody uses is a hole in a wall.
    for (part, may) in MAY_USE {
        if !modules.iter().any(|module| is_below(module, part)) {
            broken.push(format!("MAY_USE has a row for `{part}`, which is no part of src/"));
            continue;
        }
        for name in may.iter().filter(|name| !used_by.contains(&(*part, **name))) {
            broken.push(format!(
                "MAY_USE lets `{part}` use `{name}`, which it does not: leave it out"
            ));
        }
    }
    assert!(
        broken.is_empty(),
        "walls are broken (the table is MAY_USE in {}):\n{}",
        file!(),
        broken.join("\n")
    );
    assert!(modules.len() > 100, "{} files: this is not the source", modules.len());
}

#[test]
fn words_stay_where_they_belong() {
    let mut broken = Vec::new();
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    let crates =
        ["src", "net", "solvers", "encodings", "symbolic", "temporal", "evidence", "benchmarks"];
    for path in crates.iter().flat_map(|folder| files(folder, "rs")) {
        if path.components().any(|part| part.as_os_str() == "tests") {
            continue;
        }
        for (line, text) in code(&read(&path)) {
            for (why, words, places) in WORDS {
                let Some(word) = words.iter().find(|word| {
                    let whole = |(at, _): (usize, &str)| {
                        !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
                    };
                    text.match_indices(**word).any(whole)
                }) else {
                    continue;
                };
                *found.entry(why).or_default() += 1;
                if !places.iter().any(|place| path.starts_with(place)) {
                    broken.push(format!("{}:{line}: `{word}`: {why}", path.display()));
                }
            }
        }
    }
    assert!(broken.is_empty(), "words where they do not belong:\n{}", broken.join("\n"));
    assert!(found.len() >= 3, "hardly anything was looked at: {found:?}");
}

#[test]
fn crates_depend_on_the_ones_before_them() {
    for (place, may) in CRATES {
        let manifest = read(&Path::new(place).join("Cargo.toml"));
        let mut section = "";
        for line in manifest.lines() {
            if line.starts_with('[') {
                section = line;
            }
            // What tests use is not built into anything.
            let depends = section == "[dependencies]" && line.starts_with("parikh-");
            let Some(name) = line.split([' ', '=', '.']).next().filter(|_| depends) else {
                continue;
            };
            assert!(may.contains(&name), "{place}/Cargo.toml: {place} may not depend on {name}");
        }
    }
    assert!(repository().join("Cargo.toml").is_file());
}

#[test]
fn uses_are_found_however_they_are_written() {
    let text = "//! [`crate::cli`]\nuse crate::{\n    board::Board,\n    engine::{Task, walk},\n};\n\
                use super::super::stage;\nfn f() { crate::answer::Plan::new() }\n\
                #[cfg(test)]\nmod tests { use crate::cli; }\n";
    let found = uses(Path::new("src/engine/walk.rs"), text);
    let names: Vec<&str> = found.iter().map(|(_, used)| used.as_str()).collect();
    assert_eq!(names, ["board::Board", "engine", "answer::Plan::new", "stage"]);
    assert_eq!(found[2].0, 7);
    assert_eq!(module(Path::new("src/engine/walk/mod.rs")), ["engine", "walk"]);
}
