import { assertEquals, assertRejects } from "@std/assert";
import type { RpcRequest } from "../rpc/message.ts";
import type { Call } from "./call.ts";
import type { ServerMessage } from "./core.ts";
import type { RequestContext } from "./context.ts";
import { McpServer } from "./mcp_server.ts";

function exchange(
  run: (context: RequestContext) => unknown,
  options: { maxWaiting?: number; call?: Partial<Call>; _meta?: object } = {},
): AsyncGenerator<ServerMessage> {
  const { maxWaiting = 1000, call = {}, _meta = { progressToken: "t" } } = options;
  const server = new McpServer({ name: "s", version: "1", maxWaiting });
  server.registerTool({ name: "t", description: "" }, (_args, context) => run(context));
  const params = { name: "t", _meta };
  const request: RpcRequest = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const peer = { protocolVersion: "2026-07-28", capabilities: {} };
  return server.exchange(request, { peer, signal: new AbortController().signal, ...call });
}

function steps(messages: readonly ServerMessage[]): unknown[] {
  return messages.map((message) => "params" in message ? message.params?.progress : "response");
}

Deno.test("an exchange is its notifications in order, then one response", async () => {
  const messages = await Array.fromAsync(exchange(async ({ progress }) => {
    await progress(1, { total: 2, message: "half" });
    await progress(2);
  }));
  assertEquals(messages[0], {
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken: "t", progress: 1, total: 2, message: "half" },
  });
  assertEquals(steps(messages), [1, 2, "response"]);
});

Deno.test("progress that does not increase is left out, and all of it when nobody asked", async () => {
  const run = async ({ progress }: RequestContext) => {
    for (const step of [1, 1, 0, 2, NaN]) await progress(step);
  };
  assertEquals(steps(await Array.fromAsync(exchange(run))), [1, 2, "response"]);
  assertEquals(steps(await Array.fromAsync(exchange(run, { _meta: {} }))), ["response"]);
});

Deno.test("a handler that awaits its notifications goes no faster than they are taken", async () => {
  let sent = 0;
  const messages = exchange(async ({ progress }) => {
    for (let step = 1; step <= 100; step++) {
      await progress(step);
      sent = step;
    }
  }, { maxWaiting: 2 });
  await messages.next();
  for (let turn = 0; turn < 200; turn++) await undefined;
  assertEquals(sent <= 4, true, `${sent}`);
  const rest = await Array.fromAsync(messages);
  assertEquals([rest.length, sent], [100, 100]);
});

Deno.test("a handler that does not await them loses those that find too many waiting", async () => {
  const messages = await Array.fromAsync(exchange(async ({ progress }) => {
    for (let step = 1; step < 10; step++) progress(step);
    await undefined;
  }, { maxWaiting: 2 }));
  assertEquals(messages.length <= 5, true);
  assertEquals(steps(messages).slice(0, 2), [1, 2]);
  assertEquals(steps(messages).at(-1), "response");
});

Deno.test("an aborted exchange throws the reason, even when the handler does not care", async () => {
  const controller = new AbortController();
  const messages = exchange(async ({ progress }) => {
    await progress(1);
    await new Promise(() => {});
  }, { call: { signal: controller.signal } });
  await messages.next();
  controller.abort(new Error("enough"));
  await assertRejects(() => messages.next(), Error, "enough");
  const never = exchange(() => "x", { call: { signal: controller.signal } });
  await assertRejects(() => never.next(), Error, "enough");
});

Deno.test("a handler that finishes after the abort is not answered", async () => {
  const controller = new AbortController();
  const messages = exchange(() => {
    controller.abort(new Error("enough"));
    return "too late";
  }, { call: { signal: controller.signal } });
  await assertRejects(() => messages.next(), Error, "enough");
});
