//! The audit of evidence about a model with inhibitor or reset arcs: of each file first the net
//! that it speaks about, then the answers, as those about any net.

use super::made_again;
use crate::audit::{Audit, Broken, Opened, Report, Source, Watch};
use crate::file::NamedTranslation;
use crate::question::cases::{self, extended_with_cases};
use crate::reader::queries::Property;
use parikh_net::{ExtendedNet, Marking, Net};
use std::borrow::Cow;
use std::path::Path;

/// The questions about a net that an examination asks, by whoever knows where its query file is.
pub type Queries<'m> = dyn Fn(&Net, &str) -> Result<Vec<Property>, String> + 'm;

/// How a net begins: with so many cases, if with any, and whether a token is assumed.
type Begins = (Option<u64>, bool);

/// Audits files of evidence about one model with inhibitor or reset arcs.
pub struct ExtendedAudit<'m> {
    model: &'m ExtendedNet,
    /// The most markings that are visited, for bounds and for searches that are made again.
    most_visited: u64,
    queries: Box<Queries<'m>>,
    /// When a case is done, if the model is not to be asked.
    finals: Vec<Marking>,
    /// Whether formulas are about cases.
    of_cases: bool,
    watch: Watch,
    /// The net that was made last, and how it begins. Files of a run have the same bounds.
    made: Option<(Begins, NamedTranslation, Net)>,
    report: Report,
}

impl<'m> ExtendedAudit<'m> {
    /// An audit of evidence about `model`.
    pub fn new(model: &'m ExtendedNet, most_visited: u64, queries: Box<Queries<'m>>) -> Self {
        let (watch, made, report) = (Watch::default(), None, Report::default());
        let (finals, of_cases) = (Vec::new(), false);
        ExtendedAudit { model, most_visited, queries, finals, of_cases, watch, made, report }
    }

    /// In questions about processes, a case is done in any of these markings, whatever the model
    /// says. Of none, the model counts.
    #[must_use]
    pub fn with_final_markings(self, finals: Vec<Marking>) -> Self {
        ExtendedAudit { finals, ..self }
    }

    /// Formulas are about cases.
    #[must_use]
    pub fn of_cases(self) -> Self {
        ExtendedAudit { of_cases: true, ..self }
    }

    /// It stops when this says so.
    #[must_use]
    pub fn with_watch(self, watch: Watch) -> Self {
        ExtendedAudit { watch, ..self }
    }

    /// Goes through one file.
    ///
    /// # Errors
    /// When it is no evidence about this model, rests on a bound that is not shown, or has a line
    /// that is none.
    pub fn file(&mut self, path: &Path) -> Result<(), Broken> {
        if self.report.stopped.is_some() {
            return Ok(());
        }
        let mut source = match Source::open(path, &self.watch)? {
            Opened::Evidence(source) => *source,
            Opened::CutShort(broken) => {
                self.report.cut_short.push(broken);
                return Ok(());
            }
        };
        let listed = source.translation()?;
        let number = match cases::kind(&source.header().examination) {
            Some((_, number)) => Some(number),
            None => self.of_cases.then_some(1),
        };
        // Another question of the run may have been about cases.
        let is_assumed = number.is_none() && source.header().has_assumed_token();
        let begins = (number, is_assumed);
        let is_other =
            |(of, made, _): &(Begins, NamedTranslation, Net)| *of != begins || *made != listed;
        if self.made.as_ref().is_none_or(is_other) {
            let model = match number {
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
            let made = made_again(&model, &listed, self.most_visited, goes_on);
            if let Some(out_of) = self.watch.out_of() {
                let here = source.broken(format!("not confirmed: {out_of}"));
                self.report.stopped = Some((here, out_of));
                return Ok(());
            }
            let made = made.map_err(|what| {
                source.broken(format!("the translation is not the model's: {what}"))
            })?;
            self.made = Some((begins, listed, made));
        }
        let Some((.., net)) = &self.made else { return Ok(()) };
        let queries = Box::new(|examination: &str| (self.queries)(net, examination));
        let audit = Audit::new(net, self.most_visited, queries).with_watch(self.watch.clone());
        let mut audit = audit.of_begun();
        let read = audit.source(source);
        self.report.extend(audit.finish());
        read
    }

    /// What was found.
    pub fn finish(self) -> Report {
        self.report
    }
}
