/**
 * Uses the packages in a web page in headless Chromium, against servers on loopback, with and
 * without Chromium's native Ed25519. Runs the example page that acts as an MCP client, and runs an
 * agent, a server and a client in a service worker, where `import()` is forbidden. Opens the kit's
 * HTML report, and the viewer with the demo. Finally, runs the conformance kit on our libraries in
 * a page.
 *
 *     deno task check:browser
 *
 * The check uses the Chromium specified by the environment variable CHROMIUM, or found on PATH. If
 * there is no Chromium and the user is root, the check installs Debian's Chromium. Without
 * Chromium, the check is skipped, and fails only if CI is "true".
 *
 * @module
 */

import { type Browser, chromium } from "playwright-core";
import { readFlags, run, runTool, step, ToolError, tryRun } from "../cli.ts";
import { type Bundle, bundleProgram, endBundling } from "./bundle.ts";
import { bundleOneFileProgram, PARTS } from "./check_one_file.ts";
import { useExamplePage } from "./example_page.ts";
import { startTestServer, type TestServer } from "./test_server.ts";
import { runKitInPage } from "./kit_in_page.ts";
import { useMatrixPage } from "./matrix_page.ts";
import { useReportPage } from "./report_page.ts";
import { useViewerPage } from "./viewer_page.ts";
import { useComm } from "./programs/comm.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome"] as const;
const TIMEOUT_MS = 60_000;

/** Finds or installs Chromium. */
async function findChromium(): Promise<string | undefined> {
  const named = Deno.env.get("CHROMIUM");
  if (named !== undefined) return named;
  const found = await which();
  if (found !== undefined || Deno.uid() !== 0) return found;
  const options = { env: { DEBIAN_FRONTEND: "noninteractive" } };
  try {
    await run("apt-get", ["update", "--quiet"], options);
    await run("apt-get", ["install", "--yes", "--no-install-recommends", "chromium"], options);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    console.log(error.message);
  }
  return await which();
}

async function which(): Promise<string | undefined> {
  for (const name of NAMES) {
    const { success, stdout } = await tryRun("sh", ["-c", `command -v ${name}`]);
    if (success) return stdout.trim();
  }
  return undefined;
}

/** Runs the program in a new page and returns its result. */
async function usePage(
  browser: Browser,
  { origin }: TestServer,
  { entry }: Bundle,
  query = "",
): Promise<string> {
  const page = await browser.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  const trouble: string[] = [];
  page.on("pageerror", ({ message }) => trouble.push(message));
  page.on("console", (message) => {
    if (message.type() === "error") trouble.push(message.text());
  });
  try {
    await page.goto(`${origin}/${query}`);
    return await page.evaluate(async (path) => (await import(path)).main(), `/${entry}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ToolError([reason, ...trouble].join("\n"), { cause: error });
  } finally {
    await page.close();
  }
}

async function check(executablePath: string): Promise<void> {
  const bundle = await bundleProgram("page.ts");
  const host = startTestServer(bundle.files);
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const expected = await useComm();
    const loadsNoble = (): boolean => host.paths.some((path) => path.includes("noble"));
    const native = await usePage(browser, host, bundle);
    if (native !== expected) {
      throw new ToolError(`The signature in the page differs from Deno's: ${native}`);
    }
    if (loadsNoble()) {
      throw new ToolError("The page loads @noble/ed25519 although Chromium supports Ed25519");
    }
    const noble = await usePage(browser, host, bundle, "?without-ed25519");
    if (noble !== expected) {
      throw new ToolError(`Without native Ed25519, the signature differs from Deno's: ${noble}`);
    }
    if (!loadsNoble()) {
      throw new ToolError("Without native Ed25519, the page does not load @noble/ed25519");
    }
    await useExamplePage(browser);
    console.log(
      `Chromium ${browser.version()}: comm on both Ed25519 backends, runtime and mcp work`,
    );
  } finally {
    await browser.close();
    await host.close();
  }
}

/** Runs the single-file program in a service worker. */
async function checkServiceWorker(executablePath: string): Promise<void> {
  const { script } = await bundleOneFileProgram();
  const reply = `onmessage = async ({ source }) => {
    const importing = await import("/x.js").then(() => "allowed", ({ name }) => name);
    const parts = await program.main().catch(String);
    source.postMessage({ importing, parts });
  };`;
  const file = new TextEncoder().encode(`${script}\n${reply}`);
  const host = startTestServer(new Map([["worker.js", file]]));
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    await page.goto(host.origin);
    const result = await page.evaluate(async () => {
      const { serviceWorker } = navigator;
      await serviceWorker.register("/worker.js");
      const { active } = await serviceWorker.ready;
      const message = new Promise((resolve) => {
        serviceWorker.onmessage = ({ data }) => resolve(data);
      });
      active?.postMessage("start");
      return JSON.stringify(await message);
    });
    const expected = JSON.stringify({ importing: "TypeError", parts: PARTS });
    if (result !== expected) throw new ToolError(`Expected ${expected}, got ${result}`);
    console.log("service worker: agent, server and client work without import()");
  } finally {
    await browser.close();
    await host.close();
  }
}

/** Tests the kit's HTML report, and the page with the results of third parties, in Chromium. */
async function checkReport(executablePath: string): Promise<void> {
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    await useReportPage(browser);
    console.log("HTML report: accessible, self-contained, and safe with hostile text");
    await useMatrixPage(browser);
    console.log(
      "Results for third parties: accessible, self-contained, and safe with hostile text",
    );
  } finally {
    await browser.close();
  }
}

/** Uses the viewer with the demo, and with files. */
async function checkViewer(executablePath: string): Promise<void> {
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    await useViewerPage(browser);
    console.log("viewer: decides on the demo's approval, accessible, and safe with hostile events");
  } finally {
    await browser.close();
  }
}

async function main(): Promise<number> {
  readFlags(Deno.args, {});
  const executable = await step("find Chromium", findChromium);
  if (executable === undefined) {
    console.log("SKIPPED: Chromium is not installed, and only root can install it");
    return Deno.env.get("CI") === "true" ? 1 : 0;
  }
  try {
    await step("page", () => check(executable));
    await step("service worker", () => checkServiceWorker(executable));
    await step("HTML report", () => checkReport(executable));
    await step("viewer", () => checkViewer(executable));
    await step("kit in a page", () => runKitInPage(executable));
    return 0;
  } finally {
    await endBundling();
  }
}

if (import.meta.main) await runTool("check_browser", main);
