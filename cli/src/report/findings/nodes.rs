//! Findings about single nodes: dead transitions, unbounded places, places that are never marked,
//! and nodes without arcs.

use super::super::dead;
use super::super::evidence::PlayedSequence;
use super::super::questions::{
    NodeVerdicts, TransitionFate, bindings, dead as never_firing, fires,
};
use super::super::text::Sentence;
use super::{FindingCollector, Severity};
use parikh::answer::QuestionValue;
use parikh::mcc::Examination;
use parikh_net::{FiringStep, Net, PlaceId, Stage, TransitionId};
use parikh_solvers::Budget;
use parikh_structure::excluded::InvariantSums;
use std::time::Duration;

/// The time limit for the search for constant sums of tokens.
const SUM_SEARCH_TIME: Duration = Duration::from_millis(1_000);

/// The reason why a coloured transition without a binding in the unfolding never fires.
const NO_BINDING: &str = "No binding is left of it: its guard, or the colours that ever come to its input \
    places, allow none";

/// The largest number of findings about unbounded places that each show one loop. A loop is a
/// firing sequence that adds tokens and can repeat forever.
const MAX_LOOP_FINDINGS: usize = 6;

impl FindingCollector<'_> {
    /// Adds a finding with the totals of an examination about each node. Its details name nodes
    /// that are open or have a bad verdict.
    pub(super) fn add_node_verdicts(&mut self, verdicts: &NodeVerdicts) {
        let is_bad = verdicts.groups.iter().any(|group| group.is_bad);
        let level = match verdicts.examination {
            _ if is_bad && verdicts.examination == Examination::LivenessAll.name() => {
                Severity::Warning
            }
            _ if is_bad => Severity::Problem,
            _ if verdicts.open > 0 => Severity::Unknown,
            name if name == Examination::StableMarkingAll.name() => Severity::Note,
            _ => Severity::Good,
        };
        let finding = self.add_finding(level, Sentence::from_words(verdicts.counts.clone()));
        for group in verdicts.groups.iter().filter(|group| group.is_bad || group.is_open) {
            let nodes: Vec<&Sentence> = group
                .reasons
                .iter()
                .flat_map(|shared| shared.nodes.iter().map(|node| &node.name))
                .collect();
            let text = Sentence::from_words(format!("{}: ", group.verdict)).sentence();
            let text = text.list(&nodes, ", ", |text, &node| text.push_sentence(node.clone()));
            finding.details.push(text);
        }
    }

    /// Adds findings about transitions that can never fire, and about transitions for which this is
    /// open.
    pub(super) fn add_dead_transitions(&mut self, at: usize) {
        match self.net.folding() {
            None => self.add_dead_by_cause(at),
            Some(_) => self.add_dead_coloured_transitions(at),
        }
        let open = open_nodes(&self.results.fates, self.net.transitions());
        if !open.is_empty() {
            let text = Sentence::from_words("It is open whether these can ever fire: ");
            let title = text.list(&open, ", ", |text, &t| text.transition(t));
            self.add_finding(Severity::Unknown, title).question = Some(at);
        }
    }

    /// Adds a finding for each cause of dead transitions of a net without colours.
    fn add_dead_by_cause(&mut self, at: usize) {
        let (net, results) = (self.net, self.results);
        // A transition of a model with reset arcs may have several copies in the net. The first
        // copy stands for all copies.
        let bindings = bindings(net);
        let dead = never_firing(&bindings, &results.fates).into_iter();
        let dead: Vec<TransitionId> = dead.filter_map(|at| bindings[at].first()).copied().collect();
        let causes = dead::causes(net, &dead);
        // Constant sums of tokens explain only roots, that is, dead transitions that wait for no
        // place. Without roots, the sums are not computed.
        let sums = causes
            .iter()
            .any(|cause| !cause.roots.is_empty())
            .then(|| InvariantSums::of(net, &dead, &Budget::lasting(SUM_SEARCH_TIME)));
        let fate = |t: TransitionId| results.fates[t.index()].as_ref();
        let excluded =
            |t: TransitionId| sums.as_ref().and_then(|sums| dead::exclusion_sentence(net, sums, t));
        let causes = dead::merge_by_reason(causes, &excluded);
        let why = |t: TransitionId| excluded(t).or_else(|| Some(why_dead(net, fate(t)?)));
        for cause in &causes {
            let mut details = cause.details(net, &why);
            let rests_on_units = |t: &TransitionId| fate(*t).is_some_and(|fate| fate.assumes_units);
            if cause.members.iter().any(rests_on_units) {
                details.push(Sentence::from_words(
                    "This rests on the model's claim of safe units (NUPN)",
                ));
            }
            let certificate = cause.members.iter().find_map(|&t| fate(t)?.shown.certificate);
            let finding = self.add_finding(Severity::Problem, cause.title(net, &why));
            (finding.details, finding.certificate) = (details, certificate);
            finding.question = Some(at);
        }
    }

    /// Adds findings about dead coloured transitions. The reason of the first binding stands for
    /// the reasons of all bindings.
    fn add_dead_coloured_transitions(&mut self, at: usize) {
        let (net, results) = (self.net, self.results);
        let Some(folding) = net.folding() else { return };
        let bindings = bindings(net);
        // Transitions that are dead for the same reason form one finding. A group consists of the
        // transitions, the sentences of the reason, and the index of the certificate.
        let mut groups: Vec<(Vec<usize>, Vec<Sentence>, Option<usize>)> = Vec::new();
        for transition in never_firing(&bindings, &results.fates) {
            let (details, certificate) = match bindings[transition].first() {
                None => (vec![Sentence::from_words(NO_BINDING)], None),
                Some(&t) => {
                    let Some(fate) = &results.fates[t.index()] else { continue };
                    (why_never(net, fate), fate.shown.certificate)
                }
            };
            let same_group = groups.iter().position(|(_, group_details, shown)| {
                *group_details == details && self.store.have_same_text(*shown, certificate)
            });
            match same_group {
                Some(group) => groups[group].0.push(transition),
                None => groups.push((vec![transition], details, certificate)),
            }
        }
        let name = |text: Sentence, &at: &usize| text.quoted(folding.transition_name(at));
        for (members, details, certificate) in groups {
            let title = match members.as_slice() {
                [one] => {
                    name(Sentence::from_words("Transition "), one).push_words(" can never fire")
                }
                all => {
                    let text =
                        Sentence::from_words(format!("{} transitions can never fire: ", all.len()));
                    text.list(all, ", ", name)
                }
            };
            let finding = self.add_finding(Severity::Problem, title);
            (finding.details, finding.certificate) = (details, certificate);
            finding.question = Some(at);
        }
    }

    /// Adds a note about the coloured transitions of which some bindings, but not all, can never
    /// fire.
    pub(super) fn add_dead_bindings(&mut self, at: usize) {
        let (net, results) = (self.net, self.results);
        let Some(folding) = net.folding() else { return };
        let mut details = Vec::new();
        for transition in 0..folding.transition_count() {
            let all: Vec<TransitionId> = folding.transitions(transition).collect();
            let dead: Vec<TransitionId> =
                all.iter().copied().filter(|&t| fires(&results.fates, t) == Some(false)).collect();
            if !dead.is_empty() && dead.len() < all.len() {
                let (dead_count, binding_count) = (dead.len(), all.len());
                let name = folding.transition_name(transition);
                let text = Sentence::from_words(format!(
                    "{dead_count} of the {binding_count} bindings of “{name}”, such as "
                ));
                details.push(text.transition(dead[0]));
            }
        }
        if !details.is_empty() {
            let title = match details.len() {
                1 => "Some bindings of a transition can never fire".to_owned(),
                transitions => {
                    format!("Some bindings of {transitions} transitions can never fire")
                }
            };
            let finding = self.add_finding(Severity::Note, Sentence::from_words(title));
            (finding.details, finding.question) = (details, Some(at));
        }
    }

    /// Adds findings about unbounded places. The evidence is usually a loop, that is, a firing
    /// sequence that adds tokens and can repeat forever. Places whose loops have the same
    /// description share a finding. If there would be more than [`MAX_LOOP_FINDINGS`] + 1 findings,
    /// one finding describes all loops after the first [`MAX_LOOP_FINDINGS`]. Also adds findings
    /// about places whose boundedness is open, and about places that are never marked.
    pub(super) fn add_unbounded_places(&mut self, at: usize) {
        let (net, results) = (self.net, self.results);
        // A group consists of the places, the sentences about their loop, and the loop to play.
        let mut groups: Vec<(Vec<PlaceId>, Vec<Sentence>, Option<PlayedSequence>)> = Vec::new();
        for place in net.model_places() {
            let Some(bound) = &results.bounds[place.index()] else { continue };
            if bound.most != QuestionValue::Infinite {
                continue;
            }
            let play = bound.shown.play.clone();
            let mut details: Vec<Sentence> =
                self.loop_sentence(play.as_ref()).into_iter().collect();
            details.extend(stage_sentences(&bound.shown.stages));
            match groups.iter_mut().find(|(_, group_details, _)| {
                !group_details.is_empty() && *group_details == details
            }) {
                Some((places, ..)) => places.push(place),
                None => groups.push((vec![place], details, play)),
            }
        }
        if groups.len() > MAX_LOOP_FINDINGS + 1 {
            let others = groups.split_off(MAX_LOOP_FINDINGS);
            let places: Vec<PlaceId> =
                others.iter().flat_map(|(places, ..)| places).copied().collect();
            let described = |(places, details, _): (Vec<PlaceId>, Vec<Sentence>, _)| {
                let text =
                    Sentence::default().list(&places, ", ", |text, &place| text.place(place));
                details.into_iter().fold(text.push_words(":"), |text, detail| {
                    text.push_words(" ").push_sentence(detail)
                })
            };
            groups.push((places, others.into_iter().map(described).collect(), None));
        }
        for (places, details, play) in groups {
            let title = match places.as_slice() {
                [one] => Sentence::from_words("Place ").place(*one).push_words(" is unbounded"),
                all => {
                    let text =
                        Sentence::from_words(format!("{} places are unbounded: ", all.len()));
                    text.full_list(all, ", ", |text, &place| text.place(place))
                }
            };
            let finding = self.add_finding(Severity::Problem, title);
            (finding.details, finding.play, finding.question) = (details, play, Some(at));
        }
        let open = open_nodes(&results.bounds, net.model_places());
        if !open.is_empty() {
            let text = Sentence::from_words("It is open whether these are bounded: ");
            let title = text.list(&open, ", ", |text, &place| text.place(place));
            self.add_finding(Severity::Unknown, title).question = Some(at);
        }
        self.add_never_marked();
    }

    /// Describes in words the prefix of `play` and the loop that repeats after it. Returns `None`
    /// if `play` is `None` or has no loop, or if the page does not keep the trace of the loop.
    fn loop_sentence(&self, play: Option<&PlayedSequence>) -> Option<Sentence> {
        let play = play?;
        let steps = |trace: usize| -> Option<Vec<FiringStep>> {
            let steps = self.store.traces.get(trace)?.chunks_exact(2).map(|step| {
                let transition = TransitionId::new(usize::try_from(step[0]).ok()?);
                Some(FiringStep { transition, count: step[1] })
            });
            steps.collect()
        };
        let text = match play.trace.and_then(steps).filter(|steps| !steps.is_empty()) {
            None => {
                Sentence::from_words("This loop adds tokens each time and can repeat forever: ")
            }
            Some(prefix) => append_steps(Sentence::from_words("After "), &prefix)
                .push_words(", this loop adds tokens each time and can repeat forever: "),
        };
        Some(append_steps(text, &steps(play.pump?)?))
    }

    /// Adds one finding about all places that never hold a token.
    pub(super) fn add_never_marked(&mut self) {
        let (net, results) = (self.net, self.results);
        let empty = |place: &PlaceId| {
            results.bounds.get(place.index()).is_some_and(|bound| {
                bound.as_ref().is_some_and(|bound| bound.most == QuestionValue::Number(0))
            })
        };
        let empty: Vec<PlaceId> = net.model_places().filter(empty).collect();
        if empty.is_empty() {
            return;
        }
        let certificate =
            results.bounds[empty[0].index()].as_ref().and_then(|bound| bound.shown.certificate);
        let text = match empty.len() {
            1 => Sentence::from_words("Place "),
            count => Sentence::from_words(format!("{count} places ")),
        };
        let never = if empty.len() == 1 { " never holds a token" } else { " never hold a token: " };
        let title = match empty.as_slice() {
            [only] => text.place(*only).push_words(never),
            all => text
                .push_words(never.trim_start())
                .list(all, ", ", |text, &place| text.place(place)),
        };
        self.add_finding(Severity::Warning, title).certificate = certificate;
    }

    /// Adds findings about nodes without arcs.
    pub(super) fn add_nodes_without_arcs(&mut self) {
        let net = self.net;
        // A place that occurs only in inhibitor arcs has no arc in the translated net, but its
        // complement place does.
        let is_inhibitor_only =
            |p| net.translation().is_some_and(|it| it.complemented().contains(&p));
        let places: Vec<PlaceId> = net
            .model_places()
            .filter(|&p| net.producers(p).is_empty() && net.consumers(p).is_empty())
            .filter(|&p| !is_inhibitor_only(p))
            .collect();
        let transitions: Vec<TransitionId> = net
            .transitions()
            .filter(|&t| net.pre(t).is_empty() && net.post(t).is_empty())
            .collect();
        if !places.is_empty() {
            let title = Sentence::from_words("Nothing is connected to ");
            let title = title.list(&places, ", ", |text, &place| text.place(place));
            self.add_finding(Severity::Warning, title);
        }
        if !transitions.is_empty() {
            let title = Sentence::from_words("Nothing is connected to ");
            let title = title.list(&transitions, ", ", |text, &t| text.transition(t));
            self.add_finding(Severity::Warning, title);
        }
    }
}

/// Returns the nodes whose entry of `known` is `None`. `known` is empty or has an entry per node,
/// in the order of `nodes`.
fn open_nodes<K, N>(known: &[Option<K>], nodes: impl Iterator<Item = N>) -> Vec<N> {
    nodes.zip(known).filter(|(_, known)| known.is_none()).map(|(node, _)| node).collect()
}

/// Returns the reason why a transition never fires, without the name of the transition.
fn why_dead(net: &Net, fate: &TransitionFate) -> Sentence {
    Sentence::of(net, &fate.reason.clone().without_subject().text())
}

/// Returns the reason given by the engines why a transition never fires. A second sentence says if
/// the reason depends on the model's claim of safe units.
fn why_never(net: &Net, fate: &TransitionFate) -> Vec<Sentence> {
    let why = Sentence::from_words("No firing of it is possible: ");
    let mut details = vec![why.push_sentence(why_dead(net, fate))];
    if fate.assumes_units {
        details.push(Sentence::from_words("This rests on the model's claim of safe units (NUPN)"));
    }
    details
}

/// Appends the transitions of a firing sequence in order, each with its number of firings in a row
/// if it fires more than once.
fn append_steps(text: Sentence, steps: &[FiringStep]) -> Sentence {
    text.list(steps, ", ", |text, step| {
        let text = text.transition(step.transition);
        if step.count > 1 { text.push_words(format!(" {} times", step.count)) } else { text }
    })
}

/// Describes the stages of a self-covering sequence in words, in order. Each stage has a prefix and
/// a loop that repeats as often as the later stages need.
fn stage_sentences(stages: &[Stage]) -> Vec<Sentence> {
    let describe = |(index, stage): (usize, &Stage)| {
        let mut text = Sentence::from_words(if index == 0 { "First " } else { "Then " });
        if !stage.prefix.is_empty() {
            text = append_steps(text, stage.prefix.steps()).push_words(", then ");
        }
        let text = append_steps(text.push_words("again and again: "), stage.pump.steps());
        match index + 1 == stages.len() {
            true => text.push_words(", which adds tokens each time"),
            false => text.push_words(", as often as what follows needs"),
        }
    };
    stages.iter().enumerate().map(describe).collect()
}
