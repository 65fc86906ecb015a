//! Evidence files for `parikh-certify`: the evidence of every answer, one JSON object per line.
//!
//! Lines are written during the analysis. A firing sequence or a certificate is written when it
//! settles its first goal, and an answer when its question is decided. So an interruption loses
//! nothing, and little is kept in memory. [`parikh_evidence::file`] describes the format.
//!
//! The last line states how many answers are valid. A file without this line comes from an analysis
//! that was interrupted or could not write. After a write error the analysis continues without the
//! file.
//!
//! A sequence that several goals share is written once. In a plan with a goal for each node, one
//! sequence often shows several goals. So the writer remembers which transitions fire and which
//! places change along a written sequence. A later goal that this sequence shows refers to it.

use super::{Strength, Writer};
use crate::answer::{AnswerWitness, GoalAnswer, Grade};
use crate::run::{CountEvidence, CountResult};
use parikh_engine::board::{
    Evidence, HomeKnowledge, Knowledge, Maximum, ReachKnowledge, RunKnowledge, TreeKnowledge,
    Witness,
};
use parikh_engine::working_net::CheckedLog;
use parikh_evidence::Document;
use parikh_evidence::counting::family::{FamilyProof, NamedFamily};
use parikh_evidence::file::{self, EvidenceReference, ExhaustiveSearch};
use parikh_evidence::home::HomeArgument;
use parikh_evidence::kind::EvidenceKind;
use parikh_evidence::lasso::NamedLasso;
use parikh_net::{FiringSequence, Goal, GoalId, LoopRun, Net, PlaceId, Predicate, TransitionId};
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::sync::Arc;

/// An evidence file under construction.
pub struct EvidenceFile<'n, W: Write> {
    net: &'n Net,
    writer: Writer<'n, W>,
    /// For each goal, references to the written lines that are its evidence.
    shown_by: HashMap<GoalId, Vec<EvidenceReference>>,
    /// The last sequences written, at most [`MAX_RECENT_TRACES`], each with the id of its line.
    recent_traces: Vec<(Arc<FiringSequence>, LineId)>,
    /// The last accelerated sequence written.
    recent_loops: Option<(Arc<LoopRun>, LineId)>,
    /// The first trace in which each transition fires.
    first_firing: HashMap<TransitionId, LineId>,
    /// The first trace in which each place changes.
    first_change: HashMap<PlaceId, LineId>,
    /// The ids of the written certificates, by the address of the certificate. The `Arc` kept here
    /// keeps the address valid.
    documents: HashMap<*const (), (LineId, Arc<Document>)>,
    /// The ids of the written reductions, by the address of the log.
    logs: HashMap<*const (), (LineId, Arc<CheckedLog>)>,
    /// The ids of the written arguments about home properties, by the address of the argument.
    structures: HashMap<*const (), (LineId, Arc<HomeArgument>)>,
    /// The id of the line with the number of markings; `None` before it is written.
    count_id: Option<LineId>,
    /// The id of the line with the proof from place invariants; `None` before it is written.
    family_id: Option<LineId>,
    /// The ids of the questions with a valid answer: written and not withdrawn.
    answered: HashSet<String>,
}

/// The id of a line.
type LineId = Arc<str>;

/// The number of recent sequences remembered. It is small, because the goals that one walk settles
/// are written in a row.
const MAX_RECENT_TRACES: usize = 8;

impl<'n, W: Write> EvidenceFile<'n, W> {
    /// Begins the file of an examination.
    ///
    /// # Errors
    /// If writing to `out` fails. The other methods fail for the same reason.
    pub fn new(net: &'n Net, examination: &str, out: W) -> io::Result<Self> {
        let writer = Writer::new(net, examination, out)?;
        Ok(EvidenceFile {
            net,
            writer,
            shown_by: HashMap::new(),
            recent_traces: Vec::new(),
            recent_loops: None,
            first_firing: HashMap::new(),
            first_change: HashMap::new(),
            documents: HashMap::new(),
            logs: HashMap::new(),
            structures: HashMap::new(),
            count_id: None,
            family_id: None,
            answered: HashSet::new(),
        })
    }

    /// Writes the evidence of a settled goal.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn settled(&mut self, id: GoalId, goal: &Goal, knowledge: &Knowledge) -> io::Result<()> {
        let mut shown_by = Vec::new();
        match knowledge {
            Knowledge::Reach(ReachKnowledge::Open) | Knowledge::Home(HomeKnowledge::Open) => {}
            Knowledge::Run(run) => shown_by.extend(self.run(goal, run)?),
            Knowledge::Tree(tree) => shown_by.extend(self.tree(tree)?),
            Knowledge::Home(HomeKnowledge::StaysReachable { evidence, .. }) => {
                shown_by.extend(self.structure(evidence)?);
            }
            Knowledge::Home(HomeKnowledge::BecomesUnreachable {
                witness, proof, evidence, ..
            }) => {
                shown_by.extend(self.structure(evidence)?);
                shown_by.extend(self.witness(goal, witness.as_ref())?);
                let certified = matches!(evidence, Evidence::Certified(_));
                if let Some(document) = proof.document.as_ref().filter(|_| certified) {
                    shown_by.push(self.document_after(witness.as_ref(), document)?);
                }
            }
            Knowledge::Reach(ReachKnowledge::Reached { witness, .. }) => {
                shown_by.extend(self.witness(goal, witness.as_ref())?);
            }
            Knowledge::Reach(ReachKnowledge::Unreachable { evidence, .. }) => {
                shown_by.extend(self.refutation(evidence)?);
            }
            Knowledge::Maximum(Maximum { unbounded: Some((pumping, _)), .. }) => {
                shown_by
                    .push(EvidenceReference::new(EvidenceKind::Pump, self.writer.pump(pumping)?));
            }
            Knowledge::Maximum(Maximum { largest_seen: seen, proved, .. }) => {
                let witness = seen.as_ref().and_then(|seen| seen.witness.as_ref());
                shown_by.extend(self.witness(goal, witness)?);
                if let Some(proved) = proved {
                    shown_by.extend(self.refutation(&proved.evidence)?);
                }
            }
        }
        self.shown_by.insert(id, shown_by);
        Ok(())
    }

    /// Writes an answer, after the evidence that it refers to.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn answer(&mut self, answer: &GoalAnswer) -> io::Result<()> {
        let goals = answer.rests_on.iter();
        let references = goals.filter_map(|goal| self.shown_by.get(goal)).flatten();
        let mut seen = HashSet::new();
        let shown_by = references.filter(|shown| seen.insert(*shown)).cloned().collect();
        self.write_answer(answer, shown_by)
    }

    /// Writes a figure of the state space, such as the number of markings, as an answer. If
    /// `counted` is given, the figure comes from this count, whose evidence is written before. A
    /// self-covering sequence that no goal has found is also written before.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn figure(
        &mut self,
        answer: &GoalAnswer,
        counted: Option<CountEvidence<'_>>,
    ) -> io::Result<()> {
        let reference = match (counted, &answer.exhibit) {
            (Some(CountEvidence::Counted(counted)), _) => {
                EvidenceReference::new(EvidenceKind::Count, self.count(counted)?)
            }
            (Some(CountEvidence::Family(proof)), _) => {
                EvidenceReference::new(EvidenceKind::Family, self.family(proof)?)
            }
            (None, Some(AnswerWitness::Pump(pumping))) if answer.rests_on.is_empty() => {
                EvidenceReference::new(EvidenceKind::Pump, self.writer.pump(pumping)?)
            }
            _ => return self.answer(answer),
        };
        self.write_answer(answer, vec![reference])
    }

    /// Writes that an answer is withdrawn.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn withdrawn(&mut self, id: &str) -> io::Result<()> {
        self.answered.remove(id);
        self.writer.withdrawn(id)
    }

    /// Writes the last line, with the number of questions that have a valid answer.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn write_end(&mut self) -> io::Result<()> {
        self.writer.write_end(self.answered.len() as u64)
    }

    /// Flushes and returns the output.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn finish(self) -> io::Result<W> {
        self.writer.finish()
    }

    /// Writes the reduction and the number of counted markings, unless the number is written
    /// already. Returns the id of the line with the number.
    fn count(&mut self, counted: &CountResult) -> io::Result<LineId> {
        if let Some(id_before) = &self.count_id {
            return Ok(id_before.clone());
        }
        let log = counted.log.as_ref();
        let on = log.map(|log| self.writer.reduction(None, log)).transpose()?;
        let id: LineId = self.writer.count(on, counted.visited)?.into();
        self.count_id = Some(id.clone());
        Ok(id)
    }

    /// Writes a proof from place invariants, unless one is written already. Returns the id of its
    /// line.
    fn family(&mut self, proof: &FamilyProof) -> io::Result<LineId> {
        if let Some(id_before) = &self.family_id {
            return Ok(id_before.clone());
        }
        let content = NamedFamily::of(self.net, proof);
        let id: LineId = self.writer.put(EvidenceKind::Family, &content)?.into();
        self.family_id = Some(id.clone());
        Ok(id)
    }

    fn write_answer(
        &mut self,
        answer: &GoalAnswer,
        shown_by: Vec<EvidenceReference>,
    ) -> io::Result<()> {
        let (evidence, searched) = match answer.grade {
            Grade::Replayed => (Strength::Replayed, None),
            Grade::Certified => (Strength::Certified, None),
            Grade::Searched { markings, stubborn } => {
                (Strength::Searched, Some(ExhaustiveSearch { markings, stubborn }))
            }
        };
        self.answered.insert(answer.id.clone());
        let assumes = answer.assumes_units.then_some(file::AnswerAssumption::Units);
        let line = file::AnswerLine {
            id: answer.id.clone(),
            value: answer.value.to_string(),
            assumes: assumes.into_iter().collect(),
            searched,
            shown_by,
        };
        self.writer.answer(&line, evidence, &answer.reason.to_string())
    }

    fn witness(
        &mut self,
        goal: &Goal,
        witness: Option<&Witness>,
    ) -> io::Result<Option<EvidenceReference>> {
        // The initial marking needs no evidence.
        let Some(witness) = witness.filter(|witness| !witness.is_initial()) else {
            return Ok(None);
        };
        if let Some(trace) = self.trace_through(goal) {
            return Ok(Some(EvidenceReference::new(EvidenceKind::Trace, trace)));
        }
        Ok(Some(match witness {
            Witness::Firings(sequence, firings) => {
                let trace = EvidenceReference::new(EvidenceKind::Trace, self.trace(sequence)?);
                EvidenceReference { prefix_length: Some(*firings), ..trace }
            }
            Witness::Loops(run, _) => EvidenceReference::new(EvidenceKind::Loops, self.loops(run)?),
        }))
    }

    /// Returns a written trace that shows the goal: the trace fires the transition of the goal, or
    /// changes the number of tokens on its place. Returns `None` if there is no such trace, or if
    /// the goal has another form.
    fn trace_through(&self, goal: &Goal) -> Option<LineId> {
        let Goal::Reach(predicate) = goal else { return None };
        if let Predicate::Enabled(t) = predicate {
            return self.first_firing.get(t).cloned();
        }
        // The goal asks only for a change of the place: more or fewer tokens than initially.
        let place = predicate.only_place()?;
        let initially = self.net.initial()[place];
        let above_initial = Predicate::at_least(place, initially.checked_add(1)?);
        let asks_change = match (predicate, initially.checked_sub(1)) {
            (Predicate::Or(parts), Some(one_less)) => {
                let below_initial = Predicate::no_more_than(place, one_less);
                parts.len() == 2 && parts.contains(&above_initial) && parts.contains(&below_initial)
            }
            (predicate, None) => *predicate == above_initial,
            _ => false,
        };
        self.first_change.get(&place).cloned().filter(|_| asks_change)
    }

    fn trace(&mut self, sequence: &Arc<FiringSequence>) -> io::Result<LineId> {
        let known = self.recent_traces.iter().find(|(recent, _)| Arc::ptr_eq(recent, sequence));
        if let Some((_, trace)) = known {
            return Ok(trace.clone());
        }
        let trace: LineId = self.writer.trace(sequence)?.into();
        for step in sequence.steps() {
            if self.first_firing.contains_key(&step.transition) {
                continue;
            }
            self.first_firing.insert(step.transition, trace.clone());
            for change in self.net.delta(step.transition) {
                self.first_change.entry(change.place).or_insert_with(|| trace.clone());
            }
        }
        if self.recent_traces.len() == MAX_RECENT_TRACES {
            self.recent_traces.remove(0);
        }
        self.recent_traces.push((sequence.clone(), trace.clone()));
        Ok(trace)
    }

    fn loops(&mut self, run: &Arc<LoopRun>) -> io::Result<LineId> {
        if let Some((_, known)) = self.recent_loops.as_ref().filter(|(it, _)| Arc::ptr_eq(it, run))
        {
            return Ok(known.clone());
        }
        let id: LineId = self.writer.loops(run)?.into();
        self.recent_loops = Some((run.clone(), id.clone()));
        Ok(id)
    }

    /// Writes the evidence of a refutation: a certificate, or evidence of another kind that is a
    /// single line. Returns the reference to its line, or `None` if there is nothing to write.
    fn refutation(&mut self, evidence: &Evidence) -> io::Result<Option<EvidenceReference>> {
        let Evidence::Certified(Some(certificate)) = evidence else {
            return self.single_line(evidence);
        };
        let address = Arc::as_ptr(&certificate.document).cast::<()>();
        if let Some((known, _)) = self.documents.get(&address) {
            return Ok(Some(EvidenceReference::new(EvidenceKind::Document, known.clone())));
        }
        let on = match &certificate.derivation {
            None => None,
            Some(log) => Some((self.log(log)?, &log.net)),
        };
        let on = on.as_ref().map(|(id, net)| (&**id, *net));
        let document: LineId = self.writer.document(on, &certificate.document)?.into();
        self.documents.insert(address, (document.clone(), certificate.document.clone()));
        Ok(Some(EvidenceReference::new(EvidenceKind::Document, document)))
    }

    /// Writes a certificate about the net with the end of the witness as its initial marking.
    /// Without a witness, or if it has no firings, the certificate is about the net itself.
    fn document_after(
        &mut self,
        witness: Option<&Witness>,
        document: &Document,
    ) -> io::Result<EvidenceReference> {
        let id = match witness {
            Some(Witness::Firings(sequence, firings)) if *firings > 0 => {
                let trace = self.trace(sequence)?;
                self.writer.document_after(&trace, document)?
            }
            // A goal is lost after a plain sequence: `HomeReporter` keeps no accelerated witness.
            Some(Witness::Firings(..) | Witness::Loops(..)) | None => {
                self.writer.document(None, document)?
            }
        };
        Ok(EvidenceReference::new(EvidenceKind::Document, id))
    }

    /// Writes the argument that evidence contains for a home property. Returns `None` if it
    /// contains none.
    fn structure(&mut self, evidence: &Evidence) -> io::Result<Option<EvidenceReference>> {
        let (Evidence::Argued(Some(argued)) | Evidence::Searched { argued: Some(argued), .. }) =
            evidence
        else {
            return Ok(None);
        };
        let address = Arc::as_ptr(&argued.structure).cast::<()>();
        if let Some((known, _)) = self.structures.get(&address) {
            return Ok(Some(EvidenceReference::new(EvidenceKind::Structure, known.clone())));
        }
        let on = match &argued.derivation {
            None => None,
            Some(log) => Some((self.log(log)?, &log.net)),
        };
        let on = on.as_ref().map(|(id, net)| (&**id, *net));
        let id: LineId = self.writer.structure(on, &argued.structure)?.into();
        self.structures.insert(address, (id.clone(), argued.structure.clone()));
        Ok(Some(EvidenceReference::new(EvidenceKind::Structure, id)))
    }

    /// Writes a run, or an argument that no run has the property. Returns its reference, after the
    /// references of the evidence for the goals that the argument assumes. Writes nothing for an
    /// open goal or a run that was not kept.
    fn run(&mut self, goal: &Goal, run: &RunKnowledge) -> io::Result<Vec<EvidenceReference>> {
        let (evidence, given) = match run {
            RunKnowledge::Exists { run: Some(run), .. } => {
                let lasso = NamedLasso::of(self.net, run);
                return Ok(vec![EvidenceReference::new(
                    EvidenceKind::Lasso,
                    self.writer.put(EvidenceKind::Lasso, &lasso)?,
                )]);
            }
            RunKnowledge::Excluded { evidence, premise_goals: given, .. } => (evidence, given),
            RunKnowledge::Open | RunKnowledge::Exists { .. } => return Ok(Vec::new()),
        };
        let references = given.iter().filter_map(|id| self.shown_by.get(id)).flatten();
        let mut references: Vec<EvidenceReference> = references.cloned().collect();
        match (goal, evidence) {
            (Goal::Run(property), Evidence::NoRun(Some(argument))) => {
                references.push(EvidenceReference::new(
                    EvidenceKind::NoRun,
                    self.writer.no_run(property, argument)?,
                ));
            }
            _ => references.extend(self.single_line(evidence)?),
        }
        Ok(references)
    }

    /// Writes the certificate of a CTL property. Returns its reference, after the references of the
    /// evidence for the goals that it assumes. Returns nothing if there is no certificate.
    fn tree(&mut self, tree: &TreeKnowledge) -> io::Result<Vec<EvidenceReference>> {
        let TreeKnowledge::Decided { evidence, premise_goals: given, .. } = tree else {
            return Ok(Vec::new());
        };
        let Some(reference) = self.refutation(evidence)? else { return Ok(Vec::new()) };
        let premises = given.iter().filter_map(|id| self.shown_by.get(id)).flatten();
        Ok(premises.cloned().chain([reference]).collect())
    }

    /// Writes evidence that is a single line. Returns the reference to the line, or `None` if there
    /// is nothing to write.
    fn single_line(&mut self, evidence: &Evidence) -> io::Result<Option<EvidenceReference>> {
        let Some((kind, content)) = evidence.line(self.net) else { return Ok(None) };
        Ok(Some(EvidenceReference::new(kind, self.writer.put(kind, &content)?)))
    }

    fn log(&mut self, log: &Arc<CheckedLog>) -> io::Result<LineId> {
        let address = Arc::as_ptr(log).cast::<()>();
        if let Some((known, _)) = self.logs.get(&address) {
            return Ok(known.clone());
        }
        let of = log.parent.as_ref().map(|of| self.log(of)).transpose()?;
        let id: LineId = self.writer.reduction(of.as_deref(), &log.log)?.into();
        self.logs.insert(address, (id.clone(), log.clone()));
        Ok(id)
    }
}
