//! Derives the reason of an answer from the goals that decided it, their roles, and the board's
//! knowledge.

use super::basis::{Explanation, shortest};
use super::goal_question::{GoalQuestion, GoalRole, JointMeaning, RoledGoal};
use super::nodes::ReasonNodes;
use super::reason::{
    Cause, CommonResult, NamedNode, PartReason, Reason, ReasonNote, RunSize, Subject,
    TokenExclusion, WitnessSize,
};
use super::sound;
use parikh_engine::board::{
    Argument, Board, HomeKnowledge, Knowledge, Proof, ProofSummary, ReachKnowledge, RunKnowledge,
    TreeKnowledge, why_never,
};
use parikh_evidence::description;
use parikh_net::{Goal, GoalId, Net, PlaceId, Predicate};
use std::collections::BTreeSet;

/// Maximal number of parts of a formula in a reason.
const MAX_PARTS: usize = 3;

/// Maximal number of characters of a part in a reason.
const MAX_PART_CHARACTERS: usize = 100;

/// Returns the explanation why a question is true or false. `decided_by` lists the decisive goals
/// with their truth values; the proofs of `assumed` goals assume safe units. For a question about
/// all places or all transitions of a coloured net, the reason adds how the question is understood.
pub(super) fn of_truth(
    board: &Board<'_>,
    question: &GoalQuestion,
    value: bool,
    decided_by: &[(RoledGoal, bool)],
    assumed: usize,
) -> Explanation {
    // A reachable goal of the role `Possible` is left out, because it follows from the home
    // property.
    let is_mentioned = |(aim, holds): &&(RoledGoal, bool)| aim.role != GoalRole::Possible || !holds;
    let parts: Vec<RoledGoal> =
        decided_by.iter().filter(is_mentioned).map(|(aim, _)| *aim).collect();
    let (cause, nodes) = match (&parts[..], question.joint_meaning) {
        ([], JointMeaning::Formula) => {
            (Cause::InitialMarking { holds: value }, ReasonNodes::default())
        }
        ([], _) => (Cause::NoSuchNode, ReasonNodes::default()),
        ([aim], _) => {
            let (cause, nodes) = of_one(board, question, *aim);
            (cause, nodes.unwrap_or_else(|| of_goals(board, &[*aim])))
        }
        (parts, JointMeaning::Formula) => (of_parts(board, parts), of_goals(board, parts)),
        (parts, _) => (of_all(board, question, parts, assumed), ReasonNodes::default()),
    };
    let notes = match (board.is_of_coloured(), question.joint_meaning) {
        (true, JointMeaning::Unreachable | JointMeaning::Changing) => {
            vec![ReasonNote::ColouredPlaces]
        }
        (true, JointMeaning::Reachable | JointMeaning::Staying) => {
            vec![ReasonNote::ColouredTransitions]
        }
        _ => colour_notes(board, parts.iter().map(|aim| aim.goal)),
    };
    Explanation { reason: Reason { cause, notes }, nodes }
}

/// Returns the note that a coloured place counts all of its colours, or no note. On an unfolding,
/// the note is needed if the goals mention all places of a coloured place with several colours. On
/// the skeleton, that is, the net without colours, the note is needed if a goal mentions a place.
pub(super) fn colour_notes(
    board: &Board<'_>,
    goals: impl Iterator<Item = GoalId>,
) -> Vec<ReasonNote> {
    let Some(folding) = board.net().folding().filter(|_| board.is_of_coloured()) else {
        return Vec::new();
    };
    let places = ReasonNodes::of_goals(board, goals).places;
    let coloured: BTreeSet<usize> = places.iter().map(|&place| folding.place_of(place)).collect();
    let is_whole = |&place: &usize| {
        let mut colours = folding.places(place);
        folding.is_skeleton() || colours.len() > 1 && colours.all(|colour| places.contains(&colour))
    };
    match coloured.iter().any(is_whole) {
        true => vec![ReasonNote::ColouredPlaces],
        false => Vec::new(),
    }
}

/// Returns the nodes of the goals, and of the sums of tokens that exclude the first [`MAX_PARTS`]
/// goals.
fn of_goals(board: &Board<'_>, parts: &[RoledGoal]) -> ReasonNodes {
    let mut nodes = ReasonNodes::of_goals(board, parts.iter().map(|aim| aim.goal));
    for aim in parts.iter().take(MAX_PARTS) {
        if let Some(Knowledge::Reach(ReachKnowledge::Unreachable { proof, .. })) =
            board.knowledge(aim.goal)
        {
            let exclusions = exclusions(board, aim.goal, &proof);
            nodes.places.extend(exclusions.iter().flat_map(|it| it.places(board.net())));
        }
    }
    nodes
}

/// Returns the cause when the goals `parts` together decide the question. `assuming_units` of their
/// proofs assume safe units.
fn of_all(
    board: &Board<'_>,
    question: &GoalQuestion,
    parts: &[RoledGoal],
    assuming_units: usize,
) -> Cause {
    let all = |result| Cause::AllGoals { result, goals: parts.len(), assuming_units };
    match question.joint_meaning {
        JointMeaning::Formula => of_parts(board, parts),
        JointMeaning::Reachable => all(CommonResult::AllReachable),
        JointMeaning::Unreachable => all(CommonResult::NoneReachable),
        JointMeaning::Changing => all(CommonResult::AllPlacesChange),
        JointMeaning::OnRuns if board.net().final_markings().len() > 1 => {
            all(CommonResult::AllOnRunsToSome)
        }
        JointMeaning::OnRuns => all(CommonResult::AllOnRuns),
        JointMeaning::Staying => {
            let proofs: BTreeSet<ProofSummary> =
                parts.iter().filter_map(|aim| stays_reachable_proof(board, aim.goal)).collect();
            Cause::StaysReachable { proofs: proofs.into_iter().collect() }
        }
        JointMeaning::Sound => {
            let proof = parts.iter().find_map(|aim| stays_reachable_proof(board, aim.goal));
            let fires = parts.iter().filter(|aim| aim.role == GoalRole::Fires).count();
            let completion = parts.iter().filter(|aim| aim.role == GoalRole::Completion);
            let mut witnesses = completion.filter_map(|aim| match board.knowledge(aim.goal) {
                Some(Knowledge::Reach(ReachKnowledge::Reached { witness, .. })) => witness,
                _ => None,
            });
            let witness = witnesses.next();
            Cause::Process(sound::sound_cause(board, fires, witness.as_ref(), proof))
        }
    }
}

/// Returns the cause when several parts of a formula decide it.
fn of_parts(board: &Board<'_>, parts: &[RoledGoal]) -> Cause {
    let first = parts.iter().take(MAX_PARTS).filter_map(|aim| of_part(board, aim.goal));
    Cause::Parts { parts: first.collect(), more: parts.len().saturating_sub(MAX_PARTS) }
}

/// Returns the only place of the model whose tokens a maximum counts. Returns `None` if the maximum
/// is that of a sum over several such places, or if the goal asks for no maximum.
pub(super) fn subject_of(board: &Board<'_>, goal: GoalId) -> Option<Subject> {
    let Goal::Maximise(sum) = board.goal(goal) else { return None };
    // `subject` reads only the places of a predicate, so the number in the predicate is arbitrary.
    subject(board.net(), &Predicate::at_most(sum.clone().negated(), -1))
}

/// Returns the proof that a condition stays reachable, if it is known.
fn stays_reachable_proof(board: &Board<'_>, goal: GoalId) -> Option<ProofSummary> {
    match board.knowledge(goal) {
        Some(Knowledge::Home(HomeKnowledge::StaysReachable { proof, .. })) => Some(proof.summary()),
        _ => None,
    }
}

/// Returns the cause when a single goal decides the question, with the nodes of its text if they
/// are not the nodes of the goal.
fn of_one(
    board: &Board<'_>,
    question: &GoalQuestion,
    aim: RoledGoal,
) -> (Cause, Option<ReasonNodes>) {
    let net = board.net();
    // This empty cause is never shown, because the goals that decide a question are settled.
    let nothing = Cause::Parts { parts: Vec::new(), more: 0 };
    let Some(knowledge) = board.knowledge(aim.goal) else { return (nothing, None) };
    // If the question has several goals and a goal about runs decides it, the reason names this
    // goal.
    if matches!(knowledge, Knowledge::Run(_)) && question.goals.len() > 1 {
        return (of_parts(board, &[aim]), None);
    }
    if let Some((cause, nodes)) = sound::explain(board, question, aim, &knowledge) {
        return (Cause::Process(cause), nodes);
    }
    let goal = board.goal(aim.goal);
    let mut subject = match goal {
        Goal::Reach(predicate) | Goal::Home(predicate) => {
            subject(net, predicate).or_else(|| unbound_transition(net, question, predicate))
        }
        _ => None,
    };
    if aim.role == GoalRole::DeadEnd
        && matches!(knowledge, Knowledge::Reach(ReachKnowledge::Reached { .. }))
    {
        subject = Some(Subject::DeadMarking);
    }
    let cause = match (&knowledge, goal) {
        (Knowledge::Reach(ReachKnowledge::Unreachable { proof, .. }), _)
            if aim.role != GoalRole::Possible =>
        {
            let constant = (question.joint_meaning == JointMeaning::Changing)
                .then(|| constant(net, question, goal))
                .flatten();
            match (constant, always_enabled(net, goal, proof)) {
                (Some(ConstantPlace { place, tokens }), _) => {
                    let exclusions = exclusions(board, aim.goal, proof);
                    Cause::Constant { place, tokens, exclusions, proof: proof.summary() }
                }
                (None, Some(transition)) => Cause::AlwaysEnabled { transition },
                (None, None) => unreachable(board, aim.goal, subject, proof),
            }
        }
        // The witness is shortest among those within the caps. A shorter witness of the model may
        // pass a cap, so the reason says nothing about shortest witnesses.
        (Knowledge::Reach(ReachKnowledge::Reached { witness, .. }), _)
            if aim.role == GoalRole::WithinCaps =>
        {
            let size = witness.as_ref().map(WitnessSize::of);
            Cause::Witness { subject, size, shortest: None }
        }
        // An unreachable goal comes here only with the role `Possible`. The question then asks
        // whether the condition stays reachable.
        _ => match of_knowledge(board, aim.goal, &knowledge, subject) {
            Some(Cause::Unreachable { subject, exclusions, proof, .. }) => {
                Cause::Unreachable { subject, stays: true, exclusions, proof }
            }
            Some(cause) => cause,
            None => nothing,
        },
    };
    (cause, None)
}

/// Returns the cause why the goal has its value. Returns `None` if the goal is open, and for a
/// maximum without a value seen or without a proved bound.
fn of_knowledge(
    board: &Board<'_>,
    goal: GoalId,
    knowledge: &Knowledge,
    subject: Option<Subject>,
) -> Option<Cause> {
    let fairness = || match board.goal(goal) {
        Goal::Run(property) => description::fairness(board.net(), property.fairness()),
        _ => None,
    };
    Some(match knowledge {
        Knowledge::Reach(ReachKnowledge::Reached { witness, .. }) => {
            let (size, shortest) = (witness.as_ref().map(WitnessSize::of), shortest(board, goal));
            Cause::Witness { subject, size, shortest }
        }
        Knowledge::Reach(ReachKnowledge::Unreachable { proof, .. }) => {
            unreachable(board, goal, subject, proof)
        }
        Knowledge::Home(HomeKnowledge::StaysReachable { proof, .. }) => {
            Cause::StaysReachable { proofs: vec![proof.summary()] }
        }
        Knowledge::Home(HomeKnowledge::BecomesUnreachable { witness, proof, .. }) => {
            let size = witness.as_ref().map(WitnessSize::of);
            Cause::Lost { subject, size, proof: proof.summary() }
        }
        Knowledge::Run(RunKnowledge::Exists { run, .. }) => {
            Cause::Run { fairness: fairness(), run: run.as_deref().map(RunSize::of) }
        }
        Knowledge::Run(RunKnowledge::Excluded { proof, .. }) => {
            Cause::NoRun { fairness: fairness(), proof: proof.summary() }
        }
        Knowledge::Tree(TreeKnowledge::Decided { proof, .. }) => {
            Cause::Tree { proof: proof.summary() }
        }
        Knowledge::Maximum(maximum) => {
            let (seen, proved) = (maximum.largest_seen.as_ref()?, maximum.proved.as_ref()?);
            let size = seen.witness.as_ref().map(WitnessSize::of);
            Cause::Maximum { size, proof: proved.proof.summary() }
        }
        Knowledge::Reach(ReachKnowledge::Open)
        | Knowledge::Home(HomeKnowledge::Open)
        | Knowledge::Run(RunKnowledge::Open)
        | Knowledge::Tree(TreeKnowledge::Open) => return None,
    })
}

fn unreachable(board: &Board<'_>, goal: GoalId, subject: Option<Subject>, proof: &Proof) -> Cause {
    let exclusions = exclusions(board, goal, proof);
    Cause::Unreachable { subject, stays: false, exclusions, proof: proof.summary() }
}

/// A place with a constant number of tokens.
struct ConstantPlace {
    place: NamedNode,
    tokens: u128,
}

/// Returns the place whose number of tokens an unreachable goal asks to change, with its initial
/// number. Returns `None` if the goal is not of this form.
fn constant(net: &Net, question: &GoalQuestion, goal: &Goal) -> Option<ConstantPlace> {
    let Goal::Reach(predicate) = goal else { return None };
    if let (Predicate::False, Some(folding)) = (predicate, net.folding()) {
        // A coloured place without a place in the unfolding is always empty.
        let mut places = 0..folding.place_count();
        let place = question.node.or_else(|| places.find(|&at| folding.places(at).len() == 0))?;
        return Some(ConstantPlace { place: NamedNode::coloured_place(folding, place), tokens: 0 });
    }
    let atom = match predicate {
        Predicate::Or(parts) => parts.first()?,
        single => single,
    };
    let Predicate::Atom(atom) = atom else { return None };
    let places: BTreeSet<PlaceId> = atom.sum.terms().iter().map(|&(place, _)| place).collect();
    let place = match net.folding() {
        Some(folding) => NamedNode::coloured_place(folding, folding.place_of(*places.first()?)),
        None => NamedNode::place(net, *places.first()?),
    };
    let tokens = places.iter().map(|&place| u128::from(net.initial()[place])).sum();
    Some(ConstantPlace { place, tokens })
}

/// Returns the sums of tokens that make a goal unreachable: short place invariants, or the lemma of
/// a certificate.
fn exclusions(board: &Board<'_>, goal: GoalId, proof: &Proof) -> Vec<TokenExclusion> {
    let Goal::Reach(predicate) = board.goal(goal) else { return Vec::new() };
    let net = board.net();
    match board.sums().and_then(|sums| sums.why_never(net, predicate)) {
        Some(parts) => parts.iter().map(|it| TokenExclusion::by_invariant(net, it)).collect(),
        None => {
            let lemma = why_never(net, predicate, proof);
            lemma.into_iter().map(|lemma| TokenExclusion::by_lemma(net, lemma)).collect()
        }
    }
}

/// Returns the goal or its negation, whichever is true, as text with the reason. Returns `None` if
/// the goal is open, if it asks for a maximum, or if engines contradict each other on it.
fn of_part(board: &Board<'_>, goal: GoalId) -> Option<PartReason> {
    let knowledge = board.knowledge(goal)?;
    let holds = knowledge.truth()?;
    let claim = clipped(description::claim(board.net(), board.goal(goal), holds));
    let mut because = of_knowledge(board, goal, &knowledge, None)?;
    // The claim names the fair runs.
    if let Cause::Run { fairness, .. } | Cause::NoRun { fairness, .. } = &mut because {
        *fairness = None;
    }
    Some(PartReason { claim, because })
}

/// Truncates a formula after [`MAX_PART_CHARACTERS`] characters.
fn clipped(formula: String) -> String {
    match formula.char_indices().nth(MAX_PART_CHARACTERS) {
        Some((end, _)) => format!("{} …", &formula[..end]),
        None => formula,
    }
}

/// Returns the only node that a goal is about, or dead markings. Returns `None` if the goal is
/// about several nodes, or about another kind of condition.
fn subject(net: &Net, predicate: &Predicate) -> Option<Subject> {
    match predicate {
        Predicate::Enabled(t) if !net.is_of_quotient() => {
            Some(Subject::Transition(NamedNode::transition(net, *t)))
        }
        Predicate::Dead => Some(Subject::DeadMarking),
        predicate => match predicate.only_place() {
            Some(place) if net.folding().is_none() => {
                Some(Subject::Place(NamedNode::place(net, place)))
            }
            _ => coloured_node(net, predicate),
        },
    }
}

/// Returns the coloured node that a goal on an unfolding is about. Returns `None` if there are
/// several, if the net is no unfolding, or if the goal is not about tokens or enabled transitions
/// only.
fn coloured_node(net: &Net, predicate: &Predicate) -> Option<Subject> {
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
        (1, 0) => Some(Subject::Place(NamedNode::coloured_place(folding, *places.first()?))),
        (0, 1) => {
            let only = *transitions.first()?;
            Some(Subject::Transition(NamedNode::coloured_transition(folding, only)))
        }
        _ => None,
    }
}

/// Returns the coloured transition of the question, or for a question about all transitions the
/// first coloured transition without a binding in the unfolding. Returns `None` if the goal is not
/// that a binding of a transition without bindings is enabled.
fn unbound_transition(
    net: &Net,
    question: &GoalQuestion,
    predicate: &Predicate,
) -> Option<Subject> {
    let is_about_transitions =
        matches!(question.joint_meaning, JointMeaning::Reachable | JointMeaning::Staying);
    let folding =
        net.folding().filter(|_| is_about_transitions && *predicate == Predicate::False)?;
    let mut all = 0..folding.transition_count();
    let t = question.node.or_else(|| all.find(|&at| folding.transitions(at).len() == 0))?;
    Some(Subject::Transition(NamedNode::coloured_transition(folding, t)))
}

/// Returns a transition with an empty preset as the reason why no dead marking is reachable.
/// Returns `None` if there is no such transition, or if the goal is not a dead marking. Also
/// returns `None` unless the proof is by structural bounds of the net itself, neither reduced nor
/// abstracted.
fn always_enabled(net: &Net, goal: &Goal, proof: &Proof) -> Option<NamedNode> {
    let is_deadlock = *goal == Goal::Reach(Predicate::Dead);
    if !is_deadlock
        || proof.abstracted
        || proof.reduced.is_some()
        || !matches!(proof.argument, Argument::Bounds { .. })
    {
        return None;
    }
    let source = net.transitions().find(|&t| net.pre(t).is_empty())?;
    Some(NamedNode::transition(net, source))
}
