import { assertEquals, assertInstanceOf, assertNotEquals } from "@std/assert";
import type { JsonObject } from "../shared/json.ts";
import type { ElicitRequest } from "../protocol/input_request.ts";
import { Answer, objectOf } from "../testdata/answer.ts";
import { meta } from "../testdata/pipes.ts";
import { McpError } from "../shared/error.ts";
import { McpServer } from "./mcp_server.ts";
import type { RequestStateOptions } from "./request_state.ts";

function form(message: string): ElicitRequest {
  return { method: "elicitation/create", params: { message, requestedSchema: { type: "object" } } };
}

function make(
  requestState: RequestStateOptions = {},
  options: { readonly onError?: (error: unknown) => void } = {},
): McpServer {
  const server = new McpServer({ name: "s", version: "1", requestState, ...options });
  server.registerTool(
    { name: "twice", description: "" },
    async (_args, { ask, saveState, savedState }) => {
      saveState(typeof savedState === "number" ? savedState + 1 : 1);
      const first = await ask("first", form("First?"));
      const second = await ask("second", form("Second?"));
      return { first: first.action, second: second.action, rounds: savedState ?? null };
    },
  );
  server.registerTool({ name: "careless", description: "" }, async (_args, { ask }) => {
    try {
      await ask("a", form("?"));
    } catch {
      return "never mind";
    }
    return "asked";
  });
  return server;
}

const CAN = meta({ elicitation: {} });
const YES = { action: "accept", content: {} };

async function call(server: McpServer, params: JsonObject, subject?: string): Promise<Answer> {
  const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params } as const;
  const client = { protocolVersion: "2026-07-28", capabilities: { elicitation: {} } };
  const { signal } = new AbortController();
  const principal = subject === undefined ? {} : { principal: { subject } };
  return new Answer(await server.exchange(request, { client, signal, ...principal }));
}

Deno.test("a handler with two input requests runs three times and receives all input responses", async () => {
  const server = make();
  const first = (await call(server, { name: "twice" })).result;
  assertEquals([first.resultType, Object.keys(objectOf(first.inputRequests))], ["input_required", [
    "first",
  ]]);
  const { result: second } = await call(server, {
    name: "twice",
    inputResponses: { first: YES },
    requestState: first.requestState,
  });
  assertEquals(Object.keys(objectOf(second.inputRequests)), ["second"]);
  assertNotEquals(second.requestState, first.requestState);
  const { result } = await call(server, {
    name: "twice",
    inputResponses: { second: { action: "decline" } },
    requestState: second.requestState,
  });
  const structuredContent = { first: "accept", second: "decline", rounds: 2 };
  assertEquals(result.structuredContent, structuredContent);
});

Deno.test("missing, invalid and unrequested input responses repeat the input request", async () => {
  const server = make();
  for (
    const inputResponses of [
      undefined,
      {},
      { other: YES },
      { first: "yes" },
      { first: { action: "perhaps" } },
      { first: { action: "accept", content: "yes" } },
    ]
  ) {
    const { result } = await call(server, { name: "twice", inputResponses });
    assertEquals(
      Object.keys(objectOf(result.inputRequests)),
      ["first"],
      JSON.stringify(inputResponses),
    );
  }
});

Deno.test("content that does not match the form repeats the input request", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  const requestedSchema = {
    type: "object",
    properties: { age: { type: "integer", minimum: 0 } },
    required: ["age"],
  };
  server.registerTool({ name: "t", description: "" }, async (_args, { ask }) => {
    const params = { message: "Age?", requestedSchema };
    const { content } = await ask("age", { method: "elicitation/create", params });
    return `${content?.age}`;
  });
  const respond = async (content: unknown) => {
    const inputResponses = { age: { action: "accept", content } };
    return (await call(server, { name: "t", inputResponses })).result.resultType;
  };
  for (const content of [undefined, {}, { age: "36" }, { age: 1.5 }, { age: -1 }, [36]]) {
    assertEquals(await respond(content), "input_required", JSON.stringify(content));
  }
  assertEquals(await respond({ age: 36 }), undefined);
});

Deno.test("input responses that are not an object are rejected", async () => {
  for (const inputResponses of [[], "yes", null]) {
    const { error } = await call(make(), { name: "twice", inputResponses });
    assertEquals(error.code, -32602, JSON.stringify(inputResponses));
  }
});

Deno.test("a handler that catches the error from ask() still returns an input request", async () => {
  const { result } = await call(make(), { name: "careless" });
  assertEquals(result.resultType, "input_required");
});

Deno.test("ask() rejects if the client does not declare the capability", async () => {
  const { error } = await make().handleRequest({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "careless", _meta: meta({ sampling: {} }) },
  });
  assertEquals([error?.code, error?.data], [
    -32021,
    { requiredCapabilities: { elicitation: { form: {} } } },
  ]);
});

Deno.test("the error from ask() tells a handler which capability the client lacks", async () => {
  const errors: unknown[] = [];
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "t" }, async (_args, { ask }) => {
    await ask("a", form("?")).catch((error) => errors.push(error));
    return "done";
  });
  const params = { name: "t", _meta: meta() };
  await server.handleRequest({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const [error] = errors;
  assertInstanceOf(error, McpError);
  assertEquals([error.rpcCode, error.data], [
    -32021,
    { requiredCapabilities: { elicitation: { form: {} } } },
  ]);
});

Deno.test("an input request from a method that does not support input requests is an internal error", async () => {
  const server = new McpServer({
    name: "s",
    version: "1",
    extensions: [{
      id: "example.org/x",
      methods: { "x/ask": async (_params, { ask }) => ({ ...await ask("a", form("?")) }) },
    }],
  });
  const _meta = meta({ elicitation: {}, extensions: { "example.org/x": {} } });
  const request = { jsonrpc: "2.0", id: 1, method: "x/ask", params: { _meta } } as const;
  assertEquals((await server.handleRequest(request)).error?.code, -32603);
});

/**
 * Changes to the repeated request, each with the expected error code. A request without an expected
 * error code must succeed.
 */
const ATTEMPTS: readonly [string, (params: JsonObject) => JsonObject, number | undefined][] = [
  ["no change", (params) => params, undefined],
  ["members in a different order", ({ name, ...rest }) => ({ ...rest, name }), undefined],
  ["another argument", (params) => ({ ...params, arguments: { a: 1 } }), -32602],
  ["another tool", (params) => ({ ...params, name: "careless" }), -32602],
  ["a changed state", (params) => ({ ...params, requestState: flip(params.requestState) }), -32602],
  [
    "a truncated state",
    (params) => ({ ...params, requestState: cut(params.requestState) }),
    -32602,
  ],
  ["a forged state", (params) => ({ ...params, requestState: "e30=" }), -32602],
  ["an empty state", (params) => ({ ...params, requestState: "" }), -32602],
  ["a state that is not a string", (params) => ({ ...params, requestState: 7 }), -32602],
];

function flip(state: unknown): string {
  const text = String(state);
  return `${text.slice(0, 20)}${text[20] === "A" ? "B" : "A"}${text.slice(21)}`;
}

function cut(state: unknown): string {
  return String(state).slice(0, -8);
}

Deno.test("request state is rejected in another request", async () => {
  const server = make();
  for (const [what, change, code] of ATTEMPTS) {
    const { result } = await call(server, { name: "twice" });
    const { requestState } = result;
    const params = change({ name: "twice", inputResponses: { first: YES }, requestState });
    assertEquals((await call(server, params)).code, code, what);
  }
});

Deno.test("request state is rejected for another principal", async () => {
  const server = make();
  const { result } = await call(server, { name: "twice" }, "ada");
  const params = { name: "twice", requestState: result.requestState };
  assertEquals((await call(server, params, "bob")).code, -32602);
  assertEquals((await call(server, params)).code, -32602);
  assertEquals((await call(server, params, "ada")).code, undefined);
});

Deno.test("request state distinguishes an object from an array of its members", async () => {
  const server = make();
  const args = { to: { name: "ada" } };
  const { result } = await call(server, { name: "twice", arguments: args });
  const { requestState } = result;
  const other = { to: [["name", "ada"]] };
  assertEquals(
    (await call(server, { name: "twice", arguments: other, requestState })).code,
    -32602,
  );
  assertEquals(
    (await call(server, { name: "twice", arguments: args, requestState })).code,
    undefined,
  );
});

Deno.test("request state expires", async () => {
  let now = 0;
  const server = make({ ttlMs: 100, now: () => now });
  const { result } = await call(server, { name: "twice" });
  const params = { name: "twice", requestState: result.requestState };
  now = 99;
  assertEquals((await call(server, params)).code, undefined);
  now = 100;
  assertEquals((await call(server, params)).code, -32602);
});

Deno.test("request state is neither created nor accepted while the clock throws or is invalid", async () => {
  const clocks: readonly (() => unknown)[] = [
    () => {
      throw new TypeError("no clock");
    },
    ...[undefined, null, NaN, "0", Infinity, -Infinity, Promise.resolve(0)].map((time) => () =>
      time
    ),
  ];
  for (const clock of clocks) {
    let now: () => unknown = () => 0;
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    // The types do not permit some results, but programs in JavaScript can return them.
    const server = make({ now: () => now() as number }, { onError });
    const { result } = await call(server, { name: "twice" });
    now = clock;
    const params = { name: "twice", requestState: result.requestState };
    for (const each of [params, { name: "twice" }]) {
      assertEquals((await call(server, each)).code, -32603);
      assertInstanceOf(errors.pop(), TypeError);
    }
    now = () => 0;
    assertEquals((await call(server, params)).code, undefined);
  }
});

Deno.test("servers with the same key accept each other's request state", async () => {
  const keys = [new Uint8Array(32).fill(7)];
  const { result } = await call(make({ keys }), { name: "twice" });
  const params = { name: "twice", requestState: result.requestState };
  assertEquals((await call(make({ keys }), params)).code, undefined);
  assertEquals((await call(make(), params)).code, -32602);
});

Deno.test("the first key encrypts request state, and all keys decrypt it", async () => {
  const [old, next] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  const { result } = await call(make({ keys: [next, old] }), { name: "twice" });
  const params = { name: "twice", requestState: result.requestState };
  assertEquals((await call(make({ keys: [old, next] }), params)).code, undefined);
  assertEquals((await call(make({ keys: [next] }), params)).code, undefined);
  assertEquals((await call(make({ keys: [old] }), params)).code, -32602);
});

Deno.test("askAll() sends all input requests in one result", async () => {
  const server = make();
  server.registerTool({ name: "all", description: "" }, async (_args, { askAll }) => {
    const { a, b } = await askAll({ a: form("A?"), b: form("B?") });
    return `${a.action} ${b.action}`;
  });
  const request = { jsonrpc: "2.0", id: 1, method: "tools/call" } as const;
  const first = await server.handleRequest({ ...request, params: { name: "all", _meta: CAN } });
  assertEquals(
    Object.keys((first.result as { inputRequests: object }).inputRequests),
    ["a", "b"],
  );
  const inputResponses = { a: YES, b: { action: "cancel" } };
  const { result } = await call(server, { name: "all", inputResponses });
  assertEquals(result.content, [{ type: "text", text: "accept cancel" }]);
});

Deno.test("saveState() with a value that is not JSON causes an internal error, which is reported to onError", async () => {
  const reported: unknown[] = [];
  const onError = (error: unknown) => void reported.push(error);
  const server = new McpServer({ name: "s", version: "1", onError });
  server.registerTool({ name: "big", description: "" }, async (_args, { ask, saveState }) => {
    saveState(1n);
    await ask("a", form("?"));
    return "asked";
  });
  assertEquals((await call(server, { name: "big" })).error, {
    code: -32603,
    message: "Internal error",
  });
  assertEquals(reported.map((error) => error instanceof TypeError), [true]);
});
