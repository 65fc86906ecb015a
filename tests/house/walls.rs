//! The dependency rules between parts of the program: "Invariants (walls)" of ARCHITECTURE.md, as
//! far as Cargo's dependencies between crates do not enforce them.
//!
//! When a part moves or is added, change [`MAY_USE`], and give the reason in the commit message.

use super::imports::{code, mentions, module};
use super::{files, read, repository};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The parts of `src/` (files or folders), with the other parts that each may use. The longest
/// matching part counts. A part may only use parts listed before it.
///
/// A name includes everything below it. A part without an entry may use nothing.
const MAY_USE: &[(&str, &[&str])] = &[
    // Unfoldings of coloured nets. No reader, no goals.
    ("unfold", &[]),
    // The net that a statement is about.
    ("about", &[]),
    // Models of all kinds, with their unfoldings.
    ("model", &["about", "unfold"]),
    // Formulas and their readers. No engines, no examinations.
    ("formula", &[]),
    // Structural facts about a net. No board.
    ("structure", &[]),
    // Translations of nets with inhibitor and reset arcs, by bounds.
    ("extended", &["structure"]),
    ("input", &["extended", "formula", "model"]),
    ("mcc", &[]),
    ("reduction", &[]),
    // Names of nodes in output.
    ("names", &[]),
    // Positions of nodes in drawings of graphs. No nets.
    ("layout", &[]),
    // Graphs of markings.
    ("graph", &["layout", "names"]),
    // Nets that engines work on, with the back-translation. No claims.
    ("ground", &["reduction", "structure"]),
    // Knowledge of goals. No engines.
    ("board", &["ground", "structure"]),
    // Engines use no examinations, formula ids or query files. Walks on coloured nets use the terms
    // compiled for unfolding.
    ("engine", &["board", "graph", "ground", "structure", "unfold"]),
    ("answer", &["board", "formula", "mcc"]),
    // Runs of engines on questions. No files, no command line.
    ("run", &["answer", "board", "engine", "ground", "model", "reduction", "structure", "unfold"]),
    ("check", &["answer", "model", "run"]),
    // Parallel systems and their properties. Readers and engines are in the crate parikh-systems.
    ("systems", &[]),
    // Evidence files, written from the events of a run and the basis of its answers.
    ("evidence_files", &["answer", "board", "ground", "run"]),
    // Output formats.
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

/// Words that no source may contain, except in certain places: the reason, the words, and the
/// places.
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

/// The crates, with the crates that each may depend on. No crate depends on a later one.
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

/// Returns true if `path` is `part` or below it.
fn is_below(path: &str, part: &str) -> bool {
    path.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Returns the first name of a path in `src/`.
fn first(path: &str) -> &str {
    path.split("::").next().expect("one piece at least")
}

/// Returns the entry for a module.
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
            // Names defined at the root of the crate are available everywhere. The compiler
            // enforces the dependencies on other crates.
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
    // A permission that no part uses must be removed.
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
            // Development dependencies are not part of a build.
            let depends = section == "[dependencies]" && line.starts_with("parikh-");
            let Some(name) = line.split([' ', '=', '.']).next().filter(|_| depends) else {
                continue;
            };
            assert!(may.contains(&name), "{place}/Cargo.toml: {place} may not depend on {name}");
        }
    }
    assert!(repository().join("Cargo.toml").is_file());
}
