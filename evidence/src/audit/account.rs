//! The proof obligations of one answer, and the ones that the evidence has discharged so far.

use super::homes::HomeObligations;
use super::runs::RunObligations;
use super::sightings::ReachedGoals;
use super::trees::{self, TreeObligations};
use crate::description;
use crate::question::obligation::{NeededProofs, Obligation};
use parikh_net::{LinearSum, Net, Predicate};
use std::collections::HashMap;

/// The proof obligations of an answer, with the obligations discharged so far.
pub(super) struct AnswerObligations<'n> {
    /// The goals that some reachable marking has to satisfy.
    pub(super) goals: ReachedGoals<'n>,
    /// Predicates, each with true if it is proved that no reachable marking satisfies the
    /// predicate.
    pub(super) claims: Vec<(Predicate, bool)>,
    /// For a claim that is a disjunction, by its index: the disjuncts that documents refute by
    /// themselves. An entry is `None` for an open disjunct, and otherwise true if its document
    /// assumes that the units of the model are safe.
    pub(super) refuted_parts: HashMap<usize, Vec<Option<bool>>>,
    /// The claims translated to the net of each reduction that a checked document is about, by the
    /// reduction's id (`None` for the original net). An entry is `None` if the reduction does not
    /// preserve the claim, or if its net cannot express it.
    pub(super) translated: HashMap<Option<String>, Vec<Option<Predicate>>>,
    /// The sums that the answer requires to grow without bound, each with true if this is shown.
    pub(super) sums: Vec<(LinearSum, bool)>,
    /// The obligations about predicates that stay reachable; `None` if neither the answer nor a
    /// premise of a labelling has such an obligation.
    pub(super) home: Option<HomeObligations>,
    /// The obligations about runs.
    pub(super) runs: RunObligations,
    /// The obligations about the tree of runs.
    pub(super) trees: TreeObligations,
    /// The Boolean combination of obligations that suffices for the answer.
    needed: NeededProofs,
    /// True if some evidence used so far assumes that the units of the model are safe.
    pub(super) assumes_units: bool,
    /// The reason why some document could not be evaluated on an obligation; `None` if there was no
    /// such document.
    pub(super) unevaluated: Option<String>,
}

impl<'n> AnswerObligations<'n> {
    /// Returns the obligations for an answer. Obligations that the initial marking or a trivial
    /// predicate discharges are marked at once.
    pub(super) fn of(net: &'n Net, obligation: Obligation) -> Self {
        let Obligation { reach, refute, grow, homes, run_properties: runs, trees, needed } =
            obligation;
        let home = (!homes.is_empty()).then(|| HomeObligations::of(homes));
        // If the initial marking is dead, no other marking is reachable.
        let is_initially_dead = net.is_dead(net.initial());
        let refuted = refute.into_iter().map(|predicate| {
            let is_false = is_initially_dead && !predicate.holds(net, net.initial());
            let is_proved = predicate == Predicate::False || is_false;
            (predicate, is_proved)
        });
        AnswerObligations {
            goals: ReachedGoals::new(net, reach),
            claims: refuted.collect(),
            refuted_parts: HashMap::new(),
            translated: HashMap::new(),
            sums: grow.into_iter().map(|sum| (sum, false)).collect(),
            home,
            runs: RunObligations::of(runs),
            trees: TreeObligations::of(trees),
            needed,
            assumes_units: false,
            unevaluated: None,
        }
    }

    /// Returns the number of claims that are proved unreachable.
    fn proved_count(&self) -> usize {
        self.claims.iter().filter(|(_, done)| *done).count()
    }

    /// Returns the number of sums that are shown to grow without bound.
    fn growing_count(&self) -> usize {
        self.sums.iter().filter(|(_, grows)| *grows).count()
    }

    /// Returns true if the predicate with this index among the home obligations is shown to stay
    /// reachable.
    fn stays_reachable(&self, index: usize) -> bool {
        self.home.as_ref().is_some_and(|home| {
            // If every firing can be undone, a predicate that was reached stays reachable.
            let reached =
                || home.reach_goals[index].is_some_and(|goal| self.goals.is_reached(goal));
            home.stays_reachable[index] || home.is_reversible && reached()
        })
    }

    /// Returns the data that decide whether the premises of a labelling are proved. These are all
    /// claims, each with true if it is proved, and a function. The function gets the index of a
    /// predicate among the home obligations, and returns true if the predicate is shown to stay
    /// reachable.
    fn proved_premises<'s>(
        &'s self,
        stays: &'s dyn Fn(usize) -> bool,
    ) -> trees::ProvedPremises<'s> {
        trees::ProvedPremises { claims: &self.claims, stays_reachable: stays }
    }

    /// Returns true if an obligation is discharged. Returns false for combinations, which
    /// `NeededProofs::is_true` evaluates.
    fn is_discharged(&self, obligation: &NeededProofs) -> bool {
        match *obligation {
            NeededProofs::Reach(index) => self.goals.is_reached(index),
            NeededProofs::Refute(index) => self.claims[index].1,
            NeededProofs::Grow(index) => self.sums[index].1,
            NeededProofs::StaysReachable(index) => self.stays_reachable(index),
            NeededProofs::NotStaysReachable(index) => {
                self.home.as_ref().is_some_and(|home| home.can_become_unreachable[index])
            }
            NeededProofs::Run(_) | NeededProofs::NoRun(_) => {
                self.runs.is_discharged(obligation, &self.claims)
            }
            NeededProofs::Tree(index) => self
                .trees
                .is_discharged(index, self.proved_premises(&|index| self.stays_reachable(index))),
            NeededProofs::All(_) | NeededProofs::Any(_) => false,
        }
    }

    /// Returns true if the discharged obligations suffice for the answer.
    pub(super) fn is_settled(&self) -> bool {
        self.needed.is_true(&|obligation| self.is_discharged(obligation))
    }

    /// Returns true if the answer would be shown if the obligations that satisfy `is_assumed` were
    /// discharged, too.
    pub(super) fn would_be_settled(&self, is_assumed: &dyn Fn(&NeededProofs) -> bool) -> bool {
        self.needed.is_true(&|obligation| self.is_discharged(obligation) || is_assumed(obligation))
    }

    /// Returns true if there are claims, and the answer would be shown if every obligation to
    /// refute a claim were discharged. Arguments about runs and trees that only use claims as
    /// premises do not count. If the result is true, an exhaustive search may show the answer.
    pub(super) fn is_open_to_search(&self) -> bool {
        !self.claims.is_empty()
            && self.would_be_settled(&|obligation| matches!(obligation, NeededProofs::Refute(_)))
    }

    /// Returns the indices of the open obligations "no run has the property" that may still
    /// contribute to the answer. Obligations inside a part of the combination that is already true
    /// are left out.
    pub(super) fn open_runs(&self) -> Vec<usize> {
        let open = self.needed.open(&|obligation| self.is_discharged(obligation));
        let no_run = |obligation: &&NeededProofs| {
            if let NeededProofs::NoRun(index) = **obligation { Some(index) } else { None }
        };
        open.iter().filter_map(no_run).collect()
    }

    /// Returns the indices of the open obligations about the tree of runs that may still contribute
    /// to the answer. Obligations inside a part of the combination that is already true are left
    /// out.
    pub(super) fn open_trees(&self) -> Vec<usize> {
        let open = self.needed.open(&|obligation| self.is_discharged(obligation));
        let tree = |obligation: &&NeededProofs| {
            if let NeededProofs::Tree(index) = **obligation { Some(index) } else { None }
        };
        open.iter().filter_map(tree).collect()
    }

    /// Returns a predicate that is shown not to stay reachable although an open obligation requires
    /// that it does. Returns `None` if there is none.
    pub(super) fn wrongly_lost(&self) -> Option<&Predicate> {
        let home = self.home.as_ref()?;
        self.needed.open(&|obligation| self.is_discharged(obligation)).into_iter().find_map(
            |obligation| match *obligation {
                NeededProofs::StaysReachable(index) if home.can_become_unreachable[index] => {
                    Some(&home.predicates[index])
                }
                _ => None,
            },
        )
    }

    /// Returns true if some open obligation requires that a predicate does not stay reachable, and
    /// no open obligation requires that a predicate stays reachable.
    pub(super) fn requires_only_losses(&self) -> bool {
        let open = self.needed.open(&|obligation| self.is_discharged(obligation));
        open.iter().any(|obligation| matches!(obligation, NeededProofs::NotStaysReachable(_)))
            && !open.iter().any(|obligation| matches!(obligation, NeededProofs::StaysReachable(_)))
    }

    /// Describes the discharged obligations in words.
    pub(super) fn describe_discharged(&self) -> String {
        let reached_count = self.goals.reached_count();
        let counts =
            [(reached_count, "marking", "shown"), (self.proved_count(), "claim", "proved")];
        let mut phrases: Vec<String> = counts
            .iter()
            .filter(|(number, ..)| *number > 0)
            .map(|(number, noun, participle)| {
                format!("{number} {noun}{} {participle}", if *number == 1 { "" } else { "s" })
            })
            .collect();
        if self.growing_count() > 0 {
            phrases.push("the sum grows without bound".to_owned());
        }
        phrases.extend(self.runs.in_words(&self.claims));
        phrases.extend(
            self.trees.in_words(self.proved_premises(&|index| self.stays_reachable(index))),
        );
        if let Some(home) = &self.home {
            phrases.extend(home.checked.iter().map(|checked| (*checked).to_owned()));
            if home.can_become_unreachable.contains(&true) {
                phrases.push("a goal can become unreachable".to_owned());
            }
        }
        phrases.join(", ")
    }

    /// Describes the first open obligation in one line, with the number of further open obligations
    /// and the reason in `unevaluated`. If the first one is that a predicate stays reachable, or
    /// does not stay reachable, the line says only that this is not shown.
    pub(super) fn describe_missing(&self, net: &Net) -> String {
        let open = self.needed.open(&|obligation| self.is_discharged(obligation));
        let what = match open.first() {
            Some(NeededProofs::StaysReachable(_)) => {
                return "not shown: that all goals stay reachable".to_owned();
            }
            Some(NeededProofs::NotStaysReachable(_)) => {
                return "not shown: that some goal can become unreachable".to_owned();
            }
            Some(obligation @ (NeededProofs::Run(_) | NeededProofs::NoRun(_))) => {
                self.runs.describe_missing(net, obligation, &self.claims).unwrap_or_default()
            }
            Some(&&NeededProofs::Tree(index)) => self.trees.describe_missing(
                net,
                index,
                self.proved_premises(&|index| self.stays_reachable(index)),
            ),
            Some(&&NeededProofs::Reach(index)) => {
                let goal = description::predicate(net, self.goals.goal(index));
                description::shortened(format!("a reachable marking with {goal}"))
            }
            Some(&&NeededProofs::Refute(index)) => {
                format!("a proof that {}", refutation_in_words(net, &self.claims[index].0))
            }
            Some(NeededProofs::Grow(_)) => "a self-covering sequence that increases the sum".into(),
            Some(NeededProofs::All(_) | NeededProofs::Any(_)) | None => {
                "no statement about the net proves the answer".into()
            }
        };
        let note =
            self.unevaluated.as_ref().map_or_else(String::new, |reason| format!("; {reason}"));
        let other_count = open.len().saturating_sub(1);
        match (other_count, &self.needed) {
            (0, _) => format!("not shown: {what}{note}"),
            (1, NeededProofs::Any(_)) => {
                format!("not shown: {what} (or another alternative){note}")
            }
            (_, NeededProofs::Any(_)) => {
                format!("not shown: {what} (or one of {other_count} alternatives){note}")
            }
            _ => format!("not shown: {what} (and {other_count} more){note}"),
        }
    }
}

/// States that no reachable marking satisfies the predicate, in words.
pub(super) fn refutation_in_words(net: &Net, refuted: &Predicate) -> String {
    description::shortened(format!(
        "no reachable marking has {}",
        description::predicate(net, refuted)
    ))
}
