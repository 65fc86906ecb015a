//! The reason of an answer in one sentence: from the goals that decided it, their roles, and the
//! board's knowledge.

use super::aim::{GoalQuestion, GoalRole, JointMeaning, RoledGoal};
use super::basis::{length, shortest};
use super::sound;
use parikh_engine::board::{Argument, Board, Home, Knowledge, Maximum, Proof, Reach, why_never};
use parikh_evidence::words;
use parikh_net::printable::counted;
use parikh_net::{Goal, GoalId, Net, PlaceId, Predicate};
use std::collections::BTreeSet;

/// The reason for a question without goals.
pub(super) const NO_NODE: &str = "the net has no such node";

/// Maximal number of parts of a formula in a reason, and of characters per part.
pub(super) const SAID: (usize, usize) = (3, 100);

/// Returns the reason why a question is true or false. `decided_by` lists the decisive goals with
/// their truth values; the proofs of `assumed` goals assume safe units. For a coloured net, the
/// reason adds how the question is understood.
pub(super) fn of_truth(
    board: &Board<'_>,
    question: &GoalQuestion,
    value: bool,
    decided_by: &[(RoledGoal, bool)],
    assumed: usize,
) -> String {
    let reason = of_formula(board, question, value, decided_by, assumed);
    match (board.is_of_coloured(), question.whole) {
        (true, JointMeaning::Unreachable | JointMeaning::Changing) => {
            format!("{reason}; a coloured place counts all of its colours")
        }
        (true, JointMeaning::Reachable | JointMeaning::Staying) => {
            format!("{reason}; a coloured transition is enabled when one of its bindings is")
        }
        _ => reason,
    }
}

/// Returns the reason without the addition for coloured nets.
fn of_formula(
    board: &Board<'_>,
    question: &GoalQuestion,
    value: bool,
    decided_by: &[(RoledGoal, bool)],
    assumed: usize,
) -> String {
    // A reachable goal of the role `Possible` is left out, because it follows from the home
    // property.
    let is_said = |(aim, holds): &&(RoledGoal, bool)| aim.role != GoalRole::Possible || !holds;
    let parts: Vec<RoledGoal> = decided_by.iter().filter(is_said).map(|(aim, _)| *aim).collect();
    let all = |what: &str| match (parts.len(), assumed) {
        (goals, 0) => format!("{what} ({})", counted(goals, "goal")),
        (goals, n) => {
            let goals = counted(goals, "goal");
            format!("{what} ({goals}, {n} of them by the model's safe units, assumed)")
        }
    };
    match (&parts[..], question.whole) {
        ([], JointMeaning::Formula) if value => "the initial marking shows it".to_owned(),
        ([], JointMeaning::Formula) => "the initial marking decides it".to_owned(),
        ([], _) => NO_NODE.to_owned(),
        ([aim], _) => of_one(board, question, *aim),
        (_, JointMeaning::Reachable) => all("all of them can be reached"),
        (_, JointMeaning::Unreachable) => all("none of them can be reached"),
        (_, JointMeaning::Changing) => all("every place can change"),
        (_, JointMeaning::OnRuns) if board.net().final_markings().len() > 1 => {
            all("each transition fires on a run to one of the final markings")
        }
        (_, JointMeaning::OnRuns) => all("each transition fires on a run to the final marking"),
        (_, JointMeaning::Staying) => {
            let proofs: BTreeSet<String> =
                parts.iter().filter_map(|aim| kept(board, aim.goal)).collect();
            proofs.into_iter().collect::<Vec<_>>().join("; ")
        }
        (_, JointMeaning::Sound) => {
            let why = parts.iter().find_map(|aim| kept(board, aim.goal)).unwrap_or_default();
            let fires = parts.iter().filter(|aim| aim.role == GoalRole::Fires).count();
            let completion = parts.iter().filter(|aim| aim.role == GoalRole::Completion);
            let witness = completion.filter_map(|aim| match board.knowledge(aim.goal) {
                Some(Knowledge::Reach(Reach::Reached { witness, .. })) => witness,
                _ => None,
            });
            sound::all_is_well(board, fires, { witness }.next().as_ref(), &why)
        }
        (_, JointMeaning::Formula) => {
            let mut said: Vec<String> =
                parts.iter().take(SAID.0).map(|aim| of_part(board, aim.goal)).collect();
            if parts.len() > said.len() {
                said.push(format!("and {} more", parts.len() - said.len()));
            }
            said.join("; ")
        }
    }
}

/// Returns the reason for a maximum, or `None` if it is not settled.
pub(super) fn of_maximum(maximum: &Maximum) -> Option<String> {
    let (_, witness, _) = maximum.seen.as_ref()?;
    let (_, proof, _) = maximum.proved.as_ref()?;
    Some(format!("seen after {}; no more because {proof}", length(witness.as_ref())))
}

/// Returns the reason why the largest of `count` maxima is that of the goal `of`.
pub(super) fn of_largest(board: &Board<'_>, of: GoalId, count: usize) -> String {
    let about = match board.goal(of) {
        // Any predicate on the sum will do: `about` reads its place only.
        Goal::Maximise(sum) => about(board.net(), &Predicate::at_most(sum.clone().negated(), -1)),
        _ => String::new(),
    };
    format!("{about}seen, and none of {count} exceeds it")
}

/// Returns the proof that a condition stays reachable, if it is known.
fn kept(board: &Board<'_>, goal: GoalId) -> Option<String> {
    match board.knowledge(goal) {
        Some(Knowledge::Home(Home::Kept { proof, .. })) => Some(proof.to_string()),
        _ => None,
    }
}

/// Returns the reason when a single goal decides the question.
fn of_one(board: &Board<'_>, question: &GoalQuestion, aim: RoledGoal) -> String {
    let net = board.net();
    let Some(knowledge) = board.knowledge(aim.goal) else { return String::new() };
    // If the question has several goals about runs, the reason names the decisive goal.
    if matches!(knowledge, Knowledge::Run(_)) && question.goals.len() > 1 {
        return of_part(board, aim.goal);
    }
    if let Some(of_process) = sound::reason(board, question, aim, &knowledge) {
        return of_process;
    }
    let about = match board.goal(aim.goal) {
        Goal::Reach(predicate) | Goal::Home(predicate) => about(net, predicate),
        Goal::Run(property) => {
            let fair = words::fairness(net, property.fairness());
            fair.map(|fair| format!("of {fair}: ")).unwrap_or_default()
        }
        _ => String::new(),
    };
    match (aim.role, &knowledge) {
        (_, Knowledge::Home(Home::Kept { proof, .. })) => proof.to_string(),
        (GoalRole::DeadEnd, Knowledge::Reach(Reach::Reached { witness, .. })) => {
            let shortest = shortest(board, aim.goal);
            let length = length(witness.as_ref());
            format!("a dead marking: a witness of {length} was replayed{shortest}")
        }
        (GoalRole::Possible, Knowledge::Reach(Reach::Unreachable { proof, .. })) => {
            format!("{about}it can never happen: {}", never(board, aim.goal, proof))
        }
        (_, Knowledge::Reach(Reach::Unreachable { proof, .. }))
            if matches!(question.whole, JointMeaning::Changing) =>
        {
            let stays = constant(net, board.goal(aim.goal)).unwrap_or(about);
            format!("{stays}{}", never(board, aim.goal, proof))
        }
        (_, Knowledge::Reach(Reach::Unreachable { proof, .. })) => {
            match always_enabled(net, board.goal(aim.goal), proof) {
                Some(reason) => reason,
                None => format!("{about}{}", never(board, aim.goal, proof)),
            }
        }
        (_, knowledge @ Knowledge::Reach(Reach::Reached { .. })) => {
            // The board knows shortest witnesses among all markings. A shorter one may pass a cap.
            let shortest = match aim.role {
                GoalRole::WithinCaps => "",
                _ => shortest(board, aim.goal),
            };
            format!("{about}{}{shortest}", knowledge.in_words())
        }
        (_, knowledge) => format!("{about}{}", knowledge.in_words()),
    }
}

/// Returns "place `p` always holds n tokens" for an unreachable goal that asks for another number
/// of tokens. Returns `None` if the goal is not of this form.
fn constant(net: &Net, goal: &Goal) -> Option<String> {
    let Goal::Reach(predicate) = goal else { return None };
    let atom = match predicate {
        Predicate::Or(parts) => parts.first()?,
        single => single,
    };
    let Predicate::Atom(atom) = atom else { return None };
    let places: BTreeSet<PlaceId> = atom.sum.terms().iter().map(|&(place, _)| place).collect();
    let name = match net.folding() {
        Some(folding) => folding.place_name(folding.place_of(*places.first()?)),
        None => net.place_name(*places.first()?),
    };
    let tokens = places.iter().map(|&place| u128::from(net.initial()[place])).sum::<u128>();
    let tokens = match tokens {
        1 => "1 token".to_owned(),
        tokens => format!("{tokens} tokens"),
    };
    Some(format!("place `{name}` always holds {tokens}; any other number is unreachable: "))
}

/// Returns why a goal is unreachable: a short place invariant or exclusive places if there are any,
/// and then the proof.
fn never(board: &Board<'_>, goal: GoalId, proof: &Proof) -> String {
    let Goal::Reach(predicate) = board.goal(goal) else { return proof.to_string() };
    let net = board.net();
    let by_sums = board.sums().and_then(|sums| sums.explain_unreachable(net, predicate));
    let said = by_sums.or_else(|| Some(why_never(net, predicate, proof)?.text));
    said.map_or_else(|| proof.to_string(), |said| format!("{said} ({proof})"))
}

/// Returns the places that the reason [`never`] names for an unreachable goal.
pub(super) fn places_of_sums(board: &Board<'_>, goal: GoalId) -> BTreeSet<PlaceId> {
    let (net, known) = (board.net(), board.knowledge(goal));
    let (Goal::Reach(predicate), Some(Knowledge::Reach(Reach::Unreachable { proof, .. }))) =
        (board.goal(goal), &known)
    else {
        return BTreeSet::new();
    };
    let by_sums = board.sums().map(|sums| sums.explained_places(net, predicate));
    let by_sums = by_sums.filter(|places| !places.is_empty());
    by_sums.or_else(|| Some(why_never(net, predicate, proof)?.places)).unwrap_or_default()
}

/// Returns a part of a formula with the reason why it is true.
fn of_part(board: &Board<'_>, goal: GoalId) -> String {
    let Some(knowledge) = board.knowledge(goal) else { return String::new() };
    let Some(holds) = knowledge.truth() else { return String::new() };
    let claim = clipped(words::claim(board.net(), board.goal(goal), holds));
    let why = match &knowledge {
        Knowledge::Reach(Reach::Unreachable { proof, .. }) => never(board, goal, proof),
        Knowledge::Reach(Reach::Reached { .. }) => {
            format!("{}{}", knowledge.in_words(), shortest(board, goal))
        }
        knowledge => knowledge.in_words(),
    };
    format!("{claim}: {why}")
}

/// Truncates a long formula.
fn clipped(formula: String) -> String {
    match formula.char_indices().nth(SAID.1) {
        Some((end, _)) => format!("{} …", &formula[..end]),
        None => formula,
    }
}

/// Returns the name of the node that a goal is about, with a colon. Empty if the goal is about
/// several nodes.
fn about(net: &Net, predicate: &Predicate) -> String {
    match predicate {
        Predicate::Enabled(t) if !net.is_of_quotient() => {
            format!("transition `{}`: ", net.transition_name(*t))
        }
        Predicate::Dead => "a dead marking: ".to_owned(),
        predicate => match predicate.only_place() {
            Some(place) if net.folding().is_none() => {
                format!("place `{}`: ", net.place_name(place))
            }
            _ => coloured_node(net, predicate).unwrap_or_default(),
        },
    }
}

/// Returns the name of the coloured node that a goal on an unfolding is about. `None` if there are
/// several.
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

/// Returns the reason why no marking is dead if some transition has an empty preset. Applies only
/// to proofs by structural bounds.
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
