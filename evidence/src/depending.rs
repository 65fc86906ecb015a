//! An index from places to the goals that read them, so that the cost of a new marking depends only
//! on the places that changed.

use parikh_net::PlaceId;

/// Goals by number, indexed by the places that they read.
#[derive(Debug, Default)]
pub struct GoalIndex {
    /// The goals that read each place, by place index.
    by_place: Vec<Vec<usize>>,
    /// The goals that were open when a place that they read changed, since the last
    /// `evaluate_changed`. The list has no duplicates.
    changed: Vec<usize>,
    /// One flag per goal: true if the goal is in `changed`.
    is_changed: Vec<bool>,
}

impl GoalIndex {
    /// Creates an index for a net with `places` places, without goals.
    pub fn new(places: usize) -> Self {
        GoalIndex { by_place: vec![Vec::new(); places], ..GoalIndex::default() }
    }

    /// Registers the goal with number `goal` as a reader of `places`.
    pub fn add(&mut self, goal: usize, places: impl IntoIterator<Item = PlaceId>) {
        if self.is_changed.len() <= goal {
            self.is_changed.resize(goal + 1, false);
        }
        places.into_iter().for_each(|place| self.by_place[place.index()].push(goal));
    }

    /// Records a change of the tokens of `place`. Goals for which `is_open` returns false are
    /// removed from the index of this place.
    pub fn note_change(&mut self, place: PlaceId, is_open: impl Fn(usize) -> bool) {
        let GoalIndex { by_place, changed, is_changed } = self;
        by_place[place.index()].retain(|&goal| {
            let is_open = is_open(goal);
            if is_open && !std::mem::replace(&mut is_changed[goal], true) {
                changed.push(goal);
            }
            is_open
        });
    }

    /// Calls `evaluate` with each goal that was open when a place that it reads changed. Clears the
    /// record of changes.
    pub fn evaluate_changed(&mut self, mut evaluate: impl FnMut(usize)) {
        for goal in self.changed.drain(..) {
            self.is_changed[goal] = false;
            evaluate(goal);
        }
    }
}
