/** Tests the page of the guide "Build a chat server", which reads the rest of a run. */

import { type LanguageModel, ToolLoopAgent } from "@parley/runtime";
import { memoryStorage, openSessions, type Sessions } from "@parley/runtime/session";
import { createGate, type Gate } from "@parley/runtime/testing";
import { uiChatHandler } from "@parley/runtime/ui/ai-sdk";
import { assertEquals } from "@std/assert";
import { within } from "../check.ts";
import { until } from "./chat_tabs.ts";
import { ReconnectingPage } from "./reconnecting_page.ts";

/** A model that streams half of its response, and the rest when the gate is open. */
function gatedModel(gate: Gate): LanguageModel {
  return {
    modelId: "gated",
    generate: () => Promise.reject(new Error("the model is streamed")),
    async *stream({ signal }) {
      yield { type: "text-delta", delta: "first " };
      const stopped = new Promise<void>((resolve) => {
        signal?.addEventListener("abort", () => resolve(), { once: true });
      });
      await Promise.race([gate.wait(), stopped]);
      signal?.throwIfAborted();
      yield { type: "text-delta", delta: "second" };
      const content = [{ type: "text", text: "first second" } as const];
      yield {
        type: "finish",
        response: {
          message: { role: "assistant", content },
          finishReason: "stop",
          usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
        },
      };
    },
  };
}

/** A server whose process can be replaced. */
interface Server extends AsyncDisposable {
  readonly api: string;
  stop(): Promise<string>;
  replace(): Promise<void>;
}

function serve(gate: Gate): Server {
  const storage = memoryStorage();
  const open = (): Sessions =>
    openSessions({
      storage,
      drainMs: 0,
      agent: () => new ToolLoopAgent({ name: "shop", model: gatedModel(gate) }),
    });
  let sessions = open();
  const settings = { path: "/chat", authorize: () => true, onError: () => {} };
  let handle = uiChatHandler(sessions, settings);
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => handle(request),
  );
  return {
    api: `http://127.0.0.1:${server.addr.port}/chat`,
    stop: () => sessions.stop("chat"),
    async replace(): Promise<void> {
      await sessions.close();
      sessions = open();
      handle = uiChatHandler(sessions, settings);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await sessions.close();
      await server.shutdown();
    },
  };
}

Deno.test("a page reads the rest of a run after its server was replaced", async () => {
  const gate = createGate();
  await using server = serve(gate);
  const page = new ReconnectingPage(server.api);
  const sent = page.sendMessage({ text: "count" });
  await until("the first word", () => page.texts.at(-1) === "first ");
  await server.replace();
  await within(10_000, "the end of the response", sent);
  gate.release();
  await until("the rest of the run", () => page.texts.at(-1) === "first second");
  await until("the end of the run", () => page.status === "ready");
  assertEquals(page.texts, ["count", "first second"]);
});

Deno.test("a page shows the text of a run that was stopped elsewhere, and then rests", async () => {
  await using server = serve(createGate());
  const page = new ReconnectingPage(server.api);
  const sent = page.sendMessage({ text: "count" });
  await until("the first word", () => page.texts.at(-1) === "first ");
  assertEquals(await server.stop(), "stopped");
  await within(10_000, "the end of the response", sent);
  await until("the stored messages", () => page.messages[0]?.id === "chat/0/user");
  assertEquals([page.texts, page.status], [["count", "first "], "ready"]);
  assertEquals(page.reloads, 1);
});

Deno.test("a page whose message is rejected shows the run in progress", async () => {
  const gate = createGate();
  await using server = serve(gate);
  const first = new ReconnectingPage(server.api);
  const sent = first.sendMessage({ text: "count" });
  await until("the first word", () => first.texts.at(-1) === "first ");
  const second = new ReconnectingPage(server.api);
  await second.sendMessage({ text: "another" });
  await until("the run in progress", () => second.texts.at(-1) === "first ");
  gate.release();
  await within(10_000, "the end of the response", sent);
  await until("the end of the run", () => second.texts.at(-1) === "first second");
  assertEquals(second.texts, ["count", "first second"]);
});
