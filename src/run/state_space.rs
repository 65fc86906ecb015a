//! The figures of a state space: the markings and firings counted by the explicit engine, the most
//! tokens asked of all engines as maxima, and all four infinite where a pump shows that the markings are.
//!
//! Each figure is told as soon as it is known. What the explicit engine counts is held against the maxima
//! that were known before.

use super::{Config, Event, Report, Unanswered};
use crate::answer::{Answer, Grade, Plan, Value};
use crate::engine::{explicit, walk};
use crate::evidence::pump_grows;
use parikh_net::{Facts, Net};
use parikh_solvers::Budget;
use std::collections::BTreeMap;
use std::time::Duration;

const KEYS: [&str; 4] = ["STATES", "TRANSITIONS", "MAX_TOKEN_PER_MARKING", "MAX_TOKEN_IN_PLACE"];

/// About how many firings are spent on looking for a pump before the states are counted.
const PUMP_WORK: u64 = 50_000_000;

/// The share of the time, in [0, 1], for maxima, before the count goes on.
const MAXIMA: f64 = 0.5;

/// Finds the number of reachable markings, of the firings between them, and the most tokens they hold.
pub fn state_space(
    net: &Net,
    config: &Config,
    budget: &Budget,
    mut tell: impl FnMut(&Answer),
) -> Report {
    let mut report = Report::default();
    let mut known: BTreeMap<String, Answer> = BTreeMap::new();
    let mut take = |answer: &Answer, report: &mut Report| match known.get(&answer.id) {
        Some(before) if before.value == answer.value => {}
        // What rested on the model's claim of safe units is told again when it is another value.
        Some(before) if !before.assumes_units => {
            report.faults += 1;
            let (id, value) = (&answer.id, &before.value);
            tracing::error!("internal error: {id} is {value}, and then {}", answer.value);
        }
        _ => {
            known.insert(answer.id.clone(), answer.clone());
            tell(answer);
        }
    };
    // Visiting all markings has nobody else's check.
    let counted = |budget: &Budget| match config.certified_only {
        true => Err("it is found by visiting all markings, and no search's word is taken".into()),
        false => counted(net, budget),
    };
    // Most nets that can be counted at all are counted at once.
    let early = counted(&budget.slice(Duration::from_millis(500)));
    let mut why = String::new();
    if let Ok(figures) = early {
        figures.iter().for_each(|figure| take(figure, &mut report));
    } else if let Some(figures) = pumped(net, config, budget) {
        figures.iter().for_each(|figure| take(figure, &mut report));
    } else {
        let mut infinite = false;
        let plan = Plan::of_most_tokens(net);
        let maxima = super::run(net, plan, config, &budget.share(MAXIMA), |event| {
            if let Event::Answered(answer) = event {
                take(answer, &mut report);
                infinite |= answer.value == Value::Infinite;
                if answer.value == Value::Infinite {
                    for key in KEYS {
                        take(&Answer { id: key.to_owned(), ..answer.clone() }, &mut report);
                    }
                }
            }
        });
        report.faults += maxima.faults;
        report.breach = maxima.breach;
        report.statistics = maxima.statistics;
        report.unanswered = maxima.unanswered;
        if !infinite {
            match counted(budget) {
                Ok(figures) => figures.iter().for_each(|figure| take(figure, &mut report)),
                Err(incomplete) => why = incomplete,
            }
        }
    }
    report.answered = known.len();
    report.unanswered.retain(|question| !known.contains_key(&question.id));
    for key in KEYS {
        let said = report.unanswered.iter().any(|question| question.id == key);
        if !known.contains_key(key) && !said {
            report.unanswered.push(Unanswered { id: key.to_owned(), reason: why.clone() });
        }
    }
    report
}

/// All figures by visiting all markings.
fn counted(net: &Net, budget: &Budget) -> Result<[Answer; 4], String> {
    let space = explicit::count(net, &Facts::claimed_by_model(net), budget);
    let space = space.map_err(|incomplete| incomplete.to_string())?;
    let most = [space.max_tokens_per_marking, space.max_tokens_in_place];
    let [Ok(c), Ok(d)] = most.map(|most| i128::try_from(most).map(Value::Number)) else {
        return Err("the figures do not fit 127 bits".to_owned());
    };
    let [a, b] = [space.states, space.firings].map(|count| Value::Count(count.into()));
    let markings = u64::try_from(space.states).unwrap_or(u64::MAX);
    let reason = format!("all {markings} reachable markings were visited");
    let grade = Grade::Searched { markings, stubborn: false };
    let figure = |(key, value)| figure(key, value, "EXPLICIT", &reason, grade);
    Ok([(0, a), (1, b), (2, c), (3, d)].map(|(at, value)| figure((KEYS[at], value))))
}

/// All figures by a pump, looked for in a small part of the time: it shows itself early or hardly ever.
fn pumped(net: &Net, config: &Config, budget: &Budget) -> Option<[Answer; 4]> {
    let (prefix, pump) = walk::find_pump(net, &budget.share(0.05), config.seed, PUMP_WORK)?;
    if !pump_grows(net, &prefix, &pump) {
        tracing::error!("internal error: a pump does not replay; it is dropped");
        return None;
    }
    let reason = format!(
        "after {} firings, {} more can repeat for ever and add tokens each time",
        prefix.firings(),
        pump.firings()
    );
    Some(KEYS.map(|key| figure(key, Value::Infinite, "RANDOM_WALK", &reason, Grade::Replayed)))
}

fn figure(key: &str, value: Value, by: &'static str, reason: &str, grade: Grade) -> Answer {
    Answer {
        id: key.to_owned(),
        value,
        techniques: vec![by],
        reason: reason.to_owned(),
        assumes_units: false,
        grade,
        rests_on: 0..0,
        witness: None,
        pump: None,
    }
}
