//! Resources that not every machine has: the contest's archives and other programs.
//!
//! A test without its resources passes and has tested nothing. It reports this directly on stderr,
//! because the test harness hides the output of passing tests.

use super::binary::repository;
use super::scale::scaled;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Reports on the process's own stderr that something was not tested.
#[track_caller]
pub(crate) fn skipped(why: &str) {
    let place = std::panic::Location::caller();
    let line = format!("SKIPPED at {place}: {why}\n");
    std::io::stderr().write_all(line.as_bytes()).expect("stderr is open");
}

/// Returns the folder of the contest's archives, `shared/mcc/inputs`, beside the repository or in a
/// folder above.
fn folder() -> Option<PathBuf> {
    let root = repository("");
    let beside = |folder: &Path| folder.join("shared/mcc/inputs");
    root.ancestors().skip(1).map(beside).find(|folder| folder.is_dir())
}

/// Returns the path of an instance's archive. If it is missing, reports this and returns `None`.
#[track_caller]
pub(crate) fn archive(instance: &str) -> Option<PathBuf> {
    let found = folder().map(|folder| folder.join(format!("{instance}.tgz")));
    let found = found.filter(|path| path.is_file());
    if found.is_none() {
        skipped(&format!("the contest's archive of {instance} is not there"));
    }
    found
}

/// Returns the paths of the smallest archives of place/transition nets; `usual` is their number at
/// scale 1. If the folder is missing, reports this and returns an empty vector.
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
