// The page of a parallel system: the questions, the picture, and runs played step by step.
//
// The picture is drawn by the report. This script highlights the current states s<component>-<state> of the
// components and the edges e<component>-<from>-<to> of the last step.

const data = JSON.parse(byId("data").textContent);
const drawn = byId("sheet").querySelector("svg");
const natural = { width: drawn.viewBox.baseVal.width, height: drawn.viewBox.baseVal.height };

const player = {
  title: "Start states of the components", steps: [], states: [], circle: null, ends: false, position: 0, timer: null,
  lit: [],

  /** Loads a run, or the start states if there is no run. */
  load(run, title) {
    this.pause();
    this.title = title;
    this.steps = run.steps;
    this.circle = run.back;
    this.ends = run.ends;
    this.states = [run.starts];
    for (const [, moves] of run.steps) {
      const next = [...this.states[this.states.length - 1]];
      for (const [component, to] of moves) next[component] = to;
      this.states.push(next);
    }
    this.go(0);
  },

  go(position) {
    this.position = Math.max(0, Math.min(this.steps.length, position));
    this.show();
  },

  /** Takes a step. After the last step of a lasso, continues at the state to which the run returns. */
  step() {
    if (this.position >= this.steps.length && this.circle !== null) this.position = this.circle;
    if (this.position >= this.steps.length) return false;
    this.go(this.position + 1);
    return this.position < this.steps.length || this.circle !== null;
  },

  toggle() {
    if (this.timer !== null) { this.pause(); return; }
    if (this.position >= this.steps.length && this.circle === null) this.go(0);
    const tick = () => {
      if (this.step()) this.timer = setTimeout(tick, Number(byId("speed").value));
      else this.pause();
    };
    this.timer = setTimeout(tick, 50);
    this.show();
  },

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    this.show();
  },

  /** Adds a class to an element of the picture until the next step. Large components have no such elements. */
  light(element, name) {
    if (!element) return;
    element.classList.add(name);
    this.lit.push([element, name]);
  },

  show() {
    if (!this.states.length) return;
    for (const [element, name] of this.lit) element.classList.remove(name);
    this.lit = [];
    const now = this.states[this.position];
    now.forEach((state, component) => this.light(byId(`s${component}-${state}`), "here"));
    const moved = new Set();
    if (this.position > 0) {
      const [label, moves] = this.steps[this.position - 1];
      const before = this.states[this.position - 1];
      for (const [component, to] of moves) {
        moved.add(component);
        this.light(byId(`c${component}`), "moved");
        const edge = byId(`e${component}-${before[component]}-${to}`);
        this.light(edge, "taken");
        this.light(edge?.querySelector(`.l${label}`), "on");
      }
      this.light(drawn.querySelector(`.entry.l${label}`), "on");
      reveal(moves.map(([component, to]) => byId(`s${component}-${to}`) || byId(`c${component}`)));
    }
    byId("where").replaceChildren(...now.map((state, component) =>
      make("li", { class: moved.has(component) ? "moved" : null },
        `${data.components[component].name}: `, make("b", {}, data.components[component].states[state]))));
    this.controls();
  },

  controls() {
    const [at, length] = [this.position, this.steps.length];
    byId("play-title").textContent = this.title;
    byId("leave").hidden = !length;
    byId("position").max = length;
    byId("position").value = at;
    byId("position").disabled = !length;
    byId("count").textContent = `${at} / ${length}`;
    byId("play").textContent = this.timer === null ? "Play" : "Pause";
    byId("play").setAttribute("aria-label", byId("play").textContent);
    for (const id of ["first", "back"]) byId(id).disabled = at === 0;
    byId("last").disabled = at >= length;
    byId("step").disabled = at >= length && this.circle === null;
    byId("play").disabled = !length;
    byId("now").replaceChildren(...this.said());
  },

  /** Describes the last step in words. */
  said() {
    const [at, length] = [this.position, this.steps.length];
    if (!length) {
      const some = data.runs.length ? "Answers with a run have a button that plays it." : "";
      return [`The start states of the components. ${some}`];
    }
    if (at === 0) return ["The start states of the components."];
    const [label, moves] = this.steps[at - 1];
    const names = moves.map(([component]) => data.components[component].name).join(", ");
    const parts = [`Step ${at}: `, make("b", {}, data.labels[label]), ` by ${names}`];
    if (this.circle !== null) {
      parts.push(at <= this.circle ? " — the prefix."
        : ` — the cycle, which repeats forever: ${at - this.circle} of ${length - this.circle}.`);
    } else if (at === length) {
      parts.push(this.ends ? ". The run ends here: no component can move."
        : ". The run is infinite; the page shows only this part.");
    } else parts.push(".");
    return parts;
  },
};

/** Scrolls so that the moved components are visible. */
const reveal = (elements) => {
  const sheet = byId("sheet");
  const page = sheet.getBoundingClientRect();
  for (const element of elements.filter((one) => one).reverse()) {
    const box = element.getBoundingClientRect();
    if (box.left < page.left || box.right > page.right) {
      sheet.scrollLeft += box.left + box.width / 2 - page.left - page.width / 2;
    }
    if (box.top < page.top || box.bottom > page.bottom) {
      sheet.scrollTop += box.top + box.height / 2 - page.top - page.height / 2;
    }
  }
};

let scale = 1;
const zoom = (to) => {
  scale = Math.max(0.05, Math.min(8, to));
  drawn.setAttribute("width", natural.width * scale);
  drawn.setAttribute("height", natural.height * scale);
};

/** Makes the whole picture visible. */
const fit = () => {
  const sheet = byId("sheet");
  zoom(Math.min((sheet.clientWidth - 24) / natural.width, (sheet.clientHeight - 24) / natural.height, 1.6));
};

/** Shows the start states of the components. */
const beginning = () => player.load(data.beginning, "Start states of the components");

/** Plays a run, with the player visible. */
const playRun = (run, title) => {
  player.load(data.runs[run], title);
  byId("figure").scrollIntoView({ block: "nearest" });
  player.toggle();
};

/** Returns the evidence of an answer as a folded element. */
const certificate = (lines) => (lines.length
  ? make("details", {}, make("summary", {}, "The certificate"),
    make("ol", { class: "lines" }, lines.map((line) => make("li", {}, line))))
  : null);

const question = (row) => {
  const word = row.value === null ? "unknown" : String(row.value).toUpperCase();
  const level = row.good === null ? "unknown" : row.good ? "good" : "problem";
  const how = row.evidence ? ` [${row.evidence}]` : "";
  const title = `${row.name} is ${word}: a run as evidence`;
  return make("li", { class: `question ${level}` },
    make("p", { class: "title" }, make("span", { class: "badge" }, word), row.name),
    make("p", { class: "formula" }, row.formula),
    make("p", { class: "detail" }, `${row.reason}${how}`),
    row.otherwise === null ? null
      : make("p", { class: "detail" }, `The file says ${String(row.otherwise).toUpperCase()}.`),
    row.blocked.length ? make("ul", { class: "detail" }, row.blocked.map((line) => make("li", {}, line))) : null,
    certificate(row.lines),
    row.run === null ? null
      : make("div", { class: "actions" },
        button("Play the run", () => playRun(row.run, title), { class: "main" })));
};

/** Lists the labels: first those that never occur or are open, then the others, whose runs can be played. */
const labels = () => {
  if (!data.coming.length) return null;
  const nameOf = (one) => data.labels[one.label];
  const others = data.coming.filter((one) => one.comes !== true).map((one) => question({
    name: nameOf(one), value: one.comes,
    formula: one.comes === null ? "Does this label occur?" : "This label never occurs.",
    good: one.comes, reason: one.reason, evidence: one.evidence, lines: one.lines, blocked: [], run: null,
    otherwise: null,
  }));
  const come = data.coming.filter((one) => one.comes === true).map((one) => (one.run === null
    ? make("span", {}, nameOf(one))
    : button(nameOf(one), () => playRun(one.run, `A run that ends with ${nameOf(one)}`),
      { title: "Play a run that ends with this label" })));
  return make("section", { id: "labels" }, make("h2", {}, "Labels"),
    others.length ? make("ol", { class: "questions" }, others) : null,
    come.length ? make("p", { class: "muted" },
      "These labels occur. Press a label to play a run that ends with it.") : null,
    make("div", { class: "labels" }, come));
};

byId("model").textContent = data.model;
byId("made").textContent = data.made;
byId("semantics").textContent = data.semantics;
if (data.boxes) {
  byId("boxes").textContent = `${plural(data.boxes, "component")} with too many states, drawn as a box`;
}
byId("article").append(
  make("section", { id: "findings" }, make("h2", {}, data.asked),
    make("ol", { class: "questions" }, data.properties.map(question))),
  ...[labels()].filter((one) => one),
  make("section", { id: "net" }, make("h2", {}, "The system"),
    make("dl", { class: "figures" }, data.figures.map(([what, many]) =>
      make("div", {}, make("dt", {}, what), make("dd", {}, many))))),
);
byId("first").addEventListener("click", () => { player.pause(); player.go(0); });
byId("back").addEventListener("click", () => { player.pause(); player.go(player.position - 1); });
byId("play").addEventListener("click", () => player.toggle());
byId("step").addEventListener("click", () => { player.pause(); player.step(); });
byId("last").addEventListener("click", () => { player.pause(); player.go(player.steps.length); });
byId("leave").addEventListener("click", beginning);
byId("position").addEventListener("input", () => {
  player.pause();
  player.go(Number(byId("position").value));
});
byId("in").addEventListener("click", () => zoom(scale * 1.3));
byId("out").addEventListener("click", () => zoom(scale / 1.3));
byId("fit").addEventListener("click", fit);
setUpTheme();
fit();
// Text must stay readable, so the picture scrolls on a small screen.
zoom(Math.max(scale, 0.75));
beginning();
