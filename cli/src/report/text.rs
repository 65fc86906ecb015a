//! Sentences that name nodes. The page turns each name into a link to the node.

use parikh::answer::reason::{ReasonText, TextPiece};
use parikh_net::{Net, NodeKind, PlaceId, TransitionId};
use serde::Serialize;

/// A sentence as a list of pieces. A piece is a text or a reference to a node, which the page turns
/// into a link.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Sentence(Vec<SentencePiece>);

/// A piece of a sentence: words, or the index of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum SentencePiece {
    Words(String),
    Place { p: usize },
    Transition { t: usize },
}

/// The largest number of items that [`Sentence::list`] appends.
const LISTED: usize = 30;

impl Sentence {
    /// Returns a sentence of words alone.
    pub(super) fn from_words(words: impl Into<String>) -> Sentence {
        Sentence::default().push_words(words)
    }

    /// Converts a message that encloses names in backquotes. In the sentence, the quotation marks “
    /// and ” alternate in place of the backquotes.
    pub(super) fn message(text: &str) -> Sentence {
        let mut pieces = text.split('`');
        let first = pieces.next().unwrap_or_default().to_owned();
        let marks = ["“", "”"].iter().cycle();
        Sentence::from_words(
            pieces.zip(marks).fold(first, |text, (piece, mark)| text + mark + piece),
        )
    }

    /// Appends words.
    pub(super) fn push_words(mut self, words: impl Into<String>) -> Sentence {
        let words = words.into();
        match self.0.last_mut() {
            Some(SentencePiece::Words(last)) => last.push_str(&words),
            _ => self.0.push(SentencePiece::Words(words)),
        }
        self
    }

    /// Appends a place.
    pub(super) fn place(mut self, place: PlaceId) -> Sentence {
        self.0.push(SentencePiece::Place { p: place.index() });
        self
    }

    /// Appends a name in quotation marks, for an object that is no node of the page.
    pub(super) fn quoted(self, name: &str) -> Sentence {
        self.push_words(format!("“{name}”"))
    }

    /// Appends a transition.
    pub(super) fn transition(mut self, t: TransitionId) -> Sentence {
        self.0.push(SentencePiece::Transition { t: t.index() });
        self
    }

    /// Appends another sentence.
    pub(super) fn push_sentence(mut self, other: Sentence) -> Sentence {
        for piece in other.0 {
            match piece {
                SentencePiece::Words(words) => self = self.push_words(words),
                node => self.0.push(node),
            }
        }
        self
    }

    /// Appends a list with `between` as the separator, cut after [`LISTED`] items.
    pub(super) fn list<T>(
        mut self,
        items: &[T],
        between: &str,
        mut add: impl FnMut(Sentence, &T) -> Sentence,
    ) -> Sentence {
        for (at, item) in items.iter().take(LISTED).enumerate() {
            self = add(if at > 0 { self.push_words(between) } else { self }, item);
        }
        match items.len().saturating_sub(LISTED) {
            0 => self,
            more => self.push_words(format!("{between}… ({more} more)")),
        }
    }

    /// Appends a list with `between` as the separator, without a limit.
    pub(super) fn full_list<T>(
        mut self,
        items: &[T],
        between: &str,
        mut add: impl FnMut(Sentence, &T) -> Sentence,
    ) -> Sentence {
        for (at, item) in items.iter().enumerate() {
            self = add(if at > 0 { self.push_words(between) } else { self }, item);
        }
        self
    }

    /// Returns the sentence with a capital first letter. A sentence that begins with a node is
    /// unchanged.
    pub(super) fn sentence(mut self) -> Sentence {
        if let Some(SentencePiece::Words(words)) = self.0.first_mut()
            && let Some(first) = words.chars().next()
        {
            let rest = words.split_off(first.len_utf8());
            *words = first.to_uppercase().chain(rest.chars()).collect();
        }
        self
    }

    /// Returns the sentence as plain text. The two functions name places and transitions by index.
    pub(super) fn in_words(
        &self,
        place: impl Fn(usize) -> String,
        transition: impl Fn(usize) -> String,
    ) -> String {
        let word = |piece: &SentencePiece| match piece {
            SentencePiece::Words(words) => words.clone(),
            &SentencePiece::Place { p } => place(p),
            &SentencePiece::Transition { t } => transition(t),
        };
        self.0.iter().map(word).collect()
    }

    /// Returns the sentence with `instead` in place of a node, which is given as a sentence of one
    /// piece. The word `place` or `transition` before the node is left out.
    pub(super) fn without_node(&self, node: &Sentence, instead: &str) -> Sentence {
        let mut text = Sentence::default();
        for piece in &self.0 {
            match piece {
                piece if node.0.first() == Some(piece) => {
                    if let Some(SentencePiece::Words(words)) = text.0.last_mut() {
                        let stem = ["place ", "transition "]
                            .iter()
                            .find_map(|kind| words.strip_suffix(kind))
                            .map(str::to_owned);
                        if let Some(stem) = stem {
                            *words = stem;
                        }
                    }
                    text = text.push_words(instead);
                }
                SentencePiece::Words(words) => text = text.push_words(words.clone()),
                other => text.0.push(other.clone()),
            }
        }
        text
    }

    /// Returns the number of pieces.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Converts a reason. Nodes of the net become links, and other names stand in quotation marks.
    pub(super) fn of(net: &Net, reason: &ReasonText) -> Sentence {
        let mut text = Sentence::default();
        for piece in reason.pieces() {
            let node = match piece {
                TextPiece::Words(words) => {
                    text = text.push_words(words);
                    continue;
                }
                TextPiece::Formula(formula) => {
                    text = text.push_sentence(Sentence::message(formula));
                    continue;
                }
                TextPiece::Quotation(name) => {
                    text = text.quoted(name);
                    continue;
                }
                TextPiece::Node(node) => node,
            };
            let place = net.place_named(&node.id).filter(|_| node.kind == NodeKind::Place);
            let t = net.transition_named(&node.id).filter(|_| node.kind == NodeKind::Transition);
            text = match (place, t) {
                (Some(place), _) => text.place(place),
                (None, Some(t)) => text.transition(t),
                (None, None) => text.quoted(&node.id),
            };
            // The page itself adds the label to a linked node if the label identifies the node.
            // Other labels are added to the text.
            if let Some(label) = &node.label
                && own_label(net, text.0.last()).is_none()
            {
                text = text.push_words(format!(" ({label})"));
            }
        }
        text
    }
}

/// Returns the label of a node if it identifies the node: no other node has the label as its label
/// or its id. Returns `None` for words and for nodes without such a label.
fn own_label(net: &Net, piece: Option<&SentencePiece>) -> Option<String> {
    let (id, label) = match *piece? {
        SentencePiece::Words(_) => return None,
        SentencePiece::Place { p } => {
            let p = PlaceId::new(p);
            (net.place_name(p), net.place_label(p)?)
        }
        SentencePiece::Transition { t } => {
            let t = TransitionId::new(t);
            (net.transition_name(t), net.transition_label(t)?)
        }
    };
    let plain = |label: &str| label.trim().replace(char::is_whitespace, " ");
    let label = plain(label);
    let has_it =
        |(other, name): (&str, &str)| other != id && (other == label || plain(name) == label);
    let is_shared = net.named_places().chain(net.named_transitions()).any(has_it);
    (!label.is_empty() && !is_shared).then_some(label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh::answer::reason::NamedNode;

    #[test]
    fn nodes_of_the_net_become_links() {
        let net = parikh_net::text::parse("place p\ntransition p2: p ->").unwrap();
        let node = |kind, id: &str| NamedNode { kind, id: id.to_owned(), label: None };
        let mut reason = ReasonText::from_words("transition ");
        reason.node(&node(NodeKind::Transition, "p2")).push_words(" takes from ");
        reason.node(&node(NodeKind::Place, "p")).push_words(", not from ");
        reason.node(&node(NodeKind::Place, "p2"));
        let json = serde_json::to_value(Sentence::of(&net, &reason)).unwrap();
        let (t, p) = (serde_json::json!({"t": 0}), serde_json::json!({"p": 0}));
        let expected = serde_json::json!(["transition ", t, " takes from ", p, ", not from “p2”"]);
        assert_eq!(json, expected);
    }

    #[test]
    fn messages_have_the_quotation_marks_of_the_page() {
        let said = Sentence::message("`a` and `b` are marked");
        assert_eq!(said, Sentence::from_words("“a” and “b” are marked"));
    }

    #[test]
    fn long_lists_are_cut() {
        let text = Sentence::default()
            .list(&(0..40).collect::<Vec<_>>(), ", ", |text, at| text.place(PlaceId::new(*at)));
        assert_eq!(text.len(), 60);
        assert!(serde_json::to_string(&text).unwrap().ends_with("… (10 more)\"]"));
    }
}
