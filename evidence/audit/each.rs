//! A search made again for each of several claims, one of which is enough.
//!
//! A *sink* is a place from which nothing takes. No firing depends on it, so only the claim looks
//! at it; and where the claim compares it by itself with a number, tokens beyond that number make
//! no difference. So a marking is visited with each sink *capped*: with min(m(s), k) tokens, where
//! the claim tells apart no numbers from k on.
//!
//! That decides the same question. Let c(m) be the capped marking. The same transitions are enabled
//! in m and in c(m), which differ in sinks only. If t leads from m to n, it leads from c(m) to a
//! marking whose capped one is c(n), as min(min(a, k) + w, k) = min(a + w, k). By induction the
//! markings visited are c(m) of all reachable m, and the claim is true of c(m) just when it is of
//! m.
//!
//! The net of `RelaxedSoundness` has a sink for each transition, which counts its firings:
//! infinitely many markings, even where the model has four. Capped for all claims together, the
//! counters of n transitions still have 2ⁿ values. Capped for one claim,
//! `f and a token on the counter of t`, only one counter is left, with two values: there are at
//! most twice as many markings as the model has.

use super::account::{Account, in_words};
use super::{Verdict, Watch};
use crate::Flaw;
use crate::certificate::markings::visit_capped;
use crate::words::all_markings_were;
use parikh_net::{Atom, Net, Predicate};

/// Whether one of these predicates that `account` has still to refute, by their places, is true of
/// no reachable marking. For each, at most so many markings are visited; where these are not all,
/// the verdict is `unvisited`.
pub(super) fn search_each(
    net: &Net,
    account: &mut Account<'_>,
    claims: &[usize],
    most: u64,
    watch: &Watch,
    unvisited: impl Fn(&str) -> Verdict,
) -> Verdict {
    let mut reached = None;
    for &at in claims {
        let (predicate, done) = &mut account.refuted[at];
        let mut holds = false;
        let found = visit_capped(net, &caps(net, [&*predicate]), most, |marking| {
            holds = predicate.holds(net, marking);
            !holds && watch.goes_on()
        });
        match found {
            Ok(visited) => {
                *done = true;
                let count = visited.count();
                return Verdict::Confirmed(format!("{} visited again", all_markings_were(count)));
            }
            Err(Flaw::Stopped) if holds => reached = Some(in_words(net, predicate)),
            Err(Flaw::More(most)) => return unvisited(&format!("more than {most} are reachable")),
            Err(flaw) => return Verdict::Refused(format!("visited again: {flaw}")),
        }
    }
    Verdict::Refused(match reached {
        Some(what) => format!("visited again: it is not true that {what}"),
        None => "visited again: nothing of it is shown".to_owned(),
    })
}

/// Whether there is a place from which nothing takes.
pub(super) fn has_sinks(net: &Net) -> bool {
    net.places().any(|place| net.consumers(place).is_empty())
}

/// For each place the number of tokens from which on these predicates tell none apart: `None` where
/// they may tell all, or firings depend on them.
fn caps<'p>(net: &Net, predicates: impl IntoIterator<Item = &'p Predicate>) -> Vec<Option<u64>> {
    let is_sink = |place| net.consumers(place).is_empty();
    let mut caps: Vec<Option<u64>> = net.places().map(|p| is_sink(p).then_some(0)).collect();
    let mut open: Vec<&Predicate> = predicates.into_iter().collect();
    while let Some(next) = open.pop() {
        match next {
            Predicate::And(parts) | Predicate::Or(parts) => open.extend(parts),
            Predicate::Atom(Atom { sum, bound }) => match sum.terms() {
                // |a|·m ≥ −bound is the same of all m from |bound| on, |a|·m ≤ bound of all beyond.
                &[(place, a)] => {
                    let from = bound.unsigned_abs().saturating_add(u64::from(a > 0));
                    let cap = &mut caps[place.index()];
                    *cap = cap.map(|cap| cap.max(from));
                }
                terms => terms.iter().for_each(|(place, _)| caps[place.index()] = None),
            },
            // They depend on places that something takes from.
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
    use parikh_net::{LinearSum, text};

    #[test]
    fn sinks_are_capped_where_a_claim_tells_no_more_apart() {
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
        // Infinitely many markings, of which a claim about one sink tells a few apart.
        let visited = |predicate: &Predicate| {
            let visited = visit_capped(&net, &caps(&net, [predicate]), 9, |_| true);
            visited.map(|visited| visited.count()).ok()
        };
        assert_eq!(visited(&Predicate::at_least(a, 3)), Some(4));
        assert_eq!(visited(&Predicate::Dead), Some(1));
        assert_eq!(visited(&goal(7)), None);
    }
}
