//! What is shown for an answer of what stays reachable wherever the net goes.

use super::sightings::Sightings;
use crate::question::obligation::Home;
use parikh_net::Predicate;

/// What is shown of what stays reachable.
pub(super) struct HomeAccount {
    /// What that is.
    pub(super) wanted: Vec<Predicate>,
    /// Which duty it is that each can be reached.
    pub(super) reach: Vec<Option<usize>>,
    /// Which of it is lost.
    pub(super) lost: Vec<bool>,
    /// Which of it stays reachable.
    pub(super) stays: Vec<bool>,
    /// Every firing can be undone.
    pub(super) undone: bool,
    /// What was checked, in words.
    pub(super) checked: Vec<&'static str>,
}

impl HomeAccount {
    pub(super) fn of(homes: Vec<Home>) -> Self {
        let none = vec![false; homes.len()];
        let (wanted, reach) = homes.into_iter().map(|home| (home.wanted, home.reach)).unzip();
        let (lost, stays) = (none.clone(), none);
        HomeAccount { wanted, reach, lost, stays, undone: false, checked: Vec::new() }
    }

    /// What another argument takes for granted, by its number: it may be shown as what is asked is.
    pub(super) fn premise(&mut self, wanted: &Predicate, sightings: &mut Sightings<'_>) -> usize {
        let same = |&at: &usize| self.wanted[at] == *wanted && self.reach[at].is_some();
        (0..self.wanted.len()).find(same).unwrap_or_else(|| {
            self.wanted.push(wanted.clone());
            self.reach.push(Some(sightings.add(wanted.clone())));
            self.lost.push(false);
            self.stays.push(false);
            self.wanted.len() - 1
        })
    }

    /// Takes note of those that are lost; whether there is one.
    pub(super) fn lose(&mut self, lost: impl IntoIterator<Item = usize>) -> bool {
        let mut any = false;
        for at in lost {
            self.lost[at] = true;
            any = true;
        }
        any
    }
}
