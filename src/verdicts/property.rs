//! The 21 keys of a model form.

use parikh_structure::keys::Key;
use std::fmt;

/// A key, that is, one of the 21 yes/no properties in the contest's form about a model. Fifteen
/// keys are structural, six are behavioural.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyProperty {
    /// A key that follows from the structure of the net: its arcs and its units.
    Structural(Key),
    /// No place ever holds two tokens.
    Safe,
    /// There is a place that is never marked.
    DeadPlaces,
    /// There is a transition that is never enabled.
    DeadTransitions,
    /// A marking without enabled transition is reachable.
    Deadlock,
    /// The initial marking is reachable from every reachable marking.
    Reversible,
    /// Every transition can be enabled again from every reachable marking.
    Live,
}

impl KeyProperty {
    /// Returns all keys, in the order of the verdict files.
    pub fn all() -> impl Iterator<Item = KeyProperty> {
        let behavioural = [
            KeyProperty::Safe,
            KeyProperty::DeadPlaces,
            KeyProperty::DeadTransitions,
            KeyProperty::Deadlock,
            KeyProperty::Reversible,
            KeyProperty::Live,
        ];
        Key::ALL.into_iter().map(KeyProperty::Structural).chain(behavioural)
    }

    /// Returns the name of the key in verdict files.
    pub fn name(self) -> &'static str {
        match self {
            KeyProperty::Structural(key) => key.name(),
            KeyProperty::Safe => "SAFE",
            KeyProperty::DeadPlaces => "DEAD_PLACES",
            KeyProperty::DeadTransitions => "DEAD_TRANSITIONS",
            KeyProperty::Deadlock => "DEADLOCK",
            KeyProperty::Reversible => "REVERSIBLE",
            KeyProperty::Live => "LIVE",
        }
    }

    /// Finds the key with the given name.
    pub fn named(name: &str) -> Option<KeyProperty> {
        KeyProperty::all().find(|property| property.name() == name)
    }
}

impl fmt::Display for KeyProperty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_the_21_keys_are_parsed_back() {
        assert_eq!(KeyProperty::all().count(), 21);
        for property in KeyProperty::all() {
            assert_eq!(KeyProperty::named(property.name()), Some(property));
        }
        assert_eq!(KeyProperty::named("QUASI_LIVE"), None);
    }
}
