//! The working net: what conditions read and [`change`](super::change) alone may touch.
//!
//! Places keep the ids of the original net, and so do its transitions; a composed transition gets
//! the next free id, and no id is used twice. A removed transition therefore leaves its id behind
//! in the rows of its places, where readers skip it, and a row is rewritten once more than half of
//! it is gone: removing all transitions of a place with 10⁵ arcs costs 10⁵ steps, not 10¹⁰.
//!
//! *Protected transitions* are counted by a virtual place each, appended after the original places
//! and belonging to the support: firing `t` puts a token there, and nothing takes from it. All that
//! is proved for places of the support then holds for the firing of `t`, without a word about
//! transitions in any rule. They are stripped at the end.

use super::needs::Needs;
use parikh_net::{Arc, Marking, Net, PlaceId, Step, TransitionId};

/// The transitions on one side of a place, ascending.
#[derive(Debug, Default)]
struct Side {
    /// Some may be gone.
    transitions: Vec<TransitionId>,
    /// How many are alive.
    alive: u32,
}

impl Side {
    fn new(transitions: Vec<TransitionId>) -> Side {
        Side { alive: transitions.len() as u32, transitions }
    }

    fn push(&mut self, t: TransitionId) {
        self.transitions.push(t);
        self.alive += 1;
    }

    /// Counts one as gone, and drops those that are once they are the majority.
    fn lose_one(&mut self, of: &[Transition]) {
        self.alive -= 1;
        if self.transitions.len() > 2 * self.alive as usize + 4 {
            self.transitions.retain(|t| of[t.index()].is_alive());
            self.transitions.shrink_to_fit();
        }
    }
}

/// One place.
#[derive(Debug)]
struct Place {
    consumers: Side,
    producers: Side,
    tokens: u64,
    alive: bool,
    in_support: bool,
    /// Its tokens no longer mean what they did.
    is_blurred: bool,
    /// It went because it holds its initial tokens for ever.
    is_constant: bool,
}

impl Place {
    fn new(consumers: Vec<TransitionId>, producers: Vec<TransitionId>, tokens: u64) -> Place {
        Place {
            consumers: Side::new(consumers),
            producers: Side::new(producers),
            tokens,
            alive: true,
            in_support: false,
            is_blurred: false,
            is_constant: false,
        }
    }
}

/// One transition. Ids are never used again, and agglomerations use up many: what is gone must be
/// small.
#[derive(Debug)]
struct Transition {
    /// `None` once it is gone.
    rows: Option<Box<Rows>>,
}

/// What a transition takes and puts, by ascending place.
#[derive(Debug)]
struct Rows {
    pre: Vec<Arc>,
    post: Vec<Arc>,
}

impl Transition {
    fn new(pre: Vec<Arc>, post: Vec<Arc>) -> Self {
        Transition { rows: Some(Box::new(Rows { pre, post })) }
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

/// A net under reduction. See the module.
#[derive(Debug)]
pub struct WorkNet {
    places: Vec<Place>,
    transitions: Vec<Transition>,
    original_places: usize,
    original_transitions: usize,
    live_places: usize,
    live_transitions: usize,
}

impl WorkNet {
    /// The net with a virtual place per protected transition; `needs.protected` has no doubles.
    pub fn new(net: &Net, needs: &Needs) -> WorkNet {
        let transitions =
            net.transitions().map(|t| Transition::new(net.pre(t).to_vec(), net.post(t).to_vec()));
        let places = net.places().map(|p| {
            let consumers = net.consumers(p).iter().map(|arc| arc.transition);
            let producers = net.producers(p).iter().map(|arc| arc.transition);
            Place::new(consumers.collect(), producers.collect(), net.initial()[p])
        });
        let mut work = WorkNet {
            places: places.collect(),
            transitions: transitions.collect(),
            original_places: net.place_count(),
            original_transitions: net.transition_count(),
            live_places: net.place_count() + needs.protected.len(),
            live_transitions: net.transition_count(),
        };
        for &p in &needs.support {
            work.places[p.index()].in_support = true;
        }
        for &t in &needs.protected {
            let place = PlaceId::new(work.places.len());
            work.places.push(Place { in_support: true, ..Place::new(Vec::new(), vec![t], 0) });
            // The highest id so far, so the row stays ascending.
            if let Some(rows) = &mut work.transitions[t.index()].rows {
                rows.post.push(Arc { place, weight: 1 });
            }
        }
        work
    }

    /// The number of places of the original net; the virtual places follow them.
    pub fn original_places(&self) -> usize {
        self.original_places
    }

    /// The number of transitions of the original net; the composed ones follow them.
    pub fn original_transitions(&self) -> usize {
        self.original_transitions
    }

    /// How many places are left, virtual ones included.
    pub fn place_count(&self) -> usize {
        self.live_places
    }

    /// How many transitions are left.
    pub fn transition_count(&self) -> usize {
        self.live_transitions
    }

    /// One more than the largest transition id ever used.
    pub fn transition_ids(&self) -> usize {
        self.transitions.len()
    }

    /// One more than the largest place id.
    pub fn place_ids(&self) -> usize {
        self.places.len()
    }

    /// The places that are left, ascending.
    pub fn places(&self) -> impl Iterator<Item = PlaceId> {
        (0..self.places.len()).filter(|&p| self.places[p].alive).map(PlaceId::new)
    }

    /// The transitions that are left, ascending.
    pub fn transitions(&self) -> impl Iterator<Item = TransitionId> {
        (0..self.transitions.len())
            .filter(|&t| self.transitions[t].is_alive())
            .map(TransitionId::new)
    }

    /// Whether `p` is still there.
    pub fn has_place(&self, p: PlaceId) -> bool {
        self.places.get(p.index()).is_some_and(|place| place.alive)
    }

    /// Whether `t` is still there.
    pub fn has_transition(&self, t: TransitionId) -> bool {
        self.transitions.get(t.index()).is_some_and(Transition::is_alive)
    }

    /// Whether the tokens of `p` are asked for.
    pub fn in_support(&self, p: PlaceId) -> bool {
        self.places[p.index()].in_support
    }

    /// The tokens on `p` initially.
    pub fn tokens(&self, p: PlaceId) -> u64 {
        self.places[p.index()].tokens
    }

    /// What `t` takes, by ascending place.
    pub fn pre(&self, t: TransitionId) -> &[Arc] {
        self.transitions[t.index()].pre()
    }

    /// What `t` puts, by ascending place.
    pub fn post(&self, t: TransitionId) -> &[Arc] {
        self.transitions[t.index()].post()
    }

    /// The tokens `t` takes from `p`; 0 without an arc.
    pub fn pre_weight(&self, t: TransitionId, p: PlaceId) -> u64 {
        weight_at(self.pre(t), p)
    }

    /// The tokens `t` puts to `p`; 0 without an arc.
    pub fn post_weight(&self, t: TransitionId, p: PlaceId) -> u64 {
        weight_at(self.post(t), p)
    }

    /// What firing `t` changes on `p`.
    pub fn effect(&self, t: TransitionId, p: PlaceId) -> i64 {
        // Weights are below 2^63, so their difference is an i64.
        self.post_weight(t, p) as i64 - self.pre_weight(t, p) as i64
    }

    /// The transitions that take from `p`, ascending.
    pub fn consumers(&self, p: PlaceId) -> impl Iterator<Item = TransitionId> + Clone {
        self.alive(&self.places[p.index()].consumers.transitions)
    }

    /// The transitions that put to `p`, ascending.
    pub fn producers(&self, p: PlaceId) -> impl Iterator<Item = TransitionId> + Clone {
        self.alive(&self.places[p.index()].producers.transitions)
    }

    fn alive<'s>(
        &'s self,
        row: &'s [TransitionId],
    ) -> impl Iterator<Item = TransitionId> + Clone + 's {
        row.iter().copied().filter(|t| self.transitions[t.index()].is_alive())
    }

    /// The transitions with an arc from or to `p`, ascending, each once.
    pub fn neighbours(&self, p: PlaceId) -> Vec<TransitionId> {
        let mut all: Vec<_> = self.consumers(p).chain(self.producers(p)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// How many transitions take from `p`.
    pub fn consumer_count(&self, p: PlaceId) -> usize {
        self.places[p.index()].consumers.alive as usize
    }

    /// How many transitions put to `p`.
    pub fn producer_count(&self, p: PlaceId) -> usize {
        self.places[p.index()].producers.alive as usize
    }

    /// Every place of `t` with what `t` takes from it and puts to it, ascending.
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

    /// What firing `t` changes: place and difference, never 0, ascending.
    pub fn changes(&self, t: TransitionId) -> impl Iterator<Item = (PlaceId, i64)> {
        let difference = |(p, taken, put): (PlaceId, u64, u64)| (p, put as i64 - taken as i64);
        self.arcs(t).map(difference).filter(|&(_, change)| change != 0)
    }

    /// Whether firing `t` changes the tokens of the support. Reading them does not count.
    pub fn touches_support(&self, t: TransitionId) -> bool {
        self.changes(t).any(|(p, _)| self.in_support(p))
    }

    /// Whether the initial marking allows all of `step`, and no place overflows.
    pub fn can_fire(&self, step: Step) -> bool {
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

    /// Whether the tokens of `p` no longer mean what they did: it was fused or scaled.
    pub fn is_blurred(&self, p: PlaceId) -> bool {
        self.places[p.index()].is_blurred
    }

    /// The tokens of a place that went because it holds them for ever.
    pub fn constant(&self, p: PlaceId) -> Option<u64> {
        let place = &self.places[p.index()];
        place.is_constant.then_some(place.tokens)
    }
}

/// Changing the net: for `change.rs` only.
impl WorkNet {
    pub(super) fn set_tokens(&mut self, p: PlaceId, tokens: u64) {
        self.places[p.index()].tokens = tokens;
    }

    pub(super) fn blur(&mut self, p: PlaceId) {
        self.places[p.index()].is_blurred = true;
    }

    pub(super) fn note_constant(&mut self, p: PlaceId) {
        self.places[p.index()].is_constant = true;
    }

    pub(super) fn add_transition(&mut self, pre: Vec<Arc>, post: Vec<Arc>) {
        let t = TransitionId::new(self.transitions.len());
        pre.iter().for_each(|arc| self.places[arc.place.index()].consumers.push(t));
        post.iter().for_each(|arc| self.places[arc.place.index()].producers.push(t));
        self.transitions.push(Transition::new(pre, post));
        self.live_transitions += 1;
    }

    pub(super) fn remove_transition(&mut self, t: TransitionId) {
        let Some(rows) = self.transitions[t.index()].rows.take() else { return };
        self.live_transitions -= 1;
        for arc in &rows.pre {
            self.places[arc.place.index()].consumers.lose_one(&self.transitions);
        }
        for arc in &rows.post {
            self.places[arc.place.index()].producers.lose_one(&self.transitions);
        }
    }

    pub(super) fn remove_place(&mut self, p: PlaceId) {
        for t in self.neighbours(p) {
            // Neighbours are alive.
            let Some(rows) = &mut self.transitions[t.index()].rows else { continue };
            set_weight(&mut rows.pre, p, 0);
            set_weight(&mut rows.post, p, 0);
        }
        let place = &mut self.places[p.index()];
        place.alive = false;
        (place.consumers, place.producers) = (Side::default(), Side::default());
        self.live_places -= 1;
    }

    /// Sets what each of these transitions, ascending, takes from `p` and puts to it.
    pub(super) fn set_arcs(&mut self, p: PlaceId, arcs: &[(TransitionId, u64, u64)]) {
        for &(t, taken, put) in arcs {
            let Some(rows) = &mut self.transitions[t.index()].rows else { continue };
            set_weight(&mut rows.pre, p, taken);
            set_weight(&mut rows.post, p, put);
        }
        let mut around = self.neighbours(p);
        around.extend(arcs.iter().map(|&(t, ..)| t));
        around.sort_unstable();
        around.dedup();
        let takes = |t: &&TransitionId| self.pre_weight(**t, p) > 0;
        let puts = |t: &&TransitionId| self.post_weight(**t, p) > 0;
        let consumers = Side::new(around.iter().filter(takes).copied().collect());
        let producers = Side::new(around.iter().filter(puts).copied().collect());
        let place = &mut self.places[p.index()];
        (place.consumers, place.producers) = (consumers, producers);
    }
}

fn weight_at(row: &[Arc], p: PlaceId) -> u64 {
    row.binary_search_by_key(&p, |arc| arc.place).map_or(0, |at| row[at].weight)
}

fn set_weight(row: &mut Vec<Arc>, place: PlaceId, weight: u64) {
    match (row.binary_search_by_key(&place, |arc| arc.place), weight) {
        (Ok(at), 0) => {
            row.remove(at);
        }
        (Ok(at), weight) => row[at].weight = weight,
        (Err(_), 0) => {}
        (Err(at), weight) => row.insert(at, Arc { place, weight }),
    }
}
