//! Checks of the repository itself: dependency rules that the compiler does not enforce, and links.
//!
//! The tests read the repository's files and run none of its code.

mod circles;
mod imports;
mod links;
mod walls;
mod width;

use std::path::{Path, PathBuf};

/// The folders of the crates, in the order of dependency.
const CRATES: [&str; 19] = [
    "temporal",
    "net",
    "files",
    "systems",
    "evidence",
    "solvers",
    "encodings",
    "symbolic",
    "structure",
    "reduction",
    "formula",
    "unfolding",
    "input",
    "engine",
    "pictures",
    "src",
    "serve",
    "cli",
    "benchmarks",
];

/// Returns the directory of the repository.
fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns all files with this ending below a folder, sorted, relative to the repository.
fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![repository().join(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == ending) {
                found.push(path.strip_prefix(repository()).expect("below it").to_owned());
            }
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> String {
    let whole = repository().join(path);
    std::fs::read_to_string(&whole).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
