//! What is known of a goal.

use super::{Evidence, Proof, Technique, Witness};
use parikh_net::lasso::LassoRun;
use parikh_net::{GoalId, Pumping};
use std::sync::Arc;

/// What is known of a goal.
#[derive(Clone, Debug)]
pub enum Knowledge {
    /// Of a [`Goal::Reach`](parikh_net::Goal::Reach).
    Reach(Reach),
    /// Of a [`Goal::Maximise`](parikh_net::Goal::Maximise).
    Maximum(Maximum),
    /// Of a [`Goal::Home`](parikh_net::Goal::Home).
    Home(Home),
    /// Of a [`Goal::Run`](parikh_net::Goal::Run).
    Run(Run),
    /// Of a [`Goal::Tree`](parikh_net::Goal::Tree).
    Tree(Tree),
}

/// What is known of a [`Goal::Run`](parikh_net::Goal::Run).
#[derive(Clone, Debug)]
pub enum Run {
    /// Nothing yet.
    Open,
    /// There is such a run. It is left out when the board does not keep witnesses.
    Exists {
        /// The run, or all that begin like it.
        run: Option<Arc<LassoRun>>,
        /// Who found it.
        by: Technique,
    },
    /// No run is such.
    Excluded {
        /// Why not.
        proof: Proof,
        /// What that stands on.
        evidence: Evidence,
        /// The goals that the argument rests on: it takes for granted that none is reached.
        given: Arc<[GoalId]>,
        /// Who proved it.
        by: Technique,
    },
}

/// What is known of a [`Goal::Tree`](parikh_net::Goal::Tree).
#[derive(Clone, Debug)]
pub enum Tree {
    /// Nothing yet.
    Open,
    /// It has the property, or does not.
    Decided {
        /// Which of both.
        holds: bool,
        /// Why.
        proof: Proof,
        /// What that stands on.
        evidence: Evidence,
        /// The goals that the argument rests on: it takes for granted that none is reached.
        given: Arc<[GoalId]>,
        /// Who found it.
        by: Technique,
    },
}

/// What is known of a [`Goal::Home`](parikh_net::Goal::Home).
#[derive(Clone, Debug)]
pub enum Home {
    /// Nothing yet.
    Open,
    /// It stays reachable wherever the net goes.
    Kept {
        /// Why.
        proof: Proof,
        /// What that stands on.
        evidence: Evidence,
        /// Who proved it.
        by: Technique,
    },
    /// From somewhere it cannot be reached any more.
    Lost {
        /// How to get there, where the proof tells of a particular marking.
        witness: Option<Witness>,
        /// Why not from there: a document is about the net begun from that marking.
        proof: Proof,
        /// What that stands on.
        evidence: Evidence,
        /// Who found it.
        by: Technique,
    },
}

/// What is known of a [`Goal::Reach`](parikh_net::Goal::Reach).
#[derive(Clone, Debug)]
pub enum Reach {
    /// Nothing yet.
    Open,
    /// There is such a marking. The witness is left out when the board does not keep them.
    Reached {
        /// How to get there.
        witness: Option<Witness>,
        /// Who found it.
        by: Technique,
    },
    /// There is no such marking.
    Unreachable {
        /// Why not.
        proof: Proof,
        /// What that stands on.
        evidence: Evidence,
        /// Who proved it.
        by: Technique,
    },
}

/// What is known of a [`Goal::Maximise`](parikh_net::Goal::Maximise): the maximum lies in [seen, proved].
#[derive(Clone, Debug, Default)]
pub struct Maximum {
    /// The largest value seen, with its witness and finder.
    pub seen: Option<(i128, Option<Witness>, Technique)>,
    /// The smallest bound proved, with its proof and prover.
    pub proved: Option<(i128, Proof, Technique)>,
    /// What that bound stands on.
    pub evidence: Option<Evidence>,
    /// A pump that shows there is no maximum.
    pub unbounded: Option<(Pumping, Technique)>,
}

impl Maximum {
    /// The maximum, once seen and proved meet.
    pub fn value(&self) -> Option<i128> {
        match (&self.seen, &self.proved) {
            (Some((seen, ..)), Some((proved, ..))) if seen == proved => Some(*seen),
            _ => None,
        }
    }
}
