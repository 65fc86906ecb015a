//! Candidates for backward steps: sequences of transitions that undo an intermediate product.
//!
//! A single transition is a step. Two steps x and y *compose* if undoing x produces tokens on a
//! place where undoing y needs tokens. Then x, y is a step that needs fewer tokens of this place
//! than y. For example, an enzyme that is bound is set free first, or an intermediate product
//! exists only between the two.
//!
//! The library is filled by a best-first search over compositions. Steps that involve few places
//! come first. A step is left out if another step with the same effect needs no more tokens, or if
//! its second part needs no more tokens than the whole step.
//!
//! In a given marking, a possible step x, y is of no use if y alone is possible. If the step
//! decreases a weighted sum, then x or y alone decreases the sum.

use parikh_evidence::counting::family::MAX_SEQUENCE;
use parikh_net::{Net, TransitionId};
use parikh_solvers::Budget;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

/// The largest number of places that a composed step changes.
const MAX_CHANGED: usize = 8;

/// The largest number of places where a composed step needs tokens.
const MAX_NEEDED: usize = 8;

/// The largest number of compositions in the queue of the search. Later compositions are dropped.
const MAX_QUEUE: usize = 300_000;

/// Numbers of tokens by place index, sorted, without zeros.
type Tokens = Vec<(usize, i64)>;

/// A sequence of transitions that is undone from its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// The transitions in the order of firing.
    pub(super) sequence: Vec<TransitionId>,
    /// The tokens that must be present so that the sequence can be undone.
    pub(super) needed: Tokens,
    /// The change of the marking when the sequence is undone.
    pub(super) effect: Tokens,
    /// The tokens that must be present so that the second part of a composed step can be undone
    /// alone. Empty for a single transition.
    second_needed: Tokens,
}

impl Step {
    /// Returns the step that undoes `t`, unless `t` changes nothing.
    fn single(net: &Net, t: TransitionId) -> Option<Step> {
        let needed =
            net.post(t).iter().map(|it| Some((it.place.index(), it.weight.try_into().ok()?)));
        let mut needed = needed.collect::<Option<Tokens>>()?;
        let mut effect: Tokens =
            net.delta(t).iter().map(|it| (it.place.index(), -it.delta)).collect();
        needed.sort_unstable();
        effect.sort_unstable();
        let step = Step { sequence: vec![t], needed, effect, second_needed: Vec::new() };
        (!step.effect.is_empty()).then_some(step)
    }

    /// Returns the step that undoes `self` first and `next` afterwards. Returns `None` if the steps
    /// do not compose, or if the composed step is large or useless.
    fn then(&self, next: &Step) -> Option<Step> {
        if self.sequence.len() + next.sequence.len() > MAX_SEQUENCE {
            return None;
        }
        let mut needed = self.needed.clone();
        for &(p, tokens) in &next.needed {
            let left = tokens.checked_sub(value(&self.effect, p))?;
            match needed.binary_search_by_key(&p, |it| it.0) {
                Ok(at) => needed[at].1 = needed[at].1.max(left),
                Err(at) if left > 0 => needed.insert(at, (p, left)),
                Err(_) => {}
            }
        }
        let mut effect = self.effect.clone();
        for &(p, tokens) in &next.effect {
            match effect.binary_search_by_key(&p, |it| it.0) {
                Ok(at) => effect[at].1 = effect[at].1.checked_add(tokens)?,
                Err(at) => effect.insert(at, (p, tokens)),
            }
        }
        effect.retain(|it| it.1 != 0);
        let is_small = (1..=MAX_CHANGED).contains(&effect.len()) && needed.len() <= MAX_NEEDED;
        // Otherwise `next` alone is possible wherever the composed step is.
        let is_useful = !covers(&needed, &next.needed);
        (is_small && is_useful).then(|| Step {
            sequence: next.sequence.iter().chain(&self.sequence).copied().collect(),
            needed,
            effect,
            second_needed: next.needed.clone(),
        })
    }

    /// Returns true if the step is possible in the marking, but its second part alone is not.
    pub(super) fn is_useful_in(&self, marking: &[u64]) -> bool {
        let is_possible = |needed: &Tokens| {
            needed.iter().all(|&(p, tokens)| i128::from(marking[p]) >= i128::from(tokens))
        };
        is_possible(&self.needed) && (self.sequence.len() == 1 || !is_possible(&self.second_needed))
    }

    /// Returns the rank of the step in the search. Smaller ranks are better.
    fn rank(&self) -> (usize, usize, i64) {
        let tokens = self.effect.iter().fold(0i64, |sum, it| sum.saturating_add(it.1.abs()));
        (self.effect.len() + self.needed.len(), self.sequence.len(), tokens)
    }
}

/// Returns the tokens of a place.
fn value(tokens: &Tokens, p: usize) -> i64 {
    tokens.binary_search_by_key(&p, |it| it.0).map_or(0, |at| tokens[at].1)
}

/// Returns true if `more` has at least the tokens of `less` on each place.
fn covers(more: &Tokens, less: &Tokens) -> bool {
    less.iter().all(|&(p, tokens)| value(more, p) >= tokens)
}

/// A list of steps, the most promising ones first.
pub(super) struct StepLibrary {
    pub(super) steps: Vec<Step>,
    /// For each effect, the `needed` tokens of every listed step with this effect.
    known: HashMap<Tokens, Vec<Tokens>>,
}

impl StepLibrary {
    /// Lists the single transitions.
    pub(super) fn singles(net: &Net) -> StepLibrary {
        let mut library = StepLibrary { steps: Vec::new(), known: HashMap::new() };
        for step in net.transitions().filter_map(|t| Step::single(net, t)) {
            library.add(step);
        }
        library
    }

    /// Lists up to `limit` steps, single transitions and compositions. Stops early when the budget
    /// is used up.
    pub(super) fn compositions(net: &Net, limit: usize, budget: &Budget) -> StepLibrary {
        let mut library = StepLibrary { steps: Vec::new(), known: HashMap::new() };
        let mut queue = BinaryHeap::new();
        let mut waiting: Vec<Option<Step>> = Vec::new();
        let push = |queue: &mut BinaryHeap<_>, waiting: &mut Vec<Option<Step>>, step: Step| {
            if queue.len() < MAX_QUEUE {
                queue.push(Reverse((step.rank(), waiting.len())));
                waiting.push(Some(step));
            }
        };
        for t in net.transitions() {
            if let Some(step) = Step::single(net, t) {
                push(&mut queue, &mut waiting, step);
            }
        }
        // The listed steps that need tokens of a place, and those that produce tokens there.
        let mut needing: Vec<Vec<usize>> = vec![Vec::new(); net.place_count()];
        let mut putting: Vec<Vec<usize>> = vec![Vec::new(); net.place_count()];
        while let Some(Reverse((_, at))) = queue.pop() {
            if library.steps.len() >= limit || budget.is_exhausted() {
                break;
            }
            let Some(step) = waiting[at].take() else { continue };
            let Some(index) = library.add(step) else { continue };
            let step = library.steps[index].clone();
            step.needed.iter().for_each(|&(p, _)| needing[p].push(index));
            let puts = |it: &&(usize, i64)| it.1 > 0;
            step.effect.iter().filter(puts).for_each(|&(p, _)| putting[p].push(index));
            let after: BTreeSet<usize> =
                step.effect.iter().filter(puts).flat_map(|&(p, _)| &needing[p]).copied().collect();
            let before: BTreeSet<usize> =
                step.needed.iter().flat_map(|&(p, _)| &putting[p]).copied().collect();
            for next in after {
                if let Some(composed) = step.then(&library.steps[next]) {
                    push(&mut queue, &mut waiting, composed);
                }
            }
            for first in before.into_iter().filter(|&first| first != index) {
                if let Some(composed) = library.steps[first].then(&step) {
                    push(&mut queue, &mut waiting, composed);
                }
            }
        }
        library
    }

    /// Adds a step and returns its index. Returns `None` if a known step with the same effect needs
    /// no more tokens.
    fn add(&mut self, step: Step) -> Option<usize> {
        let known = self.known.entry(step.effect.clone()).or_default();
        if known.iter().any(|needed| covers(&step.needed, needed)) {
            return None;
        }
        known.push(step.needed.clone());
        self.steps.push(step);
        Some(self.steps.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    fn names(net: &Net, library: &StepLibrary) -> Vec<String> {
        let name = |step: &Step| {
            step.sequence.iter().map(|&t| net.transition_name(t)).collect::<Vec<_>>().join(" ")
        };
        library.steps.iter().map(name).collect()
    }

    #[test]
    fn an_intermediate_product_is_undone() {
        // The product r needs the catalyst c, which is made from s in passing.
        let net = text::parse(
            "place s 5\nplace c\nplace q 5\nplace r\ntransition make: s -> c\n\
             transition use: c + q -> c + r\ntransition drop: c -> s",
        )
        .unwrap();
        let library = StepLibrary::compositions(&net, 100, &Budget::unlimited());
        let found = names(&net, &library);
        // In a marking without c, `drop` is undone first, and `use` second.
        assert!(found.contains(&"use drop".to_owned()), "{found:?}");
        let step = &library.steps[found.iter().position(|it| it == "use drop").unwrap()];
        assert_eq!(step.needed, [(0, 1), (3, 1)]);
        assert_eq!(step.effect, [(0, -1), (1, 1), (2, 1), (3, -1)]);
        assert!(step.is_useful_in(&[1, 0, 0, 1]) && !step.is_useful_in(&[1, 1, 0, 1]));
        // Longer ones restore s.
        assert!(found.contains(&"make use drop".to_owned()), "{found:?}");
        assert!(library.steps.iter().all(|it| it.sequence.len() <= MAX_SEQUENCE));
    }

    #[test]
    fn independent_transitions_do_not_compose() {
        let net = text::parse(
            "place a 5\nplace b\nplace c 5\nplace d\ntransition t: a -> b\ntransition u: c -> d",
        )
        .unwrap();
        let library = StepLibrary::compositions(&net, 100, &Budget::unlimited());
        assert_eq!(names(&net, &library), ["t", "u"]);
    }
}
