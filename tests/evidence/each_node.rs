//! Examinations about each node on random nets: every answer agrees with enumeration, the auditor
//! confirms it, and refuses another value. The list of all dead markings is that of enumeration,
//! too.

use crate::support::binary::TestDirectory;
use crate::support::oracle::{OracleLimits, StateSpace, explore};
use crate::support::scale::scaled;
use parikh::evidence::audit::{Audit, AuditReport, AuditVerdict};
use parikh::evidence::reader::pnml;
use parikh::net::{LinearSum, Net, Predicate, marking_text, text};
use parikh_generate::{RandomKind, Shape, random};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const EXAMINATIONS: [&str; 4] =
    ["UpperBoundsAll", "QuasiLivenessAll", "LivenessAll", "StableMarkingAll"];

/// Returns the correct value for each node, by name.
fn expected(net: &Net, space: &StateSpace<'_>, examination: &str) -> BTreeMap<String, String> {
    let truth = |value: bool| if value { "TRUE" } else { "FALSE" }.to_owned();
    let places = net.places().map(|p| (net.place_name(p).to_owned(), p));
    let transitions = net.transitions().map(|t| (net.transition_name(t).to_owned(), t));
    match examination {
        "UpperBoundsAll" => places
            .map(|(name, p)| (name, space.maximum(&LinearSum::place(p)).to_string()))
            .collect(),
        "StableMarkingAll" => {
            let initial = net.initial();
            let is_stable = |p| space.markings().iter().all(|marking| marking[p] == initial[p]);
            places.map(|(name, p)| (name, truth(is_stable(p)))).collect()
        }
        "QuasiLivenessAll" => transitions.map(|(name, t)| (name, truth(space.fires(t)))).collect(),
        _ => {
            let is_live = |t| space.stays(&Predicate::Enabled(t));
            transitions.map(|(name, t)| (name, truth(is_live(t)))).collect()
        }
    }
}

fn audit(directory: &TestDirectory, net: &Net, examination: &str) -> AuditReport {
    let mut audit = Audit::new(net, 10_000, Box::new(|_| Err("no formulas".to_owned())));
    audit.file(&directory.at(&format!("proofs/{examination}.jsonl"))).unwrap();
    audit.finish()
}

#[test]
fn answers_about_each_node_are_those_of_enumeration_and_confirmed() {
    let (mut confirmed, mut refused, mut open) = (BTreeMap::new(), 0, 0);
    for seed in 0..scaled(40) {
        let kind = [RandomKind::Bounded, RandomKind::OneSafe][seed as usize % 2];
        let net = random(seed, &Shape { kind, ..Shape::small(seed) });
        let limits = OracleLimits { states: 500, tokens: 100 };
        let Some(space) = explore(&net, limits) else { continue };
        let directory = TestDirectory::with_net(&net);
        let model = directory.read("model.pnml");
        let read = pnml::read(model.as_bytes()).unwrap().net;
        for examination in EXAMINATIONS {
            let arguments = ["check", "model.pnml", "-e", examination, "-t", "20s", "-f", "json"];
            let arguments = [&arguments[..], &["--evidence", "proofs"]].concat();
            let (code, said, error) = directory.outputs(&arguments);
            let shown =
                || format!("seed {seed}, {examination}\n{said}{error}{}", text::print(&net));
            let mut right = expected(&net, &space, examination);
            let count = right.len();
            for line in said.lines() {
                let line: Value = serde_json::from_str(line).unwrap();
                if line["type"] == "answer" {
                    let value = &line["value"];
                    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    let id = line["id"].as_str().unwrap();
                    assert_eq!(Some(value), right.remove(id), "{id}: {}", shown());
                }
            }
            assert_eq!(code, if right.is_empty() { 0 } else { 3 }, "{}", shown());
            open += right.len();
            let report = audit(&directory, &read, examination);
            assert_eq!(report.judged.len(), count - right.len(), "{}", shown());
            assert_eq!(report.unanswered, right.len(), "{}", shown());
            for answer in &report.judged {
                let is_right = matches!(answer.verdict, AuditVerdict::Confirmed(_));
                assert!(is_right, "{answer:?}\n{}", shown());
                *confirmed.entry((examination, answer.value.clone())).or_insert(0) += 1;
            }
            refused += changed_values_are_refused(&directory, &read, examination);
        }
    }
    // Each examination has both truth values, and several bounds.
    assert!(confirmed.len() >= 8, "{confirmed:?}");
    assert!(refused > 100 && open * 100 <= refused, "{refused} refused, {open} open");
}

/// Negates all truth values in an evidence file, and adds 1 to all bounds. Returns the number of
/// answers, all of which the auditor refuses.
fn changed_values_are_refused(directory: &TestDirectory, net: &Net, examination: &str) -> usize {
    let path = format!("proofs/{examination}.jsonl");
    let right = directory.read(&path);
    let change = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        if let Some(value) = line["answer"]["value"].as_str() {
            let changed = match value {
                "TRUE" => "FALSE".to_owned(),
                "FALSE" => "TRUE".to_owned(),
                number => (number.parse::<u64>().unwrap() + 1).to_string(),
            };
            line["answer"]["value"] = changed.into();
        }
        // A search that is repeated would find the correct answer, and refuse this one, too.
        line.to_string()
    };
    directory.write(&path, &right.lines().map(change).collect::<Vec<_>>().join("\n"));
    let judged = audit(directory, net, examination).judged;
    for answer in &judged {
        assert!(matches!(answer.verdict, AuditVerdict::Refused(_)), "{answer:?}\n{right}");
    }
    judged.len()
}

#[test]
fn the_list_of_dead_markings_is_that_of_enumeration() {
    let mut listed = 0;
    for seed in 0..scaled(60) {
        let net = random(seed, &Shape { kind: RandomKind::Bounded, ..Shape::small(seed) });
        let limits = OracleLimits { states: 500, tokens: 100 };
        let Some(space) = explore(&net, limits) else { continue };
        let dead = space.markings().iter().filter(|marking| net.is_dead(marking));
        let dead: BTreeSet<String> = dead.map(|it| marking_text::print(&net, it)).collect();
        let arguments = ["check", "model.pnml", "-e", "RD", "--all", "-f", "json"];
        let said = TestDirectory::with_net(&net).succeeds(&arguments);
        let shown = || format!("seed {seed}\n{said}{}", text::print(&net));
        let mut found = BTreeSet::new();
        for line in said.lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            if line["type"] == "dead_marking" {
                let is_new = found.insert(line["marking"].as_str().unwrap().to_owned());
                assert!(is_new, "{}", shown());
            }
            if line["type"] == "dead_markings" {
                assert_eq!(line["dead_markings"], dead.len(), "{}", shown());
                assert_eq!(line["complete"], true, "{}", shown());
            }
        }
        assert_eq!(found, dead, "{}", shown());
        listed += found.len();
    }
    assert!(listed > 20, "{listed}");
}
