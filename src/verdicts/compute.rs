//! Computation of the 21 keys of a net: fifteen from the structure, the others by engines as goals.

use super::{KeyNet, KeyProperty, Truth};
use crate::answer::reason::{NamedNode, ReasonText, Subject};
use crate::answer::{Cause, GoalAnswer, Plan, QuestionValue};
use crate::mcc::Examination;
use crate::mcc::techniques::techniques;
use crate::run::{self, Event, OpenCause, RunConfig};
use parikh_input::about::NetMeant;
use parikh_net::printable::counted;
use parikh_net::{FiringSequence, Goal, LinearSum, Net, NodeKind, PlaceId, Predicate};
use parikh_solvers::Budget;
use parikh_structure::keys::{Key, KeyVerdict, structural_keys};
use std::cell::OnceCell;

/// A computed key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComputedKey {
    /// The key.
    pub property: KeyProperty,
    /// The net to which the value refers.
    pub net: NetMeant,
    /// The value of the key.
    pub value: Truth,
    /// The reason for the value, or why the value is unknown; a sentence without full stop.
    pub explanation: ReasonText,
    /// The names of the engines that decide the value, and the contest's names for their
    /// techniques. For a structural key, only the contest's name of the technique.
    pub techniques: Vec<&'static str>,
    /// True if the value depends on the model's claim that its units are safe (NUPN).
    pub assumes_units: bool,
    /// A firing sequence that shows the value, if there is one.
    pub trace: Option<FiringSequence>,
    /// For a false SAFE: the unbounded places, among the places examined.
    pub unbounded: Vec<PlaceId>,
}

impl ComputedKey {
    /// Returns a key with its value and explanation, and no evidence.
    pub fn new(
        property: KeyProperty,
        net: NetMeant,
        value: Truth,
        explanation: ReasonText,
    ) -> ComputedKey {
        ComputedKey {
            property,
            net,
            value,
            explanation,
            techniques: Vec::new(),
            assumes_units: false,
            trace: None,
            unbounded: Vec::new(),
        }
    }
}

/// The computed keys of a net.
#[derive(Clone, Debug, Default)]
pub struct KeyFindings {
    /// One entry per requested key, in the order in which the values were found.
    pub keys: Vec<ComputedKey>,
    /// The number of results that failed their check and were dropped: bugs of Parikh.
    pub faults: usize,
    /// A description of a marking that violates the model's claim of safe units (NUPN).
    pub breach: Option<String>,
}

impl KeyNet<'_> {
    /// Computes the keys in `wanted`. A key is unknown if the missing part of an unfolding could
    /// change it.
    ///
    /// Calls `on_key` once with each key, as soon as the value is known. For a key that depends on
    /// the model's claim of safe units, this call comes at the end.
    ///
    /// Keys in `known` that need engines are not computed again, unless they depend on the claim
    /// and a marking violates it. Structural keys are always computed.
    pub fn compute(
        &self,
        wanted: &[KeyProperty],
        known: &[ComputedKey],
        config: &RunConfig,
        budget: &Budget,
        mut on_key: impl FnMut(&ComputedKey),
    ) -> KeyFindings {
        let decidable =
            wanted.iter().copied().filter(|&property| self.why_unknown(property).is_none());
        let decidable: Vec<KeyProperty> = decidable.collect();
        let mut found = compute(self, &decidable, known, config, budget, &mut on_key);
        for &property in wanted {
            if let Some(why) = self.why_unknown(property) {
                let computed =
                    unknown(property, self.net_meant(property), ReasonText::from_words(why));
                on_key(&computed);
                found.keys.push(computed);
            }
        }
        found
    }
}

/// Computes the keys in `wanted`, and calls `on_key` once with each key. REVERSIBLE and LIVE come
/// last, before the keys that depend on the model's claim of safe units. Keys for which `budget`
/// does not suffice are unknown. Structural keys are always computed; other keys in `known` are not
/// computed again.
///
/// Every replayed marking is compared with the claim. Once a marking violates the claim, the keys
/// that depend on the claim are computed again without it, including keys in `known`.
fn compute(
    of: &KeyNet<'_>,
    wanted: &[KeyProperty],
    known: &[ComputedKey],
    config: &RunConfig,
    budget: &Budget,
    mut on_key: impl FnMut(&ComputedKey),
) -> KeyFindings {
    let unclaimed = OnceCell::new();
    let net = of.net();
    let mut computation =
        Computation { key_net: of, net, unclaimed: &unclaimed, config, faults: 0, breach: None };
    let mut keys = Vec::new();
    let mut assumed = Vec::new();
    let mut take = |computed: ComputedKey, assumed: &mut Vec<ComputedKey>| {
        if computed.assumes_units {
            assumed.push(computed);
        } else {
            on_key(&computed);
            keys.push(computed);
        }
    };
    if wanted.iter().any(|property| matches!(property, KeyProperty::Structural(_))) {
        let structural = structural(of).filter(|computed| wanted.contains(&computed.property));
        structural.for_each(|computed| take(computed, &mut assumed));
    }
    let mut goals = wanted.to_vec();
    goals.retain(|property| !matches!(property, KeyProperty::Structural(_)));
    for computed in known.iter().filter(|computed| goals.contains(&computed.property)) {
        take(computed.clone(), &mut assumed);
    }
    goals.retain(|property| known.iter().all(|computed| computed.property != *property));
    // REVERSIBLE and LIVE are harder to decide than reachability.
    goals.sort_by_key(|property| matches!(property, KeyProperty::Reversible | KeyProperty::Live));
    for (index, &property) in goals.iter().enumerate() {
        let computed =
            computation.by_goals(property, &budget.portion(1.0 / (goals.len() - index) as f64));
        take(computed, &mut assumed);
    }
    if computation.breach.is_some() {
        let doubtful = std::mem::take(&mut assumed);
        for (index, computed) in doubtful.iter().enumerate() {
            let budget = budget.portion(1.0 / (doubtful.len() - index) as f64);
            take(computation.by_goals(computed.property, &budget), &mut assumed);
        }
    }
    for computed in assumed {
        on_key(&computed);
        keys.push(computed);
    }
    KeyFindings { keys, faults: computation.faults, breach: computation.breach }
}

/// Returns the structural keys.
fn structural(of: &KeyNet<'_>) -> impl Iterator<Item = ComputedKey> {
    let net = of.net();
    let reads_units = |key| key == Key::NestedUnits && net.units().is_some();
    structural_keys(net).into_iter().map(move |KeyVerdict { key, value, explanation }| {
        let property = KeyProperty::Structural(key);
        let techniques = vec![if reads_units(key) { "USE_NUPN" } else { "TOPOLOGICAL" }];
        let explanation = ReasonText::from_words(explanation);
        let computed =
            ComputedKey::new(property, of.net_meant(property), value.into(), explanation);
        ComputedKey { techniques, ..computed }
    })
}

struct Computation<'a> {
    /// The net to which the keys refer.
    key_net: &'a KeyNet<'a>,
    /// The net, without the model's claim of safe units once a marking violates the claim.
    net: &'a Net,
    /// The storage for the net without the claim.
    unclaimed: &'a OnceCell<Net>,
    config: &'a RunConfig,
    faults: usize,
    /// A description of a marking that violates the claim.
    breach: Option<String>,
}

impl<'a> Computation<'a> {
    /// Continues without the model's claim of safe units, if `breach` describes a violation.
    fn drop_claim(&mut self, breach: Option<String>) {
        let Some(breach) = breach else { return };
        let net = self.net;
        self.net = self.unclaimed.get_or_init(|| net.without_unit_claim());
        self.breach.get_or_insert(breach);
    }

    fn by_goals(&mut self, property: KeyProperty, budget: &Budget) -> ComputedKey {
        if property == KeyProperty::DeadPlaces {
            return self.dead_places(budget);
        }
        let examination = |examination| Plan::of_examination(examination, self.net);
        let (plan, positive) = match property {
            KeyProperty::Deadlock => (examination(Examination::ReachabilityDeadlock), true),
            KeyProperty::Safe => (examination(Examination::OneSafe), true),
            KeyProperty::Live => (examination(Examination::Liveness), true),
            KeyProperty::Reversible => {
                let mut plan = Plan::default();
                let initial = Predicate::exactly(self.net.initial());
                plan.ask_home("REVERSIBLE", initial);
                (Some(plan), true)
            }
            _ => (examination(Examination::QuasiLiveness), false),
        };
        // Liveness has no plan on a net with caps, that is, assumed bounds of places.
        let Some(plan) = plan else {
            let why = run::OpenReason::from(OpenCause::CapsUnsupported).to_string();
            let why = ReasonText::from_words(why);
            return unknown(property, self.key_net.net_meant(property), why);
        };
        let mut answer: Option<GoalAnswer> = None;
        let report = run::run_net(self.net, plan, self.config, budget, |event| match event {
            Event::Answered(found) => answer = Some(found.clone()),
            Event::Withdrawn { .. } => answer = None,
            _ => {}
        });
        self.faults += report.faults;
        self.drop_claim(report.breach);
        let Some(answer) = answer else {
            let why = report.unanswered.into_iter().next().map(|question| question.reason);
            let why = why.unwrap_or_else(|| OpenCause::EnginesDisagree.into());
            let why = ReasonText::from_words(why.to_string());
            return unknown(property, self.key_net.net_meant(property), why);
        };
        let holds = (answer.value == QuestionValue::Bool(true)) == positive;
        let (assumes_units, techniques) = (answer.assumes_units, techniques_of(&answer));
        let explanation = explanation(property, holds, &answer);
        let trace = answer.exhibit.and_then(|exhibit| exhibit.sequence().cloned());
        let found =
            ComputedKey::new(property, self.key_net.net_meant(property), holds.into(), explanation);
        let found = ComputedKey { techniques, assumes_units, trace, ..found };
        match (property, holds) {
            (KeyProperty::Safe, false) => self.with_unbounded(found, budget),
            _ => found,
        }
    }

    /// Adds the unbounded places to the answer that the net is not safe, as far as `budget` allows.
    /// Does nothing for a net of more than [`MAX_PLACES_ONE_BY_ONE`] places.
    fn with_unbounded(&mut self, mut safe: ComputedKey, budget: &Budget) -> ComputedKey {
        let net = self.net;
        if net.model_places().len() > MAX_PLACES_ONE_BY_ONE {
            return safe;
        }
        let goals = net.model_places().map(|place| Goal::Maximise(LinearSum::place(place)));
        let mut bounded: Vec<Option<bool>> = vec![None; net.model_places().len()];
        let config = RunConfig { keep_all_witnesses: false, ..self.config.clone() };
        let report =
            run::run_net(net, Plan::of_goals(goals), &config, budget, |event| match event {
                Event::Answered(answer) => {
                    set(&mut bounded, &answer.id, Some(answer.value != QuestionValue::Infinite));
                }
                Event::Withdrawn { id } => set(&mut bounded, id, None),
                _ => {}
            });
        self.faults += report.faults;
        self.drop_claim(report.breach);
        let places = || net.model_places().zip(&bounded);
        let unbounded = places().filter(|(_, bounded)| **bounded == Some(false));
        safe.unbounded = unbounded.map(|(place, _)| place).collect();
        let open = places().filter(|(_, bounded)| bounded.is_none()).count();
        safe.explanation.push_text(say_unbounded(net, &safe.unbounded, open));
        safe
    }

    /// Computes DEAD_PLACES with one question per place. The first place that is never marked ends
    /// the search.
    fn dead_places(&mut self, budget: &Budget) -> ComputedKey {
        let mut plan = Plan::default();
        for place in self.net.model_places() {
            plan.ask_exists(self.net.place_name(place), Predicate::at_least(place, 1));
        }
        let budget = budget.child();
        let mut dead: Option<GoalAnswer> = None;
        let mut used = std::collections::BTreeSet::new();
        let report = run::run_net(self.net, plan, self.config, &budget, |event| match event {
            Event::Answered(answer) => {
                used.extend(techniques_of(answer));
                if answer.value == QuestionValue::Bool(false) && dead.is_none() {
                    dead = Some(answer.clone());
                    budget.cancel();
                }
            }
            Event::Withdrawn { id } => drop(dead.take_if(|answer| answer.id == id)),
            _ => {}
        });
        self.faults += report.faults;
        self.drop_claim(report.breach);
        let property = KeyProperty::DeadPlaces;
        let meant = self.key_net.net_meant(property);
        if let Some(answer) = dead {
            let techniques = techniques_of(&answer);
            let GoalAnswer { id, reason, assumes_units, .. } = answer;
            let mut explanation = ReasonText::from_words("place ");
            explanation.node(&NamedNode { kind: NodeKind::Place, id, label: None });
            explanation.push_words(" is never marked: ").push_text(reason.without_subject().text());
            let found = ComputedKey::new(property, meant, Truth::True, explanation);
            return ComputedKey { techniques, assumes_units, ..found };
        }
        match report.unanswered.first() {
            None if report.answered == self.net.model_places().len() => {
                let why = ReasonText::from_words("every place can be marked");
                let techniques = used.into_iter().collect();
                ComputedKey { techniques, ..ComputedKey::new(property, meant, Truth::False, why) }
            }
            first => {
                let disagree = OpenCause::EnginesDisagree.into();
                let why = first.map_or(&disagree, |question| &question.reason);
                let (open, are) = match report.unanswered.len() {
                    1 => ("1 place".to_owned(), "is"),
                    open => (format!("{open} places"), "are"),
                };
                let why = ReasonText::from_words(format!("{why}; {open} {are} left"));
                unknown(property, meant, why)
            }
        }
    }
}

/// Returns the names of the engines, the contest's names for their techniques, and the contest's
/// names for the circumstances of an answer.
fn techniques_of(answer: &GoalAnswer) -> Vec<&'static str> {
    // The first word names the kind of parallelism. `circumstances` does not know it, and the
    // writer of the file adds it.
    techniques(&answer.techniques, answer.circumstances()).split_off(1)
}

/// Returns the explanation of a key that an answer decides.
fn explanation(property: KeyProperty, holds: bool, answer: &GoalAnswer) -> ReasonText {
    let begin = match (property, holds) {
        (KeyProperty::Safe, true) if answer.assumes_units => {
            let why =
                "no place can hold two tokens, if the model's units are safe (NUPN), as it claims";
            return ReasonText::from_words(why);
        }
        (KeyProperty::Safe, true) => return ReasonText::from_words("no place can hold two tokens"),
        (KeyProperty::DeadTransitions, false) => {
            return ReasonText::from_words("every transition can be enabled");
        }
        (KeyProperty::Deadlock, true) => "a dead marking can be reached: ",
        (KeyProperty::Deadlock, false) => "no dead marking can be reached: ",
        (KeyProperty::Reversible, false) => match answer.reason.cause {
            Cause::Witness { subject: Some(Subject::DeadMarking), .. } => {
                "another dead marking can be reached: "
            }
            _ => "the initial marking can become unreachable: ",
        },
        _ => return answer.reason.text(),
    };
    let mut explanation = ReasonText::from_words(begin);
    explanation.push_text(answer.reason.clone().without_subject().text());
    explanation
}

fn unknown(property: KeyProperty, net: NetMeant, explanation: ReasonText) -> ComputedKey {
    ComputedKey::new(property, net, Truth::Unknown, explanation)
}

/// The largest number of places whose bounds are computed one by one.
const MAX_PLACES_ONE_BY_ONE: usize = 3_000;

/// The largest number of unbounded places named in an explanation.
const MAX_NAMED_PLACES: usize = 20;

/// Sets the entry whose index is the id of a question. Does nothing if `id` is no index.
fn set(bounded: &mut [Option<bool>], id: &str, value: Option<bool>) {
    if let Some(entry) = id.parse().ok().and_then(|at: usize| bounded.get_mut(at)) {
        *entry = value;
    }
}

/// Returns the end of the explanation that a net is not safe: the unbounded places, and the number
/// of places (`open`) for which boundedness is unknown.
pub fn say_unbounded(net: &Net, unbounded: &[PlaceId], open: usize) -> ReasonText {
    let mut text = ReasonText::default();
    if !unbounded.is_empty() {
        text.push_words("; unbounded: ").list(
            unbounded.iter().take(MAX_NAMED_PLACES),
            ", ",
            |text, &p| {
                text.node(&NamedNode::place(net, p));
            },
        );
    }
    if unbounded.len() > MAX_NAMED_PLACES {
        text.push_words(format!(" and {} more", unbounded.len() - MAX_NAMED_PLACES));
    }
    text.push_words(match open {
        0 if unbounded.is_empty() => "; every place is bounded".to_owned(),
        0 => String::new(),
        open => format!("; open whether bounded: {}", counted(open, "place")),
    });
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;
    use std::borrow::Cow;
    use std::time::Duration;

    fn keys(net: &Net, wanted: &[KeyProperty], budget: &Budget) -> KeyFindings {
        let of = KeyNet::of_net(Cow::Borrowed(net));
        compute(&of, wanted, &[], &RunConfig::default(), budget, |_| {})
    }

    fn values(net: &str) -> Vec<(KeyProperty, Truth)> {
        let net = text::parse(net).unwrap();
        let wanted: Vec<KeyProperty> = KeyProperty::all().skip(15).collect();
        let budget = Budget::lasting(Duration::from_secs(20));
        let found = keys(&net, &wanted, &budget);
        assert_eq!(found.faults, 0);
        found.keys.into_iter().map(|computed| (computed.property, computed.value)).collect()
    }

    #[test]
    fn a_cycle_has_every_good_property() {
        let found = values("place p 1\nplace q\ntransition t: p -> q\ntransition u: q -> p");
        let expected = [
            (KeyProperty::Safe, Truth::True),
            (KeyProperty::DeadPlaces, Truth::False),
            (KeyProperty::DeadTransitions, Truth::False),
            (KeyProperty::Deadlock, Truth::False),
            (KeyProperty::Reversible, Truth::True),
            (KeyProperty::Live, Truth::True),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_line_with_a_dead_end_has_none() {
        let found = values(
            "place p 2\nplace q\nplace r\nplace s\ntransition t: p -> q\ntransition u: r -> s",
        );
        let expected = [
            (KeyProperty::Safe, Truth::False),
            (KeyProperty::DeadPlaces, Truth::True),
            (KeyProperty::DeadTransitions, Truth::True),
            (KeyProperty::Deadlock, Truth::True),
            (KeyProperty::Reversible, Truth::False),
            (KeyProperty::Live, Truth::False),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn dead_initial_markings_are_reversible_and_nets_without_transitions_live() {
        let found = values("place p\nplace q\ntransition t: p -> q");
        assert!(found.contains(&(KeyProperty::Reversible, Truth::True)), "{found:?}");
        assert!(found.contains(&(KeyProperty::Live, Truth::False)), "{found:?}");
        let found = values("place p 1");
        assert!(found.contains(&(KeyProperty::Live, Truth::True)), "{found:?}");
    }

    #[test]
    fn a_net_without_bound_needs_no_graph() {
        let net = text::parse("place p 1\nplace q\nplace r\ntransition t: p -> p + q\ntransition u: q -> r\ntransition v: r -> q").unwrap();
        let budget = Budget::lasting(Duration::from_secs(600));
        let wanted = [KeyProperty::Reversible, KeyProperty::Live];
        let found = keys(&net, &wanted, &budget);
        let values: Vec<Truth> = found.keys.iter().map(|computed| computed.value).collect();
        assert_eq!(values, [Truth::False, Truth::True], "{:?}", found.keys);
        assert!(!budget.is_exhausted());
    }

    #[test]
    fn explanations_name_the_basis_of_the_value() {
        let find = |net: &str| {
            let net = text::parse(net).unwrap();
            let wanted: Vec<KeyProperty> = KeyProperty::all().skip(15).collect();
            let budget = Budget::lasting(Duration::from_secs(20));
            keys(&net, &wanted, &budget).keys
        };
        let key = |keys: &[ComputedKey], key: KeyProperty| {
            keys.iter().find(|found| found.property == key).unwrap().clone()
        };
        let source = find("place p\ntransition more: -> p\ntransition less: p ->");
        let expected = "no dead marking can be reached: transition `more` has no input places and is \
                        always enabled";
        assert_eq!(key(&source, KeyProperty::Deadlock).explanation.to_string(), expected);
        let dead = find("place p 2\nplace q\ntransition t: p -> q");
        for property in [KeyProperty::Deadlock, KeyProperty::Live, KeyProperty::Reversible] {
            let found = key(&dead, property);
            assert!(!found.techniques.is_empty() && found.trace.is_some(), "{found:?}");
        }
        let starved = find("place p 1\nplace q\ntransition t: p -> p\ntransition u: q -> q");
        assert!(!key(&starved, KeyProperty::Live).techniques.is_empty());
    }

    #[test]
    fn reversibility_and_liveness_are_distinguished() {
        let found = values(
            "place a 1\nplace b\nplace c\ntransition x: a -> b\ntransition y: b -> c\n\
             transition z: c -> b",
        );
        assert!(found.contains(&(KeyProperty::Reversible, Truth::False)), "{found:?}");
        assert!(found.contains(&(KeyProperty::Live, Truth::False)), "{found:?}");
        assert!(found.contains(&(KeyProperty::Deadlock, Truth::False)), "{found:?}");
    }
}
