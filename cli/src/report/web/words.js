// Functions that create elements, and sentences with nodes in them. Text is only ever set as text.

/** Creates an element with attributes and children. Attributes that are functions become listeners. */
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

/** Returns the node of a piece of a sentence, if the piece is a node. */
const nodeOfPiece = (piece) => {
  if (typeof piece === "string") return null;
  return piece.p !== undefined ? piece.p : placeCount + piece.t;
};

const nodesOf = (sentence) => sentence.map(nodeOfPiece).filter((node) => node !== null);

/** Returns a node's name as a button that chooses the node. */
const reference = (node) =>
  button(saidOf(node), () => choose(node), {
    class: `ref ${isPlace(node) ? "of-place" : "of-transition"}`,
    title: `${isPlace(node) ? "place" : "transition"} ${idOf(node)}`,
  });

/** Returns a sentence whose nodes are buttons. */
const words = (sentence) =>
  sentence.map((piece) => {
    const node = nodeOfPiece(piece);
    return node === null ? piece : reference(node);
  });

/** Returns a sentence as plain text, for use inside a button. */
const plainWords = (sentence) =>
  sentence.map((piece) => {
    const node = nodeOfPiece(piece);
    if (node === null) return piece;
    return make("b", { class: isPlace(node) ? "of-place" : "of-transition" }, saidOf(node));
  });

/** Returns a folded element. Its contents are created when it is first opened. */
const fold = (title, build, attributes = {}) => {
  const details = make("details", attributes, make("summary", {}, title));
  let made = false;
  details.fill = () => {
    if (made) return;
    made = true;
    details.append(...[build()].flat().filter((child) => child !== null && child !== undefined));
  };
  // The toggle event comes late, so the contents are created on the click.
  details.firstChild.addEventListener("click", () => details.fill());
  details.addEventListener("toggle", () => { if (details.open) details.fill(); });
  if (details.open) details.fill();
  return details;
};
