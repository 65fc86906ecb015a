//! Figures of a state space and maxima found by a search: the auditor repeats the search.

use super::context::AuditContext;
use super::{AuditVerdict, AuditWatch};
use crate::Flaw;
use crate::certificate::markings::visit;
use crate::counting::family::{FamilyError, FamilyFigures, NamedFamily};
use crate::counting::{self, CountError, CountingFormula, StateSpaceFigures};
use crate::description::{self, all_markings_were, markings_were};
use crate::file::{AnswerLine, CountLine, ReductionLine};
use crate::kind::EvidenceKind;
use crate::question::{AnswerValue, Question};
use parikh_net::printable::{Quoted, counted};
use parikh_net::{LinearSum, Net};
use std::slice;

/// Judges an answer about the number of markings or firings, or about a largest sum that only a
/// search supports. Returns `None` for other answers and for infinite values. Also returns `None`
/// for a largest sum if the net has caps, that is, assumed bounds of places.
pub(super) fn judge(
    context: &AuditContext<'_>,
    question: &Question,
    answer: &AnswerLine,
) -> Option<AuditVerdict> {
    let AuditContext { net, max_markings, watch, .. } = context;
    if answer.value == AnswerValue::Infinite.to_string() {
        return None;
    }
    // A cap is an assumed bound that the model may exceed. So the largest sum of a net with caps
    // may differ from the model's.
    let by_search = answer.searched.is_some() && answer.shown_by.is_empty() && !net.has_caps();
    match question {
        Question::Count { firings } => Some(check_count(context, answer, *firings)),
        Question::Maximum(sum) if by_search => {
            Some(check_largest(net, slice::from_ref(sum), answer, (*max_markings, watch)))
        }
        Question::MaximumOf(sums) if by_search => {
            Some(check_largest(net, sums, answer, (*max_markings, watch)))
        }
        _ => None,
    }
}

/// Checks the number of markings or firings in the answer.
fn check_count(context: &AuditContext<'_>, answer: &AnswerLine, firings: bool) -> AuditVerdict {
    let (max_markings, watch) = (context.max_markings, &context.watch);
    if let [shown] = &answer.shown_by[..]
        && shown.kind == EvidenceKind::Family
    {
        return check_family(context, answer, &shown.id, firings);
    }
    let mut is_reduced = false;
    let formula_and_count = match (&answer.shown_by[..], &answer.searched) {
        ([shown], _) if shown.kind == EvidenceKind::Count => read_count(context, &shown.id)
            .map(|(formula, markings, reduced)| {
                is_reduced = reduced;
                (formula, markings)
            })
            .map_err(|why| format!("count {}: {why}", Quoted(&shown.id))),
        ([], Some(searched)) => match CountingFormula::of_net(context.net) {
            Ok(formula) => Ok((formula, searched.markings)),
            Err(why) => Err(why.to_string()),
        },
        _ => Err("not shown: the number".to_owned()),
    };
    let (mut formula, markings) = match formula_and_count {
        Ok(formula_and_count) => formula_and_count,
        Err(why) => return AuditVerdict::Refused(why),
    };
    if markings > max_markings {
        return too_many(markings);
    }
    match counting::count(&mut formula, max_markings, &mut || watch.goes_on()) {
        Ok((StateSpaceFigures { states, transitions }, visited)) => {
            let number = if firings { transitions } else { states };
            match number.to_string() == answer.value {
                true => AuditVerdict::Confirmed(counted_again(visited, is_reduced)),
                false => AuditVerdict::Refused(description::shortened(format!(
                    "counted again: the number is \
                        {number}"
                ))),
            }
        }
        Err(CountError::Visit(Flaw::More(max_markings))) => {
            AuditVerdict::Searched(format!("more than {max_markings} markings are reachable"))
        }
        Err(error) => AuditVerdict::Refused(format!("counted again: {error}")),
    }
}

/// Checks a number of markings or firings that follows from place invariants.
fn check_family(
    context: &AuditContext<'_>,
    answer: &AnswerLine,
    id: &str,
    firings: bool,
) -> AuditVerdict {
    let refused = |why: String| AuditVerdict::Refused(format!("family {}: {why}", Quoted(id)));
    let proof = match context.lines.read::<NamedFamily>(id) {
        Ok(named) => named.resolve(context.net),
        Err(why) => return refused(why),
    };
    let proof = match proof {
        Ok(proof) => proof,
        Err(flaw) => return refused(flaw.to_string()),
    };
    match proof.check(context.net, &mut || context.watch.goes_on()) {
        Ok(FamilyFigures { figures, .. }) => {
            let number = if firings { figures.transitions } else { figures.states };
            match number.to_string() == answer.value {
                true => {
                    AuditVerdict::Confirmed("calculated again from place invariants".to_owned())
                }
                false => AuditVerdict::Refused(description::shortened(format!(
                    "calculated again: the number is {number}"
                ))),
            }
        }
        Err(
            limit @ (FamilyError::TooManyCases
            | FamilyError::TooManyRays
            | FamilyError::TooManySums),
        ) => AuditVerdict::Unsupported(format!("the proof from place invariants: {limit}")),
        Err(error) => refused(error.to_string()),
    }
}

/// Describes the confirmation of a number of markings or firings. `is_reduced` is true if the
/// visited markings are those of a reduced net. If no marking was visited, the steps of the
/// reduction alone give the number.
fn counted_again(visited: u64, is_reduced: bool) -> String {
    match (visited, is_reduced) {
        (0, _) => "calculated again from the steps of the reduction".to_owned(),
        (_, true) => {
            let markings = counted(visited, "marking");
            let were = if visited == 1 { "was" } else { "were" };
            format!("{markings} of the reduced net {were} visited again")
        }
        (_, false) => format!("{} visited again", markings_were(visited)),
    }
}

/// Reads the count line with this id, and checks the reduction that it names, if any. Returns the
/// formula for the numbers of markings and firings. Also returns the number of markings that the
/// line says must be visited, and true if they are markings of a reduced net.
///
/// # Errors
/// When a line cannot be read, or the reduction is wrong or starts from another reduction. Also
/// when the net or the reduction gives no formula, or when the audit is stopped.
fn read_count(
    context: &AuditContext<'_>,
    id: &str,
) -> Result<(CountingFormula, u64, bool), String> {
    let CountLine { on: reduction, markings, .. } = context.lines.read(id)?;
    let is_reduced = reduction.is_some();
    let formula = match reduction {
        None => CountingFormula::of_net(context.net).map_err(CountError::from),
        Some(reduction) => {
            let ReductionLine { of, log } = context.lines.read(&reduction)?;
            if of.is_some() {
                return Err(format!(
                    "reduction {} does not start from the original net",
                    Quoted(&reduction)
                ));
            }
            CountingFormula::of_log(context.net, &log, &mut || context.watch.goes_on())
        }
    };
    Ok((formula.map_err(|error| error.to_string())?, markings, is_reduced))
}

/// Checks an answer that is the largest value of any of `sums` in the reachable markings, where
/// values below 0 count as 0. Visits the reachable markings again, at most `max_markings`.
fn check_largest(
    net: &Net,
    sums: &[LinearSum],
    answer: &AnswerLine,
    (max_markings, watch): (u64, &AuditWatch),
) -> AuditVerdict {
    let markings = answer.searched.as_ref().map_or(0, |searched| searched.markings);
    if markings > max_markings {
        return too_many(markings);
    }
    let mut largest = 0;
    let visited = visit(net, max_markings, |marking| {
        largest = sums.iter().map(|sum| sum.value(marking)).fold(largest, i128::max);
        watch.goes_on()
    });
    match visited {
        Ok(visited) if largest.to_string() == answer.value => {
            let visited = visited.count();
            AuditVerdict::Confirmed(format!("{} visited again", all_markings_were(visited)))
        }
        Ok(_) => AuditVerdict::Refused(format!("visited again: the maximum is {largest}")),
        Err(Flaw::More(max_markings)) => {
            AuditVerdict::Searched(format!("more than {max_markings} markings are reachable"))
        }
        Err(flaw) => AuditVerdict::Refused(format!("visited again: {flaw}")),
    }
}

/// Returns the verdict if a search of `markings` markings is too large to be repeated.
fn too_many(markings: u64) -> AuditVerdict {
    AuditVerdict::Searched(format!(
        "{} visited, too many to repeat (--visit)",
        markings_were(markings)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_without_a_visit_are_described_as_calculated() {
        assert_eq!(counted_again(0, true), "calculated again from the steps of the reduction");
        assert_eq!(counted_again(1, false), "1 marking was visited again");
        assert_eq!(counted_again(2, true), "2 markings of the reduced net were visited again");
    }
}
