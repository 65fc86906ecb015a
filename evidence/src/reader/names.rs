//! Resolves names in formulas to *nodes* of the model, that is, places and transitions.
//!
//! A node's name is its label, or its id if the label is missing or blank. A text in quotes means
//! all nodes with this name, or else the node with this id. A word without quotes means the node
//! with this id, or else the only node with this name. It is an error if several nodes have the
//! name and the word is no id. The prover has its own code for names.

use parikh_net::Net;
use parikh_net::TransitionId;
use parikh_net::printable::Quoted;

/// The way in which a formula writes the name or id of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameNotation {
    /// An explicit id: `id "p"`.
    Id,
    /// A word without quotes.
    Bare,
    /// A text in quotes, or an operand of a constraint of Declare.
    Quoted,
}

/// The kind of the nodes to which a name in a formula refers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamedNodeKind {
    Places,
    Transitions,
}

/// Returns the ids of the nodes that a text refers to. A node without a label has its id as its
/// name. Returns the text itself if `notation` is `Id`, or if no node has the text as its name.
/// Also returns a word without quotes itself if it is an id.
///
/// # Errors
/// When a word without quotes is the name of several nodes.
pub(crate) fn ids_of_name(
    net: &Net,
    kind: NamedNodeKind,
    text: &str,
    notation: NameNotation,
) -> Result<Vec<String>, String> {
    let text_itself = || Ok(vec![text.to_owned()]);
    let is_id = match kind {
        NamedNodeKind::Places => net.places_named(text).is_some(),
        NamedNodeKind::Transitions => net.transitions_named(text).is_some(),
    };
    if notation == NameNotation::Id || notation == NameNotation::Bare && is_id {
        return text_itself();
    }
    let mut candidates = match kind {
        NamedNodeKind::Places => labelled_places(net),
        NamedNodeKind::Transitions => labelled_transitions(net),
    };
    candidates.retain(|(id, label)| match label.as_deref().map(str::trim) {
        None | Some("") => id == text,
        Some(_) => label.as_deref() == Some(text),
    });
    let ids: Vec<String> = candidates.into_iter().map(|(id, _)| id).collect();
    match &ids[..] {
        [] => text_itself(),
        [_, _, ..] if notation == NameNotation::Bare => {
            let first_ids: Vec<String> =
                ids.iter().take(5).map(|id| Quoted(id).to_string()).collect();
            let (count, first_ids) = (ids.len(), first_ids.join(", "));
            Err(format!("{} is the label of {count} nodes: {first_ids}", Quoted(text)))
        }
        _ => Ok(ids),
    }
}

/// The id and the label of a node. The label is `None` if the node has none.
type LabelledNode = (String, Option<String>);

/// Returns the ids and labels of the model's places.
fn labelled_places(net: &Net) -> Vec<LabelledNode> {
    let owned = |label: Option<&str>| label.map(str::to_owned);
    match net.folding() {
        Some(folding) => (0..folding.place_count())
            .map(|index| (folding.place_name(index).to_owned(), owned(folding.place_label(index))))
            .collect(),
        None => (net.model_places())
            .map(|p| (net.place_name(p).to_owned(), owned(net.place_label(p))))
            .collect(),
    }
}

/// Returns the ids and labels of the model's transitions.
fn labelled_transitions(net: &Net) -> Vec<LabelledNode> {
    let owned = |label: Option<&str>| label.map(str::to_owned);
    if let Some(folding) = net.folding() {
        return (0..folding.transition_count())
            .map(|index| {
                (folding.transition_name(index).to_owned(), owned(folding.transition_label(index)))
            })
            .collect();
    }
    let Some(translation) = net.translation() else {
        return (net.transitions())
            .map(|t| (net.transition_name(t).to_owned(), owned(net.transition_label(t))))
            .collect();
    };
    let original_transitions = (0..translation.transition_count()).map(TransitionId::new);
    let labelled_nodes = original_transitions.map(|t| {
        let copy = translation.copies(t).next().map(TransitionId::new);
        let label = copy.and_then(|copy| net.transition_label(copy));
        (translation.transition_name(t).to_owned(), owned(label))
    });
    labelled_nodes.collect()
}
