//! The working net: what conditions read and [`change`](super::change) alone may touch.
//!
//! Places keep the ids of the original net, and so do its transitions; a composed transition gets
//! the next free id, and no id is used twice. A removed transition therefore leaves its id behind in
//! the rows of its places, where readers skip it, and a row is rewritten once more than half of it
//! is gone: removing all transitions of a place with 10⁵ arcs costs 10⁵ steps, not 10¹⁰.
//!
//! *Protected transitions* are counted by a virtual place each, appended after the original places
//! and belonging to the support: firing `t` puts a token there, and nothing takes from it. All that
//! is proved for places of the support then holds for the firing of `t`, without a word about
//! transitions in any rule. They are stripped at the end.
//!
//! Every change is told to an [`Observer`]: whoever searches for candidates can note what has changed
//! since it looked last. The checker looks away.

use super::change::Observer;
use super::needs::Needs;
use parikh_net::{Arc, Marking, Net, PlaceId, Step, TransitionId};

/// One place. Rows are ascending, and may name transitions that are gone.
#[derive(Debug)]
struct Place {
    consumers: Vec<TransitionId>,
    producers: Vec<TransitionId>,
    /// Entries of `consumers` that are alive.
    consumer_count: u32,
    /// Entries of `producers` that are alive.
    producer_count: u32,
    tokens: u64,
    alive: bool,
    in_support: bool,
    /// Its tokens no longer mean what they did.
    is_blurred: bool,
    /// It went because it holds its initial tokens for ever.
    is_constant: bool,
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
    live_arcs: usize,
    /// What transition `original_transitions + i` stands for.
    compositions: Vec<Box<[Step]>>,
}

impl WorkNet {
    /// The net with a virtual place per protected transition; `needs.protected` has no doubles.
    pub fn new(net: &Net, needs: &Needs) -> WorkNet {
        let transitions =
            net.transitions().map(|t| Transition::new(net.pre(t).to_vec(), net.post(t).to_vec()));
        let places = net.places().map(|p| Place {
            consumers: net.consumers(p).iter().map(|arc| arc.transition).collect(),
            producers: net.producers(p).iter().map(|arc| arc.transition).collect(),
            consumer_count: net.consumers(p).len() as u32,
            producer_count: net.producers(p).len() as u32,
            tokens: net.initial()[p],
            alive: true,
            in_support: false,
            is_blurred: false,
            is_constant: false,
        });
        let mut work = WorkNet {
            places: places.collect(),
            transitions: transitions.collect(),
            original_places: net.place_count(),
            original_transitions: net.transition_count(),
            live_places: net.place_count(),
            live_transitions: net.transition_count(),
            live_arcs: net.arc_count(),
            compositions: Vec::new(),
        };
        for &p in &needs.support {
            work.places[p.index()].in_support = true;
        }
        for &t in &needs.protected {
            let place = PlaceId::new(work.places.len());
            work.places.push(Place {
                consumers: Vec::new(),
                producers: vec![t],
                consumer_count: 0,
                producer_count: 1,
                tokens: 0,
                alive: true,
                in_support: true,
                is_blurred: false,
                is_constant: false,
            });
            // The highest id so far, so the row stays ascending.
            if let Some(rows) = &mut work.transitions[t.index()].rows {
                rows.post.push(Arc { place, weight: 1 });
                work.live_arcs += 1;
            }
            work.live_places += 1;
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

    /// How many arcs are left, both directions.
    pub fn arc_count(&self) -> usize {
        self.live_arcs
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
        self.alive(&self.places[p.index()].consumers)
    }

    /// The transitions that put to `p`, ascending.
    pub fn producers(&self, p: PlaceId) -> impl Iterator<Item = TransitionId> + Clone {
        self.alive(&self.places[p.index()].producers)
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
        self.places[p.index()].consumer_count as usize
    }

    /// How many transitions put to `p`.
    pub fn producer_count(&self, p: PlaceId) -> usize {
        self.places[p.index()].producer_count as usize
    }

    /// The only consumer of `p`, if there is exactly one.
    pub fn only_consumer(&self, p: PlaceId) -> Option<TransitionId> {
        if self.consumer_count(p) == 1 { self.consumers(p).next() } else { None }
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

    /// The transitions that a composed one stands for, in order; `None` for an original one.
    pub fn stands_for(&self, t: TransitionId) -> Option<&[Step]> {
        let at = t.index().checked_sub(self.original_transitions)?;
        Some(&self.compositions[at])
    }

    /// What the composed transitions stand for, in the order of their ids.
    pub fn into_compositions(self) -> Vec<Box<[Step]>> {
        self.compositions
    }
}

/// Changing the net: for `change.rs` only.
impl WorkNet {
    /// Frees the rows by place, once only transitions are read any more.
    pub(super) fn forget_rows_of_places(&mut self) {
        for place in &mut self.places {
            (place.consumers, place.producers) = (Vec::new(), Vec::new());
        }
    }

    pub(super) fn set_tokens(&mut self, p: PlaceId, tokens: u64, watch: &mut dyn Observer) {
        self.places[p.index()].tokens = tokens;
        watch.place_changed(p);
    }

    pub(super) fn blur(&mut self, p: PlaceId) {
        self.places[p.index()].is_blurred = true;
    }

    pub(super) fn note_constant(&mut self, p: PlaceId) {
        self.places[p.index()].is_constant = true;
    }

    pub(super) fn add_transition(
        &mut self,
        pre: Vec<Arc>,
        post: Vec<Arc>,
        stands_for: Vec<Step>,
        watch: &mut dyn Observer,
    ) {
        let t = TransitionId::new(self.transitions.len());
        for arc in &pre {
            let place = &mut self.places[arc.place.index()];
            place.consumers.push(t);
            place.consumer_count += 1;
            watch.place_changed(arc.place);
        }
        for arc in &post {
            let place = &mut self.places[arc.place.index()];
            place.producers.push(t);
            place.producer_count += 1;
            watch.place_changed(arc.place);
        }
        self.live_arcs += pre.len() + post.len();
        self.live_transitions += 1;
        self.transitions.push(Transition::new(pre, post));
        self.compositions.push(stands_for.into_boxed_slice());
        watch.transition_changed(t);
    }

    pub(super) fn remove_transition(&mut self, t: TransitionId, watch: &mut dyn Observer) {
        let Some(rows) = self.transitions[t.index()].rows.take() else { return };
        let Rows { pre, post } = *rows;
        self.live_arcs -= pre.len() + post.len();
        self.live_transitions -= 1;
        for arc in &pre {
            self.places[arc.place.index()].consumer_count -= 1;
            self.tidy(arc.place, watch);
        }
        for arc in &post {
            self.places[arc.place.index()].producer_count -= 1;
            self.tidy(arc.place, watch);
        }
    }

    /// Drops dead entries of the rows of `p` once they are the majority.
    fn tidy(&mut self, p: PlaceId, watch: &mut dyn Observer) {
        watch.place_changed(p);
        let transitions = &self.transitions;
        let place = &mut self.places[p.index()];
        for (row, live) in [
            (&mut place.consumers, place.consumer_count),
            (&mut place.producers, place.producer_count),
        ] {
            if row.len() > 2 * live as usize + 4 {
                row.retain(|t| transitions[t.index()].is_alive());
                row.shrink_to_fit();
            }
        }
    }

    pub(super) fn remove_place(&mut self, p: PlaceId, watch: &mut dyn Observer) {
        for t in self.neighbours(p) {
            // Neighbours are alive.
            let Some(rows) = &mut self.transitions[t.index()].rows else { continue };
            for row in [&mut rows.pre, &mut rows.post] {
                if let Ok(at) = row.binary_search_by_key(&p, |arc| arc.place) {
                    row.remove(at);
                    self.live_arcs -= 1;
                }
            }
            watch.transition_changed(t);
        }
        let place = &mut self.places[p.index()];
        place.alive = false;
        (place.consumer_count, place.producer_count) = (0, 0);
        (place.consumers, place.producers) = (Vec::new(), Vec::new());
        self.live_places -= 1;
    }

    /// Sets what each of these transitions, ascending, takes from `p` and puts to it.
    pub(super) fn set_arcs(
        &mut self,
        p: PlaceId,
        arcs: &[(TransitionId, u64, u64)],
        watch: &mut dyn Observer,
    ) {
        for &(t, taken, put) in arcs {
            let Some(rows) = &mut self.transitions[t.index()].rows else { continue };
            let before = rows.pre.len() + rows.post.len();
            set_weight(&mut rows.pre, p, taken);
            set_weight(&mut rows.post, p, put);
            let after = rows.pre.len() + rows.post.len();
            self.live_arcs = self.live_arcs + after - before;
            watch.transition_changed(t);
        }
        let mut around = self.neighbours(p);
        around.extend(arcs.iter().map(|&(t, ..)| t));
        around.sort_unstable();
        around.dedup();
        let takes = |t: &&TransitionId| self.pre_weight(**t, p) > 0;
        let puts = |t: &&TransitionId| self.post_weight(**t, p) > 0;
        let consumers: Vec<_> = around.iter().filter(takes).copied().collect();
        let producers: Vec<_> = around.iter().filter(puts).copied().collect();
        let place = &mut self.places[p.index()];
        place.consumer_count = consumers.len() as u32;
        place.producer_count = producers.len() as u32;
        (place.consumers, place.producers) = (consumers, producers);
        watch.place_changed(p);
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
