//! Examinations of coloured nets: on the unfolding, and before that is there, or where there is none,
//! on the coloured net as it is.
//!
//! ```text
//! a small unfolding ──┬─ made: the ordinary run on it, unless a quotient that tells the same is much smaller
//!                     └─ declined: without unfolding, while the unfolding is made ─┬─ made: the ordinary run on
//!                                                                                  │        it, for what is open
//!                                                                                  └─ declined: on without it
//! ```

use super::beside::Evidence;
use super::job::{Done, Job, Subject, Watch};
use super::output::Printer;
use super::terminal::note;
use crate::evidence::abstraction::ColouredModel;
use crate::mcc::Examination;
use crate::model::unfolded;
use crate::run::{self, Report};
use crate::unfold::{self, Limits};
use anyhow::{Result, anyhow};
use parikh_net::Net;
use parikh_net::coloured::ColouredNet;
use parikh_solvers::Budget;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// So many transitions are few: whether others would be fewer does not matter.
const FEW: usize = 1_000;

/// How many times as large the unfolding has to be for a quotient to come first.
const SMALLER: usize = 4;

/// What is known of the unfolding.
enum Unfolding {
    Made(Box<Net>),
    ToMake,
    Declined,
}

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
    pub(super) watch: Watch,
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
        let small = unfold::unfold(&net, &small, self.budget).map(|(net, _)| net);
        // States are counted on the unfolding, and files of evidence are about it.
        let needs_unfolding =
            self.examination == Some(Examination::StateSpace) || evidence.files.is_some();
        if needs_unfolding {
            let net = small.or_else(|_| unfolded(&net, &self.unfolding, self.budget))?;
            return self.on_unfolding(&net, Done::default(), printer, evidence);
        }
        // Formulas of the user's own may name single colours, which only the unfolding has.
        let smaller = |flat: &Net| {
            self.examination.is_some()
                && flat.transition_count() > FEW
                && run::quotient(&net, self.budget).is_some_and(|(_, it)| {
                    it.transition_count() * SMALLER < flat.transition_count()
                })
        };
        let unfolding = match small {
            Ok(flat) if smaller(&flat) => Unfolding::Made(Box::new(flat)),
            Ok(flat) => return self.on_unfolding(&flat, Done::default(), printer, evidence),
            Err(_) => Unfolding::ToMake,
        };
        let model = ColouredModel::new(net)?;
        if self.examination.is_none() && (self.subject)(model.skeleton().net()).is_err() {
            return match unfolded(model.net(), &self.unfolding, self.budget) {
                Ok(net) => self.on_unfolding(&net, Done::default(), printer, evidence),
                Err(declined) => {
                    tracing::info!("{:#}", anyhow!(declined.clone()));
                    self.without_unfolding(&model, Unfolding::Declined, printer, evidence)
                }
            };
        }
        self.without_unfolding(&model, unfolding, printer, evidence)
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
        Job { watch: self.watch.clone(), before, ..new }.run(printer, evidence)
    }

    /// On the coloured net as it is; meanwhile the unfolding is made, if it is to be, and then takes over.
    /// That is not before some of the time is over: what is seen without the unfolding takes a small part of
    /// its memory, and a quotient that is exact tells all that the unfolding does.
    fn without_unfolding(
        &self,
        model: &ColouredModel,
        unfolding: Unfolding,
        printer: &Printer,
        evidence: Evidence<'_>,
    ) -> Result<Report> {
        let net = model.skeleton().net();
        let (stage, making) = (self.budget.child(), self.budget.child());
        let exact = run::quotient(model.net(), self.budget).is_some();
        let first = self.budget.share(if exact { 0.5 } else { 0.2 });
        let (config, over) = (self.unfolding, AtomicBool::new(false));
        let new = Job::new(net, (self.subject)(net)?, &stage, self.config.clone());
        let job = Job { watch: self.watch.clone(), coloured: Some(model), ..new };
        let (done, unfolded) = std::thread::scope(|scope| {
            let make = || {
                let unfolded = match unfolding {
                    Unfolding::Declined => return None,
                    Unfolding::Made(net) => Ok(*net),
                    Unfolding::ToMake => unfolded(model.net(), &config, &making),
                };
                if let Err(declined) = &unfolded {
                    tracing::info!("{:#}", anyhow!(declined.clone()));
                    return Some(unfolded);
                }
                while !first.is_exhausted() && !over.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(5));
                }
                stage.cancel();
                Some(unfolded)
            };
            let thread = scope.spawn(make);
            let done = job.begin(printer, evidence);
            over.store(true, Ordering::Relaxed);
            // Where nothing more is tried without it, the unfolding is waited for.
            let waits = done.as_ref().is_ok_and(|done| !done.report.unanswered.is_empty());
            if !waits {
                making.cancel();
            }
            (done, thread.join())
        });
        let mut done = done?;
        match unfolded {
            Ok(Some(Ok(net))) if !done.report.unanswered.is_empty() => {
                self.on_unfolding(&net, done, printer, evidence)
            }
            unfolded => {
                if let Ok(Some(Err(declined))) = &unfolded
                    && !done.report.unanswered.is_empty()
                {
                    note!("parikh: {:#}", anyhow!(declined.clone()));
                }
                done.report.faults += usize::from(unfolded.is_err());
                done.report.unanswered.iter().for_each(|question| printer.unanswered(question));
                printer.summary(&done.report);
                self.watch.tell_stories(&done.stories, &done.report);
                Ok(done.report)
            }
        }
    }
}
