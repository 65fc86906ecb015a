//! The 21 keys of a model form.

use crate::structure::keys::Key;
use std::fmt;

/// A key: fifteen of the structure, six of the behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// Seen from the arcs alone.
    Structural(Key),
    /// No place ever holds two tokens.
    Safe,
    /// Some place is never marked.
    DeadPlaces,
    /// Some transition is never enabled.
    DeadTransitions,
    /// A marking without enabled transition is reachable.
    Deadlock,
    /// The initial marking can be reached again from every reachable one.
    Reversible,
    /// Every transition can be enabled again from every reachable marking.
    Live,
}

impl Property {
    /// All of them, in the order of the verdict files.
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

    /// Its spelling in verdict files.
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

    /// The property of this spelling.
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
