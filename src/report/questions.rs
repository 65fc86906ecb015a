//! What is asked about the net, and what came of it.

mod nodes;

pub(super) use nodes::{bindings, dead, fires};

use super::shown::{Play, Shown, Store};
use super::text::Text;
use super::topic::Topic;
use crate::about::NetMeant;
use crate::answer::{Answer, Exhibit, Plan};
use crate::board::{Knowledge, Reach, Run};
use crate::mcc::Examination;
use crate::run::{self, Config, Event};
use parikh_net::counted::counted;
use parikh_net::{Goal, Net};
use parikh_solvers::Budget;
use serde::Serialize;
use std::cell::OnceCell;
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
        /// Whether the author of the model states the formulas. A false formula is a problem then.
        are_requirements: bool,
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
    /// The net that the answer is about.
    pub net: NetMeant,
    /// Seconds until the answer, or altogether.
    pub seconds: f64,
    /// What was tried, where it is open: when and who, and figures.
    pub tried: Vec<(String, Text)>,
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
    /// Whether the formulas are requirements of the model's author.
    pub(super) are_requirements: bool,
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
    let unclaimed = OnceCell::new();
    let mut asking = Asking { net, config, store, found: Found::default() };
    let whole = budget.remaining();
    match asked {
        Asked::Topics(topics) => {
            for (at, &topic) in topics.iter().enumerate() {
                tell(topic.title());
                let budget = budget.portion(1.0 / (topics.len() - at) as f64);
                asking.topic(topic, &budget);
            }
            asking.without_claim(&topics, &unclaimed, budget, tell);
            asking.again(&topics, budget, tell);
            if let (Some(whole), true) = (whole, topics.len() > 1) {
                asking.found.questions.iter_mut().for_each(|question| say_share(question, whole));
            }
        }
        Asked::Formulas { plan, written, refused, are_requirements } => {
            asking.found.are_requirements = are_requirements;
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
    net: &'a Net,
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
    tried: Vec<(String, Text)>,
}

impl<'a> Asking<'a, '_> {
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
            (format!("{when}, {}", turn.engine), Text::of_sentence(net, &turn.said))
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
        let net = topic.net_meant(net);
        self.found.questions.push(Question { id, title, topic: Some(topic), net, ..question });
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

    /// Asks the questions again that rest on the model's claim of safe units, once a marking breaks
    /// that claim, on the net without it.
    fn without_claim(
        &mut self,
        topics: &[Topic],
        unclaimed: &'a OnceCell<Net>,
        budget: &Budget,
        tell: &mut dyn FnMut(&str),
    ) {
        if self.found.breach.is_none() {
            return;
        }
        let net = self.net;
        self.net = unclaimed.get_or_init(|| net.without_unit_claim());
        let rests_on_it = |at: &usize| self.found.questions[*at].assumes_units;
        let doubtful: Vec<usize> = (0..topics.len()).filter(rests_on_it).collect();
        for (done, &at) in doubtful.iter().enumerate() {
            match topics[at] {
                Topic::Firings => self.found.fates.clear(),
                Topic::Bounds => self.found.bounds.clear(),
                _ => {}
            }
            tell(topics[at].title());
            self.topic(topics[at], &budget.portion(1.0 / (doubtful.len() - done) as f64));
            self.found.questions.swap_remove(at);
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
            let net = NetMeant::of_examination(self.net);
            self.found.questions.push(Question { id, title, net, ..question });
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
