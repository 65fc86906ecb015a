// The net and its firing rule: the only logic on this page.
//
// Nodes are numbers: places first, then transitions. Tokens are BigInt, because nets may have more than 2⁵³.

const data = JSON.parse(document.getElementById("data").textContent);
const placeCount = data.net.places.length;
const transitionCount = data.net.transitions.length;
const nodeCount = placeCount + transitionCount;
const isPlace = (node) => node < placeCount;

/** The id of a node in the model. */
const idOf = (node) =>
  isPlace(node) ? data.net.places[node] : data.net.transitions[node - placeCount];

/** The displayed name of a node: its label if the label is unique, otherwise its id. */
const nameOf = (node) => {
  const labels = data.net.labels;
  if (!labels) return idOf(node);
  return isPlace(node) ? labels.places[node] : labels.transitions[node - placeCount];
};

/** The displayed name, clipped for sentences and buttons. Tooltips show the full name. */
const saidOf = (node) => {
  const name = nameOf(node);
  return name.length <= 64 ? name : `${name.slice(0, 32)}…${name.slice(-31)}`;
};

/** A label that the node shares with other nodes. Such a node is displayed by its id. */
const sharedNameOf = (node) => data.net.labels?.shared[node];

/** For each transition, the pairs [place, weight] of its input and output arcs. */
const takes = Array.from({ length: transitionCount }, () => []);
const puts = Array.from({ length: transitionCount }, () => []);
/** For each place, the transitions that consume from it. */
const consumers = Array.from({ length: placeCount }, () => []);
const producers = Array.from({ length: placeCount }, () => []);
/** Arcs for drawing: one line where a transition puts as many tokens as it takes. */
const lines = [];

for (const [p, t, taken, put] of data.net.arcs) {
  const [less, more] = [BigInt(taken), BigInt(put)];
  const transition = placeCount + t;
  if (less > 0n) {
    takes[t].push([p, less]);
    consumers[p].push(t);
    lines.push({ from: p, to: transition, weight: less, both: less === more });
  }
  if (more > 0n) {
    puts[t].push([p, more]);
    producers[p].push(t);
    if (more !== less) lines.push({ from: transition, to: p, weight: more, both: false });
  }
}

const initialMarking = () => {
  const marking = new Array(placeCount).fill(0n);
  for (const [p, tokens] of data.net.initial) marking[p] = BigInt(tokens);
  return marking;
};

const isEnabled = (marking, t) => takes[t].every(([p, weight]) => marking[p] >= weight);

/** Fires a transition `times` times, or undoes its firings if `times` is negative. */
const fire = (marking, t, times) => {
  const factor = BigInt(times);
  for (const [p, weight] of takes[t]) marking[p] -= weight * factor;
  for (const [p, weight] of puts[t]) marking[p] += weight * factor;
};

/** Returns true if a case is done: the marking is the final marking of the process. */
const isDone = (marking) => {
  if (!data.net.done) return false;
  const done = new Array(placeCount).fill(0n);
  for (const [p, tokens] of data.net.done) done[p] = BigInt(tokens);
  return marking.every((tokens, p) => tokens === done[p]);
};

/** Returns the transitions that have some but not all of their input tokens, each with the places that lack
    tokens. Transitions that lack the fewest places come first. */
const waitingIn = (marking) => {
  const waiting = [];
  for (let t = 0; t < transitionCount; t++) {
    const lacks = takes[t].filter(([p, weight]) => marking[p] < weight).map(([p]) => p);
    if (lacks.length && lacks.length < takes[t].length) waiting.push([t, lacks]);
  }
  return waiting.sort((a, b) => a[1].length - b[1].length || a[0] - b[0]);
};

/** Returns the neighbours of a node. */
const neighbours = (node) => {
  if (isPlace(node)) {
    const around = new Set([...producers[node], ...consumers[node]]);
    return [...around].map((t) => placeCount + t);
  }
  const t = node - placeCount;
  return [...new Set([...takes[t], ...puts[t]].map(([p]) => p))];
};
