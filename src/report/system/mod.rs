//! Reports of parallel systems: the components as a picture, what was asked with its answers, and
//! runs to be played.
//!
//! With a file of properties, these are what is asked; without one, whether the system can stop and
//! which labels come.

mod as_net;
mod blocked;

use crate::draw::system as draw;
use crate::run;
use crate::systems::{Answer, Case, Config, Played, Settled, Shown, played, settle};
use as_net::{AsNet, SystemNet};
use parikh_solvers::Budget;
use parikh_systems::System;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long the picture may take beyond the answers.
const PICTURE: Duration = Duration::from_secs(2);

/// How long the joint states may be counted beyond the answers.
const COUNT: Duration = Duration::from_secs(2);

/// All that a page about a system shows.
#[derive(Debug, Serialize)]
pub struct SystemReport {
    /// What the system is called.
    pub model: String,
    /// Which program made it, and when.
    pub made: String,
    /// What the answers are about: which runs, or all states.
    pub semantics: &'static str,
    /// The components, in the order of the file.
    pub components: Vec<Part>,
    /// The names of labels.
    pub labels: Vec<String>,
    /// What the questions are called together.
    pub asked: &'static str,
    /// What was asked: the properties, in the order of the file.
    pub properties: Vec<Row>,
    /// Which labels come, where that was asked.
    pub coming: Vec<Coming>,
    /// Where the components begin, as a run without steps.
    pub beginning: Played,
    /// Runs to play.
    pub runs: Vec<Played>,
    /// Figures of the system: what, how many.
    pub figures: Vec<(&'static str, String)>,
    /// How many components are too large to look at.
    pub boxes: usize,
    /// Answers that failed their check: bugs of ours.
    pub faults: usize,
    /// The drawing.
    #[serde(skip)]
    pub picture: draw::Picture,
}

/// A component.
#[derive(Debug, Serialize)]
pub struct Part {
    /// What it is called.
    pub name: String,
    /// What its states are called.
    pub states: Vec<String>,
}

/// A question with what is known of it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// The number of a property in its file, or what the question is called.
    pub name: String,
    /// The property as it is written, or the question in words.
    pub formula: String,
    /// The answer, if it is known.
    pub value: Option<bool>,
    /// Whether that is as one would have it.
    pub good: Option<bool>,
    /// Why, or why it is not known.
    pub reason: String,
    /// `replayed`, `certified` or `searched`.
    pub evidence: Option<String>,
    /// The certificates, line by line.
    pub lines: Vec<String>,
    /// Where nothing can move: what each component waits for.
    pub blocked: Vec<String>,
    /// The number of the run that shows it and can be played.
    pub run: Option<usize>,
    /// What the file says, if that is something else.
    pub otherwise: Option<bool>,
}

/// Whether a label comes.
#[derive(Clone, Debug, Serialize)]
pub struct Coming {
    /// The label.
    pub label: u32,
    /// Whether it comes on some run, if that is known.
    pub comes: Option<bool>,
    /// Why, or why that is not known.
    pub reason: String,
    /// `replayed`, `certified` or `searched`.
    pub evidence: Option<String>,
    /// The certificates, line by line.
    pub lines: Vec<String>,
    /// The number of the run that ends with it and can be played.
    pub run: Option<usize>,
}

/// Settles the properties within `budget`, and collects all that a page shows, which takes two
/// seconds more.
pub fn system_report(case: &Case, made: String, config: &Config, budget: &Budget) -> SystemReport {
    let system = &case.system;
    let settled: Vec<Mutex<Option<Settled>>> =
        case.properties.iter().map(|_| Mutex::new(None)).collect();
    settle(case, config, budget, &|at, it| {
        *settled[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(it);
    });
    let (mut properties, mut runs, mut faults) = (Vec::new(), Vec::new(), 0);
    for (property, settled) in case.properties.iter().zip(settled) {
        let mut row = Row {
            name: property.number.to_string(),
            formula: property.formula.split_whitespace().collect::<Vec<_>>().join(" "),
            reason: "out of time".to_owned(),
            ..Row::default()
        };
        match settled.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(Settled::Answer(answer)) => {
                row.value = Some(answer.value);
                row.good = row.value;
                row.evidence = Some(answer.evidence.to_owned());
                row.reason.clone_from(&answer.reason);
                row.otherwise = property.solution.filter(|it| *it != answer.value);
                if let Some(run) = run_of(system, &answer) {
                    row.run = Some(runs.len());
                    runs.push(run);
                }
            }
            Some(Settled::Open(why)) => row.reason = why,
            Some(Settled::Fault(why)) => {
                faults += 1;
                row.reason = format!("an internal error, please report it: {why}");
            }
            None => {}
        }
        properties.push(row);
    }
    let found = AsNet { rows: properties, runs, faults, coming: Vec::new() };
    let semantics = case.logic.semantics(config.endings);
    page_of(system, made, ("Properties", semantics), found, figures(system))
}

/// Asks within `budget` whether a system can stop and which labels come, and collects all that a
/// page shows, which takes four seconds more. `tell` hears what is being done.
pub fn system_alone(
    system: &System,
    made: String,
    config: &run::Config,
    budget: &Budget,
    tell: &mut dyn FnMut(&str),
) -> SystemReport {
    let mut figures = figures(system);
    let found = match SystemNet::of(system) {
        Ok(net) => {
            let found = net.ask(&super::for_pages(config), budget, tell);
            tell("the number of joint states");
            let joint = net.joint_states(config, &own(COUNT, budget));
            figures.extend(joint.map(|number| ("joint states", number)));
            found
        }
        Err(why) => AsNet::unasked(&why),
    };
    tell("the picture");
    let semantics = "whether the system can stop, and which labels come: on all of its runs";
    page_of(system, made, ("Questions", semantics), found, figures)
}

/// Time of its own for what comes beyond the answers, unless all is to end.
fn own(time: Duration, budget: &Budget) -> Budget {
    match budget.is_cancelled() {
        true => budget.child(),
        false => Budget::lasting(time),
    }
}

fn page_of(
    system: &System,
    made: String,
    (asked, semantics): (&'static str, &'static str),
    found: AsNet,
    figures: Vec<(&'static str, String)>,
) -> SystemReport {
    let budget = Budget::lasting(PICTURE);
    let picture = draw::picture(system, &BTreeSet::new(), false, &budget);
    SystemReport {
        model: system.name().to_owned(),
        made,
        semantics,
        components: parts(system),
        labels: system.labels().map(|label| system.label(label).to_owned()).collect(),
        asked,
        properties: found.rows,
        coming: found.coming,
        beginning: beginning(system),
        runs: found.runs,
        figures,
        boxes: picture.boxes,
        faults: found.faults,
        picture,
    }
}

/// The run that an answer comes with, as it is played.
fn run_of(system: &System, answer: &Answer) -> Option<Played> {
    let Shown::Run { labels, back } = &answer.shown else { return None };
    let labels: Option<Vec<_>> = labels.iter().map(|name| system.label_named(name)).collect();
    played(system, &labels?, *back)
}

/// The first start state of each component.
fn beginning(system: &System) -> Played {
    let starts = system.components().iter().filter_map(|it| it.starts().first().copied());
    Played { starts: starts.collect(), steps: Vec::new(), back: None, ends: false }
}

fn parts(system: &System) -> Vec<Part> {
    let part = |component: &parikh_systems::Component| Part {
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
        ("joint states, at most", format!("10^{:.1}", joint.sum::<f64>())),
    ]
}
