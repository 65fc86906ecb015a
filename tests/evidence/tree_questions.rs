//! Evidence about the tree of runs, as it stands in files: what the engine finds is confirmed by the auditor, and
//! whatever is changed in it, nothing false is.

use crate::support::oracle::{Limits, explore};
use crate::support::scale::scaled;
use crate::support::trees;
use crate::trial::{Trial, is_confirmed, mutated};
use fastrand::Rng;
use parikh::engine::fixpoint::labelling;
use parikh::evidence::Document;
use parikh::evidence::question::Question;
use parikh::evidence_files::Writer;
use parikh::net::generate::{Kind, Shape, random, random_ctl, random_predicate};
use parikh::net::{Facts, Net, Predicate, TreeProperty};
use parikh::solvers::Budget;
use parikh_temporal::Ctl;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A question of a net, and the evidence for the answer.
struct Case {
    property: TreeProperty,
    holds: bool,
    lines: Vec<Value>,
    shown_by: Vec<Value>,
}

fn property(rng: &mut Rng, net: &Net) -> TreeProperty {
    let atoms: Vec<Predicate> = (0..3).map(|_| random_predicate(rng, net, 1).sorted()).collect();
    let mut formulas = Ctl::default();
    let operators = rng.usize(1..8);
    let formula = random_ctl(&mut formulas, rng, 3, operators);
    TreeProperty::new(&formulas, formula, &atoms)
}

/// The evidence of the engine, given what no reachable marking satisfies, written as a run writes it.
fn case(net: &Net, property: TreeProperty, never: &[Predicate], markings: u64) -> Option<Case> {
    let facts = Facts::none(net);
    let found = labelling(net, &facts, &property, never, &Budget::unlimited())?;
    let holds = found.decides(net, &property)?;
    let mut writer = Writer::new(net, "Some", Vec::new()).unwrap();
    let mut shown_by = Vec::new();
    if !found.given.is_empty() {
        let id = writer.document(None, &Document::Markings(markings)).unwrap();
        shown_by.push(json!({ "document": id }));
    }
    shown_by.push(json!({"labelling": writer.labelling(&found).unwrap()}));
    let text = String::from_utf8(writer.finish().unwrap()).unwrap();
    let lines = text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    Some(Case { property, holds, lines, shown_by })
}

fn asked(property: &TreeProperty) -> Question {
    Question::Tree(Box::new(property.clone()))
}

fn value(holds: bool) -> &'static str {
    if holds { "TRUE" } else { "FALSE" }
}

/// What of a line is changed.
const KEYS: [&str; 20] = [
    "atoms",
    "comparison",
    "sum",
    "bound",
    "formulas",
    "literal",
    "and",
    "or",
    "next",
    "until",
    "release",
    "formula",
    "places",
    "markings",
    "tokens",
    "claims",
    "given",
    "enabled",
    "disabled",
    "labelling",
];

#[test]
fn evidence_about_trees_is_confirmed_and_no_mutant_confirms_what_is_false() {
    let (mut confirmed, mut given, mut still) = ([0, 0], 0, 0);
    // By what was changed, how often that was noticed.
    let mut noticed: BTreeMap<&str, u32> = BTreeMap::new();
    for seed in 0..scaled(50) {
        let mut rng = Rng::with_seed(seed);
        let kind = [Kind::Bounded, Kind::OneSafe][rng.usize(..2)];
        let net = random(seed, &Shape { kind, ..Shape::small(seed) });
        let Some(space) = explore(&net, Limits { states: 100, tokens: 60 }) else { continue };
        let properties: Vec<TreeProperty> = (0..4).map(|_| property(&mut rng, &net)).collect();
        let both = |atom: &Predicate| [atom.clone().sorted(), atom.clone().negated().sorted()];
        let atoms = properties.iter().flat_map(|it| it.atoms()).flat_map(both);
        let never: Vec<Predicate> = atoms.filter(|it| !space.reaches(it)).collect();
        let markings = space.states() as u64;
        let cases: Vec<Case> = properties
            .into_iter()
            .filter_map(|it| case(&net, it, if rng.bool() { &never } else { &[] }, markings))
            .collect();
        let mut trial = Trial::new(&net);
        // What is to be confirmed, what must not be, and what has been changed where neither is sure.
        let mut expected: Vec<(Option<bool>, &str)> = Vec::new();
        for case in &cases {
            assert_eq!(case.holds, trees::holds(&space, &case.property), "seed {seed}");
            trial.add(asked(&case.property), value(case.holds), &case.lines, &case.shown_by);
            expected.push((Some(true), "nothing"));
            given += usize::from(case.shown_by.len() == 2);
            // The evidence for one answer, and another answer or another question.
            for other in &cases {
                for holds in [true, false] {
                    trial.add(asked(&other.property), value(holds), &case.lines, &case.shown_by);
                    expected.push(((other.holds != holds).then_some(false), "the question"));
                }
            }
            for key in KEYS.into_iter().cycle().take(2 * KEYS.len()) {
                let Some(lines) = mutated(&case.lines, key, &net, &mut rng) else { continue };
                for other in &cases {
                    let is_same = std::ptr::eq(other, case);
                    for holds in [true, false] {
                        trial.add(asked(&other.property), value(holds), &lines, &case.shown_by);
                        let must = (other.holds != holds).then_some(false);
                        let is_asked = is_same && holds == case.holds;
                        expected.push((must, if is_asked { key } else { "the question" }));
                    }
                }
            }
        }
        let judged = trial.judged();
        assert_eq!(judged.len(), expected.len(), "seed {seed}");
        for (judged, (must, what)) in judged.iter().zip(expected) {
            let is_confirmed = is_confirmed(judged);
            assert!(
                must.is_none_or(|must| must == is_confirmed),
                "seed {seed}, {what}: {judged:?}"
            );
            match (must, is_confirmed) {
                (Some(true), _) => confirmed[usize::from(judged.value == "TRUE")] += 1,
                (None, true) => still += 1,
                (None, false) => *noticed.entry(what).or_default() += 1,
                (Some(false), _) => {}
            }
        }
    }
    assert!(confirmed[0] > 30 && confirmed[1] > 30 && given > 5, "{confirmed:?} {given}");
    assert!(still > 100, "{still}");
    let is_noticed = |key: &&str| noticed.get(key).is_some_and(|&it| it > 1);
    let unnoticed: Vec<&&str> = KEYS.iter().filter(|key| !is_noticed(key)).collect();
    assert_eq!(unnoticed, Vec::<&&str>::new(), "{noticed:?}");
}

/// Without evidence, a search that is said to have been made is made again, and finds what there is.
#[test]
fn searches_of_trees_are_made_again() {
    let mut answers = [0, 0];
    for seed in 0..scaled(150) {
        let mut rng = Rng::with_seed(seed);
        let kind = [Kind::Bounded, Kind::OneSafe][rng.usize(..2)];
        let net = random(seed, &Shape { kind, ..Shape::small(seed) });
        let Some(space) = explore(&net, Limits { states: 90, tokens: 60 }) else { continue };
        let properties: Vec<TreeProperty> = (0..6).map(|_| property(&mut rng, &net)).collect();
        let mut trial = Trial::new(&net);
        for property in &properties {
            trial.add(asked(property), "TRUE", &[], &[]);
            trial.last()["answer"]["searched"] = json!({"markings": 1, "stubborn": false});
        }
        for (property, judged) in properties.iter().zip(trial.judged()) {
            let holds = trees::holds(&space, property);
            assert_eq!(is_confirmed(&judged), holds, "seed {seed}: {judged:?}");
            answers[usize::from(holds)] += 1;
        }
    }
    assert!(answers[0] > 100 && answers[1] > 100, "{answers:?}");
}
