// The verdicts of an examination about each node, grouped by verdict, grade and reason.

const GRADES = "replayed: firing sequences that were replayed on the net. certified: a certificate "
  + "that a checker accepted. searched: an exhaustive search without a certificate.";

// The number of nodes or reasons shown at once. Buttons show the others in portions of this size.
const PORTION = 100;

/** The verdict and the evidence of each node of the page, in an examination about each node. */
const verdictsByNode = new Map();
for (const group of data.node_verdicts?.groups ?? []) {
  const text = group.grade ? `${group.verdict} (${group.grade})` : group.verdict;
  for (const { nodes } of group.reasons) {
    for (const evidence of nodes) nodesOf(evidence.name).forEach((node) => verdictsByNode.set(node, { text, evidence }));
  }
}

const verdictOf = (node) => verdictsByNode.get(node);

/** Appends the items to an element, in portions with a button for the next portion. */
const inPortions = (element, items, makeItem, wrap = (button) => button) => {
  const show = (from) => {
    const portion = items.slice(from, from + PORTION);
    element.append(...portion.map(makeItem));
    const rest = items.length - from - portion.length;
    if (!rest) return;
    const more = wrap(button(`Show ${Math.min(rest, PORTION)} of ${rest} more`, () => {
      more.remove();
      show(from + PORTION);
    }));
    element.append(more);
  };
  show(0);
  return element;
};

/** Returns a sentence as plain text. */
const plainText = (sentence) => sentence.map((piece) => {
  const node = nodeOfPiece(piece);
  return node === null ? piece : saidOf(node);
}).join("");

/** Shows nodes that share a reason. The evidence of a node is shown at the node. A single node also has its evidence
    here, and so has the first of several coloured nodes, which are no nodes of the drawing. */
const reasonItem = (shared) => {
  const item = ({ name }) => make("span", {}, words(name), " ");
  const about = [shared.techniques.join(", "), shared.assumes_units ? "assumes the model's claim of safe units (NUPN)" : ""];
  const [first] = shared.nodes;
  const only = shared.nodes.length === 1 || !nodesOf(first.name).length ? first : null;
  const play = only && playButton(only.play, plainText(only.name));
  return make("li", { class: "question" },
    inPortions(make("p", { class: "title nodes" }), shared.nodes, item),
    make("p", { class: "detail" }, words(shared.reason)),
    about.some(Boolean) ? make("p", { class: "muted" }, about.filter(Boolean).join(" · ")) : null,
    only && only.certificate !== undefined ? certificateReader(only.certificate) : null,
    play ? make("p", { class: "actions" }, play) : null);
};

const verdictGroup = (group, kind, open) => {
  const title = `${capital(group.verdict)}: ${plural(group.count, kind)}${group.grade ? ` · ${group.grade}` : ""}`;
  return fold(title, () => {
    const nodes = group.reasons.flatMap((shared) => shared.nodes.flatMap(({ name }) => nodesOf(name)));
    const show = nodes.length ? make("p", { class: "actions" },
      button("Show in the drawing", () => { lightNodes(nodes, title); toFigure(); })) : null;
    const list = make("ol", { class: "questions" });
    return [show, inPortions(list, group.reasons, reasonItem, (more) => make("li", {}, more))];
  }, { open });
};

const nodesSection = () => {
  const verdicts = data.node_verdicts;
  const groups = verdicts.groups.map((group) => verdictGroup(group, verdicts.kind, verdicts.nodes <= 20));
  const tried = verdicts.tried.length ? fold(`Attempts, ${verdicts.seconds.toFixed(1)} s in total`, () =>
    make("table", { class: "plain" }, make("tbody", {}, verdicts.tried.map(([stage, text]) =>
      make("tr", {}, make("th", { scope: "row" }, stage), make("td", {}, words(text))))))) : null;
  return section("questions", `Verdict for each ${verdicts.kind}`,
    make("p", { class: "detail" }, `${verdicts.title} ${verdicts.summary}`),
    make("p", { class: "muted" }, GRADES, " Choose a node to see its evidence."),
    ...groups, ...[tried].filter(Boolean));
};
