//! The keys of a model form, that is, the 21 properties in a contest model form, and the comparison
//! of a filled form (a verdict file) with them.
//!
//! Some keys follow from the answers on the page. The other keys are computed as in `parikh
//! properties`. If the user selects the questions and gives no verdict file, the other keys of the
//! behaviour stay unknown.

use super::questions::ReportResults;
use super::text::Sentence;
use super::topic::StandardQuestion;
use parikh::answer::QuestionValue;
use parikh::answer::reason::{NamedNode, ReasonText};
use parikh::run::RunConfig;
use parikh::verdicts::{
    ComparisonResult, ComputedKey, KeyNet, KeyProperty, Truth, VerdictFile, VerdictValue, compare,
    say_unbounded,
};
use parikh_input::about::NetMeant;
use parikh_net::{Net, PlaceId};
use parikh_solvers::Budget;
use serde::Serialize;

/// A key of a model form, that is, one of the 21 properties in a contest model form, with its
/// value.
#[derive(Clone, Debug, Serialize)]
pub struct KeyRow {
    /// The spelling in verdict files.
    pub key: &'static str,
    /// The value.
    pub value: Truth,
    /// The net to which the value refers.
    pub net: NetMeant,
    /// The reason for the value.
    pub reason: Sentence,
    /// True if the value rests on the model's claim of safe units.
    pub assumes_units: bool,
    /// The value in the verdict file. `None` if no file is compared, or if the file has no known
    /// value of the key for this instance.
    pub form: Option<String>,
}

/// All keys, and the contradictions of a verdict file.
#[derive(Clone, Debug, Default)]
pub(super) struct ReportKeys {
    pub(super) rows: Vec<KeyRow>,
    /// The keys whose value in the verdict file is wrong.
    pub(super) conflicts: Vec<KeyConflict>,
    /// The number of results that failed their check and were dropped.
    pub(super) faults: usize,
}

/// A key whose value in the verdict file is wrong.
#[derive(Clone, Debug)]
pub(super) struct KeyConflict {
    pub(super) key: &'static str,
    /// The value in the verdict file.
    pub(super) file_value: String,
    /// The computed value. If it is not about the model's own net, the text also names the net.
    pub(super) computed: String,
}

/// The inputs for computing the keys of a page.
pub(super) struct KeySources<'a> {
    /// The net that the page is about.
    pub(super) net: &'a Net,
    /// The answers on the page.
    pub(super) results: &'a ReportResults,
    /// The net to which the keys refer.
    pub(super) key_net: &'a KeyNet<'a>,
    /// If true, the keys that do not follow from the answers are computed.
    pub(super) computes_all: bool,
    /// A verdict file to compare the keys with, and the instance whose verdicts are read from it.
    /// `None` if nothing is compared.
    pub(super) compared_file: Option<(&'a VerdictFile, &'a str)>,
}

/// Returns the 21 keys in the order of verdict files.
pub(super) fn keys(sources: &KeySources<'_>, config: &RunConfig, budget: &Budget) -> ReportKeys {
    let KeySources { key_net, compared_file: verdict_file, .. } = *sources;
    let mut known = sources.keys_from_answers();
    // The function `compute` skips the keys in `known`. So the other keys of the behaviour are
    // entered there as unknown, unless all keys are to be computed.
    if !sources.computes_all {
        let behavioural =
            KeyProperty::all().filter(|property| !matches!(property, KeyProperty::Structural(_)));
        for property in behavioural {
            if known.iter().all(|computed| computed.property != property) {
                let why = ReasonText::from_words("not computed");
                known.push(ComputedKey::new(
                    property,
                    key_net.net_meant(property),
                    Truth::Unknown,
                    why,
                ));
            }
        }
    }
    let all_keys: Vec<KeyProperty> = KeyProperty::all().collect();
    let findings = key_net.compute(&all_keys, &known, config, budget, |_| {});
    let compared =
        verdict_file.map(|(file, instance)| compare(file, Some(instance), &findings.keys));
    let mut keys = ReportKeys { faults: findings.faults, ..ReportKeys::default() };
    for property in all_keys {
        let Some(computed) = findings.keys.iter().find(|computed| computed.property == property)
        else {
            continue;
        };
        let mut comparisons = compared.iter().flatten();
        let compared =
            comparisons.find(|comparison| comparison.computed.is_some_and(|it| it == computed));
        let form = compared.and_then(|comparison| match &comparison.verdict.value {
            VerdictValue::Truth(Truth::Unknown) => None,
            value => Some(value.to_string()),
        });
        if let Some(form) = &form
            && compared.is_some_and(|comparison| comparison.result == ComparisonResult::Conflicts)
        {
            let computed_text = match computed.net {
                NetMeant::Model => computed.value.to_string(),
                net => format!("{} of {}", computed.value, net.noun_phrase()),
            };
            let (key, form) = (property.name(), form.clone());
            keys.conflicts.push(KeyConflict { key, file_value: form, computed: computed_text });
        }
        keys.rows.push(KeyRow {
            key: property.name(),
            value: computed.value,
            net: computed.net,
            reason: Sentence::of(sources.net, &computed.explanation),
            assumes_units: computed.assumes_units,
            form,
        });
    }
    keys
}

impl KeySources<'_> {
    /// Returns the keys (properties of a model form) that follow from the answers on the page. For
    /// an unfolding, at most three keys follow. The other keys have different meanings for coloured
    /// nodes and for nodes of the unfolding. For a net without colours, no key follows if the page
    /// and the keys have different initial markings.
    fn keys_from_answers(&self) -> Vec<ComputedKey> {
        let KeySources { net, key_net, .. } = *self;
        if net.initial() != key_net.net().initial() && !key_net.is_unfolding() {
            return Vec::new();
        }
        let keys: &[KeyProperty] = match key_net.is_unfolding() {
            true => &[KeyProperty::Safe, KeyProperty::Deadlock, KeyProperty::Reversible],
            false => &[
                KeyProperty::Safe,
                KeyProperty::DeadPlaces,
                KeyProperty::DeadTransitions,
                KeyProperty::Deadlock,
                KeyProperty::Reversible,
                KeyProperty::Live,
            ],
        };
        let known = keys.iter().filter_map(|&property| match property {
            KeyProperty::Safe => self.safe(),
            KeyProperty::DeadPlaces => self.dead_places(),
            KeyProperty::DeadTransitions => self.key_from_answer(
                property,
                StandardQuestion::Firings,
                ["every transition can be enabled", "some transition is never enabled"],
            ),
            KeyProperty::Deadlock => self.key_from_answer(
                property,
                StandardQuestion::Deadlock,
                ["a dead marking can be reached", "no dead marking can be reached"],
            ),
            KeyProperty::Reversible => self.key_from_answer(
                property,
                StandardQuestion::Reversible,
                [
                    "the initial marking is reachable from every reachable marking",
                    "the initial marking is not reachable from some reachable marking",
                ],
            ),
            _ => self.key_from_answer(
                property,
                StandardQuestion::Liveness,
                [
                    "every transition can be enabled again from every reachable marking",
                    "some transition can become dead",
                ],
            ),
        });
        known.collect()
    }

    /// Returns the key that the answer to a question decides. `words` explain an answer TRUE and an
    /// answer FALSE, in this order. Returns `None` if the question is open or was not asked.
    fn key_from_answer(
        &self,
        property: KeyProperty,
        standard_question: StandardQuestion,
        words: [&str; 2],
    ) -> Option<ComputedKey> {
        let question = self
            .results
            .questions
            .iter()
            .find(|question| question.topic == Some(standard_question))?;
        let answer = question.truth()?;
        // The question is whether all transitions can fire. The key DEAD_TRANSITIONS states that
        // some transition cannot.
        let value = answer != (property == KeyProperty::DeadTransitions);
        let explanation = ReasonText::from_words(words[usize::from(!answer)]);
        let computed =
            ComputedKey::new(property, self.key_net.net_meant(property), value.into(), explanation);
        let assumes_units = question.assumes_units;
        Some(ComputedKey { techniques: question.techniques.clone(), assumes_units, ..computed })
    }

    /// Returns SAFE, which is about single colours. The value follows from the answer to OneSafe,
    /// except that FALSE decides nothing for an unfolding. Otherwise the value follows from the
    /// bounds of the places of the page's net. It is false if some place can hold two tokens, and
    /// true if no place can. Returns `None` if neither decides the key.
    fn safe(&self) -> Option<ComputedKey> {
        let property = KeyProperty::Safe;
        let words = ["no place can hold two tokens", "some place can hold two tokens"];
        let one_safe = self.key_from_answer(property, StandardQuestion::OneSafe, words);
        let is_decided =
            |computed: &ComputedKey| !self.key_net.is_unfolding() || computed.value == Truth::True;
        let mut safe = match one_safe.filter(is_decided) {
            Some(safe) => safe,
            None => {
                let is_safe = |bound: &super::PlaceMaximum| match bound.most {
                    QuestionValue::Number(most) => most <= 1,
                    _ => false,
                };
                let bounds = self.bounds()?;
                let exceeds = bounds.iter().flatten().any(|it| !is_safe(it));
                if !exceeds && bounds.iter().any(Option::is_none) {
                    return None;
                }
                let why = ReasonText::from_words(words[usize::from(exceeds)]);
                let safe = ComputedKey::new(
                    property,
                    self.key_net.net_meant(property),
                    (!exceeds).into(),
                    why,
                );
                let bounds = self
                    .results
                    .questions
                    .iter()
                    .find(|it| it.topic == Some(StandardQuestion::Bounds));
                ComputedKey { assumes_units: bounds.is_some_and(|it| it.assumes_units), ..safe }
            }
        };
        if let (Truth::False, Some(bounds)) = (safe.value, self.bounds()) {
            let places = || self.net.model_places().zip(bounds);
            let infinite = places()
                .filter(|(_, it)| it.as_ref().is_some_and(|it| it.most == QuestionValue::Infinite));
            let unbounded: Vec<PlaceId> = infinite.map(|(place, _)| place).collect();
            let open = places().filter(|(_, bound)| bound.is_none()).count();
            safe.explanation.push_text(say_unbounded(self.net, &unbounded, open));
            safe.unbounded = unbounded;
        }
        Some(safe)
    }

    /// Returns DEAD_PLACES, which follows from the bounds of all places. Returns `None` if the
    /// bounds do not decide the key.
    fn dead_places(&self) -> Option<ComputedKey> {
        let property = KeyProperty::DeadPlaces;
        let bounds = self.bounds()?;
        let mut dead = self.net.model_places().zip(bounds).filter_map(|(place, bound)| {
            bound
                .as_ref()
                .is_some_and(|bound| bound.most == QuestionValue::Number(0))
                .then_some(place)
        });
        let (value, why) = match dead.next() {
            Some(place) => {
                let mut why = ReasonText::from_words("place ");
                why.node(&NamedNode::place(self.net, place)).push_words(" is never marked");
                (Truth::True, why)
            }
            None if bounds.iter().all(Option::is_some) => {
                (Truth::False, ReasonText::from_words("every place can be marked"))
            }
            None => return None,
        };
        let bounds_question =
            self.results.questions.iter().find(|it| it.topic == Some(StandardQuestion::Bounds));
        let assumes_units = bounds_question.is_some_and(|it| it.assumes_units);
        let computed = ComputedKey::new(property, self.key_net.net_meant(property), value, why);
        Some(ComputedKey { assumes_units, ..computed })
    }

    /// Returns the bounds of the model's places, if the places were examined one by one.
    fn bounds(&self) -> Option<&[Option<super::PlaceMaximum>]> {
        let bounds = &self.results.bounds;
        let is_complete = !bounds.is_empty() && bounds.len() == self.net.model_places().len();
        is_complete.then_some(bounds)
    }
}
