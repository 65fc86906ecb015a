//! Short loops, sought on purpose: what is nearest to the marking where they begin goes on first.
//!
//! In a large net a loop of six firings is hard to meet by chance where each of them could have
//! been another one, and where a token that is not waited for moves as well. So firings are tried
//! in all ways that the last tokens moved suggest: what takes from where there is more than there
//! was, or puts where there is less. All that is kept of a marking is how it differs from that of
//! the beginning; of two that differ less and more, the first goes on, so that one process is led
//! round before another one begins.

use super::subsets::NOTHING;
use super::walker::{Letters, ProductWalk};
use crate::engine::walk::machine::below;
use parikh_net::{PlaceId, TransitionId};
use parikh_solvers::Budget;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// Firings with which tours of one search begin.
const STARTS: usize = 4;
/// Places looked at from one marking, and arcs of each.
const LOOK: usize = 24;
/// What a token that is not where it was counts, where a firing counts 1.
const AWAY: u64 = 4;
/// Firings between two looks at the budget.
const POLLING: usize = 256;
/// Firings that may be tried on other tours when one was found.
const REWARD: u64 = 20_000;

/// By place, in order, how many tokens more there are than at the beginning; no zeros.
type Moved = Box<[(u32, i64)]>;

/// A marking on tours, and how it was reached.
struct Stop {
    /// The stop before; of the first one itself.
    before: u32,
    /// What fired there, and the letter that this read.
    fired: (u32, u32),
    moved: Moved,
    /// The letter of the marking.
    letter: u32,
    set: u32,
    /// The name of the marking, a sum of those of firings, and a bit for each letter that was read.
    names: (u64, u64),
    firings: u32,
}

/// Where tours of a property begin, and what they have to be.
#[derive(Clone, Copy)]
pub(super) struct Start {
    /// The property.
    pub(super) position: usize,
    /// The set of states of its automaton.
    pub(super) set: u32,
    /// The letter of the marking.
    pub(super) here: u32,
    /// Which letters are read.
    pub(super) allowed: Letters,
}

/// All tours from a marking, as far as they were tried.
struct Tours {
    start: Start,
    stops: Vec<Stop>,
    /// Those that were not gone on from, the nearest and then the last one first.
    open: BinaryHeap<(Reverse<u64>, u32)>,
    /// What was met: the names of the marking and the letters, and the set.
    met: HashSet<(u64, u64, u32)>,
}

impl ProductWalk<'_> {
    /// A loop from the marking of the machine, which is the same after that, of the first so many
    /// firings that are tried.
    pub(super) fn find_tour(
        &mut self,
        start: Start,
        most: usize,
        budget: &Budget,
    ) -> Option<Vec<u32>> {
        let first = Stop {
            before: 0,
            fired: (0, 0),
            moved: Box::default(),
            letter: start.here,
            set: start.set,
            names: (0, 0),
            firings: 0,
        };
        let (open, met) = (BinaryHeap::from([(Reverse(0), 0)]), HashSet::new());
        let mut tours = Tours { start, stops: vec![first], open, met };
        let mut tried = 0;
        while let Some((_, at)) = tours.open.pop() {
            for transition in self.ways_on(&tours.stops[at as usize].moved) {
                tried += 1;
                let is_over = tried > most || self.patience == 0;
                if is_over || self.is_over(tried % POLLING == 0, budget) {
                    return None;
                }
                self.patience -= 1;
                if self.goes_round(&mut tours, at, transition) {
                    self.patience += REWARD;
                    return Some(tours.way_to(tours.stops.len() - 1).0);
                }
            }
        }
        None
    }

    /// The transitions that may fire next, one for each effect.
    fn ways_on(&mut self, moved: &Moved) -> Vec<u32> {
        let (machine, rng) = (&self.machine, &mut self.resources.rng);
        if moved.is_empty() {
            let enabled = machine.enabled();
            let count = enabled.len().min(STARTS);
            let classes: Vec<u32> =
                (0..count).map(|_| enabled.nth(below(rng, enabled.len()))).collect();
            return classes.into_iter().map(|it| machine.representative(it, rng)).collect();
        }
        let (mut ways, mut classes) = (Vec::new(), HashSet::new());
        let turn = below(rng, moved.len());
        for at in 0..moved.len().min(LOOK) {
            let (place, more) = moved[(turn + at) % moved.len()];
            let place = PlaceId::new(place as usize);
            let arcs = if more > 0 { self.net.consumers(place) } else { self.net.producers(place) };
            let turn = below(rng, arcs.len().max(1));
            for at in 0..arcs.len().min(LOOK) {
                let t = arcs[(turn + at) % arcs.len()].transition;
                let class = self.net.effect_of(t);
                let is_enabled = || {
                    self.net.pre(t).iter().all(|arc| {
                        let place = arc.place.index() as u32;
                        let now = machine.value(place).saturating_add(tokens(moved, place));
                        u64::try_from(now).is_ok_and(|now| now >= arc.weight)
                    })
                };
                let moves = !self.net.effect(class).is_empty();
                if moves && !classes.contains(&class) && is_enabled() {
                    classes.insert(class);
                    ways.push(t.index() as u32);
                }
            }
        }
        ways
    }

    /// Goes on from a stop; whether that ends a loop, which is the last stop then.
    fn goes_round(&mut self, tours: &mut Tours, at: u32, transition: u32) -> bool {
        let Start { position, set: base, here, allowed } = tours.start;
        let stop = &tours.stops[at as usize];
        let class = self.machine.class_of(transition);
        let read = self.letter_with(stop.letter, transition);
        let Some(followed) = self.followed[position].as_mut() else { return false };
        let set = match allowed {
            Letters::Accepted => followed.subsets.after(stop.set, read, &self.alphabet),
            Letters::Same | Letters::Any => stop.set,
        };
        let name = stop.names.0.wrapping_add(self.names[class as usize]);
        let letters = match allowed {
            Letters::Accepted => stop.names.1 | 1 << (read % 64),
            Letters::Same | Letters::Any => 0,
        };
        if set == NOTHING || !tours.met.insert((name, letters, set)) {
            return false;
        }
        self.firings += 1;
        let moved = after(&stop.moved, self.net, transition);
        let sees = |&(place, _): &(u32, i64)| followed.looked_at[place as usize];
        let firings = stop.firings + 1;
        let letter = match moved.iter().any(sees) {
            false => here,
            true => match self.letter_after(&tours.way_to(at as usize).0, transition) {
                Some(letter) => letter,
                None => return false,
            },
        };
        let Some(followed) = &self.followed[position] else { return false };
        if allowed == Letters::Same && followed.tells_apart(here, letter, &self.alphabet) {
            return false;
        }
        let distance: u64 = moved.iter().map(|(_, more)| more.unsigned_abs()).sum();
        let cost = distance.saturating_mul(AWAY).saturating_add(firings.into());
        let is_back = moved.iter().all(|it| it.1 > 0 && !followed.looked_at[it.0 as usize]);
        let next = tours.stops.len() as u32;
        let (before, fired, names) = (at, (transition, read), (name, letters));
        tours.stops.push(Stop { before, fired, moved, letter, set, names, firings });
        tours.open.push((Reverse(cost), next));
        is_back
            && (allowed != Letters::Accepted || {
                let (_, letters) = tours.way_to(next as usize);
                followed.subsets.accepts_again_and_again(base, &letters, &self.alphabet)
            })
    }

    /// The letter of the marking after these firings and one more; nothing where a number would
    /// not fit.
    fn letter_after(&mut self, way: &[u32], transition: u32) -> Option<u32> {
        let flipped = self.machine.flipped;
        let mut fired = Vec::with_capacity(way.len() + 1);
        let mut fits = true;
        for &t in way.iter().chain([&transition]) {
            let class = self.machine.class_of(t);
            fits = self.machine.fire(class);
            if !fits {
                break;
            }
            fired.push(class);
        }
        let letter = self.letter_here();
        for &class in fired.iter().rev() {
            self.machine.fire_many(class, -1);
        }
        self.machine.news.clear();
        let counted = way.len() as u64 + self.counted_since(flipped);
        self.patience = self.patience.saturating_sub(counted);
        fits.then_some(letter)
    }
}

impl Tours {
    /// What fires on the way to a stop, and the letters that it reads.
    fn way_to(&self, stop: usize) -> (Vec<u32>, Vec<u32>) {
        let mut way = Vec::new();
        let mut at = stop;
        while at != 0 {
            way.push(self.stops[at].fired);
            at = self.stops[at].before as usize;
        }
        way.into_iter().rev().unzip()
    }
}

/// How many tokens more there are on a place.
fn tokens(moved: &Moved, place: u32) -> i64 {
    moved.binary_search_by_key(&place, |&(it, _)| it).map_or(0, |at| moved[at].1)
}

/// What is moved after one more firing.
fn after(moved: &Moved, net: &parikh_net::Net, transition: u32) -> Moved {
    let class = net.effect_of(TransitionId::new(transition as usize));
    let mut all: Vec<(u32, i64)> = moved.to_vec();
    for change in net.effect(class) {
        let place = change.place.index() as u32;
        match all.binary_search_by_key(&place, |&(it, _)| it) {
            Ok(at) => {
                all[at].1 = all[at].1.saturating_add(change.delta);
                if all[at].1 == 0 {
                    all.remove(at);
                }
            }
            Err(at) => all.insert(at, (place, change.delta)),
        }
    }
    all.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::walk::product::Atoms;
    use crate::engine::walk::product::subsets::FIRST;
    use parikh_net::run_property::{RunAtom, RunProperty};
    use parikh_net::{Net, Predicate, text};
    use parikh_temporal::{Atom, Linear, Ltl};
    use std::fmt::Write as _;

    /// A token that has seven choices out of eight wrong, twice, until it comes back; and others
    /// that move all the time and never come back.
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

    /// Again and again, or never, so that no token is here.
    fn tours(net: &Net, place: &str, never: bool) -> Vec<Option<Vec<String>>> {
        let holds = Predicate::at_least(net.place_named(place).unwrap(), 1);
        let mut formulas = Ltl::default();
        let atom = formulas.atom(Atom(0));
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
            let here = walk.letter_here();
            let allowed = if never { Letters::Same } else { Letters::Accepted };
            let start = Start { position: 0, set: FIRST, here, allowed };
            let tour = walk.find_tour(start, 5_000, &budget);
            let initial = net.initial().tokens().iter().map(|&tokens| tokens as i64);
            assert!(walk.machine.tokens().eq(initial), "the machine is where it was");
            let name = |t: u32| net.transition_name(TransitionId::new(t as usize)).to_owned();
            found.push(tour.map(|tour| tour.into_iter().map(name).collect()));
        }
        found
    }

    #[test]
    fn the_one_way_back_is_found_and_nothing_else() {
        let net = forks();
        let round = ["leave5", "go52", "back"].map(str::to_owned).to_vec();
        let all = tours(&net, "away", false);
        let found = all.iter().flatten();
        assert!(found.clone().all(|tour| *tour == round));
        // It begins with a few of all firings; in a walk there are many beginnings.
        assert!(found.count() >= 1, "{all:?}");
        // On the only way round the letter changes.
        assert!(tours(&net, "away", true).iter().all(Option::is_none));
        let all = tours(&net, "lost", true);
        assert!(all.iter().flatten().all(|tour| *tour == round));
        assert!(all.iter().flatten().count() >= 1, "{all:?}");
    }
}
