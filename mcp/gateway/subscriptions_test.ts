import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Subscription } from "../client.ts";
import { McpError, McpServer, type Principal } from "../server.ts";
import type { JsonObject } from "../shared/json.ts";
import { clientTasks, serverTasks, type TaskContext } from "../tasks.ts";
import { breakable, clientOf, connectTo, ERAS, openGateway } from "../testdata/gateway.ts";

/** A server with the resources `NAME:///a` and `NAME:///b`, which reports updates. */
function watchedServer(name = "s"): McpServer {
  const server = new McpServer({ name, version: "1" });
  server.registerTool({ name: "t", description: "" }, () => "");
  for (const each of ["a", "b"]) {
    server.registerResource({ uri: `${name}:///${each}`, name: each }, () => each);
  }
  server.registerResourceTemplate({ uriTemplate: `${name}:///t/{x}`, name: "t" }, () => "t");
  return server;
}

/** Returns the method and the parameters, without `_meta`, of the next notification. */
async function next(stream: Subscription): Promise<unknown> {
  for await (const { method, params: { _meta, ...params } = {} } of stream) {
    return [method, params];
  }
  return "end";
}

function updated(uri: string): unknown {
  return ["notifications/resources/updated", { uri }];
}

/** A principal's modern subscription stream, opened without a transport. */
interface RawStream {
  /** Notifications without `_meta`. The first notification is the acknowledgment. */
  readonly delivered: [method: string, params: JsonObject][];
  /** Resolves when `count` notifications have been received. */
  readonly until: (count: number) => Promise<void>;
  /** Resolves to the response to `subscriptions/listen`. */
  readonly ended: Promise<JsonObject>;
  readonly stop: () => void;
}

function listen(server: McpServer, notifications: JsonObject, principal?: Principal): RawStream {
  const delivered: [string, JsonObject][] = [];
  const stop = new AbortController();
  let wake = (): void => {};
  const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  const ended = server.exchange({
    jsonrpc: "2.0",
    id: 9,
    method: "subscriptions/listen",
    params: { notifications },
  }, {
    client: { protocolVersion: "2026-07-28", capabilities },
    signal: stop.signal,
    emit: (message) => {
      const { _meta, ...params } = message.params ?? {};
      delivered.push([message.method, params]);
      wake();
      return Promise.resolve(true);
    },
    ...(principal === undefined ? {} : { principal }),
  }).then((response) => ({ ...response }));
  const until = async (count: number): Promise<void> => {
    while (delivered.length < count) await new Promise<void>((resolve) => wake = resolve);
  };
  return {
    delivered,
    until,
    ended: ended.catch(() => ({})),
    stop: () => stop.abort(),
  };
}

for (const caller of ERAS) {
  for (const upstream of ERAS) {
    Deno.test(`mcpGateway() relays updates of resources (${caller} caller, ${upstream} servers)`, async () => {
      const [a, b] = [watchedServer("a"), watchedServer("b")];
      await using gateway = await openGateway({
        a: { client: clientOf(a, upstream) },
        b: { client: clientOf(b, upstream) },
      });
      await using client = await connectTo(gateway.server, caller);
      const resourceSubscriptions = ["a:///a", "b:///t/1", "own:///x"];
      gateway.server.registerResource({ uri: "own:///x", name: "x" }, () => "");
      await using stream = await client.listen({ resourceSubscriptions });
      assertEquals(stream.accepted, { resourceSubscriptions });
      a.resourceUpdated("a:///b");
      a.resourceUpdated("a:///a");
      assertEquals(await next(stream), updated("a:///a"));
      b.resourceUpdated("b:///t/1");
      assertEquals(await next(stream), updated("b:///t/1"));
      gateway.server.resourceUpdated("own:///x");
      assertEquals(await next(stream), updated("own:///x"));
      assertEquals(gateway.errors, []);
    });
  }
}

Deno.test("subscribers of one resource share one subscription to the server", async () => {
  const server = watchedServer();
  await using gateway = await openGateway({ s: { client: clientOf(server) } });
  const before = server.changes.size;
  const first = listen(gateway.server, { resourceSubscriptions: ["s:///a"] });
  const second = listen(gateway.server, { resourceSubscriptions: ["s:///a", "s:///b"] });
  await Promise.all([first.until(1), second.until(1)]);
  assertEquals(server.changes.size, before + 2);
  server.resourceUpdated("s:///a");
  await Promise.all([first.until(2), second.until(2)]);
  assertEquals(first.delivered[1], second.delivered[1]);
  first.stop();
  await first.ended;
  server.resourceUpdated("s:///a");
  await second.until(3);
  second.stop();
  await second.ended;
  assertEquals(first.delivered.length, 2);
  while (server.changes.size > before) await Promise.resolve();
});

Deno.test("a principal receives only updates of its own connection and of resources that it can see", async () => {
  const servers = new Map<string, McpServer>();
  let isOpen = true;
  await using gateway = await openGateway({
    own: {
      client: ({ principal }) => {
        const server = watchedServer();
        servers.set(principal?.subject ?? "", server);
        return clientOf(server);
      },
    },
    shared: {
      client: clientOf(watchedServer("shared")),
      allow: (name, { principal }) => name !== "shared:///a" || principal?.subject === "ann",
    },
  }, { visible: ({ name }, principal) => name !== "s:///b" || isOpen || principal === undefined });
  const resourceSubscriptions = ["s:///a", "s:///b", "shared:///a"];
  const [ann, bob] = ["ann", "bob"].map((subject) =>
    listen(gateway.server, { resourceSubscriptions }, { subject })
  );
  assert(ann !== undefined && bob !== undefined);
  await Promise.all([ann.until(1), bob.until(1)]);
  servers.get("ann")?.resourceUpdated("s:///a");
  await ann.until(2);
  isOpen = false;
  servers.get("bob")?.resourceUpdated("s:///b");
  servers.get("bob")?.resourceUpdated("s:///a");
  await bob.until(2);
  for (const { delivered } of [ann, bob]) assertEquals(delivered.slice(1), [updated("s:///a")]);
  for (const stream of [ann, bob]) stream.stop();
  await Promise.all([ann.ended, bob.ended]);
});

Deno.test("the connections of a principal stay open while a subscription is open", async () => {
  await using gateway = await openGateway({ s: { client: () => clientOf(watchedServer()) } }, {
    maxCallers: 1,
  });
  const stream = listen(gateway.server, { resourceSubscriptions: ["s:///a"] }, { subject: "ann" });
  await stream.until(1);
  const refused = await listen(gateway.server, {}, { subject: "bob" }).ended;
  assert(JSON.stringify(refused).includes("Too many principals"), JSON.stringify(refused));
  stream.stop();
  await stream.ended;
  const other = listen(gateway.server, {}, { subject: "bob" });
  await other.until(1);
  other.stop();
  await other.ended;
});

Deno.test("a resource of a server that does not accept subscriptions is not accepted", async () => {
  const server = watchedServer();
  server.registerResource({ uri: "s:///refused", name: "refused" }, () => "");
  const refusing = clientOf(server);
  const listenOn = refusing.listen.bind(refusing);
  refusing.listen = (filter, options) =>
    filter.resourceSubscriptions?.includes("s:///refused")
      ? Promise.reject(McpError.protocolError("Enough", { rpcCode: -32603 }))
      : listenOn(filter, options);
  const silent = new McpServer({
    name: "x",
    version: "1",
    extensions: [{
      id: "example.org/x",
      capabilities: () => ({ resources: {} }),
      wrap: {
        "resources/list": () => () => ({ resources: [{ uri: "x:///a", name: "a" }] }),
      },
    }],
  });
  await using gateway = await openGateway({
    s: { client: refusing },
    x: { client: clientOf(silent) },
  });
  const resourceSubscriptions = ["x:///a", "nowhere:///"];
  await using modern = await connectTo(gateway.server);
  const stream = await modern.listen({ resourceSubscriptions });
  assertEquals(stream.accepted, { resourceSubscriptions: ["nowhere:///"] });
  await stream.close();
  const failed = await modern.listen({ resourceSubscriptions: ["s:///refused"] });
  assertEquals(failed.accepted, {});
  await failed.close();
  await using legacy = await connectTo(gateway.server, "legacy");
  const error = await assertRejects(
    () => legacy.listen({ resourceSubscriptions: ["x:///a"] }),
    McpError,
    'Cannot subscribe to "x:///a"',
  );
  assertEquals(error.rpcCode, -32603);
  assertEquals(gateway.errors, ["Cannot complete the request: Enough"]);
});

Deno.test("a stream ends when all servers that it uses have ended their streams", async () => {
  const [a, b] = [watchedServer("a"), watchedServer("b")];
  await using gateway = await openGateway({
    a: { client: clientOf(a) },
    b: { client: clientOf(b) },
  }, { debounceMs: 1 });
  const both = listen(gateway.server, { toolsListChanged: true });
  const one = listen(gateway.server, { resourceSubscriptions: ["a:///a"] });
  await Promise.all([both.until(1), one.until(1)]);
  await a.close();
  await one.ended;
  assertEquals(one.delivered.map(([method]) => method), [
    "notifications/subscriptions/acknowledged",
    "notifications/cancelled",
  ]);
  // After losing the connection, the gateway reports a change to the lists.
  await both.until(2);
  await b.close();
  await both.ended;
  assertEquals(both.delivered.at(-1)?.[0], "notifications/cancelled");
  // A client that subscribes again receives new changes.
  const again = listen(gateway.server, { toolsListChanged: true });
  await again.until(1);
  a.registerTool({ name: "new", description: "" }, () => "");
  await again.until(2);
  assertEquals(again.delivered[1]?.[0], "notifications/tools/list_changed");
  again.stop();
  await again.ended;
});

for (const era of ERAS) {
  Deno.test(`the loss of a connection ends no stream, and subscriptions are restored (${era})`, async () => {
    const server = watchedServer();
    const s = breakable(server, era);
    await using gateway = await openGateway({ s: { client: s.client } });
    const stream = listen(gateway.server, { resourceSubscriptions: ["s:///a"] });
    await stream.until(1);
    await s.break();
    await using user = await connectTo(gateway.server);
    await user.callTool("s_t", {});
    // The resource may have changed while the connection was lost.
    await stream.until(2);
    server.resourceUpdated("s:///a");
    await stream.until(3);
    assertEquals(stream.delivered.slice(1), [updated("s:///a"), updated("s:///a")]);
    stream.stop();
    await stream.ended;
  });
}

/** A server whose `work` tool starts a task that ends when `finish` is called. */
function taskServer(): { readonly server: McpServer; readonly finish: () => void } {
  const tasks = serverTasks({ pollIntervalMs: 60_000 });
  const server = new McpServer({ name: "s", version: "1", extensions: [tasks] });
  const free = Promise.withResolvers<void>();
  server.registerTool({ name: "work", description: "" }, async (_args, context) => {
    const { signal }: TaskContext = await tasks.start(context);
    signal.addEventListener("abort", () => free.resolve());
    await free.promise;
    return "worked";
  });
  return { server, finish: () => free.resolve() };
}

Deno.test("mcpGateway() relays the changes of a task to the principal whose call started it", async () => {
  const { server, finish } = taskServer();
  await using _server = server;
  // The gateway's client does not declare the tasks extension: the gateway declares it on behalf of
  // the caller.
  await using gateway = await openGateway({ s: { client: clientOf(server) } });
  const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  const [ann, eve] = [{ subject: "ann" }, { subject: "eve" }];
  const response = await gateway.server.exchange({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "s_work" },
  }, {
    client: { protocolVersion: "2026-07-28", capabilities },
    signal: new AbortController().signal,
    principal: ann,
  });
  assert("result" in response);
  const { taskId } = response.result;
  assert(typeof taskId === "string");
  const own = listen(gateway.server, { taskIds: [taskId, "unknown"] }, ann);
  const foreign = listen(gateway.server, { taskIds: [taskId] }, eve);
  await Promise.all([own.until(2), foreign.until(1)]);
  assertEquals(own.delivered[0]?.[1], { notifications: { taskIds: [taskId] } });
  assertEquals(own.delivered[1]?.[0], "notifications/tasks");
  assertEquals([own.delivered[1]?.[1].taskId, own.delivered[1]?.[1].status], [taskId, "working"]);
  finish();
  await own.until(3);
  assertEquals([own.delivered[2]?.[1].taskId, own.delivered[2]?.[1].status], [taskId, "completed"]);
  assertEquals(foreign.delivered.map(([, params]) => params), [{ notifications: { taskIds: [] } }]);
  for (const stream of [own, foreign]) stream.stop();
  await Promise.all([own.ended, foreign.ended]);
  assertEquals(gateway.errors, []);
});

Deno.test("subscriptions/listen of a gateway rejects task ids that are not valid", async () => {
  await using gateway = await openGateway({});
  const refused = await listen(gateway.server, { taskIds: [1] }).ended;
  assert(JSON.stringify(refused).includes('\\"taskIds\\" must be an array'));
  await using client = await connectTo(gateway.server);
  const error = await assertRejects(() => client.listen({ extensions: { taskIds: [] } }), McpError);
  assertEquals(error.rpcCode, -32021);
  await using declaring = await connectTo(gateway.server, "modern", {
    extensions: [clientTasks()],
  });
  const stream = await declaring.listen({ extensions: { taskIds: ["none"] } });
  assertEquals(stream.accepted, { extensions: { taskIds: [] } });
});
