//! What is not on every machine: the contest's archives, other programs.
//!
//! A test that finds them missing has shown nothing, and says so past the harness, which swallows
//! what a test that passes prints.

use super::binary::repository;
use super::scale::scaled;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Says on the process's own stderr that something was not tested.
#[track_caller]
pub(crate) fn skipped(why: &str) {
    let place = std::panic::Location::caller();
    let line = format!("SKIPPED at {place}: {why}\n");
    std::io::stderr().write_all(line.as_bytes()).expect("stderr is open");
}

/// The folder of the contest's archives, `shared/mcc/inputs` beside the repository or a folder
/// above.
fn folder() -> Option<PathBuf> {
    let root = repository("");
    let beside = |folder: &Path| folder.join("shared/mcc/inputs");
    root.ancestors().skip(1).map(beside).find(|folder| folder.is_dir())
}

/// The archive of one instance.
#[track_caller]
pub(crate) fn archive(instance: &str) -> Option<PathBuf> {
    let found = folder().map(|folder| folder.join(format!("{instance}.tgz")));
    let found = found.filter(|path| path.is_file());
    if found.is_none() {
        skipped(&format!("the contest's archive of {instance} is not there"));
    }
    found
}

/// The smallest archives of place/transition nets, so many on usual days.
#[track_caller]
pub(crate) fn archives(usual: u64) -> Vec<PathBuf> {
    let Some(folder) = folder() else {
        skipped("the contest's archives are not there");
        return Vec::new();
    };
    let entries = std::fs::read_dir(folder).expect("readable");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.to_string_lossy().contains("-PT-"));
    paths.sort_by_key(|path| (path.metadata().map_or(0, |data| data.len()), path.clone()));
    paths.truncate(scaled(usual).try_into().unwrap_or(usize::MAX));
    paths
}
