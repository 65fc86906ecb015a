//! Names of nodes in pictures and on pages.
//!
//! Models of tools with numeric ids often have readable labels (`<name>` in PNML). A label is the
//! name of its node unless the label is blank, or is the label or the id of another node. Nodes
//! without a usable label are named by their ids.

use parikh_net::coloured::ColouredNet;
use parikh_net::{Net, name_of};
use std::collections::HashMap;

/// The names of a net's nodes, by index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisplayNames {
    /// Names of places.
    pub places: Vec<String>,
    /// Names of transitions.
    pub transitions: Vec<String>,
    /// The index and the label of each node whose label is the label or the id of another node.
    /// Indices count places first, then transitions.
    pub shared: Vec<(usize, String)>,
}

impl DisplayNames {
    /// Returns a name for each node: its label if the label is not blank and no other node has it
    /// as its label or id. Otherwise the name is the node's id.
    pub fn for_people(net: &Net) -> DisplayNames {
        let (places, transitions) = (net.places(), net.transitions());
        let places: Vec<_> = places.map(|p| (net.place_name(p), net.place_label(p))).collect();
        let transitions: Vec<_> =
            transitions.map(|t| (net.transition_name(t), net.transition_label(t))).collect();
        DisplayNames::of_nodes(&places, &transitions)
    }

    /// Returns the names for a coloured net.
    pub fn of_coloured(net: &ColouredNet) -> DisplayNames {
        let places = net.places().iter().map(|it| (&*it.name, it.label.as_deref()));
        let transitions = net.transitions().iter().map(|it| (&*it.name, it.label.as_deref()));
        DisplayNames::of_nodes(&places.collect::<Vec<_>>(), &transitions.collect::<Vec<_>>())
    }

    /// Returns the names of nodes from their ids and labels.
    fn of_nodes(
        places: &[(&str, Option<&str>)],
        transitions: &[(&str, Option<&str>)],
    ) -> DisplayNames {
        let nodes: Vec<(&str, Option<String>)> = (places.iter().chain(transitions))
            .map(|&(id, label)| (id, label.map(|label| clean(name_of(id, Some(label))))))
            .collect();
        let mut uses: HashMap<&str, usize> = HashMap::new();
        for (id, label) in &nodes {
            *uses.entry(id).or_default() += 1;
            if let Some(label) = label.as_deref().filter(|label| label != id) {
                *uses.entry(label).or_default() += 1;
            }
        }
        let mut shared = Vec::new();
        let mut names: Vec<String> = Vec::with_capacity(nodes.len());
        for (index, (id, label)) in nodes.iter().enumerate() {
            names.push(match label {
                Some(label) if label == id || uses[label.as_str()] == 1 => label.clone(),
                Some(label) => {
                    shared.push((index, label.clone()));
                    clean(id)
                }
                None => clean(id),
            });
        }
        let transitions = names.split_off(places.len());
        DisplayNames { places: names, transitions, shared }
    }

    /// Returns the names in which nodes with a shared label have the label followed by their id:
    /// `lock (p2)`.
    pub fn with_shared(mut self) -> DisplayNames {
        let places = self.places.len();
        for (index, label) in &self.shared {
            let name = match index.checked_sub(places) {
                None => &mut self.places[*index],
                Some(index) => &mut self.transitions[index],
            };
            *name = format!("{label} ({name})");
        }
        self
    }

    /// Returns the names clipped for pictures.
    pub fn clipped(&self) -> DisplayNames {
        let clip = |names: &[String]| names.iter().map(|name| clipped(name)).collect();
        let (places, transitions) = (clip(&self.places), clip(&self.transitions));
        DisplayNames { places, transitions, shared: self.shared.clone() }
    }

    /// Returns true if some name differs from the id of its node, or if some label is not unique.
    pub fn differ(&self, net: &Net) -> bool {
        net.places().any(|p| self.places[p.index()] != net.place_name(p))
            || net.transitions().any(|t| self.transitions[t.index()] != net.transition_name(t))
            || !self.shared.is_empty()
    }
}

/// Joins the words of a text in one line.
fn clean(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The largest number of letters of a name in a picture.
const MAX_LETTERS: usize = 64;

/// Clips a name for a picture.
pub fn clipped(name: &str) -> String {
    clipped_to(name, MAX_LETTERS)
}

/// Clips a text with more than `max_letters` letters. Keeps its beginning and its end, because
/// generated names differ there.
pub fn clipped_to(text: &str, max_letters: usize) -> String {
    let letters = text.chars().count();
    if letters <= max_letters {
        return text.to_owned();
    }
    let half = max_letters / 2;
    let beginning: String = text.chars().take(half).collect();
    let end: String = text.chars().skip(letters - (max_letters - half - 1)).collect();
    format!("{beginning}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::NetBuilder;

    #[test]
    fn only_nodes_whose_names_clash_are_called_by_their_ids() {
        let mut builder = NetBuilder::new("n");
        let labels = [("p1", "queue"), ("p2", "lock"), ("p3", "lock"), ("p4", "  "), ("p5", "t1")];
        for (id, label) in labels {
            let place = builder.place(id, 0).unwrap();
            builder.label_place(place, label);
        }
        let t = builder.transition("t1").unwrap();
        builder.label_transition(t, "take  \n it");
        let net = builder.build().unwrap();
        let names = DisplayNames::for_people(&net);
        assert_eq!(names.places, ["queue", "p2", "p3", "p4", "p5"]);
        assert_eq!(names.transitions, ["take it"]);
        let shared = [(1, "lock"), (2, "lock"), (4, "t1")].map(|(at, name)| (at, name.to_owned()));
        assert_eq!(names.shared, shared);
        assert!(names.differ(&net));
        let told = names.with_shared();
        assert_eq!(told.places, ["queue", "lock (p2)", "lock (p3)", "p4", "t1 (p5)"]);
        assert_eq!(told.transitions, ["take it"]);
    }

    #[test]
    fn long_names_keep_their_ends() {
        let long: String = (0..300).map(|at| char::from(b'a' + (at % 26) as u8)).collect();
        let clip = clipped(&long);
        assert_eq!(clip.chars().count(), MAX_LETTERS);
        assert!(long.starts_with(clip.split('…').next().unwrap()));
        assert!(long.ends_with(clip.split('…').next_back().unwrap()));
        assert_eq!(clipped("é".repeat(MAX_LETTERS).as_str()), "é".repeat(MAX_LETTERS));
    }
}
