//! The keys CONNECTED and STRONGLY_CONNECTED: paths between the nodes of a net, places and
//! transitions alike.
//!
//! One search from the first node, along arcs in both directions, decides CONNECTED. Two searches,
//! along arcs and against them, decide STRONGLY_CONNECTED: every node reaches every other if and
//! only if the first node reaches all nodes and all reach it. A net without nodes has both
//! properties.

use parikh_net::{Net, PlaceId, TransitionId};

/// The direction in which a search follows arcs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ArcDirection {
    Forwards,
    Backwards,
    /// In both directions.
    Both,
}

/// A node: the index of a place, or the index of a transition plus the number of places.
type ArcNode = usize;

/// Returns the neighbours of a node in the direction `along`, with repetitions.
fn neighbours(net: &Net, node: ArcNode, along: ArcDirection) -> impl Iterator<Item = ArcNode> {
    let places = net.place_count();
    let (forward, backward) = (along != ArcDirection::Backwards, along != ArcDirection::Forwards);
    let place = (node < places).then(|| PlaceId::new(node));
    let transition = (node >= places).then(|| TransitionId::new(node - places));
    let to_transitions = place.into_iter().flat_map(move |p| {
        let out = if forward { net.consumers(p) } else { &[] };
        let back = if backward { net.producers(p) } else { &[] };
        out.iter().chain(back).map(move |arc| places + arc.transition.index())
    });
    let to_places = transition.into_iter().flat_map(move |t| {
        let out = if forward { net.post(t) } else { &[] };
        let back = if backward { net.pre(t) } else { &[] };
        out.iter().chain(back).map(|arc| arc.place.index())
    });
    to_transitions.chain(to_places)
}

/// Returns, for each node, true if the search from the first node reaches it.
fn reached_from_first(net: &Net, along: ArcDirection) -> Vec<bool> {
    let mut reached = vec![false; net.place_count() + net.transition_count()];
    let mut pending = Vec::new();
    if let Some(first) = reached.first_mut() {
        *first = true;
        pending.push(0);
    }
    while let Some(node) = pending.pop() {
        for next in neighbours(net, node, along) {
            if !std::mem::replace(&mut reached[next], true) {
                pending.push(next);
            }
        }
    }
    reached
}

fn name(net: &Net, node: ArcNode) -> String {
    match node.checked_sub(net.place_count()) {
        None => format!("place {}", net.place_name(PlaceId::new(node))),
        Some(t) => format!("transition {}", net.transition_name(TransitionId::new(t))),
    }
}

/// Returns true if an undirected path joins every two nodes, with the reason.
pub(crate) fn connected(net: &Net) -> (bool, String) {
    let reached = reached_from_first(net, ArcDirection::Both);
    let unreached = |nodes: std::ops::Range<usize>| -> Vec<ArcNode> {
        nodes.filter(|&node| !reached[node]).collect()
    };
    let sentence = |nodes: &[ArcNode], many: &str| match nodes {
        [] => None,
        [single] => Some(format!("{} is not connected to {}", name(net, *single), name(net, 0))),
        [first, ..] => Some(format!(
            "{} {many} are not connected to {}, e.g., {}",
            nodes.len(),
            name(net, 0),
            name(net, *first)
        )),
    };
    let places = sentence(&unreached(0..net.place_count()), "places");
    let transitions = sentence(&unreached(net.place_count()..reached.len()), "transitions");
    match (places, transitions) {
        (None, None) => (true, "there is an undirected path between every two nodes".into()),
        (Some(places_text), Some(transitions_text)) => {
            (false, format!("{places_text}; {transitions_text}"))
        }
        (Some(single), None) | (None, Some(single)) => (false, single),
    }
}

/// Returns true if a directed path leads from every node to every other node, with the reason.
pub(crate) fn strongly_connected(net: &Net) -> (bool, String) {
    if reached_from_first(net, ArcDirection::Both).contains(&false) {
        return (false, "the net is not connected and, thus, not strongly connected".into());
    }
    let first_unreached =
        |along| reached_from_first(net, along).iter().position(|is_reached| !is_reached);
    let sentence = |from, to| {
        (false, format!("there is no directed path from {} to {}", name(net, from), name(net, to)))
    };
    match (first_unreached(ArcDirection::Forwards), first_unreached(ArcDirection::Backwards)) {
        (Some(to), _) => sentence(0, to),
        (None, Some(from)) => sentence(from, 0),
        (None, None) => (true, "there is a directed path from every node to every other".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn missing_paths_are_reported_with_their_ends() {
        let chain = text::parse("place p\nplace q\ntransition t: p -> q").unwrap();
        assert!(connected(&chain).0);
        assert_eq!(
            strongly_connected(&chain),
            (false, "there is no directed path from place q to place p".to_owned())
        );
        let two =
            text::parse("place p\nplace q\ntransition t: p -> p\ntransition u: q -> q").unwrap();
        assert_eq!(
            connected(&two).1,
            "place q is not connected to place p; transition u is not connected to place p"
        );
        assert!(!strongly_connected(&two).0);
        let ring = text::parse("place p\ntransition t: p -> p").unwrap();
        assert!(strongly_connected(&ring).0 && connected(&text::parse("").unwrap()).0);
        let back = text::parse("place p\nplace q\ntransition t: q -> p").unwrap();
        assert_eq!(
            strongly_connected(&back).1,
            "there is no directed path from place p to place q"
        );
    }
}
