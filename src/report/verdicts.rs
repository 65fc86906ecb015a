//! The keys of a model form, and a filled form compared with them.
//!
//! Keys follow from the answers on the page if the page shows the net of the keys. The other keys
//! are computed as in `parikh properties`.

use super::questions::Found;
use super::text::Text;
use super::topic::Topic;
use crate::about::NetMeant;
use crate::run::Config;
use crate::verdicts::{
    Computed, KeyNet, Property, Standing, Truth, Value, VerdictFile, compare, say_unbounded,
};
use parikh_net::{Net, PlaceId};
use parikh_solvers::Budget;
use serde::Serialize;

/// A key of a model form with its value.
#[derive(Clone, Debug, Serialize)]
pub struct KeyRow {
    /// The spelling in verdict files.
    pub key: &'static str,
    /// The value.
    pub value: Truth,
    /// The net to which the value refers.
    pub net: NetMeant,
    /// The reason for the value.
    pub reason: Text,
    /// True if the value rests on the model's claim of safe units.
    pub assumes_units: bool,
    /// The form's value, if a form is given and the value is known.
    pub form: Option<String>,
}

/// All keys, and the contradictions of a form.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    pub(super) rows: Vec<KeyRow>,
    /// For each contradiction: the key, the form's value, and the computed value with its net.
    pub(super) conflicts: Vec<(String, String, String)>,
    /// The number of results that failed their check and were dropped.
    pub(super) faults: usize,
}

/// The inputs for computing the keys of a page.
pub(super) struct Sources<'a> {
    /// The net that the page is about.
    pub(super) net: &'a Net,
    /// The answers on the page.
    pub(super) found: &'a Found,
    /// The net to which the keys refer.
    pub(super) of: &'a KeyNet<'a>,
    /// If true, the keys that do not follow from the answers are computed.
    pub(super) computes_all: bool,
    /// A verdict file, with the instance for which it is read.
    pub(super) form: Option<(&'a VerdictFile, &'a str)>,
}

/// Returns the 21 keys in the order of verdict files.
pub(super) fn keys(sources: &Sources<'_>, config: &Config, budget: &Budget) -> Keys {
    let Sources { of, form, .. } = *sources;
    let mut known = sources.known();
    if !sources.computes_all {
        let behavioural =
            Property::all().filter(|property| !matches!(property, Property::Structural(_)));
        for property in behavioural {
            if known.iter().all(|computed| computed.property != property) {
                let why = "not computed".to_owned();
                known.push(Computed::new(property, of.meant(property), Truth::Unknown, why));
            }
        }
    }
    let wanted: Vec<Property> = Property::all().collect();
    let found = of.compute(&wanted, &known, config, budget, |_| {});
    let compared = form.map(|(file, instance)| compare(file, Some(instance), &found.keys));
    let mut keys = Keys { faults: found.faults, ..Keys::default() };
    for property in wanted {
        let Some(computed) = found.keys.iter().find(|computed| computed.property == property)
        else {
            continue;
        };
        let mut comparisons = compared.iter().flatten();
        let compared = comparisons.find(|one| one.computed.is_some_and(|it| it == computed));
        let form = compared.and_then(|one| match &one.verdict.value {
            Value::Truth(Truth::Unknown) => None,
            value => Some(value.to_string()),
        });
        if let Some(form) = &form
            && compared.is_some_and(|one| one.standing == Standing::Conflicts)
        {
            let ours = match computed.net {
                NetMeant::Model => computed.value.to_string(),
                net => format!("{} of {}", computed.value, net.words()),
            };
            keys.conflicts.push((property.name().to_owned(), form.clone(), ours));
        }
        keys.rows.push(KeyRow {
            key: property.name(),
            value: computed.value,
            net: computed.net,
            reason: Text::of_sentence(sources.net, &computed.explanation),
            assumes_units: computed.assumes_units,
            form,
        });
    }
    keys
}

impl Sources<'_> {
    /// Returns the keys that follow from the answers on the page. The answers about an unfolding
    /// decide only keys that mean the same for coloured and for single nodes.
    fn known(&self) -> Vec<Computed> {
        let Sources { net, of, .. } = *self;
        if net.initial() != of.net().initial() && !of.is_unfolding() {
            return Vec::new();
        }
        let keys: &[Property] = match of.is_unfolding() {
            true => &[Property::Safe, Property::Deadlock, Property::Reversible],
            false => &[
                Property::Safe,
                Property::DeadPlaces,
                Property::DeadTransitions,
                Property::Deadlock,
                Property::Reversible,
                Property::Live,
            ],
        };
        let known = keys.iter().filter_map(|&property| match property {
            Property::Safe => self.safe(),
            Property::DeadPlaces => self.dead_places(),
            Property::DeadTransitions => self.answered(
                property,
                Topic::Firings,
                ["every transition can be enabled", "some transition is never enabled"],
            ),
            Property::Deadlock => self.answered(
                property,
                Topic::Deadlock,
                ["a dead marking can be reached", "no dead marking can be reached"],
            ),
            Property::Reversible => self.answered(
                property,
                Topic::Reversible,
                [
                    "the initial marking is reachable from every reachable marking",
                    "the initial marking is not reachable from some reachable marking",
                ],
            ),
            _ => self.answered(
                property,
                Topic::Liveness,
                [
                    "every transition can be enabled again from every reachable marking",
                    "some transition can become dead",
                ],
            ),
        });
        known.collect()
    }

    /// Returns the key that the answer to a question decides; `words` explain TRUE and FALSE.
    fn answered(&self, property: Property, topic: Topic, words: [&str; 2]) -> Option<Computed> {
        let question = self.found.questions.iter().find(|asked| asked.topic == Some(topic))?;
        let answer = question.value.as_deref()? == "TRUE";
        // QuasiLiveness asks for the opposite of DEAD_TRANSITIONS.
        let value = answer != (property == Property::DeadTransitions);
        let why = words[usize::from(!answer)].to_owned();
        let computed = Computed::new(property, self.of.meant(property), value.into(), why);
        let assumes_units = question.assumes_units;
        Some(Computed { techniques: question.techniques.clone(), assumes_units, ..computed })
    }

    /// Returns SAFE, which is about single colours. The value follows from the answer to OneSafe,
    /// and otherwise from the bounds of all places of the page's net.
    fn safe(&self) -> Option<Computed> {
        let property = Property::Safe;
        let words = ["no place can hold two tokens", "some place can hold two tokens"];
        let one_safe = self.answered(property, Topic::OneSafe, words);
        let is_decided =
            |computed: &Computed| !self.of.is_unfolding() || computed.value == Truth::True;
        let mut safe = match one_safe.filter(is_decided) {
            Some(safe) => safe,
            None => {
                let most = |bound: &super::Bound| bound.most.parse::<u128>().ok();
                let bounds = self.bounds()?;
                let exceeds = bounds.iter().flatten().any(|it| most(it).is_none_or(|it| it > 1));
                if !exceeds && bounds.iter().any(Option::is_none) {
                    return None;
                }
                let why = words[usize::from(exceeds)].to_owned();
                let safe = Computed::new(property, self.of.meant(property), (!exceeds).into(), why);
                let bounds = self.found.questions.iter().find(|it| it.topic == Some(Topic::Bounds));
                Computed { assumes_units: bounds.is_some_and(|it| it.assumes_units), ..safe }
            }
        };
        if let (Truth::False, Some(bounds)) = (safe.value, self.bounds()) {
            let places = || self.net.model_places().zip(bounds);
            let infinite =
                places().filter(|(_, it)| it.as_ref().is_some_and(|it| it.most == "+inf"));
            let unbounded: Vec<PlaceId> = infinite.map(|(place, _)| place).collect();
            let open = places().filter(|(_, bound)| bound.is_none()).count();
            safe.explanation.push_str(&say_unbounded(self.net, &unbounded, open));
            safe.unbounded = unbounded;
        }
        Some(safe)
    }

    fn dead_places(&self) -> Option<Computed> {
        let property = Property::DeadPlaces;
        let bounds = self.bounds()?;
        let mut dead = self.net.model_places().zip(bounds).filter_map(|(place, bound)| {
            bound.as_ref().is_some_and(|bound| bound.most == "0").then_some(place)
        });
        let (value, why) = match dead.next() {
            Some(place) => {
                (Truth::True, format!("place `{}` is never marked", self.net.place_name(place)))
            }
            None if bounds.iter().all(Option::is_some) => {
                (Truth::False, "every place can be marked".to_owned())
            }
            None => return None,
        };
        let asked = self.found.questions.iter().find(|it| it.topic == Some(Topic::Bounds));
        let assumes_units = asked.is_some_and(|it| it.assumes_units);
        let computed = Computed::new(property, self.of.meant(property), value, why);
        Some(Computed { assumes_units, ..computed })
    }

    /// Returns the bounds of the model's places, if the places were examined one by one.
    fn bounds(&self) -> Option<&[Option<super::Bound>]> {
        let bounds = &self.found.bounds;
        let is_complete = !bounds.is_empty() && bounds.len() == self.net.model_places().len();
        is_complete.then_some(bounds)
    }
}
