//! Groups of nodes, for nets with too many nodes to draw.
//!
//! In an unfolding, the nodes of one coloured node form a group. Otherwise places are grouped by
//! the model's units, at a deep level with few enough groups, and transitions by the units of their
//! places. If no such level is found, nodes are grouped by their names without digits.
//! Generated nets repeat such names: `fork_1`, `fork_2`, … become `fork_#`.

use super::MAX_READABLE_NODES;
use parikh_net::coloured::Folding;
use parikh_net::{Net, PlaceId, TransitionId, UnitId, Units, name_of};
use std::collections::{BTreeMap, BTreeSet};

/// A group of places or transitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeGroup {
    /// The name of the group: a coloured node, units, or the shared name of the nodes without
    /// digits.
    pub name: String,
    /// The number of nodes.
    pub nodes: usize,
    /// The number of initial tokens; 0 for transitions.
    pub tokens: u128,
}

/// The nodes of a net in groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeGroups {
    /// The criterion: `units`, `colours` or `names without digits`.
    pub criterion: &'static str,
    /// The groups of places.
    pub places: Vec<NodeGroup>,
    /// The groups of transitions.
    pub transitions: Vec<NodeGroup>,
    /// The index in `places` of the group of each place.
    pub place_group: Vec<usize>,
    /// The index in `transitions` of the group of each transition.
    pub transition_group: Vec<usize>,
}

impl NodeGroups {
    /// Groups the nodes of `net` by coloured nodes if it is an unfolding, otherwise by units if
    /// possible, otherwise by names without digits.
    pub fn of(net: &Net) -> NodeGroups {
        let by_colours = net.folding().map(|folding| by_colours(net, folding));
        let by_units = || net.units().and_then(|units| by_units(net, units));
        let by_names = || {
            let for_people = by_names(net, true);
            if for_people.len() <= MAX_READABLE_NODES { for_people } else { by_names(net, false) }
        };
        by_colours.or_else(by_units).unwrap_or_else(by_names)
    }

    /// Returns the number of groups.
    pub fn len(&self) -> usize {
        self.places.len() + self.transitions.len()
    }

    /// Returns true if there is no group.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the numbers of arcs between groups. A key has a flag, the index of a transition
    /// group, and the index of a place group. The flag is true for arcs from transitions to places.
    pub fn arcs(&self, net: &Net) -> BTreeMap<(bool, usize, usize), usize> {
        let mut arcs: BTreeMap<(bool, usize, usize), usize> = BTreeMap::new();
        for t in net.transitions() {
            let group = self.transition_group[t.index()];
            for (is_output, side) in [(false, net.pre(t)), (true, net.post(t))] {
                for arc in side {
                    let place = self.place_group[arc.place.index()];
                    *arcs.entry((is_output, group, place)).or_default() += 1;
                }
            }
        }
        arcs
    }
}

/// Groups the nodes of an unfolding by their coloured nodes.
fn by_colours(net: &Net, folding: &Folding) -> NodeGroups {
    let group = |name: &str| NodeGroup { name: name.to_owned(), nodes: 0, tokens: 0 };
    let mut places: Vec<NodeGroup> =
        (0..folding.place_count()).map(|at| group(folding.place_name(at))).collect();
    let mut transitions: Vec<NodeGroup> =
        (0..folding.transition_count()).map(|at| group(folding.transition_name(at))).collect();
    let place_group: Vec<usize> = net.places().map(|place| folding.place_of(place)).collect();
    let transition_group: Vec<usize> =
        net.transitions().map(|t| folding.transition_of(t)).collect();
    for (place, &group) in net.places().zip(&place_group) {
        places[group].nodes += 1;
        places[group].tokens += u128::from(net.initial()[place]);
    }
    transition_group.iter().for_each(|&group| transitions[group].nodes += 1);
    NodeGroups { criterion: "colours", places, transitions, place_group, transition_group }
}

/// Groups by the units of one level of the unit tree: a deep level with at most
/// [`MAX_READABLE_NODES`] groups, found by binary search. Returns `None` if the search finds no
/// such level, or if the root is the only unit.
fn by_units(net: &Net, units: &Units) -> Option<NodeGroups> {
    // The iterator runs from a unit up to the root.
    let path = |unit| std::iter::successors(Some(unit), |&unit: &UnitId| units.get(unit).parent);
    let depth = |unit| path(unit).count();
    let deepest = units.iter().map(|(unit, _)| depth(unit)).max()?;
    // Deeper levels usually have more groups. If this is always so, binary search finds the deepest
    // level with few enough groups.
    let (mut min_level, mut max_level) = (2, deepest);
    let mut best = None;
    while min_level <= max_level {
        let level = min_level.midpoint(max_level);
        let grouping = at_level(net, units, level);
        if grouping.len() <= MAX_READABLE_NODES {
            best = Some(grouping);
            min_level = level + 1;
        } else {
            max_level = level - 1;
        }
    }
    best
}

/// Assigns every place to the ancestor of its unit at `level`, or to its own unit if that unit is
/// not so deep. The root has level 1. Groups transitions by the groups of their places.
fn at_level(net: &Net, units: &Units, level: usize) -> NodeGroups {
    let ancestor = |unit| {
        let path = std::iter::successors(Some(unit), |&unit: &UnitId| units.get(unit).parent);
        let path: Vec<UnitId> = path.collect();
        path[path.len().saturating_sub(level)]
    };
    let mut places = GroupCollector::default();
    let place_group: Vec<usize> = net
        .places()
        .map(|place| {
            let name = &units.get(ancestor(units.unit_of(place))).name;
            places.add(format!("unit {name}"), net.initial()[place])
        })
        .collect();
    let mut transitions = GroupCollector::default();
    let transition_group = net
        .transitions()
        .map(|t| {
            let arcs = net.pre(t).iter().chain(net.post(t));
            let touched: BTreeSet<usize> = arcs.map(|arc| place_group[arc.place.index()]).collect();
            let names = touched.iter().map(|&group| places.groups[group].name.as_str());
            let names: Vec<&str> = names.collect();
            let group_name = match names.len() {
                0 => "no unit".to_owned(),
                1..=3 => names.join(" + "),
                more => format!("{} + {} others", names[0], more - 1),
            };
            transitions.add(group_name, 0)
        })
        .collect();
    NodeGroups {
        criterion: "units",
        places: places.groups,
        transitions: transitions.groups,
        place_group,
        transition_group,
    }
}

/// Groups the nodes by their names without digits. With `for_people`, a node's name is its label,
/// or its id if the label is missing or blank. Otherwise it is always the id.
fn by_names(net: &Net, for_people: bool) -> NodeGroups {
    let name =
        |id: &str, label: Option<&str>| stem(name_of(id, label.filter(|_| for_people)).trim());
    let (mut places, mut transitions) = (GroupCollector::default(), GroupCollector::default());
    let of_place = |place: PlaceId| {
        let name = name(net.place_name(place), net.place_label(place));
        places.add(name, net.initial()[place])
    };
    let place_group = net.places().map(of_place).collect();
    let of_transition =
        |t: TransitionId| transitions.add(name(net.transition_name(t), net.transition_label(t)), 0);
    let transition_group = net.transitions().map(of_transition).collect();
    NodeGroups {
        criterion: "names without digits",
        places: places.groups,
        transitions: transitions.groups,
        place_group,
        transition_group,
    }
}

/// Replaces each run of digits in a name by `#`.
fn stem(name: &str) -> String {
    let mut stem = String::new();
    for c in name.chars() {
        match c.is_ascii_digit() {
            false => stem.push(c),
            true if !stem.ends_with('#') => stem.push('#'),
            true => {}
        }
    }
    stem
}

#[derive(Default)]
struct GroupCollector {
    groups: Vec<NodeGroup>,
    index_by_name: BTreeMap<String, usize>,
}

impl GroupCollector {
    /// Adds a node to the group with this name, and returns the index of the group.
    fn add(&mut self, name: String, tokens: u64) -> usize {
        let next = self.groups.len();
        let group = *self.index_by_name.entry(name.clone()).or_insert(next);
        if group == next {
            self.groups.push(NodeGroup { name, nodes: 0, tokens: 0 });
        }
        self.groups[group].nodes += 1;
        self.groups[group].tokens += u128::from(tokens);
        group
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_grouped_by_their_labels() {
        let mut builder = parikh_net::NetBuilder::new("n");
        for at in 0..3 {
            let place = builder.place(&format!("p{at}"), 1).unwrap();
            builder.label_place(place, &format!("fork {at}"));
            builder.transition(&format!("t{at}")).unwrap();
        }
        let net = builder.build().unwrap();
        let grouping = NodeGroups::of(&net);
        assert_eq!((&*grouping.places[0].name, grouping.places.len()), ("fork #", 1));
        assert_eq!((&*grouping.transitions[0].name, grouping.transitions.len()), ("t#", 1));
    }

    #[test]
    fn digits_in_names_are_ignored() {
        assert_eq!(stem("fork_12_of_3"), "fork_#_of_#");
        assert_eq!(stem("12"), "#");
    }
}
