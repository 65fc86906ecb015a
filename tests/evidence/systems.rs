//! Evidence about parallel systems: complete files are confirmed, and no changed file confirms the
//! opposite answer.

use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::evidence::audit::{AuditVerdict, AuditWatch, AuditedAnswer, EvidenceFileError};
use parikh::evidence::systems::audit::SystemAudit;
use parikh::evidence::systems::properties::{self, PropertyFile};
use parikh::evidence::systems::{self, Endings as Checked, System};
use parikh::solvers::Budget;
use parikh::systems::{
    PropertyAnswer, SettleConfig, SystemCase, SystemEvidence, SystemFormat, SystemOutcome, settle,
};
use parikh_systems::generate::{random_branching, random_linear, random_pattern, random_system};
use parikh_systems::{ComponentBuilder, FiniteRuns, write};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A system with its properties, as the auditor reads them.
struct SystemQuestions {
    system: System,
    properties: PropertyFile,
    endings: Checked,
}

impl SystemQuestions {
    /// Returns the verdicts on the answers in a file of these lines, in order.
    fn judged(&self, lines: &[Value]) -> Result<Vec<AuditVerdict>, EvidenceFileError> {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let watch = AuditWatch::default();
        let mut audit =
            SystemAudit::new(&self.system, &self.properties, self.endings, 100_000, watch);
        audit.file("proofs.jsonl", &text)?;
        Ok(audit.finish().judged.into_iter().map(|judged| judged.verdict).collect())
    }

    /// Returns true if a file is complete and all its answers are confirmed.
    fn accepts(&self, text: &str) -> bool {
        let watch = AuditWatch::default();
        let mut audit =
            SystemAudit::new(&self.system, &self.properties, self.endings, 100_000, watch);
        let is_read = audit.file("proofs.jsonl", text).is_ok();
        let report = audit.finish();
        let is_confirmed = |it: &AuditedAnswer| matches!(it.verdict, AuditVerdict::Confirmed(_));
        is_read && report.irregular.is_empty() && report.judged.iter().all(is_confirmed)
    }

    /// Returns true if a file with this single answer is confirmed.
    fn confirms(&self, header: &Value, answer: &Value) -> bool {
        let lines = [header.clone(), json!({ "answer": answer }), json!({"end": {"answers": 1}})];
        let judged = self.judged(&lines);
        judged.is_ok_and(|verdicts| matches!(verdicts[..], [AuditVerdict::Confirmed(_)]))
    }
}

/// Settles properties of a random system. Returns the auditor's input, the file's header, and its
/// answers.
fn answered(
    seed: u64,
    is_linear: bool,
    endings: FiniteRuns,
) -> (SystemQuestions, Value, Vec<Value>) {
    let mut random = Rng::with_seed(seed);
    let text = write::dot(&random_system(&mut random));
    let listed: String = (1..=4)
        .map(|number| {
            let depth = random.usize(1..=3);
            let formula = match is_linear {
                true if random.bool() => random_pattern(&mut random),
                true => random_linear(&mut random, depth),
                false => format!("AG ({})", random_branching(&mut random, depth)),
            };
            format!("#{number}:\n({formula})\n\n")
        })
        .collect();
    confirmed(&text, &listed, endings)
}

/// Like [`answered`], for the given system and properties.
fn confirmed(
    text: &str,
    listed: &str,
    endings: FiniteRuns,
) -> (SystemQuestions, Value, Vec<Value>) {
    let case = SystemCase::read(SystemFormat::Dot, text, "system", listed).unwrap();
    let config = SettleConfig { threads: 1, endings, ..SettleConfig::default() };
    let budget = Budget::unlimited().slice(Duration::from_secs(5));
    let answers: Mutex<Vec<(usize, PropertyAnswer)>> = Mutex::default();
    settle(&case, &config, &budget, &|at, settled| match settled {
        SystemOutcome::Answer(answer) => answers.lock().unwrap().push((at, *answer)),
        SystemOutcome::Open(_) => {}
        SystemOutcome::Fault(why) => panic!("{why}\n{text}{listed}"),
    });
    let mut file = Vec::new();
    let mut evidence = SystemEvidence::new(&case, endings, &mut file).unwrap();
    for (at, answer) in answers.into_inner().unwrap() {
        evidence.answer(case.properties[at].number, &answer).unwrap();
    }
    evidence.write_end().unwrap();
    let lines: Vec<Value> = String::from_utf8(file)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let asked = SystemQuestions {
        system: systems::read_dot(text.as_bytes()).unwrap(),
        properties: properties::read(listed.as_bytes()).unwrap(),
        endings: match endings {
            FiniteRuns::Ignored => Checked::Ignored,
            FiniteRuns::Stutter => Checked::Stutter,
        },
    };
    for (line, verdict) in lines[1..].iter().zip(asked.judged(&lines).unwrap()) {
        let is_confirmed = matches!(verdict, AuditVerdict::Confirmed(_));
        assert!(is_confirmed, "{line}: {verdict:?}\n{text}{listed}");
    }
    let answers = lines[1..lines.len() - 1].iter().map(|line| line["answer"].clone()).collect();
    (asked, lines[0].clone(), answers)
}

/// Returns possible evidence for an answer: runs over the labels of the system, components without
/// a run, explorations.
fn claims(
    random: &mut Rng,
    asked: &SystemQuestions,
    answers: &[Value],
) -> Vec<(&'static str, Value)> {
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
    for _ in 0..10 {
        let mut order = Vec::new();
        for made in 0..random.usize(0..=components) {
            order.push((random.usize(0..=components + made), random.usize(0..components + made)));
        }
        let members: Vec<usize> = (0..components).filter(|_| random.u8(0..8) > 0).collect();
        claims.push(("no_run", json!({"components": members, "order": order})));
    }
    // The pairwise composition of all components in the order of the file, which is valid.
    let order: Vec<(usize, usize)> =
        (1..components).map(|at| (if at == 1 { 0 } else { components + at - 2 }, at)).collect();
    let all: Vec<usize> = (0..components).collect();
    claims.push(("no_run", json!({"components": all, "order": order})));
    claims.extend([0, 1, 2, 5, 10].map(|states| ("visited", json!(states))));
    claims
}

#[test]
fn opposite_answers_are_never_confirmed() {
    let (mut tried, mut shown) = (0, [0, 0]);
    for seed in 0..scaled(60) {
        let (is_linear, endings) = match seed % 3 {
            0 => (true, FiniteRuns::Ignored),
            1 => (true, FiniteRuns::Stutter),
            _ => (false, FiniteRuns::Ignored),
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
        let (asked, header, answers) = answered(seed, true, FiniteRuns::Ignored);
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
        let other = SystemQuestions { endings: Checked::Stutter, ..asked };
        assert!(!other.confirms(&header, answer));
    }
}

/// A mutation of a line of an evidence file. Returns `None` if it does not apply.
type LineMutation = fn(&mut Value) -> Option<()>;

/// Mutations after which no file is confirmed.
const CHANGES: &[(&str, LineMutation)] = &[
    ("another format", |it| set(it, "/evidence/format", json!("parikh-system-evidence-2"))),
    ("more components", |it| set(it, "/evidence/components", json!(99))),
    ("fewer labels", |it| set(it, "/evidence/labels", json!(0))),
    ("other runs", |it| set(it, "/evidence/semantics", json!("spin"))),
    ("no semantics", |it| remove(it, "/evidence", "semantics")),
    ("the other value", |it| {
        let other = if it.pointer("/answer/value")? == "TRUE" { "FALSE" } else { "TRUE" };
        set(it, "/answer/value", json!(other))
    }),
    ("no value", |it| set(it, "/answer/value", json!("MAYBE"))),
    ("a number that is not asked", |it| set(it, "/answer/id", json!("77"))),
    ("no number", |it| set(it, "/answer/id", json!("one"))),
    ("a run that goes on before it begins", |it| set(it, "/answer/run/back", json!(10_000))),
    ("a run of nothing", |it| set(it, "/answer/run/labels", json!([]))),
    ("a label that is none", |it| set(it, "/answer/run/labels/0", json!("nobody has it"))),
    ("a run that ends", |it| {
        let length = it.pointer("/answer/run/labels")?.as_array()?.len();
        set(it, "/answer/run/back", json!(length))
    }),
    ("no run", |it| remove(it, "/answer", "run")),
    ("nothing to show it", |it| remove(it, "/answer", "no_run")),
    ("a component that is none", |it| set(it, "/answer/no_run/components", json!([99]))),
    ("a component twice", |it| set(it, "/answer/no_run/components", json!([0, 0]))),
    ("components that fall", |it| set(it, "/answer/no_run/components", json!([1, 0]))),
    ("more seen than there are", |it| {
        add(
            it,
            "/answer/no_run",
            "through",
            json!([null, null, null, null, null, null, null, null, null]),
        )
    }),
    ("nothing seen", |it| {
        let count = it.pointer("/answer/no_run/components")?.as_array()?.len();
        let through = vec![json!([]); count];
        (count > 0).then_some(())?;
        add(it, "/answer/no_run", "through", json!(through))
    }),
    ("an order of what is not there", |it| add(it, "/answer/no_run", "order", json!([[0, 99]]))),
    ("an order of one with itself", |it| add(it, "/answer/no_run", "order", json!([[0, 0]]))),
    ("an order that is none", |it| add(it, "/answer/no_run", "order", json!([[0]]))),
    ("an order and what comes for ever", |it| {
        it.pointer("/answer/no_run/order")?;
        add(it, "/answer/no_run", "recurrence", json!(true))
    }),
    ("part of the system put together", |it| {
        it.pointer("/answer/no_run/order")?;
        set(it, "/answer/no_run/components", json!([0]))?;
        let _ = remove(it, "/answer/no_run", "through");
        Some(())
    }),
    ("a run and none", |it| {
        it.pointer("/answer/run")?;
        add(it, "/answer", "no_run", json!({"components": [0]}))
    }),
    ("a visit", |it| {
        it.pointer("/answer")?;
        add(it, "/answer", "visited", json!(5))
    }),
    ("more answers", |it| set(it, "/end/answers", json!(99))),
    ("no end", |it| {
        it.pointer("/end")?;
        *it = json!({"answer": {"id": "1", "value": "TRUE"}});
        Some(())
    }),
    ("no answer", |it| {
        it.pointer("/answer")?;
        *it = json!({"something": {}});
        Some(())
    }),
];

fn set(line: &mut Value, pointer: &str, value: Value) -> Option<()> {
    *line.pointer_mut(pointer)? = value;
    Some(())
}

fn add(line: &mut Value, pointer: &str, key: &str, value: Value) -> Option<()> {
    line.pointer_mut(pointer)?.as_object_mut()?.insert(key.to_owned(), value);
    Some(())
}

fn remove(line: &mut Value, pointer: &str, key: &str) -> Option<()> {
    line.pointer_mut(pointer)?.as_object_mut()?.remove(key).map(drop)
}

#[test]
fn changed_files_are_refused() {
    let mut applied = vec![0; CHANGES.len()];
    for seed in 0..scaled(40) {
        let (asked, header, mut answers) = answered(seed, true, FiniteRuns::Ignored);
        // Small systems are not composed by the engine. So some answers receive a composition as
        // evidence, if it is valid.
        let count = asked.system.components().len();
        let all: Vec<usize> = (0..count).collect();
        for answer in answers.iter_mut().filter(|it| it["value"] == "TRUE").step_by(2) {
            let mut other = answer.clone();
            other["no_run"] = json!({"components": all, "order": [[0, 1]]});
            if asked.confirms(&header, &other) {
                *answer = other;
            }
        }
        let mut lines = vec![header];
        lines.extend(answers.iter().map(|it| json!({ "answer": it })));
        lines.push(json!({"end": {"answers": answers.len()}}));
        let text = |lines: &[Value]| lines.iter().map(|it| format!("{it}\n")).collect::<String>();
        assert!(asked.accepts(&text(&lines)), "system {seed}");
        for ((name, change), applied) in CHANGES.iter().zip(&mut applied) {
            for at in 0..lines.len() {
                let mut changed = lines.clone();
                if change(&mut changed[at]).is_some() {
                    *applied += 1;
                    assert!(
                        !asked.accepts(&text(&changed)),
                        "system {seed}, {name}: {}",
                        changed[at]
                    );
                }
            }
        }
        for at in 0..lines.len() {
            let (mut fewer, mut more) = (lines.clone(), lines.clone());
            fewer.remove(at);
            assert!(!asked.accepts(&text(&fewer)), "system {seed} without line {at}");
            more.insert(at, lines[at].clone());
            assert!(!asked.accepts(&text(&more)), "system {seed} with line {at} twice");
        }
    }
    for ((name, _), applied) in CHANGES.iter().zip(applied) {
        assert!(applied > 0, "{name}");
    }
}

/// Returns four components that pass a token round, and sixteen cyclic components that sometimes
/// synchronise with one of them. There are 4 · 6^16, more than 10^13, reachable joint states.
fn large() -> String {
    let mut components = Vec::new();
    for at in 0..4 {
        let mut component = ComponentBuilder::new(&format!("holder{at}"));
        let (idle, holds) = (component.state("idle"), component.state("holds"));
        component.edge(holds, &format!("pass{at}"), idle);
        component.edge(idle, &format!("pass{}", (at + 3) % 4), holds);
        component.edge(holds, &format!("use{at}"), holds);
        for asks in (at..16).step_by(4) {
            component.edge(idle, &format!("ask{asks}"), idle);
            component.edge(holds, &format!("ask{asks}"), holds);
        }
        component.start(if at == 0 { holds } else { idle });
        components.push(component);
    }
    for at in 0..16 {
        let mut component = ComponentBuilder::new(&format!("other{at}"));
        let states: Vec<u32> = (0..6).map(|it| component.state(&it.to_string())).collect();
        for step in 0..5 {
            component.edge(states[step], &format!("step{at}_{step}"), states[step + 1]);
        }
        component.edge(states[5], &format!("ask{at}"), states[0]);
        component.start(states[0]);
        components.push(component);
    }
    write::dot(&parikh_systems::system("large", components).unwrap())
}

#[test]
fn twenty_components_are_decided_where_four_matter() {
    let listed = "#1:\n( G(pass0 => X(!pass0 W pass1)) )\n\n#2:\n( !use2 W pass1 )\n\n\
                  #3:\n( G(F(pass3)) )\n\n#4:\n( G(F(pass0)) => G(F(pass2)) )\n\n\
                  #5:\n( G(use1 => (!use3 W pass2)) )\n\n#6:\n( G(pass1 => F(use3)) )\n";
    let begun = Instant::now();
    let (.., answers) = confirmed(&large(), listed, FiniteRuns::Ignored);
    let taken = begun.elapsed();
    let mut values: Vec<(&str, &str)> = answers
        .iter()
        .map(|it| (it["id"].as_str().unwrap(), it["value"].as_str().unwrap()))
        .collect();
    values.sort_unstable();
    let expected = [
        ("1", "TRUE"),
        ("2", "TRUE"),
        ("3", "FALSE"),
        ("4", "TRUE"),
        ("5", "TRUE"),
        ("6", "FALSE"),
    ];
    assert_eq!(values, expected);
    assert!(answers.iter().all(|it| it["evidence"] != "searched"), "{answers:?}");
    assert!(taken < Duration::from_secs(20), "{taken:?}");
}

/// A property of a training problem of the challenge, if the files are present. Only the
/// composition of components proves it.
#[test]
fn compositions_are_written_and_confirmed() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/rers/training2017");
    let Ok(text) = std::fs::read_to_string(shared.join("problem113.dot")) else { return };
    let listed = "#10:\n( F(G(!c3_t5__c8_t11)) )\n";
    let (asked, header, answers) = confirmed(&text, listed, FiniteRuns::Ignored);
    let [answer] = &answers[..] else { panic!("it is open") };
    assert_eq!((&answer["value"], &answer["evidence"]), (&json!("TRUE"), &json!("certified")));
    assert!(answer["no_run"]["order"].is_array(), "{answer}");
    let mut less = answer.clone();
    less["no_run"]["order"] = json!([[0, 1], [0, 2]]);
    assert!(!asked.confirms(&header, &less));
}
