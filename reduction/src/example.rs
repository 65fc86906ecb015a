//! Tests of the examples in the headers of the rules.
//!
//! An example consists of two nets in the textual format, separated by a line `# becomes`. The
//! first net starts with a comment that states the needs: `# deadlock`, `# reachability over p, q`,
//! `# liveness of t`, `# markings`, or several of these separated by `;`.

use super::{Needs, Preserve, Reduction, ReductionConfig, recheck, reduce};
use parikh_net::{Net, text};
use parikh_solvers::Budget;

/// Checks the example in the header of a rule, with only this rule applied.
pub(crate) fn check(rule: &'static str, source: &str) {
    let header = source.lines().map_while(|line| line.strip_prefix("//!"));
    let example: Vec<&str> = header.skip_while(|line| line.trim() != "```text").skip(1).collect();
    let end = example.iter().position(|line| line.trim() == "```").expect("a fence");
    let example = example[..end].join("\n");
    let (before, after) = example.split_once("# becomes").expect("an outcome");
    reduces(rule, before, after);
}

/// Checks that `before`, reduced with one rule only, gives `after`.
pub(crate) fn reduces(rule: &'static str, before: &str, after: &str) {
    let net = text::parse(before).expect("a net");
    let needs = needs(&net, before);
    let config = ReductionConfig { only: Some(vec![rule]), ..ReductionConfig::default() };
    let reduction: Reduction = reduce(&net, &needs, &Budget::unlimited(), &config);
    let expected = text::parse(after).expect("a net");
    assert_eq!(text::print(&reduction.net), text::print(&expected), "{rule}");
    assert_eq!(recheck(&net, &needs, &reduction.log, &reduction.net), Ok(()));
    assert!(reduction.statistics.rules.iter().all(|entry| entry.refused == 0));
}

fn needs(net: &Net, text: &str) -> Needs {
    let line = text.lines().find_map(|line| line.trim().strip_prefix('#')).expect("what is needed");
    let mut needs = Needs::default();
    for part in line.split(';').map(str::trim) {
        let (class, names) = match part.split_once(" over ").or_else(|| part.split_once(" of ")) {
            Some((class, names)) => (class, names.split(',').map(str::trim).collect()),
            None => (part, Vec::new()),
        };
        match class {
            "reachability" => needs.preserve = needs.preserve | Preserve::REACHABILITY,
            "deadlock" => needs.preserve = needs.preserve | Preserve::DEADLOCK,
            "liveness" => needs.preserve = needs.preserve | Preserve::LIVENESS,
            "markings" => needs.preserve = needs.preserve | Preserve::MARKINGS,
            other => panic!("`{other}` is no class"),
        }
        for name in names {
            match net.place_named(name) {
                Some(place) => needs.support.push(place),
                None => needs.protected.push(net.transition_named(name).expect("a node")),
            }
        }
    }
    needs
}
