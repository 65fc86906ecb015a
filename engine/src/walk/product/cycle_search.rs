//! Best-first search for short cycles: markings nearest to the start are expanded first.
//!
//! In a large net a random walk rarely closes a cycle of six firings: at each firing other
//! transitions may fire, and unrelated tokens move. So the search tries all firings that the
//! recently moved tokens suggest: those that consume from a place with more tokens than at the
//! start, or produce on a place with fewer tokens. A marking is stored as its difference from the
//! start. Markings with smaller differences are expanded first, so that one process completes its
//! cycle before another one begins.

use super::subsets::EMPTY_SET;
use super::walker::{AllowedLetters, ProductWalk};
use crate::walk::machine::random_below;
use parikh_net::{PlaceId, TransitionId};
use parikh_solvers::Budget;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// Maximum number of transitions tried from the start marking.
const MAX_FIRST_FIRINGS: usize = 4;
/// Limit on the number of changed places inspected per marking, and on the number of arcs inspected
/// per place.
const MAX_INSPECTED: usize = 24;
/// Cost of each token that is missing or additional compared with the start. A firing costs 1. The
/// search expands markings of the least cost first.
const DISPLACED_TOKEN_COST: u64 = 4;
/// Number of firings between two checks of the budget.
const POLLING: usize = 256;
/// Number of additional firings for cycle searches granted after a cycle was found.
const FIRINGS_PER_FOUND_CYCLE: u64 = 20_000;

/// Pairs of a place and its difference in tokens from the start, by ascending place, without zeros.
type TokenDifferences = Box<[(u32, i64)]>;

/// A marking found by the search for a cycle, with its predecessor.
struct CycleSearchNode {
    /// Index of the predecessor. The first node is its own predecessor.
    predecessor: u32,
    /// The transition whose firing led to this marking, and the number of the letter read by this
    /// firing.
    transition_and_letter: (u32, u32),
    differences: TokenDifferences,
    /// Number of the letter of the marking.
    letter: u32,
    /// Number of the set of automaton states after the letters read so far. Tracked only for
    /// [`AllowedLetters::Accepted`]; otherwise it stays the set of the start.
    set: u32,
    /// The hash of the marking, and a bit mask of the letters read. The hash is the sum of
    /// `class_hashes` over the fired classes. A letter with number n sets bit n modulo 64. The mask
    /// is tracked only for [`AllowedLetters::Accepted`] and is 0 otherwise.
    hash_and_letters: (u64, u64),
    /// Number of firings from the start.
    firings: u32,
}

/// Start and requirements of a search.
#[derive(Clone, Copy)]
pub(super) struct CycleStart {
    /// Index of the property.
    pub(super) position: usize,
    /// Number of the set of automaton states at the start.
    pub(super) set: u32,
    /// Number of the letter of the start marking.
    pub(super) base_letter: u32,
    /// The letters that the cycle may read.
    pub(super) allowed: AllowedLetters,
}

/// A best-first search for a cycle from a given marking.
struct CycleSearch {
    /// The property, its state set and letter at the start marking, and the letters that the cycle
    /// may read.
    start: CycleStart,
    /// The markings found so far.
    nodes: Vec<CycleSearchNode>,
    /// Costs and indices of the unexpanded nodes, the cheapest first and then the newest.
    open: BinaryHeap<(Reverse<u64>, u32)>,
    /// The combinations found so far: the hash of the marking, the bit mask of the letters read,
    /// and the number of the state set.
    visited: HashSet<(u64, u64, u32)>,
}

impl ProductWalk<'_> {
    /// Searches for a cycle from the machine's current marking, trying at most `max_firings`
    /// firings. Returns the transitions of the cycle, or `None` if none was found within the
    /// limits. The machine is unchanged afterwards.
    pub(super) fn find_cycle_best_first(
        &mut self,
        start: CycleStart,
        max_firings: usize,
        budget: &Budget,
    ) -> Option<Vec<u32>> {
        let first = CycleSearchNode {
            predecessor: 0,
            transition_and_letter: (0, 0),
            differences: Box::default(),
            letter: start.base_letter,
            set: start.set,
            hash_and_letters: (0, 0),
            firings: 0,
        };
        let (open, visited) = (BinaryHeap::from([(Reverse(0), 0)]), HashSet::new());
        let mut search = CycleSearch { start, nodes: vec![first], open, visited };
        let mut tried = 0;
        while let Some((_, node)) = search.open.pop() {
            for transition in self.candidate_transitions(&search.nodes[node as usize].differences) {
                tried += 1;
                let is_over = tried > max_firings || self.search_firings_left == 0;
                if is_over || self.is_over(tried % POLLING == 0, budget) {
                    return None;
                }
                self.search_firings_left -= 1;
                if self.expand(&mut search, node, transition) {
                    self.search_firings_left += FIRINGS_PER_FOUND_CYCLE;
                    return Some(search.path_to(search.nodes.len() - 1).0);
                }
            }
        }
        None
    }

    /// Returns enabled transitions to try from a marking with these differences from the start.
    /// They consume from places with too many tokens or produce on places with too few, at most one
    /// transition per effect class. At most [`MAX_INSPECTED`] changed places are inspected. From
    /// the start marking itself, at most [`MAX_FIRST_FIRINGS`] transitions are drawn at random,
    /// possibly with repetitions.
    fn candidate_transitions(&mut self, moved: &TokenDifferences) -> Vec<u32> {
        let (machine, rng) = (&self.machine, &mut self.resources.rng);
        if moved.is_empty() {
            let enabled = machine.enabled();
            let count = enabled.len().min(MAX_FIRST_FIRINGS);
            let classes: Vec<u32> =
                (0..count).map(|_| enabled.nth(random_below(rng, enabled.len()))).collect();
            return classes.into_iter().map(|it| machine.representative(it, rng)).collect();
        }
        let (mut candidates, mut classes) = (Vec::new(), HashSet::new());
        let first = random_below(rng, moved.len());
        for offset in 0..moved.len().min(MAX_INSPECTED) {
            let (place, difference) = moved[(first + offset) % moved.len()];
            let place = PlaceId::new(place as usize);
            let arcs =
                if difference > 0 { self.net.consumers(place) } else { self.net.producers(place) };
            let first = random_below(rng, arcs.len().max(1));
            for offset in 0..arcs.len().min(MAX_INSPECTED) {
                let t = arcs[(first + offset) % arcs.len()].transition;
                let class = self.net.effect_of(t);
                // The machine stays at the start marking, so the differences are added to its
                // values.
                let is_enabled = || {
                    self.net.pre(t).iter().all(|arc| {
                        let place = arc.place.index() as u32;
                        let tokens_now =
                            machine.value(place).saturating_add(difference_of(moved, place));
                        u64::try_from(tokens_now).is_ok_and(|tokens_now| tokens_now >= arc.weight)
                    })
                };
                let has_effect = !self.net.effect(class).is_empty();
                if has_effect && !classes.contains(&class) && is_enabled() {
                    classes.insert(class);
                    candidates.push(t.index() as u32);
                }
            }
        }
        candidates
    }

    /// Adds the node reached by firing a transition from a node. Returns true if the new node,
    /// which is then the last one, closes a cycle with an accepted infinite repetition. Adds no
    /// node and returns false if the combination was visited before or the property can no longer
    /// hold. Does the same if the letter is not allowed or a number would overflow.
    fn expand(&mut self, search: &mut CycleSearch, node: u32, transition: u32) -> bool {
        let CycleStart { position: property, set: base_set, base_letter, allowed } = search.start;
        let predecessor = &search.nodes[node as usize];
        let class = self.machine.class_of(transition);
        let read = self.firing_letter(predecessor.letter, transition);
        let Some(followed) = self.followed[property].as_mut() else { return false };
        let set = match allowed {
            AllowedLetters::Accepted => {
                followed.subsets.successor(predecessor.set, read, &self.alphabet)
            }
            AllowedLetters::BaseOnly | AllowedLetters::Any => predecessor.set,
        };
        let hash = predecessor.hash_and_letters.0.wrapping_add(self.class_hashes[class as usize]);
        let letters = match allowed {
            AllowedLetters::Accepted => predecessor.hash_and_letters.1 | 1 << (read % 64),
            AllowedLetters::BaseOnly | AllowedLetters::Any => 0,
        };
        if set == EMPTY_SET || !search.visited.insert((hash, letters, set)) {
            return false;
        }
        self.firings += 1;
        let moved = differences_after(&predecessor.differences, self.net, transition);
        let is_read = |&(place, _): &(u32, i64)| followed.is_read_place[place as usize];
        let firings = predecessor.firings + 1;
        let letter = match moved.iter().any(is_read) {
            false => base_letter,
            true => match self.letter_after(&search.path_to(node as usize).0, transition) {
                Some(letter) => letter,
                None => return false,
            },
        };
        let Some(followed) = &self.followed[property] else { return false };
        if allowed == AllowedLetters::BaseOnly
            && followed.distinguishes(base_letter, letter, &self.alphabet)
        {
            return false;
        }
        let distance: u64 = moved.iter().map(|(_, difference)| difference.unsigned_abs()).sum();
        let cost = distance.saturating_mul(DISPLACED_TOKEN_COST).saturating_add(firings.into());
        // A repeatable cycle takes no token away, and adds tokens only to places that no atom of
        // the property reads.
        let is_back = moved.iter().all(|it| it.1 > 0 && !followed.is_read_place[it.0 as usize]);
        let next = search.nodes.len() as u32;
        let (predecessor_index, fired, hash_and_letter_mask) =
            (node, (transition, read), (hash, letters));
        search.nodes.push(CycleSearchNode {
            predecessor: predecessor_index,
            transition_and_letter: fired,
            differences: moved,
            letter,
            set,
            hash_and_letters: hash_and_letter_mask,
            firings,
        });
        search.open.push((Reverse(cost), next));
        is_back
            && (allowed != AllowedLetters::Accepted || {
                let (_, letters) = search.path_to(next as usize);
                followed.subsets.accepts_repeated_letters(base_set, &letters, &self.alphabet)
            })
    }

    /// Returns the number of the letter of the marking after the firings of `path` and then
    /// `transition`, from the machine's current marking. Returns `None` if a number would overflow.
    fn letter_after(&mut self, path: &[u32], transition: u32) -> Option<u32> {
        let earlier_count = self.machine.update_count;
        let mut fired_classes = Vec::with_capacity(path.len() + 1);
        let mut fits = true;
        for &t in path.iter().chain([&transition]) {
            let class = self.machine.class_of(t);
            fits = self.machine.fire(class);
            if !fits {
                break;
            }
            fired_classes.push(class);
        }
        let letter = self.marking_letter();
        for &class in fired_classes.iter().rev() {
            self.machine.fire_many(class, -1);
        }
        self.machine.news.clear();
        let counted = path.len() as u64 + self.firings_for_updates_since(earlier_count);
        self.search_firings_left = self.search_firings_left.saturating_sub(counted);
        fits.then_some(letter)
    }
}

impl CycleSearch {
    /// Returns the transitions fired on the path to a node, and the letters that the firings read.
    fn path_to(&self, node: usize) -> (Vec<u32>, Vec<u32>) {
        let mut path = Vec::new();
        let mut current = node;
        while current != 0 {
            path.push(self.nodes[current].transition_and_letter);
            current = self.nodes[current].predecessor as usize;
        }
        path.into_iter().rev().unzip()
    }
}

/// Returns the difference of a place's tokens from the start, 0 for a place without an entry.
fn difference_of(moved: &TokenDifferences, place: u32) -> i64 {
    moved.binary_search_by_key(&place, |&(it, _)| it).map_or(0, |index| moved[index].1)
}

/// Returns the differences from the start after one more firing of `transition`.
fn differences_after(
    moved: &TokenDifferences,
    net: &parikh_net::Net,
    transition: u32,
) -> TokenDifferences {
    let class = net.effect_of(TransitionId::new(transition as usize));
    let mut differences: Vec<(u32, i64)> = moved.to_vec();
    for change in net.effect(class) {
        let place = change.place.index() as u32;
        match differences.binary_search_by_key(&place, |&(it, _)| it) {
            Ok(position) => {
                differences[position].1 = differences[position].1.saturating_add(change.delta);
                if differences[position].1 == 0 {
                    differences.remove(position);
                }
            }
            Err(position) => differences.insert(position, (place, change.delta)),
        }
    }
    differences.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::product::Atoms;
    use crate::walk::product::subsets::INITIAL_SET;
    use parikh_net::run_property::{RunAtom, RunProperty};
    use parikh_net::{Net, Predicate, text};
    use parikh_temporal::{AtomId, Linear, Ltl};
    use std::fmt::Write as _;

    /// Returns a net in which a token must twice take the right one of eight alternatives to return
    /// to the place `home`. Other tokens can move at any time and never return.
    fn forks() -> Net {
        let mut net = "place home 1\nplace away\n".to_owned();
        for way in 0..8 {
            writeln!(net, "place out{way}\ntransition leave{way}: home -> out{way}").unwrap();
            for next in 0..8 {
                let to = if (way, next) == (5, 2) { "away" } else { "lost" };
                writeln!(net, "transition go{way}{next}: out{way} -> {to}").unwrap();
            }
        }
        net.push_str("place lost\ntransition back: away -> home\n");
        for other in 0..50 {
            writeln!(net, "place many{other} 9\nplace gone{other}").unwrap();
            writeln!(net, "transition move{other}: many{other} -> gone{other}").unwrap();
        }
        text::parse(&net).unwrap()
    }

    /// Searches for cycles from the initial marking with 20 seeds. The property is "a token is on
    /// the place infinitely often" or, with `never`, "no token is ever on the place". Returns the
    /// transitions of each cycle, `None` if a search found none.
    fn tours(net: &Net, place: &str, never: bool) -> Vec<Option<Vec<String>>> {
        let holds = Predicate::at_least(net.place_named(place).unwrap(), 1);
        let mut formulas = Ltl::default();
        let atom = formulas.atom(AtomId(0));
        let formula = match never {
            true => {
                let not = formulas.negate(atom);
                formulas.always(Linear, not)
            }
            false => {
                let some = formulas.eventually(Linear, atom);
                formulas.always(Linear, some)
            }
        };
        let properties = [RunProperty::new(&formulas, formula, &[RunAtom::Holds(holds)])];
        let (atoms, budget) = (Atoms::new(net, &properties), Budget::unlimited());
        let mut found = Vec::new();
        for seed in 0..20 {
            let mut walk = ProductWalk::new(net, &atoms, &properties, seed, &budget);
            let here = walk.marking_letter();
            let allowed = if never { AllowedLetters::BaseOnly } else { AllowedLetters::Accepted };
            let start = CycleStart { position: 0, set: INITIAL_SET, base_letter: here, allowed };
            let tour = walk.find_cycle_best_first(start, 5_000, &budget);
            let initial = net.initial().tokens().iter().map(|&tokens| tokens as i64);
            assert!(walk.machine.tokens().eq(initial), "the machine is where it was");
            let name = |t: u32| net.transition_name(TransitionId::new(t as usize)).to_owned();
            found.push(tour.map(|tour| tour.into_iter().map(name).collect()));
        }
        found
    }

    #[test]
    fn only_the_single_cycle_is_found() {
        let net = forks();
        let round = ["leave5", "go52", "back"].map(str::to_owned).to_vec();
        let all = tours(&net, "away", false);
        let found = all.iter().flatten();
        assert!(found.clone().all(|tour| *tour == round));
        // A search begins with a few of the possible firings. A walk starts many searches.
        assert!(found.count() >= 1, "{all:?}");
        // The letter changes on the only cycle.
        assert!(tours(&net, "away", true).iter().all(Option::is_none));
        let all = tours(&net, "lost", true);
        assert!(all.iter().flatten().all(|tour| *tour == round));
        assert!(all.iter().flatten().count() >= 1, "{all:?}");
    }
}
