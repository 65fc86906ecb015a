//! Boolean combinations of EF, AG, AG EF and EF AG. The answers agree with enumeration. The
//! auditor, which reads the same formula in the other language, confirms their evidence.

use crate::support::oracle::{OracleLimits, StateSpace, explore};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::answer::{Plan, QuestionValue};
use parikh::engine::Role;
use parikh::evidence::audit::{Audit, AuditVerdict};
use parikh::evidence::reader::queries;
use parikh::evidence_files::EvidenceFile;
use parikh::formula::text::read_one;
use parikh::net::{Net, PlaceId, Predicate, TransitionId, text};
use parikh::run::schedule::{PhaseNet, SchedulePhase, TimePart};
use parikh::run::{self, Event, RunConfig, Schedule};
use parikh::solvers::Budget;
use parikh_generate::{Shape, random};
use std::collections::HashMap;
use std::time::Duration;

/// A formula over questions.
enum QuestionTree {
    Asks(Operator, Leaf),
    Not(Box<QuestionTree>),
    All(Vec<QuestionTree>),
    Some(Vec<QuestionTree>),
    Implies(Box<QuestionTree>, Box<QuestionTree>),
}

#[derive(Clone, Copy)]
enum Operator {
    Now,
    Ef,
    Ag,
    AgEf,
    EfAg,
}

#[derive(Clone, Copy)]
enum Leaf {
    AtLeast(PlaceId, u64),
    AtMost(PlaceId, u64),
    Fireable(TransitionId),
    Deadlock,
}

impl QuestionTree {
    fn random(rng: &mut Rng, net: &Net, depth: usize) -> QuestionTree {
        let part = |rng: &mut Rng| QuestionTree::random(rng, net, depth - 1);
        match rng.u8(0..if depth == 0 { 3 } else { 9 }) {
            0..=2 => {
                let operators =
                    [Operator::Now, Operator::Ef, Operator::Ag, Operator::AgEf, Operator::EfAg];
                QuestionTree::Asks(operators[rng.usize(..operators.len())], Leaf::random(rng, net))
            }
            3 => QuestionTree::Not(Box::new(part(rng))),
            4 | 5 => QuestionTree::All((0..rng.usize(1..4)).map(|_| part(rng)).collect()),
            6 | 7 => QuestionTree::Some((0..rng.usize(1..4)).map(|_| part(rng)).collect()),
            _ => QuestionTree::Implies(Box::new(part(rng)), Box::new(part(rng))),
        }
    }

    /// Returns the formula in the language of `--formula`.
    fn text(&self, net: &Net) -> String {
        let joined = |parts: &[QuestionTree], by: &str| {
            let parts: Vec<String> = parts.iter().map(|part| part.text(net)).collect();
            format!("({})", parts.join(by))
        };
        match self {
            QuestionTree::Asks(operator, leaf) => {
                let operator = match operator {
                    Operator::Now => "",
                    Operator::Ef => "EF ",
                    Operator::Ag => "AG ",
                    Operator::AgEf => "AG EF ",
                    Operator::EfAg => "EF AG ",
                };
                format!("{operator}({})", leaf.text(net))
            }
            QuestionTree::Not(part) => format!("!({})", part.text(net)),
            QuestionTree::All(parts) => joined(parts, " && "),
            QuestionTree::Some(parts) => joined(parts, " || "),
            QuestionTree::Implies(if_, then) => {
                format!("({} -> {})", if_.text(net), then.text(net))
            }
        }
    }

    /// Returns the formula in XML.
    fn xml(&self, net: &Net) -> String {
        let all =
            |parts: &[QuestionTree]| parts.iter().map(|part| part.xml(net)).collect::<String>();
        let ef = |inside: &str| format!("<exists-path><finally>{inside}</finally></exists-path>");
        let ag = |inside: &str| format!("<all-paths><globally>{inside}</globally></all-paths>");
        match self {
            QuestionTree::Asks(operator, leaf) => {
                let leaf = leaf.xml(net);
                match operator {
                    Operator::Now => leaf,
                    Operator::Ef => ef(&leaf),
                    Operator::Ag => ag(&leaf),
                    Operator::AgEf => ag(&ef(&leaf)),
                    Operator::EfAg => ef(&ag(&leaf)),
                }
            }
            QuestionTree::Not(part) => format!("<negation>{}</negation>", part.xml(net)),
            QuestionTree::All(parts) => format!("<conjunction>{}</conjunction>", all(parts)),
            QuestionTree::Some(parts) => format!("<disjunction>{}</disjunction>", all(parts)),
            QuestionTree::Implies(if_, then) => {
                format!("<implication>{}{}</implication>", if_.xml(net), then.xml(net))
            }
        }
    }

    fn value(&self, space: &StateSpace<'_>, net: &Net) -> bool {
        match self {
            QuestionTree::Asks(operator, leaf) => {
                let predicate = leaf.predicate();
                let negated = predicate.clone().negated();
                match operator {
                    Operator::Now => predicate.holds(net, net.initial()),
                    Operator::Ef => space.reaches(&predicate),
                    Operator::Ag => !space.reaches(&negated),
                    Operator::AgEf => space.stays(&predicate),
                    Operator::EfAg => !space.stays(&negated),
                }
            }
            QuestionTree::Not(part) => !part.value(space, net),
            QuestionTree::All(parts) => parts.iter().all(|part| part.value(space, net)),
            QuestionTree::Some(parts) => parts.iter().any(|part| part.value(space, net)),
            QuestionTree::Implies(if_, then) => !if_.value(space, net) || then.value(space, net),
        }
    }
}

impl Leaf {
    fn random(rng: &mut Rng, net: &Net) -> Leaf {
        let place = PlaceId::new(rng.usize(..net.place_count()));
        match rng.u8(0..6) {
            0..=2 => Leaf::AtLeast(place, rng.u64(1..4)),
            3 => Leaf::AtMost(place, rng.u64(..2)),
            4 => Leaf::Fireable(TransitionId::new(rng.usize(..net.transition_count()))),
            _ => Leaf::Deadlock,
        }
    }

    fn text(self, net: &Net) -> String {
        match self {
            Leaf::AtLeast(p, n) => format!("{} >= {n}", net.place_name(p)),
            Leaf::AtMost(p, n) => format!("{} <= {n}", net.place_name(p)),
            Leaf::Fireable(t) => format!("fireable({})", net.transition_name(t)),
            Leaf::Deadlock => "deadlock".to_owned(),
        }
    }

    fn xml(self, net: &Net) -> String {
        let tokens =
            |p| format!("<tokens-count><place>{}</place></tokens-count>", net.place_name(p));
        let constant = |n| format!("<integer-constant>{n}</integer-constant>");
        let at_most = |left: &str, right: &str| format!("<integer-le>{left}{right}</integer-le>");
        match self {
            Leaf::AtLeast(p, n) => at_most(&constant(n), &tokens(p)),
            Leaf::AtMost(p, n) => at_most(&tokens(p), &constant(n)),
            Leaf::Fireable(t) => {
                let name = net.transition_name(t);
                format!("<is-fireable><transition>{name}</transition></is-fireable>")
            }
            Leaf::Deadlock => "<deadlock/>".to_owned(),
        }
    }

    fn predicate(self) -> Predicate {
        match self {
            Leaf::AtLeast(p, n) => Predicate::at_least(p, n),
            Leaf::AtMost(p, n) => Predicate::no_more_than(p, n),
            Leaf::Fireable(t) => Predicate::Enabled(t),
            Leaf::Deadlock => Predicate::Dead,
        }
    }
}

/// Returns a schedule that settles small nets at once, with every kind of evidence.
fn schedule() -> Schedule {
    let part = |share| TimePart { share, max_time: Duration::MAX, min_time: Duration::ZERO };
    let worker = vec![
        SchedulePhase::RunOnceEngines,
        SchedulePhase::Continue(Role::Slices, part(0.5)),
        SchedulePhase::Run(Role::Search, PhaseNet::OriginalAgain, part(1.0)),
        SchedulePhase::Run(Role::Homes, PhaseNet::Original, part(1.0)),
    ];
    Schedule { workers: vec![worker], is_repeated: false }
}

#[test]
fn combinations_agree_with_enumeration_and_are_audited() {
    let directory = tempfile::tempdir().unwrap();
    let (mut asked, mut values) = (0, [0, 0]);
    for seed in 7_000_000..7_000_000 + scaled(150) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, OracleLimits { states: 300, tokens: 40 }) else { continue };
        if net.place_count() == 0 || net.transition_count() == 0 {
            continue;
        }
        let mut rng = Rng::with_seed(seed);
        let trees: Vec<QuestionTree> =
            (0..4).map(|_| QuestionTree::random(&mut rng, &net, 3)).collect();
        let mut plan = Plan::default();
        let mut properties = String::new();
        for (at, tree) in trees.iter().enumerate() {
            let source = tree.text(&net);
            let formula = read_one(&source, "test", &net).formula;
            let formula = formula.unwrap_or_else(|error| panic!("{source}: {error}"));
            plan.ask_formula(&at.to_string(), &formula, &net).unwrap();
            let xml = tree.xml(&net);
            properties += &format!("<property><id>{at}</id><formula>{xml}</formula></property>");
        }
        let properties = format!("<property-set>{properties}</property-set>");
        let mut file = EvidenceFile::new(&net, "Combinations", Vec::new()).unwrap();
        let config = RunConfig {
            threads: 1,
            keep_all_witnesses: true,
            keep_certificates: true,
            schedule: Some(schedule()),
            ..RunConfig::default()
        };
        let budget = Budget::lasting(Duration::from_secs(30));
        let mut answers = HashMap::new();
        let report = run::run_net(&net, plan, &config, &budget, |event| match event {
            Event::Settled { id, goal, knowledge } => file.settled(id, goal, knowledge).unwrap(),
            Event::Answered(answer) => {
                file.answer(answer).unwrap();
                let twice = answers.insert(answer.id.clone(), answer.clone());
                assert!(twice.is_none(), "{} is answered twice", answer.id);
            }
            _ => {}
        });
        let said = || format!("seed {seed}:\n{}", text::print(&net));
        assert_eq!(report.faults, 0, "{}", said());
        assert!(report.unanswered.is_empty(), "{:?} {}", report.unanswered, said());
        for (at, tree) in trees.iter().enumerate() {
            let (answer, truth) = (&answers[&at.to_string()], tree.value(&space, &net));
            let source = tree.text(&net);
            assert_eq!(
                answer.value,
                QuestionValue::Bool(truth),
                "{source}: {answer:?}\n{}",
                said()
            );
            asked += 1;
            values[usize::from(truth)] += 1;
        }
        file.write_end().unwrap();
        let path = directory.path().join("Combinations.jsonl");
        std::fs::write(&path, file.finish().unwrap()).unwrap();
        let read = |_: &str| queries::read(&net, properties.as_bytes()).map_err(|e| e.to_string());
        let mut audit = Audit::new(&net, 1_000, Box::new(read));
        audit.file(&path).unwrap();
        let judged = audit.finish().judged;
        assert_eq!(judged.len(), trees.len(), "{}", said());
        for it in judged {
            let confirmed = matches!(it.verdict, AuditVerdict::Confirmed(_));
            let source = trees[it.id.parse::<usize>().unwrap()].text(&net);
            let file = || std::fs::read_to_string(&path).unwrap();
            assert!(confirmed, "{it:?}\n{source}\n{}\n{}", file(), said());
        }
    }
    assert!(asked > 200 && values[0] > 50 && values[1] > 50, "{asked} {values:?}");
}
