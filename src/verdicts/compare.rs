//! A verdict file against what was computed, key by key.

use super::{Category, Computed, Property, Truth, Value, Verdict, VerdictFile};

/// How a verdict stands against what was computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Both know, and say the same.
    Agrees,
    /// Both know, and contradict each other.
    Conflicts,
    /// We could not find out.
    NotComputed,
    /// The file does not say, but we know.
    NotInFile,
    /// It is about something else than this instance's keys.
    NotCompared,
}

/// One verdict of a file with what was computed.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    /// Of the file.
    pub verdict: &'a Verdict,
    /// Ours, for a key.
    pub computed: Option<&'a Computed>,
    /// How the two stand.
    pub standing: Standing,
}

/// Sets each verdict of `file` against `computed`. Verdicts on instances other than `instance` are
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

/// Whether a file about `model` is about an instance of this name: `AirplaneLD` is about
/// `AirplaneLD-PT-0010`.
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
