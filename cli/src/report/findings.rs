//! Findings: the results that a model's author would act on, as sentences, worst first.

mod nodes;

use super::evidence::{EvidenceStore, PlayedSequence};
use super::questions::{AnsweredQuestion, ReportResults};
use super::text::Sentence;
use super::topic::{StandardQuestion, final_markings};
use super::verdicts::{KeyConflict, ReportKeys};
use parikh::answer::{Cause, ProcessCause, QuestionValue, Reason};
use parikh::mcc::Examination;
use parikh_evidence::replay;
use parikh_net::printable::counted;
use parikh_net::{FiringSequence, Marking, Net, PlaceId, TransitionId};
use serde::Serialize;
use std::cmp::Ordering;

/// The severity of a finding, in the order in which the page lists findings: bad and open results
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The author hardly intended the result.
    Problem,
    /// The author may not have intended the result.
    Warning,
    /// The question is open.
    Unknown,
    /// The result is what most authors want.
    Good,
    /// The result is neither good nor bad.
    Note,
}

/// A finding.
#[derive(Clone, Debug, Serialize)]
pub struct ReportFinding {
    /// The severity.
    pub level: Severity,
    /// The finding in a sentence.
    pub title: Sentence,
    /// Further sentences about the finding.
    pub details: Vec<Sentence>,
    /// The firing sequence that shows the finding. `None` if no sequence shows the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub play: Option<PlayedSequence>,
    /// The index of the certificate in the report. `None` if the finding shows no certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<usize>,
    /// The index of the question that the finding answers. `None` if it answers no question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<usize>,
}

/// The largest number of disabled transitions of a dead marking whose missing tokens are listed.
const MAX_WAITING_TRANSITIONS: usize = 6;

/// The largest number of final markings listed.
const MAX_FINAL_MARKINGS: usize = 3;

/// Returns the findings in the order of their [`Severity`], bad and open results first.
pub(super) fn findings(
    net: &Net,
    found: &ReportResults,
    keys: &ReportKeys,
    store: &EvidenceStore<'_>,
) -> Vec<ReportFinding> {
    let mut collector = FindingCollector { net, results: found, store, findings: Vec::new() };
    if let Some(breach) = &found.breach {
        let title = Sentence::from_words(
            "The model claims that its units are safe (NUPN), and they are not: ",
        )
        .push_sentence(Sentence::message(breach));
        collector.add_finding(Severity::Problem, title);
    }
    for KeyConflict { key, file_value: form, computed } in &keys.conflicts {
        let title =
            Sentence::from_words(format!("The form says {key} is {form}, but it is {computed}"));
        collector.add_finding(Severity::Problem, title);
    }
    for (at, question) in found.questions.iter().enumerate() {
        match (question.topic, &question.value) {
            (Some(topic), Some(value)) => collector.add_answer_findings(at, question, topic, value),
            (_, None) => collector.add_open(at, question),
            (None, Some(_)) => collector.add_formula_answer(at, question),
        }
    }
    if let Some(verdicts) = &found.node_verdicts {
        collector.add_node_verdicts(verdicts);
    }
    collector.add_nodes_without_arcs();
    // The sort is stable, so findings of the same severity stay in the order of the questions.
    collector.findings.sort_by_key(|finding| finding.level);
    collector.findings
}

struct FindingCollector<'a> {
    net: &'a Net,
    results: &'a ReportResults,
    store: &'a EvidenceStore<'a>,
    findings: Vec<ReportFinding>,
}

impl FindingCollector<'_> {
    fn add_finding(&mut self, level: Severity, title: Sentence) -> &mut ReportFinding {
        self.findings.push(ReportFinding {
            level,
            title,
            details: Vec::new(),
            play: None,
            certificate: None,
            question: None,
        });
        // The list is not empty, because an element was just added.
        let last = self.findings.len() - 1;
        &mut self.findings[last]
    }

    /// Adds a finding that answers a question, with the evidence of the answer.
    fn add_answer(
        &mut self,
        at: usize,
        level: Severity,
        title: impl Into<String>,
    ) -> &mut ReportFinding {
        let question = &self.results.questions[at];
        let (play, certificate) = (question.play.clone(), question.certificates.first().copied());
        let finding = self.add_finding(level, Sentence::from_words(title));
        (finding.play, finding.certificate, finding.question) = (play, certificate, Some(at));
        finding
    }

    /// Adds the findings that follow from the answer to a standard question.
    fn add_answer_findings(
        &mut self,
        at: usize,
        question: &AnsweredQuestion,
        topic: StandardQuestion,
        value: &QuestionValue,
    ) {
        use QuestionValue::{Bool, Infinite};
        let because = question.reason.clone();
        match (topic, value) {
            (StandardQuestion::Process(examination), _)
                if self.repeats_soundness_finding(at, examination) => {}
            (StandardQuestion::Process(examination), Bool(true)) => {
                self.add_sound(at, examination, question)
            }
            (StandardQuestion::Process(examination), _) => {
                self.add_unsound(at, examination, question)
            }
            (StandardQuestion::Stuck, Bool(true)) => self.add_stuck_case(at, question),
            (StandardQuestion::Stuck, _) => {
                let title = "No case gets stuck before it is done";
                self.add_answer(at, Severity::Good, title).details.push(because);
            }
            (StandardQuestion::Deadlock, Bool(true)) => self.add_deadlock(at, question),
            (StandardQuestion::Deadlock, _) => {
                let because = self.without_subject(question);
                self.add_answer(at, Severity::Good, "The net never gets stuck")
                    .details
                    .push(because);
            }
            (StandardQuestion::Firings, Bool(true)) => {
                let title = match self.net.folding() {
                    None => "Every transition can fire",
                    Some(_) => "Every transition can fire (some binding of it)",
                };
                self.add_answer(at, Severity::Good, title).details.push(because);
                self.add_dead_bindings(at);
            }
            // Without any transition in the unfolding, every coloured transition is dead.
            (StandardQuestion::Firings, _)
                if self.results.fates.is_empty() && self.net.transition_count() > 0 =>
            {
                self.add_answer(at, Severity::Problem, "Some transition can never fire")
                    .details
                    .push(because);
            }
            (StandardQuestion::Firings, _) => {
                self.add_dead_transitions(at);
                self.add_dead_bindings(at);
            }
            (StandardQuestion::Bounds, Infinite) if self.results.bounds.is_empty() => {
                self.add_answer(at, Severity::Problem, "Some place is unbounded")
                    .details
                    .push(because);
            }
            (StandardQuestion::Bounds, Infinite) => self.add_unbounded_places(at),
            (StandardQuestion::Bounds, most) => {
                let tokens = counted(most, "token");
                let colour = if self.net.folding().is_some() { " of one colour" } else { "" };
                let title =
                    format!("The net is bounded: no place ever holds more than {tokens}{colour}");
                self.add_answer(at, Severity::Good, title).details.push(because);
                self.add_never_marked();
            }
            (StandardQuestion::OneSafe, Bool(true)) => {
                let because =
                    Sentence::from_words("Two tokens on a place: ").push_sentence(because);
                let title = match self.net.folding() {
                    None => "No place ever holds two tokens",
                    Some(_) => "No coloured place ever holds two tokens, of all colours together",
                };
                self.add_answer(at, Severity::Good, title).details.push(because);
            }
            (StandardQuestion::OneSafe, _) => {
                let title = match self.net.folding() {
                    None => "Some place can hold two tokens",
                    Some(_) => "Some coloured place can hold two tokens, of all colours together",
                };
                self.add_answer(at, Severity::Note, title).details.push(because);
            }
            (StandardQuestion::Stable, Bool(true)) => {
                self.add_answer(
                    at,
                    Severity::Note,
                    "Some place never changes its number of tokens",
                )
                .details
                .push(because);
            }
            (StandardQuestion::Stable, _) => {
                self.add_answer(
                    at,
                    Severity::Good,
                    "Every place changes its number of tokens at some time",
                )
                .details
                .push(because);
            }
            (StandardQuestion::Liveness, Bool(true)) => {
                self.add_answer(
                    at,
                    Severity::Good,
                    "Every transition can always be made to fire again",
                )
                .details
                .push(because);
            }
            (StandardQuestion::Liveness, _) => {
                // In a process that ends, no transition stays possible forever.
                let level = if self.is_process() { Severity::Note } else { Severity::Warning };
                self.add_answer(at, level, "Not every transition stays possible (not live)")
                    .details
                    .push(because);
            }
            (StandardQuestion::Reversible, Bool(true)) => {
                self.add_answer(
                    at,
                    Severity::Good,
                    "The net can always return to its initial marking",
                )
                .details
                .push(because);
            }
            (StandardQuestion::Reversible, _) => {
                let because = self.irreversible_change(question).unwrap_or(because);
                self.add_answer(
                    at,
                    Severity::Note,
                    "The net cannot always return to its initial marking",
                )
                .details
                .push(because);
            }
        }
    }

    /// Returns the reason of an answer without its subject, because the title names the subject.
    /// Returns the whole sentence if the answer has only the sentence, and no [`Reason`].
    fn without_subject(&self, question: &AnsweredQuestion) -> Sentence {
        let because = question.because.clone().map(Reason::without_subject);
        because.map_or_else(
            || question.reason.clone(),
            |because| Sentence::of(self.net, &because.text()),
        )
    }

    /// Adds the answer to a formula. If the formulas are requirements of the model's author, a
    /// false formula is a problem, and a true formula is a good result. Every other answer is a
    /// note.
    fn add_formula_answer(&mut self, at: usize, question: &AnsweredQuestion) {
        let Some(value) = &question.value else { return };
        let because = question.reason.clone();
        let (level, title) = match value {
            QuestionValue::Bool(false) if self.results.are_requirements => {
                (Severity::Problem, format!("{} is false", question.id))
            }
            QuestionValue::Bool(true) if self.results.are_requirements => {
                (Severity::Good, format!("{} is true", question.id))
            }
            _ => (Severity::Note, format!("{}: {value}", question.id)),
        };
        let written = question.title.clone();
        let finding = self.add_answer(at, level, title);
        finding.details.extend((!written.is_empty()).then(|| Sentence::from_words(written)));
        finding.details.push(because);
    }

    /// Adds the finding that a question is open.
    fn add_open(&mut self, at: usize, question: &AnsweredQuestion) {
        let title = match question.topic {
            Some(_) => format!("Open: {}", question.title),
            None => format!("Open: {}", question.id),
        };
        let reason = question.reason.clone();
        self.add_answer(at, Severity::Unknown, title).details.push(reason);
    }

    /// Returns true if the questions treat the net as a process.
    fn is_process(&self) -> bool {
        !final_markings(self.net).is_empty()
    }

    /// Returns true if a finding about `examination` would only repeat the finding about soundness.
    /// This is possible for weak soundness only. The finding is a repetition if the process is
    /// sound, or if soundness is false and weak soundness has an answer with the same reason. `at`
    /// is the index of the question about `examination`.
    fn repeats_soundness_finding(&self, at: usize, examination: Examination) -> bool {
        let soundness = Some(StandardQuestion::Process(Examination::Soundness));
        let questions = &self.results.questions;
        let whole = questions.iter().find(|question| question.topic == soundness);
        // Other kinds of soundness have findings of their own.
        let whole = whole.filter(|_| examination == Examination::WeakSoundness);
        whole.is_some_and(|whole| match whole.truth() {
            Some(true) => true,
            Some(false) => questions[at].value.is_some() && questions[at].because == whole.because,
            None => false,
        })
    }

    /// Adds a finding that the process has the kind of soundness that `examination` asks for.
    fn add_sound(&mut self, at: usize, examination: Examination, question: &AnsweredQuestion) {
        let title = match examination {
            Examination::WeakSoundness => "The process is weakly sound",
            Examination::EasySoundness => "Some case can be completed",
            Examination::RelaxedSoundness => "The process is relaxed sound",
            _ => "The process is sound",
        };
        let because = question.reason.clone();
        let ends = self.start_and_end_text();
        let finding = self.add_answer(at, Severity::Good, title);
        finding.details.push(because.sentence());
        finding.details.extend(ends);
    }

    /// Adds a finding that the process lacks the kind of soundness that `examination` asks for.
    fn add_unsound(&mut self, at: usize, examination: Examination, question: &AnsweredQuestion) {
        let title = match examination {
            Examination::EasySoundness => "No case can be completed: ",
            Examination::RelaxedSoundness => "The process is not relaxed sound: ",
            Examination::WeakSoundness => "The process is not weakly sound: ",
            _ => "The process is not sound: ",
        };
        let title = Sentence::from_words(title).push_sentence(question.reason.clone());
        let (net, ends) = (self.net, self.start_and_end_text());
        // The disabled transitions at the end of the witness are listed only if the witness ends in
        // a dead marking.
        let end = question.play.as_ref().and_then(|play| self.marking_after(play));
        let end = end.filter(|end| net.transitions().all(|t| !net.is_enabled(end, t)));
        let finding = self.add_answer(at, Severity::Problem, "");
        finding.title = title;
        finding.details.extend(end.map(|end| describe_dead_marking(net, &end)).unwrap_or_default());
        finding.details.extend(ends);
    }

    /// Names the places marked when a case begins and when a case is done. Returns `None` if the
    /// net is not treated as a process.
    fn start_and_end_text(&self) -> Option<Sentence> {
        let marked = |text: Sentence, marking: &Marking| {
            let places: Vec<(PlaceId, u64)> = marking.marked().collect();
            text.list(&places, ", ", |text, &(place, tokens)| {
                let text = text.place(place);
                if tokens > 1 { text.push_words(format!(" ({tokens})")) } else { text }
            })
        };
        let mut text =
            marked(Sentence::from_words("A case begins with tokens on "), self.net.initial());
        let ends = final_markings(self.net);
        for (at, end) in ends.iter().take(MAX_FINAL_MARKINGS).enumerate() {
            let link = if at == 0 { ", and is done with tokens on " } else { ", or on " };
            text = marked(text.push_words(link), end);
        }
        if ends.len() > MAX_FINAL_MARKINGS {
            text = text.push_words(format!(
                ", or in one of {} markings more",
                ends.len() - MAX_FINAL_MARKINGS
            ));
        }
        (!ends.is_empty()).then_some(text)
    }

    /// Adds a finding about a case that gets stuck, unless the answer about some kind of soundness
    /// already gives this as its reason.
    fn add_stuck_case(&mut self, at: usize, question: &AnsweredQuestion) {
        let gives_stuck_case_as_reason = |other: &AnsweredQuestion| {
            matches!(other.topic, Some(StandardQuestion::Process(_)))
                && other.because.as_ref().is_some_and(|because| {
                    matches!(because.cause, Cause::Process(ProcessCause::CaseStuck { .. }))
                })
        };
        if !self.results.questions.iter().any(gives_stuck_case_as_reason) {
            self.add_nothing_enabled(at, question, "A case gets stuck before it is done");
        }
    }

    /// Adds a finding about a reachable dead marking, unless the question about stuck cases is
    /// answered. A dead final marking of a process is only a note.
    fn add_deadlock(&mut self, at: usize, question: &AnsweredQuestion) {
        let answers_stuck = |other: &AnsweredQuestion| {
            other.topic == Some(StandardQuestion::Stuck) && other.value.is_some()
        };
        let is_stuck_answered = self.results.questions.iter().any(answers_stuck);
        match self.dead_marking(question) {
            // If the question about stuck cases has an answer, that answer covers the deadlock.
            _ if is_stuck_answered => {}
            Some(end) if self.is_process() && self.net.is_final(end.tokens()) => {
                let title = "Nothing is enabled any more where a case is done, as it should be";
                self.add_answer(at, Severity::Note, title);
            }
            _ => self.add_nothing_enabled(at, question, "A deadlock"),
        }
    }

    /// Returns the dead marking that answers the question. This is the marking at the end of the
    /// sequence to play, or the initial marking if it shows the answer. Returns `None` if the
    /// witness has nested loops or was not kept. Also returns `None` if the page does not keep the
    /// trace or the trace cannot be replayed.
    fn dead_marking(&self, question: &AnsweredQuestion) -> Option<Marking> {
        match &question.play {
            Some(play) => self.marking_after(play),
            None => question.is_shown_initially().then(|| self.net.initial().clone()),
        }
    }

    /// Explains why the net cannot return to its initial marking, if a simple reason is known: at
    /// the end of the witness, some place has more tokens than initially, and no transition
    /// consumes more tokens from it than it produces on it. The reverse is a reason, too. Returns
    /// `None` without such a reason.
    fn irreversible_change(&self, question: &AnsweredQuestion) -> Option<Sentence> {
        let (net, play) = (self.net, question.play.as_ref()?);
        let (before, after) = (net.initial(), self.marking_after(play)?);
        let more = |t, p| net.post_weight(t, p) > net.pre_weight(t, p);
        let less = |t, p| net.pre_weight(t, p) > net.post_weight(t, p);
        let (place, what) = net.places().find_map(|p| match after[p].cmp(&before[p]) {
            Ordering::Greater if !net.consumers(p).iter().any(|arc| less(arc.transition, p)) => {
                Some((p, " has more tokens than initially, and no transition makes them fewer"))
            }
            Ordering::Less if !net.producers(p).iter().any(|arc| more(arc.transition, p)) => {
                Some((p, " has fewer tokens than initially, and no transition makes them more"))
            }
            _ => None,
        })?;
        let firings = usize::try_from(play.firings).ok()?;
        let text = Sentence::from_words(format!("After {} ", counted(firings, "firing")));
        Some(text.place(place).push_words(what))
    }

    /// Adds a finding that no transition is enabled in the dead marking that answers the question.
    /// `what` is the beginning of the title, unless the initial marking is dead.
    fn add_nothing_enabled(&mut self, at: usize, question: &AnsweredQuestion, what: &str) {
        let marking = self.dead_marking(question);
        let played = question.play.as_ref().map(|play| counted(play.firings, "firing"));
        // A witness with nested loops is not played, but the number of its firings is known.
        let title = match (played, question.witness_size()) {
            (Some(firings), _) => format!("{what} after {firings}: nothing is enabled any more"),
            (None, _) if question.is_shown_initially() => {
                "The net is stuck from the beginning: nothing is enabled".to_owned()
            }
            (None, Some(size)) => format!("{what} after {size}: nothing is enabled any more"),
            (None, None) => format!("{what}: nothing is enabled any more"),
        };
        let net = self.net;
        let details =
            marking.map(|marking| describe_dead_marking(net, &marking)).unwrap_or_default();
        self.add_answer(at, Severity::Problem, title).details.extend(details);
    }

    /// Returns the marking at the end of a firing sequence of the page. Returns `None` if the page
    /// does not keep the trace, or the sequence cannot be replayed.
    fn marking_after(&self, play: &PlayedSequence) -> Option<Marking> {
        let mut sequence = FiringSequence::new();
        for step in self.store.traces.get(play.trace?)?.chunks_exact(2) {
            sequence.push(TransitionId::new(usize::try_from(step[0]).ok()?), step[1]);
        }
        sequence.truncate(play.firings);
        replay(self.net, &sequence).ok()
    }
}

/// Describes a dead marking. The first sentence lists the marked places. The second sentence lists,
/// for at most [`MAX_WAITING_TRANSITIONS`] transitions, the input places that lack tokens. These
/// are transitions with another input place that has enough tokens. Transitions that lack the
/// fewest places come first.
fn describe_dead_marking(net: &Net, marking: &Marking) -> Vec<Sentence> {
    let marked: Vec<(PlaceId, u64)> = marking.marked().collect();
    let tokens_text = match marked.is_empty() {
        true => Sentence::from_words("No place holds a token there"),
        false => {
            Sentence::from_words("Tokens there: ").list(&marked, ", ", |text, &(place, tokens)| {
                let text = text.place(place);
                if tokens > 1 { text.push_words(format!(" ({tokens})")) } else { text }
            })
        }
    };
    // Transitions that lack the fewest places are probably the ones that the author expects to
    // fire.
    let lacks =
        |t: TransitionId| net.pre(t).iter().filter(|arc| marking[arc.place] < arc.weight).count();
    let mut near: Vec<TransitionId> = net
        .transitions()
        .filter(|&t| net.pre(t).iter().any(|arc| marking[arc.place] >= arc.weight))
        .collect();
    near.sort_by_key(|&t| lacks(t));
    let more = near.len().saturating_sub(MAX_WAITING_TRANSITIONS);
    near.truncate(MAX_WAITING_TRANSITIONS);
    let mut details = vec![tokens_text];
    if !near.is_empty() {
        details.push(Sentence::default().list(&near, "; ", |text, &t| {
            let missing: Vec<PlaceId> = net
                .pre(t)
                .iter()
                .filter(|arc| marking[arc.place] < arc.weight)
                .map(|arc| arc.place)
                .collect();
            let text = text.transition(t).push_words(" waits for ");
            text.list(&missing, " and ", |text, &place| text.place(place))
        }));
        if let (Some(last), 1..) = (details.last_mut(), more) {
            *last = std::mem::take(last).push_words(format!("; and {more} more wait"));
        }
    }
    details
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh::answer::reason::WitnessSize;

    #[test]
    fn a_deadlock_whose_witness_is_not_played_is_not_in_the_initial_marking() {
        let net = parikh_net::text::parse("place p 1\nplace q\ntransition t: p -> q").unwrap();
        let title = |size: Option<WitnessSize>| {
            let cause = Cause::Witness { subject: None, size, shortest: None };
            let question = AnsweredQuestion {
                value: Some(QuestionValue::Bool(true)),
                topic: Some(StandardQuestion::Deadlock),
                because: Some(cause.into()),
                ..AnsweredQuestion::default()
            };
            let results = ReportResults { questions: vec![question], ..ReportResults::default() };
            let store = EvidenceStore::new(&net);
            let all = findings(&net, &results, &ReportKeys::default(), &store);
            serde_json::to_string(&all[0]).unwrap()
        };
        let size = |loops| Some(WitnessSize { firings: 5_000u32.into(), loops });
        let accelerated = title(size(true));
        assert!(accelerated.contains("A deadlock after 5000 firings, in loops: "), "{accelerated}");
        assert!(!accelerated.contains("Tokens there"), "{accelerated}");
        let dropped = title(None);
        assert!(dropped.contains("A deadlock: nothing is enabled any more"), "{dropped}");
        let initial = title(Some(WitnessSize { firings: 0u32.into(), loops: false }));
        assert!(initial.contains("stuck from the beginning"), "{initial}");
    }
}
