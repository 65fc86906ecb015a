//! Repeating the searches that answers rely on.

use super::AuditVerdict;
use super::account::{AnswerObligations, in_words};
use super::desk::AuditContext;
use super::each::{has_sinks, search_each};
use super::runs::RunVisits;
use super::trees;
use crate::certificate::markings::visit;
use crate::file::ExhaustiveSearch;
use crate::home::stays::which_stay;
use crate::question::obligation::NeededProofs;
use crate::words::{all_markings_were, markings_were};
use crate::{Flaw, words};

impl<'n> AuditContext<'n> {
    /// Repeats a search for runs with some properties, and for other open obligations.
    pub(super) fn search_runs(
        &self,
        account: &mut AnswerObligations<'n>,
        searched: &ExhaustiveSearch,
    ) -> AuditVerdict {
        let (net, most) = (self.net, self.most_visited);
        let unvisited = |why: &str| {
            AuditVerdict::Searched(format!("{} visited; {why}", markings_were(searched.markings)))
        };
        if searched.markings > most {
            return unvisited("too many to repeat (--visit)");
        }
        let duties = account.open_runs();
        let visits = match account.runs.visit(net, &duties, most, &self.watch) {
            Ok(visits) => visits,
            Err(flaw) => return AuditVerdict::Refused(format!("visited again: {flaw}")),
        };
        let RunVisits { markings, run, left, .. } = visits;
        if account.is_settled() {
            return AuditVerdict::Confirmed(format!(
                "all {markings} markings along such runs were visited again"
            ));
        }
        // Another obligation may suffice for the answer.
        let other = self.search_other(account, searched);
        let untrue = run.map(|run| format!("some run violates {run}"));
        self.visited_again(account, other, untrue, left.map(|why| unvisited(&why)))
    }

    /// Repeats a search about the tree of runs, and for other open obligations.
    pub(super) fn search_trees(
        &self,
        account: &mut AnswerObligations<'n>,
        searched: &ExhaustiveSearch,
    ) -> AuditVerdict {
        let (net, most) = (self.net, self.most_visited);
        let unvisited = |why: &str| {
            AuditVerdict::Searched(match searched.markings {
                u64::MAX => format!("a symbolic search covered 2^64 markings or more; {why}"),
                markings => format!("{} visited; {why}", markings_were(markings)),
            })
        };
        if searched.markings > most {
            return unvisited("too many to repeat (--visit)");
        }
        let duties = account.open_trees();
        let visits = match account.trees.visit(net, &duties, most, &self.watch) {
            Ok(visits) => visits,
            Err(flaw) => return AuditVerdict::Refused(format!("visited again: {flaw}")),
        };
        let trees::TreeVisits { markings, untrue, left } = visits;
        if account.is_settled() {
            return AuditVerdict::Confirmed(format!(
                "{} visited again",
                all_markings_were(markings)
            ));
        }
        // Obligations about runs, or others, may suffice for the answer.
        let other = match account.open_runs().is_empty() {
            false => Some(self.search_runs(account, searched)),
            true => self.search_other(account, searched),
        };
        let untrue = untrue.map(|what| format!("it is not true that {what}"));
        self.visited_again(account, other, untrue, left.map(|why| unvisited(&why)))
    }

    /// Returns the verdict after a repeated search that did not discharge the obligations. `other`
    /// is the verdict of another search, `untrue` a property found to be false, and `left` the
    /// verdict if not all markings were visited.
    fn visited_again(
        &self,
        account: &AnswerObligations<'n>,
        other: Option<AuditVerdict>,
        untrue: Option<String>,
        left: Option<AuditVerdict>,
    ) -> AuditVerdict {
        match (other, untrue, left) {
            (Some(confirmed @ AuditVerdict::Confirmed(_)), ..) => confirmed,
            (_, Some(untrue), _) => {
                AuditVerdict::Refused(words::shortened(format!("visited again: {untrue}")))
            }
            (_, None, Some(unvisited)) => unvisited,
            (Some(other), None, None) => other,
            (None, None, None) => AuditVerdict::Refused(account.missing(self.net)),
        }
    }

    /// Repeats a search about predicates that stay reachable, or that no marking satisfies, if such
    /// obligations are open.
    fn search_other(
        &self,
        account: &mut AnswerObligations<'n>,
        searched: &ExhaustiveSearch,
    ) -> Option<AuditVerdict> {
        if account.home.is_some() {
            return Some(self.search_home(account, searched));
        }
        account.is_for_a_search().then(|| self.search_again(account, searched))
    }

    /// Repeats a search for claims that no marking satisfies, on the original net and without
    /// omissions. The prover may have left out irrelevant markings, or have searched a smaller net.
    /// Its number of markings only serves to decide whether to try.
    pub(super) fn search_again(
        &self,
        account: &mut AnswerObligations<'n>,
        searched: &ExhaustiveSearch,
    ) -> AuditVerdict {
        let (net, most) = (self.net, self.most_visited);
        let unvisited = |reachable: &str| {
            let stubborn = if searched.stubborn { " that matter" } else { "" };
            let visited = searched.markings;
            AuditVerdict::Searched(format!(
                "{visited} markings{stubborn} were visited; {reachable}"
            ))
        };
        if searched.markings > most {
            return unvisited("too many to repeat (--visit)");
        }
        // If one of several obligations suffices, a visited marking may discharge it.
        let looks = account.sightings.open() > 0;
        let mut left: Vec<usize> = (0..account.refuted.len()).collect();
        left.retain(|&at| !account.refuted[at].1);
        // Claims that a marking violates are dropped. An answer that needs one of several claims
        // may still be shown.
        let (mut satisfied, mut is_gone) = (None, vec![false; account.refuted.len()]);
        let (mut is_shown, mut may_be_shown) = (false, true);
        let found = visit(net, most, |marking| {
            let before = (left.len(), account.sightings.seen_if(looks));
            left.retain(|&at| {
                let predicate = &account.refuted[at].0;
                is_gone[at] = predicate.holds(net, marking);
                if is_gone[at] {
                    satisfied = Some(in_words(net, predicate));
                }
                !is_gone[at]
            });
            if looks {
                account.sightings.look_anywhere(marking);
            }
            if before != (left.len(), account.sightings.seen_if(looks)) {
                is_shown = account.is_settled();
                may_be_shown = account.may_be_met(&|duty| match *duty {
                    NeededProofs::Refute(at) => !is_gone[at],
                    ref duty => matches!(duty, NeededProofs::Reach(_)),
                });
            }
            self.watch.goes_on() && !is_shown && may_be_shown
        });
        if is_shown {
            return AuditVerdict::Confirmed(
                "markings were visited again until one showed the answer".to_owned(),
            );
        }
        match (found, satisfied) {
            (Ok(visited), satisfied) => {
                let count = visited.count();
                left.into_iter().for_each(|at| account.refuted[at].1 = true);
                match (account.is_settled(), satisfied) {
                    (true, _) => AuditVerdict::Confirmed(format!(
                        "{} visited again",
                        all_markings_were(count)
                    )),
                    (false, Some(what)) if !looks => {
                        AuditVerdict::Refused(format!("visited again: it is not true that {what}"))
                    }
                    _ => AuditVerdict::Refused(
                        "visited again: no part of the answer is shown".to_owned(),
                    ),
                }
            }
            (Err(Flaw::Stopped), Some(what)) => {
                AuditVerdict::Refused(format!("visited again: it is not true that {what}"))
            }
            (Err(Flaw::More(reachable)), _) => {
                // Capping the sinks for a single claim may reduce the number of markings a lot.
                let alone = |&at: &usize| {
                    account
                        .may_be_met(&|duty| matches!(*duty, NeededProofs::Refute(it) if it == at))
                };
                let open = (0..account.refuted.len()).filter(|&at| !account.refuted[at].1);
                let alone: Vec<usize> = open.filter(alone).collect();
                if alone.is_empty() || !has_sinks(net) {
                    return unvisited(&format!("more than {reachable} are reachable"));
                }
                search_each(net, account, &alone, most, &self.watch, unvisited)
            }
            (Err(flaw), _) => AuditVerdict::Refused(format!("visited again: {flaw}")),
        }
    }

    /// Visits all markings to find the predicates that stay reachable.
    pub(super) fn search_home(
        &self,
        account: &mut AnswerObligations<'n>,
        searched: &ExhaustiveSearch,
    ) -> AuditVerdict {
        let Some(home) = &mut account.home else {
            return AuditVerdict::Refused(account.missing(self.net));
        };
        let visited = searched.markings;
        if visited > self.most_visited {
            let why = format!("{} visited; too many to repeat (--visit)", markings_were(visited));
            return AuditVerdict::Searched(why);
        }
        let told =
            which_stay(self.net, self.most_visited, &home.wanted, &mut || self.watch.goes_on());
        let told = match told {
            Ok(told) => told,
            Err(Flaw::More(most)) => return too_many(visited, most),
            Err(flaw) => return AuditVerdict::Refused(format!("visited again: {flaw}")),
        };
        for (at, stays) in told.iter().enumerate() {
            home.stays[at] |= *stays == Some(true);
            home.lost[at] |= *stays == Some(false);
        }
        let is_open = |(stays, lost): (&bool, &bool)| !stays && !lost;
        let is_known = !home.stays.iter().zip(&home.lost).any(is_open);
        if account.is_settled() {
            return AuditVerdict::Confirmed("all markings were visited again".to_owned());
        }
        if let Some(lost) = account.lost_and_wanted() {
            let lost = words::formula(self.net, lost);
            return AuditVerdict::Refused(words::shortened(format!(
                "visited again: not always reachable: {lost}"
            )));
        }
        match () {
            () if !is_known => too_many(visited, self.most_visited),
            // An additional obligation is open, such as reachability or its negation.
            () if account.is_for_a_search() => self.search_again(account, searched),
            () if account.wants_losses_only() => {
                AuditVerdict::Refused("visited again: all goals stay reachable".to_owned())
            }
            () => AuditVerdict::Refused(account.missing(self.net)),
        }
    }
}

fn too_many(visited: u64, most: u64) -> AuditVerdict {
    AuditVerdict::Searched(format!(
        "{} visited; more than {most} are reachable",
        markings_were(visited)
    ))
}
