//! What a refutation on the board stands on.

use crate::evidence::Document;
use crate::evidence::file::VisitedRuns;
use crate::evidence::home::Structure;
use crate::evidence::kind::Kind;
use crate::evidence::no_run::NoRun;
use crate::evidence::tree::{Labelling, NamedLabelling};
use crate::ground::CheckedLog;
use parikh_net::Net;
use parikh_solvers::Budget;
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What an "unreachable" or an "at most" stands on.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// The checker accepted a document for this very goal.
    Certified(Option<Shown>),
    /// The checker accepted an argument about what stays reachable in a net as a whole.
    Argued(Option<KeptStructure>),
    /// The checker accepted an argument that no run has a property.
    NoRun(Option<Arc<NoRun>>),
    /// The checker accepted markings with what is true of them, which show what the tree of runs is
    /// like.
    Labelling(Option<Arc<Labelling>>),
    /// The checker visited so many markings by itself, those along runs that may have a property.
    Visited(u64),
    /// The word of a search that visited all markings that matter: they were not visited again.
    Searched {
        /// How many it visited.
        markings: u64,
        /// Whether stubborn sets left out some.
        stubborn: bool,
        /// What to visit, where it asks what stays reachable: for whoever has the time.
        argued: Option<KeptStructure>,
    },
}

impl Evidence {
    /// The line of a file that shows it by itself, about `net`, where one does: its kind and what
    /// is in it. A document or a structure may be about a reduced net, and an argument about runs
    /// names the property: these take more than that.
    pub fn line(&self, net: &Net) -> Option<(Kind, Content)> {
        match self {
            Evidence::Labelling(Some(labelling)) => {
                Some((Kind::Labelling, Content::Labelling(NamedLabelling::of(net, labelling))))
            }
            &Evidence::Visited(markings) => {
                Some((Kind::Visited, Content::Visited(VisitedRuns { markings })))
            }
            _ => None,
        }
    }

    /// Lets go of the document.
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

/// What is in a line of a file, in the names of a net.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Content {
    /// Of a [`Kind::Labelling`].
    Labelling(NamedLabelling),
    /// Of a [`Kind::Visited`].
    Visited(VisitedRuns),
}

/// A document that was accepted, kept for a file.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The document.
    pub document: Arc<Document>,
    /// How the net that it is about was derived; nothing for the net that was read.
    pub on: Option<Arc<CheckedLog>>,
}

/// An argument about what stays reachable, kept for a file.
#[derive(Clone, Debug)]
pub struct KeptStructure {
    /// The argument.
    pub structure: Arc<Structure>,
    /// How the net that it is about was derived; nothing for the net that was read.
    pub on: Option<Arc<CheckedLog>>,
}

/// How checks are made, and what they cost.
#[derive(Debug)]
pub(super) struct Checks {
    /// That of the run: no check outlasts it.
    budget: Budget,
    begun: Instant,
    /// Nanoseconds spent on checks, over all threads.
    spent: AtomicU64,
    made: AtomicUsize,
    /// Whether documents are kept.
    pub(super) keep: bool,
    /// Whether the word of a search is enough.
    pub(super) take_searches: bool,
}

/// What visiting all markings again may take in any case.
const FREE: Duration = Duration::from_millis(250);

/// The share of the run's time so far that visiting markings again may take.
const SHARE: f64 = 0.1;

impl Checks {
    pub(super) fn new(budget: Budget) -> Self {
        Checks {
            budget,
            begun: Instant::now(),
            spent: AtomicU64::new(0),
            made: AtomicUsize::new(0),
            keep: false,
            take_searches: true,
        }
    }

    /// How long a check may take: the whole run when it is `needed`, else a small share of the time
    /// so far, because visiting all markings again costs as much as the search did.
    pub(super) fn budget(&self, needed: bool) -> Budget {
        if needed || !self.take_searches {
            return self.budget.child();
        }
        let spent = Duration::from_nanos(self.spent.load(Ordering::Relaxed));
        let fair = self.begun.elapsed().mul_f64(SHARE).saturating_sub(spent);
        self.budget.slice(fair.max(FREE))
    }

    /// Makes a check and counts what it takes.
    pub(super) fn count<T>(&self, check: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = check();
        let took = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.spent.fetch_add(took, Ordering::Relaxed);
        self.made.fetch_add(1, Ordering::Relaxed);
        result
    }

    /// How many checks were made, and how long they took over all threads.
    pub(super) fn so_far(&self) -> (usize, Duration) {
        let spent = Duration::from_nanos(self.spent.load(Ordering::Relaxed));
        (self.made.load(Ordering::Relaxed), spent)
    }
}
