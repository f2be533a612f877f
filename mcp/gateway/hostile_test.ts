import { assert, assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import type { McpClient } from "../client.ts";
import { McpServer, type Principal } from "../server.ts";
import type { JsonObject } from "../shared/json.ts";
import { breakable, clientOf, connectTo, openGateway } from "../testdata/gateway.ts";

const requestedSchema = { type: "object", properties: {} };
const FORM = { method: "elicitation/create", params: { message: "PIN?", requestedSchema } };

/**
 * Returns a client whose relayed calls have the given results, and the parameters of these calls.
 */
function clientWithResults(...results: readonly JsonObject[]): {
  readonly client: McpClient;
  readonly seen: JsonObject[];
} {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "t", description: "" }, () => "");
  const client = clientOf(server);
  const seen: JsonObject[] = [];
  client.relay = (_method, params) => {
    seen.push(params);
    return Promise.resolve(results[seen.length - 1] ?? { content: [] });
  };
  return { client, seen };
}

type Send = (
  method: string,
  params: JsonObject,
  principal?: Principal,
) => Promise<JsonObject & { readonly code?: number }>;

/** Returns a function that sends requests as a modern client that supports forms and tasks. */
function senderTo(server: McpServer): Send {
  const extensions = { "io.modelcontextprotocol/tasks": {} };
  const capabilities = { elicitation: { form: {} }, extensions };
  const client = { protocolVersion: "2026-07-28", capabilities };
  return async (method, params, principal) => {
    const request = { jsonrpc: "2.0" as const, id: 1, method, params };
    const response = await server.exchange(request, {
      client,
      signal: new AbortController().signal,
      ...(principal === undefined ? {} : { principal }),
    });
    return "result" in response ? response.result : { ...response.error };
  };
}

Deno.test("a caller's input for one server does not reach another server with the same tool", async () => {
  const asking = {
    resultType: "input_required",
    requestState: "state of a",
    inputRequests: { pin: FORM },
  };
  const a = clientWithResults(asking);
  const b = clientWithResults();
  let owner = "a";
  await using gateway = await openGateway({
    a: { client: a.client, prefix: "", allow: () => owner === "a" },
    b: { client: b.client, prefix: "", allow: () => owner === "b" },
  });
  const send = senderTo(gateway.server);
  const { requestState } = await send("tools/call", { name: "t" });
  owner = "b";
  const inputResponses = { pin: { action: "accept", content: { pin: "1234" } } };
  const { code, message } = await send("tools/call", { name: "t", requestState, inputResponses });
  assertEquals([code, message], [-32602, 'Unknown tool: "t"']);
  assertEquals(b.seen, []);
  owner = "a";
  await send("tools/call", { name: "t", requestState, inputResponses });
  assertEquals(a.seen[1], { name: "t", inputResponses, requestState: "state of a" });
});

Deno.test("the response to one input request is not used for another request of the same server", async () => {
  const ask = (...keys: string[]): JsonObject => ({
    resultType: "input_required",
    inputRequests: Object.fromEntries(keys.map((key) => [key, FORM])),
  });
  const { client, seen } = clientWithResults(ask("k", "k-2", "__proto__"), ask("k"));
  await using gateway = await openGateway({ s: { client } });
  const asked: number[] = [];
  await using user = await connectTo(gateway.server, "modern", {
    handlers: {
      elicit: () => Promise.resolve({ action: "accept", content: { n: asked.push(0) } }),
    },
  });
  await user.callTool("s_t", {});
  assertEquals(asked.length, 4);
  const keys = seen.map(({ inputResponses }) => Object.keys(inputResponses ?? {}).sort());
  assertEquals(keys, [[], ["__proto__", "k", "k-2"], ["k"]]);
  assertEquals(seen[2]?.inputResponses, { k: { action: "accept", content: { n: 4 } } });
});

/** A server whose only tool starts tasks with the ids 1, 2 and so on. */
function taskClient(): { readonly client: McpClient; readonly seen: JsonObject[] } {
  const tasks = Array.from({ length: 9 }, (_, index) => ({
    resultType: "task",
    taskId: `${index + 1}`,
    status: "working",
  }));
  return clientWithResults(...tasks);
}

Deno.test("the id of a task at the gateway cannot be guessed or claimed by another server", async () => {
  const [a, ab] = [taskClient(), taskClient()];
  await using gateway = await openGateway({ a: { client: a.client }, a_b: { client: ab.client } });
  const send = senderTo(gateway.server);
  const first = await send("tools/call", { name: "a_t" });
  const second = await send("tools/call", { name: "a_b_t" });
  assert(/^a_[0-9a-f-]{36}$/.test(String(first.taskId)), String(first.taskId));
  assert(/^a_b_[0-9a-f-]{36}$/.test(String(second.taskId)), String(second.taskId));
  assertEquals((await send("tasks/get", { taskId: "a_1" })).code, -32602);
  await send("tasks/get", { taskId: second.taskId });
  assertEquals(ab.seen[1], { taskId: "1" });
  assertEquals(a.seen.length, 1);
});

Deno.test("a task without an id is an error, because the caller could not ask for its result", async () => {
  const { client } = clientWithResults({ resultType: "task", status: "working" });
  await using gateway = await openGateway({ s: { client } });
  const { message } = await senderTo(gateway.server)("tools/call", { name: "s_t" });
  assertEquals(message, 'The server "s" sent a task that is not valid');
});

Deno.test("a principal with many tasks does not evict the tasks of another principal", async () => {
  const { client } = taskClient();
  await using gateway = await openGateway({ s: { client } }, { maxTasks: 8 });
  const send = senderTo(gateway.server);
  const [ann, eve] = [{ subject: "ann" }, { subject: "eve" }];
  const start = async (principal: Principal) =>
    String((await send("tools/call", { name: "s_t" }, principal)).taskId);
  const kept = await start(ann);
  const all = [await start(eve), await start(eve), await start(eve), await start(eve)];
  const known = async (taskId: string, principal: Principal): Promise<boolean> =>
    (await send("tasks/get", { taskId }, principal)).code !== -32602;
  assertEquals(await known(kept, ann), true);
  const own = await Promise.all(all.map((taskId) => known(taskId, eve)));
  assertEquals(own, [false, false, true, true]);
});

Deno.test("a client that is returned for two principals serves only the first one", async () => {
  const { client } = clientWithResults();
  await using gateway = await openGateway({ s: { client: () => client } });
  const send = senderTo(gateway.server);
  const namesFor = async (subject: string): Promise<unknown> =>
    (await send("tools/list", {}, { subject })).tools;
  assertEquals(await namesFor("ann"), [{
    name: "s_t",
    description: "",
    inputSchema: { type: "object" },
  }]);
  assertEquals(await namesFor("bob"), []);
  assert(gateway.errors[0]?.includes('"upstreams.s.client" must return a different client'));
});

Deno.test("a function that returns no client is reported by its path", async () => {
  // In JavaScript, a `client` function can return any value.
  const client = () => JSON.parse("null");
  await using gateway = await openGateway({ s: { client } });
  assertEquals((await senderTo(gateway.server)("tools/list", {})).tools, []);
  assert(
    gateway.errors[0]?.includes('"upstreams.s.client" must return an McpClient, got null'),
    gateway.errors[0],
  );
});

Deno.test("a function that never returns a client delays neither lists nor close()", async () => {
  const called = Promise.withResolvers<void>();
  const client = () => {
    called.resolve();
    return new Promise<McpClient>(() => {});
  };
  await using quick = await openGateway({ s: { client } }, { listTimeoutMs: 20 });
  assertEquals((await senderTo(quick.server)("tools/list", {})).tools, []);
  assert(quick.errors[0]?.includes('The server "s" is unreachable'), quick.errors[0]);
  const slow = await openGateway({ s: { client } });
  const listed = senderTo(slow.server)("tools/list", {});
  await called.promise;
  await slow.close();
  await listed;
});

Deno.test("disconnecting the client of an idle principal notifies no other principal", async () => {
  using time = new FakeTime();
  const clients: McpClient[] = [];
  await using gateway = await openGateway({
    s: {
      client: () => {
        const server = new McpServer({ name: "s", version: "1" });
        server.registerTool({ name: "t", description: "" }, () => "");
        const client = clientOf(server);
        clients.push(client);
        return client;
      },
    },
  }, { maxCallers: 1, debounceMs: 1 });
  const lists: string[] = [];
  gateway.server.changes.listen(({ kind }) => lists.push(kind));
  const send = senderTo(gateway.server);
  for (const subject of ["ann", "bob", "ann"]) {
    await send("tools/list", {}, { subject });
    await time.tickAsync(10);
  }
  assertEquals(clients.map(({ connected }) => connected), [false, false, true]);
  assertEquals(lists, []);
});

Deno.test("a server that ends every connection is reported at most once per retryMs", async () => {
  using time = new FakeTime();
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "t", description: "" }, () => "");
  const s = breakable(server);
  await using gateway = await openGateway({ s: { client: s.client } }, {
    retryMs: 5000,
    debounceMs: 100,
  });
  // Each client requests the list after a notification, and the server then ends the connection
  // again.
  const pending = new Set<Promise<unknown>>();
  await using user = await connectTo(gateway.server);
  gateway.server.changes.listen(({ kind }) => {
    if (kind === "tools") pending.add(user.listTools().then(() => s.break()));
  });
  await s.break();
  for (let waitedMs = 0; waitedMs < 20_000; waitedMs += 50) await time.tickAsync(50);
  await Promise.all(pending);
  assert(s.starts() >= 4 && s.starts() <= 5, `${s.starts()} connections in 20 seconds`);
  assertEquals((await user.callTool("s_t", {})).isError, undefined);
});

Deno.test("a server that reports changes after a failure does not shorten retryMs", async () => {
  using time = new FakeTime();
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "t", description: "" }, () => "");
  const client = clientOf(server);
  const listTools = client.listTools.bind(client);
  let lists = 0;
  let isBroken = false;
  client.listTools = async (options) => {
    lists++;
    if (isBroken) throw new Error("broken");
    return await listTools(options);
  };
  await using gateway = await openGateway({ s: { client } }, { retryMs: 5000, debounceMs: 10 });
  await using user = await connectTo(gateway.server);
  assertEquals((await user.listTools()).length, 1);
  isBroken = true;
  lists = 0;
  for (let index = 0; index < 10; index++) {
    server.registerTool({ name: `t${index}`, description: "" }, () => "");
    await time.tickAsync(50);
    assertEquals((await user.listTools()).length, 0);
  }
  assertEquals(lists, 1);
  isBroken = false;
  await time.tickAsync(5000);
  assertEquals((await user.listTools()).length, 11);
  isBroken = true;
  server.registerTool({ name: "last", description: "" }, () => "");
  await time.tickAsync(50);
  // An operator can ask for another attempt.
  isBroken = false;
  await gateway.refresh();
  assertEquals((await user.listTools()).length, 12);
});

Deno.test("a server that changes its lists all the time is asked for one list at a time", async () => {
  let [running, most, lists] = [0, 0, 0];
  const gates: (() => void)[] = [];
  const server: McpServer = new McpServer({
    name: "s",
    version: "1",
    extensions: [{
      id: "example.org/slow",
      wrap: {
        "tools/list": (next) => async (params, context) => {
          most = Math.max(most, ++running);
          lists++;
          if (lists > 1) await new Promise<void>((resolve) => gates.push(resolve));
          running--;
          return await next(params, context);
        },
      },
    }],
  });
  const add = (name: string) => server.registerTool({ name, description: "" }, () => "");
  add("t0");
  await using gateway = await openGateway({ s: { client: clientOf(server) } });
  await using user = await connectTo(gateway.server);
  const refreshes: Promise<unknown>[] = [];
  const results: Promise<readonly { readonly name: string }[]>[] = [];
  for (let index = 1; index <= 5; index++) {
    add(`t${index}`);
    refreshes.push(gateway.refresh());
    results.push(user.listTools());
    while (gates.length === 0) await Promise.resolve();
  }
  let isDone = false;
  const done = Promise.all([...refreshes, ...results]).then(() => isDone = true);
  while (!isDone) {
    gates.shift()?.();
    await new Promise<void>((resolve) => queueMicrotask(resolve));
  }
  await done;
  assertEquals(most, 1);
  assert(lists <= 3, `${lists} lists`);
  assertEquals((await results[4])?.length, 6);
});
