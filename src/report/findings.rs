//! What a model's author would act on first: what was found, worst first, in sentences.

use super::dead;
use super::questions::{Fate, Found, Question, bindings, dead as never_firing, fires};
use super::shown::{Play, Store};
use super::text::Text;
use super::topic::{Topic, done, ends};
use super::verdicts::Keys;
use crate::evidence::replay;
use crate::mcc::Examination;
use crate::structure::excluded::Sums;
use parikh_net::printable::counted;
use parikh_net::{FiringSequence, Marking, Net, PlaceId, Stage, Step, TransitionId};
use parikh_solvers::Budget;
use serde::Serialize;
use std::cmp::Ordering;
use std::time::Duration;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Hardly meant to be so.
    Problem,
    /// Perhaps not meant to be so.
    Warning,
    /// Could not be found out.
    Unknown,
    /// As most authors want it.
    Good,
    /// Neither good nor bad.
    Note,
}

/// One finding.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub level: Level,
    /// It, in a sentence.
    pub title: Text,
    /// What to know of it, a sentence each.
    pub details: Vec<Text>,
    /// What to play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub play: Option<Play>,
    /// What to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<usize>,
    /// The question that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<usize>,
}

/// What the search for sums of tokens that never change may take.
const SUMS: Duration = Duration::from_millis(1_000);

/// Why a coloured transition never fires that has not one binding in the unfolding.
const NO_BINDING: &str = "No binding is left of it: its guard, or the colours that ever come to its input \
    places, allow none";

/// As many loops as are findings of their own, each with the places that it fills.
const UNBOUNDED: usize = 6;

/// Transitions of a dead marking of which it is said what they wait for.
const WAITING: usize = 6;

/// All findings, worst first.
pub(super) fn findings(net: &Net, found: &Found, keys: &Keys, store: &Store<'_>) -> Vec<Finding> {
    let mut telling = Telling { net, found, store, findings: Vec::new() };
    if let Some(breach) = &found.breach {
        let title =
            Text::words("The model claims that its units are safe (NUPN), and they are not: ")
                .then(Text::of_sentence(net, breach));
        telling.tell(Level::Problem, title);
    }
    for (file, said, ours) in &keys.conflicts {
        let title = Text::words(format!("The form says {file} is {said}, but it is {ours}"));
        telling.tell(Level::Problem, title);
    }
    for (at, question) in found.questions.iter().enumerate() {
        match (question.topic, question.value.as_deref()) {
            (Some(topic), Some(value)) => telling.answered(at, question, topic, value),
            (_, None) => telling.open(at, question),
            (None, Some(_)) => telling.formula(at, question),
        }
    }
    telling.lonely();
    // A stable sort: findings of one level stay in the order of the questions.
    telling.findings.sort_by_key(|finding| finding.level);
    telling.findings
}

struct Telling<'a> {
    net: &'a Net,
    found: &'a Found,
    store: &'a Store<'a>,
    findings: Vec<Finding>,
}

impl Telling<'_> {
    fn tell(&mut self, level: Level, title: Text) -> &mut Finding {
        self.findings.push(Finding {
            level,
            title,
            details: Vec::new(),
            play: None,
            certificate: None,
            question: None,
        });
        // Just pushed.
        let last = self.findings.len() - 1;
        &mut self.findings[last]
    }

    /// A finding that is the answer to a question, with its evidence.
    fn answer(&mut self, at: usize, level: Level, title: impl Into<String>) -> &mut Finding {
        let question = &self.found.questions[at];
        let (play, certificate) = (question.play.clone(), question.certificates.first().copied());
        let finding = self.tell(level, Text::words(title));
        (finding.play, finding.certificate, finding.question) = (play, certificate, Some(at));
        finding
    }

    fn answered(&mut self, at: usize, question: &Question, topic: Topic, value: &str) {
        let because = question.reason.clone();
        match (topic, value) {
            (Topic::Process(examination), _) if self.is_said_of_soundness(at, examination) => {}
            (Topic::Process(examination), "TRUE") => self.well_done(at, examination, question),
            (Topic::Process(examination), _) => self.unsound(at, examination, question),
            (Topic::Stuck, "TRUE") => self.stuck_case(at, question),
            (Topic::Stuck, _) => {
                let title = "No case gets stuck before it is done";
                self.answer(at, Level::Good, title).details.push(because);
            }
            (Topic::Deadlock, "TRUE") => self.deadlock(at, question),
            (Topic::Deadlock, _) => {
                let because = because.without("a dead marking: ");
                self.answer(at, Level::Good, "The net never gets stuck").details.push(because);
            }
            (Topic::Firings, "TRUE") => {
                self.answer(at, Level::Good, "Every transition can fire").details.push(because);
                self.dead_bindings(at);
            }
            (Topic::Firings, _) if self.found.fates.is_empty() => {
                self.answer(at, Level::Problem, "Some transition can never fire")
                    .details
                    .push(because);
            }
            (Topic::Firings, _) => {
                self.dead_transitions(at);
                self.dead_bindings(at);
            }
            (Topic::Bounds, "+inf") if self.found.bounds.is_empty() => {
                self.answer(at, Level::Problem, "Some place is unbounded").details.push(because);
            }
            (Topic::Bounds, "+inf") => self.unbounded_places(at),
            (Topic::Bounds, most) => {
                let tokens = if most == "1" { "token" } else { "tokens" };
                let colour = if self.net.folding().is_some() { " of one colour" } else { "" };
                let title = format!(
                    "The net is bounded: no place ever holds more than {most} {tokens}{colour}"
                );
                self.answer(at, Level::Good, title).details.push(because);
                self.never_marked();
            }
            (Topic::OneSafe, "TRUE") => {
                let because = Text::words("Two tokens on a place: ").then(because);
                self.answer(at, Level::Good, "No place ever holds two tokens")
                    .details
                    .push(because);
            }
            (Topic::OneSafe, _) => {
                self.answer(at, Level::Note, "Some place can hold two tokens")
                    .details
                    .push(because);
            }
            (Topic::Stable, "TRUE") => {
                self.answer(at, Level::Note, "Some place never changes its tokens")
                    .details
                    .push(because);
            }
            (Topic::Stable, _) => {
                self.answer(at, Level::Good, "Every place changes its tokens at some time")
                    .details
                    .push(because);
            }
            (Topic::Liveness, "TRUE") => {
                self.answer(at, Level::Good, "Every transition can always be made to fire again")
                    .details
                    .push(because);
            }
            (Topic::Liveness, _) => {
                // Of a process that ends, nothing stays possible for ever.
                let level = if self.process() { Level::Note } else { Level::Warning };
                self.answer(at, level, "Not every transition stays possible (not live)")
                    .details
                    .push(because);
            }
            (Topic::Reversible, "TRUE") => {
                self.answer(at, Level::Good, "The net can always return to its initial marking")
                    .details
                    .push(because);
            }
            (Topic::Reversible, _) => {
                let because = self.gone_for_good(question).unwrap_or(because);
                self.answer(at, Level::Note, "The net cannot always return to its initial marking")
                    .details
                    .push(because);
            }
        }
    }

    fn formula(&mut self, at: usize, question: &Question) {
        let value = question.value.as_deref().unwrap_or_default();
        let because = question.reason.clone();
        let title = format!("{}: {value}", question.id);
        let written = question.title.clone();
        let finding = self.answer(at, Level::Note, title);
        finding.details.extend((!written.is_empty()).then(|| Text::words(written)));
        finding.details.push(because);
    }

    fn open(&mut self, at: usize, question: &Question) {
        let title = match question.topic {
            Some(_) => format!("Open: {}", question.title),
            None => format!("Open: {}", question.id),
        };
        let reason = question.reason.clone();
        self.answer(at, Level::Unknown, title).details.push(reason);
    }

    /// Whether the net was asked about as a process.
    fn process(&self) -> bool {
        !ends(self.net).is_empty()
    }

    /// Whether what is said of soundness says as much as this answer: that it is sound, or the same
    /// reason why not.
    fn is_said_of_soundness(&self, at: usize, examination: Examination) -> bool {
        let soundness = Some(Topic::Process(Examination::Soundness));
        let questions = &self.found.questions;
        let whole = questions.iter().find(|asked| asked.topic == soundness);
        let whole = whole.filter(|_| examination == Examination::WeakSoundness);
        whole.is_some_and(|whole| match whole.value.as_deref() {
            Some("TRUE") => true,
            Some(_) => questions[at].value.is_some() && questions[at].reason == whole.reason,
            None => false,
        })
    }

    fn well_done(&mut self, at: usize, examination: Examination, question: &Question) {
        let title = match examination {
            Examination::WeakSoundness => "The process is weakly sound",
            Examination::EasySoundness => "Some case can be completed",
            Examination::RelaxedSoundness => "The process is relaxed sound",
            _ => "The process is sound",
        };
        let because = question.reason.clone();
        let ends = self.ends();
        let finding = self.answer(at, Level::Good, title);
        finding.details.push(because.sentence());
        finding.details.extend(ends);
    }

    fn unsound(&mut self, at: usize, examination: Examination, question: &Question) {
        let title = match examination {
            Examination::EasySoundness => "No case can be completed: ",
            Examination::RelaxedSoundness => "The process is not relaxed sound: ",
            Examination::WeakSoundness => "The process is not weakly sound: ",
            _ => "The process is not sound: ",
        };
        let title = Text::words(title).then(question.reason.clone());
        let (net, ends) = (self.net, self.ends());
        // Where it ends, what goes on from there is of interest only if nothing does.
        let end = question.play.as_ref().and_then(|play| self.marking(play));
        let end = end.filter(|end| net.transitions().all(|t| !net.is_enabled(end, t)));
        let finding = self.answer(at, Level::Problem, "");
        finding.title = title;
        finding.details.extend(end.map(|end| stuck(net, &end)).unwrap_or_default());
        finding.details.extend(ends);
    }

    /// Where a case begins, and where it is done.
    fn ends(&self) -> Option<Text> {
        let marked = |text: Text, marking: &Marking| {
            let places: Vec<(PlaceId, u64)> = marking.marked().collect();
            text.list(&places, ", ", |text, &(place, tokens)| {
                let text = text.place(place);
                if tokens > 1 { text.say(format!(" ({tokens})")) } else { text }
            })
        };
        let text = marked(Text::words("A case begins with tokens on "), self.net.initial());
        Some(marked(text.say(", and is done with tokens on "), done(self.net)?))
    }

    /// A case that gets stuck, unless that is what was said of soundness.
    fn stuck_case(&mut self, at: usize, question: &Question) {
        let unsound = |asked: &Question| {
            matches!(asked.topic, Some(Topic::Process(_)))
                && asked.value.as_deref() == Some("FALSE")
                && asked.reason.says("gets stuck")
        };
        if !self.found.questions.iter().any(unsound) {
            self.nothing_enabled(at, question, "A case gets stuck before it is done");
        }
    }

    fn deadlock(&mut self, at: usize, question: &Question) {
        let is_known =
            |asked: &Question| asked.topic == Some(Topic::Stuck) && asked.value.is_some();
        let stuck = self.found.questions.iter().any(is_known);
        match self.dead_marking(question) {
            // Where a case is done, or stops with it, was asked by itself.
            _ if stuck => {}
            Some(end) if ends(self.net).contains(&end) => {
                let title = "Nothing is enabled any more where a case is done, as it should be";
                self.answer(at, Level::Note, title);
            }
            _ => self.nothing_enabled(at, question, "A deadlock"),
        }
    }

    /// The dead marking that answers a question.
    fn dead_marking(&self, question: &Question) -> Option<Marking> {
        match &question.play {
            None => Some(self.net.initial().clone()),
            Some(play) => self.marking(play),
        }
    }

    /// A place that keeps the net from coming back to its initial marking, where that is plain to
    /// see after the firings that are shown: what its tokens never do again.
    fn gone_for_good(&self, question: &Question) -> Option<Text> {
        let (net, play) = (self.net, question.play.as_ref()?);
        let (before, after) = (net.initial(), self.marking(play)?);
        let more = |t, p| net.post_weight(t, p) > net.pre_weight(t, p);
        let less = |t, p| net.pre_weight(t, p) > net.post_weight(t, p);
        let (place, what) = net.places().find_map(|p| match after[p].cmp(&before[p]) {
            Ordering::Greater if !net.consumers(p).iter().any(|arc| less(arc.transition, p)) => {
                Some((p, " has more tokens than initially, and none is ever taken away"))
            }
            Ordering::Less if !net.producers(p).iter().any(|arc| more(arc.transition, p)) => {
                Some((p, " has fewer tokens than initially, and none is ever put there"))
            }
            _ => None,
        })?;
        let firings = usize::try_from(play.firings).ok()?;
        let text = Text::words(format!("After {} ", counted(firings, "firing")));
        Some(text.place(place).say(what))
    }

    fn nothing_enabled(&mut self, at: usize, question: &Question, what: &str) {
        let marking = self.dead_marking(question);
        let title = match question.play.as_ref().map_or(0, |play| play.firings) {
            0 => "The net is stuck from the beginning: nothing is enabled".to_owned(),
            1 => format!("{what} after 1 firing: nothing is enabled any more"),
            firings => format!("{what} after {firings} firings: nothing is enabled any more"),
        };
        let net = self.net;
        let details = marking.map(|marking| stuck(net, &marking)).unwrap_or_default();
        self.answer(at, Level::Problem, title).details.extend(details);
    }

    /// The marking at the end of what is played, if its trace is kept.
    fn marking(&self, play: &Play) -> Option<Marking> {
        let mut sequence = FiringSequence::new();
        for step in self.store.traces.get(play.trace?)?.chunks_exact(2) {
            sequence.push(TransitionId::new(usize::try_from(step[0]).ok()?), step[1]);
        }
        sequence.truncate(play.firings);
        replay(self.net, &sequence).ok()
    }

    fn dead_transitions(&mut self, at: usize) {
        match self.net.folding() {
            None => self.dead_by_cause(at),
            Some(_) => self.dead_of_coloured(at),
        }
        let open = open_nodes(&self.found.fates, self.net.transitions());
        if !open.is_empty() {
            let text = Text::words("It is open whether these can ever fire: ");
            let title = text.list(&open, ", ", |text, &t| text.transition(t));
            self.tell(Level::Unknown, title).question = Some(at);
        }
    }

    fn dead_by_cause(&mut self, at: usize) {
        let (net, found) = (self.net, self.found);
        // Of a transition with copies, the first stands for all of them.
        let bindings = bindings(net);
        let dead = never_firing(&bindings, &found.fates).into_iter();
        let dead: Vec<TransitionId> = dead.filter_map(|at| bindings[at].first()).copied().collect();
        let causes = dead::causes(net, &dead);
        // Sums are looked for only where some transition waits for no place.
        let sums = causes
            .iter()
            .any(|cause| !cause.roots.is_empty())
            .then(|| Sums::of(net, &dead, &Budget::lasting(SUMS)));
        let fate = |t: TransitionId| found.fates[t.index()].as_ref();
        let excluded =
            |t: TransitionId| sums.as_ref().and_then(|sums| dead::excluded(net, sums, t));
        let causes = dead::by_reason(causes, &excluded);
        let why = |t: TransitionId| {
            excluded(t).or_else(|| Some(Text::of_sentence(net, &fate(t)?.reason).after(": ")))
        };
        for cause in &causes {
            let mut details = cause.details(net, &why);
            let of_units = |t: &TransitionId| fate(*t).is_some_and(|fate| fate.assumes_units);
            if cause.members.iter().any(of_units) {
                details.push(Text::words("This rests on the model's claim of safe units (NUPN)"));
            }
            let certificate = cause.members.iter().find_map(|&t| fate(t)?.shown.certificate);
            let finding = self.tell(Level::Problem, cause.title(net, &why));
            (finding.details, finding.certificate) = (details, certificate);
            finding.question = Some(at);
        }
    }

    /// Of coloured transitions, what is said of their first bindings.
    fn dead_of_coloured(&mut self, at: usize) {
        let (net, found) = (self.net, self.found);
        let Some(folding) = net.folding() else { return };
        let bindings = bindings(net);
        // What is dead for the same reason is one finding.
        let mut groups: Vec<(Vec<usize>, Vec<Text>, Option<usize>)> = Vec::new();
        for transition in never_firing(&bindings, &found.fates) {
            let (details, certificate) = match bindings[transition].first() {
                None => (vec![Text::words(NO_BINDING)], None),
                Some(&t) => {
                    let Some(fate) = &found.fates[t.index()] else { continue };
                    (why_never(net, fate), fate.shown.certificate)
                }
            };
            let same = groups.iter().position(|(_, of_group, shown)| {
                *of_group == details && self.store.read_alike(*shown, certificate)
            });
            match same {
                Some(group) => groups[group].0.push(transition),
                None => groups.push((vec![transition], details, certificate)),
            }
        }
        let name = |text: Text, &at: &usize| text.say(format!("`{}`", folding.transition_name(at)));
        for (members, details, certificate) in groups {
            let title = match members.as_slice() {
                [one] => name(Text::words("Transition "), one).say(" can never fire"),
                all => {
                    let text = Text::words(format!("{} transitions can never fire: ", all.len()));
                    text.list(all, ", ", name)
                }
            };
            let finding = self.tell(Level::Problem, title);
            (finding.details, finding.certificate) = (details, certificate);
            finding.question = Some(at);
        }
    }

    /// Bindings that never fire of coloured transitions that do: most models have some.
    fn dead_bindings(&mut self, at: usize) {
        let (net, found) = (self.net, self.found);
        let Some(folding) = net.folding() else { return };
        let mut details = Vec::new();
        for transition in 0..folding.transition_count() {
            let all: Vec<TransitionId> = folding.transitions(transition).collect();
            let dead: Vec<TransitionId> =
                all.iter().copied().filter(|&t| fires(&found.fates, t) == Some(false)).collect();
            if !dead.is_empty() && dead.len() < all.len() {
                let (some, of) = (dead.len(), all.len());
                let name = folding.transition_name(transition);
                let text =
                    Text::words(format!("{some} of the {of} bindings of `{name}`, such as "));
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
            let finding = self.tell(Level::Note, Text::words(title));
            (finding.details, finding.question) = (details, Some(at));
        }
    }

    /// Every unbounded place, with a loop that shows it; those that the same loop shows together.
    fn unbounded_places(&mut self, at: usize) {
        let (net, found) = (self.net, self.found);
        let mut groups: Vec<(Vec<PlaceId>, Vec<Text>, Option<Play>)> = Vec::new();
        for place in net.model_places() {
            let Some(bound) = &found.bounds[place.index()] else { continue };
            if bound.most != "+inf" {
                continue;
            }
            let play = bound.shown.play.clone();
            let mut details: Vec<Text> = self.looped(play.as_ref()).into_iter().collect();
            details.extend(in_stages(&bound.shown.stages));
            match groups.iter_mut().find(|(_, of, _)| !of.is_empty() && *of == details) {
                Some((places, ..)) => places.push(place),
                None => groups.push((vec![place], details, play)),
            }
        }
        if groups.len() > UNBOUNDED + 1 {
            let others = groups.split_off(UNBOUNDED);
            let places: Vec<PlaceId> =
                others.iter().flat_map(|(places, ..)| places).copied().collect();
            let said = |(places, details, _): (Vec<PlaceId>, Vec<Text>, _)| {
                let text = Text::default().list(&places, ", ", |text, &place| text.place(place));
                details.into_iter().fold(text.say(":"), |text, detail| text.say(" ").then(detail))
            };
            groups.push((places, others.into_iter().map(said).collect(), None));
        }
        for (places, details, play) in groups {
            let title = match places.as_slice() {
                [one] => Text::words("Place ").place(*one).say(" is unbounded"),
                all => {
                    let text = Text::words(format!("{} places are unbounded: ", all.len()));
                    text.all(all, ", ", |text, &place| text.place(place))
                }
            };
            let finding = self.tell(Level::Problem, title);
            (finding.details, finding.play, finding.question) = (details, play, Some(at));
        }
        let open = open_nodes(&found.bounds, net.model_places());
        if !open.is_empty() {
            let text = Text::words("It is open whether these are bounded: ");
            let title = text.list(&open, ", ", |text, &place| text.place(place));
            self.tell(Level::Unknown, title).question = Some(at);
        }
        self.never_marked();
    }

    /// The loop that is played, in words.
    fn looped(&self, play: Option<&Play>) -> Option<Text> {
        let play = play?;
        let steps = |trace: usize| -> Option<Vec<Step>> {
            let steps = self.store.traces.get(trace)?.chunks_exact(2).map(|step| {
                let transition = TransitionId::new(usize::try_from(step[0]).ok()?);
                Some(Step { transition, count: step[1] })
            });
            steps.collect()
        };
        let text = match play.trace.and_then(steps).filter(|steps| !steps.is_empty()) {
            None => Text::words("This loop adds tokens each time and can repeat for ever: "),
            Some(first) => fired(Text::words("After "), &first)
                .say(", this loop adds tokens each time and can repeat for ever: "),
        };
        Some(fired(text, &steps(play.pump?)?))
    }

    fn never_marked(&mut self) {
        let (net, found) = (self.net, self.found);
        let empty = |place: &PlaceId| {
            found
                .bounds
                .get(place.index())
                .is_some_and(|bound| bound.as_ref().is_some_and(|bound| bound.most == "0"))
        };
        let empty: Vec<PlaceId> = net.model_places().filter(empty).collect();
        if empty.is_empty() {
            return;
        }
        let certificate =
            found.bounds[empty[0].index()].as_ref().and_then(|bound| bound.shown.certificate);
        let text = match empty.len() {
            1 => Text::words("Place "),
            count => Text::words(format!("{count} places ")),
        };
        let never = if empty.len() == 1 { " never holds a token" } else { " never hold a token: " };
        let title = match empty.as_slice() {
            [only] => text.place(*only).say(never),
            all => text.say(never.trim_start()).list(all, ", ", |text, &place| text.place(place)),
        };
        self.tell(Level::Warning, title).certificate = certificate;
    }

    /// Nodes without arcs.
    fn lonely(&mut self) {
        let net = self.net;
        // A place that only forbids firings has no arc, and its complement does.
        let forbids = |p| net.translation().is_some_and(|it| it.complemented().contains(&p));
        let places: Vec<PlaceId> = net
            .model_places()
            .filter(|&p| net.producers(p).is_empty() && net.consumers(p).is_empty())
            .filter(|&p| !forbids(p))
            .collect();
        let transitions: Vec<TransitionId> = net
            .transitions()
            .filter(|&t| net.pre(t).is_empty() && net.post(t).is_empty())
            .collect();
        if !places.is_empty() {
            let title = Text::words("Nothing is connected to ");
            let title = title.list(&places, ", ", |text, &place| text.place(place));
            self.tell(Level::Warning, title);
        }
        if !transitions.is_empty() {
            let title = Text::words("Nothing is connected to ");
            let title = title.list(&transitions, ", ", |text, &t| text.transition(t));
            self.tell(Level::Warning, title);
        }
    }
}

/// Those of some nodes of which nothing is known, when each was asked about.
fn open_nodes<K, N>(known: &[Option<K>], nodes: impl Iterator<Item = N>) -> Vec<N> {
    nodes.zip(known).filter(|(_, known)| known.is_none()).map(|(node, _)| node).collect()
}

/// Why a transition never fires, as the engines say.
fn why_never(net: &Net, fate: &Fate) -> Vec<Text> {
    let mut details = vec![Text::words("Because ").then(Text::of_sentence(net, &fate.reason))];
    if fate.assumes_units {
        details.push(Text::words("This rests on the model's claim of safe units (NUPN)"));
    }
    details
}

/// What a dead marking looks like, and what transitions wait for there.
fn stuck(net: &Net, marking: &Marking) -> Vec<Text> {
    let marked: Vec<(PlaceId, u64)> = marking.marked().collect();
    let tokens = match marked.is_empty() {
        true => Text::words("No place holds a token there"),
        false => Text::words("Tokens there: ").list(&marked, ", ", |text, &(place, tokens)| {
            let text = text.place(place);
            if tokens > 1 { text.say(format!(" ({tokens})")) } else { text }
        }),
    };
    // Those that lack the fewest places are the ones that the author expects to go on.
    let lacks =
        |t: TransitionId| net.pre(t).iter().filter(|arc| marking[arc.place] < arc.weight).count();
    let mut near: Vec<TransitionId> = net
        .transitions()
        .filter(|&t| net.pre(t).iter().any(|arc| marking[arc.place] >= arc.weight))
        .collect();
    near.sort_by_key(|&t| lacks(t));
    let more = near.len().saturating_sub(WAITING);
    near.truncate(WAITING);
    let mut details = vec![tokens];
    if !near.is_empty() {
        details.push(Text::default().list(&near, "; ", |text, &t| {
            let missing: Vec<PlaceId> = net
                .pre(t)
                .iter()
                .filter(|arc| marking[arc.place] < arc.weight)
                .map(|arc| arc.place)
                .collect();
            let text = text.transition(t).say(" waits for ");
            text.list(&missing, " and ", |text, &place| text.place(place))
        }));
        if let (Some(last), 1..) = (details.last_mut(), more) {
            *last = std::mem::take(last).say(format!("; and {more} more wait"));
        }
    }
    details
}

/// Transitions in the order they fire.
fn fired(text: Text, steps: &[Step]) -> Text {
    text.list(steps, ", ", |text, step| {
        let text = text.transition(step.transition);
        if step.count > 1 { text.say(format!(" {} times", step.count)) } else { text }
    })
}

/// The loops of a pump in stages, in order.
fn in_stages(stages: &[Stage]) -> Vec<Text> {
    let told = |(at, stage): (usize, &Stage)| {
        let mut text = Text::words(if at == 0 { "First " } else { "Then " });
        if !stage.prefix.is_empty() {
            text = fired(text, stage.prefix.steps()).say(", then ");
        }
        let text = fired(text.say("again and again: "), stage.pump.steps());
        match at + 1 == stages.len() {
            true => text.say(", which adds tokens each time"),
            false => text.say(", as often as what follows needs"),
        }
    };
    stages.iter().enumerate().map(told).collect()
}
