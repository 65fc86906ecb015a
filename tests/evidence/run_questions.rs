//! Evidence about runs, as it stands in files: what engines find is confirmed by the auditor, and whatever is
//! changed in it, nothing false is.

use crate::support::scale::scaled;
use crate::trial::{Trial, is_confirmed, mutated};
use fastrand::Rng;
use parikh::engine::lasso::Lassos;
use parikh::engine::ranking::argue;
use parikh::evidence::certificate::markings::visit;
use parikh::evidence::lasso::check_lasso;
use parikh::evidence::question::Question;
use parikh::evidence_files::Writer;
use parikh::net::generate::{Kind, Shape, random, random_fairness, random_ltl, random_predicate};
use parikh::net::run_property::{RunAtom, RunProperty};
use parikh::net::{Facts, Net, Predicate};
use parikh::solvers::Budget;
use parikh_temporal::Ltl;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A question of a net: whether no run has a property, and the evidence for the answer.
struct Case {
    property: RunProperty,
    /// The answer.
    none: bool,
    /// Lines, each with what it is in the file, and the references to them.
    lines: Vec<Value>,
    shown_by: Vec<Value>,
}

fn property(rng: &mut Rng, net: &Net) -> RunProperty {
    let mut atoms: Vec<RunAtom> =
        (0..2).map(|_| RunAtom::Holds(random_predicate(rng, net, 1).sorted())).collect();
    atoms.push(RunAtom::Fires(net.transitions().filter(|_| rng.bool()).collect()));
    let mut formulas = Ltl::default();
    let operators = rng.usize(1..6);
    let formula = random_ltl(&mut formulas, rng, 3, operators);
    RunProperty::new(&formulas, formula, &atoms).under(random_fairness(rng, net))
}

/// How many markings there are, if they are few and none of them satisfies this.
fn unreachable(net: &Net, predicate: &Predicate) -> Option<u64> {
    let visited = visit(net, 1_000, |marking| !predicate.holds(net, marking)).ok()?;
    Some(visited.count())
}

/// The evidence of engines for what is asked of runs with a property, written as a run writes it.
fn case(net: &Net, property: RunProperty, lassos: &mut Lassos<'_>) -> Option<Case> {
    let mut writer = Writer::new(net, "Some", Vec::new()).unwrap();
    let mut shown_by = Vec::new();
    let none = match lassos.find(&property).ok()? {
        Some(run) => {
            // What is left open after a prefix may be more than the prefix shows.
            check_lasso(net, &property, &run, &mut || true).ok()?;
            shown_by.push(json!({"lasso": writer.lasso(&run).unwrap()}));
            false
        }
        None => {
            let both = property.atoms().iter().filter_map(|atom| match atom {
                RunAtom::Holds(it) => Some([it.clone(), it.clone().negated()]),
                RunAtom::Fires(_) => None,
            });
            let never = both.flatten().filter(|it| unreachable(net, it).is_some());
            let never: Vec<Predicate> = never.collect();
            let argument = argue(net, &property, &never, &Budget::unlimited()).ok()?;
            if let Some(premise) = argument.given.first() {
                let markings = unreachable(net, premise).unwrap();
                let document = parikh::evidence::Document::Markings(markings);
                let id = writer.document(None, &document).unwrap();
                shown_by.push(json!({ "document": id }));
            }
            shown_by.push(json!({"no_run": writer.no_run(&property, &argument).unwrap()}));
            true
        }
    };
    let text = String::from_utf8(writer.finish().unwrap()).unwrap();
    let lines = text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    Some(Case { property, none, lines, shown_by })
}

fn asked(property: &RunProperty) -> Question {
    Question::NoRun(Box::new(property.clone()))
}

fn holds(none: bool) -> &'static str {
    if none { "TRUE" } else { "FALSE" }
}

/// What of a line is changed.
const KEYS: [&str; 26] = [
    "prefix", "repeats", "atoms", "holds", "fires", "formulas", "formula", "untils", "initial",
    "states", "meets", "edges", "to", "reads", "marks", "opening", "given", "refuted", "edge",
    "movers", "by", "rankings", "state", "weights", "values", "markings",
];

#[test]
fn evidence_about_runs_is_confirmed_and_no_mutant_confirms_what_is_false() {
    let (mut confirmed, mut given, mut still) = ([0, 0], 0, 0);
    // By what was changed, how often that was noticed.
    let mut noticed: BTreeMap<&str, u32> = BTreeMap::new();
    for seed in 0..scaled(200) {
        let mut rng = Rng::with_seed(seed);
        let kind = [Kind::Bounded, Kind::OneSafe][rng.usize(..2)];
        let net = random(seed, &Shape { kind, ..Shape::small(seed) });
        let properties: Vec<RunProperty> = (0..4).map(|_| property(&mut rng, &net)).collect();
        let (facts, budget) = (Facts::none(&net), Budget::unlimited());
        let mut lassos = Lassos::new(&net, &facts, &properties, 0, &budget).unwrap();
        let cases: Vec<Case> =
            properties.into_iter().filter_map(|it| case(&net, it, &mut lassos)).collect();
        let mut trial = Trial::new(&net);
        // What is to be confirmed, what must not be, and what has been changed where neither is sure.
        let mut expected: Vec<(Option<bool>, &str)> = Vec::new();
        for case in &cases {
            trial.add(asked(&case.property), holds(case.none), &case.lines, &case.shown_by);
            expected.push((Some(true), "nothing"));
            given += usize::from(case.shown_by.len() == 2);
            // The evidence for one answer, and another answer or another question.
            for other in &cases {
                for none in [true, false] {
                    trial.add(asked(&other.property), holds(none), &case.lines, &case.shown_by);
                    expected.push(((other.none != none).then_some(false), "the question"));
                }
            }
            for part in 0..case.shown_by.len() {
                let shown_by = [&case.shown_by[..part], &case.shown_by[part + 1..]].concat();
                trial.add(asked(&case.property), holds(case.none), &case.lines, &shown_by);
                expected.push((None, "what it is shown by"));
            }
            for key in KEYS {
                let Some(lines) = mutated(&case.lines, key, &net, &mut rng) else { continue };
                for other in &cases {
                    let is_same = std::ptr::eq(other, case);
                    trial.add(asked(&other.property), holds(case.none), &lines, &case.shown_by);
                    let must = (other.none != case.none).then_some(false);
                    expected.push((must, if is_same { key } else { "the question" }));
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
    assert!(confirmed[0] > 100 && confirmed[1] > 100 && given > 20, "{confirmed:?} {given}");
    assert!(still > 500, "{still}");
    // On nets so small, hardly a ranking needs values of states.
    let is_noticed = |key: &&str| *key == "values" || noticed.get(key).is_some_and(|&it| it > 2);
    let unnoticed: Vec<&&str> = KEYS.iter().filter(|key| !is_noticed(key)).collect();
    assert_eq!(unnoticed, Vec::<&&str>::new(), "{noticed:?}");
}

/// Without evidence, a search that is said to have been made is made again, and finds what there is.
#[test]
fn searches_for_runs_are_made_again() {
    let mut answers = [0, 0];
    for seed in 0..scaled(150) {
        let mut rng = Rng::with_seed(seed);
        let kind = [Kind::Bounded, Kind::OneSafe][rng.usize(..2)];
        let net = random(seed, &Shape { kind, ..Shape::small(seed) });
        if visit(&net, 100, |_| true).is_err() {
            continue;
        }
        let properties: Vec<RunProperty> = (0..6).map(|_| property(&mut rng, &net)).collect();
        let (facts, budget) = (Facts::none(&net), Budget::unlimited());
        let mut lassos = Lassos::new(&net, &facts, &properties, 0, &budget).unwrap();
        let mut trial = Trial::new(&net);
        for property in &properties {
            trial.add(asked(property), "TRUE", &[], &[]);
            let answer = trial.last();
            answer["answer"]["searched"] = json!({"markings": 1, "stubborn": false});
        }
        for (property, judged) in properties.iter().zip(trial.judged()) {
            let none = lassos.find(property).unwrap().is_none();
            assert_eq!(is_confirmed(&judged), none, "seed {seed}: {judged:?}");
            answers[usize::from(none)] += 1;
        }
    }
    assert!(answers[0] > 100 && answers[1] > 100, "{answers:?}");
}
