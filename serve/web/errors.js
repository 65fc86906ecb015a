// Errors in the field for formulas, while the user writes.

/** The time after the last key after which formulas are read, in milliseconds. */
const WRITING_PAUSE = 500;

/** A message about a formula: its column, and its text. */
const IN_FORMULA = /^(?:parikh: )?--formula:1:(\d+): (.*)$/s;

/** Returns the errors in the messages about formulas, each with its line and column, the formula, and a caret under the
    position. `written` is the text of the field. */
const errorsIn = (notes, written) => {
  const [messages, formulas] = [notes.split("\n"), written.split("\n")];
  let next = 0;
  return messages.flatMap((message, at) => {
    const [, column, reason] = message.match(IN_FORMULA) ?? [];
    if (reason === undefined) return [];
    // The formula and the caret are the next two lines. Errors come in the order of the formulas.
    const [formula = "", caret = ""] = messages.slice(at + 1);
    const line = formulas.findIndex((text, index) => index >= next && text.trim() === formula.trim());
    next = line + 1;
    const indent = line < 0 ? 0 : formulas[line].search(/\S/);
    const place = line < 0 ? "" : `line ${line + 1}, `;
    return [`${place}column ${Number(column) + indent}: ${reason}\n${formula}\n${caret}`];
  });
};

/** Shows errors in the formulas of a field as soon as the user pauses. `output` is the element for them. */
const setUpErrors = (field, output) => {
  let timer;
  const hasFormula = () => field.value.split("\n").some((line) => line.trim() && !line.trim().startsWith("#"));
  const show = (errors) => {
    output.textContent = errors.join("\n");
    output.hidden = !errors.length;
  };
  const read = async () => {
    const written = field.value;
    let errors = [];
    try {
      if (hasFormula()) {
        const { notes } = await postJson(`/api/nets/${data.served.id}/formulas`, { formulas: written });
        errors = errorsIn(notes, written);
      }
    } catch {
      // Asking shows the same problem, and its reason.
    }
    if (field.value === written) show(errors);
  };
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(read, WRITING_PAUSE);
  });
};
