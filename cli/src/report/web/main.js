// Assembles the page.

let drawing;
let player;
const views = [];

/** Shows a view: `whole`, `groups`, or the part around some nodes. */
const look = (kind, nodes) => {
  if (kind === "whole") drawing.show(wholeView());
  else if (kind === "groups") drawing.show(groupsView());
  else drawing.show(aroundView(nodes));
  for (const { name, pressed } of views) pressed.setAttribute("aria-pressed", String(name === kind));
};

const canDraw = () => ({ whole: data.net.drawing, groups: data.net.groups?.drawing });

const openGroup = (group) => {
  const groups = data.net.groups;
  const first = groups.places.length;
  const of = group < first ? groups.place_group : groups.transition_group;
  const [wanted, offset] = group < first ? [group, 0] : [group - first, placeCount];
  const members = [];
  of.forEach((one, node) => { if (one === wanted) members.push(node + offset); });
  look("around", members);
  const name = [...groups.places, ...groups.transitions][group];
  const shown = Math.min(members.length, MOST_AROUND);
  byId("lit-title").textContent = `${name}: ${shown} of ${plural(members.length, "node")}, with adjacent nodes`;
  byId("lit").hidden = false;
};

/** Highlights nodes with notes. If the view lacks them, first shows the part around the first node. */
const light = (notes, title) => {
  unlight();
  byId("node").hidden = true;
  const nodes = [...notes.keys()];
  drawing.light(notes);
  if (drawing.view.kind !== "groups" && nodes.length) {
    if (!nodes.some((node) => drawing.nodes.has(node))) look("around", nodes);
    else drawing.reveal(nodes);
  } else if (nodes.length && nodes.length <= MOST_AROUND) look("around", nodes);
  byId("lit-title").textContent = title;
  byId("lit").hidden = false;
};

const lightNodes = (nodes, title) => light(new Map(nodes.map((node) => [node, ""])), title);

const unlight = () => {
  drawing.light(new Map());
  byId("lit").hidden = true;
  for (const on of document.querySelectorAll(".shape-toggle[aria-pressed=true]")) {
    on.setAttribute("aria-pressed", "false");
  }
};

/** Handles the choice of a node by its name. */
const choose = (node) => {
  lightNodes([node], saidOf(node));
  nodePanel(node);
  toFigure();
};

/** Handles a click on a node in the drawing: an enabled transition fires. */
const press = (node) => {
  if (!isPlace(node) && player.enabled.has(node - placeCount)) {
    player.fireByHand(node - placeCount);
    return;
  }
  lightNodes([node], saidOf(node));
  nodePanel(node);
};

/** Scrolls to the drawing if it is outside a small screen. */
const toFigure = () => {
  const box = byId("canvas").getBoundingClientRect();
  if (box.bottom > innerHeight || box.top < 0) {
    byId("figure").scrollIntoView({ block: "start", behavior: "auto" });
  }
};

const setUpViews = () => {
  const can = canDraw();
  const add = (name, text, show) => {
    const pressed = button(text, show, { "aria-pressed": "false" });
    views.push({ name, pressed });
    byId("views").append(pressed);
  };
  if (can.whole) add("whole", "Whole", () => look("whole"));
  if (can.groups) add("groups", `By ${data.net.groups.by.split(" ")[0]}`, () => look("groups"));
  const around = () => {
    const some = [...drawing.lit.keys()];
    look("around", some.length ? some : [0]);
  };
  add("around", "Around", around);
  views[views.length - 1].pressed.title = "only the highlighted nodes and adjacent nodes";
};

const firstView = () => {
  const can = canDraw();
  const large = nodeCount > 1000 && !data.net.drawing?.own;
  if (can.groups && (large || !can.whole)) return ["groups"];
  if (can.whole) return ["whole"];
  // All views are too large, so the marked places come first.
  return ["around", data.net.initial.slice(0, 12).map(([p]) => p).concat(data.net.initial.length ? [] : [0])];
};

/** Returns the names of a node besides its displayed name. */
const alsoCalled = (node) => {
  const others = [idOf(node), sharedNameOf(node)].filter((name) => name && name !== nameOf(node));
  return others.length ? ` (${others.join(", ")})` : "";
};

const setUpSearch = () => {
  const [field, hits] = [byId("search"), byId("hits")];
  let at = -1;
  const close = () => {
    hits.hidden = true;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
    at = -1;
  };
  const take = (node) => {
    close();
    choose(node);
  };
  const mark = (next) => {
    const all = [...hits.children];
    if (!all.length) return;
    at = (next + all.length) % all.length;
    all.forEach((hit, index) => hit.setAttribute("aria-selected", String(index === at)));
    field.setAttribute("aria-activedescendant", all[at].id);
    all[at].scrollIntoView({ block: "nearest" });
  };
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    const found = [];
    if (wanted) {
      for (let node = 0; node < nodeCount && found.length < 400; node++) {
        // The search compares the displayed name, the id, and a label shared with other nodes.
        const names = [nameOf(node), idOf(node), sharedNameOf(node) ?? ""].map((name) => name.toLowerCase());
        const at = names.map((name) => name.indexOf(wanted)).filter((at) => at >= 0);
        if (at.length) found.push([names.includes(wanted) ? 0 : at.includes(0) ? 1 : 2, node]);
      }
    }
    found.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    hits.replaceChildren(...found.slice(0, 12).map(([, node], index) =>
      make("li", { role: "option", id: `hit-${index}`, "aria-selected": "false",
        pointerdown: (event) => { event.preventDefault(); take(node); } },
      make("span", { class: isPlace(node) ? "of-place" : "of-transition" }, saidOf(node)),
      make("span", { class: "muted" }, `${isPlace(node) ? " place" : " transition"}${alsoCalled(node)}`))));
    [...hits.children].forEach((hit, index) => { hit.node = found[index][1]; });
    hits.hidden = !found.length;
    field.setAttribute("aria-expanded", String(!hits.hidden));
    if (found.length) mark(0);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") mark(at + 1);
    else if (event.key === "ArrowUp") mark(at - 1);
    else if (event.key === "Enter" && hits.children[at]) take(hits.children[at].node);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
  field.addEventListener("blur", close);
};

byId("model").textContent = data.model;
byId("made").textContent = `${plural(placeCount, "place")}, ${plural(transitionCount, "transition")} · ${data.made}`;
if (data.remark) byId("made").after(make("p", { class: "remark" }, ...words(data.remark)));

drawing = new Drawing(byId("canvas"));
setUpViews();
drawing.view = { kind: "whole", nodes: [], lines: [] };
drawing.nodes = new Map();
player = new Player(drawing);
look(...firstView());

const parts = [findingsSection(), data.node_verdicts ? nodesSection() : questionsSection(), netSection(), shapesSection(), reductionsSection()];
byId("article").append(...parts);
byId("contents").append(...parts.map((part) =>
  make("a", { href: `#${part.id}` }, part.querySelector("h2").textContent)));
byId("unlit").addEventListener("click", unlight);
byId("in").addEventListener("click", () => drawing.zoom(1.3));
byId("out").addEventListener("click", () => drawing.zoom(1 / 1.3));
byId("fit").addEventListener("click", () => drawing.fit());
setUpSearch();
setUpTheme();

// Printing uses the light theme and the whole drawing. Folded parts are left out, because the unfolded
// certificates of a large net are hundreds of pages.
let theme;
addEventListener("beforeprint", () => {
  theme = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
  drawing.fit();
});
addEventListener("afterprint", () => {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
});
