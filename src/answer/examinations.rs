//! Examinations without a query file, as formulas over goals.
//!
//! On the translation of a net with inhibitor or reset arcs, examinations are about the places and
//! transitions of the model. On the unfolding of a coloured net, the tokens of a coloured place are
//! the sum over its colours. A coloured transition is enabled if one of its bindings is enabled.

use super::goal_question::{GoalFormula, GoalRole, JointMeaning, atom, not, reach};
use super::sound;
use crate::mcc::Examination;
use parikh_formula::Proposition;
use parikh_net::coloured::Folding;
use parikh_net::{Goal, LinearSum, Net, Predicate, TransitionId};

/// Returns the formula: each condition of `wanted` stays reachable from every reachable marking.
/// `dead_end` is a dead marking in which no wanted condition holds. Two consequences are added as
/// separate goals: `dead_end` is unreachable, and each condition is reachable.
pub(super) fn all_stay_reachable(dead_end: Predicate, wanted: Vec<Predicate>) -> GoalFormula {
    let no_dead_end = not(atom(Goal::Reach(dead_end), GoalRole::DeadEnd));
    let possible = wanted.iter().cloned().map(|it| atom(Goal::Reach(it), GoalRole::Possible));
    let consequences = [no_dead_end].into_iter().chain(possible).collect();
    let home = |it| atom(Goal::Home(it), GoalRole::QuestionPart);
    Proposition::WithConsequences(Box::new(conjunction(wanted.into_iter().map(home))), consequences)
}

/// Returns the formula: the predicate stays reachable from every reachable marking.
pub(super) fn home(predicate: Predicate) -> GoalFormula {
    let dead_end = Predicate::and([Predicate::Dead, predicate.clone().negated()]);
    all_stay_reachable(dead_end, vec![predicate])
}

fn conjunction(parts: impl Iterator<Item = GoalFormula>) -> GoalFormula {
    Proposition::And(parts.collect())
}

/// Returns the formula of an examination. Returns `None` for examinations that need a query file or
/// that goals cannot express, and if a number overflows. For soundness examinations, it also
/// returns `None` if the net has no final markings or the formula is too large.
///
/// Soundness examinations are about the final markings of the net. Relaxed soundness requires the
/// net with its firings [counted](parikh_net::counted).
pub(super) fn examination_formula(
    examination: Examination,
    net: &Net,
) -> Option<(JointMeaning, GoalFormula)> {
    Some(match (examination, net.folding()) {
        (Examination::ReachabilityDeadlock, _) => (JointMeaning::Formula, reach(Predicate::Dead)),
        (Examination::QuasiLiveness, _) => {
            (JointMeaning::Reachable, conjunction(enabled(net).into_iter().map(reach)))
        }
        (Examination::Liveness, _) => {
            (JointMeaning::Staying, all_stay_reachable(Predicate::Dead, enabled(net)))
        }
        (Examination::OneSafe, None) => {
            let two = |place| not(reach(Predicate::at_least(place, 2)));
            (JointMeaning::Unreachable, conjunction(net.model_places().map(two)))
        }
        (Examination::OneSafe, Some(folding)) => {
            let two = |place| {
                // Σ ≥ 2 is written as −Σ ≤ −2.
                let two = Predicate::at_most(tokens(folding, place)?.negated(), -2);
                Some(not(reach(two)))
            };
            let parts: Option<Vec<GoalFormula>> = (0..folding.place_count()).map(two).collect();
            (JointMeaning::Unreachable, Proposition::And(parts?))
        }
        (Examination::StableMarking, _) => {
            let stable = changed(net).into_iter().map(|it| Some(not(reach(it?))));
            let parts: Option<Vec<GoalFormula>> = stable.collect();
            (JointMeaning::Changing, Proposition::Or(parts?))
        }
        _ if examination.is_about_cases() => sound::soundness_formula(examination, net)?,
        _ => return None,
    })
}

/// Returns, for each transition of the model, the predicate that the transition is enabled: one of
/// its copies in a translation, or one of its bindings in an unfolding.
pub(super) fn enabled(net: &Net) -> Vec<Predicate> {
    let some = |t: Vec<TransitionId>| Predicate::or(t.into_iter().map(Predicate::Enabled));
    match net.folding() {
        None => net.model_transitions().map(some).collect(),
        Some(folding) => (0..folding.transition_count())
            .map(|t| some(folding.transitions(t).collect()))
            .collect(),
    }
}

/// Returns, for each place of the model, the number of its tokens: in an unfolding, the sum over
/// its colours. An entry is `None` if a number overflows.
pub(super) fn token_counts(net: &Net) -> Vec<Option<LinearSum>> {
    match net.folding() {
        None => net.model_places().map(|place| Some(LinearSum::place(place))).collect(),
        Some(folding) => (0..folding.place_count()).map(|place| tokens(folding, place)).collect(),
    }
}

/// Returns, for each place of the model, the predicate that its number of tokens differs from the
/// initial number. An entry is `None` if a number overflows.
pub(super) fn changed(net: &Net) -> Vec<Option<Predicate>> {
    let Some(folding) = net.folding() else {
        let changed = |place| {
            let initially = net.initial()[place];
            let more = Predicate::at_least(place, initially + 1);
            let fewer = match initially {
                0 => Predicate::False,
                tokens => Predicate::no_more_than(place, tokens - 1),
            };
            Some(Predicate::or([more, fewer]))
        };
        return net.model_places().map(changed).collect();
    };
    (0..folding.place_count()).map(|place| sum_changed(net, tokens(folding, place)?)).collect()
}

/// Returns the sum of the tokens over the colours of a place.
fn tokens(folding: &Folding, place: usize) -> Option<LinearSum> {
    // The sum has one term of factor 1 per colour, so the factors fit.
    LinearSum::new(folding.places(place).map(|colour| (colour, 1))).ok()
}

/// Returns the predicate: the sum over the colours of a place differs from its initial value.
/// Returns `None` if a number overflows.
fn sum_changed(net: &Net, sum: LinearSum) -> Option<Predicate> {
    let initially = i64::try_from(sum.value(net.initial())).ok()?;
    let fewer = match initially {
        0 => Predicate::False,
        tokens => Predicate::at_most(sum.clone(), tokens - 1),
    };
    // Σ ≥ n + 1 is written as −Σ ≤ −(n + 1).
    let more = Predicate::at_most(sum.clone().negated(), -initially.checked_add(1)?);
    // A place without colours never holds a token.
    Some(match sum.is_zero() {
        true => Predicate::False,
        false => Predicate::or([more, fewer]),
    })
}
