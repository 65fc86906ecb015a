//! Names of nodes: a node's name is its label, or else its id.
//!
//! Tools for drawing and for process mining give nodes ids such as `n10`, and a label beside the
//! id. Several nodes may have one name, and the name of one node may be the id of another. A
//! formula speaks of the model's nodes: of coloured places and transitions where the net is an
//! unfolding, and of the model's own transitions where several copies stand for one.

use crate::net::Net;
use crate::{PlaceId, TransitionId};
use std::collections::HashMap;

/// Returns the name of a node for users: its label, or its id if the label is missing or blank.
pub fn name_of<'a>(id: &'a str, label: Option<&'a str>) -> &'a str {
    label.filter(|label| !label.trim().is_empty()).unwrap_or(id)
}

/// The two kinds of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NodeKind {
    /// Places.
    Place,
    /// Transitions.
    Transition,
}

impl NodeKind {
    /// Returns the kind's word for messages.
    pub fn word(self) -> &'static str {
        match self {
            NodeKind::Place => "place",
            NodeKind::Transition => "transition",
        }
    }

    /// Returns the kind's word with its article.
    pub fn word_with_article(self) -> &'static str {
        match self {
            NodeKind::Place => "a place",
            NodeKind::Transition => "a transition",
        }
    }
}

impl Net {
    /// Returns the name of a place: its label, or its id if the label is missing or blank.
    pub fn name_of_place(&self, p: PlaceId) -> &str {
        name_of(self.place_name(p), self.place_label(p))
    }

    /// Returns the name of a transition: its label, or its id if the label is missing or blank. For
    /// a copy in a translation, the id is that of the model's transition.
    pub fn name_of_transition(&self, t: TransitionId) -> &str {
        let origin = self.translation().map(|it| (it, it.model_transition(t)));
        let id = match origin.filter(|(it, origin)| origin.index() < it.transition_count()) {
            // The id of a copy is no id of the model.
            Some((translation, origin)) => translation.transition_name(origin),
            None => self.transition_name(t),
        };
        name_of(id, self.transition_label(t))
    }

    /// Returns true if a node of this kind has a label that is not its id. In an unfolding, returns
    /// true if some coloured place or coloured transition has a label, whatever the kind.
    pub fn has_labels(&self, kind: NodeKind) -> bool {
        match (self.folding(), kind) {
            (Some(folding), _) => folding.has_labels(),
            (None, NodeKind::Place) => !self.place_labels.is_empty(),
            (None, NodeKind::Transition) => !self.transition_labels.is_empty(),
        }
    }

    /// Returns the ids and the names of the model's places, in order.
    pub fn named_places(&self) -> Box<dyn Iterator<Item = (&str, &str)> + '_> {
        match self.folding() {
            Some(folding) => Box::new((0..folding.place_count()).map(|index| {
                let id = folding.place_name(index);
                (id, name_of(id, folding.place_label(index)))
            })),
            None => {
                Box::new(self.model_places().map(|p| (self.place_name(p), self.name_of_place(p))))
            }
        }
    }

    /// Returns the ids and the names of the model's transitions, in order.
    pub fn named_transitions(&self) -> Box<dyn Iterator<Item = (&str, &str)> + '_> {
        if let Some(folding) = self.folding() {
            return Box::new((0..folding.transition_count()).map(|index| {
                let id = folding.transition_name(index);
                (id, name_of(id, folding.transition_label(index)))
            }));
        }
        if let Some(translation) = self.translation() {
            return Box::new((0..translation.transition_count()).map(TransitionId::new).map(|t| {
                let id = translation.transition_name(t);
                let copy = translation.copies(t).next().map(TransitionId::new);
                (id, name_of(id, copy.and_then(|copy| self.transition_label(copy))))
            }));
        }
        let id_and_name = |t| (self.transition_name(t), self.name_of_transition(t));
        Box::new(self.transitions().map(id_and_name))
    }

    /// Returns the ids and the names of the model's nodes of one kind, in order.
    pub fn named_nodes(&self, kind: NodeKind) -> Box<dyn Iterator<Item = (&str, &str)> + '_> {
        match kind {
            NodeKind::Place => self.named_places(),
            NodeKind::Transition => self.named_transitions(),
        }
    }
}

/// The ids of the model's places, or of its transitions, by the names that users see. A name is a
/// label, or the id of a node whose label is missing or blank.
#[derive(Clone, Debug)]
pub struct NameIndex<'n> {
    /// The ids of the nodes with each name. Several nodes may share a name.
    ids: HashMap<&'n str, Vec<&'n str>>,
    /// The name of each node whose name is not its id.
    names: HashMap<&'n str, &'n str>,
}

impl<'n> NameIndex<'n> {
    /// Builds the index in time linear in the number of nodes.
    pub fn new(net: &'n Net, kind: NodeKind) -> Self {
        let (mut ids, mut names): (HashMap<_, Vec<_>>, HashMap<_, _>) = Default::default();
        for (id, name) in net.named_nodes(kind) {
            ids.entry(name).or_default().push(id);
            if name != id {
                names.insert(id, name);
            }
        }
        NameIndex { ids, names }
    }

    /// Returns the ids of the nodes with this name, in the order of the net.
    pub fn ids(&self, name: &str) -> &[&'n str] {
        self.ids.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns true if a node has this id.
    pub fn has_id(&self, id: &str) -> bool {
        self.names.contains_key(id) || self.ids(id).contains(&id)
    }

    /// Returns the ids of the nodes that a text denotes.
    ///
    /// # Errors
    /// For a [`Mention::Word`] that is the id of no node and the name of several nodes, the ids of
    /// these nodes. An empty list, if the text denotes no node: for [`Mention::Id`] this means that
    /// no node has this id.
    pub fn find(&self, text: &str, mention: Mention) -> Result<Vec<&'n str>, Vec<&'n str>> {
        let by_name = self.ids(text);
        let by_id = || {
            let renamed = self.names.get_key_value(text).map(|(&id, _)| id);
            renamed.or_else(|| by_name.iter().find(|&&id| id == text).copied())
        };
        match mention {
            Mention::Id => by_id().map(|id| vec![id]).ok_or_else(Vec::new),
            Mention::Word => match (by_id(), by_name) {
                (Some(id), _) => Ok(vec![id]),
                (None, [only]) => Ok(vec![only]),
                (None, candidates) => Err(candidates.to_vec()),
            },
            Mention::Name => match (by_name, by_id()) {
                ([], Some(id)) => Ok(vec![id]),
                ([], None) => Err(Vec::new()),
                (named, _) => Ok(named.to_vec()),
            },
        }
    }

    /// Returns true if a node whose id is not `text` has the name `text`.
    pub fn names_another(&self, text: &str) -> bool {
        self.ids(text).iter().any(|&id| id != text)
    }
}

/// The way in which a text stands for nodes. A name is a label, or the id of a node whose label is
/// missing or blank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mention {
    /// The node with the given id, whatever its name.
    Id,
    /// The id of a node, or otherwise the name of exactly one node.
    Word,
    /// The name of one or more nodes, all of which are meant. If no node has this name, the id of a
    /// node.
    Name,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NetBuilder;

    /// Transitions `pay` and `pay_2` have the name pay, `n1` has the name of nobody else, and the
    /// id `ship` belongs to a node with another name.
    fn net() -> Net {
        let mut builder = NetBuilder::new("n");
        for (id, label) in [
            ("pay", "pay"),
            ("pay_2", "pay"),
            ("n1", "check"),
            ("ship", "pack"),
            ("n2", "ship"),
            ("n3", "old"),
            ("n4", "old"),
            ("n5", " "),
        ] {
            let t = builder.transition(id).unwrap();
            builder.label_transition(t, label);
        }
        builder.build().unwrap()
    }

    #[test]
    fn a_label_that_equals_the_id_is_still_the_name() {
        let net = net();
        let index = NameIndex::new(&net, NodeKind::Transition);
        assert_eq!(index.ids("pay"), ["pay", "pay_2"]);
        assert_eq!(index.ids("n5"), ["n5"]);
        assert_eq!(index.ids("n1"), [""; 0]);
        assert!(index.has_id("n1") && index.has_id("n5") && !index.has_id("check"));
    }

    #[test]
    fn a_word_is_an_id_first_and_a_name_means_all_nodes_that_have_it() {
        let net = net();
        let index = NameIndex::new(&net, NodeKind::Transition);
        let find = |text, mention| index.find(text, mention);
        assert_eq!(find("pay", Mention::Word), Ok(vec!["pay"]));
        assert_eq!(find("pay", Mention::Name), Ok(vec!["pay", "pay_2"]));
        assert_eq!(find("check", Mention::Word), Ok(vec!["n1"]));
        assert_eq!(find("ship", Mention::Word), Ok(vec!["ship"]));
        assert_eq!(find("ship", Mention::Name), Ok(vec!["n2"]));
        assert_eq!(find("n1", Mention::Name), Ok(vec!["n1"]));
        assert_eq!(find("old", Mention::Word), Err(vec!["n3", "n4"]));
        assert_eq!(find("check", Mention::Id), Err(vec![]));
        assert_eq!(find("nobody", Mention::Name), Err(vec![]));
        let others = ["pay", "pay_2", "ship", "n5"].map(|text| index.names_another(text));
        assert_eq!(others, [true, false, true, false]);
    }
}
