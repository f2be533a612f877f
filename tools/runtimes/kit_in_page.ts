/**
 * Runs the conformance kit on our libraries in a page in Chromium. Each case must have the same
 * verdict as on Deno. For MCP, only the client over HTTP is tested, with the page's `fetch`.
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
  NO_NODE_LIMITS,
  runKitOn,
} from "./run_kit.ts";
import { installProject } from "./kit_project.ts";

const PROGRAMS: readonly string[] = [
  "conformance/drivers/typescript/parley.ts",
  "tools/runtimes/programs/kit_page.ts",
];

/** Ways to access a library that a page in a browser does not support. */
const NO_SERVERS: ReadonlyMap<AccessPath, string> = new Map([
  ["server over stdio", "a page has no standard input"],
  ["server over http", "a page cannot listen"],
  ["client over stdio", "a page cannot start a process"],
]);

const HIDES_REDIRECTS =
  "a page cannot read the target of a redirect, so it sends the request again and the browser follows";
const HAS_FEW_CONNECTIONS = "a browser opens at most six connections to a server";

/** Cases that a page in a browser cannot pass. */
const BROWSER_LIMITS: ReadonlyMap<string, string> = new Map([
  ...NO_NODE_LIMITS,
  ["mcp/client-options/redirects", HIDES_REDIRECTS],
  ["mcp/transports/responses-to-modern-calls", HIDES_REDIRECTS],
  ["mcp/transports/streams-that-cannot-be-opened", HIDES_REDIRECTS],
  ["mcp/client-sessions/eras-of-http-servers", HAS_FEW_CONNECTIONS],
  ["mcp/client-sessions/lists-at-their-limits", HAS_FEW_CONNECTIONS],
  ["mcp/client-sessions/results-of-discovery", HAS_FEW_CONNECTIONS],
  ["mcp/transports/responses-to-older-calls", HAS_FEW_CONNECTIONS],
  ["mcp/server/hosts-and-origins", "a page cannot set the headers Host and Origin"],
  ["mcp/server/http-bodies", "a page cannot set the header Content-Length"],
]);

/** Ways to access a library that the check does not test on Deno. */
const NOT_ASKED: ReadonlyMap<AccessPath, string> = new Map([
  ["server over stdio", "tested by check:packages runtimes"],
  ["server over http", "tested by check:packages runtimes"],
]);

/**
 * Runs every case that a page supports, both in the page and on Deno.
 *
 * @throws {ToolError} If the verdicts differ or too few cases pass.
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
    if (trouble.length > 0) {
      throw new ToolError(`Verdicts in a page differ, or cases fail:\n${trouble.join("\n")}`);
    }
  });
}

async function runKitOnChromium(executablePath: string, bundle: Bundle): Promise<KitResult> {
  const web = startTestServer(bundle.files);
  const browser = await chromium.launch({
    executablePath,
    // Web security is disabled, because the kit's servers reject requests from pages with other
    // origins.
    args: ["--no-sandbox", "--disable-web-security"],
  });
  const host = hostDriver((address) => driveInPage(browser, { web, bundle, address }));
  try {
    const subject = { driver: { command: host.command } };
    return await runKitOn({
      name: "chromium",
      subject,
      unsupported: NO_SERVERS,
      limits: BROWSER_LIMITS,
    });
  } finally {
    await host.close();
    await browser.close();
    await web.close();
  }
}

/** Runs one driver in a new page until it has finished. */
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
