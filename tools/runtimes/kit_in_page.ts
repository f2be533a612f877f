/**
 * The conformance kit and our libraries in a page of Chromium: its verdicts must be those on Deno. Of MCP that is the
 * client over HTTP, with the page's own `fetch`.
 *
 * @module
 */

import { type Browser, chromium } from "playwright-core";
import { ToolError, withTempDir } from "../cli.ts";
import { type Bundle, bundleFile } from "./bundle.ts";
import { hostDriver } from "./driver_host.ts";
import { type Host, serveHost } from "./host.ts";
import { describe, findGaps, findTrouble, judge, type Judgement, type Way } from "./judge.ts";
import { installProject } from "./kit_project.ts";

const PROGRAMS: readonly string[] = [
  "conformance/drivers/typescript/parley.ts",
  "tools/runtimes/programs/kit_page.ts",
];

/** What a page cannot be asked. */
const NO_SERVERS: ReadonlyMap<Way, string> = new Map([
  ["server over stdio", "a page is no process"],
  ["server over http", "a page listens to nobody"],
  ["client over stdio", "a page starts no process"],
]);

/** What Deno need not be asked here. */
const NOT_ASKED: ReadonlyMap<Way, string> = new Map([
  ["server over stdio", "check:runtimes asks it"],
  ["server over http", "check:runtimes asks it"],
]);

/**
 * Runs every case that a page can be asked, in the page and on Deno.
 *
 * @throws {ToolError} where the verdicts differ, or too few cases pass to say anything
 */
export async function judgePage(executablePath: string): Promise<void> {
  await withTempDir(async (dir) => {
    const project = await installProject(dir, PROGRAMS);
    const command = [Deno.execPath(), "run", "-A", "--quiet", `${project}/parley.js`];
    const judgements = await Promise.all([
      judge({ name: "deno", subject: { driver: { command } }, lacks: NOT_ASKED }),
      judgeIn(executablePath, await bundleFile(`${project}/kit_page.js`)),
    ]);
    for (const judgement of judgements) console.log(describe(judgement));
    const trouble = [...judgements.flatMap(findGaps), ...findTrouble(judgements)];
    if (trouble.length > 0) throw new ToolError(`Not conforming in a page:\n${trouble.join("\n")}`);
  });
}

async function judgeIn(executablePath: string, bundle: Bundle): Promise<Judgement> {
  const web = serveHost(bundle.files);
  const browser = await chromium.launch({
    executablePath,
    // The kit's servers let no page of another origin in. That is between a browser and a server: no case of ours.
    args: ["--no-sandbox", "--disable-web-security"],
  });
  const host = hostDriver((address) => driveInPage(browser, { web, bundle, address }));
  try {
    const subject = { driver: { command: host.command } };
    return await judge({ name: "chromium", subject, lacks: NO_SERVERS });
  } finally {
    await host.close();
    await browser.close();
    await web.close();
  }
}

/** Runs one driver in a page of its own, until it is done. */
async function driveInPage(browser: Browser, { web, bundle, address }: {
  readonly web: Host;
  readonly bundle: Bundle;
  readonly address: string;
}): Promise<void> {
  const page = await browser.newPage();
  try {
    await page.goto(web.origin);
    const names = [`/${bundle.entry}`, address] as const;
    await page.evaluate(async ([path, address]) => (await import(path)).drive(address), names);
  } finally {
    await page.close();
  }
}
