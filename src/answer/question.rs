//! One question: which goals it has and how their outcomes make an answer.

use super::{Answer, Grade, Value};
use crate::board::{Argument, Board, Home, Knowledge, Maximum, Proof, Reach, Technique, Witness};
use parikh_net::{FiringSequence, Goal, GoalId, LoopRun, Net, Predicate};
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
    /// The largest of the goals' maxima.
    Largest,
    /// TRUE if all goals are reachable (quasi-liveness).
    AllReachable,
    /// TRUE if no goal is reachable (one-safe).
    NoneReachable,
    /// TRUE if some goal is not reachable (stable marking).
    SomeUnreachable,
    /// TRUE if each [`Goal::Home`] stays reachable wherever the net goes (liveness, AG EF φ). The first
    /// goal is a dead end without φ, the other goals before the homes are φ itself: reaching the one
    /// or not the other settles it as well.
    Stays,
    /// TRUE if it does not (EF AG ¬φ).
    Lost,
    /// Soundness, weak or not, of a net with a final marking.
    Sound,
    /// TRUE if the final marking can be reached, the one goal.
    Easy,
    /// TRUE if each transition fires on a run to the final marking, of which its goal says so.
    OnRuns,
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
            (Combination::Sound, knowledge) => self.sound(board, settled, unsettled, knowledge),
            (Combination::Easy | Combination::OnRuns, knowledge) => {
                self.on_runs(board, settled, unsettled, knowledge)
            }
            (Combination::Stays | Combination::Lost, knowledge) => {
                self.stays(board, settled, knowledge)
            }
            (Combination::Maximum, Knowledge::Maximum(maximum)) => self.maximum(settled, maximum),
            (Combination::Largest, Knowledge::Maximum(maximum)) => {
                match maximum.unbounded.is_some() {
                    true => self.maximum(settled, maximum),
                    false => self.largest(board),
                }
            }
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
                    Some(ref witness) if witness.is_initial() => {
                        "the initial marking shows it".to_owned()
                    }
                    Some(ref witness) => format!("a witness of {witness} was replayed"),
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

    /// See [`Combination::Stays`].
    fn stays(&self, board: &Board<'_>, settled: GoalId, knowledge: Knowledge) -> Standing {
        let net = board.net();
        let kept = self.combination == Combination::Stays;
        let goal = board.goal(settled);
        match knowledge {
            Knowledge::Reach(Reach::Reached { witness, by })
                if settled.index() == self.goals.start =>
            {
                let firings = length(witness.as_ref());
                let reason = format!("a dead marking: a witness of {firings} was replayed");
                let stands = (false, Grade::Replayed);
                self.answered(Value::Bool(!kept), vec![by], reason, stands, settled, witness)
            }
            Knowledge::Reach(Reach::Unreachable { proof, by, evidence })
                if settled.index() > self.goals.start =>
            {
                let reason = format!("{}it can never happen: {proof}", about(net, goal));
                let stands = (proof.assumes_units(), Grade::of(&evidence));
                self.answered(Value::Bool(!kept), vec![by], reason, stands, settled, None)
            }
            Knowledge::Home(Home::Lost { witness, proof, evidence, by }) => {
                let after = match &witness {
                    Some(witness) => format!("never again after {witness}: "),
                    None => "not for ever: ".to_owned(),
                };
                let reason = format!("{}{after}{proof}", about(net, goal));
                let grade = match proof.argument {
                    Argument::DeadEnd => Grade::Replayed,
                    _ => Grade::of(&evidence),
                };
                let stands = (proof.assumes_units(), grade);
                self.answered(Value::Bool(!kept), vec![by], reason, stands, settled, witness)
            }
            Knowledge::Home(Home::Kept { .. }) => self.all_kept(board, kept),
            _ => Standing::Open,
        }
    }

    /// The answer once all homes are kept.
    fn all_kept(&self, board: &Board<'_>, value: bool) -> Standing {
        let is_home = |id: &GoalId| matches!(board.goal(*id), Goal::Home(_));
        // From the back: what is settled in order is open there longest.
        let homes = || self.goal_ids().collect::<Vec<_>>().into_iter().rev().take_while(is_home);
        if homes().any(|id| board.is_open(id)) {
            return Standing::Open;
        }
        let (mut techniques, mut grade) = (BTreeSet::new(), Grade::Replayed);
        let (mut assumed, mut reasons) = (false, BTreeSet::new());
        for id in homes() {
            let (proof, evidence, by) = match board.knowledge(id) {
                Some(Knowledge::Home(Home::Kept { proof, evidence, by })) => (proof, evidence, by),
                // That it is lost is known, and will be heard of.
                Some(_) => return Standing::Open,
                None => return Standing::Silenced,
            };
            techniques.insert(by);
            grade = grade.max(Grade::of(&evidence));
            assumed |= proof.assumes_units();
            reasons.insert(proof.to_string());
        }
        let reasons: Vec<String> = reasons.into_iter().collect();
        Standing::Answered(Box::new(Answer {
            id: self.id.clone(),
            value: Value::Bool(value),
            techniques: techniques.into_iter().collect(),
            reason: reasons.join("; "),
            assumes_units: assumed,
            grade,
            rests_on: self.goals.clone(),
            witness: None,
            loops: None,
            pump: None,
        }))
    }

    fn maximum(&self, goal: GoalId, maximum: Maximum) -> Standing {
        if let Some((pumping, by)) = maximum.unbounded {
            return Standing::Answered(Box::new(Answer {
                id: self.id.clone(),
                value: Value::Infinite,
                techniques: vec![by],
                reason: pumping.in_words(),
                assumes_units: false,
                grade: Grade::Replayed,
                rests_on: goal.index()..goal.index() + 1,
                witness: pumping.only().map(|stage| (goal, stage.prefix.clone())),
                loops: None,
                pump: Some(pumping),
            }));
        }
        let (Some(value), Some((_, witness, by)), Some((_, proof, prover))) =
            (maximum.value(), maximum.seen, maximum.proved)
        else {
            return Standing::Open;
        };
        let firings = length(witness.as_ref());
        let reason = format!("seen after {firings}; no more because {proof}");
        let techniques = if by == prover { vec![by] } else { vec![by, prover] };
        let grade = maximum.evidence.as_ref().map_or(Grade::default(), Grade::of);
        let stands = (proof.assumes_units(), grade);
        self.answered(Value::Number(value), techniques, reason, stands, goal, witness)
    }

    /// The largest maximum, once no bound is above what was seen of one. Goals whose bound is not above
    /// it are let go.
    pub fn largest(&self, board: &Board<'_>) -> Standing {
        let seen = self.goal_ids().filter_map(|id| Some((board.seen(id)?, id)));
        let Some((largest, of)) = seen.max_by_key(|&(seen, id)| (seen, std::cmp::Reverse(id)))
        else {
            return Standing::Open;
        };
        let below = |id: &GoalId| board.proved(*id).is_some_and(|proved| proved <= largest);
        let mut open = false;
        for id in self.goal_ids() {
            match below(&id) {
                true if id != of => board.abandon(id),
                true => {}
                false => open = true,
            }
        }
        if open {
            return Standing::Open;
        }
        let (mut techniques, mut grade, mut assumed) = (BTreeSet::new(), Grade::Replayed, false);
        let mut witness = None;
        for id in self.goal_ids() {
            let Some(Knowledge::Maximum(maximum)) = board.knowledge(id) else {
                return Standing::Silenced;
            };
            if let Some((_, proof, by)) = &maximum.proved {
                techniques.insert(*by);
                assumed |= proof.assumes_units();
            }
            grade = grade.max(maximum.evidence.as_ref().map_or(Grade::Replayed, Grade::of));
            if id == of {
                techniques.extend(maximum.seen.as_ref().map(|(_, _, by)| *by));
                witness = maximum.seen.and_then(|(_, witness, _)| witness);
            }
        }
        let goals = self.goals.len();
        let reason = format!(
            "{}seen, and none of {goals} exceeds it",
            about(board.net(), &place_of(board, of))
        );
        let (witness, loops) = shown(of, witness);
        Standing::Answered(Box::new(Answer {
            id: self.id.clone(),
            value: Value::Number(largest),
            techniques: techniques.into_iter().collect(),
            reason,
            assumes_units: assumed,
            grade,
            rests_on: self.goals.clone(),
            witness,
            loops,
            pump: None,
        }))
    }

    /// The answer that rests on all goals together.
    pub(super) fn by_all(&self, board: &Board<'_>, value: bool, reason: &str) -> Standing {
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
            loops: None,
            pump: None,
        }))
    }

    pub(super) fn answered(
        &self,
        value: Value,
        techniques: Vec<Technique>,
        reason: String,
        (assumes_units, grade): (bool, Grade),
        goal: GoalId,
        witness: Option<Witness>,
    ) -> Standing {
        let (witness, loops) = shown(goal, witness);
        Standing::Answered(Box::new(Answer {
            id: self.id.clone(),
            value,
            techniques,
            reason,
            assumes_units,
            grade,
            rests_on: goal.index()..goal.index() + 1,
            witness,
            loops,
            pump: None,
        }))
    }
}

/// How many firings a witness has, in words.
pub(super) fn length(witness: Option<&Witness>) -> String {
    witness.map_or_else(|| "0 firings".to_owned(), Witness::to_string)
}

/// A witness of a goal as a firing sequence or a run with loops.
fn shown(
    goal: GoalId,
    witness: Option<Witness>,
) -> (Option<(GoalId, FiringSequence)>, Option<LoopRun>) {
    match witness {
        Some(Witness::Loops(run, spot)) => (None, Some(run.prefix(&spot))),
        Some(flat) => (flat.to_sequence().map(|sequence| (goal, sequence)), None),
        None => (None, None),
    }
}

/// That the one place of a maximum is marked; for [`about`].
fn place_of(board: &Board<'_>, id: GoalId) -> Goal {
    match board.goal(id) {
        Goal::Maximise(sum) => Goal::Reach(Predicate::at_most(sum.clone().negated(), -1)),
        goal => goal.clone(),
    }
}

/// What a goal of one node is about, so that the reason names it; empty for formulas.
fn about(net: &Net, goal: &Goal) -> String {
    match goal {
        Goal::Home(predicate) => about(net, &Goal::Reach(predicate.clone())),
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
