//! The set of enabled classes: one list of classes without a gate, and one list per gate.
//!
//! A gate stands for inputs that many transitions have in common, and is open if these inputs have
//! their tokens (see `gates`). A class is ready behind a gate if the other inputs of its transition
//! have their tokens. It is enabled if the gate is also open. So a thousand classes become enabled
//! or disabled in one step. Drawing a random class iterates over the open gates. Most nets have no
//! gates.

/// The set of enabled effect classes, without the class of transitions that change no place. An
/// effect class is the set of all transitions with the same change of the marking.
pub(super) struct EnabledClasses {
    /// The enabled classes without a gate.
    ungated: Vec<u32>,
    /// The state of each gate, by gate index.
    gates: Vec<GateState>,
    /// The open gates, in no order. A gate is a group of inputs that many transitions have in
    /// common; it is open if these inputs have enough tokens.
    open_gates: Vec<u32>,
    /// Number of classes that are ready behind an open gate, and therefore enabled.
    ready_behind_open: usize,
}

/// The state of a gate, that is, of a group of inputs that many transitions have in common.
#[derive(Clone, Default)]
struct GateState {
    /// True if the inputs of the gate have enough tokens.
    is_open: bool,
    /// Classes whose transition has enough tokens on its own inputs, that is, on all inputs that
    /// are not part of the gate.
    ready_classes: Vec<u32>,
}

impl EnabledClasses {
    /// Creates an empty set with all gates closed.
    pub(super) fn new(classes: usize, gates: usize) -> Self {
        EnabledClasses {
            ungated: Vec::with_capacity(classes),
            gates: vec![GateState::default(); gates],
            open_gates: Vec::new(),
            ready_behind_open: 0,
        }
    }

    /// Returns the number of enabled classes.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.ungated.len() + self.ready_behind_open
    }

    /// Returns true if no class is enabled.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the enabled classes.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let gated =
            self.open_gates.iter().flat_map(|&gate| &self.gates[gate as usize].ready_classes);
        self.ungated.iter().chain(gated).copied()
    }

    /// Returns the enabled class at index `n` of the iteration order, where `n` is below
    /// [`len`](Self::len).
    #[inline]
    pub(super) fn nth(&self, n: usize) -> u32 {
        match self.ungated.get(n) {
            Some(&class) => class,
            None => self.nth_gated(n - self.ungated.len()),
        }
    }

    /// Returns the class at index `n` among the ready classes of all open gates.
    fn nth_gated(&self, mut n: usize) -> u32 {
        for &gate in &self.open_gates {
            let ready = &self.gates[gate as usize].ready_classes;
            match ready.get(n) {
                Some(&class) => return class,
                None => n -= ready.len(),
            }
        }
        unreachable!("a place among the enabled classes")
    }

    /// Returns true if the gate is open. The index [`NO_INDEX`](super::watch::NO_INDEX) means "no
    /// gate" and counts as open.
    #[inline]
    pub(super) fn is_open(&self, gate: u32) -> bool {
        self.gates.get(gate as usize).is_none_or(|state| state.is_open)
    }

    /// Returns the classes that are ready behind a gate. They are enabled exactly if the gate is
    /// open.
    pub(super) fn ready(&self, gate: usize) -> &[u32] {
        &self.gates[gate].ready_classes
    }

    /// Returns true if some class is enabled behind an open gate.
    #[cfg(test)]
    pub(super) fn has_enabled_gated_class(&self) -> bool {
        self.ready_behind_open > 0
    }

    /// Adds a class to the ready classes of its gate, or to the classes without a gate if no gate
    /// has the index `gate`. Returns the position of the class in this list.
    #[inline]
    pub(super) fn insert(&mut self, class: u32, gate: u32) -> u32 {
        let list = match self.gates.get_mut(gate as usize) {
            None => &mut self.ungated,
            Some(state) => {
                self.ready_behind_open += usize::from(state.is_open);
                &mut state.ready_classes
            }
        };
        list.push(class);
        (list.len() - 1) as u32
    }

    /// Removes the class at position `slot` of its list: the list of its gate, or of the classes
    /// without a gate. Returns the class that moves to this position, or `None` if the removed
    /// class was the last one in the list.
    #[inline]
    pub(super) fn remove(&mut self, slot: u32, gate: u32) -> Option<u32> {
        let list = match self.gates.get_mut(gate as usize) {
            None => &mut self.ungated,
            Some(state) => {
                self.ready_behind_open -= usize::from(state.is_open);
                &mut state.ready_classes
            }
        };
        list.swap_remove(slot as usize);
        list.get(slot as usize).copied()
    }

    /// Opens or closes a gate. The state must change.
    pub(super) fn set_gate(&mut self, gate: usize, open: bool) {
        let state = &mut self.gates[gate];
        state.is_open = open;
        if open {
            self.open_gates.push(gate as u32);
            self.ready_behind_open += state.ready_classes.len();
        } else {
            self.open_gates.retain(|&other| other as usize != gate);
            self.ready_behind_open -= state.ready_classes.len();
        }
    }
}
