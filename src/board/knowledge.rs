//! What is known of a goal.

use super::{Argument, Evidence, Proof, Technique, Witness};
use parikh_net::lasso::LassoRun;
use parikh_net::{Goal, GoalId, PumpSequence};
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

/// What a settled goal stands on: who settled it, and what the checker was shown, unless that was a
/// witness.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'k> {
    /// Who settled it.
    pub by: Technique,
    /// Why it is so, and what that stands on; nothing where a witness was replayed.
    pub argued: Option<(&'k Proof, &'k Evidence)>,
    /// The goals that the argument rests on.
    pub given: &'k [GoalId],
}

impl Knowledge {
    /// That nothing is known of a goal yet.
    pub fn nothing_of(goal: &Goal) -> Knowledge {
        match goal {
            Goal::Reach(_) => Knowledge::Reach(Reach::Open),
            Goal::Maximise(_) => Knowledge::Maximum(Maximum::default()),
            Goal::Home(_) => Knowledge::Home(Home::Open),
            Goal::Run(_) => Knowledge::Run(Run::Open),
            Goal::Tree(_) => Knowledge::Tree(Tree::Open),
        }
    }

    /// Whether what the goal asks for is so, once that is known; nothing of maxima.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Knowledge::Reach(Reach::Reached { .. })
            | Knowledge::Home(Home::Kept { .. })
            | Knowledge::Run(Run::Exists { .. }) => Some(true),
            Knowledge::Tree(Tree::Decided { holds, .. }) => Some(*holds),
            Knowledge::Reach(Reach::Unreachable { .. })
            | Knowledge::Home(Home::Lost { .. })
            | Knowledge::Run(Run::Excluded { .. }) => Some(false),
            Knowledge::Reach(Reach::Open)
            | Knowledge::Home(Home::Open)
            | Knowledge::Run(Run::Open)
            | Knowledge::Tree(Tree::Open)
            | Knowledge::Maximum(_) => None,
        }
    }

    /// What it stands on, once the goal is settled. For a maximum that is the bound, unless there
    /// is none.
    pub fn standing(&self) -> Option<Standing<'_>> {
        let argued = |by: &Technique, proof, evidence, given| Standing {
            by,
            argued: Some((proof, evidence)),
            given,
        };
        let replayed = |by: &Technique| Standing { by, argued: None, given: &[] };
        Some(match self {
            Knowledge::Reach(Reach::Reached { by, .. })
            | Knowledge::Run(Run::Exists { by, .. }) => replayed(by),
            // The dead marking at the end of the witness is all that there is to see.
            Knowledge::Home(Home::Lost { proof, by, .. })
                if proof.argument == Argument::DeadEnd =>
            {
                replayed(by)
            }
            Knowledge::Reach(Reach::Unreachable { proof, evidence, by })
            | Knowledge::Home(
                Home::Kept { proof, evidence, by } | Home::Lost { proof, evidence, by, .. },
            ) => argued(by, proof, evidence, &[]),
            Knowledge::Run(Run::Excluded { proof, evidence, given, by })
            | Knowledge::Tree(Tree::Decided { proof, evidence, given, by, .. }) => {
                argued(by, proof, evidence, given)
            }
            Knowledge::Maximum(Maximum { unbounded: Some((_, by)), .. }) => replayed(by),
            Knowledge::Maximum(Maximum { proved, evidence, .. }) => {
                let (_, proof, by) = proved.as_ref()?;
                argued(by, proof, evidence.as_ref()?, &[])
            }
            Knowledge::Reach(Reach::Open)
            | Knowledge::Home(Home::Open)
            | Knowledge::Run(Run::Open)
            | Knowledge::Tree(Tree::Open) => return None,
        })
    }

    /// What is known, in words, without what the goal is about; nothing of maxima and of what is
    /// open.
    pub fn in_words(&self) -> String {
        match self {
            Knowledge::Reach(Reach::Reached { witness, .. }) => match witness {
                Some(witness) if witness.is_initial() => "the initial marking shows it".to_owned(),
                Some(witness) => format!("a witness of {witness} was replayed"),
                None => "a witness was replayed".to_owned(),
            },
            Knowledge::Home(Home::Lost { witness: Some(witness), proof, .. }) => {
                match witness.is_initial() {
                    true => format!("never, from the beginning on: {proof}"),
                    false => format!("never again after {witness}: {proof}"),
                }
            }
            Knowledge::Home(Home::Lost { witness: None, proof, .. }) => {
                format!("not for ever: {proof}")
            }
            Knowledge::Run(Run::Exists { run: Some(run), .. }) => format!("a run: {run}"),
            Knowledge::Run(Run::Exists { run: None, .. }) => "a run was gone through".to_owned(),
            Knowledge::Maximum(_) => String::new(),
            other => {
                let argued = other.standing().and_then(|standing| standing.argued);
                argued.map_or_else(String::new, |(proof, _)| proof.to_string())
            }
        }
    }

    /// Lets go of witnesses and documents.
    pub(super) fn forget(&mut self) {
        match self {
            Knowledge::Reach(Reach::Reached { witness, .. }) => *witness = None,
            Knowledge::Reach(Reach::Unreachable { proof, evidence, .. }) => {
                proof.document = None;
                evidence.forget();
            }
            Knowledge::Home(Home::Kept { proof, evidence, .. }) => {
                proof.document = None;
                evidence.forget();
            }
            Knowledge::Home(Home::Lost { witness, proof, evidence, .. }) => {
                *witness = None;
                proof.document = None;
                evidence.forget();
            }
            Knowledge::Run(Run::Exists { run, .. }) => *run = None,
            Knowledge::Run(Run::Excluded { evidence, .. })
            | Knowledge::Tree(Tree::Decided { evidence, .. }) => evidence.forget(),
            Knowledge::Home(Home::Open) | Knowledge::Reach(Reach::Open) => {}
            Knowledge::Run(Run::Open) | Knowledge::Tree(Tree::Open) => {}
            Knowledge::Maximum(_) => {}
        }
    }
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

/// What is known of a [`Goal::Maximise`](parikh_net::Goal::Maximise): the maximum lies in [seen,
/// proved].
#[derive(Clone, Debug, Default)]
pub struct Maximum {
    /// The largest value seen, with its witness and finder.
    pub seen: Option<(i128, Option<Witness>, Technique)>,
    /// The smallest bound proved, with its proof and prover.
    pub proved: Option<(i128, Proof, Technique)>,
    /// What that bound stands on.
    pub evidence: Option<Evidence>,
    /// A pump that shows there is no maximum.
    pub unbounded: Option<(PumpSequence, Technique)>,
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
