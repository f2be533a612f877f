/** Tests of deviations from the protocol that a client accepts once, or rejects if it is strict. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { HttpTransport, McpClient, type McpClientConfig } from "../client.ts";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import { McpError } from "../shared/error.ts";

const OBJECT = { type: "object" };
const TEXT = { type: "text", text: "x" };
const A = { name: "a", description: "", inputSchema: OBJECT };

/** What a server sends for a request: a result, or a whole response. */
type Answer = (params: JsonObject, id: unknown) => object;

/** Options for {@linkcode connect}. */
interface Peer {
  readonly answers: Readonly<Record<string, Answer>>;
  readonly config?: Partial<McpClientConfig>;
  readonly isModern?: boolean;
}

function json(value: unknown, init: ResponseInit = {}): Response {
  const headers = { "content-type": "application/json" };
  return new Response(JSON.stringify(value), { headers, ...init });
}

const CAPABILITIES = { tools: {}, resources: {}, prompts: {}, completions: {} };

/** Connects a client to a server over HTTP that sends the given answers. */
async function connect({ answers, config = {}, isModern = false }: Peer) {
  const errors: unknown[] = [];
  const fetch = (_url: unknown, init?: RequestInit): Promise<Response> => {
    if (init?.method !== "POST") return Promise.resolve(new Response(null, { status: 405 }));
    const { id, method, params } = JSON.parse(String(init.body));
    if (id === undefined) return Promise.resolve(new Response(null, { status: 202 }));
    const opened: Record<string, object> = isModern
      ? { "server/discover": { supportedVersions: ["2026-07-28"], capabilities: CAPABILITIES } }
      : {
        initialize: {
          protocolVersion: "2025-06-18",
          capabilities: CAPABILITIES,
          serverInfo: { name: "bent", version: "1" },
        },
      };
    const result = opened[method] ?? answers[method]?.(params ?? {}, id);
    if (result instanceof Response) return Promise.resolve(result);
    return Promise.resolve(json({ jsonrpc: "2.0", id, result }));
  };
  const client = new McpClient({
    transport: new HttpTransport("http://127.0.0.1/mcp?key=secret", { fetch }),
    protocol: isModern ? "modern" : "legacy",
    onError: (error) => errors.push(error),
    ...config,
  });
  await client.connect();
  errors.length = 0;
  return { client, errors };
}

function kindsOf(errors: readonly unknown[]): readonly unknown[] {
  return errors.map((error) => {
    assert(error instanceof McpError && error.is("tolerated"), String(error));
    return error.details.what;
  });
}

type Use = (client: McpClient) => Promise<unknown>;

/** A deviation: the answer, the use of the client, the value that it returns, and the reports. */
interface Row {
  readonly title: string;
  readonly method: string;
  readonly answer: Answer;
  readonly use: Use;
  readonly value: unknown;
  readonly kinds: readonly string[];
}

function call(client: McpClient): Promise<unknown> {
  return client.callTool("t", {});
}

function listTools(client: McpClient): Promise<unknown> {
  return client.listTools();
}

function called(title: string, result: object, value: object, ...kinds: string[]): Row {
  return { title, method: "tools/call", answer: () => result, use: call, value, kinds };
}

function listed(title: string, result: object, value: unknown, ...kinds: string[]): Row {
  return { title, method: "tools/list", answer: () => result, use: listTools, value, kinds };
}

/** A row for a response whose media type is not that of its body. */
function labeled(type: string | undefined, toBody: (text: string) => string): Row {
  const answer: Answer = (_params, id) => {
    const text = JSON.stringify({ jsonrpc: "2.0", id, result: { content: [TEXT] } });
    const headers = type === undefined ? {} : { "content-type": type };
    return new Response(new TextEncoder().encode(toBody(text)), { headers });
  };
  const what = type === undefined ? "no Content-Type" : `Content-Type "${type.split(";")[0]}"`;
  const title = `${toBody("{}").slice(0, 12)} as ${type}`;
  return { ...called(title, {}, { content: [TEXT] }, what), answer };
}

/** A row for a whole JSON-RPC response. */
function framed(title: string, members: object, value: object, ...kinds: string[]): Row {
  const answer: Answer = (_params, id) => json({ jsonrpc: "2.0", id, ...members });
  return { ...called(title, {}, value, ...kinds), answer };
}

/** Blocks that lack members, which are left as they are. */
const WITHOUT_DATA = {
  content: [
    TEXT,
    { type: "image", mimeType: "image/png" },
    { type: "audio", data: "YQ==" },
    { type: "resource_link", name: "x" },
    { type: "resource_link", uri: "r:1", name: 1 },
    { type: "resource" },
    { type: "resource", resource: { text: "x" } },
    { type: "resource", resource: { uri: "r:1" } },
    { type: "resource", resource: { uri: "r:1", blob: "YQ==", own: 1 } },
    { type: "later" },
  ],
};

const ROWS: readonly Row[] = [
  called(
    "isError null",
    { content: [TEXT], isError: null },
    { content: [TEXT] },
    '"isError" is null',
  ),
  called("content null", { content: null }, { content: [] }, '"content" is null'),
  called("no content", { isError: false }, { isError: false, content: [] }, '"content" is missing'),
  called("_meta null", { content: [], _meta: null }, { content: [] }, '"_meta" is null'),
  called(
    "annotations null in a block",
    { content: [{ ...TEXT, annotations: null }] },
    { content: [TEXT] },
    '"annotations" is null',
  ),
  called(
    "null in an embedded resource",
    { content: [{ type: "resource", resource: { uri: "r:1", text: "x", mimeType: null } }] },
    { content: [{ type: "resource", resource: { uri: "r:1", text: "x" } }] },
    '"mimeType" is null',
  ),
  called(
    "blocks without their data",
    WITHOUT_DATA,
    WITHOUT_DATA,
    'an "image" block has no "data"',
    'an "audio" block has no "mimeType"',
    'a "resource_link" block has no "uri"',
    'a "resource_link" block has no "name"',
    'a "resource" block has no "resource"',
    'a "resource" block has no "uri"',
    'a "resource" block has no "text" or "blob"',
  ),
  called(
    "members of a block with the wrong type",
    {
      content: [
        { ...TEXT, annotations: { audience: "user", priority: "high", lastModified: 1, own: 1 } },
        { type: "resource_link", uri: "r:1", name: "x", size: "1", mimeType: 1, description: {} },
      ],
    },
    {
      content: [
        { ...TEXT, annotations: { own: 1 } },
        { type: "resource_link", uri: "r:1", name: "x" },
      ],
    },
    '"annotations" has a member of the wrong type',
    '"size" is not a number',
    '"mimeType" is not a string',
    '"description" is not a string',
  ),
  listed("tools null", { tools: null }, [], '"tools" is null'),
  listed(
    "nulls in a tool",
    { tools: [{ ...A, title: null, outputSchema: null, annotations: { readOnlyHint: null } }] },
    [{ ...A, annotations: {} }],
    '"title" is null',
    '"outputSchema" is null',
    '"annotations" has a member that is null',
  ),
  listed(
    "description null",
    { tools: [{ ...A, description: null }] },
    [A],
    '"description" is null',
  ),
  listed(
    "a description that is not text",
    { tools: [{ ...A, description: 1 }] },
    [A],
    '"description" is not a string',
  ),
  listed(
    "members of a tool with the wrong type",
    {
      tools: [{
        ...A,
        title: 7,
        annotations: "none",
        outputSchema: true,
        icons: {},
        execution: [],
        _meta: 1,
      }],
    },
    [A],
    '"title" is not a string',
    '"annotations" is not an object',
    '"outputSchema" is not an object',
    '"icons" is not an array',
    '"execution" is not an object',
    '"_meta" is not an object',
  ),
  listed(
    "hints of a tool with the wrong type",
    { tools: [{ ...A, annotations: { readOnlyHint: "false", destructiveHint: true, title: [] } }] },
    [{ ...A, annotations: { destructiveHint: true } }],
    '"annotations" has a member of the wrong type',
  ),
  listed(
    "no input schema",
    { tools: [{ name: "a", description: "" }] },
    [A],
    '"inputSchema" is missing',
  ),
  listed(
    "an input schema without a type",
    { tools: [{ ...A, inputSchema: {} }] },
    [{ ...A, inputSchema: {} }],
    '"inputSchema" does not have the type "object"',
  ),
  listed(
    "one tool without a name",
    { tools: [A, { description: "x" }] },
    [A],
    '"tools" has an invalid item',
  ),
  listed("an empty cursor for ever", { tools: [A], nextCursor: "" }, [A], '"nextCursor" is empty'),
  listed("a cursor that is null", { tools: [A], nextCursor: null }, [A], '"nextCursor" is null'),
  listed(
    "the same page for ever",
    { tools: [A], nextCursor: "x" },
    [A],
    '"nextCursor" is the cursor of an earlier page',
  ),
  {
    title: "a resource without a name",
    method: "resources/list",
    answer: () => ({ resources: [{ uri: "r:1", size: null }] }),
    use: (client) => client.listResources(),
    value: [{ uri: "r:1", name: "r:1" }],
    kinds: ['"size" is null', '"name" is not a string'],
  },
  {
    title: "a resource template without a name",
    method: "resources/templates/list",
    answer: () => ({ resourceTemplates: [{ uriTemplate: "r:{x}" }] }),
    use: (client) => client.listResourceTemplates(),
    value: [{ uriTemplate: "r:{x}", name: "r:{x}" }],
    kinds: ['"name" is not a string'],
  },
  {
    title: "prompt arguments null",
    method: "prompts/list",
    answer: () => ({ prompts: [{ name: "p", arguments: null }] }),
    use: (client) => client.listPrompts(),
    value: [{ name: "p", arguments: [] }],
    kinds: ['"arguments" is null'],
  },
  {
    title: "a prompt argument without a name",
    method: "prompts/list",
    answer: () => ({ prompts: [{ name: "p", arguments: [{ required: true }, { name: "a" }] }] }),
    use: (client) => client.listPrompts(),
    value: [{ name: "p", arguments: [{ name: "a", required: false }] }],
    kinds: ['"arguments" has an invalid item'],
  },
  {
    title: "nulls in a prompt argument",
    method: "prompts/list",
    answer: () => ({
      prompts: [{ name: "p", arguments: [{ name: "a", title: null, required: "true" }] }],
    }),
    use: (client) => client.listPrompts(),
    value: [{ name: "p", arguments: [{ name: "a", required: false }] }],
    kinds: ['"title" is null', '"required" is not a boolean'],
  },
  {
    title: "suggestions that are not text",
    method: "completion/complete",
    answer: () => ({ completion: { values: ["a", 1], total: null, hasMore: "no" } }),
    use: (client) =>
      client.complete({
        ref: { type: "ref/prompt", name: "p" },
        argument: { name: "a", value: "" },
      }),
    value: { values: ["a"] },
    kinds: [
      '"values" has an invalid item',
      '"total" is not a number',
      '"hasMore" is not a boolean',
    ],
  },
  {
    title: "nulls in a message",
    method: "prompts/get",
    answer: () => ({
      description: null,
      messages: [{ role: "user", content: { ...TEXT, annotations: null } }],
    }),
    use: (client) => client.getPrompt("p"),
    value: { messages: [{ role: "user", content: TEXT }] },
    kinds: ['"description" is null', '"annotations" is null'],
  },
  {
    title: "a message with an image without data",
    method: "prompts/get",
    answer: () => ({ messages: [{ role: "user", content: { type: "image" } }] }),
    use: (client) => client.getPrompt("p"),
    value: { messages: [{ role: "user", content: { type: "image" } }] },
    kinds: ['an "image" block has no "data" and "mimeType"'],
  },
  {
    title: "nulls in contents",
    method: "resources/read",
    answer: () => ({ contents: [{ uri: "r:1", text: "x", blob: null, mimeType: null }] }),
    use: (client) => client.getResource("r:1"),
    value: { contents: [{ uri: "r:1", text: "x" }] },
    kinds: ['"blob" is null', '"mimeType" is null'],
  },
  {
    title: "contents without text and blob",
    method: "resources/read",
    answer: () => ({ contents: [{ uri: "r:1" }] }),
    use: (client) => client.getResource("r:1"),
    value: { contents: [{ uri: "r:1" }] },
    kinds: ['"contents" has an item without "text" and "blob"'],
  },
  framed(
    "error null beside a result",
    { result: { content: [TEXT] }, error: null },
    { content: [TEXT] },
    '"error" is null',
  ),
  framed("id as text", {}, { content: [TEXT] }, '"id" is text instead of a number'),
  labeled("text/plain; charset=utf-8", (text) => text),
  labeled("application/json-rpc", (text) => ` \n${text}`),
  labeled(undefined, (text) => text),
  labeled(undefined, (text) => `[${text}]`),
  labeled("text/plain", (text) => `data: ${text}\n\n`),
  labeled("text/plain", (text) => `: hello\n\nevent: message\ndata: ${text}\n\n`),
];

function answerOf({ title, answer }: Row): Answer {
  if (title !== "id as text") return answer;
  return (_params, id) => json({ jsonrpc: "2.0", id: `${id}`, result: { content: [TEXT] } });
}

for (const row of ROWS) {
  Deno.test(`a client accepts and reports once: ${row.title}`, async () => {
    const answers = { [row.method]: answerOf(row) };
    const { client, errors } = await connect({ answers });
    assertEquals(await row.use(client), row.value);
    assertEquals(await row.use(client), row.value);
    assertEquals(kindsOf(errors), row.kinds);
    await client.disconnect();
  });

  Deno.test(`a strict client rejects: ${row.title}`, async () => {
    const answers = { [row.method]: answerOf(row) };
    const { client, errors } = await connect({ answers, config: { strict: true } });
    const error = await assertRejects(() => row.use(client), McpError);
    assertEquals(error.code, "protocol_error");
    assertEquals(errors, []);
    await client.disconnect();
  });
}

Deno.test("a report names the kind, the method and the server, without secrets", async () => {
  const answers = { "tools/call": () => ({ content: null }) };
  const { client, errors: [...none] } = await connect({ answers });
  assertEquals(none, []);
  for (const [isModern, server] of [[false, "bent"], [true, "http://127.0.0.1/mcp"]] as const) {
    const { client, errors } = await connect({ answers, isModern });
    await client.callTool("t", {});
    const [error] = errors;
    assert(error instanceof McpError && error.is("tolerated"));
    assertEquals(error.details, { what: '"content" is null', method: "tools/call", server });
    await client.disconnect();
  }
  await client.disconnect();
});

Deno.test("a client reports each kind once in all its connections, and at most 20 kinds", async () => {
  let count = 0;
  const answers = {
    "tools/call": () => ({ content: null }),
    "tools/list": () => new Response("{}", { headers: { "content-type": `text/plain` } }),
    "resources/list": (_params: JsonObject, id: unknown) => {
      const text = JSON.stringify({ jsonrpc: "2.0", id, result: { resources: null } });
      return new Response(text, { headers: { "content-type": "application/json" } });
    },
  };
  const { client, errors } = await connect({ answers });
  await client.callTool("t", {});
  await client.disconnect();
  await client.connect();
  await client.callTool("t", {});
  await client.listResources();
  assertEquals(kindsOf(errors), ['"content" is null', '"resources" is null']);
  await client.disconnect();

  const names = ["title", "description", "outputSchema", "annotations", "icons", "_meta"];
  const more = ["blob", "content", "execution", "isError", "mimeType", "required", "size", "text"];
  const nulls = [...names, ...more, "arguments"].map((name) => [name, null] as const);
  const all = await connect({
    answers: {
      "tools/list": () => {
        count++;
        const tools: unknown[] = [{ name: "a", ...Object.fromEntries(nulls) }, 7];
        return { tools: count === 1 ? tools : null, nextCursor: "" };
      },
      "resources/list": () => ({ resources: null }),
      "prompts/list": () => ({ prompts: null }),
    },
  });
  await all.client.listTools();
  await all.client.listResources();
  await all.client.listPrompts();
  await all.client.listTools();
  assertEquals(all.errors.length, 20);
  await all.client.disconnect();
});

Deno.test("a client rejects contents with two bodies, and messages without one", async () => {
  const blob = "YQ==";
  const contents: readonly object[] = [
    { uri: "r:1", text: "a", blob },
    { uri: "r:1", text: 5 },
    { uri: "r:1", blob: {} },
  ];
  const messages: readonly object[] = [{ type: "text", text: null }, { type: "text" }, {}];
  let index = 0;
  const { client, errors } = await connect({
    answers: {
      "resources/read": () => ({ contents: [contents[index]] }),
      "prompts/get": () => ({ messages: [{ role: "user", content: messages[index] }] }),
    },
  });
  for (; index < 3; index++) {
    for (const use of [() => client.getResource("r:1"), () => client.getPrompt("p")]) {
      const error = await assertRejects(use, McpError);
      assertEquals(error.code, "protocol_error");
    }
  }
  assertEquals(errors, []);
  await client.disconnect();
});

Deno.test("a client never guesses where two meanings exist", async () => {
  const both = { result: { content: [TEXT] }, error: { code: 1, message: "no" } };
  const refused: readonly (readonly [string, Answer])[] = [
    ["a result and an error", (_params, id) => json({ jsonrpc: "2.0", id, ...both })],
    ["content that is an object", () => ({ content: {} })],
    ["isError that is text", () => ({ content: [], isError: "false" })],
    ["a text block without text", () => ({ content: [{ type: "text", text: null }] })],
    ["an HTML page", () => new Response("{}", { headers: { "content-type": "text/html" } })],
    ["a page without a label", () => new Response(new TextEncoder().encode("<html>"))],
    ["another type", () => new Response("{}", { headers: { "content-type": "image/png" } })],
  ];
  for (const [title, answer] of refused) {
    const { client, errors } = await connect({ answers: { "tools/call": answer } });
    const error = await assertRejects(() => client.callTool("t", {}), McpError, undefined, title);
    assertEquals(error.code, "protocol_error", title);
    if (title === "a result and an error") assert(error.message.includes("no"));
    assertEquals(errors, [], title);
    await client.disconnect();
  }
  const tools = [A, {}, {}];
  const { client } = await connect({ answers: { "tools/list": () => ({ tools }) } });
  const error = await assertRejects(() => client.listTools(), McpError);
  assert(error.message.includes('item 1: "name" of a tool must be a string'), error.message);
  await client.disconnect();
});

Deno.test("a body without a label is rejected as soon as its first characters decide", async () => {
  const cases: readonly (readonly [readonly string[], boolean])[] = [
    [["x"], false],
    [["da", "ta"], false],
    [[" ", "{"], true],
  ];
  for (const [chunks, isAccepted] of cases) {
    const encoder = new TextEncoder();
    const answer: Answer = (_params, id) => {
      const rest = `"jsonrpc":"2.0","id":${id},"result":{"content":[]}}`;
      const texts = isAccepted ? [...chunks, rest] : chunks;
      // The body of a rejected response never ends.
      const body = new ReadableStream({
        start(controller) {
          for (const text of texts) controller.enqueue(encoder.encode(text));
          if (isAccepted || texts.length > 1) controller.close();
        },
      });
      return new Response(body);
    };
    const { client, errors } = await connect({ answers: { "tools/call": answer } });
    if (isAccepted) await client.callTool("t", {});
    else await assertRejects(() => client.callTool("t", {}), McpError, "no Content-Type");
    assertEquals(kindsOf(errors), isAccepted ? ["no Content-Type"] : []);
    await client.disconnect();
  }
});

Deno.test("an error of a server keeps its words, whatever its form", async () => {
  const cases: readonly (readonly [object, number | undefined, string, readonly string[]])[] = [
    [{ error: { code: "500", message: "boom" } }, undefined, '"boom"', []],
    [{ error: { message: "boom" } }, undefined, '"boom"', []],
    [
      { error: { code: -32000, data: 1 } },
      -32000,
      "error -32000",
      ['"error.message" is not a string'],
    ],
    [{ result: null, error: { code: -32000, message: "boom" } }, -32000, "boom", [
      '"result" is null',
    ]],
  ];
  for (const [members, rpcCode, words, kinds] of cases) {
    const answer: Answer = (_params, id) => json({ jsonrpc: "2.0", id, ...members });
    const { client, errors } = await connect({ answers: { "tools/call": answer } });
    const error = await assertRejects(() => client.callTool("t", {}), McpError);
    assertEquals([error.code, error.rpcCode], ["protocol_error", rpcCode]);
    assert(error.message.includes(words), error.message);
    assertEquals(kindsOf(errors), kinds);
    await client.disconnect();
  }
});

Deno.test("an empty cursor can lead to a page, or be the end of a legacy list", async () => {
  const answer: Answer = ({ cursor }) =>
    cursor === "" ? { tools: [{ ...A, name: "b" }] } : { tools: [A], nextCursor: "" };
  for (const isModern of [false, true]) {
    const { client, errors } = await connect({ answers: { "tools/list": answer }, isModern });
    assertEquals((await client.listTools()).map(({ name }) => name), ["a", "b"]);
    assertEquals(errors, []);
    await client.disconnect();

    const rejected = await connect({
      answers: {
        "tools/list": ({ cursor }, id) =>
          cursor === undefined
            ? { tools: [A], nextCursor: "" }
            : json({ jsonrpc: "2.0", id, error: { code: -32602, message: "bad cursor" } }),
      },
      isModern,
    });
    if (isModern) await assertRejects(() => rejected.client.listTools(), McpError, "bad cursor");
    else assertEquals(await rejected.client.listTools(), [A]);
    assertEquals(kindsOf(rejected.errors), isModern ? [] : ['"nextCursor" is empty']);
    await rejected.client.disconnect();
  }
});

Deno.test("a session that is lost with HTTP 400 is opened again", async () => {
  for (
    const [status, message, isRecovered] of [
      [400, "Bad Request: No valid session ID provided", true],
      [400, "Bad Request: Server not initialized", false],
      [503, "the session store is down", false],
    ] as const
  ) {
    let [epoch, opened] = [1, 0];
    const errors: unknown[] = [];
    const fetch = (_url: unknown, init?: RequestInit): Promise<Response> => {
      if (init?.method !== "POST") return Promise.resolve(new Response(null, { status: 405 }));
      const { id, method } = JSON.parse(String(init.body));
      if (method === "initialize") {
        opened++;
        const serverInfo = { name: "s", version: "1" };
        const result = { protocolVersion: "2025-06-18", capabilities: CAPABILITIES, serverInfo };
        const headers = { "content-type": "application/json", "mcp-session-id": `s${epoch}` };
        return Promise.resolve(json({ jsonrpc: "2.0", id, result }, { headers }));
      }
      if (new Headers(init.headers).get("mcp-session-id") !== `s${epoch}`) {
        const error = { code: -32000, message };
        return Promise.resolve(json({ jsonrpc: "2.0", id: null, error }, { status }));
      }
      const result = { content: [TEXT] };
      return Promise.resolve(
        id === undefined
          ? new Response(null, { status: 202 })
          : json({ jsonrpc: "2.0", id, result }),
      );
    };
    const client = new McpClient({
      transport: new HttpTransport("http://127.0.0.1/mcp", { fetch }),
      protocol: "legacy",
      onError: (error) => errors.push(error),
    });
    await client.connect();
    epoch = 2;
    const result = await client.callTool("t", {}).catch((error: unknown) => error);
    assertEquals(isRecord(result) && !(result instanceof Error), isRecovered, message);
    assertEquals(opened, isRecovered ? 2 : 1, message);
    assertEquals(kindsOf(errors), isRecovered ? ["HTTP 400 for a lost session"] : []);
    await client.disconnect();
  }
});
