//! The proof obligations of one answer, and the ones that the evidence has discharged so far.

use super::homes::HomeObligations;
use super::runs::RunObligations;
use super::sightings::ReachedGoals;
use super::trees::{self, TreeObligations};
use crate::question::obligation::{NeededProofs, Obligation};
use crate::words;
use parikh_net::{LinearSum, Net, Predicate};
use std::collections::HashMap;

/// The proof obligations of an answer.
pub(super) struct AnswerObligations<'n> {
    /// The goals that some reachable marking has to satisfy.
    pub(super) sightings: ReachedGoals<'n>,
    /// The predicates that no reachable marking may satisfy; true if proved.
    pub(super) refuted: Vec<(Predicate, bool)>,
    /// For each net derived by a reduction, the predicates of `refuted` translated to that net.
    pub(super) translated: HashMap<Option<String>, Vec<Option<Predicate>>>,
    /// The sums that have to grow without bound; true if shown.
    pub(super) sums: Vec<(LinearSum, bool)>,
    pub(super) home: Option<HomeObligations>,
    /// The obligations about runs.
    pub(super) runs: RunObligations,
    /// The obligations about the tree of runs.
    pub(super) trees: TreeObligations,
    /// The Boolean combination of obligations that is sufficient.
    need: NeededProofs,
    pub(super) assumes_units: bool,
    /// The reason why some document could not be evaluated on an obligation.
    pub(super) untold: Option<String>,
}

impl<'n> AnswerObligations<'n> {
    /// Returns the obligations for an answer. Obligations that the initial marking or a trivial
    /// predicate discharges are marked at once.
    pub(super) fn of(net: &'n Net, obligation: Obligation) -> Self {
        let Obligation { reach, refute, grow, homes, runs, trees, need } = obligation;
        let home = (!homes.is_empty()).then(|| HomeObligations::of(homes));
        // If the initial marking is dead, no other marking is reachable.
        let alone = net.is_dead(net.initial());
        let refuted = refute.into_iter().map(|predicate| {
            let fails = alone && !predicate.holds(net, net.initial());
            let obvious = predicate == Predicate::False || fails;
            (predicate, obvious)
        });
        AnswerObligations {
            sightings: ReachedGoals::new(net, reach),
            refuted: refuted.collect(),
            translated: HashMap::new(),
            sums: grow.into_iter().map(|sum| (sum, false)).collect(),
            home,
            runs: RunObligations::of(runs),
            trees: TreeObligations::of(trees),
            need,
            assumes_units: false,
            untold: None,
        }
    }

    fn proved(&self) -> usize {
        self.refuted.iter().filter(|(_, done)| *done).count()
    }

    fn grown(&self) -> usize {
        self.sums.iter().filter(|(_, grows)| *grows).count()
    }

    /// Returns true if the predicate with this index is shown to stay reachable.
    fn stays(&self, at: usize) -> bool {
        self.home.as_ref().is_some_and(|home| {
            // If every firing can be undone, a predicate that was reached stays reachable.
            let reached = || home.reach[at].is_some_and(|at| self.sightings.has_seen(at));
            home.stays[at] || home.undone && reached()
        })
    }

    fn premises<'s>(&'s self, stays: &'s dyn Fn(usize) -> bool) -> trees::ProvedPremises<'s> {
        trees::ProvedPremises { claims: &self.refuted, stays }
    }

    /// Returns true if an obligation is discharged.
    fn is_done(&self, duty: &NeededProofs) -> bool {
        match *duty {
            NeededProofs::Reach(at) => self.sightings.has_seen(at),
            NeededProofs::Refute(at) => self.refuted[at].1,
            NeededProofs::Grow(at) => self.sums[at].1,
            NeededProofs::Stays(at) => self.stays(at),
            NeededProofs::Lost(at) => self.home.as_ref().is_some_and(|home| home.lost[at]),
            NeededProofs::Run(_) | NeededProofs::NoRun(_) => self.runs.is_done(duty, &self.refuted),
            NeededProofs::Tree(at) => self.trees.is_done(at, self.premises(&|at| self.stays(at))),
            NeededProofs::All(_) | NeededProofs::One(_) => false,
        }
    }

    pub(super) fn is_settled(&self) -> bool {
        self.need.is_met(&|duty| self.is_done(duty))
    }

    /// Returns true if the answer would be shown if the obligations that satisfy `others` were
    /// discharged, too.
    pub(super) fn may_be_met(&self, others: &dyn Fn(&NeededProofs) -> bool) -> bool {
        self.need.is_met(&|duty| self.is_done(duty) || others(duty))
    }

    /// Returns true if an exhaustive search could discharge all remaining obligations.
    pub(super) fn is_for_a_search(&self) -> bool {
        !self.refuted.is_empty() && self.may_be_met(&|duty| matches!(duty, NeededProofs::Refute(_)))
    }

    /// Returns the indices of the open and relevant obligations that no run has a property.
    pub(super) fn open_runs(&self) -> Vec<usize> {
        let open = self.need.open(&|duty| self.is_done(duty));
        let no_run = |duty: &&NeededProofs| {
            if let NeededProofs::NoRun(at) = **duty { Some(at) } else { None }
        };
        open.iter().filter_map(no_run).collect()
    }

    /// Returns the indices of the open and relevant obligations about the tree of runs.
    pub(super) fn open_trees(&self) -> Vec<usize> {
        let open = self.need.open(&|duty| self.is_done(duty));
        let tree = |duty: &&NeededProofs| {
            if let NeededProofs::Tree(at) = **duty { Some(at) } else { None }
        };
        open.iter().filter_map(tree).collect()
    }

    /// Returns a predicate that does not stay reachable although an open obligation requires that
    /// it does.
    pub(super) fn lost_and_wanted(&self) -> Option<&Predicate> {
        let home = self.home.as_ref()?;
        self.need.open(&|duty| self.is_done(duty)).into_iter().find_map(|duty| match *duty {
            NeededProofs::Stays(at) if home.lost[at] => Some(&home.wanted[at]),
            _ => None,
        })
    }

    /// Returns true if open obligations require that some predicate does not stay reachable, and
    /// none that one does.
    pub(super) fn wants_losses_only(&self) -> bool {
        let open = self.need.open(&|duty| self.is_done(duty));
        open.iter().any(|duty| matches!(duty, NeededProofs::Lost(_)))
            && !open.iter().any(|duty| matches!(duty, NeededProofs::Stays(_)))
    }

    pub(super) fn how(&self) -> String {
        let seen = self.sightings.seen();
        let counts = [(seen, "marking", "shown"), (self.proved(), "claim", "proved")];
        let mut parts: Vec<String> = counts
            .iter()
            .filter(|(number, ..)| *number > 0)
            .map(|(number, what, done)| {
                format!("{number} {what}{} {done}", if *number == 1 { "" } else { "s" })
            })
            .collect();
        if self.grown() > 0 {
            parts.push("the sum grows without bound".to_owned());
        }
        parts.extend(self.runs.in_words(&self.refuted));
        parts.extend(self.trees.in_words(self.premises(&|at| self.stays(at))));
        if let Some(home) = &self.home {
            parts.extend(home.checked.iter().map(|checked| (*checked).to_owned()));
            if home.lost.contains(&true) {
                parts.push("a goal can become unreachable".to_owned());
            }
        }
        parts.join(", ")
    }

    /// Describes the first missing obligation in a line.
    pub(super) fn missing(&self, net: &Net) -> String {
        let open = self.need.open(&|duty| self.is_done(duty));
        let what = match open.first() {
            Some(NeededProofs::Stays(_)) => {
                return "not shown: that all goals stay reachable".to_owned();
            }
            Some(NeededProofs::Lost(_)) => {
                return "not shown: that some goal can become unreachable".to_owned();
            }
            Some(duty @ (NeededProofs::Run(_) | NeededProofs::NoRun(_))) => {
                self.runs.missing(net, duty, &self.refuted).unwrap_or_default()
            }
            Some(&&NeededProofs::Tree(at)) => {
                self.trees.missing(net, at, self.premises(&|at| self.stays(at)))
            }
            Some(&&NeededProofs::Reach(at)) => {
                let goal = words::formula(net, self.sightings.goal(at));
                words::shortened(format!("a reachable marking with {goal}"))
            }
            Some(&&NeededProofs::Refute(at)) => {
                format!("a proof that {}", in_words(net, &self.refuted[at].0))
            }
            Some(NeededProofs::Grow(_)) => "a self-covering sequence that increases the sum".into(),
            Some(NeededProofs::All(_) | NeededProofs::One(_)) | None => {
                "nothing in the net can show the answer".into()
            }
        };
        let untold = self.untold.as_ref().map_or_else(String::new, |why| format!("; {why}"));
        let others = open.len().saturating_sub(1);
        match (others, &self.need) {
            (0, _) => format!("not shown: {what}{untold}"),
            (_, NeededProofs::One(_)) => {
                format!("not shown: {what} (or one of {others} alternatives){untold}")
            }
            _ => format!("not shown: {what} (and {others} more){untold}"),
        }
    }
}

pub(super) fn in_words(net: &Net, refuted: &Predicate) -> String {
    words::shortened(format!("no reachable marking has {}", words::formula(net, refuted)))
}
