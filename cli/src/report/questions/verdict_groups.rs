//! The verdicts of an examination about each node, grouped so that a page with thousands of nodes
//! stays readable: nodes with the same verdict and grade form a group, and nodes with the same
//! reason share a line of the group.

use super::super::evidence::GoalEvidence;
use super::super::text::Sentence;
use super::PlanResult;
use crate::totals::NodeTotals;
use parikh::answer::{GoalAnswer, Grade, NodeQuestions, QuestionValue};
use parikh::mcc::Examination;
use parikh::run::{KnownRange, OpenCause, OpenReason};
use parikh_formula::UnsupportedFormula;
use parikh_net::{Net, PlaceId, TransitionId};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// The verdicts of an examination about each node.
#[derive(Clone, Debug, Serialize)]
pub struct NodeVerdicts {
    /// The name of the examination.
    pub examination: &'static str,
    /// The question about each node, in words.
    pub title: &'static str,
    /// The totals in one line: `UpperBoundsAll: 204 of 210 bounds exact, 6 open: …`.
    pub summary: String,
    /// The same without the names of open nodes.
    #[serde(skip)]
    pub(in crate::report) counts: String,
    /// The kind of the nodes: `place` or `transition`.
    pub kind: &'static str,
    /// The number of nodes.
    pub nodes: usize,
    /// The number of open nodes.
    pub open: usize,
    /// The duration of the run in seconds.
    pub seconds: f64,
    /// The groups: open nodes first, then the verdicts that an author of a model looks for (dead,
    /// not live, unbounded, large bounds), then the others.
    pub groups: Vec<VerdictGroup>,
    /// The attempts, if a node is open. Each entry has the time span with the name of the engine,
    /// and the statistics of the engine.
    pub tried: Vec<(String, Sentence)>,
}

/// Nodes with the same verdict and the same grade.
#[derive(Clone, Debug, Serialize)]
pub struct VerdictGroup {
    /// The verdict in words, such as `can never fire`, `at most 3 tokens`, `open, between 1 and 4`.
    pub verdict: String,
    /// The grade of the evidence. `None` if the nodes are open.
    pub grade: Option<String>,
    /// The number of nodes.
    pub count: usize,
    /// True if the nodes are open.
    #[serde(skip)]
    pub(in crate::report) is_open: bool,
    /// True if an author of a model hardly intends the verdict.
    #[serde(skip)]
    pub(in crate::report) is_bad: bool,
    /// The nodes by reason, those with the most nodes first.
    pub reasons: Vec<SharedReason>,
}

/// Nodes with the same reason.
#[derive(Clone, Debug, Serialize)]
pub struct SharedReason {
    /// The reason. If several nodes share the reason, it names none of them.
    pub reason: Sentence,
    /// The techniques of the engines that found the answers, in the contest's words.
    pub techniques: Vec<&'static str>,
    /// True if the answers depend on the model's claim of safe units.
    pub assumes_units: bool,
    /// The nodes.
    pub nodes: Vec<VerdictNode>,
}

/// A node with the evidence of its verdict.
#[derive(Clone, Debug, Serialize)]
pub struct VerdictNode {
    /// The node, or its name if it is no node of the page.
    pub name: Sentence,
    /// The evidence.
    #[serde(flatten)]
    pub shown: GoalEvidence,
}

/// The position of a group: open nodes, their values, and then the grade, weakest first.
type GroupOrder = (u8, i128, String, std::cmp::Reverse<Option<Grade>>);

/// The largest number of nodes whose reasons have links to nodes. Finding the labels of the linked
/// nodes takes time in proportion to the square of this number.
const MAX_LINKED: usize = 2_000;

/// Returns the question of an examination about a node, in words.
pub(super) fn title(examination: Examination) -> &'static str {
    match examination {
        Examination::UpperBoundsAll => "How many tokens can each place hold?",
        Examination::StableMarkingAll => "Which places always keep their number of tokens?",
        Examination::QuasiLivenessAll => "Which transitions can fire?",
        _ => "Which transitions can be enabled again from every reachable marking?",
    }
}

/// Returns the reasons why nothing can be asked about some nodes, by the name of the node.
pub(super) fn refused(questions: &mut NodeQuestions) -> Vec<(String, OpenReason)> {
    let reason = |reason| match reason {
        UnsupportedFormula::Caps => OpenCause::CapsUnsupported.into(),
        other => OpenReason::refused(other),
    };
    std::mem::take(&mut questions.refused)
        .into_iter()
        .map(|(node, why)| (node, reason(why)))
        .collect()
}

impl NodeVerdicts {
    /// Groups the results of a run. `names` has the names of the nodes in the order of the model.
    pub(super) fn new(
        net: &Net,
        examination: Examination,
        names: &[String],
        ran: &mut PlanResult,
    ) -> NodeVerdicts {
        let kind = if examination.is_about_each_place() { "place" } else { "transition" };
        let mut grouping = VerdictGroupBuilder {
            net,
            examination,
            kind,
            has_links: names.len() <= MAX_LINKED,
            groups: BTreeMap::new(),
        };
        // The examination is about each node, so it has totals.
        let mut totals = NodeTotals::of(examination);
        for name in names {
            match ran.answers.remove(name) {
                Some(given) => {
                    if let Some(totals) = &mut totals {
                        totals.add_answer(name, &given.answer.value);
                    }
                    let shown = given.evidence.into_iter().next().unwrap_or_default();
                    grouping.add_answer(name, &given.answer, shown);
                }
                None => {
                    let why = ran.open.remove(name).unwrap_or_else(|| OpenCause::NotAsked.into());
                    if let Some(totals) = &mut totals {
                        totals.add_open(name, &why);
                    }
                    grouping.add_open(name, &why);
                }
            }
        }
        let groups = grouping.finish();
        let open = groups.iter().filter(|group| group.is_open).map(|group| group.count).sum();
        NodeVerdicts {
            examination: examination.name(),
            title: title(examination),
            summary: totals.as_ref().map(NodeTotals::to_string).unwrap_or_default(),
            counts: totals.as_ref().map(NodeTotals::counts).unwrap_or_default(),
            kind,
            nodes: names.len(),
            open,
            seconds: ran.seconds,
            groups,
            tried: if open > 0 { std::mem::take(&mut ran.attempts) } else { Vec::new() },
        }
    }
}

/// The verdict groups of an examination, to which nodes are added one by one.
struct VerdictGroupBuilder<'n> {
    net: &'n Net,
    examination: Examination,
    kind: &'static str,
    /// True if reasons link to nodes.
    has_links: bool,
    /// The groups in order. Each has the positions of its reasons, by the reason without the node.
    groups: BTreeMap<GroupOrder, (VerdictGroup, HashMap<String, usize>)>,
}

impl VerdictGroupBuilder<'_> {
    fn add_answer(&mut self, name: &str, answer: &GoalAnswer, shown: GoalEvidence) {
        use Examination::{LivenessAll, QuasiLivenessAll, StableMarkingAll};
        let (verdict, is_bad, order) = match (&answer.value, self.examination) {
            (QuestionValue::Bool(true), QuasiLivenessAll) => ("can fire".to_owned(), false, 1),
            (QuestionValue::Bool(false), QuasiLivenessAll) => {
                ("can never fire".to_owned(), true, 0)
            }
            (QuestionValue::Bool(true), LivenessAll) => ("live".to_owned(), false, 1),
            (QuestionValue::Bool(false), LivenessAll) => ("not live".to_owned(), true, 0),
            (QuestionValue::Bool(true), StableMarkingAll) => ("stable".to_owned(), false, 0),
            (QuestionValue::Bool(false), _) => ("not stable".to_owned(), false, 1),
            (QuestionValue::Infinite, _) => ("unbounded".to_owned(), true, i128::MIN),
            (QuestionValue::Number(1), _) => ("at most 1 token".to_owned(), false, -1),
            // Large bounds come first.
            (&QuestionValue::Number(most), _) => {
                (format!("at most {most} tokens"), false, most.saturating_neg())
            }
            (value, _) => (value.to_string(), false, 0),
        };
        let text = answer.reason.text();
        let reason = match self.has_links {
            true => Sentence::of(self.net, &text),
            false => Sentence::message(&answer.reason.to_string()),
        };
        let order = (1, order, verdict.clone(), std::cmp::Reverse(Some(answer.grade)));
        let grade = Some(answer.grade.to_string());
        let group =
            VerdictGroup { verdict, grade, count: 0, is_open: false, is_bad, reasons: Vec::new() };
        let shared = SharedReason {
            reason,
            techniques: answer.techniques.clone(),
            assumes_units: answer.assumes_units,
            nodes: Vec::new(),
        };
        self.add(order, group, shared, name, shown);
    }

    fn add_open(&mut self, name: &str, why: &OpenReason) {
        let verdict = match why.known.maximum {
            None => "open".to_owned(),
            Some(KnownRange { least, most: Some(most) }) => {
                format!("open, between {least} and {most}")
            }
            Some(KnownRange { least, most: None }) => format!("open, between {least} and ∞"),
        };
        let least = why.known.maximum.map_or(0, |range| range.least.saturating_neg());
        let order = (0, least, verdict.clone(), std::cmp::Reverse(None));
        let group = VerdictGroup {
            verdict,
            grade: None,
            count: 0,
            is_open: true,
            is_bad: false,
            reasons: Vec::new(),
        };
        let shared = SharedReason {
            reason: Sentence::message(&why.to_string()),
            techniques: Vec::new(),
            assumes_units: false,
            nodes: Vec::new(),
        };
        self.add(order, group, shared, name, GoalEvidence::default());
    }

    fn add(
        &mut self,
        order: GroupOrder,
        group: VerdictGroup,
        shared: SharedReason,
        name: &str,
        shown: GoalEvidence,
    ) {
        let node = self.node(name);
        let without_node = shared.reason.without_node(&node, &format!("this {}", self.kind));
        let (group, positions) =
            self.groups.entry(order).or_insert_with(|| (group, HashMap::new()));
        group.count += 1;
        let key = format!("{without_node:?}{:?}{}", shared.techniques, shared.assumes_units);
        let position = *positions.entry(key).or_insert(group.reasons.len());
        match group.reasons.get_mut(position) {
            // From the second node on, the reason names none of the nodes.
            Some(existing) => existing.reason = without_node,
            None => group.reasons.push(shared),
        }
        group.reasons[position].nodes.push(VerdictNode { name: node, shown });
    }

    /// Returns the groups in order, with the most frequent reasons first.
    fn finish(self) -> Vec<VerdictGroup> {
        let mut groups: Vec<VerdictGroup> =
            self.groups.into_values().map(|(group, _)| group).collect();
        for group in &mut groups {
            group.reasons.sort_by_key(|reason| std::cmp::Reverse(reason.nodes.len()));
        }
        groups
    }

    /// Returns the node of the page with this name, or the name in quotation marks: a coloured node
    /// and a transition with several copies are no single nodes of the page.
    fn node(&self, name: &str) -> Sentence {
        let net = self.net;
        let place = || net.place_named(name).filter(|_| self.kind == "place");
        let transition = || match net.translation() {
            None => net.transition_named(name),
            Some(translation) => {
                let copies = translation.copies(translation.transition_named(name)?);
                (copies.len() == 1).then(|| TransitionId::new(copies.start))
            }
        };
        let found: (Option<PlaceId>, Option<TransitionId>) = match (net.folding(), self.kind) {
            (Some(_), _) => (None, None),
            (None, "place") => (place(), None),
            (None, _) => (None, transition()),
        };
        match found {
            (Some(place), _) => Sentence::default().place(place),
            (None, Some(t)) => Sentence::default().transition(t),
            (None, None) => Sentence::default().quoted(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::evidence::EvidenceStore;
    use crate::report::questions::{ReportQuestions, ask};
    use parikh::run::RunConfig;
    use parikh_net::text;
    use parikh_solvers::Budget;
    use std::time::Duration;

    fn verdicts(model: &str, examination: Examination, seconds: u64) -> NodeVerdicts {
        let net = text::parse(model).unwrap();
        let mut store = EvidenceStore::new(&net);
        let budget = Budget::lasting(Duration::from_secs(seconds));
        let asked = ReportQuestions::EachNode(examination);
        let config = RunConfig::default();
        ask(&net, asked, &config, &budget, &mut store, &mut |_| ()).node_verdicts.unwrap()
    }

    fn groups(verdicts: &NodeVerdicts) -> Vec<(&str, usize)> {
        verdicts.groups.iter().map(|group| (&*group.verdict, group.count)).collect()
    }

    const NET: &str = "place p 1\nplace q\nplace made\nplace never\nplace nor\n\
                       transition t: p -> q + made\ntransition u: q -> p\n\
                       transition v: never -> p\ntransition w: nor -> p";

    #[test]
    fn nodes_with_the_same_verdict_form_a_group() {
        let bounds = verdicts(NET, Examination::UpperBoundsAll, 20);
        let all = [("unbounded", 1), ("at most 1 token", 2), ("at most 0 tokens", 2)];
        assert_eq!(groups(&bounds), all);
        assert_eq!(bounds.summary, "UpperBoundsAll: 5 of 5 bounds exact (1 infinite)");
        let fires = verdicts(NET, Examination::QuasiLivenessAll, 20);
        assert_eq!(groups(&fires), [("can never fire", 2), ("can fire", 2)]);
        // The two dead transitions have the same reason, which names neither of them.
        let dead = &fires.groups[0].reasons;
        assert_eq!((dead.len(), dead[0].nodes.len()), (1, 2), "{dead:?}");
        let json = serde_json::to_value(&fires).unwrap();
        assert_eq!(json["groups"][0]["reasons"][0]["nodes"][1]["name"][0]["t"], 3);
        assert!(!dead[0].reason.in_words(|_| "PLACE".into(), |_| "T".into()).contains('T'));
    }

    #[test]
    fn open_nodes_come_first_with_their_ranges() {
        let open = verdicts(NET, Examination::UpperBoundsAll, 0);
        assert_eq!(open.open, 5);
        let all = [("open, between 1 and ∞", 1), ("open, between 0 and ∞", 4)];
        assert_eq!(groups(&open), all);
        assert!(open.groups.iter().all(|group| group.grade.is_none() && group.is_open));
    }
}
