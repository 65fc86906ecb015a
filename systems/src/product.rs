//! The product of some components of a system: joint states and their steps.
//!
//! A joint state packs the states of the components into as few bits as possible. Nothing is known
//! about omitted components. A label that only omitted components own may occur at any time and
//! changes nothing here. A label shared with omitted components waits only for the included owners.
//! Hence every run of the whole system is a run of the product with the same labels. A property of
//! all runs of the product therefore holds for all runs of the system.

use crate::factors::edges_with_label;
use crate::system::{LabelId, System};

/// The position of a component's state in a row of words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// The index of the word that holds the field.
    word: usize,
    /// The position of the lowest bit in the word.
    shift: u32,
    /// The largest number that fits the field: all its bits are 1.
    mask: u64,
}

impl Field {
    /// Returns fields for numbers below the given counts, and the number of words that they take.
    pub(crate) fn layout(counts: impl Iterator<Item = usize>) -> (Vec<Field>, usize) {
        let (mut word, mut used_bits) = (0, 0);
        let mut fields = Vec::new();
        for count in counts {
            let bits = usize::BITS - count.saturating_sub(1).leading_zeros();
            let bits = bits.max(1);
            if used_bits + bits > 64 {
                (word, used_bits) = (word + 1, 0);
            }
            fields.push(Field { word, shift: used_bits, mask: (1 << bits) - 1 });
            used_bits += bits;
        }
        (fields, word + 1)
    }

    /// Returns the number of words of a row whose last field is this one.
    pub(crate) fn width(self) -> usize {
        self.word + 1
    }

    pub(crate) fn get(self, row: &[u64]) -> u32 {
        (row[self.word] >> self.shift & self.mask) as u32
    }

    pub(crate) fn set(self, row: &mut [u64], value: u32) {
        let other_bits = row[self.word] & !(self.mask << self.shift);
        row[self.word] = other_bits | u64::from(value) << self.shift;
    }
}

/// The steps of one component from one state.
#[derive(Clone, Debug, Default)]
struct Local {
    /// Edges with labels that no other member owns, as label and target.
    unshared: Vec<(LabelId, u32)>,
    /// Labels that other members own, too, with their targets.
    shared: Vec<(LabelId, Vec<u32>)>,
}

/// The product of some components of a system.
#[derive(Debug)]
pub(crate) struct Product<'s> {
    system: &'s System,
    /// The included components, ascending.
    pub(crate) members: Vec<u32>,
    /// The steps of each member, indexed by its position among the members and by its state.
    local_steps: Vec<Vec<Local>>,
    /// Number of included owners of each label.
    included_owners: Vec<u32>,
    /// Labels without included owner.
    pub(crate) outside_labels: Vec<LabelId>,
    /// Number of ready owners of each label, that is, owners with an edge with this label in the
    /// current state. Scratch memory: all 0 between calls.
    ready_owners: Vec<u32>,
    /// The labels with a number above 0 in `ready_owners`; scratch memory.
    touched: Vec<LabelId>,
}

/// A joint step: its label and the moves of components.
pub(crate) struct JointStep<'a> {
    pub(crate) label: LabelId,
    /// The moving members: position in the member list, and new state.
    pub(crate) moves: &'a [(u32, u32)],
}

impl<'s> Product<'s> {
    /// Creates the product of the members, which must be ascending.
    pub(crate) fn new(system: &'s System, members: Vec<u32>) -> Self {
        let mut included_owners = vec![0; system.label_count()];
        for label in system.labels() {
            let owners = system.owners(label).iter();
            included_owners[label.index()] =
                owners.filter(|it| members.binary_search(it).is_ok()).count() as u32;
        }
        let local_steps = |&member: &u32| {
            let component = &system.components()[member as usize];
            (0..component.states().len() as u32)
                .map(|state| {
                    let mut local = Local::default();
                    for &(label, to) in component.edges(state) {
                        if included_owners[label.index()] == 1 {
                            local.unshared.push((label, to));
                            continue;
                        }
                        match local.shared.last_mut() {
                            Some((last, targets)) if *last == label => targets.push(to),
                            _ => local.shared.push((label, vec![to])),
                        }
                    }
                    local
                })
                .collect()
        };
        let local_steps = members.iter().map(local_steps).collect();
        let outside_labels =
            system.labels().filter(|label| included_owners[label.index()] == 0).collect();
        let ready_owners = vec![0; system.label_count()];
        Self {
            system,
            members,
            local_steps,
            included_owners,
            outside_labels,
            ready_owners,
            touched: Vec::new(),
        }
    }

    /// Returns the number of states of each member.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = usize> + '_ {
        self.local_steps.iter().map(Vec::len)
    }

    /// Returns true if all components of the system are included.
    pub(crate) fn is_whole(&self) -> bool {
        self.members.len() == self.system.components().len()
    }

    /// Returns the initial joint states.
    pub(crate) fn starts(&self) -> Vec<Vec<u32>> {
        let mut joint_states = vec![Vec::new()];
        for &member in &self.members {
            let starts = self.system.components()[member as usize].starts();
            let extended = |row: &Vec<u32>| {
                let row = row.clone();
                starts.iter().map(move |&start| [&row[..], &[start]].concat()).collect::<Vec<_>>()
            };
            joint_states = joint_states.iter().flat_map(extended).collect();
        }
        joint_states
    }

    /// Calls `handle_step` for each joint step from a state (one number per member) whose label
    /// satisfies `is_wanted_label`. Labels without included owner are left out.
    pub(crate) fn steps(
        &mut self,
        state: &[u32],
        is_wanted_label: impl Fn(LabelId) -> bool,
        mut handle_step: impl FnMut(JointStep<'_>),
    ) {
        self.touched.clear();
        for (member, &member_state) in state.iter().enumerate() {
            let local = &self.local_steps[member][member_state as usize];
            for &(label, to) in local.unshared.iter().filter(|it| is_wanted_label(it.0)) {
                handle_step(JointStep { label, moves: &[(member as u32, to)] });
            }
            for (label, _) in &local.shared {
                let ready = &mut self.ready_owners[label.index()];
                if *ready == 0 {
                    self.touched.push(*label);
                }
                *ready += 1;
            }
        }
        let touched = std::mem::take(&mut self.touched);
        for &label in &touched {
            let ready = std::mem::take(&mut self.ready_owners[label.index()]);
            if ready == self.included_owners[label.index()] && is_wanted_label(label) {
                self.synchronised_steps(state, label, &mut handle_step);
            }
        }
        self.touched = touched;
    }

    /// Calls `handle_step` for the steps of a label that several members own, all of them ready.
    fn synchronised_steps(
        &self,
        state: &[u32],
        label: LabelId,
        handle_step: &mut impl FnMut(JointStep<'_>),
    ) {
        let mut choices: Vec<(u32, &[u32])> = Vec::new();
        for (member, &of) in state.iter().enumerate() {
            let shared = &self.local_steps[member][of as usize].shared;
            if let Ok(found) = shared.binary_search_by_key(&label, |it| it.0) {
                choices.push((member as u32, &shared[found].1));
            }
        }
        let mut choice_indices = vec![0; choices.len()];
        let mut moves: Vec<(u32, u32)> = choices
            .iter()
            .map(|(member, targets_of_member)| (*member, targets_of_member[0]))
            .collect();
        loop {
            handle_step(JointStep { label, moves: &moves });
            // Advance to the next combination, like an odometer.
            let Some(digit) = (0..choice_indices.len())
                .find(|&member| choice_indices[member] + 1 < choices[member].1.len())
            else {
                return;
            };
            choice_indices[..digit].fill(0);
            choice_indices[digit] += 1;
            for member in 0..=digit {
                moves[member].1 = choices[member].1[choice_indices[member]];
            }
        }
    }

    /// Returns the enabled labels in a state, ascending, without the labels that only omitted
    /// components own.
    pub(crate) fn enabled_labels(&mut self, state: &[u32]) -> Vec<LabelId> {
        let mut labels = Vec::new();
        self.steps(state, |_| true, |step| labels.push(step.label));
        labels.sort_unstable();
        labels.dedup();
        labels
    }

    /// Returns the labels of the moves of one included owner that is not ready for `label`. One of
    /// these labels must occur before `label` is enabled. Returns nothing if all included owners
    /// are ready.
    pub(crate) fn labels_that_may_enable(
        &self,
        state: &[u32],
        label: LabelId,
    ) -> impl Iterator<Item = LabelId> {
        let owners = self.system.owners(label).iter();
        let member_positions = owners.filter_map(|owner| self.members.binary_search(owner).ok());
        let row = |member_position: usize| {
            let component = &self.system.components()[self.members[member_position] as usize];
            component.edges(state[member_position])
        };
        let unready = member_positions.map(row).find(|row| edges_with_label(row, label).is_empty());
        unready.into_iter().flatten().map(|it| it.0)
    }

    /// Returns true if some label with all owners included is enabled: then no omitted component
    /// can block the system.
    pub(crate) fn has_complete_step(&mut self, state: &[u32]) -> bool {
        let system = self.system;
        let is_complete: Vec<bool> = system
            .labels()
            .map(|label| system.owners(label).len() as u32 == self.included_owners[label.index()])
            .collect();
        let mut has_step = false;
        self.steps(state, |label| is_complete[label.index()], |_| has_step = true);
        has_step
    }
}
