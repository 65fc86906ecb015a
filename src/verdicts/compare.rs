//! Comparison of a verdict file with the computed keys.

use super::{Category, Computed, Property, Truth, Value, Verdict, VerdictFile};

/// The result of comparing a verdict with the computed value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Both values are known and equal.
    Agrees,
    /// Both values are known and different.
    Conflicts,
    /// The computed value is unknown.
    NotComputed,
    /// The value is unknown in the file, but computed.
    NotInFile,
    /// The verdict is about no key of this instance.
    NotCompared,
}

/// A verdict of a file with the computed key.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    /// The verdict in the file.
    pub verdict: &'a Verdict,
    /// The computed key, for a verdict about a key.
    pub computed: Option<&'a Computed>,
    /// The result of the comparison.
    pub standing: Standing,
}

/// Compares each verdict of `file` with `computed`. Verdicts on instances other than `instance` are
/// not compared.
pub fn compare<'a>(
    file: &'a VerdictFile,
    instance: Option<&str>,
    computed: &'a [Computed],
) -> Vec<Comparison<'a>> {
    let compare = |verdict: &'a Verdict| {
        let concerned = verdict.instances.is_empty()
            || verdict.instances.iter().any(|name| Some(name.as_str()) == instance);
        let own = match (&verdict.category, Property::named(&verdict.reference)) {
            (Category::Generic, Some(property)) if concerned => {
                computed.iter().find(|computed| computed.property == property)
            }
            _ => None,
        };
        let standing = match (own, &verdict.value) {
            (Some(own), Value::Truth(theirs)) => match (own.value, *theirs) {
                (Truth::Unknown, _) => Standing::NotComputed,
                (_, Truth::Unknown) => Standing::NotInFile,
                (ours, theirs) if ours == theirs => Standing::Agrees,
                _ => Standing::Conflicts,
            },
            _ => Standing::NotCompared,
        };
        Comparison { verdict, computed: own, standing }
    };
    file.verdicts.iter().map(compare).collect()
}

/// Returns true if a file about `model` applies to an instance: a file about `AirplaneLD` applies
/// to `AirplaneLD-PT-0010`.
pub fn is_about(model: &str, instance: &str) -> bool {
    instance.strip_prefix(model).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        && !model.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::about::NetMeant;
    use crate::verdicts::Version;

    #[test]
    fn instances_belong_to_their_model_alone() {
        assert!(is_about("AirplaneLD", "AirplaneLD-PT-0010"));
        assert!(is_about("AirplaneLD-PT-0010", "AirplaneLD-PT-0010"));
        assert!(!is_about("Airplane", "AirplaneLD-PT-0010"));
        assert!(!is_about("AirplaneLD", "Peterson-PT-2"));
        assert!(!is_about("", "-PT-2"));
    }

    #[test]
    fn every_standing_is_told_apart() {
        let verdict = |reference: &str, value, instances: &[&str]| Verdict {
            category: Category::Generic,
            reference: reference.into(),
            value: Value::Truth(value),
            instances: instances.iter().map(|&name| name.to_owned()).collect(),
            explanation: None,
            stated_by: None,
            techniques: Vec::new(),
            trace: None,
        };
        let file = VerdictFile {
            version: Version::V2,
            model: "m".into(),
            verdicts: vec![
                verdict("SAFE", Truth::True, &[]),
                verdict("SAFE", Truth::False, &["m-PT-1"]),
                verdict("SAFE", Truth::False, &["m-PT-2"]),
                verdict("SAFE", Truth::Unknown, &[]),
                verdict("LIVE", Truth::True, &[]),
            ],
        };
        let computed =
            |property, value| Computed::new(property, NetMeant::Model, value, String::new());
        let ours =
            [computed(Property::Safe, Truth::True), computed(Property::Live, Truth::Unknown)];
        let standings: Vec<Standing> = compare(&file, Some("m-PT-1"), &ours)
            .iter()
            .map(|comparison| comparison.standing)
            .collect();
        assert_eq!(
            standings,
            [
                Standing::Agrees,
                Standing::Conflicts,
                Standing::NotCompared,
                Standing::NotInFile,
                Standing::NotComputed,
            ]
        );
    }
}
