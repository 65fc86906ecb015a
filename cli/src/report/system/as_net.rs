//! Two questions about every parallel system: whether it can deadlock, and which labels occur on
//! some run.
//!
//! Both questions concern single joint states. So the engines answer them on the
//! [net](parikh_systems::net) of the system, and their evidence is checked as usual. The answers
//! are translated back into terms of the system. A place is a state of a component, a firing is a
//! step, and a firing sequence is a run that the page plays component by component.

use super::blocked::blocked;
use super::{LabelOccurrence, SystemQuestion};
use crate::report::evidence::{EvidenceStore, PlayedSequence};
use crate::report::questions::{self, AnsweredQuestion, ReportQuestions};
use crate::report::text::Sentence;
use num_bigint::BigUint;
use parikh::answer::{Grade, Plan};
use parikh::run::{self, Event, RunConfig};
use parikh::systems::{MAX_STEPS, ResolvedRun};
use parikh_net::printable::counted;
use parikh_net::{Marking, Net, PlaceId, Predicate, TransitionId};
use parikh_solvers::Budget;
use parikh_systems::{LabelId, System, states_of_places};
use std::collections::{BTreeMap, HashMap};

/// The largest number of transitions of the net of a system.
const MAX_TRANSITIONS: usize = 200_000;

/// The largest number of steps in all runs of a page together.
const MAX_PLAYED_STEPS: usize = 20_000;

/// The largest number of certificate lines shown for one answer.
const MAX_CERTIFICATE_LINES: usize = 60;

/// The largest number of labels listed in a sentence.
const MAX_LISTED_LABELS: usize = 12;

/// The id under which the engines report the number of reachable markings.
const STATES: &str = "STATES";

/// The name of the question about deadlocks, and the question in words.
const DEADLOCK: (&str, &str) = ("Deadlock", "Can the system stop?");
/// The name of the question about labels, and the question in words.
const LABELS: (&str, &str) = ("Labels", "Does every label occur on some run?");

/// The answers whether a system can deadlock and which labels occur.
#[derive(Default)]
pub(super) struct NetAnswers {
    /// The questions about deadlocks and about labels, with their answers.
    pub(super) rows: Vec<SystemQuestion>,
    /// An entry per label of a transition of the net: whether the label occurs on some run.
    pub(super) occurrences: Vec<LabelOccurrence>,
    /// The runs to play.
    pub(super) runs: Vec<ResolvedRun>,
    /// The number of answers that failed their check.
    pub(super) faults: usize,
}

impl NetAnswers {
    /// Returns open answers for a system that has no net. `why` is the reason.
    pub(super) fn all_open(why: &str) -> NetAnswers {
        let open_row = |name: &str, formula: &str| SystemQuestion {
            name: name.into(),
            formula: formula.into(),
            reason: why.into(),
            ..SystemQuestion::default()
        };
        NetAnswers {
            rows: vec![open_row(DEADLOCK.0, DEADLOCK.1), open_row(LABELS.0, LABELS.1)],
            ..NetAnswers::default()
        }
    }
}

/// A label, the transitions with it, and the answer whether one of them can fire.
struct AnsweredLabel<'a> {
    label: LabelId,
    transitions: &'a [TransitionId],
    question: AnsweredQuestion,
}

/// The net of a system, with the translation of its places and transitions back to the system.
pub(super) struct SystemNet<'s> {
    system: &'s System,
    net: Net,
    /// The component and the state of each place. The state is `None` for the root of a component.
    /// The root is marked before the joint first step, in which every component chooses a start
    /// state.
    states: Vec<(u32, Option<u32>)>,
    /// The label of each transition. The label is `None` for the joint first step, in which every
    /// component chooses a start state.
    labels: Vec<Option<LabelId>>,
}

impl<'s> SystemNet<'s> {
    /// Builds the net of a system. Returns the reason if the system has no net.
    pub(super) fn of(system: &'s System) -> Result<Self, String> {
        let net = parikh_systems::net(system, MAX_TRANSITIONS).map_err(|why| why.to_string())?;
        let label = |t| net.transition_label(t).and_then(|label| system.label_named(label));
        let labels = net.transitions().map(label).collect();
        Ok(SystemNet { system, states: states_of_places(system), labels, net })
    }

    /// Decides within the budget whether the system can deadlock, and for each label whether it
    /// occurs on some run.
    pub(super) fn ask(
        &self,
        config: &RunConfig,
        budget: &Budget,
        tell: &mut dyn FnMut(&str),
    ) -> NetAnswers {
        let net = &self.net;
        let mut by_label: BTreeMap<LabelId, Vec<TransitionId>> = BTreeMap::new();
        for (t, label) in net.transitions().zip(&self.labels) {
            if let Some(label) = label {
                by_label.entry(*label).or_default().push(t);
            }
        }
        let mut plan = Plan::default();
        plan.ask_exists(DEADLOCK.0, Predicate::Dead);
        for (label, label_transitions) in &by_label {
            let is_enabled = label_transitions.iter().map(|&t| Predicate::Enabled(t));
            plan.ask_exists(&label.0.to_string(), Predicate::or(is_enabled));
        }
        let (written, refused) = (HashMap::new(), Vec::new());
        let (plan, are_requirements) = (Box::new(plan), false);
        let asked = ReportQuestions::Formulas { plan, written, refused, are_requirements };
        let mut store = EvidenceStore::new(net);
        tell("whether the system can stop, and which labels occur");
        let answers = questions::ask(net, asked, config, budget, &mut store, &mut |_| {});
        let mut translator = SystemTranslator {
            system_net: self,
            store: &store,
            played_steps: 0,
            answers: NetAnswers::default(),
        };
        translator.answers.faults = answers.faults;
        let mut questions: HashMap<String, AnsweredQuestion> =
            answers.questions.into_iter().map(|it| (it.id.clone(), it)).collect();
        if let Some(question) = questions.remove(DEADLOCK.0) {
            translator.add_deadlock_answer(&question);
        }
        let answered_labels = by_label.iter();
        let answered_labels = answered_labels.filter_map(|(label, label_transitions)| {
            let question = questions.remove(&label.0.to_string())?;
            Some(AnsweredLabel {
                label: *label,
                transitions: label_transitions.as_slice(),
                question,
            })
        });
        translator.add_label_answers(answered_labels.collect());
        translator.answers
    }

    /// Counts the reachable joint states. Returns the number with the grade of its evidence, or
    /// `None` if the engines do not determine the number within the budget.
    pub(super) fn joint_states(&self, config: &RunConfig, budget: &Budget) -> Option<String> {
        let mut counted = None;
        run::state_space(&self.net, config, budget, |event| match event {
            Event::Figure(answer, _) if answer.id == STATES => {
                counted = Some((answer.value.to_string(), answer.grade));
            }
            Event::Withdrawn { id } if id == STATES => counted = None,
            _ => {}
        });
        let (number, grade) = counted?;
        let number: BigUint = number.parse().ok()?;
        // The initial marking is no joint state if the system begins with a joint first step. So it
        // is not counted.
        let has_root = self.states.iter().any(|it| it.1.is_none());
        let number = number - u32::from(has_root);
        Some(format!("{number} [{grade}]"))
    }

    /// Returns the name of a place as component and state.
    fn place(&self, place: usize) -> String {
        let (component, state) = self.states[place];
        let component = &self.system.components()[component as usize];
        let state = state.map_or(component.root().unwrap_or("root"), |it| component.title(it));
        format!("{}.{state}", component.name())
    }

    /// Returns a sentence about the net in the names of the system.
    fn in_system_names(&self, text: &Sentence) -> String {
        let label = |t: usize| self.labels[t].map_or("(start)", |label| self.system.label(label));
        text.in_words(|p| self.place(p), |t| format!("“{}”", label(t)))
    }

    /// Returns the components that move when a transition fires, each with its new state, sorted by
    /// component.
    fn moves(&self, t: TransitionId) -> Vec<(u32, u32)> {
        // Root places have no state, and no step of the system produces a token on them.
        let new_state = |place: PlaceId| {
            let (component, state) = self.states[place.index()];
            state.map(|state| (component, state))
        };
        let mut moves: Vec<_> =
            self.net.post(t).iter().filter_map(|arc| new_state(arc.place)).collect();
        moves.sort_unstable();
        moves
    }

    /// Returns the states of the components in a marking, in the order of the components. A
    /// component whose root is marked has no entry.
    fn joint_state(&self, marking: &Marking) -> Vec<u32> {
        let marked = marking.marked().map(|(place, _)| self.states[place.index()]);
        let mut joint: Vec<(u32, u32)> = marked.filter_map(|(at, it)| Some((at, it?))).collect();
        joint.sort_unstable();
        joint.into_iter().map(|(_, state)| state).collect()
    }

    /// Converts a firing sequence into a run, and returns it with its last marking. Returns `None`
    /// if the sequence cannot fire.
    fn run(&self, firings: &[TransitionId]) -> Option<(ResolvedRun, Marking)> {
        let mut marking = self.net.initial().clone();
        let mut starts = self.joint_state(&marking);
        let mut steps = Vec::with_capacity(firings.len());
        for &t in firings {
            self.net.fire(&mut marking, t).ok()?;
            match self.labels[t.index()] {
                Some(label) => steps.push((label.0, self.moves(t))),
                // The joint first step chooses the start states, and is no step of the run.
                None => starts = self.joint_state(&marking),
            }
        }
        let ends = self.net.transitions().all(|t| !self.net.is_enabled(&marking, t));
        Some((ResolvedRun { starts, steps, back: None, ends }, marking))
    }
}

/// A converter of answers about the net into answers about the system.
struct SystemTranslator<'a, 's> {
    system_net: &'a SystemNet<'s>,
    store: &'a EvidenceStore<'a>,
    /// The number of steps of all runs so far.
    played_steps: usize,
    answers: NetAnswers,
}

impl SystemTranslator<'_, '_> {
    /// Returns the firings of the sequence to play, or no firings if `play` is `None`. Returns
    /// `None` if the sequence has more than [`MAX_STEPS`] firings or the page does not keep its
    /// trace.
    fn firings(&self, play: Option<&PlayedSequence>) -> Option<Vec<TransitionId>> {
        let Some(play) = play else { return Some(Vec::new()) };
        let firings = usize::try_from(play.firings).ok().filter(|it| *it <= MAX_STEPS)?;
        let steps = self.store.traces[play.trace?].chunks_exact(2);
        let repeated = steps.flat_map(|step| {
            let t = TransitionId::new(step[0] as usize);
            std::iter::repeat_n(t, usize::try_from(step[1]).unwrap_or(firings).min(firings))
        });
        Some(repeated.take(firings).collect())
    }

    /// Adds a run to the page, and returns its index. Returns `None` if all runs of the page
    /// together would have more than [`MAX_PLAYED_STEPS`] steps.
    fn play(&mut self, run: ResolvedRun) -> Option<usize> {
        if self.played_steps + run.steps.len() > MAX_PLAYED_STEPS {
            return None;
        }
        self.played_steps += run.steps.len();
        self.answers.runs.push(run);
        Some(self.answers.runs.len() - 1)
    }

    /// Returns the lines of an answer's certificates.
    fn lines(&self, question: &AnsweredQuestion) -> Vec<String> {
        let shown = question.certificates.iter().map(|&at| &self.store.certificates[at]);
        let mut lines = Vec::new();
        for certificate in shown {
            let mut heading = certificate.kind.to_owned();
            if let Some(rules) = certificate.reduced_by {
                heading += &format!(", on the net after {}", counted(rules, "reduction"));
            }
            lines.push(heading);
            lines
                .extend(certificate.lines.iter().map(|line| self.system_net.in_system_names(line)));
        }
        if lines.len() > MAX_CERTIFICATE_LINES {
            let more = lines.len() - MAX_CERTIFICATE_LINES;
            lines.truncate(MAX_CERTIFICATE_LINES);
            lines.push(format!("… {}", counted(more, "more line")));
        }
        lines
    }

    /// Adds the answer whether the system can deadlock.
    fn add_deadlock_answer(&mut self, question: &AnsweredQuestion) {
        let value = question.truth();
        let mut row = SystemQuestion {
            name: DEADLOCK.0.into(),
            formula: DEADLOCK.1.into(),
            value,
            good: value.map(|stops| !stops),
            reason: self.system_net.in_system_names(&question.reason),
            evidence: question.grade.map(|grade| grade.to_string()),
            lines: self.lines(question),
            ..SystemQuestion::default()
        };
        if value == Some(true)
            && let Some(firings) = self.firings(question.play.as_ref())
            && let Some((run, marking)) = self.system_net.run(&firings)
        {
            let steps = counted(run.steps.len(), "step");
            row.reason = format!("after {steps}, no component can move");
            row.blocked = blocked(self.system_net.system, &self.system_net.joint_state(&marking));
            row.run = self.play(run);
        }
        self.answers.rows.push(row);
    }

    /// Adds the answers which labels occur, and their summary.
    fn add_label_answers(&mut self, answered_labels: Vec<AnsweredLabel<'_>>) {
        let mut grades: Vec<(Option<bool>, Option<Grade>)> = Vec::new();
        let count = answered_labels.len();
        for AnsweredLabel { label, transitions, question } in answered_labels {
            let occurs = question.truth();
            let mut occurrence = LabelOccurrence {
                label: label.0,
                comes: occurs,
                reason: self.system_net.in_system_names(&question.reason),
                evidence: question.grade.map(|grade| grade.to_string()),
                lines: self.lines(&question),
                run: None,
            };
            if occurs == Some(true) {
                occurrence.reason = "a run ends with it".into();
                occurrence.run = self.run_to(transitions, question.play.as_ref());
            }
            grades.push((occurs, question.grade));
            self.answers.occurrences.push(occurrence);
        }
        let labels_with = |wanted: Option<bool>| -> Vec<&str> {
            let occurrences = self.answers.occurrences.iter().filter(|it| it.comes == wanted);
            occurrences.map(|it| self.system_net.system.label(LabelId(it.label))).collect()
        };
        let (never, open) = (labels_with(Some(false)), labels_with(None));
        let value = match (never.is_empty(), open.is_empty()) {
            (false, _) => Some(false),
            (true, true) => Some(true),
            (true, false) => None,
        };
        // The answer false rests only on the labels that never occur.
        let deciding = grades.iter().filter(|(occurs, _)| *occurs == value);
        let grade = deciding.filter_map(|(_, grade)| *grade).max();
        let mut reason = match (never.len(), open.len()) {
            (0, 0) => format!("all {} occur", counted(count, "label")),
            (0, label_count) => {
                format!("{} of {} occur", count - label_count, counted(count, "label"))
            }
            (label_count, _) => {
                format!(
                    "{label_count} of {} never occur: {}",
                    counted(count, "label"),
                    quoted_list(&never)
                )
            }
        };
        if !open.is_empty() {
            reason += &format!("; unknown for {}", quoted_list(&open));
        }
        let row = SystemQuestion {
            name: LABELS.0.into(),
            formula: LABELS.1.into(),
            value,
            good: value,
            reason,
            evidence: value.and(grade).map(|grade| grade.to_string()),
            ..SystemQuestion::default()
        };
        self.answers.rows.push(row);
    }

    /// Adds a run that ends with a transition of `transitions`, which have the same label. The run
    /// first fires `play`, and then the first of the transitions that is enabled. Returns the index
    /// of the run. Returns `None` if the page does not keep the firings of `play`, if they cannot
    /// fire, or if they enable none of the transitions. Also returns `None` if the page has no
    /// space for the run.
    fn run_to(
        &mut self,
        transitions: &[TransitionId],
        play: Option<&PlayedSequence>,
    ) -> Option<usize> {
        let mut firings = self.firings(play)?;
        let (_, marking) = self.system_net.run(&firings)?;
        firings.push(*transitions.iter().find(|&&t| self.system_net.net.is_enabled(&marking, t))?);
        let (run, _) = self.system_net.run(&firings)?;
        self.play(run)
    }
}

/// Lists the labels in quotation marks, at most [`MAX_LISTED_LABELS`].
fn quoted_list(labels: &[&str]) -> String {
    let quoted = labels.iter().take(MAX_LISTED_LABELS).map(|label| format!("“{label}”"));
    let list = quoted.collect::<Vec<_>>().join(", ");
    match labels.len().saturating_sub(MAX_LISTED_LABELS) {
        0 => list,
        more => format!("{list} and {more} more"),
    }
}
