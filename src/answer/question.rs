//! One question: which goals it has and how their outcomes make an answer.

use super::{Answer, Grade, Value};
use crate::board::{Argument, Board, Knowledge, Maximum, Proof, Reach, Technique, Witness};
use parikh_net::{Goal, GoalId, Net, Predicate};
use std::collections::BTreeSet;
use std::ops::Range;

/// How outcomes combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    /// TRUE if the one goal is reachable (EF φ).
    Exists,
    /// TRUE if the one goal, the negated property, is not reachable (AG φ).
    Never,
    /// The maximum of the one goal.
    Maximum,
    /// TRUE if all goals are reachable (quasi-liveness).
    AllReachable,
    /// TRUE if no goal is reachable (one-safe).
    NoneReachable,
    /// TRUE if some goal is not reachable (stable marking).
    SomeUnreachable,
}

/// A question over a range of the plan's goals.
#[derive(Clone, Debug)]
pub struct Question {
    /// The formula's id, or the examination's name.
    pub id: String,
    /// How its goals combine.
    pub combination: Combination,
    /// Its goals.
    pub goals: Range<usize>,
}

/// How far a question has got.
#[derive(Clone, Debug)]
pub enum Standing {
    /// Wants more.
    Open,
    /// Decided.
    Answered(Box<Answer>),
    /// Engines contradict each other: nothing may be said.
    Silenced,
}

impl Question {
    /// The ids of its goals.
    pub fn goal_ids(&self) -> impl Iterator<Item = GoalId> + use<> {
        self.goals.clone().map(GoalId::new)
    }

    /// Looks at a goal that was just settled, and says whether the question is decided by it, or
    /// by it being the last. `unsettled` counts this question's goals that are still open.
    pub fn standing(&self, board: &Board<'_>, settled: GoalId, unsettled: usize) -> Standing {
        let Some(knowledge) = board.knowledge(settled) else {
            return Standing::Silenced;
        };
        let net = board.net();
        match (self.combination, knowledge) {
            (Combination::Maximum, Knowledge::Maximum(maximum)) => self.maximum(settled, maximum),
            (_, Knowledge::Reach(Reach::Reached { witness, by })) => {
                let value = match self.combination {
                    Combination::Exists => true,
                    Combination::Never | Combination::NoneReachable => false,
                    Combination::AllReachable if unsettled == 0 => {
                        return self.by_all(board, true, "all of them can be reached");
                    }
                    Combination::SomeUnreachable if unsettled == 0 => {
                        return self.by_all(board, false, "every place can change");
                    }
                    _ => return Standing::Open,
                };
                let reason = match witness {
                    Some(ref witness) if witness.firings() == 0 => {
                        "the initial marking shows it".to_owned()
                    }
                    Some(ref witness) => {
                        format!("a witness of {} firings was replayed", witness.firings())
                    }
                    None => "a witness was replayed".to_owned(),
                };
                let reason = format!("{}{reason}", about(net, board.goal(settled)));
                self.answered(
                    Value::Bool(value),
                    vec![by],
                    reason,
                    (false, Grade::Replayed),
                    settled,
                    witness,
                )
            }
            (_, Knowledge::Reach(Reach::Unreachable { proof, by, evidence })) => {
                let value = match self.combination {
                    Combination::Exists | Combination::AllReachable => false,
                    Combination::Never | Combination::SomeUnreachable => true,
                    Combination::NoneReachable if unsettled == 0 => {
                        return self.by_all(board, true, "none of them can be reached");
                    }
                    _ => return Standing::Open,
                };
                let goal = board.goal(settled);
                let reason = match always_enabled(net, goal, &proof) {
                    Some(reason) => reason,
                    None => format!("{}{}", about(net, goal), proof),
                };
                let stands = (proof.assumes_units(), Grade::of(&evidence));
                self.answered(Value::Bool(value), vec![by], reason, stands, settled, None)
            }
            _ => Standing::Open,
        }
    }

    fn maximum(&self, goal: GoalId, maximum: Maximum) -> Standing {
        if let Some((prefix, pump, by)) = maximum.unbounded {
            let reason = format!(
                "after {} firings, {} more can repeat for ever and add tokens each time",
                prefix.firings(),
                pump.firings()
            );
            return Standing::Answered(Box::new(Answer {
                id: self.id.clone(),
                value: Value::Infinite,
                techniques: vec![by],
                reason,
                assumes_units: false,
                grade: Grade::Replayed,
                rests_on: goal.index()..goal.index() + 1,
                witness: Some((goal, prefix)),
                pump: Some(pump),
            }));
        }
        let (Some(value), Some((_, witness, by)), Some((_, proof, prover))) =
            (maximum.value(), maximum.seen, maximum.proved)
        else {
            return Standing::Open;
        };
        let firings = witness.as_ref().map_or(0, Witness::firings);
        let reason = format!("seen after {firings} firings; no more because {}", proof);
        let techniques = if by == prover { vec![by] } else { vec![by, prover] };
        let grade = maximum.evidence.as_ref().map_or(Grade::default(), Grade::of);
        let stands = (proof.assumes_units(), grade);
        self.answered(Value::Number(value), techniques, reason, stands, goal, witness)
    }

    /// The answer that rests on all goals together.
    fn by_all(&self, board: &Board<'_>, value: bool, reason: &str) -> Standing {
        let mut techniques = BTreeSet::new();
        let mut assumed = 0;
        let mut grade = Grade::Replayed;
        for goal in self.goal_ids() {
            let by = match board.knowledge(goal) {
                Some(Knowledge::Reach(Reach::Reached { by, .. })) => by,
                Some(Knowledge::Reach(Reach::Unreachable { by, proof, evidence })) => {
                    grade = grade.max(Grade::of(&evidence));
                    assumed += usize::from(proof.assumes_units());
                    by
                }
                _ => return Standing::Silenced,
            };
            techniques.insert(by);
        }
        let goals = self.goals.len();
        let reason = match assumed {
            0 => format!("{reason} ({goals} goals)"),
            n => {
                format!("{reason} ({goals} goals, {n} of them by the model's safe units, assumed)")
            }
        };
        Standing::Answered(Box::new(Answer {
            id: self.id.clone(),
            value: Value::Bool(value),
            techniques: techniques.into_iter().collect(),
            reason,
            assumes_units: assumed > 0,
            grade,
            rests_on: self.goals.clone(),
            witness: None,
            pump: None,
        }))
    }

    fn answered(
        &self,
        value: Value,
        techniques: Vec<Technique>,
        reason: String,
        (assumes_units, grade): (bool, Grade),
        goal: GoalId,
        witness: Option<Witness>,
    ) -> Standing {
        let witness = witness.map(|witness| (goal, witness.to_sequence()));
        Standing::Answered(Box::new(Answer {
            id: self.id.clone(),
            value,
            techniques,
            reason,
            assumes_units,
            grade,
            rests_on: goal.index()..goal.index() + 1,
            witness,
            pump: None,
        }))
    }
}

/// What a goal of one node is about, so that the reason names it; empty for formulas.
fn about(net: &Net, goal: &Goal) -> String {
    match goal {
        Goal::Reach(Predicate::Enabled(t)) => format!("transition `{}`: ", net.transition_name(*t)),
        Goal::Reach(Predicate::Dead) => "a dead marking: ".to_owned(),
        Goal::Reach(predicate) => match predicate.only_place() {
            Some(place) if net.folding().is_none() => {
                format!("place `{}`: ", net.place_name(place))
            }
            _ => coloured_node(net, predicate).unwrap_or_default(),
        },
        Goal::Maximise(_) => String::new(),
    }
}

/// The coloured node that a goal on an unfolding is about, where it is about one.
fn coloured_node(net: &Net, predicate: &Predicate) -> Option<String> {
    let folding = net.folding()?;
    let (mut transitions, mut places) = (BTreeSet::new(), BTreeSet::new());
    let leaves = match predicate {
        Predicate::And(parts) | Predicate::Or(parts) => &parts[..],
        leaf => std::slice::from_ref(leaf),
    };
    for leaf in leaves {
        match leaf {
            Predicate::Enabled(t) => {
                transitions.insert(folding.transition_of(*t));
            }
            Predicate::Atom(atom) => {
                places.extend(atom.sum.terms().iter().map(|&(place, _)| folding.place_of(place)));
            }
            _ => return None,
        }
    }
    match (places.len(), transitions.len()) {
        (1, 0) => Some(format!("place `{}`: ", folding.place_name(*places.first()?))),
        (0, 1) => {
            Some(format!("transition `{}`: ", folding.transition_name(*transitions.first()?)))
        }
        _ => None,
    }
}

/// Why nothing is dead when the arcs alone say so: a transition that needs no tokens, if there is one.
fn always_enabled(net: &Net, goal: &Goal, proof: &Proof) -> Option<String> {
    let is_deadlock = *goal == Goal::Reach(Predicate::Dead);
    if !is_deadlock
        || proof.abstracted
        || proof.reduced.is_some()
        || !matches!(proof.argument, Argument::Bounds(_))
    {
        return None;
    }
    let source = net.transitions().find(|&t| net.pre(t).is_empty())?;
    Some(format!(
        "transition `{}` takes nothing and is always enabled",
        net.transition_name(source)
    ))
}
