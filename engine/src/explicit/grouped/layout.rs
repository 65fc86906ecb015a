//! Markings as words: one bit field per group of places.

use crate::diagrams::level_groups::{LevelGroup, LevelGroups};
use parikh_net::{Facts, Net};
use parikh_structure::flows::PlaceFlow;

/// Number of bits of a word.
const WORD_BITS: u32 = 64;

/// The bits of a word that contain the value of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GroupField {
    /// Index of the lowest bit. 0 if the width is 0.
    pub(super) shift: u32,
    /// Mask of `width` low bits. 0 for a place that never changes; its value counts as 0 then.
    pub(super) low_mask: u64,
    /// An upper bound of the value, at most `low_mask`.
    pub(super) largest: u64,
    /// True if place invariants prove the upper bound. Otherwise it is the largest number that the
    /// field can store, and each firing is tested for overflow.
    pub(super) is_proved: bool,
}

impl GroupField {
    /// Returns the value of the group in a marking.
    pub(super) fn value(&self, word: u64) -> u64 {
        (word >> self.shift) & self.low_mask
    }

    /// Returns the mask of the field's bits in a word.
    pub(super) fn mask(&self) -> u64 {
        self.low_mask << self.shift
    }
}

/// The bit field of each group, by index of the group.
#[derive(Clone, Debug)]
pub(super) struct WordLayout {
    /// The fields, by index of the group.
    fields: Vec<GroupField>,
    /// Number of bits of all fields together.
    bits: u32,
    /// The initial marking.
    initial: u64,
}

impl WordLayout {
    /// Returns the layout for the groups of `net`. Bounds of single places come from `flows`, or
    /// from `facts` if the flows contain no bound. Facts may be wrong. Returns `None` if a place
    /// has no bound, or the fields need more than 64 bits.
    pub(super) fn new(
        net: &Net,
        groups: &LevelGroups,
        flows: &[PlaceFlow],
        facts: &Facts,
    ) -> Option<WordLayout> {
        let proved_bounds = proved_bounds(net, groups, flows);
        let mut changes = vec![false; net.place_count()];
        for t in net.transitions() {
            net.delta(t).iter().for_each(|change| changes[change.place.index()] = true);
        }
        let mut layout = WordLayout { fields: Vec::new(), bits: 0, initial: 0 };
        for (group, initial) in groups.groups.iter().zip(groups.initial(net)) {
            let (largest, is_proved) = match group {
                LevelGroup::Single(place) if !changes[place.index()] => (0, true),
                &LevelGroup::Single(place) => match proved_bounds[place.index()] {
                    Some(bound) => (bound, true),
                    // A wrong bound of 0 needs a field, too, so that a firing overflows.
                    None => (facts.upper_bound(place)?.tokens.max(initial).max(1), false),
                },
                _ => (group.largest_value(), true),
            };
            let width = u64::BITS - largest.leading_zeros();
            if layout.bits + width > WORD_BITS {
                return None;
            }
            let low_mask = u64::MAX.checked_shr(u64::BITS - width).unwrap_or(0);
            let shift = if width == 0 { 0 } else { layout.bits };
            // A claimed bound only selects the width.
            let largest = if is_proved { largest } else { low_mask };
            layout.fields.push(GroupField { shift, low_mask, largest, is_proved });
            layout.initial |= (initial & low_mask) << shift;
            layout.bits += width;
        }
        Some(layout)
    }

    /// Returns the fields, by index of the group.
    pub(super) fn fields(&self) -> &[GroupField] {
        &self.fields
    }

    /// Returns the number of bits of a marking. All higher bits of a word are 0.
    pub(super) fn bits(&self) -> u32 {
        self.bits
    }

    /// Returns the initial marking.
    pub(super) fn initial(&self) -> u64 {
        self.initial
    }
}

/// Returns the upper bounds of places that are groups of their own, by index of the place. The
/// bounds follow from `flows`, after a check of these flows.
fn proved_bounds(net: &Net, groups: &LevelGroups, flows: &[PlaceFlow]) -> Vec<Option<u64>> {
    let mut bounds: Vec<Option<u64>> = vec![None; net.place_count()];
    for flow in flows.iter().filter(|flow| flow.is_semiflow()) {
        let Some(total) = flow.constant(net.initial()).to_i64() else { continue };
        let is_single = |place| groups.group_of(place).places().len() == 1;
        let better: Vec<_> = flow
            .terms()
            .iter()
            .filter(|&&(place, _)| is_single(place))
            .filter_map(|(place, weight)| Some((place.index(), total / weight.to_i64()?)))
            .filter_map(|(place, bound)| Some((place, u64::try_from(bound).ok()?)))
            .filter(|&(place, bound)| bounds[place].is_none_or(|known| bound < known))
            .collect();
        if !better.is_empty() && flow.holds(net) {
            better.into_iter().for_each(|(place, bound)| bounds[place] = Some(bound));
        }
    }
    bounds
}
