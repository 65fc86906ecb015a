//! Sentences that name nodes: the page makes each name something to point at.

use parikh_net::{Net, PlaceId, TransitionId};
use serde::Serialize;

/// A sentence in pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Text(Vec<Piece>);

/// Words, or a node by its index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum Piece {
    Words(String),
    Place { p: usize },
    Transition { t: usize },
}

/// A number of things that have a plain plural.
pub(super) fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// As many nodes as one sentence lists.
const LISTED: usize = 30;

impl Text {
    /// A sentence of words alone.
    pub(super) fn words(words: impl Into<String>) -> Text {
        Text::default().say(words)
    }

    /// Goes on with words.
    pub(super) fn say(mut self, words: impl Into<String>) -> Text {
        let words = words.into();
        match self.0.last_mut() {
            Some(Piece::Words(last)) => last.push_str(&words),
            _ => self.0.push(Piece::Words(words)),
        }
        self
    }

    /// Goes on with a place.
    pub(super) fn place(mut self, place: PlaceId) -> Text {
        self.0.push(Piece::Place { p: place.index() });
        self
    }

    /// Goes on with a transition.
    pub(super) fn transition(mut self, t: TransitionId) -> Text {
        self.0.push(Piece::Transition { t: t.index() });
        self
    }

    /// Goes on with another sentence.
    pub(super) fn then(mut self, other: Text) -> Text {
        for piece in other.0 {
            match piece {
                Piece::Words(words) => self = self.say(words),
                node => self.0.push(node),
            }
        }
        self
    }

    /// Goes on with a list, `between` between two of them; a long one is cut.
    pub(super) fn list<T>(
        mut self,
        items: &[T],
        between: &str,
        mut add: impl FnMut(Text, &T) -> Text,
    ) -> Text {
        for (at, item) in items.iter().take(LISTED).enumerate() {
            self = add(if at > 0 { self.say(between) } else { self }, item);
        }
        match items.len().saturating_sub(LISTED) {
            0 => self,
            more => self.say(format!("{between}… ({more} more)")),
        }
    }

    /// Without these words at its beginning, if they are there.
    pub(super) fn without(mut self, beginning: &str) -> Text {
        if let Some(Piece::Words(words)) = self.0.first_mut()
            && let Some(rest) = words.strip_prefix(beginning)
        {
            *words = rest.to_owned();
        }
        self
    }

    /// Whether these words are in it.
    pub(super) fn says(&self, wanted: &str) -> bool {
        self.0.iter().any(|piece| matches!(piece, Piece::Words(words) if words.contains(wanted)))
    }

    /// How many pieces there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// A sentence in which names stand between backticks, as reasons of answers have them.
    pub(super) fn of_sentence(net: &Net, sentence: &str) -> Text {
        let mut text = Text::default();
        let mut rest = sentence;
        while let Some(start) = rest.find('`') {
            let inside = &rest[start + 1..];
            let Some(end) = inside.find('`') else { break };
            let (before, name) = (&rest[..start], &inside[..end]);
            text = match (net.place_named(name), net.transition_named(name)) {
                (Some(place), None) => text.say(before).place(place),
                (None, Some(t)) => text.say(before).transition(t),
                // A place and a transition may share a name: the word before tells which.
                (Some(_), Some(t)) if before.ends_with("transition ") => {
                    text.say(before).transition(t)
                }
                (Some(place), Some(_)) => text.say(before).place(place),
                (None, None) => text.say(format!("{before}`{name}`")),
            };
            rest = &inside[end + 1..];
        }
        if rest.is_empty() { text } else { text.say(rest) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_between_backticks_become_nodes() {
        let net = parikh_net::text::parse("place p\ntransition p2: p ->").unwrap();
        let text = Text::of_sentence(&net, "transition `p2` takes from `p`, not from `q`");
        let json = serde_json::to_value(&text).unwrap();
        let expected = serde_json::json!(["transition ", {"t": 0}, " takes from ", {"p": 0}, ", not from `q`"]);
        assert_eq!(json, expected);
        assert_eq!(Text::of_sentence(&net, "an odd `"), Text::words("an odd `"));
    }

    #[test]
    fn long_lists_are_cut() {
        let text = Text::default()
            .list(&(0..40).collect::<Vec<_>>(), ", ", |text, at| text.place(PlaceId::new(*at)));
        assert_eq!(text.len(), 60);
        assert!(serde_json::to_string(&text).unwrap().ends_with("… (10 more)\"]"));
    }
}
