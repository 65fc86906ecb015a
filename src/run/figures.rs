//! The four numbers of a state space (*figures*) as answers, with their reasons.

use super::counting::CountResult;
use crate::answer::reason::{InterpolatedValues, NetSize, StageSize};
use crate::answer::{AnswerWitness, Cause, GoalAnswer, Grade, QuestionValue, ReasonNodes};
use parikh_engine::board::Technique;
use parikh_engine::explicit::{self, StopRule};
use parikh_engine::{diagrams, family};
use parikh_evidence::counting::StateSpaceFigures;
use parikh_evidence::counting::family::{FamilyFigures, FamilyProof};
use parikh_net::{Facts, Net, PumpSequence};
use parikh_solvers::Budget;

/// The contest's names of the four figures of a state space: the number of markings, the number of
/// firings, the most tokens in a marking, and the most tokens in a place.
pub const FIGURES: [&str; 4] =
    ["STATES", "TRANSITIONS", "MAX_TOKEN_PER_MARKING", "MAX_TOKEN_IN_PLACE"];

/// Computes all four figures by visiting all markings.
///
/// # Errors
/// The reason why not all markings were visited, or that a figure is too large.
pub(super) fn visited(
    net: &Net,
    (threads, stop_rule): (usize, StopRule),
    budget: &Budget,
) -> Result<[GoalAnswer; 4], String> {
    let facts = Facts::claimed_by_model(net);
    let space = explicit::count_with(net, &facts, threads, stop_rule, budget);
    let space = space.map_err(|incomplete| incomplete.to_string())?;
    let most = [space.max_tokens_per_marking, space.max_tokens_in_place];
    let [Ok(c), Ok(d)] = most.map(|most| i128::try_from(most).map(QuestionValue::Number)) else {
        return Err("the figures do not fit 127 bits".to_owned());
    };
    let [a, b] = [space.states, space.firings].map(|count| QuestionValue::Count(count.into()));
    let markings = u64::try_from(space.states).unwrap_or(u64::MAX);
    let reason = Cause::Visited { markings };
    let grade = Grade::Searched { markings, stubborn: false };
    let figure = |(at, value)| figure(FIGURES[at], value, vec!["EXPLICIT"], &reason, grade);
    Ok([(0, a), (1, b), (2, c), (3, d)].map(figure))
}

/// Converts the four numbers that a decision diagram of all markings gives to answers.
pub(super) fn described(space: &diagrams::figures::StateSpace) -> [GoalAnswer; 4] {
    let reason = Cause::Diagram { markings: space.states.clone(), closed: space.is_checked };
    let markings = u64::try_from(&space.states).unwrap_or(u64::MAX);
    let grade = Grade::Searched { markings, stubborn: false };
    let values = [
        QuestionValue::Count(space.states.clone()),
        QuestionValue::Count(space.firings.clone()),
        QuestionValue::Number(space.max_tokens_per_marking),
        QuestionValue::Number(space.max_tokens_in_place.into()),
    ];
    let mut keys = FIGURES.into_iter();
    values.map(|value| {
        let key = keys.next().unwrap_or_default();
        figure(key, value, vec!["DECISION_DIAGRAMS"], &reason, grade)
    })
}

/// Returns the numbers of markings and firings as answers, from a count through a reduction.
pub(super) fn through_reduction(found: &CountResult) -> [GoalAnswer; 2] {
    let &CountResult { ref figures, visited, on_diagrams, diagrams_closed, certified, .. } = found;
    let mut techniques = vec![if on_diagrams { "DECISION_DIAGRAMS" } else { "EXPLICIT" }];
    if found.log.is_some() {
        techniques.push("STRUCTURAL_REDUCTION");
    }
    let size = |(places, transitions)| NetSize { places, transitions };
    let reduced = found.log.as_ref().map(|_| found.sizes.map(size));
    let reason = Cause::Counted {
        markings: visited,
        on_diagrams,
        repeated: certified,
        closed: diagrams_closed,
        reduced,
    };
    let grade = match certified {
        true => Grade::Certified,
        false => Grade::Searched { markings: visited, stubborn: false },
    };
    let numbers = [(FIGURES[0], &figures.states), (FIGURES[1], &figures.transitions)];
    numbers.map(|(key, number)| {
        figure(key, QuestionValue::Count(number.clone()), techniques.clone(), &reason, grade)
    })
}

/// Returns the numbers of markings and firings as answers, from place invariants.
pub(super) fn from_invariants(proof: &FamilyProof, found: &FamilyFigures) -> [GoalAnswer; 2] {
    let reason = Cause::PlaceInvariants {
        invariants: proof.equations.len(),
        interpolated: found.interpolated.map(|it| InterpolatedValues {
            first: it.first,
            period: it.period,
            values: it.values,
            degree: it.degree,
        }),
    };
    let StateSpaceFigures { states, transitions } = &found.figures;
    [(FIGURES[0], states), (FIGURES[1], transitions)].map(|(key, number)| {
        let value = QuestionValue::Count(number.clone());
        figure(key, value, vec![family::TECHNIQUE], &reason, Grade::Certified)
    })
}

/// Returns all four figures as infinite, because of a self-covering sequence. `by` is the technique
/// that found the sequence.
pub(super) fn pumped(pumping: &PumpSequence, by: Technique) -> [GoalAnswer; 4] {
    let reason = Cause::Unbounded { stages: StageSize::of(pumping) };
    FIGURES.map(|key| GoalAnswer {
        exhibit: Some(AnswerWitness::Pump(pumping.clone())),
        ..figure(key, QuestionValue::Infinite, vec![by], &reason, Grade::Replayed)
    })
}

fn figure(
    key: &str,
    value: QuestionValue,
    techniques: Vec<&'static str>,
    reason: &Cause,
    grade: Grade,
) -> GoalAnswer {
    GoalAnswer {
        id: key.to_owned(),
        value,
        techniques,
        reason: reason.clone().into(),
        reduced: false,
        abstracted: false,
        assumes_units: false,
        grade,
        rests_on: [].into(),
        exhibit: None,
        nodes: ReasonNodes::default(),
    }
}
