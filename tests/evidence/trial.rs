//! Answers with evidence, correct and mutated, and the auditor's verdicts.

use fastrand::Rng;
use parikh::evidence::audit::{Audit, AuditVerdict, AuditedAnswer};
use parikh::evidence::file::FORMAT;
use parikh::evidence::question::Question;
use parikh::evidence::reader::queries::AuditedProperty;
use parikh::net::Net;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write as _;

/// A question with the correct answer and evidence.
pub(crate) struct EvidenceCase {
    pub(crate) question: Question,
    /// The answer.
    pub(crate) holds: bool,
    /// The lines of the evidence, each with its key in the file, and the references to the lines.
    pub(crate) lines: Vec<Value>,
    pub(crate) shown_by: Vec<Value>,
}

/// Counters of the auditor's verdicts on answers and on mutations.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Number of confirmed correct answers: FALSE and TRUE.
    pub(crate) confirmed: [u32; 2],
    /// Number of correct answers that rest on several lines.
    pub(crate) given: u32,
    /// Number of mutations after which a correct answer was confirmed.
    pub(crate) still: u32,
    /// Number of rejected mutations, by the mutated key.
    pub(crate) noticed: BTreeMap<&'static str, u32>,
}

impl Tally {
    /// Audits the evidence of each case: for its own answer, for other answers and questions,
    /// without one of its lines, and with mutations under each of these keys.
    ///
    /// # Panics
    /// If a correct answer is not confirmed, or a false answer is.
    pub(crate) fn try_all(
        &mut self,
        net: &Net,
        cases: &[EvidenceCase],
        keys: &[&'static str],
        rng: &mut Rng,
    ) {
        let mut trial = Trial::new(net);
        // For each answer: `Some(true)` if it must be confirmed, `Some(false)` if it must not,
        // `None` if both are possible; and what was changed.
        let mut expected: Vec<(Option<bool>, &str)> = Vec::new();
        for case in cases {
            trial.add(case.question.clone(), case.holds, &case.lines, &case.shown_by);
            expected.push((Some(true), "nothing"));
            self.given += u32::from(case.shown_by.len() > 1);
            for part in 0..case.shown_by.len() {
                let shown_by = [&case.shown_by[..part], &case.shown_by[part + 1..]].concat();
                trial.add(case.question.clone(), case.holds, &case.lines, &shown_by);
                expected.push((None, "what it is shown by"));
            }
            let changed = keys
                .iter()
                .filter_map(|&key| mutated(&case.lines, key, net, rng).map(|lines| (key, lines)));
            let all: Vec<_> =
                [("the question", case.lines.clone())].into_iter().chain(changed).collect();
            for (key, lines) in all {
                for other in cases {
                    for holds in [true, false] {
                        trial.add(other.question.clone(), holds, &lines, &case.shown_by);
                        let is_asked = std::ptr::eq(other, case) && holds == case.holds;
                        let must = (other.holds != holds).then_some(false);
                        expected.push((must, if is_asked { key } else { "the question" }));
                    }
                }
            }
        }
        let judged = trial.judged();
        assert_eq!(judged.len(), expected.len());
        for (judged, (must, what)) in judged.iter().zip(expected) {
            let is_confirmed = is_confirmed(judged);
            assert!(must.is_none_or(|must| must == is_confirmed), "{what}: {judged:?}");
            match (must, is_confirmed) {
                (Some(true), _) => self.confirmed[usize::from(judged.value == "TRUE")] += 1,
                (None, true) => self.still += 1,
                (None, false) => *self.noticed.entry(what).or_default() += 1,
                (Some(false), _) => {}
            }
        }
    }

    /// Returns the keys with fewer than `least` rejected mutations.
    pub(crate) fn hardly_noticed(&self, keys: &[&'static str], least: u32) -> Vec<&'static str> {
        let noticed = |key: &str| self.noticed.get(key).copied().unwrap_or(0);
        keys.iter().copied().filter(|key| noticed(key) < least).collect()
    }
}

/// Answers to questions in a single file, with the auditor's verdict on each.
pub(crate) struct Trial<'n> {
    net: &'n Net,
    questions: Vec<AuditedProperty>,
    lines: Vec<Value>,
}

impl<'n> Trial<'n> {
    pub(crate) fn new(net: &'n Net) -> Self {
        Trial { net, questions: Vec::new(), lines: Vec::new() }
    }

    /// Adds an answer to a question with these lines, which receive new ids.
    pub(crate) fn add(
        &mut self,
        asked: Question,
        holds: bool,
        lines: &[Value],
        shown_by: &[Value],
    ) {
        let number = self.questions.len();
        let id = |id: &Value| json!(format!("{}-{number}", id.as_str().unwrap()));
        for line in lines {
            let mut line = line.clone();
            let content = line.as_object_mut().unwrap().values_mut().next().unwrap();
            content["id"] = id(&content["id"]);
            self.lines.push(line);
        }
        let mut shown_by = shown_by.to_vec();
        for shown in shown_by.iter_mut().flat_map(|shown| shown.as_object_mut().unwrap()) {
            *shown.1 = id(shown.1);
        }
        let value = if holds { "TRUE" } else { "FALSE" };
        let answer = json!({"id": number.to_string(), "value": value, "shown_by": shown_by});
        self.lines.push(json!({ "answer": answer }));
        self.questions.push(AuditedProperty { id: number.to_string(), question: Ok(asked) });
    }

    /// Returns the last answer.
    pub(crate) fn last(&mut self) -> &mut Value {
        self.lines.last_mut().unwrap()
    }

    pub(crate) fn judged(self) -> Vec<AuditedAnswer> {
        let net = self.net;
        let head = json!({"evidence": {"format": FORMAT, "net": net.name(), "places": net.place_count(),
            "transitions": net.transition_count(), "examination": "Some"}});
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "{head}").unwrap();
        self.lines.iter().for_each(|line| writeln!(file, "{line}").unwrap());
        let mut questions = Some(self.questions);
        let mut audit = Audit::new(net, 100, Box::new(move |_| Ok(questions.take().unwrap())));
        audit.file(file.path()).unwrap();
        audit.finish().judged
    }
}

pub(crate) fn is_confirmed(judged: &AuditedAnswer) -> bool {
    matches!(judged.verdict, AuditVerdict::Confirmed(_))
}

/// Collects the values under this key in a line, at any depth.
fn under<'v>(value: &'v mut Value, key: &str, found: &mut Vec<&'v mut Value>) {
    match value {
        Value::Object(map) => {
            for (name, inside) in map {
                if name == key {
                    found.push(inside);
                } else {
                    under(inside, key, found);
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|inside| under(inside, key, found)),
        _ => {}
    }
}

/// Changes a random part of a value. Returns false if there is nothing to change.
fn change(value: &mut Value, net: &Net, rng: &mut Rng) -> bool {
    match value {
        Value::Bool(flag) => *flag = !*flag,
        Value::Number(number) => {
            let more = if rng.bool() { 1 } else { -1 };
            *value = json!((number.as_i64().unwrap() + more).max(i64::from(number.is_u64()) - 1));
        }
        Value::String(name) => {
            let transition = net.transitions().map(|t| net.transition_name(t));
            let names: Vec<&str> = match name.as_str() {
                "all" | "nothing" => vec!["all", "nothing"],
                "dead" | "not_dead" => vec!["dead", "not_dead"],
                "true" | "false" => vec!["true", "false"],
                name if net.place_named(name).is_some() => {
                    net.places().map(|p| net.place_name(p)).collect()
                }
                _ => transition.collect(),
            };
            let other = names[rng.usize(..names.len())].to_owned();
            return std::mem::replace(name, other.clone()) != other;
        }
        Value::Array(list) if list.is_empty() => return false,
        Value::Array(list) => {
            let at = rng.usize(..list.len());
            match rng.u8(..5) {
                0 => drop(list.remove(at)),
                1 => list.push(list[at].clone()),
                2 => {
                    let other = rng.usize(..list.len());
                    list.swap(at, other);
                    return at != other;
                }
                _ => return change(&mut list[at], net, rng),
            }
        }
        Value::Object(map) => {
            let key = map.keys().nth(rng.usize(..map.len().max(1))).cloned();
            let Some(key) = key.filter(|key| key != "id") else { return false };
            match rng.u8(..4) {
                0 => drop(map.remove(&key)),
                _ => return change(&mut map[&key], net, rng),
            }
        }
        Value::Null => return false,
    }
    true
}

/// Returns the lines with a mutation under a key, or `None` if there is nothing to change.
fn mutated(lines: &[Value], key: &str, net: &Net, rng: &mut Rng) -> Option<Vec<Value>> {
    let mut lines = lines.to_vec();
    let mut found = Vec::new();
    lines.iter_mut().for_each(|line| under(line, key, &mut found));
    let count = found.len();
    (count > 0 && change(found.swap_remove(rng.usize(..count)), net, rng)).then_some(lines)
}
