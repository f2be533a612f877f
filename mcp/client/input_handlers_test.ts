import { assertEquals, assertRejects } from "@std/assert";
import {
  type ElicitHandler,
  type InputHandlers,
  McpClient,
  type McpClientConfig,
  McpError,
} from "../client.ts";
import { McpServer } from "../server.ts";
import { createMemoryTransport } from "../transport/memory.ts";
import { servePipe } from "../serve/pipe/serve_pipe.ts";
import { capabilitiesOf, handleInputRequest, InputRequests } from "./input_handlers.ts";

const never = new AbortController().signal;

const ALL = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** Options of {@linkcode handleInputRequest} for a client that declares all capabilities. */
const ACCEPTED = { capabilities: ALL, onError: fail };

function fail(error: unknown): never {
  throw error;
}

Deno.test("McpClient declares only the elicitation modes that have a handler", () => {
  const handler = () => ({ action: "decline" }) as const;
  assertEquals(capabilitiesOf({ elicit: handler }), { elicitation: { form: {} } });
  assertEquals(capabilitiesOf({ elicitUrl: handler }), { elicitation: { url: {} } });
  assertEquals(capabilitiesOf({ elicit: handler, elicitUrl: handler }), {
    elicitation: { form: {}, url: {} },
  });
  assertEquals(capabilitiesOf({}), {});
});

Deno.test("handlers.elicit receives only fields whose schema is an object", async () => {
  const seen: unknown[] = [];
  const handlers: InputHandlers = {
    elicit: ({ requestedSchema }) => {
      seen.push(requestedSchema);
      return { action: "decline" };
    },
  };
  const field = { type: "string" };
  const schemas = [
    { type: "object", properties: { a: field, b: true, c: null }, required: ["a"] },
    { type: "object", properties: ["a"] },
    { type: "object" },
  ];
  for (const requestedSchema of schemas) {
    const params = { message: "m", requestedSchema };
    await handleInputRequest({ ...ACCEPTED, handlers }, "elicitation/create", params, never);
  }
  assertEquals(seen, [
    { type: "object", properties: { a: field }, required: ["a"] },
    { type: "object", properties: {} },
    { type: "object", properties: {} },
  ]);
});

const HOSTILE_URLS = [
  "javascript:alert(document.cookie)",
  "file:///etc/passwd",
  "data:text/html,<script>1</script>",
  "vscode://settings",
  "ms-msdt:/id",
  "blob:https://a.example/1",
  "not a url",
  "",
  "//a.example",
  "https://",
  "https://bank.example@evil.example/",
  "https://:password@evil.example/",
  "ftp://a.example",
];

for (const url of HOSTILE_URLS) {
  Deno.test(`handlers.elicitUrl is not called with ${JSON.stringify(url)}`, async () => {
    const handlers = { elicitUrl: () => fail("called") };
    const params = { mode: "url", message: "m", url };
    const error = await assertRejects(
      () => handleInputRequest({ ...ACCEPTED, handlers }, "elicitation/create", params, never),
      McpError,
      '"url" must be an HTTP or HTTPS URL without credentials',
    );
    assertEquals(error.rpcCode, -32602);
  });
}

Deno.test("handlers.elicitUrl is called with HTTP and HTTPS URLs", async () => {
  const seen: string[] = [];
  const handlers: InputHandlers = {
    elicitUrl: ({ url }) => {
      seen.push(url);
      return { action: "accept" };
    },
  };
  const urls = ["https://a.example/x?y#z", "http://localhost:8080/"];
  for (const url of urls) {
    const params = { mode: "url", message: "m", url };
    const options = { ...ACCEPTED, handlers };
    assertEquals(await handleInputRequest(options, "elicitation/create", params, never), {
      action: "accept",
    });
  }
  assertEquals(seen, urls);
});

Deno.test("handlers.elicitUrl receives URLs that every program reads alike", async () => {
  const seen: string[] = [];
  const handlers: InputHandlers = {
    elicitUrl: ({ url }) => {
      seen.push(url);
      return { action: "accept" };
    },
  };
  const urls = [
    "https://a.example\\@b.example/",
    "https://a.exa\nmple/\u001b[2J",
    "https://\u0430.example",
  ];
  for (const url of urls) {
    const params = { mode: "url", message: "m", url };
    await handleInputRequest({ ...ACCEPTED, handlers }, "elicitation/create", params, never);
  }
  assertEquals(seen, [
    "https://a.example/@b.example/",
    "https://a.example/%1B[2J",
    "https://xn--80a.example/",
  ]);
});

Deno.test("handleInputRequest() rejects an elicitation mode without a handler", async () => {
  const called = () => fail("called");
  const rows: readonly (readonly [InputHandlers, object])[] = [
    [{ elicit: called }, { mode: "url", message: "m", url: "https://a.example" }],
    [{ elicitUrl: called }, { message: "m", requestedSchema: {} }],
    [{ elicit: called, elicitUrl: called }, { mode: "other", message: "m" }],
  ];
  for (const [handlers, params] of rows) {
    const error = await assertRejects(
      () =>
        handleInputRequest(
          { ...ACCEPTED, handlers },
          "elicitation/create",
          { ...params },
          never,
        ),
      McpError,
      '"mode" must be',
    );
    assertEquals(error.rpcCode, -32602);
  }
});

Deno.test("handleInputRequest() rejects a handler result that is not a response to the request", async () => {
  const form = { message: "m", requestedSchema: {} };
  const visit = { mode: "url", message: "m", url: "https://a.example" };
  const sampling = { messages: [], maxTokens: 1 };
  const elicit =
    'must return an object whose "action" is "accept", "decline" or "cancel", and whose "content" is an object if set';
  const rows: readonly (readonly [keyof InputHandlers, string, object, unknown, string])[] = [
    ["elicit", "elicitation/create", form, undefined, `${elicit}, got undefined`],
    ["elicit", "elicitation/create", form, { name: "Ada" }, `${elicit}, got an object`],
    ["elicit", "elicitation/create", form, "yes", `${elicit}, got "yes"`],
    ["elicitUrl", "elicitation/create", visit, undefined, `${elicit}, got undefined`],
    [
      "createMessage",
      "sampling/createMessage",
      sampling,
      "text",
      'must return an object with "role", "model" and "content", got "text"',
    ],
    [
      "listRoots",
      "roots/list",
      {},
      ["/home"],
      'must return an array of objects with a "uri", got an array',
    ],
  ];
  for (const [name, method, params, result, message] of rows) {
    const handlers: InputHandlers = Object.fromEntries([[name, () => result]]);
    const reported: unknown[] = [];
    const options = { ...ACCEPTED, handlers, onError: (error: unknown) => reported.push(error) };
    const error = await assertRejects(
      () => handleInputRequest(options, method, { ...params }, never),
      McpError,
      `the handler "${name}" failed: "${name}" ${message}`,
    );
    assertEquals([error.code, reported], ["core", [error]]);
  }
});

const SAMPLING = { messages: [], maxTokens: 1 };
const FORM = { message: "m", requestedSchema: { type: "object", properties: {} } };
const PAGE = { mode: "url", message: "m", url: "https://a.example" };

/** Test cases: declared capabilities, method, parameters, and the code of the error. */
const UNDECLARED: readonly (readonly [object, string, object, number])[] = [
  [{ sampling: {} }, "sampling/createMessage", { ...SAMPLING, tools: [] }, -32602],
  [{ sampling: {} }, "sampling/createMessage", { ...SAMPLING, toolChoice: {} }, -32602],
  [
    { sampling: {} },
    "sampling/createMessage",
    { ...SAMPLING, includeContext: "thisServer" },
    -32602,
  ],
  [{ sampling: { context: {} } }, "sampling/createMessage", { ...SAMPLING, tools: null }, -32602],
  [{ elicitation: {} }, "elicitation/create", PAGE, -32602],
  [{ elicitation: { form: {} } }, "elicitation/create", PAGE, -32602],
  [{ elicitation: { url: {} } }, "elicitation/create", FORM, -32602],
  [{}, "elicitation/create", FORM, -32601],
  [{}, "elicitation/create", PAGE, -32601],
  [{}, "sampling/createMessage", SAMPLING, -32601],
  [{}, "roots/list", {}, -32601],
];

Deno.test("handleInputRequest() rejects requests for capabilities that are not declared", async () => {
  const called = () => fail("called");
  const handlers: InputHandlers = {
    elicit: called,
    elicitUrl: called,
    createMessage: called,
    listRoots: called,
  };
  for (const [capabilities, method, params, rpcCode] of UNDECLARED) {
    const error = await assertRejects(
      () =>
        handleInputRequest({ handlers, capabilities, onError: fail }, method, { ...params }, never),
      McpError,
      undefined,
      JSON.stringify([capabilities, params]),
    );
    assertEquals(error.rpcCode, rpcCode, JSON.stringify([capabilities, params]));
  }
});

Deno.test("handleInputRequest() accepts the declared parts of sampling, and ignores task", async () => {
  const seen: unknown[] = [];
  const handlers: InputHandlers = {
    createMessage: (params) => {
      seen.push(params);
      return { role: "assistant", model: "m", content: { type: "text", text: "" } };
    },
  };
  const options = { ...ACCEPTED, handlers, capabilities: { sampling: { tools: {}, context: {} } } };
  const full = { ...SAMPLING, tools: [], toolChoice: {}, includeContext: "thisServer" };
  await handleInputRequest(options, "sampling/createMessage", { ...full, task: {} }, never);
  const plain = { ...SAMPLING, includeContext: "none" };
  await handleInputRequest({ ...ACCEPTED, handlers }, "sampling/createMessage", plain, never);
  assertEquals(seen, [full, plain]);
});

Deno.test("handlers.elicit must return content that matches the form", async () => {
  const requestedSchema = {
    type: "object",
    properties: { age: { type: "integer" }, name: { type: "string", default: "Ada" } },
    required: ["age", "name"],
  };
  const params = { message: "m", requestedSchema };
  const respond = (content?: Record<string, string | number>) => {
    const result = { action: "accept", ...(content && { content }) } as const;
    const handlers: InputHandlers = { elicit: () => result };
    const options = { ...ACCEPTED, handlers, onError: () => {} };
    return handleInputRequest(options, "elicitation/create", params, never);
  };
  assertEquals(await respond({ age: 36 }), {
    action: "accept",
    content: { age: 36, name: "Ada" },
  });
  for (const content of [undefined, { age: "36" }, { age: 1.5 }, { age: 36, name: 1 }]) {
    const error = await assertRejects(() => respond(content), McpError, "matches the form: field");
    assertEquals(error.code, "core");
  }
});

Deno.test("answerAll() does not start further input requests after one has failed", async () => {
  let started = 0;
  const handlers: InputHandlers = {
    listRoots: () => {
      started++;
      throw new Error("no roots");
    },
  };
  const requests = new InputRequests({
    ...ACCEPTED,
    handlers,
    maxInputRequests: 1,
    onError: () => {},
  });
  const roots = { method: "roots/list" };
  await assertRejects(() => requests.answerAll({ a: roots }, never), McpError, "no roots");
  const many = new InputRequests({ ...ACCEPTED, handlers, maxInputRequests: 2, onError: () => {} });
  started = 0;
  const release = Promise.withResolvers<never[]>();
  const slow = new InputRequests({
    ...ACCEPTED,
    handlers: { listRoots: () => release.promise },
    maxInputRequests: 1,
    onError: () => {},
  });
  const first = slow.answerAll({ a: roots }, never);
  const aborted = new AbortController();
  const waiting = assertRejects(() => slow.answerAll({ b: roots }, aborted.signal), Error, "stop");
  aborted.abort(new Error("stop"));
  await waiting;
  release.resolve([]);
  assertEquals(await first, { a: { roots: [] } });
  // With a limit of two, both input requests start before the first one fails.
  await assertRejects(() => many.answerAll({ a: roots, b: roots }, never), McpError);
  assertEquals(started, 2);
});

function asking(config: Partial<McpClientConfig>): McpClient {
  const server = new McpServer({ name: "asker", version: "1", onError: () => {} });
  server.registerTool({ name: "ask", description: "" }, async (_args, { ask }) => {
    const params = { message: "m", requestedSchema: { type: "object", properties: {} } };
    return (await ask("q", { method: "elicitation/create", params })).action;
  });
  const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
  return new McpClient({ transport, ...config });
}

/** Results of handlers in JavaScript, which the types do not permit. */
const ODD_RESULTS: readonly (() => unknown)[] = [
  () => {
    throw new Error("no window");
  },
  () => Promise.reject(new Error("no window")),
  ...[undefined, null, true, 1, "accept", [], {}, { action: true }, { action: "yes" }]
    .map((result) => () => result),
  ...[{ action: "ACCEPT" }, { action: ["accept"] }, { action: "accept", content: "yes" }]
    .map((result) => () => Promise.resolve(result)),
  ...[{ role: "user" }, { role: "assistant", model: "m" }, { role: "assistant", content: "text" }]
    .map((result) => () => result),
];

for (const protocol of ["modern", "legacy"] as const) {
  Deno.test(`a server acts on no response if a handler throws or returns no response (${protocol})`, async () => {
    let acts = 0;
    const server = new McpServer({ name: "s", version: "1", onError: () => {} });
    server.registerTool({ name: "elicit", description: "" }, async (_args, { ask }) => {
      const params = { message: "m", requestedSchema: { type: "object", properties: {} } };
      return await ask("q", { method: "elicitation/create", params }).then(() => ++acts);
    });
    server.registerTool({ name: "sample", description: "" }, async (_args, { ask }) => {
      const params = { messages: [], maxTokens: 1 };
      return await ask("q", { method: "sampling/createMessage", params }).then(() => ++acts);
    });
    for (const odd of ODD_RESULTS) {
      const reported: unknown[] = [];
      const client = new McpClient({
        transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
        protocol,
        onError: (error) => reported.push(error),
        handlers: { elicit: odd as ElicitHandler, createMessage: odd as never },
      });
      await client.connect();
      for (const name of ["elicit", "sample"]) {
        const outcome = await client.callTool(name, {}).then(
          ({ isError }) => isError,
          (error) => error instanceof McpError && error.code,
        );
        // A legacy server receives the failure and determines the result of the call.
        assertEquals(outcome, protocol === "modern" ? "core" : true);
      }
      assertEquals([acts, reported.length], [0, 2]);
      await client.disconnect();
    }
  });

  Deno.test(`onError receives what an elicit handler throws (${protocol})`, async () => {
    const reported: unknown[] = [];
    const cause = new Error("UI broke");
    const client = asking({
      protocol,
      onError: (error) => reported.push(error),
      handlers: { elicit: () => fail(cause) },
    });
    await client.connect();
    const outcome = await client.callTool("ask", {}).then(
      ({ isError }) => isError,
      (error) => error instanceof McpError && error.code,
    );
    // A legacy server receives the failure and determines the result of the call.
    assertEquals(outcome, protocol === "modern" ? "core" : true);
    const [error] = reported;
    assertEquals([reported.length, error instanceof McpError && error.cause], [1, cause]);
    assertEquals(
      error instanceof McpError && error.message,
      'Cannot complete the operation: the handler "elicit" failed: UI broke',
    );
    await client.disconnect();
  });
}
