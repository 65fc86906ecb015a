//! The net as data for the page's drawing and player: nodes, arcs and positions. A large net is
//! shown as groups of nodes first.

use super::topic::only_final_marking;
use parikh_net::{Marking, Net};
use parikh_pictures::draw::NodeGroups;
use parikh_pictures::layout::{
    Layout, LayoutGraph, LayoutPoint, LayoutSize, LayoutSpacing, layout, route_around_boxes,
};
use parikh_pictures::names::DisplayNames;
use parikh_solvers::Budget;
use serde::Serialize;
use std::collections::HashMap;

/// The data of a net for drawing and playing.
#[derive(Clone, Debug, Serialize)]
pub struct NetPicture {
    /// Names of places, by index.
    pub places: Vec<String>,
    /// Names of transitions, by index.
    pub transitions: Vec<String>,
    /// Labels of nodes. `None` if every node is shown with its id, because no label differs from
    /// the id of its node.
    pub labels: Option<NodeLabels>,
    /// The initial marking: the marked places with their tokens.
    pub initial: Vec<(usize, TokenCount)>,
    /// The final marking of a process with exactly one final marking: the marked places with their
    /// tokens. `None` for other nets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<Vec<(usize, TokenCount)>>,
    /// One entry per connected pair of place and transition: the place, the transition, the tokens
    /// that the transition consumes from the place, and the tokens that it produces on the place.
    pub arcs: Vec<(usize, usize, TokenCount, TokenCount)>,
    /// Positions of the nodes, places first. `None` for nets with more than `MAX_LAID_OUT` nodes,
    /// unless the model gives usable positions for all nodes.
    pub drawing: Option<NodePositions>,
    /// Groups of nodes, for unfoldings and for nets with more than `MAX_WHOLE` nodes whose
    /// positions the model does not give. `None` for other nets.
    pub groups: Option<GroupPicture>,
}

/// Labels of nodes. Nodes that share a label have their ids instead. A label is shared if it is
/// also the label or the id of another node.
#[derive(Clone, Debug, Serialize)]
pub struct NodeLabels {
    /// The label of each place, or its id if the label is shared or missing.
    places: Vec<String>,
    /// The label of each transition, or its id if the label is shared or missing.
    transitions: Vec<String>,
    /// The labels of the nodes that have ids because their labels are shared. The keys count places
    /// first, then transitions.
    shared: HashMap<usize, String>,
}

/// A number of tokens. Numbers beyond the exact range of JavaScript are text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum TokenCount {
    /// A number below 2⁵³.
    Number(u64),
    /// A larger number in decimal digits.
    Text(String),
}

/// Positions of nodes in whole pixels.
#[derive(Clone, Debug, Serialize)]
pub struct NodePositions {
    /// The x coordinates, with an entry per node or per group.
    pub x: Vec<i32>,
    /// The y coordinates, with an entry per node or per group.
    pub y: Vec<i32>,
    /// Bend points of lines, by index in the list of lines (see the page's `net.js`). Each list
    /// alternates x and y.
    pub routes: HashMap<usize, Vec<i32>>,
    /// True if the positions come from the model, false if they were computed.
    pub own: bool,
}

/// The groups of a net.
#[derive(Clone, Debug, Serialize)]
pub struct GroupPicture {
    /// The property that the nodes of a group share.
    pub by: &'static str,
    /// Names of the groups of places.
    pub places: Vec<String>,
    /// Names of the groups of transitions.
    pub transitions: Vec<String>,
    /// The index of the group per place.
    pub place_group: Vec<usize>,
    /// The index of the group per transition.
    pub transition_group: Vec<usize>,
    /// Arcs between groups, as tuples: true if the arcs lead from transitions to places; the index
    /// of the transition group; the index of the place group; the number of arcs.
    pub arcs: Vec<(bool, usize, usize, usize)>,
    /// Positions of the groups, places first. `None` if there are more than `MAX_GROUPS` groups.
    pub drawing: Option<NodePositions>,
}

/// The largest number of nodes for which a page first shows the net without groups. A larger net is
/// first shown in groups, unless the model gives its positions or it has more than [`MAX_GROUPS`]
/// groups.
const MAX_WHOLE: usize = 1_000;

/// The largest number of nodes for a net that is laid out as a whole.
const MAX_LAID_OUT: usize = 2_500;

/// The largest number of groups that are drawn.
const MAX_GROUPS: usize = 400;

/// The size of a node's box without the name.
const SHAPE: LayoutSize = LayoutSize { width: 28.0, height: 28.0 };

/// The size of a group's box without the name.
const GROUP_SHAPE: LayoutSize = LayoutSize { width: 36.0, height: 36.0 };

/// The number of letters after which the page cuts a displayed name.
const MAX_NAME_LETTERS: usize = 22;

/// Returns the picture of a net. `positions` are the positions given by the model, by name.
pub(super) fn picture(
    net: &Net,
    positions: &HashMap<String, (f64, f64)>,
    budget: &Budget,
) -> NetPicture {
    let nodes = net.place_count() + net.transition_count();
    let labels = labels(net);
    let arcs = arcs(net);
    let own_points = model_positions(net, positions);
    let drawing = (own_points.is_some() || nodes <= MAX_LAID_OUT).then(|| {
        let (graph, line_of) = graph(net, labels.as_ref());
        let is_own = own_points.is_some();
        let (points, routes) = match own_points {
            Some(points) => (points, vec![Vec::new(); graph.edges.len()]),
            None => {
                let Layout { nodes, routes, .. } = layout(&graph, &spacing(), &budget.share(0.5));
                (nodes, routes)
            }
        };
        let shapes = vec![SHAPE; points.len()];
        let routes = route_around_boxes(&points, &shapes, &graph.edges, routes, &budget.share(0.5));
        node_positions(&points, line_of.into_iter().zip(routes).collect(), is_own)
    });
    let with_groups = nodes > MAX_WHOLE && !drawing.as_ref().is_some_and(|drawing| drawing.own);
    NetPicture {
        places: net.places().map(|p| net.place_name(p).to_owned()).collect(),
        transitions: net.transitions().map(|t| net.transition_name(t).to_owned()).collect(),
        labels,
        initial: tokens(net.initial()),
        done: only_final_marking(net).map(tokens),
        arcs,
        drawing,
        groups: (with_groups || net.folding().is_some()).then(|| groups(net, positions, budget)),
    }
}

fn tokens(marking: &Marking) -> Vec<(usize, TokenCount)> {
    marking.marked().map(|(place, tokens)| (place.index(), token_count(tokens))).collect()
}

fn token_count(tokens: u64) -> TokenCount {
    if tokens < 1 << 53 { TokenCount::Number(tokens) } else { TokenCount::Text(tokens.to_string()) }
}

/// Returns the labels of nodes. Returns `None` if no label differs from the id of its node.
fn labels(net: &Net) -> Option<NodeLabels> {
    let names = DisplayNames::for_people(net);
    names.differ(net).then(|| {
        let DisplayNames { places, transitions, shared } = names;
        NodeLabels { places, transitions, shared: shared.into_iter().collect() }
    })
}

/// Returns one entry per connected pair of place and transition, for [`NetPicture::arcs`]: the
/// place, the transition, the consumed tokens, and the produced tokens.
fn arcs(net: &Net) -> Vec<(usize, usize, TokenCount, TokenCount)> {
    let mut arcs = Vec::with_capacity(net.arc_count());
    for t in net.transitions() {
        for arc in net.pre(t) {
            let puts = net.post_weight(t, arc.place);
            arcs.push((arc.place.index(), t.index(), token_count(arc.weight), token_count(puts)));
        }
        // Output places that are no input places have no entry yet.
        for arc in net.post(t).iter().filter(|arc| net.pre_weight(t, arc.place) == 0) {
            arcs.push((
                arc.place.index(),
                t.index(),
                TokenCount::Number(0),
                token_count(arc.weight),
            ));
        }
    }
    arcs
}

/// Returns the graph for the layout, with node sizes that include the names. Also returns for each
/// edge the index of the line that the page draws for it. An entry of [`NetPicture::arcs`] is drawn
/// as one line if the transition consumes as many tokens as it produces. Otherwise it has one line
/// per direction with a nonzero weight.
fn graph(net: &Net, labels: Option<&NodeLabels>) -> (LayoutGraph, Vec<usize>) {
    let places = net.places().map(|p| match labels {
        Some(labels) => labels.places[p.index()].as_str(),
        None => net.place_name(p),
    });
    let transitions = net.transitions().map(|t| match labels {
        Some(labels) => labels.transitions[t.index()].as_str(),
        None => net.transition_name(t),
    });
    let mut graph = LayoutGraph {
        sizes: places.chain(transitions).map(size).collect(),
        edges: Vec::new(),
        roots: net.initial().marked().map(|(place, _)| place.index()).collect(),
    };
    let mut line_of = Vec::new();
    let mut line = 0;
    let first = net.place_count();
    for t in net.transitions() {
        for arc in net.pre(t) {
            let puts = net.post_weight(t, arc.place);
            graph.edges.push((arc.place.index(), first + t.index()));
            line_of.push(line);
            line += 1;
            if puts != 0 && puts != arc.weight {
                graph.edges.push((first + t.index(), arc.place.index()));
                line_of.push(line);
                line += 1;
            }
        }
        for arc in net.post(t).iter().filter(|arc| net.pre_weight(t, arc.place) == 0) {
            graph.edges.push((first + t.index(), arc.place.index()));
            line_of.push(line);
            line += 1;
        }
    }
    (graph, line_of)
}

/// Returns the size of the drawn box of a node or a group, with its name below.
fn size(name: &str) -> LayoutSize {
    let letters = name.chars().count().min(MAX_NAME_LETTERS);
    LayoutSize { width: (6.2 * letters as f64).max(30.0), height: 54.0 }
}

fn spacing() -> LayoutSpacing {
    LayoutSpacing { within_layers: 8.0, between_layers: 30.0, ..LayoutSpacing::default() }
}

/// Converts points and routes to whole pixels.
fn node_positions(
    points: &[LayoutPoint],
    routes: Vec<(usize, Vec<LayoutPoint>)>,
    is_own: bool,
) -> NodePositions {
    let pixels = |value: f64| value.round() as i32;
    NodePositions {
        x: points.iter().map(|point| pixels(point.0)).collect(),
        y: points.iter().map(|point| pixels(point.1)).collect(),
        routes: routes
            .into_iter()
            .filter(|(_, route)| !route.is_empty())
            .map(|(line, route)| {
                let turns = straightened(&route);
                (line, turns.iter().flat_map(|&(x, y)| [pixels(x), pixels(y)]).collect())
            })
            .collect(),
        own: is_own,
    }
}

/// Removes the points of a route that lie on the straight line between their neighbours, with a
/// tolerance of three quarters of a pixel.
fn straightened(route: &[LayoutPoint]) -> Vec<LayoutPoint> {
    let mut kept: Vec<LayoutPoint> = Vec::new();
    for (index, &point) in route.iter().enumerate() {
        if let (Some(&(x, y)), Some(&(u, v))) = (kept.last(), route.get(index + 1)) {
            let cross = (point.0 - x) * (v - y) - (point.1 - y) * (u - x);
            let length = (u - x).hypot(v - y).max(1.0);
            if (cross / length).abs() < 0.75 {
                continue;
            }
        }
        kept.push(point);
    }
    kept
}

/// Returns the model's positions, scaled to leave space for the nodes. Returns `None` if a node
/// lacks a position, or if `spread` cannot use the positions.
fn model_positions(net: &Net, positions: &HashMap<String, (f64, f64)>) -> Option<Vec<LayoutPoint>> {
    let names = net.places().map(|p| net.place_name(p));
    let names = names.chain(net.transitions().map(|t| net.transition_name(t)));
    let points: Vec<LayoutPoint> =
        names.map(|name| positions.get(name).copied()).collect::<Option<_>>()?;
    spread(points)
}

/// Scales points so that about nine tenths of them are at least 62 pixels from their nearest
/// neighbour. The scale is limited to the range from 0.05 to 20. Returns `None` for fewer than two
/// points, or if more than a tenth of the points coincide with others after rounding. Also returns
/// `None` if some scaled coordinate would reach a million pixels.
fn spread(mut points: Vec<LayoutPoint>) -> Option<Vec<LayoutPoint>> {
    let mut cells: HashMap<(i64, i64), usize> = HashMap::new();
    for &(x, y) in &points {
        *cells.entry((x.round() as i64, y.round() as i64)).or_default() += 1;
    }
    if points.len() < 2 || cells.len() * 10 < points.len() * 9 {
        return None;
    }
    // The scale follows from the distances of nodes to their nearest neighbours. The tenth
    // percentile of these distances becomes 62 pixels.
    // At most 600 points are examined, because each is compared with all points.
    let sample_size = points.len().min(600);
    let nearest_distance = |at: usize| {
        let (x, y) = points[at];
        let others = points.iter().enumerate().filter(|(other, _)| *other != at);
        let squares = others.map(|(_, &(u, v))| (u - x).powi(2) + (v - y).powi(2));
        // Points at nearly the same position are no neighbours.
        squares.filter(|square| *square > 0.5).fold(f64::INFINITY, f64::min).sqrt()
    };
    let step = points.len() / sample_size;
    let mut distances: Vec<f64> = (0..sample_size).map(|at| nearest_distance(at * step)).collect();
    distances.sort_by(f64::total_cmp);
    let usual_distance = distances[distances.len() / 10];
    if !usual_distance.is_finite() {
        return None;
    }
    let scale = (62.0 / usual_distance).clamp(0.05, 20.0);
    let left = points.iter().map(|point| point.0).fold(f64::INFINITY, f64::min);
    let top = points.iter().map(|point| point.1).fold(f64::INFINITY, f64::min);
    for point in &mut points {
        *point = ((point.0 - left) * scale, (point.1 - top) * scale);
    }
    let fits = points.iter().all(|point| point.0 < 1e6 && point.1 < 1e6);
    fits.then_some(points)
}

/// Returns the groups of the net's nodes, with their arcs and positions.
fn groups(net: &Net, positions: &HashMap<String, (f64, f64)>, budget: &Budget) -> GroupPicture {
    let grouping = NodeGroups::of(net);
    let arcs: Vec<_> = grouping
        .arcs(net)
        .into_iter()
        .map(|((is_output, t, p), count)| (is_output, t, p, count))
        .collect();
    let names = || grouping.places.iter().chain(&grouping.transitions).map(|group| &*group.name);
    let positioned = (grouping.len() <= MAX_GROUPS).then(|| {
        let own_points: Option<Vec<LayoutPoint>> =
            names().map(|name| positions.get(name).copied()).collect();
        let own_points = own_points.and_then(spread);
        let is_own = own_points.is_some();
        let place_count = grouping.places.len();
        let edge = |&(is_output, t, p, _): &(bool, usize, usize, usize)| match is_output {
            true => (place_count + t, p),
            false => (p, place_count + t),
        };
        let graph = LayoutGraph {
            sizes: names().map(size).collect(),
            edges: arcs.iter().map(edge).collect(),
            roots: (0..place_count).filter(|&at| grouping.places[at].tokens > 0).collect(),
        };
        let (points, routes) = match own_points {
            Some(points) => (points, vec![Vec::new(); graph.edges.len()]),
            None => {
                let Layout { nodes, routes, .. } = layout(&graph, &spacing(), &budget.share(0.5));
                (nodes, routes)
            }
        };
        let shapes = vec![GROUP_SHAPE; points.len()];
        let routes = route_around_boxes(&points, &shapes, &graph.edges, routes, &budget.share(0.5));
        node_positions(&points, routes.into_iter().enumerate().collect(), is_own)
    });
    GroupPicture {
        by: grouping.criterion,
        places: grouping.places.iter().map(|group| group.name.clone()).collect(),
        transitions: grouping.transitions.iter().map(|group| group.name.clone()).collect(),
        place_group: grouping.place_group,
        transition_group: grouping.transition_group,
        arcs,
        drawing: positioned,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, positions: &[(&str, (f64, f64))]) -> NetPicture {
        let net = parikh_net::text::parse(text).unwrap();
        let positions = positions.iter().map(|&(name, at)| (name.to_owned(), at)).collect();
        picture(&net, &positions, &Budget::unlimited())
    }

    const NET: &str = "place p 1\nplace q\ntransition t: p -> q\ntransition u: q + 2*p -> p + q";

    #[test]
    fn arc_entries_have_consumed_and_produced_tokens() {
        let picture = of(NET, &[]);
        let number = TokenCount::Number;
        let rows = [
            (0, 0, number(1), number(0)),
            (1, 0, number(0), number(1)),
            (0, 1, number(2), number(1)),
            (1, 1, number(1), number(1)),
        ];
        assert_eq!(picture.arcs, rows);
        assert_eq!(picture.initial, [(0, number(1))]);
        assert_eq!(token_count(1 << 60), TokenCount::Text("1152921504606846976".into()));
    }

    #[test]
    fn usable_positions_of_the_model_are_kept() {
        let all = [("p", (0.0, 0.0)), ("q", (20.0, 0.0)), ("t", (10.0, 0.0)), ("u", (10.0, 9.0))];
        let own = of(NET, &all).drawing.unwrap();
        assert!(own.own && own.y[0] == own.y[1] && own.x[0] < own.x[2] && own.y[3] > 50);
        assert!(!of(NET, &all[..3]).drawing.unwrap().own);
        let heap = all.map(|(name, _)| (name, (5.0, 5.0)));
        assert!(!of(NET, &heap).drawing.unwrap().own);
    }

    /// Returns the points of a line as the page's script draws it, with bends of radius 16.
    fn drawn(points: &[LayoutPoint]) -> Vec<LayoutPoint> {
        let mix = |(x, y): LayoutPoint, (u, v): LayoutPoint, share: f64| {
            (x + (u - x) * share, y + (v - y) * share)
        };
        let mut path = vec![points[0]];
        for three in points.windows(3) {
            let near = |other: LayoutPoint| {
                let far = (other.0 - three[1].0).hypot(other.1 - three[1].1).max(1.0);
                mix(three[1], other, (far / 2.0).min(16.0) / far)
            };
            let (a, b, c) = (near(three[0]), three[1], near(three[2]));
            path.extend((0..=8).map(|at| {
                let share = f64::from(at) / 8.0;
                mix(mix(a, b, share), mix(b, c, share), share)
            }));
        }
        path.push(points[points.len() - 1]);
        path
    }

    /// Checks that no arc of a picture crosses the box of a node that it does not join.
    fn assert_no_arc_crosses_a_node(net: &Net, picture: &NetPicture) {
        let drawing = picture.drawing.as_ref().unwrap();
        let middle = |node: usize| (f64::from(drawing.x[node]), f64::from(drawing.y[node]));
        let (graph, line_of) = graph(net, None);
        for (&(from, to), line) in graph.edges.iter().zip(line_of) {
            let route = drawing.routes.get(&line).map(Vec::as_slice).unwrap_or_default();
            let mut points = vec![middle(from)];
            points.extend(route.chunks(2).map(|two| (f64::from(two[0]), f64::from(two[1]))));
            points.push(middle(to));
            let path = drawn(&points);
            for node in (0..drawing.x.len()).filter(|&node| node != from && node != to) {
                let (x, y) = middle(node);
                for two in path.windows(2) {
                    let steps = ((two[1].0 - two[0].0).hypot(two[1].1 - two[0].1) / 2.0).ceil();
                    for step in 0..=steps as usize {
                        let share = step as f64 / steps.max(1.0);
                        let at = (
                            two[0].0 + (two[1].0 - two[0].0) * share,
                            two[0].1 + (two[1].1 - two[0].1) * share,
                        );
                        let inside = (at.0 - x).abs() < 14.0 && (at.1 - y).abs() < 14.0;
                        assert!(!inside, "{from} to {to} crosses {node}: {path:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn no_arc_crosses_the_box_of_another_node() {
        use parikh_generate::{Shape, random};
        let mut rng = fastrand::Rng::with_seed(5);
        for seed in 0..60 {
            let net = random(seed, &Shape::small(seed));
            let names = net.places().map(|p| net.place_name(p).to_owned());
            let names = names.chain(net.transitions().map(|t| net.transition_name(t).to_owned()));
            let mut names: Vec<String> = names.collect();
            rng.shuffle(&mut names);
            // On a grid, as in editors, most straight lines cross nodes.
            let side = (names.len() as f64).sqrt().ceil() as usize;
            let position = |at: usize| ((at % side) as f64 * 100.0, (at / side) as f64 * 80.0);
            let positions = names.into_iter().enumerate().map(|(at, name)| (name, position(at)));
            let positions: HashMap<String, LayoutPoint> = positions.collect();
            for positions in [positions, HashMap::new()] {
                let picture = picture(&net, &positions, &Budget::unlimited());
                assert_no_arc_crosses_a_node(&net, &picture);
            }
        }
    }

    #[test]
    fn large_nets_are_groups() {
        let mut text = String::new();
        for at in 0..3_000 {
            text.push_str(&format!("place p{at}\ntransition t{at}: p{at} ->\n"));
        }
        let picture = of(&text, &[]);
        assert!(picture.drawing.is_none());
        let groups = picture.groups.unwrap();
        assert_eq!(
            (groups.places, groups.arcs),
            (vec!["p#".to_owned()], vec![(false, 0, 0, 3_000)])
        );
    }
}
