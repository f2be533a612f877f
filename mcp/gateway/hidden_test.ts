import { assert, assertEquals } from "@std/assert";
import { prefixedName } from "@parley/internal/prefixed-name";
import type { GatewayOptions } from "../gateway.ts";
import { McpServer, type Principal } from "../server.ts";
import type { JsonObject } from "../shared/json.ts";
import { breakable, clientOf, openGateway } from "../testdata/gateway.ts";
import {
  ANN,
  annsServer,
  BOB,
  isHidden,
  lenientClient,
  senderTo,
} from "../testdata/hidden_items.ts";

const MODES: readonly (readonly [string, Partial<GatewayOptions>, GatewayOptions["upstreams"]])[] =
  [
    ["allow", {}, {
      s: {
        client: lenientClient(),
        allow: (name, { principal }) => !isHidden(name, principal),
      },
    }],
    ["visible", { visible: ({ name }, principal) => !isHidden(name, principal) }, {
      s: { client: lenientClient() },
    }],
    ["a rejecting allow", {}, {
      s: {
        client: lenientClient(),
        allow: (name, { principal }) => isHidden(name, principal) ? rejected() : true,
      },
    }],
    ["a rejecting visible", {
      // In JavaScript, `visible` can be an async function, which hides all items.
      visible: ({ name }, principal) => isHidden(name, principal) ? rejected() : true,
    }, { s: { client: lenientClient() } }],
  ];

function rejected(): boolean {
  const result: unknown = Promise.reject(new Error("no database"));
  const values: { readonly value: boolean } = Object.assign({ value: false }, { value: result });
  return values.value;
}

/** Requests for hidden items, and the same requests for items that do not exist. */
const REQUESTS: readonly (readonly [method: string, hidden: JsonObject, unknown: JsonObject])[] = [
  ["tools/call", { name: "s_secret" }, { name: "s_nothing" }],
  ["prompts/get", { name: "s_secret" }, { name: "s_nothing" }],
  ...[
    "secret:///1",
    "secret:///listed",
    "SECRET:///1",
    "secret:///%31",
    "s%65cret:///1",
    "secret:///../1",
    "secret:///a/b",
    "s:///listed-secret",
    "S:///listed-secret",
  ].map((uri) => ["resources/read", { uri }, { uri: "unknown:///1" }] as const),
  ...["secret:///{x}", "secret:///1", "secret:///listed"].map((uri) =>
    [
      "completion/complete",
      { ref: { type: "ref/resource", uri }, argument: { name: "x", value: "" } },
      { ref: { type: "ref/resource", uri: "unknown:///{x}" }, argument: { name: "x", value: "" } },
    ] as const
  ),
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "s_secret" }, argument: { name: "x", value: "" } },
    { ref: { type: "ref/prompt", name: "s_nothing" }, argument: { name: "x", value: "" } },
  ],
];

for (const [mode, options, upstreams] of MODES) {
  Deno.test(`requests for hidden items get the same response as for unknown items (${mode})`, async () => {
    await using gateway = await openGateway(upstreams, options);
    const send = senderTo(gateway.server);
    for (const [method, hidden, unknown] of REQUESTS) {
      const { message, code } = await send(BOB, method, hidden);
      const expected = await send(BOB, method, unknown);
      assertEquals(code, expected.code, JSON.stringify(hidden));
      const [known, other] = [message, expected.message].map((text) =>
        String(text).replace(/"[^"]*"/, "")
      );
      assertEquals(known, other, JSON.stringify(hidden));
    }
    for (const uri of ["s:///public", "s:///other", "elsewhere:///1"]) {
      assert("contents" in await send(BOB, "resources/read", { uri }), uri);
    }
    for (const uri of ["secret:///1", "secret:///listed", "s:///listed-secret"]) {
      assert("contents" in await send(ANN, "resources/read", { uri }), uri);
    }
    const { resources } = await send(BOB, "resources/list", {});
    assert(Array.isArray(resources));
    assertEquals(resources.map(({ uri }) => uri), ["s:///public"]);
  });
}

Deno.test("an unlisted resource is not read before the lists of its server are known", async () => {
  const client = lenientClient();
  client.listResourceTemplates = () => Promise.reject(new Error("not now"));
  await using gateway = await openGateway({
    s: { client, allow: (name) => name !== "secret:///{x}" },
  });
  const { message } = await senderTo(gateway.server)(BOB, "resources/read", { uri: "secret:///1" });
  assertEquals(message, 'The server "s" is unreachable');
});

Deno.test("updates of hidden resources do not reach a subscriber", async () => {
  const server = annsServer();
  let isVisible = true;
  await using gateway = await openGateway({
    s: {
      client: clientOf(server),
      allow: (name, { principal }) => !isHidden(name, isVisible ? principal : undefined),
    },
  });
  const uris = ["secret:///1", "secret:///listed", "s:///listed-secret", "s:///public"];
  const streams = [ANN, BOB].map((principal) => listen(gateway.server, uris, principal));
  await Promise.all(streams.map(({ until }) => until(1)));
  const acknowledged = { notifications: { resourceSubscriptions: uris } };
  for (const { delivered } of streams) assertEquals(delivered[0], acknowledged);
  for (const uri of uris) server.resourceUpdated(uri);
  await streams[0]?.until(5);
  isVisible = false;
  for (const uri of uris) server.resourceUpdated(uri);
  await Promise.all([streams[0]?.until(6), streams[1]?.until(3)]);
  const [ann, bob] = streams.map(({ delivered }) => delivered.slice(1).map(({ uri }) => uri));
  assertEquals(ann, [...uris, "s:///public"]);
  assertEquals(bob, ["s:///public", "s:///public"]);
  for (const { stop } of streams) stop();
});

Deno.test("a check that throws for one subscriber does not end the updates of another", async () => {
  const server = annsServer();
  let fails = false;
  await using gateway = await openGateway({
    s: {
      client: clientOf(server),
      allow: (_name, { principal }) => {
        if (fails && principal?.subject === "bob") throw new Error("no database");
        return true;
      },
    },
  });
  const streams = [BOB, ANN].map((one) => listen(gateway.server, ["s:///public"], one));
  await Promise.all(streams.map(({ until }) => until(1)));
  fails = true;
  for (const count of [2, 3]) {
    server.resourceUpdated("s:///public");
    await streams[1]?.until(count);
  }
  assertEquals(streams[0]?.delivered.length, 1);
  assert(gateway.errors.every((text) => text === "no database"), gateway.errors.join());
  for (const { stop } of streams) stop();
});

Deno.test("a hidden item has the same result as an unknown item while another server is down", async () => {
  const other = breakable(new McpServer({ name: "t", version: "1" }));
  await using gateway = await openGateway({
    s: { client: clientOf(annsServer()), allow: (name) => !isHidden(name, undefined) },
    t: { client: other.client, prefix: "s_" },
  });
  other.isDown(true);
  await other.break();
  const send = senderTo(gateway.server);
  const withoutNames = ({ code, message }: JsonObject): unknown => [code, message];
  for (
    const [method, hidden, unknown] of [
      ["tools/call", { name: "s_secret" }, { name: "s_nothing" }],
      ["prompts/get", { name: "s_secret" }, { name: "s_nothing" }],
      ["resources/read", { uri: "secret:///1" }, { uri: "unknown:///1" }],
      ["resources/read", { uri: "s:///listed-secret" }, { uri: "unknown:///1" }],
    ] as const
  ) {
    const expected = withoutNames(await send(BOB, method, unknown));
    assertEquals(withoutNames(await send(BOB, method, hidden)), expected, method);
    assertEquals(expected, [-32603, 'The server "t" is unreachable']);
  }
});

Deno.test("allow receives the current name of a tool that has the same name at the gateway", async () => {
  // Both names of the server are shortened to the same name at the gateway.
  const name = await prefixedName("s_", "admin.run");
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: name.slice(2), description: "" }, () => "harmless");
  await using gateway = await openGateway({
    s: { client: clientOf(server), allow: (own) => own !== "admin.run" },
  });
  const send = senderTo(gateway.server);
  assert("content" in await send(BOB, "tools/call", { name, arguments: {} }));
  server.removeTool(name.slice(2));
  server.registerTool({ name: "admin.run", description: "" }, () => "admin");
  await gateway.refresh();
  assertEquals((await send(BOB, "tools/call", { name, arguments: {} })).code, -32602);
});

Deno.test("the task of a tool that is hidden later is unknown", async () => {
  const client = clientOf(annsServer());
  let relayed = 0;
  client.relay = (method) => {
    relayed++;
    const type = method === "tools/call" ? { resultType: "task" } : {};
    return Promise.resolve({ ...type, taskId: "1", status: "working" });
  };
  let isVisible = true;
  await using gateway = await openGateway({ s: { client } }, { visible: () => isVisible });
  const extensions = { "io.modelcontextprotocol/tasks": {} };
  const send = async (method: string, params: JsonObject): Promise<JsonObject> => {
    const response = await gateway.server.exchange({ jsonrpc: "2.0", id: 1, method, params }, {
      client: { protocolVersion: "2026-07-28", capabilities: { extensions } },
      signal: new AbortController().signal,
    });
    return "result" in response ? response.result : { ...response.error };
  };
  const { taskId } = await send("tools/call", { name: "s_secret" });
  assertEquals((await send("tasks/get", { taskId })).status, "working");
  isVisible = false;
  for (const method of ["tasks/get", "tasks/cancel", "tasks/update"]) {
    const { code, message } = await send(method, { taskId, inputResponses: {} });
    assertEquals([code, message], [-32602, "Unknown task"]);
  }
  assertEquals(relayed, 2);
});

interface Stream {
  /** Parameters of the notifications, without `_meta`. */
  readonly delivered: JsonObject[];
  readonly until: (count: number) => Promise<void>;
  readonly stop: () => void;
}

function listen(server: McpServer, uris: readonly string[], principal: Principal): Stream {
  const delivered: JsonObject[] = [];
  const stop = new AbortController();
  let wake = (): void => {};
  const notifications = { resourceSubscriptions: uris };
  const request = {
    jsonrpc: "2.0" as const,
    id: 9,
    method: "subscriptions/listen",
    params: { notifications },
  };
  server.exchange(request, {
    client: { protocolVersion: "2026-07-28", capabilities: {} },
    signal: stop.signal,
    principal,
    emit: ({ params: { _meta, ...params } = {} }) => {
      delivered.push(params);
      wake();
      return Promise.resolve(true);
    },
  }).catch(() => {});
  const until = async (count: number): Promise<void> => {
    while (delivered.length < count) await new Promise<void>((resolve) => wake = resolve);
  };
  return { delivered, until, stop: () => stop.abort() };
}

Deno.test("no request uses an item of a server whose allow throws or does not return true", async () => {
  const answers: readonly (() => unknown)[] = [
    () => {
      throw new Error("no database");
    },
    () => Promise.reject(new Error("no database")),
    () => Promise.resolve(true),
    ...[undefined, null, 1, "true", {}].map((value) => () => value),
  ];
  for (const answer of answers) {
    const calls: unknown[] = [];
    const server = new McpServer({ name: "s", version: "1" });
    server.registerTool({ name: "pay", description: "" }, () => calls.push("tool"));
    server.registerResource({ uri: "s:///1", name: "1" }, () => String(calls.push("resource")));
    server.registerPrompt({ name: "ask", arguments: [] }, () => String(calls.push("prompt")));
    // The types do not permit some results, but programs in JavaScript can return them.
    const allow = answer as () => boolean;
    await using gateway = await openGateway({ s: { client: clientOf(server), allow } });
    const send = senderTo(gateway.server);
    const results = [
      await send(ANN, "tools/call", { name: "s_pay", arguments: {} }),
      await send(ANN, "resources/read", { uri: "s:///1" }),
      await send(ANN, "prompts/get", { name: "s_ask" }),
    ];
    assertEquals(results.map(({ code }) => typeof code), ["number", "number", "number"]);
    const { tools = [] } = await send(ANN, "tools/list", {});
    assertEquals([tools, calls], [[], []]);
  }
});
