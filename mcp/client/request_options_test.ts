import { assert, assertEquals, assertRejects } from "@std/assert";
import { sleep } from "@parley/internal/timers";
import { FakeTime } from "@std/testing/time";
import {
  type AroundRequest,
  HttpTransport,
  McpClient,
  type McpClientConfig,
  McpError,
} from "../client.ts";
import { McpServer, type McpServerConfig, type ServerRequestDescription } from "../server.ts";
import type { JsonObject } from "../shared/json.ts";
import { createMemoryTransport } from "../transport/memory.ts";
import { failure, modern, result } from "../testdata/web.ts";
import { continueCall, readRequest } from "./request_options.ts";
import { mcpHandler } from "../serve/http/handler.ts";
import { servePipe } from "../serve/pipe/serve_pipe.ts";

const ERAS = ["modern", "legacy"] as const;
type Era = typeof ERAS[number];

/** A server with a tool that returns the request's `_meta` without the protocol's own members. */
function metaServer(config: Partial<McpServerConfig> = {}): McpServer {
  const server = new McpServer({ name: "s", version: "1", ...config });
  server.registerTool({ name: "meta", description: "" }, (_args, { meta }) => ownMembers(meta));
  return server;
}

function ownMembers(meta: Readonly<JsonObject>): JsonObject {
  const own = Object.entries(meta).filter(([key]) => !key.startsWith("io.modelcontextprotocol/"));
  return Object.fromEntries(own);
}

async function connect(
  server: McpServer,
  protocol: Era,
  config: Partial<McpClientConfig> = {},
): Promise<McpClient> {
  const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
  const client = new McpClient({ transport, protocol, ...config });
  await client.connect();
  return client;
}

for (const era of ERAS) {
  Deno.test(`options.meta is sent as _meta and passed to the handler (${era})`, async () => {
    await using client = await connect(metaServer(), era);
    const meta = { traceparent: "00-1-2-01", "example.com/tenant": { id: 7 } };
    const { structuredContent } = await client.callTool("meta", {}, { meta });
    assertEquals(structuredContent, meta);
  });

  Deno.test(`options.meta is sent together with the progress token (${era})`, async () => {
    await using client = await connect(metaServer(), era);
    const options = { meta: { a: 1 }, onProgress: () => {} };
    const { structuredContent } = await client.callTool("meta", {}, options);
    assertEquals(Object.keys(structuredContent ?? {}), ["a", "progressToken"]);
  });

  Deno.test(`context.meta is empty without options.meta (${era})`, async () => {
    await using client = await connect(metaServer(), era);
    assertEquals((await client.callTool("meta", {})).structuredContent, {});
  });

  for (const key of ["progressToken", "io.modelcontextprotocol/clientInfo"]) {
    Deno.test(`options.meta must not contain ${key} (${era})`, async () => {
      await using client = await connect(metaServer(), era);
      await assertRejects(
        () => client.callTool("meta", {}, { meta: { [key]: 1 } }),
        TypeError,
        `"meta" must not contain "${key}", which the protocol reserves`,
      );
    });
  }

  Deno.test(`request() sends any method and returns the result unchanged (${era})`, async () => {
    await using client = await connect(metaServer(), era);
    const result = await client.request("tools/call", { name: "meta" }, { meta: { a: 1 } });
    assertEquals(result.structuredContent, { a: 1 });
    const error = await assertRejects(() => client.request("x/unknown"), McpError);
    assertEquals(error.rpcCode, -32601);
  });

  Deno.test(`around of a client wraps each request once (${era})`, async () => {
    const seen: unknown[] = [];
    const around: AroundRequest = async (request, next) => {
      seen.push(request);
      return await next({ traceparent: "t" });
    };
    await using client = await connect(metaServer(), era, { around });
    const { structuredContent } = await client.callTool("meta", {}, { meta: { a: 1 } });
    assertEquals(structuredContent, { a: 1, traceparent: "t" });
    await client.listTools();
    const common = {
      side: "client",
      protocolVersion: client.server?.protocolVersion,
      transport: "pipe",
    };
    assertEquals(seen, [
      {
        ...common,
        method: "tools/call",
        target: "meta",
        params: { name: "meta", arguments: {} },
        meta: { a: 1 },
      },
      { ...common, method: "tools/list", params: {}, meta: {} },
    ]);
  });

  Deno.test(`around of a client can reject a request without sending it (${era})`, async () => {
    const refusal = new Error("no");
    const around: AroundRequest = () => Promise.reject(refusal);
    await using client = await connect(metaServer(), era, { around });
    const error = await assertRejects(() => client.callTool("meta", {}));
    assert(error === refusal);
  });

  Deno.test(`a call can be aborted while around of a client waits (${era})`, async () => {
    const around: AroundRequest = () => new Promise(() => {});
    await using client = await connect(metaServer(), era, { around });
    const controller = new AbortController();
    const call = client.callTool("t", {}, { signal: controller.signal });
    const failed = assertRejects(() => call, Error, "enough");
    controller.abort(new Error("enough"));
    await failed;
  });

  Deno.test(`around of a client must return an object (${era})`, async () => {
    // The function returns `undefined`, which TypeScript would reject but JavaScript allows.
    const around = async (_request: unknown, next: () => Promise<unknown>) => void await next();
    const config = { around: around as unknown as AroundRequest };
    await using client = await connect(metaServer(), era, config);
    const text = '"around" must return the result of next(), got undefined';
    await assertRejects(() => client.callTool("meta", {}), TypeError, text);
  });

  Deno.test(`around of a server wraps each request (${era})`, async () => {
    const seen: ServerRequestDescription[] = [];
    const server = metaServer({
      around: async (request, next) => {
        seen.push(request);
        return await next();
      },
    });
    await using client = await connect(server, era);
    await client.callTool("meta", {}, { meta: { a: 1 } });
    const call = seen.find(({ method }) => method === "tools/call");
    assertEquals([call?.side, call?.target, call?.transport], ["server", "meta", "pipe"]);
    assertEquals(ownMembers(call?.meta ?? {}), { a: 1 });
    assertEquals([call?.params.name, call?.params.arguments], ["meta", {}]);
    assert(call?.id !== undefined);
    assertEquals(call?.protocolVersion, client.server?.protocolVersion);
  });

  Deno.test(`around of a server receives a tool's result and its errors (${era})`, async () => {
    const outcomes: unknown[] = [];
    const server = metaServer({
      around: async (_request, next) => {
        try {
          const result = await next();
          outcomes.push(result.isError ?? false);
          return result;
        } catch (error) {
          outcomes.push(error instanceof McpError && error.rpcCode);
          throw error;
        }
      },
    });
    server.registerTool({ name: "fail", description: "" }, () => {
      throw new Error("broken");
    });
    await using client = await connect(server, era);
    outcomes.length = 0;
    await client.callTool("meta", {});
    await client.callTool("fail", {});
    const error = await assertRejects(() => client.callTool("unknown", {}), McpError);
    assertEquals(error.code, "tool_not_found");
    assertEquals(outcomes, [false, true, -32602]);
  });

  Deno.test(`around of a server can reject a request (${era})`, async () => {
    const errors: unknown[] = [];
    const server = metaServer({
      onError: (error) => void errors.push(error),
      around: async ({ method, meta }, next) => {
        if (meta.refuse === "code") throw McpError.protocolError("too fast", { rpcCode: 1001 });
        if (meta.refuse === "bug") throw new Error("secret");
        return method === "tools/call" && meta.refuse === "empty"
          ? undefined as unknown as JsonObject
          : await next();
      },
    });
    await using client = await connect(server, era);
    const refuse = (how: string) =>
      assertRejects(() => client.callTool("meta", {}, { meta: { refuse: how } }), McpError);
    const refused = await refuse("code");
    assertEquals([refused.rpcCode, refused.message.includes("too fast")], [1001, true]);
    const failed = await refuse("bug");
    assertEquals([failed.rpcCode, failed.message.includes("secret")], [-32603, false]);
    assertEquals((await refuse("empty")).rpcCode, -32603);
    assertEquals(errors.map(String), [
      "Error: secret",
      'TypeError: "around" must return the result of next(), got undefined',
    ]);
  });

  Deno.test(`around is called once for a request that needs input from the client (${era})`, async () => {
    const around: AroundRequest = (_request, next) => {
      calls++;
      return next();
    };
    let calls = 0;
    const server = askingServer();
    await using client = await connect(server, era, {
      around,
      handlers: { elicit: () => ({ action: "accept", content: { name: "config" } }) },
    });
    assertEquals(textOf(await client.callTool("ask", {})), "config");
    assertEquals(calls, 1);
  });

  Deno.test(`options.handlers handle the input requests of one call (${era})`, async () => {
    const server = askingServer();
    await using client = await connect(server, era, {
      handlers: { elicit: () => ({ action: "accept", content: { name: "config" } }) },
    });
    const elicit = () => ({ action: "accept", content: { name: "call" } }) as const;
    assertEquals(textOf(await client.callTool("ask", {}, { handlers: { elicit } })), "call");
    assertEquals(textOf(await client.callTool("ask", {})), "config");
  });

  Deno.test(`options.handlers are validated before the request is sent (${era})`, async () => {
    await using client = await connect(metaServer(), era);
    const handlers: object = { elicitt: () => {} };
    await assertRejects(() => client.callTool("meta", {}, { handlers }), TypeError, "elicitt");
  });
}

Deno.test("a modern request declares the capabilities of its own handlers", async () => {
  const server = askingServer();
  await using client = await connect(server, "modern");
  const declined = await assertRejects(() => client.callTool("ask", {}), McpError);
  assertEquals(declined.rpcCode, -32021);
  const elicit = () => ({ action: "accept", content: { name: "call" } }) as const;
  assertEquals(textOf(await client.callTool("ask", {}, { handlers: { elicit } })), "call");
});

Deno.test("a legacy request's own handlers are not used while another request is in flight", async () => {
  const server = askingServer();
  const asked = Promise.withResolvers<void>();
  server.registerTool({ name: "wait", description: "" }, async () => {
    await asked.promise;
    return "done";
  });
  await using client = await connect(server, "legacy", {
    handlers: { elicit: () => ({ action: "accept", content: { name: "config" } }) },
  });
  const waiting = client.callTool("wait", {});
  const elicit = () => ({ action: "accept", content: { name: "call" } }) as const;
  assertEquals(textOf(await client.callTool("ask", {}, { handlers: { elicit } })), "config");
  asked.resolve();
  await waiting;
});

Deno.test("around of a server receives the transport and the principal of an HTTP request", async () => {
  const seen: ServerRequestDescription[] = [];
  const server = metaServer({
    around: (request, next) => {
      seen.push(request);
      return next();
    },
  });
  const handler = mcpHandler(server);
  for (const protocol of ERAS) {
    const transport = new HttpTransport("http://localhost/mcp", {
      fetch: async (input, init) =>
        await handler(new Request(input, init), { principal: { subject: "ann" } }),
    });
    await using client = new McpClient({ transport, protocol });
    await client.connect();
    await client.callTool("meta", {});
  }
  const calls = seen.filter(({ method }) => method === "tools/call");
  assertEquals(calls.map(({ transport, principal }) => [transport, principal?.subject]), [
    ["http", "ann"],
    ["http", "ann"],
  ]);
  await handler.close();
});

function askingServer(): McpServer {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "ask", description: "" }, async (_args, { ask }) => {
    const params = {
      message: "Name?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } } },
    } as const;
    const { content } = await ask("name", { method: "elicitation/create", params });
    return String(content?.name);
  });
  return server;
}

function textOf({ content }: { readonly content: readonly { readonly type: string }[] }): unknown {
  const [block] = content;
  return block !== undefined && "text" in block ? block.text : undefined;
}

Deno.test("maxTotalMs limits the time of all round trips together (modern)", async () => {
  using time = new FakeTime();
  const server = new McpServer({ name: "s", version: "1" });
  let handling = Promise.withResolvers<() => void>();
  server.registerTool({ name: "ask", description: "" }, async (_args, { ask }) => {
    await new Promise<void>((finish) => handling.resolve(finish));
    const params = { message: "", requestedSchema: { type: "object" } } as const;
    for (const key of ["a", "b", "c"]) await ask(key, { method: "elicitation/create", params });
  });
  await using client = await connect(server, "modern", {
    handlers: { elicit: () => ({ action: "accept" }) },
  });
  const call = client.callTool("ask", {}, { maxTotalMs: 1000, timeoutMs: 900 });
  const error = assertRejects(() => call, McpError);
  for (let round = 0; round < 3; round++) {
    const finish = await handling.promise;
    handling = Promise.withResolvers();
    await time.tickAsync(400);
    finish();
  }
  const { code, details } = await error;
  assertEquals([code, details], [
    "timeout",
    { method: "tools/call", target: "ask", timeoutMs: 1000, kind: "total" },
  ]);
});

Deno.test("the timeouts are paused while input handlers run (modern)", async () => {
  using time = new FakeTime();
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using client = await connect(askingServer(), "modern", {
    handlers: {
      elicit: async () => {
        asked.resolve();
        await answer.promise;
        return { action: "accept", content: { name: "Ada" } };
      },
    },
  });
  const call = client.callTool("ask", {}, {
    timeoutMs: 500,
    maxTotalMs: 1000,
    maxInputMs: 100_000,
  });
  await asked.promise;
  await time.tickAsync(60_000);
  answer.resolve();
  assertEquals(textOf(await call), "Ada");
});

Deno.test("continueCall() keeps all requests of a call within maxTotalMs plus maxInputMs", () => {
  using time = new FakeTime(0);
  const settings = readRequest({ maxTotalMs: 100, maxInputMs: 50 });
  const limits = () => {
    const { maxTotalMs, maxInputMs } = continueCall(settings, 0);
    return [maxTotalMs, maxInputMs];
  };
  assertEquals(limits(), [100, 50]);
  time.tick(20);
  assertEquals(limits(), [100, 30]);
  time.tick(60);
  assertEquals(limits(), [70, 1]);
  time.tick(100);
  assertEquals(limits(), [1, 1]);
  const unlimited = readRequest({ maxTotalMs: Infinity });
  assertEquals(continueCall(unlimited, 0), unlimited);
});

const LIMITS = { timeoutMs: 1000, maxTotalMs: 1000 };

Deno.test("a server cannot extend a call with pages or a repeated call", async () => {
  using time = new FakeTime();
  async function slow<T>(value: T): Promise<T> {
    await sleep(900, new AbortController().signal);
    return value;
  }
  let page = 0;
  const server = modern({
    "tools/list": (request) => slow(result(request, { tools: [], nextCursor: `${page++}` })),
    "tools/call": (request) => slow(failure(request, -32020, {}, 400)),
  });
  const transport = new HttpTransport("http://127.0.0.1/mcp", { fetch: server.fetch });
  const client = new McpClient({ transport });
  await client.connect();
  for (const call of [() => client.listTools(LIMITS), () => client.callTool("t", {}, LIMITS)]) {
    const startedAt = Date.now();
    let endedAt = Infinity;
    const failed = call().then(() => {}, () => {}).finally(() => endedAt = Date.now());
    for (let step = 0; step < 50; step++) await time.tickAsync(100);
    await failed;
    assert(endedAt - startedAt <= 2100, `${endedAt - startedAt}`);
  }
  await client.disconnect();
});
