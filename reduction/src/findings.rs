//! Facts about single nodes of the original net that rules find.

use parikh_evidence::reduction::{Conditions, FiringMap, Preserve, ReducedNet, WorkNet};
use parikh_net::{PlaceId, TransitionId};

/// The dead transitions and constant places found so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// True if a lossy rule was applied, that is, a rule that may change the reachable markings or
    /// the enabledness of transitions. Later findings may hold only in the reduced net.
    is_lossy: bool,
    /// True if the reduction preserves the reachable token counts of support places, even by lossy
    /// rules. Support places are the places whose tokens matter to the questions.
    keeps_support: bool,
    /// Dead transitions of the original net, in the order of discovery.
    dead_transitions: Vec<TransitionId>,
    /// Places of the original net with constant tokens, and these tokens.
    constants: Vec<(PlaceId, u64)>,
}

impl Findings {
    pub(super) fn new(keeps_support: bool) -> Findings {
        Findings { keeps_support, ..Findings::default() }
    }

    /// Records that an application of this rule is complete.
    pub(super) fn record_application(&mut self, rule: &'static Conditions) {
        self.is_lossy |= !rule.is_lossless;
    }

    /// Records a dead transition of the original net, unless a lossy rule was applied before. After
    /// a lossy rule, `t` may be dead in the reduced net only.
    pub(super) fn dead(&mut self, net: &WorkNet, t: TransitionId) {
        if !self.is_lossy && t.index() < net.original_transitions() {
            self.dead_transitions.push(t);
        }
    }

    /// Records a place of the original net with constant tokens. Places whose tokens were merged or
    /// scaled are left out. After a lossy rule, only support places are recorded, and only if the
    /// reduction preserves their token counts.
    pub(super) fn record_constant(&mut self, net: &WorkNet, p: PlaceId) {
        let is_valid = !self.is_lossy || (self.keeps_support && net.in_support(p));
        if is_valid && p.index() < net.original_places() && !net.has_changed_meaning(p) {
            self.constants.push((p, net.tokens(p)));
        }
    }

    /// Returns dead transitions and constant places, ascending. If the reduction preserves
    /// reachability, protected transitions that turned out to be dead are included.
    pub(super) fn into_parts(
        mut self,
        reduced: &ReducedNet,
    ) -> (Vec<TransitionId>, Vec<(PlaceId, u64)>) {
        if reduced.needs.preserve.covers(Preserve::REACHABILITY) {
            let protected = reduced.needs.protected.iter().copied();
            let is_never_fired =
                |t: &TransitionId| reduced.firing(*t) == Some(&FiringMap::Carriers(Vec::new()));
            self.dead_transitions.extend(protected.filter(is_never_fired));
        }
        self.dead_transitions.sort_unstable();
        self.dead_transitions.dedup();
        self.constants.sort_unstable();
        (self.dead_transitions, self.constants)
    }
}
