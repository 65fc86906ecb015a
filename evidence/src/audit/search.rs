//! Repeating the searches that answers rely on.

use super::AuditVerdict;
use super::account::{AnswerObligations, refutation_in_words};
use super::claim_search::{has_sinks, search_each};
use super::context::AuditContext;
use super::runs::RunVisits;
use super::trees;
use super::visit_limits::open_because;
use crate::certificate::markings::visit;
use crate::description::{all_markings_were, markings_were};
use crate::file::ExhaustiveSearch;
use crate::home::visited_markings::find_staying;
use crate::question::obligation::NeededProofs;
use crate::{Flaw, description};

impl<'n> AuditContext<'n> {
    /// Repeats the search that shows that no run has certain properties. If this does not settle
    /// the answer, also repeats the search for its other open obligations. Returns the verdict on
    /// the answer.
    pub(super) fn search_runs(
        &self,
        obligations: &mut AnswerObligations<'n>,
        searched: &ExhaustiveSearch,
    ) -> AuditVerdict {
        let (net, max_markings) = (self.net, self.max_markings);
        let unvisited = |why: &str| searched_only(searched, why);
        if searched.markings > max_markings {
            return unvisited("too many to repeat (--visit)");
        }
        let indices = obligations.open_runs();
        let visits = match obligations.runs.visit(net, &indices, max_markings, &self.watch) {
            Ok(visits) => visits,
            Err(flaw) => return AuditVerdict::Refused(format!("visited again: {flaw}")),
        };
        let RunVisits { markings, violated: run, undecided, .. } = visits;
        if obligations.is_settled() {
            return AuditVerdict::Confirmed(match markings {
                1 => "the only marking along such runs was visited again".to_owned(),
                _ => format!("all {markings} markings along such runs were visited again"),
            });
        }
        // The answer may need only one of several obligations. So obligations that are not about
        // runs may suffice.
        let other_verdict = self.search_other(obligations, searched);
        let untrue = run.map(|run| format!("some run violates {run}"));
        self.verdict_after_visits(
            obligations,
            other_verdict,
            untrue,
            undecided.map(|why| unvisited(&why)),
        )
    }

    /// Repeats the search that evaluates properties of the tree of runs. If this does not settle
    /// the answer, also repeats the searches for its other open obligations. Returns the verdict on
    /// the answer.
    pub(super) fn search_trees(
        &self,
        obligations: &mut AnswerObligations<'n>,
        searched: &ExhaustiveSearch,
    ) -> AuditVerdict {
        let (net, max_markings) = (self.net, self.max_markings);
        let unvisited = |why: &str| searched_only(searched, why);
        if searched.markings > max_markings {
            return unvisited("too many to repeat (--visit)");
        }
        let indices = obligations.open_trees();
        let visits = match obligations.trees.visit(net, &indices, max_markings, &self.watch) {
            Ok(visits) => visits,
            Err(flaw) => return AuditVerdict::Refused(format!("visited again: {flaw}")),
        };
        let trees::TreeVisits { markings, violated: untrue, undecided } = visits;
        if obligations.is_settled() {
            return AuditVerdict::Confirmed(format!(
                "{} visited again",
                all_markings_were(markings)
            ));
        }
        // The answer may need only one of several obligations. So obligations about runs, or about
        // single markings, may suffice.
        let other_verdict = match obligations.open_runs().is_empty() {
            false => Some(self.search_runs(obligations, searched)),
            true => self.search_other(obligations, searched),
        };
        let untrue = untrue.map(|what| format!("it is not true that {what}"));
        self.verdict_after_visits(
            obligations,
            other_verdict,
            untrue,
            undecided.map(|why| unvisited(&why)),
        )
    }

    /// Returns the verdict after a repeated search that did not discharge the obligations.
    /// `other_verdict` is the verdict of another search if there was one, and `untrue` describes a
    /// property found to be false. `undecided` is the verdict if not all properties were decided.
    fn verdict_after_visits(
        &self,
        obligations: &AnswerObligations<'n>,
        other_verdict: Option<AuditVerdict>,
        untrue: Option<String>,
        undecided: Option<AuditVerdict>,
    ) -> AuditVerdict {
        match (other_verdict, untrue, undecided) {
            (Some(confirmed @ AuditVerdict::Confirmed(_)), ..) => confirmed,
            (_, Some(untrue), _) => {
                AuditVerdict::Refused(description::shortened(format!("visited again: {untrue}")))
            }
            (_, None, Some(unvisited)) => unvisited,
            (Some(other_verdict), None, None) => other_verdict,
            (None, None, None) => AuditVerdict::Refused(obligations.describe_missing(self.net)),
        }
    }

    /// Repeats the search for predicates that stay reachable if the answer has such obligations.
    /// Otherwise repeats the search that proves claims if claims would suffice for the answer.
    /// Returns `None` if neither is the case.
    fn search_other(
        &self,
        obligations: &mut AnswerObligations<'n>,
        searched: &ExhaustiveSearch,
    ) -> Option<AuditVerdict> {
        if obligations.home.is_some() {
            return Some(self.search_home(obligations, searched));
        }
        obligations.is_open_to_search().then(|| self.search_again(obligations, searched))
    }

    /// Repeats a search that proves claims (no reachable marking satisfies a predicate), on the
    /// original net and without omissions. The prover may have left out irrelevant markings, or
    /// have searched a smaller net. The number of markings that it visited only serves to decide
    /// whether to try. If too many markings are reachable and the net has sinks, the claims that
    /// suffice alone are searched one by one with capped sinks ([`search_each`]).
    pub(super) fn search_again(
        &self,
        obligations: &mut AnswerObligations<'n>,
        searched: &ExhaustiveSearch,
    ) -> AuditVerdict {
        let (net, max_markings) = (self.net, self.max_markings);
        let unvisited = |why: &str| searched_only(searched, why);
        if searched.markings > max_markings {
            return unvisited("too many to repeat (--visit)");
        }
        // If one of several obligations suffices, a visited marking may discharge it.
        let evaluates_goals = obligations.goals.open_count() > 0;
        let mut open_claims: Vec<usize> = (0..obligations.claims.len()).collect();
        open_claims.retain(|&index| !obligations.claims[index].1);
        // Claims that a marking violates are dropped. An answer that needs one of several claims
        // may still be shown.
        let (mut violated_claim, mut is_violated) = (None, vec![false; obligations.claims.len()]);
        let (mut is_shown, mut may_be_shown) = (false, true);
        let found = visit(net, max_markings, |marking| {
            let counts_before =
                (open_claims.len(), obligations.goals.reached_count_if(evaluates_goals));
            open_claims.retain(|&index| {
                let predicate = &obligations.claims[index].0;
                is_violated[index] = predicate.holds(net, marking);
                if is_violated[index] {
                    violated_claim = Some(refutation_in_words(net, predicate));
                }
                !is_violated[index]
            });
            if evaluates_goals {
                obligations.goals.evaluate_open(marking);
            }
            if counts_before
                != (open_claims.len(), obligations.goals.reached_count_if(evaluates_goals))
            {
                is_shown = obligations.is_settled();
                may_be_shown = obligations.would_be_settled(&|obligation| match *obligation {
                    NeededProofs::Refute(index) => !is_violated[index],
                    ref obligation => matches!(obligation, NeededProofs::Reach(_)),
                });
            }
            self.watch.goes_on() && !is_shown && may_be_shown
        });
        if is_shown {
            return AuditVerdict::Confirmed(
                "markings were visited again until one showed the answer".to_owned(),
            );
        }
        match (found, violated_claim) {
            (Ok(visited), violated_claim) => {
                let count = visited.count();
                open_claims.into_iter().for_each(|index| obligations.claims[index].1 = true);
                match (obligations.is_settled(), violated_claim) {
                    (true, _) => AuditVerdict::Confirmed(format!(
                        "{} visited again",
                        all_markings_were(count)
                    )),
                    (false, Some(what)) if !evaluates_goals => {
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
                // Capping the places without output transitions for a single claim may reduce the
                // number of markings a lot.
                let suffices_alone = |&index: &usize| {
                    let is_this_claim = |obligation: &NeededProofs| matches!(*obligation, NeededProofs::Refute(claim) if claim == index);
                    obligations.would_be_settled(&is_this_claim)
                };
                let unproved =
                    (0..obligations.claims.len()).filter(|&index| !obligations.claims[index].1);
                let alone: Vec<usize> = unproved.filter(suffices_alone).collect();
                if alone.is_empty() || !has_sinks(net) {
                    return unvisited(&format!("more than {reachable} are reachable"));
                }
                search_each(net, obligations, &alone, max_markings, &self.watch, unvisited)
            }
            (Err(flaw), _) => AuditVerdict::Refused(format!("visited again: {flaw}")),
        }
    }

    /// Visits all markings, unless they exceed the limit, to find the predicates that stay
    /// reachable. Returns the verdict on the answer.
    pub(super) fn search_home(
        &self,
        obligations: &mut AnswerObligations<'n>,
        searched: &ExhaustiveSearch,
    ) -> AuditVerdict {
        let Some(home) = &mut obligations.home else {
            return AuditVerdict::Refused(obligations.describe_missing(self.net));
        };
        if searched.markings > self.max_markings {
            return searched_only(searched, "too many to repeat (--visit)");
        }
        let results = find_staying(self.net, self.max_markings, &home.predicates, &mut || {
            self.watch.goes_on()
        });
        let results = match results {
            Ok(results) => results,
            Err(flaw) => {
                return match open_because(flaw) {
                    Ok(why) => searched_only(searched, &why),
                    Err(flaw) => AuditVerdict::Refused(format!("visited again: {flaw}")),
                };
            }
        };
        for (index, stays) in results.iter().enumerate() {
            home.stays_reachable[index] |= *stays == Some(true);
            home.can_become_unreachable[index] |= *stays == Some(false);
        }
        let is_open = |(stays, lost): (&bool, &bool)| !stays && !lost;
        let is_known = !home.stays_reachable.iter().zip(&home.can_become_unreachable).any(is_open);
        if obligations.is_settled() {
            return AuditVerdict::Confirmed("all markings were visited again".to_owned());
        }
        if let Some(lost) = obligations.wrongly_lost() {
            let lost = description::predicate(self.net, lost);
            return AuditVerdict::Refused(description::shortened(format!(
                "visited again: not always reachable: {lost}"
            )));
        }
        match () {
            () if !is_known => {
                searched_only(searched, "a part of the net has too many markings or edges")
            }
            // An additional obligation is open, such as reachability or its negation.
            () if obligations.is_open_to_search() => self.search_again(obligations, searched),
            () if obligations.requires_only_losses() => {
                AuditVerdict::Refused("visited again: all goals stay reachable".to_owned())
            }
            () => AuditVerdict::Refused(obligations.describe_missing(self.net)),
        }
    }
}

/// Returns the verdict on an answer that relies on the prover's search, which was not repeated for
/// the given reason.
fn searched_only(searched: &ExhaustiveSearch, why: &str) -> AuditVerdict {
    let with = if searched.stubborn { " with stubborn sets" } else { "" };
    AuditVerdict::Searched(format!("{} visited{with}; {why}", markings_were(searched.markings)))
}
