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
import { startTestServer, type TestServer } from "./test_server.ts";
import {
  type AccessPath,
  describe,
  findGaps,
  findTrouble,
  type KitResult,
  runKitOn,
} from "./run_kit.ts";
import { installProject } from "./kit_project.ts";

const PROGRAMS: readonly string[] = [
  "conformance/drivers/typescript/parley.ts",
  "tools/runtimes/programs/kit_page.ts",
];

/** What a page cannot be asked. */
const NO_SERVERS: ReadonlyMap<AccessPath, string> = new Map([
  ["server over stdio", "a page is no process"],
  ["server over http", "a page listens to nobody"],
  ["client over stdio", "a page starts no process"],
]);

/** What Deno need not be asked here. */
const NOT_ASKED: ReadonlyMap<AccessPath, string> = new Map([
  ["server over stdio", "check:runtimes asks it"],
  ["server over http", "check:runtimes asks it"],
]);

/**
 * Runs every case that a page can be asked, in the page and on Deno.
 *
 * @throws {ToolError} where the verdicts differ, or too few cases pass to say anything
 */
export async function runKitInPage(executablePath: string): Promise<void> {
  await withTempDir(async (dir) => {
    const project = await installProject(dir, PROGRAMS);
    const command = [Deno.execPath(), "run", "-A", "--quiet", `${project}/parley.js`];
    const results = await Promise.all([
      runKitOn({ name: "deno", subject: { driver: { command } }, unsupported: NOT_ASKED }),
      runKitOnChromium(executablePath, await bundleFile(`${project}/kit_page.js`)),
    ]);
    for (const result of results) console.log(describe(result));
    const trouble = [...results.flatMap(findGaps), ...findTrouble(results)];
    if (trouble.length > 0) throw new ToolError(`Not conforming in a page:\n${trouble.join("\n")}`);
  });
}

async function runKitOnChromium(executablePath: string, bundle: Bundle): Promise<KitResult> {
  const web = startTestServer(bundle.files);
  const browser = await chromium.launch({
    executablePath,
    // The kit's servers let no page of another origin in. That is between a browser and a server: no case of ours.
    args: ["--no-sandbox", "--disable-web-security"],
  });
  const host = hostDriver((address) => driveInPage(browser, { web, bundle, address }));
  try {
    const subject = { driver: { command: host.command } };
    return await runKitOn({ name: "chromium", subject, unsupported: NO_SERVERS });
  } finally {
    await host.close();
    await browser.close();
    await web.close();
  }
}

/** Runs one driver in a page of its own, until it is done. */
async function driveInPage(browser: Browser, { web, bundle, address }: {
  readonly web: TestServer;
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
