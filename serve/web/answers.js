// Jobs and their answers, as they arrive.

/** The largest number of firings of a witness that this page plays. */
const MOST_FIRINGS = 200000;
/** The largest number of answers of a job that are listed. All are in its files. */
const MOST_LISTED = 300;

const GRADE_TITLES = {
  replayed: "a firing sequence that was replayed on the net",
  certified: "a certificate that the checker accepted",
  searched: "an exhaustive search without a certificate",
};

let transitionIndex;
/** Returns the index of a transition with an id. */
const transitionOf = (id) => {
  transitionIndex ??= new Map(data.net.transitions.map((name, t) => [name, t]));
  return transitionIndex.get(id);
};

let placeIndex;
const placeOf = (id) => {
  placeIndex ??= new Map(data.net.places.map((name, p) => [name, p]));
  return placeIndex.get(id);
};

/** Appends steps to a flat list of transitions and counts, of at most `most` firings. Returns the number of firings, or
    NaN if a transition is not one of the drawn net or the sequence is too long. */
const flatten = (steps, flat, most = MOST_FIRINGS) => {
  let total = 0;
  for (const step of steps ?? []) {
    if (typeof step === "string") {
      const t = transitionOf(step);
      if (t === undefined) return NaN;
      flat.push(t, 1);
      total += 1;
    } else {
      const times = Number(step.times);
      const single = step.steps.length === 1 && typeof step.steps[0] === "string" ? transitionOf(step.steps[0]) : undefined;
      if (!(times <= most)) return NaN;
      if (single !== undefined) {
        flat.push(single, times);
        total += times;
      } else {
        for (let round = 0; round < times; round++) {
          total += flatten(step.steps, flat, most - total);
          if (!(total <= most)) return NaN;
        }
      }
    }
    if (!(total <= most)) return NaN;
  }
  return total;
};

/** Returns the witness of an answer as the player takes it, or null if this page cannot play it. */
const playOf = (witness) => {
  if (!witness || witness.cut) return null;
  const stages = witness.stages ?? [];
  // A later stage needs several rounds of the stages before it, which the page does not count.
  if (stages.length > 1) return null;
  const { steps, repeat } = stages[0] ?? witness;
  const flat = [];
  const firings = flatten(steps, flat);
  const cycle = [];
  const round = flatten(repeat, cycle);
  if (!Number.isFinite(firings) || !Number.isFinite(round)) return null;
  const play = { trace: data.traces.push(flat) - 1, firings, comes_back: witness.kind === "lasso" };
  if (round) play.pump = data.traces.push(cycle) - 1;
  else play.comes_back = false;
  return play;
};

/** Returns the nodes of an answer that the drawing has. */
const nodesOfAnswer = (answer) => {
  const { places = [], transitions = [] } = answer.nodes ?? {};
  return [...places.map(placeOf), ...transitions.map(transitionOf).map((t) => (t === undefined ? t : placeCount + t))]
    .filter((node) => node !== undefined);
};

/** Returns a reason with its names of nodes, which are in backquotes, as buttons. */
const reasonWords = (reason) => reason.split("`").map((piece, at) => {
  if (at % 2 === 0) return piece;
  const [place, t] = [placeOf(piece), transitionOf(piece)];
  const node = place ?? (t === undefined ? undefined : placeCount + t);
  return node === undefined ? make("b", {}, piece) : reference(node);
});

/** The names of the numbers of a state space. */
const FIGURES = {
  markings: "markings", firings: "firings", most_tokens_in_a_marking: "most tokens in a marking",
  most_tokens_in_a_place: "most tokens in a place",
};

/** Identifies a question among those of its job. */
const keyOf = (answer) => JSON.stringify([answer.examination, answer.id ?? answer.figure]);

/** Returns the name of a question, and the words of the page for it. */
const titleOfAnswer = (answer) => {
  const title = String(answer.id ?? FIGURES[answer.figure] ?? answer.figure);
  const words = answer.formula === undefined ? WORDS.get(answer.examination) : undefined;
  return [title, words && title === answer.examination ? words : null];
};

const answerItem = (answer) => {
  const isOpen = answer.type !== "answer";
  const [title, words] = titleOfAnswer(answer);
  const formula = answer.formula;
  const play = playOf(answer.witness);
  const some = nodesOfAnswer(answer);
  const meta = isOpen ? [] : [
    /All$/.test(answer.examination) ? answer.examination : null,
    answer.evidence, answer.techniques?.join(", "), `${answer.seconds.toFixed(2)} s`, NETS[answer.net],
    ...(answer.assumptions ?? []).map((assumption) => `assumes: ${assumption}`),
  ].filter(Boolean);
  const actions = [
    playButton(play, title, play?.pump !== undefined ? "Play the cycle" : "Play it"),
    some.length ? button("Show", () => { lightNodes(some, title); toFigure(); },
      { "aria-label": `Show the nodes of ${title}` }) : null,
    answer.witness && !play
      ? make("span", { class: "muted" }, "This page cannot play the witness; the evidence has it.") : null,
  ].filter(Boolean);
  return make("li", { class: "question" },
    make("p", { class: "title" },
      make("span", { class: `value ${isOpen ? "open" : ""}` }, isOpen ? "open" : String(answer.value)),
      words ? make("span", {}, words) : null,
      make("span", { class: words ? "muted" : "" }, title)),
    formula ? make("p", { class: "formula" }, formula) : null,
    make("p", { class: "detail" }, reasonWords((answer.reason ?? "").replace(IN_FORMULA, "column $1: $2"))),
    meta.length ? make("p", { class: "muted", title: GRADE_TITLES[answer.evidence] }, meta.join(" · ")) : null,
    answer.witness?.labels ? make("p", { class: "formula" }, labelRun(answer.witness)) : null,
    actions.length ? make("p", { class: "actions" }, ...actions) : null);
};

/** The largest number of labels of a run that is written out. */
const MOST_LABELS = 200;

/** Writes a run of a system: its labels, and where it goes on. */
const labelRun = ({ labels, back }) => {
  const shown = labels.slice(0, MOST_LABELS);
  const more = labels.length > shown.length ? ` … (${labels.length} labels)` : "";
  if (back === undefined || back === null) return shown.join(" ") + more;
  return `${shown.slice(0, back).join(" ")} ( ${shown.slice(back).join(" ")} )${more} forever`;
};

const STATES = {
  waiting: "waiting", running: "running", done: "done", incomplete: "some questions are open", failed: "failed",
  cancelled: "cancelled", interrupted: "the server ended before the job did",
};

/** A job on the page. */
class JobView {
  constructor(job) {
    this.number = job.number;
    this.count = 0;
    /** The listed answers, by question. */
    this.items = new Map();
    /** The numbers of answers by kind. */
    this.counts = { formulas: 0, others: 0 };
    /** The last formula in each list. */
    this.lastFormulas = new Map();
    this.state = make("span", { class: "job-state", role: "status" });
    this.cancel = button("Cancel", () => this.#cancel(), { "aria-label": `Cancel job ${job.number}` });
    this.answers = make("ol", { class: "questions" });
    this.rest = make("ol", { class: "questions" });
    this.folded = make("details", { hidden: true }, make("summary"), this.rest);
    this.more = make("p", { class: "muted", hidden: true });
    this.totals = make("p", { class: "muted", hidden: true });
    this.notes = make("pre", { class: "notes", tabindex: "0", "aria-label": `Messages of job ${job.number}`, hidden: true });
    this.files = make("p", { class: "row files" });
    this.element = make("li", { class: "job" },
      make("div", { class: "job-head" }, make("h3", {}, `${job.number}. ${titleOf(job.request)}`), this.state, this.cancel),
      this.answers, this.folded, this.more, this.totals, this.notes, this.files);
    this.show(job);
  }

  get path() { return `/api/nets/${data.served.id}/jobs/${this.number}`; }

  /** Shows a new state of the job. */
  show(job) {
    this.job = job;
    const { state, seconds, reason } = job.status;
    const isFinal = !["waiting", "running"].includes(state);
    this.state.textContent = [STATES[state] ?? state, reason, seconds !== undefined ? `${seconds.toFixed(1)} s` : null]
      .filter(Boolean).join(": ");
    this.state.className = `job-state ${state}`;
    this.cancel.hidden = isFinal;
    if (!isFinal) return;
    const file = (text, name) => button(text, () => this.#download(name), { "aria-label": `${text} of job ${this.number}` });
    this.files.replaceChildren(...[
      job.has_report ? file("Report", "report.html") : null,
      job.has_evidence ? file("Evidence", "evidence.tar.gz") : null,
      this.count ? file("JSON", "answers.jsonl") : null,
      button("Command line", () => this.#command(), { "aria-label": `Command line of job ${this.number}` }),
    ].filter(Boolean));
  }

  async #cancel() {
    try {
      await postJson(`${this.path}/cancel`, {});
    } catch (error) {
      this.note(error.message);
    }
  }

  async #download(name) {
    try {
      await download(`${this.path}/${name}`, name);
    } catch (error) {
      this.note(error.message);
    }
  }

  /** Shows the command lines that repeat the run and check its evidence, and copies the first. */
  async #command() {
    if (!this.files.querySelector("code")) {
      this.files.append(make("code", { tabindex: "0" }, this.job.command));
      if (this.job.has_evidence) this.files.append(make("code", { tabindex: "0", class: "audit" }, this.job.audit));
    }
    try {
      await navigator.clipboard.writeText(this.job.command);
    } catch {
      // The text is there to be selected.
    }
  }

  /** Adds a line of the answers. */
  answer(answer) {
    if (answer.type === "summary" && answer.totals) this.#total(answer);
    if (!["answer", "unanswered", "withdrawn"].includes(answer.type)) return;
    learn(answer);
    const key = keyOf(answer);
    const known = this.items.get(key);
    if (known) {
      // An answer was withdrawn, or a withdrawn question is answered again.
      const item = answerItem({ formula: known.formula, ...answer });
      known.item.replaceWith(item);
      for (const [list, last] of this.lastFormulas) if (last === known.item) this.lastFormulas.set(list, item);
      known.item = item;
      return;
    }
    this.count += 1;
    this.#list(answer, key);
    this.folded.hidden = !this.rest.childElementCount;
    this.folded.firstChild.textContent = `${this.rest.childElementCount} more answers`;
    const unlisted = this.count - this.items.size;
    this.more.hidden = !unlisted;
    this.more.textContent = `and ${unlisted} more; all are in the JSON`;
  }

  /** Lists an answer. The user wrote the formulas, so they come before other questions. */
  #list(answer, key) {
    const kind = answer.formula === undefined ? "others" : "formulas";
    const count = ++this.counts[kind];
    if (count > MOST_LISTED) return;
    const item = answerItem(answer);
    this.items.set(key, { item, formula: answer.formula });
    const list = count <= AT_ONCE ? this.answers : this.rest;
    if (kind === "others") list.append(item);
    else {
      const last = this.lastFormulas.get(list);
      if (last?.isConnected) last.after(item);
      else list.prepend(item);
      this.lastFormulas.set(list, item);
    }
  }

  /** Shows the totals of an examination about each node. */
  #total({ examination, totals }) {
    this.totals.hidden = false;
    this.totals.append(make("span", { class: "total" },
      `${examination}: ${totals.decided} of ${plural(totals.nodes, "node")} decided. `));
  }

  /** Adds a line of the messages. Positions in formulas are marked by a line with a caret. */
  note(text) {
    this.notes.hidden = false;
    const [, column, message] = text.match(IN_FORMULA) ?? [];
    if (this.inFormula) {
      // The line after a message is the formula, as the user wrote it.
      const line = (this.job.request.formulas ?? "").split("\n").findIndex((line) => line.trim() === text.trim());
      if (line >= 0) this.inFormula.prepend(`line ${line + 1}, `);
    }
    this.inFormula = message === undefined ? null : make("span", {}, `column ${column}: ${message}\n`);
    this.notes.append(this.inFormula ?? `${text.replace(/^parikh: /, "")}\n`);
  }
}

/** Describes a request in a few words. */
const titleOf = (request) => {
  const lines = [...request.formulas.split("\n"), ...request.properties.split("\n")]
    .map((line) => line.trim()).filter((line) => line && !line.startsWith("#"));
  const parts = [...request.examinations, ...request.nodes.map((node) => `for ${node}`)];
  if (lines.length === 1) parts.push(lines[0]);
  else if (lines.length) parts.push(plural(lines.length, "formula"));
  const what = parts.join(", ");
  return request.kind === "report" ? `Report${what ? `: ${what}` : ""}` : what;
};

const answersSection = () => section("answers", "Answers",
  make("p", { class: "muted" }, "replayed: firing sequences that were replayed on the net. certified: a certificate that "
    + "a checker accepted. searched: an exhaustive search without a certificate."),
  make("p", { id: "no-jobs", class: "muted" }, "Nothing was asked yet."),
  make("ol", { id: "jobs", class: "jobs" }));

/** The events of the server. While this page asks for them, the server lets its jobs run. */
const events = {
  jobs: new Map(),

  /** Shows a job, new or known. */
  show(job) {
    const known = this.jobs.get(job.number);
    if (known) {
      known.show(job);
      return known;
    }
    const view = new JobView(job);
    this.jobs.set(job.number, view);
    // The newest job comes first.
    byId("jobs").prepend(view.element);
    byId("no-jobs").hidden = true;
    return view;
  },

  /** Shows a job that was just requested, unless the stream was faster and knows more. */
  begin(job) {
    if (!this.jobs.has(job.number)) this.show(job);
  },

  take(event) {
    if (event.begin) {
      // Everything is sent anew.
      this.jobs.clear();
      byId("jobs").replaceChildren();
      byId("no-jobs").hidden = false;
    } else if (event.job) this.show(event.job);
    else if (event.answer) this.jobs.get(event.of)?.answer(event.answer);
    else if (event.note !== undefined) this.jobs.get(event.of)?.note(event.note);
  },

  /** Begins to ask for events, and goes on until the page is closed. */
  run() {
    const bytes = crypto.getRandomValues(new Uint8Array(8));
    const page = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const path = `/api/nets/${data.served.id}/events?page=${page}`;
    const worker = new Worker("/assets/polling.js");
    worker.addEventListener("message", ({ data: { text, reason } }) => {
      byId("connection").textContent = reason ?? "";
      for (const line of (text ?? "").split("\n")) if (line) this.take(JSON.parse(line));
    });
    worker.postMessage({ path, token: token() });
    // Browsers do not freeze pages that hold a lock. So a hidden page goes on polling, and its jobs go on.
    navigator.locks?.request("parikh", { mode: "shared" }, () => new Promise(() => {}));
    addEventListener("pagehide", () => {
      worker.terminate();
      fetch(path, { method: "DELETE", keepalive: true, headers: { authorization: `Bearer ${token()}` } }).catch(() => {});
      // A page that the browser shows again begins anew.
      addEventListener("pageshow", () => this.run(), { once: true });
    }, { once: true });
  },
};
