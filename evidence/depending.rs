//! Which of many goals depend on what has changed: looking at a marking costs what is new about it.

use parikh_net::PlaceId;

/// Goals by number, and the places that each depends on.
#[derive(Debug, Default)]
pub struct Depending {
    by_place: Vec<Vec<usize>>,
    /// The goals that depend on what has changed since the last look, each once.
    changed: Vec<usize>,
    is_changed: Vec<bool>,
}

impl Depending {
    /// Nothing depends on any of so many places.
    pub fn new(places: usize) -> Self {
        Depending { by_place: vec![Vec::new(); places], ..Depending::default() }
    }

    /// The goal of this number depends on these places.
    pub fn add(&mut self, goal: usize, places: impl IntoIterator<Item = PlaceId>) {
        if self.is_changed.len() <= goal {
            self.is_changed.resize(goal + 1, false);
        }
        places.into_iter().for_each(|place| self.by_place[place.index()].push(goal));
    }

    /// A place has changed. Goals that are not `wanted` any more are forgotten.
    pub fn note_change(&mut self, place: PlaceId, wanted: impl Fn(usize) -> bool) {
        let Depending { by_place, changed, is_changed } = self;
        by_place[place.index()].retain(|&goal| {
            let wanted = wanted(goal);
            if wanted && !std::mem::replace(&mut is_changed[goal], true) {
                changed.push(goal);
            }
            wanted
        });
    }

    /// The goals to be looked at; from now on changes count anew.
    pub fn take(&mut self, mut look: impl FnMut(usize)) {
        for goal in self.changed.drain(..) {
            self.is_changed[goal] = false;
            look(goal);
        }
    }
}
