//! `check -e ReachabilityDeadlock --all`: lists the dead markings of the net, each as soon as it is
//! found, in groups by what blocks them, and says if the list is complete.

use super::ProgramOutcome;
use super::dead_groups::DeadMarkingGroups;
use super::json::{self, cut_steps};
use super::output::AnswerFormat;
use super::terminal::{line, note, object};
use parikh::answer::{GoalAnswer, QuestionValue};
use parikh::evidence::replay;
use parikh::mcc::Examination;
use parikh_input::model::{Model, ModelView};
use parikh_net::printable::counted;
use parikh_net::{Assumption, FiringSequence, Marking, Net, assumption, marking_text};
use parikh_solvers::{Budget, locked};
use parikh_structure::graph::dead::{DeadMarkingProgress, find_dead_markings};
use parikh_structure::graph::reachability::NoGraph;
use parikh_unfolding::UnfoldingLimits;
use serde_json::json;
use std::sync::{Arc, Mutex, TryLockError};
use std::time::{Duration, Instant};

/// The list of this process, from [`begin`] on. The thread that ends the process prints its end.
static LIST: Mutex<Option<DeadMarkingList>> = Mutex::new(None);

/// The longest wait for a line that another thread is printing.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// Begins the list, before the question whether a dead marking is reachable is asked. From now on,
/// [`end_at_once`] prints the last line.
pub(super) fn begin(model: &Model, format: AnswerFormat) {
    let assumptions = match model {
        Model::Plain(net) => net.assumptions(),
        Model::Coloured(views) => views.net().assumptions(),
    };
    let (progress, groups, count, is_ended) = Default::default();
    let assumptions = assumptions.to_vec();
    let list = DeadMarkingList { format, assumptions, progress, groups, count, is_ended };
    *locked(&LIST) = Some(list);
}

/// Prints the last line of the list, if there is a list without a last line. Called when the
/// process has to end at once. Nothing is printed after that.
pub(super) fn end_at_once() {
    let start = Instant::now();
    loop {
        match LIST.try_lock() {
            Ok(mut list) => return print_interrupted(&mut list),
            Err(TryLockError::Poisoned(list)) => return print_interrupted(&mut list.into_inner()),
            // The reader of stdout may have stopped.
            Err(TryLockError::WouldBlock) if start.elapsed() > MAX_WAIT => return,
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

fn print_interrupted(list: &mut Option<DeadMarkingList>) {
    if let Some(list) = list {
        list.print_end(&ListEnd::Interrupted);
    }
}

/// Changes the list of this process. Returns `None` before [`begin`].
fn with_list<T>(change: impl FnOnce(&mut DeadMarkingList) -> T) -> Option<T> {
    locked(&LIST).as_mut().map(change)
}

/// Lists the dead markings. For a coloured net, these are the markings of its unfolding. `answer`
/// is the answer to the question whether a dead marking is reachable. If it is FALSE, the list is
/// complete without a search. If it has a firing sequence to a dead marking of a plain net, this
/// marking is the first one of the list. The list was begun with [`begin`].
pub(super) fn list(model: &Model, answer: Option<&GoalAnswer>, budget: &Budget) -> ProgramOutcome {
    let print_end = |end: &ListEnd| with_list(|list| list.print_end(end));
    if let Some(answer) = answer.filter(|answer| answer.value == QuestionValue::Bool(false)) {
        print_end(&ListEnd::Refuted { assumes_units: answer.assumes_units });
        return ProgramOutcome::Complete;
    }
    let view = match model {
        Model::Plain(net) => ModelView::Model(net),
        Model::Coloured(coloured) => {
            match coloured.unfolding(false, UnfoldingLimits::default(), budget) {
                Ok(unfolding) => ModelView::Unfolding(unfolding),
                Err(why) => {
                    print_end(&ListEnd::NotUnfolded(why.to_string()));
                    return ProgramOutcome::Incomplete;
                }
            }
        }
    };
    let mut faults = 0;
    let mut first_marking = None;
    let mut print = |marking: &Marking, sequence: &FiringSequence| {
        // The replay is independent of the search.
        match replay(view.net(), sequence) {
            Ok(end) if end == *marking && view.net().is_dead(&end) => {
                with_list(|list| list.print_marking(view, marking, sequence));
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
    let progress = with_list(|list| Arc::clone(&list.progress)).unwrap_or_default();
    let end = match view.net().has_caps() {
        true => ListEnd::Caps,
        false => {
            let search = find_dead_markings(view.net(), budget, &progress, |marking, sequence| {
                if first_marking.as_ref() != Some(marking) {
                    print(marking, &sequence);
                }
            });
            search.map_or_else(ListEnd::Stopped, |_| ListEnd::Visited)
        }
    };
    let end = if faults > 0 { ListEnd::NotReplayed } else { end };
    print_end(&end);
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
    /// The search visited all reachable markings.
    Visited,
    /// The search stopped early.
    Stopped(NoGraph),
    /// The process ends before the list is complete.
    Interrupted,
    /// A firing sequence of the search could not be replayed: an internal error.
    NotReplayed,
    /// The net has caps, that is, assumed bounds of places.
    Caps,
    /// The coloured net was not unfolded, for this reason.
    NotUnfolded(String),
}

impl ListEnd {
    fn is_complete(&self) -> bool {
        matches!(self, ListEnd::Refuted { .. } | ListEnd::Visited)
    }

    /// Returns the reason, with the number of markings that were visited or are left.
    fn in_words(&self, progress: &DeadMarkingProgress) -> String {
        let (found, unvisited) = (progress.found(), progress.unvisited());
        let open = |why: &dyn std::fmt::Display| match found {
            0 => format!("{why} before the search for dead markings"),
            _ => format!(
                "{why}; {} found, {unvisited} of them not visited",
                counted(found, "reachable marking")
            ),
        };
        match self {
            ListEnd::Refuted { .. } => "no dead marking is reachable".to_owned(),
            ListEnd::NotUnfolded(why) => why.clone(),
            ListEnd::Visited => format!("{} visited", counted(found, "reachable marking")),
            ListEnd::Stopped(why) => open(why),
            ListEnd::Interrupted => open(&"interrupted"),
            ListEnd::NotReplayed => open(&"internal error"),
            ListEnd::Caps => {
                "the bounds of places at inhibitor or reset arcs are unknown".to_owned()
            }
        }
    }
}

/// A list of dead markings, printed while it grows.
struct DeadMarkingList {
    format: AnswerFormat,
    /// The assumptions about the model, which the last line repeats.
    assumptions: Vec<Assumption>,
    /// The numbers of the search.
    progress: Arc<DeadMarkingProgress>,
    groups: DeadMarkingGroups,
    /// The number of dead markings printed so far.
    count: usize,
    /// True after the last line. Nothing is printed after it.
    is_ended: bool,
}

impl DeadMarkingList {
    fn print_marking(&mut self, view: ModelView<'_>, marking: &Marking, sequence: &FiringSequence) {
        if self.is_ended {
            return;
        }
        self.count += 1;
        let (net, number, firings) = (view.net(), self.count, sequence.firings());
        let group = self.groups.add(view, marking);
        let tokens = marking_text::print(net, &of_model(net, marking));
        let examination = Examination::ReachabilityDeadlock.name();
        if self.format == AnswerFormat::Json {
            if let Some(blockage) = group.blockage {
                object(json!({
                    "type": "dead_marking_group", "examination": examination,
                    "group": group.number, "closest": blockage.in_json(),
                }));
            }
            let mut marking = json!({
                "type": "dead_marking", "examination": examination, "number": number,
                "group": group.number, "marking": tokens, "firings": json::number(firings),
            });
            match cut_steps(sequence, view) {
                Some(steps) => marking["steps"] = steps.into(),
                None => marking["cut"] = true.into(),
            }
            object(marking);
            return;
        }
        if let Some(blockage) = group.blockage {
            line(&format!("group {}: {}", group.number, blockage.in_words()));
        }
        line(&format!(
            "dead marking {number}: {tokens} — after {}; group {}",
            counted(firings, "firing"),
            group.number
        ));
    }

    /// Prints the sizes of the groups and the last line, unless the last line was printed before.
    fn print_end(&mut self, end: &ListEnd) {
        if std::mem::replace(&mut self.is_ended, true) {
            return;
        }
        let (words, is_complete) = (end.in_words(&self.progress), end.is_complete());
        let units = matches!(end, ListEnd::Refuted { assumes_units: true });
        let units = units.then_some(Assumption::SafeUnits).into_iter();
        let assumptions: Vec<_> = units.chain(self.assumptions.iter().cloned()).collect();
        if self.format == AnswerFormat::Json {
            object(json!({
                "type": "dead_markings", "examination": Examination::ReachabilityDeadlock.name(),
                "dead_markings": self.count, "groups": self.groups.in_json(),
                "markings_found": self.progress.found(),
                "markings_unvisited": self.progress.unvisited(),
                "complete": is_complete, "reason": words,
                "assumes": assumption::keys(&assumptions),
            }));
            return;
        }
        self.groups.size_lines().iter().for_each(|text| line(text));
        let state = if is_complete { "complete" } else { "so far" };
        let assumed: String = assumptions.iter().map(|it| format!("; assumed: {it}")).collect();
        let all = counted(self.count, "dead marking");
        let groups = match self.groups.count() {
            0 => String::new(),
            count => format!(" in {}", counted(count, "group")),
        };
        line(&format!("{all}{groups}, {state} — {words}{assumed}"));
    }
}

/// Returns the tokens of the model's places: the marking without complement places, whose tokens
/// follow from the others.
fn of_model(net: &Net, marking: &Marking) -> Marking {
    Marking::new(marking.tokens()[..net.model_places().len()].to_vec())
}
