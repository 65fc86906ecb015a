//! What is asked about the net, and what came of it.

use super::shown::{Play, Shown, Store};
use super::text::Text;
use super::topic::Topic;
use crate::answer::{Answer, Exhibit, Plan, Value};
use crate::board::{Knowledge, Reach, Run};
use crate::mcc::Examination;
use crate::run::{self, Config, Event};
use parikh_net::counted::counted;
use parikh_net::{Goal, LinearSum, Net, PlaceId, Predicate, TransitionId};
use parikh_solvers::Budget;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

/// What is asked.
pub enum Asked {
    /// About the net as such.
    Topics(Vec<Topic>),
    /// Formulas, with each as it was written by its id.
    Formulas {
        /// The questions.
        plan: Box<Plan>,
        /// How they were written.
        written: HashMap<String, String>,
        /// Those that cannot be asked, with why not.
        refused: Vec<(String, String)>,
    },
}

/// A question with what came of it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Question {
    /// The examination's or the formula's name.
    pub id: String,
    /// The question in words, or the formula.
    pub title: String,
    /// `TRUE`, `FALSE`, a number, `+inf`; nothing when it is open.
    pub value: Option<String>,
    /// Why, or why not yet.
    pub reason: Text,
    /// `replayed`, `certified`, `searched`.
    pub grade: String,
    /// The engines that it rests on.
    pub techniques: Vec<&'static str>,
    /// Whether it rests on the model's claim of safe units.
    pub assumes_units: bool,
    /// The witness.
    pub play: Option<Play>,
    /// The certificates.
    pub certificates: Vec<usize>,
    /// Seconds until the answer, or altogether.
    pub seconds: f64,
    /// What was tried, where it is open: when and who, and figures.
    pub tried: Vec<(String, String)>,
    #[serde(skip)]
    pub(super) topic: Option<Topic>,
}

/// Whether a transition can fire.
#[derive(Clone, Debug, Serialize)]
pub struct Fate {
    /// It can.
    pub fires: bool,
    /// Why.
    #[serde(flatten)]
    pub shown: Shown,
    #[serde(skip)]
    pub(super) reason: String,
    #[serde(skip)]
    pub(super) assumes_units: bool,
}

/// What is known of the most tokens a place holds.
#[derive(Clone, Debug, Serialize)]
pub struct Bound {
    /// The number, or `+inf`.
    pub most: String,
    /// Why.
    #[serde(flatten)]
    pub shown: Shown,
}

/// Everything that was found out.
#[derive(Default)]
pub(super) struct Found {
    pub(super) questions: Vec<Question>,
    /// By transition, when each was asked for by itself.
    pub(super) fates: Vec<Option<Fate>>,
    /// By place, likewise.
    pub(super) bounds: Vec<Option<Bound>>,
    /// The dead marking that was found is where the first question's witness ends.
    pub(super) breach: Option<String>,
    pub(super) faults: usize,
}

/// Nets with more nodes are not asked about one node at a time.
const ONE_BY_ONE: usize = 3_000;

/// As much of what one answer rests on is shown.
const MOST_SHOWN: usize = 24;

/// Asks all of it within the budget, and tells of each question before it is asked.
pub(super) fn ask<'n>(
    net: &'n Net,
    asked: Asked,
    config: &Config,
    budget: &Budget,
    store: &mut Store<'n>,
    tell: &mut dyn FnMut(&str),
) -> Found {
    let mut asking = Asking { net, config, store, found: Found::default() };
    let whole = budget.remaining();
    match asked {
        Asked::Topics(topics) => {
            for (at, &topic) in topics.iter().enumerate() {
                tell(topic.title());
                let budget = budget.portion(1.0 / (topics.len() - at) as f64);
                asking.topic(topic, &budget);
            }
            asking.again(&topics, budget, tell);
            if let (Some(whole), true) = (whole, topics.len() > 1) {
                asking.found.questions.iter_mut().for_each(|question| say_share(question, whole));
            }
        }
        Asked::Formulas { plan, written, refused } => {
            tell("the formulas");
            asking.formulas(*plan, &written, budget);
            for (id, reason) in refused {
                let title = written.get(&id).cloned().unwrap_or_default();
                let reason = Text::words(reason);
                asking.found.questions.push(Question { id, title, reason, ..Question::default() });
            }
        }
    }
    asking.found
}

/// What ran out of time had a part of it, as others were asked, too: `parikh check` gives it all.
fn say_share(question: &mut Question, whole: Duration) {
    if question.value.is_none() && question.reason.says("out of time") {
        let (share, whole) = (question.seconds, whole.as_secs_f64());
        let said = format!(
            " (its share was {share:.1} s of the {whole:.1} s for all questions; --timeout gives more)"
        );
        question.reason = std::mem::take(&mut question.reason).say(said);
    }
}

struct Asking<'a, 'n> {
    net: &'n Net,
    config: &'a Config,
    store: &'a mut Store<'n>,
    found: Found,
}

/// An answer with what shows it.
struct Heard {
    answer: Answer,
    shown: Vec<Shown>,
    seconds: f64,
}

/// How a run over one plan ended.
struct Ran {
    heard: BTreeMap<String, Heard>,
    open: BTreeMap<String, String>,
    seconds: f64,
    /// Who had a turn when, and what it said of it.
    tried: Vec<(String, String)>,
}

impl Asking<'_, '_> {
    fn run(&mut self, plan: Plan, budget: &Budget) -> Ran {
        self.run_on(self.net, plan, budget)
    }

    /// On this net, or on one with the same transitions, whose documents are not for the page.
    fn run_on(&mut self, net: &Net, plan: Plan, budget: &Budget) -> Ran {
        let is_other = !std::ptr::eq(net, self.net);
        let start = Instant::now();
        let mut heard = BTreeMap::new();
        let mut known: HashMap<usize, (Goal, Knowledge)> = HashMap::new();
        let store = &mut *self.store;
        let report = run::run_net(net, plan, self.config, budget, |event| match event {
            Event::Settled { id, goal, knowledge } => {
                known.insert(id.index(), (goal.clone(), knowledge.clone()));
            }
            Event::Answered(answer) => {
                let mut by: Vec<Shown> = Vec::new();
                for goal in answer.rests_on.iter() {
                    let shown = match known.get(&goal.index()) {
                        None => continue,
                        Some((
                            Goal::Run(property),
                            Knowledge::Run(Run::Exists { run: Some(run), .. }),
                        )) => store.run(property, run),
                        Some((_, Knowledge::Reach(Reach::Unreachable { .. }))) if is_other => {
                            continue;
                        }
                        Some((_, knowledge)) => store.of(knowledge),
                    };
                    if !by.contains(&shown) {
                        by.push(shown);
                    }
                    if by.len() == MOST_SHOWN {
                        break;
                    }
                }
                let seconds = start.elapsed().as_secs_f64();
                let id = answer.id.clone();
                heard.insert(id, Heard { answer: answer.clone(), shown: by, seconds });
            }
            Event::Withdrawn { id } => {
                heard.remove(id);
            }
            _ => {}
        });
        self.found.faults += report.faults;
        if let Some(breach) = report.breach {
            self.found.breach.get_or_insert(breach);
        }
        let open = report.unanswered.into_iter().map(|open| (open.id, open.reason)).collect();
        let seconds = start.elapsed().as_secs_f64();
        let tried = report.turns.iter().map(|turn| {
            let (began, ended) = (turn.began, turn.began + turn.lasted);
            let when = format!("{:.2} – {:.2} s", began.as_secs_f64(), ended.as_secs_f64());
            (format!("{when}, {}", turn.engine), turn.said.clone())
        });
        Ran { heard, open, seconds, tried: tried.collect() }
    }

    fn topic(&mut self, topic: Topic, budget: &Budget) {
        let net = self.net;
        let question = match topic {
            Topic::Firings if net.transition_count() <= ONE_BY_ONE => self.firings(budget),
            Topic::Bounds if net.place_count() <= ONE_BY_ONE => self.bounds(budget),
            Topic::Process(Examination::RelaxedSoundness) => self.relaxed(budget),
            _ => {
                let plan = topic.plan(net);
                let mut ran = self.run(plan.unwrap_or_default(), budget);
                let id = ran.heard.keys().chain(ran.open.keys()).next().cloned();
                question(net, &id.unwrap_or_default(), &mut ran)
            }
        };
        let (id, title) = (topic.id().to_owned(), topic.title().to_owned());
        self.found.questions.push(Question { id, title, topic: Some(topic), ..question });
    }

    /// Asked of the net with its firings counted.
    fn relaxed(&mut self, budget: &Budget) -> Question {
        let examination = Examination::RelaxedSoundness;
        match counted(self.net) {
            Ok(counted) => {
                let plan = Plan::of_examination(examination, &counted).unwrap_or_default();
                let mut ran = self.run_on(&counted, plan, budget);
                question(self.net, examination.name(), &mut ran)
            }
            Err(why) => Question { reason: Text::words(why.to_string()), ..Question::default() },
        }
    }

    /// What others left of the time goes to what is open; not to what was asked node by node, of
    /// which most is known.
    fn again(&mut self, topics: &[Topic], budget: &Budget, tell: &mut dyn FnMut(&str)) {
        let one_by_one = |topic| match topic {
            Topic::Firings => !self.found.fates.is_empty(),
            Topic::Bounds => !self.found.bounds.is_empty(),
            _ => false,
        };
        let mut open: Vec<usize> = (0..topics.len()).collect();
        open.retain(|&at| self.found.questions[at].value.is_none() && !one_by_one(topics[at]));
        for (others, &at) in open.iter().enumerate() {
            if budget.exhausted().is_some() {
                break;
            }
            tell(topics[at].title());
            self.topic(topics[at], &budget.portion(1.0 / (open.len() - others) as f64));
            let before = self.found.questions.swap_remove(at);
            let question = &mut self.found.questions[at];
            question.seconds += before.seconds;
            if question.value.is_none() {
                question.tried.splice(0..0, before.tried);
            }
        }
    }

    fn formulas(&mut self, plan: Plan, written: &HashMap<String, String>, budget: &Budget) {
        let ids: Vec<String> = plan.questions().iter().map(|asked| asked.id.clone()).collect();
        let mut ran = self.run(plan, budget);
        for id in ids {
            let title = written.get(&id).cloned().unwrap_or_default();
            let question = question(self.net, &id, &mut ran);
            self.found.questions.push(Question { id, title, ..question });
        }
    }

    /// Each transition by itself.
    fn firings(&mut self, budget: &Budget) -> Question {
        let net = self.net;
        let goals = net.transitions().map(|t| Goal::Reach(Predicate::Enabled(t)));
        let mut ran = self.run(Plan::of_goals(goals), budget);
        let mut heard: Vec<Option<Heard>> = Vec::new();
        for t in net.transitions() {
            let one = ran.heard.remove(&t.index().to_string());
            self.found.fates.push(one.as_ref().map(|heard| Fate {
                fires: heard.answer.value == Value::Bool(true),
                shown: heard.shown.first().cloned().unwrap_or_default(),
                reason: heard.answer.reason.clone(),
                assumes_units: heard.answer.assumes_units,
            }));
            heard.push(one);
        }
        // A transition of a coloured net fires when one of its bindings does.
        let bindings = bindings(net);
        let dead = dead(&bindings, &self.found.fates);
        let fires = |t: &TransitionId| fires(&self.found.fates, *t) == Some(true);
        let can = bindings.iter().filter(|of| of.iter().any(fires)).count();
        let mut whole = Question { grade: "replayed".into(), ..Question::default() };
        // "Never" rests on those that never fire, "each" on one firing of each.
        let rests_on: Vec<TransitionId> = match dead.is_empty() {
            true => bindings.iter().filter_map(|of| of.iter().copied().find(fires)).collect(),
            false => dead.iter().flat_map(|&at| bindings[at].iter().copied()).collect(),
        };
        for heard in rests_on.iter().filter_map(|t| heard[t.index()].as_ref()) {
            rest_on(&mut whole, heard, !dead.is_empty());
        }
        let all = bindings.len();
        (whole.value, whole.reason) = match (can == all, dead.as_slice()) {
            (true, _) => {
                let reason = "for every transition there is a firing sequence that ends with it";
                (Some("TRUE".to_owned()), Text::words(reason))
            }
            (_, [_, ..]) => {
                let text = Text::words(format!("{} of {all} never fire: ", dead.len()));
                let text = text.list(&dead, ", ", |text, &at| match net.folding() {
                    None => text.transition(bindings[at][0]),
                    Some(folding) => text.say(folding.transition_name(at)),
                });
                (Some("FALSE".to_owned()), text)
            }
            _ => {
                let open = ran.open.into_values().next().unwrap_or_default();
                let reason = format!("{can} of {all} were seen to fire; of the others: {open}");
                (None, Text::words(reason))
            }
        };
        whole.tried = if whole.value.is_none() { ran.tried } else { Vec::new() };
        Question { seconds: ran.seconds, ..whole }
    }

    /// Each place by itself.
    fn bounds(&mut self, budget: &Budget) -> Question {
        let net = self.net;
        let goals = net.model_places().map(|p| Goal::Maximise(LinearSum::place(p)));
        let mut ran = self.run(Plan::of_goals(goals), budget);
        let mut whole = Question { grade: "replayed".into(), ..Question::default() };
        let mut largest: Option<(i128, PlaceId)> = None;
        let mut infinite: Vec<PlaceId> = Vec::new();
        let mut unknown = 0;
        for place in net.model_places() {
            let bound = ran.heard.remove(&place.index().to_string()).map(|heard| {
                rest_on(&mut whole, &heard, true);
                match &heard.answer.value {
                    Value::Infinite => infinite.push(place),
                    &Value::Number(most) if largest.is_none_or(|(known, _)| most > known) => {
                        largest = Some((most, place));
                    }
                    _ => {}
                }
                let shown = heard.shown.into_iter().next().unwrap_or_default();
                Bound { most: heard.answer.value.to_string(), shown }
            });
            unknown += usize::from(bound.is_none());
            self.found.bounds.push(bound);
        }
        (whole.value, whole.reason) = match (infinite.as_slice(), unknown, largest) {
            ([_, ..], ..) => {
                let text = Text::words("without limit on ");
                let text = text.list(&infinite, ", ", |text, &p| text.place(p));
                (Some("+inf".to_owned()), text)
            }
            (_, 0, Some((most, place))) => {
                let text = match net.folding() {
                    None => "at most so many on any place, and that many on ",
                    Some(_) => "at most so many of one colour on any place, and that many on ",
                };
                let text = Text::words(text);
                (Some(most.to_string()), text.place(place))
            }
            (_, 0, None) => (Some("0".to_owned()), Text::words("the net has no places")),
            (_, unknown, _) => {
                let open = ran.open.into_values().next().unwrap_or_default();
                let reason = format!("{unknown} of {} places are open: {open}", net.place_count());
                (None, Text::words(reason))
            }
        };
        whole.tried = if whole.value.is_none() { ran.tried } else { Vec::new() };
        Question { seconds: ran.seconds, ..whole }
    }
}

/// Transitions as the model has them: of a coloured one the bindings, which may be none; of one
/// with reset arcs its copies.
pub(super) fn bindings(net: &Net) -> Vec<Vec<TransitionId>> {
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

/// Whether a transition of the net can fire, if that is known.
pub(super) fn fires(fates: &[Option<Fate>], t: TransitionId) -> Option<bool> {
    fates[t.index()].as_ref().map(|fate| fate.fires)
}

/// Of these transitions with their bindings, those that never fire.
pub(super) fn dead(bindings: &[Vec<TransitionId>], fates: &[Option<Fate>]) -> Vec<usize> {
    let dead = |of: &Vec<TransitionId>| of.iter().all(|&t| fires(fates, t) == Some(false));
    (0..bindings.len()).filter(|&at| dead(&bindings[at])).collect()
}

/// Adds what one of many answers rests on to the question over all of them.
fn rest_on(whole: &mut Question, heard: &Heard, with_certificates: bool) {
    for technique in &heard.answer.techniques {
        if !whole.techniques.contains(technique) {
            whole.techniques.push(technique);
        }
    }
    whole.assumes_units |= heard.answer.assumes_units;
    // The weakest counts.
    let grade = heard.answer.grade.to_string();
    let rank =
        |grade: &str| ["replayed", "certified", "searched"].iter().position(|it| *it == grade);
    if rank(&grade) > rank(&whole.grade) {
        whole.grade = grade;
    }
    let certificates = heard.shown.iter().filter_map(|shown| shown.certificate);
    for certificate in certificates.filter(|_| with_certificates) {
        if !whole.certificates.contains(&certificate) {
            whole.certificates.push(certificate);
        }
    }
}

/// What came of one question.
fn question(net: &Net, id: &str, ran: &mut Ran) -> Question {
    if let Some(Heard { answer, shown, seconds }) = ran.heard.remove(id) {
        let certificates = shown.iter().filter_map(|shown| shown.certificate);
        let mut certificates: Vec<usize> = certificates.collect();
        certificates.sort_unstable();
        certificates.dedup();
        // Of all goals, the play that the answer's own witness is.
        let plays = || shown.iter().filter_map(|shown| shown.play.clone());
        let play = match &answer.exhibit {
            Some(Exhibit::Firings(witness)) => {
                let firings = u64::try_from(witness.firings()).unwrap_or(u64::MAX);
                plays().find(|play| play.firings == firings).or_else(|| plays().next())
            }
            Some(Exhibit::Lasso(_)) => plays().next(),
            _ => plays().find(|play| play.pump.is_some()),
        };
        return Question {
            id: answer.id,
            value: Some(answer.value.to_string()),
            reason: Text::of_sentence(net, &answer.reason),
            grade: answer.grade.to_string(),
            techniques: answer.techniques,
            assumes_units: answer.assumes_units,
            play,
            certificates,
            seconds,
            ..Question::default()
        };
    }
    let reason = ran.open.remove(id).unwrap_or_else(|| "it was not asked".to_owned());
    Question {
        id: id.to_owned(),
        reason: Text::of_sentence(net, &reason),
        seconds: ran.seconds,
        tried: ran.tried.clone(),
        ..Question::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn what_ran_out_of_time_says_how_much_it_had() {
        let reason = |value: Option<&str>, words: &str| {
            let reason = Text::words(words);
            let value = value.map(str::to_owned);
            let mut question = Question { value, reason, seconds: 0.71, ..Question::default() };
            say_share(&mut question, Duration::from_secs(5));
            question.reason
        };
        let said = reason(None, "out of time; 1 of 2 goals are open");
        assert!(said.says("(its share was 0.7 s of the 5.0 s for all questions;"), "{said:?}");
        for (value, words) in
            [(Some("TRUE"), "out of time"), (None, "the engines have nothing more")]
        {
            assert_eq!(reason(value, words), Text::words(words));
        }
    }

    #[test]
    fn what_is_open_is_asked_again_in_the_time_that_is_left() {
        let net = text::parse("place p 1\nplace q\ntransition t: p -> q").unwrap();
        let open = Question { seconds: 5.0, topic: Some(Topic::Deadlock), ..Question::default() };
        let known = Question { value: Some("TRUE".into()), id: "known".into(), ..open.clone() };
        let topics = [Topic::Deadlock, Topic::OneSafe];
        let again = |budget: &Budget| {
            let (mut store, mut told) = (Store::new(&net), Vec::new());
            let questions = vec![open.clone(), known.clone()];
            let found = Found { questions, ..Found::default() };
            let config = &Config::default();
            let mut asking = Asking { net: &net, config, store: &mut store, found };
            asking.again(&topics, budget, &mut |title: &str| told.push(title.to_owned()));
            (asking.found.questions, told)
        };
        let (questions, told) = again(&Budget::lasting(Duration::from_secs(20)));
        assert_eq!(told, [Topic::Deadlock.title()]);
        assert_eq!(questions.len(), 2);
        assert_eq!(questions[0].value.as_deref(), Some("TRUE"));
        assert!(questions[0].seconds >= 5.0 && questions[0].topic == Some(Topic::Deadlock));
        assert_eq!(questions[1].id, "known");
        // Unless no time is left.
        let (questions, told) = again(&Budget::lasting(Duration::ZERO));
        assert!(told.is_empty() && questions[0].value.is_none());
    }
}
