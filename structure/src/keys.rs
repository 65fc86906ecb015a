//! The fifteen structural keys of a contest model form, each with a reason.
//!
//! Definitions follow the contest's model forms (GenericPropertiesDefinition.xml; rules of 2025,
//! M-9). Two points are not in the wording, but hold in every filled form:
//!
//! * SIMPLE_FREE_CHOICE, EXTENDED_FREE_CHOICE, STATE_MACHINE and MARKED_GRAPH are properties of
//!   ordinary nets. For any other net they are false, with the reason "the net is not ordinary".
//! * A net that is not connected is not strongly connected.
//!
//! Reasons use the wording of the forms: "2 transitions are not of a state machine, e.g.,
//! transition tsynch1_23". The example is the first in the order of the model. All keys take time
//! linear in the net, except EXTENDED_FREE_CHOICE: it compares the inputs of a transition once for
//! each of its input places.

use super::connectivity::{connected, strongly_connected};
use parikh_net::printable::counted;
use parikh_net::{Arc, Net, PlaceId, TransitionId};
use std::fmt;

/// A structural key, that is, a yes/no property from the contest's form about a model that follows
/// from the net's structure. The variants are in the order of the verdict files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// Every arc has weight 1.
    Ordinary,
    /// The net is ordinary, and transitions that share an input place have no other input place.
    SimpleFreeChoice,
    /// The net is ordinary, and transitions that share an input place have the same input places.
    ExtendedFreeChoice,
    /// The net is ordinary, and every transition has exactly one input place and one output place.
    StateMachine,
    /// The net is ordinary, and every place has exactly one input transition and one output
    /// transition.
    MarkedGraph,
    /// An undirected path joins every two nodes.
    Connected,
    /// A directed path leads from every node to every other.
    StronglyConnected,
    /// A place without input transitions exists.
    SourcePlace,
    /// A place without output transitions exists.
    SinkPlace,
    /// A transition without input places exists.
    SourceTransition,
    /// A transition without output places exists.
    SinkTransition,
    /// No place is both input and output of one transition.
    LoopFree,
    /// Every transition produces as many tokens as it consumes.
    Conservative,
    /// Every transition produces at most as many tokens as it consumes.
    Subconservative,
    /// The model has nested units.
    NestedUnits,
}

impl Key {
    /// All keys, in the order of the verdict files.
    pub const ALL: [Key; 15] = [
        Key::Ordinary,
        Key::SimpleFreeChoice,
        Key::ExtendedFreeChoice,
        Key::StateMachine,
        Key::MarkedGraph,
        Key::Connected,
        Key::StronglyConnected,
        Key::SourcePlace,
        Key::SinkPlace,
        Key::SourceTransition,
        Key::SinkTransition,
        Key::LoopFree,
        Key::Conservative,
        Key::Subconservative,
        Key::NestedUnits,
    ];

    /// Returns the spelling in verdict files.
    pub fn name(self) -> &'static str {
        match self {
            Key::Ordinary => "ORDINARY",
            Key::SimpleFreeChoice => "SIMPLE_FREE_CHOICE",
            Key::ExtendedFreeChoice => "EXTENDED_FREE_CHOICE",
            Key::StateMachine => "STATE_MACHINE",
            Key::MarkedGraph => "MARKED_GRAPH",
            Key::Connected => "CONNECTED",
            Key::StronglyConnected => "STRONGLY_CONNECTED",
            Key::SourcePlace => "SOURCE_PLACE",
            Key::SinkPlace => "SINK_PLACE",
            Key::SourceTransition => "SOURCE_TRANSITION",
            Key::SinkTransition => "SINK_TRANSITION",
            Key::LoopFree => "LOOP_FREE",
            Key::Conservative => "CONSERVATIVE",
            Key::Subconservative => "SUBCONSERVATIVE",
            Key::NestedUnits => "NESTED_UNITS",
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The value of a key, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyVerdict {
    /// The key itself.
    pub key: Key,
    /// True if the net has the property.
    pub value: bool,
    /// The reason, as a sentence without full stop.
    pub explanation: String,
}

/// Returns the values of all structural keys of the net, in the order of [`Key::ALL`].
pub fn structural_keys(net: &Net) -> Vec<KeyVerdict> {
    let verdict = |key| {
        let (value, explanation) = decide(net, key);
        KeyVerdict { key, value, explanation }
    };
    Key::ALL.into_iter().map(verdict).collect()
}

/// Returns the value of one key, with the reason.
fn decide(net: &Net, key: Key) -> (bool, String) {
    let needs_ordinary = matches!(
        key,
        Key::SimpleFreeChoice | Key::ExtendedFreeChoice | Key::StateMachine | Key::MarkedGraph
    );
    if needs_ordinary && !heavy_arcs(net).is_empty() {
        return (false, "the net is not ordinary".into());
    }
    let place = |p: &PlaceId| format!("place {}", net.place_name(*p));
    let transition = |t: &TransitionId| format!("transition {}", net.transition_name(*t));
    let transitions_with = |wrong: &dyn Fn(TransitionId) -> bool| -> Vec<TransitionId> {
        net.transitions().filter(|&t| wrong(t)).collect()
    };
    let places_with = |wrong: &dyn Fn(PlaceId) -> bool| -> Vec<PlaceId> {
        net.places().filter(|&p| wrong(p)).collect()
    };
    match key {
        Key::Ordinary => decide_by_exceptions(
            &heavy_arcs(net),
            ["weighs", "arcs weigh"],
            "more than 1",
            Clone::clone,
            "every arc weighs 1",
        ),
        Key::SimpleFreeChoice => simple_free_choice(net),
        Key::ExtendedFreeChoice => extended_free_choice(net),
        Key::StateMachine => decide_by_exceptions(
            &transitions_with(&|t| net.pre(t).len() != 1 || net.post(t).len() != 1),
            ["is", "transitions are"],
            "not as in a state machine",
            transition,
            "every transition has one input place and one output place",
        ),
        Key::MarkedGraph => decide_by_exceptions(
            &places_with(&|p| net.producers(p).len() != 1 || net.consumers(p).len() != 1),
            ["is", "places are"],
            "not as in a marked graph",
            place,
            "every place has one input transition and one output transition",
        ),
        Key::Connected => connected(net),
        Key::StronglyConnected => strongly_connected(net),
        Key::SourcePlace => decide_by_examples(
            &places_with(&|p| net.producers(p).is_empty()),
            "source place",
            place,
        ),
        Key::SinkPlace => {
            decide_by_examples(&places_with(&|p| net.consumers(p).is_empty()), "sink place", place)
        }
        Key::SourceTransition => decide_by_examples(
            &transitions_with(&|t| net.pre(t).is_empty()),
            "source transition",
            transition,
        ),
        Key::SinkTransition => decide_by_examples(
            &transitions_with(&|t| net.post(t).is_empty()),
            "sink transition",
            transition,
        ),
        Key::LoopFree => decide_by_exceptions(
            &transitions_with(&|t| has_loop(net, t)),
            ["is", "transitions are"],
            "not loop free",
            transition,
            "no place is both input and output of one transition",
        ),
        Key::Conservative => decide_by_exceptions(
            &transitions_with(&|t| total(net.pre(t)) != total(net.post(t))),
            ["is", "transitions are"],
            "not conservative",
            transition,
            "every transition puts as many tokens as it takes",
        ),
        Key::Subconservative => decide_by_exceptions(
            &transitions_with(&|t| total(net.pre(t)) < total(net.post(t))),
            ["is", "transitions are"],
            "not subconservative",
            transition,
            "every transition puts at most as many tokens as it takes",
        ),
        Key::NestedUnits => match net.units() {
            Some(units) => (true, format!("the model has {}", counted(units.len(), "nested unit"))),
            None => (false, "the model has no nested units".into()),
        },
    }
}

/// Returns true with the reason `reason_if_none` if there are no exceptions. Otherwise returns
/// false, with a sentence that names one exception, or that has the number of exceptions and the
/// first as an example. `singular` and `plural` are the words before `violation` in these two
/// sentences.
fn decide_by_exceptions<T>(
    exceptions: &[T],
    [singular, plural]: [&str; 2],
    violation: &str,
    name: impl Fn(&T) -> String,
    reason_if_none: &str,
) -> (bool, String) {
    match exceptions {
        [] => (true, reason_if_none.to_owned()),
        [single] => (false, format!("{} {singular} {violation}", name(single))),
        [first, ..] => {
            (false, format!("{} {plural} {violation}, e.g., {}", exceptions.len(), name(first)))
        }
    }
}

/// Returns true if `nodes` is not empty, with the first node as an example.
fn decide_by_examples<T>(nodes: &[T], kind: &str, name: impl Fn(&T) -> String) -> (bool, String) {
    match nodes {
        [] => (false, format!("there is no {kind}")),
        [single] => (true, format!("{} is a {kind}", name(single))),
        [first, ..] => {
            (true, format!("there exist {} {kind}s, e.g., {}", nodes.len(), name(first)))
        }
    }
}

/// Returns descriptions of the arcs whose weight is not 1.
fn heavy_arcs(net: &Net) -> Vec<String> {
    let mut heavy = Vec::new();
    for t in net.transitions() {
        let (t_name, arcs_in, arcs_out) = (net.transition_name(t), net.pre(t), net.post(t));
        for arc in arcs_in.iter().filter(|arc| arc.weight != 1) {
            let p = net.place_name(arc.place);
            heavy.push(format!(
                "the arc from place {p} to transition {t_name} (of weight {})",
                arc.weight
            ));
        }
        for arc in arcs_out.iter().filter(|arc| arc.weight != 1) {
            let p = net.place_name(arc.place);
            heavy.push(format!(
                "the arc from transition {t_name} to place {p} (of weight {})",
                arc.weight
            ));
        }
    }
    heavy
}

/// Returns the sum of the weights.
fn total(arcs: &[Arc]) -> u128 {
    arcs.iter().map(|arc| u128::from(arc.weight)).sum()
}

/// Returns true if some place is input and output of `t`. Both lists are ascending.
fn has_loop(net: &Net, t: TransitionId) -> bool {
    let mut outputs = net.post(t).iter().map(|arc| arc.place).peekable();
    net.pre(t).iter().any(|input| {
        while outputs.next_if(|&place| place < input.place).is_some() {}
        outputs.peek() == Some(&input.place)
    })
}

fn simple_free_choice(net: &Net) -> (bool, String) {
    let mut arcs = Vec::new();
    for p in net.places().filter(|&p| net.consumers(p).len() > 1) {
        let violating = net.consumers(p).iter().filter(|arc| net.pre(arc.transition).len() > 1);
        arcs.extend(violating.map(|arc| (p, arc.transition)));
    }
    let name = |&(p, t): &(PlaceId, TransitionId)| {
        format!(
            "the arc from place {} (which has {} outgoing transitions) to transition {} (which has {} input places)",
            net.place_name(p),
            net.consumers(p).len(),
            net.transition_name(t),
            net.pre(t).len()
        )
    };
    let reason = "transitions that share an input place have no other input place";
    decide_by_exceptions(&arcs, ["is", "arcs are"], "not simple free choice", name, reason)
}

fn extended_free_choice(net: &Net) -> (bool, String) {
    let inputs = |t: TransitionId| net.pre(t).iter().map(|arc| arc.place);
    for p in net.places() {
        // Equality is transitive, so each consumer is compared only with the first.
        let Some((first, rest)) = net.consumers(p).split_first() else { continue };
        for consumer in rest {
            if inputs(first.transition).eq(inputs(consumer.transition)) {
                continue;
            }
            let private_input = |a, b| inputs(a).find(|&place| net.pre_weight(b, place) == 0);
            let (t, u) = (first.transition, consumer.transition);
            // The sets differ, so one of them contains a place that the other lacks.
            let (t, u, place) = match private_input(t, u) {
                Some(place) => (t, u, place),
                None => (u, t, private_input(u, t).unwrap_or(p)),
            };
            let reason = format!(
                "transitions {} and {} share a common input place {}, but only the former transition has input place {}",
                net.transition_name(t),
                net.transition_name(u),
                net.place_name(p),
                net.place_name(place)
            );
            return (false, reason);
        }
    }
    (true, "transitions that share an input place have the same input places".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    fn verdict(text: &str, key: Key) -> (bool, String) {
        let net = text::parse(text).unwrap();
        let verdicts = structural_keys(&net);
        let found = verdicts.into_iter().find(|verdict| verdict.key == key).unwrap();
        (found.value, found.explanation)
    }

    #[track_caller]
    fn is(text: &str, key: Key, value: bool, explanation: &str) {
        assert_eq!(verdict(text, key), (value, explanation.to_owned()));
    }

    const CHOICE: &str =
        "place p 1\nplace q\nplace r\ntransition a: p -> r\ntransition b: p + q -> r";

    #[test]
    fn reasons_have_the_wording_of_the_forms() {
        is(
            CHOICE,
            Key::ExtendedFreeChoice,
            false,
            "transitions b and a share a common input place p, but only the former transition has input place q",
        );
        is(
            CHOICE,
            Key::SimpleFreeChoice,
            false,
            "the arc from place p (which has 2 outgoing transitions) to transition b (which has 2 input places) is not simple free choice",
        );
        is(CHOICE, Key::StateMachine, false, "transition b is not as in a state machine");
        is(CHOICE, Key::MarkedGraph, false, "3 places are not as in a marked graph, e.g., place p");
        is(CHOICE, Key::SourcePlace, true, "there exist 2 source places, e.g., place p");
        is(CHOICE, Key::SinkPlace, true, "place r is a sink place");
        is(CHOICE, Key::SourceTransition, false, "there is no source transition");
        is(
            CHOICE,
            Key::Subconservative,
            true,
            "every transition puts at most as many tokens as it takes",
        );
        is(CHOICE, Key::Conservative, false, "transition b is not conservative");
    }

    #[test]
    fn classes_of_nets_are_ordinary() {
        let heavy = "place p 2\nplace q\ntransition t: 2*p -> q";
        is(heavy, Key::StateMachine, false, "the net is not ordinary");
        is(heavy, Key::ExtendedFreeChoice, false, "the net is not ordinary");
        is(
            heavy,
            Key::Ordinary,
            false,
            "the arc from place p to transition t (of weight 2) weighs more than 1",
        );
        is(heavy, Key::LoopFree, true, "no place is both input and output of one transition");
    }

    #[test]
    fn loops_are_found_at_any_arc() {
        let looping =
            "place a\nplace b\nplace c\ntransition t: a + c -> b + c\ntransition u: a -> b";
        is(looping, Key::LoopFree, false, "transition t is not loop free");
    }
}
