// The sections beside the drawing.

const LEVELS = {
  problem: "Problem", warning: "Look at this", unknown: "Open", good: "Good", note: "Note",
};

const section = (id, title, ...children) =>
  make("section", { id, "aria-labelledby": `${id}-title` },
    make("h2", { id: `${id}-title` }, title), ...children);

const playButton = (play, title, text = "Play it") => {
  if (!play || play.firings === 0 && play.pump === undefined) return null;
  return button(text, () => { player.open(play, title); toFigure(); player.toggle(); }, { class: "main" });
};

/** Shows a certificate line by line, with the nodes of the current line highlighted. */
const certificateReader = (number) => {
  const certificate = data.certificates[number];
  const about = [
    certificate.reduced_by !== undefined
      ? `about the net after ${plural(certificate.reduced_by, "reduction step")}; `
        + "nodes of the original net are highlighted"
      : null,
    certificate.after_witness ? "about the marking after the witness, and those reachable from it" : null,
  ].filter(Boolean).join("; ");
  const read = (pressed, line, at) => {
    pressed.closest("ol").querySelector("[aria-current]")?.removeAttribute("aria-current");
    pressed.setAttribute("aria-current", "step");
    lightNodes(nodesOf(line), `Line ${at + 1} of ${certificate.lines.length}`);
  };
  const item = (line, at) => make("li", {}, make("button", {
    type: "button", class: "reading", click: (event) => read(event.currentTarget, line, at),
    focus: (event) => read(event.currentTarget, line, at),
  }, plainWords(line)));
  const list = () => make("ol", { class: "certificate", keydown: (event) => {
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!way) return;
    const all = [...event.currentTarget.querySelectorAll("button")];
    const next = all[all.indexOf(document.activeElement) + way];
    if (!next) return;
    event.preventDefault();
    next.focus();
  } }, certificate.lines.map(item));
  const title = `Read the certificate: ${certificate.kind}, ${plural(certificate.lines.length, "line")}`;
  return fold(title, () => [about ? make("p", { class: "muted" }, about) : null, list()], { class: "proof" });
};

// The number of sentences of a finding shown at once. The others are folded, and not printed.
const AT_ONCE = 10;

const detailsOf = (details) => {
  const paragraph = (detail) => make("p", { class: "detail" }, words(detail));
  const rest = details.slice(AT_ONCE);
  const folded = rest.length ? [fold(`${rest.length} more`, () => rest.map(paragraph))] : [];
  return [...details.slice(0, AT_ONCE).map(paragraph), ...folded];
};

const findingsSection = () => {
  const items = data.findings.map((finding) => {
    const title = finding.title.map((piece) => {
      const node = nodeOfPiece(piece);
      return node === null ? piece : saidOf(node);
    }).join("");
    const actions = [
      playButton(finding.play, title, finding.play && finding.play.pump !== undefined ? "Play the cycle" : "Play it"),
      nodesOf(finding.title).length
        ? button("Show", () => { lightNodes(nodesOf(finding.title), title); toFigure(); }) : null,
      finding.question !== undefined
        ? make("a", { href: `#question-${finding.question}` }, "Why") : null,
    ].filter(Boolean);
    return make("li", { class: `finding ${finding.level}` },
      make("p", { class: "title" }, make("span", { class: "badge" }, LEVELS[finding.level]),
        words(finding.title)),
      ...detailsOf(finding.details),
      finding.certificate !== undefined ? certificateReader(finding.certificate) : null,
      actions.length ? make("p", { class: "actions" }, ...actions) : null);
  });
  const body = items.length
    ? make("ol", { class: "findings" }, items)
    : make("p", { class: "muted" }, "There are no findings.");
  return section("findings", "Findings", body);
};

/** The nets to which answers refer, if this is not the net of the model's file. */
const NETS = {
  coloured: "about the coloured net",
  unfolding: "about the unfolding: a place for each colour, a transition for each binding",
  translation: "about the place/transition net into which inhibitor and reset arcs are translated",
};

/** Returns a key that can be wrapped only after underscores. */
const breakable = (key) => key.split("_").flatMap((part, at) => (at ? ["_", make("wbr"), part] : [part]));

const capital = (text) => `${text[0].toUpperCase()}${text.slice(1)}`;

const questionsSection = () => {
  const items = data.questions.map((question, at) => {
    const title = question.title && question.title !== question.id ? question.title : question.id;
    const certificates = question.certificates.slice(0, 12);
    const more = question.certificates.length - certificates.length;
    const stands = question.value === null ? null : make("p", { class: "muted" },
      `${question.id} · ${question.grade}`,
      question.techniques.length ? ` · ${question.techniques.join(", ")}` : "",
      ` · ${question.seconds.toFixed(2)} s`,
      NETS[question.net] ? ` · ${NETS[question.net]}` : "",
      question.assumes_units ? " · assumes the model's claim of safe units (NUPN)" : "");
    const tried = question.tried.length ? fold(`Attempts, ${question.seconds.toFixed(1)} s in total`, () =>
      make("table", { class: "plain" }, make("tbody", {}, question.tried.map(([stage, text]) =>
        make("tr", {}, make("th", { scope: "row" }, stage), make("td", {}, words(text))))))) : null;
    const play = playButton(question.play, title);
    return make("li", { id: `question-${at}`, class: "question", tabindex: "-1" },
      make("p", { class: "title" },
        make("span", { class: `value ${question.value === null ? "open" : ""}` }, question.value ?? "open"),
        make("span", {}, title)),
      make("p", { class: "detail" }, words(question.reason)), stands, tried,
      ...certificates.map(certificateReader),
      more > 0 ? make("p", { class: "muted" }, `and ${plural(more, "more certificate")}`) : null,
      play ? make("p", { class: "actions" }, play) : null);
  });
  return section("questions", "Answers and their evidence",
    make("p", { class: "muted" }, GRADES),
    make("ol", { class: "questions" }, items));
};

const netSection = () => {
  const figures = make("dl", { class: "figures" }, data.figures.map(([what, count]) =>
    make("div", {}, make("dt", {}, what), make("dd", {}, count))));
  const form = data.keys.some((key) => key.form);
  const keys = () => make("table", { class: "keys" },
    make("thead", {}, make("tr", {}, ["Key", "Value", form ? "Form" : null, "Why"]
      .filter(Boolean).map((title) => make("th", { scope: "col" }, title)))),
    make("tbody", {}, data.keys.map((key) => make("tr", {
      class: key.form && key.form !== key.value && key.value !== "unknown" ? "conflict" : null },
    make("th", { scope: "row" }, breakable(key.key)), make("td", { class: `truth ${key.value}` }, key.value),
    form ? make("td", {}, key.form ? `form: ${key.form}` : "") : null,
    make("td", { class: "reason" }, words(key.reason),
      key.assumes_units ? " (assumes the model's claim of safe units)" : "")))));
  const about = [...new Set(data.keys.map((key) => NETS[key.net]).filter(Boolean))];
  return section("net", "Size and shape", figures,
    fold(`The ${data.keys.length} properties of the contest's model form, with reasons`, () => [
      about.length ? make("p", { class: "muted" }, `${capital(about.join("; "))}.`) : null,
      make("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Keys" }, keys()),
    ], { open: form }));
};

/** Returns a button that highlights a set of the structure. */
const shapeToggle = (kind, shape) => {
  const notes = new Map();
  for (const [place, factor] of shape.places) notes.set(place, factor && `×${factor}`);
  for (const [t, factor] of shape.transitions) notes.set(placeCount + t, factor && `×${factor}`);
  const toggle = button(null, () => {
    const on = toggle.getAttribute("aria-pressed") === "true";
    if (on) return unlight();
    light(notes, `${kind.title}: ${plural(notes.size, "node")}`);
    toggle.setAttribute("aria-pressed", "true");
    // Highlighting closes the panel of a node, except if the set was chosen there.
    if (toggle.closest("#node")) byId("node").hidden = false;
    return undefined;
  }, { class: "shape-toggle", "aria-pressed": "false" });
  toggle.append(...plainWords(shape.title));
  return toggle;
};

const shapesSection = () => {
  const item = (kind, shape) => make("li", {}, shapeToggle(kind, shape));
  const kinds = data.shapes.map((kind) => {
    const count = `${kind.shapes.length}${kind.incomplete ? " or more" : ""}`;
    return fold(`${kind.title} (${count})`, () => [
      make("p", { class: "muted" }, `${capital(kind.about)}.`,
        kind.incomplete ? ` Incomplete: ${kind.incomplete}.` : ""),
      kind.shapes.length ? make("ol", { class: "shapes" }, kind.shapes.map((shape) => item(kind, shape)))
        : make("p", {}, "None."),
    ]);
  });
  return section("structure", "Structure",
    make("p", { class: "muted" }, "Facts that follow from the arcs alone. Press a line to highlight it in the drawing."),
    ...kinds);
};

const reductionsSection = () => {
  const items = data.reductions.map((one) => {
    const row = (name, at) => make("tr", {}, make("th", { scope: "row" }, name),
      make("td", {}, one.before[at]), make("td", {}, one.after[at]));
    const left = new Map([...one.places.map((p) => [p, ""]), ...one.transitions.map((t) => [placeCount + t, ""])]);
    const rules = one.rules.map(([rule, times]) => `${rule} ×${times}`).join(", ");
    const more = one.applications - one.steps.length;
    const title = `For ${one.keeps}: ${one.before[0] + one.before[1]} → ${one.after[0] + one.after[1]} nodes`;
    return fold(title, () => [
      make("table", { class: "plain" }, make("thead", {}, make("tr", {}, make("td", {}),
        make("th", { scope: "col" }, "before"), make("th", { scope: "col" }, "after"))),
      make("tbody", {}, row("places", 0), row("transitions", 1), row("arcs", 2))),
      make("p", {}, rules ? `Rules: ${rules}.` : "No rule applies.", one.cut_short ? " Stopped at the time limit." : ""),
      left.size ? make("p", { class: "actions" },
        button("Show the remaining nodes", () => {
          light(left, `The remaining nodes for ${one.keeps}`);
          toFigure();
        })) : null,
      one.steps.length ? make("ol", { class: "steps" }, one.steps.map((step) => make("li", {}, words(step)))) : null,
      more > 0 ? make("p", { class: "muted" }, `and ${plural(more, "more application")}`) : null,
    ]);
  });
  return section("reductions", "Reductions",
    make("p", { class: "muted" },
      "Smaller nets that preserve the answer to one question. The engines work on such nets."),
    ...items);
};

/** Functions of a node that return more facts about it, as texts. */
const moreFacts = [];
/** Functions of a node that return more elements for its panel. */
const moreAboutNodes = [];

/** Describes a node in a line, in the current marking. */
const factsOf = (node) => {
  const facts = [];
  if (isPlace(node)) {
    const bound = data.bounds[node];
    const initial = initialMarking()[node];
    const tokens = (count) => `${count} ${count === 1n ? "token" : "tokens"}`;
    facts.push(`${tokens(initial)} initially`);
    if (player.position > 0) facts.push(`${tokens(player.marking[node])} now`);
    if (bound) facts.push(bound.most === "+inf" ? "unbounded" : `at most ${bound.most} in every reachable marking`);
  } else {
    const fate = data.fates[node - placeCount];
    if (fate) facts.push(fate.fires ? "can fire" : "can never fire");
    facts.push(player.enabled.has(node - placeCount) ? "enabled now" : "not enabled now");
  }
  const known = isPlace(node) ? data.bounds[node] : data.fates[node - placeCount];
  if (!known && verdictOf(node)) facts.push(verdictOf(node).text);
  for (const more of moreFacts) facts.push(...more(node));
  return facts.join(" · ");
};

/** The largest number of sets through a node that its panel lists. */
const MOST_SETS = 12;

/** Lists the invariants and other sets of the structure that contain a node. */
const setsThrough = (node) => {
  const [kind, index] = isPlace(node) ? ["places", node] : ["transitions", node - placeCount];
  const found = data.shapes.flatMap((shapes) => shapes.shapes
    .filter((shape) => shape[kind].some(([member]) => member === index))
    .map((shape) => [shapes, shape]));
  if (!found.length) return null;
  const items = () => [make("ol", { class: "shapes" }, found.slice(0, MOST_SETS).map(([shapes, shape]) =>
    make("li", {}, shapeToggle(shapes, shape)))),
  found.length > MOST_SETS ? make("p", { class: "muted" }, `and ${found.length - MOST_SETS} more, under Structure`) : null];
  return fold(`Invariants and other sets through it (${found.length})`, items);
};

/** Shows the results about a node. */
const nodePanel = (node) => {
  const panel = byId("node");
  const known = (isPlace(node) ? data.bounds[node] : data.fates[node - placeCount]) ?? verdictOf(node)?.evidence;
  const title = `${isPlace(node) ? "Place" : "Transition"} ${nameOf(node)}`;
  const arcs = (some, towards) => some.length ? make("p", {}, `${towards} `, some.slice(0, 24).flatMap(([other, weight]) =>
    [weight > 1n ? `${weight}× ` : "", reference(other), " "]),
  some.length > 24 ? `and ${some.length - 24} more` : "") : null;
  const sides = isPlace(node)
    ? [arcs(producers[node].map((t) => [placeCount + t, 1n]), "from"), arcs(consumers[node].map((t) => [placeCount + t, 1n]), "to")]
    : [arcs(takes[node - placeCount], "takes from"), arcs(puts[node - placeCount], "puts to")];
  panel.replaceChildren(
    make("div", { class: "player-head" }, make("h2", {}, `${title}${alsoCalled(node)}`),
      button("Close", () => { panel.hidden = true; }, { "aria-label": "Close the chosen node" })),
    make("p", { class: "muted facts" }, factsOf(node)), ...sides.filter(Boolean),
    known?.certificate !== undefined ? certificateReader(known.certificate) : "",
    setsThrough(node) || "", ...moreAboutNodes.map((more) => more(node) || ""),
    make("p", { class: "actions" },
      playButton(known?.play, title, isPlace(node) ? "Play a run that fills it" : "Play a run that fires it") || "",
      button("Show its neighbours", () => look("around", [node]))));
  panel.chosen = node;
  panel.hidden = false;
};
