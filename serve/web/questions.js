// The form for questions.

/** The examinations in groups, each with its words on the page. */
const GROUPS = [
  ["The whole net", [
    ["ReachabilityDeadlock", "Can it deadlock?"],
    ["OneSafe", "Is every place one-safe?"],
    ["QuasiLiveness", "Can every transition fire?"],
    ["Liveness", "Is every transition live?"],
    ["StableMarking", "Does some place keep its tokens?"],
    ["StateSpace", "How many markings are there?"],
  ]],
  ["Each place or transition", [
    ["UpperBoundsAll", "The bound of each place"],
    ["QuasiLivenessAll", "Can each transition fire?"],
    ["LivenessAll", "Is each transition live?"],
    ["StableMarkingAll", "Does each place keep its tokens?"],
  ]],
  ["Soundness (of a workflow net only)", [
    ["Soundness", "Is it sound?"],
    ["WeakSoundness", "Weakly sound?"],
    ["RelaxedSoundness", "Relaxed sound?"],
    ["EasySoundness", "Can a case be completed?"],
  ]],
];

/** The words of the page for each examination. */
const WORDS = new Map(GROUPS.flatMap(([, examinations]) => examinations));

/** The examinations whose questions are in files of a contest instance. */
const FROM_ARCHIVE = ["UpperBounds", "ReachabilityCardinality", "ReachabilityFireability", "CTLCardinality",
  "CTLFireability", "LTLCardinality", "LTLFireability"];

const LANGUAGE = `EF φ  AG φ  AG EF φ  AF φ  EG φ  A (φ U ψ)    computation trees (CTL)
A G (φ -> F ψ)  G φ  F φ  X φ  φ U ψ          all runs (LTL); with E, some run
φ && ψ  φ || ψ  !φ  φ -> ψ                    also and, or, not
p1 + 2*p2 <= 3                                tokens of places
fireable(t1, t2)  deadlock                    enabled transitions
bound(p1 + p2)                                the largest sum
"Pay invoice"  id "p-1"                       names in quotes, ids
name: φ                                       a formula with a name
# comment`;

const isSystem = () => /\.(dot|aut|fsm|pml)(\.gz)?$/.test(data.served.file);
const isArchive = () => data.served.file.endsWith(".tgz");

/** Sends a request for a job. The events of the server show its answers. */
const startJob = (request) => postJson(`/api/nets/${data.served.id}/jobs`, request);

const checkboxes = ([title, examinations]) => make("fieldset", {}, make("legend", {}, title),
  ...examinations.map(([name, words]) => make("label", { class: "check" },
    make("input", { type: "checkbox", name: "examination", value: name }), make("span", {}, words))));

const askSection = () => {
  const formulas = make("textarea", {
    id: "formulas", rows: "4", spellcheck: "false", autocomplete: "off", role: "combobox", "aria-expanded": "false",
    "aria-controls": "suggestions", "aria-autocomplete": "list", "aria-describedby": "formulas-help",
  });
  const suggestions = make("ul", { id: "suggestions", class: "hits", role: "listbox", "aria-label": "Names", hidden: true });
  setUpCompletion(formulas, suggestions);
  const errors = make("pre", {
    id: "formula-errors", class: "problem-text wide", role: "status", tabindex: "0", "aria-label": "Errors in formulas",
    hidden: true,
  });
  setUpErrors(formulas, errors);
  const properties = make("textarea", { id: "properties", rows: "4", spellcheck: "false", autocomplete: "off" });
  const most = data.about.seconds;
  const seconds = make("input", {
    id: "seconds", type: "number", min: "0.1", max: String(most), step: "any", value: String(Math.min(60, most)),
  });
  const keep = make("input", { type: "checkbox", id: "keep" });
  const problem = make("pre", { id: "ask-problem", class: "problem-text", role: "alert", tabindex: "0", hidden: true });
  const groups = isArchive() ? [...GROUPS, ["Queries of the archive", FROM_ARCHIVE.map((name) => [name, name])]] : GROUPS;
  const ask = async (kind) => {
    const chosen = [...form.querySelectorAll("input[name=examination]:checked")].map((box) => box.value);
    const request = {
      kind, examinations: chosen, formulas: formulas.value, properties: properties.value,
      seconds: Number(seconds.value), keep: keep.checked,
    };
    problem.hidden = true;
    try {
      const { job } = await startJob(request);
      events.begin(job);
      byId("answers").scrollIntoView({ block: "start" });
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    }
  };
  const form = make("form", { class: "ask", submit: (event) => { event.preventDefault(); ask("check"); } },
    make("div", { class: "groups" }, groups.map(checkboxes)),
    make("div", { class: "field" }, make("label", { for: "formulas" }, "Formulas, one per line"),
      make("div", { class: "search" }, formulas, suggestions), errors,
      make("p", { id: "formulas-help", class: "muted" },
        "Names of nodes are completed: arrow keys choose, Enter takes. Example: AG EF ", exampleFormula(), "."),
      fold("The language of formulas", () => make("pre", { class: "wide", tabindex: "0" }, LANGUAGE))),
    isSystem() ? make("div", { class: "field" },
      make("label", { for: "properties" }, "Properties of the system: #1: and a formula over labels in the next line"),
      properties) : null,
    make("p", { class: "row" },
      make("label", {}, "Time limit ", seconds, " s"),
      make("label", { class: "check" }, keep, make("span", {}, "Go on when this page is closed"))),
    problem,
    make("p", { class: "row" }, make("button", { class: "main", id: "ask-button" }, "Ask"),
      button("Write a report", () => ask("report"), { id: "report-button",
        title: "one HTML file with findings, witnesses and certificates, to keep or to send" })));
  return section("ask", "Questions", form);
};

/** Returns a formula about the first transition of the net, as an example. */
const exampleFormula = () =>
  (transitionCount ? `fireable(${inFormula(idOf(placeCount))})` : "deadlock");
