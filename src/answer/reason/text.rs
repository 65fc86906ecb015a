//! Sentences in pieces: words, and the names of nodes. Printed as text, names are quoted; a report
//! turns them into links.

use parikh_net::coloured::Folding;
use parikh_net::node_names::NodeKind;
use parikh_net::printable::Quoted;
use parikh_net::{Net, PlaceId, TransitionId};
use serde::{Serialize, Serializer};
use std::fmt;

/// A node of the model, by name. Serialized, it is its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedNode {
    /// The kind of the node.
    pub kind: NodeKind,
    /// The id in the model's file.
    pub id: String,
    /// The label, if the sentence gives it.
    pub label: Option<String>,
}

impl NamedNode {
    /// Returns a place of the net.
    pub fn place(net: &Net, p: PlaceId) -> NamedNode {
        NamedNode { kind: NodeKind::Place, id: net.place_name(p).to_owned(), label: None }
    }

    /// Returns a place of the net with its label.
    pub(crate) fn labelled_place(net: &Net, p: PlaceId) -> NamedNode {
        NamedNode { label: plain(net.place_label(p)), ..NamedNode::place(net, p) }
    }

    /// Returns a transition of the net.
    pub fn transition(net: &Net, t: TransitionId) -> NamedNode {
        let id = net.transition_name(t).to_owned();
        NamedNode { kind: NodeKind::Transition, id, label: None }
    }

    /// Returns the model's transition that `t` is a copy of, with its label.
    pub(crate) fn labelled_transition(net: &Net, t: TransitionId) -> NamedNode {
        let id = match net.translation() {
            None => net.transition_name(t),
            Some(translation) => translation.transition_name(translation.model_transition(t)),
        };
        let label = plain(net.transition_label(t));
        NamedNode { kind: NodeKind::Transition, id: id.to_owned(), label }
    }

    /// Returns a place of the coloured net.
    pub(crate) fn coloured_place(folding: &Folding, place: usize) -> NamedNode {
        let id = folding.place_name(place).to_owned();
        NamedNode { kind: NodeKind::Place, id, label: None }
    }

    /// Returns a transition of the coloured net.
    pub(crate) fn coloured_transition(folding: &Folding, transition: usize) -> NamedNode {
        let id = folding.transition_name(transition).to_owned();
        NamedNode { kind: NodeKind::Transition, id, label: None }
    }
}

/// Returns a label without surrounding blanks, with plain spaces inside. Returns `None` for a
/// missing or blank label.
fn plain(label: Option<&str>) -> Option<String> {
    let label = label.map(str::trim).filter(|label| !label.is_empty())?;
    Some(label.replace(char::is_whitespace, " "))
}

impl Serialize for NamedNode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.id)
    }
}

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextPiece {
    /// Plain text.
    Words(String),
    /// A node.
    Node(NamedNode),
    /// A quoted text that is no node, such as a marking.
    Quotation(String),
    /// A text that contains quotation marks around names already, such as a formula. It is
    /// printed without further quotation marks.
    Formula(String),
}

/// A sentence in pieces. Adjacent words are one piece.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReasonText {
    pieces: Vec<TextPiece>,
}

impl ReasonText {
    /// Creates a sentence of plain text.
    pub fn from_words(words: impl Into<String>) -> ReasonText {
        let mut text = ReasonText::default();
        text.push_words(words);
        text
    }

    /// Returns the pieces in order.
    pub fn pieces(&self) -> &[TextPiece] {
        &self.pieces
    }

    /// Appends plain text, to the last piece if that is plain text too.
    pub fn push_words(&mut self, words: impl Into<String>) -> &mut ReasonText {
        let words = words.into();
        match self.pieces.last_mut() {
            _ if words.is_empty() => {}
            Some(TextPiece::Words(last)) => last.push_str(&words),
            _ => self.pieces.push(TextPiece::Words(words)),
        }
        self
    }

    /// Appends a node.
    pub fn node(&mut self, node: &NamedNode) -> &mut ReasonText {
        self.pieces.push(TextPiece::Node(node.clone()));
        self
    }

    /// Appends a quoted text.
    pub fn quote(&mut self, text: &str) -> &mut ReasonText {
        self.pieces.push(TextPiece::Quotation(text.to_owned()));
        self
    }

    /// Appends a text that already contains quotation marks around names, such as a formula.
    pub fn formula(&mut self, text: &str) -> &mut ReasonText {
        self.pieces.push(TextPiece::Formula(text.to_owned()));
        self
    }

    /// Appends another sentence.
    pub fn push_text(&mut self, other: ReasonText) -> &mut ReasonText {
        for piece in other.pieces {
            match piece {
                TextPiece::Words(words) => drop(self.push_words(words)),
                piece => self.pieces.push(piece),
            }
        }
        self
    }

    /// Appends the items with `between` as the separator.
    pub fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        between: &str,
        mut add: impl FnMut(&mut ReasonText, T),
    ) -> &mut ReasonText {
        for (at, item) in items.into_iter().enumerate() {
            self.push_words(if at > 0 { between } else { "" });
            add(self, item);
        }
        self
    }

    /// Appends the first five items, and the number of the others.
    pub fn list_abridged<T>(
        &mut self,
        items: &[T],
        add: impl FnMut(&mut ReasonText, &T),
    ) -> &mut ReasonText {
        self.list(items.iter().take(LISTED), ", ", add);
        match items.len().saturating_sub(LISTED) {
            0 => self,
            more => self.push_words(format!(", and {more} more")),
        }
    }
}

/// The largest number of nodes listed in a sentence.
const LISTED: usize = 5;

impl fmt::Display for ReasonText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|piece| match piece {
            TextPiece::Words(text) | TextPiece::Formula(text) => f.write_str(text),
            TextPiece::Node(NamedNode { id, label: None, .. }) => write!(f, "{}", Quoted(id)),
            TextPiece::Node(NamedNode { id, label: Some(label), .. }) => {
                write!(f, "{} ({label})", Quoted(id))
            }
            TextPiece::Quotation(text) => write!(f, "`{text}`"),
        })
    }
}
