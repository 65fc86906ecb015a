//! Journals of changed nodes, for rules that look only at changes.
//!
//! Every changed node is recorded in a journal. Every rule has a cursor into the journal and
//! receives the changes since its last call, as [`ChangedNodes`]. A node that changes again before
//! any rule has read the first record gets no second record, so journals stay short while single
//! rules run.

use parikh_evidence::reduction::WorkNet;
use parikh_net::{PlaceId, TransitionId};

/// The changed nodes of one kind, in the order of changes.
#[derive(Debug, Default)]
struct Journal {
    /// Node indices in the order of changes.
    entries: Vec<u32>,
    /// For each node, one more than the position of its latest entry. 0 for a node without an
    /// entry.
    latest_entry: Vec<u32>,
    /// The position up to which some rule has read the journal. A changed node with an entry after
    /// this position needs no second entry, because no rule has read the first.
    read_end: u32,
}

impl Journal {
    /// Records a node as changed, unless it has an entry that no rule has read yet.
    fn record(&mut self, node: usize) {
        if self.latest_entry.len() <= node {
            self.latest_entry.resize(node + 1, 0);
        }
        if self.latest_entry[node] <= self.read_end {
            self.entries.push(node as u32);
            self.latest_entry[node] = self.entries.len() as u32;
        }
    }

    /// Returns the nodes recorded since `cursor`, ascending, without repetition. Moves `cursor` to
    /// the end.
    fn since(&mut self, cursor: &mut usize) -> Vec<usize> {
        let mut nodes: Vec<usize> =
            self.entries[*cursor..].iter().map(|&node| node as usize).collect();
        nodes.sort_unstable();
        nodes.dedup();
        *cursor = self.entries.len();
        self.read_end = self.entries.len() as u32;
        nodes
    }
}

/// The journals of changed places and changed transitions, and the batch of rule applications that
/// last changed each transition. A batch is one run of one rule.
#[derive(Debug, Default)]
pub(super) struct Journals {
    places: Journal,
    transitions: Journal,
    /// The number of the current batch of rule applications.
    current_batch: u32,
    /// For each transition, the batch that last created or changed it.
    last_batch: Vec<u32>,
}

impl Journals {
    /// Starts a batch of rule applications. The method [`is_fresh_around`](Self::is_fresh_around)
    /// tests for changes in the current batch.
    pub(super) fn start_batch(&mut self) {
        self.current_batch += 1;
    }

    /// Marks `p` as changed, so that every rule looks at it again.
    pub(super) fn record_place(&mut self, p: PlaceId) {
        self.places.record(p.index());
    }

    /// Records `t` as changed in the current batch.
    pub(super) fn record_transition(&mut self, t: TransitionId) {
        self.transitions.record(t.index());
        if self.last_batch.len() <= t.index() {
            self.last_batch.resize(t.index() + 1, 0);
        }
        self.last_batch[t.index()] = self.current_batch;
    }

    /// Returns the changes in `net` since the last call with this cursor, without removed nodes.
    /// The first call with a cursor returns all nodes of `net`.
    pub(super) fn changed_since(
        &mut self,
        net: &WorkNet,
        cursor: &mut JournalCursor,
    ) -> ChangedNodes {
        let places = self.places.since(&mut cursor.places);
        let transitions = self.transitions.since(&mut cursor.transitions);
        if !cursor.is_started {
            cursor.is_started = true;
            return ChangedNodes {
                places: net.places().collect(),
                transitions: net.transitions().collect(),
            };
        }
        let places = places.into_iter().map(PlaceId::new).filter(|&p| net.has_place(p)).collect();
        let transitions = transitions.into_iter().map(TransitionId::new);
        let transitions = transitions.filter(|&t| net.has_transition(t)).collect();
        ChangedNodes { places, transitions }
    }

    /// Returns true if a transition with an arc to or from one of `places` was created or changed
    /// in the current batch of rule applications.
    pub(super) fn is_fresh_around(&self, net: &WorkNet, places: &[PlaceId]) -> bool {
        let last_batch = |t: TransitionId| self.last_batch.get(t.index()).copied().unwrap_or(0);
        let is_fresh = |t: TransitionId| last_batch(t) == self.current_batch;
        places.iter().any(|&p| net.consumers(p).chain(net.producers(p)).any(is_fresh))
    }
}

/// The position up to which a rule has read the journals. A new cursor has read nothing: its first
/// read returns all nodes of the net.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JournalCursor {
    /// True after the first read.
    is_started: bool,
    /// Number of place entries read.
    places: usize,
    /// Number of transition entries read.
    transitions: usize,
}

/// The nodes of the net that changed since a rule's last call, ascending, without removed nodes. At
/// the first call, these are all nodes.
#[derive(Debug, Default)]
pub struct ChangedNodes {
    /// Places whose tokens or arcs changed.
    pub places: Vec<PlaceId>,
    /// Transitions that are new or whose arcs changed.
    pub transitions: Vec<TransitionId>,
}

impl ChangedNodes {
    /// Returns true if the set contains no place and no transition.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.transitions.is_empty()
    }

    /// Removes and returns the last nodes, at most `max_nodes` of each kind.
    pub(super) fn split_off(&mut self, max_nodes: usize) -> ChangedNodes {
        ChangedNodes {
            places: self.places.split_off(self.places.len().saturating_sub(max_nodes)),
            transitions: self
                .transitions
                .split_off(self.transitions.len().saturating_sub(max_nodes)),
        }
    }

    /// Returns the changed places, and the input and output places of changed transitions.
    pub fn places_around(&self, net: &WorkNet) -> Vec<PlaceId> {
        let mut places = self.places.clone();
        for &t in &self.transitions {
            places.extend(net.pre(t).iter().chain(net.post(t)).map(|arc| arc.place));
        }
        places.sort_unstable();
        places.dedup();
        places
    }

    /// Returns the changed transitions, and the transitions next to changed places. Transitions
    /// next to a changed place with more than `cap` arcs are left out, unless they changed
    /// themselves.
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
