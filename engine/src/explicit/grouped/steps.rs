//! Transitions compiled to masks and additions on markings that are words.
//!
//! Most conditions fix the value of a group, so one comparison of the masked word tests all of
//! them. A firing adds one number to the word, because no field leaves its range.
//!
//! *Candidates.* A transition is listed under the values of one group, or of two groups if many
//! transitions have conditions on the same two groups. For each such choice of groups there is a
//! table of lists. In a marking, only one list of each table is tested. With 10,000 transitions
//! between five state machines of 50 places, 4 transitions are tested instead of 200.

use super::layout::{GroupField, WordLayout};
use crate::diagrams::level_groups::LevelGroups;
use parikh_net::Net;
use std::collections::BTreeMap;

/// Limit on the number of lists of a table. The last list of a table for one group is for all
/// larger values.
const MAX_LISTS: u64 = 1 << 16;

/// Limit on the number of lists of a table for one group, if some transition is in several lists.
const MAX_LISTS_OF_INTERVALS: u64 = 64;

/// Minimum number of tests in a marking that a table for two groups must save.
const MIN_SAVED_TESTS: usize = 4;

/// An interval of values of a field that a word is tested for.
#[derive(Clone, Copy, Debug)]
struct FieldInterval {
    field: GroupField,
    /// Smallest value.
    min: u64,
    /// Largest value.
    max: u64,
}

impl FieldInterval {
    fn contains(&self, word: u64) -> bool {
        let value = self.field.value(word);
        self.min <= value && value <= self.max
    }
}

/// A transition in a list of candidates.
#[derive(Clone, Copy, Debug)]
struct CandidateTransition {
    /// The bits of the fields with a required value.
    mask: u64,
    /// The required values.
    required: u64,
    /// The number that a firing adds to the word, modulo 2⁶⁴. 0 for a transition without effect.
    delta: u64,
    /// Index of the transition.
    transition: u32,
    /// Index of the intervals in [`CompiledTransitions::intervals`], or [`NO_INTERVALS`].
    intervals: u32,
}

/// Shows that a candidate has no intervals.
const NO_INTERVALS: u32 = u32::MAX;

/// The conditions of a transition that are not required values.
#[derive(Clone, Debug, Default)]
struct CandidateIntervals {
    /// Intervals of the values with which the transition is enabled.
    enabling: Vec<FieldInterval>,
    /// Intervals of the values with which a firing stays in the range of the field. Only for fields
    /// with a claimed bound.
    fitting: Vec<FieldInterval>,
}

/// Lists of candidates, by the values of one or two fields.
#[derive(Clone, Debug)]
struct CandidateTable {
    /// The fields. The second has mask 0 in a table for one field.
    fields: [GroupField; 2],
    /// The largest value of the first field with a list of its own. Larger values share this list.
    last_first: u64,
    /// Number of values of the second field.
    second_count: u64,
    /// For each list, the index of its first candidate in [`CompiledTransitions::candidates`]. One
    /// more entry is the end of the last list.
    starts: Vec<u32>,
}

impl CandidateTable {
    fn list(&self, word: u64) -> usize {
        let first = self.fields[0].value(word).min(self.last_first);
        (first * self.second_count + self.fields[1].value(word)) as usize
    }
}

/// The error of a firing that leaves the range of a field with a claimed bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FieldOverflow;

/// The compiled transitions of a net.
#[derive(Clone, Debug)]
pub(super) struct CompiledTransitions {
    tables: Vec<CandidateTable>,
    /// The candidates of all lists, one list after another.
    candidates: Vec<CandidateTransition>,
    intervals: Vec<CandidateIntervals>,
    /// Number of transitions of the net.
    transitions: usize,
}

/// A transition with its conditions by group.
struct CompiledTransition {
    candidate: CandidateTransition,
    /// The groups with a condition, with the intervals of values that satisfy it.
    conditions: Vec<(u32, FieldInterval)>,
}

impl CompiledTransition {
    /// Returns the two groups with the most values among those with a required value, ascending by
    /// index. Returns `None` if a table for them is too large, or there are fewer than two.
    fn pair(&self) -> Option<[u32; 2]> {
        let required = self.conditions.iter().filter(|(_, it)| it.min == it.max);
        let mut required: Vec<(u64, u32)> =
            required.map(|(group, it)| (it.field.largest, *group)).collect();
        required.sort_unstable_by(|a, b| b.cmp(a));
        let [(a, first), (b, second), ..] = required[..] else { return None };
        let lists = a.saturating_add(1).saturating_mul(b.saturating_add(1));
        (lists <= MAX_LISTS).then(|| [first.min(second), first.max(second)])
    }

    /// Returns the group whose condition excludes the largest share of its values, if there is a
    /// condition.
    fn single(&self) -> Option<u32> {
        let satisfying_share =
            |it: &FieldInterval| (it.max - it.min) as f64 / (it.field.largest as f64).max(1.0);
        let best = self
            .conditions
            .iter()
            .min_by(|a, b| satisfying_share(&a.1).total_cmp(&satisfying_share(&b.1)));
        best.map(|(group, _)| *group)
    }

    /// Returns the interval of values of a group that satisfy the condition of the transition.
    fn interval(&self, group: u32) -> Option<&FieldInterval> {
        self.conditions.iter().find(|it| it.0 == group).map(|it| &it.1)
    }
}

impl CompiledTransitions {
    /// Compiles the transitions of `net`. Transitions that the invariants exclude are left out.
    pub(super) fn new(net: &Net, groups: &LevelGroups, layout: &WordLayout) -> CompiledTransitions {
        let mut steps = CompiledTransitions {
            tables: Vec::new(),
            candidates: Vec::new(),
            intervals: Vec::new(),
            transitions: net.transition_count(),
        };
        let initial = groups.initial(net);
        let mut compiled: Vec<CompiledTransition> = Vec::new();
        for t in net.transitions() {
            let Some(touches) = groups.touches(net, t) else { continue };
            let mut candidate = CandidateTransition {
                mask: 0,
                required: 0,
                delta: 0,
                transition: t.index() as u32,
                intervals: NO_INTERVALS,
            };
            let (mut conditions, mut intervals) = (Vec::new(), CandidateIntervals::default());
            let mut can_be_enabled = true;
            for touch in &touches {
                let field = layout.fields()[touch.level as usize];
                if field.low_mask == 0 {
                    can_be_enabled &= touch.pre <= initial[touch.level as usize];
                    continue;
                }
                let interval =
                    FieldInterval { field, min: touch.pre, max: touch.max.min(field.largest) };
                let is_always_satisfied = interval.min == 0 && interval.max == field.largest;
                can_be_enabled &= interval.min <= interval.max;
                if !is_always_satisfied {
                    conditions.push((touch.level, interval));
                    if interval.min == interval.max {
                        candidate.mask |= field.mask();
                        candidate.required |= interval.min << field.shift;
                    } else {
                        intervals.enabling.push(interval);
                    }
                }
                candidate.delta =
                    candidate.delta.wrapping_add((touch.change as u64) << field.shift);
                if touch.change > 0 && !field.is_proved {
                    let fitting = field.low_mask.checked_sub(touch.change as u64);
                    let (min, max) = fitting.map_or((1, 0), |max| (0, max));
                    intervals.fitting.push(FieldInterval { field, min, max });
                }
            }
            if !can_be_enabled {
                continue;
            }
            if !intervals.enabling.is_empty() || !intervals.fitting.is_empty() {
                candidate.intervals = steps.intervals.len() as u32;
                steps.intervals.push(intervals);
            }
            compiled.push(CompiledTransition { candidate, conditions });
        }
        steps.list_candidates(layout, &compiled);
        steps
    }

    /// Creates the tables, and lists each transition in one of them.
    fn list_candidates(&mut self, layout: &WordLayout, compiled: &[CompiledTransition]) {
        let mut by_pair: BTreeMap<[u32; 2], Vec<&CompiledTransition>> = BTreeMap::new();
        let mut by_group: BTreeMap<Option<u32>, Vec<&CompiledTransition>> = BTreeMap::new();
        for transition in compiled {
            match transition.pair() {
                Some(pair) => by_pair.entry(pair).or_default().push(transition),
                None => by_group.entry(transition.single()).or_default().push(transition),
            }
        }
        let fields = layout.fields();
        for (pair, transitions) in by_pair {
            let fields = pair.map(|group| fields[group as usize]);
            let values = fields.map(|field| field.largest + 1);
            if transitions.len() < MIN_SAVED_TESTS * values[0].max(values[1]) as usize {
                for transition in transitions {
                    by_group.entry(transition.single()).or_default().push(transition);
                }
                continue;
            }
            let lists = |transition: &CompiledTransition| {
                let value = |group| transition.interval(group).map_or(0, |it| it.min);
                let list = value(pair[0]) * values[1] + value(pair[1]);
                list..=list
            };
            self.add_table(fields, values, &transitions, lists);
        }
        let no_field = GroupField { shift: 0, low_mask: 0, largest: 0, is_proved: true };
        for (group, transitions) in by_group {
            let field = group.map_or(no_field, |group| fields[group as usize]);
            let interval = |transition: &CompiledTransition| {
                let interval = group.and_then(|group| transition.interval(group));
                interval.map_or((0, 0), |it| (it.min, it.max))
            };
            let is_value = |transition: &&CompiledTransition| {
                let (min, max) = interval(transition);
                min == max
            };
            let max_lists = match transitions.iter().all(is_value) {
                true => MAX_LISTS,
                false => MAX_LISTS_OF_INTERVALS,
            };
            let values = field.largest.saturating_add(1).min(max_lists);
            let lists = |transition: &CompiledTransition| {
                let (min, max) = interval(transition);
                min.min(values - 1)..=max.min(values - 1)
            };
            self.add_table([field, no_field], [values, 1], &transitions, lists);
        }
    }

    /// Adds a table with `values[0] · values[1]` lists. `lists` returns the indices of the lists
    /// that contain a transition.
    fn add_table(
        &mut self,
        fields: [GroupField; 2],
        values: [u64; 2],
        transitions: &[&CompiledTransition],
        lists: impl Fn(&CompiledTransition) -> std::ops::RangeInclusive<u64>,
    ) {
        let list_count = (values[0] * values[1]) as usize;
        let mut members: Vec<(u64, CandidateTransition)> = Vec::new();
        for transition in transitions {
            members.extend(lists(transition).map(|list| (list, transition.candidate)));
        }
        members.sort_by_key(|member| member.0);
        let mut starts = Vec::with_capacity(list_count + 1);
        for (list, candidate) in members {
            starts.resize(list as usize + 1, self.candidates.len() as u32);
            self.candidates.push(candidate);
        }
        starts.resize(list_count + 1, self.candidates.len() as u32);
        let (last_first, second_count) = (values[0] - 1, values[1]);
        self.tables.push(CandidateTable { fields, last_first, second_count, starts });
    }

    /// Returns the number of transitions of the net.
    pub(super) fn transition_count(&self) -> usize {
        self.transitions
    }

    /// Calls `report` for each enabled transition: with its index, and the successor, or `None` if
    /// the transition has no effect.
    ///
    /// # Errors
    /// Returns an error if a firing leaves the range of a field.
    pub(super) fn fire_all(
        &self,
        word: u64,
        mut report: impl FnMut(u32, Option<u64>),
    ) -> Result<(), FieldOverflow> {
        for table in &self.tables {
            let list = table.list(word);
            let (start, end) = (table.starts[list] as usize, table.starts[list + 1] as usize);
            for candidate in &self.candidates[start..end] {
                if word & candidate.mask != candidate.required {
                    continue;
                }
                if candidate.intervals != NO_INTERVALS {
                    let intervals = &self.intervals[candidate.intervals as usize];
                    if !intervals.enabling.iter().all(|interval| interval.contains(word)) {
                        continue;
                    }
                    if !intervals.fitting.iter().all(|interval| interval.contains(word)) {
                        return Err(FieldOverflow);
                    }
                }
                let has_effect = candidate.delta != 0;
                let successor = has_effect.then(|| word.wrapping_add(candidate.delta));
                report(candidate.transition, successor);
            }
        }
        Ok(())
    }
}
