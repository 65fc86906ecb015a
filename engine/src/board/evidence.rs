//! Evidence behind a refutation on the board.

use crate::working_net::CheckedLog;
use parikh_evidence::Document;
use parikh_evidence::file::VisitedRuns;
use parikh_evidence::home::Structure;
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
/// certificate, argument or labelling is not kept for an evidence file.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// The checker accepted a certificate for this goal.
    Certified(Option<KeptDocument>),
    /// The checker accepted an argument about what stays reachable in the net as a whole.
    Argued(Option<KeptStructure>),
    /// The checker accepted an argument that no run has the property.
    NoRun(Option<Arc<NoRun>>),
    /// The checker accepted a labelling: markings with the subformulas that hold there.
    Labelling(Option<Arc<Labelling>>),
    /// The checker itself visited this many markings: those along runs that may have the property.
    Visited(u64),
    /// A search visited all relevant markings, and the checker did not repeat the search.
    Searched {
        /// The number of markings visited.
        markings: u64,
        /// True if stubborn sets left out markings.
        stubborn: bool,
        /// The structure to visit when a file is audited, for questions about what stays reachable.
        argued: Option<KeptStructure>,
    },
}

impl Evidence {
    /// Returns the kind and content of the evidence-file line that shows the result by itself, for
    /// evidence about `net`. Returns `None` for certificates and structures, which may be about a
    /// reduced net, and for arguments about runs, which need the property as well.
    pub fn line(&self, net: &Net) -> Option<(EvidenceKind, Content)> {
        match self {
            Evidence::Labelling(Some(labelling)) => Some((
                EvidenceKind::Labelling,
                Content::Labelling(NamedLabelling::of(net, labelling)),
            )),
            &Evidence::Visited(markings) => {
                Some((EvidenceKind::Visited, Content::Visited(VisitedRuns { markings })))
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
    /// The content for [`EvidenceKind::Visited`].
    Visited(VisitedRuns),
}

/// An accepted certificate, kept for an evidence file.
#[derive(Clone, Debug)]
pub struct KeptDocument {
    /// The document.
    pub document: Arc<Document>,
    /// The derivation of the net that the certificate is about; `None` for the net that was read.
    pub derivation: Option<Arc<CheckedLog>>,
}

/// An accepted argument about what stays reachable, kept for an evidence file.
#[derive(Clone, Debug)]
pub struct KeptStructure {
    /// The argument.
    pub structure: Arc<Structure>,
    /// The derivation of the net that the argument is about; `None` for the net that was read.
    pub derivation: Option<Arc<CheckedLog>>,
}

/// Limits of checks, and the time spent on them.
#[derive(Debug)]
pub(super) struct Checks {
    /// The budget of the analysis, which no check exceeds.
    budget: Budget,
    start_time: Instant,
    /// Nanoseconds spent on checks by all threads.
    spent: AtomicU64,
    check_count: AtomicUsize,
    /// True if certificates are kept.
    pub(super) keeps_certificates: bool,
    /// True if an unchecked exhaustive search is accepted.
    pub(super) take_searches: bool,
}

/// The time that a check may take even if the share is used up, when the result could also rest on
/// the search.
const FREE: Duration = Duration::from_millis(250);

/// The share of the elapsed time for all checks, in [0, 1]. Beyond this share, a check gets only
/// [`FREE`] if the result could also rest on the search.
const REPEATED_VISITS_TIME_SHARE: f64 = 0.1;

impl Checks {
    pub(super) fn new(budget: Budget) -> Self {
        Checks {
            budget,
            start_time: Instant::now(),
            spent: AtomicU64::new(0),
            check_count: AtomicUsize::new(0),
            keeps_certificates: false,
            take_searches: true,
        }
    }

    /// Returns the budget of a check. A check gets the whole remaining analysis if it is `needed`
    /// or if unchecked searches are rejected. Otherwise it gets a small share of the elapsed time,
    /// since visiting all markings again costs as much as the search.
    pub(super) fn budget(&self, needed: bool) -> Budget {
        if needed || !self.take_searches {
            return self.budget.child();
        }
        let spent = Duration::from_nanos(self.spent.load(Ordering::Relaxed));
        let fair =
            self.start_time.elapsed().mul_f64(REPEATED_VISITS_TIME_SHARE).saturating_sub(spent);
        self.budget.slice(fair.max(FREE))
    }

    /// Runs a check and adds its time.
    pub(super) fn count<T>(&self, check: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = check();
        let took = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.spent.fetch_add(took, Ordering::Relaxed);
        self.check_count.fetch_add(1, Ordering::Relaxed);
        result
    }
}
