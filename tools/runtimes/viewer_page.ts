/**
 * Tests the viewer in Chromium: with the demo, with files that are dropped on the page, and with
 * hostile events.
 *
 * @module
 */

import type { Browser, Page } from "playwright-core";
import { ToolError } from "../cli.ts";
import { ROOT } from "../members.ts";
import { openViewer } from "../viewer/open_viewer.ts";
import { auditPage, HOSTILE } from "./audit_page.ts";

const JOURNAL = [
  { v: 1, owner: "a" },
  { v: 1, key: "r/start", kind: "run", value: { agentName: "editor" }, at: 1000 },
  { v: 1, key: "r/i0/model", kind: "model", value: { usage: { totalTokens: 7 } }, at: 1500 },
].map((entry) => JSON.stringify(entry)).join("\n");

/** Uses the viewer. */
export async function useViewerPage(browser: Browser): Promise<void> {
  await useDemo(browser, "Approve");
  await useDemo(browser, "Deny");
  await useDemo(browser, "Approve", "--tamper");
  await useHostileEvents(browser);
}

/** Runs the demo, decides in the page, and checks the effect of the decision. */
async function useDemo(browser: Browser, decision: string, ...more: string[]): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "parley-viewer-" });
  const main = new URL("examples/demo/main.ts", ROOT).pathname;
  const config = new URL("deno.json", ROOT).pathname;
  const child = new Deno.Command("deno", {
    args: [
      "run",
      "--quiet",
      "-A",
      "--no-check",
      "--config",
      config,
      main,
      "--web",
      "--json",
      ...more,
    ],
    cwd: folder,
    env: { NO_COLOR: "1", PARLEY_MODEL: "", PARLEY_MODEL_URL: "" },
    signal: AbortSignal.timeout(120_000),
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const log = new Response(child.stdout).text();
  try {
    const url = await readAddress(child.stderr);
    const page = await browser.newPage();
    await page.goto(url);
    if (more.length === 0) await page.getByRole("button", { name: decision }).click();
    await page.getByText("finished", { exact: true }).waitFor();
    await expectCount(page, "#rows li.message.good", more.length === 0 ? 3 : 2);
    await expectCount(page, "#rows li.message.bad", more.length);
    await expectCount(page, "#answer:visible", more.length === 0 ? 1 : 0);
    await page.close();
    const saved = await Deno.readTextFile(`${folder}/answer.md`).catch(() => undefined);
    const isSaved = decision === "Approve" && more.length === 0;
    if ((saved !== undefined) !== isSaved) throw new ToolError(`${decision}: answer.md: ${saved}`);
    if (isSaved) await auditPage(browser, url, useDetails, waitForRows);
    child.kill("SIGINT");
    const { code } = await child.status;
    if (code !== (more.length === 0 ? 0 : 130)) throw new ToolError(`The demo exited with ${code}`);
    if (isSaved) await dropFiles(browser, await log);
  } finally {
    await log;
    await Deno.remove(folder, { recursive: true });
  }
}

/** Reads the page's address from the demo's output, and discards the rest of the output. */
async function readAddress(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of output) {
    text += decoder.decode(chunk, { stream: true });
    const [url] = /http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\//.exec(text) ?? [];
    if (url !== undefined) return url;
  }
  throw new ToolError(`The demo printed no address: ${text}`);
}

async function waitForRows(page: Page): Promise<void> {
  await page.locator("#rows button").first().waitFor();
}

/** Opens and closes the details with the keyboard. */
async function useDetails(page: Page): Promise<void> {
  await page.locator("#rows button").first().focus();
  for (const key of ["End", "Home", "ArrowDown", "Enter"]) await page.keyboard.press(key);
  await expectCount(page, "#details:visible", 1);
  await page.keyboard.press("Escape");
  await expectCount(page, "#details:visible", 0);
  await expectCount(page, "#rows > li:nth-child(2) > button:focus", 1);
  await page.keyboard.press("Enter");
  await page.emulateMedia({ reducedMotion: "reduce" });
  const animations = await page.evaluate(() => document.getAnimations().length);
  if (animations > 0) throw new ToolError(`${animations} animations despite reduced motion`);
}

/**
 * Drops the demo's log, a journal, and files without events on a page of a viewer that has no
 * events.
 */
async function dropFiles(browser: Browser, log: string): Promise<void> {
  const abort = new AbortController();
  const viewer = openViewer({ title: "Files", signal: abort.signal });
  const page = await browser.newPage();
  await page.goto(viewer.url);
  await drop(page, "nothing.jsonl", "no JSON\n");
  await page.getByText("nothing.jsonl contains no events.").waitFor();
  await drop(page, "demo.jsonl", log);
  await expectCount(page, "#rows li.message.good", 3);
  await expectCount(page, "#rows li.run", 2);
  await expectCount(page, "#questions button", 0);
  await drop(page, "journal.jsonl", JOURNAL);
  await expectCount(page, "#rows li.run", 1);
  await expectCount(page, "#rows li.model", 1);
  await page.getByRole("button", { name: "Back to the live run" }).click();
  await page.getByText("live", { exact: true }).waitFor();
  await page.close();
  abort.abort();
  await viewer.finish();
}

async function drop(page: Page, name: string, text: string): Promise<void> {
  await page.evaluate(({ name, text }) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], name));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
  }, { name, text });
}

/** Shows events that contain only hostile text. */
async function useHostileEvents(browser: Browser): Promise<void> {
  const abort = new AbortController();
  const viewer = openViewer({ title: HOSTILE, note: HOSTILE, signal: abort.signal });
  const toolCall = { toolCallId: "1", toolName: HOSTILE, input: { [HOSTILE]: HOSTILE } };
  const origin = { runId: HOSTILE, path: [HOSTILE], iteration: 0, at: Date.now() };
  const message = { id: HOSTILE, sender: HOSTILE, recipient: HOSTILE, payload: HOSTILE };
  for (
    const event of [
      { type: "run_started", ...origin, agentName: HOSTILE, agentDid: HOSTILE, modelId: HOSTILE },
      { type: "tool_started", ...origin, toolCall },
      { type: "message", at: origin.at, receiver: HOSTILE, reason: HOSTILE, message },
      { type: HOSTILE, at: origin.at, text: HOSTILE, isError: true },
      { type: "answer", at: origin.at, text: HOSTILE },
    ]
  ) viewer.emit(event);
  const pending = viewer.approve({ agentName: HOSTILE, runId: HOSTILE, toolCall }).catch(() => {});
  await auditPage(browser, viewer.url, () => Promise.resolve(), async (page) => {
    await waitForRows(page);
    await expectCount(page, ".question button", 2);
    await page.locator("#rows li.message button").click();
  });
  abort.abort();
  await Promise.all([pending, viewer.finish()]);
}

/** Waits until the page has the given number of elements. */
async function expectCount(page: Page, selector: string, count: number): Promise<void> {
  const found = page.locator(selector);
  const timeout = 10_000;
  const waiting = count === 0
    ? found.first().waitFor({ state: "hidden", timeout })
    : found.nth(count - 1).waitFor({ state: "attached", timeout });
  await waiting.catch(() => {}); // If the wait times out, the count below reports the failure.
  const got = await found.count();
  if (got !== count) throw new ToolError(`Expected ${count} of "${selector}", found ${got}`);
}
