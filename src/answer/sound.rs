//! Soundness of processes: questions about nets with a set F of final markings. A case may end in
//! any marking of F.
//!
//! | question | TRUE means |
//! |---|---|
//! | soundness | from every reachable marking, F stays reachable; every reachable marking that covers some f in F is in F; no transition is dead |
//! | weak soundness | the same, but for dead transitions |
//! | relaxed soundness | every transition fires on some run from the initial marking to F |
//! | easy soundness | F can be reached at all |
//!
//! # Soundness as goals
//! A marking is *improper* if it covers some f in F (m ≥ f) and is not in F: tokens are left
//! behind. If no improper marking is reachable, covering some f and being in F are equivalent on
//! reachable markings. Then "F stays reachable" may be asked as "a marking that covers some f stays
//! reachable". On a workflow net this goal is about one place, so reductions can remove the rest of
//! the net.
//!
//! Hence soundness is a conjunction of four parts. No improper marking is reachable. A marking that
//! covers some f is reachable. Each transition is enabled in some reachable marking. Markings that
//! cover some f stay reachable. The last part implies that no dead marking is reachable that covers
//! no f.
//!
//! # Relaxed soundness as goals
//! The question has one goal per transition, on the net with its [firings
//! counted](parikh_net::counted): F with a token on the counter of the transition.
//!
//! # Inhibitor and reset arcs
//! The translation of a bounded model with such arcs has the same markings on the model's places.
//! So final markings constrain these places only, and a transition of the model is enabled if one
//! of its copies is. On a net with caps, only reachability questions are asked: easy and relaxed
//! soundness.
//!
//! # Sources
//! W. van der Aalst et al., *Soundness of workflow nets: classification, decidability, and
//! analysis*, 2011; J. Dehnert, P. Rittgen, *Relaxed soundness of business processes*, 2001.

use super::aim::{GoalFormula, GoalQuestion, GoalRole, JointMeaning, RoledGoal, atom, not};
use super::basis::{length, shortest};
use super::nodes::ReasonNodes;
use crate::mcc::Examination;
use parikh_engine::board::{Argument, Board, Home, Knowledge, Proof, Reach, Witness};
use parikh_evidence::{replay, words};
use parikh_formula::Proposition;
use parikh_net::counted::{counters, uncounted_places};
use parikh_net::printable::{Quoted, counted};
use parikh_net::{
    Goal, GoalId, LinearSum, Marking, Net, PlaceId, Predicate, TransitionId, marking_text,
};
use std::collections::VecDeque;

/// The final markings of a net, as predicates on the places of the model.
struct FinalMarkings<'n> {
    /// In ascending order. The auditor builds the predicates in the same order.
    finals: Vec<&'n Marking>,
    /// The sum of the tokens over all places of the model.
    all: LinearSum,
}

impl<'n> FinalMarkings<'n> {
    /// Returns the final markings over these places. Returns `None` if the net has none, or if a
    /// number does not fit 63 bits.
    fn of(net: &'n Net, places: impl Iterator<Item = PlaceId>) -> Option<FinalMarkings<'n>> {
        let all = LinearSum::new(places.map(|place| (place, 1))).ok()?;
        let fits = |last: &Marking| i64::try_from(all.value(last)).is_ok();
        let mut finals: Vec<&Marking> = net.final_markings().iter().collect();
        finals.sort_unstable_by_key(|last| last.tokens());
        (!finals.is_empty() && finals.iter().all(|last| fits(last)))
            .then_some(FinalMarkings { finals, all })
    }

    /// Returns the predicate m ≥ f.
    fn covers(last: &Marking) -> Predicate {
        Predicate::and(last.marked().map(|(place, tokens)| Predicate::at_least(place, tokens)))
    }

    /// Returns the predicate that a marking has at most as many tokens as f in total.
    fn no_more(&self, last: &Marking) -> Predicate {
        let tokens = i64::try_from(self.all.value(last)).unwrap_or(i64::MAX);
        Predicate::at_most(self.all.clone(), tokens)
    }

    /// Returns the predicate that some final marking is covered.
    fn done(&self) -> Predicate {
        Predicate::or(self.finals.iter().map(|last| FinalMarkings::covers(last)))
    }

    /// Returns the predicate that the marking is final.
    fn exactly(&self) -> Predicate {
        let exactly =
            |last: &&Marking| Predicate::and([FinalMarkings::covers(last), self.no_more(last)]);
        Predicate::or(self.finals.iter().map(exactly))
    }

    /// Returns the predicate that the marking covers some final marking and is not final.
    fn improper(&self) -> Predicate {
        let is_larger = |last: &Marking, than: &Marking| {
            last != than && last.tokens().iter().zip(than.tokens()).all(|(a, b)| a >= b)
        };
        let beyond = |last: &&Marking| {
            let more = self.no_more(last).negated();
            // Only final markings that cover this one can equal a marking with more tokens.
            let others = self.finals.iter().filter(|other| is_larger(other, last));
            let others = others
                .map(|it| Predicate::and([FinalMarkings::covers(it), self.no_more(it)]).negated());
            Predicate::and([FinalMarkings::covers(last), more].into_iter().chain(others))
        };
        Predicate::or(self.finals.iter().map(beyond))
    }
}

/// Returns the formula of a soundness examination. Returns `None` if `net` has no final markings,
/// or if the formula is too large.
pub(super) fn asked(examination: Examination, net: &Net) -> Option<(JointMeaning, GoalFormula)> {
    Some(match examination {
        Examination::RelaxedSoundness => (JointMeaning::OnRuns, relaxed(net)?),
        Examination::EasySoundness => {
            let done = Goal::Reach(FinalMarkings::of(net, net.model_places())?.exactly());
            (JointMeaning::Formula, atom(done, GoalRole::FinalMarking))
        }
        _ => (JointMeaning::Sound, sound(net, examination == Examination::Soundness)?),
    })
}

/// Returns the formula of soundness. If `live`, each transition of the model must be enabled in
/// some reachable marking.
fn sound(net: &Net, live: bool) -> Option<GoalFormula> {
    let ends = FinalMarkings::of(net, net.model_places())?;
    let done = ends.done();
    let stuck = Predicate::and([Predicate::Dead, done.clone().negated()]);
    let mut all = vec![
        not(atom(Goal::Reach(ends.improper()), GoalRole::Improper)),
        atom(Goal::Reach(done.clone()), GoalRole::Completion),
    ];
    let enabled =
        |copies: Vec<TransitionId>| Predicate::or(copies.into_iter().map(Predicate::Enabled));
    let transitions = net.model_transitions().filter(|_| live);
    all.extend(transitions.map(|copies| atom(Goal::Reach(enabled(copies)), GoalRole::Fires)));
    all.push(atom(Goal::Home(done), GoalRole::Completion));
    let never_stuck = not(atom(Goal::Reach(stuck), GoalRole::Stuck));
    Some(Proposition::WithConsequences(Box::new(Proposition::And(all)), vec![never_stuck]))
}

/// Limit on the size of all goals of relaxed soundness together, in places. Each goal mentions all
/// places.
const MENTIONED: usize = 10_000_000;

/// Returns the formula of relaxed soundness, for a net whose firings are counted.
fn relaxed(counted: &Net) -> Option<GoalFormula> {
    let finals = counted.final_markings().len();
    let mentioned = counted.place_count().saturating_mul(counted.transition_count());
    if mentioned.saturating_mul(finals) > MENTIONED {
        return None;
    }
    let done = FinalMarkings::of(counted, uncounted_places(counted))?.exactly();
    let with = |(copies, counter): (Vec<TransitionId>, PlaceId)| {
        let fired = Predicate::and([done.clone(), Predicate::at_least(counter, 1)]);
        // The first copy of a transition represents the model's transition.
        Some(atom(Goal::Reach(fired), GoalRole::OnRun(*copies.first()?)))
    };
    let all = counted.model_transitions().zip(counters(counted));
    Some(Proposition::And(all.map(with).collect::<Option<_>>()?))
}

/// Returns the name and label of the model's transition that `t` is a copy of.
fn transition(net: &Net, t: TransitionId) -> String {
    match net.translation() {
        None => words::transition(net, t),
        Some(translation) => {
            let own = Quoted(translation.transition_name(translation.origin(t)));
            match net.transition_label(t).map(str::trim).filter(|label| !label.is_empty()) {
                Some(label) => format!("{own} ({label})"),
                None => own.to_string(),
            }
        }
    }
}

/// Returns the first three final markings in words.
fn in_words(net: &Net, finals: &[Marking]) -> String {
    let named: Vec<String> = finals.iter().take(3).map(|last| named(net, last)).collect();
    let rest = match finals.len().saturating_sub(named.len()) {
        0 => String::new(),
        more => format!(" or {more} more"),
    };
    format!("{}{rest}", named.join(" or "))
}

fn named(net: &Net, last: &Marking) -> String {
    format!("`{}`", marking_text::print(net, last))
}

/// Returns the final marking that equals `end` on these places, in words. Empty if the net has only
/// one final marking.
fn which(net: &Net, end: Option<&Marking>, places: &[PlaceId]) -> String {
    let finals = net.final_markings();
    let is = |last: &&Marking| end.is_some_and(|end| places.iter().all(|&p| end[p] == last[p]));
    match finals.iter().find(is) {
        Some(last) if finals.len() > 1 => format!(" {}", named(net, last)),
        _ => String::new(),
    }
}

/// Returns the reason why a process is sound: each of the `transitions` transitions can fire, and
/// `why` every case can be completed. If there are several final markings, the reason names them
/// and the final marking that `witness` reaches.
pub(super) fn all_is_well(
    board: &Board<'_>,
    transitions: usize,
    witness: Option<&Witness>,
    why: &str,
) -> String {
    let net = board.net();
    let finals = net.final_markings();
    let places: Vec<PlaceId> = net.model_places().collect();
    let in_which = match which(net, end(net, witness).as_ref(), &places) {
        _ if finals.len() < 2 => String::new(),
        reached if reached.is_empty() => format!(" in {}", in_words(net, finals)),
        reached => {
            let firings = length(witness);
            format!(" in {} (for example in{reached} after {firings})", in_words(net, finals))
        }
    };
    let transitions = match transitions {
        0 => String::new(),
        1 => ", and the one transition can fire".to_owned(),
        n => format!(", and each of the {n} transitions can fire"),
    };
    format!(
        "every case can always be completed{in_which}, nothing is left behind{transitions}: {why}"
    )
}

/// Returns the reason when a single goal of a soundness question decides it. `None` if the goal has
/// no such role.
pub(super) fn reason(
    board: &Board<'_>,
    question: &GoalQuestion,
    aim: RoledGoal,
    knowledge: &Knowledge,
) -> Option<String> {
    let net = board.net();
    Some(match (aim.role, knowledge) {
        (GoalRole::Stuck, Knowledge::Reach(Reach::Reached { witness, .. })) => {
            stuck(net, witness.as_ref(), shortest(board, aim.goal))
        }
        (GoalRole::Improper, Knowledge::Reach(Reach::Reached { witness, .. })) => {
            left_behind(net, witness.as_ref(), shortest(board, aim.goal))
        }
        (
            GoalRole::Completion | GoalRole::FinalMarking,
            Knowledge::Reach(Reach::Unreachable { proof, .. }),
        ) => never_done(net, proof),
        (GoalRole::Fires, Knowledge::Reach(Reach::Unreachable { proof, .. })) => {
            dead_transitions(board, question, aim.goal, proof)
        }
        (GoalRole::Completion, Knowledge::Home(Home::Lost { witness, proof, .. })) => {
            match proof.argument {
                Argument::DeadEnd => stuck(net, witness.as_ref(), ""),
                _ => lost(net, witness.as_ref(), proof),
            }
        }
        (GoalRole::FinalMarking, Knowledge::Reach(Reach::Reached { witness, .. })) => {
            let (firings, shortest) = (length(witness.as_ref()), shortest(board, aim.goal));
            let places: Vec<PlaceId> = net.model_places().collect();
            let last = which(net, end(net, witness.as_ref()).as_ref(), &places);
            format!("a run of {firings} to the final marking{last} was replayed{shortest}")
        }
        (GoalRole::OnRun(t), Knowledge::Reach(Reach::Reached { witness, .. })) => {
            let (t, firings) = (transition(net, t), length(witness.as_ref()));
            let shortest = shortest(board, aim.goal);
            let places: Vec<PlaceId> = uncounted_places(net).collect();
            let last = which(net, end(net, witness.as_ref()).as_ref(), &places);
            format!(
                "transition {t} fires on a run of {firings} to the final marking{last}{shortest}"
            )
        }
        (GoalRole::OnRun(t), Knowledge::Reach(Reach::Unreachable { proof, .. })) => {
            let (t, last) = (transition(net, t), the_final(net, "any"));
            format!("transition {t} is on no run to {last}: {proof}")
        }
        _ => return None,
    })
}

/// Replays a witness and returns its last marking.
fn end(net: &Net, witness: Option<&Witness>) -> Option<Marking> {
    replay(net, &witness?.to_sequence()?).ok()
}

fn firings(witness: Option<&Witness>) -> String {
    match witness.filter(|witness| !witness.is_initial()) {
        None => "initially".to_owned(),
        Some(witness) => format!("after {witness}"),
    }
}

/// Returns "the final marking", or a phrase for several.
fn the_final(net: &Net, each: &str) -> String {
    match net.final_markings().len() {
        0 | 1 => "the final marking".to_owned(),
        _ => format!("{each} of the final markings"),
    }
}

/// Returns the final marking that `end` covers. Of several, the largest counts, so that the fewest
/// tokens are left behind.
fn left_by<'n>(net: &'n Net, end: &Marking) -> Option<&'n Marking> {
    let covered = |last: &&Marking| net.model_places().all(|p| end[p] >= last[p]);
    net.final_markings().iter().filter(covered).max_by_key(|last| last.total())
}

/// Returns the places of the model with more tokens than `but` has, and the differences.
fn beyond(net: &Net, marking: &Marking, but: Option<&Marking>) -> Vec<(PlaceId, u64)> {
    let own = net.model_places().len();
    let beyond = |(place, tokens): (PlaceId, u64)| {
        let more = tokens.saturating_sub(but.map_or(0, |but| but[place]));
        (more > 0 && place.index() < own).then_some((place, more))
    };
    marking.marked().filter_map(beyond).collect()
}

/// Returns the tokens of a marking beyond `but` in words, by place.
fn tokens(net: &Net, marking: &Marking, but: Option<&Marking>) -> String {
    let held = beyond(net, marking, but);
    let on = |&(place, tokens): &(PlaceId, u64)| match tokens {
        1 => words::place(net, place),
        n => format!("{} ({n} tokens)", words::place(net, place)),
    };
    match held.is_empty() {
        true => "no place".to_owned(),
        false => words::join_first(&held, on),
    }
}

fn stuck(net: &Net, witness: Option<&Witness>, shortest: &str) -> String {
    let firings = firings(witness);
    let on = end(net, witness).map(|end| tokens(net, &end, None));
    let on = on.map_or(String::new(), |on| format!(", with tokens on {on}"));
    format!("a case gets stuck {firings}{shortest}{on}: nothing is enabled, and it is not done")
}

/// Limits on the example run for a case that is never done: its length, and the number of tests for
/// enabled transitions.
const RUN: (usize, usize) = (10_000, 1 << 20);

/// Returns the reason why no case is ever done, with the end of an example run. The run always
/// fires the enabled transition that has not fired for longest, so it avoids repeating one cycle.
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
    let (last, can) = (the_final(net, "none"), "can ever be reached");
    match net.final_markings().len() {
        0 | 1 => format!("{last} can never be reached ({where_it_gets}): {proof}"),
        _ => format!("{last} {can} ({where_it_gets}): {proof}"),
    }
}

fn left_behind(net: &Net, witness: Option<&Witness>, shortest: &str) -> String {
    let firings = firings(witness);
    let Some(end) = end(net, witness) else {
        return format!("a case is done {firings}{shortest} and leaves tokens behind");
    };
    let last = left_by(net, &end);
    let on = tokens(net, &end, last);
    let done = match last {
        Some(last) if net.final_markings().len() > 1 => format!("done in {}", named(net, last)),
        _ => "done".to_owned(),
    };
    format!("a case is {done} {firings}{shortest} and leaves tokens behind on {on}")
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

/// Returns the reason why transitions are dead, for all transitions that are known to be dead.
fn dead_transitions(
    board: &Board<'_>,
    question: &GoalQuestion,
    settled: GoalId,
    proof: &Proof,
) -> String {
    let dead = dead(board, question, settled);
    let named = words::join_first(&dead, |&t| transition(board.net(), t));
    match dead.len() {
        1 => format!("transition {named} can never fire: {proof}"),
        _ => format!("transitions {named} can never fire: {proof}"),
    }
}

/// Returns the transitions that are known to be dead, beginning with the transition of `settled`.
fn dead(board: &Board<'_>, question: &GoalQuestion, settled: GoalId) -> Vec<TransitionId> {
    let first = |parts: &[Predicate]| match parts.first() {
        Some(Predicate::Enabled(t)) => Some(*t),
        _ => None,
    };
    // The first copy of a transition represents all copies.
    let transition = |id: GoalId| match board.goal(id) {
        Goal::Reach(Predicate::Or(copies)) => first(copies),
        Goal::Reach(one) => first(std::slice::from_ref(one)),
        _ => None,
    };
    let is_dead = |id: &GoalId| {
        *id != settled
            && matches!(board.knowledge(*id), Some(Knowledge::Reach(Reach::Unreachable { .. })))
    };
    let others = question.goals().iter().copied().filter(is_dead);
    [settled].into_iter().chain(others).filter_map(transition).collect()
}

/// Returns the nodes that [`reason`] names: places where a case is stuck or leaves tokens, or dead
/// transitions. `None` if the goal has no role of a soundness question.
pub(super) fn nodes(
    board: &Board<'_>,
    question: &GoalQuestion,
    aim: RoledGoal,
) -> Option<ReasonNodes> {
    let net = board.net();
    let marked = |witness: Option<&Witness>, is_done: bool| {
        let end = end(net, witness)?;
        let but = if is_done { left_by(net, &end) } else { None };
        let places = beyond(net, &end, but).into_iter().map(|(place, _)| place).collect();
        Some(ReasonNodes { places, ..ReasonNodes::default() })
    };
    match (aim.role, board.knowledge(aim.goal)?) {
        (GoalRole::Stuck, Knowledge::Reach(Reach::Reached { witness, .. })) => {
            marked(witness.as_ref(), false)
        }
        (GoalRole::Improper, Knowledge::Reach(Reach::Reached { witness, .. })) => {
            marked(witness.as_ref(), true)
        }
        (GoalRole::Completion, Knowledge::Home(Home::Lost { witness, .. })) => {
            marked(witness.as_ref(), false)
        }
        (GoalRole::Fires, Knowledge::Reach(Reach::Unreachable { .. })) => {
            let transitions = dead(board, question, aim.goal).into_iter().collect();
            Some(ReasonNodes { transitions, ..ReasonNodes::default() })
        }
        (GoalRole::OnRun(t), _) => {
            Some(ReasonNodes { transitions: [t].into(), ..ReasonNodes::default() })
        }
        _ => None,
    }
}
