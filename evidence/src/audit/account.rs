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
    /// The obligations about predicates that stay reachable; `None` if the answer has no such
    /// obligation.
    pub(super) home: Option<HomeObligations>,
    /// The obligations about runs.
    pub(super) runs: RunObligations,
    /// The obligations about the tree of runs.
    pub(super) trees: TreeObligations,
    /// The Boolean combination of obligations that suffices for the answer.
    need: NeededProofs,
    /// True if some evidence used so far assumes that the units of the model are safe.
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
        let is_initially_dead = net.is_dead(net.initial());
        let refuted = refute.into_iter().map(|predicate| {
            let is_false = is_initially_dead && !predicate.holds(net, net.initial());
            let is_proved = predicate == Predicate::False || is_false;
            (predicate, is_proved)
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

    /// Returns the number of proved claims.
    fn proved(&self) -> usize {
        self.refuted.iter().filter(|(_, done)| *done).count()
    }

    /// Returns the number of sums that are shown to grow without bound.
    fn grown(&self) -> usize {
        self.sums.iter().filter(|(_, grows)| *grows).count()
    }

    /// Returns true if the predicate with this index among the home obligations is shown to stay
    /// reachable.
    fn stays(&self, index: usize) -> bool {
        self.home.as_ref().is_some_and(|home| {
            // If every firing can be undone, a predicate that was reached stays reachable.
            let reached = || home.reach[index].is_some_and(|goal| self.sightings.has_seen(goal));
            home.stays[index] || home.undone && reached()
        })
    }

    /// Returns the claims and predicates that premises of labellings may rely on.
    fn premises<'s>(&'s self, stays: &'s dyn Fn(usize) -> bool) -> trees::ProvedPremises<'s> {
        trees::ProvedPremises { claims: &self.refuted, stays }
    }

    /// Returns true if an obligation is discharged.
    fn is_done(&self, obligation: &NeededProofs) -> bool {
        match *obligation {
            NeededProofs::Reach(index) => self.sightings.has_seen(index),
            NeededProofs::Refute(index) => self.refuted[index].1,
            NeededProofs::Grow(index) => self.sums[index].1,
            NeededProofs::Stays(index) => self.stays(index),
            NeededProofs::Lost(index) => self.home.as_ref().is_some_and(|home| home.lost[index]),
            NeededProofs::Run(_) | NeededProofs::NoRun(_) => {
                self.runs.is_done(obligation, &self.refuted)
            }
            NeededProofs::Tree(index) => {
                self.trees.is_done(index, self.premises(&|index| self.stays(index)))
            }
            NeededProofs::All(_) | NeededProofs::One(_) => false,
        }
    }

    /// Returns true if the discharged obligations suffice for the answer.
    pub(super) fn is_settled(&self) -> bool {
        self.need.is_met(&|obligation| self.is_done(obligation))
    }

    /// Returns true if the answer would be shown if the obligations that satisfy `is_assumed` were
    /// discharged, too.
    pub(super) fn may_be_met(&self, is_assumed: &dyn Fn(&NeededProofs) -> bool) -> bool {
        self.need.is_met(&|obligation| self.is_done(obligation) || is_assumed(obligation))
    }

    /// Returns true if an exhaustive search could discharge all remaining obligations.
    pub(super) fn is_for_a_search(&self) -> bool {
        !self.refuted.is_empty()
            && self.may_be_met(&|obligation| matches!(obligation, NeededProofs::Refute(_)))
    }

    /// Returns the indices of the open and relevant obligations that no run has a property.
    pub(super) fn open_runs(&self) -> Vec<usize> {
        let open = self.need.open(&|obligation| self.is_done(obligation));
        let no_run = |obligation: &&NeededProofs| {
            if let NeededProofs::NoRun(index) = **obligation { Some(index) } else { None }
        };
        open.iter().filter_map(no_run).collect()
    }

    /// Returns the indices of the open and relevant obligations about the tree of runs.
    pub(super) fn open_trees(&self) -> Vec<usize> {
        let open = self.need.open(&|obligation| self.is_done(obligation));
        let tree = |obligation: &&NeededProofs| {
            if let NeededProofs::Tree(index) = **obligation { Some(index) } else { None }
        };
        open.iter().filter_map(tree).collect()
    }

    /// Returns a predicate that does not stay reachable although an open obligation requires that
    /// it does.
    pub(super) fn lost_and_wanted(&self) -> Option<&Predicate> {
        let home = self.home.as_ref()?;
        self.need.open(&|obligation| self.is_done(obligation)).into_iter().find_map(|obligation| {
            match *obligation {
                NeededProofs::Stays(index) if home.lost[index] => Some(&home.wanted[index]),
                _ => None,
            }
        })
    }

    /// Returns true if open obligations require that some predicate does not stay reachable, and
    /// none that one does.
    pub(super) fn wants_losses_only(&self) -> bool {
        let open = self.need.open(&|obligation| self.is_done(obligation));
        open.iter().any(|obligation| matches!(obligation, NeededProofs::Lost(_)))
            && !open.iter().any(|obligation| matches!(obligation, NeededProofs::Stays(_)))
    }

    /// Describes the discharged obligations in words.
    pub(super) fn how(&self) -> String {
        let reached_count = self.sightings.seen();
        let counts = [(reached_count, "marking", "shown"), (self.proved(), "claim", "proved")];
        let mut phrases: Vec<String> = counts
            .iter()
            .filter(|(number, ..)| *number > 0)
            .map(|(number, noun, participle)| {
                format!("{number} {noun}{} {participle}", if *number == 1 { "" } else { "s" })
            })
            .collect();
        if self.grown() > 0 {
            phrases.push("the sum grows without bound".to_owned());
        }
        phrases.extend(self.runs.in_words(&self.refuted));
        phrases.extend(self.trees.in_words(self.premises(&|index| self.stays(index))));
        if let Some(home) = &self.home {
            phrases.extend(home.checked.iter().map(|checked| (*checked).to_owned()));
            if home.lost.contains(&true) {
                phrases.push("a goal can become unreachable".to_owned());
            }
        }
        phrases.join(", ")
    }

    /// Describes the first missing obligation in a line.
    pub(super) fn missing(&self, net: &Net) -> String {
        let open = self.need.open(&|obligation| self.is_done(obligation));
        let what = match open.first() {
            Some(NeededProofs::Stays(_)) => {
                return "not shown: that all goals stay reachable".to_owned();
            }
            Some(NeededProofs::Lost(_)) => {
                return "not shown: that some goal can become unreachable".to_owned();
            }
            Some(obligation @ (NeededProofs::Run(_) | NeededProofs::NoRun(_))) => {
                self.runs.missing(net, obligation, &self.refuted).unwrap_or_default()
            }
            Some(&&NeededProofs::Tree(index)) => {
                self.trees.missing(net, index, self.premises(&|index| self.stays(index)))
            }
            Some(&&NeededProofs::Reach(index)) => {
                let goal = words::formula(net, self.sightings.goal(index));
                words::shortened(format!("a reachable marking with {goal}"))
            }
            Some(&&NeededProofs::Refute(index)) => {
                format!("a proof that {}", in_words(net, &self.refuted[index].0))
            }
            Some(NeededProofs::Grow(_)) => "a self-covering sequence that increases the sum".into(),
            Some(NeededProofs::All(_) | NeededProofs::One(_)) | None => {
                "nothing in the net can show the answer".into()
            }
        };
        let note = self.untold.as_ref().map_or_else(String::new, |reason| format!("; {reason}"));
        let other_count = open.len().saturating_sub(1);
        match (other_count, &self.need) {
            (0, _) => format!("not shown: {what}{note}"),
            (_, NeededProofs::One(_)) => {
                format!("not shown: {what} (or one of {other_count} alternatives){note}")
            }
            _ => format!("not shown: {what} (and {other_count} more){note}"),
        }
    }
}

/// States that no reachable marking satisfies the predicate, in words.
pub(super) fn in_words(net: &Net, refuted: &Predicate) -> String {
    words::shortened(format!("no reachable marking has {}", words::formula(net, refuted)))
}
