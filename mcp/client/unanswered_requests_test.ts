import { assertEquals, assertRejects } from "@std/assert";
import { HttpTransport, McpClient, type McpClientConfig, McpError } from "../client.ts";
import { createMemoryTransport } from "../transport/memory.ts";
import type { Message } from "../testdata/message.ts";
import { Hand } from "../testdata/pipes.ts";
import { failure, INITIALIZED, older, result } from "../testdata/web.ts";

const CAPABILITIES = { elicitation: { form: {} } };
const QUESTION = {
  jsonrpc: "2.0",
  method: "elicitation/create",
  params: { message: "Sure?", requestedSchema: { type: "object", properties: {} } },
};
const LOG = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: 1 } };

/** A client, and the server's end of its pipe. The session is initialized. */
async function openByHand(
  protocol: "legacy" | "modern",
): Promise<{ readonly client: McpClient; readonly server: Hand; readonly others: string[] }> {
  const opened = Promise.withResolvers<Hand>();
  const closed = Promise.withResolvers<void>();
  const others: string[] = [];
  const config: McpClientConfig = {
    transport: createMemoryTransport(async (pipe) => {
      opened.resolve(new Hand(pipe));
      await closed.promise;
    }),
    protocol,
    capabilities: CAPABILITIES,
    onNotification: ({ method }) => others.push(method),
  };
  const client = new McpClient(config);
  const disconnect = client.disconnect.bind(client);
  client.disconnect = async () => {
    closed.resolve();
    await disconnect();
  };
  const connecting = client.connect();
  const server = await opened.promise;
  const { id } = await server.next();
  const info = {
    capabilities: { tools: {}, logging: {} },
    serverInfo: { name: "s", version: "1" },
  };
  const description = protocol === "legacy"
    ? { protocolVersion: "2025-11-25", ...info }
    : { resultType: "complete", supportedVersions: ["2026-07-28"], ...info };
  await server.send({ jsonrpc: "2.0", id, result: description });
  if (protocol === "legacy") await server.next();
  await connecting;
  return { client, server, others };
}

/** A relayed call: its request, what its handler and its listener have received, and its end. */
interface Relayed {
  readonly request: Message;
  readonly seen: string[];
  readonly done: Promise<unknown>;
  readonly stop: AbortController;
}

async function relay(client: McpClient, server: Hand, timeoutMs?: number): Promise<Relayed> {
  const seen: string[] = [];
  const stop = new AbortController();
  const done = client.relay("tools/call", { name: "t" }, {
    signal: stop.signal,
    client: { capabilities: CAPABILITIES, logLevel: "debug" },
    onNotification: ({ method }) => seen.push(method),
    handlers: {
      elicit: () => {
        seen.push("elicit");
        return Promise.resolve({ action: "accept", content: {} });
      },
    },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  done.catch(() => {});
  return { request: await server.next(), seen, done, stop };
}

/** Aborts a call, and receives its cancellation on the server. */
async function cancel({ stop, done }: Relayed, server: Hand): Promise<void> {
  stop.abort(new Error("enough"));
  await assertRejects(() => done, Error, "enough");
  assertEquals((await server.next()).method, "notifications/cancelled");
}

Deno.test("a legacy server's request for a cancelled call does not reach another call", async () => {
  const { client, server, others } = await openByHand("legacy");
  const ann = await relay(client, server);
  await cancel(ann, server);
  const bob = await relay(client, server);
  await server.send(LOG);
  const { error } = await server.ask({ ...QUESTION, id: "q" });
  assertEquals(error?.code, -32601);
  assertEquals([ann.seen, bob.seen, others], [[], [], [LOG.method]]);
  await server.send({ jsonrpc: "2.0", id: String(ann.request.id), result: { content: [] } });
  await server.send(LOG);
  const answer = await server.ask({ ...QUESTION, id: "r" });
  assertEquals(answer.result, { action: "accept", content: {} });
  assertEquals([ann.seen, bob.seen], [[], [LOG.method, "elicit"]]);
  await server.send({ jsonrpc: "2.0", id: bob.request.id, result: { content: [] } });
  await bob.done;
  await client.disconnect();
});

Deno.test("a legacy server's request for a call that has timed out does not reach another call", async () => {
  const { client, server } = await openByHand("legacy");
  const ann = await relay(client, server, 1);
  await assertRejects(() => ann.done, McpError);
  assertEquals((await server.next()).method, "notifications/cancelled");
  const bob = await relay(client, server);
  const { error } = await server.ask({ ...QUESTION, id: "q" });
  assertEquals([error === undefined, bob.seen], [false, []]);
  await client.disconnect();
});

Deno.test("an invalid response to a cancelled request counts as its response", async () => {
  const { client, server } = await openByHand("legacy");
  const ann = await relay(client, server);
  await cancel(ann, server);
  const bob = await relay(client, server);
  assertEquals((await server.ask({ ...QUESTION, id: "q" })).result, undefined);
  await server.send({ jsonrpc: "2.0", id: ann.request.id, result: 1 });
  assertEquals((await server.ask({ ...QUESTION, id: "r" })).error, undefined);
  assertEquals(bob.seen, ["elicit"]);
  await client.disconnect();
});

Deno.test("a request that is aborted before it is sent does not count as unanswered", async () => {
  const { client, server } = await openByHand("legacy");
  await assertRejects(
    () =>
      client.relay("tools/call", { name: "t" }, {
        signal: AbortSignal.abort(new Error("enough")),
        client: { capabilities: {} },
      }),
    Error,
    "enough",
  );
  const bob = await relay(client, server);
  assertEquals((await server.ask({ ...QUESTION, id: "q" })).error, undefined);
  assertEquals(bob.seen, ["elicit"]);
  await client.disconnect();
});

Deno.test("a modern server's log messages for a cancelled call do not reach another call", async () => {
  const { client, server, others } = await openByHand("modern");
  const ann = await relay(client, server);
  await cancel(ann, server);
  const bob = await relay(client, server);
  const answer = async ({ request: { id } }: Relayed): Promise<void> => {
    await server.send({ jsonrpc: "2.0", id, result: { resultType: "complete", content: [] } });
  };
  await server.send(LOG);
  await answer(ann);
  await server.send(LOG);
  await answer(bob);
  await bob.done;
  assertEquals([ann.seen, bob.seen, others], [[], [LOG.method], [LOG.method]]);
  await client.disconnect();
});

Deno.test("a new session has no unanswered requests", async () => {
  let sessions = 0;
  const events = Promise.withResolvers<(message: object) => void>();
  const encoder = new TextEncoder();
  const called = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<object>();
  const server = older({
    initialize: (request) => result(request, INITIALIZED, { "mcp-session-id": `s${++sessions}` }),
    GET: ({ headers }) => {
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
        start: (stream) => {
          if (headers.get("mcp-session-id") === "s1") return;
          events.resolve((message) =>
            stream.enqueue(encoder.encode(`data: ${JSON.stringify(message)}\n\n`))
          );
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
    "tools/call": async (request) => {
      if (request.headers.get("mcp-session-id") !== "s1") {
        (await events.promise)({ ...QUESTION, id: "q" });
        await answered.promise;
        return result(request, { content: [] });
      }
      if (request.body.params?.name === "lost") return failure(request, -32001, undefined, 404);
      called.resolve();
      return await new Promise<never>(() => {});
    },
    // A response to a server request has no method.
    POST: (request) => {
      answered.resolve(request.body);
      return new Response(null, { status: 202 });
    },
  });
  const transport = new HttpTransport("http://127.0.0.1/mcp", { fetch: server.fetch });
  const client = new McpClient({ transport, protocol: "legacy", capabilities: CAPABILITIES });
  await client.connect();
  const stop = new AbortController();
  const ann = client.callTool("ann", {}, { signal: stop.signal });
  await called.promise;
  stop.abort(new Error("enough"));
  await assertRejects(() => ann, Error, "enough");
  const seen: unknown[] = [];
  await client.relay("tools/call", { name: "lost" }, {
    client: { capabilities: CAPABILITIES },
    handlers: {
      elicit: ({ message }) => {
        seen.push(message);
        return Promise.resolve({ action: "decline" });
      },
    },
  });
  assertEquals(seen, ["Sure?"]);
  await client.disconnect();
});
