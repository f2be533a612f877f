import { assert, assertEquals, assertRejects } from "@std/assert";
import { McpClient, type McpClientConfig, McpError } from "../client.ts";
import { McpServer } from "../server.ts";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import { createMemoryTransport } from "../transport/memory.ts";
import { servePipe } from "../serve/pipe/serve_pipe.ts";

const CONFIRM = {
  method: "elicitation/create",
  params: { message: "Sure?", requestedSchema: { type: "object", properties: {} } },
} as const;

function askingServer(): McpServer {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "confirm", description: "" }, async (_args, { ask, log, client }) => {
    await log("info", "asking");
    const { action } = await ask("sure", CONFIRM);
    return { action, level: client.logLevel ?? null };
  });
  return server;
}

async function connect(server: McpServer, config: Partial<McpClientConfig>): Promise<McpClient> {
  const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
  const client = new McpClient({ transport, ...config });
  await client.connect();
  return client;
}

const CAPABILITIES = { elicitation: { form: {} } };

Deno.test("relay() declares the other client and returns the result with its type", async () => {
  await using client = await connect(askingServer(), { protocol: "modern" });
  const messages: unknown[] = [];
  const options = {
    client: { capabilities: CAPABILITIES, logLevel: "info" as const },
    onNotification: ({ method, params }: { method: string; params?: JsonObject }) => {
      messages.push([method, params?.data]);
    },
  };
  const first = await client.relay("tools/call", { name: "confirm" }, options);
  assertEquals(first.resultType, "input_required");
  assertEquals(first.inputRequests, { sure: CONFIRM });
  const { requestState } = first;
  const inputResponses = { sure: { action: "accept" } };
  const last = await client.relay("tools/call", {
    name: "confirm",
    requestState,
    inputResponses,
  }, options);
  assertEquals(last.resultType, "complete");
  assertEquals(last.structuredContent, { action: "accept", level: "info" });
  assertEquals(messages, [
    ["notifications/message", "asking"],
    ["notifications/message", "asking"],
  ]);
});

Deno.test("relay() does not declare a capability that the other client does not have", async () => {
  await using client = await connect(askingServer(), {
    protocol: "modern",
    handlers: { elicit: () => Promise.resolve({ action: "accept" as const }) },
  });
  const none = { client: { capabilities: {} } };
  const error = await assertRejects(
    () => client.relay("tools/call", { name: "confirm" }, none),
    McpError,
  );
  assertEquals(error.rpcCode, -32021);
});

Deno.test("relay() passes the messages of a legacy server to the only request in flight", async () => {
  const elsewhere: unknown[] = [];
  await using client = await connect(askingServer(), {
    protocol: "legacy",
    capabilities: CAPABILITIES,
    onNotification: ({ method }) => elsewhere.push(method),
  });
  await client.setLogLevel("debug");
  const seen: string[] = [];
  const result = await client.relay("tools/call", { name: "confirm" }, {
    client: { capabilities: CAPABILITIES },
    onNotification: ({ method }) => seen.push(method),
    handlers: { elicit: () => Promise.resolve({ action: "decline" }) },
  });
  assert(isRecord(result.structuredContent));
  assertEquals(result.structuredContent.action, "decline");
  assertEquals([seen, elsewhere], [["notifications/message"], []]);
});

Deno.test("relay() relays no input requests of a legacy server while two requests are in flight", async () => {
  const server = askingServer();
  const [begun, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  server.registerTool({ name: "wait", description: "" }, () => {
    begun.resolve();
    return free.promise;
  });
  await using client = await connect(server, { protocol: "legacy", capabilities: CAPABILITIES });
  const waiting = client.callTool("wait", {});
  await begun.promise;
  const { isError } = await client.relay("tools/call", { name: "confirm" }, {
    client: { capabilities: CAPABILITIES },
    handlers: { elicit: () => Promise.resolve({ action: "accept" }) },
  });
  assertEquals(isError, true);
  free.resolve();
  await waiting;
});

Deno.test("relay() rejects invalid arguments", async () => {
  await using client = await connect(askingServer(), {});
  const wrong: object = { client: { capabilities: 1 } };
  const options = { client: { capabilities: {} }, ...wrong };
  await assertRejects(() => client.relay("tools/call", {}, options), TypeError, "capabilities");
});

Deno.test("relay() passes log messages to a callback that a completed request also used", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  const [begun, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  server.registerTool({ name: "wait", description: "" }, async (_args, { log }) => {
    begun.resolve();
    await free.promise;
    await log("info", "waited");
  });
  server.registerTool({ name: "quick", description: "" }, () => "done");
  const elsewhere: string[] = [];
  await using client = await connect(server, {
    protocol: "modern",
    onNotification: ({ method }) => elsewhere.push(method),
  });
  const seen: string[] = [];
  const options = {
    client: { capabilities: {}, logLevel: "info" as const },
    onNotification: ({ method }: { method: string }) => seen.push(method),
  };
  const waiting = client.relay("tools/call", { name: "wait" }, options);
  await begun.promise;
  await client.relay("tools/call", { name: "quick" }, options);
  free.resolve();
  await waiting;
  assertEquals([seen, elsewhere], [["notifications/message"], []]);
});

for (const protocol of ["modern", "legacy"] as const) {
  Deno.test(`onError receives the failures of the onNotification of relay(), and the connection stays open (${protocol})`, async () => {
    const reported: unknown[] = [];
    await using client = await connect(askingServer(), {
      protocol,
      capabilities: CAPABILITIES,
      onError: (error) => void reported.push(error),
    });
    if (protocol === "legacy") await client.setLogLevel("debug");
    const failures = [new Error("thrown"), new Error("rejected")];
    const listeners = [(): never => {
      throw failures[0];
    }, () => Promise.reject(failures[1])];
    for (const onNotification of listeners) {
      const result = await client.relay("tools/call", { name: "confirm" }, {
        client: { capabilities: CAPABILITIES, logLevel: "info" },
        onNotification,
        handlers: { elicit: () => Promise.resolve({ action: "decline" }) },
      });
      assertEquals(result.isError, undefined);
    }
    assertEquals(reported, failures);
  });
}

Deno.test("relay() rejects an onNotification that is not a function", async () => {
  await using client = await connect(askingServer(), { protocol: "modern" });
  const options = { client: { capabilities: {} }, onNotification: JSON.parse('"log"') };
  await assertRejects(
    () => client.relay("tools/call", { name: "confirm" }, options),
    TypeError,
    '"onNotification" must be a function, got "log"',
  );
});
