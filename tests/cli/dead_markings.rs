//! Command-line tests of `check -e ReachabilityDeadlock --all`: the list of all dead markings, its
//! groups and its end.

use crate::support::binary::{TestDirectory, objects};
use serde_json::json;
use std::process::Command;

/// A net with a dead marking for each number of tokens on `made`.
const GROWING: &str = "place p 1\nplace q\nplace made\ntransition t: p -> q + made\n\
                       transition u: q -> p\ntransition end: p ->";

#[test]
fn all_dead_markings_are_listed_and_incomplete_lists_are_marked() {
    let all = ["check", "model.pnml", "-e", "RD", "--all"];
    let directory = TestDirectory::with(
        "place p 2\nplace q\nplace r\ntransition t: p -> q\ntransition u: p -> r",
    );
    let said = directory.succeeds(&all);
    for marking in ["2*q", "q + r", "2*r"] {
        assert!(said.contains(&format!(": {marking} — after 2 firings; group 1\n")), "{said}");
    }
    let group = "group 1: every transition waits for all its input places\n";
    assert_eq!(said.matches(group).count(), 1, "{said}");
    let end = "group 1 has 3 dead markings\n\
               3 dead markings in 1 group, complete — 6 reachable markings visited\n";
    assert!(said.ends_with(end), "{said}");
    let said = objects(&directory.succeeds(&[&all[..], &["-f", "json"]].concat()));
    let lists = |kind: &str| said.iter().filter(|it| it["type"] == kind).count();
    assert_eq!((lists("dead_marking"), lists("dead_markings")), (3, 1));
    assert_eq!(lists("dead_marking_group"), 1);
    let refused = directory.fails_with(2, &[&all[..3], &["OS", "--all"]].concat());
    assert!(refused.contains("--all applies to"), "{refused}");
    // A growing net has a dead marking for each number of tokens on `made`.
    let (code, said, _) = TestDirectory::with(GROWING).outputs(&[&all[..], &["-t", "1s"]].concat());
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("dead marking 1: "), "{said}");
    assert!(said.contains(": 0 — after 1 firing; group 1\n"), "{said}");
    let last = said.lines().last().expect("a last line");
    assert!(last.contains(", so far — out of time; "), "{said}");
    assert!(last.ends_with(" of them not visited"), "{said}");
    // The answer FALSE is proved, so the list is complete although the net is unbounded.
    let said = TestDirectory::with("place p\ntransition t: -> p").succeeds(&all);
    let end = "0 dead markings, complete — no dead marking is reachable";
    assert_eq!(said.lines().last(), Some(end), "{said}");
}

/// Two philosophers who put their first fork back, or not: what blocks depends on the forks only.
const FORKS: &str = "net forks\nplace fork1 1\nplace fork2 1\nplace idle1 1\nplace idle2 1\n\
                     place has1\nplace has2\nplace eat1\nplace eat2\nplace coin 3\nplace spent\n\
                     transition first1: idle1 + fork1 -> has1\n\
                     transition second1: has1 + fork2 -> eat1\n\
                     transition done1: eat1 -> idle1 + fork1 + fork2\n\
                     transition first2: idle2 + fork2 -> has2\n\
                     transition second2: has2 + fork1 -> eat2\n\
                     transition done2: eat2 -> idle2 + fork1 + fork2\n\
                     transition spend: coin -> spent\ntransition lose: coin ->";

#[test]
fn dead_markings_are_grouped_by_their_blocked_transitions() {
    let all = ["check", "model.pnml", "-e", "RD", "--all"];
    let directory = TestDirectory::with(FORKS);
    let said = directory.succeeds(&all);
    let group = "\ngroup 1: second1 waits for fork2; second2 waits for fork1\ndead marking 1: ";
    assert!(said.contains(group), "{said}");
    let end = "\ngroup 1 has 4 dead markings\n4 dead markings in 1 group, complete — ";
    assert!(said.contains(end), "{said}");
    let said = objects(&directory.succeeds(&[&all[..], &["-f", "json"]].concat()));
    let of_type = |kind: &str| said.iter().filter(|it| it["type"] == kind).collect::<Vec<_>>();
    let closest = json!([
        {"transition": "second1", "waits_for": ["fork2"], "waits_for_fewer": []},
        {"transition": "second2", "waits_for": ["fork1"], "waits_for_fewer": []},
    ]);
    assert_eq!(of_type("dead_marking_group")[0]["closest"], closest);
    assert!(of_type("dead_marking").iter().all(|marking| marking["group"] == 1));
    let end = of_type("dead_markings")[0];
    assert_eq!(end["groups"], json!([{"group": 1, "dead_markings": 4}]));
    assert_eq!(end["markings_unvisited"], 0);
    // A transition with an inhibitor arc waits for fewer tokens.
    let directory = TestDirectory::new();
    directory.write(
        "i.net",
        "net i\ntr go p block?-1 -> q\ntr fill free -> block\ntr clear free -> done\n\
         pl p (1)\npl free (1)",
    );
    let said = directory.succeeds(&["check", "i.net", "-e", "RD", "--all"]);
    assert!(said.contains(": go waits for fewer tokens on block\n"), "{said}");
}

/// A process that is ended by a signal while it lists markings prints the last line.
#[cfg(unix)]
#[test]
fn an_ended_process_prints_the_last_line() {
    let directory = TestDirectory::with(GROWING);
    for format in ["text", "json"] {
        let child = Command::new(env!("CARGO_BIN_EXE_parikh"))
            .args(["check", "model.pnml", "-e", "RD", "--all", "-t", "60s", "-f", format])
            .current_dir(directory.path())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("it starts");
        std::thread::sleep(std::time::Duration::from_secs(2));
        let ended = Command::new("kill").arg(child.id().to_string()).status().expect("kill");
        assert!(ended.success());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(3));
        let said = String::from_utf8(output.stdout).expect("UTF-8");
        let last = said.lines().last().expect("a last line");
        let is_end = match format {
            "json" => last.contains(r#""complete":false"#) && last.contains("dead_markings"),
            _ => last.contains(", so far — "),
        };
        assert!(is_end, "{last}");
    }
}

#[test]
fn a_long_firing_sequence_is_cut_in_json() {
    // The counter has 2^17 = 131,072 values, and each of its firings is a step of its own.
    let mut model = "net counter\n".to_owned();
    for bit in 0..17 {
        model += &format!("place zero{bit} 1\nplace one{bit}\n");
    }
    for bit in 0..17 {
        let lower =
            |from: &str| -> String { (0..bit).map(|it| format!(" + {from}{it}")).collect() };
        model +=
            &format!("transition t{bit}: zero{bit}{} -> one{bit}{}\n", lower("one"), lower("zero"));
    }
    let directory = TestDirectory::with(&model);
    let arguments = ["check", "model.pnml", "-e", "RD", "--all", "-f", "json", "-t", "120s"];
    let said = objects(&directory.succeeds(&arguments));
    let marking = said.iter().find(|it| it["type"] == "dead_marking").expect("a dead marking");
    assert_eq!((&marking["firings"], &marking["cut"]), (&json!(131_071), &json!(true)));
    assert!(marking.get("steps").is_none());
}

#[test]
fn the_dead_marking_of_the_answer_is_listed_without_a_search() {
    let directory = TestDirectory::new();
    // Nothing is known about the bound of the inhibitor place `readers`.
    directory.write(
        "d.net",
        "net d\ntr come writer?-1 stop?-1 -> readers\ntr go readers ->\n\
         tr lock free readers?-1 -> writer\ntr die free -> stop\ntr drain stop readers -> stop\n\
         pl free (1)",
    );
    let (code, said, _) = directory.outputs(&["check", "d.net", "-e", "RD", "--all"]);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("ReachabilityDeadlock: TRUE"), "{said}");
    assert!(said.contains("\ndead marking 1: "), "{said}");
    let end = "1 dead marking in 1 group, so far — ";
    assert!(said.lines().last().is_some_and(|it| it.starts_with(end)), "{said}");
}
