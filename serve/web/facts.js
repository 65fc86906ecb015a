// Facts about single nodes that follow from answers, for the panel of a node.

const live = new Map();
const stable = new Map();

/** Remembers an answer about a node, or forgets one that was withdrawn. */
const learn = (answer) => {
  const isWithdrawn = answer.type === "withdrawn";
  if (answer.type !== "answer" && !isWithdrawn) return;
  const [place, transition] = [placeOf(answer.id), transitionOf(answer.id)];
  const isTrue = answer.value === "TRUE";
  if (answer.examination === "UpperBoundsAll" && place !== undefined) {
    data.bounds[place] = isWithdrawn ? undefined : { most: String(answer.value), play: playOf(answer.witness) ?? undefined };
  } else if (answer.examination === "QuasiLivenessAll" && transition !== undefined) {
    data.fates[transition] = isWithdrawn ? undefined : { fires: isTrue, play: playOf(answer.witness) ?? undefined };
  } else if (answer.examination === "LivenessAll" && transition !== undefined) {
    if (isWithdrawn) live.delete(placeCount + transition);
    else live.set(placeCount + transition, isTrue);
  } else if (answer.examination === "StableMarkingAll" && place !== undefined) {
    if (isWithdrawn) stable.delete(place);
    else stable.set(place, isTrue);
  } else return;
  const panel = byId("node");
  if (!panel.hidden) nodePanel(panel.chosen);
};

moreFacts.push((node) => {
  const facts = [];
  if (live.has(node)) facts.push(live.get(node) ? "live" : "not live");
  if (stable.has(node)) facts.push(stable.get(node) ? "always has its initial tokens" : "its tokens can change");
  return facts;
});

/** Offers the questions about a node that are open. */
moreAboutNodes.push((node) => {
  const ask = (text, examination) => button(text, async (event) => {
    event.currentTarget.disabled = true;
    try {
      const { job } = await startJob({
        examinations: [examination], nodes: [idOf(node)], seconds: Math.min(30, data.about.seconds),
      });
      events.begin(job);
    } catch (error) {
      byId("lit-title").textContent = error.message;
    }
  });
  const open = isPlace(node)
    ? [data.bounds[node] ? null : ask("Ask its bound", "UpperBoundsAll"),
      stable.has(node) ? null : ask("Does it keep its tokens?", "StableMarkingAll")]
    : [data.fates[node - placeCount] ? null : ask("Can it fire?", "QuasiLivenessAll"),
      live.has(node) ? null : ask("Is it live?", "LivenessAll")];
  const some = open.filter(Boolean);
  return some.length ? make("p", { class: "actions" }, ...some) : null;
});
