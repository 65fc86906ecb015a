//! Runs the built `parikh` binary, with the environment variables that affect it removed.

use super::schema::Schema;
use parikh_net::pnml::pnml;
use parikh_net::text;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Returns a command for `parikh`, to be completed by the caller.
pub(crate) fn parikh() -> Command {
    // Cargo builds the program for tests of its own package only.
    let Some(program) = option_env!("CARGO_BIN_EXE_parikh") else {
        panic!("`parikh` runs in tests of the package parikh-cli only");
    };
    let mut command = Command::new(program);
    command.env_remove("BK_EXAMINATION").env_remove("PARIKH_LOG");
    command
}

/// Runs `parikh` in the working directory of the tests, for files with absolute paths.
pub(crate) fn run(arguments: &[&str]) -> Output {
    parikh().args(arguments).output().expect("the binary starts")
}

/// Returns the path of a file of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Test programs belong to the package at the root, or to one in a folder below.
    let root = package.ancestors().find(|folder| folder.join("ARCHITECTURE.md").is_file());
    root.expect("the repository").join(path)
}

/// Returns the path of a file in `examples/`.
pub(crate) fn example(name: &str) -> PathBuf {
    repository("examples").join(name)
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// A temporary directory for files and runs of `parikh`.
pub(crate) struct TestDirectory(tempfile::TempDir);

impl TestDirectory {
    /// Creates an empty directory.
    pub(crate) fn new() -> TestDirectory {
        TestDirectory(tempfile::tempdir().expect("a temporary directory"))
    }

    /// Creates a directory with `model.pnml`, converted from this net in the textual format.
    pub(crate) fn with(net: &str) -> TestDirectory {
        TestDirectory::with_net(&text::parse(net).expect("a net"))
    }

    /// Creates a directory with this net as `model.pnml`.
    pub(crate) fn with_net(net: &parikh_net::Net) -> TestDirectory {
        let directory = TestDirectory::new();
        directory.write("model.pnml", &pnml(net));
        directory
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Returns the path of the directory as an argument.
    pub(crate) fn name(&self) -> &str {
        self.path().to_str().expect("UTF-8")
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Writes a file. Creates the directories in its name.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.at(name);
        std::fs::create_dir_all(path.parent().expect("in the directory")).expect("made");
        std::fs::write(&path, text).expect("written");
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.at(name)).expect("it is there")
    }

    /// Reads a file with a JSON value.
    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).expect("JSON")
    }

    /// Returns a command for `parikh` in this directory, to be completed by the caller.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = parikh();
        command.current_dir(self.path()).args(arguments);
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the binary starts")
    }

    /// Runs `parikh` and returns the exit code, stdout and stderr.
    pub(crate) fn outputs(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = self.run(arguments);
        (output.status.code().expect("no signal"), stdout(&output), stderr(&output))
    }

    /// Runs `parikh`, asserts exit code 0, and returns stdout.
    #[track_caller]
    pub(crate) fn succeeds(&self, arguments: &[&str]) -> String {
        let (code, stdout, stderr) = self.outputs(arguments);
        assert_eq!(code, 0, "{arguments:?}: {stderr}");
        stdout
    }

    /// Runs `parikh`, asserts this exit code and empty stdout, and returns stderr.
    #[track_caller]
    pub(crate) fn fails_with(&self, code: i32, arguments: &[&str]) -> String {
        let (found, stdout, stderr) = self.outputs(arguments);
        assert_eq!((found, stdout.as_str()), (code, ""), "{arguments:?}: {stderr}");
        stderr
    }
}

/// Parses the output of `--format json`, one object per line, and checks each object against the
/// schema.
#[track_caller]
pub(crate) fn objects(text: &str) -> Vec<Value> {
    let schema = Schema::of_the_guide(&repository("docs"));
    let objects: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for object in &objects {
        let kind = object["type"].as_str().unwrap_or_default();
        let why = || schema.check(kind, object);
        assert!(!schema.kinds(object).is_empty(), "{object} is not in the schema: {:?}", why());
    }
    objects
}
