// The net and its firing rule: the only logic on this page.
//
// Nodes are numbers: places first, then transitions. Tokens are BigInt, because 2⁵³ is not the limit of nets.

const data = JSON.parse(document.getElementById("data").textContent);
const placeCount = data.net.places.length;
const transitionCount = data.net.transitions.length;
const nodeCount = placeCount + transitionCount;
const isPlace = (node) => node < placeCount;

/** The id of a node in the model. */
const idOf = (node) =>
  isPlace(node) ? data.net.places[node] : data.net.transitions[node - placeCount];

/** What people call a node: the model's name for people where that tells it apart, else its id. */
const nameOf = (node) => {
  const labels = data.net.labels;
  if (!labels) return idOf(node);
  return isPlace(node) ? labels.places[node] : labels.transitions[node - placeCount];
};

/** The same as a sentence or a button has room for; what is clipped stands in titles. */
const saidOf = (node) => {
  const name = nameOf(node);
  return name.length <= 64 ? name : `${name.slice(0, 32)}…${name.slice(-31)}`;
};

/** A name that a node has together with others, which is why it goes by its id. */
const sharedNameOf = (node) => data.net.labels?.shared[node];

/** By transition: [place, weight] of what it takes and puts. */
const takes = Array.from({ length: transitionCount }, () => []);
const puts = Array.from({ length: transitionCount }, () => []);
/** By place: the transitions that take from it. */
const consumers = Array.from({ length: placeCount }, () => []);
const producers = Array.from({ length: placeCount }, () => []);
/** Arcs as they are drawn: one line where as much is put as is taken. */
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

/** Fires a transition so many times, or takes that back when `times` is negative. */
const fire = (marking, t, times) => {
  const factor = BigInt(times);
  for (const [p, weight] of takes[t]) marking[p] -= weight * factor;
  for (const [p, weight] of puts[t]) marking[p] += weight * factor;
};

/** Whether a case is done: of a process, whether its final marking is there, and nothing else. */
const isDone = (marking) => {
  if (!data.net.done) return false;
  const done = new Array(placeCount).fill(0n);
  for (const [p, tokens] of data.net.done) done[p] = BigInt(tokens);
  return marking.every((tokens, p) => tokens === done[p]);
};

/** Transitions with some of the tokens that they take, each with the places that lack some, those that lack
    least first. */
const waitingIn = (marking) => {
  const waiting = [];
  for (let t = 0; t < transitionCount; t++) {
    const lacks = takes[t].filter(([p, weight]) => marking[p] < weight).map(([p]) => p);
    if (lacks.length && lacks.length < takes[t].length) waiting.push([t, lacks]);
  }
  return waiting.sort((a, b) => a[1].length - b[1].length || a[0] - b[0]);
};

/** The nodes next to a node. */
const neighbours = (node) => {
  if (isPlace(node)) {
    const around = new Set([...producers[node], ...consumers[node]]);
    return [...around].map((t) => placeCount + t);
  }
  const t = node - placeCount;
  return [...new Set([...takes[t], ...puts[t]].map(([p]) => p))];
};
