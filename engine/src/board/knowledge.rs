//! The state of knowledge about a goal.

use super::{Argument, Evidence, Proof, Technique, Witness};
use parikh_net::lasso::LassoRun;
use parikh_net::{Goal, GoalId, PumpSequence};
use std::sync::Arc;

/// The state of knowledge about a goal, by kind of goal.
#[derive(Clone, Debug)]
pub enum Knowledge {
    /// For [`Goal::Reach`].
    Reach(ReachKnowledge),
    /// For [`Goal::Maximise`].
    Maximum(Maximum),
    /// For [`Goal::Home`].
    Home(HomeKnowledge),
    /// For [`Goal::Run`].
    Run(RunKnowledge),
    /// For [`Goal::Tree`].
    Tree(TreeKnowledge),
}

/// The basis of a settled goal or of a proved bound: the technique, and the proof with its
/// evidence. There is no proof if a replayed witness alone shows the result.
#[derive(Clone, Copy, Debug)]
pub struct Basis<'k> {
    /// The technique behind the result.
    pub technique: Technique,
    /// The proof and its evidence; `None` if a replayed witness alone shows the result.
    pub proof_and_evidence: Option<(&'k Proof, &'k Evidence)>,
    /// The other goals whose results the argument uses as premises.
    pub premise_goals: &'k [GoalId],
}

impl Knowledge {
    /// Returns the initial state for a goal: nothing is known.
    pub fn open(goal: &Goal) -> Knowledge {
        match goal {
            Goal::Reach(_) => Knowledge::Reach(ReachKnowledge::Open),
            Goal::Maximise(_) => Knowledge::Maximum(Maximum::default()),
            Goal::Home(_) => Knowledge::Home(HomeKnowledge::Open),
            Goal::Run(_) => Knowledge::Run(RunKnowledge::Open),
            Goal::Tree(_) => Knowledge::Tree(TreeKnowledge::Open),
        }
    }

    /// Returns the truth value of a settled goal; `None` for maxima and open goals.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Knowledge::Reach(ReachKnowledge::Reached { .. })
            | Knowledge::Home(HomeKnowledge::StaysReachable { .. })
            | Knowledge::Run(RunKnowledge::Exists { .. }) => Some(true),
            Knowledge::Tree(TreeKnowledge::Decided { holds, .. }) => Some(*holds),
            Knowledge::Reach(ReachKnowledge::Unreachable { .. })
            | Knowledge::Home(HomeKnowledge::BecomesUnreachable { .. })
            | Knowledge::Run(RunKnowledge::Excluded { .. }) => Some(false),
            Knowledge::Reach(ReachKnowledge::Open)
            | Knowledge::Home(HomeKnowledge::Open)
            | Knowledge::Run(RunKnowledge::Open)
            | Knowledge::Tree(TreeKnowledge::Open)
            | Knowledge::Maximum(_) => None,
        }
    }

    /// Returns the basis of a result, and `None` for a goal without a result. A maximum that is
    /// known to be unbounded rests on a self-covering sequence alone. Another maximum rests on its
    /// proved bound, even if the goal is still open. Without a proved bound the result is `None`,
    /// even if a value was seen.
    pub fn basis(&self) -> Option<Basis<'_>> {
        let argued = |by: &Technique, proof, evidence, given| Basis {
            technique: by,
            proof_and_evidence: Some((proof, evidence)),
            premise_goals: given,
        };
        let replayed =
            |by: &Technique| Basis { technique: by, proof_and_evidence: None, premise_goals: &[] };
        Some(match self {
            Knowledge::Reach(ReachKnowledge::Reached { technique: by, .. })
            | Knowledge::Run(RunKnowledge::Exists { technique: by, .. }) => replayed(by),
            // The dead marking at the end of the witness is the whole evidence.
            Knowledge::Home(HomeKnowledge::BecomesUnreachable { proof, technique: by, .. })
                if proof.argument == Argument::DeadMarking =>
            {
                replayed(by)
            }
            Knowledge::Reach(ReachKnowledge::Unreachable { proof, evidence, technique: by })
            | Knowledge::Home(
                HomeKnowledge::StaysReachable { proof, evidence, technique: by }
                | HomeKnowledge::BecomesUnreachable { proof, evidence, technique: by, .. },
            ) => argued(by, proof, evidence, &[]),
            Knowledge::Run(RunKnowledge::Excluded {
                proof,
                evidence,
                premise_goals: given,
                technique: by,
            })
            | Knowledge::Tree(TreeKnowledge::Decided {
                proof,
                evidence,
                premise_goals: given,
                technique: by,
                ..
            }) => argued(by, proof, evidence, given),
            Knowledge::Maximum(Maximum { unbounded: Some((_, by)), .. }) => replayed(by),
            Knowledge::Maximum(Maximum { proved, .. }) => {
                let ProvedBound { proof, evidence, technique: by, .. } = proved.as_ref()?;
                argued(by, proof, evidence, &[])
            }
            Knowledge::Reach(ReachKnowledge::Open)
            | Knowledge::Home(HomeKnowledge::Open)
            | Knowledge::Run(RunKnowledge::Open)
            | Knowledge::Tree(TreeKnowledge::Open) => return None,
        })
    }

    /// Drops the witness, run, certificate or other evidence, but keeps the result. Does nothing
    /// for a maximum.
    pub(super) fn forget(&mut self) {
        match self {
            Knowledge::Reach(ReachKnowledge::Reached { witness, .. }) => *witness = None,
            Knowledge::Reach(ReachKnowledge::Unreachable { proof, evidence, .. }) => {
                proof.document = None;
                evidence.forget();
            }
            Knowledge::Home(HomeKnowledge::StaysReachable { proof, evidence, .. }) => {
                proof.document = None;
                evidence.forget();
            }
            Knowledge::Home(HomeKnowledge::BecomesUnreachable {
                witness, proof, evidence, ..
            }) => {
                *witness = None;
                proof.document = None;
                evidence.forget();
            }
            Knowledge::Run(RunKnowledge::Exists { run, .. }) => *run = None,
            Knowledge::Run(RunKnowledge::Excluded { evidence, .. })
            | Knowledge::Tree(TreeKnowledge::Decided { evidence, .. }) => evidence.forget(),
            Knowledge::Home(HomeKnowledge::Open) | Knowledge::Reach(ReachKnowledge::Open) => {}
            Knowledge::Run(RunKnowledge::Open) | Knowledge::Tree(TreeKnowledge::Open) => {}
            Knowledge::Maximum(_) => {}
        }
    }
}

/// The state of a [`Goal::Run`].
#[derive(Clone, Debug)]
pub enum RunKnowledge {
    /// Not decided.
    Open,
    /// A run with the property exists.
    Exists {
        /// The run. If it ends in [`RunEnd::Anything`](parikh_net::lasso::RunEnd::Anything), it is
        /// a prefix, and every run that begins with it has the property. `None` if the board does
        /// not keep witnesses or dropped the run later.
        run: Option<Arc<LassoRun>>,
        /// The technique behind the result.
        technique: Technique,
    },
    /// No run has the property.
    Excluded {
        /// The proof.
        proof: Proof,
        /// The evidence for the proof.
        evidence: Evidence,
        /// The goals whose unreachability the argument assumes.
        premise_goals: Arc<[GoalId]>,
        /// The technique behind the result.
        technique: Technique,
    },
}

/// The state of a [`Goal::Tree`].
#[derive(Clone, Debug)]
pub enum TreeKnowledge {
    /// Not decided.
    Open,
    /// The truth value is known.
    Decided {
        /// The truth value.
        holds: bool,
        /// The proof.
        proof: Proof,
        /// The evidence for the proof.
        evidence: Evidence,
        /// The goals on which the argument rests. Each is settled as unreachable, as staying
        /// reachable, or as reached.
        premise_goals: Arc<[GoalId]>,
        /// The technique behind the result.
        technique: Technique,
    },
}

/// The state of a [`Goal::Home`].
#[derive(Clone, Debug)]
pub enum HomeKnowledge {
    /// Not decided.
    Open,
    /// The goal stays reachable from every reachable marking.
    StaysReachable {
        /// The proof.
        proof: Proof,
        /// The evidence for the proof.
        evidence: Evidence,
        /// The technique behind the result.
        technique: Technique,
    },
    /// The goal is unreachable from some reachable marking.
    BecomesUnreachable {
        /// The firings that lead to a marking from which the goal is unreachable, in the net that
        /// was read. `None` if the board does not have these firings or dropped the witness later.
        witness: Option<Witness>,
        /// The proof. Its certificate, if any, is about the net with another initial marking: the
        /// marking from which the goal is unreachable.
        proof: Proof,
        /// The evidence for the proof.
        evidence: Evidence,
        /// The technique behind the result.
        technique: Technique,
    },
}

/// The state of a [`Goal::Reach`].
#[derive(Clone, Debug)]
pub enum ReachKnowledge {
    /// Not decided.
    Open,
    /// A marking with the predicate is reachable.
    Reached {
        /// The firings that lead to the marking. `None` if the board does not keep witnesses or
        /// dropped the witness later.
        witness: Option<Witness>,
        /// The technique behind the result.
        technique: Technique,
    },
    /// No marking with the predicate is reachable.
    Unreachable {
        /// The proof.
        proof: Proof,
        /// The evidence for the proof.
        evidence: Evidence,
        /// The technique behind the result.
        technique: Technique,
    },
}

/// The state of a [`Goal::Maximise`]. The maximum, if it exists, lies between the largest value
/// seen and the proved bound.
#[derive(Clone, Debug, Default)]
pub struct Maximum {
    /// The largest value seen, with its witness and technique.
    pub largest_seen: Option<SeenValue>,
    /// The smallest bound proved, with its proof and technique.
    pub proved: Option<ProvedBound>,
    /// A self-covering sequence that shows that there is no maximum, with its technique. `None` if
    /// no such sequence is known.
    pub unbounded: Option<(PumpSequence, Technique)>,
}

/// A value of a sum that a reachable marking has.
#[derive(Clone, Debug)]
pub struct SeenValue {
    /// The value.
    pub value: i128,
    /// The firings that lead to a marking with the value. `None` if the board does not keep
    /// witnesses.
    pub witness: Option<Witness>,
    /// The technique behind the result.
    pub technique: Technique,
}

/// An upper bound of a sum over all reachable markings.
#[derive(Clone, Debug)]
pub struct ProvedBound {
    /// The bound.
    pub bound: i128,
    /// The proof.
    pub proof: Proof,
    /// The evidence for the proof.
    pub evidence: Evidence,
    /// The technique behind the result.
    pub technique: Technique,
}

impl Maximum {
    /// Returns the maximum if the largest value seen equals the bound proved. Returns `None` if
    /// they differ or one is unknown.
    pub fn value(&self) -> Option<i128> {
        match (&self.largest_seen, &self.proved) {
            (Some(seen), Some(proved)) if seen.value == proved.bound => Some(seen.value),
            _ => None,
        }
    }
}
