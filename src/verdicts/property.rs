//! The 21 keys of a model form.

use crate::structure::keys::Key;
use std::fmt;

/// A key: fifteen keys are structural, six are behavioural.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// A key that follows from the arcs alone.
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

impl Property {
    /// Returns all keys, in the order of the verdict files.
    pub fn all() -> impl Iterator<Item = Property> {
        let behavioural = [
            Property::Safe,
            Property::DeadPlaces,
            Property::DeadTransitions,
            Property::Deadlock,
            Property::Reversible,
            Property::Live,
        ];
        Key::ALL.into_iter().map(Property::Structural).chain(behavioural)
    }

    /// Returns the name of the key in verdict files.
    pub fn name(self) -> &'static str {
        match self {
            Property::Structural(key) => key.name(),
            Property::Safe => "SAFE",
            Property::DeadPlaces => "DEAD_PLACES",
            Property::DeadTransitions => "DEAD_TRANSITIONS",
            Property::Deadlock => "DEADLOCK",
            Property::Reversible => "REVERSIBLE",
            Property::Live => "LIVE",
        }
    }

    /// Finds the key with the given name.
    pub fn named(name: &str) -> Option<Property> {
        Property::all().find(|property| property.name() == name)
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_21_keys_are_read_back() {
        assert_eq!(Property::all().count(), 21);
        for property in Property::all() {
            assert_eq!(Property::named(property.name()), Some(property));
        }
        assert_eq!(Property::named("QUASI_LIVE"), None);
    }
}
