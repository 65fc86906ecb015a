//! Command-line tests of `parikh states` during work on decision diagrams: stopped, with little
//! memory, and drawn.

use crate::support::binary::{TestDirectory, stderr, stdout};

/// Returns the slotted ring protocol (Pastor, Roig, Cortadella, Badia 1994), with eight places per
/// node. With 300 nodes, its diagram takes minutes.
fn slotted_ring(nodes: usize) -> String {
    let mut net = String::new();
    for i in 0..nodes {
        for place in ["a", "b", "c 1", "d", "e", "f 1", "g", "h"] {
            let (name, tokens) = place.split_at(1);
            net.push_str(&format!("place {name}{i}{tokens}\n"));
        }
        let next = (i + 1) % nodes;
        let transitions = [
            format!("a{i} -> d{i}"),
            format!("a{i} -> b{i}"),
            format!("b{i} -> d{i}"),
            format!("b{i} -> e{i}"),
            format!("e{i} + g{i} -> c{i} + f{i}"),
            format!("d{i} + g{i} -> c{i} + h{i}"),
            format!("c{next} + h{i} -> a{next} + g{i}"),
            format!("c{next} + f{i} -> b{next} + g{i}"),
        ];
        for (at, transition) in transitions.iter().enumerate() {
            net.push_str(&format!("transition t{at}_{i}: {transition}\n"));
        }
    }
    net
}

#[test]
fn the_growth_of_diagrams_is_plotted() {
    let directory = TestDirectory::with(&slotted_ring(10));
    let said = directory.succeeds(&["states", "model.pnml", "--plot", "growth.svg"]);
    assert!(said.contains("8 291 791 872"), "{said}");
    let svg = directory.read("growth.svg");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert!(svg.contains(" completed after ") && svg.contains("completed (score "), "{svg}");
    // The reduction of this net is complete, so no diagrams are needed.
    let small =
        TestDirectory::with("place p 3\nplace q\ntransition t: p -> q\ntransition u: q -> p");
    small.succeeds(&["states", "model.pnml", "--plot", "growth.svg"]);
    assert!(small.read("growth.svg").contains("no decision diagrams were built"));
    let output = small.run(&["states", "model.pnml", "--plot", "none/growth.svg"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("cannot write none/growth.svg"), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn a_signal_during_saturation_prints_the_known_figures() {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let directory = TestDirectory::with(&slotted_ring(300));
    let mut child = directory
        .command(&["states", "model.pnml", "--timeout", "300s", "--threads", "2"])
        .env("PARIKH_LOG", "parikh=debug")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
    // One variable order was given up, and another is in progress.
    let under_way = log.find(|line| line.as_ref().unwrap().contains("stopped by its caller"));
    assert!(under_way.is_some(), "no diagrams grow");
    // Reads the rest of the log, so that the program can continue writing.
    std::thread::spawn(move || log.for_each(drop));
    let killed = Instant::now();
    let kill = format!("kill -s TERM {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3), "{said}");
    // One second, and a margin for a busy machine.
    assert!(killed.elapsed() < Duration::from_secs(10), "{:?}", killed.elapsed());
    assert!(said.contains("markings") && said.contains("unknown"), "{said}");
}

#[test]
fn a_memory_limit_prints_the_known_figures() {
    // Three thousand tokens on eight places: far too many markings, and large diagrams.
    let mut net = String::from("place p0 1500\nplace p1 1500\n");
    (2..8).for_each(|i| net.push_str(&format!("place p{i}\n")));
    for i in 0..8 {
        let p = |ahead: usize| (i + ahead) % 8;
        net.push_str(&format!("transition t{i}: p{i} + p{} -> p{} + p{}\n", p(1), p(3), p(5)));
        net.push_str(&format!("transition u{i}: p{i} + p{} -> p{} + p{}\n", p(3), p(1), p(6)));
    }
    let directory = TestDirectory::with(&net);
    let line = ["states", "model.pnml", "--timeout", "10s", "--threads", "2", "--memory", "64M"];
    let output = directory.run(&line);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let said = stdout(&output);
    assert!(said.contains("most tokens in a marking") && said.contains("unknown"), "{said}");
}
