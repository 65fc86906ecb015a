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
//! Components are numbered from 0 in the order of the file. `through` has for each component the
//! labels by which it is abstracted, or null for the whole component. `order` lists pairs of
//! components that are composed: each number is an index among the components or, after those,
//! among the earlier pairs. Further entries of a line are for people. The question is read from the
//! property file by the number in `id`, and the caller says which runs count. So a file about
//! another question is rejected.
//! else is refused.

use super::branching::Space;
use super::composed::{self, Order};
use super::none::{Claim, Visited, visit};
use super::properties::{Formula, Properties};
use super::terms::Linear;
use super::{Endings, Member, System, run};
use crate::audit::{Broken, Judged, Report, Verdict, Watch};
use serde::Deserialize;
use std::collections::{BTreeSet, HashSet};

/// The name of this version of the format.
pub const FORMAT: &str = "parikh-system-evidence-1";

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Evidence(Header),
    Answer(Box<Answer>),
    End(End),
}

#[derive(Debug, Deserialize)]
struct Header {
    format: String,
    components: usize,
    labels: usize,
    semantics: String,
}

#[derive(Debug, Deserialize)]
struct Answer {
    id: String,
    value: String,
    #[serde(default)]
    run: Option<RunOfLabels>,
    #[serde(default)]
    no_run: Option<Members>,
    #[serde(default)]
    visited: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct RunOfLabels {
    labels: Vec<String>,
    back: usize,
}

#[derive(Debug, Deserialize)]
struct Members {
    /// The components whose runs are considered.
    components: Vec<usize>,
    /// For each component, the labels by which it is abstracted. If the list is empty, all
    /// components are whole.
    #[serde(default)]
    through: Vec<Option<BTreeSet<String>>>,
    /// True if labels that cannot occur infinitely often are removed.
    #[serde(default)]
    recurrence: bool,
    /// Pairs of components to compose in order, with equivalent states merged.
    #[serde(default)]
    order: Option<Vec<(usize, usize)>>,
}

#[derive(Debug, Deserialize)]
struct End {
    answers: usize,
}

/// An audit of evidence about one system.
pub struct SystemAudit<'s> {
    system: &'s System,
    properties: &'s Properties,
    endings: Endings,
    /// The maximum number of visited nodes.
    most: usize,
    watch: Watch,
    /// The joint states of the system, computed when needed; `Some(None)` if there are too many.
    space: Option<Option<Space>>,
    report: Report,
}

impl<'s> SystemAudit<'s> {
    /// Creates an audit. Searches are repeated if there are at most `most` joint states.
    pub fn new(
        system: &'s System,
        properties: &'s Properties,
        endings: Endings,
        most: u64,
        watch: Watch,
    ) -> Self {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Self { system, properties, endings, most, watch, space: None, report: Report::default() }
    }

    /// Audits a file.
    ///
    /// # Errors
    /// The reason that the file cannot be read further.
    pub fn file(&mut self, name: &str, text: &str) -> Result<(), Broken> {
        let mut answered: HashSet<u64> = HashSet::new();
        let (mut answers, mut ended) = (0, false);
        for (line, content) in (1..).zip(text.lines()) {
            let broken = |what: String| Broken { file: name.to_owned(), line, what };
            let read = serde_json::from_str(content).map_err(|error| broken(error.to_string()))?;
            if (line == 1) != matches!(read, Line::Evidence(_)) || ended {
                return Err(broken("a line of this kind is not allowed here".to_owned()));
            }
            match read {
                Line::Evidence(header) => self.fits(&header).map_err(broken)?,
                Line::End(end) => {
                    ended = true;
                    if end.answers != answers {
                        let what = format!("{} answers were printed, not {answers}", end.answers);
                        self.report.irregular.push(broken(what));
                    }
                }
                Line::Answer(answer) => {
                    answers += 1;
                    self.watch.at(name, line);
                    let number = answer.id.parse().ok();
                    let known = number.and_then(|it| self.properties.all.get(&it));
                    let verdict = match known {
                        None => Verdict::Refused("there is no such property".to_owned()),
                        Some((formula, _)) => self.verdict(formula, &answer),
                    };
                    if number.is_some_and(|number| !answered.insert(number)) {
                        self.report.irregular.push(broken("a second answer".to_owned()));
                    }
                    self.report.judged.push(Judged {
                        assumptions: Vec::new(),
                        file: name.to_owned(),
                        line,
                        examination: "property".to_owned(),
                        id: answer.id,
                        question: known.map_or(String::new(), |it| it.1.clone()),
                        value: answer.value,
                        verdict,
                        assumes_units: false,
                    });
                }
            }
        }
        if !ended {
            let what = "the last line is missing".to_owned();
            self.report.irregular.push(Broken { file: name.to_owned(), line: 0, what });
        }
        self.report.unanswered +=
            self.properties.all.keys().filter(|number| !answered.contains(number)).count();
        Ok(())
    }

    /// Returns the report.
    pub fn finish(self) -> Report {
        self.report
    }

    fn fits(&self, header: &Header) -> Result<(), String> {
        let sizes = (self.system.components().len(), self.system.label_count());
        match () {
            () if header.format != FORMAT => Err(format!("the format is not `{FORMAT}`")),
            () if header.semantics != self.endings.name() => {
                Err(format!("the file uses another semantics: {}", self.endings.name()))
            }
            () if (header.components, header.labels) != sizes => {
                Err("the file is about a system of another size".to_owned())
            }
            () => Ok(()),
        }
    }

    fn verdict(&mut self, formula: &Formula, answer: &Answer) -> Verdict {
        let watch = self.watch.clone();
        let mut goes_on = || watch.goes_on();
        let value = match answer.value.as_str() {
            "TRUE" => true,
            "FALSE" => false,
            _ => return Verdict::Refused("the value is neither TRUE nor FALSE".to_owned()),
        };
        match (formula, value, &answer.run, &answer.no_run, answer.visited) {
            (Formula::Linear(formula), false, Some(given), None, None) => {
                let RunOfLabels { labels, back } = given;
                match run::check(self.system, formula, self.endings, labels, *back) {
                    Ok(()) => {
                        Verdict::Confirmed("the run was replayed component by component".into())
                    }
                    Err(why) => Verdict::Refused(why),
                }
            }
            (Formula::Linear(formula), true, None, Some(given), None) => {
                self.no_run(formula, given, &mut goes_on)
            }
            (Formula::Branching(formula), value, None, None, Some(_)) => {
                let (system, most) = (self.system, self.most);
                let space =
                    self.space.get_or_insert_with(|| Space::visit(system, most, &mut goes_on));
                match space.as_ref().map(|space| space.satisfies(formula, &mut goes_on)) {
                    Some(Some(holds)) if holds == value => Verdict::Confirmed(
                        "all joint states were visited, and the formula evaluated".to_owned(),
                    ),
                    Some(Some(_)) => {
                        Verdict::Refused("the formula has the opposite value".to_owned())
                    }
                    _ if !watch.goes_on() => self.stopped(),
                    _ => Verdict::Searched(format!("there are more than {most} joint states")),
                }
            }
            _ => Verdict::Refused(
                "this kind of evidence does not support this value of the formula".to_owned(),
            ),
        }
    }

    /// Checks an argument that no run violates a formula.
    fn no_run(
        &self,
        formula: &Linear,
        given: &Members,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Verdict {
        let Members { components, through, recurrence, order } = given;
        if !through.is_empty() && through.len() != components.len() {
            return Verdict::Refused(
                "`through` and `components` have different lengths".to_owned(),
            );
        }
        let mut members: Vec<Member> = components.iter().map(|&it| Member::whole(it)).collect();
        for (member, labels) in members.iter_mut().zip(through) {
            member.labels.clone_from(labels);
        }
        let members = &members[..];
        let (system, most) = (self.system, self.most);
        let visited = match order {
            None => {
                let claim = Claim { endings: self.endings, members, recurrence: *recurrence };
                visit(system, formula, claim, most, goes_on)
            }
            Some(_) if self.endings != Endings::Ignored || *recurrence => {
                Err("a composition in an order applies only to all infinite runs".to_owned())
            }
            Some(pairs) => {
                composed::visit(system, formula, Order { members, pairs }, most, goes_on)
            }
        };
        match visited {
            Ok(Visited::None(0)) => Verdict::Confirmed(
                "the steps that a violating run repeats forever cannot occur infinitely often"
                    .to_owned(),
            ),
            Err(why) => Verdict::Refused(why),
            Ok(Visited::None(nodes)) => Verdict::Confirmed(format!(
                "{nodes} joint states of {} components were visited{}",
                members.len(),
                if order.is_some() { ", composed in that order" } else { "" }
            )),
            Ok(Visited::Some) => Verdict::Refused("a run violates the formula".to_owned()),
            Ok(Visited::More) => Verdict::Searched(format!(
                "there are more than {} joint states of these components",
                self.most
            )),
            Ok(Visited::Stopped) => self.stopped(),
        }
    }

    fn stopped(&self) -> Verdict {
        Verdict::Stopped(self.watch.out_of().unwrap_or(crate::audit::OutOf::Time))
    }
}
