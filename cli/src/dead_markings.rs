//! `check -e ReachabilityDeadlock --all`: lists the dead markings of the net, each as soon as it is
//! found, and says if the list is complete.

use super::ProgramOutcome;
use super::json::steps;
use super::output::AnswerFormat;
use super::terminal::{line, note, object};
use parikh::answer::{GoalAnswer, QuestionValue};
use parikh::evidence::replay;
use parikh::mcc::Examination;
use parikh_input::model::{Model, ModelView};
use parikh_net::printable::counted;
use parikh_net::{Assumption, FiringSequence, Marking, Net, assumption, marking_text};
use parikh_solvers::Budget;
use parikh_structure::graph::dead::{DeadMarkingSearch, find_dead_markings};
use parikh_structure::graph::reachability::NoGraph;
use parikh_unfolding::UnfoldingLimits;
use serde_json::json;

/// Lists the dead markings. For a coloured net, these are the markings of its unfolding. `answer`
/// is the answer to the question whether a dead marking is reachable. If it is FALSE, the list is
/// complete without a search. If it has a firing sequence to a dead marking of a plain net, this
/// marking is the first one of the list.
pub(super) fn list(
    model: &Model,
    format: AnswerFormat,
    answer: Option<&GoalAnswer>,
    budget: &Budget,
) -> ProgramOutcome {
    let assumptions = match model {
        Model::Plain(net) => net.assumptions(),
        Model::Coloured(views) => views.net().assumptions(),
    };
    let list = DeadMarkingList { format, assumptions };
    if let Some(answer) = answer.filter(|answer| answer.value == QuestionValue::Bool(false)) {
        list.print_end(0, &ListEnd::Refuted { assumes_units: answer.assumes_units });
        return ProgramOutcome::Complete;
    }
    let view = match model {
        Model::Plain(net) => ModelView::Model(net),
        Model::Coloured(coloured) => {
            match coloured.unfolding(false, UnfoldingLimits::default(), budget) {
                Ok(unfolding) => ModelView::Unfolding(unfolding),
                Err(why) => {
                    list.print_end(0, &ListEnd::NotUnfolded(why.to_string()));
                    return ProgramOutcome::Incomplete;
                }
            }
        }
    };
    let (mut number, mut faults) = (0, 0);
    let mut first_marking = None;
    let mut print = |marking: &Marking, sequence: &FiringSequence| {
        // The replay is independent of the search.
        match replay(view.net(), sequence) {
            Ok(end) if end == *marking && view.net().is_dead(&end) => {
                number += 1;
                list.print_marking(view, number, marking, sequence);
            }
            _ => faults += 1,
        }
    };
    let witness = answer.and_then(|answer| answer.exhibit.as_ref()?.sequence());
    if let (Model::Plain(net), Some(sequence)) = (model, witness)
        && let Ok(end) = replay(net, sequence)
        && net.is_dead(&end)
    {
        print(&end, sequence);
        first_marking = Some(end);
    }
    let end = match view.net().has_caps() {
        true => ListEnd::Caps,
        false => {
            let search = find_dead_markings(view.net(), budget, |marking, sequence| {
                if first_marking.as_ref() != Some(marking) {
                    print(marking, &sequence);
                }
            });
            let DeadMarkingSearch { markings, stopped, .. } = search;
            stopped.map_or(ListEnd::Visited(markings), |why| ListEnd::Stopped(why, markings))
        }
    };
    list.print_end(number, &end);
    if faults > 0 {
        note!("parikh: internal error: {faults} sequences of the search could not be replayed");
        return ProgramOutcome::InternalError;
    }
    match end.is_complete() {
        true => ProgramOutcome::Complete,
        false => ProgramOutcome::Incomplete,
    }
}

/// The reason why a list of dead markings ends.
enum ListEnd {
    /// No dead marking is reachable. The field is true if this assumes that the model's units are
    /// safe, as the model claims.
    Refuted { assumes_units: bool },
    /// All reachable markings, of this number, were visited.
    Visited(usize),
    /// The search stopped early, after this number of markings.
    Stopped(NoGraph, usize),
    /// The net has caps, that is, assumed bounds of places.
    Caps,
    /// The coloured net was not unfolded, for this reason.
    NotUnfolded(String),
}

impl ListEnd {
    fn is_complete(&self) -> bool {
        matches!(self, ListEnd::Refuted { .. } | ListEnd::Visited(_))
    }

    fn in_words(&self) -> String {
        match self {
            ListEnd::Refuted { .. } => "no dead marking is reachable".to_owned(),
            ListEnd::NotUnfolded(why) => why.clone(),
            ListEnd::Visited(markings) => {
                format!("{} visited", counted(*markings, "reachable marking"))
            }
            ListEnd::Stopped(why, markings) => {
                format!("{why}; {} found", counted(*markings, "reachable marking"))
            }
            ListEnd::Caps => {
                "the bounds of places at inhibitor or reset arcs are unknown".to_owned()
            }
        }
    }
}

/// A list of dead markings, printed while it grows.
struct DeadMarkingList<'m> {
    format: AnswerFormat,
    /// What is assumed about the model.
    assumptions: &'m [Assumption],
}

impl DeadMarkingList<'_> {
    fn print_marking(
        &self,
        view: ModelView<'_>,
        number: usize,
        marking: &Marking,
        sequence: &FiringSequence,
    ) {
        let (net, firings) = (view.net(), sequence.firings());
        let tokens = marking_text::print(net, &of_model(net, marking));
        match self.format {
            AnswerFormat::Json => object(json!({
                "type": "dead_marking", "examination": Examination::ReachabilityDeadlock.name(),
                "number": number, "marking": tokens, "firings": firings,
                "steps": steps(sequence, view),
            })),
            _ => line(&format!(
                "dead marking {number}: {tokens} — after {}",
                counted(firings as usize, "firing")
            )),
        }
    }

    fn print_end(&self, count: usize, end: &ListEnd) {
        let (words, is_complete) = (end.in_words(), end.is_complete());
        let units = matches!(end, ListEnd::Refuted { assumes_units: true });
        let units = units.then_some(Assumption::SafeUnits).into_iter();
        let assumptions: Vec<_> = units.chain(self.assumptions.iter().cloned()).collect();
        match self.format {
            AnswerFormat::Json => object(json!({
                "type": "dead_markings", "examination": Examination::ReachabilityDeadlock.name(),
                "dead_markings": count, "complete": is_complete, "reason": words,
                "assumes": assumption::keys(&assumptions),
            })),
            _ => {
                let state = if is_complete { "complete" } else { "so far" };
                let assumed: String =
                    assumptions.iter().map(|it| format!("; assumed: {it}")).collect();
                line(&format!("{}, {state} — {words}{assumed}", counted(count, "dead marking")));
            }
        }
    }
}

/// Returns the tokens of the model's places: the marking without complement places, whose tokens
/// follow from the others.
fn of_model(net: &Net, marking: &Marking) -> Marking {
    Marking::new(marking.tokens()[..net.model_places().len()].to_vec())
}
