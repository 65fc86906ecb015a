//! Nets with inhibitor and reset arcs: a place/transition net, its *core*, and what beside it
//! decides when transitions are enabled and what firing them does.
//!
//! ```text
//! t is enabled in m   iff  m(p) >= pre(t, p) for all p, and m(p) < w for each inhibitor arc of weight w
//! firing it leads to       m'(p) = post(t, p)                          where a reset arc joins p and t
//!                          m'(p) = m(p) - pre(t, p) + post(t, p)       elsewhere
//! ```
//!
//! A read arc needs nothing of its own: it is a self-loop, and [`ExtendedBuilder::read`] makes one
//! of it. So a net that has only read arcs is its core.
//!
//! Engines, rules and documents know plain arcs only. They are never given the core where it is not
//! the net: a [`Translation`](crate::translation::Translation) stands for it.

use crate::builder::{BuildError, NetBuilder};
use crate::id::{PlaceId, TransitionId};
use crate::marking::Marking;
use crate::net::{FireError, Net, PlaceArc};
use crate::translation::Window;
use std::collections::BTreeMap;

/// An inhibitor arc, seen from its transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Inhibitor {
    /// The place that inhibits.
    pub place: PlaceId,
    /// The transition is enabled only while the place holds fewer tokens than this, at least 1.
    pub weight: u64,
}

/// A net with inhibitor and reset arcs. Made by an [`ExtendedBuilder`].
#[derive(Clone, Debug)]
pub struct ExtendedNet {
    core: Net,
    /// Of each transition, by ascending place; at most one for a place. Empty where no transition
    /// has any.
    inhibitors: Vec<Vec<Inhibitor>>,
    /// The same of what is emptied.
    resets: Vec<Vec<PlaceId>>,
}

impl ExtendedNet {
    /// The places, the transitions and the plain arcs.
    pub fn core(&self) -> &Net {
        &self.core
    }

    /// What inhibits `t`, by ascending place.
    pub fn inhibitors(&self, t: TransitionId) -> &[Inhibitor] {
        self.inhibitors.get(t.index()).map_or(&[], |row| row)
    }

    /// The places that `t` empties, ascending.
    pub fn resets(&self, t: TransitionId) -> &[PlaceId] {
        self.resets.get(t.index()).map_or(&[], |row| row)
    }

    /// Whether there is nothing beside the core: then the core is the net.
    pub fn is_plain(&self) -> bool {
        self.inhibitors.iter().all(Vec::is_empty) && !self.has_resets()
    }

    /// Whether there are reset arcs.
    pub fn has_resets(&self) -> bool {
        self.resets.iter().any(|row| !row.is_empty())
    }

    /// The core of a net that has nothing beside it.
    ///
    /// # Errors
    /// The net as it was, when it has.
    pub fn into_plain(self) -> Result<Net, Box<ExtendedNet>> {
        match self.is_plain() {
            true => Ok(self.core),
            false => Err(Box::new(self)),
        }
    }

    /// The same net with these final markings.
    #[must_use]
    pub fn with_final_markings(self, finals: Vec<Marking>) -> Self {
        ExtendedNet { core: self.core.with_final_markings(finals), ..self }
    }

    /// The same net, begun from `marking`.
    #[must_use]
    pub fn from_marking(self, marking: Marking) -> Self {
        ExtendedNet { core: self.core.from_marking(marking), ..self }
    }

    /// The weight of the inhibitor arc between `t` and `p`, where there is one.
    pub fn inhibitor_weight(&self, t: TransitionId, p: PlaceId) -> Option<u64> {
        let row = self.inhibitors(t);
        row.binary_search_by_key(&p, |arc| arc.place).ok().map(|at| row[at].weight)
    }

    /// Whether `t` may fire in `marking`.
    pub fn is_enabled(&self, marking: &Marking, t: TransitionId) -> bool {
        self.core.is_enabled(marking, t)
            && self.inhibitors(t).iter().all(|arc| marking[arc.place] < arc.weight)
    }

    /// What `t` asks of places to be enabled.
    pub fn enabling(&self, t: TransitionId) -> Vec<Window> {
        let needs = self.core.pre(t).iter();
        let needs = needs.map(|arc| Window { place: arc.place, least: arc.weight, below: None });
        let room = self.inhibitors(t).iter();
        let room = room.map(|arc| Window { place: arc.place, least: 0, below: Some(arc.weight) });
        needs.chain(room).collect()
    }

    /// Whether no transition is enabled in `marking`.
    pub fn is_dead(&self, marking: &Marking) -> bool {
        !self.core.transitions().any(|t| self.is_enabled(marking, t))
    }

    /// Fires `t` once in `marking`, which is left as it was on an error.
    ///
    /// # Errors
    /// When `t` is not enabled, or a place would overflow; each names the place.
    pub fn fire(&self, marking: &mut Marking, t: TransitionId) -> Result<(), FireError> {
        let lacking = self.core.pre(t).iter().find(|arc| marking[arc.place] < arc.weight);
        let inhibits = self.inhibitors(t).iter().find(|arc| marking[arc.place] >= arc.weight);
        if let Some(place) = lacking.map(|arc| arc.place).or(inhibits.map(|arc| arc.place)) {
            return Err(FireError::NotEnabled(place));
        }
        let mut next = marking.clone();
        for arc in self.core.pre(t) {
            next[arc.place] -= arc.weight;
        }
        for &place in self.resets(t) {
            next[place] = 0;
        }
        for arc in self.core.post(t) {
            let tokens = next[arc.place].checked_add(arc.weight);
            match tokens.filter(|&tokens| tokens <= Marking::MAX_TOKENS) {
                Some(tokens) => next[arc.place] = tokens,
                None => return Err(FireError::Overflow(arc.place)),
            }
        }
        *marking = next;
        Ok(())
    }
}

impl From<Net> for ExtendedNet {
    fn from(core: Net) -> Self {
        ExtendedNet { core, inhibitors: Vec::new(), resets: Vec::new() }
    }
}

/// Collects a net with inhibitor, reset and read arcs.
#[derive(Default)]
pub struct ExtendedBuilder {
    /// The nodes and the plain arcs.
    pub core: NetBuilder,
    reads: BTreeMap<(TransitionId, PlaceId), u64>,
    inhibitors: BTreeMap<(TransitionId, PlaceId), u64>,
    resets: BTreeMap<(TransitionId, PlaceId), ()>,
}

impl ExtendedBuilder {
    /// An empty net of this name.
    pub fn new(name: impl Into<String>) -> Self {
        ExtendedBuilder { core: NetBuilder::new(name), ..ExtendedBuilder::default() }
    }

    /// `t` is enabled only while `p` holds `weight` tokens, and takes none of them. With plain arcs
    /// between the two, the larger number counts.
    ///
    /// # Errors
    /// As [`NetBuilder::take`].
    pub fn read(&mut self, t: TransitionId, p: PlaceId, weight: u64) -> Result<(), BuildError> {
        self.core.check_weight(t, p, weight)?;
        let known = self.reads.entry((t, p)).or_default();
        *known = weight.max(*known);
        Ok(())
    }

    /// `t` is enabled only while `p` holds fewer than `weight` tokens. Of several arcs, the least
    /// weight counts.
    ///
    /// # Errors
    /// As [`NetBuilder::take`].
    pub fn inhibit(&mut self, t: TransitionId, p: PlaceId, weight: u64) -> Result<(), BuildError> {
        self.core.check_weight(t, p, weight)?;
        let known = self.inhibitors.entry((t, p)).or_insert(weight);
        *known = weight.min(*known);
        Ok(())
    }

    /// `t` empties `p`, after it took what it takes and before it puts what it puts.
    pub fn reset(&mut self, t: TransitionId, p: PlaceId) {
        self.resets.insert((t, p), ());
    }

    /// The finished net.
    ///
    /// # Errors
    /// As [`NetBuilder::build`].
    pub fn build(mut self) -> Result<ExtendedNet, BuildError> {
        if !self.reads.is_empty() {
            let taken = self.core.taken(&self.reads);
            for ((t, p), weight) in std::mem::take(&mut self.reads) {
                let takes = taken.get(&(t, p)).copied().unwrap_or_default();
                let missing = u128::from(weight).saturating_sub(takes);
                // At most the weight of the arc, which was checked.
                let missing = u64::try_from(missing).unwrap_or_default();
                if missing > 0 {
                    self.core.take(t, p, missing)?;
                    // What is read stays, unless the place is emptied.
                    if !self.resets.contains_key(&(t, p)) {
                        self.core.put(t, p, missing)?;
                    }
                }
            }
        }
        let core = self.core.build()?;
        let mut inhibitors = vec![Vec::new(); core.transition_count()];
        for ((t, place), weight) in self.inhibitors {
            inhibitors[t.index()].push(Inhibitor { place, weight });
        }
        let mut resets = vec![Vec::new(); core.transition_count()];
        for (t, place) in self.resets.into_keys() {
            resets[t.index()].push(place);
        }
        Ok(ExtendedNet { core, inhibitors, resets })
    }
}

/// What a place holds at most, whatever fires: by arcs that inhibit all who add to it. `None` where
/// some transition adds to the place and is not inhibited by it.
///
/// Let B be the largest of m₀(p) and of what can be left by each transition that raises p: with an
/// inhibitor arc of weight w and d tokens more than before, (w − 1) + d; with a reset arc, what it
/// puts. A marking with at most B tokens on p is followed by such markings only.
pub fn capacity(net: &ExtendedNet, p: PlaceId) -> Option<u64> {
    let core = net.core();
    let mut most = core.initial()[p];
    for &PlaceArc { transition: t, weight: put } in core.producers(p) {
        let left = match net.resets(t).binary_search(&p) {
            Ok(_) => put,
            Err(_) => match put.checked_sub(core.pre_weight(t, p)) {
                None | Some(0) => continue,
                Some(more) => (net.inhibitor_weight(t, p)? - 1).checked_add(more)?,
            },
        };
        most = most.max(left);
    }
    Some(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// p and q, and one transition that takes 1 from p, which has to hold 3, and is inhibited by q
    /// >= 2.
    fn net() -> ExtendedNet {
        let mut builder = ExtendedBuilder::new("n");
        let p = builder.core.place("p", 4).unwrap();
        let q = builder.core.place("q", 0).unwrap();
        let t = builder.core.transition("t").unwrap();
        builder.core.take(t, p, 1).unwrap();
        builder.core.put(t, q, 1).unwrap();
        builder.read(t, p, 3).unwrap();
        builder.inhibit(t, q, 2).unwrap();
        let empty = builder.core.transition("empty").unwrap();
        builder.core.take(empty, q, 1).unwrap();
        builder.core.put(empty, p, 1).unwrap();
        builder.reset(empty, p);
        builder.build().unwrap()
    }

    #[test]
    fn reads_are_the_larger_of_both_and_take_nothing() {
        let net = net();
        let [t, p] = [net.core().transition_named("t").unwrap().index(), 0];
        let (t, p) = (TransitionId::new(t), PlaceId::new(p));
        assert_eq!((net.core().pre_weight(t, p), net.core().post_weight(t, p)), (3, 2));
    }

    #[test]
    fn inhibitors_and_resets_have_their_say() {
        let net = net();
        let [t, empty] = ["t", "empty"].map(|name| net.core().transition_named(name).unwrap());
        let mut marking = net.core().initial().clone();
        net.fire(&mut marking, t).unwrap();
        net.fire(&mut marking, t).unwrap();
        assert_eq!(marking.tokens(), [2, 2]);
        assert!(matches!(net.fire(&mut marking, t), Err(FireError::NotEnabled(_))));
        net.fire(&mut marking, empty).unwrap();
        assert_eq!(marking.tokens(), [1, 1]);
        // What is filled up to a number of tokens holds no more.
        assert_eq!(capacity(&net, PlaceId::new(1)), Some(2));
        assert_eq!(capacity(&net, PlaceId::new(0)), Some(4));
    }
}
