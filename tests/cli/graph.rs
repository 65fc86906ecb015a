//! Command-line tests of `parikh graph`.

use crate::support::binary::{TestDirectory, stderr};
use std::process::Stdio;

fn desk() -> TestDirectory {
    TestDirectory::with("net n\nplace p 2\nplace q\ntransition t: p -> q\ntransition u: q -> p")
}

#[test]
fn who_does_not_read_on_is_no_error() {
    let desk = desk();
    for arguments in
        [&["graph", "model.pnml"][..], &["info", "model.pnml"], &["draw", "model.pnml"]]
    {
        let mut child = desk.command(arguments);
        let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn a_formula_that_shows_nothing_says_why() {
    let desk = desk();
    let said = |formula: &str| {
        let (code, _, stderr) =
            desk.said(&["graph", "model.pnml", "-o", "g.svg", "--formula", formula]);
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
    assert!(desk.read("g.svg").contains("#d9730d"));
}

#[test]
fn traces_that_do_not_fire_are_told_with_line_and_transition() {
    let desk = desk();
    desk.write("x.trace", "# net: n\nt\nu\nu\n");
    for command in ["graph", "replay"] {
        let arguments: &[&str] = match command {
            "graph" => &["graph", "model.pnml", "-o", "g.svg", "--trace", "x.trace"],
            _ => &["replay", "model.pnml", "x.trace"],
        };
        let said = desk.refused(1, arguments);
        let expected = "line 4: firing 3: transition `u` is not enabled, place `q` lacks tokens";
        assert!(said.contains("x.trace") && said.contains(expected), "{said}");
    }
}

#[test]
fn the_ending_of_a_file_may_be_in_capitals() {
    let desk = desk();
    desk.fine(&["graph", "model.pnml", "-o", "G.SVG"]);
    desk.fine(&["draw", "model.pnml", "-o", "N.SVG"]);
    desk.fine(&["draw", "model.pnml", "-o", "N.Png"]);
    assert!(desk.read("G.SVG").starts_with("<svg") && desk.read("N.SVG").starts_with("<svg"));
}
