//! Evidence for a result that a replayed witness alone does not show.

use crate::working_net::CheckedLog;
use parikh_evidence::Document;
use parikh_evidence::file::NoRunByVisit;
use parikh_evidence::home::HomeArgument;
use parikh_evidence::kind::EvidenceKind;
use parikh_evidence::no_run::NoRun;
use parikh_evidence::tree::{Labelling, NamedLabelling};
use parikh_net::Net;
use parikh_solvers::Budget;
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The evidence for "unreachable", "at most" and similar results. An inner `None` means that the
/// certificate, argument or labelling is not kept here for an evidence file. If a home-space goal
/// becomes unreachable after a sequence, the certificate may be in its [`Proof`](super::Proof)
/// instead.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// The checker accepted a certificate for this goal. For a home-space goal without a
    /// certificate, the checker verified that the witness ends in a dead marking that violates the
    /// goal.
    Certified(Option<KeptDocument>),
    /// The checker accepted an argument, a [`HomeArgument`], that the goal stays reachable from
    /// every reachable marking, or that it does not.
    Argued(Option<KeptStructure>),
    /// The checker accepted an argument that no run has the property.
    NoRun(Option<Arc<NoRun>>),
    /// The checker accepted a labelling, that is, markings labelled with the subformulas that hold
    /// in each marking.
    Labelling(Option<Arc<Labelling>>),
    /// The checker itself searched for a run with the property and found none. The number is the
    /// count of markings that the checker visited.
    Visited(u64),
    /// A search visited all relevant markings, or a decision diagram of all markings was evaluated.
    /// The result rests on this computation of the engine. For a CTL formula, the checker may have
    /// repeated the search all the same.
    Searched {
        /// The number of markings visited, or of markings in the diagram.
        markings: u64,
        /// True if the search used stubborn sets, which may leave out markings.
        stubborn: bool,
        /// For a home-space goal: the search that an auditor must repeat, kept for an evidence
        /// file. `None` for other goals, and if the search is not kept, was dropped later, or could
        /// not be repeated by the checker.
        argued: Option<KeptStructure>,
    },
}

impl Evidence {
    /// Returns the kind and content of an evidence-file line that shows the result without further
    /// information. Returns `None` for certificates and structures, which may be about a reduced
    /// net. Also returns `None` for arguments that no run has the property, for unchecked searches,
    /// and for a labelling that was not kept.
    pub fn line(&self, net: &Net) -> Option<(EvidenceKind, Content)> {
        match self {
            Evidence::Labelling(Some(labelling)) => Some((
                EvidenceKind::Labelling,
                Content::Labelling(NamedLabelling::of(net, labelling)),
            )),
            &Evidence::Visited(markings) => {
                Some((EvidenceKind::Visited, Content::Visited(NoRunByVisit { markings })))
            }
            _ => None,
        }
    }

    /// Drops the certificate, argument or labelling that was kept for an evidence file.
    pub(super) fn forget(&mut self) {
        match self {
            Evidence::Certified(shown) => *shown = None,
            Evidence::NoRun(argument) => *argument = None,
            Evidence::Labelling(labelling) => *labelling = None,
            Evidence::Visited(_) => {}
            Evidence::Argued(argued) | Evidence::Searched { argued, .. } => *argued = None,
        }
    }
}

/// The content of a line in an evidence file, in the names of a net.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Content {
    /// The content for [`EvidenceKind::Labelling`].
    Labelling(NamedLabelling),
    /// The content for [`EvidenceKind::Visited`]: the statement that no run has the property, to be
    /// checked by visiting markings.
    Visited(NoRunByVisit),
}

/// An accepted certificate, kept for an evidence file.
#[derive(Clone, Debug)]
pub struct KeptDocument {
    /// The certificate.
    pub document: Arc<Document>,
    /// The derivation of the net that the certificate is about; `None` for the net that was read.
    pub derivation: Option<Arc<CheckedLog>>,
}

/// An accepted argument about a home-space goal, kept for an evidence file.
#[derive(Clone, Debug)]
pub struct KeptStructure {
    /// The argument.
    pub structure: Arc<HomeArgument>,
    /// The derivation of the net that the argument is about; `None` for the net that was read.
    pub derivation: Option<Arc<CheckedLog>>,
}

/// Limits of the board's checks, and the time spent on them.
#[derive(Debug)]
pub(super) struct Checks {
    /// The budget of the analysis, which no check exceeds.
    budget: Budget,
    start_time: Instant,
    /// Nanoseconds spent on checks by all threads.
    spent: AtomicU64,
    check_count: AtomicUsize,
    /// True if accepted certificates, arguments and labellings are kept for an evidence file.
    pub(super) keeps_certificates: bool,
    /// True if the board accepts a result that rests on an exhaustive search or on the evaluation
    /// of a decision diagram alone, without a check.
    pub(super) accepts_searches: bool,
}

/// The minimum time of an optional check, that is, a check without which the result would rest on
/// an exhaustive search. It applies even if [`REPEATED_VISITS_TIME_SHARE`] is used up, but the
/// budget of the analysis limits it.
const MIN_CHECK_TIME: Duration = Duration::from_millis(250);

/// The share of the elapsed time, in [0, 1], that optional checks may use up. The time of all
/// earlier checks counts, needed or optional. Beyond this share, each optional check gets
/// [`MIN_CHECK_TIME`] only.
const REPEATED_VISITS_TIME_SHARE: f64 = 0.1;

impl Checks {
    pub(super) fn new(budget: Budget) -> Self {
        Checks {
            budget,
            start_time: Instant::now(),
            spent: AtomicU64::new(0),
            check_count: AtomicUsize::new(0),
            keeps_certificates: false,
            accepts_searches: true,
        }
    }

    /// Returns the budget of a check. A check gets all of the remaining time if it is `needed`, or
    /// if this board rejects unchecked searches. Otherwise it gets a small share of the elapsed
    /// time, since visiting all markings again costs as much as the search. The share is
    /// [`REPEATED_VISITS_TIME_SHARE`] less the time of earlier checks. The check gets at least
    /// [`MIN_CHECK_TIME`], unless less time remains.
    pub(super) fn budget(&self, needed: bool) -> Budget {
        if needed || !self.accepts_searches {
            return self.budget.child();
        }
        let spent = Duration::from_nanos(self.spent.load(Ordering::Relaxed));
        let share_left =
            self.start_time.elapsed().mul_f64(REPEATED_VISITS_TIME_SHARE).saturating_sub(spent);
        self.budget.slice(share_left.max(MIN_CHECK_TIME))
    }

    /// Runs a check, adds its duration to the time spent, and returns its result.
    pub(super) fn run_timed<T>(&self, check: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = check();
        let took = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.spent.fetch_add(took, Ordering::Relaxed);
        self.check_count.fetch_add(1, Ordering::Relaxed);
        result
    }
}
