//! The working net: the net under reduction, which conditions read and only
//! [`change`](super::change) may modify.
//!
//! Places and transitions keep the ids of the original net. A composed transition gets the next
//! free id, and no id is used twice. A removed transition leaves its id in the lists (rows) of its
//! places, where readers skip it. A row is rewritten when more than half of its entries are
//! removed. So removing all transitions of a place with 10⁵ arcs costs 10⁵ steps, not 10¹⁰.
//!
//! Each *protected transition* has a virtual place, which counts its firings. Virtual places follow
//! the original places and belong to the support: firing `t` produces a token there, and no
//! transition consumes it. So every proof about places of the support covers the firing of `t`, and
//! rules need no special treatment of transitions. Virtual places are removed at the end.

use super::needs::Needs;
use parikh_net::{Arc, FiringStep, Marking, Net, PlaceId, TransitionId};

/// The input or output transitions of a place, ascending.
#[derive(Debug, Default)]
struct TransitionRow {
    /// Ids of transitions, some of which may be removed.
    transitions: Vec<TransitionId>,
    /// The number of remaining transitions.
    remaining_count: u32,
}

impl TransitionRow {
    fn new(transitions: Vec<TransitionId>) -> TransitionRow {
        TransitionRow { remaining_count: transitions.len() as u32, transitions }
    }

    fn push(&mut self, t: TransitionId) {
        self.transitions.push(t);
        self.remaining_count += 1;
    }

    /// Counts one transition as removed. Drops the removed ids when they outnumber the remaining
    /// ids by more than four.
    fn count_removal(&mut self, all_transitions: &[WorkTransition]) {
        self.remaining_count -= 1;
        if self.transitions.len() > 2 * self.remaining_count as usize + 4 {
            self.transitions.retain(|t| all_transitions[t.index()].is_alive());
            self.transitions.shrink_to_fit();
        }
    }
}

/// A place under reduction.
#[derive(Debug)]
struct WorkPlace {
    /// The output transitions of the place.
    consumers: TransitionRow,
    /// The input transitions of the place.
    producers: TransitionRow,
    /// The initial tokens.
    tokens: u64,
    /// False if the place is removed.
    alive: bool,
    /// True if the place is in the support, that is, if its tokens matter to the questions. Also
    /// true for the virtual place of a protected transition.
    in_support: bool,
    /// True if the place was merged or scaled, so that its tokens no longer mean what they meant
    /// originally.
    has_changed_meaning: bool,
    /// True if the place was removed because it always holds its initial tokens.
    is_constant: bool,
}

impl WorkPlace {
    fn new(consumers: Vec<TransitionId>, producers: Vec<TransitionId>, tokens: u64) -> WorkPlace {
        WorkPlace {
            consumers: TransitionRow::new(consumers),
            producers: TransitionRow::new(producers),
            tokens,
            alive: true,
            in_support: false,
            has_changed_meaning: false,
            is_constant: false,
        }
    }
}

/// A transition under reduction. Ids are never reused, and agglomerations create many, so a removed
/// transition must be small.
#[derive(Debug)]
struct WorkTransition {
    /// `None` if the transition is removed.
    rows: Option<Box<ArcRows>>,
}

/// The arcs of a transition, by ascending place.
#[derive(Debug)]
struct ArcRows {
    /// The input arcs.
    pre: Vec<Arc>,
    /// The output arcs.
    post: Vec<Arc>,
}

impl WorkTransition {
    fn new(pre: Vec<Arc>, post: Vec<Arc>) -> Self {
        WorkTransition { rows: Some(Box::new(ArcRows { pre, post })) }
    }

    fn is_alive(&self) -> bool {
        self.rows.is_some()
    }

    fn pre(&self) -> &[Arc] {
        self.rows.as_ref().map_or(&[], |rows| &rows.pre)
    }

    fn post(&self) -> &[Arc] {
        self.rows.as_ref().map_or(&[], |rows| &rows.post)
    }
}

/// A net under reduction. The module documentation describes its ids.
#[derive(Debug)]
pub struct WorkNet {
    /// The places by id, including removed ones: the original places, then the virtual ones.
    places: Vec<WorkPlace>,
    /// The transitions by id, including removed ones: the original transitions, then the composed
    /// ones.
    transitions: Vec<WorkTransition>,
    /// The number of places of the original net.
    original_places: usize,
    /// The number of transitions of the original net.
    original_transitions: usize,
    /// The number of places that are not removed, including virtual ones.
    live_place_count: usize,
    /// The number of transitions that are not removed.
    live_transition_count: usize,
}

impl WorkNet {
    /// Creates the working net, with a virtual place per protected transition. `needs.protected`
    /// must have no duplicates.
    pub fn new(net: &Net, needs: &Needs) -> WorkNet {
        let transitions = net
            .transitions()
            .map(|t| WorkTransition::new(net.pre(t).to_vec(), net.post(t).to_vec()));
        let places = net.places().map(|p| {
            let consumers = net.consumers(p).iter().map(|arc| arc.transition);
            let producers = net.producers(p).iter().map(|arc| arc.transition);
            WorkPlace::new(consumers.collect(), producers.collect(), net.initial()[p])
        });
        let mut work = WorkNet {
            places: places.collect(),
            transitions: transitions.collect(),
            original_places: net.place_count(),
            original_transitions: net.transition_count(),
            live_place_count: net.place_count() + needs.protected.len(),
            live_transition_count: net.transition_count(),
        };
        for &p in &needs.support {
            work.places[p.index()].in_support = true;
        }
        for &t in &needs.protected {
            let place = PlaceId::new(work.places.len());
            work.places
                .push(WorkPlace { in_support: true, ..WorkPlace::new(Vec::new(), vec![t], 0) });
            // The virtual place has the highest place id so far, so the arcs stay sorted by place.
            if let Some(rows) = &mut work.transitions[t.index()].rows {
                rows.post.push(Arc { place, weight: 1 });
            }
        }
        work
    }

    /// Returns the number of places of the original net. The virtual places follow them.
    pub fn original_places(&self) -> usize {
        self.original_places
    }

    /// Returns the number of transitions of the original net. The composed transitions follow them.
    pub fn original_transitions(&self) -> usize {
        self.original_transitions
    }

    /// Returns the number of remaining places, including virtual ones.
    pub fn place_count(&self) -> usize {
        self.live_place_count
    }

    /// Returns the number of remaining transitions.
    pub fn transition_count(&self) -> usize {
        self.live_transition_count
    }

    /// Returns one more than the largest transition id ever used.
    pub fn transition_ids(&self) -> usize {
        self.transitions.len()
    }

    /// Returns one more than the largest place id.
    pub fn place_ids(&self) -> usize {
        self.places.len()
    }

    /// Iterates over the remaining places, ascending.
    pub fn places(&self) -> impl Iterator<Item = PlaceId> {
        (0..self.places.len()).filter(|&p| self.places[p].alive).map(PlaceId::new)
    }

    /// Iterates over the remaining transitions, ascending.
    pub fn transitions(&self) -> impl Iterator<Item = TransitionId> {
        (0..self.transitions.len())
            .filter(|&t| self.transitions[t].is_alive())
            .map(TransitionId::new)
    }

    /// Returns true if `p` exists and has not been removed.
    pub fn has_place(&self, p: PlaceId) -> bool {
        self.places.get(p.index()).is_some_and(|place| place.alive)
    }

    /// Returns true if `t` exists and has not been removed.
    pub fn has_transition(&self, t: TransitionId) -> bool {
        self.transitions.get(t.index()).is_some_and(WorkTransition::is_alive)
    }

    /// Returns true if `p` is in the support, or is the virtual place of a protected transition.
    pub fn in_support(&self, p: PlaceId) -> bool {
        self.places[p.index()].in_support
    }

    /// Returns the initial tokens of `p`.
    pub fn tokens(&self, p: PlaceId) -> u64 {
        self.places[p.index()].tokens
    }

    /// Returns the input arcs of `t`, by ascending place.
    pub fn pre(&self, t: TransitionId) -> &[Arc] {
        self.transitions[t.index()].pre()
    }

    /// Returns the output arcs of `t`, by ascending place.
    pub fn post(&self, t: TransitionId) -> &[Arc] {
        self.transitions[t.index()].post()
    }

    /// Returns the weight of the arc from `p` to `t`, or 0.
    pub fn pre_weight(&self, t: TransitionId, p: PlaceId) -> u64 {
        weight_at(self.pre(t), p)
    }

    /// Returns the weight of the arc from `t` to `p`, or 0.
    pub fn post_weight(&self, t: TransitionId, p: PlaceId) -> u64 {
        weight_at(self.post(t), p)
    }

    /// Returns the change of the tokens of `p` by firing `t`.
    pub fn effect(&self, t: TransitionId, p: PlaceId) -> i64 {
        // Weights are below 2^63, so their difference is an i64.
        self.post_weight(t, p) as i64 - self.pre_weight(t, p) as i64
    }

    /// Iterates over the output transitions of `p`, ascending.
    pub fn consumers(&self, p: PlaceId) -> impl Iterator<Item = TransitionId> + Clone {
        self.remaining(&self.places[p.index()].consumers.transitions)
    }

    /// Iterates over the input transitions of `p`, ascending.
    pub fn producers(&self, p: PlaceId) -> impl Iterator<Item = TransitionId> + Clone {
        self.remaining(&self.places[p.index()].producers.transitions)
    }

    /// Iterates over the transitions of `row` that are not removed.
    fn remaining<'s>(
        &'s self,
        row: &'s [TransitionId],
    ) -> impl Iterator<Item = TransitionId> + Clone + 's {
        row.iter().copied().filter(|t| self.transitions[t.index()].is_alive())
    }

    /// Returns the transitions with an arc from or to `p`, ascending, without duplicates.
    pub fn neighbours(&self, p: PlaceId) -> Vec<TransitionId> {
        let mut all: Vec<_> = self.consumers(p).chain(self.producers(p)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns the number of output transitions of `p`.
    pub fn consumer_count(&self, p: PlaceId) -> usize {
        self.places[p.index()].consumers.remaining_count as usize
    }

    /// Returns the number of input transitions of `p`.
    pub fn producer_count(&self, p: PlaceId) -> usize {
        self.places[p.index()].producers.remaining_count as usize
    }

    /// Iterates over the places of `t`, ascending, with the tokens consumed and produced.
    pub fn arcs(&self, t: TransitionId) -> impl Iterator<Item = (PlaceId, u64, u64)> {
        let mut pre = self.pre(t).iter().peekable();
        let mut post = self.post(t).iter().peekable();
        std::iter::from_fn(move || {
            let place = match (pre.peek(), post.peek()) {
                (Some(a), Some(b)) => a.place.min(b.place),
                (Some(a), None) => a.place,
                (None, Some(b)) => b.place,
                (None, None) => return None,
            };
            let taken = pre.next_if(|arc| arc.place == place).map_or(0, |arc| arc.weight);
            let put = post.next_if(|arc| arc.place == place).map_or(0, |arc| arc.weight);
            Some((place, taken, put))
        })
    }

    /// Iterates over the changes by firing `t`: place and difference, ascending, without zeros.
    pub fn changes(&self, t: TransitionId) -> impl Iterator<Item = (PlaceId, i64)> {
        let difference = |(p, taken, put): (PlaceId, u64, u64)| (p, put as i64 - taken as i64);
        self.arcs(t).map(difference).filter(|&(_, change)| change != 0)
    }

    /// Returns true if firing `t` changes the tokens of the support. The virtual places, which
    /// count the firings of protected transitions, belong to the support. Read arcs do not count.
    pub fn touches_support(&self, t: TransitionId) -> bool {
        self.changes(t).any(|(p, _)| self.in_support(p))
    }

    /// Returns true if `step` is enabled in the initial marking and no place overflows.
    pub fn can_fire(&self, step: FiringStep) -> bool {
        let count = i128::from(step.count);
        self.has_transition(step.transition)
            && self.arcs(step.transition).all(|(p, taken, put)| {
                let tokens = i128::from(self.tokens(p));
                let change = i128::from(put) - i128::from(taken);
                let (first, last) = (tokens, tokens + (count - 1) * change);
                let after = last + change;
                first.min(last) >= i128::from(taken) && after <= i128::from(Marking::MAX_TOKENS)
            })
    }

    /// Returns true if `p` was merged or scaled, so that its tokens no longer mean what they meant
    /// originally.
    pub fn has_changed_meaning(&self, p: PlaceId) -> bool {
        self.places[p.index()].has_changed_meaning
    }

    /// Returns the tokens of a place that was removed because its tokens are constant. Returns
    /// `None` for other places.
    pub fn constant(&self, p: PlaceId) -> Option<u64> {
        let place = &self.places[p.index()];
        place.is_constant.then_some(place.tokens)
    }
}

/// Changes of the net, for `change.rs` only.
impl WorkNet {
    pub(super) fn set_tokens(&mut self, p: PlaceId, tokens: u64) {
        self.places[p.index()].tokens = tokens;
    }

    pub(super) fn mark_changed_meaning(&mut self, p: PlaceId) {
        self.places[p.index()].has_changed_meaning = true;
    }

    pub(super) fn mark_constant(&mut self, p: PlaceId) {
        self.places[p.index()].is_constant = true;
    }

    pub(super) fn add_transition(&mut self, pre: Vec<Arc>, post: Vec<Arc>) {
        let t = TransitionId::new(self.transitions.len());
        pre.iter().for_each(|arc| self.places[arc.place.index()].consumers.push(t));
        post.iter().for_each(|arc| self.places[arc.place.index()].producers.push(t));
        self.transitions.push(WorkTransition::new(pre, post));
        self.live_transition_count += 1;
    }

    pub(super) fn remove_transition(&mut self, t: TransitionId) {
        let Some(rows) = self.transitions[t.index()].rows.take() else { return };
        self.live_transition_count -= 1;
        for arc in &rows.pre {
            self.places[arc.place.index()].consumers.count_removal(&self.transitions);
        }
        for arc in &rows.post {
            self.places[arc.place.index()].producers.count_removal(&self.transitions);
        }
    }

    pub(super) fn remove_place(&mut self, p: PlaceId) {
        for t in self.neighbours(p) {
            // `neighbours` returns only transitions that have not been removed, so `rows` is never
            // `None` here.
            let Some(rows) = &mut self.transitions[t.index()].rows else { continue };
            set_weight(&mut rows.pre, p, 0);
            set_weight(&mut rows.post, p, 0);
        }
        let place = &mut self.places[p.index()];
        place.alive = false;
        (place.consumers, place.producers) = (TransitionRow::default(), TransitionRow::default());
        self.live_place_count -= 1;
    }

    /// Sets the weights of the arcs between `p` and the given transitions. Each entry has a
    /// transition, the tokens that it consumes, and the tokens that it produces.
    pub(super) fn set_arcs(&mut self, p: PlaceId, arcs: &[(TransitionId, u64, u64)]) {
        for &(t, taken, put) in arcs {
            let Some(rows) = &mut self.transitions[t.index()].rows else { continue };
            set_weight(&mut rows.pre, p, taken);
            set_weight(&mut rows.post, p, put);
        }
        let mut adjacent = self.neighbours(p);
        adjacent.extend(arcs.iter().map(|&(t, ..)| t));
        adjacent.sort_unstable();
        adjacent.dedup();
        let takes = |t: &&TransitionId| self.pre_weight(**t, p) > 0;
        let puts = |t: &&TransitionId| self.post_weight(**t, p) > 0;
        let consumers = TransitionRow::new(adjacent.iter().filter(takes).copied().collect());
        let producers = TransitionRow::new(adjacent.iter().filter(puts).copied().collect());
        let place = &mut self.places[p.index()];
        (place.consumers, place.producers) = (consumers, producers);
    }
}

/// Returns the weight of the arc of place `p` in `row`, or 0.
fn weight_at(row: &[Arc], p: PlaceId) -> u64 {
    row.binary_search_by_key(&p, |arc| arc.place).map_or(0, |index| row[index].weight)
}

/// Sets the weight of the arc of `place` in `row`, sorted by place. The weight 0 removes the arc.
fn set_weight(row: &mut Vec<Arc>, place: PlaceId, weight: u64) {
    match (row.binary_search_by_key(&place, |arc| arc.place), weight) {
        (Ok(index), 0) => {
            row.remove(index);
        }
        (Ok(index), weight) => row[index].weight = weight,
        (Err(_), 0) => {}
        (Err(index), weight) => row.insert(index, Arc { place, weight }),
    }
}
