//! What has changed, for rules that look at changes only.
//!
//! Every changed node is noted in a journal; every rule has a cursor in it and is shown what
//! was noted since it looked last, as [`Dirty`]. A node that is noted again before anybody has read
//! the first note gets no second one, so journals stay short while single rules run.

use parikh_evidence::reduction::WorkNet;
use parikh_net::{PlaceId, TransitionId};

/// Node changes in order, the latest of each node only.
#[derive(Debug, Default)]
struct Journal {
    entries: Vec<u32>,
    /// One more than the position of the latest entry of each node, 0 for none.
    latest: Vec<u32>,
    /// Nobody has read this far yet: a node that is noted after this needs no second note.
    read: u32,
}

impl Journal {
    fn note(&mut self, node: usize) {
        if self.latest.len() <= node {
            self.latest.resize(node + 1, 0);
        }
        if self.latest[node] <= self.read {
            self.entries.push(node as u32);
            self.latest[node] = self.entries.len() as u32;
        }
    }

    /// The nodes noted since `cursor`, ascending, each once; `cursor` moves to the end.
    fn since(&mut self, cursor: &mut usize) -> Vec<usize> {
        let mut nodes: Vec<usize> =
            self.entries[*cursor..].iter().map(|&node| node as usize).collect();
        nodes.sort_unstable();
        nodes.dedup();
        *cursor = self.entries.len();
        self.read = self.entries.len() as u32;
        nodes
    }
}

/// The journals of places and transitions, and which transitions are fresh.
#[derive(Debug, Default)]
pub(super) struct Journals {
    places: Journal,
    transitions: Journal,
    batch: u32,
    /// The batch that made or changed each transition last.
    batch_of: Vec<u32>,
}

impl Journals {
    /// Starts a batch: transitions changed from now on are fresh.
    pub(super) fn start_batch(&mut self) {
        self.batch += 1;
    }

    /// Has `p` looked at again by every rule.
    pub(super) fn note_place(&mut self, p: PlaceId) {
        self.places.note(p.index());
    }

    pub(super) fn note_transition(&mut self, t: TransitionId) {
        self.transitions.note(t.index());
        if self.batch_of.len() <= t.index() {
            self.batch_of.resize(t.index() + 1, 0);
        }
        self.batch_of[t.index()] = self.batch;
    }

    /// What changed in `net` since the reader with this cursor looked last.
    pub(super) fn dirty_since(&mut self, net: &WorkNet, cursor: &mut Cursor) -> Dirty {
        let places = self.places.since(&mut cursor.places);
        let transitions = self.transitions.since(&mut cursor.transitions);
        if !cursor.started {
            cursor.started = true;
            return Dirty {
                places: net.places().collect(),
                transitions: net.transitions().collect(),
            };
        }
        let places = places.into_iter().map(PlaceId::new).filter(|&p| net.has_place(p)).collect();
        let transitions = transitions.into_iter().map(TransitionId::new);
        let transitions = transitions.filter(|&t| net.has_transition(t)).collect();
        Dirty { places, transitions }
    }

    /// Whether a transition around these places was made or changed in the running batch.
    pub(super) fn is_fresh_around(&self, net: &WorkNet, places: &[PlaceId]) -> bool {
        let batch_of = |t: TransitionId| self.batch_of.get(t.index()).copied().unwrap_or(0);
        let fresh = |t: TransitionId| batch_of(t) == self.batch;
        places.iter().any(|&p| net.consumers(p).chain(net.producers(p)).any(fresh))
    }
}

/// Where in the journals a reader stands; the default has read nothing, and gets the whole net.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    started: bool,
    places: usize,
    transitions: usize,
}

/// The live nodes that changed since a rule looked last, ascending.
#[derive(Debug, Default)]
pub struct Dirty {
    /// Places whose tokens or arcs changed.
    pub places: Vec<PlaceId>,
    /// Transitions that are new or whose arcs changed.
    pub transitions: Vec<TransitionId>,
}

impl Dirty {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.transitions.is_empty()
    }

    /// Takes the last of these out, at most so many of each kind.
    pub(super) fn split_off(&mut self, most: usize) -> Dirty {
        Dirty {
            places: self.places.split_off(self.places.len().saturating_sub(most)),
            transitions: self.transitions.split_off(self.transitions.len().saturating_sub(most)),
        }
    }

    /// The changed places, and the places of changed transitions.
    pub fn places_around(&self, net: &WorkNet) -> Vec<PlaceId> {
        let mut places = self.places.clone();
        for &t in &self.transitions {
            places.extend(net.pre(t).iter().chain(net.post(t)).map(|arc| arc.place));
        }
        places.sort_unstable();
        places.dedup();
        places
    }

    /// The changed transitions, and the transitions of changed places with at most `cap` arcs.
    pub fn transitions_around(&self, net: &WorkNet, cap: usize) -> Vec<TransitionId> {
        let mut transitions = self.transitions.clone();
        for &p in &self.places {
            if net.consumer_count(p) + net.producer_count(p) <= cap {
                transitions.extend(net.consumers(p).chain(net.producers(p)));
            }
        }
        transitions.sort_unstable();
        transitions.dedup();
        transitions
    }
}
