//! Evidence files about systems: [`parikh_evidence::systems::audit`] describes the format.

use super::case::SystemCase;
use super::settle::{PropertyAnswer, SystemProof};
use parikh_evidence::systems::audit::FORMAT;
use parikh_systems::{FactorView, FiniteRuns, System};
use serde_json::{Value, json};
use std::io::{self, Write};

/// The writer of an evidence file.
#[derive(Debug)]
pub struct SystemEvidence<'c, W> {
    /// The system that the answers are about.
    system: &'c System,
    out: W,
    /// The treatment of finite runs, which the header names. If finite runs are ignored, a proof
    /// that no run exists may disregard labels that cannot occur infinitely often.
    endings: FiniteRuns,
    /// The number of answers written.
    answers: usize,
}

impl<'c, W: Write> SystemEvidence<'c, W> {
    /// Writes the beginning of a file.
    ///
    /// # Errors
    /// If writing fails.
    pub fn new(case: &'c SystemCase, endings: FiniteRuns, out: W) -> io::Result<Self> {
        let semantics = match endings {
            FiniteRuns::Ignored => "infinite traces",
            FiniteRuns::Stutter => "spin",
        };
        let mut file = Self { system: &case.system, out, endings, answers: 0 };
        file.line(&json!({"evidence": {
            "format": FORMAT,
            "components": case.system.components().len(),
            "labels": case.system.label_count(),
            "semantics": semantics,
        }}))?;
        Ok(file)
    }

    /// Writes an answer with its evidence.
    ///
    /// # Errors
    /// If writing fails.
    pub fn answer(&mut self, number: u64, answer: &PropertyAnswer) -> io::Result<()> {
        self.answers += 1;
        let mut object = json!({
            "id": number.to_string(),
            "value": if answer.value { "TRUE" } else { "FALSE" },
            "evidence": answer.grade,
            "because": answer.reason.to_string(),
        });
        match &answer.proof {
            SystemProof::Run { labels, back } => {
                object["run"] = json!({"labels": labels, "back": back})
            }
            SystemProof::Components(members) => {
                let recurrence = self.endings == FiniteRuns::Ignored;
                object["no_run"] = self.members(members);
                object["no_run"]["recurrence"] = json!(recurrence);
            }
            SystemProof::Composed(members, order) => {
                object["no_run"] = self.members(members);
                object["no_run"]["order"] = json!(order);
            }
            // The line names no reduction: the auditor explores the whole system with all its
            // steps, if the system is small enough.
            SystemProof::FewerSteps(states) => {
                let all: Vec<usize> = (0..self.system.components().len()).collect();
                object["no_run"] =
                    json!({"components": all, "recurrence": true, "searched": states});
            }
            SystemProof::Visited(states) => object["visited"] = json!(states),
        }
        self.line(&json!({ "answer": object }))
    }

    /// Returns the components as JSON, with the visible labels of partial components.
    fn members(&self, members: &[FactorView]) -> Value {
        let components: Vec<u32> = members.iter().map(|it| it.component).collect();
        let mut object = json!({"components": components});
        if members.iter().any(|it| it.labels.is_some()) {
            let names = |labels: &Vec<_>| -> Vec<&str> {
                labels.iter().map(|&it| self.system.label(it)).collect()
            };
            object["through"] = members.iter().map(|it| it.labels.as_ref().map(names)).collect();
        }
        object
    }

    /// Writes the end of the file.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_end(&mut self) -> io::Result<()> {
        let answers = self.answers;
        self.line(&json!({"end": {"answers": answers}}))?;
        self.out.flush()
    }

    fn line(&mut self, object: &Value) -> io::Result<()> {
        writeln!(self.out, "{object}")?;
        self.out.flush()
    }
}
