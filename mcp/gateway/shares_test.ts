import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { McpServer, type Principal } from "../server.ts";
import type { JsonObject } from "../shared/json.ts";
import { clientOf, openGateway } from "../testdata/gateway.ts";
import { RequestLanes } from "./request_lanes.ts";

/** A server whose tool `wait` responds when the test says so, and whose tool `ok` responds. */
function waitingServer(): { readonly server: McpServer; readonly gates: (() => void)[] } {
  const gates: (() => void)[] = [];
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "wait", description: "" }, async () => {
    await new Promise<void>((resolve) => gates.push(resolve));
  });
  server.registerTool({ name: "ok", description: "" }, () => "ok");
  return { server, gates };
}

function call(
  server: McpServer,
  name: string,
  principal: Principal | undefined,
  signal: AbortSignal = new AbortController().signal,
): Promise<JsonObject> {
  return server.exchange({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name } }, {
    client: { protocolVersion: "2026-07-28", capabilities: {} },
    signal,
    ...(principal === undefined ? {} : { principal }),
  }).then((response) => ({ ...response }));
}

Deno.test("a principal with many requests in flight does not delay the requests of others", async () => {
  const { server, gates } = waitingServer();
  await using gateway = await openGateway({ s: { client: clientOf(server) } }, {
    maxRequestsPerPrincipal: 2,
  });
  const [ann, eve] = [{ subject: "ann" }, { subject: "eve" }];
  const calls = Array.from({ length: 5 }, () => call(gateway.server, "s_wait", eve));
  while (gates.length < 2) await Promise.resolve();
  assert("result" in await call(gateway.server, "s_ok", ann));
  assert("result" in await call(gateway.server, "s_ok", undefined));
  assertEquals(gates.length, 2);
  const leaving = new AbortController();
  const left = call(gateway.server, "s_wait", eve, leaving.signal);
  leaving.abort(new Error("enough"));
  await assertRejects(() => left, Error, "enough");
  let isDone = false;
  const done = Promise.all(calls).then(() => isDone = true);
  while (!isDone) {
    gates.shift()?.();
    await new Promise<void>((resolve) => queueMicrotask(resolve));
  }
  await done;
});

Deno.test("a principal with too many queued requests receives an error", async () => {
  const lanes = new RequestLanes(1);
  const { signal } = new AbortController();
  const free = Promise.withResolvers<void>();
  const work = Array.from({ length: 101 }, () => lanes.use("eve", signal, () => free.promise));
  const refused = () => lanes.use("eve", signal, () => Promise.resolve());
  await assertRejects(refused, Error, "Too many requests of the caller are in flight");
  await lanes.use("ann", signal, () => Promise.resolve());
  await lanes.use(undefined, signal, () => Promise.resolve());
  free.resolve();
  await Promise.all(work);
  await refused();
  await assertRejects(
    () => lanes.use("eve", signal, () => Promise.reject(new Error("failed"))),
    Error,
    "failed",
  );
  await refused();
});

Deno.test("a caller that leaves while its server connects does not occupy the gateway", async () => {
  const { server } = waitingServer();
  const called = Promise.withResolvers<void>();
  await using gateway = await openGateway({
    s: {
      client: ({ principal }) => {
        if (principal?.subject !== "eve") return clientOf(server);
        called.resolve();
        return new Promise(() => {});
      },
    },
  }, { maxCallers: 1 });
  const leaving = new AbortController();
  const left = call(gateway.server, "s_ok", { subject: "eve" }, leaving.signal);
  await called.promise;
  leaving.abort(new Error("enough"));
  await assertRejects(() => left, Error, "enough");
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  assert("result" in await call(gateway.server, "s_ok", { subject: "ann" }));
});

Deno.test("a list change of a principal's own server notifies only that principal", async () => {
  using time = new FakeTime();
  const servers = new Map<string | undefined, McpServer>();
  const shared = new McpServer({ name: "shared", version: "1" });
  shared.registerTool({ name: "t", description: "" }, () => "");
  await using gateway = await openGateway({
    own: {
      client: ({ principal }) => {
        const { server } = waitingServer();
        servers.set(principal?.subject, server);
        return clientOf(server);
      },
    },
    shared: { client: clientOf(shared) },
  }, { debounceMs: 10 });
  const changes: unknown[] = [];
  gateway.server.changes.listen((change) => changes.push(change));
  const add = async (server: McpServer | undefined): Promise<void> => {
    server?.registerTool({ name: "new", description: "" }, () => "");
    for (let waitedMs = 0; waitedMs < 50; waitedMs += 10) await time.tickAsync(10);
  };
  await call(gateway.server, "own_ok", { subject: "ann" });
  await call(gateway.server, "own_ok", undefined);
  await add(servers.get("ann"));
  await add(servers.get(undefined));
  await add(shared);
  assertEquals(changes, [
    { kind: "tools", subject: "ann" },
    { kind: "tools", subject: null },
    { kind: "tools" },
  ]);
});
