/** Tests chats that are reloaded, stopped and taken over, with the AI SDK's chat and transport. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { startPostgres } from "../../tools/testing/postgres.ts";
import { IS_FULL } from "../engines/full_size.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "../engines/postgres_releases.ts";
import type { ChatServerSettings } from "./chat_server.ts";
import { type ChatServer, countCalls, startServer, Tab, until } from "./chat_tabs.ts";

const ANSWER = Array.from({ length: 40 }, (_, index) => `word${index + 1} `).join("");

/** Servers that share one storage. */
interface Fixture {
  start(settings?: Partial<ChatServerSettings>): Promise<ChatServer>;
  /** Returns how often the model or a tool was called. */
  count(name: "model" | "look" | "pay"): Promise<number>;
}

/** A test of one server or of several servers. */
interface ChatTest {
  readonly name: string;
  /** Whether the servers need a storage that they share. */
  readonly isShared: boolean;
  readonly body: (fixture: Fixture) => Promise<void>;
}

const TESTS: ChatTest[] = [];

function chatTest(name: string, body: ChatTest["body"]): void {
  TESTS.push({ name, isShared: false, body });
}

function sharedTest(name: string, body: ChatTest["body"]): void {
  TESTS.push({ name, isShared: true, body });
}

/** Runs a test with a storage. */
async function runTest({ body }: ChatTest, storage: Partial<ChatServerSettings>): Promise<void> {
  const folder = await Deno.makeTempDir();
  const calls = `${folder}/calls.txt`;
  await Deno.writeTextFile(calls, "");
  await using servers = new AsyncDisposableStack();
  servers.defer(() => Deno.remove(folder, { recursive: true }));
  const common = { file: `${folder}/chats.db`, calls, ...storage };
  await body({
    start: async (settings) => servers.use(await startServer({ ...common, ...settings })),
    count: async (name) => countCalls(await Deno.readTextFile(calls), name),
  });
}

chatTest("a page is reloaded in the middle of an answer", async ({ count, start }) => {
  const { origin } = await start();
  const first = new Tab(origin, "chat");
  const sent = first.sendMessage({ text: "look up the tea" });
  await first.shows("word5 ");
  const second = await Tab.open(origin, "chat");
  assertEquals(second.messages.map(({ role }) => role), ["user"]);
  await second.shows("word7 ");
  await Promise.all([sent, second.resumed]);
  assertEquals(first.text, `One moment. ${ANSWER}`);
  assertEquals([second.text, second.shape], [first.text, first.shape]);
  assertEquals([await count("model"), await count("look")], [2, 1]);
  const late = await Tab.open(origin, "chat");
  await late.resumed;
  assertEquals([late.text, late.shape], [first.text, first.shape]);
  assertEquals(late.messages.map(({ id }) => id), ["chat/0/user", "chat/0"]);
});

chatTest("two tabs: a second message is refused, and stop keeps the text", async ({ start }) => {
  const { origin } = await start();
  const first = new Tab(origin, "chat");
  const sent = first.sendMessage({ text: "hello" });
  await first.shows("word5 ");
  const second = await Tab.open(origin, "chat");
  await second.shows("word6 ");
  const third = new Tab(origin, "chat");
  await third.sendMessage({ text: "another" });
  assertEquals(third.status, "error");
  assertMatch(third.error?.message ?? "", /session_busy/);
  assertEquals(await second.stopRun(), { outcome: "stopped" });
  await Promise.all([sent, second.resumed]);
  const reloaded = await Tab.open(origin, "chat");
  await reloaded.resumed;
  assertEquals(reloaded.messages.map(({ role }) => role), ["user", "assistant"]);
  assert(reloaded.text.startsWith(first.text), `${first.text} | ${reloaded.text}`);
  assert(!reloaded.text.includes("word40 "));
  assertEquals(await second.stopRun(), { outcome: "not_running" });
  await reloaded.sendMessage({ text: "again" });
  assertEquals(reloaded.text, ANSWER);
});

sharedTest("another server takes over after a kill", async ({ count, start }) => {
  const one = await start();
  const first = new Tab(one.origin, "chat");
  const sent = first.sendMessage({ text: "look up the tea" });
  await first.shows("word10 ");
  await one.kill();
  await sent;
  assertEquals(first.status, "error");
  const { origin } = await start();
  await until("the end of the lease", async () => {
    return (await new Tab(origin, "chat").load()).status === "interrupted";
  });
  const tabs = await Promise.all([Tab.open(origin, "chat"), Tab.open(origin, "chat")]);
  await Promise.all(tabs.map(({ resumed }) => resumed));
  for (const { text } of tabs) assertEquals(text, `One moment. ${ANSWER}`);
  assertEquals([await count("model"), await count("look")], [3, 1]);
});

sharedTest("the text that was streamed before a kill is kept by stop", async ({ count, start }) => {
  const one = await start();
  const first = new Tab(one.origin, "chat");
  const sent = first.sendMessage({ text: "hello" });
  await first.shows("word10 ");
  await one.kill();
  await sent;
  const { origin } = await start();
  assertEquals(await new Tab(origin, "chat").stopRun(), { outcome: "stopped" });
  const reloaded = await Tab.open(origin, "chat");
  await reloaded.resumed;
  assertMatch(reloaded.text, /^word1 .*word9 /);
  assertEquals(await count("model"), 1);
});

sharedTest("a finished iteration and the text are kept by stop", async ({ count, start }) => {
  const one = await start();
  const first = new Tab(one.origin, "chat");
  const sent = first.sendMessage({ text: "look up the tea" });
  await first.shows("word10 ");
  await one.kill();
  await sent;
  const { origin } = await start();
  assertEquals(await new Tab(origin, "chat").stopRun(), { outcome: "stopped" });
  const reloaded = await Tab.open(origin, "chat");
  await reloaded.resumed;
  assertMatch(reloaded.text, /^One moment\. word1 .*word9 /);
  assertMatch(reloaded.shape, /tool-look:output-available/);
  assertEquals(await count("model"), 2);
});

sharedTest("a second server shows and stops the run of the first", async ({ start }) => {
  const [one, two] = await Promise.all([start(), start()]);
  const first = new Tab(one.origin, "chat");
  const sent = first.sendMessage({ text: "hello" });
  await first.shows("word3 ");
  const second = await Tab.open(two.origin, "chat");
  await second.shows("word6 ");
  assertEquals(await second.stopRun(), { outcome: "stopped" });
  await Promise.all([sent, second.resumed]);
  assert(!first.text.includes("word40 "), first.text);
});

sharedTest(
  "a page sees the answer go on when the executing server dies",
  async ({ count, start }) => {
    const [one, two] = await Promise.all([start(), start()]);
    const first = new Tab(one.origin, "chat");
    const sent = first.sendMessage({ text: "look up the tea" });
    await first.shows("word3 ");
    const second = await Tab.open(two.origin, "chat");
    await second.shows("word6 ");
    await one.kill();
    await Promise.all([sent, second.resumed]);
    assertEquals([second.text, second.status], [`One moment. ${ANSWER}`, "ready"]);
    assertEquals(
      second.shape,
      "user[text] assistant[step-start text:done tool-look:output-available step-start text:done]",
    );
    assertEquals(await count("look"), 1);
  },
);

sharedTest("an approval survives a kill and a reload", async ({ count, start }) => {
  const one = await start();
  const first = new Tab(one.origin, "chat");
  await first.sendMessage({ text: "pay the tea" });
  assertMatch(first.shape, /tool-pay:approval-requested/);
  await one.kill();
  const { origin } = await start();
  assertEquals((await new Tab(origin, "chat").load()).status, "waiting");
  const second = await Tab.open(origin, "chat");
  await second.resumed;
  assertEquals(second.shape, first.shape);
  const [id = ""] = second.openApprovals;
  await second.addToolApprovalResponse({ id, approved: true });
  await second.shows("word40 ");
  await until("the end", () => second.status === "ready");
  assertMatch(second.shape, /tool-pay:output-available/);
  assertEquals([second.messages.length, await count("pay")], [2, 1]);
});

sharedTest("a different message gives up a waiting run", async ({ count, start }) => {
  const one = await start();
  const first = new Tab(one.origin, "chat");
  await first.sendMessage({ text: "pay the tea" });
  const second = await Tab.open(one.origin, "chat");
  await second.resumed;
  const sent = second.sendMessage({ text: "never mind" });
  await second.shows("word10 ");
  await one.kill();
  await sent;
  const { origin } = await start();
  await until("the end of the lease", async () => {
    return (await new Tab(origin, "chat").load()).status === "interrupted";
  });
  const third = await Tab.open(origin, "chat");
  await third.resumed;
  assertEquals(third.text, ANSWER);
  const roles = (await third.load()).messages.map(({ role }) => role);
  assertEquals(roles, ["user", "assistant", "user", "assistant"]);
  assertEquals(await count("pay"), 0);
});

sharedTest("of messages at the same time, one is answered", async ({ count, start }) => {
  const servers = await Promise.all([start(), start()]);
  const tabs = Array.from(
    { length: 6 },
    (_, n) => new Tab(servers[n % 2]?.origin ?? "", "chat"),
  );
  await Promise.all(tabs.map((tab, n) => tab.sendMessage({ text: `hello ${n}` })));
  assertEquals(tabs.filter(({ status }) => status === "error").length, 5);
  assertEquals(await count("model"), 1);
  assertEquals((await tabs[0]?.load())?.messages.length, 2);
});

chatTest(
  "a message that is sent twice starts one run; events by cursor",
  async ({ count, start }) => {
    const { origin } = await start();
    const post = (): Promise<Response> =>
      fetch(`${origin}/chat`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          id: "chat",
          messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "hello" }] }],
        }),
      });
    const [first, second] = [await post(), await post()];
    const response = await fetch(`${origin}/events/chat`);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let received = "";
    while (!received.includes("word20 ")) received += (await reader?.read())?.value ?? "";
    await reader?.cancel();
    const complete = received.slice(0, received.lastIndexOf("\n\n") + 2);
    const cursor = [...complete.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? "";
    const rest = await fetch(`${origin}/events/chat`, { headers: { "last-event-id": cursor } });
    const events = complete + await rest.text();
    const texts = [...events.matchAll(/"type":"text_delta".*?"text":"([^"]*)"/g)];
    assertEquals(texts.map(([, text]) => text).join(""), ANSWER);
    assert(events.endsWith("event: end\ndata: {}\n\n"));
    assertEquals(await first.text(), await second.text());
    assertEquals(await count("model"), 1);
  },
);

sharedTest(
  "a run that was recorded before a crash is not executed again",
  async ({ count, start }) => {
    const one = await start({ crash: "after_record" });
    const first = new Tab(one.origin, "chat");
    await first.sendMessage({ text: "hello" });
    assertEquals(first.status, "error");
    const { origin } = await start();
    await until("the end of the lease", async () => {
      return (await fetch(`${origin}/chat/chat/stream`)).status === 204;
    });
    const second = await Tab.open(origin, "chat");
    await second.resumed;
    assertEquals([second.text, second.messages.length], [ANSWER, 2]);
    await second.sendMessage({ text: "again" });
    assertEquals([second.messages.length, await count("model")], [4, 2]);
  },
);

chatTest("a page asks for another answer", async ({ count, start }) => {
  const { origin } = await start();
  const first = new Tab(origin, "chat");
  await first.sendMessage({ text: "hello" });
  await first.regenerate();
  assertEquals([first.text, first.messages.length], [ANSWER, 2]);
  assertEquals([(await first.load()).messages.length, await count("model")], [2, 2]);
});

/** The tests that run on PostgreSQL in every run. The nightly run executes all of them. */
const ALWAYS: ReadonlySet<string> = new Set([
  "another server takes over after a kill",
  "a second server shows and stops the run of the first",
  "an approval survives a kill and a reload",
]);

for (const test of TESTS) {
  Deno.test(`sqliteStorage: ${test.name}`, () => runTest(test, {}));
  if (!test.isShared) {
    Deno.test(`memoryStorage: ${test.name}`, () => runTest(test, { file: ":memory:" }));
  }
}

for (const listen of [true, false]) {
  const name = `postgresStorage, ${listen ? "with notifications" : "without notifications"}`;
  Deno.test(name, { ignore: !HAS_POSTGRES || !listen && !IS_FULL }, async (context) => {
    await using server = await startPostgres({
      program: POSTGRES_RELEASES[18],
      settings: { fsync: "off" },
    });
    for (const [index, test] of TESTS.entries()) {
      if (!IS_FULL && !ALWAYS.has(test.name)) continue;
      const postgres = { connectionString: server.url, schema: `chat_${index}`, listen };
      await context.step(test.name, () => runTest(test, { postgres }));
    }
  });
}
