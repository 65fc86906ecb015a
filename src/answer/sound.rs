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
//! A marking is *improper* if it covers f (m ≥ f) and is not f: something is left behind. If none is
//! reachable, covering f and being f are the same, so that "f stays reachable" may be asked as "a marking
//! that covers f stays reachable": of a workflow net that is about one place, and what else the net has can be
//! reduced away. Hence the goals, in this order: a dead marking that does not cover f ([`STUCK`]), an improper
//! one ([`IMPROPER`]), one that covers f ([`DONE`]), each transition enabled, and last the home of markings
//! that cover f. Reaching the first or the second, or not reaching any of the others, or leaving the home for
//! ever, is unsoundness, and each comes with what it says of the process.
//!
//! # Relaxed soundness as goals
//! On the net with its [firings counted](parikh_net::counted), for each transition: f with a token on its
//! counter.
//!
//! # Sources
//! W. van der Aalst et al., *Soundness of workflow nets: classification, decidability, and analysis*, 2011;
//! J. Dehnert, P. Rittgen, *Relaxed soundness of business processes*, 2001.

use super::question::{Combination, Question, Standing, length};
use super::{Answer, Grade, Value};
use crate::board::{Argument, Board, Home, Knowledge, Proof, Reach, Witness};
use crate::evidence::{replay, words};
use crate::mcc::Examination;
use parikh_net::counted::uncounted_places;
use parikh_net::{Goal, GoalId, LinearSum, Marking, Net, PlaceId, Predicate, TransitionId};
use std::collections::{BTreeSet, VecDeque};

/// Where the goals of soundness begin that are not about transitions.
pub(super) const STUCK: usize = 0;
const IMPROPER: usize = 1;
const DONE: usize = 2;
/// Where those of transitions begin.
const FIRST_TRANSITION: usize = 3;

/// m ≥ f.
fn covers(f: &Marking) -> Predicate {
    Predicate::and(f.marked().map(|(place, tokens)| Predicate::at_least(place, tokens)))
}

/// The tokens on these places together, and how many f has there; `None` when that is beyond 63 bits.
fn total(places: impl Iterator<Item = PlaceId>, f: &Marking) -> Option<(LinearSum, i64)> {
    let sum = LinearSum::new(places.map(|place| (place, 1))).ok()?;
    let tokens = i64::try_from(sum.value(f)).ok()?;
    Some((sum, tokens))
}

/// The goals of a question about the one final marking of `net`, and how they combine; `None` where it has
/// none or several, or what is to be said is too large.
pub(super) fn plan(examination: Examination, net: &Net) -> Option<(Combination, Vec<Goal>)> {
    let [f] = net.final_markings() else { return None };
    Some(match examination {
        Examination::RelaxedSoundness => (Combination::OnRuns, relaxed(net, f)?),
        Examination::EasySoundness => {
            (Combination::Easy, vec![Goal::Reach(exactly(net.places(), f)?)])
        }
        _ => (Combination::Sound, goals(net, f, examination == Examination::Soundness)?),
    })
}

/// The goals of soundness, for each transition if `live`; `None` where a number is beyond 63 bits.
fn goals(net: &Net, f: &Marking, live: bool) -> Option<Vec<Goal>> {
    let (sum, tokens) = total(net.places(), f)?;
    let done = covers(f);
    let more = Predicate::at_most(sum, tokens).negated();
    let stuck = Predicate::and([Predicate::Dead, done.clone().negated()]);
    let improper = Predicate::and([done.clone(), more]);
    let mut goals = vec![Goal::Reach(stuck), Goal::Reach(improper), Goal::Reach(done.clone())];
    if live {
        goals.extend(net.transitions().map(|t| Goal::Reach(Predicate::Enabled(t))));
    }
    goals.push(Goal::Home(done));
    Some(goals)
}

/// f, and no other marking of these places.
fn exactly(places: impl Iterator<Item = PlaceId>, f: &Marking) -> Option<Predicate> {
    let (sum, tokens) = total(places, f)?;
    Some(Predicate::and([covers(f), Predicate::at_most(sum, tokens)]))
}

/// The most that the goals of relaxed soundness may say together, in places: each of them speaks of all.
const MENTIONED: usize = 10_000_000;

/// The goals of relaxed soundness, of a net whose firings are counted; `None` also where they are too large.
fn relaxed(counted: &Net, f: &Marking) -> Option<Vec<Goal>> {
    if counted.place_count().saturating_mul(counted.transition_count()) > MENTIONED {
        return None;
    }
    let done = exactly(uncounted_places(counted), f)?;
    let counters = counted.places().skip(uncounted_places(counted).count());
    let with = |counter| Predicate::and([done.clone(), Predicate::at_least(counter, 1)]);
    Some(counters.map(with).map(Goal::Reach).collect())
}

impl Question {
    /// See the module.
    pub(super) fn sound(
        &self,
        board: &Board<'_>,
        settled: GoalId,
        unsettled: usize,
        knowledge: Knowledge,
    ) -> Standing {
        let net = board.net();
        let no = |reason: String, by, stands, witness| {
            self.answered(Value::Bool(false), vec![by], reason, stands, settled, witness)
        };
        let replayed = (false, Grade::Replayed);
        match (settled.index() - self.goals.start, knowledge) {
            (STUCK, Knowledge::Reach(Reach::Reached { witness, by })) => {
                no(stuck(net, witness.as_ref()), by, replayed, witness)
            }
            (IMPROPER, Knowledge::Reach(Reach::Reached { witness, by })) => {
                no(left_behind(net, witness.as_ref()), by, replayed, witness)
            }
            (DONE, Knowledge::Reach(Reach::Unreachable { proof, by, evidence })) => {
                let reason = never_done(net, &proof);
                no(reason, by, (proof.assumes_units(), Grade::of(&evidence)), None)
            }
            (at, Knowledge::Reach(Reach::Unreachable { proof, by, evidence }))
                if at >= FIRST_TRANSITION =>
            {
                let reason = dead_transitions(board, self, settled, &proof);
                no(reason, by, (proof.assumes_units(), Grade::of(&evidence)), None)
            }
            (_, Knowledge::Home(Home::Lost { witness, proof, evidence, by })) => {
                match proof.argument {
                    Argument::DeadEnd => no(stuck(net, witness.as_ref()), by, replayed, witness),
                    _ => {
                        let stands = (proof.assumes_units(), Grade::of(&evidence));
                        no(lost(net, witness.as_ref(), &proof), by, stands, witness)
                    }
                }
            }
            // That no case gets stuck follows from the rest, and may stay open. What the board knows and has
            // not told yet is waited for: whoever writes evidence has not heard of it.
            _ if unsettled == 0 || unsettled == 1 && board.is_open(self.goal(STUCK)) => {
                self.all_sound(board)
            }
            _ => Standing::Open,
        }
    }

    fn goal(&self, at: usize) -> GoalId {
        GoalId::new(self.goals.start + at)
    }

    /// The answer when nothing is wrong and nothing is left to ask.
    fn all_sound(&self, board: &Board<'_>) -> Standing {
        let (mut techniques, mut grade, mut assumed) = (BTreeSet::new(), Grade::Replayed, false);
        let mut why = None;
        for id in self.goal_ids() {
            let at = id.index() - self.goals.start;
            match board.knowledge(id) {
                None => return Standing::Silenced,
                _ if at == STUCK => {}
                Some(Knowledge::Reach(Reach::Reached { by, .. })) if at >= DONE => {
                    techniques.insert(by);
                }
                Some(Knowledge::Reach(Reach::Unreachable { proof, evidence, by }))
                    if at == IMPROPER =>
                {
                    techniques.insert(by);
                    grade = grade.max(Grade::of(&evidence));
                    assumed |= proof.assumes_units();
                }
                Some(Knowledge::Home(Home::Kept { proof, evidence, by })) => {
                    techniques.insert(by);
                    grade = grade.max(Grade::of(&evidence));
                    assumed |= proof.assumes_units();
                    why = Some(proof.to_string());
                }
                Some(_) => return Standing::Open,
            }
        }
        let transitions = match self.goals.len() - FIRST_TRANSITION - 1 {
            0 => String::new(),
            1 => ", and the one transition can fire".to_owned(),
            n => format!(", and each of the {n} transitions can fire"),
        };
        let reason = format!(
            "every case can always be completed, nothing is left behind{transitions}: {}",
            why.unwrap_or_default()
        );
        Standing::Answered(Box::new(Answer {
            id: self.id.clone(),
            value: Value::Bool(true),
            techniques: techniques.into_iter().collect(),
            reason,
            assumes_units: assumed,
            grade,
            rests_on: self.goals.clone(),
            witness: None,
            loops: None,
            pump: None,
        }))
    }

    /// Relaxed and easy soundness: what a settled goal says of runs to the final marking.
    pub(super) fn on_runs(
        &self,
        board: &Board<'_>,
        settled: GoalId,
        unsettled: usize,
        knowledge: Knowledge,
    ) -> Standing {
        let net = board.net();
        let relaxed = self.combination == Combination::OnRuns;
        match knowledge {
            Knowledge::Reach(Reach::Reached { witness, by }) if !relaxed => {
                let firings = length(witness.as_ref());
                let reason = format!("a run of {firings} to the final marking was replayed");
                let stands = (false, Grade::Replayed);
                self.answered(Value::Bool(true), vec![by], reason, stands, settled, witness)
            }
            Knowledge::Reach(Reach::Reached { .. }) if unsettled == 0 => {
                self.by_all(board, true, "each transition fires on a run to the final marking")
            }
            Knowledge::Reach(Reach::Unreachable { proof, by, evidence }) => {
                let reason = if relaxed {
                    let t = TransitionId::new(settled.index() - self.goals.start);
                    let t = words::transition(net, t);
                    format!("transition {t} is on no run to the final marking: {proof}")
                } else {
                    never_done(net, &proof)
                };
                let stands = (proof.assumes_units(), Grade::of(&evidence));
                self.answered(Value::Bool(false), vec![by], reason, stands, settled, None)
            }
            _ => Standing::Open,
        }
    }
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

/// The tokens of a marking beyond those of `but`, by place.
fn tokens(net: &Net, marking: &Marking, but: Option<&Marking>) -> String {
    let beyond = |(place, tokens): (PlaceId, u64)| {
        let more = tokens.saturating_sub(but.map_or(0, |but| but[place]));
        (more > 0).then_some((place, more))
    };
    let held: Vec<(PlaceId, u64)> = marking.marked().filter_map(beyond).collect();
    let on = |&(place, tokens): &(PlaceId, u64)| match tokens {
        1 => words::place(net, place),
        n => format!("{} ({n} tokens)", words::place(net, place)),
    };
    match held.is_empty() {
        true => "no place".to_owned(),
        false => words::some(&held, on),
    }
}

fn stuck(net: &Net, witness: Option<&Witness>) -> String {
    let firings = firings(witness);
    let on = end(net, witness).map(|end| tokens(net, &end, None));
    let on = on.map_or(String::new(), |on| format!(", with tokens on {on}"));
    format!("a case gets stuck {firings}{on}: nothing is enabled, and it is not done")
}

/// The longest run that is looked at for where a case gets that is never done, and the most looks at a
/// transition on it.
const RUN: (usize, usize) = (10_000, 1 << 20);

/// Why no case is ever done, and where one gets: the end of a run that always fires the transition that has not
/// fired for longest, so that it does not go in one circle while there is another way.
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
        (true, 1) => format!("after 1 firing, say, a case is stuck with tokens on {on}"),
        (true, n) => format!("after {n} firings, say, a case is stuck with tokens on {on}"),
        (false, n) => format!("after {n} firings, say, a case goes on with tokens on {on}"),
    };
    format!("the final marking can never be reached ({where_it_gets}): {proof}")
}

fn left_behind(net: &Net, witness: Option<&Witness>) -> String {
    let firings = firings(witness);
    let on = end(net, witness).map(|end| tokens(net, &end, net.final_markings().first()));
    let on = on.map_or(String::new(), |on| format!(" on {on}"));
    format!("a case is done {firings} and leaves tokens behind{on}")
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

/// The transitions that are known to be dead by now, `settled` first.
fn dead_transitions(
    board: &Board<'_>,
    question: &Question,
    settled: GoalId,
    proof: &Proof,
) -> String {
    let first = question.goals.start + FIRST_TRANSITION;
    let transition = |id: GoalId| TransitionId::new(id.index() - first);
    let is_dead = |id: &GoalId| {
        *id != settled
            && matches!(board.knowledge(*id), Some(Knowledge::Reach(Reach::Unreachable { .. })))
    };
    let others = (first..question.goals.end - 1).map(GoalId::new).filter(is_dead);
    let dead: Vec<TransitionId> = [settled].into_iter().chain(others).map(transition).collect();
    let named = words::some(&dead, |&t| words::transition(board.net(), t));
    match dead.len() {
        1 => format!("transition {named} can never fire: {proof}"),
        _ => format!("transitions {named} can never fire: {proof}"),
    }
}
