//! Examinations of coloured nets: on the unfolding, and before that is there, or where there is none,
//! on the coloured net as it is.
//!
//! ```text
//! a small unfolding ──┬─ made: the ordinary run on it
//!                     └─ declined: without unfolding, while the unfolding is made ─┬─ made: the ordinary run on
//!                                                                                  │        it, for what is open
//!                                                                                  └─ declined: on without it
//! ```

use super::check::{Done, Evidence, Job, Subject};
use super::model;
use super::output::Printer;
use crate::evidence::abstraction::ColouredModel;
use crate::mcc::Examination;
use crate::run::{self, Report};
use crate::unfold::{self, Limits};
use anyhow::Result;
use parikh_net::Net;
use parikh_net::coloured::ColouredNet;
use parikh_solvers::Budget;

/// What is asked of a coloured net.
pub(super) struct Task<'t> {
    pub(super) unfolding: unfold::Config,
    /// Which examination, when it is one.
    pub(super) examination: Option<Examination>,
    /// The questions as they read on a net with the coloured net's names.
    pub(super) subject: &'t dyn Fn(&Net) -> Result<Subject>,
    pub(super) budget: &'t Budget,
    pub(super) config: run::Config,
    /// As of [`Job`].
    pub(super) statistics: bool,
}

impl Task<'_> {
    /// Answers the questions, each printed as soon as it is decided.
    pub(super) fn run(
        &self,
        net: ColouredNet,
        printer: &Printer,
        evidence: Evidence<'_>,
    ) -> Result<Report> {
        let small = unfold::Config { limits: Limits::SMALL, ..self.unfolding };
        if let Ok((net, _)) = unfold::unfold(&net, &small, self.budget) {
            return self.on_unfolding(&net, Done::default(), printer, evidence);
        }
        // States are counted on the unfolding, and files of evidence are about it.
        let needs_unfolding =
            self.examination == Some(Examination::StateSpace) || evidence.files.is_some();
        // Formulas of the user's own may name single colours, which only the unfolding has.
        let unfolds_first = needs_unfolding || self.examination.is_none();
        if unfolds_first {
            match model::unfolded(&net, &self.unfolding, self.budget) {
                Ok(net) => return self.on_unfolding(&net, Done::default(), printer, evidence),
                Err(declined) if needs_unfolding => return Err(declined),
                Err(declined) => tracing::info!("{declined:#}"),
            }
        }
        let model = ColouredModel::new(net)?;
        self.without_unfolding(&model, !unfolds_first, printer, evidence)
    }

    fn on_unfolding(
        &self,
        net: &Net,
        before: Done,
        printer: &Printer,
        evidence: Evidence<'_>,
    ) -> Result<Report> {
        let subject = (self.subject)(net)?;
        let new = Job::new(net, subject, self.budget, self.config.clone());
        Job { statistics: self.statistics, before, ..new }.run(printer, evidence)
    }

    /// On the coloured net as it is; meanwhile, when it is `to_unfold`, the unfolding is made.
    fn without_unfolding(
        &self,
        model: &ColouredModel,
        to_unfold: bool,
        printer: &Printer,
        evidence: Evidence<'_>,
    ) -> Result<Report> {
        let net = model.skeleton().net();
        let (stage, unfolding) = (self.budget.child(), self.budget.child());
        let new = Job::new(net, (self.subject)(net)?, &stage, self.config.clone());
        let job = Job { statistics: self.statistics, coloured: Some(model), ..new };
        let config = self.unfolding;
        let (done, unfolded) = std::thread::scope(|scope| {
            let unfold = || {
                let unfolded = model::unfolded(model.net(), &config, &unfolding);
                match &unfolded {
                    Ok(_) => stage.cancel(),
                    Err(declined) => tracing::info!("{declined:#}"),
                }
                unfolded
            };
            let unfold = to_unfold.then(|| scope.spawn(unfold));
            let done = job.begin(printer, evidence);
            unfolding.cancel();
            (done, unfold.map(|thread| thread.join()))
        });
        let mut done = done?;
        match unfolded {
            Some(Ok(Ok(net))) if !done.report.unanswered.is_empty() => {
                self.on_unfolding(&net, done, printer, evidence)
            }
            unfolded => {
                if let Some(Ok(Err(declined))) = &unfolded
                    && !done.report.unanswered.is_empty()
                {
                    eprintln!("parikh: {declined:#}");
                }
                done.report.faults += usize::from(matches!(unfolded, Some(Err(_))));
                done.report.unanswered.iter().for_each(|question| printer.unanswered(question));
                printer.summary(&done.report);
                Ok(done.report)
            }
        }
    }
}
