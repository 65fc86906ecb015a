//! The net to which an answer, a key of a model form, or a page refers.

use parikh_net::Net;
use serde::Serialize;

/// The net to which a statement refers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NetMeant {
    /// The model's own net, with the places and transitions of its file.
    #[default]
    Model,
    /// The coloured net. A place counts the tokens of all its colours, and a transition is enabled
    /// if one of its bindings is.
    Coloured,
    /// The unfolding of a coloured net, with a place for each colour of each place and a transition
    /// for each binding whose guard holds.
    Unfolding,
    /// The place/transition net translated from a net with inhibitor or reset arcs.
    Translation,
}

impl NetMeant {
    /// Returns the net to which an examination on `net` refers. This is the model itself, whatever
    /// net the engines work on.
    pub fn of_examination(net: &Net) -> NetMeant {
        match net.folding() {
            Some(_) => NetMeant::Coloured,
            None => NetMeant::Model,
        }
    }

    /// Returns the identifier in JSON and in the data of pages.
    pub fn key(self) -> &'static str {
        match self {
            NetMeant::Model => "model",
            NetMeant::Coloured => "coloured",
            NetMeant::Unfolding => "unfolding",
            NetMeant::Translation => "translation",
        }
    }

    /// Returns a noun phrase for messages.
    pub fn noun_phrase(self) -> &'static str {
        match self {
            NetMeant::Model => "the net",
            NetMeant::Coloured => "the coloured net",
            NetMeant::Unfolding => "the unfolding of the coloured net",
            NetMeant::Translation => {
                "the place/transition net into which inhibitor and reset arcs are translated"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_identifier_in_json_is_the_one_that_serialises() {
        use NetMeant::{Coloured, Model, Translation, Unfolding};
        for net in [Model, Coloured, Unfolding, Translation] {
            assert_eq!(serde_json::to_value(net).unwrap(), net.key());
        }
    }
}
