//! Repeated searches for each of several claims, where one claim suffices.
//!
//! A *sink* is a place without outgoing arcs. Firing does not depend on sinks, only the claim does.
//! If the claim compares a sink separately with numbers, tokens beyond the largest number make no
//! difference. So the search visits each marking with its sinks *capped*: a sink s holds min(m(s),
//! k) tokens, where the claim does not distinguish numbers from k on.
//!
//! The capped search decides the same question. Let c(m) be the capped marking of m. The markings m
//! and c(m) differ in sinks only, so they enable the same transitions. If t leads from m to n, then
//! t leads from c(m) to a marking whose capped marking is c(n), because min(min(a, k) + w, k) =
//! min(a + w, k). By induction, the markings visited are the c(m) of all reachable m. The claim
//! holds in c(m) if and only if it holds in m.
//!
//! The net of `RelaxedSoundness` has a sink for each transition, which counts its firings. So it
//! has infinitely many markings, even if the model has four. Capped for all claims together, the
//! counters of n transitions still have up to 2ⁿ combinations of values. Capped for one claim, `f
//! and a token on the counter of t`, a single counter with two values is left. Then there are at
//! most twice as many markings as in the model.

use super::account::{AnswerObligations, refutation_in_words};
use super::{AuditVerdict, AuditWatch};
use crate::Flaw;
use crate::certificate::markings::visit_capped;
use crate::description::all_markings_were;
use crate::question::obligation::NeededProofs;
use parikh_net::{Atom, Net, Predicate};

/// The maximum number of searches that may exceed the limit. Each of them takes time and proves
/// nothing.
const MAX_UNFINISHED: usize = 16;

/// Searches for one of several claims that holds, that is, a predicate that no reachable marking
/// satisfies. `claims` are indices of unproved predicates in `obligations.claims`. The search for
/// each claim visits at most `max_markings` markings. The first claim that holds is marked as
/// proved and confirms the answer. If no claim holds and a search finds more markings, the verdict
/// is the result of `unvisited` for a text that says so. After [`MAX_UNFINISHED`] such searches,
/// the other claims are not tried. The verdict is also such a result if no claim holds, but the
/// answer may follow from other obligations. If it cannot, or a search fails otherwise, the answer
/// is refused.
pub(super) fn search_each(
    net: &Net,
    obligations: &mut AnswerObligations<'_>,
    claims: &[usize],
    max_markings: u64,
    watch: &AuditWatch,
    unvisited: impl Fn(&str) -> AuditVerdict,
) -> AuditVerdict {
    let (mut violated_claims, mut more, mut unfinished_count) = (Vec::new(), None, 0);
    for &index in claims {
        let (predicate, is_proved) = &mut obligations.claims[index];
        let mut holds = false;
        let visit = visit_capped(net, &caps(net, [&*predicate]), max_markings, |marking| {
            holds = predicate.holds(net, marking);
            !holds && watch.goes_on()
        });
        match visit {
            Ok(visited) => {
                *is_proved = true;
                let count = visited.count();
                return AuditVerdict::Confirmed(format!(
                    "{} visited again",
                    all_markings_were(count)
                ));
            }
            Err(Flaw::Stopped) if holds => violated_claims.push(index),
            // Another claim may distinguish fewer markings, and suffices.
            Err(Flaw::More(max_markings)) => {
                more = Some(max_markings);
                unfinished_count += 1;
                if unfinished_count == MAX_UNFINISHED {
                    break;
                }
            }
            Err(flaw) => return AuditVerdict::Refused(format!("visited again: {flaw}")),
        }
    }
    if let Some(max_markings) = more {
        return unvisited(&format!("more than {max_markings} are reachable"));
    }
    // The answer may follow from other claims together, or from other evidence.
    let is_open = |obligation: &NeededProofs| !matches!(obligation, NeededProofs::Refute(index) if violated_claims.contains(index));
    if obligations.would_be_settled(&is_open) {
        return unvisited("the claims that suffice alone are not true");
    }
    AuditVerdict::Refused(match violated_claims.last() {
        Some(&index) => {
            let what = refutation_in_words(net, &obligations.claims[index].0);
            format!("visited again: it is not true that {what}")
        }
        None => "visited again: no part of the answer is shown".to_owned(),
    })
}

/// Returns true if some place has no outgoing arcs.
pub(super) fn has_sinks(net: &Net) -> bool {
    net.places().any(|place| net.consumers(place).is_empty())
}

/// Returns one entry per place. For a sink, that is, a place without outgoing arcs, the entry is a
/// number n. The predicates do not distinguish numbers of tokens from n on. The entry is `None` for
/// other places, and for sinks that the predicates compare together with other places.
fn caps<'p>(net: &Net, predicates: impl IntoIterator<Item = &'p Predicate>) -> Vec<Option<u64>> {
    let is_sink = |place| net.consumers(place).is_empty();
    let mut caps: Vec<Option<u64>> = net.places().map(|p| is_sink(p).then_some(0)).collect();
    let mut worklist: Vec<&Predicate> = predicates.into_iter().collect();
    while let Some(predicate) = worklist.pop() {
        match predicate {
            Predicate::And(parts) | Predicate::Or(parts) => worklist.extend(parts),
            Predicate::Atom(Atom { sum, bound }) => match sum.terms() {
                // |a|·m ≥ −bound has the same value for all m from |bound| on, and |a|·m ≤ bound
                // for all m beyond |bound|.
                &[(place, a)] => {
                    let indistinguishable_from =
                        bound.unsigned_abs().saturating_add(u64::from(a > 0));
                    let cap = &mut caps[place.index()];
                    *cap = cap.map(|cap| cap.max(indistinguishable_from));
                }
                terms => terms.iter().for_each(|(place, _)| caps[place.index()] = None),
            },
            // Enabledness does not depend on sinks.
            Predicate::Enabled(_)
            | Predicate::Disabled(_)
            | Predicate::Dead
            | Predicate::NotDead => {}
            Predicate::True | Predicate::False => {}
        }
    }
    caps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::obligation::{NeededProofs, Obligation};
    use parikh_net::{LinearSum, text};

    #[test]
    fn a_claim_with_too_many_markings_does_not_hide_another_one() {
        let net = text::parse("place p 1\nplace s\nplace q\ntransition t: p -> p + s").unwrap();
        let [s, q] = ["s", "q"].map(|name| net.place_named(name).unwrap());
        let verdict = |refute: &[Predicate]| {
            let needed = NeededProofs::Any((0..refute.len()).map(NeededProofs::Refute).collect());
            let obligation =
                Obligation { refute: refute.to_vec(), needed, ..Obligation::default() };
            let mut obligations = AnswerObligations::of(&net, obligation);
            let claims: Vec<usize> = (0..refute.len()).collect();
            let unvisited = |why: &str| AuditVerdict::Searched(why.to_owned());
            let watch = AuditWatch::default();
            search_each(&net, &mut obligations, &claims, 100, &watch, unvisited)
        };
        let [many, few, false_claim] =
            [(s, 1000), (q, 1), (s, 1)].map(|(place, n)| Predicate::at_least(place, n));
        let confirmed = AuditVerdict::Confirmed("the only marking was visited again".to_owned());
        assert_eq!(verdict(&[many.clone(), few.clone()]), confirmed);
        let searched = AuditVerdict::Searched("more than 100 are reachable".to_owned());
        assert_eq!(verdict(&[many.clone(), false_claim.clone()]), searched);
        let claims = [vec![many; MAX_UNFINISHED], vec![few]].concat();
        assert_eq!(verdict(&claims), searched);
        assert!(matches!(verdict(&[false_claim]), AuditVerdict::Refused(_)));
    }

    #[test]
    fn tokens_on_sinks_are_capped_if_the_claim_ignores_them() {
        let net = text::parse(
            "place p 1\nplace a\nplace b\nplace c\nplace d 9\n\
             transition t: p -> p + a + b + 2*c + d",
        )
        .unwrap();
        let [p, a, b, c] = ["p", "a", "b", "c"].map(|name| net.place_named(name).unwrap());
        let sum = LinearSum::new([(b, 1), (p, -1)]).unwrap();
        let goal = |bound| {
            let both =
                Predicate::and([Predicate::at_least(c, 5), Predicate::at_most(sum.clone(), bound)]);
            Predicate::or([Predicate::at_least(a, 1), both])
        };
        let capped = |predicate: &Predicate| caps(&net, [predicate])[1..].to_vec();
        assert_eq!(caps(&net, [&goal(7)])[p.index()], None, "something takes from it");
        assert_eq!(capped(&goal(7)), [Some(1), None, Some(5), Some(0)]);
        assert_eq!(capped(&Predicate::no_more_than(a, 3)), [Some(4), Some(0), Some(0), Some(0)]);
        assert_eq!(capped(&Predicate::Dead), [Some(0); 4]);
        // There are infinitely many markings, but a claim about one sink distinguishes only a few.
        let visited = |predicate: &Predicate| {
            let visited = visit_capped(&net, &caps(&net, [predicate]), 9, |_| true);
            visited.map(|visited| visited.count()).ok()
        };
        assert_eq!(visited(&Predicate::at_least(a, 3)), Some(4));
        assert_eq!(visited(&Predicate::Dead), Some(1));
        assert_eq!(visited(&goal(7)), None);
    }
}
