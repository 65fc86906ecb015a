//! Soundness of processes: questions about nets with a set F of final markings. A case may end in
//! any marking of F.
//!
//! | question | TRUE means |
//! |---|---|
//! | soundness | from every reachable marking, F stays reachable; every reachable marking that covers some f in F is in F; no transition is dead |
//! | weak soundness | the same, except that transitions may be dead |
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

use super::basis::shortest;
use super::goal_question::{
    GoalFormula, GoalQuestion, GoalRole, JointMeaning, RoledGoal, atom, not,
};
use super::nodes::ReasonNodes;
use super::reason::{ExampleEnd, NamedNode, PlaceTokens, ProcessCause, ReachedEnd, WitnessSize};
use crate::mcc::Examination;
use parikh_engine::board::{
    Argument, Board, HomeKnowledge, Knowledge, Proof, ProofSummary, ReachKnowledge, Witness,
};
use parikh_evidence::replay;
use parikh_formula::Proposition;
use parikh_net::counted::{counters, uncounted_places};
use parikh_net::{
    Goal, GoalId, LinearSum, Marking, Net, PlaceId, Predicate, TransitionId, marking_text,
};
use std::collections::VecDeque;

/// The final markings of a net, for predicates on the places of the model.
struct FinalMarkings<'n> {
    /// The final markings, in ascending order. The auditor builds the predicates in the same order.
    finals: Vec<&'n Marking>,
    /// The sum of the tokens over all places of the model. Counters of firings are not among them.
    token_sum: LinearSum,
}

impl<'n> FinalMarkings<'n> {
    /// Returns the final markings; `places` are the places of the model. Returns `None` if the net
    /// has no final markings, or if the number of tokens of a final marking does not fit 63 bits.
    fn of(net: &'n Net, places: impl Iterator<Item = PlaceId>) -> Option<FinalMarkings<'n>> {
        let all = LinearSum::new(places.map(|place| (place, 1))).ok()?;
        let fits = |last: &Marking| i64::try_from(all.value(last)).is_ok();
        let mut finals: Vec<&Marking> = net.final_markings().iter().collect();
        finals.sort_unstable_by_key(|last| last.tokens());
        (!finals.is_empty() && finals.iter().all(|last| fits(last)))
            .then_some(FinalMarkings { finals, token_sum: all })
    }

    /// Returns the predicate that a marking covers the final marking f = `last`: m ≥ f.
    fn covers(last: &Marking) -> Predicate {
        Predicate::and(last.marked().map(|(place, tokens)| Predicate::at_least(place, tokens)))
    }

    /// Returns the predicate that a marking has at most as many tokens in total as the final
    /// marking f = `last`.
    fn no_more(&self, last: &Marking) -> Predicate {
        let tokens = i64::try_from(self.token_sum.value(last)).unwrap_or(i64::MAX);
        Predicate::at_most(self.token_sum.clone(), tokens)
    }

    /// Returns the predicate that some final marking is covered.
    fn covers_some(&self) -> Predicate {
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
            // A marking that covers `last` and has more tokens may still be another final marking.
            // This final marking then covers `last`, too, so only such final markings are excluded.
            let others = self.finals.iter().filter(|other| is_larger(other, last));
            let others = others
                .map(|it| Predicate::and([FinalMarkings::covers(it), self.no_more(it)]).negated());
            Predicate::and([FinalMarkings::covers(last), more].into_iter().chain(others))
        };
        Predicate::or(self.finals.iter().map(beyond))
    }
}

/// Returns the formula of a soundness examination. Returns `None` if `net` has no final markings,
/// if a number does not fit 63 bits, or if the formula is too large.
pub(super) fn soundness_formula(
    examination: Examination,
    net: &Net,
) -> Option<(JointMeaning, GoalFormula)> {
    Some(match examination {
        Examination::RelaxedSoundness => (JointMeaning::OnRuns, relaxed(net)?),
        Examination::EasySoundness => {
            let done = Goal::Reach(FinalMarkings::of(net, net.model_places())?.exactly());
            (JointMeaning::Formula, atom(done, GoalRole::FinalMarking))
        }
        _ => (JointMeaning::Sound, sound(net, examination == Examination::Soundness)?),
    })
}

/// Returns the formula of weak soundness, or of soundness if `live`: each transition of the model
/// must then be enabled in some reachable marking. Returns `None` as [`FinalMarkings::of`] does.
fn sound(net: &Net, live: bool) -> Option<GoalFormula> {
    let ends = FinalMarkings::of(net, net.model_places())?;
    let done = ends.covers_some();
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

/// Limit on the size of the goals of relaxed soundness: places times transitions times final
/// markings. Each transition has a goal that mentions all places once per final marking.
const MAX_MENTIONED_PLACES: usize = 10_000_000;

/// Returns the formula of relaxed soundness, for a net whose firings are counted. Returns `None`
/// if the formula is too large, or as [`FinalMarkings::of`] does.
fn relaxed(counted: &Net) -> Option<GoalFormula> {
    let finals = counted.final_markings().len();
    let mentioned = counted.place_count().saturating_mul(counted.transition_count());
    if mentioned.saturating_mul(finals) > MAX_MENTIONED_PLACES {
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

/// Returns the final marking that equals `end` on `places`, as text. Returns `None` if the net has
/// only one final marking, if `end` is unknown, or if no final marking equals it.
fn final_marking_text(net: &Net, end: Option<&Marking>, places: &[PlaceId]) -> Option<String> {
    let finals = net.final_markings();
    let is = |last: &&Marking| end.is_some_and(|end| places.iter().all(|&p| end[p] == last[p]));
    let last = finals.iter().find(is).filter(|_| finals.len() > 1)?;
    Some(marking_text::print(net, last))
}

/// The largest number of final markings named in a reason.
const MAX_NAMED_FINALS: usize = 3;

/// Returns the cause of an answer that a process is sound. The proof `proof` shows that every case
/// can be completed. Each of the `transitions` transitions can fire. If there are several final
/// markings, the cause has the names of the first three, and the final marking that `witness`
/// reaches.
pub(super) fn sound_cause(
    board: &Board<'_>,
    transitions: usize,
    witness: Option<&Witness>,
    proof: Option<ProofSummary>,
) -> ProcessCause {
    let net = board.net();
    let finals = if net.final_markings().len() > 1 { net.final_markings() } else { &[] };
    let places: Vec<PlaceId> = net.model_places().collect();
    let named = finals.iter().take(MAX_NAMED_FINALS).map(|last| marking_text::print(net, last));
    let reached = final_marking_text(net, last_marking(net, witness).as_ref(), &places);
    let size = witness.map(WitnessSize::of);
    let example = reached.zip(size).map(|(final_marking, size)| ReachedEnd { final_marking, size });
    ProcessCause::Sound {
        final_markings: named.collect(),
        more: finals.len().saturating_sub(MAX_NAMED_FINALS),
        example,
        transitions,
        proof,
    }
}

/// Returns the explanation when a single goal of a soundness question decides it, with the nodes
/// that the explanation names. Returns `None` if the goal's role or value has no explanation of its
/// own.
pub(super) fn explain(
    board: &Board<'_>,
    question: &GoalQuestion,
    aim: RoledGoal,
    knowledge: &Knowledge,
) -> Option<(ProcessCause, Option<ReasonNodes>)> {
    let net = board.net();
    let final_markings = net.final_markings().len();
    let shortest = || shortest(board, aim.goal);
    Some(match (aim.role, knowledge) {
        (GoalRole::Stuck, Knowledge::Reach(ReachKnowledge::Reached { witness, .. })) => {
            stuck(net, witness.as_ref(), shortest())
        }
        (GoalRole::Improper, Knowledge::Reach(ReachKnowledge::Reached { witness, .. })) => {
            left_behind(net, witness.as_ref(), shortest())
        }
        (
            GoalRole::Completion | GoalRole::FinalMarking,
            Knowledge::Reach(ReachKnowledge::Unreachable { proof, .. }),
        ) => {
            let (example, proof) = (example_run_end(net), proof.summary());
            (ProcessCause::NeverCompleted { final_markings, example, proof }, None)
        }
        (GoalRole::Fires, Knowledge::Reach(ReachKnowledge::Unreachable { proof, .. })) => {
            let dead = dead_transitions(board, question, aim.goal);
            let transitions = dead.iter().map(|&t| NamedNode::labelled_transition(net, t));
            let (transitions, proof) = (transitions.collect(), proof.summary());
            let cause = ProcessCause::DeadTransitions { transitions, proof };
            (cause, Some(of_transitions(dead)))
        }
        (
            GoalRole::Completion,
            Knowledge::Home(HomeKnowledge::BecomesUnreachable { witness, proof, .. }),
        ) => match proof.argument {
            Argument::DeadMarking => stuck(net, witness.as_ref(), None),
            _ => completion_lost(net, witness.as_ref(), proof),
        },
        (GoalRole::FinalMarking, Knowledge::Reach(ReachKnowledge::Reached { witness, .. })) => {
            let places: Vec<PlaceId> = net.model_places().collect();
            let final_marking =
                final_marking_text(net, last_marking(net, witness.as_ref()).as_ref(), &places);
            let (size, shortest) = (witness.as_ref().map(WitnessSize::of), shortest());
            (ProcessCause::Completes { size, shortest, final_marking }, None)
        }
        (GoalRole::OnRun(t), Knowledge::Reach(ReachKnowledge::Reached { witness, .. })) => {
            let places: Vec<PlaceId> = uncounted_places(net).collect();
            let final_marking =
                final_marking_text(net, last_marking(net, witness.as_ref()).as_ref(), &places);
            let transition = NamedNode::labelled_transition(net, t);
            let (size, shortest) = (witness.as_ref().map(WitnessSize::of), shortest());
            let cause = ProcessCause::OnRun { transition, size, shortest, final_marking };
            (cause, Some(of_transitions([t])))
        }
        (GoalRole::OnRun(t), Knowledge::Reach(ReachKnowledge::Unreachable { proof, .. })) => {
            let (transition, proof) = (NamedNode::labelled_transition(net, t), proof.summary());
            let cause = ProcessCause::OnNoRun { transition, final_markings, proof };
            (cause, Some(of_transitions([t])))
        }
        _ => return None,
    })
}

/// Replays a witness and returns its last marking. Returns `None` without a witness, if the witness
/// is not available as a list of firings, or if it does not replay.
fn last_marking(net: &Net, witness: Option<&Witness>) -> Option<Marking> {
    replay(net, &witness?.to_sequence()?).ok()
}

fn of_transitions(all: impl IntoIterator<Item = TransitionId>) -> ReasonNodes {
    ReasonNodes { transitions: all.into_iter().collect(), ..ReasonNodes::default() }
}

fn of_places(held: &[(PlaceId, u64)]) -> ReasonNodes {
    let places = held.iter().map(|&(place, _)| place).collect();
    ReasonNodes { places, ..ReasonNodes::default() }
}

/// Returns the final marking that `end` covers, or `None` if there is no such final marking. Among
/// several, returns one with the most tokens, so that the fewest tokens are left behind.
fn covered_final_marking<'n>(net: &'n Net, end: &Marking) -> Option<&'n Marking> {
    let covered = |last: &&Marking| net.model_places().all(|p| end[p] >= last[p]);
    net.final_markings().iter().filter(covered).max_by_key(|last| last.total())
}

/// Returns each place of the model that has more tokens in `marking` than in `but`, with the
/// difference. Without `but`, returns all marked places of the model with their tokens.
fn surplus_tokens(net: &Net, marking: &Marking, but: Option<&Marking>) -> Vec<(PlaceId, u64)> {
    let own = net.model_places().len();
    let beyond = |(place, tokens): (PlaceId, u64)| {
        let more = tokens.saturating_sub(but.map_or(0, |but| but[place]));
        (more > 0 && place.index() < own).then_some((place, more))
    };
    marking.marked().filter_map(beyond).collect()
}

/// Returns the places by id and label, each with its number of tokens.
fn named(net: &Net, held: &[(PlaceId, u64)]) -> Vec<PlaceTokens> {
    let one = |&(place, tokens): &(PlaceId, u64)| PlaceTokens {
        place: NamedNode::labelled_place(net, place),
        tokens,
    };
    held.iter().map(one).collect()
}

fn stuck(
    net: &Net,
    witness: Option<&Witness>,
    shortest: Option<bool>,
) -> (ProcessCause, Option<ReasonNodes>) {
    let held = last_marking(net, witness).map(|end| surplus_tokens(net, &end, None));
    let tokens = held.as_ref().map(|held| named(net, held));
    let size = witness.map(WitnessSize::of);
    (ProcessCause::CaseStuck { size, shortest, tokens }, held.map(|held| of_places(&held)))
}

/// Limits on the example run of a net that reaches no final marking: first the number of firings,
/// second the number of tests whether a transition is enabled.
const EXAMPLE_LIMITS: (usize, usize) = (10_000, 1 << 20);

/// Returns the end of an example run. The run always fires the enabled transition that has not
/// fired for longest, so it avoids repeating one cycle. It ends in a dead marking, at a limit of
/// [`EXAMPLE_LIMITS`], or if a firing fails. On a net with caps, it also ends where every firing
/// would exceed a cap: beyond the caps, a run of the net need not be one of the model.
fn example_run_end(net: &Net) -> ExampleEnd {
    let mut marking = net.initial().clone();
    let mut order: VecDeque<TransitionId> = net.transitions().collect();
    let (mut firings, mut enabled_tests, mut is_dead) = (0, 0, false);
    while firings < EXAMPLE_LIMITS.0 && enabled_tests < EXAMPLE_LIMITS.1 {
        let may_fire = |&t: &TransitionId| !net.exceeds_cap(t) && net.is_enabled(&marking, t);
        let Some(at) = order.iter().position(may_fire) else {
            is_dead = net.is_dead(&marking);
            break;
        };
        enabled_tests += at + 1;
        let fired = order.remove(at).filter(|&t| net.fire(&mut marking, t).is_ok());
        let Some(t) = fired else { break };
        order.push_back(t);
        firings += 1;
    }
    ExampleEnd { firings, is_dead, tokens: named(net, &surplus_tokens(net, &marking, None)) }
}

fn left_behind(
    net: &Net,
    witness: Option<&Witness>,
    shortest: Option<bool>,
) -> (ProcessCause, Option<ReasonNodes>) {
    let end = last_marking(net, witness);
    let last = end.as_ref().and_then(|end| covered_final_marking(net, end));
    let held = end.as_ref().map(|end| surplus_tokens(net, end, last));
    let last = last.filter(|_| net.final_markings().len() > 1);
    let cause = ProcessCause::TokensLeftBehind {
        size: witness.map(WitnessSize::of),
        shortest,
        tokens: held.as_ref().map(|held| named(net, held)),
        final_marking: last.map(|last| marking_text::print(net, last)),
    };
    (cause, held.map(|held| of_places(&held)))
}

fn completion_lost(
    net: &Net,
    witness: Option<&Witness>,
    proof: &Proof,
) -> (ProcessCause, Option<ReasonNodes>) {
    let held = last_marking(net, witness).map(|end| surplus_tokens(net, &end, None));
    let tokens = held.as_ref().map(|held| named(net, held));
    let (size, proof) = (witness.map(WitnessSize::of), proof.summary());
    (ProcessCause::CompletionLost { size, tokens, proof }, held.map(|held| of_places(&held)))
}

/// Returns the transitions of the question that are known to be dead, beginning with the transition
/// of the goal `settled`.
fn dead_transitions(
    board: &Board<'_>,
    question: &GoalQuestion,
    settled: GoalId,
) -> Vec<TransitionId> {
    let first = |parts: &[Predicate]| match parts.first() {
        Some(Predicate::Enabled(t)) => Some(*t),
        _ => None,
    };
    // The translation of inhibitor and reset arcs may copy a transition. The goal that one of
    // the copies is enabled is a disjunction; its first copy represents the model's transition.
    let transition = |id: GoalId| match board.goal(id) {
        Goal::Reach(Predicate::Or(copies)) => first(copies),
        Goal::Reach(one) => first(std::slice::from_ref(one)),
        _ => None,
    };
    let is_dead = |id: &GoalId| {
        *id != settled
            && matches!(
                board.knowledge(*id),
                Some(Knowledge::Reach(ReachKnowledge::Unreachable { .. }))
            )
    };
    let others = question.goals().iter().copied().filter(is_dead);
    [settled].into_iter().chain(others).filter_map(transition).collect()
}
