//! Comparison of a verdict file with the computed keys.

use super::{Category, ComputedKey, KeyProperty, KeyVerdict, Truth, VerdictFile, VerdictValue};

/// The result of comparing a verdict with the computed value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonResult {
    /// Both values are known and equal.
    Agrees,
    /// Both values are known and different.
    Conflicts,
    /// The computed value is unknown.
    NotComputed,
    /// The value is unknown in the file, but computed.
    NotInFile,
    /// The verdict is about no key, about another instance, or about a key that was not computed.
    NotCompared,
}

/// A verdict of a file with the computed key.
#[derive(Clone, Debug)]
pub struct KeyComparison<'a> {
    /// The verdict in the file.
    pub verdict: &'a KeyVerdict,
    /// The computed key. `None` if the verdict is about no key, about another instance, or about a
    /// key that was not computed.
    pub computed: Option<&'a ComputedKey>,
    /// The result of the comparison.
    pub result: ComparisonResult,
}

/// Compares each verdict of `file` with `computed`. Verdicts on instances other than `instance` are
/// not compared. Without an instance, the verdicts on all instances are compared.
pub fn compare<'a>(
    file: &'a VerdictFile,
    instance: Option<&str>,
    computed: &'a [ComputedKey],
) -> Vec<KeyComparison<'a>> {
    let compare = |verdict: &'a KeyVerdict| {
        let concerns_instance = verdict.instances.is_empty()
            || instance
                .is_none_or(|instance| verdict.instances.iter().any(|name| name == instance));
        let computed_key = match (&verdict.category, KeyProperty::named(&verdict.reference)) {
            (Category::Generic, Some(property)) if concerns_instance => {
                computed.iter().find(|computed| computed.property == property)
            }
            _ => None,
        };
        let standing = match (computed_key, &verdict.value) {
            (Some(computed_key), VerdictValue::Truth(file_value)) => {
                match (computed_key.value, *file_value) {
                    (Truth::Unknown, _) => ComparisonResult::NotComputed,
                    (_, Truth::Unknown) => ComparisonResult::NotInFile,
                    (computed_value, file_value) if computed_value == file_value => {
                        ComparisonResult::Agrees
                    }
                    _ => ComparisonResult::Conflicts,
                }
            }
            _ => ComparisonResult::NotCompared,
        };
        KeyComparison { verdict, computed: computed_key, result: standing }
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
    use crate::answer::reason::ReasonText;
    use crate::verdicts::FormatVersion;
    use parikh_input::about::NetMeant;

    #[test]
    fn instances_belong_to_their_model_alone() {
        assert!(is_about("AirplaneLD", "AirplaneLD-PT-0010"));
        assert!(is_about("AirplaneLD-PT-0010", "AirplaneLD-PT-0010"));
        assert!(!is_about("Airplane", "AirplaneLD-PT-0010"));
        assert!(!is_about("AirplaneLD", "Peterson-PT-2"));
        assert!(!is_about("", "-PT-2"));
    }

    #[test]
    fn every_result_of_a_comparison_is_distinguished() {
        let verdict = |reference: &str, value, instances: &[&str]| KeyVerdict {
            category: Category::Generic,
            reference: reference.into(),
            value: VerdictValue::Truth(value),
            instances: instances.iter().map(|&name| name.to_owned()).collect(),
            explanation: None,
            stated_by: None,
            techniques: Vec::new(),
            trace: None,
        };
        let file = VerdictFile {
            version: FormatVersion::V2,
            model: "m".into(),
            verdicts: vec![
                verdict("SAFE", Truth::True, &[]),
                verdict("SAFE", Truth::False, &["m-PT-1"]),
                verdict("SAFE", Truth::False, &["m-PT-2"]),
                verdict("SAFE", Truth::Unknown, &[]),
                verdict("LIVE", Truth::True, &[]),
            ],
        };
        let computed = |property, value| {
            ComputedKey::new(property, NetMeant::Model, value, ReasonText::default())
        };
        let ours =
            [computed(KeyProperty::Safe, Truth::True), computed(KeyProperty::Live, Truth::Unknown)];
        let standings: Vec<ComparisonResult> = compare(&file, Some("m-PT-1"), &ours)
            .iter()
            .map(|comparison| comparison.result)
            .collect();
        assert_eq!(
            standings,
            [
                ComparisonResult::Agrees,
                ComparisonResult::Conflicts,
                ComparisonResult::NotCompared,
                ComparisonResult::NotInFile,
                ComparisonResult::NotComputed,
            ]
        );
        let without_instance = compare(&file, None, &ours);
        assert_eq!(without_instance[2].result, ComparisonResult::Conflicts);
    }
}
