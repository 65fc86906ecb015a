// Opens reports in headless Chromium and does what a reader does: plays a witness to its end, leaves it and
// fires by hand, searches a place, toggles a siphon, reads a certificate; by mouse and by keyboard. Fails on
// anything on the console, any request, and serious findings of an accessibility checker. Not part of
// scripts/test.sh: it wants a browser, and two packages that are installed wherever NODE_PATH says:
//
//   apt-get install chromium; npm install --prefix /tmp/web playwright-core axe-core
//   NODE_PATH=/tmp/web/node_modules node scripts/report-browser.mjs [--shots DIR] report.html …
//
// With --shots, nothing is done but that each page is photographed, 1280 and 400 px wide, light and dark, at its top
// and whole, and printed: for somebody to look at.

import { createRequire } from "node:module";
import { mkdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";

const require = createRequire(import.meta.url);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
  "--disable-background-networking", "--disable-component-update"];

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: quiet });
/** Of a longer witness the beginning is played, and then, after a jump, the end. */
const LONG = 400;
let failures = 0;
let files = process.argv.slice(2);
if (files[0] === "--shots") {
  const [, directory, ...pages] = files;
  mkdirSync(directory, { recursive: true });
  for (const file of pages) await photograph(file, directory);
  files = [];
}
for (const file of files) {
  const check = (what, holds) => {
    if (!holds) failures++;
    console.log(`${holds ? "ok    " : "FAILED"} ${file}: ${what}`);
  };
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const heard = [];
  page.on("console", (message) => heard.push(message.text()));
  page.on("pageerror", (error) => heard.push(error.message));
  page.on("request", (request) => {
    if (!/^(file|data):/.test(request.url())) heard.push(`asks for ${request.url()}`);
  });
  await page.goto(`file://${resolve(file)}`);
  const position = async () => Number(await page.inputValue("#position"));

  const play = page.locator(".finding .actions .main").first();
  if (await play.count()) {
    await page.selectOption("#speed", "60");
    await play.click();
    const end = Number(await page.getAttribute("#position", "max"));
    if (end > LONG) {
      await page.waitForFunction(() => Number(document.querySelector("#position").value) > 20);
      await page.fill("#position", String(end - 100));
      await page.click("#play");
    }
    await page.waitForFunction((end) => Number(document.querySelector("#position").value) === end, end,
      { timeout: 1000 + 400 * Math.min(end, LONG) });
    check(`a witness of ${end} firings is played`, true);
    await page.locator("#position").focus();
    await page.keyboard.press("ArrowLeft");
    check("the slider goes back", (await position()) === end - 1);
    await page.click("#first");
    const other = page.locator("#enabled .fire:not(.next)").first();
    if (await other.count()) {
      await other.click();
      check("firing by hand leaves the witness", await page.isVisible("#rejoin"));
      await page.click("#rejoin");
    }
    await page.click("#leave");
  }
  const hand = page.locator("#enabled .fire").first();
  if (await hand.count()) {
    await hand.focus();
    await page.keyboard.press("Enter");
    check("a transition is fired by the keyboard", (await position()) === 1);
  }

  for (const view of ["Whole", "Around"]) {
    const pressed = page.locator("#views button", { hasText: view });
    if (!(await pressed.count())) continue;
    await pressed.click();
    const crossed = await page.evaluate(crossings);
    check(`no line crosses a node, ${view} ${crossed.join("; ")}`, crossed.length === 0);
  }

  const name = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).net.places[0]);
  await page.locator("#search").focus();
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  check("a place is found", (await page.textContent("#node h2")).startsWith("Place "));

  const siphons = page.locator("#structure details", { hasText: "Minimal siphons" }).first();
  await siphons.locator("summary").click();
  const siphon = siphons.locator(".shape-toggle").first();
  if (await siphon.count()) {
    await siphon.focus();
    await page.keyboard.press("Space");
    check("a siphon is lit", (await page.locator(".node.bright").count()) > 0);
    await siphon.click();
    check("and put out", (await page.locator(".node.bright").count()) === 0);
  }
  const proof = page.locator(".proof").first();
  if (await proof.count()) {
    await proof.locator("summary").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    check("a certificate is read", (await page.textContent("#lit-title")).startsWith("Line 1 of "));
  }

  await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
  await page.waitForTimeout(300);
  for (const theme of ["light", "dark"]) {
    await page.evaluate((theme) => { document.documentElement.dataset.theme = theme; }, theme);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
    const bad = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
    check(`accessible, ${theme} ${bad.map(({ id }) => id).join(" ")}`, bad.length === 0);
  }
  check(`nothing on the console, no requests ${heard.join("; ")}`, heard.length === 0);
  await page.close();
}
/** In the page: lines that run through the box of a node that they do not join. Reads the drawing itself, because the
    scripts of a page keep their names to themselves. */
function crossings() {
  const found = [];
  const nodes = [...document.querySelectorAll("#canvas .node")].map((group) => {
    const [x, y] = group.getAttribute("transform").match(/-?[\d.]+(e-?\d+)?/g).map(Number);
    return { x, y, name: group.querySelector("title").textContent };
  });
  const far = (node, { x, y }) => Math.hypot(node.x - x, node.y - y);
  for (const curve of document.querySelectorAll("#canvas .line .curve")) {
    const length = curve.getTotalLength();
    // A line ends at the edge of its node.
    const joined = [0, length].map((end) => {
      const point = curve.getPointAtLength(end);
      return nodes.reduce((near, node) => (far(node, point) < far(near, point) ? node : near));
    });
    for (const node of nodes.filter((node) => !joined.includes(node))) {
      for (let along = 0; along <= length; along += 2) {
        const { x, y } = curve.getPointAtLength(along);
        if (Math.abs(x - node.x) < 14 && Math.abs(y - node.y) < 14) {
          found.push(`${joined[0].name} to ${joined[1].name} crosses ${node.name}`);
          break;
        }
      }
    }
  }
  return found;
}

/** What a reader sees of a page, on a desk, on a phone and on paper. */
async function photograph(file, directory) {
  const name = join(directory, basename(file, ".html"));
  for (const width of [1280, 400]) {
    for (const theme of ["light", "dark"]) {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: theme });
      await page.goto(`file://${resolve(file)}`);
      await page.waitForTimeout(500);
      await page.screenshot({ path: `${name}-${width}-${theme}.png` });
      await page.screenshot({ path: `${name}-${width}-${theme}-whole.png`, fullPage: true });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      console.log(`${name}: ${width} px, ${theme}: ${wide} px wide`);
      if (theme === "light" && width === 1280) {
        await page.pdf({ path: `${name}.pdf`, format: "A4", printBackground: true });
      }
      await page.close();
    }
  }
}

await browser.close();
process.exit(failures ? 1 : 0);
