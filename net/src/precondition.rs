//! Preconditions of one firing: EX φ and AX φ as predicates on the marking before the firing.
//!
//! A marking m satisfies EX φ if some transition t is enabled in m and φ holds in m′ = m + C·t. A
//! linear atom Σ ≤ b holds in m′ if Σ ≤ b − Σ(C·t) holds in m. A transition u is enabled in m′ if
//! each place p from which u takes w tokens has at least w − C(p, t) tokens in m. With φ_t for "φ
//! after t",
//!
//! > EX φ = ∨_t (enabled(t) ∧ φ_t),  AX φ = ¬EX ¬φ,
//!
//! Transitions with the same φ_t share one copy of it. Transitions that change nothing in φ share φ
//! itself. In a dead marking EX φ is false and AX φ is true, as the definition requires.

use crate::features::Features;
use crate::id::TransitionId;
use crate::net::Net;
use crate::predicate::{Atom, Predicate};
use crate::sum::{LinearSum, add_up};
use parikh_temporal::{Ctl, Formula, Node, PartValues, Quantifier};
use std::collections::HashMap;

/// The largest number of transitions without effect on the predicate that `before_some_near` and
/// `before_all_near` test one by one for enabledness. More such transitions count as never enabled
/// or as always enabled.
const MAX_LISTED_TRANSITIONS: usize = 16;

impl Predicate {
    /// Returns EX of this predicate, as a predicate on the marking before the firing. Returns
    /// `None` if this predicate, an intermediate result or the final result has more than
    /// `max_leaves` leaves, or if numbers are too large. Also returns `None` if the predicate
    /// mentions deadness, or if the net has features other than arcs with weights.
    pub fn before_some(&self, net: &Net, max_leaves: usize) -> Option<Predicate> {
        self.ex_with_far(net, max_leaves, None)
    }

    /// Returns a predicate that implies [`before_some`](Self::before_some) and may read fewer
    /// places. If more than `MAX_LISTED_TRANSITIONS` transitions have no effect on the predicate,
    /// they count as never enabled. Otherwise the result is `before_some` itself. Returns `None` in
    /// the same cases as `before_some`.
    pub fn before_some_near(&self, net: &Net, max_leaves: usize) -> Option<Predicate> {
        self.ex_with_far(net, max_leaves, Some(false))
    }

    /// Returns a predicate that implies [`before_all`](Self::before_all) and may read fewer places.
    /// If more than `MAX_LISTED_TRANSITIONS` transitions have no effect on the predicate, they
    /// count as always enabled. Otherwise the result is `before_all` itself. Returns `None` in the
    /// same cases as [`before_some`](Self::before_some).
    pub fn before_all_near(&self, net: &Net, max_leaves: usize) -> Option<Predicate> {
        Some(self.clone().negated().ex_with_far(net, max_leaves, Some(true))?.negated().sorted())
    }

    /// Returns EX of this predicate. Returns `None` in the same cases as
    /// [`before_some`](Self::before_some). With `far_is_enabled = None`, the result is exact.
    /// Otherwise more than `MAX_LISTED_TRANSITIONS` transitions without effect on the predicate are
    /// not tested for enabledness. Instead, some of them (`true`) or none of them (`false`) counts
    /// as enabled.
    fn ex_with_far(
        &self,
        net: &Net,
        max_leaves: usize,
        far_is_enabled: Option<bool>,
    ) -> Option<Predicate> {
        if !Features::PLAIN.and(Features::WEIGHTS).cover(net.features()) || self.mentions_deadness()
        {
            return None;
        }
        if *self == Predicate::False {
            return Some(Predicate::False);
        }
        // Most transitions usually leave the predicate unchanged, and then it is itself a part of
        // EX. So EX has hardly fewer leaves than the predicate.
        if self.leaf_count() > max_leaves {
            return None;
        }
        let terms_of_place = self.terms_by_place(net);
        // Transitions that shift the left sides of the comparisons by the same amounts give the
        // same predicate, which is built once. The work for each transition grows with the places
        // that it changes, not with the length of sums. There are sums over thousands of places,
        // and nets with hundreds of thousands of transitions.
        let mut group_of_shifts: HashMap<Vec<(u32, i128)>, usize> = HashMap::new();
        let mut group_numbers: HashMap<Predicate, usize> = HashMap::new();
        let mut groups: Vec<(Predicate, Vec<TransitionId>)> = Vec::new();
        let mut leaf_count = 0;
        for t in net.transitions() {
            let changes = net
                .delta(t)
                .iter()
                .filter(|change| !terms_of_place[change.place.index()].is_empty());
            let changes: Vec<(usize, i64)> =
                changes.map(|change| (change.place.index(), change.delta)).collect();
            let shifts = shifts(&terms_of_place, &changes);
            let group = match group_of_shifts.get(&shifts) {
                Some(&known_group) => known_group,
                None => {
                    let shifted = self.shifted(net, &changes)?;
                    let next = groups.len();
                    let number = *group_numbers.entry(shifted.clone()).or_insert(next);
                    if number == next {
                        leaf_count += shifted.leaf_count();
                        groups.push((shifted, Vec::new()));
                    }
                    if leaf_count > max_leaves {
                        return None;
                    }
                    group_of_shifts.insert(shifts, number);
                    number
                }
            };
            groups[group].1.push(t);
        }
        let count_of_all = net.transition_count();
        let cases = groups.into_iter().map(|(shifted, transitions)| {
            let some_enabled = match far_is_enabled {
                Some(counts_as_enabled)
                    if transitions.len() > MAX_LISTED_TRANSITIONS && shifted == *self =>
                {
                    Predicate::constant(counts_as_enabled)
                }
                _ if transitions.len() == count_of_all => Predicate::NotDead,
                _ => Predicate::or(transitions.into_iter().map(Predicate::Enabled)),
            };
            Predicate::and([shifted, some_enabled])
        });
        let before = Predicate::or(cases).sorted();
        Some(before).filter(|before| before.leaf_count() <= max_leaves)
    }

    /// Returns AX of this predicate: it holds if this predicate holds after every firing, and in
    /// dead markings. Returns `None` in the same cases as [`before_some`](Self::before_some).
    pub fn before_all(&self, net: &Net, max_leaves: usize) -> Option<Predicate> {
        Some(self.clone().negated().before_some(net, max_leaves)?.negated().sorted())
    }

    /// Returns the predicate that holds in m exactly if this predicate holds in m + `changes`. Each
    /// change is a place's index with the difference of its tokens; the places ascend. Without
    /// changes, returns this predicate. Otherwise returns `None` if numbers are too large, or if
    /// the predicate speaks of deadness.
    fn shifted(&self, net: &Net, changes: &[(usize, i64)]) -> Option<Predicate> {
        if changes.is_empty() {
            return Some(self.clone());
        }
        let change_of = |place: usize| {
            changes
                .binary_search_by_key(&place, |&(changed_place, _)| changed_place)
                .map_or(0, |index_of_change| changes[index_of_change].1)
        };
        let shift_all = |operands: &[Predicate]| -> Option<Vec<Predicate>> {
            operands.iter().map(|part| part.shifted(net, changes)).collect()
        };
        let enabled = |t: TransitionId| {
            let pre = net.pre(t);
            if pre.iter().all(|arc| change_of(arc.place.index()) == 0) {
                return Some(Predicate::Enabled(t));
            }
            let inputs: Option<Vec<Predicate>> = pre
                .iter()
                .map(|arc| {
                    let change = i128::from(change_of(arc.place.index()));
                    let required = (i128::from(arc.weight) - change).max(0);
                    let required =
                        u64::try_from(required).ok().filter(|&required| required <= 1 << 63)?;
                    Some(Predicate::at_least(arc.place, required))
                })
                .collect();
            inputs.map(Predicate::and)
        };
        match self {
            Predicate::True | Predicate::False => Some(self.clone()),
            Predicate::Atom(Atom { sum, bound }) => {
                let terms = sum.terms().iter();
                let total_change: i128 = terms
                    .map(|&(place, a)| i128::from(a) * i128::from(change_of(place.index())))
                    .sum();
                let bound = i64::try_from(i128::from(*bound) - total_change).ok()?;
                Some(Predicate::at_most(LinearSum::clone(sum), bound))
            }
            Predicate::Enabled(t) => enabled(*t),
            Predicate::Disabled(t) => enabled(*t).map(Predicate::negated),
            Predicate::Dead | Predicate::NotDead => None,
            Predicate::And(operands) => shift_all(operands).map(Predicate::and),
            Predicate::Or(operands) => shift_all(operands).map(Predicate::or),
        }
    }

    /// Numbers the left sides of all comparisons from left to right: the sum of each atom, and the
    /// tokens of each input place of a transition tested for enabledness. Returns, for each place,
    /// the numbers of the left sides in which it occurs, each with its coefficient.
    fn terms_by_place(&self, net: &Net) -> Vec<Vec<(u32, i64)>> {
        fn read(
            predicate: &Predicate,
            net: &Net,
            next: &mut u32,
            terms_of_place: &mut [Vec<(u32, i64)>],
        ) {
            match predicate {
                Predicate::Atom(Atom { sum, .. }) => {
                    sum.terms()
                        .iter()
                        .for_each(|&(place, a)| terms_of_place[place.index()].push((*next, a)));
                    *next += 1;
                }
                Predicate::Enabled(t) | Predicate::Disabled(t) => {
                    for arc in net.pre(*t) {
                        terms_of_place[arc.place.index()].push((*next, 1));
                        *next += 1;
                    }
                }
                Predicate::And(parts) | Predicate::Or(parts) => {
                    parts.iter().for_each(|part| read(part, net, next, terms_of_place));
                }
                Predicate::True | Predicate::False | Predicate::Dead | Predicate::NotDead => {}
            }
        }
        let mut terms_of_place = vec![Vec::new(); net.place_count()];
        read(self, net, &mut 0, &mut terms_of_place);
        terms_of_place
    }

    /// Returns the number of leaves, that is, of subformulas other than conjunctions and
    /// disjunctions.
    pub fn leaf_count(&self) -> usize {
        match self {
            Predicate::And(parts) | Predicate::Or(parts) => {
                parts.iter().map(Predicate::leaf_count).sum()
            }
            _ => 1,
        }
    }
}

/// Returns, for each left side of the comparisons of a predicate, its number and the amount by
/// which `changes` shifts it. Left sides that do not change are left out. Each change is a place's
/// index with the difference of its tokens.
fn shifts(terms_of_place: &[Vec<(u32, i64)>], changes: &[(usize, i64)]) -> Vec<(u32, i128)> {
    let shifts_of_change = |&(place, change): &(usize, i64)| {
        terms_of_place[place]
            .iter()
            .map(move |&(number, a)| (number, i128::from(a) * i128::from(change)))
    };
    let mut result: Vec<(u32, i128)> = changes.iter().flat_map(shifts_of_change).collect();
    // No overflow: Σ|a| of a sum and each change are below 2⁶³.
    add_up(&mut result);
    result
}

/// Returns a subformula of a CTL formula as a predicate. Returns `None` if it has temporal
/// operators other than EX and AX. Also returns `None` if [`before_some`](Predicate::before_some)
/// fails for an operand of EX or AX, such as beyond `max_leaves` leaves.
pub fn condition_before(
    formulas: &Ctl,
    part: Formula<Quantifier>,
    atoms: &[Predicate],
    net: &Net,
    max_leaves: usize,
) -> Option<Predicate> {
    formulas.fold(part, |_, node, predicate_of: &PartValues<Quantifier, Option<Predicate>>| {
        let predicates_of = |parts: &[Formula<Quantifier>]| -> Option<Vec<Predicate>> {
            parts.iter().map(|&part| predicate_of[part].clone()).collect()
        };
        match node {
            Node::True => Some(Predicate::True),
            Node::False => Some(Predicate::False),
            Node::Literal(literal) => {
                let atom = atoms[literal.atom.0 as usize].clone();
                Some(if literal.positive { atom } else { atom.negated() })
            }
            Node::And(parts) => predicates_of(parts).map(Predicate::and),
            Node::Or(parts) => predicates_of(parts).map(Predicate::or),
            Node::Next(Quantifier::Exists, inner) => {
                predicate_of[*inner].as_ref()?.before_some(net, max_leaves)
            }
            Node::Next(Quantifier::All, inner) => {
                predicate_of[*inner].as_ref()?.before_all(net, max_leaves)
            }
            Node::Until(..) | Node::Release(..) => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transitions_without_effect_are_left_out_of_large_preconditions() {
        let others: String = (0..20).map(|i| format!("\ntransition u{i}: s -> s")).collect();
        let text = format!("net n\nplace p 1\nplace q\nplace s\ntransition t: p -> q{others}");
        let net = crate::text::parse(&text).unwrap();
        let [p, q] = ["p", "q"].map(|it| Predicate::at_least(net.place_named(it).unwrap(), 1));
        assert_eq!(q.before_some(&net, 100).unwrap().support(&net).len(), 3);
        let near = q.before_some_near(&net, 100).unwrap();
        assert!(near.support(&net).len() < 3 && near.holds(&net, net.initial()));
        let near = p.before_all_near(&net, 100).unwrap();
        assert!(near.support(&net).len() < 3 && !near.holds(&net, net.initial()));
        let [not_p, not_q] = [p, q].map(Predicate::negated);
        assert!(not_p.before_all_near(&net, 100).is_some_and(|it| !it.holds(&net, net.initial())));
        assert!(not_q.before_some_near(&net, 100).is_some_and(|it| !it.holds(&net, net.initial())));
    }

    #[test]
    fn large_predicates_and_deadness_have_no_precondition() {
        let net = crate::text::parse("net n\nplace p 1\nplace q\ntransition t: p -> q").unwrap();
        let q = Predicate::at_least(net.place_named("q").unwrap(), 1);
        assert!(q.before_some(&net, 1).is_none());
        assert!(Predicate::Dead.before_some(&net, 100).is_none());
        let before = q.before_some(&net, 100).unwrap();
        assert!(before.holds(&net, net.initial()));
    }
}
