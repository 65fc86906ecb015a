// Starts `parikh serve`, opens its page in headless Chromium, and does what a user does: drops five nets of different
// kinds, asks three questions about each, plays a witness and a lasso, cancels a job, reloads the page, downloads
// evidence and lets parikh-certify confirm it, closes the page while a job runs. Fails on anything on the console, any
// request to another server, and serious findings of an accessibility checker. Not part of scripts/test.sh, for the
// reasons given in scripts/report-browser.mjs:
//
//   apt-get install chromium; npm install --prefix /tmp/web playwright-core axe-core
//   NODE_PATH=/tmp/web/node_modules node scripts/serve-browser.mjs [--programs DIR] [--shots DIR]
//
// --programs is the directory of parikh and parikh-certify, by default target/debug. With --shots, pages are
// photographed, 1280 and 400 px wide, light and dark: for somebody to look at.

import { execFileSync, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";

const require = createRequire(import.meta.url);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
  "--disable-background-networking", "--disable-component-update"];

const option = (name, usual) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? usual : process.argv[at + 1];
};
const programs = option("--programs", "target/debug");
const shots = option("--shots", null);
const work = mkdtempSync(join(tmpdir(), "serve-browser-"));
if (shots) mkdirSync(shots, { recursive: true });

let failures = 0;
const check = (what, holds, more = "") => {
  if (!holds) failures++;
  console.log(`${holds ? "ok    " : "FAILED"} ${what}${holds ? "" : ` ${more}`}`);
};

/** Starts a server on the same directory. Returns its process and the address of its page. */
const start = () => new Promise((resolve, reject) => {
  const server = spawn(join(programs, "parikh"), ["serve", "--port", "0", "--dir", join(work, "nets")]);
  let said = "";
  server.stdout.on("data", (text) => {
    said += text;
    if (said.includes("\n")) resolve({ server, address: said.trim() });
  });
  server.on("error", reject);
  server.on("exit", (code) => reject(new Error(`parikh serve ended with ${code}`)));
});

const INHIBITOR = `<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="free"><initialMarking><text>2</text></initialMarking></place>
<place id="busy"/><place id="stop"><initialMarking><text>1</text></initialMarking></place>
<transition id="take"/><transition id="open"/><transition id="give"/>
<arc id="a1" source="free" target="take"/><arc id="a2" source="take" target="busy"/>
<arc id="a3" source="stop" target="take"><type value="inhibitor"/></arc>
<arc id="a4" source="stop" target="open"/><arc id="a5" source="busy" target="give"/>
<arc id="a6" source="give" target="free"/></page></net></pnml>`;
writeFileSync(join(work, "inhibitor.pnml"), INHIBITOR);
// A net on which some questions take longer than this script.
const counter = (bits) => {
  const lines = ["net counter"];
  for (let bit = 0; bit < bits; bit++) {
    const lower = Array.from({ length: bit }, (_, at) => at);
    lines.push(`pl z${bit} (1)`, `tr t${bit} z${bit} ${lower.map((at) => `o${at}`).join(" ")} -> o${bit} `
      + lower.map((at) => `z${at}`).join(" "));
  }
  return `${lines.join("\n")}\n`;
};
writeFileSync(join(work, "counter.net"), counter(60));

const NETS = [
  ["examples/mutex.pnml", ["OneSafe", "Liveness"], "G F (idle_1 >= 1)"],
  ["examples/philosophers-coloured.pnml", ["ReachabilityDeadlock", "OneSafe"], "EF deadlock"],
  ["examples/orders.pnml", ["Soundness", "ReachabilityDeadlock"], "EF deadlock"],
  [join(work, "inhibitor.pnml"), ["OneSafe", "QuasiLiveness"], "bound(busy)"],
  ["examples/post.dot", ["ReachabilityDeadlock", "OneSafe"], "AG EF deadlock"],
];

let { server, address } = await start();
const origin = new URL(address).origin;
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: quiet });
const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true });
const heard = [];
const open = async () => {
  const page = await context.newPage();
  page.on("console", (message) => heard.push(message.text()));
  page.on("pageerror", (error) => heard.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(new URL(address).origin) && !/^(data|blob):/.test(request.url())) {
      heard.push(`asks for ${request.url()}`);
    }
  });
  return page;
};
let page = await open();

/** Photographs a page in both widths and themes. */
const photograph = async (name) => {
  if (!shots) return;
  for (const width of [1280, 400]) {
    for (const theme of ["light", "dark"]) {
      await page.setViewportSize({ width, height: 900 });
      await page.evaluate((theme) => { document.documentElement.dataset.theme = theme; }, theme);
      await page.waitForTimeout(200);
      await page.screenshot({ path: join(shots, `${name}-${width}-${theme}.png`), fullPage: width === 400 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      check(`${name} fits ${width} px, ${theme}`, wide <= width, `${wide} px`);
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 });
};

/** Runs the accessibility checker in both themes. */
const accessible = async (name) => {
  for (const theme of ["light", "dark"]) {
    await page.evaluate((theme) => { document.documentElement.dataset.theme = theme; }, theme);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
    const bad = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
    check(`${name} is accessible, ${theme}`, bad.length === 0,
      bad.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ").slice(0, 300)}`).join("; "));
  }
};

/** Drops a file on the page, as from a file manager. */
const drop = async (file) => {
  const content = readFileSync(file).toString("base64");
  const transfer = await page.evaluateHandle(([content, name]) => {
    const transfer = new DataTransfer();
    const bytes = Uint8Array.from(atob(content), (c) => c.charCodeAt(0));
    transfer.items.add(new File([bytes], name));
    return transfer;
  }, [content, basename(file)]);
  await page.dispatchEvent("#drop", "drop", { dataTransfer: transfer });
  await page.waitForURL("**/nets/*");
  await page.waitForSelector("#ask-button");
};

/** Presses a button that starts a job, and waits until the job is listed. */
const startsJob = async (button) => {
  const before = await page.locator("#jobs > .job").count();
  await page.click(button);
  await page.waitForFunction((before) => document.querySelectorAll("#jobs > .job").length > before, before);
};

/** Presses a button that starts a job, and waits until the job has ended. Returns its state. */
const ended = async (button) => {
  await startsJob(button);
  await page.waitForSelector("#jobs > .job:first-child .files button", { timeout: 90000 });
  return page.textContent("#jobs > .job:first-child .job-state");
};

const choose = async (names) => {
  for (const box of await page.locator("input[name=examination]").all()) {
    await box.setChecked(names.includes(await box.inputValue()));
  }
};

const position = async () => Number(await page.inputValue("#position"));
const playToTheEnd = async () => {
  const end = Number(await page.getAttribute("#position", "max"));
  await page.waitForFunction((end) => Number(document.querySelector("#position").value) === end, end, { timeout: 30000 });
  return end;
};

await page.goto(address);
await page.waitForSelector("#list li");
check("the token leaves the address", !page.url().includes("token"));
await accessible("the first page");
await photograph("start");

for (const [file, examinations, formula] of NETS) {
  const name = basename(file);
  await page.goto(`${origin}/`);
  await page.waitForSelector("#list li");
  await drop(file);
  check(`${name} is drawn`, (await page.locator("#canvas .node").count()) > 2);
  await choose(examinations);
  await page.fill("#formulas", formula);
  const state = await ended("#ask-button");
  const answers = await page.locator("#jobs > .job:first-child .value").allTextContents();
  check(`${name}: three answers (${answers.join(", ")})`, answers.length === 3 && !answers.includes("open"), state);
  const meta = await page.locator("#jobs > .job:first-child .question > .muted").first().textContent();
  check(`${name}: evidence, engine and time (${meta})`, /certified|replayed|searched/.test(meta) && / s/.test(meta));
  const [saved] = await Promise.all([
    page.waitForEvent("download"), page.click("#jobs > .job:first-child button:text-is('Evidence')"),
  ]);
  const archive = join(work, `${name}.tar.gz`);
  await saved.saveAs(archive);
  const folder = join(work, `evidence-${name}`);
  mkdirSync(folder);
  execFileSync("tar", ["xzf", archive, "-C", folder]);
  await page.click("#jobs > .job:first-child button:text-is('Command line')");
  const audit = await page.textContent("#jobs .files code.audit");
  let said;
  try {
    said = execFileSync("sh", ["-c", audit], {
      cwd: folder, encoding: "utf8", env: { ...process.env, PATH: `${resolve(programs)}:${process.env.PATH}` },
    });
  } catch (error) {
    said = `${error.stdout}${error.stderr}`;
  }
  check(`${name}: parikh-certify confirms the evidence`, /^3 of 3 answers confirmed$/m.test(said), said);
}

// A witness of the coloured net, and a lasso of the first net.
const openNet = async (name) => {
  await page.goto(`${origin}/`);
  await page.click(`#list a:text-is("${name}")`);
  await page.waitForSelector("#jobs .job");
};
await openNet("philosophers-coloured.pnml");
await page.selectOption("#speed", "60");
await page.click("#jobs .actions .main");
check(`a witness of ${await playToTheEnd()} firings is played`, true);
check("it ends in a deadlock", (await page.textContent("#now")).includes("a deadlock"));
await openNet("mutex.pnml");
await page.selectOption("#speed", "60");
await page.click("#jobs .actions button:text-is('Play the cycle')");
await page.waitForFunction(() => document.querySelector("#now").textContent.includes("repeats forever"));
const length = Number(await page.getAttribute("#position", "max"));
await page.waitForFunction((end) => Number(document.querySelector("#position").value) === end, length);
check(`a lasso of ${length} firings is played`, true);
await page.click("#play");

// Properties of a system.
await openNet("post.dot");
await choose([]);
await page.fill("#formulas", "");
await page.fill("#properties", readFileSync("examples/post-properties.txt", "utf8"));
await ended("#ask-button");
const values = await page.locator("#jobs > .job:first-child .value").allTextContents();
check(`properties of a system (${values.join(", ")})`, values.length === 6 && !values.includes("open"));
check("a run that violates one is written out", (await page.textContent("#jobs .formula")).includes("forever"));
await openNet("mutex.pnml");

// Each node.
await choose(["UpperBoundsAll", "LivenessAll"]);
await page.fill("#formulas", "");
await ended("#ask-button");
await page.locator("#canvas .node.place").first().click();
check("a place shows its bound", (await page.textContent("#node .facts")).includes("at most"));
check("and the invariants through it", (await page.textContent("#node summary")).includes("through it"));
await page.fill("#search", "enter_1");
await page.keyboard.press("Enter");
check("a transition shows its liveness", (await page.textContent("#node .facts")).includes("live"));
await ended("#node button:text-is('Can it fire?')");
await page.waitForFunction(() => document.querySelector("#node .facts").textContent.includes("can fire"));
check("a question about one node is answered in its panel", true);

// Formulas: completion by keyboard, and an error with a caret.
await page.fill("#formulas", "");
await page.focus("#formulas");
await page.keyboard.type("EF crit");
check("names are completed", (await page.locator("#suggestions li").first().textContent()).startsWith("critical_1"));
await page.keyboard.press("ArrowDown");
await page.keyboard.press("Enter");
check("a name is taken", (await page.inputValue("#formulas")) === "EF critical_1");
await page.keyboard.type(" >= ");
await page.waitForSelector("#formula-errors:not([hidden])");
const written = await page.textContent("#formula-errors");
check("an error is shown while a formula is written", /^line 1, column 17: .*\n.*\n\s+\^/.test(written), written);
await page.keyboard.type("1");
await page.waitForSelector("#formula-errors[hidden]", { state: "attached" });
check("and is gone when it is mended", true);
await page.keyboard.press("Backspace");
await page.waitForSelector("#formula-errors:not([hidden])");
await choose([]);
await ended("#ask-button");
const notes = await page.textContent("#jobs > .job:first-child .notes");
check("an error has a caret", /\n\s+\^/.test(notes), notes);
await accessible("the page of a net");
await photograph("net");
await page.locator("#canvas .node.place").first().click();
await photograph("node");

// The report, and the command line.
await page.fill("#formulas", "");
await ended("#report-button");
const [report] = await Promise.all([
  page.waitForEvent("download"), page.click("#jobs > .job:first-child button:text-is('Report')"),
]);
await report.saveAs(join(work, "report.html"));
check("a report is downloaded", readFileSync(join(work, "report.html"), "utf8").includes("<title>"));
await page.click("#jobs > .job:first-child button:text-is('Command line')");
check("the command line is shown", (await page.textContent("#jobs .files code")).startsWith("parikh report mutex.pnml"));

// A job is cancelled; another one ends because its page is closed.
await page.goto(`${origin}/`);
await page.waitForSelector("#list li");
await drop(join(work, "counter.net"));
await page.check("input[value=ReachabilityDeadlock]");
await page.fill("#formulas", "A G F (o59 >= 1)");
await startsJob("#ask-button");
await page.waitForSelector(".job-state.running");
await page.click("#jobs .job-head button:text-is('Cancel')");
await page.waitForSelector(".job-state.cancelled", { timeout: 5000 });
check("a job is cancelled", true);
await page.reload();
await page.waitForSelector(".job-state.cancelled");
check("a reload shows what was", true);
await page.check("input[value=ReachabilityDeadlock]");
await page.fill("#formulas", "A G F (o59 >= 1)");
await startsJob("#ask-button");
await page.waitForSelector(".job-state.running");
await photograph("running");
await page.close();
await new Promise((resolve) => { setTimeout(resolve, 12000); });
page = await open();
await page.goto(address);
await openNet("counter.net");
await page.waitForSelector(".job-state");
const states = await page.locator(".job-state").allTextContents();
check("a job ends with its page", states.every((state) => state === "cancelled"), states.join(", "));

// Browsers open six connections to a server. More pages work, too.
const tabs = [];
for (let tab = 0; tab < 9; tab++) {
  const more = await open();
  tabs.push(more);
  await more.goto(`${page.url()}#${new URL(address).hash.slice(1)}`);
  await more.waitForSelector(".job-state", { timeout: 6000 });
}
check("nine more tabs of a net are loaded", true);
for (const tab of tabs) await tab.close();

// Each answer has its own formula.
await openNet("mutex.pnml");
await choose(["ReachabilityDeadlock"]);
await page.fill("#formulas", "formula-2: EF lock >= 1\n\nAG lock <= 0\nlock: EF lock >= 2");
await ended("#ask-button");
const named = await page.locator("#jobs > .job:first-child .question").evaluateAll((items) =>
  items.map((item) => [...item.querySelectorAll(".title span, p.formula")].map((part) => part.textContent).join(" | ")));
for (const line of ["TRUE | formula-2 | EF lock >= 1", "FALSE | formula-3 | AG lock <= 0",
  "FALSE | lock | EF lock >= 2"]) check(`answers have their formulas: ${line}`, named.includes(line), named.join("; "));
check("formulas come first, and questions have words",
  named[3] === "FALSE | Can it deadlock? | ReachabilityDeadlock", named[3]);
await page.fill("#formulas", "\nEF lock >= 1\nAG (lock = ");
await choose([]);
await ended("#ask-button");
const where = await page.textContent("#jobs > .job:first-child .notes");
check("an error names the line of the field", where.startsWith("line 3, column "), where);

// Withdrawn answers do not stay as verdicts.
const EVENTS = [
  { begin: true },
  { job: { number: 1, request: { kind: "check", examinations: ["UpperBoundsAll"], nodes: [], formulas: "", properties: "" },
    status: { state: "running" }, command: "", audit: "" } },
  { of: 1, answer: { type: "answer", examination: "UpperBoundsAll", id: "lock", value: 7, reason: "for a test",
    evidence: "searched", techniques: [], seconds: 1, net: "model" } },
  { of: 1, answer: { type: "withdrawn", examination: "UpperBoundsAll", id: "lock", reason: "an assumption is wrong" } },
  { of: 1, answer: { type: "withdrawn", figure: "markings", reason: "an assumption is wrong" } },
];
let isSent = false;
await page.route("**/events?page=*", (route) => {
  route.fulfill({ body: isSent ? "" : EVENTS.map((event) => `${JSON.stringify(event)}\n`).join("") });
  isSent = true;
});
await openNet("mutex.pnml");
const withdrawn = await page.locator("#jobs .question .title").allTextContents();
check("withdrawn answers are open", withdrawn.join(", ") === "openlock, openmarkings", withdrawn.join(", "));
await page.fill("#search", "lock");
await page.keyboard.press("Enter");
check("and their facts are forgotten", !(await page.textContent("#node .facts")).includes("at most 7"));
await page.unroute("**/events?page=*");

// A restart keeps what was finished.
const before = heard.splice(0);
server.removeAllListeners("exit");
const gone = new Promise((resolve) => { server.on("exit", resolve); });
server.kill("SIGTERM");
check(`the server ends by SIGTERM with code ${await gone}`, true);
await page.waitForFunction(() => document.querySelector("#connection").textContent.includes("lost"));
check("the page says that the server has ended", true);
await page.close();
// Meanwhile the page could not connect.
heard.splice(0);
({ server, address } = await start());
page = await open();
await page.goto(address);
await page.waitForSelector("#list a");
check("all nets are there after a restart", (await page.locator("#list a").count()) === 6);
await page.click('#list a:text-is("orders.pnml")');
await page.waitForSelector(".job-state.done");
check("and their answers", (await page.locator("#jobs .value").count()) === 3);
check("nothing on the console, no requests elsewhere", before.length + heard.length === 0, [...before, ...heard].join("; "));

await browser.close();
server.removeAllListeners("exit");
server.kill("SIGTERM");
rmSync(work, { recursive: true, force: true });
process.exit(failures ? 1 : 0);
