//! Random nets with inhibitor, read and reset arcs, and a second enumerator for them. It shares no
//! code with the product: arcs are tables of numbers, and markings are vectors.

use fastrand::Rng;
use parikh_net::{ExtendedBuilder, ExtendedNet};
use std::collections::HashMap;

/// A net as tables. Entries of arcs are indexed by transition, then by place.
#[derive(Clone, Debug)]
pub(crate) struct NetTable {
    /// The initial tokens of each place.
    pub(crate) tokens: Vec<u64>,
    /// The weights of input arcs; 0 means no arc.
    pub(crate) takes: Vec<Vec<u64>>,
    /// The weights of output arcs; 0 means no arc.
    pub(crate) puts: Vec<Vec<u64>>,
    /// The weights of read arcs; 0 means no arc.
    pub(crate) reads: Vec<Vec<u64>>,
    /// Inhibitor weights; 0 means no arc.
    pub(crate) inhibits: Vec<Vec<u64>>,
    /// True for reset arcs: a firing removes all tokens of the place.
    pub(crate) empties: Vec<Vec<bool>>,
}

/// The state space of a [`NetTable`].
pub(crate) struct TableSpace {
    /// The reachable markings, each as the tokens of all places.
    pub(crate) markings: Vec<Vec<u64>>,
    /// For each marking, the enabled transitions, each with the index of the next marking.
    pub(crate) firings: Vec<Vec<(usize, usize)>>,
}

impl NetTable {
    /// Returns a random net with 1 to 4 places and 1 to 5 transitions.
    pub(crate) fn random(seed: u64) -> NetTable {
        let mut rng = Rng::with_seed(seed);
        let (places, transitions) = (rng.usize(1..=4), rng.usize(1..=5));
        let row = |rng: &mut Rng, one_in: u32, most: u64| -> Vec<u64> {
            (0..places)
                .map(|_| if rng.u32(0..one_in) == 0 { rng.u64(1..=most) } else { 0 })
                .collect()
        };
        let tokens = row(&mut rng, 2, 3);
        let (mut takes, mut puts) = (Vec::new(), Vec::new());
        let (mut reads, mut inhibits, mut empties) = (Vec::new(), Vec::new(), Vec::new());
        // Transitions of most nets add no tokens in total, so that the state space is finite.
        let tame = rng.u32(0..4) > 0;
        for _ in 0..transitions {
            let taken = row(&mut rng, 2, 2);
            let mut put = row(&mut rng, 2, 2);
            while tame && put.iter().sum::<u64>() > taken.iter().sum() {
                let at = rng.usize(0..places);
                put[at] = put[at].saturating_sub(1);
            }
            takes.push(taken);
            puts.push(put);
            reads.push(row(&mut rng, 6, 3));
            inhibits.push(row(&mut rng, 4, 4));
            empties.push((0..places).map(|_| rng.u32(0..6) == 0).collect());
        }
        NetTable { tokens, takes, puts, reads, inhibits, empties }
    }

    pub(crate) fn transitions(&self) -> usize {
        self.takes.len()
    }

    /// Converts the table to the product's type. Places are named `p0`, … and transitions `t0`, ….
    pub(crate) fn net(&self) -> ExtendedNet {
        let mut net = ExtendedBuilder::new("random");
        let places: Vec<_> = (0..)
            .zip(&self.tokens)
            .map(|(at, &tokens)| net.core.place(&format!("p{at}"), tokens).unwrap())
            .collect();
        for t in 0..self.transitions() {
            let own = net.core.transition(&format!("t{t}")).unwrap();
            for (at, &p) in places.iter().enumerate() {
                if self.takes[t][at] > 0 {
                    net.core.take(own, p, self.takes[t][at]).unwrap();
                }
                if self.puts[t][at] > 0 {
                    net.core.put(own, p, self.puts[t][at]).unwrap();
                }
                if self.reads[t][at] > 0 {
                    net.read(own, p, self.reads[t][at]).unwrap();
                }
                if self.inhibits[t][at] > 0 {
                    net.inhibit(own, p, self.inhibits[t][at]).unwrap();
                }
                if self.empties[t][at] {
                    net.reset(own, p);
                }
            }
        }
        net.build().unwrap()
    }

    /// Fires `t`. Returns the next marking, or `None` if `t` is disabled.
    pub(crate) fn fire(&self, marking: &[u64], t: usize) -> Option<Vec<u64>> {
        let mut next = Vec::new();
        for (p, &held) in marking.iter().enumerate() {
            let needed = self.takes[t][p].max(self.reads[t][p]);
            let inhibited = self.inhibits[t][p] > 0 && held >= self.inhibits[t][p];
            if held < needed || inhibited {
                return None;
            }
            let rest = if self.empties[t][p] { 0 } else { held - self.takes[t][p] };
            next.push(rest + self.puts[t][p]);
        }
        Some(next)
    }

    /// Explores all markings. Returns `None` if there are more than `states` markings, or if a
    /// place has more than `tokens` tokens.
    pub(crate) fn explore(&self, states: usize, tokens: u64) -> Option<TableSpace> {
        let mut markings = vec![self.tokens.clone()];
        let mut numbers = HashMap::from([(self.tokens.clone(), 0)]);
        let mut firings = Vec::new();
        while firings.len() < markings.len() {
            let marking = markings[firings.len()].clone();
            if markings.len() > states || marking.iter().any(|&held| held > tokens) {
                return None;
            }
            let mut row = Vec::new();
            for t in 0..self.transitions() {
                let Some(next) = self.fire(&marking, t) else { continue };
                let new = markings.len();
                let number = *numbers.entry(next).or_insert_with_key(|next| {
                    markings.push(next.clone());
                    new
                });
                row.push((t, number));
            }
            firings.push(row);
        }
        Some(TableSpace { markings, firings })
    }
}

impl TableSpace {
    /// Returns true if a dead marking is reachable.
    pub(crate) fn deadlock(&self) -> bool {
        self.firings.iter().any(Vec::is_empty)
    }

    /// Returns the largest number of tokens on one place in any reachable marking.
    pub(crate) fn most_in_place(&self) -> u64 {
        self.markings.iter().flatten().copied().max().unwrap_or(0)
    }

    /// Returns the largest total number of tokens in any reachable marking.
    pub(crate) fn most_in_marking(&self) -> u64 {
        self.markings.iter().map(|marking| marking.iter().sum()).max().unwrap_or(0)
    }

    /// Returns true if `t` fires in some marking.
    pub(crate) fn fires(&self, t: usize) -> bool {
        self.firings.iter().flatten().any(|&(fired, _)| fired == t)
    }

    /// Returns true if some place never changes.
    pub(crate) fn stable_place(&self) -> bool {
        let first = &self.markings[0];
        (0..first.len()).any(|p| self.markings.iter().all(|marking| marking[p] == first[p]))
    }

    /// Returns true if `t` can be fired again from every marking.
    pub(crate) fn live(&self, t: usize) -> bool {
        let mut good: Vec<bool> =
            self.firings.iter().map(|row| row.iter().any(|&(fired, _)| fired == t)).collect();
        loop {
            let mut changed = false;
            for (at, row) in self.firings.iter().enumerate() {
                if !good[at] && row.iter().any(|&(_, to)| good[to]) {
                    (good[at], changed) = (true, true);
                }
            }
            if !changed {
                return good.into_iter().all(|it| it);
            }
        }
    }
}
