// Completion of names and keywords in the field for formulas.

const KEYWORDS = ["EF", "AG", "AF", "EG", "EX", "AX", "A", "E", "G", "F", "X", "U", "fireable(", "fires(", "deadlock",
  "bound(", "tokens(", "true", "false", "not", "and", "or"];

/** The largest number of suggestions. */
const MOST_SUGGESTIONS = 8;

/** Returns a name as formulas have it: in quotes unless it is a plain word and no keyword. */
const inFormula = (name) => {
  const isPlain = /^[A-Za-z_][A-Za-z0-9_.]*$/.test(name) && !KEYWORDS.some((word) => word.replace("(", "") === name);
  return isPlain ? name : `id ${JSON.stringify(name)}`;
};

/** Returns the word that ends at the cursor of a field, and its beginning. A quotation mark may be in front, or `id` and
    a quotation mark, which the completion replaces, too. */
const wordAtCursor = (field) => {
  const before = field.value.slice(0, field.selectionStart);
  const [word] = before.match(/((\bid\s*)?")?[A-Za-z_][A-Za-z0-9_.-]*$/) ?? [""];
  return [word, before.length - word.length];
};

/** Returns nodes and keywords that begin with a word, or else contain it. */
const suggestionsFor = (word) => {
  const isQuoted = word.includes('"');
  const wanted = word.replace(/^.*"/, "").toLowerCase();
  if (!wanted) return [];
  const found = [];
  for (let node = 0; node < nodeCount && found.length < 400; node++) {
    const id = idOf(node);
    const at = id.toLowerCase().indexOf(wanted);
    if (at >= 0) found.push([at === 0 ? 0 : 2, inFormula(id), isPlace(node) ? "place" : "transition"]);
  }
  for (const keyword of isQuoted ? [] : KEYWORDS) {
    if (keyword.toLowerCase().startsWith(wanted) && keyword !== word) found.push([1, keyword, "keyword"]);
  }
  return found.sort((a, b) => a[0] - b[0]).slice(0, MOST_SUGGESTIONS)
    .filter(([, text]) => text !== word);
};

/** Adds completion to a text field. `list` is the element of the suggestions. */
const setUpCompletion = (field, list) => {
  let [chosen, start] = [-1, 0];
  const close = () => {
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
    chosen = -1;
  };
  const mark = (next) => {
    const all = [...list.children];
    chosen = (next + all.length) % all.length;
    all.forEach((item, at) => item.setAttribute("aria-selected", String(at === chosen)));
    field.setAttribute("aria-activedescendant", all[chosen].id);
  };
  const take = (text) => {
    field.setRangeText(text, start, field.selectionStart, "end");
    close();
    field.focus();
  };
  const suggest = () => {
    const [word, begin] = wordAtCursor(field);
    start = begin;
    const found = suggestionsFor(word);
    list.replaceChildren(...found.map(([, text, kind], at) => make("li", {
      role: "option", id: `suggestion-${at}`, "aria-selected": "false",
      pointerdown: (event) => { event.preventDefault(); take(text); },
    }, text, make("span", { class: "muted" }, ` ${kind}`))));
    list.hidden = !found.length;
    field.setAttribute("aria-expanded", String(found.length > 0));
    chosen = -1;
  };
  field.addEventListener("input", suggest);
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    if (event.key === "ArrowDown") mark(chosen + 1);
    else if (event.key === "ArrowUp") mark(chosen < 0 ? -1 : chosen - 1);
    else if (event.key === "Tab" && chosen < 0) {
      close();
      return;
    } else if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0) {
      take(list.children[chosen].firstChild.textContent);
    } else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
};
