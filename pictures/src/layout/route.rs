//! Routes of edges around nodes.
//!
//! A straight edge between two nodes may run through a third one, above all where the positions of
//! nodes come from a file. Such an edge gets bends at the corners of the boxes in its way.
//!
//! # Method
//! The corners of the boxes in the way, a little outside of them, and both ends of the edge are the
//! vertices of a visibility graph. A shortest path there avoids these boxes. Where the path hits
//! further boxes, their corners join the graph, and the search starts again.
//!
//! # Sources
//! T. Lozano-Pérez, M. Wesley, *An algorithm for planning collision-free paths among polyhedral
//! obstacles*, Communications of the ACM 22, 1979.

use super::{LayoutPoint, LayoutSize};
use parikh_solvers::Budget;
use std::collections::{BTreeSet, HashMap};

/// The distance that a route keeps, if a path is found, from boxes that contain or nearly touch
/// neither of its ends.
pub const CLEARANCE: f64 = 4.0;

/// The distance in pixels between a box and the bends of a route around it, for the first lane. It
/// leaves room for the heads of arrows that end at the box.
const BEND: f64 = 13.0;

/// The distance in pixels between a box and the bends of a route around it, if no route is found
/// with the usual distance.
const NARROW: f64 = 7.0;

/// The number of lanes, that is, different distances of routes from a box. Edges take the lanes in
/// turn, so that routes around the same box do not coincide.
const LANES: usize = 3;

/// The difference in pixels between the distances of two neighbouring lanes from a box.
const LANE: f64 = 4.0;

/// The cost of a bend, in units of length.
const BEND_COST: f64 = 10.0;

/// The largest number of boxes that the search for one route goes around.
const MAX_BOXES: usize = 60;

/// The shift of an edge's middle from the straight line, in pixels, if several edges join the same
/// two nodes.
const PARALLEL_SHIFT: f64 = 16.0;

/// Returns for every edge the points between its two ends. An edge keeps the distance [`CLEARANCE`]
/// from the boxes of nodes that it does not join. Boxes that contain or nearly touch the centre of
/// an end of the edge do not count. `nodes` are the centres of boxes of the size `sizes`; `routes`
/// are the routes to begin with, one per edge. An edge keeps its route if no path around is found
/// or `budget` is spent.
pub fn route_around_boxes(
    nodes: &[LayoutPoint],
    sizes: &[LayoutSize],
    edges: &[(usize, usize)],
    mut routes: Vec<Vec<LayoutPoint>>,
    budget: &Budget,
) -> Vec<Vec<LayoutPoint>> {
    let boxes = BoxIndex::new(nodes, sizes);
    let mut count: HashMap<(usize, usize), usize> = HashMap::new();
    for &(from, to) in edges {
        *count.entry((from.min(to), from.max(to))).or_default() += 1;
    }
    for (index, &(from, to)) in edges.iter().enumerate() {
        if budget.is_exhausted() {
            break;
        }
        let ends = [nodes[from], nodes[to]];
        let is_one_of_several = count[&(from.min(to), from.max(to))] > 1;
        let joined = boxes.passable_boxes(from, to);
        if routes[index].is_empty() && is_one_of_several {
            let bend = side_bend(ends);
            // The straight line is checked, too. If a box is in its way, the search below goes
            // around the box.
            let is_clear = [[ends[0], bend], [bend, ends[1]], ends]
                .iter()
                .all(|&line| boxes.hit_boxes(line, &joined).is_empty());
            if is_clear {
                routes[index].push(bend);
                continue;
            }
        }
        let mut points = vec![ends[0]];
        points.extend(&routes[index]);
        points.push(ends[1]);
        let search = RouteSearch { boxes: &boxes, joined: &joined, lane: index % LANES };
        routes[index] = search.repair(&points);
    }
    routes
}

/// Returns for every edge true if the path drawn for it keeps the distance [`CLEARANCE`] from the
/// boxes that the edge has to avoid. `paths` has the points of each path, with both ends. The other
/// arguments are as for [`route_around_boxes`].
pub fn are_clear(
    nodes: &[LayoutPoint],
    sizes: &[LayoutSize],
    edges: &[(usize, usize)],
    paths: &[Vec<LayoutPoint>],
) -> Vec<bool> {
    let boxes = BoxIndex::new(nodes, sizes);
    let is_clear = |(&(from, to), path): (&(usize, usize), &Vec<LayoutPoint>)| {
        let joined = boxes.passable_boxes(from, to);
        path.windows(2).all(|line| boxes.hit_boxes([line[0], line[1]], &joined).is_empty())
    };
    edges.iter().zip(paths).map(is_clear).collect()
}

/// Returns the middle of a line, shifted by [`PARALLEL_SHIFT`] at right angles to the line.
fn side_bend([(x, y), (u, v)]: [LayoutPoint; 2]) -> LayoutPoint {
    let (dx, dy) = (u - x, v - y);
    let length = dx.hypot(dy).max(1.0);
    ((x + u) / 2.0 - dy / length * PARALLEL_SHIFT, (y + v) / 2.0 + dx / length * PARALLEL_SHIFT)
}

/// A rectangle with sides parallel to the axes.
#[derive(Clone, Copy, Debug)]
struct Rectangle {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Rectangle {
    fn grown(self, margin: f64) -> Rectangle {
        let Rectangle { left, top, right, bottom } = self;
        Rectangle {
            left: left - margin,
            top: top - margin,
            right: right + margin,
            bottom: bottom + margin,
        }
    }

    /// Returns true if a point lies inside, not on the edge.
    fn contains(self, (x, y): LayoutPoint) -> bool {
        x > self.left && x < self.right && y > self.top && y < self.bottom
    }

    /// Returns true if a line passes the inside of the box: the parameters of the line that are
    /// within all four sides form an interval.
    fn meets(self, [(x, y), (u, v)]: [LayoutPoint; 2]) -> bool {
        let (mut entry, mut exit) = (0.0f64, 1.0f64);
        for (start, step, low, high) in
            [(x, u - x, self.left, self.right), (y, v - y, self.top, self.bottom)]
        {
            if step.abs() < 1e-9 {
                if start <= low || start >= high {
                    return false;
                }
                continue;
            }
            let (a, b) = ((low - start) / step, (high - start) / step);
            entry = entry.max(a.min(b));
            exit = exit.min(a.max(b));
        }
        exit - entry > 1e-9
    }

    fn corners(self) -> [LayoutPoint; 4] {
        let Rectangle { left, top, right, bottom } = self;
        [(left, top), (right, top), (right, bottom), (left, bottom)]
    }
}

/// The boxes of all nodes, with an index by position.
struct BoxIndex {
    boxes: Vec<Rectangle>,
    /// The boxes that, grown by [`CLEARANCE`], overlap each cell of a grid, by column and row.
    cells: HashMap<(i64, i64), Vec<usize>>,
}

/// The side of a cell of the grid in pixels.
const CELL: f64 = 96.0;

fn cell(value: f64) -> i64 {
    (value / CELL).floor() as i64
}

impl BoxIndex {
    fn new(nodes: &[LayoutPoint], sizes: &[LayoutSize]) -> BoxIndex {
        let rectangle = |(&(x, y), &LayoutSize { width, height }): (&LayoutPoint, &LayoutSize)| {
            let (w, h) = (width / 2.0, height / 2.0);
            Rectangle { left: x - w, top: y - h, right: x + w, bottom: y + h }
        };
        let boxes: Vec<Rectangle> = nodes.iter().zip(sizes).map(rectangle).collect();
        let mut cells: HashMap<(i64, i64), Vec<usize>> = HashMap::new();
        for (index, rectangle) in boxes.iter().enumerate() {
            let rectangle = rectangle.grown(CLEARANCE);
            for column in cell(rectangle.left)..=cell(rectangle.right) {
                for row in cell(rectangle.top)..=cell(rectangle.bottom) {
                    cells.entry((column, row)).or_default().push(index);
                }
            }
        }
        BoxIndex { boxes, cells }
    }

    /// Returns the boxes through which an edge between two nodes may pass: the boxes of the two
    /// nodes, and all boxes that contain or nearly touch the centre of one of the two.
    fn passable_boxes(&self, from: usize, to: usize) -> Vec<usize> {
        let mut joined = vec![from, to];
        for end in [from, to] {
            let Rectangle { left, top, right, bottom } = self.boxes[end];
            let middle = ((left + right) / 2.0, (top + bottom) / 2.0);
            joined.extend(self.boxes_near(middle));
        }
        joined
    }

    /// Returns the boxes that contain a point or are closer to it than [`CLEARANCE`].
    fn boxes_near(&self, point: LayoutPoint) -> impl Iterator<Item = usize> + '_ {
        let near = self.cells.get(&(cell(point.0), cell(point.1)));
        let near = near.into_iter().flatten().copied();
        near.filter(move |&at| self.boxes[at].grown(CLEARANCE).contains(point))
    }

    /// Returns the boxes that a line passes, or to which it comes closer than [`CLEARANCE`],
    /// without the boxes in `joined`.
    fn hit_boxes(&self, line: [LayoutPoint; 2], joined: &[usize]) -> BTreeSet<usize> {
        let [(x, y), (u, v)] = line;
        let mut hit = BTreeSet::new();
        for column in cell(x.min(u))..=cell(x.max(u)) {
            // The part of the line in this column of cells.
            let heights_at = |edge: f64| match (u - x).abs() < 1e-9 {
                true => [y, v],
                false => {
                    let share = ((edge - x) / (u - x)).clamp(0.0, 1.0);
                    [y + share * (v - y); 2]
                }
            };
            let [a, b] = heights_at(column as f64 * CELL);
            let [c, d] = heights_at((column + 1) as f64 * CELL);
            let (low, high) = (a.min(b).min(c).min(d), a.max(b).max(c).max(d));
            for row in cell(low)..=cell(high) {
                for &at in self.cells.get(&(column, row)).into_iter().flatten() {
                    if !joined.contains(&at) && self.boxes[at].grown(CLEARANCE).meets(line) {
                        hit.insert(at);
                    }
                }
            }
        }
        hit
    }
}

/// The search for the route of one edge.
struct RouteSearch<'a> {
    boxes: &'a BoxIndex,
    /// The boxes through which the edge may pass.
    joined: &'a [usize],
    /// The index of the edge's lane, that is, of its distance from boxes; less than [`LANES`].
    lane: usize,
}

impl RouteSearch<'_> {
    /// Returns the points between the ends of a route. Each line that hits a box is replaced by a
    /// path around the box. If a line has no such path, a path from the first end to the last
    /// replaces all lines. If there is no such path either, the points stay as they are.
    fn repair(&self, points: &[LayoutPoint]) -> Vec<LayoutPoint> {
        let is_clear =
            |line: &[LayoutPoint]| self.boxes.hit_boxes([line[0], line[1]], self.joined).is_empty();
        let inner_points = |points: &[LayoutPoint]| points[1..points.len() - 1].to_vec();
        if points.windows(2).all(is_clear) {
            return inner_points(points);
        }
        // Existing bends are kept if each part between them has a path around the boxes.
        let mut joined_path = vec![points[0]];
        for line in points.windows(2) {
            match self.path([line[0], line[1]]) {
                Some(path) => joined_path.extend(&path[1..]),
                None => {
                    let ends = [points[0], points[points.len() - 1]];
                    return self
                        .path(ends)
                        .map_or_else(|| inner_points(points), |path| inner_points(&path));
                }
            }
        }
        inner_points(&joined_path)
    }

    /// Returns a shortest path between two points, both included, that hits no box except the boxes
    /// in `joined`. The usual distance from boxes is tried first, then [`NARROW`]. Returns `None`
    /// if no path is found with either distance.
    fn path(&self, ends: [LayoutPoint; 2]) -> Option<Vec<LayoutPoint>> {
        let distance = BEND + LANE * self.lane as f64;
        self.path_at_distance(ends, distance).or_else(|| self.path_at_distance(ends, NARROW))
    }

    /// Returns a shortest path with bends at `distance` from boxes. Returns `None` if no such path
    /// is found, or if more than [`MAX_BOXES`] boxes are in the way.
    fn path_at_distance(&self, ends: [LayoutPoint; 2], distance: f64) -> Option<Vec<LayoutPoint>> {
        let mut obstacles = BTreeSet::new();
        let mut path = ends.to_vec();
        loop {
            let hit = |line: &[LayoutPoint]| self.boxes.hit_boxes([line[0], line[1]], self.joined);
            let hit: BTreeSet<usize> = path.windows(2).flat_map(hit).collect();
            if hit.is_empty() {
                return Some(path);
            }
            let count_before = obstacles.len();
            obstacles.extend(hit);
            if obstacles.len() == count_before || obstacles.len() > MAX_BOXES {
                return None;
            }
            path = self.shortest(ends, &obstacles, distance)?;
        }
    }

    /// Returns a shortest path along the corners of the boxes `obstacles`, which avoids these
    /// boxes. Returns `None` if there is no such path.
    fn shortest(
        &self,
        ends: [LayoutPoint; 2],
        obstacles: &BTreeSet<usize>,
        distance: f64,
    ) -> Option<Vec<LayoutPoint>> {
        let corners =
            obstacles.iter().flat_map(|&at| self.boxes.boxes[at].grown(distance).corners());
        let is_free =
            |&point: &LayoutPoint| self.boxes.boxes_near(point).all(|at| self.joined.contains(&at));
        let mut points = ends.to_vec();
        points.extend(corners.filter(is_free));
        let is_visible = |a: usize, b: usize| {
            let line = [points[a], points[b]];
            obstacles.iter().all(|&at| !self.boxes.boxes[at].grown(CLEARANCE).meets(line))
        };
        // Dijkstra's algorithm from the first end to the second, on few vertices.
        let mut cost = vec![f64::INFINITY; points.len()];
        let mut predecessor = vec![0; points.len()];
        let mut is_done = vec![false; points.len()];
        cost[0] = 0.0;
        loop {
            let open = (0..points.len()).filter(|&at| !is_done[at] && cost[at].is_finite());
            let next = open.min_by(|&a, &b| cost[a].total_cmp(&cost[b]))?;
            if next == 1 {
                break;
            }
            is_done[next] = true;
            for other in 1..points.len() {
                if is_done[other] {
                    continue;
                }
                let ((x, y), (u, v)) = (points[next], points[other]);
                let new_cost = cost[next] + (u - x).hypot(v - y) + BEND_COST;
                if new_cost < cost[other] && is_visible(next, other) {
                    (cost[other], predecessor[other]) = (new_cost, next);
                }
            }
        }
        let mut path = vec![ends[1]];
        let mut at = 1;
        while at != 0 {
            at = predecessor[at];
            path.push(points[at]);
        }
        path.reverse();
        Some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: LayoutSize = LayoutSize { width: 28.0, height: 28.0 };

    fn routed(nodes: &[LayoutPoint], edges: &[(usize, usize)]) -> Vec<Vec<LayoutPoint>> {
        let sizes = vec![SIZE; nodes.len()];
        let routes = vec![Vec::new(); edges.len()];
        route_around_boxes(nodes, &sizes, edges, routes, &Budget::unlimited())
    }

    #[test]
    fn an_edge_bends_around_the_node_between_its_ends() {
        let routes = routed(&[(0.0, 0.0), (100.0, 0.0), (200.0, 0.0)], &[(0, 2), (0, 1)]);
        assert!(!routes[0].is_empty() && routes[1].is_empty(), "{routes:?}");
        assert!(routes[0].iter().all(|&(x, y)| x > 70.0 && x < 130.0 && y.abs() > 17.0));
    }

    #[test]
    fn two_edges_between_the_same_nodes_are_apart() {
        let routes = routed(&[(0.0, 0.0), (100.0, 0.0)], &[(0, 1), (1, 0)]);
        assert_eq!(routes, [vec![(50.0, 16.0)], vec![(50.0, -16.0)]]);
        let three = [(0.0, 0.0), (100.0, 0.0), (200.0, 0.0)];
        let routes = routed(&three, &[(0, 2), (2, 0)]);
        assert_ne!(routes[0], routes[1].iter().rev().copied().collect::<Vec<_>>());
    }

    /// Places nodes on a grid with random shifts, so that boxes do not overlap, with edges between
    /// any two nodes.
    #[test]
    fn no_edge_of_a_random_drawing_crosses_the_box_of_another_node() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..60 {
            let side = random.usize(2..8);
            let shake = |random: &mut fastrand::Rng| random.f64() * 20.0 - 10.0;
            let nodes: Vec<LayoutPoint> = (0..side * side)
                .map(|at| {
                    let (column, row) = ((at % side) as f64, (at / side) as f64);
                    (column * 64.0 + shake(&mut random), row * 64.0 + shake(&mut random))
                })
                .collect();
            let count = nodes.len();
            let some = (0..2 * count).map(|_| (random.usize(0..count), random.usize(0..count)));
            let edges: Vec<(usize, usize)> = some.filter(|(from, to)| from != to).collect();
            for (&(from, to), route) in edges.iter().zip(routed(&nodes, &edges)) {
                let mut points = vec![nodes[from]];
                points.extend(route);
                points.push(nodes[to]);
                for (at, &(x, y)) in nodes.iter().enumerate() {
                    let of = Rectangle {
                        left: x - 14.0,
                        top: y - 14.0,
                        right: x + 14.0,
                        bottom: y + 14.0,
                    };
                    let crosses = |line: &[LayoutPoint]| of.meets([line[0], line[1]]);
                    let is_end = at == from || at == to;
                    assert!(is_end || !points.windows(2).any(crosses), "{points:?} {:?}", (x, y));
                }
            }
        }
    }
}
