// Routes of lines around nodes, for views laid out on the page. `pictures/src/layout/route.rs`
// computes the routes of the report in the same way, and explains the method.

/** The least distance between a line and the box of a node that it does not join. */
const CLEARANCE = 4;
/** The distances between a box and the bends around it, tried in this order. */
const BENDS = [13, 7];
/** The largest number of boxes whose corners one search considers. */
const MOST_BOXES = 40;

/** Returns true if the line between two points crosses the inside of a node's box. */
const passes = ([x, y], [u, v], node) => {
  let [first, last] = [0, 1];
  for (const [start, step, middle] of [[x, u - x, node.x], [y, v - y, node.y]]) {
    const [low, high] = [middle - RADIUS - CLEARANCE, middle + RADIUS + CLEARANCE];
    if (Math.abs(step) < 1e-9) {
      if (start <= low || start >= high) return false;
      continue;
    }
    const [a, b] = [(low - start) / step, (high - start) / step];
    first = Math.max(first, Math.min(a, b));
    last = Math.min(last, Math.max(a, b));
  }
  return last - first > 1e-9;
};

/** Returns the nodes that a path of points crosses, without the two nodes that it joins. */
const hitBy = (points, nodes, joined) => nodes.filter((node) => !joined.includes(node)
  && points.some((point, at) => at > 0 && passes(points[at - 1], point, node)));

/** Returns a shortest path along the corners of the boxes of `known` that avoids these boxes. */
const shortestPath = (from, to, known, nodes, by) => {
  const far = RADIUS + by;
  const corners = known.flatMap(({ x, y }) =>
    [[x - far, y - far], [x + far, y - far], [x + far, y + far], [x - far, y + far]]);
  const inside = ([x, y]) => nodes.some((node) =>
    Math.max(Math.abs(node.x - x), Math.abs(node.y - y)) < RADIUS + CLEARANCE);
  const points = [from, to, ...corners.filter((corner) => !inside(corner))];
  const cost = points.map((_, at) => (at ? Infinity : 0));
  const before = new Array(points.length).fill(0);
  const open = new Set(points.keys());
  while (open.size) {
    let next;
    for (const at of open) if (next === undefined || cost[at] < cost[next]) next = at;
    if (cost[next] === Infinity) return null;
    if (next === 1) break;
    open.delete(next);
    for (const other of open) {
      const [[x, y], [u, v]] = [points[next], points[other]];
      // The cost of a bend is ten pixels.
      const reached = cost[next] + Math.hypot(u - x, v - y) + 10;
      if (reached < cost[other] && !known.some((node) => passes(points[next], points[other], node))) {
        [cost[other], before[other]] = [reached, next];
      }
    }
  }
  const path = [points[1]];
  for (let at = 1; at !== 0;) {
    at = before[at];
    path.unshift(points[at]);
  }
  return path;
};

/** Returns the bends of a line between two nodes that crosses no other node, or none without such a line. */
const bendsAround = (from, to, nodes) => {
  const joined = [from, to];
  const ends = [[from.x, from.y], [to.x, to.y]];
  for (const by of BENDS) {
    let path = ends;
    const known = new Set();
    for (;;) {
      const hit = hitBy(path, nodes, joined);
      if (!hit.length) return path.slice(1, -1);
      const count = known.size;
      hit.forEach((node) => known.add(node));
      if (known.size === count || known.size > MOST_BOXES) break;
      path = shortestPath(...ends, [...known], nodes, by);
      if (!path) break;
    }
  }
  return [];
};
