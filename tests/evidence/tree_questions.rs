//! Evidence about the computation tree in files: the auditor confirms the engine's results, and
//! mutations confirm nothing false.

use crate::support::oracle::{GoalTruth, OracleLimits, StateSpace, explore};
use crate::support::scale::scaled;
use crate::support::trees;
use crate::trial::{EvidenceCase, Tally, Trial, is_confirmed};
use fastrand::Rng;
use parikh::engine::diagrams::{self, confirm::closed_set};
use parikh::engine::fixpoint::labelling;
use parikh::evidence::Document;
use parikh::evidence::home::HomeArgument;
use parikh::evidence::kind;
use parikh::evidence::question::Question;
use parikh::evidence::tree::{NamedLabelling, TreePremises};
use parikh::evidence_files::Writer;
use parikh::net::{Facts, FiringSequence, Goal, Net, Predicate, TreeProperty, text};
use parikh::solvers::Budget;
use parikh_generate::{RandomKind, Shape, random, random_ctl, random_predicate};
use parikh_temporal::{AtomId, Ctl, Literal, Quantifier};
use serde_json::json;

fn property(rng: &mut Rng, net: &Net) -> TreeProperty {
    let atoms: Vec<Predicate> = (0..3).map(|_| random_predicate(rng, net, 1).sorted()).collect();
    let mut formulas = Ctl::default();
    let operators = rng.usize(1..8);
    let formula = random_ctl(&mut formulas, rng, 3, operators);
    TreeProperty::new(&formulas, formula, &atoms)
}

/// Returns the engine's evidence, given facts about all reachable markings, written as a run writes
/// it.
fn case(
    space: &StateSpace<'_>,
    property: &TreeProperty,
    given: &TreePremises,
) -> Option<EvidenceCase> {
    let net = space.net();
    let facts = Facts::empty(net);
    let found = labelling(net, &facts, property, given, &Budget::unlimited())?;
    let holds = found.decides(net, property)?;
    assert_eq!(holds, trees::holds(space, property), "{property:?}");
    let mut writer = Writer::new(net, "Some", Vec::new()).unwrap();
    let mut shown_by = Vec::new();
    if !found.premises.unreachable_predicates.is_empty() {
        let id = writer.document(None, &Document::Markings(space.states() as u64)).unwrap();
        shown_by.push(json!({ "document": id }));
    }
    if !found.premises.home_predicates.is_empty() {
        let structure = HomeArgument::Visited(space.states() as u64);
        shown_by.push(json!({"structure": writer.structure(None, &structure).unwrap()}));
    }
    let labelling = NamedLabelling::of(net, &found);
    shown_by
        .push(json!({"labelling": writer.put(kind::EvidenceKind::Labelling, &labelling).unwrap()}));
    let text = String::from_utf8(writer.finish().unwrap()).unwrap();
    let lines = text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    Some(EvidenceCase { question: asked(property), holds, lines, shown_by })
}

fn asked(property: &TreeProperty) -> Question {
    Question::Tree(Box::new(property.clone()))
}

/// The keys of a line that are mutated.
const KEYS: [&str; 21] = [
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
    "stays",
    "enabled",
    "disabled",
    "labelling",
];

#[test]
fn evidence_about_trees_is_confirmed_and_no_mutant_confirms_what_is_false() {
    let mut tally = Tally::default();
    for seed in 0..scaled(50) {
        let mut rng = Rng::with_seed(seed);
        let kind = [RandomKind::Bounded, RandomKind::OneSafe][rng.usize(..2)];
        let net = random(seed, &Shape { kind, ..Shape::small(seed) });
        let Some(space) = explore(&net, OracleLimits { states: 100, tokens: 60 }) else { continue };
        let properties: Vec<TreeProperty> = (0..4).map(|_| property(&mut rng, &net)).collect();
        let both = |atom: &Predicate| [atom.clone().sorted(), atom.clone().negated().sorted()];
        let atoms = properties.iter().flat_map(|it| it.atoms()).flat_map(both);
        let atoms: Vec<Predicate> = atoms.chain([Predicate::Dead]).collect();
        let never = |it: &&Predicate| !space.reaches(it);
        let stays =
            |it: &&Predicate| space.answer(&Goal::Home((*it).clone())) == GoalTruth::Stays(true);
        let nothing = TreePremises::default();
        let given = TreePremises {
            unreachable_predicates: atoms.iter().filter(never).cloned().collect(),
            home_predicates: atoms.iter().filter(stays).cloned().collect(),
        };
        let cases: Vec<EvidenceCase> = properties
            .iter()
            .filter_map(|it| case(&space, it, if rng.bool() { &given } else { &nothing }))
            .collect();
        tally.try_all(&net, &cases, &KEYS, &mut rng);
    }
    let Tally { confirmed, given, still, .. } = tally;
    assert!(confirmed[0] > 30 && confirmed[1] > 30 && given > 5, "{tally:?}");
    assert!(still > 100, "{tally:?}");
    assert_eq!(tally.hardly_noticed(&KEYS, 2), Vec::<&str>::new(), "{tally:?}");
}

/// A set of all markings proves every formula, TRUE or FALSE. Mutations confirm nothing false.
#[test]
fn sets_of_all_markings_are_confirmed_and_no_mutant_confirms_what_is_false() {
    const KEYS: [&str; 4] = ["closed_set", "order", "nodes", "root"];
    let mut tally = Tally::default();
    for seed in 0..scaled(60) {
        let mut rng = Rng::with_seed(seed);
        let kind = [RandomKind::Bounded, RandomKind::OneSafe][rng.usize(..2)];
        let net = random(seed, &Shape { kind, ..Shape::small(seed) });
        let Some(space) = explore(&net, OracleLimits { states: 100, tokens: 60 }) else { continue };
        let set =
            diagrams::explore(&net, 1, &Budget::unlimited(), |reached| Ok(closed_set(&reached)));
        let document = Document::ClosedSet(set.unwrap());
        let mut writer = Writer::new(&net, "Some", Vec::new()).unwrap();
        let id = writer.document(None, &document).unwrap();
        let text = String::from_utf8(writer.finish().unwrap()).unwrap();
        let lines: Vec<serde_json::Value> =
            text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
        let cases: Vec<EvidenceCase> = (0..4)
            .map(|_| {
                let property = property(&mut rng, &net);
                let holds = trees::holds(&space, &property);
                let shown_by = vec![json!({ "document": id })];
                EvidenceCase { question: asked(&property), holds, lines: lines.clone(), shown_by }
            })
            .collect();
        tally.try_all(&net, &cases, &KEYS, &mut rng);
    }
    let Tally { confirmed, .. } = tally;
    assert!(confirmed[0] > 40 && confirmed[1] > 40, "{tally:?}");
    assert_eq!(tally.hardly_noticed(&KEYS, 2), Vec::<&str>::new(), "{tally:?}");
}

/// If an answer claims a search without evidence, the auditor repeats the search.
#[test]
fn searches_of_trees_are_repeated() {
    let mut answers = [0, 0];
    for seed in 0..scaled(150) {
        let mut rng = Rng::with_seed(seed);
        let kind = [RandomKind::Bounded, RandomKind::OneSafe][rng.usize(..2)];
        let net = random(seed, &Shape { kind, ..Shape::small(seed) });
        let Some(space) = explore(&net, OracleLimits { states: 90, tokens: 60 }) else { continue };
        let properties: Vec<TreeProperty> = (0..6).map(|_| property(&mut rng, &net)).collect();
        let mut trial = Trial::new(&net);
        for property in &properties {
            // The question as written, and in its simplest form.
            let question = match Question::of_tree(&net, property) {
                between @ Question::WithImplications { .. } if rng.bool() => between,
                _ => asked(property),
            };
            trial.add(question, true, &[], &[]);
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

/// The formula is E(¬c U AX ψ), where c implies AX ψ. A run with ¬c U c shows it, hence a reachable
/// marking with c. The auditor has to find this whether c or ¬c is an atom of the question.
#[test]
fn conditions_that_occur_with_their_negations_are_one_atom() {
    let net = text::parse("place p 2\nplace q\ntransition t: p -> q").unwrap();
    let q = net.place_named("q").unwrap();
    let t = net.transition_named("t").unwrap();
    let both_in_q = Predicate::at_least(q, 2);
    // Implies AX q ≥ 2. It is false initially, and true after one firing.
    let before = both_in_q.before_all_near(&net, 100).unwrap().sorted();
    let not_before = before.clone().negated().sorted();
    assert!(!before.holds(&net, net.initial()) && before != not_before);
    let mut sequence = FiringSequence::new();
    sequence.push(t, 1);
    let mut writer = Writer::new(&net, "Some", Vec::new()).unwrap();
    let trace = json!({"trace": writer.trace(&sequence).unwrap()});
    let written = String::from_utf8(writer.finish().unwrap()).unwrap();
    let lines: Vec<serde_json::Value> =
        written.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    // The left operands are "not dead" and ¬before. Each is an atom, or the negation of one.
    for (waiting, positive) in
        [(Predicate::NotDead, true), (Predicate::Dead, false), (not_before, true), (before, false)]
    {
        let mut formulas = Ctl::default();
        let [waiting_id, both_id] = [0, 1].map(AtomId);
        let left = formulas.literal(Literal { atom: waiting_id, positive });
        let right = formulas.atom(both_id);
        let next = formulas.next(Quantifier::All, right);
        let until = formulas.until(Quantifier::Exists, left, next);
        let atoms = [waiting.clone(), both_in_q.clone()];
        let property = TreeProperty::new(&formulas, until, &atoms);
        let mut trial = Trial::new(&net);
        for asked in [&property, &property.negated()] {
            trial.add(Question::of_tree(&net, asked), true, &lines, std::slice::from_ref(&trace));
        }
        let verdicts: Vec<bool> = trial.judged().iter().map(is_confirmed).collect();
        assert_eq!(verdicts, [true, false], "{waiting:?}, {positive}");
    }
}
