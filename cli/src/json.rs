//! Answers as JSON. `docs/json.md` describes the format, and `docs/parikh.schema.json` is its
//! schema.
//!
//! Every printed object has a `version`, added by `in_json` in `terminal`. Numbers from −2⁵³ to
//! 2⁵³ are JSON numbers, because every reader represents them exactly. Other numbers are strings of
//! digits, and infinity is `"+inf"`.

use num_bigint::BigUint;
use parikh::answer::{AnswerWitness, Grade, QuestionValue, ReasonNodes};
use parikh_formula::NamedNodes;
use parikh_input::model::ModelView;
use parikh_net::lasso::{LassoRun, RunEnd};
use parikh_net::loops::{LoopElement, LoopRun, RepeatedElement};
use parikh_net::{Assumption, FiringSequence, PlaceId, PumpSequence, Stage, TransitionId};
use serde_json::{Value as Json, json};
use std::fmt::Display;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The largest number that every JSON reader represents exactly.
const EXACT: u64 = 1 << 53;

/// The largest number of witness steps in an object. The file of `--trace` has all steps.
const STEPS: usize = 100_000;

/// The largest number of witness steps in all objects of a command together. Witnesses of at most
/// [`ALWAYS_LISTED_STEPS`] steps are not limited.
const TOTAL_STEPS: usize = 5_000_000;

/// The largest number of steps of a witness that is always listed.
const ALWAYS_LISTED_STEPS: usize = 1_000;

/// Counts the witness steps that the objects of a command list. One long run may be the witness of
/// many answers, for example of every transition that is not live.
#[derive(Debug, Default)]
pub(super) struct ListedSteps(AtomicUsize);

impl ListedSteps {
    /// Returns true if a witness of `length` steps may be listed, and then counts its steps.
    fn allow(&self, length: usize) -> bool {
        if length <= ALWAYS_LISTED_STEPS {
            return true;
        }
        let add = |listed: usize| listed.checked_add(length).filter(|&it| it <= TOTAL_STEPS);
        length <= STEPS && self.0.fetch_update(Relaxed, Relaxed, add).is_ok()
    }
}

/// Returns a JSON number if it is exact for every reader, and a string of digits otherwise.
pub(super) fn number(number: impl Display) -> Json {
    let digits = number.to_string();
    match digits.parse::<i64>() {
        Ok(small) if small.unsigned_abs() <= EXACT => small.into(),
        _ => digits.into(),
    }
}

/// Returns the value of an answer: `"TRUE"`, `"FALSE"`, `"+inf"`, or a number as [`number`] writes
/// it.
pub(super) fn value(value: &QuestionValue) -> Json {
    match value {
        QuestionValue::Number(_) | QuestionValue::Count(_) => number(value),
        QuestionValue::Bool(_) | QuestionValue::Infinite => value.to_string().into(),
    }
}

/// Returns the number of markings of the search that decided an answer, and true if the search used
/// stubborn sets. Returns `None` for stronger evidence.
pub(super) fn searched(grade: Grade) -> Option<Json> {
    match grade {
        Grade::Searched { markings, stubborn } => {
            Some(json!({"markings": number(markings), "stubborn": stubborn}))
        }
        Grade::Replayed | Grade::Certified => None,
    }
}

/// Returns the ids of the nodes to which the reason of an answer refers. If `view` is the quotient
/// of a coloured net by equivalent colours, these are the nodes of the coloured net.
pub(super) fn nodes(nodes: &ReasonNodes, view: ModelView<'_>) -> Json {
    let net = view.net();
    let coloured = net.folding().filter(|folding| folding.classes().is_some());
    let place = |&p: &PlaceId| match coloured {
        Some(folding) => folding.place_name(folding.place_of(p)),
        None => net.place_name(p),
    };
    let transition = |&t: &TransitionId| match coloured {
        Some(folding) => folding.transition_name(folding.transition_of(t)),
        None => net.transition_name(t),
    };
    // The nodes are in ascending order, and the unfolding lists the nodes of one coloured node in a
    // row. So equal names are adjacent, and `dedup` removes all duplicates.
    let mut places: Vec<&str> = nodes.places.iter().map(place).collect();
    let mut transitions: Vec<&str> = nodes.transitions.iter().map(transition).collect();
    places.dedup();
    transitions.dedup();
    json!({ "places": places, "transitions": transitions })
}

/// Returns assumptions in words.
pub(super) fn assumptions(assumptions: &[Assumption]) -> Vec<String> {
    assumptions.iter().map(Assumption::to_string).collect()
}

/// Returns the ids of nodes that the names in a question denote, and whether each text was read as
/// an id or as a name.
pub(super) fn named(named: &[NamedNodes]) -> Vec<Json> {
    let entry = |it: &NamedNodes| {
        let by = if it.is_id { "id" } else { "name" };
        json!({"name": it.text, "kind": it.kind.word(), "ids": it.ids, "by": by})
    };
    named.iter().map(entry).collect()
}

/// Returns the witness of an answer, step by step. If there are more than [`STEPS`] steps, or the
/// command has listed too many steps, the object has no steps, and its field `cut` is true.
pub(super) fn witness(exhibit: &AnswerWitness, view: ModelView<'_>, listed: &ListedSteps) -> Json {
    let mut witness = match exhibit {
        _ if !listed.allow(length(exhibit)) => json!({"cut": true}),
        AnswerWitness::Firings(sequence) => json!({"steps": steps(sequence, view)}),
        AnswerWitness::Loops(run) => json!({"steps": loop_steps(run, view)}),
        AnswerWitness::Pump(pumping) => pump(pumping, view),
        AnswerWitness::Lasso(run) => lasso(run, view),
    };
    witness["kind"] = match exhibit {
        AnswerWitness::Firings(_) => "firings".into(),
        AnswerWitness::Loops(_) => "loops".into(),
        AnswerWitness::Pump(_) => "pump".into(),
        AnswerWitness::Lasso(_) => "lasso".into(),
    };
    witness["firings"] = exhibit.firings().map_or(Json::Null, number);
    witness
}

/// Returns the number of steps of a witness in the form in which JSON lists them. A step is a
/// transition with its number of consecutive firings, not a single firing.
fn length(exhibit: &AnswerWitness) -> usize {
    let stage = |stage: &Stage| stage.prefix.steps().len() + stage.pump.steps().len();
    match exhibit {
        AnswerWitness::Firings(sequence) => sequence.steps().len(),
        // A block is written out wherever the run mentions it, so its steps count each time.
        AnswerWitness::Loops(run) => written_length(run),
        AnswerWitness::Pump(pumping) => pumping.stages().map(stage).sum(),
        AnswerWitness::Lasso(LassoRun { prefix, end }) => {
            let cycle = match end {
                RunEnd::Repeats(cycle) => cycle.steps().len(),
                RunEnd::Dead | RunEnd::Anything => 0,
            };
            prefix.steps().len() + cycle
        }
    }
}

/// Returns the number of steps of a run with loops. Each line that repeats a block counts as the
/// steps of the block and one more, however often it repeats the block.
fn written_length(run: &LoopRun) -> usize {
    // A block refers only to earlier blocks, so the lengths of the latter are known. The last block
    // is the whole run.
    let mut block_lengths: Vec<usize> = Vec::new();
    for block in run.blocks() {
        let turn_length = |turn: &RepeatedElement| match turn.element {
            LoopElement::Fire(_) => 1,
            LoopElement::Block(block) => block_lengths[block].saturating_add(1),
        };
        let steps = block.iter().map(turn_length).fold(0, usize::saturating_add);
        block_lengths.push(steps);
    }
    block_lengths.pop().unwrap_or_default()
}

/// Returns a repetition as an object: the number of repetitions and the repeated steps.
fn repetition(times: Json, repeated: impl FnOnce() -> Vec<Json>) -> Json {
    json!({"times": times, "steps": repeated()})
}

/// Returns the steps of a sequence. A transition that fires once is written as its id, and other
/// steps as repetitions.
fn steps(sequence: &FiringSequence, view: ModelView<'_>) -> Vec<Json> {
    let name = |t| Json::from(view.transition_name(t));
    let steps = sequence.steps().iter().map(|it| match it.count {
        1 => name(it.transition),
        count => repetition(number(count), || vec![name(it.transition)]),
    });
    steps.collect()
}

/// Returns the steps of a sequence, or `None` if there are more than [`STEPS`].
pub(super) fn cut_steps(sequence: &FiringSequence, view: ModelView<'_>) -> Option<Vec<Json>> {
    (sequence.steps().len() <= STEPS).then(|| steps(sequence, view))
}

/// Returns the steps of a run with loops. An element that is not repeated is written as its steps,
/// and a repeated element as one object with the number of repetitions and its steps.
fn loop_steps(run: &LoopRun, view: ModelView<'_>) -> Vec<Json> {
    let once = BigUint::from(1u8);
    // A block refers only to earlier blocks. The last block is the whole run.
    let mut block_steps: Vec<Vec<Json>> = Vec::new();
    for block in run.blocks() {
        let mut steps = Vec::new();
        for RepeatedElement { element: part, times } in block {
            let repeated = match part {
                LoopElement::Fire(t) => vec![Json::from(view.transition_name(*t))],
                LoopElement::Block(block) => block_steps[*block].clone(),
            };
            match *times == once {
                true => steps.extend(repeated),
                false => steps.push(repetition(number(times), || repeated)),
            }
        }
        block_steps.push(steps);
    }
    block_steps.pop().unwrap_or_default()
}

fn pump(pumping: &PumpSequence, view: ModelView<'_>) -> Json {
    let stage = |stage: &Stage| json!({"steps": steps(&stage.prefix, view), "repeat": steps(&stage.pump, view)});
    json!({"stages": pumping.stages().map(stage).collect::<Vec<_>>()})
}

fn lasso(run: &LassoRun, view: ModelView<'_>) -> Json {
    let (end, cycle) = match &run.end {
        RunEnd::Repeats(cycle) => ("repeats", steps(cycle, view)),
        RunEnd::Dead => ("dead", Vec::new()),
        RunEnd::Anything => ("anything", Vec::new()),
    };
    json!({"steps": steps(&run.prefix, view), "end": end, "repeat": cycle})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_witnesses_are_listed_up_to_a_total() {
        let listed = ListedSteps::default();
        assert!(!listed.allow(STEPS + 1));
        let count = TOTAL_STEPS / STEPS;
        assert!((0..count).all(|_| listed.allow(STEPS)));
        assert!(!listed.allow(ALWAYS_LISTED_STEPS + 1) && listed.allow(ALWAYS_LISTED_STEPS));
    }

    #[test]
    fn only_exactly_readable_numbers_are_json_numbers() {
        let edge = 1i128 << 53;
        assert_eq!(number(edge), json!(9_007_199_254_740_992u64));
        assert_eq!(number(-edge), json!(-9_007_199_254_740_992i64));
        assert_eq!(number(edge + 1), json!("9007199254740993"));
        assert_eq!(number(i128::MAX), json!(i128::MAX.to_string()));
        assert_eq!(value(&QuestionValue::Infinite), json!("+inf"));
        assert_eq!(value(&QuestionValue::Bool(true)), json!("TRUE"));
    }
}
