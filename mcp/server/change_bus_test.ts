import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import type { RpcMessage } from "../jsonrpc/message.ts";
import { changeBusChecks } from "../testing/change_bus_checks.ts";
import { openServerSession } from "../serve/server_session.ts";
import { eventually } from "../tasks/testdata/jobs.ts";
import {
  type Change,
  type ChangeAnnouncement,
  type ChangeBus,
  memoryChangeBus,
} from "./change_bus.ts";
import { LazySignal } from "./lazy_signal.ts";
import { McpServer } from "./mcp_server.ts";
import type { McpServerConfig } from "./server_config.ts";

const LIMITS = { inputTimeoutMs: 1000, maxResourceSubscriptions: 10 };

for (const check of changeBusChecks) {
  Deno.test(`memoryChangeBus: ${check.name}`, () => {
    const bus = memoryChangeBus();
    return check.run(() => bus, { timeoutMs: 10_000 });
  });
}

/** A server with a resource, and the changes that its listeners receive. */
async function open(
  changeBus: ChangeBus,
  config: Partial<McpServerConfig> = {},
): Promise<{ server: McpServer; changes: Change[] }> {
  const server = new McpServer({ name: "s", version: "1", changeBus, ...config });
  server.registerResource({ uri: "r:1", name: "r" }, () => "");
  const changes: Change[] = [];
  server.changes.listen((change) => changes.push(change));
  await server.changes.ready().catch(() => {});
  return { server, changes };
}

const LISTEN = {
  jsonrpc: "2.0",
  id: 1,
  method: "subscriptions/listen",
  params: { notifications: { toolsListChanged: true, resourceSubscriptions: ["r:1"] } },
} as const;

Deno.test("a change in one server is announced once in every server on the bus", async () => {
  const bus = memoryChangeBus();
  const replicas = [await open(bus), await open(bus), await open(bus)];
  const [first] = replicas;
  for (const { changes } of replicas) changes.length = 0;
  first?.server.resourceUpdated("r:1");
  first?.server.registerTool({ name: "t", description: "" }, () => "");
  first?.server.registerPrompt({ name: "p", arguments: [] }, () => []);
  await eventually(() => replicas.every(({ changes }) => changes.length >= 3));
  await Promise.all(replicas.map(({ server }) => server.close()));
  for (const { changes } of replicas) {
    assertEquals(changes, [{ kind: "resource", uri: "r:1" }, { kind: "tools" }, {
      kind: "prompts",
    }]);
  }
});

Deno.test("subscriptions/listen and resources/subscribe receive updates from another server", async () => {
  const bus = memoryChangeBus();
  const { server } = await open(bus);
  const { server: other } = await open(bus);
  const received: unknown[] = [];
  const stop = new LazySignal();
  const listening = server.exchange(LISTEN, {
    client: { protocolVersion: "2026-07-28", capabilities: {} },
    signal: stop,
    emit: (message) => Promise.resolve(received.push("method" in message && message.method) > 0),
  });
  const pushed: RpcMessage[] = [];
  const session = openServerSession(server, (message) => pushed.push(message), LIMITS);
  const signal = new LazySignal();
  const emit = () => Promise.resolve(true);
  const initialize = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "c", version: "1" },
  };
  await session.exchange(
    { jsonrpc: "2.0", id: 1, method: "initialize", params: initialize },
    { signal, emit },
  );
  await session.exchange(
    { jsonrpc: "2.0", id: 2, method: "resources/subscribe", params: { uri: "r:1" } },
    { signal, emit },
  );
  await eventually(() => received.length === 1);
  other.resourceUpdated("r:1");
  await eventually(() => received.length === 2 && pushed.length === 1);
  assertEquals(received[1], "notifications/resources/updated");
  session.close();
  stop.abort(new Error("enough"));
  await listening.catch(() => {});
  await server.close();
  await other.close();
});

Deno.test("a server reports a bus that it cannot reach, and tries again", async () => {
  const memory = memoryChangeBus();
  let isReachable = false;
  const errors: unknown[] = [];
  const bus: ChangeBus = {
    publish: () => Promise.reject(new Error("no bus")),
    subscribe: (call) => isReachable ? memory.subscribe(call) : Promise.reject(new Error("no bus")),
  };
  const { server, changes } = await open(bus, { onError: (error) => void errors.push(error) });
  const refused = await server.exchange(LISTEN, {
    client: { protocolVersion: "2026-07-28", capabilities: {} },
    signal: new LazySignal(),
  });
  assertEquals("error" in refused && refused.error, {
    code: -32603,
    message: "The server cannot reach its change bus",
  });
  const session = openServerSession(server, () => {}, LIMITS);
  const subscribed = await session.exchange(
    { jsonrpc: "2.0", id: 2, method: "resources/subscribe", params: { uri: "r:1" } },
    { signal: new LazySignal(), emit: () => Promise.resolve(true) },
  );
  assertEquals("error" in subscribed && subscribed.error.code, -32603);
  session.close();
  isReachable = true;
  await server.changes.ready();
  await memory.publish({ origin: "elsewhere", change: { kind: "tools" } });
  assertEquals(changes.at(-1), { kind: "tools" });
  await server.close();
  const texts = errors.map(String);
  assertStringIncludes(texts.join(), "Cannot subscribe to the change bus");
  assertStringIncludes(texts.join(), "Cannot publish change to the change bus");
});

Deno.test("a server ignores announcements that it cannot read", async () => {
  const errors: unknown[] = [];
  let deliver = (_announcement: ChangeAnnouncement): void => {};
  const bus: ChangeBus = {
    publish: () => Promise.resolve(),
    subscribe: (call) => {
      deliver = call;
      return Promise.resolve(() => Promise.resolve());
    },
  };
  const { server, changes } = await open(bus, { onError: (error) => void errors.push(error) });
  changes.length = 0;
  const wrong: readonly unknown[] = [
    null,
    "tools",
    {},
    { origin: 1, change: { kind: "tools" } },
    { origin: "a", change: { kind: "all" } },
    { origin: "a", change: { kind: "resource" } },
    { origin: "a", change: [] },
  ];
  for (const one of wrong) deliver(one as ChangeAnnouncement);
  assertEquals(changes, []);
  assertEquals(errors.length, wrong.length);
  await server.close();
  deliver({ origin: "a", change: { kind: "tools" } });
  assertEquals(changes, []);
});

Deno.test("maxUnpublishedChanges limits the changes that wait for a slow bus", async () => {
  const published: Change[] = [];
  const errors: unknown[] = [];
  const gate = Promise.withResolvers<void>();
  const bus: ChangeBus = {
    publish: async ({ change }) => {
      await gate.promise;
      published.push(change);
    },
    subscribe: () => Promise.resolve(() => Promise.resolve()),
  };
  const { server } = await open(bus, {
    maxUnpublishedChanges: 2,
    onError: (error) => void errors.push(error),
  });
  // While the change to the resource list is being published, two further changes can wait.
  for (const uri of ["a", "b", "a", "c", "b"]) server.resourceUpdated(uri);
  assertEquals(errors.map(String), [
    'Error: Cannot publish change: more than "maxUnpublishedChanges" (2) changes are waiting',
  ]);
  gate.resolve();
  await server.close();
  assertEquals(published, [
    { kind: "resources" },
    { kind: "resource", uri: "a" },
    { kind: "resource", uri: "b" },
  ]);
});

Deno.test("McpServer rejects a change bus without functions", () => {
  for (const changeBus of [null, {}, { publish: () => {} }]) {
    assertThrows(
      () =>
        new McpServer({ name: "s", version: "1", changeBus: changeBus as unknown as ChangeBus }),
      TypeError,
      '"changeBus',
    );
  }
});

const never = new Promise<never>(() => {});
function ends(): Promise<() => Promise<void>> {
  return Promise.resolve(() => Promise.resolve());
}

/** Test cases: a title and a bus that does not respond. */
const SILENT: readonly (readonly [string, ChangeBus])[] = [
  ["publish", { publish: () => never, subscribe: ends }],
  ["subscribe", { publish: () => Promise.resolve(), subscribe: () => never }],
  ["end a subscription", {
    publish: () => Promise.resolve(),
    subscribe: () => Promise.resolve(() => never),
  }],
];

for (const [what, changeBus] of SILENT) {
  Deno.test(`close() ends and reports after closeTimeoutMs if the bus does not ${what}`, async () => {
    using time = new FakeTime();
    const errors: string[] = [];
    const server = new McpServer({
      name: "s",
      version: "1",
      changeBus,
      closeTimeoutMs: 20,
      onError: (error) => void errors.push(String(error)),
    });
    server.changes.listen(() => {});
    server.resourceUpdated("r:1");
    await time.tickAsync(0);
    let isClosed = false;
    const closed = server.close().then(() => isClosed = true);
    await time.tickAsync(19);
    assertEquals(isClosed, false);
    await time.tickAsync(1);
    await closed;
    assertEquals(errors.length, 1);
    assertStringIncludes(errors[0] ?? "", '20 ms ("closeTimeoutMs")');
  });
}

Deno.test("a call of the bus that never ends does not keep later changes from being published", async () => {
  using time = new FakeTime();
  const published: string[] = [];
  const errors: string[] = [];
  const changeBus: ChangeBus = {
    publish: ({ change }) => {
      published.push(change.kind);
      return published.length === 1 ? never : Promise.resolve();
    },
    subscribe: ends,
  };
  const onError = (error: unknown) => void errors.push(Deno.inspect(error));
  const server = new McpServer({ name: "s", version: "1", changeBus, onError });
  server.resourceUpdated("r:1");
  server.listChanged("tools");
  let seconds = 0;
  for (; published.length < 2; seconds++) await time.tickAsync(1000);
  assert(seconds >= 30 && seconds < 33, `${seconds} s`);
  assertEquals([published, errors.length], [["resource", "tools"], 1]);
  assertStringIncludes(errors[0] ?? "", '"publish" timed out after 30000 ms');
  await server.close();
});

Deno.test("a subscription to the bus that never opens is tried again, and ends if it opens later", async () => {
  using time = new FakeTime();
  let open = (): void => {};
  let attempts = 0;
  let ended = 0;
  const changeBus: ChangeBus = {
    publish: () => Promise.resolve(),
    subscribe: () => {
      attempts++;
      const unsubscribe = () => Promise.resolve(void ended++);
      return new Promise((resolve) => {
        if (attempts === 1) open = () => resolve(unsubscribe);
        else resolve(unsubscribe);
      });
    },
  };
  const server = new McpServer({ name: "s", version: "1", changeBus, onError: () => {} });
  const first = server.changes.ready().catch(String);
  for (let second = 0; second < 33; second++) await time.tickAsync(1000);
  assertStringIncludes(`${await first}`, "The server cannot reach its change bus");
  await server.changes.ready();
  open();
  await time.tickAsync(0);
  assertEquals([attempts, ended], [2, 1]);
  await server.close();
  assertEquals(ended, 2);
});
