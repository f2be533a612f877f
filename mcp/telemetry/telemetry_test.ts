import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { type AroundRequest, McpClient, type McpClientConfig, McpError } from "../client.ts";
import { McpServer, servePipe } from "../server.ts";
import type { JsonObject } from "../shared/json.ts";
import { createMemoryTransport } from "../transport/memory.ts";
import type {
  McpTelemetryOptions,
  TelemetryAttributes,
  TelemetryMeter,
  TelemetrySpan,
  TelemetrySpanContext,
  TelemetrySpanOptions,
} from "./options.ts";
import { mcpTelemetry } from "./telemetry.ts";

const ERAS = ["modern", "legacy"] as const;

interface Context {
  readonly span?: TelemetrySpanContext;
}

/** A span that records its attributes, links and status. */
class FakeSpan implements TelemetrySpan {
  readonly name: string;
  readonly kind: number;
  readonly links: readonly string[];
  readonly parent: string | undefined;
  readonly attributes: TelemetryAttributes;
  readonly context: TelemetrySpanContext;
  status: { code: number; message?: string } | undefined;
  ends = 0;

  constructor(name: string, options: TelemetrySpanOptions, parent: Context, spanId: string) {
    this.name = name;
    this.kind = options.kind;
    this.links = options.links.map(({ context }) => context.spanId);
    this.parent = parent.span?.spanId;
    this.attributes = { ...options.attributes };
    this.context = { traceId: "t", spanId, traceFlags: 1 };
  }

  setAttributes(attributes: TelemetryAttributes): void {
    assertEquals(this.ends, 0);
    Object.assign(this.attributes, attributes);
  }

  setStatus(status: { code: number; message?: string }): void {
    assertEquals(this.ends, 0);
    this.status = status;
  }

  end(): void {
    this.ends++;
  }
}

/**
 * A fake implementation of the OpenTelemetry API. The id of a span is its sequence number, and a
 * carrier contains the id as `traceparent`.
 */
class FakeTelemetry {
  readonly spans: FakeSpan[] = [];
  readonly carriers: Record<string, string>[] = [];
  readonly created: string[] = [];
  readonly boundaries: Map<string, readonly number[]> = new Map();
  readonly measurements: { name: string; value: number; attributes: TelemetryAttributes }[] = [];
  active: Context = {};
  readonly meter: TelemetryMeter = {
    createHistogram: (name, { advice }) => {
      this.created.push(name);
      this.boundaries.set(name, advice.explicitBucketBoundaries);
      return {
        record: (value, attributes) => void this.measurements.push({ name, value, attributes }),
      };
    },
  };
  readonly options = {
    tracer: {
      startSpan: (name: string, options: TelemetrySpanOptions, parent: Context) => {
        const span = new FakeSpan(name, options, parent, `${this.spans.length + 1}`);
        this.spans.push(span);
        return span;
      },
    },
    trace: {
      setSpan: (_: Context, { context }: FakeSpan): Context => ({ span: context }),
      getSpanContext: ({ span }: Context) => span,
    },
    // Without a context manager, the context is active only until the callback awaits something.
    context: {
      active: () => this.active,
      with: (context: Context, callback: () => void) => {
        const before = this.active;
        this.active = context;
        callback();
        this.active = before;
      },
    },
    propagation: {
      inject: ({ span }: Context, carrier: Record<string, string>) => {
        if (span) carrier.traceparent = span.spanId;
      },
      extract: (context: Context, carrier: Record<string, string>): Context => {
        this.carriers.push(carrier);
        const { traceparent } = carrier;
        if (traceparent === undefined) return context;
        return { span: { traceId: "t", spanId: traceparent, traceFlags: 1 } };
      },
    },
    meter: this.meter,
    onError: (error: unknown) => {
      throw error;
    },
  } satisfies McpTelemetryOptions<Context, FakeSpan>;

  find(kind: "client" | "server", name: string): FakeSpan {
    const number = kind === "client" ? 2 : 1;
    const span = this.spans.find((each) => each.kind === number && each.name === name);
    assert(span !== undefined, name);
    return span;
  }
}

/** A server with tools, a resource and a prompt. */
function createServer(around: AroundRequest | undefined): McpServer {
  const server = new McpServer({
    name: "s",
    version: "1",
    onError: () => {},
    ...(around ? { around } : {}),
  });
  server.registerTool({ name: "add", description: "", inputSchema: {} }, () => ({ sum: 3 }));
  server.registerTool({ name: "fail", description: "" }, () => {
    throw new Error("broken");
  });
  server.registerTool({ name: "refuse", description: "" }, () => {
    throw McpError.protocolError("too fast", { rpcCode: 1001 });
  });
  server.registerTool({ name: "draw", description: "" }, () => ({
    content: [
      { type: "image", data: "BYTES", mimeType: "image/png" },
      { type: "resource", resource: { uri: "a:b", blob: "BYTES" } },
      { type: "text", text: "drawn" },
    ],
  }));
  server.registerTool({ name: "wait", description: "" }, (_args, { signal }) => {
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  });
  server.registerTool({ name: "ask", description: "" }, async (_args, context) => {
    const answer = await context.ask("name", {
      method: "elicitation/create",
      params: { message: "?", requestedSchema: { type: "object", properties: {} } },
    });
    return JSON.stringify(answer);
  });
  server.registerResource({ uri: "notes://secret/1", name: "note" }, () => "text");
  server.registerResource({ uri: "notes://broken", name: "broken" }, () => {
    throw new Error("secret");
  });
  server.registerPrompt(
    { name: "plan", arguments: [{ name: "day", required: true }] },
    ({ day }) => `${day}?`,
  );
  return server;
}

interface Setup {
  readonly protocol?: "modern" | "legacy";
  readonly options?: Partial<McpTelemetryOptions<Context, FakeSpan>>;
  readonly sides?: readonly ("client" | "server")[];
  readonly config?: Partial<McpClientConfig>;
}

/**
 * Connects a client and a server that are both traced, calls a function, and returns the recorded
 * spans and measurements.
 */
async function record(
  work: (client: McpClient) => Promise<unknown>,
  { protocol = "modern", options = {}, sides = ["client", "server"], config = {} }: Setup = {},
): Promise<FakeTelemetry> {
  const fake = new FakeTelemetry();
  const around = mcpTelemetry<Context, FakeSpan>({ ...fake.options, ...options });
  const server = createServer(sides.includes("server") ? around : undefined);
  const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
  const client = new McpClient({
    transport,
    protocol,
    ...(sides.includes("client") ? { around } : {}),
    ...config,
  });
  await client.connect();
  fake.spans.length = fake.measurements.length = fake.carriers.length = 0;
  await work(client);
  await client.disconnect();
  assertEquals(fake.spans.filter(({ ends }) => ends !== 1).map(({ name }) => name), []);
  return fake;
}

for (const protocol of ERAS) {
  Deno.test(`a call has a client span, which is the parent of the server's span (${protocol})`, async () => {
    const fake = await record((client) => client.callTool("add", { a: 1 }), { protocol });
    const version = protocol === "modern" ? "2026-07-28" : "2025-11-25";
    const common = {
      "mcp.method.name": "tools/call",
      "mcp.protocol.version": version,
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "add",
      "network.transport": "pipe",
    };
    const [client, server, ...rest] = fake.spans;
    assertEquals(rest, []);
    assertEquals([client?.name, client?.kind, client?.parent], ["tools/call add", 2, undefined]);
    assertEquals(client?.attributes, common);
    assertEquals([server?.name, server?.kind], ["tools/call add", 1]);
    assertEquals(server?.parent, client?.context.spanId);
    const { "jsonrpc.request.id": id, ...others } = server?.attributes ?? {};
    assertEquals([typeof id, others], ["string", common]);
    assertEquals([client?.status, server?.status], [undefined, undefined]);
  });

  Deno.test(`all round trips of a call belong to one client span (${protocol})`, async () => {
    const elicit = () => ({ action: "accept", content: {} }) as const;
    const fake = await record((client) => client.callTool("ask", {}), {
      protocol,
      config: { handlers: { elicit } },
    });
    const client = fake.find("client", "tools/call ask");
    const servers = fake.spans.filter(({ kind }) => kind === 1);
    assertEquals(fake.spans.length - servers.length, 1);
    assertEquals(servers.length, protocol === "modern" ? 2 : 1);
    for (const { parent } of servers) assertEquals(parent, client.context.spanId);
  });

  Deno.test(`an aborted call ends both spans with an error (${protocol})`, async () => {
    const controller = new AbortController();
    const fake = await record(async (client) => {
      const call = client.callTool("wait", {}, { signal: controller.signal });
      await client.listTools();
      controller.abort();
      await assertRejects(() => call);
      await client.listTools();
    }, { protocol });
    assertEquals(fake.find("client", "tools/call wait").attributes["error.type"], "AbortError");
    assert("error.type" in fake.find("server", "tools/call wait").attributes);
  });
}

Deno.test("the URI of a resource is an attribute and not a part of the name", async () => {
  const fake = await record((client) => client.getResource("notes://secret/1"));
  assertEquals(fake.spans.map(({ name }) => name), ["resources/read", "resources/read"]);
  for (const { attributes } of fake.spans) {
    assertEquals(attributes["mcp.resource.uri"], "notes://secret/1");
  }
  for (const { attributes } of fake.measurements) {
    assertEquals(Object.values(attributes).includes("notes://secret/1"), false);
  }
});

Deno.test("the name of a prompt is a part of the name of its span", async () => {
  const fake = await record((client) => client.getPrompt("plan", { day: "Monday" }));
  assertEquals(fake.spans.map(({ name }) => name), ["prompts/get plan", "prompts/get plan"]);
  assertEquals(fake.spans[0]?.attributes["gen_ai.prompt.name"], "plan");
  assertEquals("gen_ai.operation.name" in (fake.spans[0]?.attributes ?? {}), false);
});

/** Values of `error.type` and `rpc.response.status_code`, and the message of the status. */
type Recorded = readonly (string | undefined)[];

/** Requests, and the attributes and the status that the client and the server record. */
const OUTCOMES: readonly {
  readonly title: string;
  readonly method: string;
  readonly params?: JsonObject;
  readonly client: Recorded;
  readonly server: Recorded;
}[] = [
  { title: "a result", method: "tools/list", client: [], server: [] },
  {
    title: "a tool error",
    method: "tools/call",
    params: { name: "fail", arguments: {} },
    client: ["tool_error"],
    server: ["tool_error"],
  },
  {
    title: "an unknown tool",
    method: "tools/call",
    params: { name: "nothing", arguments: {} },
    client: ["-32602", "-32602", 'Unknown tool: "nothing"'],
    server: [undefined, "-32602"],
  },
  {
    title: "an error with a code",
    method: "tools/call",
    params: { name: "refuse", arguments: {} },
    client: ["1001", "1001", "too fast"],
    server: ["1001", "1001", "too fast"],
  },
  {
    title: "an internal error",
    method: "resources/read",
    params: { uri: "notes://broken" },
    client: ["-32603", "-32603", "Internal error"],
    server: ["-32603", "-32603", "Internal error"],
  },
];

for (const { title, method, params = {}, client, server } of OUTCOMES) {
  Deno.test(`the spans and measurements of a request record ${title}`, async () => {
    const fake = await record((each) => each.request(method, params).catch(() => {}));
    const recorded = (kind: number) => {
      const span = fake.spans.find((each) => each.kind === kind);
      const side = kind === 2 ? "client" : "server";
      const measured = fake.measurements.find(({ name }) =>
        name === `mcp.${side}.operation.duration`
      );
      const read = (attributes: TelemetryAttributes = {}) => [
        attributes["error.type"],
        attributes["rpc.response.status_code"],
      ];
      assertEquals(read(measured?.attributes), read(span?.attributes));
      assertEquals(span?.status?.code, span?.attributes["error.type"] && 2);
      return [...read(span?.attributes), span?.status?.message];
    };
    const padded = (expected: readonly unknown[]) => [0, 1, 2].map((index) => expected[index]);
    assertEquals(recorded(2), padded(client));
    assertEquals(recorded(1), padded(server));
  });
}

Deno.test("a request that has timed out has the error type timeout", async () => {
  const fake = await record(async (client) => {
    await assertRejects(() => client.callTool("wait", {}, { timeoutMs: 1 }), McpError);
  }, { sides: ["client"] });
  const { attributes, status } = fake.find("client", "tools/call wait");
  assertEquals(attributes["error.type"], "timeout");
  assert(status?.message?.includes("timed out"));
});

Deno.test("durations are recorded in seconds, with the buckets of the conventions", async () => {
  const fake = await record((client) => client.callTool("add", {}));
  assertEquals(fake.measurements.map(({ name }) => name), [
    "mcp.server.operation.duration",
    "mcp.client.operation.duration",
  ]);
  assertEquals(fake.created, fake.measurements.map(({ name }) => name));
  const buckets = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
  for (const { name, value, attributes } of fake.measurements) {
    assert(value >= 0 && value < 60);
    assertEquals(fake.boundaries.get(name), buckets);
    assertEquals(attributes, {
      "mcp.method.name": "tools/call",
      "mcp.protocol.version": "2026-07-28",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "add",
      "network.transport": "pipe",
    });
  }
});

Deno.test("a server does not measure the names of unknown tools, which clients can invent", async () => {
  const fake = await record((client) =>
    client.request("tools/call", { name: "x" }).catch(() => {})
  );
  const names = fake.measurements.map(({ attributes }) => attributes["gen_ai.tool.name"]);
  assertEquals(names, [undefined, "x"]);
});

Deno.test("long names of tools are truncated", async () => {
  const name = "x".repeat(1000);
  const fake = await record((client) => client.request("tools/call", { name }).catch(() => {}));
  const kept = "x".repeat(256);
  for (const span of fake.spans) {
    assertEquals([span.name, span.attributes["gen_ai.tool.name"]], [`tools/call ${kept}`, kept]);
  }
});

Deno.test("content is not recorded by default", async () => {
  const fake = await record(async (client) => {
    await client.callTool("add", { secret: 1 });
    await client.callTool("draw", {});
    await client.getPrompt("plan", { day: "secret" });
  });
  const names = fake.spans.flatMap(({ attributes }) => Object.keys(attributes));
  assertEquals(names.filter((name) => /arguments|result|variable/.test(name)), []);
});

Deno.test("captureContent records arguments and results, without the bytes of files", async () => {
  const fake = await record(async (client) => {
    await client.callTool("add", { a: 1 });
    await client.callTool("draw", {});
    await client.getPrompt("plan", { day: "Monday" });
  }, { options: { captureContent: true } });
  for (const kind of ["client", "server"] as const) {
    const add = fake.find(kind, "tools/call add").attributes;
    assertEquals(add["gen_ai.tool.call.arguments"], '{"a":1}');
    assertEquals(add["gen_ai.tool.call.result"], '{"sum":3}');
    const drawn = fake.find(kind, "tools/call draw").attributes["gen_ai.tool.call.result"];
    assertEquals(JSON.parse(String(drawn)), [
      { type: "image", mimeType: "image/png" },
      { type: "resource", resource: { uri: "a:b" } },
      { type: "text", text: "drawn" },
    ]);
    const plan = fake.find(kind, "prompts/get plan").attributes;
    assertEquals(plan["gen_ai.prompt.variable.day"], "Monday");
  }
});

Deno.test("recorded content is truncated, and only the first 32 arguments of a prompt are kept", async () => {
  const names = ["day", ...Array.from({ length: 40 }, (_, index) => `v${index}`)];
  const values = Object.fromEntries(names.map((name) => [name, "a long text"]));
  const fake = await record(async (client) => {
    await client.callTool("add", { text: "a long text" });
    await client.getPrompt("plan", values);
  }, { options: { captureContent: true, maxContentLength: 5 }, sides: ["server"] });
  const add = fake.find("server", "tools/call add").attributes;
  assertEquals(add["gen_ai.tool.call.arguments"], '{"tex');
  const plan = Object.entries(fake.find("server", "prompts/get plan").attributes);
  const variables = plan.filter(([name]) => name.startsWith("gen_ai.prompt.variable."));
  assertEquals(variables.length, 32);
  assertEquals(variables[0], ["gen_ai.prompt.variable.day", "a lon"]);
});

Deno.test("attributes of the options are added to spans and not to measurements", async () => {
  const attributes = { "server.address": "example.com", "mcp.method.name": "overridden" };
  const fake = await record((client) => client.listTools(), { options: { attributes } });
  for (const span of fake.spans) {
    assertEquals(span.attributes["server.address"], "example.com");
    assertEquals(span.attributes["mcp.method.name"], "tools/list");
  }
  for (const each of fake.measurements) assertEquals("server.address" in each.attributes, false);
});

Deno.test("without propagation, a client sends nothing and a server ignores the sent context", async () => {
  const fake = new FakeTelemetry();
  const { propagation: _, ...options } = fake.options;
  const around = mcpTelemetry<Context, FakeSpan>(options);
  const sent: unknown[] = [];
  const request = {
    method: "tools/list",
    params: {},
    protocolVersion: "x",
    transport: "http",
  } as const;
  await around({ ...request, side: "client", meta: {} }, (meta) => {
    sent.push(meta);
    return Promise.resolve({});
  });
  await around(
    { ...request, side: "server", meta: { traceparent: "7" } },
    () => Promise.resolve({}),
  );
  assertEquals(sent, [undefined]);
  assertEquals(fake.spans.map(({ parent }) => parent), [undefined, undefined]);
  const { attributes } = fake.find("client", "tools/list");
  assertEquals(attributes["network.transport"], "tcp");
  assertEquals(attributes["network.protocol.name"], "http");
});

Deno.test("a server's span is linked to the active span that the client's span replaces as parent", async () => {
  const fake = new FakeTelemetry();
  const around = mcpTelemetry<Context, FakeSpan>(fake.options);
  const request = {
    side: "server",
    method: "tools/list",
    params: {},
    protocolVersion: "x",
    transport: "http",
  } as const;
  fake.active = { span: { traceId: "t", spanId: "http", traceFlags: 1 } };
  await around({ ...request, meta: { traceparent: "7" } }, () => Promise.resolve({}));
  await around({ ...request, meta: {} }, () => Promise.resolve({}));
  await around({ ...request, meta: { traceparent: "http" } }, () => Promise.resolve({}));
  const recorded = fake.spans.map(({ parent, links }) => [parent, ...links]);
  assertEquals(recorded, [["7", "http"], ["http"], ["http"]]);
});

Deno.test("a propagator receives only the strings in the metadata of a request", async () => {
  const meta = { traceparent: 1, tracestate: ["a"], baggage: null, "example.com/text": "t" };
  const fake = await record((client) => client.callTool("add", {}, { meta }), {
    sides: ["server"],
  });
  assertEquals(fake.carriers.map((carrier) => ({ ...carrier })), [{
    "example.com/text": "t",
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  }]);
});

Deno.test("failures of the tracer, the propagator and the meter do not affect a request", async (t) => {
  const fail = () => {
    throw new Error("telemetry failed");
  };
  const fake = new FakeTelemetry();
  const { tracer, trace, context, propagation } = fake.options;
  const broken: Record<string, Partial<McpTelemetryOptions<Context, FakeSpan>>> = {
    startSpan: { tracer: { startSpan: fail } },
    setSpan: { trace: { ...trace, setSpan: fail } },
    getSpanContext: { trace: { ...trace, getSpanContext: fail } },
    active: { context: { ...context, active: fail } },
    with: { context: { ...context, with: fail } },
    "with, after the callback": {
      context: { ...context, with: (_, callback) => (callback(), fail()) },
    },
    inject: { propagation: { ...propagation, inject: fail } },
    extract: { propagation: { ...propagation, extract: fail } },
    createHistogram: { meter: { createHistogram: fail } },
    record: { meter: { createHistogram: () => ({ record: fail }) } },
    setAttributes: { tracer: { startSpan: (...args) => breakSpan(tracer, args, "setAttributes") } },
    setStatus: { tracer: { startSpan: (...args) => breakSpan(tracer, args, "setStatus") } },
    end: { tracer: { startSpan: (...args) => breakSpan(tracer, args, "end") } },
  };
  for (const [name, options] of Object.entries(broken)) {
    await t.step(name, async () => {
      const errors: unknown[] = [];
      const around = mcpTelemetry<Context, FakeSpan>({
        ...fake.options,
        captureContent: true,
        ...options,
        onError: (error) => {
          errors.push(error);
          throw error;
        },
      });
      const server = createServer(around);
      const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
      await using client = new McpClient({ transport, around });
      await client.connect();
      const { structuredContent } = await client.callTool("add", {});
      assertEquals(structuredContent, { sum: 3 });
      assertEquals((await client.callTool("fail", {})).isError, true);
      await assertRejects(() => client.callTool("nothing", {}), McpError);
      assert(errors.length > 0);
      for (const error of errors) assert(String(error).includes("telemetry failed"));
    });
  }
});

function breakSpan(
  tracer: McpTelemetryOptions<Context, FakeSpan>["tracer"],
  args: Parameters<typeof tracer.startSpan>,
  method: "setAttributes" | "setStatus" | "end",
): FakeSpan {
  const span = tracer.startSpan(...args);
  span[method] = () => {
    throw new Error("telemetry failed");
  };
  return span;
}

Deno.test("mcpTelemetry() rejects invalid options", () => {
  const { options } = new FakeTelemetry();
  const cases: readonly [overrides: object, message: string][] = [
    [{ tracer: undefined }, '"tracer" must be a Tracer, got undefined'],
    [{ trace: { setSpan: () => {} } }, '"trace" must be "trace" of @opentelemetry/api'],
    [{ context: {} }, '"context" must be "context" of @opentelemetry/api'],
    [{ propagation: {} }, '"propagation" must be "propagation" of @opentelemetry/api'],
    [{ meter: {} }, '"meter" must be a Meter'],
    [{ captureContent: "yes" }, '"captureContent" must be a boolean'],
    [{ maxContentLength: 0 }, '"maxContentLength" must be a positive integer'],
    [{ onError: "stderr" }, '"onError" must be a function'],
  ];
  for (const [overrides, message] of cases) {
    assertThrows(() => mcpTelemetry({ ...options, ...overrides }), Error, message);
  }
});
