//! `check --explain ID`: explains on stderr how one answer was found. The explanation lists the
//! engines that worked while the question was open, the duration and result of each, and the
//! answer.

use parikh::answer::GoalAnswer;
use parikh::run::{EngineTurn, OpenCause, RunReport};
use parikh_net::printable::{Word, counted};
use std::time::Duration;

/// Returns the explanation, line by line, of how the engines worked on a question. `answered` has
/// the answer, and the time from the start of the run to the answer. It is `None` if the question
/// is open.
pub(super) fn explanation_lines(
    id: &str,
    answered: Option<&(Duration, GoalAnswer)>,
    report: &RunReport,
) -> Vec<String> {
    let mut lines = vec![format!("parikh: explanation of {}", Word(id))];
    let answer_time = answered.map(|(when, _)| *when);
    let turns = report
        .turns
        .iter()
        .filter(|turn| answer_time.is_none_or(|answer_time| turn.start <= answer_time));
    let mut turns: Vec<&EngineTurn> = turns.collect();
    turns.sort_by_key(|turn| turn.start);
    let mut turn_count = 0;
    for turn in turns {
        turn_count += 1;
        let end = turn.start + turn.duration;
        // An engine that works on the question when the answer comes is interrupted only a moment
        // later. The explanation shows the time of the answer as its end.
        let end = answer_time.map_or(end, |answer_time| end.min(answer_time));
        let separator = if turn.statistics.is_empty() { "" } else { ": " };
        lines.push(format!(
            "  {:>7.2} – {:.2} s  {}, with {} open{separator}{}",
            turn.start.as_secs_f64(),
            end.as_secs_f64(),
            turn.engine,
            counted(turn.open_goals, "goal"),
            turn.statistics
        ));
    }
    lines.push(match answered {
        Some((when, answer)) => format!(
            "  {:>7.2} s  {} by {}: {} [{}{}]",
            when.as_secs_f64(),
            answer.value,
            answer.techniques.join(" "),
            answer.reason,
            answer.grade,
            if answer.assumes_units { ", assuming that the model's units are safe" } else { "" }
        ),
        None => {
            let open = report.unanswered.iter().find(|question| question.id == id);
            let reason =
                open.map_or(OpenCause::NotAsked.into(), |question| question.reason.clone());
            let tried = if turn_count == 0 { "no engine worked on it" } else { "no answer" };
            format!("           {tried}: {reason}")
        }
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh::run::OpenQuestion;

    #[test]
    fn time_slices_are_listed_in_order_with_the_final_reason() {
        let turn = |engine: &str, began, lasted| EngineTurn {
            engine: engine.to_owned(),
            start: Duration::from_secs(began),
            duration: Duration::from_secs(lasted),
            open_goals: 2,
            statistics: "3 steps".to_owned(),
        };
        let report = RunReport {
            unanswered: vec![OpenQuestion { id: "x".into(), reason: OpenCause::OutOfTime.into() }],
            turns: vec![turn("walk", 4, 1), turn("intervals", 0, 2)],
            ..RunReport::default()
        };
        assert_eq!(
            explanation_lines("x", None, &report),
            [
                "parikh: explanation of x",
                "     0.00 – 2.00 s  intervals, with 2 goals open: 3 steps",
                "     4.00 – 5.00 s  walk, with 2 goals open: 3 steps",
                "           no answer: out of time",
            ]
        );
    }
}
