import { assertEquals } from "@std/assert";
import type { McpServer } from "../server.ts";
import type { RpcNotification, RpcResponse } from "../jsonrpc/message.ts";
import { objectOf } from "../testdata/answer.ts";
import { meta } from "../testdata/pipes.ts";
import { ask, call, CAPABILITIES, eventually, EXTENSION, hold, make } from "./testdata/jobs.ts";

Deno.test("a server with serverTasks() declares the extension", async () => {
  const { capabilities } = await ask(make(() => () => ""), "server/discover", { _meta: meta() });
  assertEquals(objectOf(capabilities).extensions, { [EXTENSION]: {} });
});

/**
 * Opens a subscription stream and collects its notifications. The stream ends when the signal is
 * aborted.
 */
function listen(
  server: McpServer,
  taskIds: unknown,
  signal: AbortSignal,
  { capabilities = CAPABILITIES, subject }: { capabilities?: object; subject?: string } = {},
): { received: RpcNotification[]; ended: Promise<RpcResponse> } {
  const received: RpcNotification[] = [];
  const params = { notifications: { taskIds } };
  const ended = server.exchange({ jsonrpc: "2.0", id: 9, method: "subscriptions/listen", params }, {
    client: { protocolVersion: "2026-07-28", capabilities },
    signal,
    emit: (message) => {
      if (!("id" in message)) received.push(message);
      return Promise.resolve(true);
    },
    ...(subject === undefined ? {} : { principal: { subject } }),
  });
  ended.catch(() => {});
  return { received, ended };
}

Deno.test("subscriptions/listen sends the current state of each task, then each change", async () => {
  const { promise, release } = hold<string>();
  const server = make(({ start }) => async (_args, context) => {
    await start(context);
    return await promise;
  });
  const by = { subject: "ada" };
  const { taskId } = await call(server, by);
  const stop = new AbortController();
  const { received } = listen(server, [taskId, "unknown"], stop.signal, by);
  const { received: foreign } = listen(server, [taskId], stop.signal, { subject: "eve" });
  await eventually(() => received.length >= 2 && foreign.length >= 1);
  release("done");
  await eventually(() => received.length >= 3);
  const _meta = { "io.modelcontextprotocol/subscriptionId": 9 };
  const taken = { _meta, notifications: { taskIds: [taskId] } };
  assertEquals(received[0]?.params, taken);
  assertEquals(received.slice(1).map(({ method, params }) => [method, params?.status]), [
    ["notifications/tasks", "working"],
    ["notifications/tasks", "completed"],
  ]);
  assertEquals(received[2]?.params, {
    _meta,
    ...await ask(server, "tasks/get", { taskId }, by),
  });
  assertEquals(foreign.map(({ params }) => params?.notifications), [{ taskIds: [] }]);
  stop.abort();
  await server.close();
});

Deno.test("subscriptions/listen rejects task ids without the extension or beyond the limit", async () => {
  const server = make(() => () => "", { maxTaskSubscriptions: 1 });
  const { signal } = new AbortController();
  const codes = [];
  for (
    const [ids, by] of [
      [["a"], { capabilities: {} }],
      [["a", "b"], {}],
      ["a", {}],
      [[1], {}],
    ] as const
  ) {
    const response = await listen(server, ids, signal, by).ended;
    codes.push("error" in response && response.error.code);
  }
  assertEquals(codes, [-32021, -32602, -32602, -32602]);
  await server.close();
});
