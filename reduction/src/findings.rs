//! Facts about single nodes of the original net that rules find.

use parikh_evidence::reduction::{Conditions, FiringMap, Preserve, ReducedNet, WorkNet};
use parikh_net::{PlaceId, TransitionId};

/// The dead transitions and constant places found so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// True if a rule has removed reachable markings or transitions. Facts about unprotected nodes
    /// then hold only in the reduced net.
    is_lossy: bool,
    /// True if the reachable tokens of support places are preserved in any case.
    keeps_support: bool,
    dead: Vec<TransitionId>,
    constants: Vec<(PlaceId, u64)>,
}

impl Findings {
    pub(super) fn new(keeps_support: bool) -> Findings {
        Findings { keeps_support, ..Findings::default() }
    }

    /// Records that an application of this rule is complete.
    pub(super) fn applied(&mut self, rule: &'static Conditions) {
        self.is_lossy |= !rule.is_lossless;
    }

    pub(super) fn dead(&mut self, net: &WorkNet, t: TransitionId) {
        if !self.is_lossy && t.index() < net.original_transitions() {
            self.dead.push(t);
        }
    }

    pub(super) fn constant(&mut self, net: &WorkNet, p: PlaceId) {
        let holds = !self.is_lossy || (self.keeps_support && net.in_support(p));
        if holds && p.index() < net.original_places() && !net.has_changed_meaning(p) {
            self.constants.push((p, net.tokens(p)));
        }
    }

    /// Returns dead transitions and constant places, ascending. Protected transitions that turned
    /// out to be dead are included.
    pub(super) fn into_parts(
        mut self,
        reduced: &ReducedNet,
    ) -> (Vec<TransitionId>, Vec<(PlaceId, u64)>) {
        if reduced.needs.preserve.covers(Preserve::REACHABILITY) {
            let protected = reduced.needs.protected.iter().copied();
            let never = |t: &TransitionId| reduced.firing(*t) == Some(&FiringMap::By(Vec::new()));
            self.dead.extend(protected.filter(never));
        }
        self.dead.sort_unstable();
        self.dead.dedup();
        self.constants.sort_unstable();
        (self.dead, self.constants)
    }
}
