//! The four examinations about each node on random nets: every verdict agrees with enumeration, and
//! so do the totals.
//!
//! `tests/evidence/each_node.rs` also audits the evidence, on fewer nets.

use crate::support::oracle::{OracleLimits, StateSpace, explore};
use crate::support::scale::scaled;
use parikh::answer::{Grade, Plan, QuestionValue};
use parikh::mcc::Examination;
use parikh::net::{LinearSum, Net, Predicate, text};
use parikh::run::{self, Event, RunConfig};
use parikh::solvers::Budget;
use parikh_generate::{RandomKind, Shape, random};
use std::collections::BTreeMap;
use std::time::Duration;

const EXAMINATIONS: [Examination; 4] = [
    Examination::UpperBoundsAll,
    Examination::QuasiLivenessAll,
    Examination::LivenessAll,
    Examination::StableMarkingAll,
];

/// The time limit of a run. No question is open at the end, unless the machine is very slow.
const TIME: Duration = Duration::from_secs(60);

/// Returns the correct value for each node, by name.
fn expected(
    net: &Net,
    space: &StateSpace<'_>,
    examination: Examination,
) -> BTreeMap<String, QuestionValue> {
    let places = || net.places().map(|p| (net.place_name(p).to_owned(), p));
    let transitions = || net.transitions().map(|t| (net.transition_name(t).to_owned(), t));
    match examination {
        Examination::UpperBoundsAll => places()
            .map(|(name, p)| (name, QuestionValue::Number(space.maximum(&LinearSum::place(p)))))
            .collect(),
        Examination::StableMarkingAll => places()
            .map(|(name, p)| {
                let is_same = |marking: &parikh::net::Marking| marking[p] == net.initial()[p];
                (name, QuestionValue::Bool(space.markings().iter().all(is_same)))
            })
            .collect(),
        Examination::QuasiLivenessAll => {
            transitions().map(|(name, t)| (name, QuestionValue::Bool(space.fires(t)))).collect()
        }
        _ => transitions()
            .map(|(name, t)| (name, QuestionValue::Bool(space.stays(&Predicate::Enabled(t)))))
            .collect(),
    }
}

/// The counts of an examination.
#[derive(Debug, Default)]
struct NodeCounts {
    nodes: usize,
    open: usize,
    /// The nodes whose answer is a search without a certificate.
    searched: usize,
    /// The nodes by value.
    values: BTreeMap<String, usize>,
}

fn check(seed: u64, net: &Net, space: &StateSpace<'_>, counts: &mut BTreeMap<&str, NodeCounts>) {
    let threads = if seed.is_multiple_of(8) { 2 } else { 1 };
    let config = RunConfig { threads, seed, ..RunConfig::default() };
    for examination in EXAMINATIONS {
        let plan = Plan::of_examination(examination, net).expect("a plan");
        let mut answers = BTreeMap::new();
        let budget = Budget::lasting(TIME);
        let report = run::run_net(net, plan, &config, &budget, |event| match event {
            Event::Answered(answer) => {
                answers.insert(answer.id.clone(), (answer.value.clone(), answer.grade));
            }
            Event::Withdrawn { id } => drop(answers.remove(id)),
            _ => {}
        });
        let context = || format!("{examination}, seed {seed}:\n{}", text::print(net));
        assert_eq!(report.faults, 0, "{}", context());
        let right = expected(net, space, examination);
        let counts = counts.entry(examination.name()).or_default();
        counts.nodes += right.len();
        counts.open += report.unanswered.len();
        assert_eq!(answers.len() + report.unanswered.len(), right.len(), "{}", context());
        assert!(report.unanswered.iter().all(|open| !answers.contains_key(&open.id)));
        for (node, (value, grade)) in answers {
            assert_eq!(right.get(&node), Some(&value), "{node}: {}", context());
            counts.searched += usize::from(matches!(grade, Grade::Searched { .. }));
            *counts.values.entry(value.to_string()).or_default() += 1;
        }
    }
}

#[test]
fn verdicts_for_each_node_agree_with_enumeration() {
    let wanted = scaled(300);
    let (mut nets, mut counts) = (0, BTreeMap::new());
    for seed in 0.. {
        let kinds = [RandomKind::Bounded, RandomKind::OneSafe, RandomKind::Free];
        let net = random(seed, &Shape { kind: kinds[seed as usize % 3], ..Shape::small(seed) });
        let limits = OracleLimits { states: 500, tokens: 100 };
        let Some(space) = explore(&net, limits) else { continue };
        check(seed, &net, &space, &mut counts);
        nets += 1;
        if nets == wanted {
            break;
        }
    }
    println!("{nets} nets");
    for (examination, counts) in &counts {
        let NodeCounts { nodes, open, searched, values } = counts;
        println!("{examination}: {nodes} nodes, {open} open, {searched} searched, {values:?}");
        assert!(values.len() >= 2, "each examination has different values: {counts:?}");
        assert!(open * 1000 <= *nodes, "{counts:?}");
    }
}
