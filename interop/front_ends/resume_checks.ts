/**
 * Tests a page with `useChat({ resume: true })` in Chromium against `uiChatHandler` on loopback.
 *
 * @module
 */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Browser, Page } from "playwright-core";
import type { Check } from "../check.ts";
import type { ChatServerSettings } from "./chat_server.ts";
import { type ChatServer, countCalls, startServer } from "./chat_tabs.ts";
import { bundlePage, forward, startPageServer } from "./page_server.ts";

const TIMEOUT_MS = 60_000;
const WORDS = 60;
/** Lease of servers that are not killed: a slow machine must not cause a takeover. */
const LEASE_MS = 15_000;
const ANSWER = Array.from({ length: WORDS }, (_, index) => `word${index + 1} `).join("");

/** Chat servers that share one storage, and pages. */
interface Fixture extends AsyncDisposable {
  /** Opens a page that uses the server that `serverOf` returns for each request. */
  open(id: string, serverOf: () => ChatServer): Promise<Page>;
  start(settings?: Partial<ChatServerSettings>): Promise<ChatServer>;
  /** Returns how often the model or a tool was called. */
  count(name: "model" | "look" | "pay"): Promise<number>;
  /** Exceptions on the pages. */
  readonly failures: string[];
}

/** Checks pages that are reloaded, stopped and taken over. */
export async function checkResume(browser: Browser, check: Check): Promise<void> {
  const checks = [
    ["a reload in the middle of a response", reload],
    ["two tabs, a second message and stop", twoTabs],
    ["an approval after a reload", approvalAfterReload],
    ["a second server after kill -9", takeOver],
  ] as const;
  const script = await bundlePage("resume_page.tsx");
  for (const [name, body] of checks) {
    await check(name, () => checkPages(browser, script, body), TIMEOUT_MS);
  }
}

/** Checks a page with the client of AG-UI. */
export async function checkAgUi(browser: Browser, check: Check): Promise<void> {
  const script = await bundlePage("ag_ui_page.ts");
  const name = "a reload, and a second server after kill -9";
  await check(name, () => checkPages(browser, script, agUiTakeOver), TIMEOUT_MS);
}

async function checkPages(
  browser: Browser,
  script: Uint8Array<ArrayBuffer>,
  body: (fixture: Fixture) => Promise<void>,
): Promise<void> {
  await using fixture = await openFixture(browser, script);
  await body(fixture);
  assertEquals(fixture.failures, []);
}

async function agUiTakeOver({ count, failures, open, start }: Fixture): Promise<void> {
  const [one, two] = await Promise.all([start({ wordMs: 100 }), start()]);
  let current = one;
  const first = await open("chat", () => current);
  await first.locator('[data-status="ready"]').waitFor({ state: "attached" });
  await send(first, "look up the tea");
  await shows(first, /word3 /);
  await first.reload();
  await shows(first, /word5 /);
  const second = await open("chat", () => two);
  await shows(second, /word6 /);
  await one.kill();
  await first.locator('[data-status="error"]').waitFor();
  current = two;
  await first.reload();
  for (const page of [first, second]) {
    await ready(page, ANSWER);
    assertEquals(await contentOf(page), [
      ["user", ["look up the tea"]],
      ["assistant", ["One moment. "]],
      ["tool", ["5 euros"]],
      ["assistant", [ANSWER]],
    ]);
  }
  assertEquals([await count("model"), await count("look")], [3, 1]);
  // The client does not handle the rejection when it cancels the body of a lost response.
  failures.splice(0, Infinity, ...failures.filter((text) => text !== "network error"));
}

async function reload({ count, open, start }: Fixture): Promise<void> {
  const server = await start({ wordMs: 25, leaseMs: LEASE_MS });
  const page = await open("chat", () => server);
  await send(page, "look up the tea");
  await shows(page, /word5 /);
  await page.reload();
  await shows(page, /word8 /);
  assertEquals(await page.locator("section").count(), 2);
  await ready(page, ANSWER);
  const shown = await contentOf(page);
  assertEquals(shown, [
    ["user", ["look up the tea"]],
    ["assistant", ["One moment. ", "tool-look output-available", ANSWER]],
  ]);
  await replay(page);
  assertEquals(await contentOf(page), shown);
  assertEquals([await count("model"), await count("look")], [2, 1]);
}

async function twoTabs({ count, open, start }: Fixture): Promise<void> {
  const [slow, fast] = await Promise.all([
    start({ wordMs: 100, leaseMs: LEASE_MS }),
    start({ leaseMs: LEASE_MS }),
  ]);
  let server = slow;
  const first = await open("chat", () => server);
  const third = await open("chat", () => server);
  await send(first, "hello");
  await shows(first, /word3 /);
  const second = await open("chat", () => server);
  await shows(second, /word5 /);
  await send(third, "another");
  await third.locator("[role=alert]").waitFor();
  assertStringIncludes(await third.locator("[role=alert]").innerText(), "session_busy");
  await second.click('button:text("Stop")');
  await Promise.all([first, second].map((page) => page.locator('[data-status="ready"]').waitFor()));
  const texts = await Promise.all([first, second].map((page) => page.locator("p").allInnerTexts()));
  for (const text of texts) {
    assertMatch(text.join("|"), /^hello\|word1 .*word5/);
    assertEquals(text.join("").includes(`word${WORDS}`), false);
  }
  await first.reload();
  await first.locator('[data-status="ready"] p', { hasText: /word5/ }).waitFor();
  const reloaded = (await first.locator("p").allInnerTexts()).join("|");
  assertEquals(reloaded.startsWith(texts[0]?.join("|") ?? "-"), true, reloaded);
  server = fast;
  await send(first, "again");
  await ready(first, ANSWER);
  assertEquals(await first.locator("section").count(), 4);
  assertEquals(await count("model"), 2);
}

async function approvalAfterReload({ count, open, start }: Fixture): Promise<void> {
  const server = await start({ leaseMs: LEASE_MS });
  const page = await open("chat", () => server);
  await send(page, "pay the tea");
  await page.locator("button", { hasText: "Approve" }).waitFor();
  await page.reload();
  await page.click('button:text("Approve")');
  await ready(page, ANSWER);
  const shown = await contentOf(page);
  assertEquals(shown, [
    ["user", ["pay the tea"]],
    ["assistant", ["One moment. ", "tool-pay output-available", ANSWER]],
  ]);
  await replay(page);
  assertEquals(await contentOf(page), shown);
  assertEquals(await count("pay"), 1);
}

async function takeOver({ count, open, start }: Fixture): Promise<void> {
  const [one, two] = await Promise.all([start({ wordMs: 100 }), start()]);
  let current = one;
  const first = await open("chat", () => current);
  await send(first, "look up the tea");
  await shows(first, /word3 /);
  const second = await open("chat", () => two);
  await shows(second, /word6 /);
  await one.kill();
  await first.locator('[data-status="error"]').waitFor();
  current = two;
  await first.reload();
  // The page that is attached to the second server shows the rest without being reloaded.
  for (const page of [first, second]) {
    await ready(page, ANSWER);
    assertEquals(await contentOf(page), [
      ["user", ["look up the tea"]],
      ["assistant", ["One moment. ", "tool-look output-available", ANSWER]],
    ]);
    assertEquals(await page.locator("[role=alert]").count(), 0);
  }
  assertEquals([await count("model"), await count("look")], [3, 1]);
}

async function openFixture(browser: Browser, script: Uint8Array<ArrayBuffer>): Promise<Fixture> {
  const stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir();
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const [file, calls] = [`${folder}/chats.db`, `${folder}/calls.txt`];
  await Deno.writeTextFile(calls, "");
  const failures: string[] = [];
  return {
    failures,
    async start(settings) {
      return stack.use(await startServer({ file, calls, words: WORDS, wordMs: 5, ...settings }));
    },
    async open(id, serverOf) {
      const server = startPageServer(script, (request) => forward(request, serverOf().origin));
      stack.use(server);
      const page = await browser.newPage();
      stack.defer(() => page.close());
      page.on("pageerror", ({ message }) => failures.push(message));
      await page.goto(`${server.origin}/?id=${encodeURIComponent(id)}`);
      return page;
    },
    count: async (name) => countCalls(await Deno.readTextFile(calls), name),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function send(page: Page, text: string): Promise<void> {
  await page.fill('input[aria-label="Message"]', text);
  await page.click('button[type="submit"]');
}

/** Waits until the page shows a text. */
async function shows(page: Page, text: RegExp): Promise<void> {
  await page.locator("section p", { hasText: text }).last().waitFor();
}

/** Waits until the page shows the end of a response. */
async function ready(page: Page, answer: string): Promise<void> {
  await page.locator('[data-status="ready"] p', { hasText: answer.trim() }).last().waitFor();
}

/** Reloads a page, which receives the events of a run that has ended. */
async function replay(page: Page): Promise<void> {
  const resumed = page.waitForResponse(/\/stream$/);
  await page.reload();
  await (await resumed).finished();
  await ready(page, ANSWER);
}

/** Returns the role of each message, with its texts and the states of its tool calls. */
async function contentOf(page: Page): Promise<unknown> {
  return await page.locator("section").evaluateAll((sections) =>
    sections.map((section) => [
      section.className,
      [...section.children].map((child) => {
        const state = child.getAttribute("data-state");
        return state === null ? child.textContent : `${child.textContent} ${state}`;
      }),
    ])
  );
}
