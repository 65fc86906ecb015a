//! Token counts of markings that are words.

use super::layout::{GroupField, WordLayout};
use crate::diagrams::level_groups::{LevelGroup, LevelGroups};
use parikh_net::Net;

/// The groups whose number of tokens varies, and the tokens of the other groups.
#[derive(Clone, Debug)]
pub(super) struct GroupTokens {
    /// The groups whose number of tokens depends on their value.
    varying: Vec<(LevelGroup, GroupField)>,
    /// Number of tokens in all other groups together.
    constant_total: u128,
    /// Maximum number of tokens on one place of the other groups.
    constant_max: u64,
}

/// The smallest and the largest value that a group had in some markings. The smallest exceeds the
/// largest if there were no markings.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueRange {
    pub(super) min: u64,
    pub(super) max: u64,
}

impl ValueRange {
    /// The range of no markings.
    pub(super) const NONE: ValueRange = ValueRange { min: u64::MAX, max: 0 };

    fn add(&mut self, value: u64) {
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Adds the values of another range.
    pub(super) fn join(&mut self, other: &ValueRange) {
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }
}

impl GroupTokens {
    pub(super) fn new(net: &Net, groups: &LevelGroups, layout: &WordLayout) -> GroupTokens {
        let mut tokens = GroupTokens { varying: Vec::new(), constant_total: 0, constant_max: 0 };
        for (group, &field) in groups.groups.iter().zip(layout.fields()) {
            let is_constant = match group {
                LevelGroup::AtMostOne { can_be_empty, .. } => !can_be_empty,
                _ => field.low_mask == 0,
            };
            if is_constant {
                for &place in group.places() {
                    tokens.constant_total += u128::from(net.initial()[place]);
                    tokens.constant_max = tokens.constant_max.max(net.initial()[place]);
                }
            } else {
                tokens.varying.push((group.clone(), field));
            }
        }
        tokens
    }

    /// Returns an empty range for each group whose number of tokens varies.
    pub(super) fn empty_ranges(&self) -> Vec<ValueRange> {
        vec![ValueRange::NONE; self.varying.len()]
    }

    /// Returns the total number of tokens in a marking. Adds the values of groups to `ranges`.
    pub(super) fn total(&self, word: u64, ranges: &mut [ValueRange]) -> u128 {
        let mut total = self.constant_total;
        for ((group, field), range) in self.varying.iter().zip(ranges) {
            let value = field.value(word);
            range.add(value);
            total += match group {
                LevelGroup::Single(_) => u128::from(value),
                LevelGroup::AtMostOne { places, .. } => u128::from(value != places.len() as u64),
                LevelGroup::Pair(_) => u128::from(value) + u128::from(group.tokens(1, value)),
            };
        }
        total
    }

    /// Returns the maximum number of tokens on one place, from the ranges of all markings.
    pub(super) fn max_in_place(&self, ranges: &[ValueRange]) -> u64 {
        let of_group = |((group, _), range): (&(LevelGroup, GroupField), &ValueRange)| match group {
            LevelGroup::Single(_) => range.max,
            LevelGroup::AtMostOne { places, .. } => u64::from(range.min < places.len() as u64),
            LevelGroup::Pair(_) => range.max.max(group.tokens(1, range.min)),
        };
        let varying = self.varying.iter().zip(ranges).map(of_group).max();
        self.constant_max.max(varying.unwrap_or(0))
    }
}
