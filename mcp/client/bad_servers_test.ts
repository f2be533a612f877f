import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { HttpTransport, McpClient, StdioTransport } from "../client.ts";
import { McpError, type McpErrorCodeType } from "../shared/error.ts";
import { LineServer } from "../testdata/line_server.ts";
import { at, type Message } from "../testdata/message.ts";
import { INITIALIZED, modern, older, type Seen, type Web } from "../testdata/web.ts";

const GOOD = '{"content":[{"type":"text","text":"ok"}]}';

/**
 * Test cases: the server's response to the `tools/call` request with id 7, and the expected outcome
 * of `callTool()`.
 */
const ANSWERS: readonly (readonly [string, string, "ok" | McpErrorCodeType])[] = [
  ["a valid response", `{"jsonrpc":"2.0","id":7,"result":${GOOD}}`, "ok"],
  ["a numeric id returned as a string", `{"jsonrpc":"2.0","id":"7","result":${GOOD}}`, "ok"],
  ["unknown members", `{"jsonrpc":"2.0","id":7,"x":1,"result":${GOOD}}`, "ok"],
  ["an empty result", '{"jsonrpc":"2.0","id":7,"result":{}}', "ok"],
  ["a missing jsonrpc member", `{"id":7,"result":${GOOD}}`, "protocol_error"],
  ["jsonrpc 1.0", `{"jsonrpc":"1.0","id":7,"result":${GOOD}}`, "protocol_error"],
  [
    "result and error",
    `{"jsonrpc":"2.0","id":7,"result":${GOOD},"error":{"code":1,"message":""}}`,
    "protocol_error",
  ],
  ["neither result nor error", '{"jsonrpc":"2.0","id":7}', "protocol_error"],
  ["a result that is null", '{"jsonrpc":"2.0","id":7,"result":null}', "protocol_error"],
  ["a result that is an array", '{"jsonrpc":"2.0","id":7,"result":[]}', "protocol_error"],
  ["a result that is a string", '{"jsonrpc":"2.0","id":7,"result":"ok"}', "protocol_error"],
  ["an error without a message", '{"jsonrpc":"2.0","id":7,"error":{"code":1}}', "protocol_error"],
  ["an error that is a string", '{"jsonrpc":"2.0","id":7,"error":"no"}', "protocol_error"],
  [
    "an error without an id",
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
    "protocol_error",
  ],
  [
    "an unknown tool",
    '{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Unknown tool: t"}}',
    "tool_not_found",
  ],
  [
    "an unknown tool, with a different code",
    '{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"MCP error -32601: Unknown tool: t"}}',
    "tool_not_found",
  ],
  ["an error", '{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"no"}}', "protocol_error"],
  [
    "content with the wrong shape",
    '{"jsonrpc":"2.0","id":7,"result":{"content":"ok"}}',
    "protocol_error",
  ],
  [
    "a content block with the wrong shape",
    '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text"}]}}',
    "protocol_error",
  ],
  [
    "an unknown kind of result",
    `{"jsonrpc":"2.0","id":7,"result":{"resultType":"riddle","content":[]}}`,
    "protocol_error",
  ],
  [
    "endless input requests",
    '{"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required","requestState":"again"}}',
    "protocol_error",
  ],
  [
    "an input request without a handler",
    '{"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}}}',
    "protocol_error",
  ],
  [
    "an invalid input request",
    '{"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required","inputRequests":{"a":1}}}',
    "protocol_error",
  ],
];

/** Returns the outcome of a call: `ok` or the error code. */
async function outcome(call: () => Promise<unknown>): Promise<string> {
  try {
    await call();
    return "ok";
  } catch (error) {
    if (error instanceof McpError) return error.code;
    throw error;
  }
}

const DISCOVERY = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
};

/** Creates a mock server of the given era. The `answer` callback responds to `tools/call`. */
function lineServer(
  era: "modern" | "legacy",
  answer: (message: Message, server: LineServer) => void,
): LineServer {
  return new LineServer((message, server) => {
    const { id, method } = message;
    if (method === "server/discover" && era === "modern") {
      return server.send({ jsonrpc: "2.0", id, result: DISCOVERY });
    }
    if (method === "initialize") return server.send({ jsonrpc: "2.0", id, result: INITIALIZED });
    if (method === "notifications/initialized") return;
    if (method === "notifications/cancelled") return;
    answer(message, server);
  });
}

async function connect(server: LineServer, protocol: "modern" | "legacy"): Promise<McpClient> {
  const client = new McpClient({ transport: new StdioTransport(server.options), protocol });
  await client.connect();
  return client;
}

for (const era of ["modern", "legacy"] as const) {
  for (const [what, text, expected] of ANSWERS) {
    if (era === "legacy" && text.includes("resultType")) continue;
    Deno.test(`callTool() over stdio returns ${expected} for ${what} (${era})`, async () => {
      const server = lineServer(
        era,
        ({ id }, self) =>
          self.write(
            text.replace('"id":7', `"id":${id}`)
              .replace('"id":"7"', `"id":"${id}"`),
          ),
      );
      const client = await connect(server, era);
      assertEquals(await outcome(() => client.callTool("t", {})), expected);
      assert(client.connected);
      await client.disconnect();
    });

    Deno.test(`callTool() over HTTP returns ${expected} for ${what} (${era})`, async () => {
      const answer = ({ body: { id } }: Seen) =>
        new Response(text.replace('"id":7', `"id":${id}`).replace('"id":"7"', `"id":"${id}"`), {
          headers: { "content-type": "application/json" },
        });
      const { fetch } = era === "modern"
        ? modern({ "tools/call": answer })
        : older({ "tools/call": answer });
      const transport = new HttpTransport("http://127.0.0.1/", { fetch });
      const client = new McpClient({ transport, protocol: era });
      await client.connect();
      assertEquals(await outcome(() => client.callTool("t", {})), expected);
      assert(client.connected);
      await client.disconnect();
    });
  }
}

/**
 * Test cases: unexpected output that the server sends before the valid response, and whether the
 * client reports the output as an error.
 */
const NOISE: readonly (readonly [string, string, boolean])[] = [
  ["a log line", "Server listening on port 3000", true],
  ["a truncated message", '{"jsonrpc":"2.0","id":1', true],
  ["a blank line", "", false],
  ["values that are not objects", '42\n"x"\nnull\ntrue', true],
  ["an empty batch", "[]", true],
  ["a response to an unknown request", '{"jsonrpc":"2.0","id":999,"result":{}}', false],
  ["progress for an unknown request", '{"jsonrpc":"2.0","method":"notifications/progress"}', false],
  ["an unknown notification", '{"jsonrpc":"2.0","method":"notifications/x","params":{}}', false],
  [
    "a cancellation without a request id",
    '{"jsonrpc":"2.0","method":"notifications/cancelled"}',
    false,
  ],
  ["deep nesting", `{"x":${"[".repeat(5000)}${"]".repeat(5000)}}`, true],
  ["a line that is too long", `"${"x".repeat(2000)}"`, true],
];

Deno.test("McpClient ignores malformed output before the response and reports it", async () => {
  for (const era of ["modern", "legacy"] as const) {
    for (const [what, text, isReported] of NOISE) {
      const server = lineServer(era, ({ id }, self) => {
        for (const line of text.split("\n")) self.write(line);
        const answer = { jsonrpc: "2.0", id, result: { content: [] } };
        self.send(answer);
        self.send(answer);
      });
      const options = { ...server.options, maxLineBytes: 12_000 };
      const transport = new StdioTransport(options);
      let reports = 0;
      const client = new McpClient({ transport, protocol: era, onError: () => reports++ });
      await client.connect();
      assertEquals(await outcome(() => client.callTool("t", {})), "ok");
      assertEquals(reports > 0, isReported, what);
      await client.disconnect();
    }
  }
});

Deno.test("callTool() responds to requests from a legacy server before its own response arrives", async () => {
  const server = lineServer("legacy", ({ id, method, result, error }, self) => {
    if (method === "tools/call") {
      self.send({ jsonrpc: "2.0", id: "a", method: "ping" });
      self.send({ jsonrpc: "2.0", id: "b", method: "no/such" });
      self.send({ jsonrpc: "2.0", id, result: { content: [] } });
    } else answers.push(result ?? error?.code);
  });
  const answers: unknown[] = [];
  const client = await connect(server, "legacy");
  await client.callTool("t", {});
  await client.disconnect();
  assertEquals(answers, [{}, -32601]);
});

Deno.test("callTool() times out and cancels the request if the server does not respond", async () => {
  for (const era of ["modern", "legacy"] as const) {
    const server = lineServer(era, () => {});
    using time = new FakeTime();
    const client = await connect(server, era);
    const call = assertRejects(() => client.callTool("t", {}), McpError);
    await time.tickAsync(60_000);
    const error = await call;
    assertEquals([error.code, error.details], [
      "timeout",
      { method: "tools/call", target: "t", timeoutMs: 60_000, kind: "silence" },
    ]);
    const [asked, cancelled] = server.seen.slice(-2);
    assertEquals(cancelled?.method, "notifications/cancelled");
    assertEquals(cancelled?.params?.requestId, asked?.id);
    await client.disconnect();
  }
});

Deno.test("callTool() rejects after maxTotalMs despite progress notifications", async () => {
  const server = lineServer("modern", ({ params }, self) => {
    token = at(params, "_meta", "progressToken");
    self.send(update());
  });
  let token: unknown;
  const update = () => ({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken: token, progress: 1 },
  });
  using time = new FakeTime();
  const client = await connect(server, "modern");
  const options = { timeoutMs: 100, maxTotalMs: 1000, onProgress: () => {} };
  const call = assertRejects(() => client.callTool("t", {}, options), McpError);
  for (let elapsed = 0; elapsed < 1000; elapsed += 50) {
    await time.tickAsync(50);
    server.send(update());
  }
  assertEquals((await call).details, {
    method: "tools/call",
    target: "t",
    timeoutMs: 1000,
    kind: "total",
  });
  await client.disconnect();
});

Deno.test("callTool() and later calls reject if the server has closed the connection", async () => {
  for (const era of ["modern", "legacy"] as const) {
    const server = lineServer(era, (_message, self) => self.end());
    const client = await connect(server, era);
    assertEquals(await outcome(() => client.callTool("t", {})), "transport_error");
    assertEquals(client.connected, false);
    assertEquals(await outcome(() => client.listTools()), "transport_error");
    await client.disconnect();
  }
});

/** Test cases: a `tools/list` result and the expected outcome of `listTools()`. */
const LISTS: readonly (readonly [string, (message: Message) => object, string])[] = [
  ["no tools", () => ({}), "protocol_error"],
  ["tools that are not an array", () => ({ tools: {} }), "protocol_error"],
  ["a tool that is null", () => ({ tools: [null] }), "protocol_error"],
  ["a tool without a name", () => ({ tools: [{}] }), "protocol_error"],
  ["a cursor that is null", () => ({ tools: [], nextCursor: null }), "ok"],
  ["a cursor that is a number", () => ({ tools: [], nextCursor: 1 }), "protocol_error"],
  ["a repeated cursor", () => ({ tools: [], nextCursor: "a" }), "ok"],
  ["a repeated empty cursor", () => ({ tools: [], nextCursor: "" }), "ok"],
  [
    "a new cursor on every page",
    ({ params }) => ({ tools: [], nextCursor: `${params?.cursor ?? ""}x` }),
    "protocol_error",
  ],
];

Deno.test("listTools() rejects an invalid page, and ends at a repeated cursor", async () => {
  for (const [what, list, expected] of LISTS) {
    const server = lineServer("modern", (message, self) => {
      self.send({ jsonrpc: "2.0", id: message.id, result: list(message) });
    });
    const client = await connect(server, "modern");
    assertEquals(await outcome(() => client.listTools()), expected, what);
    await client.disconnect();
  }
});

/** Test cases: `initialize` results that the client must reject. */
const HANDSHAKES: readonly (readonly [string, object])[] = [
  ["a missing version", { capabilities: {} }],
  ["a version that is a number", { protocolVersion: 1, capabilities: {} }],
  ["an unknown version", { protocolVersion: "1999-01-01", capabilities: {} }],
  ["a modern version", { protocolVersion: "2026-07-28", capabilities: {} }],
  ["missing capabilities", { protocolVersion: "2025-11-25" }],
  ["an empty result", {}],
];

Deno.test("connect() rejects an invalid initialize result and stays disconnected", async () => {
  for (const [what, result] of HANDSHAKES) {
    const server = new LineServer(({ id, method }, self) => {
      if (method === "initialize") self.send({ jsonrpc: "2.0", id, result });
    });
    const transport = new StdioTransport(server.options);
    const client = new McpClient({ transport, protocol: "legacy" });
    assertEquals(await outcome(() => client.connect()), "protocol_error", what);
    assertEquals(client.connected, false);
    await client.disconnect();
  }
});

/** Test cases: HTTP responses that contain no valid JSON-RPC response. */
const RESPONSES: readonly (readonly [string, (request: Seen) => Response, McpErrorCodeType])[] = [
  ["no body", () => new Response(null, { status: 202 }), "transport_error"],
  ["an empty body", () => text(""), "protocol_error"],
  ["a truncated message", () => text('{"jsonrpc":"2.0"'), "protocol_error"],
  [
    "a response to another request",
    () => text('{"jsonrpc":"2.0","id":999,"result":{}}'),
    "transport_error",
  ],
  [
    "an HTML page",
    () => new Response("<html>", { headers: { "content-type": "text/html" } }),
    "protocol_error",
  ],
  ["no Content-Type", () => new Response(new Uint8Array([123, 125])), "protocol_error"],
  ["a body that is too long", () => text(`"${"x".repeat(2000)}"`), "protocol_error"],
  ["an event that is too long", () => sse(`data: ${"x".repeat(2000)}\n\n`), "protocol_error"],
  ["an empty stream", () => sse(""), "transport_error"],
  ["a stream that ends early", () => sse("data: {\n"), "transport_error"],
  ["an event that is not JSON", () => sse("data: hello\n\n"), "protocol_error"],
  ["HTTP status 400", () => new Response("no", { status: 400 }), "transport_error"],
  ["HTTP status 500", () => new Response("oops", { status: 500 }), "transport_error"],
  ["HTTP status 500 with a JSON-RPC error", () => refusal(500), "protocol_error"],
  ["HTTP status 401", () => new Response(null, { status: 401 }), "auth_error"],
  ["HTTP status 403", () => refusal(403), "auth_error"],
];

function text(body: string): Response {
  return new Response(body, { headers: { "content-type": "application/json" } });
}

function sse(body: string): Response {
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

function refusal(status: number): Response {
  const error = { code: -32603, message: "no" };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status });
}

Deno.test("callTool() rejects immediately if an HTTP response contains no JSON-RPC response", async () => {
  const servers: readonly [
    "modern" | "legacy",
    (answers: Parameters<typeof modern>[0]) => Web,
  ][] = [
    ["modern", modern],
    ["legacy", older],
  ];
  for (const [protocol, server] of servers) {
    for (const [what, answer, expected] of RESPONSES) {
      const { fetch } = server({ "tools/call": answer });
      const options = { fetch, maxMessageChars: 1000 };
      const transport = new HttpTransport("http://127.0.0.1/", options);
      const client = new McpClient({ transport, protocol });
      await client.connect();
      assertEquals(await outcome(() => client.callTool("t", {})), expected, `${protocol}: ${what}`);
      assert(client.connected);
      await client.disconnect();
    }
  }
});
