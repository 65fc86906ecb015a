//! Which part of the program may use which: "Invariants (walls)" of ARCHITECTURE.md, as far as
//! Cargo's dependencies between crates do not keep them.
//!
//! When a part moves or a new one comes, change [`MAY_USE`] (and say in the commit why a wall
//! moved).

use super::imports::{code, mentions, module};
use super::{files, read, repository};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A part of `src/` (a file or folder, the longest that fits counts), and the others it may use:
/// only such as stand before it, on lower floors.
///
/// A name stands for all below it. What is in no row may use nothing.
const MAY_USE: &[(&str, &[&str])] = &[
    // Coloured nets as plain ones. Reads nothing, knows no goal.
    ("unfold", &[]),
    // Which net a statement is about.
    ("about", &[]),
    // Models of all kinds, and the nets that stand for them.
    ("model", &["about", "unfold"]),
    // What is read. No engine, no examination.
    ("formula", &[]),
    // What is known of a net. No board.
    ("structure", &[]),
    // Nets with inhibitor and reset arcs as plain ones, by bounds.
    ("extended", &["structure"]),
    ("input", &["extended", "formula", "model"]),
    ("mcc", &[]),
    ("reduction", &[]),
    // What nodes are called for people.
    ("names", &[]),
    // Where to draw the nodes of a graph. Knows no net.
    ("layout", &[]),
    // Graphs of markings.
    ("graph", &["layout", "names"]),
    // Nets to work on, and the way back to the one that was read. Knows no claim.
    ("ground", &["reduction", "structure"]),
    // What is known of goals. Knows no engine.
    ("board", &["ground", "structure"]),
    // Engines never see an examination, a formula id or a query file. Walks on coloured nets share
    // the terms compiled for unfolding.
    ("engine", &["board", "graph", "ground", "structure", "unfold"]),
    ("answer", &["board", "formula", "mcc"]),
    // The run: whatever works, on whatever is asked; neither files nor the command line.
    ("run", &["answer", "board", "engine", "ground", "model", "reduction", "structure", "unfold"]),
    ("check", &["answer", "model", "run"]),
    // Parallel systems and their properties: readers and engines are the crate parikh-systems.
    ("systems", &[]),
    // Evidence as files, for whoever checks it elsewhere: of what a run tells, what an answer rests
    // on.
    ("evidence_files", &["answer", "board", "ground", "run"]),
    // What is made of it.
    ("png", &[]),
    ("draw", &["formula", "layout", "names", "structure"]),
    ("plot", &["draw"]),
    ("verdicts", &["about", "answer", "input", "mcc", "model", "run", "structure", "unfold"]),
    (
        "report",
        &[
            "about",
            "answer",
            "board",
            "draw",
            "layout",
            "mcc",
            "names",
            "reduction",
            "run",
            "structure",
            "systems",
            "verdicts",
        ],
    ),
    (
        "cli",
        &[
            "about",
            "answer",
            "draw",
            "evidence_files",
            "extended",
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
            "systems",
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
            "files",
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
    ("net", &["parikh-temporal"]),
    ("solvers", &[]),
    ("symbolic", &[]),
    ("temporal", &[]),
    ("encodings", &["parikh-net", "parikh-solvers"]),
    ("files", &[]),
    ("systems", &["parikh-net", "parikh-temporal"]),
    ("evidence", &["parikh-files", "parikh-net", "parikh-temporal"]),
    (
        ".",
        &[
            "parikh-encodings",
            "parikh-evidence",
            "parikh-files",
            "parikh-net",
            "parikh-solvers",
            "parikh-symbolic",
            "parikh-systems",
            "parikh-temporal",
        ],
    ),
];

/// Whether `path` is `part` or below it.
fn is_below(path: &str, part: &str) -> bool {
    path.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// The part of `src/` that a path begins with.
fn first(path: &str) -> &str {
    path.split("::").next().expect("one piece at least")
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
    let mut broken = Vec::new();
    for path in files("src", "rs") {
        let route = module(&path, "src");
        let module = route.join("::");
        if module.is_empty() {
            continue;
        }
        let uses = mentions(&route, &read(&path), |_| false);
        let uses = uses.into_iter().map(|mention| (mention.line, mention.route.join("::")));
        modules.push(module.clone());
        let Some((part, may)) = row(&module) else {
            let uses: BTreeSet<String> = uses.map(|(_, used)| first(&used).to_owned()).collect();
            broken.push(format!("MAY_USE has no row for `{module}`, which uses {uses:?}"));
            continue;
        };
        for (line, used) in uses {
            // What is said at the root of the crate is said to everybody; the crates under their
            // short names are the compiler's to keep.
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
    for (at, (part, may)) in MAY_USE.iter().enumerate() {
        for name in may.iter().filter(|name| !MAY_USE[..at].iter().any(|(lower, _)| lower == *name))
        {
            broken.push(format!(
                "MAY_USE lets `{part}` use `{name}`, which stands on no floor below it"
            ));
        }
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
    let crates = [
        "src",
        "net",
        "files",
        "solvers",
        "encodings",
        "symbolic",
        "temporal",
        "systems",
        "evidence",
        "benchmarks",
    ];
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
