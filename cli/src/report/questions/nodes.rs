//! Questions examined node by node: which transitions can fire, and how many tokens each place can
//! hold.

use super::super::text::Sentence;
use super::verdict_groups::{self, NodeVerdicts};
use super::{AnsweredQuestion, EvidencedAnswer, PlaceMaximum, QuestionRunner, TransitionFate};
use parikh::answer::{Grade, Plan, QuestionValue};
use parikh::mcc::Examination;
use parikh::run::{OpenCause, OpenReason};
use parikh_net::{Goal, LinearSum, Net, PlaceId, Predicate, TransitionId};
use parikh_solvers::Budget;
use std::collections::BTreeMap;

impl QuestionRunner<'_, '_> {
    /// Asks for each transition whether it can fire, and summarises the answers.
    pub(super) fn examine_transitions(&mut self, budget: &Budget) -> AnsweredQuestion {
        let net = self.net;
        let goals = net.transitions().map(|t| Goal::Reach(Predicate::Enabled(t)));
        let mut run_results = self.run(Plan::of_goals(goals), budget);
        let mut transition_answers: Vec<Option<EvidencedAnswer>> = Vec::new();
        for t in net.transitions() {
            let transition_answer = run_results.answers.remove(&t.index().to_string());
            self.results.fates.push(transition_answer.as_ref().map(|transition_answer| {
                TransitionFate {
                    fires: transition_answer.answer.value == QuestionValue::Bool(true),
                    shown: transition_answer.evidence.first().cloned().unwrap_or_default(),
                    reason: transition_answer.answer.reason.clone(),
                    assumes_units: transition_answer.answer.assumes_units,
                }
            }));
            transition_answers.push(transition_answer);
        }
        // A coloured transition fires when one of its bindings does.
        let bindings = bindings(net);
        // The indices of the model's transitions that never fire.
        let dead = dead(&bindings, &self.results.fates);
        let fires = |t: &TransitionId| fires(&self.results.fates, *t) == Some(true);
        let firing_count = bindings.iter().filter(|copies| copies.iter().any(fires)).count();
        let mut summary =
            AnsweredQuestion { grade: Some(Grade::Replayed), ..AnsweredQuestion::default() };
        // The answer FALSE depends on proofs for all bindings of the dead transitions. The answer
        // TRUE depends on one firing of each transition.
        let rests_on: Vec<TransitionId> = match dead.is_empty() {
            true => {
                bindings.iter().filter_map(|copies| copies.iter().copied().find(fires)).collect()
            }
            false => dead.iter().flat_map(|&at| bindings[at].iter().copied()).collect(),
        };
        for transition_answer in
            rests_on.iter().filter_map(|t| transition_answers[t.index()].as_ref())
        {
            add_evidence(&mut summary, transition_answer, !dead.is_empty());
        }
        let transition_count = bindings.len();
        // The answer is TRUE if all transitions can fire, FALSE if some never fire, and open
        // otherwise.
        (summary.value, summary.reason) = match (firing_count == transition_count, dead.as_slice())
        {
            (true, _) => {
                let reason = "for every transition there is a firing sequence that ends with it";
                (Some(QuestionValue::Bool(true)), Sentence::from_words(reason))
            }
            (_, [_, ..]) => {
                let text = Sentence::from_words(format!(
                    "{} of {transition_count} never fire: ",
                    dead.len()
                ));
                let text = text.list(&dead, ", ", |text, &at| match net.folding() {
                    None => text.transition(bindings[at][0]),
                    Some(folding) => text.push_words(folding.transition_name(at)),
                });
                (Some(QuestionValue::Bool(false)), text)
            }
            _ => {
                let open = first_open(run_results.open);
                let reason = format!(
                    "firing sequences exist for {firing_count} of {transition_count}; the others are open: {open}"
                );
                summary.open = Some(open.cause);
                (None, Sentence::message(&reason))
            }
        };
        summary.tried = if summary.value.is_none() { run_results.attempts } else { Vec::new() };
        AnsweredQuestion { seconds: run_results.seconds, ..summary }
    }

    /// Answers an examination about each node, and groups the verdicts. The bounds and the fates of
    /// nodes of the page are kept, so that the page shows them at the node, unless they depend on
    /// the model's claim of safe units.
    pub(super) fn examine_each_node(&mut self, examination: Examination, budget: &Budget) {
        let net = self.net;
        let mut questions = Plan::of_each_node(examination, net).unwrap_or_default();
        let refused = verdict_groups::refused(&mut questions);
        let planned = questions.plan.questions().iter().map(|question| &question.id);
        let names: Vec<String> =
            planned.chain(refused.iter().map(|(node, _)| node)).cloned().collect();
        let mut ran = self.run(questions.plan, budget);
        ran.open.extend(refused);
        let is_of_page = net.folding().is_none() && net.translation().is_none();
        let assumes_units = ran.answers.values().any(|given| given.answer.assumes_units);
        if is_of_page && !assumes_units {
            let given = |name: &str| ran.answers.get(name);
            match examination {
                Examination::UpperBoundsAll => {
                    let bound = |p| {
                        let EvidencedAnswer { answer, evidence, .. } = given(net.place_name(p))?;
                        let shown = evidence.first().cloned().unwrap_or_default();
                        Some(PlaceMaximum { most: answer.value.clone(), shown })
                    };
                    self.results.bounds = net.model_places().map(bound).collect();
                }
                Examination::QuasiLivenessAll => {
                    let fate = |t| {
                        let EvidencedAnswer { answer, evidence, .. } =
                            given(net.transition_name(t))?;
                        Some(TransitionFate {
                            fires: answer.value == QuestionValue::Bool(true),
                            shown: evidence.first().cloned().unwrap_or_default(),
                            reason: answer.reason.clone(),
                            assumes_units: answer.assumes_units,
                        })
                    };
                    self.results.fates = net.transitions().map(fate).collect();
                }
                _ => {}
            }
        }
        let verdicts = NodeVerdicts::new(net, examination, &names, &mut ran);
        self.results.node_verdicts = Some(verdicts);
    }

    /// Asks for the largest number of tokens on each place of the model, and summarises the
    /// answers.
    pub(super) fn examine_places(&mut self, budget: &Budget) -> AnsweredQuestion {
        let net = self.net;
        let goals = net.model_places().map(|p| Goal::Maximise(LinearSum::place(p)));
        let mut run_results = self.run(Plan::of_goals(goals), budget);
        let mut summary =
            AnsweredQuestion { grade: Some(Grade::Replayed), ..AnsweredQuestion::default() };
        let mut largest: Option<(i128, PlaceId)> = None;
        let mut infinite: Vec<PlaceId> = Vec::new();
        let mut unknown = 0;
        for place in net.model_places() {
            let bound =
                run_results.answers.remove(&place.index().to_string()).map(|place_answer| {
                    add_evidence(&mut summary, &place_answer, true);
                    match &place_answer.answer.value {
                        QuestionValue::Infinite => infinite.push(place),
                        &QuestionValue::Number(tokens)
                            if largest.is_none_or(|(known_largest, _)| tokens > known_largest) =>
                        {
                            largest = Some((tokens, place));
                        }
                        _ => {}
                    }
                    let shown = place_answer.evidence.into_iter().next().unwrap_or_default();
                    PlaceMaximum { most: place_answer.answer.value, shown }
                });
            unknown += usize::from(bound.is_none());
            self.results.bounds.push(bound);
        }
        (summary.value, summary.reason) = match (infinite.as_slice(), unknown, largest) {
            ([_, ..], ..) => {
                let text = Sentence::from_words("unbounded: ");
                let text = text.list(&infinite, ", ", |text, &p| text.place(p));
                (Some(QuestionValue::Infinite), text)
            }
            (_, 0, Some((tokens, place))) => {
                let text = match net.folding() {
                    None => "the maximum over all places, reached on ",
                    Some(_) => "the maximum over all places and colours, reached on ",
                };
                let text = Sentence::from_words(text);
                (Some(QuestionValue::Number(tokens)), text.place(place))
            }
            (_, 0, None) => {
                (Some(QuestionValue::Number(0)), Sentence::from_words("the net has no places"))
            }
            (_, unknown, _) => {
                let open = first_open(run_results.open);
                let reason =
                    format!("{unknown} of {} places are open: {open}", net.model_places().len());
                summary.open = Some(open.cause);
                (None, Sentence::message(&reason))
            }
        };
        summary.tried = if summary.value.is_none() { run_results.attempts } else { Vec::new() };
        AnsweredQuestion { seconds: run_results.seconds, ..summary }
    }
}

/// Returns the transitions of the net for each transition of the model. For a coloured transition,
/// these are its bindings, possibly none. For a transition that the translation of reset arcs has
/// copied, these are its copies. For other transitions, it is the transition itself.
pub(in crate::report) fn bindings(net: &Net) -> Vec<Vec<TransitionId>> {
    if let Some(translation) = net.translation() {
        let copies = |t| translation.copies(TransitionId::new(t)).map(TransitionId::new).collect();
        return (0..translation.transition_count()).map(copies).collect();
    }
    match net.folding() {
        None => net.transitions().map(|t| vec![t]).collect(),
        Some(folding) => {
            (0..folding.transition_count()).map(|at| folding.transitions(at).collect()).collect()
        }
    }
}

/// Returns true if the transition can fire, and false if it cannot. Returns `None` if this is open.
/// Also returns `None` if `fates` is empty, because transitions were not examined one by one.
pub(in crate::report) fn fires(fates: &[Option<TransitionFate>], t: TransitionId) -> Option<bool> {
    Some(fates.get(t.index())?.as_ref()?.fires)
}

/// Returns the indices of the model's transitions none of whose bindings can fire.
pub(in crate::report) fn dead(
    bindings: &[Vec<TransitionId>],
    fates: &[Option<TransitionFate>],
) -> Vec<usize> {
    let never_fires =
        |copies: &Vec<TransitionId>| copies.iter().all(|&t| fires(fates, t) == Some(false));
    (0..bindings.len()).filter(|&at| never_fires(&bindings[at])).collect()
}

/// Returns the reason of one open question, as an example. The question is the first in the order
/// of the ids as text. Without an open question, the reason is that the question was not asked.
fn first_open(open: BTreeMap<String, OpenReason>) -> OpenReason {
    open.into_values().next().unwrap_or_else(|| OpenCause::NotAsked.into())
}

/// Adds the techniques, the assumption of safe units and the grade of one answer to the summary,
/// and its certificates if `with_certificates` is true.
fn add_evidence(
    summary: &mut AnsweredQuestion,
    answered: &EvidencedAnswer,
    with_certificates: bool,
) {
    for technique in &answered.answer.techniques {
        if !summary.techniques.contains(technique) {
            summary.techniques.push(technique);
        }
    }
    summary.assumes_units |= answered.answer.assumes_units;
    // The summary has the weakest grade of its answers.
    summary.grade = summary.grade.max(Some(answered.answer.grade));
    let certificates = answered.evidence.iter().filter_map(|shown| shown.certificate);
    for certificate in certificates.filter(|_| with_certificates) {
        if !summary.certificates.contains(&certificate) {
            summary.certificates.push(certificate);
        }
    }
}
