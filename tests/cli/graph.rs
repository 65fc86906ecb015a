//! Command-line tests of `parikh graph`.

use crate::support::binary::{TestDirectory, stderr};
use std::process::Stdio;

fn directory() -> TestDirectory {
    TestDirectory::with("net n\nplace p 2\nplace q\ntransition t: p -> q\ntransition u: q -> p")
}

#[test]
fn a_closed_output_pipe_is_no_error() {
    let directory = directory();
    for arguments in
        [&["graph", "model.pnml"][..], &["info", "model.pnml"], &["draw", "model.pnml"]]
    {
        let mut child = directory.command(arguments);
        let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn a_formula_without_a_witness_gives_a_reason() {
    let directory = directory();
    let said = |formula: &str| {
        let (code, _, stderr) =
            directory.outputs(&["graph", "model.pnml", "-o", "g.svg", "--formula", formula]);
        assert_eq!(code, 0, "{stderr}");
        stderr
    };
    let said_of_all = said("AG p + q = 2");
    assert!(
        said_of_all.starts_with(
            "parikh: nothing is highlighted: the formula of --formula holds, so none of the 3 \
             markings violates it\n"
        ),
        "{said_of_all}"
    );
    let said_of_none = said("EF p >= 3");
    assert!(said_of_none.contains("none of the 3 markings satisfies the property of --formula"));
    assert!(!said("AG p >= 1").contains("nothing is highlighted"));
    assert!(directory.read("g.svg").contains("#d9730d"));
}

#[test]
fn traces_that_do_not_fire_are_refused_with_line_and_transition() {
    let directory = directory();
    directory.write("x.trace", "# net: n\nt\nu\nu\n");
    for command in ["graph", "replay"] {
        let arguments: &[&str] = match command {
            "graph" => &["graph", "model.pnml", "-o", "g.svg", "--trace", "x.trace"],
            _ => &["replay", "model.pnml", "x.trace"],
        };
        let said = directory.fails_with(1, arguments);
        let expected = "line 4: firing 3: transition `u` is not enabled, place `q` lacks tokens";
        assert!(said.contains("x.trace") && said.contains(expected), "{said}");
    }
}

#[test]
fn the_ending_of_a_file_may_be_in_capitals() {
    let directory = directory();
    directory.succeeds(&["graph", "model.pnml", "-o", "G.SVG"]);
    directory.succeeds(&["draw", "model.pnml", "-o", "N.SVG"]);
    directory.succeeds(&["draw", "model.pnml", "-o", "N.Png"]);
    assert!(
        directory.read("G.SVG").starts_with("<svg") && directory.read("N.SVG").starts_with("<svg")
    );
}
