//! What rules found out about single nodes of the original net.

use parikh_evidence::reduction::{Conditions, Firing, Preserve, ReducedNet, WorkNet};
use parikh_net::{PlaceId, TransitionId};

/// Dead transitions and constant places, as they were found.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// A rule has removed reachable markings or transitions: what is found of nodes that are not
    /// protected holds of the reduced net only.
    is_lossy: bool,
    /// Places of the support keep their reachable tokens in any case.
    keeps_support: bool,
    dead: Vec<TransitionId>,
    constants: Vec<(PlaceId, u64)>,
}

impl Findings {
    pub(super) fn new(keeps_support: bool) -> Findings {
        Findings { keeps_support, ..Findings::default() }
    }

    /// An application of this rule is complete.
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
        if holds && p.index() < net.original_places() && !net.is_blurred(p) {
            self.constants.push((p, net.tokens(p)));
        }
    }

    /// Dead transitions and constant places, ascending; with the protected transitions that turned
    /// out to be dead.
    pub(super) fn into_parts(
        mut self,
        reduced: &ReducedNet,
    ) -> (Vec<TransitionId>, Vec<(PlaceId, u64)>) {
        if reduced.needs.preserve.covers(Preserve::REACHABILITY) {
            let protected = reduced.needs.protected.iter().copied();
            let never = |t: &TransitionId| reduced.firing(*t) == Some(&Firing::By(Vec::new()));
            self.dead.extend(protected.filter(never));
        }
        self.dead.sort_unstable();
        self.dead.dedup();
        self.constants.sort_unstable();
        (self.dead, self.constants)
    }
}
