//! `check -e ReachabilityDeadlock --all`: lists the dead markings of the net, each as soon as it is
//! found, and says if the list is complete.

use super::ProgramOutcome;
use super::json::steps;
use super::output::AnswerFormat;
use super::terminal::{line, note, object};
use anyhow::Result;
use parikh::answer::GoalAnswer;
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

/// Lists the dead markings. For a coloured net, these are the markings of its unfolding. The list
/// is complete without a search if `refutation` is the answer that no dead marking is reachable.
///
/// # Errors
/// If the unfolding is declined.
pub(super) fn list(
    model: &Model,
    format: AnswerFormat,
    refutation: Option<&GoalAnswer>,
    budget: &Budget,
) -> Result<ProgramOutcome> {
    let view = match model {
        Model::Plain(net) => ModelView::Model(net),
        Model::Coloured(coloured) => {
            ModelView::Unfolding(coloured.unfolding(false, UnfoldingLimits::default(), budget)?)
        }
    };
    let list = DeadMarkingList { view, format };
    if let Some(answer) = refutation {
        list.print_end(0, &End::Refuted { assumes_units: answer.assumes_units });
        return Ok(ProgramOutcome::Complete);
    }
    if view.net().has_caps() {
        list.print_end(0, &End::Caps);
        return Ok(ProgramOutcome::Incomplete);
    }
    let (mut number, mut faults) = (0, 0);
    let search = find_dead_markings(view.net(), budget, |marking, sequence| {
        // The replay is independent of the search.
        match replay(view.net(), &sequence) {
            Ok(end) if end == *marking && view.net().is_dead(&end) => {
                number += 1;
                list.print_marking(number, marking, &sequence);
            }
            _ => faults += 1,
        }
    });
    let DeadMarkingSearch { markings, stopped, .. } = search;
    match stopped {
        None => list.print_end(number, &End::Visited(markings)),
        Some(why) => list.print_end(number, &End::Stopped(why, markings)),
    }
    if faults > 0 {
        note!("parikh: internal error: {faults} sequences of the search could not be replayed");
        return Ok(ProgramOutcome::InternalError);
    }
    match stopped {
        None => Ok(ProgramOutcome::Complete),
        Some(_) => Ok(ProgramOutcome::Incomplete),
    }
}

/// The reason why a list of dead markings ends.
enum End {
    /// No dead marking is reachable. The field is true if this assumes that the model's units are
    /// safe, as the model claims.
    Refuted { assumes_units: bool },
    /// All reachable markings, of this number, were visited.
    Visited(usize),
    /// The search stopped early, after this number of markings.
    Stopped(NoGraph, usize),
    /// The net has caps, that is, assumed bounds of places.
    Caps,
}

impl End {
    fn is_complete(&self) -> bool {
        matches!(self, End::Refuted { .. } | End::Visited(_))
    }

    fn in_words(&self) -> String {
        match self {
            End::Refuted { assumes_units: false } => "no dead marking is reachable".to_owned(),
            End::Refuted { assumes_units: true } => {
                format!("no dead marking is reachable; assumed: {}", Assumption::SafeUnits)
            }
            End::Visited(markings) => {
                format!("{} visited", counted(*markings, "reachable marking"))
            }
            End::Stopped(why, markings) => {
                format!("{why}; {} found", counted(*markings, "reachable marking"))
            }
            End::Caps => "the bounds of places at inhibitor or reset arcs are unknown".to_owned(),
        }
    }
}

/// A list of dead markings, printed while it grows.
struct DeadMarkingList<'m> {
    view: ModelView<'m>,
    format: AnswerFormat,
}

impl DeadMarkingList<'_> {
    fn print_marking(&self, number: usize, marking: &Marking, sequence: &FiringSequence) {
        let (net, firings) = (self.view.net(), sequence.firings());
        let tokens = marking_text::print(net, &of_model(net, marking));
        match self.format {
            AnswerFormat::Json => object(json!({
                "type": "dead_marking", "examination": Examination::ReachabilityDeadlock.name(),
                "number": number, "marking": tokens, "firings": firings,
                "steps": steps(sequence, self.view),
            })),
            _ => line(&format!(
                "dead marking {number}: {tokens} — after {}",
                counted(firings as usize, "firing")
            )),
        }
    }

    fn print_end(&self, count: usize, end: &End) {
        let (words, is_complete) = (end.in_words(), end.is_complete());
        let units = matches!(end, End::Refuted { assumes_units: true });
        let units = units.then_some(Assumption::SafeUnits).into_iter();
        let assumptions: Vec<_> =
            units.chain(self.view.net().assumptions().iter().cloned()).collect();
        match self.format {
            AnswerFormat::Json => object(json!({
                "type": "dead_markings", "examination": Examination::ReachabilityDeadlock.name(),
                "dead_markings": count, "complete": is_complete, "reason": words,
                "assumes": assumption::keys(&assumptions),
            })),
            _ => {
                let state = if is_complete { "complete" } else { "so far" };
                line(&format!("{}, {state} — {words}", counted(count, "dead marking")));
            }
        }
    }
}

/// Returns the tokens of the model's places: the marking without complement places, whose tokens
/// follow from the others.
fn of_model(net: &Net, marking: &Marking) -> Marking {
    Marking::new(marking.tokens()[..net.model_places().len()].to_vec())
}
