//! Audits files of evidence about a system, given the system and its properties.
//!
//! ```json
//! {"evidence": {"format": "parikh-system-evidence-1", "components": 4, "labels": 44, "semantics": "infinite traces"}}
//! {"answer": {"id": "1", "value": "FALSE", "run": {"labels": ["a", "b", "a"], "back": 1}}}
//! {"answer": {"id": "2", "value": "TRUE", "no_run": {"components": [0, 3]}}}
//! {"answer": {"id": "3", "value": "TRUE", "no_run": {"components": [], "recurrence": true}}}
//! {"answer": {"id": "5", "value": "TRUE", "no_run": {"components": [0, 3], "through": [null, ["a", "b"]]}}}
//! {"answer": {"id": "6", "value": "TRUE", "no_run": {"components": [0, 1, 2], "order": [[1, 2]]}}}
//! {"answer": {"id": "4", "value": "FALSE", "visited": 1200}}
//! {"end": {"answers": 6}}
//! ```
//!
//! Components are numbered from 0 in the order of the file. `back` is the index from which the
//! labels of a run repeat. `recurrence` is true if the search for the cycle of a violating run
//! leaves out edges whose labels such a run cannot take infinitely often. `through` has for each
//! component the labels that its abstraction keeps visible, or null for the whole component.
//! `order` lists pairs of components that are composed: each number is an index among the
//! components or, after those, among the earlier pairs. `visited` is the number of joint states
//! that the prover visited for a CTL formula; the auditor does not use it. Readers ignore further
//! entries of a line.
//!
//! The auditor reads each question from the property file by the number in `id`, and the caller
//! says which runs count. A file with another header is rejected. An answer whose evidence does not
//! prove it for this question is refused.

use super::branching::JointSpace;
use super::composed::{self, CompositionOrder};
use super::properties::{PropertyFile, SystemFormula};
use super::terms::LabelLtl;
use super::violation_search::{NoRunSearch, ViolationSearch, visit};
use super::{ComponentView, Endings, System, run};
use crate::audit::{AuditReport, AuditVerdict, AuditWatch, AuditedAnswer, EvidenceFileError};
use serde::Deserialize;
use std::collections::{BTreeSet, HashSet};

/// The name of this version of the format.
pub const FORMAT: &str = "parikh-system-evidence-1";

/// A line of an evidence file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SystemLine {
    Evidence(SystemHeader),
    Answer(Box<SystemAnswer>),
    End(SystemEnd),
}

/// The first line: the system and the semantics that the file is about.
#[derive(Debug, Deserialize)]
struct SystemHeader {
    format: String,
    components: usize,
    labels: usize,
    semantics: String,
}

/// An answer to a property, with its evidence.
#[derive(Debug, Deserialize)]
struct SystemAnswer {
    id: String,
    value: String,
    /// A run that violates an LTL formula, or `None` if the answer relies on other evidence.
    #[serde(default)]
    run: Option<RunOfLabels>,
    /// A claim that no run violates an LTL formula, or `None` if the answer relies on other
    /// evidence.
    #[serde(default)]
    no_run: Option<NoRunClaim>,
    /// The number of joint states that the prover visited for a CTL formula, or `None` for other
    /// evidence. The number itself is not used.
    #[serde(default)]
    visited: Option<u64>,
}

/// A run, as its labels and the position from which they repeat.
#[derive(Debug, Deserialize)]
struct RunOfLabels {
    labels: Vec<String>,
    /// The index from which the labels repeat. It is the number of labels if the run is finite.
    back: usize,
}

/// A claim that no run violates the formula.
#[derive(Debug, Deserialize)]
struct NoRunClaim {
    /// The components whose runs are considered.
    components: Vec<usize>,
    /// For each component, the labels that its abstraction keeps visible, or `None` for the whole
    /// component. If the list is empty, all components are whole.
    #[serde(default)]
    through: Vec<Option<BTreeSet<String>>>,
    /// True if the search for the cycle of a violating run leaves out edges whose labels such a run
    /// cannot take infinitely often. Correct for infinite runs only.
    #[serde(default)]
    recurrence: bool,
    /// Pairs of graphs to compose in order, with equivalent states merged. An index below the
    /// length of `components` stands for a component, and the following indices stand for the
    /// earlier pairs. `None` if the components are searched together, without composing pairs
    /// first.
    #[serde(default)]
    order: Option<Vec<(usize, usize)>>,
}

/// The last line: the number of answers.
#[derive(Debug, Deserialize)]
struct SystemEnd {
    answers: usize,
}

/// An audit of evidence about one system.
pub struct SystemAudit<'s> {
    /// The system.
    system: &'s System,
    /// The properties, by number.
    properties: &'s PropertyFile,
    /// The treatment of finite runs in LTL formulas.
    endings: Endings,
    /// The maximum number of joint states, or of other search nodes, in one search.
    max_nodes: usize,
    /// The watch that limits time and memory.
    watch: AuditWatch,
    /// The joint states of the system, or `None` before the first CTL formula. `Some(None)` if
    /// there are too many, or if the visit was stopped.
    joint_space: Option<Option<JointSpace>>,
    /// The results so far.
    report: AuditReport,
}

impl<'s> SystemAudit<'s> {
    /// Creates an audit. The audit repeats searches of the prover, each up to `max_nodes` nodes.
    /// For a CTL formula, the nodes are the joint states.
    pub fn new(
        system: &'s System,
        properties: &'s PropertyFile,
        endings: Endings,
        max_nodes: u64,
        watch: AuditWatch,
    ) -> Self {
        let max_nodes = usize::try_from(max_nodes).unwrap_or(usize::MAX);
        Self {
            system,
            properties,
            endings,
            max_nodes,
            watch,
            joint_space: None,
            report: AuditReport::default(),
        }
    }

    /// Audits a file with the given name and content.
    ///
    /// # Errors
    /// When a line is not valid or stands in a wrong place, or the header is about another system
    /// or treatment of finite runs.
    pub fn file(&mut self, name: &str, text: &str) -> Result<(), EvidenceFileError> {
        let mut answered: HashSet<u64> = HashSet::new();
        let (mut answer_count, mut has_ended) = (0, false);
        for (line, content) in (1..).zip(text.lines()) {
            let broken = |what: String| EvidenceFileError { file: name.to_owned(), line, what };
            let parsed =
                serde_json::from_str(content).map_err(|error| broken(error.to_string()))?;
            if (line == 1) != matches!(parsed, SystemLine::Evidence(_)) || has_ended {
                return Err(broken("a line of this kind is not allowed here".to_owned()));
            }
            match parsed {
                SystemLine::Evidence(header) => self.check_header(&header).map_err(broken)?,
                SystemLine::End(end) => {
                    has_ended = true;
                    if end.answers != answer_count {
                        let what =
                            format!("{} answers were printed, not {answer_count}", end.answers);
                        self.report.irregular.push(broken(what));
                    }
                }
                SystemLine::Answer(answer) => {
                    answer_count += 1;
                    self.watch.set_position(name, line);
                    let number = answer.id.parse().ok();
                    let property = number.and_then(|it| self.properties.by_number.get(&it));
                    let verdict = match property {
                        None => AuditVerdict::Refused("there is no such property".to_owned()),
                        Some((formula, _)) => self.verdict(formula, &answer),
                    };
                    if number.is_some_and(|number| !answered.insert(number)) {
                        self.report.irregular.push(broken("a second answer".to_owned()));
                    }
                    self.report.judged.push(AuditedAnswer {
                        assumptions: Vec::new(),
                        file: name.to_owned(),
                        line,
                        examination: "property".to_owned(),
                        id: answer.id,
                        question: property.map_or(String::new(), |it| it.1.clone()),
                        value: answer.value,
                        verdict,
                        assumes_units: false,
                    });
                }
            }
        }
        if !has_ended {
            let what = "the last line is missing".to_owned();
            self.report.irregular.push(EvidenceFileError { file: name.to_owned(), line: 0, what });
        }
        self.report.unanswered +=
            self.properties.by_number.keys().filter(|number| !answered.contains(number)).count();
        Ok(())
    }

    /// Returns the report.
    pub fn finish(self) -> AuditReport {
        self.report
    }

    /// Checks that the header names this format and the audit's treatment of finite runs. Its
    /// numbers of components and labels must be those of the system.
    ///
    /// # Errors
    /// A message for the first of these that differs.
    fn check_header(&self, header: &SystemHeader) -> Result<(), String> {
        let sizes = (self.system.components().len(), self.system.label_count());
        match () {
            () if header.format != FORMAT => Err(format!("the format is not `{FORMAT}`")),
            () if header.semantics != self.endings.name() => Err(format!(
                "the file uses the semantics `{}`, and the audit uses `{}`",
                header.semantics,
                self.endings.name()
            )),
            () if (header.components, header.labels) != sizes => {
                Err("the file is about a system of another size".to_owned())
            }
            () => Ok(()),
        }
    }

    /// Returns the verdict on an answer.
    fn verdict(&mut self, formula: &SystemFormula, answer: &SystemAnswer) -> AuditVerdict {
        let watch = self.watch.clone();
        let mut goes_on = || watch.goes_on();
        let value = match answer.value.as_str() {
            "TRUE" => true,
            "FALSE" => false,
            _ => return AuditVerdict::Refused("the value is neither TRUE nor FALSE".to_owned()),
        };
        match (formula, value, &answer.run, &answer.no_run, answer.visited) {
            (SystemFormula::Linear(formula), false, Some(given), None, None) => {
                let RunOfLabels { labels, back } = given;
                match run::check(self.system, formula, self.endings, labels, *back) {
                    Ok(()) => AuditVerdict::Confirmed(
                        "the run was replayed component by component".into(),
                    ),
                    Err(why) => AuditVerdict::Refused(why),
                }
            }
            (SystemFormula::Linear(formula), true, None, Some(given), None) => {
                self.check_no_run(formula, given, &mut goes_on)
            }
            (SystemFormula::Branching(formula), value, None, None, Some(_)) => {
                let (system, max_nodes) = (self.system, self.max_nodes);
                let space = self
                    .joint_space
                    .get_or_insert_with(|| JointSpace::visit(system, max_nodes, &mut goes_on));
                match space.as_ref().map(|space| space.satisfies(formula, &mut goes_on)) {
                    Some(Some(holds)) if holds == value => AuditVerdict::Confirmed(
                        "all joint states were visited, and the formula evaluated".to_owned(),
                    ),
                    Some(Some(_)) => {
                        AuditVerdict::Refused("the formula has the opposite value".to_owned())
                    }
                    _ if !watch.goes_on() => self.stopped(),
                    _ => AuditVerdict::Searched(format!(
                        "there are more than {max_nodes} joint states"
                    )),
                }
            }
            _ => AuditVerdict::Refused(
                "this kind of evidence does not support this value of the formula".to_owned(),
            ),
        }
    }

    /// Checks a claim that no run violates a formula, by repeating the search.
    fn check_no_run(
        &self,
        formula: &LabelLtl,
        claim: &NoRunClaim,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> AuditVerdict {
        let NoRunClaim { components, through, recurrence, order } = claim;
        if !through.is_empty() && through.len() != components.len() {
            return AuditVerdict::Refused(
                "`through` and `components` have different lengths".to_owned(),
            );
        }
        let mut members: Vec<ComponentView> =
            components.iter().map(|&it| ComponentView::whole(it)).collect();
        for (member, labels) in members.iter_mut().zip(through) {
            member.labels.clone_from(labels);
        }
        let members = &members[..];
        let (system, max_nodes) = (self.system, self.max_nodes);
        let visited = match order {
            None => {
                let claim = NoRunSearch { endings: self.endings, members, recurrence: *recurrence };
                visit(system, formula, claim, max_nodes, goes_on)
            }
            Some(_) if self.endings != Endings::Ignored || *recurrence => {
                Err("a composition in an order applies only to all infinite runs".to_owned())
            }
            Some(pairs) => composed::visit(
                system,
                formula,
                CompositionOrder { members, pairs },
                max_nodes,
                goes_on,
            ),
        };
        match visited {
            Ok(ViolationSearch::NotViolated(0)) => AuditVerdict::Confirmed(
                "the steps that a violating run repeats forever cannot occur infinitely often"
                    .to_owned(),
            ),
            Err(why) => AuditVerdict::Refused(why),
            Ok(ViolationSearch::NotViolated(nodes)) => AuditVerdict::Confirmed(format!(
                "{nodes} joint states of {} components were visited{}",
                members.len(),
                if order.is_some() { ", composed in that order" } else { "" }
            )),
            Ok(ViolationSearch::Violated) => {
                AuditVerdict::Refused("a run violates the formula".to_owned())
            }
            Ok(ViolationSearch::More) => AuditVerdict::Searched(format!(
                "there are more than {} joint states of these components",
                self.max_nodes
            )),
            Ok(ViolationSearch::Stopped) => self.stopped(),
        }
    }

    /// Returns the verdict of an audit that ran out of time or memory.
    fn stopped(&self) -> AuditVerdict {
        AuditVerdict::Stopped(self.watch.out_of().unwrap_or(crate::audit::ExhaustedLimit::Time))
    }
}
