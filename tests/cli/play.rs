//! Command-line tests of the token game in scripts, and of nets in other tools' languages.

use crate::support::binary::{TestDirectory, stderr, stdout};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::process::{Output, Stdio};

/// Three guests wait for a table of two. A served guest leaves, and closing empties the queue.
const NET: &str = "net cafe\npl {the queue} (3)\npl table\npl open (1)\n\
                   tr sit {the queue} table?-2 -> table\ntr leave table -> \ntr close open -> closed\n";

fn play(directory: &TestDirectory, arguments: &[&str], script: &str) -> Output {
    let mut command = directory.command(&[&["play"], arguments].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    child.stdin.take().expect("a pipe").write_all(script.as_bytes()).expect("written");
    child.wait_with_output().expect("it ends")
}

#[test]
fn a_game_is_played_from_a_script() {
    let directory = TestDirectory::new();
    directory.write("cafe.net", NET);
    let goals = ["cafe.net", "--goal", "full: table >= 2", "--goal", "fireable(sit)"];
    let script =
        "sit\n1\nwhy sit\nmark full\nleave\nclose\nundo 2\ntrace\nrestart\ngo full\nquit\nsit\n";
    let played = play(&directory, &goals, script);
    let expected = "cafe: 4 places, 3 transitions; `help` lists commands
after 0 firings: 3*\"the queue\" + open
   1  sit
   2  close
  [ ] full
  [*] fireable(sit)
after 1 firing: 2*\"the queue\" + table + open
   1  sit
   2  leave
   3  close
  [ ] full
  [*] fireable(sit)
after 2 firings: \"the queue\" + 2*table + open
   1  leave
   2  close
  [*] full
  [ ] fireable(sit)
no: sit is not enabled: table holds 2, and must hold fewer than 2
this marking now has the name full
";
    assert!(stdout(&played).starts_with(expected), "{}", stdout(&played));
    assert!(stdout(&played).ends_with("  [*] full\n  [ ] fireable(sit)\n"), "{}", stdout(&played));
    assert!(stdout(&played).contains("\nsit\nsit\n"), "{}", stdout(&played));
    assert_eq!(played.status.code(), Some(0), "{}", stderr(&played));
}

#[test]
fn a_game_is_played_in_a_terminal() {
    let directory = TestDirectory::new();
    directory.write("cafe.net", NET);
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
    grantpt(&master).expect("granted");
    unlockpt(&master).expect("unlocked");
    let name = ptsname(&master, Vec::new()).expect("a name").into_string().expect("text");
    let terminal = OpenOptions::new().read(true).write(true).open(name).expect("opened");
    let end = || Stdio::from(terminal.try_clone().expect("another handle"));
    let mut command = directory.command(&["play", "cafe.net", "--goal", "full: table >= 2"]);
    let mut child = command.stdin(end()).stdout(end()).stderr(end()).spawn().expect("it starts");
    // Then only the program has the terminal open, and the output ends when it does.
    drop((command, terminal));
    let mut master = File::from(master);
    master.write_all(b"sit\nnothing\n1\nundo\nquit\n").expect("typed");
    let mut said = Vec::new();
    let mut piece = [0; 4096];
    // Linux reports an error when the other end of a terminal is closed.
    while let Ok(some @ 1..) = master.read(&mut piece) {
        said.extend_from_slice(&piece[..some]);
    }
    let said = String::from_utf8(said).expect("text").replace("\r\n", "\n");
    assert_eq!(child.wait().expect("it ends").code(), Some(0), "{said}");
    assert_eq!(said.matches("> ").count() - said.matches("-> ").count(), 5, "{said}");
    for line in ["after 1 firing: ", "  [*] full", "no: ", "after 2 firings: "] {
        assert!(said.contains(line), "`{line}` in {said}");
    }
}

#[test]
fn invalid_commands_are_reported_and_the_script_continues() {
    let directory = TestDirectory::new();
    directory.write("cafe.net", NET);
    let script = "sut\nleave\n9\nnext\nundo\ngo nowhere\ngoal table >=\ngoal open >= 1\n";
    let played = play(&directory, &["cafe.net"], script);
    let said = stdout(&played);
    for line in [
        "no: the net has no transition sut; did you mean sit?",
        "no: leave is not enabled: table holds 0, and the transition takes 1",
        "no: expected a number from 1 to 2",
        "no: there is no trace: start `parikh play` with --trace FILE",
        "no: nothing was fired",
        "no: no marking has the name nowhere; `marks` lists the names",
        "  [*] open >= 1",
    ] {
        assert!(said.lines().any(|said| said == line), "{line}\n{said}");
    }
    assert_eq!(played.status.code(), Some(1));
    // Input that is no valid text does not end the game either.
    let mut command = directory.command(&["play", "cafe.net"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    child.stdin.take().expect("a pipe").write_all(b"s\xffit\nsit\n").expect("written");
    let said = stdout(&child.wait_with_output().expect("it ends"));
    assert!(said.contains("no: the net has no transition s\u{fffd}it"), "{said}");
    assert!(said.contains("after 1 firing: "), "{said}");
}

#[test]
fn a_trace_of_a_check_is_followed() {
    let directory = TestDirectory::new();
    directory.write("cafe.net", NET);
    let formula = "closed: EF (table >= 2 && closed >= 1)";
    directory.succeeds(&["check", "cafe.net", "--formula", formula, "--trace", "out"]);
    let played = play(
        &directory,
        &["cafe.net", "--trace", "out/closed.trace", "--goal", "closed >= 1 && table >= 2"],
        "next all\n",
    );
    let said = stdout(&played);
    assert!(said.contains("  [*] closed >= 1 && table >= 2\n"), "{said}");
    assert!(said.contains("end of the trace, after 3 firings"), "{said}");
}

#[test]
fn a_trace_is_followed_from_its_initial_marking() {
    let directory = TestDirectory::new();
    let net = "place i 1\nplace a\nplace b\nplace o\ntransition s: i -> a + b\n\
               transition e: a + b -> o\ntransition m: 2*a -> 2*b\n";
    for (file, text) in [("one.net", net), ("none.net", &net.replace("i 1", "i"))] {
        directory.write(file, text);
        directory.succeeds(&["check", file, "-e", "S", "--k", "2", "--trace", "out"]);
        let script = "next all\nmark end\nrestart\ngo end\ntrace\n";
        let played = play(&directory, &[file, "--trace", "out/2-Soundness.trace"], script);
        let said = stdout(&played);
        assert_eq!(played.status.code(), Some(0), "{said}");
        let from = "starting from 2*i, the marking that the trace states, not from the initial \
                    marking of the model";
        for line in [from, "after 0 firings: 2*i", "after 3 firings: 4*b", "# from: 2*i"] {
            assert!(said.lines().any(|said| said == line), "{line}\n{said}");
        }
        assert!(said.ends_with("# from: 2*i\ns\ns\nm\n"), "{said}");
    }
}

#[test]
fn the_cycle_of_a_trace_is_followed_repeatedly() {
    let directory = TestDirectory::new();
    let net = "place i 1\nplace a\nplace b\nplace c\ntransition s: i -> a\ntransition x: a -> b\n\
               transition y: b -> a\ntransition z: b -> c\n";
    directory.write("las.net", net);
    directory.succeeds(&["check", "las.net", "--formula", "F c >= 1", "--trace", "out"]);
    let script = "next all\nnext\nnext\nundo\nnext 3\n";
    let played = play(&directory, &["las.net", "--trace", "out/formula-1.trace"], script);
    let said = stdout(&played);
    assert_eq!(played.status.code(), Some(0), "{said}");
    let told: Vec<&str> = said.lines().filter(|line| line.contains("next: ")).collect();
    assert_eq!(
        told,
        [
            "start of the cycle of 2 firings, which can repeat forever, next: x",
            "cycle 1 of 2, round 1, next: y",
            "1 time through the cycle of 2 firings, next: x",
            "2 times through the cycle of 2 firings, next: x",
        ],
        "{said}"
    );
    // A self-covering sequence with an empty prefix, whose cycle adds a token.
    directory.write("pump.net", "place i 1\nplace b\ntransition s: i -> i + b\n");
    directory.succeeds(&["check", "pump.net", "--formula", "bound(b)", "--trace", "out"]);
    let played =
        play(&directory, &["pump.net", "--trace", "out/formula-1.trace"], "next all\nnext 2\n");
    let said = stdout(&played);
    assert!(said.starts_with("a net: 2 places, 1 transition;"), "{said}");
    assert!(said.contains("1 time through the cycle of 1 firing, next: s"), "{said}");
    assert!(said.contains("after 3 firings: i + 3*b"), "{said}");
}

#[test]
fn names_with_blanks_and_names_for_people_can_be_typed() {
    let directory = TestDirectory::new();
    directory.write(
        "n.pnml",
        "<pnml xmlns='http://www.pnml.org/version-2009/grammar/pnml'><net id='n'><page id='g'>\
         <place id='p one'><initialMarking><text>3</text></initialMarking></place>\
         <transition id='go there'><name><text>Pay the bill</text></name></transition>\
         <arc id='a' source='p one' target='go there'/></page></net></pnml>",
    );
    let script = "go there\n\"go there\"\nPay the bill\nwhy Pay the bill\ntrace\n\u{1b}[A\n";
    let said = stdout(&play(&directory, &["n.pnml"], script));
    for line in [
        "   1  \"go there\"  (Pay the bill)",
        "no: no marking has the name there; `marks` lists the names",
        "after 1 firing: 2*\"p one\"",
        "after 2 firings: \"p one\"",
        "\"go there\" is enabled",
        "\"go there\"",
    ] {
        assert!(said.lines().any(|said| said == line), "{line}\n{said}");
    }
    let last = said.lines().last().expect("a line");
    assert!(
        last.contains("the line contains control characters") && last.contains("rlwrap"),
        "{said}"
    );
}

#[test]
fn nets_are_converted_and_impossible_conversions_refused() {
    let directory = TestDirectory::new();
    directory.write("cafe.net", NET);
    directory.succeeds(&["convert", "cafe.net", "-o", "cafe.pnml"]);
    directory.succeeds(&["convert", "cafe.pnml", "-o", "again.net"]);
    assert!(directory.read("again.net").contains("tr sit {the queue} table?-2 -> table"));
    let refused = directory.fails_with(1, &["convert", "cafe.net", "-o", "cafe.lola"]);
    assert!(refused.contains("cafe.lola: transition `sit` has inhibitor arcs"), "{refused}");
    let refused = directory.fails_with(2, &["convert", "cafe.net", "-o", "cafe.xyz"]);
    assert!(refused.contains("ends in .pnml, .net, .lola or .txt"), "{refused}");
    directory.write("broken.net", "tr t p ->\npr t > u");
    let refused = directory.fails_with(1, &["info", "broken.net"]);
    let lines: Vec<&str> = refused.lines().collect();
    assert!(
        lines[0].starts_with("parikh: broken.net:2:1: priorities are not supported"),
        "{refused}"
    );
    assert_eq!(lines[1..], ["  pr t > u", "  ^^"]);
    // An unbounded place with an inhibitor arc: reachability questions and the token game work.
    directory.write("free.net", "tr t -> p\ntr u p?-3 -> q");
    let info = directory.succeeds(&["info", "free.net"]);
    assert!(info.contains("places       2\n") && info.contains("inhibitors   1 arc\n"), "{info}");
    directory.succeeds(&["draw", "free.net", "-o", "free.dot"]);
    assert!(directory.read("free.dot").contains("p0 -> t1 [label=\"3\", arrowhead=odot]"));
    let refused = directory.fails_with(1, &["unfold", "free.net"]);
    assert!(
        refused.contains("place `p` inhibits transition `u`, but no bound on its tokens is known"),
        "{refused}"
    );
    let played = play(&directory, &["free.net"], "t 4\nwhy u\n");
    assert!(stdout(&played).contains("no: u is not enabled: p holds 4"), "{}", stdout(&played));
    let refused = directory.fails_with(1, &["check", "cafe.net", "-e", "Soundness"]);
    assert!(refused.contains("the final marking of a case is unknown"), "{refused}");
}
