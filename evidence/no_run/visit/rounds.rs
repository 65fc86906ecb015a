//! Rounds that a run can repeat for ever: components of a graph with all marks, and fair ones where
//! these are meant.
//!
//! What a run meets again and again, nodes and edges, is strongly connected. Without fairness, a
//! component with all marks is a round. With it, a run that keeps to all of a component, again and
//! again, is weakly fair to t if an edge of it fires t, or t is disabled in some node of it: if
//! not, no run that stays in a part of the component is fair either. It is strongly fair to t if an
//! edge of it fires t, or no node of it enables t: if not, a fair run meets those that do finitely
//! often, and they are taken away; what is left has components of its own.
//!
//! # Sources
//! E. A. Emerson, C.-L. Lei, *Modalities for model checking: branching time logic strikes back*,
//! Science of Computer Programming 8, 1987; O. Lichtenstein, A. Pnueli, *Checking that finite state
//! concurrent programs satisfy their linear specification*, POPL 1985.

use crate::certificate::Flaw;
use parikh_net::components::components;
use parikh_net::{Fairness, Marking, Net, TransitionId};
use parikh_temporal::Marks;

/// An edge.
pub(super) struct Way {
    /// The node that it leads to.
    pub(super) to: u32,
    /// The marks that it carries.
    pub(super) marks: Marks,
    /// What fires; nothing where a dead marking repeats.
    pub(super) fires: Option<TransitionId>,
}

/// What a run is to be to a transition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fair {
    Anyhow,
    Weakly,
    Strongly,
}

/// See the module.
pub(super) struct Graph<'a> {
    net: &'a Net,
    wanted: Marks,
    /// The transitions that a run has to be fair to.
    listed: Vec<TransitionId>,
    /// By transition.
    fair: Vec<Fair>,
    /// By node its edges.
    pub(super) after: Vec<Vec<Way>>,
    /// By node which of the listed transitions are enabled.
    enabled: Vec<Box<[TransitionId]>>,
}

/// Of a node that was taken away.
const GONE: u32 = u32::MAX;

impl<'a> Graph<'a> {
    /// A graph without nodes. A round is to carry all of these marks.
    pub(super) fn new(net: &'a Net, fairness: &Fairness, wanted: Marks) -> Self {
        let mut fair = vec![Fair::Anyhow; net.transition_count()];
        fairness.weak().iter().for_each(|t| fair[t.index()] = Fair::Weakly);
        fairness.strong().iter().for_each(|t| fair[t.index()] = Fair::Strongly);
        let listed = fairness.transitions().collect();
        Graph { net, wanted, listed, fair, after: Vec::new(), enabled: Vec::new() }
    }

    /// Adds the next node: its marking, and its edges.
    pub(super) fn push(&mut self, marking: &Marking, after: Vec<Way>) {
        let enabled = self.listed.iter().copied().filter(|&t| self.net.is_enabled(marking, t));
        self.enabled.push(enabled.collect());
        self.after.push(after);
    }

    /// Whether some run has a round, and is fair.
    ///
    /// # Errors
    /// When told to stop.
    pub(super) fn has_round(&self, goes_on: &mut dyn FnMut() -> bool) -> Result<bool, Flaw> {
        // By node the component that it was in when these were found last.
        let mut part = vec![0u32; self.after.len()];
        let mut looks = Looks::new(self.net.transition_count());
        loop {
            if !goes_on() {
                return Err(Flaw::Stopped);
            }
            let found = components(self.after.len() as u32, |node, k| {
                let ways = self.after.get(node as usize).filter(|_| part[node as usize] != GONE)?;
                let way = ways.get(k as usize)?;
                // An edge that leads elsewhere is as good as one that stays.
                let inside = part[way.to as usize] == part[node as usize];
                Some(if inside { way.to } else { node })
            });
            let left = (0..self.after.len()).filter(|&node| part[node] != GONE);
            let mut nodes: Vec<usize> = left.collect();
            nodes.sort_by_key(|&node| found.of[node]);
            let is_inside = |part: &[u32], node: usize, way: &Way| {
                part[way.to as usize] == part[node] && found.of[way.to as usize] == found.of[node]
            };
            let before = part.clone();
            let mut takes_away = false;
            for component in nodes.chunk_by(|&a, &b| found.of[a] == found.of[b]) {
                let inside = |node: usize, way: &Way| is_inside(&before, node, way);
                match self.look(component, &inside, &mut looks) {
                    Look::Round => return Ok(true),
                    Look::Nothing => component.iter().for_each(|&node| part[node] = GONE),
                    Look::Without(gone) => {
                        for &node in component {
                            let enables = self.enabled[node].iter().any(|t| gone.contains(t));
                            part[node] = if enables { GONE } else { found.of[node] };
                            takes_away |= enables;
                        }
                    }
                }
            }
            if !takes_away {
                return Ok(false);
            }
        }
    }

    /// Looks at a component.
    fn look(
        &self,
        component: &[usize],
        inside: &dyn Fn(usize, &Way) -> bool,
        looks: &mut Looks,
    ) -> Look {
        let mut carried: Option<Marks> = None;
        looks.begin();
        for &node in component {
            for way in self.after[node].iter().filter(|way| inside(node, way)) {
                carried = Some(carried.unwrap_or(Marks::NONE).or(way.marks));
                way.fires.into_iter().for_each(|t| looks.fires(t));
            }
            self.enabled[node].iter().for_each(|&t| looks.enables(t));
        }
        if !carried.is_some_and(|marks| self.wanted.within(marks)) {
            return Look::Nothing;
        }
        let waits = looks.waits();
        let is =
            |wanted: Fair| move |&(t, _): &(TransitionId, usize)| self.fair[t.index()] == wanted;
        if waits.iter().copied().filter(is(Fair::Weakly)).any(|(_, times)| times == component.len())
        {
            return Look::Nothing;
        }
        let strongly: Vec<TransitionId> =
            waits.iter().copied().filter(is(Fair::Strongly)).map(|(t, _)| t).collect();
        if strongly.is_empty() { Look::Round } else { Look::Without(strongly) }
    }
}

/// What a component is.
enum Look {
    /// A run can repeat all of it.
    Round,
    /// No run that is meant stays in it.
    Nothing,
    /// One that does meets nodes that enable these finitely often.
    Without(Vec<TransitionId>),
}

/// What fires in a component, and in how many nodes a transition is enabled.
struct Looks {
    round: u32,
    /// By transition the round in which it was seen to fire last.
    fired: Vec<u32>,
    /// By transition the round in which it was seen to be enabled last, and how often in that.
    enabled: Vec<(u32, usize)>,
    /// Those that are enabled somewhere.
    seen: Vec<TransitionId>,
}

impl Looks {
    fn new(transitions: usize) -> Self {
        Looks {
            round: 0,
            fired: vec![0; transitions],
            enabled: vec![(0, 0); transitions],
            seen: Vec::new(),
        }
    }

    fn begin(&mut self) {
        self.round += 1;
        self.seen.clear();
    }

    fn fires(&mut self, t: TransitionId) {
        self.fired[t.index()] = self.round;
    }

    fn enables(&mut self, t: TransitionId) {
        let (round, times) = &mut self.enabled[t.index()];
        if std::mem::replace(round, self.round) != self.round {
            *times = 0;
            self.seen.push(t);
        }
        *times += 1;
    }

    /// Those that are enabled somewhere and do not fire, each with the number of nodes.
    fn waits(&self) -> Vec<(TransitionId, usize)> {
        let waits = self.seen.iter().filter(|t| self.fired[t.index()] != self.round);
        waits.map(|&t| (t, self.enabled[t.index()].1)).collect()
    }
}
