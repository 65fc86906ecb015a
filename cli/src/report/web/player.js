// The player: shows a witness step by step, and lets the user fire transitions from any marking.
//
// A played sequence is a list of pairs [transition, number of consecutive firings]. Firing by hand leaves the
// witness: the list is cut at this position and continues with the fired transition. The witness is kept, so
// that the user can return to it.

/** The number of repetitions played of a loop that repeats forever. */
const ROUNDS = 3;
/** The largest number of enabled transitions with buttons. */
const MOST_BUTTONS = 60;

/** The largest number of disabled transitions described at a deadlock. */
const MOST_WAITING = 12;

class Player {
  constructor(drawing) {
    this.drawing = drawing;
    this.marking = initialMarking();
    this.enabled = new Set();
    for (let t = 0; t < transitionCount; t++) if (isEnabled(this.marking, t)) this.enabled.add(t);
    this.#listen();
    this.load([], "Fire by hand");
  }

  /** Loads a sequence that starts in the initial marking. */
  load(runs, title, note = () => "", witness = null, circle = null, parts = []) {
    this.pause();
    this.#to(0);
    this.runs = runs;
    this.ends = [];
    let total = 0;
    for (const [, count] of runs) this.ends.push((total += count));
    this.title = title;
    this.note = note;
    this.witness = witness;
    // For a lasso: the position to which the run returns, and the values of subformulas along it.
    this.circle = circle;
    this.parts = parts;
    this.#show();
  }

  /** Plays the witness of an answer. */
  open(play, title) {
    if (play.trace === null) {
      this.load([], `${title}: a witness of ${play.firings} firings, too long for this page`);
      return;
    }
    const runs = [];
    let left = play.firings;
    const flat = data.traces[play.trace];
    for (let at = 0; at < flat.length && left > 0; at += 2) {
      const count = Math.min(flat[at + 1], left);
      runs.push([flat[at], count]);
      left -= count;
    }
    let note = () => "";
    if (play.pump !== undefined && play.pump !== null) {
      const loop = data.traces[play.pump];
      const length = loop.filter((_, at) => at % 2).reduce((sum, count) => sum + count, 0);
      const rounds = play.comes_back ? 1 : ROUNDS;
      for (let round = 0; round < rounds; round++) {
        for (let at = 0; at < loop.length; at += 2) runs.push([loop[at], loop[at + 1]]);
      }
      note = (position) => {
        const inside = position - play.firings;
        if (inside < 0) return " — the prefix";
        if (play.comes_back) return ` — the cycle, which repeats forever: ${inside} of ${length}`;
        const rounds = Math.floor(inside / length);
        return ` — the cycle can repeat forever: round ${Math.min(rounds + 1, ROUNDS)} of the ${ROUNDS} shown`;
      };
    }
    this.load(runs, title, note, null, play.comes_back ? play.firings : null, play.parts || []);
    this.#follow();
  }

  get length() {
    return this.ends.length ? this.ends[this.ends.length - 1] : 0;
  }

  /** Returns the entry of the list that contains the firing after `position`. */
  #runAt(position) {
    let [low, high] = [0, this.ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.ends[middle] > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Moves to a position, forwards or backwards. */
  #to(position) {
    if (!this.runs) {
      this.position = 0;
      return;
    }
    const changed = new Set();
    while (this.position !== position) {
      const on = position > this.position;
      const run = this.#runAt(on ? this.position : this.position - 1);
      const [t, count] = this.runs[run];
      const begin = this.ends[run] - count;
      const next = on ? Math.min(this.ends[run], position) : Math.max(begin, position);
      fire(this.marking, t, next - this.position);
      this.position = next;
      for (const [p] of takes[t]) changed.add(p);
      for (const [p] of puts[t]) changed.add(p);
    }
    const affected = new Set();
    for (const p of changed) for (const t of consumers[p]) affected.add(t);
    for (const t of affected) {
      if (isEnabled(this.marking, t)) this.enabled.add(t);
      else this.enabled.delete(t);
    }
  }

  go(position) {
    this.#to(Math.max(0, Math.min(this.length, position)));
    this.#show();
  }

  /** Fires the next transition with an animation of its tokens. */
  step() {
    if (this.position >= this.length && this.circle !== null) this.#to(this.circle);
    if (this.position >= this.length) return false;
    const t = this.runs[this.#runAt(this.position)][0];
    this.go(this.position + 1);
    this.#follow();
    this.drawing.move(t, this.timer ? Number(byId("speed").value) * 0.9 : 600);
    return this.position < this.length || this.circle !== null;
  }

  /** In a view of a part, shows the part around the current step. */
  #follow() {
    const run = this.runs[this.#runAt(Math.max(0, this.position - 1))];
    // At a final deadlock, the waiting transitions are highlighted and visible.
    if (!run || this.stopped) return;
    const key = placeCount + run[0];
    if (this.drawing.view.kind === "groups" || !this.drawing.nodes.has(key)) {
      look("around", [key]);
    } else this.drawing.reveal([key]);
  }

  toggle() {
    if (this.timer) return this.pause();
    if (!this.length) return undefined;
    if (this.position >= this.length && this.circle === null) this.go(0);
    const tick = () => {
      const more = this.step();
      if (more) this.timer = setTimeout(tick, Number(byId("speed").value));
      else this.pause();
    };
    this.timer = setTimeout(tick, 50);
    this.#show();
    return undefined;
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    if (this.runs) this.#show();
  }

  /** Fires by hand. This leaves the witness unless the witness fires the same transition next. */
  fireByHand(t) {
    this.pause();
    if (!this.enabled.has(t)) return;
    const next = this.runs[this.#runAt(this.position)];
    if (this.position < this.length && next[0] === t) {
      this.step();
      return;
    }
    if (!this.witness && this.title !== "Fire by hand") {
      this.witness = {
        runs: this.runs, title: this.title, note: this.note, position: this.position,
        circle: this.circle, parts: this.parts,
      };
    }
    this.circle = null;
    this.parts = [];
    const cut = this.#runAt(this.position);
    const runs = this.runs.slice(0, cut);
    const begin = cut ? this.ends[cut - 1] : 0;
    if (this.position > begin) runs.push([this.runs[cut][0], this.position - begin]);
    runs.push([t, 1]);
    this.runs = runs;
    this.ends = [];
    let total = 0;
    for (const [, count] of runs) this.ends.push((total += count));
    if (this.witness) this.note = () => " — by hand";
    this.step();
  }

  rejoin() {
    const { runs, title, note, position, circle, parts } = this.witness;
    this.load(runs, title, note, null, circle, parts);
    this.go(position);
  }

  #show() {
    this.drawing.mark(this.marking, this.enabled);
    byId("play-title").textContent = this.title;
    byId("rejoin").hidden = !this.witness;
    byId("leave").hidden = this.title === "Fire by hand";
    const slider = byId("position");
    slider.max = this.length;
    slider.value = this.position;
    slider.disabled = !this.length;
    byId("count").textContent = `${this.position} / ${this.length}`;
    byId("play").textContent = this.timer ? "Pause" : "Play";
    byId("play").setAttribute("aria-label", this.timer ? "Pause" : "Play");
    for (const id of ["first", "back"]) byId(id).disabled = this.position === 0;
    for (const id of ["step", "last"]) byId(id).disabled = this.position >= this.length;
    if (this.circle !== null) byId("step").disabled = false;
    byId("play").disabled = !this.length;
    this.#now();
    this.#light();
    this.#buttons();
    const panel = byId("node");
    if (!panel.hidden) panel.querySelector(".facts").textContent = factsOf(panel.chosen);
  }

  #now() {
    const now = byId("now");
    const dead = this.#stop();
    if (this.position === 0) {
      now.replaceChildren(`The initial marking${this.note(0)}.`, ...dead);
      return;
    }
    const [t] = this.runs[this.#runAt(this.position - 1)];
    now.replaceChildren(
      `Firing ${this.position}: `, make("b", {}, saidOf(placeCount + t)),
      `${this.note(this.position)}.`, ...dead,
    );
  }

  /** Describes and highlights a dead marking: the marked places, and the missing tokens of transitions that have
      some of their input tokens. Returns nothing if a transition is enabled. */
  #stop() {
    if (this.enabled.size > 0) {
      if (this.stopped) unlight();
      this.stopped = false;
      return [];
    }
    if (isDone(this.marking)) return [" No transition is enabled: the case is completed."];
    const waiting = waitingIn(this.marking);
    const notes = new Map();
    this.marking.forEach((tokens, p) => { if (tokens > 0n) notes.set(p, "marked"); });
    for (const [t, lacks] of waiting) {
      const first = saidOf(lacks[0]);
      notes.set(placeCount + t, `lacks tokens on ${lacks.length > 1 ? `${first} …` : first}`);
    }
    if (this.drawing.nodes && !this.stopped) light(notes, "A deadlock: the marked places and the blocked transitions");
    this.stopped = true;
    const said = waiting.slice(0, MOST_WAITING).flatMap(([t, lacks]) => [
      make("br"), reference(placeCount + t), " lacks tokens on ",
      ...lacks.flatMap((p, at) => [at ? " and " : "", reference(p)]),
    ]);
    const more = waiting.length - MOST_WAITING;
    return [" No transition is enabled: a deadlock.", ...said,
      ...(more > 0 ? [make("br"), `and ${plural(more, "more transition")}`] : [])];
  }

  /** Shows the subformulas of the property, highlighting those that hold at the current position. */
  #light() {
    const at = this.circle !== null && this.position >= this.length ? this.circle : this.position;
    const part = ({ text, holds }) => {
      const isLit = holds[at] === "1";
      return make("li", { class: isLit ? "part lit" : "part" }, ...words(text),
        make("span", { class: "muted" }, isLit ? " holds" : " does not hold"));
    };
    byId("parts").hidden = !this.parts.length;
    byId("parts").replaceChildren(...this.parts.map(part));
  }

  #buttons() {
    const enabled = [...this.enabled].sort((a, b) => a - b);
    const next = this.position < this.length ? this.runs[this.#runAt(this.position)][0] : null;
    const had = document.activeElement?.dataset?.fires;
    const some = enabled.slice(0, MOST_BUTTONS);
    if (next !== null && !some.includes(next)) some.unshift(next);
    const buttons = some.map((t) =>
      button(saidOf(placeCount + t), () => this.fireByHand(t), {
        class: `fire${t === next ? " next" : ""}`, "data-fires": t,
        title: `${t === next ? "the next transition of the witness" : "fire this transition"}: ${nameOf(placeCount + t)}`,
      }));
    const left = enabled.length - some.length;
    byId("enabled").replaceChildren(
      make("span", { class: "muted" }, enabled.length ? "Enabled: " : "No transition is enabled. "), ...buttons,
      ...(left > 0 ? [make("span", { class: "muted" }, ` and ${left} more, in the drawing`)] : []),
    );
    if (had === undefined) return;
    // The keyboard focus stays where it was, or moves to the first button.
    const same = buttons.find((one) => one.dataset.fires === had) || buttons[0] || byId("back");
    same.focus({ preventScroll: true });
  }

  #listen() {
    byId("first").addEventListener("click", () => { this.pause(); this.go(0); });
    byId("back").addEventListener("click", () => { this.pause(); this.go(this.position - 1); });
    byId("play").addEventListener("click", () => this.toggle());
    byId("step").addEventListener("click", () => { this.pause(); this.step(); });
    byId("last").addEventListener("click", () => { this.pause(); this.go(this.length); this.#follow(); });
    byId("position").addEventListener("input", (event) => {
      const wanted = Number(event.target.value);
      this.pause();
      this.go(wanted);
      this.#follow();
    });
    byId("rejoin").addEventListener("click", () => this.rejoin());
    byId("leave").addEventListener("click", () => this.load([], "Fire by hand"));
  }
}
