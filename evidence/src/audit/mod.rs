//! The audit checks whether a file of evidence proves the answers in it.
//!
//! [`Audit::file`] reads a file line by line. For each answer, the auditor finds the question by
//! its id in the query file, not in the evidence. The question becomes a list of proof obligations
//! ([`obligation`](crate::question::obligation)). The auditor checks the evidence that the answer
//! refers to, and discharges the obligations that it shows. An answer is confirmed if all
//! obligations are discharged.
//!
//! # What has to be trusted
//! - The arithmetic of the checkers in this crate, and the argument in the header of each reduction
//!   rule.
//! - The readers ([`crate::reader`]), the parsers of XML and JSON, the tables of encodings, and the
//!   compiler.
//! - Three crates that the prover uses as well: `parikh-net` (nets and their firing, predicates),
//!   `parikh-files` (opens compressed files) and `parikh-temporal`.
//!
//! In `parikh-temporal`, the following has to be trusted: the construction and negation of
//! formulas, the two evaluators, the search for strongly connected components, and the check of an
//! automaton against its formula. So do the translation of CTL to equivalent or bounding formulas
//! of LTL ([`linear_bounds`](parikh_temporal::Ctl::linear_bounds)), and *the rewriting rules of
//! CTL* ([`BRANCHING_RULES`](parikh_temporal::BRANCHING_RULES)). These rules simplify a question of
//! CTL before it becomes an obligation ([`crate::question`]), and nothing checks the result. Each
//! rule relies on the argument at its function. The rules of LTL need no trust: where the auditor
//! uses one, automata show that the formulas before and after are equivalent.
//!
//! Neither the prover nor the claims in a file have to be trusted. Documents are checked against
//! the obligations, numbers of markings are counted again, and names are resolved in the net.
//!
//! # Verdicts
//! [`AuditVerdict::Refused`] means that evidence does not show the answer, because a check
//! failed or evidence is missing. An answer that relies only on an exhaustive search is
//! [`AuditVerdict::Searched`], unless the search is small enough to be repeated. An answer
//! that assumes the model's claim of safe units has to say so. It is refused if any trace violates
//! the claim ([`Audit::finish`]).
//!
//! Besides verdicts, a [`AuditReport`] lists irregular files ([`AuditReport::irregular`]). For
//! example, an answer that was printed but is missing in the file has not been checked, and would
//! otherwise go unnoticed.

mod account;
mod claim_search;
mod claims;
mod context;
mod exports;
mod figures;
mod homes;
mod judge;
mod kinds;
mod report;
mod runs;
mod search;
mod shelf;
mod sightings;
mod source;
#[cfg(test)]
mod tests;
mod trees;
mod visit_limits;
mod watch;

pub use exports::{ExportFolder, ExportResults, Exports};
pub use report::{AuditReport, AuditVerdict, AuditedAnswer, EvidenceFileError, MissingFigures};
pub(crate) use source::{EvidenceReader, NextLine, OpenResult};
pub use watch::{AuditProgress, AuditWatch, ExhaustedLimit};

use crate::certificate::markings::visit;
use crate::file::{AnswerLine, EvidenceLine, FORMAT, FileHeader};
use crate::question::Question;
use crate::question::cases::{self, CaseNet};
use crate::reader::Unreadable;
use crate::reader::queries::AuditedProperty;
use context::AuditContext;
use judge::{AnswerJudge, Questions};
use parikh_net::assumption::{self, Assumption};
use parikh_net::printable::{Quoted, Word};
use parikh_net::units::Breach;
use parikh_net::{Marking, Net};
use shelf::EvidenceLines;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// A function that gets the name of an examination, and returns its questions or the reason why
/// there are none.
pub type QueryFiles<'n> = dyn FnMut(&str) -> Result<Vec<AuditedProperty>, String> + 'n;

/// An audit of evidence about one net.
pub struct Audit<'n> {
    /// The net that the evidence is about.
    net: &'n Net,
    /// Returns the questions of an examination.
    queries: Box<QueryFiles<'n>>,
    /// The largest number of markings of a search that is repeated.
    max_markings: u64,
    /// A description of how some evidence violates the model's claim of safe units; `None` if no
    /// violation is known.
    breach: Option<String>,
    /// The final markings of the cases of a process. If the list is empty, the final markings of
    /// the model are used.
    final_markings: Vec<Marking>,
    /// True if the net already has the initial marking for the cases of a question about processes,
    /// and their final markings.
    has_case_markings: bool,
    /// The watch that limits time and memory.
    watch: AuditWatch,
    /// The folders for files about confirmed answers.
    exports: Exports,
    /// The results so far.
    report: AuditReport,
}

impl<'n> Audit<'n> {
    /// Creates an audit of evidence about `net`. Searches of up to `max_markings` markings are
    /// repeated.
    pub fn new(net: &'n Net, max_markings: u64, queries: Box<QueryFiles<'n>>) -> Self {
        Audit {
            net,
            queries,
            max_markings,
            breach: None,
            final_markings: Vec::new(),
            has_case_markings: false,
            watch: AuditWatch::default(),
            exports: Exports::default(),
            report: AuditReport::default(),
        }
    }

    /// Sets the final markings of cases for questions about processes, instead of those of the
    /// model. An empty list keeps the model's.
    #[must_use]
    pub fn with_final_markings(self, finals: Vec<Marking>) -> Self {
        Audit { final_markings: finals, ..self }
    }

    /// Declares that the net already has the markings that questions about processes need: its
    /// initial marking starts all cases (process instances), and its final markings end the cases.
    #[must_use]
    pub(crate) fn with_case_markings(self) -> Self {
        Audit { has_case_markings: true, ..self }
    }

    /// Sets the watch that can stop the audit.
    #[must_use]
    pub fn with_watch(self, watch: AuditWatch) -> Self {
        Audit { watch, ..self }
    }

    /// Sets the folders for files about confirmed answers.
    #[must_use]
    pub fn with_exports(self, exports: Exports) -> Self {
        Audit { exports, ..self }
    }

    /// Audits one file. Does nothing if the audit has already run out of time or memory. A file
    /// that is cut off is reported and is no error.
    ///
    /// # Errors
    /// When the file is not an evidence file about this net, or has an invalid line.
    pub fn file(&mut self, path: &Path) -> Result<(), EvidenceFileError> {
        if self.report.stopped.is_some() {
            return Ok(());
        }
        match EvidenceReader::open(path, &self.watch)? {
            OpenResult::Evidence(source) => self.audit_source(*source),
            OpenResult::CutShort(broken) => {
                self.report.cut_short.push(broken);
                Ok(())
            }
        }
    }

    /// Audits a file whose header was read, and adds the results to the report.
    ///
    /// # Errors
    /// When the file is not about this net, or has an invalid line.
    pub(crate) fn audit_source(
        &mut self,
        mut source: EvidenceReader,
    ) -> Result<(), EvidenceFileError> {
        let header = source.header();
        let subject = self.subject(header).and_then(|(net, questions)| {
            check_net(header, &net)?;
            check_assumptions(header, &net)?;
            Ok((net, questions))
        });
        let (net, questions) = subject.map_err(|what| source.broken(what))?;
        if source.stem() != header.examination {
            let about = &header.examination;
            let other = format!(
                "the file has evidence about {about}, but its name is that of \
                                 another examination"
            );
            self.report.irregular.push(source.broken(other));
        }
        let evidence_lines = EvidenceLines::new(&net, source.file(), self.watch.clone());
        let (most_visited, watch) = (self.max_markings, self.watch.clone());
        let context = AuditContext {
            net: &net,
            lines: evidence_lines,
            max_markings: most_visited,
            breach: None,
            watch,
        };
        let judge = AnswerJudge { context, questions };
        let mut file_audit = FileAudit {
            judge,
            watch: &self.watch,
            exports: &self.exports,
            report: &mut self.report,
            answered: HashMap::new(),
            withdrawn: HashSet::new(),
            withdrawn_positions: HashSet::new(),
            printed_count: None,
        };
        let result = file_audit.audit_lines(&mut source);
        let FileAudit { judge, answered, printed_count: printed, withdrawn_positions, .. } =
            file_audit;
        // Withdrawn answers are removed from the report.
        let mut positions = 0..;
        self.report
            .judged
            .retain(|_| !positions.next().is_some_and(|at| withdrawn_positions.contains(&at)));
        self.breach = self.breach.take().or(judge.context.breach);
        if self.report.stopped.is_some() {
            return Ok(());
        }
        self.count_answers(&source, answered.len(), printed);
        let mut open: Vec<String> =
            judge.questions.keys().filter(|id| !answered.contains_key(*id)).cloned().collect();
        open.sort_unstable();
        self.report.unanswered += open.len();
        if source.header().examination == STATE_SPACE && !open.is_empty() {
            let file = source.name().to_owned();
            self.report.incomplete.push(MissingFigures { file, missing: open });
        }
        match result? {
            None => Ok(()),
            Some(cut_short) => {
                self.report.cut_short.push(cut_short);
                Ok(())
            }
        }
    }

    /// Compares the number of answers in the file with the number in its `end` line. Reports a
    /// difference or a missing `end` line as irregular.
    fn count_answers(&mut self, source: &EvidenceReader, found: usize, printed: Option<u64>) {
        let what = match printed {
            None => "the file has no `end` line, so printed answers may be missing".to_owned(),
            Some(printed) if printed != found as u64 => {
                format!("{printed} answers were printed, but the file has {found}")
            }
            Some(_) => return,
        };
        self.report.irregular.push(source.broken(what));
    }

    /// Returns the net that a file is about, and its questions by id.
    fn subject(&mut self, header: &FileHeader) -> Result<(Cow<'n, Net>, Questions), String> {
        if header.format != FORMAT {
            return Err(format!("the format is {}; expected `{FORMAT}`", Quoted(&header.format)));
        }
        let (net, name) = (self.net, &header.examination);
        if let Some(kind) = cases::kind(name) {
            if net.folding().is_some() {
                return Err(format!("{name} is not supported for a coloured model"));
            }
            let assumed = match self.has_case_markings {
                true => Vec::new(),
                false => cases::assumptions(net, !self.final_markings.is_empty()),
            };
            let cases = match self.has_case_markings {
                true => CaseNet::with_case_markings(kind.0, net.clone())?,
                false => CaseNet::of(kind, net, &self.final_markings)?,
            };
            let question = cases.question().ok_or("the final marking has 2^63 tokens or more")?;
            let net = Cow::Owned(cases.into_net().assuming(assumed));
            return Ok((net, HashMap::from([(name.clone(), Ok(question))])));
        }
        // All questions of a run share one initial marking, and one of them may be a question about
        // cases.
        let is_initial_token = |it: &Assumption| matches!(it, Assumption::InitialToken(_));
        let net = match header.has_assumed_token() {
            true if !net.assumptions().iter().any(is_initial_token) => {
                Cow::Owned(cases::with_assumed_token(net)?)
            }
            _ => Cow::Borrowed(net),
        };
        if name == STATE_SPACE && net.is_of_quotient() {
            return Err(format!(
                "{name} counts markings, which a quotient with merged colours \
                                changes"
            ));
        }
        if name == STATE_SPACE && net.has_caps() {
            return Err(format!(
                "{name} cannot be shown for a net with caps on places without a bound"
            ));
        }
        if name == STATE_SPACE {
            let questions = Question::of_state_space(&net)
                .map(|(key, question)| (key.to_owned(), Ok(question)));
            return Ok((net, HashMap::from(questions)));
        }
        if let Some(question) = Question::by_examination(name, &net) {
            return Ok((net, HashMap::from([(name.clone(), Ok(question))])));
        }
        if let Some(questions) = Question::about_each_node(name, &net) {
            let too_large = || Unreadable { line: 0, what: "a number overflows".to_owned() };
            let count = questions.len();
            let questions =
                questions.into_iter().map(|(id, question)| (id, question.ok_or_else(too_large)));
            return by_unique_id(questions, count)
                .map(|questions| (net, questions))
                .ok_or_else(|| "two nodes of the model have one name".to_owned());
        }
        let properties = (self.queries)(name)?;
        let count = properties.len();
        by_unique_id(properties.into_iter().map(|it| (it.id, it.question)), count)
            .map(|questions| (net, questions))
            .ok_or_else(|| "two properties of the query file have one id".to_owned())
    }

    /// Visits the first [`MAX_CLAIM_MARKINGS`] markings of the net if a confirmed answer assumes
    /// safe units. Returns a description of a violation, or `None` if none is found. So in small
    /// nets, a false claim is found even if no trace violates it.
    fn breach_by_visiting(&self) -> Option<String> {
        let units = self.net.safe_units()?;
        let is_assumed = |it: &AuditedAnswer| {
            it.assumes_units && matches!(it.verdict, AuditVerdict::Confirmed(_))
        };
        if !self.report.judged.iter().any(is_assumed) {
            return None;
        }
        let mut breach = None;
        let _ = visit(self.net, MAX_CLAIM_MARKINGS, |marking| {
            breach = units.breach(marking);
            breach.is_none() && self.watch.goes_on()
        });
        let Breach { unit, tokens, .. } = breach?;
        let unit = Quoted(&units.get(unit).name);
        Some(format!(
            "in a reachable marking, unit {unit} and its enclosing units hold {tokens} tokens"
        ))
    }

    /// Returns the report. An answer that assumes safe units is not confirmed if evidence violates
    /// this claim, or if the audit stopped before all evidence was checked.
    pub fn finish(self) -> AuditReport {
        let breach = self.breach.clone().or_else(|| self.breach_by_visiting());
        let Audit { mut report, .. } = self;
        let assuming = report.judged.iter_mut().filter(|answer| answer.assumes_units);
        match (breach, &report.stopped) {
            (Some(breach), _) => {
                for answer in assuming {
                    let why = format!(
                        "the answer assumes that the model's units are safe, but \
                                       {breach}"
                    );
                    answer.verdict = AuditVerdict::Refused(why);
                }
            }
            (None, Some((_, out_of))) => {
                let confirmed =
                    assuming.filter(|it| matches!(it.verdict, AuditVerdict::Confirmed(_)));
                confirmed.for_each(|answer| answer.verdict = AuditVerdict::Stopped(*out_of));
            }
            (None, None) => {}
        }
        report
    }
}

/// Returns `count` questions by id. Returns `None` if two of them have the same id.
fn by_unique_id(
    questions: impl Iterator<Item = (String, Result<Question, Unreadable>)>,
    count: usize,
) -> Option<Questions> {
    let by_id: Questions = questions.collect();
    (by_id.len() == count).then_some(by_id)
}

/// The number of markings visited to check the claim of safe units.
const MAX_CLAIM_MARKINGS: u64 = 10_000;

/// The examination about the figures of the state space.
pub(crate) const STATE_SPACE: &str = "StateSpace";

/// Checks that the assumptions that a file states are those of the model. A file may also state
/// none.
fn check_assumptions(header: &FileHeader, net: &Net) -> Result<(), String> {
    let found = assumption::keys(net.assumptions());
    match &header.assumes {
        Some(stated) if *stated != found => {
            let (stated, found) = (stated.join(", "), found.join(", "));
            Err(format!(
                "the file states the assumptions [{stated}], but the model needs [{found}]"
            ))
        }
        _ => Ok(()),
    }
}

/// Checks that a file is about this net.
fn check_net(header: &FileHeader, net: &Net) -> Result<(), String> {
    let stated = (&*header.net, header.places, header.transitions);
    let actual = (net.name(), net.place_count(), net.transition_count());
    match stated == actual {
        true => Ok(()),
        false => Err(format!(
            "the file is about net {} with {} places and {} transitions, but the model is {} with \
             {} and {}",
            Quoted(stated.0),
            stated.1,
            stated.2,
            Quoted(actual.0),
            actual.1,
            actual.2
        )),
    }
}

/// The state of the audit of one evidence file.
struct FileAudit<'s, 'a> {
    /// The judge, which decides on the file's answers.
    judge: AnswerJudge<'s>,
    /// The watch that limits time and memory.
    watch: &'a AuditWatch,
    /// The folders for files about confirmed answers.
    exports: &'a Exports,
    /// The report to which verdicts are added.
    report: &'a mut AuditReport,
    /// The answered questions, each with the positions of its answer in the report and in the
    /// progress of the watch.
    answered: HashMap<String, (usize, usize)>,
    /// The ids of questions whose answer was withdrawn.
    withdrawn: HashSet<String>,
    /// The positions of withdrawn answers in the report.
    withdrawn_positions: HashSet<usize>,
    /// The number of printed answers; `None` until the `end` line is read.
    printed_count: Option<u64>,
}

impl FileAudit<'_, '_> {
    /// Reads the lines after the header to the end of the file. Returns the position where the file
    /// is cut off. Returns `None` if the file is complete, or if the audit ran out of time or
    /// memory, which it records in the report.
    fn audit_lines(
        &mut self,
        source: &mut EvidenceReader,
    ) -> Result<Option<EvidenceFileError>, EvidenceFileError> {
        loop {
            let line = match source.next_line()? {
                NextLine::Line(line) => line,
                NextLine::End => return Ok(None),
                NextLine::CutShort(broken) => return Ok(Some(broken)),
            };
            if self.printed_count.is_some() {
                return Err(source.broken("a line after the end"));
            }
            self.audit_line(line, source).map_err(|what| source.broken(what))?;
            if let Some(out_of) = self.watch.out_of() {
                let here = source.broken(format!("not confirmed: {out_of}"));
                self.report.stopped = Some((here, out_of));
                return Ok(None);
            }
        }
    }

    /// Audits one line of the file after its header.
    fn audit_line(&mut self, line: EvidenceLine, source: &EvidenceReader) -> Result<(), String> {
        match line {
            EvidenceLine::Header(_) => Err("a second {\"evidence\": …}".to_owned()),
            EvidenceLine::Unfolding => Err("an unfolding for a model without colours".to_owned()),
            EvidenceLine::Translation => Err("a translation for a model without inhibitor and \
                                              reset arcs"
                .to_owned()),
            EvidenceLine::Evidence(kind, id) => {
                self.judge.context.lines.add(kind, id, source.line_position())
            }
            EvidenceLine::Answer(answer) => {
                self.judge_answer(answer, source);
                Ok(())
            }
            EvidenceLine::Withdrawn(id) => self.withdraw(id),
            EvidenceLine::End(end) => {
                self.printed_count = Some(end.answers);
                Ok(())
            }
        }
    }

    /// Judges an answer, unless the question already has an answer. Reports a second answer as
    /// irregular.
    fn judge_answer(&mut self, answer: AnswerLine, source: &EvidenceReader) {
        if let Some(&(earlier, _)) = self.answered.get(&answer.id) {
            let AuditedAnswer { line, value, .. } = &self.report.judged[earlier];
            let twice = format!(
                "{} is answered again ({}): the answer in line {line} ({}) was not withdrawn, so \
                 only the earlier answer was checked",
                Word(&answer.id),
                Word(&answer.value),
                Word(value)
            );
            self.report.irregular.push(source.broken(twice));
            return;
        }
        let question = self.judge.question(&answer.id);
        let (verdict, assumes_units) = self.judge.judge(&answer);
        let verdict = match (verdict, self.watch.out_of()) {
            (AuditVerdict::Confirmed(how), _) => AuditVerdict::Confirmed(how),
            (_, Some(out_of)) => AuditVerdict::Stopped(out_of),
            (verdict, None) => verdict,
        };
        let (file, line) = (source.name().to_owned(), source.line_position().line);
        let examination = source.header().examination.clone();
        let is_confirmed = matches!(verdict, AuditVerdict::Confirmed(_));
        if is_confirmed || matches!(verdict, AuditVerdict::Refused(_)) {
            self.judge.export(self.exports, &examination, &answer, assumes_units, is_confirmed);
        }
        let assumptions = self.judge.context.net.assumptions().to_vec();
        let AnswerLine { id, value, .. } = answer;
        let index = self.report.judged.len();
        let judged = AuditedAnswer {
            file,
            line,
            examination,
            id,
            question,
            value,
            verdict,
            assumes_units,
            assumptions,
        };
        let progress_index = self.watch.update_progress(|progress| {
            progress.judged.push(Some(judged.clone()));
            progress.judged.len() - 1
        });
        self.answered.insert(judged.id.clone(), (index, progress_index));
        self.report.judged.push(judged);
    }

    /// Withdraws the answer to a question, because an assumption has turned out to be false. Each
    /// question can be withdrawn once, so that no question is judged over and over.
    fn withdraw(&mut self, id: String) -> Result<(), String> {
        let Some((earlier, progress_index)) = self.answered.remove(&id) else {
            return Err(format!("there is no answer to {} to withdraw", Quoted(&id)));
        };
        self.withdrawn_positions.insert(earlier);
        self.watch.update_progress(|progress| progress.judged[progress_index] = None);
        match self.withdrawn.insert(id.clone()) {
            true => Ok(()),
            false => Err(format!("the answer to {} is withdrawn a second time", Quoted(&id))),
        }
    }
}
