//! Decomposition of a net into parts without common nodes, which behave independently.
//!
//! The reachable markings of the net are all combinations of the reachable markings of its parts.
//! So a predicate on the places of one part is reachable in the net exactly if it is reachable in
//! the part, and likewise for home spaces. The numbers of reachable markings of the parts multiply.

use crate::sets::Sets;
use crate::{BuildError, Net, NetBuilder, PlaceId, TransitionId};
use std::collections::HashMap;

/// A connected part of a net, with the ids of its nodes in the whole net.
#[derive(Clone, Debug)]
pub struct Subnet {
    /// The part as a net with the name and the features of the whole net. Other data are left out,
    /// such as labels, units, final markings and assumptions.
    pub net: Net,
    /// The places in the whole net, indexed by place of the part; ascending.
    pub places: Vec<PlaceId>,
    /// The transitions in the whole net, indexed by transition of the part; ascending.
    pub transitions: Vec<TransitionId>,
}

impl Net {
    /// Returns the connected parts of the net, ordered by their first node. A node without arcs is
    /// a part of its own.
    ///
    /// # Errors
    /// None for a net that a builder made, since nodes keep their names and arcs keep their
    /// weights.
    pub fn subnets(&self) -> Result<Vec<Subnet>, BuildError> {
        // Place number i is node i. Transition number i is node i + the number of places.
        let mut nodes = Sets::new(self.place_count() + self.transition_count());
        for t in self.transitions() {
            for arc in self.pre(t).iter().chain(self.post(t)) {
                nodes.join(arc.place.index(), self.place_count() + t.index());
            }
        }
        let mut part_numbers: HashMap<usize, usize> = HashMap::new();
        let mut parts: Vec<(NetBuilder, Vec<PlaceId>, Vec<TransitionId>)> = Vec::new();
        let mut part_of = |node, parts: &mut Vec<_>| {
            *part_numbers.entry(nodes.leader(node)).or_insert_with(|| {
                let mut builder = NetBuilder::new(self.name());
                builder.add_features(self.features());
                parts.push((builder, Vec::new(), Vec::new()));
                parts.len() - 1
            })
        };
        let mut place_in_part = Vec::with_capacity(self.place_count());
        for p in self.places() {
            let part = part_of(p.index(), &mut parts);
            let (builder, places, _) = &mut parts[part];
            place_in_part.push(builder.place(self.place_name(p), self.initial()[p])?);
            places.push(p);
        }
        for t in self.transitions() {
            let part = part_of(self.place_count() + t.index(), &mut parts);
            let (builder, _, transitions) = &mut parts[part];
            let added = builder.transition(self.transition_name(t))?;
            for arc in self.pre(t) {
                builder.take(added, place_in_part[arc.place.index()], arc.weight)?;
            }
            for arc in self.post(t) {
                builder.put(added, place_in_part[arc.place.index()], arc.weight)?;
            }
            transitions.push(t);
        }
        let part = |(builder, places, transitions): (NetBuilder, _, _)| {
            Ok(Subnet { net: builder.build()?, places, transitions })
        };
        parts.into_iter().map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::text;

    #[test]
    fn connected_nodes_form_one_part_and_isolated_nodes_one_each() {
        let net = text::parse(
            "place a 1\nplace lone 7\nplace b\nplace c 2\ntransition t: b -> a
             transition idle: ->\ntransition u: 2*c -> c\ntransition v: a -> b",
        )
        .unwrap();
        let parts = net.subnets().unwrap();
        let printed: Vec<String> = parts.iter().map(|part| text::print(&part.net)).collect();
        let expected = [
            "place a 1\nplace b\ntransition t: b -> a\ntransition v: a -> b",
            "place lone 7",
            "place c 2\ntransition u: 2*c -> c",
            "transition idle: ->",
        ];
        let expected = expected.map(|it| text::print(&text::parse(it).unwrap()));
        assert_eq!(printed, expected);
        let t = net.transition_named("v").unwrap();
        assert_eq!(parts[0].transitions[1], t);
        assert_eq!(parts[2].places, [net.place_named("c").unwrap()]);
    }
}
