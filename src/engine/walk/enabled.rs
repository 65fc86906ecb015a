//! What may fire now: classes in lists, one for those without a gate and one behind each gate.
//!
//! What is ready behind a gate counts while the gate is open (see `gates`), so that a thousand
//! classes come and go with it at once. To draw one of all, open gates are gone through; most nets
//! have none.

/// Classes, in no order.
pub(super) struct Enabled {
    ungated: Vec<u32>,
    behind: Vec<Behind>,
    /// The gates that are open, in no order.
    open: Vec<u32>,
    /// How many classes are ready behind these.
    through: usize,
}

/// What is behind a gate.
#[derive(Clone, Default)]
struct Behind {
    is_open: bool,
    /// Classes whose transition has all else that it needs.
    ready: Vec<u32>,
}

impl Enabled {
    /// Nothing yet, of so many classes, with all gates shut.
    pub(super) fn new(classes: usize, gates: usize) -> Self {
        Enabled {
            ungated: Vec::with_capacity(classes),
            behind: vec![Behind::default(); gates],
            open: Vec::new(),
            through: 0,
        }
    }

    /// How many there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.ungated.len() + self.through
    }

    /// Whether there is none.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let behind = self.open.iter().flat_map(|&gate| &self.behind[gate as usize].ready);
        self.ungated.iter().chain(behind).copied()
    }

    /// One of them, by its place among them, which is below their number.
    #[inline]
    pub(super) fn nth(&self, n: usize) -> u32 {
        match self.ungated.get(n) {
            Some(&class) => class,
            None => self.nth_behind(n - self.ungated.len()),
        }
    }

    fn nth_behind(&self, mut n: usize) -> u32 {
        for &gate in &self.open {
            let ready = &self.behind[gate as usize].ready;
            match ready.get(n) {
                Some(&class) => return class,
                None => n -= ready.len(),
            }
        }
        unreachable!("a place among the enabled classes")
    }

    /// Whether a gate is open; what is none is.
    #[inline]
    pub(super) fn is_open(&self, gate: u32) -> bool {
        self.behind.get(gate as usize).is_none_or(|behind| behind.is_open)
    }

    /// What is ready behind a gate.
    pub(super) fn ready(&self, gate: usize) -> &[u32] {
        &self.behind[gate].ready
    }

    /// Whether there is one behind an open gate.
    #[cfg(test)]
    pub(super) fn is_through(&self) -> bool {
        self.through > 0
    }

    /// Adds a class; where it stands in its list.
    #[inline]
    pub(super) fn insert(&mut self, class: u32, gate: u32) -> u32 {
        let list = match self.behind.get_mut(gate as usize) {
            None => &mut self.ungated,
            Some(behind) => {
                self.through += usize::from(behind.is_open);
                &mut behind.ready
            }
        };
        list.push(class);
        (list.len() - 1) as u32
    }

    /// Takes the class out that stands there; the one that stands there now, if any.
    #[inline]
    pub(super) fn remove(&mut self, slot: u32, gate: u32) -> Option<u32> {
        let list = match self.behind.get_mut(gate as usize) {
            None => &mut self.ungated,
            Some(behind) => {
                self.through -= usize::from(behind.is_open);
                &mut behind.ready
            }
        };
        list.swap_remove(slot as usize);
        list.get(slot as usize).copied()
    }

    /// Opens a gate that is shut, or shuts one that is open.
    pub(super) fn turn(&mut self, gate: usize, open: bool) {
        let behind = &mut self.behind[gate];
        behind.is_open = open;
        if open {
            self.open.push(gate as u32);
            self.through += behind.ready.len();
        } else {
            self.open.retain(|&other| other as usize != gate);
            self.through -= behind.ready.len();
        }
    }
}
