//! Runs every command line of README.md that can be run here, as written.

use super::printed::{Page, commands_spoken_of, run};
use crate::support::binary::{TestDirectory, repository};

const README: Page<'_> = Page {
    path: "README.md",
    not_run: &[
        ("scripts/run.sh", "installs and builds"),
        ("parikh serve", "serves until it is ended: tests/cli/serve asks it"),
        ("scripts/test.sh", "installs, and would run this test"),
    ],
    before: &[],
};

#[cfg(unix)]
#[test]
fn every_command_line_of_the_readme_runs() {
    let run = run(&README);
    assert!(run > 5, "only {run} lines were run");
}

#[test]
fn every_command_in_the_readme_exists() {
    let readme = std::fs::read_to_string(repository("README.md")).expect("readable");
    for name in commands_spoken_of(&readme) {
        assert!(
            TestDirectory::new().succeeds(&[&name, "--help"]).contains("Usage: parikh"),
            "{name}"
        );
    }
}
