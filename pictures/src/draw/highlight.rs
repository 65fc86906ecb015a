//! Highlighting in pictures: nodes by name, an invariant, a siphon or trap, or a firing sequence.

use parikh_evidence::{ReplayError, replay};
use parikh_formula::{FormulaProblem, split_names};
use parikh_net::builder::NetNode;
use parikh_net::printable::counted;
use parikh_net::{FiringSequence, Marking, Net, NodeKind, PlaceId, TransitionId};
use parikh_solvers::{Budget, ExhaustionReason};
use parikh_structure::closed::ClosureKind;
use parikh_structure::flows::place_flows;
use parikh_structure::minimal::minimal_sets;
use parikh_structure::siphons::{starved_by, unmarked_siphon};
use std::collections::BTreeMap;

/// The highlighted nodes of a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Highlight {
    /// Places, each with a text beside it. The text may be empty.
    pub places: BTreeMap<PlaceId, String>,
    /// Transitions, each with a text beside it. The text may be empty.
    pub transitions: BTreeMap<TransitionId, String>,
    /// A sentence about the picture. The sentence may be empty.
    pub caption: String,
    /// The marking to draw, if it is not the initial one.
    pub marking: Option<Marking>,
}

/// An error in the nodes to highlight.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HighlightError {
    /// The name belongs to no node.
    #[error("the net has no place or transition `{name}`{hint}")]
    UnknownNode {
        /// The requested name.
        name: String,
        /// A suggestion as the end of a sentence, or empty.
        hint: String,
    },
    /// The name is not in quotes, and several places or several transitions have it as their label.
    #[error("{0}")]
    Ambiguous(FormulaProblem),
    /// The list of names is empty.
    #[error("no name is given; expected names of places or transitions, separated by commas")]
    NoName,
    /// The number of the place invariant is 0 or larger than the number of computed invariants.
    #[error("there is no place invariant {wanted}: the net has {found}, numbered from 1")]
    NoInvariant {
        /// The requested number.
        wanted: usize,
        /// The number of invariants.
        found: usize,
    },
    /// The number of the siphon or trap is 0 or larger than the number of computed sets.
    #[error("there is no minimal {kind} {wanted}: found {found}, numbered from 1")]
    NoSet {
        /// `siphon` or `trap`.
        kind: &'static str,
        /// The requested number.
        wanted: usize,
        /// The number of sets found.
        found: usize,
    },
    /// The sequence cannot be fired.
    #[error("the trace does not replay: {0}")]
    Replay(#[from] ReplayError),
    /// The budget was spent before the invariants or sets were found.
    #[error("{0} before the structure was computed")]
    Spent(#[from] ExhaustionReason),
}

/// The largest number of minimal siphons or traps computed to find one by its number, unless the
/// number itself is larger.
const MAX_SETS: usize = 100;

impl Highlight {
    /// Highlights the nodes with these ids or labels. A text may hold several names separated by
    /// commas. Names may contain commas, so a text that is a name as a whole denotes that node.
    ///
    /// # Errors
    /// No node has one of the names, or a text has no name. Also if a name is not in quotes, and
    /// several places or several transitions have it as their label.
    pub fn nodes<'n>(
        net: &Net,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Self, HighlightError> {
        let mut highlight = Highlight::default();
        let split = |text: &'n str| -> Vec<&'n str> {
            match nodes_meant(net, text).is_ok_and(|none| none.is_empty()) {
                false => vec![text],
                true => split_names(text).into_iter().filter(|name| !name.is_empty()).collect(),
            }
        };
        for text in names {
            let named = split(text);
            if named.is_empty() {
                return Err(HighlightError::NoName);
            }
            for name in named {
                let found = nodes_meant(net, name).map_err(HighlightError::Ambiguous)?;
                if found.is_empty() {
                    return Err(unknown(net, name));
                }
                for node in found {
                    match node {
                        NetNode::Place(place) => {
                            highlight.places.insert(place, String::new());
                        }
                        NetNode::Transition(transition) => {
                            highlight.transitions.insert(transition, String::new());
                        }
                    }
                }
            }
        }
        Ok(highlight)
    }

    /// Highlights the place invariant with this number, from 1, in the computed basis.
    ///
    /// # Errors
    /// There is no such invariant, or the budget is spent before it is found.
    pub fn invariant(net: &Net, number: usize, budget: &Budget) -> Result<Self, HighlightError> {
        let flows = place_flows(net, budget)?;
        let flow = number.checked_sub(1).and_then(|index| flows.get(index));
        let flow =
            flow.ok_or(HighlightError::NoInvariant { wanted: number, found: flows.len() })?;
        let label = |(place, weight): &(PlaceId, _)| (*place, format!("×{weight}"));
        let mut highlight = Highlight {
            places: flow.terms().iter().map(label).collect(),
            caption: format!("invariant {number} of {}: {}", flows.len(), flow.describe(net)),
            ..Highlight::default()
        };
        for label in highlight.places.values_mut().filter(|label| *label == "×1") {
            label.clear();
        }
        Ok(highlight)
    }

    /// Highlights the minimal siphon with this number, from 1. Without a number: the largest siphon
    /// that is initially empty, with the transitions it disables forever, or else the first minimal
    /// siphon.
    ///
    /// # Errors
    /// There is no such siphon, or the budget is spent before it is found.
    pub fn siphon(
        net: &Net,
        number: Option<usize>,
        budget: &Budget,
    ) -> Result<Self, HighlightError> {
        let empty = unmarked_siphon(net);
        if number.is_none() && !empty.is_empty() {
            let starved = starved_by(net, &empty);
            let caption = format!(
                "the largest initially empty siphon: {} never marked, {} never enabled",
                counted(empty.len(), "place"),
                counted(starved.len(), "transition")
            );
            return Ok(Highlight {
                places: empty.into_iter().map(|place| (place, String::new())).collect(),
                transitions: starved.into_iter().map(|t| (t, "dead".to_owned())).collect(),
                caption,
                marking: None,
            });
        }
        Highlight::closed_set(net, ClosureKind::Siphon, number.unwrap_or(1), budget)
    }

    /// Highlights the minimal trap with this number, from 1, by default the first.
    ///
    /// # Errors
    /// There is no such trap, or the budget is spent before it is found.
    pub fn trap(net: &Net, number: Option<usize>, budget: &Budget) -> Result<Self, HighlightError> {
        Highlight::closed_set(net, ClosureKind::Trap, number.unwrap_or(1), budget)
    }

    /// Highlights the minimal siphon or trap with this number, from 1.
    fn closed_set(
        net: &Net,
        kind: ClosureKind,
        number: usize,
        budget: &Budget,
    ) -> Result<Self, HighlightError> {
        let name = match kind {
            ClosureKind::Siphon => "siphon",
            ClosureKind::Trap => "trap",
        };
        let found = minimal_sets(net, kind, MAX_SETS.max(number), budget);
        let set = number.checked_sub(1).and_then(|index| found.sets.get(index));
        let Some(set) = set else {
            if let Some(spent) = budget.exhausted() {
                return Err(spent.into());
            }
            let found = found.sets.len();
            return Err(HighlightError::NoSet { kind: name, wanted: number, found });
        };
        let marked = set.iter().any(|&place| net.initial()[place] > 0);
        let or_more = if found.is_complete() { "" } else { " or more" };
        let caption = format!(
            "minimal {name} {number} of {}{or_more}: {}, {} initially",
            found.sets.len(),
            counted(set.len(), "place"),
            if marked { "marked" } else { "empty" }
        );
        let places = set.iter().map(|&place| (place, String::new())).collect();
        Ok(Highlight { places, caption, ..Highlight::default() })
    }

    /// Highlights the transitions of a firing sequence. Beside a transition are the positions at
    /// which it begins to fire, at most five, and its number of firings if there are several. Also
    /// highlights the places whose tokens differ after the sequence. Draws the marking after the
    /// sequence.
    ///
    /// # Errors
    /// The sequence cannot be fired.
    pub fn sequence(net: &Net, sequence: &FiringSequence) -> Result<Self, HighlightError> {
        let end = replay(net, sequence)?;
        let mut fired: BTreeMap<TransitionId, (u128, Vec<u128>)> = BTreeMap::new();
        let mut position = 1u128;
        for step in sequence.steps() {
            let (count, positions) = fired.entry(step.transition).or_default();
            *count += u128::from(step.count);
            if positions.len() <= MAX_POSITIONS {
                positions.push(position);
            }
            position += u128::from(step.count);
        }
        let label = |(transition, (count, positions)): (_, (u128, Vec<u128>))| {
            let mut position_texts: Vec<String> = positions
                .iter()
                .take(MAX_POSITIONS)
                .map(|position| format!("#{position}"))
                .collect();
            if positions.len() > MAX_POSITIONS {
                position_texts.push("…".to_owned());
            }
            let times = if count > 1 { format!(" ({count} times)") } else { String::new() };
            (transition, format!("{}{times}", position_texts.join(" ")))
        };
        let changed = net.places().filter(|&place| end[place] != net.initial()[place]);
        let change = |place| format!("{} before", net.initial()[place]);
        Ok(Highlight {
            places: changed.map(|place| (place, change(place))).collect(),
            transitions: fired.into_iter().map(label).collect(),
            caption: format!("after {}", counted(sequence.firings(), "firing")),
            marking: Some(end),
        })
    }
}

/// The largest number of positions of a transition written beside it.
const MAX_POSITIONS: usize = 5;

/// Returns the nodes that a text denotes: by their ids, or else by their labels, as in formulas.
///
/// # Errors
/// The text is not in quotes, and several places or several transitions have it as their label.
fn nodes_meant(net: &Net, text: &str) -> Result<Vec<NetNode>, FormulaProblem> {
    let by_id = nodes_named(net, text);
    if !by_id.is_empty() {
        return Ok(by_id);
    }
    let mut nodes = Vec::new();
    for kind in [NodeKind::Place, NodeKind::Transition] {
        let named = parikh_formula::nodes_of_text(net, kind, text)?;
        nodes.extend(named.ids.iter().flat_map(|id| match kind {
            NodeKind::Place => {
                net.places_named(id).into_iter().flatten().map(NetNode::Place).collect()
            }
            NodeKind::Transition => {
                let transitions = net.transitions_named(id).into_iter().flatten();
                transitions.map(NetNode::Transition).collect::<Vec<_>>()
            }
        }));
    }
    Ok(nodes)
}

/// Returns the node with this id. In an unfolding, the name of a coloured node denotes all its
/// nodes. In a translation, the name of a transition of the model denotes all its copies. The list
/// is empty if no node has the name, or if the coloured node has no nodes in the unfolding.
fn nodes_named(net: &Net, name: &str) -> Vec<NetNode> {
    if let Some(place) = net.place_named(name) {
        return vec![NetNode::Place(place)];
    }
    if let Some(t) = net.transition_named(name) {
        return vec![NetNode::Transition(t)];
    }
    if let Some(places) = net.places_named(name) {
        return places.into_iter().map(NetNode::Place).collect();
    }
    let transitions = net.transitions_named(name).unwrap_or_default();
    transitions.into_iter().map(NetNode::Transition).collect()
}

/// Returns the error about an unknown name. If the id of a node is similar to the name, the most
/// similar id is the suggestion.
fn unknown(net: &Net, name: &str) -> HighlightError {
    let places = net.places().map(|place| net.place_name(place));
    let names = places.chain(net.transitions().map(|t| net.transition_name(t)));
    let closest = parikh_formula::closest(name, names);
    let hint = closest.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
    HighlightError::UnknownNode { name: name.to_owned(), hint }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    fn net() -> Net {
        text::parse(
            "place idle 2\nplace busy\nplace never\ntransition start: idle -> busy\n\
             transition stop: busy -> idle\ntransition dead: never -> never + idle",
        )
        .unwrap()
    }

    #[test]
    fn nodes_are_found_by_name_and_wrong_ones_guessed_at() {
        let net = net();
        let found = Highlight::nodes(&net, ["busy", "stop"]).unwrap();
        assert_eq!((found.places.len(), found.transitions.len()), (1, 1));
        assert_eq!(Highlight::nodes(&net, ["busy, stop,"]).unwrap(), found);
        let mut builder = parikh_net::NetBuilder::new("commas");
        let [whole, c] = ["c,d", "c"].map(|name| builder.place(name, 0).unwrap());
        let commas = builder.build().unwrap();
        let places = |text| Highlight::nodes(&commas, [text]).unwrap().places.into_keys();
        assert_eq!(places("c,d").collect::<Vec<_>>(), [whole]);
        assert_eq!(places("c").collect::<Vec<_>>(), [c]);
        assert_eq!(places("\"c,d\", c").collect::<Vec<_>>(), [whole, c]);
        assert_eq!(places("c, id \"c,d\"").collect::<Vec<_>>(), [whole, c]);
        assert_eq!(
            Highlight::nodes(&net, ["stopp"]).unwrap_err().to_string(),
            "the net has no place or transition `stopp`; did you mean `stop`?"
        );
    }

    #[test]
    fn highlighted_structure_has_a_caption() {
        let net = text::parse("place p 2\nplace q\ntransition t: p -> 2*q\ntransition u: 2*q -> p")
            .unwrap();
        let budget = Budget::unlimited();
        let invariant = Highlight::invariant(&net, 1, &budget).unwrap();
        assert_eq!(invariant.caption, "invariant 1 of 1: 2*p + q = 4");
        assert_eq!(invariant.places.into_values().collect::<Vec<_>>(), ["×2", ""]);
        assert_eq!(
            Highlight::invariant(&net, 2, &budget).unwrap_err().to_string(),
            "there is no place invariant 2: the net has 1, numbered from 1"
        );
        let trap = Highlight::trap(&net, None, &budget).unwrap();
        assert_eq!(trap.caption, "minimal trap 1 of 1: 2 places, marked initially");
        let siphon = Highlight::siphon(&self::net(), None, &budget).unwrap();
        assert_eq!(
            siphon.caption,
            "the largest initially empty siphon: 1 place never marked, 1 transition never enabled"
        );
    }

    #[test]
    fn a_sequence_shows_its_firing_positions_and_changed_places() {
        let net = net();
        let [start, stop] = ["start", "stop"].map(|name| net.transition_named(name).unwrap());
        let mut sequence = FiringSequence::new();
        sequence.push(start, 2);
        sequence.push(stop, 1);
        let shown = Highlight::sequence(&net, &sequence).unwrap();
        assert_eq!(shown.transitions[&start], "#1 (2 times)");
        assert_eq!(shown.transitions[&stop], "#3");
        assert_eq!(shown.marking.unwrap().tokens(), [1, 1, 0]);
        let mut wrong = FiringSequence::new();
        wrong.push(stop, 1);
        assert!(matches!(Highlight::sequence(&net, &wrong), Err(HighlightError::Replay(_))));
    }
}
