//! Evidence about runs in files: the auditor confirms the engines' results, and mutations confirm
//! nothing false.

use crate::support::scale::scaled;
use crate::trial::{EvidenceCase, Tally, Trial, is_confirmed};
use fastrand::Rng;
use parikh::engine::lasso::RunGraph;
use parikh::engine::ranking::argue;
use parikh::evidence::certificate::markings::visit;
use parikh::evidence::kind;
use parikh::evidence::lasso::{NamedLasso, check_lasso};
use parikh::evidence::question::Question;
use parikh::evidence_files::Writer;
use parikh::net::run_property::{RunAtom, RunProperty};
use parikh::net::{Facts, Net, Predicate};
use parikh::solvers::Budget;
use parikh_generate::{RandomKind, Shape, random, random_fairness, random_ltl, random_predicate};
use parikh_temporal::Ltl;
use serde_json::json;

fn property(rng: &mut Rng, net: &Net) -> RunProperty {
    let mut atoms: Vec<RunAtom> =
        (0..2).map(|_| RunAtom::Holds(random_predicate(rng, net, 1).sorted())).collect();
    atoms.push(RunAtom::Fires(net.transitions().filter(|_| rng.bool()).collect()));
    let mut formulas = Ltl::default();
    let operators = rng.usize(1..6);
    let formula = random_ltl(&mut formulas, rng, 3, operators);
    RunProperty::new(&formulas, formula, &atoms).with_fairness(random_fairness(rng, net))
}

/// Returns the number of markings, if there are few and none satisfies the predicate.
fn unreachable(net: &Net, predicate: &Predicate) -> Option<u64> {
    let visited = visit(net, 1_000, |marking| !predicate.holds(net, marking)).ok()?;
    Some(visited.count())
}

/// Returns the engines' evidence about runs with a property, written as a run writes it.
fn case(net: &Net, property: RunProperty, lassos: &mut RunGraph<'_>) -> Option<EvidenceCase> {
    let mut writer = Writer::new(net, "Some", Vec::new()).unwrap();
    let mut shown_by = Vec::new();
    let none = match lassos.find(&property).ok()? {
        Some(run) => {
            // A run with an open end may need more than its prefix.
            check_lasso(net, &property, &run, &mut || true).ok()?;
            let lasso = NamedLasso::of(net, &run);
            shown_by.push(json!({"lasso": writer.put(kind::EvidenceKind::Lasso, &lasso).unwrap()}));
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
            if let Some(premise) = argument.premises.first() {
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
    Some(EvidenceCase { question: asked(&property), holds: none, lines, shown_by })
}

fn asked(property: &RunProperty) -> Question {
    Question::NoRun(Box::new(property.clone()))
}

/// The keys of a line that are mutated.
const KEYS: [&str; 26] = [
    "prefix", "repeats", "atoms", "holds", "fires", "formulas", "formula", "untils", "initial",
    "states", "meets", "edges", "to", "reads", "marks", "opening", "given", "refuted", "edge",
    "movers", "by", "rankings", "state", "weights", "values", "markings",
];

#[test]
fn evidence_about_runs_is_confirmed_and_no_mutant_proves_a_false_claim() {
    let mut tally = Tally::default();
    for seed in 0..scaled(200) {
        let mut rng = Rng::with_seed(seed);
        let kind = [RandomKind::Bounded, RandomKind::OneSafe][rng.usize(..2)];
        let net = random(seed, &Shape { kind, ..Shape::small(seed) });
        let properties: Vec<RunProperty> = (0..4).map(|_| property(&mut rng, &net)).collect();
        let (facts, budget) = (Facts::empty(&net), Budget::unlimited());
        let mut lassos = RunGraph::new(&net, &facts, &properties, 0, &budget).unwrap();
        let cases: Vec<EvidenceCase> =
            properties.into_iter().filter_map(|it| case(&net, it, &mut lassos)).collect();
        tally.try_all(&net, &cases, &KEYS, &mut rng);
    }
    let Tally { confirmed, given, still, .. } = tally;
    assert!(confirmed[0] > 100 && confirmed[1] > 100 && given > 20, "{tally:?}");
    assert!(still > 500, "{tally:?}");
    // On such small nets, few rankings need values of states.
    let unnoticed: Vec<&str> =
        tally.hardly_noticed(&KEYS, 3).into_iter().filter(|key| *key != "values").collect();
    assert_eq!(unnoticed, Vec::<&str>::new(), "{tally:?}");
}

/// If an answer claims a search without evidence, the auditor repeats the search.
#[test]
fn searches_for_runs_are_repeated() {
    let mut answers = [0, 0];
    for seed in 0..scaled(150) {
        let mut rng = Rng::with_seed(seed);
        let kind = [RandomKind::Bounded, RandomKind::OneSafe][rng.usize(..2)];
        let net = random(seed, &Shape { kind, ..Shape::small(seed) });
        if visit(&net, 100, |_| true).is_err() {
            continue;
        }
        let properties: Vec<RunProperty> = (0..6).map(|_| property(&mut rng, &net)).collect();
        let (facts, budget) = (Facts::empty(&net), Budget::unlimited());
        let mut lassos = RunGraph::new(&net, &facts, &properties, 0, &budget).unwrap();
        let mut trial = Trial::new(&net);
        for property in &properties {
            trial.add(asked(property), true, &[], &[]);
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
