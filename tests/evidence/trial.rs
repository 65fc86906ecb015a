//! Answers with evidence, right and changed, and what an auditor says of each.

use fastrand::Rng;
use parikh::evidence::audit::{Audit, Judged, Verdict};
use parikh::evidence::file::FORMAT;
use parikh::evidence::question::Question;
use parikh::evidence::reader::queries::Property;
use parikh::net::Net;
use serde_json::{Value, json};
use std::io::Write as _;

/// Answers to questions, all in one file, and what an auditor says of each.
pub(crate) struct Trial<'n> {
    net: &'n Net,
    questions: Vec<Property>,
    lines: Vec<Value>,
}

impl<'n> Trial<'n> {
    pub(crate) fn new(net: &'n Net) -> Self {
        Trial { net, questions: Vec::new(), lines: Vec::new() }
    }

    /// An answer to a question with these lines, which get ids of their own.
    pub(crate) fn add(
        &mut self,
        asked: Question,
        value: &str,
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
        let answer = json!({"id": number.to_string(), "value": value, "shown_by": shown_by});
        self.lines.push(json!({ "answer": answer }));
        self.questions.push(Property { id: number.to_string(), question: Ok(asked) });
    }

    /// The last answer.
    pub(crate) fn last(&mut self) -> &mut Value {
        self.lines.last_mut().unwrap()
    }

    pub(crate) fn judged(self) -> Vec<Judged> {
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

pub(crate) fn is_confirmed(judged: &Judged) -> bool {
    matches!(judged.verdict, Verdict::Confirmed(_))
}

/// The values in a line that stand under this key, wherever that may be.
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

/// Changes something in a value; false where there is nothing.
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

/// Lines with something changed under a key; `None` where there is nothing to be changed.
pub(crate) fn mutated(lines: &[Value], key: &str, net: &Net, rng: &mut Rng) -> Option<Vec<Value>> {
    let mut lines = lines.to_vec();
    let mut found = Vec::new();
    lines.iter_mut().for_each(|line| under(line, key, &mut found));
    let count = found.len();
    (count > 0 && change(found.swap_remove(rng.usize(..count)), net, rng)).then_some(lines)
}
