/**
 * Checks a self-contained HTML page in Chromium: accessibility, console messages, requests and
 * hostile text.
 *
 * @module
 */

import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { ToolError } from "../cli.ts";

/** Text that changes `document.title` if a page does not escape it. */
export const HOSTILE =
  `</title></style></script><img src=x onerror="document.title='executed'">" onmouseover="document.title='executed'" '<b>&amp;`;

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

const VIEWS: readonly (readonly [name: string, options: BrowserContextOptions])[] = [
  ["light", { colorScheme: "light", viewport: { width: 1280, height: 900 } }],
  ["dark", { colorScheme: "dark", viewport: { width: 1280, height: 900 } }],
  ["narrow", { colorScheme: "light", viewport: { width: 390, height: 844 } }],
];

/**
 * Opens a page in light, dark and narrow views, with and without its content security policy.
 *
 * @param browser The browser.
 * @param url URL of the page, and the prefix of the URLs that the page may request.
 * @param use Uses the page in the light view, before accessibility is checked.
 * @param prepare Prepares the opened page in each view before the checks for that view.
 * @throws {ToolError} If the page violates an axe-core rule, writes to the console, requests an
 * unexpected resource, is wider than the view, or executes hostile text.
 */
export async function auditPage(
  browser: Browser,
  url: string,
  use: (page: Page) => Promise<void>,
  prepare: (page: Page) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  for (const [name, options] of VIEWS) {
    for (const bypassCSP of [false, true]) {
      const context = await browser.newContext({ ...options, bypassCSP });
      try {
        const page = await context.newPage();
        const problems = watch(page, url);
        await page.goto(url);
        await prepare(page);
        if (name === "light" && !bypassCSP) await use(page);
        await page.evaluate(openAll);
        problems.push(...await findViolations(page), ...await page.evaluate(findLayoutProblems));
        if (problems.length > 0) throw new ToolError(`${url} (${name}): ${problems.join("\n")}`);
      } finally {
        await context.close();
      }
    }
  }
}

/** Returns a list that receives a page's console messages, exceptions and requests. */
function watch(page: Page, url: string): string[] {
  const problems: string[] = [];
  page.on("console", (message) => problems.push(`console: ${message.text()}`));
  page.on("pageerror", ({ message }) => problems.push(`exception: ${message}`));
  page.on("request", (request) => {
    const address = request.url();
    if (!address.startsWith(url) && !address.startsWith("data:")) {
      problems.push(`request: ${address}`);
    }
  });
  return problems;
}

function openAll(): void {
  for (const each of document.querySelectorAll("details")) each.open = true;
  for (const each of document.querySelectorAll("*")) each.dispatchEvent(new Event("mouseover"));
}

function findLayoutProblems(): string[] {
  return [
    ...(document.title === "executed" ? ["hostile text was executed"] : []),
    ...(document.images.length > 0 ? ["hostile text became an image"] : []),
    ...(document.documentElement.scrollWidth > innerWidth ? ["wider than the view"] : []),
  ];
}

async function findViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(
    // axe-core is a global variable of the page.
    `axe.run({ runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + " " + nodes.map(({ html }) => html.slice(0, 200)).join(" ")))`,
  );
  return Array.isArray(found)
    ? found.map((each) => `axe: ${each}`)
    : ["axe-core returned no list of violations"];
}
