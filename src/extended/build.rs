//! The net itself: complement places, and copies of what empties places.
//!
//! # Soundness
//! Let B(p) bound p in every marking that the net with these arcs reaches. By induction along
//! firings, the markings reached here are m with B(p) − m(p) on co(p), for each m reached there,
//! and a transition is enabled in m iff one of its copies is, and then exactly one:
//!
//! * an inhibitor arc of weight w <= B(p) asks for co(p) >= B(p) − w + 1, which is m(p) < w; with
//!   w > B(p) it never inhibits, and is dropped;
//! * a transition that adds d > 0 tokens to p takes d from co(p): they are there, as m(p) + d <=
//!   B(p) is reached;
//! * the copy for k of a transition that empties p takes k from p and B(p) − k from co(p): it is
//!   enabled only where m(p) = k. What p held before does not matter where it is always empty, B(p)
//!   = 0.

use super::{MOST_COPIES, Untranslated};
use parikh_net::translation::{Bound, Translation, complement_name, copy_name};
use parikh_net::{BuildError, ExtendedNet, Net, NetBuilder, PlaceId, TransitionId};
use std::collections::{BTreeMap, BTreeSet};

/// The net by these bounds, of which there is one for each place that inhibits or is emptied.
pub(super) fn build(net: &ExtendedNet, bounds: Vec<Bound>) -> Result<Net, Untranslated> {
    let most: BTreeMap<PlaceId, u64> = bounds.iter().map(|it| (it.place, it.most)).collect();
    let core = net.core();
    let mut builder = NetBuilder::new(core.name());
    for p in core.places() {
        let place = builder.place(core.place_name(p), core.initial()[p])?;
        if let Some(label) = core.place_label(p) {
            builder.label_place(place, label);
        }
    }
    let mut making = Making { net, most: &most, complements: BTreeMap::new() };
    for p in making.watched() {
        let is_taken =
            |name: &str| core.transition_named(name).is_some() || builder.node(name).is_some();
        let name = complement_name(core.place_name(p), is_taken);
        let complement = builder.place(&name, making.most(p) - core.initial()[p])?;
        making.complements.insert(p, complement);
    }
    let mut copies = Vec::with_capacity(core.transition_count());
    let mut all: u128 = 0;
    for t in core.transitions() {
        let ranges = making.ranges(t);
        let count = ranges.iter().try_fold(1u128, |product, &(_, low, high)| {
            product.checked_mul(u128::from(high - low) + 1)
        });
        all = count.and_then(|count| all.checked_add(count)).unwrap_or(u128::MAX);
        if all > MOST_COPIES.max(core.transition_count() as u128) {
            let transition = core.transition_name(t).to_owned();
            return Err(Untranslated::TooManyCopies { transition, most: MOST_COPIES });
        }
        copies.push(making.copies(t, &ranges, &mut builder)?);
    }
    let complemented = making.complements.keys().copied().collect();
    let names = core.transitions().map(|t| core.transition_name(t)).zip(copies);
    let translation = Translation::new(core.place_count(), names, bounds, complemented);
    let translation = translation.map_err(|_| BuildError::TooLarge)?;
    builder.set_translation(translation);
    Ok(builder.build()?)
}

/// A net while it is made.
struct Making<'n> {
    net: &'n ExtendedNet,
    most: &'n BTreeMap<PlaceId, u64>,
    complements: BTreeMap<PlaceId, PlaceId>,
}

impl Making<'_> {
    /// The bound of a place that inhibits or is emptied.
    fn most(&self, p: PlaceId) -> u64 {
        self.most.get(&p).copied().unwrap_or_default()
    }

    /// The places whose complement somebody asks.
    fn watched(&self) -> BTreeSet<PlaceId> {
        let of = |t: TransitionId| {
            let inhibits = self.net.inhibitors(t).iter();
            let inhibits = inhibits.filter(|arc| arc.weight <= self.most(arc.place));
            inhibits.map(|arc| arc.place).chain(self.emptied(t)).collect::<Vec<_>>()
        };
        self.net.core().transitions().flat_map(of).collect()
    }

    /// The places that `t` empties and that may hold something.
    fn emptied(&self, t: TransitionId) -> impl Iterator<Item = PlaceId> {
        self.net.resets(t).iter().copied().filter(|&p| self.most(p) > 0)
    }

    /// For each place that `t` empties, the least and the most that it may hold when `t` fires.
    /// Where that is nothing, one number that it cannot hold.
    fn ranges(&self, t: TransitionId) -> Vec<(PlaceId, u64, u64)> {
        let range = |p| {
            let low = self.net.core().pre_weight(t, p);
            let inhibitor = self.net.inhibitor_weight(t, p);
            let high = inhibitor.map_or(self.most(p), |weight| self.most(p).min(weight - 1));
            (p, low, high.max(low))
        };
        self.emptied(t).map(range).collect()
    }

    /// Adds the copies of `t`; how many.
    fn copies(
        &self,
        t: TransitionId,
        ranges: &[(PlaceId, u64, u64)],
        builder: &mut NetBuilder,
    ) -> Result<usize, BuildError> {
        let core = self.net.core();
        let name = core.transition_name(t);
        let is_one = ranges.iter().all(|&(_, low, high)| low == high);
        let count: u64 = ranges.iter().map(|&(_, low, high)| high - low + 1).product();
        for number in 0..count {
            let held = numbers(ranges, number);
            let copy = match is_one {
                true => builder.transition(name)?,
                false => {
                    let held: Vec<(&str, u64)> = ranges
                        .iter()
                        .zip(&held)
                        .map(|(&(p, ..), &tokens)| (core.place_name(p), tokens))
                        .collect();
                    let is_taken = |name: &str| {
                        core.transition_named(name).is_some() || builder.node(name).is_some()
                    };
                    let name = copy_name(name, &held, is_taken);
                    builder.transition(&name)?
                }
            };
            if let Some(label) = core.transition_label(t) {
                builder.label_transition(copy, label);
            }
            let emptied: BTreeMap<PlaceId, u64> =
                ranges.iter().map(|&(p, ..)| p).zip(held.iter().copied()).collect();
            self.arcs(t, copy, &emptied, builder)?;
        }
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// The arcs of the copy of `t` for these numbers of tokens on the places that it empties.
    fn arcs(
        &self,
        t: TransitionId,
        copy: TransitionId,
        emptied: &BTreeMap<PlaceId, u64>,
        builder: &mut NetBuilder,
    ) -> Result<(), BuildError> {
        let core = self.net.core();
        let arcs = core.pre(t).iter().chain(core.post(t)).map(|arc| arc.place);
        let inhibitors = self.net.inhibitors(t).iter().map(|arc| arc.place);
        let places: BTreeSet<PlaceId> =
            arcs.chain(inhibitors).chain(emptied.keys().copied()).collect();
        for p in places {
            let (takes, puts) = (core.pre_weight(t, p), core.post_weight(t, p));
            let most = self.most(p);
            let inhibitor = self.net.inhibitor_weight(t, p).filter(|&weight| weight <= most);
            let room = inhibitor.map_or(0, |weight| most - weight + 1);
            let complement = self.complements.get(&p).copied();
            let (takes, here, there) = match (emptied.get(&p), complement) {
                (Some(&held), _) => {
                    let room = room.max(most.saturating_sub(held));
                    (held, puts, Some((room, most.saturating_sub(puts))))
                }
                (None, Some(_)) => {
                    let more = puts.saturating_sub(takes);
                    let room = room.max(more);
                    (takes, puts, Some((room, room - more + takes.saturating_sub(puts))))
                }
                (None, None) => (takes, puts, None),
            };
            let mut arc = |p: PlaceId, takes: u64, puts: u64| {
                if takes > 0 {
                    builder.take(copy, p, takes)?;
                }
                if puts > 0 {
                    builder.put(copy, p, puts)?;
                }
                Ok::<(), BuildError>(())
            };
            arc(p, takes, here)?;
            if let (Some(complement), Some((takes, puts))) = (complement, there) {
                arc(complement, takes, puts)?;
            }
        }
        Ok(())
    }
}

/// The numbers of tokens that the copy of this number is for.
fn numbers(ranges: &[(PlaceId, u64, u64)], mut number: u64) -> Vec<u64> {
    let mut next = |&(_, low, high): &(PlaceId, u64, u64)| {
        let size = high - low + 1;
        let tokens = low + number % size;
        number /= size;
        tokens
    };
    ranges.iter().map(&mut next).collect()
}
