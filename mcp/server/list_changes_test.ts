import { assert, assertEquals } from "@std/assert";
import { openServerSession } from "../serve/server_session.ts";
import { eventually } from "../tasks/testdata/jobs.ts";
import { type Change, memoryChangeBus } from "./change_bus.ts";
import type { Principal } from "./exchange_context.ts";
import { LazySignal } from "./lazy_signal.ts";
import { McpServer } from "./mcp_server.ts";

const PRINCIPALS: readonly (Principal | undefined)[] = [
  { subject: "ann" },
  { subject: "bob" },
  undefined,
];

/** The methods of the notifications that each of the principals receives. */
type Received = readonly string[][];

/** Opens a subscription stream for each principal. */
async function openStreams(server: McpServer, signal: AbortSignal): Promise<Received> {
  const params = {
    notifications: {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
    },
  };
  const all = PRINCIPALS.map((): string[] => []);
  PRINCIPALS.forEach((principal, index) => {
    server.exchange({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params }, {
      client: { protocolVersion: "2026-07-28", capabilities: {} },
      signal,
      emit: ({ method }) => {
        all[index]?.push(method);
        return Promise.resolve(true);
      },
      ...(principal === undefined ? {} : { principal }),
    }).catch(() => {});
  });
  await eventually(() => all.every(({ length }) => length === 1));
  for (const received of all) received.length = 0;
  return all;
}

function createServer(): McpServer {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "t", description: "" }, () => "");
  server.registerPrompt({ name: "p", arguments: [] }, () => "");
  server.registerResource({ uri: "r:1", name: "r" }, () => "");
  return server;
}

Deno.test("a change to the list of one principal reaches only its subscription streams", async () => {
  const server = createServer();
  const stop = new AbortController();
  const streams = await openStreams(server, stop.signal);
  server.listChanged("tools", "ann");
  server.listChanged("prompts", null);
  server.listChanged("resources");
  const all = "notifications/resources/list_changed";
  await eventually(() => streams.every((received) => received.includes(all)));
  assertEquals(streams, [
    ["notifications/tools/list_changed", all],
    [all],
    ["notifications/prompts/list_changed", all],
  ]);
  stop.abort();
  await server.close();
});

Deno.test("a change bus carries the subject of the principal whose list has changed", async () => {
  const changeBus = memoryChangeBus();
  const [one, two] = [1, 2].map(() => new McpServer({ name: "s", version: "1", changeBus }));
  assert(one !== undefined && two !== undefined);
  const changes: Change[] = [];
  two.changes.listen((change) => changes.push(change));
  await two.changes.ready();
  const subjects = ["ann", "bob", null, undefined];
  for (const subject of subjects) one.listChanged("tools", subject);
  await eventually(() => changes.length >= 4);
  await Promise.all([one.close(), two.close()]);
  assertEquals(changes, [
    { kind: "tools", subject: "ann" },
    { kind: "tools", subject: "bob" },
    { kind: "tools", subject: null },
    { kind: "tools" },
  ]);
});

Deno.test("a change to the list of one principal reaches only its legacy sessions", async () => {
  const server = createServer();
  const initialize = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "c", version: "1" },
  };
  const limits = { inputTimeoutMs: 1000, maxResourceSubscriptions: 10 };
  const sessions = await Promise.all(PRINCIPALS.map(async (principal) => {
    const received: string[] = [];
    const session = openServerSession(server, ({ method }) => received.push(method), limits);
    await session.exchange({ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize }, {
      signal: new LazySignal(),
      emit: () => Promise.resolve(true),
      ...(principal === undefined ? {} : { principal }),
    });
    return { session, received };
  }));
  server.listChanged("tools", "ann");
  server.listChanged("prompts", null);
  server.listChanged("resources");
  const all = "notifications/resources/list_changed";
  assertEquals(sessions.map(({ received }) => received), [
    ["notifications/tools/list_changed", all],
    [all],
    ["notifications/prompts/list_changed", all],
  ]);
  for (const { session } of sessions) session.close();
  await server.close();
});

Deno.test("a principal is not notified of the registration of an item that it cannot see", async () => {
  const changeBus = memoryChangeBus();
  const errors: unknown[] = [];
  const server = new McpServer({
    name: "s",
    version: "1",
    changeBus,
    onError: (error) => errors.push(error),
    visible: ({ name }, principal) => {
      if (name === "broken") throw new Error("no database");
      return !name.includes("hidden") || principal?.subject === "ann";
    },
  });
  server.registerTool({ name: "t", description: "" }, () => "");
  server.registerPrompt({ name: "p", arguments: [] }, () => "");
  server.registerResource({ uri: "r:1", name: "r" }, () => "");
  const published: Change[] = [];
  const unsubscribe = await changeBus.subscribe(({ change }) => void published.push(change));
  const stop = new AbortController();
  const streams = await openStreams(server, stop.signal);
  published.length = 0;
  server.registerTool({ name: "hidden", description: "" }, () => "");
  server.removeTool("hidden");
  server.registerPrompt({ name: "broken", arguments: [] }, () => "");
  server.registerResourceTemplate({ uriTemplate: "hidden:{x}", name: "t" }, () => "");
  await eventually(() => streams[0]?.length === 2);
  server.registerTool({ name: "shown", description: "" }, () => "");
  const tools = "notifications/tools/list_changed";
  await eventually(() => streams.every((received) => received.includes(tools)));
  assertEquals(streams.slice(1), [[tools], [tools]]);
  assertEquals(errors.length, 3);
  await eventually(() => published.length > 0);
  assert(published.every((change) => !("item" in change)));
  stop.abort();
  await unsubscribe();
  await server.close();
});
