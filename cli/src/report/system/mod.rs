//! Reports about parallel systems: the components as a picture, the questions with their answers,
//! and runs to play.
//!
//! The questions are the properties of a file, if one is given. Otherwise they are whether the
//! system can deadlock and which labels occur.

mod as_net;
mod blocked;

use as_net::{NetAnswers, SystemNet};
use parikh::run::{self, OpenCause};
use parikh::systems::{
    PropertyAnswer, ResolvedRun, SettleConfig, SystemCase, SystemOutcome, SystemProof, resolve_run,
    settle,
};
use parikh_pictures::draw::system as draw;
use parikh_solvers::Budget;
use parikh_solvers::locked;
use parikh_systems::System;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Time limit for the picture, in addition to the budget for answers.
const PICTURE_TIME: Duration = Duration::from_secs(2);

/// Time limit for counting joint states, in addition to the budget for answers.
const COUNT_TIME: Duration = Duration::from_secs(2);

/// The contents of a page about a system.
#[derive(Debug, Serialize)]
pub struct SystemReport {
    /// The name of the system.
    pub model: String,
    /// The program that made the report, and the date.
    pub made: String,
    /// A description of the paths or runs that the answers consider, as a sentence for the page.
    pub semantics: &'static str,
    /// The components, in the order of the file.
    pub components: Vec<ComponentNames>,
    /// The names of labels, by index.
    pub labels: Vec<String>,
    /// The headline of the questions.
    pub asked: &'static str,
    /// The questions with their answers. Properties are in the order of the file.
    pub properties: Vec<SystemQuestion>,
    /// For each label of a step of the system, the answer whether it occurs. Empty for a report
    /// about properties, and for a system whose net cannot be built.
    pub coming: Vec<LabelOccurrence>,
    /// The first start state of each component, as a run without steps.
    pub beginning: ResolvedRun,
    /// The runs to play.
    pub runs: Vec<ResolvedRun>,
    /// Sizes of the system, as pairs of a name and a value.
    pub figures: Vec<(&'static str, String)>,
    /// The number of components drawn as boxes instead of with all their states.
    pub boxes: usize,
    /// The number of answers that failed their check: bugs of Parikh.
    pub faults: usize,
    /// The drawing.
    #[serde(skip)]
    pub picture: draw::SystemPicture,
}

/// The names of a component and its states.
#[derive(Debug, Serialize)]
pub struct ComponentNames {
    /// The name of the component.
    pub name: String,
    /// The names of the states, by index.
    pub states: Vec<String>,
}

/// A question and the answer.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SystemQuestion {
    /// The number of the property in its file, or the name of the question.
    pub name: String,
    /// The property in its source syntax, or the question in words.
    pub formula: String,
    /// The answer. `None` if the question is open.
    pub value: Option<bool>,
    /// True if the property is true, the system cannot deadlock, or every label occurs. False if
    /// not. `None` if the question is open.
    pub good: Option<bool>,
    /// The reason for the answer, or the reason why the question is open.
    pub reason: String,
    /// The grade: `replayed`, `certified` or `searched`. `None` if the question is open.
    pub evidence: Option<String>,
    /// The lines of the certificates.
    pub lines: Vec<String>,
    /// For a deadlock, a line per component that names the components for which it waits. A last
    /// line counts the components beyond the limit on lines.
    pub blocked: Vec<String>,
    /// The index of the run that shows the answer. `None` if the page shows no run for the answer.
    pub run: Option<usize>,
    /// The solution stated in the property file, if it differs from the answer. `None` if it
    /// agrees, if the file states no solution, or if the question is open.
    pub otherwise: Option<bool>,
}

/// The answer whether a label occurs on some run.
#[derive(Clone, Debug, Serialize)]
pub struct LabelOccurrence {
    /// The index of the label.
    pub label: u32,
    /// True if the label occurs. `None` if the question is open.
    pub comes: Option<bool>,
    /// The reason for the answer, or the reason why the question is open.
    pub reason: String,
    /// The grade: `replayed`, `certified` or `searched`. `None` if the question is open.
    pub evidence: Option<String>,
    /// The lines of the certificates.
    pub lines: Vec<String>,
    /// The index of a run that ends with the label. `None` if the page has no such run.
    pub run: Option<usize>,
}

/// Settles the properties within `budget`, and collects the contents of a page. The collection
/// takes up to two seconds more.
pub fn system_report(
    case: &SystemCase,
    made: String,
    config: &SettleConfig,
    budget: &Budget,
) -> SystemReport {
    let system = &case.system;
    // One entry per property, filled in by the threads of `settle`. An entry stays `None` if the
    // time is over before.
    let outcomes: Vec<Mutex<Option<SystemOutcome>>> =
        case.properties.iter().map(|_| Mutex::new(None)).collect();
    settle(case, config, budget, &|index, outcome| {
        *locked(&outcomes[index]) = Some(outcome);
    });
    let (mut properties, mut runs, mut faults) = (Vec::new(), Vec::new(), 0);
    for (property, outcomes) in case.properties.iter().zip(outcomes) {
        let mut row = SystemQuestion {
            name: property.number.to_string(),
            formula: property.formula.split_whitespace().collect::<Vec<_>>().join(" "),
            reason: OpenCause::OutOfTime.to_string(),
            ..SystemQuestion::default()
        };
        match outcomes.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(SystemOutcome::Answer(answer)) => {
                row.value = Some(answer.value);
                row.good = row.value;
                row.evidence = Some(answer.grade.to_string());
                row.reason = answer.reason.to_string();
                row.otherwise = property.solution.filter(|outcome| *outcome != answer.value);
                if let Some(run) = run_of(system, &answer) {
                    row.run = Some(runs.len());
                    runs.push(run);
                }
            }
            Some(SystemOutcome::Open(why)) => row.reason = why.to_string(),
            Some(SystemOutcome::Fault(why)) => {
                faults += 1;
                row.reason = format!("an internal error, please report it: {why}");
            }
            None => {}
        }
        properties.push(row);
    }
    let answers = NetAnswers { rows: properties, runs, faults, occurrences: Vec::new() };
    let semantics = case.logic.semantics(config.endings);
    page_of(system, made, ("Properties", semantics), answers, figures(system))
}

/// Decides within `budget` whether a system can deadlock and which labels occur, and collects the
/// contents of a page. The collection takes up to four seconds more. `on_step` receives the name of
/// each step before the step begins.
pub fn system_alone(
    system: &System,
    made: String,
    config: &run::RunConfig,
    budget: &Budget,
    on_step: &mut dyn FnMut(&str),
) -> SystemReport {
    let mut figures = figures(system);
    let answers = match SystemNet::of(system) {
        Ok(net) => {
            let answers = net.ask(&super::for_pages(config), budget, on_step);
            on_step("the number of states of the product");
            let joint = net.joint_states(config, &step_budget(COUNT_TIME, budget));
            figures.extend(joint.map(|number| ("states of the product", number)));
            answers
        }
        Err(why) => NetAnswers::all_open(&why),
    };
    on_step("the picture");
    let semantics = "whether the system can stop, and which labels occur, considering all runs";
    page_of(system, made, ("Questions", semantics), answers, figures)
}

/// Returns a budget of `time` for a step after the answers, because the budget for answers may be
/// spent. Returns a cancelled budget if the run is cancelled.
fn step_budget(time: Duration, budget: &Budget) -> Budget {
    match budget.is_cancelled() {
        true => budget.child(),
        false => Budget::lasting(time),
    }
}

/// Collects the contents of a page. The pair holds the headline of the questions and the scope of
/// the answers.
fn page_of(
    system: &System,
    made: String,
    (asked, semantics): (&'static str, &'static str),
    answers: NetAnswers,
    figures: Vec<(&'static str, String)>,
) -> SystemReport {
    let budget = Budget::lasting(PICTURE_TIME);
    let picture = draw::picture(system, &BTreeSet::new(), false, &budget);
    SystemReport {
        model: system.name().to_owned(),
        made,
        semantics,
        components: component_names(system),
        labels: system.labels().map(|label| system.label(label).to_owned()).collect(),
        asked,
        properties: answers.rows,
        coming: answers.occurrences,
        beginning: beginning(system),
        runs: answers.runs,
        figures,
        boxes: picture.boxes,
        faults: answers.faults,
        picture,
    }
}

/// Converts the run of an answer into a run to play. Returns `None` if the proof is no run, or if
/// [`resolve_run`] does not find the states of the run.
fn run_of(system: &System, answer: &PropertyAnswer) -> Option<ResolvedRun> {
    let SystemProof::Run { labels, back } = &answer.proof else { return None };
    let labels: Option<Vec<_>> = labels.iter().map(|name| system.label_named(name)).collect();
    resolve_run(system, &labels?, *back)
}

/// Returns a run without steps, from the first start state of each component.
fn beginning(system: &System) -> ResolvedRun {
    let starts = system.components().iter().filter_map(|it| it.starts().first().copied());
    ResolvedRun { starts: starts.collect(), steps: Vec::new(), back: None, ends: false }
}

fn component_names(system: &System) -> Vec<ComponentNames> {
    let part = |component: &parikh_systems::Component| ComponentNames {
        name: component.name().to_owned(),
        states: (0..component.states().len() as u32)
            .map(|state| component.title(state).to_owned())
            .collect(),
    };
    system.components().iter().map(part).collect()
}

fn figures(system: &System) -> Vec<(&'static str, String)> {
    let shared = system.labels().filter(|&it| system.owners(it).len() > 1).count();
    let joint = system.components().iter().map(|it| (it.states().len() as f64).log10());
    vec![
        ("components", system.components().len().to_string()),
        ("states", system.state_count().to_string()),
        ("edges", system.edge_count().to_string()),
        ("labels", system.label_count().to_string()),
        ("shared labels", shared.to_string()),
        ("states of the product, at most", format!("10^{:.1}", joint.sum::<f64>())),
    ]
}
