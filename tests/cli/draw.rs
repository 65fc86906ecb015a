//! `parikh draw`, from outside.

use crate::support::binary::{Desk, stderr};
use crate::support::outside::skipped;
use std::process::{Command, Output};

const NET: &str = "<pnml><net id='n'>
  <place id='p'><initialMarking><text>2</text></initialMarking></place><place id='q'/>
  <transition id='t'/><transition id='u'/>
  <arc id='1' source='p' target='t'/><arc id='2' source='t' target='q'/>
  <arc id='3' source='q' target='u'/><arc id='4' source='u' target='p'/>
</net></pnml>";

fn folder() -> Desk {
    let folder = Desk::new();
    folder.write("n.pnml", NET);
    folder
}

fn draw(folder: &Desk, arguments: &[&str]) -> Output {
    folder.run(&[&["draw"], arguments].concat())
}

fn stdout(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn nets_and_what_stands_out_are_drawn() {
    let folder = folder();
    let plain = stdout(&draw(&folder, &["n.pnml"]));
    assert!(plain.starts_with("digraph \"n\" {\n") && plain.contains("p0 -> t0;"), "{plain}");
    assert!(!plain.contains("fillcolor"));
    let bright = |arguments: &[&str]| {
        let drawn = stdout(&draw(&folder, &[&["n.pnml"], arguments].concat()));
        drawn.matches("fillcolor").count()
    };
    assert_eq!(bright(&["--highlight", "p,u"]), 2);
    assert_eq!(bright(&["--invariant", "1"]), 2);
    assert_eq!(bright(&["--siphon"]), 2);
    assert_eq!(bright(&["--trap=1"]), 2);
    folder.write("x.trace", "t\nt\n");
    let drawn = stdout(&draw(&folder, &["n.pnml", "--trace", "x.trace"]));
    assert!(drawn.contains("after 2 firings") && drawn.contains("#1 (2 times)"), "{drawn}");
    assert!(drawn.contains("xlabel=\"q\\n0 before\""), "{drawn}");
}

#[test]
fn files_are_written_by_their_ending() {
    let folder = folder();
    stdout(&draw(&folder, &["n.pnml", "-o", "n.dot"]));
    assert!(folder.path().join("n.dot").is_file());
    let wrong = draw(&folder, &["n.pnml", "-o", "n.png"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert_eq!(stderr(&wrong), "parikh: n.png: expected a name that ends in .dot or .svg\n");
    let svg = draw(&folder, &["n.pnml", "-o", "n.svg"]);
    if Command::new("dot").arg("-V").output().is_ok() {
        stdout(&svg);
        assert!(std::fs::read_to_string(folder.path().join("n.svg")).unwrap().contains("<svg"));
    } else {
        skipped("Graphviz is not installed: its absence is tested instead");
        assert!(stderr(&svg).contains("which is not installed"));
    }
    let alone =
        folder.command(&["draw", "n.pnml", "-o", "n.svg"]).env("PATH", "").output().unwrap();
    assert_eq!(
        stderr(&alone),
        "parikh: n.svg: SVG is drawn by the program `dot` of Graphviz, which is not installed; \
         install the package graphviz, or name a .dot file\n"
    );
}

#[test]
fn what_takes_too_long_ends_with_3() {
    let folder = folder();
    let output = draw(&folder, &["n.pnml", "--trap", "-t", "0s"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("nothing is drawn"), "{}", stderr(&output));
}

#[test]
fn mistakes_are_named() {
    let folder = folder();
    let problem = |arguments: &[&str]| {
        let output = draw(&folder, &[&["n.pnml"], arguments].concat());
        assert_eq!(output.status.code(), Some(1));
        stderr(&output)
    };
    assert_eq!(problem(&["--highlight", "x"]), "parikh: the net has no place or transition `x`\n");
    assert_eq!(
        problem(&["--invariant", "2"]),
        "parikh: there is no place invariant 2: the net has 1, counted from 1\n"
    );
    assert_eq!(
        problem(&["--siphon=3"]),
        "parikh: there is no minimal siphon 3: found 1, counted from 1\n"
    );
    folder.write("x.trace", "u\n");
    let replay = problem(&["--trace", "x.trace"]);
    assert!(replay.starts_with("parikh: x.trace: the trace does not replay: "), "{replay}");
}

#[test]
fn a_large_net_is_drawn_in_groups_unless_all_is_asked_for() {
    let folder = folder();
    let mut net = String::from("<pnml><net id='large'>");
    for i in 0..400 {
        net.push_str(&format!("<place id='p{i}'/><transition id='t{i}'/>"));
        net.push_str(&format!("<arc id='a{i}' source='p{i}' target='t{i}'/>"));
    }
    net.push_str("</net></pnml>");
    folder.write("large.pnml", &net);
    let groups = draw(&folder, &["large.pnml"]);
    assert!(stdout(&groups).contains("label=\"p#\\n400 places\""));
    assert!(stderr(&groups).contains("800 nodes are too many to look at"));
    let all = stdout(&draw(&folder, &["large.pnml", "--all"]));
    assert!(all.contains("p399 -> t399;"));
    let names: Vec<String> = (0..350).map(|i| format!("p{i}")).collect();
    let many = draw(&folder, &["large.pnml", "--highlight", &names.join(",")]);
    let groups = stdout(&many);
    assert!(groups.contains("label=\"p#\\n400 places\\n350 highlighted\""), "{groups}");
    assert!(
        stderr(&many).contains("700 nodes are highlighted or next to one"),
        "{}",
        stderr(&many)
    );
    let part = stdout(&draw(&folder, &["large.pnml", "--highlight", "p7"]));
    assert!(part.contains("2 of 800 nodes of large") && part.contains("p7 -> t7;"), "{part}");
}
