//! Nets with inhibitor and reset arcs: a place/transition net, the *core*, with additional
//! conditions on enabledness and additional effects of firing.
//!
//! ```text
//! t is enabled in m   iff  m(p) >= pre(t, p) for all p, and m(p) < w for each inhibitor arc of weight w
//! firing it leads to       m'(p) = post(t, p)                          where a reset arc joins p and t
//!                          m'(p) = m(p) - pre(t, p) + post(t, p)       elsewhere
//! ```
//!
//! A read arc is a self-loop, which [`ExtendedBuilder::read`] makes. So a net with only read arcs
//! is its core.
//!
//! Engines, rules and certificates know plain arcs only. So a net with other arcs is first
//! translated to a place/transition net, see [`translation`](crate::translation). The core would
//! have other runs.

use crate::assumption::Assumption;
use crate::builder::{BuildError, NetBuilder};
use crate::id::{PlaceId, TransitionId};
use crate::marking::Marking;
use crate::net::{FireError, Net, PlaceArc};
use crate::translation::EnablingRange;
use std::collections::BTreeMap;

/// An inhibitor arc, seen from its transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Inhibitor {
    /// The inhibitor place of the arc.
    pub place: PlaceId,
    /// The transition is enabled only while the place holds fewer tokens than this, at least 1.
    pub weight: u64,
}

/// A net with inhibitor and reset arcs. Made by an [`ExtendedBuilder`].
#[derive(Clone, Debug)]
pub struct ExtendedNet {
    /// The places, the transitions and the plain arcs, as a place/transition net.
    core: Net,
    /// The inhibitor arcs of each transition, by ascending place, at most one per place. The outer
    /// list is empty if the net was made from a place/transition net.
    inhibitors: Vec<Vec<Inhibitor>>,
    /// The places that each transition empties by reset arcs, by ascending place. The outer list is
    /// empty if the net was made from a place/transition net.
    resets: Vec<Vec<PlaceId>>,
}

impl ExtendedNet {
    /// Returns the place/transition net of the places, the transitions and the plain arcs.
    pub fn core(&self) -> &Net {
        &self.core
    }

    /// Returns the inhibitor arcs of `t`, by ascending place.
    pub fn inhibitors(&self, t: TransitionId) -> &[Inhibitor] {
        self.inhibitors.get(t.index()).map_or(&[], |row| row)
    }

    /// Returns the places that `t` empties, ascending.
    pub fn resets(&self, t: TransitionId) -> &[PlaceId] {
        self.resets.get(t.index()).map_or(&[], |row| row)
    }

    /// Returns true if there are only plain arcs, so that the core is the net.
    pub fn is_plain(&self) -> bool {
        self.inhibitors.iter().all(Vec::is_empty) && !self.has_resets()
    }

    /// Returns true if there are reset arcs.
    pub fn has_resets(&self) -> bool {
        self.resets.iter().any(|row| !row.is_empty())
    }

    /// Returns the core of a net with only plain arcs.
    ///
    /// # Errors
    /// The unchanged net, if it has other arcs.
    pub fn into_plain(self) -> Result<Net, Box<ExtendedNet>> {
        match self.is_plain() {
            true => Ok(self.core),
            false => Err(Box::new(self)),
        }
    }

    /// Returns the net with other final markings.
    #[must_use]
    pub fn with_final_markings(self, finals: Vec<Marking>) -> Self {
        ExtendedNet { core: self.core.with_final_markings(finals), ..self }
    }

    /// Returns the net with further assumptions about its model.
    #[must_use]
    pub fn assuming(self, assumptions: impl IntoIterator<Item = Assumption>) -> Self {
        ExtendedNet { core: self.core.assuming(assumptions), ..self }
    }

    /// Returns the net with the initial marking `marking`.
    #[must_use]
    pub fn from_marking(self, marking: Marking) -> Self {
        ExtendedNet { core: self.core.from_marking(marking), ..self }
    }

    /// Returns the weight of the inhibitor arc between `t` and `p`, if it exists.
    pub fn inhibitor_weight(&self, t: TransitionId, p: PlaceId) -> Option<u64> {
        let row = self.inhibitors(t);
        row.binary_search_by_key(&p, |arc| arc.place).ok().map(|index| row[index].weight)
    }

    /// Returns true if `t` is enabled in `marking`.
    pub fn is_enabled(&self, marking: &Marking, t: TransitionId) -> bool {
        self.core.is_enabled(marking, t)
            && self.inhibitors(t).iter().all(|arc| marking[arc.place] < arc.weight)
    }

    /// Returns the ranges of tokens that enable `t`, one per input arc and one per inhibitor arc.
    /// `t` is enabled if each of these places has a number of tokens in its range.
    pub fn enabling(&self, t: TransitionId) -> Vec<EnablingRange> {
        let lower_windows = self.core.pre(t).iter();
        let lower_windows = lower_windows.map(|arc| EnablingRange {
            place: arc.place,
            min_tokens: arc.weight,
            first_excluded: None,
        });
        let upper_windows = self.inhibitors(t).iter();
        let upper_windows = upper_windows.map(|arc| EnablingRange {
            place: arc.place,
            min_tokens: 0,
            first_excluded: Some(arc.weight),
        });
        lower_windows.chain(upper_windows).collect()
    }

    /// Returns true if no transition is enabled in `marking`.
    pub fn is_dead(&self, marking: &Marking) -> bool {
        !self.core.transitions().any(|t| self.is_enabled(marking, t))
    }

    /// Fires `t` once in `marking`, which stays unchanged on an error.
    ///
    /// # Errors
    /// If `t` is disabled or a place would overflow, with the place.
    pub fn fire(&self, marking: &mut Marking, t: TransitionId) -> Result<(), FireError> {
        let missing_input = self.core.pre(t).iter().find(|arc| marking[arc.place] < arc.weight);
        let inhibiting = self.inhibitors(t).iter().find(|arc| marking[arc.place] >= arc.weight);
        if let Some(place) = missing_input.map(|arc| arc.place).or(inhibiting.map(|arc| arc.place))
        {
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

/// A net with inhibitor, reset and read arcs under construction.
#[derive(Default)]
pub struct ExtendedBuilder {
    /// The nodes and the plain arcs.
    pub core: NetBuilder,
    /// The weight of the read arc between a transition and a place. If several read arcs were
    /// added, it is the largest weight.
    read_arcs: BTreeMap<(TransitionId, PlaceId), u64>,
    /// The weight of the inhibitor arc between a transition and a place. If several inhibitor arcs
    /// were added, it is the smallest weight.
    inhibitors: BTreeMap<(TransitionId, PlaceId), u64>,
    /// The reset arcs.
    resets: BTreeMap<(TransitionId, PlaceId), ()>,
}

impl ExtendedBuilder {
    /// Makes an empty net with this name.
    pub fn new(name: impl Into<String>) -> Self {
        ExtendedBuilder { core: NetBuilder::new(name), ..ExtendedBuilder::default() }
    }

    /// Adds a read arc: `t` is enabled only while `p` holds at least `weight` tokens, and consumes
    /// none of them. Of several read arcs, the largest weight counts. If a plain arc from `p` to
    /// `t` exists as well, the larger of the two weights counts.
    ///
    /// # Errors
    /// The errors of [`NetBuilder::take`].
    pub fn read(&mut self, t: TransitionId, p: PlaceId, weight: u64) -> Result<(), BuildError> {
        self.core.check_weight(t, p, weight)?;
        let max_weight = self.read_arcs.entry((t, p)).or_default();
        *max_weight = weight.max(*max_weight);
        Ok(())
    }

    /// Adds an inhibitor arc: `t` is enabled only while `p` holds fewer than `weight` tokens. Of
    /// several arcs, the smallest weight counts.
    ///
    /// # Errors
    /// The errors of [`NetBuilder::take`].
    pub fn inhibit(&mut self, t: TransitionId, p: PlaceId, weight: u64) -> Result<(), BuildError> {
        self.core.check_weight(t, p, weight)?;
        let min_weight = self.inhibitors.entry((t, p)).or_insert(weight);
        *min_weight = weight.min(*min_weight);
        Ok(())
    }

    /// Adds a reset arc: `t` empties `p` after consuming its input tokens and before producing its
    /// output tokens.
    pub fn reset(&mut self, t: TransitionId, p: PlaceId) {
        self.resets.insert((t, p), ());
    }

    /// Builds the net.
    ///
    /// # Errors
    /// The errors of [`NetBuilder::build`].
    pub fn build(mut self) -> Result<ExtendedNet, BuildError> {
        if !self.read_arcs.is_empty() {
            let taken = self.core.input_weights(&self.read_arcs);
            for ((t, p), weight) in std::mem::take(&mut self.read_arcs) {
                let plain_weight = taken.get(&(t, p)).copied().unwrap_or_default();
                let missing = u128::from(weight).saturating_sub(plain_weight);
                // The difference is at most the weight of the read arc, which was checked when the
                // arc was added. So it fits 64 bits.
                let missing = u64::try_from(missing).unwrap_or_default();
                if missing > 0 {
                    self.core.take(t, p, missing)?;
                    // The tokens read stay, unless the place is emptied.
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

/// Returns a bound on the tokens of a place that follows from its initial tokens and the arcs at
/// the place. Returns `None` if some transition increases the place, and neither resets it nor is
/// inhibited by it. Also returns `None` if the bound exceeds 64 bits.
///
/// Let B be the largest of m₀(p) and of the tokens on p after any firing of a transition that
/// increases p. With an inhibitor arc of weight w and an increase of d tokens, p then has at most
/// (w − 1) + d tokens. With a reset arc, p then holds only the tokens that the firing produces. By
/// induction, no reachable marking has more than B tokens on p.
pub fn bound_by_inhibitors(net: &ExtendedNet, p: PlaceId) -> Option<u64> {
    let core = net.core();
    let mut max_tokens = core.initial()[p];
    for &PlaceArc { transition: t, weight: produced } in core.producers(p) {
        let tokens_after = match net.resets(t).binary_search(&p) {
            Ok(_) => produced,
            Err(_) => match produced.checked_sub(core.pre_weight(t, p)) {
                None | Some(0) => continue,
                Some(increase) => (net.inhibitor_weight(t, p)? - 1).checked_add(increase)?,
            },
        };
        max_tokens = max_tokens.max(tokens_after);
    }
    Some(max_tokens)
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
    fn a_read_arc_demands_its_weight_and_consumes_nothing() {
        let net = net();
        let [t, p] = [net.core().transition_named("t").unwrap().index(), 0];
        let (t, p) = (TransitionId::new(t), PlaceId::new(p));
        assert_eq!((net.core().pre_weight(t, p), net.core().post_weight(t, p)), (3, 2));
    }

    #[test]
    fn inhibitor_and_reset_arcs_affect_firing() {
        let net = net();
        let [t, empty] = ["t", "empty"].map(|name| net.core().transition_named(name).unwrap());
        let mut marking = net.core().initial().clone();
        net.fire(&mut marking, t).unwrap();
        net.fire(&mut marking, t).unwrap();
        assert_eq!(marking.tokens(), [2, 2]);
        assert!(matches!(net.fire(&mut marking, t), Err(FireError::NotEnabled(_))));
        net.fire(&mut marking, empty).unwrap();
        assert_eq!(marking.tokens(), [1, 1]);
        // A place filled up to a number of tokens holds no more.
        assert_eq!(bound_by_inhibitors(&net, PlaceId::new(1)), Some(2));
        assert_eq!(bound_by_inhibitors(&net, PlaceId::new(0)), Some(4));
    }
}
