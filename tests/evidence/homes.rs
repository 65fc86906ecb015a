//! Home properties by exploration of a reduced net: each rule alone against enumeration, mutated
//! reductions, and evidence files audited through the command line.

use crate::support::binary::{run, stderr};
use crate::support::oracle::{OracleLimits, StateSpace, explore};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::evidence::audit::{Audit, AuditVerdict};
use parikh::evidence::home::visited_markings::find_staying;
use parikh::evidence::reader::pnml;
use parikh::evidence::reduction::{CheckedReduction, NamedLog};
use parikh::net::{Net, Predicate, TransitionId, text};
use parikh::reduction::{LogStep, Preserve, ReductionConfig, needs, reduce, rules};
use parikh::solvers::Budget;
use parikh_generate::{Shape, random};
use std::collections::BTreeMap;

const LIMITS: OracleLimits = OracleLimits { states: 300, tokens: 60 };

/// Returns the auditor's result on a log: for each protected transition, true if it is live.
/// Returns `None` if the log is rejected.
fn live_by(net: &Net, log: &NamedLog, most: u64) -> Option<Vec<(TransitionId, bool)>> {
    let reduction = CheckedReduction::of_log(net, log, &mut || true).ok()?;
    let asked = net
        .transitions()
        .filter_map(|t| Some((t, reduction.translate_home(&Predicate::Enabled(t))?)));
    let (asked, wanted): (Vec<TransitionId>, Vec<Predicate>) = asked.unzip();
    let told = find_staying(reduction.net(), most, &wanted, &mut || true).ok()?;
    Some(asked.into_iter().zip(told).filter_map(|(t, told)| Some((t, told?))).collect())
}

fn is_true(space: &StateSpace<'_>, told: &[(TransitionId, bool)]) -> bool {
    told.iter().all(|&(t, live)| space.stays(&Predicate::Enabled(t)) == live)
}

/// Returns a log of a reduction of `net` for the liveness of some transitions, by these rules or by
/// all.
fn log_of(net: &Net, only: Option<Vec<&'static str>>, rng: &mut Rng) -> NamedLog {
    let some: Vec<TransitionId> = net.transitions().filter(|_| rng.u8(..3) > 0).collect();
    let config = ReductionConfig { only, linear: false, ..ReductionConfig::default() };
    let reduction = reduce(net, &needs::liveness(some), &Budget::unlimited(), &config);
    reduction.log.in_names(net, reduction.needs())
}

#[test]
fn each_rule_alone_preserves_liveness() {
    let keeps = rules::ALL.iter().filter(|rule| rule.preserves.covers(Preserve::LIVENESS));
    let mut applied: BTreeMap<&str, u64> = keeps.map(|rule| (rule.name, 0)).collect();
    let alone: Vec<Option<&str>> = applied.keys().copied().map(Some).chain([None]).collect();
    for seed in 0..scaled(500) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, LIMITS) else { continue };
        let mut rng = Rng::with_seed(seed);
        for &rule in &alone {
            let log = log_of(&net, rule.map(|rule| vec![rule]), &mut rng);
            let told = live_by(&net, &log, 1000).expect("a reduction has no more markings");
            assert_eq!(told.len(), log.protected.len());
            assert!(is_true(&space, &told), "{log:?} {told:?}\n{}", text::print(&net));
            if let Some(rule) = rule {
                *applied.entry(rule).or_default() += u64::from(!log.steps.is_empty());
            }
        }
    }
    assert!(applied.len() >= 10, "{applied:?}");
    let most_apply = applied.values().filter(|&&applied| applied >= scaled(3)).count();
    assert!(most_apply * 4 >= applied.len() * 3, "{applied:?}");
}

type Mutation = fn(&mut NamedLog, &Net, &mut Rng) -> bool;

fn step<'l>(log: &'l mut NamedLog, rng: &mut Rng) -> Option<&'l mut LogStep> {
    let count = log.steps.len();
    (count > 0).then(|| &mut log.steps[rng.usize(..count)])
}

fn some_transition(net: &Net, rng: &mut Rng) -> String {
    net.transition_name(TransitionId::new(rng.usize(..net.transition_count()))).to_owned()
}

/// Mutations of logs. A mutation returns false if there is nothing to change.
const MUTATIONS: [(&str, Mutation); 8] = [
    ("a step less", |log, _, rng| {
        let count = log.steps.len();
        count > 0 && !log.steps.remove(rng.usize(..count)).rule.is_empty()
    }),
    ("steps the other way round", |log, _, _| {
        log.steps.reverse();
        log.steps.len() > 1
    }),
    ("a step twice", |log, _, rng| {
        let again = step(log, rng).cloned();
        again.map(|again| log.steps.push(again)).is_some()
    }),
    ("another rule", |log, _, rng| {
        let name = rules::ALL[rng.usize(..rules::ALL.len())].name;
        step(log, rng).is_some_and(|step| std::mem::replace(&mut step.rule, name.into()) != name)
    }),
    ("another place", |log, net, rng| {
        let name = net.places().nth(rng.usize(..net.place_count())).map(|p| net.place_name(p));
        let place = step(log, rng).and_then(|step| step.places.first_mut());
        place.zip(name).is_some_and(|(place, name)| std::mem::replace(place, name.into()) != name)
    }),
    ("another transition", |log, net, rng| {
        let name = some_transition(net, rng);
        let t = step(log, rng).and_then(|step| step.transitions.first_mut());
        t.is_some_and(|t| std::mem::replace(t, name.clone()) != name)
    }),
    ("another transition is asked for", |log, net, rng| {
        let (name, count) = (some_transition(net, rng), log.protected.len());
        count > 0 && std::mem::replace(&mut log.protected[rng.usize(..count)], name.clone()) != name
    }),
    ("it keeps something else", |log, _, rng| {
        log.preserves = vec![["deadlock", "reachability", "markings"][rng.usize(..3)].to_owned()];
        true
    }),
];

#[test]
fn mutated_reductions_prove_no_false_claim() {
    let mut refused: BTreeMap<&str, u64> = BTreeMap::new();
    for seed in 0..scaled(600) {
        let net = random(seed, &Shape::small(seed));
        if net.transition_count() == 0 || net.place_count() == 0 {
            continue;
        }
        let Some(space) = explore(&net, LIMITS) else { continue };
        let mut rng = Rng::with_seed(seed);
        for (kind, mutate) in MUTATIONS {
            let mut log = log_of(&net, None, &mut rng);
            if !mutate(&mut log, &net, &mut rng) {
                continue;
            }
            match live_by(&net, &log, 1000) {
                None => *refused.entry(kind).or_default() += 1,
                Some(told) => {
                    let context = || format!("{kind}: {log:?} {told:?}\n{}", text::print(&net));
                    assert!(is_true(&space, &told), "{}", context());
                    // A reduction for other properties proves nothing about liveness.
                    assert!(kind != "it keeps something else" || told.is_empty(), "{}", context());
                }
            }
        }
    }
    for (kind, _) in MUTATIONS.iter().filter(|(kind, _)| !kind.contains("asked for")) {
        assert!(refused.get(kind).is_some_and(|&count| count >= scaled(5)), "{kind}: {refused:?}");
    }
}

/// Returns `count` independent copies of a net.
pub(super) fn copies(net: &Net, count: usize) -> Net {
    let all: String = (0..count)
        .map(|copy| {
            let mut lines = String::new();
            for p in net.places() {
                lines.push_str(&format!("place p{}_{copy} {}\n", p.index(), net.initial()[p]));
            }
            for t in net.transitions() {
                let row = |arcs: &[parikh::net::Arc]| {
                    let arc = |arc: &parikh::net::Arc| {
                        format!("{}*p{}_{copy}", arc.weight, arc.place.index())
                    };
                    arcs.iter().map(arc).collect::<Vec<_>>().join(" + ")
                };
                let (pre, post) = (row(net.pre(t)), row(net.post(t)));
                lines.push_str(&format!("transition t{}_{copy}: {pre} -> {post}\n", t.index()));
            }
            lines
        })
        .collect();
    text::parse(&all).unwrap()
}

/// Returns the part of the text that states the number of explored markings.
fn visited(text: &str) -> String {
    let from = text.find("\"visited\":").unwrap_or(text.len());
    text[from..].split_inclusive('}').next().unwrap_or("none").to_owned()
}

/// Twelve copies have too many markings to explore. Each copy alone, reduced, has a few.
#[test]
fn liveness_of_many_parts_is_confirmed_on_the_reduced_net() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().to_str().unwrap();
    let model = directory.path().join("model.pnml");
    let file = directory.path().join("Liveness.jsonl");
    let (mut values, mut refused) = (BTreeMap::new(), 0);
    for seed in 0.. {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, LIMITS) else { continue };
        if space.states() < 4 || net.transition_count() == 0 {
            continue;
        }
        let live = net.transitions().all(|t| space.stays(&Predicate::Enabled(t)));
        let so_far = values.entry(live).or_insert(0);
        if *so_far == 5 {
            if values.values().all(|&count| count == 5) {
                break;
            }
            continue;
        }
        *so_far += 1;
        std::fs::write(&model, parikh_net::pnml::pnml(&copies(&net, 12))).unwrap();
        let net = pnml::read(&std::fs::read(&model).unwrap()).unwrap().net;
        let engines = "graph-of-a-reduced-net";
        let (model, asked) = (model.to_str().unwrap(), ["-e", "Liveness", "--engines", engines]);
        let checked = run(&[&["check", model, "--evidence", path, "-j", "1"], &asked[..]].concat());
        assert_eq!(checked.status.code(), Some(0), "{}", stderr(&checked));
        let audit = |text: &str| {
            std::fs::write(&file, text).unwrap();
            let mut audit = Audit::new(&net, 10_000, Box::new(|_| Err("no formulas".to_owned())));
            audit.file(&file).map(|()| audit.finish().judged.remove(0).verdict)
        };
        let right = std::fs::read_to_string(&file).unwrap();
        let (yes, no) = ("\"value\":\"TRUE\"", "\"value\":\"FALSE\"");
        assert!(right.contains(if live { yes } else { no }), "{right}\n{}", text::print(&net));
        let verdict = audit(&right).unwrap();
        assert!(matches!(verdict, AuditVerdict::Confirmed(_)), "{verdict:?}: {right}");
        let (is, opposite) = if live { (yes, no) } else { (no, yes) };
        for wrong in [
            right.replace(is, opposite),
            right.replace("\"on\":\"r1\",", ""),
            right.replace(&visited(&right), "\"visited\":0}"),
            right.replace("\"liveness\"", "\"reachability\""),
        ] {
            if wrong == right {
                continue;
            }
            let verdict = audit(&wrong);
            let is_value = wrong.contains(is);
            let confirmed = matches!(verdict, Ok(AuditVerdict::Confirmed(_)));
            assert!(is_value || !confirmed, "{verdict:?}: {wrong}");
            refused += u64::from(!confirmed);
        }
    }
    assert!(refused >= 10, "{refused}");
}
