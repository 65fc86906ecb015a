//! Stubborn sets: a subset of the enabled transitions in each marking that is sufficient to find
//! the goal.
//!
//! Independent components of a net multiply their states, but a goal about one component does not
//! need the product. In a marking M that does not satisfy the goal, a set S of transitions is
//! computed. Only the enabled transitions in S are fired. If none is enabled, the goal is
//! unreachable from M.
//!
//! # Conditions
//!
//! S is the least set such that
//!
//! 1. S contains the *interesting* transitions of the goal in M. Each firing sequence from M to a
//!    marking that satisfies the goal contains one of them:
//!    - of an atom Σ a·m ≤ k, false in M: those that lower the sum;
//!    - of a maximum of Σ a·m: those that raise the sum;
//!    - of Dead: for one enabled transition of our choice, those that lower one of its input places
//!      (without one it stays enabled);
//!    - of NotDead, false in M: none (M is dead);
//!    - of a conjunction: those of one false part of our choice; of a disjunction: those of all
//!      parts;
//!    - enabledness is atoms: t enabled is a conjunction over its inputs, disabled a disjunction;
//! 2. for t in S enabled in M and each place that t lowers, S holds every transition with an arc
//!    from that place;
//! 3. for t in S not enabled in M, and one input place of our choice that lacks tokens for t, S
//!    holds every transition that raises that place.
//!
//! If only one transition is enabled in M, S is the set of all transitions, and nothing is
//! computed. Transitions without effect are left out everywhere, since a sequence works without
//! them, but they count as enabled for Dead.
//!
//! # Preserves
//!
//! Reachability of the goal, and the length of a shortest sequence to it; the maximum of a sum.
//! Dead is a conjunction of disabled transitions, so it may occur anywhere in a predicate.
//!
//! # Soundness
//!
//! Let M —σ→ M′, where M′ satisfies the goal and M does not. By 1, σ contains a member of S. Let t
//! be the first one, σ = α t β. No transition of α is in S. Suppose that t is not enabled in M. By
//! 3, no transition of α adds tokens to the place that lacks tokens for t, so t is not enabled
//! after α. Hence t is enabled in M. By 2, no transition of α has an arc from a place that t
//! lowers. So α is enabled after t too, and M —t→ M″ —αβ→ M′, where αβ is one firing shorter than
//! σ. By induction on the length, M′ is reachable from M by firing members of the stubborn sets
//! only. For a maximum, let M′ be a marking with the largest value. If M does not have that value
//! already, σ raises the sum somewhere. The argument needs no marking to be expanded twice, and so
//! no cycle proviso: every step makes σ shorter.
//!
//! # Sources
//!
//! A. Valmari, *The State Explosion Problem*, 1998; K. Schmidt, *Stubborn Sets for Standard
//! Properties*, ICATPN 1999; A. Lehmann, N. Lohmann, K. Wolf, *Stubborn Sets for Simple Linear Time
//! Properties*, ICATPN 2012; F. Bønneland, J. Dyhr, P. G. Jensen, M. Johannsen, J. Srba, *Stubborn
//! Versus Structural Reductions for Petri Nets*, JLAMP 102, 2019 (choices of the closure).

use super::packed_tests::{Test, sums_of};
use super::packing::Packing;
use super::watch::{PackedGoal, SearchGoal, lowering};
use parikh_net::{LinearSum, Net, PlaceId, TransitionId};

/// A list of rows of `u32`, stored in one vector.
struct ListTable {
    /// Start of each row in `entries`, and the end of the last row.
    starts: Vec<u32>,
    /// The entries of all rows, one row after another.
    entries: Vec<u32>,
}

impl ListTable {
    fn new(rows: impl Iterator<Item = Vec<u32>>) -> ListTable {
        let mut lists = ListTable { starts: vec![0], entries: Vec::new() };
        for row in rows {
            lists.entries.extend(row);
            lists.starts.push(lists.entries.len() as u32);
        }
        lists
    }

    fn row(&self, index: usize) -> &[u32] {
        &self.entries[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// Returns the length of a row.
    fn len(&self, index: usize) -> u32 {
        self.starts[index + 1] - self.starts[index]
    }
}

/// A stubborn set is futile if it contains all enabled transitions. After more than [`MAX_FUTILE`]
/// consecutive futile sets, a stubborn set is computed for only one marking in `REDUCTION_INTERVAL`
/// markings.
const REDUCTION_INTERVAL: u32 = 16;
/// Number of consecutive stubborn sets with all enabled transitions, after which reduction is tried
/// only rarely.
const MAX_FUTILE: u32 = 500;

/// Computes stubborn sets for a single goal.
pub(crate) struct StubbornSets<'n> {
    net: &'n Net,
    /// For each place, the transitions with an arc from it that the search may fire and that have
    /// an effect.
    consumers: ListTable,
    /// For each place, the transitions in its list of `consumers` that lower its token count.
    lowering_consumers: ListTable,
    /// For each place, the transitions that the search may fire and that raise its token count.
    raising_producers: ListTable,
    /// For each transition, the places that it lowers.
    lowered_places: ListTable,
    /// For each atom of the goal, the transitions that lower its sum and that the search may fire.
    /// For a maximum, the only row contains the transitions that raise the sum.
    helpful_transitions: ListTable,
    /// Number of the current stubborn set. In the vectors from `in_set_at` to `raising_added_at`,
    /// entries equal to this number count as true.
    set_number: u32,
    /// For each transition, the number of the last set that contained it.
    in_set_at: Vec<u32>,
    /// For each transition, the number of the last set in whose marking it was enabled.
    enabled_at: Vec<u32>,
    /// For each place, the number of the last set to which its consumers were added.
    consumers_added_at: Vec<u32>,
    /// For each place, the number of the last set to which the transitions that raise it were
    /// added.
    raising_added_at: Vec<u32>,
    /// The transitions in the set for which conditions 2 and 3 still have to be ensured.
    unprocessed: Vec<u32>,
    /// Number of enabled transitions in the set.
    enabled_in_set: usize,
    /// Number of consecutive stubborn sets that contained all enabled transitions.
    consecutive_futile: u32,
    /// Number of calls of [`reduce`](Self::reduce) with several enabled transitions.
    requests: u32,
}

impl<'n> StubbornSets<'n> {
    /// Prepares stubborn sets for `goal`. The search fires only transitions for which `is_fired` is
    /// true and that have an effect.
    pub(crate) fn new(
        net: &'n Net,
        goal: &SearchGoal,
        is_fired: impl Fn(TransitionId) -> bool,
    ) -> Self {
        let is_fired = |&t: &TransitionId| is_fired(t) && !net.delta(t).is_empty();
        let change_of = |t: TransitionId, p: PlaceId| {
            let delta = net.delta(t);
            let position = delta.binary_search_by_key(&p, |change| change.place);
            position.map_or(0, |position| delta[position].delta)
        };
        let arcs_of_place = |p: PlaceId, is_kept: &dyn Fn(i64) -> bool, is_consumer: bool| {
            let arcs = if is_consumer { net.consumers(p) } else { net.producers(p) };
            let transitions = arcs.iter().map(|arc| arc.transition).filter(is_fired);
            let kept = transitions.filter(|&t| is_kept(change_of(t, p)));
            kept.map(|t| t.index() as u32).collect()
        };
        let lowered_places = |t: TransitionId| {
            let lowered = net.delta(t).iter().filter(|change| change.delta < 0);
            lowered.map(|change| change.place.index() as u32).collect()
        };
        let helping_transitions = |sum: &LinearSum| {
            let classes = lowering(net, sum);
            let transitions = classes.iter().flat_map(|&class| net.class(class)).copied();
            transitions.filter(is_fired).map(|t| t.index() as u32).collect()
        };
        let (places, transitions) = (net.place_count(), net.transition_count());
        StubbornSets {
            net,
            consumers: ListTable::new(net.places().map(|p| arcs_of_place(p, &|_| true, true))),
            lowering_consumers: ListTable::new(
                net.places().map(|p| arcs_of_place(p, &|change| change < 0, true)),
            ),
            raising_producers: ListTable::new(
                net.places().map(|p| arcs_of_place(p, &|change| change > 0, false)),
            ),
            lowered_places: ListTable::new(net.transitions().map(lowered_places)),
            helpful_transitions: match &goal.packed {
                PackedGoal::Reach(atoms, _) => {
                    ListTable::new(sums_of(atoms).into_iter().map(helping_transitions))
                }
                PackedGoal::Maximise(sum, ..) => {
                    ListTable::new([helping_transitions(&sum.negated())].into_iter())
                }
            },
            set_number: 0,
            in_set_at: vec![0; transitions],
            enabled_at: vec![0; transitions],
            consumers_added_at: vec![0; places],
            raising_added_at: vec![0; places],
            unprocessed: Vec::new(),
            enabled_in_set: 0,
            consecutive_futile: 0,
            requests: 0,
        }
    }

    /// Reduces `enabled`, the enabled transitions in the marking with this key, to the members of a
    /// stubborn set. After many futile sets, `enabled` is often left unchanged. The marking must
    /// not satisfy the goal.
    pub(crate) fn reduce(
        &mut self,
        packing: &Packing,
        key: &[u64],
        goal: &SearchGoal,
        enabled: &mut Vec<u32>,
    ) {
        if enabled.len() <= 1 {
            return;
        }
        self.requests = self.requests.wrapping_add(1);
        if self.consecutive_futile > MAX_FUTILE && !self.requests.is_multiple_of(REDUCTION_INTERVAL)
        {
            // The set of all transitions is stubborn, so `enabled` may stay as it is.
            return;
        }
        self.set_number = match self.set_number.checked_add(1) {
            Some(mark) => mark,
            None => {
                for marks in [
                    &mut self.in_set_at,
                    &mut self.enabled_at,
                    &mut self.consumers_added_at,
                    &mut self.raising_added_at,
                ] {
                    marks.fill(0);
                }
                1
            }
        };
        self.unprocessed.clear();
        self.enabled_in_set = 0;
        enabled.iter().for_each(|&t| self.enabled_at[t as usize] = self.set_number);
        match &goal.packed {
            PackedGoal::Reach(_, test) => self.add_interesting(test, key, enabled),
            PackedGoal::Maximise(..) => self.add_helping(0),
        }
        self.close(packing, key, enabled.len());
        let enabled_count = enabled.len();
        enabled.retain(|&t| self.in_set_at[t as usize] == self.set_number);
        self.consecutive_futile = if enabled.len() < enabled_count {
            0
        } else {
            self.consecutive_futile.saturating_add(1)
        };
    }

    /// Adds a transition to the current set, unless it is a member already.
    fn add(&mut self, t: u32) {
        let index = t as usize;
        if self.in_set_at[index] != self.set_number {
            self.in_set_at[index] = self.set_number;
            if self.enabled_at[index] == self.set_number {
                self.enabled_in_set += 1;
            }
            self.unprocessed.push(t);
        }
    }

    /// Adds the transitions that lower the sum of the atom with this number. For a maximum, whose
    /// only number is 0, adds the transitions that raise the sum.
    fn add_helping(&mut self, atom: u32) {
        for index in 0..self.helpful_transitions.len(atom as usize) as usize {
            let t = self.helpful_transitions.row(atom as usize)[index];
            self.add(t);
        }
    }

    /// Adds the interesting transitions of the test in the marking with this key (condition 1).
    fn add_interesting(&mut self, test: &Test, key: &[u64], enabled: &[u32]) {
        match test {
            Test::Constant(_) | Test::NotDead => {}
            Test::Atom { number, .. } => self.add_helping(*number),
            Test::Dead => {
                if let Some(t) = self.least_dependent(enabled) {
                    for arc in self.net.pre(TransitionId::new(t as usize)) {
                        let place = arc.place.index();
                        for entry in 0..self.lowering_consumers.len(place) as usize {
                            let transition = self.lowering_consumers.row(place)[entry];
                            self.add(transition);
                        }
                    }
                }
            }
            Test::Any(parts) => {
                parts.iter().for_each(|part| self.add_interesting(part, key, enabled));
            }
            Test::All(parts) => {
                let failing = parts.iter().filter(|part| !part.holds(key, false));
                if let Some(part) = failing.min_by_key(|part| self.cost(part, key, enabled)) {
                    self.add_interesting(part, key, enabled);
                }
            }
        }
    }

    /// Returns the approximate number of transitions that
    /// [`add_interesting`](Self::add_interesting) would add.
    fn cost(&self, test: &Test, key: &[u64], enabled: &[u32]) -> u32 {
        match test {
            Test::Constant(_) | Test::NotDead => 0,
            Test::Atom { number, .. } => self.helpful_transitions.len(*number as usize),
            Test::Dead => self.least_dependent(enabled).map_or(0, |t| self.consumer_count(t)),
            Test::Any(parts) => {
                let costs = parts.iter().map(|part| self.cost(part, key, enabled));
                costs.fold(0, u32::saturating_add)
            }
            Test::All(parts) => {
                let failing = parts.iter().filter(|part| !part.holds(key, false));
                failing.map(|part| self.cost(part, key, enabled)).min().unwrap_or(0)
            }
        }
    }

    /// Returns the enabled transition with the fewest consumers of its input places, or `None` if
    /// `enabled` is empty.
    fn least_dependent(&self, enabled: &[u32]) -> Option<u32> {
        enabled.iter().copied().min_by_key(|&t| (self.consumer_count(t), t))
    }

    /// Returns the number of consumers of the transition's input places, summed over the places.
    fn consumer_count(&self, t: u32) -> u32 {
        let inputs = self.net.pre(TransitionId::new(t as usize)).iter();
        inputs.map(|arc| self.consumers.len(arc.place.index())).fold(0, u32::saturating_add)
    }

    /// Closes the set under conditions 2 and 3. Stops early if all enabled transitions are in the
    /// set: it is then not closed, but its closure contains no further enabled transitions.
    fn close(&mut self, packing: &Packing, key: &[u64], enabled_count: usize) {
        while self.enabled_in_set < enabled_count
            && let Some(t) = self.unprocessed.pop()
        {
            if self.enabled_at[t as usize] == self.set_number {
                // Condition 2 of the module documentation.
                for index in 0..self.lowered_places.len(t as usize) as usize {
                    let place = self.lowered_places.row(t as usize)[index] as usize;
                    if self.consumers_added_at[place] != self.set_number {
                        self.consumers_added_at[place] = self.set_number;
                        for index in 0..self.consumers.len(place) as usize {
                            let transition = self.consumers.row(place)[index];
                            self.add(transition);
                        }
                    }
                }
            } else if let Some(place) = self.cheapest_missing_input(packing, key, t) {
                // Condition 3 of the module documentation.
                self.raising_added_at[place] = self.set_number;
                for index in 0..self.raising_producers.len(place) as usize {
                    let transition = self.raising_producers.row(place)[index];
                    self.add(transition);
                }
            }
        }
    }

    /// Returns the input place that lacks tokens for `t` and that the fewest transitions raise.
    /// Returns `None` if no input lacks tokens, or if the set already contains all transitions that
    /// raise such a place.
    fn cheapest_missing_input(&self, packing: &Packing, key: &[u64], t: u32) -> Option<usize> {
        let mut best: Option<(u32, usize)> = None;
        for arc in self.net.pre(TransitionId::new(t as usize)) {
            let place = arc.place.index();
            if packing.tokens(key, arc.place) >= arc.weight {
                continue;
            }
            if self.raising_added_at[place] == self.set_number {
                return None;
            }
            let cost = self.raising_producers.len(place);
            if best.is_none_or(|(best_cost, _)| cost < best_cost) {
                best = Some((cost, place));
            }
        }
        best.map(|(_, place)| place)
    }
}
