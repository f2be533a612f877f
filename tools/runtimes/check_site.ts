/**
 * Checks the built documentation site in headless Chromium: accessibility in light and dark mode,
 * console messages, requests to other servers, and the search.
 *
 *     deno task site check                    checks the site that `deno task site` has built
 *     deno task site check /guides /kit       checks only pages whose path begins with one of the arguments
 *     deno task site check --pictures DIR     also writes screenshots
 *
 * @module
 */

import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { readArguments, runTool, ToolError, tryRun } from "../cli.ts";
import { ROOT } from "../members.ts";
import { GUIDE_MENU, listLinks } from "../site/navigation.ts";

/**
 * Maximum time for each action in the browser. A busy machine can need more than the default of 30
 * seconds.
 */
const TIMEOUT_MS = 120_000;

const DIST = new URL("docs/.vitepress/dist/", ROOT);

/** Impacts of axe-core violations that count as errors. */
const SERIOUS: readonly unknown[] = ["serious", "critical"];

/** A word that the search must find, and part of the path of a page that contains the word. */
const SEARCH = { word: "elicitation", page: "client-features" };

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  css: "text/css",
  html: "text/html",
  js: "text/javascript",
  json: "application/json",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

/** Serves the site in the same way as a static server with clean URLs. */
async function serve(request: Request): Promise<Response> {
  const path = decodeURIComponent(new URL(request.url).pathname).slice(1);
  const names = path === "" || path.endsWith("/") ? [`${path}index.html`] : [path, `${path}.html`];
  for (const name of names) {
    try {
      const body = await Deno.readFile(new URL(name, DIST));
      const type = MEDIA_TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
      return new Response(body, { headers: { "content-type": type } });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.IsADirectory)) {
        throw error;
      }
    }
  }
  return new Response("Not found", { status: 404 });
}

async function findChromium(): Promise<string> {
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    const { success, stdout } = await tryRun("sh", ["-c", `command -v ${name}`]);
    if (success) return stdout.trim();
  }
  throw new ToolError("Cannot check the site: Chromium is not installed");
}

/** Checks one page and returns a list of its faults. */
async function checkPage(page: Page, url: string, picture: string | undefined): Promise<string[]> {
  const faults: string[] = [];
  const origin = new URL(url).origin;
  page.on("console", (message) => faults.push(`console: ${message.text()}`));
  page.on("pageerror", ({ message }) => faults.push(`exception: ${message}`));
  page.on("request", (request) => {
    const address = request.url();
    if (!address.startsWith(origin) && !address.startsWith("data:")) {
      faults.push(`request to another server: ${address}`);
    }
  });
  await page.goto(url, { waitUntil: "networkidle" });
  if (await page.locator("main, [role=main]").count() !== 1) {
    faults.push("the page must have exactly one main landmark");
  }
  await page.evaluate(axe.source);
  const violations = await page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, impact, nodes }) =>
      ({ id, impact, html: nodes.map(({ html }) => html.slice(0, 160)).slice(0, 3).join(" ") })))`,
  );
  if (!Array.isArray(violations)) throw new ToolError("axe-core returned no list of violations");
  for (const { id, impact, html } of violations) {
    if (SERIOUS.includes(impact)) faults.push(`axe: ${id} (${impact}) ${html}`);
  }
  if (picture !== undefined) await page.screenshot({ path: picture });
  return faults;
}

/** Returns a fault if the search does not find a word. */
async function checkSearch(browser: Browser, origin: string): Promise<string[]> {
  await using page = await browser.newPage();
  await page.goto(origin, { waitUntil: "networkidle" });
  await page.keyboard.press("Control+k");
  await page.locator("#localsearch-input").fill(SEARCH.word);
  const hit = page.locator(`.VPLocalSearchBox .result[href*="${SEARCH.page}"]`).first();
  const isFound = await hit.waitFor({ timeout: TIMEOUT_MS }).then(() => true, () => false);
  return isFound ? [] : [`the search does not find "${SEARCH.word}"`];
}

async function main(): Promise<number> {
  const { values: { pictures }, positionals } = readArguments(Deno.args, {
    pictures: { type: "string" },
  });
  const isChosen = (path: string) =>
    positionals.length === 0 ||
    positionals.some((start) => start === "/" ? path === start : path.startsWith(start));
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, serve);
  const origin = `http://127.0.0.1:${server.addr.port}`;
  const executablePath = Deno.env.get("CHROMIUM") ?? await findChromium();
  await using browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const faults: string[] = [];
  const paths = ["/", ...listLinks(GUIDE_MENU)].filter(isChosen);
  for (const colorScheme of ["light", "dark"] as const) {
    await using context = await browser.newContext({ colorScheme });
    context.setDefaultTimeout(TIMEOUT_MS);
    for (const path of paths) {
      await using page = await context.newPage();
      const name = path === "/" ? "home" : path.slice(1).replaceAll("/", "-");
      const picture = pictures && `${pictures}/${name}-${colorScheme}.png`;
      for (const fault of await checkPage(page, `${origin}${path}`, picture)) {
        faults.push(`${path} (${colorScheme}): ${fault}`);
      }
    }
  }
  faults.push(...await checkSearch(browser, origin));
  for (const fault of faults) console.error(fault);
  console.log(`site: ${paths.length} pages, ${faults.length} faults`);
  await server.shutdown();
  return faults.length === 0 ? 0 : 1;
}

await runTool("site check", main);
