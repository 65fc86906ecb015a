//! Files of evidence, for `parikh-certify`: what every answer rests on, one JSON object a line.
//!
//! Lines are written while the run goes on: a firing sequence or a document when the first goal is
//! settled by it, an answer when it is decided. So nothing is lost when the run is interrupted, and
//! little is kept. A line comes after those that it refers to. The format is described where it is
//! read, in `parikh_evidence::audit`.
//!
//! Sequences that walks share are written once. In a plan with a goal for each node, one sequence often
//! shows more than the goal that it was found for: which transitions fire and which places change along
//! it is remembered, and goals that ask for that refer to it.

use crate::answer::{Answer, Grade};
use crate::board::{Evidence, Knowledge, Maximum, Reach};
use crate::evidence::Witness;
use crate::ground::CheckedLog;
use parikh_net::{FiringSequence, Goal, GoalId, Net, PlaceId, Predicate, TransitionId};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One file, while it is written.
pub(super) struct EvidenceFile<'n> {
    net: &'n Net,
    path: PathBuf,
    out: BufWriter<File>,
    /// What shows each goal.
    shown_by: HashMap<GoalId, Vec<Reference>>,
    /// The last sequences written, each with its number.
    recent: Vec<(Arc<FiringSequence>, u64)>,
    /// The first trace along which a transition fires.
    fires: HashMap<TransitionId, u64>,
    /// The first trace along which a place changes.
    changes: HashMap<PlaceId, u64>,
    /// Documents and logs by their address, which stays theirs as long as they are kept here.
    documents: HashMap<*const (), (u64, Arc<crate::evidence::Document>)>,
    logs: HashMap<*const (), (u64, Arc<CheckedLog>)>,
    traces: u64,
    pumps: u64,
}

/// A reference of an answer to a line before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Reference {
    /// A trace, after so many firings; all of it where it does not matter.
    Trace(u64, Option<u64>),
    Pump(u64),
    Document(u64),
}

/// How many sequences are remembered: those of one walk come one after the other.
const RECENT: usize = 8;

impl<'n> EvidenceFile<'n> {
    /// Begins `DIRECTORY/NAME.jsonl`.
    pub(super) fn create(directory: &Path, name: &str, net: &'n Net) -> io::Result<Self> {
        std::fs::create_dir_all(directory)?;
        let path = directory.join(format!("{name}.jsonl"));
        let mut file = EvidenceFile {
            net,
            out: BufWriter::new(File::create(&path)?),
            path,
            shown_by: HashMap::new(),
            recent: Vec::new(),
            fires: HashMap::new(),
            changes: HashMap::new(),
            documents: HashMap::new(),
            logs: HashMap::new(),
            traces: 0,
            pumps: 0,
        };
        file.line(&json!({"evidence": {
            "format": "parikh-evidence-1",
            "net": net.name(),
            "places": net.place_count(),
            "transitions": net.transition_count(),
            "examination": name,
        }}))?;
        Ok(file)
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn line(&mut self, line: &Value) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, line)?;
        self.out.write_all(b"\n")
    }

    /// Writes what shows a settled goal.
    pub(super) fn settled(
        &mut self,
        id: GoalId,
        goal: &Goal,
        knowledge: &Knowledge,
    ) -> io::Result<()> {
        let mut shown_by = Vec::new();
        match knowledge {
            Knowledge::Reach(Reach::Open) => {}
            Knowledge::Reach(Reach::Reached { witness, .. }) => {
                shown_by.extend(self.witness(goal, witness.as_ref())?);
            }
            Knowledge::Reach(Reach::Unreachable { evidence, .. }) => {
                shown_by.extend(self.refutation(evidence)?);
            }
            Knowledge::Maximum(Maximum { unbounded: Some((prefix, pump, _)), .. }) => {
                shown_by.push(self.pump(prefix, pump)?);
            }
            Knowledge::Maximum(Maximum { seen, evidence, .. }) => {
                let witness = seen.as_ref().and_then(|(_, witness, _)| witness.as_ref());
                shown_by.extend(self.witness(goal, witness)?);
                if let Some(evidence) = evidence {
                    shown_by.extend(self.refutation(evidence)?);
                }
            }
        }
        self.shown_by.insert(id, shown_by);
        Ok(())
    }

    /// Writes an answer, after all that it refers to.
    pub(super) fn answer(&mut self, answer: &Answer) -> io::Result<()> {
        let goals = answer.rests_on.clone().map(GoalId::new);
        let all = goals.filter_map(|goal| self.shown_by.get(&goal)).flatten().copied();
        let mut seen = std::collections::HashSet::new();
        let shown_by: Vec<Value> =
            all.filter(|reference| seen.insert(*reference)).map(Reference::text).collect();
        let mut line = json!({
            "id": answer.id,
            "value": answer.value.to_string(),
            "evidence": answer.grade.to_string(),
            "assumes": if answer.assumes_units { vec!["units"] } else { vec![] },
            "because": answer.reason,
            "shown_by": shown_by,
        });
        if let Grade::Searched { .. } = answer.grade {
            line["searched"] = json!(super::output::searched(answer.grade));
        }
        self.line(&json!({"answer": line}))?;
        // Answers are few: what was answered is in the file, whatever ends the process.
        self.out.flush()
    }

    fn witness(&mut self, goal: &Goal, witness: Option<&Witness>) -> io::Result<Option<Reference>> {
        // Nobody doubts the initial marking.
        let Some(witness) = witness.filter(|witness| witness.firings() > 0) else {
            return Ok(None);
        };
        if let Some(trace) = self.along_the_way(goal) {
            return Ok(Some(Reference::Trace(trace, None)));
        }
        let sequence = witness.sequence();
        let known = self.recent.iter().find(|(recent, _)| Arc::ptr_eq(recent, sequence));
        let trace = match known {
            Some((_, trace)) => *trace,
            None => self.trace(sequence)?,
        };
        Ok(Some(Reference::Trace(trace, Some(witness.firings()))))
    }

    /// A trace written before that shows the goal somewhere on its way.
    fn along_the_way(&self, goal: &Goal) -> Option<u64> {
        let Goal::Reach(predicate) = goal else { return None };
        if let Predicate::Enabled(t) = predicate {
            return self.fires.get(t).copied();
        }
        // More or fewer than initially: that it changes is all that is asked.
        let place = predicate.only_place()?;
        let initially = self.net.initial()[place];
        let more = Predicate::at_least(place, initially.checked_add(1)?);
        let asks_change = match (predicate, initially.checked_sub(1)) {
            (Predicate::Or(parts), Some(fewer)) => {
                let fewer = Predicate::no_more_than(place, fewer);
                parts.len() == 2 && parts.contains(&more) && parts.contains(&fewer)
            }
            (predicate, None) => *predicate == more,
            _ => false,
        };
        self.changes.get(&place).copied().filter(|_| asks_change)
    }

    fn trace(&mut self, sequence: &Arc<FiringSequence>) -> io::Result<u64> {
        self.traces += 1;
        let trace = self.traces;
        let steps = self.steps(sequence);
        self.line(&json!({"trace": {"id": format!("w{trace}"), "steps": steps}}))?;
        for step in sequence.steps() {
            if self.fires.contains_key(&step.transition) {
                continue;
            }
            self.fires.insert(step.transition, trace);
            for change in self.net.delta(step.transition) {
                self.changes.entry(change.place).or_insert(trace);
            }
        }
        if self.recent.len() == RECENT {
            self.recent.remove(0);
        }
        self.recent.push((sequence.clone(), trace));
        Ok(trace)
    }

    fn pump(&mut self, prefix: &FiringSequence, pump: &FiringSequence) -> io::Result<Reference> {
        self.pumps += 1;
        let (prefix, pump) = (self.steps(prefix), self.steps(pump));
        let id = format!("p{}", self.pumps);
        self.line(&json!({"pump": {"id": id, "prefix": prefix, "pump": pump}}))?;
        Ok(Reference::Pump(self.pumps))
    }

    fn steps(&self, sequence: &FiringSequence) -> Vec<Value> {
        let name = |t| self.net.transition_name(t);
        let steps = sequence.steps().iter();
        steps.map(|step| json!([name(step.transition), step.count])).collect()
    }

    fn refutation(&mut self, evidence: &Evidence) -> io::Result<Option<Reference>> {
        let Evidence::Certified(Some(shown)) = evidence else { return Ok(None) };
        let address = Arc::as_ptr(&shown.document).cast::<()>();
        if let Some((known, _)) = self.documents.get(&address) {
            return Ok(Some(Reference::Document(*known)));
        }
        let on = shown.on.as_ref().map(|log| self.log(log)).transpose()?;
        let number = self.documents.len() as u64 + 1;
        let text = match &shown.on {
            None => shown.document.print(self.net, ""),
            Some(log) => shown.document.print(&log.net, ""),
        };
        let mut document: Value = serde_json::from_str(&text)?;
        document["id"] = json!(format!("d{number}"));
        if let Some(on) = on {
            document["on"] = json!(format!("r{on}"));
        }
        self.line(&json!({"document": document}))?;
        self.documents.insert(address, (number, shown.document.clone()));
        Ok(Some(Reference::Document(number)))
    }

    fn log(&mut self, log: &Arc<CheckedLog>) -> io::Result<u64> {
        let address = Arc::as_ptr(log).cast::<()>();
        if let Some((known, _)) = self.logs.get(&address) {
            return Ok(*known);
        }
        let of = log.of.as_ref().map(|of| self.log(of)).transpose()?;
        let number = self.logs.len() as u64 + 1;
        let mut line = json!({"id": format!("r{number}"), "log": log.file});
        if let Some(of) = of {
            line["of"] = json!(format!("r{of}"));
        }
        self.line(&json!({"reduction": line}))?;
        self.logs.insert(address, (number, log.clone()));
        Ok(number)
    }
}

impl Reference {
    fn text(self) -> Value {
        match self {
            Reference::Trace(trace, None) => json!({"trace": format!("w{trace}")}),
            Reference::Trace(trace, Some(after)) => {
                json!({"trace": format!("w{trace}"), "after": after})
            }
            Reference::Pump(pump) => json!({"pump": format!("p{pump}")}),
            Reference::Document(document) => json!({"document": format!("d{document}")}),
        }
    }
}
