import { readFilter } from "./subscription.ts";
import { assertEquals, assertRejects } from "@std/assert";
import { McpClient, StdioTransport, type Subscription } from "../client.ts";
import { McpError } from "../shared/error.ts";
import { LineServer } from "../testdata/line_server.ts";
import type { Message } from "../testdata/message.ts";

const FILTER = { toolsListChanged: true, resourceSubscriptions: ["r:1"] } as const;
const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true },
};

const META = "io.modelcontextprotocol/subscriptionId";

/** A modern server with a custom handler for `subscriptions/listen`. */
function modern(listen: (message: Message, server: LineServer) => void): LineServer {
  return new LineServer((message, server) => {
    const { id, method } = message;
    if (method === "subscriptions/listen") return listen(message, server);
    if (id === undefined) return;
    const result = { supportedVersions: ["2026-07-28"], capabilities: CAPABILITIES };
    server.send({ jsonrpc: "2.0", id, result });
  });
}

function acknowledge({ id, params }: Message, server: LineServer): void {
  const method = "notifications/subscriptions/acknowledged";
  const notifications = params?.notifications;
  server.send({ jsonrpc: "2.0", method, params: { notifications, _meta: { [META]: id } } });
}

function notification(id: unknown, method = "notifications/tools/list_changed"): object {
  return { jsonrpc: "2.0", method, params: { _meta: { [META]: id } } };
}

function updated(id: unknown, uri: string): object {
  const params = { uri, _meta: { [META]: id } };
  return { jsonrpc: "2.0", method: "notifications/resources/updated", params };
}

function older(): LineServer {
  return new LineServer(({ id, method }, server) => {
    if (id === undefined) return;
    const result = method === "initialize"
      ? { protocolVersion: "2025-11-25", capabilities: CAPABILITIES }
      : {};
    server.send({ jsonrpc: "2.0", id, result });
  });
}

async function connect(server: LineServer, received: string[] = []): Promise<McpClient> {
  const transport = new StdioTransport(server.options);
  const client = new McpClient({
    transport,
    onNotification: ({ method }) => received.push(method),
  });
  await client.connect();
  return client;
}

async function methods(subscription: Subscription): Promise<string[]> {
  const found: string[] = [];
  for await (const { method } of subscription) found.push(method);
  return found;
}

Deno.test("listen() delivers notifications until the server responds", async () => {
  const server = modern((message, self) => {
    acknowledge(message, self);
    self.send(notification(message.id));
    self.send(notification("another"));
    self.send(updated(message.id, "r:1"));
    self.send({ jsonrpc: "2.0", id: message.id, result: { resultType: "complete" } });
  });
  const received: string[] = [];
  const client = await connect(server, received);
  const stream = await client.listen(FILTER);
  assertEquals(stream.accepted, FILTER);
  assertEquals(await methods(stream), [
    "notifications/tools/list_changed",
    "notifications/resources/updated",
  ]);
  assertEquals(received, ["notifications/tools/list_changed"]);
  await client.disconnect();
});

Deno.test("listen() ends the stream on cancellation by the server, close() and abort", async () => {
  const server = modern(acknowledge);
  const client = await connect(server);
  const first = await client.listen(FILTER);
  const requestId = server.seen.at(-1)?.id;
  server.send(notification(requestId));
  server.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
  assertEquals(await methods(first), ["notifications/tools/list_changed"]);

  const second = await client.listen(FILTER);
  const ended = methods(second);
  await second.close();
  await second.close();
  assertEquals(await ended, []);
  assertEquals(server.seen.at(-1)?.method, "notifications/cancelled");

  const controller = new AbortController();
  const third = await client.listen(FILTER, { signal: controller.signal });
  const reason = new Error("enough");
  const broken = assertRejects(() => methods(third));
  controller.abort(reason);
  assertEquals(await broken, reason);
  await client.disconnect();
});

Deno.test("iterating over a stream from listen() throws if the connection is lost", async () => {
  for (const server of [modern(acknowledge), older()]) {
    const client = await connect(server);
    const stream = await client.listen(FILTER);
    server.end();
    const error = await assertRejects(() => methods(stream), McpError);
    assertEquals(error.code, "transport_error");
    await client.disconnect();
  }
});

Deno.test("listen() rejects if the first message is not an acknowledgment", async () => {
  const answers: ((message: Message, server: LineServer) => void)[] = [
    ({ id }, self) => self.send(notification(id)),
    ({ id }, self) => self.send({ jsonrpc: "2.0", id, result: {} }),
    ({ id }, self) => self.send({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }),
  ];
  for (const answer of answers) {
    const client = await connect(modern(answer));
    const error = await assertRejects(() => client.listen(FILTER), McpError);
    assertEquals(error.code, "protocol_error");
    await client.disconnect();
  }
  const client = await connect(modern(() => {}));
  const error = await assertRejects(() => client.listen(FILTER, { timeoutMs: 1 }), McpError);
  assertEquals(error.code, "timeout");
  await client.disconnect();
});

Deno.test("listen() subscribes to a legacy server's resources and unsubscribes on close", async () => {
  const server = older();
  const received: string[] = [];
  const client = await connect(server, received);
  const filter = { ...FILTER, promptsListChanged: true };
  const first = await client.listen(filter);
  const second = await client.listen(FILTER);
  assertEquals([first.accepted, second.accepted], [FILTER, FILTER]);
  const updated = { method: "notifications/resources/updated", params: { uri: "r:1" } };
  const unwanted = { method: "notifications/resources/updated", params: { uri: "r:2" } };
  for (const each of [updated, unwanted]) server.send({ jsonrpc: "2.0", ...each });
  server.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  const iterator = first[Symbol.asyncIterator]();
  assertEquals((await iterator.next()).value, { jsonrpc: "2.0", ...updated });
  assertEquals((await iterator.next()).value?.method, "notifications/tools/list_changed");
  await first.close();
  assertEquals(server.seen.at(-1)?.method, "resources/subscribe");
  await second.close();
  assertEquals(server.seen.at(-1)?.method, "resources/unsubscribe");
  assertEquals(received, ["notifications/resources/updated"]);
  await client.disconnect();
});

Deno.test("listen() removes its subscriptions if one of them fails", async () => {
  const server = new LineServer(({ id, method, params }, self) => {
    if (id === undefined) return;
    const error = { code: -32602, message: "Unknown resource" };
    const result = method === "initialize"
      ? { protocolVersion: "2025-11-25", capabilities: CAPABILITIES }
      : {};
    self.send({ jsonrpc: "2.0", id, ...(params?.uri === "r:2" ? { error } : { result }) });
  });
  const client = await connect(server);
  const filter = { resourceSubscriptions: ["r:1", "r:2", "r:3"] };
  const error = await assertRejects(() => client.listen(filter), McpError);
  assertEquals(error.rpcCode, -32602);
  assertEquals(server.seen.slice(-3).map(({ method, params }) => [method, params?.uri]), [
    ["resources/subscribe", "r:1"],
    ["resources/subscribe", "r:2"],
    ["resources/unsubscribe", "r:1"],
  ]);
  await client.disconnect();
});

Deno.test("listen() unsubscribes from a legacy server on abort", async () => {
  const server = older();
  const client = await connect(server);
  const controller = new AbortController();
  const stream = await client.listen(FILTER, { signal: controller.signal });
  const broken = assertRejects(() => methods(stream));
  const reason = new Error("enough");
  controller.abort(reason);
  assertEquals(await broken, reason);
  await stream.close();
  assertEquals(server.seen.at(-1)?.method, "resources/unsubscribe");
  await client.disconnect();
});

Deno.test("readFilter() reads each kind of change", () => {
  const kinds = ["toolsListChanged", "promptsListChanged", "resourcesListChanged"];
  for (const kind of kinds) {
    assertEquals(readFilter({ notifications: { [kind]: true } }), { [kind]: true });
    assertEquals(readFilter({ notifications: { [kind]: "true" } }), {});
  }
  assertEquals(readFilter({ notifications: { resourceSubscriptions: ["r:1", 2] } }), {
    resourceSubscriptions: ["r:1"],
  });
  assertEquals(readFilter(undefined), {});
});

Deno.test("closing a stream keeps a resource that another stream is subscribing to", async () => {
  const sent: unknown[] = [];
  let waiting: unknown;
  const server = new LineServer(({ id, method }, server) => {
    if (id === undefined) return;
    if (method?.startsWith("resources/")) sent.push(method);
    // The response to the second request for the resource is delayed.
    if (sent.length === 2) return void (waiting = id);
    const result = method === "initialize"
      ? { protocolVersion: "2025-11-25", capabilities: CAPABILITIES }
      : {};
    server.send({ jsonrpc: "2.0", id, result });
  });
  const client = await connect(server);
  const filter = { resourceSubscriptions: ["r:1"] };
  const first = await client.listen(filter);
  const opening = client.listen(filter);
  const closed = first.close();
  server.send({ jsonrpc: "2.0", id: waiting, result: {} });
  const second = await opening;
  await closed;
  assertEquals(sent, ["resources/subscribe", "resources/subscribe"]);
  await second.close();
  assertEquals(sent.at(-1), "resources/unsubscribe");
  await client.disconnect();
});

Deno.test("listen() delivers only what the client has requested", async () => {
  const server = modern(({ id }, self) => {
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ["r:1", "r:2"],
      taskIds: ["1"],
    };
    const method = "notifications/subscriptions/acknowledged";
    self.send({ jsonrpc: "2.0", method, params: { notifications, _meta: { [META]: id } } });
    for (const name of ["prompts/list_changed", "resources/list_changed", "message", "tasks"]) {
      self.send(notification(id, `notifications/${name}`));
    }
    for (const uri of ["r:1", "r:1/part", "r:12", "r:2"]) self.send(updated(id, uri));
    self.send(notification(id, "notifications/resources/updated"));
    self.send(notification(id));
    self.send({ jsonrpc: "2.0", id, result: { resultType: "complete" } });
  });
  const client = await connect(server);
  const stream = await client.listen(FILTER);
  assertEquals(stream.accepted, FILTER);
  const received: unknown[] = [];
  for await (const { method, params } of stream) received.push([method, params?.uri]);
  assertEquals(received, [
    ["notifications/resources/updated", "r:1"],
    ["notifications/resources/updated", "r:1/part"],
    ["notifications/tools/list_changed", undefined],
  ]);
  await client.disconnect();
});
