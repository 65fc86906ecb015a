//! Reports of engines that approximate from above: "unreachable", "at most".

use super::{Board, Knowledge, Proof, Reach, Technique, in_tokens_of};
use crate::ground::Ground;
use parikh_net::GoalId;

/// Says what is impossible. See [`crate::board`].
#[derive(Clone, Copy)]
pub struct Over<'b> {
    board: &'b Board<'b>,
    by: Technique,
    /// Where the engine works; nothing for the net that was read.
    ground: Option<&'b Ground<'b>>,
}

impl<'b> Over<'b> {
    pub(super) fn new(board: &'b Board<'b>, by: Technique) -> Self {
        Over { board, by, ground: None }
    }

    /// For an engine that works on `ground`.
    pub fn on(self, ground: &'b Ground<'b>) -> Self {
        Over { ground: Some(ground), ..self }
    }

    /// [`Board::proved`], as the goal reads on the engine's net.
    pub fn proved(&self, goal: GoalId) -> Option<i128> {
        in_tokens_of(self.ground, goal, self.board.proved(goal))
    }

    fn translated(&self, mut proof: Proof) -> Proof {
        if !self.board.keep_documents {
            proof.document = None;
        }
        match self.ground {
            Some(ground) => ground.climb_proof(proof),
            None => proof,
        }
    }

    /// A proof that its own checker refuses: logged and counted, and nothing is said of the goal.
    pub fn refuse(&self, goal: GoalId, flaw: &dyn std::fmt::Display) {
        let net = self.board.net.name();
        self.board.fault(self.by, format_args!("a proof about {goal:?} of net `{net}`: {flaw}"));
    }

    /// No reachable marking satisfies the goal.
    pub fn unreachable(&self, goal: GoalId, proof: Proof) {
        let proof = self.translated(proof);
        let mut entry = self.board.entry(goal);
        // With the entry in hand: what was reached was held against the claim before it was noted.
        if self.board.is_void(&proof) {
            return;
        }
        match &entry.knowledge {
            Knowledge::Reach(Reach::Open) => {
                entry.knowledge = Knowledge::Reach(Reach::Unreachable { proof, by: self.by });
                drop(entry);
                self.board.close(goal, true);
            }
            Knowledge::Reach(Reach::Reached { .. }) => self.board.freeze(goal, self.by, entry),
            _ => {}
        }
    }

    /// No reachable marking exceeds `bound`.
    pub fn at_most(&self, goal: GoalId, bound: i128, proof: Proof) {
        let proof = self.translated(proof);
        let bound = bound + self.ground.map_or(0, |ground| ground.constant(goal));
        let mut entry = self.board.entry(goal);
        let Knowledge::Maximum(maximum) = &mut entry.knowledge else { return };
        if self.board.is_void(&proof) {
            return;
        }
        let above = maximum.seen.as_ref().is_some_and(|(seen, ..)| *seen > bound);
        if above || maximum.unbounded.is_some() {
            return self.board.freeze(goal, self.by, entry);
        }
        if maximum.proved.as_ref().is_none_or(|(proved, ..)| bound < *proved) {
            maximum.proved = Some((bound, proof, self.by));
        }
        if maximum.value().is_some() {
            drop(entry);
            self.board.close(goal, true);
        }
    }
}
