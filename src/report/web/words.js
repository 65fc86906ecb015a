// Elements, and sentences with nodes in them. Text is only ever set as text.

/** An element with attributes (functions are listeners) and children. */
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
};

const svg = (tag, attributes = {}, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
};

const button = (text, press, attributes = {}) =>
  make("button", { type: "button", click: press, ...attributes }, text ?? "");

const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** The node that a piece of a sentence is, if it is one. */
const nodeOfPiece = (piece) => {
  if (typeof piece === "string") return null;
  return piece.p !== undefined ? piece.p : placeCount + piece.t;
};

const nodesOf = (sentence) => sentence.map(nodeOfPiece).filter((node) => node !== null);

/** A node's name that chooses the node when it is pressed. */
const reference = (node) =>
  button(saidOf(node), () => choose(node), {
    class: `ref ${isPlace(node) ? "of-place" : "of-transition"}`,
    title: `${isPlace(node) ? "place" : "transition"} ${idOf(node)}`,
  });

/** A sentence, its nodes to be pressed. */
const words = (sentence) =>
  sentence.map((piece) => {
    const node = nodeOfPiece(piece);
    return node === null ? piece : reference(node);
  });

/** A sentence to stand in a button itself. */
const plainWords = (sentence) =>
  sentence.map((piece) => {
    const node = nodeOfPiece(piece);
    if (node === null) return piece;
    return make("b", { class: isPlace(node) ? "of-place" : "of-transition" }, saidOf(node));
  });

/** Something to unfold; what is in it is made when it is first opened. */
const fold = (title, build, attributes = {}) => {
  const details = make("details", attributes, make("summary", {}, title));
  let made = false;
  details.fill = () => {
    if (made) return;
    made = true;
    details.append(...[build()].flat().filter((child) => child !== null && child !== undefined));
  };
  // The event comes late: whoever presses the title and goes on at once finds it made.
  details.firstChild.addEventListener("click", () => details.fill());
  details.addEventListener("toggle", () => { if (details.open) details.fill(); });
  if (details.open) details.fill();
  return details;
};
