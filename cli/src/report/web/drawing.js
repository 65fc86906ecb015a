// The drawing: nodes and lines of a view, highlighting, tokens, and navigation.
//
// There are three views. *whole*: every node at its position in the report. *groups*: a large net by its
// groups, each of which can be opened. *around*: some nodes with their predecessors on the left and their
// successors on the right, laid out here.

const RADIUS = 14;
const LONGEST_NAME = 22;
/** The largest number of nodes in a view around some nodes. */
const MOST_AROUND = 90;
/** The largest scale at which a view is first shown. */
const LARGEST = 1.6;

const short = (name) =>
  name.length <= LONGEST_NAME ? name : `${name.slice(0, 11)}…${name.slice(-10)}`;

/** Converts a flat list of coordinates into points. */
const pairs = (flat) => {
  const points = [];
  for (let at = 0; at < flat.length; at += 2) points.push([flat[at], flat[at + 1]]);
  return points;
};

const wholeView = () => {
  const { x, y, routes } = data.net.drawing;
  const nodes = [];
  for (let node = 0; node < nodeCount; node++) {
    nodes.push({ key: node, x: x[node], y: y[node], place: isPlace(node), name: nameOf(node) });
  }
  const drawn = lines.map((line, at) => ({ ...line, route: pairs(routes[at] || []) }));
  return { kind: "whole", nodes, lines: drawn };
};

const groupsView = () => {
  const groups = data.net.groups;
  const { x, y, routes } = groups.drawing;
  const first = groups.places.length;
  const sizes = new Array(first + groups.transitions.length).fill(0);
  for (const group of groups.place_group) sizes[group]++;
  for (const group of groups.transition_group) sizes[first + group]++;
  const nodes = [...groups.places, ...groups.transitions].map((name, at) => ({
    key: `g${at}`, x: x[at], y: y[at], place: at < first, name, group: at, size: sizes[at],
  }));
  const drawn = groups.arcs.map(([into, t, p, count], at) => {
    const ends = into ? [`g${first + t}`, `g${p}`] : [`g${p}`, `g${first + t}`];
    return { from: ends[0], to: ends[1], weight: BigInt(count), route: pairs(routes[at] || []) };
  });
  return { kind: "groups", nodes, lines: drawn };
};

/** Lays out some nodes in the middle, with their predecessors on the left and successors on the right. */
const aroundView = (wanted, title) => {
  const middle = wanted.slice(0, MOST_AROUND);
  const inside = new Set(middle);
  const [left, right] = [new Set(), new Set()];
  for (const node of middle) {
    const before = isPlace(node)
      ? producers[node].map((t) => placeCount + t) : takes[node - placeCount].map(([p]) => p);
    const after = isPlace(node)
      ? consumers[node].map((t) => placeCount + t) : puts[node - placeCount].map(([p]) => p);
    for (const other of before) if (!inside.has(other) && left.size < MOST_AROUND) left.add(other);
    for (const other of after) {
      if (!inside.has(other) && !left.has(other) && right.size < MOST_AROUND) right.add(other);
    }
  }
  const nodes = [];
  const column = (members, x, wide) => {
    const rows = Math.ceil(members.length / wide);
    members.forEach((node, at) => {
      const [row, across] = [at % rows, Math.floor(at / rows)];
      nodes.push({
        key: node, x: x + across * 150, y: (row - (rows - 1) / 2) * 62,
        place: isPlace(node), name: nameOf(node),
      });
    });
  };
  const width = (count) => Math.max(1, Math.ceil(Math.sqrt(count / 6)));
  const [wl, wm] = [width(left.size), width(middle.length)];
  column([...left], -190 - (wl - 1) * 150, wl);
  column(middle, 0, wm);
  column([...right], (wm - 1) * 150 + 190, width(right.size));
  const shown = new Set(nodes.map((node) => node.key));
  const near = new Set();
  for (const node of shown) {
    if (isPlace(node)) continue;
    near.add(node);
  }
  const drawn = lines.filter((line) => {
    const transition = isPlace(line.from) ? line.to : line.from;
    return near.has(transition) && shown.has(line.from) && shown.has(line.to)
      && (inside.has(line.from) || inside.has(line.to));
  });
  const left_out = wanted.length - middle.length;
  const at = new Map(nodes.map((node) => [node.key, node]));
  const routed = (line) => ({ ...line, route: bendsAround(at.get(line.from), at.get(line.to), nodes) });
  return { kind: "around", nodes, lines: drawn.map(routed), title, left_out };
};

class Drawing {
  constructor(canvas) {
    this.canvas = canvas;
    this.layer = svg("g");
    this.svg = svg("svg", { "aria-hidden": "true", focusable: "false" }, this.layer);
    canvas.append(this.svg);
    this.frame = { x: 0, y: 0, zoom: 1 };
    this.lit = new Map();
    this.marking = initialMarking();
    this.enabled = new Set();
    this.#listen();
  }

  /** Draws a view. */
  show(view) {
    this.view = view;
    this.layer.replaceChildren();
    this.nodes = new Map();
    this.linesAt = new Map();
    const positions = new Map(view.nodes.map((node) => [node.key, node]));
    const twice = new Map();
    for (const line of view.lines) {
      const pair = [line.from, line.to].map(String).sort().join(" ");
      twice.set(pair, (twice.get(pair) || 0) + 1);
    }
    for (const line of view.lines) {
      const [from, to] = [positions.get(line.from), positions.get(line.to)];
      const pair = [line.from, line.to].map(String).sort().join(" ");
      this.#line(line, from, to, twice.get(pair) > 1);
    }
    for (const node of view.nodes) this.#node(node);
    this.refresh();
    this.#size();
    this.begin();
  }

  /** Limits the height of the panel to the height of the view at its largest scale. */
  #size() {
    const bounds = this.#whole();
    if (!bounds) return;
    const across = (this.canvas.clientWidth - 24) / (bounds.right - bounds.left);
    const high = Math.min(LARGEST, across) * (bounds.bottom - bounds.top) + 24;
    this.canvas.style.maxHeight = `${Math.max(240, Math.ceil(high))}px`;
  }

  #line(line, from, to, bent) {
    const route = [...line.route];
    if (bent && !route.length) {
      const [dx, dy] = [to.x - from.x, to.y - from.y];
      const far = Math.hypot(dx, dy) || 1;
      route.push([(from.x + to.x) / 2 - (dy / far) * 16, (from.y + to.y) / 2 + (dx / far) * 16]);
    }
    const start = edgeOf(from, route[0] || [to.x, to.y]);
    const end = edgeOf(to, route[route.length - 1] || [from.x, from.y]);
    const points = [start, ...route, end];
    const curve = svg("path", { class: "curve", d: through(points) });
    const group = svg("g", { class: "line" }, curve);
    group.append(svg("path", { class: "head", d: head(points[points.length - 2], end) }));
    if (line.both) group.append(svg("path", { class: "head", d: head(points[1], start) }));
    if (line.weight > 1n) {
      const half = points.length === 2
        ? [(start[0] + end[0]) / 2, (start[1] + end[1]) / 2] : points[Math.floor(points.length / 2)];
      group.append(svg("text", { class: "weight", x: half[0], y: half[1] - 4 }, String(line.weight)));
    }
    this.layer.append(group);
    for (const key of [line.from, line.to]) {
      if (!this.linesAt.has(key)) this.linesAt.set(key, []);
      this.linesAt.get(key).push({ group, curve, line });
    }
  }

  #node(node) {
    const group = svg("g", {
      class: `node ${node.place ? "place" : "transition"}${node.group === undefined ? "" : " group"}`,
      transform: `translate(${node.x} ${node.y})`,
    });
    const shape = (extra = 0) => node.place
      ? svg("circle", { class: "shape", r: RADIUS + extra })
      : svg("rect", {
        class: "shape", x: -12 - extra, y: -12 - extra, width: 24 + 2 * extra, height: 24 + 2 * extra, rx: 3,
      });
    if (node.group !== undefined) group.append(shape(4));
    const title = svg("title", {}, node.name);
    group.append(title, shape());
    const inside = svg("g", { class: "tokens" });
    if (node.group !== undefined) inside.append(svg("text", { class: "number" }, String(node.size)));
    const name = svg("text", { class: "name", y: 27 }, short(node.name));
    const note = svg("text", { class: "note", y: -19 });
    group.append(inside, name, note);
    group.addEventListener("click", () => {
      if (this.dragged) return;
      if (node.group !== undefined) openGroup(node.group);
      else press(node.key);
    });
    this.layer.append(group);
    this.nodes.set(node.key, { group, inside, note, title, at: node, tokens: null });
  }

  /** Updates the highlighting, the tokens and the enabled transitions. */
  refresh() {
    const groupsLit = new Map();
    if (this.view.kind === "groups") {
      for (const node of this.lit.keys()) {
        const key = `g${groupOf(node)}`;
        groupsLit.set(key, (groupsLit.get(key) || 0) + 1);
      }
    }
    for (const [key, node] of this.nodes) {
      const note = this.view.kind === "groups"
        ? groupsLit.has(key) ? `${groupsLit.get(key)} lit` : undefined : this.lit.get(key);
      node.group.classList.toggle("bright", note !== undefined);
      node.note.textContent = note || "";
      if (node.at.group !== undefined) continue;
      if (node.at.place) this.#tokens(node, this.marking[key]);
      else node.group.classList.toggle("enabled", this.enabled.has(key - placeCount));
    }
    this.layer.classList.toggle("some-bright", this.lit.size > 0);
    this.layer.classList.toggle("dense", this.view.lines.length > 250 && this.view.kind === "groups");
  }

  #tokens(node, tokens) {
    if (node.tokens === tokens) return;
    node.tokens = tokens;
    node.group.classList.toggle("marked", tokens > 0n);
    const dots = { 1: [[0, 0]], 2: [[-4.5, 0], [4.5, 0]], 3: [[0, -5], [-4.7, 3.5], [4.7, 3.5]],
      4: [[-4.3, -4.3], [4.3, -4.3], [-4.3, 4.3], [4.3, 4.3]] };
    const few = dots[Number(tokens)];
    if (tokens === 0n) node.inside.replaceChildren();
    else if (few) {
      node.inside.replaceChildren(...few.map(([cx, cy]) => svg("circle", { class: "dot", cx, cy, r: 3.4 })));
    } else {
      // Numbers are never rounded. A number too wide for the node stands above it in full.
      const text = String(tokens);
      node.inside.replaceChildren(text.length > 5
        ? svg("text", { class: "note exact", y: -19 }, text)
        : svg("text", { class: `number${text.length > 3 ? " long" : ""}` }, text));
    }
    const long = String(tokens).length > 5;
    node.note.setAttribute("y", long ? -31 : -19);
    node.title.textContent = `${node.at.name}${tokens > 0n ? `: ${tokens} ${tokens === 1n ? "token" : "tokens"}` : ""}`;
  }

  /** Highlights nodes, each with a note, and scrolls to them. */
  light(nodes) {
    this.lit = nodes;
    this.refresh();
  }

  /** Shows a marking and its enabled transitions. */
  mark(marking, enabled) {
    this.marking = marking;
    this.enabled = enabled;
    this.refresh();
  }

  /** Animates the tokens of a firing along the lines: first the consumed tokens, then the produced ones. */
  move(t, duration) {
    const key = placeCount + t;
    const node = this.nodes.get(key);
    if (!node) return;
    node.group.classList.add("fired");
    setTimeout(() => node.group.classList.remove("fired"), Math.max(duration, 250));
    if (duration < 150 || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const near = (this.linesAt.get(key) || []).slice(0, 24);
    const run = (some, backwards, begin) => {
      for (const { curve } of some) {
        const length = curve.getTotalLength();
        const dot = svg("circle", { class: "moving", r: 4 });
        this.layer.append(dot);
        const half = duration / 2;
        const tick = (now) => {
          const share = (now - begin) / half;
          if (share >= 1) return dot.remove();
          const along = curve.getPointAtLength(length * Math.max(0, backwards ? 1 - share : share));
          dot.setAttribute("cx", along.x);
          dot.setAttribute("cy", along.y);
          dot.style.visibility = share < 0 ? "hidden" : "visible";
          requestAnimationFrame(tick);
        };
        requestAnimationFrame(tick);
      }
    };
    const now = performance.now();
    run(near.filter(({ line }) => line.to === key), false, now);
    run(near.filter(({ line }) => line.from === key), false, now + duration / 2);
    run(near.filter(({ line }) => line.both), true, now + duration / 2);
  }

  // Navigation.

  #bounds(keys) {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const key of keys) {
      const node = this.nodes.get(key);
      if (!node) continue;
      const half = Math.max(20, 3.1 * Math.min(LONGEST_NAME, node.at.name.length));
      left = Math.min(left, node.at.x - half);
      right = Math.max(right, node.at.x + half);
      top = Math.min(top, node.at.y - 26);
      bottom = Math.max(bottom, node.at.y + 34);
    }
    return left === Infinity ? null : { left, top, right, bottom };
  }

  #apply() {
    const { x, y, zoom } = this.frame;
    this.layer.setAttribute("transform", `translate(${x} ${y}) scale(${zoom})`);
    this.layer.classList.toggle("far", zoom < 0.45);
    this.layer.classList.toggle("very-far", zoom < 0.16);
  }

  #look(bounds, most) {
    this.untouched = false;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const [w, h] = [bounds.right - bounds.left, bounds.bottom - bounds.top];
    const zoom = Math.min((width - 24) / w, (height - 24) / h, most);
    this.frame = {
      zoom,
      x: width / 2 - (zoom * (bounds.left + bounds.right)) / 2,
      y: height / 2 - (zoom * (bounds.top + bounds.bottom)) / 2,
    };
    this.#apply();
  }

  /** Returns the bounds of all nodes and routes of the view. */
  #whole() {
    const bounds = this.#bounds(this.nodes.keys());
    for (const [x, y] of bounds ? this.view.lines.flatMap((line) => line.route) : []) {
      bounds.left = Math.min(bounds.left, x);
      bounds.right = Math.max(bounds.right, x);
      bounds.top = Math.min(bounds.top, y);
      bounds.bottom = Math.max(bounds.bottom, y);
    }
    return bounds;
  }

  fit() {
    const bounds = this.#whole();
    if (bounds) this.#look(bounds, LARGEST);
    this.untouched = true;
  }

  /** Shows the whole view, or its marked node if the whole view would be too small to read. */
  begin() {
    this.fit();
    if (this.frame.zoom >= (this.canvas.clientWidth < 600 ? 0.5 : 0.33)) return;
    const marked = [...this.nodes.keys()].find((key) => this.marking[key] > 0n);
    const at = (this.nodes.get(marked) || this.nodes.values().next().value).at;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const zoom = 0.75;
    const bounds = this.#bounds(this.nodes.keys());
    // The marked node is in the middle, without space beyond the edges of the view.
    const within = (middle, size, low, high) => (high - low) * zoom <= size
      ? size / 2 - (zoom * (low + high)) / 2
      : Math.min(12 - low * zoom, Math.max(size - 12 - high * zoom, middle));
    this.frame = {
      zoom,
      x: within(width / 2 - at.x * zoom, width, bounds.left, bounds.right),
      y: within(height / 2 - at.y * zoom, height, bounds.top, bounds.bottom),
    };
    this.#apply();
  }

  /** Scrolls so that the nodes are well visible. */
  reveal(keys) {
    const bounds = this.#bounds(keys);
    if (!bounds) return;
    const { x, y, zoom } = this.frame;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const inside = bounds.left * zoom + x >= 0 && bounds.right * zoom + x <= width
      && bounds.top * zoom + y >= 0 && bounds.bottom * zoom + y <= height;
    if (inside && zoom >= 0.45) return;
    const few = keys.length <= 3 ? 160 : 60;
    this.#look({
      left: bounds.left - few, right: bounds.right + few, top: bounds.top - few, bottom: bounds.bottom + few,
    }, 1.1);
  }

  zoom(factor, around) {
    const [cx, cy] = around || [this.canvas.clientWidth / 2, this.canvas.clientHeight / 2];
    const zoom = Math.min(4, Math.max(0.02, this.frame.zoom * factor));
    const real = zoom / this.frame.zoom;
    this.untouched = false;
    this.frame = {
      zoom, x: cx - (cx - this.frame.x) * real, y: cy - (cy - this.frame.y) * real,
    };
    this.#apply();
  }

  pan(dx, dy) {
    this.untouched = false;
    this.frame.x += dx;
    this.frame.y += dy;
    this.#apply();
  }

  #listen() {
    const canvas = this.canvas;
    const fingers = new Map();
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), at(event));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      fingers.set(event.pointerId, at(event));
      this.dragged = false;
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const now = at(event);
      if (fingers.size === 1) {
        if (!this.dragged && Math.hypot(now[0] - before[0], now[1] - before[1]) < 4) return;
        if (!this.dragged) canvas.setPointerCapture(event.pointerId);
        this.dragged = true;
        this.pan(now[0] - before[0], now[1] - before[1]);
      } else {
        const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
        const far = (one) => Math.hypot(one[0] - other[0], one[1] - other[1]) || 1;
        this.dragged = true;
        this.zoom(far(now) / far(before), [(now[0] + other[0]) / 2, (now[1] + other[1]) / 2]);
      }
      fingers.set(event.pointerId, now);
    });
    const up = (event) => fingers.delete(event.pointerId);
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("keydown", (event) => {
      const keys = {
        ArrowLeft: () => this.pan(60, 0), ArrowRight: () => this.pan(-60, 0),
        ArrowUp: () => this.pan(0, 60), ArrowDown: () => this.pan(0, -60),
        "+": () => this.zoom(1.25), "=": () => this.zoom(1.25), "-": () => this.zoom(0.8),
        0: () => this.fit(),
      };
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      keys[event.key]();
    });
    let [width, height] = [0, 0];
    new ResizeObserver(() => {
      const changed = canvas.clientWidth !== width || canvas.clientHeight !== height;
      if (this.view && width && changed && this.untouched) {
        if (canvas.clientWidth !== width) this.#size();
        this.begin();
      }
      [width, height] = [canvas.clientWidth, canvas.clientHeight];
    }).observe(canvas);
  }
}

/** The radius of the bends of a line. The report's routes leave room for it. */
const ROUND = 16;

/** Returns a path through points: a single curve for one slight bend, otherwise lines with round corners. */
const through = (points) => {
  const at = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  const [first, last] = [points[0], points[points.length - 1]];
  if (points.length === 3 && offLine(points) < 18) return `M${at(first)}Q${at(points[1])} ${at(last)}`;
  let path = `M${at(first)}`;
  for (let bend = 1; bend < points.length - 1; bend++) {
    const [x, y] = points[bend];
    const near = ([u, v]) => {
      const far = Math.hypot(u - x, v - y) || 1;
      const share = Math.min(ROUND, far / 2) / far;
      return [x + (u - x) * share, y + (v - y) * share];
    };
    path += `L${at(near(points[bend - 1]))}Q${at(points[bend])} ${at(near(points[bend + 1]))}`;
  }
  return `${path}L${at(last)}`;
};

/** Returns the distance of the second of three points from the line between the others. */
const offLine = ([[x, y], [u, v], [a, b]]) =>
  Math.abs((a - x) * (v - y) - (b - y) * (u - x)) / (Math.hypot(a - x, b - y) || 1);

/** Returns the point where a line to `towards` leaves a node. */
const edgeOf = (node, towards) => {
  const [dx, dy] = [towards[0] - node.x, towards[1] - node.y];
  const extra = node.group === undefined ? 1.5 : 5.5;
  const far = node.place ? Math.hypot(dx, dy) : Math.max(Math.abs(dx), Math.abs(dy));
  const share = far ? ((node.place ? RADIUS : 12) + extra) / far : 0;
  return [node.x + dx * share, node.y + dy * share];
};

/** Returns an arrow head that points from `from` to its tip `tip`. */
const head = (from, tip) => {
  const [dx, dy] = [tip[0] - from[0], tip[1] - from[1]];
  const far = Math.hypot(dx, dy) || 1;
  const [x, y] = [dx / far, dy / far];
  const corner = (side) => [tip[0] - 7 * x + side * 3.2 * -y, tip[1] - 7 * y + side * 3.2 * x];
  const [a, b] = [corner(1), corner(-1)];
  return `M${tip[0].toFixed(1)} ${tip[1].toFixed(1)}L${a[0].toFixed(1)} ${a[1].toFixed(1)}`
    + `L${b[0].toFixed(1)} ${b[1].toFixed(1)}Z`;
};

const groupOf = (node) => {
  const groups = data.net.groups;
  return isPlace(node) ? groups.place_group[node]
    : groups.places.length + groups.transition_group[node - placeCount];
};
