//! Answers about parallel systems as files: whole ones are confirmed, and no changed one makes the auditor
//! say the opposite.

use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::evidence::audit::{Broken, Verdict, Watch};
use parikh::evidence::systems::audit::SystemAudit;
use parikh::evidence::systems::properties::{self, Properties};
use parikh::evidence::systems::{self, Endings as Checked, System};
use parikh::solvers::Budget;
use parikh::systems::{Answer, Case, Config, Format, Settled, SystemEvidence, settle};
use parikh_systems::generate::{random_branching, random_linear, random_system};
use parikh_systems::{Endings, write};
use serde_json::{Value, json};
use std::sync::Mutex;
use std::time::Duration;

/// A system with its properties, as the auditor reads them.
struct Asked {
    system: System,
    properties: Properties,
    endings: Checked,
}

impl Asked {
    /// The verdicts about the answers of a file of these lines, in their order.
    fn judged(&self, lines: &[Value]) -> Result<Vec<Verdict>, Broken> {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let watch = Watch::default();
        let mut audit =
            SystemAudit::new(&self.system, &self.properties, self.endings, 100_000, watch);
        audit.file("proofs.jsonl", &text)?;
        Ok(audit.finish().judged.into_iter().map(|judged| judged.verdict).collect())
    }

    /// Whether a file with this one answer is confirmed.
    fn confirms(&self, header: &Value, answer: &Value) -> bool {
        let lines = [header.clone(), json!({ "answer": answer }), json!({"end": {"answers": 1}})];
        let judged = self.judged(&lines);
        judged.is_ok_and(|verdicts| matches!(verdicts[..], [Verdict::Confirmed(_)]))
    }
}

/// Answers and what the auditor is to hold them against: the file's header, then its answers.
fn answered(seed: u64, is_linear: bool, endings: Endings) -> (Asked, Value, Vec<Value>) {
    let mut random = Rng::with_seed(seed);
    let text = write::dot(&random_system(&mut random));
    let listed: String = (1..=4)
        .map(|number| {
            let depth = random.usize(1..=3);
            let formula = match is_linear {
                true => random_linear(&mut random, depth),
                false => format!("AG ({})", random_branching(&mut random, depth)),
            };
            format!("#{number}:\n({formula})\n\n")
        })
        .collect();
    let case = Case::read(Format::Dot, &text, "random", &listed).unwrap();
    let config = Config { threads: 1, endings, ..Config::default() };
    let budget = Budget::unlimited().slice(Duration::from_secs(5));
    let answers: Mutex<Vec<(usize, Answer)>> = Mutex::default();
    settle(&case, &config, &budget, &|at, settled| match settled {
        Settled::Answer(answer) => answers.lock().unwrap().push((at, *answer)),
        Settled::Open(_) => {}
        Settled::Fault(why) => panic!("system {seed}: {why}"),
    });
    let mut file = Vec::new();
    let mut evidence = SystemEvidence::new(&case, endings, &mut file).unwrap();
    for (at, answer) in answers.into_inner().unwrap() {
        evidence.answer(at as u64 + 1, &answer).unwrap();
    }
    evidence.end().unwrap();
    let lines: Vec<Value> = String::from_utf8(file)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let asked = Asked {
        system: systems::read_dot(text.as_bytes()).unwrap(),
        properties: properties::read(listed.as_bytes()).unwrap(),
        endings: match endings {
            Endings::Ignored => Checked::Ignored,
            Endings::Stutter => Checked::Stutter,
        },
    };
    for (line, verdict) in lines[1..].iter().zip(asked.judged(&lines).unwrap()) {
        let is_confirmed = matches!(verdict, Verdict::Confirmed(_));
        assert!(is_confirmed, "system {seed}: {line}: {verdict:?}\n{text}{listed}");
    }
    let answers = lines[1..lines.len() - 1].iter().map(|line| line["answer"].clone()).collect();
    (asked, lines[0].clone(), answers)
}

/// What could be said to show an answer: runs over the labels of the system, components without a run, visits.
fn claims(random: &mut Rng, asked: &Asked, answers: &[Value]) -> Vec<(&'static str, Value)> {
    const KINDS: [&str; 3] = ["run", "no_run", "visited"];
    let mut claims: Vec<(&str, Value)> = Vec::new();
    for answer in answers {
        for kind in KINDS {
            claims.extend(answer.get(kind).map(|shown| (kind, shown.clone())));
        }
    }
    let labels: Vec<&str> = asked.system.labels().collect();
    for _ in 0..20 {
        let length = random.usize(0..6);
        let run: Vec<&str> = (0..length).filter_map(|_| random.choice(&labels).copied()).collect();
        let back = random.usize(0..=run.len());
        claims.push(("run", json!({"labels": run, "back": back})));
    }
    let components = asked.system.components().len();
    for chosen in 0_u32..1 << components.min(4) {
        let members: Vec<usize> = (0..components).filter(|at| chosen >> at & 1 == 1).collect();
        for recurrence in [true, false] {
            claims.push(("no_run", json!({"components": members, "recurrence": recurrence})));
        }
    }
    for _ in 0..10 {
        let (mut members, mut through) = (Vec::new(), Vec::new());
        for component in 0..components {
            for _ in 0..random.usize(0..3) {
                let some: Vec<&str> = labels.iter().filter(|_| random.bool()).copied().collect();
                members.push(component);
                through.push((random.u8(0..4) > 0).then_some(some));
            }
        }
        let shown = json!({"components": members, "through": through, "recurrence": random.bool()});
        claims.push(("no_run", shown));
    }
    claims.extend([0, 1, 2, 5, 10].map(|states| ("visited", json!(states))));
    claims
}

#[test]
fn whatever_is_said_to_show_it_the_opposite_is_never_confirmed() {
    let (mut tried, mut shown) = (0, [0, 0]);
    for seed in 0..scaled(60) {
        let (is_linear, endings) = match seed % 3 {
            0 => (true, Endings::Ignored),
            1 => (true, Endings::Stutter),
            _ => (false, Endings::Ignored),
        };
        let (asked, header, answers) = answered(seed, is_linear, endings);
        let mut random = Rng::with_seed(seed);
        let claims = claims(&mut random, &asked, &answers);
        for answer in &answers {
            let is_true = answer["value"] == "TRUE";
            shown[usize::from(is_true)] += 1;
            assert!(asked.confirms(&header, answer), "system {seed}: {answer}");
            for evidence in ["replayed", "certified", "searched"] {
                let id = &answer["id"];
                let value = if is_true { "FALSE" } else { "TRUE" };
                for (kind, claim) in &claims {
                    let mut opposite =
                        json!({"id": id, "value": value, "evidence": evidence, "because": "it is"});
                    opposite[*kind] = claim.clone();
                    assert!(!asked.confirms(&header, &opposite), "system {seed}: {opposite}");
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 5_000 && shown[0] > 20 && shown[1] > 20, "{tried} {shown:?}");
}

#[test]
fn evidence_of_another_system_or_about_other_runs_is_refused() {
    for seed in 0..scaled(20) {
        let (asked, header, answers) = answered(seed, true, Endings::Ignored);
        let Some(answer) = answers.first() else { continue };
        for (key, value) in [
            ("components", json!(99)),
            ("labels", json!(99)),
            ("semantics", json!("spin")),
            ("format", json!("parikh-system-evidence-0")),
        ] {
            let mut changed = header.clone();
            changed["evidence"][key] = value;
            assert!(!asked.confirms(&changed, answer), "system {seed}: {changed}");
        }
        let mut unasked = answer.clone();
        unasked["id"] = json!("77");
        assert!(!asked.confirms(&header, &unasked));
        let other = Asked { endings: Checked::Stutter, ..asked };
        assert!(!other.confirms(&header, answer));
    }
}
