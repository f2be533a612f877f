import { assert, assertEquals, assertThrows } from "@std/assert";
import { type HttpHandler, mcpHandler, McpServer, type Principal } from "../server.ts";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import { eventsOf, modern, SessionByHand } from "../testdata/http.ts";

const ANN: Principal = { subject: "ann" };
const BOB: Principal = { subject: "bob" };

/** A server whose items with "ann" in their name are visible only to Ann. */
function annsServer(): McpServer {
  const server = new McpServer({
    name: "s",
    version: "1",
    pageSize: 1,
    visible: ({ name }, principal) => !name.includes("ann") || principal?.subject === "ann",
  });
  const complete = { complete: { x: () => ["1"] } };
  for (const name of ["a-ann", "b", "c-ann", "d"]) {
    server.registerTool({ name, description: "", scopes: [] }, () => name);
    server.registerResource({ uri: `r:///${name}`, name }, () => name);
    server.registerResourceTemplate(
      { uriTemplate: `t:///${name}/{x}`, name },
      () => name,
      complete,
    );
    const prompt = { name, arguments: [{ name: "x", required: false }] };
    server.registerPrompt(prompt, () => name, complete);
  }
  return server;
}

async function call(
  handler: HttpHandler,
  principal: Principal | undefined,
  method: string,
  params: JsonObject,
): Promise<JsonObject> {
  const response = await handler(
    modern(method, params),
    principal === undefined ? {} : { principal },
  );
  const message: unknown = await response.json();
  assert(isRecord(message));
  return message;
}

/** Returns the names from all pages of a list. */
async function namesIn(
  handler: HttpHandler,
  principal: Principal | undefined,
  method: string,
  key: string,
): Promise<unknown[]> {
  const names: unknown[] = [];
  let cursor: unknown;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const { result } = await call(handler, principal, method, params);
    assert(isRecord(result) && Array.isArray(result[key]));
    names.push(...result[key].map((item: JsonObject) => item.name));
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  return names;
}

const LISTS = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
} as const;

for (const [method, key] of Object.entries(LISTS)) {
  Deno.test(`"${method}" contains only the items that the principal can see`, async () => {
    const handler = mcpHandler(annsServer());
    assertEquals(await namesIn(handler, ANN, method, key), ["a-ann", "b", "c-ann", "d"]);
    assertEquals(await namesIn(handler, BOB, method, key), ["b", "d"]);
    assertEquals(await namesIn(handler, undefined, method, key), ["b", "d"]);
    await handler.close();
  });
}

Deno.test("a hidden resource cannot be read through a resource template that matches its URI", async () => {
  const server = annsServer();
  server.registerResourceTemplate({ uriTemplate: "r:///{+path}", name: "all" }, (uri) => uri);
  const handler = mcpHandler(server);
  const read = (principal: Principal | undefined, uri: string) =>
    call(handler, principal, "resources/read", { uri });
  assert("result" in await read(ANN, "r:///a-ann"));
  assert("error" in await read(BOB, "r:///a-ann"));
  assert("result" in await read(BOB, "r:///other"));
  await handler.close();
});

/** Requests for one item: the method, and the parameters for a given item name. */
const REQUESTS: readonly (readonly [method: string, params: (name: string) => JsonObject])[] = [
  ["tools/call", (name) => ({ name, arguments: {} })],
  ["tools/list", (cursor) => ({ cursor })],
  ["resources/read", (name) => ({ uri: `r:///${name}` })],
  ["resources/read", (name) => ({ uri: `t:///${name}/1` })],
  ["prompts/get", (name) => ({ name, arguments: { x: "1" } })],
  ["completion/complete", (name) => ({
    ref: { type: "ref/prompt", name },
    argument: { name: "x", value: "" },
  })],
  ["completion/complete", (name) => ({
    ref: { type: "ref/resource", uri: `t:///${name}/{x}` },
    argument: { name: "x", value: "" },
  })],
  ["completion/complete", (name) => ({
    ref: { type: "ref/resource", uri: `r:///${name}` },
    argument: { name: "x", value: "" },
  })],
];

for (const [method, params] of REQUESTS) {
  const example = JSON.stringify(params("a-ann"));
  Deno.test(`"${method}" with ${example} gets the same response as if the item did not exist`, async () => {
    const handler = mcpHandler(annsServer());
    assert("result" in await call(handler, ANN, method, params("a-ann")));
    const hidden = await call(handler, BOB, method, params("a-ann"));
    const unknown = await call(handler, BOB, method, params("z-zzz"));
    assert("error" in hidden);
    const text = JSON.stringify(hidden).replaceAll("a-ann", "z-zzz");
    assertEquals(text, JSON.stringify(unknown));
    await handler.close();
  });
}

Deno.test("the scopes and header parameters of a tool do not reveal that the tool exists", async () => {
  const server = new McpServer({
    name: "s",
    version: "1",
    visible: (_item, principal) => principal?.subject === "ann",
  });
  const inputSchema = {
    type: "object",
    properties: { region: { type: "string", "x-mcp-header": "Region" } },
  };
  server.registerTool({ name: "t", description: "", scopes: ["admin"], inputSchema }, () => "x");
  const handler = mcpHandler(server);
  const request = () => modern("tools/call", { name: "t", arguments: { region: "eu" } });
  assertEquals((await handler(request(), { principal: ANN })).status, 403);
  const response = await handler(request(), { principal: BOB });
  assertEquals([response.status, (await response.json()).error.message], [
    200,
    'Unknown tool: "t"',
  ]);
  await handler.close();
});

Deno.test("a principal receives no updates to a resource that it cannot see (legacy)", async () => {
  const server = annsServer();
  const uris = ["r:///a-ann", "t:///a-ann/1", "r:///b", "x:///unknown"];
  const expected = new Map([[ANN, uris], [BOB, ["r:///b", "x:///unknown"]]]);
  for (const [principal, seen] of expected) {
    const handler = mcpHandler(server);
    const session = await SessionByHand.open(
      Object.assign((request: Request) => handler(request, { principal }), {
        respond: handler.respond,
        close: handler.close,
      }),
    );
    for (const uri of uris) {
      const request = { jsonrpc: "2.0", id: uri, method: "resources/subscribe", params: { uri } };
      await (await session.send(request)).text();
    }
    const events = eventsOf(await session.get({ accept: "text/event-stream" }));
    for (const uri of uris) server.resourceUpdated(uri);
    const received: unknown[] = [];
    for await (const { data } of events) {
      if (data?.method !== "notifications/resources/updated") continue;
      received.push(data.params?.uri);
      if (received.length === seen.length) break;
    }
    assertEquals(received, seen);
    await handler.close();
  }
});

Deno.test("an item is visible only if visible returns true", async () => {
  const answers: readonly (() => unknown)[] = [
    ...[undefined, null, 1, "true", {}].map((value) => () => value),
    () => Promise.resolve(true),
    () => Promise.reject(new Error("no policy")),
  ];
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  for (const answer of answers) {
    const calls: unknown[] = [];
    // The types do not permit the result, but programs in JavaScript can return it.
    const visible = answer as () => boolean;
    const server = new McpServer({ name: "s", version: "1", visible, onError });
    server.registerTool({ name: "t", description: "" }, () => calls.push("called"));
    const handler = mcpHandler(server);
    assertEquals(await namesIn(handler, ANN, "tools/list", "tools"), []);
    const { error } = await call(handler, ANN, "tools/call", { name: "t", arguments: {} });
    assert(isRecord(error));
    assertEquals([error.code, calls], [-32602, []]);
    await handler.close();
  }
  assertEquals([...new Set(errors.map(String))], ["Error: no policy"]);
});

Deno.test("an exception from visible fails the request and is passed to onError", async () => {
  const errors: unknown[] = [];
  const server = new McpServer({
    name: "s",
    version: "1",
    onError: (error) => void errors.push(error),
    visible: () => {
      throw new Error("no policy");
    },
  });
  server.registerTool({ name: "t", description: "" }, () => "x");
  const handler = mcpHandler(server);
  const { error } = await call(handler, ANN, "tools/list", {});
  assert(isRecord(error));
  assertEquals([error.code, errors.map(String)], [-32603, ["Error: no policy"]]);
  await handler.close();
});

Deno.test("an exception from visible during the checks of a tool call over HTTP is an internal error", async () => {
  const errors: unknown[] = [];
  const server = new McpServer({
    name: "s",
    version: "1",
    onError: (error) => void errors.push(error),
    visible: () => {
      throw new Error("no policy");
    },
  });
  server.registerTool({ name: "t", description: "", scopes: ["pay"] }, () => "x");
  const handler = mcpHandler(server);
  const { error } = await call(handler, ANN, "tools/call", { name: "t", arguments: {} });
  assertEquals(error, { code: -32603, message: "Internal error" });
  assertEquals(errors.map(String), ["Error: no policy"]);
  await handler.close();
});

Deno.test("visible must be a function", () => {
  const options: object = { visible: true };
  const config = { name: "s", version: "1", ...options };
  assertThrows(() => new McpServer(config), TypeError, '"visible" must be a function, got true');
});
