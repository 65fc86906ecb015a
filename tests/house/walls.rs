//! Walls that Cargo does not keep: words that stand in few places, and which crate may depend on
//! which ("Walls" of ARCHITECTURE.md).

use super::imports::code;
use super::{CRATES, files, read, repository};
use std::collections::BTreeMap;
use std::path::Path;

/// Words that no source may contain, except in certain places: the reason, the words, and the
/// places.
const WORDS: &[(&str, &[&str], &[&str])] = &[
    (
        "only programs write to stdout",
        &["stdout()"],
        &[
            "cli/src/terminal.rs",
            "cli/src/encode",
            "cli/src/guest.rs",
            "benchmarks",
            "evidence/src/bin",
        ],
    ),
    (
        "`parikh` writes by `terminal::line`: the macros panic when nobody reads on",
        &["println!", "print!"],
        &[
            "solvers/build.rs",
            "cli/build.rs",
            "benchmarks",
            "evidence/src/bin",
            "symbolic/benches",
            "temporal/examples",
        ],
    ),
    (
        "only programs write to stderr; libraries log. `parikh` writes by `note!`, which escapes",
        &["eprintln!", "eprint!", "stderr()", "std::io::stderr"],
        &["cli/src/terminal.rs", "benchmarks", "evidence/src/bin", "temporal/examples"],
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
            "input",
            "cli",
            "serve",
            "solvers",
            "benchmarks",
            "files",
            "evidence/src/audit",
            "evidence/src/coloured/audit.rs",
            "evidence/src/bin",
            "symbolic/benches",
            "temporal/examples",
        ],
    ),
];

/// The crates, with the crates that each may depend on. No crate depends on a later one.
const DEPENDENCIES: &[(&str, &[&str])] = &[
    ("temporal", &[]),
    ("net", &["parikh-temporal"]),
    ("files", &[]),
    ("systems", &["parikh-net", "parikh-temporal"]),
    ("evidence", &["parikh-files", "parikh-net", "parikh-temporal"]),
    ("solvers", &[]),
    ("encodings", &["parikh-net", "parikh-solvers"]),
    ("symbolic", &[]),
    ("structure", &["parikh-encodings", "parikh-evidence", "parikh-net", "parikh-solvers"]),
    ("reduction", &["parikh-evidence", "parikh-net", "parikh-solvers"]),
    ("formula", &["parikh-evidence", "parikh-net", "parikh-temporal"]),
    ("unfolding", &["parikh-net", "parikh-solvers"]),
    (
        "input",
        &[
            "parikh-evidence",
            "parikh-files",
            "parikh-formula",
            "parikh-net",
            "parikh-solvers",
            "parikh-structure",
            "parikh-systems",
            "parikh-unfolding",
        ],
    ),
    (
        "engine",
        &[
            "parikh-encodings",
            "parikh-evidence",
            "parikh-net",
            "parikh-reduction",
            "parikh-solvers",
            "parikh-structure",
            "parikh-symbolic",
            "parikh-temporal",
            "parikh-unfolding",
        ],
    ),
    (
        "pictures",
        &[
            "parikh-evidence",
            "parikh-formula",
            "parikh-net",
            "parikh-solvers",
            "parikh-structure",
            "parikh-systems",
            "parikh-temporal",
        ],
    ),
    (
        ".",
        &[
            "parikh-encodings",
            "parikh-engine",
            "parikh-evidence",
            "parikh-formula",
            "parikh-input",
            "parikh-net",
            "parikh-reduction",
            "parikh-solvers",
            "parikh-structure",
            "parikh-systems",
            "parikh-temporal",
            "parikh-unfolding",
        ],
    ),
    ("serve", &[]),
    (
        "cli",
        &[
            "parikh",
            "parikh-encodings",
            "parikh-engine",
            "parikh-evidence",
            "parikh-files",
            "parikh-formula",
            "parikh-input",
            "parikh-net",
            "parikh-pictures",
            "parikh-reduction",
            "parikh-serve",
            "parikh-solvers",
            "parikh-structure",
            "parikh-systems",
            "parikh-temporal",
            "parikh-unfolding",
        ],
    ),
];

#[test]
fn words_stay_where_they_belong() {
    let mut broken = Vec::new();
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for path in CRATES.iter().flat_map(|folder| files(folder, "rs")) {
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
    for (place, may) in DEPENDENCIES {
        let manifest = read(&Path::new(place).join("Cargo.toml"));
        let mut section = "";
        for line in manifest.lines() {
            if line.starts_with('[') {
                section = line;
            }
            // Development dependencies are not part of a build.
            let depends = section == "[dependencies]" && line.starts_with("parikh");
            let Some(name) = line.split([' ', '=', '.']).next().filter(|_| depends) else {
                continue;
            };
            assert!(may.contains(&name), "{place}/Cargo.toml: {place} may not depend on {name}");
        }
    }
    assert!(repository().join("Cargo.toml").is_file());
}
