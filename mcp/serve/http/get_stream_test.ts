/** Tests for the GET stream in legacy HTTP sessions and the client subscriptions that use it. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { HttpTransport, McpClient, McpError, type Subscription } from "../../client.ts";
import {
  type Events,
  events,
  failure,
  INITIALIZED,
  older,
  result,
  type Seen,
  type Web,
} from "../../testdata/web.ts";

const CHANGED = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
const FILTER = { toolsListChanged: true, resourceSubscriptions: ["r:1"] };
const CAPABILITIES = { tools: { listChanged: true }, resources: { subscribe: true } };

/**
 * Planned response to a GET request: a stream that stays open, a stream that ends immediately, or
 * another response.
 */
type Get = "stay" | "end" | ((request: Seen) => Response);

interface NewsServer extends Web {
  /** Streams that the server has opened. */
  readonly streams: Events[];
  /** Number of GET requests received. */
  gets(): number;
}

/**
 * Creates a server that responds to GET requests with the planned responses in order, and then
 * repeats the last one. The server assigns the session ids `s1`, `s2` and so on.
 */
function newsServer(plan: readonly Get[], answers: Parameters<typeof older>[0] = {}): NewsServer {
  const streams: Events[] = [];
  let sessions = 0;
  let gets = 0;
  const web = older({
    initialize: (request) =>
      result(request, { ...INITIALIZED, capabilities: CAPABILITIES }, {
        "mcp-session-id": `s${++sessions}`,
      }),
    "resources/subscribe": (request) => result(request, {}),
    "resources/unsubscribe": (request) => result(request, {}),
    "tools/call": (request) => result(request, { content: [] }),
    ping: (request) => result(request, {}),
    GET: (request) => {
      const get = plan[Math.min(gets++, plan.length - 1)] ?? "stay";
      if (typeof get === "function") return get(request);
      const stream = events(request);
      streams.push(stream);
      if (get === "end") stream.end();
      return stream.response;
    },
    ...answers,
  });
  return { ...web, streams, gets: () => gets };
}

function status(code: number): Get {
  return () => new Response(null, { status: code });
}

function refuse(): never {
  throw new TypeError("connection refused");
}

async function connect({ fetch }: Web, reported: unknown[] = []): Promise<McpClient> {
  const transport = new HttpTransport("http://127.0.0.1/mcp", { fetch, maxRetries: 2 });
  const onError = (error: unknown) => void reported.push(error);
  const client = new McpClient({ transport, protocol: "legacy", onError });
  await client.connect();
  return client;
}

/** Advances the clock in small steps, so timers started by other timers also fire. */
async function pass(time: FakeTime, seconds: number): Promise<void> {
  for (let step = 0; step < seconds; step++) await time.tickAsync(1000);
}

/** Runs all pending promise callbacks. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
}

async function broken(subscription: Subscription): Promise<McpError> {
  return await assertRejects(() => Array.fromAsync(subscription), McpError);
}

async function next(subscription: Subscription): Promise<string | undefined> {
  const { value } = await subscription[Symbol.asyncIterator]().next();
  return value?.method;
}

/** Returns the session ids in the requests with the given method. */
function sessionsOf({ seen }: Web, method: string): (string | null)[] {
  return seen.filter(({ body }) => body?.method === method)
    .map(({ headers }) => headers.get("mcp-session-id"));
}

Deno.test("listen() reports a lost stream and can be called again", async () => {
  const server = newsServer(["stay", "end", "end", "stay"]);
  using time = new FakeTime();
  const reported: unknown[] = [];
  const client = await connect(server, reported);
  const [one, other] = [await client.listen(FILTER), await client.listen(FILTER)];
  server.streams[0]?.message(CHANGED);
  assertEquals([await next(one), await next(other)], [CHANGED.method, CHANGED.method]);
  const ends = Promise.all([broken(one), broken(other)]);
  server.streams[0]?.end();
  await pass(time, 10);
  for (const error of await ends) {
    assertEquals(error.code, "transport_error");
    assert(error.message.endsWith("the event stream for server messages was lost"));
  }
  assertEquals([reported.length, server.gets()], [1, 3]);
  assertEquals((await client.callTool("t", {})).content, []);

  const again = await client.listen({ toolsListChanged: true });
  await settle();
  server.streams[3]?.message(CHANGED);
  assertEquals([await next(again), server.gets()], [CHANGED.method, 4]);
  await again.close();
  await client.disconnect();
});

for (const code of [400, 404, 500]) {
  Deno.test(`listen() rejects and stops retrying if GET returns ${code}`, async () => {
    const server = newsServer([status(code)]);
    const reported: unknown[] = [];
    const client = await connect(server, reported);
    await settle();
    for (const round of [1, 2]) {
      const error = await broken(await client.listen(FILTER));
      assertEquals([error.httpStatus, server.gets()], [code, 1 + round]);
    }
    await client.callTool("t", {});
    assertEquals(sessionsOf(server, "tools/call"), ["s1"]);
    assertEquals([sessionsOf(server, "initialize").length, reported.length], [1, 3]);
    await client.disconnect();
  });
}

Deno.test("a server without a GET stream can send notifications with its responses", async () => {
  const server = newsServer([status(405)], {
    "tools/call": (request) => {
      const stream = events(request);
      stream.message(CHANGED);
      stream.message({ jsonrpc: "2.0", id: request.body.id, result: { content: [] } });
      stream.end();
      return stream.response;
    },
  });
  const reported: unknown[] = [];
  const client = await connect(server, reported);
  const subscription = await client.listen(FILTER);
  await client.callTool("t", {});
  assertEquals([await next(subscription), reported], [CHANGED.method, []]);
  await client.disconnect();
});

Deno.test("subscriptions survive a short server outage", async () => {
  const server = newsServer(["stay", refuse, status(503), "stay"]);
  using time = new FakeTime();
  const reported: unknown[] = [];
  const client = await connect(server, reported);
  const subscription = await client.listen(FILTER);
  server.streams[0]?.message(CHANGED, "7");
  assertEquals(await next(subscription), CHANGED.method);
  server.streams[0]?.lose();
  await pass(time, 10);
  // Both permitted attempts to reopen the stream have failed.
  assertEquals((await broken(subscription)).code, "transport_error");
  assertEquals([server.gets(), reported.length], [3, 1]);
  await client.disconnect();

  const sooner = newsServer(["stay", refuse, "stay"]);
  const patient = await connect(sooner);
  const kept = await patient.listen(FILTER);
  sooner.streams[0]?.lose();
  await pass(time, 10);
  sooner.streams[1]?.message(CHANGED);
  assertEquals([await next(kept), sooner.gets()], [CHANGED.method, 3]);
  await patient.disconnect();
});

Deno.test("a subscription survives repeated stream interruptions", async () => {
  const server = newsServer(["stay"]);
  using time = new FakeTime();
  const client = await connect(server);
  const subscription = await client.listen(FILTER);
  for (let cut = 0; cut < 10; cut++) {
    await pass(time, 40);
    server.streams.at(-1)?.end();
  }
  await pass(time, 5);
  server.streams.at(-1)?.message(CHANGED);
  assertEquals([await next(subscription), server.gets()], [CHANGED.method, 11]);
  await client.disconnect();
});

Deno.test("the client opens a new session for subscriptions if the server no longer knows the session", async () => {
  let isLost = false;
  const lost: Get = (request) => {
    isLost = true;
    return failure({ ...request, body: {} }, -32001, undefined, 404);
  };
  const server = newsServer(["stay", lost, "stay"]);
  using time = new FakeTime();
  const reported: unknown[] = [];
  const client = await connect(server, reported);
  const subscription = await client.listen(FILTER);
  server.streams[0]?.end();
  await pass(time, 5);
  assert(isLost);
  server.streams[1]?.message(CHANGED);
  assertEquals(await next(subscription), CHANGED.method);
  assertEquals(sessionsOf(server, "initialize"), [null, null]);
  assertEquals(sessionsOf(server, "resources/subscribe"), ["s1", "s2"]);
  assertEquals([server.gets(), reported], [3, []]);
  await client.disconnect();
});

Deno.test("subscriptions report an error if no new session can be opened", async () => {
  let sessions = 0;
  const server = newsServer(["stay", status(404)], {
    initialize: (request) =>
      ++sessions === 1
        ? result(request, { ...INITIALIZED, capabilities: CAPABILITIES }, {
          "mcp-session-id": "s1",
        })
        : failure(request, -32603),
    "tools/call": (request) => failure(request, -32001, undefined, 404),
  });
  using time = new FakeTime();
  const reported: unknown[] = [];
  const client = await connect(server, reported);
  const end = broken(await client.listen(FILTER));
  server.streams[0]?.end();
  await pass(time, 5);
  assertEquals([(await end).rpcCode, reported.length, sessions], [-32603, 1, 2]);
  // The next call tries to open a session again.
  const error = await assertRejects(() => client.callTool("t", {}), McpError);
  assertEquals([error.rpcCode, sessions], [-32603, 3]);
  await client.disconnect();
});

Deno.test("disconnect() ends subscriptions in every state of the GET stream", async () => {
  for (const get of ["stay", "end", status(405)] as const) {
    const server = newsServer([get]);
    const client = await connect(server);
    const subscription = await client.listen(FILTER);
    const end = Array.fromAsync(subscription).then(() => "end", () => "end");
    await client.disconnect();
    assertEquals(await end, "end");
  }
});

Deno.test("a call resumes its stream until the response arrives", async () => {
  let polls = 0;
  const server = newsServer([(request) => {
    const stream = events(request);
    if (!request.headers.has("last-event-id")) return new Response(null, { status: 405 });
    const id = server.seen.find(({ body }) => body?.method === "tools/call")?.body.id;
    const answer = { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "done" }] } };
    if (++polls < 20) stream.send(`id: ${polls}\ndata: \n\n`);
    else stream.message(answer);
    stream.end();
    return stream.response;
  }], {
    "tools/call": (request) => {
      const stream = events(request);
      stream.send("id: 0\nretry: 500\ndata: \n\n");
      stream.end();
      return stream.response;
    },
  });
  using time = new FakeTime();
  const client = await connect(server);
  const call = client.callTool("t", {});
  await pass(time, 30);
  assertEquals((await call).content, [{ type: "text", text: "done" }]);
  await client.disconnect();
});
