/**
 * Tests a page with `useChat` in Chromium against an agent on loopback.
 *
 * @module
 */

import { type LanguageModel, ToolLoopAgent, ToolRegistry } from "@parley/runtime";
import { MemoryJournal, recordSteps } from "@parley/runtime/journal";
import { AgentSession, memorySessions } from "@parley/runtime/session";
import { createGate, type Gate, scriptedModel } from "@parley/runtime/testing";
import { readUiTurn, uiMessageResponse } from "@parley/runtime/ui/ai-sdk";
import { assertEquals } from "@std/assert";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../chromium.ts";
import type { Check, Subject } from "../check.ts";
import { bundlePage, type PageServer, startPageServer } from "./page_server.ts";
import { checkAgUi, checkResume } from "./resume_checks.ts";

const TIMEOUT_MS = 60_000;

/** Checks for pages in a browser. */
export const FRONT_ENDS: readonly Subject[] = [
  {
    name: "useChat of @ai-sdk/react 4.0.177 in Chromium",
    run: (check) => inChromium(check, checkUseChat),
  },
  { name: "@ag-ui/client 1.0.0 in Chromium", run: (check) => inChromium(check, checkAgUi) },
];

/** A running chat server. */
interface ChatServer extends PageServer {
  /** Names of the files that the agent has deleted. */
  readonly deleted: readonly string[];
  /** Pauses the response to the first message before its last word. */
  readonly gate: Gate;
}

async function checkUseChat(browser: Browser, check: Check): Promise<void> {
  await check("text, a tool call and an approval by click", () => useChatPage(browser), TIMEOUT_MS);
  await checkResume(browser, check);
}

async function inChromium(
  check: Check,
  body: (browser: Browser, check: Check) => Promise<void>,
): Promise<void> {
  const browser = await launchChromium();
  if (browser === undefined) {
    console.log("skip  front ends: Chromium is not installed");
    return;
  }
  try {
    await body(browser, check);
  } finally {
    await browser.close();
  }
}

async function useChatPage(browser: Browser): Promise<void> {
  await using server = startChatServer(await bundlePage("page.tsx"));
  const page = await browser.newPage();
  const failures: string[] = [];
  page.on("pageerror", ({ message }) => failures.push(message));
  await page.goto(server.origin);

  await page.fill('input[aria-label="Message"]', "Which files are old?");
  await page.click('button[type="submit"]');
  await page.locator('main[data-status="streaming"] p', { hasText: /^Let me $/ }).waitFor();
  server.gate.release();
  await page.locator("p", { hasText: "a.txt and b.txt are old" }).waitFor();
  assertEquals(await statesOf(page), [["tool-list_files", "output-available"]]);

  await page.fill('input[aria-label="Message"]', "Delete a.txt");
  await page.click('button[type="submit"]');
  await page.locator("button", { hasText: "Approve" }).waitFor();
  await page.locator('main[data-status="ready"]').waitFor();
  assertEquals(server.deleted, []);
  await page.click('button:text("Approve")');
  await page.locator("p", { hasText: "Deleted" }).waitFor();
  await page.locator('main[data-status="ready"]').waitFor();
  assertEquals(server.deleted, ["a.txt"]);
  assertEquals(await statesOf(page), [
    ["tool-list_files", "output-available"],
    ["tool-delete_file", "output-available"],
  ]);
  const texts = await page.locator("section p").allTextContents();
  assertEquals(texts, [
    "Which files are old?",
    "Let me look",
    "a.txt and b.txt are old",
    "Delete a.txt",
    "I delete it",
    "Deleted",
  ]);
  assertEquals(await page.locator("[role=alert]").count(), 0);
  assertEquals(failures, []);
  await page.close();
}

/** Returns the type and state of each tool call on the page. */
async function statesOf(page: Page): Promise<unknown> {
  return await page.locator("[data-state]").evaluateAll((elements) =>
    elements.map((element) => [element.className, element.getAttribute("data-state")])
  );
}

function startChatServer(script: Uint8Array<ArrayBuffer>): ChatServer {
  const deleted: string[] = [];
  const gate = createGate();
  const registry = createTools(deleted);
  const model = createModel(gate);
  const store = memorySessions();
  const stepRunner = recordSteps(new MemoryJournal());

  async function answer(request: Request): Promise<Response> {
    const { decisions, threadId, turn } = readUiTurn(await request.json());
    const agent = new ToolLoopAgent({
      name: "librarian",
      model,
      registry,
      approvalHandler: ({ tool }) => tool.annotations?.readOnly === true || { decision: "defer" },
    });
    const session = new AgentSession(agent, { id: threadId, store, stepRunner });
    return uiMessageResponse(session.stream(turn, { decisions }), {
      sendRecorded: turn !== undefined,
    });
  }

  const server = startPageServer(
    script,
    (request) =>
      new URL(request.url).pathname === "/api/chat"
        ? answer(request)
        : new Response("Not Found", { status: 404 }),
  );
  return {
    origin: server.origin,
    deleted,
    gate,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function createTools(deleted: string[]): ToolRegistry {
  const registry = new ToolRegistry();
  registry.register({
    name: "list_files",
    inputSchema: { type: "object" },
    annotations: { readOnly: true },
    execute: () => ["a.txt", "b.txt"],
  });
  registry.register({
    name: "delete_file",
    inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    execute: ({ path }: { path: string }) => {
      deleted.push(path);
      return "ok";
    },
  });
  return registry;
}

/** Creates a model whose first response pauses before its last word until the gate is opened. */
function createModel(gate: Gate): LanguageModel {
  const script = scriptedModel([
    { text: "Let me look", calls: [{ toolName: "list_files" }] },
    { text: "a.txt and b.txt are old" },
    { text: "I delete it", calls: [{ toolName: "delete_file", input: { path: "a.txt" } }] },
    { text: "Deleted" },
  ]);
  const { stream } = script;
  if (stream === undefined) throw new TypeError("The scripted model does not stream");
  return {
    modelId: script.modelId,
    generate: script.generate,
    async *stream(request) {
      for await (const event of stream(request)) {
        if (event.type === "text-delta" && event.delta === "look") await gate.wait();
        yield event;
      }
    },
  };
}
