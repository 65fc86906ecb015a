//! Audits evidence about a model with inhibitor or reset arcs. For each file, the audit rebuilds
//! the place/transition net that the answers are about. Then it audits the answers as for any net.

use super::rebuild;
use crate::audit::{
    Audit, AuditReport, AuditWatch, EvidenceFileError, EvidenceReader, Exports, OpenResult,
};
use crate::file::NamedTranslation;
use crate::question::cases::{self, extended_with_cases};
use crate::reader::queries::AuditedProperty;
use parikh_net::{ExtendedNet, Marking, Net};
use std::borrow::Cow;
use std::path::Path;

/// A callback that returns the properties that an examination asks about a net. Its arguments are
/// the net and the name of the examination. The error is a message.
pub type Queries<'m> = dyn Fn(&Net, &str) -> Result<Vec<AuditedProperty>, String> + 'm;

/// The beginning of a net: the number of cases in its initial marking, and a flag. The number is
/// `None` if the question is not about cases. The flag is true if a token in the source place is
/// assumed although the question is not about cases.
type NetBeginning = (Option<u64>, bool);

/// An audit of files of evidence about one model with inhibitor or reset arcs.
pub struct ExtendedAudit<'m> {
    model: &'m ExtendedNet,
    /// The maximum number of visited markings, for bounds and for repeated searches.
    most_visited: u64,
    queries: Box<Queries<'m>>,
    /// The final markings of cases. If empty, the final markings of the model count.
    finals: Vec<Marking>,
    /// True if all questions are about cases, that is, process instances. A question that states no
    /// number of cases is about one case.
    of_cases: bool,
    watch: AuditWatch,
    /// The folders for files about confirmed answers.
    exports: Exports,
    /// The last net that was built, with its beginning and the translation that a file listed. The
    /// next file of a run usually needs the same net.
    last_net: Option<(NetBeginning, NamedTranslation, Net)>,
    report: AuditReport,
}

impl<'m> ExtendedAudit<'m> {
    /// Creates an audit of evidence about `model`.
    pub fn new(model: &'m ExtendedNet, most_visited: u64, queries: Box<Queries<'m>>) -> Self {
        let (watch, last_net, report) = (AuditWatch::default(), None, AuditReport::default());
        let (finals, of_cases, exports) = (Vec::new(), false, Exports::default());
        ExtendedAudit {
            model,
            most_visited,
            queries,
            finals,
            of_cases,
            watch,
            exports,
            last_net,
            report,
        }
    }

    /// Sets the final markings of one case. If `finals` is empty, the final markings of the model
    /// count.
    #[must_use]
    pub fn with_final_markings(self, finals: Vec<Marking>) -> Self {
        ExtendedAudit { finals, ..self }
    }

    /// Makes all questions be about cases, that is, process instances. A question that states no
    /// number of cases is about one case.
    #[must_use]
    pub fn of_cases(self) -> Self {
        ExtendedAudit { of_cases: true, ..self }
    }

    /// Sets the watch, which stops the audit at a limit of time or memory.
    #[must_use]
    pub fn with_watch(self, watch: AuditWatch) -> Self {
        ExtendedAudit { watch, ..self }
    }

    /// Sets the folders for files about confirmed answers.
    #[must_use]
    pub fn with_exports(self, exports: Exports) -> Self {
        ExtendedAudit { exports, ..self }
    }

    /// Audits a file, unless the audit has already been stopped by a limit. A stop during this file
    /// gives `Ok`; the report names the limit.
    ///
    /// # Errors
    /// When the file cannot be read, is no evidence about this model, or uses a bound that is not
    /// proved. Also when its net cannot be built, or a line cannot be read.
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
        let listed = source.translation()?;
        let case_count = match cases::kind(&source.header().examination) {
            Some((_, number)) => Some(number),
            None => self.of_cases.then_some(1),
        };
        // If this question is not about cases, the header may still assume a token in the source
        // place. Another question of the same run of the prover may have been about cases.
        let is_assumed = case_count.is_none() && source.header().has_assumed_token();
        let beginning = (case_count, is_assumed);
        let is_other =
            |(last_beginning, last_listed, _): &(NetBeginning, NamedTranslation, Net)| {
                *last_beginning != beginning || *last_listed != listed
            };
        if self.last_net.as_ref().is_none_or(is_other) {
            let model = match case_count {
                None if is_assumed => {
                    let begun = cases::extended_with_assumed_token(self.model);
                    Cow::Owned(begun.map_err(|what| source.broken(what))?)
                }
                None => Cow::Borrowed(self.model),
                Some(number) => {
                    let begun = extended_with_cases(self.model, number, &self.finals);
                    Cow::Owned(begun.map_err(|what| source.broken(what))?)
                }
            };
            let goes_on = &mut || self.watch.goes_on();
            let rebuilt = rebuild(&model, &listed, self.most_visited, goes_on);
            if let Some(out_of) = self.watch.out_of() {
                let here = source.broken(format!("not confirmed: {out_of}"));
                self.report.stopped = Some((here, out_of));
                return Ok(());
            }
            let made = rebuilt.map_err(|what| {
                source.broken(format!("the translation is not the model's: {what}"))
            })?;
            self.last_net = Some((beginning, listed, made));
        }
        let Some((.., net)) = &self.last_net else { return Ok(()) };
        let queries = Box::new(|examination: &str| (self.queries)(net, examination));
        let audit = Audit::new(net, self.most_visited, queries).with_watch(self.watch.clone());
        let mut audit = audit.with_case_markings().with_exports(self.exports.clone());
        let result = audit.audit_source(source);
        self.report.extend(audit.finish());
        result
    }

    /// Returns the report.
    pub fn finish(self) -> AuditReport {
        self.report
    }
}
