//! What nodes are called where people read: in pictures and on pages.
//!
//! Models of tools whose ids are numbers have names for people beside them (`<name>` in PNML). Such
//! a name stands for its node unless it is blank, or another node has it as its name or its id:
//! such nodes are called by their ids, and all others keep their names.

use parikh_net::coloured::ColouredNet;
use parikh_net::{Net, name_of};
use std::collections::HashMap;

/// What nodes of a net are called, by index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// Places.
    pub places: Vec<String>,
    /// Transitions.
    pub transitions: Vec<String>,
    /// Nodes that have a name which does not tell them apart, and the name: places first, then
    /// transitions, in one row of numbers.
    pub shared: Vec<(usize, String)>,
}

impl Names {
    /// The names given to people where they tell nodes apart, and else the ids.
    pub fn for_people(net: &Net) -> Names {
        let (places, transitions) = (net.places(), net.transitions());
        let places: Vec<_> = places.map(|p| (net.place_name(p), net.place_label(p))).collect();
        let transitions: Vec<_> =
            transitions.map(|t| (net.transition_name(t), net.transition_label(t))).collect();
        Names::of_nodes(&places, &transitions)
    }

    /// The same of a coloured net.
    pub fn of_coloured(net: &ColouredNet) -> Names {
        let places = net.places().iter().map(|it| (&*it.name, it.label.as_deref()));
        let transitions = net.transitions().iter().map(|it| (&*it.name, it.label.as_deref()));
        Names::of_nodes(&places.collect::<Vec<_>>(), &transitions.collect::<Vec<_>>())
    }

    /// Of nodes with their ids and their names, if they have some.
    fn of_nodes(places: &[(&str, Option<&str>)], transitions: &[(&str, Option<&str>)]) -> Names {
        let nodes: Vec<(&str, Option<String>)> = (places.iter().chain(transitions))
            .map(|&(id, label)| (id, label.map(|label| clean(name_of(id, Some(label))))))
            .collect();
        let mut claimed: HashMap<&str, usize> = HashMap::new();
        for (id, label) in &nodes {
            *claimed.entry(id).or_default() += 1;
            if let Some(label) = label.as_deref().filter(|label| label != id) {
                *claimed.entry(label).or_default() += 1;
            }
        }
        let mut shared = Vec::new();
        let mut names: Vec<String> = Vec::with_capacity(nodes.len());
        for (at, (id, label)) in nodes.iter().enumerate() {
            names.push(match label {
                Some(label) if label == id || claimed[label.as_str()] == 1 => label.clone(),
                Some(label) => {
                    shared.push((at, label.clone()));
                    clean(id)
                }
                None => clean(id),
            });
        }
        let transitions = names.split_off(places.len());
        Names { places: names, transitions, shared }
    }

    /// The same, where nodes that share a name have it, with their id behind it: `lock (p2)`.
    pub fn with_shared(mut self) -> Names {
        let places = self.places.len();
        for (at, label) in &self.shared {
            let name = match at.checked_sub(places) {
                None => &mut self.places[*at],
                Some(at) => &mut self.transitions[at],
            };
            *name = format!("{label} ({name})");
        }
        self
    }

    /// The same as pictures have room for.
    pub fn clipped(&self) -> Names {
        let clip = |names: &[String]| names.iter().map(|name| clipped(name)).collect();
        let (places, transitions) = (clip(&self.places), clip(&self.transitions));
        Names { places, transitions, shared: self.shared.clone() }
    }

    /// Whether they are other than the ids of the net.
    pub fn differ(&self, net: &Net) -> bool {
        net.places().any(|p| self.places[p.index()] != net.place_name(p))
            || net.transitions().any(|t| self.transitions[t.index()] != net.transition_name(t))
            || !self.shared.is_empty()
    }
}

/// In one line.
fn clean(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Letters of a name in a picture.
const LONGEST: usize = 64;

/// A name as a picture has room for.
pub fn clipped(name: &str) -> String {
    clipped_to(name, LONGEST)
}

/// Of a text of more letters its beginning and its end, where generated names differ.
pub fn clipped_to(text: &str, longest: usize) -> String {
    let letters = text.chars().count();
    if letters <= longest {
        return text.to_owned();
    }
    let half = longest / 2;
    let beginning: String = text.chars().take(half).collect();
    let end: String = text.chars().skip(letters - (longest - half - 1)).collect();
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
        let names = Names::for_people(&net);
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
        assert_eq!(clip.chars().count(), LONGEST);
        assert!(long.starts_with(clip.split('…').next().unwrap()));
        assert!(long.ends_with(clip.split('…').next_back().unwrap()));
        assert_eq!(clipped("é".repeat(LONGEST).as_str()), "é".repeat(LONGEST));
    }
}
