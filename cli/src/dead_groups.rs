//! Groups of dead markings by what blocks them: dead markings with the same closest transitions
//! ([`closest_transitions`]) that wait for the same places.

use parikh_input::model::ModelView;
use parikh_net::printable::{Word, counted};
use parikh_net::{Marking, PlaceId, TransitionId};
use parikh_structure::graph::dead::{WaitingTransition, closest_transitions};
use serde_json::{Value as Json, json};
use std::collections::HashMap;

/// The largest number of transitions that the line of a group names.
const MAX_NAMED: usize = 6;

/// The largest number of groups whose sizes are printed as text.
const MAX_SIZES: usize = 20;

/// The groups of a list of dead markings. A group has a number, from 1, in the order in which the
/// groups are found.
#[derive(Debug, Default)]
pub(super) struct DeadMarkingGroups {
    /// The index of each group, by its closest transitions.
    index_by_key: HashMap<Vec<WaitingTransition>, usize>,
    /// The number of dead markings in each group.
    sizes: Vec<usize>,
}

/// The group of a dead marking.
pub(super) struct MarkingGroup {
    /// The number of the group, from 1.
    pub(super) number: usize,
    /// The cause of the group's deadlock. `None` unless this is the first marking of the group.
    pub(super) blockage: Option<Blockage>,
}

impl DeadMarkingGroups {
    /// Adds a dead marking of the net of `view` to its group.
    pub(super) fn add(&mut self, view: ModelView<'_>, marking: &Marking) -> MarkingGroup {
        let net = view.net();
        let closest = match net.translation() {
            None => closest_transitions(net, marking, TransitionId::index),
            // A transition that the translation of reset arcs has copied is one transition.
            Some(translation) => {
                closest_transitions(net, marking, |t| translation.model_transition(t).index())
            }
        };
        if let Some(&index) = self.index_by_key.get(&closest) {
            self.sizes[index] += 1;
            return MarkingGroup { number: index + 1, blockage: None };
        }
        let blockage = Some(Blockage::new(view, &closest));
        self.index_by_key.insert(closest, self.sizes.len());
        self.sizes.push(1);
        MarkingGroup { number: self.sizes.len(), blockage }
    }

    /// Returns the number of groups.
    pub(super) fn count(&self) -> usize {
        self.sizes.len()
    }

    /// Returns lines with the sizes of the largest groups, in the order of the groups.
    pub(super) fn size_lines(&self) -> Vec<String> {
        let mut largest: Vec<usize> = (0..self.sizes.len()).collect();
        largest.sort_by_key(|&index| std::cmp::Reverse(self.sizes[index]));
        let others = largest.split_off(largest.len().min(MAX_SIZES));
        largest.sort_unstable();
        let size = |index| counted(self.sizes[index], "dead marking");
        let mut lines: Vec<String> =
            largest.into_iter().map(|at| format!("group {} has {}", at + 1, size(at))).collect();
        if !others.is_empty() {
            let rest: usize = others.iter().map(|&index| self.sizes[index]).sum();
            let groups = counted(others.len(), "smaller group");
            lines.push(format!("{groups} have {} in all", counted(rest, "dead marking")));
        }
        lines
    }

    /// Returns the number and the size of each group.
    pub(super) fn in_json(&self) -> Json {
        let group = |(index, size)| json!({"group": index + 1, "dead_markings": size});
        self.sizes.iter().enumerate().map(group).collect()
    }
}

/// The transitions closest to being enabled in a group of dead markings, by names of the model.
pub(super) struct Blockage {
    closest: Vec<NamedWaiting>,
    has_transitions: bool,
}

/// A disabled transition with the places for which it waits, by name.
struct NamedWaiting {
    transition: String,
    /// The places that have fewer tokens than the transition takes.
    more: Vec<String>,
    /// The inhibitor places that have too many tokens.
    fewer: Vec<String>,
}

impl Blockage {
    fn new(view: ModelView<'_>, closest: &[WaitingTransition]) -> Blockage {
        let net = view.net();
        let own_places = net.model_places().len();
        // The place of the model whose complement lacks tokens, because it has too many itself.
        let complemented = |p: PlaceId| {
            let position = p.index().checked_sub(own_places)?;
            net.translation()?.complemented().get(position).copied()
        };
        let name_of = |t: TransitionId| match net.translation() {
            Some(translation) if !net.has_caps() => {
                translation.transition_name(translation.model_transition(t)).to_owned()
            }
            _ => view.transition_name(t).into_owned(),
        };
        let named = |waiting: &WaitingTransition| {
            let (mut more, mut fewer) = (Vec::new(), Vec::new());
            for &place in &waiting.waits_for {
                match complemented(place) {
                    Some(own) => fewer.push(net.place_name(own).to_owned()),
                    None => more.push(net.place_name(place).to_owned()),
                }
            }
            NamedWaiting { transition: name_of(waiting.transition), more, fewer }
        };
        let has_transitions = net.transition_count() > 0;
        Blockage { closest: closest.iter().map(named).collect(), has_transitions }
    }

    /// Returns `t waits for p, q; u waits for fewer tokens on r`, with at most [`MAX_NAMED`]
    /// transitions.
    pub(super) fn in_words(&self) -> String {
        if self.closest.is_empty() {
            let text = match self.has_transitions {
                true => "every transition waits for all its input places",
                false => "the net has no transitions",
            };
            return text.to_owned();
        }
        let list = |names: &[String]| {
            names.iter().map(|name| Word(name).to_string()).collect::<Vec<_>>().join(", ")
        };
        let words = |waiting: &NamedWaiting| {
            let more = (!waiting.more.is_empty()).then(|| list(&waiting.more));
            let fewer = (!waiting.fewer.is_empty())
                .then(|| format!("fewer tokens on {}", list(&waiting.fewer)));
            let both: Vec<String> = more.into_iter().chain(fewer).collect();
            format!("{} waits for {}", Word(&waiting.transition), both.join(" and "))
        };
        let mut parts: Vec<String> = self.closest.iter().take(MAX_NAMED).map(words).collect();
        let others = self.closest.len() - parts.len();
        if others > 0 {
            parts.push(format!("{} alike", counted(others, "more transition")));
        }
        parts.join("; ")
    }

    /// Returns the closest transitions, each with the places for which it waits.
    pub(super) fn in_json(&self) -> Json {
        let waiting = |waiting: &NamedWaiting| {
            json!({
                "transition": waiting.transition, "waits_for": waiting.more,
                "waits_for_fewer": waiting.fewer,
            })
        };
        self.closest.iter().map(waiting).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn markings_with_the_same_blockage_form_a_group() {
        let net = text::parse(
            "place a 1\nplace b\nplace c\nplace junk\ntransition t: a + b -> c\n\
             transition u: junk -> c",
        );
        let net = net.unwrap();
        let view = ModelView::Model(&net);
        let mut groups = DeadMarkingGroups::default();
        let marking = |tokens: [u64; 4]| Marking::new(tokens.to_vec());
        let first = groups.add(view, &marking([1, 0, 0, 0]));
        assert_eq!(first.number, 1);
        assert_eq!(first.blockage.unwrap().in_words(), "t waits for b");
        let second = groups.add(view, &marking([1, 0, 5, 0]));
        assert!(second.number == 1 && second.blockage.is_none());
        let third = groups.add(view, &marking([0, 0, 5, 0])).blockage.unwrap();
        assert_eq!(third.in_words(), "every transition waits for all its input places");
        assert_eq!(third.in_json(), json!([]));
        assert_eq!(
            groups.size_lines(),
            ["group 1 has 2 dead markings", "group 2 has 1 dead marking"]
        );
        assert_eq!(groups.in_json()[0], json!({"group": 1, "dead_markings": 2}));
    }

    #[test]
    fn small_groups_share_a_line() {
        let groups = DeadMarkingGroups { sizes: (1..=30).collect(), ..Default::default() };
        let lines = groups.size_lines();
        assert_eq!(lines[0], "group 11 has 11 dead markings");
        assert_eq!(lines[20], "10 smaller groups have 55 dead markings in all");
        assert_eq!(lines.len(), 21);
    }
}
