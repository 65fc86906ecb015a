//! The keys of a model form, as far as the answers tell them, and a form held against them.

use super::questions::Found;
use super::topic::Topic;
use crate::structure::keys::structural_keys;
use crate::verdicts::{Computed, Property, Standing, Truth, Value, VerdictFile, compare};
use parikh_net::Net;
use serde::Serialize;

/// One key.
#[derive(Clone, Debug, Serialize)]
pub struct KeyRow {
    /// Its spelling in verdict files.
    pub key: &'static str,
    /// `true`, `false`, `unknown`.
    pub value: String,
    /// Why.
    pub reason: String,
    /// What the form says, where one was given and it says something.
    pub form: Option<String>,
}

/// All keys, and where a form contradicts them.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    pub(super) rows: Vec<KeyRow>,
    /// The key, what the form says, what we found.
    pub(super) conflicts: Vec<(String, String, String)>,
}

/// The 21 keys; `form` is a verdict file with the instance that it is read for.
pub(super) fn keys(net: &Net, found: &Found, form: Option<(&VerdictFile, &str)>) -> Keys {
    let structural = structural_keys(net).into_iter().map(|verdict| Computed {
        property: Property::Structural(verdict.key),
        value: verdict.value.into(),
        explanation: verdict.explanation,
        techniques: Vec::new(),
        assumes_units: false,
        trace: None,
    });
    let behavioural = Property::all()
        .filter(|property| !matches!(property, Property::Structural(_)))
        .map(|property| behaviour(net, found, property));
    let computed: Vec<Computed> = structural.chain(behavioural).collect();
    let compared = form.map(|(file, instance)| compare(file, Some(instance), &computed));
    let mut keys = Keys::default();
    let said = |property: Property| {
        let all = compared.iter().flatten();
        let mut of = all.filter(|one| one.computed.is_some_and(|it| it.property == property));
        of.next()
    };
    for computed in &computed {
        let said = said(computed.property);
        let form = said.and_then(|one| match &one.verdict.value {
            Value::Truth(Truth::Unknown) => None,
            value => Some(value.to_string()),
        });
        if let Some(form) = &form
            && said.is_some_and(|one| one.standing == Standing::Conflicts)
        {
            let name = computed.property.name().to_owned();
            keys.conflicts.push((name, form.clone(), computed.value.to_string()));
        }
        keys.rows.push(KeyRow {
            key: computed.property.name(),
            value: computed.value.to_string(),
            reason: computed.explanation.clone(),
            form,
        });
    }
    keys
}

fn behaviour(net: &Net, found: &Found, property: Property) -> Computed {
    let of = |topic| found.questions.iter().find(|question| question.topic == Some(topic));
    let answer = |topic, turned: bool, yes: &str, no: &str| {
        let value = of(topic).and_then(|question| question.value.as_deref());
        match value.map(|value| (value == "TRUE") != turned) {
            Some(true) => (Truth::True, yes.to_owned()),
            Some(false) => (Truth::False, no.to_owned()),
            None => (Truth::Unknown, "not asked, or not found out".to_owned()),
        }
    };
    let (value, explanation) = match property {
        Property::Safe => answer(
            Topic::OneSafe,
            false,
            "no place can hold two tokens",
            "some place can hold two tokens",
        ),
        Property::DeadTransitions => answer(
            Topic::Firings,
            true,
            "some transition is never enabled",
            "every transition can be enabled",
        ),
        Property::Deadlock => answer(
            Topic::Deadlock,
            false,
            "a dead marking can be reached",
            "no dead marking can be reached",
        ),
        Property::Reversible => answer(
            Topic::Reversible,
            false,
            "the initial marking can always be reached again",
            "from some marking the initial one cannot be reached",
        ),
        Property::Live => answer(
            Topic::Liveness,
            false,
            "every transition can always be made to fire again",
            "some transition can become impossible for ever",
        ),
        _ => dead_places(net, found),
    };
    Computed {
        property,
        value,
        explanation,
        techniques: Vec::new(),
        assumes_units: false,
        trace: None,
    }
}

fn dead_places(net: &Net, found: &Found) -> (Truth, String) {
    let mut known = found.bounds.iter().flatten();
    if let Some(dead) = net.places().find(|place| {
        let bound = found.bounds.get(place.index()).and_then(Option::as_ref);
        bound.is_some_and(|bound| bound.most == "0")
    }) {
        return (Truth::True, format!("place {} is never marked", net.place_name(dead)));
    }
    match found.bounds.len() == net.place_count() && known.by_ref().count() == net.place_count() {
        true => (Truth::False, "every place can be marked".to_owned()),
        false => (Truth::Unknown, "not asked, or not found out".to_owned()),
    }
}
