//! Soundness of processes: questions about nets with a final marking f, in which a case is done.
//!
//! | question | TRUE means |
//! |---|---|
//! | soundness | from everywhere f stays reachable; nothing is left behind in a marking that covers f; no transition is dead |
//! | weak soundness | the same, but for dead transitions |
//! | relaxed soundness | every transition fires on some run from the initial marking to f |
//! | easy soundness | f can be reached at all |
//!
//! # Soundness as goals
//! A marking is *improper* if it covers f (m ≥ f) and is not f: something is left behind. If none
//! is reachable, covering f and being f are the same, so that "f stays reachable" may be asked as
//! "a marking that covers f stays reachable": of a workflow net that is about one place, and what
//! else the net has can be reduced away. Hence soundness is a conjunction: no improper marking is
//! reachable, one that covers f is, each transition is enabled somewhere, and markings that cover f
//! stay reachable. That no dead marking without f is reachable is a consequence of the last.
//!
//! # Relaxed soundness as goals
//! On the net with its [firings counted](parikh_net::counted), for each transition: f with a token
//! on its counter.
//!
//! # Sources
//! W. van der Aalst et al., *Soundness of workflow nets: classification, decidability, and
//! analysis*, 2011; J. Dehnert, P. Rittgen, *Relaxed soundness of business processes*, 2001.

use super::aim::{Aim, GoalFormula, Question, Role, Whole, atom, not};
use super::basis::{length, shortest};
use super::nodes::Nodes;
use crate::board::{Argument, Board, Home, Knowledge, Proof, Reach, Witness};
use crate::evidence::{replay, words};
use crate::formula::Proposition;
use crate::mcc::Examination;
use parikh_net::counted::uncounted_places;
use parikh_net::printable::counted;
use parikh_net::{Goal, GoalId, LinearSum, Marking, Net, PlaceId, Predicate, TransitionId};
use std::collections::VecDeque;

/// m ≥ f.
fn covers(f: &Marking) -> Predicate {
    Predicate::and(f.marked().map(|(place, tokens)| Predicate::at_least(place, tokens)))
}

/// The tokens on these places together, and how many f has there; `None` when that is beyond 63
/// bits.
fn total(places: impl Iterator<Item = PlaceId>, f: &Marking) -> Option<(LinearSum, i64)> {
    let sum = LinearSum::new(places.map(|place| (place, 1))).ok()?;
    let tokens = i64::try_from(sum.value(f)).ok()?;
    Some((sum, tokens))
}

/// A question about the one final marking of `net`; `None` where it has none or several, or what is
/// to be said is too large.
pub(super) fn asked(examination: Examination, net: &Net) -> Option<(Whole, GoalFormula)> {
    let [f] = net.final_markings() else { return None };
    Some(match examination {
        Examination::RelaxedSoundness => (Whole::OnRuns, relaxed(net, f)?),
        Examination::EasySoundness => {
            let done = Goal::Reach(exactly(net.places(), f)?);
            (Whole::Formula, atom(done, Role::FinalMarking))
        }
        _ => (Whole::Sound, sound(net, f, examination == Examination::Soundness)?),
    })
}

/// Soundness, with each transition if `live`; `None` where a number is beyond 63 bits.
fn sound(net: &Net, f: &Marking, live: bool) -> Option<GoalFormula> {
    let (sum, tokens) = total(net.places(), f)?;
    let done = covers(f);
    let more = Predicate::at_most(sum, tokens).negated();
    let stuck = Predicate::and([Predicate::Dead, done.clone().negated()]);
    let improper = Predicate::and([done.clone(), more]);
    let mut all = vec![
        not(atom(Goal::Reach(improper), Role::Improper)),
        atom(Goal::Reach(done.clone()), Role::Completion),
    ];
    let transitions = net.transitions().filter(|_| live);
    all.extend(transitions.map(|t| atom(Goal::Reach(Predicate::Enabled(t)), Role::Fires)));
    all.push(atom(Goal::Home(done), Role::Completion));
    let never_stuck = not(atom(Goal::Reach(stuck), Role::Stuck));
    Some(Proposition::Main(Box::new(Proposition::And(all)), vec![never_stuck]))
}

/// f, and no other marking of these places.
fn exactly(places: impl Iterator<Item = PlaceId>, f: &Marking) -> Option<Predicate> {
    let (sum, tokens) = total(places, f)?;
    Some(Predicate::and([covers(f), Predicate::at_most(sum, tokens)]))
}

/// The most that the goals of relaxed soundness may say together, in places: each of them speaks of
/// all.
const MENTIONED: usize = 10_000_000;

/// Relaxed soundness, of a net whose firings are counted; `None` also where its goals are too
/// large.
fn relaxed(counted: &Net, f: &Marking) -> Option<GoalFormula> {
    if counted.place_count().saturating_mul(counted.transition_count()) > MENTIONED {
        return None;
    }
    let done = exactly(uncounted_places(counted), f)?;
    let counters = counted.places().skip(uncounted_places(counted).count());
    let with = |(at, counter)| {
        let fired = Predicate::and([done.clone(), Predicate::at_least(counter, 1)]);
        atom(Goal::Reach(fired), Role::OnRun(TransitionId::new(at)))
    };
    Some(Proposition::And(counters.enumerate().map(with).collect()))
}

/// Why a process is sound, of which that each of so many transitions can fire is a part, and `why`
/// it can always be completed.
pub(super) fn all_is_well(transitions: usize, why: &str) -> String {
    let transitions = match transitions {
        0 => String::new(),
        1 => ", and the one transition can fire".to_owned(),
        n => format!(", and each of the {n} transitions can fire"),
    };
    format!("every case can always be completed, nothing is left behind{transitions}: {why}")
}

/// What one goal that decides a question says of a process; `None` where it is no goal of such a
/// question.
pub(super) fn reason(
    board: &Board<'_>,
    question: &Question,
    aim: Aim,
    knowledge: &Knowledge,
) -> Option<String> {
    let net = board.net();
    Some(match (aim.role, knowledge) {
        (Role::Stuck, Knowledge::Reach(Reach::Reached { witness, .. })) => {
            stuck(net, witness.as_ref(), shortest(board, aim.goal))
        }
        (Role::Improper, Knowledge::Reach(Reach::Reached { witness, .. })) => {
            left_behind(net, witness.as_ref(), shortest(board, aim.goal))
        }
        (
            Role::Completion | Role::FinalMarking,
            Knowledge::Reach(Reach::Unreachable { proof, .. }),
        ) => never_done(net, proof),
        (Role::Fires, Knowledge::Reach(Reach::Unreachable { proof, .. })) => {
            dead_transitions(board, question, aim.goal, proof)
        }
        (Role::Completion, Knowledge::Home(Home::Lost { witness, proof, .. })) => {
            match proof.argument {
                Argument::DeadEnd => stuck(net, witness.as_ref(), ""),
                _ => lost(net, witness.as_ref(), proof),
            }
        }
        (Role::FinalMarking, Knowledge::Reach(Reach::Reached { witness, .. })) => {
            let (firings, shortest) = (length(witness.as_ref()), shortest(board, aim.goal));
            format!("a run of {firings} to the final marking was replayed{shortest}")
        }
        (Role::OnRun(t), Knowledge::Reach(Reach::Reached { witness, .. })) => {
            let (t, firings) = (words::transition(net, t), length(witness.as_ref()));
            let shortest = shortest(board, aim.goal);
            format!("transition {t} fires on a run of {firings} to the final marking{shortest}")
        }
        (Role::OnRun(t), Knowledge::Reach(Reach::Unreachable { proof, .. })) => {
            let t = words::transition(net, t);
            format!("transition {t} is on no run to the final marking: {proof}")
        }
        _ => return None,
    })
}

/// Where a witness ends.
fn end(net: &Net, witness: Option<&Witness>) -> Option<Marking> {
    replay(net, &witness?.to_sequence()?).ok()
}

fn firings(witness: Option<&Witness>) -> String {
    match witness.filter(|witness| !witness.is_initial()) {
        None => "initially".to_owned(),
        Some(witness) => format!("after {witness}"),
    }
}

/// The places of a marking with more tokens than `but` has there, and how many more.
fn beyond(marking: &Marking, but: Option<&Marking>) -> Vec<(PlaceId, u64)> {
    let beyond = |(place, tokens): (PlaceId, u64)| {
        let more = tokens.saturating_sub(but.map_or(0, |but| but[place]));
        (more > 0).then_some((place, more))
    };
    marking.marked().filter_map(beyond).collect()
}

/// The tokens of a marking beyond those of `but`, by place.
fn tokens(net: &Net, marking: &Marking, but: Option<&Marking>) -> String {
    let held = beyond(marking, but);
    let on = |&(place, tokens): &(PlaceId, u64)| match tokens {
        1 => words::place(net, place),
        n => format!("{} ({n} tokens)", words::place(net, place)),
    };
    match held.is_empty() {
        true => "no place".to_owned(),
        false => words::some(&held, on),
    }
}

fn stuck(net: &Net, witness: Option<&Witness>, shortest: &str) -> String {
    let firings = firings(witness);
    let on = end(net, witness).map(|end| tokens(net, &end, None));
    let on = on.map_or(String::new(), |on| format!(", with tokens on {on}"));
    format!("a case gets stuck {firings}{shortest}{on}: nothing is enabled, and it is not done")
}

/// The longest run that is looked at for where a case gets that is never done, and the most looks
/// at a transition on it.
const RUN: (usize, usize) = (10_000, 1 << 20);

/// Why no case is ever done, and where one gets: the end of a run that always fires the transition
/// that has not fired for longest, so that it does not go in one circle while there is another way.
fn never_done(net: &Net, proof: &Proof) -> String {
    let mut marking = net.initial().clone();
    let mut order: VecDeque<TransitionId> = net.transitions().collect();
    let (mut firings, mut looks, mut is_dead) = (0, 0, false);
    while firings < RUN.0 && looks < RUN.1 {
        let Some(at) = order.iter().position(|&t| net.is_enabled(&marking, t)) else {
            is_dead = true;
            break;
        };
        looks += at + 1;
        let fired = order.remove(at).filter(|&t| net.fire(&mut marking, t).is_ok());
        let Some(t) = fired else { break };
        order.push_back(t);
        firings += 1;
    }
    let on = tokens(net, &marking, None);
    let where_it_gets = match (is_dead, firings) {
        (true, 0) => format!("nothing is enabled initially, with tokens on {on}"),
        (true, n) => {
            format!("after {}, say, a case is stuck with tokens on {on}", counted(n, "firing"))
        }
        (false, n) => {
            format!("after {}, say, a case goes on with tokens on {on}", counted(n, "firing"))
        }
    };
    format!("the final marking can never be reached ({where_it_gets}): {proof}")
}

fn left_behind(net: &Net, witness: Option<&Witness>, shortest: &str) -> String {
    let firings = firings(witness);
    let on = end(net, witness).map(|end| tokens(net, &end, net.final_markings().first()));
    let on = on.map_or(String::new(), |on| format!(" on {on}"));
    format!("a case is done {firings}{shortest} and leaves tokens behind{on}")
}

fn lost(net: &Net, witness: Option<&Witness>, proof: &Proof) -> String {
    let firings = firings(witness);
    let on = end(net, witness).map(|end| tokens(net, &end, None));
    let on = on.map_or(String::new(), |on| format!(", with tokens on {on},"));
    match witness {
        Some(_) => {
            format!("a case cannot be completed any more {firings}{on} and goes on: {proof}")
        }
        None => format!("a case cannot always be completed: {proof}"),
    }
}

/// Why transitions are dead, those that are known to be by now.
fn dead_transitions(
    board: &Board<'_>,
    question: &Question,
    settled: GoalId,
    proof: &Proof,
) -> String {
    let dead = dead(board, question, settled);
    let named = words::some(&dead, |&t| words::transition(board.net(), t));
    match dead.len() {
        1 => format!("transition {named} can never fire: {proof}"),
        _ => format!("transitions {named} can never fire: {proof}"),
    }
}

/// The transitions that are known to be dead by now, `settled` first.
fn dead(board: &Board<'_>, question: &Question, settled: GoalId) -> Vec<TransitionId> {
    let transition = |id: GoalId| match board.goal(id) {
        Goal::Reach(Predicate::Enabled(t)) => Some(*t),
        _ => None,
    };
    let is_dead = |id: &GoalId| {
        *id != settled
            && matches!(board.knowledge(*id), Some(Knowledge::Reach(Reach::Unreachable { .. })))
    };
    let others = question.goals().iter().copied().filter(is_dead);
    [settled].into_iter().chain(others).filter_map(transition).collect()
}

/// The nodes that the [`reason`] from one goal names: where a case is stuck or leaves tokens, and
/// which transitions are dead. `None` where it is no goal of a process.
pub(super) fn nodes(board: &Board<'_>, question: &Question, aim: Aim) -> Option<Nodes> {
    let net = board.net();
    let marked = |witness: Option<&Witness>, but: Option<&Marking>| {
        let end = end(net, witness)?;
        let places = beyond(&end, but).into_iter().map(|(place, _)| place).collect();
        Some(Nodes { places, ..Nodes::default() })
    };
    match (aim.role, board.knowledge(aim.goal)?) {
        (Role::Stuck, Knowledge::Reach(Reach::Reached { witness, .. })) => {
            marked(witness.as_ref(), None)
        }
        (Role::Improper, Knowledge::Reach(Reach::Reached { witness, .. })) => {
            marked(witness.as_ref(), net.final_markings().first())
        }
        (Role::Completion, Knowledge::Home(Home::Lost { witness, .. })) => {
            marked(witness.as_ref(), None)
        }
        (Role::Fires, Knowledge::Reach(Reach::Unreachable { .. })) => {
            let transitions = dead(board, question, aim.goal).into_iter().collect();
            Some(Nodes { transitions, ..Nodes::default() })
        }
        (Role::OnRun(t), _) => Some(Nodes { transitions: [t].into(), ..Nodes::default() }),
        _ => None,
    }
}
