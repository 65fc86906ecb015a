//! Audits evidence about a coloured model: for each file, first the unfolding that it is about,
//! then the answers as for any net.

use super::unfolding::RequiredBindings;
use super::{ColouredModel, UnfoldingFlaw};
use crate::audit::{
    Audit, AuditReport, AuditVerdict, AuditWatch, AuditedAnswer, EvidenceFileError, EvidenceReader,
    Exports, NextLine, OpenResult, STATE_SPACE,
};
use crate::file::{EvidenceLine, Unfolding};
use crate::reader::queries::AuditedProperty;
use parikh_net::Net;
use parikh_net::printable::Quoted;
use std::collections::HashMap;
use std::path::Path;

/// Limits of the work that an audit repeats.
#[derive(Clone, Copy, Debug)]
pub struct RepeatLimits {
    /// The maximum number of colours tried to rebuild an unfolding.
    pub max_tried_colours: u64,
    /// The maximum number of markings of a repeated search.
    pub max_markings: u64,
}

/// A callback that returns the questions about a net, given the name of an examination.
pub type Queries<'m> = dyn Fn(&Net, &str) -> Result<Vec<AuditedProperty>, String> + 'm;

/// An audit of files of evidence about one coloured model.
pub struct ColouredAudit<'m> {
    /// The coloured net.
    model: &'m ColouredModel,
    /// The limits of repeated work.
    limits: RepeatLimits,
    /// Returns the questions of an examination about a net.
    queries: Box<Queries<'m>>,
    /// The watch that limits time and memory.
    watch: AuditWatch,
    /// The folders for files about confirmed answers.
    exports: Exports,
    /// The last unfolding, kept because the files of a run list the same.
    last_unfolding: Option<RebuiltUnfolding>,
    /// The results so far.
    report: AuditReport,
}

/// An unfolding that was rebuilt, with the list that it was built from.
struct RebuiltUnfolding {
    /// The listed names.
    listed: Unfolding,
    /// The choice whether the list had to contain all bindings or one per effect.
    bindings: RequiredBindings,
    /// The rebuilt net.
    net: Net,
}

impl<'m> ColouredAudit<'m> {
    /// Creates an audit of evidence about `model`.
    pub fn new(model: &'m ColouredModel, limits: RepeatLimits, queries: Box<Queries<'m>>) -> Self {
        let (watch, last_unfolding, report) = (AuditWatch::default(), None, AuditReport::default());
        ColouredAudit {
            model,
            limits,
            queries,
            watch,
            exports: Exports::default(),
            last_unfolding,
            report,
        }
    }

    /// Sets the limits of time and memory.
    #[must_use]
    pub fn with_watch(self, watch: AuditWatch) -> Self {
        ColouredAudit { watch, ..self }
    }

    /// Sets the folders for files about confirmed answers.
    #[must_use]
    pub fn with_exports(self, exports: Exports) -> Self {
        ColouredAudit { exports, ..self }
    }

    /// Audits a file. Does nothing if the audit has already run out of time or memory.
    ///
    /// # Errors
    /// When the file is no evidence about this model, lists a net that is not equivalent to it, or
    /// has a line that cannot be read.
    pub fn file(&mut self, path: &Path) -> Result<(), EvidenceFileError> {
        if self.report.stopped.is_some() {
            return Ok(());
        }
        let mut source = match EvidenceReader::open(path, &self.watch)? {
            OpenResult::Evidence(source) => *source,
            OpenResult::CutShort(broken) => {
                self.report.cut_short.push(broken);
                return Ok(());
            }
        };
        let listed = source.unfolding()?;
        // The state space counts firings by bindings, including bindings with the same effect.
        let bindings = match source.header().examination == STATE_SPACE {
            true => RequiredBindings::All,
            false => RequiredBindings::OnePerEffect,
        };
        let is_same_unfolding =
            |made: &RebuiltUnfolding| made.bindings == bindings && made.listed == listed;
        if !self.last_unfolding.as_ref().is_some_and(is_same_unfolding) {
            let goes_on = &mut || self.watch.goes_on();
            match self.model.unfold(&listed, bindings, self.limits.max_tried_colours, goes_on) {
                Ok(net) => self.last_unfolding = Some(RebuiltUnfolding { listed, bindings, net }),
                Err(UnfoldingFlaw::Wrong(what)) => {
                    let what = format!("the net listed is not the model's: {what}");
                    return Err(source.broken(what));
                }
                Err(UnfoldingFlaw::Stopped) => return self.stop(&source),
                Err(too_large @ UnfoldingFlaw::TooLarge(_)) => {
                    let why = format!("certified on the unfolding; {too_large}");
                    return self.leave_unjudged(source, &why);
                }
            }
        }
        let Some(RebuiltUnfolding { net, .. }) = &self.last_unfolding else { return Ok(()) };
        let queries = Box::new(|examination: &str| (self.queries)(net, examination));
        let audit = Audit::new(net, self.limits.max_markings, queries);
        let mut audit = audit.with_watch(self.watch.clone()).with_exports(self.exports.clone());
        let result = audit.audit_source(source);
        self.report.extend(audit.finish());
        result
    }

    /// Returns the report.
    pub fn finish(self) -> AuditReport {
        self.report
    }

    /// Records that the audit stopped at the current line.
    fn stop(&mut self, source: &EvidenceReader) -> Result<(), EvidenceFileError> {
        if let Some(out_of) = self.watch.out_of() {
            let position = source.broken(format!("not confirmed: {out_of}"));
            self.report.stopped = Some((position, out_of));
        }
        Ok(())
    }

    /// Records the answers of a file, the last one for each question, as not audited for the reason
    /// `why`. Leaves out withdrawn answers.
    fn leave_unjudged(
        &mut self,
        mut source: EvidenceReader,
        why: &str,
    ) -> Result<(), EvidenceFileError> {
        let name = &source.header().examination;
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            return Err(source.broken(format!("{} is not an examination", Quoted(name))));
        }
        let mut unjudged_answers: HashMap<String, AuditedAnswer> = HashMap::new();
        let result = loop {
            match source.next_line() {
                Ok(NextLine::Line(_)) if !self.watch.goes_on() => break self.stop(&source),
                Ok(NextLine::Line(EvidenceLine::Answer(answer))) => {
                    let unjudged = AuditedAnswer {
                        file: source.name().to_owned(),
                        line: source.line_position().line,
                        examination: source.header().examination.clone(),
                        id: answer.id,
                        question: String::new(),
                        value: answer.value,
                        verdict: AuditVerdict::Unsupported(why.to_owned()),
                        assumes_units: false,
                        assumptions: self.model.assumptions.clone(),
                    };
                    unjudged_answers.insert(unjudged.id.clone(), unjudged);
                }
                Ok(NextLine::Line(EvidenceLine::Withdrawn(id))) => {
                    unjudged_answers.remove(&id);
                }
                Ok(NextLine::Line(_)) => {}
                Ok(NextLine::End) => break Ok(()),
                Ok(NextLine::CutShort(broken)) => {
                    self.report.cut_short.push(broken);
                    break Ok(());
                }
                Err(broken) => break Err(broken),
            }
        };
        let mut unjudged_answers: Vec<AuditedAnswer> = unjudged_answers.into_values().collect();
        unjudged_answers.sort_unstable_by_key(|answer| answer.line);
        self.report.judged.extend(unjudged_answers);
        result
    }
}
